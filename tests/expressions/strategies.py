"""Random trees that are right by type, and random columns for their names."""

from __future__ import annotations

from functools import cache
from math import isnan
from typing import Any

import numpy as np
from hypothesis import strategies as st

from comparanda.core.text_columns import Column, TextColumn
from comparanda.expressions import Type
from comparanda.expressions.syntax import (
    And,
    Arithmetic,
    ArithmeticStep,
    Call,
    Comparison,
    ComparisonStep,
    List,
    Name,
    Negative,
    Node,
    Not,
    Number,
    Or,
    Text,
    Truth,
)

TYPES: dict[str, Type] = {
    "form": "text",
    "meta.lemma": "text",
    "sent id": "text",
    "size": "number",
    "in": "number",
    "seen": "truth",
    "`odd\\": "truth",
}
TEXTS = ["", "a", "b", "A", "ab", "aB", "ba", "é", "日本", "a b", "'", '"', "\\", "\n", "\ud800", "\u202e"]
PATTERNS = ["a", "^a", "b$", "^[a-b]+$", "(a|B)b?", r"\bb", r"^\w{2}$", "^$", ".", r"[^a]"]

texts = st.sampled_from(TEXTS) | st.text(max_size=3)
whole_numbers = st.integers(0, 20) | st.integers(0, 2**53)
numbers = whole_numbers | st.floats(0, allow_infinity=False, allow_nan=False)


def names(type_: Type) -> st.SearchStrategy[Node]:
    return st.sampled_from([name for name, found in TYPES.items() if found == type_]).map(Name)


@cache
def trees(type_: Type, depth: int = 3) -> st.SearchStrategy[Node]:
    """Trees of a type, at most so many operators above each other."""
    leaves: dict[Type, st.SearchStrategy[Node]] = {
        "text": names("text") | texts.map(Text),
        "number": names("number") | numbers.map(Number),
        "truth": names("truth") | st.booleans().map(Truth),
    }
    if depth == 0:
        return leaves[type_]
    below = depth - 1
    branches: dict[Type, st.SearchStrategy[Node]] = {
        "text": call("lower", trees("text", below)),
        "number": st.deferred(lambda: number_operations(below)),
        "truth": st.deferred(lambda: conditions(below)),
    }
    return leaves[type_] | branches[type_]


def call(function: str, *arguments: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.tuples(*arguments).map(lambda values: Call(function, values))


def number_operations(below: int) -> st.SearchStrategy[Node]:
    inner = trees("number", below)
    return (
        inner.map(Negative)
        | call("abs", inner)
        | call("length", trees("text", below))
        | arithmetic(inner, "+-")
        | arithmetic(inner, "*/%")
    )


def arithmetic(inner: st.SearchStrategy[Node], signs: str) -> st.SearchStrategy[Node]:
    steps = st.builds(ArithmeticStep, st.sampled_from(signs), inner)
    return st.builds(Arithmetic, inner, st.lists(steps, min_size=1, max_size=3).map(tuple))


def conditions(below: int) -> st.SearchStrategy[Node]:
    inner, text = trees("truth", below), trees("text", below)
    operands = st.lists(inner, min_size=2, max_size=4).map(tuple)
    return (
        inner.map(Not)
        | operands.map(And)
        | operands.map(Or)
        | call("startswith", text, text)
        | call("endswith", text, text)
        | call("contains", text, text)
        | call("matches", text, st.sampled_from(PATTERNS).map(Text))
        | call("is_missing", text | trees("number", below))
        | comparisons("text", below)
        | comparisons("number", below)
        | comparisons("truth", below)
    )


def comparisons(type_: Type, below: int) -> st.SearchStrategy[Node]:
    inner = trees(type_, below)
    signs = ["==", "!="] if type_ == "truth" else ["==", "!=", "<", "<=", ">", ">="]
    plain = st.builds(ComparisonStep, st.sampled_from(signs), inner)
    lists = st.lists(inner, max_size=3).map(lambda items: List(tuple(items)))
    inside = st.builds(ComparisonStep, st.sampled_from(["in", "not in"]), lists)
    chains = st.lists(plain, min_size=1, max_size=3)
    ended = st.tuples(st.lists(plain, max_size=2), inside).map(lambda parts: [*parts[0], parts[1]])
    return st.builds(Comparison, inner, (chains | ended).map(tuple))


any_tree = trees("truth") | trees("number") | trees("text")


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[str, Column], int]:
    """A column for each name, all of one length."""
    length = draw(st.integers(0, 6))
    return {name: draw(column(type_, length)) for name, type_ in TYPES.items()}, length


def column(type_: Type, length: int) -> st.SearchStrategy[Any]:
    if type_ == "text":
        return text_columns(length)
    if type_ == "truth":
        return st.lists(st.booleans(), min_size=length, max_size=length).map(lambda values: np.array(values, np.bool_))
    whole = st.lists(st.integers(-5, 20), min_size=length, max_size=length)
    floats = st.lists(
        st.sampled_from([0.0, 1.0, -2.5, 0.05, 3.0, np.nan, np.inf, -np.inf]) | st.floats(),
        min_size=length,
        max_size=length,
    )
    whole_type = st.sampled_from([np.int64, np.int32])
    whole_columns = st.tuples(whole, whole_type).map(lambda made: np.array(*made))
    return whole_columns | floats.map(lambda made: np.array(made, np.float64))


@st.composite
def text_columns(draw: st.DrawFn, length: int) -> TextColumn:
    """Columns with names twice, names not in use, and texts missing."""
    table = draw(st.lists(texts, min_size=1, max_size=6))
    codes = draw(st.lists(st.integers(0, len(table) - 1), min_size=length, max_size=length))
    missing = draw(st.none() | st.integers(0, len(table) - 1))
    kind = draw(st.sampled_from([np.int64, np.int32, np.uint8]))
    return TextColumn(np.array(codes, kind), tuple(table), missing)


def rows(columns: dict[str, Column], length: int) -> list[dict[str, Any]]:
    """The table as a reader sees it: one dict a row, None for what is missing."""
    values = {name: cells(column) for name, column in columns.items()}
    return [{name: values[name][number] for name in values} for number in range(length)]


def cells(column: Column) -> list[Any]:
    if isinstance(column, TextColumn):
        return column.values()
    return [None if isinstance(value, float) and isnan(value) else value for value in column.tolist()]
