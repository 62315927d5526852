"""Charts in the page: copied shape by shape, as light or dark as the page, and their marks lead to what they count."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from comparanda.render.charts.theme import DARK, LIGHT
from comparanda.report import as_html
from comparanda.report.page_data import ChartPart, View
from tests.chromium import opened
from tests.report.browser.conftest import demo_page

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser

VIEWS = ("overview", "pair", "together", "labels")

HOSTILE = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9"
  width="9" height="9" onload="document.title = 'ran'" style="fill: red" id="top">
<script>document.title = 'ran'</script>
<style>* { display: none }</style>
<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><img src="x" onerror="document.title = 'ran'"/></body>
</foreignObject>
<image href="https://example.invalid/x.png"/><use href="#top"/><animate attributeName="href" to="javascript:0"/>
<a href="javascript:document.title = 'ran'" target="_blank" xlink:href="https://example.invalid"><text>one</text></a>
<a href="https://example.invalid/"><text>two</text></a>
<a href="#/pair" onclick="document.title = 'ran'"><text>three</text></a>
<rect width="9" height="9" fill="url(https://example.invalid/x)" clip-path="url(#top)"
  stroke="u\\72l(https://example.invalid/y)"/>
<html xmlns="http://www.w3.org/1999/xhtml"><script>document.title = 'ran'</script></html>
</svg>"""


def test_nothing_but_shapes_and_inner_links_comes_into_the_page(browser: Browser, tmp_path: Path) -> None:
    page = demo_page("pos")
    part = ChartPart(name="hostile", title="Hostile", svg=HOSTILE)
    page = msgspec.structs.replace(page, views=(View(name="overview", title="Overview", parts=(part, part)),))
    file = tmp_path / "hostile.html"
    file.write_text(as_html(page), encoding="utf-8")
    with opened(browser, file) as tab:
        shown = tab.page.locator("figure.chart svg").first
        names = shown.evaluate("top => [top, ...top.querySelectorAll('*')].map((each) => each.localName)")
        assert sorted(names) == ["a", "a", "a", "rect", "svg", "text", "text", "text"]
        attributes = shown.evaluate(
            "top => [top, ...top.querySelectorAll('*')].flatMap((each) => each.getAttributeNames())"
        )
        assert {*attributes} == {"viewBox", "width", "height", "id", "href", "clip-path"}
        links = shown.locator("a").evaluate_all("found => found.map((each) => each.getAttribute('href'))")
        assert links == [None, None, "#/pair"]
        ids = tab.page.locator("figure.chart svg").evaluate_all("found => found.map((each) => each.id)")
        assert len({*ids}) == 2
        clips = tab.page.locator("figure.chart rect").evaluate_all(
            "f => f.map((each) => each.getAttribute('clip-path'))"
        )
        assert clips == [f"url(#{each})" for each in ids]
        assert tab.page.title() != "ran"
        assert tab.requests == [tab.address]


def test_what_is_no_svg_is_said_and_not_shown(browser: Browser, tmp_path: Path) -> None:
    page = demo_page("pos")
    part = ChartPart(name="broken", title="Broken", svg="<svg><p></svg>")
    page = msgspec.structs.replace(page, views=(View(name="overview", title="Overview", parts=(part,)),))
    file = tmp_path / "broken.html"
    file.write_text(as_html(page), encoding="utf-8")
    with opened(browser, file) as tab:
        assert "cannot be drawn" in tab.page.locator("main").inner_text()
        assert tab.page.locator("figure.chart svg").count() == 0


@pytest.mark.parametrize(("scheme", "palette"), [("light", LIGHT), ("dark", DARK)])
def test_charts_are_as_light_or_dark_as_the_page(
    browser: Browser, report: Callable[[str], Path], scheme: str, palette: dict[str, str]
) -> None:
    known = {
        "none",
        *(f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})" for colour in palette.values()),
    }
    with opened(browser, report("pos"), color_scheme=scheme) as tab:
        for view in VIEWS:
            tab.go(f"#/{view}")
            drawn = tab.page.locator("figure.chart svg :is(text, path, rect, circle)")
            colours = drawn.evaluate_all(
                "all => all.map((each) => getComputedStyle(each)).flatMap(({ fill, stroke }) => [fill, stroke])"
            )
            assert colours
            assert {each for each in colours if not each.startswith("url(")} <= known
        assert tab.messages == []


@pytest.mark.parametrize("task", ["pos", "span", "coref"])
def test_every_mark_leads_to_a_list_that_the_page_holds(
    browser: Browser, report: Callable[[str], Path], task: str
) -> None:
    with opened(browser, report(task)) as tab:
        for view in VIEWS:
            tab.go(f"#/{view}")
            marks = tab.page.locator("figure.chart a")
            assert view == "overview" or marks.count() > 0
            assert marks.count() == tab.page.locator("figure.chart a[data-list]").count()


def test_a_mark_is_followed_with_the_keyboard(browser: Browser, report: Callable[[str], Path]) -> None:
    with opened(browser, report("pos"), "#/pair") as tab:
        mark = tab.page.locator("figure.chart a").first
        count = (mark.locator("text").text_content() or "").split()[-1]
        mark.focus()
        tab.page.keyboard.press("Enter")
        tab.arrive("#/items")
        assert tab.page.locator("h2").first.inner_text().split()[0] == count
        tab.page.go_back()
        tab.arrive("#/pair")
        assert tab.messages == []


def test_a_chart_fits_into_a_narrow_window(browser: Browser, report: Callable[[str], Path]) -> None:
    with opened(browser, report("pos"), "#/pair", viewport={"width": 400, "height": 800}) as tab:
        for box in (each.bounding_box() for each in tab.page.locator("figure.chart svg").all()):
            assert box is not None
            assert box["x"] + box["width"] <= 400
