"""Of spans that overlap, the strongest."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

import numpy as np

from comparanda.extents import line, stretch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.align import PlacedSpans
    from comparanda.columns import Rows, Truths


def strongest(spans: PlacedSpans, votes: NDArray[np.int64]) -> Rows:
    """Return spans no two of which overlap: one after the other is taken unless it overlaps one that was.

    Those with more votes go first, then the longer ones, then the earlier ones, then as they stand.
    """
    if not len(spans):
        return np.zeros(0, np.int64)
    owner, begin, end = _pieces(spans)
    document = spans.document[owner]
    low, high = line(document, begin, end, stretch([end], int(document.max())))
    crowded = _crowded(low, high, owner, len(spans))
    length = np.bincount(owner, end - begin, len(spans))
    order = np.lexsort((spans.begin, spans.document, -length, -votes))
    bounds = np.searchsorted(owner, np.arange(len(spans) + 1)).tolist()
    kept, covered = ~crowded, _Covered()
    for span in order[crowded[order]].tolist():
        mine = slice(bounds[span], bounds[span + 1])
        kept[span] = covered.add(list(zip(low[mine].tolist(), high[mine].tolist(), strict=True)))
    return np.flatnonzero(kept)


def _pieces(spans: PlacedSpans) -> tuple[Rows, Rows, Rows]:
    """Return the pieces of all spans: which span each is of, in order, where it begins and ends."""
    owner, fragments = np.arange(len(spans)), spans.fragments
    if fragments is None:
        return owner, spans.begin, spans.end
    whole = np.setdiff1d(owner, fragments.span)
    owner = np.concatenate([whole, fragments.span])
    order = np.argsort(owner, kind="stable")
    begin = np.concatenate([spans.begin[whole], fragments.begin])
    end = np.concatenate([spans.end[whole], fragments.end])
    return owner[order], begin[order], end[order]


def _crowded(low: Rows, high: Rows, owner: Rows, count: int) -> Truths:
    """Return which spans may overlap another: only these must be looked at one by one."""
    order = np.argsort(low, kind="stable")
    reach = np.maximum.accumulate(high[order])
    begins = np.ones(len(low), np.bool_)
    begins[1:] = low[order][1:] > reach[:-1]
    cluster = np.cumsum(begins) - 1
    crowded = np.zeros(count, np.bool_)
    crowded[owner[order][np.bincount(cluster)[cluster] > 1]] = True
    return crowded


class _Covered:
    """What is covered so far: closed intervals in order, no two of which overlap."""

    def __init__(self) -> None:
        self.low: list[int] = []
        self.high: list[int] = []

    def add(self, pieces: list[tuple[int, int]]) -> bool:
        """Cover some more unless any of it is covered already, and say whether that was done."""
        for low, high in pieces:
            place = bisect_right(self.low, high)
            if place and self.high[place - 1] >= low:
                return False
        for low, high in pieces:
            place = bisect_right(self.low, low)
            self.low.insert(place, low)
            self.high.insert(place, high)
        return True
