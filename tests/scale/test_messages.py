"""What a comparison in parts says of itself is read in pipes, too, and stays on a terminal."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from comparanda.core.places import Lasting
from comparanda.demo import demo_files
from comparanda.render import console
from comparanda.render.console import show_progress
from tests.command import run

COUNTED = (
    "note: limited memory: sites that all systems have right are only counted, except for some examples of each label\n"
)
ALL_KEPT = "note: limited memory: all sites are kept, which may take more than the limit\n"


class Terminal(io.StringIO):
    """Text that is read by somebody."""

    def isatty(self) -> bool:
        return True


def test_why_it_was_judged_in_one_go(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, systems = demo_files("pos")
    packed = tmp_path / "packed.conllu.gz"
    packed.write_bytes(gzip.compress(Path(next(iter(systems.values()))).read_bytes()))
    command = ("score", str(key), str(packed), "--task", "pos", "--workers", "2", "--resamples", "0")
    assert f"note: not divided into parts: {packed} is compressed\n" in run(capsys, *command).err
    assert run(capsys, *command, "-q").err == ""


@pytest.mark.parametrize(
    ("options", "sentence", "said"),
    [
        (("--task", "tag"), "a X\nb Y\n", COUNTED),
        (("--task", "span"), "a B-X\nb O\n", COUNTED),
        (("--task", "tag", "--ignore-label", "Y"), "a X\nb Y\n", ALL_KEPT),
    ],
)
def test_what_memory_made_of_the_sites(
    options: tuple[str, ...], sentence: str, said: str, tmp_path: Path, *, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / "key.conll", tmp_path / "same.conll"]
    for file in files:
        file.write_text(("-DOCSTART- O\n\n" + f"{sentence}\n" * 100) * 1000)
    command = ("score", *files, *options, "--resamples", "0", "--memory")
    assert said in run(capsys, *command, "4M").err
    assert "memory" not in run(capsys, *command, "4G").err


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_what_is_not_lasting_is_for_those_who_wait(stream: io.StringIO) -> None:
    with show_progress(stream) as say:
        assert say is not None
        say("reading")
        say(Lasting("in one go"))
    assert stream.getvalue().count("note: in one go") == 1
    assert ("reading" in stream.getvalue()) is stream.isatty()


def test_a_log_has_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, stream = iter((0.0, 10.0, 31.0, 40.0, 61.5)), io.StringIO()
    monkeypatch.setattr(console, "monotonic", lambda: next(clock))
    with show_progress(stream) as say:
        assert say is not None
        for what in ("one", "two", Lasting("three"), "four", "five"):
            say(what)
    assert stream.getvalue() == "two\nnote: three\nfive\n"


def test_those_who_want_no_progress_get_none() -> None:
    with show_progress(io.StringIO(), quiet=True) as say:
        assert say is None
