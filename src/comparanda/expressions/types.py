"""Type checking of expressions, before data are loaded."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from comparanda.errors import suggest_nearest
from comparanda.expressions.functions import BUILTINS
from comparanda.expressions.syntax import (
    And,
    Arithmetic,
    Call,
    Comparison,
    ComparisonStep,
    Expression,
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
    make_expression_error,
    quote_for_message,
    quote_name,
    quote_string,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from comparanda.expressions.functions import Parameter, Signature, Type
    from comparanda.expressions.syntax import Place

_ORDER_OPERATORS = frozenset({"<", "<=", ">", ">="})
_NULL_WORDS = frozenset({"none", "null", "nan", "na", "nil", "missing"})


@dataclass(frozen=True, slots=True)
class Checked:
    """A well-typed expression with its type."""

    expression: Expression
    type: Type
    types: Mapping[str, Type]
    """The type of each name it uses."""

    def __str__(self) -> str:
        return self.expression.text

    @property
    def names(self) -> frozenset[str]:
        """The names of the columns it uses."""
        return frozenset(self.types)


def check(
    expression: Expression,
    types: Mapping[str, Type],
    functions: Mapping[str, Signature] = BUILTINS,
) -> Checked:
    """Check the names, functions and types of an expression; raises `ExpressionError` at the first error.

    >>> from comparanda.expressions import parse
    >>> check(parse("length(form) > 3"), {"form": "text"}).type
    'truth'
    >>> check(parse("labl == 'PER'"), {"label": "text"})
    Traceback (most recent call last):
        ...
    comparanda.errors.ExpressionError: unknown name 'labl' (did you mean 'label'?)
      labl == 'PER'
      ^^^^
    """
    found = Checker(expression.text, types, functions).type_of(expression.root)
    used = {name: types[name] for name in sorted(expression.names)}
    return Checked(expression, found, MappingProxyType(used))


def require_truth(checked: Checked) -> None:
    """Refuse an expression that is not a condition.

    >>> from comparanda.expressions import parse
    >>> require_truth(check(parse("label"), {"label": "text"}))
    Traceback (most recent call last):
        ...
    comparanda.errors.ExpressionError: expected a condition, got a string
      label
      ^^^^^
      compare it with a value, as in label == "…"
    """
    if checked.type != "truth":
        root, source = checked.expression.root, checked.expression.text
        what = f"expected a condition, got {with_article(checked.type)}"
        raise make_expression_error(source, root.place, what, hint=_comparison_hint(root, checked.type))


class Checker:
    """Type checker of one source text; a language with more kinds of names or calls extends it."""

    def __init__(self, source: str, types: Mapping[str, Type], functions: Mapping[str, Signature]) -> None:
        self.source = source
        self.types = types
        self.functions = functions

    def type_of(self, node: Node) -> Type:  # noqa: PLR0911, PLR0912 - one for each kind of node
        """Return the type of a node, after checking all nodes below it."""
        match node:
            case Text():
                return "text"
            case Number():
                return "number"
            case Truth():
                return "truth"
            case Name(name):
                return self.name(name, node.place)
            case Call():
                return self.call(node)
            case Quantified():
                return self.quantified(node)
            case Negative(operand):
                return self.number(operand, "-")
            case Arithmetic():
                return self.arithmetic(node)
            case Comparison():
                return self.comparison(node)
            case Not(operand):
                return self.truth(operand, "not")
            case And(operands):
                return self.check_junction(operands, "and")
            case Or(operands):
                return self.check_junction(operands, "or")
            case _:
                raise TypeError(f"not a complete expression: {node!r}")

    def name(self, name: str, place: Place) -> Type:
        """Look up the type of a name."""
        if (found := self.types.get(name)) is not None:
            return found
        what = f"unknown name {quote_for_message(name)}{suggest_nearest(name, map(quote_name, self.types))}"
        raise make_expression_error(self.source, place, what, hint=self.name_hint(name, likely="did you mean" in what))

    def name_hint(self, name: str, *, likely: bool) -> str | None:
        """Return a hint at what an unknown name may have been intended to mean, or None."""
        hyphenated = [known for known in self.types if known.startswith(name + "-")]
        if hyphenated:
            return f"(a name with a hyphen is written in backticks: {quote_name(hyphenated[0])})"
        if name.lower() in _NULL_WORDS:
            return "to find missing values write is_missing(x)"
        if name in self.functions:
            return f"to call the function write {self.functions[name].written(name)}"
        return None if likely or len(name) > 40 else f"(a string is written in quotes: {quote_string(name)})"

    def check_junction(self, operands: tuple[Node, ...], word: str) -> Type:
        """Check the operands of `and` or `or`."""
        for operand in operands:
            self.truth(operand, word)
        return "truth"

    def truth(self, node: Node, word: str) -> Type:
        """Check that a node is a condition."""
        found = self.type_of(node)
        if found != "truth":
            what = f"'{word}' needs conditions, got {with_article(found)}"
            raise make_expression_error(self.source, node.place, what, hint=_comparison_hint(node, found))
        return found

    def arithmetic(self, node: Arithmetic) -> Type:
        """Check a chain of sums or products."""
        self.number(node.first, node.steps[0].operator)
        for step in node.steps:
            self.number(step.operand, step.operator)
        return "number"

    def number(self, node: Node, operator: str) -> Type:
        """Check that a node is a number."""
        found = self.type_of(node)
        if found != "number":
            raise make_expression_error(
                self.source, node.place, f"'{operator}' needs numbers, got {with_article(found)}"
            )
        return found

    def comparison(self, node: Comparison) -> Type:
        """Check that both sides of each comparison are of one type."""
        left = self.type_of(node.first)
        for step in node.steps:
            if isinstance(step.operand, List):
                for item in step.operand.items:
                    self.require_same_type(left, self.type_of(item), step.operator, item.place)
            else:
                right = self.type_of(step.operand)
                self.require_same_type(left, right, step.operator, step.place)
                self.require_order(right, step)
        return "truth"

    def require_same_type(self, left: Type, right: Type, operator: str, place: Place) -> None:
        """Refuse a comparison of different types."""
        if left != right:
            what = f"'{operator}' cannot compare {with_article(left)} with {with_article(right)}"
            raise make_expression_error(self.source, place, what)

    def require_order(self, found: Type, step: ComparisonStep) -> None:
        """Refuse an order comparison of types without an order."""
        if found in {"truth", "row"} and step.operator in _ORDER_OPERATORS:
            kind = "booleans" if found == "truth" else "rows"
            raise make_expression_error(
                self.source, step.place, f"'{step.operator}' cannot compare {kind}, which have no order"
            )

    def quantified(self, node: Quantified) -> Type:
        """Refuse a quantifier over a table: tables exist only in rules."""
        raise make_expression_error(self.source, node.place, f"{node.function}(… for …) is only available in rules")

    def call(self, node: Call) -> Type:
        """Check a function call."""
        signature = self.functions.get(node.function)
        if signature is None:
            raise self.unknown_function(node)
        given, fewest, most = len(node.arguments), signature.fewest, signature.most
        if given < fewest or (most is not None and given > most):
            wanted = f"{fewest}" if most == fewest else f"at least {fewest}" if most is None else f"{fewest} to {most}"
            what = f"{node.function}() takes {wanted} argument{'' if wanted == '1' else 's'}, not {given}"
            raise make_expression_error(self.source, node.place, what, hint=f"write {signature.written(node.function)}")
        for place, argument in enumerate(node.arguments):
            self.argument(node.function, argument, signature.parameter(place))
        return signature.result

    def unknown_function(self, node: Call) -> Exception:
        """Make the error for an unknown function."""
        before, _, method = node.function.rpartition(".")
        hint = f"write {method}({before})" if before and method in self.functions else None
        what = f"unknown function {quote_for_message(node.function)}{suggest_nearest(node.function, self.functions)}"
        return make_expression_error(
            self.source, node.place._replace(end=node.place.start + len(node.function)), what, hint=hint
        )

    def argument(self, function: str, argument: Node, parameter: Parameter) -> None:
        """Check one argument."""
        if parameter.literal:
            self.literal(function, argument, parameter)
        elif (found := self.type_of(argument)) not in parameter.types:
            wanted = " or ".join(map(with_article, parameter.types))
            what = f"{function}() takes {wanted} here, not {with_article(found)}"
            raise make_expression_error(self.source, argument.place, what)

    def literal(self, function: str, argument: Node, parameter: Parameter) -> None:
        """Check an argument that must be a string literal."""
        if not isinstance(argument, Text):
            what = f"the {parameter.name} of {function}() must be a string in quotes"
            raise make_expression_error(self.source, argument.place, what)
        value, choices = argument.value, parameter.choices
        if choices is not None and value not in choices:
            what = f"unknown {parameter.name} {quote_for_message(value)}{suggest_nearest(value, choices)}"
            known = ", ".join(map(quote_string, sorted(choices)[:10])) + (", …" if len(choices) > 10 else "")
            raise make_expression_error(self.source, argument.place, what, hint=f"known: {known}" if known else None)
        if parameter.problem is not None and (problem := parameter.problem(value)):
            raise make_expression_error(self.source, argument.place, f"{parameter.name}: {problem}")


def with_article(found: Type) -> str:
    """Return a type as it is named in messages."""
    return {"truth": "a boolean", "number": "a number", "text": "a string", "row": "a row"}[found]


def _comparison_hint(node: Node, found: Type) -> str:
    if isinstance(node, Text):
        return f'to test for several values write name in [{quote_string(node.value)[:40]}, "…"]'
    subject = quote_name(node.name) if isinstance(node, Name) and len(node.name) <= 40 else "x"
    return f"compare it with a value, as in {subject} " + ('== "…"' if found == "text" else "> 0")
