"""Significance tests of differences of scores (DEFINITIONS 5).

The unit is the document. A randomisation test swaps whole units between two systems and recomputes
the pooled measure; the interval comes from a paired bootstrap of the units.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.findings.context import FEW_UNITS, LOST, Context, Interval, compute_intervals, none_if_nan
from comparanda.findings.resamples import EXACT_UNITS, FEWEST_UNITS, swapped_sums
from comparanda.findings.scores import resampled_scores, split_sums
from comparanda.render.finding import Finding
from comparanda.render.table import Field, Table, cut_pairs, format_count, format_stars

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from comparanda.core.measures import Measure
    from comparanda.core.verdicts import System

    Finish = Callable[[Mapping[str, NDArray[np.float64]]], NDArray[np.float64]]


LEVEL = 0.05
"""Below this p, corrected where there are several, a difference is called significant."""

POWER = 2.8015852  # z(0.975) + z(0.80): the effect that has 80 % power at the 5 % level, in standard errors
_TOLERANCE = 1e-12


@dataclass(frozen=True, kw_only=True)
class PairTest:
    """The test of one pair.

    Args:
        base: the first system.
        new: the second.
        difference: the measure of the second less that of the first.
        low: the lower end of the 95 % interval of the difference.
        high: the upper end.
        p: the two-sided p of the randomisation test; None where it cannot be made.
        p_holm: the same after Holm's correction for all pairs.
        method: exact, sampled, or why there is none.
        detectable: the smallest true difference that a test on this corpus would detect with 80 % power.
        mcnemar: exact McNemar p, on independent rows only.

    """

    base: str
    new: str
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    method: str
    detectable: float | None
    mcnemar: float | None


@dataclass(frozen=True, kw_only=True)
class Significance(Finding):
    """Tests of the differences of all pairs by one measure."""

    json_name = "significance"

    view: str
    measure: str
    unit: str
    units: int
    resamples: int
    seed: int
    warnings: tuple[str, ...]
    tests: tuple[PairTest, ...]

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        fields = [
            Field("base", "base"),
            Field("new", "new"),
            Field("difference", f"Δ {self.measure}", "points"),
            Field("difference_interval", "95 % interval", "points_interval"),
            Field("p", "p", "p"),
            Field("p_holm", "p (Holm)", "p"),
            Field("detectable", "detectable", "share"),
        ]
        rows: list[tuple[Any, ...]] = [
            (test.base, test.new, test.difference, (test.low, test.high), test.p, test.p_holm, test.detectable)
            for test in self.tests
        ]
        if any(test.mcnemar is not None for test in self.tests):
            fields.append(Field("mcnemar", "McNemar p", "p"))
            rows = [(*row, test.mcnemar) for row, test in zip(rows, self.tests, strict=True)]
        kept, more = cut_pairs(rows, top)
        methods = ", ".join(sorted({test.method for test in self.tests}))
        notes = [
            *more,
            f"randomisation over {format_count(self.units, self.unit)} ({methods}), "
            f"{format_count(self.resamples, 'resample')}, seed {self.seed}; "
            "detectable: with 80 % power at the 5 % level",
            *(f"warning: {warning}" for warning in self.warnings),
        ]
        marks = {(number, 5): mark for number, test in enumerate(self.tests) if (mark := format_stars(test.p_holm))}
        marks = {place: mark for place, mark in marks.items() if place[0] < len(kept)}
        return (
            Table(
                name="significance",
                title="Is the difference real?",
                fields=tuple(fields),
                rows=kept,
                notes=tuple(notes),
                marks=marks,
            ),
        )


def compute_significance(context: Context, measure: Measure | None = None, base: str | None = None) -> Significance:
    """Test the difference of every pair of systems, or of a base and every other system."""
    chosen = measure or context.measures[0]
    statistics = context.statistics([chosen])
    bootstrapped = resampled_scores(context, [chosen], statistics)
    combos = _select_pairs(context, base)
    ps = test_by_randomisation(context, chosen, statistics, combos)
    holm = correct_by_holm([p for p, _ in ps])
    sums = {name: values.sum(axis=0) for name, values in statistics.items()}
    observed = context.by_system(context.finished(chosen, sums))
    tests = []
    for (first, second), (p, method), adjusted in zip(combos, ps, holm, strict=True):
        span: Interval = (None, None)
        detectable = None
        if bootstrapped is not None:
            gaps = bootstrapped[chosen.name][:, [second]] - bootstrapped[chosen.name][:, [first]]
            span = compute_intervals(gaps)[0]
            detectable = none_if_nan(POWER * float(np.std(gaps, ddof=1))) if len(gaps) > 1 else None
        tests.append(
            PairTest(
                base=context.systems[first].name,
                new=context.systems[second].name,
                difference=none_if_nan(observed[second] - observed[first]),
                low=span[0],
                high=span[1],
                p=p,
                p_holm=adjusted,
                method=method,
                detectable=detectable,
                mcnemar=_mcnemar_p(context, context.systems[first], context.systems[second]),
            )
        )
    return Significance(
        view=context.view.name,
        measure=chosen.name,
        unit=context.verdicts.units.kind,
        units=len(context.active),
        resamples=context.resamples,
        seed=context.seed,
        warnings=write_warnings(context),
        tests=tuple(tests),
    )


def _select_pairs(context: Context, base: str | None) -> list[tuple[int, int]]:
    if base is None:
        return list(combinations(range(len(context.systems)), 2))
    first = context.systems.index(context.verdicts.system(base))
    return [(first, second) for second in range(len(context.systems)) if second != first]


def write_warnings(context: Context) -> tuple[str, ...]:
    """Write warnings about unreliable intervals and tests."""
    kind, count = context.verdicts.units.kind, len(context.active)
    found = []
    if kind != "document":
        found.append(
            f"no document boundaries in the gold data: resampling {kind}s instead; if errors cluster in documents, "
            "intervals are too narrow and tests reject too often"
        )
    if count < FEW_UNITS:
        found.append(f"only {count} {kind}s; bootstrap intervals are too narrow below {FEW_UNITS}")
    return tuple(found)


def test_by_randomisation(
    context: Context,
    chosen: Measure,
    statistics: Mapping[str, NDArray[np.float64]],
    combos: Sequence[tuple[int, int]],
) -> list[tuple[float | None, str]]:
    """Run randomisation tests of pairs of systems, as p and method; all pairs share the same random swaps."""
    units = len(context.active)
    if not context.resamples:
        return [(None, "not requested")] * len(combos)
    if units < FEWEST_UNITS:
        return [(None, f"n/a: fewer than {FEWEST_UNITS} units")] * len(combos)
    if context.lost(chosen):
        return [(None, f"n/a: {LOST}")] * len(combos)
    flat = np.concatenate([values.reshape(units, -1) for values in statistics.values()], axis=1)
    exact = units <= EXACT_UNITS
    rows = None if exact else np.flatnonzero(_find_varying_units(statistics))
    picked = split_sums(swapped_sums(flat, context.resamples, context.seed, exact=exact, rows=rows), statistics)
    totals = {name: values.sum(axis=0) for name, values in statistics.items()}
    found: list[tuple[float | None, str]] = []
    for first, second in combos:
        one, two = context.systems[first], context.systems[second]
        if len(one.runs) != len(two.runs):
            found.append((None, "n/a: the systems have different numbers of runs"))
        else:
            p = _p_value(partial(context.finished, chosen), totals=totals, picked=picked, one=one, two=two, exact=exact)
            made = "exact" if exact else "identical" if _are_identical(statistics, one, two) else "sampled"
            found.append((p, f"n/a: {context.reason(chosen)}" if p is None else made))
    return found


def _find_varying_units(statistics: Mapping[str, NDArray[np.float64]]) -> NDArray[np.bool_]:
    """Whether each unit's statistics differ between any two runs; swapping other units has no effect."""
    changes = [(values != values[:, :1]).reshape(len(values), -1).any(axis=1) for values in statistics.values()]
    moving: NDArray[np.bool_] = np.logical_or.reduce(changes)
    return moving


def _are_identical(statistics: Mapping[str, NDArray[np.float64]], one: System, two: System) -> bool:
    """Whether no unit's statistics differ between two systems, independent of the other systems."""
    return all(np.array_equal(each[:, list(one.runs)], each[:, list(two.runs)]) for each in statistics.values())


def _p_value(
    finish: Finish,
    totals: Mapping[str, NDArray[np.float64]],
    picked: Mapping[str, NDArray[np.float64]],
    one: System,
    *,
    two: System,
    exact: bool,
) -> float | None:
    """Swap the picked units between two systems and count differences at least as large as the observed one.

    A swap that makes the measure undefined counts as large, so that p is conservative.
    """
    mine, theirs = list(one.runs), list(two.runs)
    observed = _mean_difference(
        finish, {n: t[None, mine] for n, t in totals.items()}, {n: t[None, theirs] for n, t in totals.items()}
    )
    moved = {name: sums[:, theirs] - sums[:, mine] for name, sums in picked.items()}
    swapped = _mean_difference(
        finish,
        {name: totals[name][mine] + moved[name] for name in moved},
        {name: totals[name][theirs] - moved[name] for name in moved},
    )
    if np.isnan(observed[0]):
        return None
    count = int((~(np.abs(swapped) < abs(float(observed[0])) - _TOLERANCE)).sum())
    return count / len(swapped) if exact else (count + 1) / (len(swapped) + 1)


def _mean_difference(
    finish: Finish, mine: Mapping[str, NDArray[np.float64]], theirs: Mapping[str, NDArray[np.float64]]
) -> NDArray[np.float64]:
    gap: NDArray[np.float64] = finish(theirs).mean(axis=-1) - finish(mine).mean(axis=-1)
    return gap


def correct_by_holm(ps: Sequence[float | None]) -> list[float | None]:
    """Correct for many pairs (Holm 1979): the family-wise error stays at its level.

    >>> correct_by_holm([0.01, 0.04, None])
    [0.02, 0.04, None]
    """
    order = sorted((p, place) for place, p in enumerate(ps) if p is not None)
    corrected: list[float | None] = [None] * len(ps)
    highest = 0.0
    for rank, (p, place) in enumerate(order):
        highest = max(highest, min(1.0, p * (len(order) - rank)))
        corrected[place] = highest
    return corrected


def benjamini_hochberg(ps: Sequence[float | None]) -> list[float | None]:
    """Correct for many slices (Benjamini & Hochberg 1995): the false discovery rate stays at its level.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    order = sorted(((p, place) for place, p in enumerate(ps) if p is not None), reverse=True)
    corrected: list[float | None] = [None] * len(ps)
    lowest = 1.0
    for rank, (p, place) in enumerate(order):
        lowest = min(lowest, p * len(order) / (len(order) - rank))
        corrected[place] = lowest
    return corrected


def _mcnemar_p(context: Context, one: System, two: System) -> float | None:
    """Exact McNemar test on sites; for independent rows and single runs only."""
    if context.verdicts.units.kind != "row" or len(one.runs) != 1 or len(two.runs) != 1:
        return None
    mine, theirs = context.sites.right[one.runs[0]], context.sites.right[two.runs[0]]
    return compute_binomial_p(int((mine & ~theirs).sum()), int((theirs & ~mine).sum()))


def compute_binomial_p(wins: int, losses: int) -> float:
    """Compute the exact two-sided p of wins against losses under a fair coin; 1 if there are none.

    >>> compute_binomial_p(8, 2)
    0.109375
    """
    total, tail = wins + losses, min(wins, losses)
    if total < 1000:
        return min(1.0, 2 * sum(math.comb(total, k) for k in range(tail + 1)) / float(2**total))
    logs = (
        math.lgamma(total + 1) - math.lgamma(k + 1) - math.lgamma(total - k + 1) - total * math.log(2)
        for k in range(tail + 1)
    )
    return min(1.0, 2 * math.fsum(math.exp(log) for log in logs))


# Compact letter display: two systems that share a letter do not differ significantly.


_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def compact_letters(systems: Sequence[str], tests: Sequence[PairTest], level: float = LEVEL) -> dict[str, str]:
    """Give each system letters, so that two share one if and only if they do not differ significantly.

    Each letter denotes systems among which no two differ. The first letter goes to the first system, so systems
    should come in the order of their scores. A pair that could not be tested does not differ; if no pair could be
    tested, no system gets a letter.

    >>> from comparanda.findings.significance import PairTest
    >>> def test(base, new, p):
    ...     unknown = dict.fromkeys(("low", "high", "detectable", "mcnemar"))
    ...     return PairTest(base=base, new=new, difference=0.1, p=p, p_holm=p, method="exact", **unknown)
    >>> tests = [test("a", "b", 0.4), test("b", "c", 0.3), test("a", "c", 0.01)]
    >>> compact_letters(["a", "b", "c"], tests)
    {'a': 'a', 'b': 'ab', 'c': 'b'}
    """
    if not any(test.p_holm is not None for test in tests):
        return dict.fromkeys(systems, "")
    differ = {(test.base, test.new) for test in tests if test.p_holm is not None and test.p_holm < level}
    alike = [
        {place for place, other in enumerate(systems) if not differ & {(name, other), (other, name)}}
        for name in systems
    ]
    found: dict[str, str] = dict.fromkeys(systems, "")
    for number, group in enumerate(_group_similar(alike)):
        for place in sorted(group):
            found[systems[place]] += _format_letter(number)
    return found


def _group_similar(alike: Sequence[set[int]]) -> list[set[int]]:
    """Return groups of mutually similar systems, by place, so that any two similar ones share a group.

    A pair that is in no group yet begins a new one, to which all systems similar to every member are added in order.
    """
    groups: list[set[int]] = []
    for first, others in enumerate(alike):
        for second in sorted(place for place in others if place >= first):
            if any({first, second} <= group for group in groups):
                continue
            group = {first, second}
            for place in range(len(alike)):
                if group <= alike[place]:
                    group.add(place)
            groups.append(group)
    return groups


def _format_letter(number: int) -> str:
    """Format the letter with a number; after z letters are numbered, so that `a1` is not read as two letters.

    >>> _format_letter(0), _format_letter(25), _format_letter(26)
    ('a', 'z', 'a1')
    """
    again, place = divmod(number, len(_ALPHABET))
    return f"{_ALPHABET[place]}{again or ''}"
