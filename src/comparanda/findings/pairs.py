"""All pairs of systems: how much their outputs differ, and how much their scores do (tables 1–3)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.measures import ratio
from comparanda.core.sites import format_value
from comparanda.expressions import quote_string
from comparanda.findings.context import Context, Interval, divide_counts
from comparanda.findings.difference import CLASSES, LABEL_COLUMNS, find_decisions, label_columns, transition_condition
from comparanda.findings.error_pairs import Crossed, Crossing, SpanCrossing
from comparanda.findings.scores import compute_scores
from comparanda.findings.table_links import EVERY_PAIR
from comparanda.render.count_links import Link
from comparanda.render.finding import Finding
from comparanda.render.table import NO_SITES, Field, Linked, Table, cut_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.core.text_columns import Rows
    from comparanda.core.verdicts import System

_PAIRS_AT_ONCE = 64
"""The number of pairs whose intervals are resampled at once: more would only take more memory."""


@dataclass(frozen=True, kw_only=True)
class PairTransition:
    """One kind of change between two systems.

    Args:
        kind: correction, new_error or changed_error.
        key: the key's label.
        base: the first system's.
        new: the second's.
        count: the number of sites.
        where: the condition that selects them.

    """

    kind: str
    key: str
    base: str
    new: str
    count: int
    where: str


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two systems: the difference of their outputs, and of their scores (table 3).

    Args:
        base: the first system.
        new: the second.
        different: the number of sites with different values.
        diff: their share.
        low: the lower end of the 95 % interval of diff.
        high: the upper end.
        score_difference: the main measure of the second less that of the first.
        overlap_right: 2·|both right| / (|first right| + |second right|) (table 1).
        overlap_all: 1 − diff (table 2).
        corrections: the sites that the first has wrong and the second right.
        new_errors: those that the first has right and the second wrong.
        changed_errors: those that both have wrong, with different values.
        transitions: the most frequent kinds of change of each class, as many as requested.
        where: the condition that selects the differing sites.

    """

    base: str
    new: str
    sites: int
    different: int
    diff: float | None
    low: float | None
    high: float | None
    score_difference: float | None
    overlap_right: float | None
    overlap_all: float | None
    corrections: int
    new_errors: int
    changed_errors: int
    transitions: tuple[PairTransition, ...]
    where: str


@dataclass(frozen=True)
class Pairs(Finding):
    """All pairs of systems."""

    json_name = "pairs"

    view: str
    measure: str
    pairs: tuple[Pair, ...]

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        fields = (
            Field("base", "base"),
            Field("new", "new"),
            Field("diff", "diff", "share"),
            Field("diff_interval", "95 % interval", "interval"),
            Field("different", "differing", "count"),
            Field("sites", "sites", "count"),
            Field("score_difference", f"Δ {self.measure}", "points"),
            Field("overlap_right", "shared correct", "share"),
            Field("overlap_all", "identical answers", "share"),
        )
        rows: list[tuple[Any, ...]] = [
            (
                pair.base,
                pair.new,
                Linked(pair.diff, different),
                (pair.low, pair.high),
                Linked(pair.different, different),
                Linked(pair.sites, Link(EVERY_PAIR, pair.base, pair.new, self.view)),
                pair.score_difference,
                pair.overlap_right,
                pair.overlap_all,
            )
            for pair in self.pairs
            for different in [Link(pair.where, pair.base, pair.new, self.view)]
        ]
        kept, notes = cut_pairs(rows, top)
        if not all(pair.sites for pair in self.pairs):
            notes = (*notes, NO_SITES)
        return (
            Table(
                name="pairs",
                title="Pairs: differences of outputs and of scores",
                fields=fields,
                rows=kept,
                notes=notes,
            ),
        )


def compute_pairs(context: Context, transitions: int = 0) -> Pairs:
    """Compute diff and the difference of scores for every pair, with the most frequent kinds of change."""
    main = context.measures[0]
    table = compute_scores(replace(context, resamples=0), [main])
    plain = _ValueSites(context) if context.view.shared else None
    both = list(combinations(context.systems, 2))
    compared: list[tuple[_PairCounts, tuple[PairTransition, ...]]] = []
    units: list[_UnitCounts] = []
    for first, second in both:
        universe = plain or _pair_universe(context, first, second)
        counted = _count_differences(universe, first, second, kinds=transitions > 0)
        compared.append((counted, _most_frequent_changes(universe, counted.transitions, transitions)))
        if context.resamples:
            units.append(_count_by_unit(context, universe, first, second))
    spans = _diff_intervals(context, units) if context.resamples else [(None, None)] * len(both)
    found = []
    for (first, second), (counted, frequent), span in zip(both, compared, spans, strict=True):
        values = table.value(first.name), table.value(second.name)
        diff = divide_counts(counted.different, counted.sites)
        found.append(
            Pair(
                base=first.name,
                new=second.name,
                sites=counted.sites,
                different=counted.different,
                diff=diff,
                low=span[0],
                high=span[1],
                score_difference=None if values[0] is None or values[1] is None else values[1] - values[0],
                overlap_right=counted.overlap,
                overlap_all=None if diff is None else 1 - diff,
                corrections=counted.classes[0],
                new_errors=counted.classes[1],
                changed_errors=counted.classes[2],
                transitions=frequent,
                where=_pair_condition(context, first.name, second.name),
            )
        )
    return Pairs(context.view.name, main.name, tuple(found))


def _pair_universe(context: Context, first: System, second: System) -> _ValueSites | _SpanSites:
    """Return the universe of a pair: the sites of the key and the two systems."""
    if context.view.claims is not None:
        return _SpanSites(context, first, second)
    return _ValueSites(context.among(first.name, second.name))


class _ValueSites:
    """Sites with one value each, either the same for all pairs or those of one pair."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._crossing = Crossing(context.sites)
        self.count = len(context.sites)

    def compare(self, first: int, second: int, *, kinds: bool) -> Crossed:
        del kinds  # counting them costs almost nothing here
        return self._crossing.compare(first, second)

    def labels(self) -> tuple[tuple[str, ...], tuple[str, str, str]]:
        """Return the names of labels, and their columns in conditions."""
        return self._context.sites.labels.names, label_columns(self._context.sites)

    def units(self) -> NDArray[np.integer]:
        """Return the unit of each site."""
        return self._context.unit

    def differing(self, first: int, second: int) -> Rows:
        """Return the sites at which two runs differ."""
        rows, _, old, fresh = find_decisions(self._context, first, second)
        found: Rows = rows[old != fresh]
        return found


class _SpanSites:
    """The overlap sites of the key and two systems."""

    def __init__(self, context: Context, first: System, second: System) -> None:
        claims = context.view.claims
        assert claims is not None
        self._crossing = SpanCrossing(claims, (*first.runs, *second.runs))
        self._unit = context.verdicts.unit_of(claims)
        self.count = self._crossing.count

    def compare(self, first: int, second: int, *, kinds: bool) -> Crossed:
        return self._crossing.compare(first, second, kinds=kinds)

    def labels(self) -> tuple[tuple[str, ...], tuple[str, str, str]]:
        return self._crossing.labels.names, LABEL_COLUMNS

    def units(self) -> NDArray[np.integer]:
        return self._unit[self._crossing.first_rows()]

    def differing(self, first: int, second: int) -> Rows:
        return np.flatnonzero(self._crossing.differs(first, second))


def _pair_condition(context: Context, base: str, new: str) -> str:
    """Write the condition that two systems differ, by name where each has one run and all systems share the sites."""
    if not context.view.shared or any(len(context.verdicts.system(name).runs) > 1 for name in (base, new)):
        return "differs"
    return f"value({quote_string(base)}) != value({quote_string(new)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class _PairCounts:
    """The counts of a pair: sites times pairs of runs, the classes of difference, and their kinds of change."""

    sites: int
    different: int
    overlap: float | None
    classes: tuple[int, int, int]
    transitions: tuple[Counter[tuple[int, int, int]], ...]


def _count_differences(
    universe: _ValueSites | _SpanSites, first: System, second: System, *, kinds: bool
) -> _PairCounts:
    """Count the differences of two systems at the sites of their universe."""
    run_pairs = list(product(first.runs, second.runs))
    compared = [universe.compare(*runs, kinds=kinds) for runs in run_pairs]
    transitions: tuple[Counter[tuple[int, int, int]], ...] = tuple(Counter() for _ in CLASSES)
    for each in compared if kinds else ():
        for counter, rows in zip(transitions, each.transitions, strict=True):
            counter.update({(key, base, new): count for key, base, new, count in rows.tolist()})
    both = sum(each.same_right for each in compared)
    corrections = sum(each.corrections for each in compared)
    new_errors = sum(each.new_errors for each in compared)
    changed = sum(each.changed_errors for each in compared)
    return _PairCounts(
        sites=universe.count * len(run_pairs),
        different=corrections + new_errors + changed,
        overlap=divide_counts(2 * both, 2 * both + corrections + new_errors),  # right in the first: both and new errors
        classes=(corrections, new_errors, changed),
        transitions=transitions,
    )


@dataclass(frozen=True, eq=False, slots=True)
class _UnitCounts:
    """The active units of a pair, and for each the number of differing sites and of all sites."""

    active: NDArray[np.int64]
    columns: NDArray[np.float64]


def _count_by_unit(context: Context, universe: _ValueSites | _SpanSites, first: System, second: System) -> _UnitCounts:
    """Count by unit the differing sites, averaged over pairs of runs, and all sites."""
    unit, active = universe.units(), context.active_among(first.name, second.name)
    size = context.verdicts.units.count
    columns = np.zeros((len(active), 2))
    columns[:, 1] = (np.bincount(unit, minlength=size) + context.easy)[active]
    run_pairs = list(product(first.runs, second.runs))
    for runs in run_pairs:
        columns[:, 0] += np.bincount(unit[universe.differing(*runs)], minlength=size)[active] / len(run_pairs)
    return _UnitCounts(active, columns)


def _diff_intervals(context: Context, units: Sequence[_UnitCounts]) -> list[Interval]:
    """Compute the bootstrap intervals of diff; pairs with the same units share the draws, which cost most."""
    alike: dict[bytes, list[int]] = {}
    for place, each in enumerate(units):
        alike.setdefault(each.active.tobytes(), []).append(place)
    found: list[Interval] = [(None, None)] * len(units)
    for places in alike.values():
        for begin in range(0, len(places), _PAIRS_AT_ONCE):
            some = places[begin : begin + _PAIRS_AT_ONCE]
            columns = np.concatenate([units[place].columns for place in some], axis=1)
            spans = context.interval(columns, lambda sums: ratio(sums[:, ::2], sums[:, 1::2]))
            for place, span in zip(some, spans, strict=True):
                found[place] = span
    return found


def _most_frequent_changes(
    universe: _ValueSites | _SpanSites, transitions: tuple[Counter[tuple[int, int, int]], ...], most: int
) -> tuple[PairTransition, ...]:
    """Write the most frequent kinds of change of each class."""
    if not most:
        return ()
    names, columns = universe.labels()
    found = []
    for kind, counter in zip(CLASSES, transitions, strict=True):
        for codes in sorted(counter, key=lambda code: (-counter[code], code))[:most]:
            key, base, new = (format_value(names[code]) for code in codes)
            where = transition_condition(kind, columns=columns, key=key, base=base, new=new)
            found.append(PairTransition(kind=kind, key=key, base=base, new=new, count=counter[codes], where=where))
    return tuple(found)
