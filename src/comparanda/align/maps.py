"""Maps between the rows of a key and of system outputs (responses)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from comparanda.core.places import Note
from comparanda.errors import AlignError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Rows, Truths


NONE = -1
"""The row number that marks a missing counterpart."""


@dataclass(frozen=True, eq=False, slots=True)
class Surplus:
    """The words of a response that have no counterpart in the key, and their positions in the key's text.

    Args:
        rows: their rows in the response, in order.
        near: the row of the key's word within which each begins.
        begin: where it begins, in bytes of UTF-8 from that word's begin.
        end: where it ends, in the same unit.

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
        surplus: the response's rows without a counterpart that have a position in the key's text; None for none.
        edited: whether the text of each of the response's rows differs from the key's; None if texts are equal.

    """

    to_key: Rows | None = None
    to_response: Rows | None = None
    surplus: Surplus | None = None
    edited: Truths | None = None

    @property
    def identity(self) -> bool:
        """Whether row `i` of one side is row `i` of the other."""
        return self.to_response is None

    def near(self, rows: int) -> Rows:
        """Return the key's row at the position of each of the response's rows; `NONE` in documents the key lacks."""
        if self.to_key is None:
            return np.arange(rows)
        if self.surplus is None:
            return self.to_key
        near = self.to_key.copy()
        near[self.surplus.rows] = self.surplus.near
        return near


@dataclass(frozen=True, eq=False, slots=True)
class Segments:
    """The tokens and sentences that a response shares with the key.

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
    """A key and the responses that are aligned with it.

    Args:
        key: the key.
        responses: the responses, one per run; large ones without their words.
        maps: for each response, the map between its rows and the key's.
        segments: for each response, the tokens and sentences that it shares with the key; None if all are the same.
        kept: the key's rows that are compared, or None for all (`--missing intersection` drops some).
        notes: observations made while aligning.

    """

    key: Corpus
    responses: tuple[Corpus, ...]
    maps: tuple[RowMap, ...]
    segments: tuple[Segments | None, ...]
    kept: Rows | None
    notes: tuple[Note, ...]

    @property
    def has_offsets(self) -> bool:
        """Whether the spans of any side have offsets that the input gives, not tags, word numbers or quotations."""
        spans = (corpus.spans for corpus in (self.key, *self.responses))
        return any(each is not None and bool(each.convention) for each in spans)


Mapped = tuple[RowMap, Segments | None, list[Note]]
"""The alignment of one response: its row map, shared segments, and notes."""


def row_map(key_size: int, response_size: int, key_rows: Rows, response_rows: Rows) -> RowMap:
    """Make a row map from pairs of rows."""
    if key_size == response_size == len(key_rows) and np.array_equal(key_rows, response_rows):
        return RowMap()
    to_key = np.full(response_size, NONE, dtype=np.int64)
    to_response = np.full(key_size, NONE, dtype=np.int64)
    to_key[response_rows] = key_rows
    to_response[key_rows] = response_rows
    return RowMap(to_key, to_response)


def values_on_key(values: NDArray[np.integer], row_map: RowMap, absent: int) -> NDArray[np.integer]:
    """Map a response's values to the key's rows; rows without a counterpart get `absent`."""
    if row_map.to_response is None:
        return values
    if not len(values):
        return np.full(len(row_map.to_response), absent, dtype=values.dtype)
    carried = values[np.maximum(row_map.to_response, 0)]
    carried[row_map.to_response == NONE] = absent
    return carried


# Documents and ids that are missing on one side.


Missing = Literal["error", "empty", "intersection"]
MISSING: tuple[Missing, ...] = get_args(Missing)

TextPolicy = Literal["exact", "tolerate"]
TEXT_POLICIES: tuple[TextPolicy, ...] = get_args(TextPolicy)
"""How texts are compared: they must be equal but for white space, or may differ in a few characters."""

_SHOWN = 3
"""The number of names in messages."""

LACKING = "s of the key missing here"
"""The text in notes about documents and ids that only the key has; the first places of such notes are names."""

BEYOND = "s not in the key, "
"""The text in notes about documents and ids that only a response has; the first places of such notes are names."""

IGNORED = "ignored"
"""How most tasks treat them."""


def refuse_missing(
    key: Corpus, response: Corpus, lacking: list[str], surplus: list[str], *, missing: Missing, kind: str
) -> None:
    """Refuse a response with missing or additional documents or ids, unless this is allowed."""
    if missing == "error" and (lacking or surplus):
        raise make_coverage_error(
            key.source.parts[0].name,
            response=response.source.parts[0].name,
            lacking=lacking,
            surplus=surplus,
            kind=kind,
            disjoint=len(lacking) == len(set(key.documents.names) if kind == "document" else key),
        )


def make_coverage_error(
    key: str,
    response: str,
    lacking: list[str],
    surplus: list[str],
    *,
    kind: str,
    renamed: Sequence[tuple[str, str]] = (),
    disjoint: bool = False,
) -> AlignError:
    """Make the error for a response with missing or additional documents or ids, given the names of both files.

    Ways to ignore them are suggested only if they are really missing: `renamed` lists those of the key whose text the
    response has, with their names there, or "" if it is in several documents; `disjoint` is whether no name of the key
    is in the response.
    """
    details = []
    if lacking:
        details.append(f"missing here: {_format_names(lacking)} of the key ({key})")
    if surplus:
        details.append(f"not in the key: {_format_names(surplus)}")
    hint = "count them as empty with --missing empty, or leave them out with --missing intersection"
    if renamed:
        shown = [f"{mine!r} is named {theirs!r}" if theirs else f"{mine!r} has other names" for mine, theirs in renamed]
        more = f" and {len(shown) - _SHOWN:,} more" if len(shown) > _SHOWN else ""
        details.append(f"no text is missing, names differ: here {', '.join(shown[:_SHOWN])}{more}")
        hint = f"give the {kind}s the names that they have in the key"
    elif disjoint and surplus:
        details.append(f"no {kind} has the same name in both")
        hint = f"give the {kind}s the names that they have in the key"
    elif not lacking:
        hint = f"remove these {kind}s from the system output, or ignore them with --missing empty"
    count = f"{len(lacking):,} of the key's {kind}s missing" if lacking else f"{len(surplus):,} unknown {kind}s"
    return AlignError(
        f"the system output does not cover the key: {count}",
        where=response,
        details=details,
        hint=hint,
    )


def missing_notes(response: Corpus, lacking: list[str], surplus: list[str], kind: str) -> list[Note]:
    """Note the numbers of missing and of additional documents or ids."""
    notes = []
    if lacking:
        notes.append(Note(response.name, f"{kind}{LACKING}", len(lacking), tuple(lacking[:3])))
    if surplus:
        notes.append(Note(response.name, f"{kind}{BEYOND}{IGNORED}", len(surplus), tuple(surplus[:3])))
    return notes


def _format_names(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else shown
