"""The entries that filters leave over, page by page; a search for words goes on where it stopped."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from comparanda.page.cards import sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.page.cards import Cards
    from comparanda.page.data import Card
    from comparanda.page.server.listing import Filters, Listing

PATIENCE = 0.5
"""For how many seconds a request may look for words; what is not looked at then waits for the next request."""

_STEP = 64
"""So many examples are looked at before the clock is."""


class Search:
    """The entries of a list that match filters.

    Args:
        listing: the list.
        filters: what entries must have.
        cards: makes the examples.

    """

    def __init__(self, listing: Listing, filters: Filters, cards: Cards) -> None:
        self._listing, self._cards = listing, cards
        self._text = filters.text.lower()
        self._candidates = listing.matching(filters)
        self._next = 0 if self._text else len(self._candidates)
        self._with_text: list[int] = []

    @property
    def total(self) -> int:
        """How many entries match, of those that were looked at."""
        return len(self._with_text if self._text else self._candidates)

    @property
    def complete(self) -> bool:
        """Whether all entries were looked at."""
        return self._next == len(self._candidates)

    @property
    def looked_at(self) -> int:
        """How many entries of the list were looked at, from its begin on."""
        return len(self._listing) if self.complete else int(self._candidates[self._next])

    def go_on(self) -> None:
        """Look at further examples, a few at least, until all are looked at or patience is at its end."""
        end = monotonic() + PATIENCE
        while not self.complete:
            step = self._candidates[self._next : self._next + _STEP].tolist()
            self._with_text += [number for number in step if self._has_text(number)]
            self._next += len(step)
            if monotonic() >= end:
                return

    def page(self, offset: int, limit: int) -> Iterator[tuple[Card, tuple[int, int] | None]]:
        """Yield some entries: the example, and the runs of base and new it is about, where that must be told."""
        chosen = (self._with_text if self._text else self._candidates)[offset : offset + limit]
        for number in map(int, chosen):
            yield self._card(number), self._listing.runs_of(number)

    def _has_text(self, number: int) -> bool:
        return any(self._text in text.lower() for text in card_texts(self._card(number)))

    def _card(self, number: int) -> Card:
        return self._cards.of(int(self._listing.rows[number]))


def card_texts(card: Card) -> Iterator[str]:
    """Yield what a search for words looks at: the sentence, what sides say, the name of the document."""
    yield sentence(card)
    yield card.line
    yield from (side.value for side in card.sides)
    yield card.document
