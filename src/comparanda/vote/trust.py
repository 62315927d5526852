"""How far each run is trusted, and the weights of its votes that follow from it.

Weights are whole numbers, millionths of a score: sums of them are exact, so that no tie and no majority depends on the
order in which runs are given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.vote.methods import AT_LEAST, INTERSECTION, MAJORITY, PER_LABEL, Method

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.columns import Codes, Rows, Truths

    Whole = NDArray[np.int64]

MILLION = 1_000_000


@dataclass(frozen=True, eq=False, slots=True)
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
        return cls(tuple(runs), np.zeros(rows, np.int64), alike, (), unknown)

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
