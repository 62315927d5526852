"""Findings as data frames, with the library the user has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.errors import MissingExtraError
from comparanda.show.tables import main_table

if TYPE_CHECKING:
    import pandas
    import polars

    from comparanda.compare.finding import Finding


def as_pandas(finding: Finding) -> pandas.DataFrame:
    """Return the main table as a pandas frame."""
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("this needs pandas", hint="pip install pandas") from None
    return pandas.DataFrame(main_table(finding).dicts())


def as_polars(finding: Finding) -> polars.DataFrame:
    """Return the main table as a Polars frame."""
    try:
        import polars
    except ImportError:
        raise MissingExtraError("this needs Polars", hint="pip install polars") from None
    return polars.DataFrame(main_table(finding).dicts(), infer_schema_length=None)
