"""Chains of mentions pair by pair: how many mentions are treated differently, and how far the responses agree.

Tables 7 and 13 of Tuggener (2017) side by side. The first counts mentions whose class differs under a criterion, in the
light of the key (equation 2); the second takes one response for the key of the other, and does not ask the key.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from comparanda.chain_measures import REPORTED, statistics_from
from comparanda.chain_metrics import chain_counts
from comparanda.comparison.context import Context, Interval, defined, mean_of_known, share
from comparanda.comparison.finding import Finding
from comparanda.comparison.scores import scores
from comparanda.measures import Measure, measure, ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.chains import Chains
    from comparanda.comparison.resample import Matrix
    from comparanda.verdicts import System, Verdicts


@dataclass(frozen=True)
class ChainDifference:
    """At how many mentions two systems differ.

    Args:
        view: the view in which they are told apart.
        different: at how many mentions, over all pairs of runs.
        diff: their share.
        low: the lower end of the 95 % interval of diff.
        high: the upper end.
        where: the condition that selects them in this view, for these two systems.

    """

    view: str
    different: int
    diff: float | None
    low: float | None
    high: float | None
    where: str


@dataclass(frozen=True)
class CriterionPair:
    """Two systems under one criterion, as in the lower half of table 7.

    Args:
        base: the first system.
        new: the second.
        sites: the mentions that count: the key's anaphors, and what one of these two resolves and the key does not;
            times pairs of runs.
        classes: at how many of them the two are in different classes (equation 2).
        antecedents: at how many they differ if two wrong antecedents are told apart too; None where that is not known.
        score_difference: F1 of the second less that of the first.

    """

    base: str
    new: str
    sites: int
    classes: ChainDifference
    antecedents: ChainDifference | None
    score_difference: float | None


@dataclass(frozen=True)
class CriterionPairs:
    """All pairs of systems under one criterion.

    Args:
        criterion: its name, which is also that of the view.
        measure: the measure that differences of scores are about.
        pairs: the pairs.
        mean_diff: the mean over pairs of the share of mentions in different classes.
        mean_antecedents_diff: the same if two wrong antecedents are told apart too.

    """

    criterion: str
    measure: str
    pairs: tuple[CriterionPair, ...]
    mean_diff: float | None
    mean_antecedents_diff: float | None


@dataclass(frozen=True)
class ChainAgreement:
    """How far two responses agree by one metric (table 13).

    Args:
        metric: the metric.
        f1: its F1 with the first as the key, the mean over pairs of runs; None where undefined.
        low: the lower end of the 95 % interval.
        high: the upper end.
        distance: 1 − F1.
        reason: why F1 is undefined.

    """

    metric: str
    f1: float | None
    low: float | None
    high: float | None
    distance: float | None
    reason: str | None


@dataclass(frozen=True)
class ResponsePair:
    """Two responses, of which the first stands as the key of the second."""

    base: str
    new: str
    agreements: tuple[ChainAgreement, ...]


@dataclass(frozen=True)
class MetricMean:
    """The mean over all pairs of how far two responses agree by one metric, of those where it is defined."""

    metric: str
    f1: float | None
    distance: float | None


@dataclass(frozen=True)
class ChainPairs(Finding):
    """All pairs of systems: mention by mention under each criterion, and one response against another."""

    criteria: tuple[CriterionPairs, ...]
    responses: tuple[ResponsePair, ...]
    means: tuple[MetricMean, ...]


def chain_pairs(context: Context) -> ChainPairs | None:
    """Compare all pairs of systems; None where there are no chains.

    The first view gives all criteria, each other its own.
    """
    chains, views = context.view.chains, context.verdicts.views
    if chains is None:
        return None
    criteria = _criteria(context.verdicts)
    if context.view.name != next(iter(views)):
        criteria = {name: finer for name, finer in criteria.items() if context.view.name in {name, finer}}
    pairs = list(combinations(context.systems, 2))
    responses = tuple(_response_pair(context, chains, *pair) for pair in pairs)
    return ChainPairs(
        tuple(_criterion_pairs(context, name, finer, pairs) for name, finer in criteria.items()),
        responses,
        _means(responses),
    )


def _criteria(verdicts: Verdicts) -> dict[str, str | None]:
    """Return the views of classes, each with the view that tells wrong antecedents apart at the same sites."""
    views = {name: each.finer for name, each in verdicts.views.items() if each.chains is not None}
    return {name: finer for name, finer in views.items() if name not in views.values()}


def _criterion_pairs(
    context: Context, name: str, finer: str | None, pairs: Sequence[tuple[System, System]]
) -> CriterionPairs:
    plain, told_apart = (None if view is None else _on(context, view) for view in (name, finer))
    assert plain is not None
    main = measure(f"{name}.f1")
    table = scores(replace(plain, resamples=0), [main])
    found = []
    for first, second in pairs:
        values = table.value(first.name), table.value(second.name)
        ground = plain.among(first.name, second.name)
        found.append(
            CriterionPair(
                first.name,
                second.name,
                len(ground.sites) * len(first.runs) * len(second.runs),
                _difference(ground, first, second),
                None if told_apart is None else _difference(told_apart.among(first.name, second.name), first, second),
                None if values[0] is None or values[1] is None else values[1] - values[0],
            )
        )
    finer_diffs = (None if pair.antecedents is None else pair.antecedents.diff for pair in found)
    return CriterionPairs(
        name, main.name, tuple(found), mean_of_known(pair.classes.diff for pair in found), mean_of_known(finer_diffs)
    )


def _on(context: Context, view: str) -> Context:
    """Return the ground of a view."""
    return context if view == context.view.name else replace(context, view=context.verdicts.view(view))


def _difference(context: Context, first: System, second: System) -> ChainDifference:
    """Count where two systems differ, at the sites of the key and these two alone."""
    values, run_pairs = context.sites.values, list(product(first.runs, second.runs))
    apart = [np.flatnonzero(values[base] != values[new]) for base, new in run_pairs]
    all_sites = np.arange(len(context.sites))
    units = np.empty((len(context.active), 2))
    units[:, 0] = np.sum([context.unit_counts(rows) for rows in apart], axis=0)
    units[:, 1] = context.unit_counts(all_sites) * len(run_pairs)
    different = sum(map(len, apart))
    low, high = context.interval(units, lambda sums: ratio(sums[:, :1], sums[:, 1:]))[0]
    diff = share(different, len(all_sites) * len(run_pairs))
    return ChainDifference(context.view.name, different, diff, low, high, "differs")


def _response_pair(context: Context, chains: Chains, first: System, second: System) -> ResponsePair:
    """Score a response against another by all metrics, with sums over documents or topics."""
    context = context.among(first.name, second.name)
    metrics = [measure(name) for name in REPORTED]
    names = tuple(dict.fromkeys(name for each in metrics for name in each.statistics))
    statistics = np.stack(
        [_statistics(context, chains, names, *runs) for runs in product(first.runs, second.runs)], axis=1
    )  # of units, pairs of runs and names

    def finish(sums: Matrix) -> NDArray[np.float64]:
        split = np.moveaxis(sums.reshape(len(sums), *statistics.shape[1:]), -1, 0)
        by_name = dict(zip(names, split, strict=True))
        return np.stack([context.finished(each, by_name).mean(axis=-1) for each in metrics], axis=-1)

    columns = statistics.reshape(len(statistics), prod(statistics.shape[1:]))
    values = finish(columns.sum(axis=0, keepdims=True))[0]
    spans = context.interval(columns, finish)
    agreements = (_agreement(context, *each) for each in zip(metrics, values.tolist(), spans, strict=True))
    return ResponsePair(first.name, second.name, tuple(agreements))


def _statistics(context: Context, chains: Chains, names: Sequence[str], key: int, response: int) -> Matrix:
    """Count what metrics are made of, for each active unit; not to be told where only some of the sites are left."""
    if context.view.lost.issuperset(names):
        return np.full((len(context.active), len(names)), np.nan)
    counted = chain_counts(chains.unit, context.verdicts.units.count, chains.runs[key], chains.runs[response])
    columns = statistics_from(counted)
    return np.stack([columns[name] for name in names], axis=1)[context.active]


def _agreement(context: Context, metric: Measure, value: float, span: Interval) -> ChainAgreement:
    f1 = defined(value)
    if f1 is None:
        return ChainAgreement(metric.name, None, None, None, None, context.reason(metric))
    return ChainAgreement(metric.name, f1, *span, 1 - f1, None)


def _means(responses: Sequence[ResponsePair]) -> tuple[MetricMean, ...]:
    found = []
    for place, metric in enumerate(REPORTED):
        each = [pair.agreements[place] for pair in responses]
        found.append(
            MetricMean(metric, mean_of_known(one.f1 for one in each), mean_of_known(one.distance for one in each))
        )
    return tuple(found)
