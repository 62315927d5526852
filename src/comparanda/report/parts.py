"""Tables and charts of findings as parts of a page, with numbered links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.render.charts import apply_theme
from comparanda.render.table import make_visible
from comparanda.report.page_data import ChartPart, Column, TableCell, TablePart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from comparanda.render.charts import Paper
    from comparanda.render.count_links import Link
    from comparanda.render.finding import Finding
    from comparanda.render.table import Table
    from comparanda.report.page_data import Part

    Numbering = Callable[[Link], int]


def finding_parts(finding: Finding, number: Numbering) -> tuple[Part, ...]:
    """Return the charts of a finding, then its tables in full."""
    return *chart_parts(finding, number), *table_parts(finding, number)


def chart_parts(finding: Finding, number: Numbering) -> tuple[ChartPart, ...]:
    """Return the charts of a finding."""
    return tuple(chart_part(paper, number) for paper in finding.charts())


def chart_part(paper: Paper, number: Numbering) -> ChartPart:
    """Return one chart in the colours of the page; the links of its marks are numbered like those of cells."""
    for link in paper.links():
        number(link)
    return ChartPart(name=paper.name, title=make_visible(paper.title), svg=apply_theme(paper.svg(linked=True)))


def table_parts(finding: Finding, number: Numbering) -> tuple[TablePart, ...]:
    """Return the tables of a finding in full, with the rows of their short form displayed first."""
    pairs = zip(finding.tables(0), finding.tables(), strict=True)
    return tuple(table_part(whole, number, _find_short_rows(whole, short)) for whole, short in pairs)


def _find_short_rows(whole: Table, short: Table) -> tuple[int, ...]:
    """Return the rows of a table that are in its short form, or () if they are its first rows."""
    found: list[int] = []
    for row in range(len(whole.rows)):
        if len(found) < len(short.rows) and whole.rows[row] == short.rows[len(found)]:
            found.append(row)
    return () if found == list(range(len(found))) else tuple(found)


def table_part(table: Table, number: Numbering, first: tuple[int, ...] = ()) -> TablePart:
    """Return one table."""
    return TablePart(
        first=first,
        name=table.name,
        title=make_visible(table.title),
        columns=tuple(Column(header=make_visible(each.header), numeric=each.kind != "text") for each in table.fields),
        rows=tuple(tuple(_cells(table, row, number)) for row in range(len(table.rows))),
        notes=tuple(make_visible(note) for note in table.notes),
    )


def _cells(table: Table, row: int, number: Numbering) -> Iterable[str | TableCell]:
    for column in range(len(table.fields)):
        text, link, best = table.written(row, column), table.links.get((row, column)), (row, column) in table.best
        if link is None and not best:
            yield text
        else:
            yield TableCell(text=text, list=None if link is None else number(link), best=best)
