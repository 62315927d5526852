"""Names, labels and words are hostile: no layout lets them act as markup or as control characters."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from comparanda.cli.options import LAYOUTS
from tests.cli.files import conllu, write
from tests.command import run

LABELS = ("[/LOC]", "\x1b[31mred", "[bold]", "=cmd|' /C calc'!A0", "</td><script>")
NAMES = ("[bold]a[", "b\n\x1b[2J", "c d", "--json", "sites", "@SUM(1)", "\u202e{x}$_%&|`*", "key label")
COMMANDS = (
    ("compare", "--by", "label"),
    ("score",),
    ("score", "--by", "label"),
    ("diff",),
    ("examples", "--top", "3"),
)


def hostile() -> list[str]:
    """Write a key with hostile labels and words, and as many systems as there are hostile names."""
    words = ["\x1b]0;title\x07", "[/bold]", "{{x}}", "\u202eabc", "\\end{table}"]
    key = write("gold.conllu", conllu(*LABELS, words=words))
    wrong = [*LABELS[1:], LABELS[0]]
    systems = [write(f"{number}.conllu", conllu(*wrong[number % 5 :], words=words)) for number in range(len(NAMES))]
    return [key, *(f"{name}={file}" for name, file in zip(NAMES, systems, strict=True))]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_nothing_hostile_gets_through(
    command: tuple[str, ...], layout: str, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = (*command, "--task", "pos", "--resamples", "20", "--format", layout, "--", *hostile())
    outcome = run(capsys, *arguments)
    assert outcome.code == 0, outcome.err
    assert "\x1b" not in outcome.err
    assert "\u202e" not in outcome.err
    if layout not in {"csv", "tsv"}:  # these hold the data as they are
        assert "\x1b" not in outcome.out
    if layout in {"table", "md", "latex"}:
        assert "\u202e" not in outcome.out
    if layout == "latex":
        assert "\\input" not in outcome.out
        assert outcome.out.count("\\begin{table}") == outcome.out.count("\\end{table}")


def test_data_come_back_unchanged(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("score", "--task", "pos", "--resamples", "0", "-q")
    files = hostile()
    by_json = run(capsys, *arguments, "--json", "--", *files).json["scores"]["scores"]
    assert list(dict.fromkeys(each["system"] for each in by_json)) == list(NAMES)
    rows = list(csv.reader(io.StringIO(run(capsys, *arguments, "--format", "csv", "--", *files).out)))
    assert [row[0] for row in rows[1:]] == list(NAMES)
    lines = run(capsys, *arguments, "--format", "jsonl", "--", *files).out.splitlines()
    assert [json.loads(line)["system"] for line in lines] == list(NAMES)


def test_validate_shows_control_characters(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "validate", "--task", "pos", "--", *hostile(), "\x1b[31mgone")
    assert outcome.code == 1
    assert "\x1b" not in outcome.out
    assert "\\x1b[31mgone" in outcome.out


def test_errors_show_control_characters(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (("\x1b[31m",), ("score", "--\x1b[31m"), ("score", "\x1b[31m", "b"), ("formats", "\x1b[31m")):
        outcome = run(capsys, *arguments, *(("--task", "pos") if arguments[0] == "score" else ()))
        assert outcome.code in {2, 3}
        assert "\x1b" not in outcome.err


def test_hostile_names_in_a_terminals_progress(work: Path) -> None:
    key, system = write("gold.conllu", conllu()), write("sys.conllu", conllu())
    ours, theirs = pty.openpty()
    command = [
        sys.executable,
        "-m",
        "comparanda",
        "score",
        key,
        f"[red]x[={system}",
        "--task",
        "pos",
        "--resamples",
        "0",
    ]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    printed = b""
    try:
        while chunk := os.read(ours, 4096):
            printed += chunk
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    assert process.wait(timeout=60) == 0
    assert b"[red]x[" in printed
    assert b"internal error" not in printed
