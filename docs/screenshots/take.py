"""Take the pictures of the report that README and docs show, from the demo: `make pictures`.

Needs Debian's chromium, with windows or without, and the extra `test`. The pictures are looked at by a person before
they are committed.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from tests.chromium import program

import comparanda as cp
from comparanda.demo import demo_files
from comparanda.render.count_links import Link
from comparanda.report import as_html, build_page

FOLDER = Path(__file__).parent
NEW_ERRORS = Link('new_error and base == "ADV" and new == "SCONJ"', "brill", "spacy", "upos")
PICTURES = {
    "overview": ("pos", "#/overview", "light", 760),
    "pair": ("pos", "#/pair?base=brill&new=spacy", "dark", 760),
    "examples": ("pos", NEW_ERRORS.address(), "light", 700),
    "spans": ("span", Link("differs", "opennlp", "spacy", "exact").address(), "light", 760),
    "together": ("pos", "#/together?part=patterns", "dark", 700),
    "suspects": ("span", "#/suspects", "light", 700),
}
"""By their names: the demo's task, the address inside the report, the theme, and the height."""


def main() -> None:
    """Write every report once, and take the pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        reports = {}
        for task in {task for task, *_ in PICTURES.values()}:
            key, systems = demo_files(task)
            reports[task] = Path(folder) / f"{task}.html"
            reports[task].write_text(as_html(build_page(cp.compare(key, systems, task=task))), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=program(), args=["--no-sandbox"])
        for name, (task, address, scheme, height) in PICTURES.items():
            page = browser.new_page(viewport={"width": 1100, "height": height}, color_scheme=scheme)
            page.goto(reports[task].as_uri() + address)
            page.wait_for_function("() => document.body.dataset.drawn !== undefined")
            page.screenshot(path=str(FOLDER / f"{name}.png"))
            page.close()


if __name__ == "__main__":
    main()
