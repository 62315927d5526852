"""A real browser for the tests of the page: Debian's chromium, or tests skip and the run says so in one line."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

REASON = "needs chromium"

_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def program() -> str | None:
    """Return where the browser is: the same Chromium without windows, which starts in half the time, or with them."""
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")


@contextmanager
def launched() -> Iterator[Browser]:
    """Give a browser, or skip the test where there is none."""
    path = program()
    if path is None:
        pytest.skip(REASON)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Tab:
    """An open page, and what it said and asked for."""

    page: Page
    address: str
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def go(self, hash_: str) -> None:
        """Follow an address inside the page, and wait until it is drawn."""
        self.page.evaluate("hash => { location.hash = hash }", hash_)
        self.drawn(hash_ or "#")

    def drawn(self, hash_: str) -> None:
        """Wait until an address inside the page is drawn."""
        self.page.wait_for_function("hash => document.body.dataset.drawn === hash", arg=hash_)

    def arrive(self, start: str) -> None:
        """Wait until an address that begins so is drawn: the page says it, Playwright's own `url` may lag behind."""
        self.page.wait_for_function("start => document.body.dataset.drawn.startsWith(start)", arg=start)


@contextmanager
def opened(browser: Browser, place: Path | str, hash_: str = "#/overview", **context: Any) -> Iterator[Tab]:
    """Open a file from disk, or an address, in a context of its own, and note what it says and asks for."""
    with browser.new_context(**context) as surroundings:
        page = surroundings.new_page()
        tab = Tab(page, place if isinstance(place, str) else place.as_uri())
        page.on("console", lambda message: tab.messages.append(message.text))
        page.on("pageerror", lambda problem: tab.messages.append(str(problem)))
        page.on("request", lambda request: tab.requests.append(request.url))
        page.goto(tab.address + hash_)
        page.wait_for_function("() => document.body.dataset.drawn !== undefined")
        yield tab
