"""The language, one row at a time, written from docs/expressions.md and nothing else; None is missing."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

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
    Text,
    Truth,
)

Row = Mapping[str, Any]

ORDERINGS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def value(node: Node, row: Row) -> Any:  # noqa: PLR0911 - one return for each kind of node
    match node:
        case Text(literal) | Number(literal) | Truth(literal):
            return literal
        case Name(name):
            return row[name]
        case Negative(operand):
            inner = value(operand, row)
            return None if inner is None else -inner
        case Arithmetic(first, steps):
            total = value(first, row)
            for step in steps:
                total = arithmetic(step.operator, total, value(step.operand, row))
            return total
        case Comparison(first, steps):
            operands = [first, *(step.operand for step in steps)]
            pairs = zip(operands, steps, strict=False)
            return all(compared(step.operator, value(left, row), step.operand, row) for left, step in pairs)
        case Not(operand):
            return not value(operand, row)
        case And(operands):
            return all(value(operand, row) for operand in operands)
        case Or(operands):
            return any(value(operand, row) for operand in operands)
        case Call(function, arguments):
            return called(function, [value(argument, row) for argument in arguments])
        case _:
            raise AssertionError(node)


def arithmetic(symbol: str, left: float | None, right: float | None) -> float | None:
    if left is None or right is None or (symbol in "/%" and right == 0):
        return None
    left, right = float(left), float(right)
    result = {
        "+": lambda: left + right,
        "-": lambda: left - right,
        "*": lambda: left * right,
        "/": lambda: left / right,
        "%": lambda: left % right,
    }[symbol]()
    return None if math.isnan(result) else result


def compared(symbol: str, left: Any, operand: Node, row: Row) -> bool:
    if isinstance(operand, List):
        inside = any(equal(left, value(item, row)) for item in operand.items)
        return inside if symbol == "in" else not inside
    right = value(operand, row)
    if symbol in {"==", "!="}:
        return equal(left, right) == (symbol == "==")
    return left is not None and right is not None and ORDERINGS[symbol](left, right)


def equal(left: Any, right: Any) -> bool:
    return left is not None and right is not None and bool(left == right)


def called(function: str, arguments: list[Any]) -> Any:  # noqa: PLR0911 - one return for each function
    if function == "is_missing":
        return arguments[0] is None
    if None in arguments:
        return None if function in {"bare", "lower", "length", "abs"} else False
    first = arguments[0]
    match function, arguments[1:]:
        case "lower", []:
            return first.lower()
        case "bare", []:
            return re.sub(r"^[\s.,:;!?'\"()-]+|[\s.,:;!?'\"()-]+$", "", first)
        case "length", []:
            return float(len(first))
        case "abs", []:
            return abs(float(first))
        case "startswith", [piece]:
            return first.startswith(piece)
        case "endswith", [piece]:
            return first.endswith(piece)
        case "contains", [piece]:
            return piece in first
        case "matches", [pattern]:
            return re.search(pattern.replace("$", r"\Z"), first) is not None
        case _:
            raise AssertionError(function)
