"""Scores as tables: systems in rows; or labels, if measures are per label; or metrics with precision and recall."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from comparanda.findings.scores import Score, Scores, outcome_condition
from comparanda.findings.significance import compact_letters
from comparanda.findings.table_links import decided_link, right_link
from comparanda.render.count_links import Link
from comparanda.render.table import Field, Kind, Linked, Table, format_cell, format_count, format_stars

if TYPE_CHECKING:
    from comparanda.findings.leaderboard import Leaderboard
    from comparanda.render.charts import Dot, DotPlot


# Scores of metrics with F1, precision and recall each: metrics in rows, because there would be too many columns.


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
"""The display names of metrics; other metrics are displayed by their identifiers."""

_PART_NAMES = {"f1": "F1", "precision": "precision", "recall": "recall"}
_MAX_COLUMNS = 4  # the largest number of measures in columns
_MAX_INTERVAL_SYSTEMS = 3  # the largest number of systems with intervals next to the scores
_INTERVALS_OMITTED = f"intervals of more than {_MAX_INTERVAL_SYSTEMS} systems are in JSON and CSV only"

Metrics = dict[str, dict[str, str]]
"""For each metric its measures, by part: f1, precision, recall."""


def metric_name(metric: str) -> str:
    """Return the display name of a metric.

    >>> metric_name("b3"), metric_name("streak")
    ('B³', 'streak')
    """
    return NAMES.get(metric, metric)


def metrics_of(finding: Scores) -> Metrics:
    """Group measures by metric, if all of them belong to metrics and are too many for columns; otherwise none.

    A metric is a measure that is accompanied by its precision and recall, or one that is known by name. Next to such
    metrics the F1, precision and recall of a view also form one; alone they do not.
    """
    measures = tuple(dict.fromkeys(score.measure for score in finding.scores))
    parts = {measure: _parse_part(measure, measures) for measure in measures}
    if len(measures) <= _MAX_COLUMNS or None in parts.values() or all("." in measure for measure in measures):
        return {}
    found: Metrics = {}
    for measure, part in parts.items():
        if part is not None:
            found.setdefault(part[0], {})[part[1]] = measure
    return found


def _parse_part(measure: str, others: Collection[str]) -> tuple[str, str] | None:
    """Split a measure into its metric and part; None if it does not belong to a metric.

    >>> _parse_part("muc_recall", ["muc"]), _parse_part("any.f1", []), _parse_part("accuracy", [])
    (('muc', 'recall'), ('any', 'f1'), None)
    """
    view, _, name = measure.rpartition(".")
    if view:
        return (view, name) if name in _PART_NAMES else None
    for part in ("precision", "recall"):
        metric = measure.removesuffix(f"_{part}")
        if metric != measure and (metric in others or metric in NAMES):
            return metric, part
    return (measure, "f1") if measure in NAMES or f"{measure}_precision" in others else None


def metric_tables(
    finding: Scores, metrics: Metrics, marks: Mapping[str, str], notes: tuple[str, ...]
) -> tuple[Table, ...]:
    """Return one table for a single system; for several, tables of F1, of precision and of recall.

    Args:
        finding: the scores.
        metrics: their metrics.
        marks: significance marks after the main score of systems.
        notes: how intervals were computed, and what the marks mean.

    """
    scored = _MetricScores(finding, metrics)
    notes = (*notes, *scored.undefined_notes())
    if len(scored.systems) == 1:
        return (scored.single_system_table(notes),)
    if finding.resamples and len(scored.systems) > _MAX_INTERVAL_SYSTEMS:
        notes = (*notes, _INTERVALS_OMITTED)
    first, *others = (scored.part_table(part) for part in scored.parts)
    signs = scored.place_marks(first, marks)
    return (replace(first, name="scores", notes=notes, marks=signs), *others)


class _MetricScores:
    """Scores by metric, part and system."""

    def __init__(self, finding: Scores, metrics: Metrics) -> None:
        self.metrics, self.main = metrics, finding.scores[0].measure
        self.systems = tuple(dict.fromkeys(score.system for score in finding.scores))
        self.parts = [part for part in _PART_NAMES if any(part in measures for measures in metrics.values())]
        self._scores = {(score.measure, score.system): score for score in finding.scores}

    def _score(self, metric: str, part: str, system: str) -> Score | None:
        measure = self.metrics[metric].get(part)
        return None if measure is None else self._scores[measure, system]

    def single_system_table(self, notes: tuple[str, ...]) -> Table:
        """Put the parts of metrics in columns, followed by the interval of the first."""
        (system,) = self.systems
        fields = [Field("metric", "metric"), *(Field(part, _PART_NAMES[part], "share") for part in self.parts)]
        fields.append(Field("interval", f"95 % interval of {_PART_NAMES[self.parts[0]]}", "interval"))
        rows = []
        for metric in self.metrics:
            found = [self._score(metric, part, system) for part in self.parts]
            rows.append((metric_name(metric), *map(_score_cell, found), _interval_cell(found[0])))
        return Table(name="scores", title=f"Scores of {system}", fields=tuple(fields), rows=tuple(rows), notes=notes)

    def part_table(self, part: str) -> Table:
        """Put systems in columns, with intervals next to the scores of the first part if there is room."""
        wide = part == self.parts[0] and len(self.systems) <= _MAX_INTERVAL_SYSTEMS
        fields, rows = [Field("metric", "metric")], []
        for system in self.systems:
            fields.append(Field(system, system, "share"))
            fields += [Field(f"{system}_interval", "95 % interval", "interval")] if wide else []
        for metric in (metric for metric, measures in self.metrics.items() if part in measures):
            row: list[Any] = [metric_name(metric)]
            for system in self.systems:
                score = self._score(metric, part, system)
                row += [_score_cell(score), _interval_cell(score)] if wide else [_score_cell(score)]
            rows.append(tuple(row))
        best = best_of_rows(rows, range(1, len(fields), 2 if wide else 1))
        return Table(
            name=f"scores-{part}",
            title=f"Scores: {_PART_NAMES[part]}",
            fields=tuple(fields),
            rows=tuple(rows),
            notes=(),
            best=best,
        )

    def place_marks(self, table: Table, marks: Mapping[str, str]) -> dict[tuple[int, int], str]:
        """Return the marks by cell of the first table; none if the main measure is not in it."""
        shown = [measures[self.parts[0]] for measures in self.metrics.values() if self.parts[0] in measures]
        if self.main not in shown:
            return {}
        column = {each.header: number for number, each in enumerate(table.fields) if each.kind == "share"}
        return {(shown.index(self.main), column[system]): mark for system, mark in marks.items() if mark}

    def undefined_notes(self) -> list[str]:
        """Write which scores are undefined and why, one line per reason."""
        lines: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for metric, measures in self.metrics.items():
            for part, measure in measures.items():
                reasons: dict[str, list[str]] = {}
                for system in self.systems:
                    reasons.setdefault(self._scores[measure, system].reason or "", []).append(system)
                for reason, systems in reasons.items():
                    names = lines.setdefault((reason, tuple(systems)), [])
                    if metric_name(metric) not in names:  # the note on F1 covers its parts
                        names.append(metric_name(metric) + ("" if part == "f1" else f" {part}"))
        return [
            f"{'' if systems == self.systems else ', '.join(systems) + ': '}{', '.join(names)} n/a: {reason}"
            for (reason, systems), names in lines.items()
            if reason
        ]


def _score_cell(score: Score | None) -> float | str | None:
    """Return a score; an empty cell, as opposed to an undefined one, where the metric has no such part."""
    return "" if score is None else score.value


def _interval_cell(score: Score | None) -> tuple[float | None, float | None]:
    return (None, None) if score is None else (score.low, score.high)


def measure_table(finding: Scores, marks: Mapping[str, str], notes: tuple[str, ...]) -> Table:
    """Put measures in rows and systems in columns, where measures are many; the main one comes first.

    Args:
        finding: the scores.
        marks: significance marks after the main score of systems.
        notes: how intervals were computed, what the marks mean, and what is undefined.

    """
    by_measure: dict[str, dict[str, Score]] = {}
    for score in finding.scores:
        by_measure.setdefault(score.measure, {})[score.system] = score
    systems = tuple(dict.fromkeys(score.system for score in finding.scores))
    wide = len(systems) <= _MAX_INTERVAL_SYSTEMS
    fields, rows = [Field("measure", "measure")], []
    for system in systems:
        fields.append(Field(system, system, "share"))
        fields += [Field(f"{system}_interval", "95 % interval", "interval")] if wide else []
    for measure, found in by_measure.items():
        row: list[Any] = [measure]
        for system in systems:
            value = Linked(found[system].value, right_link(measure, finding.view, system))
            row += [value, _interval_cell(found[system])] if wide else [value]
        rows.append(tuple(row))
    if finding.resamples and not wide:
        notes = (*notes, _INTERVALS_OMITTED)
    step = 2 if wide else 1
    signs = {(0, 1 + step * number): marks[system] for number, system in enumerate(systems) if marks.get(system)}
    return Table(name="scores", title="Scores", fields=tuple(fields), rows=tuple(rows), notes=notes, marks=signs)


def best_of_rows(rows: Sequence[tuple[Any, ...]], columns: Iterable[int]) -> frozenset[tuple[int, int]]:
    """Return the cells with the highest value of each row, where there is something to compare."""
    best, chosen = set(), tuple(columns)
    for number, row in enumerate(rows):
        known = [row[column] for column in chosen if row[column] is not None]
        if len(set(known)) > 1:
            best |= {(number, column) for column in chosen if row[column] == max(known)}
    return frozenset(best)


_MIN_LABEL_ROWS = 6  # from this many measures with labels on, labels are in rows
_MIN_WIDE = 8  # from this many measures of several views on, views are in rows; more measures of one view are in rows
_MAX_OUTCOME_COLUMNS = 12  # up to this many outcomes are in columns, more in rows
_LEFT_OUT = ", left out: "
_LABELLED_MEASURE = re.compile(r"([^\[]+)\[(.+)\]")


def score_tables(finding: Scores, p_against_first: Mapping[str, float | None]) -> tuple[Table, ...]:
    """Return the tables of scores; stars mark main scores that differ from the first system's."""
    labelled = tuple(score for score in finding.scores if _LABELLED_MEASURE.fullmatch(score.measure))
    outcomes = (_outcome_table(finding),) if finding.outcomes else ()
    if metrics := metrics_of(finding):
        marks = {system: format_stars(p) for system, p in p_against_first.items()}
        notes = (*_resampling_note(finding), *_star_note(finding.scores[0].system, marks.values()))
        return (*metric_tables(finding, metrics, marks, notes), *outcomes)
    if _group_by_view(finding):
        return (_table_by_view(finding, p_against_first), *outcomes)
    if _is_too_wide(finding):
        marks = {system: format_stars(p) for system, p in p_against_first.items()}
        notes = (
            *_resampling_note(finding),
            *_star_note(finding.scores[0].system, marks.values()),
            *_undefined_notes(finding),
        )
        return (measure_table(finding, marks, notes), *outcomes)
    if len(dict.fromkeys(score.measure for score in labelled)) < _MIN_LABEL_ROWS:
        return (_score_table(finding, p_against_first), *outcomes)
    plain = tuple(score for score in finding.scores if score not in labelled)
    first = (_score_table(replace(finding, scores=plain), p_against_first),) if plain else ()
    return (*first, *_tables_by_label(replace(finding, scores=labelled)), *outcomes)


def main_score_table(finding: Scores) -> Table:
    """Return the table for data formats, with all scores under the names of their measures.

    Systems are in rows, even where the displayed tables have metrics or measures in rows.
    """
    turned = metrics_of(finding) or _is_too_wide(finding)
    return _score_table(finding, {}) if turned else score_tables(finding, {})[0]


def _is_too_wide(finding: Scores) -> bool:
    """Whether there are too many measures of one view for columns; those with labels are in rows anyway."""
    measures = {score.measure for score in finding.scores}
    return (
        len(measures) > _MIN_WIDE
        and not any(map(_LABELLED_MEASURE.fullmatch, measures))
        and not _group_by_view(finding)
    )


def _undefined_notes(finding: Scores) -> list[str]:
    """Write which scores are undefined, and why."""
    return [f"{each.system}: {each.measure} is n/a: {each.reason}" for each in finding.scores if each.reason]


def _outcome_table(finding: Scores) -> Table:
    """Tabulate the verdicts of rules, one row per view and run: those on key items, then those on surplus ones."""
    counts: dict[tuple[str, str], dict[tuple[str, str], int]] = {}
    for each in finding.outcomes:
        counts.setdefault((each.view, each.run), {})[each.side, each.outcome] = each.count
    columns = sorted({verdict for found in counts.values() for verdict in found}, key=_outcome_rank)
    if len(columns) > _MAX_OUTCOME_COLUMNS:
        return _outcome_row_table(finding)
    headers = [name if side == "key" or ("key", name) not in columns else f"{name} (other)" for side, name in columns]
    fields = [Field(f"{side}_{name}", header, "count") for (side, name), header in zip(columns, headers, strict=True)]
    rows = [
        (*who, *(Linked(found.get(verdict, 0), _outcome_link(*who, verdict)) for verdict in columns))
        for who, found in counts.items()
    ]
    of_key = sum(side == "key" for side, _ in columns)
    named = [", ".join(part) or "none" for part in (headers[:of_key], headers[of_key:])]
    several = len({view for view, _ in counts}) > 1
    who = [Field("view", "view"), Field("run", "system")][0 if several else 1 :]
    return Table(
        name="outcomes",
        title="Outcomes",
        fields=(*who, *fields),
        rows=tuple(row if several else row[1:] for row in rows),
        notes=(f"on items of the key: {named[0]}; on other claims: {named[1]}",),
    )


def _outcome_row_table(finding: Scores) -> Table:
    """Tabulate the verdicts of the finding's own view, one row per verdict, with systems in columns."""
    runs = tuple(dict.fromkeys(each.run for each in finding.outcomes))
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for each in finding.outcomes:
        if each.view == finding.view:
            counts.setdefault((each.side, each.outcome), {})[each.run] = each.count
    others = [view for view in dict.fromkeys(each.view for each in finding.outcomes) if view != finding.view]
    return Table(
        name="outcomes",
        title=f"Outcomes: {finding.view}",
        fields=(Field("side", "items"), Field("outcome", "outcome"), *(Field(run, run, "count") for run in runs)),
        rows=tuple(
            (*row, *(Linked(counts[row].get(run, 0), _outcome_link(finding.view, run, row)) for run in runs))
            for row in sorted(counts, key=_outcome_rank)
        ),
        notes=(
            "key: items of the key; system: other items that the system claims",
            *([f"outcomes of {', '.join(others)}: use --view"] if others else []),
        ),
    )


def _outcome_link(view: str, run: str, verdict: tuple[str, str]) -> Link:
    return Link(outcome_condition(run, *verdict), view=view)


def _outcome_rank(verdict: tuple[str, str]) -> tuple[bool, bool, bool, str]:
    side, name = verdict
    return side != "key", _LEFT_OUT in name, name not in {"TP", "COR", "hit"}, name


def _group_by_view(finding: Scores) -> dict[str, list[str]]:
    """Group measures by view, if several views have the same measures and these are too many for columns."""
    views: dict[str, list[str]] = {}
    for measure in dict.fromkeys(score.measure for score in finding.scores):
        view, _, name = measure.rpartition(".")
        views.setdefault(view, []).append(name)
    alike = len({tuple(names) for names in views.values()}) == 1
    return views if alike and len(views) > 1 and sum(map(len, views.values())) >= _MIN_WIDE else {}


def _table_by_view(finding: Scores, p_against_first: Mapping[str, float | None]) -> Table:
    """Put views and systems in rows, and the measures that all views have in columns."""
    views = _group_by_view(finding)
    tables: list[Table] = []
    for view in views:
        mine = tuple(
            replace(each, measure=_strip_view(each.measure))
            for each in finding.scores
            if _view_of(each.measure) == view
        )
        tables.append(_score_table(replace(finding, view=view, scores=mine), p_against_first if not tables else {}))
    rows: list[tuple[Any, ...]] = []
    best: set[tuple[int, int]] = set()
    marks: dict[tuple[int, int], str] = {}
    links: dict[tuple[int, int], Link] = {}
    for view, table in zip(views, tables, strict=True):
        best |= {(row + len(rows), column + 1) for row, column in table.best}
        marks |= {(row + len(rows), column + 1): mark for (row, column), mark in table.marks.items()}
        links |= {(row + len(rows), column + 1): link for (row, column), link in table.links.items()}
        rows += [(view, *row) for row in table.rows]
    notes = dict.fromkeys(note for table in tables for note in table.notes)
    return Table(
        name="scores",
        title="Scores",
        fields=(Field("view", "view"), *tables[0].fields),
        rows=tuple(rows),
        notes=tuple(notes),
        best=frozenset(best),
        marks=marks,
        links=links,
    )


def _strip_view(measure: str) -> str:
    return measure.rpartition(".")[2]


def _tables_by_label(finding: Scores) -> tuple[Table, ...]:
    """Put labels in rows where every measure has one, and systems in columns; a table for each measure.

    With one system there is one table, with a column for each measure.
    """
    cells: dict[str, dict[str, dict[str, Score]]] = {}
    for score in finding.scores:
        match = _LABELLED_MEASURE.fullmatch(score.measure)
        name, label = (match[1], match[2]) if match else (score.measure, "")
        if score.value is not None or not score.reason:
            cells.setdefault(name, {}).setdefault(label, {})[score.system] = score
    systems = tuple(dict.fromkeys(score.system for score in finding.scores))
    notes = _resampling_note(finding)
    if not cells:
        view, reason = _view_of(finding.scores[0].measure), finding.scores[0].reason
        return (
            Table(
                name="scores",
                title=f"Scores: {view}",
                fields=(Field("label", view),),
                rows=(),
                notes=(f"n/a: {reason}",),
            ),
        )
    if len(systems) == 1:
        return (_single_system_table(finding, systems[0], cells, notes),)
    found: list[Table] = []
    for name, by_label in cells.items():
        fields = (Field("label", _view_of(name)), *(Field(system, system, "share") for system in systems))
        rows = tuple(
            (label, *(_linked_score(finding, by_label[label].get(system)) for system in systems)) for label in by_label
        )
        table = Table(
            name=name,
            title=f"Scores: {_format_measure(name)}",
            fields=fields,
            rows=rows,
            notes=notes if not found else (),
        )
        found.append(replace(table, best=best_of_rows(table.rows, range(1, len(fields)))))
    return tuple(found)


def _single_system_table(
    finding: Scores, system: str, cells: Mapping[str, Mapping[str, Mapping[str, Score]]], notes: tuple[str, ...]
) -> Table:
    names = list(cells)
    fields = [Field("label", _view_of(names[0]))]
    fields += [Field(name, _format_measure(name), "share") for name in names]
    fields.append(Field(f"{names[0]}_interval", f"95 % interval of {_format_measure(names[0])}", "interval"))
    rows = []
    for label, first in cells[names[0]].items():
        score = first[system]
        values = [_linked_score(finding, cells[name].get(label, {}).get(system)) for name in names]
        rows.append((label, *values, (score.low, score.high)))
    return Table(name="scores", title=f"Scores of {system}", fields=tuple(fields), rows=tuple(rows), notes=notes)


def _view_of(measure: str) -> str:
    return measure.rpartition(".")[0] or "label"


def _linked_score(finding: Scores, score: Score | None) -> Linked | None:
    """Return a score, with a link to the sites that are right if it is an accuracy."""
    return None if score is None else Linked(score.value, right_link(score.measure, finding.view, score.system))


def _format_measure(name: str) -> str:
    """Format the name of a measure for display.

    >>> _format_measure("conll18.aligned_accuracy")
    'aligned accuracy'
    """
    return name.rpartition(".")[2].replace("_", " ")


def _resampling_note(finding: Scores) -> tuple[str, ...]:
    """Write how intervals were computed."""
    if not finding.resamples:
        return ()
    units = format_count(finding.units, finding.unit)
    drawn = f"{format_count(finding.resamples, 'bootstrap resample')} of {units}, seed {finding.seed}"
    return (f"95 % intervals: {drawn if finding.units > 1 else f'n/a with {units}'}",)


def _star_note(first: str, marks: Iterable[str]) -> tuple[str, ...]:
    """Explain the stars, if there are any."""
    legend = f"* differs from {first} (randomisation, Holm): * p < 0.05, ** p < 0.01, *** p < 0.001"
    return (legend,) if any(marks) else ()


def _score_table(finding: Scores, p_against_first: Mapping[str, float | None]) -> Table:
    """Put systems in rows and measures in columns; the first measure with its interval and counts."""
    measures = list(dict.fromkeys(score.measure for score in finding.scores))
    by_system: dict[str, dict[str, Score]] = {}
    for score in finding.scores:
        by_system.setdefault(score.system, {})[score.measure] = score
    fields = [Field("system", "system")]
    for measure in measures:
        fields += [Field(measure, measure, "share"), Field(f"{measure}_interval", "95 % interval", "interval")]
    plain = all(score.part is not None for row in by_system.values() for score in [row[measures[0]]])
    if plain:
        fields += _fraction_fields(measures[0])
    rows = []
    for name, found in by_system.items():
        row: list[Any] = [name]
        for measure in measures:
            row += [_linked_score(finding, found[measure]), (found[measure].low, found[measure].high)]
        if plain:
            row += _fraction_cells(finding, found[measures[0]])
        rows.append(tuple(row))
    marks = {(number, 1): format_stars(p_against_first.get(str(row[0]))) for number, row in enumerate(rows)}
    notes = list(_resampling_note(finding))
    notes += _star_note(str(rows[0][0]), marks.values())
    notes += _undefined_notes(finding)
    signs = {place: mark for place, mark in marks.items() if mark}
    table = Table(
        name="scores", title="Scores", fields=tuple(fields), rows=tuple(rows), notes=tuple(notes), marks=signs
    )
    return replace(table, best=_best_in_columns(table.rows, range(1, 2 * len(measures), 2)))


def _fraction_fields(measure: str) -> list[Field]:
    """Return the columns of numerator and denominator, which count sites or else sum items or sentences."""
    kind: Kind = "figure" if right_link(measure, "", "") is None else "count"
    return [Field("right", "right", kind), Field("of", "of", kind)]


def _fraction_cells(finding: Scores, score: Score) -> list[Linked]:
    """Return numerator and denominator; sites count once for each run."""
    of = score.measure, finding.view, score.system
    return [Linked(score.part, right_link(*of)), Linked(score.whole, decided_link(*of))]


def _best_in_columns(rows: Sequence[tuple[Any, ...]], columns: Iterable[int]) -> frozenset[tuple[int, int]]:
    """Return the cells with the highest value of each column, where there is something to compare."""
    best = set()
    for column in columns:
        values = [row[column] for row in rows if row[column] is not None]
        if len(rows) > 1 and values:
            best |= {(number, column) for number, row in enumerate(rows) if row[column] == max(values)}
    return frozenset(best)


# Scores as charts: each system's main score with its interval, the best above.


def score_chart(finding: Scores) -> DotPlot:
    """Return the chart of the main scores of all systems, the highest first and undefined ones last."""
    main = finding.scores[0].measure
    mine = [score for score in finding.scores if score.measure == main]
    mine.sort(key=lambda score: (score.value is None, -(score.value or 0.0)))  # ties keep their order
    return _score_dot_plot(finding, scores=mine, letters={}, how=_subtitle(finding), name="scores")


def leaderboard_chart(finding: Leaderboard) -> DotPlot:
    """Return the chart of main scores in the order of the leaderboard, with a compact letter display."""
    mine = [standing.scores[0] for standing in finding.standings]
    letters = compact_letters([score.system for score in mine if score.value is not None], finding.tests, finding.level)
    how = _subtitle(finding)
    if not any(letters.values()):
        return _score_dot_plot(finding, scores=mine, letters={}, how=how, name="leaderboard")
    how += f"; same letter: no significant difference ({100 * finding.level:g} %, Holm)"
    return _score_dot_plot(finding, scores=mine, letters=letters, how=how, name="leaderboard")


def _score_dot_plot(
    finding: Scores | Leaderboard, scores: Sequence[Score], letters: Mapping[str, str], how: str, *, name: str
) -> DotPlot:
    """Draw scores in the order given, followed by letters if there are any."""
    from comparanda.render.charts import Axis, DotPlot
    from comparanda.render.charts.theme import shorten_name

    measure = scores[0].measure
    listed = "; ".join(f"{shorten_name(score.system)} {format_cell('share', score.value)}" for score in scores)
    return DotPlot(
        title=f"{measure} of each system",
        subtitle=how,
        description=f"{measure} in percent, with 95 % intervals: {listed}.",
        x=Axis(label=f"{measure} (%)", unit="share"),
        columns=(measure, "95 % interval", *(["letters"] if letters else [])),
        dots=tuple(_dot(finding, score, letters) for score in scores),
        name=name,
    )


def _dot(finding: Scores | Leaderboard, score: Score, letters: Mapping[str, str]) -> Dot:
    """Make a row; an accuracy links to the sites that are right, and shows their number."""
    from comparanda.render.charts import Dot

    link = right_link(score.measure, finding.view, score.system)
    texts = [format_cell("share", score.value), format_cell("interval", (score.low, score.high))]
    return Dot(
        name=score.system,
        value=score.value,
        low=score.low,
        high=score.high,
        texts=(*texts, *([letters.get(score.system, "")] if letters else [])),
        note="" if link is None or score.part is None else f"{score.part:,} right",
        link=link,
    )


def _subtitle(finding: Scores | Leaderboard) -> str:
    drawn = f"; 95 % intervals by {finding.resamples:,} resamples" if finding.resamples else ""
    return f"over {format_count(finding.units, finding.unit)}{drawn}"
