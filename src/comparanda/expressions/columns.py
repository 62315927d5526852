"""Columns of texts, with all work done once for each distinct value."""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from comparanda.expressions.signatures import Type

T = TypeVar("T")

Truths = NDArray[np.bool_]
Numbers = NDArray[np.floating[Any]] | NDArray[np.integer[Any]]

_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True, eq=False)
class TextColumn:
    """Row i has the text `names[codes[i]]`; rows with the code `missing` have none.

    The names need not be distinct, nor all in use.

    >>> import numpy as np
    >>> TextColumn(np.array([1, 0, 2]), ["LOC", "PER", ""], missing=2).values()
    ['PER', 'LOC', None]
    """

    codes: NDArray[np.integer[Any]]
    names: Sequence[str]
    missing: int | None = None

    def __post_init__(self) -> None:
        if self.codes.ndim != 1 or self.codes.dtype.kind not in "iu":
            raise ValueError(f"codes must be a row of integers, not {self.codes.dtype} of shape {self.codes.shape}")
        if self.codes.size and not 0 <= self.codes.min() <= self.codes.max() < len(self.names):
            raise ValueError(f"codes must be between 0 and {len(self.names) - 1}, the last of the names")
        if self.missing is not None and not 0 <= self.missing < len(self.names):
            raise ValueError(f"the code for missing texts, {self.missing}, is not between 0 and {len(self.names) - 1}")

    @classmethod
    def constant(cls, text: str, length: int) -> TextColumn:
        """Return a column with one text in all rows, which takes no room."""
        return cls(np.broadcast_to(np.int64(0), length), (text,))

    def __len__(self) -> int:
        return len(self.codes)

    def values(self) -> list[str | None]:
        """Return the texts themselves, None where one is missing: for people, not for hot loops."""
        return [None if code == self.missing else self.names[code] for code in self.codes.tolist()]

    def missing_rows(self) -> Truths:
        """Return which rows have no text."""
        if self.missing is None:
            return np.zeros(len(self), dtype=np.bool_)
        rows: Truths = self.codes == self.missing
        return rows

    def mapped(self, function: Callable[[str], str]) -> TextColumn:
        """Return the column with each text changed; missing stays missing."""
        return replace(self, names=[*self._for_each(function, missing="")])

    def numbers(self, function: Callable[[str], float]) -> NDArray[np.float64]:
        """Return a number for each text; NaN where it is missing."""
        table = self._for_each(function, missing=np.nan)
        numbers: NDArray[np.float64] = np.fromiter(table, np.float64, len(self.names))[self.codes]
        return numbers

    def truths(self, predicate: Callable[[str], bool], *, missing: bool = False) -> Truths:
        """Return what the predicate says of each text."""
        table = self._for_each(predicate, missing=missing)
        truths: Truths = np.fromiter(table, np.bool_, len(self.names))[self.codes]
        return truths

    def paired(self, other: TextColumn, predicate: Callable[[str, str], bool]) -> Truths:
        """Return what the predicate says of the two texts of each row; false where one is missing."""
        if (constant := other.only_name()) is not None:
            return self.truths(lambda name: predicate(name, constant))
        pairs = self.codes.astype(np.int64) * len(other.names) + other.codes
        distinct, inverse = np.unique(pairs, return_inverse=True)
        left, right = np.divmod(distinct, max(1, len(other.names)))
        each = (predicate(self.names[a], other.names[b]) for a, b in zip(left.tolist(), right.tolist(), strict=True))
        table: Truths = np.fromiter(each, np.bool_, len(distinct))
        return table[inverse] & ~self.missing_rows() & ~other.missing_rows()

    def only_name(self) -> str | None:
        """Return the text that all rows have, if the names say so."""
        return self.names[0] if len(self.names) == 1 and self.missing is None else None

    def _for_each(self, function: Callable[[str], T], *, missing: T) -> Iterable[T]:
        return (missing if code == self.missing else function(name) for code, name in enumerate(self.names))


Column = Truths | Numbers | TextColumn


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
