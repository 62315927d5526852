"""Processes that die, and are stopped, in the middle of a comparison."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import comparanda as cp
from comparanda.scale.executors import PartError, Processes
from tests.scale.faults import (
    COMMAND,
    PARTS,
    PROGRAM,
    children,
    compared,
    done,
    expected,
    hooks,
    resumed,
    resumed_by_command,
    rubbish,
    said,
    until,
    write,
)

pytestmark = pytest.mark.slow

FOLDER = Path("result")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path)


def test_a_worker_killed_in_the_middle_costs_nothing_but_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    killed: list[int] = []
    with hooks(monkeypatch, tmp_path / "hooks") as asked:
        (asked / "hold-d3").touch()

        def kill(text: str) -> None:
            if text.startswith("evaluating part 2") and not killed:  # one part is done, the second waits, a third runs
                for each in children():
                    each.kill()
                    killed.append(each.pid)
                (asked / "hold-d3").unlink()

        result = compared(workers=2, progress=kill, folder=FOLDER)
    assert len(killed) == 2
    assert said(result) == expected() == said(cp.open(FOLDER))
    assert not children()


@pytest.mark.slow
def test_a_part_that_ends_every_worker_is_named_and_the_rest_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with hooks(monkeypatch, tmp_path / "hooks") as asked:
        (asked / "kill-d2").touch()
        with pytest.raises(PartError) as caught:
            compared(workers=1, folder=FOLDER)
    assert str(caught.value).splitlines()[:2] == ["part 2 of 4 terminated its worker 3 times", "  killed by SIGKILL"]
    assert caught.value.exit_code == 3
    assert (done(FOLDER), rubbish(FOLDER), children()) == (["part-00000"], [], [])
    with pytest.raises(cp.ReadError, match="incomplete result: 1 of 4 parts are done"):
        cp.open(FOLDER)
    assert resumed(monkeypatch, FOLDER) == [1, 2, 3]


@pytest.mark.parametrize("how", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)])
def test_a_run_that_is_stopped_leaves_no_workers_and_goes_on(
    how: signal.Signals, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spread = ("--workers", "2", "--save", str(FOLDER))
    with hooks(monkeypatch, tmp_path / "hooks") as asked:
        (asked / "hold-d4").touch()
        run = subprocess.Popen([sys.executable, "-c", PROGRAM, *COMMAND, *spread], stderr=subprocess.PIPE, text=True)
        until(lambda: FOLDER.is_dir() and len(done(FOLDER)) == PARTS - 1, "all parts but one")
        workers = children(run.pid)
        run.send_signal(how)
        _, complaint = run.communicate(timeout=60)
        until(lambda: not any(each.is_running() for each in workers), "the workers end")
    assert len(workers) == 2
    code, text = {signal.SIGINT: (130, "\ncomparanda: interrupted\n"), signal.SIGKILL: (-9, "")}[how]
    assert (run.returncode, complaint) == (code, text)
    assert resumed_by_command(monkeypatch, capsys, *spread) == [2]
    assert not rubbish(FOLDER)


def test_windows_has_no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(cp.UsageError, match=r"--workers is not available on Windows\n.*--scheduler"):
        Processes(2)
