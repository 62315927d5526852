"""spaCy's documents.

The JSON is what `Doc.to_json` gives (https://spacy.io/api/doc#to_json), the files what `DocBin` writes
(https://spacy.io/api/docbin); spaCy itself makes both here. It is loaded where a test needs it.
"""

from __future__ import annotations

import builtins
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import comparanda
from comparanda.core.corpus import Corpus
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, find_formats, read_input
from comparanda.formats.objects import read_object
from comparanda.formats.spacy import sniff
from tests.formats.corpora import notes, refusal, said, span_lines, spans, words

TEXT = "😀 Ada met Bo  in Rome.\nShe left."
ADA: dict[str, Any] = {"start": 2, "end": 5, "label": "PER"}
ROME: dict[str, Any] = {"start": 17, "end": 21, "label": "GPE"}
NUMBERED = "no field is known to hold the names of documents; they are numbered instead: 1"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def document(name: str | None = "d", **fields: Any) -> dict[str, Any]:
    tokens = [{"id": 0, "start": 0, "end": 1}, {"id": 1, "start": 2, "end": 5}]
    custom = {} if name is None else {"_": {"id": name}}
    return {"text": TEXT, "ents": [ADA, ROME], "tokens": tokens, **custom, **fields}


def read(*given: Any, written: str = "a.jsonl::spacy") -> Corpus:
    lines = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in given]
    Path("a.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return read_path(written)


def read_path(written: str) -> Corpus:
    return read_input(Input.parse(written), Request(side="key", layer="spans"), "tokens")


class TestJson:
    def test_entities(self) -> None:
        corpus = read(document(), document("e", ents=[]), written="a.jsonl")
        assert spans(corpus) == [("d", 2, 5, "PER"), ("d", 17, 21, "GPE")]
        assert (corpus.format, corpus.documents.names, notes(corpus)) == ("spacy", ("d", "e"), [])
        assert span_lines(corpus) == ["a.jsonl:1", "a.jsonl:1"]
        assert words(corpus)[:2] == ["😀", "Ada"]

    @pytest.mark.parametrize("indent", [None, 1])
    def test_one_document_or_an_array(self, indent: int | None) -> None:
        assert len(spans(read(json.dumps(document(), indent=indent)))) == 2
        both = json.dumps([document("a"), document("b")], indent=indent)
        assert read(both, written="a.jsonl").documents.names == ("a", "b")

    def test_ids_in_a_knowledge_base(self) -> None:
        corpus = read(document(ents=[{**ADA, "kb_id": "Q7259"}, {**ROME, "kb_id": "NIL"}, {**ROME, "kb_id": ""}]))
        assert said(corpus, "id") == ["Q7259", "NIL", None]

    def test_a_span_group(self) -> None:
        groups = {"sc": [ADA, {"start": 2, "end": 12, "label": ""}], "other": []}
        corpus = read(document(spans=groups), written="a.jsonl::spacy?spans=sc")
        assert spans(corpus) == [("d", 2, 5, "PER"), ("d", 2, 12, "ENTITY")]

    def test_what_else_is_known_of_a_document(self) -> None:
        corpus = read({**document(), "_": {"id": 7, "year": 1843, "empty": "", "list": [1]}})
        assert corpus.documents.names == ("7",)
        assert {name: column.values() for name, column in corpus.documents.attributes.items()} == {"year": ["1843"]}

    def test_documents_without_names_are_numbered(self) -> None:
        corpus = read(document(None), document("named"))
        assert corpus.documents.names == ("document 1", "document 2")
        assert notes(corpus) == [f"key: {NUMBERED} (a.jsonl:1)"]

    def test_documents_that_were_not_annotated(self) -> None:
        missing = {key: value for key, value in document("e").items() if key != "ents"}
        corpus = read(document(), missing)
        assert notes(corpus) == [
            "key: documents in which entities were not annotated, read as documents without spans: 1 (a.jsonl:2)"
        ]

    def test_offsets_in_another_unit(self) -> None:
        corpus = read(document(ents=[{**ADA, "start": 3, "end": 6}]), written="a.jsonl::spacy?offsets=utf-16")
        assert spans(corpus) == [("d", 2, 5, "PER")]


class TestRefused:
    @pytest.mark.parametrize(
        ("fields", "what"),
        [
            ({"ents": {}}, "a.jsonl:1: 'ents' is an object, not an array"),
            ({"ents": [5]}, "a.jsonl:1: 'ents[0]' is an integer, not an object"),
            ({"ents": [{**ADA, "start": "2"}]}, "a.jsonl:1: 'ents[0].start' is a string, not an integer"),
            ({"ents": [{"start": 2, "end": 5}]}, "a.jsonl:1: missing 'ents[0].label', expected a string"),
            ({"ents": [{**ADA, "kb_id": 5}]}, "a.jsonl:1: 'ents[0].kb_id' is 5, not a string"),
            ({"ents": [{**ADA, "end": 99}]}, "a.jsonl:1: ents[0] of document 'd' ends at 99, but the text has 32"),
            ({"text": None}, "a.jsonl:1: missing 'text', expected a string"),
            ({"spans": []}, "a.jsonl:1: 'spans' is an array, not an object"),
            ({"spans": {"sc": [{}]}}, "a.jsonl:1: missing 'spans.sc[0].start', expected an integer"),
            ({"_": {"id": "a\0b"}}, "a.jsonl:1: a NUL character in 'a\\x00b'"),
        ],
    )
    def test_a_wrong_field(self, fields: dict[str, Any], what: str) -> None:
        assert refusal(read, document(**fields)).startswith(what)

    def test_a_group_that_is_not_there(self) -> None:
        assert refusal(read, document(spans={"sc": []}), written="a.jsonl::spacy?spans=x") == (
            "a.jsonl: no document has a span group 'x'\n  span groups: sc\n  choose a span group: ?spans=sc"
        )
        assert refusal(read, document(), written="a.jsonl::spacy?spans=x") == (
            "a.jsonl: no document has a span group 'x'\n  leave the option out to read entities"
        )

    def test_no_entities_anywhere(self) -> None:
        missing = {key: value for key, value in document().items() if key != "ents"}
        assert refusal(read, missing) == (
            "a.jsonl: no document has entities\n"
            "  check that entities were annotated: a document without any must have an empty list of them"
        )

    def test_the_same_name_twice(self) -> None:
        assert refusal(read, document(), document()).startswith("a.jsonl:2: duplicate document 'd'")

    @pytest.mark.parametrize(
        ("text", "what"),
        [
            (json.dumps(document())[:50], "a.jsonl:1: the JSON is cut off"),
            ("[]", "a.jsonl: there are no documents in this file"),
            ("[" * 10_000_000, "a.jsonl:1: the JSON is nested too deeply"),
        ],
        ids=["cut", "empty", "brackets"],
    )
    def test_no_documents(self, text: str, what: str) -> None:
        assert refusal(read, text).startswith(what)


def docs() -> list[Any]:
    """Three documents of spaCy: with entities and a group, without any, and not annotated."""
    spacy = pytest.importorskip("spacy")
    from spacy.tokens import Doc, Span

    Doc.set_extension("id", default=None, force=True)
    made = list(spacy.blank("en").pipe([TEXT, "Nothing.", "Ada."]))
    for name, doc in zip("abc", made, strict=True):
        doc._.id = name
    made[0].set_ents([Span(made[0], 1, 2, "PER", kb_id="Q7259")])
    made[0].spans["sc"] = [Span(made[0], 1, 2, "PER", kb_id="NIL"), Span(made[0], 1, 4, "X")]
    made[1].set_ents([])
    return made


NOT_ANNOTATED = "documents in which entities were not annotated, read as documents without spans: 1"


class TestDocBin:
    @staticmethod
    def put(name: str = "a.spacy", made: list[Any] | None = None) -> bytes:
        made = docs() if made is None else made
        from spacy.tokens import DocBin

        data: bytes = DocBin(store_user_data=True, docs=made).to_bytes()
        Path(name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return data

    @pytest.mark.parametrize("name", ["a.spacy", "a.spacy.gz"])
    def test_it_is_known_by_its_ending(self, name: str) -> None:
        self.put(name)
        corpus = read_path(name)
        assert (corpus.format, spans(corpus), said(corpus, "id")) == ("spacy", [("a", 2, 5, "PER")], ["Q7259"])
        assert corpus.raw is not None
        assert corpus.raw.documents == (TEXT, "Nothing.", "Ada.")
        assert notes(corpus) == [f"key: {NOT_ANNOTATED} ({name}:1)"]

    def test_a_group(self) -> None:
        self.put()
        corpus = read_path("a.spacy::spacy?spans=sc")
        assert (spans(corpus), said(corpus, "id")) == ([("a", 2, 5, "PER"), ("a", 2, 12, "X")], ["NIL", None])

    def test_a_folder(self) -> None:
        made = docs()
        Path("c").mkdir()
        self.put("c/1.spacy", made[:1])
        self.put("c/2.spacy", made[1:])
        assert read_path("c").documents.names == ("a", "b", "c")

    def test_without_spacy(self, monkeypatch: pytest.MonkeyPatch) -> None:
        Path("a.spacy").write_bytes(b"x\x9c\0")
        real = builtins.__import__

        def blocked(name: str, *rest: Any, **named: Any) -> Any:
            if name.partition(".")[0] == "spacy":
                raise ImportError(name)
            return real(name, *rest, **named)

        monkeypatch.setattr(builtins, "__import__", blocked)
        assert refusal(read_path, "a.spacy", code=2) == (
            "a.spacy: .spacy files are read with spaCy, which is not installed\n"
            "  pip install 'comparanda[spacy]', or write the documents as JSON: doc.to_json()"
        )

    @pytest.mark.parametrize("how", ["cut", "text", "empty zlib"])
    def test_a_damaged_file(self, how: str) -> None:
        data = self.put()
        wrong = {"cut": data[:-40], "text": b"Ada O\n", "empty zlib": b"x\x9c\x03\x00\x00\x00\x00\x01"}[how]
        Path("a.spacy").write_bytes(wrong)
        message = refusal(read_path, "a.spacy")
        assert message.startswith("a.spacy: spaCy cannot read this file: ")
        assert message.endswith("\n  write .spacy files with DocBin.to_disk")

    def test_other_formats_want_texts(self) -> None:
        self.put()
        assert "a.spacy:1: " in refusal(read_path, "a.spacy::jsonl")


class TestObjects:
    def test_documents(self) -> None:
        corpus = read_object(docs(), Request(side="key", layer="spans"), "tokens")
        assert (corpus.format, spans(corpus), said(corpus, "id")) == ("python", [("a", 2, 5, "PER")], ["Q7259"])
        assert span_lines(corpus) == ["<key>:1"]
        assert notes(corpus) == [f"key: {NOT_ANNOTATED} (<key>:3)"]

    def test_one_document_or_a_stream(self) -> None:
        made = docs()
        request = Request(side="key", layer="spans", options={"spans": "sc"})
        assert len(spans(read_object(made[0], request, "tokens"))) == 2
        assert len(spans(read_object(iter(made[:1]), request, "tokens"))) == 2

    def test_names_may_stand_in_user_data(self) -> None:
        made = docs()
        for doc in made:
            doc.user_data = {"id": f"x{doc[0]}"}
        assert read_object(made, Request(side="key", layer="spans"), "tokens").documents.names == (
            "x😀",
            "xNothing",
            "xAda",
        )

    def test_they_can_be_compared(self) -> None:
        made = docs()[:2]
        result = comparanda.compare(made, {"same": made}, task="span")
        assert result.scores().scores[0].value == 1.0


class TestSniffing:
    @pytest.mark.parametrize("array", [False, True])
    def test_what_to_json_gives(self, array: bool) -> None:
        made = [doc.to_json() for doc in docs()[:2]]
        lines = [json.dumps(made)] if array else [json.dumps(each) for each in made]
        assert [name for name, each in find_formats().items() if each.sniff(lines) and not each.general] == ["spacy"]

    @pytest.mark.parametrize(
        "line",
        [
            '{"text": "Ada", "ents": [{"start": 0, "end": 3, "label": "PER"}]}',
            '{"text": "Ada", "tokens": [{"text": "Ada", "start": 0, "end": 3, "id": 0, "ws": false}], "ents": []}',
            '{"text": "Ada", "tokens": [{"id": 0, "start": 0, "end": 3}], "spans": [{"start": 0, "end": 3}]}',
            '{"tokens": ["Ada"], "tags": ["B-PER"]}',
        ],
    )
    def test_other_files(self, line: str) -> None:
        assert not sniff([line])
