"""A hostile corpus is shown, and nothing in it runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from comparanda import Result
from comparanda.render.table import make_visible
from comparanda.report import as_html, build_page
from tests.chromium import opened
from tests.report.browser.hostile import PAYLOADS, hostile_spans, hostile_tags
from tests.report.browser.walking import counts, follow, longest, one_of_each
from tests.seeds import first_few

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from comparanda.report.page_data import Page

    Maker = Callable[[Path], Result]

MAKERS = (hostile_tags, hostile_spans)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Maker], tuple[Page, Path]]:
    """Return a page of nasty names, and the file that holds it, each made once."""

    @cache
    def of(make: Maker) -> tuple[Page, Path]:
        folder = tmp_path_factory.mktemp("nasty")
        page, file = build_page(make(folder)), folder / "report<b>.html"
        file.write_text(as_html(page), encoding="utf-8")
        return page, file

    return of


@pytest.mark.parametrize("make", first_few(1, MAKERS))
def test_nothing_runs_and_every_count_leads_to_its_items(
    make: Maker, browser: Browser, written: Callable[[Maker], tuple[Page, Path]]
) -> None:
    page, file = written(make)
    with opened(browser, file) as tab:
        for address in one_of_each(page):
            found = [each for each in counts(tab, address) if each["text"] != "0"]
            held = follow(tab, sorted({each["href"] for each in found}), 60)
            for each in found:
                assert held[each["href"]]["total"] == int(each["text"].replace(",", "")), each
        assert tab.page.evaluate("() => window.pwned") is None
        assert tab.messages == []
        assert tab.requests == [tab.address]


def test_every_word_is_shown_where_it_stands_with_what_is_invisible_made_visible(
    browser: Browser, written: Callable[[Maker], tuple[Page, Path]]
) -> None:
    page, file = written(hostile_tags)
    address, count = longest(page, 1000)
    with opened(browser, file) as tab:
        follow(tab, [address], count)
        marked = tab.page.eval_on_selector_all(
            "article.card mark", "marks => marks.map(mark => mark.textContent.trim())"
        )
        text = tab.page.inner_text("main")
    assert len(marked) == count
    wanted = {make_visible(word) for word in PAYLOADS}
    assert wanted <= set(marked)
    assert [word for word in marked if word not in wanted] == [
        word for word in marked if word.startswith("xxx") and "more characters" in word
    ]
    for character in ("\u202e", "\u2028", "\u200b", "\x1b"):
        assert character not in text
