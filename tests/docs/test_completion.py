"""The lines of docs/install.md make a shell complete commands and options."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest


def asked(what: str, **environment: str) -> str:
    """Return what the program prints when a shell asks it."""
    variables = {**os.environ, "_COMPARANDA_COMPLETE": what, **environment}
    code = "from comparanda.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False
    ).stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_each_shell(shell: str) -> None:
    if shell == "bash" and shutil.which("bash") is None:
        pytest.skip("no bash here")
    script = asked(f"{shell}_source")
    assert "comparanda" in script
    assert f"_COMPARANDA_COMPLETE={shell}_complete" in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


def test_commands_and_options_are_completed() -> None:
    assert asked("bash_complete", COMP_WORDS="comparanda compa", COMP_CWORD="1").split() == ["plain,compare"]
    assert asked("bash_complete", COMP_WORDS="comparanda score --resam", COMP_CWORD="2").split() == [
        "plain,--resamples"
    ]
