"""What stands around the views: choices, focus, where back leads, theme, keys, messages instead of a blank page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from comparanda.report import as_html
from comparanda.report.page_data import Choice, Page, TextPart, View
from tests.chromium import Tab, opened
from tests.report.small_pages import pairs, small, table

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LONG = TextPart(name="long", title="Long", lines=tuple(f"line {number}" for number in range(200)))
DARK = "rgb(21, 23, 26)"


@contextmanager
def shown(browser: Browser, folder: Path, page: Page, hash_: str, **context: Any) -> Iterator[Tab]:
    file = folder / "page.html"
    file.write_text(as_html(page), encoding="utf-8")
    with opened(browser, file, hash_, **context) as tab:
        yield tab


def focused(tab: Tab) -> str:
    return str(tab.page.evaluate("() => document.activeElement.id || document.activeElement.textContent"))


def titles(tab: Tab) -> list[str]:
    return tab.page.locator("main h2").all_text_contents()


def ground(tab: Tab) -> str:
    return str(tab.page.evaluate("() => getComputedStyle(document.body).backgroundColor"))


def test_focus_follows_the_reader_but_is_not_taken_at_the_beginning(browser: Browser, tmp_path: Path) -> None:
    with shown(browser, tmp_path, small(pairs("abc")), "") as tab:
        assert tab.page.evaluate("() => document.activeElement === document.body")
        assert tab.page.title() == "Overview · tag: a, b"
        tab.page.get_by_role("link", name="Pair").click()
        tab.drawn("#/pair")
        assert focused(tab) == "Pair: a → b"
        assert tab.page.title() == "Pair: a → b · tag: a, b"
        assert tab.page.locator("[aria-current=page]").all_text_contents() == ["Pair"]


def test_back_returns_to_the_same_place_and_control(browser: Browser, tmp_path: Path) -> None:
    view = View(name="labels", title="Labels", parts=(LONG, table("last", "name #value", [("x", "1"), ("y", "2")])))
    with shown(browser, tmp_path, small(view), "#/labels", viewport={"width": 400, "height": 600}) as tab:
        tab.page.get_by_role("button", name="value").focus()
        place = tab.page.evaluate("() => scrollY")
        assert place > 1000
        tab.go("#/overview")
        assert tab.page.evaluate("() => scrollY") == 0
        tab.page.keyboard.press("u")
        tab.drawn("#/labels")
        assert (tab.page.evaluate("() => scrollY"), focused(tab)) == (place, "value")
        tab.page.reload()
        tab.page.wait_for_selector("body[data-drawn]")
        assert (tab.page.evaluate("() => scrollY"), focused(tab)) == (place, "value")
        tab.page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 700); }")
        tab.go("#/overview")
        tab.page.go_back()
        tab.drawn("#/labels")
        assert (tab.page.evaluate("() => scrollY"), focused(tab)) == (700, "Labels")


def test_back_stays_in_the_page_where_it_was_opened_there(browser: Browser, tmp_path: Path) -> None:
    with shown(browser, tmp_path, small(pairs("ab")), "#/pair") as tab:
        tab.page.keyboard.press("u")
        tab.drawn("#/overview")
        tab.page.keyboard.press("u")
        tab.drawn("#/pair")


def test_few_pairs_are_links_and_brackets_walk_through_them(browser: Browser, tmp_path: Path) -> None:
    with shown(browser, tmp_path, small(pairs("abc")), "#/pair") as tab:
        links = tab.page.get_by_role("navigation", name="Pairs").get_by_role("link")
        assert links.all_text_contents() == ["a → b", "a → c", "b → c"]
        walked = []
        for key in ("]", "]", "]", "["):
            tab.page.keyboard.press(key)
            tab.page.wait_for_function("() => document.body.dataset.drawn === location.hash")
            walked.append(titles(tab)[0])
        assert walked == ["Pair: a → c", "Pair: b → c", "Pair: a → b", "Pair: b → c"]


def test_many_pairs_are_selected_and_the_list_keeps_the_focus(browser: Browser, tmp_path: Path) -> None:
    names = ["a", "b", "c", "d", "\u202ee</select>"]
    with shown(browser, tmp_path, small(pairs(names), systems=names), "#/pair") as tab:
        new = tab.page.get_by_label("New")
        assert new.locator("option").all_text_contents() == ["a", "b", "c", "d", "\\u202ee</select>"]
        new.focus()
        new.select_option("d")
        tab.drawn("#/pair?base=a&new=d")
        assert (titles(tab), focused(tab)) == (["Pair: a → d"], "choose-new")
        tab.page.get_by_label("Base").select_option("d")  # the other one of the pair: so they change places
        tab.drawn("#/pair?base=d&new=a")
        assert titles(tab) == ["Pair: a → d"]


@pytest.mark.parametrize(
    ("asked", "title", "said"),
    [
        ("base=c&new=a", "Pair: a → c", "in the reverse order, from a to c"),
        ("base=b", "Pair: b → c", ""),
        ("base=a&new=%3Cb%3E", "Pair: not in this page", "nothing for base a new <b>"),
        ("base=constructor&new=a", "Pair: not in this page", "nothing for base constructor"),
    ],
)
def test_a_pair_that_the_page_has_otherwise_or_not(
    asked: str, title: str, said: str, browser: Browser, *, tmp_path: Path
) -> None:
    with shown(browser, tmp_path, small(pairs("abc")), f"#/pair?{asked}") as tab:
        assert titles(tab) == [title]
        assert said in " ".join(tab.page.locator(".notice").all_inner_texts())
        assert tab.messages == []


def test_another_choice_begins_at_its_own_title(browser: Browser, tmp_path: Path) -> None:
    choices = tuple(Choice(title=name, system=name, parts=(LONG,)) for name in "ab")
    view = View(name="labels", title="Labels", parts=(LONG,), choices=choices)
    with shown(browser, tmp_path, small(view), "#/labels") as tab:
        assert titles(tab) == ["Labels", "a"]
        tab.page.get_by_role("navigation", name="Systems").get_by_role("link", name="b").click()
        tab.drawn("#/labels?system=b")
        assert (titles(tab), focused(tab)) == (["Labels", "b"], "b")
        assert tab.page.locator("h2.chosen").evaluate("each => each.getBoundingClientRect().top < innerHeight")


def test_an_address_leads_to_a_part(browser: Browser, tmp_path: Path) -> None:
    view = View(name="labels", title="Labels", parts=(LONG, *(table(name, "name", [("x",)]) for name in "abcde")))
    with shown(browser, tmp_path, small(view), "#/labels") as tab:
        tab.page.get_by_text("Contents: 6 parts").click()
        tab.page.get_by_role("link", name="D", exact=True).click()
        tab.drawn("#/labels?part=d")
        assert focused(tab) == "D"
        assert tab.page.locator("#part-d").evaluate("each => each.getBoundingClientRect().bottom <= innerHeight")


def test_theme_follows_the_system_until_somebody_chooses(browser: Browser, tmp_path: Path) -> None:
    with shown(browser, tmp_path, small(), "", color_scheme="dark") as tab:
        assert ground(tab) == DARK
        tab.page.get_by_label("Theme").select_option("light")
        assert ground(tab) == "rgb(255, 255, 255)"
        tab.page.reload()
        tab.page.wait_for_selector("body[data-drawn]")
        assert ground(tab) == "rgb(255, 255, 255)"


def test_theme_changes_where_nothing_can_be_kept(browser: Browser, tmp_path: Path) -> None:
    with shown(browser, tmp_path, small(), "") as tab:
        tab.page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('no') } })")
        tab.page.reload()
        tab.page.wait_for_selector("body[data-drawn]")
        tab.page.get_by_label("Theme").select_option("dark")
        assert ground(tab) == DARK
        assert tab.messages == []


def test_keys_rest_where_they_are_not_meant(browser: Browser, tmp_path: Path) -> None:
    with shown(browser, tmp_path, small(pairs("ab")), "#/overview") as tab:
        press = tab.page.keyboard.press
        press("Control+g")
        press("p")
        press("?")
        help_ = tab.page.get_by_role("dialog", name="Keys")
        assert "o Overview, p Pair" in help_.inner_text()
        press("g")
        press("p")
        help_.get_by_label("Single keys are on").uncheck()
        help_.get_by_role("button", name="Close").click()
        press("g")
        press("p")
        assert tab.page.evaluate("() => location.hash") == "#/overview"
        tab.page.get_by_role("button", name="? Keys").click()
        help_.get_by_label("Single keys are on").check()
        press("Escape")
        press("g")
        press("p")
        tab.drawn("#/pair")


def test_the_content_can_be_skipped_to(browser: Browser, tmp_path: Path) -> None:
    with shown(browser, tmp_path, small(), "#/overview") as tab:
        tab.page.keyboard.press("Tab")
        assert focused(tab) == "skip"
        tab.page.keyboard.press("Enter")
        assert (focused(tab), tab.page.evaluate("() => location.hash")) == ("content", "#/overview")


def test_a_part_that_cannot_be_drawn_leaves_the_others(browser: Browser, tmp_path: Path) -> None:
    broken = table("broken", "name", [("x", "y")])  # a cell without a column
    with shown(browser, tmp_path, small(View(name="labels", title="Labels", parts=(broken, LONG))), "#/labels") as tab:
        assert "“Broken” cannot be drawn" in tab.page.get_by_role("alert").inner_text()
        assert "line 199" in tab.page.locator("#part-long").inner_text()


def test_a_damaged_file_and_an_old_browser_say_so(browser: Browser, tmp_path: Path) -> None:
    whole = as_html(small())
    begin = whole.index('id="data">') + len('id="data">')
    file = tmp_path / "page.html"
    file.write_text(whole[: begin + 40] + whole[whole.index("</script>", begin) :], encoding="utf-8")
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(file.as_uri())
        page.get_by_text("the file is damaged or truncated").wait_for()
        file.write_text(whole, encoding="utf-8")
        page.add_init_script("delete window.DecompressionStream")
        page.goto(file.as_uri())
        page.get_by_text("This browser is too old").wait_for()
        assert "Firefox 120" in page.locator("main").inner_text()
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(file.as_uri())
        assert "needs JavaScript" in page.locator("main").inner_text()


def test_footer_says_how_numbers_were_made_and_that_nothing_is_asked_for(browser: Browser, tmp_path: Path) -> None:
    with shown(browser, tmp_path, small(), "") as tab:
        said = tab.page.locator("#footer").inner_text()
        assert "This page contains no example. It needs no network" in said
        assert "task:tag" in said
