"""Answers of language models: one object per document, with items that quote the text instead of giving offsets.

The reader extracts the items from the answers. They are located in the text when the key is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
import numpy as np

from comparanda.core.corpus import Quotes, Spans
from comparanda.core.places import Note, Source, first_places, make_read_error
from comparanda.core.text_columns import TextColumn
from comparanda.errors import ReadError
from comparanda.formats.answer_texts import TAKES, decode_json, parse
from comparanda.formats.answers import LIST_NAMES, OFFSET_NAMES, Answer, Item, Names, read_value
from comparanda.formats.chunks import REPAIRS
from comparanda.formats.contract import Format, Request, choose_option
from comparanda.formats.envelopes import LOG_HOLDERS, Envelope, Reply, find_envelope, is_log, read_body
from comparanda.formats.field_values import find_unwritable, is_missing
from comparanda.formats.json_objects import JsonObjects, is_plain, key_paths, looks_like_json, read_nodes
from comparanda.formats.records import DOCUMENT_NAMES
from comparanda.formats.scanner import check_line_lengths
from comparanda.formats.standoff import Draft

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus

NAMES = (*DOCUMENT_NAMES, "custom_id")
ANSWERS = ("answer", "response", "output", "completion", "content", "prediction", "generated_text")
TEXT = "text"
NONE = "none"
IN_ORDER = "in-order"

OWN = frozenset({"text", "quote", "placing"})
"""Columns that items get when they are located in the text."""

_MAX_PLACES, _MAX_FAILED = 3, 1000
_SHAPE = '{"id": "d1", "answer": "[{\\"text\\": \\"Anna\\", \\"label\\": \\"PER\\"}]"}'

UNREAD: Final = "answers that cannot be read, treated as having no items"
REFUSED: Final = "answers that refuse the task, treated as having no items"
FAILED: Final = "requests that failed, treated as answers without items"
_HOW_NOTES: Final[Mapping[str, str]] = {
    "refused": REFUSED,
    "mended": "answers with invalid JSON, repaired",
    "listed": "answers that are not JSON, read as lists or tables",
}


def read(source: Source, request: Request) -> Corpus:
    """Read answers; the first object determines the roles of fields."""
    check_line_lengths(source, 0, source.size, request.max_line)
    return _Reader(source, request).read()


# Records: an object per line, an array of objects, or the records of a log.


class _Record(NamedTuple):
    """An object of the input, its offset, and its bytes; None for a record of a log."""

    fields: Mapping[str, Any]
    place: int
    piece: bytes | None


def _read_records(source: Source) -> list[_Record]:
    """Read the objects of a source; those of a log are in one of its fields."""
    stops = [*(part.begin for part in source.parts[1:]), source.size]
    parts = [bytes(source.data[part.begin : stop]) for part, stop in zip(source.parts, stops, strict=True)]
    single = [_decode_object(data) if data.lstrip()[:1] == b"{" else None for data in parts]
    wholes = [each for each in single if each is not None]
    if len(wholes) < len(parts):
        objects = JsonObjects(source, answers=True)
        return [_Record(*each) for each in zip(objects, objects.offset.tolist(), objects.pieces, strict=True)]
    logs = any(map(is_log, wholes))
    nodes = [node.fields for node in read_nodes(source, LOG_HOLDERS if logs else (), answers=True)]
    if not nodes:
        raise ReadError("there are no records in this log", where=source.parts[0].name)
    pieces = [None] * len(nodes) if logs else parts
    return [_Record(node.given, node.place, piece) for node, piece in zip(nodes, pieces, strict=True)]


def _decode_object(data: bytes) -> dict[str, msgspec.Raw] | None:
    """Return the fields of the only object of a file; None if there are several, or it is not JSON."""
    try:
        return msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return None


def _first_with_answer(records: list[_Record]) -> Mapping[str, Any]:
    """Return the first record in which an answer can be found, among the first ones; requests may have failed."""
    for each in records[:_MAX_FAILED]:
        if find_envelope(each.fields) is not None or not {*LIST_NAMES, *ANSWERS}.isdisjoint(each.fields):
            return each.fields
    return records[0].fields


def _sort_records(records: list[_Record], roles: _Roles) -> list[_Record]:
    """Sort the records of an envelope without names of documents by their number, if all have one."""
    field = None if roles.envelope is None else roles.envelope.order
    if field is None or roles.document is not None or not all(type(each.fields.get(field)) is int for each in records):
        return records
    return sorted(records, key=lambda each: int(each.fields[field]))


# Several runs in one file: each document recurs, with another value in some field.


def list_runs(source: Source, field: str) -> list[str]:
    """Return the values of the field that tells runs apart, in order of their first occurrence."""
    return list(dict.fromkeys(_run_of(source, each, field) for each in _read_records(source)))


def _run_of(source: Source, record: _Record, field: str) -> str:
    value = get_value(record.fields, field)
    if not is_plain(value):
        hint = "name the field that tells the runs apart: ?run=FIELD"
        raise make_read_error(source, record.place, f"missing the field {field!r}, which names the run", hint=hint)
    return str(value)


def _choose_run(source: Source, records: list[_Record], run: str) -> list[_Record]:
    """Return the records of one run, given as `FIELD=VALUE`; the field alone suffices if there is only one."""
    field, equals, wanted = run.partition("=")
    runs = [_run_of(source, each, field) for each in records]
    known = list(dict.fromkeys(runs))
    if not equals and len(known) == 1:
        return records
    if wanted not in known:
        what = f"no run with {field}={wanted}" if equals else f"the file has {len(known):,} runs, but one is needed"
        hint = f"choose one: ?run={field}={known[0]}; runs: {', '.join(known[:10])}"
        raise make_read_error(source, 0, what, hint=hint)
    return [each for each, name in zip(records, runs, strict=True) if name == wanted]


def _find_run_fields(records: list[_Record], names: list[str]) -> list[str]:
    """Return the fields that may tell runs apart: with a value for each run, and another in each record of a name."""
    found = []
    often = max(Counter(names).values())
    for field in [name for name, value in records[0].fields.items() if is_plain(value) and name not in ANSWERS]:
        values = [str(each.fields.get(field)) for each in records]
        if len(set(zip(names, values, strict=True))) == len(names) and len(set(values)) == often < len(names):
            found.append(field)
    return found


@dataclass(frozen=True, slots=True)
class _Roles:
    """The fields of the document's name and text and of the answer; nested fields are given as paths: `a.b.0.c`.

    Args:
        document: the field of its name; None if documents have none.
        text: the field of its text; None if it has none.
        answer: the field of the answer; empty in envelopes.
        envelope: the kind of envelope around the answers; None for plain records.
        chosen: whether the user chose the field of the answer.

    """

    document: str | None
    text: str | None
    answer: str
    envelope: Envelope | None = None
    chosen: bool = False


class _Reader:
    """Reads one input into a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        options = request.options
        self.source = source
        self.request = request
        self.draft = Draft(source=source, side=request.side, called=lambda _, number: f"item {number + 1}")
        self.names = Names(options.get("mention"), options.get("label"))
        self.take = choose_option(options, "take", TAKES)
        self.in_order = choose_option(options, "documents", ("by-name", IN_ORDER)) == IN_ORDER
        chunks_only = options.get("repair") in REPAIRS  # given for the chunk tags of other inputs
        self.repair = chunks_only or choose_option(options, "repair", ("yes", "no")) == "yes"
        self.note_places: dict[str, tuple[int, list[int]]] = {}
        self.unread: list[tuple[int, str | None, int]] = []
        self.items: list[Item] = []
        self.copies: list[str | None] = []
        self.groups = 0

    def read(self) -> Corpus:
        records = _read_records(self.source)
        if run := self.request.options.get("run"):
            records = _choose_run(self.source, records, run)
        roles = self._find_roles(_first_with_answer(records))
        records = _sort_records(records, roles)
        for record, name in zip(records, self._name_documents(records, roles), strict=True):
            self._add_document(record, roles, name)
            if roles.text is not None:
                self._add_text(get_value(record.fields, roles.text), roles.text, record.place)
            self._add_reply(record, roles)
        self._resolve_unread()
        for what, (count, places) in self.note_places.items():
            self.draft.notes.append(Note(self.request.side, what, count, first_places(self.source, np.array(places))))
        corpus = self.draft.corpus(self.request, name="llm", evaluated="label")
        marked = not self.in_order and (roles.document is not None or roles.text is not None)
        return self._with_quotes(replace(corpus, documents=replace(corpus.documents, marked=marked)))

    def _with_quotes(self, corpus: Corpus) -> Corpus:
        """Return the corpus with its items as quotes instead of spans."""
        items = corpus.spans
        assert items is not None
        pairs = np.array([item.pair for item in self.items], np.int64)
        quotes = Quotes(
            document=items.document,
            text=TextColumn.of([item.text for item in self.items]),
            label=items.label,
            offset=items.offset,
            occurrence=np.array([item.occurrence for item in self.items], np.int64),
            begin=np.array([item.begin for item in self.items], np.int64),
            sequence=np.array([item.sequence for item in self.items], np.int64),
            pairs=pairs,
            copies=tuple(self.copies),
            columns=items.columns,
        )
        nothing = np.zeros(0, np.int64)
        empty = Spans(
            unit="characters",
            document=nothing,
            begin=nothing,
            end=nothing,
            label=items.label.take(nothing) if (pairs < 0).all() else TextColumn.of([]),
            offset=items.offset[:0],
        )
        return replace(corpus, spans=empty, quotes=quotes)

    def _find_roles(self, first: Mapping[str, Any]) -> _Roles:
        options = self.request.options
        chosen = options.get("answer")
        envelope = None if chosen else find_envelope(first)
        answer = chosen or next((name for name in (*LIST_NAMES, *ANSWERS) if name in first), None)
        if answer is None and envelope is None:
            raise make_read_error(
                self.source,
                0,
                "cannot determine which field holds the answer",
                details=[f"fields: {', '.join(first)}"],
                hint=f"name it: ?answer=FIELD; write an object like this: {_SHAPE}",
            )
        names = NAMES if envelope is None else envelope.names
        document = options.get("document") or next((name for name in names if is_plain(get_value(first, name))), None)
        if envelope is None and document is None:
            document = next((name for name in names if name in first), None)
        own_text = envelope is None and isinstance(first.get(TEXT), str)
        text = options.get("text", TEXT if own_text else NONE)
        return _Roles(
            None if self.in_order else document,
            None if text == NONE else text,
            answer or "",
            envelope,
            chosen is not None,
        )

    def _name_documents(self, records: list[_Record], roles: _Roles) -> list[str]:
        """Return the name of each document; if names recur, name the field that may tell several runs apart."""
        if roles.document is None:
            return [f"document {number + 1}" for number in range(len(records))]
        names = [self._name_document(record, roles.document) for record in records]
        if len(set(names)) < len(names) and (fields := _find_run_fields(records, names)):
            seen: dict[str, int] = {}
            second = next(n for n, name in enumerate(names) if seen.setdefault(name, n) != n)
            raise make_read_error(
                self.source,
                records[second].place,
                f"duplicate document {names[second]!r}",
                details=[f"the first is at {self.source.locate(records[seen[names[second]]].place)}"],
                hint=f"if the file holds several runs, which {fields[0]!r} tells apart: ?run={fields[0]}",
            )
        return names

    def _name_document(self, record: _Record, field: str) -> str:
        value = get_value(record.fields, field)
        if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
            hint = "give every document a unique name, or name the field that holds it: ?document=FIELD"
            raise make_read_error(self.source, record.place, f"no document name in {field!r}", hint=hint)
        return self._check_writable(str(value), record.place)

    def _add_document(self, record: _Record, roles: _Roles, name: str) -> None:
        """Add a document; the other single values of a plain record are its attributes."""
        own = {roles.document, roles.text, roles.answer.partition(".")[0]}
        attributes = {
            name: self._check_writable(str(value), record.place)
            for name, value in (record.fields.items() if roles.envelope is None else ())
            if name not in own and isinstance(value, str | int | float) and value != ""
        }
        self.draft.document(name, record.place, attributes)

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

    def _add_reply(self, record: _Record, roles: _Roles) -> None:
        """Add the answer of a record, whatever is around it."""
        place = record.place
        reply = _find_reply(record.fields, roles)
        if reply.failed or reply.refused:
            self._note(FAILED if reply.failed else REFUSED, 1, place)
            self.copies.append(None)
            return
        if reply.path:
            kind = "" if roles.envelope is None else f" ({roles.envelope.name})"
            self._note(f"answers found in {reply.path}{kind}", 1, place)
        self._note("answers that end at the limit of tokens", int(reply.limited), place)
        self._note("further answers to the same request, ignored: only the first is read", reply.further, place)
        value = reply.answer
        if isinstance(value, str):
            found = parse(value, self.names, take=self.take, repair=self.repair)
        else:
            found = read_value(value, self.names)
            found.doubled = isinstance(value, dict | list) and _has_doubled_field(record, roles)
        if found.strange and isinstance(value, dict) and not roles.chosen and roles.answer in ANSWERS:
            raise self._strange_error(value, reply.path or roles.answer, place)
        self._add_answer(found, value, place)

    def _strange_error(self, value: Mapping[str, Any], path: str, place: int) -> Exception:
        return make_read_error(
            self.source,
            place,
            f"{path!r} is an object of unknown form, in which the answer cannot be found",
            details=[f"fields: {', '.join(value)}"],
            hint=f"name the path to the answer: ?answer={path}.FIELD (elements of lists by number: choices.0.text)",
        )

    def _add_answer(self, found: Answer, value: Any, place: int) -> None:
        """Add the items of an answer; an unreadable answer has none."""
        if found.how == "unread":
            self.unread.append((len(self.copies), value if isinstance(value, str) else None, place))
        if found.how in _HOW_NOTES:
            self._note(_HOW_NOTES[found.how], 1, place)
        self._note("answers cut off, read up to the last complete item", int(found.cut), place)
        self._note("answers with a field given twice, of which the last one counts", int(found.doubled), place)
        self._note("items without a text or a label ignored", found.bad, place)
        self._note("items with offsets, which are ignored: items are located by their text", found.offsets, place)
        for item in found.items:
            number = self.draft.span([(0, 0)], item.label, place)
            self.draft.check_scores(number, item.attributes, self.request.scores)
            for name, attribute in item.attributes.items():
                if name not in OWN and not isinstance(attribute, list | dict) and not is_missing(attribute):
                    self.draft.set_value(number, name, attribute)
            pair = item.pair if item.pair < 0 else item.pair + self.groups
            self.items.append(item._replace(sequence=item.sequence + self.groups, pair=pair))
        self.groups += found.groups
        self.copies.append(found.copy)

    def _note(self, what: str, count: int, place: int) -> None:
        if count:
            before, places = self.note_places.get(what, (0, []))
            self.note_places[what] = before + count, [*places, place] if len(places) < _MAX_PLACES else places

    def _resolve_unread(self) -> None:
        """Note unreadable answers; if other answers are tagged copies of the text, take them as copies without tags."""
        has_copies = any(copy is not None for copy in self.copies)
        for document, text, place in self.unread:
            json_like = text is not None and text.lstrip()[:1] in {"[", "{", "`"}
            if has_copies and text is not None and text.strip() and not json_like and not find_unwritable(text):
                self.copies[document] = text
            else:
                self._note(UNREAD, 1, place)


def _find_reply(record: Mapping[str, Any], roles: _Roles) -> Reply:
    """Return the answer of a record, and its path if it was not at the expected place."""
    if roles.envelope is not None:
        return roles.envelope.read(record)
    value = get_value(record, roles.answer)
    if roles.chosen or roles.answer not in ANSWERS:
        return Reply(value)
    path = roles.answer
    if isinstance(value, list) and (messages := read_body(value)) is not None:
        return messages.inside(path)
    while isinstance(value, Mapping) and not any(isinstance(value.get(name), dict | list) for name in LIST_NAMES):
        if (body := read_body(value)) is not None:
            return body.inside(path)
        name = next((name for name in ANSWERS if isinstance(value.get(name), dict | list | str)), None)
        if name is None:
            break
        path, value = f"{path}.{name}", value[name]
    return Reply(value, path if path != roles.answer else "")


def _has_doubled_field(record: _Record, roles: _Roles) -> bool:
    """Whether an answer that is JSON itself, not a string, has an object with a field twice."""
    if record.piece is None:
        return False
    raw = msgspec.json.decode(record.piece, type=dict[str, msgspec.Raw])
    inner = raw.get(roles.answer, raw.get(roles.answer.partition(".")[0]))
    try:
        return inner is not None and decode_json(bytes(inner))[1]
    except (ValueError, RecursionError):  # numbers with too many digits, or nested too deeply
        return False


def get_value(record: Mapping[str, Any], path: str) -> Any:
    """Return the value of a field, or at a path through fields and lists; None if there is none.

    >>> get_value({"choices": [{"message": {"content": "[]"}}]}, "choices.0.message.content")
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
    """Whether the first lines hold answers: items with a text and no offsets, strings that contain such, or envelopes.

    Without any, fields that are named like those of answers suffice: all answers may be refusals.
    """
    known = False
    plain: list[bool] = []
    for line in lines:
        try:
            record = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError):
            continue
        if not isinstance(record, dict):
            return False
        if find_envelope(record) is not None or is_log(record):
            return True
        if _has_places(record):
            return False
        known = known or _has_items(record)
        plain.append(_has_answer(record))
    return known or (bool(plain) and all(plain)) or (not plain and looks_like_json(lines) and is_log(key_paths(lines)))


def _has_answer(record: Mapping[str, Any]) -> bool:
    """Whether an object has an answer in words, a name or no text, and nothing that is typical of other formats."""
    values = [record[name] for name in ANSWERS if isinstance(record.get(name), str)]
    named = any(name in record for name in NAMES) or TEXT not in record
    return named and bool(values) and _NOT_ANSWERS.isdisjoint((*record, *values))


_NOT_ANSWERS = frozenset({"label", "labels", "tags", "spans", "data", "meta", "accept", "reject", "ignore"})
"""Fields of records of other formats, and values of a field `answer` in these."""


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
        reply = _find_reply(record, _Roles(None, None, name))
        if isinstance(reply.answer, str):
            found = parse(reply.answer)
        elif isinstance(reply.answer, list | dict) and reply.answer:
            found = read_value(reply.answer)
        else:
            continue
        return (bool(found.items) and not found.bad) or bool(reply.path)
    return False


FORMAT = Format(
    name="llm",
    summary="answers of language models: items that quote the text, without offsets; JSON, tags in the text, lists",
    shapes=frozenset({"tokens"}),
    suffixes=(".jsonl", ".ndjson", ".json"),
    options={
        "answer": "the field of the answer (default: 'entities', 'answer' and the like), or its path: a.b.0.c",
        "document": "the field that names the document (default: 'id' and the like)",
        "documents": "in-order: match answers with the documents of the key in order, whatever their names",
        "text": "the field of the document's text (default: 'text', if present); 'none' to use the key's",
        "mention": "the field of an item's text (default: 'text' and the like)",
        "label": "the field of an item's label (default: 'label' and the like)",
        "take": "which of several pieces of JSON in an answer count: all (the default), first, last",
        "repair": "whether invalid and truncated JSON is repaired: yes (the default), no",
        "run": "the field that tells several runs in one file apart; one of them: run=FIELD=VALUE",
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
    runs=list_runs,
)
