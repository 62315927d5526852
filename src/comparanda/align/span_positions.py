"""The spans of all sides as positions in the key's documents.

If every side has the key's tokens, positions are tokens. Otherwise they are characters of the key's text: the text
as in the input, or its words joined by single spaces. A response is aligned with that text by its characters,
whatever its tokenisation and its white space.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align.maps import NONE
from comparanda.align.positions import KeyPositions
from comparanda.core.corpus import Fragments, owner_of_rows
from comparanda.core.places import Note, first_places
from comparanda.core.text_columns import TextColumn, take_rows
from comparanda.errors import AlignError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from comparanda.align.maps import Aligned, RowMap
    from comparanda.core.corpus import Corpus, RawText, Spans, Unit
    from comparanda.core.text_columns import Codes, Column, Rows, Truths


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PlacedSpans:
    """The spans of one side in the key's documents, sorted by document, begin, end and label.

    Args:
        document: the key's document that contains each.
        begin: where it begins there.
        end: where it ends.
        label: its label.
        given: the index of the span in the input.
        fragments: the pieces of discontinuous ones; None where there are none.
        columns: further columns of the input.
        crossing: whether each was cut at the end of its document, because it ends in another; None if none was.

    """

    document: Rows
    begin: Rows
    end: Rows
    label: TextColumn
    given: Rows
    fragments: Fragments | None = None
    columns: Mapping[str, Column] = field(default_factory=dict)
    crossing: Truths | None = None

    def __len__(self) -> int:
        return len(self.begin)

    def take(self, rows: Rows) -> PlacedSpans:
        """Select and reorder spans."""
        return PlacedSpans(
            document=self.document[rows],
            begin=self.begin[rows],
            end=self.end[rows],
            label=self.label.take(rows),
            given=self.given[rows],
            fragments=None if self.fragments is None else self.fragments.take(rows, len(self)),
            columns={name: take_rows(column, rows) for name, column in self.columns.items()},
        )


@dataclass(frozen=True, eq=False)
class Placement:
    """The spans of the key and of all responses, with positions in the key's documents.

    Args:
        unit: the unit of positions.
        positions: those of the key's rows.
        sides: the key's spans, then each response's.
        notes: observations made while placing spans.

    """

    unit: Unit
    positions: KeyPositions
    sides: tuple[PlacedSpans, ...]
    notes: tuple[Note, ...]

    def rows(self, spans: PlacedSpans) -> tuple[Rows, Rows]:
        """Return the ranges of the key's rows that spans cover, relative to their documents; half-open, not empty."""
        return _span_rows(self.positions, spans, self.unit)

    def require_text(self, what: str) -> None:
        """Refuse a key without text for what cannot be done without."""
        if self.positions.key.textless:
            raise AlignError(
                f"{what} requires the text of the key",
                where=self.positions.key.source.parts[0].name,
                hint="give a key that contains the text of its documents",
            )

    def texts(self, spans: PlacedSpans) -> TextColumn:
        """Return the key's text that each span covers."""
        return _span_texts(self.positions, spans, self.unit)

    def word_extents(self, spans: PlacedSpans) -> tuple[Rows, Rows]:
        """Return the begins and ends of spans widened to whole words; tokens are whole words."""
        if self.unit == "tokens":
            return spans.begin, spans.end
        begin, end = spans.begin.copy(), spans.end.copy()
        bounds = np.searchsorted(spans.document, np.arange(len(self.positions.raw.documents) + 1))
        for text, low, high in zip(
            self.positions.raw.documents, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True
        ):
            if low < high:
                begin[low:high], end[low:high] = widen_to_words(text, begin[low:high], end[low:high])
        return begin, end


def _span_rows(key_positions: KeyPositions, spans: PlacedSpans, unit: Unit) -> tuple[Rows, Rows]:
    """Return the ranges of rows that spans cover."""
    base, last = key_positions.key.row_documents[spans.document], key_positions.key.row_documents[spans.document + 1]
    if unit == "tokens":
        begin = np.minimum(spans.begin, np.maximum(last - base - 1, 0))  # an empty span may be after all rows
        return begin, np.maximum(spans.end, begin + 1)
    width = int(max(key_positions.raw.end.max(initial=0), spans.end.max(initial=0))) + 1
    ends, begins = (
        key_positions.owner * width + key_positions.raw.end,
        key_positions.owner * width + key_positions.raw.begin,
    )
    first = np.searchsorted(ends, spans.document * width + spans.begin, side="right")
    first = np.clip(first, base, np.maximum(last - 1, base))
    stop = np.searchsorted(begins, spans.document * width + spans.end, side="left")
    stop = np.clip(stop, first + 1, np.maximum(last, first + 1))
    return first - base, stop - base


_WORD = re.compile(r"[\w'\"]+")
_QUOTE = '"'


def widen_to_words(text: str, begin: Rows, end: Rows) -> tuple[Rows, Rows]:
    r"""Widen extents to whole words: over letters, digits, `_` and quotes, without an opening `"` that is not closed.

    >>> begin, end = widen_to_words("In 'Ulm's old \"Soviet-backed town", np.array([4, 15]), np.array([7, 21]))
    >>> begin.tolist(), end.tolist()
    ([3, 15], [9, 21])
    """
    words = [found.span() for found in _WORD.finditer(text)]
    if not words:
        return begin, end
    starts, stops = np.array(words, np.int64).T
    first = np.searchsorted(starts, begin, side="left") - 1  # the last word that starts before the span
    inside = (first >= 0) & (stops[first] >= begin)
    wide_begin = np.where(inside, starts[first], begin)
    last = np.searchsorted(stops, end, side="right")  # the first word that stops after the span
    inside = (last < len(stops)) & (starts[np.minimum(last, len(stops) - 1)] <= end)
    wide_end = np.where(inside, stops[np.minimum(last, len(stops) - 1)], end)
    for place in np.flatnonzero(wide_begin < len(text)).tolist():
        low, high = int(wide_begin[place]), int(wide_end[place])
        if text[low] == _QUOTE and _QUOTE not in text[low + 1 : high]:
            wide_begin[place] = low + 1
    return wide_begin, wide_end


def _span_texts(key_positions: KeyPositions, spans: PlacedSpans, unit: Unit) -> TextColumn:
    """Return the text that spans cover; missing if the key has none."""
    if key_positions.key.textless:
        return TextColumn.of([None] * len(spans))
    if unit == "characters":
        documents = key_positions.raw.documents
        where = zip(spans.document.tolist(), spans.begin.tolist(), spans.end.tolist(), strict=True)
        return TextColumn.of([documents[document][begin:end] for document, begin, end in where])
    if key_positions.key.words is None:
        return TextColumn.of([None] * len(spans))
    words = key_positions.key.words.intern()
    base = key_positions.key.row_documents[spans.document]
    names, codes = words.names, words.codes
    rows = zip((base + spans.begin).tolist(), (base + spans.end).tolist(), strict=True)
    return TextColumn.of(
        [
            names[codes[first]] if last - first == 1 else " ".join([names[code] for code in codes[first:last].tolist()])
            for first, last in rows
        ]
    )


def place_spans(aligned: Aligned) -> Placement:
    """Convert the spans of all sides to positions in the key's documents."""
    key_positions = KeyPositions(aligned.key)
    key = _require_spans(aligned.key)
    if key.unit == "tokens" and not len(aligned.key):
        hint = "give a key that contains its words; word numbers alone are allowed only in system outputs"
        raise AlignError("the key has no words", where=aligned.key.source.parts[0].name, hint=hint)
    sides: list[tuple[Corpus, Spans, RowMap | None]] = [(aligned.key, key, None)]
    sides += [
        (each, _require_spans(each), row_map) for each, row_map in zip(aligned.responses, aligned.maps, strict=True)
    ]
    whole = aligned.key.source.whole
    by_tokens = (whole is None or not whole.characters) and all(
        spans.unit == "tokens" and (row_map is None or row_map.identity) for _, spans, row_map in sides
    )
    unit: Unit = "tokens" if by_tokens else "characters"
    placed, notes = [], []
    documents = _kept_documents(aligned)
    for corpus, spans, row_map in sides:
        found = (
            _place_by_tokens(key_positions, corpus, spans)
            if by_tokens
            else _place_by_characters(key_positions, corpus, spans, row_map)
        )
        lost = np.flatnonzero(found.document < 0)
        foreign = lost if documents is None else np.flatnonzero((found.document < 0) | ~documents[found.document])
        if len(lost):
            first = first_places(corpus.source, spans.offset[found.given[lost]])
            notes.append(Note(corpus.name, "spans in documents that the key does not have, ignored", len(lost), first))
        notes += _note_cut(corpus, spans, found, row_map)
        if len(foreign):
            found = _drop_spans(found, foreign)
        placed.append(_sort_spans(found))
    return Placement(unit, key_positions, tuple(placed), tuple(notes))


def _note_cut(corpus: Corpus, spans: Spans, found: PlacedSpans, row_map: RowMap | None) -> list[Note]:
    """Note the spans that end in another document of the key, and those with ends in words whose text differs."""
    notes = []
    if found.crossing is not None and found.crossing.any():
        cut = np.flatnonzero(found.crossing)
        places = first_places(corpus.source, spans.offset[cut])
        notes.append(
            Note(corpus.name, "spans across documents of the key, cut at the end of the first", len(cut), places)
        )
    if row_map is not None and row_map.edited is not None and len(spans):
        touched = np.flatnonzero(_touch(corpus, spans, row_map.edited))
        if len(touched):
            what = "spans that begin or end in words whose text differs from the key's"
            notes.append(Note(corpus.name, what, len(touched), first_places(corpus.source, spans.offset[touched])))
    return notes


def _touch(corpus: Corpus, spans: Spans, edited: Truths) -> Truths:
    """Whether the first or last row of each span is one of some rows."""
    base, stop = corpus.row_documents[spans.document], corpus.row_documents[spans.document + 1]
    if spans.unit == "tokens":
        first, last = base + spans.begin, base + spans.end - 1
    else:
        assert corpus.raw is not None
        rows = owner_of_rows(corpus.row_documents).astype(np.int64)
        width = int(max(corpus.raw.end.max(initial=0), spans.end.max(initial=0))) + 1
        first = np.searchsorted(rows * width + corpus.raw.end, spans.document * width + spans.begin, side="right")
        last = np.searchsorted(rows * width + corpus.raw.begin, spans.document * width + spans.end, side="left") - 1
    if not len(edited):
        return np.zeros(len(spans), np.bool_)
    low, high = base, np.maximum(stop - 1, base)
    ends = edited[np.clip(first, low, high) % len(edited)] | edited[np.clip(last, low, high) % len(edited)]
    found: Truths = ends & (stop > base)
    return found


def _require_spans(corpus: Corpus) -> Spans:
    if corpus.spans is None:
        raise AssertionError(f"{corpus.name} was read without spans")
    return corpus.spans


def _kept_documents(aligned: Aligned) -> Truths | None:
    """Whether each document is compared; None if all are."""
    if aligned.kept is None:
        return None
    kept = np.zeros(len(aligned.key.documents), np.bool_)
    kept[owner_of_rows(aligned.key.row_documents)[aligned.kept]] = True
    return kept


def _place_by_tokens(key_positions: KeyPositions, corpus: Corpus, spans: Spans) -> PlacedSpans:
    """Place spans of a side that has the key's tokens."""
    first = corpus.row_documents[spans.document] + spans.begin
    document = key_positions.owner[first - _follows_row(spans)] if len(first) else np.zeros(0, np.int64)
    begin = first - key_positions.key.row_documents[document]
    shift, pieces = begin - spans.begin, spans.fragments
    if pieces is not None:
        pieces = Fragments(pieces.span, pieces.begin + shift[pieces.span], pieces.end + shift[pieces.span])
    return PlacedSpans(
        document=document,
        begin=begin,
        end=spans.end + shift,
        label=spans.label,
        given=np.arange(len(spans)),
        fragments=pieces,
        columns=spans.columns,
    )


def _follows_row(spans: Spans) -> Truths:
    """Whether each span covers no row and follows one, like the span of an empty node."""
    follows: Truths = (spans.begin == spans.end) & (spans.begin > 0)
    return follows


def _place_by_characters(
    key_positions: KeyPositions, corpus: Corpus, spans: Spans, row_map: RowMap | None
) -> PlacedSpans:
    if spans.unit == "tokens":
        return _place_tokens_as_characters(key_positions, corpus, spans, row_map)
    documents = (
        np.arange(len(key_positions.key.documents))
        if row_map is None
        else _document_map(key_positions, corpus, row_map)
    )
    document = documents[spans.document] if len(spans) else np.zeros(0, np.int64)
    pieces, begin, end = spans.fragments, spans.begin, spans.end
    crossing = np.zeros(len(spans), np.bool_)
    if row_map is not None and not _has_key_texts(key_positions, corpus, documents):
        assert corpus.raw is not None
        transfer = _Transfer(key_positions, corpus, row_map, corpus.raw)
        document, begin, end, crossing = transfer.positions(spans.document, begin, end)
        if pieces is not None:
            there, first, last, _ = transfer.positions(spans.document[pieces.span], pieces.begin, pieces.end)
            outside = there != document[pieces.span]
            first, last = (np.where(outside, end[pieces.span], place) for place in (first, last))
            pieces = Fragments(pieces.span, first, last)
    _refuse_outside(key_positions, corpus=corpus, spans=spans, document=document, end=end)
    return PlacedSpans(
        document=document,
        begin=begin,
        end=end,
        label=spans.label,
        given=np.arange(len(spans)),
        fragments=pieces,
        columns=spans.columns,
        crossing=crossing,
    )


def _place_tokens_as_characters(
    key_positions: KeyPositions, corpus: Corpus, spans: Spans, row_map: RowMap | None
) -> PlacedSpans:
    """Place spans of tokens by the positions of their first and last tokens in the key's text."""
    if not len(corpus):
        return _place_by_key_rows(key_positions, corpus, spans)
    base = corpus.row_documents[spans.document] if len(spans) else np.zeros(0, np.int64)
    place = (
        _key_row_locator(key_positions)
        if row_map is None or row_map.identity
        else _response_row_locator(key_positions, corpus, row_map)
    )
    empty, follows = spans.begin == spans.end, _follows_row(spans)
    document, begin, end = place(base + spans.begin - follows, base + spans.end - 1 + (empty & ~follows))
    begin, end = np.where(follows, end, begin), np.where(empty & ~follows, begin, end)
    pieces = spans.fragments
    if pieces is not None:
        rows = base[pieces.span]
        pieces = Fragments(pieces.span, *place(rows + pieces.begin, rows + pieces.end - 1)[1:])
    return PlacedSpans(
        document=document,
        begin=begin,
        end=end,
        label=spans.label,
        given=np.arange(len(spans)),
        fragments=pieces,
        columns=spans.columns,
    )


def _place_by_key_rows(key_positions: KeyPositions, corpus: Corpus, spans: Spans) -> PlacedSpans:
    """Place spans of a side without words, which refer to the key's words, in documents of the same names."""
    known = {name: number for number, name in enumerate(key_positions.key.documents.names)}
    documents = np.array([known.get(name, NONE) for name in corpus.documents.names], np.int64)
    document = documents[spans.document] if len(spans) else np.zeros(0, np.int64)
    inside = np.maximum(document, 0)
    sizes = np.diff(key_positions.key.row_documents)[inside] if len(spans) else document
    wrong = np.flatnonzero((document >= 0) & (spans.end > sizes))
    if len(wrong):
        size = int(sizes[wrong[0]])
        shown = f"{size:,} word{'s'[: size != 1]}"
        raise _out_of_text_error(
            key_positions, corpus=corpus, spans=spans, wrong=wrong, number=int(document[wrong[0]]), size=shown
        )
    there = document >= 0
    first = np.where(there, key_positions.key.row_documents[inside] + spans.begin, 0) if len(spans) else document
    last = np.where(there, first + spans.end - spans.begin - 1, 0) if len(spans) else document
    _, begin, end = _key_row_locator(key_positions)(first, last)
    return PlacedSpans(
        document=document,
        begin=begin,
        end=end,
        label=spans.label,
        given=np.arange(len(spans)),
        fragments=None,
        columns=spans.columns,
    )


Stretch = tuple["Rows", "Rows", "Rows"]
"""The document, begin and end of ranges of the key's text."""


def _key_row_locator(key_positions: KeyPositions) -> Callable[[Rows, Rows], Stretch]:
    """Return a function from first and last rows of the key to ranges of text."""
    return lambda first, last: (key_positions.owner[first], key_positions.raw.begin[first], key_positions.raw.end[last])


def _response_row_locator(
    key_positions: KeyPositions, corpus: Corpus, row_map: RowMap
) -> Callable[[Rows, Rows], Stretch]:
    """Return a function from first and last rows of a response to ranges of text."""
    near = row_map.near(len(corpus))
    starts, stops = _character_ranges(key_positions, row_map, len(corpus))

    def place(first: Rows, last: Rows) -> Stretch:
        there = (near[first] != NONE) & (near[last] != NONE)
        document = np.where(there, key_positions.owner[np.maximum(near[first], 0)], NONE)
        return (
            document,
            key_positions.to_places(starts[first], ending=False),
            key_positions.to_places(stops[last], ending=True),
        )

    return place


def _character_ranges(key_positions: KeyPositions, row_map: RowMap, rows: int) -> tuple[Rows, Rows]:
    """Return the range of the key's solid characters that each row of a response covers."""
    near = np.maximum(row_map.near(rows), 0)
    begin, end = key_positions.solid_before[key_positions.first_words[near]], key_positions.solid_before[near + 1]
    if row_map.surplus is not None:
        surplus = row_map.surplus
        before, byte = key_positions.characters_before, key_positions.bytes_before[surplus.near]
        begin[surplus.rows] = before[byte + surplus.begin]
        end[surplus.rows] = before[byte + surplus.end]
    return begin, end


def _document_map(key_positions: KeyPositions, response: Corpus, row_map: RowMap) -> Rows:
    """Map a response's documents to the key's: by their first rows, or by name if they have no rows."""
    key = key_positions.key
    place = {name: number for number, name in enumerate(key.documents.names)}
    found = np.array([place.get(name, NONE) for name in response.documents.names], np.int64)
    near, bounds = row_map.near(len(response)), response.row_documents
    filled = np.flatnonzero(np.diff(bounds) > 0) if not key_positions.key.textless else found[:0]
    first = near[bounds[filled]]
    found[filled] = np.where(first == NONE, NONE, key_positions.owner[np.maximum(first, 0)])
    return found


def _has_key_texts(key_positions: KeyPositions, corpus: Corpus, documents: Rows) -> bool:
    """Whether the texts of a response are identical to the key's, or it has none of its own."""
    if key_positions.key.textless:
        return True
    if corpus.raw is None:
        if key_positions.key.raw is None:
            raise AlignError(
                "the spans have character offsets, but neither this system output nor the key has a text",
                where=corpus.source.parts[0].name,
                hint="give a system output or a key that contains the text",
            )
        return True
    if key_positions.key.raw is None:
        return False
    texts = key_positions.key.raw.documents
    pairs = zip(documents.tolist(), corpus.raw.documents, strict=True)
    return all(text == texts[number] for number, text in pairs if number != NONE)


@dataclass(frozen=True, eq=False)
class _Transfer:
    """Maps positions in a response's texts to documents and positions in the key's.

    The texts may differ in white space and in documents, and in some characters if these are tolerated.
    """

    key_positions: KeyPositions
    corpus: Corpus
    row_map: RowMap
    raw: RawText

    def document(self, owner: Rows, places: Rows) -> Rows:
        """Return the key's document of solid characters of the response, given by their numbers; else `NONE`."""
        found: Rows = _document_map(self.key_positions, self.corpus, self.row_map)[owner]
        if len(self._row) and len(self.key_positions.key):
            near = self.row_map.near(len(self.corpus))[self._row[places]]
            by_row = np.where(near == NONE, NONE, self.key_positions.owner[np.maximum(near, 0)])
            found = np.where(self._bounds[owner] == self._bounds[owner + 1], found, by_row)
        return found

    @cached_property
    def _size(self) -> Rows:
        return self.raw.end - self.raw.begin

    @cached_property
    def _bounds(self) -> Rows:
        """The first solid character of each document of the response, and their number."""
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(self._size)])[self.corpus.row_documents]

    @cached_property
    def _row(self) -> Rows:
        """The row of each solid character."""
        return np.repeat(np.arange(len(self._size)), self._size)

    @cached_property
    def _inner(self) -> Rows:
        """The position of each solid character in its row."""
        return np.arange(len(self._row)) - np.repeat(np.cumsum(self._size) - self._size, self._size)

    @cached_property
    def _solid(self) -> tuple[Rows, Rows]:
        """The number of the key's solid character for each of the response, and the one after it.

        The last character of a row ends where the key's word ends, which may be longer.
        """
        starts, stops = _character_ranges(self.key_positions, self.row_map, len(self.corpus))
        row, inner = self._row, self._inner
        found = starts[row] + np.minimum(inner, np.maximum(stops - starts - 1, 0)[row])
        last = inner == self._size[row] - 1
        return found, np.where(last, np.maximum(stops[row], found), np.minimum(found + 1, stops[row]))

    def positions(self, owner: Rows, begin: Rows, end: Rows) -> tuple[Rows, Rows, Rows, Truths]:
        """Return the document, begin and end of ranges, and whether each ends in another document of the key.

        Such a range is cut at the end of the document that it begins in.
        """
        if not len(self._row):
            nothing = np.zeros(len(owner), np.int64)
            return self.document(owner, nothing), nothing, nothing, nothing.astype(np.bool_)
        rows = owner_of_rows(self.corpus.row_documents).astype(np.int64)
        inner = self.raw.begin[self._row] + self._inner
        width = int(max(inner.max(initial=0), end.max(initial=0))) + 2
        place = rows[self._row] * width + inner
        first, last = np.searchsorted(place, owner * width + begin), np.searchsorted(place, owner * width + end)
        low, high = self._bounds[owner], self._bounds[owner + 1]
        before, after = first > low, first < high
        opening = np.clip(first, low, np.maximum(high - 1, low)) % len(self._row)
        closing = np.clip(last - 1, low, np.maximum(high - 1, low)) % len(self._row)
        document, until = self.document(owner, opening), self.document(owner, closing)
        to_places, (solid, following) = self.key_positions.to_places, self._solid
        starts, stops = to_places(solid[opening], ending=False), to_places(following[closing], ending=True)
        empty = first == last  # empty or white space alone: after the preceding character if adjacent to it
        if empty.any():
            touching = before & (~after | np.isin(owner * width + begin - 1, place))
            places = np.where(touching, stops, np.where(after, starts, 0))
            starts, stops = np.where(empty, places, starts), np.where(empty, places, stops)
        crossing = (document != until) & (document != NONE)
        if crossing.any():
            sizes = np.array([len(text) for text in self.key_positions.raw.documents], np.int64)
            stops = np.where(crossing, sizes[document], stops)
        return document, starts, stops, crossing


def _refuse_outside(key_positions: KeyPositions, corpus: Corpus, spans: Spans, document: Rows, *, end: Rows) -> None:
    """Refuse spans that end after the key's text: possible only in a response without a text."""
    if key_positions.key.textless:
        return
    sizes = np.array([len(text) for text in key_positions.raw.documents], np.int64)
    wrong = np.flatnonzero((document >= 0) & (end > sizes[np.maximum(document, 0)])) if len(sizes) else document[:0]
    if len(wrong):
        number = int(document[wrong[0]])
        raise _out_of_text_error(
            key_positions,
            corpus=corpus,
            spans=spans,
            wrong=wrong,
            number=number,
            size=f"{int(sizes[number]):,} characters",
        )


def _out_of_text_error(
    key_positions: KeyPositions, corpus: Corpus, spans: Spans, wrong: Rows, *, number: int, size: str
) -> AlignError:
    """Make the error for spans that end after the text of a document."""
    span = int(wrong[0])
    hint = "check that offsets count code points (not bytes or UTF-16 units) and refer to the same text"
    if spans.unit == "tokens":
        hint = "check that word numbers count the words of the key (not subwords) and refer to the same text"
    return AlignError(
        f"the span {int(spans.begin[span])}:{int(spans.end[span])} ends after the end of document "
        f"{key_positions.key.documents.names[number]!r}, which has {size}",
        where=str(corpus.source.locate(int(spans.offset[span]))),
        details=[f"other spans with this error: {len(wrong) - 1:,}"] if len(wrong) > 1 else [],
        hint=hint,
    )


def _drop_spans(spans: PlacedSpans, gone: Rows) -> PlacedSpans:
    keep = np.ones(len(spans), np.bool_)
    keep[gone] = False
    return spans.take(np.flatnonzero(keep))


def _sort_spans(spans: PlacedSpans) -> PlacedSpans:
    """Sort spans by document, begin, end and label."""
    columns = spans.document, spans.begin, spans.end, spans.label.sorted().codes
    if _is_sorted(columns):
        return spans
    return spans.take(np.lexsort(columns[::-1]))


def _is_sorted(columns: Sequence[Codes]) -> bool:
    """Whether rows are in lexicographic order of the columns."""
    tied = np.ones(max(len(columns[0]) - 1, 0), np.bool_)
    for column in columns:
        if (tied & (column[1:] < column[:-1])).any():
            return False
        tied &= column[1:] == column[:-1]
    return True
