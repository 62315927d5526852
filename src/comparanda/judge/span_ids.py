"""The ids of spans as rules see them: the first as a column of the span, all of them as rows of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import TextColumn
from comparanda.ids import BAR, NIL, split

if TYPE_CHECKING:
    from comparanda.columns import Column, Rows


@dataclass(frozen=True, eq=False, slots=True)
class Ids:
    """The ids of the spans of one side.

    Args:
        first: the first id of each span; missing where it has none, or NIL. Of the key, whose ids have no order,
            the first that is not NIL.
        ranked: all its ids as one text, in their order; missing where it has none.
        accepted: the same sorted and without NIL, `NIL` where nothing is left: what the key accepts.
        of: the span of each id.
        rank: the place of the id among those of its span, from 1.
        id: the id itself; missing for NIL.

    """

    first: TextColumn
    ranked: TextColumn
    accepted: TextColumn
    of: Rows
    rank: Rows
    id: TextColumn


def ids_of(column: Column | None, size: int, same: Mapping[str, str], *, key: bool = False) -> Ids:
    """Take ids apart.

    Args:
        column: what the input says, with bars between several ids; None where it says nothing.
        size: how many spans there are.
        same: for ids that have another name too, the name to use.
        key: whether they are those of the key, which accepts any of them.

    """
    texts = _texts(column, size)
    parts = [_parts(name, same) for name in texts.names]
    firsts = [next((each for each in ids if not key or each != NIL), None) for ids in parts]
    offsets = np.cumsum([0, *map(len, parts)])
    flat = TextColumn.of([None if each == NIL else each for ids in parts for each in ids])
    counts = np.diff(offsets)[texts.codes]
    of = np.repeat(np.arange(size), counts)
    within = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    return Ids(
        _recoded(texts, [None if each == NIL else each for each in firsts]),
        _recoded(texts, [BAR.join(ids) or None for ids in parts]),
        _recoded(texts, [BAR.join(sorted(set(ids) - {NIL})) or NIL for ids in parts]),
        of,
        within + 1,
        flat.take(np.repeat(offsets[:-1][texts.codes], counts) + within),
    )


def _texts(column: Column | None, size: int) -> TextColumn:
    if column is None:
        return TextColumn.of([None] * size)
    if isinstance(column, TextColumn):
        return column
    return TextColumn.of([None if value != value else f"{value:.17g}" for value in column.tolist()])  # noqa: PLR0124 - NaN


def _parts(name: str, same: Mapping[str, str]) -> tuple[str, ...]:
    """Return the ids of a text, each once and under the name to use."""
    return tuple(dict.fromkeys(same.get(each, each) for each in split(name))) if name else ()


def _recoded(texts: TextColumn, names: list[str | None]) -> TextColumn:
    """Return a column with other texts in place of each of its own."""
    table = TextColumn.of(names)
    if not len(table):
        return TextColumn(texts.codes, table.names, table.missing)
    return TextColumn(table.codes[texts.codes], table.names, table.missing)
