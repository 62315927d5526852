"""Whose errors are whose, as charts: a matrix of all pairs, and who is right together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.show.cells import UNDEFINED, cell, counted
from comparanda.show.charts import Group, MatrixCell, MatrixChart, UpSetChart
from comparanda.show.charts.theme import brief
from comparanda.show.links import Link

if TYPE_CHECKING:
    from comparanda.comparison.complement.finding import Complementarity, ComplementPair
    from comparanda.comparison.complement.rates import Rate, Rates
    from comparanda.comparison.diversity.finding import Diversity
    from comparanda.comparison.diversity.patterns import Pattern

_PATTERNS = 20  # how many rows are drawn; the rest stand together
_FEW = 12  # so many systems have cells wide enough for all digits
_NAMED = 6  # how many systems of a pattern are read out


def complement_chart(finding: Complementarity) -> MatrixChart:
    """Return which share of each system's errors every other does not make; FComp where these are of items."""
    names = tuple(dict.fromkeys(name for pair in finding.pairs for name in (pair.first, pair.second)))
    rates = [
        (pair, each, each.comp if finding.over == "sites" else each.fcomp)
        for pair in finding.pairs
        for each in (pair.forth, pair.back)
    ]
    known = [rate.value for _, _, rate in rates if rate.value is not None]
    writer = _CellWriter(finding, many=len(names) > _FEW, low=min(known, default=0.0), high=max(known, default=1.0))
    cells = {(each.system, each.other): writer.cell(pair, each, rate) for pair, each, rate in rates}
    measure = "Comp" if finding.over == "sites" else "FComp"
    return MatrixChart(
        title="Which errors does another not make?",
        subtitle=f"{measure}: the share (%) of the row's errors that the column does not make; shaded by value",
        description=f"{measure} of every pair of {counted(len(names), 'system')}, in percent: the share of the errors "
        "of one system, in rows, that another, in columns, does not make.",
        across="errors of",
        along="not made by",
        rows=names,
        columns=names,
        cells=tuple(tuple(cells.get((row, column)) for column in names) for row in names),
        name="complementarity",
    )


class _CellWriter:
    """Makes cells, shaded from the lowest value to the highest.

    Args:
        finding: the finding.
        many: whether there are so many systems that cells are narrow and lead nowhere.
        low: the lowest value.
        high: the highest.

    """

    def __init__(self, finding: Complementarity, *, many: bool, low: float, high: float) -> None:
        self.finding, self.many, self.low, self.high = finding, many, low, high

    def cell(self, pair: ComplementPair, rates: Rates, rate: Rate) -> MatrixCell:
        """Make one; where Comp is over sites it leads to those that the one has wrong and the other not."""
        told = f"errors of {brief(rates.system)} not made by {brief(rates.other)}"
        if rate.value is None:
            return MatrixCell(said=UNDEFINED, told=f"{told}: {UNDEFINED}")
        said = f"{100 * rate.value:.0f}" if self.many else cell("share", rate.value)
        told = f"{told}: {said} %"
        shade = (rate.value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        alone = pair.overlap.wrong_in_first if rates is pair.forth else pair.overlap.wrong_in_second
        if alone is None or self.many:
            return MatrixCell(said=said, told=told, shade=shade)
        link = Link(alone.where, pair.first, pair.second, self.finding.view)
        return MatrixCell(said=said, told=f"{told}, {counted(alone.count, 'site')}", shade=shade, link=link)


def pattern_chart(finding: Diversity) -> UpSetChart:
    """Return who is right together, the most frequent patterns, and the rest in one row."""
    shown = finding.patterns.patterns[:_PATTERNS]
    groups = [_group(finding, each) for each in shown]
    rest = finding.sites - sum(each.count for each in shown)
    if rest:
        told = counted(finding.patterns.distinct - len(shown), "rarer pattern")
        where = f"not ({' or '.join(f'({each.where})' for each in shown)})"
        groups.append(Group(members=None, count=rest, told=told, link=Link(where, view=finding.view)))
    listed = "; ".join(f"{group.told} {group.count:,}" for group in groups[:5])
    return UpSetChart(
        title="Who is right together?",
        subtitle="a full dot: the system is right; the bar: at how many sites just these are",
        description=f"Sites by which systems have them right, the most frequent first: {listed or 'no sites'}.",
        members=finding.runs,
        groups=tuple(groups),
        name="patterns",
    )


def _group(finding: Diversity, each: Pattern) -> Group:
    right = {*each.right}
    named = ", ".join(map(brief, each.right[:_NAMED])) + (" …" if len(right) > _NAMED else "")
    told = f"{len(right)} of {counted(len(finding.runs), 'system')} right" + (f" ({named})" if named else "")
    return Group(
        members=tuple(run in right for run in finding.runs),
        count=each.count,
        told=told,
        link=Link(each.where, view=finding.view),
    )
