"""Tables of the page: sorted by what is shown, filtered, cut, saved, printed whole, scrolled where they are wide."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from comparanda.report import as_html
from comparanda.report.page_data import TableCell, TablePart, View
from tests.chromium import Tab, opened
from tests.report.small_pages import small, table

if TYPE_CHECKING:
    from playwright.sync_api import Browser

VALUES = ("1,234", "94.89***", "n/a", "<0.001", "0.001", "-1.27", "+1.20", "[90.00, 95.00]", "1e+06", "")
DESCENDING = ["1e+06", "1,234", "94.89***", "[90.00, 95.00]", "+1.20", "0.001", "<0.001", "-1.27", "n/a", ""]
ASCENDING = ["-1.27", "<0.001", "0.001", "+1.20", "[90.00, 95.00]", "94.89***", "1,234", "1e+06", "n/a", ""]


@contextmanager
def shown(browser: Browser, folder: Path, *parts: TablePart, width: int = 1280) -> Iterator[Tab]:
    """Open a page whose view `labels` has these tables."""
    file = folder / "tables.html"
    file.write_text(as_html(small(View(name="labels", title="Labels", parts=parts))), encoding="utf-8")
    with opened(browser, file, "#/labels", viewport={"width": width, "height": 800}) as tab:
        yield tab
        assert tab.messages == []


def column(tab: Tab, part: str, number: int) -> list[str]:
    return tab.page.locator(f"#part-{part} tbody tr > :nth-child({number})").all_text_contents()


def test_numbers_are_sorted_by_what_they_say_and_the_third_click_restores(browser: Browser, tmp_path: Path) -> None:
    with shown(
        browser, tmp_path, table("values", "name #value", [(f"r{at}", each) for at, each in enumerate(VALUES)])
    ) as tab:
        head = tab.page.locator("#part-values thead th").nth(1)
        for order, values in (("descending", DESCENDING), ("ascending", ASCENDING), (None, list(VALUES))):
            head.get_by_role("button", name="value").click()
            assert head.get_attribute("aria-sort") == order
            assert column(tab, "values", 2) == values
        assert tab.page.evaluate("() => document.activeElement.textContent") == "value"


def test_names_are_sorted_as_people_do(browser: Browser, tmp_path: Path) -> None:
    rows = [("b10", "1"), ("", "2"), ("b9", "3"), ("A", "4")]
    with shown(browser, tmp_path, table("names", "name #value", rows)) as tab:
        tab.page.get_by_role("button", name="name", exact=True).click()
        assert column(tab, "names", 1) == ["A", "b9", "b10", ""]
        tab.page.get_by_role("button", name="name", exact=True).click()
        assert column(tab, "names", 1) == ["b10", "b9", "A", ""]


ROWS = [(f"r{number}", f"{number % 7}") for number in range(54)]


def test_first_rows_then_all_and_a_filter_for_long_tables(browser: Browser, tmp_path: Path) -> None:
    with shown(browser, tmp_path, table("long", "name #value", ROWS), table("short", "name #value", ROWS[:30])) as tab:
        assert column(tab, "long", 1) == [f"r{number}" for number in range(20)]
        tab.page.get_by_role("button", name="Show all 54 rows").click()
        assert len(column(tab, "long", 1)) == 54
        tab.page.get_by_role("button", name="Show the first 20").click()
        assert len(column(tab, "long", 1)) == 20
        tab.page.keyboard.press("/")
        tab.page.keyboard.type("R5")
        assert column(tab, "long", 1) == ["r5", "r50", "r51", "r52", "r53"]
        tab.page.wait_for_function("() => document.getElementById('status').textContent === '5 of 5 rows'")
        assert tab.page.locator("#part-short input").count() == 0


def test_who_comes_back_finds_a_table_as_it_was(browser: Browser, tmp_path: Path) -> None:
    with shown(browser, tmp_path, table("long", "name #value", ROWS)) as tab:
        tab.page.get_by_role("button", name="Show all 54 rows").click()
        tab.page.get_by_role("button", name="value").click()
        left = column(tab, "long", 1)
        tab.go("#/overview")
        tab.page.go_back()
        tab.drawn("#/labels")
        assert column(tab, "long", 1) == left
        assert left[:3] == ["r6", "r13", "r20"]


def test_a_table_is_saved_as_it_is_sorted_and_filtered(browser: Browser, tmp_path: Path) -> None:
    with shown(browser, tmp_path, table("long", "name #value", ROWS)) as tab:
        tab.page.get_by_role("searchbox").fill("r5")
        tab.page.get_by_role("button", name="value").click()
        with tab.page.expect_download() as download:
            tab.page.get_by_role("button", name="TSV of Long").click()
        assert download.value.suggested_filename == "tag-long.tsv"
        saved = Path(download.value.path()).read_text(encoding="utf-8")
        assert saved == "name\tvalue\nr5\t5\nr53\t4\nr52\t3\nr51\t2\nr50\t1\n"
        assert tab.requests == [tab.address]


def test_all_rows_are_printed(browser: Browser, tmp_path: Path) -> None:
    with shown(browser, tmp_path, table("long", "name #value", ROWS)) as tab:
        tab.page.evaluate(
            "() => addEventListener('beforeprint', () => {"
            " document.body.dataset.printed = document.querySelectorAll('#part-long tbody tr').length; })"
        )
        tab.page.pdf()
        assert tab.page.evaluate("() => document.body.dataset.printed") == "54"
        assert len(column(tab, "long", 1)) == 20


def test_a_count_says_what_it_counts(browser: Browser, tmp_path: Path) -> None:
    count, share = TableCell(text="1,348", list=0), TableCell(text="83.25*", list=0, best=True)
    with shown(
        browser, tmp_path, table("counts", "class key #count #share", [("correction", "PROPN", count, share)])
    ) as tab:
        links = tab.page.locator("#part-counts a")
        assert links.evaluate_all("found => found.map((each) => each.getAttribute('aria-label'))") == [
            "1,348 sites: correction PROPN",
            "83.25* share, sites: correction PROPN",
        ]
        assert (
            links.evaluate_all("found => found.map((each) => each.getAttribute('href'))")
            == ["#/items?where=correction"] * 2
        )
        assert tab.page.locator("#part-counts strong").all_text_contents() == ["83.25*"]
        assert tab.page.locator("#part-counts tbody th[scope=row]").all_text_contents() == ["correction"]


@pytest.mark.parametrize(("width", "wide"), [(360, True), (2560, False)])
def test_a_region_takes_the_focus_only_where_it_is_scrolled(
    width: int, wide: bool, browser: Browser, tmp_path: Path
) -> None:
    part = table(
        "broad", " ".join(["name", *(f"#column{number}" for number in range(12))]), [["r", *["1,234"] * 12]] * 2
    )
    with shown(browser, tmp_path, part, width=width) as tab:
        tab.page.wait_for_function("wide => document.querySelector('.scroll.wide') !== null === wide", arg=wide)
        assert tab.page.get_by_role("region", name="Broad").count() == wide
        assert tab.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_a_table_without_rows_and_parts_of_the_same_name(browser: Browser, tmp_path: Path) -> None:
    empty = table("same", "name", [])
    with shown(browser, tmp_path, empty, msgspec.structs.replace(empty, rows=(("one",),))) as tab:
        assert "No rows." in tab.page.locator("#part-same").inner_text()
        assert tab.page.locator("#part-same-2 tbody").inner_text() == "one"
