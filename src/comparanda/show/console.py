"""Findings in a terminal. Data never reaches it as markup or as control characters."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, TextIO

from rich.box import Box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from comparanda.compare.anatomy import Anatomy
from comparanda.compare.examples import Example, Examples
from comparanda.show.cells import visible
from comparanda.show.tables import TOP, Table, tables

if TYPE_CHECKING:
    from comparanda.compare.finding import Finding

_BOX = Box("    \n    \n ── \n    \n ── \n ── \n    \n    \n", ascii=False)
_PIPED = 10_000


def as_text(finding: Finding, top: int = TOP) -> str:
    """Return a finding as plain text."""
    stream = io.StringIO()
    show(finding, stream, top=top, plain=True)
    return stream.getvalue().rstrip("\n")


def show(finding: Finding, stream: TextIO, *, top: int = TOP, plain: bool = False) -> None:
    """Print a finding; on a terminal with colours, elsewhere without and never wrapped."""
    console = console_for(stream, plain=plain)
    if isinstance(finding, Anatomy):
        console.print(_line(f"{finding.task}: {finding.documents:,} documents, {finding.sites:,} sites", "bold"))
        for reason, count in finding.left_out.items():
            console.print(_line(f"left out, {reason}: {count:,}", "dim"))
    if isinstance(finding, Examples):
        _show_examples(finding, console)
        return
    for table in tables(finding, top):
        _show_table(table, console)
    if isinstance(finding, Anatomy):
        console.print()
        console.print(_line(finding.signature, "dim"))


def console_for(stream: TextIO, *, plain: bool = False) -> Console:
    """Return a console that honours NO_COLOR and does not wrap what is piped."""
    terminal = not plain and stream.isatty()
    return Console(
        file=stream,
        width=None if terminal else _PIPED,
        color_system="auto" if terminal else None,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
    )


def _line(text: str, style: str = "") -> Text:
    return Text(visible(text), style=style)


def _show_table(table: Table, console: Console) -> None:
    console.print()
    console.print(_line(table.title, "bold"))
    grid = Grid(box=_BOX, show_edge=False, pad_edge=False, header_style="")
    for each in table.fields:
        grid.add_column(_line(each.header), justify="left" if each.kind == "text" else "right", no_wrap=True)
    for number in range(len(table.rows)):
        cells = []
        for column in range(len(table.fields)):
            style = "bold" if (number, column) in table.best else ""
            cells.append(Text(table.written(number, column), style=style))
        grid.add_row(*cells)
    console.print(grid)
    for note in table.notes:
        console.print(_line(note, "dim"))


def _show_examples(finding: Examples, console: Console) -> None:
    width = max((len(answer.run) for each in finding.examples for answer in each.answers), default=3)
    for each in finding.examples:
        _show_example(each, console, max(width, 3))
    noun = "example" if finding.count == 1 else "examples"
    console.print(_line(f"{len(finding.examples):,} of {finding.count:,} {noun} shown where {finding.where}", "dim"))


def _show_example(each: Example, console: Console, width: int) -> None:
    console.print(_line(f"{each.place or each.document}  {each.document}", "dim"))
    sentence = Text("  ")
    sentence.append(visible(each.before) + " " if each.before else "")
    sentence.append(f"[{visible(each.word)}]", style="bold")
    sentence.append(" " + visible(each.after) if each.after else "")
    console.print(sentence)
    console.print(Text(f"    {'key':<{width}}  {visible(each.key)}"))
    for answer in each.answers:
        line = Text(f"    {visible(answer.run):<{width}}  {visible(answer.value)}")
        line.append("  right" if answer.right else "  wrong", style="green" if answer.right else "red")
        if answer.place is not None:
            line.append(f"  {visible(answer.place)}", style="dim")
        console.print(line)
    console.print()
