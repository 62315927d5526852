"""What probabilistic runs hold for possible around a site."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.sites import shown

if TYPE_CHECKING:
    from comparanda.candidates import Candidates


@dataclass(frozen=True, slots=True)
class Possibility:
    """A span that a run holds for possible.

    Args:
        label: its label.
        text: what it covers of the text.
        weight: the probability that it is there.
        correct: whether the key has it.
        decided: whether it is in the run's hard output.

    """

    label: str
    text: str
    weight: float
    correct: bool
    decided: bool


class Possibilities:
    """The tuples of one run by their places.

    Args:
        candidates: the tuples.

    """

    def __init__(self, candidates: Candidates) -> None:
        self._candidates = candidates
        self._room = int((candidates.place + candidates.width).max(initial=0)) + 1
        begins = candidates.document.astype(np.int64) * self._room + candidates.place
        self._order = np.argsort(begins, kind="stable")
        self._begins = begins[self._order]
        self._ends = self._begins + candidates.width[self._order]
        self._reach = np.maximum.accumulate(self._ends)

    def around(self, document: int, place: int, width: int) -> list[Possibility]:
        """Return the tuples that share a row with some rows of a document, the most likely first."""
        first = document * self._room + min(place, self._room)
        behind = document * self._room + min(place + width, self._room)
        found = np.arange(
            np.searchsorted(self._reach, first, side="right"), np.searchsorted(self._begins, behind, side="left")
        )
        rows = self._order[found[self._ends[found] > first]]
        weights = self._candidates.beliefs.weight[rows]
        return [self._one(row) for row in rows[np.argsort(-weights, kind="stable")].tolist()]

    def _one(self, row: int) -> Possibility:
        given = self._candidates
        return Possibility(
            shown(given.names[int(given.label[row])]),
            given.text[row],
            float(given.beliefs.weight[row]),
            bool(given.correct[row]),
            bool(given.decided[row]),
        )
