"""CSV and TSV: one row is one classified item.

Fields may be quoted by the rules of CSV, and then hold separators and line ends. In TSV a quote is an
ordinary character unless `quotes=yes`: most TSV files in NLP are written without quoting, and texts in
them may well begin with a quote.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.core.corpus import Corpus, Documents
from comparanda.core.places import Note, Source, file_stem, first_places, make_read_error
from comparanda.core.text_columns import Slices, TextColumn, join_labels, split_labels
from comparanda.errors import ReadError, UsageError, suggest_nearest
from comparanda.formats.cells import Cells, Dialect, Layout, head_rows
from comparanda.formats.contract import Format, Request, choose_option
from comparanda.formats.cuts import table_marks
from comparanda.formats.scanner import check_line_lengths, offset_type

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Classification files: column roles and the corpus of rows, for CSV, TSV, JSONL, data frames and datasets.


Noun = Literal["column", "field"]

ID_NAMES = (
    ("id",),
    ("guid", "uid", "uuid", "example_id", "sentence_id", "sent_id", "text_id", "item_id", "row_id", "idx", "index"),
)
LABEL_NAMES = (
    ("label", "labels", "gold", "gold_label", "gold_labels", "prediction", "predictions", "predicted", "pred", "preds"),
    ("class", "category", "answer", "lang", "language", "relation", "sentiment", "intent", "stance"),
)
BY_NUMBER = "row"
"""The value of the option `id` that numbers the rows."""


def normalise_name(name: str) -> str:
    """Normalise a column's name: case, spaces and dashes do not matter.

    >>> normalise_name(" Sentence-ID")
    'sentence_id'
    """
    return name.strip().casefold().replace("-", "_").replace(" ", "_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The names of the columns of one input, for finding columns.

    Args:
        names: one name per column; empty if a file has no header.
        width: the number of columns.
        where: the place to report in errors.
        noun: the word for a column of this input.
        positions: whether columns are ordered, and so can be given by number.

    """

    names: tuple[str, ...]
    width: int
    where: str
    noun: Noun = "column"
    positions: bool = False

    def find(self, wanted: str) -> int:
        """Return the index of a column given by its name or its number; refuse one that does not exist."""
        for same in (str, normalise_name):
            found = [number for number, name in enumerate(self.names) if same(name) == same(wanted)]
            if len(found) == 1:
                return found[0]
            if found:
                raise ReadError(
                    f"{len(found)} {self.noun}s are named {wanted!r}",
                    where=self.where,
                    hint=f"choose one by its number: {', '.join(str(number + 1) for number in found)}",
                )
        if self.positions and len(wanted) < 10 and wanted.isdecimal() and 1 <= int(wanted) <= self.width:
            return int(wanted) - 1
        names = [name for name in self.names if name]
        numbers = f"numbers 1 to {self.width}" if self.positions else ""
        raise ReadError(
            f"there is no {self.noun} {wanted!r}{suggest_nearest(wanted, names)}",
            where=self.where,
            hint=f"{self.noun}s: {', '.join(filter(None, [*names, numbers]))}",
        )

    def known(self, tiers: Iterable[Sequence[str]], what: str, hint: str) -> int | None:
        """Return the only column with a well-known name, trying the best names first; None if there is none."""
        for tier in tiers:
            found = [number for number, name in enumerate(self.names) if normalise_name(name) in tier]
            if len(found) > 1:
                shown = " or ".join(repr(self.names[number]) for number in found)
                raise ReadError(f"the {what} could be in the {self.noun} {shown}", where=self.where, hint=hint)
            if found:
                return found[0]
        return None

    def present(self, wanted: Iterable[str]) -> dict[str, int]:
        """Return the indices of the wanted columns that exist, by name."""
        return {name: self.names.index(name) for name in wanted if name in self.names and name != "value"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The roles of columns.

    Args:
        label: the column of labels.
        id: the column of ids, or None to number the rows.
        document: the column that names each row's document, or None.
        extra: further columns, by name.
        assumed: decisions by position only, for the notes.

    """

    label: int
    id: int | None
    document: int | None
    extra: Mapping[str, int]
    assumed: tuple[str, ...]


def choose_columns(names: Names, request: Request) -> Choice:
    """Choose the role of each column by the options, else by well-known names, else by position."""
    options = request.options
    label, assumed = _choose_label(names, options.get("label") or request.value)
    given = options.get("id")
    number = names.find(given) if given and given != BY_NUMBER else None
    if given is None:
        number, found = _choose_id(names, label)
        assumed += found
    document = names.find(options["document"]) if "document" in options else None
    return Choice(label=label, id=number, document=document, extra=names.present(request.extra), assumed=assumed)


def _choose_label(names: Names, wanted: str | None) -> tuple[int, tuple[str, ...]]:
    if wanted is not None:
        return names.find(wanted), ()
    label = names.known(LABEL_NAMES, "label", 'choose one: --column NAME (in Python: column="NAME")')
    if label is not None:
        return label, ()
    if names.positions:
        last = names.width - 1
        shown = f" ({names.names[last]!r})" if names.names else ""
        return last, (f"the last column{shown} read as the label",) if names.width > 2 else ()
    raise ReadError(
        f"no {names.noun} has a usual name for the label",
        where=names.where,
        details=[f"{names.noun}s: {', '.join(names.names)}"],
        hint='name it: --column NAME (in Python: column="NAME")',
    )


def _choose_id(names: Names, label: int) -> tuple[int | None, tuple[str, ...]]:
    number = names.known(ID_NAMES, "id", "choose one: ?id=NAME, or ?id=row to use the number of each row")
    if number is not None and number != label:
        return number, ()
    if names.positions and names.width > 1 and label != 0:
        shown = f" ({names.names[0]!r})" if names.names else ""
        named = not names.names or bool(names.names[0])  # pandas leaves the name of its index empty
        return 0, (f"the first column{shown} read as the id",) if names.width > 2 and named else ()
    if names.width == 1:
        return None, ()
    return None, (f"no {names.noun} has a usual name for the id: rows are matched by their number",)


@dataclass(eq=False, kw_only=True)
class Rows:
    """The rows of a classification file, as read.

    Args:
        ids: the id of each row; None to number them.
        labels: the label of each row, or its labels written by `join_labels`.
        offset: the byte at which each row begins.
        documents: the document of each row, or None.
        extra: further columns.
        several: whether rows have sets of labels.

    """

    ids: list[str] | None
    labels: list[str]
    offset: NDArray[np.int64]
    documents: list[str] | None = None
    extra: dict[str, list[str | None]] = field(default_factory=dict)
    several: bool = False

    def take(self, rows: list[int]) -> Rows:
        """Select rows, in the given order."""
        return Rows(
            ids=[self.ids[row] for row in rows] if self.ids is not None else None,
            labels=[self.labels[row] for row in rows],
            offset=self.offset[np.array(rows, dtype=np.int64)],
            documents=[self.documents[row] for row in rows] if self.documents is not None else None,
            extra={name: [values[row] for row in rows] for name, values in self.extra.items()},
            several=self.several,
        )


def labels_of(cells: list[str], separator: str | None) -> list[str]:
    """Convert cells to sets of labels: split at a separator, or one label per cell; an empty cell has none."""
    written = {}
    for cell in set(cells):
        parts = cell.split(separator) if separator else [cell]
        written[cell] = join_labels(filter(None, map(str.strip, parts)))
    return [written[cell] for cell in cells]


def rows_corpus(
    rows: Rows, source: Source, request: Request, *, name: str, merge: bool = False, notes: Iterable[Note] = ()
) -> Corpus:
    """Build the corpus of rows.

    Args:
        rows: the rows.
        source: their bytes.
        request: what the task wants.
        name: the format's name.
        merge: whether rows with the same id are one row with several labels.
        notes: the reader's own notes.

    """
    _check_cells(rows, source)
    found = list(notes)
    if merge:
        rows, repeated = _merge_rows(rows, source)
        if repeated.size:
            what = "duplicate labels of a row, counted once"
            found.append(Note(request.side, what, len(repeated), first_places(source, repeated)))
    if rows.ids is None:
        rows = replace(rows, ids=list(map(str, source.numbers(rows.offset).tolist())))
    rows, documents = _group_by_document(rows, source)
    return Corpus(
        name=request.side,
        format=name,
        source=source,
        offset=rows.offset.astype(offset_type(source)),
        words=Slices.of(rows.ids or []),
        columns={"value": TextColumn.of(rows.labels)}
        | {column: TextColumn.of(values) for column, values in rows.extra.items()},
        sentences=np.arange(len(rows.labels) + 1, dtype=np.int64),
        documents=documents,
        by_id=True,
        several=rows.several,
        notes=(*source.notes, *found),
    )


def _check_cells(rows: Rows, source: Source) -> None:
    hint = "give it a label; it may be empty only if rows can have several labels (?split=…, or lists)"
    checks = [("id", rows.ids, "give every row an id, or match rows by their number with ?id=row")]
    checks.append(("label", None if rows.several else rows.labels, hint))
    checks.append(("document", rows.documents, "name the document of every row"))
    for what, cells, advice in checks:
        if cells is not None and "" in cells:
            offset = int(rows.offset[cells.index("")])
            raise make_read_error(source, offset, f"the {what} of this row is empty", hint=advice)


def _merge_rows(rows: Rows, source: Source) -> tuple[Rows, NDArray[np.int64]]:
    """Merge the rows of each id; return them and the places of repeated labels."""
    if rows.ids is None:
        hint = "name the column of ids: ?id=NAME"
        raise make_read_error(
            source, int(rows.offset[0]), "several=rows merges rows of one id, but there are no ids", hint=hint
        )
    first: dict[str, int] = {}
    labels: dict[int, list[str]] = {}
    again = []
    for row, (name, label) in enumerate(zip(rows.ids, rows.labels, strict=True)):
        kept = first.setdefault(name, row)
        if kept != row and rows.documents is not None and rows.documents[kept] != rows.documents[row]:
            what = f"the id {name!r} is in document {rows.documents[row]!r}, but was in {rows.documents[kept]!r}"
            hint = f"its first row is at {source.locate(int(rows.offset[kept]))}"
            raise make_read_error(source, int(rows.offset[row]), what, hint=hint)
        new = split_labels(label)
        known = labels.setdefault(kept, [])
        if any(each in known for each in new):
            again.append(int(rows.offset[row]))
        known += new
    merged = replace(rows.take(list(first.values())), labels=[join_labels(each) for each in labels.values()])
    return merged, np.array(again, dtype=np.int64)


def _group_by_document(rows: Rows, source: Source) -> tuple[Rows, Documents]:
    """Group rows by document, with documents and rows in the order of their first appearance."""
    if rows.documents is None:
        bounds = np.array([0, len(rows.labels)], dtype=np.int64)
        return rows, Documents((file_stem(source.parts[0].name),), bounds, marked=False)
    members: dict[str, list[int]] = {}
    for row, name in enumerate(rows.documents):
        members.setdefault(name, []).append(row)
    order = [row for group in members.values() for row in group]
    offsets = np.cumsum([0, *map(len, members.values())]).astype(np.int64)
    return rows.take(order), Documents(tuple(members), offsets, marked=True)


SEPARATORS = {"csv": ",", "tsv": "\t"}
"""The default separator of columns, by format."""

_SEPARATOR_NAMES = {"comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|", "space": " "}


def dialect_of(request: Request, separator: str) -> Dialect:
    """Determine the separator and quoting by the options, given the default separator of the format."""
    given = request.options.get("separator", separator)
    chosen = _SEPARATOR_NAMES.get(given, given)
    if len(chosen) != 1 or chosen in '"\r\n':
        hint = f"one character, or a word: {', '.join(_SEPARATOR_NAMES)}"
        raise UsageError(f"invalid separator={given!r}", hint=hint)
    default = ("no", "yes") if separator == "\t" else ("yes", "no")
    return Dialect(chosen, choose_option(request.options, "quotes", default) == "yes")


def _has_header(first: list[str], request: Request) -> tuple[bool, tuple[str, ...]]:
    """Whether the first row names the columns, and the text of a note if that was a guess."""
    given = choose_option(request.options, "header", ("auto", "yes", "no"))
    if given != "auto":
        return given == "yes", ()
    names = {normalise_name(cell) for cell in first}
    requested = [request.options.get(option) for option in ("id", "label", "document")]
    asked = [name for name in [*requested, request.value] if name and name != BY_NUMBER and not name.isdecimal()]
    if asked or names & {*ID_NAMES[0], *ID_NAMES[1], *LABEL_NAMES[0]}:  # an unknown name is refused later
        return True, ()
    if names & set(LABEL_NAMES[1]):
        return True, ("the first row read as the header; confirm with ?header=yes",)
    return False, ("no known header, the first row read as data; confirm with ?header=no",)


def _check_separator(rows: list[list[str]], request: Request, where: str) -> None:
    if len(rows[0]) > 1 or {"separator", "split"} & set(request.options):
        return
    for word, other in _SEPARATOR_NAMES.items():
        if other != " " and all(other in row[0] for row in rows):
            what = f"only one column, but every row contains {other!r}"
            raise ReadError(what, where=where, hint=f"if it separates columns: ?separator={word}")


def _find_quoted(reading: Cells, roles: int) -> NDArray[np.int64]:
    """Return the places of rows whose id, label or document is in quotes although the format has no quoting."""
    if reading.dialect.quotes or b'"' not in reading.source.data:
        return np.zeros(0, np.int64)
    rows = [
        row
        for row, cells in enumerate(reading.cells)
        if any(len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in cells[:roles])
    ]
    return reading.offset[np.array(rows, dtype=np.int64)]


def _make_notes(reading: Cells, side: str, roles: int) -> list[Note]:
    """Make notes about blank lines and quoted cells."""
    quoted = "rows with an id or label in quotes, read with the quotes; remove them with ?quotes=yes"
    found = {"blank lines ignored": reading.blank, quoted: _find_quoted(reading, roles)}
    return [
        Note(side, what, len(offsets), first_places(reading.source, offsets))
        for what, offsets in found.items()
        if offsets.size
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The layout of a file, by its first rows and the options.

    Args:
        width: the number of its columns.
        header: their names; None if the first row is data.
        choice: the roles of columns.
        where: the place of the first row.
        assumed: guesses, for the notes.

    """

    width: int
    header: list[str] | None
    choice: Choice
    where: str
    assumed: tuple[str, ...]

    @classmethod
    def of(cls, reading: Cells, request: Request) -> Plan:
        """Determine the layout from the first rows; refuse a file that has none."""
        source = reading.source
        begin, head = reading.first_rows()
        if not head:
            reading.scan(Layout(1, None, (0,)))  # raises an error if the file is malformed
            raise ReadError("there are no rows in this file", where=source.parts[0].name)
        first = head[0]
        where = str(source.locate(begin))
        header, doubts = _has_header(first, request)
        _check_separator(head, request, where)
        choice = choose_columns(
            Names(names=tuple(first) if header else (), width=len(first), where=where, positions=True), request
        )
        return cls(
            width=len(first),
            header=first if header else None,
            choice=choice,
            where=where,
            assumed=(*doubts, *choice.assumed),
        )


def read(source: Source, request: Request, *, name: str, separator: str) -> Corpus:
    """Read a classification file; rows are identified by their ids."""
    check_line_lengths(source, 0, source.size, request.max_line)
    reading = Cells(source=source, dialect=dialect_of(request, separator))
    plan = Plan.of(reading, request)
    choice = plan.choice
    roles = [number for number in (choice.label, choice.id, choice.document) if number is not None]
    wanted = (
        *roles,
        *choice.extra.values(),
        choice.label,
    )  # the label twice: an itemgetter of one column would not return a tuple
    reading.scan(Layout(plan.width, plan.header, wanted))
    if not reading.cells:
        hint = "if the first row is data: ?header=no"
        raise ReadError("the file has a header, but no rows", where=plan.where, hint=hint)
    notes = [Note(request.side, what, 1, (plan.where,)) for what in plan.assumed if source.opens]
    notes += _make_notes(reading, request.side, len(roles))
    merge = choose_option(request.options, "several", ("no", "rows")) == "rows"
    rows = _make_rows(reading, choice, request.options.get("split"), merge=merge)
    return rows_corpus(rows, source, request, name=name, merge=merge, notes=notes)


def _make_rows(reading: Cells, choice: Choice, separator: str | None, *, merge: bool) -> Rows:
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
    """Whether the first lines look like CSV: the same number of commas in every row, no tab in the first."""
    first = next((line for line in lines if line.strip()), "")
    if "\t" in first or first.lstrip().startswith(("{", "[{")):
        return False
    return _is_table([row for row in head_rows(lines, Dialect(",", quotes=True)) if row])


def sniff_tsv(lines: list[str]) -> bool:
    """Whether the first lines look like TSV: the same number of tabs in every line, no blank lines between them."""
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return bool(lines) and lines[0].lstrip()[:1] != "{" and _is_table([line.split("\t") for line in lines])


_OPTIONS = {
    "label": "the column of labels: a name, or a number from 1 (default: 'label' and the like, else the last column)",
    "id": "the column of ids (default: 'id' and the like, else the first column); 'row' for the number of each row",
    "header": "whether the first row names the columns: auto, yes, no",
    "split": "the separator of several labels in one cell, for example ;",
    "several": "'rows' to merge rows with the same id into one with several labels",
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
