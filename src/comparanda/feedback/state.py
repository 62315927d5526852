"""What is believed at some moment: the probability of every world, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.beliefs.model import EPSILON, Beliefs, Worlds
from comparanda.feedback.blocks import Blocks, summed

if TYPE_CHECKING:
    from comparanda.beliefs.model import Floats
    from comparanda.columns import Rows, Truths


@dataclass(frozen=True, eq=False, slots=True)
class State:
    """Probabilities that answers change in place.

    Args:
        blocks: what stands in each block.
        world: the probability of each world.
        nothing: for each block the probability that none of its spans is there.
        unnamed: for each span the probability that it is there with a label that no tuple has.
        weight: the probability of each tuple: that of the worlds which it is true in.
        entity: the probability of each span.

    """

    blocks: Blocks
    world: Floats
    nothing: Floats
    unnamed: Floats
    weight: Floats
    entity: Floats

    def copy(self) -> State:
        """Return the same probabilities, to be changed apart."""
        return State(self.blocks, *(each.copy() for each in self._arrays()))

    def repeated(self, blocks: Rows) -> tuple[State, Rows]:
        """Return some blocks, each as often as it is named, and their tuples by their rows here."""
        made, rows = self.blocks.repeated(blocks)
        worlds, spans = self.blocks.worlds.of(blocks)[0], self.blocks.spans.of(blocks)[0]
        arrays = (self.world[worlds], self.nothing[blocks], self.unnamed[spans], self.weight[rows], self.entity[spans])
        return State(made, *arrays), rows

    def put(self, blocks: Rows, other: State) -> None:
        """Take over the probabilities of some blocks."""
        worlds, spans = self.blocks.worlds.of(blocks)[0], self.blocks.spans.of(blocks)[0]
        self.world[worlds] = other.world[worlds]
        self.nothing[blocks] = other.nothing[blocks]
        self.unnamed[spans] = other.unnamed[spans]
        self.infer(blocks)

    def infer(self, blocks: Rows) -> None:
        """Sum up the weights of tuples and spans over the worlds of some blocks."""
        mine = self.blocks
        members, reaches = mine.members.of(blocks)[0], mine.reaches.of(blocks)[0]
        spans = mine.spans.of(blocks)[0]
        self.weight[mine.rows.of(blocks)[0]] = 0.0
        np.add.at(self.weight, mine.member_row[members], self.world[mine.member_world[members]])
        self.entity[spans] = self.unnamed[spans]
        np.add.at(self.entity, mine.reach_span[reaches], self.world[mine.reach_world[reaches]])

    def worlds_of(self, blocks: Rows) -> tuple[Rows, Rows, Floats, Floats]:
        """Return the worlds of some blocks, the place of each one's block, and how probable each is, and the rest.

        Worlds without any tuple are all one, listed or not: they count for the rest.
        """
        worlds, place = self.blocks.worlds.of(blocks)
        probability = np.where(self.blocks.bare[worlds], 0.0, self.world[worlds])
        return worlds, place, probability, 1.0 - summed(place, probability, len(blocks))

    def beliefs(self, start: Beliefs) -> Beliefs:
        """Return this as beliefs about the tuples of those at the start."""
        return replace(
            start,
            weight=self.weight.copy(),
            entity=self.entity[self.blocks.span],
            nothing=self.nothing.copy(),
            worlds=None if start.worlds is None else self._worlds(),
        )

    def _worlds(self) -> Worlds:
        """Return the worlds of blocks that are not exclusive, those of tuples alone only where they are possible."""
        mine = self.blocks
        block = np.repeat(np.arange(len(mine)), np.diff(mine.worlds.offsets))
        added = np.zeros(len(self.world), np.bool_)
        added[mine.alone] = True
        kept = ~mine.exclusive[block] & (~added | (self.world > 0))
        member = kept[mine.member_world]
        sizes = np.bincount(mine.member_world[member], minlength=len(kept))[kept]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        return Worlds(block[kept], self.world[kept], offsets, mine.member_row[member])

    def _arrays(self) -> tuple[Floats, ...]:
        return self.world, self.nothing, self.unnamed, self.weight, self.entity


def uncertain(probability: Floats) -> Truths:
    """Whether each probability is neither zero nor one."""
    found: Truths = (probability > EPSILON) & (probability < 1 - EPSILON)
    return found


def state_of(beliefs: Beliefs, blocks: Blocks) -> State:
    """Return what is believed at the start."""
    world = np.zeros(len(blocks.world_span))
    sole = blocks.exclusive[blocks.block]
    world[blocks.alone[sole]] = beliefs.weight[sole]
    if beliefs.worlds is not None:
        added = np.zeros(len(world), np.bool_)
        added[blocks.alone] = True
        world[~added] = beliefs.worlds.probability
    spans = int(blocks.spans.offsets[-1])
    state = State(blocks, world, beliefs.nothing.copy(), np.zeros(spans), np.zeros(len(beliefs)), np.zeros(spans))
    state.infer(np.arange(len(blocks)))
    given = np.zeros(spans)
    given[blocks.span] = beliefs.entity
    np.copyto(state.unnamed, np.where(given - state.entity > EPSILON, given - state.entity, 0.0))
    np.add(state.entity, state.unnamed, out=state.entity)
    return state
