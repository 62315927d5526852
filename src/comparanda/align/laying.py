"""One text laid over another of the same characters, however the two are cut.

The words are found as the CoNLL 2018 shared task does it: a word that is a token itself has a counterpart
if the other side has a token of just the same characters; the words of tokens that stand for several
words (3-4) are aligned with those of the overlapping tokens by a longest common subsequence of their
lower-cased forms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align.surface import Surface, Text, words_of
from comparanda.align.walk import Walk

if TYPE_CHECKING:
    from comparanda.columns import Rows, Slices, Truths


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
    walk = Walk(key, response, texts, words)
    runs = _runs(astray, first)
    walk.over(pieces.key[runs], pieces.response[runs])
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
