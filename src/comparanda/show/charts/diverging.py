"""Bars to both sides of a line: what is lost to its left, what is gained to its right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from comparanda.show.charts.axes import Frame, nothing
from comparanda.show.charts.hatching import fill, hatchings
from comparanda.show.charts.paper import MARGIN, Paper
from comparanda.show.charts.rows import ROW, beside, widest
from comparanda.show.charts.svg import element, path, text
from comparanda.show.charts.theme import FAINT, GAIN, INK, LOSS, SIZE, brief, fitting

if TYPE_CHECKING:
    from comparanda.show.charts.pen import Pen
    from comparanda.show.links import Link

_GAP, _THICK = 14.0, 14.0
_BETWEEN = 5.0  # a bar and its number
_TOTALS = 120.0  # the most that what stands at the right may take


@dataclass(frozen=True, kw_only=True)
class Side:
    """A bar: how long it is, what is written at its end, and what leads to what it counts."""

    value: float
    said: str
    link: Link | None = None


@dataclass(frozen=True, kw_only=True)
class Balance:
    """One row: its name, what is lost and gained there (None for no bar), and what stands at its right."""

    name: str
    lost: Side | None
    gained: Side | None
    said: str = ""


@dataclass(frozen=True, kw_only=True)
class DivergingChart(Paper):
    """Rows with a bar to each side; both sides have one scale.

    >>> row = Balance(name="NOUN", lost=Side(value=2, said="2"), gained=Side(value=5, said="5"), said="+3")
    >>> "+3" in DivergingChart(title="Gains", description="By label.", lost="lost", gained="won", rows=(row,)).svg()
    True

    Args:
        lost: what bars to the left are called.
        gained: what bars to the right are called.
        rows: the rows, from above.
        total: what stands at the right of rows.

    """

    lost: str
    gained: str
    rows: tuple[Balance, ...]
    total: str = ""

    def drawn(self, pen: Pen, top: float) -> tuple[str, float]:
        """Draw all rows."""
        laid = _Layout.of(self)
        frame = Frame(laid.left, top + SIZE, laid.right, top + SIZE + ROW * max(len(self.rows), 1))
        middles = [frame.top + ROW * (place + 0.5) for place in range(len(self.rows))]
        above = frame.top - 6
        line = element("path", d=path([(laid.zero, frame.top), (laid.zero, frame.bottom)]), stroke=INK, fill="none")
        parts = [
            hatchings(self.name, (LOSS, GAIN)),
            text(fitting(self.lost, laid.zero - MARGIN), laid.zero - 8, above, FAINT, anchor="end"),
            text(fitting(self.gained, laid.right - laid.zero), laid.zero + 8, above, FAINT),
            text(fitting(self.total, laid.totals), self.width - MARGIN, above, FAINT, anchor="end"),
            *(self._row(pen, each, middle, laid) for each, middle in zip(self.rows, middles, strict=True)),
            line if self.rows else nothing(frame, "neither gains nor losses"),
        ]
        return "".join(parts), frame.bottom + MARGIN

    def _row(self, pen: Pen, each: Balance, middle: float, laid: _Layout) -> str:
        parts = [
            beside(fitting(each.name, laid.left - MARGIN - _GAP), laid.left - _GAP, middle, anchor="end"),
            beside(fitting(each.said, laid.totals), self.width - MARGIN, middle, anchor="end"),
        ]
        for side, what, style, way in ((each.lost, self.lost, LOSS, -1), (each.gained, self.gained, GAIN, 1)):
            if side is not None:
                told = f"{brief(each.name)}, {brief(what)}: {side.said}"
                bar = _bar(side, fill(self.name, style), middle, laid.zero, way * laid.unit)
                parts.append(pen.mark(told, *bar, link=side.link))
        return "".join(parts)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where bars may stand, where they begin, how long one of value 1 is, and how wide what stands at the right is."""

    left: float
    right: float
    zero: float
    unit: float
    totals: float

    @classmethod
    def of(cls, chart: DivergingChart) -> _Layout:
        """Share the width out: both sides have one scale, and room for the number of their longest bar."""
        sides = [[side for each in chart.rows if (side := getattr(each, name))] for name in ("lost", "gained")]
        rooms = [widest(side.said for side in each) + _BETWEEN for each in sides]
        most = [max((side.value for side in each), default=0.0) for each in sides]
        totals = widest([chart.total, *(each.said for each in chart.rows)], _TOTALS)
        left = MARGIN + widest(each.name for each in chart.rows) + _GAP
        right = chart.width - MARGIN - totals - 2 * _GAP
        unit = (right - left - sum(rooms)) / (sum(most) or 1.0)
        return cls(left, right, left + rooms[0] + unit * most[0], unit, totals)


def _bar(side: Side, inside: str, middle: float, zero: float, unit: float) -> tuple[str, str]:
    """Draw a bar from the line to its side, and its number behind its end."""
    end = zero + unit * side.value
    box = {"x": min(zero, end), "y": middle - _THICK / 2, "width": abs(end - zero), "height": _THICK}
    bar = element("rect", fill=inside, **box)
    if unit < 0:
        return bar, beside(side.said, end - _BETWEEN, middle, anchor="end")
    return bar, beside(side.said, end + _BETWEEN, middle)
