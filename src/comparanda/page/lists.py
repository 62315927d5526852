"""What the numbers of a page lead to: each list of sites or items once, all of it or a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from comparanda.comparison.examples import Exhibits, sampled
from comparanda.page.cards import card
from comparanda.page.data import Card, ItemList
from comparanda.selection import Selection, selected

if TYPE_CHECKING:
    from comparanda.comparison.context import Context
    from comparanda.result import Result
    from comparanda.show.links import Link

Universe = tuple[str, tuple[int, ...] | None, Literal["sites", "items"]]
"""A view, the runs whose sites it has (None for all), and whether it is about sites or items."""


class Lists:
    """Numbers the links of a page, and then makes the lists and cards that they lead to.

    Args:
        result: the result.

    """

    def __init__(self, result: Result) -> None:
        self._result = result
        self._numbers: dict[Link, int] = {}

    def number(self, link: Link) -> int:
        """Return the number of the list that a link leads to."""
        return self._numbers.setdefault(link, len(self._numbers))

    def finish(self, most: int) -> tuple[tuple[ItemList, ...], tuple[Card, ...]]:
        """Return all lists, each with at most so many cards, and the cards; 0 for all."""
        cards = _Cards(self._result)
        lists = []
        for link in self._numbers:
            found = self._selected(link)
            context = self._result.context(found.view.name)
            rows = sampled(context, found, most)
            lists.append(
                ItemList(
                    where=link.where,
                    base=link.base,
                    new=link.new,
                    view=link.view,
                    of=found.of,
                    count=len(found),
                    cards=tuple(cards.number(found, row) for row in rows),
                )
            )
        return tuple(lists), cards.made()

    def _selected(self, link: Link) -> Selection:
        verdicts = self._result.verdicts
        return selected(verdicts, verdicts.view(link.view), link.where, link.base, link.new)


class _Cards:
    """Numbers the examples that lists hold, each once."""

    def __init__(self, result: Result) -> None:
        self._result = result
        self._numbers: dict[tuple[Universe, int], int] = {}
        self._exhibits: dict[Universe, tuple[Exhibits, Context]] = {}
        self._made: list[Card] = []

    def number(self, selection: Selection, row: int) -> int:
        """Return the number of the card that shows a row of a selection."""
        context = self._result.context(selection.view.name)
        whole = selection.view is context.view
        universe: Universe = (selection.view.name, None if whole else selection.runs, selection.of)
        known = self._numbers.get((universe, row))
        if known is None:
            if universe not in self._exhibits:
                everybody = tuple(range(len(self._result.verdicts.runs)))
                self._exhibits[universe] = Exhibits(context, selection, everybody), context
            exhibits, _ = self._exhibits[universe]
            known = self._numbers[universe, row] = len(self._made)
            self._made.append(card(exhibits.of(row), label=""))
        return known

    def made(self) -> tuple[Card, ...]:
        return tuple(self._made)
