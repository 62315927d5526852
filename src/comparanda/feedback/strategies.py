"""Strategies: the scores by which the next question is chosen, largest first."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from comparanda.feedback.protocol import FIXED
from comparanda.feedback.state import Ranges, sum_parts
from comparanda.feedback.tally import (
    CLAIMED,
    DOUBT,
    FOUND,
    MASS,
    RIGHT,
    compute_entropy,
    compute_unanimity,
    expected_change,
    first_best,
    true_change,
)

if TYPE_CHECKING:
    from comparanda.core.probabilities import Floats
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.feedback.field import Field, Units
    from comparanda.feedback.protocol import Plan
    from comparanda.feedback.tally import StrategyData


# Data structures for the maximum of many scores that change individually, or all slightly with every question.
#
# Scores that are equal to nine decimal places are ties, and the first wins.


SIZE = 256
"""The number of scores in a pool."""

DIGITS = 9


class Tournament:
    """Scores in pools with a known maximum each, so that the overall maximum is found without a full scan.

    Moving scores are `gain − rate · loss` with a rate that changes at every question. The stored maximum of a pool is
    then out of date, but by no more than the change of the rate times the largest loss. Only pools that may hold the
    maximum are rescored, and the maximum is exact.
    """

    def __init__(self, size: int, *, moving: bool = False) -> None:
        pools = -(-size // SIZE)
        self._size = size
        self._gain = np.full((pools, SIZE), -np.inf)
        self._loss = np.zeros((pools, SIZE)) if moving else None
        self._most = 0.0
        self._top = np.full(pools, -np.inf)
        self._rate = np.zeros(pools)

    def put(self, entries: Rows, gain: Floats, loss: Floats | None = None) -> None:
        """Set the scores of some entries; minus infinity excludes an entry."""
        if not len(entries):
            return
        pools = np.unique(entries // SIZE) if len(entries) > 1 else entries // SIZE
        if self._loss is None or loss is None:
            self._gain.reshape(-1)[entries] = gain.round(DIGITS)
        else:
            self._gain.reshape(-1)[entries] = gain
            self._loss.reshape(-1)[entries] = loss
            self._most = max(self._most, float(np.abs(loss).max()))
        self._top[pools] = self._scores(pools, self._rate[pools, None]).max(axis=1)

    def best(self, rate: float = 0.0) -> int:
        """Return the entry with the best score, or -1 if all are excluded."""
        if not self._size:
            return -1
        top = self._top
        if self._loss is not None:
            bound = top + self._most * np.abs(rate - self._rate) + 2 * 10.0**-DIGITS
            self._refresh(np.array([bound.argmax()]), rate)
            may_win = np.flatnonzero(bound >= top[bound.argmax()])
            self._refresh(may_win, rate)
            top = np.full(len(bound), -np.inf)
            top[may_win] = self._top[may_win]
        pool = int(top.argmax())
        if top[pool] == -np.inf:
            return -1
        return pool * SIZE + int(self._scores(np.array([pool]), rate)[0].argmax())

    def scores(self, rate: float = 0.0) -> Floats:
        """Return all scores."""
        return self._scores(np.arange(len(self._top)), rate).reshape(-1)[: self._size]

    def _refresh(self, pools: Rows, rate: float) -> None:
        """Recompute the best scores of pools that are out of date."""
        old = pools[self._rate[pools] != rate]
        if len(old):
            self._top[old] = self._scores(old, rate).max(axis=1)
            self._rate[old] = rate

    def _scores(self, pools: Rows, rate: Floats | float) -> Floats:
        if self._loss is None:
            return self._gain[pools]
        return np.asarray((self._gain[pools] - rate * self._loss[pools]).round(DIGITS))


class Classes:
    """Scores in classes of equal gain and loss, with the first entry of each class known.

    A score is `(gain − rate · loss) / (1 + share · loss)`, with a rate and a share that change at every question.
    """

    def __init__(self, size: int) -> None:
        self._gain = np.full(size, -np.inf)
        self._loss = np.zeros(size)
        self._waiting: dict[tuple[float, float], list[int]] = {}

    def put(self, entries: Rows, gain: Floats, loss: Floats) -> None:
        """Set the scores of some entries; minus infinity excludes an entry."""
        self._gain[entries], self._loss[entries] = gain, loss
        for entry, each in zip(entries.tolist(), zip(gain.tolist(), loss.tolist(), strict=True), strict=True):
            if each[0] > -np.inf:
                heappush(self._waiting.setdefault(each, []), entry)

    def best(self, rate: float, share: float) -> int:
        """Return the entry with the best score, or -1 if all are excluded."""
        first = {each: waiting[0] for each in list(self._waiting) if (waiting := self._current_members(each))}
        if not first:
            return -1
        scores = self._score(np.array(list(first)).T, rate, share)
        return min(entry for entry, score in zip(first.values(), scores, strict=True) if score == scores.max())

    def scores(self, rate: float, share: float) -> Floats:
        """Return all scores."""
        return self._score(np.stack([self._gain, self._loss]), rate, share)

    def _current_members(self, each: tuple[float, float]) -> list[int]:
        """Return the heap of a class after removing entries at its front that have left the class."""
        waiting = self._waiting[each]
        while waiting and (self._gain[waiting[0]], self._loss[waiting[0]]) != each:
            heappop(waiting)
        if not waiting:
            del self._waiting[each]
        return waiting

    @staticmethod
    def _score(changes: Floats, rate: float, share: float) -> Floats:
        gain, loss = changes
        whole = 1 + share * loss
        return np.asarray(((gain - rate * loss) / np.where(whole > 0, whole, 1.0)).round(DIGITS))


def fixed_order(field: Field, plan: Plan, units: Units) -> Rows:
    """Order all units by the initial probabilities; answers do not change this order.

    `random` shuffles the units, `document` follows the order of documents in the key, `high` and `low` sort by
    probability (of a block, its best tuple's; of a text, the mean of its tuples'), and `group_size` by the number of
    tuples with the same text, for group questions with the same text and label.
    """
    if plan.strategy == "random":
        return np.random.default_rng([plan.seed, 1]).permutation(len(units))
    if plan.strategy == "document":
        return np.argsort(field.candidates.document[units.first], kind="stable")
    found = _count_same_text(field, units) if plan.strategy == "group_size" else _initial_probability(field, units)
    return np.argsort((found if plan.strategy == "low" else -found).round(DIGITS), kind="stable")


def _count_same_text(field: Field, units: Units) -> Floats:
    """Count the tuples with the text of each unit, for group questions with the text and the label."""
    rows, place = units.rows(np.arange(len(units)))
    if units.kind == "group":
        return np.bincount(place, minlength=len(units)).astype(np.float64)
    sizes = np.bincount(field.groups[field.scope], minlength=int(field.groups.max(initial=-1)) + 1)
    return _max_per_unit(sizes[field.groups[rows]].astype(np.float64), place, len(units))


def _initial_probability(field: Field, units: Units) -> Floats:
    """Return the initial probability of each unit."""
    start = field.start
    if units.kind == "label":
        return start.weight[units.first]
    if units.kind == "span":
        return start.entity[start.blocks.span[units.first]]
    rows, place = units.rows(np.arange(len(units)))
    if units.kind == "choice":
        return _max_per_unit(start.weight[rows], place, len(units))
    return sum_parts(place, start.weight[rows], len(units)) / np.bincount(place, minlength=len(units))


def _max_per_unit(values: Floats, place: Rows, count: int) -> Floats:
    """Return the largest value of each unit."""
    return values[first_best(values, place, count)] if count else values[:0]


def by_entropy(context: StrategyData, units: Rows) -> Floats:
    """Score by uncertainty: of a tuple or span, the closeness of its probability to 0.5; of others, the entropy.

    The entropy of a block is that of its worlds, that of a text with a label the sum over its tuples.
    """
    state, first = context.state, context.units.first[units]
    if context.plan.kind == "label":
        return np.asarray(-np.abs(state.weight[first] - 0.5))
    if context.plan.kind == "span":
        return np.asarray(-np.abs(state.entity[state.blocks.span[first]] - 0.5))
    if context.plan.kind == "choice":
        return block_entropy(context, state.blocks.block[first])
    rows, place = context.units.rows(units)
    return sum_parts(place, context.tally.parts[DOUBT, rows], len(units))


def block_entropy(context: StrategyData, blocks: Rows) -> Floats:
    """Compute the entropy of the worlds of blocks, in bits."""
    _, place, probability, rest = context.state.worlds_of(blocks)
    smallest = np.finfo(np.float64).tiny
    found = sum_parts(place, -probability * np.log2(np.maximum(probability, smallest)), len(blocks))
    rest = np.maximum(0.0, rest)
    return np.asarray(found - rest * np.log2(np.maximum(rest, smallest)))


def by_information(context: StrategyData, units: Rows) -> Floats:
    """Score by the expected reduction of the blocks' entropy per cost of the question.

    For a yes/no question about one block this is the entropy of the answer, however reliable the user is; likewise for
    a choice, as all choices cost the same. For a text, always and never settle or narrow every block that it occurs in,
    which are assumed to be independent, and any other answer changes nothing.
    """
    if context.plan.kind != "group":
        return by_entropy(context, units)
    rows, place = context.units.rows(units)
    weight = context.state.weight[rows]
    whole = block_entropy(context, context.state.blocks.block[rows])
    rest = (whole - compute_entropy(weight)) / np.maximum(1 - weight, 1e-12)
    always, never = compute_unanimity(weight, place, len(units))
    settled, narrowed = (sum_parts(place, each, len(units)) for each in (whole, whole - rest))
    return np.asarray((always * settled + never * narrowed) / context.plan.cost)


def by_margin(context: StrategyData, units: Rows, open_units: Truths) -> Floats:
    """Score by the margin between the two best worlds of a block, the empty world included, smallest first.

    Of each block, the most probable open tuple or span comes first, or the one nearest to 0.5 where several can be
    true; all others follow after all blocks. The score of a text with a label is the mean over its tuples' blocks.

    Args:
        context: the data of the run.
        units: all units of some blocks.
        open_units: whether each can be asked about.

    """
    blocks = context.state.blocks
    if context.plan.kind == "group":
        rows, place = context.units.rows(units)
        apart = compute_margins(context, blocks.block[rows])
        return np.asarray(-sum_parts(place, apart, len(units)) / np.bincount(place, minlength=len(units)))
    first = context.units.first[units]
    own, place = np.unique(blocks.block[first], return_inverse=True)
    score = -compute_margins(context, own)[place]
    if context.plan.kind != "choice" and len(units):
        weight = (
            context.state.entity[blocks.span[first]] if context.plan.kind == "span" else context.state.weight[first]
        )
        likely = np.where(blocks.exclusive[own][place], weight, -np.abs(weight - 0.5)).round(DIGITS)
        leading = first_best(np.where(open_units, likely, -np.inf), place, len(own))
        score -= 1.0
        score[leading] += 1.0
    return score


def compute_margins(context: StrategyData, blocks: Rows) -> Floats:
    """Compute the margin between the two best worlds of each block, the empty world included."""
    state = context.state
    _, place, probability, rest = state.worlds_of(blocks)
    rest = np.where(state.blocks.exclusive[blocks], state.nothing[blocks], rest)
    best = first_best(probability, place, len(blocks))
    top = probability[best]
    probability[best] = -1.0
    second = probability[first_best(probability, place, len(blocks))]
    return np.maximum(top, rest) - np.maximum(np.minimum(top, rest), second)


class GroupDoubt:
    """The total entropy of the tuples of each text."""

    def __init__(self, context: StrategyData) -> None:
        self._context = context
        self._group = context.field.groups
        self._size = int(self._group.max(initial=-1)) + 1
        self._row = np.argsort(self._group, kind="stable")
        self._ranges = Ranges.counted(np.bincount(self._group, minlength=self._size))
        self._sum = sum_parts(self._group, context.tally.parts[DOUBT], self._size)

    def update(self, rows: Rows) -> Rows:
        """Update the sums for some changed tuples; return all tuples of their texts."""
        groups = np.unique(self._group[rows])
        found, place = self._ranges.of(groups)
        found = self._row[found]
        self._sum[groups] = sum_parts(place, self._context.tally.parts[DOUBT, found], len(groups))
        return found

    def scores(self, units: Rows) -> Floats:
        """Score units by the entropy of their text; of a block, the text with the highest entropy."""
        if self._context.plan.kind != "choice":
            return self._sum[self._group[self._context.units.first[units]]]
        rows, place = self._context.units.rows(units)
        return _max_per_unit(self._sum[self._group[rows]], place, len(units))


SCORES: dict[str, Callable[[StrategyData, Rows], Floats]] = {
    "entropy": by_entropy,
    "group_entropy": by_entropy,  # of group questions; for others see `GroupDoubt`
    "infogain": by_information,
}
CHANGES: dict[str, Callable[[StrategyData, Rows], tuple[Floats, Floats]]] = {
    "fgain": expected_change,
    "oracle": true_change,
}


class Strategy:
    """The scores of all units, updated after each answer.

    `fgain` scores by 2·ΔC − F·ΔN, where C is the sum of the weights in the hard output, N its size, and F the current
    claimed F1: the expected effect of an answer on F1. The oracle uses the true ΔC, ΔN and F1.
    """

    def __init__(self, context: StrategyData, asked: Truths, settled: Truths) -> None:
        self._context = context
        self._asked = asked
        self._settled = settled
        name = context.plan.strategy
        self._position: Floats | None = None
        if name in FIXED:
            self._position = np.empty(len(context.units))
            self._position[fixed_order(context.field, context.plan, context.units)] = np.arange(len(context.units))
        by_text = name == "group_entropy" and context.plan.kind != "group"
        self._text_entropy = GroupDoubt(context) if by_text else None
        self._pools = Tournament(len(context.units), moving=name == "fgain")
        self._classes = Classes(len(context.units)) if name == "oracle" else None
        self._score_units(np.arange(len(context.units)))

    def update(self, blocks: Rows) -> None:
        """Update the scores for some changed blocks."""
        rows = self._context.state.blocks.rows.of(blocks)[0]
        if self._text_entropy is not None:
            rows = np.sort(self._text_entropy.update(rows))
        self._score_units(self._context.units.touched(rows))

    def best(self) -> int:
        """Return the unit to ask about next, or -1 if none is left."""
        if self._classes is not None:
            return self._classes.best(*self._true_f1())
        return self._pools.best(self._claimed_f1())

    def scores(self) -> Floats:
        """Return the scores of all units; minus infinity where there is nothing to ask."""
        if self._classes is not None:
            return self._classes.scores(*self._true_f1())
        return self._pools.scores(self._claimed_f1())

    def _score_units(self, units: Rows) -> None:
        """Score some units."""
        name, context = self._context.plan.strategy, self._context
        open_units = ~self._asked[units] & context.units.open(context.state, units, context.plan, self._settled)
        if name in CHANGES:
            gain, loss = np.full(len(units), -np.inf), np.zeros(len(units))
            if open_units.any():
                right, found = CHANGES[name](context, units[open_units])
                gain[open_units], loss[open_units] = 2 * right, found
            (self._classes or self._pools).put(units, gain, loss)
            return
        if self._position is not None:
            score = -self._position[units]
        elif self._text_entropy is not None:
            score = self._text_entropy.scores(units)
        elif name == "margin":
            score = by_margin(context, units, open_units)
        else:
            score = SCORES[name](context, units)
        self._pools.put(units, np.where(open_units, score, -np.inf))

    def _claimed_f1(self) -> float:
        """Compute the claimed F1, the weight of ΔN in `fgain`."""
        sums = self._context.tally.sums
        whole = float(sums[FOUND] + sums[MASS])
        return 2 * float(sums[CLAIMED]) / whole if whole > 0 else 0.0

    def _true_f1(self) -> tuple[float, float]:
        """Compute the true F1, and the reciprocal of its denominator."""
        sums = self._context.tally.sums
        whole = float(sums[FOUND]) + (self._context.field.entities or 0)
        return (2 * float(sums[RIGHT]) / whole, 1 / whole) if whole > 0 else (0.0, 0.0)
