"""Which labelled spans the key and the runs have, and the overlap sites of any of them together.

A site is a connected component of overlapping spans (DEFINITIONS 1), so it depends on whose spans are looked at:
a pair of systems is compared at the sites of the key and these two alone, whatever else was loaded.
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
from comparanda.core.extents import cut_numbers, line, stretch, ways_of_being_cut
from comparanda.core.sites import NOTHING, Aspect, Attribute, Folded, Sites, special_last
from comparanda.core.text_columns import TextColumn, code_type, taken

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.text_columns import Codes, Rows


# What each side has at each overlap site: its multiset of typed spans, as codes.
#
# Spans are told by where they stand relative to the begin of their site, so equal values have equal names wherever
# they are: `PER[0:2]`, `LOC[0:1] + PER[0:3]`, `DATE[0:2,4:5]` for one in two pieces, `PER[0:2]×2` for one given twice.
# Labels alone are `LOC + PER`, `PER×2`. A linked span has its id behind its label: `LOC→Q60[0:2]`.


LINK = "\x1f"
"""Stands between the label and the id of a linked span, where these are one name: no label contains it."""

ASPECTS: tuple[Literal["value", "extent", "label", "id"], ...] = ("value", "extent", "label", "id")
"""A value as a whole, where its spans stand, how they are called, and whom they mean if they are linked."""

Ways = Mapping[int, tuple[tuple[int, int], ...]]
"""How spans are cut into pieces, by number."""

Entry = tuple[int, ...]
"""One span of a value, with its count: as much of (begin, end, way of being cut, label) as an aspect looks at."""

_ASPECT_COLUMNS = {"value": slice(0, 4), "extent": slice(0, 3), "label": slice(3, 4), "id": slice(3, 4)}
"""Which of (begin, end, way of being cut, label) an aspect looks at."""

_MAX_SPANS_TOGETHER = 4
"""Sites with at most so many spans of a side are worked out together, others one by one."""

_SITES_PER_BLOCK = 1 << 18
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
    """Return by aspect what each distinct side has at the sites of a table, block by block, as codes of the namings."""
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
    """Yield the spans of some sites after the others, and which these are; all at once if they are entwined."""
    if site is not None and (site[1:] < site[:-1]).any():
        yield slice(None), 0, count
        return
    for low in range(0, count, _SITES_PER_BLOCK):
        high = min(low + _SITES_PER_BLOCK, count)
        yield slice(low, high) if site is None else slice(*np.searchsorted(site, (low, high)).tolist()), low, high


class _SideSpans:
    """The spans that one side has, by site, and how many of the site's they are."""

    def __init__(self, site: Rows, counts: Codes) -> None:
        mine = np.flatnonzero(counts > 0)
        self.rows = mine[np.argsort(site[mine], kind="stable")]
        self.site, self.counts = site[self.rows], counts[self.rows].astype(np.int64)
        self.begins = np.flatnonzero(np.diff(self.site, prepend=-1))
        self.sizes = np.diff(np.append(self.begins, len(self.site)))


class _ValueEncoder:
    """Gives codes to multisets of spans, looked at in one way; 0 is nothing."""

    def __init__(self, aspect: str, names: tuple[str, ...], ways: Ways) -> None:
        self.aspect, self.names, self.ways = aspect, names, ways
        self.entries: list[tuple[Entry, ...]] = [()]
        self._known: dict[tuple[Entry, ...], int] = {(): 0}

    def codes(self, spans: NDArray[np.int64], side: _SideSpans, count: int) -> Rows:
        """Return the code of what a side has at each site."""
        table = np.concatenate([spans[:, side.rows], side.counts[None, :]])
        values = np.zeros(count, np.int64)
        few = side.sizes <= _MAX_SPANS_TOGETHER
        begins, sizes = side.begins[few], side.sizes[few]
        for rank in range(int(sizes.max(initial=0))):  # one span more at each step
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
        """Bring codes, block by block, into the order of the names they use; two ways to write a name are one code."""
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
        for *span, count in entries:  # spans that differ in another aspect alone are the same here
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
    """Return how a label is shown, with its id behind an arrow if it is that of a linked span."""
    return name.replace(LINK, "→")


def _format_linked_label(name: str) -> str:
    """Write a label, with the id behind an arrow if it is that of a linked span."""
    return "→".join(map(_escape_label, name.split(LINK)))


def _escape_label(label: str) -> str:
    """Write a label so that no other spans are written alike: signs that join spans get a backslash."""
    return re.sub(r"([\\×+→\[])", r"\\\1", label)


def _distinct_columns(table: NDArray[np.int64]) -> tuple[list[list[int]], Rows]:
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


CROWD = "crowd"
"""The attribute of an overlap site that says how many distinct spans it consists of."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Claims:
    """All distinct spans, by document, begin, end, pieces and label.

    Args:
        document: the index of each span's document.
        sentence: the index of the sentence it begins in.
        place: the row of its document at which it begins.
        width: how many rows it covers, at least one.
        begin: where it begins, in positions of its document.
        end: where it ends.
        pieces: how it is cut: 0 for one piece, else the number of its way among those of all `fragments`.
        fragments: the pieces of discontinuous spans, by their row here; None where there are none.
        label: its label, as a code.
        names: the labels by code, sorted.
        key: how often the key has it, in the smallest type that holds that: there are many spans.
        runs: for each run, how often it has it.
        attributes: what else is known of each span, made when first asked for.
        agreed: further spans, under the same names, that the key and every run have once, each alone at its site; None
            where there are none. They have no rows here, and no items; made by `agreed_spans`.

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
        """Return some of the spans, and none that are agreed on."""
        fragments = None if self.fragments is None else self.fragments.take(rows, len(self))
        return Claims(
            document=self.document[rows],
            sentence=self.sentence[rows],
            place=self.place[rows],
            width=self.width[rows],
            begin=self.begin[rows],
            end=self.end[rows],
            pieces=cut_numbers(len(rows), fragments, ways_of_being_cut([fragments])),
            fragments=fragments,
            label=self.label[rows],
            names=self.names,
            key=self.key[rows],
            runs=tuple(counts[rows] for counts in self.runs),
            attributes={name: attribute.taken(rows) for name, attribute in self.attributes.items()},
        )

    def present(self, runs: Sequence[int]) -> Rows:
        """Return the spans that the key or one of some runs has."""
        there = self.key > 0
        for run in runs:
            there = there | (self.runs[run] > 0)
        return np.flatnonzero(there)

    def among(self, runs: Sequence[int]) -> Claims:
        """Return the same for some runs alone: all others are taken to agree with the key."""
        return replace(self, runs=tuple(each if run in runs else self.key for run, each in enumerate(self.runs)))

    def components(self, rows: Rows) -> Rows:
        """Return the overlap site of each of some spans, by number, if there were no others."""
        if self.fragments is not None:
            return self.take(rows).site
        return _connect_spans(self.document[rows], self.begin[rows], self.end[rows])

    @cached_property
    def site(self) -> Rows:
        """The overlap site of each span, by number."""
        return _number_components(self)

    @property
    def site_attributes(self) -> dict[str, str]:
        """The attributes that sites will have, and their types, before any site is made."""
        own = {name: attribute.type for name, attribute in self.attributes.items()}
        return {**own, "length": "number", "nesting": "text", "spans": "number", CROWD: "number"}

    @cached_property
    def sites(self) -> Sites:
        """The overlap sites of all these spans; those of spans that are agreed on are only counted."""
        site = self.site
        first = np.flatnonzero(np.diff(site, prepend=-1)) if self.fragments is None else _first_spans(site)
        ways = {number: way for way, number in ways_of_being_cut([self.fragments]).items()}
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
    """Return spans that everybody has once, in one piece each; that this is so takes no memory."""
    once = np.broadcast_to(np.uint8(1), len(claims))
    whole = cut_numbers(len(claims), None, {})
    return replace(claims, key=once, runs=(once,) * len(claims.runs), pieces=whole, fragments=None, agreed=None)


def stand_apart(claims: Claims, agreed: Claims) -> bool:
    """Whether each of the spans that everybody has overlaps none of these, and none of the others."""
    document, begin, end = claims.document, claims.begin, claims.end
    if claims.fragments is not None:
        whole, pieces = claims.pieces == 0, claims.fragments
        document = np.concatenate([document[whole], document[pieces.span]])
        begin, end = np.concatenate([begin[whole], pieces.begin]), np.concatenate([end[whole], pieces.end])
    room = stretch([end, agreed.end], max(int(document.max(initial=0)), int(agreed.document.max(initial=0))))
    mine, others = line(agreed.document, agreed.begin, agreed.end, room), line(document, begin, end, room)
    low, high = (np.concatenate(each) for each in zip(mine, others, strict=True))
    order = np.argsort(low, kind="stable")
    low, high, alone = low[order], high[order], order < len(agreed)
    before = np.append(np.int64(-1), np.maximum.accumulate(high)[:-1])
    behind = np.append(low[1:], np.iinfo(np.int64).max)
    return bool(((low > before) & (high < behind))[alone].all())


def _spans_at_sites(claims: Claims, site: Rows, first: Rows) -> Placed:
    """Return spans at their sites, given the first span of each site."""
    begin = claims.begin[first]

    def spans(here: slice) -> NDArray[np.int64]:
        base = begin[site[here]]
        return np.stack([claims.begin[here] - base, claims.end[here] - base, claims.pieces[here], claims.label[here]])

    return Placed(spans, site, len(first), (claims.key, *claims.runs))


def _agreed_at_sites(agreed: Claims) -> Placed:
    """Return spans that are sites of their own."""

    def spans(here: slice) -> NDArray[np.int64]:
        length = agreed.end[here] - agreed.begin[here]
        return np.stack([np.zeros_like(length), length, agreed.pieces[here], agreed.label[here]])

    return Placed(spans, None, len(agreed), (agreed.key, *agreed.runs))


def _fold_agreed_sites(agreed: Claims, aspects: dict[str, Aspect]) -> Folded:
    """Return the sites of spans that everybody has: a kind of its own each, for all of them is known."""
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
    """Return spans that are called by their labels alone, if they are linked; some may then be there twice."""
    plain = [name.partition(LINK)[0] for name in claims.names]
    names = tuple(sorted(set(plain)))
    table = np.array([names.index(name) for name in plain], np.int64)
    label = table[claims.label] if len(table) else claims.label
    agreed = None if claims.agreed is None else without_ids(claims.agreed)
    return replace(claims, label=label, names=names, agreed=agreed)


def _site_rows(claims: Claims, site: Rows, first: Rows) -> tuple[Rows, Rows]:
    """Return the first row that each site covers, and the row behind its last."""
    ends = claims.place + claims.width
    if not len(first):
        return first, first
    if claims.fragments is None:  # then the spans of a site stand together
        return np.minimum.reduceat(claims.place, first), np.maximum.reduceat(ends, first)
    low, reach = np.full(len(first), np.iinfo(np.int32).max), np.zeros(len(first), np.int64)
    np.minimum.at(low, site, claims.place)
    np.maximum.at(reach, site, ends)
    return low, reach


def _first_spans(site: Rows) -> Rows:
    """Return the first span of each site; sites of spans in pieces may be entwined."""
    return np.unique(site, return_index=True)[1]


def _number_components(claims: Claims) -> Rows:
    """Give numbers to the connected components of overlapping spans, in order of their first spans."""
    if claims.fragments is None or not len(claims):
        return _connect_spans(claims.document, claims.begin, claims.end)
    return _connect_fragments(claims, claims.fragments)


def _connect_spans(document: NDArray[np.int32], begin: NDArray[np.int64], end: NDArray[np.int64]) -> Rows:
    """Give numbers to the components of spans in one piece, which are sorted by document and begin."""
    if not len(begin):
        return np.zeros(0, np.int64)
    return _connect_intervals(*line(document, begin, end, stretch([end], int(document.max()))))


def _connect_intervals(low: Rows, high: Rows) -> Rows:
    """Give numbers to the components of intervals that are sorted by their begin."""
    reach = np.maximum.accumulate(high)
    begins = np.ones(len(low), np.bool_)
    begins[1:] = low[1:] > reach[:-1]
    return np.cumsum(begins) - 1


def _connect_fragments(claims: Claims, fragments: Fragments) -> Rows:
    """Give numbers to the components where spans overlap by their pieces."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    whole = np.flatnonzero(claims.pieces == 0)
    owner = np.concatenate([whole, fragments.span])
    begin = np.concatenate([claims.begin[whole], fragments.begin])
    end = np.concatenate([claims.end[whole], fragments.end])
    document = claims.document[owner]
    low, high = line(document, begin, end, stretch([claims.end], int(document.max())))
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
    """Offer what is known of sites: how long their longest span of the key is, and how the key's spans lie there."""
    claims = replace(claims)  # one that does not know these sites: large tables in a circle would stay for long
    head = cache(lambda: _find_representatives(claims, site, count))
    return {name: _take_representatives(attribute, head) for name, attribute in claims.attributes.items()} | {
        "length": Attribute("number", lambda: _longest_widths(claims, site, count)),
        "nesting": Attribute("text", lambda: _classify_nesting(claims, site, count)),
        "spans": Attribute("number", lambda: np.bincount(site, claims.key, count)),
        CROWD: Attribute("number", lambda: np.bincount(site, minlength=count)),
    }


def _agreed_attributes(agreed: Claims) -> dict[str, Attribute]:
    """Offer the same of sites that are one span each, which the key has."""
    count, single = len(agreed), NESTING.index("single")
    return dict(agreed.attributes) | {
        "length": Attribute("number", lambda: agreed.width.astype(np.float64)),
        "nesting": Attribute("text", lambda: TextColumn(np.full(count, single, np.uint8), NESTING)),
        "spans": Attribute("number", lambda: np.ones(count)),
        CROWD: Attribute("number", lambda: np.ones(count, np.int64)),
    }


def _take_representatives(attribute: Attribute, head: Callable[[], Rows]) -> Attribute:
    """Return an attribute of sites: that of the spans that stand for them."""
    return Attribute(attribute.type, lambda: taken(attribute.make(), head()))


def _find_representatives(claims: Claims, site: Rows, count: int) -> Rows:
    """Return the span that stands for each site: the first of the key's, or of all where the key has none."""
    head = np.full(count, len(claims), np.int64)
    np.minimum.at(head, site, np.where(claims.key > 0, np.arange(len(claims)), len(claims)))
    others = np.full(count, len(claims), np.int64)
    np.minimum.at(others, site, np.arange(len(claims)))
    return np.where(head < len(claims), head, others)


def _longest_widths(claims: Claims, site: Rows, count: int) -> NDArray[np.float64]:
    """Return how many rows the longest span of the key covers; where it has none, the longest of a run."""
    of_key = claims.key > 0
    longest, others = np.zeros(count), np.zeros(count)
    np.maximum.at(longest, site[of_key], claims.width[of_key])
    np.maximum.at(others, site, claims.width)
    return np.where(longest > 0, longest, others)


NESTING = ("nested or overlapping", "not in the key", "several apart", "single")
"""How the key's spans lie at a site; those apart stand at one site because a span of a run covers both."""


def _classify_nesting(claims: Claims, site: Rows, count: int) -> TextColumn:
    """Say how the key's own spans lie at each site."""
    rows = np.flatnonzero(claims.key > 0)
    of_key = claims.take(rows)
    number = np.bincount(site, claims.key, count)
    crowds = np.bincount(of_key.site, of_key.key)[of_key.site] if len(rows) else rows
    crowded = np.zeros(count, np.bool_)
    crowded[site[rows[crowds > 1]]] = True
    codes = np.select([crowded, number == 0, number > 1], [0, 1, 2], 3)
    return TextColumn(codes.astype(np.uint8), NESTING)
