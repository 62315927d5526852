"""Where a quote stands in a text: as it is, with other case and signs, inside a word, or something much like it.

Quotes and texts are cut into words: runs of letters, marks, numbers and underscores; any other character that is no
white space is one by itself. White space between words does not count.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from comparanda.align.likeness import alike, edges

if TYPE_CHECKING:
    from comparanda.columns import Rows

How = Literal["exact", "normalised", "inside", "fuzzy"]
"""How a quote was found: as it is, written otherwise, inside a word, by similarity."""

Place = tuple[int, int]

_CUT = "\x1f"  # white space, so it is in no word
_SIGNS: Final = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»″〝〞＂", '"'),
        **dict.fromkeys("‘’‚‛‹›′`´＇", "'"),
        **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
    }
)


@lru_cache(maxsize=1 << 16)
def folded(form: str) -> str:
    """Return a word without regard to case, width, composition, and to how quotation marks and dashes are written.

    >>> folded("ＡＢＣ"), folded("“"), folded("–"), folded("Straße") == folded("STRASSE")
    ('abc', '"', '-', True)
    """
    if form.isascii():
        return form.lower().translate(_SIGNS)
    plain = unicodedata.normalize("NFKD", form.translate(_SIGNS)).casefold()
    return unicodedata.normalize("NFKD", plain)


@lru_cache(maxsize=64)
def _cutter(marks: str) -> re.Pattern[str]:
    """Return what finds words; marks are letters to readers, but not to regular expressions."""
    return re.compile(rf"[\w{marks}]+|[^\w\s\ufeff{marks}]")


def cut(text: str) -> list[re.Match[str]]:
    r"""Cut a text into words.

    >>> [word[0] for word in cut("Anna's e\u0301t\u00e9")] == ["Anna", "'", "s", "e\u0301t\u00e9"]
    True
    """
    marks = (
        "" if text.isascii() else "".join(sorted(each for each in set(text) if unicodedata.category(each)[0] == "M"))
    )
    return list(_cutter(marks).finditer(text))


class Line:
    """Words side by side, so that some of them in a row are found by one search.

    Args:
        words: the words.
        apart: for each, whether white space stands before it.

    """

    cut = _CUT

    def __init__(self, words: Sequence[str], apart: Sequence[bool]) -> None:
        self.words = words
        self.text = _CUT + _CUT.join(words) + _CUT
        self._starts = [0, *accumulate(len(word) + 1 for word in words)]
        self._apart = apart

    def find(self, sought: str, word: int) -> int | None:
        """Return the first word at or behind one at which some words in a row begin."""
        place = self.text.find(sought, self._starts[word])
        return None if place < 0 else bisect_left(self._starts, place)

    def count(self, sought: str) -> int:
        """Return how often some words stand in a row; they may share words."""
        count, word = 0, self.find(sought, 0)
        while word is not None:
            count, word = count + 1, self.find(sought, word + 1)
        return count

    def between(self, first: int, behind: int) -> str:
        """Return some words in a row, with cuts between them."""
        return self.text[self._starts[first] + 1 : self._starts[behind]]

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Where each word stands."""
        found: dict[str, list[int]] = {}
        for place, word in enumerate(self.words):
            found.setdefault(word, []).append(place)
        return found

    @cached_property
    def by_edges(self) -> dict[tuple[str, bool], list[str]]:
        """The distinct words by how they begin, and by how they end."""
        found: dict[tuple[str, bool], list[str]] = {}
        for word in self.places:
            for edge in edges(word):
                found.setdefault(edge, []).append(word)
        return found

    @cached_property
    def _shown(self) -> str:
        return "".join([" " + word if apart else word for word, apart in zip(self.words, self._apart, strict=True)])

    @cached_property
    def ends(self) -> Rows:
        """Where each word ends if white space is one space."""
        apart = np.array(self._apart, np.int64)
        return np.cumsum(np.array([len(word) for word in self.words], np.int64) + apart)

    @cached_property
    def begins(self) -> Rows:
        """Where each word begins, likewise."""
        return self.ends - np.array([len(word) for word in self.words], np.int64)

    def shown(self, first: int, behind: int) -> str:
        """Return some words in a row, with one space for all white space between them."""
        return self._shown[int(self.begins[first]) : int(self.ends[behind - 1])] if behind > first else ""


class Occurrences:
    """The places at which a quote stands, made when asked for.

    Args:
        how: how it was found.
        behind: returns the first place that begins at a character or behind it.

    """

    def __init__(self, how: How, behind: Callable[[int], Place | None]) -> None:
        self.how = how
        self.behind = behind

    def first(self, most: int) -> list[Place]:
        """Return the first few."""
        found: list[Place] = []
        place = self.behind(0)
        while place is not None and len(found) < most:
            found.append(place)
            place = self.behind(place[0] + 1)
        return found


class Searched:
    """A text in which quotes are looked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        words = cut(text)
        self.begins = [word.start() for word in words]
        self.ends = [word.end() for word in words]
        self._words = [word[0] for word in words]
        self._apart = [begin > end for begin, end in zip(self.begins, [-1, *self.ends], strict=False)]

    @cached_property
    def exact(self) -> Line:
        """The words as they are."""
        return Line(self._words, self._apart)

    @cached_property
    def folded(self) -> Line:
        """The words without regard to how they are written."""
        return Line(list(map(folded, self._words)), self._apart)

    def occurrences(self, quote: str, wanted: int) -> tuple[Occurrences, list[Place]] | None:
        """Return where a quote that is claimed so often stands, and its first places, one more than are wanted.

        Words as they are go before words written otherwise, unless there are not enough; whole words go before parts
        of them, and these before what is only similar.
        """
        sought = Searched(quote)
        if sought.begins:
            exact = self._in_line("exact", self.exact, [sought.exact.words])
            places = exact.first(wanted + 1)
            if len(places) < wanted:
                loose = self._in_line("normalised", self.folded, [sought.folded.words])
                more = loose.first(wanted + 1)
                if len(more) > len(places):
                    return loose, more
            if places:
                return exact, places
        inside = Occurrences("inside", lambda begin: self._inside(quote, begin))
        if places := inside.first(wanted + 1):
            return inside, places
        if similar := alike(self.folded, sought.folded):
            fuzzy = self._in_line("fuzzy", self.folded, similar)
            return fuzzy, fuzzy.first(wanted + 1)
        return None

    def _in_line(self, how: How, line: Line, sought: Sequence[Sequence[str]]) -> Occurrences:
        there = [
            words for words in sought if all(word in line.places for word in words)
        ]  # most that are not, miss a word
        needles = [(_CUT + _CUT.join(words) + _CUT, len(words)) for words in there]

        def behind(begin: int) -> Place | None:
            word = bisect_left(self.begins, begin)
            found = [(place, size) for needle, size in needles if (place := line.find(needle, word)) is not None]
            if not found:
                return None
            first, size = min(found)
            return self.begins[first], self.ends[first + size - 1]

        return Occurrences(how, behind)

    def _inside(self, quote: str, begin: int) -> Place | None:
        place = self.text.find(quote, begin)
        return None if place < 0 else (place, place + len(quote))
