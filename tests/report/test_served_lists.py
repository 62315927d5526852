"""The lists that the server gives: exactly those of the static page, and filters that mean the same there."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

import comparanda as cp
from comparanda import Result, Runs
from comparanda.demo import demo_files
from comparanda.expressions.selection import SelectionCaches
from comparanda.render.count_links import Link
from comparanda.report import Choices, build_page, server
from comparanda.report.cards import Cards, join_sentence
from comparanda.report.lists import Lists
from comparanda.report.page_data import Card
from comparanda.report.server import MOST_VALUES, Filters, Items, Listing, Routes, Search
from tests.findings.every_task import TASKS, tags
from tests.findings.small_chains import random_files
from tests.seeds import mostly_slow
from tests.tasks.prob.findings.small import compared
from tests.tasks.random_links import SYSTEMS

CONDITIONS = (
    "true",
    "differs or not differs",
    "differs",
    "correction",
    "not base_right",
    "solved_by > 0",
    "positive or negative",
    "positive and new_claims",
    "claimed_by > 1",
)


def several_runs(seed: int, folder: Path) -> Result:
    """Two runs of one system, three of another, one of a third."""
    del folder
    draw = Random(seed)
    key = draw.choices("ABC", k=30)
    runs = [[draw.choice("ABCD") if draw.random() < 0.4 else tag for tag in key] for _ in range(6)]
    systems = {"a": Runs(*runs[:2]), "b": Runs(*runs[2:5]), "c": runs[5]}
    return cp.compare(key, systems, task="tag", resamples=0)


def chains(seed: int, folder: Path) -> Result:
    """Mentions in chains, whose sites depend on who is looked at."""
    files = random_files(folder, seed, SYSTEMS)
    return cp.compare(files.pop("key"), files, task="coref", resamples=0)


def probable(seed: int, folder: Path) -> Result:
    """Spans with probabilities."""
    draw = Random(seed)

    def blocks() -> list[dict[str, float]]:
        return [{f"{letter}:{draw.choice(('PER', 'ORG'))}": draw.random()} for letter in draw.sample("abcdefghij", 6)]

    names = [f"d{number}" for number in range(8)]
    key = {name: [each for block in blocks() for each in block] for name in names}
    return compared(folder, key, {system: {name: blocks() for name in names} for system in SYSTEMS})


ALL = (*TASKS, several_runs, chains, probable)


BY = ("label", "document", "solved_by", "majority_right")
"""Texts, a number and a truth; items have the first two alone."""


@pytest.fixture(scope="module", params=mostly_slow(ALL, {tags, several_runs}), ids=lambda make: make.__name__)
def result(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Result:
    make: Callable[[int, Path], Result] = request.param
    return make(5, tmp_path_factory.mktemp(make.__name__))


@pytest.fixture(scope="module")
def routes(result: Result) -> Routes:
    return Routes(result, Choices(served=True, by=BY))


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine must not stop a search."""
    monkeypatch.setattr(server, "PATIENCE", 600.0)


def links(result: Result) -> Iterator[Link]:
    """Yield lists of sites and items, of pairs, of all systems, and in the last view too."""
    base, new, *_ = result.systems
    last = list(result.verdicts.views)[-1]
    for where in CONDITIONS:
        yield Link(where, base, new)
        if where in {"true", "positive or negative", "solved_by > 0"}:
            yield Link(where)
            yield Link(where, view=last)
    yield Link("correction", new, base, last)
    yield Link("false", base, new)


Entry = tuple[Card, tuple[int, int] | None]


def static(result: Result, link: Link, attributes: tuple[str, ...]) -> list[Entry]:
    """Return the entries of a list as a page holds them that has all of them."""
    lists = Lists(result)
    lists.number(link)
    held = lists.held(10**6, attributes=attributes)
    numbers = held.lists[0].cards
    assert numbers is not None
    runs = held.lists[0].runs or (None,) * len(numbers)
    return [(held.cards[number], pair) for number, pair in zip(numbers, runs, strict=True)]


def asked(
    routes: Routes, link: Link, *, filters: Mapping[str, str] | None = None, offset: int = 0, limit: int = 200
) -> Items:
    given = {"where": link.where, "base": link.base, "new": link.new, "view": link.view, **(filters or {})}
    known = {name: value for name, value in given.items() if value is not None}
    answer = routes.answer("/api/items", {**known, "offset": str(offset), "limit": str(limit)})
    assert answer.status == 200, answer.body
    return msgspec.json.decode(answer.body, type=Items)


def paged(routes: Routes, link: Link, filters: Mapping[str, str] | None = None, limit: int = 200) -> list[Entry]:
    """Return all entries of a list, page by page."""
    found: list[Entry] = []
    while True:
        page = asked(routes, link=link, filters=filters, offset=len(found), limit=limit)
        found += [(entry.card, entry.runs) for entry in page.entries]
        if len(found) >= page.total or not page.entries:
            assert len(found) == page.total
            return found


# What filters mean, said of cards: so does the page that holds them.


def answers(card: Card) -> dict[int, tuple[bool | None, str]]:
    return {run: (side.right, side.value) for side in card.sides[1:] for run in side.runs}


def class_of(result: Result, link: Link, entry: Entry) -> str | None:
    card, runs = entry
    if runs is None:
        named = [result.verdicts.system(name).runs for name in (link.base, link.new) if name is not None]
        if [len(each) for each in named] != [1, 1]:
            return None
        runs = named[0][0], named[1][0]
    (old, before), (fresh, after) = (answers(card)[run] for run in runs)
    if old or fresh:
        return "same_right" if old and fresh else "new_error" if old else "correction"
    return "changed_error" if before != after else "same_error"


def pattern_of(result: Result, card: Card) -> str:
    known = answers(card)
    return "".join(
        "·" if run not in known else "●" if known[run][0] else "○" for run in range(len(result.verdicts.runs))
    )


def texts_of(card: Card) -> list[str]:
    return [join_sentence(card), card.line, card.document, *(side.value for side in card.sides)]


def values(result: Result, link: Link, entry: Entry, attributes: tuple[str, ...]) -> dict[str, list[str]]:
    """Return what an entry can be filtered by."""
    card = entry[0]
    found = class_of(result, link, entry)
    return {
        "label": [card.label],
        "class": [] if found is None else [found],
        "pattern": [pattern_of(result, card)],
        "slice": [f"{name}={value}" for name, value in zip(attributes, card.attributes, strict=True)],
    }


# Lists.


def test_all_pages_of_a_list_are_exactly_the_list_of_the_static_page(result: Result, routes: Routes) -> None:
    some = 0
    for link in links(result):
        expected = static(result, link, routes.attributes)
        assert paged(routes, link, limit=37) == expected
        first = asked(routes, link)
        assert (first.count, first.total, first.held, first.complete) == (len(expected),) * 3 + (True,)
        some += len(expected)
    assert some > 200


def test_filters_mean_what_they_mean_on_the_static_page(result: Result, routes: Routes) -> None:
    assert {*BY} <= {*routes.attributes}
    tried: Counter[str] = Counter()
    for link in list(links(result))[::2]:
        entries = static(result, link, routes.attributes)
        known = [values(result, link, entry, routes.attributes) for entry in entries]
        proposed = asked(routes, link).choices
        assert proposed is not None
        for name in ("label", "class", "pattern", "slice"):
            counts = Counter(
                value for each in known for value in each[name] if value.partition("=")[2] or name != "slice"
            )
            counts.pop("", None)  # an empty label cannot be asked for
            told = dict(getattr(proposed, "class_" if name == "class" else name))
            assert told == dict(counts)
            assert list(told) == sorted(
                told, key=lambda value: (_slice_order(routes, name, value), -told[value], value)
            )
            for value in [*list(counts)[:3], "no such" if name != "slice" else "label=no such", "nothing=x"]:
                expected = [entry for entry, each in zip(entries, known, strict=True) if value in each[name]]
                assert paged(routes, link, {name: value}) == expected
                tried[name] += bool(expected)
    assert all(tried[name] > 5 for name in ("label", "class", "pattern", "slice")), tried


def _slice_order(routes: Routes, name: str, value: str) -> int:
    return routes.attributes.index(value.partition("=")[0]) if name == "slice" else 0


def test_filters_hold_together(result: Result, routes: Routes) -> None:
    base, new, *_ = result.systems
    link = Link("differs or not differs", base, new)
    entries = static(result, link, routes.attributes)
    for entry in entries[:: max(1, len(entries) // 10)]:
        mine = {
            name: each[0] for name, each in values(result, link, entry, routes.attributes).items() if each and each[0]
        }
        text = entry[0].sides[0].value[1:4]
        expected = [
            each
            for each in entries
            if all(mine[name] in values(result, link, each, routes.attributes)[name] for name in mine)
            and any(text.lower() in one.lower() for one in texts_of(each[0]))
        ]
        assert entry in expected
        assert paged(routes, link, {**mine, "text": text}) == expected


# Words.


@pytest.mark.slow
def test_a_search_looks_at_sentences_values_and_documents() -> None:
    key, systems = demo_files("span")
    result = cp.compare(key, systems, task="span", resamples=0)
    routes = Routes(result, Choices(served=True))
    base, new, *_ = result.systems
    link = Link("differs", base, new)
    entries = static(result, link, routes.attributes)
    for text in ("SOLHEIM", "per[", "demo-01", "zzz", " the ", "é", "(none)"):
        expected = [each for each in entries if any(text.lower() in one.lower() for one in texts_of(each[0]))]
        assert paged(routes, link, {"text": text}) == expected
    assert len(paged(routes, link, {"text": "SOLHEIM"})) > 0


def test_a_search_looks_at_the_line_of_a_row(tmp_path: Path) -> None:
    rows = [("1", "good", "A fine film"), ("2", "bad", "A long one"), ("3", "good", "Fine and long")]
    (tmp_path / "key.csv").write_text("id,label,text\n" + "".join(",".join(row) + "\n" for row in rows))
    (tmp_path / "a.csv").write_text("id,label\n1,good\n2,good\n3,good\n")
    result = cp.compare(tmp_path / "key.csv", {"a": tmp_path / "a.csv"}, task="label", resamples=0)
    routes = Routes(result, Choices(served=True))
    for text, expected in (("FINE", ["1", "3"]), ("a long", ["2"]), ("fine film", ["1"]), ("none", [])):
        assert [card.line[:1] for card, _ in paged(routes, Link("true"), {"text": text})] == expected


def test_a_long_search_stops_and_goes_on_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "PATIENCE", 0.0)
    key = [f"T{number % 7}" for number in range(1000)]
    result = cp.compare(key, {"a": ["T1"] * 1000, "b": ["T2"] * 1000}, task="tag", resamples=0)
    listing = Listing(result, SelectionCaches(result.verdicts), Link("true"))
    search = Search(listing, Filters(text="t3"), Cards(result, listing.selection))
    steps = [(search.total, search.looked_at, search.complete)]
    while not search.complete:
        search.advance()
        steps.append((search.total, search.looked_at, search.complete))
        assert [card.sides[0].value for card, _ in search.page(0, 10_000)] == ["T3"] * search.total
        assert search.total == key[: search.looked_at].count("T3")
    assert steps[0] == (0, 0, False)
    assert steps[-1] == (key.count("T3"), 1000, True)
    assert all(before[1] < after[1] for before, after in pairwise(steps))
    assert len(steps) > 10


def test_a_search_that_stopped_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    key = ["A", "B"] * 100
    routes = Routes(cp.compare(key, {"a": ["A"] * 200}, task="tag", resamples=0), Choices(served=True))
    monkeypatch.setattr(server, "PATIENCE", 0.0)
    first, second = (
        asked(routes, Link("true"), filters={"text": "b"}),
        asked(routes, Link("true"), filters={"text": "b"}),
    )
    assert (first.complete, second.complete) == (False, False)
    assert first.count == second.count == 200
    assert first.total < second.total < 100
    assert first.held < second.held < 200
    answer = routes.answer("/api/items", {"where": "true", "text": "b"})
    assert json.loads(answer.body)["complete"] is False


# What else the page asks for.


def test_few_values_are_proposed() -> None:
    key = [f"T{number:03}" for number in range(300)]
    routes = Routes(cp.compare(key, {"a": key[:150] + ["T000"] * 150}, task="tag", resamples=0), Choices(served=True))
    first = asked(routes, Link("true"))
    assert first.choices is not None
    assert first.choices.label == tuple((label, 1) for label in sorted(key)[:MOST_VALUES])
    assert asked(routes, Link("true"), offset=1).choices is None


def test_a_pair_is_what_the_page_would_show_of_it(result: Result, routes: Routes) -> None:
    base, new, *_ = result.systems
    answer = routes.answer("/api/pair", {"base": new, "new": base})
    assert answer.status == 200, answer.body
    pair: Any = json.loads(answer.body)
    assert (pair["choice"]["base"], pair["choice"]["new"]) == (new, base)
    numbers = {
        cell["list"]
        for part in pair["choice"]["parts"]
        for row in part.get("rows", ())
        for cell in row
        if isinstance(cell, dict) and "list" in cell
    }
    assert numbers <= set(range(len(pair["lists"])))
    for number in numbers:
        found = pair["lists"][number]
        link = Link(found["where"], found.get("base"), found.get("new"), found.get("view"))
        assert asked(routes, link).count == result.count(link.where, link.base, link.new, view=link.view)
        assert "count" not in found
        assert "cards" not in found


def test_the_page_itself_holds_no_example(tmp_path: Path) -> None:
    page = build_page(tags(3, tmp_path), Choices(served=True))
    assert page.served
    assert page.cards == ()
    assert page.lists
    assert all(each.cards is None and each.count is None for each in page.lists)


def test_without_words_no_word_is_sent(tmp_path: Path) -> None:
    words = {"word": "uniqueword"}
    lines = [f"{words['word']}{number}\t{'AB'[number % 2]}\n" for number in range(10)]
    (tmp_path / "key.txt").write_text("\n".join(lines))
    (tmp_path / "a.txt").write_text("\n".join(line.replace("\tB", "\tA") for line in lines))
    paths = {name: f"{tmp_path / name}.txt::columns" for name in ("key", "a")}
    result = cp.compare(paths.pop("key"), paths, task="tag", column="2", resamples=0)
    for text, there in ((True, True), (False, False)):
        routes = Routes(result, Choices(served=True, text=text))
        for where in ("true", "positive"):
            answer = routes.answer("/api/items", {"where": where})
            assert answer.status == 200
            assert (b"uniqueword" in answer.body) is there
    assert paged(Routes(result, Choices(served=True, text=False)), Link("true"), {"text": "uniqueword"}) == []


def test_files_that_have_changed_are_told_apart_from_bad_questions(tmp_path: Path) -> None:
    (tmp_path / "key.txt").write_text("a\tA\n\nb\tB\n")
    (tmp_path / "one.txt").write_text("a\tA\n\nb\tA\n")
    paths = {name: f"{tmp_path / name}.txt::columns" for name in ("key", "one")}
    cp.compare(paths.pop("key"), paths, task="tag", column="2", resamples=0).save(tmp_path / "result")
    (tmp_path / "key.txt").write_text("a\tA\n\nb\tC\n")
    routes = Routes(cp.open(tmp_path / "result"), Choices(served=True))
    assert routes.answer("/", {}).status == 200
    answer = routes.answer("/api/items", {"where": "true"})
    assert answer.status == 409
    assert "the file has changed since the result was saved" in json.loads(answer.body)["error"]


@pytest.mark.slow
def test_many_lists_are_forgotten_and_found_again(tmp_path: Path) -> None:
    routes = Routes(tags(3, tmp_path), Choices(served=True))
    wheres = [f"solved_by >= {number % 4} and label != 'X{number}'" for number in range(40)]
    first = [asked(routes, Link(where)) for where in wheres]
    assert [asked(routes, Link(where)) for where in wheres] == first
