"""Rows of cells in a delimited file, quoted or not, each with its offset."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.places import Source, make_read_error
from comparanda.errors import ReadError

if TYPE_CHECKING:
    from _csv import Reader

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Dialect:
    """The separator of columns, and whether fields may be quoted."""

    separator: str
    quotes: bool

    def reader(self, lines: Iterator[str] | list[str]) -> Reader:
        """Return a reader of the csv module for lines."""
        if self.quotes:
            return csv.reader(lines, delimiter=self.separator, strict=True)
        return csv.reader(lines, delimiter=self.separator, quoting=csv.QUOTE_NONE, strict=True)


@dataclass(frozen=True, slots=True)
class Layout:
    """The number of columns, the header that every file repeats, and the indices of the columns to retain."""

    width: int
    header: list[str] | None
    wanted: tuple[int, ...]


@dataclass(eq=False, kw_only=True)
class Cells:
    """Reads the wanted cells of all rows, with the byte at which each row begins."""

    source: Source
    dialect: Dialect
    cells: list[tuple[str, ...]] = field(default_factory=list)
    offset: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    blank: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    def _open_text(self, begin: int, end: int) -> io.StringIO:
        """Open the text of one file; only LF ends its lines."""
        return io.StringIO(str(memoryview(self.source.data)[begin:end], "utf-8"), newline="\n")

    def _iter_parts(self) -> Iterator[tuple[int, int]]:
        """Yield the begin and the end of each file."""
        begins = [part.begin for part in self.source.parts]
        yield from zip(begins, [*begins[1:], self.source.size], strict=True)

    def first_rows(self, limit: int = 20) -> tuple[int, list[list[str]]]:
        """Return the first rows of the first file that has any, and the byte at which they begin.

        Errors in them are left for `scan` to report.
        """
        for begin, end in self._iter_parts():
            rows: list[list[str]] = []
            first = line = 0
            reader = self.dialect.reader(self._open_text(begin, end))
            with suppress(csv.Error), _allow_long_fields(end - begin):
                for row in reader:
                    first = first if rows else line
                    line = reader.line_num
                    rows += [row] if row else []
                    if len(rows) == limit:
                        break
            if rows:
                return _line_offset(self.source, begin, first), rows
        return 0, []

    def scan(self, layout: Layout) -> None:
        """Read all files, retaining only the wanted cells."""
        offsets, blank = [self.offset], [self.blank]
        for begin, end in self._iter_parts():
            lines, gaps = self._read_part(layout, begin, end)
            newlines = np.flatnonzero(self.source.buffer[begin:end] == 10)
            starts = np.append(0, newlines + 1).astype(np.int64) + begin
            offsets.append(starts[np.array(lines, dtype=np.int64)])
            blank.append(starts[np.array([gap for gap in gaps if lines and gap < lines[-1]], dtype=np.int64)])
        self.offset, self.blank = np.concatenate(offsets), np.concatenate(blank)

    def _read_part(self, layout: Layout, begin: int, end: int) -> tuple[list[int], list[int]]:
        """Read one file; return the first line of each row, and the blank lines, counted from 0."""
        lines: list[int] = []
        blank: list[int] = []
        reader = self.dialect.reader(self._open_text(begin, end))
        select, append, width, line = itemgetter(*layout.wanted), self.cells.append, layout.width, 0
        header = layout.header
        with _allow_long_fields(end - begin):
            try:
                for row in reader:
                    if len(row) == width and header is None:
                        append(select(row))
                        lines.append(line)
                    elif not row:
                        blank.append(line)
                    elif len(row) != width:
                        raise self._width_error(layout, row, _line_offset(self.source, begin, line))
                    else:
                        self._check_header(layout, row, _line_offset(self.source, begin, line))
                        header = None
                    line = reader.line_num
            except csv.Error as problem:
                raise _csv_error(self.source, _line_offset(self.source, begin, line), str(problem)) from None
        return lines, blank

    def _check_header(self, layout: Layout, row: list[str], offset: int) -> None:
        if row != layout.header:
            hint = "files of one corpus must have the same columns in the same order"
            raise make_read_error(
                self.source, offset, f"the header differs from that of {self.source.parts[0].name}", hint=hint
            )

    def _width_error(self, layout: Layout, row: list[str], offset: int) -> ReadError:
        separator, quotes = self.dialect.separator, self.dialect.quotes
        lines = sum(cell.count("\n") for cell in row)
        details = [f"the row continues for {lines} more lines: is a quote not closed?"] if lines else []
        if not quotes and '"' in "".join(row):
            hint = "if fields are quoted: ?quotes=yes"
        elif len(row) > layout.width and quotes:
            hint = f"a field that contains {separator!r} must be in double quotes"
        else:
            hint = f"columns are separated by {separator!r}; to change it: ?separator=…"
        first = "first row" if layout.header is None else "header"
        return ReadError(
            f"expected {layout.width} column{'s'[: layout.width != 1]} as in the {first}, got {len(row)}",
            where=str(self.source.locate(offset)),
            details=details,
            hint=hint,
        )


@contextmanager
def _allow_long_fields(size: int) -> Iterator[None]:
    """Allow a field to be as long as its file: lines are limited already, and a quoted field may span many."""
    before = csv.field_size_limit(max(size, csv.field_size_limit()))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _line_offset(source: Source, begin: int, line: int) -> int:
    """Return the offset of a line, given by its number from 0 in the file that begins at `begin`."""
    for _ in range(line):
        begin = source.data.index(b"\n", begin) + 1
    return begin


def _csv_error(source: Source, offset: int, problem: str) -> ReadError:
    if "unexpected end" in problem:
        what, hint = "a quote opens in this row and never closes", 'close it; a quote inside quotes is doubled: ""'
    elif "expected after" in problem:
        what = "there is text after a closing quote in this row"
        hint = 'a quote inside quotes is doubled: ""; if quotes are plain characters: ?quotes=no'
    elif "new-line" in problem:
        what, hint = "there is a carriage return inside this row", "end lines by LF or CRLF"
    else:
        what, hint = f"this row is malformed: {problem}", "quote its fields"
    return make_read_error(source, offset, what, hint=hint)


def head_rows(lines: list[str], dialect: Dialect) -> list[list[str]]:
    """Parse the first lines into rows; a row that is cut off at their end is left out."""
    rows: list[list[str]] = []
    with suppress(csv.Error):  # the reader reports errors with their place
        rows.extend(dialect.reader([line + "\n" for line in lines]))
    return rows
