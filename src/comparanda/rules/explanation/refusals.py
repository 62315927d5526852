"""Why a rule did not fire for a row: its conditions one by one, for the nearest rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.errors import UsageError
from comparanda.expressions.syntax import Call, Name, Node, Not, Quantified, Truth, list_children
from comparanda.rules.conditions import CONDITIONS, count_overlap, is_costly, write_condition
from comparanda.rules.explanation.data import Attempt, Cell, Condition, Pair, WhyNot
from comparanda.rules.language import OF_ROWS, SPAN_TABLES

if TYPE_CHECKING:
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.expressions import Node as ExpressionsNode
    from comparanda.rules.explanation.account import Account, Try
    from comparanda.rules.explanation.data import Reason, Row
    from comparanda.rules.facts import Frame, State
    from comparanda.rules.ruleset import Rule


# The values that determine a condition: of its calls, columns, parameters, and quantifiers.


_ALWAYS_SHOWN_COLUMNS = frozenset({"doc", "begin", "end", "pieces", "length", "label", "text"})
"""The columns displayed with every row, which a quantifier need not repeat."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
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
        """Return the rows as a frame."""
        return self.account.frame(self.state, self.rule, self.rows)

    def raw(self, node: Node) -> Any:
        """Evaluate a node."""
        with np.errstate(invalid="ignore"):
            value = self.account.conditions.term(node, self.rule.over)(self.frame())
        return np.broadcast_to(np.asarray(value), 1)[0]

    def holds(self, node: Node) -> bool:
        """Whether a condition holds."""
        return bool(self.raw(node))

    def cells(self, node: Node) -> tuple[Cell, ...]:
        """Return the values that determine a condition, each once."""
        found = {cell.name: cell for cell in self._cells(node, frozenset())}
        return tuple(found.values())

    def set_since(self, node: Node, step: int) -> tuple[Cell, ...]:
        """Return the cells of a condition that were set after a step."""
        return tuple(cell for cell in self.cells(node) if cell.step is not None and cell.step > step)

    def _cells(self, node: Node, inner: frozenset[str]) -> Iterator[Cell]:
        match node:
            case Name(name):
                variable, _, column = name.partition(".")
                if variable not in inner and not (inner and column in _ALWAYS_SHOWN_COLUMNS):
                    yield from self._column_cells(name, variable, column)
            case Call(function, arguments) if function in OF_ROWS:
                if function not in CONDITIONS and not self._refers_to(node, inner):
                    yield self._value_cell(node)
                for each in arguments:
                    if isinstance(each, Name) and each.name not in inner:
                        yield Cell(each.name, self._row(each.name).extent)
            case Call(function) if function not in CONDITIONS and not self._refers_to(node, inner):
                yield self._value_cell(node)
                yield from self._child_cells(node, inner)
            case Quantified():
                if not self._refers_to(node, inner):
                    yield from self._quantifier_cells(node)
                yield from self._child_cells(node, inner | {node.variable})
            case _:
                yield from self._child_cells(node, inner)

    def _child_cells(self, node: Node, inner: frozenset[str]) -> Iterator[Cell]:
        for each in list_children(node):
            yield from self._cells(each, inner)

    def _refers_to(self, node: Node, inner: frozenset[str]) -> bool:
        """Whether a node refers to the variable of a quantifier, so that it has no single value."""
        return (isinstance(node, Name) and node.name.partition(".")[0] in inner) or any(
            self._refers_to(each, inner) for each in list_children(node)
        )

    def _column_cells(self, name: str, variable: str, column: str) -> Iterator[Cell]:
        """Yield the value of a column with its origin, or of a parameter; rows themselves are displayed elsewhere."""
        if not column:
            if variable not in self.rule.over:
                yield self._value_cell(Name(name))
            return
        table, row = self.rule.over[variable], self.rows[variable]
        origin = self.account.origin(table, row, column, self.after) or (None, None)
        yield Cell(name, self.account.cell(self.state, table, row, column), *origin)

    def _row(self, variable: str) -> Any:
        return self.account.row(self.rule.over[variable], self.rows[variable])

    def _value_cell(self, node: Node) -> Cell:
        kind = self.account.conditions.kind(node, self.rule.over)
        table = node.table if isinstance(node, Quantified) else None
        return Cell(write_condition(node), self.account.value(kind, self.raw(node), table))

    def _quantifier_cells(self, node: Quantified) -> Iterator[Cell]:
        """Yield the number of rows that match a quantifier, and the first of them; or the value of the quantifier."""
        if node.function not in {"any", "count"}:
            yield self._value_cell(node)
            return
        rows = replace(node, function="count", body=Name(node.variable))
        first = replace(node, function="min", body=Name(node.variable))
        count = int(self.raw(rows))
        yield Cell(f"rows {node.variable} of {node.table}", count)
        if count:
            yield Cell(node.variable, self.account.row(node.table, int(self.raw(first))))


def as_written(node: Node) -> str:
    """Return a condition as in rule files: the condition of each row is the body of its quantifier.

    >>> from comparanda.expressions import parse
    >>> as_written(parse("not any(true for t in key if t.begin > 3)").root)
    'not any(t.begin > 3 for t in key)'
    """
    match node:
        case Not(Quantified() as inner):
            return write_condition(replace(node, operand=_restore_body(inner)))
        case Quantified():
            return write_condition(_restore_body(node))
        case _:
            return write_condition(node)


def _restore_body(node: Quantified) -> Quantified:
    if node.body == Truth(True) and node.condition is not None:
        return replace(node, body=node.condition, condition=None)
    return node


NEAREST = 3
"""The number of rows of the other table that are examined; one if none overlaps."""

_MAX_COSTLY_ROWS = 50  # the number of rows for which costly conditions, such as text similarity, are evaluated


def why_not_of(account: Account, name: str, table: str | None, row: int, *, other: int | None) -> WhyNot:
    """Examine all attempts of the agenda to fire a rule, and explain why it did not fire for a row."""
    place, rule = account.rule(name)
    asked = _FailedRow(account=account, place=place, rule=rule, first=_find_variable(rule, table), row=row)
    tries = [each for each in account.tries if each.rule == place]
    fired = asked.fired(other)
    attempts: list[Attempt] = []
    if not fired or other is not None:
        others: Sequence[int | None] = [None] if asked.second is None else [other]
        if asked.second is not None and other is None:
            others = asked.nearest(account.state_after(tries[-1].after))
        attempts = _best_attempts(asked, tries, others)
    steps = tuple(each.after for each in tries)
    return WhyNot(
        rule=rule.name,
        group=rule.group,
        salience=rule.salience,
        pair=rule.pair,
        fired=tuple(fired),
        tried=steps,
        attempts=tuple(attempts),
    )


def _find_variable(rule: Rule, table: str | None) -> str:
    for variable, of in rule.over.items():
        if table is None or of == table:
            return variable
    over = " and ".join(dict.fromkeys(rule.over.values()))
    raise UsageError(f"the rule {rule.name!r} is about rows of {over}, but this is a row of {table}")


def _best_attempts(asked: _FailedRow, tries: Sequence[Try], others: Sequence[int | None]) -> list[Attempt]:
    """Return for each row the attempt at which the fewest conditions failed, the last one of several."""
    account = asked.account
    at = {each.after: each for each in tries}
    best: dict[int | None, tuple[int, Attempt]] = {}
    for done, state in account.states():
        if done in at:
            for other in others:
                found = asked.attempt(at[done], state, other)
                held = sum(each.held for each in found.conditions)
                if other not in best or held >= best[other][0]:
                    best[other] = held, found
    return [best[other][1] for other in others]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _FailedRow:
    """A rule, and the row that it did not fire for.

    Args:
        account: the run.
        place: the rule's place.
        rule: the rule.
        first: the variable of the row.
        row: its number.

    """

    account: Account
    place: int
    rule: Rule
    first: str
    row: int

    @property
    def second(self) -> str | None:
        """The rule's other variable, if it has two."""
        return next((each for each in self.rule.over if each != self.first), None)

    def fired(self, other: int | None) -> list[int]:
        """Return the steps in which the rule fired for the row, and with the other row if one is given."""
        steps = []
        for step, firing in enumerate(self.account.outcome.trace, start=1):
            if firing.rule == self.place:
                mine = firing.rows[self.first] == self.row
                if other is not None and self.second is not None:
                    mine &= firing.rows[self.second] == other
                if mine.any():
                    steps.append(step)
        return steps

    def bound(self, state: State, after: int, row: int, other: int | None) -> Bound:
        """Bind the rule's variables to rows."""
        rows = {self.first: row}
        if self.second is not None and other is not None:
            rows[self.second] = other
        return Bound(account=self.account, rule=self.rule, rows=rows, state=state, after=after)

    # The nearest rows

    def nearest(self, state: State) -> list[int]:
        """Return the rows of the other table for which most conditions hold: some that overlap, or else one."""
        assert self.second is not None
        table = self.rule.over[self.second]
        size = state.tables[table].size
        frame = self.account.frame(
            state, self.rule, {self.first: np.full(size, self.row), self.second: np.arange(size)}
        )
        common, apart, near = self._distances(frame)
        cheap = self._count_conditions(frame, costly=False)
        whole = sum(not is_costly(each) for each in self.rule.conditions)
        near &= (np.arange(size) != self.row) | (table != self.rule.over[self.first])  # not the row itself
        rows = np.flatnonzero(near | (cheap == whole))
        rows = rows[np.lexsort((rows, apart[rows], -common[rows], -cheap[rows]))][:_MAX_COSTLY_ROWS]
        held = cheap[rows] + self._count_conditions(frame.taken(rows), costly=True)
        order = np.lexsort((rows, apart[rows], -common[rows], -held))
        overlapping = order[common[rows[order]] > 0]
        found = overlapping[:NEAREST] if overlapping.size else order[:1]
        return list(map(int, rows[found]))

    def _count_conditions(self, frame: Frame, *, costly: bool) -> Rows:
        """Return the number of conditions that hold for each pair of a frame."""
        held = np.zeros(frame.size, np.int64)
        with np.errstate(invalid="ignore"):
            for node in self.rule.conditions:
                if bool(is_costly(node)) == costly:
                    held += np.asarray(self.account.conditions.term(node, self.rule.over)(frame), np.bool_)
        return held

    def _distances(self, frame: Frame) -> tuple[Rows, Rows, Truths]:
        """Return the overlap of spans, their distance, and whether they are in the same document."""
        assert self.second is not None
        if not {*self.rule.over.values()} <= {*SPAN_TABLES}:
            nothing = np.zeros(frame.size, np.int64)
            return nothing, nothing, np.ones(frame.size, np.bool_)
        begin, end = (np.stack([frame.column(each, name) for each in self.rule.over]) for name in ("begin", "end"))
        near = frame.column(self.first, "doc") == frame.column(self.second, "doc")
        apart = np.where(near, np.maximum(begin.max(axis=0) - end.min(axis=0), 0), np.iinfo(np.int64).max)
        return count_overlap(frame, self.first, self.second), apart, near

    # Reasons

    def attempt(self, tried: Try, state: State, other: int | None) -> Attempt:
        """Evaluate all conditions at one attempt."""
        then = self.bound(state, tried.after, self.row, other)
        end = len(self.account.outcome.trace)
        now = self.bound(self.account.outcome.state, end, self.row, other)
        conditions = tuple(_explain_condition(node, then, now) for node in self.rule.conditions)
        shown = self._row(self.second, other) if self.second is not None and other is not None else None
        if not all(each.held for each in conditions):
            return Attempt(other=shown, after=tried.after, reason="condition", conditions=conditions)
        reason, taken = self._find_reason(tried, then, other)
        return Attempt(other=shown, after=tried.after, reason=reason, conditions=conditions, taken=taken)

    def _find_reason(self, tried: Try, then: Bound, other: int | None) -> tuple[Reason, tuple[Pair, ...]]:
        """Return the reason why a match did not fire although all conditions held."""
        if tried.fired and tried.after + 1 in self.fired(other):
            return "fired", ()
        if not self._would_change(then):
            return "nothing to change", ()
        return "another pair", tuple(self._rival_pairs(tried, then, other))

    def _would_change(self, then: Bound) -> bool:
        frame = then.frame()
        for setting, value in zip(self.rule.sets, self.account.set_values(self.place, frame), strict=True):
            old, new = frame.column(setting.variable, setting.column)[0], value[0]
            if old != new and not (old != old and new != new):  # noqa: PLR0124 - NaN differs from itself
                return True
        return False

    def _rival_pairs(self, tried: Try, then: Bound, other: int | None) -> Iterator[Pair]:
        """Yield the pairs of the firing that contain one of the two rows and precede this pair."""
        if not tried.fired or self.second is None:
            return
        firing = self.account.outcome.trace[tried.after]
        mine, theirs = firing.rows[self.first], firing.rows[self.second]
        for place in np.flatnonzero((mine == self.row) | (theirs == other)).tolist():
            rival = int(mine[place]), int(theirs[place])
            better = self._deciding_number(then, replace(then, rows={self.first: rival[0], self.second: rival[1]}))
            if better is not None:
                row, partner = self._row(self.first, rival[0]), self._row(self.second, rival[1])
                yield Pair(tried.after + 1, row, partner, better)

    def _deciding_number(self, here: Bound, there: Bound) -> tuple[Cell, ...] | None:
        """Return the first of the `best` numbers by which one pair precedes another; None if it does not."""
        if self.rule.pair != "one-to-one":  # otherwise the pairing is optimal as a whole
            return ()
        for node in self.rule.best:
            numbers = [float(each.raw(node)) for each in (there, here)]
            theirs, mine = (np.inf if np.isnan(each) else each for each in numbers)  # missing values come last
            if theirs != mine:
                cells = tuple(Cell(write_condition(node), self.account.value("number", each)) for each in numbers)
                return cells if theirs < mine else None
        rows = [[each.rows[variable] for variable in self.rule.over] for each in (here, there)]
        return () if rows[1] < rows[0] else None

    def _row(self, variable: str, row: int) -> Row:
        return self.account.row(self.rule.over[variable], row)


def _explain_condition(node: ExpressionsNode, then: Bound, now: Bound) -> Condition:
    held, holds = then.holds(node), now.holds(node)
    values: tuple[Cell, ...] = ()
    if not held:
        values = then.cells(node)
    elif not holds:
        values = now.set_since(node, then.after)
    return Condition(as_written(node), held, holds, values)
