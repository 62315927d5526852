"""What brackets in cells of words cannot say of chains: which one closes which where mentions of one chain cross."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence

from comparanda.write.chunks import Run

CROSSING = "chains of spans that cross another one of their chain"
KEPT = "which of several chains comes first and keeps a mention that all of them have"


def ambiguous(chains: Sequence[str | None], runs: Sequence[Sequence[Run]]) -> Iterator[int]:
    """Give the spans that a reader could not tell from another one of their chain, by which bracket closes which.

    These are spans that cross another one, and discontinuous ones that stand among the pieces of another one.
    """
    by_chain: dict[tuple[str, bool], list[int]] = defaultdict(list)
    for number, name in enumerate(chains):
        if name is not None:
            by_chain[name, len(runs[number]) > 1].append(number)
    for (_, discontinuous), numbers in by_chain.items():
        open_until: list[int] = []
        for number in sorted(numbers, key=lambda number: (runs[number][0].first, -runs[number][-1].behind)):
            first, behind = runs[number][0].first, runs[number][-1].behind
            while open_until and open_until[-1] <= first:
                open_until.pop()
            if open_until and (discontinuous or behind > open_until[-1]):
                yield number
            else:
                open_until.append(behind)


def kept_elsewhere(mentions: Sequence[tuple[Hashable, str]], order: Iterable[int]) -> Iterator[Hashable]:
    """Give the mentions of several chains that another chain keeps if mentions are written in another order.

    A mention that is there twice stays in the chain that is met first (DEFINITIONS 8).

    Args:
        mentions: where each stands, and its chain, in the order of the input.
        order: their numbers, in the order in which they are written.

    >>> [*kept_elsewhere([((5, 6), "1"), ((0, 1), "2"), ((5, 6), "2")], [1, 0, 2])]
    [(5, 6)]

    """
    sharing: dict[Hashable, set[str]] = defaultdict(set)
    for where, name in mentions:
        sharing[where].add(name)
    if len(sharing) == len(mentions):
        return
    before, after = (
        {name: rank for rank, name in enumerate(dict.fromkeys(mentions[number][1] for number in numbers))}
        for numbers in (range(len(mentions)), order)
    )
    for where, names in sharing.items():
        if min(names, key=before.__getitem__) != min(names, key=after.__getitem__):
            yield where
