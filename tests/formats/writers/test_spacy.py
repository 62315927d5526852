"""spaCy's JSON carries spans that are made of tokens, with one id each; spaCy reads it."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from comparanda.errors import WriteError
from comparanda.formats.document_writer import Losses, Mention, Passage, list_passages
from tests.formats.writers.documents import content, random_documents, read_back, read_files, written
from tests.seeds import seeds
from tests.shared_data import shared

SPACES = (" ", " ", " ", "\n", "  ", "", " \n ", "\u00a0")


def passage(*mentions: Mention, name: str = "d", text: str = "Ada saw Rome", **attributes: str) -> Passage:
    return Passage(
        name=name, text=text, words=((0, 3), (4, 7), (8, 12)), sentences=(0,), mentions=mentions, attributes=attributes
    )


def objects(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "out.jsonl").read_text("utf-8").splitlines()]


def docs(folder: Path) -> list[Any]:
    """What spaCy makes of the file."""
    spacy = pytest.importorskip("spacy")
    from spacy.tokens import Doc

    vocab = spacy.blank("xx").vocab
    for name in ("id", "title"):
        Doc.set_extension(name, default=None, force=True)
    return [Doc(vocab).from_json(each, validate=True) for each in objects(folder)]


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_entities_are_read_back(seed: int, tmp_path: Path) -> None:
    documents = random_documents(random.Random(seed), nested=False, ids=1, spaces=SPACES)
    assert not written("spacy", documents, tmp_path)
    assert content(read_back("spacy", tmp_path)) == content(documents)


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_groups_are_read_back(seed: int, tmp_path: Path) -> None:
    documents = random_documents(random.Random(seed), ids=1, spaces=SPACES)
    assert not written("spacy", documents, tmp_path, spans="sc")
    assert content(read_back("spacy", tmp_path, {"spans": "sc"})) == content(documents)


@pytest.mark.parametrize("seed", seeds(3, of=10))
def test_spacy_reads_entities(seed: int, tmp_path: Path) -> None:
    documents = random_documents(random.Random(seed), nested=False, spaces=SPACES)
    written("spacy", documents, tmp_path)
    for doc, each in zip(docs(tmp_path), documents, strict=True):
        assert (doc.text, doc._.id) == (each.text, each.name)
        found = [(ent.start_char, ent.end_char, ent.label_) for ent in doc.ents]
        assert found == sorted((one.begin, one.end, one.label) for one in each.mentions)


@pytest.mark.parametrize("seed", seeds(3, of=10))
def test_spacy_reads_groups(seed: int, tmp_path: Path) -> None:
    documents = random_documents(random.Random(seed), ids=1, spaces=SPACES)
    written("spacy", documents, tmp_path, spans="sc")
    for doc, each in zip(docs(tmp_path), documents, strict=True):
        found = sorted((one.start_char, one.end_char, one.label_, one.kb_id_) for one in doc.spans["sc"])
        assert found == sorted((one.begin, one.end, one.label, (one.ids or ("",))[0]) for one in each.mentions)


def test_a_span_may_end_inside_a_word(tmp_path: Path) -> None:
    documents = [passage(Mention(((0, 2),), "PER"), Mention(((9, 12),), "LOC"))]
    assert not written("spacy", documents, tmp_path)
    assert content(read_back("spacy", tmp_path)) == content(documents)
    assert [[ent.text for ent in doc.ents] for doc in docs(tmp_path)] == [["Ad", "ome"]]


def test_what_is_written(tmp_path: Path) -> None:
    assert not written("spacy", [passage(Mention(((8, 12),), "LOC", ("Q220",)), title="News")], tmp_path)
    assert objects(tmp_path) == [
        {
            "text": "Ada saw Rome",
            "ents": [{"start": 8, "end": 12, "label": "LOC", "kb_id": "Q220"}],
            "tokens": [
                {"id": 0, "start": 0, "end": 3},
                {"id": 1, "start": 4, "end": 7},
                {"id": 2, "start": 8, "end": 12},
            ],
            "_": {"title": "News", "id": "d"},
        }
    ]
    assert read_back("spacy", tmp_path)[0].attributes == {"title": "News"}
    assert [doc._.title for doc in docs(tmp_path)] == ["News"]


def test_what_is_lost(tmp_path: Path) -> None:
    mention = Mention(((0, 3),), "PER", ("Q1", "Q2"), {"confidence": "low"})
    losses = written("spacy", [passage(mention, id="x")], tmp_path)
    assert [str(note) for note in losses.notes("x")] == [
        "x: not written: 'confidence' of spans: 1 (d)",
        "x: not written: further ids of a span, after the first: 1 (d)",
        "x: not written: the attribute 'id' of documents, whose name is reserved: 1 (d)",
    ]


@pytest.mark.parametrize(
    ("mentions", "what"),
    [
        (
            (Mention(((0, 3), (8, 12)), "PER"),),
            "the span 0:12 of document 'd' is in 2 pieces\n"
            "  write another format, such as jsonl: spans of spaCy are contiguous",
        ),
        (
            (Mention(((4, 12),), "X"), Mention(((0, 7),), "Y")),
            "the spans 0:7 and 4:12 of document 'd' overlap, but entities of spaCy cannot\n"
            "  write them as a span group: ?spans=sc",
        ),
        *(
            (
                (Mention((extent,), "X"),),
                f"the span {extent[0]}:{extent[1]} of document 'd' is empty, or begins or ends in white space, where "
                "tokens of spaCy do not\n  write a format with plain offsets, such as jsonl",
            )
            for extent in ((0, 4), (3, 7), (4, 4))
        ),
    ],
)
def test_what_is_refused(mentions: tuple[Mention, ...], what: str, tmp_path: Path) -> None:
    with pytest.raises(WriteError) as caught:
        written("spacy", [passage(*mentions)], tmp_path)
    assert str(caught.value) == what


def test_real_files(tmp_path: Path) -> None:
    file = shared("data/el/elevant/gold/kore50.benchmark.jsonl")
    documents = list(list_passages(read_files(file.parent, file.name), Losses()))
    written("spacy", documents, tmp_path)
    plain = [
        Passage(
            name=each.name,
            text=each.text,
            words=(),
            sentences=(),
            mentions=tuple(Mention(one.pieces, one.label, one.ids) for one in each.mentions),
        )
        for each in documents
    ]
    assert content(read_back("spacy", tmp_path)) == content(plain)
