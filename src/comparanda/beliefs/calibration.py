"""Whether what is said to be so likely comes true so often: reliability bins and what is made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from comparanda.beliefs.model import Floats
    from comparanda.columns import Rows, Truths

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
