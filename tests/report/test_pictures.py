"""Charts as files: one SVG each, a PNG where something draws it, and no two under one name."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from comparanda.render.charts import Axis, Line, LineChart
from comparanda.report.chart_files import write_pictures

CHART = LineChart(
    title="F1", description="F1.", x=Axis(label="x"), y=Axis(label="y"), lines=(Line(name="a", x=[0, 1], y=[0.5, 0.6]),)
)


def charts(*names: str) -> list[LineChart]:
    return [replace(CHART, name=name, title=f"chart {number}") for number, name in enumerate(names)]


def test_every_chart_is_a_file_under_its_name(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    target = tmp_path / "new" / "folder"
    files = write_pictures(charts("scores", "flow-a-b"), target)
    assert [file.name for file in files] == ["scores.svg", "scores.png", "flow-a-b.svg", "flow-a-b.png"]
    assert sorted(target.iterdir()) == sorted(files)
    assert files[2].read_text(encoding="utf-8") == charts("", "flow-a-b")[1].svg()
    assert files[3].read_bytes().startswith(b"\x89PNG")


def test_without_resvg_there_are_svg_files_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    assert [file.name for file in write_pictures(charts("scores"), tmp_path)] == ["scores.svg"]


def test_no_file_is_written_over_and_none_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    names = ("flow", "Flow", "flow", "flow-2", "../../flow", "\u202e/\0", "")
    files = write_pictures(charts(*names), tmp_path)
    assert [file.name for file in files] == [
        "flow.svg", "Flow-2.svg", "flow-3.svg", "flow-2-2.svg", "flow-4.svg", "chart.svg", "chart-2.svg",
    ]  # fmt: skip
    assert sorted(tmp_path.iterdir()) == sorted(files)
    assert [f"chart {number}" in file.read_text(encoding="utf-8") for number, file in enumerate(files)] == [True] * 7


def test_the_same_charts_give_the_same_files(tmp_path: Path) -> None:
    first, second = (write_pictures(charts("a", "b"), tmp_path / name) for name in ("one", "two"))
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in second]
