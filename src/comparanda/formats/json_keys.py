"""Refusing JSON objects that have a key twice: decoders keep the last one and drop the other without a word.

Decoded values are encoded again and colons are counted. A colon follows each key, and those inside strings are kept, so
the number is smaller exactly if a key was dropped, unless a colon is written as an escape. Only then are keys compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from comparanda.core.places import make_read_error

if TYPE_CHECKING:
    from comparanda.core.places import Source
    from comparanda.errors import ReadError

_COLON, _ESCAPE = b":", b"\\u003"
_MANY, _LARGE = 500, 1 << 22
_ANY = msgspec.json.Decoder()
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ENCODER = msgspec.json.Encoder()


def check_keys(source: Source, place: int, data: bytes, decoded: Any) -> None:
    """Refuse a record in which an object has a key twice, given its bytes, their offset, and what was decoded."""
    try:
        key = None if _has_all_keys(data, decoded) else _find_repeated(data)
    except RecursionError:
        raise make_read_error(source, place, "the JSON is nested too deeply") from None
    if key is not None:
        raise _repeated_error(source, place, key)


def check_all_keys(
    source: Source, places: Iterable[int], pieces: Sequence[bytes], decoded: Sequence[Any] | None = None
) -> None:
    """Refuse the first of many records in which an object has a key twice.

    Args:
        source: the source of the records.
        places: the byte offset of each.
        pieces: the bytes of each.
        decoded: what was decoded from each, if unknown fields only may be missing; None if it has to be decoded.

    """
    each_place, begin = iter(places), 0
    for size in _cut_batches(pieces):
        some, where = pieces[begin : begin + size], list(islice(each_place, size))
        if decoded is None or not _have_all_keys(some, decoded[begin : begin + size]):
            try:
                whole = _ANY.decode(b"[" + b",".join(some) + b"]")
            except RecursionError:
                raise make_read_error(source, where[0], "the JSON is nested too deeply") from None
            if not _have_all_keys(some, whole):
                for place, piece, value in zip(where, some, whole, strict=True):
                    check_keys(source, place, piece, value)
        begin += size


def check_outer_keys(source: Source, place: int, data: bytes, members: Mapping[str, msgspec.Raw] | None = None) -> None:
    """Refuse an object that has a key twice, whatever is inside its members; these may be given, not yet decoded."""
    members = _MEMBERS.decode(data) if members is None else members
    inside = sum(key.count(":") + 1 + bytes(raw).count(_COLON) for key, raw in members.items())
    same = _ESCAPE not in data and inside == data.count(_COLON)
    if not same and (key := _find_repeated(data, outer=True)) is not None:
        raise _repeated_error(source, place, key)


def _has_all_keys(data: bytes, decoded: Any) -> bool:
    return _ESCAPE not in data and _ENCODER.encode(decoded).count(_COLON) == data.count(_COLON)


def _have_all_keys(pieces: Sequence[bytes], decoded: Sequence[Any]) -> bool:
    whole = b",".join(pieces)
    return _ESCAPE not in whole and _ENCODER.encode(decoded).count(_COLON) == whole.count(_COLON)


def _cut_batches(pieces: Sequence[bytes]) -> Iterator[int]:
    """Yield the numbers of pieces that are checked together."""
    count = size = 0
    for piece in pieces:
        count, size = count + 1, size + len(piece)
        if count == _MANY or size > _LARGE:
            yield count
            count = size = 0
    if count:
        yield count


class _RepeatedKeyError(Exception):
    """Raised while decoding an object that has a key twice."""


def _find_repeated(data: bytes, *, outer: bool = False) -> str | None:
    """Return a key that an object, or only the outermost one, has twice; None if there is none."""
    last: list[str] = []

    def compare(pairs: list[tuple[str, Any]]) -> None:
        names = [name for name, _ in pairs]
        last[:] = [name for number, name in enumerate(names) if name in names[:number]]
        if last and not outer:
            raise _RepeatedKeyError

    with suppress(_RepeatedKeyError):  # numbers stay strings, because too long ones are refused
        json.loads(data, object_pairs_hook=compare, parse_int=str, parse_float=str)
    return last[0] if last else None


def _repeated_error(source: Source, place: int, key: str) -> ReadError:
    what = f"the key {key[:60]!r} occurs twice in one object"
    return make_read_error(source, place, what, hint="remove one: readers of JSON disagree about which one counts")
