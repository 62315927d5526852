"""Expressions: what parses prints and parses again as the same, and is worked out without a fault."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from comparanda.core.text_columns import TextColumn
from comparanda.errors import ExpressionError
from comparanda.expressions import BUILTINS, check, evaluate, parse, scope_of, unparse
from comparanda.expressions.choice import Chooser
from fuzz.target import Contradiction, Target, case, taken_apart

_SEEDS = (
    "true", "not seen and size >= 3", 'form == "a" or form in ["b", "c"]', 'matches(form, "(a|b)+c{2,3}$")',
    "size * 2 + 1 <= rate / 3 - -size % 4", "5% < rate < 1e3 and not is_missing(form)", 'lower(form) == "ä"',
    'contains(form, "a") == startswith(form, `label`)', "abs(size - rate) == 2 or size > .5 and size / 0 < 1",
    "((size)) in [1, 2, -3, 5%]", 'length(form) > 2 and "\\u00e9\\n" != form', "size % 0 == rate * 1e308 * 10",
    'matches(form, "[^a-z\\\\d\\\\w]|.\\\\b(?:x)?") and endswith(form, "z")', 'matches(form, "^(a*)*$|(?i:Ü){0,90}")',
)  # fmt: skip

SCOPE = scope_of(
    {
        "size": np.array([1, 5, 9, -3, 2**62]),
        "rate": np.array([0.5, np.nan, -1e300, 0.0, 3.0]),
        "seen": np.array([True, True, False, False, True]),
        "form": TextColumn(np.array([0, 1, 2, 3, 0], np.uint8), ("a", "Ünï\ncode 😀", "", "abcabc" * 20), None),
        "label": TextColumn(np.array([0, 1, 2, 1, 2], np.uint8), ("PER", "b", "-"), 2),
    }
)


def condition_target() -> Target:
    """Return the target."""
    words = [each.encode() for each in (*BUILTINS, *SCOPE.types, "and", "or", "not", "in", "==", "true", "%", "`")]
    return Target(name="expressions", minutes=10, seeds=_seeds, run=run, words=words, longest=3_000)


def _seeds() -> Iterator[bytes]:
    for text in _SEEDS:
        yield case(0, text.encode())
    for name in BUILTINS:
        yield case(0, f"{name}(form, size)".encode())
        yield case(1, f"{name}(form) and {name}(seen, 1)".encode())


def run(data: bytes) -> None:
    """Parse, print, check and evaluate a text."""
    choice, pieces = taken_apart(data)
    text = pieces[0].decode(errors="surrogateescape" if choice & 1 else "replace")
    try:
        expression = parse(text)
        if parse(unparse(expression)) != expression:
            raise Contradiction("what was printed is parsed as something else")
        checked = check(expression, SCOPE.types, SCOPE.functions)
        found: Any = evaluate(checked, SCOPE)
    except ExpressionError as problem:
        if not all(line.isprintable() for line in (problem.what, *problem.details, problem.hint or "")):
            raise Contradiction("an error that cannot be printed") from problem
        return
    if len(found) != SCOPE.length:
        raise Contradiction("not one value a row")
    if checked.type == "truth" and Chooser(SCOPE).rows(text).tolist() != np.flatnonzero(found).tolist():
        raise Contradiction("a chooser chooses other rows")
