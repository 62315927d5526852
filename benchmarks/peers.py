"""Time comparanda and its peers on the same files, and check that their numbers agree: `python -m benchmarks.peers`.

One run makes an environment of its own (`.venv-peers`) with the project and pinned peers, looks at each peer before
installing it, and prints a table. Every case runs in a process of its own: both programs answer once, their numbers
are compared, then both are timed in turn, in an order shuffled anew each round. Figures are CPU time, from files to
numbers; the minimum of five rounds counts, imports stand outside, and all run in one thread.

Ends with 1 if numbers differ for no known reason, if a case fails, if a package is not what its name promises, or if
nothing could be compared.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path

from benchmarks import peer_environment as environment
from benchmarks.peer_cases import resampling, rows, spans, trees
from benchmarks.peer_cases.sides import Case, Outcome, measured, shared

CASES = [*spans.CASES, *trees.CASES, *rows.CASES, *resampling.CASES]
COLUMNS = ("peer", "what", "of", "comparanda, s", "peer, s", "peer / comparanda", "numbers", "agree")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def run_case(number: int, folder: Path, target: Path) -> None:
    """Run one case in this process and write what came of it."""
    target.write_text(json.dumps(asdict(measured(CASES[number].sides(folder)))))


def started(number: int, folder: Path) -> Outcome | str:
    """Run one case in a process of its own; return what came of it, or the last words of a failure."""
    target, home = folder / "outcome.json", folder / "home"
    target.unlink(missing_ok=True)
    home.mkdir(exist_ok=True)
    own = dict.fromkeys(THREADS, "1") | {"HOME": str(home)}  # ranx brings what makes folders in the user's home
    command = [str(environment.python()), "-m", "benchmarks.peers", "case", str(number), str(folder), str(target)]
    done = subprocess.run(
        command,
        cwd=environment.ROOT,
        env=os.environ | own,
        stdout=sys.stderr,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
    return Outcome(**json.loads(target.read_text()))


def row(case: Case, outcome: Outcome) -> str:
    """Write a line of the table."""
    version = next(peer.version for peer in environment.PEERS if peer.name == case.peer)
    agree = "NO" if outcome.unexplained else "yes"
    if outcome.explained:
        agree += f", {len(outcome.explained)} explained"
    cells = (
        f"{case.peer} {version}",
        case.what,
        case.files,
        f"{outcome.ours:.3f}",
        f"{outcome.theirs:.2f}",
        f"{outcome.theirs / outcome.ours:.1f}",
        str(outcome.compared),
        agree,
    )
    return written(cells)


def written(cells: tuple[str, ...]) -> str:
    """Write cells as a line of Markdown."""
    return f"| {' | '.join(cells)} |"


def compare_all(lacking: Collection[str], folder: Path) -> tuple[list[str], int, bool]:
    """Print the table; return what there is to say below it, how many cases were run, and whether all is well."""
    remarks, run, well = [], 0, True
    print(written(COLUMNS), written(("---",) * len(COLUMNS)), sep="\n", flush=True)
    for number, case in enumerate(CASES):
        called = f"{case.peer}, {case.what}, {case.files}"
        if case.peer in lacking:
            continue
        if absent := [path for path in case.real if not shared(path).exists()]:
            remarks.append(f"{called}: skipped, as there is no {shared(absent[0])}")
            continue
        outcome = started(number, folder)
        if isinstance(outcome, str):
            remarks.append(f"{called}: FAILED: {outcome}")
            well = False
            continue
        print(row(case, outcome), flush=True)
        run += 1
        if outcome.explained:
            remarks.append(f"{called}: {outcome.reason}: {'; '.join(outcome.explained)}")
        if outcome.unexplained:
            remarks.append(f"{called}: DIFFERENT: {'; '.join(outcome.unexplained)}")
            well = False
    return remarks, run, well


def main(arguments: list[str]) -> int:
    """Run one case, or make the environment and run all."""
    if arguments[:1] == ["case"]:
        run_case(int(arguments[1]), Path(arguments[2]), Path(arguments[3]))
        return 0
    try:
        lacking = environment.prepare()
    except environment.NotUsable as error:
        print(f"the project cannot be installed in {environment.FOLDER.name}: {error}", file=sys.stderr)
        return 1
    for name, reason in lacking.items():
        print(f"{name}: skipped: {reason}", flush=True)
    with tempfile.TemporaryDirectory(prefix="comparanda-peers-") as folder:
        remarks, run, well = compare_all(lacking, Path(folder))
    print("", *remarks, sep="\n")
    if not run:
        print("nothing was compared", file=sys.stderr)
    mistaken = any(isinstance(each, environment.Mistaken) for each in lacking.values())
    return 0 if well and run and not mistaken else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
