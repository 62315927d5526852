"""A small corpus to be compared in parts, and ways to disturb who does it."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import psutil
import pytest

import comparanda as cp
from comparanda.scale import driver
from comparanda.scale.executors import InlineExecutor, Judged
from comparanda.scale.part import Job
from comparanda.storage.manifest import PLAN
from tests.command import run

SYSTEMS = ("crf", "bert")
DOCUMENTS = 8
PART = 1000
"""About two documents of all three files."""

PARTS = 4
SETTINGS: dict[str, Any] = {"task": "pos", "resamples": 40, "part": PART}

HOOK = """
import os, signal, time
from pathlib import Path
from comparanda.scale import executors

def hooked(job, number):
    here = Path(__file__).parent
    names = job.plan.parts[number].documents["key"]
    if any((here / f"kill-{name}").exists() for name in names):
        os.kill(os.getpid(), signal.SIGKILL)
    while any((here / f"hold-{name}").exists() for name in names):
        time.sleep(0.01)
    return evaluate_part(job, number)

evaluate_part, executors.evaluate_part = executors.evaluate_part, hooked
"""


def write(folder: Path) -> None:
    """Write the corpus."""
    draw, tags = random.Random(5), ("NOUN", "VERB", "ADP")
    gold = [[draw.choice(tags) for _ in range(9)] for _ in range(DOCUMENTS)]
    for side in ("key", *SYSTEMS):
        lines = []
        for number, document in enumerate(gold):
            lines.append(f"# newdoc id = d{number}")
            for place, right in enumerate(document, start=1):
                tag = right if side == "key" or draw.random() < 0.7 else draw.choice(tags)
                lines.append(f"{place}\tw{place}\t_\t{tag}\t_\t_\t{place - 1}\tdep\t_\t_")
            lines.append("")
        (folder / f"{side}.conllu").write_text("\n".join(lines) + "\n")


def compared(**settings: Any) -> cp.Result:
    """Compare the corpus in the folder that the test is in, in parts."""
    return cp.compare("key.conllu", {name: f"{name}.conllu" for name in SYSTEMS}, **SETTINGS | settings)


def said(result: cp.Result) -> list[str]:
    """Return what is to be the same, however the corpus was cut and whatever happened meanwhile."""
    findings = (result.scores(), result.difference(*SYSTEMS), result.significance(), result.examples("differs"))
    return [*(each.to_json() for each in findings), str(result.notes)]


def expected() -> list[str]:
    """Return the same of a comparison in one go."""
    return _expected(tuple(Path(f"{side}.conllu").read_bytes() for side in ("key", *SYSTEMS)))


@cache
def _expected(_: tuple[bytes, ...]) -> list[str]:
    return said(compared(part=None))


@contextmanager
def hooks(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Iterator[Path]:
    """Let workers that start now look into a folder whether they are to die (`kill-d3`) or to wait (`hold-d3`)."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(HOOK)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    yield folder


COMMAND = (
    "compare",
    "key.conllu",
    *(f"{name}.conllu" for name in SYSTEMS),
    *["--task", "pos", "--json", "--resamples", "40"],
)
"""A command about the corpus."""

PROGRAM = f"""
import sys
from comparanda import cli
from comparanda.scale import driver
driver.PART = {PART}
cli.main(sys.argv[1:])
"""
"""The command line with small parts."""


def resumed_by_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: object
) -> list[int]:
    """Run a command again, see that it prints what it prints in one go, and return which parts were judged."""
    executor = Counting()
    with monkeypatch.context() as patch:
        patch.setattr(driver, "choose_executor", lambda _: executor)
        patch.setattr(driver, "PART", PART)
        found = run(capsys, *COMMAND, *arguments)
    assert (found.code, found.out) == (0, run(capsys, *COMMAND).out)
    return executor.judged


def until(happened: Callable[[], object], what: str) -> None:
    """Wait for something that must happen soon."""
    for _ in range(3000):
        if happened():
            return
        time.sleep(0.01)
    pytest.fail(f"in vain: {what}")


def children(process: int | None = None) -> list[psutil.Process]:
    """Return the workers of a process."""
    return [
        each for each in psutil.Process(process).children(recursive=True) if "comparanda.scale.worker" in each.cmdline()
    ]


def done(folder: Path) -> list[str]:
    """Return the names of the parts that are done."""
    return sorted(each.name for each in folder.iterdir() if each.name.startswith("part-"))


def rubbish(folder: Path) -> list[str]:
    """Return what has no business in a folder of parts."""
    return [each.name for each in folder.rglob("*") if each.name.startswith(".")]


class Counting:
    """An executor that evaluates in this process and records which parts."""

    def __init__(self) -> None:
        self.judged: list[int] = []

    def run(self, job: Job, numbers: Any) -> Judged:
        for number, files in InlineExecutor().run(job, numbers):
            self.judged.append(number)
            yield number, files


def resumed(monkeypatch: pytest.MonkeyPatch, folder: Path) -> list[int]:
    """Go on with a folder, see that the numbers are right, and return which parts were judged."""
    executor = Counting()
    with monkeypatch.context() as patch:
        patch.setattr(driver, "choose_executor", lambda _: executor)
        result = compared(folder=folder)
    assert said(result) == expected() == said(cp.open(folder))
    assert not rubbish(folder)
    assert (folder / PLAN).is_file()
    return executor.judged
