"""What is left of a hard output if spans must weigh at least so much: precision and recall over all thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from comparanda.beliefs.model import Floats
    from comparanda.columns import Rows, Truths

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
