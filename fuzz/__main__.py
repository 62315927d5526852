"""Fuzz some targets, or all: `python -m fuzz TARGET… [--minutes M] [--seed N]`, `python -m fuzz all`.

Each target runs in a process of its own for its minutes of CPU time. What it did is appended to `fuzz/logs/TARGET.log`;
what it found is kept in `fuzz/findings/TARGET`, and `python -m fuzz TARGET --replay FILE` shows one again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from fuzz.target import WORKSHOP, workshop

HERE = Path(__file__).parent
RESTARTS = 20
"""A crash of the interpreter or of a library ends a process, and so does too much memory: so often it starts again."""


def main() -> int:
    """Fuzz what was asked for, and return 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Fuzz all that reads what others wrote.")
    parser.add_argument("targets", nargs="+", metavar="TARGET", help="names of targets, or all, or list")
    parser.add_argument("--minutes", type=float, help="minutes of CPU time for each target (default: its own)")
    parser.add_argument("--seed", type=int, help="the seed of chance (default: a new one, which is logged)")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="try one case and show what happens")
    given = parser.parse_args()
    from fuzz.targets import targets

    known = targets()
    if given.targets == ["list"]:
        print("\n".join(f"{name:<16}{each.minutes:g} min" for name, each in known.items()))
        return 0
    chosen = list(known) if given.targets == ["all"] else given.targets
    if unknown := [name for name in chosen if name not in known]:
        parser.error(f"no target is called {', '.join(unknown)}; there are {', '.join(known)}")
    if given.replay:
        known[chosen[0]].run(given.replay.read_bytes())
        print("nothing is wrong with it")
        return 0
    found = 0
    for name in chosen:
        seed = given.seed if given.seed is not None else int.from_bytes(os.urandom(3), "big")
        found += fuzz(name, known[name].minutes if given.minutes is None else given.minutes, seed)
    return 1 if found else 0


def fuzz(name: str, minutes: float, seed: int) -> int:
    """Fuzz one target; log what was done, and return how many kinds of findings there are."""
    folder = Path(tempfile.mkdtemp(prefix=f"fuzz-{name}-"))
    record: dict[str, Any] = {"target": name, "date": time.strftime("%Y-%m-%d"), "version": _version(), "seed": seed}
    cpu, executions, edges = 0.0, 0, 0
    for again in range(RESTARTS):
        used, output = _run(name, folder, minutes * 60 - cpu, seed + again)
        cpu += used
        executions += max(map(int, re.findall(r"(?m)^(?:#|stat::number_of_executed_units: )(\d+)", output)), default=0)
        edges = max(map(int, re.findall(r"\bcov: (\d+)", output)), default=edges)
        if cpu >= minutes * 60:
            break
        if "exiting as requested" not in output:
            print(output[-2000:], file=sys.stderr)
    record |= {"cpu_seconds": round(cpu), "executions": executions, "edges": edges}
    kinds = _keep(name, folder)
    record["findings"] = kinds
    (HERE / "logs").mkdir(exist_ok=True)
    with (HERE / "logs" / f"{name}.log").open("a", encoding="utf-8") as log:
        log.write(json.dumps(record, ensure_ascii=False) + "\n")
    print(json.dumps(record, ensure_ascii=False), flush=True)
    shutil.rmtree(folder)
    return len(kinds)


def _run(name: str, folder: Path, seconds: float, seed: int) -> tuple[float, str]:
    """Run one process; return its CPU time and what libFuzzer printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "fuzz.worker", name, str(folder), str(seconds), str(seed)]
    settings = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0", WORKSHOP: str(workshop())}
    printed = folder / "printed"
    with printed.open("wb") as stream:
        subprocess.run(command, stdout=stream, stderr=subprocess.STDOUT, env=settings, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = folder / "seconds"
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if told.exists():  # it ended by itself: without what it took to begin
        used = float(told.read_text())
        told.unlink()
    return used, printed.read_text(errors="replace")


def _keep(name: str, folder: Path) -> list[str]:
    """Keep what was found, say how to see it again, and return the kinds."""
    kinds = []
    for case in sorted([*(folder / "findings").glob("*[!t]"), *folder.glob("crash-*")]):
        told = case.with_suffix(".txt")
        kind = told.read_text().split("\n", 1)[0] if told.exists() else f"the process ended: {case.name[:40]}"
        target = HERE / "findings" / name / case.name
        target.parent.mkdir(parents=True, exist_ok=True)
        for each in (case, told):
            if each.exists():
                shutil.copy(each, target.with_suffix(each.suffix))
        kinds.append(kind)
        print(f"{name}: {kind}\n  python -m fuzz {name} --replay {target}", flush=True)
    return kinds


def _version() -> str:
    """Return the version of comparanda, and the commit it is at."""
    from comparanda import __version__

    found = subprocess.run(
        ["git", "-C", HERE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    return f"{__version__} {found.stdout.strip()}".strip()


if __name__ == "__main__":
    raise SystemExit(main())
