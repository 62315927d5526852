"""The exact expectation of a ratio over all worlds, and its variance, by an integral in one dimension.

In a world, C correct tuples are found among N. The ratio of their expectations is not the expectation of their ratio,
which follows from 1/(N+k) = ∫ exp(−(N+k)·t) dt: under the integral blocks are independent, so it costs only a sum over
blocks for each node (prob-ner of the research notes; DEFINITIONS 9).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, log2, sqrt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.core.probabilities import Beliefs, Floats, Worlds
    from comparanda.core.text_columns import Rows, Truths


# The numbers of tuples and of correct tuples in a world drawn from a system's probabilities, block by block.


@dataclass(frozen=True, eq=False, kw_only=True)
class BlockCounts:
    """The non-empty outcomes of independent blocks.

    Args:
        right: for each block in which at most one tuple is true, the probability that it is one of the key's.
        wrong: the probability that it is another.
        block: the block of each outcome, where several tuples can be true together; not descending, from 0.
        probability: the probability of the outcome; the rest of a block's probability is that of no tuple.
        found: the number of tuples, at least one.
        correct: the number of these that are correct.

    """

    right: Floats
    wrong: Floats
    block: Rows
    probability: Floats
    found: Floats
    correct: Floats

    @cached_property
    def starts(self) -> Rows:
        """The first outcome of each block in which several tuples can be true."""
        return np.flatnonzero(np.diff(self.block, prepend=-1))

    def by_block(self, values: Floats) -> Floats:
        """Sum over the outcomes of each block in which several tuples can be true, along the last axis."""
        return np.add.reduceat(values, self.starts, axis=-1) if len(self.starts) else values

    @cached_property
    def single(self) -> Floats:
        """The probability that a tuple is found, in each block of at most one tuple."""
        return self.right + self.wrong

    @property
    def mean_found(self) -> float:
        """The expected number of tuples."""
        return float(self.single.sum() + self.probability @ self.found)

    @property
    def mean_correct(self) -> float:
        """The expected number of correct tuples."""
        return float(self.right.sum() + self.probability @ self.correct)

    @property
    def squares(self) -> float:
        """The sum over blocks of the expected squared number of tuples."""
        return float(self.single.sum() + self.probability @ self.found**2)

    @property
    def variance_correct(self) -> float:
        """The variance of the number of correct tuples."""
        means = self.by_block(self.probability * self.correct)
        several = self.probability @ self.correct**2 - means @ means
        return float(self.right @ (1 - self.right) + several)

    @property
    def most(self) -> int:
        """The largest possible number of tuples."""
        largest = np.maximum.reduceat(self.found, self.starts).sum() if len(self.starts) else 0
        return int(np.count_nonzero(self.single) + largest)

    @property
    def least(self) -> int:
        """The number of tuples in every world, at least."""
        fewest = np.minimum.reduceat(self.found, self.starts) if len(self.starts) else self.found
        return int(np.count_nonzero(self.single == 1) + fewest[self.rest == 0].sum())

    @cached_property
    def nothing(self) -> float:
        """The probability that no tuple is found."""
        return float(np.prod(1 - self.single) * np.prod(self.rest))

    @cached_property
    def something(self) -> float:
        """The probability that a tuple is found, exact for small values."""
        several = np.minimum(self.by_block(self.probability), 1.0) if len(self.starts) else np.zeros(0)
        with np.errstate(divide="ignore"):  # where a tuple is certain, the logarithm of 0 is -inf
            return float(-np.expm1(np.log1p(-self.single).sum() + np.log1p(-several).sum()))

    @cached_property
    def rest(self) -> Floats:
        """The probability that no tuple is found, in each block with several outcomes."""
        return np.clip(1 - self.by_block(self.probability), 0.0, 1.0)


def block_counts(beliefs: Beliefs, correct: Truths, rows: Rows | None = None) -> BlockCounts:
    """Count some or all tuples in the worlds of each block.

    Args:
        beliefs: the tuples, in the order of their blocks.
        correct: whether each is correct.
        rows: those that count, ascending; the others are ignored.

    """
    rows = np.arange(len(beliefs)) if rows is None else rows
    alone = rows[beliefs.exclusive[beliefs.block[rows]]]
    weight, firsts = beliefs.weight[alone], np.flatnonzero(np.diff(beliefs.block[alone], prepend=-1))
    whole = np.clip(_sum_groups(weight, firsts), 0.0, 1.0)
    right = np.minimum(_sum_groups(np.where(correct[alone], weight, 0.0), firsts), whole)
    block, probability, found, hits = _block_outcomes(beliefs, correct, rows)
    return BlockCounts(
        right=right, wrong=whole - right, block=block, probability=probability, found=found, correct=hits
    )


def _sum_groups(values: Floats, starts: Rows) -> Floats:
    return np.add.reduceat(values, starts) if len(starts) else np.zeros(0)


def _block_outcomes(beliefs: Beliefs, correct: Truths, rows: Rows) -> tuple[Rows, Floats, Floats, Floats]:
    """Count some tuples in the worlds of blocks where several can be true; worlds without any of them are omitted."""
    worlds = beliefs.worlds
    if worlds is None or not len(rows):
        return np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0)
    first, last = _worlds_between(worlds, int(beliefs.block[rows[0]]), int(beliefs.block[rows[-1]]))
    begin, end = int(worlds.offsets[first]), int(worlds.offsets[last])
    counted = np.zeros(len(beliefs), np.bool_)
    counted[rows] = True
    member, world = worlds.member[begin:end], worlds.world[begin:end] - first
    found = np.bincount(world, counted[member], last - first).astype(np.float64)
    right = np.bincount(world, counted[member] & correct[member], last - first).astype(np.float64)
    there = np.flatnonzero(found > 0)
    block, probability = worlds.block[first:last][there], worlds.probability[first:last][there]
    number = np.cumsum(np.diff(block, prepend=-1) != 0) - 1
    return number, probability, found[there], right[there]


def _worlds_between(worlds: Worlds, first: int, last: int) -> tuple[int, int]:
    """Find the first world of some neighbouring blocks, and the one after their last."""
    bounds = np.searchsorted(worlds.block, [first, last + 1]).tolist()
    return bounds[0], bounds[1]


_CUTOFF = 40.0
"""Events less likely than exp(−40), and contributions smaller than that, are neglected."""

_NODES = 10
"""Nodes in each panel; with this number the whole integral is accurate to 1e-14."""

_TILE_SIZE = 1 << 17
"""Blocks times nodes processed together: small enough for the cache, and for one thread."""


class RatioMoments:
    """The expectation and the variance of C/(N+k), for several k, where 0/0 counts as 0.

    With k = 0 it is precision; twice that with k = |K| is F1.

    >>> from comparanda.tasks.prob.expectation import BlockCounts
    >>> outcomes = dict.fromkeys(("block", "probability", "found", "correct"), np.zeros(0, np.int64))
    >>> blocks = BlockCounts(right=np.array([0.8, 0.0]), wrong=np.array([0.0, 0.4]), **outcomes)
    >>> moments = RatioMoments(blocks, [0, 1])
    >>> round(moments.mean(0), 9), round(moments.variance(0), 9), round(2 * moments.mean(1), 9)
    (0.64, 0.1504, 0.693333333)
    """

    def __init__(self, counts: BlockCounts, below: Sequence[int]) -> None:
        self._counts = counts
        low, high = _plausible_range(counts)
        self._time, self._step = _quadrature(max(min(below) + low, 1.0), max(below) + high)
        mean = counts.mean_found
        self._centre = counts.mean_correct / mean if mean else 0.0

    @cached_property
    def _moments(self) -> _TiltedMoments:
        return _tilt(self._counts, self._time, self._centre)

    def mean(self, below: int) -> float:
        """Compute the expectation."""
        sums = self._moments
        falling = np.exp(sums.log_mass - below * self._time)
        return float(self._step @ (falling * (sums.mean + self._centre * sums.mean_found)))

    def variance(self, below: int) -> float:
        """Compute the variance as that of (C − r·(N+k))/(N+k), whose terms do not cancel."""
        sums, mean = self._moments, self.mean(below)
        more = mean - self._centre
        centre = sums.mean - more * sums.mean_found - mean * below
        spread = sums.variance - 2 * more * sums.covariance + more**2 * sums.variance_found
        falling = np.exp(sums.log_mass - below * self._time)
        found = float(self._step @ (self._time * falling * (centre**2 + np.maximum(spread, 0.0))))
        return found + (mean**2 * self._counts.nothing if below == 0 else 0.0)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _TiltedMoments:
    """The log of the total weight if each world weighs exp(−N·t), at each t, and moments under these weights.

    The moments are those of C − centre·N and of N, and their covariance.
    """

    log_mass: Floats
    mean: Floats
    variance: Floats
    mean_found: Floats
    variance_found: Floats
    covariance: Floats


def _plausible_range(counts: BlockCounts) -> tuple[float, float]:
    """Bound N, except for negligible worlds, by Maurer's and Bernstein's inequalities."""
    mean, squares = counts.mean_found, counts.squares
    largest = max(1.0, float(counts.found.max(initial=0.0)))
    slack = _CUTOFF * largest / 3
    high = mean + slack + sqrt(slack**2 + 2 * _CUTOFF * squares)
    low = max(float(counts.least), mean - sqrt(2 * _CUTOFF * squares))
    return low, max(1.0, min(float(counts.most), high))


def _quadrature(low: float, high: float) -> tuple[Floats, Floats]:
    """Compute quadrature nodes and weights on [0, ∞) for functions that decay like exp(−y·t), for a range of y.

    Panels double in length: the first is short enough for the largest y, the last ends where the smallest has decayed.
    """
    panels = ceil(log2(_CUTOFF * high / low)) + 1
    edges = np.concatenate([[0.0], 2.0 ** np.arange(panels) / high])
    x, weight = np.polynomial.legendre.leggauss(_NODES)
    half, middle = np.diff(edges)[:, None] / 2, (edges[1:] + edges[:-1])[:, None] / 2
    return (middle + half * x).ravel(), (half * weight).ravel()


def _tilt(counts: BlockCounts, time: Floats, centre: float) -> _TiltedMoments:
    """Compute the tilted moments over all blocks, with as many nodes at a time as fit into a tile."""
    value, found = counts.right - centre * counts.single, counts.single
    square = counts.right * (1 - centre) ** 2 + counts.wrong * centre**2
    sums = np.stack([value, square, found], axis=1)
    squares = np.stack([value * value, found * found, value * found], axis=1)
    tile = max(1, _TILE_SIZE // max(1, len(counts.right), len(counts.found)))
    parts = [
        _tilt_single(found, sums, squares, each) + _tilt_several(counts, each, centre)
        for each in np.split(time, range(tile, len(time), tile))
    ]
    log_mass, mean, variance, mean_found, variance_found, covariance = np.concatenate(parts, axis=1)
    return _TiltedMoments(
        log_mass=log_mass,
        mean=mean,
        variance=variance,
        mean_found=mean_found,
        variance_found=variance_found,
        covariance=covariance,
    )


def _tilt_single(found: Floats, sums: Floats, squares: Floats, time: Floats) -> Floats:
    """Compute the rows of `_TiltedMoments` for blocks of at most one tuple.

    Args:
        found: the probability that a tuple is found, in each block.
        sums: the terms of sums over blocks: value, square of the value, and found.
        squares: the squares of the means of value and found, and their product.
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


def _tilt_several(counts: BlockCounts, time: Floats, centre: float) -> Floats:
    """Compute the rows of `_TiltedMoments` for blocks with several outcomes."""
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


# Model uncertainty: the variation of precision, recall and F1 over the worlds of a system, given the key.
#
# This is not the sampling error over documents, which a bootstrap estimates.


FEW = 64
"""The most tuples in a world for intervals from the exact distribution; for more they come from a normal one."""

_TAIL_PROBABILITY = 0.025
_NORMAL_QUANTILE = 1.959963984540054  # the quantile of the normal distribution at 1 − tail


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
        precision: C/N, where 0/0 counts as 0; None where no tuple can be found.
        precision_if_found: its expectation over the worlds in which a tuple is found.
        recall: C/|K|; None with an empty key.
        f1: 2·C/(N+|K|); None where both are empty.

    """

    precision: Spread | None
    precision_if_found: float | None
    recall: Spread | None
    f1: Spread | None


def compute_doubt(counts: BlockCounts, key: int) -> Doubt:
    """Compute the spread of a system's scores over its worlds."""
    possible = counts.mean_found > 0
    exact = compute_distribution(counts) if counts.most <= FEW else None
    recall = _recall_spread(counts, key, exact) if key else None
    if not possible:
        return Doubt(None, None, recall, Spread(0.0, 0.0, 0.0, 0.0) if key else None)
    moments = RatioMoments(counts, [0, key])
    precision = _ratio_spread(moments.mean(0), variance=moments.variance(0), times=1, below=0, exact=exact)
    f1 = (
        _ratio_spread(2 * moments.mean(key), variance=4 * moments.variance(key), times=2, below=key, exact=exact)
        if key
        else Spread(0.0, 0.0, 0.0, 0.0)
    )
    return Doubt(precision, min(1.0, precision.mean / counts.something), recall, f1)


def _recall_spread(counts: BlockCounts, key: int, exact: Floats | None) -> Spread:
    mean, sd = counts.mean_correct / key, sqrt(max(counts.variance_correct, 0.0)) / key
    if exact is None:
        return Spread(mean, sd, *_normal_interval(mean, sd))
    return Spread(mean, sd, *_exact_interval(np.arange(exact.shape[1]) / key, exact.sum(axis=0)))


def _ratio_spread(mean: float, variance: float, times: int, below: int, *, exact: Floats | None) -> Spread:
    """Compute the spread of `times`·C/(N + `below`)."""
    sd = sqrt(max(variance, 0.0))
    if exact is None:
        return Spread(mean, sd, *_normal_interval(mean, sd))
    found, correct = np.indices(exact.shape)
    values = times * correct / np.maximum(found + below, 1)
    return Spread(mean, sd, *_exact_interval(values.ravel(), exact.ravel()))


def _normal_interval(mean: float, sd: float) -> tuple[float, float]:
    return max(0.0, mean - _NORMAL_QUANTILE * sd), min(1.0, mean + _NORMAL_QUANTILE * sd)


def _exact_interval(values: Floats, probability: Floats) -> tuple[float, float]:
    """Find the smallest values with at least 2.5 % and 97.5 % of the worlds at or below them."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(probability[order])
    places = np.searchsorted(reached, [_TAIL_PROBABILITY - 1e-12, 1 - _TAIL_PROBABILITY - 1e-12])
    low, high = values[order][np.minimum(places, len(values) - 1)].tolist()
    return low, high


def compute_distribution(counts: BlockCounts) -> Floats:
    """Compute the joint distribution of the number of tuples (rows) and of correct ones (columns).

    >>> from comparanda.tasks.prob.expectation import BlockCounts
    >>> outcomes = dict.fromkeys(("block", "probability", "found", "correct"), np.zeros(0, np.int64))
    >>> gold = BlockCounts(right=np.array([0.9, 0.5, 0.2]), wrong=np.zeros(3), **outcomes)
    >>> compute_distribution(gold).sum(axis=0).round(9).tolist()
    [0.04, 0.41, 0.46, 0.09]
    """
    size = counts.most + 1
    found = np.zeros((size, size))
    found[0, 0] = 1.0
    for right, wrong in zip(counts.right.tolist(), counts.wrong.tolist(), strict=True):
        found = _add_block(found, [(1 - right - wrong, 0, 0), (right, 1, 1), (wrong, 1, 0)])
    bounds = [*counts.starts.tolist(), len(counts.block)]
    outcomes = list(zip(counts.probability.tolist(), counts.found.astype(int), counts.correct.astype(int), strict=True))
    for rest, begin, end in zip(counts.rest.tolist(), bounds, bounds[1:], strict=False):
        found = _add_block(found, [(rest, 0, 0), *outcomes[begin:end]])
    return found


def _add_block(found: Floats, outcomes: list[tuple[float, int, int]]) -> Floats:
    """Extend the distribution by a block with these outcomes: probability, number of tuples, number of correct ones."""
    size, total = len(found), np.zeros_like(found)
    for probability, more, right in outcomes:
        total[more:, right:] += probability * found[: size - more, : size - right]
    return total
