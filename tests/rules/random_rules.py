"""Random small rule sets and random tiny inputs for them: crowded, so that rules get into each other's way."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from comparanda.rules.declarations import ColumnDeclaration, Pairing, RuleDeclaration, RuleSetDeclaration
from tests.rules.interpreter import Row, Tables, prepared

VERDICTS = ("A", "B", "C")
NOTES = ("p", "q")
LABELS = ("X", "Y")
OTHER = {"system": "key", "key": "system"}


def columns(table: str) -> dict[str, ColumnDeclaration]:
    """Return the columns that rules may set: a verdict of fixed values, and one of each other kind."""
    return {
        "result": ColumnDeclaration(values=VERDICTS),
        "note": ColumnDeclaration(),
        "seen": ColumnDeclaration("truth"),
        "level": ColumnDeclaration("number"),
        "partner": ColumnDeclaration("row", table=OTHER[table]),
    }


TABLES = {table: columns(table) for table in OTHER}


class Maker:
    """Makes random rules, most of which guard what they write as a sensible author would."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def rule_set(self) -> RuleSetDeclaration:
        """Return two to four rules in one group, or in two."""
        groups = ("first", "second")[: self.random.choice([1, 1, 1, 2])]
        number = self.random.randint(2, 4)
        rules = tuple(self.rule(f"rule {place}", groups) for place in range(number))
        return RuleSetDeclaration(name="random", groups=groups, tables=TABLES, rules=rules, parameters={"bound": 1.0})

    def rule(self, name: str, groups: Sequence[str]) -> RuleDeclaration:
        """Return a rule over one table or two."""
        over, when, pair = self.ranging()
        sets: dict[str, str] = {}
        for variable in self.written(over, pair):
            target, value, guard = self.write(variable, over)
            sets[target] = value
            when += guard
        when += [self.condition(variable, over) for variable in over if self.random.random() < 0.5]
        one_to_one = pair not in {None, "many"}
        best = self.random.choice([(), ("-overlap(s, k)",), ("k.begin",), ("-s.level",)]) if one_to_one else ()
        group, salience = self.random.choice(groups), self.random.choice([0, 0, 1, 2])
        return RuleDeclaration(
            name=name,
            group=group,
            over=over,
            when=" and ".join(when) or "true",
            sets=sets,
            salience=salience,
            pair=pair,
            best=best,
        )

    def ranging(self) -> tuple[dict[str, str], list[str], Pairing | None]:
        """Return what a rule ranges over, what links its rows, and how it pairs them."""
        table = self.random.choice(["system", "key"])
        if self.random.random() < 0.5:
            return {"s": table}, [], None
        other = OTHER[table] if self.random.random() < 0.85 else table
        joins = [f"k == min(x for x in {other} if overlaps(s, x) and {self.test('x')})"]
        joins += [] if other == table else ["s.partner == k", "s.partner == k", "k.partner == s"]
        link = self.random.choice(["same(s, k, 'doc')", "s.label == k.label", "overlaps(s, k)", *joins])
        pairs: list[Pairing | None] = [None, "one-to-one", "one-to-one", "one-to-one:optimal", "many"]
        return {"s": table, "k": other}, [link], None if link in joins else self.random.choice(pairs)

    def written(self, over: dict[str, str], pair: Pairing | None) -> list[str]:
        """Return the variables whose rows are written, one of them perhaps twice."""
        if pair not in {None, "many"} and self.random.random() < 0.9:
            return [*over]
        return self.random.choices([*over], k=self.random.choice([1, 1, 2]))

    def write(self, variable: str, over: dict[str, str]) -> tuple[str, str, list[str]]:
        """Return a cell, its value, and mostly a condition that the value makes false."""
        column = self.random.choice(["result", "result", "note", "seen", "partner", "level"])
        others = [name for name in over if name != variable and over[name] == OTHER[over[variable]]]
        if column == "partner" and not others:
            column = "result"
        cell = f"{variable}.{column}"
        empty = f"not {cell}" if column == "seen" else f"is_missing({cell})"
        value = self.value(variable, column, over)
        guard = self.random.choice([empty, empty, empty, self.test(variable, column), None])
        return cell, value, [] if guard is None else [guard]

    def value(self, variable: str, column: str, over: dict[str, str]) -> str:
        """Return something that a column can be set to."""
        anyone = self.random.choice([*over])
        match column:
            case "result":
                copied = [f"{name}.result" for name in over if name != variable]
                return self.random.choice([*VERDICTS, *VERDICTS, *copied])
            case "note":
                return self.random.choice(["'p'", "'q'", "'p'", f"{anyone}.label", f"{anyone}.note"])
            case "seen":
                return self.random.choice(["true", "true", "false"])
            case "partner":
                return next(name for name in over if name != variable)
            case _:
                counted = f"count(x for x in {over[variable]} if {self.test('x', 'result')})"
                return self.random.choice(["0", "1", "2", f"{anyone}.begin", f"{variable}.level + 1", counted])

    def test(self, variable: str, column: str = "") -> str:
        """Return a condition on one cell."""
        column = column or self.random.choice(["result", "result", "note", "seen", "level", "partner", "label"])
        cell = f"{variable}.{column}"
        verdict, note, label = (self.random.choice(each) for each in (VERDICTS, NOTES, LABELS))
        choices = {
            "result": [
                f"{cell} == '{verdict}'",
                f"{cell} == '{verdict}'",
                f"{cell} != '{verdict}'",
                f"{cell} in ['A', 'B']",
            ],
            "note": [f"{cell} == '{note}'", f"not {cell} == '{note}'", f"{cell} in ['p', 'r']"],
            "seen": [cell, f"not {cell}"],
            "level": [f"{cell} == 1", f"{cell} > 0", f"{cell} < 1", f"{cell} >= bound"],
            "label": [f"{cell} == '{label}'", f"{variable}.begin > 0", f"{variable}.begin <= 0"],
        }
        missing = [] if column in {"seen", "label"} else [f"is_missing({cell})", f"not is_missing({cell})"]
        return self.random.choice([*choices.get(column, []), *missing])

    def condition(self, variable: str, over: dict[str, str]) -> str:
        """Return a condition on a row: on one cell, on either of two, or on all rows of a table."""
        kind = self.random.random()
        if kind < 0.45:
            return self.test(variable)
        if kind < 0.55:
            return f"({self.test(variable)} or {self.test(variable)})"
        if kind < 0.62 and len(over) == 2:
            return self.random.choice(["s.result == k.result", "s.result != k.result", "s.level <= k.level"])
        return self.question(variable, over[variable])

    def question(self, variable: str, table: str) -> str:
        """Return a question about all rows of a table."""
        asked = self.random.choice(["system", "key"])
        links = [f"same(x, {variable}, 'doc')", f"x.label == {variable}.label", f"overlaps(x, {variable})"] * 3
        links += [f"x.note == {variable}.note", f"any(overlaps(x, y) for y in {table} if {self.test('y')})"]
        links += [f"x.partner == {variable}"] if asked != table else []
        link = self.random.choice(links)
        inside = f"x in {asked} if {link} and {self.test('x')}"
        rows = f"x in {table} if same(x, {variable}, 'doc') and {self.test('x')}"
        kinds = [f"any({link} and {self.test('x')} for x in {asked})", f"not any(true for {inside})"]
        others = [
            f"count({self.test('x')} for {inside}) >= 2",
            f"{variable} == min(x for {rows})",
            f"(any(true for {inside}) or {self.test(variable)})",
        ]
        return self.random.choice([*kinds, *kinds, *others])


def random_input(random: Random, declared: RuleSetDeclaration) -> Tables:
    """Return a few spans on each side, some with verdicts already."""
    sizes = {table: random.choice([0, 1, 2, 3, 3, 4, 4]) for table in OTHER}
    rows = {table: [_row(random, sizes[OTHER[table]]) for _ in range(size)] for table, size in sizes.items()}
    return prepared(declared, rows)


def _row(random: Random, others: int) -> Row:
    begin, label = random.choice([0, 0, 1]), random.choice(["X", *LABELS])
    row: Row = {
        "doc": random.choice([0, 0, 0, 0, 1]),
        "begin": begin,
        "end": begin + random.randint(0, 2),
        "label": label,
    }
    row["text"] = random.choice(["p", "q", "w"])
    preset: dict[str, list[Any]] = {
        "result": [None] * 5 + [*VERDICTS],
        "note": [None, None, *NOTES, "w"],
        "seen": [False, False, True],
        "level": [None, None, 0.0, 1.0, 2.0],
        "partner": [None, *range(others)],
    }
    return row | {column: random.choice(values) for column, values in preset.items()}
