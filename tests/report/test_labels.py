"""The view of labels: all systems side by side, and for each what it takes for what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import comparanda as cp
from comparanda import Result
from comparanda.demo import demo_files
from comparanda.render.count_links import Link
from comparanda.report.builder import Choices
from comparanda.report.lists import Lists
from comparanda.report.page_data import Part, TableCell, TablePart, View
from comparanda.report.views import labels_view, scores_by_label
from tests.findings.every_task import SOME_TASKS, tags, trees
from tests.toy_task import (
    toy_measures,  # noqa: F401 - a fixture that works by being here
    verdicts_of,
)


class Numbered(Lists):
    """Lists that can be asked what their numbers mean."""

    def __init__(self, result: Result) -> None:
        super().__init__(result)
        self.links: list[Link] = []

    def number(self, link: Link) -> int:
        if link not in self.links:
            self.links.append(link)
        return self.links.index(link)


def view_of(result: Result, choices: Choices | None = None) -> tuple[View, Numbered]:
    lists = Numbered(result)
    found = labels_view(result, choices or Choices(), lists)
    assert found is not None
    return found, lists


def tables_of(parts: tuple[Part, ...]) -> dict[str, TablePart]:
    return {part.name: part for part in parts if isinstance(part, TablePart)}


def demo(task: str) -> Result:
    key, systems = demo_files(task)
    return cp.compare(key, systems, task=task, resamples=0)


def check_counts(result: Result, view: View, lists: Numbered) -> int:
    """Compare every cell that leads somewhere and is a whole number with what it leads to."""
    met = 0
    for part in (*view.parts, *(part for choice in view.choices for part in choice.parts)):
        for row in part.rows if isinstance(part, TablePart) else ():
            for cell in row:
                if isinstance(cell, TableCell) and cell.list is not None and cell.text.replace(",", "").isdigit():
                    link = lists.links[cell.list]
                    counted = result.count(link.where, link.base, link.new, view=link.view)
                    assert counted == int(cell.text.replace(",", ""))
                    met += 1
    return met


@pytest.mark.parametrize("task", SOME_TASKS)
def test_every_count_leads_to_as_many_sites(task: Callable[[int, Path], Result], tmp_path: Path) -> None:
    result = task(2, tmp_path)
    assert check_counts(result, *view_of(result)) > 20


def test_every_run_has_a_choice_with_its_confusion() -> None:
    result = demo("span")
    view, _ = view_of(result)
    assert [choice.system for choice in view.choices] == list(result.verdicts.runs)
    for choice in view.choices:
        assert tables_of(choice.parts).keys() == {"confusion", "confusion-labels"}
        found = result.confusion(choice.system or "")
        assert len(tables_of(choice.parts)["confusion"].rows) == len(found.cells)


def test_labels_of_all_systems_stand_with_the_upper_bound() -> None:
    view, _ = view_of(demo("pos"))
    oracle = tables_of(view.parts)["oracle"]
    assert [column.header for column in oracle.columns][:6] == [
        "key label",
        "sites",
        "brill",
        "hanta",
        "spacy",
        "textblob",
    ]
    assert "oracle" in {column.header for column in oracle.columns}
    assert len(oracle.rows) == 18  # one for all, and one for each label


@pytest.mark.parametrize("task", [tags, trees])
def test_scores_of_each_label_are_those_of_its_measures(task: Callable[[int, Path], Result], tmp_path: Path) -> None:
    result = task(1, tmp_path)
    found = scores_by_label(result, Choices())
    assert found is not None
    assert {each.measure.partition("[")[0] for each in found.scores} == {"f1", "precision", "recall"}
    for each in found.scores:
        assert each.value == result.scores(each.measure).value(each.system)
    view, _ = view_of(result)
    assert {"f1", "precision", "recall"} <= tables_of(view.parts).keys()


def test_mentions_have_kinds_and_no_scores_of_labels() -> None:
    result = demo("coref")
    view, _ = view_of(result)
    assert tables_of(view.parts).keys() == {"oracle"}
    assert tables_of(view.choices[0].parts).keys() == {"confusion", "confusion-kinds", "confusion-predicted"}


def test_one_system_has_no_upper_bound(tmp_path: Path) -> None:
    key, systems = demo_files("pos")
    result = cp.compare(key, {"spacy": systems["spacy"]}, task="pos", resamples=20)
    view, _ = view_of(result)
    assert tables_of(view.parts).keys() == {"scores"}
    assert tables_of(view.parts)["scores"].columns[-1].header == "95 % interval of f1"
    assert len(view.choices) == 1


def test_labels_that_no_measure_can_name_are_left_out() -> None:
    result = cp.compare({"a": "x\ny", "b": "x"}, {"s": {"a": "x", "b": "x"}}, task="label", resamples=0)
    found = scores_by_label(result, Choices())
    assert found is not None
    assert {each.measure for each in found.scores} == {"f1[x]", "precision[x]", "recall[x]"}
    notes = [note for table in tables_of(view_of(result)[0].parts).values() for note in table.notes]
    assert "1 further label has no scores here" in notes


def test_a_view_without_sites_has_no_labels() -> None:
    verdicts = verdicts_of()
    bare = replace(verdicts.view("partial"), given_sites=verdicts.view("partial").all_sites.take(np.arange(0)))
    result = Result(replace(verdicts, views={"bare": bare}), 0)
    assert labels_view(result, Choices(), Lists(result)) is None


def test_the_view_that_is_asked_for_is_shown() -> None:
    result = Result(verdicts_of(), 0)
    view, lists = view_of(result, Choices(view="partial"))
    assert {link.view for link in lists.links} == {"partial"}
    assert [choice.system for choice in view.choices] == list(result.verdicts.runs)
