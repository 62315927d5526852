"""Brackets with nothing but the names of chains: `(12`, `12)`, `(12)`, `(12|(3)7)`, all of a file at once.

Most files of chains hold no others. Each distinct cell is taken apart once; what opens and closes is then found by
sorting, without a loop over mentions. Of one chain, a bracket closes the last one that is open: seen by depth, what
opens and what closes at one depth take turns. Whatever does not fit is left to `conllu_entities.brackets`, which knows
how to say what is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import TextColumn, code_type

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Rows

_NAME = r"[^()|\[\]%&\s-]+"
_PLAIN = re.compile(rf"(?:(?<=.)\|)?(?:\((?P<opened>{_NAME})(?P<closed>\))?|(?P<closing>{_NAME})\))")
_OPEN, _CLOSE = 1, -1


@dataclass(frozen=True, eq=False, slots=True)
class PlainMentions:
    """Mentions in the order of their opening brackets.

    Args:
        first: the row of the first word of each.
        last: the row of its last word.
        chain: the name of its chain.

    """

    first: Rows
    last: Rows
    chain: TextColumn


def plain_mentions(rows: Rows, cells: TextColumn, document: Rows, most: int) -> PlainMentions | None:
    """Read the brackets of some rows; None if they are not all plain, or do not fit together.

    Args:
        rows: the rows with brackets, in order.
        cells: what each of them holds.
        document: the document of each.
        most: how many may begin at one word.

    """
    steps = _Steps.of(cells, most)
    if steps is None:
        return None
    sizes = np.diff(steps.bounds)[cells.codes]
    begins = np.repeat(steps.bounds[:-1][cells.codes], sizes)
    step = begins + np.arange(len(begins)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    row, kind, name = np.repeat(rows, sizes), steps.kind[step], steps.name[step]
    group = np.repeat(document, sizes) * max(len(steps.names), 1) + name
    opening, closing = _paired(group, kind)
    if opening is None or closing is None:
        return None
    order = np.argsort(opening, kind="stable")
    opening, closing = opening[order], closing[order]
    return PlainMentions(row[opening], row[closing], TextColumn(name[opening], steps.names))


@dataclass(frozen=True, eq=False, slots=True)
class _Steps:
    """What the distinct cells open and close, one after the other.

    Args:
        bounds: the first step of each cell, and the number of all behind them.
        kind: whether a step opens or closes.
        name: the chain, as a code.
        names: the chains by code.

    """

    bounds: Rows
    kind: NDArray[np.int8]
    name: NDArray[np.unsignedinteger]
    names: tuple[str, ...]

    @classmethod
    def of(cls, cells: TextColumn, most: int) -> _Steps | None:
        """Take the cells apart that occur; None if one is not plain."""
        names: dict[str, int] = {}
        kinds: list[int] = []
        codes: list[int] = []
        bounds = [0]
        used = np.zeros(len(cells.names), np.bool_)
        used[cells.codes] = True
        for text, there in zip(cells.names, used.tolist(), strict=True):
            end = 0
            if there and text.count("(") > most:
                return None
            while there and (found := _PLAIN.match(text, end)):
                end = found.end()
                opened, closed, closing = found.group("opened", "closed", "closing")
                code = names.setdefault(opened or closing, len(names))
                kinds += [_CLOSE] if closing else [_OPEN, _CLOSE] if closed else [_OPEN]
                codes += [code] * (2 if closed else 1)
            if there and end != len(text):
                return None
            bounds.append(len(kinds))
        kind = code_type(len(names))
        return cls(np.array(bounds, np.int64), np.array(kinds, np.int8), np.array(codes, kind), tuple(names))


def _paired(group: Rows, kind: NDArray[np.int8]) -> tuple[Rows, Rows] | tuple[None, None]:
    """Return the steps that open and those that close them; nothing if some do not fit together."""
    order = np.argsort(group, kind="stable")
    signs, groups = kind[order].astype(np.int64), group[order]
    begins = np.flatnonzero(np.diff(groups, prepend=-1))
    depth = np.cumsum(signs)
    base = np.repeat(depth[begins] - signs[begins], np.diff(np.append(begins, len(groups)))) if len(begins) else depth
    depth = depth - base
    level = np.where(signs == _OPEN, depth, depth + 1)
    if (level <= 0).any():
        return None, None
    within = np.lexsort((np.arange(len(order)), level, groups))
    steps, turns = order[within], signs[within]
    if len(steps) % 2 or (turns[::2] != _OPEN).any() or (turns[1::2] != _CLOSE).any():
        return None, None
    same = (groups[within][::2] == groups[within][1::2]) & (level[within][::2] == level[within][1::2])
    return (steps[::2], steps[1::2]) if same.all() else (None, None)
