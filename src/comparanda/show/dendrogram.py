"""Clusters drawn as a tree, a line for each leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.comparison.diversity.clusters import Merge

_WIDTH = 40


def dendrogram(order: Sequence[str], merges: Sequence[Merge]) -> list[str]:
    """Draw merges from left to right, each as far to the right as it is high, and behind those that it joins.

    >>> from comparanda.comparison.diversity.clusters import Merge
    >>> for line in dendrogram("acb", [Merge(("a",), ("c",), 0.1), Merge(("a", "c"), ("b",), 0.4)]):
    ...     print(line)
    ──────────┬─────────────────────────────┐
    ──────────┘                             │
    ────────────────────────────────────────┘
    """
    grid: list[dict[int, str]] = [{} for _ in order]
    begins: dict[tuple[str, ...], int] = {(name,): 0 for name in order}  # where the line of a cluster begins
    row = {name: number for number, name in enumerate(order)}
    highest = max((merge.height for merge in merges), default=0.0) or 1.0
    for number, merge in enumerate(merges, start=1):
        column = round(_WIDTH * merge.height / highest)
        column = max(column, begins[merge.left] + 1, begins[merge.right] + 1)
        upper, lower = row[merge.left[0]], row[merge.right[0]]
        for line, begin in ((upper, begins[merge.left]), (lower, begins[merge.right])):
            grid[line] = dict.fromkeys(range(begin, column), "─") | grid[line]
        for between in range(upper + 1, lower):
            grid[between][column] = "│"
        grid[upper][column], grid[lower][column] = "┐" if number == len(merges) else "┬", "┘"
        begins[merge.left + merge.right] = column
    return ["".join(line.get(column, " ") for column in range(max(line, default=0) + 1)) for line in grid]
