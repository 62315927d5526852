"""ELEVANT's JSONL carries spans in one piece with one id each."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from comparanda.errors import WriteError
from comparanda.formats.document_writer import Losses, Mention, Passage, list_passages
from tests.formats.writers.documents import content, random_documents, read_back, read_files, written
from tests.seeds import seeds
from tests.shared_data import shared

WORDS = ((0, 3), (4, 7), (8, 12))
TEXT = "Ada saw Rome"


def numbered(documents: list[Passage]) -> list[Passage]:
    """Name documents as ELEVANT does, and link all spans."""
    return [
        replace(each, name=str(number), mentions=tuple(replace(one, ids=one.ids or ("NIL",)) for one in each.mentions))
        for number, each in enumerate(documents)
    ]


def passage(*mentions: Mention, name: str = "0", **attributes: str) -> Passage:
    return Passage(name=name, text=TEXT, words=WORDS, sentences=(0,), mentions=mentions, attributes=attributes)


TYPED = "the label of a span: it is written as its type, and read back as ENTITY without ?label=type"


def told(losses: Losses) -> list[str]:
    return [str(note) for note in losses.notes("x")]


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_labels_are_read_back(seed: int, tmp_path: Path) -> None:
    values: dict[str, tuple[str | float | bool, ...]] = {
        "name": ("Ada", "Rome"),
        "type": ("Q5", "Q5|Q6"),
        "coref": ("true", "false"),
    }
    drawn = random_documents(random.Random(seed), ids=1, labels=("ENTITY",), attributes=values)
    documents = numbered(drawn)
    assert not written("elevant", documents, tmp_path)
    assert content(read_back("elevant", tmp_path)) == content(documents)


def test_children_are_written_for_their_parent_and_for_another_label_that_lists_them(tmp_path: Path) -> None:
    mentions = (
        Mention(((0, 12),), "ENTITY", ("Q1",), {"label_id": "3"}),
        Mention(((0, 7),), "ENTITY", ("Q2",), {"label_id": "5", "parent": "3"}),
        Mention(((4, 7),), "ENTITY", ("Q3",), {"label_id": "6", "parent": "3", "listed_by": "5"}),
    )
    assert not written("elevant", [passage(*mentions)], tmp_path)
    labels = json.loads(next(tmp_path.iterdir()).read_text())["labels"]
    assert {label["id"]: label.get("children") for label in labels} == {3: [5, 6], 5: [6], 6: None}


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_labels_of_spans_are_types(seed: int, tmp_path: Path) -> None:
    documents = numbered(random_documents(random.Random(seed), ids=1))
    count = sum(len(each.mentions) for each in documents)
    assert [(note.what, note.count) for note in written("elevant", documents, tmp_path).notes("x")] == [
        (f"not written: {TYPED}", count)
    ] * (count > 0)
    found = [
        replace(each, mentions=tuple(replace(one, attributes={}) for one in each.mentions))
        for each in read_back("elevant", tmp_path, {"label": "type"})
    ]
    assert content(found) == content(documents)


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_mentions_are_read_back(seed: int, tmp_path: Path) -> None:
    values: dict[str, tuple[str | float | bool, ...]] = {
        "linked_by": ("el", "oracle"),
        "recognized_by": ("ner",),
        "candidates": ("Q1", "Q1|NIL|Q2"),
    }
    drawn = random_documents(random.Random(seed), ids=1, labels=("ENTITY",), attributes=values)
    documents = numbered(drawn)
    assert not written("elevant", documents, tmp_path, annotations="mentions")
    assert content(read_back("elevant", tmp_path)) == content(documents)


def test_what_is_written(tmp_path: Path) -> None:
    said = {"label_id": "4"}
    mentions = (
        Mention(((0, 3),), "PER", ("Q7259",), {"optional": True}),
        Mention(((4, 12),), "ENTITY", ("NIL",), said),
        Mention(((8, 12),), "ENTITY", ("Q220",), {"label_id": "0", "parent": "4"}),
    )
    losses = written("elevant", [passage(*mentions, name="12", title="News")], tmp_path)
    assert told(losses) == [f"x: not written: {TYPED}: 1 (12)"]
    assert json.loads((tmp_path / "out.jsonl").read_text()) == {
        "id": 12,
        "title": "News",
        "text": TEXT,
        "labels": [
            {"id": 1, "span": [0, 3], "entity_id": "Q7259", "optional": True, "type": "PER"},
            {"id": 4, "span": [4, 12], "entity_id": "<NIL>", "children": [0]},
            {"id": 0, "span": [8, 12], "entity_id": "Q220", "parent": 4},
        ],
        "evaluation_span": [0, 12],
    }


def test_what_is_lost(tmp_path: Path) -> None:
    mentions = (
        Mention(((0, 3),), "PER", ("Q1", "Q2"), {"type": "Q5", "confidence": "low"}),
        Mention(((8, 12),), "LOC"),
    )
    losses = written("elevant", [passage(*mentions, name="news", title="A", author="B")], tmp_path)
    assert told(losses) == [
        "x: not written: the name of a document, which is a number in ELEVANT: it is written as the title: 1 (news)",
        "x: not written: the attribute 'title' of documents: 1 (news)",
        "x: not written: the attribute 'author' of documents: 1 (news)",
        "x: not written: 'confidence' of spans: 1 (news)",
        "x: not written: further ids of a span, after the first: 1 (news)",
        "x: not written: that a span is not linked: it is written as linked to nothing (NIL): 1 (news)",
        "x: not written: the label of a span that has a type too: 1 (news)",
        f"x: not written: {TYPED}: 1 (news)",
    ]
    found = json.loads((tmp_path / "out.jsonl").read_text())
    assert (found["id"], found["title"]) == (0, "news")
    assert [label["entity_id"] for label in found["labels"]] == ["Q1", "<NIL>"]


def test_mentions_have_no_labels(tmp_path: Path) -> None:
    mention = Mention(((0, 3),), "PER", ("Q1",), {"type": "Q5"})
    assert told(written("elevant", [passage(mention)], tmp_path, annotations="mentions")) == [
        "x: not written: 'type' of spans: 1 (0)",
        "x: not written: the label of a span: mentions have none: 1 (0)",
    ]


def test_spans_in_pieces_are_refused(tmp_path: Path) -> None:
    mention = Mention(((0, 3), (8, 12)), "PER", ("Q1",))
    with pytest.raises(WriteError) as caught:
        written("elevant", [passage(mention)], tmp_path)
    assert str(caught.value) == (
        "the span 0:12 of document '0' is in 2 pieces\n"
        "  write another format, such as jsonl: spans of ELEVANT are contiguous"
    )


@pytest.mark.parametrize(
    ("path", "annotations"),
    [
        ("gold/kore50.benchmark.jsonl", "labels"),
        ("systems/refined__aida_.kore50.linked_articles.jsonl", "mentions"),
        ("systems/wat.kore50.linked_articles.jsonl", "mentions"),
    ],
)
def test_real_files(path: str, annotations: str, tmp_path: Path) -> None:
    file = shared(f"data/el/elevant/{path}")
    documents = list(list_passages(read_files(file.parent, file.name), Losses()))
    assert not written("elevant", documents, tmp_path, annotations=annotations)
    found = read_back("elevant", tmp_path)
    assert content(found) == content(documents)
    assert [each.attributes for each in found] == [each.attributes for each in documents]
