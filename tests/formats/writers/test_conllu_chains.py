"""CoNLL-U carries chains of mentions, with their heads, and those of empty nodes."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from comparanda.errors import WriteError
from comparanda.formats.document_writer import Mention, Passage
from tests.formats.writers.chained import (
    chains,
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

CROSSING = "chains of spans that cross another span of their chain"
SENTENCES = "ends of sentences inside spans"
KEPT = "the order of chains that share a mention"
NODES = "numbers of empty nodes that CoNLL-U does not allow there"


def lines(documents: Iterable[Passage], folder: Path) -> list[tuple[str, str]]:
    """Write documents; return the numbers of the lines and what MISC says."""
    text = written("conllu", documents, folder).read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if "\t" in line]
    return [(row[0], row[9]) for row in rows]


def test_a_document_as_it_is_written(tmp_path: Path) -> None:
    passage = document(
        "Anna left . Came home",
        mention(0, 4, chain="x", head=1),
        mention(10, 10, chain="x", zero=1),
        mention(12, 12, chain="x", zero=1_000_001),
        mention(12, 21, head=2),
        sentences=(0, 3),
    )
    passage = replace(passage, tags={"upos": ("PROPN", "VERB", "PUNCT", "VERB", "ADV")})
    assert written("conllu", [passage], tmp_path).read_text() == (
        "# newdoc id = d\n"
        "# global.Entity = eid-etype-head\n"
        "# sent_id = d-1\n"
        "# text = Anna left .\n"
        "1\tAnna\t_\tPROPN\t_\t_\t_\t_\t_\tEntity=(x--1)\n"
        "2\tleft\t_\tVERB\t_\t_\t_\t_\t_\t_\n"
        "2.1\t_\t_\t_\t_\t_\t_\t_\t_\tEntity=(x)\n"
        "3\t.\t_\tPUNCT\t_\t_\t_\t_\t_\t_\n"
        "\n"
        "# sent_id = d-2\n"
        "# text = Came home\n"
        "0.1\t_\t_\t_\t_\t_\t_\t_\t_\tEntity=(x)\n"
        "1\tCame\t_\tVERB\t_\t_\t_\t_\t_\tEntity=(e1--2\n"
        "2\thome\t_\tADV\t_\t_\t_\t_\t_\tEntity=e1)\n"
        "\n"
    )
    (found,), losses = there_and_back("conllu", [passage], tmp_path)
    assert (chains(found), losses) == (chains(passage), [])
    assert found.tags == passage.tags
    assert [each.attributes.get("head") for each in found.mentions] == [1, None, None, 2]


@pytest.mark.parametrize("seed", seeds(8, of=25))
def test_what_is_written_is_read_back(seed: int, tmp_path: Path) -> None:
    documents = random_chains(random.Random(seed), pieces=True, zeros=True, names=("1", "e1", "(x)"))
    found, losses = there_and_back("conllu", documents, tmp_path)
    assert {*losses} <= {CROSSING, SENTENCES, KEPT}
    assert (content(found) == content(documents)) is (CROSSING not in losses)
    if not {CROSSING, KEPT} & {*losses}:
        assert [*map(kept_once, found)] == [*map(kept_once, documents)]


def test_names_that_several_documents_have_are_those_of_documents(tmp_path: Path) -> None:
    one, two = (document("a b", mention(0, 1, chain="1"), mention(2, 3, chain="1"), name=name) for name in "xy")
    own = replace(two, mentions=(mention(0, 3, chain="2"),))
    assert "# global.Entity = GRP-etype\n" in written("conllu", [one, two], tmp_path).read_text()
    assert "# global.Entity = eid-etype\n" in written("conllu", [one, own], tmp_path).read_text()
    found, losses = there_and_back("conllu", [one, two], tmp_path)
    assert (content(found), losses) == (content([one, two]), [])
    assert [each.attributes["chain"] for passage in found for each in passage.mentions] == ["1", "1", "1", "1"]


class TestEmptyNodes:
    def test_several_mentions_on_one_and_several_at_one_place(self, tmp_path: Path) -> None:
        passage = document(
            "a b",
            mention(2, 2, chain="1", zero=2),
            mention(2, 2, chain="2", zero=2),
            mention(2, 2, chain="1", zero=1),
            mention(3, 3, chain="1", zero=2),
        )
        assert lines([passage], tmp_path) == [
            ("1", "_"),
            ("1.1", "Entity=(1)"),
            ("1.2", "Entity=(1)(2)"),
            ("2", "_"),
            ("2.1", "_"),
            ("2.2", "Entity=(1)"),
        ]
        (found,), losses = there_and_back("conllu", [passage], tmp_path)
        assert (chains(found), losses) == (chains(passage), [])

    def test_inside_a_mention_they_count_for_its_head(self, tmp_path: Path) -> None:
        """CorefUD numbers all lines of a mention; a head is the number of a word."""
        passage = document(
            "a b c d e",
            mention(0, 3, 6, 9, chain="1", head=3),
            mention(0, 9, chain="2", head=2),
            mention(2, 2, chain="3", zero=2),
            mention(8, 8, chain="3", zero=1),
        )
        assert lines([passage], tmp_path) == [
            ("1", "Entity=(2--4(1[1/2]--5"),
            ("1.1", "_"),
            ("1.2", "Entity=(3)"),
            ("2", "Entity=1[1/2])"),
            ("3", "_"),
            ("4", "Entity=(1[2/2]--5"),
            ("4.1", "Entity=(3)"),
            ("5", "Entity=1[2/2])2)"),
        ]
        (found,), losses = there_and_back("conllu", [passage], tmp_path)
        assert (chains(found), losses) == (chains(passage), [])
        heads = {each.attributes["chain"]: each.attributes.get("head") for each in found.mentions}
        assert heads == {"1": 3, "2": 2, "3": None}

    @pytest.mark.parametrize(
        ("place", "zero", "line"),
        [(0, 1, "0.1"), (2, 1_000_001, "1.1"), (2, 1_000, "1.1"), (2, 0, "1.1"), (3, 2_000_000, "2.1")],
    )
    def test_numbers_that_no_line_can_have(self, place: int, zero: int, line: str, tmp_path: Path) -> None:
        passage = document("a b", mention(place, place, chain="1", zero=zero), mention(0, 3, chain="1"))
        assert losses_of("conllu", [passage], tmp_path) == [NODES]
        assert (line, "Entity=(1)") in lines([passage], tmp_path)

    def test_they_stand_behind_those_that_keep_their_numbers(self, tmp_path: Path) -> None:
        passage = document("a b", mention(2, 2, chain="1"), mention(2, 2, chain="2", zero=1))
        assert lines([passage], tmp_path) == [("1", "_"), ("1.1", "Entity=(2)"), ("1.2", "Entity=(1)"), ("2", "_")]

    def test_where_sentences_are_joined_none_begins_one(self, tmp_path: Path) -> None:
        passage = document("a b", mention(0, 3), mention(2, 2, chain="1", zero=1_000_001), sentences=(0, 1))
        assert losses_of("conllu", [passage], tmp_path) == [NODES, SENTENCES]
        assert ("1.1", "Entity=(1)") in lines([passage], tmp_path)

    @pytest.mark.parametrize("text", ["", "abc"])
    def test_none_stands_inside_a_word_or_without_one(self, text: str, tmp_path: Path) -> None:
        place = len(text) // 2
        with pytest.raises(WriteError, match="has no length, so it covers no word"):
            written("conllu", [document(text, mention(place, place, chain="1", zero=1))], tmp_path)

    def test_spans_that_are_no_mentions_need_words(self, tmp_path: Path) -> None:
        passage = replace(document("a", mention(0, 0, zero=1)), chained=False)
        with pytest.raises(WriteError, match="has no length, so it covers no word"):
            written("conllu", [passage], tmp_path)


class TestLosses:
    @pytest.mark.parametrize("head", [0, 3, "1", 1.5])
    def test_heads_that_are_no_word_of_the_mention(self, head: float | str, tmp_path: Path) -> None:
        passage = document("a b", mention(0, 3, chain="1", head=head))
        assert losses_of("conllu", [passage], tmp_path) == ["'head' of spans that is not one of their words"]
        assert lines([passage], tmp_path) == [("1", "Entity=(1"), ("2", "Entity=1)")]

    def test_another_chain_would_keep_a_mention_of_two(self, tmp_path: Path) -> None:
        passage = document("a b", mention(2, 3, chain="1"), mention(0, 1, chain="2"), mention(2, 3, chain="2"))
        assert losses_of("conllu", [passage], tmp_path) == [KEPT]
        assert losses_of("conllu", [replace(passage, chained=False)], tmp_path) == []


def test_a_label_is_written_and_none_is_not(tmp_path: Path) -> None:
    passage = document("a b", Mention(((0, 1),), "person", None, {"chain": "1"}), mention(2, 3, chain="1"))
    assert lines([passage], tmp_path) == [("1", "Entity=(1-person)"), ("2", "Entity=(1)")]
    assert lines([replace(passage, chained=False)], tmp_path)[1] == ("2", "Entity=(1-ENTITY)")


@pytest.mark.parametrize("seed", seeds(3, of=10))
def test_udapi_reads_the_same_chains(seed: int, tmp_path: Path) -> None:
    """It does without discontinuous mentions here: those without a head are too much for it."""
    udapi = pytest.importorskip("udapi.core.document")
    documents = random_chains(random.Random(seed), names=("1", "2"))
    path = written("conllu", documents, tmp_path)
    found, _ = there_and_back("conllu", documents, tmp_path / "again")
    expected = sorted(
        sorted((each.name, begin, end) for begin, end, _ in chain) for each in found for chain in chains(each)
    )
    read = udapi.Document()
    read.from_conllu_string(path.read_text(encoding="utf-8"))
    assert expected == sorted(_of_udapi(read, found))


def _of_udapi(read: object, documents: Iterable[Passage]) -> list[list[tuple[str, int, int]]]:
    """Return the chains of a document of udapi, its words found in ours by their order."""
    places = [(each.name, *extent) for each in documents for extent in each.words]
    order = {id(node): place for node, place in zip(read.nodes, places, strict=True)}  # type: ignore[attr-defined]
    return [
        sorted(
            (order[id(one.words[0])][0], order[id(one.words[0])][1], order[id(one.words[-1])][2])
            for one in entity.mentions
        )
        for entity in read.coref_entities  # type: ignore[attr-defined]
    ]
