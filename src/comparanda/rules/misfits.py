"""Check the conditions of rules: names of rows and columns, quantifiers over tables, fixed values."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from comparanda.errors import nearest
from comparanda.expressions.checking import Checker
from comparanda.expressions.places import failure, shown
from comparanda.expressions.syntax import Call, Comparison, List, Name, Node, Quantified, Text
from comparanda.rules.language import OF_ROWS, QUANTIFIERS, SPAN_TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.expressions import Place, Signature, Type
    from comparanda.rules.ruleset import ColumnType

    Tables = Mapping[str, Mapping[str, ColumnType]]


class RuleChecker(Checker):
    """The types of the nodes of one condition, where variables stand for rows of tables."""

    def __init__(
        self,
        source: str,
        tables: Tables,
        variables: Mapping[str, str],
        functions: Mapping[str, Signature],
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
            what = f"unknown variable {shown(variable)}{nearest(variable, self.variables)}"
            hint = f"the rule ranges over {', '.join(f'{key} in {table}' for key, table in self.variables.items())}"
            raise failure(self.source, place, what, hint=hint)
        what = f"unknown name {shown(name)}{nearest(name, known)}"
        raise failure(self.source, place, what, hint=self.name_hint(name, likely="did you mean" in what))

    def column(self, name: str, place: Place) -> ColumnType:
        """Return the type of a column of a variable's row."""
        variable, _, column = name.partition(".")
        table = self.variables[variable]
        found = self.tables[table].get(column)
        if found is None:
            near = nearest(column, self.tables[table]).replace("'", f"'{variable}.", 1)
            what = f"the table {table!r} has no column {shown(column)}{near}"
            raise failure(self.source, place, what, hint=f"it has: {', '.join(self.tables[table])}")
        return found

    def table_of(self, node: Node) -> str | None:
        """Return the table that a node's rows are of."""
        match node:
            case Name(name) if name in self.variables:
                return self.variables[name]
            case Name(name) if name.partition(".")[0] in self.variables:
                return self.column(name, node.place).table
            case Quantified("min" | "max", body, variable, table, _):
                return table if body == Name(variable) else None
            case _:
                return None

    def comparison(self, node: Comparison) -> Type:
        """Check both sides; a text with fixed values is compared with one of them, a row with its like."""
        found = super().comparison(node)
        left: Node = node.first
        for step in node.steps:
            others = step.operand.items if isinstance(step.operand, List) else (step.operand,)
            for other in others:
                self.possible(left, other)
                self.possible(other, left)
                if self.table_of(left) != self.table_of(other):
                    what = (
                        f"'{step.operator}' compares a row of {self.table_of(left)} with one of {self.table_of(other)}"
                    )
                    raise failure(self.source, step.place, what)
            left = step.operand
        return found

    def possible(self, column: Node, other: Node) -> None:
        """Refuse to compare a column with a value that it never has."""
        if not (isinstance(column, Name) and isinstance(other, Text) and "." in column.name):
            return
        variable = column.name.partition(".")[0]
        values = self.column(column.name, column.place).values if variable in self.variables else ()
        if values and other.value not in values:
            what = f"{column.name} never holds {shown(other.value)}{nearest(other.value, values)}"
            raise failure(self.source, other.place, what, hint=f"its values: {', '.join(values)}")

    def call(self, node: Call) -> Type:
        """Check a call; rows must have the columns that it looks at."""
        found = super().call(node)
        if node.function in {"same", *OF_ROWS}:
            first, second = node.arguments[:2]
            if node.function == "same":
                self.shared(node, first, second)
            for row in (first, second):
                if not (isinstance(row, Name) and row.name in self.variables):
                    what = f"{node.function}() takes the name of a row here, such as {next(iter(self.variables))}"
                    raise failure(self.source, row.place, what)
                if node.function in OF_ROWS and self.variables[row.name] not in SPAN_TABLES:
                    what = f"rows of {self.variables[row.name]!r} are no spans, so they have no place"
                    raise failure(self.source, row.place, what)
        return found

    def shared(self, node: Call, first: Node, second: Node) -> None:
        """Check that both rows have the columns in which they shall agree."""
        for argument in node.arguments[2:]:
            kinds = []
            for row in (first, second):
                table = self.table_of(row)
                assert isinstance(argument, Text)
                if table is not None and argument.value not in self.tables[table]:
                    what = f"the table {table!r} has no column {shown(argument.value)}"
                    raise failure(self.source, argument.place, what + nearest(argument.value, self.tables[table]))
                kinds.append(self.tables[table][argument.value].kind if table is not None else None)
            if kinds[0] != kinds[1]:
                raise failure(self.source, argument.place, f"same() compares {kinds[0]} with {kinds[1]}")

    def quantified(self, node: Quantified) -> Type:
        """Check a question about all rows of a table."""
        if node.function not in QUANTIFIERS:
            what = f"{shown(node.function)} cannot range over a table{nearest(node.function, QUANTIFIERS)}"
            raise failure(self.source, node.place, what, hint=f"one of: {', '.join(QUANTIFIERS)}")
        if node.table not in self.tables:
            what = f"no table is called {shown(node.table)}{nearest(node.table, self.tables)}"
            raise failure(self.source, node.place, what, hint=f"tables: {', '.join(self.tables)}")
        if node.variable in self.variables:
            what = f"the name {shown(node.variable)} stands for another row already"
            raise failure(self.source, node.place, what)
        with self.inside(node):
            found = self.type_of(node.body)
            if node.condition is not None:
                self.truth(node.condition, "if")
        if found not in QUANTIFIERS[node.function]:
            kinds = " or ".join(QUANTIFIERS[node.function])
            raise failure(self.source, node.body.place, f"{node.function}() asks for a {kinds} of each row here")
        if found == "row" and node.body != Name(node.variable):
            what = f"{node.function}() gives a row of the table it ranges over: write {node.variable}"
            raise failure(self.source, node.body.place, what)
        results: dict[str, Type] = {"any": "truth", "count": "number", "sum": "number"}
        return results.get(node.function, found)

    @contextmanager
    def inside(self, node: Quantified) -> Iterator[None]:
        """Know the row of a quantifier while its parts are checked."""
        self.variables[node.variable] = node.table
        yield
        del self.variables[node.variable]
