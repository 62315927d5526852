"""What all findings share: they are plain data, and know how to show themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    import polars


@dataclass(frozen=True)
class Finding:
    """The base of every finding.

    A finding holds counts, shares, names and conditions, nothing else, so it can be written as JSON
    as it stands. Beside each count stands the condition (`where`) that selects the very sites it
    counts; give it to `Result.examples` or to `comparanda examples --where`.
    """

    def __str__(self) -> str:
        from comparanda.render.console import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from comparanda.render.markup import as_html

        return as_html(self)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the main table as one dictionary a row."""
        from comparanda.render.registry import main_table

        return main_table(self).dicts()

    def to_json(self) -> str:
        """Return the whole finding as JSON."""
        from comparanda.render.json import as_json

        return as_json(self)

    def to_markdown(self) -> str:
        """Return the tables in Markdown."""
        from comparanda.render.markup import as_markdown

        return as_markdown(self)

    def to_latex(self) -> str:
        """Return the tables in LaTeX, for the package booktabs."""
        from comparanda.render.markup import as_latex

        return as_latex(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the main table as a pandas frame."""
        from comparanda.render.markup import as_pandas

        return as_pandas(self)

    def to_polars(self) -> polars.DataFrame:
        """Return the main table as a Polars frame."""
        from comparanda.render.markup import as_polars

        return as_polars(self)


@dataclass(frozen=True)
class Cell:
    """A count, and the condition that selects just these sites or items."""

    count: int
    where: str


@dataclass(frozen=True)
class SiteCount:
    """How many sites, which share of all, and the condition that selects them."""

    count: int
    share: float | None
    where: str
