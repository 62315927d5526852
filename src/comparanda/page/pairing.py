"""Which pairs of systems a page holds, and what the views of pairs and of all systems share.

All pairs are there where they are few, else those that people ask for first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from comparanda.comparison.complement.finding import Complementarity
    from comparanda.page.building import Choices
    from comparanda.result import Result

    Pair = tuple[str, str]

MOST_PAIRS = 66
"""So many pairs are all on the page: those of twelve systems, which a matrix has room for, too."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """The pairs of a page.

    Args:
        pairs: a base and a new system each, in the order of the systems.
        usual: the one that is shown first.
        all: how many pairs there are.
        errors: which errors of each system every other does not make; None where nothing is right or wrong by itself.

    """

    pairs: tuple[Pair, ...]
    usual: Pair
    all: int
    errors: Complementarity | None

    @property
    def left_out(self) -> int:
        """How many pairs the page does not hold."""
        return self.all - len(self.pairs)

    def holds(self, one: str, other: str) -> bool:
        """Whether two systems are a pair of the page, whichever is the base."""
        return (one, other) in self.pairs or (other, one) in self.pairs


def pairing(result: Result, choices: Choices) -> Pairing | None:
    """Choose the pairs; None where there is but one system.

    Of many systems each is there with the first, with the best, with those of the pair shown first, and with its
    neighbours in rank.
    """
    if len(result.systems) < 2:
        return None
    usual = result.pair(choices.base, choices.new, view=choices.view)
    every = list(combinations(result.systems, 2))
    wanted = {frozenset(usual)}
    if choices.pairs == "all" or len(every) <= MOST_PAIRS:
        wanted |= {frozenset(pair) for pair in every}
    else:
        ranked = _ranked(result, choices)
        for hub in (result.systems[0], ranked[0], *usual):
            wanted |= {frozenset((hub, name)) for name in ranked if name != hub}
        wanted |= {frozenset(pair) for pair in pairwise(ranked)}
    pairs = (usual if frozenset(pair) == frozenset(usual) else pair for pair in every if frozenset(pair) in wanted)
    return Pairing(tuple(pairs), usual, len(every), errors_of(result, choices, *result.systems))


def errors_of(result: Result, choices: Choices, *systems: str) -> Complementarity | None:
    """Return which errors of some systems the others do not make, if the view has errors one by one."""
    view = result.verdicts.view(choices.view)
    return result.complementarity(*systems, view=choices.view) if len(view.sites) or len(view.items) else None


def _ranked(result: Result, choices: Choices) -> list[str]:
    """Return the systems by their main score, the best first."""
    board = replace(result, resamples=0).leaderboard(view=choices.view)
    return [standing.system for standing in board.standings]
