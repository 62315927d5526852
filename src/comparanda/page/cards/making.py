"""From a row of a selection to its card."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from comparanda.comparison.examples import Exhibits
from comparanda.page.cards.attributes import Attributes
from comparanda.page.cards.beliefs import Beliefs
from comparanda.page.cards.drawing import Drawer
from comparanda.page.cards.sides import bare, sides_of
from comparanda.page.cards.texts import LONGEST_WORD, fitted, short_place
from comparanda.page.cards.trees import most_arcs
from comparanda.page.data import Card
from comparanda.sites import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.page.cards.drawing import Kind
    from comparanda.page.cards.sides import Drawing
    from comparanda.result import Result
    from comparanda.selection import Selection


class Cards:
    """Makes the cards of a selection, one by one; what all of them share is made once.

    Args:
        result: the result.
        selection: what is shown; rows of other selections in the same view can be shown too.
        text: whether words of the corpus are shown.
        attributes: the attributes that cards name, in order.

    """

    def __init__(
        self, result: Result, selection: Selection, *, text: bool = True, attributes: Sequence[str] = ()
    ) -> None:
        context, view = result.context(selection.view.name), selection.view
        everybody = tuple(range(len(result.verdicts.runs)))
        self._exhibits = Exhibits(context, selection, everybody, most_arcs=most_arcs(len(everybody)))
        self._runs = self._exhibits.seen
        self._drawer = Drawer(replace(context, view=view), self._runs, selection.of)
        self._attributes = Attributes(result.verdicts, selection, attributes, text=text)
        self._beliefs = None if view.candidates is None else Beliefs(view.candidates, self._runs, text=text)
        self._view, self._of, self._text = view, selection.of, text

    def of(self, row: int) -> Card:
        """Return the card of one site or item."""
        example = self._exhibits.of(row)
        nothing: tuple[Kind, Drawing] = "rows", bare(len(self._runs))
        kind, drawing = self._drawer.draw(example, row) if self._text else nothing
        line = drawing.line
        plain = Card(
            document=fitted(example.document, LONGEST_WORD),
            label=fitted(self._label(row), LONGEST_WORD),
            kind=kind,
            sides=sides_of(example, self._runs, drawing),
            place=short_place(example.place),
            line=fitted(example.after or example.word) if self._text and line is None else "",
            ends=drawing.ends,
            rulings=drawing.rulings,
            beliefs=() if self._beliefs is None else tuple(self._beliefs.of(*self._drawer.stands(row))),
            undrawn=drawing.undrawn,
            attributes=self._attributes.of(row),
        )
        if line is None:
            return plain
        return msgspec.structs.replace(
            plain,
            words=line.words,
            glued=line.glued,
            site=line.site,
            words_before=line.before,
            words_after=line.after,
            leftward=line.leftward,
        )

    def _label(self, row: int) -> str:
        """Return what conditions call `label`."""
        if self._of == "items":
            items = self._view.items
            return shown(items.names[int(items.label[row])])
        labels = self._view.sites.labels
        return shown(labels.names[int(labels.key[row])])


def sentence(card: Card) -> str:
    """Return the words of a card as one text, with white space where its sentence has some."""
    glued = frozenset(card.glued)
    return "".join(word if number in glued or not number else f" {word}" for number, word in enumerate(card.words))
