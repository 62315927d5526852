"""Tuples on the key's ground: each once, block by block, right or wrong, decided or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import comparanda as cp
from comparanda.core.candidates import Candidates
from comparanda.errors import ReadError, UsageError

TEXT = "He read the New York Times in Paris."
TIMES, YORK, PARIS = (12, 26), (12, 20), (30, 35)
SPANS = [{"begin": 12, "end": 26, "label": "ORG"}, {"begin": 30, "end": 35, "label": "LOC"}]
KEY = {"id": "d", "text": TEXT, "spans": SPANS}


def alternative(where: tuple[int, int], p: float, **labels: float) -> dict[str, Any]:
    return {"start": where[0], "end": where[1], "p": p, "labels": labels}


def result(folder: Path, *blocks: list[dict[str, Any]], **settings: Any) -> cp.Result:
    record = {"doc": "d", "text": TEXT, "blocks": [{"alternatives": block} for block in blocks]}
    (folder / "key.jsonl").write_text(json.dumps(KEY))
    (folder / "out.jsonl").write_text(json.dumps(record))
    return cp.compare(folder / "key.jsonl", {"out": folder / "out.jsonl"}, task="prob", resamples=0, **settings)


def tuples(found: cp.Result) -> list[tuple[str, str, float, bool, bool]]:
    (run,) = found.verdicts.view().candidates or ()
    assert isinstance(run, Candidates)
    return [
        (
            str(run.text[row]),
            run.names[run.label[row]],
            round(float(run.beliefs.weight[row]), 6),
            bool(run.correct[row]),
            bool(run.decided[row]),
        )
        for row in range(len(run))
    ]


BOTH = [alternative(YORK, 0.3, LOC=1.0), alternative(TIMES, 0.6, ORG=0.9, LOC=0.1)]
CITY = [alternative(PARIS, 0.9, PER=0.5, LOC=0.4)]


def test_each_tuple_is_right_or_wrong_and_one_of_a_block_is_decided(tmp_path: Path) -> None:
    assert sorted(tuples(result(tmp_path, BOTH, CITY))) == [
        ("New York", "LOC", 0.3, False, False),
        ("New York Times", "LOC", 0.06, False, False),
        ("New York Times", "ORG", 0.54, True, True),
        ("Paris", "LOC", 0.36, True, False),
        ("Paris", "PER", 0.45, False, True),
    ]


def test_labels_that_are_mapped_to_one_are_added(tmp_path: Path) -> None:
    found = result(tmp_path, BOTH, CITY, maps={"all": {"PER": "LOC"}})
    assert ("Paris", "LOC", 0.81, True, True) in tuples(found)
    assert len(tuples(found)) == 4


def test_what_weighs_too_little_is_not_decided(tmp_path: Path) -> None:
    decided = [each[:2] for each in tuples(result(tmp_path, BOTH, CITY, min_weight=0.5)) if each[4]]
    assert decided == [("New York Times", "ORG")]
    with pytest.raises(UsageError, match="expected a number from 0 to 1"):
        result(tmp_path, BOTH, min_weight=1.5)


def test_labels_left_out_are_rivals_all_the_same(tmp_path: Path) -> None:
    left = result(tmp_path, BOTH, CITY, ignore_label=["PER"])
    assert ("Paris", "LOC", 0.36, True, False) in tuples(left)
    assert {label for _, label, *_ in tuples(left)} == {"LOC", "ORG"}
    every, chosen = result(tmp_path, BOTH, CITY), result(tmp_path, BOTH, CITY, only_label=["LOC"])
    for measure in ("f1", "recall", "expected_precision", "expected_recall", "expected_f1", "e100"):
        (whole,), (part,) = every.scores(f"{measure}[LOC]").scores, chosen.scores(measure).scores
        assert whole.value == part.value, measure
    assert any("spans left out by their label, on all sides: 3" in str(note) for note in chosen.notes)


def test_a_tuple_that_maps_bring_into_two_blocks_is_refused(tmp_path: Path) -> None:
    one, other = [alternative(PARIS, 0.5, LOC=1.0)], [alternative(PARIS, 0.4, PER=1.0)]
    with pytest.raises(ReadError, match="is in two blocks"):
        result(tmp_path, one, other, maps={"all": {"PER": "LOC"}})


def test_spans_without_probabilities_are_certain_and_each_counts_once(tmp_path: Path) -> None:
    twice = {**KEY, "spans": [*SPANS, SPANS[0], {"begin": 3, "end": 7, "label": "PER"}]}
    (tmp_path / "key.jsonl").write_text(json.dumps(KEY))
    (tmp_path / "out.jsonl").write_text(json.dumps(twice))
    found = cp.compare(tmp_path / "key.jsonl", {"out": tmp_path / "out.jsonl"}, task="prob", resamples=0)
    assert [each[2:] for each in tuples(found)] == [(1.0, False, True), (1.0, True, True), (1.0, True, True)]
    assert any("counted once: 1" in str(note) for note in found.notes)
    scores = {each.measure: each.value for each in found.scores().scores}
    assert scores["expected_precision"] == scores["precision"] == pytest.approx(2 / 3)
    assert scores["expected_recall"] == scores["recall"] == scores["e100"] == 1


def test_policies_and_decisions_are_in_the_signature(tmp_path: Path) -> None:
    assert (
        "|decide:hierarchical|min_weight:0.2|"
        in result(tmp_path, BOTH, decide="hierarchical", min_weight=0.2).signature
    )


def test_a_key_must_be_certain(tmp_path: Path) -> None:
    result(tmp_path, BOTH)
    with pytest.raises(ReadError, match="not certain"):
        cp.compare(tmp_path / "out.jsonl", {"out": tmp_path / "out.jsonl"}, task="prob", resamples=0)


def test_scores_of_a_key_are_no_probabilities(tmp_path: Path) -> None:
    result(tmp_path, BOTH, CITY)
    sure = {**KEY, "spans": [{**span, "score": 0.5} for span in SPANS]}
    (tmp_path / "key.jsonl").write_text(json.dumps(sure))
    found = cp.compare(tmp_path / "key.jsonl", {"out": tmp_path / "out.jsonl"}, task="prob", resamples=0)
    assert {each.measure: each.value for each in found.scores().scores}["recall"] == 0.5


def test_other_tasks_have_no_probabilities(tmp_path: Path) -> None:
    (tmp_path / "key.jsonl").write_text(json.dumps(KEY))
    for settings in ({"beliefs": {"overlap": "condition"}}, {"decide": "tuple"}, {"min_weight": 0.5}):
        with pytest.raises(UsageError, match="the task 'span' has no"):
            cp.compare(tmp_path / "key.jsonl", {"out": tmp_path / "key.jsonl"}, task="span", **settings)
    with pytest.raises(UsageError, match="did you mean 'overlap'"):
        cp.compare(
            tmp_path / "key.jsonl", {"out": tmp_path / "key.jsonl"}, task="prob", beliefs={"overlab": "condition"}
        )


def test_an_entity_that_the_key_has_twice_counts_once(tmp_path: Path) -> None:
    result(tmp_path, BOTH, CITY)
    (tmp_path / "key.jsonl").write_text(json.dumps({**KEY, "spans": [*SPANS, *SPANS]}))
    found = cp.compare(tmp_path / "key.jsonl", {"out": tmp_path / "out.jsonl"}, task="prob", resamples=0)
    scores = {each.measure: each.value for each in found.scores().scores}
    assert (scores["recall"], scores["e100"]) == (0.5, 1.0)
    assert scores["expected_recall"] == pytest.approx(0.45)
    assert any("key: spans given more than once, counted once: 2" in str(note) for note in found.notes)
