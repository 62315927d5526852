"""Methods of combining the outputs of several runs: names, applicability, vote weights, and votes on single values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.errors import UsageError, suggest_nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.core.text_columns import Codes, Rows, Truths

    Whole = NDArray[np.int64]


VoteTarget = Literal["spans", "links", "values", "sets", "trees"]
"""What is voted on: typed spans, typed spans with an id, one value per row, a set of labels per row, trees."""

Needs = Literal["nothing", "ranks", "weights", "labels"]
"""What a vote must know about the runs: nothing, their ranking, their scores, or their scores for each label."""

UNION = "union"
INTERSECTION = "intersection"
MAJORITY = "majority"
WEIGHTED = "weighted"
PER_LABEL = "per-label"
AT_LEAST = "at-least"
TAG_VOTE = "tag-vote"
TREE_VOTE = "tree-vote"
WEIGHTED_TREE_VOTE = "weighted-tree-vote"

DEFAULTS: dict[VoteTarget, tuple[str, ...]] = {
    "spans": (UNION, MAJORITY, INTERSECTION, WEIGHTED, PER_LABEL, TAG_VOTE),
    "links": (UNION, MAJORITY, INTERSECTION, WEIGHTED, PER_LABEL),
    "values": (MAJORITY, WEIGHTED, PER_LABEL),
    "sets": (UNION, MAJORITY, INTERSECTION, WEIGHTED, PER_LABEL),
    "trees": (TREE_VOTE, WEIGHTED_TREE_VOTE),
}
"""The methods to try where none is given."""

NAMES = (UNION, INTERSECTION, f"{AT_LEAST}-K", MAJORITY, WEIGHTED, PER_LABEL, TAG_VOTE, TREE_VOTE, WEIGHTED_TREE_VOTE)

_VOTE_NAMES: dict[VoteTarget, str] = {
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
_AT_LEAST_PATTERN = re.compile(rf"{AT_LEAST}-([0-9]+)")


@dataclass(frozen=True, slots=True)
class Method:
    """A combination method by name, such as `union`, `at-least-2` or `weighted`.

    >>> Method.parse("at-least-2")
    Method(kind='at-least', least=2)

    """

    kind: str
    least: int | None = None

    @classmethod
    def parse(cls, written: str) -> Method:
        """Parse a method name as users write it."""
        name = written.strip().lower()
        if found := _AT_LEAST_PATTERN.fullmatch(name):
            if int(found[1]) < 1:
                raise UsageError(f"{written!r}: expected K of at least 1", hint=f"use {AT_LEAST}-2, for example")
            return cls(AT_LEAST, int(found[1]))
        if name not in NAMES or name == f"{AT_LEAST}-K":
            raise UsageError(
                f"unknown combination method {written!r}{suggest_nearest(name, NAMES)}",
                hint=f"methods: {', '.join(NAMES)}",
            )
        return cls(name)

    def __str__(self) -> str:
        return self.kind if self.least is None else f"{self.kind}-{self.least}"

    def needs(self, target: VoteTarget) -> Needs:
        """Determine what must be known about the runs; votes on single values rank the runs to break ties."""
        return _NEEDS.get(self.kind, "ranks" if target == "values" else "nothing")

    def vote(self, target: VoteTarget) -> str:
        """Name the kind of vote; a vote on spans differs from one on their tags."""
        return "tag vote" if self.kind == TAG_VOTE else _VOTE_NAMES[target]

    def check(self, target: VoteTarget, runs: int) -> None:
        """Raise UsageError if the method does not apply."""
        if self.least is not None and self.least > runs:
            raise UsageError(
                f"{self}: there are only {runs} runs", hint=f"use {AT_LEAST}-{runs} for what all runs have"
            )
        reason = self._unsuitability(target)
        if reason is not None:
            raise UsageError(f"{self}: {reason}", hint=f"applicable methods: {', '.join(DEFAULTS[target])}")

    def _unsuitability(self, target: VoteTarget) -> str | None:
        of_trees = self.kind in {TREE_VOTE, WEIGHTED_TREE_VOTE}
        if target == "trees":
            return None if of_trees else "separate votes on heads need not form a tree"
        if of_trees:
            return "there are no trees to vote on"
        if target == "values" and self.kind in {UNION, INTERSECTION}:
            return f"a word or row has a single value, so {self.kind} does not apply"
        if self.kind == TAG_VOTE and target == "links":
            return "chunk tags have no ids, so they cannot be used for links"
        if self.kind == TAG_VOTE and target != "spans":
            return "applies only to spans, whose words have chunk tags"
        return None


# Election of one of several values.


_BLOCK = 1 << 15


def elect(values: Sequence[Codes], absent: int, fold: Rows, weights: Weights, *, least: int | None = None) -> Codes:
    """Elect the value with the most votes in each row.

    A tie goes to the value of the run with the higher score, then to the lowest code. A run that is absent in a row
    has no vote there; where all are absent, the value is `absent`.

    Args:
        values: the value of each run in each row, as a code.
        absent: the code of a missing value.
        fold: the fold of each row.
        weights: the vote weights by fold, value and run.
        least: the number of votes required; where no value has them, that of the best run is taken. Needs votes of
            weight one.

    """
    winner = np.array(values[0], copy=True)
    contested = np.zeros(len(winner), np.bool_)
    for other in values[1:]:
        contested |= other != values[0]
    rows = np.flatnonzero(contested)
    for begin in range(0, len(rows), _BLOCK):  # blocks small enough for the processor's cache
        some = rows[begin : begin + _BLOCK]
        winner[some] = _elect_contested(
            [each[some] for each in values], absent=absent, fold=fold[some], weights=weights, least=least
        )
    return winner


def _elect_contested(values: Sequence[Codes], absent: int, fold: Rows, weights: Weights, *, least: int | None) -> Codes:
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


# Trust in each run, and the vote weights that follow from it.
#
# Weights are integers, in millionths of a score: their sums are exact, so that no tie and no majority depends on the
# order of the runs.


MILLION = 1_000_000


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Trust:
    """The scores of each run on other data: on dev data, or on the other folds.

    Args:
        runs: the names of the runs; ties go to the first by name.
        fold: the fold of each row of the key.
        score: the main score of each run, in millionths, as (folds, runs).
        labels: the labels with scores of their own.
        by_label: the F1 of each of them, in millionths, as (folds, labels, runs).

    """

    runs: tuple[str, ...]
    fold: Rows
    score: Whole
    labels: tuple[str, ...]
    by_label: Whole

    @classmethod
    def equal(cls, rows: int, runs: Sequence[str]) -> Trust:
        """Trust all runs equally."""
        count = len(runs)
        alike, unknown = np.full((1, count), MILLION), np.zeros((1, 0, count), np.int64)
        return cls(runs=tuple(runs), fold=np.zeros(rows, np.int64), score=alike, labels=(), by_label=unknown)

    def best(self) -> Rows:
        """Find the best run of each fold."""
        return self._best_run(self.score)

    def _best_run(self, merit: Whole) -> Rows:
        """Find the run with the largest merit along the last axis; ties go to the first by name."""
        order = np.array(sorted(range(len(self.runs)), key=self.runs.__getitem__))
        largest: Rows = order[merit[..., order].argmax(axis=-1)]
        return largest

    def choices(self) -> Whole:
        """Find the best run for each label, as (folds, labels); the best overall where no run has the label right.

        Of runs equally good at a label, the better one overall is taken.
        """
        rank = np.unique(self.score, return_inverse=True)[1].reshape(self.score.shape)
        chosen = self._best_run(self.by_label * (rank.max(initial=0) + 1) + rank[:, None, :])
        return np.where(self.by_label.max(axis=2, initial=0) > 0, chosen, self.best()[:, None])


@dataclass(frozen=True, eq=False, slots=True)
class Weights:
    """The weight of each run's vote.

    Args:
        weight: the weight of each run for each fold and label, as (folds, labels, runs).
        least: the total weight that an item needs, in each fold.
        score: the score of each run, to break ties, as (folds, runs).

    """

    weight: Whole
    least: Whole
    score: Whole

    def over(self, values: int) -> Weights:
        """Apply the weights for the first value to all of `values` possible values."""
        folds, _, runs = self.weight.shape
        return Weights(np.broadcast_to(self.weight[:, :1], (folds, values, runs)), self.least, self.score)

    def totals(self, fold: Rows, label: Codes, claimed: Sequence[Truths]) -> Whole:
        """Sum the votes for labelled items, given the items that each run claims."""
        total = np.zeros(len(fold), np.int64)
        for run, claims in enumerate(claimed):
            rows = np.flatnonzero(claims)
            total[rows] += self.weight[fold[rows], label[rows], run]
        return total


def weights_of(method: Method, trust: Trust, names: Sequence[str]) -> Weights:
    """Compute the vote weights for items with these labels, by label code."""
    if method.kind == PER_LABEL:
        return _weights_per_label(trust, names)
    score, runs = trust.score, len(trust.runs)
    shape = (len(score), len(names), runs)
    least = {AT_LEAST: method.least or 1, INTERSECTION: runs, MAJORITY: runs // 2 + 1}
    if method.needs("spans") == "weights":
        weight = np.where(score.sum(axis=1, keepdims=True) > 0, score, 1)  # runs that all score 0 count equally
        half = weight.sum(axis=1) // 2 + 1
        return Weights(np.broadcast_to(weight[:, None, :], shape), half, score)
    ones = np.broadcast_to(np.int64(1), shape)
    return Weights(ones, np.full(len(score), least.get(method.kind, 1)), score)


def _weights_per_label(trust: Trust, names: Sequence[str]) -> Weights:
    """Give a vote only to the best run for each label, weighted by its score there."""
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
