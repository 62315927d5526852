"""The running text of a corpus as its tokens cut it, and one such text laid over another.

White space does not count, so two files with the same text can be compared however they cut it. The
words are found as the CoNLL 2018 shared task does it: a word that is a token itself has a counterpart
if the other side has a token of just the same characters; the words of tokens that stand for several
words (3-4) are aligned with those of the overlapping tokens by a longest common subsequence of their
lower-cased forms.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import Slices
from comparanda.errors import AlignError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Rows, Truths
    from comparanda.corpus import Corpus

_GATHERED = 1 << 15
_SPACES = [character for character in map(chr, range(0x3001)) if unicodedata.category(character) == "Zs"]
_MOST_CELLS = 1 << 24


@dataclass(frozen=True, eq=False)
class Surface:
    """The tokens of a text, in order.

    Args:
        forms: what stands in the text, white space included.
        row: the first word of each token.
        end: the row behind its last word.
        covering: whether it stands for words that are listed apart.

    """

    forms: Slices
    row: Rows
    end: Rows
    covering: Truths

    @classmethod
    def of(cls, corpus: Corpus) -> Surface:
        """Return the tokens of a whole corpus."""
        words = corpus.words
        if words is None:
            raise AssertionError("a corpus without words has no text")
        ranges, row = corpus.ranges, token_rows(corpus)
        if ranges is None:
            return cls(words, row, row + 1, np.zeros(len(words), np.bool_))
        end = np.append(row[1:], len(words))
        covering = np.zeros(len(row), np.bool_)
        place = np.searchsorted(row, ranges.begin)
        covering[place] = True
        forms = words.take(row)
        forms.start[place], forms.length[place] = ranges.start, ranges.length
        return cls(forms, row, end, covering)

    def __len__(self) -> int:
        return len(self.row)

    def take(self, tokens: Rows) -> Surface:
        """Return some of the tokens, in another order if need be."""
        return Surface(self.forms.take(tokens), self.row[tokens], self.end[tokens], self.covering[tokens])

    @cached_property
    def text(self) -> Text:
        """The characters of all tokens, without white space."""
        gathered, ends = _gather(self.forms), np.cumsum(self.forms.length, dtype=np.int64)
        blank = _blank_bytes(gathered)
        if blank is None:
            return Text(gathered, ends)
        before = np.concatenate([[0], np.cumsum(blank)])
        return Text(gathered[~blank], ends - before[ends])

    @cached_property
    def composed(self) -> Text:
        """The same with each form in Unicode's normal form NFC."""
        forms = self.forms.intern()
        table = [without_spaces(unicodedata.normalize("NFC", name)).encode() for name in forms.names]
        codes = forms.codes
        ends = np.cumsum(np.array([len(each) for each in table], np.int64)[codes])
        return Text(np.frombuffer(b"".join([table[code] for code in codes.tolist()]), np.uint8), ends)


def token_rows(corpus: Corpus) -> Rows:
    """Return the first row of each token of the text: every word is one but those that a range covers."""
    if corpus.ranges is None:
        return np.arange(len(corpus))
    steps = np.zeros(len(corpus) + 1, np.int64)
    steps[corpus.ranges.begin] += 1
    steps[corpus.ranges.end] -= 1  # a range may end where the next begins
    first = np.cumsum(steps[:-1]) == 0
    first[corpus.ranges.begin] = True
    return np.flatnonzero(first)


@dataclass(frozen=True, eq=False)
class Text:
    """The bytes of a text without white space, and where each token ends in it."""

    data: NDArray[np.uint8]
    ends: Rows

    @cached_property
    def begins(self) -> Rows:
        """Where each token begins."""
        return np.concatenate([np.zeros(1, np.int64), self.ends[:-1]])

    def token_at(self, place: int) -> int:
        """Return the token that holds a byte, or the last one."""
        return min(int(np.searchsorted(self.ends, place, side="right")), len(self.ends) - 1)


def without_spaces(form: str) -> str:
    r"""Return a form without white space (Unicode category Zs) inside.

    >>> without_spaces("10\xa0000")
    '10000'
    """
    if form.isascii():
        return form.replace(" ", "")
    return "".join(character for character in form if unicodedata.category(character) != "Zs")


def _gather(forms: Slices) -> NDArray[np.uint8]:
    """Lay the bytes of all forms end to end, some thousand at a time so that they stay in the processor's cache."""
    parts = []
    for cut in range(0, len(forms), _GATHERED):
        start = forms.start[cut : cut + _GATHERED].astype(np.int64)
        length = forms.length[cut : cut + _GATHERED].astype(np.int64)
        ends = np.cumsum(length)
        parts.append(forms.buffer[np.repeat(start - ends + length, length) + np.arange(ends[-1])])
    return np.concatenate(parts) if parts else np.zeros(0, np.uint8)


def _blank_bytes(data: NDArray[np.uint8]) -> Truths | None:
    """Return which bytes belong to white space, or None where none do."""
    found: Truths | None = None
    present = {0x20} if (data == 0x20).any() else set()
    present.update(np.unique(data[data >= 0x80]).tolist())
    for space in map(str.encode, _SPACES):
        if not present.issuperset(space):
            continue
        begins = np.ones(max(len(data) - len(space) + 1, 0), np.bool_)
        for place, byte in enumerate(space):
            begins &= data[place : place + len(begins)] == byte
        if begins.any():
            found = np.zeros(len(data), np.bool_) if found is None else found
            for place in range(len(space)):
                found[place : place + len(begins)] |= begins
    return found


@dataclass(frozen=True, eq=False, slots=True)
class Laid:
    """Two texts laid over each other, in the rows of both sides.

    Args:
        key_rows: the words of the key that have a counterpart.
        response_rows: the counterparts.
        key_tokens: the tokens of the key that the response has too, by their number in the surface.
        response_tokens: the same tokens by their number in the response's surface.

    """

    key_rows: Rows
    response_rows: Rows
    key_tokens: Rows
    response_tokens: Rows


@dataclass(frozen=True, eq=False, slots=True)
class Pieces:
    """Two texts cut where both have a token end: each piece holds some tokens of either side.

    Args:
        key: the first token of each piece on the key's side, and behind them the number of tokens.
        response: the same for the response.
        single: whether a piece is one token on both sides.
        simple: whether it is one that is a word itself on both sides.
        twin: whether it is one that stands for the same words on both sides.

    """

    key: Rows
    response: Rows
    single: Truths
    simple: Truths
    twin: Truths


def lay(
    key: Surface, response: Surface, texts: tuple[Text, Text], words: tuple[Slices, Slices], documents: Rows
) -> Laid:
    """Find the counterparts of words in two surfaces of equal text.

    Args:
        key: the tokens of the key.
        response: the tokens of the response.
        texts: what they make up.
        words: all words of both sides.
        documents: where documents begin in the text; what happens in one has no effect on the next.

    """
    pieces = _cut(key, response, texts, words)
    simple = np.flatnonzero(pieces.simple)
    key_rows, response_rows = [key.row[pieces.key[simple]]], [response.row[pieces.response[simple]]]
    first = np.searchsorted(pieces.key, np.searchsorted(texts[0].begins, documents))
    twins, astray = _others(pieces, first)
    key_rows.append(words_of(key, pieces.key[twins]))
    response_rows.append(words_of(response, pieces.response[twins]))
    walk = _Walk(key, response, texts, words)
    walk.over(pieces, _runs(astray, first))
    key_rows.append(np.array([row for row, _ in walk.pairs], np.int64))
    response_rows.append(np.array([row for _, row in walk.pairs], np.int64))
    single = np.flatnonzero(pieces.single)
    return Laid(np.concatenate(key_rows), np.concatenate(response_rows), pieces.key[single], pieces.response[single])


def _others(pieces: Pieces, first: Rows) -> tuple[Rows, Rows]:
    """Return which of the pieces that are not simple can be taken word by word, and which need a walk.

    A walk through the words that was led astray by one piece is back in step at the next simple one only, or at the
    first of a document.
    """
    others = np.flatnonzero(~pieces.simple)
    tangled = np.cumsum(~pieces.twin[others])
    runs = np.flatnonzero(_starts(others, first))
    before = np.append(0, tangled)[runs]
    astray = tangled > np.repeat(before, np.diff(runs, append=len(others)))
    return others[~astray], others[astray]


def _starts(numbers: Rows, cuts: Rows) -> Truths:
    """Return where runs of consecutive numbers begin; runs are cut before some numbers."""
    found: Truths = (np.diff(numbers, prepend=-2) > 1) | np.isin(numbers, cuts)
    return found


def _cut(key: Surface, response: Surface, texts: tuple[Text, Text], words: tuple[Slices, Slices]) -> Pieces:
    """Cut two texts into the smallest pieces that both sides cut out."""
    mine, theirs = texts
    marked = np.zeros(len(mine.data) + 1, np.bool_)
    marked[theirs.begins] = True
    first = np.flatnonzero(np.append(marked[mine.begins], True))
    marked[:] = False
    marked[mine.begins] = True
    other = np.flatnonzero(np.append(marked[theirs.begins], True))
    in_key, in_response = first[:-1], other[:-1]
    single = (np.diff(first) == 1) & (np.diff(other) == 1)
    simple = single & ~key.covering[in_key] & ~response.covering[in_response]
    twin = np.zeros(len(single), np.bool_)
    both = np.flatnonzero(single & key.covering[in_key] & response.covering[in_response])
    twin[both] = _same_words(key.take(in_key[both]), response.take(in_response[both]), words)
    return Pieces(first, other, single, simple, twin)


def words_of(surface: Surface, tokens: Rows | None = None) -> Rows:
    """Return the rows of all words of some tokens, or of all."""
    tokens = np.arange(len(surface)) if tokens is None else tokens
    begin, size = surface.row[tokens], surface.end[tokens] - surface.row[tokens]
    return np.repeat(begin - np.cumsum(size) + size, size) + np.arange(int(size.sum()))


def _same_words(key: Surface, response: Surface, words: tuple[Slices, Slices]) -> Truths:
    """Whether tokens stand, pair by pair, for the same words."""
    size = key.end - key.row
    same: Truths = size == response.end - response.row
    pairs = np.flatnonzero(same)
    every = np.arange(len(key))[pairs]
    mine, theirs = words_of(key, every), words_of(response, every)
    unlike = np.repeat(pairs, size[pairs])[~words[0].take(mine).same(words[1].take(theirs))]
    same[unlike] = False
    return same


def _runs(numbers: Rows, cuts: Rows) -> Rows:
    """Return begin and end of each run of consecutive numbers; runs are cut before some numbers."""
    starts = _starts(numbers, cuts)
    return np.stack([numbers[starts], numbers[np.append(starts[1:], starts[:1])] + 1], axis=1)


@dataclass(frozen=True, slots=True)
class _Word:
    """A word on its way through an alignment: the characters of its token, and what it is compared by."""

    begin: int
    end: int
    covered: bool
    form: str
    row: int


class _Walk:
    """The walk of the CoNLL 2018 evaluation through the words of both sides, in the few places that need it."""

    def __init__(self, key: Surface, response: Surface, texts: tuple[Text, Text], words: tuple[Slices, Slices]) -> None:
        self.sides = (key, response)
        self.texts = texts
        self.words = words
        self.pairs: list[tuple[int, int]] = []

    def over(self, pieces: Pieces, runs: Rows) -> None:
        """Align the words of some runs of pieces.

        Where no token stands for several words there is nothing to align: a token that both sides have would be a
        piece of its own.
        """
        mine, theirs = pieces.key[runs], pieces.response[runs]
        covering = np.zeros(len(runs), np.bool_)
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
