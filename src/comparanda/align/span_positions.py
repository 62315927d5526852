"""Spans of all sides as positions in the key's documents.

Where every side has the key's tokens, positions count tokens. Otherwise they count characters of the key's text:
the text as the input has it, or its words with one space between them. A response is laid over that text by its
characters, whatever its words and its white space are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align.maps import NONE
from comparanda.align.positions import Ground
from comparanda.core.corpus import Fragments, owner_of_rows
from comparanda.core.places import Note, first_places
from comparanda.core.text_columns import TextColumn, taken
from comparanda.errors import AlignError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from comparanda.align.maps import Aligned, RowMap
    from comparanda.core.corpus import Corpus, Spans, Unit
    from comparanda.core.text_columns import Codes, Column, Rows, Truths


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PlacedSpans:
    """The spans of one side in the key's documents, by document, begin, end and label.

    Args:
        document: the key's document each stands in.
        begin: where it begins there.
        end: where it ends.
        label: its label.
        given: which span of the input it is.
        fragments: the pieces of discontinuous ones; None where there are none.
        columns: what else the input says of them.

    """

    document: Rows
    begin: Rows
    end: Rows
    label: TextColumn
    given: Rows
    fragments: Fragments | None = None
    columns: Mapping[str, Column] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.begin)

    def take(self, rows: Rows) -> PlacedSpans:
        """Return some spans, in another order if need be."""
        return PlacedSpans(
            document=self.document[rows],
            begin=self.begin[rows],
            end=self.end[rows],
            label=self.label.take(rows),
            given=self.given[rows],
            fragments=None if self.fragments is None else self.fragments.take(rows, len(self)),
            columns={name: taken(column, rows) for name, column in self.columns.items()},
        )


@dataclass(frozen=True, eq=False)
class Placement:
    """The spans of the key and of all responses on common ground.

    Args:
        unit: what positions count.
        ground: where the key's rows stand.
        sides: the key's spans, then each response's.
        notes: what was met on the way.

    """

    unit: Unit
    ground: Ground
    sides: tuple[PlacedSpans, ...]
    notes: tuple[Note, ...]

    def rows(self, spans: PlacedSpans) -> tuple[Rows, Rows]:
        """Return the key's rows that spans begin and end in, counted in their documents; half-open, at least one."""
        return _span_rows(self.ground, spans, self.unit)

    def texts(self, spans: PlacedSpans) -> TextColumn:
        """Return what each span covers of the key's text."""
        return _span_texts(self.ground, spans, self.unit)


def _span_rows(ground: Ground, spans: PlacedSpans, unit: Unit) -> tuple[Rows, Rows]:
    """Return the rows that spans begin and end in."""
    base, last = ground.key.row_documents[spans.document], ground.key.row_documents[spans.document + 1]
    if unit == "tokens":
        begin = np.minimum(spans.begin, np.maximum(last - base - 1, 0))  # without length, it may be behind all
        return begin, np.maximum(spans.end, begin + 1)
    width = int(max(ground.raw.end.max(initial=0), spans.end.max(initial=0))) + 1
    ends, begins = ground.owner * width + ground.raw.end, ground.owner * width + ground.raw.begin
    first = np.searchsorted(ends, spans.document * width + spans.begin, side="right")
    first = np.clip(first, base, np.maximum(last - 1, base))
    behind = np.searchsorted(begins, spans.document * width + spans.end, side="left")
    behind = np.clip(behind, first + 1, np.maximum(last, first + 1))
    return first - base, behind - base


def _span_texts(ground: Ground, spans: PlacedSpans, unit: Unit) -> TextColumn:
    """Return what spans cover."""
    if unit == "characters":
        documents = ground.raw.documents
        where = zip(spans.document.tolist(), spans.begin.tolist(), spans.end.tolist(), strict=True)
        return TextColumn.of([documents[document][begin:end] for document, begin, end in where])
    if ground.key.words is None:
        return TextColumn.of([None] * len(spans))
    words = ground.key.words.intern()
    base = ground.key.row_documents[spans.document]
    names, codes = words.names, words.codes
    rows = zip((base + spans.begin).tolist(), (base + spans.end).tolist(), strict=True)
    return TextColumn.of(
        [
            names[codes[first]] if last - first == 1 else " ".join([names[code] for code in codes[first:last].tolist()])
            for first, last in rows
        ]
    )


def place_spans(aligned: Aligned) -> Placement:
    """Bring the spans of all sides to positions in the key's documents."""
    ground = Ground(aligned.key)
    key = _require_spans(aligned.key)
    if key.unit == "tokens" and not len(aligned.key):
        hint = "give a key with its words: numbers of words alone are for responses"
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
            _place_by_tokens(ground, corpus, spans)
            if by_tokens
            else _place_by_characters(ground, corpus, spans, row_map)
        )
        lost = np.flatnonzero(found.document < 0)
        foreign = lost if documents is None else np.flatnonzero((found.document < 0) | ~documents[found.document])
        if len(lost):
            first = first_places(corpus.source, spans.offset[found.given[lost]])
            notes.append(Note(corpus.name, "spans in documents that the key does not have, ignored", len(lost), first))
        if len(foreign):
            found = _drop_spans(found, foreign)
        placed.append(_sort_spans(found))
    return Placement(unit, ground, tuple(placed), tuple(notes))


def _require_spans(corpus: Corpus) -> Spans:
    if corpus.spans is None:
        raise AssertionError(f"{corpus.name} was read without spans")
    return corpus.spans


def _kept_documents(aligned: Aligned) -> Truths | None:
    """Return which documents take part; None for all."""
    if aligned.kept is None:
        return None
    kept = np.zeros(len(aligned.key.documents), np.bool_)
    kept[owner_of_rows(aligned.key.row_documents)[aligned.kept]] = True
    return kept


def _place_by_tokens(ground: Ground, corpus: Corpus, spans: Spans) -> PlacedSpans:
    """Place spans of a side that has the key's tokens, row by row."""
    first = corpus.row_documents[spans.document] + spans.begin
    document = ground.owner[first - _follows_row(spans)] if len(first) else np.zeros(0, np.int64)
    begin = first - ground.key.row_documents[document]
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
    """Return which spans cover no row, and stand behind one: that of an empty node in a document of words."""
    behind: Truths = (spans.begin == spans.end) & (spans.begin > 0)
    return behind


def _place_by_characters(ground: Ground, corpus: Corpus, spans: Spans, row_map: RowMap | None) -> PlacedSpans:
    if spans.unit == "tokens":
        return _place_tokens_as_characters(ground, corpus, spans, row_map)
    documents = np.arange(len(ground.key.documents)) if row_map is None else _document_map(ground.key, corpus)
    document = documents[spans.document] if len(spans) else np.zeros(0, np.int64)
    pieces = spans.fragments
    piece_document = np.zeros(0, np.int64) if pieces is None else spans.document[pieces.span]
    if row_map is None or _has_key_texts(ground, corpus, documents):
        begin, end = spans.begin, spans.end
    else:
        begin, end = _transfer_positions(
            ground, corpus=corpus, documents=documents, owner=spans.document, begin=spans.begin, end=spans.end
        )
        if pieces is not None:
            pieces = Fragments(
                pieces.span,
                *_transfer_positions(
                    ground, corpus=corpus, documents=documents, owner=piece_document, begin=pieces.begin, end=pieces.end
                ),
            )
    _refuse_outside(ground, corpus=corpus, spans=spans, document=document, end=end)
    return PlacedSpans(
        document=document,
        begin=begin,
        end=end,
        label=spans.label,
        given=np.arange(len(spans)),
        fragments=pieces,
        columns=spans.columns,
    )


def _place_tokens_as_characters(ground: Ground, corpus: Corpus, spans: Spans, row_map: RowMap | None) -> PlacedSpans:
    """Place spans of tokens by where their first and last token stand in the key's text."""
    if not len(corpus):
        return _place_by_key_rows(ground, corpus, spans)
    base = corpus.row_documents[spans.document] if len(spans) else np.zeros(0, np.int64)
    place = (
        _key_row_locator(ground)
        if row_map is None or row_map.identity
        else _response_row_locator(ground, corpus, row_map)
    )
    empty, behind = spans.begin == spans.end, _follows_row(spans)
    document, begin, end = place(base + spans.begin - behind, base + spans.end - 1 + (empty & ~behind))
    begin, end = np.where(behind, end, begin), np.where(empty & ~behind, begin, end)
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


def _place_by_key_rows(ground: Ground, corpus: Corpus, spans: Spans) -> PlacedSpans:
    """Place spans of a side that has no words, only places among the key's, in documents of the same names."""
    known = {name: number for number, name in enumerate(ground.key.documents.names)}
    documents = np.array([known.get(name, NONE) for name in corpus.documents.names], np.int64)
    document = documents[spans.document] if len(spans) else np.zeros(0, np.int64)
    inside = np.maximum(document, 0)
    sizes = np.diff(ground.key.row_documents)[inside] if len(spans) else document
    wrong = np.flatnonzero((document >= 0) & (spans.end > sizes))
    if len(wrong):
        size = int(sizes[wrong[0]])
        shown = f"{size:,} word{'s'[: size != 1]}"
        raise _out_of_text_error(
            ground, corpus=corpus, spans=spans, wrong=wrong, number=int(document[wrong[0]]), size=shown
        )
    there = document >= 0
    first = np.where(there, ground.key.row_documents[inside] + spans.begin, 0) if len(spans) else document
    last = np.where(there, first + spans.end - spans.begin - 1, 0) if len(spans) else document
    _, begin, end = _key_row_locator(ground)(first, last)
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
"""Document, begin and end of stretches of the key's text."""


def _key_row_locator(ground: Ground) -> Callable[[Rows, Rows], Stretch]:
    """Return what gives the stretches between first and last rows of the key."""
    return lambda first, last: (ground.owner[first], ground.raw.begin[first], ground.raw.end[last])


def _response_row_locator(ground: Ground, corpus: Corpus, row_map: RowMap) -> Callable[[Rows, Rows], Stretch]:
    """Return what gives the stretches between first and last rows of a response."""
    near = row_map.near(len(corpus))
    starts, stops = _character_ranges(ground, row_map, len(corpus))

    def place(first: Rows, last: Rows) -> Stretch:
        there = (near[first] != NONE) & (near[last] != NONE)
        document = np.where(there, ground.owner[np.maximum(near[first], 0)], NONE)
        return document, ground.to_places(starts[first], ending=False), ground.to_places(stops[last], ending=True)

    return place


def _character_ranges(ground: Ground, row_map: RowMap, rows: int) -> tuple[Rows, Rows]:
    """Return between which characters of the key's words each row of a response stands."""
    near = np.maximum(row_map.near(rows), 0)
    begin, end = ground.solid_before[ground.first_words[near]], ground.solid_before[near + 1]
    if row_map.surplus is not None:
        surplus = row_map.surplus
        before, byte = ground.characters_before, ground.bytes_before[surplus.near]
        begin[surplus.rows] = before[byte + surplus.begin]
        end[surplus.rows] = before[byte + surplus.end]
    return begin, end


def _document_map(key: Corpus, response: Corpus) -> Rows:
    """Return the key's document for each of a response's: by name, or in order where they share no name."""
    place = {name: number for number, name in enumerate(key.documents.names)}
    found = np.array([place.get(name, NONE) for name in response.documents.names], np.int64)
    if (found == NONE).all() and len(response.documents) == len(key.documents):
        return np.arange(len(key.documents))
    return found


def _has_key_texts(ground: Ground, corpus: Corpus, documents: Rows) -> bool:
    """Whether the texts of a response are the key's to the last character, or it has none of its own."""
    if corpus.raw is None:
        if ground.key.raw is None:
            raise AlignError(
                "the spans count characters, but neither this response nor the key has a text",
                where=corpus.source.parts[0].name,
                hint="give a response with its text, or a key with one",
            )
        return True
    if ground.key.raw is None:
        return False
    texts = ground.key.raw.documents
    pairs = zip(documents.tolist(), corpus.raw.documents, strict=True)
    return all(text == texts[number] for number, text in pairs if number != NONE)


def _transfer_positions(
    ground: Ground, corpus: Corpus, documents: Rows, owner: Rows, *, begin: Rows, end: Rows
) -> tuple[Rows, Rows]:
    """Carry positions in a response's texts to the key's, which has other white space."""
    raw = corpus.raw
    assert raw is not None
    rows = owner_of_rows(corpus.row_documents).astype(np.int64)
    size = raw.end - raw.begin
    ends = np.cumsum(size)
    inner = np.repeat(raw.begin - ends + size, size) + np.arange(int(ends[-1]) if len(ends) else 0)
    width = int(max(inner.max(initial=0), end.max(initial=0))) + 2
    place = np.repeat(rows, size) * width + inner
    first_solid = np.concatenate([np.zeros(1, np.int64), ends])[corpus.row_documents]
    mine = ground.solid_before[ground.key.row_documents]
    shift = mine[np.maximum(documents, 0)] - first_solid[:-1]
    first, last = np.searchsorted(place, owner * width + begin), np.searchsorted(place, owner * width + end)
    carried = ground.to_places(first + shift[owner], ending=False), ground.to_places(last + shift[owner], ending=True)
    nothing = first == last  # no length, or white space alone: behind the character before it if it touches that
    if not nothing.any():
        return carried
    before, behind = first > first_solid[owner], first < first_solid[owner + 1]
    touching = before & (~behind | np.isin(owner * width + begin - 1, place))
    stands = np.where(touching, carried[1], np.where(behind, carried[0], 0))
    return np.where(nothing, stands, carried[0]), np.where(nothing, stands, carried[1])


def _refuse_outside(ground: Ground, corpus: Corpus, spans: Spans, document: Rows, *, end: Rows) -> None:
    """Refuse a span that ends behind the key's text: only a response without a text can have one."""
    sizes = np.array([len(text) for text in ground.raw.documents], np.int64)
    wrong = np.flatnonzero((document >= 0) & (end > sizes[np.maximum(document, 0)])) if len(sizes) else document[:0]
    if len(wrong):
        number = int(document[wrong[0]])
        raise _out_of_text_error(
            ground, corpus=corpus, spans=spans, wrong=wrong, number=number, size=f"{int(sizes[number]):,} characters"
        )


def _out_of_text_error(
    ground: Ground, corpus: Corpus, spans: Spans, wrong: Rows, *, number: int, size: str
) -> AlignError:
    """Make the error for spans that end behind the text of a document."""
    span = int(wrong[0])
    hint = "do its offsets count bytes or UTF-16 units, or were they made on another text?"
    if spans.unit == "tokens":
        hint = "do its numbers count other words, or pieces of words, or were they made on another text?"
    return AlignError(
        f"the span {int(spans.begin[span])}:{int(spans.end[span])} ends behind the text of document "
        f"{ground.key.documents.names[number]!r}, which has {size}",
        where=str(corpus.source.locate(int(spans.offset[span]))),
        details=[f"so do {len(wrong) - 1:,} others"] if len(wrong) > 1 else [],
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
    """Whether no row comes before the one before it, by the first column that differs."""
    tied = np.ones(max(len(columns[0]) - 1, 0), np.bool_)
    for column in columns:
        if (tied & (column[1:] < column[:-1])).any():
            return False
        tied &= column[1:] == column[:-1]
    return True
