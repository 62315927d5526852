"""Finding where documents and sentences begin in large files, to read a corpus in portions.

A format provides a function that finds document marks, and one that finds sentences in files without these. They may
be wrong about unusual files: the reader of a portion checks its documents, or the number of its sentences.
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
_MAX_CHUNK = 32 * CHUNK
_MAX_MARK = 64
_BLANK = re.compile(rb"\n[ \t\r]*\n")
_WORD = re.compile(rb"^[ \t]*[^#\s]", re.MULTILINE)
_GLOBAL = re.compile(rb"# ?global\.[^\n]*\n")
_FILE_WIDE = re.compile(rb"^#[ \t]*(?:global\.|meta::)", re.MULTILINE)
_MAX_STARTS = 1 << 18
_LINE_FEED, _HASH = b"\n#"


class UncuttableError(Exception):
    """Raised if a file cannot be split; the message is the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The beginning of a document or a record.

    Args:
        start: its offset in the file.
        lines: the number of lines before it.
        name: its name; empty if it is named by its number.
        head: earlier lines that are needed to read it, such as a header.
        counted: whether it counts for the numbers of those named by number.
        group: the document of a row with an id.

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
    """The beginnings of every n-th sentence of a file, including the first.

    Args:
        step: every `step`-th sentence is listed, a power of two.
        start: the offset of each.
        lines: the number of lines before each.
        count: the number of all sentences.

    """

    step: int
    start: Rows
    lines: Rows
    count: int


Sentences = Callable[["AnyPath", "Request"], Starts]
"""Finds where sentences begin in a file without document marks."""


@dataclass(frozen=True, eq=False, slots=True)
class Chunk:
    """Consecutive whole lines of a file.

    Args:
        start: their offset in the file.
        lines: the number of lines before them.
        data: their bytes.
        ends: which of the bytes end a line: counting them is many times faster than searching for them.

    """

    start: int
    lines: int
    data: bytes
    ends: Truths

    def count(self, begin: int, end: int) -> int:
        """Count the lines that end between two places."""
        return int(np.count_nonzero(self.ends[begin:end]))

    def lines_at(self, pattern: re.Pattern[bytes]) -> Iterator[int]:
        """Yield the offsets of lines that match a pattern, which begins with a line end because that is far faster."""
        if pattern.match(b"\n" + self.data[:_MAX_MARK]):
            yield 0
        yield from (found.start() + 1 for found in pattern.finditer(self.data))


def read_chunks(file: AnyPath, *, sentences: bool) -> Iterator[Chunk]:
    """Read a file in chunks that end after a line, or after an empty line if sentences are to stay whole.

    A byte-order mark is skipped.
    """
    start = lines = 0
    rest = b""
    with file.open("rb") as stream:
        while True:
            more = stream.read(CHUNK)
            data = rest + more
            if not start and data.startswith(BOM_UTF8):
                start, data = len(BOM_UTF8), data.removeprefix(BOM_UTF8)
            end = len(data) if not more else _find_last_end(data, sentences=sentences)
            if end:
                chunk = Chunk(start, lines, data[:end], np.frombuffer(data, np.uint8, end) == _LINE_FEED)
                yield chunk
                start, lines = start + end, lines + chunk.count(0, end)
            rest = data[end:]
            if not more:
                return
            if len(rest) > _MAX_CHUNK:
                what = "sentence" if sentences else "line"
                raise UncuttableError(f"{file.name} has a {what} of more than {_MAX_CHUNK >> 20} MB")


def _find_last_end(data: bytes, *, sentences: bool) -> int:
    """Return the end of the last whole line, or of the last sentence with its empty line; 0 if there is none."""
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

    Words before the first mark are a document named after the file.

    Args:
        file: the file.
        pattern: finds lines that may begin a document; it begins with the line end before.
        named: returns the name of the document that a line begins, maybe empty; None if it begins none.
        heads: whether a document includes the comments right before its mark, and `# global.` comments, which hold
            until the end of the file, are repeated.

    """
    words, head = False, b""
    for chunk in read_chunks(file, sentences=True):
        done, lines = 0, chunk.lines
        for line in chunk.lines_at(pattern):
            name = named(_line_text(chunk.data, line))
            if name is None:
                continue
            begin = _comments_before(chunk.data, line) if heads else line
            if not words and _WORD.search(chunk.data, done, begin):
                yield Mark(start=0, lines=0, name="", counted=False)
                words = True
            head = _collect_globals(head, chunk.data, done, begin) if heads else b""
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
        head = _collect_globals(head, chunk.data, done, len(chunk.data)) if heads else b""


def _line_text(data: bytes, line: int) -> str:
    end = data.find(b"\n", line)
    return data[line : end if end >= 0 else len(data)].decode("utf-8", "replace").rstrip("\r")


def _comments_before(data: bytes, line: int) -> int:
    """Return the offset of the first of the comments right before a line."""
    while line:
        before = data.rfind(b"\n", 0, line - 1) + 1
        if data[before : before + 1] != b"#":
            break
        line = before
    return line


def _collect_globals(head: bytes, data: bytes, begin: int, end: int) -> bytes:
    """Return the global comments in force after a place, given those in force before."""
    kept = {line.partition(b"=")[0].strip(): line for line in head.splitlines(keepends=True)}
    for found in _GLOBAL.finditer(data, begin, end):
        kept[found[0].partition(b"=")[0].strip()] = found[0].replace(b"\r\n", b"\n")
    return b"".join(kept.values())


def sentences_between_blank_lines(file: AnyPath, request: Request) -> Starts:
    """Find where sentences begin that are separated by empty lines; comments precede the words of their sentence."""
    del request
    return gathered_starts(map(_find_sentences, read_chunks(file, sentences=True)))


def _find_sentences(chunk: Chunk) -> tuple[Rows, Rows]:
    """Return the offsets of the sentences of a chunk, and the numbers of lines before them."""
    if found := _FILE_WIDE.search(chunk.data):
        line = chunk.lines + chunk.count(0, found.start()) + 1
        raise UncuttableError(f"line {line:,} applies to the whole file")
    data = np.frombuffer(chunk.data, np.uint8)
    begins = np.append(0, np.flatnonzero(chunk.ends) + 1)
    begins = begins[: np.searchsorted(begins, len(data))]
    blank = _find_blank_lines(chunk.data, data, begins)
    block = np.cumsum(blank)
    with_words = np.unique(block[~blank & (data[begins] != _HASH)])
    opens = np.flatnonzero(~blank & np.append(True, blank[:-1]))
    lines = opens[np.isin(block[opens], with_words)]
    return chunk.start + begins[lines], chunk.lines + lines


def _find_blank_lines(text: bytes, data: NDArray[np.uint8], begins: Rows) -> Truths:
    """Return a mask of the lines with only white space."""
    blank: Truths = data[begins] == _LINE_FEED
    for line in np.flatnonzero(np.isin(data[begins], list(b" \t\r"))).tolist():
        end = int(begins[line + 1]) if line + 1 < len(begins) else len(text)
        blank[line] = not text[int(begins[line]) : end].strip()
    return blank


def gathered_starts(found: Iterable[tuple[Rows, Rows]]) -> Starts:
    """Collect the beginnings of sentences, thinned out if there are many."""
    step, count, kept = 1, 0, np.zeros((2, 0), np.int64)
    for start, lines in found:
        more = np.stack([start, lines])[:, -count % step :: step]
        count += len(start)
        kept = np.concatenate([kept, more], axis=1)
        while kept.shape[1] > _MAX_STARTS:
            kept, step = kept[:, ::2], 2 * step
    return Starts(step, kept[0], kept[1], count)


# Finding where records begin in large files of JSON lines and of delimited rows, and their names.
#
# The format's own reader reads the first records. The field or column with exactly the names it assigned is then the
# one that names records, so this module need not know which fields a reader prefers.


SAMPLE = 50
"""The number of records that are read to find the field with their names."""

_BATCH = 1 << 12
_OBJECT = msgspec.json.Decoder(dict[str, Any])


class _UnmarkedError(UncuttableError):
    """Raised if the records are not documents, but sentences of one."""


def sentence_a_line(file: AnyPath, request: Request) -> Starts:
    """Find where sentences begin in JSON lines without document names: each line is one."""
    del request
    lines = ((start, before) for start, before, line in _iter_lines(file) if line.strip())
    batches = iter(lambda: list(islice(lines, _BATCH)), [])
    return gathered_starts((start, before) for start, before in (np.array(batch, np.int64).T for batch in batches))


def json_marks(read: Read) -> Callable[[AnyPath, Request], Iterator[Mark]]:
    """Make the function that marks records in JSON lines, given their reader."""
    return partial(_mark_json, read)


def _mark_json(read: Read, file: AnyPath, request: Request) -> Iterator[Mark]:
    lines = ((start, before, line) for start, before, line in _iter_lines(file) if line.strip())
    sample = list(islice(lines, SAMPLE))
    if not sample or not sample[0][2].lstrip().startswith(b"{"):
        raise UncuttableError(f"{file.name} does not have one JSON object per line")
    try:
        record_names = RecordNames.of(read, _load_head(file, request, sample[-1][0] + len(sample[-1][2])), request)
    except _UnmarkedError:
        return iter([Mark(start=0, lines=0, name="", counted=False)])
    records = [_decode_line(_OBJECT, file, before, line) for _, before, line in sample]
    fields = record_names.fields({name: [each.get(name) for each in records] for name in records[0]}, file)
    wanted = [(f"field{place}", Any, None) for place in range(len(fields))]
    names = {field: name for (field, _, _), name in zip(wanted, fields, strict=True) if name is not None}
    decoder = msgspec.json.Decoder(msgspec.defstruct("Record", wanted, rename=names, gc=False))
    rows = ((start, before, _decode_line(decoder, file, before, line)) for start, before, line in chain(sample, lines))
    found = ((start, before, [getattr(row, name, None) for name, _, _ in wanted]) for start, before, row in rows)
    return record_names.marks(found, fields)


def _decode_line(decoder: msgspec.json.Decoder[Any], file: AnyPath, before: int, line: bytes) -> Any:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, RecursionError):
        raise UncuttableError(f"{file.name}:{before + 1} is not a JSON object") from None


def table_marks(read: Read, dialect: Callable[[Request], Dialect]) -> Callable[[AnyPath, Request], Iterator[Mark]]:
    """Make the function that marks the rows of delimited files, given their reader and their dialect."""
    return partial(_mark_table, read, dialect)


def _mark_table(read: Read, dialect: Callable[[Request], Dialect], file: AnyPath, request: Request) -> Iterator[Mark]:
    rows = _iter_rows(file, dialect(request))
    sample = list(islice(rows, SAMPLE + 1))
    if len(sample) < 2:
        raise UncuttableError(f"{file.name} has too few rows")
    record_names = RecordNames.of(read, _load_head(file, request, sample[-1][0] + len(sample[-1][2])), request)
    header = record_names.count < len(sample)
    cells = [row for _, _, _, row in sample[header:]]
    fields = record_names.fields(
        {str(place): [each[place] for each in cells] for place in range(min(map(len, cells)))}, file
    )
    head = re.sub(rb"\r+\n", b"\n", sample[0][2]) if header else b""
    wanted = [None if name is None else int(name) for name in fields]
    every = ((start, before, row) for start, before, _, row in islice(chain(sample, rows), int(header), None))
    found = (
        (start, before, [None if place is None or place >= len(row) else row[place] for place in wanted])
        for start, before, row in every
    )
    return record_names.marks(found, fields, head)


def _iter_lines(file: AnyPath) -> Iterator[tuple[int, int, bytes]]:
    """Yield each line of a file with its offset and the number of lines before it."""
    for chunk in read_chunks(file, sentences=False):
        start, before = chunk.start, chunk.lines
        for line in io.BytesIO(chunk.data):
            yield start, before, line
            start, before = start + len(line), before + 1


def _iter_rows(file: AnyPath, dialect: Dialect) -> Iterator[tuple[int, int, bytes, list[str]]]:
    """Yield each row of a delimited file that is not blank; a quoted field may span several lines."""
    begin = before = 0
    given: list[bytes] = []

    def lines() -> Iterator[str]:
        nonlocal begin
        for start, _, line in _iter_lines(file):
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


def _load_head(file: AnyPath, request: Request, stop: int) -> Source:
    """Load a file up to an offset."""
    try:
        return load_files([Stretch(file=file, start=0, stop=stop)], side=request.side)
    except InputError as problem:
        raise UncuttableError(str(problem)) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordNames:
    """The names that the reader gives the first records.

    Args:
        names: the names of their documents, or the ids of rows.
        groups: for rows, the names of their documents; None if they have none.
        rows: whether these are rows, each with an id.
        count: the number of records.
        numbered: whether the names are the default ones by number.

    """

    names: list[str]
    groups: list[str] | None
    rows: bool
    count: int
    numbered: bool

    @classmethod
    def of(cls, read: Read, source: Source, request: Request) -> RecordNames:
        """Read the first records and collect their names."""
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
            return cls(names=ids, groups=groups, rows=True, count=len(ids), numbered=ids == _number_names("", len(ids)))
        if not documents.marked:
            raise _UnmarkedError(f"{source.parts[0].name} has no document marks")
        names = list(documents.names)
        numbered = names == _number_names("document ", len(names))
        return cls(names=names, groups=None, rows=False, count=len(names), numbered=numbered)

    def fields(self, candidates: dict[str, list[Any]], file: AnyPath) -> list[str | None]:
        """Find the fields that hold names, and last the field of groups, given the values of all fields.

        There may be no fields of names if records are named by number; the last one is None if there are no groups.
        """
        names, groups = (self._find_fields(each, candidates) for each in (self.names, self.groups))
        if not (names or self.numbered) or not (groups or self.groups is None):
            raise UncuttableError(f"{file.name} has no field with only the names of documents")
        return [*names, next(iter(groups), None)]

    def _find_fields(self, wanted: list[str] | None, candidates: dict[str, list[Any]]) -> list[str]:
        found = []
        for field, values in candidates.items() if wanted is not None else ():
            texts = list(map(str, values))
            if (texts if self.rows else [name for name, _ in groupby(texts)]) == wanted:
                found.append(field)
        return found

    def marks(
        self, found: Iterable[tuple[int, int, list[Any]]], fields: list[str | None], head: bytes = b""
    ) -> Iterator[Mark]:
        """Make the marks, given the offset of each record and the values of its fields.

        If several fields, or the numbers of records, could be the names, they must agree in all records.
        """
        last: str | None = None
        for number, (start, before, (*names, group)) in enumerate(found, start=1):
            candidates = {str(each) for each in names}
            if self.rows and self.numbered and candidates:
                candidates.add(str(number))
            if len(candidates) > 1:
                raise UncuttableError(f"the name of the record in line {before + 1:,} is ambiguous")
            name = "".join(candidates)
            if self.rows or not names or name != last:
                yield Mark(
                    start=start, lines=before, name=name, head=head, group="" if fields[-1] is None else str(group)
                )
            last = name


def _number_names(before: str, count: int) -> list[str]:
    return [f"{before}{number}" for number in range(1, count + 1)]
