"""Compile conditions to functions on arrays: every node once, for all rows at once."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.expressions import BUILTINS, unparse, walk
from comparanda.expressions.columns import COMPARE
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
from comparanda.rules import functions
from comparanda.rules.facts import MISSING

if TYPE_CHECKING:
    from comparanda.rules.declarations import Kind
    from comparanda.rules.frames import Frame
    from comparanda.rules.ruleset import RuleSet

Value = Any
"""An array with one value a row, or one value for all rows."""

Term = Callable[["Frame"], Value]
"""A compiled expression."""


class Conditions:
    """Compiles the conditions of one rule set."""

    def __init__(self, rule_set: RuleSet) -> None:
        self.rule_set = rule_set
        self._calls: dict[Node, int] = {}

    def kind(self, node: Node, variables: Mapping[str, str]) -> Kind:  # noqa: PLR0911 - one return for each kind of node
        """Return what a checked node is."""
        match node:
            case Text():
                return "text"
            case Name(name) if name in variables:
                return "row"
            case Name(name):
                variable, _, column = name.partition(".")
                return self.rule_set.tables[variables[variable]][column].kind if column else "number"
            case Quantified("min" | "max", body, variable, table, _):
                return self.kind(body, {**variables, variable: table})
            case Quantified("any"):
                return "truth"
            case Number() | Arithmetic() | Negative() | Quantified():
                return "number"
            case Call(function):
                known = BUILTINS[function].result if function in BUILTINS else None
                return known or ("truth" if function in functions.CONDITIONS else "number")
            case _:
                return "truth"

    def term(self, node: Node, variables: Mapping[str, str]) -> Term:  # noqa: PLR0911 - one for each kind of node
        """Compile a node."""
        match node:
            case Truth(value) | Number(value):
                return lambda _: value
            case Text(text):
                return lambda frame: frame.state.pool.code(text)
            case Name(name):
                return self.name(name, variables)
            case And(operands):
                return _joined([self.term(each, variables) for each in operands], operator.and_)
            case Or(operands):
                return _joined([self.term(each, variables) for each in operands], operator.or_)
            case Not(operand):
                inner = self.term(operand, variables)
                return lambda frame: np.logical_not(inner(frame))
            case Comparison():
                return self.comparison(node, variables)
            case Negative(operand):
                inner = self.term(operand, variables)
                return lambda frame: -inner(frame)
            case Arithmetic():
                return self.arithmetic(node, variables)
            case Call():
                return self.call(node, variables)
            case Quantified():
                from comparanda.rules.quantifiers import Quantifier

                return Quantifier(self, node, variables).term()
            case _:
                raise TypeError(f"not a node of a condition: {node!r}")

    def name(self, name: str, variables: Mapping[str, str]) -> Term:
        """Compile a row, a column of a row, or a parameter."""
        if name in variables:
            return lambda frame: frame.numbers(name)
        variable, _, column = name.partition(".")
        if column:
            return lambda frame: frame.column(variable, column)
        value = self.rule_set.parameters[name]
        return lambda _: value

    def comparison(self, node: Comparison, variables: Mapping[str, str]) -> Term:
        """Compile one comparison; what is missing is equal to nothing and differs from everything."""
        (step,) = node.steps
        left, kind = self.term(node.first, variables), self.kind(node.first, variables)
        if isinstance(step.operand, List):
            items = [(self.term(item, variables), isinstance(item, Text)) for item in step.operand.items]
            contained = _joined([_equality(left, item, kind, fixed=fixed) for item, fixed in items], operator.or_)
            negated = step.operator == "not in"
            return (lambda frame: np.logical_not(contained(frame))) if negated else contained
        right = self.term(step.operand, variables)
        fixed = isinstance(step.operand, Text) or isinstance(node.first, Text)
        if step.operator == "==":
            return _equality(left, right, kind, fixed=fixed)
        if step.operator == "!=":
            same = _equality(left, right, kind, fixed=fixed)
            return lambda frame: np.logical_not(same(frame))
        compare = COMPARE[step.operator]
        if kind == "text":
            return functions.text_order(left, right, compare)
        return lambda frame: compare(left(frame), right(frame))

    def arithmetic(self, node: Arithmetic, variables: Mapping[str, str]) -> Term:
        """Compile a chain of sums or products, worked from the left."""
        total = self.term(node.first, variables)
        for step in node.steps:
            total = functions.arithmetic(step.operator, total, self.term(step.operand, variables))
        return total

    def call(self, node: Call, variables: Mapping[str, str]) -> Term:
        """Compile a call; what is costly is worked out once for a frame."""
        made = functions.made(node, self, variables)
        if node.function not in functions.COSTLY:
            return made
        key = self._calls.setdefault(node, len(self._calls))

        def remembered(frame: Frame) -> Value:
            if key not in frame.remembered:
                frame.remembered[key] = made(frame)
            return frame.remembered[key]

        return remembered


def _joined(terms: list[Term], join: Callable[[Value, Value], Value]) -> Term:
    if not terms:
        return lambda _: False
    if len(terms) == 1:
        return terms[0]

    def joined(frame: Frame) -> Value:
        result = terms[0](frame)
        for term in terms[1:]:
            result = join(result, term(frame))
        return result

    return joined


def _equality(left: Term, right: Term, kind: Kind, *, fixed: bool) -> Term:
    """Compile an equality; of codes and rows, missing equals not even missing."""
    if kind not in {"text", "row"} or fixed:
        return lambda frame: left(frame) == right(frame)

    def equal(frame: Frame) -> Value:
        mine = left(frame)
        return (mine == right(frame)) & (mine != MISSING)

    return equal


def variables_of(node: Node, variables: Mapping[str, str]) -> frozenset[str]:
    """Return the variables that a node speaks of, those of its own quantifiers not among them."""
    inner = {each.variable for each in walk(node) if isinstance(each, Quantified)}
    names = {each.name.partition(".")[0] for each in walk(node) if isinstance(each, Name)}
    return frozenset(names & variables.keys() - inner)


def written(node: Node) -> str:
    """Return a condition as people read it."""
    return unparse(node)
