"""A page that asks a server, in a real browser: the same lists and filters as the page that holds its examples."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

import pytest

import comparanda as cp
from comparanda.demo import TASKS, demo_files
from comparanda.render.count_links import Link
from comparanda.report import Choices, as_html, build_page, server
from comparanda.report.server import Routes
from comparanda.result import Result
from comparanda.storage import fold
from tests.chromium import Tab, opened
from tests.report.browser.conftest import demo_page
from tests.report.browser.walking import counts, follow
from tests.report.local_server import served

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser

DRAWN = 100


@pytest.fixture(scope="module")
def routes() -> Callable[[str], Routes]:
    made: dict[str, Routes] = {}

    def of(task: str) -> Routes:
        if task not in made:
            key, systems = demo_files(task)
            made[task] = Routes(cp.compare(key, systems, task=task, resamples=200), Choices(served=True))
        return made[task]

    return of


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine must not stop a search."""
    monkeypatch.setattr(server, "PATIENCE", 600.0)


@pytest.mark.slow  # pages of lists from the server are those of the static page: `test_served_lists`
@pytest.mark.parametrize("task", TASKS)
def test_every_count_leads_to_that_many_items(task: str, browser: Browser, routes: Callable[[str], Routes]) -> None:
    with served(routes(task).answer) as client, opened(browser, client.server.address) as tab:
        found = counts(tab, "#/pair")
        held = follow(tab, sorted({each["href"] for each in found}), DRAWN)
        assert found
        for each in found:
            number = int(each["text"].replace(",", ""))
            assert held[each["href"]]["count"] == held[each["href"]]["total"] == number, each
        assert not tab.messages
        assert {urlsplit(each).netloc for each in tab.requests} == {client.host}
        assert {urlsplit(each).path for each in tab.requests} == {"/", "/api/items"}


def test_a_pair_that_the_page_does_not_hold_is_fetched(browser: Browser, routes: Callable[[str], Routes]) -> None:
    with served(routes("pos").answer) as client, opened(browser, client.server.address) as tab:
        turned = {tuple(each["text"] for each in counts(tab, f"#/pair?{pair}")) for pair in TURNED}
        assert len(turned) == 2
        found = counts(tab, f"#/pair?{TURNED[1]}")
        held = follow(tab, sorted({each["href"] for each in found}), DRAWN)
        assert all(held[each["href"]]["total"] == int(each["text"].replace(",", "")) for each in found)
        assert [urlsplit(each).path for each in tab.requests].count("/api/pair") == 1
        assert not tab.messages


TURNED = ("base=brill&new=spacy", "base=spacy&new=brill")

FILTERS = (
    {"label": "PROPN"},
    {"class": "correction"},
    {"class": "changed_error", "label": "NOUN"},
    {"pattern": "○●●●"},
    {"text": "THE "},
    {"text": "noun", "class": "new_error"},
    {"label": "nothing"},
)


def test_filters_leave_the_same_examples_whoever_filters(
    browser: Browser, routes: Callable[[str], Routes], report: Callable[[str], Path]
) -> None:
    lists = [each for each in demo_page("pos").lists if (each.base, each.new) == ("brill", "hanta")]
    longest = max(lists, key=lambda each: each.count or 0)
    known = Link(longest.where, longest.base, longest.new, longest.view).address()
    with (
        opened(browser, report("pos"), "#/pair") as static,
        served(routes("pos").answer) as client,
        opened(browser, client.server.address) as asking,
    ):
        for filters in FILTERS:
            address = f"{known}&{urlencode(filters)}"
            found, expected = _drawn(asking, address), _drawn(static, address)
            assert found == expected
            assert bool(found["cards"]) == (filters.get("label") != "nothing")
        assert not asking.messages


def _drawn(tab: Tab, address: str) -> dict[str, Any]:
    tab.go(address)
    found: dict[str, Any] = tab.page.evaluate(
        """() => ({
          ...document.querySelector("main .items").dataset,
          cards: [...document.querySelectorAll("main article")].map((card) => card.textContent),
          matches: document.querySelector("main .matches").textContent,
        })"""
    )
    return found


def test_the_token_stays_in_the_address_and_out_of_every_link(
    browser: Browser, routes: Callable[[str], Routes]
) -> None:
    with served(routes("pos").answer) as client, opened(browser, client.server.address, "#/pair") as tab:
        page, token = tab.page, client.server.token
        page.click("main table a[data-list]")
        page.wait_for_selector("main article")
        query, fragment = page.evaluate("[location.search, location.hash]")
        assert query == f"?token={token}"
        assert token not in fragment
        page.reload()
        page.wait_for_selector("main article")
        assert [each for each in tab.requests if token in each] == [client.server.address] * 2
        links: list[str] = page.evaluate(
            "[...document.querySelectorAll('[href]')].map((each) => each.getAttribute('href'))"
        )
        assert not [each for each in links if token in each]
        assert token not in page.evaluate("document.body.textContent")


def test_a_condition_of_ones_own(browser: Browser, routes: Callable[[str], Routes]) -> None:
    with served(routes("pos").answer) as client, opened(browser, client.server.address) as tab:
        tab.go("#/items?" + urlencode({"where": 'not right("brill") and label == "NOUN"'}))
        assert tab.page.locator("main article").count() > 10
        assert not tab.messages
        tab.go("#/items?" + urlencode({"where": "<b>x</b> =="}))
        assert "expected an expression before '<'" in tab.page.inner_text("main [role=alert]")
        assert tab.page.locator("main b").count() == 0


def test_a_server_that_is_gone_is_told_in_words(browser: Browser, routes: Callable[[str], Routes]) -> None:
    with served(routes("pos").answer) as client, opened(browser, client.server.address, "#/pair") as tab:
        client.server.shutdown()
        client.server.server_close()
        tab.page.click("main table a[data-list]")
        said = tab.page.inner_text("main [role=alert]")
    assert said.startswith("The server no longer responds. Start it again")


def test_another_site_cannot_read_or_frame_the_page(browser: Browser, routes: Callable[[str], Routes]) -> None:
    """Not even one that knows the token, from a page on the same machine."""
    answer = routes("pos").answer
    with served(answer) as client, served(answer) as other, browser.new_context(bypass_csp=True) as surroundings:
        page = surroundings.new_page()
        page.goto(other.server.address)
        reading = "address => fetch(address).then((answer) => answer.status, () => 'refused')"
        assert page.evaluate(reading, client.server.address) == "refused"
        loose = "address => fetch(address, { mode: 'no-cors' }).then((answer) => answer.type, () => 'refused')"
        assert page.evaluate(loose, client.server.address) == "refused"
        framing = """address => new Promise((resolve) => {
          const frame = document.createElement("iframe");
          frame.addEventListener("load", () => {
            try { resolve(frame.contentDocument?.body?.textContent ?? "nothing to read"); }
            catch { resolve("nothing to read"); }
          });
          frame.src = address;
          document.body.append(frame);
        })"""
        assert page.evaluate(framing, client.server.address) == "nothing to read"
        assert page.evaluate(reading, other.server.address) == 200


def test_a_list_says_what_is_only_counted(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fold, "EXAMPLES", 2)
    tags = ["A"] * 40 + ["B"] * 10
    whole = cp.compare([tags], {"x": [["B", *tags[1:]]], "y": [[*tags[:-1], "A"]]}, task="tag", resamples=0)
    result = Result(fold.fold_verdicts(whole.verdicts, whole.seed))
    page, file, said = build_page(result), tmp_path / "page.html", []
    file.write_text(as_html(page), encoding="utf-8")
    long = next(each for each in page.lists if each.where == 'right_by_run("x")')
    with served(Routes(result, Choices(served=True)).answer) as client:
        for place in (file, client.server.address):
            with opened(browser, place, Link(long.where, view=long.view).address()) as tab:
                said.append([tab.page.locator(f"main {each}").first.text_content() for each in ("h2", "p.note")])
                assert not tab.messages
    only = "Sites that all systems have right are only counted in this result, except for some of each label."
    assert said == [["5 of 49 sites", only]] * 2
