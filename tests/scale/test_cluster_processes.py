"""A scheduler that is a process of its own, killed in the middle and started again at the same address."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from tests.scale.faults import compared, expected, hooks, resumed, said, write
from tests.scale.test_cluster import free_port

FOLDER = Path("result")


def dask(*arguments: object) -> subprocess.Popen[bytes]:
    """Start a program of Dask."""
    call = [sys.executable, "-m", "dask", *map(str, arguments), "--no-dashboard"]
    return subprocess.Popen(call, stderr=subprocess.DEVNULL)


@pytest.mark.slow
def test_a_scheduler_killed_in_the_middle_is_waited_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    port, processes = free_port(), list[subprocess.Popen[bytes]]()
    address = f"tcp://127.0.0.1:{port}"

    def start() -> None:
        processes.append(dask("scheduler", "--port", port))
        processes.append(dask("worker", address, "--nthreads", 1, "--death-timeout", 60))

    def kill(text: str) -> None:
        if text.startswith("evaluating part 2") and len(processes) == 2:
            processes[0].kill()
            processes[0].wait()
            (asked / "hold-d3").unlink()
            Thread(target=start).start()

    try:
        with hooks(monkeypatch, tmp_path / "hooks") as asked:
            (asked / "hold-d3").touch()
            start()
            result = compared(scheduler=address, folder=FOLDER, progress=kill)
        assert said(result) == expected()
        assert len(processes) == 4
        assert resumed(monkeypatch, FOLDER) == []
    finally:
        for each in processes:
            each.kill()
            each.wait()
