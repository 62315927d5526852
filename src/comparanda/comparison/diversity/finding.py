"""How different the errors of runs are: agreement patterns, diversity of pairs and of all, clusters (DEFINITIONS 4).

All of it is over sites, and about right and wrong alone, but for same errors and clusters. The measures of all runs
are functions of one histogram: how many sites are solved by 0, 1 … L runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.comparison.context import Context, Interval, defined, share
from comparanda.comparison.diversity.clusters import ONE_RUN, Clusters, clusters
from comparanda.comparison.diversity.patterns import Patterns, patterns
from comparanda.comparison.diversity.run_pairs import NO_SITE, RunPair, run_pairs
from comparanda.comparison.finding import Finding
from comparanda.measures import ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MEASURES: Mapping[str, Literal["higher", "lower"]] = {
    "disagreement": "higher",
    "kohavi_wolpert": "higher",
    "interrater_kappa": "lower",
    "entropy": "higher",
    "generalised_diversity": "higher",
    "coincident_failure_diversity": "higher",
}
"""The measures of all runs together, and whether a higher or a lower value means more diversity."""


@dataclass(frozen=True)
class DiversityMeasure:
    """A measure of all runs together, with its 95 % interval.

    Args:
        name: the measure.
        value: None where it is undefined.
        low: the lower end of its interval.
        high: the upper end.
        more_diverse: whether a higher or a lower value means more diversity.
        reason: why it is undefined.

    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    more_diverse: Literal["higher", "lower"]
    reason: str | None


@dataclass(frozen=True)
class Diversity(Finding):
    """How different the errors of all runs are, at the sites of the key and all of them.

    Args:
        view: the view.
        runs: the runs.
        sites: how many sites there are.
        unit: what is resampled for intervals.
        units: how many of these there are.
        resamples: how many resamples were drawn.
        seed: the seed of all draws.
        mean_accuracy: the mean share right of a run.
        oracle: the share of sites that at least one run has right.
        measures: the measures of all runs together.
        pairs: every pair of runs.
        patterns: sites by which runs are right.
        clusters: runs by how much they differ, each pair at the sites of the key and these two alone.

    """

    view: str
    runs: tuple[str, ...]
    sites: int
    unit: str
    units: int
    resamples: int
    seed: int
    mean_accuracy: float | None
    oracle: float | None
    measures: tuple[DiversityMeasure, ...]
    pairs: tuple[RunPair, ...]
    patterns: Patterns
    clusters: Clusters

    def of(self, name: str) -> DiversityMeasure:
        """Return a measure of all runs by its name."""
        return next(each for each in self.measures if each.name == name)


def diversity(context: Context) -> Diversity:
    """Say how different the errors of all runs are."""
    runs, sites = context.verdicts.runs, len(context.sites)
    histogram = _histogram(context)
    right = int((histogram * np.arange(len(runs) + 1)).sum())
    return Diversity(
        view=context.view.name,
        runs=runs,
        sites=sites,
        unit=context.verdicts.units.kind,
        units=len(context.active),
        resamples=context.resamples,
        seed=context.seed,
        mean_accuracy=share(right, sites * len(runs)),
        oracle=share(sites - int(histogram[0]), sites),
        measures=_measures(context, histogram),
        pairs=run_pairs(context),
        patterns=patterns(context),
        clusters=clusters(context),
    )


def _solved(context: Context) -> NDArray[np.int64]:
    """Return how many runs are right at each contested site; at all others all are."""
    solved = np.zeros(len(context.sites.contested), np.int64)
    for right in context.sites.disputed.right:
        solved += right
    return solved


def _histogram(context: Context) -> NDArray[np.int64]:
    """Count the sites that 0, 1 … L runs solve."""
    runs = len(context.verdicts.runs)
    counts = np.bincount(_solved(context), minlength=runs + 1)
    counts[runs] += len(context.sites) - len(context.sites.contested)
    return counts


def _unit_histograms(context: Context) -> Floats:
    """Count the same for each active unit."""
    columns, contested = len(context.verdicts.runs) + 1, context.sites.contested
    packed = context.unit[contested].astype(np.int64) * columns + _solved(context)
    counts = np.bincount(packed, minlength=context.verdicts.units.count * columns).reshape(-1, columns)
    found = counts[context.active].astype(np.float64)
    found[:, -1] += context.decided - context.unit_counts(contested)
    return found


def of_all_runs(histograms: Floats) -> Floats:
    """Return all measures, a column each, of rows that count the sites which 0, 1 … L runs solve.

    With l runs right at a site, N sites and S right answers in all: disagreement is the mean over pairs,
    2·Σ l(L−l) / (N·L·(L−1)); Kohavi–Wolpert variance Σ l(L−l) / (N·L²); interrater κ (Fleiss) is
    1 − Σ l(L−l)/L / (N·(L−1)·p̄·(1−p̄)) with p̄ = S/(N·L); entropy the mean of min(l, L−l) / (L−⌈L/2⌉); generalised
    diversity 1 − p(2)/p(1) with the chances that one, and two, runs drawn at random fail; coincident failure diversity
    the mean of l/(L−1) over sites at which a run fails, 0 if there are none.
    """
    runs = histograms.shape[1] - 1
    if runs < 2:
        return np.full((len(histograms), len(MEASURES)), np.nan)
    solved = np.arange(runs + 1)
    failed = runs - solved
    sites, right = histograms.sum(axis=1), histograms @ solved
    wrong = histograms @ failed
    mixed = histograms @ (solved * failed)
    failing = sites - histograms[:, -1]
    found_where_failing = right - runs * histograms[:, -1]
    coincident = ratio(found_where_failing, failing * (runs - 1))
    return np.stack(
        [
            ratio(2 * mixed, sites * (runs * (runs - 1))),
            ratio(mixed, sites * runs**2),
            1 - ratio(mixed * sites * runs, (runs - 1) * right * wrong),
            ratio(histograms @ np.minimum(solved, failed), sites * (runs - math.ceil(runs / 2))),
            1 - ratio(histograms @ (failed * (failed - 1)), (runs - 1) * wrong),
            np.where((sites > 0) & (failing == 0), 0.0, coincident),
        ],
        axis=1,
    )


def _measures(context: Context, histogram: NDArray[np.int64]) -> tuple[DiversityMeasure, ...]:
    values = of_all_runs(histogram[None, :].astype(np.float64))[0]
    spans: list[Interval] = [(None, None)] * len(MEASURES)
    if context.resamples:
        spans = context.interval(_unit_histograms(context), of_all_runs)
    rows = []
    for (name, more), value, (low, high) in zip(MEASURES.items(), values, spans, strict=True):
        reason = _why_undefined(name, histogram) if np.isnan(value) else None
        rows.append(DiversityMeasure(name, defined(value), low, high, more, reason))
    return tuple(rows)


def _why_undefined(name: str, histogram: NDArray[np.int64]) -> str:
    if len(histogram) == 2:
        return ONE_RUN
    if not histogram.sum():
        return NO_SITE
    if name == "interrater_kappa" and not histogram[1:].any():
        return "no run is right anywhere"
    return "no run is wrong anywhere"
