"""One list as the server knows it: its entries in order, and what filters look at, read from columns.

No example is made to filter by label, class, pattern or slice, so a list of half a million sites is filtered at once.
What filters mean is the same as on a page that holds its examples, where the browser filters them (`assets/items.js`).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from comparanda.columns import TextColumn
from comparanda.item_selection import item_scope
from comparanda.page.cards.attributes import MISSING, OF_WORDS, written
from comparanda.page.cards.texts import LONGEST_WORD, fitted
from comparanda.page.lists import entries
from comparanda.selection import scope, selected

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.columns import Column, Rows, Truths
    from comparanda.expressions import Scope
    from comparanda.result import Result
    from comparanda.selection import Ground
    from comparanda.show.links import Link

CLASSES = ("correction", "new_error", "changed_error", "same_right", "same_error")
RIGHT, WRONG, UNSEEN = "●○·"

MOST_VALUES = 200
"""How many values of a filter are proposed."""

Universe = tuple[str, tuple[int, ...] | None, Literal["sites", "items"]]
"""A view, the runs whose sites it has (None for all), and whether it is about sites or items."""

Counts = tuple[tuple[str, int], ...]


class Filters(msgspec.Struct, frozen=True, kw_only=True, rename={"class_": "class"}):
    """What entries must have; "" for anything. `slice` is NAME=VALUE."""

    label: str = ""
    class_: str = ""
    pattern: str = ""
    slice: str = ""
    text: str = ""


class Proposed(msgspec.Struct, frozen=True, kw_only=True, rename={"class_": "class"}):
    """The values that a list can be filtered by, and how many entries have each."""

    label: Counts
    class_: Counts
    pattern: Counts
    slice: Counts


class Listing:
    """The entries of a list.

    Args:
        result: the result.
        ground: what conditions share.
        link: what leads to the list.
        attributes: the names of what slices are made by.
        text: whether words of the corpus may be shown.

    Attributes:
        selection: what the condition selects.
        rows: the sites or items of the entries, in the order of the text.
        pairs: the runs of base and new that each is about; None where no system has several.
        universe: what the numbers of rows are about.

    """

    def __init__(
        self, result: Result, ground: Ground, link: Link, *, attributes: tuple[str, ...] = (), text: bool = True
    ) -> None:
        self._verdicts, self._link, self._attributes, self._text = result.verdicts, link, attributes, text
        view = self._verdicts.view(link.view)
        self.selection = selected(self._verdicts, view, link.where, link.base, link.new, ground=ground)
        self.rows, self.pairs = entries(self._verdicts, self.selection)
        among = None if self.selection.view is view else self.selection.runs
        self.universe: Universe = view.name, among, self.selection.of
        self._seen = among or tuple(range(len(self._verdicts.runs)))

    def __len__(self) -> int:
        return len(self.rows)

    def runs_of(self, number: int) -> tuple[int, int] | None:
        """Return the runs of base and new that an entry is about, where some system has several."""
        if self.pairs is None:
            return None
        base, new = self.pairs[number].tolist()
        return base, new

    def matching(self, filters: Filters) -> Rows:
        """Return the numbers of the entries that have what is asked for, whatever their text."""
        kept = np.ones(len(self), np.bool_)
        if filters.label:
            kept &= _has(self._labels, filters.label)
        if filters.class_:
            kept &= _has(self._classes, filters.class_)
        if filters.pattern:
            kept &= _has(self._patterns, filters.pattern)
        if filters.slice:
            kept &= self._in_slice(filters.slice)
        return np.flatnonzero(kept)

    def _in_slice(self, wanted: str) -> Truths:
        found = np.zeros(len(self), np.bool_)
        for name in self._attributes:
            if wanted.startswith(f"{name}="):
                found |= _has(self._slices[name], wanted.removeprefix(f"{name}="))
        return found

    @cached_property
    def proposed(self) -> Proposed:
        """What the list can be filtered by."""
        sliced = ((f"{name}={value}", n) for name, column in self._slices.items() for value, n in _counts(column))
        return Proposed(
            label=_counts(self._labels),
            class_=_counts(self._classes),
            pattern=_counts(self._patterns),
            slice=tuple(sliced),
        )

    # The columns, one value an entry.

    @cached_property
    def _labels(self) -> TextColumn:
        return _as_shown(self._scope.column("label")).take(self.rows)

    @cached_property
    def _slices(self) -> dict[str, TextColumn]:
        return {name: self._sliced(name) for name in self._attributes}

    def _sliced(self, name: str) -> TextColumn:
        if name not in self._scope.types or (not self._text and name in OF_WORDS):
            return TextColumn.constant("", len(self))
        return _as_shown(self._scope.column(name)).take(self.rows)

    @cached_property
    def _classes(self) -> TextColumn:
        """The class of each entry, "" for those that have none."""
        codes = np.full(len(self), len(CLASSES))
        for places, base, new in self._about():
            old, fresh = self._right(base)[places], self._right(new)[places]
            differs = self._differs(base, new)[places]
            tests = (~old & fresh, old & ~fresh, ~old & ~fresh & differs, old & fresh)
            codes[places] = np.select(tests, range(len(tests)), len(tests))
        return TextColumn(codes, (*CLASSES, ""))

    @cached_property
    def _patterns(self) -> TextColumn:
        """Which runs are right, a sign each."""
        right = np.stack([self._right(run) for run in self._seen], axis=1)
        packed = np.ascontiguousarray(np.packbits(right, axis=1))
        keys = packed.view(f"S{packed.shape[1]}").ravel()
        _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
        return TextColumn(codes, tuple(self._pattern(row) for row in right[first].tolist()))

    def _pattern(self, right: list[bool]) -> str:
        signs = dict(zip(self._seen, (RIGHT if each else WRONG for each in right), strict=True))
        return "".join(signs.get(run, UNSEEN) for run in range(len(self._verdicts.runs)))

    def _about(self) -> Iterator[tuple[Rows, int, int]]:
        """Yield the runs of base and new that entries are about, and which entries these are."""
        if self.pairs is not None:
            for base, new in np.unique(self.pairs, axis=0).tolist():
                yield np.flatnonzero((self.pairs == (base, new)).all(axis=1)), base, new
        elif self._link.base is not None and self._link.new is not None:
            runs = [run for name in (self._link.base, self._link.new) for run in self._verdicts.system(name).runs]
            if len(runs) == 2 and {*runs} <= {*self._seen}:
                yield np.arange(len(self)), runs[0], runs[1]

    def _right(self, run: int) -> Truths:
        if self.selection.of == "sites":
            return self.selection.view.sites.right[run][self.rows]
        items = self.selection.view.items
        return np.equal(items.has(run), items.positive)[self.rows]

    def _differs(self, base: int, new: int) -> Truths:
        if self.selection.of == "sites":
            values = self.selection.view.sites.values
            return np.not_equal(values[base][self.rows], values[new][self.rows])
        items = self.selection.view.items
        return np.not_equal(items.has(base), items.has(new))[self.rows]

    @cached_property
    def _scope(self) -> Scope:
        view = self.selection.view
        return item_scope(self._verdicts, view) if self.selection.of == "items" else scope(self._verdicts, view)


def _as_shown(column: Column) -> TextColumn:
    """Return a column as the texts that cards show of it."""
    if isinstance(column, TextColumn):
        names = (MISSING if code == column.missing else fitted(name, LONGEST_WORD)
                 for code, name in enumerate(column.names))  # fmt: skip
        return TextColumn(column.codes, tuple(names))
    if column.dtype == np.bool_:
        return TextColumn(column.astype(np.int64), ("no", "yes"))
    numbers, codes = np.unique(column, return_inverse=True)
    return TextColumn(codes, tuple(MISSING if np.isnan(each) else written(float(each)) for each in numbers.tolist()))


def _has(column: TextColumn, value: str) -> Truths:
    return np.isin(column.codes, [code for code, name in enumerate(column.names) if name == value])


def _counts(column: TextColumn) -> Counts:
    """Return the most frequent texts of a column and how often each occurs; what has no text is not proposed."""
    found: dict[str, int] = {}
    for name, count in zip(column.names, np.bincount(column.codes, minlength=len(column.names)).tolist(), strict=True):
        if count and name:
            found[name] = found.get(name, 0) + count
    return tuple(sorted(found.items(), key=lambda each: (-each[1], each[0]))[:MOST_VALUES])
