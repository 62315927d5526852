"""UIMA CAS as XMI.

The XMI is what dkpro-cassis writes (https://github.com/dkpro/dkpro-cassis); types and features are those of DKPro Core
and INCEpTION (https://dkpro.github.io/dkpro-core/releases/2.2.0/docs/typesystem-reference.html).
"""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import cassis
import pytest

from comparanda.core.corpus import Corpus
from comparanda.formats.contract import Request
from comparanda.formats.document_writer import Mention, Passage
from comparanda.formats.inputs import Input, find_formats, read_input
from comparanda.formats.xmi import NAMED_ENTITY, sniff
from tests.formats.corpora import documents, notes, refusal, said, span_lines, spans
from tests.formats.writers.documents import read_files, written

TEXT = '😀 Ada met\n"Bo" <x> in Rome.'
METADATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def type_system() -> Any:
    """Named entities, a type derived from them, one of its own, and metadata."""
    types = cassis.TypeSystem()
    entity = types.create_type(NAMED_ENTITY, supertypeName="uima.tcas.Annotation")
    types.create_feature(entity, "value", "uima.cas.String")
    types.create_feature(entity, "identifier", "uima.cas.String")
    types.create_type("custom.Person", supertypeName=NAMED_ENTITY)
    drug = types.create_type("org.example.Drug", supertypeName="uima.tcas.Annotation")
    for name, kind in {"dose": "Double", "given": "Boolean", "code": "String"}.items():
        types.create_feature(drug, name, f"uima.cas.{kind}")
    types.create_type("org.example.Thing", supertypeName="uima.cas.TOP")
    metadata = types.create_type(METADATA, supertypeName="uima.tcas.DocumentAnnotation")
    for name in ("documentTitle", "documentId"):
        types.create_feature(metadata, name, "uima.cas.String")
    return types


def put(name: str = "d.xmi", *, types: str | None = "TypeSystem.xml", text: str | None = TEXT, **change: str) -> str:
    """Write a file as cassis does; changes are words of it and what stands in their place."""
    system = type_system()
    cas = cassis.Cas(typesystem=system)
    cas.sofa_mime = "text/plain"
    if text is not None:
        cas.sofa_string = text
        entity, person, drug = map(system.get_type, (NAMED_ENTITY, "custom.Person", "org.example.Drug"))
        cas.add(entity(begin=2, end=5, value="PER", identifier="Q7259"))
        cas.add(entity(begin=22, end=26, value=None, identifier="NIL"))
        cas.add(person(begin=11, end=13, value="PER"))
        cas.add(drug(begin=11, end=13, dose=2.5, given=True, code="A1"))
        cas.add(system.get_type(METADATA)(begin=0, end=27, documentTitle="My title", documentId="7"))
    written: str = cas.to_xmi(pretty_print=True)
    for old, new in change.items():
        assert old in written
        written = written.replace(old, new, 1)
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(written, "utf-8")
    if types is not None:
        Path(name).with_name(types).write_text(system.to_xml(), "utf-8")
    return written


def read(written: str = "d.xmi") -> Corpus:
    return read_input(Input.parse(written), Request(side="key", layer="spans"), "tokens")


class TestAnnotations:
    def test_named_entities_are_read(self) -> None:
        put()
        corpus = read()
        assert spans(corpus) == [("d", 2, 5, "PER"), ("d", 11, 13, "PER"), ("d", 22, 26, "ENTITY")]
        assert said(corpus, "id") == ["Q7259", None, "NIL"]
        assert (corpus.format, notes(corpus)) == ("xmi", [])
        assert corpus.raw is not None
        assert corpus.raw.documents == (TEXT,)
        assert [TEXT[begin:end] for _, begin, end, _ in spans(corpus)] == ["Ada", "Bo", "Rome"]

    def test_lines(self) -> None:
        lines = put().split("\n")
        expected = [
            next(number for number, line in enumerate(lines, 1) if end in line)
            for end in ('end="6"', 'end="14"', 'end="27"')
        ]
        assert span_lines(read()) == [f"d.xmi:{number}" for number in expected]

    @pytest.mark.parametrize("name", ["org.example.Drug", "Drug"])
    def test_another_type(self, name: str) -> None:
        put()
        corpus = read(f"d.xmi::xmi?type={name}")
        assert spans(corpus) == [("d", 11, 13, "Drug")]  # it has no value, so it is called after its type
        assert (said(corpus, "dose"), said(corpus, "given"), said(corpus, "code")) == ([2.5], [True], ["A1"])

    def test_other_features(self) -> None:
        put()
        corpus = read("d.xmi::xmi?type=Drug&label=dose&id=code")
        assert (spans(corpus), said(corpus, "id")) == ([("d", 11, 13, "2.5")], ["A1"])

    def test_a_derived_type(self) -> None:
        put()
        assert spans(read("d.xmi::xmi?type=custom.Person")) == [("d", 11, 13, "PER")]


class TestFiles:
    def test_documents_are_named_by_their_files(self) -> None:
        put("c/a.xmi")
        put("c/sub/b.xmi", types=None)
        assert list(documents(read("c::xmi"))) == ["a", "sub/b"]  # the type system of the folder holds for all of it

    @pytest.mark.parametrize(("naming", "name"), [("title", "My title"), ("id", "7"), ("file", "d")])
    def test_or_by_their_metadata(self, naming: str, name: str) -> None:
        put()
        assert read(f"d.xmi::xmi?document={naming}").documents.names == (name,)

    def test_a_type_system_elsewhere(self) -> None:
        put(types="types.xml")
        assert len(spans(read("d.xmi::xmi?types=types.xml"))) == 3

    def test_a_declaration_of_another_encoding(self) -> None:
        """The bytes are UTF-8, as everywhere here; programs that copy files often leave the declaration as it was."""
        put(**{"encoding='UTF-8'": "encoding='ISO-8859-1'"})
        corpus = read()
        assert corpus.raw is not None
        assert corpus.raw.documents == (TEXT,)

    @pytest.mark.slow
    def test_a_long_text(self) -> None:
        put(text=TEXT + "😀" * 2_600_000)  # longer than parsers of XML allow attributes to be, unless told
        assert len(spans(read())) == 3


class TestViews:
    @staticmethod
    def put(*names: str) -> None:
        system = type_system()
        cas = cassis.Cas(typesystem=system)
        for name in names:
            view = cas.get_view(name) if name == "_InitialView" else cas.create_view(name)
            view.sofa_string, view.sofa_mime = f"Ada in {name}", "text/plain"
            view.add(system.get_type(NAMED_ENTITY)(begin=0, end=3, value=name))
        Path("d.xmi").write_text(cas.to_xmi(), "utf-8")
        Path("TypeSystem.xml").write_text(system.to_xml(), "utf-8")

    @pytest.mark.parametrize(
        ("names", "option", "label"),
        [
            (["_InitialView", "other"], "", "_InitialView"),
            (["_InitialView", "other"], "::xmi?view=other", "other"),
            (["other"], "", "other"),
        ],
    )
    def test_which_text_is_read(self, names: list[str], option: str, label: str) -> None:
        self.put(*names)
        assert spans(read(f"d.xmi{option}")) == [("d", 0, 3, label)]

    def test_several_of_which_none_is_the_first(self) -> None:
        self.put("one", "two")
        assert refusal(read) == "d.xmi: there are several views with a text\n  one, two\n  choose one: ?view=one"

    def test_one_that_is_not_there(self) -> None:
        self.put("one")
        assert refusal(read, "d.xmi::xmi?view=two") == (
            "d.xmi: there is no view 'two' with a text\n  views with a text: one"
        )


class TestRefused:
    def test_without_a_type_system(self) -> None:
        put(types=None)
        assert refusal(read) == (
            "d.xmi: there is no TypeSystem.xml in the folder of this file\n  put it there, or set ?types=FILE"
        )

    def test_a_type_system_of_something_else(self) -> None:
        put()
        Path("TypeSystem.xml").write_text("<types/>")
        assert refusal(read).startswith("d.xmi: this is not a CAS that fits its type system: Type with name [")
        Path("TypeSystem.xml").write_text("<types>")
        assert refusal(read).startswith("TypeSystem.xml:1: this is not valid XML: ")
        assert refusal(read, "d.xmi::xmi?types=none.xml").startswith("none.xml: cannot be read: No such file")

    def test_a_type_that_is_not_there(self) -> None:
        put()
        assert refusal(read, "d.xmi::xmi?type=Dragon") == (
            "d.xmi: the type system has no annotations of type 'Dragon'\n"
            f"  2 of {NAMED_ENTITY}\n"
            "  1 of custom.Person\n"
            f"  1 of {METADATA}\n"
            "  1 of org.example.Drug\n"
            "  set the type of spans: ?type=NAME"
        )
        assert "no annotations of type 'Thing'" in refusal(read, "d.xmi::xmi?type=Thing")

    def test_a_feature_that_is_not_there(self) -> None:
        put()
        assert refusal(read, "d.xmi::xmi?type=Drug&label=doze").endswith(
            ": there is no feature 'doze' (did you mean 'dose'?)\n  its features: dose, given, code"
        )

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ('end="6"', 'end="999"'),
            ('begin="3"', 'begin="1"'),
            ('begin="3"', 'begin="x"'),
            ('sofa="1"', 'sofa="9"'),
            ('members="', 'members="77 '),
        ],
    )
    def test_a_cas_that_is_wrong(self, old: str, new: str) -> None:
        put(**{old: new})
        message = refusal(read)
        assert message.startswith("d.xmi: this is not a CAS that fits its type system: ")
        assert message.endswith("\n  set the type system of this file: ?types=FILE")

    def test_ends_before_begins(self) -> None:
        put(**{'begin="3" end="6"': 'begin="6" end="3"'})
        assert "ends at 2, before it begins at 5" in refusal(read)

    def test_the_same_id_twice(self) -> None:
        put(**{'xmi:id="3"': 'xmi:id="2"'})
        assert "duplicate xmi:id 2" in refusal(read)

    def test_a_file_that_is_cut_off(self) -> None:
        text = put()
        Path("d.xmi").write_text(text[: len(text) // 2])
        message = refusal(read)
        assert message.startswith(f"d.xmi:{text[: len(text) // 2].count(chr(10)) + 1}: this is not valid XML: ")
        assert message.endswith("\n  is the file truncated?")

    @pytest.mark.parametrize("declaration", ['<!DOCTYPE a [<!ENTITY b "c">]>', '<!DOCTYPE a SYSTEM "http://x/y.dtd">'])
    def test_declarations_of_entities(self, declaration: str) -> None:
        put(**{"<xmi:XMI": f"{declaration}<xmi:XMI"})
        assert refusal(read) == (
            "d.xmi:2: the file declares a DTD\n"
            "  remove it: UIMA files have none, and it could be made to exhaust the memory"
        )

    def test_elements_without_end(self) -> None:
        put()
        Path("d.xmi").write_text("<a>" * 3_000_000)
        assert refusal(read, "d.xmi::xmi").startswith("d.xmi")

    def test_metadata_that_are_not_there(self) -> None:
        put(**{'documentTitle="My title"': ""})
        assert refusal(read, "d.xmi::xmi?document=title") == (
            "d.xmi: the metadata of this file has no documentTitle\n  leave out the option 'document'"
        )

    def test_without_the_package(self, monkeypatch: pytest.MonkeyPatch) -> None:
        put()
        real = builtins.__import__

        def blocked(name: str, *rest: Any, **named: Any) -> Any:
            if name == "cassis":
                raise ImportError(name)
            return real(name, *rest, **named)

        monkeypatch.setattr(builtins, "__import__", blocked)
        assert refusal(read, code=2) == (
            "d.xmi: files of UIMA need the package dkpro-cassis, which is not installed\n"
            "  pip install 'comparanda[uima]'"
        )


class TestSniffing:
    def test_it_is_known_by_its_namespaces(self) -> None:
        lines = put().split("\n")
        assert [name for name, each in find_formats().items() if each.sniff(lines) and not each.general] == ["xmi"]

    @pytest.mark.parametrize(
        "line", ['<a xmlns:xmi="http://www.omg.org/XMI"/>', "<TEI/>", "see http:///uima/cas.ecore"]
    )
    def test_other_files(self, line: str) -> None:
        assert not sniff([line])


HOSTILE = "x=__import__('os').system('touch hacked')"


@pytest.mark.parametrize("name", [HOSTILE, "class", "a b", "", "é", "a.b"])
def test_names_that_could_be_code_never_reach_the_classes_made_of_them(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    mention = Mention(((0, 2),), "PER", None, {"x": "y"})
    written(
        "xmi", [Passage(name="d", text="Bo ran", words=((0, 2), (3, 6)), sentences=(0,), mentions=(mention,))], tmp_path
    )
    types = (tmp_path / "TypeSystem.xml").read_text()
    (tmp_path / "TypeSystem.xml").write_text(types.replace("<name>x</name>", f"<name>{escape(name)}</name>"))
    assert f"{name[:60]!r} is not a valid name of a type or feature" in refusal(read_files, tmp_path, "::xmi")
    assert not (tmp_path / "hacked").exists()


def test_a_folder_with_its_type_system_needs_no_name_of_the_format(tmp_path: Path) -> None:
    mention = Mention(((0, 2),), "PER", None, {})
    written(
        "xmi",
        [Passage(name="d", text="Bo ran", words=((0, 2), (3, 6)), sentences=(0,), mentions=(mention,))],
        tmp_path / "corpus",
    )
    corpus = read_input(Input.parse(str(tmp_path / "corpus")), Request(side="x", layer="spans"), "tokens")
    assert (corpus.format, spans(corpus)) == ("xmi", [("d", 0, 2, "PER")])
