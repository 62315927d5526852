"""Flows: bands from what one side says to what the other says, as thick as their counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from comparanda.render.charts.axes import Frame, beside, nothing, widest
from comparanda.render.charts.canvas import MARGIN, Entry, Paper, element, fill, hatchings, legend, number, text
from comparanda.render.charts.theme import FAINT, INK, PAPER, SIZE, Style, brief, fitting, text_width

if TYPE_CHECKING:
    from comparanda.render.charts.canvas import Pen
    from comparanda.render.links import Link

_THICK = 240.0  # all bands together
_LEAST, _GAP = 17.0, 5.0  # a band has room for its number, and some between it and the next
_NODE, _APART = 9.0, 9.0  # how wide the begin of bands is, and how far one is from the next
_LABELS = 150.0  # the most that labels may take


@dataclass(frozen=True, kw_only=True)
class FlowKind:
    """One kind of flows.

    Args:
        name: what it is called.
        sign: what stands before its counts, so that it is told without colours.
        style: how its bands look.
        count: of all of its kind.
        link: what leads to these.

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
        source: what it comes from.
        target: where it goes.
        kind: its kind.
        count: how thick it is.
        note: more about it, in brackets.
        link: what leads to what it counts.

    """

    source: str
    target: str
    kind: FlowKind
    count: int
    note: str = ""
    link: Link | None = None


@dataclass(frozen=True, kw_only=True)
class FlowChart(Paper):
    """Bands between labels at the left and labels at the right; in the middle each has a row with its count.

    >>> from comparanda.render.charts.theme import GAIN
    >>> good = FlowKind(name="correction", sign="✓", style=GAIN, count=9)
    >>> flows = (Flow(source="NOUN", target="VERB", kind=good, count=9),)
    >>> "✓ 9" in FlowChart(title="Changes", description="From crf to bert.", left="crf", right="bert",
    ...                    kinds=(good,), flows=flows).svg()
    True

    Args:
        left: who says what stands at the left.
        right: who says what stands at the right.
        kinds: all kinds, for the legend.
        flows: the bands, from above.

    """

    left: str
    right: str
    kinds: tuple[FlowKind, ...]
    flows: tuple[Flow, ...]

    def drawn(self, pen: Pen, top: float) -> tuple[str, float]:
        """Draw all bands, their labels, and what kinds there are."""
        entries = [Entry(f"{each.sign} {each.name} {each.count:,}", each.style, each.link) for each in self.kinds]
        names, top = legend(pen, name=self.name, entries=entries, begin=MARGIN, end=self.width - MARGIN, top=top)
        flows = [flow for flow in self.flows if flow.count]
        top += 2.2 * SIZE
        if not flows:
            frame = Frame(MARGIN, top, self.width - MARGIN, top + 4 * SIZE)
            return hatchings(self.name, (each.style for each in self.kinds)) + names + nothing(
                frame, "nothing changes"
            ), frame.bottom
        laid = _Layout(self, flows, top)
        parts = [
            hatchings(self.name, (each.style for each in self.kinds)),
            names,
            *laid.headings(),
            *(laid.band(pen, place) for place in range(len(flows))),
            *laid.labels(),
        ]
        return "".join(parts), laid.bottom + MARGIN


class _Layout:
    """Where bands begin, pass the middle and end."""

    def __init__(self, chart: FlowChart, flows: Sequence[Flow], top: float) -> None:
        self.chart, self.flows, self.top = chart, flows, top
        total = sum(flow.count for flow in flows)
        self.sizes = [_THICK * flow.count / total for flow in flows]
        self.begin = MARGIN + widest([chart.left, *(flow.source for flow in flows)], _LABELS) + 8
        self.end = chart.width - MARGIN - widest([chart.right, *(flow.target for flow in flows)], _LABELS) - 8
        rows, size = _stacked([max(size, _LEAST) for size in self.sizes], _GAP)
        middles = [row + max(each, _LEAST) / 2 for row, each in zip(rows, self.sizes, strict=True)]
        sources = _Column([flow.source for flow in flows], self.sizes, middles)
        targets = _Column([flow.target for flow in flows], self.sizes, middles)
        height = max(size, sources.height, targets.height)
        self.bottom = top + height
        self.middles = [top + (height - size) / 2 + middle for middle in middles]
        self.sources = sources.moved(top + (height - sources.height) / 2)
        self.targets = targets.moved(top + (height - targets.height) / 2)

    def headings(self) -> Iterable[str]:
        """Write who says what."""
        y = self.top - SIZE
        yield text(fitting(self.chart.left, self.begin - MARGIN), self.begin, y, FAINT, anchor="end")
        yield text(fitting(self.chart.right, self.chart.width - MARGIN - self.end), self.end, y, FAINT)

    def band(self, pen: Pen, place: int) -> str:
        """Draw one band and its count on it."""
        flow, size, middle = self.flows[place], self.sizes[place], self.middles[place]
        said = f"{flow.kind.sign} {flow.count:,}" + (f" ({fitting(flow.note, 90)})" if flow.note else "")
        half = text_width(said) / 2 + 4
        centre = (self.begin + self.end) / 2
        shape = _curved(
            [(self.begin + _NODE, self.sources.centres[place]), (centre - half - 8, middle),
             (centre + half + 8, middle), (self.end - _NODE, self.targets.centres[place])],
            size,
        )  # fmt: skip
        told = f"{said}, {flow.kind.name}: {brief(flow.source)} → {brief(flow.target)}"
        look = {"fill": fill(self.chart.name, flow.kind.style), "stroke": flow.kind.style.colour}
        return pen.mark(
            told,
            element("path", d=shape, fill_opacity=0.85, stroke_width=0.8, **look),
            element("rect", x=centre - half, y=middle - 8, width=2 * half, height=16, rx=3, fill=PAPER),
            text(said, centre, middle + SIZE / 3, INK, anchor="middle"),
            link=flow.link,
        )

    def labels(self) -> Iterable[str]:
        """Write the labels beside where bands begin and end."""
        for column, x, way in ((self.sources, self.begin, -1), (self.targets, self.end - _NODE, 1)):
            room = (x if way < 0 else self.chart.width - x - _NODE) - MARGIN - 6
            for name, (above, below) in column.nodes.items():
                yield element("rect", x=x, y=above, width=_NODE, height=max(below - above, 0.8), fill=INK)
                edge = x - 6 if way < 0 else x + _NODE + 6
                anchor = "end" if way < 0 else None
                yield beside(fitting(name, room), edge, (above + below) / 2, anchor=anchor)


class _Column:
    """The labels of one side from above, those first whose bands pass the middle first; and the bands of each."""

    def __init__(self, names: Sequence[str], sizes: Sequence[float], middles: Sequence[float]) -> None:
        members: dict[str, list[int]] = {}
        for place, name in enumerate(names):
            members.setdefault(name, []).append(place)
        order = sorted(members, key=lambda name: _mean(members[name], sizes, middles))
        heights = [sum(sizes[place] for place in members[name]) for name in order]
        tops, self.height = _stacked([max(height, _LEAST) for height in heights], _APART)
        self.centres = [0.0] * len(names)
        self.nodes: dict[str, tuple[float, float]] = {}
        for name, height, slot in zip(order, heights, tops, strict=True):
            above = slot + (max(height, _LEAST) - height) / 2
            self.nodes[name] = (above, above + height)
            for place in members[name]:
                self.centres[place] = above + sizes[place] / 2
                above += sizes[place]

    def moved(self, by: float) -> _Column:
        """Move all of it down."""
        self.centres = [centre + by for centre in self.centres]
        self.nodes = {name: (above + by, below + by) for name, (above, below) in self.nodes.items()}
        return self


def _mean(places: Sequence[int], sizes: Sequence[float], middles: Sequence[float]) -> float:
    return sum(sizes[place] * middles[place] for place in places) / sum(sizes[place] for place in places)


def _stacked(sizes: Sequence[float], gap: float) -> tuple[list[float], float]:
    """Return where each of some heights begins, one below the other, and how high all are."""
    tops, y = [], 0.0
    for size in sizes:
        tops.append(y)
        y += size + gap
    return tops, max(y - gap, 0.0)


def _curved(points: Sequence[tuple[float, float]], size: float) -> str:
    """Return the edge of a band through the middles of four places: it bends, lies level, and bends again."""
    above = [(x, y - size / 2) for x, y in points]
    below = [(x, y + size / 2) for x, y in reversed(points)]
    return f"M{_at(above[0])}{_bends(above)}L{_at(below[0])}{_bends(below)}Z"


def _bends(points: Sequence[tuple[float, float]]) -> str:
    first, second, third, last = points
    return f"{_bend(first, second)}L{_at(third)}{_bend(third, last)}"


def _bend(begin: tuple[float, float], end: tuple[float, float]) -> str:
    half = (begin[0] + end[0]) / 2
    return f"C{_at((half, begin[1]))} {_at((half, end[1]))} {_at(end)}"


def _at(point: tuple[float, float]) -> str:
    return f"{number(point[0])} {number(point[1])}"
