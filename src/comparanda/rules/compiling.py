"""From what a rule set says to what can be run: every part checked, conditions in their plain form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from comparanda.errors import ExpressionError, RuleError, nearest
from comparanda.expressions import parse
from comparanda.expressions.places import shown
from comparanda.expressions.syntax import Expression, Name, Node, Text
from comparanda.rules.checks import check
from comparanda.rules.declarations import PAIRINGS
from comparanda.rules.language import ID_TABLES, SPAN_COLUMNS, SPAN_TABLES, functions_of, id_columns
from comparanda.rules.misfits import RuleChecker
from comparanda.rules.plain import conjuncts, plain
from comparanda.rules.ruleset import ColumnType, Rule, RuleSet, Setting
from comparanda.rules.views import compile_view

if TYPE_CHECKING:
    from comparanda.rules.declarations import (
        ColumnDeclaration,
        RuleDeclaration,
        RuleSetDeclaration,
    )

MOST_VARIABLES = 2


def compile_rules(declared: RuleSetDeclaration) -> RuleSet:
    """Check a rule set and bring it into the form that the engine runs.

    Raises a `RuleError` that names the rule, the line and the place for whatever does not fit: unknown columns,
    types, values that a column never holds, rules that could cycle, write ambiguously, or depend on order.
    """
    tables = _tables(declared)
    compiler = _Compiler(declared, tables)
    order = {group: place for place, group in enumerate(declared.groups)}
    for rule in declared.rules:
        if rule.group not in order:
            what = f"there is no group {shown(rule.group)}{nearest(rule.group, order)}"
            raise _error(rule, "group", what, hint=f"groups: {', '.join(order)}")
    written = sorted(declared.rules, key=lambda rule: (order[rule.group], -rule.salience))
    rule_set = RuleSet(
        declared.name,
        declared.title,
        declared.groups,
        tables,
        tuple(compiler.rule(rule) for rule in written),
        {name: compile_view(declared, name, view, tables) for name, view in declared.views.items()},
        declared,
        declared.parameters,
        {name: _lists(texts) for name, texts in declared.lists.items()},
        _ancestors(declared),
    )
    return replace(rule_set, restarts=check(rule_set))


def _error(rule: RuleDeclaration, part: str, what: str, *, line: int = 0, **more: object) -> RuleError:
    number = rule.lines.get(part, rule.lines.get("name"))
    where = None if rule.file is None else f"{rule.file}:{number + line}" if number else rule.file
    said = (
        f"rule {rule.name!r}: {what}"
        if part in {"name", "group", "for", "pair"}
        else f"rule {rule.name!r}, {part}: {what}"
    )
    return RuleError(said, where=where, **more)  # type: ignore[arg-type]


def _tables(declared: RuleSetDeclaration) -> dict[str, dict[str, ColumnType]]:
    tables: dict[str, dict[str, ColumnType]] = {name: dict(SPAN_COLUMNS) for name in SPAN_TABLES}
    tables |= {name: id_columns(spans) for name, spans in ID_TABLES.items()}
    for table, columns in declared.tables.items():
        for name, column in columns.items():
            if name in tables.get(table, {}):
                what = f"every {'span' if table in SPAN_TABLES else 'id'} has a column {name!r} already"
                raise RuleError(what, where=declared.file)
            settable = table in SPAN_TABLES and not column.given
            tables.setdefault(table, {})[name] = ColumnType(column.kind, column.values, column.table, settable)
    for table, columns in declared.tables.items():
        for name, column in columns.items():
            _check_reference(declared, f"{table}.{name}", column, tables)
    return tables


def _check_reference(
    declared: RuleSetDeclaration, name: str, column: ColumnDeclaration, tables: Mapping[str, object]
) -> None:
    if column.kind == "row" and column.given:
        raise RuleError(f"{name} is a row, which no input can hold", where=declared.file, hint="leave `given` away")
    if column.kind == "row" and column.table not in tables:
        what = f"{name} is a row of {column.table!r}, which is no table{nearest(str(column.table), tables)}"
        raise RuleError(what, where=declared.file, hint=f"tables: {', '.join(tables)}")


def _lists(texts: object) -> frozenset[str] | Mapping[str, frozenset[str]]:
    if isinstance(texts, Mapping):
        return {label: frozenset(each) for label, each in texts.items()}
    assert isinstance(texts, tuple | list | frozenset | set)
    return frozenset(texts)


def _ancestors(declared: RuleSetDeclaration) -> dict[str, frozenset[str]]:
    """Return all ancestors of each label; refuse a label that is its own."""
    parents = declared.hierarchy
    found: dict[str, frozenset[str]] = {}
    for label in parents:
        above: set[str] = set()
        waiting = list(parents[label])
        while waiting:
            one = waiting.pop()
            if one not in above:
                above.add(one)
                waiting.extend(parents.get(one, ()))
        if label in above:
            raise RuleError(f"in the hierarchy {label!r} is above itself", where=declared.file)
        found[label] = frozenset(above)
    return found


class _Compiler:
    """Compiles rules of one rule set."""

    def __init__(self, declared: RuleSetDeclaration, tables: Mapping[str, Mapping[str, ColumnType]]) -> None:
        self.tables = tables
        per_label = [name for name, value in declared.parameters.items() if isinstance(value, Mapping)]
        self.functions = functions_of(per_label, tuple(declared.lists))
        self.parameters = frozenset(declared.parameters) - frozenset(per_label)

    def rule(self, declared: RuleDeclaration) -> Rule:
        self.check_shape(declared)
        conditions = [*conjuncts(plain(self.expression(declared, "when", declared.when, "truth").root))]
        best = (
            plain(self.expression(declared, f"best.{place}", text, "number").root)
            for place, text in enumerate(declared.best)
        )
        sets = (self.setting(declared, target, value) for target, value in declared.sets.items())
        return Rule(
            declared.name,
            declared.group,
            declared.salience,
            dict(declared.over),
            tuple(conditions),
            tuple(sets),
            declared.pair,
            tuple(best),
            declared,
        )

    def check_shape(self, rule: RuleDeclaration) -> None:
        if not 1 <= len(rule.over) <= MOST_VARIABLES:
            what = f"a rule ranges over one or two tables, not {len(rule.over)}"
            raise _error(rule, "for", what, hint="look at further rows with any(… for x in table if …)")
        for variable, table in rule.over.items():
            if table not in self.tables:
                what = f"no table is called {shown(table)}{nearest(table, self.tables)}"
                raise _error(rule, "for", what, hint=f"tables: {', '.join(self.tables)}")
            if variable in self.parameters or not variable.isidentifier():
                raise _error(rule, "for", f"{shown(variable)} cannot be the name of a row")
        if rule.pair is not None and rule.pair not in PAIRINGS:
            what = f"rows cannot be paired {shown(rule.pair)}{nearest(rule.pair, PAIRINGS)}"
            raise _error(rule, "pair", what, hint=f"one of: {', '.join(PAIRINGS)}")
        if (rule.pair or rule.best) and len(rule.over) != MOST_VARIABLES:
            raise _error(rule, "pair", "only a rule over two tables can pair rows")
        if rule.best and rule.pair in {None, "many"}:
            raise _error(rule, "pair", "`best` chooses between pairs: say pair = 'one-to-one'")
        if not rule.sets:
            raise _error(rule, "name", "it sets nothing")

    def expression(self, rule: RuleDeclaration, part: str, text: str, wanted: str) -> Expression:
        with _told(rule, part):
            expression = parse(text)
            found = self.checker(rule, text).type_of(expression.root)
        if found != wanted:
            raise _error(rule, part, f"a {wanted} is needed, but this is a {found}", details=[text])
        return expression

    def checker(self, rule: RuleDeclaration, text: str) -> RuleChecker:
        return RuleChecker(text, self.tables, rule.over, self.functions, self.parameters)

    def setting(self, rule: RuleDeclaration, target: str, value: str) -> Setting:
        part = f"set.{target}"
        variable, _, column = target.partition(".")
        if variable not in rule.over:
            raise _error(rule, part, f"{shown(target)} is no column of a row{nearest(variable, rule.over)}")
        with _told(rule, part):
            kind = self.checker(rule, target).column(target, Name(target).place)
        if not kind.settable:
            raise _error(rule, part, f"{target} comes with the input and cannot be set")
        return Setting(variable, column, self.value(rule, part, target, kind, value))

    def value(self, rule: RuleDeclaration, part: str, target: str, kind: ColumnType, value: str) -> Node:
        """Read what is to be set: of a column with fixed values the bare value, else an expression."""
        if value in kind.values:
            return Text(value)
        bare = parse(value).root if kind.values and value.isidentifier() else None
        if isinstance(bare, Name):
            what = f"{target} never holds {shown(value)}{nearest(value, kind.values)}"
            raise _error(rule, part, what, hint=f"its values: {', '.join(kind.values)}")
        expression = self.expression(rule, part, value, kind.kind)
        root, checker = expression.root, self.checker(rule, value)
        if kind.kind == "row" and checker.table_of(root) != kind.table:
            raise _error(rule, part, f"{target} holds rows of {kind.table}, not of {checker.table_of(root)}")
        if kind.values and isinstance(root, Text):
            what = f"{target} never holds {shown(root.value)}{nearest(root.value, kind.values)}"
            raise _error(rule, part, what, hint=f"its values: {', '.join(kind.values)}")
        if kind.values and not (
            isinstance(root, Name) and _subset(checker.column(root.name, root.place).values, kind.values)
        ):
            raise _error(rule, part, f"{target} has fixed values: write one of them, or a column with these values")
        return plain(root)


def _subset(values: tuple[str, ...], allowed: tuple[str, ...]) -> bool:
    """Whether a column has fixed values, and all of them are allowed."""
    return bool(values) and set(values) <= set(allowed)


@contextmanager
def _told(rule: RuleDeclaration, part: str) -> Iterator[None]:
    """Say in which rule, and where in the file, an expression is wrong."""
    try:
        yield
    except ExpressionError as error:
        raise _error(rule, part, error.what, line=error.line, details=error.details, hint=error.hint) from None
