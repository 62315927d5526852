"""How charts look: colours that colour-blind people tell apart, and beside each a dash, a mark and a hatching.

The colours are those of Okabe and Ito without their yellow, which is too pale on paper; orange and sky blue are darker
than theirs for the same reason. No two series among the first forty-two share colour and dash, so that a chart can be
read without colours too. The same colours on dark paper: `dark.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from comparanda.render.table import visible

FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
SIZE = 12.0
"""Of all letters but those of the title."""

TITLE_SIZE = 15.0
INK, FAINT, GRID, PAPER = "#1a1a1a", "#595959", "#dedede", "#ffffff"
GOOD, BAD, CHANGED = "#00705a", "#b84500", "#7b4fa3"
"""What is better than before, what is worse, and what is only other."""

SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#b07c00", "#3f92c8")
_DASHES = (None, "7 3", "2 2", "9 3 2 3", "12 4", "5 2 1 2 1 2")
MARKS = ("circle", "square", "triangle", "diamond", "cross")
HATCHES = ("none", "rising", "falling", "lying", "dots")

_BRIEF = 60  # characters
_SLACK = 1e-6  # a text fits where it is as wide as itself, however widths were added up
_NARROW, _WIDE = "iljtfrI.,:;'|!()[]/- ", "mwMW@%&—…"
_WIDTHS = {"narrow": 0.34, "wide": 0.92, "capital": 0.7, "other": 0.57, "full": 1.05}


@dataclass(frozen=True, slots=True)
class Style:
    """What one series is told by: a colour, and without colours a dash, a mark and a hatching."""

    colour: str
    dash: str | None
    mark: str
    hatch: str


GAIN = Style(GOOD, None, "circle", "none")
LOSS = Style(BAD, "7 3", "square", "rising")
CHANGE = Style(CHANGED, "2 2", "triangle", "dots")
"""How what is better, worse or only other looks, wherever that is shown."""


def style(number: int) -> Style:
    """Return the style of a series by its number.

    >>> style(0).dash is None, style(1).dash, len({(style(n).colour, style(n).dash) for n in range(42)})
    (True, '7 3', 42)
    """
    return Style(
        SERIES[number % len(SERIES)],
        _DASHES[number % len(_DASHES)],
        MARKS[number % len(MARKS)],
        HATCHES[number % len(HATCHES)],
    )


@lru_cache(maxsize=4096)
def text_width(text: str, size: float = SIZE) -> float:
    """Return about how wide a text is as it is written, rather too much than too little: no font is asked."""
    return size * sum(_WIDTHS[_kind(character)] for character in visible(text))


def _kind(character: str) -> str:
    if unicodedata.east_asian_width(character) in {"W", "F"}:
        return "full"
    if character in _NARROW:
        return "narrow"
    if character in _WIDE:
        return "wide"
    return "capital" if character.isupper() else "other"


def fitting(text: str, room: float, size: float = SIZE) -> str:
    """Return a text as it is written, cut where there is no room for all of it.

    >>> fitting("expected precision", 60)
    'expecte…'
    """
    shown, width, kept = visible(text), 0.0, 0
    for count, character in enumerate(shown, start=1):
        width += size * _WIDTHS[_kind(character)]
        if width > room + _SLACK:
            return shown[:kept] + "…"
        if width + text_width("…", size) <= room:
            kept = count
    return shown


def brief(text: str) -> str:
    """Return a name short enough to be read out.

    >>> len(brief("x" * 1_000_000))
    60
    """
    shown = visible(text)
    return shown if len(shown) <= _BRIEF else shown[: _BRIEF - 1] + "…"


def written(label: str) -> str:
    r"""Return a label as it stands in a chart: one that is empty must be seen too.

    >>> written("NOUN"), written(""), written("\u2028")
    ('NOUN', '(empty)', '\\u2028')
    """
    return visible(label) if visible(label).strip() else "(empty)"


def folded(text: str, room: float, size: float = SIZE, most: int = 3) -> list[str]:
    """Cut a text into lines at its spaces; the last of as many as there may be is shortened."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", size) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    kept = [*lines[: most - 1], " ".join(lines[most - 1 :])] if len(lines) > most else lines
    return [fitting(line, room, size) for line in kept]


# Charts in a page that is light or dark: their colours become variables, which the page defines for both.


LIGHT: Mapping[str, str] = {
    "ink": INK,
    "faint": FAINT,
    "grid": GRID,
    "paper": PAPER,
    "good": GOOD,
    "bad": BAD,
    "changed": CHANGED,
    **{f"series-{number}": colour for number, colour in enumerate(SERIES)},
}
"""All colours of charts by the names of their variables, on light paper."""

DARK: Mapping[str, str] = {
    "ink": "#ececec",
    "faint": "#b0b5bb",
    "grid": "#3a3f45",
    "paper": "#15171a",
    "good": "#3fc9a3",
    "bad": "#ff9054",
    "changed": "#c39ae8",
    "series-0": "#4da6e0",
    "series-1": "#f5803e",
    "series-2": "#2fbf93",
    "series-3": "#dd94bd",
    "series-4": "#f2f2f2",
    "series-5": "#d9a521",
    "series-6": "#a3d3f2",
}
"""The same on dark paper."""

_NAMES = {colour: name for name, colour in LIGHT.items()}
_COLOURED = re.compile(r' (fill|stroke)="(#[0-9a-f]{6})"')


def themed(svg: str) -> str:
    """Return a chart with variables for its colours, so that it is as light or dark as the page it stands in.

    >>> themed('<path stroke="#1a1a1a" fill="none"/>')
    '<path stroke="var(--ink)" fill="none"/>'
    """
    return _COLOURED.sub(lambda found: f' {found[1]}="var(--{_NAMES[found[2]]})"', svg)


def variables() -> str:
    """Return the definitions of these variables in CSS, for `:root`.

    >>> variables().splitlines()[0]
    '--ink: light-dark(#1a1a1a, #ececec);'
    """
    return "\n".join(f"--{name}: light-dark({LIGHT[name]}, {DARK[name]});" for name in LIGHT)
