"""The charts of a page as people put them into papers and slides: of all systems, and of the pair that comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.page.curves import experiments
from comparanda.page.overview import ranking
from comparanda.page.pairing import errors_of
from comparanda.page.together import united
from comparanda.show.belief_charts import CHARTS
from comparanda.show.curves import curve_chart
from comparanda.show.drawings import drawings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.comparison.finding import Finding
    from comparanda.page.building import Choices
    from comparanda.result import Result
    from comparanda.show.charts import Paper


def charts_of(result: Result, choices: Choices) -> Iterator[Paper]:
    """Yield the charts, view by view."""
    for finding in _findings(result, choices):
        yield from drawings(finding)
    if result.verdicts.view(choices.view).candidates is not None:
        found = result.probabilities(view=choices.view)
        yield from (draw(found) for draw in CHARTS.values())
    for tried in experiments(result, choices):
        yield curve_chart(tried.finding, tried.trials)


def _findings(result: Result, choices: Choices) -> Iterator[Finding]:
    view = choices.view
    yield ranking(result, choices)
    if len(result.systems) > 1:
        yield result.difference(choices.base, choices.new, by=(), view=view)
        errors = errors_of(result, choices, *result.systems)
        if errors is not None:
            yield from (errors, result.diversity(view=view), united(result, choices))
    for run in result.verdicts.runs:
        yield result.confusion(run, view=view)
