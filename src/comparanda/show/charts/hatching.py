"""Areas that are told apart without colours: by lines across them."""

from __future__ import annotations

from collections.abc import Iterable

from comparanda.show.charts.svg import element
from comparanda.show.charts.theme import PAPER, Style

_HATCHES = {
    "rising": "M0 6L6 0M-1 1L1 -1M5 7L7 5",
    "falling": "M0 0L6 6M-1 5L1 7M5 -1L7 1",
    "lying": "M0 3H6",
    "dots": "M2 3H4",
}


def hatchings(name: str, styles: Iterable[Style]) -> str:
    """Define the hatchings of some styles for the chart of a name."""
    found = []
    for each in dict.fromkeys(styles):
        if each.hatch in _HATCHES:
            lines = element("path", d=_HATCHES[each.hatch], stroke=PAPER, stroke_width=1.4, fill="none")
            ground = element("rect", width=6, height=6, fill=each.colour)
            size = {"width": 6.0, "height": 6.0}
            known_by = _pattern(name, each)
            found.append(element("pattern", ground, lines, id=known_by, patternUnits="userSpaceOnUse", **size))
    return element("defs", *found) if found else ""


def fill(name: str, each: Style) -> str:
    """Return what areas of a style are filled with: its hatching, or its plain colour."""
    return f"url(#{_pattern(name, each)})" if each.hatch in _HATCHES else each.colour


def _pattern(name: str, each: Style) -> str:
    return f"{name}-{each.hatch}-{each.colour.lstrip('#')}"
