"""The running text of a corpus as its tokens cut it. White space does not count."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import Slices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Rows, Truths
    from comparanda.corpus import Corpus

_GATHERED = 1 << 15
_SPACES = [character for character in map(chr, range(0x3001)) if unicodedata.category(character) == "Zs"]


@dataclass(frozen=True, eq=False)
class Surface:
    """The tokens of a text, in order.

    Args:
        forms: what stands in the text, white space included.
        row: the first word of each token.
        end: the row behind its last word.
        covering: whether it stands for words that are listed apart.

    """

    forms: Slices
    row: Rows
    end: Rows
    covering: Truths

    @classmethod
    def of(cls, corpus: Corpus) -> Surface:
        """Return the tokens of a whole corpus."""
        words = corpus.words
        if words is None:
            raise AssertionError("a corpus without words has no text")
        ranges, row = corpus.ranges, token_rows(corpus)
        if ranges is None:
            return cls(words, row, row + 1, np.zeros(len(words), np.bool_))
        end = np.append(row[1:], len(words))
        covering = np.zeros(len(row), np.bool_)
        place = np.searchsorted(row, ranges.begin)
        covering[place] = True
        forms = words.take(row)
        forms.start[place], forms.length[place] = ranges.start, ranges.length
        return cls(forms, row, end, covering)

    def __len__(self) -> int:
        return len(self.row)

    def take(self, tokens: Rows) -> Surface:
        """Return some of the tokens, in another order if need be."""
        return Surface(self.forms.take(tokens), self.row[tokens], self.end[tokens], self.covering[tokens])

    @cached_property
    def text(self) -> Text:
        """The characters of all tokens, without white space."""
        gathered, ends = _gather(self.forms), np.cumsum(self.forms.length, dtype=np.int64)
        blank = _blank_bytes(gathered)
        if blank is None:
            return Text(gathered, ends)
        before = np.concatenate([[0], np.cumsum(blank)])
        return Text(gathered[~blank], ends - before[ends])

    @cached_property
    def composed(self) -> Text:
        """The same with each form in Unicode's normal form NFC."""
        forms = self.forms.intern()
        table = [without_spaces(unicodedata.normalize("NFC", name)).encode() for name in forms.names]
        codes = forms.codes
        ends = np.cumsum(np.array([len(each) for each in table], np.int64)[codes])
        return Text(np.frombuffer(b"".join([table[code] for code in codes.tolist()]), np.uint8), ends)


def token_rows(corpus: Corpus) -> Rows:
    """Return the first row of each token of the text: every word is one but those that a range covers."""
    if corpus.ranges is None:
        return np.arange(len(corpus))
    steps = np.zeros(len(corpus) + 1, np.int64)
    steps[corpus.ranges.begin] += 1
    steps[corpus.ranges.end] -= 1  # a range may end where the next begins
    first = np.cumsum(steps[:-1]) == 0
    first[corpus.ranges.begin] = True
    return np.flatnonzero(first)


@dataclass(frozen=True, eq=False)
class Text:
    """The bytes of a text without white space, and where each token ends in it."""

    data: NDArray[np.uint8]
    ends: Rows

    @cached_property
    def begins(self) -> Rows:
        """Where each token begins."""
        return np.concatenate([np.zeros(1, np.int64), self.ends])[: len(self.ends)]

    def token_at(self, place: int) -> int:
        """Return the token that holds a byte, or the last one."""
        return min(int(np.searchsorted(self.ends, place, side="right")), len(self.ends) - 1)


def without_spaces(form: str) -> str:
    r"""Return a form without white space (Unicode category Zs) inside.

    >>> without_spaces("10\xa0000")
    '10000'
    """
    if form.isascii():
        return form.replace(" ", "")
    return "".join(character for character in form if unicodedata.category(character) != "Zs")


def _gather(forms: Slices) -> NDArray[np.uint8]:
    """Lay the bytes of all forms end to end, some thousand at a time so that they stay in the processor's cache."""
    parts = []
    for cut in range(0, len(forms), _GATHERED):
        start = forms.start[cut : cut + _GATHERED].astype(np.int64)
        length = forms.length[cut : cut + _GATHERED].astype(np.int64)
        ends = np.cumsum(length)
        parts.append(forms.buffer[np.repeat(start - ends + length, length) + np.arange(ends[-1])])
    return np.concatenate(parts) if parts else np.zeros(0, np.uint8)


def _blank_bytes(data: NDArray[np.uint8]) -> Truths | None:
    """Return which bytes belong to white space, or None where none do."""
    found: Truths | None = None
    present = {0x20} if (data == 0x20).any() else set()
    present.update(np.unique(data[data >= 0x80]).tolist())
    for space in map(str.encode, _SPACES):
        if not present.issuperset(space):
            continue
        begins = np.ones(max(len(data) - len(space) + 1, 0), np.bool_)
        for place, byte in enumerate(space):
            begins &= data[place : place + len(begins)] == byte
        if begins.any():
            found = np.zeros(len(data), np.bool_) if found is None else found
            for place in range(len(space)):
                found[place : place + len(begins)] |= begins
    return found


def words_of(surface: Surface, tokens: Rows | None = None) -> Rows:
    """Return the rows of all words of some tokens, or of all."""
    tokens = np.arange(len(surface)) if tokens is None else tokens
    begin, size = surface.row[tokens], surface.end[tokens] - surface.row[tokens]
    return np.repeat(begin - np.cumsum(size) + size, size) + np.arange(int(size.sum()))
