"""Charts as SVG: values in, text out, the same bytes for the same values."""

from comparanda.show.charts.axes import Axis
from comparanda.show.charts.bars import BarChart, Bars
from comparanda.show.charts.dark import themed
from comparanda.show.charts.diverging import Balance, DivergingChart, Side
from comparanda.show.charts.dots import Dot, DotPlot
from comparanda.show.charts.flows import Flow, FlowChart, FlowKind
from comparanda.show.charts.lines import Line, LineChart
from comparanda.show.charts.matrix import MatrixCell, MatrixChart
from comparanda.show.charts.paper import Paper
from comparanda.show.charts.png import as_png
from comparanda.show.charts.upset import Group, UpSetChart

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
    "as_png",
    "themed",
]
