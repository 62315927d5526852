"""Who judges the parts: this process, or several processes of this machine.

Workers are processes of their own that run `python -m comparanda.scale.worker`: no copies of this one, so that neither
threads nor the caller's script are in their way. A worker that dies is replaced, and its part is given to another.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Protocol

from comparanda.errors import InputError
from comparanda.scale.judging import Files, Job, judge_part

TRIES = 3
"""How often a part may end its worker."""


class PartError(InputError):
    """A part could not be judged, for no fault of its inputs."""


class Crew(Protocol):
    """Judges parts and gives them back as they are done, in any order."""

    def run(self, job: Job, numbers: Sequence[int]) -> Iterator[tuple[int, Files]]:
        """Judge some parts."""


class Alone:
    """The process itself, one part after the other."""

    def run(self, job: Job, numbers: Sequence[int]) -> Iterator[tuple[int, Files]]:
        """Judge some parts."""
        for number in numbers:
            yield number, judge_part(job, number)


class Processes:
    """Several processes of this machine.

    Args:
        count: how many.

    """

    def __init__(self, count: int) -> None:
        self.count = count

    def run(self, job: Job, numbers: Sequence[int]) -> Iterator[tuple[int, Files]]:
        """Judge some parts; a part whose worker dies is tried again."""
        waiting, tries = list(reversed(numbers)), dict.fromkeys(numbers, 0)
        busy: dict[Connection, tuple[_Worker, int]] = {}
        idle = [_Worker(job) for _ in range(min(self.count, len(numbers)))]
        try:
            while waiting or busy:
                while waiting and idle:
                    worker = idle.pop()
                    busy[worker.answers] = worker, waiting.pop()
                    worker.give(busy[worker.answers][1])
                for answers in wait(list(busy)):
                    assert isinstance(answers, Connection)
                    worker, number = busy.pop(answers)
                    found = worker.answer()
                    if isinstance(found, dict):
                        idle.append(worker)
                        yield number, found
                        continue
                    worker.stop()
                    if isinstance(found, Exception):
                        raise found
                    tries[number] += 1
                    if tries[number] == TRIES:
                        raise _lost(number, len(job.plan.parts), found)
                    waiting.append(number)
                    idle.append(_Worker(job))
        finally:
            for worker in (*idle, *(each for each, _ in busy.values())):
                worker.stop()


def _lost(number: int, count: int, why: str) -> PartError:
    return PartError(
        f"part {number + 1:,} of {count:,} ended its worker {TRIES} times",
        details=[why],
        hint="if memory is short, give less: --memory 1G, or fewer --workers; run again to go on where it stopped",
    )


class _Worker:
    """One process: takes numbers of parts, answers with their files or with what went wrong."""

    def __init__(self, job: Job) -> None:
        mine, theirs = os.pipe(), os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "comparanda.scale.worker", str(theirs[0]), str(mine[1])],
            pass_fds=(theirs[0], mine[1]),
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for this process, which stops the others
        )
        os.close(theirs[0])
        os.close(mine[1])
        self.answers = Connection(mine[0], writable=False)
        self._tasks = Connection(theirs[1], readable=False)
        self._send(pickle.dumps(job))

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def give(self, number: int) -> None:
        """Let it judge a part."""
        self._send(pickle.dumps(number))

    def _send(self, data: bytes) -> None:
        with contextlib.suppress(OSError):  # it is dead: its answers end too, and say so
            self._tasks.send_bytes(data)

    def answer(self) -> Files | Exception | str:
        """Return the files of a part, the error that it raised, or why there is no answer."""
        try:
            found: Files | Exception | str = pickle.loads(self.answers.recv_bytes())
        except (EOFError, OSError):
            code = self._process.wait()
            return f"killed by {signal.Signals(-code).name}" if code < 0 else f"it ended with code {code}"
        return found

    def stop(self) -> None:
        """End the process."""
        self._tasks.close()
        self.answers.close()
        self._process.kill()
        self._process.wait()


def run_worker(tasks: Connection, answers: Connection, judge: Callable[[Job, int], Files] = judge_part) -> None:
    """Judge the parts whose numbers come in, until there are no more."""
    job: Job = pickle.loads(tasks.recv_bytes())
    while True:
        try:
            number: int = pickle.loads(tasks.recv_bytes())
        except EOFError:
            return
        answers.send_bytes(_answer(job, number, judge))


def _answer(job: Job, number: int, judge: Callable[[Job, int], Files]) -> bytes:
    """Return what to send back for a part: its files, or the error that it raised, whatever it is."""
    try:
        return pickle.dumps(judge(job, number))
    except Exception as problem:
        try:
            return pickle.dumps(problem)
        except Exception:
            return pickle.dumps(RuntimeError(f"{type(problem).__name__}: {problem}"))
