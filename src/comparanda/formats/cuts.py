"""Where documents begin in large files: what is needed to read a corpus portion by portion.

A format says where by a function from a file to marks, and where sentences begin, for files that mark no documents. It
may be wrong about odd files: whoever reads a portion checks that its documents, or as many sentences, are there.
"""

from __future__ import annotations

import csv
import io
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from comparanda.core.places import Stretch
from comparanda.errors import InputError
from comparanda.formats.cells import Dialect
from comparanda.formats.files import load_files

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.corpus import Corpus
    from comparanda.core.places import Source
    from comparanda.core.remote import AnyPath
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.formats.contract import Request

    Read = Callable[[Source, Request], Corpus]


CHUNK = 8 << 20
_LONGEST = 32 * CHUNK
_LONGEST_MARK = 64
_BLANK = re.compile(rb"\n[ \t\r]*\n")
_WORD = re.compile(rb"^[ \t]*[^#\s]", re.MULTILINE)
_GLOBAL = re.compile(rb"# ?global\.[^\n]*\n")
_OF_ALL = re.compile(rb"^#[ \t]*(?:global\.|meta::)", re.MULTILINE)
_MOST_STARTS = 1 << 18
_LINE_FEED, _HASH = b"\n#"


class UncuttableError(Exception):
    """A file cannot be cut; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Where a document or a record begins.

    Args:
        start: the byte of the file.
        lines: how many lines stand before it.
        name: what it is called; empty if by its number.
        head: the lines before it that say how it is to be read.
        counted: whether it counts among those that are called by their number.
        group: the document of a row that has an id.

    """

    start: int
    lines: int
    name: str
    head: bytes = b""
    counted: bool = True
    group: str = ""


Marks = Callable[["AnyPath", "Request"], Iterator[Mark]]
"""Finds where documents begin in a file."""


@dataclass(frozen=True, eq=False, slots=True)
class Starts:
    """Where sentences of a file begin: the first, and of the others every so-manieth.

    Args:
        step: how many sentences lie between two that are told, a power of two.
        start: the byte that each begins at.
        lines: how many lines stand before it.
        count: how many sentences there are in all.

    """

    step: int
    start: Rows
    lines: Rows
    count: int


Sentences = Callable[["AnyPath", "Request"], Starts]
"""Finds where sentences begin in a file that marks no documents."""


@dataclass(frozen=True, eq=False, slots=True)
class Chunk:
    """Some whole lines of a file.

    Args:
        start: the byte of the file at which they begin.
        lines: how many lines stand before them.
        data: their bytes.
        ends: which of these end a line: to count them is many times as fast as to seek them.

    """

    start: int
    lines: int
    data: bytes
    ends: Truths

    def count(self, begin: int, end: int) -> int:
        """Return how many lines end between two places."""
        return int(np.count_nonzero(self.ends[begin:end]))

    def lines_at(self, pattern: re.Pattern[bytes]) -> Iterator[int]:
        """Give where the lines stand that a pattern fits; it begins with a line end, which is sought far faster."""
        if pattern.match(b"\n" + self.data[:_LONGEST_MARK]):
            yield 0
        yield from (found.start() + 1 for found in pattern.finditer(self.data))


def chunks(file: AnyPath, *, sentences: bool) -> Iterator[Chunk]:
    """Read a file chunk by chunk; each ends behind a line, or behind an empty one where sentences are to stay whole.

    A byte-order mark is in none.
    """
    start = lines = 0
    rest = b""
    with file.open("rb") as stream:
        while True:
            more = stream.read(CHUNK)
            data = rest + more
            if not start and data.startswith(BOM_UTF8):
                start, data = len(BOM_UTF8), data.removeprefix(BOM_UTF8)
            end = len(data) if not more else _last_end(data, sentences=sentences)
            if end:
                chunk = Chunk(start, lines, data[:end], np.frombuffer(data, np.uint8, end) == _LINE_FEED)
                yield chunk
                start, lines = start + end, lines + chunk.count(0, end)
            rest = data[end:]
            if not more:
                return
            if len(rest) > _LONGEST:
                what = "sentence" if sentences else "line"
                raise UncuttableError(f"{file.name} has a {what} of more than {_LONGEST >> 20} MB")


def _last_end(data: bytes, *, sentences: bool) -> int:
    """Return where the last whole line, or the last sentence with the empty line behind it, ends; 0 for nowhere."""
    if not sentences:
        return data.rfind(b"\n") + 1
    end = data.rfind(b"\n\n")
    if end >= 0:
        return end + 2
    return max((found.end() for found in _BLANK.finditer(data)), default=0)


def marked_lines(
    file: AnyPath, pattern: re.Pattern[bytes], named: Callable[[str], str | None], *, heads: bool = False
) -> Iterator[Mark]:
    """Mark the lines that begin documents, in files of sentences with empty lines between them.

    What stands before the first mark is a document of the file's name, if there are words in it.

    Args:
        file: the file.
        pattern: finds lines that may begin a document; it begins with the line end before.
        named: the name that a line gives the document that begins there, maybe none; None if it begins none.
        heads: whether a document takes the comments right before its mark along, and those that hold from where they
            stand to the end of the file are to be repeated.

    """
    words, head = False, b""
    for chunk in chunks(file, sentences=True):
        done, lines = 0, chunk.lines
        for line in chunk.lines_at(pattern):
            name = named(_text(chunk.data, line))
            if name is None:
                continue
            begin = _comments_before(chunk.data, line) if heads else line
            if not words and _WORD.search(chunk.data, done, begin):
                yield Mark(start=0, lines=0, name="", counted=False)
                words = True
            head = _held(head, chunk.data, done, begin) if heads else b""
            lines += chunk.count(done, begin)
            yield (
                Mark(start=chunk.start + begin, lines=lines, name=name, head=head)
                if words
                else Mark(start=0, lines=0, name=name)
            )
            words, done = True, begin
        if not words and _WORD.search(chunk.data, done):
            yield Mark(start=0, lines=0, name="", counted=False)
            words = True
        head = _held(head, chunk.data, done, len(chunk.data)) if heads else b""


def _text(data: bytes, line: int) -> str:
    end = data.find(b"\n", line)
    return data[line : end if end >= 0 else len(data)].decode("utf-8", "replace").rstrip("\r")


def _comments_before(data: bytes, line: int) -> int:
    """Return where the first of the comments stands that lead up to a line."""
    while line:
        before = data.rfind(b"\n", 0, line - 1) + 1
        if data[before : before + 1] != b"#":
            break
        line = before
    return line


def _held(head: bytes, data: bytes, begin: int, end: int) -> bytes:
    """Return the comments that hold behind a place, given those that held before."""
    kept = {line.partition(b"=")[0].strip(): line for line in head.splitlines(keepends=True)}
    for found in _GLOBAL.finditer(data, begin, end):
        kept[found[0].partition(b"=")[0].strip()] = found[0].replace(b"\r\n", b"\n")
    return b"".join(kept.values())


def sentences_between_blank_lines(file: AnyPath, request: Request) -> Starts:
    """Tell where sentences begin that have empty lines between them; comments stand before the words of theirs."""
    del request
    return gathered_starts(map(_sentences_of, chunks(file, sentences=True)))


def _sentences_of(chunk: Chunk) -> tuple[Rows, Rows]:
    """Return where the sentences of a chunk begin, and the lines before them."""
    if found := _OF_ALL.search(chunk.data):
        line = chunk.lines + chunk.count(0, found.start()) + 1
        raise UncuttableError(f"line {line:,} holds for the whole file")
    data = np.frombuffer(chunk.data, np.uint8)
    begins = np.append(0, np.flatnonzero(chunk.ends) + 1)
    begins = begins[: np.searchsorted(begins, len(data))]
    blank = _blank_lines(chunk.data, data, begins)
    block = np.cumsum(blank)
    with_words = np.unique(block[~blank & (data[begins] != _HASH)])
    opens = np.flatnonzero(~blank & np.append(True, blank[:-1]))
    lines = opens[np.isin(block[opens], with_words)]
    return chunk.start + begins[lines], chunk.lines + lines


def _blank_lines(text: bytes, data: NDArray[np.uint8], begins: Rows) -> Truths:
    """Return which lines hold nothing but white space."""
    blank: Truths = data[begins] == _LINE_FEED
    for line in np.flatnonzero(np.isin(data[begins], list(b" \t\r"))).tolist():
        end = int(begins[line + 1]) if line + 1 < len(begins) else len(text)
        blank[line] = not text[int(begins[line]) : end].strip()
    return blank


def gathered_starts(found: Iterable[tuple[Rows, Rows]]) -> Starts:
    """Gather where sentences begin, thinned out where there are many."""
    step, count, kept = 1, 0, np.zeros((2, 0), np.int64)
    for start, lines in found:
        more = np.stack([start, lines])[:, -count % step :: step]
        count += len(start)
        kept = np.concatenate([kept, more], axis=1)
        while kept.shape[1] > _MOST_STARTS:
            kept, step = kept[:, ::2], 2 * step
    return Starts(step, kept[0], kept[1], count)


# Where records begin in large files of JSON lines and of delimited rows, and what they are called.
#
# The format's own reader reads the first records. What names them is then the field, or the column, that holds just the
# names it gave: nobody else has to know which fields a reader prefers.


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
        return iter([Mark(start=0, lines=0, name="", counted=False)])
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
        return load_files([Stretch(file=file, start=0, stop=stop)], side=request.side)
    except InputError as problem:
        raise UncuttableError(str(problem)) from None


@dataclass(frozen=True, slots=True, kw_only=True)
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
            return cls(names=ids, groups=groups, rows=True, count=len(ids), numbered=ids == _numbers("", len(ids)))
        if not documents.marked:
            raise _UnmarkedError(f"{source.parts[0].name} marks no documents")
        names = list(documents.names)
        numbered = names == _numbers("document ", len(names))
        return cls(names=names, groups=None, rows=False, count=len(names), numbered=numbered)

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
                yield Mark(
                    start=start, lines=before, name=name, head=head, group="" if fields[-1] is None else str(group)
                )
            last = name


def _numbers(before: str, count: int) -> list[str]:
    return [f"{before}{number}" for number in range(1, count + 1)]
