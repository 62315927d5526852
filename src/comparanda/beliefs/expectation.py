"""The exact expectation of a ratio over all worlds, and its variance, by an integral in one dimension.

In a world C right tuples are found among N. The ratio of their expectations is not the expectation of their ratio,
which follows from 1/(N+k) = ∫ exp(−(N+k)·t) dt: under the integral blocks are independent, so it costs no more than a
sum over blocks for each node (prob-ner of the research notes; DEFINITIONS 9).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, log2, sqrt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.beliefs.counts import BlockCounts
    from comparanda.beliefs.model import Floats

_REACH = 40.0
"""What is less likely than exp(−40), or adds less than that, is left out."""

_NODES = 10
"""Nodes in each panel; with so many the whole integral is right to 1e-14."""

_TILE = 1 << 17
"""Blocks times nodes that are looked at together: small enough for the cache, and for one thread."""


class RatioMoments:
    """The expectation and the variance of C/(N+k), for each of some k, where 0/0 counts as 0.

    With k = 0 it is precision; twice that with k = |K| is F1.

    >>> from comparanda.beliefs.counts import BlockCounts
    >>> blocks = BlockCounts(np.array([0.8, 0.0]), np.array([0.0, 0.4]), *(np.zeros(0, np.int64) for _ in range(4)))
    >>> moments = RatioMoments(blocks, [0, 1])
    >>> round(moments.mean(0), 9), round(moments.variance(0), 9), round(2 * moments.mean(1), 9)
    (0.64, 0.1504, 0.693333333)
    """

    def __init__(self, counts: BlockCounts, below: Sequence[int]) -> None:
        self._counts = counts
        low, high = _range(counts)
        self._time, self._step = _nodes(max(min(below) + low, 1.0), max(below) + high)
        mean = counts.mean_found
        self._centre = counts.mean_correct / mean if mean else 0.0

    @cached_property
    def _sums(self) -> _Tilted:
        return _tilted(self._counts, self._time, self._centre)

    def mean(self, below: int) -> float:
        """Return the expectation."""
        sums = self._sums
        falling = np.exp(sums.log_mass - below * self._time)
        return float(self._step @ (falling * (sums.mean + self._centre * sums.mean_found)))

    def variance(self, below: int) -> float:
        """Return the variance: that of (C − r·(N+k))/(N+k), whose parts do not cancel each other out."""
        sums, mean = self._sums, self.mean(below)
        more = mean - self._centre
        centre = sums.mean - more * sums.mean_found - mean * below
        spread = sums.variance - 2 * more * sums.covariance + more**2 * sums.variance_found
        falling = np.exp(sums.log_mass - below * self._time)
        found = float(self._step @ (self._time * falling * (centre**2 + np.maximum(spread, 0.0))))
        return found + (mean**2 * self._counts.nothing if below == 0 else 0.0)


@dataclass(frozen=True, eq=False, slots=True)
class _Tilted:
    """What is found if each world weighs exp(−N·t), at each t: log of all their weight, and moments.

    Those of C − centre·N, those of N, and what both have in common.
    """

    log_mass: Floats
    mean: Floats
    variance: Floats
    mean_found: Floats
    variance_found: Floats
    covariance: Floats


def _range(counts: BlockCounts) -> tuple[float, float]:
    """Return between which numbers N lies, but for worlds that do not count: by Maurer's and Bernstein's bounds."""
    mean, squares = counts.mean_found, counts.squares
    largest = max(1.0, float(counts.found.max(initial=0.0)))
    slack = _REACH * largest / 3
    high = mean + slack + sqrt(slack**2 + 2 * _REACH * squares)
    low = max(float(counts.least), mean - sqrt(2 * _REACH * squares))
    return low, max(1.0, min(float(counts.most), high))


def _nodes(low: float, high: float) -> tuple[Floats, Floats]:
    """Return nodes and weights from 0 to infinity for what falls like exp(−y·t), with y between two numbers.

    Panels double in length: the first is short enough for the larger y, the last ends where the smaller has faded.
    """
    panels = ceil(log2(_REACH * high / low)) + 1
    edges = np.concatenate([[0.0], 2.0 ** np.arange(panels) / high])
    x, weight = np.polynomial.legendre.leggauss(_NODES)
    half, middle = np.diff(edges)[:, None] / 2, (edges[1:] + edges[:-1])[:, None] / 2
    return (middle + half * x).ravel(), (half * weight).ravel()


def _tilted(counts: BlockCounts, time: Floats, centre: float) -> _Tilted:
    """Look at all blocks, as many nodes at a time as fit a tile."""
    value, found = counts.right - centre * counts.single, counts.single
    square = counts.right * (1 - centre) ** 2 + counts.wrong * centre**2
    sums = np.stack([value, square, found], axis=1)
    squares = np.stack([value * value, found * found, value * found], axis=1)
    tile = max(1, _TILE // max(1, len(counts.right), len(counts.found)))
    parts = [
        _of_single(found, sums, squares, each) + _of_several(counts, each, centre)
        for each in np.split(time, range(tile, len(time), tile))
    ]
    return _Tilted(*np.concatenate(parts, axis=1))


def _of_single(found: Floats, sums: Floats, squares: Floats, time: Floats) -> Floats:
    """Return the rows of `_Tilted` for blocks of one tuple at most.

    Args:
        found: the probability that something is found, in each block.
        sums: what is summed over blocks: value, square of the value, and found.
        squares: the squares of their means, and the product of both: value, found.
        time: the nodes.

    """
    fading = np.exp(-time)[:, None]
    mass = (1 - found) + found * fading
    tilt = fading / mass
    mean, second, mean_found = (tilt @ sums).T
    tilt *= tilt
    value, square_found, product = (tilt @ squares).T
    return np.stack(
        [
            np.log(mass).sum(axis=1),
            mean,
            second - value,
            mean_found,
            mean_found - square_found,
            mean - product,
        ]
    )


def _of_several(counts: BlockCounts, time: Floats, centre: float) -> Floats:
    """Return the rows of `_Tilted` for blocks of several outcomes."""
    if not len(counts.found):
        return np.zeros((6, len(time)))
    found, value = counts.found, counts.correct - centre * counts.found
    likely = counts.probability * np.exp(-time[:, None] * found)
    mass = counts.rest + counts.by_block(likely)
    means = [counts.by_block(likely * each) / mass for each in (value, found)]
    squares = [counts.by_block(likely * each) / mass for each in (value**2, found**2, value * found)]
    return np.stack(
        [
            np.log(mass).sum(axis=1),
            means[0].sum(axis=1),
            (squares[0] - means[0] ** 2).sum(axis=1),
            means[1].sum(axis=1),
            (squares[1] - means[1] ** 2).sum(axis=1),
            (squares[2] - means[0] * means[1]).sum(axis=1),
        ]
    )
