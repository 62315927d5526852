"""Answers of language models: one object per document, with items that quote the text instead of giving offsets.

The reader extracts the items from the answers. They are located in the text when the key is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from comparanda.core.corpus import Quotes, Spans
from comparanda.core.places import Note, Source, first_places, make_read_error
from comparanda.core.text_columns import TextColumn
from comparanda.formats.answers import LIST_NAMES, OFFSET_NAMES, Names, parse, read_value
from comparanda.formats.contract import Format, Request
from comparanda.formats.field_values import find_unwritable
from comparanda.formats.json_objects import JsonObjects
from comparanda.formats.records import DOCUMENT_NAMES
from comparanda.formats.scanner import check_line_lengths
from comparanda.formats.standoff import Draft

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus

NAMES = (*DOCUMENT_NAMES, "custom_id")
ANSWERS = ("answer", "response", "output", "completion", "content", "prediction", "generated_text")
TEXT = "text"
NONE = "none"

OWN = frozenset({"text", "quote", "placing"})
"""Columns that items get when they are located in the text."""

_MAX_PLACES = 3
_SHAPE = '{"id": "d1", "answer": "[{\\"text\\": \\"Anna\\", \\"label\\": \\"PER\\"}]"}'


def read(source: Source, request: Request) -> Corpus:
    """Read answers; the first object determines the roles of fields."""
    check_line_lengths(source, 0, source.size, request.max_line)
    return _Reader(source, request).read()


@dataclass(frozen=True, slots=True)
class _Roles:
    """The fields of the document's name, text and answer; nested fields are given as paths: `message.content`."""

    document: str | None
    text: str | None
    answer: str


class _Reader:
    """Reads one input into a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        self.source = source
        self.request = request
        self.draft = Draft(source=source, side=request.side, called=lambda _, number: f"item {number + 1}")
        self.names = Names(request.options.get("mention"), request.options.get("label"))
        self.note_places: dict[str, tuple[int, list[int]]] = {}
        self.unread: list[tuple[int, str | None, int]] = []
        self.texts: list[str] = []
        self.occurrence: list[int] = []
        self.begin: list[int] = []
        self.copies: list[str | None] = []

    def read(self) -> Corpus:
        objects = JsonObjects(self.source)
        first = objects.first()
        roles = self._find_roles(first)
        for number, (record, offset) in enumerate(zip(objects, objects.offset.tolist(), strict=True)):
            self._add_document(record, roles, number, offset)
            if roles.text is not None:
                self._add_text(_get_value(record, roles.text), roles.text, offset)
            self._add_answer(_get_value(record, roles.answer), offset)
        self._resolve_unread()
        for what, (count, places) in self.note_places.items():
            self.draft.notes.append(Note(self.request.side, what, count, first_places(self.source, np.array(places))))
        corpus = self.draft.corpus(self.request, name="llm", evaluated="label")
        documents = replace(corpus.documents, marked=roles.document is not None or roles.text is not None)
        return self._with_quotes(replace(corpus, documents=documents))

    def _with_quotes(self, corpus: Corpus) -> Corpus:
        """Return the corpus with its items as quotes instead of spans."""
        items = corpus.spans
        assert items is not None
        quotes = Quotes(
            document=items.document,
            text=TextColumn.of(self.texts),
            label=items.label,
            offset=items.offset,
            occurrence=np.array(self.occurrence, np.int64),
            begin=np.array(self.begin, np.int64),
            copies=tuple(self.copies),
            columns=items.columns,
        )
        nothing = np.zeros(0, np.int64)
        empty = Spans(
            unit="characters",
            document=nothing,
            begin=nothing,
            end=nothing,
            label=items.label.take(nothing),
            offset=items.offset[:0],
        )
        return replace(corpus, spans=empty, quotes=quotes)

    def _find_roles(self, first: Mapping[str, Any]) -> _Roles:
        options = self.request.options
        answer = options.get("answer") or next((name for name in (*LIST_NAMES, *ANSWERS) if name in first), None)
        if answer is None:
            raise make_read_error(
                self.source,
                0,
                "cannot determine which field holds the answer",
                details=[f"fields: {', '.join(first)}"],
                hint=f"name it: ?answer=FIELD; write an object like this: {_SHAPE}",
            )
        document = options.get("document") or next((name for name in NAMES if name in first), None)
        text = options.get("text", TEXT if isinstance(first.get(TEXT), str) else NONE)
        return _Roles(document, None if text == NONE else text, answer)

    def _add_document(self, record: Mapping[str, Any], roles: _Roles, number: int, place: int) -> None:
        """Add a document."""
        own = {roles.document, roles.text, roles.answer.partition(".")[0]}
        attributes = {
            name: str(value)
            for name, value in record.items()
            if name not in own and isinstance(value, str | int | float) and value != ""
        }
        name = f"document {number + 1}"
        if roles.document is not None:
            value = _get_value(record, roles.document)
            if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
                hint = "give every document a unique name, or name the field that holds it: ?document=FIELD"
                raise make_read_error(self.source, place, f"no document name in {roles.document!r}", hint=hint)
            name = self._check_writable(str(value), place)
        self.draft.document(
            name, place, {each: self._check_writable(value, place) for each, value in attributes.items()}
        )

    def _add_text(self, text: Any, field: str, place: int) -> None:
        """Add the text of a document."""
        if not isinstance(text, str):
            hint = "give all documents their text, or none; ?text=none ignores it, ?text=FIELD reads another field"
            raise make_read_error(self.source, place, f"there is no text in {field!r}", hint=hint)
        self.draft.texts.append(self._check_writable(text, place))

    def _check_writable(self, text: str, place: int) -> str:
        if problem := find_unwritable(text):
            raise make_read_error(self.source, place, f"{problem[0]} in {text[:40]!r}", hint=problem[1])
        return text

    def _add_answer(self, value: Any, place: int) -> None:
        """Add the items of an answer; an unreadable answer has none."""
        found = parse(value, self.names) if isinstance(value, str) else read_value(value, self.names)
        if found.how == "unread":
            self.unread.append((len(self.copies), value if isinstance(value, str) else None, place))
        self._note("answers with invalid JSON, repaired", int(found.how == "mended"), place)
        self._note("items without a text or a label ignored", found.bad, place)
        self._note("items with offsets, which are ignored: items are located by their text", found.offsets, place)
        for item in found.items:
            number = self.draft.span([(0, 0)], item.label, place)
            for name, attribute in item.attributes.items():
                if name not in OWN:
                    self.draft.set_value(number, name, attribute)
            self.texts.append(item.text)
            self.occurrence.append(item.occurrence)
            self.begin.append(item.begin)
        self.copies.append(found.copy)

    def _note(self, what: str, count: int, place: int) -> None:
        if count:
            before, places = self.note_places.get(what, (0, []))
            self.note_places[what] = before + count, [*places, place] if len(places) < _MAX_PLACES else places

    def _resolve_unread(self) -> None:
        """Note unreadable answers; if other answers are tagged copies of the text, take them as copies without tags."""
        has_copies = any(copy is not None for copy in self.copies)
        for document, text, place in self.unread:
            if has_copies and text is not None and text.strip() and not find_unwritable(text):
                self.copies[document] = text
            else:
                self._note("answers that cannot be read, treated as having no items", 1, place)


def _get_value(record: Mapping[str, Any], path: str) -> Any:
    """Return the value of a field, or at a path through fields and lists; None if there is none.

    >>> _get_value({"choices": [{"message": {"content": "[]"}}]}, "choices.0.message.content")
    '[]'
    """
    value: Any = record
    if path in record:
        return record[path]
    for step in path.split("."):
        if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, Mapping):
            value = value.get(step)
        else:
            return None
    return value


def sniff(lines: list[str]) -> bool:
    """Whether the first lines hold answers: items with a text and no offsets, or strings that contain such items."""
    known = False
    for line in lines:
        try:
            record = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError):
            continue
        if not isinstance(record, dict) or _has_places(record):
            return False
        known = known or _has_items(record)
    return known


def _has_places(record: Mapping[str, Any]) -> bool:
    """Whether an object has tokens, or a list whose elements have offsets."""
    if "tokens" in record:
        return True
    for value in record.values():
        for each in value[:3] if isinstance(value, list) else ():
            if isinstance(each, dict) and any(name in each for name in OFFSET_NAMES):
                return True
            if isinstance(each, list) and any(type(one) is int for one in each):
                return True
    return False


def _has_items(record: Mapping[str, Any]) -> bool:
    """Whether an object has a list of items or an answer that contains some; other strings do not count."""
    for name in (*LIST_NAMES, *ANSWERS):
        value = record.get(name)
        if isinstance(value, str):
            found = parse(value)
            return bool(found.items) and not found.bad
        if isinstance(value, list | dict) and value:
            found = read_value(value)
            return bool(found.items) and not found.bad
    return False


FORMAT = Format(
    name="llm",
    summary="answers of language models: items that quote the text, without offsets; JSON, fenced, or tags in the text",
    shapes=frozenset({"tokens"}),
    suffixes=(".jsonl", ".ndjson", ".json"),
    options={
        "answer": "the field of the answer (default: 'entities', 'answer' and the like), or its path: a.b.0.c",
        "document": "the field that names the document (default: 'id' and the like)",
        "text": "the field of the document's text (default: 'text', if present); 'none' to use the key's",
        "mention": "the field of an item's text (default: 'text' and the like)",
        "label": "the field of an item's label (default: 'label' and the like)",
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
)
