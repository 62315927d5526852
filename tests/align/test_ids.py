"""Rows of classification files are found by their ids."""

from __future__ import annotations

import pytest

from comparanda import AlignError
from comparanda.align import NONE, align_responses
from tests.align.shown import notes, to_response
from tests.tasks.corpora import table


def test_rows_of_a_table_are_matched_by_id() -> None:
    key = table("key", {"1": "A", "2": "B", "3": "C"})
    assert to_response(align_responses(key, [table("x", {"3": "A", "1": "B", "2": "C"})])) == [1, 2, 0]
    with pytest.raises(AlignError, match="1 of the key's ids missing"):
        align_responses(key, [table("x", {"1": "A", "2": "B"})])
    aligned = align_responses(key, [table("x", {"4": "A", "2": "B"})], missing="empty")
    assert to_response(aligned) == [NONE, 1, NONE]
    assert notes(aligned) == ["x: ids of the key missing here: 2 (1, 3)", "x: ids not in the key, ignored: 1 (4)"]


def test_ids_that_some_response_lacks_can_be_left_out() -> None:
    key = table("key", {"1": "A", "2": "B", "3": "C"})
    responses = [table("x", {"1": "A", "2": "B"}), table("y", {"3": "A", "2": "B"})]
    common = align_responses(key, responses, missing="intersection")
    assert common.kept is not None
    assert common.kept.tolist() == [1]


def test_ids_are_never_laid_over_each_other_by_their_characters() -> None:
    with pytest.raises(AlignError, match="1 of the key's ids missing"):
        align_responses(table("key", {"12": "A"}), [table("x", {"1": "A", "2": "B"})])
