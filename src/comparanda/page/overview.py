"""The view that comes first: scores, whether gaps are real, what was compared and how."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.page.data import View
from comparanda.page.described import how_made, noted
from comparanda.page.parts import finding_parts, table_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.comparison.finding import Finding
    from comparanda.page.building import Choices
    from comparanda.page.data import Part
    from comparanda.page.lists import Lists
    from comparanda.result import Result


def overview(result: Result, choices: Choices, lists: Lists) -> View:
    """Return the view."""
    parts: list[Part] = [*finding_parts(ranking(result, choices), lists.number)]
    for found in _further(result, choices):
        parts += table_parts(found, lists.number)
    return View(name="overview", title="Overview", parts=(*parts, how_made(result, choices), noted(result, choices)))


def ranking(result: Result, choices: Choices) -> Finding:
    """Return what the page begins with: the leaderboard, or the scores of the only system."""
    several = len(result.systems) > 1
    return result.leaderboard(view=choices.view) if several else result.scores(view=choices.view)


def _further(result: Result, choices: Choices) -> Iterator[Finding]:
    """Yield the other findings about all systems; of a single one the scores stand already there."""
    view = choices.view
    if len(result.systems) > 1:
        yield result.scores(view=view)
        chains = result.verdicts.view(view).chains is not None
        yield result.chain_pairs(view=view) if chains else result.pairs(view=view)
        yield result.significance(view=view)
    if len(result.verdicts.runs) > len(result.systems):
        yield result.stability(view=view)
