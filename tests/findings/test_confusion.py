"""The labels of the key crossed with those of a run: every site in one cell, every cell with its condition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from sklearn.metrics import confusion_matrix

import comparanda as cp
from comparanda import Result, UsageError
from comparanda.core.sites import format_value
from comparanda.demo import demo_files
from comparanda.findings.confusion import MOST_LABELS, Confusion
from tests.findings.every_task import SOME_TASKS, tags, trees, views
from tests.findings.populations import Population, identity, populations
from tests.findings.small_chains import A, B, compared
from tests.findings.test_selections import any_population, check


def cells(found: Confusion) -> dict[tuple[str | None, str | None], tuple[int, int]]:
    return {(each.key, each.predicted): (each.count, each.wrong) for each in found.cells}


def check_sums(found: Confusion) -> None:
    """Every site stands in one cell; rows and columns are the sums of their cells, and so is what is right."""
    assert sum(each.count for each in found.cells) == found.sites
    assert sum(each.wrong for each in found.cells) == found.sites - found.right
    for labels, side in ((found.key, "key"), (found.predicted, "predicted")):
        for label in labels:
            mine = [each for each in found.cells if getattr(each, side) == label.label]
            assert sum(each.count for each in mine) == label.count > 0
            assert sum(each.count - each.wrong for each in mine) == label.right
        assert {label.label for label in labels} == {getattr(each, side) for each in found.cells}
    for label in found.key:
        shares = [each.share_of_key for each in found.cells if each.key == label.label]
        assert sum(share or 0 for share in shares) == pytest.approx(1)
    assert [-each.wrong for each in found.cells] == sorted(-each.wrong for each in found.cells)


@identity(any_population)
def test_cells_are_the_pairs_of_labels_that_occur(population: Population) -> None:
    result = population.result()
    sites = result.verdicts.view().sites
    for number, run in enumerate(result.verdicts.runs):
        found = result.confusion(run)
        names = [format_value(name) for name in sites.names]
        pairs = Counter(
            (names[one], names[other])
            for one, other in zip(sites.key.tolist(), sites.values[number].tolist(), strict=True)
        )
        assert cells(found) == {pair: (count, 0 if pair[0] == pair[1] else count) for pair, count in pairs.items()}
        check_sums(found)


@identity(populations(systems=(1, 3)))
def test_it_is_the_confusion_matrix_of_scikit_learn(population: Population) -> None:
    result = population.result()
    for name, said in population.systems.items():
        mine = cells(result.confusion(name))
        key, run = (
            [("(absent)" if value is None else format_value(str(value))) for value in column]
            for column in (population.key, said)
        )
        labels = sorted({*key, *run, "seen by none"})  # with one label alone it warns
        theirs = confusion_matrix(key, run, labels=labels)
        for row, first in enumerate(labels):
            for column, second in enumerate(labels):
                assert mine.get((first, second), (0, 0))[0] == theirs[row, column]


@pytest.mark.parametrize("task", SOME_TASKS)
def test_every_count_of_every_task_leads_to_its_sites(task: Callable[[int, Path], Result], tmp_path: Path) -> None:
    for seed in range(2):
        result = task(seed, tmp_path)
        for view in views(result):
            for run in result.verdicts.runs:
                found = result.confusion(run, view=view)
                check_sums(found)
                for each in (*found.key, *found.predicted):
                    assert result.count(each.where, view=view) == each.count
                    assert result.count(each.where_right, view=view) == each.right
                for cell in found.cells:
                    assert result.count(cell.where, view=view) == cell.count
                    assert result.count(cell.where_wrong, view=view) == cell.wrong


def test_equal_labels_are_wrong_where_heads_differ(tmp_path: Path) -> None:
    result = trees(1, tmp_path)
    found = result.confusion("two")
    moved = sum(each.wrong for each in found.cells if each.key == each.predicted)
    assert moved == result.count('not agrees("two", "head") and agrees("two", "label")') > 0
    assert found.right == result.count('right("two")')


@pytest.mark.parametrize("task", ["span", "coref"])
def test_sites_are_those_of_the_key_and_the_run_alone(task: str) -> None:
    key, systems = demo_files(task)
    together = cp.compare(key, systems, task=task, resamples=0)
    for run in systems:
        alone = cp.compare(key, {run: systems[run]}, task=task, resamples=0)
        assert together.confusion(run) == alone.confusion(run)


def test_chains_are_crossed_by_kind_of_mention_and_class(tmp_path: Path) -> None:
    result = compared(tmp_path, {"a": A, "b": B})
    found = result.confusion("a")
    assert found.called == "kind"
    assert {each.predicted for each in found.cells} <= {"tp", "fn", "wl", "fp"}
    check_sums(found)
    for each in found.cells:
        assert result.count(each.where) == each.count
        assert each.wrong == (0 if each.predicted == "tp" else each.count)
    assert (found.unsaid, found.unknown) == ((), ())


MANY = [f"L{number:02}" for number in range(MOST_LABELS + 10)]


def many(labels: list[str]) -> Result:
    """Give each label once more than the next; the run takes every label for the first."""
    key = [label for place, label in enumerate(labels) for _ in range(len(labels) - place)]
    return cp.compare(key, {"x": [labels[0]] * len(key)}, task="tag", resamples=0)


def test_of_many_labels_the_most_frequent_have_rows_and_the_rest_share_one() -> None:
    result = many(MANY)
    found = result.confusion("x")
    assert [each.label for each in found.key] == [*MANY[:MOST_LABELS], None]
    assert [each.label for each in found.predicted] == [MANY[0]]
    assert found.others == (10, 0)
    rest = found.key[-1]
    assert rest.count == sum(range(1, 11)) == result.count(rest.where)
    assert check(result, found)


def test_a_label_that_no_condition_can_name_has_no_row() -> None:
    long = "x" * 20_000
    result = many([long, "A", "B"])
    found = result.confusion("x")
    assert [each.label for each in found.key] == ["A", "B", None]
    assert [each.label for each in found.predicted] == [None]
    assert cells(found)[None, None] == (3, 0)
    assert check(result, found)
    alone = many([long])
    assert check(alone, alone.confusion("x"))
    assert cells(alone.confusion("x")) == {(None, None): (1, 0)}


def test_labels_of_one_side_alone_are_named() -> None:
    result = cp.compare(["A", "B", "C"], {"x": ["A", "D", "A"]}, task="tag", resamples=0)
    found = result.confusion("x")
    assert (found.unsaid, found.unknown) == (("B", "C"), ("D",))
    several = cp.compare({"r": ["a", "b"]}, {"x": {"r": ["b", "c"]}}, task="label", resamples=0).confusion("x")
    assert (several.unsaid, several.unknown) == (("a",), ("c",))


def test_labels_of_spans_are_named_one_by_one() -> None:
    key, systems = demo_files("span")
    result = cp.compare(key, systems, task="span", resamples=0)
    found = result.confusion("compromise")
    assert "DATE×2" in {each.label for each in found.key}
    assert all("×" not in label for label in (*found.unsaid, *found.unknown))


def test_what_a_run_does_not_say_is_no_label_of_its_own() -> None:
    result = Population(key=("A", "B"), systems={"x": ("A", None)}, sentence=(0, 0), document=(0, 0)).result()
    found = result.confusion("x")
    assert cells(found) == {("A", "A"): (1, 0), ("B", "(absent)"): (1, 1)}
    assert (found.unsaid, found.unknown) == (("B",), ())


def test_a_run_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"unknown run 'thre'.*three"):
        tags(0, tmp_path).confusion("thre")
