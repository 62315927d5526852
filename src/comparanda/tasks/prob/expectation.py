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

    from comparanda.core.probabilities import Beliefs, Floats, Worlds
    from comparanda.core.text_columns import Rows, Truths


# How many tuples are found in a world drawn as a system believes, and how many of them are right, block by block.


@dataclass(frozen=True, eq=False, kw_only=True)
class BlockCounts:
    """What is found in each of some independent blocks, apart from nothing.

    Args:
        right: for each block in which one tuple at most is true, the probability that it is one of the key's.
        wrong: the probability that it is another.
        block: the block of each outcome, where several can be true together; not descending, from 0.
        probability: how likely the outcome is; what is missing in a block is for nothing.
        found: how many tuples are found, at least one.
        correct: how many of them are right.

    """

    right: Floats
    wrong: Floats
    block: Rows
    probability: Floats
    found: Floats
    correct: Floats

    @cached_property
    def starts(self) -> Rows:
        """The first outcome of each block with several."""
        return np.flatnonzero(np.diff(self.block, prepend=-1))

    def by_block(self, values: Floats) -> Floats:
        """Sum over the outcomes of each block with several, along the last axis."""
        return np.add.reduceat(values, self.starts, axis=-1) if len(self.starts) else values

    @cached_property
    def single(self) -> Floats:
        """The probability that something is found, in each block of one tuple at most."""
        return self.right + self.wrong

    @property
    def mean_found(self) -> float:
        """How many tuples are found in the mean."""
        return float(self.single.sum() + self.probability @ self.found)

    @property
    def mean_correct(self) -> float:
        """How many right ones are found in the mean."""
        return float(self.right.sum() + self.probability @ self.correct)

    @property
    def squares(self) -> float:
        """The sum over blocks of the mean square of what is found."""
        return float(self.single.sum() + self.probability @ self.found**2)

    @property
    def variance_correct(self) -> float:
        """The variance of how many right ones are found."""
        means = self.by_block(self.probability * self.correct)
        several = self.probability @ self.correct**2 - means @ means
        return float(self.right @ (1 - self.right) + several)

    @property
    def most(self) -> int:
        """How many tuples are found at most."""
        largest = np.maximum.reduceat(self.found, self.starts).sum() if len(self.starts) else 0
        return int(np.count_nonzero(self.single) + largest)

    @property
    def least(self) -> int:
        """How many tuples are found in every world."""
        fewest = np.minimum.reduceat(self.found, self.starts) if len(self.starts) else self.found
        return int(np.count_nonzero(self.single == 1) + fewest[self.rest == 0].sum())

    @cached_property
    def nothing(self) -> float:
        """The probability that nothing at all is found."""
        return float(np.prod(1 - self.single) * np.prod(self.rest))

    @cached_property
    def something(self) -> float:
        """The probability that something is found, however little that is."""
        several = np.minimum(self.by_block(self.probability), 1.0) if len(self.starts) else np.zeros(0)
        with np.errstate(divide="ignore"):  # where something is certain, the logarithm of nothing is -inf
            return float(-np.expm1(np.log1p(-self.single).sum() + np.log1p(-several).sum()))

    @cached_property
    def rest(self) -> Floats:
        """The probability that nothing is found, in each block with several outcomes."""
        return np.clip(1 - self.by_block(self.probability), 0.0, 1.0)


def block_counts(beliefs: Beliefs, correct: Truths, rows: Rows | None = None) -> BlockCounts:
    """Count what worlds have of some tuples, or of all.

    Args:
        beliefs: the tuples, in the order of their blocks.
        correct: whether each is right.
        rows: those that count, ascending; the others are as good as not there.

    """
    rows = np.arange(len(beliefs)) if rows is None else rows
    alone = rows[beliefs.exclusive[beliefs.block[rows]]]
    weight, firsts = beliefs.weight[alone], np.flatnonzero(np.diff(beliefs.block[alone], prepend=-1))
    whole = np.clip(_sums(weight, firsts), 0.0, 1.0)
    right = np.minimum(_sums(np.where(correct[alone], weight, 0.0), firsts), whole)
    block, probability, found, hits = _outcomes(beliefs, correct, rows)
    return BlockCounts(
        right=right, wrong=whole - right, block=block, probability=probability, found=found, correct=hits
    )


def _sums(values: Floats, starts: Rows) -> Floats:
    return np.add.reduceat(values, starts) if len(starts) else np.zeros(0)


def _outcomes(beliefs: Beliefs, correct: Truths, rows: Rows) -> tuple[Rows, Floats, Floats, Floats]:
    """Return what the worlds of blocks with several have of some tuples; those with nothing of them are left out."""
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
    """Return the first world of some neighbouring blocks, and the one behind their last."""
    bounds = np.searchsorted(worlds.block, [first, last + 1]).tolist()
    return bounds[0], bounds[1]


_REACH = 40.0
"""What is less likely than exp(−40), or adds less than that, is left out."""

_NODES = 10
"""Nodes in each panel; with so many the whole integral is right to 1e-14."""

_TILE = 1 << 17
"""Blocks times nodes that are looked at together: small enough for the cache, and for one thread."""


class RatioMoments:
    """The expectation and the variance of C/(N+k), for each of some k, where 0/0 counts as 0.

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


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
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
    log_mass, mean, variance, mean_found, variance_found, covariance = np.concatenate(parts, axis=1)
    return _Tilted(
        log_mass=log_mass,
        mean=mean,
        variance=variance,
        mean_found=mean_found,
        variance_found=variance_found,
        covariance=covariance,
    )


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


# A system's own doubt: how precision, recall and F1 vary over the worlds that it holds for possible, given the key.
#
# This is not the sampling error over documents, which a bootstrap tells.


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
    precision = _spread(moments.mean(0), variance=moments.variance(0), times=1, below=0, exact=exact)
    f1 = (
        _spread(2 * moments.mean(key), variance=4 * moments.variance(key), times=2, below=key, exact=exact)
        if key
        else Spread(0.0, 0.0, 0.0, 0.0)
    )
    return Doubt(precision, min(1.0, precision.mean / counts.something), recall, f1)


def _recall(counts: BlockCounts, key: int, exact: Floats | None) -> Spread:
    mean, sd = counts.mean_correct / key, sqrt(max(counts.variance_correct, 0.0)) / key
    if exact is None:
        return Spread(mean, sd, *_normal(mean, sd))
    return Spread(mean, sd, *_interval(np.arange(exact.shape[1]) / key, exact.sum(axis=0)))


def _spread(mean: float, variance: float, times: int, below: int, *, exact: Floats | None) -> Spread:
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

    >>> from comparanda.tasks.prob.expectation import BlockCounts
    >>> outcomes = dict.fromkeys(("block", "probability", "found", "correct"), np.zeros(0, np.int64))
    >>> gold = BlockCounts(right=np.array([0.9, 0.5, 0.2]), wrong=np.zeros(3), **outcomes)
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
