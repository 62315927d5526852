"""How large things may be before they are refused: real inputs are far below, broken and hostile ones are not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from comparanda.errors import UsageError, nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The largest things that are accepted; for lines there is `max_line`.

    Args:
        document: tokens of a document, or characters of its text.
        nesting: elements of XML that stand in each other.
        open: spans in brackets that are open at once, or begin at one word; plain brackets of chains may all be open.
        labels: different labels of one input.
        systems: outputs in one comparison; every run of a system is one.

    """

    document: int = 20_000_000
    nesting: int = 200
    open: int = 10_000
    labels: int = 1_000_000
    systems: int = 1_000

    @classmethod
    def of(cls, given: Mapping[str, int]) -> Limits:
        """Return the limits that are given by name, and the usual ones for all others.

        >>> Limits.of({"labels": 50}).labels
        50
        """
        known = [each.name for each in fields(cls)]
        for name, value in given.items():
            if name not in known:
                raise UsageError(
                    f"no limit is called {name!r}{nearest(name, known)}", hint=f"limits: {', '.join(known)}"
                )
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise UsageError(f"the limit {name!r} takes a whole number from 1 on, not {value!r}")
        return cls(**given)


USUAL = Limits()


def raising(name: str) -> str:
    """Return the hint of an error that a limit causes.

    >>> raising("labels")
    'if that is right, raise the limit: --limit labels=NUMBER'
    """
    return f"if that is right, raise the limit: --limit {name}=NUMBER"
