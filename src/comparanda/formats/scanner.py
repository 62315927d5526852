"""Splitting bytes into lines and fields, in blocks of about 2 MiB, without making strings.

One comparison finds every separator and newline of a block; lines, fields and their number are then
arithmetic on the offsets. Blocks end at a blank line, so a sentence never straddles two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.places import Note, Source
from comparanda.core.text_columns import PADDING, read_window
from comparanda.errors import ReadError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.text_columns import Rows

BLOCK = 1 << 21
MAX_LINE = 16 << 20
TAB, LINE_FEED, SPACE = 9, 10, 32


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Block:
    """The lines of one block.

    Args:
        start: the offset of each line's first byte.
        end: the offset of each line's newline.
        fields: the number of fields of each line; a blank line has one, empty.
        delimiters: the offsets of all separators and newlines.
        newline: for each line, the index of its newline among the delimiters.
        first8: the first eight bytes of each line, as one integer, whatever the line's length.

    """

    start: Rows
    end: Rows
    fields: Rows
    delimiters: Rows
    newline: Rows
    first8: NDArray[np.uint64]

    def cut(self, lines: Rows, width: int | None) -> Fields:
        """Return the fields of the given lines, which all have `width` of them, or None for any number."""
        return Fields(self, lines, width)

    def text(self, source: Source, line: int) -> str:
        """Return one line as text."""
        return str(source.data[int(self.start[line]) : int(self.end[line])], "utf-8")


class Fields:
    """The fields of some lines of a block, each computed once."""

    def __init__(self, block: Block, lines: Rows, width: int | None) -> None:
        self._block = block
        self._lines = lines
        self._first = block.newline[lines] - ((block.fields[lines] if width is None else width) - 1)
        self._ends: dict[int, Rows] = {}

    def slices(self, number: int) -> tuple[Rows, Rows]:
        """Return the offset and the length of one field of each line; -1 is the last."""
        if number < 0:
            return self._last(number)
        start = self._block.start[self._lines] if number == 0 else self._end(number - 1) + 1
        return start, self._end(number) - start

    def _last(self, number: int) -> tuple[Rows, Rows]:
        """Return the offset and the length of a field counted from the end."""
        place = self._block.newline[self._lines] + number + 1
        begins = np.maximum(self._block.delimiters[place - 1] + 1, self._block.start[self._lines])
        return begins, self._block.delimiters[place] - begins

    def _end(self, number: int) -> Rows:
        if number not in self._ends:
            self._ends[number] = self._block.delimiters[number:].take(self._first)
        return self._ends[number]


def encode_word8(text: bytes) -> np.uint64:
    """Convert eight bytes to the integer in `Block.first8` for a line that begins with them."""
    return np.uint64(int.from_bytes(text[:8], "little"))


def scan_blocks(source: Source, separator: int, max_line: int = MAX_LINE) -> Iterator[Block]:
    """Split a source into blocks of whole sentences and find the fields of every line."""
    buffer = source.buffer
    view = read_window(buffer)
    begin, size = 0, source.size
    while begin < size:
        end = _find_block_end(source, begin, size, max_line)
        part = buffer[begin:end]
        delimiters = np.flatnonzero(part <= (separator if separator == SPACE else LINE_FEED))
        kinds = part[delimiters]
        newline = np.flatnonzero(kinds == LINE_FEED)
        if _has_control_bytes(kinds, separator, len(newline)):  # other control bytes belong to the text
            delimiters = delimiters[(kinds == LINE_FEED) | (kinds == separator)]
            newline = np.flatnonzero(part[delimiters] == LINE_FEED)
        delimiters += begin
        line_end = delimiters[newline]
        start = np.empty_like(line_end)
        start[0] = begin
        start[1:] = line_end[:-1] + 1
        fields = np.diff(newline, prepend=-1)
        yield Block(
            start=start, end=line_end, fields=fields, delimiters=delimiters, newline=newline, first8=view[start]
        )
        begin = end


def _has_control_bytes(kinds: NDArray[np.uint8], separator: int, newlines: int) -> bool:
    """Whether there are bytes other than separators and newlines; no source has a NUL byte."""
    if separator == TAB:
        return bool(kinds.min() < TAB)
    return int(np.count_nonzero(kinds == separator)) + newlines != len(kinds)


def _find_block_end(source: Source, begin: int, size: int, max_line: int) -> int:
    """Return the end of the block that begins here: after a blank line, or at the end of the source."""
    data = source.data
    if begin + BLOCK >= size:
        end = size
    else:
        end = data.rfind(b"\n\n", begin, begin + BLOCK) + 2
        if end < 2:
            end = data.find(b"\n\n", begin + BLOCK - 1, size) + 2
            end = end if end >= 2 else size
    if end - begin > max_line:
        check_line_lengths(source, begin, end, max_line)
    return end


def check_line_lengths(source: Source, begin: int, end: int, max_line: int) -> None:
    """Refuse a line of more than `max_line` bytes."""
    while end - begin > max_line:
        newline = source.data.rfind(b"\n", begin, begin + max_line + 1)
        if newline < 0:
            raise ReadError(
                f"this line has more than {max_line:,} bytes",
                where=str(source.locate(begin)),
                hint="if that is right, raise the limit with --max-line",
            )
        begin = newline + 1


def sentence_offsets(rows_before_blank: list[Rows], total: int) -> NDArray[np.int64]:
    """Return the first row of each sentence, then the number of rows, dropping empty sentences."""
    cuts = np.concatenate([np.zeros(1, np.int64), *rows_before_blank, np.array([total], np.int64)])
    return cuts[np.diff(cuts, prepend=-1) > 0]


def offset_type(source: Source) -> type[np.uint32] | type[np.int64]:
    """Return the smallest integer type that can hold any offset of a source."""
    return np.uint32 if source.size < 2**32 else np.int64


def remove_blank_spaces(source: Source, side: str) -> Source | None:
    """Return the source with lines of only spaces and tabs made blank, or None if it has none."""
    cleaned, count = re.subn(rb"(?m)^[ \t]+$", b"", bytes(source.data[: source.size]))
    if not count:
        return None
    return replace_bytes(source, cleaned, Note(side, "lines of only white space read as blank", count))


def replace_bytes(source: Source, cleaned: bytes, *notes: Note) -> Source:
    """Return the source with its bytes replaced, line by line, and notes about the changes."""
    data = bytearray(cleaned + bytes(PADDING))
    line_begins = np.append(0, np.flatnonzero(np.frombuffer(cleaned, np.uint8) == LINE_FEED) + 1)
    lines_before, end = 0, 0
    parts = []
    for part in source.parts:
        lines_before += source.data.count(b"\n", end, part.begin)
        end = part.begin
        parts.append(replace(part, begin=int(line_begins[lines_before])))
    return Source(parts=tuple(parts), given=data, notes=(*source.notes, *notes), repaired=True, whole=source.whole)
