"""What the answers of language models claim: texts of a document with their labels, found in values of JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

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


@dataclass(frozen=True, slots=True)
class Names:
    """The fields of an item that hold its text and its label; None for the well-known ones."""

    mention: str | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
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
    said: Mapping[str, Any] = field(default_factory=dict)
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


class _Gathering:
    """Gathers the items of a value of JSON."""

    def __init__(self, found: Answer, names: Names) -> None:
        self._found = found
        self._text = (names.mention,) if names.mention else TEXT_NAMES
        self._label = (names.label,) if names.label else LABEL_NAMES
        self._usual = names == Names()

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
            self._add(value, label)
        elif isinstance(value, list) and len(value) == 2 and all(isinstance(each, str) for each in value):
            self._add(value[0], value[1])
        else:
            self._found.bad += 1

    def _object(self, given: dict[str, Any], label: str | None, depth: int) -> None:
        """Take over an item; or the lists of an object that holds some; or the texts of each label."""
        text, name = given.get("text"), given.get("label")
        if self._usual and len(given) == 2 and type(text) is str and type(name) is str:
            self._add(text, name)
            return
        lowered = {key.lower(): value for key, value in given.items()} | given
        called = next((each for each in self._text if each in lowered and not _holds(lowered[each])), None)
        if called is not None:
            self._item(lowered, called, label)
            return
        lists = [each for each in LIST_NAMES if _holds(lowered.get(each))]
        for each in lists:
            self.gather(lowered[each], label, depth + 1)
        for each, value in given.items() if not lists else ():
            if isinstance(value, list | str):
                self.gather(value or [], each, depth + 1)
            elif value is not None:
                self._found.bad += 1

    def _item(self, given: Mapping[str, Any], called: str, label: str | None) -> None:
        name = next((each for each in self._label if each in given and each != called), None)
        if name is not None and isinstance(given[name], str):
            label = given[name]
        self._found.offsets += any(each in given for each in OFFSET_NAMES)
        own = {called.lower(), (name or "").lower()}
        said = dict(said_of({key: value for key, value in given.items() if key.lower() not in own}))
        number = given.get(OCCURRENCE)
        self._add(given[called], label, said, number if type(number) is int and 0 < number < 1 << 62 else 0)

    def _add(self, text: Any, label: Any, said: Mapping[str, Any] | None = None, occurrence: int = 0) -> None:
        if item := item_of(text, label, said or {}, occurrence):
            self._found.items.append(item)
        else:
            self._found.bad += 1


def item_of(text: Any, label: Any, said: Mapping[str, Any], occurrence: int = 0, begin: int = -1) -> Item | None:
    """Make an item; None where it has no text, no label, or what no text file can hold."""
    if not (isinstance(text, str) and isinstance(label, str)):
        return None
    text, label = text.strip(), label.strip()
    if not (text and label) or unwritable(text) or unwritable(label):
        return None
    return Item(text, label, said, occurrence, begin)


def _holds(value: Any) -> bool:
    return isinstance(value, dict | list)


def said_of(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Give what else an item says: ids, confidence, probability, and single values under their own names."""
    seen: set[str] = set()
    for name, value in given.items():
        key = name.lower()
        if key in seen or key in OFFSET_NAMES or key == OCCURRENCE:
            continue
        seen.add(key)
        if key in ID_NAMES:  # a whole number counts the items of an answer, and names no entity
            ids = [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str) and each]
            if ids and (found := joined(ids)) and not unwritable(found):
                yield "id", found
        elif type(value) in {int, float} and key in {"confidence", "probability", "score"}:
            yield "probability", float(value)
        elif type(value) in {int, float, bool} or (type(value) is str and value and not unwritable(value)):
            yield key, value
