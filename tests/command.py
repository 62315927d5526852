"""Running the command line inside the test process, as a user would from a shell."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from comparanda.cli import main


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> Outcome:
    """Run `comparanda` with these arguments."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    code = left.value.code
    assert isinstance(code, int)
    return Outcome(code, captured.out, captured.err)
