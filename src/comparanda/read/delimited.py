"""CSV and TSV: one row is one classified thing.

Fields may be quoted by the rules of CSV, and then hold separators and line ends. In TSV a quote is a
character like any other unless `quotes=yes`: most TSV files of this field are written without quoting,
and a text in them may well begin with a quote.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from comparanda.errors import ReadError, UsageError
from comparanda.places import Note, Source, first_places, refuse
from comparanda.read.request import Format, Request, choose
from comparanda.read.rows import (
    BY_NUMBER,
    ID_NAMES,
    LABEL_NAMES,
    Choice,
    Names,
    Rows,
    choose_columns,
    labels_of,
    normal,
    rows_corpus,
)
from comparanda.read.scan import check_line_lengths

if TYPE_CHECKING:
    from _csv import Reader

    from numpy.typing import NDArray

    from comparanda.corpus import Corpus

_WORDS = {"comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|", "space": " "}
_OTHERS = ";\t|,"


@dataclass(frozen=True, slots=True)
class _Dialect:
    separator: str
    quotes: bool

    def reader(self, lines: Iterator[str] | list[str]) -> Reader:
        if self.quotes:
            return csv.reader(lines, delimiter=self.separator, strict=True)
        return csv.reader(lines, delimiter=self.separator, quoting=csv.QUOTE_NONE, strict=True)


@dataclass(eq=False)
class _Reading:
    """The rows of all files of a source, blank lines left out, with the byte at which each begins."""

    source: Source
    dialect: _Dialect
    rows: list[list[str]]
    offset: NDArray[np.int64]
    blank: NDArray[np.int64]

    @property
    def first(self) -> list[str]:
        return self.rows[0]


def _dialect(request: Request, separator: str) -> _Dialect:
    given = request.options.get("separator", separator)
    chosen = _WORDS.get(given, given)
    if len(chosen) != 1 or chosen in '"\r\n':
        hint = f"one character, or a word: {', '.join(_WORDS)}"
        raise UsageError(f"separator={given!r} is not possible", hint=hint)
    default = ("no", "yes") if separator == "\t" else ("yes", "no")
    return _Dialect(chosen, choose(request.options, "quotes", default) == "yes")


def _scanned(source: Source, dialect: _Dialect, max_line: int) -> _Reading:
    check_line_lengths(source, 0, source.size, max_line)
    rows: list[list[str]] = []
    begins, blank = [], []
    stops = [*(part.begin for part in source.parts[1:]), source.size]
    for part, stop in zip(source.parts, stops, strict=True):
        found, lines = _part(source, dialect, part.begin, stop)
        newlines = np.flatnonzero(source.buffer[part.begin : stop] == 10)
        starts = np.append(0, newlines + 1).astype(np.int64)[np.array(lines, dtype=np.int64)] + part.begin
        filled = np.fromiter(map(bool, found), dtype=np.bool_, count=len(found))
        last = np.flatnonzero(filled)[-1] if filled.any() else 0
        blank.append(starts[:last][~filled[:last]])
        begins.append(starts[filled])
        rows += found if filled.all() else filter(None, found)
    return _Reading(source, dialect, rows, np.concatenate(begins), np.concatenate(blank))


def _part(source: Source, dialect: _Dialect, begin: int, end: int) -> tuple[list[list[str]], list[int]]:
    """Read the rows of one file, each with the number of its first line, from 0."""
    rows: list[list[str]] = []
    lines: list[int] = []
    text = io.StringIO(str(source.data[begin:end], "utf-8"), newline="\n")
    reader = dialect.reader(text)
    line = 0
    with _long_fields(end - begin):
        try:
            for row in reader:
                rows.append(row)
                lines.append(line)
                line = reader.line_num
        except csv.Error as problem:
            raise _broken(source, begin, line, str(problem)) from None
    return rows, lines


@contextmanager
def _long_fields(size: int) -> Iterator[None]:
    """Let a field be as long as its file: lines are limited already, and a quoted field may span many."""
    before = csv.field_size_limit(max(size, csv.field_size_limit()))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _broken(source: Source, begin: int, line: int, problem: str) -> ReadError:
    offset = begin
    for _ in range(line):
        offset = source.data.index(b"\n", offset) + 1
    if "unexpected end" in problem:
        what, hint = "a quote opens in this row and never closes", 'close it; a quote inside quotes is doubled: ""'
    elif "expected after" in problem:
        what = "there is text behind a closing quote in this row"
        hint = 'a quote inside quotes is doubled: ""; if quotes are plain characters: ?quotes=no'
    elif "new-line" in problem:
        what, hint = "there is a carriage return inside this row", "end lines by LF or CRLF"
    else:
        what, hint = f"this row is broken: {problem}", "quote its fields"
    return refuse(source, offset, what, hint=hint)


def _has_header(reading: _Reading, request: Request) -> tuple[bool, str | None]:
    """Whether the first row names the columns, and what to note if that was not certain."""
    given = choose(request.options, "header", ("auto", "yes", "no"))
    if given != "auto":
        return given == "yes", None
    names = {normal(cell) for cell in reading.first}
    requested = [request.options.get(option) for option in ("id", "label", "document")]
    asked = [name for name in [*requested, request.value] if name and name != BY_NUMBER and not name.isdecimal()]
    if asked or names & {*ID_NAMES[0], *ID_NAMES[1], *LABEL_NAMES[0]}:  # a name that is not there is refused later
        return True, None
    if names & set(LABEL_NAMES[1]):
        return True, "the first row read as the header; say so with ?header=yes"
    return False, "no header known, the first row read as data; say so with ?header=no"


def _check_widths(reading: _Reading, *, header: bool) -> int:
    """Return the number of columns; refuse a row that has another."""
    width = len(reading.first)
    widths = np.fromiter(map(len, reading.rows), dtype=np.int64, count=len(reading.rows))
    if (widths == width).all():
        return width
    row = int(np.flatnonzero(widths != width)[0])
    offset, separator = int(reading.offset[row]), reading.dialect.separator
    lines = sum(cell.count("\n") for cell in reading.rows[row])
    details = [f"the row goes on for {lines} more lines: is a quote left open?"] if lines else []
    if not reading.dialect.quotes and '"' in "".join(reading.rows[row]):
        hint = "if fields are quoted: ?quotes=yes"
    elif widths[row] > width and reading.dialect.quotes:
        hint = f"a field that contains {separator!r} must stand in double quotes"
    else:
        hint = f"columns are separated by {separator!r}; another one: ?separator=…"
    count = f"{widths[row]} column{'s' if widths[row] > 1 else ''}"
    raise ReadError(
        f"{count}, but the {'header' if header else 'first row'} has {width}",
        where=str(reading.source.locate(offset)),
        details=details,
        hint=hint,
    )


def _check_separator(reading: _Reading, request: Request) -> None:
    if len(reading.first) > 1 or {"separator", "split"} & set(request.options):
        return
    for other in _OTHERS:
        if all(other in row[0] for row in reading.rows[:20]):
            word = next(word for word, character in _WORDS.items() if character == other)
            what = f"one column, and every row contains {other!r}"
            raise refuse(
                reading.source, int(reading.offset[0]), what, hint=f"separate columns by it: ?separator={word}"
            )


def _drop_headers(reading: _Reading) -> None:
    """Take the header off the rows, of every file; all must have the same."""
    header, source = reading.first, reading.source
    firsts = np.unique(np.searchsorted(reading.offset, [part.begin for part in source.parts])).tolist()
    firsts = [row for row in firsts if row < len(reading.rows)]
    for row in firsts:
        if reading.rows[row] != header:
            hint = "files of one corpus must have the same columns in the same order"
            what = f"another header than in {source.parts[0].name}"
            raise refuse(source, int(reading.offset[row]), what, hint=hint)
    for row in reversed(firsts):
        del reading.rows[row]
    reading.offset = np.delete(reading.offset, firsts)


def _notes(reading: _Reading, request: Request, assumed: list[str]) -> list[Note]:
    source, side = reading.source, request.side
    place = first_places(source, reading.offset[:1])
    notes = [Note(side, what, 1, place) for what in assumed]
    if reading.blank.size:
        notes.append(Note(side, "blank lines passed over", len(reading.blank), first_places(source, reading.blank)))
    return notes


def _quoted(reading: _Reading, choice: Choice, side: str) -> list[Note]:
    """Note ids and labels that stand in quotes although quotes mean nothing here."""
    if reading.dialect.quotes or b'"' not in reading.source.data:
        return []
    read = [number for number in (choice.id, choice.label, choice.document) if number is not None]
    rows = [
        row
        for row, cells in enumerate(reading.rows)
        if any(len(cells[number]) > 1 and cells[number][0] == cells[number][-1] == '"' for number in read)
    ]
    if not rows:
        return []
    what = "rows with an id or label in quotes, kept as they are; take them off with ?quotes=yes"
    return [Note(side, what, len(rows), first_places(reading.source, reading.offset[rows[:3]]))]


def read(source: Source, request: Request, *, name: str, separator: str) -> Corpus:
    """Read a classification file; rows are found by their ids."""
    reading = _scanned(source, _dialect(request, separator), request.max_line)
    place = str(source.locate(int(reading.offset[0]))) if reading.rows else source.parts[0].name
    if not reading.rows:
        raise ReadError("there are no rows in this file", where=place)
    header, doubt = _has_header(reading, request)
    width = _check_widths(reading, header=header)
    _check_separator(reading, request)
    names = Names(tuple(reading.first) if header else (), width, place, positions=True)
    choice = choose_columns(names, request)
    notes = _notes(reading, request, [*([doubt] if doubt else []), *choice.assumed])
    if header:
        _drop_headers(reading)
    if not reading.rows:
        hint = "if the first row is data: ?header=no"
        raise ReadError("there is a header, but there are no rows", where=place, hint=hint)
    notes += _quoted(reading, choice, request.side)
    merge = choose(request.options, "several", ("no", "rows")) == "rows"
    rows = _rows(reading, choice, request.options.get("split"), merge=merge)
    return rows_corpus(rows, source, request, name=name, merge=merge, notes=notes)


def _rows(reading: _Reading, choice: Choice, separator: str | None, *, merge: bool) -> Rows:
    cells = reading.rows

    def column(number: int) -> list[str]:
        return [row[number] for row in cells]

    several = merge or separator is not None
    labels = column(choice.label)
    return Rows(
        None if choice.id is None else column(choice.id),
        labels_of(labels, separator) if several else labels,
        reading.offset,
        None if choice.document is None else column(choice.document),
        {name: [cell or None for cell in column(number)] for name, number in choice.extra.items()},
        several,
    )


def _head(lines: list[str], dialect: _Dialect) -> list[list[str]]:
    """Return the rows of the first lines; a row that is cut off at their end is left out."""
    rows: list[list[str]] = []
    with suppress(csv.Error):  # the reader will say what is wrong, and where
        rows.extend(dialect.reader([line + "\n" for line in lines]))
    return rows


def _is_table(rows: list[list[str]]) -> bool:
    widths = {len(row) for row in rows}
    return len(widths) == 1 and min(widths) > 1


def sniff_csv(lines: list[str]) -> bool:
    """Whether the first lines look like CSV: as many commas in every row, no tab in the first."""
    first = next((line for line in lines if line.strip()), "")
    if "\t" in first or first.lstrip()[:1] in {"{", "["}:
        return False
    return _is_table([row for row in _head(lines, _Dialect(",", quotes=True)) if row])


def sniff_tsv(lines: list[str]) -> bool:
    """Whether the first lines look like TSV: as many tabs in every line, no blank lines between them."""
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return bool(lines) and lines[0].lstrip()[:1] != "{" and _is_table([line.split("\t") for line in lines])


_OPTIONS = {
    "label": "the column of labels: a name, or a number from 1 (default: 'label' and the like, else the last column)",
    "id": "the column of ids (default: 'id' and the like, else the first column); 'row' for the number of each row",
    "header": "whether the first row names the columns: auto, yes, no",
    "split": "the separator of several labels in one cell, for example ;",
    "several": "'rows' if rows of one id are one row with several labels",
    "document": "the column that names each row's document",
    "separator": "the separator of columns: one character, or comma, tab, semicolon, pipe, space",
}

CSV = Format(
    name="csv",
    summary="comma-separated rows with an id and a label, for classification",
    shapes=frozenset({"rows"}),
    suffixes=(".csv",),
    options=_OPTIONS | {"quotes": "whether fields may be quoted: yes, no"},
    sniff=sniff_csv,
    read=partial(read, name="csv", separator=","),
)

TSV = Format(
    name="tsv",
    summary="tab-separated rows with an id and a label, for classification",
    shapes=frozenset({"rows"}),
    suffixes=(".tsv", ".tab"),
    options=_OPTIONS | {"quotes": "whether fields may be quoted: no, yes"},
    sniff=sniff_tsv,
    read=partial(read, name="tsv", separator="\t"),
)
