"""Ids of spans, taken apart: the first, all as one text, and one row for each."""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np
import pytest

from comparanda.core.text_columns import TextColumn
from comparanda.tasks.spans.evaluation import Ids, ids_of
from tests.seeds import seeds


class Plain(NamedTuple):
    """Ids as plain values."""

    first: list[str | None]
    whole: list[str | None]
    rows: list[tuple[int, int, str | None]]


def texts(column: TextColumn) -> list[str | None]:
    return [None if code == column.missing else column.names[code] for code in column.codes.tolist()]


def plain(ids: Ids) -> Plain:
    rows = zip(ids.of.tolist(), ids.rank.tolist(), texts(ids.id), strict=True)
    return Plain(texts(ids.first), texts(ids.accepted), list(rows))


def taken_apart(*given: str | None, same: dict[str, str] | None = None) -> Plain:
    return plain(ids_of(TextColumn.of(list(given)), len(given), same or {}))


def test_one_id_is_the_first_and_all() -> None:
    assert taken_apart("Q1", "Q2") == (["Q1", "Q2"], ["Q1", "Q2"], [(0, 1, "Q1"), (1, 1, "Q2")])


def test_several_ids_have_ranks_and_are_sorted_as_a_whole() -> None:
    assert taken_apart("Q2|Q1|Q3") == (["Q2"], ["Q1|Q2|Q3"], [(0, 1, "Q2"), (0, 2, "Q1"), (0, 3, "Q3")])


def test_a_span_without_ids_has_no_row() -> None:
    assert taken_apart(None, "Q1", None) == ([None, "Q1", None], ["NIL", "Q1", "NIL"], [(1, 1, "Q1")])


def test_nil_is_a_row_with_a_missing_id() -> None:
    assert taken_apart("NIL", "Q1|NIL", "NIL|Q1") == (
        [None, "Q1", None],
        ["NIL", "Q1", "Q1"],
        [(0, 1, None), (1, 1, "Q1"), (1, 2, None), (2, 1, None), (2, 2, "Q1")],
    )


def test_an_id_that_is_there_twice_counts_once_at_its_best_rank() -> None:
    assert taken_apart("Q1|Q2|Q1|Q3").rows == [(0, 1, "Q1"), (0, 2, "Q2"), (0, 3, "Q3")]


def test_ids_that_mean_the_same_are_one() -> None:
    same = {"Q1": "Q1", "Q5": "Q1"}
    assert taken_apart("Q5|Q2|Q1", "Q5", "Q2", same=same) == (
        ["Q1", "Q1", "Q2"],
        ["Q1|Q2", "Q1", "Q2"],
        [(0, 1, "Q1"), (0, 2, "Q2"), (1, 1, "Q1"), (2, 1, "Q2")],
    )


def test_a_side_that_says_nothing_of_ids_has_none() -> None:
    assert plain(ids_of(None, 2, {})) == ([None, None], ["NIL", "NIL"], [])


@pytest.mark.parametrize("column", [None, TextColumn.of([]), np.zeros(0)])
def test_there_may_be_no_spans(column: TextColumn | None) -> None:
    assert plain(ids_of(column, 0, {})) == ([], [], [])


def test_numbers_are_ids() -> None:
    assert plain(ids_of(np.array([42.0, np.nan, 7.0]), 3, {})).first == ["42", None, "7"]


def test_long_numbers_keep_all_their_digits() -> None:
    assert plain(ids_of(np.array([12345678.0, 12345679.0]), 2, {})).first == ["12345678", "12345679"]


def test_names_that_no_span_uses_give_no_rows() -> None:
    column = TextColumn(np.array([2, 2]), ("Q1|Q2", "Q3", "Q4"))
    assert plain(ids_of(column, 2, {})) == (["Q4", "Q4"], ["Q4", "Q4"], [(0, 1, "Q4"), (1, 1, "Q4")])


@pytest.mark.parametrize("seed", seeds(12, of=50))
def test_any_ids_are_taken_apart_as_by_hand(seed: int) -> None:
    draw = random.Random(seed)
    pool = ["Q1", "Q2", "Q3", "Q4", "NIL"]
    same = {"Q4": "Q1", "Q1": "Q1"} if draw.random() < 0.5 else {}
    given = [
        draw.choice([None, "|".join(draw.choice(pool) for _ in range(draw.randint(1, 4)))])
        for _ in range(draw.randint(0, 12))
    ]
    first: list[str | None] = []
    whole: list[str | None] = []
    rows: list[tuple[int, int, str | None]] = []
    for number, text in enumerate(given):
        names = [] if text is None else [same.get(each, each) for each in text.split("|")]
        ids = [None if each == "NIL" else each for each in dict.fromkeys(names)]
        first.append(ids[0] if ids else None)
        whole.append("|".join(sorted(each for each in ids if each)) or "NIL")
        rows += [(number, rank, each) for rank, each in enumerate(ids, start=1)]
    assert taken_apart(*given, same=same) == (first, whole, rows)
