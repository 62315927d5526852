"""The working memory of rules: tables of integer-coded columns, with rows sorted by content.

The strings of all tables share one pool of codes, so that equal strings have equal codes in every table. Rows are
sorted by content (document, begin, end, label, then all other columns), so that a row's number is its
rank by content and no verdict can depend on the order of the input.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from comparanda.core.extents import compute_stretches, fragmentation_codes, number_fragmentations, place_on_line
from comparanda.core.joins import is_sorted, pack_columns
from comparanda.core.text_columns import TextColumn
from comparanda.errors import RuleError
from comparanda.rules.language import ID_TABLES, SPAN_TABLES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.corpus import Fragments
    from comparanda.core.extents import Cuts
    from comparanda.core.text_columns import Column, Rows
    from comparanda.rules.declarations import Kind
    from comparanda.rules.ruleset import ColumnType, RuleSet

    Array = NDArray[Any]


MISSING: Final = -1
"""The code of a missing text, and the number of a missing row."""

UNKNOWN: Final = -2
"""The code of a string that occurs in no table: equal to nothing."""

_SORT_COLUMNS = ("doc", "begin", "end", "label")


@dataclass(frozen=True, slots=True)
class Facts:
    """The rows of one table before any rule has fired.

    Args:
        columns: the given columns by name; those of the rule set that are not given are missing everywhere.
        fragments: the pieces of discontinuous spans; None where there are none.

    """

    columns: Mapping[str, Column]
    fragments: Fragments | None = None


def normalise_text(text: str) -> str:
    r"""Normalise case, width and white space of a text, for the column `norm`.

    >>> normalise_text("The  New\nYORKER")
    'the new yorker'
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.casefold().split())


class Pool:
    """The strings of all tables by code; those from rules and from short columns are in alphabetical order."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.names = sorted(set(texts))
        self._codes = {name: code for code, name in enumerate(self.names)}
        self._tables: dict[tuple[int, object], tuple[tuple[str, ...], NDArray[np.int32]]] = {}

    def code(self, text: str) -> int:
        """Return the code of a string."""
        return self._codes.get(text, UNKNOWN)

    def encode(self, column: TextColumn, change: Callable[[str], str] | None = None) -> NDArray[np.int32]:
        """Return the codes of a column, optionally after a change to each string."""
        table = self._encode_names(column.names, change)
        if column.missing is not None:
            table = table.copy()
            table[column.missing] = MISSING
        if not len(table):
            return np.zeros(0, np.int32)
        codes: NDArray[np.int32] = table[column.codes]
        return codes

    def _encode_names(self, names: tuple[str, ...], change: Callable[[str], str] | None) -> NDArray[np.int32]:
        """Return the code of each name; tuples of names shared by several tables are looked up once."""
        known = self._tables.get((id(names), change))
        if known is None:
            known = (names, self._add_names(names if change is None else [change(name) for name in names]))
            self._tables[id(names), change] = known
        return known[1]

    def _add_names(self, names: Sequence[str]) -> NDArray[np.int32]:
        codes, known = self._codes, self.names
        table = np.empty(len(names), np.int32)
        for place, name in enumerate(names):
            code = codes.get(name)
            if code is None:
                code = codes[name] = len(known)
                known.append(name)
            table[place] = code
        return table

    def ranks(self, codes: Array) -> NDArray[np.int64]:
        """Return ranks of codes by the alphabetical order of their strings."""
        used, places = np.unique(codes, return_inverse=True)
        order = sorted(range(len(used)), key=lambda place: "" if used[place] < 0 else self.names[used[place]])
        rank = np.empty(len(used), np.int64)
        rank[order] = np.arange(len(used))
        return rank[places]

    def column(self, codes: Array) -> TextColumn:
        """Return codes as a text column, with only the names that occur."""
        used, places = np.unique(codes, return_inverse=True)
        names = tuple("" if code < 0 else self.names[code] for code in used.tolist())
        missing = 0 if len(used) and used[0] < 0 else None
        return TextColumn(places.astype(np.int64), names, missing)


@dataclass(eq=False, kw_only=True)
class Table:
    """The rows of one table, sorted by content.

    Args:
        name: the table's name.
        columns: one array per column: codes of strings, numbers, booleans, or row numbers.
        size: the number of rows.
        order: the input's row at each place; None if the input was already sorted.
        pieces: the pieces of discontinuous spans; None if there are none.

    """

    name: str
    columns: dict[str, Array]
    size: int
    order: Rows | None
    pieces: Pieces | None = None
    by: dict[str, NDArray[np.int16]] = field(default_factory=dict)

    @cached_property
    def numbers(self) -> Rows:
        """The numbers of all rows."""
        return np.arange(self.size)

    def restored(self, column: Array) -> Array:
        """Return a column in the order of the input."""
        if self.order is None:
            return column
        given = np.empty_like(column)
        given[self.order] = column
        return given

    @cached_property
    def places(self) -> Rows | None:
        """The place of each row of the input; None if they are the same."""
        if self.order is None:
            return None
        places = np.empty(self.size, np.int64)
        places[self.order] = np.arange(self.size)
        return places


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of discontinuous spans: those of row `rows[i]` are `offsets[i]` to `offsets[i + 1]`, sorted by row."""

    rows: Rows
    offsets: Rows
    begin: Rows
    end: Rows

    def of(self, row: int) -> list[tuple[int, int]] | None:
        """Return the pieces of a row, or None if it has only one."""
        place = int(np.searchsorted(self.rows, row))
        if place == len(self.rows) or self.rows[place] != row:
            return None
        inside = slice(int(self.offsets[place]), int(self.offsets[place + 1]))
        return list(zip(self.begin[inside].tolist(), self.end[inside].tolist(), strict=True))


class State:
    """The current state of all tables during a run."""

    def __init__(self, rule_set: RuleSet, facts: Mapping[str, Facts], texts: frozenset[str], used: Used) -> None:
        short = (
            column.names
            for each in facts.values()
            for name, column in each.columns.items()
            if name not in {"text", "norm"} and isinstance(column, TextColumn)
        )
        self.pool = Pool([*texts, *(name for names in short for name in names)])
        self.looked_up: dict[frozenset[str], NDArray[np.bool_]] = {}
        cuts = number_fragmentations(each.fragments for each in facts.values())
        self.tables: dict[str, Table] = {}
        for name, types in rule_set.tables.items():  # spans come first
            given = facts.get(name, Facts({}))
            if name in ID_TABLES and given.columns:
                given = _resolve_id_rows(given, self.tables[ID_TABLES[name]])
            self.tables[name] = _build_table(
                name, types=types, facts=given, pool=self.pool, used=used.get(name, frozenset()), cuts=cuts
            )
        self._lines: dict[str, tuple[Rows, Rows]] = {}
        self._keys: dict[tuple[object, ...], tuple[int, tuple[Rows, Rows]]] = {}
        self._changes: dict[tuple[str, str], int] = {}

    def changed(self, table: str, column: str) -> None:
        """Record a write to a column."""
        self._changes[table, column] = self._changes.get((table, column), 0) + 1

    def keys(self, left: Table, right: Table, columns: Sequence[tuple[str, str, Kind]]) -> tuple[Rows, Rows]:
        """Return a key for each row of two tables, equal where some columns all are; missing equals nothing.

        Rules often compare the same columns; the keys are cached until a column is written to.
        """
        sought, count = (left.name, right.name, *columns), self._changes.get
        changes = sum(count((left.name, mine), 0) + count((right.name, theirs), 0) for mine, theirs, _ in columns)
        before, known = self._keys.get(sought, (0, None))
        if known is None or before != changes:
            sides = [[left.columns[mine] for mine, _, _ in columns], [right.columns[other] for _, other, _ in columns]]
            first, second = pack_columns(sides)
            known = (first, second)
            for keys, side, nothing in zip(known, sides, (-1, -2), strict=True):
                for values, (_, _, kind) in zip(side, columns, strict=True):
                    if (gone := missing_rows(values, kind)) is not None:
                        keys[gone] = nothing
            self._keys[sought] = changes, known
        return known

    def line(self, name: str) -> tuple[Rows, Rows]:
        """Map the spans of a table to closed intervals on one line, which overlap exactly when the spans do."""
        if not self._lines:
            columns = [self.tables[table].columns for table in SPAN_TABLES]
            room = compute_stretches(
                (each["end"] for each in columns), max(int(each["doc"].max(initial=0)) for each in columns)
            )
            for table, each in zip(SPAN_TABLES, columns, strict=True):
                self._lines[table] = place_on_line(each["doc"], each["begin"], each["end"], room)
        return self._lines[name]


def _resolve_id_rows(given: Facts, spans: Table) -> Facts:
    """Return ids with references to spans by place in the table instead of the input."""
    of = given.columns["of"]
    assert not isinstance(of, TextColumn)
    return given if spans.places is None else Facts({**given.columns, "of": spans.places[of]})


Used = Mapping[str, frozenset[str]]
"""The columns used by the rules, by table."""


def _build_table(
    name: str,
    types: Mapping[str, ColumnType],
    facts: Facts,
    pool: Pool,
    *,
    used: frozenset[str],
    cuts: Cuts,
) -> Table:
    """Encode the columns of a table and sort its rows by content."""
    spans = name in SPAN_TABLES
    size = len(next(iter(facts.columns.values()))) if facts.columns else 0
    columns: dict[str, Array] = {}
    for column in types:
        given = facts.columns.get(column)
        if given is not None:
            columns[column] = _encode_column(pool, f"{name}.{column}", types[column], given)
    pieces = facts.fragments if spans else None
    if spans:
        columns["pieces"] = fragmentation_codes(size, pieces, cuts)
    order = _content_order(columns, pool)
    if order is not None:
        columns = {column: values[order] for column, values in columns.items()}
    table = Table(name=name, columns=columns, size=size, order=order)
    if pieces is not None:
        table.pieces = _sort_pieces(table, pieces)
    for column, kind in types.items():
        if column not in columns:
            columns[column] = _empty_column(kind, size)
        if kind.settable:
            table.by[column] = np.full(size, MISSING, np.int16)
    if spans:
        _add_derived_columns(table, facts, pool, used)
    return table


def _encode_column(pool: Pool, name: str, kind: ColumnType, given: Column) -> Array:
    """Encode a given column with its declared type; numbers are converted to text and text to numbers if necessary."""
    if isinstance(given, TextColumn):
        if kind.kind == "text":
            return pool.encode(given)
        return (
            given.numbers(lambda text: _parse_number(text, name)) if kind.kind == "number" else _refuse_kind(name, kind)
        )
    if kind.kind == "text":
        texts = [None if value != value else f"{value:.17g}" for value in given.tolist()]  # noqa: PLR0124 - NaN
        return pool.encode(TextColumn.of(texts))
    if (kind.kind == "truth") != (given.dtype.kind == "b"):
        return _refuse_kind(name, kind)
    return _copy_numbers(given)


def _parse_number(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise RuleError(f"expected a number in {name}, got {text[:40]!r}") from None


def _refuse_kind(name: str, kind: ColumnType) -> Array:
    raise RuleError(f"the rules declare {name} as {kind.kind}, but the input has another type")


def missing_rows(values: Array, kind: Kind) -> Array | None:
    """Return a mask of the missing values of a column; None if there are none."""
    if kind in {"text", "row"}:
        return values < 0 if values.size and values.min() < 0 else None
    if values.dtype.kind != "f":
        return None
    gone: Array = np.isnan(values)
    return gone if gone.any() else None


def _copy_numbers(column: Array) -> Array:
    return column.astype(np.int64 if column.dtype.kind in "iu" else column.dtype)  # a copy: rules may write to it


def _empty_column(kind: ColumnType, size: int) -> Array:
    match kind.kind:
        case "text":
            return np.full(size, MISSING, np.int32)
        case "row":
            return np.full(size, MISSING, np.int64)
        case "truth":
            return np.zeros(size, np.bool_)
        case _:
            return np.full(size, np.nan)


def _add_derived_columns(table: Table, facts: Facts, pool: Pool, used: frozenset[str]) -> None:
    """Add the columns of spans that are derived from others."""
    columns = table.columns
    columns["length"] = columns["end"] - columns["begin"]
    for end in ("begin", "end"):
        if f"word_{end}" not in facts.columns:  # tokens are whole words
            columns[f"word_{end}"] = columns[end]
    if table.pieces is not None:
        sizes = np.add.reduceat(table.pieces.end - table.pieces.begin, table.pieces.offsets[:-1])
        columns["length"][table.pieces.rows] = sizes
    text = facts.columns.get("text")
    if "norm" in used and "norm" not in facts.columns and isinstance(text, TextColumn):
        codes = pool.encode(text, normalise_text)
        columns["norm"] = codes if table.order is None else codes[table.order]


def _sort_pieces(table: Table, fragments: Fragments) -> Pieces:
    """Sort the pieces of spans by row."""
    row = fragments.span if table.places is None else table.places[fragments.span]
    order = np.lexsort((fragments.end, fragments.begin, row))
    rows, first = np.unique(row[order], return_index=True)
    offsets = np.append(first, len(row))
    return Pieces(rows, offsets, fragments.begin[order], fragments.end[order])


def _content_order(columns: Mapping[str, Array], pool: Pool) -> Rows | None:
    """Return the order by document, begin, end, label, then all other columns; None if the rows are in this order."""
    first = [columns[name] for name in _SORT_COLUMNS if name in columns]
    rest = [columns[name] for name in columns if name not in _SORT_COLUMNS]
    if not first:
        first, rest = rest, []
    if not first or len(first[0]) < 2:
        return None
    (key,) = pack_columns([first])
    order = None if is_sorted(key) else np.argsort(key, kind="stable")
    ordered = key if order is None else key[order]
    tied = np.flatnonzero(ordered[1:] == ordered[:-1])
    if not tied.size or not rest:
        return order
    rows = np.unique(np.concatenate([tied, tied + 1]))
    where = rows if order is None else order[rows]
    ranked = [pool.ranks(each[where]) if each.dtype == np.int32 else each[where] for each in rest]
    settled = np.lexsort((*reversed(ranked), ordered[rows]))
    if np.array_equal(settled, np.arange(len(settled))):
        return order
    order = np.arange(len(key)) if order is None else order
    order[rows] = where[settled]
    return order


# Frames: the rows on which conditions are evaluated.


def fill_rows(value: Any, size: int) -> Array:
    """Return one value per row; a scalar is repeated."""
    return value if isinstance(value, np.ndarray) and value.ndim else np.full(size, value)


class Frame:
    """Combinations of rows of one or more tables, by variable; None means all rows of a table.

    `remembered` caches costly values that are used more than once, such as similarities.
    """

    __slots__ = ("remembered", "rows", "size", "state", "tables")

    def __init__(self, state: State, tables: Mapping[str, Table], rows: Mapping[str, Rows | None], size: int) -> None:
        self.state = state
        self.tables = tables
        self.rows = rows
        self.size = size
        self.remembered: dict[int, Array] = {}

    def column(self, variable: str, name: str) -> Array:
        """Return a column of a variable's rows."""
        column, rows = self.tables[variable].columns[name], self.rows[variable]
        return column if rows is None else column[rows]

    def numbers(self, variable: str) -> Rows:
        """Return the numbers of a variable's rows."""
        rows = self.rows[variable]
        return self.tables[variable].numbers if rows is None else rows

    def taken(self, places: Rows) -> Frame:
        """Return some of the rows, in the given order; a place may occur more than once."""
        rows = {name: places if rows is None else rows[places] for name, rows in self.rows.items()}
        taken = Frame(self.state, self.tables, rows, len(places))
        taken.remembered = {key: values[places] for key, values in self.remembered.items()}
        return taken

    def filter(self, holds: Array | bool) -> Frame:
        """Return the rows for which a condition holds."""
        if isinstance(holds, np.ndarray) and holds.ndim:
            (places,) = holds.nonzero()
            return self if len(places) == self.size else self.taken(places)
        return self if holds else self.taken(np.zeros(0, np.int64))

    def with_rows(self, variable: str, table: Table, rows: Rows) -> Frame:
        """Return the frame with the rows of a further variable added."""
        return Frame(self.state, {**self.tables, variable: table}, {**self.rows, variable: rows}, self.size)
