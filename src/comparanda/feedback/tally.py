"""The sums that scores are made of, kept up with what answers change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.feedback.deciding import choose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.beliefs.model import Floats
    from comparanda.beliefs.policies import Decide
    from comparanda.columns import Rows, Truths
    from comparanda.feedback.field import Field
    from comparanda.feedback.state import State

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
