"""The help, what it loads, and what the shell completes."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import click
import pytest

from comparanda.align import MISSING
from comparanda.cli import cli, options
from comparanda.findings.resamples import RESAMPLES, SEED
from comparanda.findings.upper_bounds import ORDERS
from comparanda.formats.scanner import MAX_LINE
from tests.cli.files import program
from tests.command import run
from tests.seeds import first_few

HEAVY = ("numpy", "rich", "msgspec", "scipy", "pandas", "jinja2")


def test_without_arguments_there_is_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == run(capsys, "--help").out


@pytest.mark.parametrize("name", [None, *cli.commands])
def test_help_texts_are_whole_sentences_and_cut_nowhere(name: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, *([name] if name else []), "-h")
    assert outcome.code == 0
    assert "..." not in re.sub(r"(\[ARGS\]|FILE|VARIANT|FOLDER|OUTPUT)\.\.\.", "", outcome.out)
    assert max(map(len, outcome.out.splitlines())) <= 100


def test_every_option_has_a_help_text() -> None:
    for command in cli.commands.values():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"{command.name} {parameter.name}"
                assert parameter.help.rstrip("]").endswith((".", "…", "MiB")), parameter.help


def test_every_command_is_thin() -> None:
    for command in cli.commands.values():
        assert command.callback is not None
        code = command.callback.__code__
        lines = {line for _, _, line in code.co_lines() if line is not None}
        assert len(lines) <= 15, command.name


@pytest.mark.parametrize("arguments", [["--help"], ["compare", "--help"], ["--version"]])
def test_the_help_loads_nothing_heavy(arguments: list[str]) -> None:
    script = (
        "import sys\nfrom comparanda.cli import main\n"
        f"try:\n    main({arguments})\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_defaults_are_the_librarys() -> None:
    assert (options.MISSING, options.RESAMPLES, options.SEED) == (MISSING, RESAMPLES, SEED)
    assert options.ORDERS == ORDERS
    assert options.MAX_LINE == MAX_LINE


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_has_a_script_for_each_shell(shell: str) -> None:
    if shell == "bash" and not re.search(r"version (4\.[4-9]|[5-9])", _bash_version()):
        pytest.skip("click wants bash 4.4")
    done = program(env={"_COMPARANDA_COMPLETE": f"{shell}_source"})
    assert done.returncode == 0
    assert "_COMPARANDA_COMPLETE" in done.stdout


def _bash_version() -> str:
    return subprocess.run(["bash", "--version"], capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    first_few(
        5,
        [
            ("comparanda sc", {"score", "schema"}),
            ("comparanda score --resa", {"--resamples"}),
            ("comparanda score --task p", {"pos", "prob"}),
            ("comparanda score --format js", {"jsonl", "json"}),
            ("comparanda score --missing e", {"error", "empty"}),
            ("comparanda score --by len", {"length"}),
            ("comparanda formats conl", {"conll2012", "conllu", "conllx"}),
            ("comparanda schema sc", {"scores"}),
            ("comparanda score gold", {"gold"}),
        ],
    ),
)
def test_completion(words: str, expected: set[str]) -> None:
    place = str(len(words.split()) - 1)
    env = {"_COMPARANDA_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": place}
    done = program(env={**os.environ, **env})
    assert {line.partition(",")[2] for line in done.stdout.splitlines()} == expected
