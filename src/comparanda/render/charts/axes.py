"""Axes: scales from values to coordinates, ticks, and the layout that charts with rows share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from comparanda.render.charts.canvas import draw_text, make_element
from comparanda.render.charts.theme import FAINT, GRID, INK, SIZE, fit_text, text_width

# Layout shared by charts with rows: row height, row names and column names.


ROW = 22.0
"""The height of a row."""

_MAX_NAME_WIDTH = 220.0
_TILT = 45.0
_SLOPE = 0.7071  # the height of tilted text as a share of its width


def measure_widest(texts: Iterable[str], most: float = _MAX_NAME_WIDTH) -> float:
    """Return the width of the widest text, at most `most`."""
    return min(max(map(text_width, texts), default=0.0), most)


def draw_row_text(text: str, x: float, middle: float, *, colour: str = INK, anchor: str | None = None) -> str:
    """Draw a text in a row, vertically centred."""
    return draw_text(text, x, middle + SIZE / 3, colour, anchor=anchor)


def draw_stripes(begin: float, end: float, middles: Sequence[float]) -> str:
    """Draw a thin line through every row, from its name to its mark."""
    data = "".join(f"M{begin:.2f} {middle:.2f}H{end:.2f}" for middle in middles)
    return make_element("path", d=data, stroke=GRID, stroke_width=1, fill="none") if data else ""


def column_room(names: Sequence[str], pitch: float) -> tuple[float, float]:
    """Return the height of the names above columns, and how far the last one extends beyond its column."""
    if not _is_tilted(names, pitch):
        return 1.5 * SIZE, 0.0
    size = _SLOPE * measure_widest(names, _MAX_NAME_WIDTH / 1.5)
    return size + SIZE, max(size - pitch / 2, 0.0)


def column_names(names: Sequence[str], middles: Sequence[float], bottom: float, pitch: float) -> str:
    """Draw names above columns, horizontal if they fit, else tilted."""
    tilted = _is_tilted(names, pitch)
    parts = []
    for name, x in zip(names, middles, strict=True):
        if tilted:
            parts.append(draw_text(fit_text(name, _MAX_NAME_WIDTH / 1.5), x, bottom - 4, FAINT, turned=-_TILT))
        else:
            parts.append(draw_text(name, x, bottom - 4, FAINT, anchor="middle"))
    return "".join(parts)


def _is_tilted(names: Sequence[str], pitch: float) -> bool:
    return measure_widest(names) > pitch - 4


Unit = Literal["number", "share", "count"]

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_TICK_ROOM = 8.0


@dataclass(frozen=True, kw_only=True)
class Axis:
    """An axis.

    Args:
        label: the text along the axis.
        unit: `share` for values from 0 to 1, displayed in percent; `count` for integers; else `number`.
        low: its lower end; by default the smallest value, rounded down to a tick.
        high: its upper end; by default the largest value, rounded up to a tick.

    """

    label: str
    unit: Unit = "number"
    low: float | None = None
    high: float | None = None

    def written(self, value: float, step: float) -> str:
        """Format the number at a tick.

        >>> Axis(label="F1", unit="share").written(0.625, 0.025), Axis(label="n", unit="count").written(2000, 500)
        ('62.5', '2,000')
        """
        times = 100 if self.unit == "share" else 1
        return f"{value * times:,.{_count_decimals(step * times)}f}"


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale: values from `low` to `high` at coordinates from `begin` to `end`."""

    low: float
    high: float
    begin: float
    end: float

    def place(self, value: float) -> float:
        """Return the coordinate of a value."""
        return self.begin + (value - self.low) / (self.high - self.low) * (self.end - self.begin)

    def places(self, values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[float]:
        """Return the coordinates of values."""
        found: list[float] = (
            self.begin + (values - self.low) / (self.high - self.low) * (self.end - self.begin)
        ).tolist()
        return found


@dataclass(frozen=True, slots=True)
class Ticked:
    """The range of an axis, and the values at its ticks."""

    low: float
    high: float
    step: float
    ticks: tuple[float, ...]


def choose_scale(axis: Axis, values: Sequence[float], about: int = 6) -> Ticked:
    """Choose a range that contains all values and the ends that the axis requires, with ticks at round numbers.

    Ends that the axis leaves open are placed at ticks.

    >>> found = choose_scale(Axis(label="F1", unit="share"), [0.523, 0.871])
    >>> found.low, found.high, found.ticks
    (0.5, 0.9, (0.5, 0.6, 0.7, 0.8, 0.9))
    """
    finite = [value for value in values if math.isfinite(value)]
    low = axis.low if axis.low is not None else min(finite, default=0.0)
    high = axis.high if axis.high is not None else max(finite, default=1.0)
    if high - low <= 1e-9 * max(1.0, abs(low), abs(high)):  # one value, up to rounding
        low, high = _widen(axis, low)
    step = _round_up_step((high - low) / about, least=1.0 if axis.unit == "count" else 0.0)
    low = low if axis.low is not None else math.floor(low / step + 1e-9) * step
    high = high if axis.high is not None else math.ceil(high / step - 1e-9) * step
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = _count_decimals(step) + 2
    return Ticked(
        round(low, 12),
        round(high, 12),
        step,
        tuple(round(count * step, digits) for count in range(first, last + 1)),
    )


def _widen(axis: Axis, value: float) -> tuple[float, float]:
    """Return a range around a single value; for shares within [0, 1]."""
    room = {"count": 1.0, "share": 0.1, "number": abs(value) / 10 or 1.0}[axis.unit]
    low, high = value - (0 if axis.unit == "count" else room), value + room
    if axis.unit == "share":
        return max(low, 0.0), min(max(high, room), 1.0)
    return low, high


def _round_up_step(rough: float, least: float) -> float:
    """Round a step up to 1, 2, 2.5 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(rough))
    found = next(factor * power for factor in _STEPS if factor * power >= rough * (1 - 1e-9))
    return max(math.ceil(found - 1e-9) if least else found, least)


def _count_decimals(step: float) -> int:
    """Return the number of decimals needed to distinguish ticks."""
    return next((digits for digits in range(9) if abs(round(step, digits) - step) < step * 1e-6), 9)


@dataclass(frozen=True, slots=True)
class Frame:
    """The rectangle in which values are drawn."""

    left: float
    top: float
    right: float
    bottom: float


def tick_room(axis: Axis, found: Ticked) -> float:
    """Return the width of the numbers along a vertical axis, with padding."""
    return max(text_width(axis.written(tick, found.step)) for tick in found.ticks) + 2 * _TICK_ROOM


def draw_horizontal_axis(axis: Axis, found: Ticked, scale: Scale, frame: Frame) -> str:
    """Draw the axis below the plot: ticks, numbers and label."""
    parts = [make_element("path", d=f"M{frame.left:g} {frame.bottom:g}H{frame.right:g}", stroke=INK, fill="none")]
    for tick in found.ticks:
        x = scale.place(tick)
        parts.append(make_element("path", d=f"M{x:.2f} {frame.bottom:g}v4", stroke=INK, fill="none"))
        parts.append(draw_text(axis.written(tick, found.step), x, frame.bottom + 18, FAINT, anchor="middle"))
    middle, room = (frame.left + frame.right) / 2, frame.right - frame.left
    parts.append(draw_text(fit_text(axis.label, room), middle, frame.bottom + 38, INK, anchor="middle"))
    return "".join(parts)


def draw_vertical_axis(axis: Axis, found: Ticked, scale: Scale, frame: Frame) -> str:
    """Draw the axis to the left of the plot, with grid lines at the ticks."""
    parts = []
    for tick in found.ticks:
        y = scale.place(tick)
        parts.append(make_element("path", d=f"M{frame.left:g} {y:.2f}H{frame.right:g}", stroke=GRID, fill="none"))
        parts.append(
            draw_text(axis.written(tick, found.step), frame.left - _TICK_ROOM, y + SIZE / 3, FAINT, anchor="end")
        )
    middle, x = (frame.top + frame.bottom) / 2, frame.left - tick_room(axis, found) - 2
    label = fit_text(axis.label, frame.bottom - frame.top)
    parts.append(draw_text(label, x, middle, INK, anchor="middle", turned=-90))
    return "".join(parts)


def draw_empty_plot(frame: Frame, text: str = "no values") -> str:
    """Draw a text in the middle of an empty plot."""
    x, y = (frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2
    return draw_text(text, x, y, FAINT, anchor="middle")
