"""Combinations beside the best single system: what is tested, corrected and shown."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from comparanda import combine
from comparanda.findings.ensembles import Ensembles
from comparanda.findings.significance import correct_by_holm
from comparanda.render.json import schema


def tagged(documents: int, seed: int = 5) -> tuple[Any, dict[str, Any]]:
    chance = random.Random(seed)
    gold = [[chance.choice("ABC") for _ in range(12)] for _ in range(documents)]

    def made(rows: list[list[str]]) -> list[dict[str, Any]]:
        return [{"document": f"d{n}", "tokens": ["w"] * len(row), "tags": row} for n, row in enumerate(rows)]

    def run(error: float) -> list[list[str]]:
        return [[chance.choice("ABC") if chance.random() < error else tag for tag in row] for row in gold]

    return made(gold), {name: made(run(error)) for name, error in (("x", 0.3), ("y", 0.25), ("z", 0.35))}


@pytest.fixture(scope="module")
def found() -> Any:
    key, systems = tagged(20)
    return combine(key, systems, task="tag", resamples=300, methods=["majority", "weighted", "per-label", "at-least-3"])


def test_the_correction_is_for_the_methods_alone(found: Any) -> None:
    methods = found.finding.methods
    assert [each.p_holm for each in methods] == correct_by_holm([each.p for each in methods])
    tests = {(test.base, test.new): test for test in found.result.significance().tests}
    assert [each.p for each in methods] == [tests[found.finding.best, each.method].p for each in methods]


def test_the_best_single_system_is_that_of_the_main_measure(found: Any) -> None:
    values = {score.system: score.value for score in found.finding.systems if score.measure == "accuracy"}
    assert set(values) == {"x", "y", "z"}
    assert values[found.finding.best] == max(values.values())
    assert found.finding.oracle == found.result.combination().overall.oracle  # votes add nothing that no run has right


def test_of_equal_systems_the_first_by_name_is_the_best_in_whatever_order_they_are_given() -> None:
    """Two systems with three errors each, in other documents: tests against one and the other differ."""
    right = ["A", "B"] * 3
    wrong = {"x": {0: 3}, "y": {1: 1, 2: 2}, "z": {3: 6}}  # how many words of a document each has wrong

    def run(name: str) -> list[dict[str, Any]]:
        found = [["C"] * wrong[name].get(number, 0) + right[wrong[name].get(number, 0) :] for number in range(8)]
        return [{"document": f"d{n}", "tokens": ["w"] * 6, "tags": tags} for n, tags in enumerate(found)]

    key = [{"document": f"d{n}", "tokens": ["w"] * 6, "tags": right} for n in range(8)]
    forth, back = (
        combine(key, {name: run(name) for name in names}, task="tag", resamples=50, methods=["majority", "weighted"])
        for names in ("xyz", "zyx")
    )
    assert forth.finding.best == back.finding.best == "x"
    assert [(each.p, each.low, each.high) for each in forth.finding.methods] == [
        (each.p, each.low, each.high) for each in back.finding.methods
    ]
    tests = {(test.base, test.new): test.p for test in forth.result.significance().tests}
    assert forth.finding.methods[0].p == tests["x", "majority"] != tests["y", "majority"]


def test_a_vote_of_three_taggers_gains(found: Any) -> None:
    majority = found.finding.methods[0]
    assert majority.difference > 0
    assert 0 < majority.gained < 1
    assert majority.low < majority.difference < majority.high


def test_the_finding_is_plain_data_and_fits_its_schema(found: Any) -> None:
    again = msgspec.json.decode(found.finding.to_json(), type=Ensembles)
    assert again == found.finding
    assert schema("ensembles")["title"].startswith("comparanda/ensembles/")


def test_the_tables_hold_the_best_single_system_the_combinations_and_the_oracle(found: Any) -> None:
    shown = found.finding.tables()
    assert [table.name for table in shown] == ["ensembles", "recipes", "weights", "choices"]
    assert [row[0] for row in shown[0].rows] == [
        f"{found.finding.best} (best single)",
        "majority",
        "weighted",
        "per-label",
        "at-least-3",
        "oracle",
    ]
    assert shown[0].fields[-1].header == "% of oracle gain"
    assert [row[0] for row in shown[2].rows] == ["x", "y", "z"]
    assert {row[0] for row in shown[3].rows} == {"A", "B", "C"}


def test_spans_have_precision_and_recall_beside_f1() -> None:
    given = {"a": [["B-A", "O"]], "b": [["B-A", "B-B"]]}
    finding = combine([["B-A", "B-B"]], given, task="span", resamples=0).finding
    shown = finding.tables()
    assert [each.header for each in shown[0].fields][:4] == ["system", "f1", "precision", "recall"]
    by_name = {row[0]: row[1:4] for row in shown[0].rows}
    assert by_name["union"] == (1.0, 1.0, 1.0)
    assert by_name["intersection"] == (2 / 3, 1.0, 0.5)
    assert by_name["oracle"] == (1.0, None, None)
    assert [row[1] for row in shown[1].rows if row[0] in {"majority", "tag-vote"}] == ["span vote", "tag vote"]
    assert any(note.startswith("not tried: weighted: it was tuned on nothing") for note in shown[0].notes)


def test_few_documents_say_why_there_is_no_test() -> None:
    key, systems = tagged(4)
    finding = combine(key, systems, task="tag", resamples=50).finding
    assert {each.test for each in finding.methods} == {"n/a: fewer than 6 units"}
    assert "no test: n/a: fewer than 6 units" in str(finding)


def test_choices_that_differ_by_fold_are_counted() -> None:
    key, systems = tagged(10, seed=2)
    finding = combine(key, systems, task="tag", methods=["per-label"], resamples=0).finding
    (ensemble,) = finding.methods
    assert all(len(choice.runs) == len(choice.f1) == 5 for choice in ensemble.choices)
    rows = {row[0]: row[1] for row in finding.tables()[-1].rows}
    for choice in ensemble.choices:
        if len(set(choice.runs)) == 1:
            assert rows[choice.label] == choice.runs[0]
        else:
            assert all(f"{run} ({choice.runs.count(run)})" in rows[choice.label] for run in choice.runs)
