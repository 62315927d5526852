"""GATE XML.

After chapter 5.5.2 of the user guide (https://gate.ac.uk/sale/tao/splitch5.html) and what GATE itself reads and refuses
(DocumentStaxUtils of https://github.com/GateNLP/gate-core). The documents here are made up.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from comparanda.core.corpus import Corpus
from comparanda.formats.contract import Request
from comparanda.formats.gate_xml import sniff
from comparanda.formats.inputs import Input, find_formats, read_input
from tests.formats.corpora import notes, refusal, said, span_lines, spans, words

TEXT = '<Node id="0"/>Zoë<Node id="3"/> 😀 in <Node id="10"/>R&amp;D <Node id="14"/>Rome<Node id="18"/>.\n'
PERSON = '<Annotation Id="7" Type="Person" StartNode="0" EndNode="3">\n</Annotation>\n'
TOKEN = '<Annotation Id="8" Type="Token" StartNode="0" EndNode="3">{}</Annotation>\n'
PLACE = '<Annotation Id="9" Type="Location" StartNode="10" EndNode="18">{}</Annotation>\n'


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def feature(name: str, value: str, kind: str = "String", package: str = "java.lang.") -> str:
    return (
        f'<Feature>\n  <Name className="java.lang.String">{name}</Name>\n'
        f'  <Value className="{package}{kind}">{value}</Value>\n</Feature>\n'
    )


def gate(*sets: str, text: str = TEXT, features: str = "") -> str:
    inner = "\n".join(sets)
    return (
        "<?xml version='1.0' encoding='UTF-8'?>\n<GateDocument version=\"3\">\n"
        f"<GateDocumentFeatures>\n{features}</GateDocumentFeatures>\n"
        f"<TextWithNodes>{text}</TextWithNodes>\n{inner}\n</GateDocument>\n"
    )


def in_set(*some: str, name: str | None = None) -> str:
    named = "" if name is None else f' Name="{name}"'
    return f"<AnnotationSet{named}>\n{''.join(some)}</AnnotationSet>"


def read(text: str, written: str = "d.xml") -> Corpus:
    path = Path(Input.parse(written).path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return read_path(written)


def read_path(written: str) -> Corpus:
    return read_input(Input.parse(written), Request(side="key", layer="spans"), "tokens")


def refused(text: str, written: str = "d.xml::gate") -> str:
    return refusal(read, text, written)


class TestDocuments:
    def test_one_file(self) -> None:
        url = feature("gate.SourceURL", "file:/x.txt")
        corpus = read(gate(in_set(PERSON, PLACE.format("")), features=url))
        assert corpus.raw is not None
        assert corpus.raw.documents == ("Zoë 😀 in R&D Rome.\n",)
        assert spans(corpus) == [("d", 0, 3, "Person"), ("d", 9, 17, "Location")]
        assert span_lines(corpus) == ["d.xml:12", "d.xml:14"]
        assert words(corpus)[:3] == ["Zoë", "😀", "in"]
        assert (corpus.format, notes(corpus)) == ("gate", [])
        assert corpus.documents.attributes["gate.SourceURL"][0] == "file:/x.txt"

    def test_files_are_documents(self) -> None:
        for name in ("c/a.xml", "c/sub/a.xml"):
            read(gate(in_set(PERSON)), name)
        assert read_path("c").documents.names == ("a", "sub/a")
        assert read_path("c::gate?names=number").documents.names == ("1", "2")

    def test_a_document_without_annotations(self) -> None:
        corpus = read(gate(in_set()))
        assert (spans(corpus), notes(corpus), len(corpus)) == ([], [], 8)

    def test_line_ends_and_comments(self) -> None:
        xml = gate(in_set(PERSON)).replace("in <Node", "in<!-- x -->\n<Node")
        assert spans(read(xml.replace("\n", "\r\n"))) == spans(read(xml)) == [("d", 0, 3, "Person")]
        assert notes(read(xml.replace("\n", "\r\n"))) == []


class TestNodes:
    def test_where_a_node_stands_holds_and_not_its_id(self) -> None:
        by_code_points = gate(in_set(PERSON, PLACE.format(""))).replace('"10"', '"9"').replace('"14"', '"13"')
        corpus = read(by_code_points.replace('"18"', '"17"'))
        assert spans(corpus) == [("d", 0, 3, "Person"), ("d", 9, 17, "Location")]
        assert notes(corpus) == [
            "key: nodes whose ids are not their positions in UTF-16 units (positions are used): "
            "3 (d.xml:5, d.xml:5, d.xml:5)"
        ]

    def test_nodes_of_any_name(self) -> None:
        corpus = read(gate(in_set(PERSON)).replace('"3"/>', '"x"/>').replace('EndNode="3"', 'EndNode="x"'))
        assert spans(corpus) == [("d", 0, 3, "Person")]
        assert len(notes(corpus)) == 1

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ('EndNode="3"', 'EndNode="4"', "d.xml:8: the annotation 7 ends at node 4, which is not in the text"),
            ('StartNode="0"', 'StartNode="1"', "d.xml:8: the annotation 7 begins at node 1, which is not in the text"),
            ('id="3"', 'id="0"', "d.xml:5: duplicate node 0 at a different position in the text"),
            (
                '<Node id="3"/>',
                "<Node/>",
                'd.xml:5: expected only <Node id="…"/> in the text, got <Node>',
            ),
            ("Zoë", "<b>Zoë</b>", 'd.xml:5: expected only <Node id="…"/> in the text, got <b>'),
        ],
    )
    def test_what_is_refused(self, old: str, new: str, message: str) -> None:
        assert refused(gate(in_set(PERSON)).replace(old, new)) == message

    def test_an_annotation_that_ends_before_it_begins(self) -> None:
        backwards = PERSON.replace('"0"', '"18"')
        assert refused(gate(in_set(backwards))) == (
            "d.xml:8: annotation 7 of document 'd' ends at 3, before it begins at 17\n  the span: 17 3 Person\n"
            "  offsets count from 0, and the end is the position after the last character"
        )


class TestFeatures:
    def test_features_are_columns(self) -> None:
        features = (
            feature("rule", "a &lt; b")
            + feature("count", "3", "Integer")
            + feature("weight", "0.5", "Double")
            + feature("sure", "true", "Boolean")
            + feature("odd", "x", "Long")
            + feature("id", "e1")
            + feature("Confidence", "low")
            + feature("score", "0.25", "Double")
            + feature("matches", "1;2", "ArrayList", "java.util.")
        )
        corpus = read(gate(in_set(PLACE.format(features))))
        assert corpus.spans is not None
        assert {name: said(corpus, name)[0] for name in corpus.spans.columns} == {
            "rule": "a < b",
            "count": 3,
            "weight": 0.5,
            "sure": True,
            "odd": "x",
            "element_id": "e1",
            "confidence": "low",
            "probability": 0.25,
            "matches": "1;2",
        }

    def test_ids_of_entities(self) -> None:
        inst = feature("inst", "http://dbpedia.org/resource/Rome") + feature("URI", "x")
        corpus = read(gate(in_set(PERSON, PLACE.format(inst))))
        assert said(corpus, "id") == [None, "http://dbpedia.org/resource/Rome"]
        assert said(corpus, "URI") == [None, "x"]
        corpus = read(gate(in_set(PLACE.format(feature("qid", "Q1|NIL") + inst))), "d.xml::gate?id=qid")
        assert (said(corpus, "id"), said(corpus, "inst")) == (["Q1|NIL"], ["http://dbpedia.org/resource/Rome"])

    def test_java_objects_and_relations_are_noted(self) -> None:
        wrapped = feature("map", "&lt;gate.corpora.ObjectWrapper&gt;…", "ObjectWrapper", "gate.corpora.")
        relations = f'<RelationSet><Relation Id="1" Type="r" Members="7;9"><UserData/>{feature("a", "b")}</Relation>'
        corpus = read(gate(in_set(PLACE.format(wrapped)), f"{relations}</RelationSet>"))
        assert notes(corpus) == [
            "key: features that are Java objects ignored: 1 (d.xml:10)",
            "key: relations ignored: 1 (d.xml:14)",
        ]
        assert corpus.spans is not None
        assert (list(corpus.spans.columns), list(corpus.documents.attributes)) == ([], [])


class TestSets:
    def test_the_only_set_with_spans(self) -> None:
        tokens = in_set(TOKEN.format(feature("kind", "word")))
        markup = in_set(PERSON.replace("Person", "body"), name="Original markups")
        corpus = read(gate(tokens, markup, in_set(PERSON, PLACE.format(""), name="Key")))
        assert [span[-1] for span in spans(corpus)] == ["Person", "Location"]
        assert notes(corpus) == [
            "key: annotations of other sets ignored: 'Original markups' (1), the unnamed set (1): 2 (d.xml:8, d.xml:15)"
        ]

    def test_several_sets(self) -> None:
        xml = gate(in_set(PERSON, TOKEN.format("")), in_set(PERSON, PLACE.format(""), name="Key"))
        assert refused(xml) == (
            "d.xml: there are several annotation sets with spans\n  the unnamed set: 1 annotation\n"
            "  'Key': 2 annotations\n  choose one: ?set= selects the unnamed set"
        )
        assert len(spans(read(xml, "d.xml::gate?set=Key"))) == 2
        assert notes(read(xml, "d.xml::gate?set=Key")) == []
        unnamed = read(xml, "d.xml::gate?set=")
        assert len(spans(unnamed)) == 1
        assert notes(unnamed) == ["key: annotations of types that are not spans ignored: Token (1): 1 (d.xml:10)"]

    def test_a_set_that_is_not_there(self) -> None:
        xml = gate(in_set(PERSON, name="Key"))
        assert refused(xml, "d.xml::gate?set=key") == (
            "d.xml: there is no annotation set 'key' (did you mean 'Key'?)\n  sets found: 'Key'"
        )

    def test_files_without_the_set_have_no_spans(self) -> None:
        read(gate(in_set(PERSON, name="Key")), "c/a.xml")
        read(gate(in_set()), "c/b.xml")
        assert spans(read_path("c::gate?set=Key")) == [("a", 0, 3, "Person")]

    def test_types_that_are_asked_for(self) -> None:
        xml = gate(in_set(PERSON, TOKEN.format(feature("kind", "word")), PLACE.format("")))
        corpus = read(xml, "d.xml::gate?types=Token,Location,Date")
        assert [span[-1] for span in spans(corpus)] == ["Token", "Location"]
        assert said(corpus, "kind") == ["word", None]
        assert notes(corpus) == ["key: requested types not found: Date: 1"]


class TestDefects:
    def test_the_same_id_twice_in_a_set(self) -> None:
        assert refused(gate(in_set(PERSON, PLACE.format("").replace('"9"', '"7"')))) == (
            "d.xml:10: duplicate annotation 7 in its set\n  the first is at d.xml:8"
        )
        assert len(spans(read(gate(in_set(name="x"), in_set(PERSON), in_set(TOKEN.format("")))))) == 1

    def test_annotations_without_ids_as_old_files_have_them(self) -> None:
        assert len(spans(read(gate(in_set(PERSON.replace(' Id="7"', ""), PERSON.replace(' Id="7"', "")))))) == 2

    def test_an_annotation_that_lacks_something(self) -> None:
        assert refused(gate(in_set('<Annotation Id="1" Type="" EndNode="3"/>'))) == (
            "d.xml:8: the annotation has no Type and no StartNode\n"
            '  annotations are written like this: <Annotation Id="1" Type="Person" StartNode="0" EndNode="4">'
        )

    def test_other_xml(self) -> None:
        assert refused("<TEI><text>x</text></TEI>") == (
            "d.xml:1: expected the root element <GateDocument>, got <TEI>\n"
            "  save the document from GATE with 'Save as… GATE XML'"
        )
        assert refused("<GateDocument><AnnotationSet/></GateDocument>") == (
            "d.xml:1: there is no <TextWithNodes> in this file"
        )

    def test_a_file_that_is_cut_off(self) -> None:
        assert refused(gate(in_set(PERSON))[:-30]) == (
            "d.xml:10: the XML ends within a tag\n  <AnnotationSet> at d.xml:7 is open\n  is the file truncated?"
        )
        assert refused(gate(in_set(PERSON))[:300]).startswith("d.xml:")

    def test_ten_megabytes_of_brackets(self) -> None:
        begin = time.process_time()
        assert refused("<GateDocument>" + "<a>" * 3_000_000).startswith("d.xml:1: elements are nested more than 200")
        assert time.process_time() - begin < 3


def test_sniffing() -> None:
    lines = gate(in_set(PERSON)).split("\n")
    assert [name for name, each in find_formats().items() if each.sniff(lines) and not each.general] == ["gate"]
    assert sniff(['<?xml version="1.0"?><GateDocument>'])
    assert not sniff(["a <GateDocument> in a text"])
    assert not sniff([])
