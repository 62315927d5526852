"""The head of a source: its first lines and records, by which its format is detected.

Lines are few. Of JSON, the first two records are there as a whole, whatever their length, because fields that decide
may come last: what a file is read as must not depend on the length of a text or on the order of records. Large records
are abridged: all their fields remain, and of arrays the first elements.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from comparanda.formats.scanner import MAX_LINE

if TYPE_CHECKING:
    from comparanda.core.places import Source

_LINES = 40
_BYTES = 1 << 16
_RECORDS = 2
_LARGE = 4 * _BYTES
_DEPTH = 10
_CUT_TOKEN = 16
_JSON = json.JSONDecoder()
_ELEMENT = re.compile(r"[\s,]*(?=[^\s,\]])")
_OBJECT_START = re.compile(rb'\s*\{\s*["}]')
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ELEMENTS = msgspec.json.Decoder(list[msgspec.Raw])


def head_of(source: Source) -> list[str]:
    """Return the first lines of a source, for detecting its format."""
    lines: list[str] = []
    for size in head_sizes(source.size):
        lines, more = _find_head(bytes(source.data[: min(size, source.size)]))
        if not more:
            break
    return lines


def head_sizes(size: int) -> Iterator[int]:
    """Yield how many of some bytes to examine: a few, then more, up to the longest line."""
    step = 2 * _BYTES
    while step < min(size, MAX_LINE):
        yield step
        step *= 8
    yield min(step, MAX_LINE)


def has_head(source: Source) -> bool:
    """Whether further bytes could not change the head of a source that is only the beginning of a file."""
    return not _find_head(bytes(source.data[: source.size]))[1]


def _find_head(data: bytes) -> tuple[list[str], bool]:
    """Return the first lines, given the first bytes of a source, and whether more bytes could change them."""
    if data[:_BYTES].lstrip()[:1] == b"[" and (array := _find_elements(data)) is not None:
        return array
    spread = _OBJECT_START.match(data) and not data.lstrip().partition(b"\n")[0].rstrip().endswith(b"}")
    if spread and _is_object(data):
        return _abridge(data.strip()).decode().split("\n"), False
    stop, found = 0, 0
    while found < _RECORDS and (end := data.find(b"\n", stop) + 1):
        found += not data[stop:end].isspace()
        stop = end
    whole = found == _RECORDS
    stop = max(stop, data.rfind(b"\n", 0, _BYTES) + 1) if whole else len(data)
    lines = data[:stop].split(b"\n")
    lines = lines[:-1][:_LINES] if len(lines) > 1 else lines
    more = bool(spread) or not whole or len(data) < _BYTES
    return [_abridge(line).decode(errors="ignore") for line in lines], more


def _is_object(data: bytes) -> bool:
    try:
        _MEMBERS.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _find_elements(data: bytes) -> tuple[list[str], bool] | None:
    """Return the lines of the first elements of a JSON array, and whether more bytes could change them.

    These are at least two, and as many as fit. None if this is not JSON, but perhaps columns with a bracket as the
    first word.
    """
    size = _BYTES
    while True:
        text = data[:size].decode(errors="ignore")
        place, found = text.index("[") + 1, list[str]()
        try:
            while following := _ELEMENT.match(text, place):
                begin = following.end()
                _, place = _JSON.raw_decode(text, begin)
                found.append(text[begin:place])
            cut = not text[place:].strip(" \t\n,")
        except json.JSONDecodeError as problem:
            cut = problem.msg.startswith("Unterminated string") or problem.pos > len(text) - _CUT_TOKEN
            if not cut and not found:
                return None
        except RecursionError:
            return None
        if not cut or len(found) >= _RECORDS or size >= len(data):
            more = cut and len(found) < _RECORDS
            text = "[" + ",\n".join(_abridge(each.encode()).decode() for each in found)
            return text.split("\n") if found else data[:_BYTES].decode(errors="ignore").split("\n"), more
        size *= 4


def _abridge(data: bytes, depth: int = 0) -> bytes:
    """Abridge large JSON: keep all fields of objects, the first elements of arrays, and anything else as it is."""
    if len(data) <= _LARGE or depth > _DEPTH or data[:1] not in {b"{", b"["}:
        return data
    try:
        if data[:1] == b"{":
            members = _MEMBERS.decode(data).items()
            inner = (msgspec.json.encode(name) + b": " + _abridge(bytes(raw), depth + 1) for name, raw in members)
            return b"{" + b", ".join(inner) + b"}"
        kept: list[bytes] = []
        for raw in _ELEMENTS.decode(data):
            if sum(map(len, kept)) > _BYTES:
                break
            kept.append(_abridge(bytes(raw), depth + 1))
        return b"[" + b", ".join(kept) + b"]"
    except (msgspec.DecodeError, RecursionError):
        return data[:_BYTES] if depth == 0 else data
