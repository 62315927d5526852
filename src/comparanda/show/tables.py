"""Findings as tables: which columns, which rows, which notes below."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from comparanda.comparison.anatomy import Anatomy
from comparanda.comparison.combine import Combination, ItemOracle, OracleRow
from comparanda.comparison.difference import Difference, DifferenceClass, Pairs, Transition
from comparanda.comparison.examples import Examples
from comparanda.comparison.finding import Finding
from comparanda.comparison.keys import Keys
from comparanda.comparison.scores import Scores
from comparanda.comparison.significance import Significance
from comparanda.comparison.slices import Slices
from comparanda.comparison.sources import ErrorSources
from comparanda.comparison.spans import RunVerdict
from comparanda.show.cells import cell, counted
from comparanda.show.score_tables import score_tables, stars
from comparanda.show.source_tables import source_table
from comparanda.show.table import Field, Table

NO_SITES = "n/a: the view has no sites, it counts items alone"

# How many rows of long tables are shown unless told otherwise.
_TRANSITIONS, _LABELS, _ORACLE_LABELS, _SLICES, _PAIRS = 5, 5, 10, 20, 45


@singledispatch
def tables(finding: Finding, top: int | None = None) -> tuple[Table, ...]:  # noqa: ARG001 - for the registered ones
    """Return the tables of a finding; long ones cut to the `top` first rows, 0 for all, None for the usual."""
    raise TypeError(f"no tables for {type(finding).__name__}")


def main_table(finding: Finding) -> Table:
    """Return the table that holds the finding's rows in full."""
    return tables(finding, 0)[0]


def _cut(
    rows: list[tuple[Any, ...]], top: int | None, usual: int, one: str, many: str
) -> tuple[tuple[tuple[Any, ...], ...], tuple[str, ...]]:
    """Keep the first rows, and say how many more there are."""
    limit = usual if top is None else top
    left = len(rows) - limit
    if not limit or left <= 0:
        return tuple(rows), ()
    return tuple(rows[:limit]), (f"… {left:,} more {one if left == 1 else many} (--top 0 for all)",)


def _pairs(top: int | None) -> int | None:
    """Return how many pairs to show: all of ten systems at least, for none of them is the first."""
    return max(top, _PAIRS) if top else top


@tables.register
def _(finding: Scores, top: int | None = None) -> tuple[Table, ...]:
    del top
    return score_tables(finding, {})


@tables.register
def _(finding: Keys, top: int | None = None) -> tuple[Table, ...]:
    del top
    measures = tuple(dict.fromkeys(score.measure for each in finding.keys for score in each.scores))
    columns = [
        (Field(name, name, "share"), Field(f"{name}_interval", "95 % interval", "interval")) for name in measures
    ]
    rows: list[tuple[Any, ...]] = []
    for each in finding.keys:
        for system in finding.systems:
            mine = {score.measure: score for score in each.scores if score.system == system}
            cells = [part for name in measures for part in (mine[name].value, (mine[name].low, mine[name].high))]
            rows.append((each.key, each.items, system, *cells))
    keyed = (Field("key", "key"), Field("items", "items", "count"), Field("system", "system"))
    agreed = tuple((pair.first, pair.second, pair.value) for pair in finding.agreement)
    main = Field("value", finding.agreement[0].measure, "share")
    return (
        Table("keys", "Scores against each key", (*keyed, *(part for pair in columns for part in pair)), tuple(rows)),
        Table(
            "agreement", "How far the keys agree", (Field("first", "key"), Field("second", "other key"), main), agreed
        ),
    )


@tables.register
def _(finding: Pairs, top: int | None = None) -> tuple[Table, ...]:
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
    kept, notes = _cut(list(rows), _pairs(top), _PAIRS, "pair", "pairs")
    if not all(pair.sites for pair in finding.pairs):
        notes = (*notes, NO_SITES)
    return (Table("pairs", "Pairs: how much they differ, and how much their scores do", fields, kept, notes),)


@tables.register
def _(finding: Significance, top: int | None = None) -> tuple[Table, ...]:
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
    kept, more = _cut(rows, _pairs(top), _PAIRS, "pair", "pairs")
    methods = ", ".join(sorted({test.method for test in finding.tests}))
    notes = [
        *more,
        f"randomisation over {counted(finding.units, finding.unit)} ({methods}), "
        f"{counted(finding.resamples, 'resample')}, seed {finding.seed}; "
        "detectable: with 80 % power at the 5 % level",
        *(f"beware: {warning}" for warning in finding.warnings),
    ]
    marks = {(number, 5): mark for number, test in enumerate(finding.tests) if (mark := stars(test.p_holm))}
    marks = {place: mark for place, mark in marks.items() if place[0] < len(kept)}
    return (Table("significance", "Is the difference real?", tuple(fields), kept, tuple(notes), marks=marks),)


@tables.register
def _(finding: Difference, top: int | None = None) -> tuple[Table, ...]:
    cuts = (table for each in finding.slices for table in tables(each, top))
    sources = () if finding.sources is None else (source_table(finding.sources),)
    return (*_difference_tables(finding, top), *sources, _label_table(finding, top), *cuts)


@tables.register
def _(finding: ErrorSources, top: int | None = None) -> tuple[Table, ...]:
    del top
    return (source_table(finding),)


def _difference_tables(finding: Difference, top: int | None) -> tuple[Table, ...]:
    hidden = _hidden_aspects(finding)
    fields = (
        Field("class", "class"),
        Field("key", "key"),
        Field("base", finding.base),
        Field("new", finding.new),
        Field("count", "count", "count"),
        *(Field(f"{aspect}_changed", f"{aspect} moved", "count") for aspect in hidden),
        Field("share_of_class", "% of class", "share"),
        Field("share_of_differences", "% of differences", "share"),
        Field("share_of_sites", "% of sites", "share"),
    )
    rows: list[tuple[Any, ...]] = []
    notes: list[str] = []
    for each in finding.classes:
        title = each.name.replace("_", " ")
        whole = 1.0 if each.count else None
        moved = _changed(each, hidden)
        rows.append((title, "", "", "", each.count, *moved, whole, each.share_of_differences, each.share_of_sites))
        kept, more = _cut(
            _transition_rows(each, title, finding.sites, hidden),
            top,
            _TRANSITIONS,
            f"kind of {title}",
            f"kinds of {title}",
        )
        rows += kept
        notes += more
    notes += [_changes(each) for each in finding.classes if hidden and each.changes]
    flips = cell("share", finding.negative_flip_rate)
    notes.append(
        f"same right {finding.same_right:,}, same error {finding.same_error:,}; "
        f"new errors over all sites = negative flip rate {flips} %"
    )
    if finding.largest_site is not None:
        notes.append(f"the largest overlap site has {counted(finding.largest_site, 'span')} (crowd)")
    if not finding.sites:
        notes.append(NO_SITES)
    title = (
        f"Difference {finding.base} → {finding.new}: {cell('share', finding.diff)} % "
        f"({finding.different:,}/{finding.sites:,}), "
        f"Δ accuracy {cell('points', finding.accuracy_difference)}"
    )
    return (Table("difference", title, fields, tuple(rows), tuple(notes)),)


def _hidden_aspects(finding: Difference) -> tuple[str, ...]:
    """Return the aspects that change and that the rows do not show."""
    found = dict.fromkeys(name for each in finding.classes for change in each.changes for name in change.aspects)
    return tuple(name for name in found if name != "label") if finding.keyed_by == "label" else ()


def _changed(row: DifferenceClass | Transition, aspects: tuple[str, ...]) -> tuple[int, ...]:
    """Count the sites at which each of some aspects changes."""
    return tuple(sum(change.count for change in row.changes if name in change.aspects) for name in aspects)


def _changes(each: DifferenceClass) -> str:
    """Say which aspects change in a class: `new error: head alone 3, head and label 1`."""
    parts = []
    for change in each.changes:
        alone = " alone" if len(change.aspects) == 1 else ""
        parts.append(f"{' and '.join(change.aspects)}{alone} {change.count:,}")
    return f"{each.name.replace('_', ' ')}: {', '.join(parts)}"


def _transition_rows(each: DifferenceClass, title: str, sites: int, hidden: tuple[str, ...]) -> list[tuple[Any, ...]]:
    return [
        (
            title,
            transition.key,
            transition.base,
            transition.new,
            transition.count,
            *_changed(transition, hidden),
            transition.share_of_class,
            transition.share_of_differences,
            transition.count / sites,
        )
        for transition in each.transitions
    ]


def _label_table(finding: Difference, top: int | None) -> Table:
    fields = (
        Field("label", "key label"),
        Field("difference", "Δ", "points"),
        Field("base_share", finding.base, "share"),
        Field("new_share", finding.new, "share"),
        Field("sites", "sites", "count"),
    )
    found = [(row.label, row.difference, row.base, row.new, row.sites) for row in finding.labels]
    rows, notes = _cut(found, top, _LABELS, "label", "labels")
    return Table("labels", "Per key label, the largest difference first", fields, rows, notes)


@tables.register
def _(finding: Combination, top: int | None = None) -> tuple[Table, ...]:
    return (
        _oracle_table(finding, top),
        _greedy_table(finding),
        _hardness_table(finding),
        _agreement_table(finding),
    )


def _oracle_table(finding: Combination, top: int | None) -> Table:
    fields = (
        Field("label", "key label"),
        Field("sites", "sites", "count"),
        *(Field(run, run, "share") for run in finding.runs),
        Field("oracle", "oracle", "share"),
        Field("gain_over_best", f"over {finding.best}", "points"),
        Field("gain_over_best_here", "over best here", "points"),
    )
    labels, notes = _cut([_oracle_row(row) for row in finding.labels], top, _ORACLE_LABELS, "label", "labels")
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
    if finding.items is not None:
        below.append(_item_oracle(finding.items))
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


def _item_oracle(items: ItemOracle) -> str:
    found = ", ".join(
        f"{name} {cell('share', value)}"
        for name, value in (("precision", items.precision), ("recall", items.recall), ("F1", items.f1))
    )
    return f"over items (found by any, wrong only if claimed by all): {found}"


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
def _(finding: Slices, top: int | None = None) -> tuple[Table, ...]:
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
    kept, notes = _cut(list(rows), top, _SLICES, "slice", "slices")
    if finding.left_out:
        notes = (*notes, f"{finding.left_out:,} sites in slices beyond the limit are not shown")
    notes = (*notes, *finding.reasons)
    title = f"{finding.measure} by {finding.by}"
    return (Table(f"by-{finding.by}", title, tuple(fields), kept, notes),)


@tables.register
def _(finding: Examples, top: int | None = None) -> tuple[Table, ...]:
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
    title = f"{len(rows):,} of {finding.count:,} where {finding.where}"
    return (Table("examples", title, fields, rows), *_verdict_tables(finding, runs))


def _verdict_tables(finding: Examples, runs: list[str]) -> tuple[Table, ...]:
    """Return what rules made of the spans of examples, if there are any."""
    rows: list[tuple[Any, ...]] = []
    for each in finding.examples:
        for item in each.stretch.items if each.stretch is not None else ():
            said = {verdict.run: verdict_and_rule(verdict) for verdict in item.verdicts}
            where = "yes" if item.positive else "no"
            rows.append((each.document, each.place, item.label, item.text, where, *(said.get(run, "") for run in runs)))
    fields = (
        Field("document", "document"),
        Field("place", "place"),
        Field("label", "label"),
        Field("text", "text"),
        Field("in_key", "in the key"),
        *(Field(run, run) for run in runs),
    )
    return (Table("verdicts", "What rules made of their spans", fields, tuple(rows)),) if rows else ()


def verdict_and_rule(said: RunVerdict) -> str:
    """Write a verdict with the rule that gave it: `FN (false negative)`."""
    return said.verdict if said.rule in {"", said.verdict} else f"{said.verdict} ({said.rule})"


@tables.register
def _(finding: Anatomy, top: int | None = None) -> tuple[Table, ...]:
    against = {}
    first = finding.scores.scores[0].system
    if finding.significance is not None:
        against = {test.new: test.p_holm for test in finding.significance.tests if test.base == first}
    found = [*score_tables(finding.scores, against)]
    for part in (finding.pairs, finding.significance, finding.difference, finding.combination, *finding.slices):
        if part is not None:
            found += tables(part, top)
    return tuple(found)
