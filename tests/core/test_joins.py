"""Joins find the pairs that a look at every pair finds, however large the numbers are."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest

from comparanda.core.extents import place_on_line
from comparanda.core.joins import Intervals, equal_pairs, expand_ranges, is_among, is_sorted, pack_columns
from comparanda.core.text_columns import Rows

LARGE = 1 << 50
"""More than 1e15: positions up to here, in some thousand documents, are too many to be numbered one by one."""


def pairs_of(found: tuple[Rows, Rows]) -> list[tuple[int, int]]:
    return list(zip(found[0].tolist(), found[1].tolist(), strict=True))


def random_columns(random: Random, sizes: tuple[int, int], values: list[list[int]]) -> list[list[Rows]]:
    return [[np.array(random.choices(each, k=size), np.int64) for each in values] for size in sizes]


def test_packed_keys_are_equal_where_all_columns_are_and_in_their_order() -> None:
    small, large = [0, 1, 2], [0, 1, LARGE - 1, LARGE]
    some = [[-1, 0, 3], [0, 1 << 13, 1 << 14], large, small, [0, 1, 1 << 61]]
    for seed in range(300):
        random = Random(seed)
        values = random.choices(some, k=random.randint(1, 4))
        sides = random_columns(random, (random.randint(0, 6), random.randint(1, 6)), values)
        keys = np.concatenate(pack_columns(sides)).tolist()
        rows = [row for side in sides for row in zip(*(each.tolist() for each in side), strict=True)]
        for (one, mine), (other, theirs) in product(zip(rows, keys, strict=True), repeat=2):
            assert (one < other, one == other) == (mine < theirs, mine == theirs), (seed, one, other)


def test_packed_keys_that_overflow_do_not_meet() -> None:
    # as bare products the keys of (0, 7) and (16384, 7) would be 0 · 2⁵⁰ + 7 and 2¹⁴ · 2⁵⁰ + 7 = 2⁶⁴ + 7: equal
    documents, begins = np.array([0, 1 << 14, 0]), np.array([7, 7, LARGE - 1])
    left, right = pack_columns([[documents, begins], [np.array([0]), np.array([0])]])
    assert len(set(left.tolist())) == 3
    assert not is_among(right, left).any()


def test_packed_keys_of_numbers_with_fractions_are_their_ranks() -> None:
    (left, right) = pack_columns([[np.array([0.5, 1.5])], [np.array([1.5, 1.0])]])
    assert left.tolist() == [0, 2]
    assert right.tolist() == [2, 1]


def test_ranges_are_laid_end_to_end() -> None:
    for seed in range(50):
        random = Random(seed)
        ranges = [(random.randint(0, 5), random.randint(0, 5)) for _ in range(random.randint(0, 5))]
        low, high = (np.array([each[side] for each in ranges], np.int64) for side in (0, 1))
        expected = [(owner, place) for owner, (begin, end) in enumerate(ranges) for place in range(begin, end)]
        assert pairs_of(expand_ranges(low, high)) == expected


def test_equal_pairs_are_those_of_a_look_at_every_pair() -> None:
    for seed in range(200):
        random = Random(seed)
        left, right = (np.array(random.choices(range(5), k=random.randint(0, 7)), np.int64) for _ in range(2))
        expected = [(i, j) for i, j in product(range(len(left)), range(len(right))) if left[i] == right[j]]
        assert pairs_of(equal_pairs(left, right)) == expected
        assert is_among(left, right).tolist() == [value in right.tolist() for value in left.tolist()]


def test_sorted_is_what_never_falls() -> None:
    assert is_sorted(np.array([], np.int64))
    assert is_sorted(np.array([1, 1, 2]))
    assert not is_sorted(np.array([1, 2, 1]))


Span = tuple[int, int, int, int]
"""Document, begin, end and group."""


def overlap(first: Span, second: Span) -> bool:
    """Half-open: touching is none; an empty span overlaps what strictly contains or equals it."""
    (doc, a, b, group), (other, c, d, another) = first, second
    return (doc, group) == (other, another) and ((a < d and c < b) or (a, b) == (c, d))


def intervals(spans: tuple[list[Span], list[Span]], room: int, *, groups: bool) -> Intervals:
    sides, codes = [], []
    for side in spans:
        document, begin, end, group = (np.array([each[place] for each in side], np.int64) for place in range(4))
        sides.append(place_on_line(document, begin, end, room))
        codes.append(group)
    return Intervals(sides[0], sides[1], (codes[0], codes[1]) if groups else None)


def check_intervals(spans: tuple[list[Span], list[Span]], room: int, *, groups: bool) -> None:
    found = intervals(spans, room, groups=groups)
    left, right = spans
    expected = [(i, j) for i, j in product(range(len(left)), range(len(right))) if overlap(left[i], right[j])]
    pairs = pairs_of(found.pairs())
    assert sorted(pairs) == expected, spans
    assert [one for one, _ in pairs] == [one for one, _ in expected], spans
    assert found.counts().tolist() == [sum(i == place for i, _ in expected) for place in range(len(left))], spans


def random_spans(random: Random, documents: list[int], positions: list[int], groups: int) -> list[Span]:
    spans = []
    for _ in range(random.randint(0, 9)):
        begin = random.choice(positions)
        length, group = random.choice([0, 0, 1, 1, 2, 3]), random.randrange(groups)
        spans.append((random.choice(documents), begin, begin + length, group))
    return random.choice([spans, sorted(spans)])


@pytest.mark.parametrize("groups", [1, 3])
def test_overlaps_are_those_of_a_look_at_every_pair(groups: int) -> None:
    for seed in range(400):
        random = Random(seed)
        left, right = (random_spans(random, [0, 1, 2], [0, 1, 2, 3, 4], groups) for _ in range(2))
        check_intervals((left, right), 20, groups=groups > 1)


def test_overlaps_are_found_far_from_the_begin_of_long_documents() -> None:
    for seed in range(200):
        random = Random(seed)
        documents, positions = [0, 1, 500, 1000], [0, 1, 2, LARGE - 6, LARGE - 5, LARGE - 4]
        left, right = (random_spans(random, documents, positions, 3) for _ in range(2))
        check_intervals((left, right), 2 * LARGE + 2, groups=True)


def test_groups_whose_numbers_are_too_large_are_told_apart() -> None:
    # as a bare product, group 8 would be moved by 8 · (2⁶¹ − 1), which is −8: next to group 0
    last = (1023, LARGE - 1, LARGE - 1, 0)
    left = [(0, 0, 0, 0), last, (0, 10, 12, 0)]
    right = [(0, 14, 16, 8), (0, 10, 11, 0)]
    check_intervals((left, right), 2 * LARGE, groups=True)


def test_many_groups_on_a_long_line_are_told_apart() -> None:
    left = [(0, 0, 0, 0), (1023, LARGE - 1, LARGE - 1, 0), (0, 10, 12, 0)]
    right = [(0, 14, 16, 8), *((0, 100 * group, 100 * group, group) for group in range(1, 8))]
    check_intervals((left, right), 2 * LARGE, groups=True)
