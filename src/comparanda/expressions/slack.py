"""Comparisons of numbers that do not depend on the last bits."""

from __future__ import annotations

from comparanda.expressions.syntax import (
    And,
    Arithmetic,
    ArithmeticStep,
    Comparison,
    ComparisonOperator,
    ComparisonStep,
    List,
    Negative,
    Node,
    Not,
    Number,
    Or,
    Truth,
)


def with_slack(node: Node, slack: float) -> Node:
    """Return a condition in which numbers that differ by no more than the slack are equal.

    All names stand for numbers. Lists behind `in` are compared as they are.

    >>> from comparanda.expressions import Expression, parse, unparse
    >>> unparse(Expression(with_slack(parse("f1 >= base - 0.3").root, 0.001), ""))
    'f1 - (base - 0.3) >= -0.001'
    """
    match node:
        case Comparison(first, steps):
            return _comparison(first, steps, slack)
        case Not(operand):
            return Not(with_slack(operand, slack))
        case And(operands):
            return And(tuple(with_slack(each, slack) for each in operands))
        case Or(operands):
            return Or(tuple(with_slack(each, slack) for each in operands))
        case _:
            return node


def is_condition(node: Node) -> bool:
    """Whether a node can only be true or false."""
    return isinstance(node, And | Or | Not | Comparison | Truth)


def _comparison(first: Node, steps: tuple[ComparisonStep, ...], slack: float) -> Node:
    found: list[Node] = []
    left = with_slack(first, slack)
    for step in steps:
        if isinstance(step.operand, List):
            found.append(Comparison(left, (step,)))
            continue
        right = with_slack(step.operand, slack)
        if is_condition(left) or is_condition(right):
            found.append(_one(left, step.operator, right))
        else:
            found.append(_compared(Arithmetic(left, (ArithmeticStep("-", right),)), step.operator, slack))
        left = right
    return found[0] if len(found) == 1 else And(tuple(found))


def _compared(gap: Node, operator: ComparisonOperator, slack: float) -> Node:
    """Compare the gap between two sides with zero, give or take the slack."""
    above, below = Number(slack), Negative(Number(slack))
    if operator in {"==", "!="}:
        equal = And((_one(gap, ">=", below), _one(gap, "<=", above)))
        return equal if operator == "==" else Not(equal)
    return _one(gap, operator, below if operator in {">=", "<"} else above)


def _one(left: Node, operator: ComparisonOperator, right: Node) -> Node:
    return Comparison(left, (ComparisonStep(operator, right),))
