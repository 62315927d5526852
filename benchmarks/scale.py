"""Corpora larger than memory: 100M tokens of three systems in columns, in one process and with two workers.

The corpus is written block by block and deleted after. Each case runs in a process of its own, so that its memory is
its own: what counts is the largest resident set of that process and of the workers it starts.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.corpora import vocabulary

BLOCK = 1_000_000
SYSTEMS = 3
LABELS = ("PER", "LOC", "ORG", "MISC")
POS = ("NNP", "NN", "IN", "DT", "JJ", "NNS", "CD", "VBD", ".", ",", "VB", "CC", "TO", "RB", "VBZ", "VBN", "PRP")
_SENTENCES_A_DOCUMENT = 15
MEMORY = 2 << 30
TASKS = {"tag": "?column=2", "span": ""}
_SPIN = 200_000_000
_RESAMPLES = 1000


def write(folder: Path, blocks: int, *, size: int = BLOCK, seed: int = 1) -> list[Path]:
    """Write a key and three systems of some blocks of tokens; return the key first."""
    paths = [folder / f"{name}.conll" for name in ("key", *(f"s{number + 1}" for number in range(SYSTEMS)))]
    for number, path in enumerate(paths):
        block = _block(number, size, seed)
        with path.open("wb") as stream:
            for _ in range(blocks):
                stream.write(block)
    return paths


def _block(number: int, tokens: int, seed: int) -> bytes:
    """Write the text of the key (number 0) or of a system, which errs at 3 to 5 % of tags and 9 to 15 % of spans."""
    layout, noise = random.Random(seed), random.Random(1000 * seed + number)
    words = vocabulary(layout)
    error = 0.0 if number == 0 else 0.02 + 0.01 * number
    lines: list[str] = []
    written = sentence = 0
    while written < tokens:
        if sentence % _SENTENCES_A_DOCUMENT == 0:
            lines += ["-DOCSTART- -X- O O", ""]
        length = min(tokens - written, max(1, round(layout.gauss(14.5, 6))))
        tags = ["O"] * length
        for begin, end, label in _spans(layout, length):
            heard = label if noise.random() >= 2 * error else noise.choice(LABELS)
            if noise.random() >= error:
                tags[begin:end] = [f"B-{heard}", *[f"I-{heard}"] * (end - begin - 1)]
        for tag in tags:
            word = words[min(int(layout.paretovariate(1.0) * 20) - 20, len(words) - 1)]
            pos = layout.choice(POS)
            lines.append(f"{word} {pos if noise.random() >= error else noise.choice(POS)} I-NP {tag}")
        lines.append("")
        written += length
        sentence += 1
    return ("\n".join(lines) + "\n").encode()


def _spans(layout: random.Random, length: int) -> list[tuple[int, int, str]]:
    """Draw the spans of a sentence: a word in nine begins one."""
    found, place = [], 0
    while place < length:
        if layout.random() < 0.11:
            end = min(length, place + layout.choice((1, 1, 1, 2, 2, 3)))
            found.append((place, end, layout.choice(LABELS)))
            place = end
        place += 1
    return found


@dataclass(frozen=True, slots=True)
class Measured:
    """What a case took: seconds of all processors and of the clock, and the largest resident set of all processes."""

    cpu: float
    wall: float
    memory: int


def run_case(folder: Path, task: str, workers: int | None) -> None:
    """Compare the systems of a folder in this process, from files to all findings; print what it took, as JSON."""
    from comparanda import compare

    toy = [["B-PER", "O"], ["O", "B-LOC"]]
    compare(toy, {"one": toy, "two": toy[::-1]}, task=task, resamples=2).anatomy()  # what is imported late is now there
    key, *systems = (f"{folder / name}.conll{TASKS[task]}" for name in ("key", "s1", "s2", "s3"))
    named = dict(zip(("s1", "s2", "s3"), systems, strict=True))
    begin, before = time.perf_counter(), time.process_time()
    result = compare(key, named, task=task, memory=MEMORY, workers=workers, resamples=_RESAMPLES)
    sites = result.anatomy().sites
    wall = time.perf_counter() - begin
    own, others = (resource.getrusage(which) for which in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu = time.process_time() - before + others.ru_utime + others.ru_stime
    memory = (own.ru_maxrss + (workers or 0) * others.ru_maxrss) << 10
    print(json.dumps({"cpu": cpu, "wall": wall, "memory": memory, "sites": sites}))


def measured(folder: Path, task: str, workers: int | None = None) -> Measured:
    """Run a case in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.scale", "--case", str(folder), "--task", task]
    command += [] if workers is None else ["--workers", str(workers)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return Measured(found["cpu"], found["wall"], found["memory"])


def _spin() -> None:
    for _ in range(_SPIN):
        pass


def spinning() -> float:
    """Return how many times faster two processes that only count are than one after the other."""
    alone = _spun(1)
    return 2 * alone / _spun(2)


def _spun(processes: int) -> float:
    begin = time.perf_counter()
    running = [get_context("spawn").Process(target=_spin) for _ in range(processes)]
    for each in running:
        each.start()
    for each in running:
        each.join()
    return time.perf_counter() - begin


def report(what: str, value: str, bar: str, *, met: bool | None = None) -> None:
    """Print one line of the table."""
    print(f"{what:<58} {value:>14}   {bar:<12} {'' if met is None else 'ok' if met else 'MISSED'}", flush=True)


def bench_scale(blocks: int, task: str, *, workers: bool) -> None:
    """Measure a corpus of many blocks against one of a single block."""
    with TemporaryDirectory(prefix="comparanda-scale-") as place:
        one, many = Path(place) / "one", Path(place) / "many"
        one.mkdir()
        many.mkdir()
        write(one, 1)
        write(many, blocks)
        small = min((measured(one, task) for _ in range(3)), key=lambda each: each.cpu)
        large = measured(many, task)
        name = f"{task}, {blocks}M tokens × {SYSTEMS}"
        report(
            f"{name}: memory, one process",
            f"{large.memory / (1 << 20):,.0f} MB",
            "≤ 2,048 MB",
            met=large.memory <= MEMORY,
        )
        ratio = large.cpu / blocks / small.cpu
        report(f"  cost of a token / that of 1M ({small.cpu:.2f} s)", f"{ratio:.2f}", "≤ 1.3", met=ratio <= 1.3)
        report("  CPU of one process", f"{large.cpu:,.0f} s", "")
        if workers:
            spun, both = spinning(), measured(many, task, 2)
            faster = large.wall / both.wall
            report(f"  two workers: {large.wall:,.0f} s → {both.wall:,.0f} s", f"{faster:.2f} ×", "")
            share = faster / spun
            report(f"  of what two spinning processes gain ({spun:.2f} ×)", f"{share:.2f}", "≥ 0.75", met=share >= 0.75)
            report("  largest sets of all three processes, added up", _megabytes(both), "")


def _megabytes(case: Measured) -> str:
    return f"{case.memory / (1 << 20):,.0f} MB"


def main() -> None:
    """Read the options, and measure or run a case."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--blocks", type=int, default=100, help="how many million tokens")
    options.add_argument("--task", choices=list(TASKS))
    options.add_argument("--workers", type=int)
    options.add_argument("--case", type=Path, help="run one case on a folder, in this process")
    given = options.parse_args()
    if given.case is not None:
        run_case(given.case, given.task, given.workers)
        return
    for task in [given.task] if given.task else TASKS:
        bench_scale(given.blocks, task, workers=True)


if __name__ == "__main__":
    main()
