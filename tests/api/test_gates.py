"""The gate as a function: with outputs, with a baseline, or with the scores of one alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import comparanda as cp
from comparanda import UsageError
from comparanda.api.baseline import BaselineError, baseline_of
from comparanda.demo import copy_demo
from comparanda.findings.gate import Gate
from comparanda.render.json import build_document, schema

KEY, BASE, NEW = "demo/key.conllu", "demo/spacy.conllu", "demo/hanta.conllu"


@pytest.fixture(autouse=True)
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    copy_demo("demo")


def gate(base: str | None = BASE, new: str = NEW, **asked: Any) -> Gate:
    return cp.gate(KEY, base, new, task="pos", **{"resamples": 0, **asked})


@pytest.fixture
def blessed() -> str:
    result = cp.compare(KEY, {"released": BASE}, task="pos", resamples=0)
    Path("gate.json").write_text(baseline_of(result, "released").to_json(), encoding="utf-8")
    return "gate.json"


def test_the_numbers_are_those_of_the_other_findings() -> None:
    found = gate(max_new_errors=100, require="accuracy >= base - 3")
    result = cp.compare(KEY, {"base": BASE, "new": NEW}, task="pos", resamples=0)
    difference = result.difference("base", "new")
    assert [each.count for each in found.changes] == [each.count for each in difference.classes]
    assert found.checks[0].measured == difference.of("new_error").count == 149
    assert found.sites == difference.sites
    scores = result.scores()
    assert [(each.measure, each.base, each.new) for each in found.scores] == [
        (name, scores.value("base", name), scores.value("new", name)) for name in ("accuracy", "sentences")
    ]
    assert [check.passed for check in found.checks] == [False, True]
    test = result.significance().tests[0]
    assert test.p is None


def test_p_is_that_of_the_test_of_the_pair() -> None:
    found = gate(resamples=500, fail_if_significantly_worse=True)
    (test,) = cp.compare(KEY, {"base": BASE, "new": NEW}, task="pos", resamples=500).significance().tests
    assert (found.checks[0].measured, found.passed) == (test.p, False)
    back = gate(NEW, BASE, resamples=500, fail_if_significantly_worse=True)
    assert (back.checks[0].measured, back.passed) == (test.p, True)
    assert "accuracy +2.21 points [+1." in back.checks[0].reason


def test_a_baseline_that_fits_changes_nothing(blessed: str) -> None:
    assert gate(max_new_errors=200, baseline=blessed) == gate(max_new_errors=200)
    with pytest.raises(BaselineError):
        gate(NEW, BASE, max_new_errors=200, baseline=blessed)


def test_requirements_can_be_checked_against_stored_scores(blessed: str) -> None:
    asked: dict[str, Any] = {"require": ["accuracy >= base - 3", 'score("f1[NOUN]") >= base_score("f1[NOUN]")']}
    found, whole = gate(None, baseline=blessed, **asked), gate(**asked)
    assert found.checks == whole.checks
    assert found.scores == whole.scores
    assert (found.base, found.changes, found.examples, found.sites, found.run_pairs) == ("released", (), (), None, 0)
    assert "Gate failed: 1 of 2 checks does not hold (released → new)" in str(found)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({}, "only requirements can be checked"),
        ({"max_new_errors": 3}, "max-new-errors needs the base's output"),
        ({"max_negative_flip_rate": "3%"}, "max-negative-flip-rate needs the base's output"),
        ({"fail_if_significantly_worse": True}, "fail-if-significantly-worse needs the base's output"),
        ({"require": "accuracy >= base and diff < 3"}, "diff needs the base's output"),
        ({"require": "document_f1 >= base"}, "the baseline has no score 'document_f1'"),
    ],
)
def test_what_needs_the_output_of_the_base_says_so(blessed: str, asked: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        gate(None, baseline=blessed, **asked)


def test_there_must_be_a_base_or_a_baseline() -> None:
    with pytest.raises(UsageError, match="no output of the base and no baseline given"):
        gate(None, require="accuracy > 3")


def test_what_is_asked_wrongly_is_said_before_anything_is_read() -> None:
    with pytest.raises(UsageError, match="max-new-errors: expected a count or a share"):
        cp.gate("no such file", "none", "none", task="pos", max_new_errors="x")


@pytest.mark.parametrize("top", [0, 1, 3, 1000])
def test_top_says_how_many_examples_are_shown(top: int) -> None:
    (found,) = gate(max_new_errors=0, top=top).examples
    assert (found.count, len(found.examples)) == (149, 149 if top in {0, 1000} else top)


def test_a_gate_that_holds_prints_no_examples_but_has_them() -> None:
    held, broken = gate(max_new_errors=149), gate(max_new_errors=148)
    assert len(held.examples[0].examples) == len(broken.examples[0].examples) == 10
    assert "examples shown" not in str(held)
    assert "10 of 149 examples shown where new_error" in str(broken)


def test_each_failing_check_brings_its_own_examples() -> None:
    found = gate(max_new_errors=0, label="NOUN", require="accuracy >= base")
    assert [(each.where, each.count) for each in found.examples] == [
        ('new_error and key == "NOUN"', 14),
        ("new_error", 149),
    ]


def test_markdown_begins_with_the_verdict_and_folds_the_new_errors() -> None:
    text = gate(max_new_errors=0, top=1).to_markdown()
    assert text.startswith("### Gate failed: 1 of 1 check does not hold (base → new)\n")
    order = ["| new errors | at most 0 |", "### Scores, before and after", "<details>", "<summary>New errors: 1 of 149"]
    places = [text.index(piece) for piece in order]
    assert places == sorted(places)
    assert text.endswith("</details>")
    assert text.count("<details>") == text.count("</details>") == 1


def test_markdown_is_read_as_tables_and_a_fold() -> None:
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").enable("table").parse(gate(max_new_errors=0).to_markdown())
    assert [token.type for token in tokens].count("table_open") == 4
    folds = [token.content.split("\n")[0] for token in tokens if token.type == "html_block"]
    assert folds == ["<details>", "</details>"]


def test_hostile_words_stay_words_in_markdown() -> None:
    key = [[("</details><script>|`*", "A")]]
    found = cp.gate(key, key, [[("</details><script>|`*", "B")]], task="tag", max_new_errors=0, resamples=0)
    assert "<script>" not in found.to_markdown()
    assert found.to_markdown().count("</details>") == 1


@pytest.mark.parametrize("asked", [{"max_new_errors": "1%", "label": "NOUN"}, {"require": "f1 > 1"}, {}])
def test_the_json_fits_its_schema(asked: dict[str, Any]) -> None:
    found = gate(**asked, top=2)
    jsonschema.validate(json.loads(build_document(found, found.signature, ())), schema("gate"))


def test_every_form_can_be_made() -> None:
    found = gate(max_new_errors=0)
    assert found.to_dicts()[0]["verdict"] == "fails"
    assert "Gate failed" in found.to_latex()
    assert "Gate failed" in found._repr_html_()
    assert list(found.to_pandas().columns) == ["check", "asked", "measured", "limit", "verdict", "reason"]
