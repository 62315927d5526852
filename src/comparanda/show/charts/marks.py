"""Small signs on lines, so that these are told apart without colours."""

from __future__ import annotations

from comparanda.show.charts.svg import element, number
from comparanda.show.charts.theme import PAPER, Style

_SHAPES = {
    "square": "M-3.2 -3.2H3.2V3.2H-3.2Z",
    "triangle": "M0 -4.2L4 3.2H-4Z",
    "diamond": "M0 -4.6L4.6 0L0 4.6L-4.6 0Z",
    "cross": "M-3.4 -3.4L3.4 3.4M-3.4 3.4L3.4 -3.4",
    "circle": "M-3.5 0A3.5 3.5 0 1 0 3.5 0A3.5 3.5 0 1 0 -3.5 0Z",
}


def mark(style: Style, x: float, y: float) -> str:
    """Draw the sign of a series at a place."""
    place = f"translate({number(x)} {number(y)})"
    return element("path", d=_SHAPES[style.mark], transform=place, fill=PAPER, stroke=style.colour, stroke_width=1.6)
