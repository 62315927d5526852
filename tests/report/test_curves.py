"""The view of curves: probabilities, and what asking would gain."""

from __future__ import annotations

from pathlib import Path

import comparanda as cp
from comparanda import Result
from comparanda.report import Choices
from comparanda.report.lists import Lists
from comparanda.report.page_data import ChartPart, View
from comparanda.report.views import QUESTIONS, STRATEGIES, curves_view, simulate_strategies
from tests.report.pages import column, names, table
from tests.tasks.prob.findings.small import Block, compared

KEY = {f"d{number}": ["a:PER", "c:LOC"] for number in range(4)}
UNSURE: tuple[Block, ...] = ({"a:PER": 0.4}, {"c:LOC": 0.7}, {"f:PER": 0.6})
CERTAIN: tuple[Block, ...] = ({"a:PER": 1.0}, {"c:PER": 1.0})


def result(folder: Path, **systems: tuple[Block, ...]) -> Result:
    return compared(folder, KEY, {name: dict.fromkeys(KEY, blocks) for name, blocks in systems.items()})


def of(found: Result, **choices: object) -> View | None:
    return curves_view(found, Choices(**choices), Lists(found))  # type: ignore[arg-type]


def test_tasks_without_probabilities_have_no_such_view() -> None:
    assert of(cp.compare(["a", "b"], {"x": ["a", "a"]}, task="tag", resamples=0)) is None


def test_charts_and_tables_of_probabilities(tmp_path: Path) -> None:
    view = of(result(tmp_path, one=UNSURE, two=CERTAIN))
    assert view is not None
    assert names(view.parts)[:2] == ["reliability", "thresholds"]
    assert all(isinstance(part, ChartPart) for part in view.parts[:2])
    assert {"doubt", "claimed", "calibration", "by-label"} <= {*names(view.parts)}
    assert "scores" not in names(view.parts)


def test_questions_are_tried_where_something_is_uncertain(tmp_path: Path) -> None:
    found = result(tmp_path, one=UNSURE, two=CERTAIN)
    view = of(found)
    assert view is not None
    (only,) = view.choices
    assert (only.system, only.title) == ("one", "one")
    assert names(only.parts) == ["simulation-f1", "simulation", "measures", "differences"]
    assert column(table(only.parts, "simulation"), "strategy") == list(STRATEGIES)
    (tried,) = simulate_strategies(found, Choices())
    assert tried.finding.budget == QUESTIONS
    assert tried.finding.seed == found.seed
    assert not tried.finding.warnings


def test_nothing_is_asked_about_systems_of_several_runs(tmp_path: Path) -> None:
    result(tmp_path, one=UNSURE, two=UNSURE)
    files = [str(tmp_path / f"{name}.jsonl") for name in ("one", "two")]
    found = cp.compare(tmp_path / "key.jsonl", {"both": cp.Runs(*files)}, task="prob", resamples=0)
    view = of(found)
    assert view is not None
    assert view.choices == ()


def test_texts_that_are_repeated_are_words_of_the_corpus(tmp_path: Path) -> None:
    found = result(tmp_path, one=UNSURE)
    shown, hidden = of(found), of(found, text=False)
    assert shown is not None
    assert hidden is not None
    assert any("most often" in note for note in table(shown.choices[0].parts, "simulation").notes)
    assert not any("most often" in note for note in table(hidden.choices[0].parts, "simulation").notes)
    assert any("repeated text" in note for note in table(hidden.choices[0].parts, "simulation").notes)
