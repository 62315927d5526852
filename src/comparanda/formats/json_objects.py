"""Reading and writing JSON: objects with their byte offsets, checked access to fields, and parts of JSON writers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from comparanda.core.ids import BAR
from comparanda.core.places import Source, make_read_error
from comparanda.errors import ReadError
from comparanda.formats.document_writer import GAPS, Losses, Mention, Passage
from comparanda.formats.field_values import find_unwritable
from comparanda.formats.json_keys import check_all_keys, check_keys, check_outer_keys
from comparanda.formats.standoff import FARTHEST

if TYPE_CHECKING:
    from numpy.typing import NDArray


OBJECT = msgspec.json.Decoder(dict[str, Any])
"""Decoder of one object to a dictionary."""

_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])
_LINE_HINT = "JSONL needs one complete object per line"


class JsonObjects:
    """The objects of a source, as bytes, each with its byte offset: one per line, or one array of objects.

    An object that has a key twice is refused. In answers of language models, that is left to what reads the answers:
    only the keys of the outermost objects are compared.
    """

    def __init__(self, source: Source, *, answers: bool = False) -> None:
        self.source = source
        self.answers = answers
        self.pieces, self.offset = _split_objects(source)
        if not self.pieces:
            raise ReadError("there are no objects in this file", where=source.parts[0].name)

    def __len__(self) -> int:
        return len(self.pieces)

    def first(self) -> dict[str, Any]:
        """Return the first object."""
        found: dict[str, Any] = self._decode(0, OBJECT)
        return found

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for number, piece in enumerate(self.pieces):
            found = self._decode(number, OBJECT)
            if self.answers:
                check_outer_keys(self.source, int(self.offset[number]), piece)
            else:
                check_keys(self.source, int(self.offset[number]), piece, found)
            yield found

    def decoded(self, decoder: msgspec.json.Decoder[Any]) -> list[Any]:
        """Decode all objects."""
        rows: list[Any] = []
        decode, keep = decoder.decode, rows.append
        try:
            for piece in self.pieces:
                keep(decode(piece))
        except (msgspec.DecodeError, RecursionError) as problem:
            raise self._error(len(rows), problem) from None
        check_all_keys(self.source, self.offset.tolist(), self.pieces, rows if decoder.type is Any else None)
        return rows

    def _decode(self, number: int, decoder: msgspec.json.Decoder[Any]) -> Any:
        try:
            return decoder.decode(self.pieces[number])
        except (msgspec.DecodeError, RecursionError) as problem:
            raise self._error(number, problem) from None

    def _error(self, number: int, problem: Exception) -> ReadError:
        return make_read_error(
            self.source, int(self.offset[number]), _describe_error(problem, "object"), hint=_LINE_HINT
        )


def _split_objects(source: Source) -> tuple[list[bytes], NDArray[np.int64]]:
    """Split a source into the bytes of its objects, each with its byte offset."""
    pieces: list[bytes] = []
    offsets: list[NDArray[np.int64]] = []
    stops = [*(part.begin for part in source.parts[1:]), source.size]
    for part, stop in zip(source.parts, stops, strict=True):
        data = bytes(source.data[part.begin : stop])
        found, begins = _split_array(source, data, part.begin) if data.lstrip()[:1] == b"[" else _split_lines(data)
        pieces += found
        offsets.append(begins + part.begin)
    return pieces, np.concatenate(offsets)


def _split_lines(data: bytes) -> tuple[list[bytes], NDArray[np.int64]]:
    lines = data.split(b"\n")
    sizes = np.fromiter(map(len, lines), dtype=np.int64, count=len(lines)) + 1
    begins = np.cumsum(sizes) - sizes
    filled = np.array([not (line == b"" or line.isspace()) for line in lines], dtype=np.bool_)
    return [line for line, kept in zip(lines, filled.tolist(), strict=True) if kept], begins[filled]


def _split_array(source: Source, data: bytes, begin: int) -> tuple[list[bytes], NDArray[np.int64]]:
    """Split an array into its elements; each is searched for after the previous one, so that its offset is right."""
    try:
        pieces = [bytes(raw) for raw in _ARRAY.decode(data)]
    except (msgspec.DecodeError, RecursionError) as problem:
        byte = re.search(r"\(byte (\d+)\)", str(problem))
        offset = min(int(byte[1]), len(data) - 1) if byte else len(data.rstrip()) - 1
        hint = f"{_LINE_HINT}; a whole file may also be one array of objects"
        raise make_read_error(source, begin + offset, _describe_error(problem, "array"), hint=hint) from None
    begins, end = [], 0
    for piece in pieces:
        begins.append(data.index(piece, end))
        end = begins[-1] + len(piece)
    return pieces, np.array(begins, dtype=np.int64)


def _describe_error(problem: Exception, expected: str) -> str:
    text = str(problem)
    if isinstance(problem, RecursionError):
        return "the JSON is nested too deeply"
    if "truncated" in text:
        return f"the JSON {expected} is cut off"
    if got := re.match(r"Expected `\w+`, got `(\w+)`$", text):
        return f"not a JSON {expected}, but of type {got[1]}"
    return f"not JSON: {text.removeprefix('JSON is malformed: ')}"


def looks_like_json(lines: list[str]) -> bool:
    """Whether the first lines look like JSON: the first character opens an object or an array of them."""
    text = "\n".join(lines).lstrip()
    return text.startswith("{") or re.match(r"\[\s*(\{|$)", text) is not None


# Checked access to the fields of JSON objects, with their paths; and the field paths in the first lines of a file.


Plain = str | int | float | bool

UNLABELLED = "ENTITY"
"""The label of spans that have none."""

_TYPE_NAMES = {
    dict: "an object",
    list: "an array",
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "a boolean",
}
_MAX_DEPTH = 50
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|"', re.DOTALL)


class Fields:
    """A JSON object with checked access to its fields; errors name the path of a field: `annotations[0].result[2]`.

    Args:
        source: the source it was read from.
        place: the byte offset of the object or of its top-level object.
        given: the object as a dictionary.
        parent: the enclosing object; None for a top-level object.
        step: the path from its parent: `value`, `result[2]`.

    """

    __slots__ = ("given", "parent", "place", "source", "step")

    def __init__(
        self, source: Source, place: int, given: Mapping[str, Any], *, parent: Fields | None = None, step: str = ""
    ) -> None:
        self.source = source
        self.place = place
        self.given = given
        self.parent = parent
        self.step = step

    def path(self, name: str = "") -> str:
        """Return the path to a field from the top-level object; without a name, the path to this object."""
        steps = [name] if name else []
        here: Fields | None = self
        while here is not None and here.step:
            steps.append(here.step)
            here = here.parent
        return ".".join(reversed(steps))

    def refuse(self, what: str, *, details: Iterable[str] = (), hint: str | None = None) -> ReadError:
        """Make an error at this place."""
        return make_read_error(self.source, self.place, what, details=details, hint=hint)

    def bad(self, name: str, wanted: str, hint: str | None = None) -> ReadError:
        """Make the error for a field that is missing or of the wrong type."""
        value = self.given.get(name)
        if value is None:
            return self.refuse(f"missing {self.path(name)!r}, expected {wanted}", hint=hint)
        found = name_kind(value) if isinstance(value, dict | list | str) else repr(value)
        return self.refuse(f"{self.path(name)!r} is {found}, not {wanted}", hint=hint)

    def text(self, name: str, hint: str | None = None) -> str:
        """Return a required string."""
        value = self.given.get(name)
        if type(value) is not str:
            raise self.bad(name, "a string", hint)
        if problem := find_unwritable(value):
            raise self.refuse(f"{problem[0]} in {self.path(name)!r}", hint=problem[1])
        return value

    def integer(self, name: str, hint: str | None = None) -> int:
        """Return a required integer."""
        value = self.given.get(name)
        if type(value) is not int:
            raise self.bad(name, "an integer", hint)
        if abs(value) > FARTHEST:
            raise self.refuse(f"{self.path(name)!r} is {value}, which is too large for an offset", hint=hint)
        return value

    def inner(self, name: str, hint: str | None = None) -> Fields:
        """Return a required object."""
        value = self.given.get(name)
        if type(value) is not dict:
            raise self.bad(name, "an object", hint)
        return Fields(source=self.source, place=self.place, given=value, parent=self, step=name)

    def items(self, name: str, hint: str | None = None) -> list[Any]:
        """Return an array; an empty one if it is missing."""
        value = self.given.get(name)
        if value is None:
            return []
        if type(value) is not list:
            raise self.bad(name, "an array", hint)
        return value

    def objects(self, name: str, hint: str | None = None) -> Iterator[Fields]:
        """Yield the objects of an array; none if it is missing."""
        for number, each in enumerate(self.items(name, hint)):
            step = f"{name}[{number}]"
            if type(each) is not dict:
                raise self.refuse(f"{self.path(step)!r} is {name_kind(each)}, not an object", hint=hint)
            yield Fields(source=self.source, place=self.place, given=each, parent=self, step=step)

    def name(self, field: str) -> str | None:
        """Return the name in a field, a string or an integer; None if it is missing."""
        value = self.given.get(field)
        if value is None or value == "":
            return None
        if type(value) is int:
            return str(value)
        return self.text(field, "use a string or an integer as the name")

    def plain(self, own: frozenset[str]) -> Iterator[tuple[str, Plain]]:
        """Yield the other fields with scalar values, which become columns or attributes."""
        for name, value in self.given.items():
            if name not in own and is_plain(value):
                yield name, value

    def attributes(self, own: frozenset[str]) -> dict[str, str]:
        """Return the other fields with scalar values, as strings."""
        found = {name: str(value) for name, value in self.plain(own)}
        for name, value in found.items():
            if problem := find_unwritable(value):
                raise self.refuse(f"{problem[0]} in {self.path(name)!r}", hint=problem[1])
        return found


def is_plain(value: Any) -> bool:
    """Whether a JSON value is a scalar, but neither null nor the empty string.

    >>> [is_plain(value) for value in ("x", 0, False, "", None, [1])]
    [True, True, True, False, False, False]
    """
    return value != "" and isinstance(value, str | int | float)


def name_kind(value: Any) -> str:
    """Return the name of the type of a JSON value, for messages.

    >>> name_kind([1]), name_kind(None), name_kind("x")
    ('an array', 'null', 'a string')
    """
    return _TYPE_NAMES.get(type(value), "null")


def key_paths(lines: list[str]) -> Set[str]:
    """Return the paths of the fields in the first lines of a file; elements of arrays are `[]`.

    The lines may be truncated anywhere.

    >>> sorted(key_paths(['{"text": "Anna", "spans": [{"start": 0, "la']))
    ['spans', 'spans[].start', 'text']
    """
    return _find_paths("\n".join(lines))


def record_paths(lines: list[str]) -> Set[str]:
    """Return the paths of the fields of records, which may be one per line or in one array.

    >>> sorted(record_paths(['[{"text": "Anna"},', '{"spans": []}]']))
    ['spans', 'text']
    """
    return {path.removeprefix("[].") for path in key_paths(lines)}


@lru_cache(maxsize=2)  # each format that may fit asks for those of the same lines
def _find_paths(text: str) -> Set[str]:
    found: set[str] = set()
    rest = text
    while rest:  # an object per line, decoded as long as that works
        line, _, following = rest.partition("\n")
        try:
            _collect_paths(_ANY.decode(line) if line.strip() else None, "", found)
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            break
        rest = following
    _scan_paths(rest, found)
    return found


def _collect_paths(value: Any, base: str, found: set[str], depth: int = 0) -> None:
    """Add the paths of all fields of a decoded value."""
    if depth > _MAX_DEPTH:
        return
    if type(value) is dict:
        for name, inner in value.items():
            path = f"{base}.{name}" if base else name
            found.add(path)
            if type(inner) is dict or type(inner) is list:
                _collect_paths(inner, path, found, depth + 1)
    elif type(value) is list:
        for inner in value:
            if type(inner) is dict or type(inner) is list:
                _collect_paths(inner, f"{base}[]", found, depth + 1)


def _scan_paths(text: str, found: set[str]) -> None:
    """Add the paths of all fields of JSON that may be truncated, or have several lines."""
    paths = [""]  # of the current value, for each open bracket
    bases = [""]
    name = ""
    for token in _TOKEN.finditer(text):
        given = token[0]
        if len(paths) > _MAX_DEPTH or given == '"':  # a truncated string
            break
        if given in "{[":
            bases.append(paths[-1])
            paths.append(paths[-1] + "[]" if given == "[" else paths[-1])
        elif given in "}]":
            bases, paths = bases[:-1] or [""], paths[:-1] or [""]
        elif given == ":":
            paths[-1] = f"{bases[-1]}.{name[1:-1]}".removeprefix(".")
            found.add(paths[-1])
        elif given != ",":
            name = given


# JSON in any layout: an array of objects, an object per line, a single object, or a wrapper with an array of objects.
#
# Each object comes with its byte offset. Nothing is decoded twice, and the depth of nesting is limited.


_RAW = msgspec.json.Decoder(msgspec.Raw)
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_NODE = msgspec.json.Decoder(dict[str, Any])
_ANY = msgspec.json.Decoder()
_CONTEXT = "@context"


class Node(NamedTuple):
    """An object: its fields, and the `@context` of its top-level object; None if there is none."""

    fields: Fields
    context: Any


def read_nodes(source: Source, holders: tuple[str, ...] = (), *, answers: bool = False) -> Iterator[Node]:
    """Yield the objects of a source in order.

    Args:
        source: the bytes.
        holders: fields in which a wrapper object holds the array of objects, directly or in one further object.
        answers: whether the objects hold answers of language models, whose own keys may occur twice.

    """
    stops = [*(part.begin for part in source.parts[1:]), source.size]
    for part, stop in zip(source.parts, stops, strict=True):
        yield from _NodeReader(source, holders, answers=answers).read_file(
            bytes(source.data[part.begin : stop]), part.begin
        )


class _NodeReader:
    """Splits a file into nodes; each is searched for after the previous one, so that its offset is right."""

    def __init__(self, source: Source, holders: tuple[str, ...], *, answers: bool) -> None:
        self.source = source
        self.holders = holders
        self.answers = answers

    def read_file(self, data: bytes, begin: int) -> Iterator[Node]:
        first, _, rest = data.lstrip().partition(b"\n")
        if first[:1] == b"{" and rest.strip() and _is_json(first):  # an object per line
            for line in data.split(b"\n"):
                yield from self._read_value(line, begin)
                begin += len(line) + 1
            return
        yield from self._read_value(data, begin)

    def _read_value(self, data: bytes, begin: int) -> Iterator[Node]:
        """Yield the nodes of an array, those that an object holds, or the object itself."""
        begin += len(data) - len(data.lstrip())
        data = data.strip()
        if not data:
            return
        if data[:1] == b"[":
            yield from self._read_elements(self._decode(_ARRAY, data, begin), data, begin, None)
            return
        fields = self._decode(_OBJECT, data, begin)
        check_outer_keys(self.source, begin, data, fields)
        context = None
        if _CONTEXT in fields:
            context = self._decode(_ANY, fields[_CONTEXT], begin)
            check_keys(self.source, begin, bytes(fields[_CONTEXT]), context)
        if (held := self._find_held_array(fields, begin)) is None:
            node = self._decode(_NODE, data, begin)
            self._check_node(node, data, begin)
            yield Node(Fields(self.source, begin, node), context)
            return
        yield from self._read_elements(self._decode(_ARRAY, held, begin), held, begin + data.index(held), context)

    def _check_node(self, node: Any, data: bytes, begin: int) -> None:
        """Refuse keys that occur twice; those of answers are left to what reads the answers."""
        if self.answers:
            check_outer_keys(self.source, begin, data)
        else:
            check_keys(self.source, begin, data, node)

    def _find_held_array(self, fields: dict[str, msgspec.Raw], begin: int) -> bytes | None:
        """Return the array of objects in a wrapper, directly or in one further object; None if there is none."""
        for _ in range(2):
            values = [bytes(fields[name]) for name in self.holders if name in fields]
            if arrays := [value for value in values if value[:1] == b"["]:
                return arrays[0]
            inner = next((value for value in values if value[:1] == b"{"), b"{}")
            fields = self._decode(_OBJECT, inner, begin)
            check_outer_keys(self.source, begin, inner, fields)
        return None

    def _read_elements(self, pieces: list[msgspec.Raw], data: bytes, begin: int, context: Any) -> Iterator[Node]:
        end = 0
        for piece in pieces:
            raw = bytes(piece)
            place = data.index(raw, end)
            end = place + len(raw)
            node = self._decode(_NODE, raw, begin + place)
            self._check_node(node, raw, begin + place)
            yield Node(Fields(self.source, begin + place, node), node.get(_CONTEXT, context))

    def _decode(self, decoder: msgspec.json.Decoder[Any], data: bytes, begin: int) -> Any:
        try:
            return decoder.decode(data)
        except RecursionError:
            raise make_read_error(self.source, begin, "the JSON is nested too deeply") from None
        except msgspec.DecodeError as problem:
            raise self._error(str(problem), data, begin) from None

    def _error(self, problem: str, data: bytes, begin: int) -> ReadError:
        if "truncated" in problem:
            return make_read_error(self.source, begin, "the JSON is cut off")
        if got := re.match(r"Expected `(\w+)`, got `(\w+)`", problem):
            try:
                found = name_kind(_ANY.decode(data)) if got[2] != "null" else "null"
            except (msgspec.DecodeError, RecursionError):  # what follows is not JSON either
                found = f"something of type {got[2]}"
            return make_read_error(self.source, begin, f"expected an object, got {found}", hint="give objects: {…}")
        byte = re.search(r" \(byte (\d+)\)", problem)
        place = begin + min(int(byte[1]), len(data) - 1) if byte else begin
        what = problem.removeprefix("JSON is malformed: ").replace(byte[0] if byte else "\0", "")
        return make_read_error(self.source, place, f"not JSON: {what}")


def _is_json(line: bytes) -> bool:
    try:
        _RAW.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


# Shared by writers of JSON lines: lines, attributes of documents, and columns of spans.


def json_lines(
    documents: Iterable[Passage], to_record: Callable[[Passage], dict[str, Any]]
) -> Iterator[tuple[str, str]]:
    """Yield the one output file, with an object per document and line."""
    encode = msgspec.json.Encoder().encode
    yield "", "".join(f"{encode(to_record(each)).decode()}\n" for each in documents)


def document_attributes(passage: Passage, taken: frozenset[str], losses: Losses) -> dict[str, str]:
    """Return the attributes of a document; those whose names the format reserves are lost."""
    for name in (each for each in passage.attributes if each in taken):
        losses.lose(f"the attribute {name!r} of documents, whose name is reserved", passage.name)
    return {name: value for name, value in passage.attributes.items() if name not in taken}


def span_extent(passage: Passage, mention: Mention, losses: Losses) -> tuple[int, int]:
    """Return the begin and end of a span; the gaps of discontinuous spans are lost."""
    if len(mention.pieces) > 1:
        losses.lose(GAPS, passage.name)
    return mention.begin, mention.end


def further_fields(passage: Passage, mention: Mention, losses: Losses, taken: frozenset[str]) -> dict[str, Any]:
    """Return the further fields of a span: its ids, its probability as `score`, and all other columns."""
    found: dict[str, Any] = {} if mention.ids is None else {"id": BAR.join(mention.ids)}
    if "probability" in mention.attributes:
        found["score"] = mention.attributes["probability"]
    for name, value in mention.attributes.items():
        if name in taken or (name == "score" and "score" in found):
            losses.lose(f"{name!r} of spans, whose name is reserved", passage.name)
        elif name != "probability":
            found[name] = value
    if found.keys() & {"score"} and "probability" not in mention.attributes:
        losses.lose("the name 'score' of spans: it is read back as 'probability'", passage.name)
    return found
