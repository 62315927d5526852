"""JSON in any layout: one array of objects, an object a line, one object, or one that holds the others in a field.

Each object is given with the byte it stands at. Nothing is decoded twice, and nothing that is nested without end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from comparanda.places import Source, refuse
from comparanda.read.json_formats.fields import Fields, kind

if TYPE_CHECKING:
    from comparanda.errors import ReadError

_RAW = msgspec.json.Decoder(msgspec.Raw)
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_NODE = msgspec.json.Decoder(dict[str, Any])
_ANY = msgspec.json.Decoder()
_CONTEXT = "@context"


class Node(NamedTuple):
    """An object: its fields, and the `@context` of the whole that it is part of; None where there is none."""

    fields: Fields
    context: Any


def nodes(source: Source, holders: tuple[str, ...] = ()) -> Iterator[Node]:
    """Give the objects of a source in their order.

    Args:
        source: the bytes.
        holders: fields in which an object holds an array of others that it stands for, or an object that does.

    """
    stops = [*(part.begin for part in source.parts[1:]), source.size]
    for part, stop in zip(source.parts, stops, strict=True):
        yield from _Cutting(source, holders).file(bytes(source.data[part.begin : stop]), part.begin)


class _Cutting:
    """Cuts the bytes of a file into nodes; each piece is looked for behind the one before, where it stands."""

    def __init__(self, source: Source, holders: tuple[str, ...]) -> None:
        self.source = source
        self.holders = holders

    def file(self, data: bytes, begin: int) -> Iterator[Node]:
        first, _, rest = data.lstrip().partition(b"\n")
        if first[:1] == b"{" and rest.strip() and _is_whole(first):  # an object a line
            for line in data.split(b"\n"):
                yield from self._top(line, begin)
                begin += len(line) + 1
            return
        yield from self._top(data, begin)

    def _top(self, data: bytes, begin: int) -> Iterator[Node]:
        """Give the nodes of an array, those that an object holds, or the object itself."""
        begin += len(data) - len(data.lstrip())
        data = data.strip()
        if not data:
            return
        if data[:1] == b"[":
            yield from self._elements(self._decoded(_ARRAY, data, begin), data, begin, None)
            return
        fields = self._decoded(_OBJECT, data, begin)
        context = self._decoded(_ANY, fields[_CONTEXT], begin) if _CONTEXT in fields else None
        if (held := self._held(fields, begin)) is None:
            yield Node(Fields(self.source, begin, self._decoded(_NODE, data, begin)), context)
            return
        yield from self._elements(self._decoded(_ARRAY, held, begin), held, begin + data.index(held), context)

    def _held(self, fields: dict[str, msgspec.Raw], begin: int) -> bytes | None:
        """Return the array of others that an object holds, itself or in an object that stands there."""
        for _ in range(2):
            values = [bytes(fields[name]) for name in self.holders if name in fields]
            if arrays := [value for value in values if value[:1] == b"["]:
                return arrays[0]
            fields = next((self._decoded(_OBJECT, value, begin) for value in values if value[:1] == b"{"), {})
        return None

    def _elements(self, pieces: list[msgspec.Raw], data: bytes, begin: int, context: Any) -> Iterator[Node]:
        end = 0
        for piece in pieces:
            raw = bytes(piece)
            place = data.index(raw, end)
            end = place + len(raw)
            node = self._decoded(_NODE, raw, begin + place)
            yield Node(Fields(self.source, begin + place, node), node.get(_CONTEXT, context))

    def _decoded(self, decoder: msgspec.json.Decoder[Any], data: bytes, begin: int) -> Any:
        try:
            return decoder.decode(data)
        except RecursionError:
            raise refuse(self.source, begin, "the JSON is nested too deeply") from None
        except msgspec.DecodeError as problem:
            raise self._bad(str(problem), data, begin) from None

    def _bad(self, problem: str, data: bytes, begin: int) -> ReadError:
        if "truncated" in problem:
            return refuse(self.source, begin, "the JSON is cut off")
        if got := re.match(r"Expected `(\w+)`, got `(\w+)`", problem):
            try:
                found = kind(_ANY.decode(data)) if got[2] != "null" else "null"
            except (msgspec.DecodeError, RecursionError):  # what stands behind it is no JSON either
                found = f"something of type {got[2]}"
            return refuse(self.source, begin, f"there is {found}, not an object", hint="a file holds objects: {…}")
        byte = re.search(r" \(byte (\d+)\)", problem)
        place = begin + min(int(byte[1]), len(data) - 1) if byte else begin
        what = problem.removeprefix("JSON is malformed: ").replace(byte[0] if byte else "\0", "")
        return refuse(self.source, place, f"not JSON: {what}")


def _is_whole(line: bytes) -> bool:
    try:
        _RAW.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True
