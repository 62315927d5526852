"""Bring conditions into the plain form that checks and the engine understand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from comparanda.expressions.syntax import (
    And,
    Arithmetic,
    Call,
    Comparison,
    ComparisonStep,
    List,
    Name,
    Negative,
    Node,
    Not,
    Or,
    Quantified,
    Text,
    Truth,
)


def conjuncts(node: Node | None) -> Iterator[Node]:
    """Yield the parts of a condition that must all hold.

    >>> from comparanda.expressions import parse, unparse
    >>> [unparse(part) for part in conjuncts(plain(parse("a.x == b.x == 1 and not a.y").root))]
    ['a.x == b.x', 'b.x == 1', 'not a.y']
    """
    if isinstance(node, And):
        for operand in node.operands:
            yield from conjuncts(operand)
    elif node is not None and node != Truth(True):
        yield node


def plain(node: Node) -> Node:  # noqa: PLR0911 - one return for each kind of node
    """Return a condition with one comparison at a time, `same()` written out, and what `any()` asks in its condition.

    >>> from comparanda.expressions import parse, unparse
    >>> unparse(plain(parse("same(s, k, 'doc', 'label')").root))
    's.doc == k.doc and s.label == k.label'
    """
    match node:
        case And(operands):
            return _all([plain(operand) for operand in operands], node)
        case Or(operands):
            return replace(node, operands=tuple(map(plain, operands)))
        case Not(operand):
            return _negated(plain(operand), node)
        case Negative(operand):
            return replace(node, operand=plain(operand))
        case Arithmetic(first, steps):
            return replace(
                node, first=plain(first), steps=tuple(replace(step, operand=plain(step.operand)) for step in steps)
            )
        case Comparison():
            return _comparisons(node)
        case Call("same", (Name(first), Name(second), *columns)):
            pairs = [(f"{first}.{each}", f"{second}.{each}") for each in _with_pieces(columns)]
            return _all([_equal(left, right, node) for left, right in pairs], node)
        case Call(_, arguments):
            return replace(node, arguments=tuple(map(plain, arguments)))
        case Quantified():
            return _quantified(node)
        case _:
            return node


def _with_pieces(columns: list[Node]) -> list[str]:
    """Return the columns in which rows shall agree; those with both ends alike must be cut into the same pieces."""
    names = [each.value for each in columns if isinstance(each, Text)]
    return [*names, "pieces"] if {"begin", "end"} <= set(names) else names


def _negated(operand: Node, node: Not) -> Node:
    return operand.operand if isinstance(operand, Not) else replace(node, operand=operand)


def _equal(left: str, right: str, node: Node) -> Node:
    step = ComparisonStep("==", Name(right, place=node.place), place=node.place)
    return Comparison(Name(left, place=node.place), (step,), place=node.place)


def _all(parts: list[Node], node: Node) -> Node:
    flat = [part for each in parts for part in conjuncts(each)]
    if not flat:
        return Truth(True, place=node.place)
    return flat[0] if len(flat) == 1 else And(tuple(flat), place=node.place)


def _comparisons(node: Comparison) -> Node:
    parts: list[Node] = []
    left = plain(node.first)
    for step in node.steps:
        operand = step.operand
        right = (
            replace(operand, items=tuple(map(plain, operand.items))) if isinstance(operand, List) else plain(operand)
        )
        parts.append(Comparison(left, (replace(step, operand=right),), place=node.place))
        left = right
    return _all(parts, node)


def _quantified(node: Quantified) -> Node:
    """Put a condition that is asked of each row where the others are; what remains is true, a value, or the row."""
    body, condition = plain(node.body), plain(node.condition) if node.condition is not None else Truth(True)
    if node.function == "any" or (node.function == "count" and body != Name(node.variable)):
        body, condition = Truth(True), _all([body, condition], node)
    asked = None if condition == Truth(True) else condition
    return replace(node, body=body, condition=asked)
