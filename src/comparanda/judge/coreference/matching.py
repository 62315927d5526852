"""Mentions of a response taken for those of the key that do not have the very same words.

Each is taken for one mention at most, and those at the same place are always taken for each other. With `head`, two
mentions are the same if they have the same head; with `partial`, if the response's is inside the key's and has its head
in it. Of several the one that shares most words is taken, then the one that begins first, then that which ends first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.rules.joins import packed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.columns import Rows
    from comparanda.judge.coreference.gathering import Side
    from comparanda.judge.task import Matching


def matched(key: Side, response: Side, how: Matching) -> Side:
    """Return a response whose mentions stand where the key's mentions that they are taken for do."""
    if how == "exact":
        return response
    mine, theirs = packed([key.where, response.where])
    free = np.flatnonzero(~np.isin(mine, theirs)), np.flatnonzero(~np.isin(theirs, mine))
    pairs = _paired(_candidates(key, response, *free, how), key, response)
    if not pairs:
        return response
    rows, partners = np.array(pairs, np.int64).T
    columns = [column.copy() for column in response.where]
    for column, given in zip(columns, key.where, strict=True):
        column[rows] = given[partners]
    document, begin, end, cut = columns
    return replace(response, document=document, begin=begin, end=end, cut=cut)


def _candidates(key: Side, response: Side, mine: Rows, theirs: Rows, how: Matching) -> Iterator[tuple[int, int]]:
    """Give the pairs that may be the same: a mention of the response, and one of the key."""
    by_head: dict[tuple[int, int], list[int]] = {}
    for row in mine.tolist():
        if key.head[row] >= 0:
            by_head.setdefault((int(key.document[row]), int(key.head[row])), []).append(row)
    for row in theirs.tolist():
        document, head = int(response.document[row]), int(response.head[row])
        if head < 0:
            continue
        if how == "head":
            yield from ((row, other) for other in by_head.get((document, head), ()))
            continue
        for place in range(int(response.first[row]), int(response.last[row])):
            for other in by_head.get((document, place), ()):
                if key.begin[other] <= response.begin[row] and response.end[row] <= key.end[other]:
                    yield row, other


def _paired(candidates: Iterator[tuple[int, int]], key: Side, response: Side) -> list[tuple[int, int]]:
    """Choose pairs one to one, the best first."""

    def rank(pair: tuple[int, int]) -> tuple[int, ...]:
        row, other = pair
        common = min(response.last[row], key.last[other]) - max(response.first[row], key.first[other])  # in words
        ends = response.begin[row], response.end[row], key.begin[other], key.end[other]
        return -int(common), int(response.document[row]), *map(int, ends), int(response.cut[row]), int(key.cut[other])

    taken: tuple[set[int], set[int]] = set(), set()
    chosen = []
    for row, other in sorted(candidates, key=rank):
        if row not in taken[0] and other not in taken[1]:
            taken[0].add(row)
            taken[1].add(other)
            chosen.append((row, other))
    return chosen
