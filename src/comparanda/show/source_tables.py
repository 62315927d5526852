"""Whose errors two systems make, as a table: the base's in rows, the new system's in columns."""

from __future__ import annotations

from comparanda.comparison.sources import ErrorSources
from comparanda.show.table import Field, Table


def source_table(finding: ErrorSources) -> Table:
    """Cross the sources of errors; the corner is where nobody errs."""
    used = finding.sources
    fields = (
        Field("base_source", f"{finding.base}: errors of"),
        *(Field(name, f"{finding.new}: {name}", "count") for name in used),
        Field("all", "sites", "count"),
    )
    rows = [(name, *(finding.count(name, other) for other in used)) for name in used]
    return Table(
        "sources",
        f"Whose errors they are: {finding.base} → {finding.new}",
        fields,
        tuple((*row, sum(row[1:])) for row in rows),
        (f"sites by whose errors they hold, view {finding.view}; none: no error in what is counted",),
    )
