"""What was compared and how, and what was met on the way: the small print of a page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from comparanda.comparison.significance import warnings
from comparanda.errors import ReadError
from comparanda.page.data import TextPart
from comparanda.show.cells import counted, visible
from comparanda.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.excerpts import Side
    from comparanda.page.building import Choices
    from comparanda.places import Note
    from comparanda.result import Result

_FILES = 3
"""How many files of one side are named."""


def how_made(result: Result, choices: Choices, ground: str | None = None) -> TextPart:
    """Return what was compared and how; without a key, the output that stands in its place is named."""
    facts = tuple((visible(name), visible(value)) for name, value in _facts(result, choices, ground))
    return TextPart(name="how", title="What was compared, and how", facts=facts)


def _facts(result: Result, choices: Choices, ground: str | None) -> Iterator[tuple[str, str]]:
    verdicts, context = result.verdicts, result.context(choices.view)
    view = context.view
    yield "task", verdicts.task
    if len(verdicts.views) > 1:
        yield "view", f"{view.name}, one of {', '.join(verdicts.views)}"
    files = _files(result)
    yield ("key", files.get("key", "n/a")) if ground is None else ("key", "none")
    if ground is not None:
        yield "ground", f"{ground}, whose documents and words are those of all: {files.get('key', 'n/a')}"
    for system in verdicts.systems:
        yield (
            f"{'system' if ground is None else 'output'} {system.name}",
            "; ".join(files.get(verdicts.runs[run], "n/a") for run in system.runs),
        )
    yield "documents", f"{len(verdicts.documents):,}"
    yield "sites", f"{len(view.sites):,}"
    for reason, count in view.left_out_counts.items():
        yield f"left out, {reason}", f"{count:,}"
    yield "measures", ", ".join(view.measures)
    yield from ((name.replace("_", " "), value) for name, value in verdicts.settings.items())
    yield "unit of resampling", counted(len(context.active), verdicts.units.kind)
    yield "resamples", f"{result.resamples:,}" if result.resamples else "none: no intervals and no tests"
    yield "seed", str(result.seed)
    if result.zero_division is not None:
        yield "undefined ratios", f"{result.zero_division:g}"
    for warning in warnings(context) if result.resamples else ():
        yield "beware", warning
    yield "comparanda", __version__


def _files(result: Result) -> dict[str, str]:
    """Return the files of the key ("key") and of each run by its name, as far as they are known."""
    named: dict[str, list[str]] = {}
    alone = len(result.verdicts.texts.parts) == 1  # the bytes of many parts are not read for their names
    for part in result.verdicts.texts.parts:
        for side in part.words().sides:
            named.setdefault(side.name, []).extend(_names(side) if alone else [each.name for each in side.source.parts])
    return {name: _listed(list(dict.fromkeys(files))) for name, files in named.items()}


def _names(side: Side) -> list[str]:
    """Return the names of a side's files; those of a saved result may be gone, and the numbers are still good."""
    try:
        return [part.name for part in side.source().parts]
    except ReadError as problem:
        return [str(problem).partition("\n")[0]]


def _listed(files: list[str]) -> str:
    left = len(files) - _FILES
    return ", ".join(files) if left <= 1 else f"{', '.join(files[:_FILES])} and {left:,} more files"


def notes_of(result: Result, choices: Choices) -> tuple[Note, ...]:
    """Return what was met while reading and aligning; without words of the corpus, which places may quote."""
    return result.notes if choices.text else tuple(replace(note, first=()) for note in result.notes)


def noted(result: Result, choices: Choices) -> TextPart:
    """Return all of that, under the side it was met on."""
    facts = tuple(
        (visible(note.side), visible(str(note).removeprefix(f"{note.side}: "))) for note in notes_of(result, choices)
    )
    lines = () if facts else ("Nothing unusual was met while reading.",)
    return TextPart(name="notes", title="Notes", lines=lines, facts=facts)
