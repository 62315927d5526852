"""The copy of a text that an answer holds, laid over the text: so the place of a tagged item is known."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from comparanda.align.likeness import similarity
from comparanda.align.occurrences import Searched

if TYPE_CHECKING:
    from comparanda.align.occurrences import How, Place

_AROUND = 3
_LARGEST = 4_000_000  # so many pairs of words are compared at once


@dataclass(frozen=True, slots=True)
class Match:
    """Where a piece of a copy stands in the text.

    Args:
        how: how it was found.
        place: where it stands.
        certain: whether it cannot stand anywhere else.

    """

    how: How
    place: Place
    certain: bool


class Copied:
    """A copy laid over a text, word by word.

    Args:
        text: the text.
        copy: what the answer holds of it; words may be missing, changed or added.

    """

    def __init__(self, text: Searched, copy: str) -> None:
        self._text = text
        self._copy = Searched(copy)
        self._often: dict[tuple[str, str], bool] = {}

    @cached_property
    def _begin(self) -> int | None:
        """The word of the copy at which all words of the text stand in a row; None if they do not."""
        return self._copy.folded.find(self._text.folded.text, 0)

    @property
    def same(self) -> bool:
        """Whether the copy has the words of the text, however they are written; there may be others around them."""
        return self._begin is not None

    @cached_property
    def _words(self) -> list[int]:
        """The word of the text that each word of the copy is; -1 for none."""
        mine, theirs = self._copy.folded.words, self._text.folded.words
        if self._begin is None:
            return _matched(mine, theirs)
        behind = len(mine) - self._begin - len(theirs)
        return [*[-1] * self._begin, *range(len(theirs)), *[-1] * behind]

    def match(self, begin: int, end: int) -> Match | None:
        """Return where a piece of the copy stands in the text; None if that cannot be said."""
        copy, text = self._copy, self._text
        first, last = bisect_right(copy.ends, begin), bisect_left(copy.begins, end) - 1
        if last < first:
            return None
        there = self._words[first]
        behind = there + last - first
        if there < 0 or self._words[first : last + 1] != list(range(there, behind + 1)):
            return self._between(first, last)
        before, after = max(begin - copy.begins[first], 0), max(copy.ends[last] - end, 0)
        cuts_words = bool(before or after)
        if cuts_words and copy.exact.between(first, last + 1) != text.exact.between(there, behind + 1):
            return None  # a part of a word that is written otherwise: nobody knows which
        place = text.begins[there] + before, text.ends[behind] - after
        return Match("exact", place, self._is_certain(first, last, there, behind))

    def _between(self, first: int, last: int) -> Match | None:
        """Return what stands in the text between the same neighbours, if it is much like some words of the copy."""
        copy, text = self._copy.folded, self._text.folded
        there = self._words[first - 1] + 1 if first else 0
        behind = (self._words[last + 1] if last + 1 < len(self._words) else len(text.words)) - 1
        if behind < there or not similarity(copy.shown(first, last + 1), text.shown(there, behind + 1)):
            return None
        pairs = (copy.words[first], text.words[there]), (copy.words[last], text.words[behind])
        if any(one[:1].isalnum() != other[:1].isalnum() for one, other in pairs):  # a sign that the copy has lost
            return None
        place = self._text.begins[there], self._text.ends[behind]
        return Match("fuzzy", place, self._is_certain(first, last, there, behind))

    def _is_certain(self, first: int, last: int, there: int, behind: int) -> bool:
        """Whether no other place is possible.

        In a copy that is not the text the words before and behind must be the same ones, and the words themselves must
        stand there as often as in the text.
        """
        if self.same:
            return True
        mine, theirs = self._copy.folded.between(first, last + 1), self._text.folded.between(there, behind + 1)
        if not self._as_often(mine, theirs):
            return False
        left, right = (first, there), (len(self._words) - 1 - last, len(self._text.begins) - 1 - behind)
        for step in range(1, _AROUND + 1):
            if min(left) >= step and self._words[first - step] != there - step:
                return False
            if min(right) >= step and self._words[last + step] != behind + step:
                return False
        return all(min(each) >= _AROUND or each[0] == each[1] for each in (left, right))

    def _as_often(self, mine: str, theirs: str) -> bool:
        """Whether the copy has some words, and those of the text that they are, as often as the text has."""
        known = self._often.get((mine, theirs))
        if known is None:
            cut = self._text.folded.cut
            sought = [cut + each + cut for each in {mine, theirs}]
            counts = [sum(map(line.count, sought)) for line in (self._copy.folded, self._text.folded)]
            known = self._often[mine, theirs] = counts[0] == counts[1]
        return known


def _matched(mine: Sequence[str], theirs: Sequence[str]) -> list[int]:
    """Return for each word which of other words it is; -1 for none.

    That is a longest common subsequence. Of long texts the words that both have once are matched first, and then what
    stands between them.

    >>> _matched("well then we go".split(), "then we all go".split())
    [-1, 0, 1, 3]
    """
    found = [-1] * len(mine)
    for first, last in pairwise(_fixed(mine, theirs)):
        (begin, other), (end, other_end) = first, last
        while begin < end and other < other_end and mine[begin] == theirs[other]:
            found[begin] = other
            begin, other = begin + 1, other + 1
        while begin < end and other < other_end and mine[end - 1] == theirs[other_end - 1]:
            end, other_end = end - 1, other_end - 1
            found[end] = other_end
        if begin < end and other < other_end and (end - begin) * (other_end - other) <= _LARGEST:
            for here, there, size in _common(mine[begin:end], theirs[other:other_end]):
                found[begin + here : begin + here + size] = range(other + there, other + there + size)
    return found


def _fixed(mine: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of places between which words are matched: the begins, the ends, in long texts words that fit."""
    ends = len(mine), len(theirs)
    if ends[0] * ends[1] <= _LARGEST:
        return [(0, 0), ends]
    once = {word for word, count in Counter(theirs).items() if count == 1}
    there = {word: place for place, word in enumerate(theirs) if word in once}
    often = Counter(mine)
    pairs = [(place, there[word]) for place, word in enumerate(mine) if word in once and often[word] == 1]
    return [(0, 0), *_rising(pairs), ends]


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return as many pairs as can be so that the second places rise as the first do.

    >>> _rising([(0, 5), (1, 2), (2, 3), (4, 9), (5, 4)])
    [(1, 2), (2, 3), (5, 4)]
    """
    last: list[int] = []  # the smallest place at which so many pairs can end, and which pair that is
    which: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(last, place)
        last[length : length + 1] = [place]
        which[length : length + 1] = [number]
        before.append(which[length - 1] if length else -1)
    found = []
    number = which[-1] if which else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _common(mine: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Give the pieces that two rows of words have in common: where each begins in both, and how long it is."""
    from rapidfuzz.distance import Indel

    codes = {word: code for code, word in enumerate(dict.fromkeys([*mine, *theirs]))}
    for step in Indel.opcodes([codes[word] for word in mine], [codes[word] for word in theirs]):
        if step.tag == "equal":
            yield step.src_start, step.dest_start, step.src_end - step.src_start
