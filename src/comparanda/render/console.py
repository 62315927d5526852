"""Terminal output of findings and progress. Data never reaches the terminal as markup or control characters."""

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
from rich.table import Table as Grid
from rich.text import Text

from comparanda.core.places import Lasting
from comparanda.render.table import Table, make_visible

if TYPE_CHECKING:
    from comparanda.render.finding import Finding


_BOX = Box("    \n    \n ── \n    \n ── \n ── \n    \n    \n", ascii=False)
_GAP = 3  # cells that the box puts between two columns
_MIN_WIDTH = 8
_PIPED_WIDTH = 10_000
_LOG_SECONDS = 30.0  # seconds between two progress lines where the output is not a terminal
_TEXT_SHARE = 0.6  # share of a narrow terminal for the leading columns, which identify a row


def as_text(finding: Finding, top: int | None = None) -> str:
    """Return a finding as plain text."""
    stream = io.StringIO()
    show(finding, stream, top=top, plain=True)
    return stream.getvalue().strip("\n")


def show(finding: Finding, stream: TextIO, *, top: int | None = None, plain: bool = False) -> None:
    """Print a finding, with colours on a terminal; elsewhere without colours and without wrapping."""
    finding.print_to(console_for(stream, plain=plain), top)


def print_line(text: str, style: str, console: Console) -> None:
    """Print one line of text with control characters escaped."""
    console.print(_plain_line(text, style))


class _Console(Console):
    """A console that raises BrokenPipeError for a closed pipe; Rich would exit with an error status."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console_for(stream: TextIO, *, plain: bool = False) -> Console:
    """Return a console that honours NO_COLOR and FORCE_COLOR and does not wrap piped output."""
    terminal = not plain and stream.isatty()
    coloured = not os.environ.get("NO_COLOR") and (terminal or bool(os.environ.get("FORCE_COLOR")))
    return _Console(
        file=stream,
        width=None if terminal else _PIPED_WIDTH,
        color_system=None if plain or not coloured else "auto" if terminal else "standard",
        force_terminal=terminal,
        highlight=False,
        markup=False,
        emoji=False,
        force_jupyter=False,  # in a notebook rich would display the text instead of writing it to the stream
    )


@contextmanager
def show_progress(stream: TextIO, *, quiet: bool = False) -> Iterator[Callable[[str], None] | None]:
    """Show progress messages: a status line on a terminal, an occasional line in a log.

    Persistent messages are printed as notes in both. Yields the function that takes messages, or None if `quiet`.
    """
    if quiet:
        yield None
        return
    console, last = console_for(stream), monotonic()

    def print_lasting(what: str) -> None:
        if isinstance(what, Lasting):
            console.print(_plain_line(f"note: {what}"))

    def log(what: str) -> None:
        nonlocal last
        print_lasting(what)
        if not isinstance(what, Lasting) and (now := monotonic()) - last >= _LOG_SECONDS:
            last = now
            console.print(_plain_line(what))

    if not stream.isatty():
        yield log
        return
    with console.status(Text("starting")) as status:

        def update_status(what: str) -> None:
            print_lasting(what)
            status.update(_plain_line(what))

        yield update_status


def _plain_line(text: str, style: str = "") -> Text:
    return Text(make_visible(text), style=style)


@dataclass(frozen=True, slots=True)
class _Layout:
    """The layout of a table: the width of each column, the gap between columns, and the blocks printed in turn."""

    widths: dict[int, int]
    gap: int
    blocks: list[list[int]]


def print_table(table: Table, console: Console) -> None:
    """Print a table with its title and notes."""
    console.print()
    console.print(_plain_line(table.title, "bold"))
    layout = _choose_layout(table, console.width)
    for number, columns in enumerate(layout.blocks):
        if number:
            console.print()
        _print_block(table, columns, layout, console)
    for note in table.notes:
        console.print(_plain_line(note, "dim"))


def print_questions(table: Table, console: Console) -> None:
    """Print questions one after the other, each with its location and the surrounding words."""
    console.print()
    console.print(_plain_line(table.title, "bold"))
    width = len(table.written(len(table.rows) - 1, 0)) if table.rows else 0
    for row in range(len(table.rows)):
        number, question, share, *where, text = (table.written(row, column) for column in range(len(table.fields)))
        console.print(Text(f"{number:>{width}}  {question}  ").append("  ".join([f"{share} %", *where]), style="dim"))
        for line in Text(text).wrap(console, max(console.width - width - 4, 20)):
            console.print(Text(" " * (width + 4)) + line)
    for note in table.notes:
        console.print(_plain_line(note, "dim"))


def _print_block(table: Table, columns: list[int], layout: _Layout, console: Console) -> None:
    grid = Grid(box=_BOX, show_edge=False, pad_edge=False, header_style="", padding=(0, 1, 0, layout.gap - 2))
    for column in columns:
        each = table.fields[column]
        justify: Literal["left", "right"] = "left" if each.kind == "text" else "right"
        grid.add_column(_plain_line(each.header), justify=justify, width=layout.widths[column], overflow="fold")
    for number in range(len(table.rows)):
        cells = []
        for column in columns:
            style = "bold" if (number, column) in table.best else ""
            cells.append(Text(table.written(number, column), style=style))
        grid.add_row(*cells)
    console.print(grid, width=_total_width(layout.widths, columns, layout.gap), crop=False)


def _choose_layout(table: Table, width: int) -> _Layout:
    """Give each column the width it needs; if the table is too wide, fold headers, then text, then split into blocks.

    A number is never folded. Each block begins with the leading text columns, which identify a row.
    """
    cells = {
        column: max((cell_len(table.written(row, column)) for row in range(len(table.rows))), default=1)
        for column in range(len(table.fields))
    }
    headers = [make_visible(each.header) for each in table.fields]
    full = {column: max(size, cell_len(headers[column]), 1) for column, size in cells.items()}
    columns = list(full)
    if _total_width(full, columns, _GAP) <= width:
        return _Layout(full, _GAP, [columns])
    gap = _GAP - 1
    folded = {column: max(size, *map(cell_len, headers[column].split()), 1) for column, size in cells.items()}
    if _total_width(folded, columns, gap) <= width:
        return _Layout(folded, gap, [columns])
    leading = list(takewhile(lambda column: table.fields[column].kind == "text", columns)) or [0]
    _narrow_columns(folded, leading, int(_TEXT_SHARE * width), gap)
    return _Layout(folded, gap, _split_into_blocks(folded, leading, width, gap))


def _split_into_blocks(widths: dict[int, int], leading: list[int], width: int, gap: int) -> list[list[int]]:
    blocks = [list(leading)]
    for column in list(widths)[len(leading) :]:
        if blocks[-1] != leading and _total_width(widths, [*blocks[-1], column], gap) > width:
            blocks.append(list(leading))
        blocks[-1].append(column)
    return blocks


def _narrow_columns(widths: dict[int, int], columns: list[int], room: int, gap: int) -> None:
    """Narrow the widest of the given text columns until all fit, but not below `_MIN_WIDTH`."""
    while _total_width(widths, columns, gap) > room:
        widest = max(columns, key=lambda column: widths[column])
        if widths[widest] <= _MIN_WIDTH:
            return
        widths[widest] -= 1


def _total_width(widths: dict[int, int], columns: list[int], gap: int) -> int:
    return sum(widths[column] for column in columns) + gap * (len(columns) - 1)


# A progress bar for long computations.


_REFRESH_SECONDS = 0.05  # seconds between two updates of the bar


@contextmanager
def show_progress_bar(stream: TextIO, *, quiet: bool = False) -> Iterator[Callable[[str, int, int], None] | None]:
    """Show a progress bar; yields a function of description, done and total, or None without a terminal."""
    if quiet or not stream.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console_for(stream), transient=True) as shown:
        task, last = shown.add_task("", total=None), 0.0

        def report_progress(what: str, done: int, total: int) -> None:
            nonlocal last
            if (now := time.monotonic()) - last >= _REFRESH_SECONDS:
                last = now
                shown.update(task, description=what, completed=done, total=total)

        yield report_progress
