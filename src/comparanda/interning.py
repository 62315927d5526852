"""Interning of byte slices to codes, a block of rows at a time, exactly.

A slice is hashed to 64 bits (its own bytes when it has at most eight). Few values go through a
collision-free table found by trying multipliers, many through a sorted table. Slices of more than
eight bytes are compared with the first slice of their code, byte by byte: a collision, which a
hostile file could aim at, only costs time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import Slices, code_type, head8, window

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Codes

_FOLD = np.uint64(0xC2B2AE3D27D4EB4F)
_TRIES = 200
_TABLE_LIMIT = 2048


class Interner:
    """A growing table of distinct texts over one buffer; codes are given in order of first appearance."""

    def __init__(self, buffer: NDArray[np.uint8]) -> None:
        self.buffer = buffer
        self.names: list[str] = []
        self._window = window(buffer)
        self._hashes = np.zeros(0, np.uint64)
        self._start = np.zeros(0, np.int64)
        self._length = np.zeros(0, np.int64)
        self._by_text: dict[bytes, int] | None = None
        self._index()

    def encode(self, start: Codes, length: Codes) -> Codes:
        """Return the code of each slice; texts not seen before get the next codes."""
        if self._by_text is not None:
            return self._encode_by_text(start, length, self._by_text)
        hashes = self._hash(start, length)
        codes = self._look_up(hashes)
        if codes is None:
            self._learn(hashes, start, length)
            codes = self._look_up(hashes)
            if codes is None:  # pragma: no cover - every hash was just learnt
                raise AssertionError("a hash was lost")
        long = np.flatnonzero(length > 8)
        if long.size and not self._confirmed(codes[long], start[long], length[long]):
            self._by_text = {name.encode(): code for code, name in enumerate(self.names)}
            return self._encode_by_text(start, length, self._by_text)
        return codes

    def _hash(self, start: Codes, length: Codes) -> NDArray[np.uint64]:
        """Eight bytes as they are; longer slices folded, length included. Zero marks a free place."""
        hashes = head8(self._window, start, length)
        rows = np.flatnonzero(length > 8)
        offset = 8
        if rows.size:
            hashes[rows] ^= length[rows].astype(np.uint64)
        while rows.size:
            left = length[rows].astype(np.int64) - offset
            tail = head8(self._window, start[rows].astype(np.int64) + offset, left)
            folded = (hashes[rows] ^ tail) * _FOLD
            hashes[rows] = folded ^ (folded >> np.uint64(29))
            rows = rows[left > 8]
            offset += 8
        return hashes + np.uint64(1)  # eight bytes of 0xFF, the one value that wraps to 0, are not UTF-8

    def _index(self) -> None:
        """Build the look-up: a collision-free table, or for many values a sorted one."""
        count = len(self._hashes)
        self._order = np.argsort(self._hashes, kind="stable")
        self._sorted = self._hashes[self._order]
        self._table: NDArray[np.uint64] | None = None
        if count > _TABLE_LIMIT:
            return
        bits = max(8, int(count * 16 - 1).bit_length()) if count else 8
        multipliers = np.random.default_rng(0).integers(1, 2**62, _TRIES).astype(np.uint64) * np.uint64(2)
        for attempt, multiplier in enumerate(multipliers + np.uint64(1)):
            shift = np.uint64(64 - bits)
            places = (self._hashes * multiplier) >> shift
            if len(set(places.tolist())) == count:
                self._table = np.zeros(1 << bits, np.uint64)
                self._codes = np.zeros(1 << bits, code_type(count))
                self._table[places] = self._hashes
                self._codes[places] = np.arange(count)
                self._multiplier, self._shift = multiplier, shift
                return
            if attempt % 20 == 19 and bits < 20:
                bits += 1

    def _look_up(self, hashes: NDArray[np.uint64]) -> Codes | None:
        """Return the codes, or None when some hash is new."""
        if self._table is not None:
            places = (hashes * self._multiplier) >> self._shift
            if (self._table[places] != hashes).any():
                return None
            found: Codes = self._codes[places]
            return found
        places = np.minimum(np.searchsorted(self._sorted, hashes), len(self._sorted) - 1)
        if (self._sorted[places] != hashes).any():
            return None
        return self._order[places]

    def _learn(self, hashes: NDArray[np.uint64], start: Codes, length: Codes) -> None:
        distinct, first = np.unique(hashes, return_index=True)
        first = np.sort(first[~np.isin(distinct, self._hashes)])
        new = Slices(self.buffer, start[first], length[first])
        self.names += [new[row] for row in range(len(new))]
        self._hashes = np.concatenate([self._hashes, hashes[first]])
        self._start = np.concatenate([self._start, start[first].astype(np.int64)])
        self._length = np.concatenate([self._length, length[first].astype(np.int64)])
        self._index()

    def _confirmed(self, codes: Codes, start: Codes, length: Codes) -> bool:
        first = Slices(self.buffer, self._start[codes], self._length[codes])
        return bool(Slices(self.buffer, start, length).same(first).all())

    def _encode_by_text(self, start: Codes, length: Codes, by_text: dict[bytes, int]) -> Codes:
        """Encode by a dictionary: slow, exact, and only ever needed when two hashes collide."""
        codes = np.empty(len(start), np.int64)
        data = self.buffer.data
        for row, (begin, size) in enumerate(zip(start.tolist(), length.tolist(), strict=True)):
            text = bytes(data[begin : begin + size])
            code = by_text.setdefault(text, len(by_text))
            if code == len(self.names):
                self.names.append(text.decode())
            codes[row] = code
        return codes
