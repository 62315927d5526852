"""What columns an expression can see, and how columns of texts compare."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comparanda.columns import Column, TextColumn, Truths

if TYPE_CHECKING:
    from collections.abc import Callable

    from comparanda.expressions.signatures import Type


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
