"""The reader of result folders: texts and their sources, units, views, and checks of their consistency."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec
import numpy as np

from comparanda.core.excerpts import Side, TextPart, Texts, Words
from comparanda.core.measures import is_computable, parse_measure
from comparanda.core.places import Note, Part, Source, Stretch
from comparanda.core.remote import path_of
from comparanda.core.text_columns import PADDING, TextColumn
from comparanda.core.verdicts import System, Units, Verdicts, View
from comparanda.errors import ReadError, UsageError
from comparanda.formats.files import load_files
from comparanda.storage.manifest import MANIFEST, PartsManifest, digest, read_manifest
from comparanda.storage.merge import merge
from comparanda.storage.table_reader import INTEGERS, PIECES, Reader, Tables, read_candidates

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from comparanda.core.claims import Claims
    from comparanda.core.sites import Sites
    from comparanda.core.text_columns import Codes, Rows
    from comparanda.result import Result
    from comparanda.storage.manifest import Manifest, PartEntry, SideEntry, SourceEntry, TextEntry, ViewEntry


Found = TypeVar("Found")


class _RecentCache(Generic[Found]):
    """A cache of the most recently used values, with a limit on their total size.

    Args:
        most: the maximum total size; the last value is retained whatever its size.
        size: computes the size of a value.

    """

    def __init__(self, most: int, size: Callable[[Found], int]) -> None:
        self._most = most
        self._size = size
        self._known: dict[object, Found] = {}

    def of(self, asker: object, read: Callable[[], Found]) -> Found:
        """Return the value of a requester, reading it if it is not cached."""
        found = self._known.pop(asker, None) or read()
        self._known[asker] = found
        while len(self._known) > 1 and sum(map(self._size, self._known.values())) > self._most:
            del self._known[next(iter(self._known))]
        return found


_WORD_CACHE: _RecentCache[Words] = _RecentCache(8, lambda _: 1)
"""The word positions of the last eight parts."""

_SOURCE_CACHE: _RecentCache[Source] = _RecentCache(256 << 20, lambda source: source.size)
"""The last sources, up to 256 MiB."""


def read_texts(reader: Reader, *, lazy: bool = False) -> Texts:
    """Read the word positions of all documents; lazily, for parts of a large result, when an excerpt needs them."""
    sources = [SavedSource(reader, entry, lazy=lazy) for entry in reader.manifest.sources]
    parts = tuple(_read_text_part(reader, entry, sources, lazy=lazy) for entry in reader.manifest.texts)
    sentences = sum(len(part.sentences) - 1 for part in parts)
    if parts and reader.manifest.unit in PIECES:
        reader.require(sentences == reader.manifest.units, "the number of units is not that of sentences or rows")
    return Texts(parts, reader.manifest.continued)


def _read_text_part(reader: Reader, entry: TextEntry, sources: list[SavedSource], *, lazy: bool) -> TextPart:
    documents, sentences = reader.offsets(entry.documents, len(entry.names)), reader.offsets(entry.sentences)
    reader.require(sentences[-1] == documents[-1], "sentences and documents have different ends")
    reader.require(
        (entry.start is None) == (entry.length is None) == (entry.words is None), "only some columns of words are given"
    )
    names = [each.name for each in entry.sides]
    reader.require(names == ["key", *reader.manifest.runs], "the sides are not the key and the runs")
    used = [each.source for each in entry.sides] + ([] if entry.words is None else [entry.words])
    reader.require(max(used, default=-1) < len(sources), "a side has a missing source")
    words = _WordLoader(reader, msgspec.structs.replace(entry, names=[]), documents, sources)
    if lazy:
        for name in _word_files(entry):
            reader.bytes(name)  # checks the digest
    else:
        words.read()
    known = reader.manifest.documents
    called = tuple(known if entry.names == known else entry.names)  # avoids a copy of many names
    return TextPart(
        documents=documents,
        names=called,
        sentences=sentences,
        words=words,
        by_line=entry.by_line,
        running=entry.running,
    )


class _WordLoader:
    """Loads word positions: immediately, or lazily with only those of the last few parts retained."""

    def __init__(self, reader: Reader, entry: TextEntry, documents: Rows, sources: list[SavedSource]) -> None:
        self.given = reader, entry, documents, sources
        self._words: Words | None = None

    def read(self) -> None:
        """Read the positions immediately, and retain them."""
        self._words = _read_words(*self.given)

    def __call__(self) -> Words:
        return _WORD_CACHE.of(self, self._read_lazily) if self._words is None else self._words

    def _read_lazily(self) -> Words:
        reader, entry, *_ = self.given
        words = _read_words(*self.given)
        reader.forget(_word_files(entry))
        return words


def _word_files(entry: TextEntry) -> list[str]:
    """List the files with word positions."""
    names = [entry.start, entry.length, *(name for side in entry.sides for name in (side.offset, side.to_side))]
    return [name for name in names if name is not None]


def _read_words(reader: Reader, entry: TextEntry, documents: Rows, sources: list[SavedSource]) -> Words:
    rows = int(documents[-1])
    start = length = words = None
    if entry.start is not None and entry.length is not None and entry.words is not None:
        start, length = (reader.places(name, rows, 2**62) for name in (entry.start, entry.length))
        words = sources[entry.words]
        words.needs(int((start.astype(np.int64) + length).max(initial=0)))
    if entry.running:
        reader.require(
            start is not None and _is_in_order(start, documents), "the words of running text are not in order"
        )
    sides = tuple(_read_side(reader, each, rows, sources[each.source]) for each in entry.sides)
    return Words(start, length, words, sides)


def _is_in_order(start: Codes, documents: Rows) -> bool:
    """Whether the words of each document are in order."""
    back = np.flatnonzero(start[1:] < start[:-1]) + 1
    return bool(np.isin(back, documents).all())


def _read_side(reader: Reader, entry: SideEntry, rows: int, source: SavedSource) -> Side:
    own = rows if entry.to_side is None else len(reader.array(entry.offset, INTEGERS))
    offset = reader.places(entry.offset, own, 2**62)
    source.needs(int(offset.max(initial=0)))
    to_side = None
    if entry.to_side is not None:
        to_side = reader.array(entry.to_side, ("int64",), rows)
        fits = not to_side.size or (to_side.min() >= -1 and to_side.max() < own)
        reader.require(fits, f"{entry.to_side} has indices out of range")
    return Side(entry.name, source, offset, to_side)


class SavedSource:
    """The source bytes of a saved result, read when an excerpt first needs them."""

    def __init__(self, reader: Reader, entry: SourceEntry, *, lazy: bool = False) -> None:
        self.reader = reader
        self.entry = entry
        self._lazy = lazy
        self._size = 0
        begins = [part.begin for part in entry.parts]
        reader.require(begins[0] == 0 and begins == sorted(begins), "the files of a source are not in order")
        if entry.data is None:
            reader.require(all(part.path for part in entry.parts), "a source has neither file nor bytes")

    def needs(self, size: int) -> None:
        """Require a minimum number of bytes."""
        self._size = max(self._size, size, self.entry.parts[-1].begin)

    def kept(self) -> bytes | None:
        """Return the bytes, if they are stored in the folder."""
        return None if self.entry.data is None else self.reader.bytes(self.entry.data)

    def __call__(self) -> Source:
        """Return the bytes, and the offset at which each file begins."""
        return _SOURCE_CACHE.of(self, self._read) if self._lazy else self._source

    @cached_property
    def _source(self) -> Source:
        return self._read()

    @property
    def parts(self) -> tuple[Part, ...]:
        """The files of the source."""
        return tuple(map(_source_part, self.entry.parts))

    def _read(self) -> Source:
        parts = self.parts
        kept = self.kept()
        if kept is not None:
            source = Source(parts=parts, given=bytearray(kept + bytes(PADDING)), repaired=True)
        else:
            source = Source(parts=parts, given=self._load_files(parts))
        if digest(memoryview(source.data)[: source.size]) != self.entry.digest:
            raise ReadError(
                "the file has changed since the result was saved",
                where=parts[0].name,
                hint="compare again to see examples; the numbers in the folder are those of the old file",
            )
        self.reader.require(source.size >= self._size, "rows are beyond the end of their file")
        return source

    def _load_files(self, parts: tuple[Part, ...]) -> bytearray:
        for part in parts:
            if part.path is None or not part.path.is_file():
                raise ReadError(
                    "the file no longer exists",
                    where=part.name,
                    details=[f"it was {part.path}"],
                    hint="restore the file to see examples; the numbers in the folder are still valid",
                )
        return load_files([part.stretch or part.path for part in parts], side="saved").data


def _source_part(entry: PartEntry) -> Part:
    """Convert the entry of a file, or of a stretch of one, to a part of a source."""
    path, stretch = None if entry.path is None else path_of(entry.path), None
    if entry.stretch is not None and path is not None:
        given = entry.stretch
        stretch = Stretch(
            file=path,
            start=given.start,
            stop=given.stop,
            lines=given.lines,
            before=given.before,
            head=given.head.encode(),
        )
    return Part(entry.name, path, entry.begin, stretch)


# Systems, units, views and texts, each checked against the others.


def open_result(folder: str | os.PathLike[str]) -> Result:
    """Read a result that `Result.save` wrote.

    Args:
        folder: the folder.

    """
    from comparanda.result import Result

    path = Path(os.path.realpath(folder))
    manifest = read_manifest(path)
    if isinstance(manifest, PartsManifest):
        if outside := next((name for name in manifest.parts if Path(name).name != name or name == ".."), None):
            raise ReadError(f"the manifest names a part outside the folder: {outside!r}", where=str(path))
        verdicts = merge([open_part(path / name, known).verdicts for name, known in manifest.parts.items()])
        return Result(verdicts, manifest.resamples, manifest.seed, manifest.zero_division)
    return _read_result(path, manifest)


def open_part(folder: Path, known: str) -> Result:
    """Read a part of a result, given the digest of its manifest."""
    try:
        data = (folder / MANIFEST).read_bytes()
    except OSError:
        raise ReadError("a part of the result is missing", where=str(folder)) from None
    if digest(data) != known:
        raise ReadError("a part of the result has changed since it was saved", where=str(folder))
    manifest = read_manifest(folder)
    if isinstance(manifest, PartsManifest):
        raise ReadError("a part of the result has parts of its own", where=str(folder))
    return _read_result(folder, manifest, part=True)


def _read_result(path: Path, manifest: Manifest, *, part: bool = False) -> Result:
    from comparanda.result import Result

    reader = Reader(path, manifest)
    _check_systems(reader)
    texts, units = read_texts(reader, lazy=part), _read_units(reader)
    tables = Tables(reader, _document_rows(reader, texts), units, lazy=part)
    verdicts = Verdicts(
        task=manifest.task,
        systems=tuple(System(each.name, tuple(each.runs)) for each in manifest.systems),
        runs=tuple(manifest.runs),
        documents=tuple(manifest.documents),
        units=units,
        views={view.name: _read_view(reader, view, tables) for view in manifest.views},
        settings=manifest.settings,
        notes=tuple(Note(side, what, count, tuple(first)) for side, what, count, first in manifest.notes),
        texts=texts,
    )
    reader.require(len(verdicts.views) == len(manifest.views), "duplicate view name")
    for view in verdicts.views.values():
        needed = [name for each in view.measures for name in parse_measure(each).statistics]
        known = all(is_computable(verdicts, view, name) for name in needed)
        reader.require(known, f"a statistic that {view.name!r} needs is missing")
    if part:
        reader.release()
    return Result(verdicts, manifest.resamples, manifest.seed, manifest.zero_division)


def _check_systems(reader: Reader) -> None:
    """Check that each run belongs to one system, and that measures are known."""
    manifest = reader.manifest
    runs = [run for system in manifest.systems for run in system.runs]
    reader.require(sorted(runs) == list(range(len(manifest.runs))), "a run does not belong to exactly one system")
    reader.require(len(set(manifest.runs)) == len(manifest.runs), "duplicate run name")
    names = {system.name for system in manifest.systems}
    reader.require(len(names) == len(manifest.systems), "duplicate system name")
    for view in manifest.views:
        for name in view.measures:
            try:
                parse_measure(name)
            except UsageError as problem:
                reader.refuse(problem.what)


def _read_units(reader: Reader) -> Units:
    """Read the resampling units, and check their consistency."""
    manifest = reader.manifest
    if manifest.unit == "document" and manifest.topic_of is None:
        reader.require(manifest.units == len(manifest.documents), "the number of units is not that of documents")
    reader.require(
        manifest.unit == "document" or (manifest.unit == "topic") == (manifest.topic_of is not None),
        "only some columns of topics are given",
    )
    if manifest.topic_of is None:
        reader.require(not manifest.topics, "there are topics without documents")
        return Units(manifest.unit, manifest.units)
    of_document = reader.array(manifest.topic_of, ("int32",), len(manifest.documents))
    topics = reader.numbered(manifest.topic_of, of_document)
    reader.require(manifest.units == len(manifest.topics) == topics, "the number of units is not that of topics")
    if manifest.unit == "document":
        named = [manifest.topics[number] for number in of_document.tolist()]
        reader.require(named == list(manifest.documents), "the names of units are not those of documents")
    return Units(manifest.unit, manifest.units, tuple(manifest.topics), of_document)


def _document_rows(reader: Reader, texts: Texts) -> NDArray[np.int64]:
    """Return the number of rows of each document, as given by the texts; without texts there is no limit."""
    documents = reader.manifest.documents
    if not texts.parts:
        return np.full(len(documents), 2**31)
    if texts.continued:
        reader.require(len(documents) == 1, "pieces of one document have several document names")
        return np.array([sum(part.rows for part in texts.parts)])
    names = [name for part in texts.parts for name in part.names]
    reader.require(names == documents[: reader.own], "the texts have other documents than the result")
    beyond = np.full(len(documents) - reader.own, 2**31)
    return np.concatenate([*(np.diff(part.documents) for part in texts.parts), beyond])


def _read_view(reader: Reader, entry: ViewEntry, tables: Tables) -> View:
    reader.require(
        (entry.sites is None) != (entry.claims is None), "a view does not have exactly one of sites and spans"
    )
    chains = None if entry.chains is None else tables.chains(entry.chains)
    given = None if entry.sites is None else tables.sites(entry.sites, chains)
    claims = None if entry.claims is None else tables.claims(entry.claims)
    rows, attributes = _site_shape(given, claims)
    left_out = None if entry.left_out is None else reader.column(entry.left_out, rows)
    if left_out is not None and not isinstance(left_out, TextColumn):
        reader.refuse("reasons for leaving out sites are not strings")
    reader.require(set(entry.cuts) <= set(attributes), "a view is divided by a missing attribute")
    _check_folded(reader, entry, given, claims)
    _check_raised(reader, entry, given)
    known_views = {each.name for each in reader.manifest.views}
    reader.require(entry.finer is None or entry.finer in known_views, "a view is refined by a missing view")
    if entry.kinds is not None:
        reader.require(attributes.get(entry.kinds) == "text", "sites are named by a missing attribute")
    return View(
        name=entry.name,
        given_sites=given,
        measures=tuple(entry.measures),
        left_out=left_out,
        given_items=None if entry.items is None else tables.items(entry.items, claims, given),
        statistics={name: reader.statistic(file) for name, file in entry.statistics.items()},
        lost=frozenset(entry.lost),
        surplus=None if entry.surplus is None else tables.surplus(entry.surplus),
        cuts=tuple(entry.cuts),
        claims=claims,
        raised=entry.raised,
        kinds=entry.kinds,
        chains=chains,
        mention=tables.mention(entry.mention, chains, given),
        finer=entry.finer,
        candidates=read_candidates(tables, entry.candidates, claims),
    )


def _site_shape(given: Sites | None, claims: Claims | None) -> tuple[int, Mapping[str, str]]:
    """Return the number of a view's sites, and the types of their attributes, without building sites from spans."""
    if given is not None:
        return given.rows, {name: each.type for name, each in given.attributes.items()}
    assert claims is not None
    return int(claims.site.max(initial=-1)) + 1, claims.site_attributes


def _check_folded(reader: Reader, entry: ViewEntry, given: Sites | None, claims: Claims | None) -> None:
    """Check a folded view: no other data may refer to its folded sites."""
    agreed = claims is not None and claims.agreed is not None
    if agreed or (given is not None and given.folded is not None):
        others = (entry.left_out, entry.raised, entry.chains, entry.candidates, entry.surplus if agreed else None)
        alone = all(each is None for each in others) and (entry.items is not None) == agreed
        reader.require(alone, "other data refer to folded sites")


def _check_raised(reader: Reader, entry: ViewEntry, sites: Sites | None) -> None:
    """Check a view whose sites depend on the selected runs, so that it can be restricted to sites that these raise."""
    if entry.items is not None:
        placed = (entry.items.site is None) == (entry.raised is None)
        reader.require(placed, "items do not match the sites that runs raise")
    if entry.raised is not None:
        named = sites is not None and entry.raised in sites.names
        reader.require(named, "the key's value at sites that runs raise is not among the values")
        alone = entry.claims is None and entry.left_out is None and entry.surplus is None
        reader.require(alone, "sites that runs raise are built from spans, left out, or have surplus items")
