"""What the examples of a page can be sliced by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import TextColumn
from comparanda.page.cards.attributes import OF_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.columns import Column
    from comparanda.verdicts import View

_MOST_VALUES = 40
"""An attribute with more values than this is no help to those who look for a slice."""


def slice_names(view: View, by: Sequence[str] | None) -> tuple[str, ...]:
    """Return the attributes that are asked for, or proposed by the task, then all others that have few values."""
    first = view.cuts if by is None else by
    others = [name for name in view.sites.attributes if name not in {*first, *OF_WORDS}]
    return (*first, *(name for name in others if 1 < _values(view.sites.attributes[name].make()) <= _MOST_VALUES))


def _values(column: Column) -> int:
    """Return how many values a column has."""
    return len(column.names) if isinstance(column, TextColumn) else len(np.unique(column))
