"""`semeval2013` with a minimum overlap: the counts of nervaluate with its `min_overlap_percentage`."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import permutations, product
from typing import Any

import pytest
from nervaluate import strategies
from nervaluate.entities import Entity

import comparanda as cp
from tests.seeds import seeds
from tests.tasks.random_spans import counts, verdicts

Span = tuple[int, int, str]
Five = tuple[int, int, int, int, int]

STRATEGIES = {
    "strict": strategies.StrictEvaluation,
    "exact": strategies.ExactEvaluation,
    "partial": strategies.PartialEvaluation,
    "type": strategies.EntityTypeEvaluation,
}
PERCENTAGES = (1, 30, 50, 75, 100)
TEXT = "x" * 40


def theirs(view: str, percentage: float, key: Sequence[Span], system: Sequence[Span]) -> Five:
    """Return nervaluate's counts for spans in this order; its ends are inclusive."""
    sides = ([Entity(label, begin, end - 1) for begin, end, label in spans] for spans in (key, system))
    found, _ = STRATEGIES[view](percentage).evaluate(*sides, ["A", "B"])
    return found.correct, found.incorrect, found.partial, found.spurious, found.missed


def compared(documents: list[list[Span]], system: list[list[Span]], percentage: float) -> cp.Result:
    sides = (
        [
            {
                "id": f"{number:03}",
                "text": TEXT,
                "spans": [{"begin": b, "end": e, "label": each} for b, e, each in spans],
            }
            for number, spans in enumerate(side)
        ]
        for side in (documents, system)
    )
    key, other = sides
    parameters = {"min_overlap": percentage}
    return cp.compare(key, {"x": other}, task="span", rules="semeval2013", parameters=parameters, resamples=0)


def ours(result: cp.Result, view: str, number: int) -> Five:
    found = verdicts(result, view).get(number, Counter())
    right, wrong, partial, missed = (found.get((True, name), 0) for name in ("COR", "INC", "PAR", "MIS"))
    return right, wrong, partial, found.get((False, "SPU"), 0), missed


def flat(draw: random.Random) -> list[Span]:
    """Return up to four spans that do not overlap."""
    ends = sorted(draw.sample(range(len(TEXT)), 2 * draw.randint(0, 4)))
    return [(begin, end, draw.choice("AB")) for begin, end in zip(ends[::2], ends[1::2], strict=True)]


def nested(draw: random.Random) -> list[Span]:
    """Return up to three different spans anywhere."""
    found: set[Span] = set()
    for _ in range(draw.randint(0, 3)):
        begin = draw.randrange(12)
        found.add((begin, begin + draw.randint(1, 8), draw.choice("AB")))
    return sorted(found)


@pytest.mark.parametrize("percentage", PERCENTAGES)
@pytest.mark.parametrize("seed", seeds(1, of=6))
def test_spans_without_nesting_are_counted_as_by_nervaluate(seed: int, percentage: int) -> None:
    """Those of type are some that it gives: the only ones, if the order of its input does not matter."""
    draw = random.Random(seed)
    key, system = [flat(draw) for _ in range(30)], [flat(draw) for _ in range(30)]
    result = compared(key, system, percentage)
    for number, (gold, said) in enumerate(zip(key, system, strict=True)):
        for view in ("strict", "exact", "partial"):
            assert ours(result, view, number) == theirs(view, percentage, gold, said), (view, gold, said)
        possible = {
            theirs("type", percentage, *order) for order in product(permutations(gold[:4]), permutations(said[:4]))
        }
        assert ours(result, "type", number) in possible


@pytest.mark.parametrize("percentage", PERCENTAGES)
@pytest.mark.parametrize("seed", seeds(1, of=6))
def test_nested_spans_are_counted_as_by_nervaluate_in_one_of_their_orders(seed: int, percentage: int) -> None:
    draw = random.Random(seed)
    key, system = [nested(draw) for _ in range(30)], [nested(draw) for _ in range(30)]
    result = compared(key, system, percentage)
    for number, (gold, said) in enumerate(zip(key, system, strict=True)):
        for view in STRATEGIES:
            possible = {theirs(view, percentage, *order) for order in product(permutations(gold), permutations(said))}
            assert ours(result, view, number) in possible, (view, gold, said)


@pytest.mark.parametrize(("percentage", "right"), [(0, 1), (30, 1), (40, 1), (41, 0), (100, 0)])
def test_the_share_is_that_of_the_span_of_the_key(percentage: int, right: int) -> None:
    """4 of the 10 characters of the key's span are 40 %; that they are all of the system's span does not matter."""
    result = compared([[(0, 10, "A")]], [[(0, 4, "A")]], percentage)
    assert counts(result, "x", view="type") == (right, 1 - right, 1 - right)
    assert counts(result, "x", view="partial") == (right / 2, 1 - right / 2, 1 - right / 2)


def test_a_share_that_is_reached_exactly_is_enough() -> None:
    """nervaluate computes 29 of 100 as 28.999999999999996 %, which is less than 29."""
    spans: list[Any] = [[(0, 29, "A")]]
    long = [{"id": "000", "text": "x" * 100, "spans": [{"begin": 0, "end": 100, "label": "A"}]}]
    short = [{"id": "000", "text": "x" * 100, "spans": [{"begin": 0, "end": 29, "label": "A"}]}]
    result = cp.compare(
        long, {"x": short}, task="span", rules="semeval2013", parameters={"min_overlap": 29}, resamples=0
    )
    assert counts(result, "x", view="type") == (1, 0, 0)
    assert theirs("type", 29, [(0, 100, "A")], spans[0]) == (0, 0, 0, 1, 1)
