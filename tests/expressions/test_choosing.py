"""Many conditions on the same columns choose what each of them selects alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparanda.core.text_columns import Column, TextColumn
from comparanda.expressions import ExpressionError, Node, Scope, quote_string, scope_of, select, unparse
from comparanda.expressions.choice import Chooser
from comparanda.expressions.syntax import And, Comparison, ComparisonStep, Name, Text
from tests.seeds import draws

from .strategies import TEXTS, TYPES, tables, trees

equalities = st.builds(
    lambda name, text: Comparison(Name(name), (ComparisonStep("==", Text(text)),)),
    st.sampled_from([name for name, kind in TYPES.items() if kind == "text"]),
    st.sampled_from(TEXTS[:4]),
)
conjunctions = st.lists(equalities | trees("truth", 2), min_size=2, max_size=4).map(lambda parts: And(tuple(parts)))


@pytest.mark.slow
@settings(max_examples=draws(300), deadline=None)
@given(st.lists(equalities | conjunctions | trees("truth"), min_size=1, max_size=12), tables())
def test_a_chooser_chooses_what_select_selects(conditions: list[Node], table: tuple[dict[str, Column], int]) -> None:
    columns, length = table
    scope = Scope(types=TYPES, column=columns.__getitem__, length=length)
    chooser = Chooser(scope)
    for condition in map(unparse, conditions):
        assert chooser.rows(condition).tolist() == np.flatnonzero(select(condition, scope)).tolist()


def test_texts_under_several_codes_and_missing_ones_are_found_when_the_column_is_sorted() -> None:
    column = TextColumn(np.array([3, 1, 0, 2, 1, 3, 2]), ("a", "", "b", "a"), missing=1)
    chooser = Chooser(scope_of({"form": column}))
    for text in "vwxyz":  # from then on its rows are sorted by their texts
        assert chooser.rows(f"form == {quote_string(text)}").tolist() == []
    found = {text: chooser.rows(f"form == {quote_string(text)}").tolist() for text in ("a", "b", "", "c")}
    assert found == {"a": [0, 2, 5], "b": [3, 6], "": [], "c": []}


def test_each_column_is_asked_for_once() -> None:
    asked: list[str] = []

    def column(name: str) -> Column:
        asked.append(name)
        return TextColumn.of("abcabc")

    chooser = Chooser(Scope(types={"form": "text", "lemma": "text"}, column=column, length=6))
    for text in "abcdefgabc":
        chooser.rows(f"form == '{text}' and form == '{text}'")
        chooser.rows(f"form == '{text}' or form == 'a'")
    assert asked == ["form"]


def test_what_is_chosen_is_the_callers_own() -> None:
    chooser = Chooser(scope_of({"seen": np.array([True, True, False])}))
    chooser.rows("seen")[0] = 9
    assert chooser.rows("seen").tolist() == [0, 1]


@pytest.mark.parametrize("wrong", ["size", "nothing == 1", "seen and", "size == 'a'"])
def test_what_is_no_condition_is_refused_as_select_refuses_it(wrong: str) -> None:
    scope = scope_of({"size": np.array([1, 2]), "seen": np.array([True, False])})
    with pytest.raises(ExpressionError) as expected:
        select(wrong, scope)
    with pytest.raises(ExpressionError) as found:
        Chooser(scope).rows(wrong)
    assert str(found.value) == str(expected.value)
