"""Stability: how much the runs of one system differ, and how much more than that two systems differ.

A system may have several runs (DEFINITIONS 4). If two systems differ no more than two runs of the same system, their
difference may be due to chance: the *excess* subtracts the systems' own noise.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.measures import ratio
from comparanda.errors import UsageError
from comparanda.expressions import quote_string
from comparanda.findings.context import Context, divide_counts
from comparanda.findings.counts import SiteCount
from comparanda.findings.difference import find_decisions
from comparanda.findings.scores import compute_scores
from comparanda.findings.significance import write_warnings
from comparanda.findings.site_names import name_sites
from comparanda.render.count_links import Link
from comparanda.render.finding import Finding
from comparanda.render.table import NO_SITES, Field, Linked, Table, cut_rows, format_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.verdicts import System
    from comparanda.findings.context import Interval


BEYOND, WITHIN, BELOW = "beyond noise", "within noise", "below noise"
"""The readings of an excess: its interval is above 0, includes it, or is below."""


@dataclass(frozen=True)
class RunScore:
    """The main measure of one run; None where undefined."""

    run: str
    value: float | None


@dataclass(frozen=True)
class LabelFlips:
    """The sites of one key label at which the runs of a system do not all give the same value.

    Args:
        label: the label.
        sites: the number of sites with it, of the key and these runs.
        flips: those at which runs differ.
        where: the condition that selects all sites with it.

    """

    label: str
    sites: int
    flips: SiteCount
    where: str


@dataclass(frozen=True, kw_only=True)
class SystemStability:
    """The stability of one system, over the sites of the key and its own runs.

    Args:
        system: its name.
        runs: the score of each run by the main measure.
        lowest: the lowest of them; None where one is undefined.
        highest: the highest.
        deviation: their standard deviation, of a sample (n − 1).
        sites: the number of sites.
        run_pairs: the number of pairs of runs.
        different: the number of sites times pairs of runs with different values.
        within: their share: the mean pairwise diff.
        low: the lower end of its 95 % interval.
        high: the upper end.
        flips: the sites at which not all runs give the same value.
        right_and_wrong: those among them at which some runs are right and others wrong.
        always_right: the sites that every run has right.
        ever_right: the sites that at least one run has right.
        labels: flips by key label, the most frequent label first.

    """

    system: str
    runs: tuple[RunScore, ...]
    lowest: float | None
    highest: float | None
    deviation: float | None
    sites: int
    run_pairs: int
    different: int
    within: float | None
    low: float | None
    high: float | None
    flips: SiteCount
    right_and_wrong: SiteCount
    always_right: SiteCount
    ever_right: SiteCount
    labels: tuple[LabelFlips, ...]


@dataclass(frozen=True, kw_only=True)
class PairStability:
    """The difference of two systems compared with their own noise, over the sites of the key and all runs of both.

    Args:
        base: the first system.
        new: the second.
        sites: the number of sites.
        within_base: the mean pairwise diff of the runs of the first; None where it has one.
        within_new: the same of the second.
        between: the mean diff over pairs of a run of the first and one of the second: the diff of the pair.
        different: the number of sites times such pairs with different values.
        excess: between − (within_base + within_new) / 2.
        low: the lower end of its 95 % interval, over documents.
        high: the upper end.
        reading: "beyond noise", "within noise" (the interval includes 0) or "below noise"; None where undefined.
        reason: why the excess is undefined.
        where: the condition that selects the sites that differ between the systems, once for each pair of runs.

    """

    base: str
    new: str
    sites: int
    within_base: float | None
    within_new: float | None
    between: float | None
    different: int
    excess: float | None
    low: float | None
    high: float | None
    reading: str | None
    reason: str | None
    where: str


@dataclass(frozen=True, kw_only=True)
class Stability(Finding):
    """The stability of systems with several runs, and how much more two systems differ than their runs do."""

    json_name = "stability"

    view: str
    measure: str
    unit: str
    units: int
    resamples: int
    seed: int
    warnings: tuple[str, ...]
    systems: tuple[SystemStability, ...]
    pairs: tuple[PairStability, ...]

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        return stability_tables(self, top)


def compute_stability(context: Context, base: str | None = None, new: str | None = None) -> Stability:
    """Measure how much the runs of a system differ, and how much more the systems do.

    Pairs are all those in which at least one system has several runs; with `base` or `new`, the pairs of these.
    """
    several = [system for system in context.systems if len(system.runs) > 1]
    if not several:
        hint = "give several: NAME=FIRST,SECOND,… or Runs(first, second, …)"
        raise UsageError("no system has more than one run", hint=hint)
    if base is not None and base == new:
        raise UsageError(f"the system {base!r} is compared with itself")
    asked = {context.verdicts.system(name).name for name in (base, new) if name is not None}
    main = context.measures[0]
    by_run = {score.system: score.by_run for score in compute_scores(replace(context, resamples=0), [main]).scores}
    pairs = [
        (second, first) if second.name == base or first.name == new else (first, second)
        for first, second in combinations(context.systems, 2)
        if asked <= {first.name, second.name} and (len(asked) > 1 or len(first.runs) + len(second.runs) > 2)
    ]
    return Stability(
        view=context.view.name,
        measure=main.name,
        unit=context.verdicts.units.kind,
        units=len(context.active),
        resamples=context.resamples,
        seed=context.seed,
        warnings=write_warnings(context) if context.resamples else (),
        systems=tuple(_system_stability(context.among(system.name), system, by_run[system.name]) for system in several),
        pairs=tuple(_pair_stability(context.among(first.name, second.name), first, second) for first, second in pairs),
    )


def _system_stability(context: Context, system: System, values: Sequence[float | None]) -> SystemStability:
    names = (context.verdicts.runs[run] for run in system.runs)
    known = [value for value in values if value is not None]
    complete = len(known) == len(values)
    run_pairs = list(combinations(system.runs, 2))
    different, units = _count_differing(context, run_pairs)
    sites = len(context.sites)
    low, high = _share_interval(context, units[:, None], [1], len(run_pairs))
    mine = _SystemCounts(context, system)
    return SystemStability(
        system=system.name,
        runs=tuple(RunScore(name, value) for name, value in zip(names, values, strict=True)),
        lowest=min(known) if complete else None,
        highest=max(known) if complete else None,
        deviation=statistics.stdev(known) if complete else None,
        sites=sites,
        run_pairs=len(run_pairs),
        different=different,
        within=divide_counts(different, sites * len(run_pairs)),
        low=low,
        high=high,
        flips=mine.flips,
        right_and_wrong=mine.right_and_wrong,
        always_right=mine.always_right,
        ever_right=mine.ever_right,
        labels=mine.labels(),
    )


def _count_differing(context: Context, run_pairs: Iterable[tuple[int, int]]) -> tuple[int, NDArray[np.float64]]:
    """Count sites times pairs of runs with different values, in total and for each unit."""
    units = np.zeros(len(context.active))
    count = 0
    for pair in run_pairs:
        place, _, one, other = find_decisions(context, *pair)
        rows = place[one != other]
        count += len(rows)
        units += context.unit_counts(rows)
    return count, units


def _share_interval(context: Context, units: NDArray[np.float64], factors: Sequence[int], scale: int) -> Interval:
    """Compute the interval of a weighted sum of counts by unit, divided by the number of sites times a scale.

    Counts and factors are integers, so that a difference of zero is exactly zero.
    """
    decided = context.decided * scale
    columns = np.stack([units @ np.array(factors, np.float64), decided], axis=1)
    return context.interval(columns, lambda sums: ratio(sums[:, :1], sums[:, 1:]))[0]


class _SystemCounts:
    """Counts the sites at which the runs of a system agree or not; at uncontested sites all runs are right."""

    def __init__(self, context: Context, system: System) -> None:
        self.sites, self.name, self.runs = context.sites, quote_string(system.name), len(system.runs)
        self.mine = f"right_in({self.name}) >= 0"  # true at all sites, and names the system whose sites they are
        self.named = name_sites(context.view)
        disputed = context.sites.disputed
        self.easy = len(context.sites) - len(disputed)
        values = np.stack([disputed.values[run] for run in system.runs])
        self.flipping = (values != values[0]).any(axis=0)
        self.solved = np.stack([disputed.right[run] for run in system.runs]).sum(axis=0)

    def _count(self, number: int, where: str) -> SiteCount:
        return SiteCount(number, divide_counts(number, len(self.sites)), where)

    @property
    def flips(self) -> SiteCount:
        return self._count(int(self.flipping.sum()), f"flips({self.name})")

    @property
    def right_and_wrong(self) -> SiteCount:
        some = (self.solved > 0) & (self.solved < self.runs)
        return self._count(int(some.sum()), f"right_in({self.name}) > 0 and right_in({self.name}) < {self.runs}")

    @property
    def always_right(self) -> SiteCount:
        number = self.easy + int((self.solved == self.runs).sum())
        return self._count(number, f"right_in({self.name}) == {self.runs}")

    @property
    def ever_right(self) -> SiteCount:
        return self._count(self.easy + int((self.solved > 0).sum()), f"right_in({self.name}) > 0")

    def labels(self) -> tuple[LabelFlips, ...]:
        """Count flips by key label, the most frequent label first."""
        named = self.named
        flips = np.bincount(named.contested[self.flipping], minlength=len(named.names))
        rows = []
        for code in named.present:
            total, count = int(named.counts[code]), int(flips[code])
            flipping, where = (
                f"{named.condition(code)} and {condition}" for condition in (f"flips({self.name})", self.mine)
            )
            flipped = SiteCount(count, divide_counts(count, total), flipping)
            rows.append(LabelFlips(named.called(code), total, flipped, where))
        return tuple(sorted(rows, key=lambda row: (-row.sites, row.label)))


def _pair_stability(context: Context, first: System, second: System) -> PairStability:
    """Compare two systems with their own noise, with one universe for all three diffs to make them comparable."""
    size = len(context.sites)
    pairs_of_runs = [
        list(product(first.runs, second.runs)),
        *(list(combinations(system.runs, 2)) for system in (first, second)),
    ]
    numbers = [len(each) for each in pairs_of_runs]
    counts, units = zip(*(_count_differing(context, each) for each in pairs_of_runs), strict=True)
    between, *within = (divide_counts(count, size * number) for count, number in zip(counts, numbers, strict=True))
    reason = _undefined_reason(first, second, size)
    excess: float | None = None
    span: Interval = (None, None)
    if reason is None:
        all_runs, mine, theirs = numbers
        factors, scale = (2 * mine * theirs, -all_runs * theirs, -all_runs * mine), 2 * math.prod(numbers)
        excess = divide_counts(sum(map(mul, factors, counts)), size * scale)
        span = _share_interval(context, np.stack(units, axis=1), factors, scale)
    return PairStability(
        base=first.name,
        new=second.name,
        sites=size,
        within_base=within[0],
        within_new=within[1],
        between=between,
        different=counts[0],
        excess=excess,
        low=span[0],
        high=span[1],
        reading=_read_excess(span),
        reason=reason,
        where="differs",
    )


def _undefined_reason(first: System, second: System, sites: int) -> str | None:
    single = [system.name for system in (first, second) if len(system.runs) == 1]
    if single:
        return f"{' and '.join(single)}: one run, so its own noise is unknown"
    return None if sites else "no site"


def _read_excess(span: Interval) -> str | None:
    low, high = span
    if low is None or high is None:
        return None
    return BEYOND if low > 0 else BELOW if high < 0 else WITHIN


# Stability as tables.


_SHOWN_LABELS, _SHOWN_PAIRS = 5, 45  # the default number of rows


def stability_tables(finding: Stability, top: int | None) -> tuple[Table, ...]:
    """Return tables of the stability of each system, of the excess of pairs, and of flips by label."""
    pairs = (_pair_table(finding, top),) if finding.pairs else ()
    return (_system_table(finding), *pairs, _label_table(finding, top))


def _system_table(finding: Stability) -> Table:
    fields = (
        Field("system", "system"),
        Field("runs", "runs", "figure"),
        Field("lowest", f"lowest {finding.measure}", "share"),
        Field("highest", "highest", "share"),
        Field("deviation", "std. dev.", "share"),
        Field("within", "diff within", "share"),
        Field("within_interval", "95 % interval", "interval"),
        Field("sites", "sites", "count"),
        Field("flips", "flips", "count"),
        Field("flip_share", "%", "share"),
        Field("right_and_wrong", "right ↔ wrong", "count"),
        Field("right_and_wrong_share", "%", "share"),
        Field("always_right", "right in all", "share"),
        Field("ever_right", "in any", "share"),
    )
    rows = tuple(_system_row(finding, each) for each in finding.systems)
    notes = [
        "diff within: mean over pairs of runs; flips: sites at which not all runs give the same value; "
        "right ↔ wrong: some runs are right, others wrong"
    ]
    if not all(each.sites for each in finding.systems):
        notes.append(NO_SITES)
    return Table(
        name="stability", title="Stability of each system over its runs", fields=fields, rows=rows, notes=tuple(notes)
    )


def _system_row(finding: Stability, each: SystemStability) -> tuple[Any, ...]:
    counts = (each.flips, each.right_and_wrong, each.always_right, each.ever_right)
    flips, right_and_wrong, always_right, ever_right = (Link(found.where, view=finding.view) for found in counts)
    return (
        each.system,
        len(each.runs),
        each.lowest,
        each.highest,
        each.deviation,
        each.within,
        (each.low, each.high),
        Linked(each.sites, Link(f"right_in({quote_string(each.system)}) >= 0", view=finding.view)),
        Linked(each.flips.count, flips),
        Linked(each.flips.share, flips),
        Linked(each.right_and_wrong.count, right_and_wrong),
        Linked(each.right_and_wrong.share, right_and_wrong),
        Linked(each.always_right.share, always_right),
        Linked(each.ever_right.share, ever_right),
    )


def _pair_table(finding: Stability, top: int | None) -> Table:
    fields = (
        Field("base", "base"),
        Field("new", "new"),
        Field("within_base", "within base", "share"),
        Field("within_new", "within new", "share"),
        Field("between", "between", "share"),
        Field("excess", "excess", "points"),
        Field("excess_interval", "95 % interval", "points_interval"),
        Field("reading", "reading"),
    )
    rows: list[tuple[Any, ...]] = [
        (
            pair.base,
            pair.new,
            pair.within_base,
            pair.within_new,
            Linked(pair.between, Link(pair.where, pair.base, pair.new, finding.view)),
            pair.excess,
            (pair.low, pair.high),
            pair.reading,
        )
        for pair in finding.pairs
    ]
    kept, more = cut_rows(
        rows, top=max(top, _SHOWN_PAIRS) if top else top, usual=_SHOWN_PAIRS, one="pair", many="pairs"
    )
    notes = [
        *more,
        "excess = between − (within base + within new) / 2: the difference beyond the systems' own noise; "
        "if its interval includes 0, single runs are not a valid comparison",
        *dict.fromkeys(f"n/a: {pair.reason}" for pair in finding.pairs if pair.reason),
        *_resampling_notes(finding),
    ]
    title = "Differences beyond the systems' own noise"
    return Table(name="excess", title=title, fields=fields, rows=kept, notes=tuple(notes))


def _resampling_notes(finding: Stability) -> tuple[str, ...]:
    """Write how intervals were computed, and warnings about them."""
    if not finding.resamples:
        return ()
    made = f"{format_count(finding.resamples, 'bootstrap resample')} of {format_count(finding.units, finding.unit)}"
    return f"95 % intervals: {made}, seed {finding.seed}", *(f"warning: {warning}" for warning in finding.warnings)


def _label_table(finding: Stability, top: int | None) -> Table:
    fields = (
        Field("system", "system"),
        Field("label", "key label"),
        Field("sites", "sites", "count"),
        Field("flips", "flips", "count"),
        Field("share", "%", "share"),
    )
    rows: list[tuple[Any, ...]] = []
    notes: list[str] = []
    for each in finding.systems:
        mine: list[tuple[Any, ...]] = [
            (
                each.system,
                row.label,
                Linked(row.sites, Link(row.where, view=finding.view)),
                Linked(row.flips.count, flips),
                Linked(row.flips.share, flips),
            )
            for row in each.labels
            for flips in [Link(row.flips.where, view=finding.view)]
        ]
        kept, more = cut_rows(
            mine, top=top, usual=_SHOWN_LABELS, one=f"label of {each.system}", many=f"labels of {each.system}"
        )
        rows += kept
        notes += more
    return Table(name="flips", title="Flips of runs by key label", fields=fields, rows=tuple(rows), notes=tuple(notes))
