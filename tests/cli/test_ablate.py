"""`comparanda ablate`: the whole system comes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import run
from tests.shared_data import shared

FILES = ("demo/key.conllu", "full=demo/spacy.conllu", "demo/hanta.conllu", "demo/brill.conllu")


def test_the_first_system_is_the_whole_one(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "ablate", *FILES, "--task", "pos", "--resamples", 200, "-q", "--json")
    assert outcome.code == 0
    found = outcome.json["ablation"]
    assert found["full"] == "full"
    assert sorted(each["system"] for each in found["variants"]) == ["brill", "hanta"]
    hidden = [each["hidden"] for each in found["variants"]]
    assert hidden == sorted(hidden, reverse=True)


def test_each_count_leads_to_its_examples(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, "ablate", *FILES, "--task", "pos", "--resamples", 0, "-q", "--json").json["ablation"]
    for each in found["variants"]:
        for name in ("different", "corrections", "new_errors", "changed_errors"):
            pair = ("--base", found["full"], "--new", each["system"], "--where", each[name]["where"])
            shown = run(capsys, "examples", *FILES, "--task", "pos", "--resamples", 0, "-q", *pair, "--json")
            assert shown.json["examples"]["count"] == each[name]["count"]


def test_the_scores_and_differences_are_those_of_compare(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, "ablate", *FILES, "--task", "pos", "--resamples", 100, "-q", "--json").json["ablation"]
    for each in found["variants"]:
        pair = ("--base", "full", "--new", each["system"])
        other = run(capsys, "diff", *FILES, "--task", "pos", "--resamples", 100, "-q", "--json", *pair)
        difference = other.json["difference"]
        assert each["different"]["share"] == difference["diff"]
        assert [each[name]["low"] for name in ("corrections", "new_errors", "changed_errors")] == [
            one["low"] for one in difference["classes"]
        ]
        assert each["accuracy_change"] == difference["accuracy_difference"]


def test_a_variant_is_needed(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "ablate", *FILES[:2], "--task", "pos", "--resamples", 0)
    assert outcome.code == 2
    assert "an ablation needs the full system and a variant" in outcome.err


@pytest.mark.parametrize("layout", ["table", "md", "csv", "tsv", "latex", "jsonl"])
def test_every_layout(demo: Path, capsys: pytest.CaptureFixture[str], layout: str) -> None:
    outcome = run(capsys, "ablate", *FILES, "--task", "pos", "--resamples", 50, "-q", "--format", layout, "--top", 1)
    assert outcome.code == 0
    assert outcome.err == ""
    assert ("hanta" in outcome.out, "brill" in outcome.out) == (True, False)


def test_two_submissions_of_wnut17_have_the_same_score_and_other_entities(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shared("data/ner/wnut17")
    key = folder / "gold/emerging.test.annotated"
    systems = [folder / "systems" / name for name in ("uh_ritual", "spinningbytes.txt", "arcada", "drexel_cci")]
    outcome = run(capsys, "ablate", key, *systems, "--task", "span", "--resamples", 1000, "-q")
    assert outcome.code == 0
    heading = "Ablation of uh_ritual; no significant change, different decisions: spinningbytes, arcada\n"
    assert heading in outcome.out
    assert "530 of 1,268 decisions change: 130 turn right, 185 turn wrong, 215 stay wrong differently" in outcome.out
