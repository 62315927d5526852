"""What charts share that have a row for each thing: how high rows are, and where their names stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from comparanda.show.charts.svg import element, text
from comparanda.show.charts.theme import FAINT, GRID, INK, SIZE, fitting, text_width

ROW = 22.0
"""How high a row is."""

_NAMES = 220.0  # the most that names may take
_TILT = 45.0
_SLOPE = 0.7071  # of a tilted text: how much of its width it is high


def widest(texts: Iterable[str], most: float = _NAMES) -> float:
    """Return how much room the widest of some texts needs, and no more than may be."""
    return min(max(map(text_width, texts), default=0.0), most)


def beside(said: str, x: float, middle: float, *, colour: str = INK, anchor: str | None = None) -> str:
    """Write what stands in a row, around the middle of its height."""
    return text(said, x, middle + SIZE / 3, colour, anchor=anchor)


def striped(begin: float, end: float, middles: Sequence[float]) -> str:
    """Draw a thin line through every row, to lead the eye from its name to its mark."""
    data = "".join(f"M{begin:.2f} {middle:.2f}H{end:.2f}" for middle in middles)
    return element("path", d=data, stroke=GRID, stroke_width=1, fill="none") if data else ""


def column_room(names: Sequence[str], pitch: float) -> tuple[float, float]:
    """Return how high the names above columns are, and how far the last may reach beyond its column."""
    if not _tilted(names, pitch):
        return 1.5 * SIZE, 0.0
    size = _SLOPE * widest(names, _NAMES / 1.5)
    return size + SIZE, max(size - pitch / 2, 0.0)


def column_names(names: Sequence[str], middles: Sequence[float], bottom: float, pitch: float) -> str:
    """Write names above columns: level where there is room, else tilted."""
    tilted = _tilted(names, pitch)
    parts = []
    for name, x in zip(names, middles, strict=True):
        if tilted:
            parts.append(text(fitting(name, _NAMES / 1.5), x, bottom - 4, FAINT, turned=-_TILT))
        else:
            parts.append(text(name, x, bottom - 4, FAINT, anchor="middle"))
    return "".join(parts)


def _tilted(names: Sequence[str], pitch: float) -> bool:
    return widest(names) > pitch - 4
