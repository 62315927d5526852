"""What stands in each block: its tuples, their spans, and the worlds of which one is true.

Every block has worlds here. In one whose tuples exclude each other these are the tuples, each alone, the preferred
one first; in one with worlds of its own these stand first, and then each tuple alone with probability zero, for a user
who says what no world says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from comparanda.beliefs.model import Beliefs, Floats
    from comparanda.columns import Rows, Truths


def summed(place: Rows, values: Floats | Truths, count: int) -> Floats:
    """Sum up the values of each of some parts.

    >>> summed(np.array([0, 0, 2]), np.array([0.5, 1.0, 2.0]), 3).tolist()
    [1.5, 0.0, 2.0]
    """
    return np.asarray(np.bincount(place, values, count), np.float64)


@dataclass(frozen=True, eq=False, slots=True)
class Ranges:
    """Things that stand block by block.

    Args:
        offsets: the first of each block, and behind them the number of all.

    """

    offsets: Rows

    @classmethod
    def counted(cls, counts: Rows) -> Ranges:
        """Return the ranges of blocks with so many things each."""
        offsets = np.zeros(len(counts) + 1, np.int64)
        counts.cumsum(out=offsets[1:])
        return cls(offsets)

    def of(self, blocks: Rows) -> tuple[Rows, Rows]:
        """Return all things of some blocks, and for each the place of its block among these."""
        if len(blocks) == 1:  # most questions are about one block
            begin, end = self.offsets[blocks[0] : blocks[0] + 2].tolist()
            return np.arange(begin, end), np.zeros(end - begin, np.int64)
        begin = self.offsets[blocks]
        sizes = self.offsets[blocks + 1] - begin
        place = np.arange(len(blocks)).repeat(sizes)
        return np.arange(len(place)) + (begin - sizes.cumsum() + sizes)[place], place

    def sizes(self, blocks: Rows) -> Rows:
        """Return how many things some blocks have."""
        sizes: Rows = self.offsets[blocks + 1] - self.offsets[blocks]
        return sizes


@dataclass(frozen=True, eq=False, slots=True)
class Blocks:
    """The structure of all blocks, which no answer changes.

    Args:
        rows: the tuples of each block.
        spans: its spans, the preferred one first.
        worlds: its worlds.
        members: which tuples are true in which worlds of it.
        reaches: which spans are there in which worlds of it.
        block: the block of each tuple.
        span: the span of each tuple.
        alone: the world of each tuple in which it alone is true.
        member_row: the tuple of each member.
        member_world: and its world.
        reach_span: the span of each reach.
        reach_world: and its world.
        world_span: the span that a world of an exclusive block has; -1 for other blocks.
        bare: whether a world has no tuple.
        exclusive: whether the tuples of each block exclude each other.

    """

    rows: Ranges
    spans: Ranges
    worlds: Ranges
    members: Ranges
    reaches: Ranges
    block: Rows
    span: Rows
    alone: Rows
    member_row: Rows
    member_world: Rows
    reach_span: Rows
    reach_world: Rows
    world_span: Rows
    bare: Truths
    exclusive: Truths

    def __len__(self) -> int:
        return len(self.exclusive)

    def repeated(self, blocks: Rows) -> tuple[Blocks, Rows]:
        """Return a structure of some blocks, each as often as it is named, and its tuples by their rows here."""
        rows, row_place = self.rows.of(blocks)
        worlds, world_place = self.worlds.of(blocks)
        members, member_place = self.members.of(blocks)
        reaches, reach_place = self.reaches.of(blocks)
        ranges = (self.rows, self.spans, self.worlds, self.members, self.reaches)
        new = [Ranges.counted(each.sizes(blocks)) for each in ranges]
        by_row, by_span, by_world, *_ = (
            mine.offsets[:-1] - each.offsets[blocks] for mine, each in zip(new, ranges, strict=True)
        )
        world_span = self.world_span[worlds]
        made = Blocks(
            new[0],
            new[1],
            new[2],
            new[3],
            new[4],
            row_place,
            self.span[rows] + by_span[row_place],
            self.alone[rows] + by_world[row_place],
            self.member_row[members] + by_row[member_place],
            self.member_world[members] + by_world[member_place],
            self.reach_span[reaches] + by_span[reach_place],
            self.reach_world[reaches] + by_world[reach_place],
            np.where(world_span < 0, -1, world_span + by_span[world_place]),
            self.bare[worlds],
            self.exclusive[blocks],
        )
        return made, rows


def blocks_of(beliefs: Beliefs, preference: Rows) -> Blocks:
    """Return the structure of what is believed.

    Args:
        beliefs: the tuples, block by block.
        preference: a rank of each tuple, for ties.

    """
    block, size = beliefs.block, len(beliefs.nothing)
    span, span_block = _spans(beliefs, preference)
    exclusive = beliefs.exclusive
    world_block, member_row, member_world, alone = _worlds(beliefs, preference)
    spans_of_members = span[member_row]
    reaches = np.unique(np.stack([member_world, spans_of_members]), axis=1) if len(member_row) else np.zeros((2, 0))
    reach_world, reach_span = reaches.astype(np.int64)
    world_span = np.full(len(world_block), -1, np.int64)
    sole = exclusive[world_block[member_world]]
    world_span[member_world[sole]] = spans_of_members[sole]

    def ranges(of_each: Rows) -> Ranges:
        return Ranges.counted(np.bincount(of_each, minlength=size))

    return Blocks(
        ranges(block),
        ranges(span_block),
        ranges(world_block),
        ranges(world_block[member_world]),
        ranges(world_block[reach_world]),
        block,
        span,
        alone,
        member_row,
        member_world,
        reach_span,
        reach_world,
        world_span,
        np.bincount(member_world, minlength=len(world_block)) == 0,
        exclusive,
    )


def _spans(beliefs: Beliefs, preference: Rows) -> tuple[Rows, Rows]:
    """Return the span of each tuple and the block of each span; they go block by block, the preferred one first."""
    order = np.lexsort((preference, beliefs.block))
    _, first, number = np.unique(beliefs.alternative[order], return_index=True, return_inverse=True)
    by_first = np.argsort(first, kind="stable")
    rank = np.empty(len(first), np.int64)
    rank[by_first] = np.arange(len(first))
    span = np.empty(len(beliefs), np.int64)
    span[order] = rank[number]
    return span, beliefs.block[order[first[by_first]]]


def _worlds(beliefs: Beliefs, preference: Rows) -> tuple[Rows, Rows, Rows, Rows]:
    """Return the block of each world, the tuple and the world of each member, and the world of each tuple alone."""
    size = len(beliefs)
    order = np.lexsort((preference, beliefs.block))
    if beliefs.worlds is None:
        alone = np.empty(size, np.int64)
        alone[order] = np.arange(size)
        return beliefs.block[order], order, np.arange(size), alone
    given = beliefs.worlds
    block = np.concatenate([given.block, beliefs.block[order]])
    place = np.empty(len(block), np.int64)
    place[np.argsort(block, kind="stable")] = np.arange(len(block))  # worlds as given stand before tuples alone
    row = np.concatenate([given.member, order])
    world = place[np.concatenate([given.world, len(given) + np.arange(size)])]
    by_world = np.argsort(world, kind="stable")
    alone = np.empty(size, np.int64)
    alone[order] = place[len(given) :]
    return np.sort(block), row[by_world], world[by_world], alone
