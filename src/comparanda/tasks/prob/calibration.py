"""Calibration of probabilities, precision and recall over thresholds, and bounds for ties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.probabilities import EPSILON

if TYPE_CHECKING:
    from comparanda.core.probabilities import Beliefs, Decide, Floats, Worlds
    from comparanda.core.text_columns import Rows, Truths


BINS = 10
"""The default number of bins, of equal width."""

SMALLEST = 1e-12
"""The distance from 0 and 1 to which probabilities are clipped before taking logarithms."""


@dataclass(frozen=True, eq=False, slots=True)
class Reliability:
    """Probabilities in bins of equal width (low, high]; 0 is in the first.

    Args:
        count: the number of probabilities in each bin.
        mass: their sum.
        correct: the number that came true.

    """

    count: Rows
    mass: Floats
    correct: Rows

    @property
    def gaps(self) -> Floats:
        """The distance of the share that came true from the mean probability, in each bin that is not empty."""
        there = self.count > 0
        return np.abs(self.correct - self.mass)[there] / self.count[there]

    @property
    def ece(self) -> float:
        """The expected calibration error: the mean gap, weighted by the size of bins."""
        return float(np.abs(self.correct - self.mass).sum() / self.count.sum())

    @property
    def mce(self) -> float:
        """The largest gap."""
        return float(self.gaps.max())


def bin_probabilities(probability: Floats, correct: Truths, bins: int = BINS) -> Reliability:
    """Sort probabilities into bins.

    >>> found = bin_probabilities(np.array([0.9, 0.8, 0.8, 0.5, 0.3]), np.array([1, 0, 1, 0, 1], bool), 5)
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
    """Find the bin of each probability.

    >>> bin_of(np.array([0.0, 0.1, 0.1 + 0.2, 0.31, 1.0])).tolist()
    [0, 0, 2, 3, 9]
    """
    return np.clip(np.ceil(np.round(probability * bins, 9)).astype(np.int64) - 1, 0, bins - 1)


def compute_brier(probability: Floats, correct: Truths) -> float:
    """Compute the mean squared difference between probability and outcome."""
    return float(np.mean((probability - correct) ** 2))


def log_loss(probability: Floats, correct: Truths) -> float:
    """Compute the mean negative logarithm of the probability of the outcome."""
    return float(log_losses(probability, correct).mean())


def log_losses(probability: Floats, correct: Truths) -> Floats:
    """Compute the negative logarithm of the probability of each outcome."""
    sure = np.clip(probability, SMALLEST, 1 - SMALLEST)
    found: Floats = -np.log(np.where(correct, sure, 1 - sure))
    return found


def compute_auroc(probability: Floats, correct: Truths) -> float | None:
    """Compute how often a correct one has a higher probability than a wrong one, ties half; None without both.

    >>> compute_auroc(np.array([0.9, 0.8, 0.8, 0.5, 0.3]), np.array([1, 0, 1, 0, 1], bool))
    0.5833333333333334
    """
    right = int(correct.sum())
    pairs = right * (len(correct) - right)
    if not pairs:
        return None
    _, number, count = np.unique(np.round(probability, 9), return_inverse=True, return_counts=True)
    rank = np.cumsum(count) - (count - 1) / 2  # the mean rank of equal ones, from 1
    return float((rank[number.reshape(-1)][correct].sum() - right * (right + 1) / 2) / pairs)


# Precision and recall of a hard output over all thresholds on weights.


DIGITS = 9
"""The number of decimals to which weights must agree to count as equal."""


@dataclass(frozen=True, eq=False, slots=True)
class ThresholdCurve:
    """A hard output cut at each distinct weight, from the largest down; all tuples of a weight enter together.

    Args:
        threshold: the weights.
        kept: the number of tuples with at least this weight.
        correct: the number of these that are correct.

    """

    threshold: Floats
    kept: Rows
    correct: Rows

    @property
    def precision(self) -> Floats:
        """The precision at each threshold."""
        return self.correct / self.kept

    def recall(self, key: int) -> Floats:
        """Compute the recall at each threshold; the key must not be empty."""
        return self.correct / key

    def f1(self, key: int) -> Floats:
        """Compute F1 at each threshold."""
        return 2 * self.correct / (self.kept + key)

    def average_precision(self, key: int) -> float:
        """Compute Σ(Rᵢ − Rᵢ₋₁)·Pᵢ, with recall over the whole key, including entities that are never found."""
        return float(np.diff(self.recall(key), prepend=0.0) @ self.precision)

    def best(self, key: int) -> int:
        """Find the place of the highest F1; ties go to the highest threshold."""
        return int(np.argmax(np.round(self.f1(key), DIGITS)))

    def at_recall(self, wanted: float, key: int) -> int | None:
        """Find the place of the highest precision with at least some recall; None if no threshold reaches it."""
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


# Bounds of a hard output over all ways of breaking ties.


@dataclass(frozen=True, slots=True)
class TieBounds:
    """The hard output if all ties were broken for a system, and if all were broken against it.

    Args:
        best_found: the number of tuples, with as many correct ones as ties allow, and then as few wrong ones.
        best_correct: the number of these that are correct.
        worst_found: the number of tuples, with as few correct ones as ties allow, and then as many wrong ones.
        worst_correct: the number of these that are correct.

    """

    best_found: int
    best_correct: int
    worst_found: int
    worst_correct: int


def tie_bounds(beliefs: Beliefs, correct: Truths, how: Decide = "tuple", min_weight: float = 0.0) -> TieBounds:
    """Break all ties for a system, and against it.

    Args:
        beliefs: the tuples, block by block.
        correct: whether each is correct.
        how: how the output was decided.
        min_weight: the smallest weight that could be chosen.

    """
    tied = _find_tied(beliefs, how)
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


def _competing_weights(beliefs: Beliefs, how: Decide) -> Floats:
    return beliefs.entity if how == "hierarchical" else beliefs.weight


def _group_maxima(values: Floats, groups: Rows, size: int) -> Floats:
    """Compute the largest value of each group."""
    found = np.zeros(size)
    np.maximum.at(found, groups, values)
    return found


def _find_tied(beliefs: Beliefs, how: Decide) -> Truths:
    """Find the tuples that could have been chosen: as probable as the best of their block, and no less than nothing."""
    rivals = _competing_weights(beliefs, how)
    top = _group_maxima(rivals, beliefs.block, len(beliefs.nothing))
    over = (top >= beliefs.nothing - EPSILON) & beliefs.exclusive
    tied = (rivals >= top[beliefs.block] - EPSILON) & over[beliefs.block] & (beliefs.weight > 0)
    if how == "hierarchical":  # only the best labels of a span
        spans = int(beliefs.alternative.max(initial=-1)) + 1
        tied &= (
            beliefs.weight >= _group_maxima(beliefs.weight, beliefs.alternative, spans)[beliefs.alternative] - EPSILON
        )
    return tied


def _nothing_ties(beliefs: Beliefs, how: Decide) -> Truths:
    """Find the blocks in which nothing is as probable as the best tuple."""
    top = _group_maxima(_competing_weights(beliefs, how), beliefs.block, len(beliefs.nothing))
    return np.abs(top - beliefs.nothing) < EPSILON


def _tied_worlds(worlds: Worlds, right: Truths, kept: Truths) -> list[tuple[Rows, Rows]]:
    """Count, for each block with worlds, the tuples of the worst and of the best of its equally probable worlds."""
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
