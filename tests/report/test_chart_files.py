"""The charts that go into papers and slides."""

from __future__ import annotations

from pathlib import Path

import comparanda as cp
from comparanda.report import Choices
from comparanda.report.chart_files import charts_of
from tests.findings.every_task import trees
from tests.report.test_curves import UNSURE, result


def drawn(found: cp.Result, **choices: object) -> list[str]:
    """Return the charts by their names; each can be drawn."""
    charts = list(charts_of(found, Choices(**choices)))  # type: ignore[arg-type]
    assert all(chart.svg().startswith("<svg") for chart in charts)
    return [chart.name for chart in charts]


def test_all_systems_and_the_pair_that_comes_first() -> None:
    key = list("abcab" * 6)
    given = {name: ["x" if tag == name else tag for tag in key] for name in "abc"}
    found = cp.compare(key, given, task="tag", resamples=0)
    usual = drawn(found)
    assert len(usual) == len({*usual}) == 1 + 2 + 2 + 2 + 3
    other = drawn(found, base="c", new="a")
    assert len(other) == len(usual)
    assert {*other} - {*usual}  # those of another pair have other names


def test_one_system() -> None:
    assert len(drawn(cp.compare(list("ab"), {"only": list("aa")}, task="tag", resamples=0))) == 2


def test_views_without_sites(tmp_path: Path) -> None:
    assert len(drawn(trees(1, tmp_path), view="conll18")) == 1


def test_probabilities_and_questions(tmp_path: Path) -> None:
    names = drawn(result(tmp_path, one=UNSURE))
    assert {"reliability", "thresholds", "simulation-f1"} <= {*names}
