"""A table: the one form that console, Markdown, CSV, LaTeX and data frames are made from."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from comparanda.render.links import Link

# How single values are written, for people: counts, shares, points, p, and text that may be hostile.


Kind = Literal["text", "count", "figure", "share", "points", "p", "number", "interval", "points_interval"]
"""How a value is written. A *count* is one of sites or items, and leads to them; other whole numbers are *figures*."""

UNDEFINED = "n/a"


def cell(kind: Kind, value: Any) -> str:
    """Write one value.

    >>> cell("share", 0.94892), cell("points", -0.0127), cell("count", 53928), cell("p", 0.00001)
    ('94.89', '-1.27', '53,928', '<0.001')
    >>> cell("interval", (0.9, 0.95)), cell("share", None), cell("figure", 12000)
    ('[90.00, 95.00]', 'n/a', '12,000')
    """
    if value is None or (isinstance(value, tuple) and None in value):
        return UNDEFINED
    if value in ("", ("", "")):  # a cell that is not meant to hold anything, such as the diagonal of a matrix
        return ""
    written: str = _WRITERS[kind](value)
    return written


def counted(count: int, one: str, many: str | None = None) -> str:
    """Write a number with its noun.

    >>> counted(1, "document"), counted(2000, "kind of error", "kinds of error")
    ('1 document', '2,000 kinds of error')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _count(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) or not value.is_integer() else f"{int(value):,}"


def visible(text: str) -> str:
    r"""Make control characters, bidirectional marks and other invisible characters visible.

    >>> visible("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_glyph(character) for character in text)


def _glyph(character: str) -> str:
    if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}:
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return character


_WRITERS: dict[Kind, Any] = {
    "text": lambda value: visible(str(value)),
    "count": _count,
    "figure": _count,
    "share": lambda value: f"{100 * value:.2f}",
    "points": lambda value: f"{100 * value:+.2f}",
    "p": _p,
    "number": lambda value: f"{value:g}",
    "interval": lambda value: f"[{100 * value[0]:.2f}, {100 * value[1]:.2f}]",
    "points_interval": lambda value: f"[{100 * value[0]:+.2f}, {100 * value[1]:+.2f}]",
}


_PAIR_ROWS = 45  # all pairs of ten systems
NO_SITES = "n/a: the view has no sites, it counts items alone"

_INTERVALS = frozenset({"interval", "points_interval"})


@dataclass(frozen=True, slots=True)
class Field:
    """A column: its key in data, its header for people, and how its values are written."""

    key: str
    header: str
    kind: Kind = "text"


@dataclass(frozen=True, slots=True)
class Linked:
    """A value of a row together with what leads to the sites or items behind it; without a link it is a plain value."""

    value: Any
    link: Link | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table.

    Rows are given with their links (`Linked`), so that these stay where they belong however rows are cut and sorted;
    the table holds the two apart, for most who read it want plain values.

    Args:
        name: a short name, for files and anchors.
        title: a heading.
        fields: the columns.
        rows: the values, raw; those that lead somewhere may be given as `Linked`.
        notes: lines below the table.
        best: the cells (row, column) to be set in bold.
        marks: signs behind cells, such as `*` for significance.
        folded: whether Markdown opens it at a click alone, and the console shows its sentences instead.
        links: what leads from cells to the sites or items they count.

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
        rows = tuple(tuple(_unlinked(row, number, links)) for number, row in enumerate(self.rows))
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "links", links)

    def keys(self) -> tuple[str, ...]:
        """Return the names of the columns in data, each once: an interval becomes two columns, its ends.

        A system may be called like a column of ours; the later one gets a number behind its name.
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
        """Return one dictionary a row."""
        keys = self.keys()
        return [dict(zip(keys, _flat(self.fields, row), strict=True)) for row in self.rows]

    def written(self, row: int, column: int) -> str:
        """Return one cell as text, with its mark."""
        return cell(self.fields[column].kind, self.rows[row][column]) + self.marks.get((row, column), "")


def _unlinked(row: tuple[Any, ...], number: int, links: dict[tuple[int, int], Link]) -> Iterable[Any]:
    """Yield the values of a row, and note where those lead that are there and lead somewhere."""
    for column, given in enumerate(row):
        if not isinstance(given, Linked):
            yield given
            continue
        if given.link is not None and given.value not in (None, ""):
            links[number, column] = given.link
        yield given.value


def _flat(fields: tuple[Field, ...], row: tuple[Any, ...]) -> Iterable[Any]:
    for each, value in zip(fields, row, strict=True):
        if each.kind in _INTERVALS:
            yield from value
        else:
            yield value


def cut(
    rows: list[tuple[Any, ...]], top: int | None, usual: int, one: str, *, many: str
) -> tuple[tuple[tuple[Any, ...], ...], tuple[str, ...]]:
    """Keep the first rows, and say how many more there are."""
    limit = usual if top is None else top
    left = len(rows) - limit
    if not limit or left <= 0:
        return tuple(rows), ()
    return tuple(rows[:limit]), (f"… {left:,} more {one if left == 1 else many} (--top 0 for all)",)


def cut_pairs(rows: list[tuple[Any, ...]], top: int | None) -> tuple[tuple[tuple[Any, ...], ...], tuple[str, ...]]:
    """Keep the first rows of a table of pairs, but at least all pairs of ten systems: they are in no order."""
    return cut(rows, top=max(top, _PAIR_ROWS) if top else top, usual=_PAIR_ROWS, one="pair", many="pairs")


def stars(p: float | None) -> str:
    """Return the usual signs for a p-value."""
    return "" if p is None else "***" if p < 0.001 else "**" if p < 0.01 else "*" if p < 0.05 else ""
