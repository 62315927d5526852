"""How many tuples are found in a world drawn as a system believes, and how many of them are right, block by block."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from comparanda.beliefs.model import Beliefs, Floats, Worlds
    from comparanda.columns import Rows, Truths


@dataclass(frozen=True, eq=False)
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
    return BlockCounts(right, whole - right, *_outcomes(beliefs, correct, rows))


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
