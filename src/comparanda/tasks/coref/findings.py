"""Findings on coreference chains: pairwise differences and agreement."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain, combinations, product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.measures import Measure, parse_measure, ratio
from comparanda.findings.context import Context, Interval, divide_counts, mean_of_known, none_if_nan
from comparanda.findings.score_tables import metric_name
from comparanda.findings.scores import compute_scores
from comparanda.findings.table_links import EVERY_PAIR
from comparanda.render.count_links import Link
from comparanda.render.finding import Finding
from comparanda.render.table import Field, Linked, Table, cut_rows
from comparanda.tasks.coref.measures import REPORTED, chain_counts, statistics_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.core.chains import Chains
    from comparanda.core.verdicts import System, Verdicts
    from comparanda.findings.resamples import Matrix


# Pairs of systems: how many mentions they treat differently, and how far their chains agree.
#
# Tables 7 and 13 of Tuggener (2017). The first counts mentions whose class under a criterion, relative to the key,
# differs (equation 2); the second uses one system output as the key of the other, without the gold key.


@dataclass(frozen=True, kw_only=True)
class ChainDifference:
    """The number of mentions at which two systems differ.

    Args:
        view: the view in which they are distinguished.
        different: the number of mentions, over all pairs of runs.
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


@dataclass(frozen=True, kw_only=True)
class CriterionPair:
    """Two systems under one criterion, as in the lower half of table 7.

    Args:
        base: the first system.
        new: the second.
        sites: the mentions that count: the key's anaphors, and those that one of the two resolves and the key does not;
            times pairs of runs.
        classes: the number of them with different classes for the two (equation 2).
        antecedents: the same if different wrong antecedents are distinguished too; None where that is unknown.
        score_difference: F1 of the second minus that of the first.

    """

    base: str
    new: str
    sites: int
    classes: ChainDifference
    antecedents: ChainDifference | None
    score_difference: float | None


@dataclass(frozen=True, kw_only=True)
class CriterionPairs:
    """All pairs of systems under one criterion.

    Args:
        criterion: its name, which is also that of the view.
        measure: the measure of the score differences.
        pairs: the pairs.
        mean_diff: the mean over pairs of the share of mentions in different classes.
        mean_antecedents_diff: the same if different wrong antecedents are distinguished too.

    """

    criterion: str
    measure: str
    pairs: tuple[CriterionPair, ...]
    mean_diff: float | None
    mean_antecedents_diff: float | None


@dataclass(frozen=True, kw_only=True)
class ChainAgreement:
    """The agreement of two system outputs by one metric (table 13).

    Args:
        metric: the metric.
        f1: its F1 with the first as the key, mean over pairs of runs; None where undefined.
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
    """Two system outputs, the first used as the key of the second."""

    base: str
    new: str
    agreements: tuple[ChainAgreement, ...]


@dataclass(frozen=True)
class MetricMean:
    """The mean agreement by one metric, over all pairs of system outputs for which it is defined."""

    metric: str
    f1: float | None
    distance: float | None


@dataclass(frozen=True)
class ChainPairs(Finding):
    """All pairs of systems: mention by mention under each criterion, and one output against another."""

    json_name = "chain_pairs"

    criteria: tuple[CriterionPairs, ...]
    responses: tuple[ResponsePair, ...]
    means: tuple[MetricMean, ...]

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        return chain_tables(self, top)


def chain_pairs(context: Context) -> ChainPairs | None:
    """Compare all pairs of systems; None where there are no chains.

    The first view covers all criteria, each other view its own.
    """
    chains, views = context.view.chains, context.verdicts.views
    if chains is None:
        return None
    criteria = _pair_views(context.verdicts)
    if context.view.name != next(iter(views)):
        criteria = {name: finer for name, finer in criteria.items() if context.view.name in {name, finer}}
    pairs = list(combinations(context.systems, 2))
    responses = tuple(_compare_outputs(context, chains, *pair) for pair in pairs)
    return ChainPairs(
        tuple(_compare_under_criterion(context, name, finer, pairs) for name, finer in criteria.items()),
        responses,
        _metric_means(responses),
    )


def _pair_views(verdicts: Verdicts) -> dict[str, str | None]:
    """Pair each view of classes with the view that distinguishes wrong antecedents at the same sites."""
    views = {name: each.finer for name, each in verdicts.views.items() if each.chains is not None}
    return {name: finer for name, finer in views.items() if name not in views.values()}


def _compare_under_criterion(
    context: Context, name: str, finer: str | None, pairs: Sequence[tuple[System, System]]
) -> CriterionPairs:
    plain, finer_context = (None if view is None else _in_view(context, view) for view in (name, finer))
    assert plain is not None
    main = parse_measure(f"{name}.f1")
    table = compute_scores(replace(plain, resamples=0), [main])
    found = []
    for first, second in pairs:
        values = table.value(first.name), table.value(second.name)
        pair_context = plain.among(first.name, second.name)
        found.append(
            CriterionPair(
                base=first.name,
                new=second.name,
                sites=len(pair_context.sites) * len(first.runs) * len(second.runs),
                classes=_count_differences(pair_context, first, second),
                antecedents=None
                if finer_context is None
                else _count_differences(finer_context.among(first.name, second.name), first, second),
                score_difference=None if values[0] is None or values[1] is None else values[1] - values[0],
            )
        )
    finer_diffs = (None if pair.antecedents is None else pair.antecedents.diff for pair in found)
    return CriterionPairs(
        criterion=name,
        measure=main.name,
        pairs=tuple(found),
        mean_diff=mean_of_known(pair.classes.diff for pair in found),
        mean_antecedents_diff=mean_of_known(finer_diffs),
    )


def _in_view(context: Context, view: str) -> Context:
    """Return the context with another view."""
    return context if view == context.view.name else replace(context, view=context.verdicts.view(view))


def _count_differences(context: Context, first: System, second: System) -> ChainDifference:
    """Count the differences of two systems, at the sites of only the key and these two."""
    values, run_pairs = context.sites.values, list(product(first.runs, second.runs))
    apart = [np.flatnonzero(values[base] != values[new]) for base, new in run_pairs]
    all_sites = np.arange(len(context.sites))
    units = np.empty((len(context.active), 2))
    units[:, 0] = np.sum([context.unit_counts(rows) for rows in apart], axis=0)
    units[:, 1] = context.unit_counts(all_sites) * len(run_pairs)
    different = sum(map(len, apart))
    low, high = context.interval(units, lambda sums: ratio(sums[:, :1], sums[:, 1:]))[0]
    diff = divide_counts(different, len(all_sites) * len(run_pairs))
    return ChainDifference(view=context.view.name, different=different, diff=diff, low=low, high=high, where="differs")


def _compare_outputs(context: Context, chains: Chains, first: System, second: System) -> ResponsePair:
    """Score one system output against another by all metrics, from sums over documents or topics."""
    context = context.among(first.name, second.name)
    metrics = [parse_measure(name) for name in REPORTED]
    names = tuple(dict.fromkeys(name for each in metrics for name in each.statistics))
    statistics = np.stack(
        [
            _count_statistics(context, chains=chains, names=names, key=runs[0], response=runs[1])
            for runs in product(first.runs, second.runs)
        ],
        axis=1,
    )  # (units, pairs of runs, names)

    def finish(sums: Matrix) -> NDArray[np.float64]:
        split = np.moveaxis(sums.reshape(len(sums), *statistics.shape[1:]), -1, 0)
        by_name = dict(zip(names, split, strict=True))
        return np.stack([context.finished(each, by_name).mean(axis=-1) for each in metrics], axis=-1)

    columns = statistics.reshape(len(statistics), prod(statistics.shape[1:]))
    values = finish(columns.sum(axis=0, keepdims=True))[0]
    spans = context.interval(columns, finish)
    agreements = (_build_agreement(context, *each) for each in zip(metrics, values.tolist(), spans, strict=True))
    return ResponsePair(first.name, second.name, tuple(agreements))


def _count_statistics(context: Context, chains: Chains, names: Sequence[str], key: int, *, response: int) -> Matrix:
    """Compute the statistics of each active unit; NaN where they are lost because only some sites are selected."""
    if context.view.lost.issuperset(names):
        return np.full((len(context.active), len(names)), np.nan)
    counted = chain_counts(chains.unit, context.verdicts.units.count, chains.runs[key], chains.runs[response])
    columns = statistics_from(counted)
    return np.stack([columns[name] for name in names], axis=1)[context.active]


def _build_agreement(context: Context, metric: Measure, value: float, span: Interval) -> ChainAgreement:
    f1 = none_if_nan(value)
    if f1 is None:
        return ChainAgreement(
            metric=metric.name, f1=None, low=None, high=None, distance=None, reason=context.reason(metric)
        )
    return ChainAgreement(metric=metric.name, f1=f1, low=span[0], high=span[1], distance=1 - f1, reason=None)


def _metric_means(responses: Sequence[ResponsePair]) -> tuple[MetricMean, ...]:
    found = []
    for place, metric in enumerate(REPORTED):
        each = [pair.agreements[place] for pair in responses]
        found.append(
            MetricMean(metric, mean_of_known(one.f1 for one in each), mean_of_known(one.distance for one in each))
        )
    return tuple(found)


# Pairs of systems as tables: one like table 7 of Tuggener (2017) for each criterion, and two like table 13.


_USUAL_PAIRS = 45  # rows by default: all pairs of ten systems
_MEAN_LABEL = ("(mean)", "")
_NO_INTERVAL = ("", "")  # where means have no interval
_FINER_NOTE = "diff with antecedents: different wrong antecedents also count as differences"
_FIRST_METRICS = ("conll", "lea")  # those of tables 7 and 13


def chain_tables(finding: ChainPairs, top: int | None) -> tuple[Table, ...]:
    """Build the tables of differences under each criterion, then those of agreement between outputs."""
    limit = max(top, _USUAL_PAIRS) if top else top
    criteria = [_criterion_table(each, limit) for each in finding.criteria]
    if criteria:
        criteria[-1] = replace(criteria[-1], notes=(*criteria[-1].notes, _FINER_NOTE))
    return (*criteria, _response_table(finding, limit), _metric_table(finding, limit))


def _criterion_table(each: CriterionPairs, top: int | None) -> Table:
    fields = (
        Field("base", "base"),
        Field("new", "new"),
        Field("diff", "diff", "share"),
        Field("diff_interval", "95 % interval", "interval"),
        Field("different", "differing", "count"),
        Field("sites", "mentions", "count"),
        Field("score_difference", "Δ F1", "points"),
        Field("antecedents_diff", "diff with antecedents", "share"),
    )
    rows, notes = cut_rows(
        [_criterion_row(pair) for pair in each.pairs], top=top, usual=_USUAL_PAIRS, one="pair", many="pairs"
    )
    if len(each.pairs) > 1:
        rows = (*rows, (*_MEAN_LABEL, each.mean_diff, _NO_INTERVAL, "", "", "", each.mean_antecedents_diff))
    if not all(pair.sites for pair in each.pairs):
        notes = (*notes, "n/a: no mention has an antecedent, in the key or in these outputs")
    title = f"Pairs, {metric_name(each.criterion)}: mentions in different classes, and the difference in F1"
    return Table(name=f"pairs-{each.criterion}", title=title, fields=fields, rows=rows, notes=notes)


def _criterion_row(pair: CriterionPair) -> tuple[Any, ...]:
    classes, finer = pair.classes, pair.antecedents
    different = Link(classes.where, pair.base, pair.new, classes.view)
    return (
        pair.base,
        pair.new,
        Linked(classes.diff, different),
        (classes.low, classes.high),
        Linked(classes.different, different),
        Linked(pair.sites, Link(EVERY_PAIR, pair.base, pair.new, classes.view)),
        pair.score_difference,
        None if finer is None else Linked(finer.diff, Link(finer.where, pair.base, pair.new, finer.view)),
    )


def _response_table(finding: ChainPairs, top: int | None) -> Table:
    """Build the table of the metrics of table 13, with intervals and distances."""
    fields = [Field("base", "base"), Field("new", "new")]
    for metric in _FIRST_METRICS:
        name = metric_name(metric)
        fields += [
            Field(metric, name, "share"),
            Field(f"{metric}_interval", "95 % interval", "interval"),
            Field(f"{metric}_distance", f"100 − {name}", "share"),
        ]
    rows: list[tuple[Any, ...]] = []
    for pair in finding.responses:
        found = [each for metric in _FIRST_METRICS for each in pair.agreements if each.metric == metric]
        cells = [(each.f1, (each.low, each.high), each.distance) for each in found]
        rows.append((pair.base, pair.new, *chain.from_iterable(cells)))
    kept, notes = cut_rows(rows, top=top, usual=_USUAL_PAIRS, one="pair", many="pairs")
    if len(rows) > 1:
        means = [each for metric in _FIRST_METRICS for each in finding.means if each.metric == metric]
        kept = (*kept, (*_MEAN_LABEL, *chain.from_iterable((each.f1, _NO_INTERVAL, each.distance) for each in means)))
    title = "One output against another: F1 with the base as the key"
    return Table(name="responses", title=title, fields=tuple(fields), rows=kept, notes=(*notes, *_reasons(finding)))


def _metric_table(finding: ChainPairs, top: int | None) -> Table:
    """Build the table of F1 by the other metrics; their distances from 100 need no columns."""
    metrics = [each.metric for each in finding.means if each.metric not in _FIRST_METRICS]
    fields = (
        Field("base", "base"),
        Field("new", "new"),
        *(Field(metric, metric_name(metric), "share") for metric in metrics),
    )
    rows: list[tuple[Any, ...]] = [
        (pair.base, pair.new, *(each.f1 for each in pair.agreements if each.metric in metrics))
        for pair in finding.responses
    ]
    kept, notes = cut_rows(rows, top=top, usual=_USUAL_PAIRS, one="pair", many="pairs")
    if len(rows) > 1:
        kept = (*kept, (*_MEAN_LABEL, *(each.f1 for each in finding.means if each.metric in metrics)))
    return Table(
        name="responses-metrics",
        title="One output against another: F1 by other metrics",
        fields=fields,
        rows=kept,
        notes=notes,
    )


def _reasons(finding: ChainPairs) -> list[str]:
    """List the reasons why numbers are undefined, each once."""
    found = dict.fromkeys(each.reason for pair in finding.responses for each in pair.agreements)
    return [f"n/a: {reason}" for reason in found if reason]
