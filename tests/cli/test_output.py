"""Results on standard output or in a file, all else on standard error."""

from __future__ import annotations

import io
import json
import os
import stat
from pathlib import Path

import pytest

from comparanda.render.console import show
from tests.cli.files import DEMO, conllu, key_and_system, program, write
from tests.command import run
from tests.seeds import first_few


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("x.json", "{\n"),
        ("x.jsonl", '{"class":'),
        ("x.md", "### Difference"),
        ("x.csv", "class,key,"),
        ("x.tsv", "class\tkey\t"),
        ("x.tex", "% needs"),
        ("x.txt", "Difference"),
    ],
)
def test_the_suffix_of_the_output_tells_the_format(
    name: str, begin: str, demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run(capsys, "diff", *DEMO, "-o", name)
    assert (outcome.code, outcome.out) == (0, "")
    assert f"wrote {name}\n" in outcome.err
    assert Path(name).read_text(encoding="utf-8").startswith(begin)


def test_the_file_holds_what_would_have_been_printed(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for layout in ("table", "json", "csv", "latex"):
        printed = run(capsys, "compare", *DEMO, "--format", layout, "-q").out
        run(capsys, "compare", *DEMO, "--format", layout, "-q", "--output", "out.txt")
        assert Path("out.txt").read_text(encoding="utf-8").rstrip("\n") == printed.rstrip("\n")
    assert run(capsys, "compare", *DEMO, "--json", "-q", "-o", "-").out.startswith("{")


def test_a_file_is_replaced_whole_and_has_the_usual_rights(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("real.txt", "old")
    Path("link.txt").symlink_to("real.txt")
    before = os.umask(0o027)
    try:
        run(capsys, "score", *DEMO, "-o", "link.txt", "-q")
    finally:
        os.umask(before)
    assert Path("link.txt").is_symlink()
    assert "Scores" in Path("real.txt").read_text()
    assert stat.S_IMODE(Path("real.txt").stat().st_mode) == 0o640
    assert sorted(os.listdir()) == ["demo", "link.txt", "real.txt"]


def test_a_failed_write_leaves_nothing_behind(
    demo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    write("out.txt", "old")
    outcome = run(capsys, "score", *DEMO, "-q", "-o", "out.txt")
    assert (outcome.code, outcome.err) == (3, "comparanda: out.txt: cannot be written: No space left on device\n")
    assert Path("out.txt").read_text() == "old"
    assert sorted(os.listdir()) == ["demo", "out.txt"]


@pytest.mark.parametrize(
    ("target", "problem"),
    [("nowhere/x.txt", "No such file or directory"), ("demo", "Is a directory")],
)
def test_a_place_that_cannot_be_written(
    target: str, problem: str, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("demo").mkdir()
    outcome = run(capsys, "score", *key_and_system(), "--task", "pos", "--resamples", "0", "-q", "-o", target)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == f"comparanda: {target}: cannot be written: {problem}\n"


def test_the_first_notes_all_notes_no_notes(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, _ = key_and_system()
    systems = [write(f"s{number}.conllu", conllu("X")) for number in range(12)]
    arguments = ("score", key, *systems, "--task", "pos", "--resamples", "0")
    notes = run(capsys, *arguments).err.splitlines()
    assert len(notes) == 9
    assert notes[-1] == "note: … 4 more (-v shows all)"
    assert len(run(capsys, *arguments, "-v").err.splitlines()) == 12
    assert run(capsys, *arguments, "-q").err == ""
    assert len(run(capsys, *arguments, "--json", "-q").json["notes"]) == 12


def test_one_table_formats_say_that_there_is_more(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "note: csv contains only the table 'scores'; md, latex and json contain all tables\n"
    assert run(capsys, "compare", *DEMO, "--format", "csv").err.endswith(text)
    assert text not in run(capsys, "score", *DEMO, "--format", "csv").err


def test_citing_does_not_spoil_the_data(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "compare", *DEMO, "--cite", "--json", "-q")
    assert json.loads(outcome.out)
    assert "@misc{comparanda" in outcome.err
    latex = run(capsys, "compare", *DEMO, "--cite", "--format", "latex", "-q").out
    assert "% @misc{comparanda" in latex
    assert "@misc{comparanda" in run(capsys, "compare", *DEMO, "--cite", "--format", "md", "-q").out


def test_numbers_are_full_in_json_and_short_on_the_screen(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = write("gold.conllu", conllu())
    system = write("sys.conllu", conllu("X", "VERB", "X"))
    only = ("--only-label", "NOUN", "--only-label", "ADV", "--task", "pos", "--resamples", "0", "-q")
    outcome = run(capsys, "score", key, system, *only, "--json")
    assert outcome.json["scores"]["scores"][0]["value"] == 1 / 3
    assert "33.33" in run(capsys, "score", key, system, *only).out


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch, columns: int, **environment: str) -> str:
    """Print the demo's anatomy on a terminal of some width."""
    from comparanda.api.comparison import compare
    from comparanda.demo import demo_files

    for name, value in {"TERM": "xterm", "COLUMNS": str(columns), **environment}.items():
        monkeypatch.setenv(name, value)
    key, systems = demo_files()
    stream = Terminal()
    show(compare(key, systems, task="pos", resamples=20).anatomy(by=["label"]), stream)
    return stream.getvalue()


@pytest.mark.parametrize("columns", first_few(1, [40, 60, 80, 100, 200]))
def test_tables_fit_the_terminal_and_no_number_is_cut(
    columns: int, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = on_terminal(monkeypatch, columns, NO_COLOR="1")
    lines = [line for line in printed.splitlines() if "|" not in line]
    assert max(map(len, lines)) <= columns
    assert "…" not in printed.replace("… ", "")
    whole = on_terminal(monkeypatch, 400, NO_COLOR="1")
    figures = {word for line in whole.splitlines() for word in line.split() if any(map(str.isdigit, word))}
    assert {word for word in figures if "|" not in word} <= set(printed.split())


def test_a_wide_table_repeats_what_its_rows_are(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line.rstrip() for line in on_terminal(monkeypatch, 40, NO_COLOR="1").splitlines()]
    scores = lines[lines.index("Scores") : lines.index("Pairs: differences of outputs and of")]
    assert sum(line.startswith("system ") for line in scores) == sum(line.startswith("spacy ") for line in scores) > 1


def test_colours_on_a_terminal_unless_unwanted(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[1m" in on_terminal(monkeypatch, 80)
    assert "\x1b" not in on_terminal(monkeypatch, 80, NO_COLOR="1")
    assert "\x1b" not in on_terminal(monkeypatch, 80, NO_COLOR="1", FORCE_COLOR="1")


def test_colours_in_a_pipe_only_if_forced(
    demo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = run(capsys, "score", *DEMO, "-q").out
    assert "\x1b" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1m" in run(capsys, "score", *DEMO, "-q").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert run(capsys, "score", *DEMO, "-q").out == plain


def test_a_narrow_encoding_is_no_reason_to_fail(demo: Path) -> None:
    done = program("diff", *DEMO, "-q", env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert done.stdout.startswith("\nDifference brill \\u2192 spacy")
