"""What questions are about: same texts, scopes, and the state before the first question."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from comparanda.core.text_columns import TextColumn
from comparanda.feedback.field import field_of
from tests.feedback.fields import drawn, field, listed

ONE = [(0.5, [(1.0, True)])]


def test_texts_are_the_same_whatever_case_space_and_composition() -> None:
    texts = ["New York", "new  YORK", "Café", "Cafe\u0301", "CAFE\u0301\u00a0", "Newyork"]
    groups = field([ONE] * 6, texts=texts).groups.tolist()
    assert [groups.index(each) for each in groups] == [0, 0, 2, 2, 2, 5]


def test_a_text_and_a_label_are_one_pair() -> None:
    two = [(0.8, [(0.5, True), (0.5, False)])]
    made = field([two, two, ONE], texts=["a", "A", "b"])
    assert made.candidates.label.tolist() == [0, 1, 0, 1, 0]
    pairs = made.pairs.tolist()
    assert [pairs.index(each) for each in pairs] == [0, 1, 0, 1, 4]


def test_a_span_is_in_the_key_with_any_label_that_a_tuple_has() -> None:
    made = field([[(0.8, [(0.5, False), (0.5, True)]), (0.1, [(1.0, False)])]])
    assert made.entity_spans.tolist() == [True, True, False]
    assert made.scope.all()


def test_that_a_span_is_in_the_key_can_be_said() -> None:
    made = field([ONE])
    told = field_of(made.candidates, 1, entity_spans=np.array([False]))
    assert not told.entity_spans.any()


def test_the_start_is_what_is_believed() -> None:
    made = drawn(3, 20)
    beliefs, start = made.candidates.beliefs, made.start
    assert start.weight == pytest.approx(beliefs.weight, abs=1e-15)
    assert start.entity[start.blocks.span] == pytest.approx(beliefs.entity, abs=1e-9)
    back = start.beliefs(beliefs)
    assert back.weight == pytest.approx(beliefs.weight, abs=1e-15)
    assert back.nothing.tolist() == beliefs.nothing.tolist()


def test_worlds_come_back_as_they_were() -> None:
    made = listed([(0.5, [0, 1]), (0.3, [1]), (0.1, [])], [True, False])
    back = made.start.beliefs(made.candidates.beliefs).worlds
    given = made.candidates.beliefs.worlds
    assert back is not None
    assert given is not None
    assert (back.block.tolist(), back.probability.tolist()) == (given.block.tolist(), given.probability.tolist())
    assert (back.offsets.tolist(), back.member.tolist()) == (given.offsets.tolist(), given.member.tolist())


def test_nothing_at_all_is_a_field() -> None:
    made = field([], 0)
    assert len(made) == 0
    assert made.groups.tolist() == made.pairs.tolist() == []


def test_a_field_knows_texts_that_no_tuple_has() -> None:
    made = field([ONE])
    run = replace(made.candidates, text=TextColumn(np.array([2]), ("x", "y", "z")))
    assert len(field_of(run).groups) == 1
