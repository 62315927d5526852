"""Examples in a terminal: the sentence, the answers, and the drawing of each task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from comparanda.findings.examples import Example, Examples, verdict_and_rule
from comparanda.render.console import print_line
from comparanda.render.table import format_count, make_visible
from comparanda.tasks.coref import examples as mentions
from comparanda.tasks.spans import examples as spans
from comparanda.tasks.trees import examples as trees

if TYPE_CHECKING:
    from comparanda.tasks.spans.examples import ItemVerdict, Stretch

_MAX_WIDTH = 160  # of a drawing, where the output is not a terminal
_MAX_CHAIN_WIDTH = 116  # of the lines of a chain, without their indent of four
_MAX_TEXT = 60  # characters of the text of a span


def print_examples(finding: Examples, console: Console) -> None:
    """Print examples one after the other, then the legends of their drawings."""
    width = max((len(answer.run) for each in finding.examples for answer in each.answers), default=3)
    for each in finding.examples:
        _print_example(each, console, max(width, 3))
    if any(each.trees for each in finding.examples):
        print_line(trees.LEGEND, "dim", console)
    if any(each.stretch is not None and each.stretch.words for each in finding.examples):
        print_line(spans.LEGEND, "dim", console)
    if any(each.chains for each in finding.examples):
        print_line(mentions.LEGEND, "dim", console)
    found = format_count(finding.count, "example")
    print_line(f"{len(finding.examples):,} of {found} shown where {finding.where}", "dim", console)


def _print_example(each: Example, console: Console, width: int) -> None:
    room = max(min(console.width, _MAX_WIDTH) - 4, 20)
    print_line(f"{each.place or each.document}  {each.document}", "dim", console)
    if each.stretch is not None and each.stretch.words:
        _print_drawing(spans.draw(each.stretch, room), console)
    else:
        _print_sentence(each, console)
    console.print(Text(f"    {'key':<{width}}  {make_visible(each.key)}"))
    for answer in each.answers:
        line = Text(f"    {make_visible(answer.run):<{width}}  {make_visible(answer.value)}")
        line.append("  right" if answer.right else "  wrong", style="green" if answer.right else "red")
        if answer.place is not None:
            line.append(f"  {make_visible(answer.place)}", style="dim")
        console.print(line)
    if each.stretch is not None:
        _print_verdicts(each.stretch, console)
    if each.chains:
        _print_drawing(mentions.draw(each.chains, min(room, _MAX_CHAIN_WIDTH)), console)
    if each.trees:
        _print_drawing(trees.draw(each.words, each.trees, room), console)
    if each.undrawn:
        print_line(f"    … they differ on {format_count(each.undrawn, 'more word')} of this sentence", "dim", console)
    console.print()


def _print_sentence(each: Example, console: Console) -> None:
    before, word, after = mentions.split_sentence(each) if each.chains else (each.before, each.word, each.after)
    sentence = Text()
    sentence.append(make_visible(before) + " " if before else "")
    sentence.append(f"[{make_visible(word)}]", style="bold")
    sentence.append(" " + make_visible(after) if after else "")
    for line in sentence.wrap(console, max(console.width - 2, 20)):
        console.print(Text("  ") + line)


def _print_drawing(lines: list[str], console: Console) -> None:
    for line in lines:
        console.print(Text(f"    {line}" if line else ""))


def _print_verdicts(stretch: Stretch, console: Console) -> None:
    for item in stretch.items:
        print_line(f"    {_format_verdicts(item)}", "", console)
    if stretch.undrawn:
        print_line(f"    … {format_count(stretch.undrawn, 'more span')} at this site", "dim", console)


def _format_verdicts(item: ItemVerdict) -> str:
    """Format the verdicts on an item: `PER "Ann", in the key: crf FN (false negative); bert TP (true positive)`."""
    covered = item.text if len(item.text) <= _MAX_TEXT else item.text[: _MAX_TEXT - 1] + "…"
    runs: dict[str, list[str]] = {}
    for each in item.verdicts:
        runs.setdefault(verdict_and_rule(each), []).append(each.run)
    found = "; ".join(f"{', '.join(names)} {verdict}" for verdict, names in runs.items())
    return f'{item.label} "{covered}", {"in" if item.positive else "not in"} the key: {found}'
