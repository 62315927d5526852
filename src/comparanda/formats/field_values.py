"""Converting values of JSON and Python objects to plain values and text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from enum import Enum
from numbers import Number, Real
from typing import Any, cast

import numpy as np

from comparanda.errors import ReadError

Refuse = Callable[[int, str, str | None], ReadError]
"""Makes the error for a row, given by its number from 0, with a message and a hint."""

_NO_VALUE = "give it a value, or leave the row out on both sides"
_NO_CLASS = "-1 marks rows without a label in many datasets: use a split that has labels"


def list_values(values: Any) -> list[Any]:
    """Convert any column or sequence to a list of plain Python values."""
    if isinstance(values, list):
        return values
    for method in ("to_pylist", "tolist", "to_list"):  # Arrow; NumPy and pandas; Polars
        convert = getattr(values, method, None)
        if convert is not None:
            found = convert()
            return found if isinstance(found, list) else [found]
    return list(values)


def is_collection(value: Any) -> bool:
    """Whether a value is a list, a tuple, a set or an array, not a single value or a mapping."""
    if isinstance(value, str | bytes):
        return False
    return isinstance(value, Sequence | Set) or (hasattr(value, "__array__") and getattr(value, "ndim", 1) > 0)


def unwrap(value: Any, depth: int = 9) -> Any:
    """Convert mappings, collections and numbers of any kind to those of JSON, down to some depth.

    >>> unwrap({"p": np.float32(0.5), "spans": ((0, np.int64(4)),)})
    {'p': 0.5, 'spans': [[0, 4]]}
    """
    if isinstance(value, Mapping) and depth:
        return {str(name): unwrap(each, depth - 1) for name, each in value.items()}
    if is_collection(value) and depth:
        return [unwrap(each, depth - 1) for each in list_values(value)]
    return value.item() if isinstance(value, np.generic) else value


def is_missing(value: Any) -> bool:
    """Whether a value is missing: None, NaN, pandas' NA and NaT."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, Real) and bool(value != value)  # noqa: PLR0124 - only NaN differs from itself


def convert_to_texts(
    values: list[Any], name: Callable[[int], str], refuse: Refuse, classes: Sequence[str] = ()
) -> list[str]:
    """Convert single values to text: strings are unchanged, numbers, booleans and enums are converted by `str`.

    Args:
        values: one value per row.
        name: the name of a row's value in errors: `label`, `tags[2]`.
        refuse: makes the error for a row.
        classes: names for integers (the class labels of a dataset).

    """
    if set(map(type, values)) <= {str}:
        return cast("list[str]", values)
    return [_to_text(value, row=row, name=name, refuse=refuse, classes=classes) for row, value in enumerate(values)]


def _to_text(value: Any, row: int, name: Callable[[int], str], refuse: Refuse, *, classes: Sequence[str]) -> str:
    if isinstance(value, str):
        return str(value)
    if is_missing(value):
        raise refuse(row, f"{name(row)!r} has no value", _NO_VALUE)
    if classes and isinstance(value, int | np.integer) and not isinstance(value, bool):
        if not 0 <= value < len(classes):
            raise refuse(row, f"{name(row)!r} is {value}, but classes are numbered 0 to {len(classes) - 1}", _NO_CLASS)
        return classes[int(value)]
    if isinstance(value, Number | np.generic | Enum) and not isinstance(value, bytes):
        return str(value)
    hint = "use strings, numbers or booleans"
    raise refuse(row, f"{name(row)!r} is of type {type(value).__name__}, which is not a valid value", hint)


def optional_texts(values: Iterable[Any]) -> list[str | None]:
    """Convert values to text where possible; missing, empty and nested values become None."""
    return [None if _is_nested(value) or is_missing(value) or value == "" else str(value) for value in values]


def _is_nested(value: Any) -> bool:
    return is_collection(value) or isinstance(value, dict)


def find_unwritable(text: str) -> tuple[str, str] | None:
    r"""Find a character that a text file cannot hold; return its description and a hint, or None.

    >>> find_unwritable("Anna") is None, find_unwritable("An\0na")
    (True, ('a NUL character', 'is it text?'))
    """
    if "\0" in text:
        return "a NUL character", "is it text?"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "half of a surrogate pair", "was the text decoded with the right codec?"
    return None
