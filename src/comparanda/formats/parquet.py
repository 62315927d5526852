"""Parquet: tables of rows, of tokens or of documents with spans, read like data frames.

Files are not loaded as a whole: only the wanted columns are read, and for a portion only the row groups that it
overlaps. A stretch of such a file counts rows, while those of other formats count bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from comparanda.core.places import Part, Source, Stretch, make_read_error
from comparanda.core.remote import AnyPath, RemotePath
from comparanda.core.text_columns import PADDING
from comparanda.errors import ComparandaError, MissingExtraError, ReadError
from comparanda.formats.contract import Format, Request
from comparanda.formats.cuts import SAMPLE, Mark, RecordNames
from comparanda.formats.files import display_name, load_files, read_stamp, size_of
from comparanda.formats.jsonl import FORMAT as JSONL
from comparanda.formats.plain_tables import Table, has_tag_list, spans_in_tags, table_rows, table_tokens
from comparanda.formats.records import SPANS_NAMES, read_records

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus

NAME, SUFFIX = "parquet", ".parquet"

_ANY_SUFFIX = ("",)
_BATCH = 1 << 12
_MAX_ROWS_PER_BYTE = 1_000  # real rows have ids or words; a file that claims more would only exhaust memory


def read(source: Source, request: Request) -> Corpus:
    """Read a table; the task decides whether its rows are labelled items, tokens or sentences."""
    files = [part.path for part in source.parts if part.path is not None]
    before = [read_stamp(file) for file in files]
    corpus = _read_corpus(_Tables(source), request)
    for file, known in zip(files, before, strict=True):
        if read_stamp(file) != known:
            raise ReadError("the file changed while it was being read", where=display_name(file), hint="run again")
    return corpus


def _read_corpus(tables: _Tables, request: Request) -> Corpus:
    first, source = tables.first(), tables.source
    table = Table(
        format=NAME, source=source, offset=tables.offset, names=tables.names, fetch=tables.fetch, classes=tables.classes
    )
    if request.layer == "chains" or (request.layer == "spans" and not _has_chunk_tags(tables, first, request)):
        return read_records(tables.records, tables.offset, source, request, name=NAME)
    tokens = request.layer == "spans" or request.shape == "tokens"
    if request.shape is None:
        tokens = tokens or has_tag_list(first, request)
    return table_tokens(table, request) if tokens else table_rows(table, request)


def _has_chunk_tags(tables: _Tables, first: dict[str, Any], request: Request) -> bool:
    """Whether spans are in the tags of tokens: these are in lists, or no column has lists of objects."""
    if spans_in_tags(first, request, str(tables.source.locate(0))):
        return True
    return "spans" not in request.options and not tables.objects and not {*SPANS_NAMES} & {*tables.names}


@dataclass(frozen=True, eq=False, slots=True)
class _Piece:
    """The rows to read of one file, from `start` up to but excluding `stop`."""

    file: AnyPath
    opened: Any
    start: int
    stop: int

    @classmethod
    def of(cls, file: AnyPath, stretch: Stretch | None) -> _Piece:
        opened = _open_file(file)
        every: int = opened.metadata.num_rows
        if every > _MAX_ROWS_PER_BYTE * max(size_of(file), 1):
            raise ReadError(f"the file is too small for the {every:,} rows in its metadata", where=display_name(file))
        if stretch is None:
            return cls(file, opened, 0, every)
        return cls(file, opened, stretch.start, every if stretch.stop is None else min(stretch.stop, every))

    @property
    def names(self) -> list[str]:
        return list(self.opened.schema_arrow.names)

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Yield the rows in batches, with some columns; row groups outside the piece are skipped."""
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
    """The rows of all files of an input; row 12 of a file is reported as its line 12."""

    def __init__(self, source: Source) -> None:
        if any(part.path is None for part in source.parts):
            what = "Parquet cannot be read from standard input: its metadata is at the end"
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
        lined = [Part(part.name, part.path, begin, _count_by_rows(each, part)) for part, each, begin in parts]
        rows = bytearray(b"\n" * sum(sizes) + bytes(PADDING))
        self.source = replace(source, parts=tuple(lined), given=rows, repaired=True, again=None)
        self.offset = np.arange(sum(sizes), dtype=np.int64)

    @property
    def objects(self) -> bool:
        """Whether a column holds lists of objects."""
        return any(_is_list_of_objects(each.type) for each in self.pieces[0].opened.schema_arrow)

    def first(self) -> dict[str, Any]:
        """Return the first row."""
        return next(iter(self.records()))

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the rows one by one."""
        for columns in self._iter_columns(self.names):
            for row in zip(*columns, strict=True):
                yield dict(zip(self.names, row, strict=True))

    def fetch(self, names: Sequence[str]) -> dict[str, list[Any]]:
        """Return columns by name."""
        found: dict[str, list[Any]] = {name: [] for name in names}
        for columns in self._iter_columns(names):
            for name, values in zip(names, columns, strict=True):
                found[name] += values
        return found

    def _iter_columns(self, names: Sequence[str]) -> Iterator[list[list[Any]]]:
        """Yield the values of some columns, in batches."""
        row = 0
        for piece, begin in zip(self.pieces, self.begins, strict=True):
            with _report_errors(piece.file):
                for batch in piece.batches(names):
                    yield [self._to_list(batch.column(name), name, row) for name in names]
                    row += len(batch)
            if row != begin + piece.stop - piece.start:
                raise ReadError(
                    "the number of rows differs from the metadata of the file", where=display_name(piece.file)
                )

    def _to_list(self, column: Any, name: str, before: int) -> list[Any]:
        try:
            values: list[Any] = column.to_pylist()
        except UnicodeDecodeError:
            row = next(number for number, value in enumerate(column) if not _is_text(value))
            raise make_read_error(
                self.source, before + row, f"{name!r} is not UTF-8", hint="write it again as UTF-8"
            ) from None
        return values

    def classes(self, name: str) -> Sequence[str]:
        """Return the class names of a column's integers, if the library `datasets` wrote them into the file."""
        description = (self.pieces[0].opened.schema_arrow.metadata or {}).get(b"huggingface", b"{}")
        try:
            feature: Any = msgspec.json.decode(description)["info"]["features"][name]
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


def _count_by_rows(piece: _Piece, part: Part) -> Stretch | None:
    """Return the part's stretch with rows as lines, if it has one."""
    return part.stretch and replace(part.stretch, lines=piece.start)


def _check_names(piece: _Piece, wanted: Iterable[str]) -> None:
    """Refuse a file with two columns of the same name, or without the columns of the first file."""
    names = piece.names
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ReadError(f"two columns are named {twice!r}", where=display_name(piece.file), hint="rename one of them")
    lacking = [name for name in wanted if name not in names]
    if lacking:
        what = f"there is no column {lacking[0]!r}"
        hint = f"every file must have the columns of the first; this one has: {', '.join(names)}"
        raise ReadError(what, where=display_name(piece.file), hint=hint)


def _is_list_of_objects(kind: Any) -> bool:
    from pyarrow import types

    lists = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return bool(lists and types.is_struct(kind.value_type))


def _open_file(file: AnyPath) -> Any:
    """Open a file, reading the metadata at its end."""
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        what = f"{display_name(file)}: reading {SUFFIX} files requires pyarrow, which is not installed"
        raise MissingExtraError(what, hint="pip install 'comparanda[parquet]', or write the table as JSONL") from None
    with _report_errors(file):
        return ParquetFile(file.open("rb") if isinstance(file, RemotePath) else str(file))


@contextmanager
def _report_errors(file: AnyPath) -> Iterator[None]:
    """Convert any exception of pyarrow, as raised for truncated or other files, to a `ReadError`."""
    try:
        yield
    except ComparandaError:
        raise
    except Exception as problem:
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise ReadError(f"pyarrow cannot read this file: {reason}", where=display_name(file)) from None


def count_rows(file: AnyPath) -> tuple[int, int]:
    """Return the number of rows of a file, and the approximate bytes of one as text, as Parquet compresses words."""
    every: int = _open_file(file).metadata.num_rows
    if not every:
        return 0, 1
    tables = _Tables(load_files([Stretch(file=file, start=0, stop=SAMPLE)], side=NAME, unread=_ANY_SUFFIX))
    first = list(islice(tables.records(), SAMPLE))
    return every, max(1, len(msgspec.json.encode(first, enc_hook=str)) // len(first))


def marks(file: AnyPath, request: Request) -> Iterator[Mark]:
    """Mark the rows that begin documents or have an id."""
    piece = _Piece.of(file, None)
    if not piece.stop:
        return iter(())
    source = load_files(
        [Stretch(file=file, start=0, stop=min(SAMPLE, piece.stop))], side=request.side, unread=_ANY_SUFFIX
    )
    record_names = RecordNames.of(read, source, request)
    tables = _Tables(source)
    fields = record_names.fields(tables.fetch(tables.names), file)
    return record_names.marks(_iter_named_rows(piece, fields), fields)


def _iter_named_rows(piece: _Piece, fields: Sequence[str | None]) -> Iterator[tuple[int, int, list[Any]]]:
    """Yield every row with the values of the fields that name it."""
    wanted = [name for name in fields if name is not None]
    if not wanted:
        yield from ((row, row, [None] * len(fields)) for row in range(piece.stop))
        return
    row = 0
    with _report_errors(piece.file):
        for batch in piece.batches(wanted):
            columns = [[None] * len(batch) if name is None else batch.column(name).to_pylist() for name in fields]
            for values in zip(*columns, strict=True):
                yield row, row, list(values)
                row += 1


FORMAT = Format(
    name=NAME,
    summary="Parquet: a table of rows, of tokens or sentences, or of documents with spans (requires pyarrow)",
    shapes=JSONL.shapes,
    suffixes=(SUFFIX,),
    options={
        **JSONL.options,
        "sentence": "tokens: the column of sentences, if a row is a token (default: 'sentence' and the like)",
    },
    sniff=lambda lines: bool(lines) and lines[0].startswith("PAR1"),
    read=read,
    layers=JSONL.layers,
    binary=(SUFFIX,),
    marks=marks,
    opens=True,
    rows=count_rows,
)
