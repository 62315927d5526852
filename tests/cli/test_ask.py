"""`comparanda ask`: questions go out, answers come back, and nothing is asked twice."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from comparanda.cli import options
from comparanda.feedback.protocol import STRATEGIES
from comparanda.feedback.questions import TOOLS
from tests.cli.files import write
from tests.command import Outcome, run

NEWS = "I read the New York Times in Paris."
TALE = "Paris smiled.\nShe was in Rome."
ORG, PARIS, PERSON = "news:11-25:ORG:label", "news:29-34:LOC:label", "tale:0-5:PER:label"
"""The first three questions, by how open they are: 0.54, 0.54 and 0.56."""


def block(*alternatives: tuple[int, int, float, dict[str, float]]) -> dict[str, Any]:
    return {"alternatives": [{"start": b, "end": e, "p": p, "labels": labels} for b, e, p, labels in alternatives]}


def records(**fields: Any) -> list[dict[str, Any]]:
    return [
        {
            "doc": "news",
            "text": NEWS,
            "blocks": [
                block((11, 19, 0.3, {"LOC": 1.0}), (11, 25, 0.6, {"ORG": 0.9, "LOC": 0.1})),
                block((29, 34, 0.9, {"LOC": 0.6, "PER": 0.4})),
            ],
            **fields,
        },
        {
            "doc": "tale",
            "text": TALE,
            "blocks": [block((0, 5, 0.8, {"LOC": 0.3, "PER": 0.7})), block((25, 29, 1.0, {"LOC": 1.0}))],
            **fields,
        },
    ]


def lines(*some: Any) -> str:
    return "".join(json.dumps(each) + "\n" for each in some)


def output(*some: dict[str, Any]) -> str:
    """Write an output: two documents with four blocks, or other records."""
    return write("out.jsonl", lines(*(some or records())))


def answers(name: str = "answers.jsonl", **by_id: Any) -> str:
    return write(name, lines(*({"id": id_, "answer": answer} for id_, answer in by_id.items())))


def ids(outcome: Outcome) -> list[str]:
    return [each["id"] for each in outcome.json["questions"]["questions"]]


def asked(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[str]:
    outcome = run(capsys, "ask", *arguments, "--json", "-q")
    assert (outcome.code, outcome.err) == (0, "")
    return ids(outcome)


def test_a_list_to_read(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    done = run(capsys, "ask", output(), "-n", "2")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[1:] == [
        "Questions by entropy: 7 of 8 tuples uncertain",
        "1  Is ‘New York Times’ an ORG?  54.00 %  news  out.jsonl:1",
        "     I read the [New York Times] in Paris.",
        "2  Is ‘Paris’ a LOC?  54.00 %  news  out.jsonl:1",
        "     I read the New York Times in [Paris].",
        "",
        "Scores claimed by the output",
        "                            precision   recall      f1",
        "──────────────────────────────────────────────────────",
        "now                             66.00    73.33   69.47",
        "after 2 answers, expected       82.50    91.67   86.84",
        "expected scores under the output's own probabilities, blind to entities that it has missed: "
        "true scores require a key",
        "remaining entropy: 5.9 bits",
    ]


def test_as_many_as_are_asked_for_are_shown(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    names = [{"start": 4 * number, "end": 4 * number + 3, "label": "PER", "score": 0.5} for number in range(60)]
    output({"doc": "d", "text": "Ann " * 60, "entities": names})
    assert run(capsys, "ask", "out.jsonl", "-n", "60").out.count("Is ‘Ann’ a PER?") == 60
    few = run(capsys, "ask", "out.jsonl", "-n", "60", "--top", "2").out
    assert few.count("Is ‘Ann’ a PER?") == 2
    assert "… 58 more questions (--top 0 for all)" in few


def test_records_have_room_for_answers_and_come_back(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = run(capsys, "ask", output(), "-n", "3", "-o", "tasks.jsonl", "-q")
    assert (done.code, done.out, done.err) == (0, "", "")
    tasks = [json.loads(line) for line in (work / "tasks.jsonl").read_text().splitlines()]
    assert tasks[0] == {
        "number": 1,
        "id": ORG,
        "question": "Is ‘New York Times’ an ORG?",
        "kind": "label",
        "document": "news",
        "place": "out.jsonl:1",
        "begin": 11,
        "end": 25,
        "word": "New York Times",
        "label": "ORG",
        "options": "yes | no | unsure",
        "probability": 0.54,
        "text": "I read the [New York Times] in Paris.",
        "answer": None,
    }
    assert [each["id"] for each in tasks] == [ORG, PARIS, PERSON]
    back = write("back.jsonl", lines(*({**each, "answer": said} for each, said in zip(tasks, "yn?", strict=True))))
    assert asked(capsys, "out.jsonl", "--answers", back) == ["tale:0-5:LOC:label", "news:29-34:PER:label"]


def test_a_table_for_a_spreadsheet(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "ask", output(), "-n", "2", "-o", "tasks.csv")
    rows = list(csv.DictReader(io.StringIO((work / "tasks.csv").read_text())))
    assert [(row["id"], row["answer"]) for row in rows] == [(ORG, ""), (PARIS, "")]
    rows[0]["answer"], rows[1]["answer"] = "no", "PER"
    with Path("back.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]), delimiter=";")
        table.writeheader()
        table.writerows(rows)
    assert asked(capsys, "out.jsonl", "--answers", "back.csv", "-n", "1") == [PERSON]


def test_prodigy_gets_tasks_and_gives_answers(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = run(capsys, "ask", output(), "-n", "2", "--layout", "prodigy", "-o", "tasks.jsonl")
    assert done.err == "wrote tasks.jsonl\n"
    tasks = [json.loads(line) for line in (work / "tasks.jsonl").read_text().splitlines()]
    assert tasks[0] == {
        "id": ORG,
        "text": NEWS,
        "spans": [{"start": 11, "end": 25, "label": "ORG"}],
        "meta": {"question": "Is ‘New York Times’ an ORG?", "document": "news", "probability": 0.54},
    }
    back = write("back.jsonl", lines({**tasks[0], "answer": "accept"}, {**tasks[1], "answer": "reject"}))
    found = run(capsys, "ask", "out.jsonl", "--answers", back, "--json", "-q").json["questions"]
    assert (found["answers"]["given"], found["answers"]["effective"]) == (2, 2)


def test_prodigy_lets_choose(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    task = run(capsys, "ask", output(), "-n", "1", "--ask", "choice", "--layout", "prodigy").json
    assert [option["id"] for option in task["options"]] == [
        "ORG ‘New York Times’",
        "LOC ‘New York’",
        "LOC ‘New York Times’",
        "none",
        "unsure",
    ]
    back = write("back.jsonl", lines({**task, "accept": ["LOC ‘New York’"], "answer": "accept"}))
    left = run(capsys, "ask", "out.jsonl", "--ask", "choice", "--answers", back, "--json", "-q").json["questions"]
    assert [each["document"] for each in left["questions"]] == ["tale", "news"]
    assert left["claimed"]["precision"] == pytest.approx((1 + 0.54 + 0.56 + 1) / 4)


def test_label_studio_gets_tasks_and_gives_answers(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    tasks = run(capsys, "ask", output(), "-n", "2", "--layout", "label-studio").json
    assert tasks[0] == {
        "data": {
            "question_id": ORG,
            "question": "Is ‘New York Times’ an ORG?",
            "text": "I read the [New York Times] in Paris.",
            "options": [{"value": "yes"}, {"value": "no"}, {"value": "unsure"}],
            "document": "news",
            "probability": 0.54,
        }
    }
    result = [{"type": "choices", "from_name": "answer", "to_name": "text", "value": {"choices": ["yes"]}}]
    exported = [{"id": 5, **tasks[0], "annotations": [{"completed_by": 1, "was_cancelled": False, "result": result}]}]
    write("export.json", json.dumps(exported))
    assert asked(capsys, "out.jsonl", "--answers", "export.json", "-n", "1") == [PARIS]


def test_answers_of_several_rounds_are_taken_in_order(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    first, second = answers("first.jsonl", **{ORG: "yes", PARIS: "no"}), answers("second.jsonl", **{PARIS: "yes"})
    both = run(capsys, "ask", output(), "--answers", first, "--answers", second)
    assert "note: answers: superseded by a later answer: 1 (first.jsonl:2)" in both.err
    assert "2 of 3 answers took effect; 1 superseded by a later answer" in both.out
    last = answers("last.jsonl", **{ORG: "yes", PARIS: "yes"})
    assert asked(capsys, "out.jsonl", "--answers", first, "--answers", second) == asked(
        capsys, "out.jsonl", "--answers", last
    )


def test_when_all_is_known_the_list_is_empty(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    all_of_them = answers(**{ORG: "yes", PARIS: "yes", PERSON: "yes"})
    done = run(capsys, "ask", output(), "--answers", all_of_them)
    assert done.code == 0
    assert "no uncertain tuples are left to ask about" in done.out
    unsure = answers(**dict.fromkeys(asked(capsys, "out.jsonl"), "unsure"))
    assert "--again repeats questions answered with unsure" in run(capsys, "ask", "out.jsonl", "--answers", unsure).out
    assert len(asked(capsys, "out.jsonl", "--answers", unsure, "--again")) == 7


def test_the_updated_output_can_be_scored(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    news = [{"begin": 11, "end": 25, "label": "ORG"}, {"begin": 29, "end": 34, "label": "LOC"}]
    tale = [{"begin": 0, "end": 5, "label": "PER"}, {"begin": 25, "end": 29, "label": "LOC"}]
    gold = ({"id": "news", "text": NEWS, "spans": news}, {"id": "tale", "text": TALE, "spans": tale})
    key = write("key.jsonl", lines(*gold))
    given = answers(**{ORG: "yes", PARIS: "no", PERSON: "yes"})
    done = run(capsys, "ask", output(), "--answers", given, "--updated", "better.jsonl")
    assert "wrote better.jsonl" in done.err
    assert asked(capsys, "better.jsonl") == asked(capsys, "out.jsonl", "--answers", given)
    scored = run(capsys, "score", key, "better.jsonl", "--task", "prob", "--resamples", "0", "--json").json
    scores = {each["measure"]: each["value"] for each in _scores(scored)}
    right, mass = 1 + 0 + 1 + 1, 1 + 0.36 / 0.46 + 1 + 1
    assert scores["expected_precision"] == pytest.approx(right / mass)
    assert scores["expected_recall"] == pytest.approx(right / 4)


def _scores(data: Any) -> list[dict[str, Any]]:
    """Find the scores, wherever the finding has them."""
    if isinstance(data, dict):
        if "measure" in data and "value" in data:
            return [data]
        return [each for value in data.values() for each in _scores(value)]
    return [each for value in data for each in _scores(value)] if isinstance(data, list) else []


def test_an_output_without_a_text_needs_one(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    bare = output(*({name: value for name, value in each.items() if name != "text"} for each in records()))
    done = run(capsys, "ask", bare)
    assert (done.code, done.err) == (
        3,
        "comparanda: out.jsonl: the output has offsets but no text\n  give a file with the text: --text FILE\n",
    )
    done = run(capsys, "ask", bare, "--text", bare)
    assert (done.code, done.err) == (3, "comparanda: out.jsonl: this file has no text, either\n")
    more = {"id": "more", "text": "More.", "spans": []}
    texts = lines({"id": "tale", "text": TALE, "spans": [{"begin": 0, "end": 5, "label": "X"}]}, more)
    write("texts.jsonl", texts + lines({"id": "news", "text": NEWS, "spans": []}))
    done = run(capsys, "ask", bare, "--text", "texts.jsonl", "-n", "1")
    assert "1  Is ‘New York Times’ an ORG?  54.00 %  news  texts.jsonl:3\n     I read the [New York" in done.out
    assert done.err == "note: out: documents of the text missing here: 1 (more)\n"


def test_words_of_another_file_are_the_text(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    nbest = [{"p": 0.6, "spans": [[0, 1, "PER"]]}, {"p": 0.3, "spans": [[2, 4, "PER"]]}]
    output({"doc": "d", "unit": "token", "nbest": nbest})
    text = write("text.bio", "# newdoc id = d\nAnn O\nmet O\nBo O\nLee O\n")
    found = run(capsys, "ask", "out.jsonl", "--text", text, "--json", "-q").json["questions"]
    assert [(each["word"], each["begin"], each["end"]) for each in found["questions"]] == [
        ("Ann", 0, 3),
        ("Bo Lee", 8, 14),
    ]
    assert found["questions"][1]["before"] == "Ann met "


@pytest.mark.parametrize(
    ("some", "problem"),
    [
        ([{"doc": "d", "text": "Ann", "blocks": []}], "the output has no spans, so there is nothing to ask about"),
        (
            [{"doc": "d", "text": "Ann", "blocks": [block((0, 3, 1.0, {"PER": 1.0}))]}],
            "every tuple is certain or impossible, so there is nothing to ask about",
        ),
    ],
)
def test_nothing_to_ask_about(some: Any, problem: str, work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    done = run(capsys, "ask", output(*some))
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith(f"comparanda: out.jsonl: {problem}\n")


def test_an_output_without_probabilities(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    done = run(capsys, "ask", write("out.bio", "Ann B-PER\nmet O\n"))
    assert done.code == 3
    assert "out.bio: the output has no probabilities: all spans are certain" in done.err
    assert asked(capsys, "out.bio", "--ask-certain") == ["out:0-1:PER:label"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "no output given\n  comparanda ask OUTPUT"),
        (("out.jsonl", "b=out.jsonl"), "2 outputs given, expected one: out, b"),
        (("out.jsonl", "--strategy", "oracle"), "the strategy 'oracle' requires a key"),
        (("out.jsonl", "--strategy", "entropie"), "strategy: unknown value 'entropie' (did you mean 'entropy'?)"),
        (("out.jsonl", "--only-label", "PERS"), "the label 'PERS' does not occur (did you mean 'PER'?)"),
        (("out.jsonl", "--scope", "length > 9"), "nothing in the output matches 'length > 9'"),
        (("out.jsonl", "--layout", "prodigy", "--json"), "--layout and --format cannot be combined"),
        (("out.jsonl", "-o", "out.jsonl"), "--output would overwrite an input: 'out.jsonl'"),
        (("out.jsonl", "--updated", "a.jsonl", "--answers", "a.jsonl"), "--updated would overwrite an input"),
        (("out.jsonl", "-o", "x.jsonl", "--updated", "x.jsonl"), "--output and --updated are the same file: 'x.jsonl'"),
        (("-", "--answers", "-"), "standard input can be read only once, but '-' is given twice"),
    ],
)
def test_what_cannot_be_meant(
    arguments: tuple[str, ...], problem: str, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del work
    output()
    done = run(capsys, "ask", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"comparanda: {problem}")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"other:0-1:X:label": "yes"}, "a.jsonl:1: the only answer is not about anything in this output"),
        ({ORG: "yes", PARIS: "mabye"}, f"a.jsonl:2: 'mabye' is not a valid answer to '{PARIS}'"),
        ({ORG: 3}, "a.jsonl:1: 'answer' is 3, not a string"),
    ],
)
def test_bad_answers(given: dict[str, Any], problem: str, work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    done = run(capsys, "ask", output(), "--answers", answers("a.jsonl", **given))
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith(f"comparanda: {problem}")


def test_doubtful_answers_can_be_refused(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del work
    mixed = answers(**{ORG: "yes", "other:0-1:X:label": "yes"})
    done = run(capsys, "ask", output(), "--answers", mixed, "--strict")
    assert done.code == 3
    assert "not about this output, ignored: 1 (answers.jsonl:2)" in done.err


def test_a_scope_a_handler_and_an_error_are_said_in_the_signature(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del work
    how = ("--only-label", "PER", "--handler", "statistical", "--believed-error", "0.1", "--decide", "hierarchical")
    found = run(capsys, "ask", output(), *how, "--json").json
    for part in ("decide:hierarchical", 'scope:label == "PER"', "handler:statistical", "believed_error:0.1"):
        assert f"|{part}|" in found["signature"]
    assert [each["label"] for each in found["questions"]["questions"]] == ["PER", "PER"]


def test_what_the_command_line_knows_is_what_the_library_knows() -> None:
    assert tuple(TOOLS) == options.TOOLS
    assert options.STRATEGIES == STRATEGIES
