"""Where records begin in large files of JSON lines and of delimited rows, and what they are called.

The format's own reader reads the first records. What names them is then the field, or the column, that holds just the
names it gave: nobody else has to know which fields a reader prefers.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

import msgspec

from comparanda.errors import InputError
from comparanda.places import Stretch
from comparanda.read.cells import Dialect
from comparanda.read.cuts import Mark, UncuttableError, chunks
from comparanda.read.files import load_files

if TYPE_CHECKING:
    from pathlib import Path

    from comparanda.corpus import Corpus
    from comparanda.places import Source
    from comparanda.read.request import Request

    Read = Callable[[Source, Request], Corpus]

_SAMPLE = 50
_ANY = msgspec.json.Decoder(dict[str, Any])


def json_marks(read: Read) -> Callable[[Path, Request], Iterator[Mark]]:
    """Return what marks records in JSON lines, given how they are read."""
    return partial(_json_marks, read)


def _json_marks(read: Read, file: Path, request: Request) -> Iterator[Mark]:
    lines = _lines(file)
    sample = list(islice((line for line in lines if line[2].strip()), _SAMPLE))
    if not sample or not sample[0][2].lstrip().startswith(b"{"):
        raise UncuttableError(f"{file.name} has not one JSON object a line")
    names = _names(read, file, request, sample[-1][0] + len(sample[-1][2]))
    try:
        fields = [_ANY.decode(line) for _, _, line in sample]
    except (msgspec.DecodeError, RecursionError) as problem:
        raise UncuttableError(f"{file.name} cannot be read: {problem}") from None
    candidates = {name: [each.get(name) for each in fields] for name in fields[0]}
    field = _naming(file, candidates, names, len(sample))
    if field is None:
        yield from (Mark(start, before, "") for start, before, line in _lines(file) if line.strip())
        return
    record: Any = msgspec.defstruct("Record", [("name", Any, None)], rename={"name": field}, gc=False)
    decode, last = msgspec.json.Decoder(record).decode, None
    for start, before, line in _lines(file):
        if not line.strip():
            continue
        try:
            name = _called(decode(line).name)
        except (msgspec.DecodeError, RecursionError):
            raise UncuttableError(f"{file.name}:{before + 1} is no JSON object") from None
        if name != last:
            yield Mark(start, before, name)
            last = name


def table_marks(read: Read, dialect: Callable[[Request], Dialect]) -> Callable[[Path, Request], Iterator[Mark]]:
    """Return what marks the rows of delimited files, given how they are read and what separates columns."""
    return partial(_table_marks, read, dialect)


def _table_marks(read: Read, dialect: Callable[[Request], Dialect], file: Path, request: Request) -> Iterator[Mark]:
    rows = _rows(file, dialect(request))
    sample = list(islice(rows, _SAMPLE + 1))
    if len(sample) < 2:
        raise UncuttableError(f"{file.name} has too few rows")
    names = _names(read, file, request, sample[-1][0] + len(sample[-1][2]))
    for header in (True, False):
        cells = [row for _, _, _, row in sample[header:]]
        candidates = {
            str(place): [each[place] for each in cells if place < len(each)] for place in range(len(cells[0]))
        }
        try:
            column = _naming(file, candidates, names, len(cells))
            break
        except UncuttableError:
            if not header:
                raise
    head, last = (sample[0][2].replace(b"\r\n", b"\n") if header else b""), None
    for start, before, _, row in islice(_rows(file, dialect(request)), int(header), None):
        if column is None:
            yield Mark(start, before, "", head)
            continue
        name = row[int(column)] if int(column) < len(row) else ""
        if name != last:
            yield Mark(start, before, name, head)
            last = name


def _lines(file: Path) -> Iterator[tuple[int, int, bytes]]:
    """Give each line of a file: the byte it begins at, how many lines stand before it, and what is in it."""
    for chunk in chunks(file, sentences=False):
        start, before = chunk.start, chunk.lines
        for line in io.BytesIO(chunk.data):
            yield start, before, line
            start, before = start + len(line), before + 1


def _rows(file: Path, dialect: Dialect) -> Iterator[tuple[int, int, bytes, list[str]]]:
    """Give each row of a delimited file that is not blank; a quoted field may span several lines."""
    begin = before = 0
    given: list[bytes] = []

    def lines() -> Iterator[str]:
        for _, _, line in _lines(file):
            given.append(line)
            yield line.decode("utf-8", "replace").replace("\r\n", "\n")

    try:
        for row in dialect.reader(lines()):
            data = b"".join(given)
            if data.strip():
                yield begin, before, data, row
            begin, before = begin + len(data), before + len(given)
            given.clear()
    except csv.Error as problem:
        raise UncuttableError(f"{file.name}:{before + 1}: {problem}") from None


def _names(read: Read, file: Path, request: Request, stop: int) -> list[str] | None:
    """Return what the records up to a byte are called, as the reader calls them; None if by their numbers."""
    try:
        corpus = read(load_files([Stretch(file, 0, stop)], side=request.side), request)
    except InputError as problem:
        raise UncuttableError(str(problem)) from None
    if corpus.documents.marked:
        names = list(corpus.documents.names)
    elif corpus.by_id and corpus.words is not None:
        names = [corpus.words[row] for row in range(len(corpus))]
    else:
        raise UncuttableError(f"{file.name} names no documents")
    numbers = [f"document {number}" if corpus.documents.marked else str(number) for number in range(1, len(names) + 1)]
    return None if names == numbers else names


def _naming(file: Path, candidates: dict[str, list[Any]], names: list[str] | None, count: int) -> str | None:
    """Return the field that holds the names; None if records are called by their numbers."""
    for field, values in candidates.items():
        if len(values) == count and _runs(list(map(_called, values))) == names:
            return field
    if names is None:
        return None
    raise UncuttableError(f"{file.name} has no field that holds the names of documents")


def _called(value: Any) -> str:
    return str(value)


def _runs(values: Sequence[str]) -> list[str]:
    """Return values, each once for all that follow each other."""
    return [value for value, _ in groupby(values)]
