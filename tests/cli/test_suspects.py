"""`comparanda suspects`: where the key may be wrong, to be read or annotated again."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.files import conllu, write
from tests.command import run

FIELDS = [
    "rank", "document", "place", "begin", "end", "word", "key", "proposed", "agree", "of", "kind", "text", "decision",
]  # fmt: skip


def three() -> tuple[str, ...]:
    """Write a key and three systems: all say that Dogs is a verb, two that bark is a noun, and all differ on well."""
    return (
        write("gold.conllu", conllu()),
        write("a.conllu", conllu("VERB", "NOUN", "NOUN", "VERB", "X")),
        write("b.conllu", conllu("VERB", "NOUN", "NOUN", "VERB", "Y")),
        write("c.conllu", conllu("VERB", "VERB", "NOUN", "VERB", "Z")),
        "--task",
        "pos",
    )


def test_what_all_have_otherwise_comes_first(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    done = run(capsys, "suspects", *three())
    assert done.code == 0
    assert "Suspect annotations: 2 sites of 5" in done.out
    assert (
        "all of 3 runs agree with each other against the key: 1 site (agreement >= 3 and not majority_right)"
        in done.out
    )
    assert "in the key, but found by no run: 2 sites (solved_by == 0)" in done.out
    rows = [line.split() for line in done.out.splitlines() if "gold.conllu:" in line]
    assert [(row[0], row[5], row[6], row[7], row[8], row[9]) for row in rows] == [
        ("1", "Dogs", "NOUN", "VERB", "3", "3"),
        ("2", "well", "ADV", "X", "1", "3"),
    ]


def test_fewer_may_be_enough(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    done = run(capsys, "suspects", *three(), "--at-least", "2")
    assert "Suspect annotations: 3 sites of 5" in done.out
    assert "at least 2 of 3 runs" in done.out


def test_json_lines_have_room_for_a_decision(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = run(capsys, "suspects", *three(), "-o", "again.jsonl")
    assert (done.code, done.out) == (0, "")
    lines = [json.loads(line) for line in (work / "again.jsonl").read_text().splitlines()]
    assert list(lines[0]) == FIELDS
    assert lines[0] == {
        "rank": 1,
        "document": "gold",
        "place": "gold.conllu:1",
        "begin": 0,
        "end": 1,
        "word": "Dogs",
        "key": "NOUN",
        "proposed": "VERB",
        "agree": 3,
        "of": 3,
        "kind": "both",
        "text": "[Dogs] bark",
        "decision": "",
    }
    assert [(line["word"], line["kind"]) for line in lines] == [("Dogs", "both"), ("well", "found by none")]


def test_csv_and_markdown(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    done = run(capsys, "suspects", *three(), "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [(row["word"], row["proposed"], row["decision"]) for row in rows] == [
        ("Dogs", "VERB", ""),
        ("well", "X", ""),
    ]
    assert "| Dogs | NOUN | VERB | 3 | 3 |" in run(capsys, "suspects", *three(), "--format", "md").out


def test_json_has_the_conditions(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    files = three()
    found = run(capsys, "suspects", *files, "--json").json["suspects"]
    assert found["agreed"] == {"of": "sites", "count": 1, "where": "agreement >= 3 and not majority_right"}
    where = found["suspects"][0]["where"]
    assert where == 'document == "gold" and word == "Dogs" and key == "NOUN" and solved_by == 0'
    assert "1 of 1 example shown" in run(capsys, "examples", *files, "--where", where).out


def test_top_cuts_every_format(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    files = three()
    assert len(run(capsys, "suspects", *files, "--top", "1", "--format", "jsonl").out.splitlines()) == 1
    found = run(capsys, "suspects", *files, "--top", "1", "--json").json["suspects"]
    assert (len(found["suspects"]), found["count"]) == (1, 2)
    assert "… 1 more suspect (--top 0 for all)" in run(capsys, "suspects", *files, "--top", "1").out


@pytest.mark.parametrize("given", ["0", "x", "-1"])
def test_at_least_takes_a_number(work: Path, capsys: pytest.CaptureFixture[str], given: str) -> None:
    del work
    done = run(capsys, "suspects", *three(), "--at-least", given)
    assert done.code == 2
    assert "expected an integer of at least 1" in done.err


def test_more_than_all_cannot_agree(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    done = run(capsys, "suspects", *three(), "--at-least", "4")
    assert done.code == 2
    assert "4 runs cannot agree" in done.err
    assert "give a number from 1 to 3, the number of runs" in done.err


def test_a_result_folder_has_suspects_too(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    files = three()
    whole = run(capsys, "suspects", *files, "--format", "jsonl").out
    run(capsys, "compare", *files, "--resamples", "0", "--save", "result")
    assert run(capsys, "suspects", "result", "--format", "jsonl").out == whole


def test_spans_are_shown_with_their_text(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del demo
    names = ("key", "spacy", "opennlp", "compromise")
    done = run(capsys, "suspects", *(f"demo/entities/{name}.bio" for name in names), "--task", "span", "-q")
    assert done.code == 0
    assert "of the key" not in done.err
    assert "(positive and claimed_by == 0)" in done.out
