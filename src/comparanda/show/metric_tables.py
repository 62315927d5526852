"""Scores by metrics that have an F1, a precision and a recall each: metrics in rows, for columns would be too many."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from comparanda.comparison.scores import Score, Scores
from comparanda.show.links import right_link
from comparanda.show.table import Field, Linked, Table

NAMES = {
    "conll": "CoNLL",
    "muc": "MUC",
    "b3": "B³",
    "ceafe": "CEAFe",
    "ceafm": "CEAFm",
    "blanc": "BLANC",
    "lea": "LEA",
    "mentions": "mentions",
    "any": "ARCS any",
    "nominal": "ARCS nominal",
    "named": "ARCS named",
    "immediate": "ARCS immediate",
}
"""What metrics are called by people; those of others are called as they are written."""

_PARTS = {"f1": "F1", "precision": "precision", "recall": "recall"}
_COLUMNS = 4  # so many measures can stand in columns
_INTERVALS = 3  # of so many systems intervals stand beside the scores
_TOO_MANY = f"of more than {_INTERVALS} systems intervals stand in JSON and CSV alone"

Metrics = dict[str, dict[str, str]]
"""For each metric its measures, by what they are of it: f1, precision, recall."""


def metric_name(metric: str) -> str:
    """Return what people call a metric.

    >>> metric_name("b3"), metric_name("streak")
    ('B³', 'streak')
    """
    return NAMES.get(metric, metric)


def metrics_of(finding: Scores) -> Metrics:
    """Return the metrics that scores are of, if they are of metrics alone and too many for columns; else nothing.

    A metric is a measure with others beside it that say its precision and recall, or one that is known by name. In
    their company the F1, precision and recall of a view are one too; alone they are not.
    """
    measures = tuple(dict.fromkeys(score.measure for score in finding.scores))
    parts = {measure: _part(measure, measures) for measure in measures}
    if len(measures) <= _COLUMNS or None in parts.values() or all("." in measure for measure in measures):
        return {}
    found: Metrics = {}
    for measure, told in parts.items():
        if told is not None:
            found.setdefault(told[0], {})[told[1]] = measure
    return found


def _part(measure: str, others: Collection[str]) -> tuple[str, str] | None:
    """Return the metric that a measure is of, and what it is of it; None if it is of none.

    >>> _part("muc_recall", ["muc"]), _part("any.f1", []), _part("accuracy", [])
    (('muc', 'recall'), ('any', 'f1'), None)
    """
    view, _, name = measure.rpartition(".")
    if view:
        return (view, name) if name in _PARTS else None
    for part in ("precision", "recall"):
        metric = measure.removesuffix(f"_{part}")
        if metric != measure and (metric in others or metric in NAMES):
            return metric, part
    return (measure, "f1") if measure in NAMES or f"{measure}_precision" in others else None


def metric_tables(
    finding: Scores, metrics: Metrics, marks: Mapping[str, str], notes: tuple[str, ...]
) -> tuple[Table, ...]:
    """Return one table for one system, or for several a table of F1, of precision and of recall.

    Args:
        finding: the scores.
        metrics: the metrics they are of.
        marks: signs behind the main score of systems.
        notes: how intervals were made, and what the signs mean.

    """
    scored = _Scored(finding, metrics)
    notes = (*notes, *scored.undefined())
    if len(scored.systems) == 1:
        return (scored.of_one_system(notes),)
    if finding.resamples and len(scored.systems) > _INTERVALS:
        notes = (*notes, _TOO_MANY)
    first, *others = (scored.of_part(part) for part in scored.parts)
    signs = scored.placed(first, marks)
    return (replace(first, name="scores", notes=notes, marks=signs), *others)


class _Scored:
    """Scores by metric, by what they are of it, and by system."""

    def __init__(self, finding: Scores, metrics: Metrics) -> None:
        self.metrics, self.main = metrics, finding.scores[0].measure
        self.systems = tuple(dict.fromkeys(score.system for score in finding.scores))
        self.parts = [part for part in _PARTS if any(part in measures for measures in metrics.values())]
        self._scores = {(score.measure, score.system): score for score in finding.scores}

    def _score(self, metric: str, part: str, system: str) -> Score | None:
        measure = self.metrics[metric].get(part)
        return None if measure is None else self._scores[measure, system]

    def of_one_system(self, notes: tuple[str, ...]) -> Table:
        """Put the parts of metrics in columns, and behind them the interval of the first."""
        (system,) = self.systems
        fields = [Field("metric", "metric"), *(Field(part, _PARTS[part], "share") for part in self.parts)]
        fields.append(Field("interval", f"95 % interval of {_PARTS[self.parts[0]]}", "interval"))
        rows = []
        for metric in self.metrics:
            found = [self._score(metric, part, system) for part in self.parts]
            rows.append((metric_name(metric), *map(_value, found), _interval(found[0])))
        return Table("scores", f"Scores of {system}", tuple(fields), tuple(rows), notes)

    def of_part(self, part: str) -> Table:
        """Put systems in columns; intervals of the first part stand beside, if there is room."""
        wide = part == self.parts[0] and len(self.systems) <= _INTERVALS
        fields, rows = [Field("metric", "metric")], []
        for system in self.systems:
            fields.append(Field(system, system, "share"))
            fields += [Field(f"{system}_interval", "95 % interval", "interval")] if wide else []
        for metric in (metric for metric, measures in self.metrics.items() if part in measures):
            row: list[Any] = [metric_name(metric)]
            for system in self.systems:
                score = self._score(metric, part, system)
                row += [_value(score), _interval(score)] if wide else [_value(score)]
            rows.append(tuple(row))
        best = best_of_rows(rows, range(1, len(fields), 2 if wide else 1))
        return Table(f"scores-{part}", f"Scores: {_PARTS[part]}", tuple(fields), tuple(rows), (), best)

    def placed(self, table: Table, marks: Mapping[str, str]) -> dict[tuple[int, int], str]:
        """Return the signs behind main scores by the cells of the first table; none if these are not in it."""
        shown = [measures[self.parts[0]] for measures in self.metrics.values() if self.parts[0] in measures]
        if self.main not in shown:
            return {}
        column = {each.header: number for number, each in enumerate(table.fields) if each.kind == "share"}
        return {(shown.index(self.main), column[system]): mark for system, mark in marks.items() if mark}

    def undefined(self) -> list[str]:
        """Say what is undefined and why; of what is so for the same reason, in one line."""
        lines: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for metric, measures in self.metrics.items():
            for part, measure in measures.items():
                reasons: dict[str, list[str]] = {}
                for system in self.systems:
                    reasons.setdefault(self._scores[measure, system].reason or "", []).append(system)
                for reason, systems in reasons.items():
                    names = lines.setdefault((reason, tuple(systems)), [])
                    if metric_name(metric) not in names:  # what holds of F1 need not be said of its parts
                        names.append(metric_name(metric) + ("" if part == "f1" else f" {part}"))
        return [
            f"{'' if systems == self.systems else ', '.join(systems) + ': '}{', '.join(names)} n/a: {reason}"
            for (reason, systems), names in lines.items()
            if reason
        ]


def _value(score: Score | None) -> float | str | None:
    """Return a score; nothing, which is not the same as undefined, where the metric has no such part."""
    return "" if score is None else score.value


def _interval(score: Score | None) -> tuple[float | None, float | None]:
    return (None, None) if score is None else (score.low, score.high)


def measure_table(finding: Scores, marks: Mapping[str, str], notes: tuple[str, ...]) -> Table:
    """Put measures in rows and systems in columns, where measures are many; the main one comes first.

    Args:
        finding: the scores.
        marks: signs behind the main score of systems.
        notes: how intervals were made, what the signs mean, and what is undefined.

    """
    by_measure: dict[str, dict[str, Score]] = {}
    for score in finding.scores:
        by_measure.setdefault(score.measure, {})[score.system] = score
    systems = tuple(dict.fromkeys(score.system for score in finding.scores))
    wide = len(systems) <= _INTERVALS
    fields, rows = [Field("measure", "measure")], []
    for system in systems:
        fields.append(Field(system, system, "share"))
        fields += [Field(f"{system}_interval", "95 % interval", "interval")] if wide else []
    for measure, found in by_measure.items():
        row: list[Any] = [measure]
        for system in systems:
            value = Linked(found[system].value, right_link(measure, finding.view, system))
            row += [value, _interval(found[system])] if wide else [value]
        rows.append(tuple(row))
    if finding.resamples and not wide:
        notes = (*notes, _TOO_MANY)
    step = 2 if wide else 1
    signs = {(0, 1 + step * number): marks[system] for number, system in enumerate(systems) if marks.get(system)}
    return Table("scores", "Scores", tuple(fields), tuple(rows), notes, marks=signs)


def best_of_rows(rows: Sequence[tuple[Any, ...]], columns: Iterable[int]) -> frozenset[tuple[int, int]]:
    """Return the cells with the highest value of each row, where there is something to compare."""
    best, chosen = set(), tuple(columns)
    for number, row in enumerate(rows):
        known = [row[column] for column in chosen if row[column] is not None]
        if len(set(known)) > 1:
            best |= {(number, column) for column in chosen if row[column] == max(known)}
    return frozenset(best)
