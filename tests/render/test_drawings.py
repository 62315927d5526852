"""Charts of findings: every number in them is that of the finding, and every mark leads to just what it counts."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from itertools import permutations
from pathlib import Path
from typing import TypeVar
from xml.etree import ElementTree

import pytest

import comparanda as cp
from comparanda.demo import demo_files
from comparanda.findings.difference_charts import flow_chart, gain_chart
from comparanda.render.charts import DivergingChart, DotPlot, FlowChart, MatrixChart, Paper, UpSetChart
from comparanda.render.count_links import Link
from comparanda.render.finding import Finding
from comparanda.render.markup import as_html
from comparanda.result import Result
from tests.findings.every_task import SOME_TASKS, views
from tests.render.hostile import plain_and_hostile_findings
from tests.seeds import first_few, mostly_slow
from tests.tasks.prob.findings.small import compared
from tests.toy_task import ONE_AND_TWO, TWO_BY_TWO, of_one_view, registered, toy_measures, verdicts_of

__all__ = ["toy_measures"]

SVG = "{http://www.w3.org/2000/svg}"

with registered():
    ALL = plain_and_hostile_findings()


@cache
def demo(task: str) -> Result:
    key, systems = demo_files(task)
    return cp.compare(key, systems, task=task, resamples=50)


def charts_of(result: Result, view: str | None = None) -> Iterator[Paper]:
    """Yield all charts of a view."""
    findings: list[Finding] = [result.scores(view=view)]
    findings += [result.confusion(run, view=view) for run in result.verdicts.runs]
    if len(result.systems) > 1:
        findings += [result.leaderboard(view=view), result.combination(view=view), result.diversity(view=view)]
        findings.append(result.complementarity(view=view))
        for pair in permutations(result.systems[:3], 2):
            findings += [result.difference(*pair, view=view), result.difference(*pair, keyed_by="value", view=view)]
    for finding in findings:
        yield from finding.charts()


Kind = TypeVar("Kind", bound=Paper)


def chart(finding: Finding, kind: type[Kind]) -> Kind:
    """Return the chart of a finding that is of a kind."""
    (found,) = [each for each in finding.charts() if isinstance(each, kind)]
    return found


def texts(paper: Paper) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(paper.svg()).iter(f"{SVG}text")]


def check_marks(result: Result, paper: Paper) -> int:
    """Follow every mark of a chart; return how many there are."""
    links = {link.address(): link for link in paper.links()}
    found = list(ElementTree.fromstring(paper.svg(linked=True)).iter(f"{SVG}a"))
    for mark in found:
        link, told = links[mark.attrib["href"]], mark.attrib["aria-label"]
        count = result.count(link.where, link.base, link.new, view=link.view)
        assert re.search(rf"(?<![\d.])(?<!\d,){count:,}(?![.,]?\d)", told), (paper.name, count, told, link)
        for written in mark.iter(f"{SVG}text"):
            assert (written.text or "") in told
            numbers = re.findall(r"[\d,]+(?![\d.,])", written.text or "")
            if not re.search(r"\d\.\d", written.text or "") and not isinstance(paper, MatrixChart):
                assert f"{count:,}" in numbers, (paper.name, written.text, count)
    return len(found)


@pytest.mark.parametrize("task", SOME_TASKS, ids=lambda task: task.__name__)
def test_every_mark_leads_to_just_what_it_counts(task: Callable[[int, Path], Result], tmp_path: Path) -> None:
    result = task(5, tmp_path)
    assert sum(check_marks(result, paper) for view in views(result) for paper in charts_of(result, view)) > 50


@pytest.mark.parametrize("systems", first_few(1, [TWO_BY_TWO, ONE_AND_TWO]), ids=["2x2", "1x2"])
def test_marks_of_several_runs_count_pairs_of_runs(systems: object) -> None:
    result = Result(verdicts_of(systems), 20)  # type: ignore[arg-type]
    for view in ("strict", "partial"):
        assert sum(check_marks(result, paper) for paper in charts_of(result, view)) > 30


@pytest.mark.parametrize("task", mostly_slow(["pos", "span", "coref"], {"coref"}))
def test_marks_of_the_demo_lead_to_what_they_count(task: str) -> None:
    assert sum(check_marks(demo(task), paper) for paper in charts_of(demo(task))) > 50


# What charts are made of.


def allowed(name: str) -> set[str]:
    """Return one of the sets of names that the page copies."""
    script = files("comparanda.report").joinpath("assets", "charts.js").read_text(encoding="utf-8")
    (found,) = re.findall(rf"const {name} = new Set\(\[(.*?)\]\)", script, re.DOTALL)
    return {*re.findall(r'"([\w-]+)"', found)}


@pytest.mark.parametrize("name", of_one_view(ALL))
def test_the_page_copies_all_that_charts_are_made_of(name: str) -> None:
    shapes, looks = allowed("SHAPES"), allowed("LOOKS")
    assert "script" not in shapes | looks
    for paper in ALL[name].charts():
        for each in ElementTree.fromstring(paper.svg(linked=True)).iter():
            shape = each.tag.removeprefix(SVG)
            assert shape in shapes
            assert {*each.attrib} <= looks | ({"href"} if shape == "a" else set())


@pytest.mark.parametrize("name", of_one_view(ALL))
def test_charts_of_every_finding_are_whole_and_the_same_each_time(name: str) -> None:
    for paper, again in zip(ALL[name].charts(), ALL[name].charts(), strict=True):
        root = ElementTree.fromstring(paper.svg())
        assert paper.svg() == again.svg()
        assert paper.svg(linked=True) == again.svg(linked=True)
        assert not re.search(r"\d\.\d{3}|nan|inf", " ".join(each.attrib.get("d", "") for each in root.iter()))
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,60}", paper.name)
        ids = [each.attrib["id"] for each in root.iter() if "id" in each.attrib]
        assert len({*ids}) == len(ids)


def test_findings_without_charts_have_none() -> None:
    assert ALL["strict: pairs"].charts() == ()
    assert ALL["strict: suspects"].charts() == ()
    for name in ("scores", "difference", "combination", "diversity", "leaderboard", "complementarity", "anatomy"):
        assert ALL[f"strict: {name}"].charts()


@pytest.mark.parametrize("name", ALL)
def test_notebooks_show_charts_above_tables(name: str) -> None:
    shown = as_html(ALL[name])
    assert shown.count("<svg") == len(ALL[name].charts())
    assert "<svg" not in shown.partition("<table")[2]


# Scores.


def test_scores_stand_in_the_order_of_their_values_with_their_intervals() -> None:
    finding = demo("pos").scores()
    paper = chart(finding, DotPlot)
    assert [dot.name for dot in paper.dots] == ["spacy", "hanta", "textblob", "brill"]
    for dot in paper.dots:
        score = next(each for each in finding.scores if (each.system, each.measure) == (dot.name, "accuracy"))
        assert (dot.value, dot.low, dot.high) == (score.value, score.low, score.high)
        assert f"{100 * (score.value or 0):.2f}" in texts(paper)


def test_the_leaderboard_has_letters_where_there_are_tests() -> None:
    paper = chart(demo("pos").leaderboard(), DotPlot)
    assert paper.columns[-1] == "letters"
    assert paper.dots[0].texts[-1] == "a"
    alone = cp.compare(*_rows(1), task="label", resamples=0)
    (untested,) = alone.leaderboard().charts()
    assert isinstance(untested, DotPlot)
    assert "letters" not in untested.columns


# Pairs.


def test_all_differences_flow_the_most_frequent_ones_by_name() -> None:
    finding = demo("pos").difference("brill", "hanta")
    paper = chart(finding, FlowChart)
    assert sum(flow.count for flow in paper.flows) == finding.different
    named = [flow for flow in paper.flows if flow.source != "(others)"]
    assert len(named) == 12
    transitions = [each.count for of in finding.classes for each in of.transitions]
    assert sorted((flow.count for flow in named), reverse=True) == sorted(transitions, reverse=True)[:12]
    for each in finding.classes:
        kind = next(kind for kind in paper.kinds if kind.link == Link(each.where, "brill", "hanta", "upos"))
        assert sum(flow.count for flow in paper.flows if flow.kind == kind) == kind.count == each.count
    written = texts(paper)
    assert all(any(f"{flow.count:,}" in said.split() for said in written) for flow in paper.flows)


def test_gains_of_labels_add_up_to_corrections_and_new_errors() -> None:
    finding = demo("pos").difference("brill", "hanta")
    paper = chart(finding, DivergingChart)
    gained = sum(row.gained.value for row in paper.rows if row.gained is not None)
    lost = sum(row.lost.value for row in paper.rows if row.lost is not None)
    assert (gained, lost) == (finding.of("correction").count, finding.of("new_error").count)
    nets = {row.name: int(row.text) for row in paper.rows}
    for label in finding.labels:
        assert nets.get(label.label, 0) == label.new_right - label.base_right
    assert [*nets.values()] == sorted(nets.values(), reverse=True)


def test_where_labels_are_kinds_the_gains_are_points() -> None:
    finding = demo("coref").difference()
    paper = chart(finding, DivergingChart)
    shown = {row.name: (row.gained or row.lost) for row in paper.rows}
    for label in finding.labels:
        if label.difference:
            side = shown[label.label]
            assert side is not None
            assert (side.value, side.text) == (abs(label.difference), f"{100 * label.difference:+.2f}")
    assert paper.links() == ()


# All together.


def test_patterns_add_up_to_all_sites() -> None:
    finding = demo("pos").diversity()
    paper = chart(finding, UpSetChart)
    assert sum(group.count for group in paper.groups) == finding.sites
    first = finding.patterns.patterns[0]
    assert paper.groups[0].members == tuple(run in first.right for run in finding.runs)


def test_hardness_and_greedy_steps_are_those_of_the_finding() -> None:
    finding = demo("pos").combination()
    hardness, greedy = finding.charts()
    assert {f"{each.count:,}" for each in finding.hardness} <= {*texts(hardness)}
    assert {f"{each.gain:,}" for each in finding.greedy} <= {*texts(greedy)}
    assert isinstance(greedy, DotPlot)
    assert greedy.reference == (f"{finding.greedy[0].run} alone", finding.greedy[0].accuracy)
    assert [dot.value for dot in greedy.dots] == [step.accuracy for step in finding.greedy]


def test_the_matrix_has_the_rate_of_every_pair() -> None:
    for task, kind in (("pos", "comp"), ("span", "fcomp")):
        finding = demo(task).complementarity()
        paper = chart(finding, MatrixChart)
        for row, cells in zip(paper.rows, paper.cells, strict=True):
            for column, cell in zip(paper.columns, cells, strict=True):
                if row == column:
                    assert cell is None
                else:
                    value = getattr(finding.rates(row, column), kind).value
                    assert cell is not None
                    assert cell.text == f"{100 * value:.2f}"
        shades = sorted((cell.text, cell.shade) for row in paper.cells for cell in row if cell is not None)
        values = [(float(said), shade) for said, shade in shades]
        assert [shade for _, shade in sorted(values)] == sorted(shade or 0 for _, shade in values)


def test_the_matrix_of_confusions_frames_what_agrees() -> None:
    finding = demo("pos").confusion("brill")
    paper = chart(finding, MatrixChart)
    for row, cells in zip(paper.rows, paper.cells, strict=True):
        for column, cell in zip(paper.columns, cells, strict=True):
            count = next((each.count for each in finding.cells if (each.key, each.predicted) == (row, column)), None)
            assert (None if cell is None else cell.text) == (None if count is None else f"{count:,}")
            assert cell is None or cell.framed == (row == column)


# Few and many.


def _rows(systems: int, labels: int = 3, *, same: bool = False) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    draw = random.Random(systems)
    names = [f"L{number:02}" for number in range(labels)]
    key = {f"r{row}": draw.choice(names) for row in range(400)}
    sides = {
        f"system {number:02}": {
            row: value if same or draw.random() < 0.8 else draw.choice(names) for row, value in key.items()
        }
        for number in range(systems)
    }
    return key, sides


def test_thirty_systems_and_many_labels_are_drawn_and_lead_right() -> None:
    result = cp.compare(*_rows(30, 40), task="label", resamples=0)
    pair = result.difference("system 00", "system 01")
    found = [result.leaderboard(), pair, result.combination(), result.diversity(), result.confusion("system 00")]
    papers = [paper for finding in found for paper in finding.charts()]
    assert sum(check_marks(result, paper) for paper in papers) > 100
    (matrix,) = result.complementarity(*result.systems[:13]).charts()
    assert isinstance(matrix, MatrixChart)
    assert matrix.links() == ()  # so many lists would be too many for a page
    assert all(re.fullmatch(r"\d+", cell.text) for row in matrix.cells for cell in row if cell is not None)
    gains = chart(pair, DivergingChart)
    assert [row.name for row in gains.rows].index("(others)") == 20
    patterns = chart(result.diversity(), UpSetChart)
    assert len(patterns.groups) == 21
    assert patterns.groups[-1].members is None


def test_one_system_and_no_difference_at_all_are_drawn() -> None:
    one = cp.compare(*_rows(1), task="label", resamples=20)
    papers = [paper for finding in (one.scores(), one.combination(), one.diversity()) for paper in finding.charts()]
    assert [paper.name for paper in papers] == ["scores", "hardness", "greedy", "patterns"]
    same = cp.compare(*_rows(2, same=True), task="label", resamples=20)
    assert not same.difference().charts()  # nothing to see; the charts by themselves say so
    assert "nothing changes" in texts(flow_chart(same.difference()))
    assert "neither gains nor losses" in texts(gain_chart(same.difference()))
    for paper in charts_of(same):
        check_marks(same, paper)


def test_probabilities_have_curves(tmp_path: Path) -> None:
    key = {f"d{number}": ["a:PER", "cd:LOC"] for number in range(4)}
    sure = {name: [{"a:PER": 0.9}, {"cd:LOC": 0.6, "cd:PER": 0.3}] for name in key}
    result = compared(tmp_path, key, {"sure": sure}, resamples=20)
    assert [paper.name for paper in result.probabilities().charts()] == ["scores", "reliability", "thresholds"]
    assert {"reliability", "thresholds"} <= {paper.name for paper in result.anatomy().charts()}
