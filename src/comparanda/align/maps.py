"""Maps between the rows of a key and of its responses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from comparanda.core.places import Note
from comparanda.errors import AlignError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Rows


NONE = -1
"""The row of what has no counterpart."""


@dataclass(frozen=True, eq=False, slots=True)
class Surplus:
    """The words of a response that have no counterpart in the key, and where in the key's text they stand.

    Args:
        rows: their rows in the response, in order.
        near: the row of the key word at whose place each begins.
        begin: where it begins, in characters (bytes of UTF-8) from that word's begin.
        end: where it ends, likewise.

    """

    rows: Rows
    near: Rows
    begin: Rows
    end: Rows


@dataclass(frozen=True, eq=False, slots=True)
class RowMap:
    """A map between the rows of the key and of one response; `NONE` where there is no counterpart.

    Args:
        to_key: the key's row for each row of the response, or None for the identity.
        to_response: the response's row for each row of the key, or None for the identity.
        surplus: the response's rows without a counterpart that still have a place in the key's text; None for none.

    """

    to_key: Rows | None = None
    to_response: Rows | None = None
    surplus: Surplus | None = None

    @property
    def identity(self) -> bool:
        """Whether row `i` of one side is row `i` of the other."""
        return self.to_response is None

    def near(self, rows: int) -> Rows:
        """Return the key's row at whose place each of the response's rows stands; `NONE` for foreign documents."""
        if self.to_key is None:
            return np.arange(rows)
        if self.surplus is None:
            return self.to_key
        near = self.to_key.copy()
        near[self.surplus.rows] = self.surplus.near
        return near


@dataclass(frozen=True, eq=False, slots=True)
class Segments:
    """Where a response cuts the text as the key does.

    Args:
        tokens: the tokens that both have, by their first row in the key.
        token_rows: the first row of each token of the response.
        sentences: the sentences that both have, by their number in the key.

    """

    tokens: Rows
    token_rows: Rows
    sentences: Rows


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Aligned:
    """A key and its responses on common ground.

    Args:
        key: the key.
        responses: the responses, one a run; large ones without their words.
        maps: for each response, the map between its rows and the key's.
        segments: for each response, which of the key's tokens and sentences it has; None for all, and no others.
        kept: the key's rows that take part, or None for all (`--missing intersection` drops some).
        notes: what was met on the way.

    """

    key: Corpus
    responses: tuple[Corpus, ...]
    maps: tuple[RowMap, ...]
    segments: tuple[Segments | None, ...]
    kept: Rows | None
    notes: tuple[Note, ...]


Mapped = tuple[RowMap, Segments | None, list[Note]]
"""What is made of one response."""


def row_map(key_size: int, response_size: int, key_rows: Rows, response_rows: Rows) -> RowMap:
    """Make a map of pairs of rows."""
    if key_size == response_size == len(key_rows) and np.array_equal(key_rows, response_rows):
        return RowMap()
    to_key = np.full(response_size, NONE, dtype=np.int64)
    to_response = np.full(key_size, NONE, dtype=np.int64)
    to_key[response_rows] = key_rows
    to_response[key_rows] = response_rows
    return RowMap(to_key, to_response)


def values_on_key(values: NDArray[np.integer], row_map: RowMap, absent: int) -> NDArray[np.integer]:
    """Carry a response's values to the key's rows; rows without a counterpart get `absent`."""
    if row_map.to_response is None:
        return values
    if not len(values):
        return np.full(len(row_map.to_response), absent, dtype=values.dtype)
    carried = values[np.maximum(row_map.to_response, 0)]
    carried[row_map.to_response == NONE] = absent
    return carried


# Documents and ids that one side lacks.


Missing = Literal["error", "empty", "intersection"]
MISSING: tuple[Missing, ...] = get_args(Missing)

LACKING = "s of the key missing here"
"""What stands in notes about documents and ids that only the key has, whose first places are their names."""

BEYOND = "s not in the key, "
"""What stands in notes about documents and ids that only a response has, whose first places are their names."""

IGNORED = "ignored"
"""What becomes of them, for most tasks."""


def refuse_missing(
    key: Corpus, response: Corpus, lacking: list[str], surplus: list[str], *, missing: Missing, kind: str
) -> None:
    """Refuse a response that lacks documents or ids of the key, or has others, unless that was allowed."""
    if missing == "error" and (lacking or surplus):
        raise not_covered(
            key.source.parts[0].name,
            response=response.source.parts[0].name,
            lacking=lacking,
            surplus=surplus,
            kind=kind,
        )


def not_covered(key: str, response: str, lacking: list[str], surplus: list[str], *, kind: str) -> AlignError:
    """Make the error for a response that lacks documents or ids of the key, or has others, given their files."""
    details = []
    if lacking:
        details.append(f"missing here: {_format_names(lacking)} of the key ({key})")
    if surplus:
        details.append(f"not in the key: {_format_names(surplus)}")
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


def _format_names(names: list[str], limit: int = 3) -> str:
    shown = ", ".join(repr(name) for name in names[:limit])
    return f"{shown} and {len(names) - limit:,} more" if len(names) > limit else shown
