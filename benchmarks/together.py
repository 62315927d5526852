"""What the findings of many systems cost: 16 × 50,000 sentences beside reading them, 20 × 10M sites."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.timing import cpu_seconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from comparanda.core.sites import Sites
    from comparanda.result import Result

    Report = Callable[..., None]

SYSTEMS, SENTENCES, WORDS = 16, 50_000, 20
LABELS = ("PER", "LOC", "ORG", "MISC")
TAGS = tuple(f"T{number:02}" for number in range(17))
MANY, PLACES = 20, 10_000_000


def _lines(words: list[str], tags: list[str], documents: int) -> str:
    """Write a column file; documents begin with -DOCSTART-."""
    every = SENTENCES // documents
    out = []
    for sentence in range(SENTENCES):
        if sentence % every == 0:
            out.append(f"-DOCSTART-\tdoc{sentence // every}\n")
        begin = sentence * WORDS
        out += [f"{words[row]}\t{tags[row]}" for row in range(begin, begin + WORDS)]
        out.append("")
    return "\n".join(out) + "\n"


def _entities(draw: np.random.Generator) -> np.ndarray:
    """Return chunk tags of a key: some words begin an entity of one or two words."""
    size = SENTENCES * WORDS
    tags = np.full(size, "O", dtype=object)
    begin = np.flatnonzero(draw.random(size) < 0.06)
    begin = begin[begin % WORDS < WORDS - 2]
    begin = begin[np.diff(begin, prepend=-9) > 2]
    label = draw.integers(0, len(LABELS), len(begin))
    tags[begin] = [f"B-{LABELS[code]}" for code in label]
    long = draw.random(len(begin)) < 0.5
    tags[begin[long] + 1] = [f"I-{LABELS[code]}" for code in label[long]]
    return tags


def _noisy(tags: np.ndarray, hard: np.ndarray, draw: np.random.Generator, share: float) -> np.ndarray:
    """Return what a system makes of a key: words that are hard for one are hard for all."""
    found = tags.copy()
    wrong = np.flatnonzero(draw.random(len(tags)) < hard * share)
    for row in wrong.tolist():
        if found[row] == "O":
            found[row] = f"B-{LABELS[row % len(LABELS)]}" if row % 5 == 0 else "O"
        else:
            found[row] = "O" if row % 3 else f"B-{LABELS[(row + 1) % len(LABELS)]}"
    return found


def write(folder: Path, documents: int = 1000) -> dict[str, list[Path]]:
    """Write a key and 16 systems as entities and as tags; those there already are kept."""
    draw = np.random.default_rng(1)
    size = SENTENCES * WORDS
    words = [f"w{code}" for code in draw.integers(0, 30_000, size).tolist()]
    hard = draw.random(size) ** 3
    keys = {"span": _entities(draw), "tag": np.array(TAGS, dtype=object)[draw.integers(0, len(TAGS), size)]}
    paths: dict[str, list[Path]] = {}
    for task, key in keys.items():
        for number in range(SYSTEMS + 1):
            path = folder / f"{task}-{number:02}.txt"
            if number == 0:
                values = key
            elif task == "span":
                values = _noisy(key, hard, draw, 0.5 + number / 20)
            else:
                values = key.copy()
                wrong = np.flatnonzero(draw.random(size) < hard * (0.1 + number / 100))
                values[wrong] = np.array(TAGS, dtype=object)[draw.integers(0, len(TAGS), len(wrong))]
            if not path.exists():
                path.write_text(_lines(words, values.tolist(), documents))
            paths.setdefault(task, []).append(path)
    return paths


def read_all(paths: list[Path], task: str) -> Callable[[], int]:
    """Read all files, as a comparison does."""
    from comparanda.formats.contract import Request
    from comparanda.formats.inputs import Input, read_input
    from comparanda.tasks.task import find_task

    found, column = find_task(task)
    request = Request(side="key", value="2" if task == "tag" else column, extra=(), options={}, layer=found.layer)

    def run() -> int:
        return sum(len(read_input(Input(path=str(path), format="columns"), request, found.shape)) for path in paths)

    return run


def judged(paths: list[Path], task: str) -> Result:
    """Compare the systems with the key."""
    from comparanda.api.comparison import compare

    key, *systems = (f"{path}::columns" for path in paths)
    named = {f"s{number:02}": path for number, path in enumerate(systems, start=1)}
    return compare(key, named, task=task, column="2" if task == "tag" else None, resamples=0)


def everything(result: Result) -> list[object]:
    """Make every finding of several systems, without resampling."""
    return [
        result.pairs(),
        result.complementarity(),
        result.combination(),
        result.suspects(),
    ]


def all_findings(paths: list[Path], task: str) -> Callable[[], object]:
    """From files to every finding."""
    return lambda: everything(judged(paths, task))


def bench_together(folder: Path, report: Report) -> None:
    """Time all findings of 16 systems beside reading their files, and the matrix of 20 systems over 10M sites."""
    paths = write(folder)
    for task, files in paths.items():
        cases: dict[str, Callable[[], object]] = {"read": read_all(files, task), "judged": partial(judged, files, task)}
        best = cpu_seconds({**cases, "all": all_findings(files, task)}, rounds=3)
        findings = best["all"] - best["judged"]
        ratio = findings / best["read"]
        what = f"{task}: 16 systems × 50k sentences, all findings {findings:.2f} s / reading {best['read']:.2f} s"
        report(what, ratio, "≤ 3", met=ratio <= 3)
        whole = best["all"] / best["read"]
        print(f"  also: from files to all findings {best['all']:.2f} s, {whole:.2f} × reading", flush=True)
    sites = many_sites()
    seconds = cpu_seconds({"matrix": lambda: matrix(sites)}, rounds=3)["matrix"]
    report("20 × 20 pairs with transitions over 10M sites, s", seconds, "≤ 2", met=seconds <= 2)


def many_sites() -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the codes of a key and of 20 systems of about 95 %, whose errors cluster at hard sites."""
    draw = np.random.default_rng(1)
    key = draw.integers(0, len(TAGS), PLACES).astype(np.uint8)
    hard = draw.random(PLACES, dtype=np.float32) ** 6
    likely = draw.integers(0, len(TAGS), PLACES).astype(np.uint8)
    systems = []
    for number in range(MANY):
        values = key.copy()
        wrong = np.flatnonzero(draw.random(PLACES, dtype=np.float32) < hard * (0.3 + 0.02 * number))
        other = draw.integers(0, len(TAGS), len(wrong)).astype(np.uint8)
        values[wrong] = np.where(draw.random(len(wrong)) < 0.6, likely[wrong], other)
        systems.append(values)
    return key, systems


def matrix(codes: tuple[np.ndarray, list[np.ndarray]]) -> int:
    """Cross every pair of systems, from plain codes on."""
    from comparanda.core.sites import Sites
    from comparanda.findings.error_pairs import Crossing

    key, systems = codes
    nowhere = np.zeros(PLACES, np.int32)
    sites: Sites = Sites(document=nowhere, sentence=nowhere, place=nowhere, key=key, values=tuple(systems), names=TAGS)
    crossing = Crossing(sites)
    return sum(crossing.compare(first, second).different for first, second in combinations(range(MANY), 2))
