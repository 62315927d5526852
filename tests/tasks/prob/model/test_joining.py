"""Beliefs laid end to end, and tuples that are the same."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from comparanda.core.probabilities import Beliefs, Worlds, first_equals, independent_beliefs, side_by_side


def chained() -> Beliefs:
    """Three tuples, the first and the last of which can be true together."""
    half, rows = np.full(3, 0.5), np.arange(3)
    worlds = Worlds(np.zeros(2, np.int64), np.full(2, 0.5), np.array([0, 2, 3]), np.array([0, 2, 1]))
    return Beliefs(
        weight=half, entity=half, alternative=rows, block=np.zeros(3, np.int64), nothing=np.zeros(1), worlds=worlds
    )


def test_parts_have_nothing_to_do_with_each_other() -> None:
    found = side_by_side(
        [independent_beliefs(np.array([0.9])), chained(), independent_beliefs(np.array([0.2])), chained()]
    )
    assert found.weight.tolist() == [0.9, 0.5, 0.5, 0.5, 0.2, 0.5, 0.5, 0.5]
    assert found.block.tolist() == [0, 1, 1, 1, 2, 3, 3, 3]
    assert found.alternative.tolist() == list(range(8))
    assert found.nothing.round(9).tolist() == [0.1, 0, 0.8, 0]
    worlds = found.worlds
    assert worlds is not None
    assert (worlds.block.tolist(), worlds.offsets.tolist()) == ([1, 1, 3, 3], [0, 2, 3, 5, 6])
    assert worlds.member.tolist() == [1, 3, 2, 5, 7, 6]


def test_nothing_laid_end_to_end_is_nothing() -> None:
    assert len(side_by_side([])) == 0
    assert side_by_side([independent_beliefs(np.zeros(0))]).worlds is None


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2))))
def test_first_equals_are_the_first(rows: list[tuple[int, int]]) -> None:
    one, other = (np.array([row[side] for row in rows], np.int64) for side in (0, 1))
    assert first_equals(one, other).tolist() == [rows.index(row) for row in rows]
