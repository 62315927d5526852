"""Systems of several runs on the command line: `gpt=run1.conllu,run2.conllu`."""

from __future__ import annotations

import io
from pathlib import Path

import jsonschema
import pytest

import comparanda as cp
from comparanda.render.json import schema
from tests.cli.files import conllu, write
from tests.command import Outcome, run

TASK = ("--task", "pos", "--resamples", "0", "-q")


@pytest.fixture
def runs(work: Path) -> str:
    """Write a key, two runs that have one and two of five tags wrong, and another system."""
    write("gold.conllu", conllu())
    write("one.conllu", conllu("NOUN", "NOUN"))
    write("two.conllu", conllu("VERB", "NOUN"))
    write("crf.conllu", conllu("NOUN", "ADV"))
    return "gpt=one.conllu,two.conllu"


def scores(outcome: Outcome) -> dict[str, list[float]]:
    found = outcome.json["scores"]["scores"]
    return {each["system"]: each["by_run"] for each in found if each["measure"] == "accuracy"}


def test_score(runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "score", "gold.conllu", runs, "crf.conllu", *TASK, "--json")
    assert scores(outcome) == {"gpt": [0.8, 0.6], "crf": [0.8]}


def test_the_library_does_the_same(runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "stability", "gold.conllu", runs, "crf.conllu", *TASK, "--json")
    systems = {"gpt": cp.Runs("one.conllu", "two.conllu"), "crf": "crf.conllu"}
    found = cp.compare("gold.conllu", systems, task="pos", resamples=0).stability()
    assert outcome.json["stability"]["systems"][0]["within"] == found.systems[0].within == 0.2
    assert outcome.json["stability"]["pairs"][0]["reason"] == "crf: one run, so its own noise is unknown"
    jsonschema.validate(outcome.json, schema("stability"))


def test_every_command_takes_them(runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("gold.conllu", runs, "crf.conllu", *TASK)
    anatomy = run(capsys, "compare", *given, "--json").json["anatomy"]
    assert anatomy["combination"]["runs"] == ["gpt#1", "gpt#2", "crf"]
    assert anatomy["stability"]["systems"][0]["flips"]["count"] == 1
    assert run(capsys, "diff", *given, "--json").json["difference"]["run_pairs"] == 2
    shown = run(capsys, "examples", *given, "--where", 'flips("gpt")', "--json").json["examples"]
    places = {answer["run"]: answer["place"] for answer in shown["examples"][0]["answers"]}
    assert (shown["count"], places) == (
        1,
        {"gpt#1": "one.conllu:1", "gpt#2": "two.conllu:1", "crf": "crf.conllu:1"},
    )


def test_a_result_folder(runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "compare", "gold.conllu", runs, *TASK, "--save", "saved")
    again = run(capsys, "stability", "saved", "--resamples", "0", "--format", "csv", "-q")
    assert again.out == run(capsys, "stability", "gold.conllu", runs, *TASK, "--format", "csv").out
    assert again.out.startswith("system,runs,lowest,")


def test_validate_checks_each_run(runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    write("two.conllu", "1\tonly\n")
    write("labels.tsv", "NN\tNOUN\n")
    outcome = run(
        capsys, "validate", "gold.conllu", runs, "crf.conllu", "--task", "pos", "--map", "gpt=labels.tsv", "-q"
    )
    assert outcome.code == 1
    assert "gpt#1: can be aligned with the key, 5 sites" in outcome.out
    assert "crf: can be aligned with the key, 5 sites" in outcome.out
    assert "two.conllu:1" in outcome.out
    assert "1 of 3 runs cannot be compared" in outcome.out


def test_a_label_map_holds_for_all_runs(runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one.conllu", "two.conllu"):
        write(name, conllu("N", "VERB", "N"))
    write("labels.tsv", "N\tNOUN\n")
    outcome = run(capsys, "score", "gold.conllu", runs, *TASK, "--map", "gpt=labels.tsv", "--json")
    assert scores(outcome) == {"gpt": [1.0, 1.0]}


def test_notes_name_the_run(runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    write("two.conllu", conllu("XX", "NOUN"))
    outcome = run(capsys, "score", "gold.conllu", runs, "--task", "pos", "--resamples", "0")
    assert "note: gpt#2: labels the key never uses: 1 (XX ×1, likely NOUN (100 %))" in outcome.err


def test_a_toml_file_lists_them(runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    write(
        "setup/c.toml",
        'key = "../gold.conllu"\n[systems]\ngpt = ["../one.conllu", "../two.conllu"]\ncrf = "../crf.conllu"\n',
    )
    outcome = run(capsys, "score", "--config", "setup/c.toml", *TASK, "--json")
    assert scores(outcome) == {"gpt": [0.8, 0.6], "crf": [0.8]}


@pytest.mark.parametrize("files", ["[]", "[1]", "3"])
def test_a_toml_file_with_something_else(files: str, runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    write("c.toml", f'key = "gold.conllu"\n[systems]\ngpt = {files}\n')
    outcome = run(capsys, "score", "--config", "c.toml", *TASK)
    assert (outcome.code, outcome.err) == (2, "comparanda: c.toml: [systems] must be a table of names and files\n")


def test_runs_from_standard_input(
    runs: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("two.conllu").read_bytes())))
    assert scores(run(capsys, "score", "gold.conllu", "gpt=one.conllu,-", *TASK, "--json")) == {"gpt": [0.8, 0.6]}


@pytest.mark.parametrize(
    ("system", "problem"),
    [
        ("gpt=one.conllu,,two.conllu", "a run of 'gpt=one.conllu,,two.conllu' is empty"),
        ("gpt=one.conllu,./one.conllu", "the same run is given twice: './one.conllu'"),
        ("gpt=one.conllu,gold.conllu", "the key is also given as a system: 'gold.conllu'"),
        ("gpt=one.conllu,nowhere.conllu", "nowhere.conllu: no such file"),
        ("gpt=-,-", "standard input can be read only once, but '-' is given twice"),
        (
            "one.conllu,two.conllu",
            "'one.conllu,two.conllu' is not a file\n  several runs require a name: NAME=FIRST,SECOND,…",
        ),
        ("=one.conllu,two.conllu", "several runs require a name: NAME=FIRST,SECOND,…"),
        ("key=one.conllu,two.conllu", "a system cannot be named 'key'"),
    ],
)
def test_what_cannot_be_meant(system: str, problem: str, runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "score", "gold.conllu", system, *TASK)
    assert outcome.code in {2, 3}
    assert problem in outcome.err


def test_an_output_does_not_overwrite_a_run(runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "score", "gold.conllu", runs, *TASK, "--json", "-o", "two.conllu")
    assert (outcome.code, Path("two.conllu").read_text()) == (2, conllu("VERB", "NOUN"))


def test_stability_without_runs(runs: str, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "stability", "gold.conllu", "one.conllu", "crf.conllu", *TASK)
    assert (outcome.code, outcome.err) == (
        2,
        "comparanda: no system has more than one run\n  give several: NAME=FIRST,SECOND,… or Runs(first, second, …)\n",
    )


def test_explaining_rules_names_the_run(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = "demo/entities"
    given = (f"{folder}/key.bio", f"s={folder}/spacy.bio,{folder}/spacy2.bio", "--text", "the weekend", "-q")
    both = run(capsys, "rules", "explain", *given, "--json").json
    assert {span["system"] for span in both["explanation"]["spans"]} == {"s#1", "s#2"}
    one = run(capsys, "rules", "explain", *given, "--side", "s#2", "--json").json
    assert {span["system"] for span in one["explanation"]["spans"]} == {"s#2"}
    outcome = run(capsys, "rules", "explain", *given, "--side", "s")
    assert "unknown side 's'" in outcome.err
    assert "sides: key, s#1, s#2" in outcome.err
