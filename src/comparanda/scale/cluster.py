"""The evaluation of parts by the workers of a Dask cluster.

Tasks are self-contained, so the death of a worker loses no data: the scheduler assigns its part to another worker. When
the scheduler itself is lost, the unfinished parts are submitted to its successor at the same address.
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
from comparanda.scale.executors import Failures, Judged, answer_task, make_lost_error, packed_task, unpack_answer
from comparanda.version import __version__

if TYPE_CHECKING:
    from distributed import Client, Future

    from comparanda.scale.part import Files, Job

OUTAGES = 3
"""The number of consecutive losses of the scheduler, without a finished part between them, that are tolerated."""

PATIENCE = 120.0
"""The number of seconds that a scheduler may be unreachable, or without workers."""

_CONNECT_TIMEOUT = 10.0
_RESULT_TIMEOUT = 600.0
_POLL_INTERVAL = 1.0
_NAME = "comparanda"
_PART_LOCK = Lock()


class ClusterError(InputError):
    """A cluster cannot be reached, is lost, or cannot evaluate parts for this program."""


class _OutageError(Exception):
    """The scheduler, or its state, is lost."""


class Cluster:
    """The workers of a Dask cluster.

    Args:
        scheduler: its address, or a connected client.
        patience: the number of seconds that it may be unreachable, or without workers.

    """

    def __init__(self, scheduler: str | Client, patience: float | None = None) -> None:
        try:
            import distributed
        except ImportError:
            what = "running parts on a cluster requires the package distributed, which is not installed"
            raise MissingExtraError(what, hint="pip install 'comparanda[cluster]'") from None
        if not isinstance(scheduler, str | distributed.Client):
            raise UsageError(f"scheduler: expected an address or a distributed.Client, got {type(scheduler).__name__}")
        if isinstance(scheduler, str):
            _check_address(scheduler)
        elif scheduler.asynchronous:
            raise UsageError("scheduler: the client is asynchronous", hint="use Client(…, asynchronous=False)")
        self._scheduler, self._patience = scheduler, PATIENCE if patience is None else patience

    def run(self, job: Job, numbers: Sequence[int]) -> Judged:
        """Evaluate some parts; submit unfinished ones to the successor of a lost scheduler."""
        left, outages = dict.fromkeys(numbers), 0
        with _Connection(self._scheduler, self._patience) as connection:
            while left:
                try:
                    for number, files in _evaluate_parts(connection, job, list(left)):
                        del left[number]
                        outages = 0
                        yield number, files
                except _OutageError as reason:
                    outages += 1
                    if outages > OUTAGES or not connection.reconnect():
                        raise _cluster_lost_error(
                            connection.address, str(reason), len(job.plan.parts), len(left)
                        ) from None


def _check_address(address: str) -> None:
    """Refuse an invalid address before connecting."""
    from distributed.comm import resolve_address

    try:
        resolve_address(address)
    except ValueError as problem:
        raise UsageError(f"scheduler {address!r}: {problem}", hint="use an address such as tcp://HOST:8786") from None
    except OSError:
        return  # the host name cannot be resolved now: connecting reports that


def _cluster_lost_error(address: str, reason: str, count: int, left: int) -> ClusterError:
    return ClusterError(
        f"lost the cluster at {address}: {count - left:,} of {count:,} parts are done",
        details=[reason],
        hint="run again to resume; finished parts are kept if the result has a folder",
    )


class _Connection:
    """The connection to a scheduler: given or opened here, and reopened when it is lost."""

    def __init__(self, scheduler: str | Client, patience: float) -> None:
        self.patience = patience
        self._given = None if isinstance(scheduler, str) else scheduler
        self._own: Client | None = None
        self.address = scheduler if isinstance(scheduler, str) else scheduler.scheduler.address
        self._levels: dict[str, int] = {}

    def __enter__(self) -> _Connection:
        try:
            if self._given is None:
                self._silence_loggers()
                self._own = self._connect()
            _check_versions(self.client)
        except OSError as problem:
            self.__exit__()
            what = f"no scheduler at {self.address}"
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
        """The client for submitting parts."""
        client = self._own or self._given
        assert client is not None
        return client

    def _connect(self) -> Client:
        from distributed import Client

        security = None if self._given is None else self._given.security
        return Client(self.address, timeout=_CONNECT_TIMEOUT, set_as_default=False, name=_NAME, security=security)

    def reconnect(self) -> bool:
        """Try to reconnect until the patience is exhausted; return whether that succeeded."""
        self._close()
        until = monotonic() + self.patience
        while monotonic() < until:
            if self._given is not None and self._given.status == "running":
                return True
            try:
                self._own = self._connect()
            except OSError:
                sleep(_POLL_INTERVAL)
            else:
                return True
        return False

    def _close(self) -> None:
        if self._own is not None:
            with contextlib.suppress(Exception):  # the scheduler may be gone
                self._own.close(timeout=_CONNECT_TIMEOUT)
            self._own = None

    def _silence_loggers(self) -> None:
        """Silence Dask's loggers, since errors are reported in one message here."""
        for name in [each for each in logging.root.manager.loggerDict if each.partition(".")[0] == "distributed"]:
            self._levels[name] = logging.getLogger(name).level
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _check_versions(client: Client) -> None:
    """Refuse a cluster with another version of this program, whose numbers might differ."""
    found = client.get_versions(packages=[_NAME])
    assert isinstance(found, dict)
    for who, each in [("the scheduler", found["scheduler"]), *found["workers"].items()]:
        version = each["packages"].get(_NAME)
        if version != __version__:
            raise _version_error(who, version, __version__)


def _version_error(who: str, theirs: str | None, ours: str) -> ClusterError:
    what = f"{who} has comparanda {theirs}, expected {ours}" if theirs else f"{who} has no comparanda"
    return ClusterError(what, hint=f"install it there: pip install 'comparanda=={ours}'")


def _evaluate_parts(connection: _Connection, job: Job, numbers: Sequence[int]) -> Judged:
    """Submit parts, slightly more than the workers can process at a time, and yield the finished ones."""
    waiting, failed = deque(numbers), Failures()
    flying: dict[str, tuple[Future, int]] = {}
    ended: SimpleQueue[str] = SimpleQueue()
    try:
        while (waiting and not failed) or failed.may_come_earlier(number for _, number in flying.values()):
            room = 0 if failed else 2 * len(_workers(connection.client)) + 2 - len(flying)
            for number in [waiting.popleft() for _ in range(min(room, len(waiting)))]:
                future = _submit_part(connection.client, job, number)
                flying[future.key] = future, number
                future.add_done_callback(lambda future: ended.put(future.key))
            future, number = flying.pop(_wait_for_part(ended, connection))
            found = _fetch_files(future, job, number)
            if isinstance(found, dict):
                yield number, found
            else:
                failed[number] = found
    finally:
        for future, _ in flying.values():
            future.release()
    failed.raise_first()


def _submit_part(client: Client, job: Job, number: int) -> Future:
    """Submit a part to the cluster."""
    key = f"comparanda-part-{number + 1}-{secrets.token_hex(8)}"
    task = packed_task(job.only(number))
    with _translate_outages(client):
        return client.submit(evaluate_elsewhere, __version__, os.getcwd(), task, key=key, pure=False)


def evaluate_elsewhere(version: str, folder: str, task: bytes) -> bytes:
    """Evaluate a part on a worker of a cluster, for a program running in some folder.

    Parts are evaluated one at a time, however many threads the worker has: a part may use all memory meant for one, and
    relative paths are resolved in the folder of the calling program.
    """
    if version != __version__:
        return pickle.dumps(_version_error("a worker", __version__, version))
    with _PART_LOCK, contextlib.chdir(folder) if os.path.isdir(folder) else contextlib.nullcontext():
        return next(answer_task(task))


def _wait_for_part(ended: SimpleQueue[str], connection: _Connection) -> str:
    """Wait until a part has finished or failed; return its key."""
    seen = monotonic()
    while True:
        try:
            return ended.get(timeout=_POLL_INTERVAL)
        except Empty:
            if _workers(connection.client):
                seen = monotonic()
                continue
        if monotonic() - seen > connection.patience:
            raise ClusterError(
                f"the cluster at {connection.address} has had no workers for {connection.patience:.0f} seconds",
                hint="start workers and run again to resume: dask worker ADDRESS --nthreads 1",
            )


def _workers(client: Client) -> dict[str, int]:
    """Return the number of threads of each worker."""
    scheduler = client.scheduler
    if client.status != "running" or scheduler is None:
        raise _OutageError("the connection to the scheduler is closed")
    with _translate_outages(client):
        found: dict[str, int] = client.sync(scheduler.ncores, callback_timeout=_CONNECT_TIMEOUT)
        return found


def _fetch_files(future: Future, job: Job, number: int) -> Files | Exception:
    """Fetch the files of a part, or the reason why there are none."""
    from distributed import KilledWorker

    with _translate_outages(future.client):
        try:
            return unpack_answer(future.result(timeout=_RESULT_TIMEOUT))
        except KilledWorker as problem:
            often = f"{problem.allowed_failures + 1} times"
            return make_lost_error(number, job, often, f"the last was {problem.last_worker.address}")
        finally:
            future.release()


@contextlib.contextmanager
def _translate_outages(client: Client) -> Iterator[None]:
    """Convert the exceptions that Dask raises when the scheduler or its tasks are lost to outages."""
    from distributed import CancelledError

    try:
        yield
    except Exception as problem:
        if not isinstance(problem, CancelledError | TimeoutError | OSError) and client.status == "running":
            raise
        raise _OutageError(f"{type(problem).__name__}: {problem}") from None
