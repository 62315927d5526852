"""Columns of text: interned as small integers, or stored as slices of the bytes they were read from.

No string is created for a row that is not used: a `TextColumn` stores one string per *distinct*
value, a `Slices` column only the position of each row's bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


Codes = NDArray[np.integer[Any]]
Rows = NDArray[np.int64]
Truths = NDArray[np.bool_]
Numbers = NDArray[np.floating[Any]] | NDArray[np.integer[Any]]

T = TypeVar("T")

PADDING = 16
"""The number of zero bytes after every buffer, so that eight bytes can be read at any offset in it."""

_COMPARE_BLOCK = 1 << 15
_MAX_COMPARED_LENGTH = 1 << 10  # bytes; the rest of longer texts is compared one text at a time
_BYTE_MASKS = np.array([(1 << (8 * n)) - 1 for n in range(8)] + [2**64 - 1], dtype=np.uint64)


def code_type(values: int) -> type[np.unsignedinteger[Any]]:
    """Choose the smallest unsigned integer type for this many codes."""
    if values <= 1 << 8:
        return np.uint8
    return np.uint16 if values <= 1 << 16 else np.uint32


def shrink_integers(counts: NDArray[np.integer[Any]]) -> Codes:
    """Convert non-negative integers to the smallest type that holds them.

    >>> shrink_integers(np.array([1, 0, 2])).dtype.name, shrink_integers(np.array([256])).dtype.name
    ('uint8', 'uint16')
    """
    return counts.astype(code_type(int(counts.max(initial=0)) + 1))


@dataclass(frozen=True, eq=False, slots=True)
class TextColumn:
    """Interned strings: row `i` is `names[codes[i]]`.

    Args:
        codes: one small integer per row.
        names: the distinct strings, in the order of their codes.
        missing: the code that means "no value", if there is one.
        written: the column as it is in the input, if reading has normalised it.

    >>> column = TextColumn.of(["NN", "NE", "NN"])
    >>> column.names, column.codes.tolist(), column[2]
    (('NE', 'NN'), [1, 0, 1], 'NN')

    """

    codes: Codes
    names: tuple[str, ...]
    missing: int | None = None
    written: TextColumn | None = None

    def __post_init__(self) -> None:
        if self.codes.ndim != 1 or self.codes.dtype.kind not in "iu":
            raise ValueError(
                f"codes must be a one-dimensional array of integers, not {self.codes.dtype} of shape {self.codes.shape}"
            )
        if self.codes.size and not 0 <= self.codes.min() <= self.codes.max() < len(self.names):
            raise ValueError(f"codes must be between 0 and {len(self.names) - 1}, the last of the names")
        if self.missing is not None and not 0 <= self.missing < len(self.names):
            raise ValueError(f"the code for missing values, {self.missing}, is not between 0 and {len(self.names) - 1}")

    @property
    def as_written(self) -> TextColumn:
        """The column as it is in the input, before normalisation."""
        return self if self.written is None else self.written

    @classmethod
    def of(cls, texts: Iterable[str | None]) -> TextColumn:
        """Intern strings; codes follow the sorted strings, and None is missing."""
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
        """Make a column with the same string in all rows, without memory for the rows."""
        return cls(np.broadcast_to(np.int64(0), length), (text,))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str:
        return self.names[int(self.codes[row])]

    def take(self, rows: Rows) -> TextColumn:
        """Select rows of the column, in the given order."""
        return TextColumn(self.codes[rows], self.names, self.missing)

    def sorted(self) -> TextColumn:
        """Recode the column so that codes follow the sorted names.

        Codes then depend on the *set* of values alone, not on the order in which they were read.
        """
        order = sorted(range(len(self.names)), key=lambda code: (code == self.missing, self.names[code]))
        if order == list(range(len(order))):
            return self
        new_code = np.empty(len(order), dtype=code_type(len(order)))
        new_code[order] = np.arange(len(order))
        missing = None if self.missing is None else int(new_code[self.missing])
        return TextColumn(new_code[self.codes], tuple(self.names[code] for code in order), missing)

    def values(self) -> list[str | None]:
        """Return the strings themselves, None where one is missing: for output, not for hot loops."""
        return [None if code == self.missing else self.names[code] for code in self.codes.tolist()]

    def is_missing(self, row: int) -> bool:
        """Whether the value of a row is missing."""
        return self.missing is not None and int(self.codes[row]) == self.missing

    def missing_rows(self) -> Truths:
        """Whether the value of each row is missing."""
        if self.missing is None:
            return np.zeros(len(self), dtype=np.bool_)
        rows: Truths = self.codes == self.missing
        return rows

    def mapped(self, function: Callable[[str], str]) -> TextColumn:
        """Apply a function to each string; missing values remain missing."""
        return TextColumn(self.codes, tuple(self._map_names(function, missing="")), self.missing)

    def numbers(self, function: Callable[[str], float]) -> NDArray[np.float64]:
        """Convert each string to a number; NaN where it is missing."""
        table = self._map_names(function, missing=np.nan)
        numbers: NDArray[np.float64] = np.fromiter(table, np.float64, len(self.names))[self.codes]
        return numbers

    def truths(self, predicate: Callable[[str], bool], *, missing: bool = False) -> Truths:
        """Evaluate a predicate for each string."""
        table = self._map_names(predicate, missing=missing)
        truths: Truths = np.fromiter(table, np.bool_, len(self.names))[self.codes]
        return truths

    def paired(self, other: TextColumn, predicate: Callable[[str, str], bool]) -> Truths:
        """Evaluate a predicate for the two strings of each row; false where one is missing."""
        if (constant := other.only_name()) is not None:
            return self.truths(lambda name: predicate(name, constant))
        pairs = self.codes.astype(np.int64) * len(other.names) + other.codes
        distinct, inverse = np.unique(pairs, return_inverse=True)
        left, right = np.divmod(distinct, max(1, len(other.names)))
        each = (predicate(self.names[a], other.names[b]) for a, b in zip(left.tolist(), right.tolist(), strict=True))
        table: Truths = np.fromiter(each, np.bool_, len(distinct))
        return table[inverse] & ~self.missing_rows() & ~other.missing_rows()

    def only_name(self) -> str | None:
        """Return the string of all rows if there is only one name and none is missing."""
        return self.names[0] if len(self.names) == 1 and self.missing is None else None

    def _map_names(self, function: Callable[[str], T], *, missing: T) -> Iterable[T]:
        return (missing if code == self.missing else function(name) for code, name in enumerate(self.names))


Column = TextColumn | Numbers | Truths


def take_rows(column: Column, rows: Rows) -> Column:
    """Select rows of a column of any kind."""
    return column.take(rows) if isinstance(column, TextColumn) else column[rows]


def join_labels(labels: Iterable[str]) -> str:
    """Join a set of labels into one value; `split_labels` is the inverse.

    >>> join_labels(["sports", "news"]), split_labels("news|sports")
    ('news|sports', ('news', 'sports'))
    """
    return "|".join(sorted({label.replace("\\", r"\\").replace("|", r"\|") for label in labels}))


def split_labels(value: str) -> tuple[str, ...]:
    """Split a value written by `join_labels` into its labels."""
    if not value:
        return ()
    parts = re.findall(r"(?:[^|\\]|\\.)+", value)
    return tuple(re.sub(r"\\(.)", r"\1", part) for part in parts)


def read_window(buffer: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Make a view of a padded buffer that reads eight bytes, little-endian, at any offset."""
    return np.ndarray((len(buffer) - 7,), "<u8", buffer=buffer.data, strides=(1,))


def read_head8(view: NDArray[np.uint64], start: Codes, length: Codes) -> NDArray[np.uint64]:
    """Return the first eight bytes of each slice as one integer, shorter slices padded with zeros."""
    return view[start] & _BYTE_MASKS[np.minimum(length, 8)]


@dataclass(frozen=True, eq=False, slots=True)
class Slices:
    """Strings as slices of one buffer of UTF-8 bytes: row `i` is `length[i]` bytes from `start[i]` on."""

    buffer: NDArray[np.uint8]
    start: Codes
    length: Codes

    @classmethod
    def of(cls, texts: Sequence[str]) -> Slices:
        """Encode strings into a new buffer."""
        encoded = [text.encode() for text in texts]
        length = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
        buffer = np.frombuffer(b"".join(encoded) + bytes(PADDING), dtype=np.uint8)
        return cls(buffer, np.cumsum(length) - length, length)

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, row: int) -> str:
        return self._bytes(row).tobytes().decode()

    def take(self, rows: Rows) -> Slices:
        """Select slices by row, in the given order."""
        return Slices(self.buffer, self.start[rows], self.length[rows])

    def same(self, other: Slices) -> Truths:
        """Compare the bytes row by row with another column of equal length."""
        same = np.empty(len(self), np.bool_)
        for begin in range(0, len(self), _COMPARE_BLOCK):  # blocks that fit into the processor's cache
            rows = slice(begin, begin + _COMPARE_BLOCK)
            mine = Slices(self.buffer, self.start[rows], self.length[rows])
            theirs = Slices(other.buffer, other.start[rows], other.length[rows])
            same[rows] = mine._compare(theirs)
        return same

    def _compare(self, other: Slices) -> Truths:
        """Compare eight bytes at a time, for the rows that are equal so far; the rest of very long rows one by one."""
        same: Truths = np.equal(self.length, other.length)
        mine, theirs = read_window(self.buffer), read_window(other.buffer)
        same &= (mine[self.start] ^ theirs[other.start]) & _BYTE_MASKS[np.minimum(self.length, 8)] == 0
        offset = 8
        rows = np.flatnonzero(same & (self.length > offset))
        while rows.size and offset < _MAX_COMPARED_LENGTH:
            length = self.length[rows].astype(np.int64) - offset
            left = read_head8(mine, self.start[rows].astype(np.int64) + offset, length)
            right = read_head8(theirs, other.start[rows].astype(np.int64) + offset, length)
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
        """Intern the strings: equal bytes get equal codes, in order of first appearance."""
        pass

        interner = Interner(self.buffer)
        codes = interner.encode(self.start, self.length)
        return TextColumn(codes.astype(code_type(len(interner.names))), tuple(interner.names))


# Exact interning of byte slices to codes, one block of rows at a time.
#
# A slice is hashed to 64 bits (its own bytes if it has at most eight) and looked up in a short list of
# tables: a hash whose place in one table is taken goes to the next, so frequent values, which usually come
# first, are found in the first one. Every row is compared with the first slice of its code, by length and
# beyond eight bytes byte by byte: a collision, which a hostile file could provoke, only costs time.


_INTERNING_MASKS = np.array([(1 << (8 * size)) - 1 for size in range(9)], np.uint64)
_FOLD_MULTIPLIER = np.uint64(0xC2B2AE3D27D4EB4F)
_SPREAD_MULTIPLIER = 0x9E3779B97F4A7C15
_ROWS_PER_BLOCK = 1 << 16
_FIRST_BITS = 10
_MAX_TABLES = 24
_MAX_HASHED_LENGTH = 1 << 14  # bytes; longer slices are not split into words, because each word would take a step


class _Table:
    """A hash table without probing: each hash has only one possible place; 0 marks a free place."""

    def __init__(self, bits: int, level: int) -> None:
        self.hashes = np.zeros(1 << bits, np.uint64)
        self.codes = np.zeros(1 << bits, np.int32)
        self._multiplier = np.uint64((_SPREAD_MULTIPLIER * (2 * level + 1)) & (2**64 - 1))
        self._shift = np.uint64(64 - bits)

    def places(self, hashes: NDArray[np.uint64]) -> Rows:
        """Return the place of each hash."""
        return ((hashes * self._multiplier) >> self._shift).view(np.int64)

    def insert(self, hashes: NDArray[np.uint64], codes: Codes) -> NDArray[np.bool_]:
        """Insert each hash if its place is free, the first of several if shared; return which are in the table."""
        places = self.places(hashes)
        free = np.flatnonzero(self.hashes[places] == 0)[::-1]
        self.hashes[places[free]] = hashes[free]
        self.codes[places[free]] = codes[free]
        put: NDArray[np.bool_] = self.hashes[places] == hashes
        return put


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _SlicedWords:
    """Slices split into words of eight bytes.

    Args:
        length: the length of each slice in bytes.
        head: the first word of each, padded with zeros.
        long: the rows of slices of more than eight bytes, those with the most words first.
        flat: all words of the long slices, as the concatenated arrays that `words` yields.
        counts: the number of words in each of these arrays.

    """

    length: Codes
    head: NDArray[np.uint64]
    long: Rows
    flat: NDArray[np.uint64]
    counts: Rows

    @classmethod
    def of(cls, view: NDArray[np.uint64], start: Codes, length: Codes) -> _SlicedWords:
        """Split slices of a buffer, given its view of eight-byte words."""
        head = view[start] & _INTERNING_MASKS.take(length, mode="clip")
        long = np.flatnonzero(length > 8)
        if not long.size:
            return cls(length=length, head=head, long=long, flat=np.zeros(0, np.uint64), counts=long)
        sizes = _count_words(length[long])
        most = int(sizes.max())
        longest_first = np.argsort(
            (most - sizes).astype(code_type(most)), kind="stable"
        )  # NumPy sorts small integers fast
        long, sizes = long[longest_first], sizes[longest_first]
        counts = len(sizes) - np.searchsorted(sizes[::-1], np.arange(most), side="right")
        cut = cls(length=length, head=head, long=long, flat=np.empty(int(sizes.sum()), np.uint64), counts=counts)
        here = start[long].astype(np.int64)
        for number, words in enumerate(cut.words(), start=-1):
            words[:] = view[8 * number :][here[: len(words)]] if number >= 0 else view[here + (length[long] - 8)]
        return cut

    def words(self) -> Iterator[NDArray[np.uint64]]:
        """Yield the last words of the long slices, their first words, the second words of those with three, and so on.

        The last word of a slice may overlap the previous one.
        """
        end = 0
        for count in self.counts:
            begin, end = end, end + int(count)
            yield self.flat[begin:end]


class Interner:
    """A growing table of distinct slices of one buffer; codes are assigned in order of first appearance."""

    def __init__(self, buffer: NDArray[np.uint8]) -> None:
        self.buffer = buffer
        self.names: list[str] = []
        self._window = read_window(buffer)
        self._hashes = np.zeros(0, np.uint64)
        self._length = np.zeros(0, np.int64)
        self._words = np.zeros(0, np.uint64)
        self._first_word = np.zeros(0, np.int64)
        self._by_text: dict[bytes, int] | None = None
        self._bits = _FIRST_BITS
        self._tables = [_Table(self._bits, 0)]

    def encode(self, start: Codes, length: Codes) -> Codes:
        """Return the code of each slice; new values get the next codes."""
        if len(start) <= _ROWS_PER_BLOCK:
            return self._encode(start, length)
        cuts = range(0, len(start), _ROWS_PER_BLOCK)
        return np.concatenate(
            [self._encode(start[cut : cut + _ROWS_PER_BLOCK], length[cut : cut + _ROWS_PER_BLOCK]) for cut in cuts]
        )

    def _encode(self, start: Codes, length: Codes) -> Codes:
        if self._by_text is None and length.max(initial=0) > _MAX_HASHED_LENGTH:
            self._switch_to_dictionary()
        if self._by_text is not None:
            return self._encode_by_text(start, length, self._by_text)
        cut = _SlicedWords.of(self._window, start, length)
        hashes = self._hash(cut)
        codes, unknown = self._look_up(hashes)
        if unknown.size:
            self._add_texts(hashes[unknown], start[unknown], length[unknown])
            codes[unknown], unknown = self._look_up(hashes[unknown])
        if unknown.size or not self._is_confirmed(codes, cut):
            return self._encode_by_text(start, length, self._switch_to_dictionary())
        return codes

    def _switch_to_dictionary(self) -> dict[bytes, int]:
        """Switch from hash tables to a dictionary."""
        self._by_text = {name.encode(): code for code, name in enumerate(self.names)}
        return self._by_text

    @staticmethod
    def _hash(cut: _SlicedWords) -> NDArray[np.uint64]:
        """Hash slices: up to eight bytes as they are, longer ones folded with their length. Zero marks a free place."""
        hashes = cut.head + np.uint64(1)
        if cut.long.size:
            folded = cut.length[cut.long].astype(np.uint64)
            for words in cut.words():
                part = folded[: len(words)]
                part ^= words
                part *= _FOLD_MULTIPLIER
                part ^= part >> np.uint64(29)
            hashes[cut.long] = folded
        if hashes.size and not hashes.min():  # one long slice in 2**64 is hashed to the mark of a free place
            hashes[hashes == 0] = 1
        return hashes

    def _look_up(self, hashes: NDArray[np.uint64]) -> tuple[Codes, Rows]:
        """Return the code of each hash, and the rows whose hash is not in any table."""
        first = self._tables[0]
        places = first.places(hashes)
        codes = first.codes.take(places)
        rest = np.flatnonzero(first.hashes.take(places) != hashes)
        for table in self._tables[1:]:
            if not rest.size:
                break
            wanted = hashes[rest]
            places = table.places(wanted)
            hit = table.hashes[places] == wanted
            codes[rest[hit]] = table.codes[places[hit]]
            rest = rest[~hit]
        return codes, rest

    def _add_texts(self, hashes: NDArray[np.uint64], start: Codes, length: Codes) -> None:
        """Assign codes to hashes that are not in any table."""
        first = np.sort(np.unique(hashes, return_index=True)[1])
        hashes = hashes[first]
        begin, size = start[first].astype(np.int64), length[first].astype(np.int64)
        codes = np.arange(len(self.names), len(self.names) + len(first))
        data = self.buffer.data
        self.names += [str(data[a:b], "utf-8") for a, b in zip(begin.tolist(), (begin + size).tolist(), strict=True)]
        self._hashes = np.concatenate([self._hashes, hashes])
        self._length = np.concatenate([self._length, size])
        self._store_words(begin, size)
        if len(self._hashes) << 2 > 1 << self._bits:
            self._bits = (len(self._hashes) << 3).bit_length()
            self._tables = [_Table(self._bits, 0)]
            self._insert(self._hashes, np.arange(len(self._hashes)))
        else:
            self._insert(hashes, codes)

    def _store_words(self, start: Rows, length: Rows) -> None:
        """Store the words of new long slices, for comparison with later ones."""
        sizes = np.where(length > 8, _count_words(length), 0)
        first_word = len(self._words) + np.cumsum(sizes) - sizes
        self._first_word = np.concatenate([self._first_word, first_word])
        self._words = np.concatenate([self._words, np.empty(int(sizes.sum()), np.uint64)])
        cut = _SlicedWords.of(self._window, start, length)
        for number, words in enumerate(cut.words()):
            self._words[first_word[cut.long[: len(words)]] + number] = words

    def _insert(self, hashes: NDArray[np.uint64], codes: Codes) -> None:
        level = 0
        while hashes.size and level < _MAX_TABLES:
            if level == len(self._tables):
                self._tables.append(_Table(max(8, self._bits - 2), level))
            put = self._tables[level].insert(hashes, codes)
            hashes, codes = hashes[~put], codes[~put]
            level += 1

    def _is_confirmed(self, codes: Codes, cut: _SlicedWords) -> bool:
        """Whether every slice has the same length, and beyond eight bytes the same words, as its code's first one."""
        if (self._length.take(codes) != cut.length).any():
            return False
        place = self._first_word.take(codes[cut.long])
        for words in cut.words():
            if (self._words.take(place[: len(words)]) != words).any():
                return False
            place += 1
        return True

    def _encode_by_text(self, start: Codes, length: Codes, by_text: dict[bytes, int]) -> Codes:
        """Encode with a dictionary: slow, and only needed if two hashes collide or a slice is very long."""
        codes = np.empty(len(start), np.int64)
        data = self.buffer.data
        for row, (begin, size) in enumerate(zip(start.tolist(), length.tolist(), strict=True)):
            text = bytes(data[begin : begin + size])
            code = by_text.setdefault(text, len(by_text))
            if code == len(self.names):
                self.names.append(text.decode())
            codes[row] = code
        return codes


def _count_words(length: Codes) -> Rows:
    """Compute the number of eight-byte words in each slice."""
    return (length.astype(np.int64) + 7) >> 3
