"""The data of a page, for every task: all views are there, every count leads to just what it counts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from html import unescape
from pathlib import Path
from random import Random
from urllib.parse import parse_qs

import msgspec
import pytest

import comparanda as cp
from comparanda import Result, UsageError
from comparanda.render.count_links import Link
from comparanda.render.table import Table
from comparanda.report import Choices, as_html, build_page
from comparanda.report.page_data import ChartPart, Page, TablePart
from comparanda.report.parts import table_part
from tests.findings.every_task import TASKS, tags
from tests.findings.small_chains import KEY, A, random_files, written
from tests.report.pages import names, numbers, parts_of, view
from tests.seeds import mostly_slow
from tests.tasks.prob.findings.small import compared
from tests.toy_task import ONE_AND_TWO, toy_measures, verdicts_of

__all__ = ["toy_measures"]


@cache
def small() -> Result:
    """Three taggers and forty words."""
    key = list("abcdabcdab" * 4)
    systems = {name: [tag if draw % step else "x" for draw, tag in enumerate(key)] for name, step in STEPS.items()}
    return cp.compare(key, systems, task="tag", resamples=20)


def chains(seed: int, folder: Path) -> Result:
    """Chains of mentions."""
    files = random_files(folder, seed, ("first", "second"))
    return cp.compare(files.pop("key"), files, task="coref", missing="empty", resamples=20)


def probable(seed: int, folder: Path) -> Result:
    """Entities with probabilities."""
    del seed
    key = {f"d{number}": ["a:PER", "cd:LOC", "g:PER"] for number in range(4)}
    sure = {name: [{"a:PER": 0.9}, {"cd:LOC": 0.6, "cd:PER": 0.3}, {"f:PER": 0.4}] for name in key}
    unsure = {name: [{"a:LOC": 0.5, "a:PER": 0.4}, {"g:PER": 0.3}] for name in key}
    return compared(folder, key, {"sure": sure, "unsure": unsure}, resamples=20)


TAGS = ("O", "O", "B-PER", "I-PER", "B-LOC")


def several_runs(seed: int, folder: Path) -> Result:
    """A system of two runs, and one of a single one."""
    del folder
    draw = Random(seed)
    key, first, second, third = ([[draw.choice(TAGS) for _ in range(5)] for _ in range(9)] for _ in range(4))
    return cp.compare(key, {"two": cp.Runs(first, second), "one": third}, task="span", resamples=20)


def toy(seed: int, folder: Path) -> Result:
    """The toy task: two views, statistics of its own, other tokens than the key's."""
    del seed, folder
    return Result(verdicts_of(ONE_AND_TWO), 20)


STEPS = {"often": 3, "seldom": 7, "never": 41}
"""Every how many words a system errs."""

EVERY = (*TASKS, chains, probable, several_runs, toy)


@dataclass(frozen=True)
class Built:
    """A result, its page, and the tables as they were before they became parts of it."""

    result: Result
    page: Page
    tables: tuple[tuple[Table, TablePart], ...]


@pytest.fixture(
    scope="module",
    params=mostly_slow(EVERY, {tags, probable, several_runs, toy}),
    ids=lambda make: make.__name__,
)
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A page of every task."""
    make: Callable[[int, Path], Result] = request.param
    result, shown = make(3, tmp_path_factory.mktemp(make.__name__)), []

    def watched(table: Table, number: Callable[[Link], int], first: tuple[int, ...] = ()) -> TablePart:
        shown.append((table, table_part(table, number, first)))
        return shown[-1][1]

    with pytest.MonkeyPatch.context() as patch:
        for name in ("parts", "views"):
            patch.setattr(f"comparanda.report.{name}.table_part", watched)
        return Built(result, build_page(result), tuple(shown))


def test_every_count_in_every_table_leads_to_as_many_sites_or_items(built: Built) -> None:
    on_page = {id(part) for part in parts_of(built.page) if isinstance(part, TablePart)}
    assert on_page == {id(part) for _, part in built.tables}
    checked = 0
    for table, part in built.tables:
        for row, values in enumerate(table.rows):
            for column, value in enumerate(values):
                if table.fields[column].kind == "count" and value not in (None, ""):
                    cell = part.rows[row][column]
                    assert not isinstance(cell, str), f"{table.name}: {table.fields[column].header} leads nowhere"
                    assert cell.list is not None
                    assert built.page.lists[cell.list].count == value, built.page.lists[cell.list].where
                    checked += 1
    assert checked > 50


def test_every_list_holds_all_that_its_number_counts(built: Built) -> None:
    for each in built.page.lists:
        assert each.cards is not None
        assert len(each.cards) == each.count
        assert all(0 <= number < len(built.page.cards) for number in each.cards)


def test_every_view_of_a_task_makes_a_page(built: Built) -> None:
    result = replace(built.result, resamples=0)
    for name in list(result.verdicts.views)[1:]:
        page = build_page(result, Choices(view=name))
        assert [each.name for each in page.views][:2] == ["overview", "pair"]
        assert all(found == each.count for found, each in numbers(page))


def test_a_page_is_json(built: Built) -> None:
    assert msgspec.json.decode(msgspec.json.encode(built.page), type=Page) == built.page


def test_a_page_is_the_same_each_time() -> None:
    assert as_html(build_page(small())) == as_html(build_page(small()))


def test_the_views_of_several_systems_of_one_and_of_probabilities(tmp_path: Path) -> None:
    of_all = ["overview", "pair", "together", "labels", "suspects"]
    assert [each.name for each in build_page(small()).views] == of_all
    assert [each.name for each in build_page(probable(0, tmp_path)).views] == [*of_all, "curves"]
    alone = build_page(cp.compare(list("abcab" * 5), {"only": list("abb" * 8 + "a")}, task="tag", resamples=20))
    assert [each.name for each in alone.views] == ["overview", "labels"]
    assert sum(1 for _ in numbers(alone)) > 20


@pytest.mark.parametrize("task", ["tag", "span", "coref"])
def test_systems_that_do_not_differ_or_make_no_error_at_all(task: str, tmp_path: Path) -> None:
    key, some = {
        "tag": (list("ab" * 9), list("abb" * 6)),
        "span": ([["B-PER", "O", "B-LOC"]] * 8, [["B-PER", "I-PER", "O"]] * 8),
        "coref": (written(tmp_path / "key", {"d": KEY}), written(tmp_path / "a", {"d": A})),
    }[task]
    for given in (some, key):
        page = build_page(cp.compare(key, {"a": given, "b": given}, task=task, resamples=20))
        (choice,) = view(page, "pair").choices
        assert names(choice.parts)[0] == "no-difference"
        assert all(found == each.count for found, each in numbers(page))
        assert as_html(page)


@pytest.mark.parametrize(
    ("key", "systems"),
    [
        ([["O", "O"]], {"x": [["O", "O"]], "y": [["O", "O"]]}),
        ([["O", "O"]], {"x": [["B-A", "O"]], "y": [["O", "B-A"]]}),
        ([["B-A", "O"]], {"x": [["O", "O"]], "y": [["O", "O"]]}),
        ([["B-A"]], {"x": [["B-A"]]}),
        ([["O"]], {"x": [["O"]]}),
    ],
    ids=["no span at all", "none in the key", "none in the outputs", "one site", "one system without any"],
)
def test_next_to_nothing_to_compare(key: list[list[str]], systems: dict[str, list[list[str]]]) -> None:
    page = build_page(cp.compare(key, systems, task="span", resamples=20))
    assert page.views[0].name == "overview"
    assert all(found == each.count for found, each in numbers(page))
    assert as_html(page)


def test_charts_lead_to_lists_too() -> None:
    page = build_page(small())
    known = {(each.where, each.base, each.new, each.view) for each in page.lists}
    charts = [part for part in parts_of(page) if isinstance(part, ChartPart)]
    assert len(charts) > 10
    leading = [part for part in charts if 'href="#/items?' in part.svg]
    assert len(leading) > 8
    for part in leading:
        for address in re.findall(r'href="#/items\?([^"]*)"', part.svg):
            given = {name: value for name, (value,) in parse_qs(unescape(address)).items()}
            assert (given["where"], given.get("base"), given.get("new"), given.get("view")) in known


def test_a_page_that_asks_a_server_holds_no_example() -> None:
    page = build_page(small(), Choices(served=True))
    assert page.served
    assert page.cards == ()
    assert all(each.cards is None for each in page.lists)
    assert len(page.lists) == len(build_page(small()).lists)


def test_what_is_being_done_is_told() -> None:
    told: list[str] = []
    build_page(small(), None, told.append)
    assert told[0] == "the page: overview"
    assert told[-1] == "the page: examples"
    assert len(told) > 5


def test_the_title_names_what_was_compared() -> None:
    assert build_page(small()).title == "tag: often, seldom, never"
    verdicts = replace(small().verdicts, settings={"column": "upos"})
    assert build_page(replace(small(), verdicts=verdicts)).title == "tag:upos: often, seldom, never"
    assert build_page(small(), Choices(title="Ours\x1b")).title == "Ours\\x1b"
    given = {f"s{number}": ["a", "b"] for number in range(7)}
    assert build_page(cp.compare(["a", "b"], given, task="tag", resamples=0)).title == "tag: 7 systems"


def test_choices_that_cannot_be() -> None:
    with pytest.raises(UsageError, match="pairs='al' \\(did you mean 'all'\\?\\)"):
        Choices(pairs="al")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="slices by 'word' show words of the corpus"):
        Choices(by=("length", "word"), text=False)
    with pytest.raises(UsageError, match="unknown view 'upso'"):
        build_page(small(), Choices(view="upso"))
    with pytest.raises(UsageError, match="unknown attribute 'labl' \\(did you mean 'label'\\?\\)"):
        build_page(small(), Choices(by=("labl",)))
