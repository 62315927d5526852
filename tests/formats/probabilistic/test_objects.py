"""The same records as Python data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import comparanda as cp
from comparanda.formats.contract import Request
from comparanda.formats.objects import read_object
from tests.formats.corpora import refusal
from tests.formats.probabilistic.files import block, document, entity, read, weights, worlds

KEY = [document(spans=[{"begin": 8, "end": 16, "label": "LOC"}])]
RECORDS = [
    document(blocks=[block(entity(8, 16, "LOC", 0.3), entity(8, 21, "ORG", 0.6))]),
    document(doc="e", nbest=[{"p": 0.5, "spans": [(0, 4, "PER")]}]),
    document(doc="f", overlap="condition", entities=[entity(0, 5, "A", 0.5), entity(3, 8, "B", 0.5)]),
    document(doc="g", tokens=[{"start": 0, "end": 4, "probs": {"B-PER": 0.7, "O": 0.3}}]),
]


def objects(given: Any, **options: str) -> Any:
    return read_object(given, Request(side="s", options=options, layer="beliefs"), "tokens")


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["doc"])
def test_objects_are_read_like_lines(record: dict[str, Any]) -> None:
    mine, theirs = objects([record]), read(record)
    assert (weights(mine), worlds(mine)) == (weights(theirs), worlds(theirs))
    assert theirs.beliefs is not None
    assert mine.beliefs.policies == theirs.beliefs.policies
    assert mine.format == "python"


def test_all_of_them_at_once_and_as_they_come() -> None:
    def some() -> Iterator[dict[str, Any]]:
        yield from RECORDS

    assert objects(some()).beliefs.weight.tolist() == objects(RECORDS).beliefs.weight.tolist()


def test_from_objects_to_scores() -> None:
    result = cp.compare(KEY, {"s": RECORDS[:1]}, task="prob", resamples=0)
    assert result.scores("expected_recall").value("s") == pytest.approx(0.3)
    certain = cp.compare(KEY, {"s": KEY}, task="prob", resamples=0)
    assert certain.scores("expected_precision").value("s") == 1.0


def test_numbers_of_any_kind() -> None:
    given = {
        "doc": "d",
        "entities": ({"start": np.int64(0), "end": np.int32(4), "label": "PER", "score": np.float32(0.5)},),
    }
    assert weights(objects([given])) == {(0, 4, "PER"): 0.5}


def test_spans_with_scores_are_probable_and_others_certain() -> None:
    scored = [document(spans=[{"begin": 0, "end": 4, "label": "PER", "score": 0.6}])]
    assert weights(objects(scored)) == {(0, 4, "PER"): 0.6}
    assert objects(scored, score="none").beliefs is None
    assert objects(KEY).beliefs is None
    assert objects([["B-PER", "O"]]).beliefs is None


@pytest.mark.parametrize(
    ("logs", "said"),
    [
        ((float("nan"), -1.0), "'nbest[0].logp' is nan, which is not a logarithm"),
        ((-1.0, float("inf")), "'nbest[1].logp' is inf, which is not a logarithm"),
        ((float("-inf"),) * 2, "the analyses of 'nbest' are all impossible: their logarithms are minus infinity"),
    ],
)
def test_logarithms_that_are_none(logs: tuple[float, ...], said: str) -> None:
    given = [document(nbest=[{"logp": log, "spans": []} for log in logs])]
    assert refusal(objects, given) == f"<s>:1: {said}"


def test_what_is_impossible_is_no_world() -> None:
    given = [{"logp": 0.0, "spans": [(0, 4, "PER")]}, {"logp": float("-inf"), "spans": [(8, 16, "LOC")]}]
    corpus = objects([document(nbest=given)])
    assert weights(corpus) == {(0, 4, "PER"): 1.0, (8, 16, "LOC"): 0.0}
    assert len(worlds(corpus)) == 1


@pytest.mark.parametrize(
    "record",
    [
        document(text="An\0na", entities=[]),
        {"doc": "d", "tokens": ["An\ud800na"], "entities": []},
        {"doc": "d", "tokens": ["Anna"], "entities": [entity(0, 1, "P\0", 0.5)]},
    ],
)
def test_what_no_file_could_hold_is_refused(record: dict[str, Any]) -> None:
    assert refusal(objects, [record | {"overlap": "exclusive", "blocks": None}]).startswith("<s>:1: ")


def test_errors_name_the_record() -> None:
    bad = [RECORDS[0], document(doc="x", entities=[entity(0, 4, "PER", float("nan"))])]
    assert refusal(objects, bad) == (
        "<s>:2: 'entities[0].score' is NaN, which is not a probability\n  give every probability a value"
    )
    wrong = [document(doc="x", entities=[{**entity(0, 4, "PER", 0.5), "start": "0"}])]
    assert refusal(objects, wrong) == "<s>:1: 'entities[0].start' is a string, not an integer"
