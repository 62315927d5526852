"""Axes: from values to places on the paper, and the lines, ticks and words around the picture."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from comparanda.render.charts.canvas import element, text
from comparanda.render.charts.theme import FAINT, GRID, INK, SIZE, fitting, text_width

# What charts share that have a row for each thing: how high rows are, and where their names stand.


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


Unit = Literal["number", "share", "count"]

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_TICK_ROOM = 8.0


@dataclass(frozen=True, kw_only=True)
class Axis:
    """What an axis shows.

    Args:
        label: what is written along it.
        unit: `share` for values from 0 to 1, written in percent; `count` for whole numbers; else `number`.
        low: where it begins; by default at the least value, or a little below.
        high: where it ends.

    """

    label: str
    unit: Unit = "number"
    low: float | None = None
    high: float | None = None

    def written(self, value: float, step: float) -> str:
        """Write the number at a tick.

        >>> Axis(label="F1", unit="share").written(0.625, 0.025), Axis(label="n", unit="count").written(2000, 500)
        ('62.5', '2,000')
        """
        times = 100 if self.unit == "share" else 1
        return f"{value * times:,.{_decimals(step * times)}f}"


@dataclass(frozen=True, slots=True)
class Scale:
    """Values from low to high on the paper from begin to end."""

    low: float
    high: float
    begin: float
    end: float

    def place(self, value: float) -> float:
        """Return where a value stands."""
        return self.begin + (value - self.low) / (self.high - self.low) * (self.end - self.begin)

    def places(self, values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[float]:
        """Return where values stand."""
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


def ticked(axis: Axis, values: Sequence[float], about: int = 6) -> Ticked:
    """Choose a range that holds all values and what the axis asks for, and round numbers in it.

    Ends that the axis leaves open lie at ticks.

    >>> found = ticked(Axis(label="F1", unit="share"), [0.523, 0.871])
    >>> found.low, found.high, found.ticks
    (0.5, 0.9, (0.5, 0.6, 0.7, 0.8, 0.9))
    """
    finite = [value for value in values if math.isfinite(value)]
    low = axis.low if axis.low is not None else min(finite, default=0.0)
    high = axis.high if axis.high is not None else max(finite, default=1.0)
    if high - low <= 1e-9 * max(1.0, abs(low), abs(high)):  # one value, up to rounding
        low, high = _widened(axis, low)
    step = _step((high - low) / about, least=1.0 if axis.unit == "count" else 0.0)
    low = low if axis.low is not None else math.floor(low / step + 1e-9) * step
    high = high if axis.high is not None else math.ceil(high / step - 1e-9) * step
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = _decimals(step) + 2
    return Ticked(
        round(low, 12),
        round(high, 12),
        step,
        tuple(round(count * step, digits) for count in range(first, last + 1)),
    )


def _widened(axis: Axis, value: float) -> tuple[float, float]:
    """Return a range around one value; that of shares stays between 0 and 1."""
    room = {"count": 1.0, "share": 0.1, "number": abs(value) / 10 or 1.0}[axis.unit]
    low, high = value - (0 if axis.unit == "count" else room), value + room
    if axis.unit == "share":
        return max(low, 0.0), min(max(high, room), 1.0)
    return low, high


def _step(rough: float, least: float) -> float:
    """Return the next round number: 1, 2, 2.5 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(rough))
    found = next(factor * power for factor in _STEPS if factor * power >= rough * (1 - 1e-9))
    return max(math.ceil(found - 1e-9) if least else found, least)


def _decimals(step: float) -> int:
    """Return how many digits behind the point tell ticks apart."""
    return next((digits for digits in range(9) if abs(round(step, digits) - step) < step * 1e-6), 9)


@dataclass(frozen=True, slots=True)
class Frame:
    """The rectangle in which values are drawn."""

    left: float
    top: float
    right: float
    bottom: float


def tick_room(axis: Axis, found: Ticked) -> float:
    """Return how wide the numbers along an upright axis are, with some room."""
    return max(text_width(axis.written(tick, found.step)) for tick in found.ticks) + 2 * _TICK_ROOM


def horizontal(axis: Axis, found: Ticked, scale: Scale, frame: Frame) -> str:
    """Draw the axis below the picture: ticks, their numbers, and what it shows."""
    parts = [element("path", d=f"M{frame.left:g} {frame.bottom:g}H{frame.right:g}", stroke=INK, fill="none")]
    for tick in found.ticks:
        x = scale.place(tick)
        parts.append(element("path", d=f"M{x:.2f} {frame.bottom:g}v4", stroke=INK, fill="none"))
        parts.append(text(axis.written(tick, found.step), x, frame.bottom + 18, FAINT, anchor="middle"))
    middle, room = (frame.left + frame.right) / 2, frame.right - frame.left
    parts.append(text(fitting(axis.label, room), middle, frame.bottom + 38, INK, anchor="middle"))
    return "".join(parts)


def vertical(axis: Axis, found: Ticked, scale: Scale, frame: Frame) -> str:
    """Draw the axis left of the picture, with lines across it at the ticks."""
    parts = []
    for tick in found.ticks:
        y = scale.place(tick)
        parts.append(element("path", d=f"M{frame.left:g} {y:.2f}H{frame.right:g}", stroke=GRID, fill="none"))
        parts.append(text(axis.written(tick, found.step), frame.left - _TICK_ROOM, y + SIZE / 3, FAINT, anchor="end"))
    middle, x = (frame.top + frame.bottom) / 2, frame.left - tick_room(axis, found) - 2
    label = fitting(axis.label, frame.bottom - frame.top)
    parts.append(text(label, x, middle, INK, anchor="middle", turned=-90))
    return "".join(parts)


def nothing(frame: Frame, said: str = "no values") -> str:
    """Say that there is nothing to be seen."""
    x, y = (frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2
    return text(said, x, y, FAINT, anchor="middle")
