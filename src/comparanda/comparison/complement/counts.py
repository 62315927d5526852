"""The errors that pairs of systems share, counted by unit and by label, and over resamples of the units."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.comparison.complement.shared_errors import Counts, Grouping, SharedErrors, Tally
from comparanda.comparison.resample import bootstrap_sums
from comparanda.ids import BAR
from comparanda.site_values import LINK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from comparanda.comparison.context import Context
    from comparanda.verdicts import System

    Floats = NDArray[np.float64]

LABEL_INTERVALS = 600
"""Up to so many labels times pairs get intervals of their own; for more, look at fewer systems at a time."""

_COLUMNS, _CELLS = 4096, 1 << 24  # of counts that are resampled at a time, and of these times units


@dataclass(frozen=True, eq=False, slots=True)
class CountedPair:
    """The counts of a pair: of all items, then of each label; the same over resamples, if there are any.

    Args:
        first: the first system.
        second: the second.
        totals: as (1 + labels, counts), in the order of `Counts`; the last group is for sites without a label.
        drawn: as (resamples, 1 + labels, counts), or (resamples, 1, counts) where labels are not drawn.

    """

    first: System
    second: System
    totals: Floats
    drawn: Floats | None


class ComplementGround:
    """What all pairs share: whose errors are counted how, and by which units and labels."""

    def __init__(self, context: Context, beta: float, pairs: int, *, labels: bool) -> None:
        self.context, self.beta, self.view = context, beta, context.view
        self.over: Literal["sites", "items"] = "sites" if self.view.shared else "items"
        self.sets = context.sites.parts is not None
        self.exclusive = self.over == "sites" and not self.sets
        self.errors = SharedErrors(self.view.items, context.sites, len(context.verdicts.runs))
        self.labels = self._labels() if labels else ()
        self.drawn = bool(context.resamples) and len(context.active) > 1
        self.labels_drawn = self.drawn and len(self.labels) * pairs <= LABEL_INTERVALS
        told = "no intervals for labels, of which there are too many times pairs: choose a pair by --base and --new"
        self.notes = (told,) if self.drawn and not self.labels_drawn else ()

    def _labels(self) -> tuple[str, ...]:
        """Return the labels of items, the most frequent in the key first."""
        items = self.view.items
        known = items.positives.tolist()
        there = np.flatnonzero(items.positives + np.bincount(items.label, minlength=len(items.names))).tolist()
        return tuple(items.names[code] for code in sorted(there, key=lambda code: (-known[code], items.names[code])))

    @cached_property
    def _plain(self) -> tuple[bool, ...]:
        runs = range(len(self.context.verdicts.runs))
        return tuple(self.view.items.is_plain(run) and self._finds_the_very_spans(run) for run in runs)

    def _finds_the_very_spans(self, run: int) -> bool:
        """Whether every item of the key that a run finds is a span of its own, and not one like it."""
        items, claims = self.view.items, self.view.claims
        if claims is None or items.claim is None:
            return True
        found = np.flatnonzero(items.positive & items.has(run))
        return bool((claims.runs[run][items.claim[found]] > 0).all())

    def plain_pair(self, runs: Sequence[int]) -> bool:
        """Whether the items of some runs can be put together by counting, and score as the runs' own would.

        Each has an item or does not, with nothing between; what it finds is just what the key has; and the same items
        of the key count for all. Where each site has one answer of each run, as mentions have, no two can be put
        together.
        """
        if self.view.raised is not None:
            return False
        items = self.view.items
        alike = items.weight is None or all(np.array_equal(items.counts(runs[0]), items.counts(run)) for run in runs)
        return alike and not self._several_ids and all(self._plain[run] for run in runs)

    @cached_property
    def _several_ids(self) -> bool:
        """Whether the key accepts several ids somewhere: two systems may then be right with different ones."""
        claims = self.view.claims
        if claims is None:
            return False
        tables = [claims] if claims.agreed is None else [claims, claims.agreed]
        used = {code for each in tables for code in np.unique(each.label[each.key > 0]).tolist()}
        return any(BAR in claims.names[code].partition(LINK)[2] for code in used)

    @cached_property
    def _by_unit(self) -> Grouping:
        verdicts, items, sites = self.context.verdicts, self.view.items, self.context.sites
        return Grouping(
            verdicts.unit_of(items),
            verdicts.unit_of(sites),
            verdicts.units.count,
            None if items.folded is None else verdicts.unit_of(items.folded),
            None if sites.folded is None else verdicts.unit_of(sites.folded.sites),
        )

    @cached_property
    def _by_label(self) -> Grouping:
        """Labels by their rank; one more group is for labels of sites that no item has, such as sets of none."""
        items, labels, folded = self.view.items, self.context.sites.labels, self.context.sites.folded
        rank = {label: place for place, label in enumerate(self.labels)}

        def ranks(names: Sequence[str]) -> NDArray[np.int64]:
            return np.array([rank.get(name, len(rank)) for name in names], np.int64)

        return Grouping(
            ranks(items.names)[items.label],
            ranks(labels.names)[labels.key],
            len(rank) + 1,
            None if items.folded is None else ranks(items.names)[items.folded.label],
            None if folded is None else ranks(labels.names)[folded.sites.labels.key],
        )

    @cached_property
    def _units(self) -> Tally:
        """By unit, and where labels are drawn by label inside each."""
        units, labels = self._by_unit, self._by_label
        if not self.labels_drawn:
            return Tally(self.errors, units)
        return Tally(self.errors, units.crossed(labels))

    @cached_property
    def _totals(self) -> Tally:
        return Tally(self.errors, self._by_label)

    def _counts(self, tally: Tally, first: System, second: System, *shape: int) -> Floats:
        """Return the counts of two systems, over all pairs of their runs, as (…, counts)."""
        parts = [tally.counts(*runs).matrix() for runs in product(first.runs, second.runs)]
        total: Floats = np.sum(parts, axis=0)
        return total.reshape(*shape, -1)

    def counted(self, pairs: Sequence[tuple[System, System]]) -> Iterator[CountedPair]:
        """Count the errors of pairs, and resample as many at a time as fit into one product of weights and counts."""
        if not self.drawn:
            yield from (self._without_draws(*pair) for pair in pairs)
            return
        width = self._by_label.size if self.labels_drawn else 1
        most = max(1, min(_COLUMNS, _CELLS // self._by_unit.size) // (width * len(fields(Counts))))
        for block in _blocks([(pair, self._active(*pair)) for pair in pairs], most):
            active = block[0][1]
            if len(active) < 2:
                yield from (self._without_draws(*pair) for pair, _ in block)
                continue
            units = [self._counts(self._units, *pair, self._by_unit.size, width)[active] for pair, _ in block]
            sums = _Sums(self.context, units)
            for number, (pair, _) in enumerate(block):
                yield self._with_draws(pair, units[number].sum(axis=0), sums.of(number))

    def _without_draws(self, first: System, second: System) -> CountedPair:
        return CountedPair(
            first, second, _with_sum(self._counts(self._totals, first, second, self._by_label.size)), None
        )

    def _with_draws(self, pair: tuple[System, System], totals: Floats, drawn: Floats) -> CountedPair:
        if self.labels_drawn:
            return CountedPair(*pair, _with_sum(totals), _with_sum(drawn))
        return replace(self._without_draws(*pair), drawn=drawn)

    def _active(self, first: System, second: System) -> NDArray[np.int64]:
        """Return the units of a pair: which other systems there are must not matter."""
        return self.context.active_among(first.name, second.name)


def _blocks(
    pairs: Sequence[tuple[tuple[System, System], NDArray[np.int64]]], most: int
) -> Iterator[list[tuple[tuple[System, System], NDArray[np.int64]]]]:
    """Put neighbouring pairs with the same units together, so that they share draws."""
    block: list[tuple[tuple[System, System], NDArray[np.int64]]] = []
    for each in pairs:
        if block and (len(block) == most or not np.array_equal(block[0][1], each[1])):
            yield block
            block = []
        block.append(each)
    if block:
        yield block


def _with_sum(counts: Floats) -> Floats:
    """Put the sum over labels before them: (…, labels, counts)."""
    return np.concatenate([counts.sum(axis=-2, keepdims=True), counts], axis=-2)


class _Sums:
    """Sums over resamples of the units.

    Many columns are the same, such as what one system misses, in all its pairs: each is drawn once.
    """

    def __init__(self, context: Context, units: Sequence[Floats]) -> None:
        self._shape = units[0].shape[1:]
        columns = np.stack(units, axis=1).reshape(len(units[0]), -1)
        place: dict[bytes, int] = {}
        self._index = np.array([place.setdefault(column.tobytes(), len(place)) for column in columns.T])
        _, first = np.unique(self._index, return_index=True)
        self._sums = bootstrap_sums(columns[:, first], context.resamples, context.seed)

    def of(self, number: int) -> Floats:
        """Return those of one pair: (resamples, labels, counts)."""
        width = math.prod(self._shape)
        return self._sums[:, self._index[number * width : (number + 1) * width]].reshape(-1, *self._shape)
