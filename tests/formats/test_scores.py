"""Scores that are not numbers: refused where they are to be probabilities, and declared words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import comparanda as cp
from comparanda.core.corpus import Corpus
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from tests.command import run
from tests.formats.corpora import notes, refusal

TEXT = "Paris Hilton flew to Paris"
WORDS = "scale=words&high=0.9&medium=0.6&low=0.3"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(*spans: dict[str, Any], field: str = "spans", name: str = "x.jsonl", before: int = 0) -> str:
    """Write documents without spans, then one with these spans."""
    records: list[dict[str, Any]] = [{"id": f"e{number}", "text": TEXT, field: []} for number in range(before)]
    records.append({"id": "d", "text": TEXT, field: list(spans)})
    Path(name).write_text("".join(f"{json.dumps(each)}\n" for each in records), encoding="utf-8")
    return name


def span(start: int = 0, end: int = 12, **more: Any) -> dict[str, Any]:
    return {"start": start, "end": end, "label": "PER", **more}


def read(written: str, side: str = "x") -> Corpus:
    return read_input(Input.parse(written), Request(side=side, layer="beliefs"), "tokens")


def weights(corpus: Corpus) -> list[float]:
    return [] if corpus.beliefs is None else [round(p, 6) for p in corpus.beliefs.weight.tolist()]


class TestRefused:
    @pytest.mark.parametrize("format_", ["jsonl", "prodigy", "label-studio", "hugging-face"])
    def test_null(self, format_: str) -> None:
        scored = span(score=None)
        records: dict[str, dict[str, Any]] = {
            "jsonl": {"id": "d", "text": TEXT, "spans": [scored]},
            "prodigy": {"text": TEXT, "spans": [scored], "answer": "accept", "_input_hash": 1},
            "label-studio": {
                "id": 1,
                "data": {"text": TEXT},
                "annotations": [{"result": [{"value": {"start": 0, "end": 12, "labels": ["PER"]}, "score": None}]}],
            },
            "hugging-face": {"text": TEXT, "entities": [{**scored, "entity_group": "PER", "word": "Paris Hilton"}]},
        }
        Path("x.jsonl").write_text(json.dumps(records[format_]) + "\n", encoding="utf-8")
        text = refusal(read, f"x.jsonl::{format_}")
        assert text.startswith(
            "x.jsonl:1: the 'score' of a span with the label 'PER' is null, which is not a probability\n"
        )
        assert text.endswith("  give every probability a value, or use ?score=none if spans are certain")
        assert weights(read(f"x.jsonl::{format_}?score=none")) == []

    def test_null_in_probabilistic_records(self) -> None:
        put(span(score=0.5), span(21, 26, score=None), field="entities", before=1)
        assert refusal(read, "x.jsonl") == (
            "x.jsonl:2: 'entities[1].score' is null, which is not a probability\n"
            "  give every probability a value, or use ?score=none if spans are certain"
        )

    def test_null_in_labels(self) -> None:
        block = {"alternatives": [{"start": 0, "end": 12, "p": 0.5, "labels": {"PER": None}}]}
        Path("x.jsonl").write_text(json.dumps({"doc": "d", "text": TEXT, "blocks": [block]}), encoding="utf-8")
        assert refusal(read, "x.jsonl").startswith(
            "x.jsonl:1: 'blocks[0].alternatives[0].labels.PER' is null, which is not a probability\n"
        )

    def test_null_next_to_a_number_in_another_field(self) -> None:
        put(span(score=None, confidence=0.4), field="entities")
        assert weights(read("x.jsonl")) == [0.4]
        put(span(score=None, confidence=0.4))
        assert weights(read("x.jsonl")) == [0.4]

    @pytest.mark.parametrize("value", ["low", "nan", "inf", "", True, [0.5], {"p": 0.5}])
    def test_what_is_not_a_number(self, value: Any) -> None:
        put(span(confidence=value), before=2)
        assert refusal(read, "x.jsonl").startswith("x.jsonl:3: the 'confidence' of ")

    def test_one_word_does_not_make_numbers_certain(self) -> None:
        put(span(confidence=0.4), span(21, 26, confidence="low"))
        assert refusal(read, "x.jsonl") == (
            "x.jsonl:1: the 'confidence' of the span 21 to 26, PER is 'low', which is not a number\n"
            "  declare what words mean: ?scale=words&low=0.5; use ?score=none if spans are certain"
        )

    def test_a_word_in_a_field_that_is_named(self) -> None:
        put(span(sure="very"))
        assert "the 'sure' of the span 0 to 12, PER is 'very', which is not a number" in refusal(
            read, "x.jsonl?score=sure"
        )

    @pytest.mark.parametrize("value", ["null", "NaN", "[0.5]"])
    def test_null_in_the_text_of_an_answer(self, value: str) -> None:
        answer = f'[{{"text": "Paris Hilton", "label": "PER", "confidence": {value}}}]'
        Path("x.jsonl").write_text(json.dumps({"id": "d", "text": TEXT, "answer": answer}) + "\n", encoding="utf-8")
        key = put(span(), name="key.jsonl")
        text = refusal(cp.compare, key, {"x": "x.jsonl::llm"}, task="prob", resamples=0)
        assert text.startswith("x.jsonl:1: the 'confidence' of a span with the label 'PER' is ")
        found = cp.compare(key, {"x": "x.jsonl::llm"}, task="span", resamples=0)
        assert found.scores("f1").value("x") == 1.0

    def test_a_word_in_an_answer_of_a_language_model(self) -> None:
        items = [
            {"text": "Paris Hilton", "label": "PER", "confidence": 0.4},
            {"text": "Paris", "label": "LOC", "confidence": "high"},
        ]
        key = [{"id": "d", "text": TEXT, "spans": [{"begin": 0, "end": 12, "label": "PER"}]}]
        Path("x.jsonl").write_text(json.dumps({"id": "d", "response": json.dumps(items)}), encoding="utf-8")
        text = refusal(cp.compare, key, {"x": "x.jsonl::llm"}, task="prob", resamples=0)
        assert "x.jsonl:1: the 'confidence' of" in text
        assert "'high', which is not a number" in text
        found = cp.compare(key, {"x": "x.jsonl::llm?scale=words&high=0.9"}, task="prob", resamples=0)
        assert found.scores("expected_recall").value("x") == pytest.approx(0.4)

    def test_python(self) -> None:
        key = [{"id": "d", "text": TEXT, "spans": [span()]}]
        for value, shown in (
            (None, "null"),
            (float("nan"), "NaN"),
            (pd.NA, "NaN"),
            ("low", "'low'"),
            (float("inf"), "inf"),
        ):
            output = [{"id": "d", "text": TEXT, "spans": [span(score=value)]}]
            text = refusal(cp.compare, key, {"x": output}, task="prob", resamples=0)
            assert text.startswith("<x>:1: the 'score' of ")
            assert f" is {shown}, which is not a " in text

    def test_a_frame(self) -> None:
        key = [{"id": "d", "text": TEXT, "spans": [span()]}]
        frame = pd.DataFrame({"id": ["d"], "text": [TEXT], "spans": [[span(score=float("nan"))]]})
        assert "is NaN, which is not a probability" in refusal(cp.compare, key, {"x": frame}, task="prob", resamples=0)

    def test_the_command_line(self, capsys: pytest.CaptureFixture[str]) -> None:
        put(span(), name="key.jsonl"), put(span(score=None))
        for command in (("score", "key.jsonl", "x.jsonl"), ("validate", "x.jsonl")):
            outcome = run(capsys, *command, "--task", "prob")
            assert outcome.code in {1, 3}
            assert "x.jsonl:1: the 'score' of a span" in outcome.out + outcome.err


class TestStillRead:
    """A score is an attribute unless it is to be a probability."""

    @pytest.mark.parametrize("value", [None, "low", True])
    def test_other_tasks(self, value: Any) -> None:
        put(span(confidence=value), span(21, 26, confidence=0.4))
        found = read_input(Input.parse("x.jsonl"), Request(layer="spans"), "tokens").spans
        assert found is not None
        assert len(found) == 2

    @pytest.mark.parametrize("field", ["spans", "entities"])
    def test_a_key(self, field: str) -> None:
        put(span(score=None), field=field)
        assert read("x.jsonl", side="key").spans is not None

    def test_a_score_that_is_not_there_is_noted(self) -> None:
        put(span(confidence=0.4), span(21, 26))
        corpus = read("x.jsonl")
        assert weights(corpus) == [0.4, 1.0]
        assert "x: spans without 'confidence', treated as certain: 1 (x.jsonl:1)" in notes(corpus)

    def test_the_note_names_no_field_that_the_input_does_not_have(self) -> None:
        example = {"text": TEXT, "spans": [span(score=0.5), span(21, 26)], "answer": "accept", "_input_hash": 1}
        Path("x.jsonl").write_text(json.dumps(example) + "\n", encoding="utf-8")
        assert "x: spans without a probability, treated as certain: 1 (x.jsonl:1)" in notes(read("x.jsonl"))


class TestWords:
    @pytest.mark.parametrize("field", ["spans", "entities"])
    def test_declared_words_are_read(self, field: str) -> None:
        put(span(confidence="High "), span(21, 26, confidence="low"), field=field)
        corpus = read(f"x.jsonl?{WORDS}")
        assert weights(corpus) == [0.9, 0.3]
        assert corpus.beliefs is not None
        assert corpus.beliefs.policies["scale"] == "words"
        assert corpus.beliefs.policies["words"] == "high=0.9, medium=0.6, low=0.3"

    @pytest.mark.parametrize("field", ["spans", "entities"])
    def test_numbers_remain_probabilities(self, field: str) -> None:
        put(span(confidence="high"), span(21, 26, confidence=0.2), field=field)
        assert weights(read(f"x.jsonl?{WORDS}")) == [0.9, 0.2]

    def test_labels_and_tags(self) -> None:
        block = {"alternatives": [{"start": 0, "end": 12, "p": "medium", "labels": {"PER": "high"}}]}
        Path("x.jsonl").write_text(json.dumps({"doc": "d", "text": TEXT, "blocks": [block]}), encoding="utf-8")
        assert weights(read(f"x.jsonl?{WORDS}")) == [0.54]
        tokens = {"doc": "d", "tokens": ["Paris"], "dist": [{"B-LOC": "high", "O": 0.1}]}
        Path("x.jsonl").write_text(json.dumps(tokens), encoding="utf-8")
        assert weights(read(f"x.jsonl?{WORDS}")) == [0.9]

    @pytest.mark.parametrize("field", ["spans", "entities"])
    def test_an_undeclared_word_is_named(self, field: str) -> None:
        put(span(confidence="high"), span(21, 26, confidence="sure"), field=field, before=1)
        text = refusal(read, f"x.jsonl?{WORDS}")
        assert text.startswith("x.jsonl:2: ")
        assert "'sure'" in text
        assert "?scale=words&sure=0.5" in text

    def test_without_the_scale_the_message_names_it(self) -> None:
        put(span(confidence="high"), field="entities")
        assert refusal(read, "x.jsonl") == (
            "x.jsonl:1: 'entities[0].confidence' is a string, not a number\n"
            "  if it is a word, declare what it means: ?scale=words&high=0.9&low=0.3"
        )

    @pytest.mark.parametrize(
        ("options", "what"),
        [
            ("scale=words", "scale=words, but no word is declared"),
            ("scale=words&high=2", "high='2': expected the probability of the word 'high', a number from 0 to 1"),
            ("scale=words&overlpa=condition", "overlpa='condition': expected the probability of the word 'overlpa'"),
            ("high=0.9", "format 'jsonl' has no option 'high'"),
            ("scale=prob&high=0.9", "format 'jsonl' has no option 'high'"),
        ],
    )
    def test_wrong_options(self, options: str, what: str) -> None:
        put(span(confidence="high"))
        assert refusal(read, f"x.jsonl::jsonl?{options}", code=2).startswith(what)

    def test_for_all_inputs(self, capsys: pytest.CaptureFixture[str]) -> None:
        put(span(), name="key.jsonl"), put(span(confidence="high"))
        put(span(confidence=40), name="y.jsonl")
        told = ("--belief", "scale=words", "--belief", "high=0.25")
        outcome = run(capsys, "score", "key.jsonl", "x.jsonl", "y.jsonl?scale=percent", "--task", "prob", *told)
        assert outcome.code == 0, outcome.err
        assert "25.00" in outcome.out
        assert "40.00" in outcome.out

    def test_python(self) -> None:
        key = [{"id": "d", "text": TEXT, "spans": [span()]}]
        beliefs = {"scale": "words", "high": "0.25"}
        for name, doc in (("spans", "id"), ("entities", "doc")):
            output = [{doc: "d", "text": TEXT, name: [span(confidence="high")]}]
            result = cp.compare(key, {"x": output}, task="prob", resamples=0, beliefs=beliefs)
            assert result.scores("expected_recall").value("x") == pytest.approx(0.25)
