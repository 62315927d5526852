"""Check and compile declared rule sets: conditions, views, rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from comparanda.errors import ExpressionError, RuleError, suggest_nearest
from comparanda.expressions import parse
from comparanda.expressions.syntax import (
    Call,
    Comparison,
    Expression,
    List,
    Name,
    Node,
    Quantified,
    Text,
    make_expression_error,
    quote_for_message,
)
from comparanda.expressions.types import Checker, with_article
from comparanda.rules.checks import check
from comparanda.rules.declarations import LABEL_SOURCES, PAIRINGS
from comparanda.rules.language import (
    ID_TABLES,
    OF_ROWS,
    QUANTIFIERS,
    SPAN_COLUMNS,
    SPAN_TABLES,
    functions_of,
    id_columns,
    normalise_condition,
    split_conjuncts,
)
from comparanda.rules.ruleset import ColumnType, Rule, RuleSet, Setting, View

if TYPE_CHECKING:
    from comparanda.expressions import Place, Signature, Type
    from comparanda.rules.declarations import ColumnDeclaration, RuleDeclaration, RuleSetDeclaration, ViewDeclaration

    Tables = Mapping[str, Mapping[str, ColumnType]]


class RuleChecker(Checker):
    """Type checker of one condition, in which variables denote rows of tables."""

    def __init__(
        self,
        source: str,
        tables: Tables,
        variables: Mapping[str, str],
        functions: Mapping[str, Signature],
        *,
        parameters: frozenset[str],
    ) -> None:
        super().__init__(source, dict.fromkeys(parameters, "number"), functions)
        self.tables = tables
        self.variables = dict(variables)

    def name(self, name: str, place: Place) -> Type:
        """Look up a row, a column of a row, or a parameter."""
        if name in self.variables:
            return "row"
        variable, dot, _ = name.partition(".")
        if dot and variable in self.variables:
            return self.column(name, place).kind
        if name in self.types:
            return self.types[name]
        known = [*self.variables, *self.types]
        if dot:
            what = f"unknown variable {quote_for_message(variable)}{suggest_nearest(variable, self.variables)}"
            hint = f"the rule ranges over {', '.join(f'{key} in {table}' for key, table in self.variables.items())}"
            raise make_expression_error(self.source, place, what, hint=hint)
        what = f"unknown name {quote_for_message(name)}{suggest_nearest(name, known)}"
        raise make_expression_error(self.source, place, what, hint=self.name_hint(name, likely="did you mean" in what))

    def column(self, name: str, place: Place) -> ColumnType:
        """Return the type of a column of a variable's row."""
        variable, _, column = name.partition(".")
        table = self.variables[variable]
        found = self.tables[table].get(column)
        if found is None:
            near = suggest_nearest(column, self.tables[table]).replace("'", f"'{variable}.", 1)
            what = f"the table {table!r} has no column {quote_for_message(column)}{near}"
            raise make_expression_error(self.source, place, what, hint=f"columns: {', '.join(self.tables[table])}")
        return found

    def table_of(self, node: Node) -> str | None:
        """Return the table of a node that is a row, otherwise None."""
        match node:
            case Name(name) if name in self.variables:
                return self.variables[name]
            case Name(name) if name.partition(".")[0] in self.variables:
                return self.column(name, node.place).table
            case Quantified(function="min" | "max", body=body, variable=variable, table=table, condition=_):
                return table if body == Name(variable) else None
            case _:
                return None

    def comparison(self, node: Comparison) -> Type:
        """Check both sides; columns only hold their fixed values, and rows must be of the same table."""
        found = super().comparison(node)
        left: Node = node.first
        for step in node.steps:
            others = step.operand.items if isinstance(step.operand, List) else (step.operand,)
            for other in others:
                self.check_value(left, other)
                self.check_value(other, left)
                if self.table_of(left) != self.table_of(other):
                    tables = f"a row of {self.table_of(left)} with one of {self.table_of(other)}"
                    what = f"'{step.operator}' cannot compare {tables}"
                    raise make_expression_error(self.source, step.place, what)
            left = step.operand
        return found

    def check_value(self, column: Node, other: Node) -> None:
        """Refuse a comparison of a column with a value it cannot have."""
        if not (isinstance(column, Name) and isinstance(other, Text) and "." in column.name):
            return
        variable = column.name.partition(".")[0]
        values = self.column(column.name, column.place).values if variable in self.variables else ()
        if values and other.value not in values:
            suggestion = suggest_nearest(other.value, values)
            what = f"{quote_for_message(other.value)} is not a value of {column.name}{suggestion}"
            raise make_expression_error(self.source, other.place, what, hint=f"values: {', '.join(values)}")

    def call(self, node: Call) -> Type:
        """Check a call; rows must have the columns it uses."""
        found = super().call(node)
        if node.function in {"same", *OF_ROWS}:
            first, second = node.arguments[:2]
            if node.function == "same":
                self.check_shared_columns(node, first, second)
            for row in (first, second):
                if not (isinstance(row, Name) and row.name in self.variables):
                    what = f"{node.function}() takes the name of a row here, such as {next(iter(self.variables))}"
                    raise make_expression_error(self.source, row.place, what)
                if node.function in OF_ROWS and self.variables[row.name] not in SPAN_TABLES:
                    what = f"rows of {self.variables[row.name]!r} are not spans and have no positions"
                    raise make_expression_error(self.source, row.place, what)
        return found

    def check_shared_columns(self, node: Call, first: Node, second: Node) -> None:
        """Check that both rows have the columns that must be equal."""
        for argument in node.arguments[2:]:
            kinds = []
            for row in (first, second):
                table = self.table_of(row)
                assert isinstance(argument, Text)
                if table is not None and argument.value not in self.tables[table]:
                    what = f"the table {table!r} has no column {quote_for_message(argument.value)}"
                    raise make_expression_error(
                        self.source, argument.place, what + suggest_nearest(argument.value, self.tables[table])
                    )
                kinds.append(self.tables[table][argument.value].kind if table is not None else None)
            if kinds[0] != kinds[1]:
                raise make_expression_error(
                    self.source, argument.place, f"same() cannot compare {kinds[0]} with {kinds[1]}"
                )

    def quantified(self, node: Quantified) -> Type:
        """Check a quantifier over the rows of a table."""
        if node.function not in QUANTIFIERS:
            suggestion = suggest_nearest(node.function, QUANTIFIERS)
            what = f"{quote_for_message(node.function)} cannot range over a table{suggestion}"
            raise make_expression_error(self.source, node.place, what, hint=f"one of: {', '.join(QUANTIFIERS)}")
        if node.table not in self.tables:
            what = f"unknown table {quote_for_message(node.table)}{suggest_nearest(node.table, self.tables)}"
            raise make_expression_error(self.source, node.place, what, hint=f"tables: {', '.join(self.tables)}")
        if node.variable in self.variables:
            what = f"the name {quote_for_message(node.variable)} already denotes another row"
            raise make_expression_error(self.source, node.place, what)
        with self.bind_variable(node):
            found = self.type_of(node.body)
            if node.condition is not None:
                self.truth(node.condition, "if")
        if found not in QUANTIFIERS[node.function]:
            kinds = " or ".join(map(with_article, QUANTIFIERS[node.function]))
            raise make_expression_error(self.source, node.body.place, f"{node.function}() needs {kinds} for each row")
        if found == "row" and node.body != Name(node.variable):
            what = f"{node.function}() returns a row of the table it ranges over: write {node.variable}"
            raise make_expression_error(self.source, node.body.place, what)
        results: dict[str, Type] = {"any": "truth", "count": "number", "sum": "number"}
        return results.get(node.function, found)

    @contextmanager
    def bind_variable(self, node: Quantified) -> Iterator[None]:
        """Bind the variable of a quantifier while its parts are checked."""
        self.variables[node.variable] = node.table
        yield
        del self.variables[node.variable]


# Views, checked against the columns of a rule set.


MOST_SOURCES = 4
_RESERVED_SOURCES = frozenset({"none", "all", "base_source"})


def compile_view(declared: RuleSetDeclaration, name: str, view: ViewDeclaration, tables: Tables) -> View:
    """Check that the columns and outcomes of a view exist, and resolve credits given as parameters."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        what = f"invalid view name {name!r}: it is part of measure names, such as strict.f1"
        raise RuleError(what, where=declared.file, hint="use lower-case letters, digits and _")
    _check_columns(declared, name, view, tables)
    credit = view.credit if isinstance(view.credit, str) else _resolve_credits(declared, name, view.credit)
    values = [value for table in SPAN_TABLES for value in tables[table][view.outcome].values]
    for outcome in (*(credit if isinstance(credit, Mapping) else ()), *view.sources, *view.right):
        if values and outcome not in values:
            what = f"view {name!r}: {outcome!r} is not a value of {view.outcome}{suggest_nearest(outcome, values)}"
            raise RuleError(what, where=declared.file)
    _check_sources(declared, name, view)
    _check_label_source(declared, name, view)
    return View(
        outcome=view.outcome,
        credit=credit,
        partner=view.partner,
        left_out=view.left_out,
        weight=view.weight,
        same=tuple(view.same),
        summary=view.summary,
        flag=view.flag,
        sources=dict(view.sources),
        per_system=view.per_system,
        right=tuple(view.right),
        label=view.label,
    )


def _check_label_source(declared: RuleSetDeclaration, name: str, view: ViewDeclaration) -> None:
    """Refuse an unknown source of labels, and labels of partners in a view without partners."""
    if view.label not in LABEL_SOURCES:
        what = f"view {name!r}: expected {' or '.join(LABEL_SOURCES)} for 'label', got {view.label!r}"
        raise RuleError(f"{what}{suggest_nearest(view.label, LABEL_SOURCES)}", where=declared.file)
    if view.label == "partner" and view.partner is None:
        hint = "add partner = and the column with the row of the key"
        raise RuleError(f'view {name!r}: label = "partner", but no partner', where=declared.file, hint=hint)


def _check_sources(declared: RuleSetDeclaration, name: str, view: ViewDeclaration) -> None:
    """Refuse source names that are ambiguous in combinations, and too many sources for a cross-tabulation."""
    found = sorted(set(view.sources.values()))
    for source in found:
        if not source.strip() or " and " in source or source in _RESERVED_SOURCES:
            what = f"view {name!r}: invalid source of errors {source!r}"
            raise RuleError(what, where=declared.file, hint="use a word such as tagger or resolver")
    if len(found) > MOST_SOURCES:
        what = f"view {name!r}: {len(found)} sources of errors are too many for a cross-tabulation"
        raise RuleError(what, where=declared.file, hint=f"use at most {MOST_SOURCES}")


def _check_columns(declared: RuleSetDeclaration, name: str, view: ViewDeclaration, tables: Tables) -> None:
    both: list[tuple[str | None, tuple[Type, ...]]] = [
        (view.outcome, ("text",)),
        (view.weight, ("number",)),
        (view.credit if isinstance(view.credit, str) else None, ("number",)),
        (view.flag, ("text",)),
    ]
    wanted = [(table, column, kinds) for column, kinds in both for table in SPAN_TABLES]
    wanted.append(("system", view.partner, ("row",)))
    if not any(view.left_out in tables[table] for table in SPAN_TABLES):
        wanted.append(("system", view.left_out, ("text",)))
    wanted += [("system", column, ("text", "number")) for column in view.same]
    for table, column, kinds in wanted:
        if column is None:
            continue
        found = tables[table].get(column)
        if found is None:
            what = (
                f"view {name!r}: the table {table!r} has no column {column!r}{suggest_nearest(column, tables[table])}"
            )
            raise RuleError(what, where=declared.file)
        if found.kind not in kinds:
            wanted_kinds = " or ".join(map(with_article, kinds))
            raise RuleError(f"view {name!r}: {table}.{column} is not {wanted_kinds}", where=declared.file)


def _resolve_credits(declared: RuleSetDeclaration, view: str, given: Mapping[str, float | str]) -> dict[str, float]:
    """Return the credit of each outcome, with parameters resolved to numbers."""
    found: dict[str, float] = {}
    for outcome, worth in given.items():
        number = declared.parameters.get(worth) if isinstance(worth, str) else worth
        if number is None or isinstance(number, Mapping):
            what = f"view {view!r}: the credit of {outcome} is {worth!r}, which is not a parameter with a single value"
            raise RuleError(what, where=declared.file)
        if not 0 <= number <= 1:
            what = f"view {view!r}: the credit of {outcome} is {number}; it must be from 0 to 1"
            raise RuleError(what, where=declared.file)
        found[outcome] = number
    return found


# Compilation of rules: all parts checked, conditions normalised.


MOST_VARIABLES = 2


def compile_rules(declared: RuleSetDeclaration) -> RuleSet:
    """Check and compile a rule set for the engine.

    Raises a `RuleError` with the rule, the line and the place for every error: unknown columns, wrong
    types, values that a column cannot have, rules that could cycle, write ambiguously, or depend on order.
    """
    tables = _build_tables(declared)
    compiler = _Compiler(declared, tables)
    order = {group: place for place, group in enumerate(declared.groups)}
    for rule in declared.rules:
        if rule.group not in order:
            what = f"unknown group {quote_for_message(rule.group)}{suggest_nearest(rule.group, order)}"
            raise _rule_error(rule, "group", what, hint=f"groups: {', '.join(order)}")
    written = sorted(declared.rules, key=lambda rule: (order[rule.group], -rule.salience))
    rule_set = RuleSet(
        name=declared.name,
        title=declared.title,
        groups=declared.groups,
        tables=tables,
        rules=tuple(compiler.rule(rule) for rule in written),
        views={name: compile_view(declared, name, view, tables) for name, view in declared.views.items()},
        declaration=declared,
        parameters=declared.parameters,
        lists={name: _freeze_list(texts) for name, texts in declared.lists.items()},
        hierarchy=_find_ancestors(declared),
    )
    return replace(rule_set, restarts=check(rule_set))


def _rule_error(rule: RuleDeclaration, part: str, what: str, *, line: int = 0, **more: object) -> RuleError:
    number = rule.lines.get(part, rule.lines.get("name"))
    where = None if rule.file is None else f"{rule.file}:{number + line}" if number else rule.file
    message = (
        f"rule {rule.name!r}: {what}"
        if part in {"name", "group", "for", "pair"}
        else f"rule {rule.name!r}, {part}: {what}"
    )
    return RuleError(message, where=where, **more)  # type: ignore[arg-type]


def _build_tables(declared: RuleSetDeclaration) -> dict[str, dict[str, ColumnType]]:
    tables: dict[str, dict[str, ColumnType]] = {name: dict(SPAN_COLUMNS) for name in SPAN_TABLES}
    tables |= {name: id_columns(spans) for name, spans in ID_TABLES.items()}
    for table, columns in declared.tables.items():
        for name, column in columns.items():
            if name in tables.get(table, {}):
                what = f"every {'span' if table in SPAN_TABLES else 'id'} already has a column {name!r}"
                raise RuleError(what, where=declared.file)
            settable = table in SPAN_TABLES and not column.given
            tables.setdefault(table, {})[name] = ColumnType(
                column.kind, column.values, column.table, settable, column.note
            )
    for table, columns in declared.tables.items():
        for name, column in columns.items():
            _check_reference(declared, f"{table}.{name}", column, tables)
            if column.note and (column.kind != "truth" or not tables[table][name].settable):
                what = f"{table}.{name} has a note, but is not a truth that rules set"
                raise RuleError(what, where=declared.file, hint="remove `note`, or set another column of type truth")
    return tables


def _check_reference(
    declared: RuleSetDeclaration, name: str, column: ColumnDeclaration, tables: Mapping[str, object]
) -> None:
    if column.kind == "row" and column.given:
        raise RuleError(f"{name} is a row, which cannot be input", where=declared.file, hint="remove `given`")
    if column.kind == "row" and column.table not in tables:
        what = f"{name} is a row of {column.table!r}, which is not a table{suggest_nearest(str(column.table), tables)}"
        raise RuleError(what, where=declared.file, hint=f"tables: {', '.join(tables)}")


def _freeze_list(texts: object) -> frozenset[str] | Mapping[str, frozenset[str]]:
    if isinstance(texts, Mapping):
        return {label: frozenset(each) for label, each in texts.items()}
    assert isinstance(texts, tuple | list | frozenset | set)
    return frozenset(texts)


def _find_ancestors(declared: RuleSetDeclaration) -> dict[str, frozenset[str]]:
    """Return all ancestors of each label; refuse cycles."""
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
            raise RuleError(f"{label!r} is its own ancestor in the hierarchy", where=declared.file)
        found[label] = frozenset(above)
    return found


class _Compiler:
    """Compiler of the rules of one rule set."""

    def __init__(self, declared: RuleSetDeclaration, tables: Mapping[str, Mapping[str, ColumnType]]) -> None:
        self.tables = tables
        per_label = [name for name, value in declared.parameters.items() if isinstance(value, Mapping)]
        self.functions = functions_of(per_label, tuple(declared.lists))
        self.parameters = frozenset(declared.parameters) - frozenset(per_label)

    def rule(self, declared: RuleDeclaration) -> Rule:
        self.check_shape(declared)
        conditions = [
            *split_conjuncts(normalise_condition(self.expression(declared, "when", declared.when, "truth").root))
        ]
        best = (
            normalise_condition(self.expression(declared, f"best.{place}", text, "number").root)
            for place, text in enumerate(declared.best)
        )
        sets = (self.setting(declared, target, value) for target, value in declared.sets.items())
        return Rule(
            name=declared.name,
            group=declared.group,
            salience=declared.salience,
            over=dict(declared.over),
            conditions=tuple(conditions),
            sets=tuple(sets),
            pair=declared.pair,
            best=tuple(best),
            declaration=declared,
        )

    def check_shape(self, rule: RuleDeclaration) -> None:
        if not 1 <= len(rule.over) <= MOST_VARIABLES:
            what = f"a rule ranges over one or two tables, not {len(rule.over)}"
            raise _rule_error(rule, "for", what, hint="refer to further rows with any(… for x in table if …)")
        for variable, table in rule.over.items():
            if table not in self.tables:
                what = f"unknown table {quote_for_message(table)}{suggest_nearest(table, self.tables)}"
                raise _rule_error(rule, "for", what, hint=f"tables: {', '.join(self.tables)}")
            if variable in self.parameters or not variable.isidentifier():
                raise _rule_error(rule, "for", f"{quote_for_message(variable)} cannot be the name of a row")
        if rule.pair is not None and rule.pair not in PAIRINGS:
            what = f"unknown pair {quote_for_message(rule.pair)}{suggest_nearest(rule.pair, PAIRINGS)}"
            raise _rule_error(rule, "pair", what, hint=f"one of: {', '.join(PAIRINGS)}")
        if (rule.pair or rule.best) and len(rule.over) != MOST_VARIABLES:
            raise _rule_error(rule, "pair", "only a rule over two tables can pair rows")
        if rule.best and rule.pair in {None, "many"}:
            raise _rule_error(rule, "pair", "`best` chooses between pairs: add pair = 'one-to-one'")
        if not rule.sets:
            raise _rule_error(rule, "name", "the rule sets nothing")

    def expression(self, rule: RuleDeclaration, part: str, text: str, wanted: Type) -> Expression:
        with _locate_errors(rule, part):
            expression = parse(text)
            found = self.checker(rule, text).type_of(expression.root)
        if found != wanted:
            raise _rule_error(rule, part, f"expected {with_article(wanted)}, got {with_article(found)}", details=[text])
        return expression

    def checker(self, rule: RuleDeclaration, text: str) -> RuleChecker:
        return RuleChecker(
            source=text, tables=self.tables, variables=rule.over, functions=self.functions, parameters=self.parameters
        )

    def setting(self, rule: RuleDeclaration, target: str, value: str) -> Setting:
        part = f"set.{target}"
        variable, _, column = target.partition(".")
        if variable not in rule.over:
            raise _rule_error(
                rule,
                part,
                f"{quote_for_message(target)} is not a column of a row{suggest_nearest(variable, rule.over)}",
            )
        with _locate_errors(rule, part):
            kind = self.checker(rule, target).column(target, Name(target).place)
        if not kind.settable:
            raise _rule_error(rule, part, f"{target} is an input column and cannot be set")
        return Setting(variable, column, self.value(rule, part=part, target=target, kind=kind, value=value))

    def value(self, rule: RuleDeclaration, part: str, target: str, kind: ColumnType, *, value: str) -> Node:
        """Parse the value to be set: a bare value for a column with fixed values, otherwise an expression."""
        if value in kind.values:
            return Text(value)
        bare = parse(value).root if kind.values and value.isidentifier() else None
        if isinstance(bare, Name):
            what = f"{quote_for_message(value)} is not a value of {target}{suggest_nearest(value, kind.values)}"
            raise _rule_error(rule, part, what, hint=f"values: {', '.join(kind.values)}")
        expression = self.expression(rule, part, value, kind.kind)
        root, checker = expression.root, self.checker(rule, value)
        if kind.kind == "row" and checker.table_of(root) != kind.table:
            raise _rule_error(rule, part, f"{target} holds rows of {kind.table}, not of {checker.table_of(root)}")
        if kind.values and isinstance(root, Text):
            what = (
                f"{quote_for_message(root.value)} is not a value of {target}{suggest_nearest(root.value, kind.values)}"
            )
            raise _rule_error(rule, part, what, hint=f"values: {', '.join(kind.values)}")
        if kind.values and not (
            isinstance(root, Name) and _is_subset(checker.column(root.name, root.place).values, kind.values)
        ):
            raise _rule_error(
                rule, part, f"{target} has fixed values: write one of them, or a column with these values"
            )
        return normalise_condition(root)


def _is_subset(values: tuple[str, ...], allowed: tuple[str, ...]) -> bool:
    """Whether a column has fixed values, and all of them are allowed."""
    return bool(values) and set(values) <= set(allowed)


@contextmanager
def _locate_errors(rule: RuleDeclaration, part: str) -> Iterator[None]:
    """Add the rule and the line in the file to errors in an expression."""
    try:
        yield
    except ExpressionError as error:
        raise _rule_error(rule, part, error.what, line=error.line, details=error.details, hint=error.hint) from None
