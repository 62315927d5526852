"""Where documents begin in large files: what is needed to read a corpus portion by portion.

A format says where by a function from a file to marks, and where sentences begin, for files that mark no documents. It
may be wrong about odd files: whoever reads a portion checks that its documents, or as many sentences, are there.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Rows, Truths
    from comparanda.read.request import Request
    from comparanda.remote import AnyPath

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


@dataclass(frozen=True, slots=True)
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
                yield Mark(0, 0, "", counted=False)
                words = True
            head = _held(head, chunk.data, done, begin) if heads else b""
            lines += chunk.count(done, begin)
            yield Mark(chunk.start + begin, lines, name, head) if words else Mark(0, 0, name)
            words, done = True, begin
        if not words and _WORD.search(chunk.data, done):
            yield Mark(0, 0, "", counted=False)
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
