"""Matrix charts with shaded cells, and UpSet charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from comparanda.render.charts.axes import (
    ROW,
    Frame,
    column_names,
    column_room,
    draw_empty_plot,
    draw_row_text,
    measure_widest,
)
from comparanda.render.charts.canvas import MARGIN, Paper, draw_text, format_path, make_element
from comparanda.render.charts.theme import FAINT, GRID, INK, PAPER, SERIES, SIZE, fit_text

if TYPE_CHECKING:
    from comparanda.render.charts.canvas import Pen
    from comparanda.render.count_links import Link


_ROW, _GAP = 26.0, 12.0
_MAX_COLUMN_WIDTH = 76.0  # the largest width of a column, unless its cells need more
_MIN_WIDTH = 480.0  # of the chart, so that there is space for a title
PALEST, DARKEST = 0.04, 0.46
"""The opacities of the lightest and the darkest shade; text is legible on both."""


@dataclass(frozen=True, kw_only=True)
class MatrixCell:
    """One cell.

    Args:
        text: its text.
        shade: from 0 to 1; None for none.
        tooltip: its tooltip, with numbers as displayed.
        link: the link to what it counts.
        framed: whether it has a frame, as the diagonal does where rows and columns agree.

    """

    text: str
    tooltip: str
    shade: float | None = None
    link: Link | None = None
    framed: bool = False


@dataclass(frozen=True, kw_only=True)
class MatrixChart(Paper):
    """A matrix of rows and columns; a cell that is None is left empty.

    >>> cells = ((None, MatrixCell(text="41.2", tooltip="crf and bert: 41.2 %", shade=0.412)),)
    >>> "41.2" in MatrixChart(title="Comp", description="Errors.", across="errors of", along="not made by",
    ...                       rows=("crf",), columns=("crf", "bert"), cells=cells).svg()
    True

    Args:
        across: the heading of the rows.
        along: the heading of the columns.
        rows: the names of the rows.
        columns: the names of the columns.
        cells: the cells, row by row.

    """

    across: str
    along: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[MatrixCell | None, ...], ...]

    def wide(self) -> float:
        """Return the width of the chart; cells are never narrower than their texts."""
        _, beyond = column_room(self.columns, self._pitch())
        return max(_MIN_WIDTH, self._left() + self._pitch() * len(self.columns) + beyond + MARGIN)

    def _pitch(self) -> float:
        """Return the width of a column."""
        text = measure_widest(each.text for row in self.cells for each in row if each is not None)
        room = (self.width - MARGIN - self._left()) / max(len(self.columns), 1)
        return max(text + _GAP, min(room, _MAX_COLUMN_WIDTH))

    def _left(self) -> float:
        return MARGIN + measure_widest([self.across, *self.rows]) + _GAP

    def drawn(self, pen: Pen, top: float) -> tuple[str, float]:
        """Draw all cells, the names of rows to the left and those of columns above."""
        left, pitch = self._left(), self._pitch()
        high, _ = column_room(self.columns, pitch)
        top = top + 1.5 * SIZE + high
        frame = Frame(left, top, left + pitch * max(len(self.columns), 1), top + _ROW * max(len(self.rows), 1))
        middles = [left + pitch * (place + 0.5) for place in range(len(self.columns))]
        parts = [
            draw_text(fit_text(self.along, self.wide() - MARGIN - left), left, top - high - 6, FAINT),
            column_names(self.columns, middles, top, pitch),
            draw_text(fit_text(self.across, left - MARGIN - _GAP), left - _GAP, top - 4, FAINT, anchor="end"),
        ]
        for place, (name, row) in enumerate(zip(self.rows, self.cells, strict=True)):
            y = top + _ROW * place
            parts.append(draw_row_text(fit_text(name, left - MARGIN - _GAP), left - _GAP, y + _ROW / 2, anchor="end"))
            parts += [
                _draw_cell(pen, each=each, x=left + pitch * column, y=y, pitch=pitch) for column, each in enumerate(row)
            ]
        if not (self.rows and self.columns):
            parts.append(draw_empty_plot(frame))
        return "".join(parts), frame.bottom + MARGIN


def _draw_cell(pen: Pen, each: MatrixCell | None, x: float, y: float, *, pitch: float) -> str:
    """Draw one cell: border, shade and text."""
    box = {"x": x, "y": y, "width": pitch, "height": _ROW}
    edge = make_element("rect", fill="none", stroke=GRID, **box)
    if each is None:
        return edge
    shapes = [edge]
    if each.shade is not None:
        depth = PALEST + (DARKEST - PALEST) * min(max(each.shade, 0.0), 1.0)
        shapes.append(make_element("rect", fill=SERIES[0], fill_opacity=depth, **box))
    if each.framed:
        inner = {"x": x + 1.5, "y": y + 1.5, "width": pitch - 3, "height": _ROW - 3}
        shapes.append(make_element("rect", fill="none", stroke=INK, stroke_width=1.5, **inner))
    shapes.append(draw_row_text(each.text, x + pitch / 2, y + _ROW / 2, anchor="middle"))
    return pen.mark(each.tooltip, *shapes, link=each.link)


# UpSet charts: the members of each group as dots in columns, its count as a bar.


_UPSET_COLUMN, _RADIUS = 19.0, 5.5
_BAR_THICKNESS, _UPSET_GAP = 14.0, 14.0
_CUT_RATIO = 2.5  # a bar longer than this multiple of the next one is cut
_CUT_LENGTH = 1.25  # the length of a cut bar as a multiple of the next one
_CUT_NOTE = "(bar cut)"


@dataclass(frozen=True, kw_only=True)
class Group:
    """One row.

    Args:
        members: whether each column is a member; None for a row that summarises others.
        count: its count.
        tooltip: its tooltip.
        link: the link to what it counts.

    """

    members: tuple[bool, ...] | None
    count: int
    tooltip: str
    link: Link | None = None


@dataclass(frozen=True, kw_only=True)
class UpSetChart(Paper):
    """Groups in rows, their members in columns. Bars much longer than all others are cut and marked as cut.

    >>> groups = (Group(members=(True, False), count=7, tooltip="only crf"),)
    >>> "7" in UpSetChart(title="Who", description="Right together.", members=("crf", "bert"), groups=groups).svg()
    True
    """

    members: tuple[str, ...]
    groups: tuple[Group, ...]

    def wide(self) -> float:
        """Return the width of the chart, which grows with the number of columns so that bars keep their space."""
        return max(self.width, 2 * MARGIN + _UPSET_COLUMN * len(self.members) + self.width / 2)

    def drawn(self, pen: Pen, top: float) -> tuple[str, float]:
        """Draw all rows."""
        high, _ = column_room(self.members, _UPSET_COLUMN)
        left = MARGIN + _UPSET_COLUMN * len(self.members) + _UPSET_GAP
        frame = Frame(left, top + high, self.wide() - MARGIN, top + high + ROW * max(len(self.groups), 1))
        columns = [MARGIN + _UPSET_COLUMN * (place + 0.5) for place in range(len(self.members))]
        unit, longest = self._scale(frame)
        parts = [column_names(self.members, columns, frame.top, _UPSET_COLUMN)]
        for place, group in enumerate(self.groups):
            middle = frame.top + ROW * (place + 0.5)
            shapes = (
                _draw_dots(group.members, columns, middle),
                *_draw_bar(group, left=frame.left, middle=middle, unit=unit, longest=longest),
            )
            parts.append(pen.mark(f"{group.tooltip}: {group.count:,}", *shapes, link=group.link))
            if group.members is None:
                parts.append(draw_row_text("others", left - _UPSET_GAP, middle, colour=FAINT, anchor="end"))
            if group.count > longest:
                parts.append(draw_row_text(_CUT_NOTE, frame.right, middle, colour=FAINT, anchor="end"))
        axis = format_path([(frame.left, frame.top), (frame.left, frame.bottom)])
        parts.append(make_element("path", d=axis, stroke=INK, fill="none") if self.groups else draw_empty_plot(frame))
        return "".join(parts), frame.bottom + MARGIN

    def _scale(self, frame: Frame) -> tuple[float, float]:
        """Return the length of a bar per unit of its count, and the largest count that is drawn uncut."""
        counts = sorted((group.count for group in self.groups), reverse=True)
        longest = _longest_uncut_bar(counts)
        text = (f"{count:,} {_CUT_NOTE if count > longest else ''}" for count in counts)
        return (frame.right - frame.left - measure_widest(text) - _UPSET_GAP) / (longest or 1), longest


def _longest_uncut_bar(counts: Sequence[int]) -> float:
    """Return the largest count that is drawn uncut; one or two bars much longer than all others are cut.

    >>> _longest_uncut_bar([2000, 120, 100]), _longest_uncut_bar([2000, 1500, 100]), _longest_uncut_bar([200, 120, 100])
    (150.0, 125.0, 200)
    """
    for before, here in ((1, 2), (0, 1)):
        if len(counts) > here and counts[here] and counts[before] > _CUT_RATIO * counts[here]:
            return _CUT_LENGTH * counts[here]
    return counts[0] if counts else 0


def _draw_dots(members: Sequence[bool] | None, columns: Sequence[float], middle: float) -> str:
    """Draw a filled dot for each member, connected by a line, and an empty dot for all others."""
    if members is None:
        return ""
    inside = [x for x, member in zip(columns, members, strict=True) if member]
    parts = (
        [
            make_element(
                "path",
                d=format_path([(inside[0], middle), (inside[-1], middle)]),
                stroke=INK,
                stroke_width=2,
                fill="none",
            )
        ]
        if inside
        else []
    )
    for x, member in zip(columns, members, strict=True):
        look = {"fill": INK, "stroke": INK} if member else {"fill": PAPER, "stroke": FAINT}
        parts.append(
            make_element("circle", cx=x, cy=middle, r=_RADIUS if member else _RADIUS - 1.5, stroke_width=1, **look)
        )
    return "".join(parts)


def _draw_bar(group: Group, left: float, middle: float, unit: float, *, longest: float) -> tuple[str, str, str]:
    """Draw the bar of a group, followed by its count; a cut bar has a gap near its end."""
    size = unit * min(group.count, longest)
    bar = make_element("rect", x=left, y=middle - _BAR_THICKNESS / 2, width=size, height=_BAR_THICKNESS, fill=SERIES[0])
    broken = ""
    if group.count > longest:
        at, half = left + size * 0.85, _BAR_THICKNESS / 2 + 2
        cut = format_path([(at - 3, middle + half), (at + 3, middle - half)])
        broken = make_element("path", d=cut, stroke=PAPER, stroke_width=5, fill="none")
    return bar, broken, draw_row_text(f"{group.count:,}", left + size + 5, middle)
