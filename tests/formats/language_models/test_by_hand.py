"""A file of 26 answers in all forms, counted on fingers: every answer is about the same two names."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import comparanda

TEXT = "Nokia moved to Espoo."
RIGHT = '[{"text": "Nokia", "label": "ORG"}, {"text": "Espoo", "label": "LOC"}]'


class Case(NamedTuple):
    """An answer, how many of the two names it has right, the outcome of a wrong item, and what is noted about it."""

    answer: Any
    right: int
    wrong: str = ""
    noted: str = ""


READ = "answers cut off, read up to the last complete item"
LISTED = "answers that are not JSON, read as lists or tables"
UNREAD = "answers that cannot be read, treated as having no items"
REFUSED = "answers that refuse the task, treated as having no items"
MENDED = "answers with invalid JSON, repaired"
DOUBLED = "answers with a field given twice, of which the last one counts"

CASES = [
    Case(RIGHT, 2),
    Case(json.loads(RIGHT), 2),
    Case(f"Sure:\n```json\n{RIGHT}\n```", 2),
    Case("[('Nokia', 'ORG'), ('Espoo', 'LOC')]", 2, noted=MENDED),
    Case('{"ORG": ["Nokia"], "LOC": ["Espoo"]}', 2),
    Case('{"Nokia": "ORG", "Espoo": "LOC"}', 2),
    Case({"Nokia": "ORG"}, 1),
    Case("- Nokia (ORG)\n- Espoo (LOC)", 2, noted=LISTED),
    Case("1. Nokia – ORG\n2. Espoo – PER", 1, "FP", LISTED),
    Case("ORG: Nokia\nLOC: Espoo", 2, noted=LISTED),
    Case("**ORG:** Nokia, Volvo", 1, "FP (hallucinated)", LISTED),
    Case("| Type | Entity |\n|---|---|\n| ORG | Nokia |", 1, noted=LISTED),
    Case("[Nokia](ORG) moved to [Espoo](LOC).", 2),
    Case("No entities found.", 0),
    Case("None", 0),
    Case("[]", 0),
    Case("{}", 0),
    Case("I'm sorry, but I can't help with that.", 0, noted=REFUSED),
    Case("As an AI, I do not do that.", 0, noted=REFUSED),
    Case(None, 0, noted=UNREAD),
    Case("Nokia is a company from Finland.", 0, noted="copy"),
    Case(RIGHT[:60], 1, noted=READ),
    Case(RIGHT[:20], 0, noted=UNREAD),
    Case('{"ORG": "Volvo", "ORG": "Nokia"}', 1, noted=DOUBLED),
    Case('{"ORG": ["Nokia", "Nokia"]}', 1, "FP (repeated)"),
    Case('Draft: [["Espoo", "ORG"]]. Final: [["Espoo", "LOC"]]', 1, "FP"),
]


def score(tmp_path: Path, *, options: str = "", envelope: bool = False) -> comparanda.Result:
    spans = [{"begin": 0, "end": 5, "label": "ORG"}, {"begin": 15, "end": 20, "label": "LOC"}]
    names = [f"d{number}" for number in range(len(CASES))]
    key, answers = tmp_path / "key.jsonl", tmp_path / "a.jsonl"
    key.write_text("".join(json.dumps({"id": name, "text": TEXT, "spans": spans}) + "\n" for name in names))
    lines = [
        {"custom_id": name, "error": None, "response": {"body": {"choices": [{"message": {"content": case.answer}}]}}}
        if envelope
        else {"id": name, "answer": case.answer}
        for name, case in zip(names, CASES, strict=True)
    ]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return comparanda.compare(str(key), {"s": f"{answers}::llm{options}"}, task="span", resamples=0)


@pytest.mark.parametrize("envelope", [False, True])
def test_the_outcomes_and_the_notes_are_those_counted_by_hand(tmp_path: Path, envelope: bool) -> None:
    result = score(tmp_path, envelope=envelope)
    found = {each.outcome: each.count for each in result.scores().outcomes if each.count}
    right = sum(case.right for case in CASES)
    assert right == 26
    assert found == {"TP": 26, "FN": 52 - 26, "FP": 2, "FP (hallucinated)": 1, "FP (repeated)": 1}
    wrong = Counter(case.wrong for case in CASES if case.wrong)
    assert wrong == {name: count for name, count in found.items() if name.startswith("FP")}
    counts = {note.what: note.count for note in result.notes}
    for what, count in {READ: 1, LISTED: 5, UNREAD: 2, REFUSED: 2, MENDED: 1, DOUBLED: 1}.items():
        assert counts[what] == count == sum(case.noted == what for case in CASES)
    assert counts["answers whose copy of the text differs from it"] == 1  # prose, in a file with copies


def test_the_last_piece_alone(tmp_path: Path) -> None:
    found = {each.outcome: each.count for each in score(tmp_path, options="?take=last").scores().outcomes}
    assert (found["TP"], found["FP"]) == (26, 1)


def test_without_repairs(tmp_path: Path) -> None:
    found = {each.outcome: each.count for each in score(tmp_path, options="?repair=no").scores().outcomes}
    assert (found["TP"], found["FN"]) == (23, 29)
