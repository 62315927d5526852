"""Coefficients of agreement beyond chance: Cohen's κ of two, Krippendorff's α (nominal) of any number.

The cases are the sites of a context; the key and the runs are the raters, numbered from 0. *Absent* is missing data: κ
leaves out cases that one of the two has not decided, α counts those that at least two have.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.comparison.context import defined
from comparanda.measures import ratio
from comparanda.sites import ABSENT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from comparanda.columns import Codes, Rows, Truths
    from comparanda.comparison.context import Context, Interval
    from comparanda.comparison.resample import Matrix

MOST_VALUES = 500
"""With more distinct values than these no interval is made: each is a column of every resample."""

ONE_VALUE = "only one value occurs, so there is no agreement by chance to compare with"
NO_CASE = "nothing that two of them have decided"


@dataclass(frozen=True)
class Coefficient:
    """One coefficient.

    Args:
        value: 1 for full agreement, 0 for what chance would give; None where undefined.
        low: the lower end of the 95 % interval, over documents.
        high: the upper end.
        cases: how many cases it rests on.
        reason: why it is undefined.

    """

    value: float | None
    low: float | None
    high: float | None
    cases: int
    reason: str | None


class Ratings:
    """What all raters say of each case."""

    def __init__(self, context: Context) -> None:
        sites = context.sites
        self.context, self.names = context, sites.names
        self.columns: tuple[Codes, ...] = (sites.key, *sites.values)
        absent = sites.names.index(ABSENT) if ABSENT in sites.names else -1
        self.given: tuple[Truths, ...] = tuple(column != absent for column in self.columns)
        self.resampled = len(self.names) <= MOST_VALUES  # else all units are one: only sums are needed

    def kappa(self, first: int, second: int) -> Coefficient:
        """Return Cohen's κ of two raters, by their numbers."""
        both = np.flatnonzero(self.given[first] & self.given[second])
        mine, theirs = self.columns[first][both], self.columns[second][both]
        agree, all_cases = self._by_unit(both, mine == theirs), self._by_unit(both)
        counts = [self._by_value(both, each) for each in (mine, theirs)]
        return self._coefficient([agree, all_cases, *counts], cohen, len(both))

    def alpha(self) -> Coefficient:
        """Return Krippendorff's α of all raters, for values without an order."""
        raters = np.sum(self.given, axis=0)
        cases = np.flatnonzero(raters > 1)
        same = np.zeros(len(cases))
        for one, other in combinations(range(len(self.columns)), 2):
            both = self.given[one][cases] & self.given[other][cases]
            same += both & (self.columns[one][cases] == self.columns[other][cases])
        size = raters[cases].astype(np.float64)
        apart = (size * (size - 1) - 2 * same) / (size - 1)
        values = self._by_value(cases[:0], self.columns[0][:0])
        for column, given in zip(self.columns, self.given, strict=True):
            rows = cases[given[cases]]
            values += self._by_value(rows, column[rows])
        columns = [self._by_unit(cases, apart), self._by_unit(cases, size), values]
        return self._coefficient(columns, krippendorff, len(cases))

    def _by_unit(self, rows: Rows, weights: NDArray[Any] | None = None) -> Matrix:
        """Count some cases of each unit, or add up their weights."""
        units = self.context.verdicts.units.count
        found = np.bincount(self.context.unit[rows], weights, units)[self.context.active].astype(np.float64)
        return found[:, None] if self.resampled else found.sum(keepdims=True)[:, None]

    def _by_value(self, rows: Rows, values: Codes) -> Matrix:
        """Count how often some cases of each unit have each value."""
        width = len(self.names)
        if not self.resampled:
            return np.bincount(values, minlength=width).astype(np.float64)[None, :]
        units = self.context.verdicts.units.count
        cells = self.context.unit[rows].astype(np.int64) * width + values
        counts = np.bincount(cells, minlength=units * width).reshape(units, width)
        return counts[self.context.active].astype(np.float64)

    def _coefficient(self, parts: Sequence[Matrix], finish: Callable[[Matrix], Matrix], cases: int) -> Coefficient:
        columns = np.concatenate(parts, axis=1)
        value = defined(float(finish(columns.sum(axis=0, keepdims=True))[0, 0]))
        if value is None:
            return Coefficient(None, None, None, cases, ONE_VALUE if cases else NO_CASE)
        span: Interval = (None, None)
        if self.resampled:
            (span,) = self.context.interval(columns, finish)
        return Coefficient(value, *span, cases, None)


def cohen(sums: Matrix) -> Matrix:
    """Return κ = (p_o − p_e) / (1 − p_e) from sums: agreeing cases, all cases, and how often each gives each value."""
    agree, cases = sums[:, :1], sums[:, 1:2]
    mine, theirs = np.split(sums[:, 2:], 2, axis=1)
    by_chance = (mine * theirs).sum(axis=1, keepdims=True)
    return ratio(cases * agree - by_chance, cases * cases - by_chance)


def krippendorff(sums: Matrix) -> Matrix:
    """Return α = 1 − D_o / D_e from sums: what is apart inside cases, values in all, and how often each is given."""
    apart, size, counts = sums[:, :1], sums[:, 1:2], sums[:, 2:]
    return 1 - ratio((size - 1) * apart, size * size - (counts * counts).sum(axis=1, keepdims=True))
