"""Walks through a report as a reader would: every view, every choice, every count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from comparanda.render.count_links import Link
from comparanda.report.page_data import Page
from tests.chromium import Tab

# Open all rows of the tables of a view, and return the counts in it: what they say and where they lead.
COUNTS = """() => {
  for (const button of document.querySelectorAll("main .table button.more")) if (!button.hidden) button.click();
  return [...document.querySelectorAll("main table a[data-list]")]
    .map(link => ({ text: link.firstChild.textContent, href: link.getAttribute("href") }))
    .filter(({ text }) => /^[0-9,]+$/.test(text));
}"""

# Follow addresses one after the other, draw each list to its end if it is not too long, and return what each held.
FOLLOW = """async ([addresses, most]) => {
  const wait = (done) => new Promise((resolve, reject) => {
    const until = performance.now() + 20000;
    const look = () => {
      if (done()) resolve();
      else if (performance.now() > until) reject(new Error(location.hash));
      else setTimeout(look, 1);
    };
    look();
  });
  const found = [], main = document.querySelector("main");
  main.style.display = "none";  // what is counted need not be laid out: a third of the time
  for (const address of addresses) {
    location.hash = address;
    await wait(() => document.body.dataset.drawn === location.hash);
    const items = document.querySelector("main .items");
    const more = () => [...document.querySelectorAll("main section > button.more")].at(-1);
    while (Number(items.dataset.total) <= most && more() && !more().hidden) {
      const drawn = items.childElementCount;
      more().click();
      await wait(() => items.childElementCount > drawn);
    }
    found.push({
      count: Number(items.dataset.count), total: Number(items.dataset.total),
      cards: items.querySelectorAll("article").length,
      title: document.querySelector("main h2").textContent,
    });
  }
  main.style.display = "";
  return found;
}"""


def addresses(page: Page) -> Iterator[str]:
    """Return the address of every view, with every choice."""
    for view in page.views:
        if not view.choices:
            yield f"#/{view.name}"
        for choice in view.choices:
            given = {"base": choice.base, "new": choice.new, "system": choice.system}
            yield f"#/{view.name}?" + urlencode({name: value for name, value in given.items() if value is not None})


def one_of_each(page: Page) -> list[str]:
    """Return the address of each view, of those with choices the first."""
    found: dict[str, str] = {}
    for address in addresses(page):
        found.setdefault(address.partition("?")[0], address)
    return list(found.values())


def longest(page: Page, most: int) -> tuple[str, int]:
    """Return the address of the longest list of at most so many items, and how many it holds."""
    found = max((each for each in page.lists if (each.count or 0) <= most), key=lambda each: each.count or 0)
    return Link(found.where, found.base, found.new, found.view).address(), found.count or 0


def counts(tab: Tab, address: str) -> list[dict[str, str]]:
    """Return every count in the tables of a view, with where it leads."""
    tab.go(address)
    found: list[dict[str, str]] = tab.page.evaluate(COUNTS)
    return found


def follow(tab: Tab, targets: list[str], most: int) -> dict[str, dict[str, Any]]:
    """Go to each address, draw lists of at most so many items to the end, and return what they held."""
    return dict(zip(targets, tab.page.evaluate(FOLLOW, [targets, most]), strict=True))
