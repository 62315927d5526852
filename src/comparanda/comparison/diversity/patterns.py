"""Which runs are right together: agreement patterns over sites (DEFINITIONS 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.comparison.context import Context, share
from comparanda.expressions import quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.columns import Truths

MOST_PATTERNS = 1000
"""How many patterns are kept, the most frequent ones; many systems have very many."""

_BYTES = 7  # of a word, so that its sign is never touched


@dataclass(frozen=True)
class Pattern:
    """The sites at which just some of the runs are right.

    Args:
        right: these runs; none of them, or all, are patterns too.
        count: how many sites.
        share: of all sites.
        where: the condition that selects them.

    """

    right: tuple[str, ...]
    count: int
    share: float | None
    where: str


@dataclass(frozen=True)
class Patterns:
    """Sites by which runs are right, the most frequent pattern first.

    Args:
        distinct: how many different patterns there are.
        patterns: the most frequent ones, at most 1,000. Of equally frequent ones that in which the run whose name is
            first in the alphabet is right comes first, then the second …
        rest: how many sites have other patterns.

    """

    distinct: int
    patterns: tuple[Pattern, ...]
    rest: int


def patterns(context: Context) -> Patterns:
    """Count sites by which runs are right."""
    sites, runs = context.sites, context.verdicts.runs
    order = sorted(range(len(runs)), key=runs.__getitem__)
    found, counts = distinct_patterns([sites.disputed.right[run] for run in order])
    easy = len(sites) - len(sites.contested)
    if easy:  # everywhere else all are right
        found = np.concatenate([np.ones((1, len(runs)), np.bool_), found])
        counts = np.concatenate([[easy], counts])
    chosen = np.argsort(-counts, kind="stable")[:MOST_PATTERNS].tolist()
    in_order = np.empty_like(found)
    in_order[:, order] = found
    rows = tuple(_pattern(runs, in_order[row].tolist(), int(counts[row]), len(sites)) for row in chosen)
    return Patterns(len(counts), rows, len(sites) - sum(row.count for row in rows))


def _pattern(runs: Sequence[str], right: list[bool], count: int, sites: int) -> Pattern:
    names = tuple(run for run, state in zip(runs, right, strict=True) if state)
    wrong = [run for run, state in zip(runs, right, strict=True) if not state]
    few = [f"right({quote(run)})" for run in names]
    if len(wrong) < len(names):  # name the fewer: how many are right tells the others
        few = [f"not right({quote(run)})" for run in wrong]
    return Pattern(names, count, share(count, sites), " and ".join([*few, f"solved_by == {len(names)}"]))


def distinct_patterns(right: Sequence[Truths]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return the distinct columns of truths as rows, from all true to all false, and how many there are of each."""
    packed = np.packbits(np.stack(right), axis=0).astype(np.int64)
    words = [packed[begin : begin + _BYTES] for begin in range(0, len(packed), _BYTES)]
    table = np.stack([_joined(word) for word in words])
    if len(table) == 1:  # the ordinary case, a hundred times faster
        values, counts = np.unique(table[0], return_counts=True)
        found = values[None, :]
    else:
        found, counts = np.unique(table, axis=1, return_counts=True)
    parts = [
        (column >> 8 * (len(word) - 1 - place)) & 0xFF
        for column, word in zip(found, words, strict=True)
        for place in range(len(word))
    ]
    bits = np.unpackbits(np.stack(parts, axis=1).astype(np.uint8), axis=1, count=len(right))
    return bits[::-1].astype(np.bool_), counts[::-1]


def _joined(parts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Lay the bytes of each column end to end."""
    word: NDArray[np.int64] = np.zeros_like(parts[0])
    for part in parts:
        word <<= 8
        word |= part
    return word
