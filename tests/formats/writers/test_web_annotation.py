"""Web Annotation carries everything but the texts, and documents without spans."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from comparanda.core.corpus import Corpus
from comparanda.formats.document_writer import Losses, Mention, Passage, list_passages
from tests.formats.corpora import fragments, said, spans
from tests.formats.writers.documents import random_documents, read_files, written
from tests.seeds import seeds
from tests.shared_data import shared

TEXT_LOST = "x: not written: the text of a document, to which annotations only refer: 1 (d)"


def passage(*mentions: Mention, name: str = "d", **attributes: str) -> Passage:
    return Passage(
        name=name,
        text="Ada saw Rome",
        words=((0, 3), (4, 7), (8, 12)),
        sentences=(0,),
        mentions=mentions,
        attributes=attributes,
    )


def read_back(folder: Path) -> Corpus:
    return read_files(folder, "out.jsonld")


def of_documents(documents: list[Passage]) -> list[tuple[object, ...]]:
    """What annotations carry of documents."""
    return sorted(
        (
            each.name,
            one.pieces,
            one.label,
            "|".join(one.ids or ()),
            each.covered(one),
            one.attributes.get("commenting", ""),
        )
        for each in documents
        for one in each.mentions
    )


def of_corpus(corpus: Corpus) -> list[tuple[object, ...]]:
    pieces: dict[int, list[tuple[int, int]]] = {}
    for span, begin, end in fragments(corpus):
        pieces.setdefault(span, []).append((begin, end))
    assert corpus.spans is not None
    columns = {
        name: said(corpus, name) if name in corpus.spans.columns else [None] * len(spans(corpus))
        for name in ("id", "text", "commenting")
    }
    return sorted(
        (name, tuple(pieces.get(span, [(begin, end)])), label, *(columns[each][span] or "" for each in columns))
        for span, (name, begin, end, label) in enumerate(spans(corpus))
    )


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_what_is_written_is_read_back(seed: int, tmp_path: Path) -> None:
    values: dict[str, tuple[str | float | bool, ...]] = {"commenting": ("sure?", "no")}
    documents = random_documents(random.Random(seed), count=4, pieces=True, ids=3, attributes=values)
    written("web-annotation", documents, tmp_path)
    assert of_corpus(read_back(tmp_path)) == of_documents(documents)


def test_what_is_written(tmp_path: Path) -> None:
    mention = Mention(((8, 12),), "LOC", ("http://www.wikidata.org/entity/Q220",), {"creator": "Ann"})
    written("web-annotation", [passage(mention, name="my news")], tmp_path)
    assert json.loads((tmp_path / "out.jsonld").read_text()) == {
        "@context": "http://www.w3.org/ns/anno.jsonld",
        "type": "AnnotationPage",
        "items": [
            {
                "id": "my%20news#annotation-1",
                "type": "Annotation",
                "creator": {"name": "Ann"},
                "body": [
                    {"type": "TextualBody", "purpose": "classifying", "value": "LOC"},
                    {
                        "type": "SpecificResource",
                        "purpose": "identifying",
                        "source": "http://www.wikidata.org/entity/Q220",
                    },
                ],
                "target": {
                    "type": "SpecificResource",
                    "source": "my%20news",
                    "selector": [
                        {"type": "TextPositionSelector", "start": 8, "end": 12},
                        {"type": "TextQuoteSelector", "exact": "Rome", "prefix": "Ada saw ", "suffix": ""},
                    ],
                },
            }
        ],
    }
    assert read_back(tmp_path).documents.names == ("my news",)


def test_classes_that_are_known_are_kept(tmp_path: Path) -> None:
    written("web-annotation", [passage(Mention(((0, 3),), "Person", None, {"class": "http://x/Person"}))], tmp_path)
    corpus = read_back(tmp_path)
    assert (spans(corpus), said(corpus, "class")) == ([("d", 0, 3, "Person")], ["http://x/Person"])


def test_what_is_lost(tmp_path: Path) -> None:
    losses = written("web-annotation", [passage(Mention(((0, 3),), "PER", None, {"score": 1.0}), title="A")], tmp_path)
    assert [str(note) for note in losses.notes("x")] == [
        TEXT_LOST,
        "x: not written: the attribute 'title' of documents: 1 (d)",
        "x: not written: 'score' of spans: 1 (d)",
    ]
    losses = written("web-annotation", [passage()], tmp_path)
    assert [str(note) for note in losses.notes("x")] == [TEXT_LOST, "x: not written: a document without spans: 1 (d)"]


def test_real_files(tmp_path: Path) -> None:
    file = shared("data/el/elevant/gold/kore50.benchmark.jsonl")
    documents = list(list_passages(read_files(file.parent, file.name), Losses()))
    written("web-annotation", documents, tmp_path)
    assert of_corpus(read_back(tmp_path)) == of_documents(documents)
