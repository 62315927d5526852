"""Interning of byte slices to codes, a block of rows at a time, exactly.

A slice is hashed to 64 bits (its own bytes when it has at most eight) and looked up in a short row of
tables: what finds its place in the first taken goes to the next, so frequent values, which come first,
are found at once. Every row is compared with the first slice of its code, by length and beyond eight
bytes byte by byte: a collision, which a hostile file could aim at, only costs time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import code_type, window

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from comparanda.columns import Codes, Rows

_KEEP = np.array([(1 << (8 * size)) - 1 for size in range(9)], np.uint64)
_FOLD = np.uint64(0xC2B2AE3D27D4EB4F)
_SPREAD = 0x9E3779B97F4A7C15
_ROWS = 1 << 16
_FIRST_BITS = 10
_MOST_TABLES = 24
_LONGEST = 1 << 14  # bytes; longer slices are not cut into words, of which each would cost a step


class _Table:
    """A table of hashes and their codes, each at the one place where it can stand; 0 marks a free place."""

    def __init__(self, bits: int, level: int) -> None:
        self.hashes = np.zeros(1 << bits, np.uint64)
        self.codes = np.zeros(1 << bits, np.int32)
        self._multiplier = np.uint64((_SPREAD * (2 * level + 1)) & (2**64 - 1))
        self._shift = np.uint64(64 - bits)

    def places(self, hashes: NDArray[np.uint64]) -> Rows:
        """Return the place of each hash."""
        return ((hashes * self._multiplier) >> self._shift).view(np.int64)

    def insert(self, hashes: NDArray[np.uint64], codes: Codes) -> NDArray[np.bool_]:
        """Put each hash on its place if that is free, the first of several first; return which were put."""
        places = self.places(hashes)
        free = np.flatnonzero(self.hashes[places] == 0)[::-1]
        self.hashes[places[free]] = hashes[free]
        self.codes[places[free]] = codes[free]
        put: NDArray[np.bool_] = self.hashes[places] == hashes
        return put


@dataclass(frozen=True, eq=False, slots=True)
class _Cut:
    """Slices cut into words of eight bytes.

    Args:
        length: how many bytes each slice has.
        head: the first word of each, zeros behind a shorter slice.
        long: the rows of slices of more than eight bytes, those with the most words first.
        flat: all words of the long ones, one array behind the other, as `words` yields them.
        counts: how many words each of these arrays has.

    """

    length: Codes
    head: NDArray[np.uint64]
    long: Rows
    flat: NDArray[np.uint64]
    counts: Rows

    @classmethod
    def of(cls, view: NDArray[np.uint64], start: Codes, length: Codes) -> _Cut:
        """Cut slices of a buffer, given its window."""
        head = view[start] & _KEEP.take(length, mode="clip")
        long = np.flatnonzero(length > 8)
        if not long.size:
            return cls(length, head, long, np.zeros(0, np.uint64), long)
        sizes = _words_in(length[long])
        most = int(sizes.max())
        longest_first = np.argsort((most - sizes).astype(code_type(most)), kind="stable")  # NumPy sorts few bits fast
        long, sizes = long[longest_first], sizes[longest_first]
        counts = len(sizes) - np.searchsorted(sizes[::-1], np.arange(most), side="right")
        cut = cls(length, head, long, np.empty(int(sizes.sum()), np.uint64), counts)
        here = start[long].astype(np.int64)
        for number, words in enumerate(cut.words(), start=-1):
            words[:] = view[8 * number :][here[: len(words)]] if number >= 0 else view[here + (length[long] - 8)]
        return cut

    def words(self) -> Iterator[NDArray[np.uint64]]:
        """Yield the last words of the long slices, their first words, the second words of those with three, and so on.

        The last word of a slice may overlap the one before.
        """
        end = 0
        for count in self.counts:
            begin, end = end, end + int(count)
            yield self.flat[begin:end]


class Interner:
    """A growing table of distinct texts over one buffer; codes are given in order of first appearance."""

    def __init__(self, buffer: NDArray[np.uint8]) -> None:
        self.buffer = buffer
        self.names: list[str] = []
        self._window = window(buffer)
        self._hashes = np.zeros(0, np.uint64)
        self._length = np.zeros(0, np.int64)
        self._words = np.zeros(0, np.uint64)
        self._first_word = np.zeros(0, np.int64)
        self._by_text: dict[bytes, int] | None = None
        self._bits = _FIRST_BITS
        self._tables = [_Table(self._bits, 0)]

    def encode(self, start: Codes, length: Codes) -> Codes:
        """Return the code of each slice; texts not seen before get the next codes."""
        if len(start) <= _ROWS:
            return self._encode(start, length)
        cuts = range(0, len(start), _ROWS)
        return np.concatenate([self._encode(start[cut : cut + _ROWS], length[cut : cut + _ROWS]) for cut in cuts])

    def _encode(self, start: Codes, length: Codes) -> Codes:
        if self._by_text is None and length.max(initial=0) > _LONGEST:
            self._turn_to_text()
        if self._by_text is not None:
            return self._encode_by_text(start, length, self._by_text)
        cut = _Cut.of(self._window, start, length)
        hashes = self._hash(cut)
        codes, unknown = self._look_up(hashes)
        if unknown.size:
            self._learn(hashes[unknown], start[unknown], length[unknown])
            codes[unknown], unknown = self._look_up(hashes[unknown])
        if unknown.size or not self._confirmed(codes, cut):
            return self._encode_by_text(start, length, self._turn_to_text())
        return codes

    def _turn_to_text(self) -> dict[bytes, int]:
        """Go on with a dictionary."""
        self._by_text = {name.encode(): code for code, name in enumerate(self.names)}
        return self._by_text

    @staticmethod
    def _hash(cut: _Cut) -> NDArray[np.uint64]:
        """Eight bytes as they are; longer slices folded, length included. Zero marks a free place."""
        hashes = cut.head + np.uint64(1)
        if cut.long.size:
            folded = cut.length[cut.long].astype(np.uint64)
            for words in cut.words():
                part = folded[: len(words)]
                part ^= words
                part *= _FOLD
                part ^= part >> np.uint64(29)
            hashes[cut.long] = folded
        if hashes.size and not hashes.min():  # one long slice in 2**64 folds to the mark of a free place
            hashes[hashes == 0] = 1
        return hashes

    def _look_up(self, hashes: NDArray[np.uint64]) -> tuple[Codes, Rows]:
        """Return the code of each hash, and the rows whose hash is in no table."""
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

    def _learn(self, hashes: NDArray[np.uint64], start: Codes, length: Codes) -> None:
        """Give codes to hashes that are in no table."""
        first = np.sort(np.unique(hashes, return_index=True)[1])
        hashes = hashes[first]
        begin, size = start[first].astype(np.int64), length[first].astype(np.int64)
        codes = np.arange(len(self.names), len(self.names) + len(first))
        data = self.buffer.data
        self.names += [str(data[a:b], "utf-8") for a, b in zip(begin.tolist(), (begin + size).tolist(), strict=True)]
        self._hashes = np.concatenate([self._hashes, hashes])
        self._length = np.concatenate([self._length, size])
        self._keep_words(begin, size)
        if len(self._hashes) << 2 > 1 << self._bits:
            self._bits = (len(self._hashes) << 3).bit_length()
            self._tables = [_Table(self._bits, 0)]
            self._insert(self._hashes, np.arange(len(self._hashes)))
        else:
            self._insert(hashes, codes)

    def _keep_words(self, start: Rows, length: Rows) -> None:
        """Put the words of new long slices aside, to compare others with them."""
        sizes = np.where(length > 8, _words_in(length), 0)
        first_word = len(self._words) + np.cumsum(sizes) - sizes
        self._first_word = np.concatenate([self._first_word, first_word])
        self._words = np.concatenate([self._words, np.empty(int(sizes.sum()), np.uint64)])
        cut = _Cut.of(self._window, start, length)
        for number, words in enumerate(cut.words()):
            self._words[first_word[cut.long[: len(words)]] + number] = words

    def _insert(self, hashes: NDArray[np.uint64], codes: Codes) -> None:
        level = 0
        while hashes.size and level < _MOST_TABLES:
            if level == len(self._tables):
                self._tables.append(_Table(max(8, self._bits - 2), level))
            put = self._tables[level].insert(hashes, codes)
            hashes, codes = hashes[~put], codes[~put]
            level += 1

    def _confirmed(self, codes: Codes, cut: _Cut) -> bool:
        """Whether every slice has the length of its code's first one, and if it is long, its words."""
        if (self._length.take(codes) != cut.length).any():
            return False
        place = self._first_word.take(codes[cut.long])
        for words in cut.words():
            if (self._words.take(place[: len(words)]) != words).any():
                return False
            place += 1
        return True

    def _encode_by_text(self, start: Codes, length: Codes, by_text: dict[bytes, int]) -> Codes:
        """Encode by a dictionary: slow, exact, and only needed when two hashes collide or a slice is very long."""
        codes = np.empty(len(start), np.int64)
        data = self.buffer.data
        for row, (begin, size) in enumerate(zip(start.tolist(), length.tolist(), strict=True)):
            text = bytes(data[begin : begin + size])
            code = by_text.setdefault(text, len(by_text))
            if code == len(self.names):
                self.names.append(text.decode())
            codes[row] = code
        return codes


def _words_in(length: Codes) -> Rows:
    """Return how many words of eight bytes slices have."""
    return (length.astype(np.int64) + 7) >> 3
