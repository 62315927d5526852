"""The charts of a page as files for papers and slides: those of all systems and of the first pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from comparanda.errors import ComparandaError
from comparanda.feedback.findings import curve_chart
from comparanda.render.charts.canvas import make_chart_name
from comparanda.render.charts.png import as_png, find_renderer
from comparanda.report.views import choose_ranking, combine_systems, errors_of, simulate_strategies
from comparanda.tasks.prob.finding_tables import CHARTS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from comparanda.render.charts import Paper
    from comparanda.render.finding import Finding
    from comparanda.report.builder import Choices
    from comparanda.result import Result


def charts_of(result: Result, choices: Choices) -> Iterator[Paper]:
    """Yield the charts, view by view."""
    for finding in _charted_findings(result, choices):
        yield from finding.charts()
    if result.verdicts.view(choices.view).candidates is not None:
        found = result.probabilities(view=choices.view)
        yield from (draw(found) for draw in CHARTS.values())
    for tried in simulate_strategies(result, choices):
        yield curve_chart(tried.finding, tried.trials)


def _charted_findings(result: Result, choices: Choices) -> Iterator[Finding]:
    view = choices.view
    yield choose_ranking(result, choices)
    if len(result.systems) > 1:
        yield result.difference(choices.base, choices.new, by=(), view=view)
        errors = errors_of(result, choices, *result.systems)
        if errors is not None:
            yield from (errors, result.diversity(view=view), combine_systems(result, choices))
    for run in result.verdicts.runs:
        yield result.confusion(run, view=view)


# Writing chart files.


def write_pictures(charts: Iterable[Paper], folder: str | PathLike[str]) -> list[Path]:
    """Write charts into a folder, which is created if it does not exist, and return the files.

    Each chart is written as SVG, and also as PNG if resvg-py is installed and finds a font. Files are named after their
    charts; the second one of the same name gets the suffix 2, and so on.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    draw = _find_png_renderer()
    taken: set[str] = set()
    files = []
    for chart in charts:
        name, svg = _find_free_name(make_chart_name(chart.name) or "chart", taken), chart.svg()
        contents = {".svg": svg.encode(), **({} if draw is None else {".png": draw(svg)})}
        for suffix, content in contents.items():
            files.append(target / f"{name}{suffix}")
            files[-1].write_bytes(content)
    return files


def _find_png_renderer() -> Callable[[str], bytes] | None:
    """Return the PNG renderer, or None if it is not available."""
    try:
        find_renderer()
    except ComparandaError:
        return None
    return as_png


def _find_free_name(name: str, taken: set[str]) -> str:
    """Return a name that no file has, also on case-insensitive file systems."""
    number, free = 1, name
    while free.lower() in taken:
        number += 1
        free = f"{name}-{number}"
    taken.add(free.lower())
    return free
