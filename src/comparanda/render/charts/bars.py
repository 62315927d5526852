"""Bar charts, diverging bar charts and dot plots, with intervals."""

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
    choose_scale,
    draw_empty_plot,
    draw_horizontal_axis,
    draw_row_text,
    draw_stripes,
    draw_vertical_axis,
    measure_widest,
    tick_room,
)
from comparanda.render.charts.canvas import (
    MARGIN,
    Entry,
    Paper,
    define_hatchings,
    draw_legend,
    draw_text,
    format_length,
    format_path,
    get_fill,
    make_element,
)
from comparanda.render.charts.theme import (
    FAINT,
    GAIN,
    GRID,
    INK,
    LOSS,
    PAPER,
    SERIES,
    SIZE,
    fit_text,
    get_style,
    shorten_name,
    text_width,
)
from comparanda.render.table import UNDEFINED

if TYPE_CHECKING:
    from comparanda.render.charts.canvas import Pen
    from comparanda.render.count_links import Link


_AXIS_HEIGHT = 52.0
_VALUE_STEP = 1e-4  # values are formatted with the decimals of ticks at this distance


@dataclass(frozen=True, kw_only=True)
class Bars:
    """One series: a bar in each group, None where a value is undefined.

    Args:
        name: its name in the legend.
        values: the height of each bar.
        low: the lower ends of the intervals.
        high: the upper ends.
        links: the link from each bar to what it counts.

    """

    name: str
    values: Sequence[float | None]
    low: Sequence[float | None] | None = None
    high: Sequence[float | None] | None = None
    links: Sequence[Link] | None = None


@dataclass(frozen=True, kw_only=True)
class BarChart(Paper):
    """Bars in groups, starting at zero, with their values above; n/a for an undefined value.

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
        """Draw the bars of all groups, with a legend above if there are several series."""
        styles = [get_style(count) for count in range(len(self.bars))]
        entries = [Entry(bars.name, each) for bars, each in zip(self.bars, styles, strict=True)]
        names = ""
        if len(entries) > 1:
            names, top = draw_legend(
                pen, name=self.name, entries=entries, begin=MARGIN, end=self.width - MARGIN, top=top
            )
        given = [each for bars in self.bars for each in (*bars.values, *(bars.low or ()), *(bars.high or ()))]
        axis = Axis(label=self.y.label, unit=self.y.unit, low=self.y.low or 0.0, high=self.y.high)
        ticks = choose_scale(axis, [0.0, *(value for value in given if value is not None)], 8)
        left = MARGIN + SIZE + tick_room(axis, ticks)
        slots = _Slots(self, left, self.width - MARGIN)
        frame = Frame(left, top + slots.headroom(), self.width - MARGIN, self.height - _AXIS_HEIGHT)
        y = Scale(ticks.low, ticks.high, frame.bottom, frame.top)
        parts = [
            define_hatchings(self.name, styles),
            names,
            draw_vertical_axis(axis, ticks, y, frame),
            *(slots.bar(pen, place, count, y) for place in range(len(self.groups)) for count in range(len(self.bars))),
            make_element(
                "path",
                d=f"M{format_length(frame.left)} {format_length(frame.bottom)}H{format_length(frame.right)}",
                stroke=INK,
                fill="none",
            ),
            _draw_group_names(self, frame),
        ]
        return "".join(parts), self.height


class _Slots:
    """The positions and widths of the bars of each group."""

    def __init__(self, chart: BarChart, left: float, right: float) -> None:
        self.chart = chart
        self.left, self.room = left, (right - left) / max(len(chart.groups), 1)
        self.width = min(0.8 * self.room / max(len(chart.bars), 1), 60.0)
        self.widest = max(
            (text_width(text) for bars in chart.bars for text in map(self.written, bars.values)), default=0
        )
        self.turned = self.widest > self.room / max(len(chart.bars), 1)

    def headroom(self) -> float:
        """Return the height that values above the highest bar need."""
        return self.widest + 4 if self.turned else 1.5 * SIZE

    def written(self, value: float | None) -> str:
        """Format the value of a bar."""
        return (
            "n/a" if value is None else self.chart.y.written(value, 1 if self.chart.y.unit == "count" else _VALUE_STEP)
        )

    def bar(self, pen: Pen, place: int, count: int, y: Scale) -> str:
        """Draw one bar with its value above it."""
        bars = self.chart.bars[count]
        value, link = bars.values[place], None if bars.links is None else bars.links[place]
        x = self.left + self.room * (place + 0.5) + self.width * (count - len(self.chart.bars) / 2)
        middle, top = x + self.width / 2, y.place(value or 0.0)
        tooltip = f"{shorten_name(self.chart.groups[place])}, {shorten_name(bars.name)}: {self.written(value)}"
        shapes = []
        if value is not None:
            inside = get_fill(self.chart.name, get_style(count))
            box = {"x": x + 0.5, "y": top, "width": max(self.width - 1, 0.5), "height": y.begin - top}
            shapes = [make_element("rect", fill=inside, **box), _draw_interval(bars, place, middle, y)]
        highest = max(value or 0.0, _interval_end(bars.high, place) or 0.0)
        return pen.mark(tooltip, *shapes, self._draw_value(value, middle, y.place(highest) - 4), link=link)

    def _draw_value(self, value: float | None, x: float, y: float) -> str:
        """Draw a value with an outline in the background colour, so that grid lines do not cross it."""
        colour = FAINT if value is None else INK
        text = self.written(value)
        written = (
            draw_text(text, x + SIZE / 3, y, colour, turned=-90)
            if self.turned
            else draw_text(text, x, y, colour, anchor="middle")
        )
        return make_element("g", written, stroke=PAPER, stroke_width=3, paint_order="stroke")


def _interval_end(ends: Sequence[float | None] | None, place: int) -> float | None:
    return None if ends is None else ends[place]


def _draw_interval(bars: Bars, place: int, x: float, y: Scale) -> str:
    """Draw the interval of a bar, black with a white outline, visible on any colour."""
    low, high = _interval_end(bars.low, place), _interval_end(bars.high, place)
    if low is None or high is None:
        return ""
    begin, end = y.place(low), y.place(high)
    data = (
        format_path([(x, begin), (x, end)])
        + format_path([(x - 4, begin), (x + 4, begin)])
        + format_path([(x - 4, end), (x + 4, end)])
    )
    around = make_element("path", d=data, stroke=PAPER, stroke_width=3.5, fill="none")
    return around + make_element("path", d=data, stroke=INK, stroke_width=1.5, fill="none")


def _draw_group_names(chart: BarChart, frame: Frame) -> str:
    """Draw the names of the groups, or of every n-th group if space is short, and the label below them."""
    room = (frame.right - frame.left) / max(len(chart.groups), 1)
    every = max(1, -(-int(4 * SIZE) // max(int(room), 1))) if room < 2 * SIZE else 1
    parts = [
        draw_text(
            fit_text(name, every * room - 4),
            frame.left + room * (place + 0.5),
            frame.bottom + 18,
            FAINT,
            anchor="middle",
        )
        for place, name in enumerate(chart.groups)
        if place % every == 0
    ]
    middle = (frame.left + frame.right) / 2
    label = fit_text(chart.label, frame.right - frame.left)
    parts.append(draw_text(label, middle, frame.bottom + 38, INK, anchor="middle"))
    parts.append(
        make_element(
            "path", d=format_path([(frame.left, frame.top), (frame.left, frame.bottom)]), stroke=GRID, fill="none"
        )
    )
    return "".join(parts)


# Diverging bars: losses to the left of a line, gains to its right.


_GAP, _BAR_THICKNESS = 14.0, 14.0
_NUMBER_GAP = 5.0  # between a bar and its number
_MAX_TOTAL_WIDTH = 120.0


@dataclass(frozen=True, kw_only=True)
class Side:
    """A bar: its length, the text at its end, and the link to what it counts."""

    value: float
    text: str
    link: Link | None = None


@dataclass(frozen=True, kw_only=True)
class Balance:
    """One row: its name, losses and gains (None for no bar), and the text to its right."""

    name: str
    lost: Side | None
    gained: Side | None
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class DivergingChart(Paper):
    """Rows with a bar to each side, on a common scale.

    >>> row = Balance(name="NOUN", lost=Side(value=2, text="2"), gained=Side(value=5, text="5"), text="+3")
    >>> "+3" in DivergingChart(title="Gains", description="By label.", lost="lost", gained="won", rows=(row,)).svg()
    True

    Args:
        lost: the heading of the bars to the left.
        gained: the heading of the bars to the right.
        rows: the rows, from the top.
        total: the heading of the texts to the right of rows.

    """

    lost: str
    gained: str
    rows: tuple[Balance, ...]
    total: str = ""

    def drawn(self, pen: Pen, top: float) -> tuple[str, float]:
        """Draw all rows."""
        layout = _Layout.of(self)
        frame = Frame(layout.left, top + SIZE, layout.right, top + SIZE + ROW * max(len(self.rows), 1))
        middles = [frame.top + ROW * (place + 0.5) for place in range(len(self.rows))]
        above = frame.top - 6
        line = make_element(
            "path", d=format_path([(layout.zero, frame.top), (layout.zero, frame.bottom)]), stroke=INK, fill="none"
        )
        parts = [
            define_hatchings(self.name, (LOSS, GAIN)),
            draw_text(fit_text(self.lost, layout.zero - MARGIN), layout.zero - 8, above, FAINT, anchor="end"),
            draw_text(fit_text(self.gained, layout.right - layout.zero), layout.zero + 8, above, FAINT),
            draw_text(fit_text(self.total, layout.totals), self.width - MARGIN, above, FAINT, anchor="end"),
            *(self._draw_row(pen, each, middle, layout) for each, middle in zip(self.rows, middles, strict=True)),
            line if self.rows else draw_empty_plot(frame, "neither gains nor losses"),
        ]
        return "".join(parts), frame.bottom + MARGIN

    def _draw_row(self, pen: Pen, each: Balance, middle: float, layout: _Layout) -> str:
        parts = [
            draw_row_text(fit_text(each.name, layout.left - MARGIN - _GAP), layout.left - _GAP, middle, anchor="end"),
            draw_row_text(fit_text(each.text, layout.totals), self.width - MARGIN, middle, anchor="end"),
        ]
        for side, what, look, way in ((each.lost, self.lost, LOSS, -1), (each.gained, self.gained, GAIN, 1)):
            if side is not None:
                tooltip = f"{shorten_name(each.name)}, {shorten_name(what)}: {side.text}"
                bar = _draw_side_bar(
                    side, inside=get_fill(self.name, look), middle=middle, zero=layout.zero, unit=way * layout.unit
                )
                parts.append(pen.mark(tooltip, *bar, link=side.link))
        return "".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """The area of the bars, the position of zero, the length of a bar of value 1, and the width of the right column."""

    left: float
    right: float
    zero: float
    unit: float
    totals: float

    @classmethod
    def of(cls, chart: DivergingChart) -> _Layout:
        """Distribute the width: one scale for both sides, and space for the number of the longest bar on each side."""
        sides = [[side for each in chart.rows if (side := getattr(each, name))] for name in ("lost", "gained")]
        rooms = [measure_widest(side.text for side in each) + _NUMBER_GAP for each in sides]
        most = [max((side.value for side in each), default=0.0) for each in sides]
        totals = measure_widest([chart.total, *(each.text for each in chart.rows)], _MAX_TOTAL_WIDTH)
        left = MARGIN + measure_widest(each.name for each in chart.rows) + _GAP
        right = chart.width - MARGIN - totals - 2 * _GAP
        unit = (right - left - sum(rooms)) / (sum(most) or 1.0)
        return cls(left=left, right=right, zero=left + rooms[0] + unit * most[0], unit=unit, totals=totals)


def _draw_side_bar(side: Side, inside: str, middle: float, zero: float, *, unit: float) -> tuple[str, str]:
    """Draw a bar from the zero line, with its number after its end."""
    end = zero + unit * side.value
    box = {"x": min(zero, end), "y": middle - _BAR_THICKNESS / 2, "width": abs(end - zero), "height": _BAR_THICKNESS}
    bar = make_element("rect", fill=inside, **box)
    if unit < 0:
        return bar, draw_row_text(side.text, end - _NUMBER_GAP, middle, anchor="end")
    return bar, draw_row_text(side.text, end + _NUMBER_GAP, middle)


# Dot plots: rows with the value as a dot, its interval, and numbers to the right.


_DOTS_AXIS_HEIGHT = 48.0
_DOTS_GAP = 14.0
_RADIUS = 5.0


@dataclass(frozen=True, kw_only=True)
class Dot:
    """One row.

    Args:
        name: the name to its left.
        value: the value of its dot; None if undefined.
        low: the lower end of its interval.
        high: the upper end.
        texts: the texts to its right, one per column; the first one is part of the link.
        note: further information for the tooltip.
        link: the link to what the row counts.

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
    """Dots in rows on a common axis.

    >>> chart = DotPlot(title="Accuracy", description="Two systems.", x=Axis(label="accuracy (%)", unit="share"),
    ...                 columns=("accuracy",), dots=(Dot(name="crf", value=0.9, texts=("90.00",)),))
    >>> "90.00" in chart.svg()
    True

    Args:
        x: the axis.
        columns: the headings of the texts to the right.
        dots: the rows, from the top.
        joined: whether each row continues the previous one; the dots are then connected by steps.
        reference: the name and value of a reference, drawn as a vertical line.

    """

    x: Axis
    columns: tuple[str, ...]
    dots: tuple[Dot, ...]
    joined: bool = False
    reference: tuple[str, float] | None = None

    def drawn(self, pen: Pen, top: float) -> tuple[str, float]:
        """Draw all rows."""
        ticks = choose_scale(self.x, self._axis_values())
        rooms = [
            measure_widest([name, *(dot.texts[place] for dot in self.dots)], 160)
            for place, name in enumerate(self.columns)
        ]
        left = MARGIN + measure_widest(dot.name for dot in self.dots) + _DOTS_GAP
        right = self.width - MARGIN - sum(rooms) - _DOTS_GAP * len(rooms)
        bottom = top + SIZE + ROW * max(len(self.dots), 1)
        frame = Frame(left, top + SIZE, right, bottom)
        scale = Scale(ticks.low, ticks.high, left + _RADIUS, right - _RADIUS)
        middles = [frame.top + ROW * (place + 0.5) for place in range(len(self.dots))]
        parts = [
            make_element(
                "path",
                d="".join(f"M{scale.place(tick):.2f} {frame.top:.2f}V{bottom:.2f}" for tick in ticks.ticks),
                stroke=GRID,
                fill="none",
            ),
            draw_stripes(left, right, middles),
            draw_horizontal_axis(self.x, ticks, scale, frame),
            self._draw_reference(scale, frame),
            self._draw_steps(scale, middles),
            *_draw_headings(self.columns, rooms, right, frame.top - 6),
            *(
                self._draw_row(pen, dot=dot, scale=scale, middle=middle, rooms=rooms)
                for dot, middle in zip(self.dots, middles, strict=True)
            ),
            "" if self.dots else draw_empty_plot(frame),
        ]
        return "".join(parts), bottom + _DOTS_AXIS_HEIGHT

    def _axis_values(self) -> list[float]:
        given = [each for dot in self.dots for each in (dot.value, dot.low, dot.high)]
        return [each for each in (*given, None if self.reference is None else self.reference[1]) if each is not None]

    def _draw_reference(self, scale: Scale, frame: Frame) -> str:
        if self.reference is None:
            return ""
        name, value = self.reference
        x, left = scale.place(value), value <= (scale.low + scale.high) / 2
        line = format_path([(x, frame.top - 4), (x, frame.bottom)])
        text = fit_text(name, frame.right - x if left else x - frame.left)
        return make_element(
            "path", d=line, stroke=FAINT, stroke_dasharray="3 3", stroke_width=1.2, fill="none"
        ) + draw_text(text, x, frame.top - 6, FAINT, anchor=None if left else "end")

    def _draw_steps(self, scale: Scale, middles: Sequence[float]) -> str:
        if not self.joined:
            return ""
        known = [
            (scale.place(dot.value), y) for dot, y in zip(self.dots, middles, strict=True) if dot.value is not None
        ]
        corners = [known[:1], *([(before[0], here[1]), here] for before, here in pairwise(known))]
        data = format_path(point for piece in corners for point in piece)
        return make_element("path", d=data, stroke=SERIES[0], stroke_width=2, fill="none") if known else ""

    def _draw_row(self, pen: Pen, dot: Dot, scale: Scale, middle: float, *, rooms: Sequence[float]) -> str:
        """Draw one row; dot, interval and first text form its mark."""
        x = scale.begin - _RADIUS
        parts = [draw_row_text(fit_text(dot.name, x - MARGIN - _DOTS_GAP), x - _DOTS_GAP, middle, anchor="end")]
        if dot.value is None:
            shapes = [draw_row_text(UNDEFINED, x + 4, middle, colour=FAINT)]
        else:
            shapes = [_draw_dot_interval(dot, scale, middle), _draw_dot(scale.place(dot.value), middle)]
        x = scale.end + _RADIUS
        texts = []
        for text, room in zip(dot.texts, rooms, strict=True):
            x += room + _DOTS_GAP
            texts.append(draw_row_text(fit_text(text, room), x, middle, anchor="end"))
        named = [f"{name} {text}" for name, text in zip(self.columns, dot.texts, strict=True) if text]
        tooltip = f"{shorten_name(dot.name)}: {', '.join([*named, *([dot.note] if dot.note else [])])}"
        return "".join([*parts, pen.mark(tooltip, *shapes, *texts[:1], link=dot.link), *texts[1:]])


def _draw_headings(columns: Sequence[str], rooms: Sequence[float], right: float, y: float) -> Iterable[str]:
    x = right
    for name, room in zip(columns, rooms, strict=True):
        x += room + _DOTS_GAP
        yield draw_text(fit_text(name, room), x, y, FAINT, anchor="end")


def _draw_dot(x: float, y: float) -> str:
    return make_element("circle", cx=x, cy=y, r=_RADIUS, fill=SERIES[0])


def _draw_dot_interval(dot: Dot, scale: Scale, y: float) -> str:
    if dot.low is None or dot.high is None:
        return ""
    begin, end = scale.place(dot.low), scale.place(dot.high)
    data = (
        format_path([(begin, y), (end, y)])
        + format_path([(begin, y - 4), (begin, y + 4)])
        + format_path([(end, y - 4), (end, y + 4)])
    )
    return make_element("path", d=data, stroke=INK, stroke_width=1.5, fill="none")
