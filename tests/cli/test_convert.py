"""`comparanda convert`: from one format to another, losses said, refusals with the reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import run

BIO = "Anna\tB-PER\nSmith\tI-PER\nran\tO\n\nBo\tB-PER\n"
DOCUMENT = {
    "id": "d1",
    "text": "Anna met Bo.",
    "spans": [
        {"begin": 0, "end": 4, "label": "PER", "id": "Q1|NIL", "confidence": "low"},
        {"begin": 9, "end": 11, "label": "PER", "id": "Q2"},
    ],
}
NESTED = {
    "id": "d1",
    "text": "New York",
    "spans": [{"begin": 0, "end": 8, "label": "A"}, {"begin": 4, "end": 8, "label": "B"}],
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.conll").write_text(BIO)
    Path("gold.jsonl").write_text(json.dumps(DOCUMENT) + "\n")
    Path("nested.jsonl").write_text(json.dumps(NESTED) + "\n")


def test_the_output_s_name_tells_the_format(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "convert", "gold.jsonl", "out.conllu")
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err == "wrote out.conllu: 2 spans in 1 document, from jsonl to conllu\n"
    again = run(capsys, "convert", "out.conllu", "-", "--to", "jsonl", "-q")
    read = json.loads(again.out)
    assert (read["id"], read["text"]) == ("d1", "Anna met Bo.")
    assert [(each["begin"], each["end"], each["id"]) for each in read["spans"]] == [(0, 4, "Q1|NIL"), (9, 11, "Q2")]


def test_losses_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "convert", "gold.conll", "-", "--to", "jsonl")
    assert json.loads(outcome.out)["text"] == "Anna Smith ran Bo"
    assert outcome.err == (
        "note: output: not written: white space between words, which the input does not have: one space is put: 1"
        " (gold)\n"
    )


def test_strict_refuses_losses(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "convert", "gold.conll", "out.jsonl", "--strict")
    assert outcome.code == 3
    assert outcome.err.startswith("comparanda: there is something to note, and --strict refuses that\n")
    assert not Path("out.jsonl").exists()


def test_what_a_format_cannot_say_at_all_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "convert", "nested.jsonl", "out.conll", "--to", "columns")
    assert outcome.code == 3
    assert outcome.err.startswith("comparanda: two spans share words, and chunk tags cannot say that\n")
    assert not Path("out.conll").exists()


def test_a_format_with_many_files_makes_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "convert", "gold.jsonl", "out", "--to", "brat").code == 0
    assert sorted(path.name for path in Path("out").iterdir()) == ["d1.ann", "d1.txt"]
    assert Path("out/d1.txt").read_text() == "Anna met Bo."
    assert run(capsys, "convert", "out", "again.jsonl", "-q").code == 0
    spans = json.loads(Path("again.jsonl").read_text())["spans"]
    assert [(each["begin"], each["id"]) for each in spans] == [(0, "Q1|NIL"), (9, "Q2")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gold.jsonl", "gold.jsonl"), "the output would be written over the input: 'gold.jsonl'"),
        (("gold.jsonl", "out.xyz"), "which format is 'out.xyz' to have?"),
        (
            ("gold.jsonl", "out", "--to", "bratt"),
            "no format that can be written is called 'bratt' (did you mean 'brat'?)",
        ),
        (("gold.jsonl", "out.jsonl::jsonl", "--to", "brat"), "--to brat and ::jsonl exclude each other"),
        (("gold.jsonl", "-", "--to", "brat"), "format 'brat' has a file for each document"),
        (
            ("gold.jsonl", "out.conll::columns?schema=x"),
            "format 'columns' has no option 'schema' for writing (did you mean",
        ),
    ],
)
def test_what_cannot_be_meant(arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "convert", *arguments)
    assert outcome.code == 2
    assert outcome.err.startswith(f"comparanda: {said}")


def test_a_folder_that_is_not_empty_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    Path("out").mkdir()
    Path("out/mine.txt").write_text("x")
    outcome = run(capsys, "convert", "gold.jsonl", "out", "--to", "brat")
    assert (outcome.code, outcome.err) == (3, "comparanda: out: the folder is not empty\n")
    assert [path.name for path in Path("out").iterdir()] == ["mine.txt"]


def test_what_cannot_be_read_is_told_as_ever(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.jsonl").write_text('{"id": "d1", "text": "x", "spans": [{"begin": 0, "end": 9, "label": "A"}]}\n')
    outcome = run(capsys, "convert", "bad.jsonl", "out.jsonl")
    assert outcome.code == 3
    assert "ends at 9, but the text has 1 character" in outcome.err
