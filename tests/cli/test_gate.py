"""`comparanda gate`: exit codes, what is printed, the files it writes, baselines and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

import comparanda as cp
from comparanda.render.json import schema
from tests.cli.files import conllu, write
from tests.command import Outcome, run

KEY, BASE, NEW = "demo/key.conllu", "demo/spacy.conllu", "demo/hanta.conllu"
SPANS = tuple(f"demo/entities/{name}.bio" for name in ("key", "spacy", "spacy2"))
Call = Callable[..., Outcome]

QUICK = ("--task", "pos", "-q", "--resamples", "0")


@pytest.fixture
def gate(demo: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run `comparanda gate` on two taggers of the demo, or on other inputs."""

    def call(*options: str, inputs: tuple[str, ...] = (KEY, BASE, NEW), common: tuple[str, ...] = QUICK) -> Outcome:
        return run(capsys, "gate", *inputs, *common, *options)

    return call


@pytest.mark.slow
def test_a_gate_that_nobody_reads_to_the_end_still_fails(tmp_path: Path) -> None:
    """`comparanda gate … | head -1` under pipefail must not let a system pass."""
    key, base = (tmp_path / name for name in ("key.txt", "base.txt"))
    key.write_text("".join(f"w{number}\tA\n\n" for number in range(3000)))
    base.write_text(key.read_text())
    new = tmp_path / "new.txt"
    new.write_text(key.read_text().replace("\tA", "\tB"))
    gate = [sys.executable, "-m", "comparanda", "gate", f"{key}::columns", f"{base}::columns", f"{new}::columns"]
    gate += ["--task", "tag", "--column", "2", "--max-new-errors", "0", "--top", "0", "-q", "--resamples", "0"]
    with subprocess.Popen(gate, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
    assert process.returncode == 1


def test_the_exit_code_tells_whether_every_check_holds(gate: Call) -> None:
    held, broken = gate("--max-new-errors", "149"), gate("--max-new-errors", "148")
    assert (held.code, broken.code) == (0, 1)
    assert held.out.lstrip().startswith("Gate passed: 1 check holds (spacy → hanta)\n")
    assert broken.out.lstrip().startswith("Gate failed: 1 of 1 check does not hold (spacy → hanta)\n")
    assert "10 of 149 examples shown where new_error" in broken.out
    assert "examples shown" not in held.out
    assert held.err == broken.err == ""


def test_criteria_add_up(gate: Call) -> None:
    asked = ("--max-new-errors", "5%", "--max-negative-flip-rate", "5%", "--require", "accuracy > 90")
    assert gate(*asked).code == 0
    assert gate(*asked, "--label", "NOUN", "--label", "VERB").code == 0
    assert gate(*asked, "--label", "ADJ").code == 1
    assert gate(*asked, "--require", "accuracy > 95").code == 1
    assert gate(*asked, "--where", 'label == "ADJ"').code == 1


def test_without_a_criterion_significance_decides(gate: Call) -> None:
    drawn = ("--task", "pos", "-q", "--resamples", "200")
    assert gate(common=drawn).code == 1
    back = gate(inputs=(KEY, NEW, BASE), common=drawn)
    assert back.code == 0
    assert "no criterion was given: the gate fails if the new system is significantly worse" in back.out
    chosen = gate("--fail-if-significantly-worse", "--measure", "f1[NUM]", "--json", common=drawn).json["gate"]
    assert chosen["checks"][0]["asked"] == "f1[NUM] not significantly worse"
    assert chosen["passed"] is (chosen["checks"][0]["measured"] >= 0.05)
    undecided = gate()
    assert undecided.code == 1
    assert "cannot be decided" in undecided.out


def test_json_markdown_and_csv(gate: Call) -> None:
    outcome = gate("--max-new-errors", "0", "--json", "--top", "2")
    assert outcome.code == 1
    jsonschema.validate(outcome.json, schema("gate"))
    assert outcome.json["gate"]["checks"][0]["where"] == "new_error"
    assert len(outcome.json["gate"]["examples"][0]["examples"]) == 2
    assert gate("--max-new-errors", "0", "--format", "md").out.startswith("### Gate failed")
    rows = gate("--max-new-errors", "0", "--require", "f1 > 1", "--format", "csv").out.splitlines()
    assert rows[0] == "check,asked,measured,limit,verdict,reason"
    assert len(rows) == 3


def test_files_for_other_programs(gate: Call) -> None:
    outcome = gate("--max-new-errors", "0", "--junit", "a.xml", "--markdown", "a.md", "-o", "a.json", "--top", "1")
    assert (outcome.code, outcome.out) == (1, "")
    assert ElementTree.parse("a.xml").getroot().get("failures") == "1"
    shown = gate("--max-new-errors", "0", "--format", "md", "--top", "1").out
    assert Path("a.md").read_text(encoding="utf-8") == shown
    assert json.loads(Path("a.json").read_text(encoding="utf-8"))["gate"]["passed"] is False
    assert sorted(path.name for path in Path().iterdir()) == ["a.json", "a.md", "a.xml", "demo"]


def test_a_file_that_cannot_be_written_is_an_error_and_no_verdict(gate: Call) -> None:
    outcome = gate("--max-new-errors", "999", "--junit", "no/such/folder.xml")
    assert (outcome.code, outcome.out) == (3, "")
    assert "no/such/folder.xml: cannot be written" in outcome.err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--max-new-errors", "1", "--label", "NUON"), "does not occur in the key (did you mean 'NOUN'?)"),
        (("--max-new-errors", "1", "--label", ""), "the label '' does not occur in the key"),
        (("--label", "NOUN"), "a label restricts a budget of errors"),
        (("--max-new-errors", "many"), "max-new-errors: expected a count or a share"),
        (("--max-new-errors", ""), "--max-new-errors: the value is empty"),
        (
            ("--max-negative-flip-rate", "0.5"),
            "max-negative-flip-rate: expected a share of all sites (0.5%), got '0.5'",
        ),
        (("--require", "f1 >= bas"), "unknown name 'bas' (did you mean 'base'?)\n  f1 >= bas\n        ^^^"),
        (("--require", ""), "comparanda: "),
        (("--measure", "f1", "--max-new-errors", "1"), "has no effect without fail-if-significantly-worse"),
        (("--measure", "f3"), "unknown measure 'f3'"),
        (("--base", "spacy", "--new", "spacy"), "compared with itself"),
        (("--base", "nobody"), "unknown system 'nobody'"),
        (("--view", "las"), "unknown view 'las'"),
        (("--write-baseline",), "add --baseline FILE"),
        (("--junit", KEY), "--junit would overwrite an input"),
        (("--markdown", "./demo/hanta.conllu"), "--markdown would overwrite an input"),
        (("--baseline", BASE, "--write-baseline"), "--baseline would overwrite an input"),
        (("--junit", "x", "--markdown", "./x"), "--junit and --markdown are the same file"),
        (("--junit", "x", "-o", "x"), "--output and --junit are the same file"),
    ],
)
def test_what_is_asked_wrongly_is_refused(gate: Call, options: tuple[str, ...], told: str) -> None:
    outcome = gate(*options)
    assert (outcome.code, outcome.out) == (2, "")
    assert told in outcome.err
    assert sorted(path.name for path in Path().iterdir()) == ["demo"]


def test_a_gate_is_about_two_systems(gate: Call) -> None:
    alone = gate(inputs=(KEY, BASE))
    assert (alone.code, "gate requires a base and a new system" in alone.err) == (2, True)
    many = (KEY, BASE, NEW, "demo/brill.conllu")
    crowd = gate(inputs=many)
    assert (crowd.code, "there are 3" in crowd.err) == (2, True)
    chosen = gate("--base", "brill", "--new", "hanta", "--require", "f1 > base", inputs=many)
    assert (chosen.code, "(brill → hanta)" in chosen.out) == (0, True)
    turned = gate("--new", "spacy", "--require", "f1 > base")
    assert (turned.code, "(hanta → spacy)" in turned.out) == (0, True)


def test_bad_input_has_its_own_exit_code(gate: Call) -> None:
    assert gate(inputs=(KEY, BASE, "none.conllu")).code == 3
    write("empty.conllu", "")
    assert gate(inputs=(KEY, BASE, "empty.conllu")).code == 3
    write("other.conllu", conllu(marked=True))
    assert gate(inputs=(KEY, BASE, "other.conllu")).code == 3


def test_a_result_folder_with_two_systems(gate: Call, capsys: pytest.CaptureFixture[str]) -> None:
    files = gate("--max-new-errors", "20", inputs=SPANS, common=("--task", "span", "-q", "--resamples", "0"))
    cp.compare(SPANS[0], {"spacy": SPANS[1], "spacy2": SPANS[2]}, task="span", resamples=0).save("folder")
    folder = run(capsys, "gate", "folder", "--max-new-errors", "20")
    assert (folder.code, folder.out) == (files.code, files.out) == (0, files.out)
    turned = run(capsys, "gate", "folder", "--base", "spacy2", "--max-new-errors", "20")
    assert (turned.code, "(spacy2 → spacy)" in turned.out) == (1, True)
    assert run(capsys, "gate", "folder", "--junit", "folder/x.xml").code == 2


def test_several_runs_on_the_command_line(gate: Call) -> None:
    outcome = gate("--max-new-errors", "200", "--json", inputs=(KEY, BASE, "two=demo/hanta.conllu,demo/brill.conllu"))
    check = outcome.json["gate"]["checks"][0]
    assert outcome.json["gate"]["run_pairs"] == 2
    assert check["measured"] == check["count"] / 2


# Baselines


def test_bless_then_gate(gate: Call) -> None:
    blessed = gate("--baseline", "gate.json", "--write-baseline", inputs=(KEY, BASE), common=("--task", "pos"))
    assert (blessed.code, blessed.out) == (0, "")
    assert "wrote gate.json: spacy is the base from now on" in blessed.err
    with_output = gate("--baseline", "gate.json", "--max-new-errors", "149")
    assert (with_output.code, with_output.out) == (0, gate("--max-new-errors", "149").out)
    without = gate("--baseline", "gate.json", "--require", "accuracy >= base - 2", inputs=(KEY, NEW))
    assert (without.code, "(spacy → hanta)" in without.out) == (1, True)
    assert gate("--baseline", "gate.json", "--require", "accuracy >= base - 3", inputs=(KEY, NEW)).code == 0


def test_bless_and_gate_at_once(gate: Call) -> None:
    outcome = gate("--baseline", "gate.json", "--write-baseline", "--max-new-errors", "0")
    assert outcome.code == 1
    assert json.loads(Path("gate.json").read_text(encoding="utf-8"))["base"]["name"] == "spacy"


def test_unlike_things_are_not_compared(gate: Call) -> None:
    gate("--baseline", "gate.json", "--write-baseline", inputs=(KEY, BASE))
    other = gate("--baseline", "gate.json", "--max-new-errors", "999", "--junit", "x.xml", inputs=(KEY, NEW, BASE))
    assert (other.code, other.out) == (3, "")
    assert "the inputs have changed since the baseline was written" in other.err
    assert "base: hanta.conllu has changed" in other.err
    assert not Path("x.xml").exists()
    narrowed = gate("--baseline", "gate.json", "--max-new-errors", "999", "--where", 'label == "NOUN"')
    assert (narrowed.code, "setting where: not set before" in narrowed.err) == (3, True)


def test_what_needs_the_output_of_the_base_is_a_usage_error(gate: Call) -> None:
    gate("--baseline", "gate.json", "--write-baseline", inputs=(KEY, BASE))
    for options in ((), ("--max-new-errors", "1"), ("--fail-if-significantly-worse",), ("--require", "diff < 5")):
        outcome = gate("--baseline", "gate.json", *options, inputs=(KEY, NEW))
        assert (outcome.code, outcome.out, "output" in outcome.err) == (2, "", True)


def test_a_damaged_or_missing_baseline_is_bad_input(gate: Call) -> None:
    missing = gate("--baseline", "gate.json", "--require", "f1 > 1")
    assert (missing.code, "the baseline cannot be read" in missing.err) == (3, True)
    write("gate.json", "{}")
    damaged = gate("--baseline", "gate.json", "--require", "f1 > 1")
    assert (damaged.code, "not a baseline file of comparanda" in damaged.err) == (3, True)


def test_settings_in_a_file(gate: Call, capsys: pytest.CaptureFixture[str]) -> None:
    write(
        "set/comparanda.toml",
        'key = "../demo/key.conllu"\ntask = "pos"\nresamples = 0\nmax-new-errors = "5%"\nlabel = ["NOUN", "VERB"]\n'
        'baseline = "gate.json"\njunit = "gate.xml"\n[systems]\nold = "../demo/spacy.conllu"\n'
        'new = "../demo/hanta.conllu"\n',
    )
    written = run(capsys, "gate", "--config", "set/comparanda.toml", "-q", "--write-baseline")
    assert (written.code, Path("set/gate.json").exists(), Path("set/gate.xml").exists()) == (0, True, True)
    again = run(capsys, "gate", "--config", "set/comparanda.toml", "-q")
    assert (again.code, again.out) == (0, written.out)
    assert "at most 5 % (NOUN, VERB)" in again.out
