"""Answers of language models: documents, texts, notes, options, and what tells them from other JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from comparanda.core.corpus import Corpus, Quotes
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, find_formats, read_input
from comparanda.formats.llm import FORMAT, sniff
from tests.formats.corpora import notes, refusal, words

ITEMS = [{"text": "Anna", "label": "PER"}, {"text": "Oslo", "label": "LOC"}]
BOTH = [("d1", "Anna", "PER"), ("d1", "Oslo", "LOC")]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(*records: Any, options: str = "", name: str = "a.jsonl") -> Corpus:
    Path(name).write_text("".join(json.dumps(record) + "\n" for record in records))
    return read_input(Input.parse(f"{name}::llm{options}"), Request(side="x", layer="spans"), "tokens")


def quotes(corpus: Corpus) -> Quotes:
    assert corpus.quotes is not None
    return corpus.quotes


def claims(corpus: Corpus) -> list[tuple[str, str, str]]:
    """The document, the text and the label of each item."""
    found = quotes(corpus)
    names = [corpus.documents.names[document] for document in found.document]
    return [(name, found.text[row], found.label[row]) for row, name in enumerate(names)]


class TestDocuments:
    @pytest.mark.parametrize(
        "record",
        [
            {"id": "d1", "answer": json.dumps(ITEMS)},
            {"id": "d1", "entities": ITEMS},
            {"doc_id": "d1", "output": f"Sure:\n```json\n{json.dumps(ITEMS)}\n```"},
            {"custom_id": "d1", "spans": {"PER": ["Anna"], "LOC": ["Oslo"]}},
            {"name": "d1", "response": "<PER>Anna</PER> left <LOC>Oslo</LOC>."},
        ],
    )
    def test_an_object_a_document(self, record: dict[str, Any]) -> None:
        corpus = read(record)
        assert claims(corpus) == BOTH
        assert corpus.spans is not None
        assert (len(corpus.spans), corpus.raw, corpus.words, corpus.documents.marked) == (0, None, None, True)
        assert (corpus.format, corpus.evaluated, notes(corpus)) == ("llm", "label", [])

    def test_one_array_of_objects(self) -> None:
        Path("a.json").write_text(json.dumps([{"id": "d1", "entities": ITEMS}, {"id": 2, "entities": []}], indent=1))
        corpus = read_input(Input.parse("a.json::llm"), Request(side="x", layer="spans"), "tokens")
        assert claims(corpus) == BOTH
        assert corpus.documents.names == ("d1", "2")

    def test_documents_without_names(self) -> None:
        corpus = read({"answer": "[]"}, {"answer": "[]"})
        assert (corpus.documents.names, corpus.documents.marked) == (("document 1", "document 2"), False)

    def test_texts_of_their_own(self) -> None:
        corpus = read({"id": "d1", "text": "Anna left Oslo.", "genre": "news", "year": 2020, "entities": ITEMS})
        assert corpus.raw is not None
        assert corpus.raw.documents == ("Anna left Oslo.",)
        assert words(corpus) == ["Anna", "left", "Oslo", "."]
        assert {name: column[0] for name, column in corpus.documents.attributes.items()} == {
            "genre": "news",
            "year": "2020",
        }

    def test_what_items_say(self) -> None:
        first = {**ITEMS[0], "id": "Q1", "confidence": 0.5, "occurrence": 2, "quote": "x", "placing": "y"}
        found = quotes(read({"id": "d1", "entities": [first, ITEMS[1]]}))
        assert found.occurrence.tolist() == [2, 0]
        assert sorted(found.columns) == ["id", "probability"]
        assert found.begin.tolist() == [-1, -1]

    def test_copies_of_the_text(self) -> None:
        found = quotes(
            read(
                {"id": 1, "answer": "<PER>Anna</PER> left"},
                {"id": 2, "answer": "nobody there"},
                {"id": 3, "answer": "[]"},
            )
        )
        assert found.copies == ("Anna left", "nobody there", None)
        assert found.begin.tolist() == [0]

    def test_items_stand_where_their_answers_do(self) -> None:
        corpus = read(
            {"id": 1, "answer": "[]"}, {"id": 2, "entities": [], "answer": json.dumps(ITEMS)}, options="?answer=answer"
        )
        assert [str(corpus.source.locate(int(offset))) for offset in quotes(corpus).offset] == ["a.jsonl:2"] * 2


class TestNotes:
    def test_an_answer_that_cannot_be_read_is_an_answer_without_items(self) -> None:
        given = ["It was a nice day.", None, "", 3, '[{"text": "An', "[]"]
        corpus = read(*({"id": number, "answer": answer} for number, answer in enumerate(given)), {"id": "last"})
        assert len(corpus.documents) == 7
        assert notes(corpus) == [
            "x: answers that cannot be read, treated as having no items: 6 (a.jsonl:1, a.jsonl:2, a.jsonl:3, …)"
        ]

    def test_items_that_are_none(self) -> None:
        corpus = read({"id": 1, "entities": [*ITEMS, {"text": "Eve"}, {"label": "PER"}]}, {"id": 2, "entities": ["Bo"]})
        assert notes(corpus) == ["x: items without a text or a label ignored: 3 (a.jsonl:1, a.jsonl:2, …)"]

    def test_mended_answers_and_offsets(self) -> None:
        corpus = read(
            {"id": 1, "answer": "[('Anna', 'PER')]"}, {"id": 2, "answer": [{**ITEMS[0], "start": 0, "end": 4}]}
        )
        assert notes(corpus) == [
            "x: answers with invalid JSON, repaired: 1 (a.jsonl:1)",
            "x: items with offsets, which are ignored: items are located by their text: 1 (a.jsonl:2)",
        ]

    def test_labels_are_mended_as_everywhere(self) -> None:
        corpus = read({"id": 1, "entities": [["Anna", "PE\u0301R"]]})
        assert claims(corpus) == [("1", "Anna", "P\u00c9R")]
        assert len(notes(corpus)) == 1


class TestOptions:
    def test_every_field_can_be_named(self) -> None:
        record = {
            "key": "d1",
            "id": 7,
            "body": "Anna left Oslo.",
            "text": 3,
            "out": [{"t": "Anna", "l": "PER", "text": "x"}],
        }
        corpus = read(record, options="?document=key&text=body&answer=out&mention=t&label=l")
        assert claims(corpus) == BOTH[:1]
        assert corpus.raw is not None
        assert corpus.raw.documents == ("Anna left Oslo.",)

    def test_the_way_through_fields_and_lists(self) -> None:
        body = {"choices": [{"message": {"content": json.dumps(ITEMS)}}]}
        record = {"custom_id": "d1", "response": {"body": body}}
        assert claims(read(record, options="?answer=response.body.choices.0.message.content")) == BOTH
        assert len(notes(read(record, options="?answer=response.body.choices.1.message.content"))) == 1
        assert claims(read({"a.b": "d1", "answer": ITEMS}, options="?document=a.b")) == BOTH

    def test_a_text_can_be_passed_over(self) -> None:
        assert read({"id": 1, "text": "a prompt", "entities": ITEMS}, options="?text=none").raw is None

    def test_no_other_options(self) -> None:
        assert "format 'llm' has no option 'offsets'" in refusal(
            read, {"id": 1, "answer": "[]"}, options="?offsets=bytes", code=2
        )


class TestErrors:
    def test_no_field_is_known(self) -> None:
        assert refusal(read, {"id": 1, "said": "[]"}) == (
            "a.jsonl:1: cannot determine which field holds the answer\n"
            "  fields: id, said\n"
            "  name it: ?answer=FIELD; write an object like this: "
            '{"id": "d1", "answer": "[{\\"text\\": \\"Anna\\", \\"label\\": \\"PER\\"}]"}'
        )

    @pytest.mark.parametrize("name", [None, "", True, [1], {"a": 1}, 1.5])
    def test_no_name(self, name: Any) -> None:
        assert refusal(read, {"id": "d1", "answer": "[]"}, {"id": name, "answer": "[]"}) == (
            "a.jsonl:2: no document name in 'id'\n"
            "  give every document a unique name, or name the field that holds it: ?document=FIELD"
        )

    def test_the_same_name_twice(self) -> None:
        assert "duplicate document 'd1'" in refusal(read, *[{"id": "d1", "answer": "[]"}] * 2)

    def test_a_text_is_missing(self) -> None:
        assert refusal(read, {"id": 1, "text": "a", "answer": "[]"}, {"id": 2, "answer": "[]"}) == (
            "a.jsonl:2: there is no text in 'text'\n"
            "  give all documents their text, or none; ?text=none ignores it, ?text=FIELD reads another field"
        )

    def test_a_text_that_no_file_can_hold(self) -> None:
        assert "a.jsonl:1: a NUL character" in refusal(read, {"id": 1, "text": "a\0b", "answer": "[]"})
        assert "a NUL character" in refusal(read, {"id": "a\0b", "answer": "[]"})

    @pytest.mark.parametrize(
        ("text", "what"),
        [
            ('{"id": 1, "answer": "[]"\n', "a.jsonl:1: the JSON object is cut off"),
            ("[" * 100_000, "a.jsonl:1: "),
            ("[1, 2]", "a.jsonl:1: not a JSON object"),
        ],
    )
    def test_no_json(self, text: str, what: str) -> None:
        Path("a.jsonl").write_text(text)
        arguments = Input.parse("a.jsonl::llm"), Request(side="x", layer="spans"), "tokens"
        assert refusal(read_input, *arguments).startswith(what)

    def test_an_answer_nested_deeply_is_not_read(self) -> None:
        Path("a.jsonl").write_text(json.dumps({"id": 1, "answer": "[" * 1_000_000}))
        corpus = read_input(Input.parse("a.jsonl::llm"), Request(side="x", layer="spans"), "tokens")
        assert len(notes(corpus)) == 1


YES: list[Any] = [
    {"id": 1, "answer": json.dumps(ITEMS)},
    {"id": 1, "entities": ITEMS},
    {"text": "Anna left", "entities": [["Anna", "PER"]]},
    {"id": 1, "output": "<PER>Anna</PER> left"},
    {"id": 1, "response": f"Sure:\n```json\n{json.dumps(ITEMS)}\n```"},
]
NO: list[Any] = [
    {"id": 1, "text": "Anna", "spans": [{"begin": 0, "end": 4, "label": "PER"}]},
    {"id": 1, "text": "Anna", "spans": []},
    {"id": 1, "tokens": ["Anna"], "tags": ["B-PER"], "answer": json.dumps(ITEMS)},
    {"text": "Anna", "spans": [{"start": 0, "end": 4, "label": "PER"}], "answer": "accept"},
    {"text": "Anna", "answer": "accept"},
    {"text": "Anna", "label": [[0, 4, "PER"]]},
    {"text": "Anna", "entities": [[0, 4, "PER"]]},
    {"id": 1, "text": "Anna", "entities": [{"id": 1, "label": "PER", "start_offset": 0, "end_offset": 4}]},
    {"id": 1, "entities": [{"word": "Anna", "entity_group": "PER", "start": 0, "end": 4, "score": 0.9}]},
    {"id": 1, "label": "news", "content": "some text with [1] notes"},
    {"data": {"text": "Anna"}, "annotations": [{"result": [{"value": {"start": 0, "end": 4, "labels": ["PER"]}}]}]},
    [1, 2],
    3,
]


class TestSniffing:
    @pytest.mark.parametrize("record", YES, ids=range(len(YES)))
    def test_answers(self, record: Any) -> None:
        lines = [json.dumps(record)]
        assert [name for name, each in find_formats().items() if each.sniff(lines) and not each.general] == ["llm"]
        assert sniff([json.dumps({"id": 0, "answer": "I cannot"}), *lines, '{"id": 9, "ans'])

    @pytest.mark.parametrize("record", NO, ids=range(len(NO)))
    def test_others(self, record: Any) -> None:
        assert not sniff([json.dumps(record)])
        assert not sniff([json.dumps(record), "", "no JSON"])

    def test_one_object_with_places_is_enough(self) -> None:
        assert not sniff([json.dumps(YES[1]), json.dumps(NO[0])])

    @pytest.mark.parametrize("line", ["", "Anna\tB-PER", "[" * 60_000, '{"a":' * 20_000, "T1\tPER 0 4\tAnna"])
    def test_no_json(self, line: str) -> None:
        assert not sniff([line])

    def test_it_carries_spans_alone(self) -> None:
        assert FORMAT.layers == {"spans"}
