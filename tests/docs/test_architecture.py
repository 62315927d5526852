"""The map in docs/architecture.md is that of the code: its rooms, and the modules that a command goes through."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

from comparanda.demo import demo_files
from tests.test_imports import RANK

PATH = Path(__file__).parents[2] / "docs" / "architecture.md"

KEY, TAGGERS = demo_files("pos")
ENTITY_KEY, RECOGNISERS = demo_files("span")
WALKS = {
    "diff": ("diff", KEY, TAGGERS["brill"], TAGGERS["hanta"], "--task", "pos"),
    "compare": (
        *("compare", ENTITY_KEY, RECOGNISERS["opennlp"], RECOGNISERS["spacy"]),
        *("--task", "span", "--rules", "semeval2013"),
    ),
}
STEPS = {
    "diff": (
        *("cli.commands", "api.comparison", "pipeline", "formats.files", "formats.conllu", "align.documents"),
        *("tasks.labels.evaluation", "result", "findings.difference", "render.finding"),
    ),
    "compare": (
        *("cli.commands", "api.comparison", "pipeline", "rules.rule_files", "formats.files", "formats.chunks"),
        *("align.documents", "tasks.spans.evaluation", "rules.engine", "result", "findings.anatomy", "render.finding"),
    ),
}
"""The modules in which the steps begin; they follow each other, and none comes back to one before it."""

TRACE = """
import sys
import comparanda.cli as cli
folder = cli.__file__.rpartition("/cli/")[0]
entered = {}

def note(frame, event, _):
    code = frame.f_code
    if event != "call" or not code.co_filename.startswith(folder) or not code.co_flags & 2:
        return
    caller = frame
    while caller := caller.f_back:
        if caller.f_code.co_name == "<module>" and caller.f_code.co_filename.startswith(folder):
            return  # called while a module is imported: not a step of the walk
    entered.setdefault(frame.f_globals["__name__"])

sys.setprofile(note)
try:
    cli.main(sys.argv[1:])
except SystemExit as end:
    assert not end.code, end
sys.setprofile(None)
print("entered:", *entered, file=sys.stderr)
"""


def entered(command: str) -> list[str]:
    """Return the modules that a command enters, in the order of their first calls; `core` left out."""
    done = subprocess.run(
        [sys.executable, "-c", TRACE, *WALKS[command], "--resamples", "10"], capture_output=True, text=True, check=True
    )
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("entered:")]
    names = [name.removeprefix("comparanda.") for name in line.split()[1:]]
    return [name for name in names if name.partition(".")[0] not in ("core", "errors")]


def as_block(modules: list[str]) -> str:
    """Write modules as the page does: a line for each stretch of modules of one room."""
    lines = []
    for room, stretch in groupby(modules, key=lambda name: name.partition(".")[0]):
        inside = [name.partition(".")[2] for name in stretch]
        lines.append(f"{room:<12}{', '.join(name for name in inside if name)}".rstrip())
    return "```text\n" + "\n".join(lines) + "\n```"


@pytest.mark.parametrize("command", WALKS)
def test_the_walk_on_the_page_is_that_of_the_command_and_goes_forward(command: str) -> None:
    modules = entered(command)
    begins = [modules.index(step) for step in STEPS[command]]
    assert begins == sorted(begins)
    text = PATH.read_text(encoding="utf-8")
    mark = f"<!-- walk: {command} -->\n"
    old = re.search(re.escape(mark) + r"(?:\n```text\n.*?```)?", text, re.DOTALL)
    assert old is not None
    new = f"{mark}\n{as_block(modules)}"
    if os.environ.get("UPDATE_GOLDEN"):
        PATH.write_text(text.replace(old[0], new), encoding="utf-8")
    assert old[0] == new or os.environ.get("UPDATE_GOLDEN"), "UPDATE_GOLDEN=1 renews the page if that is right"


def test_every_room_is_on_the_page() -> None:
    text = PATH.read_text(encoding="utf-8")
    rows = {name for row in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert set(RANK) - {"demo", "testing", "__init__", "__main__"} <= rows
