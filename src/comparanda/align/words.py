"""Alignment of the words of a response with the key's: row by row if they are the same, else by the text."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.align.edits import TOLERANCE, Block, CommonPositions, count_edited, find_edits
from comparanda.align.maps import NONE, Segments, Surplus, row_map
from comparanda.core.places import Note, first_places
from comparanda.core.text_columns import Slices
from comparanda.errors import AlignError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.align.maps import Mapped, RowMap, TextPolicy
    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Rows, Truths


# The text of a corpus as a sequence of tokens. White space is ignored.


_GATHER_BLOCK = 1 << 15
_SPACES = [character for character in map(chr, range(0x3001)) if unicodedata.category(character) == "Zs"]


@dataclass(frozen=True, eq=False)
class Surface:
    """The tokens of a text, in order.

    Args:
        forms: the tokens' forms in the text, including white space.
        row: the row of the first word of each token.
        end: the row after its last word.
        covering: whether it is a multi-word token, whose words are separate rows.

    """

    forms: Slices
    row: Rows
    end: Rows
    covering: Truths

    @classmethod
    def of(cls, corpus: Corpus) -> Surface:
        """Make the tokens of a whole corpus."""
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
        """Select and reorder tokens."""
        return Surface(self.forms.take(tokens), self.row[tokens], self.end[tokens], self.covering[tokens])

    @cached_property
    def text(self) -> Text:
        """The characters of all tokens, without white space."""
        gathered, ends = _gather_bytes(self.forms), np.cumsum(self.forms.length, dtype=np.int64)
        blank = _blank_bytes(gathered)
        if blank is None:
            return Text(gathered, ends)
        before = np.concatenate([[0], np.cumsum(blank)])
        return Text(gathered[~blank], ends - before[ends])

    @cached_property
    def composed(self) -> Text:
        """The characters of all tokens in Unicode normal form NFC, without white space."""
        forms = self.forms.intern()
        table = [without_spaces(unicodedata.normalize("NFC", name)).encode() for name in forms.names]
        codes = forms.codes
        ends = np.cumsum(np.array([len(each) for each in table], np.int64)[codes])
        return Text(np.frombuffer(b"".join([table[code] for code in codes.tolist()]), np.uint8), ends)


def token_rows(corpus: Corpus) -> Rows:
    """Return the first row of each token of the text: all words are tokens except those covered by a range."""
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
    """The bytes of a text without white space, and the end of each token in it."""

    data: NDArray[np.uint8]
    ends: Rows

    @cached_property
    def begins(self) -> Rows:
        """The begin of each token."""
        return np.concatenate([np.zeros(1, np.int64), self.ends])[: len(self.ends)]

    def token_at(self, place: int) -> int:
        """Return the token that contains a byte, or the last one."""
        return min(int(np.searchsorted(self.ends, place, side="right")), len(self.ends) - 1)


def without_spaces(form: str) -> str:
    r"""Remove white space (Unicode category Zs) from a form.

    >>> without_spaces("10\xa0000")
    '10000'
    """
    if form.isascii():
        return form.replace(" ", "")
    return "".join(character for character in form if unicodedata.category(character) != "Zs")


def _gather_bytes(forms: Slices) -> NDArray[np.uint8]:
    """Concatenate the bytes of all forms, some thousand at a time so that they fit into the processor's cache."""
    parts = []
    for cut in range(0, len(forms), _GATHER_BLOCK):
        start = forms.start[cut : cut + _GATHER_BLOCK].astype(np.int64)
        length = forms.length[cut : cut + _GATHER_BLOCK].astype(np.int64)
        ends = np.cumsum(length)
        parts.append(forms.buffer[np.repeat(start - ends + length, length) + np.arange(ends[-1])])
    return np.concatenate(parts) if parts else np.zeros(0, np.uint8)


def _blank_bytes(data: NDArray[np.uint8]) -> Truths | None:
    """Whether each byte belongs to white space; None if none does."""
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


def words_of(surface: Surface, tokens: Rows | None = None) -> Rows:
    """Return the rows of all words of some tokens, or of all."""
    tokens = np.arange(len(surface)) if tokens is None else tokens
    begin, size = surface.row[tokens], surface.end[tokens] - surface.row[tokens]
    return np.repeat(begin - np.cumsum(size) + size, size) + np.arange(int(size.sum()))


# The word alignment of the CoNLL 2018 evaluation, for the few places that need it.
#
# It is reproduced step by step, so that every count equals the shared task's, even where it skips a word that another
# alignment would match.


_MAX_CELLS = 1 << 24


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    """A word to be aligned: the character range of its token, and the form by which it is compared."""

    begin: int
    end: int
    covered: bool
    form: str
    row: int


class Walk:
    """Aligns the words of both sides and collects the pairs of corresponding rows."""

    def __init__(self, key: Surface, response: Surface, texts: tuple[Text, Text], words: tuple[Slices, Slices]) -> None:
        self.sides = (key, response)
        self.texts = texts
        self.words = words
        self.pairs: list[tuple[int, int]] = []

    def align_runs(self, mine: Rows, theirs: Rows) -> None:
        """Align the words of runs of tokens, given by their begin and end on both sides.

        Runs without multi-word tokens have nothing to align: a token that both sides have would be a
        piece of its own.
        """
        covering = np.zeros(len(mine), np.bool_)
        for side, tokens in zip(self.sides, (mine, theirs), strict=True):
            first, last = np.searchsorted(np.flatnonzero(side.covering), tokens.T)
            covering |= last > first
        for here, there in zip(mine[covering].tolist(), theirs[covering].tolist(), strict=True):
            self.align_run(slice(*here), slice(*there))

    def align_run(self, key_tokens: slice, response_tokens: slice) -> None:
        """Align the words of consecutive tokens, which begin and end at the same places on both sides."""
        mine, theirs = self._list_words(0, key_tokens), self._list_words(1, response_tokens)
        here = there = 0
        while here < len(mine) and there < len(theirs):
            one, other = mine[here], theirs[there]
            if one.covered or other.covered:
                first, second, here, there = _find_overlap(mine, theirs, here, there)
                self.pairs += _common_subsequence(mine[first:here], theirs[second:there])
            elif (one.begin, one.end) == (other.begin, other.end):
                self.pairs.append((one.row, other.row))
                here, there = here + 1, there + 1
            elif one.begin <= other.begin:
                here += 1
            else:
                there += 1

    def _list_words(self, side: int, tokens: slice) -> list[_Word]:
        surface, text, words = self.sides[side], self.texts[side], self.words[side]
        found: list[_Word] = []
        columns = (text.begins, text.ends, surface.covering, surface.row, surface.end)
        for begin, end, covered, first, stop in zip(*(column[tokens].tolist() for column in columns), strict=True):
            forms = ((row, without_spaces(words[row]).lower()) for row in range(first, stop))
            found += [_Word(begin=begin, end=end, covered=covered, form=form, row=row) for row, form in forms]
        return found


def _find_overlap(mine: list[_Word], theirs: list[_Word], here: int, there: int) -> tuple[int, int, int, int]:
    """Find the begin and end, on both sides, of the words that are connected by overlapping multi-word tokens."""
    if mine[here].covered:
        end = mine[here].end
        if not theirs[there].covered and theirs[there].begin < mine[here].begin:
            there += 1
    else:
        end = theirs[there].end
        if mine[here].begin < theirs[there].begin:
            here += 1
    first, second = here, there
    while not _is_beyond(mine, here, end) or not _is_beyond(theirs, there, end):
        if here < len(mine) and (there >= len(theirs) or mine[here].begin <= theirs[there].begin):
            end = max(end, mine[here].end) if mine[here].covered else end
            here += 1
        else:
            end = max(end, theirs[there].end) if theirs[there].covered else end
            there += 1
    return first, second, here, there


def _is_beyond(words: list[_Word], place: int, end: int) -> bool:
    if place >= len(words):
        return True
    return words[place].begin >= end if words[place].covered else words[place].end > end


def _common_subsequence(mine: list[_Word], theirs: list[_Word]) -> list[tuple[int, int]]:
    """Return the pairs of a longest common subsequence of forms; of several, the one that matches earliest."""
    pairs = []
    same = 0
    while same < min(len(mine), len(theirs)) and mine[same].form == theirs[same].form:
        pairs.append((mine[same].row, theirs[same].row))
        same += 1
    mine, theirs = mine[same:], theirs[same:]
    if not mine or not theirs:
        return pairs
    if len(mine) * len(theirs) > _MAX_CELLS:
        raise AlignError(
            f"{len(mine):,} words of the key overlap {len(theirs):,} words of the system output in one token"
        )
    longest = _subsequence_lengths([word.form for word in mine], [word.form for word in theirs])
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


def _subsequence_lengths(mine: list[str], theirs: list[str]) -> list[list[int]]:
    """Compute the length of the longest common subsequence of every pair of suffixes."""
    longest = [[0] * (len(theirs) + 1) for _ in range(len(mine) + 1)]
    for here in reversed(range(len(mine))):
        for there in reversed(range(len(theirs))):
            both = longest[here + 1][there + 1] + 1 if mine[here] == theirs[there] else 0
            longest[here][there] = max(both, longest[here + 1][there], longest[here][there + 1])
    return longest


# Alignment of two texts with the same characters and any tokenisation.
#
# Words are matched as in the CoNLL 2018 shared task: a word that is a token itself has a counterpart
# if the other side has a token of exactly the same characters; the words of multi-word tokens (3-4)
# are aligned with those of the overlapping tokens by a longest common subsequence of their
# lower-cased forms.


@dataclass(frozen=True, eq=False, slots=True)
class TextAlignment:
    """The alignment of two texts, as rows and tokens of both sides.

    Args:
        key_rows: the words of the key that have a counterpart.
        response_rows: the counterparts.
        key_tokens: the tokens of the key that the response also has, by their index in the key's surface.
        response_tokens: the same tokens by their index in the response's surface.

    """

    key_rows: Rows
    response_rows: Rows
    key_tokens: Rows
    response_tokens: Rows


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Pieces:
    """Two texts split where both have a token boundary: each piece consists of tokens of either side.

    Args:
        key: the first token of each piece on the key's side, followed by the number of tokens.
        response: the same for the response.
        single: whether a piece is one token on both sides.
        simple: whether it is also one word on both sides.
        twin: whether it is a multi-word token with the same words on both sides.

    """

    key: Rows
    response: Rows
    single: Truths
    simple: Truths
    twin: Truths


def align_surfaces(
    key: Surface, response: Surface, texts: tuple[Text, Text], words: tuple[Slices, Slices], *, documents: Rows
) -> TextAlignment:
    """Align the words of two surfaces with the same text.

    Args:
        key: the tokens of the key.
        response: the tokens of the response.
        texts: the texts that they form.
        words: all words of both sides.
        documents: where documents begin in the text; the alignment of one does not affect the next.

    """
    pieces = _cut_common_pieces(key, response, texts, words)
    simple = np.flatnonzero(pieces.simple)
    key_rows, response_rows = [key.row[pieces.key[simple]]], [response.row[pieces.response[simple]]]
    first = np.searchsorted(pieces.key, np.searchsorted(texts[0].begins, documents))
    twins, astray = _split_complex_pieces(pieces, first)
    key_rows.append(words_of(key, pieces.key[twins]))
    response_rows.append(words_of(response, pieces.response[twins]))
    walk = Walk(key, response, texts, words)
    runs = _run_bounds(astray, first)
    walk.align_runs(pieces.key[runs], pieces.response[runs])
    key_rows.append(np.array([row for row, _ in walk.pairs], np.int64))
    response_rows.append(np.array([row for _, row in walk.pairs], np.int64))
    single = np.flatnonzero(pieces.single)
    return TextAlignment(
        np.concatenate(key_rows), np.concatenate(response_rows), pieces.key[single], pieces.response[single]
    )


def _split_complex_pieces(pieces: Pieces, first: Rows) -> tuple[Rows, Rows]:
    """Split the pieces that are not simple into those that match word by word and those that must be aligned.

    After a piece that must be aligned, the shared task's algorithm is in step again only at the next simple one, or at
    the first of a document.
    """
    others = np.flatnonzero(~pieces.simple)
    tangled = np.cumsum(~pieces.twin[others])
    runs = np.flatnonzero(_run_starts(others, first))
    before = np.append(0, tangled)[runs]
    astray = tangled > np.repeat(before, np.diff(runs, append=len(others)))
    return others[~astray], others[astray]


def _run_starts(numbers: Rows, cuts: Rows) -> Truths:
    """Whether a run of consecutive numbers begins at each number; runs are also split before the given numbers."""
    found: Truths = (np.diff(numbers, prepend=-2) > 1) | np.isin(numbers, cuts)
    return found


def _cut_common_pieces(
    key: Surface, response: Surface, texts: tuple[Text, Text], words: tuple[Slices, Slices]
) -> Pieces:
    """Split two texts into the smallest pieces that are bounded by tokens of both sides."""
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
    twin[both] = _cover_same_words(key.take(in_key[both]), response.take(in_response[both]), words)
    return Pieces(key=first, response=other, single=single, simple=simple, twin=twin)


def _cover_same_words(key: Surface, response: Surface, words: tuple[Slices, Slices]) -> Truths:
    """Whether each pair of multi-word tokens has the same words."""
    size = key.end - key.row
    same: Truths = size == response.end - response.row
    pairs = np.flatnonzero(same)
    every = np.arange(len(key))[pairs]
    mine, theirs = words_of(key, every), words_of(response, every)
    unlike = np.repeat(pairs, size[pairs])[~words[0].take(mine).same(words[1].take(theirs))]
    same[unlike] = False
    return same


def _run_bounds(numbers: Rows, cuts: Rows) -> Rows:
    """Return the begin and end of each run of consecutive numbers; runs are also split before the given numbers."""
    starts = _run_starts(numbers, cuts)
    return np.stack([numbers[starts], numbers[np.append(starts[1:], starts[:1])] + 1], axis=1)


_CONTEXT_TOKENS = 3
_LOOK_BACK = 50
_MAX_FORM_LENGTH = 30


OTHER_BOUNDARIES = "sentence boundaries that differ from the key's, which are used"
"""The text of the note about them."""


def same_words(key: Corpus, response: Corpus) -> bool:
    """Whether both sides have the same words, row by row."""
    if len(key) != len(response) or key.words is None or response.words is None:
        return False
    return key.words is response.words or bool(key.words.same(response.words).all())


def note_cuts(key: Corpus, response: Corpus) -> list[Note]:
    """Note the number of sentence boundaries that differ, if rows correspond one to one."""
    if np.array_equal(key.sentences, response.sentences):
        return []
    return _note_other_boundaries(response, key.sentences, response.sentences)


def _note_other_boundaries(response: Corpus, mine: Rows, theirs: Rows) -> list[Note]:
    marked = np.zeros(int(max(mine.max(initial=0), theirs.max(initial=0))) + 1, np.bool_)
    marked[mine] = True
    extra = len(mine) + len(theirs) - 2 * int(np.count_nonzero(marked[theirs]))
    return [Note(response.name, OTHER_BOUNDARIES, extra)] if extra else []


def same_ranges(key: Corpus, response: Corpus) -> bool:
    """Whether both sides have the same multi-word tokens."""
    mine, theirs = key.ranges, response.ranges
    if mine is None or theirs is None:
        return mine is theirs
    if not (np.array_equal(mine.begin, theirs.begin) and np.array_equal(mine.end, theirs.end)):
        return False
    forms = Slices(key.source.buffer, mine.start, mine.length)
    return bool(forms.same(Slices(response.source.buffer, theirs.start, theirs.length)).all())


def segments_of_same_tokens(key: Corpus, response: Corpus) -> Segments | None:
    """Match the sentences of two corpora that have the same tokens."""
    if np.array_equal(key.sentences, response.sentences):
        return None
    sentences = _find_common_spans(
        key.sentences[:-1], key.sentences[1:], response.sentences[:-1], response.sentences[1:]
    )
    return Segments(token_rows(key), token_rows(response), sentences)


def _find_common_spans(begin: Rows, end: Rows, other_begin: Rows, other_end: Rows) -> Rows:
    """Find the spans of one list that occur in another; both are sorted, and few spans share a begin."""
    if not len(other_begin):
        return np.zeros(0, np.int64)
    place = np.minimum(np.searchsorted(other_begin, begin, side="right") - 1, len(other_begin) - 1)
    return np.flatnonzero((other_begin[place] == begin) & (other_end[place] == end))


@dataclass(frozen=True, eq=False)
class _Side:
    """One side of a text alignment.

    Args:
        corpus: the whole corpus.
        words: its words.
        surface: the tokens that are compared, in order of comparison.
        documents: the number of tokens up to the end of each document, or group of documents, that is compared.

    """

    corpus: Corpus
    words: Slices
    surface: Surface
    documents: Rows

    @classmethod
    def of(cls, corpus: Corpus, words: Slices, surface: Surface, groups: list[list[int]] | None) -> _Side:
        """Select the groups of documents to compare, each as one text; None treats the corpus as one text."""
        if groups is None:
            return cls(corpus, words, surface, np.array([len(surface)]))
        bounds = np.searchsorted(surface.row, corpus.row_documents)
        whole = cls(corpus, words, surface, bounds[1:]).only([each for group in groups for each in group])
        ends = np.cumsum([len(group) for group in groups])
        return replace(whole, documents=np.concatenate([[0], whole.documents])[ends])

    def tokens_of(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return the compared ones of some rows, and their tokens."""
        surface = self.surface
        order = np.argsort(surface.row, kind="stable")  # already sorted, unless documents were reordered
        token = order[np.searchsorted(surface.row, rows, side="right", sorter=order) - 1]
        there = (surface.row[token] <= rows) & (rows < surface.end[token])
        return rows[there], token[there]

    def sentences(self, text: Text) -> tuple[Rows, Rows, Rows]:
        """Return the sentences that are compared: their numbers, and their begins and ends in a text."""
        begins = np.zeros(len(self.corpus) + 1, np.bool_)
        begins[self.corpus.sentences] = True
        first = np.flatnonzero(begins[self.surface.row])
        last = np.append(first[1:], len(self.surface))[: len(first)] - 1
        number = np.searchsorted(self.corpus.sentences, self.surface.row[first])
        return number, text.begins[first], text.ends[last]

    def ends(self, text: Text) -> Rows:
        """Return the end of each document in a text."""
        return np.concatenate([[0], text.ends])[self.documents]

    def bounds(self, document: int) -> tuple[int, int]:
        """Return the first token of a document, and the one after its last."""
        return int(self.documents[document - 1]) if document else 0, int(self.documents[document])

    def only(self, documents: list[int]) -> _Side:
        """Select and reorder documents, by their index among those that are compared."""
        if documents == list(range(len(self.documents))):
            return self
        bounds = np.concatenate([[0], self.documents])
        tokens = [np.arange(bounds[number], bounds[number + 1]) for number in documents]
        return replace(
            self,
            surface=self.surface.take(np.concatenate(tokens)),
            documents=np.cumsum([len(each) for each in tokens]),
        )

    def solid(self) -> _Side:
        """Drop the tokens that consist of white space: they have no position in a text without it."""
        return self.keep(np.diff(self.surface.text.ends, prepend=0) > 0)

    def keep(self, keep: Truths) -> _Side:
        """Select some tokens."""
        if keep.all():
            return self
        documents = np.concatenate([[0], np.cumsum(keep)])[self.documents]
        return replace(self, surface=self.surface.take(np.flatnonzero(keep)), documents=documents)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _DocumentMatches:
    """The matches in the documents of two sides.

    Args:
        key_rows: the words of the key that have a counterpart.
        response_rows: the counterparts.
        tokens: the tokens that both have, by their first row in the key.
        sentences: the sentences that both have, by their number in the key.
        cuts: where the sentences of the key begin, and where those of the response do.
        surplus: the words of the response without a counterpart.
        notes: observations made while matching.
        edited: whether the text of each row of the response differs from the key's; None if texts are equal.

    """

    key_rows: Rows
    response_rows: Rows
    tokens: Rows
    sentences: Rows
    cuts: tuple[Rows, Rows]
    surplus: Surplus | None
    notes: list[Note]
    edited: Truths | None = None


def lay_text(
    key: Corpus,
    surface: Surface,
    response: Corpus,
    groups: Sequence[tuple[list[int], list[int]]] | None = None,
    *,
    texts: TextPolicy = "exact",
) -> Mapped:
    """Align a response with the key by its characters.

    Documents with the same words, whose multi-word tokens form a different text, are matched row by row.

    Args:
        key: the key.
        surface: its tokens.
        response: the response.
        groups: the documents to align, by their numbers on both sides; those of one group are one text. None to align
            the whole corpora.
        texts: whether texts must be equal, or may differ in a few characters.

    """
    if key.words is None or response.words is None:
        raise AssertionError("a text without words cannot be aligned")
    mine = _Side.of(key, key.words, surface, None if groups is None else [each for each, _ in groups])
    theirs = _Side.of(
        response, response.words, Surface.of(response), None if groups is None else [each for _, each in groups]
    )
    by_row = [number for number in _find_different_documents(mine, theirs) if _has_same_rows(mine, theirs, number)]
    by_text = sorted({*range(len(mine.documents))} - {*by_row})
    found = [_match_by_text(mine.only(by_text), theirs.only(by_text), texts)] if by_text else []
    found += [_match_by_row(mine.only(by_row), theirs.only(by_row))] if by_row else []
    key_rows, response_rows, tokens, sentences = (
        np.concatenate([getattr(each, name) for each in found])
        for name in ("key_rows", "response_rows", "tokens", "sentences")
    )
    mapped = row_map(len(key), len(response), key_rows, response_rows)
    surplus = next((each.surplus for each in found if each.surplus is not None), None)
    notes = [note for each in found for note in each.notes]
    notes += [note for each in found for note in _note_other_boundaries(response, *each.cuts)]
    notes += _note_unaligned(mine, response, mapped, surplus)
    edited = next((each.edited for each in found if each.edited is not None), None)
    return replace(mapped, surplus=surplus, edited=edited), Segments(tokens, theirs.surface.row, sentences), notes


def _find_different_documents(mine: _Side, theirs: _Side) -> list[int]:
    """Find the documents with different texts, by their index among those that are compared."""
    texts = mine.surface.text, theirs.surface.text
    ends, other_ends = mine.ends(texts[0]), theirs.ends(texts[1])
    if np.array_equal(ends, other_ends):
        unlike = np.flatnonzero(texts[0].data != texts[1].data)
        return [int(number) for number in np.unique(np.searchsorted(ends, unlike, side="right"))]
    begins, other_begins = (np.concatenate([[0], each[:-1]]) for each in (ends, other_ends))
    bounds = zip(begins.tolist(), ends.tolist(), other_begins.tolist(), other_ends.tolist(), strict=True)
    return [
        number
        for number, (begin, end, other_begin, other_end) in enumerate(bounds)
        if not np.array_equal(texts[0].data[begin:end], texts[1].data[other_begin:other_end])
    ]


def _has_same_rows(mine: _Side, theirs: _Side, document: int) -> bool:
    """Whether a document has the same words on both sides, row by row."""
    rows = [words_of(side.only([document]).surface) for side in (mine, theirs)]
    if len(rows[0]) != len(rows[1]):
        return False
    return bool(mine.words.take(rows[0]).same(theirs.words.take(rows[1])).all())


def _match_by_row(mine: _Side, theirs: _Side) -> _DocumentMatches:
    """Match documents row by row; tokens and sentences match if they cover the same rows."""
    nothing = np.zeros(0, np.uint8)
    texts = [Text(nothing, np.cumsum(side.surface.end - side.surface.row)) for side in (mine, theirs)]
    tokens = _find_common_spans(texts[0].begins, texts[0].ends, texts[1].begins, texts[1].ends)
    numbers, begins, ends = mine.sentences(texts[0])
    _, other_begins, other_ends = theirs.sentences(texts[1])
    sentences = numbers[_find_common_spans(begins, ends, other_begins, other_ends)]
    what = "documents with the key's words but a different text (multi-word tokens differ), matched row by row"
    return _DocumentMatches(
        key_rows=words_of(mine.surface),
        response_rows=words_of(theirs.surface),
        tokens=mine.surface.row[tokens],
        sentences=sentences,
        cuts=(begins, other_begins),
        surplus=None,
        notes=[Note(theirs.corpus.name, what, len(mine.documents))],
    )


def _match_by_text(mine: _Side, theirs: _Side, policy: TextPolicy) -> _DocumentMatches:
    """Match documents by their characters."""
    if policy == "tolerate" and not _have_equal_texts(mine, theirs):
        return _match_similar_texts(mine, theirs)
    solid = mine.solid(), theirs.solid()
    texts = _require_equal_texts(*solid)
    starts = np.unique(np.concatenate([[0], solid[0].ends(texts[0])[:-1]]))
    alignment = align_surfaces(
        solid[0].surface, response=solid[1].surface, texts=texts, words=(mine.words, theirs.words), documents=starts
    )
    as_written = texts[1] is solid[1].surface.text
    notes = [] if as_written else _note_normalised(*solid, alignment)
    whole = [side.surface.text if as_written else side.surface.composed for side in (mine, theirs)]
    numbers, begins, ends = mine.sentences(whole[0])  # of all words: white space alone may begin a sentence
    _, other_begins, other_ends = theirs.sentences(whole[1])
    return _DocumentMatches(
        key_rows=alignment.key_rows,
        response_rows=alignment.response_rows,
        tokens=solid[0].surface.row[alignment.key_tokens],
        sentences=numbers[_find_common_spans(begins, ends, other_begins, other_ends)],
        cuts=(begins, other_begins),
        surplus=_find_surplus(solid[0], text=texts[0], theirs=theirs, own=whole[1], aligned=alignment.response_rows),
        notes=notes,
    )


def _have_equal_texts(mine: _Side, theirs: _Side) -> bool:
    """Whether texts are equal, as written or in Unicode normal form."""
    for texts in ((mine.surface.text, theirs.surface.text), (mine.surface.composed, theirs.surface.composed)):
        if _find_first_difference(mine, theirs, texts) is None:
            return True
    return False


def _match_similar_texts(mine: _Side, theirs: _Side) -> _DocumentMatches:
    """Match documents that differ in a few characters, by the positions that both texts have in common.

    Words of characters that only one side has are without a counterpart, and at the next word.
    """
    given = mine.surface.composed, theirs.surface.composed
    ends = [_character_ends(text) for text in given]
    common, notes = _align_characters(mine, theirs, given, ends)
    nothing = np.zeros(0, np.uint8)
    whole = Text(nothing, common.mine[ends[0]]), Text(nothing, common.theirs[ends[1]])
    keep = [np.diff(text.ends, prepend=0) > 0 for text in whole]
    solid = mine.keep(keep[0]), theirs.keep(keep[1])
    size = int(common.mine[-1])
    texts = tuple(Text(np.zeros(size, np.uint8), text.ends[some]) for text, some in zip(whole, keep, strict=True))
    starts = np.unique(np.concatenate([[0], solid[0].ends(texts[0])[:-1]]))
    alignment = align_surfaces(
        solid[0].surface,
        response=solid[1].surface,
        texts=(texts[0], texts[1]),
        words=(mine.words, theirs.words),
        documents=starts,
    )
    numbers, begins, stops = mine.sentences(whole[0])
    _, other_begins, other_ends = theirs.sentences(whole[1])
    surplus = _find_surplus(solid[0], text=texts[0], theirs=theirs, own=whole[1], aligned=alignment.response_rows)
    return _DocumentMatches(
        key_rows=alignment.key_rows,
        response_rows=alignment.response_rows,
        tokens=solid[0].surface.row[alignment.key_tokens],
        sentences=numbers[_find_common_spans(begins, stops, other_begins, other_ends)],
        cuts=(begins, other_begins),
        surplus=None if surplus is None else _to_bytes(surplus, mine, given[0], common, kept=keep[0]),
        notes=notes,
        edited=_find_edited_rows(theirs, ends[1], common),
    )


def _character_ends(text: Text) -> Rows:
    """Return the end of each token in characters, not bytes."""
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum((text.data & 0xC0) != 0x80)])
    return before[text.ends]


def _align_characters(
    mine: _Side, theirs: _Side, texts: tuple[Text, Text], ends: Sequence[Rows]
) -> tuple[CommonPositions, list[Note]]:
    """Align the characters of all documents; refuse documents of which more differ than are tolerated."""
    plain = [text.data.tobytes().decode() for text in texts]
    bounds = [
        np.concatenate([[0], np.concatenate([[0], each])[side.documents]]).tolist()
        for side, each in zip((mine, theirs), ends, strict=True)
    ]
    blocks: list[Block] = []
    for number in range(len(mine.documents)):
        begin, end = bounds[0][number : number + 2]
        other, until = bounds[1][number : number + 2]
        found = find_edits(plain[0][begin:end], plain[1][other:until])
        if found is None:
            place = _find_first_difference(mine.only([number]), theirs.only([number]), _composed(mine, theirs, number))
            problem = _different_text_error(
                mine.only([number]), theirs.only([number]), _composed(mine, theirs, number), place or 0
            )
            more = f"more than {TOLERANCE:.0%} of the characters differ, too many for --texts tolerate"
            raise AlignError(problem.what, where=problem.where, details=[*problem.details, more], hint=problem.hint)
        blocks += [(begin + a, begin + b, other + c, other + d) for a, b, c, d in found]
    response = theirs.corpus
    first = tuple(_describe_edit(block, (mine, theirs), ends) for block in blocks[:3])
    what = "characters that differ from the key's text (--texts tolerate)"
    notes = [Note(response.name, what, count_edited(blocks), first)]
    return CommonPositions.of((len(plain[0]), len(plain[1])), blocks), notes


def _composed(mine: _Side, theirs: _Side, document: int) -> tuple[Text, Text]:
    return mine.only([document]).surface.composed, theirs.only([document]).surface.composed


def _describe_edit(block: Block, sides: tuple[_Side, _Side], ends: Sequence[Rows]) -> str:
    """Describe a difference by the words on both sides, with its place in the response."""
    shown, place = [], ""
    for side, begin, stop, bounds in zip(sides, block[::2], block[1::2], ends, strict=True):
        first = min(int(np.searchsorted(bounds, begin, side="right")), len(side.surface) - 1)
        last = int(np.searchsorted(bounds, max(stop - 1, begin), side="right"))
        shown.append(_format_tokens(side, first, min(last, first + _CONTEXT_TOKENS) + 1))
        place = str(side.corpus.location(int(side.surface.row[first])))
    return f"{place} {shown[1]} for {shown[0]}"


def _to_bytes(surplus: Surplus, mine: _Side, text: Text, common: CommonPositions, *, kept: Truths) -> Surplus:
    """Convert the positions of surplus words from common positions to bytes of the key's text."""
    tokens = np.flatnonzero(kept)
    order = np.argsort(mine.surface.row[tokens], kind="stable")
    token = tokens[order[np.searchsorted(mine.surface.row[tokens], surplus.near, side="right", sorter=order) - 1]]
    lead = np.append(np.flatnonzero((text.data & 0xC0) != 0x80), len(text.data))
    base = text.begins[token]
    origin = common.mine[np.searchsorted(lead, base)]

    def place(position: Rows, side: Literal["left", "right"]) -> Rows:
        character = np.searchsorted(common.mine, origin + position, side=side) - (side == "right")
        found: Rows = np.maximum(lead[character] - base, 0)
        return found

    begin = place(surplus.begin, "right")
    return replace(surplus, begin=begin, end=np.maximum(place(surplus.end, "left"), begin))


def _find_edited_rows(theirs: _Side, ends: Rows, common: CommonPositions) -> Truths:
    """Whether the text of each row of the response differs from the key's."""
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(common.edited)])
    token = np.diff(before[ends], prepend=0) > 0
    found = np.zeros(len(theirs.corpus), np.bool_)
    found[words_of(theirs.surface, np.flatnonzero(token))] = True
    return found


def _find_surplus(mine: _Side, text: Text, theirs: _Side, own: Text, *, aligned: Rows) -> Surplus | None:
    """Find the words of the response that have no counterpart, and their positions in the key's text.

    `text` is the key's, `own` that of the response including words of white space.
    """
    alone = np.ones(len(theirs.corpus), np.bool_)
    alone[aligned] = False
    rows, token = theirs.tokens_of(np.flatnonzero(alone))
    if not rows.size:
        return None
    begin, end = own.begins[token], own.ends[token]
    near = np.searchsorted(text.begins, begin, side="right") - 1
    document = np.searchsorted(theirs.documents, token, side="right")
    near = np.minimum(
        near, mine.documents[document] - 1
    )  # white space at the end of a document is not part of the next
    origin = text.begins[near]
    return Surplus(rows, mine.surface.row[near], begin - origin, end - origin)


def _note_unaligned(mine: _Side, response: Corpus, mapped: RowMap, surplus: Surplus | None) -> list[Note]:
    """Note the numbers of words without a counterpart on either side."""
    notes = []
    if surplus is not None:
        places = first_places(response.source, response.offset[surplus.rows[:3]])
        notes.append(Note(response.name, "words tokenised differently from the key", len(surplus.rows), places))
    if mapped.to_response is not None:
        absent, _ = mine.tokens_of(np.flatnonzero(mapped.to_response == NONE))
        if absent.size:
            places = first_places(mine.corpus.source, mine.corpus.offset[absent[:3]])
            what = "words of the key without a counterpart here" + (
                ", counted as wrong" if response.spans is None else ""
            )
            notes.append(Note(response.name, what, len(absent), places))
    return notes


def _require_equal_texts(mine: _Side, theirs: _Side) -> tuple[Text, Text]:
    """Return both texts if they are equal, as written or in Unicode normal form; refuse them if not."""
    texts = mine.surface.text, theirs.surface.text
    if _find_first_difference(mine, theirs, texts) is None:
        return texts
    composed = mine.surface.composed, theirs.surface.composed
    if (place := _find_first_difference(mine, theirs, composed)) is not None:
        raise _different_text_error(mine, theirs, composed, place)
    return composed


def _find_first_difference(mine: _Side, theirs: _Side, texts: tuple[Text, Text]) -> int | None:
    """Find the first place at which two texts differ, or a document ends on one side only."""
    ends, other_ends = mine.ends(texts[0]), theirs.ends(texts[1])
    uneven = np.flatnonzero(ends != other_ends)
    limit = int(min(ends[uneven[0]], other_ends[uneven[0]])) if uneven.size else len(texts[0].data)
    unlike = np.flatnonzero(texts[0].data[:limit] != texts[1].data[:limit])
    if unlike.size:
        return int(unlike[0])
    return limit if uneven.size else None


def _different_text_error(mine: _Side, theirs: _Side, texts: tuple[Text, Text], place: int) -> AlignError:
    """Make the error for the first difference of two texts, with both places and their contexts."""
    if not len(mine.surface) or not len(theirs.surface):
        return _empty_text_error(mine, theirs)
    cut = _last_common_boundary(texts, place)
    before, found, places = "", [], []
    for side, text in zip((mine, theirs), texts, strict=True):
        token = text.token_at(cut)
        ends = side.ends(text)
        if cut == place and place in ends:  # the end of the document, or of the text
            begin, end = side.bounds(int(np.searchsorted(ends, place)))
            found.append("the end")
            before = before or _format_tokens(side, max(end - _CONTEXT_TOKENS, begin), end)
            token = end - 1
        else:
            begin, end = side.bounds(int(np.searchsorted(side.documents, token, side="right")))
            found.append(_format_tokens(side, token, min(text.token_at(place) + _CONTEXT_TOKENS, end)))
            before = before or _format_tokens(side, max(token - _CONTEXT_TOKENS, begin), token)
        places.append(str(side.corpus.location(int(side.surface.row[max(token, 0)]))))
    after = f"after {before}: " if before else "at the beginning: "
    details = [f"{after}{found[0]} in the key, {found[1]} in the system output"]
    if len(mine.corpus) == len(theirs.corpus) and theirs.corpus.format in {"columns", "hipe"}:
        details.append(
            "both have the same number of rows: if the words differ only in spelling, add ?word=none to the path"
        )
    details += _explain_hashes(mine.corpus, theirs.corpus)
    return AlignError(
        f"the text differs from the key's ({places[0]})",
        where=places[1],
        details=details,
        hint="give files with the same text; only white space, tokenisation and sentence boundaries may differ",
    )


def _empty_text_error(mine: _Side, theirs: _Side) -> AlignError:
    """Make the error for two texts of which one is empty."""
    key, response = (side.corpus.source.parts[0].name for side in (mine, theirs))
    what = (
        "the file contains text, but the key does not"
        if len(theirs.surface)
        else "the file contains no text, but the key does"
    )
    return AlignError(f"{what} ({key})", where=response, hint="give files with the same text")


def _last_common_boundary(texts: tuple[Text, Text], place: int) -> int:
    """Find the last token boundary of both sides before their texts differ."""
    common: set[int] | None = None
    for text in texts:
        last = text.token_at(place)
        cuts = {*text.begins[max(last - _LOOK_BACK, 0) : last + 1].tolist(), int(text.ends[last])}
        common = cuts if common is None else common & cuts
    return max((cut for cut in common or () if cut <= place), default=place)


def _format_tokens(side: _Side, begin: int, end: int) -> str:
    """Format some tokens, long ones truncated."""
    forms = [side.surface.forms[token] for token in range(max(begin, 0), min(end, len(side.surface)))]
    cut = [form if len(form) <= _MAX_FORM_LENGTH else f"{form[:_MAX_FORM_LENGTH]}…" for form in forms]
    return repr(" ".join(cut)) if cut else ""


def _note_normalised(mine: _Side, theirs: _Side, alignment: TextAlignment) -> list[Note]:
    """Note the number of tokens that are equal only after normalisation."""
    forms = mine.surface.forms.take(alignment.key_tokens), theirs.surface.forms.take(alignment.response_tokens)
    unlike = alignment.response_tokens[~forms[0].same(forms[1])]
    response = theirs.corpus
    places = first_places(response.source, response.offset[theirs.surface.row[unlike[:3]]])
    return [Note(response.name, "words equal only after Unicode normalisation", len(unlike), places)]


def check_numbers(key: Corpus, response: Corpus, key_rows: Rows, response_rows: Rows) -> list[Note]:
    """Check that rows match by number where a side has no words; refuse documents or sentences of other lengths.

    Sentence ends that are annotations of words are no evidence of other rows: the key's are used.
    """
    size = min(len(key_rows), len(response_rows))
    if len(key_rows) != len(response_rows):
        raise _length_error(key, response=response, key_rows=key_rows, response_rows=response_rows, place=size)
    unlike = np.flatnonzero(np.isin(key_rows, key.sentences) != np.isin(response_rows, response.sentences))
    side = response.name if response.words is None else "key"
    notes = [Note(side, "rows without words, matched by their number alone", size)]
    if not unlike.size:
        return notes
    if not (key.flagged_sentences and response.flagged_sentences):
        raise _sentence_error(
            key, response=response, key_rows=key_rows, response_rows=response_rows, place=int(unlike[0])
        )
    return [*notes, Note(response.name, OTHER_BOUNDARIES, len(unlike))]


def _length_error(key: Corpus, response: Corpus, key_rows: Rows, response_rows: Rows, *, place: int) -> AlignError:
    longer, rows, what = (key, key_rows, "key") if place < len(key_rows) else (response, response_rows, "system output")
    return AlignError(
        f"{len(response_rows):,} tokens, but the key has {len(key_rows):,} ({key.source.parts[0].name})",
        where=response.source.parts[0].name,
        details=[
            f"the {what} continues at {longer.location(int(rows[place]))}",
            *_explain_hashes(key, response),
        ],
        hint="without words to align, both files must contain the same tokens in the same order",
    )


def _explain_hashes(key: Corpus, response: Corpus) -> list[str]:
    """Explain that a row of HIPE that begins with `#` can be a word for one side and a comment for the other."""
    if key.format != "hipe" or response.format != "hipe":
        return []
    mine, theirs = _rows_of_hashes(key), _rows_of_hashes(response)
    extra = len(mine) - len(theirs)
    by_number = key.words is None or response.words is None
    if not extra or (by_number and len(key) - len(response) != extra):
        return []
    first = key.location(int(mine[0])) if extra > 0 else response.location(int(theirs[0]))
    return [
        f"words that begin with #: {len(mine):,} in the key, {len(theirs):,} in the system output (first: {first}); "
        "to read such rows as comments, add ?comments=all to both paths"
    ]


def _rows_of_hashes(corpus: Corpus) -> Rows:
    """Find the words that begin with `#`."""
    words = corpus.words
    if words is None:
        return np.zeros(0, np.int64)
    return np.flatnonzero((words.length > 0) & (words.buffer[words.start] == ord("#")))


def _sentence_error(key: Corpus, response: Corpus, key_rows: Rows, response_rows: Rows, *, place: int) -> AlignError:
    """Make the error for the first row that begins a sentence on one side only, with both places."""
    sentence = key.sentence_of(int(key_rows[place - 1]))
    begin = int(key.sentences[sentence])
    other = int(response_rows[place]) - (int(key_rows[place]) - begin)
    return AlignError(
        f"sentence {sentence + 1} ends at a different token than in the key ({key.location(begin)})",
        where=str(response.location(other)),
        hint="without words to align, sentences must have the same lengths in both files",
    )
