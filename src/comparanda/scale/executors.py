"""Executors of parts: this process, or several worker processes on this machine.

Workers are separate processes that run `python -m comparanda.scale.worker`, not forks of this one, so they are affected
neither by its threads nor by the caller's script. A worker that dies is replaced, and its part is given to another.
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

from comparanda.core.threads import ONE_THREAD
from comparanda.errors import InputError, UsageError
from comparanda.scale.index import Batch, IndexTask, Opened, Placed, Row, placed_again
from comparanda.scale.part import Files, Job, evaluate_part

TRIES = 3
"""The number of workers that a part may terminate."""


Judged = Generator[tuple[int, Files], None, None]
"""The numbers and files of parts as they are finished. Closing the generator stops the workers."""


class PartError(InputError):
    """A part could not be evaluated, for a reason other than its inputs."""


class Executor(Protocol):
    """Evaluates parts and yields them as they are finished, in any order."""

    def run(self, job: Job, numbers: Sequence[int]) -> Judged:
        """Evaluate some parts."""


class InlineExecutor:
    """Evaluates parts in this process, one after the other."""

    def run(self, job: Job, numbers: Sequence[int]) -> Judged:
        """Evaluate some parts."""
        for number in numbers:
            yield number, evaluate_part(job, number)


class Processes:
    """Evaluates parts in several processes of this machine.

    Args:
        count: the number of processes.

    """

    def __init__(self, count: int) -> None:
        if sys.platform == "win32":
            raise UsageError(
                "--workers is not available on Windows",
                hint="start a local cluster and give its address: --scheduler tcp://…",
            )
        self.count = count

    def run(self, job: Job, numbers: Sequence[int]) -> Judged:
        """Evaluate some parts; retry a part whose worker dies, stop the run if a part raises an error."""
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
                        failed[number] = make_lost_error(number, job, f"{TRIES} times", found)
        finally:
            for worker in (*idle, *(each for each, _ in busy.values())):
                worker.stop()
        failed.raise_first()


class Failures(dict[int, Exception]):
    """The errors of parts. That of the first part is raised, as in an undivided comparison, whichever came first."""

    def may_come_earlier(self, numbers: Iterable[int]) -> bool:
        """Whether one of the running parts precedes all failed ones."""
        return any(not self or number < min(self) for number in numbers)

    def raise_first(self) -> None:
        """Raise the error of the first part that failed."""
        if self:
            raise self[min(self)]


def make_lost_error(number: int, job: Job, often: str, why: str) -> PartError:
    """Make the error for a part that terminates its workers."""
    return PartError(
        f"part {number + 1:,} of {len(job.plan.parts):,} terminated its worker {often}",
        details=[why],
        hint="if memory is short, set --memory 1G or use fewer --workers; run again to resume where it stopped",
    )


class Worker:
    """A worker process, which evaluates parts or indexes inputs, and answers with results or errors."""

    def __init__(self) -> None:
        mine, theirs = os.pipe(), os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "comparanda.scale.worker", str(theirs[0]), str(mine[1])],
            pass_fds=(theirs[0], mine[1]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=_environment(),
            start_new_session=True,  # Ctrl-C reaches only this process, which stops the others
        )
        os.close(theirs[0])
        os.close(mine[1])
        self.answers = Connection(mine[0], writable=False)
        self._tasks = Connection(theirs[1], readable=False)

    def give(self, task: Job | IndexTask) -> None:
        """Send a part to evaluate, or inputs to index."""
        with contextlib.suppress(OSError):  # it is dead, which reading its answer reports
            self._tasks.send_bytes(packed_task(task))

    def answer(self) -> Files | Exception | str:
        """Receive the files of a part, the error that it raised, or the reason why there is no answer."""
        found = self._receive()
        return found if isinstance(found, str) else unpack_answer(found)

    def batch(self) -> Batch | Exception | str:
        """Receive a batch of indexed documents, the error that was raised, or the reason why there is no answer."""
        found = self._receive()
        return found if isinstance(found, str) else pickle.loads(found)

    def _receive(self) -> bytes | str:
        try:
            return self.answers.recv_bytes()
        except (EOFError, OSError):
            code = self._process.wait()
            return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exited with code {code}"

    def stop(self) -> None:
        """End the process."""
        self._tasks.close()
        self.answers.close()
        self._process.kill()
        self._process.wait()


def _environment() -> dict[str, str]:
    """Return the environment of a worker, which uses the same module path as this process."""
    path = os.pathsep.join(each or os.getcwd() for each in sys.path)
    return {**ONE_THREAD, **os.environ, "PYTHONPATH": path}


def run_worker(tasks: Iterable[bytes], send: Callable[[bytes], None]) -> None:
    """Process incoming tasks until there are no more or the connection is closed."""
    for task in tasks:
        try:
            for data in answer_task(task):
                send(data)
        except OSError:
            return


def packed_task(task: Job | IndexTask) -> bytes:
    """Serialise the job of one part, or an indexing task, for another process."""
    try:
        return pickle.dumps(task)
    except Exception as problem:  # objects given as settings may raise anything
        what = f"the settings cannot be sent to workers: {problem}"
        raise UsageError(what, hint="use names, files or plain data in place of other objects") from None


def answer_task(task: bytes) -> Iterator[bytes]:
    """Process a serialised task: evaluate a part or index inputs; serialise the results, or the error raised."""
    try:
        given: Job | IndexTask = pickle.loads(task)
        yield from map(pickle.dumps, given.batches() if isinstance(given, IndexTask) else [evaluate_part(given, 0)])
    except Exception as problem:
        try:
            data = pickle.dumps(problem)
            pickle.loads(data)  # some exceptions can be pickled, but not unpickled
        except Exception:
            data = pickle.dumps(RuntimeError(f"{type(problem).__name__}: {problem}"))
        yield data


def unpack_answer(answer: bytes) -> Files | Exception:
    """Deserialise the files of a part, or the error that it raised."""
    found: Files | Exception = pickle.loads(answer)
    return found


# Indexing inputs in other processes of this machine.


class LostError(Exception):
    """An indexing process has died."""


@contextmanager
def index_workers(sides: Sequence[Opened], processes: int) -> Iterator[list[Iterator[Placed]]]:
    """Index all sides in several processes; give an iterator over the documents of each side.

    The processes stay only a few documents ahead: reading all sides in step keeps the buffers small.
    """
    groups = [list(range(first, len(sides), processes)) for first in range(min(processes, len(sides)))]
    workers = [Worker() for _ in groups]
    try:
        found: dict[int, Iterator[Placed]] = {}
        for worker, numbers in zip(workers, groups, strict=True):
            mine = [sides[number] for number in numbers]
            worker.give(IndexTask.at(mine))
            stream = _IndexStream(worker, len(mine))
            found |= {number: _stream_documents(stream, place, sides[number]) for place, number in enumerate(numbers)}
        yield [found[number] for number in range(len(sides))]
    finally:
        for worker in workers:
            worker.stop()


class _IndexStream:
    """The documents that a process has indexed, buffered by side until they are requested."""

    def __init__(self, worker: Worker, sides: int) -> None:
        self._worker = worker
        self._waiting: list[deque[list[Row]]] = [deque() for _ in range(sides)]

    def next(self, side: int) -> list[Row]:
        """Return the next documents of a side; an empty list if there are no more."""
        while not self._waiting[side]:
            found = self._worker.batch()
            if isinstance(found, str):
                raise LostError(found)
            if isinstance(found, Exception):
                raise found
            self._waiting[found[0]].append(found[1])
        return self._waiting[side].popleft()


def _stream_documents(stream: _IndexStream, place: int, side: Opened) -> Iterator[Placed]:
    yield from placed_again(side, chain.from_iterable(iter(lambda: stream.next(place), [])))
    side.refuse_changed()
