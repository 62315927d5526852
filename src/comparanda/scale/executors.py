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
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from multiprocessing.connection import Connection, wait
from typing import Protocol

from comparanda.errors import InputError, UsageError
from comparanda.scale.index import Batch, Look, Opened, Placed, Row, placed_again
from comparanda.scale.part import Files, Job, judge_part

TRIES = 3
"""How often a part may end its worker."""

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Workers share the cores among themselves, so each computes with one thread."""


Judged = Generator[tuple[int, Files], None, None]
"""Parts as they are done: their numbers and files. Who stops asking closes it, so that nobody works on."""


class PartError(InputError):
    """A part could not be judged, for no fault of its inputs."""


class Crew(Protocol):
    """Judges parts and gives them back as they are done, in any order."""

    def run(self, job: Job, numbers: Sequence[int]) -> Judged:
        """Judge some parts."""


class Alone:
    """The process itself, one part after the other."""

    def run(self, job: Job, numbers: Sequence[int]) -> Judged:
        """Judge some parts."""
        for number in numbers:
            yield number, judge_part(job, number)


class Processes:
    """Several processes of this machine.

    Args:
        count: how many.

    """

    def __init__(self, count: int) -> None:
        if sys.platform == "win32":
            raise UsageError(
                "there are no --workers on Windows",
                hint="start a local cluster and give its address: --scheduler tcp://…",
            )
        self.count = count

    def run(self, job: Job, numbers: Sequence[int]) -> Judged:
        """Judge some parts; a part whose worker dies is tried again, one that raises ends the run."""
        waiting, tries, failed = list(reversed(numbers)), dict.fromkeys(numbers, 0), Failures()
        busy: dict[Connection, tuple[Worker, int]] = {}
        idle = [Worker() for _ in range(min(self.count, len(numbers)))]
        try:
            while (waiting and not failed) or failed.may_come_earlier(number for _, number in busy.values()):
                while waiting and idle and not failed:
                    worker, number = idle.pop(), waiting.pop()
                    busy[worker.answers] = worker, number
                    worker.give(job.only(number))
                for answers in wait(list(busy)):
                    assert isinstance(answers, Connection)
                    worker, number = busy.pop(answers)
                    found = worker.answer()
                    if isinstance(found, str):
                        worker.stop()
                        worker = Worker()
                        tries[number] += 1
                        waiting.append(number)
                    idle.append(worker)
                    if isinstance(found, dict):
                        yield number, found
                    elif isinstance(found, Exception):
                        failed[number] = found
                    elif tries[number] == TRIES:
                        failed[number] = lost(number, job, f"{TRIES} times", found)
        finally:
            for worker in (*idle, *(each for each, _ in busy.values())):
                worker.stop()
        failed.tell()


class Failures(dict[int, Exception]):
    """What went wrong with which part. The first part's error is told, whichever came first: as in one go."""

    def may_come_earlier(self, numbers: Iterable[int]) -> bool:
        """Whether one of the parts that are being judged stands before all that failed."""
        return any(not self or number < min(self) for number in numbers)

    def tell(self) -> None:
        """Raise the error of the first part that failed."""
        if self:
            raise self[min(self)]


def lost(number: int, job: Job, often: str, why: str) -> PartError:
    """Make the error for a part whose workers die."""
    return PartError(
        f"part {number + 1:,} of {len(job.plan.parts):,} ended its worker {often}",
        details=[why],
        hint="if memory is short, give less: --memory 1G, or fewer --workers; run again to go on where it stopped",
    )


class Worker:
    """One process: takes parts and answers with their files, or looks through inputs; or says what went wrong."""

    def __init__(self) -> None:
        mine, theirs = os.pipe(), os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "comparanda.scale.worker", str(theirs[0]), str(mine[1])],
            pass_fds=(theirs[0], mine[1]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=_environment(),
            start_new_session=True,  # Ctrl-C is for this process, which stops the others
        )
        os.close(theirs[0])
        os.close(mine[1])
        self.answers = Connection(mine[0], writable=False)
        self._tasks = Connection(theirs[1], readable=False)

    def give(self, task: Job | Look) -> None:
        """Let it judge a part, or look through inputs."""
        with contextlib.suppress(OSError):  # it is dead: its answers end too, and say so
            self._tasks.send_bytes(packed_task(task))

    def answer(self) -> Files | Exception | str:
        """Return the files of a part, the error that it raised, or why there is no answer."""
        found = self._received()
        return found if isinstance(found, str) else unpacked(found)

    def batch(self) -> Batch | Exception | str:
        """Return some of the documents that it has found, the error that was raised, or why there is no answer."""
        found = self._received()
        return found if isinstance(found, str) else pickle.loads(found)

    def _received(self) -> bytes | str:
        try:
            return self.answers.recv_bytes()
        except (EOFError, OSError):
            code = self._process.wait()
            return f"killed by {signal.Signals(-code).name}" if code < 0 else f"it ended with code {code}"

    def stop(self) -> None:
        """End the process."""
        self._tasks.close()
        self.answers.close()
        self._process.kill()
        self._process.wait()


def _environment() -> dict[str, str]:
    """Return the environment of a worker, which finds modules where this process finds them and nowhere else."""
    path = os.pathsep.join(each or os.getcwd() for each in sys.path)
    return {**ONE_THREAD, **os.environ, "PYTHONPATH": path}


def run_worker(tasks: Iterable[bytes], send: Callable[[bytes], None]) -> None:
    """Judge the parts that come in, until there are no more or nobody listens."""
    for task in tasks:
        try:
            for data in answers(task):
                send(data)
        except OSError:
            return


def packed_task(task: Job | Look) -> bytes:
    """Pack a job of one part, or what to look through, for another process."""
    try:
        return pickle.dumps(task)
    except Exception as problem:  # whatever objects raise that were given as settings
        what = f"the settings cannot be sent to workers: {problem}"
        raise UsageError(what, hint="give names, files or plain data in place of other objects") from None


def answers(task: bytes) -> Iterator[bytes]:
    """Judge a part that was packed, or look through inputs; pack what is found, or the error that it raised."""
    try:
        given: Job | Look = pickle.loads(task)
        yield from map(pickle.dumps, given.batches() if isinstance(given, Look) else [judge_part(given, 0)])
    except Exception as problem:
        try:
            data = pickle.dumps(problem)
            pickle.loads(data)  # some can be packed, but not unpacked
        except Exception:
            data = pickle.dumps(RuntimeError(f"{type(problem).__name__}: {problem}"))
        yield data


def unpacked(answer: bytes) -> Files | Exception:
    """Return the files of a part, or the error that it raised."""
    found: Files | Exception = pickle.loads(answer)
    return found


# Processes of this machine that look through inputs for this one.


class LostError(Exception):
    """A process that looked through inputs is gone."""


@contextmanager
def looked_through(sides: Sequence[Opened], processes: int) -> Iterator[list[Iterator[Placed]]]:
    """Give the documents of each side, one after the other, as some processes find them.

    These stay a few documents ahead: who asks for those of all sides in turn keeps little of any.
    """
    groups = [list(range(first, len(sides), processes)) for first in range(min(processes, len(sides)))]
    workers = [Worker() for _ in groups]
    try:
        found: dict[int, Iterator[Placed]] = {}
        for worker, numbers in zip(workers, groups, strict=True):
            mine = [sides[number] for number in numbers]
            worker.give(Look.at(mine))
            told = _Told(worker, len(mine))
            found |= {number: _placed(told, place, sides[number]) for place, number in enumerate(numbers)}
        yield [found[number] for number in range(len(sides))]
    finally:
        for worker in workers:
            worker.stop()


class _Told:
    """What a process has told of its sides and nobody has asked for yet."""

    def __init__(self, worker: Worker, sides: int) -> None:
        self._worker = worker
        self._waiting: list[deque[list[Row]]] = [deque() for _ in range(sides)]

    def next(self, side: int) -> list[Row]:
        """Return the next documents of a side; none if there are no more."""
        while not self._waiting[side]:
            found = self._worker.batch()
            if isinstance(found, str):
                raise LostError(found)
            if isinstance(found, Exception):
                raise found
            self._waiting[found[0]].append(found[1])
        return self._waiting[side].popleft()


def _placed(told: _Told, place: int, side: Opened) -> Iterator[Placed]:
    yield from placed_again(side, chain.from_iterable(iter(lambda: told.next(place), [])))
    side.refuse_changed()
