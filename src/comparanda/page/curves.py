"""The view of curves: whether probabilities come true, precision over recall, and what asking a user would gain."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from comparanda.feedback.state import uncertain
from comparanda.page.data import Choice, View
from comparanda.page.parts import chart_part, table_part, table_parts
from comparanda.show.belief_charts import CHARTS
from comparanda.show.belief_tables import belief_tables
from comparanda.show.cells import visible
from comparanda.show.curves import curve_chart
from comparanda.simulating import simulated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.page.building import Choices
    from comparanda.page.data import Part
    from comparanda.page.lists import Lists
    from comparanda.result import Result
    from comparanda.simulating import Experiment

STRATEGIES = ("entropy", "fgain", "high", "low", "random")
"""The strategies of feedback that a page tries: those that cost little, and chance to compare them with."""

QUESTIONS = 200
"""How many questions each asks: enough to see which way curves go."""


def curves_view(result: Result, choices: Choices, lists: Lists) -> View | None:
    """Return the view, if there are probabilities."""
    if result.verdicts.view(choices.view).candidates is None:
        return None
    found = result.probabilities(view=choices.view)
    charts = (chart_part(draw(found), lists.number) for draw in CHARTS.values())
    tables = (table_part(table, lists.number) for table in belief_tables(found, 0))
    return View(
        name="curves",
        title="Curves",
        parts=(*charts, *tables),
        choices=tuple(_choice(each, choices, lists) for each in experiments(result, choices)),
    )


def experiments(result: Result, choices: Choices) -> Iterator[Experiment]:
    """Try which questions to ask first about each output of a single run that has something uncertain."""
    candidates = result.verdicts.view(choices.view).candidates
    if candidates is None:
        return
    for system in result.verdicts.systems:
        if len(system.runs) == 1 and uncertain(candidates[system.runs[0]].beliefs.weight).any():
            yield simulated(result, STRATEGIES, system=system.name, budget=QUESTIONS, seed=result.seed)


def _choice(tried: Experiment, choices: Choices, lists: Lists) -> Choice:
    """Return what was found of one output; its most frequent texts are words of the corpus."""
    finding = tried.finding
    if not choices.text:
        finding = replace(finding, repeated=replace(finding.repeated, largest=()))
    chart = chart_part(curve_chart(finding, tried.trials), lists.number)
    parts: tuple[Part, ...] = (chart, *table_parts(finding, lists.number))
    return Choice(title=visible(finding.system), system=finding.system, parts=parts)
