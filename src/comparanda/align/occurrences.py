"""Search for quotations in a text: exact, normalised (case, punctuation), inside a word, or by similarity.

Quotations and texts are split into words: sequences of letters, marks, numbers and underscores; any other character
except white space is a word of its own. White space between words is ignored.
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


# Approximate matches of a quotation that does not occur in the text: sequences of words with a few edits.


ENOUGH = 0.85
"""The minimum similarity: at most 15 edits per 100 characters (insertion, deletion, substitution or transposition)."""

_MIN_LENGTH, _MAX_LENGTH = 7, 300  # one of seven characters may differ, none of six
_EXTRA_WORDS = 2  # words more or fewer that the text may have: a hyphen splits a word in three
_MAX_PLACES = 200  # of a word and all similar ones
_EDGE_SIZE = 2


def compute_similarity(one: str, other: str, enough: float = ENOUGH) -> float:
    """Compute the similarity of two strings, from 0 to 1; 0 if it is not enough, or if their digits differ.

    >>> round(compute_similarity("angela merkel", "angela merkle"), 2)
    0.92
    >>> compute_similarity("12.5 million", "12.6 million")
    0.0
    """
    from rapidfuzz.distance import OSA

    if _extract_digits(one) != _extract_digits(other):
        return 0.0
    return float(OSA.normalized_similarity(one, other, score_cutoff=enough))


def _extract_digits(text: str) -> str:
    return re.sub(r"\D+", "", text)


def find_similar_sequences(line: Line, quote: Line) -> list[list[str]]:
    """Find the sequences of words that are most similar to a quotation: none, one, or several with equal similarity.

    Only sequences are considered that contain one of its words, or a similar one, near the same position.

    Args:
        line: the words of the text, folded.
        quote: the words of the quotation, folded.

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
    """Return sequences of words that may be similar to a quotation: their words, and the same with spaces."""
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
    """Locate words of a quotation, or similar ones, in the text: the rarest ones, one more than the allowed edits."""
    found = []
    for number, word in enumerate(words):
        same = line.places.get(word)
        places = same if same is not None else _find_similar_words(line, word, slips)
        if places:
            found.append((len(places), number, places[:_MAX_PLACES]))
    return [(number, places) for _, number, places in sorted(found)[: slips + 1]]


def _find_similar_words(line: Line, word: str, slips: int) -> list[int]:
    """Locate prefixes of a word, and words that differ from it by a few edits but agree at one end."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    most = min(slips, len(word) // 3)
    if not most:
        return []
    begin, end = (line.by_edges.get(edge, []) for edge in word_edges(word))
    known = [each for each in dict.fromkeys([*begin, *end]) if abs(len(each) - len(word)) <= most]
    near = process.extract(word, known, scorer=OSA.distance, score_cutoff=most, limit=None)
    heads = (word[:size] for size in range(_EDGE_SIZE + 1, len(word)))
    found = {each for each, _, _ in near} | {each for each in heads if each in line.places}
    return sorted(place for each in found for place in line.places[each])


def word_edges(word: str) -> tuple[tuple[str, bool], tuple[str, bool]]:
    """Return the first and the last characters of a word: an edit in a longer word changes at most one of them."""
    return (word[:_EDGE_SIZE], True), (word[-_EDGE_SIZE:], False)


How = Literal["exact", "normalised", "inside", "fuzzy"]
"""How a quotation was found: exactly, after normalisation, inside a word, or by similarity."""

Place = tuple[int, int]

_SEPARATOR = "\x1f"  # white space, so no word contains it
_PUNCTUATION: Final = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»″〝〞＂", '"'),
        **dict.fromkeys("‘’‚‛‹›′`´＇", "'"),
        **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
    }
)


@lru_cache(maxsize=1 << 16)
def fold_form(form: str) -> str:
    """Normalise the case, width, composition, quotation marks and dashes of a word.

    >>> fold_form("ＡＢＣ"), fold_form("“"), fold_form("–"), fold_form("Straße") == fold_form("STRASSE")
    ('abc', '"', '-', True)
    """
    if form.isascii():
        return form.lower().translate(_PUNCTUATION)
    plain = unicodedata.normalize("NFKD", form.translate(_PUNCTUATION)).casefold()
    return unicodedata.normalize("NFKD", plain)


@lru_cache(maxsize=64)
def _word_pattern(marks: str) -> re.Pattern[str]:
    r"""Compile the pattern of words; combining marks are part of words, but not matched by `\w`."""
    return re.compile(rf"[\w{marks}]+|[^\w\s\ufeff{marks}]")


def split_words(text: str) -> list[re.Match[str]]:
    r"""Split a text into words.

    >>> [word[0] for word in split_words("Anna's e\u0301t\u00e9")] == ["Anna", "'", "s", "e\u0301t\u00e9"]
    True
    """
    marks = (
        "" if text.isascii() else "".join(sorted(each for each in set(text) if unicodedata.category(each)[0] == "M"))
    )
    return list(_word_pattern(marks).finditer(text))


class Line:
    """A sequence of words joined in one string, so that consecutive words are found by one search.

    Args:
        words: the words.
        apart: for each, whether white space precedes it.

    """

    cut = _SEPARATOR

    def __init__(self, words: Sequence[str], apart: Sequence[bool]) -> None:
        self.words = words
        self.text = _SEPARATOR + _SEPARATOR.join(words) + _SEPARATOR
        self._starts = [0, *accumulate(len(word) + 1 for word in words)]
        self._apart = apart

    def find(self, sought: str, word: int) -> int | None:
        """Return the index of the first word, from a given one on, at which a sequence of words occurs."""
        place = self.text.find(sought, self._starts[word])
        return None if place < 0 else bisect_left(self._starts, place)

    def count(self, sought: str) -> int:
        """Count the occurrences of a sequence of words, including overlapping ones."""
        count, word = 0, self.find(sought, 0)
        while word is not None:
            count, word = count + 1, self.find(sought, word + 1)
        return count

    def between(self, first: int, stop: int) -> str:
        """Return some consecutive words, joined by the separator."""
        return self.text[self._starts[first] + 1 : self._starts[stop]]

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """The indices of each distinct word."""
        found: dict[str, list[int]] = {}
        for place, word in enumerate(self.words):
            found.setdefault(word, []).append(place)
        return found

    @cached_property
    def by_edges(self) -> dict[tuple[str, bool], list[str]]:
        """The distinct words by their first and by their last characters."""
        found: dict[tuple[str, bool], list[str]] = {}
        for word in self.places:
            for edge in word_edges(word):
                found.setdefault(edge, []).append(word)
        return found

    @cached_property
    def _spaced_text(self) -> str:
        return "".join([" " + word if apart else word for word, apart in zip(self.words, self._apart, strict=True)])

    @cached_property
    def ends(self) -> Rows:
        """The end of each word if white space is reduced to one space."""
        apart = np.array(self._apart, np.int64)
        return np.cumsum(np.array([len(word) for word in self.words], np.int64) + apart)

    @cached_property
    def begins(self) -> Rows:
        """The begin of each word if white space is reduced to one space."""
        return self.ends - np.array([len(word) for word in self.words], np.int64)

    def shown(self, first: int, stop: int) -> str:
        """Return some consecutive words, with white space reduced to one space."""
        return self._spaced_text[int(self.begins[first]) : int(self.ends[stop - 1])] if stop > first else ""


class Occurrences:
    """The places at which a quotation occurs, found on demand.

    Args:
        how: how it was found.
        first_from: returns the first place that begins at or after a given character.

    """

    def __init__(self, how: How, first_from: Callable[[int], Place | None]) -> None:
        self.how = how
        self.first_from = first_from

    def first(self, most: int) -> list[Place]:
        """Return the first places, at most the given number."""
        found: list[Place] = []
        place = self.first_from(0)
        while place is not None and len(found) < most:
            found.append(place)
            place = self.first_from(place[0] + 1)
        return found


class Searched:
    """A text in which quotations are searched."""

    def __init__(self, text: str) -> None:
        self.text = text
        words = split_words(text)
        self.begins = [word.start() for word in words]
        self.ends = [word.end() for word in words]
        self._words = [word[0] for word in words]
        self._apart = [begin > end for begin, end in zip(self.begins, [-1, *self.ends], strict=False)]

    @cached_property
    def exact(self) -> Line:
        """The original words."""
        return Line(self._words, self._apart)

    @cached_property
    def folded(self) -> Line:
        """The normalised words."""
        return Line(list(map(fold_form, self._words)), self._apart)

    def contains(self, quote: str) -> bool:
        """Whether a quotation occurs as whole words after normalisation; in scripts without spaces, as it is.

        >>> text = Searched("Anna joined Nokia.")
        >>> text.contains("NOKIA"), text.contains("Ann"), Searched("日本語の本").contains("日本")
        (True, False, True)
        """
        words = Searched(quote).folded.words
        needle = _SEPARATOR + _SEPARATOR.join(words) + _SEPARATOR
        return (bool(words) and needle in self.folded.text) or (not quote.isascii() and quote in self.text)

    def occurrences(self, quote: str, wanted: int) -> tuple[Occurrences, list[Place]] | None:
        """Find a quotation; return its occurrences and the first places, one more than wanted.

        Exact matches are preferred to normalised ones unless too few; whole words to parts of words, and these
        to similar text.
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
        if similar := find_similar_sequences(self.folded, sought.folded):
            fuzzy = self._search_words("fuzzy", self.folded, similar)
            return fuzzy, fuzzy.first(wanted + 1)
        return None

    def _search_words(self, how: How, line: Line, sought: Sequence[Sequence[str]]) -> Occurrences:
        there = [
            words for words in sought if all(word in line.places for word in words)
        ]  # most that are not, miss a word
        needles = [(_SEPARATOR + _SEPARATOR.join(words) + _SEPARATOR, len(words)) for words in there]

        def first_from(begin: int) -> Place | None:
            word = bisect_left(self.begins, begin)
            found = [(place, size) for needle, size in needles if (place := line.find(needle, word)) is not None]
            if not found:
                return None
            first, size = min(found)
            return self.begins[first], self.ends[first + size - 1]

        return Occurrences(how, first_from)

    def _find_inside(self, quote: str, begin: int) -> Place | None:
        place = self.text.find(quote, begin)
        return None if place < 0 else (place, place + len(quote))
