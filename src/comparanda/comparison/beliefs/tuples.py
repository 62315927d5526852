"""The distinct tuples of all runs, what each run thinks of them, and sums over them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.rules.joins import packed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Rows
    from comparanda.comparison.beliefs.ground import BeliefGround

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class PairCells:
    """What two outputs find and claim: arrays of numbers, of which none is a difference: what is 0 is just that.

    Args:
        found_by_both: entities of the key that both find.
        found_by_first: those that the first finds alone.
        found_by_second: those that the second finds alone.
        found_by_neither: those that neither finds.
        spurious_in_both: wrong tuples that both claim.
        spurious_in_first: those that the first claims alone.
        spurious_in_second: those that the second claims alone.

    """

    found_by_both: Floats
    found_by_first: Floats
    found_by_second: Floats
    found_by_neither: Floats
    spurious_in_both: Floats
    spurious_in_first: Floats
    spurious_in_second: Floats

    def matrix(self) -> Floats:
        """Return the numbers, in the order above, along a last axis."""
        return np.stack([getattr(self, each.name) for each in fields(self)], axis=-1)

    @classmethod
    def of(cls, matrix: Floats) -> PairCells:
        """Return the numbers that a matrix holds along its last axis."""
        return cls(*np.moveaxis(matrix, -1, 0))

    def swapped(self) -> PairCells:
        """Return the same with the second output first."""
        return PairCells(
            self.found_by_both,
            self.found_by_second,
            self.found_by_first,
            self.found_by_neither,
            self.spurious_in_both,
            self.spurious_in_second,
            self.spurious_in_first,
        )

    @property
    def key(self) -> Floats:
        """The entities of the key."""
        return self.found_by_both + self.found_by_first + self.found_by_second + self.found_by_neither

    @property
    def items(self) -> Floats:
        """The entities of the key, and the wrong tuples that at least one claims."""
        return self.key + self.spurious_in_both + self.spurious_in_first + self.spurious_in_second

    @property
    def corrections(self) -> Floats:
        """The errors of the first that the second does not make."""
        return self.found_by_second + self.spurious_in_first

    @property
    def new_errors(self) -> Floats:
        """The errors of the second that the first does not make."""
        return self.found_by_first + self.spurious_in_second


class TupleTable:
    """Tuples of all runs, each once.

    Args:
        ground: the runs and the key.
        soft: whether a run thinks of a tuple what it weighs, or whether it is in the hard output: 1 or 0.

    """

    def __init__(self, ground: BeliefGround, *, soft: bool) -> None:
        self._ground = ground
        runs = ground.candidates
        ranks = [ground.label_ranks(each) for each in runs]
        keys = packed([[each.document, each.begin, each.end, rank] for each, rank in zip(runs, ranks, strict=True)])
        _, first, number = np.unique(np.concatenate(keys), return_index=True, return_inverse=True)
        self._label: Rows = np.concatenate(ranks)[first]
        self._unit: Rows = np.concatenate([ground.unit_of(each) for each in runs])[first].astype(np.int64)
        correct = np.concatenate([each.correct for each in runs])[first]
        self._right, self._wrong = np.flatnonzero(correct), np.flatnonzero(~correct)
        self.weights = np.zeros((len(runs), len(first)))
        bounds = np.cumsum([0, *map(len, keys)]).tolist()
        for place, run in enumerate(runs):
            rows = number.reshape(-1)[bounds[place] : bounds[place + 1]]
            self.weights[place, rows] = run.beliefs.weight if soft else run.decided

    def right(self, values: Floats) -> Floats:
        """Sum over the entities of the key among the tuples: (units, labels)."""
        return self._summed(self._right, values)

    def wrong(self, values: Floats) -> Floats:
        """Sum over the tuples that the key does not have: (units, labels)."""
        return self._summed(self._wrong, values)

    def _summed(self, rows: Rows, values: Floats) -> Floats:
        return self._ground.summed(self._unit[rows], self._label[rows], values[rows])

    @cached_property
    def _unknown(self) -> Floats:
        """How many entities of the key no run holds for possible: (units, labels)."""
        return self._ground.key_cells - self.right(np.ones(len(self._label)))

    def cells(self, first: int, second: int) -> PairCells:
        """Count what two runs find and claim: (units, labels)."""
        one, two = self.weights[first], self.weights[second]
        both, first_alone, second_alone = one * two, one * (1 - two), (1 - one) * two
        return PairCells(
            self.right(both),
            self.right(first_alone),
            self.right(second_alone),
            self._unknown + self.right((1 - one) * (1 - two)),
            self.wrong(both),
            self.wrong(first_alone),
            self.wrong(second_alone),
        )
