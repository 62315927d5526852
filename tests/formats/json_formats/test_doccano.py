"""Samples are written after doccano's exporters (https://github.com/doccano/doccano, backend/data_export)."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from comparanda.core.corpus import Corpus
from comparanda.formats import elevant, hugging_face, label_studio, prodigy
from comparanda.formats.contract import Request
from comparanda.formats.doccano import FORMAT, sniff
from comparanda.formats.inputs import Input, read_input
from tests.formats.corpora import notes, refusal, said, span_lines, spans, words

TEXT = "Anna met Bo in Łódź."
ANNA, BO = [0, 4, "PER"], [9, 11, "PER"]
LISTS = {"id": 1, "text": TEXT, "label": [ANNA, BO], "Comments": []}
OBJECTS = {
    "id": 1,
    "text": TEXT,
    "entities": [
        {"id": 7, "label": "PER", "start_offset": 0, "end_offset": 4},
        {"id": 8, "label": "LOC", "start_offset": 15, "end_offset": 19},
    ],
    "relations": [{"id": 1, "from_id": 7, "to_id": 8, "type": "lives"}],
    "Comments": [],
}
HINT = 'write a span like this: [0, 5, "PER"], or like this: {"start_offset": 0, "end_offset": 5, "label": "PER"}'
EMOJI = {"id": 1, "text": "😀 Anna 😀 Bo", "label": [[0, 1, "SIGN"], [2, 6, "PER"], [9, 11, "PER"]]}
NEW = "export all documents again, from one project"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(*documents: dict[str, Any] | str, options: str = "") -> Corpus:
    lines = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in documents]
    Path("d.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return read_input(Input.parse(f"d.jsonl::doccano{options}"), Request(side="key", layer="spans"), "tokens")


def refused(*documents: dict[str, Any] | str, options: str = "") -> str:
    return refusal(read, *documents, options=options)


class TestGenerations:
    def test_lists(self) -> None:
        corpus = read(LISTS | {"source": "news"}, LISTS | {"id": 2, "label": []})
        assert spans(corpus) == [("1", 0, 4, "PER"), ("1", 9, 11, "PER")]
        assert corpus.documents.names == ("1", "2")
        assert corpus.documents.attributes["source"].values() == ["news", None]
        assert words(corpus)[:2] == ["Anna", "met"]
        assert (span_lines(corpus), notes(corpus)) == (["d.jsonl:1", "d.jsonl:1"], [])
        assert corpus.format == "doccano"

    @pytest.mark.parametrize("field", ["labels", "entities"])
    def test_older_names_of_lists(self, field: str) -> None:
        assert spans(read({"doc_id": 3, "text": TEXT, field: [ANNA], "username": "x"})) == [("3", 0, 4, "PER")]

    def test_objects_and_relations(self) -> None:
        corpus = read(OBJECTS, OBJECTS | {"id": 2, "entities": [], "relations": [], "Comments": ["sure?"]})
        assert spans(corpus) == [("1", 0, 4, "PER"), ("1", 15, 19, "LOC")]
        assert notes(corpus) == [
            "key: relations ignored: 1 (d.jsonl:1)",
            "key: comments ignored: 1 (d.jsonl:2)",
        ]
        assert corpus.spans is not None
        assert not corpus.spans.columns  # ids are numbers of annotations, not of entities

    def test_objects_of_2021_have_numbers_of_labels(self) -> None:
        annotation = {"id": 1, "label": 2, "start_offset": 0, "end_offset": 4, "user": 1, "prob": 0.5}
        corpus = read({"id": 1, "text": TEXT, "annotations": [annotation], "meta": {}})
        assert spans(corpus) == [("1", 0, 4, "2")]
        assert (said(corpus, "prob"), said(corpus, "user")) == ([0.5], [1])

    def test_two_of_them_in_one_file(self) -> None:
        assert refused(LISTS, OBJECTS | {"id": 2}) == (
            "d.jsonl:2: spans are in 'entities' and in 'label': two versions of doccano's export format\n"
            f"  the first document is at d.jsonl:1\n  {NEW}"
        )
        mixed = OBJECTS | {"id": 2, "entities": [ANNA]}
        assert refused(OBJECTS, mixed) == (
            "d.jsonl:2: spans are in lists and in objects: two versions of doccano's export format\n"
            f"  the first span is at d.jsonl:1\n  {NEW}"
        )
        assert refused(mixed, OBJECTS) == (
            "d.jsonl:2: spans are in objects and in lists: two versions of doccano's export format\n"
            f"  the first span is at d.jsonl:1\n  {NEW}"
        )

    def test_two_of_them_in_one_document(self) -> None:
        assert refused(LISTS | OBJECTS) == (
            f"d.jsonl:1: spans are in 'entities' and in 'label': two versions of doccano's export format\n  {NEW}"
        )

    def test_a_label_of_the_document_is_no_list(self) -> None:
        corpus = read(OBJECTS | {"label": "sport"})
        assert corpus.documents.attributes["label"].values() == ["sport"]


class TestUsers:
    ANNOTATIONS = (
        {"label": "PER", "start_offset": 0, "end_offset": 4, "user": 1},
        {"label": "ORG", "start_offset": 0, "end_offset": 4, "user": 2},
    )

    def test_several_are_refused(self) -> None:
        assert refused({"id": 1, "text": TEXT, "annotations": self.ANNOTATIONS}) == (
            "d.jsonl:1: 2 users have annotated this document: 1, 2\n  choose one: ?annotator=1"
        )

    def test_one_is_chosen(self) -> None:
        corpus = read({"id": 1, "text": TEXT, "annotations": self.ANNOTATIONS}, options="?annotator=2")
        assert spans(corpus) == [("1", 0, 4, "ORG")]
        assert notes(corpus) == ["key: annotations of other users ignored: 1 (d.jsonl:1)"]

    def test_those_of_others_are_checked_too(self) -> None:
        broken = {"id": 1, "text": "😀", "annotations": [{"label": "X", "start_offset": 0, "user": 1}]}
        assert refused(broken, options="?annotator=2").startswith(
            "d.jsonl:1: missing 'annotations[0].end_offset', expected an integer\n"
        )


class TestNames:
    def test_another_field(self) -> None:
        assert read(LISTS | {"url": "a/b"}, options="?document=url").documents.names == ("a/b",)
        assert refused(LISTS, options="?document=url") == (
            "d.jsonl:1: there is no field 'url'\n  fields: id, text, label, Comments"
        )

    def test_without_any_they_are_numbered(self) -> None:
        corpus = read({"text": TEXT, "label": [ANNA]}, {"text": TEXT, "label": []})
        assert corpus.documents.names == ("document 1", "document 2")
        assert notes(corpus) == ["key: no field names documents; they are numbered instead: 1 (d.jsonl:1)"]

    def test_one_that_is_missing_or_there_twice(self) -> None:
        assert refused(LISTS, {"text": TEXT, "label": []}) == (
            "d.jsonl:2: the document has no 'id'\n  give every document a unique name"
        )
        assert refused(LISTS, LISTS).startswith("d.jsonl:2: duplicate document '1'\n")


class TestUnits:
    """doccano has counted UTF-16 units and code points, and an export does not say which (issues 99 and 2290)."""

    def test_code_points_and_that_is_noted(self) -> None:
        corpus = read(EMOJI)
        assert [span[1:3] for span in spans(corpus)] == [(0, 1), (2, 6), (9, 11)]
        assert notes(corpus) == [
            "key: spans after emoji and the like, which some versions of doccano count as two characters"
            " (?offsets=utf-16 reads these); counted as one: 3 (d.jsonl:1, d.jsonl:1, d.jsonl:1)"
        ]

    def test_utf_16_if_that_is_asked_for(self) -> None:
        wide = EMOJI | {"label": [[0, 2, "SIGN"], [3, 7, "PER"], [11, 13, "PER"]]}
        corpus = read(wide, options="?offsets=utf-16")
        assert [span[1:3] for span in spans(corpus)] == [(0, 1), (2, 6), (9, 11)]
        assert notes(corpus) == []
        assert notes(read(EMOJI, options="?offsets=code-points")) == []

    def test_a_place_behind_the_text_tells(self) -> None:
        assert refused(EMOJI | {"label": [[11, 13, "PER"]]}) == (
            "d.jsonl:1: a span ends at 13, but the text has 11 characters\n"
            "  use ?offsets=utf-16 if this version of doccano counts UTF-16 units"
        )

    def test_what_stands_before_does_not_matter(self) -> None:
        assert notes(read({"id": 1, "text": "Anna 😀", "label": [ANNA]})) == []
        assert notes(read({"id": 1, "text": "Anna 😀", "label": []})) == []


class TestDefects:
    @pytest.mark.parametrize(
        ("span", "message"),
        [
            ("x", f"'label[1]' is a string, which is not a span\n  {HINT}"),
            (
                [0, 4],
                "'label[1]' has 2 elements, not a begin, an end and a label\n  write a span like this: [0, 5, \"PER\"]",
            ),
            (
                ["0", 4, "X"],
                "'label[1][0]' is '0', which is not an offset\n  write a span like this: [0, 5, \"PER\"]",
            ),
            (
                [0, 1 << 63, "X"],
                f"'label[1][1]' is {1 << 63}, which is not an offset\n  write a span like this: [0, 5, \"PER\"]",
            ),
            ([0, 4, ""], f"'label[1][2]' is '', which is not a label\n  {HINT}"),
            ([0, 4, " "], f"'label[1][2]' is ' ', which is not a label\n  {HINT}"),
            ([0, 4, None], f"'label[1][2]' is None, which is not a label\n  {HINT}"),
        ],
    )
    def test_malformed_lists(self, span: Any, message: str) -> None:
        assert refused(LISTS | {"label": [ANNA, span]}) == f"d.jsonl:1: {message}"

    @pytest.mark.parametrize(
        ("field", "value", "message"),
        [
            ("start_offset", None, "missing 'entities[0].start_offset', expected an integer"),
            ("end_offset", "4", "'entities[0].end_offset' is a string, not an integer"),
            ("label", None, "'entities[0].label' is None, which is not a label"),
        ],
    )
    def test_malformed_objects(self, field: str, value: Any, message: str) -> None:
        broken = OBJECTS | {"entities": [{"label": "X", "start_offset": 0, "end_offset": 4} | {field: value}]}
        assert refused(broken).startswith(f"d.jsonl:1: {message}\n")

    def test_no_field_with_spans(self) -> None:
        assert refused({"id": 1, "text": TEXT}) == (
            "d.jsonl:1: there is no field with spans\n"
            "  spans of doccano are in one of: entities, label, labels, annotations"
        )
        assert refused({"id": 1, "text": TEXT, "label": "PER"}) == (
            f"d.jsonl:1: 'label' is a string, not an array\n  {HINT}"
        )

    def test_no_text(self) -> None:
        assert refused({"id": 1, "label": [ANNA]}) == (
            "d.jsonl:1: missing 'text', expected a string\n  rename the field that holds the text to 'text'"
        )

    def test_outside_of_the_text(self) -> None:
        assert refused(LISTS | {"label": [[15, 30, "LOC"]]}) == (
            "d.jsonl:1: label[0] of document '1' ends at 30, but the text has 20 characters\n"
            "  the span: 15 30 LOC\n  check that this is the annotated text; offsets count its code points"
        )

    def test_cut_off(self) -> None:
        line = json.dumps(LISTS)
        assert refused(line, line[:20]).startswith("d.jsonl:2: the JSON object is cut off\n")

    @pytest.mark.parametrize("bracket", ["[", '{"text":"x","label":['])
    def test_ten_million_brackets(self, bracket: str) -> None:
        begin = time.process_time()
        assert refused(bracket * (10_000_000 // len(bracket))).startswith("d.jsonl:1: ")
        assert time.process_time() - begin < 5


class TestSniff:
    @pytest.mark.parametrize("document", [LISTS, OBJECTS, {"text": TEXT, "entities": [ANNA]}])
    def test_exports_are_told(self, document: dict[str, Any]) -> None:
        lines = [json.dumps(document)]
        assert sniff(lines)
        assert not any(each.sniff(lines) for each in (elevant, hugging_face, label_studio, prodigy))
        Path("d.jsonl").write_text(f"{lines[0]}\n")
        assert read_input(Input(path="d.jsonl"), Request(side="key", layer="spans"), "tokens").format == "doccano"

    def test_documents_without_spans_may_come_first(self) -> None:
        assert sniff([json.dumps(LISTS | {"label": []}), json.dumps(LISTS)])

    @pytest.mark.parametrize(
        "line",
        [
            '{"text": "Anna", "label": []}',
            '{"text": "Anna", "label": ["sport"]}',
            '{"text": "Anna", "spans": [{"start_offset": 0, "end_offset": 4, "label": "PER"}]}',
            '{"text": "\\"label\\": [[0, 4, \\"PER\\"]]"}',
            '{"tokens": ["Anna"], "label": [[0, 4, "PER"]]}',
            "[" * 1000,
        ],
    )
    def test_other_json_is_not(self, line: str) -> None:
        assert not sniff([line])

    def test_the_format(self) -> None:
        assert FORMAT.layers == frozenset({"spans"})
        assert list(FORMAT.options) == ["document", "annotator", "offsets", "base", "strip"]
