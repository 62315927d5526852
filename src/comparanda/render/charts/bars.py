"""Bar charts: groups of bars side by side, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from comparanda.render.charts.axes import (
    ROW,
    Axis,
    Frame,
    Scale,
    beside,
    horizontal,
    nothing,
    striped,
    tick_room,
    ticked,
    vertical,
    widest,
)
from comparanda.render.charts.canvas import MARGIN, Entry, Paper, element, fill, hatchings, legend, number, path, text
from comparanda.render.charts.theme import (
    FAINT,
    GAIN,
    GRID,
    INK,
    LOSS,
    PAPER,
    SERIES,
    SIZE,
    brief,
    fitting,
    style,
    text_width,
)
from comparanda.render.table import UNDEFINED

if TYPE_CHECKING:
    from comparanda.render.charts.canvas import Pen
    from comparanda.render.links import Link


_BELOW = 52.0
_EXACT = 1e-4  # values are written as if ticks were so close


@dataclass(frozen=True, kw_only=True)
class Bars:
    """One series: a bar in each group. None where a value is undefined.

    Args:
        name: what it is called in the legend.
        values: the height of each bar.
        low: the lower end of each one's interval.
        high: the upper end.
        links: what leads from each bar to what it counts.

    """

    name: str
    values: Sequence[float | None]
    low: Sequence[float | None] | None = None
    high: Sequence[float | None] | None = None
    links: Sequence[Link] | None = None


@dataclass(frozen=True, kw_only=True)
class BarChart(Paper):
    """Bars in groups, from zero up, with their values above them; a bar without a value says n/a.

    >>> chart = BarChart(title="Tuples", description="Tuples by weight.", label="weight", groups=("low", "high"),
    ...                  y=Axis(label="tuples", unit="count"), bars=(Bars(name="crf", values=(3, None)),))
    >>> "n/a" in chart.svg()
    True
    """

    label: str
    groups: tuple[str, ...]
    y: Axis
    bars: tuple[Bars, ...]
    height: int = 440

    def drawn(self, pen: Pen, top: float) -> tuple[str, float]:
        """Draw the bars of all groups, and the names of the series above if there are several."""
        styles = [style(count) for count in range(len(self.bars))]
        entries = [Entry(bars.name, each) for bars, each in zip(self.bars, styles, strict=True)]
        names = ""
        if len(entries) > 1:
            names, top = legend(pen, name=self.name, entries=entries, begin=MARGIN, end=self.width - MARGIN, top=top)
        given = [each for bars in self.bars for each in (*bars.values, *(bars.low or ()), *(bars.high or ()))]
        axis = Axis(label=self.y.label, unit=self.y.unit, low=self.y.low or 0.0, high=self.y.high)
        ticks = ticked(axis, [0.0, *(value for value in given if value is not None)], 8)
        left = MARGIN + SIZE + tick_room(axis, ticks)
        slots = _Slots(self, left, self.width - MARGIN)
        frame = Frame(left, top + slots.headroom(), self.width - MARGIN, self.height - _BELOW)
        y = Scale(ticks.low, ticks.high, frame.bottom, frame.top)
        parts = [
            hatchings(self.name, styles),
            names,
            vertical(axis, ticks, y, frame),
            *(slots.bar(pen, place, count, y) for place in range(len(self.groups)) for count in range(len(self.bars))),
            element(
                "path", d=f"M{number(frame.left)} {number(frame.bottom)}H{number(frame.right)}", stroke=INK, fill="none"
            ),
            _words_below(self, frame),
        ]
        return "".join(parts), self.height


class _Slots:
    """Where the bars of each group stand, and how wide they are."""

    def __init__(self, chart: BarChart, left: float, right: float) -> None:
        self.chart = chart
        self.left, self.room = left, (right - left) / max(len(chart.groups), 1)
        self.width = min(0.8 * self.room / max(len(chart.bars), 1), 60.0)
        self.widest = max(
            (text_width(said) for bars in chart.bars for said in map(self.written, bars.values)), default=0
        )
        self.turned = self.widest > self.room / max(len(chart.bars), 1)

    def headroom(self) -> float:
        """Return how much room values above the highest bar need."""
        return self.widest + 4 if self.turned else 1.5 * SIZE

    def written(self, value: float | None) -> str:
        """Write the value of a bar."""
        return "n/a" if value is None else self.chart.y.written(value, 1 if self.chart.y.unit == "count" else _EXACT)

    def bar(self, pen: Pen, place: int, count: int, y: Scale) -> str:
        """Draw one bar, with its value above it."""
        bars = self.chart.bars[count]
        value, link = bars.values[place], None if bars.links is None else bars.links[place]
        x = self.left + self.room * (place + 0.5) + self.width * (count - len(self.chart.bars) / 2)
        middle, top = x + self.width / 2, y.place(value or 0.0)
        told = f"{brief(self.chart.groups[place])}, {brief(bars.name)}: {self.written(value)}"
        shapes = []
        if value is not None:
            inside = fill(self.chart.name, style(count))
            box = {"x": x + 0.5, "y": top, "width": max(self.width - 1, 0.5), "height": y.begin - top}
            shapes = [element("rect", fill=inside, **box), _interval(bars, place, middle, y)]
        highest = max(value or 0.0, _end(bars.high, place) or 0.0)
        return pen.mark(told, *shapes, self._value(value, middle, y.place(highest) - 4), link=link)

    def _value(self, value: float | None, x: float, y: float) -> str:
        """Write a value, with some paper around it where lines of the axis pass."""
        colour = FAINT if value is None else INK
        said = self.written(value)
        written = (
            text(said, x + SIZE / 3, y, colour, turned=-90)
            if self.turned
            else text(said, x, y, colour, anchor="middle")
        )
        return element("g", written, stroke=PAPER, stroke_width=3, paint_order="stroke")


def _end(ends: Sequence[float | None] | None, place: int) -> float | None:
    return None if ends is None else ends[place]


def _interval(bars: Bars, place: int, x: float, y: Scale) -> str:
    """Draw the interval of a bar, white around black so that it is seen on any colour."""
    low, high = _end(bars.low, place), _end(bars.high, place)
    if low is None or high is None:
        return ""
    begin, end = y.place(low), y.place(high)
    data = path([(x, begin), (x, end)]) + path([(x - 4, begin), (x + 4, begin)]) + path([(x - 4, end), (x + 4, end)])
    around = element("path", d=data, stroke=PAPER, stroke_width=3.5, fill="none")
    return around + element("path", d=data, stroke=INK, stroke_width=1.5, fill="none")


def _words_below(chart: BarChart, frame: Frame) -> str:
    """Write the names of the groups, or of some where there is no room for all, and what they are."""
    room = (frame.right - frame.left) / max(len(chart.groups), 1)
    every = max(1, -(-int(4 * SIZE) // max(int(room), 1))) if room < 2 * SIZE else 1
    parts = [
        text(
            fitting(name, every * room - 4),
            frame.left + room * (place + 0.5),
            frame.bottom + 18,
            FAINT,
            anchor="middle",
        )
        for place, name in enumerate(chart.groups)
        if place % every == 0
    ]
    middle = (frame.left + frame.right) / 2
    label = fitting(chart.label, frame.right - frame.left)
    parts.append(text(label, middle, frame.bottom + 38, INK, anchor="middle"))
    parts.append(
        element("path", d=path([(frame.left, frame.top), (frame.left, frame.bottom)]), stroke=GRID, fill="none")
    )
    return "".join(parts)


# Bars to both sides of a line: what is lost to its left, what is gained to its right.


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
        for side, what, look, way in ((each.lost, self.lost, LOSS, -1), (each.gained, self.gained, GAIN, 1)):
            if side is not None:
                told = f"{brief(each.name)}, {brief(what)}: {side.said}"
                bar = _bar(side, inside=fill(self.name, look), middle=middle, zero=laid.zero, unit=way * laid.unit)
                parts.append(pen.mark(told, *bar, link=side.link))
        return "".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
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
        return cls(left=left, right=right, zero=left + rooms[0] + unit * most[0], unit=unit, totals=totals)


def _bar(side: Side, inside: str, middle: float, zero: float, *, unit: float) -> tuple[str, str]:
    """Draw a bar from the line to its side, and its number behind its end."""
    end = zero + unit * side.value
    box = {"x": min(zero, end), "y": middle - _THICK / 2, "width": abs(end - zero), "height": _THICK}
    bar = element("rect", fill=inside, **box)
    if unit < 0:
        return bar, beside(side.said, end - _BETWEEN, middle, anchor="end")
    return bar, beside(side.said, end + _BETWEEN, middle)


# Dot plots: a row for each thing, its value as a dot with an interval around it, and its numbers at the right.


_DOTS_BELOW = 48.0
_DOTS_GAP = 14.0
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
        left = MARGIN + widest(dot.name for dot in self.dots) + _DOTS_GAP
        right = self.width - MARGIN - sum(rooms) - _DOTS_GAP * len(rooms)
        bottom = top + SIZE + ROW * max(len(self.dots), 1)
        frame = Frame(left, top + SIZE, right, bottom)
        scale = Scale(ticks.low, ticks.high, left + _RADIUS, right - _RADIUS)
        middles = [frame.top + ROW * (place + 0.5) for place in range(len(self.dots))]
        parts = [
            element(
                "path",
                d="".join(f"M{scale.place(tick):.2f} {frame.top:.2f}V{bottom:.2f}" for tick in ticks.ticks),
                stroke=GRID,
                fill="none",
            ),
            striped(left, right, middles),
            horizontal(self.x, ticks, scale, frame),
            self._reference(scale, frame),
            self._steps(scale, middles),
            *_headings(self.columns, rooms, right, frame.top - 6),
            *(
                self._row(pen, dot=dot, scale=scale, middle=middle, rooms=rooms)
                for dot, middle in zip(self.dots, middles, strict=True)
            ),
            "" if self.dots else nothing(frame),
        ]
        return "".join(parts), bottom + _DOTS_BELOW

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

    def _row(self, pen: Pen, dot: Dot, scale: Scale, middle: float, *, rooms: Sequence[float]) -> str:
        """Draw one row; dot, interval and first text are its mark."""
        x = scale.begin - _RADIUS
        parts = [beside(fitting(dot.name, x - MARGIN - _DOTS_GAP), x - _DOTS_GAP, middle, anchor="end")]
        if dot.value is None:
            shapes = [beside(UNDEFINED, x + 4, middle, colour=FAINT)]
        else:
            shapes = [_dots_interval(dot, scale, middle), _dot(scale.place(dot.value), middle)]
        x = scale.end + _RADIUS
        texts = []
        for said, room in zip(dot.texts, rooms, strict=True):
            x += room + _DOTS_GAP
            texts.append(beside(fitting(said, room), x, middle, anchor="end"))
        named = [f"{name} {said}" for name, said in zip(self.columns, dot.texts, strict=True) if said]
        told = f"{brief(dot.name)}: {', '.join([*named, *([dot.note] if dot.note else [])])}"
        return "".join([*parts, pen.mark(told, *shapes, *texts[:1], link=dot.link), *texts[1:]])


def _headings(columns: Sequence[str], rooms: Sequence[float], right: float, y: float) -> Iterable[str]:
    x = right
    for name, room in zip(columns, rooms, strict=True):
        x += room + _DOTS_GAP
        yield text(fitting(name, room), x, y, FAINT, anchor="end")


def _dot(x: float, y: float) -> str:
    return element("circle", cx=x, cy=y, r=_RADIUS, fill=SERIES[0])


def _dots_interval(dot: Dot, scale: Scale, y: float) -> str:
    if dot.low is None or dot.high is None:
        return ""
    begin, end = scale.place(dot.low), scale.place(dot.high)
    data = path([(begin, y), (end, y)]) + path([(begin, y - 4), (begin, y + 4)]) + path([(end, y - 4), (end, y + 4)])
    return element("path", d=data, stroke=INK, stroke_width=1.5, fill="none")
