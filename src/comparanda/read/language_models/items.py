"""What the answers of language models claim: texts of a document with their labels, found in values of JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from comparanda.ids import joined
from comparanda.read.values import unwritable

TEXT_NAMES: Final = ("text", "span", "mention", "quote", "word", "name", "entity", "value")
LABEL_NAMES: Final = ("label", "type", "entity_type", "entity_group", "category", "class", "tag", "entity")
LIST_NAMES: Final = ("entities", "spans", "items", "mentions", "annotations", "ents", "named_entities", "results")
ID_NAMES: Final = ("id", "ids", "entity_id", "kb_id", "qid", "wikidata_id")
OFFSET_NAMES: Final = frozenset({"begin", "start", "start_offset", "end", "stop", "end_offset", "offset"})
OCCURRENCE: Final = "occurrence"

How = Literal["read", "mended", "tagged", "unread"]
"""How an answer was read: as it is, after mending, from tags in a text, or not at all."""

_DEEPEST = 60
_PLAIN = frozenset({int, float, bool})
_NOTHING: Final[Mapping[str, Any]] = {}


@dataclass(frozen=True, slots=True)
class Names:
    """The fields of an item that hold its text and its label; None for the well-known ones."""

    mention: str | None = None
    label: str | None = None


class Item(NamedTuple):
    """What an answer claims: a text of the document, and its label.

    Args:
        text: what the answer quotes, without white space around it.
        label: its label.
        said: what else the answer says of it, by name.
        occurrence: which occurrence of the text is meant, from 1; 0 where the answer does not say.
        begin: where it stands in the answer's copy of the text; -1 where there is none.

    """

    text: str
    label: str
    said: Mapping[str, Any] = _NOTHING
    occurrence: int = 0
    begin: int = -1


@dataclass(slots=True)
class Answer:
    """What was found in an answer.

    Args:
        items: the items, in order.
        how: how it was read.
        bad: how many items could not be read: without a text or a label.
        offsets: how many items name offsets, which are not used.
        copy: the answer's copy of the text, without tags; None where it has none.

    """

    items: list[Item] = field(default_factory=list)
    how: How = "read"
    bad: int = 0
    offsets: int = 0
    copy: str | None = None


def read_value(value: Any, names: Names | None = None, how: How = "read") -> Answer:
    """Read an answer that is JSON already.

    >>> [(item.text, item.label) for item in read_value({"PER": ["Anna", "Bo"], "LOC": []}).items]
    [('Anna', 'PER'), ('Bo', 'PER')]
    """
    if not isinstance(value, dict | list):
        return Answer(how="unread")
    found = Answer(how=how)
    _Gathering(found, names or Names()).gather(value, None, 0)
    return found


@dataclass(frozen=True, slots=True)
class _Plan:
    """Which field of an object is which; objects of one answer mostly have the same fields.

    Args:
        text: the field of the item's text; None if it is no item.
        label: that of its label.
        occurrence: that of the number of the occurrence.
        offsets: whether it has offsets.
        said: the fields that say more of it, each with the name of its column.
        lists: the fields that may hold items.

    """

    text: str | None
    label: str | None
    occurrence: str | None
    offsets: bool
    said: tuple[tuple[str, str], ...]
    lists: tuple[str, ...]


@lru_cache(maxsize=1 << 12)
def _plan(fields: tuple[str, ...], names: Names) -> _Plan:
    """Tell the fields of an object apart; capitals do not count."""
    known = {each.lower(): each for each in reversed(fields)} | {each: each for each in fields}
    text = next((known[each] for each in ((names.mention,) if names.mention else TEXT_NAMES) if each in known), None)
    labels = (names.label,) if names.label else LABEL_NAMES
    label = next((known[each] for each in labels if each in known and known[each] != text), None)
    said = tuple(
        (each, "id" if each.lower() in ID_NAMES else each.lower())
        for each in fields
        if each not in {text, label} and each.lower() not in OFFSET_NAMES and each.lower() != OCCURRENCE
    )
    lists = tuple(known[each] for each in LIST_NAMES if each in known)
    return _Plan(text, label, known.get(OCCURRENCE), not OFFSET_NAMES.isdisjoint(known), said, lists)


class _Gathering:
    """Gathers the items of a value of JSON."""

    def __init__(self, found: Answer, names: Names) -> None:
        self._found = found
        self._names = names

    def gather(self, value: Any, label: str | None, depth: int) -> None:
        """Take over all items of a value; those without a label have the one of what they stand in."""
        if depth > _DEEPEST:
            self._found.bad += 1
        elif isinstance(value, list):
            for each in value:
                self._one(each, label, depth)
        else:
            self._one(value, label, depth)

    def _one(self, value: Any, label: str | None, depth: int) -> None:
        if isinstance(value, dict):
            self._object(value, label, depth)
        elif isinstance(value, str) and label is not None:
            self._add(item_of(value, label))
        elif isinstance(value, list) and len(value) == 2 and all(isinstance(each, str) for each in value):
            self._add(item_of(value[0], value[1]))
        else:
            self._found.bad += 1

    def _object(self, given: dict[str, Any], label: str | None, depth: int) -> None:
        """Take over an item; or the lists of an object that holds some; or the texts of each label."""
        plan = _plan(tuple(given), self._names)
        if plan.text is not None and not _holds(given[plan.text]):
            self._add(self._item(given, plan, label))
            return
        lists = [each for each in plan.lists if _holds(given[each])]
        for each in lists:
            self.gather(given[each], label, depth + 1)
        if not lists and plan.label is not None and not _holds(given[plan.label]):  # an item, but for its text
            self._found.bad += 1
            return
        for each, value in given.items() if not lists else ():
            if isinstance(value, list | str):
                self.gather(value or [], each, depth + 1)
            elif value is not None:
                self._found.bad += 1

    def _item(self, given: Mapping[str, Any], plan: _Plan, label: str | None) -> Item | None:
        own = None if plan.label is None else given[plan.label]
        self._found.offsets += plan.offsets
        number = None if plan.occurrence is None else given[plan.occurrence]
        occurrence = number if type(number) is int and 0 < number < 1 << 62 else 0
        said = said_of((name, given[each]) for each, name in plan.said) if plan.said else {}
        return item_of(given[plan.text or ""], own if isinstance(own, str) else label, said, occurrence)

    def _add(self, item: Item | None) -> None:
        if item is None:
            self._found.bad += 1
        else:
            self._found.items.append(item)


def item_of(
    text: Any, label: Any, said: Mapping[str, Any] = _NOTHING, occurrence: int = 0, begin: int = -1
) -> Item | None:
    """Make an item; None where it has no text, no label, or what no text file can hold."""
    if not (isinstance(text, str) and isinstance(label, str)):
        return None
    text, label = text.strip(), label.strip()
    if not (text and label) or unwritable(text) or unwritable(label):
        return None
    return Item(text, label, said, occurrence, begin)


def _holds(value: Any) -> bool:
    return isinstance(value, dict | list)


def said_of(given: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return what else an item says: ids, a probability, and single values under their own names; of two the first.

    >>> said_of([("id", "Q1"), ("id", 7), ("score", 0.5), ("why", "a name"), ("more", [1])])
    {'id': 'Q1', 'probability': 0.5, 'why': 'a name'}
    """
    found: dict[str, Any] = {}
    for name, value in given:
        kind = type(value)
        if name == "id":  # a whole number counts the items of an answer, and names no entity
            ids = [each for each in (value if kind is list else [value]) if isinstance(each, str) and each]
            if ids and (whole := joined(ids)) and not unwritable(whole):
                found.setdefault("id", whole)
        elif (kind is int or kind is float) and name in {"confidence", "probability", "score"}:
            found.setdefault("probability", float(value))
        elif kind in _PLAIN or (kind is str and value and not unwritable(value)):
            found.setdefault(name, value)
    return found
