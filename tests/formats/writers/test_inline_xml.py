"""Text with tags carries spans that lie in each other, what is said of them, and their ids."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from comparanda.errors import UsageError, WriteError
from comparanda.formats.conversion import convert_corpus
from comparanda.formats.document_writer import Losses, Mention, Passage, find_writer, list_passages
from tests.formats.writers.documents import content, random_documents, read_back, read_files, written
from tests.seeds import seeds
from tests.shared_data import shared

LABELS = ("PER", "LOC", "ORG-x", "Größe")
SAID: dict[str, tuple[str | float | bool, ...]] = {
    "confidence": ("low", "a<b & \"c\"\n\t'd'"),
    "probability": (0.25, 0.5),
    "tid": ("t1",),
}


def lost(losses: Losses) -> list[str]:
    return [str(note) for note in losses.notes("x")]


def document(*mentions: Mention, text: str = "Anna met Bo", **changes: Any) -> Passage:
    return replace(Passage(name="d", text=text, words=(), sentences=(0,), mentions=mentions), **changes)


def refused(passage: Passage, folder: Path, **options: str) -> str:
    with pytest.raises(WriteError) as caught:
        written("inline-xml", [passage], folder, **options)
    return str(caught.value)


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_what_is_written_is_read_back(seed: int, tmp_path: Path) -> None:
    documents = random_documents(
        random.Random(seed), nested=False, ids=3, labels=LABELS, attributes=SAID, spaces=(" ", "\n", "\r\n", "\t")
    )
    assert not written("inline-xml", documents, tmp_path)
    assert content(read_back("inline-xml", tmp_path)) == content(documents)


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_spans_in_spans_are_read_back_and_spans_that_cross_refused(seed: int, tmp_path: Path) -> None:
    for number, each in enumerate(random_documents(random.Random(seed), ids=1, labels=LABELS)):
        crossing = any(
            one.begin < other.begin < one.end < other.end for one in each.mentions for other in each.mentions
        )
        if crossing:
            assert refused(each, tmp_path / str(number)).startswith("two spans cross\n")
        else:
            assert not written("inline-xml", [each], tmp_path / str(number))
            assert content(read_back("inline-xml", tmp_path / str(number))) == content([each])


@pytest.mark.parametrize("seed", range(10))
def test_any_label_as_an_attribute(seed: int, tmp_path: Path) -> None:
    documents = random_documents(random.Random(seed), nested=False, ids=2, labels=("Zeit/Ort", "a b", "<x>", "p"))
    assert not written("inline-xml", documents, tmp_path, element="entity")
    assert content(read_back("inline-xml", tmp_path)) == content(documents)


def test_the_file(tmp_path: Path) -> None:
    mentions = (
        Mention(((0, 4),), "PER", ("Q1", "NIL"), {"tid": "t1"}),
        Mention(((0, 11),), "S1"),
        Mention(((0, 4),), "B"),
        Mention(((9, 11),), "PER"),
    )
    found = document(*mentions, text="A<&> met Bo\n", attributes={"genre": "a&b", "id": "7", "a b": "x"})
    losses = written("inline-xml", [found], tmp_path)
    assert (tmp_path / "d.xml").read_text("utf-8") == (
        '<?xml version="1.0" encoding="UTF-8"?>\n<document genre="a&amp;b"><text>'
        '<S1><PER tid="t1" ref="Q1|NIL"><B>A&lt;&amp;&gt;</B></PER> met <PER>Bo</PER></S1>\n</text></document>\n'
    )
    assert lost(losses) == [
        "x: not written: the attribute 'id' of documents, whose name is not valid in XML: 1 (d)",
        "x: not written: the attribute 'a b' of documents, whose name is not valid in XML: 1 (d)",
    ]
    (again,) = read_back("inline-xml", tmp_path)
    assert (again.text, again.attributes) == (found.text, {"genre": "a&b"})
    assert [(each.label, each.begin) for each in again.mentions] == [("S1", 0), ("PER", 0), ("B", 0), ("PER", 9)]
    assert "".join(ElementTree.parse(tmp_path / "d.xml").getroot().itertext()) == found.text


def test_folders(tmp_path: Path) -> None:
    documents = [document(name="2020/may/7"), document(name="a.xml"), document(name="b.tml")]
    written("inline-xml", documents, tmp_path)
    assert sorted(each.name for each in read_back("inline-xml", tmp_path)) == ["2020/may/7", "a.xml", "b.tml"]


def test_losses(tmp_path: Path) -> None:
    said: dict[str, str | float | bool] = {"n": 3, "truth": True, "uri": "x", "a b": "y", "probability": 0.5}
    losses = written("inline-xml", [document(Mention(((0, 4),), "PER", None, said), Mention(((5, 5),), "X"))], tmp_path)
    assert lost(losses) == [
        "x: not written: spans that cover no text: 1 (d)",
        "x: not written: that 'n' of spans is a number or a boolean: it is written as a string: 1 (d)",
        "x: not written: that 'truth' of spans is a number or a boolean: it is written as a string: 1 (d)",
        "x: not written: 'uri' of spans, which is a reserved or invalid attribute name: 1 (d)",
        "x: not written: 'a b' of spans, which is a reserved or invalid attribute name: 1 (d)",
    ]
    ((mention,),) = (each.mentions for each in read_back("inline-xml", tmp_path))
    assert mention.attributes == {"n": "3", "truth": "true", "probability": 0.5}


def test_attributes_that_would_be_the_label(tmp_path: Path) -> None:
    found = document(Mention(((0, 4),), "PER", None, {"type": "x", "class": "y"}))
    assert lost(written("inline-xml", [found], tmp_path / "1", element="mention")) == [
        "x: not written: 'type' of spans, which is a reserved or invalid attribute name: 1 (d)",
        "x: not written: 'class' of spans, which is a reserved or invalid attribute name: 1 (d)",
    ]
    assert not written("inline-xml", [found], tmp_path / "2")
    assert content(read_back("inline-xml", tmp_path / "2")) == content([found])


@pytest.mark.parametrize(
    ("mention", "message"),
    [
        (
            Mention(((0, 4), (9, 11)), "PER"),
            "the span 'Anna Bo' (PER, 0:11) of document 'd' is in 2 pieces, but an element is in one piece\n"
            "  write jsonl, brat or bioc instead",
        ),
        (
            Mention(((0, 4),), "Zeit/Ort"),
            "the label 'Zeit/Ort' in document 'd' is not a valid element name\n"
            "  set ?element=entity: the label is then the attribute 'type' of an element <entity>",
        ),
        (
            Mention(((0, 4),), "TIMEX3"),
            "the label 'TIMEX3' in document 'd' is a reserved element name\n"
            "  set ?element=entity: the label is then the attribute 'type' of an element <entity>",
        ),
    ],
)
def test_spans_that_are_refused(mention: Mention, message: str, tmp_path: Path) -> None:
    assert refused(document(mention), tmp_path) == message


def test_spans_that_cross(tmp_path: Path) -> None:
    assert refused(document(Mention(((0, 8),), "A"), Mention(((5, 11),), "B")), tmp_path) == (
        "two spans cross\n  the span 'Anna met' (A, 0:8) of document 'd'\n"
        "  the span 'met Bo' (B, 5:11) of document 'd'\n"
        "  write jsonl, brat, gate or bioc: elements may be nested, but not cross"
    )


def test_texts_and_names_that_are_refused(tmp_path: Path) -> None:
    assert refused(document(text="a\x01b"), tmp_path) == (
        "the character U+0001 in document 'd' is not allowed in XML\n  remove it first, or write jsonl"
    )
    for name in ("../x", "/x", "a//b", "", ".hidden", "a/./b"):
        assert refused(document(name=name), tmp_path) == (
            f"the document name {name!r} is not a valid file name\n"
            "  rename it first: each document is written to a file of its own"
        )
    with pytest.raises(UsageError, match="element='p' is not allowed"):
        written("inline-xml", [document()], tmp_path, element="p")


@pytest.mark.slow
@pytest.mark.parametrize("files", ["gold", "systems/syntime_published"])
def test_wikiwars_is_read_back(files: str, tmp_path: Path) -> None:
    corpus = read_files(shared(f"data/timex/wikiwars/{files}"), "")
    documents = list(list_passages(corpus, Losses()))
    made = convert_corpus(corpus, find_writer("inline-xml"))
    assert (len(made.files), made.losses) == (22, ())
    assert not written("inline-xml", documents, tmp_path)
    found = read_back("inline-xml", tmp_path)
    assert content(found) == content(documents)
    assert [each.attributes for each in found] == [each.attributes for each in documents]
