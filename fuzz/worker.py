"""One run of libFuzzer over one target, in a process of its own: `python -m fuzz.worker TARGET FOLDER SECONDS SEED`.

Findings are written to the folder and the run goes on: each kind once, by its smallest case. A kind is what was raised
and the innermost line of comparanda in which that happened.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import os
import pkgutil
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import atheris

from fuzz.target import Target

SLOW = 5.0
"""The most CPU seconds of one case of some thousand bytes; the instrumented code is several times slower."""

MEMORY = 6 << 30
FULL = 2 << 20
"""So many KiB a process may grow to before another one goes on: the tracing itself keeps some memory for each case."""

SECONDS = "seconds"
"""The file with the CPU time that was spent on cases."""

_UNUSED = ("comparanda.report", "comparanda.render", "comparanda.feedback", "comparanda.__main__")


class Hang(BaseException):
    """A case took too long. No `except Exception` on the way may catch it."""


def instrumented() -> None:
    """Import all of comparanda that reads or judges, in a form that counts which edges were taken."""
    with atheris.instrument_imports(include=["comparanda"]):
        package = importlib.import_module("comparanda")
        for module in pkgutil.walk_packages(package.__path__, "comparanda."):
            if not module.name.startswith(_UNUSED):
                importlib.import_module(module.name)


def kind_of(problem: BaseException) -> str:
    """Return the kind of a finding: the exception, and where it was raised."""
    frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if "comparanda" in frame.filename]
    place = "harness"
    if frames and not isinstance(problem, RecursionError):
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}"
    elif frames:
        names = [f"{Path(frame.filename).name}:{frame.name}" for frame in frames]
        place = max(set(names), key=names.count)
    what = f" ({str(problem)[:60]})" if type(problem).__name__ == "Contradiction" else ""
    return f"{type(problem).__name__} at {place}{what}"


class Findings:
    """What was found so far, in a folder: for each kind the smallest case, and its traceback beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.smallest: dict[str, int] = {}

    def add(self, problem: BaseException, data: bytes) -> None:
        """Keep a finding, if it is a new one or a smaller case of a known one."""
        kind = kind_of(problem)
        if len(data) >= self.smallest.get(kind, sys.maxsize):
            return
        self.smallest[kind] = len(data)
        name = hashlib.sha256(kind.encode()).hexdigest()[:12]
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_bytes(data)
        told = "".join(traceback.format_exception(problem))
        (self.folder / f"{name}.txt").write_text(f"{kind}\n\n{told}", errors="backslashreplace")


def limited() -> None:
    """Bound memory, turn warnings into errors, and let a case that takes too long end by an exception."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("error")

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise Hang(f"more than {SLOW:g} s of CPU time")

    signal.signal(signal.SIGVTALRM, ring)


def tried(target: Target, data: bytes, findings: Findings) -> None:
    """Try one case, and keep what it finds."""
    signal.setitimer(signal.ITIMER_VIRTUAL, SLOW)
    try:
        target.run(data)
    except (Exception, Hang) as problem:
        findings.add(problem, data)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def fuzz(target: Target, folder: Path, seconds: float, seed: int) -> None:
    """Let libFuzzer try cases until the time is over; it prints how many there were and what they covered."""
    from fuzz.mutations import changed, crossed

    findings = Findings(folder / "findings")
    begin = time.process_time()

    def one(data: bytes) -> None:
        tried(target, data, findings)
        used = time.process_time() - begin
        if used > seconds or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > FULL:
            (folder / SECONDS).write_text(str(used))
            os.kill(os.getpid(), signal.SIGUSR1)

    def mutate(data: bytes, longest: int, number: int) -> bytes:
        draw = Random(number)
        if draw.random() < 0.25:
            return bytes(atheris.Mutate(data, longest))
        return changed(draw, data, target.words, longest)

    def cross(data: bytes, other: bytes, longest: int, number: int) -> bytes:
        return crossed(Random(number), data, other, longest)

    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, each in enumerate(_within(target)):
        (corpus / f"seed-{number:04}").write_bytes(each)
    options = [f"-seed={seed}", f"-max_len={target.longest}", "-len_control=0", "-timeout=300", "-rss_limit_mb=0",
               "-report_slow_units=9999", f"-artifact_prefix={folder}/crash-", "-handle_usr1=1", "-print_final_stats=1",
               "-reload=0"]  # fmt: skip
    atheris.Setup([sys.argv[0], str(corpus), *options], one, custom_mutator=mutate, custom_crossover=cross)
    atheris.Fuzz()


def _within(target: Target) -> Iterator[bytes]:
    for each in target.seeds():
        if len(each) <= target.longest:
            yield each


def main(arguments: list[str]) -> None:
    """Fuzz one target."""
    name, folder, seconds, seed = arguments
    instrumented()
    from fuzz.targets import targets

    limited()
    fuzz(targets()[name], Path(folder), float(seconds), int(seed))


def replay(target: Target, data: bytes) -> Any:
    """Try one case without any net."""
    warnings.simplefilter("error")
    return target.run(data)


if __name__ == "__main__":
    main(sys.argv[1:])
