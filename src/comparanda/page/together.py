"""The view of all systems together: whose errors are whose, who is right with whom, and what they could reach."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from comparanda.page.data import TextPart, View
from comparanda.page.parts import chart_parts, finding_parts, table_parts
from comparanda.show.cells import counted

if TYPE_CHECKING:
    from comparanda.comparison.combine import Combination
    from comparanda.comparison.complement.finding import Complementarity
    from comparanda.comparison.diversity.finding import Diversity
    from comparanda.page.building import Choices
    from comparanda.page.data import Part
    from comparanda.page.lists import Lists
    from comparanda.page.pairing import Pairing
    from comparanda.result import Result


def together_view(result: Result, choices: Choices, lists: Lists, pairing: Pairing | None) -> View | None:
    """Return the view, if there are two systems, and something that both can have right or wrong."""
    if pairing is None or pairing.errors is None:
        return None
    diverse = result.diversity(view=choices.view)
    parts: list[Part] = [_left_out(pairing)] if pairing.left_out else []
    parts += chart_parts(pairing.errors, lists.number)
    parts += table_parts(_errors_held(pairing, pairing.errors), lists.number)
    parts += chart_parts(diverse, lists.number)
    parts += table_parts(_runs_held(result, pairing, diverse), lists.number)
    parts += finding_parts(united(result, choices), lists.number)
    return View(name="together", title="Together", parts=tuple(parts))


def united(result: Result, choices: Choices) -> Combination:
    """Return what the systems could do together; upper bounds of single labels are shown where labels are."""
    return replace(result.combination(view=choices.view), labels=())


def _left_out(pairing: Pairing) -> TextPart:
    """Say that tables of pairs are not complete here, while charts are."""
    held = f"{len(pairing.pairs):,} of {counted(pairing.all, 'pair')}"
    said = f"Charts show all systems; the tables of pairs below hold {held}: those that the view of pairs has."
    return TextPart(name="left-out", title="Which pairs are here", lines=(said,))


def _errors_held(pairing: Pairing, found: Complementarity) -> Complementarity:
    """Leave the pairs that the page holds."""
    return replace(found, pairs=tuple(each for each in found.pairs if pairing.holds(each.first, each.second)))


def _runs_held(result: Result, pairing: Pairing, found: Diversity) -> Diversity:
    """Leave those pairs of runs whose systems are a pair that the page holds, or one and the same."""
    owner = {result.verdicts.runs[run]: system.name for system in result.verdicts.systems for run in system.runs}
    kept = []
    for each in found.pairs:
        one, other = owner[each.first], owner[each.second]
        if one == other or pairing.holds(one, other):
            kept.append(each)
    return replace(found, pairs=tuple(kept))
