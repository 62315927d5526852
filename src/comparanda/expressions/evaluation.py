"""Evaluate an expression on all rows at once."""

from __future__ import annotations

import operator
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comparanda.core.text_columns import Column, TextColumn, Truths
from comparanda.expressions.functions import BUILTINS, Scope
from comparanda.expressions.parser import parse
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
from comparanda.expressions.types import check, require_truth

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from comparanda.expressions.functions import Function, Type
    from comparanda.expressions.types import Checked


# Column types, and comparison of text columns.


_MIRRORED_OPERATORS = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def type_of_column(column: Column) -> Type:
    """Return the type of a column.

    >>> import numpy as np
    >>> type_of_column(np.array([1.5, 2.5]))
    'number'
    """
    if isinstance(column, TextColumn):
        return "text"
    kinds: dict[str, Type] = {"b": "truth", "i": "number", "u": "number", "f": "number"}
    if column.ndim != 1 or column.dtype.kind not in kinds:
        raise ValueError(f"not a column: {column.dtype} of shape {column.shape}")
    return kinds[column.dtype.kind]


def compare_texts(symbol: str, left: TextColumn, right: TextColumn) -> Truths:
    """Compare two text columns row by row, by code points; a missing value differs from every value.

    >>> import numpy as np
    >>> compare_texts("<", TextColumn(np.array([0, 1]), ["a", "c"]), TextColumn.constant("b", 2)).tolist()
    [True, False]
    """
    compare, differs = COMPARE[symbol], symbol == "!="
    if (text := right.only_name()) is not None:
        return left.truths(lambda name: bool(compare(name, text)), missing=differs)
    if left.only_name() is not None:
        return compare_texts(_MIRRORED_OPERATORS[symbol], right, left)
    left_ranks, right_ranks = _rank_texts(left, right, in_order=symbol not in {"==", "!="})
    result: Truths = compare(left_ranks, right_ranks)
    missing = left.missing_rows() | right.missing_rows()
    return result | missing if differs else result & ~missing


def _rank_texts(left: TextColumn, right: TextColumn, *, in_order: bool) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return a rank for each row of both columns: equal for equal texts and, with `in_order`, ordered like them."""
    names = dict.fromkeys([*left.names, *right.names])
    rank = {name: number for number, name in enumerate(sorted(names) if in_order else names)}
    left_table, right_table = (
        np.fromiter((rank[name] for name in column.names), np.int32, len(column.names)) for column in (left, right)
    )
    return left_table[left.codes], right_table[right.codes]


_ARITHMETIC_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "%": np.mod,
}


def select(text: str, scope: Scope) -> Truths:
    """Return a mask of the rows of the scope for which a condition holds.

    >>> import numpy as np
    >>> scope = scope_of({"size": np.array([1, 5, 9]), "seen": np.array([True, True, False])})
    >>> select("size > 3 and seen", scope).tolist()
    [False, True, False]
    """
    checked = check(parse(text), scope.types, scope.functions)
    require_truth(checked)
    rows = evaluate(checked, scope)
    assert not isinstance(rows, TextColumn)
    return rows.astype(np.bool_, copy=False)


def evaluate(checked: Checked, scope: Scope) -> Truths | NDArray[np.float64] | TextColumn:
    """Return the value of an expression for each row; a returned array belongs to the caller.

    Each column is requested once. Numbers are returned as float64.

    >>> import numpy as np
    >>> scope = scope_of({"size": np.array([1, 5, 9])})
    >>> evaluate(check(parse("size / 2"), scope.types), scope).tolist()
    [0.5, 2.5, 4.5]
    """
    with np.errstate(all="ignore"):
        value = _Evaluator(checked.types, scope).value(checked.expression.root)
    if checked.type == "truth":
        return np.array(value, dtype=np.bool_)
    if checked.type == "number":
        return np.array(value, dtype=np.float64)
    text: TextColumn = value
    return text


def scope_of(columns: Mapping[str, Column], functions: Mapping[str, Function] = BUILTINS) -> Scope:
    """Make a scope from columns in memory.

    >>> import numpy as np
    >>> scope_of({"size": np.array([1, 5, 9])}).types
    {'size': 'number'}
    """
    types = {name: type_of_column(column) for name, column in columns.items()}
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        raise ValueError(f"the columns have different lengths: {sorted(lengths)}")
    return Scope(types=types, column=columns.__getitem__, length=max(lengths, default=0), functions=functions)


class _Evaluator:
    """Evaluate the nodes of one expression to columns; constants are columns too."""

    def __init__(self, types: Mapping[str, Type], scope: Scope) -> None:
        self.types = types
        self.scope = scope
        self.columns: dict[str, Any] = {}

    def value(self, node: Node) -> Any:  # noqa: PLR0911 - one return for each kind of node
        match node:
            case Text(text):
                return TextColumn.constant(text, self.scope.length)
            case Number(constant) | Truth(constant):
                return np.broadcast_to(np.asarray(constant), self.scope.length)
            case Name(name):
                return self.column(name)
            case Call():
                return self.call(node)
            case Negative(Number(number)):
                return np.broadcast_to(np.asarray(-number), self.scope.length)
            case Negative(operand):
                return -_as_floats(self.value(operand))
            case Arithmetic():
                return self.arithmetic(node)
            case Comparison():
                return self.comparison(node)
            case Not(operand):
                return ~self.value(operand)
            case And(operands):
                return self.junction(operands, np.logical_and)
            case Or(operands):
                return self.junction(operands, np.logical_or)
            case _:
                raise TypeError(f"not a complete expression: {node!r}")

    def column(self, name: str) -> Any:
        if name not in self.columns:
            self.columns[name] = self.check_column(self.scope.column(name), self.types[name], f"column {name!r}")
        return self.columns[name]

    def check_column(self, column: Column, wanted: Type, what: str) -> Any:
        """Return the column after checking its type and length: the only check of columns that callers supply."""
        found = type_of_column(column)
        if found != wanted or len(column) != self.scope.length:
            problem = f"{len(column)} rows of {found} instead of {self.scope.length} rows of {wanted}"
            raise ValueError(f"{what} has {problem}")
        if isinstance(column, TextColumn) or column.dtype.kind != "f":
            return column
        return _as_floats(column)

    def call(self, node: Call) -> Any:
        function = self.scope.functions[node.function]
        arguments = (
            argument.value if parameter.literal and isinstance(argument, Text) else self.value(argument)
            for argument, parameter in zip(node.arguments, map(function.parameter, count()), strict=False)
        )
        return self.check_column(function.call(*arguments), function.result, f"the result of {node.function}()")

    def arithmetic(self, node: Arithmetic) -> Any:
        total = _as_floats(self.value(node.first))
        for step in node.steps:
            operand = _as_floats(self.value(step.operand))
            if step.operator in {"/", "%"}:
                operand = np.where(operand == 0, np.nan, operand)  # division by zero gives a missing value
            total = _ARITHMETIC_FUNCTIONS[step.operator](total, operand)
        return total

    def junction(self, operands: tuple[Node, ...], join: Callable[..., Any]) -> Any:
        result = np.array(self.value(operands[0]))
        for operand in operands[1:]:
            join(result, self.value(operand), out=result)
        return result

    def comparison(self, node: Comparison) -> Any:
        left, result = self.value(node.first), None
        for step in node.steps:
            if isinstance(step.operand, List):
                holds = self.contains_left(left, step.operand.items)
                holds = ~holds if step.operator == "not in" else holds
            else:
                right = self.value(step.operand)
                holds = _compare_columns(step.operator, left, right)
                left = right
            result = holds if result is None else result & holds
        return result

    def contains_left(self, left: Any, items: tuple[Node, ...]) -> Any:
        """Return a mask of the rows where `left` equals one of the items; string literals are looked up together."""
        texts = frozenset(item.value for item in items if isinstance(item, Text))
        result = left.truths(texts.__contains__) if texts else np.zeros(self.scope.length, dtype=np.bool_)
        for item in items:
            if not isinstance(item, Text):
                result |= _compare_columns("==", left, self.value(item))
        return result


def _compare_columns(symbol: str, left: Any, right: Any) -> Any:
    return compare_texts(symbol, left, right) if isinstance(left, TextColumn) else COMPARE[symbol](left, right)


def _as_floats(column: Any) -> Any:
    return column.astype(np.float64, copy=False)
