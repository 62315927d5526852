"""BioC carries everything but the types of what is said of spans; the `bioc` package reads it as we do."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bioc import biocjson, biocxml

from comparanda.errors import UsageError, WriteError
from comparanda.formats.document_writer import Losses, Mention, Passage, list_passages
from tests.formats.writers.documents import content, random_documents, read_back, read_files, written
from tests.seeds import seeds
from tests.shared_data import shared

SAID: dict[str, tuple[str | float | bool, ...]] = {
    "confidence": ("low", 'a<b & "c"\n'),
    "probability": (0.25, 0.5),
    "any name at all": ("x", "y"),
}
KINDS = ("xml", "json")


def document(*mentions: Mention, text: str = "Anna met Bo", **changes: Any) -> Passage:
    return replace(Passage(name="d", text=text, words=(), sentences=(0,), mentions=mentions), **changes)


def lost(losses: Losses) -> list[str]:
    return [str(note) for note in losses.notes("x")]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_what_is_written_is_read_back(seed: int, kind: str, tmp_path: Path) -> None:
    draw = random.Random(seed)
    documents = random_documents(draw, ids=3, pieces=True, attributes=SAID, spaces=(" ", "\n", "\r\n", "\t"))
    documents = [replace(each, attributes={"year": "1999", "a&b": "<"}) for each in documents]
    assert not written("bioc", documents, tmp_path, **{"as": kind})
    found = read_back("bioc", tmp_path)
    assert content(found) == content(documents)
    assert [each.attributes for each in found] == [each.attributes for each in documents]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(10))
def test_the_bioc_package_reads_the_same(seed: int, kind: str, tmp_path: Path) -> None:
    documents = random_documents(random.Random(seed), ids=2, pieces=True, attributes={"note": ("x <", "y")})
    assert not written("bioc", documents, tmp_path, **{"as": kind})
    with (tmp_path / "out.xml").open(
        "rb" if kind == "xml" else "r", encoding=None if kind == "xml" else "utf-8"
    ) as file:
        collection = (biocxml if kind == "xml" else biocjson).load(file)
    assert [(each.id, each.passages[0].text) for each in collection.documents] == [
        (each.name, each.text) for each in documents
    ]
    for read, given in zip(collection.documents, documents, strict=True):
        assert [
            (
                [(place.offset, place.end) for place in each.locations],
                each.text,
                each.infons["type"],
                each.infons.get("identifier"),
                each.infons.get("note"),
            )
            for each in read.passages[0].annotations
        ] == [
            (
                list(each.pieces),
                given.covered(each),
                each.label,
                None if each.ids is None else ",".join(each.ids).replace("NIL", "-1"),
                each.attributes.get("note"),
            )
            for each in given.mentions
        ]


def test_the_file(tmp_path: Path) -> None:
    mentions = (Mention(((0, 4), (9, 11)), "A & B", ("Q1", "NIL"), {"note": "<"}), Mention(((5, 8),), "X"))
    found = document(*mentions, attributes={"year": "1999"})
    assert not written("bioc", [found], tmp_path)
    assert (tmp_path / "out.xml").read_text("utf-8") == (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE collection SYSTEM "BioC.dtd">\n'
        "<collection><source>comparanda</source><date/><key/>\n"
        '<document><id>d</id><infon key="year">1999</infon><passage><offset>0</offset><text>Anna met Bo</text>\n'
        '<annotation id="1"><infon key="type">A &amp; B</infon><infon key="note">&lt;</infon>'
        '<infon key="identifier">Q1,-1</infon><location offset="0" length="4"/><location offset="9" length="2"/>'
        "<text>Anna Bo</text></annotation>\n"
        '<annotation id="2"><infon key="type">X</infon><location offset="5" length="3"/><text>met</text></annotation>\n'
        "</passage></document>\n</collection>\n"
    )
    assert not written("bioc", [found], tmp_path, **{"as": "json"})
    assert json.loads((tmp_path / "out.xml").read_text("utf-8"))["documents"] == [
        {
            "id": "d",
            "infons": {"year": "1999"},
            "passages": [
                {
                    "offset": 0,
                    "infons": {},
                    "text": "Anna met Bo",
                    "sentences": [],
                    "annotations": [
                        {
                            "id": "1",
                            "infons": {"type": "A & B", "note": "<", "identifier": "Q1,-1"},
                            "text": "Anna Bo",
                            "locations": [{"offset": 0, "length": 4}, {"offset": 9, "length": 2}],
                        },
                        {
                            "id": "2",
                            "infons": {"type": "X"},
                            "text": "met",
                            "locations": [{"offset": 5, "length": 3}],
                        },
                    ],
                    "relations": [],
                }
            ],
            "annotations": [],
            "relations": [],
        }
    ]


def test_losses(tmp_path: Path) -> None:
    found = document(Mention(((0, 4),), "PER", None, {"type": "x", "MESH": "y", "n": 3, "sure": True}))
    of_names = [
        "x: not written: 'type' of spans, which is a reserved infon name: 1 (d)",
        "x: not written: 'MESH' of spans, which is a reserved infon name: 1 (d)",
    ]
    of_types = [
        "x: not written: that 'n' of spans is a number or a boolean: it is written as a string: 1 (d)",
        "x: not written: that 'sure' of spans is a number or a boolean: it is written as a string: 1 (d)",
    ]
    assert lost(written("bioc", [found], tmp_path)) == of_types + of_names
    assert read_back("bioc", tmp_path)[0].mentions[0].attributes == {"n": "3", "sure": "true"}
    assert lost(written("bioc", [found], tmp_path, **{"as": "json"})) == of_names
    assert read_back("bioc", tmp_path)[0].mentions[0].attributes == {"n": 3, "sure": True}


@pytest.mark.parametrize(
    ("passage", "message"),
    [
        (
            document(Mention(((0, 4),), "PER", ("a,b", "Q1"))),
            "the span 'Anna' (PER, 0:4) of document 'd' has ids that BioC cannot hold: 'a,b', 'Q1'\n"
            "  rename them: commas and semicolons separate ids in BioC, and - means no id",
        ),
        (
            document(Mention(((0, 4),), "PER", ("-1",))),
            "the span 'Anna' (PER, 0:4) of document 'd' has ids that BioC cannot hold: '-1'\n"
            "  rename them: commas and semicolons separate ids in BioC, and - means no id",
        ),
        (document(name=" x"), "the document name ' x' is not a valid BioC id\n  rename it first"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_refused(passage: Passage, message: str, kind: str, tmp_path: Path) -> None:
    with pytest.raises(WriteError) as caught:
        written("bioc", [passage], tmp_path, **{"as": kind})
    assert str(caught.value) == message


def test_ids_with_bars_as_variants_have_them(tmp_path: Path) -> None:
    found = document(Mention(((0, 4),), "X", ("c%7CSUB%7CG%7C12%7CA", "Q1")), Mention(((5, 8),), "X", ("a%7Cb",)))
    assert not written("bioc", [found], tmp_path)
    text = (tmp_path / "out.xml").read_text("utf-8")
    assert ">a%7Cb<" in text
    assert content(read_back("bioc", tmp_path)) == content([found])


def test_other_kinds_and_characters(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="invalid as='yaml'"):
        written("bioc", [document()], tmp_path, **{"as": "yaml"})
    with pytest.raises(WriteError, match="U\\+0001 in document 'd' is not allowed in XML"):
        written("bioc", [document(text="\x01")], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_wikiwars_is_read_back(kind: str, tmp_path: Path) -> None:
    documents = list(list_passages(read_files(shared("data/timex/wikiwars/gold"), ""), Losses()))
    assert not written("bioc", documents, tmp_path, **{"as": kind})
    assert content(read_back("bioc", tmp_path)) == content(documents)
