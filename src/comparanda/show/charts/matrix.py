"""Matrices: a value in every cell, and the shade of the cell by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from comparanda.show.charts.axes import Frame, nothing
from comparanda.show.charts.paper import MARGIN, Paper
from comparanda.show.charts.rows import beside, column_names, column_room, widest
from comparanda.show.charts.svg import element, text
from comparanda.show.charts.theme import FAINT, GRID, INK, SERIES, SIZE, fitting

if TYPE_CHECKING:
    from comparanda.show.charts.pen import Pen
    from comparanda.show.links import Link

_ROW, _GAP = 26.0, 12.0
_WIDEST = 76.0  # the most that a column takes, unless its cells need more
_NARROWEST = 480.0  # the paper, so that there is room for a title
PALEST, DARKEST = 0.04, 0.46
"""How much colour the cells of the least and of the largest shade have: words on each can be read."""


@dataclass(frozen=True, kw_only=True)
class MatrixCell:
    """One cell.

    Args:
        said: what stands in it.
        shade: from 0 to 1; None for none.
        told: what it means, in words, with its numbers as they are written.
        link: what leads to what it counts.
        framed: whether it stands out by a frame, as the diagonal does where rows and columns agree.

    """

    said: str
    told: str
    shade: float | None = None
    link: Link | None = None
    framed: bool = False


@dataclass(frozen=True, kw_only=True)
class MatrixChart(Paper):
    """Rows by columns; a cell that is None is left empty.

    >>> cells = ((None, MatrixCell(said="41.2", told="crf and bert: 41.2 %", shade=0.412)),)
    >>> "41.2" in MatrixChart(title="Comp", description="Errors.", across="errors of", along="not made by",
    ...                       rows=("crf",), columns=("crf", "bert"), cells=cells).svg()
    True

    Args:
        across: what rows are.
        along: what columns are.
        rows: the names of rows.
        columns: the names of columns.
        cells: the cells, row by row.

    """

    across: str
    along: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[MatrixCell | None, ...], ...]

    def wide(self) -> float:
        """Return how wide the paper is: cells are never narrower than what stands in them."""
        _, beyond = column_room(self.columns, self._pitch())
        return max(_NARROWEST, self._left() + self._pitch() * len(self.columns) + beyond + MARGIN)

    def _pitch(self) -> float:
        """Return how wide a column is."""
        said = widest(each.said for row in self.cells for each in row if each is not None)
        room = (self.width - MARGIN - self._left()) / max(len(self.columns), 1)
        return max(said + _GAP, min(room, _WIDEST))

    def _left(self) -> float:
        return MARGIN + widest([self.across, *self.rows]) + _GAP

    def drawn(self, pen: Pen, top: float) -> tuple[str, float]:
        """Draw all cells, the names of rows at their left and those of columns above."""
        left, pitch = self._left(), self._pitch()
        high, _ = column_room(self.columns, pitch)
        top = top + 1.5 * SIZE + high
        frame = Frame(left, top, left + pitch * max(len(self.columns), 1), top + _ROW * max(len(self.rows), 1))
        middles = [left + pitch * (place + 0.5) for place in range(len(self.columns))]
        parts = [
            text(fitting(self.along, self.wide() - MARGIN - left), left, top - high - 6, FAINT),
            column_names(self.columns, middles, top, pitch),
            text(fitting(self.across, left - MARGIN - _GAP), left - _GAP, top - 4, FAINT, anchor="end"),
        ]
        for place, (name, row) in enumerate(zip(self.rows, self.cells, strict=True)):
            y = top + _ROW * place
            parts.append(beside(fitting(name, left - MARGIN - _GAP), left - _GAP, y + _ROW / 2, anchor="end"))
            parts += [_cell(pen, each, left + pitch * column, y, pitch) for column, each in enumerate(row)]
        if not (self.rows and self.columns):
            parts.append(nothing(frame))
        return "".join(parts), frame.bottom + MARGIN


def _cell(pen: Pen, each: MatrixCell | None, x: float, y: float, pitch: float) -> str:
    """Draw one cell: its edge, its shade, and what stands in it."""
    box = {"x": x, "y": y, "width": pitch, "height": _ROW}
    edge = element("rect", fill="none", stroke=GRID, **box)
    if each is None:
        return edge
    shapes = [edge]
    if each.shade is not None:
        depth = PALEST + (DARKEST - PALEST) * min(max(each.shade, 0.0), 1.0)
        shapes.append(element("rect", fill=SERIES[0], fill_opacity=depth, **box))
    if each.framed:
        inner = {"x": x + 1.5, "y": y + 1.5, "width": pitch - 3, "height": _ROW - 3}
        shapes.append(element("rect", fill="none", stroke=INK, stroke_width=1.5, **inner))
    shapes.append(beside(each.said, x + pitch / 2, y + _ROW / 2, anchor="middle"))
    return pen.mark(each.told, *shapes, link=each.link)
