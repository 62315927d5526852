"""The lists behind the numbers: exactly what is counted, and above a cap a sample that says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

import comparanda as cp
from comparanda import Result
from comparanda.core.sites import format_value
from comparanda.expressions.selection import Selection, select_rows
from comparanda.findings.examples import sample_rows
from comparanda.render.count_links import Link
from comparanda.render.finding import Finding
from comparanda.report import Choices, build_page
from comparanda.report.lists import Lists, PageLists, list_entries
from comparanda.report.page_data import Card, ItemList
from tests.findings.every_task import TASKS, tags
from tests.report.test_builder import chains, probable, several_runs
from tests.seeds import mostly_slow


def links_of(result: Result) -> list[Link]:
    """Return what the numbers of some findings lead to."""
    pairs = [result.difference(*pair) for pair in combinations(result.systems, 2)]
    findings: list[Finding] = [result.scores(), result.pairs(), result.complementarity(), result.combination(), *pairs]
    return list(dict.fromkeys(link for each in findings for table in each.tables(0) for link in table.links.values()))


def held_of(result: Result, links: list[Link], examples: int) -> PageLists:
    lists = Lists(result)
    for link in links:
        lists.number(link)
    return lists.held(examples)


def selection_of(result: Result, link: Link) -> Selection:
    return select_rows(
        result.verdicts, view=result.verdicts.view(link.view), where=link.where, base=link.base, new=link.new
    )


@dataclass(frozen=True)
class Made:
    """A result, what the numbers of its page lead to, and all of the lists."""

    result: Result
    links: list[Link]
    held: PageLists

    @property
    def lists(self) -> list[tuple[Link, ItemList, tuple[int, ...]]]:
        found = []
        for link, each in zip(self.links, self.held.lists, strict=True):
            assert each.cards is not None
            found.append((link, each, each.cards))
        return found


@pytest.fixture(
    scope="module",
    params=mostly_slow((*TASKS, chains, probable, several_runs), {tags, chains, probable, several_runs}),
    ids=lambda make: make.__name__,
)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """All lists of every task."""
    make: Callable[[int, Path], Result] = request.param
    result = make(5, tmp_path_factory.mktemp(make.__name__))
    links = links_of(result)
    return Made(result, links, held_of(result, links, 100_000))


def answers(card: Card, runs: tuple[str, ...]) -> dict[str, bool | None]:
    """Return who is right, by the name of the run."""
    return {runs[run]: side.right for side in card.sides for run in side.runs}


def test_each_list_holds_the_examples_of_its_condition_in_the_order_of_the_text(made: Made) -> None:
    runs = made.result.verdicts.runs
    for link, _, numbers in made.lists:
        found = made.result.examples(link.where, link.base, link.new, top=0, view=link.view)
        cards = [made.held.cards[number] for number in dict.fromkeys(numbers)]
        assert [(card.document, card.sides[0].value) for card in cards] == [
            (each.document, format_value(each.key) if each.key.startswith("\0") else each.key)
            for each in found.examples
        ]
        for card, example in zip(cards, found.examples, strict=True):
            told = {answer.run: answer.right for answer in example.answers}
            assert {run: right for run, right in answers(card, runs).items() if run in told} == told


def test_each_list_has_as_many_entries_as_its_number_says(made: Made) -> None:
    assert len(made.links) > 50
    assert made.held.least is None
    for link, each, numbers in made.lists:
        assert len(numbers) == each.count == made.result.count(link.where, link.base, link.new, view=link.view)
        assert list(numbers) == sorted(numbers)


def test_each_card_stands_there_once_and_is_in_a_list(made: Made) -> None:
    used = {number for _, _, numbers in made.lists for number in numbers}
    assert used == set(range(len(made.held.cards)))


def test_entries_are_told_the_runs_that_they_are_about() -> None:
    result = several_runs(5, Path())
    links = links_of(result)
    about_runs = 0
    for link, each in zip(links, held_of(result, links, 100_000).lists, strict=True):
        selection = selection_of(result, link)
        if selection.pairs is None:
            assert each.runs is None
            continue
        assert each.runs is not None
        assert each.cards is not None
        assert Counter(each.runs) == Counter(selection.pairs)
        assert len(set(zip(each.cards, each.runs, strict=True))) == len(selection.rows)
        about_runs += len(each.runs) > len(set(each.cards))
    assert about_runs > 5  # lists in which one example stands several times


def test_what_an_entry_says_of_its_runs_is_what_its_card_says() -> None:
    result = several_runs(5, Path())
    pair = Link("correction", "two", "one")
    held = held_of(result, [pair], 100)
    (found,) = held.lists
    assert found.cards
    assert found.runs
    assert {base for base, _ in found.runs} == {0, 1}
    for number, (base, new) in zip(found.cards, found.runs, strict=True):
        right = answers(held.cards[number], result.verdicts.runs)
        assert (right[result.verdicts.runs[base]], right[result.verdicts.runs[new]]) == (False, True)


def test_systems_of_one_run_need_not_be_told(made: Made) -> None:
    if len(made.result.verdicts.runs) == len(made.result.systems):
        assert all(each.runs is None for each in made.held.lists)


def test_entries_stand_in_the_order_of_the_lists(made: Made) -> None:
    verdicts = made.result.verdicts
    for link, each, numbers in made.lists:
        selection = selection_of(made.result, link)
        rows, pairs = list_entries(verdicts, selection)
        table = selection.view.items if selection.of == "items" else selection.view.sites
        assert [made.held.cards[number].document for number in numbers] == [
            verdicts.documents[table.document[row]] for row in rows.tolist()
        ]
        assert each.runs == (None if pairs is None else tuple(tuple(pair) for pair in pairs.tolist()))


# Samples


@pytest.fixture(scope="module")
def large() -> tuple[Result, list[Link]]:
    """Three systems and 3,000 rows, all of them with names."""
    draw = Random(8)
    key = {f"r{row:04}": draw.choice("abcde") for row in range(3000)}
    hard = {row for row in key if draw.random() < 0.3}
    systems = {
        name: {row: draw.choice("abcde") if row in hard else value for row, value in key.items()} for name in "xyz"
    }
    result = cp.compare(key, systems, task="label", resamples=0)
    return result, links_of(result)


Place = tuple[int, str]
"""A row of the key, and a label: several items may stand in a row."""


def places(held: PageLists, each: ItemList) -> list[Place]:
    """Return where the examples of a list stand."""
    cards = [held.cards[number] for number in each.cards or ()]
    return [(int(str(card.place).rpartition(":")[2]) - 1, card.label) for card in cards]


def sample_places(result: Result, selection: Selection, size: int) -> list[Place]:
    """Return where a sample of a selection stands."""
    rows = sample_rows(result.context(selection.view.name), selection, size)
    if selection.of == "items":
        items = selection.view.items
        return [(int(items.place[row]), items.names[items.label[row]]) for row in rows]
    sites = selection.view.sites
    return [(int(sites.place[row]), sites.names[sites.key[row]]) for row in rows]


@pytest.mark.parametrize("most", mostly_slow([2999, 1000, 400, 100], {100}))
def test_a_sample_is_no_larger_than_wished_and_its_counts_are_those_of_all(
    large: tuple[Result, list[Link]], most: int
) -> None:
    result, links = large
    held = held_of(result, links, most)
    assert held.least is not None
    assert len(held.cards) <= most or held.least == 1
    for link, each in zip(links, held.lists, strict=True):
        assert each.cards is not None
        assert each.count == result.count(link.where, link.base, link.new, view=link.view)
        assert min(held.least, each.count) <= len(each.cards) <= each.count
    assert any(len(each.cards or ()) < (each.count or 0) for each in held.lists)


def test_a_sample_has_the_smallest_hashes_and_goes_on_as_long_as_the_next_one_is_there(
    large: tuple[Result, list[Link]],
) -> None:
    result, links = large
    held = held_of(result, links, 700)
    lists = [(selection_of(result, link), places(held, each)) for link, each in zip(links, held.lists, strict=True)]
    there = {of: {place for each, found in lists if each.of == of for place in found} for of in ("sites", "items")}
    for selection, found in lists:
        assert found == sample_places(result, selection, len(found))
        if len(found) < len(selection):
            (following,) = set(sample_places(result, selection, len(found) + 1)) - set(found)
            assert following not in there[selection.of]
    assert sum(len(found) > (held.least or 0) for _, found in lists) > 20


@pytest.mark.slow
def test_a_small_sample_is_part_of_every_larger_one(large: tuple[Result, list[Link]]) -> None:
    result, links = large
    before: list[set[Place]] = [set() for _ in links]
    for most in (60, 300, 900, 2000, 20_000):
        held = held_of(result, links, most)
        found = [set(places(held, each)) for each in held.lists]
        assert all(small <= larger for small, larger in zip(before, found, strict=True))
        before = found


@pytest.mark.slow
def test_a_sample_is_the_same_each_time(large: tuple[Result, list[Link]]) -> None:
    result, links = large
    assert held_of(result, links, 500) == held_of(result, links, 500)


@pytest.mark.slow
def test_what_fits_just_so_is_held_as_a_whole(large: tuple[Result, list[Link]]) -> None:
    result, links = large
    every = held_of(result, links, 100_000)
    assert held_of(result, links, len(every.cards)) == every
    assert held_of(result, links, len(every.cards) - 1).least is not None


def test_a_sample_of_several_runs_tells_the_runs_of_its_entries() -> None:
    result = several_runs(5, Path())
    links = links_of(result)
    held = held_of(result, links, 8)
    assert held.least is not None
    every = held_of(result, links, 100_000)
    for some, whole in zip(held.lists, every.lists, strict=True):
        if some.runs is not None:
            assert told(held, some) <= told(every, whole)
    assert any(each.runs and len(each.runs) < (each.count or 0) for each in held.lists)


def test_what_counts_several_times_is_one_example() -> None:
    result = several_runs(5, Path())
    pair = Link("differs or not differs", "two", "one")
    every = held_of(result, [pair], 100_000)
    assert (every.lists[0].count or 0) == 2 * len(every.cards)
    assert held_of(result, [pair], len(every.cards)) == every
    fewer = held_of(result, [pair], 10)
    assert len(fewer.cards) == 10
    assert len(fewer.lists[0].cards or ()) == 20


def told(held: PageLists, each: ItemList) -> set[tuple[Card, tuple[int, int]]]:
    """Return the entries of a list: the example, and the runs it is about."""
    return {(held.cards[number], runs) for number, runs in zip(each.cards or (), each.runs or (), strict=True)}


# What is said


def test_it_is_said_what_is_held(large: tuple[Result, list[Link]]) -> None:
    result, links = large
    held = held_of(result, links, 1500)
    sample = f"at least {held.least} for each number, or all, chosen by hash (seed 13)"
    assert held.describe(text=True, seed=13) == f"{len(held.cards):,} examples with their words: {sample}"
    whole = held_of(result, links[:1], 5000)
    assert whole.describe(text=False, seed=13).endswith(" examples without their words: all that the numbers count")


@pytest.mark.slow
def test_a_page_holds_as_many_examples_as_it_is_told_to(large: tuple[Result, list[Link]]) -> None:
    result, _ = large
    page = build_page(result, Choices(examples=2000))
    assert 1000 < len(page.cards) <= 2000
    assert page.embedded.endswith(f"chosen by hash (seed {page.seed})")


@pytest.mark.slow
def test_a_served_page_asks_for_what_its_lists_hold(large: tuple[Result, list[Link]]) -> None:
    result, _ = large
    page = build_page(result, Choices(served=True))
    assert page.cards == ()
    assert page.lists
    assert all(each.cards is None and each.count is None for each in page.lists)
    assert {each.of for each in page.lists} == {"sites", "items"}
    assert page.embedded == "no examples; they are loaded when they are shown"


def test_a_link_has_one_number(large: tuple[Result, list[Link]]) -> None:
    result, links = large
    lists = Lists(result)
    assert [lists.number(link) for link in links[:3]] == [0, 1, 2]
    assert [lists.number(Link(links[1].where, links[1].base, links[1].new, links[1].view))] == [1]
