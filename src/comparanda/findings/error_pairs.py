"""Comparison of all pairs of runs at every site: classes of difference and transitions.

A run's errors are few, so the cost of a pair is that of the errors of one run: the other run's values are looked up at
these sites, where the shared errors are counted. The errors of one run alone are all its errors less the shared ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.claims import Placed, values_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.core.claims import Claims
    from comparanda.core.sites import Aspect, Sites
    from comparanda.core.text_columns import Codes, Rows, Truths


_MAX_DENSE = 1 << 18
"""Up to this many possible kinds of change are counted in a dense table; more are counted by sorting."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Crossed:
    """The counts of the comparison of two runs.

    Args:
        same_right: sites that both have right.
        corrections: sites that the first has wrong and the second right.
        new_errors: sites that the first has right and the second wrong.
        changed_errors: sites that both have wrong, with different values.
        same_errors: sites that both have wrong, with the same value.
        transitions: for each of the three classes of difference, kinds of change and how many sites: rows of key,
            first, second (as codes of labels) and count, the most frequent first.

    """

    same_right: int
    corrections: int
    new_errors: int
    changed_errors: int
    same_errors: int
    transitions: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]

    @property
    def different(self) -> int:
        """The number of sites at which the two differ."""
        return self.corrections + self.new_errors + self.changed_errors


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _RunErrors:
    """The sites that a run has wrong, with the values and labels of the key and the run."""

    rows: Rows
    key: Codes
    value: Codes
    kind: NDArray[np.int64]
    total: NDArray[np.int64]


class Crossing:
    """Compares any two runs at the sites of a view."""

    def __init__(self, sites: Sites) -> None:
        self._sites = sites
        self._disputed = sites.disputed
        self.labels = sites.labels.names
        self._width = len(self.labels)
        self._errors: dict[int, _RunErrors] = {}

    def _find_errors(self, run: int) -> _RunErrors:
        """Return the errors of a run; computed once."""
        if run not in self._errors:
            disputed = self._disputed
            rows = np.flatnonzero(~disputed.right[run])
            key = disputed.key[rows]
            kind = disputed.labels.key[rows].astype(np.int64) * self._width + disputed.labels.values[run][rows]
            total = (
                np.bincount(kind, minlength=self._width**2) if self._width**2 <= _MAX_DENSE else np.zeros(0, np.int64)
            )
            self._errors[run] = _RunErrors(rows=rows, key=key, value=disputed.values[run][rows], kind=kind, total=total)
        return self._errors[run]

    def compare(self, first: int, second: int) -> Crossed:
        """Compare two runs."""
        mine, theirs = self._find_errors(first), self._find_errors(second)
        answers = self._disputed.values[second][mine.rows]
        both = np.flatnonzero(answers != mine.key)
        changed = both[mine.value[both] != answers[both]]
        labels = self._disputed.labels.values[second][mine.rows[both]]
        swapped = mine.kind[both] // self._width * self._width + labels  # the second run's errors where both are wrong
        return Crossed(
            same_right=len(self._sites) - len(mine.rows) - len(theirs.rows) + len(both),
            corrections=len(mine.rows) - len(both),
            new_errors=len(theirs.rows) - len(both),
            changed_errors=len(changed),
            same_errors=len(both) - len(changed),
            transitions=(
                self._count_single_errors(mine, mine.kind[both], first=True),
                self._count_single_errors(theirs, swapped, first=False),
                self._count_changed(mine, changed, second),
            ),
        )

    def _count_single_errors(self, errors: _RunErrors, shared: NDArray[np.int64], *, first: bool) -> NDArray[np.int64]:
        """Count the errors of one run alone: all its errors less those where both are wrong."""
        if len(errors.total):
            left = errors.total - np.bincount(shared, minlength=len(errors.total))
            kinds = np.flatnonzero(left)
            counts = left[kinds]
        else:
            kinds, place = np.unique(errors.kind, return_inverse=True)
            counts = np.bincount(place, minlength=len(kinds))
            counts -= np.bincount(np.searchsorted(kinds, shared), minlength=len(kinds))
            kinds, counts = kinds[counts > 0], counts[counts > 0]
        key, label = kinds // self._width, kinds % self._width
        return _rank_kinds(key, label if first else key, key if first else label, counts)

    def _count_changed(self, mine: _RunErrors, rows: Rows, second: int) -> NDArray[np.int64]:
        """Count the kinds of change where both are wrong with different values."""
        labels = self._disputed.labels.values[second][mine.rows[rows]]
        return _unpack_kinds(*_count_kinds(mine.kind[rows] * self._width + labels, self._width**3), self._width)


def kinds_of_change(key: Codes, first: Codes, second: Codes, width: int) -> NDArray[np.int64]:
    """Count kinds of change by the labels of key and runs at some sites; `width` is the number of labels."""
    packed = (key.astype(np.int64) * width + first) * width + second
    return _unpack_kinds(*_count_kinds(packed, width**3), width)


def _unpack_kinds(kinds: NDArray[np.int64], counts: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    rest = kinds // width
    return _rank_kinds(rest // width, rest % width, kinds % width, counts)


def _count_kinds(kinds: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the kinds that occur, and how often."""
    if size > _MAX_DENSE:
        found, counts = np.unique(kinds, return_counts=True)
        return found, counts
    table = np.bincount(kinds, minlength=size)
    occurring = np.flatnonzero(table)
    return occurring, table[occurring]


def _rank_kinds(
    key: NDArray[np.int64], first: NDArray[np.int64], second: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Sort kinds of change: the most frequent first, then by their codes."""
    order = np.lexsort((second, first, key, -counts))
    return np.stack([key, first, second, counts], axis=1)[order]


# Two systems compared at the overlap sites of the key and these two alone, without building their values.
#
# Two sides have the same value at a site if they have each of its spans equally often. So agreement is decided by
# comparing counts of spans; values are built only for the sites of transitions that were requested.


_NO_KINDS = np.zeros((0, 4), np.int64)


class SpanCrossing:
    """Compares runs at the overlap sites of the key and these runs; nothing differs at spans that all sides have.

    Args:
        claims: all spans of a view.
        runs: the runs whose spans, together with the key's, form the sites.

    """

    def __init__(self, claims: Claims, runs: Sequence[int]) -> None:
        self._claims, self._runs = claims, runs
        self.rows = claims.present(runs)
        self.site = claims.components(self.rows)
        self._count = int(self.site.max(initial=-1)) + 1
        self._agreed = 0 if claims.agreed is None else len(claims.agreed)
        self._sides = {run: claims.runs[run][self.rows] for run in runs}
        self._key = claims.key[self.rows]

    @property
    def count(self) -> int:
        """The number of sites, including those of spans that all sides have."""
        return self._count + self._agreed

    def _any_at_site(self, rows: Truths) -> Truths:
        """Whether the condition holds for any span of each site."""
        found = np.zeros(self._count, np.bool_)
        found[self.site[rows]] = True
        return found

    @cached_property
    def _wrong(self) -> dict[int, Truths]:
        """Whether each run is wrong at each site."""
        return {run: self._any_at_site(self._key != side) for run, side in self._sides.items()}

    def differs(self, first: int, second: int) -> Truths:
        """Whether two runs have different values at each site."""
        return self._any_at_site(self._sides[first] != self._sides[second])

    def compare(self, first: int, second: int, *, kinds: bool) -> Crossed:
        """Compare two runs; kinds of change are counted only if requested."""
        mine, theirs, differs = self._wrong[first], self._wrong[second], self.differs(first, second)
        classes = mine & ~theirs, ~mine & theirs, mine & theirs & differs
        corrections, new_errors, changed = (int(each.sum()) for each in classes)
        right, both = int((~mine & ~theirs).sum()) + self._agreed, int((mine & theirs).sum())
        one, two, three = (self._count_class_kinds(each, first, second) if kinds else _NO_KINDS for each in classes)
        return Crossed(
            same_right=right,
            corrections=corrections,
            new_errors=new_errors,
            changed_errors=changed,
            same_errors=both - changed,
            transitions=(one, two, three),
        )

    def _count_class_kinds(self, sites: Truths, first: int, second: int) -> NDArray[np.int64]:
        """Count the kinds of change at some sites, all of one class."""
        labels = self.labels
        rows = self._contested_index[sites]
        return kinds_of_change(
            labels.key[rows], labels.values[first][rows], labels.values[second][rows], len(labels.names)
        )

    @cached_property
    def _contested(self) -> Truths:
        """Whether at least one of the runs is wrong at each site."""
        found: Truths = np.logical_or.reduce([self._wrong[run] for run in self._runs])
        return found

    @cached_property
    def _contested_index(self) -> Rows:
        """The number of each site among the contested ones."""
        return np.cumsum(self._contested) - 1

    @cached_property
    def labels(self) -> Aspect:
        """The labels that the key and the runs have at contested sites."""
        chosen = self._contested[self.site]
        rows, site = self.rows[chosen], self._contested_index[self.site[chosen]]
        claims = self._claims

        def spans(here: slice) -> NDArray[np.int64]:
            """Return spans with labels only: all other columns are 0."""
            labels = claims.label[rows[here]].astype(np.int64)
            nothing = np.zeros_like(labels)
            return np.stack([nothing, nothing, nothing, labels])

        absent = np.zeros(len(rows), np.int32)
        sides = [
            claims.key[rows],
            *(each[rows] if run in self._runs else absent for run, each in enumerate(claims.runs)),
        ]
        contested = Placed(spans, site, int(self._contested.sum()), sides)
        return values_at([contested], claims.names, {}, ("label",))[0]["label"]

    def first_rows(self) -> Rows:
        """Return the first span of each site, except sites of spans that all sides have."""
        return self.rows[np.unique(self.site, return_index=True)[1]]
