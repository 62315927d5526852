"""The engine on arrays gives what the plain interpreter gives, cell by cell, on random rule sets and inputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest

from comparanda.core.text_columns import Column, TextColumn
from comparanda.errors import RuleError
from comparanda.rules.compiler import compile_rules
from comparanda.rules.declarations import RuleSetDeclaration
from comparanda.rules.engine import Engine, Outcome
from comparanda.rules.facts import Facts
from comparanda.rules.ruleset import RuleSet
from tests.rules.interpreter import AmbiguousError, Tables, run
from tests.rules.random_rules import TABLES, random_input
from tests.rules.test_random_rules import passed, random_sets

Cells = dict[tuple[str, str], list[Any]]


def facts_of(tables: Tables) -> dict[str, Facts]:
    """Return tables as the engine takes them, with the verdicts that are there already."""
    return {
        table: Facts({name: column_of(name, [row[name] for row in rows]) for name in GIVEN})
        for table, rows in tables.items()
    }


GIVEN = ("doc", "begin", "end", "label", "text", *TABLES["system"])


def column_of(name: str, values: Sequence[Any]) -> Column:
    match name:
        case "doc" | "begin" | "end" | "partner":
            return np.array([-1 if value is None else value for value in values], np.int64)
        case "seen":
            return np.array(values, np.bool_)
        case "level":
            return np.array([np.nan if value is None else value for value in values], np.float64)
        case _:
            names = ("", *sorted({value for value in values if value is not None}))
            return TextColumn(np.array([names.index(value or "") for value in values], np.int64), names, 0)


def cells_of(outcome: Outcome) -> Cells:
    return {(table, name): values_of(outcome, table, name) for table, columns in TABLES.items() for name in columns}


def values_of(outcome: Outcome, table: str, name: str) -> list[Any]:
    found: list[Any] = outcome.codes(table, name).tolist()
    match TABLES[table][name].kind:
        case "text":
            return outcome.texts(table, name)
        case "row":
            return [None if row < 0 else row for row in found]
        case "number":
            return [None if np.isnan(number) else number for number in found]
        case _:
            return found


def compare(seeds: Iterable[int], inputs: int) -> int:
    """Run both on random inputs; return how many rule sets there were."""
    number = 0
    for declared, unchecked, random in random_sets(seeds):
        if passed(unchecked) is not None and not has_ties(unchecked):
            engine = Engine(compile_rules(declared))
            number += 1
            for _ in range(inputs):
                tables = told_apart(random_input(random, declared))
                assert by_engine(engine, tables) == by_interpreter(declared, tables), declared.rules
    return number


def has_ties(rule_set: RuleSet) -> bool:
    """Whether there may be equally good pairings, of which any may be chosen."""
    return any(rule.pair == "one-to-one:optimal" for rule in rule_set.rules)


def told_apart(tables: Tables) -> Tables:
    """Give every row a text of its own, so that content order is the order in which they stand."""
    return {
        table: [row | {"text": str(place), "norm": str(place)} for place, row in enumerate(rows)]
        for table, rows in tables.items()
    }


def by_engine(engine: Engine, tables: Tables) -> Cells | str:
    try:
        return cells_of(engine.run(facts_of(tables)))
    except RuleError as problem:
        return "ambiguous" if "ambiguous write" in problem.what else problem.what


def by_interpreter(declared: RuleSetDeclaration, tables: Tables) -> Cells | str:
    try:
        rows = run(declared, tables).tables
    except AmbiguousError:
        return "ambiguous"
    return {(table, name): [row[name] for row in rows[table]] for table, columns in TABLES.items() for name in columns}


def test_the_engine_does_what_the_interpreter_does() -> None:
    assert compare(range(30_000, 30_100), inputs=4) > 24


@pytest.mark.slow
def test_the_engine_does_what_the_interpreter_does_on_many_rule_sets() -> None:
    assert compare([*range(30_100, 30_500), *range(40_000, 50_000)], inputs=8) > 2_500
