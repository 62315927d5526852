"""The labelled spans of the key and of all runs, and their overlap sites.

A site is a connected component of overlapping spans (DEFINITIONS 1), so it depends on whose spans are considered:
a pair of systems is compared at the sites of the key and these two alone, whatever other runs were loaded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.core.corpus import Fragments
from comparanda.core.extents import compute_stretches, fragmentation_codes, number_fragmentations, place_on_line
from comparanda.core.sites import NOTHING, Aspect, Attribute, Folded, Sites, special_last
from comparanda.core.text_columns import TextColumn, code_type, take_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.text_columns import Codes, Rows


# The values of overlap sites: the multiset of labelled spans that a side has there, as a code.
#
# Positions are relative to the begin of the site, so equal values have equal names at all sites: `PER[0:2]`,
# `LOC[0:1] + PER[0:3]`, `DATE[0:2,4:5]` for a span in two pieces, `PER[0:2]×2` for a duplicate span.
# Labels alone are `LOC + PER`, `PER×2`. The id of a linked span follows its label: `LOC→Q60[0:2]`.


LINK = "\x1f"
"""Separates the label and the id of a linked span where both form one name; no label contains it."""

ASPECTS: tuple[Literal["value", "extent", "label", "id"], ...] = ("value", "extent", "label", "id")
"""A value as a whole, the extents of its spans, their labels, and their entity ids if they are linked."""

Ways = Mapping[int, tuple[tuple[int, int], ...]]
"""The pieces of discontinuous spans, by the code of their fragmentation."""

Entry = tuple[int, ...]
"""One span of a value, with its count: those of (begin, end, fragmentation, label) that an aspect depends on."""

_ASPECT_COLUMNS = {"value": slice(0, 4), "extent": slice(0, 3), "label": slice(3, 4), "id": slice(3, 4)}
"""The columns of (begin, end, fragmentation, label) that each aspect depends on."""

_MAX_SPANS_TOGETHER = 4
"""Sites at which a side has at most this many spans are encoded together, others one by one."""

_SITES_PER_BLOCK = 1 << 18
"""The number of sites encoded at a time: intermediate results take several times the memory of the final ones."""


@dataclass(frozen=True, eq=False, slots=True)
class Placed:
    """Distinct spans, assigned to their overlap sites.

    Args:
        spans: returns four rows for a slice of the spans: begin and end relative to the site, fragmentation code, and
            label. They are computed block by block: all at once would take more memory than the result.
        site: the site of each; None where each is a site of its own.
        count: the number of sites.
        sides: how often the key has each span, then each run.

    """

    spans: Callable[[slice], NDArray[np.int64]]
    site: Rows | None
    count: int
    sides: Sequence[Codes]

    @property
    def distinct(self) -> dict[int, int]:
        """The index of each distinct array of `sides` by its identity; the first if several sides share one array."""
        return {id(each): number for number, each in reversed(list(enumerate(self.sides)))}


def values_at(
    tables: Sequence[Placed], names: tuple[str, ...], ways: Ways, aspects: Sequence[str] = ASPECTS
) -> list[dict[str, Aspect]]:
    """Build the values of the key and all runs at the overlap sites of each table, by aspect, with common codes.

    Args:
        tables: the spans at their sites.
        names: the labels by code.
        ways: the pieces of discontinuous spans, by fragmentation code.
        aspects: the aspects to build; ids only where there are any.

    """
    linked = any(LINK in name for name in names)
    encoders = {each: _ValueEncoder(each, names, ways) for each in aspects if linked or each != "id"}
    blocks = [_encode_sides(table, encoders) for table in tables]
    found: list[dict[str, Aspect]] = [{} for _ in tables]
    for aspect, encoder in encoders.items():
        columns, written = encoder.sort_names([each.pop(aspect) for each in blocks])
        for table, mine, values in zip(tables, columns, found, strict=True):
            key, *runs = (mine[table.distinct[id(each)]] for each in table.sides)
            values[aspect] = Aspect(key, tuple(runs), written)
    return found


def _encode_sides(table: Placed, encoders: Mapping[str, _ValueEncoder]) -> dict[str, dict[int, list[Codes]]]:
    """Encode the values of each distinct side at the sites of a table, by aspect and block, with the encoders."""
    numbers = sorted(table.distinct.values())
    blocks: dict[str, dict[int, list[Codes]]] = {each: {number: [] for number in numbers} for each in encoders}
    for here, low, high in _site_blocks(table.site, table.count):
        spans = table.spans(here)
        for number in numbers:
            site = np.arange(high - low) if table.site is None else table.site[here] - low
            side = _SideSpans(site, table.sides[number][here])
            for aspect, encoder in encoders.items():
                codes = encoder.codes(spans[_ASPECT_COLUMNS[aspect]], side, high - low)
                blocks[aspect][number].append(codes.astype(code_type(len(encoder.entries))))
    return blocks


def _site_blocks(site: Rows | None, count: int) -> Iterator[tuple[slice, int, int]]:
    """Yield blocks of spans and the range of their sites; all in one block if the spans are not sorted by site."""
    if site is not None and (site[1:] < site[:-1]).any():
        yield slice(None), 0, count
        return
    for low in range(0, count, _SITES_PER_BLOCK):
        high = min(low + _SITES_PER_BLOCK, count)
        yield slice(low, high) if site is None else slice(*np.searchsorted(site, (low, high)).tolist()), low, high


class _SideSpans:
    """The spans that one side has, sorted by site, and their number at each site."""

    def __init__(self, site: Rows, counts: Codes) -> None:
        mine = np.flatnonzero(counts > 0)
        self.rows = mine[np.argsort(site[mine], kind="stable")]
        self.site, self.counts = site[self.rows], counts[self.rows].astype(np.int64)
        self.begins = np.flatnonzero(np.diff(self.site, prepend=-1))
        self.sizes = np.diff(np.append(self.begins, len(self.site)))


class _ValueEncoder:
    """Assigns codes to multisets of spans, under one aspect; 0 is the empty one."""

    def __init__(self, aspect: str, names: tuple[str, ...], ways: Ways) -> None:
        self.aspect, self.names, self.ways = aspect, names, ways
        self.entries: list[tuple[Entry, ...]] = [()]
        self._known: dict[tuple[Entry, ...], int] = {(): 0}

    def codes(self, spans: NDArray[np.int64], side: _SideSpans, count: int) -> Rows:
        """Return the code of a side's value at each site."""
        table = np.concatenate([spans[:, side.rows], side.counts[None, :]])
        values = np.zeros(count, np.int64)
        few = side.sizes <= _MAX_SPANS_TOGETHER
        begins, sizes = side.begins[few], side.sizes[few]
        for rank in range(int(sizes.max(initial=0))):  # one more span at each step
            here = begins[sizes > rank]
            sites = side.site[here]
            distinct, where = _distinct_columns(np.concatenate([table[:, here + rank], values[sites][None, :]]))
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

    def sort_names(
        self, tables: Sequence[Mapping[int, Sequence[Codes]]]
    ) -> tuple[list[dict[int, Codes]], tuple[str, ...]]:
        """Recode blocks so that codes follow the sorted names in use; values with equal names share one."""
        every = (block for columns in tables for blocks in columns.values() for block in blocks)
        used = {code for block in every for code in np.unique(block).tolist()}
        written = {code: self._format_value(self.entries[code]) for code in used}
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

    def _format_value(self, entries: tuple[Entry, ...]) -> str:
        if not entries:
            return NOTHING
        counts: Counter[str] = Counter()
        for *span, count in entries:  # spans that differ only in another aspect are the same here
            counts[self._format_span(tuple(span))] += count
        parts = [name + (f"×{count}" if count > 1 else "") for name, count in counts.items()]
        return " + ".join(sorted(parts) if self.aspect in {"label", "id"} else parts)

    def _format_span(self, entry: Entry) -> str:
        if self.aspect in {"label", "id"}:
            label, _, id_ = self.names[entry[0]].partition(LINK)
            return _escape_label(label if self.aspect == "label" else id_)
        pieces = self.ways.get(entry[2], ((entry[0], entry[1]),))
        shift = entry[0] - pieces[0][0]
        extent = ",".join(f"{begin + shift}:{end + shift}" for begin, end in pieces)
        return extent if self.aspect == "extent" else f"{_format_linked_label(self.names[entry[3]])}[{extent}]"


def linked_label(name: str) -> str:
    """Format a label for display; an entity id follows after an arrow."""
    return name.replace(LINK, "→")


def _format_linked_label(name: str) -> str:
    """Format a label unambiguously; an entity id follows after an arrow."""
    return "→".join(map(_escape_label, name.split(LINK)))


def _escape_label(label: str) -> str:
    """Escape the characters of a label that are also used between spans, so that names of values are unique."""
    return re.sub(r"([\\×+→\[])", r"\\\1", label)


def _distinct_columns(table: NDArray[np.int64]) -> tuple[list[list[int]], Rows]:
    """Return the distinct columns of a table, and the index of each column among them."""
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


CROWD = "crowd"
"""The attribute with the number of distinct spans of an overlap site."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Claims:
    """All distinct spans, sorted by document, begin, end, pieces and label.

    Args:
        document: the index of each span's document.
        sentence: the index of the sentence it begins in.
        place: the row of its document at which it begins.
        width: how many rows it covers, at least one.
        begin: where it begins, in positions of its document.
        end: where it ends.
        pieces: its fragmentation code: 0 if it is contiguous, else its number among the fragmentations of `fragments`.
        fragments: the pieces of discontinuous spans, by their row here; None where there are none.
        label: its label, as a code.
        names: the labels by code, sorted.
        key: how often the key has it, in the smallest integer type that fits: there are many spans.
        runs: for each run, how often it has it.
        attributes: further attributes of the spans, computed on first use.
        agreed: further spans, with the same names, that the key and every run have once, each alone at its site; None
            where there are none. They have no rows here, and no items.

    """

    document: NDArray[np.int32]
    sentence: NDArray[np.int32]
    place: NDArray[np.int32]
    width: NDArray[np.int32]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    pieces: NDArray[np.int64]
    fragments: Fragments | None
    label: Codes
    names: tuple[str, ...]
    key: Codes
    runs: tuple[Codes, ...]
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    agreed: Claims | None = None

    def __len__(self) -> int:
        return len(self.begin)

    def take(self, rows: Rows) -> Claims:
        """Select spans by row, dropping those that are agreed on."""
        fragments = None if self.fragments is None else self.fragments.take(rows, len(self))
        return Claims(
            document=self.document[rows],
            sentence=self.sentence[rows],
            place=self.place[rows],
            width=self.width[rows],
            begin=self.begin[rows],
            end=self.end[rows],
            pieces=fragmentation_codes(len(rows), fragments, number_fragmentations([fragments])),
            fragments=fragments,
            label=self.label[rows],
            names=self.names,
            key=self.key[rows],
            runs=tuple(counts[rows] for counts in self.runs),
            attributes={name: attribute.taken(rows) for name, attribute in self.attributes.items()},
        )

    def present(self, runs: Sequence[int]) -> Rows:
        """Return the rows of the spans that the key or at least one of the given runs has."""
        there = self.key > 0
        for run in runs:
            there = there | (self.runs[run] > 0)
        return np.flatnonzero(there)

    def among(self, runs: Sequence[int]) -> Claims:
        """Restrict the spans to some runs; all others are treated as if they agreed with the key."""
        return replace(self, runs=tuple(each if run in runs else self.key for run, each in enumerate(self.runs)))

    def components(self, rows: Rows) -> Rows:
        """Assign numbers to the overlap sites that a selection of the spans would form on its own."""
        if self.fragments is not None:
            return self.take(rows).site
        return _connect_spans(self.document[rows], self.begin[rows], self.end[rows])

    @cached_property
    def site(self) -> Rows:
        """The number of each span's overlap site."""
        return _number_components(self)

    @property
    def site_attributes(self) -> dict[str, str]:
        """The names and types of the attributes of sites, available before any site is built."""
        own = {name: attribute.type for name, attribute in self.attributes.items()}
        return {**own, "length": "number", "nesting": "text", "spans": "number", CROWD: "number"}

    @cached_property
    def sites(self) -> Sites:
        """The overlap sites of all these spans; the sites of agreed spans are stored as counts."""
        site = self.site
        first = np.flatnonzero(np.diff(site, prepend=-1)) if self.fragments is None else _first_spans(site)
        ways = {number: way for way, number in number_fragmentations([self.fragments]).items()}
        tables = [_spans_at_sites(self, site, first)]
        if self.agreed is not None:
            tables.append(_agreed_at_sites(self.agreed))
        aspects, *easy = values_at(tables, self.names, ways)
        whole = aspects.pop("value")
        low, reach = _site_rows(self, site, first)
        return Sites(
            document=self.document[first],
            sentence=self.sentence[first],
            place=low.astype(np.int32),
            key=whole.key,
            values=whole.values,
            names=whole.names,
            parts=None,
            attributes=_site_attributes(self, site, len(first)),
            aspects=aspects,
            width=(reach - low).astype(np.int32),
            folded=None if self.agreed is None else _fold_agreed_sites(self.agreed, easy[0]),
        )


def agreed_spans(claims: Claims) -> Claims:
    """Mark contiguous spans as present once in the key and in every run, without using memory for the counts."""
    once = np.broadcast_to(np.uint8(1), len(claims))
    whole = fragmentation_codes(len(claims), None, {})
    return replace(claims, key=once, runs=(once,) * len(claims.runs), pieces=whole, fragments=None, agreed=None)


def find_isolated(claims: Claims, agreed: Claims) -> bool:
    """Whether each of the agreed spans overlaps neither any of the other spans nor another agreed one."""
    document, begin, end = claims.document, claims.begin, claims.end
    if claims.fragments is not None:
        whole, pieces = claims.pieces == 0, claims.fragments
        document = np.concatenate([document[whole], document[pieces.span]])
        begin, end = np.concatenate([begin[whole], pieces.begin]), np.concatenate([end[whole], pieces.end])
    room = compute_stretches([end, agreed.end], max(int(document.max(initial=0)), int(agreed.document.max(initial=0))))
    mine, others = (
        place_on_line(agreed.document, agreed.begin, agreed.end, room),
        place_on_line(document, begin, end, room),
    )
    low, high = (np.concatenate(each) for each in zip(mine, others, strict=True))
    order = np.argsort(low, kind="stable")
    low, high, alone = low[order], high[order], order < len(agreed)
    before = np.append(np.int64(-1), np.maximum.accumulate(high)[:-1])
    after = np.append(low[1:], np.iinfo(np.int64).max)
    return bool(((low > before) & (high < after))[alone].all())


def _spans_at_sites(claims: Claims, site: Rows, first: Rows) -> Placed:
    """Assign spans to their sites, given the first span of each site."""
    begin = claims.begin[first]

    def spans(here: slice) -> NDArray[np.int64]:
        base = begin[site[here]]
        return np.stack([claims.begin[here] - base, claims.end[here] - base, claims.pieces[here], claims.label[here]])

    return Placed(spans, site, len(first), (claims.key, *claims.runs))


def _agreed_at_sites(agreed: Claims) -> Placed:
    """Assign each agreed span to a site of its own."""

    def spans(here: slice) -> NDArray[np.int64]:
        length = agreed.end[here] - agreed.begin[here]
        return np.stack([np.zeros_like(length), length, agreed.pieces[here], agreed.label[here]])

    return Placed(spans, None, len(agreed), (agreed.key, *agreed.runs))


def _fold_agreed_sites(agreed: Claims, aspects: dict[str, Aspect]) -> Folded:
    """Make the sites of agreed spans: each is a kind of its own, because all its attributes are known."""
    whole = aspects.pop("value")
    sites = Sites(
        document=agreed.document,
        sentence=agreed.sentence,
        place=agreed.place,
        key=whole.key,
        values=whole.values,
        names=whole.names,
        parts=None,
        attributes=_agreed_attributes(agreed),
        aspects=aspects,
        width=agreed.width,
    )
    return Folded(sites, np.broadcast_to(np.int64(1), len(agreed)))


def without_ids(claims: Claims) -> Claims:
    """Remove the entity ids from the labels of linked spans; there may be duplicates afterwards."""
    plain = [name.partition(LINK)[0] for name in claims.names]
    names = tuple(sorted(set(plain)))
    table = np.array([names.index(name) for name in plain], np.int64)
    label = table[claims.label] if len(table) else claims.label
    agreed = None if claims.agreed is None else without_ids(claims.agreed)
    return replace(claims, label=label, names=names, agreed=agreed)


def _site_rows(claims: Claims, site: Rows, first: Rows) -> tuple[Rows, Rows]:
    """Return the first row that each site covers, and the row after its last."""
    ends = claims.place + claims.width
    if not len(first):
        return first, first
    if claims.fragments is None:  # then the spans of a site are consecutive
        return np.minimum.reduceat(claims.place, first), np.maximum.reduceat(ends, first)
    low, reach = np.full(len(first), np.iinfo(np.int32).max), np.zeros(len(first), np.int64)
    np.minimum.at(low, site, claims.place)
    np.maximum.at(reach, site, ends)
    return low, reach


def _first_spans(site: Rows) -> Rows:
    """Find the first span of each site; the spans of different sites may alternate if there are discontinuous ones."""
    return np.unique(site, return_index=True)[1]


def _number_components(claims: Claims) -> Rows:
    """Assign numbers to the connected components of overlapping spans, in order of their first spans."""
    if claims.fragments is None or not len(claims):
        return _connect_spans(claims.document, claims.begin, claims.end)
    return _connect_fragments(claims, claims.fragments)


def _connect_spans(document: NDArray[np.int32], begin: NDArray[np.int64], end: NDArray[np.int64]) -> Rows:
    """Assign numbers to the components of contiguous spans, which are sorted by document and begin."""
    if not len(begin):
        return np.zeros(0, np.int64)
    return _connect_intervals(*place_on_line(document, begin, end, compute_stretches([end], int(document.max()))))


def _connect_intervals(low: Rows, high: Rows) -> Rows:
    """Assign numbers to the components of intervals that are sorted by their begin."""
    reach = np.maximum.accumulate(high)
    begins = np.ones(len(low), np.bool_)
    begins[1:] = low[1:] > reach[:-1]
    return np.cumsum(begins) - 1


def _connect_fragments(claims: Claims, fragments: Fragments) -> Rows:
    """Assign numbers to the components of spans whose pieces overlap."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    whole = np.flatnonzero(claims.pieces == 0)
    owner = np.concatenate([whole, fragments.span])
    begin = np.concatenate([claims.begin[whole], fragments.begin])
    end = np.concatenate([claims.end[whole], fragments.end])
    document = claims.document[owner]
    low, high = place_on_line(document, begin, end, compute_stretches([claims.end], int(document.max())))
    order = np.argsort(low, kind="stable")
    cluster = np.empty(len(low), np.int64)
    cluster[order] = _connect_intervals(low[order], high[order])
    size = len(claims) + int(cluster.max()) + 1
    links = coo_array((np.ones(len(owner)), (owner, cluster + len(claims))), shape=(size, size))
    _, found = connected_components(links, directed=False)
    _, first, number = np.unique(found[: len(claims)], return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[number]


def _site_attributes(claims: Claims, site: Rows, count: int) -> dict[str, Attribute]:
    """Define the attributes of sites: the length of the key's longest span, its nesting, and numbers of spans."""
    claims = replace(claims)  # a copy without these sites: a reference cycle would keep large tables alive
    head = cache(lambda: _find_representatives(claims, site, count))
    return {name: _take_representatives(attribute, head) for name, attribute in claims.attributes.items()} | {
        "length": Attribute("number", lambda: _longest_widths(claims, site, count)),
        "nesting": Attribute("text", lambda: _classify_nesting(claims, site, count)),
        "spans": Attribute("number", lambda: np.bincount(site, claims.key, count)),
        CROWD: Attribute("number", lambda: np.bincount(site, minlength=count)),
    }


def _agreed_attributes(agreed: Claims) -> dict[str, Attribute]:
    """Define the same attributes for sites that consist of one span of the key."""
    count, single = len(agreed), NESTING.index("single")
    return dict(agreed.attributes) | {
        "length": Attribute("number", lambda: agreed.width.astype(np.float64)),
        "nesting": Attribute("text", lambda: TextColumn(np.full(count, single, np.uint8), NESTING)),
        "spans": Attribute("number", lambda: np.ones(count)),
        CROWD: Attribute("number", lambda: np.ones(count, np.int64)),
    }


def _take_representatives(attribute: Attribute, head: Callable[[], Rows]) -> Attribute:
    """Make an attribute of sites from the attribute of their representative spans."""
    return Attribute(attribute.type, lambda: take_rows(attribute.make(), head()))


def _find_representatives(claims: Claims, site: Rows, count: int) -> Rows:
    """Find the representative span of each site: the first one of the key, or of all where the key has none."""
    head = np.full(count, len(claims), np.int64)
    np.minimum.at(head, site, np.where(claims.key > 0, np.arange(len(claims)), len(claims)))
    others = np.full(count, len(claims), np.int64)
    np.minimum.at(others, site, np.arange(len(claims)))
    return np.where(head < len(claims), head, others)


def _longest_widths(claims: Claims, site: Rows, count: int) -> NDArray[np.float64]:
    """Return the width in rows of the key's longest span at each site; where it has none, of the runs' longest."""
    of_key = claims.key > 0
    longest, others = np.zeros(count), np.zeros(count)
    np.maximum.at(longest, site[of_key], claims.width[of_key])
    np.maximum.at(others, site, claims.width)
    return np.where(longest > 0, longest, others)


NESTING = ("nested or overlapping", "not in the key", "several apart", "single")
"""Arrangements of the key's spans at a site; several apart share a site because a run's span connects them."""


def _classify_nesting(claims: Claims, site: Rows, count: int) -> TextColumn:
    """Classify the arrangement of the key's own spans at each site."""
    rows = np.flatnonzero(claims.key > 0)
    of_key = claims.take(rows)
    number = np.bincount(site, claims.key, count)
    crowds = np.bincount(of_key.site, of_key.key)[of_key.site] if len(rows) else rows
    crowded = np.zeros(count, np.bool_)
    crowded[site[rows[crowds > 1]]] = True
    codes = np.select([crowded, number == 0, number > 1], [0, 1, 2], 3)
    return TextColumn(codes.astype(np.uint8), NESTING)
