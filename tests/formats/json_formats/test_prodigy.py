"""Samples are written after https://prodi.gy/docs/api-interfaces."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from comparanda.core.corpus import Corpus
from comparanda.formats import doccano, elevant, hugging_face, label_studio
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from comparanda.formats.prodigy import FORMAT, sniff
from tests.formats.corpora import notes, refusal, said, span_lines, spans, words

TEXT = "Anna met Bo Łuk in Łódź 😀 twice."
TOKENS = [
    {"text": "Anna", "start": 0, "end": 4, "id": 0, "ws": True},
    {"text": "met", "start": 5, "end": 8, "id": 1, "ws": True},
    {"text": "Bo", "start": 9, "end": 11, "id": 2, "ws": True},
    {"text": "Łuk", "start": 12, "end": 15, "id": 3, "ws": True},
]
ANNA = {"start": 0, "end": 4, "label": "PER", "token_start": 0, "token_end": 0}
BO = {"start": 9, "end": 15, "label": "PER", "token_start": 2, "token_end": 3}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def example(*given: dict[str, Any], text: str = TEXT, **fields: Any) -> dict[str, Any]:
    """An annotated example as db-out writes it."""
    found = {"text": text, "_input_hash": 11, "_task_hash": 22, "spans": list(given), "answer": "accept"}
    return {name: value for name, value in (found | fields).items() if value is not None}


def read(*examples: dict[str, Any] | str, options: str = "") -> Corpus:
    lines = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in examples]
    Path("d.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return read_input(Input.parse(f"d.jsonl::prodigy{options}"), Request(side="key", layer="spans"), "tokens")


def refused(*examples: dict[str, Any] | str, options: str = "", code: int = 3) -> str:
    return refusal(read, *examples, options=options, code=code)


def test_an_export() -> None:
    corpus = read(
        example(ANNA, BO, tokens=TOKENS, meta={"source": "news", "page": 3}, _view_id="ner_manual"),
        example(text="Nobody.", _input_hash=-5),
    )
    assert spans(corpus) == [("11", 0, 4, "PER"), ("11", 9, 15, "PER")]
    assert span_lines(corpus) == ["d.jsonl:1", "d.jsonl:1"]
    assert words(corpus)[:3] == ["Anna", "met", "Bo"]
    assert corpus.documents.names == ("11", "-5")
    assert {name: column.values() for name, column in corpus.documents.attributes.items()} == {
        "source": ["news", None],
        "page": ["3", None],
    }
    assert said(corpus, "text") == ["Anna", "Bo Łuk"]
    assert (corpus.format, notes(corpus)) == ("prodigy", [])


def test_an_array_of_examples() -> None:
    corpus = read(json.dumps([example(ANNA), example(BO, _input_hash=12)]))
    assert spans(corpus) == [("11", 0, 4, "PER"), ("12", 9, 15, "PER")]


class TestAnswers:
    EXAMPLES = (
        example(ANNA, _input_hash=1),
        example(ANNA, _input_hash=2, answer="reject"),
        example(ANNA, _input_hash=3, answer="ignore"),
        example(ANNA, _input_hash=4, answer="reject"),
        example(ANNA, _input_hash=5, answer=None),
    )

    def test_only_what_is_accepted_counts(self) -> None:
        corpus = read(*self.EXAMPLES)
        assert corpus.documents.names == ("1", "5")
        assert notes(corpus) == [
            "key: examples with the answer 'reject' ignored: 2 (d.jsonl:2, d.jsonl:4)",
            "key: examples with the answer 'ignore' ignored: 1 (d.jsonl:3)",
        ]

    def test_or_everything_if_that_is_asked_for(self) -> None:
        corpus = read(*self.EXAMPLES, options="?answers=all")
        assert corpus.documents.names == ("1", "2", "3", "4", "5")
        answers = corpus.documents.attributes["answer"]
        assert answers.values() == ["accept", "reject", "ignore", "reject", None]
        assert notes(corpus) == []

    def test_nothing_is_accepted(self) -> None:
        assert (
            refused(self.EXAMPLES[1]) == "d.jsonl: no accepted examples\n  use ?answers=all to read the others as well"
        )

    def test_another_answer(self) -> None:
        assert refused(example(answer="maybe")) == (
            "d.jsonl:1: 'answer' is a string, not a Prodigy answer\n  answers: accept, reject, ignore"
        )

    def test_another_option(self) -> None:
        assert refused(example(), options="?answers=none", code=2).startswith("invalid answers='none'")


class TestNames:
    def test_an_id_goes_before_one_of_meta_and_that_before_the_hash(self) -> None:
        both = example(id="a", meta={"id": "m"})
        assert read(both).documents.names == ("a",)
        assert read(example(meta={"id": "m"})).documents.names == ("m",)
        assert read(both, example(meta={"id": "n"}, _input_hash=2)).documents.names == ("m", "n")
        assert read(both, example(_input_hash=2)).documents.names == ("11", "2")

    def test_without_any_they_are_numbered(self) -> None:
        corpus = read(example(_input_hash=None), example(_input_hash=None))
        assert corpus.documents.names == ("document 1", "document 2")
        assert notes(corpus) == ["key: no field names all documents; they are numbered instead: 1 (d.jsonl:1)"]

    def test_another_field(self) -> None:
        one = example(meta={"page": 7})
        assert read(one, options="?document=meta.page").documents.names == ("7",)
        assert read(one, options="?document=_task_hash").documents.names == ("22",)
        assert refused(one, example(), options="?document=meta.page") == (
            "d.jsonl:2: missing 'meta.page', the name of the document"
        )

    def test_a_text_that_is_there_twice(self) -> None:
        assert refused(example(ANNA), example(BO, _task_hash=23)) == (
            "d.jsonl:2: duplicate document '11' (by '_input_hash')\n"
            "  the first is at d.jsonl:1\n"
            "  merge the examples of one text, or name documents by another field: ?document=_task_hash"
        )

    def test_a_name_of_the_wrong_type(self) -> None:
        assert refused(example(id=["a"])) == (
            "d.jsonl:1: 'id' is an array, not a string\n  use a string or an integer as the name"
        )


class TestAnnotators:
    EXAMPLES = (
        example(ANNA, _annotator_id="news-alice", _session_id="news-alice"),
        example(BO, _annotator_id="news-bob"),
        example(BO, _session_id="news-carol", _input_hash=12),
    )

    def test_several_of_one_text_are_refused(self) -> None:
        assert refused(*self.EXAMPLES) == (
            "d.jsonl:2: 2 annotators have annotated the document '11': news-alice, news-bob\n"
            "  the first is at d.jsonl:1\n"
            "  choose one: ?annotator=news-alice"
        )

    def test_one_is_chosen(self) -> None:
        corpus = read(*self.EXAMPLES, options="?annotator=news-bob")
        assert spans(corpus) == [("11", 9, 15, "PER")]
        assert corpus.documents.attributes["annotator"].values() == ["news-bob"]
        assert notes(corpus) == ["key: examples of other annotators ignored: 2 (d.jsonl:1, d.jsonl:3)"]

    def test_of_different_texts_all_are_read(self) -> None:
        assert read(*self.EXAMPLES[1:]).documents.names == ("11", "12")

    def test_one_that_is_not_there(self) -> None:
        assert refused(*self.EXAMPLES, options="?annotator=dora") == (
            "d.jsonl: no accepted examples by the annotator 'dora'\n  annotators: news-alice, news-bob, news-carol"
        )


class TestSpans:
    def test_other_fields_are_columns(self) -> None:
        corpus = read(
            example(
                ANNA | {"id": "Q1|Q2", "score": 0.5, "source": "model", "kb_id": "Q9"},
                BO | {"kb_id": "nil", "score": 1, "checked": True, "history": [1]},
            )
        )
        assert said(corpus, "id") == ["Q1|Q2", "NIL"]
        assert said(corpus, "probability") == [0.5, 1.0]
        assert said(corpus, "source") == ["model", None]
        assert said(corpus, "checked") == [False, True]
        assert corpus.spans is not None
        assert set(corpus.spans.columns) == {"id", "probability", "source", "checked"}

    def test_without_a_label(self) -> None:
        corpus = read(example({"start": 0, "end": 4}, {"start": 9, "end": 11, "label": None}))
        assert spans(corpus) == [("11", 0, 4, "ENTITY"), ("11", 9, 11, "ENTITY")]
        assert notes(corpus) == ["key: spans without a label, read as ENTITY: 2 (d.jsonl:1, d.jsonl:1)"]

    def test_without_spans_there_are_none(self) -> None:
        assert spans(read(example(spans=None))) == []

    def test_relations_are_passed_over(self) -> None:
        assert notes(read(example(ANNA, relations=[{"head": 0, "child": 1, "label": "X"}]))) == [
            "key: relations ignored: 1 (d.jsonl:1)"
        ]

    @pytest.mark.parametrize(
        ("span", "message"),
        [
            ("x", "'spans[0]' is a string, not an object"),
            ({"end": 4, "label": "X"}, "missing 'spans[0].start', expected an integer"),
            ({"start": "0", "end": 4, "label": "X"}, "'spans[0].start' is a string, not an integer"),
            ({"start": 0, "end": 4.5, "label": "X"}, "'spans[0].end' is 4.5, not an integer"),
            ({"start": 0, "end": True, "label": "X"}, "'spans[0].end' is True, not an integer"),
            (
                {"start": 0, "end": 1 << 63, "label": "X"},
                f"'spans[0].end' is {1 << 63}, which is too large for an offset",
            ),
            ({"start": 0, "end": 4, "label": 7}, "'spans[0].label' is 7, not a string"),
        ],
    )
    def test_malformed_spans(self, span: Any, message: str) -> None:
        hint = 'write a span like this: {"start": 0, "end": 5, "label": "PER"}'
        assert refused(example(span)) == f"d.jsonl:1: {message}\n  {hint}"

    def test_a_score_that_is_no_number(self) -> None:
        assert refused(example(ANNA | {"score": "high"})) == ("d.jsonl:1: 'spans[0].score' is a string, not a number")

    def test_outside_of_the_text(self) -> None:
        assert refused(example(ANNA, {"start": 30, "end": 99, "label": "X"})).startswith(
            "d.jsonl:1: spans[1] of document '11' ends at 99, but the text has 32 characters\n"
        )


class TestTokens:
    def test_token_end_is_included(self) -> None:
        corpus = read(example({"label": "PER", "token_start": 2, "token_end": 3}, tokens=TOKENS))
        assert spans(corpus) == [("11", 9, 15, "PER")]

    def test_they_are_compared_with_the_characters(self) -> None:
        corpus = read(example(ANNA | {"token_end": 1}, BO, tokens=TOKENS))
        assert spans(corpus)[0] == ("11", 0, 4, "PER")
        assert notes(corpus) == [
            "key: spans whose token_start and token_end differ from their characters; "
            "the characters are used: 1 (d.jsonl:1)"
        ]

    def test_offsets_that_count_utf_16_are_told_by_them(self) -> None:
        tokens = [{"text": "😀", "start": 24, "end": 26, "id": 0}, {"text": "twice", "start": 27, "end": 32, "id": 1}]
        corpus = read(example({"start": 27, "end": 32, "label": "X", "token_start": 1, "token_end": 1}, tokens=tokens))
        assert spans(corpus) == [("11", 26, 31, "X")]
        assert notes(corpus) == [
            "key: spans whose offsets count UTF-16 units (as JavaScript and Java do), as their stated text shows: 1"
        ]

    def test_a_token_that_is_not_there(self) -> None:
        assert refused(example(ANNA | {"token_end": 4}, tokens=TOKENS)) == (
            "d.jsonl:1: 'spans[0]' has the tokens 0 to 4, but there are 4\n"
            "  token_end is the number of its last token, and both count from 0"
        )

    def test_malformed_tokens(self) -> None:
        assert refused(example(ANNA, tokens=["Anna"])) == "d.jsonl:1: 'tokens[0]' is not an object"
        assert refused(example(ANNA, tokens=[{"text": "Anna", "end": 4}])) == (
            "d.jsonl:1: missing 'tokens[0].start', expected an integer"
        )
        assert refused(example(ANNA, tokens={})) == "d.jsonl:1: 'tokens' is an object, not an array"

    def test_offsets_of_the_wrong_unit_may_be_named(self) -> None:
        corpus = read(example({"start": 27, "end": 32, "label": "X"}), options="?offsets=utf-16")
        assert spans(corpus) == [("11", 26, 31, "X")]


class TestDefects:
    def test_without_a_text(self) -> None:
        assert refused(example(ANNA, text="") | {"text": None}) == (
            "d.jsonl:1: missing 'text', expected a string\n  give every example its text"
        )

    def test_a_character_that_no_text_has(self) -> None:
        assert refused(example(text="a\0b")) == "d.jsonl:1: a NUL character in 'text'\n  is it text?"
        assert refused(example(meta={"x": "a\0b"})) == "d.jsonl:1: a NUL character in 'meta.x'\n  is it text?"

    def test_cut_off(self) -> None:
        line = json.dumps(example(ANNA))
        assert refused(line, line[:30]) == (
            "d.jsonl:2: the JSON object is cut off\n  JSONL needs one complete object per line"
        )

    def test_spans_of_another_type(self) -> None:
        assert refused(example(spans={"start": 0})).startswith("d.jsonl:1: 'spans' is an object, not an array\n")

    @pytest.mark.parametrize("bracket", ["[", '{"text":', '{"text":"x","answer":"accept","spans":['])
    def test_ten_million_brackets(self, bracket: str) -> None:
        begin = time.process_time()
        assert refused(bracket * (10_000_000 // len(bracket))).startswith("d.jsonl:1: ")
        assert time.process_time() - begin < 5

    def test_a_line_that_is_too_long(self) -> None:
        Path("d.jsonl").write_text(json.dumps(example()))
        request = Request(side="key", layer="spans", max_line=8)
        assert refusal(read_input, Input(path="d.jsonl", format="prodigy"), request, "tokens").startswith(
            "d.jsonl:1: this line has more than 8 bytes"
        )


class TestSniff:
    def test_examples_are_told(self) -> None:
        lines = [json.dumps(example(ANNA))]
        assert sniff(lines)
        assert sniff(['{"text": "Anna", "answer": "ignore"}'])
        assert sniff(['{"text": "Anna", "spans": [{"start": 0, "end": 4, "token_start": 0, "token_end": 0}]}'])
        assert not any(each.sniff(lines) for each in (doccano, elevant, hugging_face, label_studio))
        assert read_input(_put(lines[0]), Request(side="key", layer="spans"), "tokens").format == "prodigy"

    @pytest.mark.parametrize(
        "line",
        [
            '{"text": "Anna", "spans": [{"start": 0, "end": 4, "label": "PER"}]}',
            '{"text": "Anna", "label": [[0, 4, "PER"]]}',
            '{"text": "{\\"answer\\": 1}"}',
            '{"text": "Anna", "answer": "Paris"}',
            "[]",
            "",
            "{" * 1000,
        ],
    )
    def test_other_json_is_not(self, line: str) -> None:
        assert not sniff([line])

    def test_the_format(self) -> None:
        assert FORMAT.layers == frozenset({"spans"})
        assert list(FORMAT.options) == ["answers", "annotator", "document", "offsets", "base", "strip"]


def _put(line: str) -> Input:
    Path("d.jsonl").write_text(line + "\n", encoding="utf-8")
    return Input(path="d.jsonl")
