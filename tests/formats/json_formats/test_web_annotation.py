"""W3C Web Annotation.

What the terms mean is said at https://www.w3.org/TR/annotation-model/; the annotations here are made up.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from comparanda.core.corpus import Corpus
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, find_formats, read_input
from comparanda.formats.web_annotation import CONTEXT, sniff
from tests.formats.corpora import fragments, notes, refusal, said, span_lines, spans


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def place(start: Any = 0, end: Any = 3) -> dict[str, Any]:
    return {"type": "TextPositionSelector", "start": start, "end": end}


def quote(exact: str) -> dict[str, Any]:
    return {"type": "TextQuoteSelector", "exact": exact, "prefix": "", "suffix": " met"}


def target(*selectors: dict[str, Any], source: Any = "http://x/d1") -> dict[str, Any]:
    return {"source": source, "selector": list(selectors) or place()}


def annotation(**fields: Any) -> dict[str, Any]:
    return {"@context": CONTEXT, "id": "http://x/a1", "type": "Annotation", "target": target(), **fields}


def body(purpose: str, value: str) -> dict[str, str]:
    return {"type": "TextualBody", "purpose": purpose, "value": value}


def read(given: Any, written: str = "a.jsonld::web-annotation") -> Corpus:
    text = given if isinstance(given, str) else json.dumps(given, indent=1, ensure_ascii=False)
    Path("a.jsonld").write_text(text, "utf-8")
    return read_input(Input.parse(written), Request(side="key", layer="spans"), "tokens")


def refused(**fields: Any) -> str:
    return refusal(read, annotation(**fields))


class TestFiles:
    ONE = annotation(body=body("classifying", "PER"))
    TWO = annotation(body=body("classifying", "LOC"), target=target(place(9, 13), source="http://x/d2"))

    @pytest.mark.parametrize(
        "given",
        [
            [ONE, TWO],
            {"@context": CONTEXT, "type": "AnnotationPage", "items": [ONE, TWO]},
            {"@context": CONTEXT, "type": "AnnotationCollection", "total": 2, "first": {"items": [ONE, TWO]}},
            f"{json.dumps(ONE)}\n{json.dumps(TWO)}\n",
        ],
        ids=["array", "page", "collection", "lines"],
    )
    def test_several_annotations(self, given: Any) -> None:
        corpus = read(given, "a.jsonld")
        assert spans(corpus) == [("http://x/d1", 0, 3, "PER"), ("http://x/d2", 9, 13, "LOC")]
        assert (corpus.format, notes(corpus), corpus.raw) == ("web-annotation", [], None)

    def test_one_annotation(self) -> None:
        assert spans(read(self.ONE)) == [("http://x/d1", 0, 3, "PER")]

    def test_lines(self) -> None:
        assert span_lines(read(f"\n{json.dumps(self.ONE)}\n{json.dumps(self.TWO)}\n")) == ["a.jsonld:2", "a.jsonld:3"]

    def test_annotations_of_a_document_need_not_follow_each_other(self) -> None:
        corpus = read([self.ONE, self.TWO, self.ONE])
        assert [span[0] for span in spans(corpus)] == ["http://x/d1", "http://x/d1", "http://x/d2"]


class TestTargets:
    @pytest.mark.parametrize("source", ["http://x/d1", {"id": "http://x/d1", "type": "Text"}])
    def test_the_source_names_the_document(self, source: Any) -> None:
        assert read(annotation(target=target(source=source))).documents.names == ("http://x/d1",)

    def test_a_relative_source_is_a_name(self) -> None:
        assert read(annotation(target=target(source="my%20news/7"))).documents.names == ("my news/7",)

    def test_the_text_that_is_quoted(self) -> None:
        corpus = read(annotation(target=target(quote("Ada"), place())))
        assert (said(corpus, "text"), notes(corpus)) == (["Ada"], [])

    def test_a_quotation_of_another_length(self) -> None:
        corpus = read(annotation(target=target(quote("Adam"), place())))
        assert notes(corpus) == ["key: spans whose exact text is not as long as their extent: 1 (a.jsonld:1)"]

    def test_offsets_that_seem_to_count_utf_16(self) -> None:
        corpus = read(annotation(target=target(quote("A😀a"), place(0, 4))))
        assert notes(corpus) == [
            "key: spans whose exact text is not as long as their extent, as if offsets counted UTF-16 units: "
            "1 (a.jsonld:1)"
        ]

    @pytest.mark.parametrize("kind", ["List", "Independents"])
    def test_several_targets_are_several_spans(self, kind: str) -> None:
        targets = [target(place(0, 3)), target(place(5, 7), source="http://x/d2")]
        expected = [("http://x/d1", 0, 3, "ENTITY"), ("http://x/d2", 5, 7, "ENTITY")]
        assert spans(read(annotation(target=targets))) == expected
        assert spans(read(annotation(target={"type": kind, "items": targets}))) == expected

    def test_a_composite_is_one_span_in_pieces(self) -> None:
        items = [target(place(0, 3), quote("New")), target(place(8, 12), quote("City"))]
        corpus = read(annotation(target={"type": "Composite", "items": items}))
        assert spans(corpus) == [("http://x/d1", 0, 12, "ENTITY")]
        assert fragments(corpus) == [(0, 0, 3), (0, 8, 12)]
        assert said(corpus, "text") == ["New City"]

    @pytest.mark.parametrize(
        "other",
        [
            "http://x/d1",
            {"source": "http://x/d1"},
            {"source": "http://x/d1", "selector": {"type": "SvgSelector", "value": "<svg/>"}},
            {"type": "Composite", "items": []},
            [],
        ],
    )
    def test_other_targets_are_counted(self, other: Any) -> None:
        corpus = read([annotation(), annotation(target=other), {"type": "Person"}])
        (note,) = notes(corpus)
        assert note.startswith("key: annotations of anything but an extent of a text ignored: 2 (a.jsonld:")
        assert len(spans(corpus)) == 1


class TestBodies:
    def test_without_any_the_label_is_the_usual_one(self) -> None:
        assert spans(read(annotation())) == [("http://x/d1", 0, 3, "ENTITY")]

    @pytest.mark.parametrize(
        ("fields", "label"),
        [
            ({"body": body("classifying", "PER")}, "PER"),
            ({"body": [body("tagging", "PER")]}, "PER"),
            ({"body": [body("tagging", "x"), body("classifying", "PER")]}, "PER"),
            ({"motivation": "tagging", "bodyValue": "PER"}, "PER"),
            ({"motivation": ["classifying"], "body": {"type": "TextualBody", "value": "PER"}}, "PER"),
            ({"motivation": "oa:classifying", "body": "http://dbpedia.org/ontology/Person"}, "Person"),
            ({"body": {"purpose": "classifying", "source": "http://x/types#Person"}}, "Person"),
            ({"body": {"purpose": "classifying", "source": {"id": "http://x/types#Person"}}}, "Person"),
            ({"bodyValue": "what a name"}, "ENTITY"),
        ],
    )
    def test_labels(self, fields: dict[str, Any], label: str) -> None:
        assert [span[3] for span in spans(read(annotation(**fields)))] == [label]

    def test_several_labels_are_several_spans(self) -> None:
        corpus = read(annotation(body=[body("tagging", "A"), body("tagging", "B"), body("identifying", "Q1")]))
        assert spans(corpus) == [("http://x/d1", 0, 3, "A"), ("http://x/d1", 0, 3, "B")]
        assert said(corpus, "id") == ["Q1", "Q1"]

    def test_the_purpose_of_labels_can_be_chosen(self) -> None:
        given = annotation(body=[body("tagging", "A"), body("classifying", "B")])
        corpus = read(given, "a.jsonld::web-annotation?label=tagging")
        assert ([span[3] for span in spans(corpus)], said(corpus, "classifying")) == (["A"], ["B"])

    @pytest.mark.parametrize(
        ("fields", "ids"),
        [
            ({"body": {"purpose": "identifying", "source": "http://w/Q1"}}, "http://w/Q1"),
            ({"body": {"purpose": "linking", "id": "http://w/Q1"}}, "http://w/Q1"),
            (
                {"body": [{"purpose": "identifying", "source": ["http://w/Q1", "http://w/Q2"]}]},
                "http://w/Q1|http://w/Q2",
            ),
            ({"motivation": "identifying", "body": "http://w/Q1"}, "http://w/Q1"),
            ({"body": "http://w/Q1"}, "http://w/Q1"),
            ({"body": body("identifying", "NIL")}, "NIL"),
            ({"body": [body("linking", "x"), body("identifying", "Q1")]}, "Q1"),
        ],
    )
    def test_ids(self, fields: dict[str, Any], ids: str) -> None:
        assert said(read(annotation(**fields)), "id") == [ids]

    def test_what_else_is_said(self) -> None:
        bodies = [body("classifying", "PER"), body("tagging", "a"), body("tagging", "b"), body("commenting", "sure?")]
        corpus = read(annotation(body=bodies, creator={"id": "http://x/ann", "name": "Ann"}))
        assert said(corpus, "tagging") == ["a|b"]
        assert said(corpus, "commenting") == ["sure?"]
        assert said(corpus, "creator") == ["Ann"]

    def test_classes_keep_their_iris(self) -> None:
        corpus = read(annotation(body={"purpose": "classifying", "source": "http://x/types#Person"}))
        assert said(corpus, "class") == ["http://x/types#Person"]


class TestRefused:
    def test_a_quotation_alone(self) -> None:
        assert refused(target=target(quote("Ada"))) == (
            "a.jsonld:1: 'target' quotes 'Ada', but does not give its offsets\n"
            "  add a TextPositionSelector: texts are not in the file, so a quotation cannot be located"
        )

    @pytest.mark.parametrize(
        ("fields", "what"),
        [
            ({"target": target(place("0"))}, "a.jsonld:1: 'target.selector[0].start' is a string, not an integer"),
            (
                {"target": target(place(0, None))},
                "a.jsonld:1: missing 'target.selector[0].end', expected an",
            ),
            ({"target": target(place(0, 10**40))}, "a.jsonld:1: 'target.selector[0].end' is 1000"),
            (
                {"target": target(place(4, 3))},
                "a.jsonld:1: the annotation 'http://x/a1' of document 'http://x/d1' ends",
            ),
            (
                {"target": target(place(-1, 3))},
                "a.jsonld:1: the annotation 'http://x/a1' of document 'http://x/d1' begins",
            ),
            ({"target": target(source="")}, "a.jsonld:1: 'target.source' is a string, not the IRI of a text"),
            ({"target": {"selector": place()}}, "a.jsonld:1: missing 'target.source', expected the IRI"),
            ({"target": 5}, "a.jsonld:1: 'target' is 5, not an object or an IRI"),
            ({"target": [target(), None]}, "a.jsonld:1: 'target' is an array, not an object or an IRI"),
            ({"body": 5}, "a.jsonld:1: 'body' is 5, not an object or an IRI"),
            ({"body": {"purpose": "tagging", "value": 5}}, "a.jsonld:1: 'body.value' is 5, not a string"),
            (
                {"target": target({**place(), "refinedBy": place()})},
                "a.jsonld:1: 'target.selector[0].refinedBy' narrows",
            ),
            ({"target": {"type": "Choice", "items": []}}, "a.jsonld:1: 'target' is a choice between several extents"),
            (
                {"target": {"type": "Composite", "items": [target(), target(source="http://x/d2")]}},
                "a.jsonld:1: 'target' is composed of extents in several sources",
            ),
        ],
    )
    def test_a_wrong_field(self, fields: dict[str, Any], what: str) -> None:
        assert refused(**fields).startswith(what)

    def test_nothing_to_read(self) -> None:
        assert refused(target="http://x/d1") == (
            "a.jsonld: no annotation has a target with a TextPositionSelector\n"
            '  write the offsets like this: {"type": "TextPositionSelector", "start": 0, "end": 4}'
        )

    def test_units_of_a_text_that_is_not_there(self) -> None:
        written = "a.jsonld::web-annotation?offsets=utf-16"
        assert refusal(read, annotation(), written, code=2).startswith(
            "offsets=utf-16 cannot be read without the texts"
        )

    @pytest.mark.parametrize(
        ("text", "what"),
        [
            ('{"items": [{', "a.jsonld:1: the JSON is cut off"),
            ("[5]", "a.jsonld:1: expected an object, got an integer"),
            ("[" * 10_000_000, "a.jsonld:1: the JSON is nested too deeply"),
            ('{"target": ' * 1_000_000, "a.jsonld:1: the JSON is nested too deeply"),
        ],
        ids=["cut", "number", "brackets", "braces"],
    )
    def test_no_annotations(self, text: str, what: str) -> None:
        assert refusal(read, text).startswith(what)

    @pytest.mark.parametrize("kind", ["List", "Composite"])
    def test_lists_in_lists(self, kind: str) -> None:
        nested: Any = target()
        for _ in range(300):
            nested = {"type": kind, "items": [nested]}
        given = json.dumps(annotation(target=nested))
        assert refusal(read, given) == "a.jsonld:1: targets are nested more than 10 deep"


class TestSniffing:
    def test_it_is_known_by_its_context(self) -> None:
        lines = [json.dumps(annotation())]
        assert [name for name, each in find_formats().items() if each.sniff(lines) and not each.general] == [
            "web-annotation"
        ]

    @pytest.mark.parametrize("line", ['{"type": "Annotation"}', f"see {CONTEXT}", '{"text": "Ada", "spans": []}'])
    def test_other_files(self, line: str) -> None:
        assert not sniff([line])
