"""CSV and TSV: one row is one classified thing.

Fields may be quoted by the rules of CSV, and then hold separators and line ends. In TSV a quote is a
character like any other unless `quotes=yes`: most TSV files of this field are written without quoting,
and a text in them may well begin with a quote.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from comparanda.errors import ReadError, UsageError
from comparanda.places import Note, Source, first_places
from comparanda.read.cells import Cells, Dialect, Layout, head_rows
from comparanda.read.record_cuts import table_marks
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
    from numpy.typing import NDArray

    from comparanda.corpus import Corpus

SEPARATORS = {"csv": ",", "tsv": "\t"}
"""What separates columns, by format, if no option says otherwise."""

_WORDS = {"comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|", "space": " "}


def dialect_of(request: Request, separator: str) -> Dialect:
    """Return what separates columns and whether they may be quoted, given the separator of the format."""
    given = request.options.get("separator", separator)
    chosen = _WORDS.get(given, given)
    if len(chosen) != 1 or chosen in '"\r\n':
        hint = f"one character, or a word: {', '.join(_WORDS)}"
        raise UsageError(f"separator={given!r} is not possible", hint=hint)
    default = ("no", "yes") if separator == "\t" else ("yes", "no")
    return Dialect(chosen, choose(request.options, "quotes", default) == "yes")


def _has_header(first: list[str], request: Request) -> tuple[bool, tuple[str, ...]]:
    """Whether the first row names the columns, and what to note if that was not certain."""
    given = choose(request.options, "header", ("auto", "yes", "no"))
    if given != "auto":
        return given == "yes", ()
    names = {normal(cell) for cell in first}
    requested = [request.options.get(option) for option in ("id", "label", "document")]
    asked = [name for name in [*requested, request.value] if name and name != BY_NUMBER and not name.isdecimal()]
    if asked or names & {*ID_NAMES[0], *ID_NAMES[1], *LABEL_NAMES[0]}:  # a name that is not there is refused later
        return True, ()
    if names & set(LABEL_NAMES[1]):
        return True, ("the first row read as the header; say so with ?header=yes",)
    return False, ("no header known, the first row read as data; say so with ?header=no",)


def _check_separator(rows: list[list[str]], request: Request, where: str) -> None:
    if len(rows[0]) > 1 or {"separator", "split"} & set(request.options):
        return
    for word, other in _WORDS.items():
        if other != " " and all(other in row[0] for row in rows):
            what = f"one column, and every row contains {other!r}"
            raise ReadError(what, where=where, hint=f"separate columns by it: ?separator={word}")


def _quoted(reading: Cells, roles: int) -> NDArray[np.int64]:
    """Return the places of rows whose id, label or document stands in quotes although these mean nothing here."""
    if reading.dialect.quotes or b'"' not in reading.source.data:
        return np.zeros(0, np.int64)
    rows = [
        row
        for row, cells in enumerate(reading.cells)
        if any(len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in cells[:roles])
    ]
    return reading.offset[np.array(rows, dtype=np.int64)]


def _counted(reading: Cells, side: str, roles: int) -> list[Note]:
    """Note what was met in the rows."""
    quoted = "rows with an id or label in quotes, kept as they are; take them off with ?quotes=yes"
    met = {"blank lines passed over": reading.blank, quoted: _quoted(reading, roles)}
    return [
        Note(side, what, len(offsets), first_places(reading.source, offsets))
        for what, offsets in met.items()
        if offsets.size
    ]


@dataclass(frozen=True, slots=True)
class Plan:
    """How a file is made, as its first rows and the options say.

    Args:
        width: how many columns it has.
        header: what they are called; None where the first row is data.
        choice: which column is which.
        where: the place of the first row.
        assumed: what was not certain, for the notes.

    """

    width: int
    header: list[str] | None
    choice: Choice
    where: str
    assumed: tuple[str, ...]

    @classmethod
    def of(cls, reading: Cells, request: Request) -> Plan:
        """Look at the first rows; refuse a file that has none."""
        source = reading.source
        begin, head = reading.first_rows()
        if not head:
            reading.scan(Layout(1, None, (0,)))  # to say what is broken
            raise ReadError("there are no rows in this file", where=source.parts[0].name)
        first = head[0]
        where = str(source.locate(begin))
        header, doubts = _has_header(first, request)
        _check_separator(head, request, where)
        choice = choose_columns(Names(tuple(first) if header else (), len(first), where, positions=True), request)
        return cls(len(first), first if header else None, choice, where, (*doubts, *choice.assumed))


def read(source: Source, request: Request, *, name: str, separator: str) -> Corpus:
    """Read a classification file; rows are found by their ids."""
    check_line_lengths(source, 0, source.size, request.max_line)
    reading = Cells(source, dialect_of(request, separator))
    plan = Plan.of(reading, request)
    choice = plan.choice
    roles = [number for number in (choice.label, choice.id, choice.document) if number is not None]
    wanted = (*roles, *choice.extra.values(), choice.label)  # the label again: a pick of one alone is no tuple
    reading.scan(Layout(plan.width, plan.header, wanted))
    if not reading.cells:
        hint = "if the first row is data: ?header=no"
        raise ReadError("there is a header, but there are no rows", where=plan.where, hint=hint)
    notes = [Note(request.side, what, 1, (plan.where,)) for what in plan.assumed if source.opens]
    notes += _counted(reading, request.side, len(roles))
    merge = choose(request.options, "several", ("no", "rows")) == "rows"
    rows = _rows(reading, choice, request.options.get("split"), merge=merge)
    return rows_corpus(rows, source, request, name=name, merge=merge, notes=notes)


def _rows(reading: Cells, choice: Choice, separator: str | None, *, merge: bool) -> Rows:
    columns = ([cells[place] for cells in reading.cells] for place in count())
    several = merge or separator is not None
    labels = next(columns)
    return Rows(
        labels=labels_of(labels, separator) if several else labels,
        ids=None if choice.id is None else next(columns),
        documents=None if choice.document is None else next(columns),
        extra={name: [cell or None for cell in next(columns)] for name in choice.extra},
        offset=reading.offset,
        several=several,
    )


def _is_table(rows: list[list[str]]) -> bool:
    widths = {len(row) for row in rows}
    return len(widths) == 1 and min(widths) > 1


def sniff_csv(lines: list[str]) -> bool:
    """Whether the first lines look like CSV: as many commas in every row, no tab in the first."""
    first = next((line for line in lines if line.strip()), "")
    if "\t" in first or first.lstrip().startswith(("{", "[{")):
        return False
    return _is_table([row for row in head_rows(lines, Dialect(",", quotes=True)) if row])


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

_READ = {name: partial(read, name=name, separator=SEPARATORS[name]) for name in ("csv", "tsv")}

CSV = Format(
    name="csv",
    summary="comma-separated rows with an id and a label, for classification",
    shapes=frozenset({"rows"}),
    suffixes=(".csv",),
    options=_OPTIONS | {"quotes": "whether fields may be quoted: yes, no"},
    sniff=sniff_csv,
    read=_READ["csv"],
    marks=table_marks(_READ["csv"], partial(dialect_of, separator=SEPARATORS["csv"])),
)

TSV = Format(
    name="tsv",
    summary="tab-separated rows with an id and a label, for classification",
    shapes=frozenset({"rows"}),
    suffixes=(".tsv", ".tab"),
    options=_OPTIONS | {"quotes": "whether fields may be quoted: no, yes"},
    sniff=sniff_tsv,
    read=_READ["tsv"],
    marks=table_marks(_READ["tsv"], partial(dialect_of, separator=SEPARATORS["tsv"])),
)
