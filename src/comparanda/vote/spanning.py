"""The best tree of a sentence: a maximum spanning tree with one root (Chu & Liu 1965, Edmonds 1967)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Rows

    Whole = NDArray[np.int64]

_NEVER = np.iinfo(np.int64).min // 4


def spanning_tree(score: Whole) -> Rows:
    """Return the head of each word in the tree with the largest sum of scores; just one word hangs on the root.

    Of equal trees the one is found that the scores alone decide, heads further left first.

    Args:
        score: what each arc is worth, as (heads, words) from 0 on; head 0 is the root, head and word `i` are the same
            word, and word 0 is not looked at.

    >>> spanning_tree(np.array([[0, 9, 9], [0, 0, 5], [0, 4, 0]])).tolist()  # 9 + 9 would have two roots
    [0, 1]

    """
    arcs = _Arcs.of(score)
    cycles: list[_Cycle] = []
    while (cycle := arcs.cycle()) is not None:
        cycles.append(arcs.contract(cycle))
    head = np.zeros(len(score), np.int64)
    entered: dict[int, int] = {}
    for node in np.flatnonzero(arcs.active)[1:].tolist():
        word = entered[node] = int(arcs.word[arcs.best[node], node])
        head[word] = arcs.head[arcs.best[node], node]
    for each in reversed(cycles):
        word = entered.pop(each.node)
        broken = each.owner[word]
        entered[int(broken)] = word
        for member, above, below in zip(each.members, each.heads, each.words, strict=True):
            if member != broken:  # its arc stays; that of the broken one gave way to the arc from without
                head[below], entered[member] = above, below
    return head[1:]


@dataclass(frozen=True, eq=False, slots=True)
class _Cycle:
    """Nodes that were made one: `owner` says in which node each word was then, `heads` and `words` their arcs."""

    node: int
    members: list[int]
    heads: list[int]
    words: list[int]
    owner: Rows


class _Arcs:
    """The best arcs between nodes, which are words or cycles of them; `head` and `word` say which words they join."""

    def __init__(self, score: Whole) -> None:
        size = len(score)
        self.score = score
        self.head = np.repeat(np.arange(size)[:, None], size, axis=1)
        self.word = self.head.T.copy()
        self.owner = np.arange(size)
        self.active = np.ones(size, np.bool_)
        self.best = score.argmax(axis=0)

    @classmethod
    def of(cls, score: Whole) -> _Arcs:
        """Make a second root dearer than anything else: a tree has one at least, so it will have just one."""
        dear = (int(score.max()) - int(score.min()) + 1) * len(score)
        given = score.astype(np.int64, copy=True)
        given[0] -= dear
        given[:, 0] = _NEVER
        np.fill_diagonal(given, _NEVER)
        return cls(given)

    def cycle(self) -> list[int] | None:
        """Return a cycle of best arcs, if there is one."""
        seen = np.zeros(len(self.best), np.int64)  # 0 never, else in which walk
        seen[0] = -1
        for start in np.flatnonzero(self.active)[1:].tolist():
            node = start
            while not seen[node]:
                seen[node] = start
                node = int(self.best[node])
            if seen[node] == start:
                found = [node]
                while (node := int(self.best[node])) != found[0]:
                    found.append(node)
                return sorted(found)
        return None

    def contract(self, cycle: list[int]) -> _Cycle:
        """Make one node of a cycle: the first of its nodes stands for all."""
        node, members = cycle[0], np.array(cycle)
        best = self.best[members]
        made = _Cycle(
            node, cycle, self.head[best, members].tolist(), self.word[best, members].tolist(), self.owner.copy()
        )
        loss = self.score[:, members] - self.score[best, members]  # of an arc into the cycle, for the one it replaces
        into, out = members[loss.argmax(axis=1)], members[self.score[members].argmax(axis=0)]
        rows = np.arange(len(self.best))
        entering = loss.max(axis=1), self.head[rows, into], self.word[rows, into]
        leaving = self.score[out, rows], self.head[out, rows], self.word[out, rows]
        tables = self.score, self.head, self.word
        for table, column, row in zip(tables, entering, leaving, strict=True):
            table[:, node], table[node] = column, row
        self.active[members[1:]] = False
        self.score[members[1:]] = self.score[:, members[1:]] = _NEVER
        self.score[node, node] = _NEVER
        self.score[node, 0] = _NEVER
        self.owner[np.isin(self.owner, members)] = node
        self.best = self.score.argmax(axis=0)
        return made
