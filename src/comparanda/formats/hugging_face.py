"""Output of Hugging Face token classification pipelines: a list of entities with scores per text.

The fields are described at https://huggingface.co/docs/transformers/main_classes/pipelines, under
`TokenClassificationPipeline`. Without aggregation, the entities are word pieces tagged B- and I-, which are merged like
with its aggregation strategy "simple".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from comparanda.core.ids import join_ids, split_ids
from comparanda.core.places import Note, Source, first_places, make_read_error
from comparanda.core.text_columns import PADDING
from comparanda.errors import WriteError
from comparanda.formats.contract import Format, Request
from comparanda.formats.document_writer import Losses, Mention, Passage, Writer
from comparanda.formats.json_keys import check_keys
from comparanda.formats.json_objects import (
    Fields,
    JsonObjects,
    document_attributes,
    further_fields,
    json_lines,
    key_paths,
    name_kind,
    span_extent,
)
from comparanda.formats.records import DOCUMENT_NAMES
from comparanda.formats.scanner import check_line_lengths
from comparanda.formats.standoff import OPTION, Draft, requested_offsets

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus


_ENTITIES_FIELDS = ("entities", "predictions", "output", "ner", "spans")
_GROUP_FIELD, _PIECE_FIELD = "entity_group", "entity"
_USUAL_FIELDS = frozenset({_GROUP_FIELD, _PIECE_FIELD, "score", "word", "start", "end", "index"})
_OWN_FIELDS = _USUAL_FIELDS | {"id", "text"}
_OUTSIDE = "O"
"""The label of what is not an entity."""

_SHAPE = 'write an entity like this: {"entity_group": "PER", "score": 0.9, "word": "Anna", "start": 0, "end": 4}'
_TAG = re.compile(r"(?P<prefix>[BIESLU])-(?P<label>.+)", re.DOTALL)
_WORD_MISMATCH = "entities whose word differs from the covered text; their offsets are used"
_DECODER = msgspec.json.Decoder(Any)


@dataclass(slots=True, kw_only=True)
class _Entity:
    """An entity, or a word piece of one."""

    begin: int
    end: int
    label: str
    fields: Fields
    prefix: str = "B"
    index: int | None = None
    scores: list[float] = field(default_factory=list)


def read(source: Source, request: Request) -> Corpus:
    """Read the output of a pipeline, text by text."""
    check_line_lengths(source, 0, source.size, request.max_line)
    return _Reader(source, request).read()


class _Reader:
    """Reads one input into a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        self.source = source
        self.request = request
        self.text_field = request.options.get("text", "text")
        self.kinds: dict[str, int] = {}
        self.has_prefixes = _has_prefixed_labels(source)
        self.draft = Draft(source=source, side=request.side, called=lambda _, number: f"entity {number + 1}")
        self.note_places: dict[str, list[int]] = {}
        self.checked_words = 0

    def read(self) -> Corpus:
        offsets = requested_offsets(self.request.options)
        documents = list(read_values(self.source))
        if documents and all(type(each) is dict and _is_entity(each) for _, each in documents):
            documents = [(documents[0][0], [each for _, each in documents])]  # the output for a single text
        named = self._find_name_field(documents[0][1])
        for number, (place, given) in enumerate(documents):
            self._add_document(place, given, number, named)
        self._check_words()
        for what, places in self.note_places.items():
            first = first_places(self.source, np.array(places, np.int64))
            self.draft.notes.append(Note(self.request.side, what, len(places), first))
        return self.draft.corpus(self.request, name="hugging-face", evaluated="label", offsets=offsets)

    def _note(self, what: str, place: int) -> None:
        self.note_places.setdefault(what, []).append(place)

    def _find_name_field(self, first: Any) -> str | None:
        """Return the field with document names; None if they are numbered."""
        names = first if type(first) is dict else {}
        asked = self.request.options.get("document")
        return asked or next((name for name in DOCUMENT_NAMES if name in names), None)

    def _add_document(self, place: int, given: Any, number: int, named: str | None) -> None:
        if type(given) is list:
            given = {"": given}
        if type(given) is not dict:
            raise make_read_error(
                self.source, place, f"this is {name_kind(given)}, not the entities of a text", hint=_SHAPE
            )
        document = Fields(self.source, place, given)
        name = f"document {number + 1}" if named is None else document.name(named)
        if name is None:
            hint = "name all documents, or none: ?document=FIELD"
            raise document.refuse(f"the document has no {named!r}", hint=hint)
        if named is None and number == 0:
            self._note("documents have no names; they are numbered instead", place)
        spans, text = self._find_entities_field(document), self._add_text(document, number)
        self.draft.document(name, place, document.attributes(frozenset({named or "", spans, self.text_field})))
        found = list(self._read_entities(document, spans, text))
        for entity in _merge_pieces(found, text) if _PIECE_FIELD in self.kinds else found:
            if str(entity.fields.given.get("word")).startswith("##"):
                self._note("spans that begin inside of a word, as its pieces are tagged separately", place)
            self._add_span(entity)

    def _find_entities_field(self, document: Fields) -> str:
        asked = self.request.options.get("spans")
        fields = ("", *_ENTITIES_FIELDS) if asked is None else (asked,)
        found = next((name for name in fields if type(document.given.get(name)) is list), None)
        if found is None:
            what = f"there is no list {asked!r}" if asked else "cannot determine which field holds the entities"
            details = [f"fields: {', '.join(document.given)}"]
            raise document.refuse(what, details=details, hint="name it: ?spans=FIELD")
        return found

    def _add_text(self, document: Fields, number: int) -> str | None:
        """Add the text of a document, if there is one."""
        there = document.given.get(self.text_field) is not None
        if number and there != bool(self.draft.texts):
            here, first = ("a text", "none") if there else ("no text", "one")
            hint = "give all documents their text, or none"
            raise document.refuse(f"this document has {here}, but the first has {first}", hint=hint)
        if there:
            self.draft.texts.append(document.text(self.text_field))
        return self.draft.texts[-1] if there else None

    def _read_entities(self, document: Fields, spans: str, text: str | None) -> Iterator[_Entity]:
        for fields in document.objects(spans, _SHAPE):
            given = fields.given
            which = _GROUP_FIELD if _GROUP_FIELD in given else _PIECE_FIELD
            self.kinds.setdefault(which, fields.place)
            if len(self.kinds) > 1:
                first = self.source.locate(next(iter(self.kinds.values())))
                what = f"{fields.path()!r} has {which!r}, but others have {next(iter(self.kinds))!r}"
                hint = "put aggregated entities and word pieces into separate files"
                raise fields.refuse(what, details=[f"the first is at {first}"], hint=hint)
            label = fields.text(which, _SHAPE)
            if label == _OUTSIDE or not label.strip():
                self._note("entities with the label 'O' ignored", fields.place)
                continue
            begin, end = self._read_extent(fields)
            entity = _Entity(begin=begin, end=end, label=label, fields=fields)
            if which == _PIECE_FIELD:
                tag = _TAG.fullmatch(label) if self.has_prefixes else None
                entity.prefix, entity.label = tag.groups() if tag else ("I", label)
                entity.index = fields.integer("index") if given.get("index") is not None else None
            if (score := given.get("score")) is not None:
                entity.scores.append(_parse_score(fields, score))
            if text is not None:
                self._check_word(entity, text)
            yield entity

    def _read_extent(self, fields: Fields) -> tuple[int, int]:
        if fields.given.get("start") is None or fields.given.get("end") is None:
            what = f"{fields.path()!r} has no 'start' and 'end'"
            raise fields.refuse(what, hint="use a fast tokenizer (use_fast=True): slow ones return no offsets")
        return fields.integer("start"), fields.integer("end")

    def _check_word(self, entity: _Entity, text: str) -> None:
        """Note a word that differs from the covered text by more than the tokenizer's normalisation."""
        word, covered = entity.fields.given.get("word"), text[max(entity.begin, 0) : max(entity.end, 0)]
        if type(word) is str:
            self.checked_words += 1
            if word != covered and not is_alike(word, covered, whole=entity.index is None):
                self._note(_WORD_MISMATCH, entity.fields.place)

    def _check_words(self) -> None:
        """Refuse the input if most words differ from the text that their entities cover."""
        unlike = self.note_places.get(_WORD_MISMATCH, [])
        if 2 * len(unlike) > self.checked_words:
            what = f"{len(unlike):,} of {self.checked_words:,} entities do not match their word"
            raise make_read_error(
                self.source, unlike[0], what, hint="check that these are the texts that the pipeline was given"
            )

    def _add_span(self, entity: _Entity) -> None:
        number = self.draft.span([(entity.begin, entity.end)], entity.label, entity.fields.place)
        if entity.scores:
            self.draft.set_value(number, "probability", sum(entity.scores) / len(entity.scores))
        if not entity.fields.given.keys() <= _USUAL_FIELDS:
            if (id_ := entity.fields.name("id")) is not None:
                self.draft.set_value(number, "id", join_ids(split_ids(id_)))
            for name, value in entity.fields.plain(_OWN_FIELDS):
                self.draft.set_value(number, name, value)
        self.draft.check_scores(number, entity.fields.given, self.request.scores)


def _merge_pieces(pieces: list[_Entity], text: str | None) -> Iterator[_Entity]:
    """Merge word pieces: I- continues the previous piece if the labels are equal."""
    last: _Entity | None = None
    for piece in pieces:
        continues = (
            piece.prefix in "IEL" and last is not None and last.label == piece.label and last.prefix not in "ELSU"
        )
        if last is not None and continues and _are_adjacent(last, piece, text):
            last.end, last.index, last.prefix = piece.end, piece.index, piece.prefix
            last.scores += piece.scores
        else:
            if last is not None:
                yield last
            last = piece
    if last is not None:
        yield last


def _are_adjacent(before: _Entity, piece: _Entity, text: str | None) -> bool:
    """Whether two pieces follow each other without another token between them."""
    if before.index is not None and piece.index is not None:
        return piece.index == before.index + 1
    if piece.begin <= before.end:
        return True
    if text is not None:
        return text[before.end : piece.begin].isspace()
    what = f"cannot determine whether {piece.fields.path()!r} continues the previous piece"
    raise piece.fields.refuse(what, hint="keep 'index', or give the texts, or aggregate: aggregation_strategy='simple'")


def is_alike(word: str, covered: str, *, whole: bool = True) -> bool:
    """Whether a tokenizer's word matches the covered text, ignoring case, accents and punctuation.

    Word pieces that cannot be compared count as matches.

    >>> is_alike("d ' arc", "d'Arc"), is_alike("zoe", "Zoë"), is_alike("Anna", "Bo")
    (True, True, False)
    >>> is_alike("##son", "son", whole=False)
    True
    """
    if "[UNK]" in word or (not whole and not word.isascii()):
        return True
    one, other = _fold_letters(word), _fold_letters(covered)
    return one == other or not one


def _fold_letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text).casefold()))


def _parse_score(fields: Fields, value: Any) -> float:
    """Parse a score; `json.dumps(…, default=str)` writes NumPy floats as strings."""
    try:
        return float(value)
    except (ValueError, TypeError):
        raise fields.bad("score", "a number") from None


def _is_entity(given: Mapping[str, Any]) -> bool:
    return (_GROUP_FIELD in given or _PIECE_FIELD in given) and not any(
        type(given.get(name)) is list for name in _ENTITIES_FIELDS
    )


def _has_prefixed_labels(source: Source) -> bool:
    """Whether labels of word pieces have prefixes; if not, `E-mail` is a label."""
    return re.search(rb'"entity"\s*:\s*"[BI]-', source.data) is not None


def read_values(source: Source) -> Iterator[tuple[int, Any]]:
    """Yield the JSON values of the files, one per text, each with its byte offset: a value per line, or one array."""
    stops = [*(part.begin for part in source.parts[1:]), source.size]
    for part, stop in zip(source.parts, stops, strict=True):
        data = bytes(source.data[part.begin : stop])
        if not data.strip():
            continue
        if _has_array_per_line(data):
            yield from _read_lines(source, data, part.begin)
        else:
            whole = Source(parts=(replace(part, begin=0),), given=bytearray(data + bytes(PADDING)))
            objects = JsonObjects(whole)
            yield from zip((objects.offset + part.begin).tolist(), objects.decoded(_DECODER), strict=True)


def _has_array_per_line(data: bytes) -> bool:
    """Whether a file has an array per line instead of one array."""
    first, _, others = data.lstrip().partition(b"\n")
    return first[:1] == b"[" and first.rstrip()[-1:] == b"]" and bool(others.strip())


def _read_lines(source: Source, data: bytes, place: int) -> Iterator[tuple[int, Any]]:
    for line in data.split(b"\n"):
        if line.strip():
            try:
                value = _DECODER.decode(line)
            except RecursionError:
                raise make_read_error(source, place, "the JSON is nested too deeply") from None
            except msgspec.DecodeError as problem:
                what = "the JSON array is cut off" if "truncated" in str(problem) else f"not JSON: {problem}"
                raise make_read_error(source, place, what, hint="JSONL needs one complete array per line") from None
            check_keys(source, place, line, value)
            yield place, value
        place += len(line) + 1


def sniff(lines: list[str]) -> bool:
    """Whether the first lines have entities of a pipeline: a label, a word and its offset."""
    found = key_paths(lines)
    for prefix in ("[].", "[][].", *(f"{start}{name}[]." for name in _ENTITIES_FIELDS for start in ("", "[]."))):
        here = {path.removeprefix(prefix) for path in found if path.startswith(prefix)}
        if here & {_GROUP_FIELD, _PIECE_FIELD} and {"word", "start"} <= here:
            return True
    return False


FORMAT = Format(
    name="hugging-face",
    summary="Hugging Face: output of token classification pipelines, a list of entities per text",
    shapes=frozenset({"tokens"}),
    suffixes=(".jsonl", ".ndjson", ".json"),
    options={
        "document": "objects: the field with document names (default: 'id' and the like)",
        "spans": f"objects: the field of entities (default: the first of {', '.join(_ENTITIES_FIELDS)})",
        "text": "objects: the field of the document's text (default: text)",
        **OPTION,
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
)


# Writer: one object per line, with a document's name, text and entities as pipelines return them.


_DOCUMENT_FIELDS = frozenset({"id", "text", "entities"})
_TAKEN_FIELDS = frozenset({"entity_group", "entity", "word", "start", "end", "index", "id", "text"})


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write one object per document and line, with aggregated entities."""
    del options
    return json_lines(documents, lambda each: _build_document(each, losses))


def _build_document(passage: Passage, losses: Losses) -> dict[str, Any]:
    return {
        "id": passage.name,
        **document_attributes(passage, _DOCUMENT_FIELDS, losses),
        "text": passage.text,
        "entities": [_build_entity(passage, mention, losses) for mention in passage.mentions],
    }


def _build_entity(passage: Passage, mention: Mention, losses: Losses) -> dict[str, Any]:
    begin, end = span_extent(passage, mention, losses)
    if mention.label == _OUTSIDE:
        what = f"the label {_OUTSIDE!r} of the span {begin}:{end} of document {passage.name!r} means no entity"
        raise WriteError(what, hint="rename the label, or write jsonl")
    return {
        "entity_group": mention.label,
        **further_fields(passage, mention, losses, _TAKEN_FIELDS),
        "word": passage.text[begin:end],
        "start": begin,
        "end": end,
    }


WRITER = Writer(name="hugging-face", suffix=".jsonl", write=write)
