"""From a path and its query to an answer: the page, the entries of a list, a pair of systems."""

from __future__ import annotations

import sys
from functools import lru_cache
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING

import msgspec

from comparanda.errors import ComparandaError, UsageError
from comparanda.page.building import build
from comparanda.page.cards import Cards
from comparanda.page.lists import Lists
from comparanda.page.pairs import pair_choice
from comparanda.page.server.answers import Answer, data, document, problem
from comparanda.page.server.listing import Filters, Listing
from comparanda.page.server.searching import Search
from comparanda.page.server.shapes import AskedItems, AskedPair, Entry, Items, Pair
from comparanda.page.shell import as_html, policy
from comparanda.selection import Ground
from comparanda.show.cells import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from comparanda.page.building import Choices, Say
    from comparanda.page.server.listing import Universe
    from comparanda.result import Result
    from comparanda.show.links import Link

_KEPT = 8
"""Of how many lists, filters and pairs the server remembers what it found: people go to and fro between few."""


class Routes:
    """Answers requests about one result.

    They come in many threads, and share what was found for others: so one is answered after the other.

    Args:
        result: the result.
        choices: what its page is to hold.
        say: told what is being done while the page is made.

    Attributes:
        attributes: the names of what slices are made by.

    """

    def __init__(self, result: Result, choices: Choices, say: Say | None = None) -> None:
        page = build(result, choices, say)
        self._page = document(as_html(page), policy(served=True))
        self._result, self._choices = result, choices
        self.attributes, self._text = page.attributes, choices.text
        self._working = Lock()
        self._routes: Mapping[str, Callable[[Mapping[str, str]], Answer]] = {
            "/": lambda _: self._page,
            "/api/items": lambda given: data(self._items(msgspec.convert(given, AskedItems, strict=False))),
            "/api/pair": lambda given: data(self._pair(msgspec.convert(given, AskedPair, strict=False))),
        }
        self._ground = lru_cache(_KEPT)(self._make_ground)
        self._listing = lru_cache(_KEPT)(self._make_listing)
        self._search = lru_cache(_KEPT)(self._make_search)
        self._pair = lru_cache(_KEPT)(self._make_pair)
        self._cards: dict[Universe, Cards] = {}

    def answer(self, path: str, given: Mapping[str, str]) -> Answer:
        """Answer a request; whatever goes wrong is said in a line."""
        route = self._routes.get(path)
        if route is None:
            return problem(HTTPStatus.NOT_FOUND, "there is nothing at this address")
        try:
            with self._working:
                return route(given)
        except msgspec.ValidationError as wrong:
            return problem(HTTPStatus.BAD_REQUEST, visible(str(wrong)))
        except UsageError as wrong:
            return problem(HTTPStatus.BAD_REQUEST, _line(wrong))
        except ComparandaError as wrong:  # the result is good, but files behind it have changed or are gone
            return problem(HTTPStatus.CONFLICT, _line(wrong))
        except Exception as defect:
            print(f"comparanda: internal error at {path}: {visible(repr(defect))}", file=sys.stderr)
            return problem(HTTPStatus.INTERNAL_SERVER_ERROR, f"internal error: {type(defect).__name__}")

    def _items(self, asked: AskedItems) -> Items:
        listing, search = self._listing(asked.link), self._search(asked.link, asked.filters)
        search.go_on()
        return Items(
            of=listing.selection.of,
            count=len(listing.selection),
            folded=listing.selection.folded,
            total=search.total,
            held=search.looked_at,
            complete=search.complete,
            entries=tuple(Entry(card=card, runs=runs) for card, runs in search.page(asked.offset, asked.limit)),
            choices=None if asked.offset else listing.proposed,
        )

    # What is kept for the requests that follow.

    def _make_ground(self, view: str | None, base: str | None, new: str | None) -> Ground:
        """Return what conditions about one view and one pair share, which is let go with the pair."""
        del view, base, new
        return Ground(self._result.verdicts)

    def _make_listing(self, link: Link) -> Listing:
        ground = self._ground(link.view, link.base, link.new)
        return Listing(self._result, ground, link, attributes=self.attributes, text=self._text)

    def _make_search(self, link: Link, filters: Filters) -> Search:
        listing = self._listing(link)
        return Search(listing, filters, self._cards_of(listing))

    def _make_pair(self, asked: AskedPair) -> Pair:
        lists = Lists(self._result)
        choice = pair_choice(self._result, self._choices, lists, asked.base, asked.new)
        return Pair(choice=choice, lists=lists.unfilled())

    def _cards_of(self, listing: Listing) -> Cards:
        """Return what makes the cards of a list: the same for all lists whose rows are numbered alike."""
        if listing.universe not in self._cards:
            while len(self._cards) >= _KEPT:
                del self._cards[next(iter(self._cards))]
            made = Cards(self._result, listing.selection, text=self._text, attributes=self.attributes)
            self._cards[listing.universe] = made
        return self._cards[listing.universe]


def _line(problem: ComparandaError) -> str:
    """Say what is wrong in one line, with what to do about it."""
    said = problem.what if problem.where is None else f"{problem.where}: {problem.what}"
    return visible(said if problem.hint is None else f"{said} ({problem.hint})")
