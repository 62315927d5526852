"""Simulations from Python: one call from files or objects to a finding, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from comparanda.api.comparison import compare
from comparanda.api.simulations import simulate, simulate_result
from comparanda.errors import UsageError
from comparanda.formats.inputs import Runs
from comparanda.result import Result
from comparanda.storage.reader import open_result
from tests.feedback.documents import texts_and_blocks


@pytest.fixture
def result(tmp_path: Path) -> Result:
    return texts_and_blocks(tmp_path)


def test_one_call_does_all(result: Result, tmp_path: Path) -> None:
    key, output = str(tmp_path / "key.jsonl"), str(tmp_path / "out.jsonl")
    found = simulate(key, output, "entropy", "high", budget=2, user="noisy:0.5", seeds=2, where='label == "PER"')
    assert [(each.strategy, each.seeds, each.questions) for each in found.strategies] == [
        ("entropy", 2, 2), ("high", 2, 2),
    ]  # fmt: skip
    assert simulate(key, output).strategies[0].strategy == "entropy"
    again = simulate_result(result, ("entropy", "high"), budget=2, user="noisy:0.5", seeds=2, where='label == "PER"')
    assert again.finding == replace(found, system="crf")


def test_what_was_decided_on_reading_holds(result: Result, tmp_path: Path) -> None:
    key, output = str(tmp_path / "key.jsonl"), str(tmp_path / "out.jsonl")
    usual, strict = simulate(key, output, "high"), simulate(key, output, "high", min_weight=0.7)
    hard = compare(key, {"crf": output}, task="prob", resamples=0, min_weight=0.7)
    assert strict.start.f1 == hard.scores("f1").value("crf") != usual.start.f1
    assert simulate(key, output, "high", decide="hierarchical").decide == "hierarchical"
    assert usual.start.f1 == result.scores("f1").value("crf")


def test_a_result_folder_will_do(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "saved")
    where = 'text != "Ely" and document != "d9"'
    assert (
        simulate_result(open_result(tmp_path / "saved"), where=where).finding
        == simulate_result(result, where=where).finding
    )


def test_the_signature_says_how_was_asked(result: Result) -> None:
    found = simulate_result(
        result, ("high",), kind="group", purity=0.9, handler="statistical", ask_certain=True, seed=3
    )
    said = found.result.signature.split("|")
    for part in ("strategies:high", "ask:group", "budget:all", "strength:1", "purity:0.9", "ask_certain:yes", "seed:3"):
        assert part in said
    assert not any(part.startswith("believed_error") for part in said)
    assert "believed_error:0.1" in simulate_result(result, ("high",), believed_error=0.1).result.signature


def test_progress_is_told_over_all_plans(result: Result) -> None:
    reports: list[tuple[str, int, int]] = []
    simulate_result(result, ("entropy", "margin"), budget=2, progress=lambda *what: reports.append(what))
    assert reports == [
        ("entropy, seed 13", 1, 4), ("entropy, seed 13", 2, 4), ("margin, seed 13", 3, 4), ("margin, seed 13", 4, 4),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"budgte": 3}, r"'budgte' \(did you mean 'budget'\?\)"),
        ({"system": "cfr"}, "unknown system 'cfr'"),
        ({"only_label": ["X"]}, "the label 'X' does not occur"),
    ],
)
def test_what_cannot_be_meant_is_refused(result: Result, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        simulate_result(result, **settings)


def test_questions_are_about_one_output_with_probabilities(tmp_path: Path) -> None:
    texts_and_blocks(tmp_path)
    key, output = str(tmp_path / "key.jsonl"), str(tmp_path / "out.jsonl")
    copies = [tmp_path / name for name in ("one.jsonl", "two.jsonl")]
    for copy in copies:
        copy.write_bytes((tmp_path / "out.jsonl").read_bytes())
    two = compare(key, {"a": output, "b": Runs(*map(str, copies))}, task="prob", resamples=0)
    assert simulate_result(two, ("high",), system="a").finding.system == "a"
    for system, listed in ((None, "3 outputs given, expected one: a, b#1, b#2"), ("b", "2 outputs")):
        with pytest.raises(UsageError, match=listed):
            simulate_result(two, system=system)
    with pytest.raises(UsageError, match="the task 'span' has no probabilities"):
        simulate_result(compare([["B-A"]], {"a": [["B-A"]]}, task="span", resamples=0))
    with pytest.raises(UsageError, match="strategy: unknown value 'hihg'"):
        simulate(key, output, "hihg")
