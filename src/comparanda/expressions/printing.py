"""Write a tree as text that reads back to the same tree."""

from __future__ import annotations

from comparanda.expressions.parsing import AND, ATOM, COMPARE, LEVELS, NOT, OR, SIGN, SUM
from comparanda.expressions.quoting import quote, quote_name
from comparanda.expressions.syntax import (
    And,
    Arithmetic,
    Call,
    Comparison,
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
)

_LEVELS = {Or: OR, And: AND, Not: NOT, Comparison: COMPARE, Negative: SIGN}


def unparse(node: Node | Expression) -> str:  # noqa: PLR0911 - one return for each kind of node
    """Return the canonical text of an expression: one space around operators, brackets where they matter.

    >>> from comparanda.expressions import parse
    >>> unparse(parse("(label=='PER')or( ( not`sent id`in[1,2.5] ) )"))
    'label == "PER" or not `sent id` in [1, 2.5]'
    """
    match node:
        case Expression(root):
            return unparse(root)
        case Text(value):
            return quote(value)
        case Number(value):
            return repr(value)
        case Truth(value):
            return "true" if value else "false"
        case Name(name):
            return quote_name(name)
        case Call(function, arguments):
            return f"{function}({', '.join(map(unparse, arguments))})"
        case Quantified(function, body, variable, table, condition):
            only = "" if condition is None else f" if {unparse(condition)}"
            return f"{function}({unparse(body)} for {variable} in {table}{only})"
        case List(items):
            return f"[{', '.join(map(unparse, items))}]"
        case _:
            return _operation(node)


def _operation(node: Node) -> str:
    match node:
        case Or(operands):
            return " or ".join(_inside(operand, AND) for operand in operands)
        case And(operands):
            return " and ".join(_inside(operand, NOT) for operand in operands)
        case Not(operand):
            return f"not {_inside(operand, NOT)}"
        case Comparison(first, steps):
            parts = (f" {step.operator} {_inside(step.operand, SUM)}" for step in steps)
            return _inside(first, SUM) + "".join(parts)
        case Arithmetic(first, steps):
            level = _level(node) + 1
            parts = (f" {step.operator} {_inside(step.operand, level)}" for step in steps)
            return _inside(first, level) + "".join(parts)
        case Negative(operand):
            return f"-{_inside(operand, SIGN)}"
        case _:
            raise TypeError(f"not a node that stands alone: {node!r}")


def _inside(node: Node, level: int) -> str:
    """Return the text of an operand, in brackets if it binds less strongly than the level."""
    return unparse(node) if _level(node) >= level else f"({unparse(node)})"


def _level(node: Node) -> int:
    """Return how strongly the outermost operator of a node binds."""
    if isinstance(node, Arithmetic):
        return LEVELS[node.steps[0].operator]
    return _LEVELS.get(type(node), ATOM)
