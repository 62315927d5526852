"""Findings as charts: which ones show what a finding says."""

from __future__ import annotations

from functools import singledispatch

from comparanda.comparison.anatomy import Anatomy
from comparanda.comparison.beliefs.finding import Probabilities
from comparanda.comparison.combine import Combination
from comparanda.comparison.complement.finding import Complementarity
from comparanda.comparison.confusion import Confusion
from comparanda.comparison.difference import Difference
from comparanda.comparison.diversity.finding import Diversity
from comparanda.comparison.finding import Finding
from comparanda.comparison.leaderboard import Leaderboard
from comparanda.comparison.scores import Scores
from comparanda.show.belief_charts import CHARTS
from comparanda.show.charts import Paper
from comparanda.show.combination_charts import greedy_chart, hardness_chart
from comparanda.show.complement_charts import complement_chart, pattern_chart
from comparanda.show.confusion_charts import confusion_chart
from comparanda.show.difference_charts import flow_chart, gain_chart
from comparanda.show.score_charts import leaderboard_chart, score_chart


@singledispatch
def drawings(finding: Finding) -> tuple[Paper, ...]:  # noqa: ARG001 - for the registered ones
    """Return the charts of a finding; many are told by their tables alone."""
    return ()


@drawings.register
def _(finding: Scores) -> tuple[Paper, ...]:
    return (score_chart(finding),)


@drawings.register
def _(finding: Leaderboard) -> tuple[Paper, ...]:
    return (leaderboard_chart(finding),)


@drawings.register
def _(finding: Difference) -> tuple[Paper, ...]:
    return (flow_chart(finding), gain_chart(finding)) if finding.different else ()


@drawings.register
def _(finding: Confusion) -> tuple[Paper, ...]:
    return (confusion_chart(finding),) if finding.sites else ()


@drawings.register
def _(finding: Combination) -> tuple[Paper, ...]:
    return (hardness_chart(finding), greedy_chart(finding)) if finding.overall.sites else ()


@drawings.register
def _(finding: Complementarity) -> tuple[Paper, ...]:
    of_all = () if finding.diversity is None else drawings(finding.diversity)
    return (complement_chart(finding), *of_all)


@drawings.register
def _(finding: Diversity) -> tuple[Paper, ...]:
    return (pattern_chart(finding),) if finding.sites else ()


@drawings.register
def _(finding: Probabilities) -> tuple[Paper, ...]:
    return (score_chart(finding.scores), *(chart(finding) for chart in CHARTS.values()))


@drawings.register
def _(finding: Anatomy) -> tuple[Paper, ...]:
    scores = finding.scores if finding.probabilities is None else finding.probabilities
    parts = (scores, finding.difference, finding.combination)
    return tuple(chart for part in parts if part is not None for chart in drawings(part))
