"""Documents and ids that one side lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from comparanda.errors import AlignError
from comparanda.places import Note

if TYPE_CHECKING:
    from comparanda.corpus import Corpus

Missing = Literal["error", "empty", "intersection"]
MISSING: tuple[Missing, ...] = get_args(Missing)

LACKING = "s of the key missing here"
"""What stands in notes about documents and ids that only the key has, whose first places are their names."""

BEYOND = "s not in the key, "
"""What stands in notes about documents and ids that only a response has, whose first places are their names."""

IGNORED = "ignored"
"""What becomes of them, for most tasks."""


def refuse_missing(
    key: Corpus, response: Corpus, lacking: list[str], surplus: list[str], missing: Missing, kind: str
) -> None:
    """Refuse a response that lacks documents or ids of the key, or has others, unless that was allowed."""
    if missing == "error" and (lacking or surplus):
        raise not_covered(key.source.parts[0].name, response.source.parts[0].name, lacking, surplus, kind)


def not_covered(key: str, response: str, lacking: list[str], surplus: list[str], kind: str) -> AlignError:
    """Make the error for a response that lacks documents or ids of the key, or has others, given their files."""
    details = []
    if lacking:
        details.append(f"missing here: {_some(lacking)} of the key ({key})")
    if surplus:
        details.append(f"not in the key: {_some(surplus)}")
    count = f"{len(lacking):,} of the key's {kind}s missing" if lacking else f"{len(surplus):,} {kind}s unknown"
    return AlignError(
        f"the response does not cover the key: {count}",
        where=response,
        details=details,
        hint="count them as empty with --missing empty, or leave them out with --missing intersection",
    )


def missing_notes(response: Corpus, lacking: list[str], surplus: list[str], kind: str) -> list[Note]:
    """Count what is missing and what is too much."""
    notes = []
    if lacking:
        notes.append(Note(response.name, f"{kind}{LACKING}", len(lacking), tuple(lacking[:3])))
    if surplus:
        notes.append(Note(response.name, f"{kind}{BEYOND}{IGNORED}", len(surplus), tuple(surplus[:3])))
    return notes


def _some(names: list[str], limit: int = 3) -> str:
    shown = ", ".join(repr(name) for name in names[:limit])
    return f"{shown} and {len(names) - limit:,} more" if len(names) > limit else shown
