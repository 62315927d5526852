"""The output of `score`: findings, and charts as SVG or PNG."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from comparanda.cli.output import print_message
from comparanda.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from comparanda.render.charts.canvas import Paper
    from comparanda.render.finding import Finding
    from comparanda.result import Result


PICTURES = (".svg", ".png")


def check_picture(path: str | None) -> None:
    """Refuse an unsupported suffix, and PNG without a renderer, before any input is read."""
    if path is None:
        return
    if suffix_of(path) not in PICTURES:
        raise UsageError(f"--plot writes {' or '.join(PICTURES)}, not {path!r}")
    if suffix_of(path) == ".png":
        from comparanda.render.charts.png import find_renderer

        find_renderer()


def draw(chart: Paper, path: str) -> None:
    """Write a chart to a file."""
    from comparanda.cli.output import write
    from comparanda.render.charts import as_png

    drawn = chart.svg()
    write(path, as_png(drawn) if suffix_of(path) == ".png" else drawn)


def suffix_of(path: str) -> str:
    """Return the suffix of a file name in lower case."""
    return os.path.splitext(path)[1].lower()


# Findings and charts of `score`.


def build_scores(result: Result, measures: Sequence[str], by: Sequence[str], view: str | None) -> list[Finding]:
    """Build scores, slices, or the evaluation of probabilities if outputs have them and no measures are named.

    Args:
        result: the result.
        measures: the names of the requested measures.
        by: the attributes to slice by.
        view: the view, if there are several.

    """
    from comparanda.tasks.prob.findings import PARTS

    probable = not measures and result.verdicts.view(view).candidates is not None
    found: list[Finding] = []
    for name in by:
        if probable and name in PARTS:
            found += [result.probabilities(by=part, view=view) for part in PARTS if part == name]
        else:
            found += [result.slices(name, measure_name=each or None, view=view) for each in measures or [""]]
    if found:
        return found
    return [result.probabilities(view=view) if probable else result.scores(*measures, view=view)]


def check_chart(options: Mapping[str, Any]) -> None:
    """Refuse a chart that cannot be drawn before any input is read."""
    check_picture(options["plot"])
    if options["plot"] is not None and options["also_key"]:
        raise UsageError("--also-key and --plot cannot be combined")


def draw_chart(result: Result, found: Sequence[Finding], options: Mapping[str, Any]) -> None:
    """Write a chart of probabilistic outputs, if `--plot` is given."""
    from comparanda.tasks.prob.finding_tables import CHARTS
    from comparanda.tasks.prob.findings import Probabilities

    if options["plot"] is None:
        return
    known = (each for each in found if isinstance(each, Probabilities))
    finding = next(known, None) or result.probabilities(view=options["view"])
    draw(CHARTS[options["chart"]](finding), options["plot"])
    if not options["quiet"]:
        print_message(f"wrote {options['plot']}")
