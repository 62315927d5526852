"""Curves of feedback as files, and as a chart. The same numbers give the same bytes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from comparanda.comparison.simulation import Course
from comparanda.feedback.curve import COLUMNS
from comparanda.show.cells import cell, counted
from comparanda.show.charts import Axis, Line, LineChart
from comparanda.show.simulation_tables import called

if TYPE_CHECKING:
    from comparanda.comparison.simulation import Simulated
    from comparanda.feedback.curve import Curve
    from comparanda.feedback.trials import Trial

SCHEMA = "comparanda/curves/1"
"""What the JSON of curves is called; the number rises when its shape changes."""

_COUNTS = frozenset({"question", "changed", "contradictions"})
_ANSWERS = {-1: None, 0: "no", 1: "yes", 2: "mixed", 3: "unsure"}


def curves_as_csv(trials: Sequence[Trial]) -> str:
    """Return all curves as CSV, a question a line; what is undefined is empty."""
    lines = [",".join(("strategy", "seed", *COLUMNS, "answer"))]
    for curve in _each(trials):
        columns = [["" if value is None else repr(value) for value in values] for values in _columns(curve).values()]
        answers = [answer or "" for answer in _answers(curve)]
        begin = f"{curve.plan.strategy},{curve.plan.seed},"
        lines += [begin + ",".join(row) for row in zip(*columns, answers, strict=True)]
    return "\n".join(lines) + "\n"


def curves_as_json_lines(trials: Sequence[Trial]) -> str:
    """Return all curves as JSON lines, a question each; what is undefined is null."""
    lines = []
    for curve in _each(trials):
        columns = {**_columns(curve), "answer": _answers(curve)}
        said: dict[str, Any] = {"strategy": curve.plan.strategy, "seed": curve.plan.seed}
        lines += [
            json.dumps({**said, **dict(zip(columns, row, strict=True))}) for row in zip(*columns.values(), strict=True)
        ]
    return "\n".join(lines) + "\n"


def curves_as_json(trials: Sequence[Trial], signature: str) -> str:
    """Return all curves as one JSON document, a list for each column."""
    curves = [
        {
            "strategy": curve.plan.strategy,
            "seed": curve.plan.seed,
            **_columns(curve),
            "answer": _answers(curve),
        }
        for curve in _each(trials)
    ]
    return json.dumps({"schema": SCHEMA, "signature": signature, "curves": curves}) + "\n"


def _each(trials: Sequence[Trial]) -> Iterator[Curve]:
    return (curve for trial in trials for curve in trial.curves)


def _columns(curve: Curve) -> dict[str, list[float | None]]:
    """Return the columns: counts as whole numbers, None where a value is undefined."""
    found: dict[str, list[float | None]] = {}
    for name in COLUMNS:
        values = curve.columns[name].tolist()
        whole = name in _COUNTS
        found[name] = [None if math.isnan(value) else int(value) if whole else value for value in values]
    return found


def _answers(curve: Curve) -> list[str | None]:
    return [_ANSWERS[answer] for answer in curve.answers.tolist()]


def curve_chart(finding: Simulated, trials: Sequence[Trial], measure: str = "f1") -> LineChart:
    """Return the course of a measure under all strategies, with the band of seeds and what it is compared with."""
    name, horizon = called(measure), finding.horizon
    lines = [_line(Course(trial, horizon), measure) for trial in trials]
    levels = {"ceiling": finding.ceiling} if measure == "f1" else {}
    if finding.regular is not None:
        levels[finding.regular.system] = getattr(finding.regular, measure, None)
    lines += [
        Line(name=f"{level} {cell('share', value)}", x=(0, horizon), y=(value, value), reference=True)
        for level, value in levels.items()
        if value is not None
    ]
    scope = "" if finding.where == "true" else f"{finding.where}; "
    how = f"{finding.ask} questions, {finding.handler} handler, user {finding.user}, decided by {finding.decide}"
    return LineChart(
        title=f"{finding.system}: {name} after each question",
        subtitle=scope + how,
        description=_described(finding, measure),
        x=Axis(label="questions", unit="count", low=0, high=max(horizon, 1)),
        y=Axis(label=f"{name} (%)", unit="share"),
        lines=tuple(lines),
        name=f"simulation-{measure}",
    )


def _line(course: Course, measure: str) -> Line:
    band, seeds = course.band(measure), len(course.trial.curves)
    name = course.trial.strategy if band is None else f"{course.trial.strategy} ({counted(seeds, 'seed')}, 5–95 %)"
    low, high = (None, None) if band is None else band
    return Line(name=name, x=range(course.horizon + 1), y=course.mean(measure), low=low, high=high)


def _described(finding: Simulated, measure: str) -> str:
    """Say in words what the chart shows."""
    start = cell("share", getattr(finding.start, measure))
    ends = ", ".join(f"{each.strategy} {cell('share', getattr(each.end, measure))}" for each in finding.strategies)
    asked = counted(finding.horizon, "question")
    return f"{called(measure)} in percent begins at {start}; after {asked} it is, by strategy: {ends}."
