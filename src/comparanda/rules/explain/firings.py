"""Why a row has its verdict: the firings that touched it, and what came of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from comparanda.rules.explain.account import touched
from comparanda.rules.explain.data import Cell, Step, Verdict, Why

if TYPE_CHECKING:
    from comparanda.rules.explain.account import Account
    from comparanda.rules.facts import State


def why_of(account: Account, table: str, row: int) -> Why:
    """Go through the run, and keep what happened to one row."""
    trace = account.outcome.trace
    steps = [
        step
        for done, state in account.states()
        if done < len(trace)
        for step in _steps(account, state, done + 1, table, row)
    ]
    verdicts = tuple(_verdict(account, view, table, row) for view in account.rule_set.views)
    return Why(account.row(table, row), tuple(steps), verdicts)


def _steps(account: Account, state: State, step: int, table: str, row: int) -> Iterator[Step]:
    """Yield what a step is about to do with a row: once for most, for a rule that pairs freely once a partner."""
    firing = account.outcome.trace[step - 1]
    rule = account.rule_set.rules[firing.rule]
    places = touched(firing, rule, table, row)
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
        yield Step(step, rule.name, rule.group, rule.salience, tuple(own), partner, tuple(theirs))


def _verdict(account: Account, view: str, table: str, row: int) -> Verdict:
    """Return what a row is in a view, as the items of the view count it."""
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
    return Verdict(view, outcome, rule, step, credit, 0.0 if left_out is not None else weight, left_out, partner)
