"""What expressions mean, on columns small enough to count by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from comparanda.core.text_columns import Column, TextColumn
from comparanda.expressions import (
    BUILTINS,
    ExpressionError,
    Function,
    Parameter,
    Scope,
    check,
    evaluate,
    parse,
    scope_of,
    select,
)

NAN = float("nan")
SCOPE = scope_of(
    {
        "label": TextColumn(np.array([0, 1, 2, 0]), ("PER", "LOC", ""), missing=2),
        "other": TextColumn(np.array([1, 1, 0, 2], np.uint8), ("", "PER", "ORG"), missing=0),
        "form": TextColumn(np.array([0, 1, 2, 3]), ("Anna", "Paris", "", "anna")),
        "size": np.array([1, 2, 3, 4]),
        "score": np.array([0.5, NAN, 3.0, -1.0]),
        "seen": np.array([True, False, True, False]),
    }
)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("true", [0, 1, 2, 3]),
        ("false", []),
        ("seen", [0, 2]),
        ("not seen", [1, 3]),
        ("seen or size == 4", [0, 2, 3]),
        ("seen and size > 1", [2]),
        ("seen == (size > 2)", [1, 2]),
        # numbers
        ("size == 2", [1]),
        ("size != 2", [0, 2, 3]),
        ("size < 2", [0]),
        ("size <= 2", [0, 1]),
        ("size > 2", [2, 3]),
        ("size >= 2", [1, 2, 3]),
        ("1 < size < 4", [1, 2]),
        ("1 < size <= 3 > 2", [1, 2]),
        ("4 > size > 1", [1, 2]),
        ("size in [1, 4, 7]", [0, 3]),
        ("size not in [1, 4, 7]", [1, 2]),
        ("1 < size in [1, 2, 3]", [1, 2]),
        ("size in []", []),
        ("size not in []", [0, 1, 2, 3]),
        ("size in [score, 1]", [0, 2]),
        ("size - 1 == 2 - 1", [1]),
        ("10 - size - 1 == 6", [2]),
        ("12 / size / 2 == 3", [1]),
        ("size % 2 == 0", [1, 3]),
        ("-size % 3 == 1", [1]),
        ("-size < -2", [2, 3]),
        ("size * 5% > 0.1", [2, 3]),
        # texts
        ("label == 'PER'", [0, 3]),
        ("'PER' == label", [0, 3]),
        ("label < 'M'", [1]),
        ("'M' > label", [1]),
        ("'M' <= label", [0, 3]),
        ("'M' < label", [0, 3]),
        ("'M' >= label", [1]),
        ("'PER' < label", []),
        ("'PER' <= label", [0, 3]),
        ("'PER' >= label", [0, 1, 3]),
        ("'PER' != label", [1, 2]),
        ("form < 'a'", [0, 1, 2]),
        ("label == other", [0]),
        ("label in ['LOC', 'ORG']", [1]),
        ("label in [other, 'LOC']", [0, 1]),
        ("'PER' in [label, other]", [0, 1, 3]),
        ("other > label", [1]),
        ("other < label", [3]),
        ("'a' < 'b'", [0, 1, 2, 3]),
        # what is missing
        ("is_missing(label)", [2]),
        ("is_missing(other)", [2]),
        ("is_missing(form)", []),
        ("is_missing(score)", [1]),
        ("is_missing(size)", []),
        ("label == ''", []),
        ("label != 'PER'", [1, 2]),
        ("not label == 'PER'", [1, 2]),
        ("label not in ['PER']", [1, 2]),
        ("label != other", [1, 2, 3]),
        ("label <= other", [0, 1]),
        ("label >= ''", [0, 1, 3]),
        ("score < 100", [0, 2, 3]),
        ("score != 3", [0, 1, 3]),
        ("score == score", [0, 2, 3]),
        ("score in [score]", [0, 2, 3]),
        ("is_missing(score + 1)", [1]),
        ("is_missing(1 / (size - 1))", [0]),
        ("is_missing(size % 0)", [0, 1, 2, 3]),
        ("is_missing(lower(label))", [2]),
        ("is_missing(length(label))", [2]),
        # functions
        ("lower(form) == 'anna'", [0, 3]),
        ("lower(form) == lower('ANNA')", [0, 3]),
        ("bare(form) == form", [0, 1, 2, 3]),
        ("bare('“(Anna), ') == form", [0]),
        ("bare('U.S.') == 'U.S'", [0, 1, 2, 3]),
        ("bare('…') == ''", [0, 1, 2, 3]),
        ("is_missing(bare(label))", [2]),
        ("startswith(form, 'A')", [0]),
        ("endswith(form, 'na')", [0, 3]),
        ("contains(form, 'ari')", [1]),
        ("contains(form, '')", [0, 1, 2, 3]),
        ("startswith(label, '')", [0, 1, 3]),
        ("startswith(label, other)", [0]),
        ("startswith('PERSON', label)", [0, 3]),
        ("contains(label, lower(label))", []),
        ("matches(form, '^[A-Z]\\\\w+$')", [0, 1]),
        ("matches(label, '')", [0, 1, 3]),
        ("length(form) == 4", [0, 3]),
        ("length(form) < 1", [2]),
        ("abs(score) == 1", [3]),
        ("abs(-size) == 2", [1]),
    ],
)
def test_rows_selected(text: str, rows: list[int]) -> None:
    found = select(text, SCOPE)
    assert found.dtype == np.bool_
    assert np.flatnonzero(found).tolist() == rows


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2 + 3 * 4", [14.0] * 4),
        ("(2 + 3) * 4", [20.0] * 4),
        ("2 - 3 - 4", [-5.0] * 4),
        ("100 / 10 * 2", [20.0] * 4),
        ("7 % 4 * 2", [6.0] * 4),
        ("-7 % 4", [1.0] * 4),
        ("7 % -4", [-1.0] * 4),
        ("-2 - -3", [1.0] * 4),
        ("1 / 3", [1 / 3] * 4),
        ("size", [1.0, 2.0, 3.0, 4.0]),
        ("size / 2", [0.5, 1.0, 1.5, 2.0]),
        ("2.3%", [0.023] * 4),
        ("1e308 * 10", [float("inf")] * 4),
    ],
)
def test_numbers_computed(text: str, values: list[float]) -> None:
    found = evaluate(check(parse(text), SCOPE.types), SCOPE)
    assert not isinstance(found, TextColumn)
    assert found.dtype == np.float64
    assert found.tolist() == values


def test_texts_computed() -> None:
    found = evaluate(check(parse("lower(label)"), SCOPE.types), SCOPE)
    assert isinstance(found, TextColumn)
    assert found.values() == ["per", "loc", None, "per"]
    constant = evaluate(check(parse("'x'"), SCOPE.types), SCOPE)
    assert isinstance(constant, TextColumn)
    assert constant.values() == ["x"] * 4


def test_whole_numbers_are_compared_exactly() -> None:
    scope = scope_of({"id": np.array([2**53, 2**53 + 1, -(2**53) - 1, -(2**53)])})
    assert select("id == 9007199254740993", scope).tolist() == [False, True, False, False]
    assert select("id == -9007199254740993", scope).tolist() == [False, False, True, False]


def test_the_smallest_integer_does_not_overflow() -> None:
    scope = scope_of({"id": np.array([-(2**63), 2**63 - 1])})
    assert select("abs(id) > 0 and -id + id == 0 and id * 2 / 2 == id + 0", scope).tolist() == [True, True]


def test_narrow_floats_are_compared_as_what_they_are() -> None:
    scope = scope_of({"x": np.array([0.1, 0.5], np.float32)})
    assert select("x == 0.1", scope).tolist() == [False, False]
    assert select("x == 0.5", scope).tolist() == [False, True]


def test_no_rows_give_no_rows() -> None:
    empty = scope_of({"x": np.zeros(0), "t": TextColumn(np.zeros(0, int), ())})
    assert select("x > 1 and t == 'a' and startswith(t, t) and t < lower(t)", empty).tolist() == []
    assert select("true", empty).tolist() == []


def test_only_the_columns_used_are_asked_for_and_each_once() -> None:
    asked: list[str] = []

    def column(name: str) -> Column:
        asked.append(name)
        return SCOPE.column(name)

    scope = Scope(types=SCOPE.types, column=column, length=4)
    select("size > 1 and (size < 4 or seen) and size in [size]", scope)
    assert sorted(asked) == ["seen", "size"]


def test_nothing_is_asked_for_if_the_types_do_not_fit() -> None:
    def column(name: str) -> Column:
        raise AssertionError(name)

    with pytest.raises(ExpressionError):
        select("size == label", Scope(types=SCOPE.types, column=column, length=4))


@pytest.mark.parametrize("text", ["seen", "seen or seen", "not not seen", "seen and true", "size > 0 or seen"])
def test_the_result_is_the_callers_own(text: str) -> None:
    seen = np.array([True, False])
    scope = scope_of({"seen": seen, "size": np.array([1, 2])})
    select(text, scope)[:] = True
    assert seen.tolist() == [True, False]


def test_select_takes_a_condition_only() -> None:
    with pytest.raises(ExpressionError, match="expected a condition, got a number"):
        select("size", SCOPE)


def test_a_scope_may_add_functions_of_its_own() -> None:
    answers = {"crf": np.array([True, False, True, False]), "bert": np.array([True, True, False, False])}
    system = Parameter(name="system", literal=True, choices=tuple(answers))
    functions = dict(BUILTINS) | {
        "right": Function((system,), "truth", answers.__getitem__),
        "double": Function((Parameter(name="number", types=("number",)),), "number", lambda number: number * 2),
    }
    scope = Scope(types=SCOPE.types, column=SCOPE.column, length=4, functions=functions)
    assert select("right('crf') and not right('bert')", scope).tolist() == [False, False, True, False]
    assert select("double(size) > 5", scope).tolist() == [False, False, True, True]


@pytest.mark.parametrize(
    ("column", "problem"),
    [
        (np.array([1, 2]), "column 'seen' has 2 rows of number instead of 2 rows of truth"),
        (np.array([True]), "column 'seen' has 1 rows of truth instead of 2 rows of truth"),
        (np.array([[True, False]]), "not a column: bool of shape"),
        (np.array(["a", "b"]), "not a column: <U1 of shape"),
    ],
)
def test_a_column_that_is_not_what_its_type_says_is_refused(column: Any, problem: str) -> None:
    scope = Scope(types={"seen": "truth"}, column={"seen": column}.__getitem__, length=2)
    with pytest.raises(ValueError, match=problem):
        select("seen", scope)


def test_a_function_that_does_not_keep_its_word_is_refused() -> None:
    functions = {"f": Function((), "truth", lambda: np.array([1, 2]))}
    scope = Scope(types={}, column=SCOPE.column, length=2, functions=functions)
    with pytest.raises(ValueError, match=r"the result of f\(\) has 2 rows of number"):
        select("f()", scope)


def test_columns_of_different_lengths_are_no_scope() -> None:
    with pytest.raises(ValueError, match="different lengths"):
        scope_of({"a": np.zeros(2), "b": np.zeros(3)})


def test_each_distinct_text_is_looked_at_once() -> None:
    looked: list[str] = []

    def look(text: str) -> bool:
        looked.append(text)
        return text == "a"

    column = TextColumn(np.array([0, 1] * 500), ("a", "b"))
    assert column.truths(look).sum() == 500
    assert looked == ["a", "b"]
    looked.clear()
    pieces = TextColumn(np.array([0] * 999 + [1]), ("c", "d"))
    column.paired(pieces, lambda text, piece: look(text + piece))
    assert looked == ["ac", "bc", "bd"]


@pytest.mark.parametrize(
    ("codes", "missing", "problem"),
    [
        (np.array([0.5]), None, "one-dimensional array of integers"),
        (np.array([[0]]), None, "one-dimensional array of integers"),
        (np.array([0, 2]), None, "between 0 and 1"),
        (np.array([0, -1]), None, "between 0 and 1"),
        (np.array([0, 1]), 2, "missing values, 2,"),
        (np.array([0, 1]), -1, "missing values, -1,"),
    ],
)
def test_a_text_column_cannot_be_wrong(codes: Any, missing: int | None, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        TextColumn(codes, ("a", "b"), missing)
