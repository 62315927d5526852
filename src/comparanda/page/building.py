"""From a result to the data of a page, view by view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from comparanda.page.data import Page, View
from comparanda.page.lists import Lists
from comparanda.page.overview import overview
from comparanda.page.pairs import pair_view
from comparanda.show.cells import counted, visible

if TYPE_CHECKING:
    from comparanda.result import Result

PER_NUMBER = 200
"""How many examples stand behind each number where not all of them do."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What a page is to hold.

    Args:
        view: the view of the task it is about; None for the first.
        title: its title; None for one that says what was compared.
        text: whether it holds words of the corpus.
        by: the attributes to cut sites by; None for those that the task proposes.

    """

    view: str | None = None
    title: str | None = None
    text: bool = True
    by: tuple[str, ...] | None = None


MakeView = Callable[["Result", Choices, Lists], View | None]

_VIEWS: Sequence[MakeView] = (overview, pair_view)
"""The views in the order in which the page shows them."""


def build(result: Result, choices: Choices | None = None) -> Page:
    """Return all that a page shows."""
    chosen = choices or Choices()
    lists = Lists(result)
    views = tuple(found for make in _VIEWS if (found := make(result, chosen, lists)) is not None)
    made, cards = lists.finish(0)
    verdicts = result.verdicts
    return Page(
        title=visible(chosen.title or f"{verdicts.task}: {', '.join(result.systems)}"),
        task=verdicts.task,
        systems={system.name: tuple(verdicts.runs[run] for run in system.runs) for system in verdicts.systems},
        runs=verdicts.runs,
        signature=visible(result.signature),
        notes=tuple(visible(str(note)) for note in result.notes),
        embedded=f"{counted(len(cards), 'example')} with their words",
        views=views,
        lists=made,
        cards=cards,
    )
