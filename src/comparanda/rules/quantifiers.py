"""Questions about all rows of a table: `any`, `count`, `min`, `max`, `sum`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.expressions.syntax import Name, Node, Quantified
from comparanda.rules.conditions import variables_of
from comparanda.rules.facts import MISSING
from comparanda.rules.frames import Frame, filled
from comparanda.rules.linking import linked
from comparanda.rules.plain import conjuncts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Rows
    from comparanda.rules.conditions import Conditions, Term, Value

    Array = NDArray[Any]


class Quantifier:
    """One question, compiled."""

    def __init__(self, conditions: Conditions, node: Quantified, variables: Mapping[str, str]) -> None:
        self.node = node
        inner = {**variables, node.variable: node.table}
        parts: list[Node] = list(conjuncts(node.condition))
        self.link = linked(conditions, node.variable, node.table, parts, variables)
        self.body = conditions.term(node.body, inner)
        self.of_rows = node.body == Name(node.variable)
        self.own_body = variables_of(node.body, inner) <= {node.variable}
        self.related = self.link.linked or bool(self.link.rest)

    def term(self) -> Term:
        """Return the function that answers it for all rows of a frame."""
        match self.node.function:
            case "any":
                return self.any
            case "count":
                return self.count
            case _:
                return self.gathered

    def any(self, frame: Frame) -> Value:
        """Whether each place has a row."""
        if not self.related:
            return bool(len(self._alone(frame)))
        if self._countable(frame):
            return self.link.among(frame)
        places, _ = self.link.joined(frame)
        found = np.zeros(frame.size, np.bool_)
        found[places] = True
        return found

    def count(self, frame: Frame) -> Value:
        """How many rows each place has."""
        if not self.related:
            return len(self._alone(frame))
        if self._countable(frame):
            return self.link.counted(frame)
        places, _ = self.link.joined(frame)
        return np.bincount(places, minlength=frame.size)

    def _countable(self, frame: Frame) -> bool:
        if not self.link.exact:
            return False
        whole = frame.state.tables
        return self.link.overlapping is None or all(
            table.pieces is None for table in (whole[self.link.table], frame.tables[self.link.overlapping])
        )

    def _alone(self, frame: Frame) -> Rows:
        rows = self.link.own_rows(frame)
        return frame.state.tables[self.link.table].numbers if rows is None else rows

    def gathered(self, frame: Frame) -> Value:
        """Return the least, the greatest or the sum of the values of each place's rows."""
        if not self.related and self.own_body:
            rows = self._alone(frame)
            found = self._frame_of(frame, rows)
            groups = np.zeros(len(rows), np.int64)
            return self._reduced(self._values(found), groups, 1)[0]
        if self.link.exact and self.own_body and self.link.overlapping is None:
            return self._by_group(frame)
        places, found = self.link.joined(frame)
        return self._reduced(self._values(found), places, frame.size)

    def _by_group(self, frame: Frame) -> Array:
        """Work out each group of rows with one key once, and look the groups up."""
        places, rows, mine, theirs = self.link.keys(frame)
        order = np.argsort(theirs, kind="stable")
        keys, group = np.unique(theirs[order], return_inverse=True)
        values = self._values(self._frame_of(frame, rows[order]))
        reduced = self._reduced(values, group, len(keys))
        result = self._reduced(reduced[:0], group[:0], frame.size)
        if len(keys):
            place = np.searchsorted(keys, mine)
            place[place == len(keys)] = 0
            hit = keys[place] == mine
            result[places[hit]] = reduced[place[hit]]
        return result

    def _frame_of(self, frame: Frame, rows: Rows) -> Frame:
        table = frame.state.tables[self.link.table]
        return Frame(frame.state, {self.link.variable: table}, {self.link.variable: rows}, len(rows))

    def _values(self, frame: Frame) -> Array:
        return filled(self.body(frame), frame.size)

    def _reduced(self, values: Array, owner: Rows, size: int) -> Array:
        """Reduce the values of each owner, which come in order; of none, a row or number is missing and a sum is 0."""
        if self.node.function == "sum":
            return np.bincount(owner, values, size) if len(owner) else np.zeros(size)
        result: Array = np.full(size, MISSING, np.int64) if self.of_rows else np.full(size, np.nan)
        if len(owner):
            work = np.fmin if self.node.function == "min" else np.fmax
            begins = np.flatnonzero(np.diff(owner, prepend=-1))
            result[owner[begins]] = work.reduceat(values, begins)
        return result
