"""The exceptions of the package: each has a message, and where known a place, details, a hint and an exit code."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable


_MAX_LINE_LENGTH = 1000


class ComparandaError(Exception):
    """Base class of all errors that this package raises deliberately.

    Args:
        what: what is wrong, in one sentence.
        where: the place (`file:line`), prefixed to the message.
        details: further lines, indented below the message.
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
    """Shorten a very long line by leaving out its middle: inputs may contain words or labels of megabytes."""
    return line if len(line) <= _MAX_LINE_LENGTH else f"{line[: _MAX_LINE_LENGTH - 101]}…{line[-100:]}"


class UsageError(ComparandaError):
    """The request itself is wrong: an unknown option value, or two systems with the same name (exit code 2)."""

    exit_code = 2


class ExpressionError(UsageError):
    """An expression does not parse or has a type error; the message marks the position with a caret.

    `line` is the line of the expression that contains this position, counted from 0.
    """

    line: int = 0


class RuleError(UsageError):
    """A rule set is wrong: an error in a condition, rules that could form a cycle, or verdicts that depend on order."""


class InputError(ComparandaError):
    """An input cannot be used as it is (exit code 3)."""

    exit_code = 3


class ReadError(InputError):
    """A file cannot be read: its bytes, lines or columns do not conform to its format."""


class WriteError(InputError):
    """The data cannot be written in the requested format, which has no valid representation of it."""


class AlignError(InputError):
    """A system output does not match the key: different words, a different number of rows, or missing documents."""


class MissingExtraError(ComparandaError):
    """A required optional package is not installed (exit code 2)."""

    exit_code = 2


def suggest_nearest(word: str, candidates: Iterable[str]) -> str:
    """Suggest the closest candidate as ` (did you mean 'x'?)`; the empty string if none is close.

    >>> suggest_nearest("uops", ["upos", "xpos"])
    " (did you mean 'upos'?)"
    >>> suggest_nearest("LOC", ["loc", "LOCATION"])
    " (did you mean 'loc'?)"
    """
    known = list(candidates)
    match = [each for each in known if each.casefold() == word.casefold()]
    match = match or get_close_matches(word, known, n=1, cutoff=0.5)
    return f" (did you mean {match[0]!r}?)" if match else ""
