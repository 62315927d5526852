"""Charts are SVG that other programs read: values stand where they belong, words are no markup, bytes are the same."""

from __future__ import annotations

import math
import re
import sys
from itertools import pairwise
from typing import Any, get_args
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparanda.errors import MissingExtraError, UsageError
from comparanda.render.charts import (
    Axis,
    Balance,
    BarChart,
    Bars,
    DivergingChart,
    Dot,
    DotPlot,
    Flow,
    FlowChart,
    FlowKind,
    Group,
    Line,
    LineChart,
    MatrixCell,
    MatrixChart,
    Paper,
    Side,
    UpSetChart,
    apply_theme,
    as_png,
)
from comparanda.render.charts.axes import Unit, choose_scale
from comparanda.render.charts.canvas import make_chart_name
from comparanda.render.charts.grids import DARKEST, PALEST
from comparanda.render.charts.lines import thin_points
from comparanda.render.charts.theme import (
    CHANGE,
    DARK,
    GAIN,
    LIGHT,
    LOSS,
    MARKS,
    define_variables,
    fit_text,
    get_style,
    shorten_name,
    text_width,
    wrap_text,
)
from comparanda.render.count_links import Link
from tests.seeds import draws

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


def marks(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    """Return all marks by what they say."""
    return {title.text or "": each for each in root.iter(f"{SVG}g") if (title := each.find(f"{SVG}title")) is not None}


def rectangle(mark: ElementTree.Element) -> dict[str, str]:
    """Return the first rectangle of a mark."""
    found = mark.find(f"{SVG}rect")
    assert found is not None
    return found.attrib


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


def every_chart(said: str, link: Link | None = None) -> list[Paper]:
    """Return a chart of each kind in which everything that can be named is called the same."""
    told: dict[str, Any] = {"title": said, "description": said, "subtitle": said}
    axis = Axis(label=said)
    kind = FlowKind(name=said, sign="✗", style=LOSS, count=7, link=link)
    side = Side(value=7, text="7", link=link)
    bars = (Bars(name=said, values=(7.0,), links=None if link is None else (link,)), Bars(name="b", values=(None,)))
    return [
        LineChart(x=axis, y=axis, lines=(Line(name=said, x=[0], y=[0.5]),), **told),
        BarChart(label=said, groups=(said,), y=axis, bars=bars, **told),
        DotPlot(x=axis, columns=(said,), dots=(Dot(name=said, value=0.5, texts=("7",), link=link),),
                reference=(said, 0.4), **told),
        DivergingChart(lost=said, gained=said, rows=(Balance(name=said, lost=side, gained=None, text=said),), **told),
        UpSetChart(members=(said,), groups=(Group(members=(True,), count=7, tooltip=said, link=link),), **told),
        MatrixChart(across=said, along=said, rows=(said,), columns=(said,),
                    cells=((MatrixCell(text="7", tooltip=f"{said} 7", shade=0.5, framed=True, link=link),),), **told),
        FlowChart(left=said, right=said, kinds=(kind,),
                  flows=(Flow(source=said, target=said, kind=kind, count=7, note=said, link=link),), **told),
    ]  # fmt: skip


KINDS = [type(chart).__name__ for chart in every_chart("x")]


@pytest.mark.parametrize("number", range(len(KINDS)), ids=KINDS)
@pytest.mark.parametrize("linked", [False, True])
def test_words_are_never_markup(number: int, linked: bool) -> None:
    svg = every_chart(HOSTILE, Link(HOSTILE))[number].svg(linked=linked)
    root = parsed(svg)
    assert {each.tag.removeprefix(SVG) for each in root.iter()} <= {
        "svg", "title", "desc", "rect", "circle", "text", "path", "g", "a", "clipPath", "defs", "pattern",
    }  # fmt: skip
    assert not any(name.startswith("on") for each in root.iter() for name in each.attrib)
    assert "\x1b" not in svg
    assert "\u202e" not in svg
    assert "<script" not in svg


@pytest.mark.parametrize("number", range(len(KINDS)), ids=KINDS)
@pytest.mark.parametrize("said", ["x" * 100_000, "word " * 300, "漢" * 500, "\u202e" * 500])
def test_long_names_are_cut_to_the_paper(number: int, said: str) -> None:
    chart = every_chart(said)[number]
    for each in parsed(chart.svg()).iter(f"{SVG}text"):
        assert text_width(each.text or "") < chart.wide()


@pytest.mark.parametrize("number", range(len(KINDS)), ids=KINDS)
def test_marks_lead_somewhere_in_a_page_and_nowhere_in_a_file(number: int) -> None:
    link = Link('label == "A" and right("b & c")', "x", "y", "view")
    chart = every_chart("seven", link)[number]
    page, file = parsed(chart.svg(linked=True)), parsed(chart.svg())
    assert not list(file.iter(f"{SVG}a"))
    assert (file.attrib["role"], page.attrib["role"]) == ("img", "group")
    marks = list(page.iter(f"{SVG}a"))
    if isinstance(chart, LineChart):
        assert not marks
        assert chart.links() == ()
        return
    assert chart.links() == (link,)
    for mark in marks:
        assert mark.attrib["href"] == link.address()
        assert "7" in mark.attrib["aria-label"]
        for written in mark.iter(f"{SVG}text"):
            assert (written.text or "") in mark.attrib["aria-label"]
    assert [mark.attrib["href"] for mark in marks]


@pytest.mark.parametrize("number", range(len(KINDS)), ids=KINDS)
def test_a_page_has_the_title_itself(number: int) -> None:
    chart = every_chart("said")[number]
    assert [each.text for each in parsed(chart.svg()).iter(f"{SVG}text") if "font-weight" in each.attrib] == ["said"]
    assert not [each for each in parsed(chart.svg(linked=True)).iter(f"{SVG}text") if "font-weight" in each.attrib]


@pytest.mark.parametrize("number", range(len(KINDS)), ids=KINDS)
def test_in_a_page_all_colours_are_variables_that_it_defines(number: int) -> None:
    svg = apply_theme(every_chart('fill="#1a1a1a"')[number].svg(linked=True))
    used = {each.attrib[name] for each in parsed(svg).iter() for name in ("fill", "stroke") if name in each.attrib}
    used -= {"none", *(each for each in used if each.startswith("url(#"))}
    assert used
    assert used <= {f"var(--{name})" for name in LIGHT}
    assert 'fill="#1a1a1a"' in "".join(parsed(svg).itertext())  # words stay as they are


def test_charts_of_one_name_can_stand_in_one_notebook() -> None:
    first, second = (line_chart(Line(name="a", x=[0], y=[0.5]), title=title) for title in ("one", "two"))
    ids = [
        {each.attrib["id"] for each in parsed(chart._repr_svg_()).iter() if "id" in each.attrib}
        for chart in (first, second)
    ]
    assert ids[0]
    assert not ids[0] & ids[1]
    assert first._repr_svg_() == first._repr_svg_()
    assert first._repr_svg_() != first.svg()


def test_names_of_charts_are_safe_as_ids_and_files() -> None:
    assert make_chart_name("flow", HOSTILE, "b") == "flow-script-alert-x-script-31m-b"
    assert make_chart_name("flow", "../..", "\u202e") == "flow"
    assert len(make_chart_name("x" * 500)) == 60


def test_equal_values_give_equal_bytes_and_no_number_is_too_long() -> None:
    chart = line_chart(
        *(Line(name=str(n), x=range(100), y=[math.sin(i / 7 + n) for i in range(100)]) for n in range(5))
    )
    assert chart.svg() == chart.svg()
    assert not re.search(r"\d\.\d{3}", chart.svg())


def test_no_two_lines_are_told_apart_by_colour_alone() -> None:
    styles = [get_style(number) for number in range(12)]
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
@settings(max_examples=draws(30))
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
    found = choose_scale(Axis(label=""), [low, low + size])
    assert found.low <= low + 1e-6 * size
    assert found.high >= low + size - 1e-6 * size
    assert 2 <= len(found.ticks) <= 10
    steps = {round((after - before) / found.step, 6) for before, after in pairwise(found.ticks)}
    assert steps <= {1.0}


def test_ticks_of_counts_are_whole_and_those_of_shares_between_zero_and_one() -> None:
    assert choose_scale(Axis(label="", unit="count"), [0, 2]).ticks == (0, 1, 2)
    assert choose_scale(Axis(label="", unit="count", low=0), [0]).ticks == (0, 1)
    for value in (0.0, 0.5, 1.0):
        found = choose_scale(Axis(label="", unit="share"), [value])
        assert 0 <= found.low < found.high <= 1
    assert choose_scale(Axis(label="", unit="share", low=0, high=1), []).ticks[-1] == 1.0


def test_long_lines_are_thinned_and_keep_their_peaks() -> None:
    curve = [(number / 50, 0.0) for number in range(10_000)]
    curve[5_000] = (100.0, 9.0)
    found = thin_points(curve)
    assert len(found) < 900
    assert (100.0, 9.0) in found
    assert (found[0], found[-1]) == (curve[0], curve[-1])
    assert found == sorted(found, key=lambda point: point[0])


def test_words_are_cut_as_they_are_written() -> None:
    assert fit_text("a\x1bb", text_width("a\\x1bb")) == "a\\x1bb"
    assert text_width(fit_text("\x1b" * 100, 60)) <= 60
    assert len(shorten_name("\x1b" * 100)) == 60
    assert shorten_name("short") == "short"


def test_long_words_are_cut_or_folded() -> None:
    assert fit_text("short", 100) == "short"
    assert text_width(fit_text("a very long name indeed", 60)) <= 60
    assert wrap_text("one two three four", text_width("one two")) == ["one two", "three", "four"]
    assert len(wrap_text("word " * 50, 100, most=2)) == 2
    assert text_width("漢字") > text_width("ab")


def test_bars_begin_at_zero_and_undefined_ones_say_so() -> None:
    chart = BarChart(
        title="Tuples", description="d", label="weight", groups=("low", "high"), y=Axis(label="tuples", unit="count"),
        bars=(Bars(name="a", values=(2.0, 4.0), low=(1.0, None), high=(3.0, None)), Bars(name="b", values=(0.0, None))),
    )  # fmt: skip
    root = parsed(chart.svg())
    found = marks(root)
    boxes = [rectangle(found[told]) for told in ("low, a: 2", "high, a: 4", "low, b: 0")]
    assert float(boxes[2]["height"]) == 0
    assert float(boxes[1]["height"]) == pytest.approx(2 * float(boxes[0]["height"]))
    assert texts(root).count("n/a") == 1
    assert {"2", "4", "0", "n/a"} <= {*texts(root)}
    assert {"a", "b", "low", "high", "weight"} <= {*texts(root)}
    patterns = {f"url(#{each.attrib['id']})" for each in root.iter(f"{SVG}pattern")}
    assert boxes[2]["fill"] in patterns
    assert boxes[0]["fill"] not in patterns


def test_many_groups_are_not_all_named() -> None:
    groups = tuple(map(str, range(100)))
    bars = (Bars(name="a", values=[1.0] * 100),)
    chart = BarChart(title="t", description="d", label="l", groups=groups, y=Axis(label="y"), bars=bars)
    assert len([text for text in texts(parsed(chart.svg())) if text in groups]) < 60


def test_values_of_many_bars_are_turned_and_still_there() -> None:
    counts = [10_000 + number for number in range(40)]
    bars = (Bars(name="a", values=counts),)
    chart = BarChart(
        title="t", description="d", label="l", groups=tuple(map(str, range(40))), y=Axis(label="y", unit="count"),
        bars=bars,
    )  # fmt: skip
    written = {each.text: each.attrib for each in parsed(chart.svg()).iter(f"{SVG}text")}
    for count in counts:
        assert "rotate(-90" in written[f"{count:,}"]["transform"]
        assert float(written[f"{count:,}"]["y"]) - text_width(f"{count:,}") > 0


# Dots.


def dot_plot(*dots: Dot, **settings: object) -> DotPlot:
    said = {"title": "t", "description": "d", "x": Axis(label="x", unit="share"), "columns": ("value",), **settings}
    return DotPlot(dots=dots, **said)  # type: ignore[arg-type]


def test_dots_stand_at_their_values_and_intervals_around_them() -> None:
    chart = dot_plot(
        Dot(name="a", value=0.5, low=0.4, high=0.7, texts=("50.00",)), Dot(name="b", value=0.6, texts=("60.00",)),
        Dot(name="c", value=0.8, texts=("80.00",)), Dot(name="d", value=None, texts=("n/a",)),
    )  # fmt: skip
    root = parsed(chart.svg())
    found = marks(root)
    places = {}
    for told, mark in found.items():
        dot = mark.find(f"{SVG}circle")
        if dot is not None:
            places[told] = float(dot.attrib["cx"])
    assert [*places] == ["a: value 50.00", "b: value 60.00", "c: value 80.00"]
    first, second, third = places.values()
    assert (third - second) == pytest.approx(2 * (second - first), abs=0.05)
    interval = found["a: value 50.00"].find(f"{SVG}path")
    assert interval is not None
    (low, _), (high, _) = points(interval)[:2]
    assert (first - low, high - first) == pytest.approx((second - first, 2 * (second - first)), abs=0.05)
    assert texts(root).count("n/a") == 2
    assert {"a", "b", "c", "d", "50.00", "60.00", "80.00"} <= {*texts(root)}


def test_rows_of_dots_do_not_overlap_and_the_paper_is_high_enough() -> None:
    chart = dot_plot(*(Dot(name=f"system {n}", value=n / 100, texts=("x",)) for n in range(80)))
    root = parsed(chart.svg())
    rows = [float(each.attrib["y"]) for each in root.iter(f"{SVG}text") if (each.text or "").startswith("system")]
    assert all(below - above >= 12 for above, below in pairwise(rows))
    assert rows[-1] < float(root.attrib["height"])


def test_steps_lead_from_dot_to_dot_and_a_reference_stands_beside() -> None:
    dots = [Dot(name=name, value=value, texts=("x",)) for name, value in (("a", 0.5), ("b", 0.7), ("c", 0.7))]
    root = parsed(dot_plot(*dots, joined=True, reference=("a alone", 0.5)).svg())
    circles = [(float(each.attrib["cx"]), float(each.attrib["cy"])) for each in root.iter(f"{SVG}circle")]
    (steps,) = [each for each in root.iter(f"{SVG}path") if each.attrib.get("stroke-width") == "2"]
    assert {*circles} <= {*points(steps)}
    assert all(before[0] == here[0] or before[1] == here[1] for before, here in pairwise(points(steps)))
    (line,) = [each for each in root.iter(f"{SVG}path") if "stroke-dasharray" in each.attrib]
    assert {x for x, _ in points(line)} == {circles[0][0]}
    assert "a alone" in texts(root)


# Bars to both sides.


def test_bars_to_both_sides_have_one_scale() -> None:
    rows = (
        Balance(name="a", lost=Side(value=2, text="2"), gained=Side(value=8, text="8"), text="+6"),
        Balance(name="b", lost=Side(value=4, text="4"), gained=None, text="-4"),
    )
    root = parsed(DivergingChart(title="t", description="d", lost="lost", gained="won", rows=rows, total="net").svg())
    boxes = {told: rectangle(mark) for told, mark in marks(root).items()}
    widths = {told: float(box["width"]) for told, box in boxes.items()}
    assert widths["a, won: 8"] == pytest.approx(4 * widths["a, lost: 2"], abs=0.05)
    assert widths["b, lost: 4"] == pytest.approx(2 * widths["a, lost: 2"], abs=0.05)
    zero = float(boxes["a, won: 8"]["x"])
    assert {round(float(boxes[told]["x"]) + widths[told], 1) for told in boxes if "lost" in told} == {round(zero, 1)}
    assert {"2", "8", "4", "+6", "-4", "lost", "won", "net"} <= {*texts(root)}
    assert boxes["a, lost: 2"]["fill"].startswith("url(#")  # hatched
    assert not boxes["a, won: 8"]["fill"].startswith("url(#")


# Flows.


def flow_chart(*counts: int) -> FlowChart:
    kinds = [FlowKind(name=name, sign=sign, style=style, count=sum(counts)) for name, sign, style in (
        ("good", "✓", GAIN), ("bad", "✗", LOSS), ("other", "≠", CHANGE))]  # fmt: skip
    flows = (
        Flow(
            source=f"s{number % 4}",
            target=f"t{number % 3}",
            kind=kinds[number % 3],
            count=count,
            note="k" * (number % 2),
        )
        for number, count in enumerate(counts)
    )
    return FlowChart(title="t", description="d", left="one", right="two", kinds=tuple(kinds), flows=tuple(flows))


def thickness(band: ElementTree.Element) -> list[float]:
    """Return how high a band is where it begins, at both ends of its middle, and where it ends."""
    edge = re.findall(r"[MLC ](-?[\d.]+) (-?[\d.]+)(?=[LCZ])", band.attrib["d"])  # without what only bends it
    above, below = edge[:4], edge[:3:-1]
    assert [x for x, _ in above] == [x for x, _ in below]
    return [float(lower) - float(upper) for (_, upper), (_, lower) in zip(above, below, strict=True)]


@given(st.lists(st.integers(1, 500), min_size=1, max_size=12))
@settings(max_examples=draws(30))
def test_bands_are_as_thick_as_their_counts(counts: list[int]) -> None:
    root = parsed(flow_chart(*counts).svg())
    bands = [mark for mark in marks(root).values() if mark.find(f"{SVG}path") is not None]
    assert len(bands) == len(flow_chart(*counts).flows)
    for band, count in zip(bands, counts, strict=True):
        path = band.find(f"{SVG}path")
        assert path is not None
        assert thickness(path) == pytest.approx([240 * count / sum(counts)] * 4, abs=0.02)
        assert (band.find(f"{SVG}text").text or "").split()[1] == f"{count:,}"  # type: ignore[union-attr]


def test_kinds_of_flows_are_told_without_colours() -> None:
    root = parsed(flow_chart(5, 4, 3).svg())
    bands = [path for mark in marks(root).values() if (path := mark.find(f"{SVG}path")) is not None]
    fills = [band.attrib["fill"] for band in bands]
    assert len({*fills}) == 3
    assert [fill.startswith("url(#") for fill in fills] == [False, True, True]
    assert {"✓ 5", "✗ 4 (k)", "≠ 3"} <= {*texts(root)}
    assert {"✓ good 12", "✗ bad 12", "≠ other 12"} <= {*texts(root)}


def test_labels_of_flows_do_not_overlap() -> None:
    root = parsed(flow_chart(*range(1, 16)).svg())
    for column in ("s", "t"):
        rows = sorted(
            float(each.attrib["y"]) for each in root.iter(f"{SVG}text") if re.fullmatch(rf"{column}\d", each.text or "")
        )
        assert len(rows) == {"s": 4, "t": 3}[column]
        assert all(below - above >= 12 for above, below in pairwise(rows))


def test_no_flow_says_that_nothing_changes() -> None:
    assert "nothing changes" in texts(parsed(flow_chart(0, 0).svg()))


# UpSet.


def upset(*counts: int) -> UpSetChart:
    groups = tuple(
        Group(members=(bool(n & 1), bool(n & 2)), count=count, tooltip=f"g{n}") for n, count in enumerate(counts)
    )
    return UpSetChart(title="t", description="d", members=("a", "b"), groups=groups)


def test_bars_are_as_long_as_their_counts_and_dots_say_of_whom() -> None:
    root = parsed(upset(10, 8, 6, 5).svg())
    found = marks(root)
    lengths = [float(rectangle(mark)["width"]) for mark in found.values()]
    assert [length / lengths[0] for length in lengths] == pytest.approx([1.0, 0.8, 0.6, 0.5], abs=0.001)
    assert [*found] == ["g0: 10", "g1: 8", "g2: 6", "g3: 5"]
    sizes = [[each.attrib["r"] for each in mark.iter(f"{SVG}circle")] for mark in found.values()]
    full = [[size == "5.5" for size in row] for row in sizes]
    assert full == [[False, False], [True, False], [False, True], [True, True]]
    assert "(bar cut)" not in texts(root)


@pytest.mark.parametrize(
    ("counts", "cut"), [((900, 20, 10), 1), ((900, 800, 10, 8), 2), ((20, 10, 5), 0), ((900, 0), 0)]
)
def test_bars_that_dwarf_all_others_are_cut_and_say_so(counts: tuple[int, ...], cut: int) -> None:
    root = parsed(upset(*counts).svg())
    lengths = [float(rectangle(mark)["width"]) for mark in marks(root).values()]
    assert texts(root).count("(bar cut)") == cut
    whole = [(length, count) for length, count in zip(lengths[cut:], counts[cut:], strict=True) if count]
    assert len({round(length / count, 1) for length, count in whole}) <= 1
    assert all(length >= max(lengths[cut:]) for length in lengths[:cut])
    assert {f"{count:,}" for count in counts} <= {*texts(root)}


# Matrices.


def matrix(rows: int, columns: int) -> MatrixChart:
    cells = tuple(
        tuple(
            None
            if row == column
            else MatrixCell(text=f"{row}/{column}", tooltip=f"{row}/{column}", shade=column / columns)
            for column in range(columns)
        )
        for row in range(rows)
    )
    names = [
        tuple(f"{side}{number}" for number in range(count)) for side, count in (("row ", rows), ("column ", columns))
    ]
    return MatrixChart(
        title="t", description="d", across="across", along="along", rows=names[0], columns=names[1], cells=cells
    )


@pytest.mark.parametrize("size", [1, 3, 30])
def test_every_cell_says_its_value_and_is_shaded_by_it(size: int) -> None:
    root = parsed(matrix(size, size).svg())
    assert {f"{row}/{column}" for row in range(size) for column in range(size) if row != column} <= {*texts(root)}
    assert {f"row {number}" for number in range(size)} | {"across", "along"} <= {*texts(root)}
    for row in range(min(size, 3)):
        found = [marks(root)[f"{row}/{column}"] for column in range(size) if column != row]
        shades = [float(mark.findall(f"{SVG}rect")[1].attrib["fill-opacity"]) for mark in found]
        assert shades == sorted(shades)
        assert all(PALEST <= shade <= DARKEST for shade in shades)
    right = max(
        float(each.attrib["x"]) + float(each.attrib["width"]) for each in root.iter(f"{SVG}rect") if "x" in each.attrib
    )
    assert right < float(root.attrib["width"])


def test_charts_without_anything_say_so() -> None:
    told: dict[str, Any] = {"title": "t", "description": "d"}
    empty = (
        dot_plot(), matrix(0, 0), UpSetChart(members=("a",), groups=(), **told),
        DivergingChart(lost="l", gained="g", rows=(), **told),
    )  # fmt: skip
    for chart in empty:
        assert {"no values", "neither gains nor losses"} & {*texts(parsed(chart.svg()))}


# Colours.


def luminance(colour: tuple[float, ...]) -> float:
    """Return the relative luminance of WCAG 2."""
    parts = [part / 255 for part in colour]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def rgb(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5))


def on(paper: str, colour: str, share: float) -> tuple[float, ...]:
    """Return what some of a colour makes of a paper."""
    return tuple(share * over + (1 - share) * under for over, under in zip(rgb(colour), rgb(paper), strict=True))


def test_black_on_white_has_the_contrast_that_everybody_knows() -> None:
    assert contrast(rgb("#000000"), rgb("#ffffff")) == pytest.approx(21)
    assert contrast(rgb("#777777"), rgb("#ffffff")) == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_words_and_marks_stand_out_from_both_papers(palette: dict[str, str]) -> None:
    paper = palette["paper"]
    for name in ("ink", "faint", "good", "bad", "changed"):
        assert contrast(rgb(palette[name]), rgb(paper)) >= 4.5, name
    for name in palette.keys() - {"paper", "grid"}:
        assert contrast(rgb(palette[name]), rgb(paper)) >= 3, name
    for name in ("good", "bad", "changed"):
        assert contrast(on(paper, palette[name], 0.85), rgb(paper)) >= 3, name
    for shade in (PALEST, DARKEST):
        assert contrast(on(paper, palette["series-0"], shade), rgb(palette["ink"])) >= 4.5


def test_both_palettes_have_the_same_names_and_no_colour_has_two() -> None:
    assert [*LIGHT] == [*DARK]
    for palette in (LIGHT, DARK):
        assert len({*palette.values()}) == len(palette)
    assert len(define_variables().splitlines()) == len(LIGHT)
    assert f"--bad: light-dark({LIGHT['bad']}, {DARK['bad']});" in define_variables()


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


@pytest.mark.parametrize("unit", get_args(Unit))
def test_values_that_are_one_up_to_rounding_have_room_around_them(unit: Unit) -> None:
    value = 0.6000000000000001
    found = choose_scale(Axis(label="x", unit=unit), [0.6, value])
    assert found.low < found.high
    assert found.low <= 0.6 <= value <= found.high
