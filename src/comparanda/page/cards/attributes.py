"""What slices are made by, as it stands on cards: one text for each attribute of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import TextColumn
from comparanda.item_selection import item_scope
from comparanda.page.cards.texts import LONGEST_WORD, fitted
from comparanda.selection import scope

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from comparanda.columns import Column
    from comparanda.selection import Selection
    from comparanda.verdicts import Verdicts

OF_WORDS = frozenset({"word", "text", "lemma", "form"})
"""The attributes that hold words of the corpus."""

MISSING = "(none)"


class Attributes:
    """Writes the attributes of rows of a selection; "" for those that its rows do not have.

    Args:
        verdicts: the judge's work.
        selection: the rows.
        names: the attributes, in order.
        text: whether words of the corpus may be among them.

    """

    def __init__(self, verdicts: Verdicts, selection: Selection, names: Sequence[str], *, text: bool) -> None:
        view = selection.view
        ground = item_scope(verdicts, view) if selection.of == "items" else scope(verdicts, view)
        self._writers = [
            _writer(ground.column(name)) if name in ground.types and (text or name not in OF_WORDS) else _nothing
            for name in names
        ]

    def of(self, row: int) -> tuple[str, ...]:
        """Return what a row has."""
        return tuple(write(row) for write in self._writers)


def _nothing(row: int) -> str:
    del row
    return ""


def _writer(column: Column) -> Callable[[int], str]:
    """Return what writes the values of a column, as tables of slices write them."""
    if isinstance(column, TextColumn):
        return lambda row: MISSING if column.is_missing(row) else fitted(column[row], LONGEST_WORD)
    if column.dtype == np.bool_:
        return lambda row: "yes" if column[row] else "no"
    return lambda row: MISSING if np.isnan(column[row]) else written(float(column[row]))


def written(number: float) -> str:
    """Write a number as short as it can be read back.

    >>> written(3.0), written(0.25)
    ('3', '0.25')
    """
    return str(int(number)) if number.is_integer() else repr(number)
