"""Parts judged by a Dask cluster: the same numbers, whatever happens to its workers and its scheduler."""

from __future__ import annotations

import gc
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import dask
import pytest
from distributed import Client, LocalCluster

import comparanda as cp
from comparanda.scale import cluster, executors
from comparanda.scale.cluster import Cluster, ClusterError, evaluate_elsewhere
from comparanda.scale.executors import PartError
from comparanda.scale.part import Files, Job, evaluate_part
from tests.scale.faults import (
    COMMAND,
    PARTS,
    PROGRAM,
    compared,
    done,
    expected,
    hooks,
    resumed,
    rubbish,
    said,
    until,
    write,
)

FOLDER = Path("result")
FAST = {"distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None, "distributed.scheduler.allowed-failures": 1}


pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
"""Dask leaves some sockets of what it stops to be collected: here, so that no other test is blamed."""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    yield
    gc.collect()


@contextmanager
def threads(workers: int = 1, port: int = 0) -> Iterator[LocalCluster]:
    """Start a cluster whose scheduler and workers are threads of this process: all of it but the processes."""
    with LocalCluster(
        n_workers=workers, threads_per_worker=2, processes=False, protocol="tcp", scheduler_port=port,
        dashboard_address=":0",
    ) as found:  # fmt: skip
        yield found


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def stopped(monkeypatch: pytest.MonkeyPatch, patience: float = 0.0) -> None:
    """Do not wait long for what is gone."""
    monkeypatch.setattr(cluster, "PATIENCE", patience)
    monkeypatch.setattr(cluster, "_CONNECT_TIMEOUT", 0.5)
    monkeypatch.setattr(cluster, "_POLL_INTERVAL", 0.1)


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_costs_nothing_but_time_unless_it_happens_each_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    killed: list[Any] = []

    def kill(text: str) -> None:
        if (
            text.startswith("evaluating part 2") and not killed
        ):  # one part is done, each of the two workers holds another
            killed.append(started.workers[0].process.process)
            killed[0].kill()
            for name in ("d2", "d4"):
                (asked / f"hold-{name}").unlink()

    with (
        hooks(monkeypatch, tmp_path / "hooks") as asked,
        dask.config.set(FAST),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as started,
    ):
        for name in ("d2", "d4"):
            (asked / f"hold-{name}").touch()
        assert said(compared(scheduler=started.scheduler_address, progress=kill)) == expected()
        assert killed
        (asked / "kill-d4").touch()
        with pytest.raises(PartError) as caught:
            compared(scheduler=started.scheduler_address, folder=FOLDER)
    assert str(caught.value).startswith("part 3 of 4 terminated its worker 2 times\n  the last was tcp://127.0.0.1:")
    assert not rubbish(FOLDER)
    assert 2 in resumed(monkeypatch, FOLDER)


@pytest.mark.slow
def test_a_client_can_be_given_and_stays_open() -> None:
    with threads() as started, Client(started) as client:
        assert said(compared(scheduler=client)) == expected()
        assert client.submit(abs, -1).result() == 1


def test_a_scheduler_that_is_started_again_gets_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(monkeypatch, patience=20)
    port, told = free_port(), list[str]()
    running = [threads(port=port)]
    running[0].__enter__()

    def restart(text: str) -> None:
        told.append(text)
        if len(told) == 4:  # after two parts
            running.pop().__exit__(None, None, None)
            running.append(threads(port=port))
            running[0].__enter__()

    try:
        result = compared(scheduler=f"tcp://127.0.0.1:{port}", progress=restart)
    finally:
        running[0].__exit__(None, None, None)
    assert told[3] == "evaluating part 3 of 4"
    assert said(result) == expected()


def test_a_scheduler_that_stays_away_ends_the_run_which_can_be_gone_on_with(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(monkeypatch, patience=1)
    with threads() as started, Client(started) as client:

        def close(text: str) -> None:
            if text.startswith("evaluating part 2"):
                started.close()

        with pytest.raises(ClusterError) as caught:
            compared(scheduler=client, progress=close, folder=FOLDER)
    first, *_, hint = str(caught.value).splitlines()
    assert first == f"lost the cluster at {caught.value.what.split()[4]} 1 of 4 parts are done"
    assert "run again to resume" in hint
    assert caught.value.exit_code == 3
    assert (len(done(FOLDER)), rubbish(FOLDER)) == (1, [])
    assert len(resumed(monkeypatch, FOLDER)) == PARTS - 1


@pytest.mark.slow
def test_a_run_that_is_interrupted_leaves_nothing_on_the_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on = Event()

    def waiting(job: Job, number: int) -> Files:
        goes_on.wait(60)
        return evaluate_part(job, number)

    monkeypatch.setattr(executors, "evaluate_part", waiting)
    with threads() as started:
        tasks = started.scheduler.tasks
        spread = ("--scheduler", started.scheduler_address, "--save", str(FOLDER))
        run = subprocess.Popen([sys.executable, "-c", PROGRAM, *COMMAND, *spread], stderr=subprocess.PIPE, text=True)
        until(lambda: any(each.state == "processing" for each in tasks.values()), "a part begins")
        run.send_signal(signal.SIGINT)
        _, complaint = run.communicate(timeout=60)
        goes_on.set()
        until(lambda: not tasks, "the scheduler forgets what nobody wants")
    assert (run.returncode, complaint) == (130, "\ncomparanda: interrupted\n")
    assert (done(FOLDER), rubbish(FOLDER)) == ([], [])


def test_a_cluster_without_workers_is_waited_for_only_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(monkeypatch)
    with threads(workers=0) as started, pytest.raises(ClusterError, match="has had no workers for 0 seconds"):
        compared(scheduler=started.scheduler_address)


def test_the_first_bad_line_is_told_as_in_one_go() -> None:
    bad = Path("crf.conllu")
    bad.write_text(bad.read_text().replace("# newdoc id = d5\n1\t", "# newdoc id = d5\n"))
    with pytest.raises(cp.ReadError) as once:
        compared(part=None)
    with threads() as started, pytest.raises(cp.ReadError) as caught:
        compared(scheduler=started.scheduler_address, folder=FOLDER)
    assert str(caught.value) == str(once.value)
    assert str(caught.value).startswith("crf.conllu:57: ")
    assert done(FOLDER)[:2] == ["part-00000", "part-00001"]
    assert "part-00002" not in done(FOLDER)


def test_other_versions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with threads() as started, monkeypatch.context() as patch:
        patch.setattr(cluster, "__version__", "9.9.9")
        with pytest.raises(ClusterError, match=r"the scheduler has comparanda .*, expected 9.9.9\n.*pip install"):
            compared(scheduler=started.scheduler_address)
    problem = pickle.loads(evaluate_elsewhere("9.9.9", ".", b""))
    assert str(problem).startswith("a worker has comparanda ")
    assert str(cluster._version_error("tcp://x", None, "1.0")).startswith("tcp://x has no comparanda\n")


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("here", "scheduler 'here': missing port number"),
        ("foo://here:1", "scheduler 'foo://here:1': unknown address scheme"),
        (3, "expected an address or a distributed.Client, got int"),
    ],
)
def test_what_is_no_address_is_refused(address: Any, what: str) -> None:
    with pytest.raises(cp.UsageError, match=what):
        compared(scheduler=address)


def test_a_scheduler_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(monkeypatch)
    address = f"tcp://127.0.0.1:{free_port()}"
    with pytest.raises(ClusterError, match=f"no scheduler at {address}\n"):
        compared(scheduler=address)


def test_workers_and_a_scheduler_do_not_go_together() -> None:
    with pytest.raises(cp.UsageError, match="cannot be combined"):
        compared(workers=2, scheduler="tcp://127.0.0.1:1")


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(cp.MissingExtraError, match=r"pip install 'comparanda\[cluster\]'"):
        Cluster("tcp://127.0.0.1:1")
