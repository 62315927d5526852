"""Line charts: curves with bands, reference lines, and names on the right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from comparanda.render.charts.axes import (
    Axis,
    Frame,
    Scale,
    choose_scale,
    draw_empty_plot,
    draw_horizontal_axis,
    draw_vertical_axis,
    tick_room,
)
from comparanda.render.charts.canvas import MARGIN, Paper, draw_mark, draw_text, escape_words, format_path, make_element
from comparanda.render.charts.theme import FAINT, GRID, INK, SIZE, Style, fit_text, get_style, text_width

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.render.charts.canvas import Pen

    Floats = NDArray[np.float64]
    Point = tuple[float, float]

_BELOW = 52.0  # for the numbers and the label of the horizontal axis
_SAMPLE, _LEADER = 26.0, 18.0  # on the right: the length of the line sample and of the leader to it
_MAX_NAME_WIDTH = 220.0
_ROW = 1.5 * SIZE
_MARKERS_PER_LINE = 6  # on each line
_REFERENCE_STYLE = Style(FAINT, "1 3", "circle", "none")


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line, with a gap where a value is NaN.

    Args:
        name: its name on the right.
        x: the x values of its points.
        y: the y values.
        low: the lower edge of a band around it.
        high: the upper edge.
        reference: whether it is a reference for other lines, drawn thin and grey.
        pointed: whether every point has a marker, not only some.

    """

    name: str
    x: Sequence[float] | Floats
    y: Sequence[float] | Floats
    low: Sequence[float] | Floats | None = None
    high: Sequence[float] | Floats | None = None
    reference: bool = False
    pointed: bool = False


@dataclass(frozen=True, kw_only=True)
class LineChart(Paper):
    """Lines on two axes.

    >>> chart = LineChart(title="F1", description="F1 over questions.", x=Axis(label="questions", unit="count"),
    ...                   y=Axis(label="F1", unit="share"), lines=(Line(name="random", x=[0, 1], y=[0.5, 0.6]),))
    >>> chart.svg()[:4], chart.svg() == chart.svg()
    ('<svg', True)
    """

    x: Axis
    y: Axis
    lines: tuple[Line, ...]
    height: int = 440

    def drawn(self, pen: Pen, top: float) -> tuple[str, float]:
        """Draw the lines with their axes, and their names on the right."""
        del pen  # points of lines have no links
        x_ticks, y_ticks = (
            choose_scale(self.x, self._extremes("x")),
            choose_scale(self.y, self._extremes("y", "low", "high"), 8),
        )
        left = MARGIN + SIZE + tick_room(self.y, y_ticks)
        right = self.width - MARGIN - _LEADER - _SAMPLE - 6 - self._name_room()
        frame = Frame(left, top, right, self.height - _BELOW)
        x = Scale(x_ticks.low, x_ticks.high, frame.left, frame.right)
        y = Scale(y_ticks.low, y_ticks.high, frame.bottom, frame.top)
        drawn = _style_lines(self.lines, x, y)
        clip = f"{self.name}-clip"
        parts = [
            draw_vertical_axis(self.y, y_ticks, y, frame),
            draw_horizontal_axis(self.x, x_ticks, x, frame),
            make_element("clipPath", _draw_clip_area(frame), id=clip),
            make_element(
                "g", *(each.band() for each in drawn), *(each.line() for each in drawn), clip_path=f"url(#{clip})"
            ),
            *(each.marks() for each in drawn),
            _draw_names(drawn, frame, self._name_room()),
            "" if any(each.points for each in drawn) else draw_empty_plot(frame),
        ]
        return "".join(parts), self.height

    def _extremes(self, *columns: str) -> list[float]:
        """Return the smallest and the largest of all drawn values."""
        given = [getattr(line, column) for line in self.lines for column in columns]
        values = np.concatenate([np.zeros(0), *(np.asarray(each, np.float64) for each in given if each is not None)])
        values = values[np.isfinite(values)]
        return [float(values.min()), float(values.max())] if len(values) else []

    def _name_room(self) -> float:
        return min(max((text_width(line.name) for line in self.lines), default=0.0), _MAX_NAME_WIDTH)


@dataclass(frozen=True, kw_only=True)
class _StyledLine:
    """A line with its style and scales."""

    given: Line
    style: Style
    number: int
    x: Scale
    y: Scale

    @cached_property
    def points(self) -> list[Point]:
        """The coordinates of the points with finite values."""
        return [point for piece in self._split_at_gaps(self.given.y) for point in piece]

    def _split_at_gaps(self, values: Sequence[float] | Floats) -> list[list[Point]]:
        """Return the points as pieces without gaps."""
        ys = np.asarray(values, np.float64)
        xs = np.asarray(self.given.x, np.float64)
        known = np.flatnonzero(np.isfinite(xs) & np.isfinite(ys))
        pieces = np.split(known, np.flatnonzero(np.diff(known) > 1) + 1)
        return [list(zip(self.x.places(xs[rows]), self.y.places(ys[rows]), strict=True)) for rows in pieces]

    def line(self) -> str:
        """Draw the line; a single point between two gaps becomes a dot."""
        data = ""
        for piece in map(thin_points, self._split_at_gaps(self.given.y)):
            data += format_path([*piece, *piece] if len(piece) == 1 else piece)
        width = 1.2 if self.given.reference else 2.0
        return make_element(
            "path",
            make_element("title", escape_words(self.given.name)),
            d=data,
            fill="none",
            stroke=self.style.colour,
            stroke_width=width,
            stroke_dasharray=self.style.dash,
            stroke_linejoin="round",
            stroke_linecap="round" if self.style.dash is None else None,
        )

    def band(self) -> str:
        """Draw the band around the line."""
        if self.given.low is None or self.given.high is None:
            return ""
        data = ""
        for low, high in zip(self._split_at_gaps(self.given.low), self._split_at_gaps(self.given.high), strict=True):
            data += format_path([*thin_points(high), *reversed(thin_points(low))], closed=True) if low else ""
        return make_element("path", d=data, fill=self.style.colour, fill_opacity=0.16, stroke="none")

    def marks(self) -> str:
        """Draw markers on the line: at each point, or at a few positions that differ from line to line."""
        points = self.points
        if self.given.reference or not points:
            return ""
        if not self.given.pointed:
            shares = [
                (count + (1 + self.number % _MARKERS_PER_LINE) / (_MARKERS_PER_LINE + 1)) / _MARKERS_PER_LINE
                for count in range(_MARKERS_PER_LINE)
            ]
            begin, end = points[0][0], points[-1][0]
            points = (
                [_point_at(points, begin + share * (end - begin)) for share in shares] if end > begin else points[:1]
            )
        return "".join(draw_mark(self.style, x, y) for x, y in points)


def _point_at(points: list[Point], x: float) -> Point:
    """Return the point of a line at an x coordinate, interpolated."""
    for before, after in pairwise(points):
        if before[0] <= x <= after[0]:
            share = (x - before[0]) / (after[0] - before[0]) if after[0] > before[0] else 0.0
            return x, before[1] + share * (after[1] - before[1])
    return points[-1]


def thin_points(points: list[Point]) -> list[Point]:
    """Remove indistinguishable points: of each pixel column keep the first, lowest, highest and last point.

    >>> len(thin_points([(number / 1000, number % 7) for number in range(5000)])) <= 4 * 6
    True
    """
    kept: list[Point] = []
    begin = 0
    for end in range(1, len(points) + 1):
        if end < len(points) and math.floor(points[end][0]) == math.floor(points[begin][0]):
            continue
        rows = range(begin, end)
        chosen = {begin, end - 1, min(rows, key=lambda row: points[row][1]), max(rows, key=lambda row: points[row][1])}
        kept += [points[row] for row in sorted(chosen)]
        begin = end
    return kept


def _style_lines(lines: Sequence[Line], x: Scale, y: Scale) -> list[_StyledLine]:
    count, drawn = 0, []
    for line in lines:
        drawn.append(
            _StyledLine(
                given=line, style=_REFERENCE_STYLE if line.reference else get_style(count), number=count, x=x, y=y
            )
        )
        count += not line.reference
    return drawn


def _draw_names(drawn: Sequence[_StyledLine], frame: Frame, room: float) -> str:
    """Draw the names on the right, each next to the end of its line, after a sample of the line.

    Where ends are close together, the names are spread out, and a thin leader connects each end with its name.
    """
    ended = [(each, each.points[-1]) for each in drawn if each.points]
    ended.sort(key=lambda pair: (round(pair[1][1], 2), _mean_height(pair[0].points)))
    wanted = [min(max(end[1], frame.top), frame.bottom) for _, end in ended]
    parts = []
    for (each, end), y in zip(ended, _spread_names(wanted, frame), strict=True):
        begin = frame.right + _LEADER
        leader = format_path([(min(end[0], frame.right) + 3, end[1]), (frame.right + 4, end[1]), (begin - 3, y)])
        parts.append(make_element("path", d=leader, stroke=GRID, fill="none"))
        sample = format_path([(begin, y), (begin + _SAMPLE, y)])
        width = 1.2 if each.given.reference else 2.0
        stroke = {"stroke": each.style.colour, "stroke_dasharray": each.style.dash}
        parts.append(make_element("path", d=sample, fill="none", stroke_width=width, **stroke))
        if not each.given.reference:
            parts.append(draw_mark(each.style, begin + _SAMPLE / 2, y))
        name = fit_text(each.given.name, room)
        parts.append(draw_text(name, begin + _SAMPLE + 6, y + SIZE / 3, INK))
    return "".join(parts)


def _mean_height(points: Sequence[Point]) -> float:
    return sum(y for _, y in points) / len(points)


def _spread_names(wanted: Sequence[float], frame: Frame) -> list[float]:
    """Spread positions with minimal movement, all within the frame if they fit."""
    groups: list[list[float]] = []  # of each group: the preferred positions of its members
    for place in wanted:
        groups.append([place])
        while len(groups) > 1 and _first_place(groups[-1], frame) < _first_place(groups[-2], frame) + _ROW * len(
            groups[-2]
        ):
            last = groups.pop()
            groups[-1] += last
    return [_first_place(group, frame) + _ROW * number for group in groups for number in range(len(group))]


def _first_place(group: Sequence[float], frame: Frame) -> float:
    """Return the position of the first name of a group, centred on the preferred positions, inside the frame."""
    size = _ROW * (len(group) - 1)
    first = sum(group) / len(group) - size / 2
    return max(min(first, frame.bottom - size), frame.top)


def _draw_clip_area(frame: Frame) -> str:
    """Draw a clip area slightly larger than the frame, so that lines along its edge are not cut."""
    return make_element(
        "rect",
        x=frame.left,
        y=frame.top - 2,
        width=frame.right - frame.left + 2,
        height=frame.bottom - frame.top + 4,
    )
