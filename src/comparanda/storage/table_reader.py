"""The reader of columns and tables of result folders, with checks so that invalid data never reach the findings."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec
import numpy as np

from comparanda.core.candidates import Candidates
from comparanda.core.chains import NO_CHAIN, Chains, chain_units
from comparanda.core.claims import Claims, agreed_spans, find_isolated
from comparanda.core.corpus import Fragments
from comparanda.core.extents import fragmentation_codes, number_fragmentations
from comparanda.core.items import FoldedItems, Items, Outcomes
from comparanda.core.probabilities import Beliefs, Worlds
from comparanda.core.sites import Aspect, Attribute, Folded, Sites, special_last
from comparanda.core.text_columns import Column, TextColumn, shrink_integers
from comparanda.errors import InputError, ReadError
from comparanda.storage.manifest import SitesEntry, digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.core.text_columns import Codes, Rows
    from comparanda.core.verdicts import Units
    from comparanda.storage.manifest import (
        AgreedEntry,
        AspectEntry,
        CandidatesEntry,
        ChainsEntry,
        ClaimsEntry,
        ColumnEntry,
        FoldedEntry,
        FoldedItemsEntry,
        FragmentsEntry,
        ItemsEntry,
        Manifest,
        OutcomesEntry,
        WorldsEntry,
    )

    Places = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]


PIECES = ("sentence", "row")
"""The units of a corpus without document boundaries."""

CODES = ("uint8", "uint16", "uint32")
INTEGERS = (*CODES, "uint64", "int8", "int16", "int32", "int64")
_ALLOWED_TYPES = {"truth": ("bool",), "number": ("float32", "float64", *INTEGERS), "text": INTEGERS}


class Reader:
    """Reads each column of a folder once, and checks it against the manifest and the other columns."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self._known: dict[str, NDArray[Any]] = {}

    def refuse(self, what: str) -> NoReturn:
        """Refuse the folder as damaged."""
        raise ReadError(f"the result folder is damaged: {what}", where=str(self.folder))

    def require(self, fulfilled: object, what: str) -> None:
        """Refuse the folder unless a condition holds."""
        if not fulfilled:
            self.refuse(what)

    def bytes(self, name: str) -> bytes:
        """Read a file of the folder, and check its digest."""
        if Path(name).name != name or name in {"", ".", ".."} or "\\" in name:
            self.refuse(f"the manifest names a file outside it: {name!r}")
        path = self.folder / name
        try:
            self.require(path.is_file(), f"{name} is missing")
            data = path.read_bytes()
        except (OSError, ValueError) as problem:
            self.refuse(f"{name}: {problem}")
        self.require(digest(data) == self.manifest.files.get(name), f"{name} has changed since it was saved")
        return data

    def release(self) -> None:
        """Release all columns and the manifest's content; texts and attributes of parts are read lazily."""
        self._known = {}
        nothing: dict[str, Any] = {name: [] for name in ("documents", "views", "claims", "chains", "texts", "notes")}
        self.manifest = msgspec.structs.replace(self.manifest, **nothing)

    def forget(self, names: Sequence[str]) -> None:
        """Release columns that were read."""
        for name in names:
            self._known.pop(name, None)

    def array(self, name: str, types: Sequence[str], length: int | None = None) -> NDArray[Any]:
        """Read a column of one of the allowed data types, and of a given length if it is known."""
        if name not in self._known:
            self._known[name] = self._load(name)
        found = self._known[name]
        self.require(found.dtype.name in types and found.dtype.isnative, f"{name} is of type {found.dtype}")
        self.require(found.ndim == 1, f"{name} has {found.ndim} dimensions")
        if length is not None:
            self.require(len(found) == length, f"{name} has {len(found)} rows, not {length}")
        return found

    def _load(self, name: str) -> NDArray[Any]:
        data = self.bytes(name)
        try:
            found = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
        except Exception as problem:  # NumPy's header parser raises various exceptions
            self.refuse(f"{name}: {problem}")
        return found

    def indices(self, name: str, length: int | None, below: int) -> NDArray[np.int32]:
        """Read indices from 0 to a limit."""
        found = self.array(name, ("int32",), length)
        self.require(not found.size or (found.min() >= 0 and found.max() < below), f"{name} has indices out of range")
        return found

    def ordered(self, name: str, length: int | None, below: int) -> NDArray[np.int32]:
        """Read non-decreasing indices, such as those of documents and sentences."""
        found = self.indices(name, length, below)
        self.require((np.diff(found) >= 0).all(), f"{name} is not in order")
        return found

    def numbered(self, name: str, numbers: Codes) -> int:
        """Check that numbers are assigned in the order of first appearance; return how many there are."""
        highest = np.maximum.accumulate(np.append(np.int64(-1), numbers))
        fits = ((numbers >= 0) & (numbers <= highest[:-1] + 1)).all()
        self.require(fits, f"{name} is not numbered in the order of first appearance")
        return int(highest[-1]) + 1

    def codes(self, name: str, length: int, names: Sequence[str]) -> Codes:
        """Read codes that refer to a table of names."""
        found = self.array(name, CODES, length)
        self.require(not found.size or int(found.max()) < len(names), f"{name} has codes out of range")
        return found

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Check that a table of names is sorted and without duplicates, so that codes are canonical."""
        in_order = all(special_last(a) < special_last(b) for a, b in pairwise(names))
        self.require(in_order, "names are not in order")
        return tuple(names)

    def offsets(self, name: str, owners: int | None = None) -> Rows:
        """Read offsets: starting at 0, non-decreasing, one more than there are owners."""
        found = self.array(name, ("int64",), None if owners is None else owners + 1)
        fits = len(found) and found[0] == 0 and (np.diff(found) >= 0).all()
        self.require(fits, f"{name} has invalid offsets")
        return found

    def places(self, name: str, length: int, beyond: int) -> Codes:
        """Read positions in a buffer or table: from 0 to a limit."""
        found = self.array(name, INTEGERS, length)
        self.require(
            not found.size or (found.min() >= 0 and int(found.max()) < beyond), f"{name} has positions out of range"
        )
        return found

    def column(self, entry: ColumnEntry, length: int) -> Column:
        """Read a column of any type."""
        found = self.array(entry.values, _ALLOWED_TYPES[entry.type], length)
        if entry.type != "text":
            self.require(entry.names is None and entry.missing is None, "a column that is not text has names")
            return found
        if entry.names is None:
            self.refuse("a text column has no names")
        names = self._read_names(entry.names) if isinstance(entry.names, str) else entry.names
        try:
            return TextColumn(found, tuple(names), entry.missing)
        except ValueError as problem:
            self.refuse(f"{entry.values}: {problem}")

    def _read_names(self, file: str) -> list[str]:
        """Read names from a separate file."""
        try:
            return msgspec.json.decode(self.bytes(file), type=list[str])
        except (msgspec.MsgspecError, ValueError, RecursionError) as problem:
            self.refuse(f"{file}: {problem}")

    def read_again(self, entry: ColumnEntry, length: int) -> Column:
        """Read a released column again without retaining it."""
        found = self.column(entry, length)
        self.forget([entry.values])
        return found

    def statistic(self, name: str) -> NDArray[np.float64]:
        """Read a statistic: finite numbers of shape (units, runs) or (units, runs, labels)."""
        if name not in self._known:
            self._known[name] = self._load(name)
        found = self._known[name]
        shape = (self.manifest.units, len(self.manifest.runs))
        fits = found.dtype == np.float64 and found.ndim in {2, 3} and found.shape[:2] == shape
        self.require(fits and np.isfinite(found).all(), f"{name} is not a statistic of {shape[0]} units")
        return found

    @cached_property
    def sentences(self) -> int:
        """The number of sentences of the corpus; unlimited if there are no texts."""
        if self.manifest.unit in PIECES:
            return self.manifest.units
        if not self.manifest.texts:
            return 2**31
        return sum(len(self.offsets(text.sentences)) - 1 for text in self.manifest.texts)

    @cached_property
    def own(self) -> int:
        """The number of the key's documents; documents after these may have mentions, but no text."""
        if not (self.manifest.texts and self.manifest.chains):
            return len(self.manifest.documents)
        return sum(len(text.names) for text in self.manifest.texts)


# The tables of a saved result: sites, items, spans and mentions.
#
# Every table must be one that an evaluation could have produced, so that findings need no checks of their own.


_CLAIMED_TYPES = ("bool", "float64", *INTEGERS)
_MAX_AMOUNT = 2.0**53
_MAX_SOURCES = 5  # with that of none


class Tables:
    """Reads sites, items, spans and mentions; tables that several views share are read once.

    Args:
        reader: the reader of the folder.
        rows: the number of rows of each document.
        units: the resampling units.
        lazy: whether attributes are checked now and read again on demand, as for parts of a large result: few findings
            use them, and together they are larger than all other columns.

    """

    def __init__(self, reader: Reader, rows: NDArray[np.int64], units: Units, *, lazy: bool = False) -> None:
        self.reader = reader
        self.rows = rows
        self.units = units
        self.lazy = lazy
        self._known_claims: dict[int, Claims] = {}
        self._known_chains: dict[int, Chains] = {}

    @property
    def _run_count(self) -> int:
        return len(self.reader.manifest.runs)

    # Sites

    def sites(self, entry: SitesEntry, chains: Chains | None) -> Sites:
        """Read the sites of a view without spans; where they are mentions, they are in the order of these."""
        reader = self.reader
        names = reader.names(entry.names)
        length = len(reader.array(entry.document, ("int32",)))
        if entry.parts is not None:
            reader.require(len(entry.parts) == len(names), "the number of label sets is not that of values")
        rows = self.rows if chains is None else self._mention_room
        document, sentence, place = self._read_positions(entry, length, rows, ordered=chains is None)
        return Sites(
            document=document,
            sentence=sentence,
            place=place,
            key=reader.codes(entry.key, length, names),
            values=self._read_run_codes(entry.values, length, names),
            names=names,
            parts=None if entry.parts is None else tuple(tuple(part) for part in entry.parts),
            attributes={name: self._read_attribute(each, length) for name, each in entry.attributes.items()},
            aspects={name: self._read_aspect(each, length) for name, each in entry.aspects.items()},
            width=None if entry.width is None else self._read_widths(entry.width, rows[document] - place),
            folded=None if entry.folded is None else self._read_folded(entry.folded, names),
        )

    def _read_folded(self, entry: FoldedEntry, names: tuple[str, ...]) -> Folded:
        """Read the folded sites, by kind; their places are their row numbers, and all runs are correct there."""
        reader, kinds = self.reader, entry.sites
        length = len(reader.array(kinds.document, ("int32",)))
        document = reader.indices(kinds.document, length, len(self.rows))
        count = reader.array(entry.count, ("int64",), length)
        reader.require((count > 0).all(), "there are empty kinds of folded sites")
        reader.require(tuple(kinds.names) == names and kinds.folded is None, "folded sites do not match the view")
        plain = kinds.width is None and not kinds.aspects
        reader.require(plain, "folded sites have widths or aspects")
        sites = Sites(
            document=document,
            sentence=reader.indices(kinds.sentence, length, reader.sentences + (reader.own < len(self.rows))),
            place=reader.indices(kinds.place, length, max(length, 1)),
            key=reader.codes(kinds.key, length, names),
            values=self._read_run_codes(kinds.values, length, names),
            names=names,
            parts=None if kinds.parts is None else tuple(tuple(part) for part in kinds.parts),
            attributes={name: self._read_attribute(each, length) for name, each in kinds.attributes.items()},
        )
        reader.require(np.array_equal(sites.place, np.arange(length)), "folded sites are not numbered")
        reader.require(not len(sites.contested), "a run is wrong at a folded site")
        return Folded(sites, count)

    def _read_positions(
        self,
        entry: SitesEntry | ItemsEntry | ChainsEntry | CandidatesEntry,
        length: int,
        rows: NDArray[np.int64],
        *,
        ordered: bool,
    ) -> Places:
        """Read the positions of sites, items, mentions or tuples, and check that each is inside its document."""
        reader = self.reader
        read = reader.ordered if ordered else reader.indices
        document = read(entry.document, length, len(rows))
        sentence = read(entry.sentence, length, reader.sentences + (reader.own < len(rows)))
        place = reader.indices(entry.place, length, 2**31)
        reader.require((place < rows[document]).all(), f"{entry.place} has positions after the end of a document")
        return document, sentence, place

    def _read_widths(self, name: str, room: NDArray[np.int64]) -> NDArray[np.int32]:
        """Read widths in rows: at least one, and not more than fit in the document."""
        found = self.reader.array(name, ("int32",), len(room))
        self.reader.require(((found >= 1) & (found <= room)).all(), f"{name} extends beyond the end of a document")
        return found

    def _read_aspect(self, entry: AspectEntry, length: int) -> Aspect:
        names = self.reader.names(entry.names)
        values = self._read_run_codes(entry.values, length, names)
        return Aspect(self.reader.codes(entry.key, length, names), values, names, entry.points)

    def _read_attribute(self, entry: ColumnEntry, length: int) -> Attribute:
        reader, column = self.reader, self.reader.column(entry, length)
        return Attribute(entry.type, partial(reader.read_again, entry, length) if self.lazy else lambda: column)

    def _read_run_codes(self, files: Sequence[str], length: int, names: Sequence[str]) -> tuple[Codes, ...]:
        self._require_one_per_run(files)
        return tuple(self.reader.codes(name, length, names) for name in files)

    def _require_one_per_run(self, files: Sequence[str]) -> None:
        self.reader.require(len(files) == self._run_count, "the number of columns is not that of runs")

    # Spans

    def claims(self, number: int) -> Claims:
        """Return the spans of a view."""
        if number not in self._known_claims:
            self._known_claims[number] = self._read_claims(number)
        return self._known_claims[number]

    def _read_claims(self, number: int) -> Claims:
        """Read the spans of a view, and check that an evaluation could have produced them."""
        reader = self.reader
        reader.require(number < len(reader.manifest.claims), "the spans of a view are missing")
        entry = reader.manifest.claims[number]
        names = reader.names(entry.names)
        length = len(reader.array(entry.document, ("int32",)))
        document, sentence, place, width = self._read_span_positions(entry, length)
        begin, end = (reader.array(name, ("int64",), length) for name in (entry.begin, entry.end))
        reader.require(((begin >= 0) & (end >= begin)).all(), f"{entry.end} ends before {entry.begin} begins")
        self._require_one_per_run(entry.runs)
        counts = [reader.array(name, ("int32",), length) for name in (entry.key, *entry.runs)]
        reader.require(all((count >= 0).all() for count in counts), "a span has a negative count")
        reader.require(np.any(np.stack(counts) > 0, axis=0).all(), "a span is in neither the key nor any run")
        label = reader.codes(entry.label, length, names)
        fragments = None if entry.fragments is None else self._read_fragments(entry.fragments, begin, end)
        pieces = fragmentation_codes(length, fragments, number_fragmentations([fragments]))
        reader.require(
            _is_strictly_increasing([document, begin, end, pieces, label]),
            "spans are not in order, or duplicate",
        )
        found = Claims(
            document=document,
            sentence=sentence,
            place=place,
            width=width,
            begin=begin,
            end=end,
            pieces=pieces,
            fragments=fragments,
            label=label,
            names=names,
            key=shrink_integers(counts[0]),
            runs=tuple(map(shrink_integers, counts[1:])),
            attributes={name: self._read_attribute(each, length) for name, each in entry.attributes.items()},
        )
        try:
            if entry.agreed is not None:
                found = replace(found, agreed=self._read_agreed(entry.agreed, found))
            _ = found.site
        except ReadError:
            raise
        except InputError as problem:  # positions outside all documents
            reader.refuse(problem.what)
        return found

    def _read_agreed(self, entry: AgreedEntry, claims: Claims) -> Claims:
        """Read the spans that the key and all runs have, and check that each is alone at its site."""
        reader = self.reader
        length = len(reader.array(entry.document, ("int32",)))
        document, sentence, place, width = self._read_span_positions(entry, length)
        begin, end = (reader.array(name, ("int64",), length) for name in (entry.begin, entry.end))
        reader.require(((begin >= 0) & (end >= begin)).all(), f"{entry.end} ends before {entry.begin} begins")
        found = agreed_spans(
            replace(
                claims,
                document=document,
                sentence=sentence,
                place=place,
                width=width,
                begin=begin,
                end=end,
                label=reader.codes(entry.label, length, claims.names),
                attributes={name: self._read_attribute(each, length) for name, each in entry.attributes.items()},
            )
        )
        reader.require(length > 0, "the table of spans shared by the key and all runs is empty")
        reader.require(
            _is_strictly_increasing([document, begin, end]), "spans shared by the key and all runs are not in order"
        )
        reader.require(
            _is_strictly_increasing([document, place, np.arange(length)]), f"{entry.place} is not in the order of spans"
        )
        reader.require(find_isolated(claims, found), "a span shared by the key and all runs overlaps another")
        return found

    def _read_span_positions(self, entry: ClaimsEntry | AgreedEntry, length: int) -> tuple[NDArray[np.int32], ...]:
        reader, rows = self.reader, self._span_room
        document = reader.ordered(entry.document, length, len(rows))
        sentence = reader.ordered(entry.sentence, length, max(reader.sentences, 1))
        place = reader.indices(entry.place, length, 2**31)
        return document, sentence, place, self._read_widths(entry.width, rows[document] - place)

    def tuples(self, entry: CandidatesEntry, length: int) -> tuple[NDArray[np.int32], ...]:
        """Read the positions and widths of tuples."""
        document, sentence, place = self._read_positions(entry, length, self._span_room, ordered=False)
        return document, sentence, place, self._read_widths(entry.width, self._span_room[document] - place)

    @property
    def _span_room(self) -> NDArray[np.int64]:
        """The maximum end of spans in each document; in documents without rows, spans are at a virtual row."""
        return np.maximum(self.rows, 1)

    def _read_fragments(self, entry: FragmentsEntry, begin: Rows, end: Rows) -> Fragments:
        reader = self.reader
        span = reader.array(entry.span, ("int64",))
        fits = span.size and span.min() >= 0 and span.max() < len(begin)
        reader.require(fits, f"{entry.span} has span numbers out of range")
        first, last = (reader.array(name, ("int64",), len(span)) for name in (entry.begin, entry.end))
        inside = (first >= begin[span]) & (last >= first) & (last <= end[span])
        reader.require(inside.all(), "a piece of a span is not inside it")
        return Fragments(span, first, last)

    # Mentions

    def chains(self, number: int) -> Chains:
        """Return the mentions of a view."""
        if number not in self._known_chains:
            self._known_chains[number] = self._read_chains(number)
        return self._known_chains[number]

    def _read_chains(self, number: int) -> Chains:
        """Read the mentions of all sides, and check that an evaluation could have produced them."""
        reader = self.reader
        reader.require(number < len(reader.manifest.chains), "the mentions of a view are missing")
        reader.require(self.units.kind in {"document", "topic"}, "chains require documents or topics as units")
        entry = reader.manifest.chains[number]
        length = len(reader.array(entry.document, ("int32",)))
        document, sentence, place = self._read_positions(entry, length, self._mention_room, ordered=False)
        width = self._read_widths(entry.width, self._mention_room[document] - place)
        fits = np.array_equal(document >= reader.own, sentence == reader.sentences)
        reader.require(fits, f"{entry.sentence} does not match the documents of mentions")
        unit = document if self.units.of_document is None else self.units.of_document[document]
        reader.require(_is_strictly_increasing([unit, document, place, np.arange(length)]), "mentions are not in order")
        self._require_one_per_run(entry.runs)
        key, *runs = (self._read_chain_numbers(name, unit) for name in (entry.key, *entry.runs))
        there = np.any(np.stack([key, *runs]) != NO_CHAIN, axis=0)
        reader.require(there.all(), "a mention is in neither the key nor any run")
        pieces = None if entry.pieces is None else self._read_pieces(entry.pieces, document)
        candidates = {name: reader.array(file, ("bool",), length) for name, file in entry.candidates.items()}
        return Chains(
            document=document,
            sentence=sentence,
            place=place,
            width=width,
            unit=unit,
            key=key,
            runs=tuple(runs),
            pieces=pieces,
            candidates=candidates,
        )

    @property
    def _mention_room(self) -> NDArray[np.int64]:
        """The maximum end of mentions in each document; empty ones may be after its last row."""
        return self.rows + 1

    def _read_pieces(self, entry: FragmentsEntry, document: NDArray[np.int32]) -> Fragments:
        """Read the pieces of discontinuous mentions, and check their order and that they are inside their documents."""
        reader = self.reader
        mention = reader.array(entry.span, ("int64",))
        begin, end = (reader.array(name, ("int64",), len(mention)) for name in (entry.begin, entry.end))
        reader.require(
            _is_strictly_increasing([mention, begin, end, np.arange(len(mention))]),
            "pieces of mentions are not in order",
        )
        fits = mention.size and mention[0] >= 0 and mention[-1] < len(document)
        reader.require(fits, f"{entry.span} has mention numbers out of range")
        inside = (begin >= 0) & (end >= begin) & (end <= self._mention_room[document[mention]])
        reader.require(inside.all(), "a piece of a mention is not inside its document")
        return Fragments(mention, begin, end)

    def _read_chain_numbers(self, name: str, unit: NDArray[np.int32]) -> Rows:
        """Read the chain number of each mention; chains are numbered by first mention, and each is in one unit."""
        found = self.reader.array(name, ("int64",), len(unit))
        there = np.flatnonzero(found != NO_CHAIN)
        owner = chain_units(found, unit, self.reader.numbered(name, found[there]))
        within = (owner[found[there]] == unit[there]).all()
        self.reader.require(within, f"{name} has a chain in two documents or topics")
        return found

    def mention(self, name: str | None, chains: Chains | None, sites: Sites | None) -> Rows | None:
        """Read the mention of each site, and check their order and that both have the same position."""
        reader = self.reader
        reader.require((name is None) == (chains is None), "sites do not match mentions")
        if name is None or chains is None:
            return None
        if sites is None:
            reader.refuse("mentions have no sites")
        found: Rows = reader.array(name, ("int64",), len(sites))
        fits = not found.size or (found.min() >= 0 and found.max() < len(chains))
        reader.require(fits, f"{name} has mention numbers out of range")
        reader.require(_is_strictly_increasing([found]), f"{name} is not in order, or has duplicate mentions")
        for column in ("document", "sentence", "place", "width"):
            same = np.array_equal(getattr(sites, column), getattr(chains, column)[found])
            reader.require(same, f"the {column} of a site is not that of its mention")
        return found

    # Items

    def items(self, entry: ItemsEntry, claims: Claims | None, sites: Sites | None = None) -> Items:
        """Read items; where a view has spans, each item is one of them."""
        reader = self.reader
        reader.require((entry.claim is None) == (claims is None), "items do not match spans")
        length = len(reader.array(entry.document, ("int32",)))
        reader.require(len(set(entry.names)) == len(entry.names), "duplicate label name")
        rows = self.rows if claims is None else self._span_room
        where = self._read_positions(entry, length, rows if entry.site is None else self._mention_room, ordered=False)
        found = Items(
            document=where[0],
            sentence=where[1],
            place=where[2],
            label=reader.codes(entry.label, length, entry.names),
            names=tuple(entry.names),
            positive=reader.array(entry.positive, ("bool",), length),
            claimed=tuple(self._read_amounts(name, length, _CLAIMED_TYPES) for name in entry.claimed),
            credit=self._read_optional_amounts(entry.credit, length),
            earned=self._read_optional_amounts(entry.earned, length),
            weight=self._read_optional_amounts(entry.weight, length),
            claim=None if entry.claim is None or claims is None else self._read_claim_rows(entry.claim, length, claims),
            outcomes=None if entry.outcomes is None else self._read_outcomes(entry.outcomes, length),
            by_run=None
            if entry.by_run is None or claims is None
            else self._read_claims_by_run(entry.by_run, length, claims),
            site=None if entry.site is None or sites is None else self._read_site_rows(entry.site, length, sites),
            folded=None if entry.folded is None else self._read_folded_items(entry, entry.folded, claims),
        )
        agreed = claims is not None and claims.agreed is not None
        reader.require(
            agreed == (entry.folded is not None), "folded items do not match the spans shared by the key and all runs"
        )
        self._require_one_per_run(entry.claimed)
        self._check_credit(found)
        if claims is not None:
            self._check_spans(found, claims)
        if sites is not None and found.site is not None:
            self._check_sites(found, sites)
        return found

    def _read_folded_items(
        self, entry: ItemsEntry, folded: FoldedItemsEntry, claims: Claims | None
    ) -> FoldedItems | None:
        """Read the folded items, one for each span that the key and all runs have."""
        agreed = None if claims is None else claims.agreed
        if agreed is None:
            return None  # refused by `items`
        length, outcomes = len(agreed), entry.outcomes
        absent = {(outcomes is None), folded.verdict is None, folded.rule is None}
        self.reader.require(len(absent) == 1, "folded items have other outcome columns than the items")
        if outcomes is not None:
            outcomes = msgspec.structs.replace(outcomes, verdict=folded.verdict or [], rule=folded.rule or [])
        return FoldedItems(
            document=agreed.document,
            sentence=agreed.sentence,
            label=self.reader.codes(folded.label, length, entry.names),
            count=np.broadcast_to(np.int64(1), length),
            outcomes=None if outcomes is None else self._read_outcomes(outcomes, length),
        )

    def surplus(self, entry: ItemsEntry) -> Items:
        """Read surplus items: claimed or not, without other columns."""
        found = self.items(entry, None)
        bare = all(each is None for each in (found.credit, found.earned, found.weight, found.outcomes, entry.site))
        self.reader.require(bare and not found.positive.any(), "a surplus item is positive")
        truths = all(claimed.dtype == np.bool_ for claimed in found.claimed)
        self.reader.require(truths, "a surplus item is claimed more than once")
        return found

    def _read_amounts(self, name: str, length: int, types: Sequence[str] = ("float64",)) -> NDArray[Any]:
        """Read amounts: non-negative, finite, and small enough that adding 1 is exact."""
        found = self.reader.array(name, types, length)
        self.reader.require(((found >= 0) & (found <= _MAX_AMOUNT)).all(), f"{name} has invalid amounts")
        return found

    def _read_optional_amounts(
        self, files: Sequence[str] | None, length: int
    ) -> tuple[NDArray[np.float64], ...] | None:
        if files is None:
            return None
        self._require_one_per_run(files)
        return tuple(self._read_amounts(name, length) for name in files)

    def _check_credit(self, items: Items) -> None:
        """Check that no run gets more credit than the weight of an item; credit given by rules is not limited."""
        if items.credit is not None and items.outcomes is None:
            fits = all(
                (credit <= (1.0 if items.weight is None else items.weight[run])).all()
                for run, credit in enumerate(items.credit)
            )
            self.reader.require(fits, "credit is not between 0 and 1")

    def _read_claim_rows(self, name: str, length: int, claims: Claims) -> Rows:
        found = self.reader.array(name, ("int64",), length)
        fits = not found.size or (found.min() >= 0 and found.max() < len(claims))
        self.reader.require(fits, f"{name} has span numbers out of range")
        return found

    def _read_claims_by_run(self, names: Sequence[str], length: int, claims: Claims) -> tuple[Rows, ...]:
        """Read the span by which each run claims an item, or -1; the run must have that span."""
        self._require_one_per_run(names)
        found = tuple(self.reader.array(name, ("int64",), length) for name in names)
        for name, column, counts in zip(names, found, claims.runs, strict=True):
            inside = ((column >= -1) & (column < len(claims))).all()
            self.reader.require(
                inside and (counts[column[column >= 0]] > 0).all(), f"{name} has spans that the run does not have"
            )
        return found

    def _check_spans(self, items: Items, claims: Claims) -> None:
        """Check that items have the positions of their spans, and that positive ones are spans of the key."""
        claim = items.claim
        for name in ("document", "sentence", "place"):
            same = np.array_equal(getattr(items, name), getattr(claims, name)[claim])
            self.reader.require(same, f"the {name} of an item is not that of its span")
        self.reader.require((claims.key[claim][items.positive] > 0).all(), "a positive item is not a span of the key")

    def _read_site_rows(self, name: str, length: int, sites: Sites) -> Rows:
        """Read the site of each item, in the order of sites."""
        found = self.reader.array(name, ("int64",), length)
        rising = _is_strictly_increasing([found, np.arange(length)])
        fits = not found.size or (rising and found[0] >= 0 and found[-1] < len(sites))
        self.reader.require(fits, f"{name} has site numbers out of range, or is not in order")
        return found

    def _check_sites(self, items: Items, sites: Sites) -> None:
        """Check that items have the positions of their sites."""
        for name in ("document", "sentence", "place"):
            same = np.array_equal(getattr(items, name), getattr(sites, name)[items.site])
            self.reader.require(same, f"the {name} of an item is not that of its site")

    def _read_outcomes(self, entry: OutcomesEntry, length: int) -> Outcomes:
        for names in (entry.verdicts, entry.rules):
            fits = names[:1] == [""] and len(set(names)) == len(names)
            self.reader.require(
                fits, "the names of outcomes or rules do not begin with an empty one, or have duplicates"
            )
        sources = entry.sources
        fits = sources is None or (
            len(sources) == len(entry.verdicts) and sources[0] == "" and len(set(sources)) <= _MAX_SOURCES
        )
        self.reader.require(fits, "the sources of errors are not one for each outcome, or are too many")
        return Outcomes(
            verdict=self._read_run_codes(entry.verdict, length, entry.verdicts),
            verdicts=tuple(entry.verdicts),
            rule=self._read_run_codes(entry.rule, length, entry.rules),
            rules=tuple(entry.rules),
            sources=None if entry.sources is None else tuple(entry.sources),
        )


def _is_strictly_increasing(columns: Sequence[Codes]) -> bool:
    """Whether rows are strictly increasing in lexicographic order of the columns."""
    rises, level = np.zeros(max(len(columns[0]) - 1, 0), np.bool_), True
    for column in columns:
        rises |= level & (column[1:] > column[:-1])
        level &= column[1:] == column[:-1]
    return bool(rises.all())


# The tuples of a saved result and their probabilities.


_SLACK = 1e-5
"""The tolerance for sums of probabilities above 1; more than that of the format readers."""


def read_candidates(
    tables: Tables, entries: Sequence[CandidatesEntry] | None, claims: Claims | None
) -> tuple[Candidates, ...] | None:
    """Read the tuples of each run; its hard output must agree with its spans."""
    if entries is None:
        return None
    reader = tables.reader
    if claims is None:
        reader.refuse("tuples have no spans")
    reader.require(len(entries) == len(claims.runs), "the number of tuple tables is not that of runs")
    found = tuple(_read_run_candidates(tables, entry) for entry in entries)
    for run, candidates in enumerate(found):
        _check_decided(reader, candidates, claims, run)
    return found


def _read_run_candidates(tables: Tables, entry: CandidatesEntry) -> Candidates:
    reader = tables.reader
    names = reader.names(entry.names)
    length = len(reader.array(entry.document, ("int32",)))
    document, sentence, place, width = tables.tuples(entry, length)
    text = reader.column(entry.text, length)
    if not isinstance(text, TextColumn):
        reader.refuse("the text of tuples is not a text column")
    begin, end = (reader.array(each, ("int64",), length) for each in (entry.begin, entry.end))
    reader.require(((begin >= 0) & (begin <= end)).all(), f"{entry.end} ends before it begins")
    beliefs = _read_beliefs(reader, entry, length)
    first = document[beliefs.offsets[:-1]]
    reader.require(np.array_equal(document, first[beliefs.block]), f"{entry.document} has a block in two documents")
    reader.require((np.diff(first) >= 0).all(), f"{entry.document} is not in order")
    return Candidates(
        document=document,
        sentence=sentence,
        place=place,
        width=width,
        begin=begin,
        end=end,
        label=reader.codes(entry.label, length, names),
        names=names,
        text=text,
        correct=reader.array(entry.correct, ("bool",), length),
        decided=reader.array(entry.decided, ("bool",), length),
        beliefs=beliefs,
        tied=None if entry.tied is None else reader.array(entry.tied, ("bool",), len(beliefs.nothing)),
    )


def _read_beliefs(reader: Reader, entry: CandidatesEntry, length: int) -> Beliefs:
    block = reader.array(entry.block, ("int64",), length)
    blocks = reader.numbered(entry.block, block)
    reader.require((np.diff(block) >= 0).all(), f"{entry.block} is not in order")
    alternative = reader.array(entry.alternative, ("int64",), length)
    spans = reader.numbered(entry.alternative, alternative)
    owner = np.zeros(spans, np.int64)
    owner[alternative] = block
    reader.require(np.array_equal(owner[alternative], block), f"{entry.alternative} has a span in two blocks")
    weight, nothing = (
        _read_probabilities(reader, entry.weight, length),
        _read_probabilities(reader, entry.nothing, blocks),
    )
    worlds = None if entry.worlds is None else _read_worlds(reader, entry.worlds, block)
    found = Beliefs(
        weight=weight,
        entity=_read_probabilities(reader, entry.entity, length),
        alternative=alternative,
        block=block,
        nothing=nothing,
        worlds=worlds,
        policies=dict(entry.policies),
    )
    fits = (np.bincount(block, weight, blocks) + nothing)[found.exclusive] <= 1 + _SLACK
    reader.require(fits.all(), f"{entry.weight} sums to more than one")
    return found


def _read_worlds(reader: Reader, entry: WorldsEntry, block_of: Rows) -> Worlds:
    """Read worlds, and check that their members are distinct tuples of their blocks."""
    block = reader.array(entry.block, ("int64",))
    fits = block.size and (np.diff(block) >= 0).all() and block[0] >= 0 and block[-1] <= block_of.max(initial=-1)
    reader.require(fits, f"{entry.block} has block numbers out of range, or is not in order")
    probability = _read_probabilities(reader, entry.probability, len(block))
    reader.require((np.bincount(block, probability) <= 1 + _SLACK).all(), f"{entry.probability} sums to more than one")
    offsets = reader.offsets(entry.offsets, len(block))
    member = reader.array(entry.member, ("int64",), int(offsets[-1]))
    inside = not member.size or (member.min() >= 0 and member.max() < len(block_of))
    reader.require(inside, f"{entry.member} has tuple numbers out of range")
    found = Worlds(block, probability, offsets, member)
    reader.require(np.array_equal(block_of[member], block[found.world]), f"{entry.member} has tuples of another block")
    places = np.unique(np.stack([found.world, member]), axis=1)
    reader.require(places.shape[1] == len(member), f"{entry.member} has duplicate tuples in a world")
    return found


def _read_probabilities(reader: Reader, name: str, length: int) -> NDArray[np.float64]:
    """Read probabilities."""
    found = reader.array(name, ("float64",), length)
    reader.require(((found >= 0) & (found <= 1 + _SLACK)).all(), f"{name} has invalid probabilities")
    return found


def _check_decided(reader: Reader, candidates: Candidates, claims: Claims, run: int) -> None:
    """Check that each document has as many tuples in the hard output, and correct ones, as spans of the run."""
    documents = len(reader.manifest.documents)
    spans = claims.runs[run]
    for tuples, counts in (
        (candidates.decided, spans),
        (candidates.decided & candidates.correct, np.where(claims.key > 0, spans, 0)),
    ):
        mine = np.bincount(candidates.document[tuples], minlength=documents)
        theirs = np.bincount(claims.document, counts, documents)
        reader.require(
            np.array_equal(mine, theirs), "the tuples of the hard output do not match the spans of their run"
        )
