"""`ask --updated` writes every output that it can ask about, and what is read again is the same."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

import comparanda as cp
from comparanda.api.review import Review, prepare_review
from comparanda.feedback.questions import Ask
from comparanda.formats.replies import Reply
from tests.command import run
from tests.shared_data import shared

POLICIES = ("exclusive", "condition", "independent", "scale")
MEASURES = ("precision", "recall", "f1", "expected_precision", "expected_recall", "e100", "brier")


def chains(count: int, links: int = 3, p: float = 0.4) -> dict[str, Any]:
    """Make a document of words of three letters and chains of spans of two words, each overlapping the next."""
    size = links + 2
    text = " ".join(f"w{number:02}" for number in range(count * size))
    spans = []
    for first in range(0, count * size, size):
        for link in range(links):
            begin = 4 * (first + link)
            spans.append({"start": begin, "end": begin + 7, "label": "AB"[link % 2], "score": p + link / 100})
    return {"doc": "d", "text": text, "entities": spans}


def tuples(review: Review) -> dict[tuple[int, int, int, str], float]:
    """Return the weight of each possible tuple: its document, first and last character, and label."""
    (found,) = review.result.verdicts.view().candidates or ()
    places, weight = review.asking.places, review.asking.simulation.beliefs().weight.tolist()
    rows = zip(found.document.tolist(), places.first.tolist(), places.last.tolist(), found.label.tolist(), strict=True)
    every = {
        (document, begin, end, found.names[label]): w
        for (document, begin, end, label), w in zip(rows, weight, strict=True)
    }
    return {name: w for name, w in every.items() if w > 0}


def questions(found: Review) -> list[tuple[str, float]]:
    return [(each.id, round(each.probability, 9)) for each in found.finding.questions]


def what(question: Ask) -> tuple[str, float]:
    """Return what a question is about, whatever its offsets count."""
    return question.question, round(question.probability, 9)


def replies(given: Sequence[Ask], seed: int, answers: Sequence[str] = ("yes", "no", "unsure")) -> list[Reply]:
    chance = Random(seed)
    return [Reply(each.id, chance.choice(answers), f"a:{line}") for line, each in enumerate(given, start=1)]


@pytest.mark.parametrize("overlap", POLICIES)
@pytest.mark.parametrize("handler", ["basic", "statistical"])
def test_six_chains_in_one_document_are_written_and_read_again(overlap: str, handler: str, tmp_path: Path) -> None:
    record = chains(6)
    beliefs = {"overlap": overlap}
    first = prepare_review([record], 9, beliefs=beliefs, handler=handler)
    answers = replies(first.finding.questions, 1)
    second = prepare_review([record], 50, beliefs=beliefs, handler=handler, answers=answers)
    path = tmp_path / "updated.jsonl"
    path.write_text(second.updated, encoding="utf-8")
    assert len(second.updated) < 10_000  # nothing is multiplied out
    again = prepare_review(path, 50, handler=handler)
    assert tuples(again) == pytest.approx(tuples(second), abs=1e-12)
    answered = {each.id for each in answers if each.answer != "unsure"}
    open_again = [each for each in questions(again) if each[0] not in {each.id for each in answers}]
    assert open_again == questions(second)
    assert answered.isdisjoint(name for name, _ in questions(again))


def test_forty_spans_in_one_chain_are_written_and_read_again(tmp_path: Path) -> None:
    """Such a chain loses spans when it is read; all that remain are written."""
    record = chains(1, links=40)
    before = prepare_review([record], 3, beliefs={"overlap": "condition"})
    answers = replies(before.finding.questions, 2)
    after = prepare_review([record], 3, beliefs={"overlap": "condition"}, answers=answers)
    path = tmp_path / "updated.jsonl"
    path.write_text(after.updated, encoding="utf-8")
    assert tuples(prepare_review(path, 3)) == pytest.approx(tuples(after), abs=1e-12)


@pytest.mark.parametrize("overlap", POLICIES)
def test_what_is_read_again_has_the_same_scores(overlap: str, tmp_path: Path) -> None:
    record = chains(6, p=0.3)
    key = [{"doc": "d", "text": record["text"], "spans": [{"begin": 4, "end": 11, "label": "B"}]}]
    path = tmp_path / "updated.jsonl"
    path.write_text(prepare_review([record], beliefs={"overlap": overlap}).updated, encoding="utf-8")
    given = cp.compare(key, {"x": [record]}, task="prob", beliefs={"overlap": overlap}, resamples=0).scores(*MEASURES)
    read = cp.compare(key, {"x": path}, task="prob", resamples=0).scores(*MEASURES)
    for measure in MEASURES:
        assert read.value("x", measure) == pytest.approx(given.value("x", measure), abs=1e-12), measure


def test_the_next_questions_are_written_even_if_the_updated_output_cannot_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output, questions_file = tmp_path / "output.jsonl", tmp_path / "next.csv"
    output.write_text(json.dumps(chains(6)), encoding="utf-8")
    outcome = run(capsys, "ask", output, "--updated", tmp_path / "nowhere" / "u.jsonl", "-o", questions_file)
    assert outcome.code != 0
    assert questions_file.read_text(encoding="utf-8").count("\n") == 19


WNUT = "data/probabilistic/wnut17/systems/crfsuite-full.jsonl.gz"
WNUT_KEY = "data/ner/wnut17/gold/emerging.test.annotated"


@pytest.mark.slow
@pytest.mark.parametrize("overlap", ["exclusive", "condition", "independent"])
def test_a_real_output_is_written_and_read_again_after_two_rounds(overlap: str, tmp_path: Path) -> None:
    output, key = shared(WNUT), shared(WNUT_KEY)
    beliefs = {"overlap": overlap}
    first = prepare_review(output, 60, beliefs=beliefs)
    answers = replies(first.finding.questions, 3, ("yes", "no"))
    second = prepare_review(output, 60, beliefs=beliefs, answers=answers)
    path = tmp_path / "crfsuite-full.jsonl"
    path.write_text(second.updated, encoding="utf-8")
    again = prepare_review(path, 60)
    assert tuples(again) == pytest.approx(tuples(second), abs=1e-12)
    assert list(map(what, again.finding.questions)) == list(map(what, second.finding.questions))
    third = tmp_path / "third.jsonl"
    third.write_text(prepare_review(path, 60, answers=replies(again.finding.questions, 4)).updated, "utf-8")
    assert cp.compare(key, {"x": third}, task="prob", resamples=0).scores("f1").value("x") is not None


@pytest.mark.slow
def test_nothing_changes_in_a_real_output_without_answers(tmp_path: Path) -> None:
    output, key = shared(WNUT), shared(WNUT_KEY)
    path = tmp_path / "crfsuite-full.jsonl.gz"
    path.write_bytes(gzip.compress(prepare_review(output).updated.encode()))
    given = cp.compare(key, {"x": output}, task="prob", resamples=0).scores(*MEASURES)
    read = cp.compare(key, {"x": path}, task="prob", resamples=0).scores(*MEASURES)
    assert round(100 * (given.value("x", "f1") or 0), 2) == 12.14
    for measure in MEASURES:
        assert read.value("x", measure) == pytest.approx(given.value("x", measure), abs=1e-12), measure
