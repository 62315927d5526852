"""Which errors two systems make, and which both make: the integers behind complementarity (DEFINITIONS 3).

Errors are few beside what is right, so each run's are kept as rows of their table, and what two runs share is looked up
at the rows of one of them alone.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.sites import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Rows, Truths
    from comparanda.items import Items
    from comparanda.sites import Sites

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Counts:
    """How often two systems err, alone and together: numbers, or arrays of them by unit, label or resample.

    Args:
        positives: the items of the key.
        missed_first: those that the first misses.
        missed_second: those that the second misses.
        missed_both: those that both miss.
        spurious_first: the items beside the key that the first claims.
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
        """Return the counts, in the order above, along a last axis."""
        return np.stack([getattr(self, each.name) for each in fields(self)], axis=-1)

    @classmethod
    def of(cls, matrix: Floats) -> Counts:
        """Return the counts that a matrix holds along its last axis."""
        return cls(*np.moveaxis(matrix, -1, 0))

    def swapped(self) -> Counts:
        """Return the counts with the second system first."""
        return Counts(
            self.positives,
            self.missed_second,
            self.missed_first,
            self.missed_both,
            self.spurious_second,
            self.spurious_first,
            self.spurious_both,
            self.sites,
            self.wrong_second,
            self.wrong_first,
            self.wrong_both,
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


@dataclass(frozen=True, eq=False, slots=True)
class Grouping:
    """By what errors are counted: for each item and each site the number of its group, of `size` groups.

    The others are those of the items and sites that are only counted, by kind.
    """

    items: NDArray[np.integer]
    sites: NDArray[np.integer]
    size: int
    folded_items: NDArray[np.integer] | None = None
    folded_sites: NDArray[np.integer] | None = None

    def crossed(self, other: Grouping) -> Grouping:
        """Return the groups of another grouping inside each of these."""

        def inside(mine: NDArray[np.integer], theirs: NDArray[np.integer]) -> NDArray[np.integer]:
            return mine.astype(np.int64) * other.size + theirs

        return Grouping(
            inside(self.items, other.items),
            inside(self.sites, other.sites),
            self.size * other.size,
            *(
                None if mine is None or theirs is None else inside(mine, theirs)
                for mine, theirs in (
                    (self.folded_items, other.folded_items),
                    (self.folded_sites, other.folded_sites),
                )
            ),
        )

    def of_items(self, rows: Rows | Truths) -> Floats:
        """Count some items."""
        return np.bincount(self.items[rows], minlength=self.size).astype(np.float64)

    def of_sites(self, rows: Rows) -> Floats:
        """Count some sites."""
        return np.bincount(self.sites[rows], minlength=self.size).astype(np.float64)


class SharedErrors:
    """The errors of each run, and those of two.

    Args:
        items: the items of a view.
        sites: its sites.
        runs: how many runs there are.

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
        """The items beside the key that each run claims."""
        return [np.flatnonzero(~self.items.positive & self.has[run]) for run in self.runs]

    @cached_property
    def wrong(self) -> list[Rows]:
        """The contested sites that each run has wrong."""
        return [np.flatnonzero(~right) for right in self.sites.disputed.right]

    def missed_beside(self, run: int, other: int) -> Rows:
        """Return the items of the key that a run misses and that count for another run too."""
        rows = self.missed[run]
        return rows[self.items.counts(other)[rows]] if self.apart else rows

    def missed_by_both(self, first: int, second: int) -> Rows:
        """Return the items of the key that two runs miss."""
        rows = self.missed_beside(first, second)
        return rows[~self.has[second][rows]]

    def spurious_in_both(self, first: int, second: int) -> Rows:
        """Return the items beside the key that two runs claim."""
        rows = self.spurious[first]
        return rows[self.has[second][rows]]

    def wrong_in_both(self, first: int, second: int) -> Rows:
        """Return the contested sites that two runs have wrong."""
        rows = self.wrong[first]
        return rows[~self.sites.disputed.right[second][rows]]


class Tally:
    """Counts errors by groups; what is said of one run is counted once for all its pairs."""

    def __init__(self, errors: SharedErrors, by: Grouping) -> None:
        self._errors, self._by = errors, by
        contested = errors.sites.contested
        self._contested = Grouping(by.items, by.sites[contested], by.size)
        self._sites = by.of_sites(np.arange(errors.sites.rows))
        self._easy: Floats | int = 0
        if errors.sites.folded is not None and by.folded_sites is not None:
            self._sites += counted(by.folded_sites, errors.sites.folded.count, by.size)
        if errors.items.folded is not None and by.folded_items is not None:
            self._easy = counted(by.folded_items, errors.items.folded.count, by.size).astype(np.float64)
        self._positives = by.of_items(errors.items.positive) + self._easy
        self._missed = [by.of_items(rows) for rows in errors.missed]
        self._spurious = [by.of_items(rows) for rows in errors.spurious]
        self._wrong = [self._contested.of_sites(rows) for rows in errors.wrong]

    def counts(self, first: int, second: int) -> Counts:
        """Count the errors of two runs. Items of the key count where they do for both."""
        errors, by = self._errors, self._by
        positives, missed = self._positives, (self._missed[first], self._missed[second])
        if errors.apart:
            positives = by.of_items(errors.items.counts(first) & errors.items.counts(second)) + self._easy
            missed = (
                by.of_items(errors.missed_beside(first, second)),
                by.of_items(errors.missed_beside(second, first)),
            )
        return Counts(
            positives,
            *missed,
            by.of_items(errors.missed_by_both(first, second)),
            self._spurious[first],
            self._spurious[second],
            by.of_items(errors.spurious_in_both(first, second)),
            self._sites,
            self._wrong[first],
            self._wrong[second],
            self._contested.of_sites(errors.wrong_in_both(first, second)),
        )
