"""Rows of two tables that belong together: by equal values, or because spans overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.errors import RuleError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.text_columns import Rows, Truths

    Array = NDArray[Any]

MOST_PAIRS = 50_000_000
"""How many pairs of rows one condition may look at: some gigabytes of memory, and some seconds."""

_ROOM = 1 << 62


def is_sorted(values: Array) -> bool:
    """Whether no value is smaller than the one before."""
    return bool((values[1:] >= values[:-1]).all())


def packed(sides: Sequence[Sequence[Array]], room: int = _ROOM) -> list[Rows]:
    """Make one number of the columns of each side: equal where all columns are, and in their order.

    Where the numbers would become too large, columns are replaced by the ranks of their values.

    >>> packed([[np.array([1, 1]), np.array([5, 7])], [np.array([1]), np.array([7])]])
    [array([13, 15]), array([15])]
    """
    keys = [np.zeros(len(side[0]), np.int64) for side in sides]
    size = 1
    for given in zip(*sides, strict=True):
        low, width, columns = _fitted(given, room // size)
        if size * width >= room:
            keys, size = _ranked(keys)
        keys = [key * width + (column - low) for key, column in zip(keys, columns, strict=True)]
        size *= width
    return keys


def _fitted(columns: tuple[Array, ...], room: int) -> tuple[int, int, tuple[Array, ...]]:
    """Return the least value of a column on all sides and how many there may be; by ranks if these are too many."""
    low, high, whole = 0, 0, True
    for column in columns:
        whole = whole and column.dtype.kind in "iub"
        if whole and column.size:
            low, high = min(low, int(column.min())), max(high, int(column.max()))
    if whole and high - low + 1 < room:
        return low, high - low + 1, columns
    ranked, width = _ranked(list(columns))
    return 0, width, tuple(ranked)


def _ranked(columns: list[Array]) -> tuple[list[Array], int]:
    """Replace values by their ranks among those of all sides."""
    values, ranks = np.unique(np.concatenate(columns), return_inverse=True)
    cuts = np.cumsum([len(column) for column in columns])[:-1]
    return np.split(ranks.astype(np.int64), cuts), len(values) + 1


def expanded(low: Rows, high: Rows) -> tuple[Rows, Rows]:
    """Lay ranges end to end: the number of each range, repeated, and the positions in it.

    Every pair of rows that is looked at is made here; a condition that asks for too many of them is refused.

    >>> [part.tolist() for part in expanded(np.array([3, 0]), np.array([5, 1]))]
    [[0, 0, 1], [3, 4, 0]]
    """
    counts = np.maximum(high - low, 0)
    if (pairs := int(counts.sum())) > MOST_PAIRS:
        what = f"{pairs:,} pairs of rows would have to be looked at, and at most {MOST_PAIRS:,} can be"
        raise RuleError(what, hint="compare more columns of both rows with ==, or write overlaps(…)")
    owner = np.repeat(np.arange(len(counts)), counts)
    shift = low - np.cumsum(counts) + counts
    return owner, np.arange(len(owner)) + shift[owner]


def equal_pairs(left: Rows, right: Rows) -> tuple[Rows, Rows]:
    """Return all pairs of positions with equal keys, by the left one, then by the right one."""
    order = None if is_sorted(right) else np.argsort(right, kind="stable")
    ordered = right if order is None else right[order]
    low = np.searchsorted(ordered, left, "left")
    owner, place = expanded(low, np.searchsorted(ordered, left, "right"))
    return owner, place if order is None else order[place]


def is_among(left: Rows, right: Rows) -> Truths:
    """Whether each left key is one of the right ones."""
    if not len(right):
        return np.zeros(len(left), np.bool_)
    ordered = right if is_sorted(right) else np.sort(right)
    place = np.searchsorted(ordered, left)
    place[place == len(ordered)] = 0
    found: Truths = ordered[place] == left
    return found


class Intervals:
    """Closed intervals of two sides, each side in groups; pairs are sought inside groups alone.

    Every overlapping pair has exactly one of these: the right one begins inside the left one, or the left one
    begins behind the right one's begin and inside it. So the work is that of sorting and of the pairs themselves.
    """

    def __init__(
        self, left: tuple[Rows, Rows], right: tuple[Rows, Rows], groups: tuple[Rows, Rows] | None = None
    ) -> None:
        self.left, self.right = left, right
        if groups is not None:
            self.left, self.right = _apart(left, right, groups)

    def pairs(self) -> tuple[Rows, Rows]:
        """Return all pairs of positions that overlap, by the left one, then by the right one."""
        (left_low, left_high), (right_low, right_high) = self.left, self.right
        by_right = None if is_sorted(right_low) else np.argsort(right_low, kind="stable")
        ordered = right_low if by_right is None else right_low[by_right]
        owner, place = expanded(
            np.searchsorted(ordered, left_low, "left"), np.searchsorted(ordered, left_high, "right")
        )
        right = place if by_right is None else by_right[place]
        by_left = None if is_sorted(left_low) else np.argsort(left_low, kind="stable")
        ordered = left_low if by_left is None else left_low[by_left]
        other, place = expanded(
            np.searchsorted(ordered, right_low, "right"), np.searchsorted(ordered, right_high, "right")
        )
        left = place if by_left is None else by_left[place]
        if not len(left):
            return owner, right
        lefts, rights = np.concatenate([owner, left]), np.concatenate([right, other])
        order = np.argsort(lefts * (len(right_low) + 1) + rights, kind="stable")
        return lefts[order], rights[order]

    def counts(self) -> Rows:
        """Return how many of the right side each of the left side overlaps."""
        (left_low, left_high), (right_low, right_high) = self.left, self.right
        begun = np.searchsorted(_in_order(right_low), left_high, "right")
        return begun - np.searchsorted(_in_order(right_high), left_low, "left")


def _in_order(values: Rows) -> Rows:
    return values if is_sorted(values) else np.sort(values)


def _apart(
    left: tuple[Rows, Rows], right: tuple[Rows, Rows], groups: tuple[Rows, Rows]
) -> tuple[tuple[Rows, Rows], tuple[Rows, Rows]]:
    """Move the intervals of each group to a stretch of their own."""
    ends = [int(side.max()) for side in (left[1], right[1]) if side.size]
    begins = [int(side.min()) for side in (left[0], right[0]) if side.size]
    low, width = min(begins, default=0), max(ends, default=0) - min(begins, default=0) + 1
    highest = max((int(group.max()) for group in groups if group.size), default=0)
    if (highest + 1) * width >= _ROOM:
        ranked, _ = _ranked(list(groups))
        groups = (ranked[0], ranked[1])
        ranked, width = _ranked([*left, *right])  # in the order of the places, which is all that matters
        left, right, low = (ranked[0], ranked[1]), (ranked[2], ranked[3]), 0
    first, second = (group * width - low for group in groups)
    return (left[0] + first, left[1] + first), (right[0] + second, right[1] + second)
