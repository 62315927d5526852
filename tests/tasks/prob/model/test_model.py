"""Blocks and worlds taken apart and numbered anew."""

from __future__ import annotations

import numpy as np

from comparanda.core.probabilities import Beliefs, Worlds


def beliefs() -> Beliefs:
    """Three blocks of two tuples each; in the last, both can be true together."""
    worlds = Worlds(np.array([2, 2, 2]), np.array([0.5, 0.25, 0.125]), np.array([0, 2, 3, 4]), np.array([5, 4, 5, 4]))
    return Beliefs(
        weight=np.array([0.5, 0.25, 0.75, 0.25, 0.625, 0.75]),
        entity=np.array([0.5, 0.25, 1.0, 1.0, 0.625, 0.75]),
        alternative=np.array([4, 7, 9, 9, 1, 0]),
        block=np.array([0, 0, 1, 1, 2, 2]),
        nothing=np.array([0.25, 0.0, 0.125]),
        worlds=worlds,
    )


def test_blocks_and_spans_are_numbered_as_they_appear() -> None:
    found = beliefs().take(np.array([4, 5, 1, 0])).numbered()
    assert found.block.tolist() == [0, 0, 1, 1]
    assert found.alternative.tolist() == [0, 1, 2, 3]
    assert found.nothing.tolist() == [0.125, 0.25]
    assert found.exclusive.tolist() == [False, True]
    assert found.worlds is not None
    assert found.worlds.block.tolist() == [0, 0, 0]
    assert found.worlds.member.tolist() == [0, 1, 1, 0]


def test_labels_of_one_span_stay_together() -> None:
    assert beliefs().take(np.array([2, 3])).numbered().alternative.tolist() == [0, 0]


def test_blocks_without_tuples_are_gone_with_their_worlds() -> None:
    found = beliefs().take(np.array([2, 3])).numbered()
    assert (found.nothing.tolist(), found.worlds) == ([0.0], None)
    assert len(beliefs().take(np.array([], np.int64)).numbered().nothing) == 0


def test_worlds_that_are_the_same_without_a_tuple_are_added() -> None:
    """Without the fifth tuple the first two worlds have the sixth alone, and the third has nothing."""
    found = beliefs().take(np.array([0, 1, 2, 3, 5])).numbered().worlds
    assert found is not None
    assert found.offsets.tolist() == [0, 1, 2, 2]
    distinct = found.distinct()
    assert distinct.block.tolist() == [2]
    assert distinct.probability.tolist() == [0.75]
    assert distinct.member.tolist() == [4]
    assert distinct.offsets.tolist() == [0, 1]


def test_worlds_that_differ_stay_as_they_are() -> None:
    given = beliefs().numbered().worlds
    assert given is not None
    found = given.distinct()
    for column in ("block", "probability", "offsets", "member"):
        assert np.array_equal(getattr(found, column), getattr(given, column))
