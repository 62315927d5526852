"""The hard output and the sums that give its scores, updated after each answer, and the expected effect of answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.probabilities import EPSILON
from comparanda.feedback.state import (
    compute_posterior,
    condition_on_labels,
    condition_on_none,
    condition_on_spans,
    sum_parts,
)
from comparanda.feedback.users import is_unmixed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.probabilities import Decide, Floats
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.feedback.field import Field, Units
    from comparanda.feedback.protocol import Plan
    from comparanda.feedback.state import State

    Sums = NDArray[np.float64]


# The hard output of some blocks under the current probabilities, as `decide_blocks` gives it for all.


DIGITS = 1e9
"""Probabilities are rounded to multiples of 1 / DIGITS, so that nearly equal ones are ties."""


def first_best(values: Floats, place: Rows, count: int) -> Rows:
    """Find the index of the largest value in each part, the first of equal ones; no part is empty.

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


def choose_best_worlds(state: State, blocks: Rows, how: Decide, min_weight: float) -> Rows:
    """Select the tuples of the most probable world of each block; every block must have tuples."""
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

Tuples in the hard output; correct ones among them; the weight of the hard output; the weight of all tuples; the weight
of correct tuples; correct tuples with a positive weight; the entropy in bits.
"""

RESUM = 1000
"""The number of questions after which sums are recomputed, so that rounding errors do not accumulate."""


def compute_entropy(probability: Floats) -> Floats:
    """Compute the entropy of Boolean variables with given probabilities, in bits.

    >>> compute_entropy(np.array([0.0, 0.5, 1.0])).tolist()
    [0.0, 1.0, 0.0]
    """
    other = 1 - probability
    smallest = np.finfo(np.float64).tiny  # zero times its logarithm is zero
    found = probability * np.log2(np.maximum(probability, smallest)) + other * np.log2(np.maximum(other, smallest))
    return np.asarray(0.0 - found)


class Tally:
    """The hard output of a field, and the sums over its tuples."""

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
        """Update the sums for some changed blocks; return how many tuples entered or left the hard output."""
        rows = state.blocks.rows.of(blocks)[0]
        before = self.parts[:, rows]
        after = self._parts(state, blocks, rows)
        self.parts[:, rows] = after
        self.sums += after.sum(axis=1) - before.sum(axis=1)
        return int(np.abs(after[FOUND] - before[FOUND]).sum())

    def resum(self) -> None:
        """Recompute the sums."""
        self.sums = self.parts.sum(axis=1)

    def _parts(self, state: State, blocks: Rows, rows: Rows) -> NDArray[np.float64]:
        """Decide some blocks, and compute what each of their tuples adds to the sums."""
        self.decided[rows] = False
        self.decided[choose_best_worlds(state, blocks, *self._how)] = True
        return parts_of(state.weight[rows], self.decided[rows], self.scope[rows], self.correct[rows])


def parts_of(weight: Floats, decided: Truths, scope: Truths, correct: Truths) -> NDArray[np.float64]:
    """Compute what tuples add to the sums; `correct` must be restricted to the scope."""
    found = decided & scope
    parts = np.empty((7, len(weight)))
    parts[FOUND] = found
    parts[RIGHT] = found & correct
    parts[CLAIMED] = weight * found
    parts[MASS] = weight * scope
    parts[RIGHT_MASS] = weight * correct
    parts[CAPTURED] = (weight > 0) & correct
    parts[DOUBT] = compute_entropy(weight) * scope
    return parts


def scores_of(sums: Floats, entities: int | None) -> Floats:
    """Compute P, R, F, E(P), E(R), E100, the claimed F and the entropy from sums; NaN where undefined.

    Args:
        sums: the sums: one value each, or an array of values each.
        entities: the number of key entities; None without a key, when only the last two are defined.

    """
    found, right, claimed, mass, right_mass, captured, doubt = sums
    key = np.nan if entities is None else float(entities)
    mass = np.where(mass > 1e-9, mass, 0.0)  # rounding residue of sums that should be zero
    return np.stack(
        [
            _divide(right, found + 0 * key),
            _divide(right, key + 0 * found),
            _divide(2 * right, found + key),
            _divide(right_mass, mass + 0 * key),
            _divide(right_mass, key + 0 * mass),
            _divide(captured, key + 0 * mass),
            _divide(2 * claimed, found + mass),
            np.maximum(doubt, 0.0),
        ]
    )


def _divide(part: Floats, whole: Floats) -> Floats:
    """Divide, giving NaN where the denominator is 0."""
    whole = np.asarray(whole, np.float64)
    return np.asarray(np.divide(part, whole, out=np.full(whole.shape, np.nan), where=~(whole == 0)))


# The hard output after hypothetical answers.


TOTALS = (FOUND, RIGHT, CLAIMED)
"""The sums compared for a hard output: its tuples, the correct ones, and its weight, in this order."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class StrategyData:
    """The data that strategies use; only the oracle may use the key.

    Args:
        field: the tuples.
        plan: what is asked.
        units: what can be asked about.
        state: the current probabilities.
        tally: the hard output.

    """

    field: Field
    plan: Plan
    units: Units
    state: State
    tally: Tally


def count_now(context: StrategyData, blocks: Rows) -> Sums:
    """Return the current totals of some blocks."""
    rows, place = context.state.blocks.rows.of(blocks)
    return np.stack([sum_parts(place, context.tally.parts[each, rows], len(blocks)) for each in TOTALS])


def count_after(context: StrategyData, rows: Rows, yes: Truths) -> Sums:
    """Compute the totals of each tuple's block after a yes or no to the tuple, or to its span."""
    blocks = context.state.blocks.block[rows]
    state, old = context.state.repeated(blocks)
    asked = state.blocks.rows.offsets[:-1] + rows - context.state.blocks.rows.offsets[blocks]
    error = context.plan.believed_error
    if context.plan.kind == "span":
        condition_on_spans(
            state, asked, compute_posterior(state.entity[state.blocks.span[asked]], yes=yes, error=error)
        )
    else:
        condition_on_labels(state, asked, compute_posterior(state.weight[asked], yes=yes, error=error))
    return _decide_and_sum(context, state, old)


def after_both(context: StrategyData, rows: Rows) -> tuple[Sums, Sums]:
    """Compute the totals of each tuple's block after a yes, and after a no."""
    both = count_after(context, np.concatenate([rows, rows]), np.arange(2 * len(rows)) < len(rows))
    return both[:, : len(rows)], both[:, len(rows) :]


def after_none(context: StrategyData, blocks: Rows) -> Sums:
    """Compute the totals of blocks after the answer that none of their tuples is correct."""
    state, old = context.state.repeated(blocks)
    every = np.arange(len(blocks))
    condition_on_none(state, every, np.arange(len(old)), context.plan.believed_error)
    return _decide_and_sum(context, state, old)


def _decide_and_sum(context: StrategyData, state: State, old: Rows) -> Sums:
    """Decide hypothetical blocks, and sum up each of them."""
    count = len(state.blocks)
    chosen = choose_best_worlds(state, np.arange(count), context.plan.decide, context.plan.min_weight)
    chosen = chosen[context.tally.scope[old[chosen]]]
    place = state.blocks.block[chosen]
    found = np.bincount(place, minlength=count).astype(np.float64)
    right = sum_parts(place, context.tally.correct[old[chosen]], count)
    return np.stack([found, right, sum_parts(place, state.weight[chosen], count)])


def compute_unanimity(weight: Floats, place: Rows, count: int) -> tuple[Floats, Floats]:
    """Compute the probability that all tuples of each part are true, and that none is, assuming independence.

    >>> compute_unanimity(np.array([0.5, 0.4, 0.9]), np.array([0, 0, 1]), 2)[0].round(9).tolist()
    [0.2, 0.9]
    """
    logs = np.log(np.clip(np.stack([weight, 1 - weight]), 1e-300, 1.0))
    always, never = (np.exp(sum_parts(place, each, count)) for each in logs)
    return always, never


def expected_change(context: StrategyData, units: Rows) -> tuple[Floats, Floats]:
    """Compute the expected change by an answer of the hard output's weight and size.

    The expectation is under the current probabilities. The tuples of a text are assumed to be independent, with always
    and never applying to all of them; in a choice where several tuples can be correct, at most one is assumed to be.
    """
    kind, state = context.plan.kind, context.state
    if kind in ("label", "span"):
        rows = context.units.first[units]
        p = state.weight[rows] if kind == "label" else state.entity[state.blocks.span[rows]]
        yes_probability = p * (1 - context.plan.believed_error) + (1 - p) * context.plan.believed_error
        yes, no = after_both(context, rows)
        change = yes_probability * yes + (1 - yes_probability) * no - count_now(context, state.blocks.block[rows])
    elif kind == "choice":
        change = _expected_choice_change(context, units)
    else:
        rows, place = context.units.rows(units)
        always, never = compute_unanimity(state.weight[rows], place, len(units))
        yes, no = after_both(context, rows)
        before = count_now(context, state.blocks.block[rows])
        per_tuple = always[place] * (yes - before) + never[place] * (no - before)
        change = np.stack([sum_parts(place, each, len(units)) for each in per_tuple])
    return change[2], change[0]


def _expected_choice_change(context: StrategyData, units: Rows) -> Sums:
    """Compute the expected change of totals by a choice."""
    state = context.state
    blocks = state.blocks.block[context.units.first[units]]
    rows, place = state.blocks.rows.of(blocks)
    weight = state.weight[rows]
    chosen = weight * count_after(context, rows, np.ones(len(rows), np.bool_))
    some_right = sum_parts(place, weight, len(blocks))
    none = np.maximum(0.0, 1 - some_right) * after_none(context, blocks)
    total = np.stack([sum_parts(place, each, len(blocks)) for each in chosen]) + none
    return np.asarray(total / np.maximum(1.0, some_right) - count_now(context, blocks))


def true_change(context: StrategyData, units: Rows) -> tuple[Floats, Floats]:
    """Compute how many more correct tuples, and tuples in all, the hard output has after the true answer."""
    field, state = context.field, context.state
    correct = field.candidates.correct
    rows, place = context.units.rows(units)
    if context.plan.kind == "choice":
        blocks = state.blocks.block[context.units.first[units]]
        right = np.flatnonzero(correct[rows])
        chosen, first = np.unique(place[right], return_index=True)
        totals = after_none(context, blocks)
        totals[:, chosen] = count_after(context, rows[right[first]], np.ones(len(chosen), np.bool_))
        change = totals - count_now(context, blocks)
    elif context.plan.kind == "group":
        share = sum_parts(place, correct[rows], len(units)) / np.bincount(place, minlength=len(units))
        always, never = is_unmixed(share, context.plan.purity)
        per_tuple = count_after(context, rows, always[place]) - count_now(context, state.blocks.block[rows])
        change = np.stack([sum_parts(place, each * (always | never)[place], len(units)) for each in per_tuple])
    else:
        rows = context.units.first[units]
        truth = correct if context.plan.kind == "label" else field.entity_spans
        change = count_after(context, rows, truth[rows]) - count_now(context, state.blocks.block[rows])
    return change[1], change[0]
