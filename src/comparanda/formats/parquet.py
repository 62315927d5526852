"""Parquet: tables of rows, of tokens or of documents with spans, read as data frames are.

Files are not loaded: of each, the wanted columns are read, and of a portion only the groups of rows that it touches. A
stretch of such a file counts rows, where those of other formats count bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from comparanda.core.places import Part, Source, Stretch, refuse
from comparanda.core.remote import AnyPath, RemotePath
from comparanda.core.text_columns import PADDING
from comparanda.errors import ComparandaError, MissingExtraError, ReadError
from comparanda.formats.contract import Format, Request
from comparanda.formats.cuts import SAMPLE, Called, Mark
from comparanda.formats.files import display, load_files, size_of, stamp
from comparanda.formats.jsonl import FORMAT as JSONL
from comparanda.formats.plain_tables import Table, has_tag_list, spans_in_tags, table_rows, table_tokens
from comparanda.formats.records import SPANS_NAMES, read_records

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus

NAME, SUFFIX = "parquet", ".parquet"

_EVERY = ("",)
_BATCH = 1 << 12
_DENSEST = 1_000  # rows that a byte can hold: real ones have ids or words; more is memory for nothing


def read(source: Source, request: Request) -> Corpus:
    """Read a table; the task tells whether its rows are labelled, or are tokens or sentences of them."""
    files = [part.path for part in source.parts if part.path is not None]
    before = [stamp(file) for file in files]
    corpus = _corpus(_Tables(source), request)
    for file, known in zip(files, before, strict=True):
        if stamp(file) != known:
            raise ReadError("the file changed while it was being read", where=display(file), hint="run again")
    return corpus


def _corpus(tables: _Tables, request: Request) -> Corpus:
    first, source = tables.first(), tables.source
    table = Table(
        format=NAME, source=source, offset=tables.offset, names=tables.names, fetch=tables.fetch, classes=tables.classes
    )
    if request.layer == "chains" or (request.layer == "spans" and not _chunk_tags(tables, first, request)):
        return read_records(tables.records, tables.offset, source, request, name=NAME)
    tokens = request.layer == "spans" or request.shape == "tokens"
    if request.shape is None:
        tokens = tokens or has_tag_list(first, request)
    return table_tokens(table, request) if tokens else table_rows(table, request)


def _chunk_tags(tables: _Tables, first: dict[str, Any], request: Request) -> bool:
    """Whether spans are in the tags of tokens: if these are in lists, or if no column has lists of objects."""
    if spans_in_tags(first, request, str(tables.source.locate(0))):
        return True
    return "spans" not in request.options and not tables.objects and not {*SPANS_NAMES} & {*tables.names}


@dataclass(frozen=True, eq=False, slots=True)
class _Piece:
    """The rows of one file that are read: from `start` to before `stop`."""

    file: AnyPath
    opened: Any
    start: int
    stop: int

    @classmethod
    def of(cls, file: AnyPath, stretch: Stretch | None) -> _Piece:
        opened = _opened(file)
        every: int = opened.metadata.num_rows
        if every > _DENSEST * max(size_of(file), 1):
            raise ReadError(f"the file says that it has {every:,} rows, for which it is too small", where=display(file))
        if stretch is None:
            return cls(file, opened, 0, every)
        return cls(file, opened, stretch.start, every if stretch.stop is None else min(stretch.stop, every))

    @property
    def names(self) -> list[str]:
        return list(self.opened.schema_arrow.names)

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Give the rows bit by bit, of some columns; groups of rows outside are passed over."""
        groups, begin, skipped = [], 0, 0
        for number in range(self.opened.metadata.num_row_groups):
            end = begin + self.opened.metadata.row_group(number).num_rows
            if begin < self.stop and end > self.start:
                groups.append(number)
            elif not groups:
                skipped = end
            begin = end
        at = skipped
        given = self.opened.iter_batches(_BATCH, row_groups=groups, columns=list(names)) if groups else ()
        for batch in given:
            piece = batch.slice(max(0, self.start - at), max(0, self.stop - max(at, self.start)))
            at += len(batch)
            if len(piece):
                yield piece


class _Tables:
    """The rows of all files of an input; row 12 of a file stands in its line 12."""

    def __init__(self, source: Source) -> None:
        if any(part.path is None for part in source.parts):
            what = "Parquet cannot be read from standard input: its end is read first"
            raise ReadError(what, where=source.parts[0].name, hint="name a file")
        self.pieces = [_Piece.of(part.path, part.stretch) for part in source.parts if part.path is not None]
        sizes = [each.stop - each.start for each in self.pieces]
        if not sum(sizes):
            raise ReadError("there are no rows in this file", where=source.parts[0].name)
        self.names = tuple(self.pieces[0].names)
        for each in self.pieces:
            _check_names(each, self.names)
        self.begins = [end - size for end, size in zip(accumulate(sizes), sizes, strict=True)]
        parts = zip(source.parts, self.pieces, self.begins, strict=True)
        lined = [Part(part.name, part.path, begin, _lined(each, part)) for part, each, begin in parts]
        rows = bytearray(b"\n" * sum(sizes) + bytes(PADDING))
        self.source = replace(source, parts=tuple(lined), given=rows, repaired=True, again=None)
        self.offset = np.arange(sum(sizes), dtype=np.int64)

    @property
    def objects(self) -> bool:
        """Whether a column holds lists of objects."""
        return any(_of_objects(each.type) for each in self.pieces[0].opened.schema_arrow)

    def first(self) -> dict[str, Any]:
        """Return the first row."""
        return next(iter(self.records()))

    def records(self) -> Iterator[dict[str, Any]]:
        """Give the rows one by one."""
        for columns in self._columns(self.names):
            for row in zip(*columns, strict=True):
                yield dict(zip(self.names, row, strict=True))

    def fetch(self, names: Sequence[str]) -> dict[str, list[Any]]:
        """Return columns by name."""
        found: dict[str, list[Any]] = {name: [] for name in names}
        for columns in self._columns(names):
            for name, values in zip(names, columns, strict=True):
                found[name] += values
        return found

    def _columns(self, names: Sequence[str]) -> Iterator[list[list[Any]]]:
        """Give the values of some columns, bit by bit."""
        row = 0
        for piece, begin in zip(self.pieces, self.begins, strict=True):
            with _told(piece.file):
                for batch in piece.batches(names):
                    yield [self._values(batch.column(name), name, row) for name in names]
                    row += len(batch)
            if row != begin + piece.stop - piece.start:
                raise ReadError("the file has other rows than it says at its end", where=display(piece.file))

    def _values(self, column: Any, name: str, before: int) -> list[Any]:
        try:
            values: list[Any] = column.to_pylist()
        except UnicodeDecodeError:
            row = next(number for number, value in enumerate(column) if not _is_text(value))
            raise refuse(self.source, before + row, f"{name!r} is not UTF-8", hint="write it again as UTF-8") from None
        return values

    def classes(self, name: str) -> Sequence[str]:
        """Return the names of a column's integers, if the file was written by the library `datasets` and has them."""
        said = (self.pieces[0].opened.schema_arrow.metadata or {}).get(b"huggingface", b"{}")
        try:
            feature: Any = msgspec.json.decode(said)["info"]["features"][name]
            while isinstance(feature, dict) and "names" not in feature:
                feature = feature["feature"]
            return list(map(str, feature["names"]))
        except (msgspec.DecodeError, LookupError, TypeError, ValueError):
            return ()


def _is_text(value: Any) -> bool:
    try:
        value.as_py()
    except UnicodeDecodeError:
        return False
    return True


def _lined(piece: _Piece, part: Part) -> Stretch | None:
    """Return a stretch whose lines are rows, if it does not begin with the first."""
    return part.stretch and replace(part.stretch, lines=piece.start)


def _check_names(piece: _Piece, wanted: Iterable[str]) -> None:
    """Refuse a file with two columns of one name, and one without the columns of the first."""
    names = piece.names
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ReadError(f"two columns are called {twice!r}", where=display(piece.file), hint="rename one of them")
    lacking = [name for name in wanted if name not in names]
    if lacking:
        what = f"there is no column {lacking[0]!r}"
        hint = f"every file must have the columns of the first; here are: {', '.join(names)}"
        raise ReadError(what, where=display(piece.file), hint=hint)


def _of_objects(kind: Any) -> bool:
    from pyarrow import types

    lists = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return bool(lists and types.is_struct(kind.value_type))


def _opened(file: AnyPath) -> Any:
    """Open a file: its end is read, which says what is in it."""
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        what = f"{display(file)}: {SUFFIX} files are read with pyarrow, which is not installed"
        raise MissingExtraError(what, hint="pip install 'comparanda[parquet]', or write the table as JSONL") from None
    with _told(file):
        return ParquetFile(file.open("rb") if isinstance(file, RemotePath) else str(file))


@contextmanager
def _told(file: AnyPath) -> Iterator[None]:
    """Tell whatever a file that is cut off or of another kind brings about in pyarrow."""
    try:
        yield
    except ComparandaError:
        raise
    except Exception as problem:
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise ReadError(f"pyarrow cannot read this file: {reason}", where=display(file)) from None


def rows(file: AnyPath) -> tuple[int, int]:
    """Return how many rows a file has, and about how many bytes one would have as text: words are packed here."""
    every: int = _opened(file).metadata.num_rows
    if not every:
        return 0, 1
    tables = _Tables(load_files([Stretch(file=file, start=0, stop=SAMPLE)], side=NAME, unread=_EVERY))
    first = list(islice(tables.records(), SAMPLE))
    return every, max(1, len(msgspec.json.encode(first, enc_hook=str)) // len(first))


def marks(file: AnyPath, request: Request) -> Iterator[Mark]:
    """Mark the rows that begin documents, or that have an id."""
    piece = _Piece.of(file, None)
    if not piece.stop:
        return iter(())
    source = load_files([Stretch(file=file, start=0, stop=min(SAMPLE, piece.stop))], side=request.side, unread=_EVERY)
    called = Called.of(read, source, request)
    tables = _Tables(source)
    fields = called.fields(tables.fetch(tables.names), file)
    return called.marks(_named(piece, fields), fields)


def _named(piece: _Piece, fields: Sequence[str | None]) -> Iterator[tuple[int, int, list[Any]]]:
    """Give every row with what names it."""
    wanted = [name for name in fields if name is not None]
    if not wanted:
        yield from ((row, row, [None] * len(fields)) for row in range(piece.stop))
        return
    row = 0
    with _told(piece.file):
        for batch in piece.batches(wanted):
            columns = [[None] * len(batch) if name is None else batch.column(name).to_pylist() for name in fields]
            for values in zip(*columns, strict=True):
                yield row, row, list(values)
                row += 1


FORMAT = Format(
    name=NAME,
    summary="Parquet: a table of rows, of tokens or sentences, or of documents with spans (with pyarrow installed)",
    shapes=JSONL.shapes,
    suffixes=(SUFFIX,),
    options={
        **JSONL.options,
        "sentence": "tokens: the column of sentences, where a row is a token (default: 'sentence' and the like)",
    },
    sniff=lambda lines: bool(lines) and lines[0].startswith("PAR1"),
    read=read,
    layers=JSONL.layers,
    binary=(SUFFIX,),
    marks=marks,
    opens=True,
    rows=rows,
)
