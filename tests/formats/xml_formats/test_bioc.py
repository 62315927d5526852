"""BioC as XML and as JSON.

After BioC.dtd and Comeau et al. 2013 (https://doi.org/10.1093/database/bat064), the format description of
https://github.com/lfurrer/bconv/wiki/BioC and the answers of the PubTator 3 service
(https://www.ncbi.nlm.nih.gov/research/pubtator3/api). The documents here are made up.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from comparanda.core.corpus import Corpus
from comparanda.formats.bioc import sniff
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, find_formats, read_input
from tests.formats.corpora import fragments, notes, refusal, said, span_lines, spans

TITLE, ABSTRACT = "Café β‑catenin.", "IL‑2 & 😀 TNF in mice."


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def annotation(covered: str | None, *places: tuple[int, int], id_: str = "1", **infons: Any) -> dict[str, Any]:
    locations = [{"offset": begin, "length": end - begin} for begin, end in places]
    return {"id": id_, "infons": infons, "text": covered, "locations": locations}


def passage(offset: int, text: Any, *annotations: Any, **fields: Any) -> dict[str, Any]:
    inner = {"infons": {"type": "x"}, "offset": offset, "annotations": list(annotations), "relations": []}
    return inner | ({} if text is None else {"text": text}) | fields


def document(*passages: Any, id_: Any = "7", **fields: Any) -> dict[str, Any]:
    return {"id": id_, "infons": {}, "passages": list(passages), "relations": [], **fields}


def collection(*documents: Any) -> dict[str, Any]:
    return {"source": "s", "date": "", "key": "k", "infons": {}, "documents": list(documents)}


CATENIN = annotation("β‑catenin", (5, 14), type="Gene", identifier="1499", valid=True)
TNF = annotation("TNF", (25, 28), id_="2", type="Gene", identifier="-1")
MICE = annotation("mice", (32, 36), id_="3", type="Species", identifier="NCBI:10090;NCBI:1")
SAMPLE = collection(document(passage(0, TITLE, CATENIN), passage(16, ABSTRACT, TNF, MICE)))


def as_xml(found: dict[str, Any]) -> str:
    """The same as BioC XML, an element a line."""

    def escape(text: Any) -> str:
        return str(text).replace("&", "&amp;").replace("<", "&lt;")

    def infons(of: dict[str, Any]) -> list[str]:
        return [f'<infon key="{escape(key)}">{escape(value)}</infon>' for key, value in of.get("infons", {}).items()]

    def annotated(of: dict[str, Any]) -> list[str]:
        lines = []
        for each in of.get("annotations", []):
            lines += [f'<annotation id="{each["id"]}">', *infons(each)]
            lines += [f'<location offset="{at["offset"]}" length="{at["length"]}"/>' for at in each["locations"]]
            lines += [f"<text>{escape(each['text'])}</text>" if each["text"] is not None else "", "</annotation>"]
        for _ in of.get("relations", []):
            lines += ['<relation id="r"><infon key="type">x</infon><node refid="1" role="a"/></relation>']
        return lines

    def placed(of: dict[str, Any], name: str) -> list[str]:
        text = [f"<text>{escape(of['text'])}</text>"] if "text" in of else []
        inner = [line for each in of.get("sentences", []) for line in placed(each, "sentence")]
        return [
            f"<{name}>",
            *infons(of),
            f"<offset>{of['offset']}</offset>",
            *text,
            *inner,
            *annotated(of),
            f"</{name}>",
        ]

    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<!DOCTYPE collection SYSTEM "BioC.dtd">', "<collection>"]
    lines += ["<source>s</source><date></date><key>k</key>"]
    for each in found["documents"]:
        inner = [line for one in each["passages"] for line in placed(one, "passage")]
        lines += ["<document>", f"<id>{each['id']}</id>", *infons(each), *inner, *annotated(each), "</document>"]
    return "\n".join([*lines, "</collection>", ""])


def read(given: Any, written: str | None = None) -> Corpus:
    """Read text as it is, and anything else as JSON."""
    written = written or ("d.xml" if isinstance(given, str) and given.lstrip()[:1] == "<" else "d.json")
    path = Path(Input.parse(written).path)
    path.write_bytes((given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)).encode())
    return read_input(Input.parse(written), Request(side="key", layer="spans"), "tokens")


def refused(given: Any, written: str | None = None) -> str:
    return refusal(read, given, written)


def both(found: dict[str, Any], written: str = "") -> Corpus:
    """Read XML and JSON, which say the same."""
    xml, other = read(as_xml(found), f"d.xml{written}"), read(found, f"d.json{written}")
    assert spans(xml) == spans(other)
    assert fragments(xml) == fragments(other)
    assert xml.raw is None or other.raw is None or xml.raw.documents == other.raw.documents
    return xml


class TestDocuments:
    def test_passages_stand_at_their_offsets(self) -> None:
        corpus = both(SAMPLE)
        assert corpus.raw is not None
        assert corpus.raw.documents == (f"{TITLE}\n{ABSTRACT}",)
        assert spans(corpus) == [("7", 5, 14, "Gene"), ("7", 25, 28, "Gene"), ("7", 32, 36, "Species")]
        assert said(corpus, "text") == ["β‑catenin", "TNF", "mice"]
        assert said(corpus, "id") == ["1499", "NIL", "NCBI:10090|NCBI:1"]
        assert span_lines(corpus) == ["d.xml:11", "d.xml:23", "d.xml:29"]
        assert (corpus.format, notes(corpus)) == ("bioc", [])

    def test_gaps_are_blanks(self) -> None:
        corpus = both(collection(document(passage(2, "ab", annotation("ab", (2, 4), type="X")), passage(7, "c"))))
        assert corpus.raw is not None
        assert corpus.raw.documents == ("  ab\n  c",)

    def test_passages_in_another_order_and_without_a_gap(self) -> None:
        corpus = both(collection(document(passage(2, "cd", annotation("cd", (2, 4), type="X")), passage(0, "ab"))))
        assert corpus.raw is not None
        assert (corpus.raw.documents, spans(corpus)) == (("abcd",), [("7", 2, 4, "X")])

    def test_sentences_carry_the_text_or_annotations_of_it(self) -> None:
        sentences = [passage(0, "Bo ran.", annotation("Bo", (0, 2), type="X")), passage(8, "Al too.")]
        corpus = both(collection(document(passage(0, None, annotation("Al", (8, 10), type="Y"), sentences=sentences))))
        assert corpus.raw is not None
        assert corpus.raw.documents == ("Bo ran.\nAl too.",)
        assert spans(corpus) == [("7", 8, 10, "Y"), ("7", 0, 2, "X")]
        inner = [{**sentences[0], "text": ""}]
        assert spans(both(collection(document(passage(0, "Bo ran.", sentences=inner))))) == [("7", 0, 2, "X")]

    def test_annotations_of_documents(self) -> None:
        found = document(
            passage(0, "Bo ran."), annotations=[annotation("Bo", (0, 2), type="X")], infons={"year": "1999"}
        )
        corpus = both(collection(found))
        assert spans(corpus) == [("7", 0, 2, "X")]
        assert corpus.documents.attributes["year"][0] == "1999"

    def test_several_locations(self) -> None:
        corpus = both(
            collection(document(passage(0, "Type I and II cells", annotation("Type II", (0, 4), (11, 13), type="X"))))
        )
        assert (spans(corpus), fragments(corpus)) == ([("7", 0, 13, "X")], [(0, 0, 4), (0, 11, 13)])

    def test_relations_and_annotations_without_a_place_are_noted(self) -> None:
        found = document(passage(0, "Bo", annotation("x", type="X"), relations=[{}]), relations=[{}, {}])
        assert notes(both(collection(found))) == [
            "key: annotations without a location ignored: 1 (d.xml:11)",
            "key: relations ignored: 3 (d.xml:5, d.xml:5, d.xml:5)",
        ]

    def test_annotations_without_texts(self) -> None:
        corpus = both(collection(document(passage(0, None, annotation(None, (3, 5), type="X")))))
        assert (spans(corpus), corpus.raw) == ([("7", 3, 5, "X")], None)

    def test_elements_that_bioc_does_not_have_are_noted(self) -> None:
        xml = as_xml(SAMPLE).replace("<document>", "<document><pmid>7</pmid>")
        assert notes(read(xml)) == ["key: elements that BioC does not have ignored: 1 (d.xml:5)"]


class TestOffsets:
    def shifted(self, size: Any) -> dict[str, Any]:
        """The sample with offsets that count otherwise."""

        def at(place: int) -> int:
            return int(size(f"{TITLE}\n{ABSTRACT}"[:place]))

        found: dict[str, Any] = json.loads(json.dumps(SAMPLE))
        for each in found["documents"][0]["passages"]:
            each["offset"] = at(each["offset"])
            for one in each["annotations"]:
                for location in one["locations"]:
                    begin, end = location["offset"], location["offset"] + location["length"]
                    location |= {"offset": at(begin), "length": at(end) - at(begin)}
        return found

    @pytest.mark.parametrize(
        ("unit", "size", "meaning"),
        [
            ("bytes", lambda text: len(text.encode()), "bytes of UTF-8"),
            ("utf-16", lambda text: len(text.encode("utf-16-le")) // 2, "UTF-16 units (as JavaScript and Java do)"),
        ],
    )
    def test_what_the_text_tells_or_the_user(self, unit: str, size: Any, meaning: str) -> None:
        corpus = both(self.shifted(size))
        assert spans(corpus) == spans(both(SAMPLE))
        assert corpus.raw is not None
        assert corpus.raw.documents == (f"{TITLE}\n{ABSTRACT}",)
        assert notes(corpus) == [f"key: spans whose offsets count {meaning}, as the texts of annotations show: 3"]
        asked = both(self.shifted(size), f"::bioc?offsets={unit}")
        assert (spans(asked), notes(asked)) == (spans(both(SAMPLE)), [])

    def test_without_texts_of_annotations_they_count_code_points(self) -> None:
        found = collection(document(passage(0, "éé"), passage(3, "é", annotation(None, (3, 4), type="X"))))
        assert (spans(both(found)), notes(both(found))) == ([("7", 3, 4, "X")], [])
        assert "the passage begins at 3, but the one before ends at 4" in refused(found, "d.json::bioc?offsets=bytes")

    def test_some_annotations_with_another_text(self) -> None:
        odd = annotation("TNF-alpha", (25, 28), id_="5", type="Gene")
        found = collection(document(passage(0, TITLE, CATENIN), passage(16, ABSTRACT, TNF, MICE, odd)))
        (note,) = notes(read(found))
        assert note.startswith(
            "key: spans whose stated text differs from the text at their offsets (offsets are used): 1 (annotation 5 of"
        )

    def test_most_annotations_with_another_text(self) -> None:
        found = collection(document(passage(0, "Bo met Al.", annotation("Al", (0, 2), type="X"))))
        assert refused(found) == (
            "d.json:1: 1 of 1 spans do not cover their stated text\n"
            "  the first: annotation 1 of document '7', 0 2 X 'Al', covers 'Bo'\n"
            "  check that this is the annotated text; offsets count its code points"
        )

    def test_annotations_outside_of_the_text(self) -> None:
        found = collection(document(passage(0, "Bo met Al.", annotation(None, (7, 12), type="X"))))
        assert "annotation 1 of document '7' ends at 12, but the text has 10 characters" in refused(found)

    def test_passages_that_overlap(self) -> None:
        message = (
            ": the passage begins at 3, but the one before ends at 5\n"
            "  count offsets of passages from the beginning of the document"
        )
        found = collection(document(passage(0, "Bo met"[:5]), passage(3, "Al")))
        assert refused(as_xml(found)) == f"d.xml:12{message}"
        assert refused(found) == f"d.json:1{message}"

    def test_a_passage_before_the_text(self) -> None:
        found = collection(document(passage(-3, "Bo")))
        assert refused(found) == "d.json:1: a passage begins at -3, before the text"

    def test_offsets_that_would_fill_memory(self) -> None:
        assert refused(collection(document(passage(0, "Bo"), passage(10**15, "Al")))) == (
            "d.json:1: the passage begins at 1,000,000,000,000,000, but the text before it has 2 characters\n"
            "  check the offset"
        )
        many = [document(passage(1_000_000, "Bo"), id_=str(number)) for number in range(100)]
        assert "the passage begins at 1,000,000, but the text before it has 0 characters" in refused(collection(*many))
        far = annotation("Bo", (10**30, 10**30 + 2), type="X")
        assert refused(collection(document(passage(0, "Bo", far)))) == (
            "d.json:1: an annotation ends beyond the end of any text"
        )


class TestInfons:
    def one(self, written: str = "", **infons: Any) -> Corpus:
        return read(collection(document(passage(0, "Bo", annotation("Bo", (0, 2), **infons)))), f"d.json{written}")

    @pytest.mark.parametrize(
        ("infons", "id_"),
        [
            ({"identifier": "MESH:D003,OMIM:1; x"}, "MESH:D003|OMIM:1|x"),
            ({"Identifier": 672}, "672"),
            ({"identifier": "-"}, None),
            ({"identifier": "-1"}, "NIL"),
            ({"identifier": None}, None),
            ({"NCBI Gene": "673", "note": "x"}, "673"),
            ({"MESH": "D000111|D000222"}, "D000111|D000222"),
            ({"MESH": "-1"}, "NIL"),
            ({"identifier": "p|SUB|V|600|E"}, "p%7CSUB%7CV%7C600%7CE"),
            ({"identifier": "1", "MESH": "2"}, "1"),
            ({"MESH": "1", "OMIM": "2"}, "1|2"),
        ],
    )
    def test_ids(self, infons: dict[str, Any], id_: str | None) -> None:
        corpus = self.one(type="X", **infons)
        assert corpus.spans is not None
        assert (said(corpus, "id") if "id" in corpus.spans.columns else [None]) == [id_]

    def test_the_infon_of_ids_and_of_labels(self) -> None:
        corpus = self.one("::bioc?id=kb&label=kind", type="X", kind="Y", kb="7", identifier="8")
        assert (spans(corpus), said(corpus, "id"), said(corpus, "type")) == ([("7", 0, 2, "Y")], ["7"], ["X"])
        assert said(corpus, "identifier") == ["8"]

    def test_others_are_columns(self) -> None:
        corpus = self.one(type="X", score="0.5", valid=True, n=3, Confidence="low", normalized=["a"], text="t")
        assert corpus.spans is not None
        assert {name: said(corpus, name)[0] for name in corpus.spans.columns if name != "text"} == {
            "probability": 0.5,
            "valid": True,
            "n": 3,
            "confidence": "low",
            "element_text": "t",
        }

    def test_numbers_that_are_too_large_are_texts(self) -> None:
        assert said(self.one(type="X", n=10**400), "n") == [str(10**400)]

    def test_without_a_label(self) -> None:
        corpus = self.one()
        assert spans(corpus) == [("7", 0, 2, "ENTITY")]
        assert notes(corpus) == ["key: annotations without the infon 'type', labelled ENTITY: 1 (d.json:1)"]


class TestJson:
    @pytest.mark.parametrize("shape", ["collection", "list", "lines", "pubtator", "indented"])
    def test_its_shapes(self, shape: str) -> None:
        documents = [document(passage(0, "Bo", annotation("Bo", (0, 2), type="X")), id_=each) for each in ("1", 2)]
        given: Any = {
            "collection": collection(*documents),
            "list": [{"bioctype": "BioCCollection", **collection(each)} for each in documents],
            "lines": "\n".join(map(json.dumps, documents)) + "\n",
            "pubtator": {"PubTator3": documents},
            "indented": json.dumps(collection(*documents), indent=2),
        }[shape]
        corpus = read(given)
        assert spans(corpus) == [("1", 0, 2, "X"), ("2", 0, 2, "X")]
        assert corpus.format == "bioc"
        lines = {"lines": ["d.json:1", "d.json:2"], "indented": ["d.json:7", "d.json:37"]}
        assert span_lines(corpus) == lines.get(shape, ["d.json:1", "d.json:1"])

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            (
                collection(document(passage(0, "x") | {"offset": "0"})),
                "passages[0].offset is of type string, not integer",
            ),
            (collection(document({"text": "x"})), "passages[0] has no 'offset'"),
            (collection({"id": "7", "passages": {}}), "passages is of type object, not list"),
            (collection(document(passage(0, 7))), "passages[0].text is of type integer, not string or null"),
            ({"documents": 3}, "this is of type integer, not list"),
            ({"a": 1, "b": 2}, "the object has neither documents nor passages\n  its fields: a, b"),
            ([[]], "this is of type list, not object"),
        ],
    )
    def test_wrong_types(self, given: Any, message: str) -> None:
        hint = 'BioC JSON is an object with "documents", each with "id" and "passages"; or such documents, one per line'
        assert refused(given, "d.json::bioc") == f"d.json:1: {message}\n  {hint}"

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            (json.dumps(SAMPLE)[:-20], "the JSON is cut off\n  is the file complete?"),
            ("{" * 10_000_000, "not JSON: object keys must be strings (byte 1)"),
            ("[" * 10_000_000, "the JSON is nested too deeply"),
            ('{"documents": ' + "[" * 10_000_000, "the JSON is nested too deeply"),
            ('{"documents": []}', None),
        ],
    )
    def test_broken(self, given: str, message: str | None) -> None:
        begin = time.process_time()
        found = refused(given, "d.json::bioc")
        assert time.process_time() - begin < 3
        assert found.startswith(f"d.json:1: {message}" if message else "d.json: there are no documents in this file")


class TestXml:
    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("<offset>16</offset>", "<offset>x</offset>", "d.xml:21: the offset is 'x', which is not an integer"),
            ("<offset>16</offset>", "<offset>-1</offset>", "d.xml:21: the offset is -1, but must not be negative"),
            ("<offset>16</offset>", "", "d.xml:19: this passage has no offset"),
            ('offset="25" ', "", "d.xml:26: the offset is missing"),
            ('length="3"', 'length="-3"', "d.xml:26: the length is -3, but must not be negative"),
            ("<id>7</id>", "", "d.xml:5: the document has no id"),
            ("<id>7</id>", "<id> </id>", "d.xml:5: the document has no id"),
            ("<id>7</id>", "<id><b>7</b></id>", "d.xml:6: expected only text, got <b>"),
            ("<id>7</id>", "<location/>", "d.xml:6: BioC does not allow <location> in <document>"),
            ("document>", "passage>", "d.xml:5: BioC does not allow <passage> in <collection>"),
            (
                "collection>",
                "corpus>",
                "d.xml:3: expected the root element <collection>, got <corpus>\n  check that the file is BioC",
            ),
            (
                "</annotation>",
                "",
                "d.xml:18: </passage> does not match the open element\n  <annotation> at d.xml:11 is open",
            ),
        ],
    )
    def test_defects(self, old: str, new: str, message: str) -> None:
        assert (
            refused(as_xml(SAMPLE).replace(old, new, -1 if ">" in old and "<" not in old else 1), "d.xml::bioc")
            == message
        )

    def test_the_same_document_twice(self) -> None:
        found = collection(document(passage(0, "x")), document(passage(0, "y")))
        assert refused(as_xml(found)).startswith("d.xml:13: duplicate document '7'\n")

    def test_a_file_that_is_cut_off(self) -> None:
        assert "is the file truncated?" in refused(as_xml(SAMPLE)[:700])

    def test_ten_megabytes_of_brackets(self) -> None:
        begin = time.process_time()
        assert "elements are nested more than 200 deep" in refused("<collection>" + "<a>" * 3_000_000, "d.xml::bioc")
        assert time.process_time() - begin < 3


class TestSniffing:
    @pytest.mark.parametrize(
        "text",
        [
            as_xml(SAMPLE),
            as_xml(SAMPLE).replace("\n", ""),
            json.dumps(SAMPLE),
            json.dumps(SAMPLE, indent=1),
            json.dumps({"PubTator3": SAMPLE["documents"]}),
            json.dumps(SAMPLE["documents"][0]),
            json.dumps([{"bioctype": "BioCCollection", "documents": []}]),
        ],
    )
    def test_only_this_format_fits(self, text: str) -> None:
        lines = text.split("\n")
        assert [name for name, each in find_formats().items() if each.sniff(lines) and not each.general] == ["bioc"]

    @pytest.mark.parametrize(
        "text",
        [
            "",
            '{"id": "1", "text": "x", "spans": []}',
            '{"documents": ["a"]}',
            "<collection><item/></collection>",
            "a <collection><source/>",
            "<PubmedArticleSet><PubmedArticle/></PubmedArticleSet>",
        ],
    )
    def test_other_files_do_not(self, text: str) -> None:
        assert not sniff(text.split("\n"))
