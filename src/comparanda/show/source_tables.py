"""Whose errors two systems make, as a table: the base's in rows, the new system's in columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from comparanda.comparison.context import is_value
from comparanda.comparison.sources import ErrorSources
from comparanda.show.links import Link
from comparanda.show.table import Field, Linked, Table


def source_table(finding: ErrorSources) -> Table:
    """Cross the sources of errors; the corner is where nobody errs."""
    used = finding.sources
    fields = (
        Field("base_source", f"{finding.base}: errors of"),
        *(Field(name, f"{finding.new}: {name}", "count") for name in used),
        Field("all", "sites", "count"),
    )
    return Table(
        "sources",
        f"Whose errors they are: {finding.base} → {finding.new}",
        fields,
        tuple(tuple(_row(finding, name)) for name in used),
        (f"sites by whose errors they hold, view {finding.view}; none: no error in what is counted",),
    )


def _row(finding: ErrorSources, name: str) -> Iterable[Any]:
    """Yield the source of the base's errors, the sites by those of the new system's, and all of them."""
    mine = {cell.new: cell for cell in finding.cells if cell.base == name}
    counts = {mine[other].where: mine[other].sites for other in finding.sources}
    counts[is_value("base_source", name)] = sum(counts.values())
    yield name
    for where, count in counts.items():
        yield Linked(count, Link(where, finding.base, finding.new, finding.view))
