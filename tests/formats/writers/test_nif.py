"""NIF carries spans in one piece, with classes, entities and a probability each."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import rdflib

from comparanda.errors import WriteError
from comparanda.formats.document_writer import Losses, Mention, Passage, list_passages
from comparanda.formats.nif import ITSRDF, NIF
from tests.formats.writers.documents import content, random_documents, read_back, read_files, written
from tests.seeds import seeds
from tests.shared_data import shared


def passage(*mentions: Mention, name: str = "d", **attributes: str) -> Passage:
    return Passage(
        name=name,
        text="Ada saw Rome",
        words=((0, 3), (4, 7), (8, 12)),
        sentences=(0,),
        mentions=mentions,
        attributes=attributes,
    )


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_what_is_written_is_read_back(seed: int, tmp_path: Path) -> None:
    values: dict[str, tuple[str | float | bool, ...]] = {"probability": (0.25, 1.0)}
    documents = random_documents(random.Random(seed), ids=3, attributes=values)
    assert not written("nif", documents, tmp_path)
    assert content(without_class(read_back("nif", tmp_path))) == content(documents)


def without_class(documents: list[Passage]) -> list[Passage]:
    """Leave out the IRIs of the classes that were made of labels."""
    return [
        Passage(
            name=each.name,
            text=each.text,
            words=each.words,
            sentences=each.sentences,
            mentions=tuple(map(_without_class, each.mentions)),
        )
        for each in documents
    ]


def _without_class(mention: Mention) -> Mention:
    said = {name: value for name, value in mention.attributes.items() if name != "class"}
    return Mention(mention.pieces, mention.label, mention.ids, said)


@pytest.mark.parametrize("name", ["http://x/a%20b", "my news/7", "a:b c", "é#1?", "50%25"])
def test_names_of_documents(name: str, tmp_path: Path) -> None:
    assert not written("nif", [passage(name=name)], tmp_path)
    assert [each.name for each in read_back("nif", tmp_path)] == [name]


def test_classes_that_are_known_are_kept(tmp_path: Path) -> None:
    documents = [passage(Mention(((0, 3),), "Person", None, {"class": "http://dbpedia.org/ontology/Person"}))]
    assert not written("nif", documents, tmp_path)
    assert content(read_back("nif", tmp_path)) == content(documents)


def test_spans_of_the_same_extent_are_two_phrases(tmp_path: Path) -> None:
    documents = [passage(Mention(((0, 3),), "PER"), Mention(((0, 3),), "LOC"))]
    assert not written("nif", documents, tmp_path)
    assert content(without_class(read_back("nif", tmp_path))) == content(documents)


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated")  # rdflib's own reader of JSON-LD warns
def test_rdflib_reads_it(tmp_path: Path) -> None:
    mentions = (Mention(((0, 3),), "PER", ("Q7259",), {"probability": 0.5}), Mention(((8, 12),), "ENTITY", ("NIL",)))
    options = {"base": "http://x/", "entities": "http://www.wikidata.org/entity/", "classes": "http://x/types#"}
    assert not written("nif", [passage(*mentions)], tmp_path, **options)
    found = rdflib.Graph().parse(tmp_path / "out.jsonld", format="json-ld")
    nif, its = rdflib.Namespace(NIF), rdflib.Namespace(ITSRDF)
    ada, rome = (rdflib.URIRef(f"http://x/d#offset_{extent}") for extent in ("0_3", "8_12"))
    context = rdflib.URIRef("http://x/d#offset_0_12")
    assert found.value(context, nif.isString) == rdflib.Literal("Ada saw Rome")
    assert found.value(ada, nif.referenceContext) == context
    assert str(found.value(ada, nif.beginIndex)) == "0"
    assert float(str(found.value(ada, its.taConfidence))) == 0.5
    assert found.value(ada, its.taIdentRef) == rdflib.URIRef("http://www.wikidata.org/entity/Q7259")
    assert found.value(ada, its.taClassRef) == rdflib.URIRef("http://x/types#PER")
    assert found.value(rome, its.taIdentRef) == rdflib.URIRef("http://aksw.org/notInWiki/Rome")
    assert found.value(rome, its.taClassRef) is None
    assert [each.name for each in read_back("nif", tmp_path)] == ["d"]


def test_what_is_lost(tmp_path: Path) -> None:
    losses = written("nif", [passage(Mention(((0, 3),), "PER", None, {"confidence": "low"}), title="A")], tmp_path)
    assert [str(note) for note in losses.notes("x")] == [
        "x: not written: the attribute 'title' of documents: 1 (d)",
        "x: not written: 'confidence' of spans: 1 (d)",
    ]


def test_spans_in_pieces_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WriteError) as caught:
        written("nif", [passage(Mention(((0, 3), (8, 12)), "PER"))], tmp_path)
    assert str(caught.value) == (
        "the span 0:12 of document 'd' is in 2 pieces\n"
        "  write web-annotation or jsonl, for example: a phrase of NIF is in one piece"
    )


def test_it_is_a_graph_with_a_context(tmp_path: Path) -> None:
    assert not written("nif", [passage()], tmp_path)
    found = json.loads((tmp_path / "out.jsonld").read_text())
    assert (list(found), found["@context"]["nif"]) == (["@context", "@graph"], NIF)


def test_real_files(tmp_path: Path) -> None:
    file = shared("data/el/elevant/gold/kore50.benchmark.jsonl")
    documents = list(list_passages(read_files(file.parent, file.name), Losses()))
    written("nif", documents, tmp_path)
    plain = [
        Passage(
            name=e.name,
            text=e.text,
            words=(),
            sentences=(),
            mentions=tuple(Mention(m.pieces, m.label, m.ids) for m in e.mentions),
        )
        for e in documents
    ]
    assert content(read_back("nif", tmp_path)) == content(plain)


def test_labels_that_are_read_back_as_others(tmp_path: Path) -> None:
    """Classes have no order; a label of two parts in another order is not the same label."""
    mentions = (
        Mention(((0, 3),), "pi|pe"),
        Mention(((4, 7),), "pe|pi"),
        Mention(((8, 12),), "PER", None, {"class": "x:y"}),
    )
    losses = written("nif", [passage(*mentions)], tmp_path)
    assert [str(note) for note in losses.notes("x")] == [
        "x: not written: the label 'pi|pe': it is written as 2 classes, which are read back as 'pe|pi': 1 (d)",
        "x: not written: the label 'PER': it is written as 1 class, which is read back as 'y': 1 (d)",
    ]
    assert [each.label for each in read_back("nif", tmp_path)[0].mentions] == ["pe|pi", "pe|pi", "y"]
