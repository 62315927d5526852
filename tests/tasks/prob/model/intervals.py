"""Random spans, and what is true of all sets of them: by trying every set, however slow."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

from hypothesis import strategies as st

Interval = tuple[int, int]
"""Begin and end; longer than nothing."""


def apart(one: Interval, other: Interval) -> bool:
    """Whether two spans do not overlap."""
    return one[1] <= other[0] or other[1] <= one[0]


def sets(spans: list[Interval]) -> Iterator[tuple[int, ...]]:
    """Give all sets of spans no two of which overlap, the empty one first."""
    for size in range(len(spans) + 1):
        for chosen in combinations(range(len(spans)), size):
            if all(apart(spans[one], spans[other]) for one, other in combinations(chosen, 2)):
                yield chosen


def given_no_overlap(spans: list[Interval], scores: list[float]) -> dict[tuple[int, ...], float]:
    """Return how probable each set is if scores are independent and no two of its spans may overlap."""
    odds = {each: math.prod(scores[span] / (1 - scores[span]) for span in each) for each in sets(spans)}
    total = sum(odds.values())
    return {each: value / total for each, value in odds.items()}


def fullest(spans: list[Interval], scores: list[float]) -> float:
    """Return the most that spans weigh together which share a character."""
    places = range(max((end for _, end in spans), default=0))
    holding = ([span for span, (begin, end) in enumerate(spans) if begin <= place < end] for place in places)
    return max((sum(scores[span] for span in each) for each in holding), default=0.0)


@st.composite
def scored_spans(draw: st.DrawFn, most: int = 6) -> tuple[list[Interval], list[float]]:
    """Draw spans by their begins, with scores above 0 and below 1."""
    count = draw(st.integers(1, most))
    begins = sorted(draw(st.lists(st.integers(0, 8), min_size=count, max_size=count)))
    spans = [(begin, begin + draw(st.integers(1, 5))) for begin in begins]
    return spans, [draw(st.integers(1, 99)) / 100 for _ in spans]
