"""Every count in every table of the demo's reports leads to exactly that many items."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from comparanda.demo import TASKS
from tests.chromium import opened
from tests.report.browser.conftest import demo_page
from tests.report.browser.walking import addresses, counts, follow, longest
from tests.seeds import mostly_slow

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser

DRAWN = 25
"""Lists of at most so many items are drawn to the end, and every card counted; longer ones say how many they hold."""

VIEWS = ("overview", "pair", "together", "labels", "suspects")


@pytest.mark.parametrize("task", TASKS)
def test_these_are_all_views(task: str) -> None:
    assert tuple(view.name for view in demo_page(task).views) == VIEWS


FURTHER = [pytest.param(task, marks=pytest.mark.slow) for task in TASKS if task != "pos"]
"""`make demo` writes the report on tags; those on its other tasks are walked through by the slow tests."""


@pytest.mark.parametrize("view", mostly_slow(VIEWS, ("overview", "pair", "suspects")))
@pytest.mark.parametrize("task", ["pos", *FURTHER])
def test_every_count_leads_to_that_many_items(
    task: str, view: str, browser: Browser, report: Callable[[str], Path]
) -> None:
    with opened(browser, report(task)) as tab:
        found = [
            each
            for address in addresses(demo_page(task))
            if address.partition("?")[0] == f"#/{view}"
            for each in counts(tab, address)
        ]
        assert found
        held = follow(tab, sorted({each["href"] for each in found}), DRAWN)
        for each in found:
            number, mine = int(each["text"].replace(",", "")), held[each["href"]]
            assert mine["count"] == mine["total"] == number, each
            assert mine["cards"] == number if number <= DRAWN else 0 < mine["cards"] <= number, each
        assert not tab.messages


@pytest.mark.parametrize("task", TASKS)
def test_a_long_list_can_be_drawn_to_its_end(task: str, browser: Browser, report: Callable[[str], Path]) -> None:
    address, count = longest(demo_page(task), 400)
    with opened(browser, report(task)) as tab:
        held = follow(tab, [address], count)[address]
    assert count > DRAWN
    assert held["cards"] == held["total"] == count
