"""Join rows of two tables: by equal values or by overlap of spans."""

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
"""The maximum number of pairs of rows for one condition: some gigabytes of memory, and some seconds."""

_KEY_LIMIT = 1 << 62


def is_sorted(values: Array) -> bool:
    """Whether the values are in ascending order."""
    return bool((values[1:] >= values[:-1]).all())


def pack_columns(sides: Sequence[Sequence[Array]], room: int = _KEY_LIMIT) -> list[Rows]:
    """Combine the columns of each side into one integer key: equal where all columns are, and ordered like them.

    If the keys would become too large, values are replaced by their ranks.

    >>> pack_columns([[np.array([1, 1]), np.array([5, 7])], [np.array([1]), np.array([7])]])
    [array([13, 15]), array([15])]
    """
    keys = [np.zeros(len(side[0]), np.int64) for side in sides]
    size = 1
    for given in zip(*sides, strict=True):
        low, width, columns = _fit_column(given, room // size)
        if size * width >= room:
            keys, size = _rank_values(keys)
        keys = [key * width + (column - low) for key, column in zip(keys, columns, strict=True)]
        size *= width
    return keys


def _fit_column(columns: tuple[Array, ...], room: int) -> tuple[int, int, tuple[Array, ...]]:
    """Return the minimum and the range of a column over all sides, and its values; ranks if the range is too large."""
    low, high, whole = 0, 0, True
    for column in columns:
        whole = whole and column.dtype.kind in "iub"
        if whole and column.size:
            low, high = min(low, int(column.min())), max(high, int(column.max()))
    if whole and high - low + 1 < room:
        return low, high - low + 1, columns
    ranked, width = _rank_values(list(columns))
    return 0, width, tuple(ranked)


def _rank_values(columns: list[Array]) -> tuple[list[Array], int]:
    """Replace values by their ranks among the values of all sides."""
    values, ranks = np.unique(np.concatenate(columns), return_inverse=True)
    cuts = np.cumsum([len(column) for column in columns])[:-1]
    return np.split(ranks.astype(np.int64), cuts), len(values) + 1


def expand_ranges(low: Rows, high: Rows) -> tuple[Rows, Rows]:
    """Concatenate ranges: the number of each range, repeated, and the positions in it.

    All pairs of rows are generated here; a condition with too many of them is refused.

    >>> [part.tolist() for part in expand_ranges(np.array([3, 0]), np.array([5, 1]))]
    [[0, 0, 1], [3, 4, 0]]
    """
    counts = np.maximum(high - low, 0)
    if (pairs := int(counts.sum())) > MOST_PAIRS:
        what = f"the condition would compare {pairs:,} pairs of rows; at most {MOST_PAIRS:,} are allowed"
        raise RuleError(what, hint="compare more columns of both rows with ==, or write overlaps(…)")
    owner = np.repeat(np.arange(len(counts)), counts)
    shift = low - np.cumsum(counts) + counts
    return owner, np.arange(len(owner)) + shift[owner]


def equal_pairs(left: Rows, right: Rows) -> tuple[Rows, Rows]:
    """Return all pairs of positions with equal keys, ordered by left, then right position."""
    order = None if is_sorted(right) else np.argsort(right, kind="stable")
    ordered = right if order is None else right[order]
    low = np.searchsorted(ordered, left, "left")
    owner, place = expand_ranges(low, np.searchsorted(ordered, left, "right"))
    return owner, place if order is None else order[place]


def is_among(left: Rows, right: Rows) -> Truths:
    """Whether each left key occurs on the right."""
    if not len(right):
        return np.zeros(len(left), np.bool_)
    ordered = right if is_sorted(right) else np.sort(right)
    place = np.searchsorted(ordered, left)
    place[place == len(ordered)] = 0
    found: Truths = ordered[place] == left
    return found


class Intervals:
    """Closed intervals of two sides, optionally in groups; only intervals of the same group are paired.

    For every overlapping pair exactly one of two cases holds: the right interval begins inside the left one, or the
    left one begins inside the right one and after its beginning. So the cost is that of sorting and of the pairs.
    """

    def __init__(
        self, left: tuple[Rows, Rows], right: tuple[Rows, Rows], groups: tuple[Rows, Rows] | None = None
    ) -> None:
        self.left, self.right = left, right
        if groups is not None:
            self.left, self.right = _separate_groups(left, right, groups)

    def pairs(self) -> tuple[Rows, Rows]:
        """Return all pairs of overlapping intervals as positions, ordered by left, then right position."""
        (left_low, left_high), (right_low, right_high) = self.left, self.right
        by_right = None if is_sorted(right_low) else np.argsort(right_low, kind="stable")
        ordered = right_low if by_right is None else right_low[by_right]
        owner, place = expand_ranges(
            np.searchsorted(ordered, left_low, "left"), np.searchsorted(ordered, left_high, "right")
        )
        right = place if by_right is None else by_right[place]
        by_left = None if is_sorted(left_low) else np.argsort(left_low, kind="stable")
        ordered = left_low if by_left is None else left_low[by_left]
        other, place = expand_ranges(
            np.searchsorted(ordered, right_low, "right"), np.searchsorted(ordered, right_high, "right")
        )
        left = place if by_left is None else by_left[place]
        if not len(left):
            return owner, right
        lefts, rights = np.concatenate([owner, left]), np.concatenate([right, other])
        order = np.argsort(lefts * (len(right_low) + 1) + rights, kind="stable")
        return lefts[order], rights[order]

    def counts(self) -> Rows:
        """Return the number of overlapping right intervals for each left one."""
        (left_low, left_high), (right_low, right_high) = self.left, self.right
        begun = np.searchsorted(_sort_if_needed(right_low), left_high, "right")
        return begun - np.searchsorted(_sort_if_needed(right_high), left_low, "left")


def _sort_if_needed(values: Rows) -> Rows:
    return values if is_sorted(values) else np.sort(values)


def _separate_groups(
    left: tuple[Rows, Rows], right: tuple[Rows, Rows], groups: tuple[Rows, Rows]
) -> tuple[tuple[Rows, Rows], tuple[Rows, Rows]]:
    """Shift the intervals of each group to a separate part of the line."""
    ends = [int(side.max()) for side in (left[1], right[1]) if side.size]
    begins = [int(side.min()) for side in (left[0], right[0]) if side.size]
    low, width = min(begins, default=0), max(ends, default=0) - min(begins, default=0) + 1
    highest = max((int(group.max()) for group in groups if group.size), default=0)
    if (highest + 1) * width >= _KEY_LIMIT:
        ranked, _ = _rank_values(list(groups))
        groups = (ranked[0], ranked[1])
        ranked, width = _rank_values([*left, *right])  # only the order of positions matters
        left, right, low = (ranked[0], ranked[1]), (ranked[2], ranked[3]), 0
    first, second = (group * width - low for group in groups)
    return (left[0] + first, left[1] + first), (right[0] + second, right[1] + second)
