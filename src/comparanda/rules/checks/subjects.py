"""The rows that conditions speak of, and what they demand of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from comparanda.expressions import walk
from comparanda.expressions.syntax import (
    And,
    Comparison,
    ComparisonStep,
    List,
    Name,
    Node,
    Not,
    Or,
    Quantified,
    children,
)
from comparanda.rules.checks.values import Cell, Meaning, Values, literal, possible
from comparanda.rules.plain import conjuncts

if TYPE_CHECKING:
    from comparanda.rules.ruleset import RuleSet


def names_in(node: Node) -> frozenset[str]:
    """Return the rows, columns of rows and parameters that a node speaks of."""
    return frozenset(each.name for each in walk(node) if isinstance(each, Name))


def speaks_of(node: Node, variable: str) -> bool:
    """Whether a node speaks of a variable's row or its columns."""
    return any(name.partition(".")[0] == variable for name in names_in(node))


class Domains:
    """The values that each column may hold, as far as the rules of a set tell them apart."""

    def __init__(self, rule_set: RuleSet) -> None:
        self._types = rule_set.tables
        self._named: dict[tuple[str, str], set[str | float | bool]] = {}
        self._known: dict[tuple[str, str], Values] = {}
        for rule in rule_set.rules:
            for node in (*rule.conditions, *rule.best, *(setting.value for setting in rule.sets)):
                self._collect(node, rule.over)
            for setting in rule.sets:
                self._name(rule.over[setting.variable], setting.column, setting.value)

    def of(self, table: str, column: str) -> Values:
        """Return the values of a column."""
        key = table, column
        if key not in self._known:
            self._known[key] = possible(self._types[table][column], self._named.get(key, ()))
        return self._known[key]

    def _collect(self, node: Node, tables: Mapping[str, str]) -> None:
        if isinstance(node, Quantified):
            tables = {**tables, node.variable: node.table}
        if isinstance(node, Comparison):
            for step in node.steps:
                others = step.operand.items if isinstance(step.operand, List) else (step.operand,)
                for left, right in ((node.first, other) for other in others):
                    self._compared(left, right, tables)
                    self._compared(right, left, tables)
        for child in children(node):
            self._collect(child, tables)

    def _compared(self, column: Node, value: Node, tables: Mapping[str, str]) -> None:
        if isinstance(column, Name) and "." in column.name:
            variable, _, name = column.name.partition(".")
            self._name(tables[variable], name, value)

    def _name(self, table: str, column: str, value: Node) -> None:
        if (found := literal(value)) is not None:
            self._named.setdefault((table, column), set()).add(found)


class Subject:
    """A row that conditions speak of: that of a variable of a rule, or of a quantifier."""

    def __init__(self, variable: str, table: str, conditions: tuple[Node, ...], domains: Domains) -> None:
        self.variable = variable
        self.table = table
        self._domains = domains
        self._tests: dict[str, list[Node]] = {}
        self._meanings: dict[str, Meaning] = {}
        for condition in conditions:
            for name in names_in(condition):
                owner, _, column = name.partition(".")
                if owner == variable and column:
                    self._tests.setdefault(column, []).append(condition)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are tested."""
        return tuple(self._tests)

    def tests(self, column: str) -> bool:
        """Whether a condition looks at a column."""
        return column in self._tests

    def allowed(self, column: str) -> Values:
        """Return the values with which the conditions may hold."""
        return self._meaning(column).perhaps

    def surely(self, column: str, values: Values) -> bool:
        """Whether all that looks at a column holds for all of some values, whatever else is the case."""
        return values <= self._meaning(column).surely

    def _meaning(self, column: str) -> Meaning:
        if column not in self._meanings:
            cell = Cell(f"{self.variable}.{column}", self._domains.of(self.table, column))
            self._meanings[column] = cell.meaning(And(tuple(self._tests.get(column, ()))))
        return self._meanings[column]


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Something asked of all rows of a table.

    Args:
        subject: the row asked about, with the conditions that make it count.
        rising: True if more rows that count can only make the rule match, False if they can only keep it from
            matching, None if both or neither.
        counted: the columns that the answer is made from, beside which rows count.

    """

    subject: Subject
    rising: bool | None
    counted: frozenset[str]


def questions(node: Node, domains: Domains, rising: bool | None = None) -> Iterator[Question]:
    """Yield what a node asks about tables; `rising` says what it means for the rule that the node is true."""
    match node:
        case And(operands) | Or(operands):
            for operand in operands:
                yield from questions(operand, domains, rising)
        case Not(operand):
            yield from questions(operand, domains, _turned(rising))
        case Comparison(Quantified("count") as asked, (ComparisonStep("<" | "<=" | ">" | ">=" as symbol, other),)):
            yield from questions(asked, domains, rising if symbol in {">", ">="} else _turned(rising))
            yield from questions(other, domains)
        case Quantified(function, body, variable, table, condition):
            rising = rising if function in {"any", "count"} else None
            parts = tuple(conjuncts(condition))
            columns = (name.partition(".") for name in names_in(body))
            counted = frozenset(column for owner, _, column in columns if owner == variable and column)
            yield Question(Subject(variable, table, parts, domains), rising, counted)
            for part in parts:
                yield from questions(part, domains, rising)
            yield from questions(body, domains)
        case _:
            for child in children(node):
                yield from questions(child, domains)


def _turned(rising: bool | None) -> bool | None:
    return None if rising is None else not rising
