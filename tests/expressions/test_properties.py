"""What holds for every expression, found by trying many."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from comparanda.core.text_columns import Column, TextColumn
from comparanda.expressions import (
    BUILTINS,
    ExpressionError,
    Node,
    Scope,
    check,
    evaluate,
    find_names,
    parse,
    quote_name,
    quote_string,
    unparse,
)
from comparanda.expressions.syntax import Name, Text, walk_tree
from tests.seeds import draws

from . import interpreter
from .strategies import TYPES, any_tree, cells, rows, tables

PIECES = [
    "and", "or", "not", "in", "true", "for", "AND", "==", "!=", "<", ">=", "=", "!", "&&", "+", "-", "*", "/", "%",
    "(", ")", "[", "]", ",", "'", '"', "`", "\\", "\\u00e9", "\\x", "form", "size", "seen", "lower(", "matches(",
    "'a'", '"(a+"', "5", "5%", ".5", "1e9", "1e999", "5.", "“", "\x00", "\n", "\t", "é", "日本", "\u0301", "\ud800",
    " ",
]  # fmt: skip
fuzz = st.text(max_size=30) | st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join) | st.lists(
    st.sampled_from(PIECES), max_size=25
).map("".join)  # fmt: skip


@settings(deadline=None)
@given(any_tree)
def test_what_is_printed_reads_back_to_the_same_tree(tree: Node) -> None:
    assert parse(unparse(tree)).root == tree


@settings(deadline=None)
@given(any_tree)
def test_printing_again_changes_nothing(tree: Node) -> None:
    text = unparse(tree)
    assert unparse(parse(text)) == text


@settings(deadline=None)
@given(any_tree)
def test_the_names_used_are_those_in_the_tree(tree: Node) -> None:
    assert find_names(unparse(tree)) == {node.name for node in walk_tree(tree) if isinstance(node, Name)}


@settings(deadline=None)
@given(any_tree)
def test_every_node_is_at_the_place_it_says(tree: Node) -> None:
    source = unparse(tree)
    for node in walk_tree(parse(source).root):
        written = source[node.place.start : node.place.end]
        if hasattr(node, "operator"):
            assert written == node.operator
        elif not isinstance(node, Name | Text):
            # a chain begins and ends with its operands, whose own brackets are not theirs
            assert written.strip() == written != ""
        else:
            assert parse(written).root == node


@settings(max_examples=draws(400), deadline=None)
@given(any_tree, tables())
def test_columns_and_rows_give_the_same_values(tree: Node, table: tuple[dict[str, Column], int]) -> None:
    columns, length = table
    scope = Scope(types=TYPES, column=columns.__getitem__, length=length)
    checked = check(parse(unparse(tree)), scope.types, scope.functions)
    found = evaluate(checked, scope)
    expected = [interpreter.value(tree, row) for row in rows(columns, length)]
    assert len(found) == length
    assert cells(found) == (expected if checked.type != "number" else [_float(value) for value in expected])
    assert isinstance(found, TextColumn) or found.dtype == {"truth": bool, "number": float}[checked.type]


def _float(value: Any) -> float | None:
    return None if value is None else float(value)


@settings(max_examples=draws(1000), deadline=None)
@given(fuzz)
@example("'" * 3)
@example("\\")
@example("1" * 9000)
@example("1e" + "1" * 9000)
@example("1e" + "1" * 9000 + "%")
@example("1e-" + "9" * 9000 + "%")
def test_any_text_is_an_expression_or_an_expression_error(text: str) -> None:
    try:
        expression = parse(text)
        assert parse(unparse(expression)) == expression
        check(expression, TYPES, BUILTINS)
    except ExpressionError as error:
        _assert_readable(error)


def _assert_readable(error: ExpressionError) -> None:
    assert all(line.isprintable() for line in [error.what, *error.details, error.hint or ""])
    assert len(error.what) < 200
    if error.details:
        line, carets = error.details
        assert re.fullmatch(r" *\^+", carets)
        assert len(line) <= 2 * 72 + 20


@settings(deadline=None)
@given(st.text() | st.text(st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp"])))
def test_a_quoted_text_reads_back_and_shows_no_control_characters(text: str) -> None:
    assert parse(quote_string(text)).root == Text(text)
    assert all(character.isprintable() or ord(character) > 0xFFFF for character in quote_string(text))


@settings(deadline=None)
@given(st.text(min_size=1) | st.sampled_from(["in", "IN", "If", "5", "a.b", "a.", ".a", "a..b", "a-b", "`", "a.1"]))
def test_a_quoted_name_reads_back(name: str) -> None:
    assert parse(quote_name(name)).root == Name(name)


@pytest.mark.parametrize("text", ["a or b", "a and b", "a + b", "a * b", "a < b", "f(a, b)", "x in [a, b]"])
def test_spaces_and_line_breaks_do_not_matter(text: str) -> None:
    spaced = re.sub(r"(\W)", r"\n\1\t ", text)
    assert parse(spaced) == parse(text)
