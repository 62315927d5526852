"""The values behind a condition: of its calls, columns, parameters, and questions about other rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.expressions.syntax import Call, Name, Node, Not, Quantified, Truth, children
from comparanda.rules.conditions import written
from comparanda.rules.explain.data import Cell
from comparanda.rules.functions import CONDITIONS
from comparanda.rules.language import OF_ROWS

if TYPE_CHECKING:
    from comparanda.rules.explain.account import Account
    from comparanda.rules.facts import State
    from comparanda.rules.frames import Frame
    from comparanda.rules.ruleset import Rule


_SEEN = frozenset({"doc", "begin", "end", "pieces", "length", "label", "text"})
"""What is seen of a row wherever it is named, so that a question about other rows need not repeat it."""


@dataclass(frozen=True, eq=False, slots=True)
class Bound:
    """A rule with a row for each of its variables, in the state after a step.

    Args:
        account: the run.
        rule: the rule.
        rows: the number of the row of each variable.
        state: the state.
        after: the step.

    """

    account: Account
    rule: Rule
    rows: Mapping[str, int]
    state: State
    after: int

    def frame(self) -> Frame:
        """Return the rows as conditions want them."""
        return self.account.frame(self.state, self.rule, self.rows)

    def raw(self, node: Node) -> Any:
        """Work out a node."""
        with np.errstate(invalid="ignore"):
            value = self.account.conditions.term(node, self.rule.over)(self.frame())
        return np.broadcast_to(np.asarray(value), 1)[0]

    def holds(self, node: Node) -> bool:
        """Whether a condition holds."""
        return bool(self.raw(node))

    def cells(self, node: Node) -> tuple[Cell, ...]:
        """Return the values that a condition rests on, each once."""
        found = {cell.name: cell for cell in self._cells(node, frozenset())}
        return tuple(found.values())

    def set_since(self, node: Node, step: int) -> tuple[Cell, ...]:
        """Return the cells of a condition that were set after a step."""
        return tuple(cell for cell in self.cells(node) if cell.step is not None and cell.step > step)

    def _cells(self, node: Node, inner: frozenset[str]) -> Iterator[Cell]:
        match node:
            case Name(name):
                variable, _, column = name.partition(".")
                if variable not in inner and not (inner and column in _SEEN):
                    yield from self._named(name, variable, column)
            case Call(function, arguments) if function in OF_ROWS:
                if function not in CONDITIONS and not self._speaks_of(node, inner):
                    yield self._value(node)
                for each in arguments:
                    if isinstance(each, Name) and each.name not in inner:
                        yield Cell(each.name, self._row(each.name).extent)
            case Call(function) if function not in CONDITIONS and not self._speaks_of(node, inner):
                yield self._value(node)
                yield from self._below(node, inner)
            case Quantified():
                if not self._speaks_of(node, inner):
                    yield from self._asked(node)
                yield from self._below(node, inner | {node.variable})
            case _:
                yield from self._below(node, inner)

    def _below(self, node: Node, inner: frozenset[str]) -> Iterator[Cell]:
        for each in children(node):
            yield from self._cells(each, inner)

    def _speaks_of(self, node: Node, inner: frozenset[str]) -> bool:
        """Whether a node speaks of rows that a question ranges over, so that it has no one value."""
        return (isinstance(node, Name) and node.name.partition(".")[0] in inner) or any(
            self._speaks_of(each, inner) for each in children(node)
        )

    def _named(self, name: str, variable: str, column: str) -> Iterator[Cell]:
        """Yield the value of a column with its origin, or of a parameter; rows themselves are shown elsewhere."""
        if not column:
            if variable not in self.rule.over:
                yield self._value(Name(name))
            return
        table, row = self.rule.over[variable], self.rows[variable]
        origin = self.account.origin(table, row, column, self.after) or (None, None)
        yield Cell(name, self.account.cell(self.state, table, row, column), *origin)

    def _row(self, variable: str) -> Any:
        return self.account.row(self.rule.over[variable], self.rows[variable])

    def _value(self, node: Node) -> Cell:
        kind = self.account.conditions.kind(node, self.rule.over)
        table = node.table if isinstance(node, Quantified) else None
        return Cell(written(node), self.account.value(kind, self.raw(node), table))

    def _asked(self, node: Quantified) -> Iterator[Cell]:
        """Yield how many rows a question is true of, and the first of them; or the number it gives."""
        if node.function not in {"any", "count"}:
            yield self._value(node)
            return
        rows = replace(node, function="count", body=Name(node.variable))
        first = replace(node, function="min", body=Name(node.variable))
        count = int(self.raw(rows))
        yield Cell(f"rows {node.variable} of {node.table}", count)
        if count:
            yield Cell(node.variable, self.account.row(node.table, int(self.raw(first))))


def as_written(node: Node) -> str:
    """Return a condition as people write it: what is asked of each row stands first.

    >>> from comparanda.expressions import parse
    >>> as_written(parse("not any(true for t in key if t.begin > 3)").root)
    'not any(t.begin > 3 for t in key)'
    """
    match node:
        case Not(Quantified() as inner):
            return written(replace(node, operand=_asked_first(inner)))
        case Quantified():
            return written(_asked_first(node))
        case _:
            return written(node)


def _asked_first(node: Quantified) -> Quantified:
    if node.body == Truth(True) and node.condition is not None:
        return replace(node, body=node.condition, condition=None)
    return node
