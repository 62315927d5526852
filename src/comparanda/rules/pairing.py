"""One-to-one pairing of rows: the best pairs first, or the best pairing as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.errors import RuleError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from comparanda.columns import Rows

    Array = NDArray[Any]

MOST_CELLS = 25_000_000
"""How large a crowd of rows may be that are paired in the best way: the product of both sides."""

_FEW = 0.9
"""Once a round leaves more of the pairs than this, pairs are taken one by one."""

_STRETCH = 1 << 20


def contested(left: Rows, right: Rows) -> Array:
    """Return which pairs have a rival: another pair with the same row on one side."""
    if not len(left):
        return np.zeros(0, np.bool_)
    rivals: Array = (np.bincount(left)[left] > 1) | (np.bincount(right)[right] > 1)
    return rivals


def ranked(left: Rows, right: Rows, best: Sequence[Array]) -> Rows:
    """Return pairs in order: by the `best` numbers, the smallest first and missing ones last, then by content."""
    return np.lexsort((right, left, *reversed(best)))


def greedy(left: Rows, right: Rows, best: Sequence[Array]) -> Rows:
    """Choose pairs, the best first, each row at most once; returns the positions of the chosen ones in order.

    Every round takes the pairs that are the first choice of both their rows. As the order of pairs is strict,
    that is what taking one pair after the other would choose.
    """
    rivals = contested(left, right)
    chosen = ~rivals
    crowd = np.flatnonzero(rivals)
    if crowd.size:
        order = crowd[ranked(left[crowd], right[crowd], [each[crowd] for each in best])]
        chosen[order[_rounds(left[order], right[order])]] = True
    return np.flatnonzero(chosen)


def _rounds(left: Rows, right: Rows) -> Rows:
    """Return the pairs that are chosen, of pairs in order of preference."""
    _, left = np.unique(left, return_inverse=True)
    _, right = np.unique(right, return_inverse=True)
    first_of_left, first_of_right = np.empty(left.max() + 1, np.int64), np.empty(right.max() + 1, np.int64)
    taken_left, taken_right = np.zeros(len(first_of_left), np.bool_), np.zeros(len(first_of_right), np.bool_)
    alive, chosen = np.arange(len(left)), []
    while alive.size:
        mine, theirs = left[alive], right[alive]
        first_of_left[mine[::-1]] = alive[::-1]  # the last to be written is the first in order
        first_of_right[theirs[::-1]] = alive[::-1]
        winners = alive[(first_of_left[mine] == alive) & (first_of_right[theirs] == alive)]
        chosen.append(winners)
        taken_left[left[winners]] = taken_right[right[winners]] = True
        before = alive.size
        alive = alive[~(taken_left[mine] | taken_right[theirs])]
        if alive.size > _FEW * before:
            chosen += _one_by_one(left, right, alive, taken_left, taken_right)
            break
    return np.concatenate(chosen)


def _one_by_one(left: Rows, right: Rows, alive: Rows, taken_left: Array, taken_right: Array) -> Iterator[Rows]:
    """Take the rest one pair after the other: of rows that are all the same, a round would take one pair of all."""
    for begin in range(0, len(alive), _STRETCH):
        some = alive[begin : begin + _STRETCH]
        some = some[~(taken_left[left[some]] | taken_right[right[some]])]
        found = []
        for place, mine, theirs in zip(some.tolist(), left[some].tolist(), right[some].tolist(), strict=True):
            if not (taken_left[mine] or taken_right[theirs]):
                taken_left[mine] = taken_right[theirs] = True
                found.append(place)
        yield np.array(found, np.int64)


def optimal(left: Rows, right: Rows, best: Sequence[Array]) -> Rows:
    """Choose as many pairs as possible, and among such choices one with the least sum of the first `best` number.

    What is still equal is decided by content: rows and columns of the assignment stand in that order.
    """
    rivals = contested(left, right)
    chosen = ~rivals
    crowd = np.flatnonzero(rivals)
    if crowd.size:
        cost = best[0][crowd] if best else np.zeros(len(crowd))
        chosen[crowd[_assigned(left[crowd], right[crowd], np.nan_to_num(cost, nan=np.inf))]] = True
    return np.flatnonzero(chosen)


def _assigned(left: Rows, right: Rows, cost: Array) -> Rows:
    """Solve the assignment of each crowd of rows that can be paired with each other."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    _, left = np.unique(left, return_inverse=True)
    _, right = np.unique(right, return_inverse=True)
    lefts, rights = int(left.max()) + 1, int(right.max()) + 1
    links = coo_array((np.ones(len(left)), (left, right + lefts)), shape=(lefts + rights, lefts + rights))
    _, crowds = connected_components(links, directed=False)
    crowd = crowds[left]
    order = np.argsort(crowd, kind="stable")
    cuts = np.flatnonzero(np.diff(crowd[order])) + 1
    return np.concatenate([each[_solved(left[each], right[each], cost[each])] for each in np.split(order, cuts)])


def _solved(left: Rows, right: Rows, cost: Array) -> Rows:
    """Solve one crowd; returns the positions of the chosen pairs."""
    from scipy.optimize import linear_sum_assignment

    lefts, left = np.unique(left, return_inverse=True)
    rights, right = np.unique(right, return_inverse=True)
    if len(lefts) * len(rights) > MOST_CELLS:
        what = f"{len(lefts):,} rows and {len(rights):,} rows crowd in one place: too many for the optimal pairing"
        raise RuleError(what, hint="use pair = 'one-to-one', which takes the best pairs first")
    finite = np.where(np.isfinite(cost), cost, cost[np.isfinite(cost)].max(initial=0.0) + 1.0)
    spread = finite - finite.min()
    most = min(len(lefts), len(rights))
    none = (spread.max() + 1.0) * (most + 1)  # no saving in cost is worth a pair less
    table = np.full((len(lefts), len(rights)), none)
    place = np.full(table.shape, -1)
    table[left, right], place[left, right] = spread, np.arange(len(left))
    chosen: Rows = place[linear_sum_assignment(table)]
    return chosen[chosen >= 0]
