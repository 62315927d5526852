"""The comparison of feedback strategies: learning curves of F1 and other scores, as findings, tables, files and charts.

Strategies are compared on a common horizon, by default the largest number of questions that any of them asked; those
that end earlier keep their last value.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.feedback.simulation import (
    COLUMNS,
    SAME,
    SEEDS,
    Area,
    carry_to_horizon,
    compute_area,
    least_difference,
    normalise_area,
    questions_until,
)
from comparanda.feedback.state import is_uncertain
from comparanda.findings.context import divide_counts, none_if_nan
from comparanda.findings.resamples import find_quantiles
from comparanda.render.finding import Finding
from comparanda.render.table import Field as TableField
from comparanda.render.table import Table, cut_rows, format_cell, format_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.feedback.field import Field
    from comparanda.feedback.simulation import Curve, Trial
    from comparanda.render.charts import Line, LineChart

    Floats = NDArray[np.float64]


MEASURES = ("f1", "precision", "recall", "expected_precision", "expected_recall")
"""The measures whose curves are summarised; the first is the main one."""

LARGEST = 5
"""The number of most frequent texts listed."""

SMALL, WITHIN = "no finding", "within the band"
"""The readings of a difference of areas: too small to rank by, or within the band of seeds; else None."""

_BAND_QUANTILES = (0.05, 0.95)
_HALF, _NINE_TENTHS = 0.5, 0.9


@dataclass(frozen=True, kw_only=True)
class Levels:
    """A value for each measure: its score after some question, or the area under its curve; None where undefined."""

    f1: float | None
    precision: float | None
    recall: float | None
    expected_precision: float | None
    expected_recall: float | None


@dataclass(frozen=True, kw_only=True)
class Tried:
    """The results of one strategy.

    Args:
        strategy: its name.
        seeds: the number of runs averaged.
        questions: the number of questions in the longest run.
        end: the scores at the horizon.
        end_low: the lower end of the band of F1 at the horizon: the 5th percentile over seeds; None for one run.
        end_high: the upper end: the 95th percentile.
        area: the areas under the curves, up to the horizon.
        area_low: the lower end of the band of the area under F1.
        area_high: the upper end.
        normalised: the area under F1 as a share of the possible gain: 0 for a constant start, 1 for a constant ceiling.
        to_half: the number of questions until half of the gain is reached; None if it never is.
        to_most: the same for 90 % of the gain.
        changed: the mean number of tuples that entered or left the hard output.
        contradictions: the mean number of answers that contradicted a certainty.

    """

    strategy: str
    seeds: int
    questions: int
    end: Levels
    end_low: float | None
    end_high: float | None
    area: Levels
    area_low: float | None
    area_high: float | None
    normalised: float | None
    to_half: int | None
    to_most: int | None
    changed: float | None
    contradictions: float | None


@dataclass(frozen=True)
class AreaDifference:
    """The difference between the areas of two strategies, and its reading."""

    first: str
    second: str
    difference: float | None
    reading: str | None


@dataclass(frozen=True)
class RepeatedText:
    """A text that occurs at several places."""

    text: str
    places: int
    tuples: int
    share: float | None


@dataclass(frozen=True)
class Repetition:
    """The amount of repeated text in the scope, to which the statistical handler can extend answers.

    Args:
        tuples: the number of tuples whose text occurs at two or more places.
        share: their share of all tuples.
        largest: the most frequent of these texts.
        largest_share: the share of tuples with the most frequent texts.

    """

    tuples: int
    share: float | None
    largest: tuple[RepeatedText, ...]
    largest_share: float | None


@dataclass(frozen=True)
class Regular:
    """The scores of the output without probabilities."""

    system: str
    f1: float | None
    precision: float | None
    recall: float | None


@dataclass(frozen=True, kw_only=True)
class Simulated(Finding):
    """The gains of feedback strategies on one output.

    Args:
        system: the name of the output.
        where: the condition on the tuples and entities of the scope.
        ask: what is asked: `label`, `span`, `choice` or `group`.
        handler: what an answer changes: `basic`, its block; `statistical`, other occurrences of its text as well.
        user: how the user answers.
        decide: how the hard output is decided.
        area_by: the formula for areas: `trapezoid` or `thesis`, whose areas may exceed 1.
        budget: the maximum number of questions; None for no limit.
        horizon: the number of questions up to which strategies are compared.
        seed: the first seed.
        entities: the number of key entities in the scope.
        tuples: the number of output tuples in the scope.
        uncertain: the number of tuples that are neither certain nor impossible.
        start: the scores before the first question.
        e100: the share of entities that some tuple matches, however improbable.
        ceiling: the F1 of all these and nothing else: 2 · E100 / (1 + E100).
        best_end: the best F1 of any strategy at the horizon; gains are measured from the start to it.
        least_difference: the difference of areas below which there is no finding: 1 / (2 · horizon).
        repeated: the amount of repeated text.
        regular: the scores of the output without probabilities, if one was given.
        strategies: the results of each strategy.
        pairs: the differences between the areas of strategies.
        warnings: limitations of these numbers.

    """

    json_name = "simulation"

    system: str
    where: str
    ask: str
    handler: str
    user: str
    decide: str
    area_by: str
    budget: int | None
    horizon: int
    seed: int
    entities: int | None
    tuples: int
    uncertain: int
    start: Levels
    e100: float | None
    ceiling: float | None
    best_end: float | None
    least_difference: float | None
    repeated: Repetition
    regular: Regular | None
    strategies: tuple[Tried, ...]
    pairs: tuple[AreaDifference, ...]
    warnings: tuple[str, ...]

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        return simulation_tables(self, top)


def summarise_simulation(
    field: Field,
    trials: Sequence[Trial],
    system: str,
    *,
    where: str = "true",
    area_by: Area = "trapezoid",
    horizon: int | None = None,
    regular: tuple[str, Field] | None = None,
) -> Simulated:
    """Summarise the gains of strategies.

    Args:
        field: the tuples asked about.
        trials: the strategies' curves, all of one plan.
        system: the name of the output.
        where: the condition of the scope.
        area_by: the formula for areas.
        horizon: the number of questions up to which strategies are compared; by default that of the longest curve.
        regular: the name and the field of the output without probabilities.

    """
    plan, first = trials[0].curves[0].plan, trials[0].curves[0]
    if horizon is None:
        horizon = max(len(curve) for trial in trials for curve in trial.curves)
    courses = [Course(trial, horizon) for trial in trials]
    start = Levels(**{name: none_if_nan(first.columns[name][0]) for name in MEASURES})
    e100 = none_if_nan(first.columns["e100"][0])
    ceiling = None if e100 is None else 2 * e100 / (1 + e100)
    best_end = max((end for course in courses if (end := _mean(course.ends(MEASURES[0]))) is not None), default=None)
    strategies = tuple(
        _summarise_strategy(course, how=area_by, start=start.f1, ceiling=ceiling, best_end=best_end)
        for course in courses
    )
    weight = field.candidates.beliefs.weight[field.scope]
    return Simulated(
        system=system,
        where=where,
        ask=plan.kind,
        handler=plan.handler,
        user=str(plan.user),
        decide=plan.decide,
        area_by=area_by,
        budget=plan.budget,
        horizon=horizon,
        seed=plan.seed,
        entities=field.entities,
        tuples=len(weight),
        uncertain=int(is_uncertain(weight).sum()),
        start=start,
        e100=e100,
        ceiling=ceiling,
        best_end=best_end,
        least_difference=least_difference(horizon),
        repeated=count_repetitions(field),
        regular=None if regular is None else _score_regular_output(*regular),
        strategies=strategies,
        pairs=tuple(_compare_areas(first, second, horizon) for first, second in combinations(strategies, 2)),
        warnings=tuple(_warnings(field, trials, area_by)),
    )


class Course:
    """The curves of one strategy on a common horizon, one row per seed; a mean is undefined where any value is."""

    def __init__(self, trial: Trial, horizon: int) -> None:
        self.trial, self.horizon = trial, horizon

    def rows(self, measure: str) -> Floats:
        """Return the values after each question up to the horizon, of each seed."""
        return np.stack([carry_to_horizon(curve.columns[measure], self.horizon) for curve in self.trial.curves])

    def mean(self, measure: str) -> Floats:
        """Return the mean over seeds after each question."""
        found: Floats = self.rows(measure).mean(axis=0)
        return found

    def band(self, measure: str) -> tuple[Floats, Floats] | None:
        """Return the 5th and the 95th percentile over seeds after each question; None for one seed."""
        if len(self.trial.curves) == 1:
            return None
        low, high = find_quantiles(self.rows(measure), _BAND_QUANTILES)
        return low, high

    def ends(self, measure: str) -> list[float | None]:
        """Return the value of each seed at the horizon."""
        return [none_if_nan(value) for value in self.rows(measure)[:, -1].tolist()]

    def areas(self, measure: str, how: Area) -> list[float | None]:
        """Return the area of each seed."""
        return [compute_area(row, how) for row in self.rows(measure)]


def _summarise_strategy(
    course: Course, how: Area, start: float | None, ceiling: float | None, *, best_end: float | None
) -> Tried:
    """Summarise one strategy."""
    curves = course.trial.curves
    ends, areas = ({name: make(name) for name in MEASURES} for make in (course.ends, partial(course.areas, how=how)))
    end_low, end_high = _band(ends[MEASURES[0]])
    area_low, area_high = _band(areas[MEASURES[0]])
    return Tried(
        strategy=course.trial.strategy,
        seeds=len(curves),
        questions=max(map(len, curves)),
        end=Levels(**{name: _mean(each) for name, each in ends.items()}),
        end_low=end_low,
        end_high=end_high,
        area=Levels(**{name: _mean(each) for name, each in areas.items()}),
        area_low=area_low,
        area_high=area_high,
        normalised=normalise_area(_mean(course.areas(MEASURES[0], "trapezoid")), start, ceiling),
        to_half=_questions_to_gain(course, start, best_end, _HALF),
        to_most=_questions_to_gain(course, start, best_end, _NINE_TENTHS),
        changed=_mean(course.ends("changed")),
        contradictions=_mean(course.ends("contradictions")),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean over seeds, exact where all are equal; None where one is undefined."""
    known = [value for value in values if value is not None]
    return fmean(known) if len(known) == len(values) else None


def _band(values: Sequence[float | None]) -> tuple[float | None, float | None]:
    """Return the 5th and the 95th percentile over seeds; None for one seed, or where one is undefined."""
    known = [value for value in values if value is not None]
    if len(values) == 1 or len(known) < len(values):
        return None, None
    low, high = find_quantiles(np.array(known), _BAND_QUANTILES)
    return float(low), float(high)


def _questions_to_gain(course: Course, start: float | None, best_end: float | None, part: float) -> int | None:
    """Return the number of questions for a share of the gain; None if it is never reached or there is no gain."""
    if start is None or best_end is None or best_end - start <= SAME:
        return None
    return questions_until(course.mean(MEASURES[0]), start + part * (best_end - start))


def _compare_areas(first: Tried, second: Tried, horizon: int) -> AreaDifference:
    """Compare the areas of two strategies."""
    one, other = first.area.f1, second.area.f1
    if one is None or other is None:
        return AreaDifference(first.strategy, second.strategy, None, None)
    least = least_difference(horizon)
    reading = None
    if least is None or abs(other - one) < least:
        reading = SMALL
    elif _is_within_band(one, second) or _is_within_band(other, first):
        reading = WITHIN
    return AreaDifference(first.strategy, second.strategy, other - one, reading)


def _is_within_band(value: float, tried: Tried) -> bool:
    return tried.area_low is not None and tried.area_high is not None and tried.area_low <= value <= tried.area_high


def count_repetitions(field: Field) -> Repetition:
    """Count tuples of the scope whose text occurs at several places, irrespective of labels."""
    group, place = field.groups[field.scope], field.candidates.beliefs.alternative[field.scope]
    total = len(group)
    if not total:
        return Repetition(0, None, (), None)
    tuples = np.bincount(group)
    places = np.bincount(np.unique(np.stack([group, place]), axis=1)[0], minlength=len(tuples))
    repeated = int(tuples[places > 1].sum())
    texts = field.candidates.text.take(np.flatnonzero(field.scope))
    first = np.full(len(tuples), total)
    np.minimum.at(first, group, np.arange(total))
    ranked = sorted(np.flatnonzero(places > 1).tolist(), key=lambda each: (-places[each], texts[int(first[each])]))
    largest = ranked[:LARGEST]
    named = tuple(
        RepeatedText(
            texts[int(first[each])], int(places[each]), int(tuples[each]), divide_counts(int(tuples[each]), total)
        )
        for each in largest
    )
    return Repetition(repeated, divide_counts(repeated, total), named, divide_counts(int(tuples[largest].sum()), total))


def _score_regular_output(system: str, field: Field) -> Regular:
    """Score the output without probabilities, in the scope."""
    chosen = field.candidates.decided & field.scope
    right, claimed = int((chosen & field.candidates.correct).sum()), int(chosen.sum())
    entities = field.entities or 0
    return Regular(
        system,
        divide_counts(2 * right, claimed + entities),
        divide_counts(right, claimed),
        divide_counts(right, entities),
    )


def _warnings(field: Field, trials: Sequence[Trial], how: Area) -> Iterator[str]:
    """List what limits the meaning of these numbers."""
    candidates, beliefs, plan = field.candidates, field.candidates.beliefs, trials[0].curves[0].plan
    if not any(len(curve) for trial in trials for curve in trial.curves) and plan.budget != 0:
        yield "nothing to ask: no tuple is uncertain (the output may have no probabilities)"
    certain = int((field.scope & ~candidates.correct & (beliefs.weight >= 1)).sum())
    if certain and not plan.ask_certain:
        are = "tuple has weight 1 and is" if certain == 1 else "tuples have weight 1 and are"
        yield f"{certain:,} wrong {are} never asked about, so the ceiling cannot be reached"
    crowded = np.bincount(beliefs.block[candidates.correct & field.scope], minlength=len(beliefs.nothing)) > 1
    if (number := int((crowded & beliefs.exclusive).sum())) > 0:
        blocks = "block has" if number == 1 else "blocks have"
        yield f"{number:,} {blocks} several key entities, of which at most one can be found"
    if any(1 < len(trial.curves) < SEEDS for trial in trials):
        yield f"fewer than {SEEDS} seeds: bands are rough"
    if how == "thesis":
        yield "the thesis formula divides the sum of n + 1 values by n: areas may exceed 1"


# Tables of the gains of strategies.


_PAIRS = 45
_DISPLAY_NAMES = {
    "f1": "F1",
    "precision": "P",
    "recall": "R",
    "expected_precision": "E(P)",
    "expected_recall": "E(R)",
}


def name_measure(measure: str) -> str:
    """Return the name of a measure for headings.

    >>> name_measure("expected_recall")
    'E(R)'
    """
    return _DISPLAY_NAMES[measure]


def simulation_tables(finding: Simulated, top: int | None) -> tuple[Table, ...]:
    """Build the tables of strategies by F1, of the other measures, and of the differences of areas."""
    pairs = (_pair_table(finding, top),) if finding.pairs else ()
    return (_strategy_table(finding), _measure_table(finding), *pairs)


def _strategy_table(finding: Simulated) -> Table:
    band = any(each.seeds > 1 for each in finding.strategies)
    fields = [
        TableField("strategy", "strategy"),
        TableField("seeds", "seeds", "figure"),
        TableField("questions", "questions", "figure"),
        TableField("start", "start F1", "share"),
        TableField("end", "end", "share"),
        TableField("end_band", "5–95 %", "interval"),
        TableField("area", "area", "share"),
        TableField("area_band", "5–95 %", "interval"),
        TableField("normalised", "of the gain", "share"),
        TableField("to_half", "to 50 %", "figure"),
        TableField("to_most", "to 90 %", "figure"),
    ]
    rows = [_strategy_row(finding, each) for each in finding.strategies]
    if not band:
        kept = [column for column, each in enumerate(fields) if each.kind != "interval"]
        fields, rows = [fields[column] for column in kept], [tuple(row[column] for column in kept) for row in rows]
    title = f"{finding.system}: F1 when questions are asked in this order"
    return Table(name="simulation", title=title, fields=tuple(fields), rows=tuple(rows), notes=tuple(_notes(finding)))


def _strategy_row(finding: Simulated, each: Tried) -> tuple[Any, ...]:
    several = each.seeds > 1
    return (
        each.strategy,
        each.seeds,
        each.questions,
        finding.start.f1,
        each.end.f1,
        (each.end_low, each.end_high) if several else ("", ""),
        each.area.f1,
        (each.area_low, each.area_high) if several else ("", ""),
        each.normalised,
        each.to_half,
        each.to_most,
    )


def _notes(finding: Simulated) -> list[str]:
    """Describe how these numbers were obtained and how to read them."""
    asked = "until nothing is uncertain" if finding.budget is None else f"at most {finding.budget:,}"
    notes = [
        f"{finding.ask} questions ({asked}), {finding.handler} handler, user {finding.user}, decided by "
        f"{finding.decide}; areas by {finding.area_by} over {format_count(finding.horizon, 'question')}, "
        "the last value carried forward",
        f"of the gain: 0 for no gain, 100 for the ceiling of F1 {format_cell('share', finding.ceiling)} "
        f"(E100 {format_cell('share', finding.e100)}), from the first question on; "
        "to 50 and 90 %: questions until these shares of the gain to the best end, "
        f"{format_cell('share', finding.best_end)}",
        _describe_repetition(finding),
    ]
    if finding.where != "true":
        notes.insert(0, f"scope: {finding.where} ({_describe_scope(finding)})")
    if finding.regular is not None:
        each = finding.regular
        scores = {"F1": each.f1, "P": each.precision, "R": each.recall}
        summary = ", ".join(f"{name} {format_cell('share', value)}" for name, value in scores.items())
        notes.append(f"{each.system}, without probabilities: {summary}")
    return [*notes, *(f"warning: {warning}" for warning in finding.warnings)]


def _describe_scope(finding: Simulated) -> str:
    entities = "" if finding.entities is None else f", {format_count(finding.entities, 'key entity', 'key entities')}"
    return f"{format_count(finding.tuples, 'tuple')}, {finding.uncertain:,} of them uncertain{entities}"


def _describe_repetition(finding: Simulated) -> str:
    found = finding.repeated
    summary = f"repeated text: {format_cell('share', found.share)} % of {format_count(finding.tuples, 'tuple')}"
    if not found.largest:
        return summary
    texts = ", ".join(f"{format_cell('text', each.text)} ({each.places:,})" for each in found.largest)
    return f"{summary}; most often {texts}: {format_cell('share', found.largest_share)} %"


def _measure_table(finding: Simulated) -> Table:
    """Build the table of final values and areas of the other measures."""
    others = MEASURES[1:]
    fields = (
        TableField("strategy", "strategy"),
        *(TableField(f"{name}_end", f"{name_measure(name)} end", "share") for name in others),
        *(TableField(f"{name}_area", f"{name_measure(name)} area", "share") for name in others),
    )
    rows = [
        ("(start)", *(getattr(finding.start, name) for name in others), *("" for _ in others)),
        *(
            (
                each.strategy,
                *(getattr(each.end, name) for name in others),
                *(getattr(each.area, name) for name in others),
            )
            for each in finding.strategies
        ),
    ]
    return Table(name="measures", title="Other measures", fields=fields, rows=tuple(rows))


def _pair_table(finding: Simulated, top: int | None) -> Table:
    fields = (
        TableField("first", "strategy"),
        TableField("second", "other"),
        TableField("difference", "Δ area", "points"),
        TableField("reading", "reading"),
    )
    rows = [(each.first, each.second, each.difference, each.reading or "") for each in finding.pairs]
    kept, more = cut_rows(list(rows), top=max(top, _PAIRS) if top else top, usual=_PAIRS, one="pair", many="pairs")
    least = f"no finding: below 1/(2n) = {format_cell('share', finding.least_difference)} points, "
    notes = (
        *more,
        f"{least}where the two area formulas may rank differently; within the band: inside the 5–95 % band of seeds",
    )
    return Table(name="differences", title="Differences between areas", fields=fields, rows=kept, notes=notes)


# Curves as files and as a chart. The same numbers give the same bytes.


SCHEMA = "comparanda/curves/1"
"""The schema name of the JSON of curves; the number is incremented when its structure changes."""

_COUNTS = frozenset({"question", "changed", "contradictions"})
_ANSWER_WORDS = {-1: None, 0: "no", 1: "yes", 2: "mixed", 3: "unsure"}


def curves_as_csv(trials: Sequence[Trial]) -> str:
    """Format all curves as CSV, one question per line; undefined values are empty."""
    lines = [",".join(("strategy", "seed", *COLUMNS, "answer"))]
    for curve in _all_curves(trials):
        columns = [
            ["" if value is None else repr(value) for value in values] for values in _column_values(curve).values()
        ]
        answers = [answer or "" for answer in _answer_words(curve)]
        begin = f"{curve.plan.strategy},{curve.plan.seed},"
        lines += [begin + ",".join(row) for row in zip(*columns, answers, strict=True)]
    return "\n".join(lines) + "\n"


def curves_as_json_lines(trials: Sequence[Trial]) -> str:
    """Format all curves as JSON lines, one question each; undefined values are null."""
    lines = []
    for curve in _all_curves(trials):
        columns = {**_column_values(curve), "answer": _answer_words(curve)}
        summary: dict[str, Any] = {"strategy": curve.plan.strategy, "seed": curve.plan.seed}
        lines += [
            json.dumps({**summary, **dict(zip(columns, row, strict=True))})
            for row in zip(*columns.values(), strict=True)
        ]
    return "\n".join(lines) + "\n"


def curves_as_json(trials: Sequence[Trial], signature: str) -> str:
    """Format all curves as one JSON document, a list for each column."""
    curves = [
        {
            "strategy": curve.plan.strategy,
            "seed": curve.plan.seed,
            **_column_values(curve),
            "answer": _answer_words(curve),
        }
        for curve in _all_curves(trials)
    ]
    return json.dumps({"schema": SCHEMA, "signature": signature, "curves": curves}) + "\n"


def _all_curves(trials: Sequence[Trial]) -> Iterator[Curve]:
    return (curve for trial in trials for curve in trial.curves)


def _column_values(curve: Curve) -> dict[str, list[float | None]]:
    """Convert the columns: counts as integers, None where a value is undefined."""
    found: dict[str, list[float | None]] = {}
    for name in COLUMNS:
        values = curve.columns[name].tolist()
        whole = name in _COUNTS
        found[name] = [None if math.isnan(value) else int(value) if whole else value for value in values]
    return found


def _answer_words(curve: Curve) -> list[str | None]:
    return [_ANSWER_WORDS[answer] for answer in curve.answers.tolist()]


def curve_chart(finding: Simulated, trials: Sequence[Trial], measure: str = "f1") -> LineChart:
    """Build the chart of a measure under all strategies, with bands over seeds and reference lines."""
    from comparanda.render.charts import Axis, Line, LineChart

    name, horizon = name_measure(measure), finding.horizon
    lines = [_chart_line(Course(trial, horizon), measure) for trial in trials]
    levels = {"ceiling": finding.ceiling} if measure == "f1" else {}
    if finding.regular is not None:
        levels[finding.regular.system] = getattr(finding.regular, measure, None)
    lines += [
        Line(name=f"{level} {format_cell('share', value)}", x=(0, horizon), y=(value, value), reference=True)
        for level, value in levels.items()
        if value is not None
    ]
    scope = "" if finding.where == "true" else f"{finding.where}; "
    how = f"{finding.ask} questions, {finding.handler} handler, user {finding.user}, decided by {finding.decide}"
    return LineChart(
        title=f"{finding.system}: {name} after each question",
        subtitle=scope + how,
        description=_describe_chart(finding, measure),
        x=Axis(label="questions", unit="count", low=0, high=max(horizon, 1)),
        y=Axis(label=f"{name} (%)", unit="share"),
        lines=tuple(lines),
        name=f"simulation-{measure}",
    )


def _chart_line(course: Course, measure: str) -> Line:
    from comparanda.render.charts import Line

    band, seeds = course.band(measure), len(course.trial.curves)
    name = course.trial.strategy if band is None else f"{course.trial.strategy} ({format_count(seeds, 'seed')}, 5–95 %)"
    low, high = (None, None) if band is None else band
    return Line(name=name, x=range(course.horizon + 1), y=course.mean(measure), low=low, high=high)


def _describe_chart(finding: Simulated, measure: str) -> str:
    """Describe the chart in words."""
    start = format_cell("share", getattr(finding.start, measure))
    ends = ", ".join(
        f"{each.strategy} {format_cell('share', getattr(each.end, measure))}" for each in finding.strategies
    )
    asked = format_count(finding.horizon, "question")
    return f"{name_measure(measure)} in percent begins at {start}; after {asked} it is, by strategy: {ends}."
