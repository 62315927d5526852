"""Candidate spans of probabilistic systems: blocks of alternatives with probabilities (DEFINITIONS 9)."""

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
# A *tuple* is a span with a label and a weight w, the probability that it is true. In most blocks the tuples exclude
# each other: w = p_e · p_a, and the remaining probability is that none is true. In others several can be true
# together, as in the n best analyses of a sentence: such a block has a list of worlds.


EPSILON = 1e-9
"""Probabilities that differ by less are considered equal."""


@dataclass(frozen=True, eq=False)
class Worlds:
    """The possible worlds of the blocks in which tuples do not all exclude each other.

    The probabilities of a block's worlds sum to at most one; the rest is the probability of the world without tuples.

    Args:
        block: the block of each world; non-decreasing.
        probability: its probability.
        offsets: the index of its first member, followed by the number of members.
        member: the rows of the tuples that are true in it.

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
        """Select the worlds of some blocks and renumber these; `number` maps blocks to new numbers, -1 to drop them."""
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
        """Merge worlds of a block that have the same members, and drop those without any."""
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
    """The probabilities that a system assigns to its tuples.

    Args:
        weight: the probability of each tuple.
        entity: the probability of its span, whatever its label: p_e.
        alternative: the number of its span; tuples with the same span have the same number.
        block: the number of its block.
        nothing: for each block the probability that none of its spans is true.
        worlds: the worlds of blocks whose tuples can be true together; None where there are no such blocks.
        policies: the policies by which the probabilities were computed, by name.

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
        """The first tuple of each block, followed by the number of tuples; the tuples must be sorted by block."""
        return np.searchsorted(self.block, np.arange(len(self.nothing) + 1))

    @cached_property
    def exclusive(self) -> NDArray[np.bool_]:
        """Whether the tuples of each block exclude each other."""
        found = np.ones(len(self.nothing), np.bool_)
        if self.worlds is not None:
            found[self.worlds.block] = False
        return found

    def take(self, rows: Rows) -> Beliefs:
        """Select and reorder tuples; blocks are unchanged, and dropped tuples are removed from worlds."""
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
        """Renumber blocks and spans in the order of their tuples, dropping blocks without tuples.

        The tuples of a block must be consecutive.
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


def certain_beliefs(size: int) -> Beliefs:
    """Make the beliefs of an output without probabilities: every span has probability one."""
    numbers, sure = np.arange(size), np.ones(size)
    return Beliefs(weight=sure, entity=sure, alternative=numbers, block=numbers, nothing=np.zeros(size))


# Concatenating beliefs, and finding equal tuples.


def independent_beliefs(weight: Floats) -> Beliefs:
    """Make beliefs in which each tuple is a block of its own."""
    numbers = np.arange(len(weight))
    return Beliefs(weight=weight, entity=weight, alternative=numbers, block=numbers, nothing=1.0 - weight)


def first_equals(*columns: Codes) -> Rows:
    """Find for each row the first row that is equal to it in all columns, possibly the row itself.

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
    """Concatenate beliefs; the parts are independent of each other."""
    if not parts:
        return independent_beliefs(np.zeros(0))
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


# The policies by which scores become probabilities, and probabilities a hard output; every report names them.


Decide = Literal["tuple", "hierarchical"]
DECIDE: tuple[Decide, ...] = get_args(Decide)
Scale = Literal["prob", "percent", "logprob", "words"]
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
"""Spans built from tokens are left out if their weight is lower, unless another floor is given."""

OTHER = "(other)"
"""The label that is assigned the remaining probability of a span, where that is retained."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """How the numbers of an input are converted to weights of tuples.

    Args:
        scale: the scale of the numbers.
        overlap: how overlapping spans are related; `declared`: the input declares blocks.
        semantics: whether the labels of one span exclude each other.
        residual: how the remainder is treated where the labels of a span sum to less than one.
        aggregate: how the weight of a span is computed from those of its tokens.
        floor: the lowest weight of a span built from tokens.

    """

    scale: Scale = "prob"
    overlap: Overlap = "exclusive"
    semantics: Semantics = "exclusive"
    residual: Residual = "drop"
    aggregate: Aggregate = "product"
    floor: float = FLOOR


# The scales of probabilities: as such, in percent, or as logarithms.


SLACK = 1e-6
"""Probabilities and their sums may be below 0 or above 1 by this much, because numbers are rounded."""


def unscale(values: Floats, scale: Scale) -> Floats:
    """Convert numbers on some scale to probabilities, without checking their range; those of words are probabilities.

    >>> unscale(np.array([0.0, 50.0]), "percent").tolist(), unscale(np.array([0.0]), "logprob").tolist()
    ([0.0, 0.5], [1.0])
    """
    if scale == "percent":
        return values / 100
    return np.exp(np.minimum(values, 1.0)) if scale == "logprob" else values


def is_impossible(values: Floats) -> Truths:
    """Whether each number is not a probability: outside of [0, 1] by more than rounding, or not finite."""
    found: Truths = ~((values >= -SLACK) & (values <= 1 + SLACK))
    return found


def hint_for(value: float) -> str:
    """Suggest the scale of a number that is not a probability."""
    name = "logarithms" if value < 0 else "percent"
    return f"add ?scale={'logprob' if value < 0 else 'percent'} if these are {name}"


CLIPPED = "probabilities outside of [0, 1] by less than 1e-6, clipped"
"""The text of the note about such numbers."""
