"""The sums that scores are made of, kept up with what answers change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.probabilities import EPSILON
from comparanda.feedback.state import believed, summed, tell_labels, tell_none, tell_spans
from comparanda.feedback.users import unmixed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.probabilities import Decide, Floats
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.feedback.field import Field, Units
    from comparanda.feedback.protocol import Plan
    from comparanda.feedback.state import State

    Sums = NDArray[np.float64]


# The hard output of some blocks, as `beliefs.decide` has it for all, from what is believed at some moment.


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


FOUND, RIGHT, CLAIMED, MASS, RIGHT_MASS, CAPTURED, DOUBT = range(7)
"""The sums over tuples in the scope, in this order.

In the hard output; right there; their weights; all weights; the weights of the right ones; right ones that are
possible; the entropy of each in bits.
"""

RESUM = 1000
"""After so many questions the sums are made anew, for rounding errors not to add up."""


def entropy(probability: Floats) -> Floats:
    """Return the entropy of a truth with each probability, in bits.

    >>> entropy(np.array([0.0, 0.5, 1.0])).tolist()
    [0.0, 1.0, 0.0]
    """
    other = 1 - probability
    smallest = np.finfo(np.float64).tiny  # zero times its logarithm is zero
    found = probability * np.log2(np.maximum(probability, smallest)) + other * np.log2(np.maximum(other, smallest))
    return np.asarray(0.0 - found)


class Tally:
    """The sums over the tuples of a field, and which of these are in the hard output."""

    def __init__(self, field: Field, decide: Decide, min_weight: float, state: State) -> None:
        self.scope = field.scope
        self.correct = field.candidates.correct & field.scope
        self._how = (decide, min_weight)
        self.decided: Truths = np.zeros(len(field), np.bool_)
        self.parts = np.zeros((7, len(field)))
        filled = np.flatnonzero(np.diff(state.blocks.rows.offsets) > 0)
        if len(filled):
            self.parts[:] = self._parts(state, filled, np.arange(len(field)))
        self.sums: Floats = self.parts.sum(axis=1)

    def update(self, state: State, blocks: Rows) -> int:
        """Take over what changed in some blocks; return how many tuples came into the hard output or left it."""
        rows = state.blocks.rows.of(blocks)[0]
        before = self.parts[:, rows]
        after = self._parts(state, blocks, rows)
        self.parts[:, rows] = after
        self.sums += after.sum(axis=1) - before.sum(axis=1)
        return int(np.abs(after[FOUND] - before[FOUND]).sum())

    def resum(self) -> None:
        """Make the sums anew."""
        self.sums = self.parts.sum(axis=1)

    def _parts(self, state: State, blocks: Rows, rows: Rows) -> NDArray[np.float64]:
        """Decide some blocks, and return what each of their tuples adds to the sums."""
        self.decided[rows] = False
        self.decided[choose(state, blocks, *self._how)] = True
        return parts_of(state.weight[rows], self.decided[rows], self.scope[rows], self.correct[rows])


def parts_of(weight: Floats, decided: Truths, scope: Truths, correct: Truths) -> NDArray[np.float64]:
    """Return what tuples add to the sums; those that are correct are in the scope."""
    found = decided & scope
    parts = np.empty((7, len(weight)))
    parts[FOUND] = found
    parts[RIGHT] = found & correct
    parts[CLAIMED] = weight * found
    parts[MASS] = weight * scope
    parts[RIGHT_MASS] = weight * correct
    parts[CAPTURED] = (weight > 0) & correct
    parts[DOUBT] = entropy(weight) * scope
    return parts


def scores_of(sums: Floats, entities: int | None) -> Floats:
    """Return P, R, F, E(P), E(R), E100, the claimed F and the entropy of sums; NaN where one is not defined.

    Args:
        sums: the sums, one column each or many.
        entities: how many entities the key has; None without a key, and then only the last two are defined.

    """
    found, right, claimed, mass, right_mass, captured, doubt = sums
    key = np.nan if entities is None else float(entities)
    mass = np.where(mass > 1e-9, mass, 0.0)  # what is left of sums that should be zero
    return np.stack(
        [
            _share(right, found + 0 * key),
            _share(right, key + 0 * found),
            _share(2 * right, found + key),
            _share(right_mass, mass + 0 * key),
            _share(right_mass, key + 0 * mass),
            _share(captured, key + 0 * mass),
            _share(2 * claimed, found + mass),
            np.maximum(doubt, 0.0),
        ]
    )


def _share(part: Floats, whole: Floats) -> Floats:
    """Return ratios, NaN where there is nothing to divide by."""
    whole = np.asarray(whole, np.float64)
    return np.asarray(np.divide(part, whole, out=np.full(whole.shape, np.nan), where=~(whole == 0)))


# What the hard output would be after an answer that has not come yet.


TOTALS = (FOUND, RIGHT, CLAIMED)
"""What is summed up of a hard output: found, right, and their weights, in this order."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Sight:
    """All that strategies look at; the key is for the oracle alone.

    Args:
        field: the tuples.
        plan: what is asked.
        units: what can be asked about.
        state: what is believed.
        tally: the hard output.

    """

    field: Field
    plan: Plan
    units: Units
    state: State
    tally: Tally


def now(sight: Sight, blocks: Rows) -> Sums:
    """Return the totals of some blocks."""
    rows, place = sight.state.blocks.rows.of(blocks)
    return np.stack([summed(place, sight.tally.parts[each, rows], len(blocks)) for each in TOTALS])


def after(sight: Sight, rows: Rows, yes: Truths) -> Sums:
    """Return the totals of the block of each tuple if the user said yes or no to it, or to its span."""
    blocks = sight.state.blocks.block[rows]
    state, old = sight.state.repeated(blocks)
    asked = state.blocks.rows.offsets[:-1] + rows - sight.state.blocks.rows.offsets[blocks]
    error = sight.plan.believed_error
    if sight.plan.kind == "span":
        tell_spans(state, asked, believed(state.entity[state.blocks.span[asked]], yes=yes, error=error))
    else:
        tell_labels(state, asked, believed(state.weight[asked], yes=yes, error=error))
    return _totals(sight, state, old)


def after_both(sight: Sight, rows: Rows) -> tuple[Sums, Sums]:
    """Return the totals of the block of each tuple after a yes, and after a no."""
    both = after(sight, np.concatenate([rows, rows]), np.arange(2 * len(rows)) < len(rows))
    return both[:, : len(rows)], both[:, len(rows) :]


def after_none(sight: Sight, blocks: Rows) -> Sums:
    """Return the totals of blocks if the user said that none of their tuples is right."""
    state, old = sight.state.repeated(blocks)
    every = np.arange(len(blocks))
    tell_none(state, every, np.arange(len(old)), sight.plan.believed_error)
    return _totals(sight, state, old)


def _totals(sight: Sight, state: State, old: Rows) -> Sums:
    """Decide blocks that are thought of, and sum up block by block."""
    count = len(state.blocks)
    chosen = choose(state, np.arange(count), sight.plan.decide, sight.plan.min_weight)
    chosen = chosen[sight.tally.scope[old[chosen]]]
    place = state.blocks.block[chosen]
    found = np.bincount(place, minlength=count).astype(np.float64)
    right = summed(place, sight.tally.correct[old[chosen]], count)
    return np.stack([found, right, summed(place, state.weight[chosen], count)])


def unanimous(weight: Floats, place: Rows, count: int) -> tuple[Floats, Floats]:
    """Return how probable it is that all tuples of each part are true, and that none is, if they are independent.

    >>> unanimous(np.array([0.5, 0.4, 0.9]), np.array([0, 0, 1]), 2)[0].round(9).tolist()
    [0.2, 0.9]
    """
    logs = np.log(np.clip(np.stack([weight, 1 - weight]), 1e-300, 1.0))
    always, never = (np.exp(summed(place, each, count)) for each in logs)
    return always, never


def expected_change(sight: Sight, units: Rows) -> tuple[Floats, Floats]:
    """Return how much the weights in the hard output, and their number, are expected to change by an answer.

    What is expected rests on what is believed. Of a text the tuples are taken for independent, and the answer always or
    never for one about all of them; of a choice where several can be right it is taken that at most one is.
    """
    kind, state = sight.plan.kind, sight.state
    if kind in ("label", "span"):
        rows = sight.units.first[units]
        p = state.weight[rows] if kind == "label" else state.entity[state.blocks.span[rows]]
        heard = p * (1 - sight.plan.believed_error) + (1 - p) * sight.plan.believed_error
        yes, no = after_both(sight, rows)
        change = heard * yes + (1 - heard) * no - now(sight, state.blocks.block[rows])
    elif kind == "choice":
        change = _expected_choice(sight, units)
    else:
        rows, place = sight.units.rows(units)
        always, never = unanimous(state.weight[rows], place, len(units))
        yes, no = after_both(sight, rows)
        before = now(sight, state.blocks.block[rows])
        told = always[place] * (yes - before) + never[place] * (no - before)
        change = np.stack([summed(place, each, len(units)) for each in told])
    return change[2], change[0]


def _expected_choice(sight: Sight, units: Rows) -> Sums:
    """Return the expected change of totals by a choice."""
    state = sight.state
    blocks = state.blocks.block[sight.units.first[units]]
    rows, place = state.blocks.rows.of(blocks)
    weight = state.weight[rows]
    chosen = weight * after(sight, rows, np.ones(len(rows), np.bool_))
    some = summed(place, weight, len(blocks))
    none = np.maximum(0.0, 1 - some) * after_none(sight, blocks)
    total = np.stack([summed(place, each, len(blocks)) for each in chosen]) + none
    return np.asarray(total / np.maximum(1.0, some) - now(sight, blocks))


def true_change(sight: Sight, units: Rows) -> tuple[Floats, Floats]:
    """Return how many right ones more, and how many in all, the hard output will have after the true answer."""
    field, state = sight.field, sight.state
    correct = field.candidates.correct
    rows, place = sight.units.rows(units)
    if sight.plan.kind == "choice":
        blocks = state.blocks.block[sight.units.first[units]]
        right = np.flatnonzero(correct[rows])
        chosen, first = np.unique(place[right], return_index=True)
        totals = after_none(sight, blocks)
        totals[:, chosen] = after(sight, rows[right[first]], np.ones(len(chosen), np.bool_))
        change = totals - now(sight, blocks)
    elif sight.plan.kind == "group":
        share = summed(place, correct[rows], len(units)) / np.bincount(place, minlength=len(units))
        always, never = unmixed(share, sight.plan.purity)
        told = after(sight, rows, always[place]) - now(sight, state.blocks.block[rows])
        change = np.stack([summed(place, each * (always | never)[place], len(units)) for each in told])
    else:
        rows = sight.units.first[units]
        truth = correct if sight.plan.kind == "label" else field.entity_spans
        change = after(sight, rows, truth[rows]) - now(sight, state.blocks.block[rows])
    return change[1], change[0]
