"""How the rows of one more table are found for rows that are there already: by equal values, rows, or overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.expressions.syntax import Call, Comparison, Name, Node, Quantified
from comparanda.expressions.syntax import walk as nodes_of
from comparanda.rules.conditions import variables_of
from comparanda.rules.facts import missing_rows
from comparanda.rules.frames import Frame, filled
from comparanda.rules.functions import COSTLY, overlaps, together
from comparanda.rules.joins import Intervals, equal_pairs, is_among, packed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Rows
    from comparanda.rules.conditions import Conditions, Term
    from comparanda.rules.declarations import Kind
    from comparanda.rules.facts import Table

    Array = NDArray[Any]

_ORDER = {"doc": 0, "begin": 1, "end": 2, "label": 3}
"""Columns by which rows are sorted come first in keys, so that these are sorted too."""


@dataclass(frozen=True, slots=True)
class Equal:
    """A column of the new rows that must equal something of the old ones; `source` is the column that it is, if any."""

    column: str
    kind: Kind
    other: Term
    source: tuple[str, str] | None = None


@dataclass(slots=True)
class Link:
    """Finds the rows of a table that belong to the rows of a frame.

    Args:
        variable: what the new rows are called.
        table: the table they are of.
        own: conditions on the new rows alone, the costly ones last.
        row: what gives the one row that it can be; None where it is found otherwise.
        equal: columns that must equal something of the frame's rows.
        source: the variable of whose row all these are columns, if it is one: keys are then made once for all rows.
        overlapping: the variable whose span the new row's must overlap.
        rest: conditions on both that are looked at pair by pair.

    """

    variable: str
    table: str
    own: list[Term] = field(default_factory=list)
    row: Term | None = None
    equal: list[Equal] = field(default_factory=list)
    source: str | None = None
    overlapping: str | None = None
    rest: list[Term] = field(default_factory=list)

    @property
    def exact(self) -> bool:
        """Whether keys and places say all, so that pairs need not be looked at one by one."""
        return not self.rest and self.row is None

    @property
    def linked(self) -> bool:
        """Whether anything but a look at every pair tells which rows belong together."""
        return self.row is not None or bool(self.equal) or self.overlapping is not None

    def own_rows(self, frame: Frame) -> Rows | None:
        """Return the rows that fulfil the conditions on them alone; None for all."""
        table = frame.state.tables[self.table]
        if not self.own:
            return None
        found = Frame(frame.state, {self.variable: table}, {self.variable: None}, table.size)
        for term in self.own:
            found = found.kept(term(found))
        return found.rows[self.variable]

    def keys(self, frame: Frame) -> tuple[Rows, Rows, Rows, Rows]:
        """Return which places of the frame and which rows can be equal at all, and their keys."""
        table, rows = frame.state.tables[self.table], self.own_rows(frame)
        rows = table.numbers if rows is None else rows
        places = np.arange(frame.size)
        if self.source is not None:
            outer = frame.tables[self.source]
            columns = [(each.source[1], each.column, each.kind) for each in self.equal if each.source is not None]
            left, right = frame.state.keys(outer, table, columns)
            return places, rows, left[frame.numbers(self.source)], right[rows]
        mine = [filled(each.other(frame), frame.size) for each in self.equal]
        theirs = [_column(table, each, rows) for each in self.equal]
        places, mine = _present(places, mine, self.equal)
        rows, theirs = _present(rows, theirs, self.equal)
        if not self.equal:
            return places, rows, np.zeros(len(places), np.int64), np.zeros(len(rows), np.int64)
        left, right = packed([mine, theirs])
        return places, rows, left, right

    def intervals(self, frame: Frame) -> tuple[Rows, Rows, Intervals]:
        """Return which places of the frame and which rows can overlap at all, and their intervals."""
        assert self.overlapping is not None
        places, rows, left, right = self.keys(frame)
        low, high = frame.state.line(frame.tables[self.overlapping].name)
        mine = frame.numbers(self.overlapping)[places]
        other_low, other_high = frame.state.line(self.table)
        groups = (left, right) if self.equal else None
        return places, rows, Intervals((low[mine], high[mine]), (other_low[rows], other_high[rows]), groups)

    def pairs(self, frame: Frame) -> tuple[Rows, Rows]:
        """Return places of the frame and the rows that belong to them, in this order; `rest` comes later."""
        if self.row is not None:
            return self._given_rows(frame, self.row)
        if self.overlapping is not None:
            places, rows, intervals = self.intervals(frame)
            left, right = intervals.pairs()
        else:
            places, rows, mine, theirs = self.keys(frame)
            left, right = equal_pairs(mine, theirs)
        return places[left], rows[right]

    def _given_rows(self, frame: Frame, row: Term) -> tuple[Rows, Rows]:
        """Take the rows that are named, as far as they fulfil the conditions on them."""
        named = filled(row(frame), frame.size)
        places = np.flatnonzero(named >= 0)
        table = frame.state.tables[self.table]
        own = Frame(frame.state, {self.variable: table}, {self.variable: named[places]}, len(places))
        for term in self.own:
            holds = filled(term(own), own.size)
            places, own = places[holds], own.taken(np.flatnonzero(holds))
        return places, own.numbers(self.variable)

    def joined(self, frame: Frame) -> tuple[Rows, Frame]:
        """Return the frame with the rows that belong to it beside it, and the place each pair came from."""
        places, rows = self.pairs(frame)
        found = frame.taken(places).beside(self.variable, frame.state.tables[self.table], rows)
        if self.row is not None and self.equal:
            for each in self.equal:
                holds = _equal(each, found, self.variable)
                places, found = places[holds], found.kept(holds)
        if self.overlapping is not None:
            near = overlaps(found, self.overlapping, self.variable) if self.row else np.ones(found.size, np.bool_)
            holds = together(found, self.overlapping, self.variable, near)
            places, found = places[holds], found.kept(holds)
        for term in self.rest:
            holds = filled(term(found), found.size)
            places, found = places[holds], found.kept(holds)
        return places, found

    def among(self, frame: Frame) -> Array:
        """Whether each place of the frame has a row that belongs to it; for exact links."""
        if self.overlapping is not None:
            return self.counted(frame) > 0
        places, _, mine, theirs = self.keys(frame)
        found = np.zeros(frame.size, np.bool_)
        found[places] = is_among(mine, theirs)
        return found

    def counted(self, frame: Frame) -> Array:
        """Return how many rows belong to each place of the frame; for exact links."""
        counts = np.zeros(frame.size, np.int64)
        if self.overlapping is not None:
            places, _, intervals = self.intervals(frame)
            counts[places] = intervals.counts()
            return counts
        places, _, mine, theirs = self.keys(frame)
        ordered = np.sort(theirs)
        counts[places] = np.searchsorted(ordered, mine, "right") - np.searchsorted(ordered, mine, "left")
        return counts


def _column(table: Table, each: Equal, rows: Rows) -> Array:
    return table.columns[each.column][rows]


def _equal(each: Equal, frame: Frame, variable: str) -> Array:
    mine = filled(each.other(frame), frame.size)
    same: Array = mine == frame.column(variable, each.column)
    return same & (mine >= 0) if each.kind in {"text", "row"} else same


def _present(places: Rows, columns: list[Array], equal: Sequence[Equal]) -> tuple[Rows, list[Array]]:
    """Leave out what is missing in a column: it equals nothing."""
    for each, column in zip(equal, columns, strict=True):
        if (gone := missing_rows(column, each.kind)) is not None:
            keep = np.flatnonzero(~gone)
            return _present(places[keep], [values[keep] for values in columns], equal)
    return places, columns


def linked(conditions: Conditions, variable: str, table: str, parts: Sequence[Node], others: Mapping[str, str]) -> Link:
    """Sort conditions by how they help to find the rows of a variable for rows of others."""
    link = Link(variable, table)
    variables = {**others, variable: table}
    for part in sorted(parts, key=is_costly):
        spoken = variables_of(part, variables)
        if spoken <= {variable}:
            link.own.append(conditions.term(part, {variable: table}))
        elif not (_add_equal(link, conditions, part, variables) or _add_overlap(link, part)):
            link.rest.append(conditions.term(part, variables))
    if link.overlapping is not None:  # one line holds all documents
        same = ("doc", (link.overlapping, "doc"))
        link.equal = [each for each in link.equal if (each.column, each.source) != same]
    link.equal.sort(key=lambda each: (_ORDER.get(each.column, len(_ORDER)), each.column))
    sources = {each.source[0] if each.source is not None else None for each in link.equal}
    link.source = next(iter(sources)) if len(sources) == 1 else None
    return link


def _add_equal(link: Link, conditions: Conditions, part: Node, variables: Mapping[str, str]) -> bool:
    """Take an equality between the new rows and others, if a condition is one."""
    if not isinstance(part, Comparison) or part.steps[0].operator != "==":
        return False
    sides = (part.first, part.steps[0].operand)
    for mine, other in (sides, sides[::-1]):
        if not isinstance(mine, Name) or link.variable in variables_of(other, variables):
            continue
        name, _, column = mine.name.partition(".")
        if name != link.variable:
            continue
        term = conditions.term(other, variables)
        if not column and link.row is None:
            link.row = term
            return True
        if column:
            link.equal.append(Equal(column, conditions.kind(mine, variables), term, _source(other, variables)))
            return True
    return False


def _source(node: Node, variables: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the variable and the column that a node is, if it is no more."""
    if not isinstance(node, Name):
        return None
    variable, _, column = node.name.partition(".")
    return (variable, column) if column and variable in variables else None


def _add_overlap(link: Link, part: Node) -> bool:
    """Take an overlap of the new rows with others, if a condition is one."""
    match part:
        case Call("overlaps", (Name(first), Name(second))) if link.overlapping is None and first != second:
            if link.variable not in (first, second):
                return False
            link.overlapping = second if first == link.variable else first
            return True
        case _:
            return False


def is_costly(node: Node) -> int:
    """Rank conditions: those that look at other rows or at texts come last."""
    kinds = [
        isinstance(each, Quantified) or (isinstance(each, Call) and each.function in COSTLY) for each in nodes_of(node)
    ]
    return int(any(kinds))
