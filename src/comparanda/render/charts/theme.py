"""The look of charts: colours that colour-blind people can distinguish, each with a dash, a marker and a hatching.

The colours are those of Okabe and Ito without their yellow, which is too pale on paper; orange and sky blue are darker
than theirs for the same reason. No two of the first forty-two series share both colour and dash, so that charts can be
read without colour. A second set of colours is for a dark background.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from comparanda.render.table import make_visible

FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
SIZE = 12.0
"""The font size of all text except the title."""

TITLE_SIZE = 15.0
INK, FAINT, GRID, PAPER = "#1a1a1a", "#595959", "#dedede", "#ffffff"
GOOD, BAD, CHANGED = "#00705a", "#b84500", "#7b4fa3"
"""The colours of improvements, deteriorations and neutral changes."""

SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#b07c00", "#3f92c8")
_DASHES = (None, "7 3", "2 2", "9 3 2 3", "12 4", "5 2 1 2 1 2")
MARKS = ("circle", "square", "triangle", "diamond", "cross")
HATCHES = ("none", "rising", "falling", "lying", "dots")

_MAX_NAME_LENGTH = 60  # characters
_TOLERANCE = 1e-6  # rounding error of summed widths
_NARROW, _WIDE = "iljtfrI.,:;'|!()[]/- ", "mwMW@%&—…"
_WIDTHS = {"narrow": 0.34, "wide": 0.92, "capital": 0.7, "other": 0.57, "full": 1.05}


@dataclass(frozen=True, slots=True)
class Style:
    """The style of one series: a colour, and for reading without colour a dash, a marker and a hatching."""

    colour: str
    dash: str | None
    mark: str
    hatch: str


GAIN = Style(GOOD, None, "circle", "none")
LOSS = Style(BAD, "7 3", "square", "rising")
CHANGE = Style(CHANGED, "2 2", "triangle", "dots")
"""The styles of improvements, deteriorations and neutral changes in all charts."""


def get_style(number: int) -> Style:
    """Return the style of a series, given its number.

    >>> get_style(0).dash is None, get_style(1).dash, len({(get_style(n).colour, get_style(n).dash) for n in range(42)})
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
    """Estimate the width of a displayed text without font metrics, erring on the wide side."""
    return size * sum(_WIDTHS[_width_class(character)] for character in make_visible(text))


def _width_class(character: str) -> str:
    if unicodedata.east_asian_width(character) in {"W", "F"}:
        return "full"
    if character in _NARROW:
        return "narrow"
    if character in _WIDE:
        return "wide"
    return "capital" if character.isupper() else "other"


def fit_text(text: str, room: float, size: float = SIZE) -> str:
    """Return the displayed form of a text, shortened to fit into `room`.

    >>> fit_text("expected precision", 60)
    'expecte…'
    """
    shown, width, kept = make_visible(text), 0.0, 0
    for count, character in enumerate(shown, start=1):
        width += size * _WIDTHS[_width_class(character)]
        if width > room + _TOLERANCE:
            return shown[:kept] + "…"
        if width + text_width("…", size) <= room:
            kept = count
    return shown


def shorten_name(text: str) -> str:
    """Shorten a name for tooltips and screen readers.

    >>> len(shorten_name("x" * 1_000_000))
    60
    """
    shown = make_visible(text)
    return shown if len(shown) <= _MAX_NAME_LENGTH else shown[: _MAX_NAME_LENGTH - 1] + "…"


def display_label(label: str) -> str:
    r"""Return the displayed form of a label; an empty label becomes "(empty)".

    >>> display_label("NOUN"), display_label(""), display_label("\u2028")
    ('NOUN', '(empty)', '\\u2028')
    """
    return make_visible(label) if make_visible(label).strip() else "(empty)"


def wrap_text(text: str, room: float, size: float = SIZE, most: int = 3) -> list[str]:
    """Wrap a text at spaces into at most `most` lines; the last line is shortened to fit."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", size) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    kept = [*lines[: most - 1], " ".join(lines[most - 1 :])] if len(lines) > most else lines
    return [fit_text(line, room, size) for line in kept]


# Charts in a page with a light and a dark theme: colours become CSS variables, which the page defines for both.


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
"""All chart colours by the names of their variables, for a light background."""

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
"""The same for a dark background."""

_VARIABLE_NAMES = {colour: name for name, colour in LIGHT.items()}
_COLOUR_ATTRIBUTE = re.compile(r' (fill|stroke)="(#[0-9a-f]{6})"')


def apply_theme(svg: str) -> str:
    """Replace the colours of a chart by variables, so that it follows the theme of the page.

    >>> apply_theme('<path stroke="#1a1a1a" fill="none"/>')
    '<path stroke="var(--ink)" fill="none"/>'
    """
    return _COLOUR_ATTRIBUTE.sub(lambda found: f' {found[1]}="var(--{_VARIABLE_NAMES[found[2]]})"', svg)


def define_variables() -> str:
    """Return the CSS definitions of these variables, for `:root`.

    >>> define_variables().splitlines()[0]
    '--ink: light-dark(#1a1a1a, #ececec);'
    """
    return "\n".join(f"--{name}: light-dark({LIGHT[name]}, {DARK[name]});" for name in LIGHT)
