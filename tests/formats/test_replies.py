"""Answers as they come back: our own records, spreadsheets, Prodigy and Label Studio."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from comparanda.errors import ReadError
from comparanda.formats.replies import Reply, read_replies


def read(folder: Path, name: str, text: str) -> list[tuple[str, str | None]]:
    path = folder / name
    path.write_text(text)
    return [(reply.id, reply.answer) for reply in read_replies(str(path))]


def lines(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_our_own_records(tmp_path: Path) -> None:
    records = [{"id": f"q{number}", "answer": answer} for number, answer in enumerate(["yes", " no ", "", None, True])]
    assert read(tmp_path, "a.jsonl", lines(*records, {"id": "q5", "options": "yes | no", "answer": False})) == [
        ("q0", "yes"),
        ("q1", "no"),
        ("q2", None),
        ("q3", None),
        ("q4", "yes"),
        ("q5", "no"),
    ]


def test_each_answer_has_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('id,text,answer\nq1,"two\nlines",yes\nq2,one,\n')
    assert read_replies(str(path)) == [Reply("q1", "yes", f"{path}:2"), Reply("q2", None, f"{path}:4")]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_spreadsheets(tmp_path: Path, separator: str) -> None:
    rows = [["number", "ID", "Answer"], ["1", "d:0-1:A:label", "yes"], ["2", '"a;b,c\t"', "PER"]]
    text = "\ufeff" + "\r\n".join(separator.join(row) for row in rows)
    assert read(tmp_path, "a.csv", text) == [("d:0-1:A:label", "yes"), ("a;b,c\t", "PER")]


def test_prodigy_accepts_rejects_ignores_and_chooses(tmp_path: Path) -> None:
    binary = [
        {"id": answer, "text": "x", "_task_hash": 1, "answer": answer} for answer in ("accept", "reject", "ignore")
    ]
    options = {
        "options": [{"id": "PER", "text": "PER"}, {"id": "none", "text": "none"}],
        "config": {"choice_style": "single"},
    }
    chosen = [
        {"id": "c1", **options, "accept": ["PER"], "answer": "accept"},
        {"id": "c2", **options, "accept": [], "answer": "accept"},
        {"id": "c3", **options, "accept": ["PER"], "answer": "reject"},
        {"id": "c4", **options},
    ]
    assert read(tmp_path, "a.jsonl", lines(*binary, *chosen)) == [
        ("accept", "accept"),
        ("reject", "reject"),
        ("ignore", "ignore"),
        ("c1", "PER"),
        ("c2", "unsure"),
        ("c3", "unsure"),
        ("c4", None),
    ]


def annotation(*choices: str, cancelled: bool = False) -> dict[str, Any]:
    result = [{"type": "choices", "from_name": "answer", "to_name": "text", "value": {"choices": list(choices)}}]
    return {"completed_by": 1, "was_cancelled": cancelled, "result": result if choices else []}


def test_label_studio_has_tasks_with_annotations(tmp_path: Path) -> None:
    tasks = [
        {"id": 1, "data": {"question_id": "q1"}, "annotations": [annotation("yes"), annotation("no", cancelled=True)]},
        {"id": 2, "data": {"question_id": "q2"}, "annotations": [annotation("no"), annotation("yes")]},
        {"id": 3, "data": {"question_id": "q3"}, "annotations": [annotation()]},
        {"id": 4, "data": {"question_id": "q4"}},
    ]
    wanted = [("q1", "yes"), ("q2", "no"), ("q2", "yes"), ("q3", None), ("q4", None)]
    assert read(tmp_path, "a.json", json.dumps(tasks)) == wanted


def test_label_studio_has_a_short_form(tmp_path: Path) -> None:
    short = [
        {"id": 7, "question_id": "q1", "answer": "yes"},
        {"id": 8, "question_id": "q2", "answer": {"choices": ["PER"]}},
    ]
    assert read(tmp_path, "a.json", json.dumps(short)) == [("q1", "yes"), ("q2", "PER")]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"answer": "yes"}\n', ":1: there is no 'id' with the id of the question"),
        ('{"id": 4, "answer": "yes"}\n', ":1: there is no 'id' with the id of the question"),
        ('{"id": "q", "answer": 4}\n', ":1: 'answer' is 4, not a string"),
        ('{"id": "q", "answer": {"choices": ["a", "b"]}}\n', ":1: 2 options are chosen: a, b"),
        ('[{"data": {"id": "q"}, "annotations": 3}]', ":1: 'annotations' is 3, not an array"),
        ('[{"data": {}, "annotations": []}]', ":1: there is no 'data.id' with the id of the question"),
        ('{"id": "q", "answer": "yes"', ":1: the JSON object is cut off"),
        ("id,reply\nq,yes\n", ":1: there are no columns 'id' and 'answer', and the file is not JSON"),
        ("id,answer\n,yes\n", ":2: the row has no 'id'"),
        ("id,answer\nq\n", ":2: expected 2 columns as in the header, got 1"),
        ("", ": the file is empty"),
    ],
)
def test_what_is_no_answer_is_refused_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(text)
    with pytest.raises(ReadError) as found:
        read_replies(str(path))
    assert str(found.value).splitlines()[0] == f"{path}{problem}"
