"""Flow charts: bands from the labels of one side to those of the other, with thickness proportional to counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from comparanda.render.charts.axes import Frame, draw_empty_plot, draw_row_text, measure_widest
from comparanda.render.charts.canvas import (
    MARGIN,
    Entry,
    Paper,
    define_hatchings,
    draw_legend,
    draw_text,
    format_length,
    get_fill,
    make_element,
)
from comparanda.render.charts.theme import FAINT, INK, PAPER, SIZE, Style, fit_text, shorten_name, text_width

if TYPE_CHECKING:
    from comparanda.render.charts.canvas import Pen
    from comparanda.render.count_links import Link

_TOTAL_THICKNESS = 240.0  # of all bands together
_MIN_THICKNESS, _GAP = 17.0, 5.0  # the least height of a band, for its number, and the gap between bands
_NODE_WIDTH, _NODE_GAP = 9.0, 9.0  # the width of the node where bands begin, and the gap between nodes
_MAX_LABEL_WIDTH = 150.0


@dataclass(frozen=True, kw_only=True)
class FlowKind:
    """One kind of flows.

    Args:
        name: its name.
        sign: the sign before its counts, which identifies it without colour.
        style: the style of its bands.
        count: the total of its kind.
        link: the link to these sites.

    """

    name: str
    sign: str
    style: Style
    count: int
    link: Link | None = None


@dataclass(frozen=True, kw_only=True)
class Flow:
    """One band.

    Args:
        source: the label at its left end.
        target: the label at its right end.
        kind: its kind.
        count: its count, which determines its thickness.
        note: further information, displayed in parentheses.
        link: the link to what it counts.

    """

    source: str
    target: str
    kind: FlowKind
    count: int
    note: str = ""
    link: Link | None = None


@dataclass(frozen=True, kw_only=True)
class FlowChart(Paper):
    """Bands between labels on the left and labels on the right, each with its count in the middle.

    >>> from comparanda.render.charts.theme import GAIN
    >>> good = FlowKind(name="correction", sign="✓", style=GAIN, count=9)
    >>> flows = (Flow(source="NOUN", target="VERB", kind=good, count=9),)
    >>> "✓ 9" in FlowChart(title="Changes", description="From crf to bert.", left="crf", right="bert",
    ...                    kinds=(good,), flows=flows).svg()
    True

    Args:
        left: the system whose labels are on the left.
        right: the system whose labels are on the right.
        kinds: all kinds, for the legend.
        flows: the bands, from the top.

    """

    left: str
    right: str
    kinds: tuple[FlowKind, ...]
    flows: tuple[Flow, ...]

    def drawn(self, pen: Pen, top: float) -> tuple[str, float]:
        """Draw all bands, their labels and the legend."""
        entries = [Entry(f"{each.sign} {each.name} {each.count:,}", each.style, each.link) for each in self.kinds]
        names, top = draw_legend(pen, name=self.name, entries=entries, begin=MARGIN, end=self.width - MARGIN, top=top)
        flows = [flow for flow in self.flows if flow.count]
        top += 2.2 * SIZE
        if not flows:
            frame = Frame(MARGIN, top, self.width - MARGIN, top + 4 * SIZE)
            return define_hatchings(self.name, (each.style for each in self.kinds)) + names + draw_empty_plot(
                frame, "nothing changes"
            ), frame.bottom
        layout = _Layout(self, flows, top)
        parts = [
            define_hatchings(self.name, (each.style for each in self.kinds)),
            names,
            *layout.headings(),
            *(layout.band(pen, place) for place in range(len(flows))),
            *layout.labels(),
        ]
        return "".join(parts), layout.bottom + MARGIN


class _Layout:
    """The positions of the beginnings, middles and ends of bands."""

    def __init__(self, chart: FlowChart, flows: Sequence[Flow], top: float) -> None:
        self.chart, self.flows, self.top = chart, flows, top
        total = sum(flow.count for flow in flows)
        self.sizes = [_TOTAL_THICKNESS * flow.count / total for flow in flows]
        self.begin = MARGIN + measure_widest([chart.left, *(flow.source for flow in flows)], _MAX_LABEL_WIDTH) + 8
        self.end = (
            chart.width - MARGIN - measure_widest([chart.right, *(flow.target for flow in flows)], _MAX_LABEL_WIDTH) - 8
        )
        rows, size = _stack([max(size, _MIN_THICKNESS) for size in self.sizes], _GAP)
        middles = [row + max(each, _MIN_THICKNESS) / 2 for row, each in zip(rows, self.sizes, strict=True)]
        sources = _Column([flow.source for flow in flows], self.sizes, middles)
        targets = _Column([flow.target for flow in flows], self.sizes, middles)
        height = max(size, sources.height, targets.height)
        self.bottom = top + height
        self.middles = [top + (height - size) / 2 + middle for middle in middles]
        self.sources = sources.moved(top + (height - sources.height) / 2)
        self.targets = targets.moved(top + (height - targets.height) / 2)

    def headings(self) -> Iterable[str]:
        """Draw the names of both systems."""
        y = self.top - SIZE
        yield draw_text(fit_text(self.chart.left, self.begin - MARGIN), self.begin, y, FAINT, anchor="end")
        yield draw_text(fit_text(self.chart.right, self.chart.width - MARGIN - self.end), self.end, y, FAINT)

    def band(self, pen: Pen, place: int) -> str:
        """Draw one band with its count."""
        flow, size, middle = self.flows[place], self.sizes[place], self.middles[place]
        text = f"{flow.kind.sign} {flow.count:,}" + (f" ({fit_text(flow.note, 90)})" if flow.note else "")
        half = text_width(text) / 2 + 4
        centre = (self.begin + self.end) / 2
        shape = _band_path(
            [(self.begin + _NODE_WIDTH, self.sources.centres[place]), (centre - half - 8, middle),
             (centre + half + 8, middle), (self.end - _NODE_WIDTH, self.targets.centres[place])],
            size,
        )  # fmt: skip
        tooltip = f"{text}, {flow.kind.name}: {shorten_name(flow.source)} → {shorten_name(flow.target)}"
        look = {"fill": get_fill(self.chart.name, flow.kind.style), "stroke": flow.kind.style.colour}
        return pen.mark(
            tooltip,
            make_element("path", d=shape, fill_opacity=0.85, stroke_width=0.8, **look),
            make_element("rect", x=centre - half, y=middle - 8, width=2 * half, height=16, rx=3, fill=PAPER),
            draw_text(text, centre, middle + SIZE / 3, INK, anchor="middle"),
            link=flow.link,
        )

    def labels(self) -> Iterable[str]:
        """Draw the labels next to the beginnings and ends of bands."""
        for column, x, way in ((self.sources, self.begin, -1), (self.targets, self.end - _NODE_WIDTH, 1)):
            room = (x if way < 0 else self.chart.width - x - _NODE_WIDTH) - MARGIN - 6
            for name, (above, below) in column.nodes.items():
                yield make_element("rect", x=x, y=above, width=_NODE_WIDTH, height=max(below - above, 0.8), fill=INK)
                edge = x - 6 if way < 0 else x + _NODE_WIDTH + 6
                anchor = "end" if way < 0 else None
                yield draw_row_text(fit_text(name, room), edge, (above + below) / 2, anchor=anchor)


class _Column:
    """The labels of one side, ordered by the mean position of their bands in the middle, and the bands of each."""

    def __init__(self, names: Sequence[str], sizes: Sequence[float], middles: Sequence[float]) -> None:
        members: dict[str, list[int]] = {}
        for place, name in enumerate(names):
            members.setdefault(name, []).append(place)
        order = sorted(members, key=lambda name: _weighted_mean(members[name], sizes, middles))
        heights = [sum(sizes[place] for place in members[name]) for name in order]
        tops, self.height = _stack([max(height, _MIN_THICKNESS) for height in heights], _NODE_GAP)
        self.centres = [0.0] * len(names)
        self.nodes: dict[str, tuple[float, float]] = {}
        for name, height, slot in zip(order, heights, tops, strict=True):
            above = slot + (max(height, _MIN_THICKNESS) - height) / 2
            self.nodes[name] = (above, above + height)
            for place in members[name]:
                self.centres[place] = above + sizes[place] / 2
                above += sizes[place]

    def moved(self, by: float) -> _Column:
        """Move all of it down."""
        self.centres = [centre + by for centre in self.centres]
        self.nodes = {name: (above + by, below + by) for name, (above, below) in self.nodes.items()}
        return self


def _weighted_mean(places: Sequence[int], sizes: Sequence[float], middles: Sequence[float]) -> float:
    return sum(sizes[place] * middles[place] for place in places) / sum(sizes[place] for place in places)


def _stack(sizes: Sequence[float], gap: float) -> tuple[list[float], float]:
    """Return the tops of stacked boxes of the given heights, and the total height."""
    tops, y = [], 0.0
    for size in sizes:
        tops.append(y)
        y += size + gap
    return tops, max(y - gap, 0.0)


def _band_path(points: Sequence[tuple[float, float]], size: float) -> str:
    """Return the outline of a band through four points: a curve, a horizontal piece, and a curve."""
    above = [(x, y - size / 2) for x, y in points]
    below = [(x, y + size / 2) for x, y in reversed(points)]
    return f"M{_format_point(above[0])}{_edge_path(above)}L{_format_point(below[0])}{_edge_path(below)}Z"


def _edge_path(points: Sequence[tuple[float, float]]) -> str:
    first, second, third, last = points
    return f"{_curve_path(first, second)}L{_format_point(third)}{_curve_path(third, last)}"


def _curve_path(begin: tuple[float, float], end: tuple[float, float]) -> str:
    half = (begin[0] + end[0]) / 2
    return f"C{_format_point((half, begin[1]))} {_format_point((half, end[1]))} {_format_point(end)}"


def _format_point(point: tuple[float, float]) -> str:
    return f"{format_length(point[0])} {format_length(point[1])}"
