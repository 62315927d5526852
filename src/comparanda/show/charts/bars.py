"""Bar charts: groups of bars side by side, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from comparanda.show.charts.axes import Axis, Frame, Scale, tick_room, ticked, vertical
from comparanda.show.charts.hatching import fill, hatchings
from comparanda.show.charts.legend import Entry, legend
from comparanda.show.charts.paper import MARGIN, Paper
from comparanda.show.charts.svg import element, number, path, text
from comparanda.show.charts.theme import FAINT, GRID, INK, PAPER, SIZE, brief, fitting, style, text_width

if TYPE_CHECKING:
    from comparanda.show.charts.pen import Pen
    from comparanda.show.links import Link

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
            names, top = legend(pen, self.name, entries, MARGIN, self.width - MARGIN, top)
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
