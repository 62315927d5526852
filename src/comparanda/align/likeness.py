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
_SLACK = 2  # so many words more or fewer may stand in the text
_MOST_PLACES = 1000
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


def alike(line: Line, words: Sequence[str]) -> list[list[str]]:
    """Return the words in a row that are most like some words: none, the best, or several that are equally like them.

    Only rows are looked at that hold one of the words, or one like it, at about its place.

    Args:
        line: the words of the text, folded.
        words: those of the quote, likewise.

    """
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    quote = line.cut.join(words)
    if not _SHORTEST <= len(quote) <= _LONGEST:
        return []
    rows = sorted(_rows(line, words, len(quote), int(len(quote) * (1 - ENOUGH) / ENOUGH)))
    near = process.extract(quote, rows, scorer=OSA.normalized_similarity, score_cutoff=ENOUGH, limit=None)
    digits = _digits(quote)
    found = [(score, row) for row, score, _ in near if _digits(row) == digits]
    return [row.split(line.cut) for score, row in sorted(found) if score == max(found)[0]]


def _rows(line: Line, words: Sequence[str], length: int, slips: int) -> set[str]:
    """Return the rows of words that may be like a quote of some length."""
    slack = np.arange(-min(slips, _SLACK), min(slips, _SLACK) + 1)
    sizes = len(words) + slack
    found: set[str] = set()
    for number, places in _anchors(line, words, slips):
        first = (np.array(places)[:, None, None] - number) + slack[None, :, None]
        behind = first + sizes[None, None, :]
        inside = (first >= 0) & (behind > first) & (behind <= len(line.words))
        starts = line.starts
        long = starts[np.where(inside, behind, 0)] - starts[np.where(inside, first, 0)] - 1
        place, shift, size = np.nonzero(inside & (abs(long - length) <= slips))
        begins, ends = first[place, shift, 0].tolist(), behind[place, shift, size].tolist()
        found.update(map(line.between, begins, ends))
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
    """Return where words stand that differ from one by a few slips, and begin or end as it does."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    most = min(slips, len(word) // 3)
    if not most:
        return []
    begin, end = (line.by_edges.get(edge, []) for edge in edges(word))
    known = [each for each in dict.fromkeys([*begin, *end]) if abs(len(each) - len(word)) <= most]
    near = process.extract(word, known, scorer=OSA.distance, score_cutoff=most, limit=None)
    return sorted(place for each, _, _ in near for place in line.places[each])


def edges(word: str) -> tuple[tuple[str, bool], tuple[str, bool]]:
    """Return how a word begins and how it ends: a slip in a longer word changes one of them at most."""
    return (word[:_EDGE], True), (word[-_EDGE:], False)
