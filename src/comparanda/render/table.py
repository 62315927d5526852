"""Tables, from which console, Markdown, CSV, LaTeX and data frames are rendered, and the formatting of their values."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from comparanda.render.count_links import Link

# Formatting of single values: counts, shares, points, p-values, and untrusted text.


Kind = Literal["text", "count", "figure", "share", "points", "p", "number", "interval", "points_interval"]
"""How a value is formatted. A *count* counts sites or items and links to them; other integers are *figures*."""

UNDEFINED = "n/a"


def format_cell(kind: Kind, value: Any) -> str:
    """Format one value.

    >>> format_cell("share", 0.94892), format_cell("points", -0.0127)
    ('94.89', '-1.27')
    >>> format_cell("count", 53928), format_cell("p", 0.00001)
    ('53,928', '<0.001')
    >>> format_cell("interval", (0.9, 0.95)), format_cell("share", None), format_cell("figure", 12000)
    ('[90.00, 95.00]', 'n/a', '12,000')
    """
    if value is None or (isinstance(value, tuple) and None in value):
        return UNDEFINED
    if value in ("", ("", "")):  # a cell that is empty by design, such as the diagonal of a matrix
        return ""
    written: str = _FORMATTERS[kind](value)
    return written


def format_count(count: int, one: str, many: str | None = None) -> str:
    """Format a number with its noun.

    >>> format_count(1, "document"), format_count(2000, "kind of error", "kinds of error")
    ('1 document', '2,000 kinds of error')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def _format_p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _format_count(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) or not value.is_integer() else f"{int(value):,}"


def make_visible(text: str) -> str:
    r"""Escape control characters, bidirectional marks and other invisible characters.

    >>> make_visible("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape_character(character) for character in text)


def _escape_character(character: str) -> str:
    if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}:
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return character


_FORMATTERS: dict[Kind, Any] = {
    "text": lambda value: make_visible(str(value)),
    "count": _format_count,
    "figure": _format_count,
    "share": lambda value: f"{100 * value:.2f}",
    "points": lambda value: f"{100 * value:+.2f}",
    "p": _format_p,
    "number": lambda value: f"{value:g}",
    "interval": lambda value: f"[{100 * value[0]:.2f}, {100 * value[1]:.2f}]",
    "points_interval": lambda value: f"[{100 * value[0]:+.2f}, {100 * value[1]:+.2f}]",
}


_PAIR_ROWS = 45  # all pairs of ten systems
NO_SITES = "n/a: the view has no sites, it counts items alone"

_INTERVALS = frozenset({"interval", "points_interval"})


@dataclass(frozen=True, slots=True)
class Field:
    """A column: its key in data, its displayed header, and the format of its values."""

    key: str
    header: str
    kind: Kind = "text"


@dataclass(frozen=True, slots=True)
class Linked:
    """A value of a row with the link to the sites or items that it counts; without a link it is a plain value."""

    value: Any
    link: Link | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table.

    Rows are passed with their links (`Linked`), so that the links follow their values when rows are truncated or
    sorted; the table stores values and links separately, because most of its readers want plain values.

    Args:
        name: a short name, for files and anchors.
        title: a heading.
        fields: the columns.
        rows: the raw values; those with links may be passed as `Linked`.
        notes: lines printed below the table.
        best: the cells (row, column) to be set in bold.
        marks: signs after cell values, such as `*` for significance.
        folded: whether Markdown collapses the table; the console prints sentences instead.
        links: the links from cells to the sites or items they count.

    """

    name: str
    title: str
    fields: tuple[Field, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = ()
    best: frozenset[tuple[int, int]] = frozenset()
    marks: Mapping[tuple[int, int], str] = field(default_factory=dict)
    folded: bool = False
    links: Mapping[tuple[int, int], Link] = field(default_factory=dict)

    def __post_init__(self) -> None:
        links = dict(self.links)
        rows = tuple(tuple(_strip_links(row, number, links)) for number, row in enumerate(self.rows))
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "links", links)

    def keys(self) -> tuple[str, ...]:
        """Return unique column names for data; an interval becomes two columns, its ends.

        A system may have the same name as one of our columns; a number is then appended to the later name.
        """
        names: list[str] = []
        for each in self.fields:
            for key in [f"{each.key}_low", f"{each.key}_high"] if each.kind in _INTERVALS else [each.key]:
                number = 1
                while (name := key if number == 1 else f"{key}_{number}") in names:
                    number += 1
                names.append(name)
        return tuple(names)

    def dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary per row."""
        keys = self.keys()
        return [dict(zip(keys, _flatten_intervals(self.fields, row), strict=True)) for row in self.rows]

    def written(self, row: int, column: int) -> str:
        """Format one cell, with its mark."""
        return format_cell(self.fields[column].kind, self.rows[row][column]) + self.marks.get((row, column), "")


def _strip_links(row: tuple[Any, ...], number: int, links: dict[tuple[int, int], Link]) -> Iterable[Any]:
    """Yield the values of a row, and store in `links` the links of values that are present."""
    for column, given in enumerate(row):
        if not isinstance(given, Linked):
            yield given
            continue
        if given.link is not None and given.value not in (None, ""):
            links[number, column] = given.link
        yield given.value


def _flatten_intervals(fields: tuple[Field, ...], row: tuple[Any, ...]) -> Iterable[Any]:
    for each, value in zip(fields, row, strict=True):
        if each.kind in _INTERVALS:
            yield from value
        else:
            yield value


def cut_rows(
    rows: list[tuple[Any, ...]], top: int | None, usual: int, one: str, *, many: str
) -> tuple[tuple[tuple[Any, ...], ...], tuple[str, ...]]:
    """Return the first rows and a note with the number of rows left out."""
    limit = usual if top is None else top
    left = len(rows) - limit
    if not limit or left <= 0:
        return tuple(rows), ()
    return tuple(rows[:limit]), (f"… {left:,} more {one if left == 1 else many} (--top 0 for all)",)


def cut_pairs(rows: list[tuple[Any, ...]], top: int | None) -> tuple[tuple[tuple[Any, ...], ...], tuple[str, ...]]:
    """Truncate a table of pairs, but keep at least all pairs of ten systems, because its rows are not ranked."""
    return cut_rows(rows, top=max(top, _PAIR_ROWS) if top else top, usual=_PAIR_ROWS, one="pair", many="pairs")


def format_stars(p: float | None) -> str:
    """Return the conventional significance stars for a p-value."""
    return "" if p is None else "***" if p < 0.001 else "**" if p < 0.01 else "*" if p < 0.05 else ""
