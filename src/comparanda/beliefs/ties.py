"""What a hard output could have been where the best of a block were equally probable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.beliefs.model import EPSILON

if TYPE_CHECKING:
    from comparanda.beliefs.model import Beliefs, Floats, Worlds
    from comparanda.beliefs.policies import Decide
    from comparanda.columns import Rows, Truths


@dataclass(frozen=True, slots=True)
class TieBounds:
    """The hard output if all ties were broken for a system, and if all were broken against it.

    Args:
        best_found: how many tuples, with as many right ones as ties allow, and then as few wrong ones.
        best_correct: how many of them are right.
        worst_found: how many tuples, with as few right ones as ties allow, and then as many wrong ones.
        worst_correct: how many of them are right.

    """

    best_found: int
    best_correct: int
    worst_found: int
    worst_correct: int


def tie_bounds(beliefs: Beliefs, correct: Truths, how: Decide = "tuple", min_weight: float = 0.0) -> TieBounds:
    """Break all ties for a system, and against it.

    Args:
        beliefs: the tuples, block by block.
        correct: whether each is right.
        how: how the output was decided.
        min_weight: what weighs less was not chosen.

    """
    tied = _tied(beliefs, how)
    kept = beliefs.weight >= min_weight - EPSILON
    size = len(beliefs.nothing)

    def somewhere(chosen: Truths) -> Truths:
        return np.bincount(beliefs.block[chosen], minlength=size) > 0

    right, wrong = somewhere(tied & kept & correct), somewhere(tied & kept & ~correct)
    nothing = _nothing_ties(beliefs, how) | somewhere(tied & ~kept)
    there = right | wrong
    best_right = int(right.sum())
    best_wrong = int((wrong & ~right & ~nothing).sum())
    worst_wrong = int(wrong.sum())
    worst_right = int((there & ~wrong & ~nothing).sum())
    best = np.array([best_right + best_wrong, best_right])
    worst = np.array([worst_wrong + worst_right, worst_right])
    if beliefs.worlds is not None:
        for low, high in _tied_worlds(beliefs.worlds, correct & kept, kept):
            best, worst = best + high, worst + low
    return TieBounds(int(best[0]), int(best[1]), int(worst[0]), int(worst[1]))


def _rivals(beliefs: Beliefs, how: Decide) -> Floats:
    return beliefs.entity if how == "hierarchical" else beliefs.weight


def _tops(values: Floats, groups: Rows, size: int) -> Floats:
    """Return the largest value of each group."""
    found = np.zeros(size)
    np.maximum.at(found, groups, values)
    return found


def _tied(beliefs: Beliefs, how: Decide) -> Truths:
    """Return which tuples could have been chosen: as probable as the best of their block, and no less than nothing."""
    rivals = _rivals(beliefs, how)
    top = _tops(rivals, beliefs.block, len(beliefs.nothing))
    over = (top >= beliefs.nothing - EPSILON) & beliefs.exclusive
    tied = (rivals >= top[beliefs.block] - EPSILON) & over[beliefs.block] & (beliefs.weight > 0)
    if how == "hierarchical":  # of a span only its best labels
        spans = int(beliefs.alternative.max(initial=-1)) + 1
        tied &= beliefs.weight >= _tops(beliefs.weight, beliefs.alternative, spans)[beliefs.alternative] - EPSILON
    return tied


def _nothing_ties(beliefs: Beliefs, how: Decide) -> Truths:
    """Return in which blocks nothing is as probable as the best."""
    top = _tops(_rivals(beliefs, how), beliefs.block, len(beliefs.nothing))
    return np.abs(top - beliefs.nothing) < EPSILON


def _tied_worlds(worlds: Worlds, right: Truths, kept: Truths) -> list[tuple[Rows, Rows]]:
    """Return for each block with worlds what is found in the worst and in the best of those equally probable."""
    size = len(worlds)
    found = np.bincount(worlds.world, kept[worlds.member], size).astype(np.int64)
    correct = np.bincount(worlds.world, right[worlds.member], size).astype(np.int64)
    bounds = np.flatnonzero(np.diff(worlds.block, prepend=-1)).tolist()
    bounds_found = []
    for begin, end in zip(bounds, [*bounds[1:], size], strict=True):
        probability = worlds.probability[begin:end]
        rest = 1.0 - float(probability.sum())
        top = max(float(probability.max()), rest)
        rows = begin + np.flatnonzero(probability >= top - EPSILON)
        outcomes = [(int(found[row]), int(correct[row])) for row in rows.tolist()]
        outcomes += [(0, 0)] if rest >= top - EPSILON else []
        low = max(outcomes, key=lambda each: (-each[1], each[0]))
        high = max(outcomes, key=lambda each: (each[1], -each[0]))
        bounds_found.append((np.array(low), np.array(high)))
    return bounds_found
