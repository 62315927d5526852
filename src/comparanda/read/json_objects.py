"""JSON as sources hold it: one object a line, or one array of objects; each with the byte it stands at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from comparanda.errors import ReadError
from comparanda.places import Source, refuse

if TYPE_CHECKING:
    from numpy.typing import NDArray

OBJECT = msgspec.json.Decoder(dict[str, Any])
"""Decodes one object to a dictionary."""

_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])
_ONE_A_LINE = "JSONL has one complete object a line"


class JsonObjects:
    """The objects of a source, as bytes, each with its offset."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.pieces, self.offset = _pieces(source)
        if not self.pieces:
            raise ReadError("there are no objects in this file", where=source.parts[0].name)

    def __len__(self) -> int:
        return len(self.pieces)

    def first(self) -> dict[str, Any]:
        """Return the first object."""
        found: dict[str, Any] = self._decoded(0, OBJECT)
        return found

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for number in range(len(self.pieces)):
            yield self._decoded(number, OBJECT)

    def decoded(self, decoder: msgspec.json.Decoder[Any]) -> list[Any]:
        """Return all objects, made by a decoder."""
        rows: list[Any] = []
        decode, keep = decoder.decode, rows.append
        try:
            for piece in self.pieces:
                keep(decode(piece))
        except (msgspec.DecodeError, RecursionError) as problem:
            raise self._bad(len(rows), problem) from None
        return rows

    def _decoded(self, number: int, decoder: msgspec.json.Decoder[Any]) -> Any:
        try:
            return decoder.decode(self.pieces[number])
        except (msgspec.DecodeError, RecursionError) as problem:
            raise self._bad(number, problem) from None

    def _bad(self, number: int, problem: Exception) -> ReadError:
        return refuse(self.source, int(self.offset[number]), _problem(problem, "object"), hint=_ONE_A_LINE)


def _pieces(source: Source) -> tuple[list[bytes], NDArray[np.int64]]:
    """Cut a source into the bytes of its objects, each with its offset."""
    pieces: list[bytes] = []
    offsets: list[NDArray[np.int64]] = []
    stops = [*(part.begin for part in source.parts[1:]), source.size]
    for part, stop in zip(source.parts, stops, strict=True):
        data = bytes(source.data[part.begin : stop])
        found, begins = _array(source, data, part.begin) if data.lstrip()[:1] == b"[" else _lines(data)
        pieces += found
        offsets.append(begins + part.begin)
    return pieces, np.concatenate(offsets)


def _lines(data: bytes) -> tuple[list[bytes], NDArray[np.int64]]:
    lines = data.split(b"\n")
    sizes = np.fromiter(map(len, lines), dtype=np.int64, count=len(lines)) + 1
    begins = np.cumsum(sizes) - sizes
    filled = np.array([not (line == b"" or line.isspace()) for line in lines], dtype=np.bool_)
    return [line for line, kept in zip(lines, filled.tolist(), strict=True) if kept], begins[filled]


def _array(source: Source, data: bytes, begin: int) -> tuple[list[bytes], NDArray[np.int64]]:
    """Cut one array into its elements; each is looked for behind the one before, so it is found where it stands."""
    try:
        pieces = [bytes(raw) for raw in _ARRAY.decode(data)]
    except (msgspec.DecodeError, RecursionError) as problem:
        byte = re.search(r"\(byte (\d+)\)", str(problem))
        offset = min(int(byte[1]), len(data) - 1) if byte else len(data.rstrip()) - 1
        hint = f"{_ONE_A_LINE}; a whole file may also be one array of objects"
        raise refuse(source, begin + offset, _problem(problem, "array"), hint=hint) from None
    begins, end = [], 0
    for piece in pieces:
        begins.append(data.index(piece, end))
        end = begins[-1] + len(piece)
    return pieces, np.array(begins, dtype=np.int64)


def _problem(problem: Exception, kind: str) -> str:
    text = str(problem)
    if isinstance(problem, RecursionError):
        return "the JSON is nested too deeply"
    if "truncated" in text:
        return f"the JSON {kind} is cut off"
    if got := re.match(r"Expected `\w+`, got `(\w+)`$", text):
        return f"not a JSON {kind}, but of type {got[1]}"
    return f"not JSON: {text.removeprefix('JSON is malformed: ')}"


def looks_like_json(lines: list[str]) -> bool:
    """Whether the first lines look like JSON: the first character opens an object or an array of them."""
    text = "\n".join(lines).lstrip()
    return text.startswith("{") or re.match(r"\[\s*(\{|$)", text) is not None
