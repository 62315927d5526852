"""Result folders: one `.npy` file a column, names and settings as JSON, no pickle.

A folder is written to a temporary name and renamed, so it is there whole or not at all. Text stays
in the user's files: the folder keeps their paths, sizes and digests, and refuses excerpts from a
file that changed. What has no file (Python data, standard input) is kept in the folder.
"""

from __future__ import annotations

import io
import os
import secrets
import shutil
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from comparanda.columns import PADDING, Column, TextColumn
from comparanda.errors import ReadError, UsageError
from comparanda.excerpts import Side, TextPart, Texts
from comparanda.items import Items
from comparanda.manifest import (
    FOLDER_VERSION,
    INTEGERS,
    KIND,
    MANIFEST,
    AspectEntry,
    ColumnEntry,
    ItemsEntry,
    Manifest,
    PartEntry,
    Reader,
    SideEntry,
    SitesEntry,
    SourceEntry,
    SystemEntry,
    TextEntry,
    ViewEntry,
    digest,
    is_ours,
    read_manifest,
)
from comparanda.measures import can_be_told, measure
from comparanda.places import Note, Part, Source
from comparanda.read.files import load_files
from comparanda.sites import Aspect, Attribute, Sites
from comparanda.verdicts import System, Units, Verdicts, View
from comparanda.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.result import Result


def is_result_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a folder that `Result.save` wrote."""
    return (Path(path) / MANIFEST).is_file()


def save(result: Result, folder: str | os.PathLike[str]) -> None:
    """Write a result; an older result folder of the same name is replaced, anything else is refused."""
    target = Path(os.path.realpath(folder))
    if target.exists() and not is_ours(target) and (not target.is_dir() or any(target.iterdir())):
        raise ReadError("something else stands there already", where=str(target), hint="choose another folder")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = _beside(target)
        temporary.mkdir()
        try:
            _write(result, temporary)
            _put(temporary, target)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
    except OSError as problem:
        raise ReadError(f"the folder cannot be written: {problem.strerror or problem}", where=str(target)) from None


def _beside(target: Path) -> Path:
    return target.with_name(f".{target.name}-{secrets.token_hex(8)}")


def _put(temporary: Path, target: Path) -> None:
    """Rename the new folder to its name; the old one goes only when the new one stands."""
    if not target.exists():
        temporary.rename(target)
        return
    old = _beside(target)
    target.rename(old)
    try:
        temporary.rename(target)
    except BaseException:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


class _Writer:
    """Writes columns to a folder and notes down what the manifest must say of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, str] = {}
        self.sources: list[SourceEntry] = []
        self._known: dict[int, tuple[Any, Any]] = {}

    def array(self, values: NDArray[Any]) -> str:
        """Write an array, once, and return the name of its file."""
        if id(values) not in self._known:
            stream = io.BytesIO()
            np.save(stream, np.ascontiguousarray(values), allow_pickle=False)
            self._known[id(values)] = (values, self._file(stream.getbuffer(), "npy"))
        name: str = self._known[id(values)][1]
        return name

    def maybe(self, values: NDArray[Any] | None) -> str | None:
        """Write an array if there is one."""
        return None if values is None else self.array(values)

    def column(self, kind: str, column: Column) -> ColumnEntry:
        """Write a column of any type."""
        if isinstance(column, TextColumn):
            return ColumnEntry("text", self.array(column.codes), list(column.names), column.missing)
        return ColumnEntry("truth" if kind == "truth" else "number", self.array(column), None, None)

    def source(self, give: Callable[[], Source]) -> int:
        """Remember where bytes are, once, and return the number of their entry."""
        given: object = give if isinstance(give, _SavedSource) else give()
        if id(given) not in self._known:
            self.sources.append(self._source(given))
            self._known[id(given)] = (given, len(self.sources) - 1)
        number: int = self._known[id(given)][1]
        return number

    def _source(self, given: Any) -> SourceEntry:
        """Describe bytes; keep those that have no file, or that were repaired after reading."""
        if isinstance(given, _SavedSource):
            kept = given.kept()
            return SourceEntry(given.entry.parts, given.entry.digest, None if kept is None else self._file(kept, "bin"))
        source: Source = given
        files = all(part.path is not None for part in source.parts) and not source.repaired
        parts = [
            PartEntry(part.name, None if part.path is None else str(part.path.resolve()), part.begin)
            for part in source.parts
        ]
        data = bytes(memoryview(source.data)[: source.size])
        return SourceEntry(parts, digest(data), None if files else self._file(data, "bin"))

    def _file(self, data: bytes | memoryview, suffix: str) -> str:
        name = f"{len(self.files):04}.{suffix}"
        (self.folder / name).write_bytes(data)
        self.files[name] = digest(data)
        return name


def _write(result: Result, folder: Path) -> None:
    writer = _Writer(folder)
    verdicts = result.verdicts
    views = [_view(writer, view) for view in verdicts.views.values()]
    texts = [_text_part(writer, part) for part in verdicts.texts.parts]
    manifest = Manifest(
        kind=KIND,
        folder_version=FOLDER_VERSION,
        version=__version__,
        resamples=result.resamples,
        seed=result.seed,
        zero_division=result.zero_division,
        task=verdicts.task,
        systems=[SystemEntry(system.name, list(system.runs)) for system in verdicts.systems],
        runs=list(verdicts.runs),
        documents=list(verdicts.documents),
        unit=verdicts.units.kind,
        units=verdicts.units.count,
        settings=dict(verdicts.settings),
        notes=[(note.side, note.what, note.count, list(note.first)) for note in verdicts.notes],
        views=views,
        texts=texts,
        continued=verdicts.texts.continued,
        sources=writer.sources,
        files=writer.files,
    )
    (folder / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1))


def _view(writer: _Writer, view: View) -> ViewEntry:
    return ViewEntry(
        view.name,
        list(view.measures),
        _sites(writer, view.all_sites),
        None if view.left_out is None else writer.column("text", view.left_out),
        None if view.given_items is None else _items(writer, view.given_items),
        {name: writer.array(values) for name, values in view.statistics.items()},
        sorted(view.lost),
        None if view.surplus is None else _items(writer, view.surplus),
        list(view.cuts),
    )


def _sites(writer: _Writer, sites: Sites) -> SitesEntry:
    return SitesEntry(
        writer.array(sites.document),
        writer.array(sites.sentence),
        writer.array(sites.place),
        writer.array(sites.key),
        [writer.array(values) for values in sites.values],
        list(sites.names),
        None if sites.parts is None else [list(part) for part in sites.parts],
        {name: writer.column(each.type, each.make()) for name, each in sites.attributes.items()},
        {name: _aspect(writer, each) for name, each in sites.aspects.items()},
    )


def _aspect(writer: _Writer, aspect: Aspect) -> AspectEntry:
    values = [writer.array(each) for each in aspect.values]
    return AspectEntry(writer.array(aspect.key), values, list(aspect.names), aspect.points)


def _items(writer: _Writer, items: Items) -> ItemsEntry:
    return ItemsEntry(
        writer.array(items.document),
        writer.array(items.sentence),
        writer.array(items.place),
        writer.array(items.label),
        list(items.names),
        writer.array(items.positive),
        [writer.array(claimed) for claimed in items.claimed],
        None if items.credit is None else [writer.array(credit) for credit in items.credit],
    )


def _text_part(writer: _Writer, part: TextPart) -> TextEntry:
    return TextEntry(
        writer.array(part.documents),
        list(part.names),
        writer.array(part.sentences),
        writer.maybe(part.start),
        writer.maybe(part.length),
        None if part.words is None else writer.source(part.words),
        [
            SideEntry(side.name, writer.source(side.source), writer.array(side.offset), writer.maybe(side.to_side))
            for side in part.sides
        ],
        part.by_line,
    )


def open_result(folder: str | os.PathLike[str]) -> Result:
    """Read back what `Result.save` wrote.

    Args:
        folder: the folder.

    """
    from comparanda.result import Result

    path = Path(os.path.realpath(folder))
    manifest = read_manifest(path)
    reader = Reader(path, manifest)
    _check_systems(reader)
    texts = _read_texts(reader)
    places = _rows_of_documents(reader, texts)
    verdicts = Verdicts(
        task=manifest.task,
        systems=tuple(System(each.name, tuple(each.runs)) for each in manifest.systems),
        runs=tuple(manifest.runs),
        documents=tuple(manifest.documents),
        units=Units(manifest.unit, manifest.units),
        views={view.name: _read_view(reader, view, places) for view in manifest.views},
        settings=manifest.settings,
        notes=tuple(Note(side, what, count, tuple(first)) for side, what, count, first in manifest.notes),
        texts=texts,
    )
    reader.require(len(verdicts.views) == len(manifest.views), "two views have one name")
    for view in verdicts.views.values():
        needed = [name for each in view.measures for name in measure(each).statistics]
        known = all(can_be_told(verdicts, view, name) for name in needed)
        reader.require(known, f"a statistic that {view.name!r} needs is missing")
    return Result(verdicts, manifest.resamples, manifest.seed, manifest.zero_division)


def _check_systems(reader: Reader) -> None:
    """Check that each run belongs to one system, and that units are what they are said to be."""
    manifest = reader.manifest
    runs = [run for system in manifest.systems for run in system.runs]
    reader.require(sorted(runs) == list(range(len(manifest.runs))), "a run does not belong to just one system")
    reader.require(len(set(manifest.runs)) == len(manifest.runs), "two runs have one name")
    names = {system.name for system in manifest.systems}
    reader.require(len(names) == len(manifest.systems), "two systems have one name")
    if manifest.unit == "document":
        reader.require(manifest.units == len(manifest.documents), "there are not as many units as documents")
    for view in manifest.views:
        for name in view.measures:
            try:
                measure(name)
            except UsageError as problem:
                reader.refuse(problem.what)


def _rows_of_documents(reader: Reader, texts: Texts) -> NDArray[np.int64]:
    """Return how many rows each document has, as far as the texts say; without them there is no limit."""
    documents = reader.manifest.documents
    if not texts.parts:
        return np.full(len(documents), 2**31)
    if texts.continued:
        reader.require(len(documents) == 1, "pieces of one document are said to be several")
        return np.array([sum(part.rows for part in texts.parts)])
    names = [name for part in texts.parts for name in part.names]
    reader.require(names == documents, "the texts are not those of the documents")
    return np.concatenate([np.diff(part.documents) for part in texts.parts])


def _read_view(reader: Reader, entry: ViewEntry, rows: NDArray[np.int64]) -> View:
    sites = _read_sites(reader, entry.sites, rows)
    left_out = None if entry.left_out is None else reader.column(entry.left_out, len(sites))
    if left_out is not None and not isinstance(left_out, TextColumn):
        reader.refuse("reasons for leaving out are no texts")
    reader.require(set(entry.cuts) <= set(sites.attributes), "a view is to be cut by what is not there")
    return View(
        entry.name,
        sites,
        tuple(entry.measures),
        left_out,
        None if entry.items is None else _read_items(reader, entry.items, rows),
        {name: reader.statistic(file) for name, file in entry.statistics.items()},
        frozenset(entry.lost),
        None if entry.surplus is None else _read_surplus(reader, entry.surplus, rows),
        tuple(entry.cuts),
    )


def _read_surplus(reader: Reader, entry: ItemsEntry, rows: NDArray[np.int64]) -> Items:
    found = _read_items(reader, entry, rows)
    reader.require(not found.positive.any() and found.credit is None, "a surplus item is positive")
    return found


def _read_where(
    reader: Reader, entry: SitesEntry | ItemsEntry, rows: NDArray[np.int64], length: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Read where sites or items stand, and check that each place is inside its document."""
    sites = isinstance(entry, SitesEntry)
    read = reader.ordered if sites else reader.indices
    document = read(entry.document, length, len(rows))
    sentence = read(entry.sentence, length, reader.sentences)
    place = reader.indices(entry.place, length, 2**31)
    reader.require((place < rows[document]).all(), f"{entry.place} points behind its document")
    return document, sentence, place


def _read_sites(reader: Reader, entry: SitesEntry, rows: NDArray[np.int64]) -> Sites:
    names = reader.names(entry.names)
    length = len(reader.array(entry.document, ("int32",)))
    reader.require(len(entry.values) == len(reader.manifest.runs), "there are not as many columns as runs")
    if entry.parts is not None:
        reader.require(len(entry.parts) == len(names), "there are not as many sets of labels as values")
    return Sites(
        *_read_where(reader, entry, rows, length),
        reader.codes(entry.key, length, names),
        tuple(reader.codes(name, length, names) for name in entry.values),
        names,
        None if entry.parts is None else tuple(tuple(part) for part in entry.parts),
        {name: _read_attribute(reader, each, length) for name, each in entry.attributes.items()},
        {name: _read_aspect(reader, each, length) for name, each in entry.aspects.items()},
    )


def _read_aspect(reader: Reader, entry: AspectEntry, length: int) -> Aspect:
    names = reader.names(entry.names)
    reader.require(len(entry.values) == len(reader.manifest.runs), "there are not as many columns as runs")
    values = tuple(reader.codes(name, length, names) for name in entry.values)
    return Aspect(reader.codes(entry.key, length, names), values, names, entry.points)


def _read_attribute(reader: Reader, entry: ColumnEntry, length: int) -> Attribute:
    column = reader.column(entry, length)
    return Attribute(entry.type, lambda: column)


def _read_items(reader: Reader, entry: ItemsEntry, rows: NDArray[np.int64]) -> Items:
    length, runs = len(reader.array(entry.document, ("int32",))), len(reader.manifest.runs)
    reader.require(len(set(entry.names)) == len(entry.names), "two labels have one name")
    reader.require(len(entry.claimed) == runs, "there are not as many columns as runs")
    credit = None
    if entry.credit is not None:
        reader.require(len(entry.credit) == runs, "there are not as many columns as runs")
        credit = tuple(reader.array(name, ("float64",), length) for name in entry.credit)
        reader.require(all(((each >= 0) & (each <= 1)).all() for each in credit), "credit is not between 0 and 1")
    return Items(
        *_read_where(reader, entry, rows, length),
        reader.codes(entry.label, length, entry.names),
        tuple(entry.names),
        reader.array(entry.positive, ("bool",), length),
        tuple(reader.array(name, ("bool",), length) for name in entry.claimed),
        credit,
    )


def _read_texts(reader: Reader) -> Texts:
    sources = [_SavedSource(reader, entry) for entry in reader.manifest.sources]
    parts = tuple(_read_text_part(reader, entry, sources) for entry in reader.manifest.texts)
    sentences = sum(len(part.sentences) - 1 for part in parts)
    if parts and reader.manifest.unit != "document":
        reader.require(sentences == reader.manifest.units, "there are not as many units as sentences or rows")
    return Texts(parts, reader.manifest.continued)


def _read_text_part(reader: Reader, entry: TextEntry, sources: list[_SavedSource]) -> TextPart:
    documents, sentences = reader.offsets(entry.documents, len(entry.names)), reader.offsets(entry.sentences)
    rows = int(documents[-1])
    reader.require(sentences[-1] == rows, "sentences and documents do not end together")
    reader.require((entry.start is None) == (entry.length is None) == (entry.words is None), "words are half there")
    used = [each.source for each in entry.sides] + ([] if entry.words is None else [entry.words])
    reader.require(max(used, default=-1) < len(sources), "a side has no source")
    start = length = words = None
    if entry.start is not None and entry.length is not None and entry.words is not None:
        start, length = (reader.places(name, rows, 2**62) for name in (entry.start, entry.length))
        words = sources[entry.words]
        words.needs(int((start.astype(np.int64) + length).max(initial=0)))
    names = [each.name for each in entry.sides]
    reader.require(names == ["key", *reader.manifest.runs], "the sides are not the key and the runs")
    sides = tuple(_read_side(reader, each, rows, sources[each.source]) for each in entry.sides)
    return TextPart(documents, tuple(entry.names), sentences, start, length, words, sides, entry.by_line)


def _read_side(reader: Reader, entry: SideEntry, rows: int, source: _SavedSource) -> Side:
    own = rows if entry.to_side is None else len(reader.array(entry.offset, INTEGERS))
    offset = reader.places(entry.offset, own, 2**62)
    source.needs(int(offset.max(initial=0)))
    to_side = None
    if entry.to_side is not None:
        to_side = reader.array(entry.to_side, ("int64",), rows)
        fits = not to_side.size or (to_side.min() >= -1 and to_side.max() < own)
        reader.require(fits, f"{entry.to_side} points nowhere")
    return Side(entry.name, source, offset, to_side)


class _SavedSource:
    """The bytes behind a saved result, read when an excerpt first needs them."""

    def __init__(self, reader: Reader, entry: SourceEntry) -> None:
        self.reader = reader
        self.entry = entry
        self._size = 0
        begins = [part.begin for part in entry.parts]
        reader.require(begins[0] == 0 and begins == sorted(begins), "the files of a source are not in order")
        if entry.data is None:
            reader.require(all(part.path for part in entry.parts), "a source has neither file nor bytes")

    def needs(self, size: int) -> None:
        """Remember that there must be at least so many bytes."""
        self._size = max(self._size, size, self.entry.parts[-1].begin)

    def kept(self) -> bytes | None:
        """Return the bytes, if they are kept in the folder."""
        return None if self.entry.data is None else self.reader.bytes(self.entry.data)

    def __call__(self) -> Source:
        return self._source

    @cached_property
    def _source(self) -> Source:
        paths = [Path(part.path) if part.path else None for part in self.entry.parts]
        parts = tuple(Part(part.name, path, part.begin) for part, path in zip(self.entry.parts, paths, strict=True))
        kept = self.kept()
        if kept is not None:
            source = Source(parts, bytearray(kept + bytes(PADDING)), repaired=True)
        else:
            source = Source(parts, self._loaded([path for path in paths if path is not None]))
        if digest(memoryview(source.data)[: source.size]) != self.entry.digest:
            raise ReadError(
                "the file has changed since the result was saved",
                where=parts[0].name,
                hint="compare again to see examples; the numbers in the folder are those of the old file",
            )
        self.reader.require(source.size >= self._size, "rows stand behind the end of their file")
        return source

    def _loaded(self, paths: list[Path]) -> bytearray:
        for path, part in zip(paths, self.entry.parts, strict=True):
            if not path.is_file():
                raise ReadError(
                    "the file is not there any more",
                    where=part.name,
                    details=[f"it was {path}"],
                    hint="the numbers in the folder are still good; examples need the file",
                )
        return load_files(paths, side="saved").data
