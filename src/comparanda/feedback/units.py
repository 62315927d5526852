"""What one question is about: a tuple, a span, a block, or a text with a label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.beliefs.model import EPSILON
from comparanda.feedback.blocks import Ranges, summed
from comparanda.feedback.state import uncertain

if TYPE_CHECKING:
    from comparanda.columns import Rows, Truths
    from comparanda.feedback.field import Field
    from comparanda.feedback.plan import Kind, Plan
    from comparanda.feedback.state import State


@dataclass(frozen=True, eq=False, slots=True)
class Units:
    """All that can be asked about, in the order of its first tuple in the scope.

    Args:
        kind: the kind of question.
        first: the first tuple of each in the scope.
        unit: the unit of each tuple; -1 for what nobody asks about.
        row: the tuples of all units; of a text and a label only those in the scope.
        ranges: which of these are of each unit.
        scope: which tuples count.

    """

    kind: Kind
    first: Rows
    unit: Rows
    row: Rows
    ranges: Ranges
    scope: Truths

    def __len__(self) -> int:
        return len(self.first)

    def rows(self, units: Rows) -> tuple[Rows, Rows]:
        """Return the tuples of some units, and for each the place of its unit among these."""
        if self.kind == "label":
            return self.first[units], np.arange(len(units))
        found, place = self.ranges.of(units)
        return self.row[found], place

    def touched(self, rows: Rows) -> Rows:
        """Return the units of some tuples, each once."""
        found = self.unit[rows]
        if self.kind != "label":
            found = np.unique(found)
        kept: Rows = found[found >= 0]
        return kept

    def open(self, state: State, units: Rows, plan: Plan, settled: Truths) -> Truths:
        """Whether there is something to ask about each of some units.

        Args:
            state: what is believed.
            units: the units.
            plan: whether certain ones are asked about.
            settled: the blocks of which a user has said what is true.

        """
        if self.kind == "span":
            first = self.first[units]
            entity = state.entity[state.blocks.span[first]]
            again = (entity > EPSILON) & ~settled[state.blocks.block[first]] & plan.ask_certain
            return uncertain(entity) | again
        rows, place = self.rows(units)
        weight = state.weight[rows]
        alive = uncertain(weight)
        if plan.ask_certain:
            alive |= (weight > EPSILON) & ~settled[state.blocks.block[rows]]
        if self.kind == "label":
            return alive
        found: Truths = summed(place, alive & self.scope[rows], len(units)) > 0
        return found


def units_of(field: Field, kind: Kind) -> Units:
    """Return all that questions of a kind can be about."""
    blocks = field.start.blocks
    within = np.flatnonzero(field.scope)
    if kind == "label":
        unit = np.full(len(field), -1, np.int64)
        unit[within] = np.arange(len(within))
        return Units(kind, within, unit, within, Ranges(np.arange(len(within) + 1)), field.scope)
    own = {"span": blocks.span, "choice": blocks.block}[kind] if kind != "group" else field.pairs
    named, first = np.unique(own[within], return_index=True)
    order = np.argsort(first, kind="stable")
    number = np.full(int(own.max(initial=-1)) + 1, -1, np.int64)
    number[named[order]] = np.arange(len(named))
    unit = number[own]
    listed = np.flatnonzero((unit >= 0) & (field.scope if kind == "group" else True))
    listed = listed[np.argsort(unit[listed], kind="stable")]
    ranges = Ranges.counted(np.bincount(unit[listed], minlength=len(named)))
    return Units(kind, within[first[order]], unit, listed, ranges, field.scope)
