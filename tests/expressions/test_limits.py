"""No text makes the parser, or anything after it, run out of stack."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from comparanda.expressions import ExpressionError, check, evaluate, parse, scope_of, select, unparse
from tests.seeds import mostly_slow

SCOPE = scope_of({"x": np.array([1.0, 2.0]), "a": np.array([True, False])})

DEEP = {
    "brackets": ("(", "a", ")"),
    "not": ("not ", "a", ""),
    "minus": ("-", "x", " < 1"),
    "calls": ("abs(", "x", ")"),
    "right operands": ("a or (a and ", "a", ")"),
    "left operands": ("(", "a", " or a and a)"),
    "sums": ("(x + x * ", "x", ")"),
    "comparisons": ("a == (", "a", ")"),
    "lists": ("a in [", "a", "]"),
    "mixed": ("not (a or a and a == (abs(x + x * -x) < 1) == (", "a", "))"),
}


@contextmanager
def stack_of(frames: int) -> Iterator[None]:
    """Leave only so many frames of stack."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + frames)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@pytest.mark.parametrize("shape", DEEP)
@pytest.mark.parametrize("times", [101, 102, 150, 999, 3000, 100_000])
def test_deep_nesting_is_an_error_that_says_so(shape: str, times: int) -> None:
    opening, core, closing = DEEP[shape]
    with stack_of(700), pytest.raises(ExpressionError, match=r"nested more than 100 levels|at most 10,000"):
        parse(opening * times + core + closing * times)


@pytest.mark.parametrize("shape", mostly_slow(DEEP, {"lists", "mixed"}))
def test_all_that_parses_can_be_checked_evaluated_printed_and_compared(shape: str) -> None:
    opening, core, closing = DEEP[shape]
    deepest = 0
    for times in range(1, 101):
        text = opening * times + core + closing * (times if shape != "minus" else 1)
        try:
            expression = parse(text)
        except ExpressionError:
            break
        deepest = times
        with stack_of(700):
            expression = parse(text)
            checked = check(expression, SCOPE.types)
            assert len(evaluate(checked, SCOPE)) == 2
            assert parse(unparse(expression)) == expression
            assert hash(expression)
            assert repr(expression)
    assert deepest >= 16


@pytest.mark.parametrize("opening", ["(", "not ", "-", "abs("])
def test_a_hundred_levels_are_allowed(opening: str) -> None:
    core = "x" if opening in {"-", "abs("} else "a"
    closing = ")" if "(" in opening else ""
    check(parse(opening * 100 + core + closing * 100), SCOPE.types)


@pytest.mark.parametrize(
    ("term", "joint"), [("a", " or "), ("a", " and "), ("x", "+"), ("x", "*"), ("x", "<"), ("a", "=="), ("-x", "-")]
)
def test_flat_chains_of_thousands_are_fine(term: str, joint: str) -> None:
    text = joint.join([term] * 1500)
    with stack_of(100):
        expression = parse(text)
        checked = check(expression, SCOPE.types)
        assert len(evaluate(checked, SCOPE)) == 2
        assert parse(unparse(expression)) == expression


def test_a_chain_of_comparisons_with_hundreds_of_terms_means_what_it_says() -> None:
    terms = [f"x=={number}" for number in range(2, 900)]
    assert select(" or ".join(terms), SCOPE).tolist() == [False, True]


def test_a_list_of_thousands_is_fine() -> None:
    assert select(f"x in [{','.join(map(str, range(2, 2000)))}]", SCOPE).tolist() == [False, True]


def test_ten_thousand_characters_are_allowed_and_no_more() -> None:
    parse("a" + " " * 9_999)
    with pytest.raises(ExpressionError, match="10,001 characters; at most 10,000"):
        parse("a" + " " * 10_000)
