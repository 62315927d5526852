"""Maps between rows, and values that are carried along them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from comparanda.align import NONE, RowMap, Surplus, values_on_key
from comparanda.align.maps import row_map
from tests.findings.populations import identity


@identity(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.data())
def test_values_are_carried_to_the_keys_rows(values: list[int], data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(-1, len(values) - 1), max_size=8))
    carried = values_on_key(np.array(values), RowMap(None, np.array(places, dtype=np.int64)), 99)
    assert carried.tolist() == [99 if place == NONE else values[place] for place in places]


def test_an_empty_response_is_absent_everywhere() -> None:
    empty = RowMap(np.zeros(0, np.int64), np.array([NONE, NONE]))
    assert values_on_key(np.zeros(0, np.int64), empty, 7).tolist() == [7, 7]


def test_pairs_of_equal_rows_are_the_identity_only_if_they_are_all() -> None:
    rows = np.arange(2)
    assert row_map(2, 2, rows, rows).identity
    for sizes in ((3, 2), (2, 3)):
        assert not row_map(*sizes, rows, rows).identity
    assert not row_map(2, 2, rows, rows[::-1]).identity


def test_a_word_without_a_counterpart_stands_near_a_word_of_the_key() -> None:
    assert RowMap().near(3).tolist() == [0, 1, 2]
    found = row_map(2, 3, np.array([1]), np.array([2]))
    assert found.near(3).tolist() == [NONE, NONE, 1]
    one = np.array([1])
    surplus = Surplus(np.array([0]), np.array([1]), one, one)
    assert RowMap(found.to_key, found.to_response, surplus).near(3).tolist() == [1, NONE, 1]
