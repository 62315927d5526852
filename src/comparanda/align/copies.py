"""The copy of a text that an answer holds, laid over the text: so the place of a tagged item is known."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from comparanda.align.likeness import similarity
from comparanda.align.occurrences import Searched

if TYPE_CHECKING:
    from comparanda.align.occurrences import How, Place

_LARGEST = 200_000_000  # so many pairs of words that differ are compared: about 25 MB


class Copied:
    """A copy laid over a text, word by word.

    Args:
        text: the text.
        copy: what the answer holds of it; words may be missing, changed or added.

    """

    def __init__(self, text: Searched, copy: str) -> None:
        self._text = text
        self._copy = Searched(copy)

    @cached_property
    def same(self) -> bool:
        """Whether the copy has the words of the text, however they are written."""
        return self._copy.folded.text == self._text.folded.text

    @cached_property
    def _words(self) -> list[int]:
        """The word of the text that each word of the copy is; -1 for none."""
        return _matched(self._copy.folded.words, self._text.folded.words)

    def place(self, begin: int, end: int) -> tuple[How, Place] | None:
        """Return where a piece of the copy stands in the text, and how it was found; None if that is not known."""
        copy, text = self._copy, self._text
        first, last = bisect_right(copy.ends, begin), bisect_left(copy.begins, end) - 1
        if last < first:
            return None
        there = self._words[first]
        if there < 0 or self._words[first : last + 1] != list(range(there, there + last - first + 1)):
            return self._between(first, last)
        before, after = max(begin - copy.begins[first], 0), max(copy.ends[last] - end, 0)
        if (before or after) and copy.exact.between(first, last + 1) != text.exact.between(
            there, there + last - first + 1
        ):
            return None  # a part of a word that is written otherwise: nobody knows which
        place = text.begins[there] + before, text.ends[there + last - first] - after
        return "exact", place

    def _between(self, first: int, last: int) -> tuple[How, Place] | None:
        """Return what stands in the text between the same neighbours, if it is much like some words of the copy."""
        left = self._words[first - 1] if first else -1
        right = self._words[last + 1] if last + 1 < len(self._words) else len(self._text.begins)
        if (first and left < 0) or right <= left + 1:
            return None
        mine, theirs = self._copy.folded.between(first, last + 1), self._text.folded.between(left + 1, right)
        if not similarity(mine, theirs):
            return None
        return "fuzzy", (self._text.begins[left + 1], self._text.ends[right - 1])


def _matched(mine: Sequence[str], theirs: Sequence[str]) -> list[int]:
    """Return for each word which of other words it is, by a longest common subsequence; -1 for none.

    >>> _matched("well then we go".split(), "then we all go".split())
    [-1, 0, 1, 3]
    """
    begin, rest = 0, min(len(mine), len(theirs))
    while begin < rest and mine[begin] == theirs[begin]:
        begin += 1
    end = 0
    while end < rest - begin and mine[-1 - end] == theirs[-1 - end]:
        end += 1
    inner, other = mine[begin : len(mine) - end], theirs[begin : len(theirs) - end]
    found = [*range(begin), *[-1] * len(inner), *range(len(theirs) - end, len(theirs))]
    if inner and other and len(inner) * len(other) <= _LARGEST:
        from rapidfuzz.distance import Indel

        codes = {word: code for code, word in enumerate(sorted({*inner, *other}))}
        for step in Indel.opcodes([codes[word] for word in inner], [codes[word] for word in other]):
            if step.tag == "equal":
                found[begin + step.src_start : begin + step.src_end] = range(
                    begin + step.dest_start, begin + step.dest_end
                )
    return found
