"""Which runs are alike: clusters by diff, the share of sites at which two runs say different things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from comparanda.comparison.context import Context, share
from comparanda.comparison.span_crossing import SpanCrossing
from comparanda.expressions import quote

if TYPE_CHECKING:
    from comparanda.claims import Claims
    from comparanda.verdicts import View

ONE_RUN = "there is one run, and nothing to compare it with"

_DIGITS = 12  # heights are compared to so many: rounding must not decide what is merged first


@dataclass(frozen=True)
class RunDifference:
    """How much two runs differ, in the universe of the key and these two alone, as for pairs of systems.

    Args:
        first: the first run.
        second: the second.
        sites: how many sites there are.
        different: at how many of them they say different things.
        diff: their share; None where there is no site.
        where: the condition that selects these sites. At overlap sites it is one of the pair, to be given with both
            names; None there for a run of a system with several, which has no name of its own in a pair.

    """

    first: str
    second: str
    sites: int
    different: int
    diff: float | None
    where: str | None


@dataclass(frozen=True)
class Merge:
    """Two clusters that become one.

    Args:
        left: the runs of the one, in the order of the leaves.
        right: the runs of the other.
        height: the mean diff of a run of the one and a run of the other (average linkage).

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


def clusters(context: Context) -> Clusters:
    """Cluster all runs by how much they differ."""
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
    """Merge always the two clusters with the smallest mean diff; of equal ones the first by their names.

    The cluster with the smaller first name stands left, so nothing depends on the order in which names are given.

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
        left, right = min(combinations(clusters, 2), key=lambda pair: (round(mean(*pair), _DIGITS), pair))
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
        where: str | None = f"value({quote(names[0])}) != value({quote(names[1])})"
        if not view.shared:
            where = "differs" if {first, second} <= single else None
        if view.claims is None:
            sites, different = _differing_values(view.among([first, second]), first, second)
        else:
            sites, different = _differing_spans(view.claims, first, second)
        found.append(RunDifference(*names, sites, different, share(different, sites), where))
    return tuple(found)


def _differing_values(view: View, first: int, second: int) -> tuple[int, int]:
    """Return how many sites there are, and at how many of them two runs have different values."""
    values = view.sites.disputed.values
    return len(view.sites), int(np.count_nonzero(values[first] != values[second]))


def _differing_spans(claims: Claims, first: int, second: int) -> tuple[int, int]:
    """Return the same for the overlap sites of the key and two runs."""
    crossing = SpanCrossing(claims, (first, second))
    return crossing.count, int(crossing.differs(first, second).sum())
