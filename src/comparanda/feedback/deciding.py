"""The hard output of some blocks, as `beliefs.decide` has it for all, from what is believed at some moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.beliefs.model import EPSILON

if TYPE_CHECKING:
    from comparanda.beliefs.model import Floats
    from comparanda.beliefs.policies import Decide
    from comparanda.columns import Rows
    from comparanda.feedback.state import State

DIGITS = 1e9
"""What is the same to this precision is a tie."""


def first_best(values: Floats, place: Rows, count: int) -> Rows:
    """Return where the largest value of each part stands, the first of equal ones; no part is empty.

    >>> first_best(np.array([1.0, 3.0, 3.0, 2.0]), np.array([0, 0, 0, 1]), 2).tolist()
    [1, 3]
    """
    if count == 1:
        return np.array([values.argmax()])
    begin = np.searchsorted(place, np.arange(count))
    top = np.maximum.reduceat(values, begin)
    hits = np.flatnonzero(values == top[place])
    first: Rows = hits[np.searchsorted(place[hits], np.arange(count))]
    return first


def choose(state: State, blocks: Rows, how: Decide, min_weight: float) -> Rows:
    """Return the tuples of the most probable world of each block; blocks without tuples may not be asked for."""
    mine = state.blocks
    exclusive = mine.exclusive[blocks]
    worlds, place, probability, rest = state.worlds_of(blocks)
    rounded = np.rint(probability * DIGITS)
    rest = np.where(exclusive, state.nothing[blocks], rest)
    if how == "hierarchical":
        spans, span_place = mine.spans.of(blocks)
        entity = np.rint(state.entity[spans] * DIGITS)
        likeliest = entity[first_best(entity, span_place, len(blocks))]
        own = np.rint(state.entity[mine.world_span[worlds]] * DIGITS)
        rounded = np.where(exclusive[place] & (own != likeliest[place]), -1.0, rounded)
    best = first_best(rounded, place, len(blocks))
    top = np.where(exclusive, rounded[best] / DIGITS, probability[best])
    if how == "hierarchical":
        top = np.where(exclusive, likeliest / DIGITS, top)
    there = (top >= rest - EPSILON) & (rounded[best] > 0)
    members, member_place = mine.members.of(blocks)
    chosen = np.where(there, worlds[best], -1)[member_place] == mine.member_world[members]
    rows = mine.member_row[members[chosen]]
    kept: Rows = rows[state.weight[rows] >= min_weight - EPSILON]
    return kept
