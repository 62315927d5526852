"""Several labels of a row as columns of 0 and 1, one column for each class (multi-hot), and class numbers.

Rows of 0 and 1 could also be sets of labels named 0 and 1. They are never guessed: without the names of the classes
they are refused.
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any

from comparanda.errors import ReadError
from comparanda.formats.contract import Request
from comparanda.formats.cuts import UncuttableError
from comparanda.formats.delimited import ID_NAMES, LABEL_NAMES, normalise_name
from comparanda.formats.field_values import list_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from comparanda.formats.plain_tables import Table

LABEL = "label"
FEWEST_COLUMNS = 2
_BINARY = frozenset({0, 1})
_NAME_CLASSES = (
    'name the columns: classes=["a", "b", …] in Python, ?classes=a,b,… after a path; '
    "write labels named 0 and 1 as strings"
)
_TAKE_LABELS = (
    "give labels: of an array of scores a.argmax(axis=1), with classes=[…], for one label a row, "
    "or a >= 0.5 for several"
)


def read_classes(request: Request) -> tuple[str, ...]:
    """Return the names of classes, from Python or from the option `classes`."""
    written = request.options.get("classes")
    return request.classes if written is None else tuple(filter(None, map(str.strip, written.split(","))))


def merge_class_columns(table: Table, request: Request) -> tuple[Table, Request]:
    """Merge columns of 0 and 1 to one of label sets, if no column has labels; their names are the labels.

    They are the columns named by `classes`, else all but the id, the document and the further ones that are requested.
    """
    options = request.options
    if "label" in options or request.value or _has(table.names, (name for tier in LABEL_NAMES for name in tier)):
        return table, request
    columns = [name for name in table.names if name in request.classes]
    if not columns:
        own = {*request.extra, options.get("id"), options.get("document")}
        ids = {name for tier in ID_NAMES for name in tier}
        columns = [name for name in table.names if name not in own and normalise_name(name) not in ids]
    if len(columns) < FEWEST_COLUMNS:
        return table, request
    found = table.fetch(columns)
    if not all(_is_binary(values) for values in found.values()):
        return table, request
    sets = [
        [name for name, value in zip(columns, row, strict=True) if value] for row in zip(*found.values(), strict=True)
    ]

    def fetch(wanted: Sequence[str]) -> dict[str, list[Any]]:
        others = table.fetch([name for name in wanted if name != LABEL])
        return {name: sets if name == LABEL else others[name] for name in wanted}

    names = (*(name for name in table.names if name not in columns), LABEL)
    return replace(table, names=names, fetch=fetch), replace(request, classes=())


def _has(names: Iterable[str], known: Iterable[str]) -> bool:
    return not {*map(normalise_name, names)}.isdisjoint(known)


def _is_binary(values: Sequence[Any]) -> bool:
    return all(isinstance(value, Real) and value in _BINARY for value in values)


def decode_multi_hot(table: Table, name: str, values: list[Any], classes: Sequence[str]) -> list[Any]:
    """Replace rows of 0 and 1 by the sets of classes that they mark; return other rows unchanged.

    Without the names of classes, refuse rows that can be such; also rows of scores, and rows that are not sets.
    """
    if any(isinstance(value, set | frozenset) for value in values):
        return values
    try:
        rows = list(map(list_values, values))
    except TypeError:  # a row without a list, which the caller refuses with its place
        return values
    first = next((each for row in rows for each in row), "")
    if not isinstance(first, Real) or not all(isinstance(each, Real) for row in rows for each in row):
        return values
    for number, row in enumerate(rows):
        if any(isinstance(each, float) and each not in _BINARY for each in row):
            what = f"{name!r}: expected labels, got a list of fractions such as scores: {_shorten(row)}"
            raise _refuse(table, number, what, _TAKE_LABELS)
    size = len(rows[0])
    equal, binary = all(len(row) == size for row in rows), all(map(_is_binary, rows))
    if equal and binary and size == len(classes):
        return [[label for label, value in zip(classes, row, strict=True) if value] for row in rows]
    if not classes and table.classes(name):
        return values  # numbers of classes whose names are known
    twice = next((number for number, row in enumerate(rows) if len({*row}) < len(row)), None)
    named = bool(classes) and twice is None
    if equal and binary and size and not named:
        what = f"{name!r}: expected labels, got rows of {size} value{'s'[: size != 1]} that are all 0 or 1"
        hint = f"there are {len(classes)} classes: give the names of all {size} columns" if classes else _NAME_CLASSES
        raise _refuse(table, 0, what, hint)
    if equal and twice is not None:
        shown = _shorten(rows[twice])
        what = f"{name!r}: expected a set of labels, got a list of numbers with the same one twice: {shown}"
        raise _refuse(table, twice, what, "give each label of a row once, or the labels as strings")
    return values


def _refuse(table: Table, row: int, what: str, hint: str) -> ReadError | UncuttableError:
    problem = table.refuse(row, what, hint)
    # other parts may have rows of other lengths
    return problem if table.source.whole is None else UncuttableError(str(problem))


def _shorten(row: Sequence[Any]) -> str:
    shown = ", ".join(f"{value:.4g}" if isinstance(value, float) else str(value) for value in row[:4])
    return f"[{shown}{', …' if len(row) > 4 else ''}]"
