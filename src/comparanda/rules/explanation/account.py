"""Replay of a run, step by step, with rows and values converted for display."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.text_columns import TextColumn
from comparanda.errors import UsageError, suggest_nearest
from comparanda.rules.conditions import Conditions
from comparanda.rules.explanation.data import Cell, Row, Step, Value, Verdict, Why
from comparanda.rules.facts import MISSING, Frame
from comparanda.rules.language import SPAN_TABLES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.rules.conditions import Term
    from comparanda.rules.declarations import Kind
    from comparanda.rules.engine import Engine, Firing, Outcome
    from comparanda.rules.facts import Facts, State, Table
    from comparanda.rules.ruleset import Rule

    Array = NDArray[Any]


class Naming:
    """Names of sides, documents and places of rows for display; the default uses only the tables."""

    def side(self, table: str) -> str:
        """Return the display name of the side of a table."""
        return table

    def document(self, number: int) -> str:
        """Return the name of a document."""
        return str(number)

    def text(self, table: str, row: int) -> str | None:
        """Return the text that a row covers, or None to use that of the table."""
        del table, row
        return None

    def place(self, table: str, row: int) -> str | None:
        """Return the file and line of a row."""
        del table, row
        return None


@dataclass(frozen=True, slots=True)
class Try:
    """An attempt of the agenda to fire a rule: the number of steps before, and whether the rule fired."""

    rule: int
    after: int
    fired: bool


class Account:
    """A run to be explained.

    Args:
        outcome: the result of the run.
        engine: the engine that ran.
        naming: how rows are named; by numbers by default.
        facts: the facts, needed only if they have columns that rules set; without them, all cells of such columns
            that rules have set are assumed to have been missing before.

    """

    def __init__(
        self,
        outcome: Outcome,
        engine: Engine,
        naming: Naming | None = None,
        facts: Mapping[str, Facts] | None = None,
    ) -> None:
        self.outcome, self.rule_set, self.facts = outcome, engine.rule_set, facts or {}
        self.naming = naming or Naming()
        self.conditions = Conditions(engine.rule_set)
        self._terms: dict[int, list[Term]] = {}

    def rule(self, name: str) -> tuple[int, Rule]:
        """Return a rule and its place by its name."""
        for place, rule in enumerate(self.rule_set.rules):
            if rule.name == name:
                return place, rule
        names = [rule.name for rule in self.rule_set.rules]
        what = f"the rule set {self.rule_set.name!r} has no rule {name!r}{suggest_nearest(name, names)}"
        raise UsageError(what, hint=f"its rules: {', '.join(names)}")

    # Replay

    @cached_property
    def tries(self) -> tuple[Try, ...]:
        """All attempts of the agenda to fire rules, which the trace determines."""
        trace, restarts = self.outcome.trace, self.rule_set.restarts
        found: list[Try] = []
        place = done = 0
        while place < len(self.rule_set.rules):
            fires = done < len(trace) and trace[done].rule == place
            found.append(Try(place, done, fires))
            back = restarts[place] if fires else None
            done += fires
            place = place + 1 if back is None else back
        return tuple(found)

    def states(self) -> Iterator[tuple[int, State]]:
        """Yield the number of steps done and the state at that point, which is modified by the next step."""
        state = self._initial_state()
        yield 0, state
        for step, firing in enumerate(self.outcome.trace, start=1):
            rule = self.rule_set.rules[firing.rule]
            frame = self.frame(state, rule, firing.rows)
            for setting, value in zip(rule.sets, self.set_values(firing.rule, frame), strict=True):
                table = state.tables[rule.over[setting.variable]]
                table.columns[setting.column][frame.numbers(setting.variable)] = value
            yield step, state

    def state_after(self, step: int) -> State:
        """Return the state after a step; 0 for the initial state."""
        return next(state for done, state in self.states() if done == step)

    def _initial_state(self) -> State:
        """Return the state before the first step."""
        state = copy(self.outcome.state)
        state.tables = {}
        for name, table in self.outcome.state.tables.items():
            columns = dict(table.columns)
            for column in table.by:
                columns[column] = self._given_column(table, column)
            state.tables[name] = replace(table, columns=columns)
        return state

    def _given_column(self, table: Table, column: str) -> Array:
        """Return a column before any rule set it."""
        cells = table.columns[column]
        given = self.facts[table.name].columns.get(column) if table.name in self.facts else None
        if given is None:
            missing = _MISSING_VALUES[self.rule_set.tables[table.name][column].kind]
            return np.where(table.by[column] == MISSING, cells, missing).astype(cells.dtype)
        codes = self.outcome.state.pool.encode(given) if isinstance(given, TextColumn) else given
        return (codes if table.order is None else codes[table.order]).astype(cells.dtype)

    def frame(self, state: State, rule: Rule, rows: Mapping[str, Any]) -> Frame:
        """Make a frame of rows by the rule's variables."""
        numbers = {name: np.atleast_1d(np.asarray(rows[name], np.int64)) for name in rule.over}
        tables = {name: state.tables[table] for name, table in rule.over.items()}
        return Frame(state, tables, numbers, len(next(iter(numbers.values()))))

    def set_values(self, place: int, frame: Frame) -> list[Array]:
        """Return the values that a rule sets for the rows of a frame, one array for each cell."""
        rule = self.rule_set.rules[place]
        if place not in self._terms:
            self._terms[place] = [self.conditions.term(each.value, rule.over) for each in rule.sets]
        with np.errstate(invalid="ignore"):
            return [np.broadcast_to(np.asarray(term(frame)), frame.size) for term in self._terms[place]]

    def origin(self, table: str, row: int, column: str, until: int | None = None) -> tuple[str, int] | None:
        """Return the rule and the step that set the value of a cell, up to a step; None if no rule did."""
        trace = self.outcome.trace[:until]
        for step in range(len(trace), 0, -1):
            firing = trace[step - 1]
            rule = self.rule_set.rules[firing.rule]
            for setting in rule.sets:
                here = setting.column == column and rule.over[setting.variable] == table
                if here and (firing.rows[setting.variable] == row).any():
                    return rule.name, step
        return None

    # Names

    def row(self, table: str, row: int) -> Row:
        """Return a row for display."""
        found = self.outcome.state.tables[table]
        if table not in SPAN_TABLES:
            return Row(table=table, side=table, document=f"row {row}")
        columns = found.columns
        pieces = found.pieces.of(row) if found.pieces is not None else None
        text = self.naming.text(table, row)
        return Row(
            table=table,
            side=self.naming.side(table),
            document=self.naming.document(int(columns["doc"][row])),
            begin=int(columns["begin"][row]),
            end=int(columns["end"][row]),
            pieces=tuple(pieces or ()),
            label=self._text(columns["label"][row]),
            text=self._text(columns["text"][row]) if text is None else text,
            place=self.naming.place(table, row),
        )

    def value(self, kind: Kind, raw: Any, table: str | None = None) -> Value:
        """Return a raw value for display: strings for codes, rows for row numbers."""
        match kind:
            case "text":
                return self._text(raw)
            case "row":
                return None if int(raw) < 0 or table is None else self.row(table, int(raw))
            case "truth":
                return bool(raw)
            case _:
                number = float(raw)
                return None if np.isnan(number) else int(number) if number.is_integer() else number

    def cell(self, state: State, table: str, row: int, column: str) -> Value:
        """Return the value of a cell in a state, for display."""
        raw = state.tables[table].columns[column][row]
        if column == "doc" and table in SPAN_TABLES:
            return self.naming.document(int(raw))
        kind = self.rule_set.tables[table][column]
        return self.value(kind.kind, raw, kind.table)

    def _text(self, code: Any) -> str | None:
        return None if int(code) < 0 else self.outcome.state.pool.names[int(code)]


_MISSING_VALUES: dict[Kind, Any] = {"text": MISSING, "row": MISSING, "truth": False, "number": np.nan}


def find_matches_of_row(firing: Firing, rule: Rule, table: str, row: int) -> list[int]:
    """Return the matches of a firing that involve a row."""
    found = np.zeros(len(firing), np.bool_)
    for variable, of in rule.over.items():
        if of == table:
            found |= firing.rows[variable] == row
    return np.flatnonzero(found).tolist()


# Why a row has its verdict: the firings that involved it, and their results.


def why_of(account: Account, table: str, row: int) -> Why:
    """Replay the run, and collect the steps of one row."""
    trace = account.outcome.trace
    steps = [
        step
        for done, state in account.states()
        if done < len(trace)
        for step in _find_steps(account, state=state, step=done + 1, table=table, row=row)
    ]
    verdicts = tuple(_find_verdict(account, view, table, row) for view in account.rule_set.views)
    return Why(account.row(table, row), tuple(steps), verdicts)


def _find_steps(account: Account, state: State, step: int, table: str, *, row: int) -> Iterator[Step]:
    """Yield the effects of a step on a row: usually one; one per partner for a rule with `pair = "many"`."""
    firing = account.outcome.trace[step - 1]
    rule = account.rule_set.rules[firing.rule]
    places = find_matches_of_row(firing, rule, table, row)
    if not places:
        return
    rows = {name: numbers[places] for name, numbers in firing.rows.items()}
    values = account.set_values(firing.rule, account.frame(state, rule, rows))
    for place in range(len(places)):
        mine = [name for name, of in rule.over.items() if of == table and rows[name][place] == row]
        others = [name for name in rule.over if name not in mine[:1]]
        own: list[Cell] = []
        theirs: list[Cell] = []
        for setting, value in zip(rule.sets, values, strict=True):
            column = account.rule_set.tables[rule.over[setting.variable]][setting.column]
            cell = Cell(setting.column, account.value(column.kind, value[place], column.table), rule.name, step)
            (own if setting.variable in mine else theirs).append(cell)
        partner = account.row(rule.over[others[0]], int(rows[others[0]][place])) if others else None
        yield Step(
            step=step,
            rule=rule.name,
            group=rule.group,
            salience=rule.salience,
            sets=tuple(own),
            partner=partner,
            partner_sets=tuple(theirs),
        )


def _find_verdict(account: Account, view: str, table: str, row: int) -> Verdict:
    """Return the verdict of a row in a view, as counted in the items of the view."""
    declared, state = account.rule_set.views[view], account.outcome.state
    columns = account.rule_set.tables[table]

    def text(column: str) -> str | None:
        value = account.cell(state, table, row, column)
        return value if isinstance(value, str) else None

    def number(column: str) -> float:
        return float(np.nan_to_num(float(state.tables[table].columns[column][row])))

    outcome, left_out = text(declared.outcome), None
    if isinstance(declared.credit, Mapping):
        credit = float(declared.credit.get(outcome or "", 0.0))
    else:
        credit = number(declared.credit)
    weight = 1.0 if declared.weight is None else number(declared.weight)
    if declared.left_out is not None and declared.left_out in columns:
        left_out = text(declared.left_out)
    partner = None
    if declared.partner is not None and declared.partner in columns:
        raw = int(state.tables[table].columns[declared.partner][row])
        of = columns[declared.partner].table
        partner = account.row(of, raw) if of is not None and raw >= 0 else None
    rule, step = account.origin(table, row, declared.outcome) or (None, None)
    return Verdict(
        view=view,
        outcome=outcome,
        rule=rule,
        step=step,
        credit=credit,
        weight=0.0 if left_out is not None else weight,
        left_out=left_out,
        partner=partner,
    )
