"""The words that conditions of rules have beyond those of every expression: rows, tables, and functions on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from comparanda.expressions import BUILTINS, Parameter, Signature
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
from comparanda.rules.ruleset import ColumnType

if TYPE_CHECKING:
    from collections.abc import Collection

    from comparanda.expressions import Type


SPAN_COLUMNS: Final[Mapping[str, ColumnType]] = {
    "doc": ColumnType("number"),
    "begin": ColumnType("number"),
    "end": ColumnType("number"),
    "length": ColumnType("number"),
    "pieces": ColumnType("number"),
    "label": ColumnType("text"),
    "text": ColumnType("text"),
    "norm": ColumnType("text"),
    "id": ColumnType("text"),
    "ids": ColumnType("text"),
    "confidence": ColumnType("text"),
    "probability": ColumnType("number"),
    "placing": ColumnType("text"),
}
"""What every span of `system` and `key` has; `norm` is its text without regard to case and white space,
`pieces` is 0 for a span in one piece, else a number for the way it is cut into several."""

SPAN_TABLES = ("system", "key")

ID_TABLES: Final[Mapping[str, str]] = {"system_ids": "system", "key_ids": "key"}
"""The tables of ids, and whose ids they hold: a span may have several."""


def id_columns(spans: str) -> dict[str, ColumnType]:
    """Return what every id has: the span it is an id of, itself (missing for NIL), and its rank, from 1."""
    return {"of": ColumnType("row", table=spans), "id": ColumnType("text"), "rank": ColumnType("number")}


QUANTIFIERS: Final[Mapping[str, tuple[Type, ...]]] = {
    "any": ("truth",),
    "count": ("row", "truth"),
    "min": ("number", "row"),
    "max": ("number", "row"),
    "sum": ("number",),
}
"""What can be asked of all rows of a table, with the types the body may have."""

_ROW = Parameter(name="row", types=("row",))
_NUMBER = Parameter(name="number", types=("number",))
_TEXT = Parameter(name="text")
_LABEL = Parameter(name="label")

_PLAIN: Final[Mapping[str, Signature]] = {
    "same": Signature((_ROW, _ROW, Parameter(name="column", literal=True, repeated=True)), "truth"),
    "overlaps": Signature((_ROW, _ROW), "truth"),
    "overlap": Signature((_ROW, _ROW), "number"),
    "iou": Signature((_ROW, _ROW), "number"),
    "similarity": Signature((_TEXT, _TEXT), "number"),
    "is_a": Signature((_LABEL, _LABEL), "truth"),
    "min": Signature((_NUMBER, _NUMBER), "number"),
    "max": Signature((_NUMBER, _NUMBER), "number"),
    "is_missing": Signature((Parameter(name="value", types=("text", "number", "row")),), "truth"),
}

OF_ROWS = frozenset({"overlaps", "overlap", "iou"})
"""The functions that look at where two spans stand."""


def functions_of(per_label: Collection[str], lists: Collection[str]) -> dict[str, Signature]:
    """Return the functions of a rule set: the common ones, its lists, and its parameters that differ by label.

    >>> functions_of(["threshold"], ["titles"])["threshold"].written("threshold")
    'threshold(label)'
    """
    listed = Parameter(name="list", literal=True, choices=lists)
    by_label = Parameter(name="label", optional=True)
    return {
        **BUILTINS,
        **_PLAIN,
        "in_list": Signature((_TEXT, listed, by_label), "truth"),
        **{name: Signature((_LABEL,), "number") for name in per_label},
    }


# Bring conditions into the plain form that checks and the engine understand.


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
