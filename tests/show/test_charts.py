"""Charts are SVG that other programs read: values stand where they belong, words are no markup, bytes are the same."""

from __future__ import annotations

import math
import re
import sys
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparanda.errors import MissingExtraError, UsageError
from comparanda.show.charts import Axis, BarChart, Bars, Line, LineChart, as_png
from comparanda.show.charts.axes import ticked
from comparanda.show.charts.lines import thinned
from comparanda.show.charts.theme import MARKS, fitting, folded, style, text_width

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert('x')</script> & \"\x1b[31m\u202e"


def line_chart(*lines: Line, **settings: object) -> LineChart:
    said = {"title": "F1", "description": "F1 after each question.", **settings}
    axes = {"x": Axis(label="questions", unit="count"), "y": Axis(label="F1 (%)", unit="share")}
    return LineChart(lines=lines, **{**axes, **said})  # type: ignore[arg-type]


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def texts(root: ElementTree.Element) -> list[str]:
    return [each.text or "" for each in root.iter(f"{SVG}text")]


def strokes(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    """Return the paths of lines by their names."""
    found = {}
    for path in root.iter(f"{SVG}path"):
        title = path.find(f"{SVG}title")
        if title is not None:
            found[title.text or ""] = path
    return found


def points(path: ElementTree.Element) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path.attrib["d"])]


def test_values_stand_where_the_axes_say() -> None:
    root = parsed(line_chart(Line(name="a", x=[0, 5, 10], y=[0.0, 1.0, 0.5])).svg())
    (left, bottom), (middle, top), (right, half) = points(strokes(root)["a"])
    assert (middle - left, bottom - half) == pytest.approx((right - middle, half - top))
    places = {each.text: each.attrib for each in root.iter(f"{SVG}text")}
    assert float(places["4"]["x"]) == pytest.approx(left + 0.4 * (right - left), abs=0.01)
    assert float(places["100"]["y"]) - 4 == pytest.approx(top)
    assert float(places["40"]["y"]) - 4 == pytest.approx(bottom - 0.4 * (bottom - top), abs=0.01)


def test_a_chart_says_what_it_is_to_those_who_do_not_see_it() -> None:
    root = parsed(line_chart(Line(name="a", x=[0], y=[0.5]), name="first").svg())
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert root.attrib["role"] == "img"
    assert title is not None
    assert description is not None
    assert root.attrib["aria-labelledby"].split() == [title.attrib["id"], description.attrib["id"]]
    assert (title.text, description.text) == ("F1", "F1 after each question.")
    assert all(each.attrib["id"].startswith("first-") for each in root.iter() if "id" in each.attrib)


def test_words_are_never_markup() -> None:
    bars = BarChart(
        title=HOSTILE, description=HOSTILE, label=HOSTILE, groups=(HOSTILE,), y=Axis(label=HOSTILE),
        bars=(Bars(name=HOSTILE, values=(1.0,)), Bars(name="b", values=(None,))),
    )  # fmt: skip
    for svg in (line_chart(Line(name=HOSTILE, x=[0], y=[0.5]), title=HOSTILE, subtitle=HOSTILE).svg(), bars.svg()):
        root = parsed(svg)
        assert not list(root.iter("script"))
        assert {each.tag.removeprefix(SVG) for each in root.iter()} <= {
            "svg", "title", "desc", "rect", "text", "path", "g", "clipPath", "defs", "pattern",
        }  # fmt: skip
        assert "\x1b" not in svg
        assert "\u202e" not in svg


def test_equal_values_give_equal_bytes_and_no_number_is_too_long() -> None:
    chart = line_chart(
        *(Line(name=str(n), x=range(100), y=[math.sin(i / 7 + n) for i in range(100)]) for n in range(5))
    )
    assert chart.svg() == chart.svg()
    assert not re.search(r"\d\.\d{3}", chart.svg())


def test_no_two_lines_are_told_apart_by_colour_alone() -> None:
    styles = [style(number) for number in range(12)]
    assert len({each.colour for each in styles}) < len(styles)
    assert len({(each.colour, each.dash) for each in styles}) == len(styles)
    assert len({(each.dash, each.mark) for each in styles}) == len(styles)
    assert {each.mark for each in styles} == {*MARKS}


def test_a_gap_stays_a_gap_and_a_lonely_point_is_seen() -> None:
    path = strokes(parsed(line_chart(Line(name="a", x=range(5), y=[0.1, 0.2, math.nan, 0.4, math.nan])).svg()))["a"]
    assert path.attrib["d"].count("M") == 2
    assert len(points(path)) == 4


def test_a_band_lies_around_its_line() -> None:
    svg = line_chart(Line(name="a", x=[0, 1], y=[0.5, 0.6], low=[0.4, 0.5], high=[0.6, 0.7])).svg()
    (band,) = [each for each in parsed(svg).iter(f"{SVG}path") if "fill-opacity" in each.attrib]
    ys = [y for _, y in points(strokes(parsed(svg))["a"])]
    assert len(points(band)) == 4
    assert min(y for _, y in points(band)) < min(ys)
    assert max(y for _, y in points(band)) > max(ys)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=14))
@settings(max_examples=30)
def test_names_do_not_overlap_and_stay_on_the_paper(ends: list[float]) -> None:
    chart = line_chart(*(Line(name=f"line {number}", x=[0, 1], y=[0.5, end]) for number, end in enumerate(ends)))
    rows = sorted(
        float(each.attrib["y"])
        for each in parsed(chart.svg()).iter(f"{SVG}text")
        if (each.text or "").startswith("line")
    )
    assert len(rows) == len(ends)
    assert all(below - above >= 12 for above, below in pairwise(rows))
    assert rows[0] > 0
    assert rows[-1] < chart.height


def test_without_values_a_chart_says_so() -> None:
    assert "no values" in texts(parsed(line_chart().svg()))
    assert "no values" in texts(parsed(line_chart(Line(name="a", x=[0, 1], y=[math.nan, math.nan])).svg()))


@given(st.floats(-1e3, 1e3), st.floats(1e-3, 1e6))
def test_ticks_are_few_and_round_and_hold_all_values(low: float, size: float) -> None:
    found = ticked(Axis(label=""), [low, low + size])
    assert found.low <= low + 1e-6 * size
    assert found.high >= low + size - 1e-6 * size
    assert 2 <= len(found.ticks) <= 10
    steps = {round((after - before) / found.step, 6) for before, after in pairwise(found.ticks)}
    assert steps <= {1.0}


def test_ticks_of_counts_are_whole_and_those_of_shares_between_zero_and_one() -> None:
    assert ticked(Axis(label="", unit="count"), [0, 2]).ticks == (0, 1, 2)
    assert ticked(Axis(label="", unit="count", low=0), [0]).ticks == (0, 1)
    for value in (0.0, 0.5, 1.0):
        found = ticked(Axis(label="", unit="share"), [value])
        assert 0 <= found.low < found.high <= 1
    assert ticked(Axis(label="", unit="share", low=0, high=1), []).ticks[-1] == 1.0


def test_long_lines_are_thinned_and_keep_their_peaks() -> None:
    curve = [(number / 50, 0.0) for number in range(10_000)]
    curve[5_000] = (100.0, 9.0)
    found = thinned(curve)
    assert len(found) < 900
    assert (100.0, 9.0) in found
    assert (found[0], found[-1]) == (curve[0], curve[-1])
    assert found == sorted(found, key=lambda point: point[0])


def test_long_words_are_cut_or_folded() -> None:
    assert fitting("short", 100) == "short"
    assert text_width(fitting("a very long name indeed", 60)) <= 60
    assert folded("one two three four", text_width("one two")) == ["one two", "three", "four"]
    assert len(folded("word " * 50, 100, most=2)) == 2
    assert text_width("漢字") > text_width("ab")


def test_bars_begin_at_zero_and_undefined_ones_say_so() -> None:
    chart = BarChart(
        title="Tuples", description="d", label="weight", groups=("low", "high"), y=Axis(label="tuples", unit="count"),
        bars=(Bars(name="a", values=(2.0, 4.0), low=(1.0, None), high=(3.0, None)), Bars(name="b", values=(0.0, None))),
    )  # fmt: skip
    root = parsed(chart.svg())
    heights = [float(each.attrib["height"]) for each in root.iter(f"{SVG}rect") if each.find(f"{SVG}title") is not None]
    assert heights[1] == 0
    assert heights[2] == pytest.approx(2 * heights[0])
    assert texts(root).count("n/a") == 1
    assert {"a", "b", "low", "high", "weight"} <= {*texts(root)}
    fills = [each.attrib["fill"] for each in root.iter(f"{SVG}rect") if each.find(f"{SVG}title") is not None]
    patterns = {f"url(#{each.attrib['id']})" for each in root.iter(f"{SVG}pattern")}
    assert fills[1] in patterns
    assert fills[0] not in patterns


def test_many_groups_are_not_all_named() -> None:
    groups = tuple(map(str, range(100)))
    bars = (Bars(name="a", values=[1.0] * 100),)
    chart = BarChart(title="t", description="d", label="l", groups=groups, y=Axis(label="y"), bars=bars)
    assert len([text for text in texts(parsed(chart.svg())) if text in groups]) < 60


def test_png_is_drawn_twice_as_large() -> None:
    pytest.importorskip("resvg_py")
    png = as_png(line_chart(Line(name="a", x=[0, 1], y=[0.5, 0.6])).svg())
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20]) == 1440


def test_png_without_its_package_or_without_fonts_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "resvg_py", None)
        with pytest.raises(MissingExtraError, match=r"comparanda\[png\]"):
            as_png("<svg/>")
    monkeypatch.setattr(pytest.importorskip("resvg_py"), "svg_to_bytes", lambda **_: b"")
    with pytest.raises(UsageError, match="no font"):
        as_png("<svg/>")
