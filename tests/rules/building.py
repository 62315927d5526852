"""Small rule sets and spans, written in one line each, and what fired on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from comparanda.rules.compiler import compile_rules
from comparanda.rules.declarations import ColumnDeclaration, Pairing, RuleDeclaration, RuleSetDeclaration
from comparanda.rules.engine import Engine, Outcome
from comparanda.rules.ruleset import Rule
from tests.rules.span_inputs import Row

OTHER = {"system": "key", "key": "system"}
TABLES = {
    table: {
        "result": ColumnDeclaration(values=("A", "B", "C")),
        "note": ColumnDeclaration(),
        "hit": ColumnDeclaration("truth"),
        "level": ColumnDeclaration("number"),
        "partner": ColumnDeclaration("row", table=OTHER[table]),
    }
    for table in OTHER
}
VARIABLES = {"s": "system", "t": "system", "k": "key", "l": "key"}


def rule(
    over: str,
    when: str,
    name: str = "rule",
    *,
    group: str = "first",
    salience: float = 0,
    pair: Pairing | None = None,
    best: Sequence[str] = (),
    **sets: str,
) -> RuleDeclaration:
    """Return a rule over the tables its variables stand for; `s_result="A"` sets `s.result`."""
    written = {column.replace("_", ".", 1): value for column, value in sets.items()}
    return RuleDeclaration(
        name=name,
        group=group,
        over={each: VARIABLES[each] for each in over},
        when=when,
        sets=written,
        salience=salience,
        pair=pair,
        best=best,
    )


def declared(*rules: RuleDeclaration, groups: Sequence[str] = ("first", "second")) -> RuleSetDeclaration:
    return RuleSetDeclaration(
        name="test",
        groups=tuple(groups),
        tables=TABLES,
        rules=rules,
        parameters={"far": {"default": 2.0, "PER": 1.0, "LOC": 0.0}, "bound": 1.0},
        lists={"words": {"default": ["it", "a b"], "PER": ["he", "mr"], "LOC": []}, "flat": ["ab", "he", "Q1"]},
        hierarchy={"CAPITAL": ["CITY"], "CITY": ["LOC", "ORG"], "ORG": ["PER"]},
    )


def engine(*rules: RuleDeclaration, **more: Any) -> Engine:
    return Engine(compile_rules(declared(*rules, **more)))


def span(begin: int, end: int, label: str = "PER", doc: int = 0, **more: Any) -> Row:
    return {"doc": doc, "begin": begin, "end": end, "label": label, **more}


def fired(outcome: Outcome, name: str, rules: Sequence[Rule]) -> list[tuple[int, ...]]:
    """Return the matches for which a rule fired first, as rows of the input."""
    (place,) = (place for place, each in enumerate(rules) if each.name == name)
    over = rules[place].over
    firing = next((each for each in outcome.trace if each.rule == place), None)
    if firing is None:
        return []
    columns = []
    for variable, table in over.items():
        order = outcome.state.tables[table].order
        rows = firing.rows[variable]
        columns.append((rows if order is None else order[rows]).tolist())
    return sorted(zip(*columns, strict=True))
