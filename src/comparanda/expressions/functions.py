"""The functions every expression may use."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from comparanda.expressions.patterns import compile_pattern, pattern_problem
from comparanda.expressions.signatures import Function, Parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from comparanda.columns import Column, TextColumn

_TEXT = Parameter("text")
_PIECE = Parameter("piece")
_PATTERN = Parameter("pattern", literal=True, problem=pattern_problem)


def _startswith(text: TextColumn, piece: TextColumn) -> Column:
    return text.paired(piece, str.startswith)


def _endswith(text: TextColumn, piece: TextColumn) -> Column:
    return text.paired(piece, str.endswith)


def _contains(text: TextColumn, piece: TextColumn) -> Column:
    return text.paired(piece, str.__contains__)


def _matches(text: TextColumn, pattern: str) -> Column:
    return text.truths(compile_pattern(pattern).found_in)


def _lower(text: TextColumn) -> Column:
    return text.mapped(str.lower)


def _length(text: TextColumn) -> Column:
    return text.numbers(len)


def _abs(number: Any) -> Column:
    magnitude: Column = abs(number * 1.0)  # as a float, for the smallest int64 has no positive twin
    return magnitude


def _is_missing(value: Any) -> Column:
    # a number is missing if it is NaN, the one number that differs from itself
    missing: Column = value.missing_rows() if hasattr(value, "missing_rows") else value != value  # noqa: PLR0124
    return missing


def _text_function(call: Callable[..., Column], *parameters: Parameter) -> Function:
    return Function((_TEXT, *parameters), "truth", call)


BUILTINS: Final[Mapping[str, Function]] = MappingProxyType(
    {
        "abs": Function((Parameter("number", ("number",)),), "number", _abs),
        "contains": _text_function(_contains, _PIECE),
        "endswith": _text_function(_endswith, _PIECE),
        "is_missing": Function((Parameter("value", ("text", "number")),), "truth", _is_missing),
        "length": Function((_TEXT,), "number", _length),
        "lower": Function((_TEXT,), "text", _lower),
        "matches": _text_function(_matches, _PATTERN),
        "startswith": _text_function(_startswith, _PIECE),
    }
)
"""The functions every scope has unless it says otherwise; add to them with `dict(BUILTINS) | {...}`."""
