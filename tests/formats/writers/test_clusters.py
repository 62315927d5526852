"""JSON lines with clusters carry words, their tags, and chains of mentions in one piece each."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from comparanda.formats.document_writer import Mention
from tests.formats.writers.chained import (
    content,
    document,
    kept_once,
    losses_of,
    mention,
    random_chains,
    there_and_back,
    written,
)
from tests.seeds import seeds

SHARED = "names of chains, which several documents share"


def test_a_document_as_it_is_written(tmp_path: Path) -> None:
    passage = document(
        "Anna told Bo that she left .",
        mention(18, 21, chain="x"),
        mention(10, 12),
        mention(0, 4, chain="x"),
        mention(5, 26, chain="7"),
        name="a b; part 3",
        sentences=(0, 6),
    )
    passage = replace(
        passage,
        tags={"xpos": ("NNP", "VBD", "NNP", "IN", "PRP", "VBD", ".")},
        attributes={"genre": "news"},
    )
    assert json.loads(written("clusters", [passage], tmp_path).read_text()) == {
        "doc_key": "a b; part 3",
        "genre": "news",
        "sentences": [["Anna", "told", "Bo", "that", "she", "left"], ["."]],
        "xpos": [["NNP", "VBD", "NNP", "IN", "PRP", "VBD"], ["."]],
        "clusters": [[[4, 4], [0, 0]], [[2, 2]], [[1, 5]]],
    }
    (found,), losses = there_and_back("clusters", [passage], tmp_path)
    assert (content([found]), losses) == (content([passage]), [])
    assert (found.sentences, found.tags, found.attributes) == (passage.sentences, passage.tags, passage.attributes)


@pytest.mark.parametrize("seed", seeds(8, of=25))
def test_what_is_written_is_read_back(seed: int, tmp_path: Path) -> None:
    documents = random_chains(random.Random(seed))
    found, losses = there_and_back("clusters", documents, tmp_path)
    assert {*losses} <= {SHARED}
    assert content(found) == content(documents)
    assert [*map(kept_once, found)] == [*map(kept_once, documents)]
    assert [each.sentences for each in found] == [each.sentences for each in documents]


def test_documents_without_words_and_without_mentions(tmp_path: Path) -> None:
    documents = [document("", name="first"), document("a"), document("", name="last")]
    found, losses = there_and_back("clusters", documents, tmp_path)
    assert (content(found), losses) == (content(documents), [])


class TestLosses:
    def test_names_that_several_documents_share(self, tmp_path: Path) -> None:
        one, two, three = (document("a", mention(0, 1, chain=name), name=name * 2) for name in "xyz")
        assert losses_of("clusters", [one, two, three], tmp_path) == []
        again = replace(three, mentions=one.mentions)
        assert losses_of("clusters", [one, two, again], tmp_path) == [SHARED]

    def test_gaps_and_mentions_of_no_words(self, tmp_path: Path) -> None:
        passage = document("a b c", mention(0, 1, 4, 5, chain="1"), mention(2, 2, chain="1", zero=1))
        assert losses_of("clusters", [passage], tmp_path) == [
            "the gaps of discontinuous spans: they are written as contiguous spans",
            "mentions without words, such as zeros",
        ]
        assert json.loads((tmp_path / "out.jsonlines").read_text())["clusters"] == [[[0, 2]]]

    def test_what_else_is_known(self, tmp_path: Path) -> None:
        linked = Mention(((0, 1),), "person", ("Q1",), {"chain": "1", "head": 1})
        passage = replace(document("a b", linked), text="a  b", words=((0, 1), (3, 4)))
        passage = replace(passage, attributes={"text": "x", "genre": ""})
        assert losses_of("clusters", [passage], tmp_path) == [
            "white space of the text: words are in lists",
            "the attribute 'genre' of documents where it is empty",
            "the attribute 'text' of documents, whose name is reserved",
            "labels of spans",
            "ids of spans",
            "'head' of spans",
        ]
