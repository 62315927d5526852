"""Pages of a result that only counts what all systems have right: the same numbers, and honest lists behind them."""

from __future__ import annotations

from random import Random

import pytest

import comparanda as cp
from comparanda.render.count_links import Link
from comparanda.report import Choices, build_page
from comparanda.report.page_data import Page
from comparanda.report.server import Routes
from comparanda.result import Result
from comparanda.storage import fold
from comparanda.storage.fold import fold_verdicts
from tests.report.test_served_lists import asked
from tests.seeds import first_few
from tests.storage.test_fold_spans import linked, made


def tags() -> Result:
    draw = Random(5)
    key = [draw.choices("ABBBCCCC", k=12) for _ in range(30)]
    said = ([[draw.choice("ABCD") if draw.random() < 0.1 else tag for tag in each] for each in key] for _ in range(3))
    return cp.compare(key, dict(zip("xyz", said, strict=True)), task="tag", resamples=50)


@pytest.fixture(scope="module", params=first_few(1, ("tag", "span", "link")))
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Result]:
    """All of some verdicts, and the same with two examples of each label that all systems have right."""
    if request.param == "tag":
        whole = tags()
    elif request.param == "span":
        whole = Result(made("written", tmp_path_factory.mktemp("spans"), "semeval2013", 3).judged(), 50)
    else:
        whole = Result(linked(5, "links"), 50)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fold, "EXAMPLES", 2)
        few = fold_verdicts(whole.verdicts, whole.seed)
    return whole, Result(few, 50)


@pytest.fixture(scope="module")
def pages(results: tuple[Result, Result]) -> tuple[Page, Page]:
    whole, few = results
    return build_page(whole), build_page(few)


def test_views_are_the_same(pages: tuple[Page, Page]) -> None:
    whole, few = pages
    assert few.views == whole.views


def test_lists_count_the_same_and_hold_what_is_kept(pages: tuple[Page, Page]) -> None:
    whole, few = pages
    assert [(each.where, each.words, each.of, each.count) for each in few.lists] == [
        (each.where, each.words, each.of, each.count) for each in whole.lists
    ]
    assert all(len(each.cards or ()) == (each.count or 0) - each.folded for each in few.lists)
    assert any(each.folded for each in few.lists)
    assert not any(each.folded for each in whole.lists)


def test_the_page_says_what_it_does_not_hold(results: tuple[Result, Result], pages: tuple[Page, Page]) -> None:
    whole, few = pages
    only = "; sites that all systems have right are only counted, except for some of each label"
    assert whole.embedded.endswith("all that the numbers count")
    assert few.embedded.endswith("all that the numbers count" + only)
    sample = build_page(results[1], Choices(examples=30)).embedded
    assert "for each number, or all, chosen by hash" in sample
    assert sample.endswith(only)


def test_a_server_counts_all_and_lists_what_is_kept(results: tuple[Result, Result], pages: tuple[Page, Page]) -> None:
    routes = Routes(results[1], Choices(served=True))
    some = [[each for each in pages[1].lists if bool(each.folded) is wanted][:3] for wanted in (True, False)]
    for each in some[0] + some[1]:
        found = asked(routes, Link(each.where, each.base, each.new, each.view))
        assert (found.count, found.folded) == (each.count, each.folded)
        assert found.total == found.held == (each.count or 0) - each.folded == len(each.cards or ())
        assert found.complete
