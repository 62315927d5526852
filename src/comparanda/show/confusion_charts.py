"""Which labels a run mistakes for which, as a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.show.cells import cell, counted
from comparanda.show.charts import MatrixCell, MatrixChart
from comparanda.show.charts.paper import named
from comparanda.show.charts.theme import brief, written
from comparanda.show.links import Link

if TYPE_CHECKING:
    from comparanda.comparison.confusion import Confused, Confusion

_LABELS = 20  # how many rows and columns are drawn
_REST = "(others)"


def confusion_chart(finding: Confusion) -> MatrixChart:
    """Return the labels of the key crossed with those of a run, the most frequent ones."""
    rows = [each.label for each in finding.key[:_LABELS]]
    columns = [each.label for each in finding.said[:_LABELS]]
    cells = {(each.key, each.said): _cell(finding, each) for each in finding.cells}
    more = max(len(finding.key), len(finding.said)) > _LABELS
    errors = [each for each in finding.cells if each.wrong][:3]
    listed = "; ".join(f"{_named(each.key)} as {_named(each.said)} {each.wrong:,}" for each in errors)
    return MatrixChart(
        title=f"What {brief(finding.run)} says for each {finding.called} of the key",
        subtitle=f"sites; shaded by their share of the row{f'; the {_LABELS} most frequent labels' if more else ''}",
        description=f"{finding.right:,} of {counted(finding.sites, 'site')} are right. "
        f"The most frequent errors: {listed or 'none'}.",
        across="key",
        along=finding.run,
        rows=tuple(map(_named, rows)),
        columns=tuple(map(_named, columns)),
        cells=tuple(tuple(cells.get((row, column)) for column in columns) for row in rows),
        name=named("confusion", finding.run),
    )


def _cell(finding: Confusion, each: Confused) -> MatrixCell:
    share = "" if each.share_of_key is None else f", {cell('share', each.share_of_key)} % of the row"
    return MatrixCell(
        said=f"{each.count:,}",
        told=f"{_named(each.key)} said to be {_named(each.said)}: {counted(each.count, 'site')}{share}",
        shade=each.share_of_key,
        framed=each.key is not None and each.key == each.said,
        link=Link(each.where, view=finding.view),
    )


def _named(label: str | None) -> str:
    return _REST if label is None else brief(written(label))
