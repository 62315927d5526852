"""Limits on the size of inputs: far above real data, but exceeded by broken and hostile files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from comparanda.errors import UsageError, suggest_nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The largest sizes that are accepted; the length of lines is limited by `max_line`.

    Args:
        document: tokens of a document, or characters of its text.
        nesting: nested elements of XML.
        open: bracketed spans that are open at once, or begin at one word; simple coreference brackets are not limited.
        labels: different labels of one input.
        systems: system outputs in one comparison; each run of a system counts.

    """

    document: int = 20_000_000
    nesting: int = 200
    open: int = 10_000
    labels: int = 1_000_000
    systems: int = 1_000

    @classmethod
    def of(cls, given: Mapping[str, int]) -> Limits:
        """Make limits from those given by name and the defaults for all others.

        >>> Limits.of({"labels": 50}).labels
        50
        """
        known = [each.name for each in fields(cls)]
        for name, value in given.items():
            if name not in known:
                raise UsageError(
                    f"unknown limit {name!r}{suggest_nearest(name, known)}", hint=f"limits: {', '.join(known)}"
                )
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise UsageError(f"the limit {name!r} must be a positive integer, not {value!r}")
        return cls(**given)


USUAL = Limits()


def limit_hint(name: str) -> str:
    """Return the hint for an error that is caused by a limit.

    >>> limit_hint("labels")
    'if that is right, raise the limit: --limit labels=NUMBER'
    """
    return f"if that is right, raise the limit: --limit {name}=NUMBER"
