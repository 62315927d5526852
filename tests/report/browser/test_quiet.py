"""The page opens from disk, says nothing to the console, asks for nothing, and goes back and forth."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from comparanda.demo import TASKS
from tests.chromium import Tab, opened
from tests.report.browser.conftest import demo_page
from tests.report.browser.walking import addresses
from tests.seeds import mostly_slow

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Report = Callable[[str], Path]


@pytest.mark.parametrize("task", mostly_slow(TASKS, ("pos",)))
def test_it_says_nothing_and_asks_for_nothing(task: str, browser: Browser, report: Report) -> None:
    with opened(browser, report(task)) as tab:
        for address in addresses(demo_page(task)):
            tab.go(address)
            assert tab.page.locator("main h2").first.inner_text()
            assert not tab.page.locator(".trouble").count()
        assert tab.messages == []
        assert tab.requests == [tab.address]


def title(tab: Tab) -> str:
    return tab.page.locator("main h2").first.inner_text()


def test_back_and_forward_go_the_same_way(browser: Browser, report: Report) -> None:
    with opened(browser, report("pos")) as tab:
        titles = [title(tab)]
        tab.page.get_by_role("navigation").get_by_role("link", name="Pair").click()
        tab.drawn("#/pair")
        titles.append(title(tab))
        count = tab.page.locator("main table a[data-list]").first
        target = str(count.get_attribute("href"))
        count.click()
        tab.drawn(target)
        titles.append(title(tab))
        assert titles[0] == "Overview"
        assert titles[1].startswith("Pair")
        assert titles[2].endswith("sites")
        for wanted in ("#/pair", "#/overview"):
            tab.page.go_back()
            tab.drawn(wanted)
            assert title(tab) == titles[["#/overview", "#/pair"].index(wanted)]
        tab.page.go_forward()
        tab.drawn("#/pair")
        tab.page.go_forward()
        tab.drawn(target)
        assert title(tab) == titles[2]


def test_an_address_can_be_shared(browser: Browser, report: Report) -> None:
    given = "#/items?where=correction&base=brill&new=spacy&view=upos&label=VERB"
    with opened(browser, report("pos"), given) as tab:
        matching = int(str(tab.page.locator(".items").get_attribute("data-total")))
        whole = int(str(tab.page.locator(".items").get_attribute("data-count")))
        assert 0 < matching < whole
        assert tab.page.get_by_label("Label").input_value() == "VERB"
    with opened(browser, report("pos"), "#/nowhere") as tab:
        assert "Nothing at this address" in title(tab)
    with opened(browser, report("pos"), "#/items?where=solved_by+%3E+77") as tab:
        assert "No such list" in title(tab)


def test_keys_alone_lead_from_the_overview_to_an_example_and_back(browser: Browser, report: Report) -> None:
    with opened(browser, report("pos")) as tab:
        press = tab.page.keyboard.press
        press("g")
        press("p")
        tab.drawn("#/pair")
        press("j")
        focused = tab.page.evaluate("() => document.activeElement.getAttribute('href')")
        assert focused.startswith("#/items")
        press("Enter")
        tab.drawn(focused)
        for wanted in ("0", "1"):
            press("j")
            assert tab.page.evaluate("() => document.activeElement.dataset.at") == wanted
        press("k")
        assert tab.page.evaluate("() => document.activeElement.dataset.at") == "0"
        press("/")
        assert tab.page.evaluate("() => document.activeElement.matches('[data-search]')")
        tab.page.keyboard.type("j?")  # letters, not keys
        assert tab.page.evaluate("() => document.activeElement.value") == "j?"
        press("Escape")
        press("?")
        assert tab.page.get_by_role("dialog").is_visible()
        press("Escape")
        assert not tab.page.get_by_role("dialog").is_visible()
        press("u")
        tab.drawn("#/pair")


def test_tab_reaches_every_link_of_the_frame(browser: Browser, report: Report) -> None:
    with opened(browser, report("pos")) as tab:
        names = []
        for _ in range(8):
            tab.page.keyboard.press("Tab")
            names.append(tab.page.evaluate("() => document.activeElement.textContent.trim()"))
        assert names[0].startswith("Skip")
        assert {"Overview", "Pair", "Together", "Labels", "Suspects"} <= set(names)
