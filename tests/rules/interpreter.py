"""The rule language in plain loops, written from DEFINITIONS 6 and nothing else: slow, and plain to see.

Rows are dicts, missing is None, a row as a value is its number by content. Conditions are worked out for one
binding of rows at a time, on the tree as it was parsed. Rules fire for all their matches at once (`run`), or one
match after the other in any order that salience leaves open (`run_singly`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from random import Random
from typing import Any

from comparanda.expressions import parse
from comparanda.expressions.syntax import (
    And,
    Arithmetic,
    Call,
    Comparison,
    List,
    Name,
    Negative,
    Node,
    Not,
    Number,
    Or,
    Quantified,
    Text,
    Truth,
)
from comparanda.rules.declarations import RuleDeclaration, RuleSetDeclaration
from tests.expressions.interpreter import ORDERINGS, arithmetic, called, equal
from tests.rules.plain_spans import iou, overlap, overlaps, pieces, same, similarity

Row = dict[str, Any]
Tables = dict[str, list[Row]]
Binding = tuple[int, ...]
"""The numbers of the rows of a match, in the order of the rule's variables."""

Bound = Mapping[str, tuple[str, int]]
"""Table and number of the row of each variable."""

FIRST = ("doc", "begin", "end", "label", "text", "id", "confidence", "probability")
TEXTS = {"label", "text", "id", "confidence"}


class AmbiguousError(Exception):
    """Matches that fire at once set one cell to different values."""


class EndlessError(Exception):
    """No end within the given number of steps."""


def prepared(declared: RuleSetDeclaration, tables: Mapping[str, Iterable[Row]]) -> Tables:
    """Return the tables in content order, with all columns; what no row gives is missing."""
    result: Tables = {}
    for name in dict.fromkeys(["system", "key", *declared.tables, *tables]):
        columns = declared.tables.get(name, {})
        empty = {column: False if kind.kind == "truth" else None for column, kind in columns.items()}
        rows = [{**empty, **row} for row in tables.get(name, ())]
        result[name] = sorted((spanned(row) if name in {"system", "key"} else row for row in rows), key=content)
    return result


def with_ids(tables: Tables) -> Tables:
    """Return tables of spans with the tables of their ids."""
    return {**tables, **{f"{name}_ids": taken_apart(tables[name]) for name in ("system", "key")}}


def taken_apart(rows: list[Row]) -> list[Row]:
    """Return the ids of spans, which stand behind each other with bars between them, and leave each the first."""
    found: list[Row] = []
    for number, row in enumerate(rows):
        ids = [None if each == "NIL" else each for each in (row.get("id") or "").split("|") if each]
        found += [{"of": number, "id": each, "rank": rank} for rank, each in enumerate(ids, start=1)]
        row["id"] = next(iter(ids), None)
    return sorted(found, key=lambda row: (row["of"], row["id"] or "", row["rank"]))


def spanned(row: Row) -> Row:
    """Return a span with the columns that follow from others."""
    cut = pieces(row)
    norm = " ".join(row["text"].casefold().split()) if row.get("text") is not None else None
    given = {"word_begin": row["begin"], "word_end": row["end"]} | dict.fromkeys(FIRST) | row
    return {"norm": norm, "length": sum(end - begin for begin, end in cut), "pieces": cut, **given}


def content(row: Row) -> tuple[Any, ...]:
    """Return what rows are ordered by: a missing text stands before all others, a missing number behind them."""
    last = sorted(row.keys() - {*FIRST, "norm", "length", "pieces", "word_begin", "word_end"})
    values = ((name, row.get(name)) for name in (*FIRST, *last, "pieces"))
    return tuple((value is None and name not in TEXTS, "" if value is None else value) for name, value in values)


# Conditions


@lru_cache(maxsize=10_000)
def tree(text: str) -> Node:
    return parse(text).root


@dataclass(frozen=True)
class World:
    """What conditions can see."""

    declared: RuleSetDeclaration
    tables: Tables

    def value(self, node: Node, bound: Bound) -> Any:  # noqa: PLR0911 - one return for each kind of node
        match node:
            case Text(literal) | Number(literal) | Truth(literal):
                return literal
            case Name(name):
                return self.named(name, bound)
            case Negative(operand):
                inner = self.value(operand, bound)
                return None if inner is None else -inner
            case Arithmetic(first, steps):
                total = self.value(first, bound)
                for step in steps:
                    total = arithmetic(step.operator, total, self.value(step.operand, bound))
                return total
            case Comparison(first, steps):
                lefts = [first, *(step.operand for step in steps)]
                return all(
                    self.compared(self.value(left, bound), step.operator, step.operand, bound)
                    for left, step in zip(lefts, steps, strict=False)
                )
            case Not(operand):
                return not self.value(operand, bound)
            case And(operands):
                return all(self.value(operand, bound) for operand in operands)
            case Or(operands):
                return any(self.value(operand, bound) for operand in operands)
            case Call(function, arguments):
                return self.call(function, arguments, bound)
            case Quantified():
                return self.quantified(node, bound)
            case _:
                raise AssertionError(node)

    def named(self, name: str, bound: Bound) -> Any:
        variable, dot, column = name.partition(".")
        if variable not in bound:
            return self.declared.parameters[name]
        table, number = bound[variable]
        return self.tables[table][number][column] if dot else number

    def compared(self, left: Any, symbol: str, operand: Node, bound: Bound) -> bool:
        if isinstance(operand, List):
            inside = any(equal(left, self.value(item, bound)) for item in operand.items)
            return inside == (symbol == "in")
        right = self.value(operand, bound)
        if symbol in {"==", "!="}:
            return equal(left, right) == (symbol == "==")
        return left is not None and right is not None and ORDERINGS[symbol](left, right)

    def quantified(self, node: Quantified, bound: Bound) -> Any:
        """Answer a question about all rows of a table."""
        rows = self.tables.get(node.table, [])  # spans without ids need no table of these
        inner = [{**bound, node.variable: (node.table, number)} for number in range(len(rows))]
        asked = [each for each in inner if node.condition is None or self.value(node.condition, each)]
        if node.function == "any" or (node.function == "count" and node.body != Name(node.variable)):
            number = sum(bool(self.value(node.body, each)) for each in asked)
            return number > 0 if node.function == "any" else number
        if node.function == "count":
            return len(asked)
        values = [self.value(node.body, each) for each in asked]
        if node.function == "sum":
            return None if None in values else sum(values)
        present = [each for each in values if each is not None]
        return (min if node.function == "min" else max)(present, default=None)

    def call(self, function: str, arguments: Sequence[Node], bound: Bound) -> Any:  # noqa: PLR0911 - one for each
        if function in {"same", "overlaps", "overlap", "iou"}:
            rows = [self.row(argument, bound) for argument in arguments[:2]]
            columns = [argument.value for argument in arguments[2:] if isinstance(argument, Text)]
            return {"same": same, "overlaps": overlaps, "overlap": overlap, "iou": iou}[function](*rows, *columns)
        values = [self.value(argument, bound) for argument in arguments]
        match function, values:
            case (("min" | "max"), [_, _]):
                present = [each for each in values if each is not None]
                return (min if function == "min" else max)(present, default=None)
            case "similarity", [first, second]:
                return similarity(first, second)
            case "is_a", [child, ancestor]:
                return ancestor is not None and ancestor in self.above(child)
            case "in_list", [text, name, *label]:
                return text is not None and text in self.listed(name, *label)
            case _ if function in self.declared.parameters:
                table = self.declared.parameters[function]
                assert isinstance(table, Mapping)
                return table.get(values[0], table.get("default"))
            case _:
                return called(function, values)

    def row(self, node: Node, bound: Bound) -> Row:
        assert isinstance(node, Name)
        table, number = bound[node.name]
        return self.tables[table][number]

    def above(self, label: str | None) -> set[str]:
        parents = set(self.declared.hierarchy.get(label or "", ()))
        return parents.union(*(self.above(parent) for parent in parents))

    def listed(self, name: str, label: str | None = None) -> Iterable[str]:
        texts = self.declared.lists[name]
        return texts.get(label or "default", texts.get("default", ())) if isinstance(texts, Mapping) else texts


# Rules


@dataclass
class Run:
    """A rule set at work on its tables."""

    declared: RuleSetDeclaration
    tables: Tables
    steps: int = 1_000
    trace: list[tuple[str, tuple[Binding, ...]]] = field(default_factory=list)

    @property
    def world(self) -> World:
        return World(self.declared, self.tables)

    def rules_of(self, group: str) -> list[RuleDeclaration]:
        """Return the rules of a group, the highest first."""
        return sorted((rule for rule in self.declared.rules if rule.group == group), key=lambda rule: -rule.salience)

    def bound(self, rule: RuleDeclaration, binding: Binding) -> Bound:
        return {name: (table, row) for (name, table), row in zip(rule.over.items(), binding, strict=True)}

    def candidates(self, rule: RuleDeclaration) -> list[Binding]:
        """Return all rows, or pairs of rows, for which the condition holds."""
        bindings = product(*(range(len(self.tables[table])) for table in rule.over.values()))
        return [each for each in bindings if self.world.value(tree(rule.when), self.bound(rule, each))]

    def ranked(self, rule: RuleDeclaration) -> list[Binding]:
        """Return the candidates, the best first: by the `best` numbers, missing ones last, then by content."""

        def rank(binding: Binding) -> tuple[Any, ...]:
            numbers = [self.world.value(tree(text), self.bound(rule, binding)) for text in rule.best]
            return (*((number is None, number or 0) for number in numbers), binding)

        return sorted(self.candidates(rule), key=rank)

    def chosen(self, rule: RuleDeclaration) -> list[Binding]:
        """Return the matches that fire together."""
        if rule.pair == "one-to-one":
            return greedy(self.ranked(rule))
        if rule.pair == "one-to-one:optimal":
            return optimal(self.candidates(rule), {each: self.cost(rule, each) for each in self.candidates(rule)})
        return self.candidates(rule)

    def cost(self, rule: RuleDeclaration, binding: Binding) -> Any:
        return self.world.value(tree(rule.best[0]), self.bound(rule, binding)) if rule.best else 0

    def written(self, rule: RuleDeclaration, binding: Binding) -> dict[tuple[str, int, str], Any]:
        """Return the cells that a match sets, with their values."""
        bound = self.bound(rule, binding)
        cells: dict[tuple[str, int, str], Any] = {}
        for target, text in rule.sets.items():
            variable, _, column = target.partition(".")
            table, row = bound[variable]
            fixed = text in self.declared.tables[table][column].values
            value = text if fixed else self.world.value(tree(text), bound)
            if cells.setdefault((table, row, column), value) != value:
                raise AmbiguousError(rule.name)
        return cells

    def changes(self, rule: RuleDeclaration, binding: Binding) -> bool:
        """Whether a match sets anything to what it is not."""
        cells = self.written(rule, binding).items()
        return any(self.tables[table][row][column] != value for (table, row, column), value in cells)

    def fire(self, rule: RuleDeclaration, bindings: Sequence[Binding]) -> None:
        """Set what some matches set, all at once."""
        if len(self.trace) >= self.steps:
            raise EndlessError(rule.name)
        self.trace.append((rule.name, tuple(bindings)))
        cells: dict[tuple[str, int, str], Any] = {}
        for binding in bindings:
            for cell, value in self.written(rule, binding).items():
                if cells.setdefault(cell, value) != value:
                    raise AmbiguousError(rule.name)
        for (table, row, column), value in cells.items():
            self.tables[table][row][column] = value

    def at_once(self, group: str, restarts: Mapping[str, str | None] | None = None) -> None:
        """Run a group, each rule for all its matches; after a change from the top, or from where it is said."""
        rules = self.rules_of(group)
        places = {rule.name: place for place, rule in enumerate(rules)}
        place = 0
        while place < len(rules):
            rule = rules[place]
            found = [each for each in self.chosen(rule) if self.changes(rule, each)]
            back = rules[0].name if restarts is None else restarts[rule.name]
            if found:
                self.fire(rule, found)
            place = places[back] if found and back is not None else place + 1

    def singly(self, group: str, random: Random) -> None:
        """Run a group match by match: any of those of the highest rules that have one."""
        while waiting := self.activations(group):
            rule, bindings = random.choice(waiting)
            self.fire(rule, bindings)

    def activations(self, group: str) -> list[tuple[RuleDeclaration, list[Binding]]]:
        """Return what may fire next: the matches of the highest rules that change anything."""
        found: list[tuple[RuleDeclaration, list[Binding]]] = []
        for rule in self.rules_of(group):
            if found and rule.salience < found[0][0].salience:
                break
            found += [(rule, each) for each in self.units(rule) if each]
        return found

    def units(self, rule: RuleDeclaration) -> Iterator[list[Binding]]:
        """Yield what fires together: one match; of pairs one that both rows prefer; where pairing says so, all."""
        if rule.pair in {"many", "one-to-one:optimal"}:
            yield [each for each in self.chosen(rule) if self.changes(rule, each)]
            return
        found = self.candidates(rule) if rule.pair is None else preferred(self.ranked(rule))
        yield from ([each] for each in found if self.changes(rule, each))


def greedy(ranked: Sequence[Binding]) -> list[Binding]:
    """Choose pairs, the best first, each row at most once."""
    chosen: list[Binding] = []
    for first, second in ranked:
        if all(first != other and second != another for other, another in chosen):
            chosen.append((first, second))
    return chosen


def preferred(ranked: Sequence[Binding]) -> list[Binding]:
    """Return the pairs that are the first choice of both their rows."""
    return [
        (first, second)
        for place, (first, second) in enumerate(ranked)
        if all(first != other and second != another for other, another in ranked[:place])
    ]


def optimal(pairs: Sequence[Binding], cost: Mapping[Binding, float | None]) -> list[Binding]:
    """Choose as many pairs as possible, and so that the sum of their costs is least, by trying all choices."""
    present = [each for each in cost.values() if each is not None]
    worst = max(present, default=0) + 1

    def choices(left: Sequence[Binding]) -> Iterator[list[Binding]]:
        if not left:
            yield []
            return
        row = left[0][0]
        rest = [pair for pair in left if pair[0] != row]
        for chosen in (pair for pair in left if pair[0] == row):
            yield from ([chosen, *more] for more in choices([pair for pair in rest if pair[1] != chosen[1]]))
        yield from choices(rest)

    def price(choice: list[Binding]) -> tuple[int, float]:
        return -len(choice), sum(worst if cost[pair] is None else cost[pair] or 0 for pair in choice)

    return min(choices(pairs), key=price)


def run(
    declared: RuleSetDeclaration, tables: Tables, restarts: Mapping[str, str | None] | None = None, steps: int = 1_000
) -> Run:
    """Run a rule set, every rule for all its matches at once; `restarts` names the rule to go on with after each."""
    working = Run(declared, copied(tables), steps)
    for group in declared.groups:
        working.at_once(group, restarts)
    return working


def run_singly(declared: RuleSetDeclaration, tables: Tables, random: Random, steps: int = 1_000) -> Run:
    """Run a rule set match by match, in any order that salience leaves open."""
    working = Run(declared, copied(tables), steps)
    for group in declared.groups:
        working.singly(group, random)
    return working


def copied(tables: Tables) -> Tables:
    return {name: [dict(row) for row in rows] for name, rows in tables.items()}
