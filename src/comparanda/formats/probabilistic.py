"""Probabilistic entities from JSON: blocks of alternatives, entities with scores, n-best lists, token marginals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from comparanda.core.corpus import Corpus, Documents, Spans
from comparanda.core.places import Note, Source, first_places, make_read_error
from comparanda.core.text_columns import Slices, TextColumn
from comparanda.errors import ReadError
from comparanda.formats.contract import BELIEF_OPTIONS, CERTAIN, SCORES, WORDS, Format, Request, declared_words
from comparanda.formats.cuts import json_marks, sentence_a_line
from comparanda.formats.field_values import find_unwritable, is_collection, list_values
from comparanda.formats.hugging_face import read_values
from comparanda.formats.json_keys import check_all_keys
from comparanda.formats.json_objects import JsonObjects, key_paths, looks_like_json
from comparanda.formats.probabilistic_kinds import read_blocks, read_entities, read_nbest, read_tokens
from comparanda.formats.probabilistic_records import (
    BEGINS,
    CONTENTS,
    Content,
    Document,
    Record,
    Records,
    Span,
    make_decoding_error,
    make_type_error,
    merge_tuples,
    replace_words,
)
from comparanda.formats.probabilistic_records import Tuples as RecordsTuples
from comparanda.formats.scanner import check_line_lengths, offset_type, sentence_offsets
from comparanda.formats.standoff import OPTION, Draft, requested_offsets
from comparanda.formats.tokens import MENDS, Marks, mend_column

if TYPE_CHECKING:
    from comparanda.core.probabilities import Beliefs, Policies, Worlds
    from comparanda.core.text_columns import Codes, Rows


# From tuples to a corpus: offsets refer to the texts of documents, to their words, or to words that only the key has.


FORMAT_NAME = "probabilistic"


def build_tuple_corpus(records: Records, tuples: RecordsTuples) -> Corpus:
    """Build the corpus of tuples, with their probabilities."""
    if records.unit == "characters":
        corpus = _place_by_characters(records, tuples)
    else:
        words = [records.words(number) for number in range(len(records))]
        corpus = (
            _place_by_word_numbers(records, tuples) if words[0] is None else _place_by_words(records, tuples, words)
        )
    beliefs = replace(tuples.beliefs, policies=records.settings.used_policies())
    return replace(corpus, beliefs=beliefs, layout="; ".join(filter(None, (corpus.layout, records.scheme))))


def _place_by_characters(records: Records, tuples: RecordsTuples) -> Corpus:
    """Build the corpus of tuples whose offsets count characters."""
    draft = Draft(source=records.source, side=records.request.side, called=lambda span, _: tuples.called(span))
    names = records.names()
    numbers = records.source.numbers(np.array(records.places, np.int64))
    if names is None and records.source.opens:
        records.note("documents have no names; they are numbered instead", [0])
    for number, document in enumerate(records.documents):
        name = f"document {numbers[number]}" if names is None else _check_writable(records, number, names[number])
        draft.document(name, records.places[number])
        there = document.text is not None
        if there != (records.documents[0].text is not None):
            here, first = ("a text", "none") if there else ("no text", "one")
            what = f"the document {name!r} has {here}, but the first has {first}"
            raise records.refuse(number, what, hint="give all documents their text, or none")
        if document.text is not None:
            draft.texts.append(_check_writable(records, number, document.text))
    places = np.array(records.places, np.int64)[tuples.record]
    draft.spans(tuples.record, begin=tuples.begin, end=tuples.end, labels=tuples.label, place=places)
    for row, text in tuples.text.items():
        draft.set_value(row, "text", text)
    draft.notes += records.notes
    offsets = requested_offsets(records.request.options)
    return draft.corpus(records.request, name=FORMAT_NAME, evaluated="label", offsets=offsets)


def _check_writable(records: Records, number: int, text: str) -> str:
    """Refuse a string that cannot be written to a text file."""
    if problem := find_unwritable(text):
        raise records.refuse(number, f"{problem[0]} in {text[:40]!r}", hint=problem[1])
    return text


def _place_by_words(records: Records, tuples: RecordsTuples, given: list[list[str] | None]) -> Corpus:
    """Build the corpus of tuples whose offsets count the words of their records.

    A record is a sentence or a document; records without names form one document.
    """
    names, source = records.names(), records.source
    sentences: list[list[str]] = []
    for number, words in enumerate(given):
        if words is None:
            raise records.refuse(
                number,
                "this record has no words, but the first has some",
                hint="give the words of all records, or of none",
            )
        sentences.append(words)
        _check_writable(records, number, " ".join(words))
    sizes = np.array(list(map(len, sentences)), np.int64)
    if not sizes.sum():
        raise ReadError("there are no words in this file", where=source.parts[0].name)
    if not sizes.all():
        records.note("records without words ignored", np.flatnonzero(sizes == 0))
    _refuse_outside(records, tuples, sizes)
    first = np.cumsum(sizes) - sizes
    offset: Codes = np.repeat(np.array(records.places, np.int64), sizes).astype(offset_type(source))
    marks, last = Marks(source), None
    for number in np.flatnonzero(sizes).tolist():
        if names is not None and names[number] != last:
            last = names[number]
            marks.begin(_check_writable(records, number, last), int(first[number]), records.places[number])
    cuts = sentence_offsets([first[1:]], int(sizes.sum()))
    documents = marks.documents(cuts, offset)
    corpus = Corpus(
        name=records.request.side,
        format=FORMAT_NAME,
        source=source,
        offset=offset,
        words=Slices.of([word for each in sentences for word in each]),
        columns={},
        sentences=cuts,
        documents=documents,
        evaluated="label",
    )
    bounds = corpus.row_documents
    row = first[tuples.record]
    document = np.searchsorted(bounds, row, side="right") - 1
    shift = row - bounds[document] if len(row) else row
    spans = _build_spans(records, tuples, document, shift)
    return replace(corpus, spans=spans, notes=(*source.notes, *records.notes, *marks.notes(records.request.side)))


def _place_by_word_numbers(records: Records, tuples: RecordsTuples) -> Corpus:
    """Build the corpus of tuples whose offsets count words that only the key has, in documents of the same names."""
    names, source = records.names(), records.source
    if names is None:
        what = "the records have neither words nor names, so they cannot be located"
        raise records.refuse(0, what, hint='give the words in "tokens", or the name of each document in "doc"')
    first: dict[str, int] = {}
    for number, name in enumerate(names):
        if first.setdefault(_check_writable(records, number, name), number) != number:
            details = [f"the first is at {source.locate(records.places[first[name]])}"]
            raise records.refuse(number, f"duplicate document {name!r}", details=details)
        if records.words(number) is not None:
            raise records.refuse(
                number,
                "this record has words, but the first has none",
                hint="give the words of all records, or of none",
            )
    _refuse_outside(records, tuples, None)
    nothing = np.zeros(len(names) + 1, np.int64)
    spans = _build_spans(records, tuples, tuples.record, np.zeros(len(tuples.record), np.int64))
    return Corpus(
        name=records.request.side,
        format=FORMAT_NAME,
        source=source,
        offset=np.zeros(0, offset_type(source)),
        words=None,
        columns={},
        sentences=np.zeros(1, np.int64),
        documents=Documents(tuple(names), nothing, marked=True),
        evaluated="label",
        spans=spans,
        notes=(*source.notes, *records.notes),
    )


def _refuse_outside(records: Records, tuples: RecordsTuples, sizes: Rows | None) -> None:
    """Refuse empty spans and spans that reach beyond the words of their record."""
    wrong = (tuples.begin < 0) | (tuples.end <= tuples.begin)
    if sizes is not None and len(tuples.record):
        wrong |= tuples.end > sizes[tuples.record]
    if wrong.any():
        row = int(wrong.argmax())
        number = int(tuples.record[row])
        there = "" if sizes is None else f" of {sizes[number]:,}"
        what = f"{tuples.called(row)!r} is from word {tuples.begin[row]} to {tuples.end[row]}{there}"
        raise records.refuse(
            number, what, hint="words are numbered from 0, and the end is the number after the last word"
        )


def _build_spans(records: Records, tuples: RecordsTuples, document: Rows, shift: Rows) -> Spans:
    """Build the spans, with offsets in words of their documents."""
    place = np.array(records.places, np.int64)[tuples.record]
    label = TextColumn.of(tuples.label)
    for code, name in enumerate(label.names):
        if find_unwritable(name):
            _check_writable(records, int(tuples.record[np.flatnonzero(label.codes == code)[0]]), name)
    for what, mend in MENDS.items():
        label, rows = mend_column(label, mend)
        if rows.size:
            places = first_places(records.source, place[rows[:3]])
            records.notes.append(Note(records.request.side, f"labels {what}", len(rows), places))
    offset: Codes = place.astype(offset_type(records.source))
    return Spans(
        unit="tokens",
        document=document,
        begin=tuples.begin + shift,
        end=tuples.end + shift,
        label=label.sorted(),
        offset=offset,
    )


# Reader: JSONL with one document or sentence per line, or the output of NER tools.


_DECODER = msgspec.json.Decoder(Record)
_ANY_DECODER = msgspec.json.Decoder(Any)
_TYPICAL_FIELDS = re.compile(r'"(?:blocks|nbest)"\s*:\s*\[|"(?:dist|probs)"\s*:\s*(?:\[\s*)?\{|"label_semantics"\s*:')
_LABEL_PATHS = ("label", "type", "tag", "labels", "labels[].value")
_READERS: Mapping[Content, Callable[[Records, Sequence[int], Policies], RecordsTuples]] = {
    "blocks": read_blocks,
    "entities": read_entities,
    "nbest": read_nbest,
    "tokens": read_tokens,
}


def read(source: Source, request: Request) -> Corpus:
    """Read records from JSONL or from one JSON array."""
    check_line_lengths(source, 0, source.size, request.max_line)
    if re.match(rb"\s*\[", source.data) or request.options.get("scale") == WORDS:
        given = list(read_values(source))
        return read_documents([each for _, each in given], [place for place, _ in given], source, request)
    objects = JsonObjects(source)
    found: list[Document | list[Span]] = []
    decode, keep = _DECODER.decode, found.append
    try:
        for piece in objects.pieces:
            keep(decode(piece))
    except (msgspec.DecodeError, RecursionError) as problem:
        place, piece = int(objects.offset[len(found)]), objects.pieces[len(found)]
        if (known := make_decoding_error(source, place, piece, problem)) is not None:
            raise known from None
        objects.decoded(_ANY_DECODER)  # raises the error for malformed JSON
        raise make_read_error(source, place, f"not JSON: {problem}") from None
    check_all_keys(source, objects.offset.tolist(), objects.pieces, found)
    return _read_documents(found, objects.offset.tolist(), source, request)


def read_documents(given: Sequence[Any], places: Sequence[int], source: Source, request: Request) -> Corpus:
    """Read records that are already decoded.

    Args:
        given: dictionaries, or lists of entities; if every element is an entity, they all belong to one text.
        places: the byte offset of each in the source.
        source: the bytes.
        request: what was asked.

    """
    if all(map(_is_entity, given)):
        given, places = [list(given)], places[:1]
    if words := declared_words(request.options, FORMAT.options):
        given = [
            replace_words(each, words, partial(_make_word_error, source, place))
            for each, place in zip(given, places, strict=True)
        ]
    found = []
    for each, place in zip(given, places, strict=True):
        try:
            found.append(msgspec.convert(each, Record))
        except msgspec.ValidationError as problem:
            raise make_type_error(source, place, problem) from None
    return _read_documents(found, list(places), source, request)


def _make_word_error(source: Source, place: int, what: str, hint: str) -> ReadError:
    return make_read_error(source, place, what, hint=hint)


def is_probable(records: Iterable[Any]) -> bool:
    """Whether Python data are records of this format; the first record with entities or tokens decides.

    >>> is_probable([{"doc": "d1", "blocks": []}]), is_probable([{"id": "d1", "spans": []}])
    (True, False)
    """
    for each in records:
        if not isinstance(each, Mapping):
            return False
        if {"blocks", "nbest", "dist"} & each.keys():
            return True
        lists = (each[name] for name in ("entities", "tokens") if is_collection(each.get(name)) and len(each[name]))
        first = next((list_values(elements)[0] for elements in lists), None)
        if isinstance(first, Mapping):
            return bool({*SCORES, "probs", "labels"} & first.keys() or {"overlap", "label_semantics"} & each.keys())
    return False


def _is_entity(given: Any) -> bool:
    """Whether a value is a single entity, not a record."""
    return isinstance(given, dict) and not {*BEGINS}.isdisjoint(given) and {*CONTENTS}.isdisjoint(given)


def _read_documents(found: list[Document | list[Span]], places: list[int], source: Source, request: Request) -> Corpus:
    documents = [each if isinstance(each, Document) else Document(entities=each) for each in found]
    records = Records(source, request, documents, places)
    if request.options.get("score") == CERTAIN:
        return _read_certain(records)
    parts = []
    for content, reader in _READERS.items():
        for policies, numbers in records.group_by_policies(records.with_content(content)):
            parts.append(reader(records, numbers, policies))
    return build_tuple_corpus(records, merge_tuples(parts))


def _read_certain(records: Records) -> Corpus:
    """Read entities as certain, ignoring their scores."""
    for number, content in enumerate(records.contents):
        if content != "entities":
            hint = "to read the tags of words, name their format: ::jsonl?tags=FIELD"
            raise records.refuse(
                number, f"score=none is for spans that are certain, but this record has {content}", hint=hint
            )
    every = list(range(len(records)))
    tuples = read_entities(records, every, replace(records.policies[0], overlap="independent"))
    return replace(build_tuple_corpus(records, tuples), beliefs=None)


def sniff(lines: list[str]) -> bool:
    """Whether the first lines have fields unique to this format, or entities with offsets and scores."""
    if not (looks_like_json(lines) or "\n".join(lines).lstrip().startswith("[[")):
        return False
    if _TYPICAL_FIELDS.search("\n".join(lines)):
        return True
    found = key_paths(lines)
    for prefix in ("entities[].", "[].entities[].", "[][].", "[]."):
        here = {path.removeprefix(prefix) for path in found if path.startswith(prefix)}
        scored = {*SCORES, "labels[].confidence", "labels[].score"} & here
        if scored and {*BEGINS} & here and {*_LABEL_PATHS} & here and not {"entity_group", "entity", "spans"} & here:
            return True
    return False


FORMAT = Format(
    name=FORMAT_NAME,
    summary="JSONL of probabilistic entities: blocks, entities with scores, n-best lists, token marginals",
    shapes=frozenset({"tokens"}),
    suffixes=(".jsonl", ".ndjson", ".json"),
    options={**BELIEF_OPTIONS, **OPTION},
    sniff=sniff,
    read=read,
    layers=frozenset({"beliefs"}),
    marks=json_marks(read),
    sentences=sentence_a_line,
)


# Writer: JSON lines with blocks of alternatives, or of worlds where several tuples of a block can be true together.


@dataclass(frozen=True, eq=False, kw_only=True)
class Tuples:
    """Labelled spans, ordered by document and block.

    Args:
        document: the index of the document of each.
        begin: the first character of each, in the text of its document.
        end: the character after the last one.
        label: the label of each.
        beliefs: their probabilities.

    """

    document: Rows
    begin: Rows
    end: Rows
    label: TextColumn
    beliefs: Beliefs


def as_blocks(names: Sequence[str], texts: Sequence[str], tuples: Tuples) -> str:
    """Write one document per line, with its blocks; all weights are read again as they are."""
    bounds = np.searchsorted(tuples.document, np.arange(len(names) + 1)).tolist()
    encode = msgspec.json.Encoder().encode
    lines = []
    for number, (name, text) in enumerate(zip(names, texts, strict=True)):
        rows = range(bounds[number], bounds[number + 1])
        record = {"doc": name, "blocks": _encode_blocks(rows, tuples), "text": text}  # detected from its head
        lines.append(f"{encode(record).decode()}\n")
    return "".join(lines)


def _encode_blocks(rows: range, tuples: Tuples) -> list[dict[str, Any]]:
    """Encode the blocks of a document; those in which nothing is possible are omitted."""
    beliefs = tuples.beliefs
    rows_by_block: dict[int, list[int]] = {}
    for row in rows:
        rows_by_block.setdefault(int(beliefs.block[row]), []).append(row)
    found = []
    for block, mine in rows_by_block.items():
        if beliefs.exclusive[block] or beliefs.worlds is None:
            encoded: dict[str, Any] = {"alternatives": _encode_alternatives(mine, tuples)}
        else:
            encoded = {"worlds": _encode_worlds(block, beliefs.worlds, tuples)}
        found += [encoded] if any(encoded.values()) else []
    return found


def _encode_alternatives(rows: list[int], tuples: Tuples) -> list[dict[str, Any]]:
    """Encode the possible spans of a block; impossible labels are omitted unless a span has no others."""
    beliefs = tuples.beliefs
    found: dict[int, dict[str, Any]] = {}
    for row in rows:
        p = float(beliefs.entity[row])
        if p <= 0:
            continue
        one = found.setdefault(
            int(beliefs.alternative[row]),
            {"start": int(tuples.begin[row]), "end": int(tuples.end[row]), "p": p, "labels": {}},
        )
        one["labels"][tuples.label[row]] = float(min(beliefs.weight[row] / p, 1.0))
    for one in found.values():
        likely = {label: p for label, p in one["labels"].items() if p > 0}
        one["labels"] = likely or one["labels"]
    return list(found.values())


def _encode_worlds(block: int, worlds: Worlds, tuples: Tuples) -> list[dict[str, Any]]:
    """Encode the possible worlds of a block; the remaining probability is that of the world without spans."""
    found = []
    for each in range(*np.searchsorted(worlds.block, [block, block + 1]).tolist()):
        members = worlds.member[worlds.offsets[each] : worlds.offsets[each + 1]].tolist()
        if members and worlds.probability[each] > 0:
            spans = [[int(tuples.begin[row]), int(tuples.end[row]), tuples.label[row]] for row in sorted(members)]
            found.append({"p": float(worlds.probability[each]), "spans": spans})
    return found
