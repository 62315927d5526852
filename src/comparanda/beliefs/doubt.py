"""A system's own doubt: how precision, recall and F1 vary over the worlds that it holds for possible, given the key.

This is not the sampling error over documents, which a bootstrap tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from comparanda.beliefs.expectation import RatioMoments

if TYPE_CHECKING:
    from comparanda.beliefs.counts import BlockCounts
    from comparanda.beliefs.model import Floats

FEW = 64
"""Up to so many tuples in a world, the interval is that of the exact distribution; beyond, of a normal one."""

_TAIL = 0.025
_NORMAL = 1.959963984540054  # the quantile of the normal distribution that leaves out such a tail


@dataclass(frozen=True)
class Spread:
    """A score over the worlds of a system.

    Args:
        mean: its expectation.
        sd: its standard deviation.
        low: the lower end of the interval that holds 95 % of the worlds.
        high: the upper end.

    """

    mean: float
    sd: float
    low: float
    high: float


@dataclass(frozen=True)
class Doubt:
    """The scores of a system over its worlds.

    Args:
        precision: C/N, where 0/0 counts as 0; None where nothing can be found.
        precision_if_found: its expectation over those worlds in which something is found.
        recall: C/|K|; None without anything in the key.
        f1: 2·C/(N+|K|); None where both are empty.

    """

    precision: Spread | None
    precision_if_found: float | None
    recall: Spread | None
    f1: Spread | None


def doubt(counts: BlockCounts, key: int) -> Doubt:
    """Say how far the scores of a system vary over its worlds."""
    possible = counts.mean_found > 0
    exact = distribution(counts) if counts.most <= FEW else None
    recall = _recall(counts, key, exact) if key else None
    if not possible:
        return Doubt(None, None, recall, Spread(0.0, 0.0, 0.0, 0.0) if key else None)
    moments = RatioMoments(counts, [0, key])
    precision = _spread(moments.mean(0), moments.variance(0), 1, 0, exact)
    f1 = _spread(2 * moments.mean(key), 4 * moments.variance(key), 2, key, exact) if key else Spread(0.0, 0.0, 0.0, 0.0)
    return Doubt(precision, min(1.0, precision.mean / counts.something), recall, f1)


def _recall(counts: BlockCounts, key: int, exact: Floats | None) -> Spread:
    mean, sd = counts.mean_correct / key, sqrt(max(counts.variance_correct, 0.0)) / key
    if exact is None:
        return Spread(mean, sd, *_normal(mean, sd))
    return Spread(mean, sd, *_interval(np.arange(exact.shape[1]) / key, exact.sum(axis=0)))


def _spread(mean: float, variance: float, times: int, below: int, exact: Floats | None) -> Spread:
    """Return the spread of `times`·C/(N + `below`)."""
    sd = sqrt(max(variance, 0.0))
    if exact is None:
        return Spread(mean, sd, *_normal(mean, sd))
    found, correct = np.indices(exact.shape)
    values = times * correct / np.maximum(found + below, 1)
    return Spread(mean, sd, *_interval(values.ravel(), exact.ravel()))


def _normal(mean: float, sd: float) -> tuple[float, float]:
    return max(0.0, mean - _NORMAL * sd), min(1.0, mean + _NORMAL * sd)


def _interval(values: Floats, probability: Floats) -> tuple[float, float]:
    """Return the smallest values below or at which 2.5 % and 97.5 % of the worlds are."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(probability[order])
    places = np.searchsorted(reached, [_TAIL - 1e-12, 1 - _TAIL - 1e-12])
    low, high = values[order][np.minimum(places, len(values) - 1)].tolist()
    return low, high


def distribution(counts: BlockCounts) -> Floats:
    """Return the probability of each number of tuples found (rows), of which so many are right (columns).

    >>> from comparanda.beliefs.counts import BlockCounts
    >>> gold = BlockCounts(np.array([0.9, 0.5, 0.2]), np.zeros(3), *(np.zeros(0, np.int64) for _ in range(4)))
    >>> distribution(gold).sum(axis=0).round(9).tolist()
    [0.04, 0.41, 0.46, 0.09]
    """
    size = counts.most + 1
    found = np.zeros((size, size))
    found[0, 0] = 1.0
    for right, wrong in zip(counts.right.tolist(), counts.wrong.tolist(), strict=True):
        found = _drawn(found, [(1 - right - wrong, 0, 0), (right, 1, 1), (wrong, 1, 0)])
    bounds = [*counts.starts.tolist(), len(counts.block)]
    outcomes = list(zip(counts.probability.tolist(), counts.found.astype(int), counts.correct.astype(int), strict=True))
    for rest, begin, end in zip(counts.rest.tolist(), bounds, bounds[1:], strict=False):
        found = _drawn(found, [(rest, 0, 0), *outcomes[begin:end]])
    return found


def _drawn(found: Floats, outcomes: list[tuple[float, int, int]]) -> Floats:
    """Return the distribution with one more block: what it adds to each world, and how likely."""
    size, total = len(found), np.zeros_like(found)
    for probability, more, right in outcomes:
        total[more:, right:] += probability * found[: size - more, : size - right]
    return total
