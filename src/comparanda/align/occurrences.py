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

if TYPE_CHECKING:
    from comparanda.core.text_columns import Rows


# What in a text is much like a quote that does not stand there: words in a row with a slip or two.


ENOUGH = 0.85
"""How much two texts must be alike: at most so many slips (a letter more, less, other, or two swapped) that 15 in 100
characters differ."""

_MIN_LENGTH, _MAX_LENGTH = 7, 300  # of seven characters one may differ, of six none
_EXTRA_WORDS = 2  # so many words more or fewer may stand in the text: a hyphen between two of them makes three of one
_MAX_PLACES = 200  # of a word, and of all that are like it
_EDGE_SIZE = 2


def similarity(one: str, other: str, enough: float = ENOUGH) -> float:
    """Return how much two texts are alike, from 0 to 1; 0 if that is not enough, or if their digits differ.

    >>> round(similarity("angela merkel", "angela merkle"), 2), similarity("12.5 million", "12.6 million")
    (0.92, 0.0)
    """
    from rapidfuzz.distance import OSA

    if _extract_digits(one) != _extract_digits(other):
        return 0.0
    return float(OSA.normalized_similarity(one, other, score_cutoff=enough))


def _extract_digits(text: str) -> str:
    return re.sub(r"\D+", "", text)


def alike(line: Line, quote: Line) -> list[list[str]]:
    """Return the words in a row that are most like a quote: none, the best, or several that are equally like it.

    Only rows are looked at that hold one of its words, or one like it, at about its place.

    Args:
        line: the words of the text, folded.
        quote: those of the quote, likewise.

    """
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    sought = quote.shown(0, len(quote.words))
    if not _MIN_LENGTH <= len(sought) <= _MAX_LENGTH:
        return []
    rows = _candidate_sequences(line, quote.words, len(sought), int(len(sought) * (1 - ENOUGH) / ENOUGH))
    near = process.extract(sought, rows, scorer=OSA.normalized_similarity, score_cutoff=ENOUGH, limit=None)
    digits = _extract_digits(sought)
    found = [(score, row) for shown, score, row in near if _extract_digits(shown) == digits]
    return [row.split(line.cut) for score, row in sorted(found) if score == max(found)[0]]


def _candidate_sequences(line: Line, words: Sequence[str], length: int, slips: int) -> dict[str, str]:
    """Return the rows of words that may be like a quote of some length, and how they are shown."""
    slack = np.arange(-_EXTRA_WORDS, _EXTRA_WORDS + 1)
    sizes = len(words) + slack
    found: dict[str, str] = {}
    begins, ends = line.begins, line.ends
    for number, places in _find_anchors(line, words, slips):
        first = (np.array(places)[:, None, None] - number) + slack[None, :, None]
        last = first + sizes[None, None, :] - 1
        inside = (first >= 0) & (last >= first) & (last < len(line.words))
        long = ends[np.where(inside, last, 0)] - begins[np.where(inside, first, 0)]
        place, shift, size = np.nonzero(inside & (abs(long - length) <= slips))
        for low, high in zip(first[place, shift, 0].tolist(), last[place, shift, size].tolist(), strict=True):
            found[line.between(low, high + 1)] = line.shown(low, high + 1)
    return found


def _find_anchors(line: Line, words: Sequence[str], slips: int) -> list[tuple[int, list[int]]]:
    """Return where words of a quote stand in the text, or words like them: those of the rarest, one more than slips."""
    found = []
    for number, word in enumerate(words):
        same = line.places.get(word)
        places = same if same is not None else _find_similar_words(line, word, slips)
        if places:
            found.append((len(places), number, places[:_MAX_PLACES]))
    return [(number, places) for _, number, places in sorted(found)[: slips + 1]]


def _find_similar_words(line: Line, word: str, slips: int) -> list[int]:
    """Return where words stand with which one begins, or from which it differs by a few slips, none at one end."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    most = min(slips, len(word) // 3)
    if not most:
        return []
    begin, end = (line.by_edges.get(edge, []) for edge in edges(word))
    known = [each for each in dict.fromkeys([*begin, *end]) if abs(len(each) - len(word)) <= most]
    near = process.extract(word, known, scorer=OSA.distance, score_cutoff=most, limit=None)
    heads = (word[:size] for size in range(_EDGE_SIZE + 1, len(word)))
    found = {each for each, _, _ in near} | {each for each in heads if each in line.places}
    return sorted(place for each in found for place in line.places[each])


def edges(word: str) -> tuple[tuple[str, bool], tuple[str, bool]]:
    """Return how a word begins and how it ends: a slip in a longer word changes one of them at most."""
    return (word[:_EDGE_SIZE], True), (word[-_EDGE_SIZE:], False)


How = Literal["exact", "normalised", "inside", "fuzzy"]
"""How a quote was found: as it is, written otherwise, inside a word, by similarity."""

Place = tuple[int, int]

_SEPARATOR = "\x1f"  # white space, so it is in no word
_PUNCTUATION: Final = str.maketrans(
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
        return form.lower().translate(_PUNCTUATION)
    plain = unicodedata.normalize("NFKD", form.translate(_PUNCTUATION)).casefold()
    return unicodedata.normalize("NFKD", plain)


@lru_cache(maxsize=64)
def _word_pattern(marks: str) -> re.Pattern[str]:
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
    return list(_word_pattern(marks).finditer(text))


class Line:
    """Words side by side, so that some of them in a row are found by one search.

    Args:
        words: the words.
        apart: for each, whether white space stands before it.

    """

    cut = _SEPARATOR

    def __init__(self, words: Sequence[str], apart: Sequence[bool]) -> None:
        self.words = words
        self.text = _SEPARATOR + _SEPARATOR.join(words) + _SEPARATOR
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
    def _spaced_text(self) -> str:
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
        return self._spaced_text[int(self.begins[first]) : int(self.ends[behind - 1])] if behind > first else ""


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
            exact = self._search_words("exact", self.exact, [sought.exact.words])
            places = exact.first(wanted + 1)
            if len(places) < wanted:
                loose = self._search_words("normalised", self.folded, [sought.folded.words])
                more = loose.first(wanted + 1)
                if len(more) > len(places):
                    return loose, more
            if places:
                return exact, places
        inside = Occurrences("inside", lambda begin: self._find_inside(quote, begin))
        if places := inside.first(wanted + 1):
            return inside, places
        if similar := alike(self.folded, sought.folded):
            fuzzy = self._search_words("fuzzy", self.folded, similar)
            return fuzzy, fuzzy.first(wanted + 1)
        return None

    def _search_words(self, how: How, line: Line, sought: Sequence[Sequence[str]]) -> Occurrences:
        there = [
            words for words in sought if all(word in line.places for word in words)
        ]  # most that are not, miss a word
        needles = [(_SEPARATOR + _SEPARATOR.join(words) + _SEPARATOR, len(words)) for words in there]

        def behind(begin: int) -> Place | None:
            word = bisect_left(self.begins, begin)
            found = [(place, size) for needle, size in needles if (place := line.find(needle, word)) is not None]
            if not found:
                return None
            first, size = min(found)
            return self.begins[first], self.ends[first + size - 1]

        return Occurrences(how, behind)

    def _find_inside(self, quote: str, begin: int) -> Place | None:
        place = self.text.find(quote, begin)
        return None if place < 0 else (place, place + len(quote))
