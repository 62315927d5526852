"""The view of all systems together."""

from __future__ import annotations

from pathlib import Path

import comparanda as cp
from comparanda import Result
from comparanda.report import Choices
from comparanda.report.lists import Lists
from comparanda.report.page_data import ChartPart, TextPart, View
from comparanda.report.views import choose_pairs, together_view
from tests.findings.every_task import trees
from tests.report.pages import column, names, table
from tests.toy_task import TWO_BY_TWO, toy_measures, verdicts_of

__all__ = ["toy_measures"]

KEY = list("abcab" * 8)


def of(result: Result, **choices: object) -> View | None:
    """Return the view of a result."""
    chosen = Choices(**choices)  # type: ignore[arg-type]
    return together_view(result, chosen, Lists(result), choose_pairs(result, chosen))


def taggers(count: int) -> Result:
    given = {f"s{number:02}": ["z"] * number + KEY[number:] for number in range(count)}
    return cp.compare(KEY, given, task="tag", resamples=0)


def test_errors_patterns_and_what_could_be_reached() -> None:
    view = of(taggers(3))
    assert view is not None
    tables = [part.name for part in view.parts if not isinstance(part, ChartPart)]
    assert tables[:3] == ["complementarity", "matrix", "overlap"]
    assert tables[-4:] == ["oracle", "greedy", "hardness", "agreement"]
    assert {"diversity", "pairs", "patterns", "tree", "clusters"} <= {*tables}
    assert sum(isinstance(part, ChartPart) for part in view.parts) == 4
    assert column(table(view.parts, "hardness"), "sites") == ["0", "1", "1", "38"]


def test_upper_bounds_of_single_labels_are_shown_elsewhere() -> None:
    view = of(taggers(3))
    assert view is not None
    assert column(table(view.parts, "oracle"), "key label") == ["(all)"]


def test_two_systems_have_patterns_too() -> None:
    view = of(taggers(2))
    assert view is not None
    assert {"complementarity", "patterns", "greedy"} <= {*names(view.parts)}


def test_one_system_has_no_such_view() -> None:
    assert of(taggers(1)) is None


def test_nor_have_views_without_sites_and_items(tmp_path: Path) -> None:
    assert of(trees(1, tmp_path), view="conll18") is None


def test_of_many_systems_tables_hold_the_pairs_of_the_page() -> None:
    result = taggers(14)
    chosen = choose_pairs(result, Choices())
    view = of(result)
    assert view is not None
    assert chosen is not None
    assert isinstance(view.parts[0], TextPart)
    assert f"{len(chosen.pairs)} of 91 pairs" in view.parts[0].lines[0]
    assert len(table(view.parts, "overlap").rows) == len(chosen.pairs) < 91
    assert len(table(view.parts, "pairs").rows) == len(chosen.pairs)
    whole = of(result, pairs="all")
    assert whole is not None
    assert len(table(whole.parts, "overlap").rows) == 91
    assert not isinstance(whole.parts[0], TextPart)


def test_the_runs_of_one_system_are_pairs_too() -> None:
    view = of(Result(verdicts_of(TWO_BY_TWO), 0))
    assert view is not None
    assert len(table(view.parts, "pairs").rows) == 6
