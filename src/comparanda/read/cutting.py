"""Plain texts cut into words and sentences, so that spans given by characters stand among rows.

The rule is simple, the same for every language, and written down here:

- A word is a run of word characters: letters, marks, numbers (Unicode categories L, M, N) and the underscore.
- Any other character that is no white space is a word by itself.
- A sentence is a line of the text that holds words.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import PADDING, Slices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Rows

_SPACE, _WORD, _OTHER = 0, 1, 2
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, eq=False, slots=True)
class Cut:
    """The words of some texts.

    Args:
        begin: the code point of its text at which each word begins.
        end: the code point behind it.
        rows: the first word of each text, and behind them the number of words.
        sentences: the first word of each sentence, and the number of words.
        start: the byte at which each word begins, counted over all texts laid end to end in UTF-8.
        length: how many bytes it has.

    """

    begin: Rows
    end: Rows
    rows: Rows
    sentences: Rows
    start: Rows
    length: Rows

    def words(self, texts: Sequence[str]) -> Slices:
        """Return the words as slices of the texts that were cut."""
        data = "".join(texts).encode() + bytes(PADDING)
        return Slices(np.frombuffer(data, np.uint8), self.start, self.length)


def cut(texts: Sequence[str]) -> Cut:
    r"""Cut texts into words.

    >>> texts = ["Dr. Wu\n", "", "\u20ac5"]
    >>> found = cut(texts)
    >>> [found.words(texts)[row] for row in range(len(found.begin))]
    ['Dr', '.', 'Wu', '€', '5']
    >>> found.begin.tolist(), found.rows.tolist()
    ([0, 2, 4, 0, 1], [0, 3, 3, 5])
    """
    joined = "".join(texts)
    points = code_points(joined)
    bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(text) for text in texts], dtype=np.int64)])
    kinds = _kinds(joined, points)
    word = kinds == _WORD
    goes_on = np.zeros(len(points) + 1, np.bool_)
    goes_on[1:-1] = word[:-1] & word[1:]
    goes_on[bounds] = False
    solid = kinds != _SPACE
    begin, end = np.flatnonzero(solid & ~goes_on[:-1]), np.flatnonzero(solid & ~goes_on[1:]) + 1
    rows = np.searchsorted(begin, bounds)
    first = np.repeat(bounds[:-1], np.diff(rows))
    start = _utf8_places(points, begin)
    length = _utf8_places(points, end) - start
    return Cut(begin - first, end - first, rows, _sentences(points, begin, rows), start, length)


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le"), "<u4")


def utf8_sizes(points: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return how many bytes each code point has in UTF-8."""
    sizes = np.ones(len(points), np.uint8)
    for first in (0x80, 0x800, 0x10000):
        sizes += points >= first
    return sizes


def _utf8_places(points: NDArray[np.uint32], wanted: Rows) -> Rows:
    """Return the byte at which code points stand in UTF-8; only those of several bytes are counted."""
    wide = np.flatnonzero(points >= 0x80)
    if not wide.size:
        return wanted
    further = np.concatenate([np.zeros(1, np.int64), np.cumsum(utf8_sizes(points[wide]) - 1, dtype=np.int64)])
    places: Rows = wanted + further[np.searchsorted(wide, wanted)]
    return places


def _kinds(text: str, points: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Say of each code point whether it is white space, a word character or another one."""
    table = np.zeros(int(points.max(initial=0)) + 1, np.uint8)
    for character in set(text):
        table[ord(character)] = _kind(character)
    return table[points]


def _kind(character: str) -> int:
    if character.isspace() or character == _BYTE_ORDER_MARK:
        return _SPACE
    return _WORD if unicodedata.category(character)[0] in "LMN" or character == "_" else _OTHER


def _sentences(points: NDArray[np.uint32], begin: Rows, rows: Rows) -> Rows:
    """Return the first word of each line that holds words, and the number of words."""
    line = np.searchsorted(np.flatnonzero(points == ord("\n")), begin)
    begins = np.ones(len(begin) + 1, np.bool_)
    begins[1:-1] = np.diff(line) > 0
    begins[rows] = True
    return np.flatnonzero(begins)
