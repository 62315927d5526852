"""What an answer does to its block: the probability of one event is set, all else keeps its proportions.

An answer is about an event: a tuple is true, a span is there, none of some tuples is true. Its probability p becomes
p', 1 after a yes and 0 after a no: what agrees with the event is multiplied by p'/p, what does not by (1−p')/(1−p).
A user who is believed to be wrong with probability ε gives p' = p(1−ε) / (p(1−ε) + (1−p)ε) by a yes, as Bayes has it.
All this is multiplication, so the order of answers does not matter. A yes to what is impossible makes it true and a no
to what is certain leaves nothing there: the user is trusted, and the contradiction counted.

All functions take many events at once, of different blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.beliefs.model import EPSILON
from comparanda.feedback.blocks import summed

if TYPE_CHECKING:
    from comparanda.beliefs.model import Floats
    from comparanda.columns import Rows, Truths
    from comparanda.feedback.state import State


def believed(probability: Floats, *, yes: Truths, error: float = 0.0) -> Floats:
    """Return the probability of events after an answer.

    >>> believed(np.array([0.7, 0.7]), yes=np.array([True, False]), error=0.1).round(4).tolist()
    [0.9545, 0.2059]
    """
    if not error:
        return yes.astype(np.float64)
    agrees, differs = np.where(yes, 1 - error, error), np.where(yes, error, 1 - error)
    return np.asarray(probability * agrees / (probability * agrees + (1 - probability) * differs))


def tell_labels(state: State, rows: Rows, target: Floats) -> int:
    """Set the probabilities of tuples, and return how many of them contradict what was believed."""
    mine = state.blocks
    blocks = mine.block[rows]
    members, place = mine.members.of(blocks)
    held = mine.member_row[members] == rows[place]
    inside = (mine.member_world[members[held]], place[held])
    odd = _tell(state, blocks, inside, state.weight[rows], target)
    if odd.any():
        state.world[mine.alone[rows[odd & (target > 0)]]] = 1.0
    state.infer(blocks)
    return int(odd.sum())


def tell_spans(state: State, rows: Rows, target: Floats) -> int:
    """Set the probabilities of the spans of tuples, and return how many of them contradict what was believed.

    A span that was impossible and is there has each of its labels with the same probability.
    """
    mine = state.blocks
    blocks, spans = mine.block[rows], mine.span[rows]
    reaches, place = mine.reaches.of(blocks)
    held = mine.reach_span[reaches] == spans[place]
    inside = (mine.reach_world[reaches[held]], place[held])
    before, unnamed = state.entity[spans], state.unnamed[spans]
    odd = _tell(state, blocks, inside, before, target)
    state.unnamed[spans] = np.divide(unnamed * target, before, out=np.zeros(len(spans)), where=before > EPSILON)
    for number in np.flatnonzero(odd & (target > 0)).tolist():
        own = mine.rows.of(blocks[number : number + 1])[0]
        own = own[mine.span[own] == spans[number]]
        state.world[mine.alone[own]] = 1.0 / len(own)
    state.infer(blocks)
    return int(odd.sum())


def tell_none(state: State, blocks: Rows, rows: Rows, error: float = 0.0) -> int:
    """Hear that none of some tuples of each block is true, and return how often that contradicts what was believed.

    In an exclusive block what is none of its tuples is nothing at all.

    Args:
        state: what is believed.
        blocks: the blocks.
        rows: the tuples of all blocks that are not true.
        error: how often the user is believed to be wrong.

    """
    mine = state.blocks
    listed = np.zeros(len(state.weight), np.bool_)
    listed[rows] = True
    members, member_place = mine.members.of(blocks)
    held = listed[mine.member_row[members]]
    worlds, first = np.unique(mine.member_world[members[held]], return_index=True)
    inside = (worlds, member_place[held][first])
    before = summed(inside[1], state.world[worlds], len(blocks))
    target = believed(1 - before, yes=np.ones(len(blocks), np.bool_), error=error)
    odd = _tell(state, blocks, inside, before, 1 - target)
    sole = mine.exclusive[blocks]
    state.nothing[blocks[sole]] = target[sole]
    state.unnamed[mine.spans.of(blocks[sole])[0]] = 0.0
    state.infer(blocks)
    return int(odd.sum())


def _tell(state: State, blocks: Rows, inside: tuple[Rows, Rows], before: Floats, target: Floats) -> Truths:
    """Set the probability of an event in each block, and return where that contradicts what was believed.

    Where it does no world is left; if the event was certain, nothing is there.

    Args:
        state: what is believed.
        blocks: a block for each event.
        inside: the worlds in which they hold, and for each the place of its block.
        before: their probabilities.
        target: what these become.

    """
    mine = state.blocks
    impossible, certain = before <= EPSILON, before >= 1 - EPSILON
    factor = np.divide(1 - target, 1 - before, out=np.zeros(len(blocks)), where=~certain)
    held, place = inside
    agreeing = state.world[held] * np.where(impossible, 0.0, target)[place] / np.where(impossible, 1.0, before)[place]
    worlds, world_place = mine.worlds.of(blocks)
    state.world[worlds] *= factor[world_place]
    state.world[held] = agreeing
    spans, span_place = mine.spans.of(blocks)
    state.unnamed[spans] *= factor[span_place]
    state.nothing[blocks] *= factor
    emptied: Truths = certain & (target == 0)
    state.nothing[blocks[emptied]] = 1.0
    odd: Truths = emptied | (impossible & (target == 1))
    return odd
