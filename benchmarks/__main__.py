"""Run all benchmarks and print a table: `python -m benchmarks [--no-large]`.

Every figure is CPU time. The cases of one benchmark run in one process of their own, in an order shuffled
anew each round; the minimum of five rounds counts; imports stand outside. What another benchmark did to the
memory of its process must not matter: a buffer that is found on the heap costs half of one that the system
must give.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks import corpora
from benchmarks.coreference import bench_coreference
from benchmarks.entities import bench_entities
from benchmarks.feedback import bench_feedback
from benchmarks.formats import bench_formats
from benchmarks.page import bench_page
from benchmarks.probabilistic import bench_probabilistic
from benchmarks.rules import bench_rules
from benchmarks.timing import child_cpu, cpu_seconds
from benchmarks.together import bench_together

MILLION = 1_000_000
QUARTER = MILLION // 4


def floor(paths: list[Path]) -> Callable[[], int]:
    """Read the raw bytes of all files and count their lines: what no reader can do without."""

    def run() -> int:
        return sum(path.read_bytes().count(b"\n") for path in paths)

    return run


def floor_seconds(paths: list[Path]) -> float:
    """Time the floor in a process of its own, whose memory comes fresh from the system, as it would for a user.

    Behind other work in one process it takes two thirds of that or all of it, as the heap happens to be left.
    """
    command = [sys.executable, "-m", "benchmarks", "floor", *map(str, paths)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def warm_floor(paths: list[Path]) -> Callable[[], int]:
    """Do the same in memory that is there already: the least it can cost."""
    buffer = bytearray(max(path.stat().st_size for path in paths))

    def run() -> int:
        lines = 0
        for path in paths:
            with path.open("rb") as stream:
                lines += buffer.count(b"\n", 0, stream.readinto(buffer))
        return lines

    return run


def whole_pipeline(paths: list[Path]) -> Callable[[], str]:
    """Compare five systems with a key, from files to JSON, with all findings but the resampling."""
    from comparanda.api.comparison import compare

    key, *systems = (str(path) for path in paths)
    named = {f"s{number}": path for number, path in enumerate(systems, start=1)}
    return lambda: compare(key, named, task="pos", resamples=0).anatomy().to_json()


def all_tree_scores(paths: list[Path]) -> Callable[[], int]:
    """Compare parsers with a key, from files to all scores of trees; return the first one's correct arcs (LAS)."""
    from comparanda.api.comparison import compare

    key, *systems = (str(path) for path in paths)
    named = {f"s{number}": path for number, path in enumerate(systems, start=1)}

    def run() -> int:
        result = compare(key, named, task="dep", resamples=0)
        result.scores(view="conll18")
        result.scores()
        return int(result.verdicts.view("conll18").statistics["credit[LAS]"][:, 0].sum())

    return run


def udeval(key: Path, system: Path) -> Callable[[], int]:
    """Score one parser with the official evaluation of `udtools`; return its correct arcs (LAS)."""
    from udtools.udeval import evaluate, load_conllu_file

    return lambda: int(evaluate(load_conllu_file(str(key)), load_conllu_file(str(system)))["LAS"].correct)


def conllu_package(path: Path) -> Callable[[], int]:
    """Parse one file with the `conllu` package."""
    import conllu

    def run() -> int:
        with path.open(encoding="utf-8") as stream:
            return sum(len(sentence) for sentence in conllu.parse_incr(stream))

    return run


def report(name: str, value: float, bar: str, *, met: bool) -> None:
    """Print one line of the table."""
    print(f"{name:<58} {value:>10.2f}   {bar:<10} {'ok' if met else 'MISSED'}", flush=True)


def bench_pipeline(folder: Path) -> None:
    """Time the whole pipeline on 1M tokens against the floor and against the `conllu` package."""
    paths = corpora.write(folder, MILLION)
    whole_pipeline(paths)()
    best = cpu_seconds({"pipeline": whole_pipeline(paths)}) | {"floor": floor_seconds(paths)}
    ratio = best["pipeline"] / best["floor"]
    report(
        f"1M tokens × 6: pipeline {best['pipeline']:.2f} s / floor {best['floor']:.2f} s", ratio, "≤ 6", met=ratio <= 6
    )
    parsed = cpu_seconds({"conllu": conllu_package(paths[0])}, rounds=1)["conllu"] * len(paths)
    report(
        "conllu package merely parsing (one file, × 6) / pipeline",
        parsed / best["pipeline"],
        "≥ 20",
        met=parsed >= 20 * best["pipeline"],
    )


def bench_trees(folder: Path, words: int, *, enhanced: bool) -> None:
    """Time all scores of trees of five parsers against the floor."""
    paths = corpora.write_trees(folder, words, enhanced=enhanced)
    all_tree_scores(paths)()
    best = cpu_seconds({"warm": warm_floor(paths), "scores": all_tree_scores(paths)}) | {"floor": floor_seconds(paths)}
    ratio = best["scores"] / best["floor"]
    what = f"{words // 1000:,}k words × 6{', enhanced' if enhanced else ''}: scores of trees {best['scores']:.2f} s"
    report(f"{what} / floor {best['floor']:.2f} s", ratio, "≤ 12", met=ratio <= 12)
    print(f"  also: {best['scores'] / best['warm']:.2f} × a floor in warm memory ({best['warm']:.2f} s)", flush=True)


def bench_udeval(folder: Path) -> None:
    """Time all scores of one parser against the official evaluation, which must count the same arcs."""
    key, system, *_ = corpora.write_trees(folder, QUARTER)
    ours, theirs = all_tree_scores([key, system]), udeval(key, system)
    best = cpu_seconds({"ours": ours})
    found: list[int] = []
    best |= cpu_seconds({"udeval": lambda: found.append(theirs())}, rounds=1)
    if found != [ours()]:
        raise AssertionError(f"udeval finds {found[0]:,} correct arcs, comparanda {ours():,}")
    ratio = best["udeval"] / best["ours"]
    what = f"250k words: udeval {best['udeval']:.1f} s / comparanda {best['ours']:.2f} s"
    report(what, ratio, "≥ 30", met=ratio >= 30)


_PEAK = """
import re, sys
from pathlib import Path
from benchmarks.__main__ import whole_pipeline
paths = [Path(name) for name in sys.argv[1:]]
whole_pipeline(paths)()
peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024
print(peak / sum(path.stat().st_size for path in paths))
"""


def bench_memory(folder: Path, tokens: int) -> None:
    """Measure the peak memory of the whole pipeline in a process of its own, as a multiple of the files' bytes."""
    paths = [str(path) for path in corpora.write(folder, tokens)]
    done = subprocess.run([sys.executable, "-c", _PEAK, *paths], check=True, capture_output=True, text=True)
    peak = float(done.stdout)
    report(f"peak memory, {tokens // MILLION}M tokens × 6 / bytes of the files", peak, "≤ 3", met=peak <= 3)


def bench_large(folder: Path) -> None:
    """Time 10M tokens against 1M."""
    small, large = corpora.write(folder, MILLION), corpora.write(folder, 10 * MILLION)
    best = cpu_seconds({"1M": whole_pipeline(small), "10M": whole_pipeline(large)}, rounds=3)
    ratio = best["10M"] / best["1M"]
    report(f"10M tokens {best['10M']:.2f} s / 1M tokens {best['1M']:.2f} s", ratio, "≤ 12", met=ratio <= 12)
    bench_memory(folder, 10 * MILLION)
    for path in large:
        path.unlink()


def bench_resampling() -> None:
    """Time 10,000 resamples × 10,000 documents × 5 systems: intervals of the scores, and tests of all pairs."""
    import numpy as np

    from comparanda.findings.resamples import bootstrap_sums, swapped_sums

    draw = np.random.default_rng(0)
    statistics = draw.poisson(12, (10_000, 10)).astype(np.float64)
    best = cpu_seconds(
        {"bootstrap": lambda: bootstrap_sums(statistics), "swaps": lambda: swapped_sums(statistics)}, rounds=3
    )
    total = sum(best.values())
    report("10,000 resamples × 10,000 documents × 5 systems, s", total, "≤ 2", met=total <= 2)


def bench_csv(folder: Path) -> None:
    """Time reading a CSV of 1M rows against a bare loop of the csv module over it."""
    import csv

    from comparanda.formats.contract import Request
    from comparanda.formats.inputs import Input, read_input

    path = folder / "rows.csv"
    rows = (f'r{row},"text {row}, quoted",{"xyz"[row % 3]}\n' for row in range(MILLION))
    path.write_text("id,text,label\n" + "".join(rows))

    def bare() -> int:
        with path.open(newline="") as stream:
            return sum(1 for _ in csv.reader(stream))

    read = lambda: read_input(Input(path=str(path)), Request(), "rows")  # noqa: E731
    best = cpu_seconds({"csv": bare, "read": read}, rounds=3)
    ratio = best["read"] / best["csv"]
    report("1M rows of CSV / a bare loop of the csv module", ratio, "≤ 6", met=ratio <= 6)


def bench_help() -> None:
    """Time `comparanda --help` against an interpreter that does nothing."""
    script = str(Path(sys.executable).with_name("comparanda"))

    def best_of(command: list[str]) -> float:
        run = lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: E731
        return min(child_cpu(run) for _ in range(10))

    bare, helped = best_of([sys.executable, "-c", "pass"]), best_of([script, "--help"])
    report("comparanda --help / python -c pass", helped / bare, "≤ 8", met=helped <= 8 * bare)


def bench_start() -> None:
    """Time small commands on the demo, from start to end, against importing the four libraries that they need."""
    from comparanda.demo import demo_files

    key, systems = demo_files("pos")
    script = str(Path(sys.executable).with_name("comparanda"))
    inputs = [key, systems["brill"], systems["hanta"], "--task", "pos"]
    commands = {
        "libraries": [sys.executable, "-c", "import numpy, click, rich, msgspec"],
        "diff": [script, "diff", *inputs],
        "score": [script, "score", *inputs],
        "compare": [script, "compare", *inputs],
    }

    def start(command: list[str]) -> float:
        return child_cpu(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))

    rounds = [{name: start(command) for name, command in commands.items()} for _ in range(9)]
    best = {name: min(each[name] for each in rounds) for name in commands}
    for name, most in (("diff", 2.2), ("score", 2.2), ("compare", 3.0)):
        ratio = best[name] / best["libraries"]
        what = f"comparanda {name} on the demo {best[name]:.2f} s / numpy, click, rich, msgspec"
        report(what, ratio, f"≤ {most}", met=ratio <= most)


BENCHMARKS: dict[str, Callable[[Path], None]] = {
    "help": lambda _: bench_help(),
    "start": lambda _: bench_start(),
    "resampling": lambda _: bench_resampling(),
    "pipeline": bench_pipeline,
    "trees": lambda folder: bench_trees(folder, MILLION, enhanced=False),
    "enhanced": lambda folder: bench_trees(folder, MILLION, enhanced=True),
    "udeval": bench_udeval,
    "memory": lambda folder: bench_memory(folder, MILLION),
    "csv": bench_csv,
    "entities": lambda folder: bench_entities(folder, report),
    "formats": lambda folder: bench_formats(folder, report),
    "rules": lambda _: bench_rules(report),
    "together": lambda folder: bench_together(folder, report),
    "coreference": lambda folder: bench_coreference(folder, report),
    "feedback": lambda _: bench_feedback(report),
    "probabilistic": lambda folder: bench_probabilistic(folder, report),
    "page": lambda folder: bench_page(folder, report),
    "large": bench_large,
}


def main(arguments: list[str]) -> None:
    """Run one benchmark in a folder, or all of them, each in a process of its own."""
    if arguments[:1] == ["floor"]:
        print(cpu_seconds({"floor": floor([Path(name) for name in arguments[1:]])})["floor"])
        return
    if len(arguments) == 2 and arguments[0] in BENCHMARKS:
        BENCHMARKS[arguments[0]](Path(arguments[1]))
        return
    with tempfile.TemporaryDirectory(prefix="comparanda-bench-") as folder:
        for name in BENCHMARKS:
            if name != "large" or "--no-large" not in arguments:
                subprocess.run([sys.executable, "-m", "benchmarks", name, folder], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
