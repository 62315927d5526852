"""doccano: one document per line, with spans as lists or, in projects with relations, as objects.

The export format is defined by doccano's code (https://github.com/doccano/doccano, `backend/data_export`):
`label` with lists `[begin, end, label]`, or `entities` with objects and `relations`. Older versions had `labels`,
`entities` with lists, or `annotations` with objects.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.places import Note, Source, first_places
from comparanda.formats.contract import Format, Request, choose_option
from comparanda.formats.cuts import json_marks
from comparanda.formats.document_writer import Losses, Passage, Writer
from comparanda.formats.json_objects import (
    Fields,
    JsonObjects,
    document_attributes,
    json_lines,
    name_kind,
    record_paths,
    span_extent,
)
from comparanda.formats.scanner import check_line_lengths
from comparanda.formats.standoff import FARTHEST, OPTION, Draft, places_in, requested_base, requested_offsets

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.errors import ReadError


_SPANS_FIELDS = ("entities", "label", "labels", "annotations")
_NAME_FIELDS = ("id", "doc_id")
_SPAN_FIELDS = frozenset({"id", "label", "start_offset", "end_offset", "document"})
_LIST_EXAMPLE, _OBJECT_EXAMPLE = '[0, 5, "PER"]', '{"start_offset": 0, "end_offset": 5, "label": "PER"}'
_SHAPE = f"write a span like this: {_LIST_EXAMPLE}, or like this: {_OBJECT_EXAMPLE}"
_LIST_PATTERN = re.compile(r'"(?:label|labels|entities)"\s*:\s*\[\s*\[\s*\d+\s*,\s*\d+\s*,\s*"')
_LIST_TYPES = [int, int, str]
_SUPPLEMENTARY = re.compile("[\U00010000-\U0010ffff]")
_UTF16_NOTE = (
    "spans after emoji and the like, which some versions of doccano count as two characters "
    "(?offsets=utf-16 reads these); counted as one"
)


def read(source: Source, request: Request) -> Corpus:
    """Read an export, one document per line."""
    check_line_lengths(source, 0, source.size, request.max_line)
    return _Reader(source, request).read()


class _Reader:
    """Reads one input into a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        self.source = source
        self.request = request
        self.spans_field = ""
        self.first_span: tuple[type, int] | None = None
        self.draft = Draft(source=source, side=request.side, called=lambda _, number: f"{self.spans_field}[{number}]")
        self.note_places: dict[str, list[int]] = {}

    def read(self) -> Corpus:
        offsets = requested_offsets(self.request.options)
        objects = JsonObjects(self.source)
        first = Fields(self.source, int(objects.offset[0]), objects.first())
        self.spans_field = self._find_spans_field(first)
        named = self._find_name_field(first)
        for number, each in enumerate(objects):
            document = Fields(self.source, int(objects.offset[number]), each)
            if (field := self._find_spans_field(document)) != self.spans_field:
                details = [f"the first document is at {self.source.locate(first.place)}"]
                raise self._mixed_exports_error(document, f"{field!r}", f"{self.spans_field!r}", details)
            self._add_document(document, named, number)
        for what, places in self.note_places.items():
            shown = first_places(self.source, np.array(places, np.int64))
            self.draft.notes.append(Note(self.request.side, what, len(places), shown))
        return self.draft.corpus(self.request, name="doccano", evaluated="label", offsets=offsets)

    def _note(self, what: str, place: int, count: int = 1) -> None:
        self.note_places.setdefault(what, []).extend([place] * count)

    def _find_spans_field(self, document: Fields) -> str:
        """Return the field that holds the spans of a document."""
        found = [name for name in _SPANS_FIELDS if type(document.given.get(name)) is list]
        if len(found) == 1:
            return found[0]
        if found:
            raise self._mixed_exports_error(document, f"{found[0]!r}", f"{found[1]!r}", [])
        given = next((name for name in _SPANS_FIELDS if name in document.given), None)
        if given is not None:
            raise document.bad(given, "an array", _SHAPE)
        hint = f"spans of doccano are in one of: {', '.join(_SPANS_FIELDS)}"
        raise document.refuse("there is no field with spans", hint=hint)

    def _mixed_exports_error(self, at: Fields, here: str, there: str, details: list[str]) -> ReadError:
        what = f"spans are in {here} and in {there}: two versions of doccano's export format"
        return at.refuse(what, details=details, hint="export all documents again, from one project")

    def _find_name_field(self, first: Fields) -> str | None:
        """Return the field with document names; files for import may have none."""
        asked = self.request.options.get("document")
        if asked is not None:
            if asked not in first.given:
                raise first.refuse(f"there is no field {asked!r}", hint=f"fields: {', '.join(first.given)}")
            return asked
        found = next((name for name in _NAME_FIELDS if name in first.given), None)
        if found is None:
            self._note("no field names documents; they are numbered instead", first.place)
        return found

    def _add_document(self, document: Fields, named: str | None, number: int) -> None:
        name = f"document {number + 1}" if named is None else document.name(named)
        if name is None:
            raise document.refuse(f"the document has no {named!r}", hint="give every document a unique name")
        text = document.text("text", "rename the field that holds the text to 'text'")
        self.draft.document(name, document.place, document.attributes(frozenset({named or "", "text"})))
        self.draft.texts.append(text)
        self._check_users(document)
        for index, span in enumerate(document.items(self.spans_field)):
            if self.first_span and self.first_span[0] is list and _is_well_formed_list(span):
                self.draft.span([(span[0], span[1])], span[2], document.place)
            else:
                self._read_span(document, span, f"{self.spans_field}[{index}]")
        self._note_ignored(document)
        if "offsets" not in self.request.options and not text.isascii():
            self._check_units(document, text)

    def _note_ignored(self, document: Fields) -> None:
        if relations := document.items("relations"):
            self._note("relations ignored", document.place, len(relations))
        if type(comments := document.given.get("Comments")) is list and comments:
            self._note("comments ignored", document.place, len(comments))

    def _read_span(self, document: Fields, span: Any, called: str) -> None:
        """Add a span: a list or an object, like the first span of the input."""
        if type(span) is not list and type(span) is not dict:
            raise document.refuse(f"{called!r} is {name_kind(span)}, which is not a span", hint=_SHAPE)
        if self.first_span is None:
            self.first_span = type(span), document.place
        elif self.first_span[0] is not type(span):
            details = [f"the first span is at {self.source.locate(self.first_span[1])}"]
            here, there = ("lists", "objects") if type(span) is list else ("objects", "lists")
            raise self._mixed_exports_error(document, here, there, details)
        if type(span) is dict:
            self._read_object(
                Fields(source=self.source, place=document.place, given=span, parent=document, step=called)
            )
            return
        if len(span) != 3:
            what = f"{called!r} has {len(span)} elements, not a begin, an end and a label"
            raise document.refuse(what, hint=f"write a span like this: {_LIST_EXAMPLE}")
        for number, value in enumerate(span[:2]):
            if type(value) is not int or abs(value) > FARTHEST:
                what = f"'{called}[{number}]' is {value!r}, which is not an offset"
                raise document.refuse(what, hint=f"write a span like this: {_LIST_EXAMPLE}")
        self._add_span((span[0], span[1]), span[2], document, f"{called}[2]")

    def _read_object(self, span: Fields) -> None:
        hint = f"write a span like this: {_OBJECT_EXAMPLE}"
        bounds = span.integer("start_offset", hint), span.integer("end_offset", hint)
        asked = self.request.options.get("annotator")
        if asked is not None and span.name("user") != asked:
            self._note("annotations of other users ignored", span.place)
            return
        number = self._add_span(bounds, span.given.get("label"), span, span.path("label"))
        for name, value in span.plain(_SPAN_FIELDS):
            self.draft.set_value(number, name, value)
        self.draft.check_scores(number, span.given, self.request.scores)

    def _check_users(self, document: Fields) -> None:
        """Refuse the annotations of several users, unless one is asked for."""
        spans = (each for each in document.items(self.spans_field) if type(each) is dict)
        users = sorted({str(each["user"]) for each in spans if each.get("user") is not None})
        if len(users) > 1 and "annotator" not in self.request.options:
            what = f"{len(users)} users have annotated this document: {', '.join(users)}"
            raise document.refuse(what, hint=f"choose one: ?annotator={users[0]}")

    def _add_span(self, bounds: tuple[int, int], label: Any, at: Fields, called: str) -> int:
        if type(label) is int:  # the id of a label: exports of 2021 had no names
            label = str(label)
        if type(label) is not str or not label.strip():
            raise at.refuse(f"{called!r} is {label!r}, which is not a label", hint=_SHAPE)
        return self.draft.span([bounds], label, at.place)

    def _check_units(self, document: Fields, text: str) -> None:
        """Note offsets that may count UTF-16 units; that depends on the version of doccano and cannot be detected."""
        wide = _SUPPLEMENTARY.search(text)
        if wide is None:
            return
        ends = [span[1] if type(span) is list else span["end_offset"] for span in document.items(self.spans_field)]
        ends = [end - (requested_base(self.request.options) or 0) for end in ends]
        if max(ends, default=0) > len(text):
            what = f"a span ends at {max(ends)}, but the text has {len(text):,} characters"
            hint = "use ?offsets=utf-16 if this version of doccano counts UTF-16 units"
            raise document.refuse(what, hint=hint)
        if affected := sum(end > wide.start() for end in ends):
            self._note(_UTF16_NOTE, document.place, affected)


def _is_well_formed_list(span: Any) -> bool:
    """Whether a span is a well-formed list; a fast check for the common case."""
    if type(span) is not list or list(map(type, span)) != _LIST_TYPES or span[2].isspace() or not span[2]:
        return False
    return bool(abs(span[0]) <= FARTHEST and abs(span[1]) <= FARTHEST)


def sniff(lines: list[str]) -> bool:
    """Whether the first lines are an export: a text with spans as lists, or as objects with doccano's field names."""
    found = record_paths(lines)
    if "text" not in found:
        return False
    names = ("entities[]", "annotations[]")
    objects = any({f"{name}.start_offset", f"{name}.end_offset", f"{name}.label"} <= found for name in names)
    return objects or _LIST_PATTERN.search("\n".join(lines)) is not None


FORMAT = Format(
    name="doccano",
    summary="doccano: one document per line, with spans as lists (label) or as objects (entities)",
    shapes=frozenset({"tokens"}),
    suffixes=(".jsonl", ".ndjson", ".json"),
    options={
        "document": "the field with document names (default: id or doc_id)",
        "annotator": "the user whose annotations are read, where they name users",
        **OPTION,
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
    marks=json_marks(read),
)


# Writer: one document per line, with spans as objects, as in projects with relations.


_TAKEN_FIELDS = frozenset({"id", "text", "entities", "relations", "Comments", "label", "labels", "annotations"})


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write one object per document and line."""
    wide = choose_option(options, "offsets", ("code-points", "utf-16")) == "utf-16"
    numbers = count(1)
    return json_lines(documents, lambda each: _build_document(each, losses, numbers, wide))


def _build_document(passage: Passage, losses: Losses, numbers: Iterator[int], wide: bool) -> dict[str, Any]:
    places = places_in(passage.text, "utf-16" if wide else "code-points")
    entities = []
    for mention in passage.mentions:
        begin, end = (int(places[place]) for place in span_extent(passage, mention, losses))
        entities.append({"id": next(numbers), "label": mention.label, "start_offset": begin, "end_offset": end})
        for name in ("id",) * (mention.ids is not None) + tuple(mention.attributes):
            losses.lose(f"{name!r} of spans", passage.name)
    return {
        "id": passage.name,
        "text": passage.text,
        **document_attributes(passage, _TAKEN_FIELDS, losses),
        "entities": entities,
        "relations": [],
        "Comments": [],
    }


WRITER = Writer(
    name="doccano",
    suffix=".jsonl",
    write=write,
    options={"offsets": "what begin and end count: code-points, utf-16 (as some versions of doccano do)"},
)
