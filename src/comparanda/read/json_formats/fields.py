"""Objects of JSON with checked fields, each with the way to it; and the fields that a file shows in its first lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from comparanda.places import Source, refuse
from comparanda.read.standoff import FARTHEST
from comparanda.read.values import unwritable

if TYPE_CHECKING:
    from comparanda.errors import ReadError

Plain = str | int | float | bool

UNLABELLED = "ENTITY"
"""The label of spans that have none."""

_TYPES = {dict: "an object", list: "an array", str: "a text", int: "an integer", float: "a number", bool: "a truth"}
_MOST_TOKENS, _DEEPEST = 4000, 50
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|"', re.DOTALL)


class Fields:
    """An object of JSON; what is asked of it is checked, and refused with the way to it: `annotations[0].result[2]`.

    Args:
        source: the bytes it was read from.
        place: the byte at which it, or the whole that it is part of, begins there.
        given: the object as a dictionary.
        parent: the object that holds it; None for a whole.
        step: how it stands in its parent: `value`, `result[2]`.

    """

    __slots__ = ("given", "parent", "place", "source", "step")

    def __init__(
        self, source: Source, place: int, given: Mapping[str, Any], parent: Fields | None = None, step: str = ""
    ) -> None:
        self.source = source
        self.place = place
        self.given = given
        self.parent = parent
        self.step = step

    def path(self, name: str = "") -> str:
        """Return the way to a field from the whole; without a name the way to this object."""
        steps = [name] if name else []
        here: Fields | None = self
        while here is not None and here.step:
            steps.append(here.step)
            here = here.parent
        return ".".join(reversed(steps))

    def refuse(self, what: str, *, details: Iterable[str] = (), hint: str | None = None) -> ReadError:
        """Make an error at this place."""
        return refuse(self.source, self.place, what, details=details, hint=hint)

    def bad(self, name: str, wanted: str, hint: str | None = None) -> ReadError:
        """Make the error for a field that is missing, or not what it should be."""
        value = self.given.get(name)
        if value is None:
            return self.refuse(f"there is no {self.path(name)!r}, which should be {wanted}", hint=hint)
        found = kind(value) if isinstance(value, dict | list | str) else repr(value)
        return self.refuse(f"{self.path(name)!r} is {found}, not {wanted}", hint=hint)

    def text(self, name: str, hint: str | None = None) -> str:
        """Return a text that must be there."""
        value = self.given.get(name)
        if type(value) is not str:
            raise self.bad(name, "a text", hint)
        if problem := unwritable(value):
            raise self.refuse(f"{problem[0]} in {self.path(name)!r}", hint=problem[1])
        return value

    def integer(self, name: str, hint: str | None = None) -> int:
        """Return an integer that must be there."""
        value = self.given.get(name)
        if type(value) is not int:
            raise self.bad(name, "an integer", hint)
        if abs(value) > FARTHEST:
            raise self.refuse(f"{self.path(name)!r} is {value}, and no text is that long", hint=hint)
        return value

    def inner(self, name: str, hint: str | None = None) -> Fields:
        """Return an object that must be there."""
        value = self.given.get(name)
        if type(value) is not dict:
            raise self.bad(name, "an object", hint)
        return Fields(self.source, self.place, value, self, name)

    def items(self, name: str, hint: str | None = None) -> list[Any]:
        """Return an array; an empty one if it is not there."""
        value = self.given.get(name)
        if value is None:
            return []
        if type(value) is not list:
            raise self.bad(name, "an array", hint)
        return value

    def objects(self, name: str, hint: str | None = None) -> Iterator[Fields]:
        """Give the objects of an array; none if it is not there."""
        for number, each in enumerate(self.items(name, hint)):
            step = f"{name}[{number}]"
            if type(each) is not dict:
                raise self.refuse(f"{self.path(step)!r} is {kind(each)}, not an object", hint=hint)
            yield Fields(self.source, self.place, each, self, step)

    def name(self, field: str) -> str | None:
        """Return what a field names something by, a text or an integer; None where it is not there."""
        value = self.given.get(field)
        if value is None or value == "":
            return None
        if type(value) is int:
            return str(value)
        return self.text(field, "a name is a text or an integer")

    def plain(self, own: frozenset[str]) -> Iterator[tuple[str, Plain]]:
        """Give the other fields that hold single values, which columns and attributes are made of."""
        for name, value in self.given.items():
            if name not in own and is_plain(value):
                yield name, value

    def attributes(self, own: frozenset[str]) -> dict[str, str]:
        """Return the other fields that hold single values as texts."""
        found = {name: str(value) for name, value in self.plain(own)}
        for name, value in found.items():
            if problem := unwritable(value):
                raise self.refuse(f"{problem[0]} in {self.path(name)!r}", hint=problem[1])
        return found


def is_plain(value: Any) -> bool:
    """Whether a value of JSON is a single one that says something.

    >>> [is_plain(value) for value in ("x", 0, False, "", None, [1])]
    [True, True, True, False, False, False]
    """
    return value != "" and isinstance(value, str | int | float)


def kind(value: Any) -> str:
    """Return what to call the type of a value of JSON.

    >>> kind([1]), kind(None), kind("x")
    ('an array', 'null', 'a text')
    """
    return _TYPES.get(type(value), "null")


def key_paths(lines: list[str]) -> set[str]:
    """Return the ways to the fields in the first lines of a file, as far as these go; elements of arrays are `[]`.

    It may be cut off anywhere, and no more than a few thousand fields are looked at.

    >>> sorted(key_paths(['{"text": "Anna", "spans": [{"start": 0, "la']))
    ['spans', 'spans[].start', 'text']
    """
    found: set[str] = set()
    ways = [""]  # to the value that is open, inside of each open bracket
    bases = [""]
    text = ""
    for number, token in enumerate(_TOKEN.finditer("\n".join(lines))):
        given = token[0]
        if number > _MOST_TOKENS or len(ways) > _DEEPEST or given == '"':  # a text that is cut off
            break
        if given in "{[":
            bases.append(ways[-1])
            ways.append(ways[-1] + "[]" if given == "[" else ways[-1])
        elif given in "}]":
            bases, ways = bases[:-1] or [""], ways[:-1] or [""]
        elif given == ":":
            ways[-1] = f"{bases[-1]}.{text[1:-1]}".removeprefix(".")
            found.add(ways[-1])
        elif given != ",":
            text = given
    return found
