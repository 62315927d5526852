"""Findings in a terminal. Data never reaches it as markup or as control characters."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from time import monotonic
from typing import TYPE_CHECKING, Literal, TextIO

from rich.box import Box
from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid
from rich.text import Text

from comparanda.core.places import Lasting
from comparanda.render.table import Table, visible

if TYPE_CHECKING:
    from comparanda.render.finding import Finding


_BOX = Box("    \n    \n ── \n    \n ── \n ── \n    \n    \n", ascii=False)
_GAP = 3  # what the box puts between two columns
_NARROWEST = 8
_PIPED = 10_000
_LOG_EVERY = 30.0  # seconds between two lines on what is being done, where nobody sees a terminal
_TEXT_SHARE = 0.6  # of a narrow terminal, for the columns that say what a row is


def as_text(finding: Finding, top: int | None = None) -> str:
    """Return a finding as plain text."""
    stream = io.StringIO()
    show(finding, stream, top=top, plain=True)
    return stream.getvalue().strip("\n")


def show(finding: Finding, stream: TextIO, *, top: int | None = None, plain: bool = False) -> None:
    """Print a finding; on a terminal with colours, elsewhere without and never wrapped."""
    finding.print_to(console_for(stream, plain=plain), top)


def print_line(text: str, style: str, console: Console) -> None:
    """Print one line of text; control characters become visible."""
    console.print(_line(text, style))


class _Console(Console):
    """A console that leaves a closed pipe to the caller; rich would end the program with an error."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console_for(stream: TextIO, *, plain: bool = False) -> Console:
    """Return a console that honours NO_COLOR and FORCE_COLOR, and does not wrap what is piped."""
    terminal = not plain and stream.isatty()
    coloured = not os.environ.get("NO_COLOR") and (terminal or bool(os.environ.get("FORCE_COLOR")))
    return _Console(
        file=stream,
        width=None if terminal else _PIPED,
        color_system=None if plain or not coloured else "auto" if terminal else "standard",
        force_terminal=terminal,
        highlight=False,
        markup=False,
        emoji=False,
        force_jupyter=False,  # in a notebook rich would display the text instead of writing it to the stream
    )


@contextmanager
def progress(stream: TextIO, *, quiet: bool = False) -> Iterator[Callable[[str], None] | None]:
    """Show what is being done: on a terminal for a moment, in a log now and then; what is lasting stays in both.

    Gives a function to say it with, or None where nobody wants to know.
    """
    if quiet:
        yield None
        return
    console, last = console_for(stream), monotonic()

    def keep(what: str) -> None:
        if isinstance(what, Lasting):
            console.print(_line(f"note: {what}"))

    def log(what: str) -> None:
        nonlocal last
        keep(what)
        if not isinstance(what, Lasting) and (now := monotonic()) - last >= _LOG_EVERY:
            last = now
            console.print(_line(what))

    if not stream.isatty():
        yield log
        return
    with console.status(Text("starting")) as status:

        def say(what: str) -> None:
            keep(what)
            status.update(_line(what))

        yield say


def _line(text: str, style: str = "") -> Text:
    return Text(visible(text), style=style)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where a table's columns go: how wide each is, how far apart, and in which blocks, one below the other."""

    widths: dict[int, int]
    gap: int
    blocks: list[list[int]]


def print_table(table: Table, console: Console) -> None:
    """Print a table with its title and notes."""
    console.print()
    console.print(_line(table.title, "bold"))
    layout = _layout(table, console.width)
    for number, columns in enumerate(layout.blocks):
        if number:
            console.print()
        _show_block(table, columns, layout, console)
    for note in table.notes:
        console.print(_line(note, "dim"))


def print_questions(table: Table, console: Console) -> None:
    """Show questions one below the other, each with its place and the words around it."""
    console.print()
    console.print(_line(table.title, "bold"))
    width = len(table.written(len(table.rows) - 1, 0)) if table.rows else 0
    for row in range(len(table.rows)):
        number, question, share, *where, text = (table.written(row, column) for column in range(len(table.fields)))
        console.print(Text(f"{number:>{width}}  {question}  ").append("  ".join([f"{share} %", *where]), style="dim"))
        for line in Text(text).wrap(console, max(console.width - width - 4, 20)):
            console.print(Text(" " * (width + 4)) + line)
    for note in table.notes:
        console.print(_line(note, "dim"))


def _show_block(table: Table, columns: list[int], layout: _Layout, console: Console) -> None:
    grid = Grid(box=_BOX, show_edge=False, pad_edge=False, header_style="", padding=(0, 1, 0, layout.gap - 2))
    for column in columns:
        each = table.fields[column]
        justify: Literal["left", "right"] = "left" if each.kind == "text" else "right"
        grid.add_column(_line(each.header), justify=justify, width=layout.widths[column], overflow="fold")
    for number in range(len(table.rows)):
        cells = []
        for column in columns:
            style = "bold" if (number, column) in table.best else ""
            cells.append(Text(table.written(number, column), style=style))
        grid.add_row(*cells)
    console.print(grid, width=_total(layout.widths, columns, layout.gap), crop=False)


def _layout(table: Table, width: int) -> _Layout:
    """Give each column what it needs; if that is too wide, fold headers, then text, then cut into blocks.

    A number is never folded. Each block begins with the columns that say what a row is.
    """
    cells = {
        column: max((cell_len(table.written(row, column)) for row in range(len(table.rows))), default=1)
        for column in range(len(table.fields))
    }
    headers = [visible(each.header) for each in table.fields]
    whole = {column: max(size, cell_len(headers[column]), 1) for column, size in cells.items()}
    columns = list(whole)
    if _total(whole, columns, _GAP) <= width:
        return _Layout(whole, _GAP, [columns])
    gap = _GAP - 1
    folded = {column: max(size, *map(cell_len, headers[column].split()), 1) for column, size in cells.items()}
    if _total(folded, columns, gap) <= width:
        return _Layout(folded, gap, [columns])
    leading = list(takewhile(lambda column: table.fields[column].kind == "text", columns)) or [0]
    _fold(folded, leading, int(_TEXT_SHARE * width), gap)
    return _Layout(folded, gap, _blocks(folded, leading, width, gap))


def _blocks(widths: dict[int, int], leading: list[int], width: int, gap: int) -> list[list[int]]:
    blocks = [list(leading)]
    for column in list(widths)[len(leading) :]:
        if blocks[-1] != leading and _total(widths, [*blocks[-1], column], gap) > width:
            blocks.append(list(leading))
        blocks[-1].append(column)
    return blocks


def _fold(widths: dict[int, int], columns: list[int], room: int, gap: int) -> None:
    """Narrow the widest of some columns of text until all fit, but not below a few letters."""
    while _total(widths, columns, gap) > room:
        widest = max(columns, key=lambda column: widths[column])
        if widths[widest] <= _NARROWEST:
            return
        widths[widest] -= 1


def _total(widths: dict[int, int], columns: list[int], gap: int) -> int:
    return sum(widths[column] for column in columns) + gap * (len(columns) - 1)


# A bar that shows on a terminal how far a long piece of work has come.


_EVERY = 0.05  # seconds between two looks at what is told


@contextmanager
def bar(stream: TextIO, *, quiet: bool = False) -> Iterator[Callable[[str, int, int], None] | None]:
    """Show how much is done; gives a function to tell what, how much, and of how much; None where no terminal is."""
    if quiet or not stream.isatty():
        yield None
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console_for(stream), transient=True) as shown:
        task, last = shown.add_task("", total=None), 0.0

        def told(what: str, done: int, total: int) -> None:
            nonlocal last
            if (now := time.monotonic()) - last >= _EVERY:
                last = now
                shown.update(task, description=what, completed=done, total=total)

        yield told
