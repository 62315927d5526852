"""CoNLL-U: ten tab-separated columns, comments, multiword ranges, empty nodes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import Slices, TextColumn, code_type, head8, window
from comparanda.corpus import Corpus
from comparanda.errors import ReadError, UsageError, nearest
from comparanda.interning import Interner
from comparanda.places import Source, refuse
from comparanda.read.marks import Marks
from comparanda.read.request import Format, Request
from comparanda.read.scan import (
    TAB,
    Block,
    blank_spaces_removed,
    blocks,
    offset_type,
    sentence_offsets,
    word8,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Codes, Rows

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
WIDTH = len(COLUMNS)
NOT_ANNOTATED = "_"

_HASH = ord("#")
_NEWDOC = (word8(b"# newdoc"), word8(b"#newdoc "))
_META = word8(b"# meta::")
_DASHES, _DOTS = (np.uint64(int.from_bytes(byte * 8, "little")) for byte in (b"-", b"."))
_ONES, _HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)


def column_number(name: str) -> int:
    """Return the index of a column given by its name or its number (1 to 10).

    >>> column_number("upos"), column_number("4")
    (3, 3)
    """
    lowered = name.lower()
    if lowered in COLUMNS:
        return COLUMNS.index(lowered)
    if name.isdecimal() and 1 <= int(name) <= WIDTH:
        return int(name) - 1
    raise UsageError(
        f"CoNLL-U has no column {name!r}{nearest(lowered, COLUMNS)}",
        hint=f"columns: {', '.join(COLUMNS)}, or 1–10",
    )


@dataclass(eq=False)
class _Reading:
    """The growing columns of one file."""

    source: Source
    wanted: dict[str, int]
    marks: Marks
    rows: int = 0
    start: list[Codes] = field(default_factory=list)
    length: list[Codes] = field(default_factory=list)
    codes: dict[str, list[Codes]] = field(default_factory=dict)
    interners: dict[str, Interner] = field(default_factory=dict)
    cuts: list[Rows] = field(default_factory=list)
    view: NDArray[np.uint64] = field(init=False)

    def __post_init__(self) -> None:
        buffer = self.source.buffer
        self.view = window(buffer)
        self.codes = {name: [] for name in self.wanted}
        self.interners = {name: Interner(buffer) for name in self.wanted}

    def add(self, block: Block) -> None:
        """Take over the words of one block."""
        first = (block.first8 & np.uint64(0xFF)).astype(np.uint8)
        blank = block.end == block.start
        comment = first == _HASH
        comment &= ~blank
        lines = np.flatnonzero(~(blank | comment))
        if (block.fields[lines] != WIDTH).any():
            bad = lines[block.fields[lines] != WIDTH][0]
            raise _ragged(self.source, block, int(bad))
        blank_lines = np.flatnonzero(blank)
        lines = self._words(block, lines, blank_lines)
        self._remember_marks(block, np.flatnonzero(comment), lines)
        start, length = block.field(lines, 1, WIDTH)
        kind = offset_type(self.source)
        self.start.append(start.astype(kind))
        self.length.append(length.astype(np.uint32))
        for name, number in self.wanted.items():
            codes = self.interners[name].encode(*block.field(lines, number, WIDTH))
            self.codes[name].append(codes.astype(code_type(len(self.interners[name].names)), copy=False))
        self.cuts.append(np.searchsorted(lines, blank_lines) + self.rows)
        self.rows += len(lines)

    def _words(self, block: Block, lines: Rows, blank_lines: Rows) -> Rows:
        """Check the ids and leave out ranges (3-4) and empty nodes (8.1)."""
        start, length = block.field(lines, 0, WIDTH)
        ids = head8(self.view, start, length)
        wrong = ids != _expected_ids(lines, blank_lines)
        if not wrong.any():
            return lines
        special = _has_byte(ids, _DASHES) | _has_byte(ids, _DOTS)
        lines, ids, start = lines[~special], ids[~special], start[~special]
        wrong = ids != _expected_ids(lines, blank_lines)
        if wrong.any():
            raise _bad_id(self.source, int(start[wrong][0]))
        return lines

    def _remember_marks(self, block: Block, comments: Rows, lines: Rows) -> None:
        heads = block.first8[comments]
        newdoc = (heads == _NEWDOC[0]) | (heads == _NEWDOC[1])
        for line in comments[newdoc | (heads == _META)].tolist():
            text = str(self.source.data[int(block.start[line]) : int(block.end[line])], "utf-8")
            row = self.rows + int(np.searchsorted(lines, line))
            self.marks.comment(text, row, int(block.start[line]))


def _expected_ids(lines: Rows, blank_lines: Rows) -> NDArray[np.uint64]:
    """Return the id that each word line must carry: 1, 2, 3 … in each sentence, as eight bytes."""
    cuts = np.searchsorted(lines, blank_lines)
    bounds = np.concatenate([np.zeros(1, np.int64), cuts, np.array([len(lines)], np.int64)])
    sizes = np.diff(bounds)
    place = np.arange(len(lines)) - np.repeat(bounds[:-1], sizes)
    expected: NDArray[np.uint64] = _id_bytes(int(sizes.max()))[place]
    return expected


_ID_BYTES = np.zeros(0, np.uint64)


def _id_bytes(count: int) -> NDArray[np.uint64]:
    """Return the decimal texts of 1 … count as eight-byte integers, from a table that grows."""
    global _ID_BYTES  # noqa: PLW0603 - a cache: its content depends on nothing but its length
    if len(_ID_BYTES) < count:
        texts = (int.from_bytes(str(n).encode(), "little") for n in range(1, 2 * count + 256))
        _ID_BYTES = np.fromiter(texts, dtype=np.uint64)
    return _ID_BYTES


def _has_byte(words: NDArray[np.uint64], byte8: np.uint64) -> NDArray[np.bool_]:
    """Whether any of the eight bytes of each word equals a byte (the classic zero-byte test)."""
    different = words ^ byte8
    found: NDArray[np.bool_] = ((different - _ONES) & ~different & _HIGHS) != 0
    return found


def _ragged(source: Source, block: Block, line: int) -> ReadError:
    text = str(source.data[int(block.start[line]) : int(block.end[line])], "utf-8")
    fields = int(block.fields[line])
    hint = "columns are separated by one tab"
    if fields == 1 and not text.strip():
        hint = "the line holds only white space; a sentence ends at an empty line"
    elif len(text.split()) >= WIDTH:
        hint = "the columns of this line are separated by spaces; CoNLL-U wants tabs"
    return refuse(source, int(block.start[line]), f"{fields} columns, CoNLL-U has {WIDTH}", hint=hint)


def _bad_id(source: Source, offset: int) -> ReadError:
    found = source.line_at(offset).split("\t")[0]
    previous = source.data.rfind(b"\n", 0, max(0, offset - 1)) + 1
    before = source.line_at(previous).split("\t")[0] if offset else ""
    expected = int(before) + 1 if before.isdecimal() else 1
    if not re.fullmatch(r"\d+(-\d+|\.\d+)?", found):
        return refuse(source, offset, f"the id {found!r} is no number, range (3-4) or empty node (8.1)")
    hint = "ids count 1, 2, 3 … in each sentence; sentences are separated by an empty line"
    return refuse(source, offset, f"the id is {found}, expected {expected}", hint=hint)


def read(source: Source, request: Request) -> Corpus:
    """Read CoNLL-U; words are the rows, ranges and empty nodes are passed over."""
    value = request.options.get("column") or request.value or "upos"
    wanted = {"value": column_number(value)}
    wanted |= {name: COLUMNS.index(name) for name in request.extra if name in COLUMNS}
    reading = _Reading(source, wanted, Marks(source))
    try:
        for block in blocks(source, TAB, request.max_line):
            reading.add(block)
    except ReadError:
        cleaned = blank_spaces_removed(source, request.side)
        if cleaned is None:
            raise
        return read(cleaned, request)
    if not reading.rows:
        raise ReadError("there are no words in this file", where=source.parts[0].name)
    start = np.concatenate(reading.start)
    columns = {name: _column(reading, name) for name in wanted}
    _check_annotated(columns["value"], value, source)
    sentences = sentence_offsets(reading.cuts, reading.rows)
    return Corpus(
        name=request.side,
        format="conllu",
        source=source,
        offset=start,
        words=Slices(source.buffer, start, np.concatenate(reading.length)),
        columns=columns,
        sentences=sentences,
        documents=reading.marks.documents(sentences, start),
        notes=source.notes,
    )


def _column(reading: _Reading, name: str) -> TextColumn:
    names = reading.interners[name].names
    codes = np.concatenate(reading.codes[name]).astype(code_type(len(names)), copy=False)
    return TextColumn(codes, tuple(names))


def _check_annotated(column: TextColumn, name: str, source: Source) -> None:
    if column.names == (NOT_ANNOTATED,):
        raise ReadError(
            f"the column {name!r} holds nothing but '_'",
            where=source.parts[0].name,
            hint=f"name another one: ::conllu?column=xpos (columns: {', '.join(COLUMNS)})",
        )


def sniff(lines: list[str]) -> bool:
    """Whether the first lines look like CoNLL-U: ten tab-separated fields, the first a number."""
    rows = [line.split("\t") for line in lines if line.strip() and not line.startswith("#")]
    return bool(rows) and all(len(row) == WIDTH and re.fullmatch(r"\d+([-.]\d+)?", row[0]) for row in rows)


FORMAT = Format(
    name="conllu",
    summary="CoNLL-U: ten columns, comments, multiword ranges, empty nodes",
    shapes=frozenset({"tokens"}),
    suffixes=(".conllu",),
    options={"column": f"the column to judge: {', '.join(COLUMNS[2:])}, or a number from 1"},
    sniff=sniff,
    read=read,
)
