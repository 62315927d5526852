"""Findings as tables: the one form that console, Markdown, CSV, LaTeX and data frames are made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

from comparanda.comparison.anatomy import Anatomy
from comparanda.comparison.combine import Combination, OracleRow
from comparanda.comparison.difference import Difference, DifferenceClass, Pairs
from comparanda.comparison.examples import Examples
from comparanda.comparison.finding import Finding
from comparanda.comparison.scores import Score, Scores
from comparanda.comparison.significance import Significance
from comparanda.comparison.slices import Slices
from comparanda.show.cells import Kind, cell

TOP = 5
NO_SITES = "n/a: the view has no sites, it counts items alone"
_INTERVALS = frozenset({"interval", "points_interval"})


@dataclass(frozen=True, slots=True)
class Field:
    """A column: its key in data, its header for people, and how its values are written."""

    key: str
    header: str
    kind: Kind = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Args:
        name: a short name, for files and anchors.
        title: a heading.
        fields: the columns.
        rows: the values, raw.
        notes: lines below the table.
        best: the cells (row, column) to be set in bold.
        marks: signs behind cells, such as `*` for significance.

    """

    name: str
    title: str
    fields: tuple[Field, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = ()
    best: frozenset[tuple[int, int]] = frozenset()
    marks: Mapping[tuple[int, int], str] = field(default_factory=dict)

    def keys(self) -> tuple[str, ...]:
        """Return the names of the columns in data, each once: an interval becomes two columns, its ends.

        A system may be called like a column of ours; the later one gets a number behind its name.
        """
        names: list[str] = []
        for each in self.fields:
            for key in [f"{each.key}_low", f"{each.key}_high"] if each.kind in _INTERVALS else [each.key]:
                number = 1
                while (name := key if number == 1 else f"{key}_{number}") in names:
                    number += 1
                names.append(name)
        return tuple(names)

    def dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary a row."""
        keys = self.keys()
        return [dict(zip(keys, _flat(self.fields, row), strict=True)) for row in self.rows]

    def written(self, row: int, column: int) -> str:
        """Return one cell as text, with its mark."""
        return cell(self.fields[column].kind, self.rows[row][column]) + self.marks.get((row, column), "")


def _flat(fields: tuple[Field, ...], row: tuple[Any, ...]) -> Iterable[Any]:
    for each, value in zip(fields, row, strict=True):
        if each.kind in _INTERVALS:
            yield from value
        else:
            yield value


@singledispatch
def tables(finding: Finding, top: int = TOP) -> tuple[Table, ...]:  # noqa: ARG001 - for the registered ones
    """Return the tables of a finding; long ones cut to the `top` first rows, 0 for all."""
    raise TypeError(f"no tables for {type(finding).__name__}")


def main_table(finding: Finding) -> Table:
    """Return the table that holds the finding's rows in full."""
    return tables(finding, 0)[0]


def _cut(rows: list[tuple[Any, ...]], top: int, what: str) -> tuple[tuple[tuple[Any, ...], ...], tuple[str, ...]]:
    """Keep the first rows, and say how many more there are."""
    if not top or len(rows) <= top:
        return tuple(rows), ()
    return tuple(rows[:top]), (f"… {len(rows) - top:,} more {what} (--top 0 for all)",)


def stars(p: float | None) -> str:
    """Return the usual signs for a p-value."""
    return "" if p is None else "***" if p < 0.001 else "**" if p < 0.01 else "*" if p < 0.05 else ""


@tables.register
def _(finding: Scores, top: int = TOP) -> tuple[Table, ...]:
    del top
    return (_score_table(finding, {}),)


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
        fields += [Field("right", "right", "count"), Field("of", "of", "count")]
    rows = []
    for name, found in by_system.items():
        row: list[Any] = [name]
        for measure in measures:
            row += [found[measure].value, (found[measure].low, found[measure].high)]
        if plain:
            row += [found[measures[0]].part, found[measures[0]].whole]
        rows.append(tuple(row))
    marks = {(number, 1): stars(p_against_first.get(str(row[0]))) for number, row in enumerate(rows)}
    notes = []
    if finding.resamples:
        drawn = f"{finding.resamples:,} bootstrap resamples of {finding.units:,} {finding.unit}s"
        notes.append(f"95 % intervals: {drawn}, seed {finding.seed}")
    if any(marks.values()):
        notes.append(f"* differs from {rows[0][0]} (randomisation, Holm): * p < 0.05, ** p < 0.01, *** p < 0.001")
    notes += [f"{each.system}: {each.measure} is n/a: {each.reason}" for each in finding.scores if each.reason]
    return Table(
        "scores",
        "Scores",
        tuple(fields),
        tuple(rows),
        tuple(notes),
        _best(rows, range(1, 2 * len(measures), 2)),
        {place: mark for place, mark in marks.items() if mark},
    )


def _best(rows: list[tuple[Any, ...]], columns: Iterable[int]) -> frozenset[tuple[int, int]]:
    """Return the cells with the highest value of each column, where there is something to compare."""
    best = set()
    for column in columns:
        values = [row[column] for row in rows if row[column] is not None]
        if len(rows) > 1 and values:
            best |= {(number, column) for number, row in enumerate(rows) if row[column] == max(values)}
    return frozenset(best)


@tables.register
def _(finding: Pairs, top: int = TOP) -> tuple[Table, ...]:
    del top
    fields = (
        Field("base", "base"),
        Field("new", "new"),
        Field("diff", "diff", "share"),
        Field("diff_interval", "95 % interval", "interval"),
        Field("different", "differing", "count"),
        Field("sites", "sites", "count"),
        Field("score_difference", f"Δ {finding.measure}", "points"),
        Field("overlap_right", "overlap of right", "share"),
        Field("overlap_all", "overlap of all", "share"),
    )
    rows = [
        (
            pair.base,
            pair.new,
            pair.diff,
            (pair.low, pair.high),
            pair.different,
            pair.sites,
            pair.score_difference,
            pair.overlap_right,
            pair.overlap_all,
        )
        for pair in finding.pairs
    ]
    notes = () if all(pair.sites for pair in finding.pairs) else (NO_SITES,)
    return (Table("pairs", "Pairs: how much they differ, and how much their scores do", fields, tuple(rows), notes),)


@tables.register
def _(finding: Significance, top: int = TOP) -> tuple[Table, ...]:
    del top
    fields = [
        Field("base", "base"),
        Field("new", "new"),
        Field("difference", f"Δ {finding.measure}", "points"),
        Field("difference_interval", "95 % interval", "points_interval"),
        Field("p", "p", "p"),
        Field("p_holm", "p (Holm)", "p"),
        Field("detectable", "detectable", "share"),
    ]
    rows: list[tuple[Any, ...]] = [
        (test.base, test.new, test.difference, (test.low, test.high), test.p, test.p_holm, test.detectable)
        for test in finding.tests
    ]
    if any(test.mcnemar is not None for test in finding.tests):
        fields.append(Field("mcnemar", "McNemar p", "p"))
        rows = [(*row, test.mcnemar) for row, test in zip(rows, finding.tests, strict=True)]
    methods = sorted({test.method for test in finding.tests})
    notes = [
        f"randomisation over {finding.units:,} {finding.unit}s ({', '.join(methods)}), "
        f"{finding.resamples:,} resamples, seed {finding.seed}; detectable: with 80 % power at the 5 % level"
    ]
    marks = {(number, 5): mark for number, test in enumerate(finding.tests) if (mark := stars(test.p_holm))}
    notes += [f"beware: {warning}" for warning in finding.warnings]
    return (Table("significance", "Is the difference real?", tuple(fields), tuple(rows), tuple(notes), marks=marks),)


@tables.register
def _(finding: Difference, top: int = TOP) -> tuple[Table, ...]:
    return (*_difference_tables(finding, top), _label_table(finding, top))


def _difference_tables(finding: Difference, top: int) -> tuple[Table, ...]:
    fields = (
        Field("class", "class"),
        Field("key", "key"),
        Field("base", finding.base),
        Field("new", finding.new),
        Field("count", "count", "count"),
        Field("share_of_class", "% of class", "share"),
        Field("share_of_differences", "% of differences", "share"),
        Field("share_of_sites", "% of sites", "share"),
    )
    rows: list[tuple[Any, ...]] = []
    notes: list[str] = []
    for each in finding.classes:
        title = each.name.replace("_", " ")
        rows.append(
            (title, "", "", "", each.count, 1.0 if each.count else None, each.share_of_differences, each.share_of_sites)
        )
        kept, more = _cut(_transition_rows(each, title, finding.sites), top, f"kinds of {title}")
        rows += kept
        notes += more
    flips = cell("share", finding.negative_flip_rate)
    notes.append(
        f"same right {finding.same_right:,}, same error {finding.same_error:,}; "
        f"new errors over all sites = negative flip rate {flips} %"
    )
    if not finding.sites:
        notes.append(NO_SITES)
    title = (
        f"Difference {finding.base} → {finding.new}: {cell('share', finding.diff)} % "
        f"({finding.different:,}/{finding.sites:,}), "
        f"Δ accuracy {cell('points', finding.accuracy_difference)}"
    )
    return (Table("difference", title, fields, tuple(rows), tuple(notes)),)


def _transition_rows(each: DifferenceClass, title: str, sites: int) -> list[tuple[Any, ...]]:
    return [
        (
            title,
            transition.key,
            transition.base,
            transition.new,
            transition.count,
            transition.share_of_class,
            transition.share_of_differences,
            transition.count / sites,
        )
        for transition in each.transitions
    ]


def _label_table(finding: Difference, top: int) -> Table:
    fields = (
        Field("label", "key label"),
        Field("difference", "Δ", "points"),
        Field("base_share", finding.base, "share"),
        Field("new_share", finding.new, "share"),
        Field("sites", "sites", "count"),
    )
    rows, notes = _cut(
        [(row.label, row.difference, row.base, row.new, row.sites) for row in finding.labels], top, "labels"
    )
    return Table("labels", "Per key label, the largest difference first", fields, rows, notes)


@tables.register
def _(finding: Combination, top: int = TOP) -> tuple[Table, ...]:
    return (
        _oracle_table(finding, top),
        _greedy_table(finding),
        _hardness_table(finding),
        _agreement_table(finding),
    )


def _oracle_table(finding: Combination, top: int) -> Table:
    fields = (
        Field("label", "key label"),
        Field("sites", "sites", "count"),
        *(Field(run, run, "share") for run in finding.runs),
        Field("oracle", "oracle", "share"),
        Field("gain_over_best", f"over {finding.best}", "points"),
        Field("gain_over_best_here", "over best here", "points"),
    )
    labels, notes = _cut([_oracle_row(row) for row in finding.labels], 2 * top, "labels")
    rows = (_oracle_row(finding.overall), *labels)
    best = set()
    marks = {}
    for number, row in enumerate([finding.overall, *finding.labels][: len(rows)]):
        for place, run in enumerate(finding.runs):
            if run in row.highest and row.lowest:
                best.add((number, place + 2))
            if run in row.lowest:
                marks[number, place + 2] = "↓"
    below = [*notes, "oracle: right where at least one is (an upper bound of any combination); ↓ lowest"]
    if finding.unsolved:
        below.append(f"solved by none: {', '.join(finding.unsolved)}")
    if not finding.overall.sites:
        below.append(NO_SITES)
    span = cell("interval", (finding.low, finding.high))
    return Table(
        "oracle",
        f"Upper bound of combination, 95 % interval {span}",
        fields,
        rows,
        tuple(below),
        frozenset(best),
        marks,
    )


def _oracle_row(row: OracleRow) -> tuple[Any, ...]:
    return (
        "(all)" if row.label is None else row.label,
        row.sites,
        *row.shares,
        row.oracle,
        row.gain_over_best,
        row.gain_over_best_here,
    )


def _greedy_table(finding: Combination) -> Table:
    fields = (
        Field("run", "system"),
        Field("accuracy", "oracle so far", "share"),
        Field("gain", "sites added", "count"),
        Field("complementarity", "Comp(so far, it)", "share"),
        Field("unique", "only it is right", "count"),
    )
    alone = {each.run: each.count for each in finding.unique}
    rows = tuple((step.run, step.accuracy, step.gain, step.complementarity, alone[step.run]) for step in finding.greedy)
    return Table("greedy", "What each adds: the best first, then the largest gain", fields, rows)


def _hardness_table(finding: Combination) -> Table:
    fields = (Field("solved_by", "solved by", "count"), Field("count", "sites", "count"), Field("share", "%", "share"))
    rows = tuple((each.solved_by, each.count, each.share) for each in finding.hardness)
    return Table("hardness", f"Hardness: sites by how many of {len(finding.runs)} are right", fields, rows)


def _agreement_table(finding: Combination) -> Table:
    fields = (
        Field("agree", "agree", "count"),
        Field("sites", "sites", "count"),
        Field("accuracy", "majority right", "share"),
    )
    rows = tuple((each.agree, each.sites, each.accuracy) for each in finding.agreement)
    return Table("agreement", "Accuracy of the majority by how many agree", fields, rows)


@tables.register
def _(finding: Slices, top: int = TOP) -> tuple[Table, ...]:
    fields = [
        Field("value", finding.by),
        Field("sites", "sites", "count"),
        *(Field(system, system, "share") for system in finding.systems),
    ]
    rows = [(each.value, each.sites, *each.scores) for each in finding.slices]
    if finding.base is not None:
        name = f"Δ {finding.base} → {finding.new}"
        fields += [Field("difference", name, "points"), Field("p", "p", "p"), Field("p_corrected", "p (BH)", "p")]
        rows = [
            (*row, each.difference, each.p, each.p_corrected) for row, each in zip(rows, finding.slices, strict=True)
        ]
    kept, notes = _cut(list(rows), 4 * top, "slices")
    if finding.left_out:
        notes = (*notes, f"{finding.left_out:,} sites in slices beyond the limit are not shown")
    if finding.reason is not None:
        notes = (*notes, finding.reason)
    title = f"{finding.measure} by {finding.by}"
    return (Table(f"by-{finding.by}", title, tuple(fields), kept, notes),)


@tables.register
def _(finding: Examples, top: int = TOP) -> tuple[Table, ...]:
    del top
    runs = [answer.run for answer in finding.examples[0].answers] if finding.examples else []
    fields = (
        Field("document", "document"),
        Field("place", "place"),
        Field("before", "before"),
        Field("word", "word"),
        Field("after", "after"),
        Field("key", "key"),
        *(Field(run, run) for run in runs),
    )
    rows = tuple(
        (each.document, each.place, each.before, each.word, each.after, each.key, *(a.value for a in each.answers))
        for each in finding.examples
    )
    return (Table("examples", f"{len(rows):,} of {finding.count:,} where {finding.where}", fields, rows),)


@tables.register
def _(finding: Anatomy, top: int = TOP) -> tuple[Table, ...]:
    against = {}
    first = finding.scores.scores[0].system
    if finding.significance is not None:
        against = {test.new: test.p_holm for test in finding.significance.tests if test.base == first}
    found = [_score_table(finding.scores, against)]
    for part in (finding.pairs, finding.significance, finding.difference, finding.combination, *finding.slices):
        if part is not None:
            found += tables(part, top)
    return tuple(found)
