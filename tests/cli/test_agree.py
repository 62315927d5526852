"""`comparanda agree`: outputs without a key."""

from __future__ import annotations

import io
from pathlib import Path

import jsonschema
import pytest

import comparanda as cp
from comparanda.render.json import schema
from tests.cli.files import conllu, write
from tests.command import run

TASK = ("--task", "pos", "--resamples", "0", "-q")


@pytest.fixture
def files(work: Path) -> tuple[str, str, str]:
    return (
        write("one.conllu", conllu(marked=True)),
        write("two.conllu", conllu("NOUN", "NOUN", marked=True)),
        write("three.conllu", conllu("VERB", "NOUN", marked=True)),
    )


def test_the_library_does_the_same(files: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "agree", *files, *TASK, "--json")
    jsonschema.validate(outcome.json, schema("agreements"))
    found = cp.agreement({Path(file).stem: file for file in files}, task="pos", resamples=0)
    told = outcome.json["agreements"]
    assert [pair["score"] for pair in told["pairs"]] == [pair.score for pair in found.pairs] == [0.8, 0.6, 0.8]
    assert told["alpha"]["value"] == found.alpha.value
    assert (told["outputs"], told["reference"]) == (["one", "two", "three"], "one")


def test_the_table(files: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "agree", *files, *TASK, "--reference", "two", "--format", "csv")
    assert outcome.out.splitlines()[0].startswith(
        "first,second,score,score_interval_low,score_interval_high,distance,diff,"
    )
    shown = run(capsys, "agree", *files, *TASK, "--reference", "two").out
    assert "documents and tokens are those of two" in shown
    assert "Documents by disagreement: not unanimous at 2 of 5 sites (40.00 %)" in shown


def test_conditions_lead_to_examples(files: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    told = run(capsys, "agree", *files, *TASK, "--json").json["agreements"]
    where = told["documents"][0]["disagreed"]["where"]
    shown = run(capsys, "examples", *files, *TASK, "--where", where, "--json").json["examples"]
    assert (shown["count"], told["documents"][0]["disagreed"]["count"]) == (2, 2)


def test_runs_a_configuration_and_standard_input(
    files: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = run(capsys, "agree", "gpt=one.conllu,two.conllu", "three.conllu", *TASK, "--json").json["agreements"]
    assert told["outputs"] == ["gpt#1", "gpt#2", "three"]
    write("c.toml", 'task = "pos"\n[systems]\na = "one.conllu"\nb = "two.conllu"\n')
    told = run(capsys, "agree", "--config", "c.toml", "--resamples", "0", "--json", "-q").json["agreements"]
    assert told["outputs"] == ["a", "b"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("two.conllu").read_bytes())))
    told = run(capsys, "agree", "one.conllu", "-", *TASK, "--json").json["agreements"]
    assert told["outputs"] == ["one", "stdin"]


def test_notes(files: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    write("two.conllu", conllu("XX"))
    outcome = run(capsys, "agree", "one.conllu", "two.conllu", "--task", "pos", "--resamples", "0")
    assert "note: two: labels 'one' never uses: 1 (XX ×1, likely NOUN (100 %))" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "no output given\n  comparanda agree NAME=FILE NAME=FILE…"),
        (("one.conllu",), "agreement requires at least two outputs"),
        (("one.conllu", "one.conllu"), "two systems are named 'one'"),
        (("one.conllu", "nowhere.conllu"), "nowhere.conllu: no such file"),
        (("one.conllu", "two.conllu", "--reference", "tow"), "unknown output 'tow' (did you mean 'two'?)"),
        (("-", "x=-"), "standard input can be read only once"),
        (("one.conllu", "two.conllu", "--map", "three=x.tsv"), "label map for an unknown side: 'three'"),
        (("one.conllu", "two.conllu", "--json", "-o", "two.conllu"), "--output would overwrite an input"),
    ],
)
def test_what_cannot_be_asked(
    arguments: tuple[str, ...], problem: str, files: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run(capsys, "agree", *arguments, *TASK)
    assert outcome.code in {2, 3}
    assert problem in outcome.err


def test_the_task_must_be_given(files: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert "missing option --task" in run(capsys, "agree", "one.conllu", "two.conllu").err
