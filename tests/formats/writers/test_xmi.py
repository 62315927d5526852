"""XMI carries spans in one piece with one id each; cassis reads it."""

from __future__ import annotations

import io
import random
from pathlib import Path

import cassis
import pytest

from comparanda.errors import WriteError
from comparanda.formats.document_writer import Losses, Mention, Passage, list_passages
from comparanda.formats.xmi import NAMED_ENTITY
from tests.formats.writers.documents import content, random_documents, read_back, read_files, written
from tests.seeds import seeds
from tests.shared_data import shared


def passage(*mentions: Mention, name: str = "d", text: str = "Ada saw Rome", **attributes: str) -> Passage:
    return Passage(
        name=name, text=text, words=((0, 3), (4, 7), (8, 12)), sentences=(0,), mentions=mentions, attributes=attributes
    )


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_what_is_written_is_read_back(seed: int, tmp_path: Path) -> None:
    said: dict[str, tuple[str | float | bool, ...]] = {
        "confidence": ("low", 'so "so"\n'),
        "probability": (0.25, 1.0),
    }
    documents = random_documents(random.Random(seed), ids=1, attributes=said)
    assert not written("xmi", documents, tmp_path)
    assert content(read_back("xmi", tmp_path)) == content(documents)


def test_cassis_reads_it(tmp_path: Path) -> None:
    mentions = (
        Mention(((2, 5),), "PER", ("Q1",), {"sure": True, "rank": 3}),
        Mention(((9, 13),), "ENTITY", None, {"sure": False}),
    )
    written("xmi", [passage(*mentions, text="😀 Ada in Rome")], tmp_path)
    types = cassis.load_typesystem(io.BytesIO((tmp_path / "TypeSystem.xml").read_bytes()))
    cas = cassis.load_cas_from_xmi(io.BytesIO((tmp_path / "d.xmi").read_bytes()), typesystem=types)
    found = sorted(cas.select(NAMED_ENTITY), key=lambda each: int(each.begin))
    assert [(each.get_covered_text(), each.value, each.identifier) for each in found] == [
        ("Ada", "PER", "Q1"),
        ("Rome", None, None),
    ]
    assert [(each.sure, each.rank) for each in found] == [(True, 3), (False, None)]
    assert cas.get_document_annotation().get_covered_text() == "😀 Ada in Rome"


def test_documents_in_folders(tmp_path: Path) -> None:
    documents = [passage(Mention(((0, 3),), "PER"), name=name) for name in ("a", "2020/may/7")]
    assert not written("xmi", documents, tmp_path)
    assert sorted(each.name for each in read_back("xmi", tmp_path)) == ["2020/may/7", "a"]


def test_what_is_lost(tmp_path: Path) -> None:
    mention = Mention(((0, 3),), "PER", ("Q1", "Q2"), {"value": "x", "a b": "y"})
    losses = written("xmi", [passage(mention, title="A")], tmp_path)
    assert [str(note) for note in losses.notes("x")] == [
        "x: not written: 'value' of spans, which is not a valid feature name: 1 (d)",
        "x: not written: 'a b' of spans, which is not a valid feature name: 1 (d)",
        "x: not written: the attribute 'title' of documents: 1 (d)",
        "x: not written: ids of a span after the first: 1 (d)",
    ]


@pytest.mark.parametrize(
    ("document", "what"),
    [
        (passage(Mention(((0, 3), (8, 12)), "PER")), "is in 2 pieces, but an annotation of UIMA is in one piece"),
        (passage(text="A\x01"), "the character U+0001 in document 'd' is not allowed in XML"),
        (passage(name="../d"), "the document name '../d' is not a valid file name"),
    ],
)
def test_what_is_refused(document: Passage, what: str, tmp_path: Path) -> None:
    with pytest.raises(WriteError) as caught:
        written("xmi", [document], tmp_path)
    assert what in str(caught.value)


def test_real_files(tmp_path: Path) -> None:
    file = shared("data/el/elevant/gold/kore50.benchmark.jsonl")
    documents = [
        Passage(name=each.name, text=each.text, words=(), sentences=(), mentions=each.mentions)
        for each in list_passages(read_files(file.parent, file.name), Losses())
    ]
    losses = written("xmi", documents, tmp_path)
    assert [note.what for note in losses.notes("x")] == [
        "not written: 'type' of spans, which is not a valid feature name"
    ]
    kept = [
        Passage(
            name=each.name,
            text=each.text,
            words=(),
            sentences=(),
            mentions=tuple(
                Mention(one.pieces, one.label, one.ids, {"name": one.attributes["name"]}) for one in each.mentions
            ),
        )
        for each in documents
    ]
    assert sorted(content(read_back("xmi", tmp_path))) == sorted(content(kept))
