"""From beliefs to a hard output: the most probable world of each block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.beliefs.model import EPSILON

if TYPE_CHECKING:
    from comparanda.beliefs.model import Beliefs, Floats, Worlds
    from comparanda.beliefs.policies import Decide
    from comparanda.columns import Rows, Truths


@dataclass(frozen=True, eq=False, slots=True)
class Decided:
    """A hard output.

    Args:
        chosen: whether each tuple is in it.
        ties: in how many blocks the best two were equally probable.

    """

    chosen: Truths
    ties: int


def decide(beliefs: Beliefs, preference: Rows, how: Decide = "tuple", min_weight: float = 0.0) -> Decided:
    """Choose the largest w of each block, or nothing if that is more probable (DEFINITIONS 9).

    Args:
        beliefs: the tuples, block by block.
        preference: a rank of each tuple, for ties: the longer span first, then the earlier, then by label.
        how: by the weights of tuples, or the most probable span first and then its best label, as the thesis says.
        min_weight: what weighs less is not chosen.

    """
    chosen = np.zeros(len(beliefs), np.bool_)
    by_span = how == "hierarchical"
    rivals = np.round(beliefs.entity if by_span else beliefs.weight, 9)
    second = np.round(beliefs.weight, 9)
    span_rank = _span_preference(beliefs, preference) if by_span else preference
    order = np.lexsort((preference, -second, span_rank, -rivals, beliefs.block))
    filled = np.flatnonzero(np.diff(beliefs.offsets) > 0)
    first = beliefs.offsets[filled]
    best = order[first]
    there = beliefs.exclusive[filled] & (rivals[best] >= beliefs.nothing[filled] - EPSILON) & (second[best] > 0)
    chosen[best[there]] = True
    ties = _ties(beliefs, rivals, best, filled, by_span=by_span)
    if beliefs.worlds is not None:
        rows, tied = _best_worlds(beliefs.worlds)
        chosen[rows] = True
        ties += tied
    return Decided(chosen & (beliefs.weight >= min_weight), ties)


def _span_preference(beliefs: Beliefs, preference: Rows) -> Rows:
    """Return the rank of each tuple's span: that of its first tuple."""
    found = np.full(int(beliefs.alternative.max(initial=-1)) + 1, len(beliefs), np.int64)
    np.minimum.at(found, beliefs.alternative, preference)
    return found[beliefs.alternative]


def _ties(beliefs: Beliefs, rivals: Floats, best: Rows, filled: Rows, *, by_span: bool) -> int:
    """Count the blocks in which another tuple, or nothing, is as probable as the best."""
    equal = np.abs(rivals - rivals[best][np.searchsorted(filled, beliefs.block)]) < EPSILON
    equal &= rivals > 0
    if by_span:  # tuples of one span are one rival
        _, keep = np.unique(beliefs.alternative, return_index=True)
        once = np.zeros(len(beliefs), np.bool_)
        once[keep] = True
        equal &= once
    counts = np.bincount(beliefs.block[equal], minlength=len(beliefs.nothing))
    level = np.zeros(len(beliefs.nothing), np.bool_)
    level[filled] = (np.abs(rivals[best] - beliefs.nothing[filled]) < EPSILON) & (rivals[best] > 0)
    over = np.zeros(len(beliefs.nothing), np.bool_)
    over[filled] = rivals[best] >= beliefs.nothing[filled] - EPSILON
    return int((((counts > 1) | level) & over & beliefs.exclusive).sum())


def _best_worlds(worlds: Worlds) -> tuple[Rows, int]:
    """Return the tuples of the most probable world of each block that has worlds, the first of equal ones."""
    rows: list[int] = []
    ties = 0
    bounds = np.flatnonzero(np.diff(worlds.block, prepend=-1)).tolist()
    for begin, end in zip(bounds, [*bounds[1:], len(worlds)], strict=True):
        probability = worlds.probability[begin:end]
        best = begin + int(np.argmax(np.round(probability, 9)))
        top = float(worlds.probability[best])
        rest = 1.0 - float(probability.sum())  # worlds that the list does not have: without any tuple
        ties += int((np.abs(probability - top) < EPSILON).sum() > 1)
        if top >= rest - EPSILON:
            rows += worlds.member[worlds.offsets[best] : worlds.offsets[best + 1]].tolist()
    return np.array(rows, np.int64), ties
