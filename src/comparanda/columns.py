"""Columns of text: interned to small integers, or left as slices of the bytes they came from.

No string is made for a row that nobody looks at: a `TextColumn` keeps one string per *distinct*
value, a `Slices` column keeps only where each row's bytes stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Codes = NDArray[np.integer[Any]]
Rows = NDArray[np.int64]
Truths = NDArray[np.bool_]
Numbers = NDArray[np.floating[Any]] | NDArray[np.integer[Any]]

T = TypeVar("T")

PADDING = 16
"""Zero bytes behind every buffer, so that eight bytes can be gathered at any offset in it."""

_BLOCK = 1 << 15
_LONG = 1 << 10  # bytes of a text after which it is compared alone
_KEEP = np.array([(1 << (8 * n)) - 1 for n in range(8)] + [2**64 - 1], dtype=np.uint64)


def code_type(values: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest unsigned integer type that can number this many values."""
    if values <= 1 << 8:
        return np.uint8
    return np.uint16 if values <= 1 << 16 else np.uint32


def smallest(counts: NDArray[np.integer[Any]]) -> Codes:
    """Return natural numbers in the smallest type that holds them.

    >>> smallest(np.array([1, 0, 2])).dtype.name, smallest(np.array([256])).dtype.name
    ('uint8', 'uint16')
    """
    return counts.astype(code_type(int(counts.max(initial=0)) + 1))


@dataclass(frozen=True, eq=False, slots=True)
class TextColumn:
    """Texts by code: row `i` holds `names[codes[i]]`.

    Args:
        codes: one small integer a row.
        names: the distinct texts, in the order of their codes.
        missing: the code that means "no value here", if there is one.

    >>> column = TextColumn.of(["NN", "NE", "NN"])
    >>> column.names, column.codes.tolist(), column[2]
    (('NE', 'NN'), [1, 0, 1], 'NN')

    """

    codes: Codes
    names: tuple[str, ...]
    missing: int | None = None

    def __post_init__(self) -> None:
        if self.codes.ndim != 1 or self.codes.dtype.kind not in "iu":
            raise ValueError(f"codes must be a row of integers, not {self.codes.dtype} of shape {self.codes.shape}")
        if self.codes.size and not 0 <= self.codes.min() <= self.codes.max() < len(self.names):
            raise ValueError(f"codes must be between 0 and {len(self.names) - 1}, the last of the names")
        if self.missing is not None and not 0 <= self.missing < len(self.names):
            raise ValueError(f"the code for missing texts, {self.missing}, is not between 0 and {len(self.names) - 1}")

    @classmethod
    def of(cls, texts: Iterable[str | None]) -> TextColumn:
        """Intern plain texts; codes follow the sorted texts, and None is missing."""
        rows = list(texts)
        distinct = set(rows)
        present = tuple(sorted(text for text in distinct if text is not None))
        missing = len(present) if None in distinct else None
        names = present if missing is None else (*present, "")
        code_of: dict[str | None, int] = {text: code for code, text in enumerate(present)}
        if missing is not None:
            code_of[None] = missing
        codes = np.fromiter(map(code_of.__getitem__, rows), dtype=code_type(len(names)), count=len(rows))
        return cls(codes, names, missing)

    @classmethod
    def constant(cls, text: str, length: int) -> TextColumn:
        """Return a column with one text in all rows, which takes no room."""
        return cls(np.broadcast_to(np.int64(0), length), (text,))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str:
        return self.names[int(self.codes[row])]

    def take(self, rows: Rows) -> TextColumn:
        """Return the column of the given rows, in their order."""
        return TextColumn(self.codes[rows], self.names, self.missing)

    def sorted(self) -> TextColumn:
        """Return the same texts under codes that follow the sorted names.

        Codes then depend on the *set* of values alone, not on the order in which a reader met them.
        """
        order = sorted(range(len(self.names)), key=lambda code: (code == self.missing, self.names[code]))
        if order == list(range(len(order))):
            return self
        new_code = np.empty(len(order), dtype=code_type(len(order)))
        new_code[order] = np.arange(len(order))
        missing = None if self.missing is None else int(new_code[self.missing])
        return TextColumn(new_code[self.codes], tuple(self.names[code] for code in order), missing)

    def values(self) -> list[str | None]:
        """Return the texts themselves, None where one is missing: for people, not for hot loops."""
        return [None if code == self.missing else self.names[code] for code in self.codes.tolist()]

    def is_missing(self, row: int) -> bool:
        """Whether a row has no text."""
        return self.missing is not None and int(self.codes[row]) == self.missing

    def missing_rows(self) -> Truths:
        """Return which rows have no text."""
        if self.missing is None:
            return np.zeros(len(self), dtype=np.bool_)
        rows: Truths = self.codes == self.missing
        return rows

    def mapped(self, function: Callable[[str], str]) -> TextColumn:
        """Return the column with each text changed; missing stays missing."""
        return TextColumn(self.codes, tuple(self._for_each(function, missing="")), self.missing)

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


Column = TextColumn | Numbers | Truths


def taken(column: Column, rows: Rows) -> Column:
    """Return some rows of a column of any kind."""
    return column.take(rows) if isinstance(column, TextColumn) else column[rows]


def join_labels(labels: Iterable[str]) -> str:
    """Write a set of labels as one value; `split_labels` reads it back.

    >>> join_labels(["sports", "news"]), split_labels("news|sports")
    ('news|sports', ('news', 'sports'))
    """
    return "|".join(sorted({label.replace("\\", r"\\").replace("|", r"\|") for label in labels}))


def split_labels(value: str) -> tuple[str, ...]:
    """Read a set of labels written by `join_labels`."""
    if not value:
        return ()
    parts = re.findall(r"(?:[^|\\]|\\.)+", value)
    return tuple(re.sub(r"\\(.)", r"\1", part) for part in parts)


def window(buffer: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return a view that reads eight bytes, lowest first, at any offset of a padded buffer."""
    return np.ndarray((len(buffer) - 7,), "<u8", buffer=buffer.data, strides=(1,))


def head8(view: NDArray[np.uint64], start: Codes, length: Codes) -> NDArray[np.uint64]:
    """Return the first eight bytes of each slice as one integer, shorter ones padded by zeros."""
    return view[start] & _KEEP[np.minimum(length, 8)]


@dataclass(frozen=True, eq=False, slots=True)
class Slices:
    """Texts as places in one buffer of UTF-8 bytes: row `i` is `length[i]` bytes from `start[i]` on."""

    buffer: NDArray[np.uint8]
    start: Codes
    length: Codes

    @classmethod
    def of(cls, texts: Sequence[str]) -> Slices:
        """Lay plain texts into a buffer of their own."""
        encoded = [text.encode() for text in texts]
        length = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
        buffer = np.frombuffer(b"".join(encoded) + bytes(PADDING), dtype=np.uint8)
        return cls(buffer, np.cumsum(length) - length, length)

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, row: int) -> str:
        return self._bytes(row).tobytes().decode()

    def take(self, rows: Rows) -> Slices:
        """Return the slices of the given rows, in their order."""
        return Slices(self.buffer, self.start[rows], self.length[rows])

    def same(self, other: Slices) -> Truths:
        """Compare row by row with another column of equal length, by bytes."""
        same = np.empty(len(self), np.bool_)
        for begin in range(0, len(self), _BLOCK):  # blocks that stay in the processor's cache
            rows = slice(begin, begin + _BLOCK)
            mine = Slices(self.buffer, self.start[rows], self.length[rows])
            theirs = Slices(other.buffer, other.start[rows], other.length[rows])
            same[rows] = mine._same(theirs)
        return same

    def _same(self, other: Slices) -> Truths:
        """Compare eight bytes at a time, going on with the rows that are equal so far; long ones at last one by one."""
        same: Truths = np.equal(self.length, other.length)
        mine, theirs = window(self.buffer), window(other.buffer)
        same &= (mine[self.start] ^ theirs[other.start]) & _KEEP[np.minimum(self.length, 8)] == 0
        offset = 8
        rows = np.flatnonzero(same & (self.length > offset))
        while rows.size and offset < _LONG:
            length = self.length[rows].astype(np.int64) - offset
            left = head8(mine, self.start[rows].astype(np.int64) + offset, length)
            right = head8(theirs, other.start[rows].astype(np.int64) + offset, length)
            same[rows] = left == right
            offset += 8
            rows = rows[(left == right) & (length > 8)]
        for row in rows.tolist():
            same[row] = np.array_equal(self._bytes(row), other._bytes(row))
        return same

    def _bytes(self, row: int) -> NDArray[np.uint8]:
        begin = int(self.start[row])
        return self.buffer[begin : begin + int(self.length[row])]

    def intern(self) -> TextColumn:
        """Intern the texts: equal bytes, equal code; codes in order of first appearance."""
        from comparanda.interning import Interner

        interner = Interner(self.buffer)
        codes = interner.encode(self.start, self.length)
        return TextColumn(codes.astype(code_type(len(interner.names))), tuple(interner.names))
