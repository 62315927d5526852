"""The extensions of the expression language for rules: rows, tables, and functions on them."""

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
    "word_begin": ColumnType("number"),
    "word_end": ColumnType("number"),
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
"""The columns of every span of `system` and `key`; `norm` is its text with case and white space normalised,
`pieces` is 0 for a contiguous span, otherwise a number that identifies its division into pieces; `word_begin` and
`word_end` are its extent widened to whole words."""

SPAN_TABLES = ("system", "key")

ID_TABLES: Final[Mapping[str, str]] = {"system_ids": "system", "key_ids": "key"}
"""The tables of ids, with the tables of their spans: a span may have several ids."""


def id_columns(spans: str) -> dict[str, ColumnType]:
    """Return the columns of every id: its span, the id itself (missing for NIL), and its rank, from 1."""
    return {"of": ColumnType("row", table=spans), "id": ColumnType("text"), "rank": ColumnType("number")}


QUANTIFIERS: Final[Mapping[str, tuple[Type, ...]]] = {
    "any": ("truth",),
    "count": ("row", "truth"),
    "min": ("number", "row"),
    "max": ("number", "row"),
    "sum": ("number",),
}
"""The quantifiers over the rows of a table, with the permitted types of the body."""

_ROW = Parameter(name="row", types=("row",))
_NUMBER = Parameter(name="number", types=("number",))
_TEXT = Parameter(name="text")
_LABEL = Parameter(name="label")

_COMMON_FUNCTIONS: Final[Mapping[str, Signature]] = {
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
"""The functions of the positions of two spans."""


def functions_of(per_label: Collection[str], lists: Collection[str]) -> dict[str, Signature]:
    """Return the functions of a rule set: the common ones, its lists, and its parameters by label.

    >>> functions_of(["threshold"], ["titles"])["threshold"].written("threshold")
    'threshold(label)'
    """
    listed = Parameter(name="list", literal=True, choices=lists)
    by_label = Parameter(name="label", optional=True)
    return {
        **BUILTINS,
        **_COMMON_FUNCTIONS,
        "in_list": Signature((_TEXT, listed, by_label), "truth"),
        **{name: Signature((_LABEL,), "number") for name in per_label},
    }


# Normalisation of conditions for the checks and the engine.


def split_conjuncts(node: Node | None) -> Iterator[Node]:
    """Yield the conjuncts of a condition.

    >>> from comparanda.expressions import parse, unparse
    >>> [unparse(part) for part in split_conjuncts(normalise_condition(parse("a.x == b.x == 1 and not a.y").root))]
    ['a.x == b.x', 'b.x == 1', 'not a.y']
    """
    if isinstance(node, And):
        for operand in node.operands:
            yield from split_conjuncts(operand)
    elif node is not None and node != Truth(True):
        yield node


def normalise_condition(node: Node) -> Node:  # noqa: PLR0911 - one return for each kind of node
    """Normalise a condition: split chained comparisons, expand `same()`, move the body of `any()` into its condition.

    >>> from comparanda.expressions import parse, unparse
    >>> unparse(normalise_condition(parse("same(s, k, 'doc', 'label')").root))
    's.doc == k.doc and s.label == k.label'
    """
    match node:
        case And(operands):
            return _make_conjunction([normalise_condition(operand) for operand in operands], node)
        case Or(operands):
            return replace(node, operands=tuple(map(normalise_condition, operands)))
        case Not(operand):
            return _negate(normalise_condition(operand), node)
        case Negative(operand):
            return replace(node, operand=normalise_condition(operand))
        case Arithmetic(first, steps):
            return replace(
                node,
                first=normalise_condition(first),
                steps=tuple(replace(step, operand=normalise_condition(step.operand)) for step in steps),
            )
        case Comparison():
            return _split_comparisons(node)
        case Call("same", (Name(first), Name(second), *columns)):
            pairs = [(f"{first}.{each}", f"{second}.{each}") for each in _add_pieces_column(columns)]
            return _make_conjunction([_make_equality(left, right, node) for left, right in pairs], node)
        case Call(_, arguments):
            return replace(node, arguments=tuple(map(normalise_condition, arguments)))
        case Quantified():
            return _normalise_quantifier(node)
        case _:
            return node


def _add_pieces_column(columns: list[Node]) -> list[str]:
    """Return the columns that must be equal; if both ends are among them, so must the division into pieces."""
    names = [each.value for each in columns if isinstance(each, Text)]
    return [*names, "pieces"] if {"begin", "end"} <= set(names) else names


def _negate(operand: Node, node: Not) -> Node:
    return operand.operand if isinstance(operand, Not) else replace(node, operand=operand)


def _make_equality(left: str, right: str, node: Node) -> Node:
    step = ComparisonStep("==", Name(right, place=node.place), place=node.place)
    return Comparison(Name(left, place=node.place), (step,), place=node.place)


def _make_conjunction(parts: list[Node], node: Node) -> Node:
    flat = [part for each in parts for part in split_conjuncts(each)]
    if not flat:
        return Truth(True, place=node.place)
    return flat[0] if len(flat) == 1 else And(tuple(flat), place=node.place)


def _split_comparisons(node: Comparison) -> Node:
    parts: list[Node] = []
    left = normalise_condition(node.first)
    for step in node.steps:
        operand = step.operand
        right = (
            replace(operand, items=tuple(map(normalise_condition, operand.items)))
            if isinstance(operand, List)
            else normalise_condition(operand)
        )
        parts.append(Comparison(left, (replace(step, operand=right),), place=node.place))
        left = right
    return _make_conjunction(parts, node)


def _normalise_quantifier(node: Quantified) -> Node:
    """Move a body that is a condition into the conditions of its quantifier; it becomes true, a value, or the row."""
    body, condition = (
        normalise_condition(node.body),
        normalise_condition(node.condition) if node.condition is not None else Truth(True),
    )
    if node.function == "any" or (node.function == "count" and body != Name(node.variable)):
        body, condition = Truth(True), _make_conjunction([body, condition], node)
    asked = None if condition == Truth(True) else condition
    return replace(node, body=body, condition=asked)
