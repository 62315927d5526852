"""A comparison in parts says what one in one go says, byte by byte: for every task and format, whoever judges parts."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import comparanda as cp
from comparanda.core.chains import Chains
from comparanda.core.claims import Claims
from comparanda.core.items import Items
from comparanda.core.sites import Sites
from comparanda.errors import UsageError
from comparanda.render.finding import Finding
from comparanda.render.json import build_document
from comparanda.result import Result
from comparanda.storage import fold
from tests.scale.corpora import KINDS, Given
from tests.seeds import first_few, mostly_slow, seeds
from tests.toy_task import printed

RESAMPLES = 40
TASKS = {
    "tag": "tag in CoNLL-U",
    "dep": "dep",
    "label": "label in CSV",
    "span": "span in IOB1",
    "link": "link",
    "coref": "coref in CoNLL-2012",
    "prob": "prob",
}
"""A corpus for each task."""


class Corpus:
    """A corpus in files: compared in one go or in parts, whose progress is kept."""

    def __init__(self, folder: Path, name: str, size: int, seed: int = 7) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.kind = KINDS[name]
        self.given: Given = self.kind.write(folder, random.Random(seed), size)
        self.bytes = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        self.told: list[str] = []

    def compared(self, listen: Callable[[str], object] = lambda _: None, **settings: Any) -> Result:
        def progress(text: str) -> None:
            self.told.append(text)
            listen(text)

        systems = {name: path for name, path in self.given.items() if name != "key"}
        asked = {**self.kind.settings, "task": self.kind.task, "resamples": RESAMPLES, "progress": progress, **settings}
        return cp.compare(self.given["key"], systems, **asked)

    def in_parts(self, count: int, **settings: Any) -> Result:
        """Compare it in about so many parts."""
        found = self.compared(part=self.bytes // count, **settings)
        assert not [text for text in self.told if text.startswith("not divided into parts")]
        assert len({text for text in self.told if text.startswith("evaluating part")}) > 1
        return found


def said(result: Result) -> dict[str, str]:
    """Return what a result says, as the commands print it, of its first view; notes are part of all of it."""
    first, second, *_ = result.systems
    found: dict[str, Callable[[], Finding]] = {
        "anatomy": result.anatomy,
        "scores": result.scores,
        "difference": lambda: result.difference(first, second),
        "complementarity": result.complementarity,
        "combination": result.combination,
        "significance": result.significance,
        "suspects": result.suspects,
        "examples": lambda: result.examples("true", top=0),
        "sample": lambda: result.examples("differs", top=3),
    }
    made = {}
    for name, make in found.items():
        with suppress(UsageError):  # what a task does not have
            made[name] = build_document(make(), result.signature, tuple(map(str, result.notes)))
    assert {"scores", "examples"} <= made.keys()
    return made


@pytest.mark.parametrize(
    "name",
    mostly_slow(
        KINDS,
        ("tag in CoNLL-U", "dep", "label in CSV", "span in IOB1", "coref in CoNLL-2012", "span without documents"),
    ),
)
def test_parts_say_what_the_whole_says(name: str, tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, name, 10)
    assert said(corpus.in_parts(4)) == said(corpus.compared())


SMALL = ("tag in columns", "tag in CoNLL-U", "label in CSV", "span in BIO", "span in JSONL", "span in brat", "link")
ALSO_SMALL = ("span in IOB1", "tag without documents", "span without documents", "tag in JSONL without documents")
"""What is made small where memory is short; the others have too few easy sites, or cannot be."""


@pytest.mark.parametrize("name", mostly_slow(KINDS, ("tag in CoNLL-U",)))
def test_with_little_memory_they_say_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fold, "EXAMPLES", 0)
    corpus = Corpus(tmp_path / "corpus", name, 30)
    found = corpus.in_parts(5, memory=1, folder=tmp_path / "result")
    assert any(view.counted is not None for view in found.verdicts.views.values()) == (name in {*SMALL, *ALSO_SMALL})
    whole = without_lists(corpus.compared())
    assert without_lists(found) == whole
    assert without_lists(cp.open(tmp_path / "result")) == whole


def without_lists(result: Result) -> dict[str, str]:
    """Return what a result says, but for lists of all sites: those that all systems have right cannot be shown."""
    found = said(result)
    del found["examples"]
    return found | {name: text for name, text in printed(result).items() if "examples" not in name}


@pytest.mark.parametrize("name", first_few(1, ["tag in columns", "label in JSONL"]))
def test_workers_say_it_too_and_so_does_the_folder(name: str, tmp_path: Path) -> None:
    corpus = Corpus(tmp_path / "corpus", name, 10)
    whole = said(corpus.compared())
    assert said(corpus.in_parts(4, workers=2, folder=tmp_path / "result")) == whole
    assert said(cp.open(tmp_path / "result")) == whole


@pytest.mark.parametrize("seed", seeds(1, of=60))
def test_a_corpus_may_be_cut_into_parts_of_any_size(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    corpus = Corpus(tmp_path, draw.choice(sorted(KINDS)), draw.randint(3, 20), seed)
    whole = said(corpus.compared())
    assert said(corpus.compared(part=draw.randint(1, corpus.bytes))) == whole


def tables() -> int:
    """Return how many tables there are in memory, those in circles that nobody holds among them."""
    return sum(isinstance(each, Sites | Items | Claims | Chains) for each in gc.get_objects())


@pytest.mark.parametrize("task", mostly_slow(TASKS, ("span",)))
def test_tables_of_parts_are_gone_once_they_are_merged(task: str, tmp_path: Path) -> None:
    """Without waiting for the collector of circles, which does not know how large arrays are."""
    gc.collect()
    gc.disable()
    try:
        found = Corpus(tmp_path, TASKS[task], 12).in_parts(4)
        before = tables()
        gc.collect()
        assert tables() == before
    finally:
        gc.enable()
    assert found.verdicts.views


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_every_finding_of_every_view_is_the_same(name: str, tmp_path: Path) -> None:
    corpus = Corpus(tmp_path / "corpus", name, 50)
    whole = printed(corpus.compared())
    assert printed(corpus.in_parts(2)) == whole
    assert printed(corpus.in_parts(9, folder=tmp_path / "result")) == whole
    assert printed(cp.open(tmp_path / "result")) == whole
    assert printed(corpus.in_parts(9, workers=2)) == whole


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # Dask leaves some sockets of what it stops to be collected
@pytest.mark.parametrize("task", TASKS)
def test_one_process_two_workers_and_a_cluster_that_loses_one_of_two_say_the_same(task: str, tmp_path: Path) -> None:
    dask, distributed = pytest.importorskip("dask"), pytest.importorskip("distributed")
    corpus = Corpus(tmp_path, TASKS[task], 60)
    whole = printed(corpus.compared())
    assert printed(corpus.in_parts(12)) == whole
    assert printed(corpus.in_parts(12, workers=2)) == whole
    killed: list[Any] = []

    def kill(text: str) -> None:
        if text.startswith("evaluating part 4") and not killed:
            killed.append(started.workers[0].process.process)
            killed[0].kill()

    with (
        dask.config.set({"distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as started,
    ):
        found = corpus.in_parts(12, scheduler=started.scheduler_address, listen=kill)
    assert killed
    assert printed(found) == whole
