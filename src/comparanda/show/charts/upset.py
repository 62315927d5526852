"""UpSet charts: which members each group has, as dots in columns, and how many it counts, as a bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from comparanda.show.charts.axes import Frame, nothing
from comparanda.show.charts.paper import MARGIN, Paper
from comparanda.show.charts.rows import ROW, beside, column_names, column_room, widest
from comparanda.show.charts.svg import element, path
from comparanda.show.charts.theme import FAINT, INK, PAPER, SERIES

if TYPE_CHECKING:
    from comparanda.show.charts.pen import Pen
    from comparanda.show.links import Link

_PITCH, _RADIUS = 19.0, 5.5
_THICK, _GAP = 14.0, 14.0
_DWARFS = 2.5  # a bar that is so many times longer than the next is cut
_BROKEN = 1.25  # and is drawn so many times as long as that one
_CUT = "(bar cut)"


@dataclass(frozen=True, kw_only=True)
class Group:
    """One row.

    Args:
        members: whether each of the columns belongs to it; None for a row that sums up others.
        count: how many it counts.
        told: what it is, in words.
        link: what leads to what it counts.

    """

    members: tuple[bool, ...] | None
    count: int
    told: str
    link: Link | None = None


@dataclass(frozen=True, kw_only=True)
class UpSetChart(Paper):
    """Groups in rows, their members in columns. Bars that dwarf all others are cut, and say so.

    >>> groups = (Group(members=(True, False), count=7, told="only crf"),)
    >>> "7" in UpSetChart(title="Who", description="Right together.", members=("crf", "bert"), groups=groups).svg()
    True
    """

    members: tuple[str, ...]
    groups: tuple[Group, ...]

    def wide(self) -> float:
        """Return how wide the paper is: columns take what they need, and bars are never squeezed."""
        return max(self.width, 2 * MARGIN + _PITCH * len(self.members) + self.width / 2)

    def drawn(self, pen: Pen, top: float) -> tuple[str, float]:
        """Draw all rows."""
        high, _ = column_room(self.members, _PITCH)
        left = MARGIN + _PITCH * len(self.members) + _GAP
        frame = Frame(left, top + high, self.wide() - MARGIN, top + high + ROW * max(len(self.groups), 1))
        columns = [MARGIN + _PITCH * (place + 0.5) for place in range(len(self.members))]
        unit, longest = self._scale(frame)
        parts = [column_names(self.members, columns, frame.top, _PITCH)]
        for place, group in enumerate(self.groups):
            middle = frame.top + ROW * (place + 0.5)
            shapes = (_dots(group.members, columns, middle), *_bar(group, frame.left, middle, unit, longest))
            parts.append(pen.mark(f"{group.told}: {group.count:,}", *shapes, link=group.link))
            if group.members is None:
                parts.append(beside("others", left - _GAP, middle, colour=FAINT, anchor="end"))
            if group.count > longest:
                parts.append(beside(_CUT, frame.right, middle, colour=FAINT, anchor="end"))
        axis = path([(frame.left, frame.top), (frame.left, frame.bottom)])
        parts.append(element("path", d=axis, stroke=INK, fill="none") if self.groups else nothing(frame))
        return "".join(parts), frame.bottom + MARGIN

    def _scale(self, frame: Frame) -> tuple[float, float]:
        """Return how long a bar is for each that it counts, and the longest that is drawn whole."""
        counts = sorted((group.count for group in self.groups), reverse=True)
        longest = _longest(counts)
        said = (f"{count:,} {_CUT if count > longest else ''}" for count in counts)
        return (frame.right - frame.left - widest(said) - _GAP) / (longest or 1), longest


def _longest(counts: Sequence[int]) -> float:
    """Return the longest bar that is drawn whole: one or two that dwarf all others are cut.

    >>> _longest([2000, 120, 100]), _longest([2000, 1500, 100]), _longest([200, 120, 100])
    (150.0, 125.0, 200)
    """
    for before, here in ((1, 2), (0, 1)):
        if len(counts) > here and counts[here] and counts[before] > _DWARFS * counts[here]:
            return _BROKEN * counts[here]
    return counts[0] if counts else 0


def _dots(members: Sequence[bool] | None, columns: Sequence[float], middle: float) -> str:
    """Draw a full dot for each member, joined by a line, and an empty one for all others."""
    if members is None:
        return ""
    inside = [x for x, member in zip(columns, members, strict=True) if member]
    parts = (
        [element("path", d=path([(inside[0], middle), (inside[-1], middle)]), stroke=INK, stroke_width=2, fill="none")]
        if inside
        else []
    )
    for x, member in zip(columns, members, strict=True):
        look = {"fill": INK, "stroke": INK} if member else {"fill": PAPER, "stroke": FAINT}
        parts.append(element("circle", cx=x, cy=middle, r=_RADIUS if member else _RADIUS - 1.5, stroke_width=1, **look))
    return "".join(parts)


def _bar(group: Group, left: float, middle: float, unit: float, longest: float) -> tuple[str, str, str]:
    """Draw the bar of a group, its count behind it; one that is too long has a gap near its end."""
    size = unit * min(group.count, longest)
    bar = element("rect", x=left, y=middle - _THICK / 2, width=size, height=_THICK, fill=SERIES[0])
    broken = ""
    if group.count > longest:
        at, half = left + size * 0.85, _THICK / 2 + 2
        cut = path([(at - 3, middle + half), (at + 3, middle - half)])
        broken = element("path", d=cut, stroke=PAPER, stroke_width=5, fill="none")
    return bar, broken, beside(f"{group.count:,}", left + size + 5, middle)
