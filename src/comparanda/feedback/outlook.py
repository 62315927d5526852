"""What the hard output would be after an answer that has not come yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.feedback.blocks import summed
from comparanda.feedback.conditioning import believed, tell_labels, tell_none, tell_spans
from comparanda.feedback.deciding import choose
from comparanda.feedback.tally import CLAIMED, FOUND, RIGHT
from comparanda.feedback.users import unmixed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.beliefs.model import Floats
    from comparanda.columns import Rows, Truths
    from comparanda.feedback.field import Field
    from comparanda.feedback.plan import Plan
    from comparanda.feedback.state import State
    from comparanda.feedback.tally import Tally
    from comparanda.feedback.units import Units

    Sums = NDArray[np.float64]

TOTALS = (FOUND, RIGHT, CLAIMED)
"""What is summed up of a hard output: found, right, and their weights, in this order."""


@dataclass(frozen=True, eq=False, slots=True)
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
