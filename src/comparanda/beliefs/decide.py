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
        tied: whether the best two of each block were equally probable.

    """

    chosen: Truths
    tied: Truths

    @property
    def ties(self) -> int:
        """In how many blocks the best two were equally probable."""
        return int(np.count_nonzero(self.tied))


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
    weight = np.round(beliefs.weight, 9)
    rivals = np.round(beliefs.entity, 9) if by_span else weight
    keys = (_of_spans(beliefs, preference, np.minimum), -_of_spans(beliefs, weight, np.maximum)) if by_span else ()
    order = np.lexsort((preference, -weight, *keys, -rivals, beliefs.block))
    filled = np.flatnonzero(np.diff(beliefs.offsets) > 0)
    best = order[beliefs.offsets[filled]]
    there = beliefs.exclusive[filled] & (rivals[best] >= beliefs.nothing[filled] - EPSILON) & (weight[best] > 0)
    chosen[best[there]] = True
    tied = np.zeros(len(beliefs.nothing), np.bool_)
    tied[filled[there]] = _ties(beliefs, rivals, weight, best, filled)[there]
    if beliefs.worlds is not None:
        rows, level = _best_worlds(beliefs.worlds)
        chosen[rows] = True
        tied[level] = True
    return Decided(chosen & (beliefs.weight >= min_weight - EPSILON), tied)


def _of_spans(beliefs: Beliefs, values: Floats | Rows, which: np.ufunc) -> Floats:
    """Return for each tuple the least or the largest value of the tuples of its span."""
    start = np.inf if which is np.minimum else -np.inf
    found = np.full(int(beliefs.alternative.max(initial=-1)) + 1, start)
    which.at(found, beliefs.alternative, values)
    return found[beliefs.alternative]


def _ties(beliefs: Beliefs, rivals: Floats, weight: Floats, best: Rows, filled: Rows) -> Truths:
    """Return for each block with tuples whether something else in it is as probable as the best, nothing among it.

    By spans, another span is a rival of the best one, and another label of it is one of its label.
    """
    of_best = best[np.searchsorted(filled, beliefs.block)]
    other = (np.abs(rivals - rivals[of_best]) < EPSILON) & (beliefs.alternative != beliefs.alternative[of_best])
    other |= (np.abs(weight - weight[of_best]) < EPSILON) & (beliefs.alternative == beliefs.alternative[of_best])
    counts = np.bincount(beliefs.block[other & (weight > 0)], minlength=len(beliefs.nothing))[filled]
    return (counts > 1) | (np.abs(rivals[best] - beliefs.nothing[filled]) < EPSILON)


def _best_worlds(worlds: Worlds) -> tuple[Rows, list[int]]:
    """Return the tuples of the most probable world of each block, the first of equal ones, and blocks with such."""
    rows: list[int] = []
    tied: list[int] = []
    bounds = np.flatnonzero(np.diff(worlds.block, prepend=-1)).tolist()
    likely = np.where(np.diff(worlds.offsets) > 0, worlds.probability, 0.0)  # those without any tuple are all one
    for begin, end in zip(bounds, [*bounds[1:], len(worlds)], strict=True):
        probability = likely[begin:end]
        best = begin + int(np.argmax(np.round(probability, 9)))
        top = float(likely[best])
        rest = 1.0 - float(probability.sum())
        if top < rest - EPSILON:
            continue
        if (np.abs(probability - top) < EPSILON).sum() > 1 or abs(rest - top) < EPSILON:
            tied.append(int(worlds.block[begin]))
        rows += worlds.member[worlds.offsets[best] : worlds.offsets[best + 1]].tolist()
    return np.array(rows, np.int64), tied
