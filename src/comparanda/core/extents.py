"""Spans on a line: when two of them overlap (DEFINITIONS 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from comparanda.core.corpus import Fragments
    from comparanda.core.text_columns import Codes, Rows

Cuts = dict[tuple[tuple[int, int], ...], int]
"""The ways in which spans are cut into pieces, each with its number."""

_MAX_POSITION = 1 << 62


def stretch(ends: Iterable[Codes], documents: int) -> int:
    """Return how much room each document needs on a line, given where spans end."""
    room = 2 * max((int(each.max(initial=0)) for each in ends), default=0) + 2
    if room * (documents + 1) >= _MAX_POSITION:
        raise InputError("the offsets of spans are too large: no document is that long")
    return room


def line(document: Codes, begin: Codes, end: Codes, room: int) -> tuple[Rows, Rows]:
    """Return half-open spans as closed intervals on one line, on which documents stand apart.

    Positions are doubled: a span of some length reaches from just behind its begin to just before its end, one
    without length stands between two positions. Two spans overlap if and only if these intervals do: touching is
    none, and a span without length overlaps what strictly contains it or equals it.

    >>> import numpy as np
    >>> low, high = line(np.zeros(3, int), np.array([0, 2, 3]), np.array([3, 2, 4]), 10)
    >>> list(zip(low.tolist(), high.tolist()))
    [(1, 5), (4, 4), (7, 7)]
    """
    base = document.astype(np.int64) * room
    filled = begin != end
    return base + 2 * begin + filled, base + 2 * end - filled


def ways_of_being_cut(sides: Iterable[Fragments | None]) -> Cuts:
    """Give each way of being cut into pieces a number that depends on the ways alone; 0 is left for one piece."""
    ways = {pieces for side in sides if side is not None for pieces in _pieces_of_spans(side).values()}
    return {pieces: number for number, pieces in enumerate(sorted(ways), start=1)}


def cut_numbers(size: int, fragments: Fragments | None, cuts: Cuts) -> Rows:
    """Return for each span the number of the way it is cut; 0 for one piece, which takes no memory if all are."""
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
