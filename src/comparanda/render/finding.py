"""The base of all findings: plain data that can be rendered in every format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    import pandas
    import polars
    from rich.console import Console

    from comparanda.render.charts import Paper
    from comparanda.render.table import Table


@dataclass(frozen=True)
class Finding(ABC):
    """The base of every finding.

    A finding holds counts, shares, names and conditions, nothing else, so it can be written as JSON
    directly. Next to each count is the condition (`where`) that selects exactly the sites it
    counts; pass it to `Result.examples` or to `comparanda examples --where`.

    A subclass returns its tables, and its charts if it has any; all formats are built from them. It registers in the
    entry point group `comparanda.findings` under its `json_name`.
    """

    json_name: ClassVar[str]
    """The name of the finding in JSON documents and in `comparanda schema`."""

    @abstractmethod
    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, long ones truncated to the `top` first rows; 0 for all, None for the default number."""

    def charts(self) -> tuple[Paper, ...]:
        """Return the charts; most findings have none."""
        return ()

    def main_table(self, top: int = 0) -> Table:
        """Return the table of the finding's rows for CSV and data frames, by default with all rows."""
        return self.tables(top)[0]

    def exceeds_main_table(self) -> bool:
        """Whether other tables contain information that is not in the main table."""
        return len(self.tables()) > 1

    def print_to(self, console: Console, top: int | None = None) -> None:
        """Print the finding in a terminal."""
        from comparanda.render.console import print_table

        for table in self.tables(top):
            if not table.folded:
                print_table(table, console)

    def __str__(self) -> str:
        from comparanda.render.console import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from comparanda.render.markup import as_html

        return as_html(self)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the main table as one dictionary per row."""
        return self.main_table().dicts()

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
