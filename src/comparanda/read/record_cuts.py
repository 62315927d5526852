"""Where records begin in large files of JSON lines and of delimited rows, and what they are called.

The format's own reader reads the first records. What names them is then the field, or the column, that holds just the
names it gave: nobody else has to know which fields a reader prefers.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from comparanda.errors import InputError
from comparanda.places import Stretch
from comparanda.read.cells import Dialect
from comparanda.read.cuts import Mark, Starts, UncuttableError, chunks, gathered_starts
from comparanda.read.files import load_files

if TYPE_CHECKING:
    from comparanda.corpus import Corpus
    from comparanda.places import Source
    from comparanda.read.request import Request
    from comparanda.remote import AnyPath

    Read = Callable[[Source, Request], Corpus]

SAMPLE = 50
"""So many records are read to learn what names them."""

_LINES = 1 << 12
_OBJECT = msgspec.json.Decoder(dict[str, Any])


class _UnmarkedError(UncuttableError):
    """The records are no documents: they are sentences of one."""


def sentence_a_line(file: AnyPath, request: Request) -> Starts:
    """Tell where sentences begin in JSON lines: each is one, if documents are not marked."""
    del request
    lines = ((start, before) for start, before, line in _lines(file) if line.strip())
    batches = iter(lambda: list(islice(lines, _LINES)), [])
    return gathered_starts((start, before) for start, before in (np.array(batch, np.int64).T for batch in batches))


def json_marks(read: Read) -> Callable[[AnyPath, Request], Iterator[Mark]]:
    """Return what marks records in JSON lines, given how they are read."""
    return partial(_json_marks, read)


def _json_marks(read: Read, file: AnyPath, request: Request) -> Iterator[Mark]:
    lines = ((start, before, line) for start, before, line in _lines(file) if line.strip())
    sample = list(islice(lines, SAMPLE))
    if not sample or not sample[0][2].lstrip().startswith(b"{"):
        raise UncuttableError(f"{file.name} has not one JSON object a line")
    try:
        called = Called.of(read, _begin(file, request, sample[-1][0] + len(sample[-1][2])), request)
    except _UnmarkedError:
        return iter([Mark(0, 0, "", counted=False)])
    records = [_decoded(_OBJECT, file, before, line) for _, before, line in sample]
    fields = called.fields({name: [each.get(name) for each in records] for name in records[0]}, file)
    wanted = [(f"field{place}", Any, None) for place in range(len(fields))]
    names = {field: name for (field, _, _), name in zip(wanted, fields, strict=True) if name is not None}
    decoder = msgspec.json.Decoder(msgspec.defstruct("Record", wanted, rename=names, gc=False))
    rows = ((start, before, _decoded(decoder, file, before, line)) for start, before, line in chain(sample, lines))
    found = ((start, before, [getattr(row, name, None) for name, _, _ in wanted]) for start, before, row in rows)
    return called.marks(found, fields)


def _decoded(decoder: msgspec.json.Decoder[Any], file: AnyPath, before: int, line: bytes) -> Any:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, RecursionError):
        raise UncuttableError(f"{file.name}:{before + 1} is no JSON object") from None


def table_marks(read: Read, dialect: Callable[[Request], Dialect]) -> Callable[[AnyPath, Request], Iterator[Mark]]:
    """Return what marks the rows of delimited files, given how they are read and what separates columns."""
    return partial(_table_marks, read, dialect)


def _table_marks(read: Read, dialect: Callable[[Request], Dialect], file: AnyPath, request: Request) -> Iterator[Mark]:
    rows = _rows(file, dialect(request))
    sample = list(islice(rows, SAMPLE + 1))
    if len(sample) < 2:
        raise UncuttableError(f"{file.name} has too few rows")
    called = Called.of(read, _begin(file, request, sample[-1][0] + len(sample[-1][2])), request)
    header = called.count < len(sample)
    cells = [row for _, _, _, row in sample[header:]]
    fields = called.fields({str(place): [each[place] for each in cells] for place in range(min(map(len, cells)))}, file)
    head = re.sub(rb"\r+\n", b"\n", sample[0][2]) if header else b""
    wanted = [None if name is None else int(name) for name in fields]
    every = ((start, before, row) for start, before, _, row in islice(chain(sample, rows), int(header), None))
    found = (
        (start, before, [None if place is None or place >= len(row) else row[place] for place in wanted])
        for start, before, row in every
    )
    return called.marks(found, fields, head)


def _lines(file: AnyPath) -> Iterator[tuple[int, int, bytes]]:
    """Give each line of a file: the byte it begins at, how many lines stand before it, and what is in it."""
    for chunk in chunks(file, sentences=False):
        start, before = chunk.start, chunk.lines
        for line in io.BytesIO(chunk.data):
            yield start, before, line
            start, before = start + len(line), before + 1


def _rows(file: AnyPath, dialect: Dialect) -> Iterator[tuple[int, int, bytes, list[str]]]:
    """Give each row of a delimited file that is not blank; a quoted field may span several lines."""
    begin = before = 0
    given: list[bytes] = []

    def lines() -> Iterator[str]:
        nonlocal begin
        for start, _, line in _lines(file):
            if not given:
                begin = start
            given.append(line)
            yield line.decode("utf-8", "replace").replace("\r\n", "\n")

    try:
        for row in dialect.reader(lines()):
            data = b"".join(given)
            if data.strip():
                yield begin, before, data, row
            before += len(given)
            given.clear()
    except csv.Error as problem:
        raise UncuttableError(f"{file.name}:{before + 1}: {problem}") from None


def _begin(file: AnyPath, request: Request, stop: int) -> Source:
    """Load a file up to a byte."""
    try:
        return load_files([Stretch(file, 0, stop)], side=request.side)
    except InputError as problem:
        raise UncuttableError(str(problem)) from None


@dataclass(frozen=True, slots=True)
class Called:
    """What the reader calls the first records.

    Args:
        names: the names of their documents, or of rows their ids.
        groups: of rows, the names of their documents; None if they have none.
        rows: whether these are rows, each with an id.
        count: how many records there are.
        numbered: whether the names are what they would be called by their numbers.

    """

    names: list[str]
    groups: list[str] | None
    rows: bool
    count: int
    numbered: bool

    @classmethod
    def of(cls, read: Read, source: Source, request: Request) -> Called:
        """Read the first records."""
        try:
            corpus = read(source, request)
        except InputError as problem:
            raise UncuttableError(str(problem)) from None
        documents = corpus.documents
        if corpus.by_id and corpus.words is not None:
            order = np.argsort(corpus.offset, kind="stable").tolist()
            ids = [corpus.words[row] for row in order]
            owner = np.searchsorted(corpus.row_documents, order, side="right") - 1
            groups = [documents.names[each] for each in owner.tolist()] if documents.marked else None
            return cls(ids, groups, rows=True, count=len(ids), numbered=ids == _numbers("", len(ids)))
        if not documents.marked:
            raise _UnmarkedError(f"{source.parts[0].name} marks no documents")
        names = list(documents.names)
        numbered = names == _numbers("document ", len(names))
        return cls(names, None, rows=False, count=len(names), numbered=numbered)

    def fields(self, candidates: dict[str, list[Any]], file: AnyPath) -> list[str | None]:
        """Return the fields that hold names, and behind them that of groups, given the values of all fields.

        There are none of names if records are called by their numbers, and None stands for no groups.
        """
        names, groups = (self._holding(each, candidates) for each in (self.names, self.groups))
        if not (names or self.numbered) or not (groups or self.groups is None):
            raise UncuttableError(f"{file.name} has no field that holds the names of documents alone")
        return [*names, next(iter(groups), None)]

    def _holding(self, wanted: list[str] | None, candidates: dict[str, list[Any]]) -> list[str]:
        found = []
        for field, values in candidates.items() if wanted is not None else ():
            texts = list(map(str, values))
            if (texts if self.rows else [name for name, _ in groupby(texts)]) == wanted:
                found.append(field)
        return found

    def marks(
        self, found: Iterable[tuple[int, int, list[Any]]], fields: list[str | None], head: bytes = b""
    ) -> Iterator[Mark]:
        """Make the marks, given where each record stands and what its fields hold.

        Where several fields, or the numbers of records, could be what names them, they must not part later on.
        """
        last: str | None = None
        for number, (start, before, (*names, group)) in enumerate(found, start=1):
            called = {str(each) for each in names}
            if self.rows and self.numbered and called:
                called.add(str(number))
            if len(called) > 1:
                raise UncuttableError(f"it cannot be told what names the record in line {before + 1:,}")
            name = "".join(called)
            if self.rows or not names or name != last:
                yield Mark(start, before, name, head, group="" if fields[-1] is None else str(group))
            last = name


def _numbers(before: str, count: int) -> list[str]:
    return [f"{before}{number}" for number in range(1, count + 1)]
