"""The walk of the CoNLL 2018 evaluation through the words of both sides, in the few places that need it.

It is followed step by step, so that every count is the shared task's, also where it passes over a word that a
fairer one would not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align.surface import Surface, Text, without_spaces
from comparanda.errors import AlignError

if TYPE_CHECKING:
    from comparanda.columns import Rows, Slices

_MOST_CELLS = 1 << 24


@dataclass(frozen=True, slots=True)
class _Word:
    """A word on its way through an alignment: the characters of its token, and what it is compared by."""

    begin: int
    end: int
    covered: bool
    form: str
    row: int


class Walk:
    """Goes through words of both sides and collects the pairs that are counterparts, by their rows."""

    def __init__(self, key: Surface, response: Surface, texts: tuple[Text, Text], words: tuple[Slices, Slices]) -> None:
        self.sides = (key, response)
        self.texts = texts
        self.words = words
        self.pairs: list[tuple[int, int]] = []

    def over(self, mine: Rows, theirs: Rows) -> None:
        """Align the words of runs of tokens, given by their begin and end on both sides.

        Where no token stands for several words there is nothing to align: a token that both sides have would be a
        piece of its own.
        """
        covering = np.zeros(len(mine), np.bool_)
        for side, tokens in zip(self.sides, (mine, theirs), strict=True):
            first, last = np.searchsorted(np.flatnonzero(side.covering), tokens.T)
            covering |= last > first
        for here, there in zip(mine[covering].tolist(), theirs[covering].tolist(), strict=True):
            self.through(slice(*here), slice(*there))

    def through(self, key_tokens: slice, response_tokens: slice) -> None:
        """Align the words of some consecutive tokens, which begin and end together on both sides."""
        mine, theirs = self._listed(0, key_tokens), self._listed(1, response_tokens)
        here = there = 0
        while here < len(mine) and there < len(theirs):
            one, other = mine[here], theirs[there]
            if one.covered or other.covered:
                first, second, here, there = _tangle(mine, theirs, here, there)
                self.pairs += _common(mine[first:here], theirs[second:there])
            elif (one.begin, one.end) == (other.begin, other.end):
                self.pairs.append((one.row, other.row))
                here, there = here + 1, there + 1
            elif one.begin <= other.begin:
                here += 1
            else:
                there += 1

    def _listed(self, side: int, tokens: slice) -> list[_Word]:
        surface, text, words = self.sides[side], self.texts[side], self.words[side]
        found: list[_Word] = []
        columns = (text.begins, text.ends, surface.covering, surface.row, surface.end)
        for begin, end, covered, first, behind in zip(*(column[tokens].tolist() for column in columns), strict=True):
            forms = ((row, without_spaces(words[row]).lower()) for row in range(first, behind))
            found += [_Word(begin, end, covered, form, row) for row, form in forms]
        return found


def _tangle(mine: list[_Word], theirs: list[_Word], here: int, there: int) -> tuple[int, int, int, int]:
    """Find the words that overlapping tokens of several words draw together: where they begin and end on both sides."""
    if mine[here].covered:
        end = mine[here].end
        if not theirs[there].covered and theirs[there].begin < mine[here].begin:
            there += 1
    else:
        end = theirs[there].end
        if mine[here].begin < theirs[there].begin:
            here += 1
    first, second = here, there
    while not _beyond(mine, here, end) or not _beyond(theirs, there, end):
        if here < len(mine) and (there >= len(theirs) or mine[here].begin <= theirs[there].begin):
            end = max(end, mine[here].end) if mine[here].covered else end
            here += 1
        else:
            end = max(end, theirs[there].end) if theirs[there].covered else end
            there += 1
    return first, second, here, there


def _beyond(words: list[_Word], place: int, end: int) -> bool:
    if place >= len(words):
        return True
    return words[place].begin >= end if words[place].covered else words[place].end > end


def _common(mine: list[_Word], theirs: list[_Word]) -> list[tuple[int, int]]:
    """Return the pairs of a longest common subsequence of forms; of several the one that matches earliest."""
    pairs = []
    same = 0
    while same < min(len(mine), len(theirs)) and mine[same].form == theirs[same].form:
        pairs.append((mine[same].row, theirs[same].row))
        same += 1
    mine, theirs = mine[same:], theirs[same:]
    if not mine or not theirs:
        return pairs
    if len(mine) * len(theirs) > _MOST_CELLS:
        raise AlignError(f"{len(mine):,} words of the key overlap {len(theirs):,} others of the response in one token")
    longest = _subsequences([word.form for word in mine], [word.form for word in theirs])
    here = there = 0
    while here < len(mine) and there < len(theirs):
        if mine[here].form == theirs[there].form:
            pairs.append((mine[here].row, theirs[there].row))
            here, there = here + 1, there + 1
        elif longest[here][there] == longest[here + 1][there]:
            here += 1
        else:
            there += 1
    return pairs


def _subsequences(mine: list[str], theirs: list[str]) -> list[list[int]]:
    """Return the length of the longest common subsequence of every two tails."""
    longest = [[0] * (len(theirs) + 1) for _ in range(len(mine) + 1)]
    for here in reversed(range(len(mine))):
        for there in reversed(range(len(theirs))):
            both = longest[here + 1][there + 1] + 1 if mine[here] == theirs[there] else 0
            longest[here][there] = max(both, longest[here + 1][there], longest[here][there + 1])
    return longest
