"""The items of one answer of a language model: quoted texts with labels, in values decoded from JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from comparanda.core.ids import join_ids
from comparanda.formats.field_values import find_unwritable, is_missing

TEXT_NAMES: Final = ("text", "span", "mention", "quote", "word", "name", "entity", "value")
LABEL_NAMES: Final = ("label", "type", "entity_type", "entity_group", "category", "class", "tag", "entity")
LIST_NAMES: Final = ("entities", "spans", "items", "mentions", "annotations", "ents", "named_entities", "results")
ID_NAMES: Final = ("id", "ids", "entity_id", "kb_id", "qid", "wikidata_id")
OFFSET_NAMES: Final = frozenset({"begin", "start", "start_offset", "end", "stop", "end_offset", "offset"})
OCCURRENCE: Final = "occurrence"

How = Literal["read", "mended", "tagged", "listed", "refused", "unread"]
"""How an answer was read: as given, after repair, from tags, from a list or table, as a refusal, or not at all."""

_MAX_DEPTH = 60
_SCALAR_TYPES = frozenset({int, float, bool})
_NO_ATTRIBUTES: Final[Mapping[str, Any]] = {}


_PROBABILITIES = frozenset({"confidence", "probability", "score"})


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
        sequence: the list that it is an element of, from 0; only items of one list have an order.
        pair: the object or list, from 0, whose form does not tell texts and labels apart; -1 if the form does.

    """

    text: str
    label: str
    attributes: Mapping[str, Any] = _NO_ATTRIBUTES
    occurrence: int = 0
    begin: int = -1
    sequence: int = 0
    pair: int = -1


@dataclass(slots=True, kw_only=True)
class Answer:
    """The content of an answer.

    Args:
        items: the items, in order.
        how: how it was read.
        bad: the number of items without a text or a label, which are dropped.
        offsets: the number of items with offsets, which are ignored.
        copy: the answer's copy of the text, without tags; None if it has none.
        cut: whether it is truncated, and read up to its last complete item.
        doubled: whether an object has a field twice; the last one counts.
        strange: whether the whole answer is an object with further objects under its labels.
        groups: the number of sequences and pairs of its items.

    """

    items: list[Item] = field(default_factory=list)
    how: How = "read"
    bad: int = 0
    offsets: int = 0
    copy: str | None = None
    cut: bool = False
    doubled: bool = False
    strange: bool = False
    groups: int = 1


def read_value(value: Any, names: Names | None = None, how: How = "read") -> Answer:
    """Read an answer that is already decoded from JSON.

    >>> [(item.text, item.label) for item in read_value({"PER": ["Anna", "Bo"], "LOC": []}).items]
    [('Anna', 'PER'), ('Bo', 'PER')]
    """
    if not isinstance(value, dict | list):
        return Answer(how="unread")
    found = Answer(how=how)
    _ItemCollector(found, names or Names()).collect(value, _Context(), 0)
    return found


@dataclass(frozen=True, slots=True)
class _Context:
    """What the enclosing objects and lists say about an item: its label, its sequence and its pair."""

    label: str | None = None
    sequence: int = 0
    pair: int = -1


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

    def collect(self, value: Any, context: _Context, depth: int) -> None:
        """Collect all items of a value; items without a label inherit that of the enclosing field."""
        if depth > _MAX_DEPTH:
            self._found.bad += 1
        elif isinstance(value, list):
            for each in value:
                self._collect_element(each, context, depth)
        else:
            self._collect_element(value, context, depth)

    def _collect_element(self, value: Any, context: _Context, depth: int) -> None:
        if isinstance(value, dict):
            self._collect_object(value, context, depth)
        elif isinstance(value, str) and context.label is not None:
            self._add(item_of(value, context.label, sequence=context.sequence, pair=context.pair))
        elif isinstance(value, list) and len(value) == 2 and all(isinstance(each, str) for each in value):
            self._add(item_of(value[0], value[1], sequence=context.sequence))
        else:
            self._found.bad += 1

    def _collect_object(self, given: dict[str, Any], context: _Context, depth: int) -> None:
        """Collect an item, the items in the lists of an object, or the texts under each label."""
        plan = _plan_fields(tuple(given), self._names)
        if plan.text is not None and not _is_container(given[plan.text]):
            self._add(self._read_item(given, plan, context))
            return
        lists = [each for each in plan.lists if _is_container(given[each])]
        for each in lists:
            self.collect(given[each], context, depth + 1)
        if lists:
            return
        if plan.label is not None and not _is_container(given[plan.label]):  # an item that lacks its text
            self._found.bad += 1
            return
        self._collect_by_label(given, context, depth)

    def _collect_by_label(self, given: dict[str, Any], context: _Context, depth: int) -> None:
        """Collect the texts under each label; the lists of several labels have no common order."""
        pair = self._new_group()
        several = sum(bool(value) for value in given.values()) > 1
        for label, value in given.items():
            if isinstance(value, list | str):
                sequence = self._new_group() if several else context.sequence
                self.collect(value or [], _Context(label, sequence, pair), depth + 1)
            elif value is not None:
                self._found.bad += 1
                self._found.strange |= depth == 0 and isinstance(value, dict)

    def _new_group(self) -> int:
        self._found.groups += 1
        return self._found.groups - 1

    def _read_item(self, given: Mapping[str, Any], plan: _FieldPlan, context: _Context) -> Item | None:
        own = None if plan.label is None else given[plan.label]
        self._found.offsets += plan.offsets
        number = None if plan.occurrence is None else given[plan.occurrence]
        occurrence = number if type(number) is int and 0 < number < 1 << 62 else 0
        attributes = (
            collect_attributes((name, given[each]) for each, name in plan.attributes) if plan.attributes else {}
        )
        return item_of(
            given[plan.text or ""],
            own if isinstance(own, str) else context.label,
            attributes=attributes,
            occurrence=occurrence,
            sequence=context.sequence,
        )

    def _add(self, item: Item | None) -> None:
        if item is None:
            self._found.bad += 1
        else:
            self._found.items.append(item)


def item_of(
    text: Any,
    label: Any,
    *,
    attributes: Mapping[str, Any] = _NO_ATTRIBUTES,
    occurrence: int = 0,
    begin: int = -1,
    sequence: int = 0,
    pair: int = -1,
) -> Item | None:
    """Make an item; None if it lacks a text or a label, or has characters that cannot be written to a text file."""
    if not (isinstance(text, str) and isinstance(label, str)):
        return None
    text, label = text.strip(), label.strip()
    if not (text and label) or find_unwritable(text) or find_unwritable(label):
        return None
    return Item(text, label, attributes, occurrence, begin, sequence, pair)


def _is_container(value: Any) -> bool:
    return isinstance(value, dict | list)


def collect_attributes(given: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Collect the other attributes of an item: ids, a probability, and scalars by name; the first of equal names wins.

    >>> collect_attributes([("id", "Q1"), ("id", 7), ("score", 0.5), ("why", "a name"), ("more", [1])])
    {'id': 'Q1', 'probability': 0.5, 'why': 'a name'}
    >>> collect_attributes([("confidence", None), ("more", None)])
    {'confidence': None}
    """
    found: dict[str, Any] = {}
    for name, value in given:
        kind = type(value)
        if name == "id":  # an integer is the index of an item in the answer, not the id of an entity
            ids = [each for each in (value if kind is list else [value]) if isinstance(each, str) and each]
            if ids and (whole := join_ids(ids)) and not find_unwritable(whole):
                found.setdefault("id", whole)
        elif name in _PROBABILITIES and (kind is int or (kind is float and not is_missing(value))):
            found.setdefault("probability", float(value))
        elif name in _PROBABILITIES and (kind is list or kind is dict or is_missing(value)):
            found.setdefault(name, value)  # refused by what needs probabilities, else left out
        elif kind in _SCALAR_TYPES or (kind is str and value and not find_unwritable(value)):
            found.setdefault(name, value)
    return found
