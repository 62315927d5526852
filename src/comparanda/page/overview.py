"""The view that comes first: scores, whether gaps are real, what was compared and how."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.page.data import TextPart, View
from comparanda.page.parts import table_parts
from comparanda.show.cells import visible

if TYPE_CHECKING:
    from comparanda.page.building import Choices
    from comparanda.page.lists import Lists
    from comparanda.result import Result


def overview(result: Result, choices: Choices, lists: Lists) -> View:
    """Return the view."""
    parts = [*table_parts(result.scores(view=choices.view), lists.number)]
    if len(result.systems) > 1:
        parts += table_parts(result.significance(view=choices.view), lists.number)
    return View(name="overview", title="Overview", parts=(*parts, _made(result), _notes(result)))


def _made(result: Result) -> TextPart:
    facts = tuple((name, value) for name, _, value in (each.partition(":") for each in result.signature.split("|")))
    return TextPart(name="how", title="What was compared, and how", facts=facts)


def _notes(result: Result) -> TextPart:
    lines = tuple(visible(str(note)) for note in result.notes)
    return TextPart(name="notes", title="Notes", lines=lines or ("Nothing unusual was met while reading.",))
