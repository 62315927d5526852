"""Spans that a system holds for possible: blocks of alternatives with probabilities (DEFINITIONS 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.text_columns import Codes, Rows, Truths

    Floats = NDArray[np.float64]


# The model: independent blocks, in each of which at most one of several worlds is true.
#
# A *tuple* is a span with a label and a weight w, the probability that it is there. In most blocks every two tuples
# exclude each other: w = p_e · p_a, and what is left is for nothing at all. In others several can be true together, as
# in the n best analyses of a sentence: such a block has a list of worlds.


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


@dataclass(frozen=True, eq=False, kw_only=True)
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
    return Beliefs(weight=sure, entity=sure, alternative=numbers, block=numbers, nothing=np.zeros(size))


# Beliefs made in parts, laid end to end; and tuples that are the same found.


def alone(weight: Floats) -> Beliefs:
    """Return tuples that are a block of their own each."""
    numbers = np.arange(len(weight))
    return Beliefs(weight=weight, entity=weight, alternative=numbers, block=numbers, nothing=1.0 - weight)


def first_equals(*columns: Codes) -> Rows:
    """Return for each row the first one that is equal to it in all columns; itself, where there is none before it.

    >>> first_equals(np.array([3, 1, 3]), np.array([0, 0, 0])).tolist()
    [0, 1, 0]
    """
    order = np.lexsort(columns[::-1])
    new = np.ones(len(order), np.bool_)
    if len(order):
        new[1:] = np.any([column[order[1:]] != column[order[:-1]] for column in columns], axis=0)
    found = np.empty(len(order), np.int64)
    found[order] = order[np.flatnonzero(new)][np.cumsum(new) - 1]
    return found


def side_by_side(parts: Sequence[Beliefs]) -> Beliefs:
    """Lay beliefs end to end; those of one part have nothing to do with those of another."""
    if not parts:
        return alone(np.zeros(0))
    blocks, spans, rows = (
        np.cumsum([0, *sizes], dtype=np.int64)
        for sizes in zip(
            *((len(each.nothing), int(each.alternative.max(initial=-1)) + 1, len(each)) for each in parts), strict=True
        )
    )
    several = [
        replace(each.worlds, block=each.worlds.block + block, member=each.worlds.member + row)
        for each, block, row in zip(parts, blocks.tolist(), rows.tolist(), strict=False)
        if each.worlds is not None
    ]
    return Beliefs(
        weight=np.concatenate([each.weight for each in parts]),
        entity=np.concatenate([each.entity for each in parts]),
        alternative=np.concatenate(
            [each.alternative + span for each, span in zip(parts, spans.tolist(), strict=False)]
        ),
        block=np.concatenate([each.block + block for each, block in zip(parts, blocks.tolist(), strict=False)]),
        nothing=np.concatenate([each.nothing for each in parts]),
        worlds=_concatenate_worlds(several) if several else None,
    )


def _concatenate_worlds(parts: Sequence[Worlds]) -> Worlds:
    sizes = [np.diff(each.offsets) for each in parts]
    return Worlds(
        np.concatenate([each.block for each in parts]),
        np.concatenate([each.probability for each in parts]),
        np.concatenate([[0], np.cumsum(np.concatenate(sizes), dtype=np.int64)]),
        np.concatenate([each.member for each in parts]),
    )


# The policies by which scores become probabilities and probabilities a hard output; every report names them.


Decide = Literal["tuple", "hierarchical"]
DECIDE: tuple[Decide, ...] = get_args(Decide)
Scale = Literal["prob", "percent", "logprob"]
SCALES: tuple[Scale, ...] = get_args(Scale)
Overlap = Literal["exclusive", "condition", "independent", "scale", "declared"]
OVERLAPS: tuple[Overlap, ...] = get_args(Overlap)
Semantics = Literal["exclusive", "independent"]
SEMANTICS: tuple[Semantics, ...] = get_args(Semantics)
Residual = Literal["drop", "other", "renormalise"]
RESIDUALS: tuple[Residual, ...] = get_args(Residual)
Aggregate = Literal["product", "min", "mean", "geometric"]
AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)

FLOOR = 0.01
"""Spans made of tokens that weigh less are left out, unless another floor is asked for."""

OTHER = "(other)"
"""The label of what the labels of a span leave over, where that counts as found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """How numbers of an input become weights of tuples.

    Args:
        scale: how they are written.
        overlap: what spans do that are in each other's way; `declared`: the input has blocks, which say it.
        semantics: whether the labels of one span exclude each other.
        residual: what becomes of the rest where the labels of a span sum to less than one.
        aggregate: how the weight of a span is made of those of its tokens.
        floor: what weighs less, made of tokens, is left out.

    """

    scale: Scale = "prob"
    overlap: Overlap = "exclusive"
    semantics: Semantics = "exclusive"
    residual: Residual = "drop"
    aggregate: Aggregate = "product"
    floor: float = FLOOR


# How probabilities are written: as such, in percent, or as logarithms.


SLACK = 1e-6
"""Probabilities may be so much below 0 or above 1, and so may their sums: numbers are rounded."""


def unscaled(values: Floats, scale: Scale) -> Floats:
    """Return numbers as probabilities, whether they can be some or not.

    >>> unscaled(np.array([0.0, 50.0]), "percent").tolist(), unscaled(np.array([0.0]), "logprob").tolist()
    ([0.0, 0.5], [1.0])
    """
    if scale == "percent":
        return values / 100
    return np.exp(np.minimum(values, 1.0)) if scale == "logprob" else values


def impossible(values: Floats) -> Truths:
    """Return which numbers are no probabilities: outside of 0 and 1 by more than rounding, or not finite."""
    found: Truths = ~((values >= -SLACK) & (values <= 1 + SLACK))
    return found


def hint_for(value: float) -> str:
    """Return which scale a number may be on that is no probability."""
    name = "logarithms" if value < 0 else "percent"
    return f"if these are {name}, say so: ?scale={'logprob' if value < 0 else 'percent'}"


CLIPPED = "probabilities outside of 0 and 1 by less than a millionth, clipped"
"""What is noted of such numbers."""
