"""Charts of probabilistic outputs: whether probabilities come true, and precision over recall as thresholds fall."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from comparanda.show.cells import cell
from comparanda.show.charts import Axis, Line, LineChart

if TYPE_CHECKING:
    from comparanda.comparison.beliefs.curves import Calibration
    from comparanda.comparison.beliefs.finding import Probabilities, ProbableRun


def reliability_chart(finding: Probabilities) -> LineChart:
    """Return how often decided tuples are right, over how probable they were said to be, bin by bin."""
    lines = [
        Line(
            name=f"{run.run} (ECE {cell('share', mine.ece)})",
            x=[each.mean for each in mine.bins if each.mean is not None],
            y=[each.share for each in mine.bins if each.share is not None],
            pointed=True,
        )
        for run, mine in ((run, _decided(run)) for run in finding.runs)
    ]
    return LineChart(
        title="Do probabilities come true?",
        subtitle=f"decided tuples in {finding.bins} bins by w; below the diagonal: too sure of itself",
        description="Share of right tuples over their mean probability, for each system: "
        + "; ".join(f"{run.run} has an ECE of {cell('share', _decided(run).ece)}" for run in finding.runs)
        + ".",
        x=Axis(label="mean probability (%)", unit="share", low=0, high=1),
        y=Axis(label="right (%)", unit="share", low=0, high=1),
        lines=(*lines, Line(name="as said", x=(0, 1), y=(0, 1), reference=True)),
        name="reliability",
    )


def threshold_chart(finding: Probabilities) -> LineChart:
    """Return precision over recall as the threshold on w falls, over the whole key."""
    lines = tuple(
        Line(
            name=f"{run.run} (AP {cell('share', run.thresholds.average_precision)})",
            x=run.thresholds.recall or (),
            y=run.thresholds.precision if run.thresholds.recall is not None else (),
        )
        for run in finding.runs
    )
    return LineChart(
        title="Precision and recall as the threshold falls",
        subtitle=f"decided by {finding.decide}, then cut by w; recall is over the whole key",
        description="Precision over recall for each system: "
        + "; ".join(f"{run.run} reaches {cell('share', run.thresholds.recall_max)} % recall" for run in finding.runs)
        + ".",
        x=Axis(label="recall (%)", unit="share", low=0),
        y=Axis(label="precision (%)", unit="share", low=0, high=1),
        lines=lines,
        name="thresholds",
    )


def _decided(run: ProbableRun) -> Calibration:
    """Return the calibration of the decided tuples of a run, which stands first."""
    return run.calibration[0]


CHARTS: dict[str, Callable[[Probabilities], LineChart]] = {
    "reliability": reliability_chart,
    "thresholds": threshold_chart,
}
"""The charts by name, as `score --chart` takes them."""
