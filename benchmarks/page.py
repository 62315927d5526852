"""The report of 200,000 documents with some 600,000 differing sites: how long it takes, how large it is, how it opens.

The times of the browser are those of a clock, not of a processor: on a machine that does other work they are longer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.timing import cpu_seconds

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from playwright.sync_api import Page as Tab

    from comparanda.result import Result

    Report = Callable[..., None]
    Names = NDArray[np.object_]
    Rows = NDArray[np.int64]

DOCUMENTS, SYSTEMS, VOCABULARY = 200_000, 3, 30_000
TAGS = ("NOUN", "PROPN", "VERB", "ADP", "DET", "ADJ", "PUNCT", "NUM", "AUX", "CCONJ", "PRON", "ADV", "PART", "SCONJ")
LABELS = ("PER", "LOC", "ORG", "MISC")
WORDS = {"tag": 12, "span": 24}
"""How many words a document has."""

ROUNDS = 3
CLICKED = 10

_CLICK = """async (number) => {
  const count = document.querySelectorAll("main table a[data-list]")[number];
  const begin = performance.now();
  count.click();
  const drawn = () => document.body.dataset.drawn === location.hash && document.querySelector(".items[data-total]");
  while (!drawn()) await new Promise((go) => setTimeout(go));
  await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
  return performance.now() - begin;
}"""
"""Click on a count, and tell how many milliseconds later its examples are on the screen."""


def write(folder: Path, task: str, documents: int = DOCUMENTS) -> list[Path]:
    """Write a key and three systems, unless they are there; return key first."""
    paths = [folder / f"page-{task}-{documents}-{number}.txt" for number in range(SYSTEMS + 1)]
    if all(path.exists() for path in paths):
        return paths
    draw = np.random.default_rng(1)
    words = np.array([f"w{number}" for number in range(VOCABULARY)], object)
    text = words[(VOCABULARY ** draw.random(documents * WORDS[task])).astype(np.int64) - 1]
    sides = _tags(draw, len(text)) if task == "tag" else _entities(draw, len(text))
    for path, tags in zip(paths, sides, strict=True):
        path.write_text(_lines(text, tags, WORDS[task]), encoding="utf-8")
    return paths


def _lines(words: Names, tags: Names, size: int) -> str:
    """Write a column file: each document is one sentence."""
    rows = (words + "\t" + tags).reshape(-1, size)
    return "\n".join(f"-DOCSTART-\tdoc{number}\n\n" + "\n".join(row) + "\n" for number, row in enumerate(rows.tolist()))


def _tags(draw: np.random.Generator, size: int) -> list[Names]:
    """Draw the tags of a key, some more frequent than others, and of systems: what is hard for one is hard for all."""
    weight = np.array([1 / (number + 3) for number in range(len(TAGS))])
    key, hard = draw.choice(len(TAGS), size, p=weight / weight.sum()), draw.random(size) ** 3
    sides = [key]
    for number in range(SYSTEMS):
        wrong = draw.random(size) < hard * (0.4 + 0.1 * number)
        sides.append(np.where(wrong, (key + 1 + draw.integers(0, 4, size) ** 2) % len(TAGS), key))
    return [np.array(TAGS, object)[side] for side in sides]


def _entities(draw: np.random.Generator, size: int) -> list[Names]:
    """Draw the entities of a key, about four a document, and of systems that rename, cut, extend and miss some."""
    begin: Rows = np.arange(0, size, 4) + draw.integers(0, 2, size // 4)
    begin = begin[draw.random(len(begin)) < 0.7]
    label = draw.integers(0, len(LABELS), len(begin))
    long, hard = draw.random(len(begin)) < 0.5, draw.random(len(begin))
    sides = [_chunks(size, begin, label, long)]
    for number in range(SYSTEMS):
        kind = np.where(draw.random(len(begin)) < hard * (0.7 + 0.1 * number), draw.integers(1, 4, len(begin)), 0)
        other = np.where(kind == 1, (label + 1 + draw.integers(0, 3, len(begin))) % len(LABELS), label)
        there = kind != 3
        sides.append(_chunks(size, begin[there], other[there], (long ^ (kind == 2))[there]))
    return sides


def _chunks(size: int, begin: Rows, label: Rows, long: NDArray[np.bool_]) -> Names:
    tags = np.full(size, "O", object)
    tags[begin] = np.array([f"B-{name}" for name in LABELS], object)[label]
    tags[begin[long] + 1] = np.array([f"I-{name}" for name in LABELS], object)[label[long]]
    return tags


def compared(paths: list[Path], task: str) -> Result:
    """Compare the systems with the key."""
    from comparanda.api.comparison import compare

    key, *systems = (f"{path}::columns" for path in paths)
    named = {f"s{number}": path for number, path in enumerate(systems, start=1)}
    return compare(key, named, task=task, column="2" if task == "tag" else None, resamples=0)


def bench_page(folder: Path, report: Report) -> None:
    """Time the making of a report, and its opening in a browser."""
    from comparanda.report import as_html, build_page

    for task in WORDS:
        result = compared(write(folder, task), task)
        differing = len(result.verdicts.view().sites.contested)
        made: list[Any] = []
        seconds = cpu_seconds({"page": lambda: made.append(build_page(result))}, rounds=1)["page"]  # noqa: B023 - at once
        (page,) = made
        path = folder / f"page-{task}.html"
        path.write_text(as_html(page), encoding="utf-8")
        size = path.stat().st_size / 1e6
        report(f"{task}: a page of {differing:,} differing sites, s", seconds, "≤ 60", met=seconds <= 60)
        print(f"  {len(page.lists):,} lists, {page.embedded}", flush=True)
        report(f"{task}: its size, MB", size, "≤ 20", met=size <= 20)
        bench_opening(task, path, report)


def bench_opening(task: str, path: Path, report: Report) -> None:
    """Time a page in Chromium: until it is drawn, and from a click on a count to its examples."""
    from tests.chromium import program

    browsing = program()
    if browsing is None:
        print("  no chromium here: not opened", flush=True)
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browsing, args=["--no-sandbox", "--disable-gpu"])
        timed = [_timed(browser.new_page(), path) for _ in range(ROUNDS)]
        browser.close()
    opened, clicked, heap = (median(each) for each in zip(*timed, strict=True))
    report(f"{task}: opened in s", opened, "≤ 3", met=opened <= 3)
    report(f"{task}: a click, ms", clicked, "≤ 200", met=clicked <= 200)
    print(f"  heap of the browser: {heap:.0f} MB", flush=True)


def _timed(tab: Tab, path: Path) -> tuple[float, float, float]:
    """Return the seconds until a page is drawn, the milliseconds of the slowest click, and the megabytes it takes."""
    begin = time.perf_counter()
    tab.goto(path.as_uri())
    tab.wait_for_function("document.body.dataset.drawn")
    opened = time.perf_counter() - begin
    clicks = []
    for number in range(CLICKED):
        tab.evaluate("location.hash = '#/pair'")
        tab.wait_for_function("document.body.dataset.drawn === '#/pair'")
        clicks.append(tab.evaluate(_CLICK, number * 7))
    heap = tab.evaluate("performance.memory.usedJSHeapSize") / 1e6
    tab.close()
    return opened, max(clicks), heap
