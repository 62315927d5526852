"""What each side has at each overlap site: its multiset of typed spans, as codes.

Spans are told by where they stand relative to the begin of their site, so equal values have equal names wherever
they are: `PER[0:2]`, `LOC[0:1] + PER[0:3]`, `DATE[0:2,4:5]` for one in two pieces, `PER[0:2]×2` for one given twice.
Labels alone are `LOC + PER`, `PER×2`. A linked span has its id behind its label: `LOC→Q60[0:2]`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.columns import code_type
from comparanda.sites import NOTHING, Aspect, special_last

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Codes, Rows

LINK = "\x1f"
"""Stands between the label and the id of a linked span, where these are one name: no label contains it."""

ASPECTS: tuple[Literal["value", "extent", "label", "id"], ...] = ("value", "extent", "label", "id")
"""A value as a whole, where its spans stand, how they are called, and whom they mean if they are linked."""

Ways = Mapping[int, tuple[tuple[int, int], ...]]
"""How spans are cut into pieces, by number."""

Entry = tuple[int, ...]
"""One span of a value, with its count: as much of (begin, end, way of being cut, label) as an aspect looks at."""

_LOOKED_AT = {"value": slice(0, 4), "extent": slice(0, 3), "label": slice(3, 4), "id": slice(3, 4)}
"""Which of (begin, end, way of being cut, label) an aspect looks at."""

_FEW = 4
"""Sites with at most so many spans of a side are worked out together, others one by one."""

_BLOCK = 1 << 18
"""So many sites are worked out at a time: what that takes on the way is several times what is found."""


@dataclass(frozen=True, eq=False, slots=True)
class Placed:
    """Distinct spans at their overlap sites.

    Args:
        spans: gives of some of them, as four rows, begin and end from the begin of the site, way of being cut, and
            label. They are worked out block by block: that of all at once would take more than what is found.
        site: the site of each; None where each is a site of its own.
        count: how many sites there are.
        sides: how often the key has each span, then each run.

    """

    spans: Callable[[slice], NDArray[np.int64]]
    site: Rows | None
    count: int
    sides: Sequence[Codes]

    @property
    def distinct(self) -> dict[int, int]:
        """The number of each side by its identity: of those that are one and the same, as the key's, the first."""
        return {id(each): number for number, each in reversed(list(enumerate(self.sides)))}


def values_at(
    tables: Sequence[Placed], names: tuple[str, ...], ways: Ways, aspects: Sequence[str] = ASPECTS
) -> list[dict[str, Aspect]]:
    """Return the values of the key and all runs at the overlap sites of each table, by aspect, under common codes.

    Args:
        tables: the spans at their sites.
        names: the labels by code.
        ways: how spans are cut into pieces, by number.
        aspects: what to look at; ids only where there are any.

    """
    linked = any(LINK in name for name in names)
    namings = {each: _Naming(each, names, ways) for each in aspects if linked or each != "id"}
    blocks = [_coded(table, namings) for table in tables]
    found: list[dict[str, Aspect]] = [{} for _ in tables]
    for aspect, naming in namings.items():
        columns, written = naming.in_order([each.pop(aspect) for each in blocks])
        for table, mine, values in zip(tables, columns, found, strict=True):
            key, *runs = (mine[table.distinct[id(each)]] for each in table.sides)
            values[aspect] = Aspect(key, tuple(runs), written)
    return found


def _coded(table: Placed, namings: Mapping[str, _Naming]) -> dict[str, dict[int, list[Codes]]]:
    """Return by aspect what each distinct side has at the sites of a table, block by block, as codes of the namings."""
    numbers = sorted(table.distinct.values())
    blocks: dict[str, dict[int, list[Codes]]] = {each: {number: [] for number in numbers} for each in namings}
    for here, low, high in _blocks(table.site, table.count):
        spans = table.spans(here)
        for number in numbers:
            site = np.arange(high - low) if table.site is None else table.site[here] - low
            side = _Rows(site, table.sides[number][here])
            for aspect, naming in namings.items():
                codes = naming.codes(spans[_LOOKED_AT[aspect]], side, high - low)
                blocks[aspect][number].append(codes.astype(code_type(len(naming.entries))))
    return blocks


def _blocks(site: Rows | None, count: int) -> Iterator[tuple[slice, int, int]]:
    """Yield the spans of some sites after the others, and which these are; all at once if they are entwined."""
    if site is not None and (site[1:] < site[:-1]).any():
        yield slice(None), 0, count
        return
    for low in range(0, count, _BLOCK):
        high = min(low + _BLOCK, count)
        yield slice(low, high) if site is None else slice(*np.searchsorted(site, (low, high)).tolist()), low, high


class _Rows:
    """The spans that one side has, by site, and how many of the site's they are."""

    def __init__(self, site: Rows, counts: Codes) -> None:
        mine = np.flatnonzero(counts > 0)
        self.rows = mine[np.argsort(site[mine], kind="stable")]
        self.site, self.counts = site[self.rows], counts[self.rows].astype(np.int64)
        self.begins = np.flatnonzero(np.diff(self.site, prepend=-1))
        self.sizes = np.diff(np.append(self.begins, len(self.site)))


class _Naming:
    """Gives codes to multisets of spans, looked at in one way; 0 is nothing."""

    def __init__(self, aspect: str, names: tuple[str, ...], ways: Ways) -> None:
        self.aspect, self.names, self.ways = aspect, names, ways
        self.entries: list[tuple[Entry, ...]] = [()]
        self._known: dict[tuple[Entry, ...], int] = {(): 0}

    def codes(self, spans: NDArray[np.int64], side: _Rows, count: int) -> Rows:
        """Return the code of what a side has at each site."""
        table = np.concatenate([spans[:, side.rows], side.counts[None, :]])
        values = np.zeros(count, np.int64)
        few = side.sizes <= _FEW
        begins, sizes = side.begins[few], side.sizes[few]
        for rank in range(int(sizes.max(initial=0))):  # one span more at each step
            here = begins[sizes > rank]
            sites = side.site[here]
            distinct, where = _distinct(np.concatenate([table[:, here + rank], values[sites][None, :]]))
            found = np.array(
                [self._code((*self.entries[before], tuple(entry))) for *entry, before in distinct], np.int64
            )
            values[sites] = found[where]
        for begin, size in zip(side.begins[~few].tolist(), side.sizes[~few].tolist(), strict=True):
            values[side.site[begin]] = self._code(tuple(map(tuple, table[:, begin : begin + size].T.tolist())))
        return values

    def _code(self, entries: tuple[Entry, ...]) -> int:
        known = self._known.get(entries)
        if known is None:
            known = self._known[entries] = len(self.entries)
            self.entries.append(entries)
        return known

    def in_order(
        self, tables: Sequence[Mapping[int, Sequence[Codes]]]
    ) -> tuple[list[dict[int, Codes]], tuple[str, ...]]:
        """Bring codes, block by block, into the order of the names they use; two ways to write a name are one code."""
        every = (block for columns in tables for blocks in columns.values() for block in blocks)
        used = {code for block in every for code in np.unique(block).tolist()}
        written = {code: self._written(self.entries[code]) for code in used}
        names = sorted(set(written.values()), key=special_last)
        code_of = {name: code for code, name in enumerate(names)}
        table = np.zeros(len(self.entries), code_type(len(names)))
        for code, name in written.items():
            table[code] = code_of[name]
        empty = table[:0]
        joined = [
            {number: np.concatenate([empty, *(table[block] for block in blocks)]) for number, blocks in columns.items()}
            for columns in tables
        ]
        return joined, tuple(names)

    def _written(self, entries: tuple[Entry, ...]) -> str:
        if not entries:
            return NOTHING
        counts: Counter[str] = Counter()
        for *span, count in entries:  # spans that differ in another aspect alone are the same here
            counts[self._span(tuple(span))] += count
        parts = [name + (f"×{count}" if count > 1 else "") for name, count in counts.items()]
        return " + ".join(sorted(parts) if self.aspect in {"label", "id"} else parts)

    def _span(self, entry: Entry) -> str:
        if self.aspect in {"label", "id"}:
            label, _, id_ = self.names[entry[0]].partition(LINK)
            return _label(label if self.aspect == "label" else id_)
        pieces = self.ways.get(entry[2], ((entry[0], entry[1]),))
        shift = entry[0] - pieces[0][0]
        extent = ",".join(f"{begin + shift}:{end + shift}" for begin, end in pieces)
        return extent if self.aspect == "extent" else f"{_linked(self.names[entry[3]])}[{extent}]"


def linked_label(name: str) -> str:
    """Return how a label is shown, with its id behind an arrow if it is that of a linked span."""
    return name.replace(LINK, "→")


def _linked(name: str) -> str:
    """Write a label, with the id behind an arrow if it is that of a linked span."""
    return "→".join(map(_label, name.split(LINK)))


def _label(label: str) -> str:
    """Write a label so that no other spans are written alike: signs that join spans get a backslash."""
    return re.sub(r"([\\×+→\[])", r"\\\1", label)


def _distinct(table: NDArray[np.int64]) -> tuple[list[list[int]], Rows]:
    """Return the distinct columns of a table, and which one each is."""
    packed, size = np.zeros(table.shape[1], np.int64), 1
    for row in table:
        low, width = int(row.min()), int(row.max()) - int(row.min()) + 1
        if size * width >= 1 << 62:
            _, packed = np.unique(packed, return_inverse=True)
            size = int(packed.max()) + 1
        packed, size = packed * width + (row - low), size * width
    _, first, where = np.unique(packed, return_index=True, return_inverse=True)
    found: list[list[int]] = table[:, first].T.tolist()
    return found, where
