"""The reviewer's list in a real browser: marks by mouse and keyboard, kept, downloaded, loaded again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from comparanda.report.html import as_html
from tests.chromium import Tab, opened
from tests.report.test_labels import demo

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Report = Callable[[str], Path]
ADDRESS = "#/suspects"


def decided(tab: Tab) -> str:
    return tab.page.locator(".progress").inner_text().strip()


def label(tab: Tab) -> str:
    """Return what has the focus."""
    found: str = tab.page.evaluate("() => document.activeElement.getAttribute('aria-label') ?? ''")
    return found


def press(tab: Tab, *keys: str) -> None:
    for key in keys:
        tab.page.keyboard.press(key)


def saved(tab: Tab, what: str) -> str:
    with tab.page.expect_download() as waiting:
        tab.page.get_by_role("button", name=f"Download {what}").click()
    assert waiting.value.suggested_filename == f"span-suspects.{what.lower()}"
    return Path(waiting.value.path()).read_text(encoding="utf-8")


def load(tab: Tab, path: Path) -> str:
    tab.page.locator("input[type=file]").set_input_files(path)
    tab.page.locator(".suspects .notice").wait_for()
    return tab.page.locator(".suspects .notice").inner_text()


def mark_some(tab: Tab) -> None:
    """Decide on the first three, by keys alone, and comment on the second."""
    press(tab, "j", "1", "j", "2", "c")
    tab.page.keyboard.type('so, "they" say 1')
    press(tab, "Escape", "j", "3")


def test_suspects_are_decided_on_by_keys_alone(browser: Browser, report: Report) -> None:
    with opened(browser, report("span"), ADDRESS) as tab:
        assert decided(tab) == "0 of 52 decided"
        mark_some(tab)
        assert decided(tab) == "3 of 52 decided"
        assert label(tab).startswith("Suspect 3: the end of this week, key DATE[1:5]")
        chosen = tab.page.locator("article.suspect input:checked")
        assert [chosen.nth(place).input_value() for place in range(3)] == ["key wrong", "key right", "unsure"]
        press(tab, "k", "0")
        assert decided(tab) == "2 of 52 decided"
        press(tab, "Enter")
        tab.arrive("#/items?where=document")
        tab.page.go_back()
        tab.page.locator("article.suspect").first.wait_for()
        assert decided(tab) == "2 of 52 decided"
        assert tab.messages == []
        assert set(tab.requests) == {tab.address}


def test_marks_outlive_the_page(browser: Browser, report: Report) -> None:
    with opened(browser, report("span"), ADDRESS) as tab:
        tab.page.locator("article.suspect").nth(1).get_by_label("key right").check()
        tab.page.locator("article.suspect").nth(1).get_by_placeholder("Comment").fill("why?")
        tab.page.reload()
        tab.page.locator("article.suspect").first.wait_for()
        assert decided(tab) == "1 of 52 decided"
        assert tab.page.locator("article.suspect").nth(1).get_by_placeholder("Comment").input_value() == "why?"
        tab.page.locator("article.suspect").nth(1).get_by_role("button", name="Clear").click()
        tab.page.reload()
        tab.page.locator("article.suspect").first.wait_for()
        assert decided(tab) == "0 of 52 decided"


def records(text: str, what: str) -> list[dict[str, Any]]:
    if what == "JSONL":
        return [json.loads(line) for line in text.splitlines()]
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("what", ["JSONL", "CSV"])
def test_a_download_has_the_columns_of_the_command_and_can_be_loaded_again(
    what: str, browser: Browser, report: Report, tmp_path: Path
) -> None:
    with opened(browser, report("span"), ADDRESS) as tab:
        mark_some(tab)
        text = saved(tab, what)
        assert tab.messages == []
    mine, theirs = records(text, what), demo("span").suspects().main_table().dicts()
    assert len(mine) == len(theirs)
    for row, wanted in zip(mine, theirs, strict=True):
        assert list(row) == [*wanted, "comment"]
        same = [name for name in wanted if name not in {"place", "decision"}]
        assert [str(row[name]) for name in same] == [str(wanted[name]) for name in same]
    assert [row["decision"] for row in mine[:4]] == ["key wrong", "key right", "unsure", ""]
    assert mine[1]["comment"] == 'so, "they" say 1'
    target = tmp_path / f"marks.{what.lower()}"
    target.write_text(text, encoding="utf-8")
    with opened(browser, report("span"), ADDRESS) as tab:
        assert decided(tab) == "0 of 52 decided"
        assert load(tab, target) == "3 marks loaded."
        assert decided(tab) == "3 of 52 decided"
        assert (
            tab.page.locator("article.suspect").nth(1).get_by_placeholder("Comment").input_value() == 'so, "they" say 1'
        )
        assert saved(tab, what) == text


FILES = {
    "a quotation mark too few": ('document,decision\nd,"x\n', "misplaced quotation mark in row 2"),
    "no table": ("hello", "neither JSON lines nor a table"),
    "no JSON": ('{"document": ', "contains no readable marks"),
    "of elsewhere": (
        '{"document":"x","decision":"unsure"}\n\n',
        "0 marks loaded; 1 mark of sites that are not suspects here.",
    ),
    "nothing said": ('{"document":"x","decision":""}\n', "0 marks loaded."),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_says_something_else_is_told(name: str, browser: Browser, report: Report, tmp_path: Path) -> None:
    text, told = FILES[name]
    target = tmp_path / "marks.csv"
    target.write_text(text, encoding="utf-8")
    with opened(browser, report("span"), ADDRESS) as tab:
        assert told in load(tab, target)
        assert decided(tab) == "0 of 52 decided"
        assert tab.messages == []


def test_tables_of_spreadsheets_are_read_and_other_decisions_refused(
    browser: Browser, report: Report, tmp_path: Path
) -> None:
    rows = demo("span").suspects().suspects[:3]
    said = ("key wrong", "wrong", "unsure")
    lines = [
        f"{each.document};{each.begin};{each.end};{each.key};{each.proposed};{what};"
        for each, what in zip(rows, said, strict=True)
    ]
    target = tmp_path / "marks.csv"
    target.write_text(
        "\ufeff" + "\r\n".join(["document;begin;end;key;proposed;decision;comment", *lines]), encoding="utf-8"
    )
    with opened(browser, report("span"), ADDRESS) as tab:
        assert load(tab, target) == "2 marks loaded; 1 mark with a decision other than key wrong, key right, unsure."
        assert decided(tab) == "2 of 52 decided"


def test_filters_stand_in_the_address(browser: Browser, report: Report) -> None:
    with opened(browser, report("span"), ADDRESS) as tab:
        mark_some(tab)
        tab.page.get_by_label("undecided only").check()
        rows = tab.page.locator("article.suspect")
        assert rows.count() == 49
        press(tab, "/")
        tab.page.keyboard.type("LISBON")
        assert rows.count() == 1
        tab.page.wait_for_function("hash => location.hash === hash", arg="#/suspects?text=LISBON&undecided=yes")
        tab.page.reload()
        rows.first.wait_for()
        assert rows.count() == 1
        assert tab.page.get_by_label("undecided only").is_checked()
        tab.page.get_by_label("Filter suspects").fill("nowhere at all")
        assert rows.count() == 0
        assert tab.page.get_by_text("No suspects match the filters.").is_visible()
        tab.go("#/suspects?kind=found+by+none")
        kinds = {each.kind for each in demo("span").suspects().suspects}
        assert "found by none" in kinds
        assert 0 < rows.count() < 52


def test_a_browser_that_keeps_nothing_says_so(browser: Browser, report: Report) -> None:
    with opened(browser, report("span"), ADDRESS) as tab:
        tab.page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } })")
        tab.page.reload()
        tab.page.locator("article.suspect").first.wait_for()
        press(tab, "j", "1")
        assert "This browser does not store marks" in tab.page.locator(".suspects .notice").inner_text()
        assert decided(tab) == "1 of 52 decided"
        tab.go("#/overview")
        tab.go(ADDRESS)
        assert decided(tab) == "1 of 52 decided"
        assert tab.messages == []


def test_long_lists_are_drawn_step_by_step(browser: Browser, tmp_path: Path) -> None:
    import comparanda as cp
    from comparanda.report import build_page

    words = [f"w{number}" for number in range(250)]
    key, said = [[(word, "A") for word in words]], [[(word, "B") for word in words]]
    target = tmp_path / "long.html"
    target.write_text(
        as_html(build_page(cp.compare(key, {"x": said, "y": said}, task="tag", resamples=0))), encoding="utf-8"
    )
    with opened(browser, target, ADDRESS) as tab:
        rows = tab.page.locator("article.suspect")
        assert rows.count() == 100
        rows.nth(99).focus()
        press(tab, "j")
        assert rows.count() == 200
        assert label(tab).startswith("Suspect 101:")
        tab.page.get_by_role("button", name="Show 50 more of 50").click()
        assert rows.count() == 250
        assert tab.page.locator("button.more:visible").count() == 0
        press(tab, "j", "Enter")
        tab.arrive("#/items?where=document")
        tab.page.go_back()
        rows.first.wait_for()
        assert rows.count() == 250
        assert tab.messages == []
