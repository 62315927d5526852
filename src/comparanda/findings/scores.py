"""Scores of each system, with intervals."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.measures import of_view
from comparanda.core.sites import format_value, sum_by_code
from comparanda.expressions import quote_string
from comparanda.findings.context import Context, Interval, compute_intervals, is_value, none_if_nan
from comparanda.findings.resamples import bootstrap_sums
from comparanda.render.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from comparanda.core.items import Items
    from comparanda.core.measures import Measure
    from comparanda.render.charts import Paper
    from comparanda.render.table import Table


_ACCURACY_NAME = re.compile(r"(?:(?P<view>[a-z][a-z0-9_]*)\.)?accuracy(?:\[(?P<label>.+)\])?", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Score:
    """One measure of one system.

    Args:
        system: its name.
        measure: the measure's name.
        value: the score, the mean over runs if there are several; None where undefined.
        low: the lower end of the 95 % interval.
        high: the upper end.
        part: the numerator, summed over all runs, where the measure is a plain share.
        whole: the denominator.
        reason: why the value is undefined.
        by_run: the score of each run.

    """

    system: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    part: int | float | None
    whole: int | float | None
    reason: str | None
    by_run: tuple[float | None, ...]


@dataclass(frozen=True, kw_only=True)
class OutcomeCount:
    """The number of times rules gave one verdict to a run.

    Args:
        view: the view.
        run: the run.
        side: `key` for items of the key, `system` for other items that the run claims.
        outcome: the verdict, such as TP, FN or FP.
        count: the number of items.
        where: the condition that selects them.

    """

    view: str
    run: str
    side: str
    outcome: str
    count: int
    where: str


@dataclass(frozen=True, kw_only=True)
class Scores(Finding):
    """The scores of all systems and, where rules decide, the number of times they gave each verdict."""

    json_name = "scores"

    view: str
    units: int
    unit: str
    resamples: int
    seed: int
    scores: tuple[Score, ...]
    outcomes: tuple[OutcomeCount, ...]

    def value(self, system: str, measure: str | None = None) -> float | None:
        """Return one score by system and measure, by default the main one."""
        name = measure or self.scores[0].measure
        return next(score.value for score in self.scores if (score.system, score.measure) == (system, name))

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        del top  # these tables are short
        from comparanda.findings.score_tables import score_tables

        return score_tables(self, {})

    def charts(self) -> tuple[Paper, ...]:
        """Return the charts."""
        from comparanda.findings.score_tables import score_chart

        return (score_chart(self),)

    def main_table(self, top: int = 0) -> Table:
        """Return the table of the finding's rows."""
        del top  # these tables are short
        from comparanda.findings.score_tables import main_score_table

        return main_score_table(self)

    def exceeds_main_table(self) -> bool:
        """Whether other tables hold something that the main table does not."""
        from comparanda.findings.score_tables import metrics_of

        return super().exceeds_main_table() and not (metrics_of(self) and not self.outcomes)


def compute_scores(context: Context, measures: Sequence[Measure] = ()) -> Scores:
    """Score every system by the given measures, by default those of the view."""
    chosen = tuple(measures) or context.measures
    statistics = context.statistics(chosen)
    sums = {name: values.sum(axis=0) for name, values in statistics.items()}
    samples = resampled_scores(context, chosen, statistics)
    rows = []
    for each in chosen:
        runs = context.finished(each, sums)
        values = context.by_system(runs)
        spans: list[Interval] = [(None, None)] * len(values)
        if samples is not None:
            spans = compute_intervals(samples[each.name])
        for place, system in enumerate(context.systems):
            value = none_if_nan(values[place])
            part, whole = _numerator_and_denominator(each, sums, system.runs)
            low, high = spans[place]
            rows.append(
                Score(
                    system=system.name,
                    measure=each.name,
                    value=value,
                    low=low,
                    high=high,
                    part=part,
                    whole=whole,
                    reason=context.reason(each) if value is None else None,
                    by_run=tuple(none_if_nan(runs[run]) for run in system.runs),
                )
            )
    units = context.verdicts.units
    return Scores(
        view=context.view.name,
        units=len(context.active),
        unit=units.kind,
        resamples=context.resamples,
        seed=context.seed,
        scores=tuple(rows),
        outcomes=_count_outcomes(context, chosen),
    )


def _count_outcomes(context: Context, measures: Sequence[Measure]) -> tuple[OutcomeCount, ...]:
    """Count the verdicts of rules in every view that one of the measures belongs to."""
    views = {of_view(context.verdicts, context.view, name)[0].name for each in measures for name in each.statistics}
    found = []
    for name in (each for each in context.verdicts.views if each in views):
        view = context.view if name == context.view.name else context.verdicts.views[name]
        outcomes = None if view.given_items is None else view.given_items.outcomes
        if outcomes is None or view.given_items is None:
            continue
        positive, size = view.given_items.positive, len(outcomes.verdicts)
        easy = _count_folded_outcomes(view.given_items)
        for number, (run, codes) in enumerate(zip(context.verdicts.runs, outcomes.verdict, strict=True)):
            for side, rows, more in (("key", positive, easy[number]), ("system", ~positive, 0)):
                counts = (np.bincount(codes[rows], minlength=size) + more).tolist()
                pairs = zip(outcomes.verdicts, counts, strict=True)
                found += [
                    OutcomeCount(
                        view=name,
                        run=run,
                        side=side,
                        outcome=verdict,
                        count=count,
                        where=outcome_condition(run, side, verdict),
                    )
                    for verdict, count in pairs
                    if verdict and count
                ]
    return tuple(found)


def _count_folded_outcomes(items: Items) -> list[NDArray[np.int64] | int]:
    """Count the verdicts of each run on items that are stored only as counts."""
    folded = items.folded
    if folded is None or folded.outcomes is None:
        return [0] * len(items.claimed)
    return [sum_by_code(codes, folded.count, len(folded.outcomes.verdicts)) for codes in folded.outcomes.verdict]


def sites_of_accuracy(measure: str) -> tuple[str | None, str] | None:
    """Return the view and the condition of the sites over which an accuracy is computed; None for other measures.

    >>> sites_of_accuracy('uas.accuracy[nsubj]'), sites_of_accuracy("accuracy"), sites_of_accuracy("f1")
    (('uas', 'label == "nsubj"'), (None, 'true'), None)
    """
    match = _ACCURACY_NAME.fullmatch(measure)
    if match is None:
        return None
    return match["view"], "true" if match["label"] is None else is_value("label", format_value(match["label"]))


def outcome_condition(run: str, side: str, outcome: str) -> str:
    """Write the condition that rules gave a verdict to a run, on an item of the key or on a surplus item."""
    return (
        f"{'not negative' if side == 'key' else 'negative'} and verdict({quote_string(run)}) == {quote_string(outcome)}"
    )


def _numerator_and_denominator(
    each: Measure, sums: Mapping[str, NDArray[np.float64]], runs: tuple[int, ...]
) -> tuple[int | float | None, int | float | None]:
    if not each.plain:
        return None, None
    top, bottom = (_to_number(float(sums[name][list(runs)].sum())) for name in each.statistics)
    return top, bottom


def _to_number(value: float) -> int | float | None:
    """Convert a count to an integer, a sum of credits to a float, and NaN to None."""
    return int(value) if value.is_integer() else none_if_nan(value)


def resampled_scores(
    context: Context, measures: Sequence[Measure], statistics: Mapping[str, NDArray[np.float64]]
) -> dict[str, NDArray[np.float64]] | None:
    """Compute each measure on the bootstrap resamples, as (resamples, systems); None without resampling."""
    if not context.resamples or len(context.active) < 2:
        return None
    flat = {name: values.reshape(len(values), -1) for name, values in statistics.items()}
    sums = bootstrap_sums(np.concatenate(list(flat.values()), axis=1), context.resamples, context.seed)
    return {each.name: context.by_system(context.finished(each, split_sums(sums, statistics))) for each in measures}


def split_sums(
    sums: NDArray[np.float64], statistics: Mapping[str, NDArray[np.float64]]
) -> dict[str, NDArray[np.float64]]:
    """Split resampled columns into the statistics from which they were concatenated."""
    parts, begin = {}, 0
    for name, values in statistics.items():
        shape = values.shape[1:]
        width = int(np.prod(shape))
        parts[name] = sums[:, begin : begin + width].reshape(len(sums), *shape)
        begin += width
    return parts
