"""Complementarity: the errors that systems share, and what a combination of two could gain."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.core.claims import LINK
from comparanda.core.ids import BAR
from comparanda.core.measures import parse_measure, ratio
from comparanda.core.sites import format_value, sum_by_code
from comparanda.errors import UsageError
from comparanda.expressions import quote_string
from comparanda.findings.context import Context, Interval, compute_intervals, is_label, is_value, none_if_nan
from comparanda.findings.counts import Cell
from comparanda.findings.difference import compute_difference
from comparanda.findings.diversity import Diversity
from comparanda.findings.resamples import bootstrap_sums
from comparanda.findings.scores import compute_scores, resampled_scores
from comparanda.render.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from comparanda.core.items import Items
    from comparanda.core.measures import Measure
    from comparanda.core.sites import Sites
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.core.verdicts import System
    from comparanda.render.charts import Paper
    from comparanda.render.table import Table

    Floats = NDArray[np.float64]


# The rates of complementarity and their equations, on numbers or on arrays of them; NaN where undefined.


@dataclass(frozen=True)
class Rate:
    """A rate with its 95 % interval; where it is undefined, the reason."""

    value: float | None
    low: float | None
    high: float | None
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class Rates:
    """The shares of a system's errors that another does not make.

    Args:
        system: A, the system whose errors are counted.
        other: B, the system that may not make them.
        comp: Comp(A, B), of all errors: over sites where each has one value, over items for spans and links.
        pcomp: PComp(A, B), of A's spurious items.
        rcomp: RComp(A, B), of the items that A misses.
        fcomp: FComp(A, B), the harmonic mean of both.
        fbeta: the same with recall weighted by β.

    """

    system: str
    other: str
    comp: Rate
    pcomp: Rate
    rcomp: Rate
    fcomp: Rate
    fbeta: Rate


def complement(own: Floats, others: Floats, common: Floats) -> Floats:
    """Compute the share of A's errors that B does not make (equations 8 to 10).

    It is 1 where B makes none at all, and undefined where A makes none and B does.

    >>> complement(np.array([4.0, 0.0, 0.0]), np.array([2.0, 0.0, 3.0]), np.array([1.0, 0.0, 0.0])).tolist()
    [0.75, 1.0, nan]
    """
    return np.where(others == 0, 1.0, 1 - ratio(common, own))


def f_complement(precision: Floats, recall: Floats, beta: float = 1.0) -> Floats:
    """Compute the harmonic mean of complementary precision and recall (equation 11), with recall weighted by β.

    Equation 12 is misprinted; this is van Rijsbergen's F (equation 4), which gives equation 11 at β = 1. It is 0 where
    both are 0, and undefined where either is.

    >>> round(float(f_complement(np.array(0.7815), np.array(0.1422))), 4)
    0.2406
    """
    square = beta * beta
    below = square * precision + recall
    return np.where(below == 0, 0.0, ratio((1 + square) * precision * recall, below))


# The errors of two systems, alone and shared: the counts from which complementarity is computed (DEFINITIONS 3).
#
# Errors are few compared with correct answers, so each run's errors are stored as row numbers, and shared errors are
# looked up at the rows of one run alone.


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Counts:
    """The error counts of two systems, alone and together: numbers, or arrays by unit, label or resample.

    Args:
        positives: the items of the key.
        missed_first: those that the first misses.
        missed_second: those that the second misses.
        missed_both: those that both miss.
        spurious_first: the items not in the key that the first claims.
        spurious_second: those that the second claims.
        spurious_both: those that both claim.
        sites: the sites.
        wrong_first: those that the first has wrong.
        wrong_second: those that the second has wrong.
        wrong_both: those that both have wrong.

    """

    positives: Floats
    missed_first: Floats
    missed_second: Floats
    missed_both: Floats
    spurious_first: Floats
    spurious_second: Floats
    spurious_both: Floats
    sites: Floats
    wrong_first: Floats
    wrong_second: Floats
    wrong_both: Floats

    def matrix(self) -> Floats:
        """Stack the counts, in the order above, along a last axis."""
        return np.stack([getattr(self, each.name) for each in fields(self)], axis=-1)

    @classmethod
    def of(cls, matrix: Floats) -> Counts:
        """Unstack counts from the last axis of a matrix."""
        return cls(**{each.name: matrix[..., place] for place, each in enumerate(fields(cls))})

    def swapped(self) -> Counts:
        """Return the counts with the two systems exchanged."""
        return Counts(
            positives=self.positives,
            missed_first=self.missed_second,
            missed_second=self.missed_first,
            missed_both=self.missed_both,
            spurious_first=self.spurious_second,
            spurious_second=self.spurious_first,
            spurious_both=self.spurious_both,
            sites=self.sites,
            wrong_first=self.wrong_second,
            wrong_second=self.wrong_first,
            wrong_both=self.wrong_both,
        )

    def item_errors(self) -> tuple[Floats, Floats, Floats]:
        """Return the errors over items: the first's, the second's, those of both."""
        return (
            self.missed_first + self.spurious_first,
            self.missed_second + self.spurious_second,
            self.missed_both + self.spurious_both,
        )

    def site_errors(self) -> tuple[Floats, Floats, Floats]:
        """Return the errors over sites: the first's, the second's, those of both."""
        return self.wrong_first, self.wrong_second, self.wrong_both


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Grouping:
    """The groups by which errors are counted: for each item and site the number of its group, of `size` groups.

    The `folded` fields are for kinds of items and sites that are stored only as counts.
    """

    items: NDArray[np.integer]
    sites: NDArray[np.integer]
    size: int
    folded_items: NDArray[np.integer] | None = None
    folded_sites: NDArray[np.integer] | None = None

    def cross(self, other: Grouping) -> Grouping:
        """Return the cross product with another grouping, its groups nested inside these."""

        def inside(mine: NDArray[np.integer], theirs: NDArray[np.integer]) -> NDArray[np.integer]:
            return mine.astype(np.int64) * other.size + theirs

        def folded(mine: NDArray[np.integer] | None, theirs: NDArray[np.integer] | None) -> NDArray[np.integer] | None:
            return None if mine is None or theirs is None else inside(mine, theirs)

        return Grouping(
            items=inside(self.items, other.items),
            sites=inside(self.sites, other.sites),
            size=self.size * other.size,
            folded_items=folded(self.folded_items, other.folded_items),
            folded_sites=folded(self.folded_sites, other.folded_sites),
        )

    def of_items(self, rows: Rows | Truths) -> Floats:
        """Count the given items by group."""
        return np.bincount(self.items[rows], minlength=self.size).astype(np.float64)

    def of_sites(self, rows: Rows) -> Floats:
        """Count the given sites by group."""
        return np.bincount(self.sites[rows], minlength=self.size).astype(np.float64)


class SharedErrors:
    """The errors of each run, and the shared errors of two.

    Args:
        items: the items of a view.
        sites: its sites.
        runs: the number of runs.

    """

    def __init__(self, items: Items, sites: Sites, runs: int) -> None:
        self.items, self.sites, self.runs = items, sites, range(runs)
        self.has = [items.has(run) for run in self.runs]
        self.apart = items.weight is not None  # then each run may have positives of its own

    @cached_property
    def missed(self) -> list[Rows]:
        """The items of the key that each run misses."""
        return [np.flatnonzero(self.items.counts(run) & ~self.has[run]) for run in self.runs]

    @cached_property
    def spurious(self) -> list[Rows]:
        """The items not in the key that each run claims."""
        return [np.flatnonzero(~self.items.positive & self.has[run]) for run in self.runs]

    @cached_property
    def wrong(self) -> list[Rows]:
        """The contested sites that each run has wrong."""
        return [np.flatnonzero(~right) for right in self.sites.disputed.right]

    def missed_counted_for(self, run: int, other: int) -> Rows:
        """Return the items of the key that a run misses and that also count for another run."""
        rows = self.missed[run]
        return rows[self.items.counts(other)[rows]] if self.apart else rows

    def missed_by_both(self, first: int, second: int) -> Rows:
        """Return the items of the key that two runs miss."""
        rows = self.missed_counted_for(first, second)
        return rows[~self.has[second][rows]]

    def spurious_in_both(self, first: int, second: int) -> Rows:
        """Return the items not in the key that two runs claim."""
        rows = self.spurious[first]
        return rows[self.has[second][rows]]

    def wrong_in_both(self, first: int, second: int) -> Rows:
        """Return the contested sites that two runs have wrong."""
        rows = self.wrong[first]
        return rows[~self.sites.disputed.right[second][rows]]


class Tally:
    """Counts errors by group; the counts of one run are computed once for all its pairs."""

    def __init__(self, errors: SharedErrors, by: Grouping) -> None:
        self._errors, self._by = errors, by
        contested = errors.sites.contested
        self._contested = Grouping(items=by.items, sites=by.sites[contested], size=by.size)
        self._sites = by.of_sites(np.arange(errors.sites.rows))
        self._easy: Floats | int = 0
        if errors.sites.folded is not None and by.folded_sites is not None:
            self._sites += sum_by_code(by.folded_sites, errors.sites.folded.count, by.size)
        if errors.items.folded is not None and by.folded_items is not None:
            self._easy = sum_by_code(by.folded_items, errors.items.folded.count, by.size).astype(np.float64)
        self._positives = by.of_items(errors.items.positive) + self._easy
        self._missed = [by.of_items(rows) for rows in errors.missed]
        self._spurious = [by.of_items(rows) for rows in errors.spurious]
        self._wrong = [self._contested.of_sites(rows) for rows in errors.wrong]

    def counts(self, first: int, second: int) -> Counts:
        """Count the errors of two runs; only items of the key that count for both are included."""
        errors, by = self._errors, self._by
        positives, missed = self._positives, (self._missed[first], self._missed[second])
        if errors.apart:
            positives = by.of_items(errors.items.counts(first) & errors.items.counts(second)) + self._easy
            missed = (
                by.of_items(errors.missed_counted_for(first, second)),
                by.of_items(errors.missed_counted_for(second, first)),
            )
        return Counts(
            positives=positives,
            missed_first=missed[0],
            missed_second=missed[1],
            missed_both=by.of_items(errors.missed_by_both(first, second)),
            spurious_first=self._spurious[first],
            spurious_second=self._spurious[second],
            spurious_both=by.of_items(errors.spurious_in_both(first, second)),
            sites=self._sites,
            wrong_first=self._wrong[first],
            wrong_second=self._wrong[second],
            wrong_both=self._contested.of_sites(errors.wrong_in_both(first, second)),
        )


# The errors of pairs of systems, counted by unit and by label, and over resamples of the units.


MAX_LABEL_INTERVALS = 600
"""The largest number of labels times pairs for which labels get intervals; for more, compare fewer systems."""

_MAX_COLUMNS, _MAX_CELLS = 4096, 1 << 24  # of counts that are resampled at a time, and of these times units


@dataclass(frozen=True, eq=False, slots=True)
class CountedPair:
    """The counts of a pair, of all items and then of each label; the same over resamples, if there are any.

    Args:
        first: the first system.
        second: the second.
        totals: as (1 + labels, counts), in the order of `Counts`; the last group is for sites without a label.
        drawn: as (resamples, 1 + labels, counts), or (resamples, 1, counts) where labels are not resampled.

    """

    first: System
    second: System
    totals: Floats
    drawn: Floats | None


class ComplementData:
    """The data shared by all pairs: the errors of runs, and the units and labels by which they are counted."""

    def __init__(self, context: Context, beta: float, pairs: int, *, labels: bool) -> None:
        self.context, self.beta, self.view = context, beta, context.view
        self.over: Literal["sites", "items"] = "sites" if self.view.shared else "items"
        self.sets = context.sites.parts is not None
        self.exclusive = self.over == "sites" and not self.sets
        self.errors = SharedErrors(self.view.items, context.sites, len(context.verdicts.runs))
        self.labels = self._sort_labels() if labels else ()
        self.drawn = bool(context.resamples) and len(context.active) > 1
        self.labels_drawn = self.drawn and len(self.labels) * pairs <= MAX_LABEL_INTERVALS
        note = "no intervals for labels: too many labels and pairs; choose a pair with --base and --new"
        self.notes = (note,) if self.drawn and not self.labels_drawn else ()

    def _sort_labels(self) -> tuple[str, ...]:
        """Sort the labels of items, the most frequent in the key first."""
        items = self.view.items
        known = items.positives.tolist()
        there = np.flatnonzero(items.positives + np.bincount(items.label, minlength=len(items.names))).tolist()
        return tuple(items.names[code] for code in sorted(there, key=lambda code: (-known[code], items.names[code])))

    @cached_property
    def _plain_runs(self) -> tuple[bool, ...]:
        runs = range(len(self.context.verdicts.runs))
        return tuple(self.view.items.is_plain(run) and self._finds_exact_spans(run) for run in runs)

    def _finds_exact_spans(self, run: int) -> bool:
        """Whether the run finds every item of the key by an identical span, not by a similar one."""
        items, claims = self.view.items, self.view.claims
        if claims is None or items.claim is None:
            return True
        found = np.flatnonzero(items.positive & items.has(run))
        return bool((claims.runs[run][items.claim[found]] > 0).all())

    def plain_pair(self, runs: Sequence[int]) -> bool:
        """Whether the union and intersection of the items of these runs can be scored from counts alone.

        That requires that each run has an item or not, without partial credit; that it finds exactly the items of the
        key; and that the same items of the key count for all. Where each site has one answer per run, as mentions do,
        answers cannot be combined.
        """
        if self.view.raised is not None:
            return False
        items = self.view.items
        alike = items.weight is None or all(np.array_equal(items.counts(runs[0]), items.counts(run)) for run in runs)
        return alike and not self._has_alternative_ids and all(self._plain_runs[run] for run in runs)

    @cached_property
    def _has_alternative_ids(self) -> bool:
        """Whether the key accepts several ids anywhere: two systems may then be right with different ones."""
        claims = self.view.claims
        if claims is None:
            return False
        tables = [claims] if claims.agreed is None else [claims, claims.agreed]
        used = {code for each in tables for code in np.unique(each.label[each.key > 0]).tolist()}
        return any(BAR in claims.names[code].partition(LINK)[2] for code in used)

    @cached_property
    def _unit_grouping(self) -> Grouping:
        verdicts, items, sites = self.context.verdicts, self.view.items, self.context.sites
        return Grouping(
            items=verdicts.unit_of(items),
            sites=verdicts.unit_of(sites),
            size=verdicts.units.count,
            folded_items=None if items.folded is None else verdicts.unit_of(items.folded),
            folded_sites=None if sites.folded is None else verdicts.unit_of(sites.folded.sites),
        )

    @cached_property
    def _label_grouping(self) -> Grouping:
        """Labels by rank; one more group is for labels of sites that no item has, such as empty sets."""
        items, labels, folded = self.view.items, self.context.sites.labels, self.context.sites.folded
        rank = {label: place for place, label in enumerate(self.labels)}

        def ranks(names: Sequence[str]) -> NDArray[np.int64]:
            return np.array([rank.get(name, len(rank)) for name in names], np.int64)

        return Grouping(
            items=ranks(items.names)[items.label],
            sites=ranks(labels.names)[labels.key],
            size=len(rank) + 1,
            folded_items=None if items.folded is None else ranks(items.names)[items.folded.label],
            folded_sites=None if folded is None else ranks(labels.names)[folded.sites.labels.key],
        )

    @cached_property
    def _unit_counter(self) -> Tally:
        """Counts by unit and, where labels are resampled, by label within each unit."""
        units, labels = self._unit_grouping, self._label_grouping
        if not self.labels_drawn:
            return Tally(self.errors, units)
        return Tally(self.errors, units.cross(labels))

    @cached_property
    def _label_counter(self) -> Tally:
        return Tally(self.errors, self._label_grouping)

    def _count_pair(self, tally: Tally, first: System, second: System, *shape: int) -> Floats:
        """Sum the counts of two systems over all pairs of their runs, as (…, counts)."""
        parts = [tally.counts(*runs).matrix() for runs in product(first.runs, second.runs)]
        total: Floats = np.sum(parts, axis=0)
        return total.reshape(*shape, -1)

    def counted(self, pairs: Sequence[tuple[System, System]]) -> Iterator[CountedPair]:
        """Count the errors of pairs; resample as many pairs at a time as fit into one product of weights and counts."""
        if not self.drawn:
            yield from (self._total_counts(*pair) for pair in pairs)
            return
        width = self._label_grouping.size if self.labels_drawn else 1
        most = max(1, min(_MAX_COLUMNS, _MAX_CELLS // self._unit_grouping.size) // (width * len(fields(Counts))))
        for block in _group_pairs([(pair, self._active_units(*pair)) for pair in pairs], most):
            active = block[0][1]
            if len(active) < 2:
                yield from (self._total_counts(*pair) for pair, _ in block)
                continue
            units = [
                self._count_pair(self._unit_counter, *pair, self._unit_grouping.size, width)[active]
                for pair, _ in block
            ]
            sums = _ResampledSums(self.context, units)
            for number, (pair, _) in enumerate(block):
                yield self._resampled_counts(pair, units[number].sum(axis=0), sums.of(number))

    def _total_counts(self, first: System, second: System) -> CountedPair:
        return CountedPair(
            first,
            second,
            _prepend_sum(self._count_pair(self._label_counter, first, second, self._label_grouping.size)),
            None,
        )

    def _resampled_counts(self, pair: tuple[System, System], totals: Floats, drawn: Floats) -> CountedPair:
        if self.labels_drawn:
            return CountedPair(*pair, _prepend_sum(totals), _prepend_sum(drawn))
        return replace(self._total_counts(*pair), drawn=drawn)

    def _active_units(self, first: System, second: System) -> NDArray[np.int64]:
        """Return the units of a pair, which must not depend on the other systems."""
        return self.context.active_among(first.name, second.name)


def _group_pairs(
    pairs: Sequence[tuple[tuple[System, System], NDArray[np.int64]]], most: int
) -> Iterator[list[tuple[tuple[System, System], NDArray[np.int64]]]]:
    """Group neighbouring pairs with the same units, so that they share draws."""
    block: list[tuple[tuple[System, System], NDArray[np.int64]]] = []
    for each in pairs:
        if block and (len(block) == most or not np.array_equal(block[0][1], each[1])):
            yield block
            block = []
        block.append(each)
    if block:
        yield block


def _prepend_sum(counts: Floats) -> Floats:
    """Prepend the sum over labels to counts of shape (…, labels, counts)."""
    return np.concatenate([counts.sum(axis=-2, keepdims=True), counts], axis=-2)


class _ResampledSums:
    """Sums over resamples of the units.

    Many columns are equal, such as the items that one system misses, in all its pairs: each is resampled once.
    """

    def __init__(self, context: Context, units: Sequence[Floats]) -> None:
        self._shape = units[0].shape[1:]
        columns = np.stack(units, axis=1).reshape(len(units[0]), -1)
        place: dict[bytes, int] = {}
        self._index = np.array([place.setdefault(column.tobytes(), len(place)) for column in columns.T])
        _, first = np.unique(self._index, return_index=True)
        self._sums = bootstrap_sums(columns[:, first], context.resamples, context.seed)

    def of(self, number: int) -> Floats:
        """Return the sums of one pair as (resamples, labels, counts)."""
        width = math.prod(self._shape)
        return self._sums[:, self._index[number * width : (number + 1) * width]].reshape(-1, *self._shape)


# The scores of the union and the intersection of two systems, and the advice that follows from them.
#
# Advice depends on these measured numbers and their intervals alone (DEFINITIONS 3); the paper's interpretation of the
# rates is reported next to it.


HIGH, LOW = 0.5, 0.2
"""A rate is called high from HIGH on and low below LOW; the thresholds are ours, the paper gives no numbers."""


@dataclass(frozen=True, kw_only=True)
class Joint:
    """The scores of the union or intersection of two systems' items.

    Args:
        found: the items of the key in it.
        claimed: all items in it.
        precision: found over claimed.
        recall: found over the items of the key.
        f1: their harmonic mean.
        over: the better of the two systems by F1, over which gains are computed; the first in ties.
        precision_gain: its precision less that system's.
        recall_gain: its recall less that system's.
        f1_gain: its F1 less that system's.
        low: the lower end of the 95 % interval of the gain in F1.
        high: the upper end.

    """

    found: int
    claimed: int
    precision: float | None
    recall: float | None
    f1: float | None
    over: str
    precision_gain: float | None
    recall_gain: float | None
    f1_gain: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class Ceiling:
    """The upper bound of choosing between two values at every site: right where either is.

    Args:
        right: the sites that at least one of the two has right.
        accuracy: the same as a share.
        over: the better of the two, over which the gain is computed.
        gain: the accuracy less that system's.
        low: the lower end of the 95 % interval of the gain.
        high: the upper end.

    """

    right: int
    accuracy: float | None
    over: str
    gain: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Advice:
    """Advice on combining two systems.

    Args:
        measured: the advice that follows from the measured union and intersection.
        paper: the paper's interpretation of the rates of both directions.

    """

    measured: str
    paper: tuple[str, ...]


def union_of(counts: Counts) -> tuple[Floats, Floats]:
    """Count the items of the key in the union of two, and all items in it."""
    found = counts.positives - counts.missed_both
    return found, found + counts.spurious_first + counts.spurious_second - counts.spurious_both


def intersection_of(counts: Counts) -> tuple[Floats, Floats]:
    """Count the items of the key in the intersection of two, and all items in it."""
    found = counts.positives - counts.missed_first - counts.missed_second + counts.missed_both
    return found, found + counts.spurious_both


def single_of(counts: Counts, *, second: bool) -> tuple[Floats, Floats]:
    """Count the items of the key that one of the two has, and all its items."""
    missed = counts.missed_second if second else counts.missed_first
    spurious = counts.spurious_second if second else counts.spurious_first
    found = counts.positives - missed
    return found, found + spurious


def score_joint(
    names: tuple[str, str], total: Counts, resampled: Counts | None, made: str, *, zero_division: float | None = None
) -> Joint:
    """Score the `union` or the `intersection` of two systems' items."""
    make = union_of if made == "union" else intersection_of

    def of(taken: tuple[Floats, Floats], counts: Counts) -> tuple[Floats, Floats, Floats]:
        return score_items(*taken, counts.positives, zero_division)

    singles = [of(single_of(total, second=second), total) for second in (False, True)]
    better = bool(np.nan_to_num(singles[1][2], nan=-1) > np.nan_to_num(singles[0][2], nan=-1))
    own = of(make(total), total)
    precision, recall, f1 = (none_if_nan(float(each)) for each in own)
    gains = [none_if_nan(float(mine - theirs)) for mine, theirs in zip(own, singles[better], strict=True)]
    span: tuple[float | None, float | None] = (None, None)
    if resampled is not None:
        drawn = of(make(resampled), resampled)[2] - of(single_of(resampled, second=better), resampled)[2]
        span = compute_intervals(drawn[:, None])[0]
    found, claimed = (int(each) for each in make(total))
    return Joint(
        found=found,
        claimed=claimed,
        precision=precision,
        recall=recall,
        f1=f1,
        over=names[better],
        precision_gain=gains[0],
        recall_gain=gains[1],
        f1_gain=gains[2],
        low=span[0],
        high=span[1],
    )


def score_items(
    found: Floats, claimed: Floats, positives: Floats, zero_division: float | None
) -> tuple[Floats, Floats, Floats]:
    """Compute precision, recall and F1 of a set of items; undefined ones become the value of `zero_division`."""
    precision, recall, f1 = ratio(found, claimed), ratio(found, positives), ratio(2 * found, claimed + positives)
    if zero_division is None:
        return precision, recall, f1
    forced = (np.where(np.isnan(each), zero_division, each) for each in (precision, recall, f1))
    return next(forced), next(forced), next(forced)


def score_ceiling(names: tuple[str, str], total: Counts, resampled: Counts | None) -> Ceiling:
    """Compute the upper bound of choosing between two values: the sites at which either is right."""
    better = bool(total.wrong_second < total.wrong_first)

    def gain(counts: Counts) -> Floats:
        wrong = counts.wrong_second if better else counts.wrong_first
        return ratio(wrong - counts.wrong_both, counts.sites)

    span = (None, None) if resampled is None else compute_intervals(gain(resampled)[:, None])[0]
    right = total.sites - total.wrong_both
    accuracy = none_if_nan(float(ratio(right, total.sites)))
    return Ceiling(
        right=int(right),
        accuracy=accuracy,
        over=names[better],
        gain=none_if_nan(float(gain(total))),
        low=span[0],
        high=span[1],
    )


NO_UNION = "the chains of two systems cannot be merged by mention, so there is no union or intersection to score"
"""Why there is no advice for views in which runs raise sites."""


def write_advice(union: Joint | None, intersection: Joint | None, most: Ceiling | None) -> str:
    """Write advice from the measured union and intersection, or from the ceiling where sites have one value."""
    if most is not None:
        return _advise_choice(most)
    if union is None or intersection is None:
        return (
            "the view gives partial credit, or each system its own items of the key: score combinations with `combine`"
        )
    raising = [(name, each) for name, each in (("union", union), ("intersection", intersection)) if _is_gain(each)]
    if raising:
        name, best = max(raising, key=lambda pair: pair[1].f1_gain or 0.0)
        return f"take the {name}, which gains over {best.over}: {_format_gain(best)}"
    gains = f"union {_format_gain(union)}; intersection {_format_gain(intersection)}"
    if all(each.high is not None and each.high < 0 for each in (union, intersection)):
        return f"keep {union.over} alone: {gains}"
    return f"no clear gain over {union.over}: {gains}"


def _advise_choice(most: Ceiling) -> str:
    if most.gain is None:
        return "nothing to gain: there are no sites"
    span = "" if most.low is None or most.high is None else f" [{100 * most.low:.2f}, {100 * most.high:.2f}]"
    if most.gain == 0:
        return f"nothing to gain: {most.over} is right wherever the other is"
    return (
        f"each site has one value, so only a choice between the two is possible: a perfect one gains "
        f"{100 * most.gain:.2f}{span} over {most.over}, a vote gains less (see `combine`)"
    )


def _is_gain(each: Joint) -> bool:
    return each.low is not None and each.low > 0


def _format_gain(each: Joint) -> str:
    """Format a gain: `F1 +1.20 [+0.30, +2.00] (recall +4.10, precision -2.00)`."""
    if each.f1_gain is None:
        return "F1 n/a"
    span = "" if each.low is None or each.high is None else f" [{100 * each.low:+.2f}, {100 * each.high:+.2f}]"
    parts = (("recall", each.recall_gain), ("precision", each.precision_gain))
    sides = ", ".join(f"{name} n/a" if value is None else f"{name} {100 * value:+.2f}" for name, value in parts)
    return f"F1 {100 * each.f1_gain:+.2f}{span} ({sides})"


def write_interpretation(system: str, other: str, counts: Counts, *, exclusive: bool) -> str:
    """Write the paper's interpretation of the rates (section 4.2, as corrected in DEFINITIONS).

    Where sites have one value, Comp is described instead. Kinds of errors that the system does not make are left out.
    """
    if exclusive:
        wrong, both = int(counts.wrong_first), int(counts.wrong_both)
        if not wrong:
            return f"{system} makes no errors that {other} could correct"
        return f"{other} has {100 * (1 - both / wrong):.2f} % of the sites right that {system} has wrong"
    parts = []
    if counts.missed_first > 0:
        size = _rate_level(1 - float(counts.missed_both / counts.missed_first))
        finds = {
            "high": f"{other} finds much that {system} misses, a union raises recall",
            "medium": f"{other} finds some of what {system} misses",
            "low": f"{other} misses nearly the same, a union adds little recall",
        }
        parts.append(f"{size} RComp: {finds[size]}")
    if counts.spurious_first > 0:
        size = _rate_level(1 - float(counts.spurious_both / counts.spurious_first))
        claims = {
            "high": f"few false positives of {system} are shared, an intersection removes most",
            "medium": f"an intersection removes some false positives of {system}",
            "low": f"{other} shares the false positives of {system}, an intersection does not remove them",
        }
        parts.append(f"{size} PComp: {claims[size]}")
    return "; ".join(parts) or f"{system} makes no errors that {other} could correct"


def _rate_level(rate: float) -> str:
    return "high" if rate >= HIGH else "low" if rate < LOW else "medium"


# The errors of one system that another does not make (Brill & Wu 1998; Derczynski 2016; DEFINITIONS 3).
#
# Equation 8 holds for all three rates: the share of A's errors that B does not make. The denominator printed in
# equation 1 is a misprint.


_ERROR_KINDS = ("error", "spurious item", "missed item")


@dataclass(frozen=True, kw_only=True)
class Overlap:
    """The counts from which the rates of a pair are computed, over all pairs of runs.

    Args:
        found_by_both: items of the key that both have.
        found_by_first: those that the first has alone.
        found_by_second: those that the second has alone.
        found_by_neither: those that neither has.
        spurious_in_both: items not in the key that both claim.
        spurious_in_first: those that the first claims alone.
        spurious_in_second: those that the second claims alone.
        wrong_in_both: sites that both have wrong; None where Comp is over items.
        wrong_in_first: sites that the first alone has wrong.
        wrong_in_second: sites that the second alone has wrong.

    """

    found_by_both: Cell
    found_by_first: Cell
    found_by_second: Cell
    found_by_neither: Cell
    spurious_in_both: Cell
    spurious_in_first: Cell
    spurious_in_second: Cell
    wrong_in_both: Cell | None
    wrong_in_first: Cell | None
    wrong_in_second: Cell | None


@dataclass(frozen=True)
class LabelComplement:
    """Complementarity on one label; Comp is over sites with that label, for spans and sets over its items."""

    label: str
    overlap: Overlap
    forth: Rates
    back: Rates


@dataclass(frozen=True, kw_only=True)
class ComplementPair:
    """Two systems, and the errors that each makes alone.

    Args:
        first: the first system.
        second: the second.
        overlap: the counts.
        forth: the rates of the first's errors that the second does not make.
        back: those of the second's errors that the first does not make.
        union: the scores of the items of either; None where they cannot be computed from counts.
        intersection: the scores of the items of both.
        ceiling: the gain of a perfect choice between both values, where each site has one value.
        advice: the advice that follows from these, and the paper's interpretation of the rates.
        labels: the same for each label, the most frequent first.

    """

    first: str
    second: str
    overlap: Overlap
    forth: Rates
    back: Rates
    union: Joint | None
    intersection: Joint | None
    ceiling: Ceiling | None
    advice: Advice
    labels: tuple[LabelComplement, ...]


@dataclass(frozen=True, kw_only=True)
class Complementarity(Finding):
    """Complementary precision, recall and F of every pair of systems, in both directions.

    Args:
        view: the view.
        over: whether Comp is over sites or over items.
        beta: the weight of recall in `fbeta`.
        pairs: every pair of systems once.
        diversity: the diversity of the errors of all systems; None for two systems, or if only some were requested.
        notes: remarks on the numbers.

    """

    json_name = "complementarity"

    view: str
    over: Literal["sites", "items"]
    beta: float
    pairs: tuple[ComplementPair, ...]
    diversity: Diversity | None
    notes: tuple[str, ...]

    def rates(self, system: str, other: str) -> Rates:
        """Return the rates of a system's errors that another does not make."""
        for pair in self.pairs:
            for rates in (pair.forth, pair.back):
                if (rates.system, rates.other) == (system, other):
                    return rates
        raise UsageError(f"there is no pair of {system!r} and {other!r}")

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        from comparanda.findings.complement_tables import complement_tables

        return (*complement_tables(self, top), *(() if self.diversity is None else self.diversity.tables(top)))

    def charts(self) -> tuple[Paper, ...]:
        """Return the charts."""
        from comparanda.findings.complement_tables import complement_chart

        return (complement_chart(self), *(() if self.diversity is None else self.diversity.charts()))


def compute_complementarity(
    context: Context, beta: float = 1.0, systems: Sequence[str] | None = None, *, labels: bool = True
) -> Complementarity:
    """Measure which errors of each system every other does not make, for all systems or the given ones."""
    if not (math.isfinite(beta) and beta > 0):
        raise UsageError(
            f"expected beta above 0, got {beta!r}", hint="give a number above 0: 2 weighs recall twice as much"
        )
    view = context.view
    if not len(view.items) and not len(view.sites):
        raise UsageError(f"the view {view.name!r} has no sites or items to compare")
    chosen = list(context.systems) if systems is None else [context.verdicts.system(name) for name in systems]
    for name in systems or ():
        if list(systems or ()).count(name) > 1:
            raise UsageError(f"the system {name!r} is compared with itself")
    if len(chosen) < 2:
        raise UsageError("complementarity needs two systems", hint=f"give another system besides {chosen[0].name!r}")
    setup = ComplementData(context, beta, len(chosen) * (len(chosen) - 1) // 2, labels=labels)
    pairs = tuple(_make_pair(setup, counted) for counted in setup.counted(list(combinations(chosen, 2))))
    return Complementarity(view=view.name, over=setup.over, beta=beta, pairs=pairs, diversity=None, notes=setup.notes)


def _make_pair(setup: ComplementData, counted: CountedPair) -> ComplementPair:
    names = counted.first.name, counted.second.name
    writer = _OverlapWriter(setup, counted.first, counted.second)
    total = Counts.of(counted.totals[0])
    drawn = None if counted.drawn is None else Counts.of(counted.drawn[:, 0])
    (forth, back), *labels = _both_directions(setup, names, counted)
    countable = setup.plain_pair(counted.first.runs + counted.second.runs)
    forced = setup.context.zero_division
    union, intersection = (
        score_joint(names, total=total, resampled=drawn, made=made, zero_division=forced) if countable else None
        for made in ("union", "intersection")
    )
    most = score_ceiling(names, total, drawn) if setup.exclusive else None
    paper = tuple(
        write_interpretation(*pair, counts, exclusive=setup.exclusive)
        for pair, counts in ((names, total), (names[::-1], total.swapped()))
    )
    return ComplementPair(
        first=names[0],
        second=names[1],
        overlap=writer.overlap(total, None),
        forth=forth,
        back=back,
        union=union,
        intersection=intersection,
        ceiling=most,
        advice=Advice(NO_UNION if setup.view.raised is not None else write_advice(union, intersection, most), paper),
        labels=tuple(_label_rows(setup, counted, labels, writer)),
    )


def _label_rows(
    setup: ComplementData, counted: CountedPair, rates: Sequence[tuple[Rates, Rates]], writer: _OverlapWriter
) -> Iterator[LabelComplement]:
    """Yield the counts and rates of each label that the key or one of the two has; the last group has no label."""
    for label, row, (forth, back) in zip(setup.labels, counted.totals[1:], rates, strict=False):
        counts = Counts.of(row)
        if counts.positives + counts.spurious_first + counts.spurious_second > 0:
            yield LabelComplement(format_value(label), writer.overlap(counts, label), forth, back)


def _both_directions(setup: ComplementData, names: tuple[str, str], counted: CountedPair) -> list[tuple[Rates, Rates]]:
    """Compute the rates of a pair in both directions, of all items and then of each label."""
    total = Counts.of(counted.totals)
    drawn = None if counted.drawn is None else Counts.of(counted.drawn)
    found = []
    for second in (False, True):
        system, other = names[::-1] if second else names
        values = _rate_values(setup, total.swapped() if second else total)
        samples = None if drawn is None else _rate_values(setup, drawn.swapped() if second else drawn)
        columns = [
            _rate_column(number, values, None if samples is None else samples[number], system)
            for number in range(len(values))
        ]
        found.append(
            [
                Rates(system=system, other=other, comp=comp, pcomp=pcomp, rcomp=rcomp, fcomp=fcomp, fbeta=fbeta)
                for comp, pcomp, rcomp, fcomp, fbeta in zip(*columns, strict=True)
            ]
        )
    return list(zip(*found, strict=True))


def _rate_column(number: int, values: Sequence[Floats], samples: Floats | None, system: str) -> list[Rate]:
    """Make one kind of rate, of all items and of each label; rates that were not resampled have no interval."""
    spans: list[Interval] = [] if samples is None else compute_intervals(samples)
    spans += [(None, None)] * (len(values[number]) - len(spans))
    rates = []
    for place, (value, span) in enumerate(zip(values[number].tolist(), spans, strict=True)):
        known = none_if_nan(value)
        reason = _undefined_reason(number, [each[place] for each in values], system) if known is None else None
        rates.append(Rate(known, *span, reason))
    return rates


def _rate_values(setup: ComplementData, counts: Counts) -> tuple[Floats, ...]:
    """Compute Comp, PComp, RComp, FComp and FβComp of all items and of each label."""
    precision = complement(counts.spurious_first, counts.spurious_second, counts.spurious_both)
    recall = complement(counts.missed_first, counts.missed_second, counts.missed_both)
    over_items, over_sites = complement(*counts.item_errors()), complement(*counts.site_errors())
    comp = over_items if setup.over == "items" else over_sites
    if setup.sets:  # a site has many labels there, so each is compared by its items
        comp = np.concatenate([over_sites[..., :1], over_items[..., 1:]], axis=-1)
    rates = (
        comp,
        precision,
        recall,
        f_complement(precision, recall),
        f_complement(precision, recall, setup.beta),
    )
    forced = setup.context.zero_division
    return rates if forced is None else tuple(np.where(np.isnan(each), forced, each) for each in rates)


def _undefined_reason(number: int, values: Sequence[float], system: str) -> str:
    """Explain why a rate is undefined: A has no error of this kind, but B has."""
    if number < len(_ERROR_KINDS):
        return f"{system} has no {_ERROR_KINDS[number]}"
    return " and ".join(f"{name} is undefined" for name, at in (("PComp", 1), ("RComp", 2)) if np.isnan(values[at]))


class _OverlapWriter:
    """Writes the counts of a pair with the conditions that select them.

    Where each system has one run and the key is the same for both, the condition names the runs; otherwise it uses the
    names of the pair's sides (`base_claims`), and selects items once for every pair of runs.
    """

    def __init__(self, setup: ComplementData, first: System, second: System) -> None:
        self.setup = setup
        runs = setup.context.verdicts.runs
        plain = len(first.runs) == len(second.runs) == 1 and setup.view.items.weight is None
        names = [quote_string(runs[system.runs[0]]) for system in (first, second)]
        self.has = [f"claims({name})" for name in names] if plain else ["base_claims", "new_claims"]
        self.right = [f"right({name})" for name in names] if plain else ["base_right", "new_right"]

    def overlap(self, counts: Counts, label: str | None) -> Overlap:
        """Write the counts of one label, or of all."""
        one, two = self.has
        found = counts.positives - counts.missed_first - counts.missed_second + counts.missed_both
        items = {
            f"positive and {one} and {two}": found,
            f"positive and {one} and not {two}": counts.missed_second - counts.missed_both,
            f"positive and not {one} and {two}": counts.missed_first - counts.missed_both,
            f"positive and not {one} and not {two}": counts.missed_both,
            f"negative and {one} and {two}": counts.spurious_both,
            f"negative and {one} and not {two}": counts.spurious_first - counts.spurious_both,
            f"negative and not {one} and {two}": counts.spurious_second - counts.spurious_both,
        }
        also = "" if label is None else f" and {is_value('label', format_value(label))}"
        both, first, second, neither, *spurious = [Cell(int(count), f"{where}{also}") for where, count in items.items()]
        wrong = self._wrong_cells(counts, label)
        return Overlap(
            found_by_both=both,
            found_by_first=first,
            found_by_second=second,
            found_by_neither=neither,
            spurious_in_both=spurious[0],
            spurious_in_first=spurious[1],
            spurious_in_second=spurious[2],
            wrong_in_both=wrong[0],
            wrong_in_first=wrong[1],
            wrong_in_second=wrong[2],
        )

    def _wrong_cells(self, counts: Counts, label: str | None) -> tuple[Cell | None, Cell | None, Cell | None]:
        if self.setup.over == "items" or (self.setup.sets and label is not None):
            return None, None, None
        one, two = self.right
        sites = {
            f"not {one} and not {two}": counts.wrong_both,
            f"not {one} and {two}": counts.wrong_first - counts.wrong_both,
            f"{one} and not {two}": counts.wrong_second - counts.wrong_both,
        }
        also = "" if label is None else f" and {is_label(self.setup.context.sites, format_value(label))}"
        both, first, second = [Cell(int(count), f"{where}{also}") for where, count in sites.items()]
        return both, first, second


# Every system against one baseline: gains, new errors, and the baseline's errors that it does not make.


MEASURES = ("precision", "recall", "f1")


@dataclass(frozen=True)
class Gain:
    """A measure of a system less that of the baseline, with its 95 % interval; None where either is undefined."""

    measure: str
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class AgainstRow:
    """One system against the baseline.

    Args:
        system: the system.
        precision: the change of precision.
        recall: the change of recall.
        f1: the change of F1.
        comp: Comp(baseline, system): the share of the baseline's errors that the system does not make.
        pcomp: the same of its spurious items.
        rcomp: the same of the items it misses.
        fcomp: the harmonic mean of both.
        sites: the number of sites compared, over all pairs of runs.
        different: those at which the two differ.
        diff: the same as a share.
        corrections: those that the baseline has wrong and the system right.
        new_errors: those that the baseline has right and the system wrong.

    """

    system: str
    precision: Gain
    recall: Gain
    f1: Gain
    comp: Rate
    pcomp: Rate
    rcomp: Rate
    fcomp: Rate
    sites: int
    different: int
    diff: float | None
    corrections: int
    new_errors: int


@dataclass(frozen=True)
class Against(Finding):
    """All systems against one baseline; `differs`, `correction` and `new_error` are the conditions of the counts."""

    json_name = "against"

    view: str
    baseline: str
    rows: tuple[AgainstRow, ...]

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        from comparanda.findings.complement_tables import against_table

        return (against_table(self, top),)


def compare_with_baseline(context: Context, baseline: str) -> Against:
    """Compare every other system with a baseline."""
    context.verdicts.system(baseline)
    if len(context.systems) < 2:
        raise UsageError(
            "a comparison with a baseline needs two systems", hint=f"give another system besides {baseline!r}"
        )
    rows = []
    for system in context.systems:
        if system.name == baseline:
            continue
        complementarity = compute_complementarity(context, systems=[baseline, system.name], labels=False)
        rates = complementarity.rates(baseline, system.name)
        found = compute_difference(replace(context, resamples=0), baseline, system.name)
        gains = _measure_gains(context, baseline, system.name)
        rows.append(
            AgainstRow(
                system=system.name,
                precision=gains[0],
                recall=gains[1],
                f1=gains[2],
                comp=rates.comp,
                pcomp=rates.pcomp,
                rcomp=rates.rcomp,
                fcomp=rates.fcomp,
                sites=found.sites,
                different=found.different,
                diff=found.diff,
                corrections=found.classes[0].count,
                new_errors=found.classes[1].count,
            )
        )
    return Against(context.view.name, baseline, tuple(rows))


def _measure_gains(context: Context, baseline: str, system: str) -> tuple[Gain, Gain, Gain]:
    """Compute the gains of a system in precision, recall and F1 over the baseline, independent of other systems."""
    context = context.among(baseline, system)
    chosen = [parse_measure(name) for name in MEASURES]
    table = compute_scores(replace(context, resamples=0), chosen)
    samples = resampled_scores(context, chosen, context.statistics(chosen))
    base, new = ([each.name for each in context.systems].index(name) for name in (baseline, system))

    def gain(each: Measure) -> Gain:
        mine, theirs = table.value(system, each.name), table.value(baseline, each.name)
        if mine is None or theirs is None:
            return Gain(each.name, None, None, None)
        if samples is None:
            return Gain(each.name, mine - theirs, None, None)
        drawn = samples[each.name]
        return Gain(each.name, mine - theirs, *compute_intervals(drawn[:, [new]] - drawn[:, [base]])[0])

    return gain(chosen[0]), gain(chosen[1]), gain(chosen[2])
