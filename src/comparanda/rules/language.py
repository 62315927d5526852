"""The words that conditions of rules have beyond those of every expression: rows, tables, and functions on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from comparanda.expressions import BUILTINS, Parameter, Signature
from comparanda.rules.ruleset import ColumnType

if TYPE_CHECKING:
    from collections.abc import Collection

    from comparanda.expressions import Type

SPAN_COLUMNS: Final[Mapping[str, ColumnType]] = {
    "doc": ColumnType("number"),
    "begin": ColumnType("number"),
    "end": ColumnType("number"),
    "length": ColumnType("number"),
    "pieces": ColumnType("number"),
    "label": ColumnType("text"),
    "text": ColumnType("text"),
    "norm": ColumnType("text"),
    "id": ColumnType("text"),
    "ids": ColumnType("text"),
    "confidence": ColumnType("text"),
    "probability": ColumnType("number"),
    "placing": ColumnType("text"),
}
"""What every span of `system` and `key` has; `norm` is its text without regard to case and white space,
`pieces` is 0 for a span in one piece, else a number for the way it is cut into several."""

SPAN_TABLES = ("system", "key")

ID_TABLES: Final[Mapping[str, str]] = {"system_ids": "system", "key_ids": "key"}
"""The tables of ids, and whose ids they hold: a span may have several."""


def id_columns(spans: str) -> dict[str, ColumnType]:
    """Return what every id has: the span it is an id of, itself (missing for NIL), and its rank, from 1."""
    return {"of": ColumnType("row", table=spans), "id": ColumnType("text"), "rank": ColumnType("number")}


QUANTIFIERS: Final[Mapping[str, tuple[Type, ...]]] = {
    "any": ("truth",),
    "count": ("row", "truth"),
    "min": ("number", "row"),
    "max": ("number", "row"),
    "sum": ("number",),
}
"""What can be asked of all rows of a table, with the types the body may have."""

_ROW = Parameter("row", ("row",))
_NUMBER = Parameter("number", ("number",))
_TEXT = Parameter("text")
_LABEL = Parameter("label")

_PLAIN: Final[Mapping[str, Signature]] = {
    "same": Signature((_ROW, _ROW, Parameter("column", literal=True, repeated=True)), "truth"),
    "overlaps": Signature((_ROW, _ROW), "truth"),
    "overlap": Signature((_ROW, _ROW), "number"),
    "iou": Signature((_ROW, _ROW), "number"),
    "similarity": Signature((_TEXT, _TEXT), "number"),
    "is_a": Signature((_LABEL, _LABEL), "truth"),
    "min": Signature((_NUMBER, _NUMBER), "number"),
    "max": Signature((_NUMBER, _NUMBER), "number"),
    "is_missing": Signature((Parameter("value", ("text", "number", "row")),), "truth"),
}

OF_ROWS = frozenset({"overlaps", "overlap", "iou"})
"""The functions that look at where two spans stand."""


def functions_of(per_label: Collection[str], lists: Collection[str]) -> dict[str, Signature]:
    """Return the functions of a rule set: the common ones, its lists, and its parameters that differ by label.

    >>> functions_of(["threshold"], ["titles"])["threshold"].written("threshold")
    'threshold(label)'
    """
    listed = Parameter("list", literal=True, choices=lists)
    by_label = Parameter("label", optional=True)
    return {
        **BUILTINS,
        **_PLAIN,
        "in_list": Signature((_TEXT, listed, by_label), "truth"),
        **{name: Signature((_LABEL,), "number") for name in per_label},
    }
