"""Whether what is said to be so likely comes true so often: reliability bins and what is made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.probabilities import EPSILON

if TYPE_CHECKING:
    from comparanda.core.probabilities import Beliefs, Decide, Floats, Worlds
    from comparanda.core.text_columns import Rows, Truths


BINS = 10
"""How many bins of equal width there are unless told otherwise."""

SMALLEST = 1e-12
"""Probabilities are at least so much, and at most so much below one, where their logarithm is taken."""


@dataclass(frozen=True, eq=False, slots=True)
class Reliability:
    """Probabilities in bins of equal width (low, high]; 0 is in the first.

    Args:
        count: how many there are in each bin.
        mass: their sum.
        correct: how many came true.

    """

    count: Rows
    mass: Floats
    correct: Rows

    @property
    def gaps(self) -> Floats:
        """How far the share that came true is from the mean probability, in each bin that is not empty."""
        there = self.count > 0
        return np.abs(self.correct - self.mass)[there] / self.count[there]

    @property
    def ece(self) -> float:
        """The expected calibration error: the mean gap, weighted by how many there are."""
        return float(np.abs(self.correct - self.mass).sum() / self.count.sum())

    @property
    def mce(self) -> float:
        """The largest gap."""
        return float(self.gaps.max())


def reliability(probability: Floats, correct: Truths, bins: int = BINS) -> Reliability:
    """Sort probabilities into bins.

    >>> found = reliability(np.array([0.9, 0.8, 0.8, 0.5, 0.3]), np.array([1, 0, 1, 0, 1], bool), 5)
    >>> found.count.tolist(), round(found.ece, 9), round(found.mce, 9)
    ([0, 1, 1, 2, 1], 0.38, 0.7)
    """
    number = bin_of(probability, bins)
    return Reliability(
        np.bincount(number, minlength=bins),
        np.bincount(number, probability, bins).astype(np.float64),
        np.bincount(number[correct], minlength=bins),
    )


def bin_of(probability: Floats, bins: int = BINS) -> Rows:
    """Return the bin of each probability.

    >>> bin_of(np.array([0.0, 0.1, 0.1 + 0.2, 0.31, 1.0])).tolist()
    [0, 0, 2, 3, 9]
    """
    return np.clip(np.ceil(np.round(probability * bins, 9)).astype(np.int64) - 1, 0, bins - 1)


def brier(probability: Floats, correct: Truths) -> float:
    """Return the mean square of what probabilities lack to the truth."""
    return float(np.mean((probability - correct) ** 2))


def log_loss(probability: Floats, correct: Truths) -> float:
    """Return the mean negative logarithm of the probability of what was true."""
    return float(log_losses(probability, correct).mean())


def log_losses(probability: Floats, correct: Truths) -> Floats:
    """Return the negative logarithm of the probability of what was true, for each."""
    sure = np.clip(probability, SMALLEST, 1 - SMALLEST)
    found: Floats = -np.log(np.where(correct, sure, 1 - sure))
    return found


def auroc(probability: Floats, correct: Truths) -> float | None:
    """Return how often a right one has the higher probability than a wrong one, ties half; None without both.

    >>> auroc(np.array([0.9, 0.8, 0.8, 0.5, 0.3]), np.array([1, 0, 1, 0, 1], bool))
    0.5833333333333334
    """
    right = int(correct.sum())
    pairs = right * (len(correct) - right)
    if not pairs:
        return None
    _, number, count = np.unique(np.round(probability, 9), return_inverse=True, return_counts=True)
    rank = np.cumsum(count) - (count - 1) / 2  # the mean rank of equal ones, from 1
    return float((rank[number.reshape(-1)][correct].sum() - right * (right + 1) / 2) / pairs)


# What is left of a hard output if spans must weigh at least so much: precision and recall over all thresholds.


DIGITS = 9
"""Weights that agree in so many digits behind the point are the same."""


@dataclass(frozen=True, eq=False, slots=True)
class ThresholdCurve:
    """A hard output cut at each distinct weight, from the largest down; all tuples of a weight enter together.

    Args:
        threshold: the weights.
        kept: how many tuples weigh at least so much.
        correct: how many of them are right.

    """

    threshold: Floats
    kept: Rows
    correct: Rows

    @property
    def precision(self) -> Floats:
        """The precision at each threshold."""
        return self.correct / self.kept

    def recall(self, key: int) -> Floats:
        """Return the recall at each threshold; the key must not be empty."""
        return self.correct / key

    def f1(self, key: int) -> Floats:
        """Return F1 at each threshold."""
        return 2 * self.correct / (self.kept + key)

    def average_precision(self, key: int) -> float:
        """Return Σ(Rᵢ − Rᵢ₋₁)·Pᵢ, with recall over the whole key: what is never found counts as never found."""
        return float(np.diff(self.recall(key), prepend=0.0) @ self.precision)

    def best(self, key: int) -> int:
        """Return the place of the highest F1; of equal ones the highest threshold."""
        return int(np.argmax(np.round(self.f1(key), DIGITS)))

    def at_recall(self, wanted: float, key: int) -> int | None:
        """Return the place of the highest precision that has some recall at least; None if no threshold has it."""
        reached = np.flatnonzero(self.recall(key) >= wanted - 10.0**-DIGITS)
        return int(reached[np.argmax(np.round(self.precision[reached], DIGITS))]) if len(reached) else None


def threshold_curve(weight: Floats, correct: Truths) -> ThresholdCurve:
    """Cut a hard output at each of its weights.

    >>> curve = threshold_curve(np.array([0.9, 0.8, 0.8, 0.5, 0.3]), np.array([1, 0, 1, 0, 1], bool))
    >>> curve.threshold.tolist(), curve.kept.tolist(), curve.correct.tolist()
    ([0.9, 0.8, 0.5, 0.3], [1, 3, 4, 5], [1, 2, 2, 3])
    >>> round(curve.average_precision(4), 7)
    0.5666667
    """
    rounded = np.round(weight, DIGITS)
    order = np.argsort(-rounded, kind="stable")
    descending = rounded[order]
    last = np.flatnonzero(np.diff(descending, append=-1.0))
    return ThresholdCurve(descending[last], last + 1, np.cumsum(correct[order].astype(np.int64))[last])


# What a hard output could have been where the best of a block were equally probable.


@dataclass(frozen=True, slots=True)
class TieBounds:
    """The hard output if all ties were broken for a system, and if all were broken against it.

    Args:
        best_found: how many tuples, with as many right ones as ties allow, and then as few wrong ones.
        best_correct: how many of them are right.
        worst_found: how many tuples, with as few right ones as ties allow, and then as many wrong ones.
        worst_correct: how many of them are right.

    """

    best_found: int
    best_correct: int
    worst_found: int
    worst_correct: int


def tie_bounds(beliefs: Beliefs, correct: Truths, how: Decide = "tuple", min_weight: float = 0.0) -> TieBounds:
    """Break all ties for a system, and against it.

    Args:
        beliefs: the tuples, block by block.
        correct: whether each is right.
        how: how the output was decided.
        min_weight: what weighs less was not chosen.

    """
    tied = _tied(beliefs, how)
    kept = beliefs.weight >= min_weight - EPSILON
    size = len(beliefs.nothing)

    def somewhere(chosen: Truths) -> Truths:
        return np.bincount(beliefs.block[chosen], minlength=size) > 0

    right, wrong = somewhere(tied & kept & correct), somewhere(tied & kept & ~correct)
    nothing = _nothing_ties(beliefs, how) | somewhere(tied & ~kept)
    there = right | wrong
    best_right = int(right.sum())
    best_wrong = int((wrong & ~right & ~nothing).sum())
    worst_wrong = int(wrong.sum())
    worst_right = int((there & ~wrong & ~nothing).sum())
    best = np.array([best_right + best_wrong, best_right])
    worst = np.array([worst_wrong + worst_right, worst_right])
    if beliefs.worlds is not None:
        for low, high in _tied_worlds(beliefs.worlds, correct & kept, kept):
            best, worst = best + high, worst + low
    return TieBounds(int(best[0]), int(best[1]), int(worst[0]), int(worst[1]))


def _rivals(beliefs: Beliefs, how: Decide) -> Floats:
    return beliefs.entity if how == "hierarchical" else beliefs.weight


def _tops(values: Floats, groups: Rows, size: int) -> Floats:
    """Return the largest value of each group."""
    found = np.zeros(size)
    np.maximum.at(found, groups, values)
    return found


def _tied(beliefs: Beliefs, how: Decide) -> Truths:
    """Return which tuples could have been chosen: as probable as the best of their block, and no less than nothing."""
    rivals = _rivals(beliefs, how)
    top = _tops(rivals, beliefs.block, len(beliefs.nothing))
    over = (top >= beliefs.nothing - EPSILON) & beliefs.exclusive
    tied = (rivals >= top[beliefs.block] - EPSILON) & over[beliefs.block] & (beliefs.weight > 0)
    if how == "hierarchical":  # of a span only its best labels
        spans = int(beliefs.alternative.max(initial=-1)) + 1
        tied &= beliefs.weight >= _tops(beliefs.weight, beliefs.alternative, spans)[beliefs.alternative] - EPSILON
    return tied


def _nothing_ties(beliefs: Beliefs, how: Decide) -> Truths:
    """Return in which blocks nothing is as probable as the best."""
    top = _tops(_rivals(beliefs, how), beliefs.block, len(beliefs.nothing))
    return np.abs(top - beliefs.nothing) < EPSILON


def _tied_worlds(worlds: Worlds, right: Truths, kept: Truths) -> list[tuple[Rows, Rows]]:
    """Return for each block with worlds what is found in the worst and in the best of those equally probable."""
    size = len(worlds)
    found = np.bincount(worlds.world, kept[worlds.member], size).astype(np.int64)
    correct = np.bincount(worlds.world, right[worlds.member], size).astype(np.int64)
    bounds = np.flatnonzero(np.diff(worlds.block, prepend=-1)).tolist()
    bounds_found = []
    for begin, end in zip(bounds, [*bounds[1:], size], strict=True):
        probability = worlds.probability[begin:end]
        rest = 1.0 - float(probability.sum())
        top = max(float(probability.max()), rest)
        rows = begin + np.flatnonzero(probability >= top - EPSILON)
        outcomes = [(int(found[row]), int(correct[row])) for row in rows.tolist()]
        outcomes += [(0, 0)] if rest >= top - EPSILON else []
        low = max(outcomes, key=lambda each: (-each[1], each[0]))
        high = max(outcomes, key=lambda each: (each[1], -each[0]))
        bounds_found.append((np.array(low), np.array(high)))
    return bounds_found
