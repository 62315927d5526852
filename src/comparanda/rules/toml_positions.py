"""Positions of keys and values in a TOML file, which `tomllib` does not provide, and errors that point at them."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, Final, NamedTuple, NoReturn, TypeGuard

from comparanda.errors import RuleError, suggest_nearest
from comparanda.expressions import Place
from comparanda.expressions.syntax import excerpt_line, quote_for_message

Keys = tuple[str | int, ...]
"""The path of keys and indices to a value: `("rules", 0, "set", "s", "result")`."""

DEEPEST: Final = 20

_TOO_DEEP = f"keys, tables and lists can be nested at most {DEEPEST} levels deep"
_BLANK_LINES = re.compile(r"(?:[ \t\n]|#[^\n]*)*+")
_SPACE = re.compile(r"[ \t]*+")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]++")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}'
    r"|'''(?:[^']|'(?!''))*+'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'[^'\n]*+'",
    re.DOTALL,
)
_OPENING_QUOTES = re.compile(r'"""\n?(?:\\[ \t]*\n[ \t\n]*)*|' + r"'''\n?|[\"']")
_OTHER_VALUE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9][^,\]}\s#]*+|[^,\[\]{}\s#]++")
_ERROR_POSITION = re.compile(r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")


class Spot(NamedTuple):
    """The places of a key and its value, and the start of the characters of a string."""

    key: Place
    value: Place
    content: int


class _LostError(Exception):
    """The text is not TOML from here on; `tomllib` will report the reason."""


class _DepthError(Exception):
    """Tables or lists are nested more than `DEEPEST` deep; holds the offset of the first such place."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


def find_positions(text: str) -> dict[Keys, Spot]:
    r"""Return the places of all keys and values of a TOML text; if it is invalid, those before the error.

    >>> found = find_positions('[[rules]]\nset = { s.result = "TP" }')
    >>> found["rules", 0, "set", "s", "result"]
    Spot(key=Place(start=18, end=26), value=Place(start=29, end=33), content=30)
    """
    scanner = _Scanner(text)
    with suppress(_LostError):
        scanner.document()
    return scanner.spots


class _Scanner:
    """A single-pass scanner, which accepts a superset of TOML."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.spots: dict[Keys, Spot] = {}
        self.counts: dict[Keys, int] = {}

    def document(self) -> None:
        table: Keys = ()
        self.skip(_BLANK_LINES)
        while self.position < len(self.text):
            if self.is_next("["):
                table = self.header()
            else:
                self.pair(table)
            self.skip(_BLANK_LINES)

    def header(self) -> Keys:
        """Read `[table]` or `[[tables]]`; return the path of what follows."""
        opening, closing = ("[[", "]]") if self.is_next("[[") else ("[", "]")
        self.take(opening)
        parts, place = self.key()
        self.take(closing)
        path: Keys = ()
        for part in parts[:-1]:
            path = self.last_of((*path, part))
            self.spots.setdefault(path, Spot(place, place, place.start))
        path = (*path, parts[-1])
        self.spots.setdefault(path, Spot(place, place, place.start))
        if opening == "[[":
            self.counts[path] = self.counts.get(path, 0) + 1
            path = self.last_of(path)
            self.spots[path] = Spot(place, place, place.start)
        return path

    def last_of(self, path: Keys) -> Keys:
        """Return the path or, for an array of tables, the path of its last table so far."""
        return (*path, self.counts[path] - 1) if path in self.counts else path

    def pair(self, table: Keys) -> None:
        parts, place = self.key()
        self.take("=")
        self.skip(_SPACE)
        path = table
        for part in parts:
            path = (*path, part)
            self.spots.setdefault(path, Spot(place, place, place.start))
        value, content = self.value(path)
        self.spots[path] = Spot(place, value, content)

    def key(self) -> tuple[list[str], Place]:
        """Read a key with its dots."""
        self.skip(_SPACE)
        start, parts = self.position, [self.part()]
        end = self.position
        self.skip(_SPACE)
        while self.is_next("."):
            if len(parts) == DEEPEST:
                raise _DepthError(self.position)
            self.take(".")
            self.skip(_SPACE)
            parts.append(self.part())
            end = self.position
            self.skip(_SPACE)
        return parts, Place(start, end)

    def part(self) -> str:
        if found := _BARE_KEY.match(self.text, self.position):
            self.position = found.end()
            return found[0]
        try:
            return str(tomllib.loads(f"key = {self.match(_STRING)}")["key"])
        except tomllib.TOMLDecodeError:
            raise _LostError from None

    def value(self, path: Keys) -> tuple[Place, int]:
        """Read a value; return its place, and where its content begins."""
        if len(path) > DEEPEST:
            raise _DepthError(self.position)
        start = content = self.position
        if self.is_next('"') or self.is_next("'"):
            self.match(_STRING)
            opening = _OPENING_QUOTES.match(self.text, start)
            content = min(opening.end(), self.position) if opening else start
        elif self.is_next("["):
            self.array(path)
        elif self.is_next("{"):
            self.table(path)
        else:
            self.match(_OTHER_VALUE)
        return Place(start, self.position), content

    def array(self, path: Keys) -> None:
        self.take("[")
        self.skip(_BLANK_LINES)
        count = 0
        while not self.is_next("]"):
            place, content = self.value((*path, count))
            self.spots[*path, count] = Spot(place, place, content)
            count += 1
            self.skip(_BLANK_LINES)
            if not self.is_next("]"):
                self.take(",")
                self.skip(_BLANK_LINES)
        self.take("]")

    def table(self, path: Keys) -> None:
        self.take("{")
        self.skip(_BLANK_LINES)
        while not self.is_next("}"):
            self.pair(path)
            self.skip(_BLANK_LINES)
            if not self.is_next("}"):
                self.take(",")
                self.skip(_BLANK_LINES)
        self.take("}")

    def is_next(self, piece: str) -> bool:
        return self.text.startswith(piece, self.position)

    def take(self, piece: str) -> None:
        if not self.is_next(piece):
            raise _LostError
        self.position += len(piece)

    def skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self.text, self.position)
        self.position = found.end() if found else self.position

    def match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.position)
        if not found:
            raise _LostError
        self.position = found.end()
        return found[0]


class Source:
    """The text of a rule file with its data, and errors that point into it."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text.removeprefix("\ufeff").replace("\r\n", "\n")
        self.file = file
        self.spots = self._scan_spots()
        self.data = self._parse_data()

    def line(self, path: Keys) -> int:
        r"""Return the line, from 1, in which a value begins; for a string, its first character.

        >>> Source("[[rules]]\nwhen = '''\ntrue'''", "a.toml").line(("rules", 0, "when"))
        3
        """
        spot = self.spot(path)
        return self._line(spot.content) if spot else 1

    def spot(self, path: Keys) -> Spot | None:
        """Return the place of a path, or of its nearest parent that exists."""
        while path and path not in self.spots:
            path = path[:-1]
        return self.spots.get(path)

    def error(self, what: str, path: Keys = (), *, value: bool = False, hint: str | None = None) -> RuleError:
        """Make an error that points at a key or its value, or names the file if neither is found."""
        spot = self.spot(path)
        if spot is None:
            return RuleError(what, where=self.file, hint=hint)
        return self._error_at(what, spot.value if value else spot.key, hint)

    def _error_at(self, what: str, place: Place, hint: str | None = None) -> RuleError:
        where = f"{self.file}:{self._line(place.start)}"
        return RuleError(what, where=where, details=excerpt_line(self.text, place), hint=hint)

    def _line(self, offset: int) -> int:
        return bisect_right(self._line_starts, offset)

    def _scan_spots(self) -> dict[Keys, Spot]:
        try:
            return find_positions(self.text)
        except _DepthError as problem:
            raise self._error_at(_TOO_DEEP, Place(problem.offset, problem.offset + 1)) from None

    def _parse_data(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as problem:
            raise self._toml_error(str(problem)) from None
        except ValueError:
            raise self.error("invalid TOML: a number has too many digits") from None
        except RecursionError:  # after an error at which the places end
            raise self.error(_TOO_DEEP) from None

    def _toml_error(self, message: str) -> RuleError:
        what = f"invalid TOML: {_ERROR_POSITION.sub('', message)}"
        found = _ERROR_POSITION.search(message)
        start = len(self.text.rstrip())
        if found and found["line"]:
            start = self._line_starts[int(found["line"]) - 1] + int(found["column"]) - 1
        return self._error_at(what, Place(start, start + 1))

    @cached_property
    def _line_starts(self) -> list[int]:
        """The offset of the beginning of each line."""
        return [0, *(found.end() for found in re.finditer("\n", self.text))]


@dataclass(frozen=True, slots=True)
class Section:
    """A table of a rule file with typed access to its keys; wrong types are errors that point at the value.

    Args:
        source: the file.
        path: the path of the table in it.
        title: its name in errors.
        values: its content.

    """

    source: Source = field(compare=False, repr=False)
    path: Keys
    title: str
    values: Mapping[str, Any]

    def only(self, known: Sequence[str]) -> None:
        """Refuse unknown keys."""
        for key in self.values:
            if key not in known:
                what = f"unknown key {quote_for_message(key)} in {self.title}{suggest_known(key, known)}"
                raise self.error(what, key, hint=f"known: {', '.join(known)}")

    def needs(self, *keys: str) -> None:
        """Require some keys."""
        for key in keys:
            if key not in self.values:
                hint = f"required: {', '.join(keys)}"
                raise self.error(f"{self.title} has no '{key}'", "name", value=True, hint=hint)

    def text(self, key: str, default: str = "") -> str:
        """Return a string."""
        value = self.values.get(key, default)
        return value if isinstance(value, str) else self.refuse(key, "a string")

    def optional(self, key: str) -> str | None:
        """Return a string, or None if there is none."""
        return self.text(key) if key in self.values else None

    def truth(self, key: str) -> bool:
        """Return a boolean."""
        value = self.values.get(key, False)
        return value if isinstance(value, bool) else self.refuse(key, "true or false")

    def number(self, key: str) -> float:
        """Return a number; 0 if there is none."""
        value = self.values.get(key, 0)
        return value if _is_number(value) else self.refuse(key, "a number")

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings."""
        values = self.values.get(key, [])
        if not isinstance(values, list):
            self.refuse(key, "a list of strings")
        for place, value in enumerate(values):
            if not isinstance(value, str):
                what = f"'{key}' of {self.title}: expected a list of strings, got {_describe_type(value)} in it"
                raise self.error(what, key, place, value=True)
        return tuple(values)

    def table(self, key: str, title: str | None = None) -> Section:
        """Return the table below a key."""
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            self.refuse(key, "a table")
        return Section(self.source, (*self.path, key), title or f"'{key}' of {self.title}", value)

    def tables(self, key: str) -> list[Section]:
        """Return an array of tables, each titled by its name or its number."""
        values = self.values.get(key, [])
        if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
            raise self.error(f"'{key}': expected a list of tables", key, hint=f"begin each with [[{key}]]")
        found = []
        for place, value in enumerate(values):
            name = value.get("name")
            title = quote_for_message(name) if isinstance(name, str) else str(place + 1)
            found.append(Section(self.source, (*self.path, key, place), f"{key.removesuffix('s')} {title}", value))
        return found

    def error(self, what: str, *keys: str | int, value: bool = False, hint: str | None = None) -> RuleError:
        """Make an error that points at a key of this table, or at its value."""
        return self.source.error(what, (*self.path, *keys), value=value, hint=hint)

    def refuse(self, key: str, wanted: str) -> NoReturn:
        """Raise the error for a value of the wrong type."""
        what = f"'{key}' of {self.title}: expected {wanted}, got {_describe_type(self.values[key])}"
        raise self.error(what, key, value=True)


def suggest_known(word: str, known: Iterable[str]) -> str:
    """Suggest the nearest known name, as `suggest_nearest` does, from at most the first 1,000 names, to bound the time.

    >>> suggest_known("mach", ["match", "rest"])
    " (did you mean 'match'?)"
    """
    return suggest_nearest(word[:100], islice(known, 1000))


def _is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a usable number: finite, and within 64 bits."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**63


def _describe_type(value: object) -> str:
    match value:
        case str():
            return "a string"
        case bool():
            return "true or false"
        case int() | float():
            return "a number" if _is_number(value) else str(value)[:20]
        case list():
            return "a list"
        case dict():
            return "a table"
        case _:
            return "a date"
