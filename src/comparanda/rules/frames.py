"""Rows side by side: what a condition is evaluated on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Rows
    from comparanda.rules.facts import State, Table

    Array = NDArray[Any]


def filled(value: Any, size: int) -> Array:
    """Return one value a row: a value for all rows is repeated."""
    return value if isinstance(value, np.ndarray) and value.ndim else np.full(size, value)


class Frame:
    """Rows of one or more tables, side by side, by variable; None stands for all rows of a table.

    `remembered` keeps what is costly and asked for more than once, such as similarities.
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
        """Return some of the rows, in the given order; a place may come more than once."""
        rows = {name: places if rows is None else rows[places] for name, rows in self.rows.items()}
        taken = Frame(self.state, self.tables, rows, len(places))
        taken.remembered = {key: values[places] for key, values in self.remembered.items()}
        return taken

    def kept(self, holds: Array | bool) -> Frame:
        """Return the rows for which a condition holds."""
        if isinstance(holds, np.ndarray) and holds.ndim:
            (places,) = holds.nonzero()
            return self if len(places) == self.size else self.taken(places)
        return self if holds else self.taken(np.zeros(0, np.int64))

    def beside(self, variable: str, table: Table, rows: Rows) -> Frame:
        """Return the rows with those of a further variable beside them."""
        return Frame(self.state, {**self.tables, variable: table}, {**self.rows, variable: rows}, self.size)
