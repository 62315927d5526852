"""Confusion of labels: the labels of the key crossed with those predicted by a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.claims import LINK
from comparanda.core.sites import format_value
from comparanda.core.text_columns import TextColumn
from comparanda.errors import UsageError, suggest_nearest
from comparanda.expressions import quote_string
from comparanda.expressions.names import AMONG
from comparanda.findings.context import Context, divide_counts
from comparanda.render.count_links import Link
from comparanda.render.finding import Finding
from comparanda.render.table import NO_SITES, Field, Linked, Table, cut_rows, format_cell, format_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from comparanda.core.sites import Folded
    from comparanda.core.text_columns import Codes, Rows, Truths
    from comparanda.core.verdicts import View
    from comparanda.render.charts import MatrixCell, MatrixChart, Paper


MOST_LABELS = 40
"""The largest number of labels with rows and columns of their own; the rest share one."""

_MAX_NAMES_LENGTH = 4_000
"""The largest total length of the names of these labels: a condition names them all to select the rest."""


@dataclass(frozen=True, kw_only=True)
class LabelCount:
    """One label of the key or of the run.

    Args:
        label: the label; None for all labels together that have no row of their own.
        count: the number of sites with it.
        right: the number of them at which the run is right.
        share_right: the same as a share.
        where: the condition that selects these sites.
        where_right: the condition that selects those at which it is right.

    """

    label: str | None
    count: int
    right: int
    share_right: float | None
    where: str
    where_right: str


@dataclass(frozen=True, kw_only=True)
class Confused:
    """One cell of the confusion matrix: a label of the key and a label predicted by the run.

    Args:
        key: the key's label, or the kind of site; None for all other labels.
        predicted: the label predicted by the run; None for all other labels.
        count: the number of sites with both.
        wrong: the number of them at which the run is wrong: with equal labels, heads or extents may still differ.
        share_of_key: the share of the sites with this label of the key.
        where: the condition that selects these sites.
        where_wrong: the condition that selects those at which it is wrong.

    """

    key: str | None
    predicted: str | None
    count: int
    wrong: int
    share_of_key: float | None
    where: str
    where_wrong: str


@dataclass(frozen=True, kw_only=True)
class Confusion(Finding):
    """The confusion matrix of the labels of the key and those predicted by one run.

    Sites are those of the key and this run alone.

    Args:
        view: the view.
        run: the run.
        called: the meaning of rows: labels, or an attribute such as `kind` where the key has no informative labels.
        sites: the number of sites.
        right: the number of them that the run has right.
        key: the labels of the key, the most frequent first.
        predicted: those of the run, in the same order.
        cells: the pairs of labels, the most frequent errors first, then those without errors.
        others: the number of labels without a row and without a column of their own.
        unsaid: the labels of the key that the run never predicts.
        unknown: the labels that the run predicts and the key never has.

    """

    json_name = "confusion"

    view: str
    run: str
    called: str
    sites: int
    right: int
    key: tuple[LabelCount, ...]
    predicted: tuple[LabelCount, ...]
    cells: tuple[Confused, ...]
    others: tuple[int, int]
    unsaid: tuple[str, ...]
    unknown: tuple[str, ...]

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        return confusion_tables(self, top)

    def charts(self) -> tuple[Paper, ...]:
        """Return the charts."""
        return (confusion_chart(self),) if self.sites else ()


def compute_confusion(context: Context, run: str) -> Confusion:
    """Cross the labels of the key with those of one run."""
    runs = context.verdicts.runs
    if run not in runs:
        raise UsageError(f"unknown run {run!r}{suggest_nearest(run, runs)}", hint=f"runs: {', '.join(runs)}")
    number = runs.index(run)
    view = context.view.among([number])
    rows, columns = _make_axes(view, number, run)
    cells = _cross_labels(rows, columns, view.sites.right[number])
    if view.sites.folded is not None:
        _add_folded(cells, rows, columns, view.sites.folded)
    whose = "" if view.shared else f"{AMONG}({quote_string(run)}) and "
    writer = _RowWriter(rows=rows, columns=columns, cells=cells, whose=whose, is_right=f"right({quote_string(run)})")
    unsaid, unknown = _one_sided_labels(view, number)
    return Confusion(
        view=view.name,
        run=run,
        called=view.kinds or "label",
        sites=len(view.sites),
        right=sum(right for _, right in cells.values()),
        key=writer.labels(rows, 0),
        predicted=writer.labels(columns, 1),
        cells=writer.cells(),
        others=(rows.others, columns.others),
        unsaid=unsaid,
        unknown=unknown,
    )


_CellCounts = dict[tuple[int, int], tuple[int, int]]
"""For each row and column, the number of sites at which the key and the run have these labels, and of right ones."""


@dataclass(frozen=True, eq=False, kw_only=True)
class _Axis:
    """The rows or the columns of the table.

    Args:
        column: the name, in conditions, of the attribute by which sites are distinguished here.
        labels: the labels that may have a row of their own, the most frequent first; the row of all others is last.
        rows: the row of each site.
        others: the number of labels that occur but have no row of their own.
        row_of: the row of each label, by its code.

    """

    column: str
    labels: tuple[str, ...]
    rows: Rows
    others: int
    row_of: Rows

    @property
    def height(self) -> int:
        return len(self.labels) + 1

    def called(self, row: int) -> str | None:
        return self.labels[row] if row < len(self.labels) else None

    def condition(self, row: int) -> str:
        if row < len(self.labels):
            return f"{self.column} == {quote_string(self.labels[row])}"
        named = ", ".join(map(quote_string, self.labels))
        return f"{self.column} not in [{named}]" if named else "true"


def _make_axes(view: View, number: int, run: str) -> tuple[_Axis, _Axis]:
    """Make rows and columns, with the same labels in the same order unless rows are kinds of sites."""
    labels = view.sites.labels
    names, of_label = tuple(map(format_value, labels.names)), "label" in view.sites.aspects
    predicted = f'aspect({quote_string(run)}, "label")' if of_label else f"value({quote_string(run)})"
    if view.kinds is None:
        both, more = (labels.key, labels.values[number]), np.zeros(len(names), np.int64)
        if view.sites.folded is not None:
            more = view.sites.folded.by_label
        named = _most_frequent_labels(names, both, 2 * more)
        column = "label" if of_label else "key"
        return _make_axis(column, names=names, named=named, codes=both[0], more=more), _make_axis(
            predicted, names=names, named=named, codes=both[1], more=more
        )
    kinds = view.sites.attributes[view.kinds].make()
    if not isinstance(kinds, TextColumn):
        raise TypeError(f"the attribute {view.kinds!r} must be text")
    rows = _make_axis(view.kinds, kinds.names, _most_frequent_labels(kinds.names, [kinds.codes]), kinds.codes)
    return rows, _make_axis(
        predicted, names, _most_frequent_labels(names, [labels.values[number]]), labels.values[number]
    )


def _most_frequent_labels(names: Sequence[str], columns: Sequence[Codes], more: Codes | int = 0) -> list[int]:
    """Return the labels most frequent in the columns together, as many as a condition can name."""
    counts = np.sum([np.bincount(column, minlength=len(names)) for column in columns], axis=0) + more
    named: list[int] = []
    room = _MAX_NAMES_LENGTH
    for code in sorted(np.flatnonzero(counts).tolist(), key=lambda code: (-int(counts[code]), code)):
        length = len(quote_string(names[code]))
        if len(named) < MOST_LABELS and length <= room:
            named.append(code)
            room -= length
    return named


def _make_axis(
    column: str, names: Sequence[str], named: Sequence[int], codes: Codes, *, more: Codes | None = None
) -> _Axis:
    """Make an axis: labels not in `named` share the last row; `more` counts sites that are only counted, by label."""
    row_of = np.full(len(names), len(named), np.int64)
    row_of[list(named)] = np.arange(len(named))
    others = len({*_occurring_codes(codes), *(() if more is None else np.flatnonzero(more).tolist())} - {*named})
    return _Axis(
        column=column, labels=tuple(names[code] for code in named), rows=row_of[codes], others=others, row_of=row_of
    )


def _cross_labels(rows: _Axis, columns: _Axis, right: Truths) -> _CellCounts:
    """Count the sites with each pair of labels, and those of them that are right."""
    shape = (rows.height, columns.height, 2)
    packed = (rows.rows * columns.height + columns.rows) * 2 + right
    counts = np.bincount(packed, minlength=rows.height * columns.height * 2).reshape(shape)
    places = np.argwhere(counts.sum(axis=2)).tolist()
    return {(row, column): (int(counts[row, column].sum()), int(counts[row, column, 1])) for row, column in places}


def _add_folded(cells: _CellCounts, rows: _Axis, columns: _Axis, folded: Folded) -> None:
    """Add the sites that every run has right and that are only counted."""
    for code in np.flatnonzero(folded.by_label).tolist():
        place, count = (int(rows.row_of[code]), int(columns.row_of[code])), int(folded.by_label[code])
        both, right = cells.get(place, (0, 0))
        cells[place] = both + count, right + count


class _RowWriter:
    """Makes the rows of the finding from counts.

    Args:
        rows: the key's labels.
        columns: the run's.
        cells: the counts.
        whose: the beginning of conditions: the runs whose sites are selected, where that matters.
        is_right: the condition that the run is right.

    """

    def __init__(self, rows: _Axis, columns: _Axis, cells: _CellCounts, whose: str, *, is_right: str) -> None:
        self._rows, self._columns, self._cells = rows, columns, cells
        self._whose, self._is_right = whose, is_right

    def labels(self, axis: _Axis, side: int) -> tuple[LabelCount, ...]:
        """Make the rows of one axis; `side` is the index of the axis in the keys of cells."""
        counts, rights = self._sums(side)
        return tuple(self._label(axis, row, counts[row], rights[row]) for row in sorted(counts))

    def _sums(self, side: int) -> tuple[Counter[int], Counter[int]]:
        counts: Counter[int] = Counter()
        rights: Counter[int] = Counter()
        for place, (count, right) in self._cells.items():
            counts[place[side]] += count
            rights[place[side]] += right
        return counts, rights

    def _label(self, axis: _Axis, row: int, count: int, right: int) -> LabelCount:
        where = self._whose + axis.condition(row)
        return LabelCount(
            label=axis.called(row),
            count=count,
            right=right,
            share_right=divide_counts(right, count),
            where=where,
            where_right=f"{where} and {self._is_right}",
        )

    def cells(self) -> tuple[Confused, ...]:
        """Make all cells that have sites."""
        sizes, _ = self._sums(0)

        def rank(place: tuple[int, int]) -> tuple[int, ...]:
            count, right = self._cells[place]
            return right - count, -count, *place

        return tuple(self._make_cell(*place, sizes[place[0]]) for place in sorted(self._cells, key=rank))

    def _make_cell(self, row: int, column: int, size: int) -> Confused:
        count, right = self._cells[row, column]
        where = f"{self._whose}{self._rows.condition(row)} and {self._columns.condition(column)}"
        names = self._rows.called(row), self._columns.called(column)
        return Confused(
            key=names[0],
            predicted=names[1],
            count=count,
            wrong=count - right,
            share_of_key=divide_counts(count, size),
            where=where,
            where_wrong=f"{where} and not {self._is_right}",
        )


def _one_sided_labels(view: View, number: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the labels that only the key uses, and those that only the run uses."""
    if view.kinds is not None:
        return (), ()
    key, run = _used_labels(view, None), _used_labels(view, number)
    return tuple(sorted(key - run)), tuple(sorted(run - key))


def _used_labels(view: View, run: int | None) -> set[str]:
    """Return the single labels that the key or a run uses: those of spans, of sets, or of sites."""
    claims, sites = view.claims, view.sites
    if claims is not None:
        mine = claims.key if run is None else claims.runs[run]
        both = [] if claims.agreed is None else _occurring_codes(claims.agreed.label)
        found: Iterable[str] = (claims.names[code] for code in _occurring_codes(claims.label[mine > 0]) + both)
        return {name.partition(LINK)[0] for name in found}
    easy = [] if sites.folded is None else _occurring_codes(sites.folded.sites.key)
    if sites.parts is not None:
        values = sites.key if run is None else sites.values[run]
        return {label for code in _occurring_codes(values) + easy for label in sites.parts[code]}
    labels = sites.labels.key if run is None else sites.labels.values[run]
    found = (sites.labels.names[code] for code in _occurring_codes(labels) + easy)
    return {name for name in found if not name.startswith("\0")}


def _occurring_codes(codes: Codes) -> list[int]:
    """Return the codes that occur."""
    found: list[int] = np.flatnonzero(np.bincount(codes)).tolist()
    return found


# Confusion of labels as tables.


_SHOWN_CELLS, _SHOWN_LABELS = 20, 20  # the default number of rows
_NAMED_LABELS = 20  # the number of labels named in a note
_OTHERS = "(others)"


def confusion_tables(finding: Confusion, top: int | None) -> tuple[Table, ...]:
    """Return a table of label pairs, the most frequent errors first, and tables of the accuracy of each label."""
    return _cell_table(finding, top), *_label_tables(finding, top)


def _cell_table(finding: Confusion, top: int | None) -> Table:
    fields = (
        Field("key", _row_header(finding)),
        Field("predicted", finding.run),
        Field("count", "sites", "count"),
        Field("wrong", "wrong", "count"),
        Field("share_of_key", f"% of {finding.called}", "share"),
    )
    rows: list[tuple[Any, ...]] = []
    for each in finding.cells:
        link = Link(each.where, view=finding.view)
        rows.append(
            (
                _display_label(each.key),
                _display_label(each.predicted),
                Linked(each.count, link),
                Linked(each.wrong, link if each.wrong == each.count else Link(each.where_wrong, view=finding.view)),
                Linked(each.share_of_key, link),
            )
        )
    kept, more = cut_rows(rows, top=top, usual=_SHOWN_CELLS, one="row", many="rows")
    title = f"Predictions of {finding.run}: right at {finding.right:,} of {format_count(finding.sites, 'site')}"
    return Table(name="confusion", title=title, fields=fields, rows=kept, notes=(*more, *_notes(finding)))


def _notes(finding: Confusion) -> list[str]:
    """Write how rows are sorted, and which labels only one side has."""
    if not finding.sites:
        return [NO_SITES]
    found = ["the most frequent errors first"]
    if any(each.wrong for each in finding.cells if each.key is not None and each.key == each.predicted):
        found.append("sites with equal labels are wrong where something else differs: the head, the extent, or the id")
    if any(finding.others):
        here, there = finding.others
        found.append(f"{_OTHERS}: {format_count(here, finding.called)} of the key, {there:,} of {finding.run}")
    for labels, who in ((finding.unsaid, "only in the key"), (finding.unknown, f"only in {finding.run}")):
        if labels:
            left = len(labels) - _NAMED_LABELS
            found.append(f"{who}: {', '.join(labels[:_NAMED_LABELS])}{f' … {left:,} more' if left > 0 else ''}")
    return found


def _label_tables(finding: Confusion, top: int | None) -> tuple[Table, ...]:
    """Return tables of how often each label occurs in the key and the run and is right; separate ones for kinds."""
    if finding.called == "label":
        return (_joint_label_table(finding, top),)
    kinds = _side_table(
        finding,
        name=f"{finding.called}s",
        title=f"By {finding.called}",
        header=_row_header(finding),
        labels=finding.key,
    )
    predicted = _side_table(
        finding,
        name="predicted",
        title=f"All predictions of {finding.run}",
        header=finding.run,
        labels=finding.predicted,
    )
    return kinds, predicted


def _joint_label_table(finding: Confusion, top: int | None) -> Table:
    fields = (
        Field("label", "label"),
        Field("key", "in the key", "count"),
        Field("predicted", f"in {finding.run}", "count"),
        Field("right", "right", "count"),
        Field("share_of_key", "% of the key's", "share"),
        Field("share_of_said", f"% of {finding.run}'s", "share"),
    )
    key, predicted = ({each.label: each for each in side} for side in (finding.key, finding.predicted))
    rows = []
    for label in [*key, *(label for label in predicted if label not in key)]:
        mine, theirs = key.get(label), predicted.get(label)
        either = mine or theirs
        assert either is not None
        right = Link(either.where_right, view=finding.view)
        rows.append(
            (
                _display_label(label),
                _count_cell(finding, mine),
                _count_cell(finding, theirs),
                Linked(either.right, right),
                Linked(mine.share_right, right) if mine else None,
                Linked(theirs.share_right, right) if theirs else None,
            )
        )
    kept, more = cut_rows(rows, top=top, usual=_SHOWN_LABELS, one="label", many="labels")
    return Table(
        name="confusion-labels", title=f"Labels of the key and of {finding.run}", fields=fields, rows=kept, notes=more
    )


def _count_cell(finding: Confusion, side: LabelCount | None) -> Linked | str:
    """Return how often a side has a label; an empty cell where it never does."""
    return "" if side is None else Linked(side.count, Link(side.where, view=finding.view))


def _side_table(finding: Confusion, name: str, title: str, header: str, *, labels: tuple[LabelCount, ...]) -> Table:
    fields = (
        Field("label", header),
        Field("count", "sites", "count"),
        Field("right", "right", "count"),
        Field("share_right", "% right", "share"),
    )
    rows = []
    for each in labels:
        right = Link(each.where_right, view=finding.view)
        rows.append(
            (
                _display_label(each.label),
                Linked(each.count, Link(each.where, view=finding.view)),
                Linked(each.right, right),
                Linked(each.share_right, right),
            )
        )
    return Table(name=f"confusion-{name}", title=title, fields=fields, rows=tuple(rows))


def _row_header(finding: Confusion) -> str:
    return "key label" if finding.called == "label" else finding.called


def _display_label(label: str | None) -> str:
    return _OTHERS if label is None else label


# Confusion of labels as a chart.


_DRAWN_LABELS = 20  # the number of rows and columns drawn
_REST = "(others)"


def confusion_chart(finding: Confusion) -> MatrixChart:
    """Return the confusion matrix of the most frequent labels as a chart."""
    from comparanda.render.charts import MatrixChart
    from comparanda.render.charts.canvas import make_chart_name
    from comparanda.render.charts.theme import shorten_name

    rows = [each.label for each in finding.key[:_DRAWN_LABELS]]
    columns = [each.label for each in finding.predicted[:_DRAWN_LABELS]]
    cells = {(each.key, each.predicted): _matrix_cell(finding, each) for each in finding.cells}
    more = max(len(finding.key), len(finding.predicted)) > _DRAWN_LABELS
    errors = [each for each in finding.cells if each.wrong][:3]
    listed = "; ".join(f"{_quoted_name(each.key)} as {_quoted_name(each.predicted)} {each.wrong:,}" for each in errors)
    return MatrixChart(
        title=f"Predictions of {shorten_name(finding.run)} for each {finding.called} of the key",
        subtitle="sites; shaded by their share of the row"
        + (f"; the {_DRAWN_LABELS} most frequent labels" if more else ""),
        description=f"{finding.right:,} of {format_count(finding.sites, 'site')} are right. "
        f"The most frequent errors: {listed or 'none'}.",
        across="key",
        along=finding.run,
        rows=tuple(map(_quoted_name, rows)),
        columns=tuple(map(_quoted_name, columns)),
        cells=tuple(tuple(cells.get((row, column)) for column in columns) for row in rows),
        name=make_chart_name("confusion", finding.run),
    )


def _matrix_cell(finding: Confusion, each: Confused) -> MatrixCell:
    from comparanda.render.charts import MatrixCell

    share = "" if each.share_of_key is None else f", {format_cell('share', each.share_of_key)} % of the row"
    return MatrixCell(
        text=f"{each.count:,}",
        tooltip=f"{_quoted_name(each.key)} predicted as {_quoted_name(each.predicted)}: "
        f"{format_count(each.count, 'site')}{share}",
        shade=each.share_of_key,
        framed=each.key is not None and each.key == each.predicted,
        link=Link(each.where, view=finding.view),
    )


def _quoted_name(label: str | None) -> str:
    from comparanda.render.charts.theme import display_label, shorten_name

    return _REST if label is None else shorten_name(display_label(label))
