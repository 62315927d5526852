"""What offsets count: code points as here, or what other programs count, and how to tell from the covered text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from comparanda.read.cutting import code_points, utf8_sizes
from comparanda.read.request import choose

if TYPE_CHECKING:
    from comparanda.columns import Rows, Truths

Offsets = Literal["code-points", "utf-16", "bytes", "inclusive"]
OFFSETS: tuple[Offsets, ...] = get_args(Offsets)
OPTION = {
    "offsets": f"spans: what begin and end count: {', '.join(OFFSETS)} (code points, the end included); "
    "told by the text that spans name, if it is left out"
}

MEANING: Mapping[Offsets, str] = {
    "code-points": "count code points",
    "utf-16": "count UTF-16 units, as JavaScript and Java do,",
    "bytes": "count bytes of UTF-8",
    "inclusive": "count code points and include the end",
}
NOWHERE = -1
"""Stands for a place that no code point of the text begins or ends at."""


@dataclass(frozen=True, eq=False, slots=True)
class Pieces:
    """The pieces of spans: one for most, several for discontinuous ones.

    Args:
        span: which span each is a piece of; not descending.
        begin: where it begins.
        end: where it ends.

    """

    span: Rows
    begin: Rows
    end: Rows


def asked_offsets(options: Mapping[str, str]) -> Offsets | None:
    """Return what the user says that offsets count; None where it is to be found out."""
    return choose(options, "offsets", OFFSETS) if "offsets" in options else None


def converted(pieces: Pieces, owner: Rows, texts: Sequence[str], offsets: Offsets) -> Pieces:
    """Return pieces in code points, half-open.

    Args:
        pieces: the pieces as their file counts.
        owner: the text of each piece, as an index; not descending.
        texts: the texts.
        offsets: how the file counts.

    """
    if offsets == "code-points":
        return pieces
    if offsets == "inclusive":
        return Pieces(pieces.span, pieces.begin, pieces.end + 1)
    begin, end = np.empty_like(pieces.begin), np.empty_like(pieces.end)
    bounds = np.searchsorted(owner, np.arange(len(texts) + 1))
    for number, text in enumerate(texts):
        here = slice(bounds[number], bounds[number + 1])
        places = places_in(text, offsets)
        begin[here], end[here] = _found(places, pieces.begin[here]), _found(places, pieces.end[here])
    return Pieces(pieces.span, begin, end)


def places_in(text: str, offsets: Offsets) -> Rows:
    """Return the place of each code point, and behind them the end, as the offsets count.

    >>> places_in("a😀b", "utf-16").tolist()
    [0, 1, 3, 4]
    >>> places_in("a😀b", "code-points").tolist()
    [0, 1, 2, 3]
    """
    points = code_points(text)
    wide = offsets == "utf-16"
    sizes = utf8_sizes(points) if offsets == "bytes" else 1 + ((points >= 0x10000) & wide)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def _found(places: Rows, wanted: Rows) -> Rows:
    number = np.searchsorted(places, wanted)
    there: Truths = places[np.minimum(number, len(places) - 1)] == wanted
    return np.where(there, number, NOWHERE)
