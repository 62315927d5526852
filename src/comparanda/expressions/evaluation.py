"""Work out an expression on all rows at once."""

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


# What columns an expression can see, and how columns of texts compare.


_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
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
    """Compare two columns row by row, by code points; missing differs from everything.

    >>> import numpy as np
    >>> compare_texts("<", TextColumn(np.array([0, 1]), ["a", "c"]), TextColumn.constant("b", 2)).tolist()
    [True, False]
    """
    compare, differs = COMPARE[symbol], symbol == "!="
    if (text := right.only_name()) is not None:
        return left.truths(lambda name: bool(compare(name, text)), missing=differs)
    if left.only_name() is not None:
        return compare_texts(_MIRRORED[symbol], right, left)
    left_ranks, right_ranks = _ranks(left, right, in_order=symbol not in {"==", "!="})
    result: Truths = compare(left_ranks, right_ranks)
    missing = left.missing_rows() | right.missing_rows()
    return result | missing if differs else result & ~missing


def _ranks(left: TextColumn, right: TextColumn, *, in_order: bool) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return a number for each row of both, equal where the texts are, and ordered as they are if asked."""
    names = dict.fromkeys([*left.names, *right.names])
    rank = {name: number for number, name in enumerate(sorted(names) if in_order else names)}
    left_table, right_table = (
        np.fromiter((rank[name] for name in column.names), np.int32, len(column.names)) for column in (left, right)
    )
    return left_table[left.codes], right_table[right.codes]


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "%": np.mod,
}


def select(text: str, scope: Scope) -> Truths:
    """Return the rows of the scope for which a condition holds.

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
    """Return the value of an expression for each row; an array is the caller's own.

    Each column is asked for once. Numbers come out as float64.

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
    """Return a scope of columns that are at hand.

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
    """The values of the nodes of one expression: always columns, constants among them."""

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
                return -_floats(self.value(operand))
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
                raise TypeError(f"not a node that stands alone: {node!r}")

    def column(self, name: str) -> Any:
        if name not in self.columns:
            self.columns[name] = self.sound(self.scope.column(name), self.types[name], f"column {name!r}")
        return self.columns[name]

    def sound(self, column: Column, wanted: Type, what: str) -> Any:
        """Return the column if it is what it should be: the one check of what comes from outside."""
        found = type_of_column(column)
        if found != wanted or len(column) != self.scope.length:
            problem = f"{len(column)} rows of {found} instead of {self.scope.length} rows of {wanted}"
            raise ValueError(f"{what} has {problem}")
        if isinstance(column, TextColumn) or column.dtype.kind != "f":
            return column
        return _floats(column)

    def call(self, node: Call) -> Any:
        function = self.scope.functions[node.function]
        arguments = (
            argument.value if parameter.literal and isinstance(argument, Text) else self.value(argument)
            for argument, parameter in zip(node.arguments, map(function.parameter, count()), strict=False)
        )
        return self.sound(function.call(*arguments), function.result, f"the result of {node.function}()")

    def arithmetic(self, node: Arithmetic) -> Any:
        total = _floats(self.value(node.first))
        for step in node.steps:
            operand = _floats(self.value(step.operand))
            if step.operator in {"/", "%"}:
                operand = np.where(operand == 0, np.nan, operand)  # what is divided by zero is missing
            total = _ARITHMETIC[step.operator](total, operand)
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
                holds = self.contained(left, step.operand.items)
                holds = ~holds if step.operator == "not in" else holds
            else:
                right = self.value(step.operand)
                holds = _compare(step.operator, left, right)
                left = right
            result = holds if result is None else result & holds
        return result

    def contained(self, left: Any, items: tuple[Node, ...]) -> Any:
        """Return where the left side equals one of the items; string literals are looked up together."""
        texts = frozenset(item.value for item in items if isinstance(item, Text))
        result = left.truths(texts.__contains__) if texts else np.zeros(self.scope.length, dtype=np.bool_)
        for item in items:
            if not isinstance(item, Text):
                result |= _compare("==", left, self.value(item))
        return result


def _compare(symbol: str, left: Any, right: Any) -> Any:
    return compare_texts(symbol, left, right) if isinstance(left, TextColumn) else COMPARE[symbol](left, right)


def _floats(column: Any) -> Any:
    return column.astype(np.float64, copy=False)
