"""The answers of language models: one object a document, with items that quote the text and name no place in it.

The reader takes the items out of the answers. Where they stand is told when the other side is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from comparanda.columns import TextColumn
from comparanda.corpus import Quotes, Spans
from comparanda.places import Note, Source, first_places, refuse
from comparanda.read.json_objects import JsonObjects
from comparanda.read.language_models.answers import parse
from comparanda.read.language_models.items import LIST_NAMES, OFFSET_NAMES, Names, read_value
from comparanda.read.records import DOCUMENT_NAMES
from comparanda.read.request import Format, Request
from comparanda.read.scan import check_line_lengths
from comparanda.read.standoff import Draft
from comparanda.read.values import unwritable

if TYPE_CHECKING:
    from comparanda.corpus import Corpus

NAMES = (*DOCUMENT_NAMES, "custom_id")
ANSWERS = ("answer", "response", "output", "completion", "content", "prediction", "generated_text")
TEXT = "text"
NONE = "none"

OWN = frozenset({"text", "quote", "placing"})
"""Columns that items get when they are placed."""

_FIRST = 3
_SHAPE = '{"id": "d1", "answer": "[{\\"text\\": \\"Anna\\", \\"label\\": \\"PER\\"}]"}'


def read(source: Source, request: Request) -> Corpus:
    """Read answers; the first object decides which field is which."""
    check_line_lengths(source, 0, source.size, request.max_line)
    return _Reading(source, request).corpus()


@dataclass(frozen=True, slots=True)
class _Roles:
    """Which field of an object is which; a field inside of others is named by the way to it: `message.content`."""

    document: str | None
    text: str | None
    answer: str


class _Reading:
    """One input on its way to a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        self.source = source
        self.request = request
        self.draft = Draft(source, request.side, lambda _, number: f"item {number + 1}")
        self.names = Names(request.options.get("mention"), request.options.get("label"))
        self.met: dict[str, tuple[int, list[int]]] = {}
        self.unread: list[tuple[int, str | None, int]] = []
        self.texts: list[str] = []
        self.occurrence: list[int] = []
        self.begin: list[int] = []
        self.copies: list[str | None] = []

    def corpus(self) -> Corpus:
        objects = JsonObjects(self.source)
        first = objects.first()
        roles = self._roles(first)
        for number, (record, offset) in enumerate(zip(objects, objects.offset.tolist(), strict=True)):
            self._document(record, roles, number, offset)
            if roles.text is not None:
                self._text(_found(record, roles.text), roles.text, offset)
            self._answer(_found(record, roles.answer), offset)
        self._settle_unread()
        for what, (count, places) in self.met.items():
            self.draft.notes.append(Note(self.request.side, what, count, first_places(self.source, np.array(places))))
        corpus = self.draft.corpus(self.request, name="llm", judged="label")
        documents = replace(corpus.documents, marked=roles.document is not None or roles.text is not None)
        return self._quoting(replace(corpus, documents=documents))

    def _quoting(self, corpus: Corpus) -> Corpus:
        """Return a corpus without spans, and with the items as quotes."""
        items = corpus.spans
        assert items is not None
        quotes = Quotes(
            items.document,
            TextColumn.of(self.texts),
            items.label,
            items.offset,
            np.array(self.occurrence, np.int64),
            np.array(self.begin, np.int64),
            tuple(self.copies),
            items.columns,
        )
        nothing = np.zeros(0, np.int64)
        empty = Spans("characters", nothing, nothing, nothing, items.label.take(nothing), items.offset[:0])
        return replace(corpus, spans=empty, quotes=quotes)

    def _roles(self, first: Mapping[str, Any]) -> _Roles:
        options = self.request.options
        answer = options.get("answer") or next((name for name in (*LIST_NAMES, *ANSWERS) if name in first), None)
        if answer is None:
            raise refuse(
                self.source,
                0,
                "no field is known to hold the answer",
                details=[f"fields: {', '.join(first)}"],
                hint=f"name it: ?answer=FIELD; an object is written like this: {_SHAPE}",
            )
        document = options.get("document") or next((name for name in NAMES if name in first), None)
        text = options.get("text", TEXT if isinstance(first.get(TEXT), str) else NONE)
        return _Roles(document, None if text == NONE else text, answer)

    def _document(self, record: Mapping[str, Any], roles: _Roles, number: int, place: int) -> None:
        """Begin a document."""
        own = {roles.document, roles.text, roles.answer.partition(".")[0]}
        attributes = {
            name: str(value)
            for name, value in record.items()
            if name not in own and isinstance(value, str | int | float) and value != ""
        }
        name = f"document {number + 1}"
        if roles.document is not None:
            value = _found(record, roles.document)
            if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
                hint = "every document needs a name of its own; name the field that holds it: ?document=FIELD"
                raise refuse(self.source, place, f"{roles.document!r} names no document", hint=hint)
            name = self._checked(str(value), place)
        self.draft.document(name, place, {each: self._checked(value, place) for each, value in attributes.items()})

    def _text(self, text: Any, field: str, place: int) -> None:
        """Take over the text of a document."""
        if not isinstance(text, str):
            hint = "give all documents their text, or none; ?text=none passes over it, ?text=FIELD names another field"
            raise refuse(self.source, place, f"there is no text in {field!r}", hint=hint)
        self.draft.texts.append(self._checked(text, place))

    def _checked(self, text: str, place: int) -> str:
        if problem := unwritable(text):
            raise refuse(self.source, place, f"{problem[0]} in {text[:40]!r}", hint=problem[1])
        return text

    def _answer(self, value: Any, place: int) -> None:
        """Take over the items of an answer; one that cannot be read has none."""
        found = parse(value, self.names) if isinstance(value, str) else read_value(value, self.names)
        if found.how == "unread":
            self.unread.append((len(self.copies), value if isinstance(value, str) else None, place))
        self._tell("answers that are not quite JSON, read all the same", int(found.how == "mended"), place)
        self._tell("items without a text or a label, which are none", found.bad, place)
        self._tell("items with offsets, which are not used: the text is looked for", found.offsets, place)
        for item in found.items:
            number = self.draft.span([(0, 0)], item.label, place)
            for name, said in item.said.items():
                if name not in OWN:
                    self.draft.say(number, name, said)
            self.texts.append(item.text)
            self.occurrence.append(item.occurrence)
            self.begin.append(item.begin)
        self.copies.append(found.copy)

    def _tell(self, what: str, count: int, place: int) -> None:
        if count:
            before, places = self.met.get(what, (0, []))
            self.met[what] = before + count, [*places, place] if len(places) < _FIRST else places

    def _settle_unread(self) -> None:
        """Count the answers that cannot be read. Where others are copies with tags, one without is a copy too."""
        tagged = any(copy is not None for copy in self.copies)
        for document, text, place in self.unread:
            if tagged and text is not None and text.strip() and not unwritable(text):
                self.copies[document] = text
            else:
                self._tell("answers that cannot be read, counted as without items", 1, place)


def _found(record: Mapping[str, Any], way: str) -> Any:
    """Return what stands in a field, or at the end of a way through fields and lists; None where there is nothing.

    >>> _found({"choices": [{"message": {"content": "[]"}}]}, "choices.0.message.content")
    '[]'
    """
    value: Any = record
    if way in record:
        return record[way]
    for step in way.split("."):
        if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, Mapping):
            value = value.get(step)
        else:
            return None
    return value


def sniff(lines: list[str]) -> bool:
    """Whether the first lines hold answers: items with a text and no place, or an answer in which such are found."""
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
    """Whether an object has a list of items, or an answer in which there are some; not every text is an answer."""
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
        "answer": "the field of the answer (default: 'entities', 'answer' and the like), or the way to it: a.b.0.c",
        "document": "the field that names the document (default: 'id' and the like)",
        "text": "the field of the document's text (default: 'text', if it is there); 'none' to take the key's",
        "mention": "the field of an item's text (default: 'text' and the like)",
        "label": "the field of an item's label (default: 'label' and the like)",
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
)
