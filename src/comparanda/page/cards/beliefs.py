"""What probabilistic runs hold for possible at a site, the most likely first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.comparison.possibilities import Possibilities
from comparanda.page.cards.sides import FEW_RUNS
from comparanda.page.cards.texts import LONGEST_WORD, fitted, fitted_word
from comparanda.page.data import Belief, Possible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from comparanda.candidates import Candidates
    from comparanda.comparison.possibilities import Possibility

MOST = 6
"""How many spans of a run are shown."""

MOST_OF_MANY = 2
"""How many where there are many runs."""


class Beliefs:
    """Shows what runs hold for possible.

    Args:
        candidates: the tuples of all runs.
        runs: those that are shown.
        text: whether the words of spans are shown.

    """

    def __init__(self, candidates: Sequence[Candidates], runs: Sequence[int], *, text: bool) -> None:
        self._runs = [(run, Possibilities(candidates[run])) for run in runs]
        self._most = MOST if len(runs) <= FEW_RUNS else MOST_OF_MANY
        self._text = text

    def of(self, document: int, place: int, width: int) -> Iterator[Belief]:
        """Return what runs hold for possible in some rows of a document, for those that hold anything so."""
        for run, possibilities in self._runs:
            found = possibilities.around(document, place, width)
            spans = tuple(map(self._possible, found[: self._most]))
            if spans:
                yield Belief(run=run, spans=spans, further=len(found) - len(spans))

    def _possible(self, given: Possibility) -> Possible:
        return Possible(
            label=fitted(given.label, LONGEST_WORD),
            text=fitted_word(given.text) if self._text else "",
            weight=f"{given.weight:.3f}" if given.weight >= 0.001 else "<0.001",
            share=round(100 * given.weight),
            correct=given.correct,
            decided=given.decided,
        )
