"""CoNLL-U with brackets carries texts, nested, crossing and discontinuous spans, ids and what is said of them."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from comparanda.errors import WriteError
from comparanda.formats.document_writer import Losses, Mention, Passage, list_passages
from tests.formats.writers.documents import LABELS, content, random_documents, read_back, read_files, written
from tests.seeds import seeds
from tests.shared_data import shared

SAID: dict[str, tuple[str | float | bool, ...]] = {
    "confidence": ("low", "very high", "50 %"),
    "head": ("1", "2-3"),
    "probability": (0.25, 0.5),
}
AWKWARD = (*LABELS, "a|b", "(c)", "d e", "f=g,h", "[1/2]", "100%", "&#45;", "_")


def unchained(documents: Iterable[Passage]) -> list[Passage]:
    """Return documents without the entities that every span of this format has."""
    return [
        replace(
            each,
            mentions=tuple(
                replace(one, attributes={name: value for name, value in one.attributes.items() if name != "chain"})
                for one in each.mentions
            ),
        )
        for each in documents
    ]


def passage(text: str, *mentions: Mention, name: str = "d", sentences: tuple[int, ...] = (0,)) -> Passage:
    """Make a document whose words stand between spaces."""
    words, place = [], 0
    for word in text.split():
        begin = text.index(word, place)
        place = begin + len(word)
        words.append((begin, place))
    return Passage(name=name, text=text, words=tuple(words), sentences=sentences, mentions=mentions)


def lines(documents: Iterable[Passage], folder: Path) -> tuple[list[str], list[str]]:
    """The lines written and the losses."""
    losses = written("conllu", documents, folder)
    return (folder / "out.conllu").read_text(encoding="utf-8").splitlines(), [note.what for note in losses.notes("x")]


def refused(document: Passage, folder: Path) -> str:
    with pytest.raises(WriteError) as caught:
        written("conllu", [document], folder)
    return str(caught.value)


@pytest.mark.parametrize("seed", seeds(10, of=40))
def test_what_is_written_is_read_back(seed: int, tmp_path: Path) -> None:
    spaces = (" ", " ", "", "\n", "  ", "\t", "\u00a0", "\r\n")
    documents = random_documents(
        random.Random(seed),
        pieces=True,
        ids=3,
        labels=AWKWARD,
        attributes=SAID,
        spaces=spaces,
        words=("a", "Łódź", "a-b", "#", "|"),
    )
    assert not written("conllu", documents, tmp_path)
    assert content(unchained(read_back("conllu", tmp_path))) == content(documents)


@pytest.mark.parametrize("seed", seeds(10, of=40))
def test_chains_are_read_back(seed: int, tmp_path: Path) -> None:
    chains = ("1", "e2", "a-b", "(x)", "y[1/2]")
    documents = random_documents(random.Random(seed), pieces=True, attributes={"chain": chains})
    losses = written("conllu", documents, tmp_path)
    found = read_back("conllu", tmp_path)
    assert content(unchained(found)) == content(unchained(documents))
    back = {(each.name, one.pieces, one.label): one.attributes["chain"] for each in found for one in each.mentions}
    changed = [
        one
        for each in documents
        for one in each.mentions
        if "chain" in one.attributes and back[each.name, one.pieces, one.label] != one.attributes["chain"]
    ]
    assert len(changed) == sum(note.count for note in losses.notes("x"))


def test_the_lines(tmp_path: Path) -> None:
    document = passage(
        "Anna Smith met\nher.",
        Mention(((0, 10),), "person", ("Q1", "Q_2"), {"chain": "e7"}),
        Mention(((5, 10),), "name"),
        Mention(((0, 4), (11, 14)), "odd"),
    )
    document = replace(document, words=((0, 4), (5, 10), (11, 14), (15, 18), (18, 19)), attributes={"genre": "letter"})
    assert lines([document], tmp_path) == (
        [
            "# newdoc id = d",
            "# global.Entity = eid-etype-identity",
            "# meta::genre = letter",
            "# sent_id = d-1",
            "# text = Anna Smith met her.",
            "1\tAnna\t_\t_\t_\t_\t_\t_\t_\tEntity=(e7-person-Q1,Q_2(e2[1/2]-odd)",
            "2\tSmith\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-name)e7)",
            "3\tmet\t_\t_\t_\t_\t_\t_\t_\tEntity=(e2[2/2]-odd)|SpacesAfter=\\n",
            "4\ther\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No",
            "5\t.\t_\t_\t_\t_\t_\t_\t_\t_",
            "",
        ],
        [],
    )


def test_white_space_around_a_text_is_carried(tmp_path: Path) -> None:
    document = passage(" \n a  b \t")
    assert not written("conllu", [document, passage("c", name="e")], tmp_path)
    assert [each.text for each in read_back("conllu", tmp_path)] == [" \n a  b \t", "c"]


def test_documents_without_words_are_carried(tmp_path: Path) -> None:
    documents = [
        Passage(name="first", text="", words=(), sentences=(), mentions=()),
        passage(" a"),
        Passage(name="last", text="", words=(), sentences=(), mentions=()),
    ]
    assert not written("conllu", documents, tmp_path)
    assert content(read_back("conllu", tmp_path)) == content(documents)


def test_sentences_are_joined_where_a_span_crosses_their_ends(tmp_path: Path) -> None:
    document = passage("a b c d", Mention(((0, 3),), "X"), sentences=(0, 1, 3))
    text, losses = lines([document], tmp_path)
    assert [line for line in text if line.startswith("# text")] == ["# text = a b c", "# text = d"]
    assert losses == ["not written: ends of sentences inside spans"]
    (found,) = read_back("conllu", tmp_path)
    assert found.sentences == (0, 3)


class TestLosses:
    def test_crossing_spans_of_one_chain(self, tmp_path: Path) -> None:
        document = passage(
            "a b c d",
            Mention(((0, 5),), "X", None, {"chain": "1"}),
            Mention(((2, 7),), "Y", None, {"chain": "1"}),
            Mention(((2, 5),), "Z", None, {"chain": "1"}),
        )
        text, losses = lines([document], tmp_path)
        assert [line.split("\t")[9] for line in text if "\t" in line] == [
            "Entity=(1-X",
            "Entity=(e1-Y(1-Z",
            "Entity=1)1)",
            "Entity=e1)",
        ]
        assert losses == ["not written: chains of spans that cross another span of their chain"]

    def test_discontinuous_spans_of_one_chain_among_each_other(self, tmp_path: Path) -> None:
        said = {"chain": "1"}
        first = Mention(((0, 1), (4, 5)), "X", None, said)
        second = Mention(((2, 3), (6, 7)), "Y", None, said)
        _, losses = lines([passage("a b c d", first, second)], tmp_path)
        assert losses == ["not written: chains of spans that cross another span of their chain"]
        (found,) = read_back("conllu", tmp_path)
        assert content(unchained([found])) == content(unchained([passage("a b c d", first, second)]))

    def test_cuts_where_pieces_follow_each_other(self, tmp_path: Path) -> None:
        _, losses = lines([passage("a b", Mention(((0, 1), (2, 3)), "X"))], tmp_path)
        assert losses == ["not written: boundaries between adjacent pieces of spans"]
        ((mention,),) = (each.mentions for each in read_back("conllu", tmp_path))
        assert mention.pieces == ((0, 3),)

    def test_what_is_no_text_and_what_is_no_field(self, tmp_path: Path) -> None:
        said: dict[str, str | float | bool] = {"sure": True, "etype": "x", "two words": "y", "empty": "", "rank": 2}
        text, losses = lines([passage("a", Mention(((0, 1),), "X", None, said))], tmp_path)
        assert text[1] == "# global.Entity = eid-etype-sure-empty-rank"
        assert text[4].endswith("Entity=(e1-X-true--2)")
        assert losses == [
            "not written: 'etype' of spans, whose name is not valid for a field of brackets",
            "not written: 'two words' of spans, whose name is not valid for a field of brackets",
            "not written: the type of 'sure' of spans, which is not a string",
            "not written: empty 'empty' of spans",
            "not written: the type of 'rank' of spans, which is not a string",
        ]

    def test_attributes_that_no_line_can_hold(self, tmp_path: Path) -> None:
        document = replace(passage("a"), attributes={"a=b": "c", "d": "e\nf", "g": ""})
        text, losses = lines([document], tmp_path)
        assert text[2] == "# meta::g = "
        assert losses == [
            "not written: the attribute 'a=b' of documents, which cannot be written in a line",
            "not written: the attribute 'd' of documents, which cannot be written in a line",
        ]

    def test_spaces_inside_words(self, tmp_path: Path) -> None:
        document = Passage(name="d", text="1 000  Mark", words=((0, 5), (7, 11)), sentences=(0,), mentions=())
        assert lines([document], tmp_path)[1] == ["not written: white space of texts with spaces inside words"]
        document = Passage(
            name="d", text="1 000 Mark", words=((0, 5), (6, 10)), sentences=(0,), mentions=(Mention(((6, 10),), "X"),)
        )
        assert lines([document], tmp_path)[1] == []
        assert content(unchained(read_back("conllu", tmp_path))) == content([document])

    def test_texts_of_white_space_alone(self, tmp_path: Path) -> None:
        _, losses = lines(
            [Passage(name="blank", text=" \n", words=(), sentences=(), mentions=()), passage("a")], tmp_path
        )
        assert losses == ["not written: texts of only white space"]
        assert [each.text for each in read_back("conllu", tmp_path)] == ["", "a"]


class TestRefused:
    def test_a_span_inside_a_word(self, tmp_path: Path) -> None:
        assert refused(passage("Annas Hut", Mention(((0, 4),), "PER")), tmp_path) == (
            "the span 'Anna' (PER, 0:4) of document 'd' does not begin and end at word boundaries: "
            "it overlaps the words 'Annas'\n"
            "  choose a format with offsets, such as jsonl"
        )

    def test_a_name_of_two_lines(self, tmp_path: Path) -> None:
        assert refused(passage("a", name="d\ne"), tmp_path) == (
            "the document name 'd\\ne' cannot be written in a line of CoNLL-U\n"
            "  rename the document: line breaks, tabs and surrounding white space are not allowed"
        )


@pytest.mark.slow
def test_gum_is_written_and_read_back(tmp_path: Path) -> None:
    corpus = read_files(shared("data/coref/gum/gold"), "conllu")
    losses = Losses()
    documents = list(list_passages(corpus, losses))
    assert not losses
    assert not written("conllu", documents, tmp_path)
    found = read_back("conllu", tmp_path)
    assert content(found) == content(documents)
    assert [each.sentences for each in found] == [each.sentences for each in documents]
    assert [each.words for each in found] == [each.words for each in documents]
    assert [each.attributes for each in found] == [each.attributes for each in documents]
