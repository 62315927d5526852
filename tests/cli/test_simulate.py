"""`comparanda simulate`: what is printed, written, drawn, refused, and resumed."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from comparanda.api.simulations import USUAL
from comparanda.cli import feedback_commands, options
from comparanda.feedback import journal
from comparanda.feedback.findings import MEASURES
from comparanda.feedback.protocol import HANDLERS, KINDS, STRATEGIES
from comparanda.feedback.simulation import AREAS, COLUMNS, SEEDS
from comparanda.render.console import show_progress_bar
from comparanda.render.json import schema
from tests.cli.files import write
from tests.command import Outcome, run
from tests.feedback.documents import texts_and_blocks

KEY_AND_OUTPUT = ("key.jsonl", "out.jsonl")


@pytest.fixture
def files(work: Path) -> Path:
    """The current folder, with a key, a probabilistic output, and an output without probabilities."""
    texts_and_blocks(work)
    spans = {"d1": ("Ann met Bo", 0, 3), "d2": ("ann left Ely", 9, 12), "d3": ("Bo saw ANN", 0, 2)}
    write("plain.jsonl", "".join(
        json.dumps({"id": name, "text": text, "spans": [{"begin": begin, "end": end, "label": "PER"}]}) + "\n"
        for name, (text, begin, end) in spans.items()
    ))  # fmt: skip
    return work


def simulate(capsys: pytest.CaptureFixture[str], *arguments: object) -> Outcome:
    return run(capsys, "simulate", *KEY_AND_OUTPUT, *arguments)


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Run, and return the error, which is a paragraph and no traceback."""
    done = run(capsys, "simulate", *arguments)
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err
    return done.err


def test_strategies_are_compared(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del files
    done = simulate(capsys, "--strategy", "entropy,oracle", "--strategy", "random", "--seeds", "3")
    assert done.code == 0
    rows = {line.split()[0]: line.split() for line in done.out.splitlines() if line.startswith(("entropy ", "oracle "))}
    assert {*rows} == {"entropy", "oracle"}
    assert "label questions (until nothing is uncertain), basic handler, user truthful, decided by tuple" in done.out
    assert "repeated text: 85.71 % of 7 tuples; most often Ann (3), Bo (2): 85.71 %" in done.out
    assert "warning: 1 wrong tuple has weight 1 and is never asked about" in done.out
    assert "warning: fewer than 20 seeds" in done.out
    assert "no finding: below 1/(2n)" in done.out


def test_json_has_everything_and_fits_its_schema(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del files
    asked = ("--user", "noisy:0.1,unsure:0.05", "--handler", "statistical", "--ask", "group", "--purity", "0.8")
    done = simulate(capsys, "--json", "--seeds", "2", "--only-label", "PER", "--regular", "plain.jsonl", *asked)
    assert done.code == 0
    data = done.json
    Draft202012Validator(schema("simulation")).validate(data)
    found = data["simulation"]
    assert (found["user"], found["handler"], found["ask"]) == ("noisy:0.1,unsure:0.05", "statistical", "group")
    assert [each["strategy"] for each in found["strategies"]] == ["entropy", "fgain", "random"]
    assert [each["seeds"] for each in found["strategies"]] == [2, 2, 2]
    assert (found["where"], found["entities"], found["tuples"]) == ('label == "PER"', 4, 4)
    assert found["regular"] == {"system": "regular", "f1": 6 / 7, "precision": 1.0, "recall": 0.75}
    for part in ("ask:group", "handler:statistical", "purity:0.8", "seeds:2", 'scope:label == "PER"', "decide:tuple"):
        assert part in data["signature"].split("|")


def test_curves_and_pictures_are_written_too(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("resvg_py")
    done = simulate(capsys, "--seeds", "2", "--curves", "c.csv", "--plot", "c.svg", "--regular", "plain=plain.jsonl")
    assert done.code == 0
    assert done.err.endswith("\nwrote c.csv\nwrote c.svg\n")
    lines = (files / "c.csv").read_text().splitlines()
    assert lines[0].split(",") == ["strategy", "seed", *COLUMNS, "answer"]
    root = ElementTree.fromstring((files / "c.svg").read_text())
    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "plain 75.00" in texts
    again = simulate(
        capsys, "-q", "--seeds", "2", "--curves", "d.csv", "--plot", "d.svg", "--regular", "plain=plain.jsonl"
    )
    assert again.err == ""
    assert (files / "d.csv").read_bytes() == (files / "c.csv").read_bytes()
    assert (files / "d.svg").read_bytes() == (files / "c.svg").read_bytes()
    for name in ("c.json", "c.jsonl"):
        assert simulate(capsys, "-q", "--seeds", "2", "--curves", name).code == 0
    rows = [json.loads(line) for line in (files / "c.jsonl").read_text().splitlines()]
    assert len(rows) == len(lines) - 1
    assert json.loads((files / "c.json").read_text())["schema"] == "comparanda/curves/1"
    assert simulate(capsys, "-q", "--plot", "c.png", "--measure", "expected_recall").code == 0
    assert (files / "c.png").read_bytes().startswith(b"\x89PNG")


def test_areas_of_the_thesis_are_called_so(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del files
    done = simulate(capsys, "--strategy", "high", "--area", "thesis")
    assert "areas by thesis" in done.out
    assert "may exceed 1" in done.out
    alone = simulate(capsys, "--strategy", "high", "--area", "thesis", "--budget", "0", "--json").json["simulation"]
    assert alone["strategies"][0]["area"]["f1"] is None
    assert alone["strategies"][0]["end"] == alone["start"]


def test_without_questions_there_is_the_start(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del files
    done = simulate(capsys, "--budget", "0", "--json").json["simulation"]
    assert done["horizon"] == 0
    assert [each["area"]["f1"] for each in done["strategies"]] == [done["start"]["f1"]] * 3
    assert [each["reading"] for each in done["pairs"]] == ["no finding"] * 3


def test_without_entities_recall_and_more_are_undefined(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = [json.dumps({**json.loads(line), "spans": []}) for line in (files / "key.jsonl").read_text().splitlines()]
    write("empty.jsonl", "\n".join(empty) + "\n")
    found = run(capsys, "simulate", "empty.jsonl", "out.jsonl", "--strategy", "entropy", "--json").json["simulation"]
    assert (found["entities"], found["start"]["recall"], found["e100"], found["ceiling"]) == (0, None, None, None)
    assert found["start"]["f1"] == 0.0


def test_without_probabilities_there_is_nothing_to_ask(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del files
    done = run(capsys, "simulate", "key.jsonl", "plain.jsonl?score=none", "--seeds", "2")
    assert done.code == 0
    assert "warning: nothing to ask: no tuple is uncertain" in done.out


def test_what_cannot_be_meant_is_refused(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del files
    both = KEY_AND_OUTPUT
    assert "strategy: unknown value 'entrpy' (did you mean 'entropy'?)" in refused(
        capsys, *both, "--strategy", "high,entrpy"
    )
    assert "--budget: expected an integer" in refused(capsys, *both, "--budget", "-1")
    assert "invalid user 'nosy:0.1' (did you mean 'noisy'?)" in refused(capsys, *both, "--user", "nosy:0.1")
    assert "--ask: expected label, span, choice or group" in refused(capsys, *both, "--ask", "labels")
    assert "2 outputs given, expected one: out, plain" in refused(capsys, *both, "plain.jsonl")
    assert "2 outputs given, expected one" in refused(capsys, "key.jsonl", "a=out.jsonl,plain.jsonl")
    assert "no system given" in refused(capsys, "key.jsonl")
    assert "--curves writes .csv, .json or .jsonl" in refused(capsys, *both, "--curves", "c.txt")
    assert "--plot writes .svg or .png" in refused(capsys, *both, "--plot", "c.pdf")
    assert "--curves and --resume are the same file" in refused(capsys, *both, "--curves", "c.csv", "--resume", "c.csv")
    assert "would overwrite an input" in refused(capsys, *both, "--curves", "out.jsonl")
    assert "the label 'PRE' does not occur (did you mean 'PER'?)" in refused(capsys, *both, "--only-label", "PRE")
    assert "no key entities or output tuples match" in refused(capsys, *both, "--scope", "length > 9")
    assert "lable" in refused(capsys, *both, "--scope", 'lable == "PER"')


def test_a_picture_that_nothing_can_draw_is_refused_before_the_work(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    assert "pip install 'comparanda[png]'" in refused(capsys, *KEY_AND_OUTPUT, "--plot", "c.png")
    assert not (files / "c.png").exists()


def test_what_weighs_little_can_be_left_out_of_the_hard_output(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del files
    found = simulate(capsys, "--min-weight", "0.65", "--budget", "0", "--strategy", "high", "--json").json["simulation"]
    assert (found["start"]["precision"], found["start"]["recall"]) == (0.5, 0.2)


def test_scopes_of_labels_and_conditions_go_together(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del files
    done = simulate(capsys, "--only-label", "PER", "--scope", 'document != "d2"', "--json", "--budget", "1")
    assert done.json["simulation"]["where"] == '(label == "PER") and (document != "d2")'
    assert done.json["simulation"]["entities"] == 3
    without = simulate(capsys, "--ignore-label", "PER", "--budget", "0", "--strategy", "high")
    assert 'scope: label != "PER" (3 tuples, 2 of them uncertain, 1 key entity)' in without.out


def test_what_was_stopped_goes_on_and_what_is_another_is_refused(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("--strategy", "entropy,random", "--user", "noisy:0.2", "--seeds", "3", "-q")
    assert simulate(capsys, *asked, "--curves", "whole.csv").code == 0
    write_arrays, left = journal._write_arrays, [4]

    def dying(path: Path, arrays: journal.Arrays) -> None:
        write_arrays(path, arrays)
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt

    monkeypatch.setattr(journal, "_write_arrays", dying)
    monkeypatch.setattr(journal.Journal.__init__, "__defaults__", (1,))
    assert simulate(capsys, *asked, "--curves", "parts.csv", "--resume", "run").code != 0
    assert not (files / "parts.csv").exists()
    monkeypatch.setattr(journal, "_write_arrays", write_arrays)
    assert simulate(capsys, *asked, "--curves", "parts.csv", "--resume", "run").code == 0
    assert (files / "parts.csv").read_bytes() == (files / "whole.csv").read_bytes()
    other = refused(capsys, *KEY_AND_OUTPUT, *asked, "--budget", "2", "--resume", "run")
    assert "run: the simulation in this folder was started with another plan: budget was null, now 2" in other
    assert "other data" in refused(capsys, *KEY_AND_OUTPUT, *asked, "--only-label", "PER", "--resume", "run")


@pytest.mark.slow
def test_killed_by_a_signal_it_goes_on(files: Path) -> None:
    labels = {"A": 0.7, "B": 0.3}
    alternatives = [{"start": 2 * n, "end": 2 * n + 1, "p": (n % 89 + 5) / 100, "labels": labels} for n in range(1500)]
    blocks = [{"alternatives": [each]} for each in alternatives]
    spans = [{"begin": 2 * n, "end": 2 * n + 1, "label": "AB"[n % 2]} for n in range(0, 1500, 3)]
    write("k.jsonl", json.dumps({"id": "d", "text": "x " * 1500, "spans": spans}) + "\n")
    write("o.jsonl", json.dumps({"doc": "d", "text": "x " * 1500, "blocks": blocks}) + "\n")
    command = [
        sys.executable,
        "-m",
        "comparanda",
        "simulate",
        "k.jsonl",
        "o.jsonl",
        "--strategy",
        "fgain,entropy",
        "-q",
    ]
    subprocess.run([*command, "--curves", "whole.csv"], check=True, capture_output=True)
    resumed = [*command, "--curves", "parts.csv", "--resume", "run"]
    kills = 0
    while True:
        running = subprocess.Popen(resumed, stdout=subprocess.DEVNULL)
        known = {path: path.stat().st_mtime_ns for path in (files / "run").glob("*.npz")}
        while running.poll() is None and kills < 4:
            if {path: path.stat().st_mtime_ns for path in (files / "run").glob("*.npz")} != known:
                os.kill(running.pid, signal.SIGKILL)
            time.sleep(0.01)
        if running.wait() == 0:
            break
        assert running.returncode == -signal.SIGKILL
        kills += 1
    assert kills >= 2
    assert (files / "parts.csv").read_bytes() == (files / "whole.csv").read_bytes()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_is_shown_on_a_terminal_alone() -> None:
    with show_progress_bar(io.StringIO()) as show:
        assert show is None
    with show_progress_bar(Terminal(), quiet=True) as show:
        assert show is None
    terminal = Terminal()
    with show_progress_bar(terminal) as show:
        assert show is not None
        show("entropy [red]", 5, 10)
        show("too soon", 6, 10)
    assert "entropy [red]" in terminal.getvalue()
    assert "5/10" in terminal.getvalue()
    assert "too soon" not in terminal.getvalue()


def test_the_bar_moves_with_the_questions(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    del files
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    assert simulate(capsys, "--strategy", "entropy").code == 0
    assert "entropy, seed 13" in terminal.getvalue()


def test_the_choices_are_the_librarys() -> None:
    assert (options.STRATEGIES, options.KINDS, options.HANDLERS) == (STRATEGIES, KINDS, HANDLERS)
    assert (options.AREAS, options.CURVES, options.SEEDS) == (AREAS, MEASURES, SEEDS)
    (chosen,) = [each for each in feedback_commands.simulate.params if each.name == "strategies"]
    assert chosen.default == USUAL
