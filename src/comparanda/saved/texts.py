"""The texts of a saved result: where words stand, and the bytes behind them, read when an excerpt needs them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec
import numpy as np

from comparanda.columns import PADDING
from comparanda.errors import ReadError
from comparanda.excerpts import Side, TextPart, Texts, Words
from comparanda.manifest import digest
from comparanda.places import Part, Source, Stretch
from comparanda.read.files import load_files
from comparanda.remote import path_of
from comparanda.saved.reader import INTEGERS, PIECES

if TYPE_CHECKING:
    from collections.abc import Callable

    from comparanda.columns import Codes, Rows
    from comparanda.manifest import PartEntry, SideEntry, SourceEntry, TextEntry
    from comparanda.saved.reader import Reader

Found = TypeVar("Found")


class _Last(Generic[Found]):
    """What was asked for last, as far as it is not too much together.

    Args:
        most: how much is kept; the very last is, whatever its size.
        size: tells how much something is.

    """

    def __init__(self, most: int, size: Callable[[Found], int]) -> None:
        self._most = most
        self._size = size
        self._known: dict[object, Found] = {}

    def of(self, asker: object, read: Callable[[], Found]) -> Found:
        """Return what somebody asks for, reading it if it is not there."""
        found = self._known.pop(asker, None) or read()
        self._known[asker] = found
        while len(self._known) > 1 and sum(map(self._size, self._known.values())) > self._most:
            del self._known[next(iter(self._known))]
        return found


_WORDS: _Last[Words] = _Last(8, lambda _: 1)
"""Where words stand, of the last eight parts."""

_SOURCES: _Last[Source] = _Last(256 << 20, lambda source: source.size)
"""The last sources, 256 MiB of them."""


def read_texts(reader: Reader, *, late: bool = False) -> Texts:
    """Read where the words of all documents stand; of parts of a large result, late: when an excerpt needs it."""
    sources = [SavedSource(reader, entry, late=late) for entry in reader.manifest.sources]
    parts = tuple(_read_part(reader, entry, sources, late=late) for entry in reader.manifest.texts)
    sentences = sum(len(part.sentences) - 1 for part in parts)
    if parts and reader.manifest.unit in PIECES:
        reader.require(sentences == reader.manifest.units, "there are not as many units as sentences or rows")
    return Texts(parts, reader.manifest.continued)


def _read_part(reader: Reader, entry: TextEntry, sources: list[SavedSource], *, late: bool) -> TextPart:
    documents, sentences = reader.offsets(entry.documents, len(entry.names)), reader.offsets(entry.sentences)
    reader.require(sentences[-1] == documents[-1], "sentences and documents do not end together")
    reader.require((entry.start is None) == (entry.length is None) == (entry.words is None), "words are half there")
    names = [each.name for each in entry.sides]
    reader.require(names == ["key", *reader.manifest.runs], "the sides are not the key and the runs")
    used = [each.source for each in entry.sides] + ([] if entry.words is None else [entry.words])
    reader.require(max(used, default=-1) < len(sources), "a side has no source")
    words = _Late(reader, msgspec.structs.replace(entry, names=[]), documents, sources)
    if late:
        for name in _columns(entry):
            reader.bytes(name)  # whether it is what was saved
    else:
        words.read()
    known = reader.manifest.documents
    called = tuple(known if entry.names == known else entry.names)  # many names need not be there twice
    return TextPart(documents, called, sentences, words, entry.by_line, entry.running)


class _Late:
    """Where words stand: read at once and kept, or when an excerpt needs it; then only of the last few parts."""

    def __init__(self, reader: Reader, entry: TextEntry, documents: Rows, sources: list[SavedSource]) -> None:
        self.given = reader, entry, documents, sources
        self._words: Words | None = None

    def read(self) -> None:
        """Read it at once, and keep it."""
        self._words = _read_words(*self.given)

    def __call__(self) -> Words:
        return _WORDS.of(self, self._read_late) if self._words is None else self._words

    def _read_late(self) -> Words:
        reader, entry, *_ = self.given
        words = _read_words(*self.given)
        reader.forget(_columns(entry))
        return words


def _columns(entry: TextEntry) -> list[str]:
    """Return the files that hold where words stand."""
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
        reader.require(start is not None and _runs_on(start, documents), "the words of a running text are not in order")
    sides = tuple(_read_side(reader, each, rows, sources[each.source]) for each in entry.sides)
    return Words(start, length, words, sides)


def _runs_on(start: Codes, documents: Rows) -> bool:
    """Whether no word of a document stands before the one before it."""
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
        reader.require(fits, f"{entry.to_side} points nowhere")
    return Side(entry.name, source, offset, to_side)


class SavedSource:
    """The bytes behind a saved result, read when an excerpt first needs them."""

    def __init__(self, reader: Reader, entry: SourceEntry, *, late: bool = False) -> None:
        self.reader = reader
        self.entry = entry
        self._late = late
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
        """Return the bytes, and where each file begins in them."""
        return _SOURCES.of(self, self._read) if self._late else self._source

    @cached_property
    def _source(self) -> Source:
        return self._read()

    @property
    def parts(self) -> tuple[Part, ...]:
        """The files of the source."""
        return tuple(map(_part, self.entry.parts))

    def _read(self) -> Source:
        parts = self.parts
        kept = self.kept()
        if kept is not None:
            source = Source(parts, bytearray(kept + bytes(PADDING)), repaired=True)
        else:
            source = Source(parts, self._loaded(parts))
        if digest(memoryview(source.data)[: source.size]) != self.entry.digest:
            raise ReadError(
                "the file has changed since the result was saved",
                where=parts[0].name,
                hint="compare again to see examples; the numbers in the folder are those of the old file",
            )
        self.reader.require(source.size >= self._size, "rows stand behind the end of their file")
        return source

    def _loaded(self, parts: tuple[Part, ...]) -> bytearray:
        for part in parts:
            if part.path is None or not part.path.is_file():
                raise ReadError(
                    "the file is not there any more",
                    where=part.name,
                    details=[f"it was {part.path}"],
                    hint="the numbers in the folder are still good; examples need the file",
                )
        return load_files([part.stretch or part.path for part in parts], side="saved").data


def _part(entry: PartEntry) -> Part:
    """Return where a file, or a stretch of one, stands in a source."""
    path, stretch = None if entry.path is None else path_of(entry.path), None
    if entry.stretch is not None and path is not None:
        given = entry.stretch
        stretch = Stretch(path, given.start, given.stop, given.lines, given.before, given.head.encode())
    return Part(entry.name, path, entry.begin, stretch)
