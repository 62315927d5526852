"""Errors that point: the line of the expression, and a caret under the place."""

from __future__ import annotations

import unicodedata
from itertools import accumulate

from comparanda.errors import ExpressionError
from comparanda.expressions.syntax import Place

WINDOW = 70
BEFORE = 35


def escaped(text: str) -> str:
    r"""Return the text with everything that does not print written as an escape.

    >>> print(escaped("one\ttwo\x1b[31m"))
    one\ttwo\x1b[31m
    """
    return "".join(map(_escaped_character, text))


def shown(text: str, *, limit: int = 40) -> str:
    """Return the text between quotes, escaped and cut to one readable piece.

    >>> shown("label")
    "'label'"
    """
    return f"'{escaped(text if len(text) <= limit else text[: limit - 1] + '…')}'"


def failure(source: str, place: Place, what: str, *, hint: str | None = None) -> ExpressionError:
    """Make the error that shows the place in the source.

    >>> print(failure("label = 'PER'", Place(6, 7), "'=' is not an operator here; write '=='"))
    '=' is not an operator here; write '=='
      label = 'PER'
            ^
    """
    error = ExpressionError(what, details=excerpt(source, place), hint=hint and escaped(hint))
    error.line = source.count("\n", 0, place.start)
    return error


def excerpt(source: str, place: Place) -> tuple[str, str]:
    """Return the line that holds the start of the place, cut to a window, and its caret line."""
    begin = source.rfind("\n", 0, place.start) + 1
    line = source[begin:].partition("\n")[0].removesuffix("\r")
    start = min(place.start - begin, len(line))
    end = min(max(place.end - begin, start + 1), len(line))
    cells = [_escaped_character(character) for character in line]
    columns = [0, *accumulate(map(_width, cells))]
    left = _left_edge(columns, start)
    right = _right_edge(columns, left)
    head, tail = "…" if left else "", "…" if right < len(cells) else ""
    indent = len(head) + columns[start] - columns[left]
    carets = max(1, columns[max(start, min(end, right))] - columns[start])
    return head + "".join(cells[left:right]) + tail, " " * indent + "^" * carets


def _left_edge(columns: list[int], start: int) -> int:
    """Return the first character to show: all of a short line, else some columns before the place."""
    if columns[-1] <= WINDOW:
        return 0
    wanted = min(columns[start] - BEFORE, columns[-1] - WINDOW)
    return next(index for index, column in enumerate(columns) if column >= wanted)


def _right_edge(columns: list[int], left: int) -> int:
    """Return the end of the characters that fit in the window."""
    limit = columns[left] + WINDOW
    return max(index for index, column in enumerate(columns) if column <= limit)


def _escaped_character(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")


def _width(cell: str) -> int:
    """Return how many columns of a terminal a character, or its escape, takes."""
    if len(cell) > 1:
        return len(cell)
    if unicodedata.category(cell) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(cell) in {"W", "F"} else 1
