"""How the program ends: a closed pipe, Ctrl-C, a full disk, closed streams, a defect of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from comparanda.cli import requests as running
from tests.cli.files import DEMO, key_and_system, program
from tests.command import run
from tests.seeds import mostly_slow


@pytest.mark.parametrize(
    "arguments",
    [
        ("demo", "--resamples", "0"),
        pytest.param(("demo", "--json", "--resamples", "0"), marks=pytest.mark.slow),
        pytest.param(("--help",), marks=pytest.mark.slow),
    ],
)
def test_a_closed_pipe_is_no_error(arguments: tuple[str, ...]) -> None:
    command = subprocess.Popen(
        [sys.executable, "-m", "comparanda", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert command.stdout is not None
    assert command.stderr is not None
    command.stdout.close()
    errors = command.stderr.read()
    command.stderr.close()
    assert (command.wait(timeout=60), errors) == (0, b"")


@pytest.mark.slow
def test_the_first_line_is_enough(work: Path) -> None:
    script = f"{sys.executable} -m comparanda demo --resamples 0 | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("tag: ")


def test_an_interrupt_ends_with_130(work: Path) -> None:
    key, _ = key_and_system()
    os.mkfifo("pipe")
    command = subprocess.Popen(
        [sys.executable, "-m", "comparanda", "score", key, "pipe", "--task", "pos"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with open("pipe", "wb"):  # opens as soon as the program reads from it
        time.sleep(0.05)
        command.send_signal(signal.SIGINT)
        out, err = command.communicate(timeout=60)
    assert (command.returncode, out, err.strip()) == (130, "", "comparanda: interrupted")


@pytest.mark.slow
def test_a_full_disk(demo: Path) -> None:
    for layout in ("table", "json"):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = program("score", *DEMO, "-q", "--format", layout, capture_output=False, stdout=full,
                           stderr=subprocess.PIPE)  # fmt: skip
        assert (done.returncode, done.stderr) == (3, "comparanda: output: No space left on device\n")


@pytest.mark.parametrize("closed", mostly_slow(["<&-", ">&-", "2>&-", "<&- >&- 2>&-"], {">&-"}))
def test_closed_streams(closed: str, demo: Path) -> None:
    script = f"{sys.executable} -m comparanda score {' '.join(DEMO)} {closed}"
    assert subprocess.run(["bash", "-c", script], capture_output=True, timeout=60, check=False).returncode == 0


@pytest.mark.slow
def test_standard_input_that_is_closed(work: Path) -> None:
    key, _ = key_and_system()
    script = f"{sys.executable} -m comparanda score {key} - --task pos <&-"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (3, "comparanda: <stdin>: the file is empty\n")


def test_a_defect_of_the_program_itself(
    demo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("[/b] \x1b[31mboom")

    monkeypatch.setattr(running, "compare", fail)
    outcome = run(capsys, "score", *DEMO)
    assert outcome.code == 4
    assert outcome.err == (
        "comparanda: internal error: RuntimeError: [/b] \\x1b[31mboom\n"
        "  this is a bug in comparanda; run again with --debug and report the output\n"
    )


def test_too_little_memory(demo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(running, "compare", fail)
    outcome = run(capsys, "score", *DEMO)
    assert (outcome.code, outcome.err) == (4, "comparanda: not enough memory\n")


@pytest.mark.slow
def test_debug_shows_the_traceback(work: Path) -> None:
    done = program("score", "nothing", "a=nothing-else", "--task", "pos", "--debug")
    assert "Traceback" in done.stderr
    assert "ReadError" in done.stderr


def test_validation_that_fails_ends_with_1_and_lists_every_file(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    assert run(capsys, "validate", key, system, "--task", "pos").code == 0
    outcome = run(capsys, "validate", key, "gone-1", system, "gone-2", "--task", "pos")
    assert (outcome.code, outcome.err) == (1, "")
    assert outcome.out == (
        "gone-1: no such file\nsys: can be aligned with the key, 5 sites\ngone-2: no such file\n"
        "2 of 3 systems cannot be compared\n"
    )


def test_a_bad_key_is_told_once(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, system = key_and_system()
    outcome = run(capsys, "validate", "gone", system, f"b={system}", "--task", "pos")
    assert (outcome.code, outcome.out) == (1, "gone: no such file\n2 of 2 systems cannot be compared\n")


@pytest.mark.slow
def test_a_result_is_saved_though_nobody_reads_the_page_to_its_end(tmp_path: Path) -> None:
    key, system = tmp_path / "key.txt", tmp_path / "system.txt"
    key.write_text("".join(f"w{number}\tA{number}\n\n" for number in range(2000)))
    system.write_text(key.read_text().replace("\tA", "\tB"))
    command = [sys.executable, "-m", "comparanda", "compare", f"{key}::columns", f"{system}::columns"]
    command += ["--task", "tag", "--column", "2", "--top", "0", "-q", "--resamples", "0", "--save", str(tmp_path / "r")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
    assert process.returncode == 0
    assert (tmp_path / "r").is_dir()
