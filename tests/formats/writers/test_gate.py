"""GATE XML carries spans in one piece, wherever they lie, and typed features."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from comparanda.errors import WriteError
from comparanda.formats.document_writer import Losses, Mention, Passage, list_passages
from tests.formats.writers.documents import content, random_documents, read_back, read_files, written
from tests.seeds import seeds
from tests.shared_data import shared

SAID: dict[str, tuple[str | float | bool, ...]] = {
    "confidence": ("low", 'a<b & "c"\n'),
    "probability": (0.25, 0.5),
    "weight": (1.5, -2.0),
    "any name at all": ("x", "y"),
}


def document(*mentions: Mention, text: str = "Anna met Bo", **changes: Any) -> Passage:
    return replace(Passage(name="d", text=text, words=(), sentences=(0,), mentions=mentions), **changes)


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_what_is_written_is_read_back(seed: int, tmp_path: Path) -> None:
    documents = random_documents(random.Random(seed), ids=3, attributes=SAID, spaces=(" ", "\n", "\r\n", "\t"))
    documents = [replace(each, attributes={"MimeType": "text/plain", "a&b": "<"}) for each in documents]
    assert not written("gate", documents, tmp_path)
    found = read_back("gate", tmp_path)
    assert content(found) == content(documents)
    assert [each.attributes for each in found] == [each.attributes for each in documents]
    corpus = read_files(tmp_path, "::gate")
    assert corpus.notes == ()  # nodes are where their ids say


def test_the_file(tmp_path: Path) -> None:
    mentions = (
        Mention(((2, 6),), "PER", ("Q1", "NIL"), {"n": 3, "far": 1 << 40}),
        Mention(((4, 13),), "a & b", None, {"sure": True}),
    )
    assert not written("gate", [document(*mentions, text="😀 Anna met Bo")], tmp_path, set="Key")
    feature = (
        '<Feature><Name className="java.lang.String">{}</Name><Value className="java.lang.{}">{}</Value></Feature>\n'
    )
    assert (tmp_path / "d.xml").read_text("utf-8") == (
        '<?xml version="1.0" encoding="UTF-8"?>\n<GateDocument version="3">\n'
        "<GateDocumentFeatures>\n</GateDocumentFeatures>\n"
        '<TextWithNodes><Node id="0"/>😀 <Node id="3"/>An<Node id="5"/>na<Node id="7"/> met Bo<Node id="14"/>'
        '</TextWithNodes>\n<AnnotationSet Name="Key">\n'
        '<Annotation Id="1" Type="PER" StartNode="3" EndNode="7">\n'
        + feature.format("n", "Integer", "3")
        + feature.format("far", "Long", "1099511627776")
        + feature.format("inst", "String", "Q1|NIL")
        + '</Annotation>\n<Annotation Id="2" Type="a &amp; b" StartNode="5" EndNode="14">\n'
        + feature.format("sure", "Boolean", "true")
        + "</Annotation>\n</AnnotationSet>\n</GateDocument>\n"
    )
    assert len(read_back("gate", tmp_path, {"set": "Key"})[0].mentions) == 2


def test_losses(tmp_path: Path) -> None:
    losses = written("gate", [document(Mention(((0, 4),), "PER", None, {"URI": "x"}))], tmp_path)
    assert [str(note) for note in losses.notes("x")] == [
        "x: not written: 'URI' of spans, which is a reserved feature name: 1 (d)"
    ]


@pytest.mark.parametrize(
    ("passage", "message"),
    [
        (
            document(Mention(((0, 4), (9, 11)), "PER")),
            "the span 'Anna Bo' (PER, 0:11) of document 'd' is in 2 pieces, "
            "but an annotation is in one piece\n  write jsonl, brat or bioc instead",
        ),
        (
            document(text="a\x0bb"),
            "the character U+000B in document 'd' is not allowed in XML\n  remove it first, or write jsonl",
        ),
        (
            document(Mention(((0, 4),), "PER", None, {"x": "\ufffe"})),
            "the character U+FFFE in document 'd' is not allowed in XML\n  remove it first, or write jsonl",
        ),
        (
            document(name="a/../b"),
            "the document name 'a/../b' is not a valid file name\n"
            "  rename it first: each document is written to a file of its own",
        ),
    ],
)
def test_what_is_refused(passage: Passage, message: str, tmp_path: Path) -> None:
    with pytest.raises(WriteError) as caught:
        written("gate", [passage], tmp_path)
    assert str(caught.value) == message


@pytest.mark.slow
def test_wikiwars_is_read_back(tmp_path: Path) -> None:
    documents = list(list_passages(read_files(shared("data/timex/wikiwars/gold"), ""), Losses()))
    assert not written("gate", documents, tmp_path)
    assert content(read_back("gate", tmp_path)) == content(documents)
