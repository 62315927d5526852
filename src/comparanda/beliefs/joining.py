"""Beliefs made in parts, laid end to end; and tuples that are the same found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.beliefs.model import Beliefs, Worlds

if TYPE_CHECKING:
    from comparanda.beliefs.model import Floats
    from comparanda.columns import Codes, Rows


def alone(weight: Floats) -> Beliefs:
    """Return tuples that are a block of their own each."""
    numbers = np.arange(len(weight))
    return Beliefs(weight, weight, numbers, numbers, 1.0 - weight)


def first_equals(*columns: Codes) -> Rows:
    """Return for each row the first one that is equal to it in all columns; itself, where there is none before it.

    >>> first_equals(np.array([3, 1, 3]), np.array([0, 0, 0])).tolist()
    [0, 1, 0]
    """
    order = np.lexsort(columns[::-1])
    new = np.ones(len(order), np.bool_)
    if len(order):
        new[1:] = np.any([column[order[1:]] != column[order[:-1]] for column in columns], axis=0)
    found = np.empty(len(order), np.int64)
    found[order] = order[np.flatnonzero(new)][np.cumsum(new) - 1]
    return found


def side_by_side(parts: Sequence[Beliefs]) -> Beliefs:
    """Lay beliefs end to end; those of one part have nothing to do with those of another."""
    if not parts:
        return alone(np.zeros(0))
    blocks, spans, rows = (
        np.cumsum([0, *sizes], dtype=np.int64)
        for sizes in zip(
            *((len(each.nothing), int(each.alternative.max(initial=-1)) + 1, len(each)) for each in parts), strict=True
        )
    )
    several = [
        replace(each.worlds, block=each.worlds.block + block, member=each.worlds.member + row)
        for each, block, row in zip(parts, blocks.tolist(), rows.tolist(), strict=False)
        if each.worlds is not None
    ]
    return Beliefs(
        np.concatenate([each.weight for each in parts]),
        np.concatenate([each.entity for each in parts]),
        np.concatenate([each.alternative + span for each, span in zip(parts, spans.tolist(), strict=False)]),
        np.concatenate([each.block + block for each, block in zip(parts, blocks.tolist(), strict=False)]),
        np.concatenate([each.nothing for each in parts]),
        _end_to_end(several) if several else None,
    )


def _end_to_end(parts: Sequence[Worlds]) -> Worlds:
    sizes = [np.diff(each.offsets) for each in parts]
    return Worlds(
        np.concatenate([each.block for each in parts]),
        np.concatenate([each.probability for each in parts]),
        np.concatenate([[0], np.cumsum(np.concatenate(sizes), dtype=np.int64)]),
        np.concatenate([each.member for each in parts]),
    )
