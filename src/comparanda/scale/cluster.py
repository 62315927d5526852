"""Parts judged by the workers of a Dask cluster.

A part travels by itself, so nothing that a worker holds is missed when it dies: the scheduler gives it to another.
When the scheduler itself is lost, the parts that are not done are given to the one that stands at its address then.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import secrets
from collections import deque
from collections.abc import Iterator, Sequence
from queue import Empty, SimpleQueue
from threading import Lock
from time import monotonic, sleep
from typing import TYPE_CHECKING

from comparanda.errors import InputError, MissingExtraError, UsageError
from comparanda.scale.executors import Failures, Judged, answers, lost, packed_task, unpacked
from comparanda.version import __version__

if TYPE_CHECKING:
    from distributed import Client, Future

    from comparanda.scale.part import Files, Job

OUTAGES = 3
"""How often a scheduler may be lost without a part having been done in between."""

PATIENCE = 120.0
"""How many seconds a scheduler may be away, or have no worker."""

_CONNECTING = 10.0
_ANSWERING = 600.0
_TICK = 1.0
_NAME = "comparanda"
_ONE_PART = Lock()


class ClusterError(InputError):
    """A cluster cannot be reached, is gone, or cannot judge parts for this program."""


class _OutageError(Exception):
    """The scheduler, or what it knew, is lost."""


class Cluster:
    """The workers of a Dask cluster.

    Args:
        scheduler: its address, or a client that is connected to it.
        patience: how many seconds it may be away, or have no worker.

    """

    def __init__(self, scheduler: str | Client, patience: float | None = None) -> None:
        try:
            import distributed
        except ImportError:
            what = "parts are given to a cluster by the package distributed, which is not installed"
            raise MissingExtraError(what, hint="pip install 'comparanda[cluster]'") from None
        if not isinstance(scheduler, str | distributed.Client):
            raise UsageError(f"scheduler: an address or a distributed.Client, not {type(scheduler).__name__}")
        if isinstance(scheduler, str):
            _check_address(scheduler)
        elif scheduler.asynchronous:
            raise UsageError("scheduler: the client is asynchronous", hint="Client(…, asynchronous=False)")
        self._scheduler, self._patience = scheduler, PATIENCE if patience is None else patience

    def run(self, job: Job, numbers: Sequence[int]) -> Judged:
        """Judge some parts; what is not done when the scheduler is lost is given to its successor."""
        left, outages = dict.fromkeys(numbers), 0
        with _Line(self._scheduler, self._patience) as line:
            while left:
                try:
                    for number, files in _judged(line, job, list(left)):
                        del left[number]
                        outages = 0
                        yield number, files
                except _OutageError as reason:
                    outages += 1
                    if outages > OUTAGES or not line.again():
                        raise _gone(line.address, str(reason), len(job.plan.parts), len(left)) from None


def _check_address(address: str) -> None:
    """Refuse what is no address, before a client stumbles over it."""
    from distributed.comm import resolve_address

    try:
        resolve_address(address)
    except ValueError as problem:
        raise UsageError(f"scheduler {address!r}: {problem}", hint="an address: tcp://HOST:8786") from None
    except OSError:
        return  # the host is not known, now: connecting will tell


def _gone(address: str, reason: str, count: int, left: int) -> ClusterError:
    return ClusterError(
        f"the cluster at {address} is gone: {count - left:,} of {count:,} parts are done",
        details=[reason],
        hint="run again to go on; what is done is kept if the result has a folder",
    )


class _Line:
    """The connection to a scheduler: one that was given, or made here, and made again when it is lost."""

    def __init__(self, scheduler: str | Client, patience: float) -> None:
        self.patience = patience
        self._given = None if isinstance(scheduler, str) else scheduler
        self._own: Client | None = None
        self.address = scheduler if isinstance(scheduler, str) else scheduler.scheduler.address
        self._levels: dict[str, int] = {}

    def __enter__(self) -> _Line:
        try:
            if self._given is None:
                self._silence()
                self._own = self._connected()
            _check_versions(self.client)
        except OSError as problem:
            self.__exit__()
            what = f"there is no scheduler at {self.address}"
            raise ClusterError(what, details=[str(problem)], hint="start one: dask scheduler") from None
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
        for name, level in self._levels.items():
            logging.getLogger(name).setLevel(level)

    @property
    def client(self) -> Client:
        """The client to give parts to."""
        client = self._own or self._given
        assert client is not None
        return client

    def _connected(self) -> Client:
        from distributed import Client

        security = None if self._given is None else self._given.security
        return Client(self.address, timeout=_CONNECTING, set_as_default=False, name=_NAME, security=security)

    def again(self) -> bool:
        """Connect once more, for as long as patience lasts; return whether that succeeded."""
        self._close()
        until = monotonic() + self.patience
        while monotonic() < until:
            if self._given is not None and self._given.status == "running":
                return True
            try:
                self._own = self._connected()
            except OSError:
                sleep(_TICK)
            else:
                return True
        return False

    def _close(self) -> None:
        if self._own is not None:
            with contextlib.suppress(Exception):  # the other side may be gone
                self._own.close(timeout=_CONNECTING)
            self._own = None

    def _silence(self) -> None:
        """Keep Dask from writing to the terminal what is told in one message here."""
        for name in [each for each in logging.root.manager.loggerDict if each.partition(".")[0] == "distributed"]:
            self._levels[name] = logging.getLogger(name).level
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _check_versions(client: Client) -> None:
    """Refuse a cluster that has another version of this program: its numbers might be others."""
    found = client.get_versions(packages=[_NAME])
    assert isinstance(found, dict)
    for who, each in [("the scheduler", found["scheduler"]), *found["workers"].items()]:
        version = each["packages"].get(_NAME)
        if version != __version__:
            raise _other_version(who, version, __version__)


def _other_version(who: str, theirs: str | None, ours: str) -> ClusterError:
    what = f"{who} has comparanda {theirs}, not {ours}" if theirs else f"{who} has no comparanda"
    return ClusterError(what, hint=f"install it there: pip install 'comparanda=={ours}'")


def _judged(line: _Line, job: Job, numbers: Sequence[int]) -> Judged:
    """Give parts to the workers, a few more than they can judge at a time, and take back what is done."""
    waiting, failed = deque(numbers), Failures()
    flying: dict[str, tuple[Future, int]] = {}
    ended: SimpleQueue[str] = SimpleQueue()
    try:
        while (waiting and not failed) or failed.may_come_earlier(number for _, number in flying.values()):
            room = 0 if failed else 2 * len(_workers(line.client)) + 2 - len(flying)
            for number in [waiting.popleft() for _ in range(min(room, len(waiting)))]:
                future = _given(line.client, job, number)
                flying[future.key] = future, number
                future.add_done_callback(lambda future: ended.put(future.key))
            future, number = flying.pop(_next(ended, line))
            found = _taken(future, job, number)
            if isinstance(found, dict):
                yield number, found
            else:
                failed[number] = found
    finally:
        for future, _ in flying.values():
            future.release()
    failed.tell()


def _given(client: Client, job: Job, number: int) -> Future:
    """Give a part to the cluster."""
    key = f"comparanda-part-{number + 1}-{secrets.token_hex(8)}"
    task = packed_task(job.only(number))
    with _outages(client):
        return client.submit(judge_elsewhere, __version__, os.getcwd(), task, key=key, pure=False)


def judge_elsewhere(version: str, folder: str, task: bytes) -> bytes:
    """Judge a part for a program that runs in some folder, on a worker of a cluster.

    One part at a time, however many threads the worker has: a part is to fill what memory there is for one, and
    relative paths are those of the program that asks.
    """
    if version != __version__:
        return pickle.dumps(_other_version("a worker", __version__, version))
    with _ONE_PART, contextlib.chdir(folder) if os.path.isdir(folder) else contextlib.nullcontext():
        return next(answers(task))


def _next(ended: SimpleQueue[str], line: _Line) -> str:
    """Wait until a part is done, or will not be; return its key."""
    seen = monotonic()
    while True:
        try:
            return ended.get(timeout=_TICK)
        except Empty:
            if _workers(line.client):
                seen = monotonic()
                continue
        if monotonic() - seen > line.patience:
            raise ClusterError(
                f"the cluster at {line.address} has had no workers for {line.patience:.0f} seconds",
                hint="start some and run again to go on: dask worker ADDRESS --nthreads 1",
            )


def _workers(client: Client) -> dict[str, int]:
    """Return the threads of each worker that there is."""
    scheduler = client.scheduler
    if client.status != "running" or scheduler is None:
        raise _OutageError("the connection to the scheduler is closed")
    with _outages(client):
        found: dict[str, int] = client.sync(scheduler.ncores, callback_timeout=_CONNECTING)
        return found


def _taken(future: Future, job: Job, number: int) -> Files | Exception:
    """Return the files of a part, or why there are none."""
    from distributed import KilledWorker

    with _outages(future.client):
        try:
            return unpacked(future.result(timeout=_ANSWERING))
        except KilledWorker as problem:
            often = f"{problem.allowed_failures + 1} times"
            return lost(number, job, often, f"the last was {problem.last_worker.address}")
        finally:
            future.release()


@contextlib.contextmanager
def _outages(client: Client) -> Iterator[None]:
    """Take what Dask raises when it has lost the scheduler, or the scheduler its tasks, for an outage."""
    from distributed import CancelledError

    try:
        yield
    except Exception as problem:
        if not isinstance(problem, CancelledError | TimeoutError | OSError) and client.status == "running":
            raise
        raise _OutageError(f"{type(problem).__name__}: {problem}") from None
