"""The ways of combining the outputs of several runs: their names, and what each of them can combine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.errors import UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.core.text_columns import Codes, Rows, Truths

    Whole = NDArray[np.int64]


Ground = Literal["spans", "links", "values", "sets", "trees"]
"""What is voted on: typed spans, typed spans with an id, one value a row, a set of labels a row, trees."""

Needs = Literal["nothing", "ranks", "weights", "labels"]
"""What a vote must know of the runs: nothing, which is better, how good each is, how good at each label."""

UNION = "union"
INTERSECTION = "intersection"
MAJORITY = "majority"
WEIGHTED = "weighted"
PER_LABEL = "per-label"
AT_LEAST = "at-least"
TAG_VOTE = "tag-vote"
TREE_VOTE = "tree-vote"
WEIGHTED_TREE_VOTE = "weighted-tree-vote"

DEFAULTS: dict[Ground, tuple[str, ...]] = {
    "spans": (UNION, MAJORITY, INTERSECTION, WEIGHTED, PER_LABEL, TAG_VOTE),
    "links": (UNION, MAJORITY, INTERSECTION, WEIGHTED, PER_LABEL),
    "values": (MAJORITY, WEIGHTED, PER_LABEL),
    "sets": (UNION, MAJORITY, INTERSECTION, WEIGHTED, PER_LABEL),
    "trees": (TREE_VOTE, WEIGHTED_TREE_VOTE),
}
"""The methods that are tried where none is named."""

NAMES = (UNION, INTERSECTION, f"{AT_LEAST}-K", MAJORITY, WEIGHTED, PER_LABEL, TAG_VOTE, TREE_VOTE, WEIGHTED_TREE_VOTE)

_VOTES: dict[Ground, str] = {
    "spans": "span vote",
    "links": "link vote",
    "values": "value vote",
    "sets": "label vote",
    "trees": "tree vote",
}
_NEEDS: dict[str, Needs] = {
    WEIGHTED: "weights",
    PER_LABEL: "labels",
    TAG_VOTE: "ranks",
    TREE_VOTE: "ranks",
    WEIGHTED_TREE_VOTE: "weights",
}
_WRITTEN = re.compile(rf"{AT_LEAST}-([0-9]+)")


@dataclass(frozen=True, slots=True)
class Method:
    """A way of combining, by its name, such as `union`, `at-least-2` or `weighted`.

    >>> Method.parse("at-least-2")
    Method(kind='at-least', least=2)

    """

    kind: str
    least: int | None = None

    @classmethod
    def parse(cls, written: str) -> Method:
        """Read a name as people write it."""
        name = written.strip().lower()
        if found := _WRITTEN.fullmatch(name):
            if int(found[1]) < 1:
                raise UsageError(f"{written!r}: at least one run must have what is kept", hint=f"{AT_LEAST}-2, say")
            return cls(AT_LEAST, int(found[1]))
        if name not in NAMES or name == f"{AT_LEAST}-K":
            raise UsageError(
                f"no way of combining is called {written!r}{nearest(name, NAMES)}", hint=f"methods: {', '.join(NAMES)}"
            )
        return cls(name)

    def __str__(self) -> str:
        return self.kind if self.least is None else f"{self.kind}-{self.least}"

    def needs(self, ground: Ground) -> Needs:
        """Return what must be known of the runs; where one value is to be found, ties go to the better run."""
        return _NEEDS.get(self.kind, "ranks" if ground == "values" else "nothing")

    def vote(self, ground: Ground) -> str:
        """Return what is voted on, in words: a vote on spans and one on their tags differ."""
        return "tag vote" if self.kind == TAG_VOTE else _VOTES[ground]

    def check(self, ground: Ground, runs: int) -> None:
        """Refuse what cannot be combined so."""
        if self.least is not None and self.least > runs:
            raise UsageError(f"{self}: there are only {runs} runs", hint=f"{AT_LEAST}-{runs} is what all of them have")
        reason = self._misfit(ground)
        if reason is not None:
            raise UsageError(f"{self}: {reason}", hint=f"methods here: {', '.join(DEFAULTS[ground])}")

    def _misfit(self, ground: Ground) -> str | None:
        of_trees = self.kind in {TREE_VOTE, WEIGHTED_TREE_VOTE}
        if ground == "trees":
            return None if of_trees else "heads that are voted on one by one need not make a tree"
        if of_trees:
            return "there are no trees to vote on"
        if ground == "values" and self.kind in {UNION, INTERSECTION}:
            return f"a word or a row has one value, so there is no {self.kind} of several"
        if self.kind == TAG_VOTE and ground == "links":
            return "tags of words carry no ids, so links cannot be voted on by tags"
        if self.kind == TAG_VOTE and ground != "spans":
            return "it is for spans, whose words have chunk tags"
        return None


# One value of several: the one with most votes.


_BLOCK = 1 << 15


def elected(values: Sequence[Codes], absent: int, fold: Rows, weights: Weights, *, least: int | None = None) -> Codes:
    """Return the value of each row that most votes are for.

    Of values with equal votes the one wins that the better run has, by its score; of these the first by code. A run
    that is absent at a row has no vote there; where all are, the value is `absent`.

    Args:
        values: for each run its value in each row, as a code.
        absent: the code of a run that has none.
        fold: the fold of each row.
        weights: what votes count, by fold, value and run.
        least: how many votes the value must have; where none has, that of the best run is taken. Votes count one then.

    """
    winner = np.array(values[0], copy=True)
    contested = np.zeros(len(winner), np.bool_)
    for other in values[1:]:
        contested |= other != values[0]
    rows = np.flatnonzero(contested)
    for begin in range(0, len(rows), _BLOCK):  # blocks that stay in the processor's cache
        some = rows[begin : begin + _BLOCK]
        winner[some] = _elected(
            [each[some] for each in values], absent=absent, fold=fold[some], weights=weights, least=least
        )
    return winner


def _elected(values: Sequence[Codes], absent: int, fold: Rows, weights: Weights, *, least: int | None) -> Codes:
    scores = [weights.score[fold, run] for run in range(len(values))]
    cast = [weights.weight[fold, np.where(value == absent, 0, value), run] for run, value in enumerate(values)]
    winner = np.full(len(fold), absent, values[0].dtype)
    most, best = np.full(len(fold), -1, np.int64), np.full(len(fold), -1, np.int64)
    for mine in values:
        votes, merit = np.zeros(len(fold), np.int64), np.full(len(fold), -1, np.int64)
        for other, weight, score in zip(values, cast, scores, strict=True):
            same = other == mine
            votes += np.where(same, weight, 0)
            merit = np.maximum(merit, np.where(same, score, -1))
        if least is not None:
            votes[votes < least] = 0
        ahead = (votes > most) | (votes == most) & ((merit > best) | (merit == best) & (mine < winner))
        ahead &= mine != absent
        winner, most, best = np.where(ahead, mine, winner), np.where(ahead, votes, most), np.where(ahead, merit, best)
    return winner


# How far each run is trusted, and the weights of its votes that follow from it.
#
# Weights are whole numbers, millionths of a score: sums of them are exact, so that no tie and no majority depends on
# the
# order in which runs are given.


MILLION = 1_000_000


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Trust:
    """How good each run was somewhere else: on dev data, or on the other folds of the same.

    Args:
        runs: the names of the runs; of equally good ones the first by name is taken.
        fold: the fold of each row of the key.
        score: the main score of each run, in millionths, as (folds, runs).
        labels: the labels for which more is known.
        by_label: the F1 of each of them, in millionths, as (folds, labels, runs).

    """

    runs: tuple[str, ...]
    fold: Rows
    score: Whole
    labels: tuple[str, ...]
    by_label: Whole

    @classmethod
    def equal(cls, rows: int, runs: Sequence[str]) -> Trust:
        """Trust all runs alike."""
        count = len(runs)
        alike, unknown = np.full((1, count), MILLION), np.zeros((1, 0, count), np.int64)
        return cls(runs=tuple(runs), fold=np.zeros(rows, np.int64), score=alike, labels=(), by_label=unknown)

    def best(self) -> Rows:
        """Return the best run of each fold."""
        return self._largest(self.score)

    def _largest(self, merit: Whole) -> Rows:
        """Return the run of the largest merit, along the last axis; of equal ones the first by name."""
        order = np.array(sorted(range(len(self.runs)), key=self.runs.__getitem__))
        largest: Rows = order[merit[..., order].argmax(axis=-1)]
        return largest

    def choices(self) -> Whole:
        """Return the run that is best at each label, as (folds, labels); the best overall where none has any right.

        Of runs equally good at a label the better one overall is taken.
        """
        rank = np.unique(self.score, return_inverse=True)[1].reshape(self.score.shape)
        chosen = self._largest(self.by_label * (rank.max(initial=0) + 1) + rank[:, None, :])
        return np.where(self.by_label.max(axis=2, initial=0) > 0, chosen, self.best()[:, None])


@dataclass(frozen=True, eq=False, slots=True)
class Weights:
    """What the vote of each run counts.

    Args:
        weight: for each fold and label the weight of each run, as (folds, labels, runs).
        least: what the votes for one thing must come to, in each fold.
        score: how good each run is, for ties, as (folds, runs).

    """

    weight: Whole
    least: Whole
    score: Whole

    def over(self, values: int) -> Weights:
        """Let votes count the same whatever they are for, with so many values that they can be for."""
        folds, _, runs = self.weight.shape
        return Weights(np.broadcast_to(self.weight[:, :1], (folds, values, runs)), self.least, self.score)

    def totals(self, fold: Rows, label: Codes, claimed: Sequence[Truths]) -> Whole:
        """Add up the votes for things of some labels, given which of them each run claims."""
        total = np.zeros(len(fold), np.int64)
        for run, claims in enumerate(claimed):
            rows = np.flatnonzero(claims)
            total[rows] += self.weight[fold[rows], label[rows], run]
        return total


def weights_of(method: Method, trust: Trust, names: Sequence[str]) -> Weights:
    """Return the weights of votes on things with one of some labels, by the code of their label."""
    if method.kind == PER_LABEL:
        return _of_chosen(trust, names)
    score, runs = trust.score, len(trust.runs)
    shape = (len(score), len(names), runs)
    least = {AT_LEAST: method.least or 1, INTERSECTION: runs, MAJORITY: runs // 2 + 1}
    if method.needs("spans") == "weights":
        weight = np.where(score.sum(axis=1, keepdims=True) > 0, score, 1)  # runs without any merit count alike
        half = weight.sum(axis=1) // 2 + 1
        return Weights(np.broadcast_to(weight[:, None, :], shape), half, score)
    ones = np.broadcast_to(np.int64(1), shape)
    return Weights(ones, np.full(len(score), least.get(method.kind, 1)), score)


def _of_chosen(trust: Trust, names: Sequence[str]) -> Weights:
    """Let only the run speak that is best at a label; the better it is at that, the more its word weighs."""
    place = {label: number for number, label in enumerate(trust.labels)}
    known = np.array([place.get(name, -1) for name in names], np.int64)
    folds = len(trust.score)
    chosen = np.broadcast_to(trust.best()[:, None], (folds, len(names))).copy()
    merit = np.zeros((folds, len(names)), np.int64)
    if trust.labels:
        chosen[:, known >= 0] = trust.choices()[:, known[known >= 0]]
        merit[:, known >= 0] = trust.by_label.max(axis=2)[:, known[known >= 0]]
    weight = np.zeros((folds, len(names), len(trust.runs)), np.int64)
    np.put_along_axis(weight, chosen[:, :, None], merit[:, :, None] + 1, axis=2)
    return Weights(weight, np.ones(folds, np.int64), trust.score)
