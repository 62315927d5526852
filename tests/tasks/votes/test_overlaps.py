"""Of spans that overlap, the strongest: as taking them one by one."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from comparanda.align.span_positions import PlacedSpans
from comparanda.core.corpus import Fragments
from comparanda.core.text_columns import TextColumn
from comparanda.tasks.spans.votes import select_strongest
from tests.seeds import draws

Pieces = list[tuple[int, int]]


def overlap(one: Pieces, other: Pieces) -> bool:
    """DEFINITIONS 1: touching is none; a span without length overlaps what strictly contains or equals it."""
    for begin, end in one:
        for low, high in other:
            if begin == end or low == high:
                inner, outer = ((begin, end), (low, high)) if begin == end else ((low, high), (begin, end))
                if inner == outer or outer[0] < inner[0] < outer[1]:
                    return True
            elif begin < high and low < end:
                return True
    return False


def placed(spans: list[tuple[int, Pieces]]) -> PlacedSpans:
    pieces = [(number, *piece) for number, (_, each) in enumerate(spans) if len(each) > 1 for piece in each]
    table = np.array(pieces, np.int64).reshape(-1, 3)
    return PlacedSpans(
        document=np.array([document for document, _ in spans], np.int64),
        begin=np.array([each[0][0] for _, each in spans], np.int64),
        end=np.array([each[-1][1] for _, each in spans], np.int64),
        label=TextColumn.constant("X", len(spans)),
        given=np.arange(len(spans)),
        fragments=Fragments(*table.T) if len(table) else None,
    )


def one_by_one(spans: list[tuple[int, Pieces]], votes: list[int]) -> list[int]:
    def rank(number: int) -> tuple[int, int, int, int, int]:
        document, pieces = spans[number]
        return -votes[number], -sum(end - begin for begin, end in pieces), document, pieces[0][0], number

    taken: list[int] = []
    for number in sorted(range(len(spans)), key=rank):
        if not any(
            spans[other][0] == spans[number][0] and overlap(spans[other][1], spans[number][1]) for other in taken
        ):
            taken.append(number)
    return sorted(taken)


@given(st.integers(0, 10**9))
@settings(max_examples=draws(150), deadline=None)
def test_taking_them_one_by_one_gives_the_same(seed: int) -> None:
    chance = random.Random(seed)
    spans: list[tuple[int, Pieces]] = []
    for _ in range(chance.randint(0, 9)):
        cuts = sorted(chance.sample(range(12), 2 * chance.choice([1, 1, 1, 2])))
        if chance.random() < 0.15:
            cuts = [cuts[0], cuts[0]]
        spans.append((chance.randint(0, 1), list(zip(cuts[::2], cuts[1::2], strict=True))))
    spans.sort(key=lambda span: (span[0], span[1][0][0], span[1][-1][1]))
    votes = [chance.randint(1, 3) for _ in spans]
    assert select_strongest(placed(spans), np.array(votes, np.int64)).tolist() == one_by_one(spans, votes)


def test_spans_that_touch_do_not_overlap() -> None:
    spans: list[tuple[int, Pieces]] = [(0, [(0, 2)]), (0, [(2, 4)]), (1, [(0, 2)])]
    assert select_strongest(placed(spans), np.array([1, 1, 1])).tolist() == [0, 1, 2]
