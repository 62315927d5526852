"""Answers of language models: one object per document, with items that quote the text instead of giving offsets.

The reader extracts the items from the answers. They are located in the text when the key is known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec
import numpy as np

from comparanda.core.corpus import Quotes, Spans
from comparanda.core.ids import join_ids
from comparanda.core.places import Note, Source, first_places, make_read_error
from comparanda.core.text_columns import TextColumn
from comparanda.formats.contract import Format, Request
from comparanda.formats.field_values import find_unwritable
from comparanda.formats.json_objects import JsonObjects
from comparanda.formats.records import DOCUMENT_NAMES
from comparanda.formats.scanner import check_line_lengths
from comparanda.formats.standoff import Draft

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus


# Items of answers in JSON: quoted texts with their labels.


TEXT_NAMES: Final = ("text", "span", "mention", "quote", "word", "name", "entity", "value")
LABEL_NAMES: Final = ("label", "type", "entity_type", "entity_group", "category", "class", "tag", "entity")
LIST_NAMES: Final = ("entities", "spans", "items", "mentions", "annotations", "ents", "named_entities", "results")
ID_NAMES: Final = ("id", "ids", "entity_id", "kb_id", "qid", "wikidata_id")
OFFSET_NAMES: Final = frozenset({"begin", "start", "start_offset", "end", "stop", "end_offset", "offset"})
OCCURRENCE: Final = "occurrence"

How = Literal["read", "mended", "tagged", "unread"]
"""How an answer was read: as given, after repair, from inline tags, or not at all."""

_MAX_DEPTH = 60
_SCALAR_TYPES = frozenset({int, float, bool})
_NO_ATTRIBUTES: Final[Mapping[str, Any]] = {}


@dataclass(frozen=True, slots=True)
class Names:
    """The fields of an item that hold its text and its label; None for the usual names."""

    mention: str | None = None
    label: str | None = None


class Item(NamedTuple):
    """An item of an answer: a quoted text and its label.

    Args:
        text: the quoted text, without surrounding white space.
        label: its label.
        attributes: its other attributes, by name.
        occurrence: the number of the occurrence of the text that is meant, from 1; 0 if the answer does not state it.
        begin: its offset in the answer's copy of the text; -1 if there is no copy.

    """

    text: str
    label: str
    attributes: Mapping[str, Any] = _NO_ATTRIBUTES
    occurrence: int = 0
    begin: int = -1


@dataclass(slots=True, kw_only=True)
class Answer:
    """The content of an answer.

    Args:
        items: the items, in order.
        how: how it was read.
        bad: the number of items without a text or a label, which are dropped.
        offsets: the number of items with offsets, which are ignored.
        copy: the answer's copy of the text, without tags; None if it has none.

    """

    items: list[Item] = field(default_factory=list)
    how: How = "read"
    bad: int = 0
    offsets: int = 0
    copy: str | None = None


def read_value(value: Any, names: Names | None = None, how: How = "read") -> Answer:
    """Read an answer that is already decoded from JSON.

    >>> [(item.text, item.label) for item in read_value({"PER": ["Anna", "Bo"], "LOC": []}).items]
    [('Anna', 'PER'), ('Bo', 'PER')]
    """
    if not isinstance(value, dict | list):
        return Answer(how="unread")
    found = Answer(how=how)
    _ItemCollector(found, names or Names()).collect(value, None, 0)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _FieldPlan:
    """The roles of the fields of an object; cached because objects of one answer mostly have the same fields.

    Args:
        text: the field of the item's text; None if the object is not an item.
        label: the field of its label.
        occurrence: the field of the number of the occurrence.
        offsets: whether it has offsets.
        attributes: its other fields, each with the name of its column.
        lists: the fields that may hold items.

    """

    text: str | None
    label: str | None
    occurrence: str | None
    offsets: bool
    attributes: tuple[tuple[str, str], ...]
    lists: tuple[str, ...]


@lru_cache(maxsize=1 << 12)
def _plan_fields(fields: tuple[str, ...], names: Names) -> _FieldPlan:
    """Assign roles to the fields of an object, ignoring case."""
    known = {each.lower(): each for each in reversed(fields)} | {each: each for each in fields}
    text = next((known[each] for each in ((names.mention,) if names.mention else TEXT_NAMES) if each in known), None)
    labels = (names.label,) if names.label else LABEL_NAMES
    label = next((known[each] for each in labels if each in known and known[each] != text), None)
    attributes = tuple(
        (each, "id" if each.lower() in ID_NAMES else each.lower())
        for each in fields
        if each not in {text, label} and each.lower() not in OFFSET_NAMES and each.lower() != OCCURRENCE
    )
    lists = tuple(known[each] for each in LIST_NAMES if each in known)
    return _FieldPlan(
        text=text,
        label=label,
        occurrence=known.get(OCCURRENCE),
        offsets=not OFFSET_NAMES.isdisjoint(known),
        attributes=attributes,
        lists=lists,
    )


class _ItemCollector:
    """Collects the items of a JSON value."""

    def __init__(self, found: Answer, names: Names) -> None:
        self._found = found
        self._names = names

    def collect(self, value: Any, label: str | None, depth: int) -> None:
        """Collect all items of a value; items without a label inherit that of the enclosing field."""
        if depth > _MAX_DEPTH:
            self._found.bad += 1
        elif isinstance(value, list):
            for each in value:
                self._collect_element(each, label, depth)
        else:
            self._collect_element(value, label, depth)

    def _collect_element(self, value: Any, label: str | None, depth: int) -> None:
        if isinstance(value, dict):
            self._collect_object(value, label, depth)
        elif isinstance(value, str) and label is not None:
            self._add(item_of(value, label))
        elif isinstance(value, list) and len(value) == 2 and all(isinstance(each, str) for each in value):
            self._add(item_of(value[0], value[1]))
        else:
            self._found.bad += 1

    def _collect_object(self, given: dict[str, Any], label: str | None, depth: int) -> None:
        """Collect an item, the items in the lists of an object, or the texts under each label."""
        plan = _plan_fields(tuple(given), self._names)
        if plan.text is not None and not _is_container(given[plan.text]):
            self._add(self._read_item(given, plan, label))
            return
        lists = [each for each in plan.lists if _is_container(given[each])]
        for each in lists:
            self.collect(given[each], label, depth + 1)
        if not lists and plan.label is not None and not _is_container(given[plan.label]):  # an item that lacks its text
            self._found.bad += 1
            return
        for each, value in given.items() if not lists else ():
            if isinstance(value, list | str):
                self.collect(value or [], each, depth + 1)
            elif value is not None:
                self._found.bad += 1

    def _read_item(self, given: Mapping[str, Any], plan: _FieldPlan, label: str | None) -> Item | None:
        own = None if plan.label is None else given[plan.label]
        self._found.offsets += plan.offsets
        number = None if plan.occurrence is None else given[plan.occurrence]
        occurrence = number if type(number) is int and 0 < number < 1 << 62 else 0
        attributes = (
            collect_attributes((name, given[each]) for each, name in plan.attributes) if plan.attributes else {}
        )
        return item_of(
            given[plan.text or ""], own if isinstance(own, str) else label, attributes=attributes, occurrence=occurrence
        )

    def _add(self, item: Item | None) -> None:
        if item is None:
            self._found.bad += 1
        else:
            self._found.items.append(item)


def item_of(
    text: Any, label: Any, *, attributes: Mapping[str, Any] = _NO_ATTRIBUTES, occurrence: int = 0, begin: int = -1
) -> Item | None:
    """Make an item; None if it lacks a text or a label, or has characters that cannot be written to a text file."""
    if not (isinstance(text, str) and isinstance(label, str)):
        return None
    text, label = text.strip(), label.strip()
    if not (text and label) or find_unwritable(text) or find_unwritable(label):
        return None
    return Item(text=text, label=label, attributes=attributes, occurrence=occurrence, begin=begin)


def _is_container(value: Any) -> bool:
    return isinstance(value, dict | list)


def collect_attributes(given: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Collect the other attributes of an item: ids, a probability, and scalars by name; the first of equal names wins.

    >>> collect_attributes([("id", "Q1"), ("id", 7), ("score", 0.5), ("why", "a name"), ("more", [1])])
    {'id': 'Q1', 'probability': 0.5, 'why': 'a name'}
    """
    found: dict[str, Any] = {}
    for name, value in given:
        kind = type(value)
        if name == "id":  # an integer is the index of an item in the answer, not the id of an entity
            ids = [each for each in (value if kind is list else [value]) if isinstance(each, str) and each]
            if ids and (whole := join_ids(ids)) and not find_unwritable(whole):
                found.setdefault("id", whole)
        elif (kind is int or kind is float) and name in {"confidence", "probability", "score"}:
            found.setdefault("probability", float(value))
        elif kind in _SCALAR_TYPES or (kind is str and value and not find_unwritable(value)):
            found.setdefault(name, value)
    return found


# Answers that copy the text with inline tags: the surrounding text locates each item.


_TAG = re.compile(r"<(?P<close>/?)(?P<name>[^\W\d][\w.-]*)(?P<rest>(?:\s[^<>]{0,300})?)>")
_ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_LINK = re.compile(r"\[(?P<text>[^\[\]\n]+)\]\((?P<label>[^\W\d][\w.:-]*)\)")

WRAPPERS: Final = frozenset({"answer", "output", "result", "response", "text", "document", "sentence", "p", "s"})
"""Tags that wrap the whole text, and are not items."""

_MAX_TAGS = 100_000


def read_tagged_text(text: str) -> Answer | None:
    """Read a text with inline tags, or with items in brackets followed by labels; None if it has neither.

    >>> found = read_tagged_text("<PER>Anna</PER> left."), read_tagged_text("[Anna](PER) left.")
    >>> [(each.copy, each.items[0].text, each.items[0].begin) for each in found]
    [('Anna left.', 'Anna', 0), ('Anna left.', 'Anna', 0)]
    """
    found = _read_tags(text)
    if found is not None and found.items:
        return found
    return _read_links(text if found is None else found.copy or "") or found


def _read_tags(text: str) -> Answer | None:
    """Read a text with inline tags: `<PER>Anna</PER>`, `<entity type="PER">Anna</entity>`."""
    tags = list(islice(_TAG.finditer(text), _MAX_TAGS))
    pairs, lonely = _pair_tags(tags)
    if not pairs or len(tags) == _MAX_TAGS:
        return None
    used = sorted(number for pair in pairs for number in pair)
    copy, begins = _remove_slices(text, [tags[number].span() for number in used])
    place = dict(zip(used, begins, strict=True))
    found = Answer(how="tagged", bad=lonely, copy=copy)
    for opening, closing in sorted(pairs):
        label, attributes = _interpret_tag(tags[opening]["name"], tags[opening]["rest"])
        if label is not None:
            _add_item(found, begin=place[opening], end=place[closing], label=label, attributes=attributes)
    return found


@lru_cache(maxsize=1 << 12)
def _interpret_tag(name: str, rest: str) -> tuple[str | None, Mapping[str, Any]]:
    """Return the label of a tag (None for a wrapper) and the attributes of the item."""
    given = {key.lower(): one or other for key, one, other in _ATTRIBUTE.findall(rest)}
    label = next((given[each] for each in LABEL_NAMES if given.get(each)), None)
    more = [(key, value) for key, value in given.items() if key not in LABEL_NAMES]
    attributes = collect_attributes(("id" if key in ID_NAMES else key, value) for key, value in more)
    return label or (None if name in WRAPPERS else name), attributes


def _pair_tags(tags: list[re.Match[str]]) -> tuple[list[tuple[int, int]], int]:
    """Return the indices of matching opening and closing tags, and the number of opening tags without a match."""
    pairs: list[tuple[int, int]] = []
    open_tags: dict[str, list[int]] = {}
    for number, tag in enumerate(tags):
        same = open_tags.setdefault(tag["name"], [])
        if not tag["close"]:
            if not tag["rest"].rstrip().endswith("/"):
                same.append(number)
        elif same:
            pairs.append((same.pop(), number))
    return pairs, sum(map(len, open_tags.values()))


def _read_links(text: str) -> Answer | None:
    """Read a text with items in brackets, each followed by its label: `[Anna](PER)`."""
    links = list(islice(_LINK.finditer(text), _MAX_TAGS))
    if not links or len(links) == _MAX_TAGS:
        return None
    cuts = [cut for link in links for cut in ((link.start(), link.start("text")), (link.end("text"), link.end()))]
    copy, begins = _remove_slices(text, cuts)
    found = Answer(how="tagged", copy=copy)
    for number, link in enumerate(links):
        _add_item(found, begin=begins[2 * number], end=begins[2 * number + 1], label=link["label"], attributes={})
    return found


def _remove_slices(text: str, cuts: list[tuple[int, int]]) -> tuple[str, list[int]]:
    """Return a text without some slices, and the position of each of them in the remaining text."""
    kept, begins, place, size = [], [], 0, 0
    for begin, end in cuts:
        kept.append(text[place:begin])
        size += begin - place
        begins.append(size)
        place = end
    return "".join([*kept, text[place:]]), begins


def _add_item(found: Answer, begin: int, end: int, label: str, *, attributes: Mapping[str, Any]) -> None:
    assert found.copy is not None
    covered = found.copy[begin:end]
    begin += len(covered) - len(covered.lstrip())
    if item := item_of(covered, label, attributes=attributes, begin=begin):
        found.items.append(item)
    else:
        found.bad += 1


# Answers as strings: JSON, alone, fenced or embedded in prose, or a copy of the text with inline tags.
#
# Almost valid JSON (single quotes, trailing commas, tuples) is repaired. A truncated answer is not, because its
# continuation is unknown.


_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[^\S\n]{0,9}[\w+-]{0,20}[^\S\n]{0,9}\n(.*?)(?:^[^\S\n]{0,9}```|\Z)", re.DOTALL | re.MULTILINE)
_OPENING = re.compile(r"[\[{]")
_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|["\[\]{}]', re.DOTALL)
_TOKEN = re.compile(
    r'\s+|"[^"\\]*(?:\\.[^"\\]*)*"|\'[^\'\\]*(?:\\.[^\'\\]*)*\'|[\[\](){}:,]|[^\s\[\](){}:,"\']+', re.DOTALL
)
_PYTHON_CONSTANTS = {"True": "true", "False": "false", "None": "null"}
_TUPLE_BRACKETS = {"(": "[", ")": "]"}
_SCALAR = re.compile(r"true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")

_MAX_JSON_DEPTH, _MAX_PIECES, _MAX_REPAIRED = 60, 1000, 1 << 20

_NOT_JSON: Final = object()
"""The result of decoding a string that is not JSON."""

_AMBIGUOUS: Final = object()
"""The value of a field that occurs twice in an object with different values, so that neither can be chosen."""


def parse(answer: str, names: Names | None = None) -> Answer:
    """Read an answer that is a string.

    >>> parse('Here they are: [{"text": "Anna", "label": "PER"}]').items
    [Item(text='Anna', label='PER', attributes={}, occurrence=0, begin=-1)]
    >>> found = parse("<PER>Anna</PER> left.")
    >>> found.how, found.copy, found.items[0].text
    ('tagged', 'Anna left.', 'Anna')
    """
    names = names or Names()
    text = _THOUGHTS.sub("", answer).strip()
    blocks = [block.strip() for block in _FENCE.findall(text)]
    value, how = _decode(text)
    if value is not _NOT_JSON:
        return read_value(value, names, how)
    found = _read_blocks(blocks, names) if blocks else _read_pieces(_find_pieces(text), names)
    if found is not None:
        return found
    for copied in [*blocks, text]:
        if (copy := read_tagged_text(copied)) is not None:
            return copy
    return Answer(how="unread")


def _decode(text: str) -> tuple[Any, How]:
    """Decode a string that is JSON, possibly after repair; `_NOT_JSON` if it is not."""
    if text[:1] not in {"[", "{", "("}:
        return _NOT_JSON, "unread"
    attempts: tuple[How, ...] = ("read", "mended")
    for how in attempts:
        written = text if how == "read" else _repair(text)
        if written is not None:
            try:
                return json.loads(written, object_pairs_hook=_merge_fields), how
            except (ValueError, RecursionError):  # not JSON, a number with too many digits, or nested too deeply
                continue
    return _NOT_JSON, "unread"


def _merge_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object; concatenate the lists of a repeated field, and make its other values `_AMBIGUOUS`."""
    whole = dict(pairs)
    if len(whole) == len(pairs):
        return whole
    seen: dict[str, Any] = {}
    for name, value in pairs:
        if name not in seen:
            seen[name] = list(value) if isinstance(value, list) else value
        elif isinstance(value, list) and isinstance(seen[name], list):
            seen[name] += value
        else:
            seen[name] = _AMBIGUOUS
    return seen


def _repair(text: str) -> str | None:
    """Repair JSON with single quotes, tuples, Python constants or trailing commas; None if that does not suffice.

    >>> _repair("[('Anna', 'PER'),]")
    '[["Anna","PER"]]'
    """
    written: list[str] = []
    place, depth = 0, 0
    while place < len(text) <= _MAX_REPAIRED:
        token = _TOKEN.match(text, place)
        if token is None or (written and depth == 0) or depth > _MAX_JSON_DEPTH:
            return None
        place, given = token.end(), token[0]
        if given.isspace():
            continue
        depth += (given in "[{(") - (given in "]})")
        given = _PYTHON_CONSTANTS.get(given, _TUPLE_BRACKETS.get(given, given))
        if given in {"]", "}"} and written and written[-1] == ",":
            written.pop()
        if given[0] == "'":
            given = '"' + re.sub(r'\\(.)|(")', _requote, given[1:-1], flags=re.DOTALL) + '"'
        elif given[0] not in '[]{}:,"' and not _SCALAR.fullmatch(given):
            return None
        written.append(given.replace("\n", "\\n").replace("\t", "\\t") if given[0] == '"' else given)
    return "".join(written)


def _requote(found: re.Match[str]) -> str:
    """Convert a Python escape or a double quote to JSON."""
    if found[2]:
        return '\\"'
    return "'" if found[1] == "'" else f"\\{found[1]}"


def _find_pieces(text: str) -> Iterator[tuple[Any, How]]:
    """Yield the values in brackets, `_NOT_JSON` if one is not JSON; nothing if a bracket is not closed."""
    found: list[tuple[Any, How]] = []
    place = 0
    while opening := _OPENING.search(text, place):
        depth = 0
        for bracket in _BRACKET.finditer(text, opening.start()):
            depth += (bracket[0] in "[{") - (bracket[0] in "]}")
            if depth == 0 or depth > _MAX_JSON_DEPTH or bracket[0] == '"':
                break
        if depth or len(found) > _MAX_PIECES:
            return
        place = bracket.end()
        found.append(_decode(text[opening.start() : place]))
    yield from found


def _read_pieces(pieces: Iterable[tuple[Any, How]], names: Names) -> Answer | None:
    """Combine the pieces of JSON in an answer; those without a readable item count as prose."""
    found = ((value, read_value(value, names, how)) for value, how in pieces)
    return _combine_answers([each for value, each in found if each.how != "unread" and (each.items or not value)])


def _read_blocks(blocks: list[str], names: Names) -> Answer | None:
    """Combine fenced blocks; if some can be read, each of the others counts as a bad item."""
    found = []
    if len(blocks) > _MAX_PIECES:
        return None
    for block in blocks:
        value, how = _decode(block)
        found.append(_read_pieces(_find_pieces(block), names) if value is _NOT_JSON else read_value(value, names, how))
    whole = _combine_answers([each for each in found if each is not None])
    if whole is not None:
        whole.bad += found.count(None)
    return whole


def _combine_answers(answers: list[Answer]) -> Answer | None:
    """Combine several answers; None if there are none."""
    if not answers:
        return None
    return Answer(
        items=[item for each in answers for item in each.items],
        how="mended" if any(each.how == "mended" for each in answers) else "read",
        bad=sum(each.bad for each in answers),
        offsets=sum(each.offsets for each in answers),
    )


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
        objects = JsonObjects(self.source, answers=True)
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
