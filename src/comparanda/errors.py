"""One tree of exceptions; each says where, what, and what to do, and knows its exit code."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable


_MAX_LINE_LENGTH = 1000


class ComparandaError(Exception):
    """The root of all errors this package raises on purpose.

    Args:
        what: the fact, in one sentence.
        where: the place (`file:line`), put in front of the sentence.
        details: further lines, indented under the first.
        hint: what the user can do about it.

    """

    exit_code: ClassVar[int] = 4

    def __init__(
        self, what: str, *, where: str | None = None, details: Iterable[str] = (), hint: str | None = None
    ) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.details = tuple(details)
        self.hint = hint

    def __str__(self) -> str:
        first = f"{self.where}: {_shorten(self.what)}" if self.where else _shorten(self.what)
        lines = [first, *(f"  {_shorten(line)}" for line in self.details)]
        if self.hint:
            lines.append(f"  {_shorten(self.hint)}")
        return "\n".join(lines)


def _shorten(line: str) -> str:
    """Return a line without its middle, if a word or a label of megabytes stands there."""
    return line if len(line) <= _MAX_LINE_LENGTH else f"{line[: _MAX_LINE_LENGTH - 101]}…{line[-100:]}"


class UsageError(ComparandaError):
    """The request itself is wrong: an unknown option value, two systems of one name (exit code 2)."""

    exit_code = 2


class ExpressionError(UsageError):
    """An expression does not parse, or its types do not fit; the text carries a caret under the place.

    `line` is the line of the expression that holds the place, counted from 0.
    """

    line: int = 0


class RuleError(UsageError):
    """A rule set is wrong: a misfit in a condition, rules that could cycle, or verdicts that would depend on order."""


class InputError(ComparandaError):
    """An input cannot be used as it is (exit code 3)."""

    exit_code = 3


class ReadError(InputError):
    """A file cannot be read: the bytes, the lines or the columns are not what its format says."""


class WriteError(InputError):
    """What was read cannot be written in the format asked for: nothing valid there says the same."""


class AlignError(InputError):
    """A response does not fit the key: other words, another count, a document too few."""


class MissingExtraError(ComparandaError):
    """An optional package is needed for this and is not installed (exit code 2)."""

    exit_code = 2


def nearest(word: str, candidates: Iterable[str]) -> str:
    """Return ` (did you mean 'x'?)` for the likeliest candidate, or nothing.

    >>> nearest("uops", ["upos", "xpos"])
    " (did you mean 'upos'?)"
    """
    match = get_close_matches(word, list(candidates), n=1, cutoff=0.5)
    return f" (did you mean {match[0]!r}?)" if match else ""
