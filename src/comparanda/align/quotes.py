"""Placement of quotations without positions, as in answers of language models, in the text.

The items of a response with texts of its own are placed in these, all others in the key's. The result is a response
with spans in characters, like any other. Items without a place, because they are hallucinated or repeated, become
empty spans at the end of the text, which `place_spans` separates from all spans of the text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from comparanda.align.answer_pairs import orient_pairs
from comparanda.align.occurrences import Occurrences, Place, Searched, compute_similarity, split_words
from comparanda.align.positions import KeyPositions
from comparanda.align.span_positions import PlacedSpans, Placement
from comparanda.align.span_positions import place_spans as _place_spans
from comparanda.core.corpus import Documents, RawText, Spans
from comparanda.core.places import Note
from comparanda.core.text_columns import TextColumn, take_rows
from comparanda.errors import AlignError

if TYPE_CHECKING:
    from comparanda.align.maps import Aligned
    from comparanda.align.occurrences import How
    from comparanda.core.corpus import Corpus, Quotes
    from comparanda.core.text_columns import Column, Rows, Truths


# The copy of a text in an answer, aligned with the text, so that the positions of tagged items are known.


_CONTEXT_WORDS = 3
_MAX_COMPARISONS = 4_000_000  # pairs of words that are compared at once


@dataclass(frozen=True, slots=True)
class Match:
    """The place of a piece of a copy in the text.

    Args:
        how: how it was found.
        place: its place.
        certain: whether no other place is possible.

    """

    how: How
    place: Place
    certain: bool


class Copied:
    """A copy of a text, aligned with it word by word.

    Args:
        text: the text.
        copy: the answer's copy of it; words may be missing, changed or added.

    """

    def __init__(self, text: Searched, copy: str) -> None:
        self._text = text
        self._copy = Searched(copy)
        self._equal_counts: dict[tuple[str, str], bool] = {}

    @cached_property
    def _text_offset(self) -> int | None:
        """The word of the copy at which the complete sequence of the text's words begins; None if it does not occur."""
        return self._copy.folded.find(self._text.folded.text, 0)

    @property
    def same(self) -> bool:
        """Whether the copy contains all words of the text in sequence, after normalisation; there may be others."""
        return self._text_offset is not None

    @cached_property
    def _word_map(self) -> list[int]:
        """The word of the text that each word of the copy corresponds to; -1 for none."""
        mine, theirs = self._copy.folded.words, self._text.folded.words
        if self._text_offset is None:
            return _match_words(mine, theirs)
        rest = len(mine) - self._text_offset - len(theirs)
        return [*[-1] * self._text_offset, *range(len(theirs)), *[-1] * rest]

    def match(self, begin: int, end: int) -> Match | None:
        """Find the place of a piece of the copy in the text; None if it cannot be determined."""
        copy, text = self._copy, self._text
        first, last = bisect_right(copy.ends, begin), bisect_left(copy.begins, end) - 1
        if last < first:
            return None
        there = self._word_map[first]
        there_last = there + last - first
        if there < 0 or self._word_map[first : last + 1] != list(range(there, there_last + 1)):
            return self._match_between_neighbours(first, last)
        before, after = max(begin - copy.begins[first], 0), max(copy.ends[last] - end, 0)
        cuts_words = bool(before or after)
        if cuts_words and copy.exact.between(first, last + 1) != text.exact.between(there, there_last + 1):
            return None  # a part of a word that is spelled differently: its position is unknown
        place = text.begins[there] + before, text.ends[there_last] - after
        return Match("exact", place, self._is_certain(first, last, there, there_last))

    def _match_between_neighbours(self, first: int, last: int) -> Match | None:
        """Match words of the copy with the text between the same neighbours, if it is similar enough."""
        copy, text = self._copy.folded, self._text.folded
        there = self._word_map[first - 1] + 1 if first else 0
        there_last = (self._word_map[last + 1] if last + 1 < len(self._word_map) else len(text.words)) - 1
        if there_last < there or not compute_similarity(copy.shown(first, last + 1), text.shown(there, there_last + 1)):
            return None
        pairs = (copy.words[first], text.words[there]), (copy.words[last], text.words[there_last])
        if any(
            one[:1].isalnum() != other[:1].isalnum() for one, other in pairs
        ):  # punctuation that is missing in the copy
            return None
        place = self._text.begins[there], self._text.ends[there_last]
        return Match("fuzzy", place, self._is_certain(first, last, there, there_last))

    def _is_certain(self, first: int, last: int, there: int, there_last: int) -> bool:
        """Whether no other place is possible.

        If the copy differs from the text, the surrounding words must correspond, and the words themselves must
        occur as often as in the text.
        """
        if self.same:
            return True
        mine, theirs = self._copy.folded.between(first, last + 1), self._text.folded.between(there, there_last + 1)
        if not self._has_equal_counts(mine, theirs):
            return False
        left, right = (first, there), (len(self._word_map) - 1 - last, len(self._text.begins) - 1 - there_last)
        for step in range(1, _CONTEXT_WORDS + 1):
            if min(left) >= step and self._word_map[first - step] != there - step:
                return False
            if min(right) >= step and self._word_map[last + step] != there_last + step:
                return False
        return all(min(each) >= _CONTEXT_WORDS or each[0] == each[1] for each in (left, right))

    def _has_equal_counts(self, mine: str, theirs: str) -> bool:
        """Whether words of the copy, and the corresponding ones of the text, occur equally often in both."""
        known = self._equal_counts.get((mine, theirs))
        if known is None:
            cut = self._text.folded.cut
            sought = [cut + each + cut for each in {mine, theirs}]
            counts = [sum(map(line.count, sought)) for line in (self._copy.folded, self._text.folded)]
            known = self._equal_counts[mine, theirs] = counts[0] == counts[1]
        return known


def _match_words(mine: Sequence[str], theirs: Sequence[str]) -> list[int]:
    """Match each word with one of other words; -1 for none.

    The matches are a longest common subsequence. In long texts, words that occur once on both sides are matched first,
    and then the words between them.

    >>> _match_words("well then we go".split(), "then we all go".split())
    [-1, 0, 1, 3]
    """
    found = [-1] * len(mine)
    for first, last in pairwise(_find_fixed_points(mine, theirs)):
        (begin, other), (end, other_end) = first, last
        while begin < end and other < other_end and mine[begin] == theirs[other]:
            found[begin] = other
            begin, other = begin + 1, other + 1
        while begin < end and other < other_end and mine[end - 1] == theirs[other_end - 1]:
            end, other_end = end - 1, other_end - 1
            found[end] = other_end
        if begin < end and other < other_end and (end - begin) * (other_end - other) <= _MAX_COMPARISONS:
            for here, there, size in _common_pieces(mine[begin:end], theirs[other:other_end]):
                found[begin + here : begin + here + size] = range(other + there, other + there + size)
    return found


def _find_fixed_points(mine: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int]]:
    """Find pairs of places between which words are matched: begins, ends, and in long texts words that are unique."""
    ends = len(mine), len(theirs)
    if ends[0] * ends[1] <= _MAX_COMPARISONS:
        return [(0, 0), ends]
    once = {word for word, count in Counter(theirs).items() if count == 1}
    there = {word: place for place, word in enumerate(theirs) if word in once}
    often = Counter(mine)
    pairs = [(place, there[word]) for place, word in enumerate(mine) if word in once and often[word] == 1]
    return [(0, 0), *_longest_increasing(pairs), ends]


def _longest_increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Select a longest subsequence of pairs in which the second places increase like the first.

    >>> _longest_increasing([(0, 5), (1, 2), (2, 3), (4, 9), (5, 4)])
    [(1, 2), (2, 3), (5, 4)]
    """
    last: list[int] = []  # by length: the smallest place at which a subsequence can end, and its last pair
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


def _common_pieces(mine: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield the common pieces of two sequences of words: the begin in both, and the length."""
    from rapidfuzz.distance import Indel

    codes = {word: code for code, word in enumerate(dict.fromkeys([*mine, *theirs]))}
    for step in Indel.opcodes([codes[word] for word in mine], [codes[word] for word in theirs]):
        if step.tag == "equal":
            yield step.src_start, step.dest_start, step.src_end - step.src_start


# Assigning items of an answer to occurrences of the text that they quote.
#
# Items are processed in the order of the answer, and the text from begin to end:
#
# - If the answer specifies the occurrence, or contains the text around the item, this place is used.
# - If a quotation is claimed at least as often as it occurs in the text, the n-th item is the n-th occurrence. Surplus
#   items may assign another label to an occurrence; if not, they are *repeated*.
# - If a quotation is claimed less often, each item takes the first free occurrence that is not before the preceding
#   item of the answer, and not inside a longer item; if there is none, the first free one. As other occurrences are
#   possible, these items are *ambiguous*.
# - Only items of one list have an order: of the lists of several labels (`{"PER": […], "LOC": […]}`), none precedes
#   another in the text.
# - A quotation that is not found in the text is *hallucinated*.


NORMALISED: Final = "normalised"
INSIDE: Final = "inside"
FUZZY: Final = "fuzzy"
AMBIGUOUS: Final = "ambiguous"
REPEATED: Final = "repeated"
HALLUCINATED: Final = "hallucinated"
PLAIN: Final = ""
"""How an item was placed: the empty string for exact quotations, else one of the constants above."""

_KIND_ORDER: Final = ("exact", "normalised", "inside", "fuzzy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """An item of an answer.

    Args:
        quote: the text that it quotes.
        label: its label.
        id: the id of its entity; None where it has none.
        occurrence: which occurrence of the quotation is meant, from 1; 0 if this is not specified.
        begin: its position in the answer's copy of the text; -1 where there is none.
        sequence: the list that it is an element of: only items of one list have an order.

    """

    quote: str
    label: str
    id: str | None = None
    occurrence: int = 0
    begin: int = -1
    sequence: int = 0


@dataclass(frozen=True, slots=True)
class Placed:
    """The place of an item, None if it has none, and how it was placed."""

    place: Place | None
    placing: str


@dataclass(eq=False, slots=True, kw_only=True)
class _QuoteGroup:
    """The items that quote the same text."""

    occurrences: Occurrences
    places: list[Place]
    claims: list[int]
    taken: set[Place] = field(default_factory=set)
    skips: tuple[dict[int, int], dict[int, int]] = field(default_factory=lambda: ({}, {}))

    @property
    def enough(self) -> bool:
        """Whether there are at least as many items as occurrences."""
        return len(self.places) <= len(self.claims)


def place_claims(text: Searched, claims: Sequence[Claim], copy: Copied | None = None) -> list[Placed]:
    """Place the items of one answer.

    >>> from comparanda.align.occurrences import Searched
    >>> text = Searched("Anna met Bo. Anna left Bo and Bo.")
    >>> claims = [Claim(quote=quote, label="PER") for quote in ("Anna", "Bo", "Anna", "Anna", "Zed")]
    >>> for each in place_claims(text, claims):
    ...     print(each.place, each.placing or "as it is")
    (0, 4) as it is
    (9, 11) ambiguous
    (13, 17) as it is
    None repeated
    None hallucinated
    """
    return _ItemPlacer(text, claims).placed(copy)


class _ItemPlacer:
    """Places the items of one answer in the text."""

    def __init__(self, text: Searched, claims: Sequence[Claim]) -> None:
        self._text = text
        self._claims = claims
        self._results: dict[int, Placed] = {}
        self._used: set[tuple[Place, str]] = set()
        self._group_of: dict[int, _QuoteGroup] = {}
        self._copy_matches: dict[int, Match] = {}

    def placed(self, copy: Copied | None) -> list[Placed]:
        if copy is not None:
            self._place_by_copy(copy)
        groups = self._group_by_quote()
        self._place_numbered(groups)
        for group in sorted(groups, key=lambda each: (_KIND_ORDER.index(each.occurrences.how), each.claims[0])):
            if group.enough:
                self._place_in_turn(group)
        self._mark_ambiguous(groups)
        self._place_in_order()
        return [self._results[number] for number in range(len(self._claims))]

    def _assign_place(self, number: int, place: Place, how: How, *, doubtful: bool = False) -> None:
        """Assign a place to an item; if another item has the same place and label, it is repeated."""
        claim = self._claims[number]
        if number in self._group_of:
            self._group_of[number].taken.add(place)
        if (place, claim.label) in self._used:
            self._results[number] = Placed(None, REPEATED)
            return
        self._used.add((place, claim.label))
        same = self._text.text[place[0] : place[1]] == claim.quote
        plain = how if how in {INSIDE, FUZZY} else PLAIN if same else NORMALISED
        self._results[number] = Placed(place, AMBIGUOUS if doubtful else plain)

    def _place_by_copy(self, copy: Copied) -> None:
        """Place items by the text around them; if that is not certain, store the place for later."""
        for number, claim in enumerate(self._claims):
            found = copy.match(claim.begin, claim.begin + len(claim.quote)) if claim.begin >= 0 else None
            if found is not None and found.certain:
                self._assign_place(number, found.place, found.how)
            elif found is not None:
                self._copy_matches[number] = found

    def _group_by_quote(self) -> list[_QuoteGroup]:
        """Find the occurrences of each quotation; quotations that differ only in white space are the same."""
        together: dict[tuple[str, ...], list[int]] = {}
        for number, claim in enumerate(self._claims):
            words = tuple(word[0] for word in split_words(claim.quote)) or (claim.quote,)
            together.setdefault(words, []).append(number)
        groups = []
        for numbers in together.values():
            if all(number in self._results for number in numbers):
                continue
            wanted = max(len(numbers), *(self._claims[number].occurrence for number in numbers))
            found = self._text.occurrences(self._claims[numbers[0]].quote, wanted)
            if found is None:
                self._settle_unfound(numbers)
                continue
            group = _QuoteGroup(occurrences=found[0], places=found[1], claims=numbers)
            group.taken |= {place for number in numbers if (place := self._place_of(number)) is not None}
            groups.append(group)
            self._group_of |= dict.fromkeys(numbers, group)
        return groups

    def _settle_unfound(self, numbers: Iterable[int]) -> None:
        """Mark the items of a quotation that is not in the text as hallucinated, unless a copy gives their place."""
        for number in numbers:
            near = self._copy_matches.get(number)
            if number not in self._results and near is not None:
                self._assign_place(number, near.place, near.how, doubtful=True)
            self._results.setdefault(number, Placed(None, HALLUCINATED))

    def _place_of(self, number: int) -> Place | None:
        return self._results[number].place if number in self._results else None

    def _place_numbered(self, groups: Iterable[_QuoteGroup]) -> None:
        """Place items that specify the occurrence."""
        for group in groups:
            for number in group.claims:
                occurrence = self._claims[number].occurrence
                if number not in self._results and 0 < occurrence <= len(group.places):
                    self._assign_place(number, group.places[occurrence - 1], group.occurrences.how)

    def _place_in_turn(self, group: _QuoteGroup) -> None:
        """Place one item at each occurrence, in order; then the remaining ones, if they have other labels."""
        free = [place for place in group.places if place not in group.taken]
        left = []
        for number in group.claims:
            if number in self._results:
                continue
            label = self._claims[number].label
            turn = next((turn for turn, place in enumerate(free) if (place, label) not in self._used), None)
            if turn is None:
                left.append(number)
            else:
                self._assign_place(number, free.pop(turn), group.occurrences.how)
        start: dict[str, int] = {}
        for number in left:
            label = self._claims[number].label
            turn = start.get(label, 0)
            while turn < len(group.places) and (group.places[turn], label) in self._used:
                turn += 1
            start[label] = turn
            if turn == len(group.places):
                self._results[number] = Placed(None, REPEATED)
            else:
                self._assign_place(number, group.places[turn], group.occurrences.how)

    def _mark_ambiguous(self, groups: Iterable[_QuoteGroup]) -> None:
        """Mark items of one quotation with different labels or ids as ambiguous unless their order decides.

        It does not if they are of several lists, if the answer does not follow the order of the text, or if there are
        more items than occurrences.
        """
        begins: dict[int, list[int]] = {}
        for number, claim in enumerate(self._claims):
            if (place := self._place_of(number)) is not None:
                begins.setdefault(claim.sequence, []).append(place[0])
        shuffled = {each for each, some in begins.items() if some != sorted(some)}
        for group in groups:
            readings = {(self._claims[number].label, self._claims[number].id) for number in group.claims}
            sequences = {self._claims[number].sequence for number in group.claims}
            in_order = len(sequences) == 1 and sequences.isdisjoint(shuffled)
            decided = in_order and len(group.places) == len(group.claims)
            if not group.enough or len(group.places) < 2 or len(readings) < 2 or decided:
                continue
            for number in group.claims:
                claim, found = self._claims[number], self._results[number]
                if found.place is not None and claim.begin < 0 and not claim.occurrence:
                    self._results[number] = Placed(found.place, AMBIGUOUS)

    def _place_in_order(self) -> None:
        """Place the items of quotations that have more occurrences than items."""
        cover = _CoveredText([each.place for each in self._results.values() if each.place is not None])
        begin = 0
        for number in range(len(self._claims)):
            if number and self._claims[number].sequence != self._claims[number - 1].sequence:
                begin = 0
            if number not in self._results:
                group, label = self._group_of[number], self._claims[number].label
                tries = ((begin, cover), (0, cover), (begin, None), (0, None))
                places = (self._find_free_place(group, label, start, inside) for start, inside in tries)
                place = self._free_copy_place(number) or next((each for each in places if each is not None), None)
                if place is None:
                    self._results[number] = Placed(None, REPEATED)
                else:
                    self._assign_place(number, place, group.occurrences.how, doubtful=True)
            begin = place[0] if (place := self._place_of(number)) is not None else begin

    def _free_copy_place(self, number: int) -> Place | None:
        """Return the place of an item according to a copy of the text, if it is free."""
        near, claim = self._copy_matches.get(number), self._claims[number]
        if near is None or near.place in self._group_of[number].taken or (near.place, claim.label) in self._used:
            return None
        return near.place

    def _find_free_place(self, group: _QuoteGroup, label: str, begin: int, cover: _CoveredText | None) -> Place | None:
        """Find the first free place of the group from a character on; with `cover`, not inside a longer item."""
        skips = group.skips[cover is not None]
        passed: list[int] = []
        place = group.occurrences.first_from(begin)
        while place is not None:
            if place[0] in skips:
                passed.append(place[0])
                begin = skips[place[0]]
            elif place in group.taken or (cover is not None and cover.holds(place)):
                passed.append(place[0])
                begin = place[0] + 1
            elif (place, label) in self._used:
                passed = []  # free for other labels, so it must not be skipped
                begin = place[0] + 1
            else:
                break
            place = group.occurrences.first_from(begin)
        for each in passed:
            skips[each] = place[0] if place is not None else len(self._text.text) + 1
        return place


class _CoveredText:
    """The places of items, for checking whether an occurrence is inside a longer one."""

    def __init__(self, places: Iterable[Place]) -> None:
        ordered = sorted(places)
        self._begins = [begin for begin, _ in ordered]
        self._reach = [0, *accumulate((end for _, end in ordered), max)]
        self._at = dict(ordered)  # the longest of those that begin there

    def holds(self, place: Place) -> bool:
        """Whether a place is inside a longer one."""
        begin, end = place
        return self._reach[bisect_left(self._begins, begin)] >= end or self._at.get(begin, 0) > end


PLACING, QUOTE = "placing", "quote"
"""The columns for how an item was placed, and for its quotation where that differs from the text covered."""

NOWHERE: Final = frozenset({REPEATED, HALLUCINATED})

_PLACING_NOTES: Final = {
    NORMALISED: "items found only after normalisation (case, width, white space, quotation marks, dashes)",
    INSIDE: "items found only inside a word",
    FUZZY: "items not in the text, matched with similar text",
    AMBIGUOUS: "items with several possible places, assigned to the first suitable one",
    REPEATED: "items repeated more often than in the text",
    HALLUCINATED: "items that are not in the text",
}
_MAX_EXAMPLES, _MAX_QUOTE_LENGTH = 3, 40


@dataclass(frozen=True, slots=True)
class _AnswerText:
    """The text that an answer refers to: a document, or a piece of it.

    Args:
        document: the document of the corpus with placed items.
        text: the text; None if it is unknown, because the key has no such document.
        begin: where it begins in the document.
        end: where the whole text of the document ends.

    """

    document: int
    text: str | None
    begin: int
    end: int

    @classmethod
    def whole(cls, document: int, text: str | None) -> _AnswerText:
        """Make the whole text of a document."""
        return cls(document, text, 0, len(text or ""))


@dataclass(frozen=True, slots=True)
class _PlacedAnswer:
    """An answer whose items have been placed.

    Args:
        stretch: the text that it refers to.
        claims: its items.
        found: their places.
        faithful: whether its copy of the text contains the words of the text; true where it has no copy.

    """

    stretch: _AnswerText
    claims: Sequence[Claim]
    found: Sequence[Placed]
    faithful: bool = True


def place_quotations(key: Corpus, response: Corpus) -> Corpus:
    """Place the quotations of a response in its own texts, or else in the key's; other responses are unchanged."""
    if response.quotes is None:
        return response
    if response.raw is not None:
        labels = () if key.spans is None else key.spans.label.names
        return _quotes_to_spans(response, _own_texts(response), response.documents.names, labels)
    return _place_in_key(KeyPositions(key), response)


def place_in_own_texts(corpus: Corpus) -> Corpus:
    """Place the quotations of a corpus in its own texts, for use as a key or for writing in another format.

    Items that are not in these texts are left out, with a note.
    """
    if corpus.quotes is None:
        return corpus
    if corpus.raw is None:
        raise AlignError(
            "the items quote a text, but the file contains none",
            where=corpus.source.parts[0].name,
            hint="give each document its text in the field 'text', or in the field given by ?text=FIELD",
        )
    found = _quotes_to_spans(corpus, _own_texts(corpus), corpus.documents.names)
    assert found.spans is not None
    rows = np.flatnonzero(~without_place(found.spans.columns[PLACING]))
    count = len(found.spans) - len(rows)
    if not count:
        return found
    note = Note(corpus.name, "items without a place in the text, left out", count)
    beliefs = None if found.beliefs is None else found.beliefs.take(rows)
    return replace(found, spans=_take_spans(found.spans, rows), beliefs=beliefs, notes=(*found.notes, note))


def without_place(placing: Column | None) -> Truths:
    """Whether each item has no place in the text, given how it was placed."""
    if not isinstance(placing, TextColumn):
        return np.zeros(0 if placing is None else len(placing), np.bool_)
    return placing.truths(NOWHERE.__contains__)


def _take_spans(spans: Spans, rows: Rows) -> Spans:
    columns = {name: take_rows(column, rows) for name, column in spans.columns.items()}
    place = spans.document[rows], spans.begin[rows], spans.end[rows]
    return Spans(
        unit=spans.unit,
        document=place[0],
        begin=place[1],
        end=place[2],
        label=spans.label.take(rows),
        offset=spans.offset[rows],
        fragments=None,
        columns=columns,
    )


def _own_texts(corpus: Corpus) -> list[_AnswerText]:
    """Return the texts of a corpus, one per answer."""
    assert corpus.raw is not None
    return [_AnswerText.whole(number, text) for number, text in enumerate(corpus.raw.documents)]


def _place_in_key(key_positions: KeyPositions, response: Corpus) -> Corpus:
    """Place quotations in the key's texts: by the names of documents, or in order if the answers have no names."""
    key, texts, answers = key_positions.key, key_positions.raw.documents, response.documents
    number = {name: place for place, name in enumerate(key.documents.names)}
    owners = [number.get(name) for name in answers.names]
    notes: list[Note] = []
    in_order = len(answers) in {len(key.documents), len(key.sentences) - 1}
    if answers.marked and not any(owner is not None for owner in owners):
        raise _unmatched_error(key, response, in_order=in_order)
    if not answers.marked:
        if not in_order:
            raise _unmatched_error(key, response, in_order=False)
        by_document = len(answers) == len(key.documents)
        unit = "documents" if by_document else "sentences"
        what = f"answers matched with the {unit} of the key in order"
        notes.append(Note(response.name, what, len(answers)))
        owners = list(range(len(key.documents)))
        stretches = (
            [_AnswerText.whole(*each) for each in enumerate(texts)] if by_document else _sentence_texts(key_positions)
        )
        documents = key.documents
    else:
        stretches = [
            _AnswerText.whole(place, None if owner is None else texts[owner]) for place, owner in enumerate(owners)
        ]
        documents = answers
    response = replace(response, notes=(*response.notes, *notes))
    labels = () if key.spans is None else key.spans.label.names
    return _quotes_to_spans(
        _with_key_documents(key_positions, response, documents.names, owners), stretches, answers.names, labels
    )


def _sentence_texts(key_positions: KeyPositions) -> list[_AnswerText]:
    """Return the sentences of the key, one per answer."""
    found = []
    for first, stop in pairwise(key_positions.key.sentences.tolist()):
        document = int(key_positions.owner[first])
        begin, end = int(key_positions.raw.begin[first]), int(key_positions.raw.end[stop - 1])
        text = key_positions.raw.documents[document]
        found.append(_AnswerText(document, text[begin:end], begin, len(text)))
    return found


def _unmatched_error(key: Corpus, response: Corpus, *, in_order: bool) -> AlignError:
    """Make the error for answers that cannot be matched; `in_order` if they could be in the order of the key."""
    names, marked = response.documents.names, response.documents.marked
    answers, keys = (_list_first(some) for some in (names, key.documents.names))
    sizes = f"the key has {len(key.documents):,} documents and {len(key.sentences) - 1:,} sentences"
    hint = "give each answer the name of its document in the field 'id', or in the field given by ?document=FIELD"
    return AlignError(
        "no answer names a document of the key" if marked else "the answers name no documents",
        where=response.source.parts[0].name,
        details=[
            *([f"the answers name {answers}; the key's documents are {keys}"] if marked else []),
            f"{len(names):,} answers, {'and' if in_order else 'but'} {sizes}",
        ],
        hint=f"{hint}; if the answers are in the order of the key: ?documents=in-order" if in_order else hint,
    )


def _list_first(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:_MAX_EXAMPLES])) + (" …" if len(names) > _MAX_EXAMPLES else "")


def _with_key_documents(
    key_positions: KeyPositions, response: Corpus, names: tuple[str, ...], owners: Sequence[int | None]
) -> Corpus:
    """Give a response the documents of the key, with the key's words where the key has no text of its own."""
    key = key_positions.key
    if key.raw is not None:
        offsets = np.zeros(len(names) + 1, np.int64)
        return replace(response, documents=Documents(names, offsets, marked=True))
    surface = key_positions.surface
    bounds = np.searchsorted(surface.row, key.row_documents)
    nothing = np.zeros(0, np.int64)
    tokens = [nothing if owner is None else np.arange(bounds[owner], bounds[owner + 1]) for owner in owners]
    sizes = np.cumsum([0, *map(len, tokens)])
    whole = np.concatenate([nothing, *tokens])
    begins = np.isin(surface.row[whole], key.sentences)
    sentences = np.append(np.flatnonzero(begins), len(whole))
    rows = surface.row[whole]
    texts = tuple("" if owner is None else key_positions.raw.documents[owner] for owner in owners)
    return replace(
        response,
        offset=np.zeros(len(whole), response.offset.dtype),
        words=surface.forms.take(whole),
        sentences=sentences,
        documents=Documents(names, np.searchsorted(sentences, sizes), marked=key.documents.marked),
        raw=RawText(texts, key_positions.raw.begin[rows], key_positions.raw.end[rows]),
    )


def _quotes_to_spans(
    corpus: Corpus, stretches: Sequence[_AnswerText], names: Sequence[str], labels: Iterable[str] = ()
) -> Corpus:
    """Place the quotations of a corpus, those of each answer in the text that it refers to, and make them spans."""
    assert corpus.quotes is not None
    quotes, undecided = orient_pairs(corpus.quotes, [stretch.text for stretch in stretches], labels)
    answers = list(_place_answers(quotes, stretches))
    begin, end, placing, quoted = [], [], [], []
    for answer in answers:
        stretch = answer.stretch
        for claim, found in zip(answer.claims, answer.found, strict=True):
            low, high = found.place or (stretch.end - stretch.begin, stretch.end - stretch.begin)
            begin.append(stretch.begin + low)
            end.append(stretch.begin + high)
            placing.append(found.placing or None)
            quoted.append(claim.quote if found.placing and (stretch.text or "")[low:high] != claim.quote else None)
    documents = np.array([stretch.document for stretch in stretches], np.int64)
    spans = Spans(
        unit="characters",
        document=documents[quotes.document] if len(quotes) else quotes.document,
        begin=np.array(begin, np.int64),
        end=np.array(end, np.int64),
        label=quotes.label,
        offset=quotes.offset,
        fragments=None,
        columns={**quotes.columns, PLACING: TextColumn.of(placing), QUOTE: TextColumn.of(quoted)},
    )
    notes = list(_placing_notes(corpus, quotes, placing))
    if undecided:
        what = "answers that do not show which are the texts and which the labels"
        first = tuple(_format_pair(corpus, quotes, row) for row in undecided[:_MAX_EXAMPLES])
        notes.append(Note(corpus.name, what, len(undecided), first))
    unlike = [name for name, answer in zip(names, answers, strict=True) if not answer.faithful]
    if unlike:
        what = "answers whose copy of the text differs from it"
        notes.append(Note(corpus.name, what, len(unlike), tuple(unlike[:_MAX_EXAMPLES])))
    settled = replace(corpus, spans=spans, quotes=None, notes=(*corpus.notes, *notes))
    if quotes.probable is None:
        return settled
    return quotes.probable(settled, without_place(spans.columns[PLACING]))


def _place_answers(quotes: Quotes, stretches: Sequence[_AnswerText]) -> Iterator[_PlacedAnswer]:
    """Yield the answers with their items placed."""
    ids = quotes.columns.get("id")
    columns = (
        quotes.text.values(),
        quotes.label.values(),
        ids.values() if isinstance(ids, TextColumn) else [None] * len(quotes),
        quotes.occurrence.tolist(),
        quotes.begin.tolist(),
        quotes.sequence.tolist(),
    )
    claims = [
        Claim(quote=text or "", label=label or "", id=name, occurrence=occurrence, begin=begin, sequence=sequence)
        for text, label, name, occurrence, begin, sequence in zip(*columns, strict=True)
    ]
    bounds = np.searchsorted(quotes.document, np.arange(len(stretches) + 1)).tolist()
    for number, stretch in enumerate(stretches):
        mine, copy = claims[bounds[number] : bounds[number + 1]], quotes.copies[number]
        if stretch.text is None:  # noted, or refused, when documents are matched
            yield _PlacedAnswer(stretch, mine, [Placed((0, 0), "")] * len(mine))
        elif not mine and copy is None:
            yield _PlacedAnswer(stretch, mine, [])
        else:
            text = Searched(stretch.text)
            laid = None if copy is None else Copied(text, copy)
            yield _PlacedAnswer(stretch, mine, place_claims(text, mine, laid), laid is None or laid.same)


def _placing_notes(corpus: Corpus, quotes: Quotes, placing: Sequence[str | None]) -> Iterator[Note]:
    """Note the numbers of items that are not exact quotations, with the first items of each kind."""
    numbers: dict[str, list[int]] = {}
    for number, how in enumerate(placing):
        if how is not None:
            numbers.setdefault(how, []).append(number)
    for how, what in _PLACING_NOTES.items():
        if how in numbers:
            first = tuple(_format_example(corpus, quotes, number) for number in numbers[how][:_MAX_EXAMPLES])
            yield Note(corpus.name, what, len(numbers[how]), first)


def _format_example(corpus: Corpus, quotes: Quotes, number: int) -> str:
    return f"{corpus.source.locate(int(quotes.offset[number]))}: {_shorten(quotes.text[number])!r}"


def _format_pair(corpus: Corpus, quotes: Quotes, number: int) -> str:
    return f"{_format_example(corpus, quotes, number)} read as text, {_shorten(quotes.label[number])!r} as label"


def _shorten(quote: str) -> str:
    return quote if len(quote) <= _MAX_QUOTE_LENGTH else quote[: _MAX_QUOTE_LENGTH - 1] + "…"


# Spans without a place, separated from all spans of the text.
#
# A hallucinated item is a claim, and wrong. It must not overlap a span of the key, and equals another hallucinated
# item only if both have the same text: two systems that invent the same text make the same claim. So each such text
# gets a stretch of its own after the text of its document.


Stretch = tuple[int, str]
"""The index of a document, and a quotation that does not occur in it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SetApart(Placement):
    """A placement in which some spans have no place in the text.

    Args:
        quoted: the quotations of these, by document and by begin after its text.

    """

    quoted: Mapping[tuple[int, int], str] = field(default_factory=dict)

    def texts(self, spans: PlacedSpans) -> TextColumn:
        """Return the key's text that each span covers, or the quotation of spans without a place."""
        column = super().texts(spans)
        where = zip(spans.document.tolist(), spans.begin.tolist(), column.values(), strict=True)
        return TextColumn.of([self.quoted.get((document, begin), text) for document, begin, text in where])


def place_spans(aligned: Aligned) -> Placement:
    """Convert the spans of all sides to positions in the key's documents; those without a place follow the text."""
    placement = _place_spans(aligned)
    rows = [_unplaced_spans(side) for side in placement.sides]
    if not any(map(len, rows)):
        return placement
    begins = _assign_begins(placement, rows)
    sides = tuple(_move_after_text(side, each, begins) for side, each in zip(placement.sides, rows, strict=True))
    quoted = {(document, begin): quote for (document, quote), begin in begins.items()}
    given = {each.name: getattr(placement, each.name) for each in fields(Placement)}
    return SetApart(**{**given, "sides": sides}, quoted=quoted)


def _unplaced_spans(side: PlacedSpans) -> Rows:
    """Return the rows of the spans of a side that have no place."""
    if QUOTE not in side.columns:
        return np.zeros(0, np.int64)
    return np.flatnonzero(without_place(side.columns.get(PLACING)) & (side.begin == side.end))


def _quoted_texts(side: PlacedSpans, rows: Rows) -> list[Stretch]:
    quote = side.columns.get(QUOTE)
    if not isinstance(quote, TextColumn):
        return []
    return [(int(side.document[row]), " ".join(quote[row].split())) for row in rows.tolist()]


def _assign_begins(placement: Placement, rows: list[Rows]) -> dict[Stretch, int]:
    """Assign to each quotation without a place a begin after the text of its document, in alphabetical order."""
    found = {each for side, some in zip(placement.sides, rows, strict=True) for each in _quoted_texts(side, some)}
    texts = placement.positions.raw.documents
    begins: dict[Stretch, int] = {}
    next_begins: dict[int, int] = {}
    for document, quote in sorted(found):
        begin = next_begins.get(document, len(texts[document]) + 1)
        begins[document, quote] = begin
        next_begins[document] = begin + len(quote) + 1
    return begins


def _move_after_text(side: PlacedSpans, rows: Rows, begins: Mapping[Stretch, int]) -> PlacedSpans:
    """Move the spans without a place to their assigned begins after the text, and sort the side again."""
    if not len(rows):
        return side
    quoted = _quoted_texts(side, rows)
    begin, end = side.begin.copy(), side.end.copy()
    begin[rows] = [begins[each] for each in quoted]
    end[rows] = [begins[each] + len(each[1]) for each in quoted]
    moved = replace(side, begin=begin, end=end)
    return moved.take(np.lexsort((side.label.sorted().codes, end, begin, side.document)))
