"""Charts in a page that is light or dark: their colours become variables, which the page defines for both."""

from __future__ import annotations

import re
from collections.abc import Mapping

from comparanda.show.charts.theme import BAD, CHANGED, FAINT, GOOD, GRID, INK, PAPER, SERIES

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
