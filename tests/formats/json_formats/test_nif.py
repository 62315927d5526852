"""NIF as JSON-LD.

What the terms mean is said at https://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core/nif-core.html and, for
entities, at https://github.com/dice-group/gerbil/wiki/NIF; the texts here are made up.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import rdflib

from comparanda.core.corpus import Corpus
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, find_formats, read_input
from comparanda.formats.nif import ITSRDF, NIF, sniff
from tests.formats.corpora import notes, refusal, said, span_lines, spans

TEXT = "😀 Ada met Bo in Rome."
TURTLE = f"""
@prefix nif: <{NIF}> .
@prefix itsrdf: <{ITSRDF}> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<http://x/d1#char=0,21> a nif:Context, nif:OffsetBasedString ;
  nif:beginIndex "0"^^xsd:nonNegativeInteger ; nif:endIndex "21"^^xsd:nonNegativeInteger ;
  nif:isString "{TEXT}" .
<http://x/d1#char=2,5> a nif:Phrase ; nif:anchorOf "Ada" ; nif:referenceContext <http://x/d1#char=0,21> ;
  nif:beginIndex "2"^^xsd:nonNegativeInteger ; nif:endIndex "5"^^xsd:nonNegativeInteger ;
  itsrdf:taClassRef <http://dbpedia.org/ontology/Person> ; itsrdf:taConfidence "0.75"^^xsd:double ;
  itsrdf:taIdentRef <http://www.wikidata.org/entity/Q7259> .
<http://x/d1#char=10,12> a nif:Phrase ; nif:anchorOf "Bo" ; nif:referenceContext <http://x/d1#char=0,21> ;
  nif:beginIndex "10"^^xsd:nonNegativeInteger ; nif:endIndex "12"^^xsd:nonNegativeInteger ;
  itsrdf:taIdentRef <http://aksw.org/notInWiki/Bo> .
<http://x/d1#char=16,20> a nif:Phrase ; nif:anchorOf "Rome" ; nif:referenceContext <http://x/d1#char=0,21> ;
  nif:beginIndex "16"^^xsd:nonNegativeInteger ; nif:endIndex "20"^^xsd:nonNegativeInteger .
<http://x/d1#char=0,20> a nif:Sentence ; nif:anchorOf "x" ; nif:referenceContext <http://x/d1#char=0,21> ;
  nif:beginIndex "0"^^xsd:nonNegativeInteger ; nif:endIndex "20"^^xsd:nonNegativeInteger .
"""
CONTEXT: dict[str, Any] = {"@id": "http://x/d1#char=0,21", "@type": "nif:Context", "nif:isString": TEXT}
ADA: dict[str, Any] = {
    "@id": "http://x/d1#char=2,5",
    "@type": ["nif:Phrase"],
    "nif:referenceContext": {"@id": "http://x/d1#char=0,21"},
    "nif:beginIndex": 2,
    "nif:endIndex": "5",
    "nif:anchorOf": "Ada",
}
PREFIXES = {"nif": NIF, "itsrdf": ITSRDF}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(given: Any, written: str = "a.jsonld::nif") -> Corpus:
    text = given if isinstance(given, str) else json.dumps(given, indent=1, ensure_ascii=False)
    Path("a.jsonld").write_text(text, "utf-8")
    return read_input(Input.parse(written), Request(side="key", layer="spans"), "tokens")


def graph(*nodes: dict[str, Any], **context: Any) -> dict[str, Any]:
    return {"@context": PREFIXES | context, "@graph": list(nodes)}


def refused(given: Any) -> str:
    return refusal(read, given)


class TestWhatRdflibWrites:
    @pytest.fixture(params=[False, True], ids=["expanded", "compacted"])
    def text(self, request: pytest.FixtureRequest) -> str:
        parsed = rdflib.Graph().parse(data=TURTLE, format="turtle")
        return str(parsed.serialize(format="json-ld", auto_compact=request.param))

    def test_it_is_known_and_read(self, text: str) -> None:
        corpus = read(text, "a.jsonld")
        assert sorted(spans(corpus)) == [
            ("http://x/d1", 2, 5, "Person"),
            ("http://x/d1", 10, 12, "ENTITY"),
            ("http://x/d1", 16, 20, "ENTITY"),
        ]
        order = sorted(range(3), key=lambda span: spans(corpus)[span])
        assert [said(corpus, "id")[span] for span in order] == ["http://www.wikidata.org/entity/Q7259", "NIL", None]
        assert [said(corpus, "class")[span] for span in order][:1] == ["http://dbpedia.org/ontology/Person"]
        assert said(corpus, "probability")[order[0]] == 0.75
        assert [said(corpus, "text")[span] for span in order] == ["Ada", "Bo", "Rome"]
        assert corpus.raw is not None
        assert corpus.raw.documents == (TEXT,)
        (note,) = notes(corpus)
        assert note.startswith("key: strings that are not mentions (words, sentences and the like) ignored: 1 (")


class TestForms:
    def test_a_graph(self) -> None:
        corpus = read(graph(CONTEXT, ADA), "a.jsonld")
        assert (spans(corpus), span_lines(corpus)) == ([("http://x/d1", 2, 5, "ENTITY")], ["a.jsonld:12"])
        assert (corpus.format, notes(corpus)) == ("nif", [])

    def test_an_array_of_nodes(self) -> None:
        assert spans(read([CONTEXT, ADA])) == [("http://x/d1", 2, 5, "ENTITY")]

    def test_a_node_a_line(self) -> None:
        corpus = read(f"{json.dumps(CONTEXT)}\n\n{json.dumps(ADA)}\n")
        assert span_lines(corpus) == ["a.jsonld:3"]

    def test_terms_of_its_own(self) -> None:
        ada = {**{key: ADA[key] for key in ("@id", "@type")}, "begin": "2", "end": 5, "in": ADA["nif:referenceContext"]}
        own = {"begin": "nif:beginIndex", "end": {"@id": "nif:endIndex"}, "in": "nif:referenceContext"}
        assert spans(read(graph(CONTEXT, ada, **own))) == [("http://x/d1", 2, 5, "ENTITY")]

    def test_a_context_elsewhere_is_not_fetched(self) -> None:
        bare = {key.removeprefix("nif:"): value for key, value in ADA.items()}
        whole = {"@context": "http://nowhere.invalid/nif.jsonld", "@graph": [{**CONTEXT}, bare]}
        assert spans(read(whole)) == [("http://x/d1", 2, 5, "ENTITY")]

    def test_names_are_relative_to_the_base(self) -> None:
        base = {"@base": "http://x/"}
        assert read(graph(CONTEXT, ADA, **base)).documents.names == ("d1",)
        relative = {**CONTEXT, "@id": "my%20news#offset_0_21"}
        assert read(graph(relative)).documents.names == ("my news",)

    def test_contexts_that_are_parts_of_one_text_keep_their_extents(self) -> None:
        other = {**CONTEXT, "@id": "http://x/d1#char=21,42"}
        assert read(graph(CONTEXT, other)).documents.names == ("http://x/d1#char=0,21", "http://x/d1#char=21,42")

    def test_phrases_without_texts(self) -> None:
        corpus = read(graph(ADA))
        assert (spans(corpus), corpus.raw) == ([("http://x/d1", 2, 5, "ENTITY")], None)

    def test_one_context_need_not_be_named(self) -> None:
        ada = {key: value for key, value in ADA.items() if key != "nif:referenceContext"}
        assert spans(read(graph(CONTEXT, ada))) == [("http://x/d1", 2, 5, "ENTITY")]

    def test_a_mention_may_be_the_whole_text(self) -> None:
        extent = {"nif:beginIndex": 0, "nif:endIndex": 21, "itsrdf:taIdentRef": {"@id": "http://a"}}
        corpus = read(graph({**CONTEXT, **extent}))
        assert (spans(corpus), said(corpus, "id")) == ([("http://x/d1", 0, 21, "ENTITY")], ["http://a"])

    def test_annotation_units_are_counted(self) -> None:
        corpus = read(graph(CONTEXT, {**ADA, "nif:annotationUnit": [{"@id": "_:a"}, {"@id": "_:b"}]}))
        assert notes(corpus) == ["key: annotation units of NIF 2.1 ignored: 2 (a.jsonld:12, a.jsonld:12)"]


class TestWhatIsSaid:
    @pytest.mark.parametrize(
        ("entities", "ids"),
        [
            (["http://a/1", "http://b/2"], "http://a/1|http://b/2"),
            (["http://aksw.org/notInWiki/Ada", "http://b/2"], "NIL|http://b/2"),
            (["http://x/NIL"], "NIL"),
            (["Q42"], "Q42"),
            ([], None),
        ],
    )
    def test_entities(self, entities: list[str], ids: str | None) -> None:
        nodes = (CONTEXT, {**ADA, "itsrdf:taIdentRef": [{"@id": each} for each in entities]})
        corpus = read(graph(*nodes))
        assert corpus.spans is not None
        assert ("id" in corpus.spans.columns) == (ids is not None)
        if ids is not None:
            assert said(corpus, "id") == [ids]

    @pytest.mark.parametrize(
        ("classes", "label"),
        [
            (["http://dbpedia.org/ontology/Person"], "Person"),
            (["http://nerd.eurecom.fr/ontology#Person"], "Person"),
            (["http://x/Person", "http://x/Artist"], "Artist|Person"),
            (["http://x/Zeit%2FOrt"], "Zeit/Ort"),
        ],
    )
    def test_classes(self, classes: list[str], label: str) -> None:
        corpus = read(graph(CONTEXT, {**ADA, "itsrdf:taClassRef": [{"@id": each} for each in classes]}))
        assert [span[3] for span in spans(corpus)] == [label]
        assert said(corpus, "class") == ["|".join(classes)]

    def test_the_narrowest_class_is_the_label(self) -> None:
        ada = {**ADA, "itsrdf:taClassRef": {"@id": "http://x/Agent"}, "itsrdf:taMsClassRef": {"@id": "http://x/Poet"}}
        assert [span[3] for span in spans(read(graph(CONTEXT, ada)))] == ["Poet"]

    def test_offsets_in_another_unit_are_told_by_the_anchor(self) -> None:
        corpus = read(graph(CONTEXT, {**ADA, "nif:beginIndex": 3, "nif:endIndex": 6}))
        assert spans(corpus) == [("http://x/d1", 2, 5, "ENTITY")]
        assert notes(corpus) == [
            "key: spans whose offsets count UTF-16 units (as JavaScript and Java do), as their stated text shows: 1"
        ]


class TestRefused:
    @pytest.mark.parametrize(
        ("change", "what"),
        [
            ({"nif:beginIndex": "two"}, "a.jsonld:12: 'beginIndex' of a phrase is not a single integer, but ['two']"),
            ({"nif:beginIndex": True}, "a.jsonld:12: 'beginIndex' of a phrase is not a single integer, but [True]"),
            ({"nif:endIndex": [4, 5]}, "a.jsonld:12: 'endIndex' of a phrase is not a single integer, but [4, 5]"),
            ({"nif:endIndex": None}, "a.jsonld:12: 'endIndex' of a phrase is missing"),
            ({"nif:endIndex": "9" * 30}, "a.jsonld:12: 'endIndex' of a phrase is not a single integer"),
            ({"nif:endIndex": 99}, "a.jsonld:12: the phrase 'http://x/d1#char=2,5' of document 'http://x/d1' ends at"),
            ({"nif:anchorOf": "Bob"}, "a.jsonld:12: 1 of 1 spans do not cover their stated text"),
            (
                {"nif:referenceContext": {"@id": "http://x/d2"}},
                "a.jsonld:12: the phrase 'http://x/d1#char=2,5' is in 'http://x/d2', which is not in the graph",
            ),
            ({"@id": 5}, "a.jsonld:12: '@id' is 5, not a string"),
        ],
    )
    def test_a_wrong_phrase(self, change: dict[str, Any], what: str) -> None:
        assert refused(graph(CONTEXT, {**ADA, **change})).startswith(what)

    def test_a_phrase_of_no_context(self) -> None:
        ada = {key: value for key, value in ADA.items() if key != "nif:referenceContext"}
        other = {**CONTEXT, "@id": "http://x/d2"}
        assert refused(graph(CONTEXT, other, ada)).endswith(
            "the phrase 'http://x/d1#char=2,5' has no context\n"
            "  give each phrase a nif:referenceContext, and that a nif:isString"
        )

    def test_a_node_twice(self) -> None:
        assert refused(graph(CONTEXT, ADA, {**ADA, "itsrdf:taIdentRef": {"@id": "http://b"}})) == (
            "a.jsonld:24: duplicate node 'http://x/d1#char=2,5'\n"
            "  the first is at a.jsonld:12\n"
            "  flatten the graph, so that each node is one object with all its properties"
        )

    def test_a_context_without_text_among_others(self) -> None:
        other = {"@id": "http://x/d2", "@type": "nif:Context"}
        assert "the context 'http://x/d2' has no text, but others do" in refused(graph(CONTEXT, other))

    @pytest.mark.parametrize("text", [5, ["a", "b"], "a\0b"])
    def test_a_text_that_is_none(self, text: Any) -> None:
        assert "'isString'" in refused(graph({**CONTEXT, "nif:isString": text}))

    def test_a_graph_of_something_else(self) -> None:
        assert refused(graph({"@id": "http://x", "http://schema.org/name": "Ada"})) == (
            f"a.jsonld: there is neither a nif:Context nor a nif:Phrase in this graph\n  the namespace of NIF is {NIF}"
        )

    @pytest.mark.parametrize(
        ("text", "what"),
        [
            ('{"@graph": [', "a.jsonld:1: the JSON is cut off"),
            ("[\n{}, 7]", "a.jsonld:2: expected an object, got an integer"),
            ('{"@graph": [{"@id": x}]}', "a.jsonld:1: not JSON: "),
            ("7", "a.jsonld:1: expected an object, got an integer"),
            ("{}\n{}\nx", "a.jsonld:3: not JSON: "),
        ],
    )
    def test_no_json(self, text: str, what: str) -> None:
        assert refused(text).startswith(what)

    @pytest.mark.parametrize("head", ["", '{"@graph": ', "[", '[{"nif:x": '])
    def test_brackets_without_end(self, head: str) -> None:
        assert "nested too deeply" in refused(head + "[" * 10_000_000)


class TestSniffing:
    def test_it_is_known_by_its_namespace(self) -> None:
        lines = json.dumps(graph(CONTEXT, ADA), indent=1).split("\n")
        assert [name for name, each in find_formats().items() if each.sniff(lines) and not each.general] == ["nif"]

    @pytest.mark.parametrize(
        "text",
        [f"@prefix nif: <{NIF}> .", '{"@context": "http://www.w3.org/ns/anno.jsonld", "type": "Annotation"}', "[" * 99],
    )
    def test_other_files(self, text: str) -> None:
        assert not sniff([text])
