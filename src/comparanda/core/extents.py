"""Spans as intervals on one line, for deciding which of them overlap (DEFINITIONS 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from comparanda.core.corpus import Fragments
    from comparanda.core.text_columns import Codes, Rows

Cuts = dict[tuple[tuple[int, int], ...], int]
"""The code of each distinct fragmentation, that is, of the relative positions of a discontinuous span's pieces."""

_MAX_POSITION = 1 << 62


def compute_stretches(ends: Iterable[Codes], documents: int) -> int:
    """Compute the length to reserve for each document on the common line, given where spans end."""
    room = 2 * max((int(each.max(initial=0)) for each in ends), default=0) + 2
    if room * (documents + 1) >= _MAX_POSITION:
        raise InputError("the offsets of spans are too large for any document")
    return room


def place_on_line(document: Codes, begin: Codes, end: Codes, room: int) -> tuple[Rows, Rows]:
    """Convert half-open spans to closed intervals on one line, on which documents do not touch.

    Positions are doubled: a non-empty span extends from just after its begin to just before its end, and an empty one
    lies between two positions. Two spans overlap if and only if their intervals do: spans that only touch do not
    overlap, and an empty span overlaps those that strictly contain or equal it.

    >>> import numpy as np
    >>> low, high = place_on_line(np.zeros(3, int), np.array([0, 2, 3]), np.array([3, 2, 4]), 10)
    >>> list(zip(low.tolist(), high.tolist()))
    [(1, 5), (4, 4), (7, 7)]
    """
    base = document.astype(np.int64) * room
    filled = begin != end
    return base + 2 * begin + filled, base + 2 * end - filled


def number_fragmentations(sides: Iterable[Fragments | None]) -> Cuts:
    """Assign numbers to fragmentations, independently of the order of spans; 0 is reserved for contiguous spans."""
    ways = {pieces for side in sides if side is not None for pieces in _pieces_of_spans(side).values()}
    return {pieces: number for number, pieces in enumerate(sorted(ways), start=1)}


def fragmentation_codes(size: int, fragments: Fragments | None, cuts: Cuts) -> Rows:
    """Return the fragmentation code of each span; 0 for contiguous spans, without using memory if all of them are."""
    if fragments is None:
        return np.broadcast_to(np.int64(0), size)
    numbers = np.zeros(size, np.int64)
    for span, pieces in _pieces_of_spans(fragments).items():
        numbers[span] = cuts[pieces]
    return numbers


def _pieces_of_spans(fragments: Fragments) -> dict[int, tuple[tuple[int, int], ...]]:
    by_span: dict[int, list[tuple[int, int]]] = {}
    for span, begin, end in zip(fragments.span.tolist(), fragments.begin.tolist(), fragments.end.tolist(), strict=True):
        by_span.setdefault(span, []).append((begin, end))
    return {span: tuple(sorted(pieces)) for span, pieces in by_span.items()}
