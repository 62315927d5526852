"""Several strategies tried on one field, each by as many seeds as chance asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from comparanda.feedback.simulation import simulate

if TYPE_CHECKING:
    from comparanda.feedback.curve import Curve
    from comparanda.feedback.field import Field
    from comparanda.feedback.journal import Journal
    from comparanda.feedback.plan import Plan

    Told = Callable[[Plan, int], None]

SEEDS = 20
"""How many seeds a band is made of; of fewer it is rough."""


@dataclass(frozen=True, eq=False)
class Trial:
    """What became of one strategy: a curve for each seed."""

    strategy: str
    curves: tuple[Curve, ...]


def plans_of(plan: Plan, strategies: Sequence[str], seeds: int = SEEDS) -> tuple[Plan, ...]:
    """Return a plan for each strategy, and for each seed where chance plays a part.

    That is so if questions are asked at random, and for all strategies if the user errs or is unsure by chance.
    """
    found = []
    for strategy in dict.fromkeys(strategies):
        first = replace(plan, strategy=strategy)
        chance = strategy == "random" or not plan.user.truthful
        found += [replace(first, seed=plan.seed + number) for number in range(seeds if chance else 1)]
    return tuple(found)


def tried(
    field: Field, plans: Sequence[Plan], journal: Journal | None = None, told: Told | None = None
) -> tuple[Trial, ...]:
    """Simulate all plans.

    Args:
        field: what is asked about.
        plans: what to simulate.
        journal: where to keep what is done, and to go on from.
        told: called after questions with the plan and their number.

    """
    curves: dict[str, list[Curve]] = {}
    for plan in plans:
        say = None if told is None else partial(told, plan)
        found = simulate(field, plan, say) if journal is None else journal.curve(plan, say)
        curves.setdefault(plan.strategy, []).append(found)
    return tuple(Trial(strategy, tuple(found)) for strategy, found in curves.items())
