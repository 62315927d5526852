"""Scores as charts: each system's main score with its interval, the best above."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from comparanda.comparison.letters import compact_letters
from comparanda.show.cells import cell, counted
from comparanda.show.charts import Axis, Dot, DotPlot
from comparanda.show.charts.theme import brief
from comparanda.show.links import right_link

if TYPE_CHECKING:
    from comparanda.comparison.leaderboard import Leaderboard
    from comparanda.comparison.scores import Score, Scores


def score_chart(finding: Scores) -> DotPlot:
    """Return the main scores of all systems, the highest first; undefined ones stand at the end."""
    main = finding.scores[0].measure
    mine = [score for score in finding.scores if score.measure == main]
    mine.sort(key=lambda score: (score.value is None, -(score.value or 0.0)))  # equal ones stay in their order
    return _chart(finding, mine, {}, _how(finding), "scores")


def leaderboard_chart(finding: Leaderboard) -> DotPlot:
    """Return the same in the order of the leaderboard, with letters that say who differs from whom."""
    mine = [standing.scores[0] for standing in finding.standings]
    letters = compact_letters([score.system for score in mine if score.value is not None], finding.tests, finding.level)
    how = _how(finding)
    if not any(letters.values()):
        return _chart(finding, mine, {}, how, "leaderboard")
    how += f"; same letter: no significant difference ({100 * finding.level:g} %, Holm)"
    return _chart(finding, mine, letters, how, "leaderboard")


def _chart(
    finding: Scores | Leaderboard, scores: Sequence[Score], letters: Mapping[str, str], how: str, name: str
) -> DotPlot:
    """Draw scores in the order given, with letters behind them if there are any."""
    measure = scores[0].measure
    listed = "; ".join(f"{brief(score.system)} {cell('share', score.value)}" for score in scores)
    return DotPlot(
        title=f"{measure} of each system",
        subtitle=how,
        description=f"{measure} in percent, with 95 % intervals: {listed}.",
        x=Axis(label=f"{measure} (%)", unit="share"),
        columns=(measure, "95 % interval", *(["letters"] if letters else [])),
        dots=tuple(_dot(finding, score, letters) for score in scores),
        name=name,
    )


def _dot(finding: Scores | Leaderboard, score: Score, letters: Mapping[str, str]) -> Dot:
    """Make a row; an accuracy leads to what is right, and says how much that is."""
    link = right_link(score.measure, finding.view, score.system)
    texts = [cell("share", score.value), cell("interval", (score.low, score.high))]
    return Dot(
        name=score.system,
        value=score.value,
        low=score.low,
        high=score.high,
        texts=(*texts, *([letters.get(score.system, "")] if letters else [])),
        note="" if link is None or score.part is None else f"{score.part:,} right",
        link=link,
    )


def _how(finding: Scores | Leaderboard) -> str:
    drawn = f"; 95 % intervals by {finding.resamples:,} resamples" if finding.resamples else ""
    return f"over {counted(finding.units, finding.unit)}{drawn}"
