"""Charts as SVG; equal values give equal bytes."""

from comparanda.render.charts.axes import Axis
from comparanda.render.charts.bars import Balance, BarChart, Bars, DivergingChart, Dot, DotPlot, Side
from comparanda.render.charts.canvas import Paper
from comparanda.render.charts.flows import Flow, FlowChart, FlowKind
from comparanda.render.charts.grids import Group, MatrixCell, MatrixChart, UpSetChart
from comparanda.render.charts.lines import Line, LineChart
from comparanda.render.charts.png import as_png
from comparanda.render.charts.theme import apply_theme

__all__ = [
    "Axis",
    "Balance",
    "BarChart",
    "Bars",
    "DivergingChart",
    "Dot",
    "DotPlot",
    "Flow",
    "FlowChart",
    "FlowKind",
    "Group",
    "Line",
    "LineChart",
    "MatrixCell",
    "MatrixChart",
    "Paper",
    "Side",
    "UpSetChart",
    "apply_theme",
    "as_png",
]
