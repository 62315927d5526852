"""axe-core finds nothing to complain about, in light and dark; and chart text has contrast, which axe cannot see."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe

from comparanda.demo import TASKS
from tests.chromium import Tab, opened
from tests.report.browser.conftest import demo_page
from tests.report.browser.walking import counts, one_of_each

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Report = Callable[[str], Path]

# The colours of the texts of all charts, and of what stands behind them, as the browser has computed them.
CHART_TEXTS = """() => {
  const paper = getComputedStyle(document.documentElement).backgroundColor;
  const ground = [paper, getComputedStyle(document.body).backgroundColor].find(c => c !== "rgba(0, 0, 0, 0)");
  return [...document.querySelectorAll("figure svg text")].map(text => ({
    said: text.textContent, fill: getComputedStyle(text).fill, opacity: getComputedStyle(text).opacity,
    size: text.getBoundingClientRect().height, behind: behind(text) ?? ground }));
  function behind(text) {
    const box = text.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    let found = null;
    for (const shape of text.ownerSVGElement.querySelectorAll("rect, path")) {
      if (text.compareDocumentPosition(shape) & Node.DOCUMENT_POSITION_FOLLOWING) break;
      const style = getComputedStyle(shape);
      if (!style.fill.startsWith("rgb")) continue;
      const point = new DOMPoint(x, y).matrixTransform(shape.getScreenCTM().inverse());
      if (shape.isPointInFill(point)) found = { fill: style.fill, opacity: style.fillOpacity };
    }
    return found && Number(found.opacity) === 1 ? found.fill : null;
  }
}"""


def violations(tab: Tab, address: str) -> list[tuple[str, list[str]]]:
    tab.go(address)
    found = Axe().run(tab.page).response["violations"]
    return [(each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in found]


FURTHER = [pytest.param(task, marks=pytest.mark.slow) for task in TASKS if task != "pos"]
"""What differs by task are cards; all views of the other tasks are looked at by the slow tests."""


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("task", ["pos", *FURTHER])
def test_axe_finds_no_violation(task: str, scheme: str, browser: Browser, report: Report) -> None:
    with opened(browser, report(task), color_scheme=scheme, bypass_csp=True) as tab:
        for address in one_of_each(demo_page(task)):
            assert not violations(tab, address), address


@pytest.mark.parametrize("scheme", ["dark", pytest.param("light", marks=pytest.mark.slow)])
@pytest.mark.parametrize("task", ["pos", *FURTHER])
def test_nor_in_a_list(task: str, scheme: str, browser: Browser, report: Report) -> None:
    with opened(browser, report(task), color_scheme=scheme, bypass_csp=True) as tab:
        several = [each["href"] for each in counts(tab, "#/pair") if 2 <= int(each["text"].replace(",", "")) <= 9]
        assert not violations(tab, several[0]), several[0]


def luminance(colour: str) -> float:
    parts = [int(each) / 255 for each in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    linear = [each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_measure_of_contrast() -> None:
    assert contrast("rgb(0, 0, 0)", "rgb(255, 255, 255)") == pytest.approx(21)
    assert contrast("rgb(118, 118, 118)", "rgb(255, 255, 255)") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("task", ["pos", *FURTHER])
def test_the_text_of_charts_can_be_read(task: str, scheme: str, browser: Browser, report: Report) -> None:
    seen = 0
    with opened(browser, report(task), color_scheme=scheme) as tab:
        for address in one_of_each(demo_page(task)):
            tab.go(address)
            for text in tab.page.evaluate(CHART_TEXTS):
                if not text["said"]:  # a column without a heading
                    continue
                seen += 1
                assert text["opacity"] == "1"
                assert contrast(text["fill"], text["behind"]) >= 4.5, (address, text)
    assert seen > 40
