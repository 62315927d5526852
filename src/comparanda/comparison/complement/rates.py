"""The rates of complementarity and their equations, on numbers or on arrays of them; NaN where undefined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.measures import ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rate:
    """A rate with its 95 % interval; where it is undefined, the reason."""

    value: float | None
    low: float | None
    high: float | None
    reason: str | None


@dataclass(frozen=True)
class Rates:
    """How much of a system's errors another does not make.

    Args:
        system: A, whose errors are looked at.
        other: B, which may not make them.
        comp: Comp(A, B), of all errors: over sites where each has one value, over items for spans and links.
        pcomp: PComp(A, B), of A's spurious items.
        rcomp: RComp(A, B), of the items that A misses.
        fcomp: FComp(A, B), the harmonic mean of both.
        fbeta: the same with recall weighing β times as much.

    """

    system: str
    other: str
    comp: Rate
    pcomp: Rate
    rcomp: Rate
    fcomp: Rate
    fbeta: Rate


def complement(own: Floats, others: Floats, common: Floats) -> Floats:
    """Return the share of A's errors that B does not make (equations 8 to 10).

    It is 1 where B makes none at all, and undefined where A makes none and B does.

    >>> complement(np.array([4.0, 0.0, 0.0]), np.array([2.0, 0.0, 3.0]), np.array([1.0, 0.0, 0.0])).tolist()
    [0.75, 1.0, nan]
    """
    return np.where(others == 0, 1.0, 1 - ratio(common, own))


def f_complement(precision: Floats, recall: Floats, beta: float = 1.0) -> Floats:
    """Return the harmonic mean of complementary precision and recall (equation 11), recall weighing β times as much.

    Equation 12 is misprinted; this is van Rijsbergen's F (equation 4), which gives equation 11 at β = 1. It is 0 where
    both are 0, and undefined where either is.

    >>> round(float(f_complement(np.array(0.7815), np.array(0.1422))), 4)
    0.2406
    """
    square = beta * beta
    below = square * precision + recall
    return np.where(below == 0, 0.0, ratio((1 + square) * precision * recall, below))
