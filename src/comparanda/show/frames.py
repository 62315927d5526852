"""Findings as data frames, with the library the user has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.errors import MissingExtraError
from comparanda.show.tables import main_table

if TYPE_CHECKING:
    import pandas
    import polars

    from comparanda.comparison.finding import Finding


def as_pandas(finding: Finding) -> pandas.DataFrame:
    """Return the main table as a pandas frame."""
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("this needs pandas", hint="pip install pandas") from None
    table = main_table(finding)
    return pandas.DataFrame(table.dicts(), columns=list(table.keys()))


def as_polars(finding: Finding) -> polars.DataFrame:
    """Return the main table as a Polars frame."""
    try:
        import polars
    except ImportError:
        raise MissingExtraError("this needs Polars", hint="pip install polars") from None
    table = main_table(finding)
    rows = table.dicts()
    if not rows:
        return polars.DataFrame(schema=list(table.keys()))
    return polars.DataFrame(rows, infer_schema_length=None)
