"""A table: the one form that console, Markdown, CSV, LaTeX and data frames are made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from comparanda.show.cells import Kind, cell
from comparanda.show.links import Link

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


@dataclass(frozen=True, slots=True)
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
    rows: list[tuple[Any, ...]], top: int | None, usual: int, one: str, many: str
) -> tuple[tuple[tuple[Any, ...], ...], tuple[str, ...]]:
    """Keep the first rows, and say how many more there are."""
    limit = usual if top is None else top
    left = len(rows) - limit
    if not limit or left <= 0:
        return tuple(rows), ()
    return tuple(rows[:limit]), (f"… {left:,} more {one if left == 1 else many} (--top 0 for all)",)
