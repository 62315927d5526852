"""What in a text is much like a quote that does not stand there: words in a row with a slip or two."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from comparanda.align.occurrences import Line

ENOUGH = 0.85
"""How much two texts must be alike: at most so many slips (a letter more, less, other, or two swapped) that 15 in 100
characters differ."""

_SHORTEST, _LONGEST = 7, 300  # of seven characters one may differ, of six none
_SLACK = 2  # so many words more or fewer may stand in the text: a hyphen between two of them makes three of one
_MOST_PLACES = 200  # of a word, and of all that are like it
_EDGE = 2


def similarity(one: str, other: str, enough: float = ENOUGH) -> float:
    """Return how much two texts are alike, from 0 to 1; 0 if that is not enough, or if their digits differ.

    >>> round(similarity("angela merkel", "angela merkle"), 2), similarity("12.5 million", "12.6 million")
    (0.92, 0.0)
    """
    from rapidfuzz.distance import OSA

    if _digits(one) != _digits(other):
        return 0.0
    return float(OSA.normalized_similarity(one, other, score_cutoff=enough))


def _digits(text: str) -> str:
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
    if not _SHORTEST <= len(sought) <= _LONGEST:
        return []
    rows = _rows(line, quote.words, len(sought), int(len(sought) * (1 - ENOUGH) / ENOUGH))
    near = process.extract(sought, rows, scorer=OSA.normalized_similarity, score_cutoff=ENOUGH, limit=None)
    digits = _digits(sought)
    found = [(score, row) for shown, score, row in near if _digits(shown) == digits]
    return [row.split(line.cut) for score, row in sorted(found) if score == max(found)[0]]


def _rows(line: Line, words: Sequence[str], length: int, slips: int) -> dict[str, str]:
    """Return the rows of words that may be like a quote of some length, and how they are shown."""
    slack = np.arange(-_SLACK, _SLACK + 1)
    sizes = len(words) + slack
    found: dict[str, str] = {}
    begins, ends = line.begins, line.ends
    for number, places in _anchors(line, words, slips):
        first = (np.array(places)[:, None, None] - number) + slack[None, :, None]
        last = first + sizes[None, None, :] - 1
        inside = (first >= 0) & (last >= first) & (last < len(line.words))
        long = ends[np.where(inside, last, 0)] - begins[np.where(inside, first, 0)]
        place, shift, size = np.nonzero(inside & (abs(long - length) <= slips))
        for low, high in zip(first[place, shift, 0].tolist(), last[place, shift, size].tolist(), strict=True):
            found[line.between(low, high + 1)] = line.shown(low, high + 1)
    return found


def _anchors(line: Line, words: Sequence[str], slips: int) -> list[tuple[int, list[int]]]:
    """Return where words of a quote stand in the text, or words like them: those of the rarest, one more than slips."""
    found = []
    for number, word in enumerate(words):
        same = line.places.get(word)
        places = same if same is not None else _places_like(line, word, slips)
        if places:
            found.append((len(places), number, places[:_MOST_PLACES]))
    return [(number, places) for _, number, places in sorted(found)[: slips + 1]]


def _places_like(line: Line, word: str, slips: int) -> list[int]:
    """Return where words stand with which one begins, or from which it differs by a few slips, none at one end."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    most = min(slips, len(word) // 3)
    if not most:
        return []
    begin, end = (line.by_edges.get(edge, []) for edge in edges(word))
    known = [each for each in dict.fromkeys([*begin, *end]) if abs(len(each) - len(word)) <= most]
    near = process.extract(word, known, scorer=OSA.distance, score_cutoff=most, limit=None)
    heads = (word[:size] for size in range(_EDGE + 1, len(word)))
    found = {each for each, _, _ in near} | {each for each in heads if each in line.places}
    return sorted(place for each in found for place in line.places[each])


def edges(word: str) -> tuple[tuple[str, bool], tuple[str, bool]]:
    """Return how a word begins and how it ends: a slip in a longer word changes one of them at most."""
    return (word[:_EDGE], True), (word[-_EDGE:], False)
