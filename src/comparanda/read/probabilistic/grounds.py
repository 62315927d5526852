"""What tuples stand on: the texts of documents, their words, or only numbers of words that a key must have."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import Slices, TextColumn
from comparanda.corpus import Corpus, Documents, Spans
from comparanda.errors import ReadError
from comparanda.places import Note, first_places
from comparanda.read.gather import MENDS, mended
from comparanda.read.marks import Marks
from comparanda.read.offsets import asked_offsets
from comparanda.read.scan import offset_type, sentence_offsets
from comparanda.read.standoff import Draft
from comparanda.read.values import unwritable

if TYPE_CHECKING:
    from comparanda.columns import Codes, Rows
    from comparanda.read.probabilistic.records import Records, Tuples

FORMAT_NAME = "probabilistic"


def on_ground(records: Records, tuples: Tuples) -> Corpus:
    """Make the corpus of tuples; how probable they are comes with it."""
    if records.unit == "characters":
        corpus = _on_texts(records, tuples)
    else:
        words = [records.words(number) for number in range(len(records))]
        corpus = _on_numbers(records, tuples) if words[0] is None else _on_words(records, tuples, words)
    beliefs = replace(tuples.beliefs, policies=records.settings.said())
    return replace(corpus, beliefs=beliefs, layout="; ".join(filter(None, (corpus.layout, records.scheme))))


def _on_texts(records: Records, tuples: Tuples) -> Corpus:
    """Place tuples by characters."""
    draft = Draft(records.source, records.request.side, lambda span, _: tuples.called(span))
    names = records.names()
    numbers = records.source.numbers(np.array(records.places, np.int64))
    if names is None and records.source.opens:
        records.note("documents have no names: they are called by their number", [0])
    for number, document in enumerate(records.documents):
        name = f"document {numbers[number]}" if names is None else _checked(records, number, names[number])
        draft.document(name, records.places[number])
        there = document.text is not None
        if there != (records.documents[0].text is not None):
            here, first = ("a text", "none") if there else ("no text", "one")
            what = f"the document {name!r} has {here}, but the first has {first}"
            raise records.refuse(number, what, hint="give all documents their text, or none")
        if document.text is not None:
            draft.texts.append(_checked(records, number, document.text))
    places = np.array(records.places, np.int64)[tuples.record]
    draft.spans(tuples.record, tuples.begin, tuples.end, tuples.label, places)
    for row, text in tuples.text.items():
        draft.say(row, "text", text)
    draft.notes += records.notes
    offsets = asked_offsets(records.request.options)
    return draft.corpus(records.request, name=FORMAT_NAME, judged="label", offsets=offsets)


def _checked(records: Records, number: int, text: str) -> str:
    """Refuse a text that no file could hold."""
    if problem := unwritable(text):
        raise records.refuse(number, f"{problem[0]} in {text[:40]!r}", hint=problem[1])
    return text


def _on_words(records: Records, tuples: Tuples, given: list[list[str] | None]) -> Corpus:
    """Place tuples by words: a record is a sentence, or a document; without names, all are one document."""
    names, source = records.names(), records.source
    sentences: list[list[str]] = []
    for number, words in enumerate(given):
        if words is None:
            raise records.refuse(number, "this record has no words, but the first has", hint="give all words, or none")
        sentences.append(words)
        _checked(records, number, " ".join(words))
    sizes = np.array(list(map(len, sentences)), np.int64)
    if not sizes.sum():
        raise ReadError("there are no words in this file", where=source.parts[0].name)
    if not sizes.all():
        records.note("records without words passed over", np.flatnonzero(sizes == 0))
    _refuse_outside(records, tuples, sizes)
    first = np.cumsum(sizes) - sizes
    offset: Codes = np.repeat(np.array(records.places, np.int64), sizes).astype(offset_type(source))
    marks, last = Marks(source), None
    for number in np.flatnonzero(sizes).tolist():
        if names is not None and names[number] != last:
            last = names[number]
            marks.begin(_checked(records, number, last), int(first[number]), records.places[number])
    cuts = sentence_offsets([first[1:]], int(sizes.sum()))
    corpus = Corpus(
        name=records.request.side,
        format=FORMAT_NAME,
        source=source,
        offset=offset,
        words=Slices.of([word for each in sentences for word in each]),
        columns={},
        sentences=cuts,
        documents=marks.documents(cuts, offset),
        judged="label",
    )
    bounds = corpus.row_documents
    row = first[tuples.record]
    document = np.searchsorted(bounds, row, side="right") - 1
    shift = row - bounds[document] if len(row) else row
    spans = _spans(records, tuples, document, shift)
    return replace(corpus, spans=spans, notes=(*source.notes, *records.notes))


def _on_numbers(records: Records, tuples: Tuples) -> Corpus:
    """Place tuples by numbers of words that the records do not have: those of the key's documents of the same names."""
    names, source = records.names(), records.source
    if names is None:
        what = "the records have neither words nor names, so nothing tells where they belong"
        raise records.refuse(0, what, hint='give the words in "tokens", or the name of each document in "doc"')
    first: dict[str, int] = {}
    for number, name in enumerate(names):
        if first.setdefault(_checked(records, number, name), number) != number:
            details = [f"the first stands at {source.locate(records.places[first[name]])}"]
            raise records.refuse(number, f"the document {name!r} is there a second time", details=details)
        if records.words(number) is not None:
            raise records.refuse(
                number, "this record has words, but the first has none", hint="give all words, or none"
            )
    _refuse_outside(records, tuples, None)
    nothing = np.zeros(len(names) + 1, np.int64)
    spans = _spans(records, tuples, tuples.record, np.zeros(len(tuples.record), np.int64))
    return Corpus(
        name=records.request.side,
        format=FORMAT_NAME,
        source=source,
        offset=np.zeros(0, offset_type(source)),
        words=None,
        columns={},
        sentences=np.zeros(1, np.int64),
        documents=Documents(tuple(names), nothing, marked=True),
        judged="label",
        spans=spans,
        notes=(*source.notes, *records.notes),
    )


def _refuse_outside(records: Records, tuples: Tuples, sizes: Rows | None) -> None:
    """Refuse spans that hold no words, or words that are not there."""
    wrong = (tuples.begin < 0) | (tuples.end <= tuples.begin)
    if sizes is not None and len(tuples.record):
        wrong |= tuples.end > sizes[tuples.record]
    if wrong.any():
        row = int(wrong.argmax())
        number = int(tuples.record[row])
        there = "" if sizes is None else f" of {sizes[number]:,}"
        what = f"{tuples.called(row)!r} is from word {tuples.begin[row]} to {tuples.end[row]}{there}"
        raise records.refuse(number, what, hint="words count from 0, and the end is the number behind the last word")


def _spans(records: Records, tuples: Tuples, document: Rows, shift: Rows) -> Spans:
    """Return the spans, by words of their documents."""
    place = np.array(records.places, np.int64)[tuples.record]
    label = TextColumn.of(tuples.label)
    for code, name in enumerate(label.names):
        if unwritable(name):
            _checked(records, int(tuples.record[np.flatnonzero(label.codes == code)[0]]), name)
    for what, mend in MENDS.items():
        label, rows = mended(label, mend)
        if rows.size:
            places = first_places(records.source, place[rows[:3]])
            records.notes.append(Note(records.request.side, f"labels {what}", len(rows), places))
    offset: Codes = place.astype(offset_type(records.source))
    return Spans("tokens", document, tuples.begin + shift, tuples.end + shift, label.sorted(), offset)
