"""Whole runs in an order that no answer changes, without going through the questions one by one.

Blocks are independent of each other, so each goes its own way: what the first question about it does, then the second,
for all blocks at once. Then all steps are laid out in the order of the questions and added up. Only blocks that are
asked about within the budget are looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.feedback.blocks import summed
from comparanda.feedback.conditioning import believed, tell_labels
from comparanda.feedback.curve import curve_of
from comparanda.feedback.deciding import choose
from comparanda.feedback.handling import rounds
from comparanda.feedback.plan import FIXED
from comparanda.feedback.state import uncertain
from comparanda.feedback.strategies import fixed_order
from comparanda.feedback.tally import parts_of
from comparanda.feedback.units import units_of

if TYPE_CHECKING:
    from comparanda.beliefs.model import Floats
    from comparanda.columns import Rows
    from comparanda.feedback.curve import Curve
    from comparanda.feedback.field import Field
    from comparanda.feedback.plan import Plan


def is_fixed(plan: Plan) -> bool:
    """Whether a run can be made at once: what is asked and answered depends on the block alone."""
    return (
        plan.strategy in FIXED
        and plan.kind == "label"
        and plan.handler == "basic"
        and plan.user.truthful
        and not plan.believed_error
        and not plan.ask_certain
    )


def fixed_curve(field: Field, plan: Plan) -> Curve:
    """Return the curve of a run that `is_fixed`."""
    units = units_of(field, "label")
    order = units.first[fixed_order(field, plan, units)]
    budget = len(order) if plan.budget is None else min(plan.budget, len(order))
    reach = min(len(order), budget + budget // 4 + 64)  # some tuples are settled before their turn comes
    turn, steps = _steps(field, plan, order[:reach])
    while len(turn) < budget and reach < len(order):
        reach = min(len(order), 2 * reach)
        turn, steps = _steps(field, plan, order[:reach])
    first = np.argsort(turn)[:budget]
    start = np.concatenate([field.sums(plan.decide, plan.min_weight), [0.0]])
    sums = np.cumsum(np.concatenate([start[:, None], steps[:, first]], axis=1), axis=1)
    asked = order[turn[first]]
    paid = plan.cost * np.arange(len(first) + 1)
    counts = np.stack([paid, sums[-1], np.zeros(len(paid))])  # what is asked is uncertain: no answer contradicts
    answers = np.concatenate([[-1], field.candidates.correct[asked]]).astype(np.int8)
    return curve_of(plan, field.entities, sums[:-1], counts, np.concatenate([[-1], asked]), answers)


def _steps(field: Field, plan: Plan, order: Rows) -> tuple[Rows, Floats]:
    """Ask about tuples in an order; return the turns at which there was something to ask, and what changed then.

    What changed is a column for each turn: the sums that scores are made of, and below them how many tuples came into
    the hard output or left it.
    """
    block = field.start.blocks.block[order]
    own, place = np.unique(block, return_inverse=True)
    state, old = field.start.repeated(own)
    rows = order + (state.blocks.rows.offsets[:-1] - field.start.blocks.rows.offsets[own])[place]
    correct = field.candidates.correct[old]
    scope = field.scope[old]
    every = np.arange(len(own))
    decided = np.zeros(len(old), np.bool_)
    turns, changes = [np.zeros(0, np.int64)], [np.zeros((8, 0))]

    def parts(blocks: Rows) -> Floats:
        mine, at = state.blocks.rows.of(blocks)
        before = decided[mine]
        decided[mine] = False
        decided[choose(state, blocks, plan.decide, plan.min_weight)] = True
        found = parts_of(state.weight[mine], decided[mine], scope[mine], correct[mine] & scope[mine])
        moved = (before != decided[mine]) & scope[mine]
        return np.stack([summed(at, each, len(blocks)) for each in (*found, moved)])

    sums = parts(every) if len(every) else np.zeros((8, 0))
    for some in rounds(place):
        asked = some[uncertain(state.weight[rows[some]])]
        if not len(asked):
            continue
        told, blocks = rows[asked], place[asked]
        tell_labels(state, told, believed(state.weight[told], yes=correct[told]))
        new = parts(blocks)
        turns.append(asked)
        changes.append(np.concatenate([new[:-1] - sums[:-1, blocks], new[-1:]]))
        sums[:, blocks] = new
    return np.concatenate(turns), np.concatenate(changes, axis=1)
