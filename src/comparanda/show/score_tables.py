"""Scores as tables: systems in rows, or labels where measures have many, or metrics with precision and recall."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from comparanda.comparison.scores import Score, Scores, outcome_condition
from comparanda.show.cells import Kind, counted
from comparanda.show.links import Link, decided_link, right_link
from comparanda.show.metric_tables import best_of_rows, measure_table, metric_tables, metrics_of
from comparanda.show.table import Field, Linked, Table

_MANY = 6  # so many measures with labels are put into rows
_WIDE = 8  # so many measures of several views are put into rows by view; more of one view into rows
_OUTCOMES = 12  # so many outcomes stand in columns, more in rows
_LEFT_OUT = ", left out: "
_LABELLED = re.compile(r"([^\[]+)\[(.+)\]")


def score_tables(finding: Scores, p_against_first: Mapping[str, float | None]) -> tuple[Table, ...]:
    """Return the tables of scores; stars tell which main scores differ from the first system's."""
    labelled = tuple(score for score in finding.scores if _LABELLED.fullmatch(score.measure))
    outcomes = (_outcome_table(finding),) if finding.outcomes else ()
    if metrics := metrics_of(finding):
        marks = {system: stars(p) for system, p in p_against_first.items()}
        notes = (*_resampling(finding), *_signs(finding.scores[0].system, marks.values()))
        return (*metric_tables(finding, metrics, marks, notes), *outcomes)
    if _of_views(finding):
        return (_table_by_view(finding, p_against_first), *outcomes)
    if _too_wide(finding):
        marks = {system: stars(p) for system, p in p_against_first.items()}
        notes = (*_resampling(finding), *_signs(finding.scores[0].system, marks.values()), *_reasons(finding))
        return (measure_table(finding, marks, notes), *outcomes)
    if len(dict.fromkeys(score.measure for score in labelled)) < _MANY:
        return (_score_table(finding, p_against_first), *outcomes)
    plain = tuple(score for score in finding.scores if score not in labelled)
    first = (_score_table(replace(finding, scores=plain), p_against_first),) if plain else ()
    return (*first, *_tables_by_label(replace(finding, scores=labelled)), *outcomes)


def main_score_table(finding: Scores) -> Table:
    """Return the table with all scores, each by the name of its measure: that of data, and the first of those shown.

    Where metrics or measures stand in rows for people, systems do so in data.
    """
    turned = metrics_of(finding) or _too_wide(finding)
    return _score_table(finding, {}) if turned else score_tables(finding, {})[0]


def _too_wide(finding: Scores) -> bool:
    """Whether there are too many measures of one view to stand in columns; those with labels stand in rows anyway."""
    measures = {score.measure for score in finding.scores}
    return len(measures) > _WIDE and not any(map(_LABELLED.fullmatch, measures)) and not _of_views(finding)


def _reasons(finding: Scores) -> list[str]:
    """Say what is undefined, and why."""
    return [f"{each.system}: {each.measure} is n/a: {each.reason}" for each in finding.scores if each.reason]


def _outcome_table(finding: Scores) -> Table:
    """Count the verdicts of rules: a row for each view and run, first those of the key's items, then those beside."""
    counts: dict[tuple[str, str], dict[tuple[str, str], int]] = {}
    for each in finding.outcomes:
        counts.setdefault((each.view, each.run), {})[each.side, each.outcome] = each.count
    columns = sorted({verdict for found in counts.values() for verdict in found}, key=_rank)
    if len(columns) > _OUTCOMES:
        return _outcomes_in_rows(finding)
    headers = [name if side == "key" or ("key", name) not in columns else f"{name} beside" for side, name in columns]
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
        "outcomes",
        "Outcomes",
        (*who, *fields),
        tuple(row if several else row[1:] for row in rows),
        (f"of the key's items: {named[0]}; of claims beside them: {named[1]}",),
    )


def _outcomes_in_rows(finding: Scores) -> Table:
    """Count the verdicts of the finding's own view with a row for each, and systems in columns."""
    runs = tuple(dict.fromkeys(each.run for each in finding.outcomes))
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for each in finding.outcomes:
        if each.view == finding.view:
            counts.setdefault((each.side, each.outcome), {})[each.run] = each.count
    others = [view for view in dict.fromkeys(each.view for each in finding.outcomes) if view != finding.view]
    return Table(
        "outcomes",
        f"Outcomes: {finding.view}",
        (Field("side", "items"), Field("outcome", "outcome"), *(Field(run, run, "count") for run in runs)),
        tuple(
            (*row, *(Linked(counts[row].get(run, 0), _outcome_link(finding.view, run, row)) for run in runs))
            for row in sorted(counts, key=_rank)
        ),
        ("items of the key, and claims beside them", *([f"--view for those of {', '.join(others)}"] if others else [])),
    )


def _outcome_link(view: str, run: str, verdict: tuple[str, str]) -> Link:
    return Link(outcome_condition(run, *verdict), view=view)


def _rank(verdict: tuple[str, str]) -> tuple[bool, bool, bool, str]:
    side, name = verdict
    return side != "key", _LEFT_OUT in name, name not in {"TP", "COR", "hit"}, name


def _of_views(finding: Scores) -> dict[str, list[str]]:
    """Return the views of measures, if there are several with the same measures, and too many to stand in columns."""
    views: dict[str, list[str]] = {}
    for measure in dict.fromkeys(score.measure for score in finding.scores):
        view, _, name = measure.rpartition(".")
        views.setdefault(view, []).append(name)
    alike = len({tuple(names) for names in views.values()}) == 1
    return views if alike and len(views) > 1 and sum(map(len, views.values())) >= _WIDE else {}


def _table_by_view(finding: Scores, p_against_first: Mapping[str, float | None]) -> Table:
    """Put views and systems in rows, and the measures that all views have in columns."""
    views = _of_views(finding)
    tables: list[Table] = []
    for view in views:
        mine = tuple(
            replace(each, measure=_spoken(each.measure)) for each in finding.scores if _view_of(each.measure) == view
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
        "scores",
        "Scores",
        (Field("view", "view"), *tables[0].fields),
        tuple(rows),
        tuple(notes),
        frozenset(best),
        marks,
        links=links,
    )


def _spoken(measure: str) -> str:
    return measure.rpartition(".")[2]


def stars(p: float | None) -> str:
    """Return the usual signs for a p-value."""
    return "" if p is None else "***" if p < 0.001 else "**" if p < 0.01 else "*" if p < 0.05 else ""


def _tables_by_label(finding: Scores) -> tuple[Table, ...]:
    """Put labels in rows where every measure has one, and systems in columns; a table for each measure.

    With one system there is one table, with a column for each measure.
    """
    cells: dict[str, dict[str, dict[str, Score]]] = {}
    for score in finding.scores:
        match = _LABELLED.fullmatch(score.measure)
        name, label = (match[1], match[2]) if match else (score.measure, "")
        if score.value is not None or not score.reason:
            cells.setdefault(name, {}).setdefault(label, {})[score.system] = score
    systems = tuple(dict.fromkeys(score.system for score in finding.scores))
    notes = _resampling(finding)
    if not cells:
        view, reason = _view_of(finding.scores[0].measure), finding.scores[0].reason
        return (Table("scores", f"Scores: {view}", (Field("label", view),), (), (f"n/a: {reason}",)),)
    if len(systems) == 1:
        return (_one_system(finding, systems[0], cells, notes),)
    found: list[Table] = []
    for name, by_label in cells.items():
        fields = (Field("label", _view_of(name)), *(Field(system, system, "share") for system in systems))
        rows = tuple(
            (label, *(_linked(finding, by_label[label].get(system)) for system in systems)) for label in by_label
        )
        table = Table(name, f"Scores: {_spelled(name)}", fields, rows, notes if not found else ())
        found.append(replace(table, best=best_of_rows(table.rows, range(1, len(fields)))))
    return tuple(found)


def _one_system(
    finding: Scores, system: str, cells: Mapping[str, Mapping[str, Mapping[str, Score]]], notes: tuple[str, ...]
) -> Table:
    names = list(cells)
    fields = [Field("label", _view_of(names[0]))]
    fields += [Field(name, _spelled(name), "share") for name in names]
    fields.append(Field(f"{names[0]}_interval", f"95 % interval of {_spelled(names[0])}", "interval"))
    rows = []
    for label, first in cells[names[0]].items():
        score = first[system]
        values = [_linked(finding, cells[name].get(label, {}).get(system)) for name in names]
        rows.append((label, *values, (score.low, score.high)))
    return Table("scores", f"Scores of {system}", tuple(fields), tuple(rows), notes)


def _view_of(measure: str) -> str:
    return measure.rpartition(".")[0] or "label"


def _linked(finding: Scores, score: Score | None) -> Linked | None:
    """Return a score with what leads to the sites that are right, if it is an accuracy."""
    return None if score is None else Linked(score.value, right_link(score.measure, finding.view, score.system))


def _spelled(name: str) -> str:
    """Write the name of a measure for people.

    >>> _spelled("conll18.aligned_accuracy")
    'aligned accuracy'
    """
    return name.rpartition(".")[2].replace("_", " ")


def _resampling(finding: Scores) -> tuple[str, ...]:
    """Say how intervals were made."""
    if not finding.resamples:
        return ()
    units = counted(finding.units, finding.unit)
    drawn = f"{counted(finding.resamples, 'bootstrap resample')} of {units}, seed {finding.seed}"
    return (f"95 % intervals: {drawn if finding.units > 1 else f'n/a with {units}'}",)


def _signs(first: str, marks: Iterable[str]) -> tuple[str, ...]:
    """Say what stars mean, if there are any."""
    told = f"* differs from {first} (randomisation, Holm): * p < 0.05, ** p < 0.01, *** p < 0.001"
    return (told,) if any(marks) else ()


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
        fields += _fields_of_parts(measures[0])
    rows = []
    for name, found in by_system.items():
        row: list[Any] = [name]
        for measure in measures:
            row += [_linked(finding, found[measure]), (found[measure].low, found[measure].high)]
        if plain:
            row += _parts(finding, found[measures[0]])
        rows.append(tuple(row))
    marks = {(number, 1): stars(p_against_first.get(str(row[0]))) for number, row in enumerate(rows)}
    notes = list(_resampling(finding))
    notes += _signs(str(rows[0][0]), marks.values())
    notes += _reasons(finding)
    signs = {place: mark for place, mark in marks.items() if mark}
    table = Table("scores", "Scores", tuple(fields), tuple(rows), tuple(notes), marks=signs)
    return replace(table, best=_best(table.rows, range(1, 2 * len(measures), 2)))


def _fields_of_parts(measure: str) -> list[Field]:
    """Return the columns of what stands above and below the line: sites, or else sums of items or of sentences."""
    kind: Kind = "figure" if right_link(measure, "", "") is None else "count"
    return [Field("right", "right", kind), Field("of", "of", kind)]


def _parts(finding: Scores, score: Score) -> list[Linked]:
    """Return what stands above and below the line; sites count once for each run."""
    of = score.measure, finding.view, score.system
    return [Linked(score.part, right_link(*of)), Linked(score.whole, decided_link(*of))]


def _best(rows: Sequence[tuple[Any, ...]], columns: Iterable[int]) -> frozenset[tuple[int, int]]:
    """Return the cells with the highest value of each column, where there is something to compare."""
    best = set()
    for column in columns:
        values = [row[column] for row in rows if row[column] is not None]
        if len(rows) > 1 and values:
            best |= {(number, column) for number, row in enumerate(rows) if row[column] == max(values)}
    return frozenset(best)
