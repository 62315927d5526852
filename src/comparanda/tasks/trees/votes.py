"""Votes on dependency trees by maximum spanning trees with one root (Chu & Liu 1965, Edmonds 1967)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import NONE, values_on_key
from comparanda.core import heads as trees
from comparanda.core.corpus import ROOT, Arcs, owner_of_rows
from comparanda.core.places import Note
from comparanda.core.sites import ABSENT, recode_canonically
from comparanda.core.text_columns import TextColumn
from comparanda.tasks.labels.votes import NO_VALUE
from comparanda.tasks.vote_methods import elect, weights_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.align import Aligned, RowMap
    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Codes, Rows, Truths
    from comparanda.tasks.vote_methods import Method, Trust, Weights

    Whole = NDArray[np.int64]


_NO_ARC = np.iinfo(np.int64).min // 4


def spanning_tree(score: Whole) -> Rows:
    """Find the tree with the largest sum of scores and exactly one root, as the head of each word.

    Ties are broken deterministically, heads further left first.

    Args:
        score: the score of each arc, as (heads, words) from 0; head 0 is the root, head and word `i` are the same
            word, and word 0 is ignored.

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
            if member != broken:  # its arc remains; that of the broken one is replaced by the arc from outside
                head[below], entered[member] = above, below
    return head[1:]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _Cycle:
    """A contracted cycle: `owner` is the node of each word before contraction, `heads` and `words` the cycle's arcs."""

    node: int
    members: list[int]
    heads: list[int]
    words: list[int]
    owner: Rows


class _Arcs:
    """The best arcs between nodes, which are words or contracted cycles; `head` and `word` are the words they join."""

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
        """Penalise arcs from the root so that a tree, which needs at least one, has exactly one."""
        dear = (int(score.max()) - int(score.min()) + 1) * len(score)
        given = score.astype(np.int64, copy=True)
        given[0] -= dear
        given[:, 0] = _NO_ARC
        np.fill_diagonal(given, _NO_ARC)
        return cls(given)

    def cycle(self) -> list[int] | None:
        """Find a cycle of best arcs; None where there is none."""
        seen = np.zeros(len(self.best), np.int64)  # 0 if unseen, else the walk that saw the node
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
        """Contract a cycle into its first node."""
        node, members = cycle[0], np.array(cycle)
        best = self.best[members]
        made = _Cycle(
            node=node,
            members=cycle,
            heads=self.head[best, members].tolist(),
            words=self.word[best, members].tolist(),
            owner=self.owner.copy(),
        )
        loss = self.score[:, members] - self.score[best, members]  # from replacing an arc of the cycle by one into it
        into, out = members[loss.argmax(axis=1)], members[self.score[members].argmax(axis=0)]
        rows = np.arange(len(self.best))
        entering = loss.max(axis=1), self.head[rows, into], self.word[rows, into]
        leaving = self.score[out, rows], self.head[out, rows], self.word[out, rows]
        tables = self.score, self.head, self.word
        for table, column, row in zip(tables, entering, leaving, strict=True):
            table[:, node], table[node] = column, row
        self.active[members[1:]] = False
        self.score[members[1:]] = self.score[:, members[1:]] = _NO_ARC
        self.score[node, node] = _NO_ARC
        self.score[node, 0] = _NO_ARC
        self.owner[np.isin(self.owner, members)] = node
        self.best = self.score.argmax(axis=0)
        return made


# Votes on dependency trees: first on heads, from which the best tree of each sentence follows, then on relations.
#
# Where the heads with the most votes form a tree with one root, that is the best tree.


UNKNOWN = -2
"""The head of a word that a run lacks, or whose head is not another word of the key's sentence."""

UNNAMED = "dep"
"""The relation of a word that no run has; in Universal Dependencies, an unspecified dependency."""


def voted_trees(aligned: Aligned, method: Method, trust: Trust) -> Corpus:
    """Combine the trees of all runs: find the trees with the largest sum of votes for their arcs and one root each.

    Ties go to the tree whose arcs the better runs have. The runs that have an arc vote on its relation.
    """
    key = aligned.key
    sentence = owner_of_rows(key.sentences)
    pairs = zip(aligned.responses, aligned.maps, strict=True)
    heads = [_heads_on_key(key, response.arcs, row_map, sentence) for response, row_map in pairs]
    weights = weights_of(method, trust, ("",))  # the same for all labels
    head = _find_best_trees(key.sentences, sentence=sentence, heads=heads, fold=trust.fold, weights=weights)
    relation, unnamed = _elect_relations(aligned, heads=heads, head=head, fold=trust.fold, weights=weights)
    notes = (Note("runs", f"words missing from all runs, with relation {UNNAMED}", unnamed),) if unnamed else ()
    others = {name: TextColumn.constant(NO_VALUE, len(key)) for name in key.columns}
    return replace(key, columns={**others, "value": relation}, arcs=Arcs(head), notes=notes)


def _heads_on_key(key: Corpus, arcs: Arcs | None, row_map: RowMap, sentence: Codes) -> Rows:
    """Map the heads of a run to rows of the key, one for each word of the key."""
    if arcs is None:
        raise AssertionError("a run was read without its trees")
    head = arcs.head
    if row_map.to_key is not None:
        above = row_map.to_key[np.maximum(head, 0)]
        head = np.where(head == ROOT, ROOT, np.where(above == NONE, UNKNOWN, above))
    head = values_on_key(head, row_map, UNKNOWN).astype(np.int64)
    rows = np.arange(len(key))
    beyond = (head >= 0) & ((sentence[np.maximum(head, 0)] != sentence) | (head == rows))
    return np.where(beyond, UNKNOWN, head)


def _find_best_trees(sentences: Rows, sentence: Codes, heads: Sequence[Rows], fold: Rows, *, weights: Weights) -> Rows:
    """Find the heads of the best tree of each sentence."""
    absent = len(sentence) + 1
    values = [np.where(head == UNKNOWN, absent, head + 1) for head in heads]
    head = elect(values, absent, fold, weights.over(absent)).astype(np.int64) - 1
    unknown = head == absent - 1
    head[unknown] = ROOT
    broken = (trees.count_roots(head, sentences) != 1) & (np.diff(sentences) > 0)
    broken[sentence[unknown | trees.find_cyclic(head)]] = True
    for number in np.flatnonzero(broken).tolist():
        begin, end = int(sentences[number]), int(sentences[number + 1])
        local = [np.where(each[begin:end] < 0, each[begin:end], each[begin:end] - begin) for each in heads]
        found = spanning_tree(_score_arcs(local, weights.weight[fold[begin], 0], weights.score[fold[begin]]))
        head[begin:end] = np.where(found == 0, ROOT, found - 1 + begin)
    return head


def _score_arcs(heads: Sequence[Rows], weight: NDArray[np.int64], score: NDArray[np.int64]) -> NDArray[np.int64]:
    """Score each arc of a sentence by its votes, and in ties by the rank of the best run that has it."""
    size = len(heads[0])
    rank = np.unique(score, return_inverse=True)[1].reshape(-1) + 1
    votes = np.zeros((size + 1, size + 1), np.int64)
    merit = np.zeros((size + 1, size + 1), np.int64)
    for run, head in enumerate(heads):
        words = np.flatnonzero(head != UNKNOWN)
        arcs = head[words] + 1, words + 1
        votes[arcs] += weight[run]
        merit[arcs] = np.maximum(merit[arcs], rank[run])
    return votes * (int(rank.max()) * size + 1) + merit


def _elect_relations(
    aligned: Aligned, heads: Sequence[Rows], head: Rows, fold: Rows, *, weights: Weights
) -> tuple[TextColumn, int]:
    """Elect the relation of each arc by the runs that have it; also return the number of words that no run has.

    Where no run has the arc, the runs vote that agree on whether the word is attached to the root; then all runs.
    """
    nothing = TextColumn(np.zeros(0, np.uint8), (ABSENT, UNNAMED))
    names, codes = recode_canonically([*(corpus.columns["value"] for corpus in aligned.responses), nothing])
    absent = names.index(ABSENT)
    pairs = zip(codes[:-1], aligned.maps, strict=True)
    labels = [values_on_key(column, row_map, absent).astype(np.int64) for column, row_map in pairs]
    electors: list[list[Truths]] = [
        [mine == head for mine in heads],
        [(mine == ROOT) == (head == ROOT) for mine in heads],
        [np.ones(len(head), np.bool_) for _ in heads],
    ]
    chosen = np.full(len(head), absent, np.int64)
    rest = np.arange(len(head))
    for asked in electors:
        values = [np.where(who[rest], label[rest], absent) for who, label in zip(asked, labels, strict=True)]
        chosen[rest] = elect(values, absent, fold[rest], weights.over(len(names)))
        rest = rest[chosen[rest] == absent]
    chosen[rest] = names.index(UNNAMED)
    return TextColumn(chosen, names), len(rest)
