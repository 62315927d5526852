"""Bar charts: groups of bars side by side, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from comparanda.show.charts.axes import Axis, Frame, Scale, tick_room, ticked, vertical
from comparanda.show.charts.paper import MARGIN, Paper
from comparanda.show.charts.svg import element, number, path, words
from comparanda.show.charts.theme import FAINT, GRID, INK, PAPER, SIZE, Style, fitting, style, text_width

_BELOW = 52.0
_SWATCH = 14.0
_HATCHES = {
    "rising": "M0 6L6 0M-1 1L1 -1M5 7L7 5",
    "falling": "M0 0L6 6M-1 5L1 7M5 -1L7 1",
    "lying": "M0 3H6",
    "dots": "M2 3H4",
}


@dataclass(frozen=True, kw_only=True)
class Bars:
    """One series: a bar in each group. None where a value is undefined.

    Args:
        name: what it is called in the legend.
        values: the height of each bar.
        low: the lower end of each one's interval.
        high: the upper end.

    """

    name: str
    values: Sequence[float | None]
    low: Sequence[float | None] | None = None
    high: Sequence[float | None] | None = None


@dataclass(frozen=True, kw_only=True)
class BarChart(Paper):
    """Bars in groups, from zero up; a bar without a value says n/a.

    >>> chart = BarChart(title="Tuples", description="Tuples by weight.", label="weight", groups=("low", "high"),
    ...                  y=Axis(label="tuples", unit="count"), bars=(Bars(name="crf", values=(3, None)),))
    >>> "n/a" in chart.svg()
    True
    """

    label: str
    groups: tuple[str, ...]
    y: Axis
    bars: tuple[Bars, ...]

    def svg(self) -> str:
        """Return the chart as SVG."""
        heading, top = self.heading()
        legend, top = _legend(self, top)
        given = [each for bars in self.bars for each in (*bars.values, *(bars.low or ()), *(bars.high or ()))]
        axis = Axis(label=self.y.label, unit=self.y.unit, low=self.y.low or 0.0, high=self.y.high)
        ticks = ticked(axis, [0.0, *(value for value in given if value is not None)], 8)
        frame = Frame(MARGIN + SIZE + tick_room(axis, ticks), top + SIZE / 2, self.width - MARGIN, self.height - _BELOW)
        y = Scale(ticks.low, ticks.high, frame.bottom, frame.top)
        return self.document(
            heading,
            _patterns(self.name, len(self.bars)),
            legend,
            vertical(axis, ticks, y, frame),
            *(_group(self, place, frame, y) for place in range(len(self.groups))),
            element("path", d=f"M{number(frame.left)} {number(frame.bottom)}H{number(frame.right)}", stroke=INK),
            _words_below(self, frame),
        )


def _patterns(name: str, count: int) -> str:
    """Define the hatchings of all series."""
    found = []
    for each in map(style, range(count)):
        if each.hatch in _HATCHES:
            lines = element("path", d=_HATCHES[each.hatch], stroke=PAPER, stroke_width=1.4)
            ground = element("rect", width=6, height=6, fill=each.colour)
            size = {"width": 6.0, "height": 6.0}
            known_by = _pattern(name, each)
            found.append(element("pattern", ground, lines, id=known_by, patternUnits="userSpaceOnUse", **size))
    return element("defs", *found) if found else ""


def _pattern(name: str, each: Style) -> str:
    return f"{name}-{each.hatch}-{each.colour.lstrip('#')}"


def _fill(name: str, each: Style) -> str:
    return f"url(#{_pattern(name, each)})" if each.hatch in _HATCHES else each.colour


def _legend(chart: BarChart, top: float) -> tuple[str, float]:
    """Draw the names of the series in rows above the picture, if there are several."""
    if len(chart.bars) < 2:
        return "", top
    x, y, parts = MARGIN, top, []
    for count, bars in enumerate(chart.bars):
        name = fitting(bars.name, chart.width - 3 * MARGIN - _SWATCH)
        size = _SWATCH + 6 + text_width(name) + 16
        if x > MARGIN and x + size > chart.width - MARGIN:
            x, y = MARGIN, y + 1.5 * SIZE
        fill = _fill(chart.name, style(count))
        parts.append(element("rect", x=x, y=y - 0.8 * SIZE, width=_SWATCH, height=SIZE, fill=fill))
        parts.append(element("text", words(name), x=x + _SWATCH + 6, y=y + SIZE / 6, fill=INK))
        x += size
    return "".join(parts), y + SIZE


def _group(chart: BarChart, place: int, frame: Frame, y: Scale) -> str:
    """Draw the bars of one group."""
    room = (frame.right - frame.left) / len(chart.groups)
    width = min(0.8 * room / max(len(chart.bars), 1), 60.0)
    begin = frame.left + room * (place + 0.5) - width * len(chart.bars) / 2
    parts = []
    for count, bars in enumerate(chart.bars):
        x, value = begin + width * count, bars.values[place]
        if value is None:
            middle, bottom = x + width / 2 + SIZE / 3, frame.bottom - 4
            turned = f"rotate(-90 {number(middle)} {number(bottom)})"
            parts.append(element("text", "n/a", x=middle, y=bottom, transform=turned, fill=FAINT))
            continue
        top = y.place(value)
        told = element("title", words(f"{chart.groups[place]}, {bars.name}: {chart.y.written(value, 1e-4)}"))
        box = {"x": x + 0.5, "y": top, "width": max(width - 1, 0.5), "height": frame.bottom - top}
        parts.append(element("rect", told, fill=_fill(chart.name, style(count)), **box))
        parts.append(_interval(bars, place, x + width / 2, y))
    return "".join(parts)


def _interval(bars: Bars, place: int, x: float, y: Scale) -> str:
    """Draw the interval of a bar, white around black so that it is seen on any colour."""
    low, high = (None if ends is None else ends[place] for ends in (bars.low, bars.high))
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
        element(
            "text",
            words(fitting(name, every * room - 4)),
            x=frame.left + room * (place + 0.5),
            y=frame.bottom + 18,
            text_anchor="middle",
            fill=FAINT,
        )
        for place, name in enumerate(chart.groups)
        if place % every == 0
    ]
    middle = (frame.left + frame.right) / 2
    label = fitting(chart.label, frame.right - frame.left)
    parts.append(element("text", words(label), x=middle, y=frame.bottom + 38, text_anchor="middle", fill=INK))
    parts.append(element("path", d=path([(frame.left, frame.top), (frame.left, frame.bottom)]), stroke=GRID))
    return "".join(parts)
