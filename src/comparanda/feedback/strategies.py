"""Which question comes first: a score for everything that can be asked about, the largest first."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from comparanda.feedback.protocol import FIXED
from comparanda.feedback.state import Ranges, summed
from comparanda.feedback.tally import (
    CLAIMED,
    DOUBT,
    FOUND,
    MASS,
    RIGHT,
    entropy,
    expected_change,
    first_best,
    true_change,
    unanimous,
)

if TYPE_CHECKING:
    from comparanda.core.probabilities import Floats
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.feedback.field import Field, Units
    from comparanda.feedback.protocol import Plan
    from comparanda.feedback.tally import Sight


# The best of many whose scores change: one by one, or all a little with every question.
#
# Scores that are equal to nine digits are ties, and the first wins.


SIZE = 256
"""How many play in one pool."""

DIGITS = 9


class Tournament:
    """Scores in pools, the best of each pool known: so the best of all is found without looking at all.

    Where scores move, one is `gain − rate · loss` with a rate that is another at every question. The best score of a
    pool is then out of date, but by no more than the rate has moved, times the largest loss. Only pools that may hold
    the best are looked at again, and the best is found exactly.
    """

    def __init__(self, size: int, *, moving: bool = False) -> None:
        pools = -(-size // SIZE)
        self._size = size
        self._gain = np.full((pools, SIZE), -np.inf)
        self._loss = np.zeros((pools, SIZE)) if moving else None
        self._most = 0.0
        self._top = np.full(pools, -np.inf)
        self._rate = np.zeros(pools)

    def put(self, players: Rows, gain: Floats, loss: Floats | None = None) -> None:
        """Give some players new scores; those with minus infinity are out."""
        if not len(players):
            return
        pools = np.unique(players // SIZE) if len(players) > 1 else players // SIZE
        if self._loss is None or loss is None:
            self._gain.reshape(-1)[players] = gain.round(DIGITS)
        else:
            self._gain.reshape(-1)[players] = gain
            self._loss.reshape(-1)[players] = loss
            self._most = max(self._most, float(np.abs(loss).max()))
        self._top[pools] = self._scores(pools, self._rate[pools, None]).max(axis=1)

    def best(self, rate: float = 0.0) -> int:
        """Return the best player, or -1 if all are out."""
        if not self._size:
            return -1
        top = self._top
        if self._loss is not None:
            bound = top + self._most * np.abs(rate - self._rate) + 2 * 10.0**-DIGITS
            self._look(np.array([bound.argmax()]), rate)
            may_win = np.flatnonzero(bound >= top[bound.argmax()])
            self._look(may_win, rate)
            top = np.full(len(bound), -np.inf)
            top[may_win] = self._top[may_win]
        pool = int(top.argmax())
        if top[pool] == -np.inf:
            return -1
        return pool * SIZE + int(self._scores(np.array([pool]), rate)[0].argmax())

    def scores(self, rate: float = 0.0) -> Floats:
        """Return all scores."""
        return self._scores(np.arange(len(self._top)), rate).reshape(-1)[: self._size]

    def _look(self, pools: Rows, rate: float) -> None:
        """Find the best scores of pools that are out of date."""
        old = pools[self._rate[pools] != rate]
        if len(old):
            self._top[old] = self._scores(old, rate).max(axis=1)
            self._rate[old] = rate

    def _scores(self, pools: Rows, rate: Floats | float) -> Floats:
        if self._loss is None:
            return self._gain[pools]
        return np.asarray((self._gain[pools] - rate * self._loss[pools]).round(DIGITS))


class Classes:
    """Players of whom many are equal, whatever the rate: the best of each class is known.

    A score is `(gain − rate · loss) / (1 + share · loss)`, with a rate and a share that are others at every question.
    """

    def __init__(self, size: int) -> None:
        self._gain = np.full(size, -np.inf)
        self._loss = np.zeros(size)
        self._waiting: dict[tuple[float, float], list[int]] = {}

    def put(self, players: Rows, gain: Floats, loss: Floats) -> None:
        """Give some players new scores; those with minus infinity are out."""
        self._gain[players], self._loss[players] = gain, loss
        for player, each in zip(players.tolist(), zip(gain.tolist(), loss.tolist(), strict=True), strict=True):
            if each[0] > -np.inf:
                heappush(self._waiting.setdefault(each, []), player)

    def best(self, rate: float, share: float) -> int:
        """Return the best player, or -1 if all are out."""
        first = {each: waiting[0] for each in list(self._waiting) if (waiting := self._present(each))}
        if not first:
            return -1
        scores = self._score(np.array(list(first)).T, rate, share)
        return min(player for player, score in zip(first.values(), scores, strict=True) if score == scores.max())

    def scores(self, rate: float, share: float) -> Floats:
        """Return all scores."""
        return self._score(np.stack([self._gain, self._loss]), rate, share)

    def _present(self, each: tuple[float, float]) -> list[int]:
        """Return those who wait in a class, without those at the front who have left it."""
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
    """Return an order that no answer changes, from what is believed at the start.

    `random` shuffles all that can be asked about, `document` goes through the documents in the key's order,
    `high` and `low` go by the probability (of a block its best tuple's, of a text the mean of its tuples'),
    and `group_size` by the number of tuples with the same text: of a text and a label, of these.
    """
    if plan.strategy == "random":
        return np.random.default_rng([plan.seed, 1]).permutation(len(units))
    if plan.strategy == "document":
        return np.argsort(field.candidates.document[units.first], kind="stable")
    found = _sizes(field, units) if plan.strategy == "group_size" else _likelihood(field, units)
    return np.argsort((found if plan.strategy == "low" else -found).round(DIGITS), kind="stable")


def _sizes(field: Field, units: Units) -> Floats:
    """Return how many tuples have the text of each unit, or the text and the label."""
    rows, place = units.rows(np.arange(len(units)))
    if units.kind == "group":
        return np.bincount(place, minlength=len(units)).astype(np.float64)
    sizes = np.bincount(field.groups[field.scope], minlength=int(field.groups.max(initial=-1)) + 1)
    return _largest(sizes[field.groups[rows]].astype(np.float64), place, len(units))


def _likelihood(field: Field, units: Units) -> Floats:
    """Return how probable each unit is at the start."""
    start = field.start
    if units.kind == "label":
        return start.weight[units.first]
    if units.kind == "span":
        return start.entity[start.blocks.span[units.first]]
    rows, place = units.rows(np.arange(len(units)))
    if units.kind == "choice":
        return _largest(start.weight[rows], place, len(units))
    return summed(place, start.weight[rows], len(units)) / np.bincount(place, minlength=len(units))


def _largest(values: Floats, place: Rows, count: int) -> Floats:
    """Return the largest value of each part."""
    return values[first_best(values, place, count)] if count else values[:0]


def by_entropy(sight: Sight, units: Rows) -> Floats:
    """Score by how open the answer is: of a tuple and a span by how near one half it is, else by the entropy.

    Of a block that is the entropy of its worlds, of a text with a label the sum of its tuples'.
    """
    state, first = sight.state, sight.units.first[units]
    if sight.plan.kind == "label":
        return np.asarray(-np.abs(state.weight[first] - 0.5))
    if sight.plan.kind == "span":
        return np.asarray(-np.abs(state.entity[state.blocks.span[first]] - 0.5))
    if sight.plan.kind == "choice":
        return block_entropy(sight, state.blocks.block[first])
    rows, place = sight.units.rows(units)
    return summed(place, sight.tally.parts[DOUBT, rows], len(units))


def block_entropy(sight: Sight, blocks: Rows) -> Floats:
    """Return the entropy of the worlds of blocks, in bits."""
    _, place, probability, rest = sight.state.worlds_of(blocks)
    smallest = np.finfo(np.float64).tiny
    found = summed(place, -probability * np.log2(np.maximum(probability, smallest)), len(blocks))
    rest = np.maximum(0.0, rest)
    return np.asarray(found - rest * np.log2(np.maximum(rest, smallest)))


def by_information(sight: Sight, units: Rows) -> Floats:
    """Score by how much the entropy of the blocks is expected to fall for what the question costs.

    For one yes or no about a block that is the entropy of the answer, however reliable the user is; the same holds for
    a choice, all of which cost the same. Of a text, always and never settle or narrow every block that it stands in,
    taken for independent, and any other answer nothing.
    """
    if sight.plan.kind != "group":
        return by_entropy(sight, units)
    rows, place = sight.units.rows(units)
    weight = sight.state.weight[rows]
    whole = block_entropy(sight, sight.state.blocks.block[rows])
    rest = (whole - entropy(weight)) / np.maximum(1 - weight, 1e-12)
    always, never = unanimous(weight, place, len(units))
    settled, narrowed = (summed(place, each, len(units)) for each in (whole, whole - rest))
    return np.asarray((always * settled + never * narrowed) / sight.plan.cost)


def by_margin(sight: Sight, units: Rows, open_units: Truths) -> Floats:
    """Score by how little the two best worlds of a block, or the best and nothing, are apart.

    In a block the most probable tuple or span that is still open comes first, or the one nearest one half where
    several can be true; the others come behind all blocks. Of a text with a label it is the mean over its tuples'
    blocks.

    Args:
        sight: what can be seen.
        units: all units of some blocks.
        open_units: whether each can be asked about.

    """
    blocks = sight.state.blocks
    if sight.plan.kind == "group":
        rows, place = sight.units.rows(units)
        apart = margins(sight, blocks.block[rows])
        return np.asarray(-summed(place, apart, len(units)) / np.bincount(place, minlength=len(units)))
    first = sight.units.first[units]
    own, place = np.unique(blocks.block[first], return_inverse=True)
    score = -margins(sight, own)[place]
    if sight.plan.kind != "choice" and len(units):
        weight = sight.state.entity[blocks.span[first]] if sight.plan.kind == "span" else sight.state.weight[first]
        likely = np.where(blocks.exclusive[own][place], weight, -np.abs(weight - 0.5)).round(DIGITS)
        leading = first_best(np.where(open_units, likely, -np.inf), place, len(own))
        score -= 1.0
        score[leading] += 1.0
    return score


def margins(sight: Sight, blocks: Rows) -> Floats:
    """Return how far the two best worlds of each block are apart; nothing at all is one of them."""
    state = sight.state
    _, place, probability, rest = state.worlds_of(blocks)
    rest = np.where(state.blocks.exclusive[blocks], state.nothing[blocks], rest)
    best = first_best(probability, place, len(blocks))
    top = probability[best]
    probability[best] = -1.0
    second = probability[first_best(probability, place, len(blocks))]
    return np.maximum(top, rest) - np.maximum(np.minimum(top, rest), second)


class GroupDoubt:
    """The entropy of all tuples of a text together."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self._group = sight.field.groups
        self._size = int(self._group.max(initial=-1)) + 1
        self._row = np.argsort(self._group, kind="stable")
        self._ranges = Ranges.counted(np.bincount(self._group, minlength=self._size))
        self._sum = summed(self._group, sight.tally.parts[DOUBT], self._size)

    def update(self, rows: Rows) -> Rows:
        """Take over what changed in some tuples; return all tuples of their texts."""
        groups = np.unique(self._group[rows])
        found, place = self._ranges.of(groups)
        found = self._row[found]
        self._sum[groups] = summed(place, self._sight.tally.parts[DOUBT, found], len(groups))
        return found

    def scores(self, units: Rows) -> Floats:
        """Score units by the entropy of their text; of a block, of the text where there is most."""
        if self._sight.plan.kind != "choice":
            return self._sum[self._group[self._sight.units.first[units]]]
        rows, place = self._sight.units.rows(units)
        return _largest(self._sum[self._group[rows]], place, len(units))


SCORES: dict[str, Callable[[Sight, Rows], Floats]] = {
    "entropy": by_entropy,
    "group_entropy": by_entropy,  # of questions about a text and a label; else see `GroupDoubt`
    "infogain": by_information,
}
CHANGES: dict[str, Callable[[Sight, Rows], tuple[Floats, Floats]]] = {"fgain": expected_change, "oracle": true_change}


class Strategy:
    """The scores of all that can be asked about, kept up with what answers change.

    `fgain` scores by 2·ΔC − F·ΔN, where C sums up the weights in the hard output, N counts them, and F is the claimed
    F1 of the moment: what an answer is expected to do to it. The oracle takes the true ΔC, ΔN and F1.
    """

    def __init__(self, sight: Sight, asked: Truths, settled: Truths) -> None:
        self._sight = sight
        self._asked = asked
        self._settled = settled
        name = sight.plan.strategy
        self._turn: Floats | None = None
        if name in FIXED:
            self._turn = np.empty(len(sight.units))
            self._turn[fixed_order(sight.field, sight.plan, sight.units)] = np.arange(len(sight.units))
        by_text = name == "group_entropy" and sight.plan.kind != "group"
        self._doubt = GroupDoubt(sight) if by_text else None
        self._tournament = Tournament(len(sight.units), moving=name == "fgain")
        self._classes = Classes(len(sight.units)) if name == "oracle" else None
        self._put(np.arange(len(sight.units)))

    def update(self, blocks: Rows) -> None:
        """Take over what changed in some blocks."""
        rows = self._sight.state.blocks.rows.of(blocks)[0]
        if self._doubt is not None:
            rows = np.sort(self._doubt.update(rows))
        self._put(self._sight.units.touched(rows))

    def best(self) -> int:
        """Return what is asked about next, or -1 if nothing is left."""
        if self._classes is not None:
            return self._classes.best(*self._true_rate())
        return self._tournament.best(self._claimed_rate())

    def scores(self) -> Floats:
        """Return the scores of all that can be asked about; minus infinity where there is nothing to ask."""
        if self._classes is not None:
            return self._classes.scores(*self._true_rate())
        return self._tournament.scores(self._claimed_rate())

    def _put(self, units: Rows) -> None:
        """Score some units."""
        name, sight = self._sight.plan.strategy, self._sight
        open_units = ~self._asked[units] & sight.units.open(sight.state, units, sight.plan, self._settled)
        if name in CHANGES:
            gain, loss = np.full(len(units), -np.inf), np.zeros(len(units))
            if open_units.any():
                right, found = CHANGES[name](sight, units[open_units])
                gain[open_units], loss[open_units] = 2 * right, found
            (self._classes or self._tournament).put(units, gain, loss)
            return
        if self._turn is not None:
            score = -self._turn[units]
        elif self._doubt is not None:
            score = self._doubt.scores(units)
        elif name == "margin":
            score = by_margin(sight, units, open_units)
        else:
            score = SCORES[name](sight, units)
        self._tournament.put(units, np.where(open_units, score, -np.inf))

    def _claimed_rate(self) -> float:
        """Return the claimed F1, by which a tuple more in the hard output is weighed."""
        sums = self._sight.tally.sums
        whole = float(sums[FOUND] + sums[MASS])
        return 2 * float(sums[CLAIMED]) / whole if whole > 0 else 0.0

    def _true_rate(self) -> tuple[float, float]:
        """Return the true F1, and one part of what it is divided by."""
        sums = self._sight.tally.sums
        whole = float(sums[FOUND]) + (self._sight.field.entities or 0)
        return (2 * float(sums[RIGHT]) / whole, 1 / whole) if whole > 0 else (0.0, 0.0)
