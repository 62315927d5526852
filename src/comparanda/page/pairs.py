"""The view of pairs: what one system fixes and breaks of another."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from comparanda.page.data import Choice, View
from comparanda.page.parts import table_parts
from comparanda.show.cells import visible

if TYPE_CHECKING:
    from comparanda.page.building import Choices
    from comparanda.page.lists import Lists
    from comparanda.result import Result


def pair_view(result: Result, choices: Choices, lists: Lists) -> View | None:
    """Return the view, if there are two systems."""
    if len(result.systems) < 2:
        return None
    first = result.pair(None, None, view=choices.view)
    pairs = list(combinations(result.systems, 2))
    return View(
        name="pair",
        title="Pair",
        choices=tuple(_choice(result, choices, lists, *pair) for pair in pairs),
        chosen=pairs.index(first),
    )


def _choice(result: Result, choices: Choices, lists: Lists, base: str, new: str) -> Choice:
    found = result.difference(base, new, by=choices.by, view=choices.view)
    return Choice(title=visible(f"{base} → {new}"), base=base, new=new, parts=table_parts(found, lists.number))
