"""What is wrong with a record that cannot be decoded, with the way to the field."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from comparanda.places import Source, refuse

if TYPE_CHECKING:
    from comparanda.errors import ReadError

_KINDS = {
    "str": "a text",
    "int": "an integer",
    "float": "a number",
    "bool": "a truth",
    "array": "an array",
    "object": "an object",
    "null": "null",
}
_UNEXPECTED = re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<found>[^`]+)`")
_MISSING = re.compile(r"Object missing required field `(?P<field>[^`]+)`")
_LENGTH = re.compile(r"Expected `array` of length (?P<length>\d+)")
_WAY = re.compile(r" - at `\$\.?(?P<way>.*)`$")
_SHAPE = 'a block is written like this: {"alternatives": [{"start": 0, "end": 4, "p": 0.6, "labels": {"PER": 1.0}}]}'


def undecodable(source: Source, place: int, piece: bytes, problem: Exception) -> ReadError | None:
    """Say which field of a record is wrong; None where the whole is no JSON at all."""
    if isinstance(problem, msgspec.ValidationError):
        return misshapen(source, place, problem)
    try:
        way, value = next(_infinite(json.loads(piece), ""), ("", 0.0))
    except (ValueError, RecursionError):
        return None
    return not_finite(source, place, way, value) if way else None


def not_finite(source: Source, place: int, way: str, value: float) -> ReadError:
    """Make the error for a number that is none."""
    shown = "NaN" if math.isnan(value) else f"{'-' if value < 0 else ''}infinity"
    return refuse(source, place, f"{way!r} is {shown}, which is no probability", hint="give every probability a value")


def misshapen(source: Source, place: int, problem: msgspec.ValidationError) -> ReadError:
    """Make the error for a field of the wrong type."""
    text = str(problem)
    found = _WAY.search(text)
    way = found["way"].replace("[...]", " (one of its values)") if found else ""
    called = repr(way) if way else "the record"
    if missing := _MISSING.match(text):
        return refuse(source, place, f"there is no {missing['field']!r} in {called}", hint=_SHAPE)
    if length := _LENGTH.match(text):
        hint = 'a span is written [0, 4, "PER"], or as an object'
        return refuse(source, place, f"{called} has not {length['length']} elements", hint=hint)
    if unexpected := _UNEXPECTED.match(text):
        wanted = " or ".join(_KINDS.get(each, each) for each in unexpected["wanted"].split(" | ") if each != "null")
        return refuse(
            source, place, f"{called} is {_KINDS.get(unexpected['found'], unexpected['found'])}, not {wanted}"
        )
    return refuse(source, place, f"{called} is too large a number")


def _infinite(given: Any, way: str) -> Iterator[tuple[str, float]]:
    """Give the ways to all numbers that are not finite."""
    if isinstance(given, float) and not math.isfinite(given):
        yield way, given
    elif isinstance(given, dict):
        for name, value in given.items():
            yield from _infinite(value, f"{way}.{name}".removeprefix("."))
    elif isinstance(given, list):
        for number, value in enumerate(given):
            yield from _infinite(value, f"{way}[{number}]")
