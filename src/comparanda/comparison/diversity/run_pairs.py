"""Two runs by right and wrong: how often they err together, and how much more often than by chance (DEFINITIONS 4)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from comparanda.comparison.context import Context, Interval, share
from comparanda.comparison.finding import Cell
from comparanda.expressions import quote
from comparanda.measures import ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

NO_SITE = "no site"

_PAIRS_AT_ONCE = 400  # resampled sums of more would take too much memory


@dataclass(frozen=True)
class RunPair:
    """Two runs: at how many sites both, one or none of them is right, and what follows.

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
        same_error_rate: the same errors of both wrong: what no vote of the two can repair.
        q: Yule's Q.
        rho: the correlation ρ of being right.
        error_consistency: Cohen's κ on right and wrong.
        reasons: why some of them are undefined, by name.

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
    """Count every pair of runs; at sites that are not contested all are right."""
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
        found.append(_pair((runs[first], runs[second]), (*counts, wrong), equal - both, span))
    return tuple(found)


def _disagreement_intervals(context: Context, pairs: Sequence[tuple[int, int]]) -> list[Interval]:
    """Return the bootstrap interval of the disagreement of each pair."""
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


def _pair(names: tuple[str, str], counts: tuple[int, int, int, int], same_error: int, span: Interval) -> RunPair:
    both, first, second, neither = counts
    sites = sum(counts)
    one, two = (f"right({quote(name)})" for name in names)
    same = f"not {one} and value({quote(names[0])}) == value({quote(names[1])})"
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    alike = both * neither + first * second
    chance = (both + first) * (both + second) + (second + neither) * (first + neither)  # times N²
    values = {
        "disagreement": share(first + second, sites),
        "double_fault": share(neither, sites),
        "same_error_rate": share(same_error, neither),
        "q": share(both * neither - first * second, alike),
        "rho": share(both * neither - first * second, math.sqrt(margins)),
        "error_consistency": share((both + neither) * sites - chance, sites**2 - chance),
    }
    return RunPair(
        *names,
        Cell(both, f"{one} and {two}"),
        Cell(first, f"{one} and not {two}"),
        Cell(second, f"not {one} and {two}"),
        Cell(neither, f"not {one} and not {two}"),
        Cell(same_error, same),
        values["disagreement"],
        *span,
        values["double_fault"],
        values["same_error_rate"],
        values["q"],
        values["rho"],
        values["error_consistency"],
        {name: _why(name, names, counts) for name, value in values.items() if value is None},
    )


def _why(name: str, names: tuple[str, str], counts: tuple[int, int, int, int]) -> str:
    """Say why a number of a pair is undefined."""
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
