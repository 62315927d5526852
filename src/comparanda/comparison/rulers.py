"""Which words around a site spans cover, and how much of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from comparanda.excerpts import Texts

MOST_WORDS = 40
"""How many words around a site are shown at most."""

_BESIDE = 5  # words before and behind a site that is too long to be shown


@dataclass(frozen=True)
class Piece:
    """A piece of a span: its first and its last word, by their numbers among the words shown, from 1.

    0 is a word before all that are shown, and one more than their number a word behind them. Spans that count
    characters may begin and end inside words: `before` says how many characters of the first word stand before it,
    `after` how many of the last one behind it. Below 0 they count white space that belongs to it.
    """

    begin: int
    end: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Window:
    """Some rows of a document and their words, if it has any, and how many of their sentences are left out."""

    document: int
    first: int
    size: int
    words: tuple[str, ...] = ()
    words_before: int = 0
    words_after: int = 0

    @property
    def behind(self) -> int:
        """The row behind the last one."""
        return self.first + self.size

    def number(self, row: int) -> int:
        """Return the number of a row, from 1: 0 for all before the window, one more than its last for all behind."""
        return min(max(row - self.first + 1, 0), self.size + 1)


def window_at(texts: Texts, document: int, place: int, width: int) -> Window:
    """Return the words of the sentences that a site crosses; of many, those around its begin."""
    found = texts.sentence(document, place)
    if found is None or not any(found[0]):
        return Window(document, place, min(width, MOST_WORDS))
    words, position = list(found[0]), found[1]
    first = place - position
    while len(words) < position + width and (further := texts.sentence(document, first + len(words))) is not None:
        words += further[0]
    beside = (MOST_WORDS - min(width, MOST_WORDS - 2 * _BESIDE)) // 2
    low = max(min(position - beside, len(words) - MOST_WORDS), 0)
    kept = tuple(words[low : low + MOST_WORDS])
    return Window(document, first + low, len(kept), kept, low, len(words) - low - len(kept))


@dataclass(frozen=True, slots=True)
class Extent:
    """Where a span stands: its first and last word, by their places in a window, and the positions of its pieces.

    Places below 0, and from the number of words on, are outside of the window.
    """

    first: int
    last: int
    pieces: tuple[tuple[int, int], ...]

    @property
    def begin(self) -> int:
        """Where it begins."""
        return self.pieces[0][0]

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.pieces[-1][1]


class Ruler:
    """Measures which words of a window spans cover, and how much of them.

    Args:
        window: the words.
        places: where words begin, as spans count, by their places in the window; as far as that is known.
        sizes: how long each word is, as spans count.

    """

    def __init__(self, window: Window, places: Mapping[int, int], sizes: Sequence[int]) -> None:
        self._window, self._places, self._sizes = window, places, sizes

    @classmethod
    def of_words(cls, window: Window) -> Ruler:
        """Return the ruler for spans that count words."""
        return cls(window, {place: window.first + place for place in range(window.size)}, [1] * window.size)

    @classmethod
    def of_characters(cls, window: Window, spans: Iterable[tuple[Extent, str]]) -> Ruler:
        """Return the ruler for spans that count characters, given with the texts they cover: these tell the places."""
        letters, places = _Letters(window.words), dict[int, int]()
        for extent, text in spans:
            for place, position in letters.places(extent, text).items():
                places.setdefault(place, position)
        return cls(window, places, [len(word) for word in window.words])

    def pieces(self, extent: Extent) -> tuple[Piece, ...] | None:
        """Return what a span covers, or None if that cannot be told."""
        found = []
        for begin, end in extent.pieces:
            first, last = self._words(begin, end, extent)
            if any(0 <= place < len(self._sizes) and place not in self._places for place in (first, last)):
                return None
            before = begin - self._places[first] if first in self._places else 0
            after = self._places[last] + self._sizes[last] - end if last in self._places else 0
            row = self._window.first
            found.append(Piece(self._window.number(row + first), self._window.number(row + last), before, after))
        return tuple(found)

    def _words(self, begin: int, end: int, extent: Extent) -> tuple[int, int]:
        """Return the first and the last word of a piece; of words outside of the window only the side is known."""
        last = extent.last if end == extent.end else self._last_before(end, extent)
        if begin == extent.begin:
            return extent.first, max(extent.first, last)
        first = self._first_behind(begin, extent) if last >= 0 else last
        return first, max(first, last)

    def _first_behind(self, position: int, extent: Extent) -> int:
        """Return the first word of a span that ends behind a position."""
        words = range(max(extent.first, 0), min(extent.last + 1, len(self._sizes)))
        ends = (place for place in words if self._places.get(place, position) + self._sizes[place] > position)
        return next(ends, len(self._sizes))

    def _last_before(self, position: int, extent: Extent) -> int:
        """Return the last word of a span that begins before a position."""
        words = range(max(extent.first, 0), min(extent.last + 1, len(self._sizes)))
        begins = (place for place in reversed(words) if self._places.get(place, position - 1) < position)
        return next(begins, -1)


class _Letters:
    """The characters of words without white space, in which the texts of spans are looked for."""

    def __init__(self, words: Sequence[str]) -> None:
        found = [(place, at, letter) for place, word in enumerate(words) for at, letter in _solid(word)]
        self._text = "".join(letter for _, _, letter in found)
        self._at = [(place, at) for place, at, _ in found]
        self._ends = [0, *accumulate(len(_solid(word)) for word in words)]

    def places(self, extent: Extent, text: str) -> dict[int, int]:
        """Return where the words of a span begin in its document, if its text is found there once and no more."""
        solid = _solid(text)
        starts = list(self._starts(extent, "".join(letter for _, letter in solid)))
        if len(starts) != 1:
            return {}
        places: dict[int, int] = {}
        for number, (offset, _) in enumerate(solid, start=starts[0]):
            if 0 <= number < len(self._at):
                place, at = self._at[number]
                places.setdefault(place, extent.begin + offset - at)
        return places

    def _starts(self, extent: Extent, sought: str) -> Iterator[int]:
        """Return where a text may begin that reaches from the first into the last word of a span."""
        size = len(self._ends) - 1
        first, last = max(extent.first, 0), min(extent.last, size - 1)
        low, high = self._ends[first], self._ends[last + 1]
        if not sought:
            return
        if extent.first >= 0:
            for start in range(low, self._ends[first + 1]):
                end = start + len(sought)
                inside = self._ends[last] < end <= high if extent.last < size else end > high
                if inside and sought.startswith(self._text[start : min(end, high)]):
                    yield start
        elif extent.last < size:
            for end in range(self._ends[last] + 1, high + 1):
                if sought.endswith(self._text[low:end]):
                    yield end - len(sought)
        else:
            yield from (-match.start() for match in re.finditer(f"(?={re.escape(self._text)})", sought))


def _solid(text: str) -> list[tuple[int, str]]:
    """Return the characters of a text that are no white space, each with its place; a byte-order mark is some."""
    return [(place, letter) for place, letter in enumerate(text) if not letter.isspace() and letter != "\ufeff"]


def glued_in(texts: Texts, window: Window) -> tuple[int, ...]:
    """Return the numbers, from 1, of the words of a window that follow the one before without white space.

    That is known of running texts alone: tokens in files are a space apart.
    """
    if not window.words or not any(part.running for part in texts.parts):
        return ()
    line = texts.covered(window.document, window.first, window.size)
    return () if line is None else tuple(_glued(window.words, line))


def _glued(words: Sequence[str], line: str) -> Iterator[int]:
    """Return the numbers of the words that follow the one before without white space in a line of them."""
    stop = 0
    for number, word in enumerate(words, start=1):
        start = line.index(word, stop)
        if number > 1 and start == stop:
            yield number
        stop = start + len(word)
