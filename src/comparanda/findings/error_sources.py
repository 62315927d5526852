"""The errors of two systems cross-tabulated by their source, such as the tagger or the resolver."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.verdicts import NO_ERROR
from comparanda.expressions import quote_string
from comparanda.findings.context import is_value
from comparanda.render.count_links import Link
from comparanda.render.finding import Finding
from comparanda.render.table import Field, Linked, Table

if TYPE_CHECKING:
    from comparanda.findings.context import Context


@dataclass(frozen=True)
class SourceCell:
    """Sites at which the base's error has one source and the new system's another.

    Args:
        base: the source of the base's error; "none" where it makes none.
        new: the source of the new system's error.
        sites: the number of sites.
        where: the condition that selects them.

    """

    base: str
    new: str
    sites: int
    where: str


@dataclass(frozen=True, kw_only=True)
class ErrorSources(Finding):
    """The errors of two systems cross-tabulated by source, over the overlap sites of the key and these two."""

    json_name = "sources"

    view: str
    base: str
    new: str
    sites: int
    sources: tuple[str, ...]
    cells: tuple[SourceCell, ...]

    def count(self, base: str, new: str) -> int:
        """Return the number of sites in a cell."""
        return next((cell.sites for cell in self.cells if (cell.base, cell.new) == (base, new)), 0)

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        del top  # these tables are short
        return (source_table(self),)


def error_sources(context: Context, base: str, new: str) -> ErrorSources | None:
    """Cross-tabulate the sources of two systems' errors; None where the view has no error sources."""
    if context.view.error_sources is None:
        return None
    paired = context.among(base, new)
    found = paired.view.error_sources
    assert found is not None
    size, runs = len(found.names), paired.verdicts.system
    easy = len(paired.sites) - paired.sites.rows
    counts = np.zeros(size * size, np.int64)
    for first, second in product(runs(base).runs, runs(new).runs):
        codes = found.runs[first].astype(np.int64) * size + found.runs[second]
        counts += np.bincount(codes, minlength=size * size)
        counts[0] += easy  # the first cell: no error by either
    table = {pair: count for pair, count in zip(product(found.names, repeat=2), counts.tolist(), strict=True) if count}
    names = sorted(
        {found.names[0], *(name for pair in table for name in pair)}, key=_sort_key
    )  # of these two systems only
    cells = [
        SourceCell(mine, theirs, table.get((mine, theirs), 0), _source_condition(mine, theirs))
        for mine, theirs in product(names, repeat=2)
    ]
    return ErrorSources(
        view=context.view.name, base=base, new=new, sites=int(counts.sum()), sources=tuple(names), cells=tuple(cells)
    )


def _sort_key(name: str) -> tuple[bool, int, str]:
    """Build the sort key of a source: none, then single sources, then combined ones."""
    return name != NO_ERROR, name.count(" and "), name


def _source_condition(base: str, new: str) -> str:
    return f"base_source == {quote_string(base)} and new_source == {quote_string(new)}"


# Error sources as a table: the base's in rows, the new system's in columns.


def source_table(finding: ErrorSources) -> Table:
    """Build the table of error sources; the corner is where neither system makes an error."""
    used = finding.sources
    fields = (
        Field("base_source", f"{finding.base}: errors of"),
        *(Field(name, f"{finding.new}: {name}", "count") for name in used),
        Field("all", "sites", "count"),
    )
    return Table(
        name="sources",
        title=f"Error sources: {finding.base} → {finding.new}",
        fields=fields,
        rows=tuple(tuple(_source_row(finding, name)) for name in used),
        notes=(f"sites by the sources of their errors, view {finding.view}; none: no counted error",),
    )


def _source_row(finding: ErrorSources, name: str) -> Iterable[Any]:
    """Yield the source of the base's errors, the sites by source of the new system's errors, and all sites."""
    mine = {cell.new: cell for cell in finding.cells if cell.base == name}
    counts = {mine[other].where: mine[other].sites for other in finding.sources}
    counts[is_value("base_source", name)] = sum(counts.values())
    yield name
    for where, count in counts.items():
        yield Linked(count, Link(where, finding.base, finding.new, finding.view))
