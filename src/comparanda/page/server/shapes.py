"""What the page asks the server for, and what comes back: the shape of queries and of the JSON that answers them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from comparanda.page.data import Card, Choice, ItemList, Struct
from comparanda.page.server.listing import Filters, Proposed
from comparanda.show.links import Link

MOST_ENTRIES = 200
"""How many entries one answer holds at most."""


class AskedItems(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"class_": "class"}):
    """Some entries of a list, in order: the list as `Link` names it, what entries must have, which of those to send."""

    where: str
    base: str | None = None
    new: str | None = None
    view: str | None = None
    label: str = ""
    class_: str = ""
    pattern: str = ""
    slice: str = ""
    text: str = ""
    offset: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0
    limit: Annotated[int, msgspec.Meta(ge=1, le=MOST_ENTRIES)] = 50

    @property
    def link(self) -> Link:
        """What leads to the list."""
        return Link(self.where, self.base, self.new, self.view)

    @property
    def filters(self) -> Filters:
        """What entries must have."""
        return Filters(label=self.label, class_=self.class_, pattern=self.pattern, slice=self.slice, text=self.text)


class AskedPair(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A pair of systems."""

    base: str
    new: str


class Entry(Struct, frozen=True, kw_only=True):
    """An entry of a list: an example, and the runs of base and new it is about, where some system has several."""

    card: Card
    runs: tuple[int, int] | None = None


class Items(Struct, frozen=True, kw_only=True):
    """Some entries of a list.

    Args:
        of: whether they are sites or items.
        count: how many entries the list has.
        folded: how many of them are only counted in this result, so that nobody can show them.
        total: how many of them match, of those that were looked at.
        held: how many were looked at.
        complete: whether that is all of them; if not, asking again goes on.
        entries: those that were asked for.
        choices: what the list can be filtered by; with its first entries alone.

    """

    of: Literal["sites", "items"]
    count: int
    folded: int
    total: int
    held: int
    entries: tuple[Entry, ...]
    complete: bool = True
    choices: Proposed | None = None


class Pair(Struct, frozen=True, kw_only=True):
    """What is shown of a pair of systems, and the lists that its numbers lead to, numbered from 0."""

    choice: Choice
    lists: tuple[ItemList, ...]
