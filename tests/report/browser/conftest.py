"""One browser for all tests of a worker, and the demo's reports, each written once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import comparanda as cp
from comparanda.demo import demo_files
from comparanda.report import as_html, build_page
from tests.chromium import launched

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from comparanda.report.page_data import Page


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with launched() as found:
        yield found


@cache
def demo_page(task: str) -> Page:
    key, systems = demo_files(task)
    return build_page(cp.compare(key, systems, task=task, resamples=200))


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the way to the report on one of the demo's tasks."""
    folder = tmp_path_factory.mktemp("reports")

    @cache
    def written(task: str) -> Path:
        target = folder / f"{task}.html"
        target.write_text(as_html(demo_page(task)), encoding="utf-8")
        return target

    return written
