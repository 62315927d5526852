"""What the areas of a chart are called: a sample of each with its name, in rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from comparanda.show.charts.hatching import fill
from comparanda.show.charts.svg import element, text
from comparanda.show.charts.theme import INK, SIZE, Style, fitting, text_width

if TYPE_CHECKING:
    from comparanda.show.charts.pen import Pen
    from comparanda.show.links import Link

_SWATCH, _GAP = 14.0, 6.0
_BETWEEN = 16.0


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: what is written beside its sample, and what leads to what it counts."""

    said: str
    style: Style
    link: Link | None = None


def legend(pen: Pen, name: str, entries: Sequence[Entry], begin: float, end: float, top: float) -> tuple[str, float]:
    """Draw entries between two edges, and return them with where the picture below may begin."""
    x, y, parts = begin, top, []
    for each in entries:
        said = fitting(each.said, end - begin - _BETWEEN - _SWATCH - _GAP)
        size = _SWATCH + _GAP + text_width(said) + _BETWEEN
        if x > begin and x + size > end:
            x, y = begin, y + 1.5 * SIZE
        swatch = element("rect", x=x, y=y - 0.8 * SIZE, width=_SWATCH, height=SIZE, fill=fill(name, each.style))
        words = text(said, x + _SWATCH + _GAP, y + SIZE / 6, INK)
        parts.append(pen.mark(each.said, swatch, words, link=each.link))
        x += size
    return "".join(parts), y + SIZE
