"""Diversity of the errors of runs: agreement patterns, measures of pairs and of all runs, clusters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from comparanda.core.measures import ratio
from comparanda.expressions import quote_string
from comparanda.findings.context import Context, Interval, divide_counts, none_if_nan
from comparanda.findings.counts import Cell
from comparanda.findings.error_pairs import SpanCrossing
from comparanda.render.count_links import Link
from comparanda.render.finding import Finding
from comparanda.render.table import NO_SITES, Field, Linked, Table, cut_rows, format_cell, format_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.core.claims import Claims
    from comparanda.core.text_columns import Truths
    from comparanda.core.verdicts import View
    from comparanda.render.charts import Paper

    Floats = NDArray[np.float64]


# Similar runs: clusters by diff, the share of sites at which two runs have different values.


ONE_RUN = "there is only one run"

_HEIGHT_DIGITS = 12  # heights are compared to this precision: rounding must not decide the order of merges


@dataclass(frozen=True, kw_only=True)
class RunDifference:
    """The difference of two runs, in the universe of the key and these two alone, as for pairs of systems.

    Args:
        first: the first run.
        second: the second.
        sites: the number of sites.
        different: the number of them at which the two have different values.
        diff: their share; None where there are no sites.
        where: the condition that selects these sites. At overlap sites it is a condition on the pair, to be used with
            both names; None there for a run of a system with several runs, which has no name of its own in a pair.

    """

    first: str
    second: str
    sites: int
    different: int
    diff: float | None
    where: str | None


@dataclass(frozen=True)
class Merge:
    """A merge of two clusters.

    Args:
        left: the runs of one cluster, in the order of the leaves.
        right: the runs of the other.
        height: the mean diff of a run of one and a run of the other (average linkage).

    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    height: float


@dataclass(frozen=True)
class Clusters:
    """Runs clustered by diff.

    Args:
        order: the runs in the order of the leaves, in which no two branches cross.
        merges: the merges, the lowest first.
        differences: the diff of each pair of runs.
        reason: why there are no clusters.

    """

    order: tuple[str, ...]
    merges: tuple[Merge, ...]
    differences: tuple[RunDifference, ...]
    reason: str | None


def cluster_runs(context: Context) -> Clusters:
    """Cluster all runs by diff."""
    runs = context.verdicts.runs
    differences = run_differences(context)
    undefined = next((each for each in differences if each.diff is None), None)
    reason = ONE_RUN if len(runs) == 1 else None
    if undefined is not None:
        reason = f"neither the key nor {undefined.first} nor {undefined.second} has a site"
    if reason is not None:
        return Clusters(runs, (), differences, reason)
    diffs = {frozenset((each.first, each.second)): each.diff or 0.0 for each in differences}
    merges = average_linkage(runs, diffs)
    return Clusters((*merges[-1].left, *merges[-1].right), merges, differences, None)


def average_linkage(names: tuple[str, ...], diffs: Mapping[frozenset[str], float]) -> tuple[Merge, ...]:
    """Repeatedly merge the two clusters with the smallest mean diff; ties are broken by name.

    The cluster with the smaller first name is on the left, so nothing depends on the order in which names are given.

    >>> tree = average_linkage(("a", "b", "c"), {frozenset("ab"): 0.5, frozenset("ac"): 0.25, frozenset("bc"): 1.0})
    >>> [(merge.left, merge.right, merge.height) for merge in tree]
    [(('a',), ('c',), 0.25), (('a', 'c'), ('b',), 0.75)]
    """
    clusters: list[tuple[str, ...]] = [(name,) for name in sorted(names)]
    sums = {frozenset(pair): diffs[frozenset(pair[0] + pair[1])] for pair in combinations(clusters, 2)}

    def mean(left: tuple[str, ...], right: tuple[str, ...]) -> float:
        return sums[frozenset((left, right))] / (len(left) * len(right))

    merges = []
    while len(clusters) > 1:
        left, right = min(combinations(clusters, 2), key=lambda pair: (round(mean(*pair), _HEIGHT_DIGITS), pair))
        merges.append(Merge(left, right, mean(left, right)))
        both = left + right
        clusters = [each for each in clusters if each not in (left, right)]
        for other in clusters:
            sums[frozenset((both, other))] = sums[frozenset((left, other))] + sums[frozenset((right, other))]
        clusters = sorted([*clusters, both])
    return tuple(merges)


def run_differences(context: Context) -> tuple[RunDifference, ...]:
    """Count for every pair of runs the sites at which they differ."""
    view, verdicts = context.view, context.verdicts
    single = {run for system in verdicts.systems if len(system.runs) == 1 for run in system.runs}
    found = []
    for first, second in combinations(range(len(verdicts.runs)), 2):
        names = verdicts.runs[first], verdicts.runs[second]
        where: str | None = f"value({quote_string(names[0])}) != value({quote_string(names[1])})"
        if not view.shared:
            where = "differs" if {first, second} <= single else None
        if view.claims is None:
            sites, different = _count_differing_values(view.among([first, second]), first, second)
        else:
            sites, different = _count_differing_spans(view.claims, first, second)
        found.append(
            RunDifference(
                first=names[0],
                second=names[1],
                sites=sites,
                different=different,
                diff=divide_counts(different, sites),
                where=where,
            )
        )
    return tuple(found)


def _count_differing_values(view: View, first: int, second: int) -> tuple[int, int]:
    """Count the sites, and those at which two runs have different values."""
    values = view.sites.disputed.values
    return len(view.sites), int(np.count_nonzero(values[first] != values[second]))


def _count_differing_spans(claims: Claims, first: int, second: int) -> tuple[int, int]:
    """Count the overlap sites of the key and two runs, and those at which the runs differ."""
    crossing = SpanCrossing(claims, (first, second))
    return crossing.count, int(crossing.differs(first, second).sum())


# Runs that are right together: agreement patterns over sites (DEFINITIONS 4).


MAX_PATTERNS = 1000
"""The number of patterns retained, the most frequent ones; many systems have very many patterns."""

_WORD_BYTES = 7  # per 64-bit word, so that the sign bit is never used


@dataclass(frozen=True)
class Pattern:
    """The sites at which exactly these runs are right.

    Args:
        right: the runs; the empty set and the set of all runs are patterns too.
        count: the number of sites.
        share: their share of all sites.
        where: the condition that selects them.

    """

    right: tuple[str, ...]
    count: int
    share: float | None
    where: str


@dataclass(frozen=True)
class Patterns:
    """Sites by the set of runs that are right, the most frequent pattern first.

    Args:
        distinct: the number of different patterns.
        patterns: the most frequent ones, at most 1,000. In ties the pattern comes first in which the alphabetically
            first run is right, then the second, and so on.
        rest: the number of sites with other patterns.

    """

    distinct: int
    patterns: tuple[Pattern, ...]
    rest: int


def count_patterns(context: Context) -> Patterns:
    """Count sites by the set of runs that are right."""
    sites, runs = context.sites, context.verdicts.runs
    order = sorted(range(len(runs)), key=runs.__getitem__)
    found, counts = distinct_patterns([sites.disputed.right[run] for run in order])
    easy = len(sites) - len(sites.contested)
    if easy:  # at all uncontested sites every run is right
        found = np.concatenate([np.ones((1, len(runs)), np.bool_), found])
        counts = np.concatenate([[easy], counts])
    chosen = np.argsort(-counts, kind="stable")[:MAX_PATTERNS].tolist()
    in_order = np.empty_like(found)
    in_order[:, order] = found
    rows = tuple(_make_pattern(runs, in_order[row].tolist(), int(counts[row]), len(sites)) for row in chosen)
    return Patterns(len(counts), rows, len(sites) - sum(row.count for row in rows))


def _make_pattern(runs: Sequence[str], right: list[bool], count: int, sites: int) -> Pattern:
    names = tuple(run for run, state in zip(runs, right, strict=True) if state)
    wrong = [run for run, state in zip(runs, right, strict=True) if not state]
    few = [f"right({quote_string(run)})" for run in names]
    if len(wrong) < len(names):  # name the smaller group: the number of right runs determines the other
        few = [f"not right({quote_string(run)})" for run in wrong]
    return Pattern(names, count, divide_counts(count, sites), " and ".join([*few, f"solved_by == {len(names)}"]))


def distinct_patterns(right: Sequence[Truths]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return the distinct columns of booleans as rows, from all true to all false, and the count of each."""
    packed = np.packbits(np.stack(right), axis=0).astype(np.int64)
    words = [packed[begin : begin + _WORD_BYTES] for begin in range(0, len(packed), _WORD_BYTES)]
    table = np.stack([_pack_bytes(word) for word in words])
    if len(table) == 1:  # the usual case, a hundred times faster
        values, counts = np.unique(table[0], return_counts=True)
        found = values[None, :]
    else:
        found, counts = np.unique(table, axis=1, return_counts=True)
    parts = [
        (column >> 8 * (len(word) - 1 - place)) & 0xFF
        for column, word in zip(found, words, strict=True)
        for place in range(len(word))
    ]
    bits = np.unpackbits(np.stack(parts, axis=1).astype(np.uint8), axis=1, count=len(right))
    return bits[::-1].astype(np.bool_), counts[::-1]


def _pack_bytes(parts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pack the bytes of each column into one integer."""
    word: NDArray[np.int64] = np.zeros_like(parts[0])
    for part in parts:
        word <<= 8
        word |= part
    return word


# Pairs of runs by right and wrong: how often both are wrong, and how much more often than by chance (DEFINITIONS 4).


NO_SITE = "no site"

_PAIRS_AT_ONCE = 400  # resampled sums of more would take too much memory


@dataclass(frozen=True, kw_only=True)
class RunPair:
    """Two runs: the numbers of sites at which both, one or none of them is right, and measures of these.

    Args:
        first: the first run.
        second: the second.
        both_right: N11.
        only_first: N10.
        only_second: N01.
        both_wrong: N00.
        same_error: sites at which both have the same wrong value.
        disagreement: (N10 + N01) / N.
        low: the lower end of its 95 % interval.
        high: the upper end.
        double_fault: N00 / N.
        same_error_rate: same errors / both wrong: the share that no vote of the two can correct.
        q: Yule's Q.
        rho: the correlation ρ of being right.
        error_consistency: Cohen's κ on right and wrong.
        reasons: the reasons why measures are undefined, by name.

    """

    first: str
    second: str
    both_right: Cell
    only_first: Cell
    only_second: Cell
    both_wrong: Cell
    same_error: Cell
    disagreement: float | None
    low: float | None
    high: float | None
    double_fault: float | None
    same_error_rate: float | None
    q: float | None
    rho: float | None
    error_consistency: float | None
    reasons: Mapping[str, str]


def run_pairs(context: Context) -> tuple[RunPair, ...]:
    """Compare every pair of runs by right and wrong; at uncontested sites all are right."""
    sites, runs = context.sites, context.verdicts.runs
    right, values = sites.disputed.right, sites.disputed.values
    easy = len(sites) - len(sites.contested)
    rights = [easy + int(np.count_nonzero(each)) for each in right]
    numbers = list(combinations(range(len(runs)), 2))
    spans = _disagreement_intervals(context, numbers)
    found = []
    for (first, second), span in zip(numbers, spans, strict=True):
        both = easy + int(np.count_nonzero(right[first] & right[second]))
        equal = easy + int(np.count_nonzero(values[first] == values[second]))
        counts = both, rights[first] - both, rights[second] - both
        wrong = len(sites) - sum(counts)
        found.append(_make_pair((runs[first], runs[second]), (*counts, wrong), equal - both, span))
    return tuple(found)


def _disagreement_intervals(context: Context, pairs: Sequence[tuple[int, int]]) -> list[Interval]:
    """Compute the bootstrap interval of the disagreement of each pair."""
    if not context.resamples:
        return [(None, None)] * len(pairs)
    contested, right = context.sites.contested, context.sites.disputed.right
    total = context.decided
    spans: list[Interval] = []
    for begin in range(0, len(pairs), _PAIRS_AT_ONCE):
        some = pairs[begin : begin + _PAIRS_AT_ONCE]
        apart = [context.unit_counts(contested[right[first] != right[second]]) for first, second in some]
        columns = np.stack([*apart, total], axis=1)
        spans += context.interval(columns, lambda sums: ratio(sums[:, :-1], sums[:, -1:]))
    return spans


def _make_pair(names: tuple[str, str], counts: tuple[int, int, int, int], same_error: int, span: Interval) -> RunPair:
    both, first, second, neither = counts
    sites = sum(counts)
    one, two = (f"right({quote_string(name)})" for name in names)
    same = f"not {one} and value({quote_string(names[0])}) == value({quote_string(names[1])})"
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    alike = both * neither + first * second
    chance = (both + first) * (both + second) + (second + neither) * (first + neither)  # times N²
    values = {
        "disagreement": divide_counts(first + second, sites),
        "double_fault": divide_counts(neither, sites),
        "same_error_rate": divide_counts(same_error, neither),
        "q": divide_counts(both * neither - first * second, alike),
        "rho": divide_counts(both * neither - first * second, math.sqrt(margins)),
        "error_consistency": divide_counts((both + neither) * sites - chance, sites**2 - chance),
    }
    return RunPair(
        first=names[0],
        second=names[1],
        both_right=Cell(both, f"{one} and {two}"),
        only_first=Cell(first, f"{one} and not {two}"),
        only_second=Cell(second, f"not {one} and {two}"),
        both_wrong=Cell(neither, f"not {one} and not {two}"),
        same_error=Cell(same_error, same),
        disagreement=values["disagreement"],
        low=span[0],
        high=span[1],
        double_fault=values["double_fault"],
        same_error_rate=values["same_error_rate"],
        q=values["q"],
        rho=values["rho"],
        error_consistency=values["error_consistency"],
        reasons={name: _pair_reason(name, names, counts) for name, value in values.items() if value is None},
    )


def _pair_reason(name: str, names: tuple[str, str], counts: tuple[int, int, int, int]) -> str:
    """Explain why a measure of a pair is undefined."""
    both, first, second, neither = counts
    if not sum(counts):
        return NO_SITE
    if name == "same_error_rate":
        return "no site that both have wrong"
    if name == "error_consistency":
        return f"both are {'right' if both else 'wrong'} everywhere"
    margins = (names[0], both + first, second + neither), (names[1], both + second, first + neither)
    run, right = next((run, right) for run, right, wrong in margins if not right or not wrong)
    return f"{run} is {'right' if right else 'wrong'} everywhere"


# Diversity of all runs (DEFINITIONS 4).
#
# All measures are over sites and depend on right and wrong alone, except same errors and clusters. The measures of all
# runs are functions of one histogram: the number of sites solved by 0, 1 … L runs.


MEASURES: Mapping[str, Literal["higher", "lower"]] = {
    "disagreement": "higher",
    "kohavi_wolpert": "higher",
    "interrater_kappa": "lower",
    "entropy": "higher",
    "generalised_diversity": "higher",
    "coincident_failure_diversity": "higher",
}
"""The measures of all runs together, and whether a higher or a lower value means more diversity."""


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
class Diversity(Finding):
    """The diversity of the errors of all runs, at the sites of the key and all runs.

    Args:
        view: the view.
        runs: the runs.
        sites: the number of sites.
        unit: the unit of resampling.
        units: the number of units.
        resamples: the number of resamples.
        seed: the seed of all draws.
        mean_accuracy: the mean accuracy of the runs.
        oracle: the share of sites that at least one run has right.
        measures: the measures of all runs together.
        pairs: every pair of runs.
        patterns: sites by the set of runs that are right.
        clusters: runs clustered by diff, each pair at the sites of the key and these two alone.

    """

    json_name = "diversity"

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

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        return diversity_tables(self, top)

    def charts(self) -> tuple[Paper, ...]:
        """Return the charts."""
        from comparanda.findings.complement_tables import pattern_chart

        return (pattern_chart(self),) if self.sites else ()


def compute_diversity(context: Context) -> Diversity:
    """Measure the diversity of the errors of all runs."""
    runs, sites = context.verdicts.runs, len(context.sites)
    histogram = _solver_histogram(context)
    right = int((histogram * np.arange(len(runs) + 1)).sum())
    return Diversity(
        view=context.view.name,
        runs=runs,
        sites=sites,
        unit=context.verdicts.units.kind,
        units=len(context.active),
        resamples=context.resamples,
        seed=context.seed,
        mean_accuracy=divide_counts(right, sites * len(runs)),
        oracle=divide_counts(sites - int(histogram[0]), sites),
        measures=_diversity_measures(context, histogram),
        pairs=run_pairs(context),
        patterns=count_patterns(context),
        clusters=cluster_runs(context),
    )


def _count_solvers(context: Context) -> NDArray[np.int64]:
    """Count the runs that are right at each contested site; at all others all are."""
    solved = np.zeros(len(context.sites.contested), np.int64)
    for right in context.sites.disputed.right:
        solved += right
    return solved


def _solver_histogram(context: Context) -> NDArray[np.int64]:
    """Count the sites that are solved by 0, 1 … L runs."""
    runs = len(context.verdicts.runs)
    counts = np.bincount(_count_solvers(context), minlength=runs + 1)
    counts[runs] += len(context.sites) - len(context.sites.contested)
    return counts


def _unit_solver_histograms(context: Context) -> Floats:
    """Count the sites that are solved by 0, 1 … L runs in each active unit."""
    columns, contested = len(context.verdicts.runs) + 1, context.sites.contested
    packed = context.unit[contested].astype(np.int64) * columns + _count_solvers(context)
    counts = np.bincount(packed, minlength=context.verdicts.units.count * columns).reshape(-1, columns)
    found = counts[context.active].astype(np.float64)
    found[:, -1] += context.decided - context.unit_counts(contested)
    return found


def of_all_runs(histograms: Floats) -> Floats:
    """Compute all measures, one column each, from rows of counts of the sites that 0, 1 … L runs solve.

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


def _diversity_measures(context: Context, histogram: NDArray[np.int64]) -> tuple[DiversityMeasure, ...]:
    values = of_all_runs(histogram[None, :].astype(np.float64))[0]
    spans: list[Interval] = [(None, None)] * len(MEASURES)
    if context.resamples:
        spans = context.interval(_unit_solver_histograms(context), of_all_runs)
    rows = []
    for (name, more), value, (low, high) in zip(MEASURES.items(), values, spans, strict=True):
        reason = _undefined_reason(name, histogram) if np.isnan(value) else None
        rows.append(
            DiversityMeasure(name=name, value=none_if_nan(value), low=low, high=high, more_diverse=more, reason=reason)
        )
    return tuple(rows)


def _undefined_reason(name: str, histogram: NDArray[np.int64]) -> str:
    if len(histogram) == 2:
        return ONE_RUN
    if not histogram.sum():
        return NO_SITE
    if name == "interrater_kappa" and not histogram[1:].any():
        return "no run is right anywhere"
    return "no run is wrong anywhere"


# Clusters drawn as a tree, a line for each leaf.


_TREE_WIDTH = 40


def draw_dendrogram(order: Sequence[str], merges: Sequence[Merge]) -> list[str]:
    """Draw merges from left to right, at a column proportional to the height and right of the merged branches.

    >>> from comparanda.findings.diversity import Merge
    >>> for line in draw_dendrogram("acb", [Merge(("a",), ("c",), 0.1), Merge(("a", "c"), ("b",), 0.4)]):
    ...     print(line)
    ──────────┬─────────────────────────────┐
    ──────────┘                             │
    ────────────────────────────────────────┘
    """
    grid: list[dict[int, str]] = [{} for _ in order]
    begins: dict[tuple[str, ...], int] = {(name,): 0 for name in order}  # where the line of a cluster begins
    row = {name: number for number, name in enumerate(order)}
    highest = max((merge.height for merge in merges), default=0.0) or 1.0
    for number, merge in enumerate(merges, start=1):
        column = round(_TREE_WIDTH * merge.height / highest)
        column = max(column, begins[merge.left] + 1, begins[merge.right] + 1)
        upper, lower = row[merge.left[0]], row[merge.right[0]]
        for line, begin in ((upper, begins[merge.left]), (lower, begins[merge.right])):
            grid[line] = dict.fromkeys(range(begin, column), "─") | grid[line]
        for between in range(upper + 1, lower):
            grid[between][column] = "│"
        grid[upper][column], grid[lower][column] = "┐" if number == len(merges) else "┬", "┘"
        begins[merge.left + merge.right] = column
    return ["".join(line.get(column, " ") for column in range(max(line, default=0) + 1)) for line in grid]


# Diversity as tables: measures of all runs, pairs, agreement patterns, clusters.


_SHOWN_PAIRS, _SHOWN_PATTERNS = 45, 10  # the default number of rows

NAMES = {
    "disagreement": "disagreement (mean over pairs)",
    "kohavi_wolpert": "Kohavi–Wolpert variance",
    "interrater_kappa": "interrater κ (Fleiss)",
    "entropy": "entropy",
    "generalised_diversity": "generalised diversity",
    "coincident_failure_diversity": "coincident failure diversity",
}
"""The display names of the measures of all runs."""


def diversity_tables(finding: Diversity, top: int | None) -> tuple[Table, ...]:
    """Return tables of the measures of all runs, of pairs, of agreement patterns and of clusters."""
    found = [_measure_table(finding)]
    if finding.pairs:
        found.append(_pair_table(finding, top))
    found.append(_pattern_table(finding, top))
    if finding.clusters.merges:
        found += [_tree_table(finding.clusters), _merge_table(finding.clusters)]
    return tuple(found)


def _measure_table(finding: Diversity) -> Table:
    fields = (
        Field("name", "measure"),
        Field("value", "× 100", "share"),
        Field("interval", "95 % interval", "interval"),
        Field("more_diverse", "more diverse if"),
    )
    rows = tuple((NAMES[each.name], each.value, (each.low, each.high), each.more_diverse) for each in finding.measures)
    notes = [
        f"over {format_count(finding.sites, 'site')} of the key and all {format_count(len(finding.runs), 'run')}; "
        f"mean accuracy {format_cell('share', finding.mean_accuracy)}, oracle {format_cell('share', finding.oracle)}",
        *_reason_notes({NAMES[each.name]: each.reason for each in finding.measures if each.reason is not None}),
    ]
    if finding.clusters.reason is not None and finding.sites:
        notes.append(f"no clusters: {finding.clusters.reason}")
    if not finding.sites:
        notes.append(NO_SITES)
    return Table(
        name="diversity",
        title="Diversity of the errors of all systems",
        fields=fields,
        rows=rows,
        notes=tuple(notes),
    )


def _reason_notes(reasons: dict[str, str]) -> list[str]:
    """Write the reasons why measures are undefined, each once."""
    names: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        names.setdefault(reason, []).append(name)
    return [f"n/a, {reason}: {', '.join(found)}" for reason, found in names.items()]


def _pair_table(finding: Diversity, top: int | None) -> Table:
    fields = (
        Field("first", "one"),
        Field("second", "other"),
        Field("both_right", "both right", "count"),
        Field("only_first", "only one", "count"),
        Field("only_second", "only other", "count"),
        Field("both_wrong", "both wrong", "count"),
        Field("same_error", "same error", "count"),
        Field("disagreement", "disagreement", "share"),
        Field("disagreement_interval", "95 % interval", "interval"),
        Field("double_fault", "double fault", "share"),
        Field("same_error_rate", "same of wrong", "share"),
        Field("q", "Q", "share"),
        Field("rho", "ρ", "share"),
        Field("error_consistency", "κ", "share"),
    )
    found = [_pair_row(finding, each) for each in finding.pairs]
    rows, notes = cut_rows(found, top=top and max(top, _SHOWN_PAIRS), usual=_SHOWN_PAIRS, one="pair", many="pairs")
    reasons = {reason for each in finding.pairs[: len(rows)] for reason in each.reasons.values()}
    below = [*notes, *(f"n/a: {reason}" for reason in sorted(reasons))]
    below.append(
        "Q, ρ and κ: how much more often both are wrong together than by chance; 100 if always, 0 if as by chance"
    )
    return Table(
        name="pairs", title="Diversity of pairs, by right and wrong", fields=fields, rows=rows, notes=tuple(below)
    )


def _pair_row(finding: Diversity, each: RunPair) -> tuple[Any, ...]:
    """Write a pair; shares link to the sites of their numerators."""

    def linked(value: float | None, *parts: Cell) -> Linked:
        return Linked(value, Link(" or ".join(part.where for part in parts), view=finding.view))

    cells = (each.both_right, each.only_first, each.only_second, each.both_wrong, each.same_error)
    return (
        each.first,
        each.second,
        *(linked(cell.count, cell) for cell in cells),
        linked(each.disagreement, each.only_first, each.only_second),
        (each.low, each.high),
        linked(each.double_fault, each.both_wrong),
        linked(each.same_error_rate, each.same_error),
        each.q,
        each.rho,
        each.error_consistency,
    )


def _pattern_table(finding: Diversity, top: int | None) -> Table:
    fields = (
        Field("right", "right"),
        Field("of", "how many", "figure"),
        Field("count", "sites", "count"),
        Field("share", "%", "share"),
    )
    found = finding.patterns
    rows: list[tuple[Any, ...]] = [
        (_name_pattern(each, finding.runs), len(each.right), Linked(each.count, link), Linked(each.share, link))
        for each in found.patterns
        for link in [Link(each.where, view=finding.view)]
    ]
    kept, notes = cut_rows(rows, top=top, usual=_SHOWN_PATTERNS, one="pattern", many="patterns")
    if found.rest:
        left = found.distinct - len(found.patterns)
        notes = (*notes, f"{format_count(found.rest, 'site')} in {format_count(left, 'rarer pattern')} are not listed")
    return Table(
        name="patterns",
        title=f"Which systems are right together: {format_count(found.distinct, 'pattern')}",
        fields=fields,
        rows=kept,
        notes=notes,
    )


def _name_pattern(pattern: Pattern, runs: tuple[str, ...]) -> str:
    """Name the runs that are right, or those that are wrong where these are fewer."""
    if not pattern.right:
        return "none right"
    wrong = [run for run in runs if run not in pattern.right]
    if not wrong:
        return "all right"
    if len(wrong) < len(pattern.right):
        return f"all but {', '.join(wrong)}"
    return f"only {', '.join(pattern.right)}"


def _tree_table(finding: Clusters) -> Table:
    fields = (Field("run", "system"), Field("tree", "tree"))
    lines = draw_dendrogram(finding.order, finding.merges)
    highest = format_cell("share", finding.merges[-1].height)
    note = f"diff is 0 at the left and {highest} at the right; each pair at the sites of the key and these two alone"
    title = "Similar systems: clusters by diff, average linkage"
    return Table(
        name="tree", title=title, fields=fields, rows=tuple(zip(finding.order, lines, strict=True)), notes=(note,)
    )


def _merge_table(finding: Clusters) -> Table:
    fields = (
        Field("number", "cluster"),
        Field("left", "of"),
        Field("right", "and"),
        Field("runs", "systems", "figure"),
        Field("height", "mean diff", "share"),
    )
    called: dict[tuple[str, ...], str] = {(name,): name for name in finding.order}
    rows = []
    for number, each in enumerate(finding.merges, start=1):
        both = each.left + each.right
        called[both] = f"#{number}"
        rows.append((called[both], called[each.left], called[each.right], len(both), each.height))
    return Table(name="clusters", title="Clusters, the closest first", fields=fields, rows=tuple(rows))
