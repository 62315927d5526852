"""Dot plots: a row for each thing, its value as a dot with an interval around it, and its numbers at the right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from comparanda.show.cells import UNDEFINED
from comparanda.show.charts.axes import Axis, Frame, Scale, horizontal, nothing, ticked
from comparanda.show.charts.paper import MARGIN, Paper
from comparanda.show.charts.rows import ROW, beside, striped, widest
from comparanda.show.charts.svg import element, path, text
from comparanda.show.charts.theme import FAINT, GRID, INK, SERIES, SIZE, brief, fitting

if TYPE_CHECKING:
    from comparanda.show.charts.pen import Pen
    from comparanda.show.links import Link

_BELOW = 48.0
_GAP = 14.0
_RADIUS = 5.0


@dataclass(frozen=True, kw_only=True)
class Dot:
    """One row.

    Args:
        name: what stands at its left.
        value: where its dot stands; None where it is undefined.
        low: the lower end of its interval.
        high: the upper end.
        texts: what stands at its right, a text for each column; the first leads to what the row counts, too.
        note: what is told beside these.
        link: what leads to what the row counts.

    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    texts: tuple[str, ...] = ()
    note: str = ""
    link: Link | None = None


@dataclass(frozen=True, kw_only=True)
class DotPlot(Paper):
    """Dots in rows over one axis.

    >>> chart = DotPlot(title="Accuracy", description="Two systems.", x=Axis(label="accuracy (%)", unit="share"),
    ...                 columns=("accuracy",), dots=(Dot(name="crf", value=0.9, texts=("90.00",)),))
    >>> "90.00" in chart.svg()
    True

    Args:
        x: the axis.
        columns: what stands at the right of each row.
        dots: the rows, from above.
        joined: whether each dot goes on from that above it: then steps join them.
        reference: the name and value of what all are compared with, drawn as a line from top to bottom.

    """

    x: Axis
    columns: tuple[str, ...]
    dots: tuple[Dot, ...]
    joined: bool = False
    reference: tuple[str, float] | None = None

    def drawn(self, pen: Pen, top: float) -> tuple[str, float]:
        """Draw all rows."""
        ticks = ticked(self.x, self._values())
        rooms = [
            widest([name, *(dot.texts[place] for dot in self.dots)], 160) for place, name in enumerate(self.columns)
        ]
        left = MARGIN + widest(dot.name for dot in self.dots) + _GAP
        right = self.width - MARGIN - sum(rooms) - _GAP * len(rooms)
        bottom = top + SIZE + ROW * max(len(self.dots), 1)
        frame = Frame(left, top + SIZE, right, bottom)
        scale = Scale(ticks.low, ticks.high, left + _RADIUS, right - _RADIUS)
        middles = [frame.top + ROW * (place + 0.5) for place in range(len(self.dots))]
        parts = [
            element("path", d="".join(f"M{scale.place(tick):.2f} {frame.top:.2f}V{bottom:.2f}" for tick in ticks.ticks),
                    stroke=GRID, fill="none"),
            striped(left, right, middles),
            horizontal(self.x, ticks, scale, frame),
            self._reference(scale, frame),
            self._steps(scale, middles),
            *_headings(self.columns, rooms, right, frame.top - 6),
            *(self._row(pen, dot, scale, middle, rooms) for dot, middle in zip(self.dots, middles, strict=True)),
            "" if self.dots else nothing(frame),
        ]  # fmt: skip
        return "".join(parts), bottom + _BELOW

    def _values(self) -> list[float]:
        given = [each for dot in self.dots for each in (dot.value, dot.low, dot.high)]
        return [each for each in (*given, None if self.reference is None else self.reference[1]) if each is not None]

    def _reference(self, scale: Scale, frame: Frame) -> str:
        if self.reference is None:
            return ""
        name, value = self.reference
        x, left = scale.place(value), value <= (scale.low + scale.high) / 2
        line = path([(x, frame.top - 4), (x, frame.bottom)])
        said = fitting(name, frame.right - x if left else x - frame.left)
        return element("path", d=line, stroke=FAINT, stroke_dasharray="3 3", stroke_width=1.2, fill="none") + text(
            said, x, frame.top - 6, FAINT, anchor=None if left else "end"
        )

    def _steps(self, scale: Scale, middles: Sequence[float]) -> str:
        if not self.joined:
            return ""
        known = [
            (scale.place(dot.value), y) for dot, y in zip(self.dots, middles, strict=True) if dot.value is not None
        ]
        corners = [known[:1], *([(before[0], here[1]), here] for before, here in pairwise(known))]
        data = path(point for piece in corners for point in piece)
        return element("path", d=data, stroke=SERIES[0], stroke_width=2, fill="none") if known else ""

    def _row(self, pen: Pen, dot: Dot, scale: Scale, middle: float, rooms: Sequence[float]) -> str:
        """Draw one row; dot, interval and first text are its mark."""
        x = scale.begin - _RADIUS
        parts = [beside(fitting(dot.name, x - MARGIN - _GAP), x - _GAP, middle, anchor="end")]
        if dot.value is None:
            shapes = [beside(UNDEFINED, x + 4, middle, colour=FAINT)]
        else:
            shapes = [_interval(dot, scale, middle), _dot(scale.place(dot.value), middle)]
        x = scale.end + _RADIUS
        texts = []
        for said, room in zip(dot.texts, rooms, strict=True):
            x += room + _GAP
            texts.append(beside(fitting(said, room), x, middle, anchor="end"))
        named = [f"{name} {said}" for name, said in zip(self.columns, dot.texts, strict=True) if said]
        told = f"{brief(dot.name)}: {', '.join([*named, *([dot.note] if dot.note else [])])}"
        return "".join([*parts, pen.mark(told, *shapes, *texts[:1], link=dot.link), *texts[1:]])


def _headings(columns: Sequence[str], rooms: Sequence[float], right: float, y: float) -> Iterable[str]:
    x = right
    for name, room in zip(columns, rooms, strict=True):
        x += room + _GAP
        yield text(fitting(name, room), x, y, FAINT, anchor="end")


def _dot(x: float, y: float) -> str:
    return element("circle", cx=x, cy=y, r=_RADIUS, fill=SERIES[0])


def _interval(dot: Dot, scale: Scale, y: float) -> str:
    if dot.low is None or dot.high is None:
        return ""
    begin, end = scale.place(dot.low), scale.place(dot.high)
    data = path([(begin, y), (end, y)]) + path([(begin, y - 4), (begin, y + 4)]) + path([(end, y - 4), (end, y + 4)])
    return element("path", d=data, stroke=INK, stroke_width=1.5, fill="none")
