"""From tables and charts as all of `show` knows them to the parts of a page, with numbers for their links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.page.data import Column, TableCell, TablePart
from comparanda.show.cells import visible
from comparanda.show.tables import tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from comparanda.comparison.finding import Finding
    from comparanda.show.links import Link
    from comparanda.show.table import Table

    Numbering = Callable[[Link], int]


def table_parts(finding: Finding, number: Numbering) -> tuple[TablePart, ...]:
    """Return the tables of a finding, in full."""
    return tuple(table_part(table, number) for table in tables(finding, 0))


def table_part(table: Table, number: Numbering) -> TablePart:
    """Return one table."""
    return TablePart(
        name=table.name,
        title=visible(table.title),
        columns=tuple(Column(header=visible(each.header), numeric=each.kind != "text") for each in table.fields),
        rows=tuple(tuple(_cells(table, row, number)) for row in range(len(table.rows))),
        notes=tuple(visible(note) for note in table.notes),
    )


def _cells(table: Table, row: int, number: Numbering) -> Iterable[str | TableCell]:
    for column in range(len(table.fields)):
        text, link, best = table.written(row, column), table.links.get((row, column)), (row, column) in table.best
        if link is None and not best:
            yield text
        else:
            yield TableCell(text=text, list=None if link is None else number(link), best=best)
