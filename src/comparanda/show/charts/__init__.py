"""Charts as SVG: values in, text out, the same bytes for the same values."""

from comparanda.show.charts.axes import Axis
from comparanda.show.charts.bars import BarChart, Bars
from comparanda.show.charts.lines import Line, LineChart
from comparanda.show.charts.png import as_png

__all__ = ["Axis", "BarChart", "Bars", "Line", "LineChart", "as_png"]
