"""The model: independent blocks, in each of which at most one of several worlds is true.

A *tuple* is a span with a label and a weight w, the probability that it is there. In most blocks every two tuples
exclude each other: w = p_e · p_a, and what is left is for nothing at all. In others several can be true together, as
in the n best analyses of a sentence: such a block has a list of worlds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Rows

    Floats = NDArray[np.float64]

EPSILON = 1e-9
"""Probabilities that differ by less are the same."""


@dataclass(frozen=True, eq=False)
class Worlds:
    """What can be true together in those blocks in which tuples do not all exclude each other.

    The probabilities of a block's worlds sum to at most one; what is missing is a world without any tuple.

    Args:
        block: the block of each world, not descending.
        probability: how likely it is.
        offsets: the first of its members, and behind them the number of all.
        member: the tuples that are true in it, by their rows.

    """

    block: Rows
    probability: Floats
    offsets: Rows
    member: Rows

    def __len__(self) -> int:
        return len(self.block)

    @cached_property
    def world(self) -> Rows:
        """The world of each member."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def in_blocks(self, number: Rows) -> Worlds:
        """Return the worlds of some blocks, by their new numbers, their members in order; a block without one is -1."""
        block = number[self.block]
        order = np.argsort(block, kind="stable")
        order = order[np.count_nonzero(block < 0) :]
        sizes = np.diff(self.offsets)[order]
        ends = np.cumsum(sizes)
        begins = np.repeat(self.offsets[order] - (ends - sizes), sizes)
        member = self.member[begins + np.arange(len(begins))]
        member = member[np.lexsort((member, np.repeat(np.arange(len(order)), sizes)))]
        return Worlds(block[order], self.probability[order], np.concatenate([[0], ends]), member)

    def distinct(self) -> Worlds:
        """Return worlds that differ in their members: equal ones of a block are one, and those without any are gone."""
        found: dict[tuple[int, bytes], float] = {}
        each = zip(self.block.tolist(), self.probability.tolist(), pairwise(self.offsets.tolist()), strict=True)
        for block, probability, (begin, end) in each:
            if begin < end:
                world = block, self.member[begin:end].tobytes()
                found[world] = found.get(world, 0.0) + probability
        members = [np.frombuffer(given, np.int64) for _, given in found]
        return Worlds(
            np.array([block for block, _ in found], np.int64),
            np.array([*found.values()], np.float64),
            np.cumsum([0, *map(len, members)], dtype=np.int64),
            np.concatenate([np.zeros(0, np.int64), *members]),
        )


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What a system believes of its tuples.

    Args:
        weight: the probability of each tuple.
        entity: the probability of its span, whatever its label: p_e.
        alternative: the span it is of, by a number of its own; tuples of one span have one number.
        block: its block, by number.
        nothing: for each block the probability that none of its spans is there.
        worlds: those of blocks whose tuples can be true together; None where there are no such blocks.
        policies: how the probabilities were made, by name.

    """

    weight: Floats
    entity: Floats
    alternative: Rows
    block: Rows
    nothing: Floats
    worlds: Worlds | None = None
    policies: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.weight)

    @cached_property
    def offsets(self) -> Rows:
        """The first tuple of each block, and behind them the number of all; for tuples that stand by block."""
        return np.searchsorted(self.block, np.arange(len(self.nothing) + 1))

    @cached_property
    def exclusive(self) -> NDArray[np.bool_]:
        """Whether the tuples of each block exclude each other."""
        found = np.ones(len(self.nothing), np.bool_)
        if self.worlds is not None:
            found[self.worlds.block] = False
        return found

    def take(self, rows: Rows) -> Beliefs:
        """Return some tuples, in another order if need be; blocks stay, and worlds lose what is gone."""
        worlds = self.worlds
        if worlds is not None:
            place = np.full(len(self), -1, np.int64)
            place[rows] = np.arange(len(rows))
            member = place[worlds.member]
            kept = member >= 0
            sizes = np.bincount(worlds.world[kept], minlength=len(worlds))
            worlds = replace(worlds, offsets=np.concatenate([[0], np.cumsum(sizes)]), member=member[kept])
        return replace(
            self,
            weight=self.weight[rows],
            entity=self.entity[rows],
            alternative=self.alternative[rows],
            block=self.block[rows],
            worlds=worlds,
        )

    def numbered(self) -> Beliefs:
        """Return the same with blocks and spans numbered in the order of their tuples; blocks without any are gone.

        Tuples of one block must stand together.
        """
        new = np.diff(self.block, prepend=-1) != 0
        place = np.full(len(self.nothing), -1, np.int64)
        place[self.block[new]] = np.arange(np.count_nonzero(new))
        _, first, which = np.unique(self.alternative, return_index=True, return_inverse=True)
        rank = np.empty(len(first), np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        worlds = None if self.worlds is None else self.worlds.in_blocks(place)
        return replace(
            self,
            alternative=rank[which.reshape(-1)],
            block=place[self.block],
            nothing=self.nothing[self.block[new]],
            worlds=worlds if worlds is not None and len(worlds) else None,
        )


def certain(size: int) -> Beliefs:
    """Return what an output without probabilities believes: every span is there."""
    numbers, sure = np.arange(size), np.ones(size)
    return Beliefs(sure, sure, numbers, numbers, np.zeros(size))
