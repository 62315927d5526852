"""What systems could do together, as charts: how hard sites are, and what each system adds to the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.show.cells import cell, counted
from comparanda.show.charts import Axis, BarChart, Bars, Dot, DotPlot
from comparanda.show.charts.theme import brief
from comparanda.show.links import Link

if TYPE_CHECKING:
    from comparanda.comparison.combine import Combination


def hardness_chart(finding: Combination) -> BarChart:
    """Return how many sites just so many runs have right."""
    runs = len(finding.runs)
    ends = {0: "none", runs: "all" if runs > 1 else "one"}
    listed = ", ".join(f"{each.solved_by} right {each.count:,}" for each in finding.hardness)
    return BarChart(
        title="How hard are the sites?",
        subtitle=f"sites by how many of {counted(runs, 'system')} have them right",
        description=f"Sites by how many systems have them right: {listed}.",
        label="systems that are right",
        groups=tuple(ends.get(each.solved_by, f"{each.solved_by}") for each in finding.hardness),
        y=Axis(label="sites", unit="count"),
        bars=(
            Bars(
                name="sites",
                values=tuple(each.count for each in finding.hardness),
                links=tuple(Link(each.where, view=finding.view) for each in finding.hardness),
            ),
        ),
        name="hardness",
        height=340,
    )


def greedy_chart(finding: Combination) -> DotPlot:
    """Return how the oracle grows: the best run first, then always the one that adds most."""
    steps = finding.greedy
    first = steps[0].accuracy if steps else None
    dots = tuple(
        Dot(
            name=step.run,
            value=step.accuracy,
            texts=(f"{step.gain:,}", cell("share", step.accuracy)),
            link=Link(step.where, view=finding.view),
        )
        for step in steps
    )
    listed = ", ".join(f"{brief(step.run)} {cell('share', step.accuracy)}" for step in steps)
    return DotPlot(
        title="What each system adds to an oracle",
        subtitle="right where one of the systems so far is; the best first, then always the one that adds most",
        description=f"Share of sites that at least one system so far has right, in percent: {listed}.",
        x=Axis(label="sites that one of them has right (%)", unit="share"),
        columns=("sites added", "oracle so far"),
        dots=dots,
        joined=True,
        reference=None if first is None else (f"{brief(steps[0].run)} alone", first),
        name="greedy",
    )
