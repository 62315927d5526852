"""Columns of words and chunk tags carry flat spans; what they do not is said."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from comparanda.errors import UsageError, WriteError
from comparanda.formats.document_writer import Losses, Mention, Passage, list_passages
from tests.formats.writers.documents import content, random_documents, read_back, read_files, written
from tests.seeds import first_few, seeds
from tests.shared_data import shared

TEXT, WORDS = "Anna Smith met Berlin", ((0, 4), (5, 10), (11, 14), (15, 21))
NAME, PLACE = Mention(((0, 10),), "PER"), Mention(((15, 21),), "LOC")
WNUT = "data/ner/wnut17/gold"
UNER = "data/ner/uner_en_ewt/gold"


def passage(*mentions: Mention, name: str = "d", sentences: tuple[int, ...] = (0,)) -> Passage:
    return Passage(name=name, text=TEXT, words=WORDS, sentences=sentences, mentions=mentions)


def text_and_losses(documents: Iterable[Passage], folder: Path, **options: str) -> tuple[str, list[str]]:
    losses = written("columns", documents, folder, **options)
    return (folder / "out.conll").read_text(encoding="utf-8"), [note.what for note in losses.notes("x")]


def refused(document: Passage, folder: Path) -> str:
    with pytest.raises(WriteError) as caught:
        written("columns", [document], folder)
    return str(caught.value)


@pytest.mark.parametrize("scheme", ["bio", "bioes"])
@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_what_is_written_is_read_back(seed: int, scheme: str, tmp_path: Path) -> None:
    documents = random_documents(random.Random(seed), nested=False, spaces=(" ",))
    assert not written("columns", documents, tmp_path, scheme=scheme)
    assert content(read_back("columns", tmp_path, {"scheme": scheme})) == content(documents)


@pytest.mark.parametrize("seed", range(10))
def test_the_scheme_is_told_from_the_tags(seed: int, tmp_path: Path) -> None:
    documents = random_documents(random.Random(seed), nested=False, spaces=(" ",))
    assert not written("columns", documents, tmp_path, scheme="bioes")
    assert content(read_back("columns", tmp_path)) == content(documents)


def test_the_lines(tmp_path: Path) -> None:
    documents = [passage(NAME, PLACE, sentences=(0, 2)), passage(name="report 7 (b)")]
    assert text_and_losses(documents, tmp_path) == (
        "-DOCSTART- (d)\n\nAnna\tB-PER\nSmith\tI-PER\n\nmet\tO\nBerlin\tB-LOC\n\n"
        "-DOCSTART- (report 7 (b))\n\nAnna\tO\nSmith\tO\nmet\tO\nBerlin\tO\n\n",
        [],
    )
    assert [(each.name, each.sentences) for each in read_back("columns", tmp_path)] == [
        ("d", (0, 2)),
        ("report 7 (b)", (0,)),
    ]


def test_the_scheme_can_be_chosen(tmp_path: Path) -> None:
    text, _ = text_and_losses([passage(NAME, PLACE)], tmp_path, scheme="bioes")
    assert text == "-DOCSTART- (d)\n\nAnna\tB-PER\nSmith\tE-PER\nmet\tO\nBerlin\tS-LOC\n\n"
    with pytest.raises(UsageError, match="invalid scheme='bmes'"):
        text_and_losses([passage()], tmp_path, scheme="bmes")


def test_words_that_look_like_comments_are_words(tmp_path: Path) -> None:
    document = Passage(name="d", text="# newdoc #x", words=((0, 1), (2, 8), (9, 11)), sentences=(0, 2), mentions=())
    text_and_losses([document], tmp_path)
    assert content(read_back("columns", tmp_path)) == content([document])


def test_documents_without_words_are_carried(tmp_path: Path) -> None:
    documents = [
        Passage(name="first", text="", words=(), sentences=(), mentions=()),
        passage(NAME),
        Passage(name="last", text="", words=(), sentences=(), mentions=()),
    ]
    assert not written("columns", documents, tmp_path)
    assert content(read_back("columns", tmp_path)) == content(documents)


def test_what_is_lost_is_said(tmp_path: Path) -> None:
    linked = replace(NAME, ids=("Q1",), attributes={"confidence": "low", "rank": 1})
    document = Passage(
        name="d",
        text=TEXT.replace("met ", "met\n"),
        words=WORDS,
        sentences=(0, 1),
        mentions=(linked, PLACE),
        attributes={"genre": "letter"},
    )
    _, losses = text_and_losses([document], tmp_path)
    assert losses == [
        "not written: white space between words",
        "not written: the attribute 'genre' of documents",
        "not written: ids of spans",
        "not written: 'confidence' of spans",
        "not written: 'rank' of spans",
        "not written: ends of sentences inside spans",
    ]


class TestRefused:
    def test_nested_spans(self, tmp_path: Path) -> None:
        assert refused(passage(NAME, Mention(((5, 10),), "X")), tmp_path).startswith("two spans share words")

    def test_a_word_that_would_begin_a_document(self, tmp_path: Path) -> None:
        assert refused(
            Passage(name="d", text="-DOCSTART-", words=((0, 10),), sentences=(0,), mentions=()), tmp_path
        ) == (
            "the word '-DOCSTART-' of document 'd' would begin a document in a file of columns\n"
            "  choose another format, such as jsonl"
        )

    @pytest.mark.parametrize("name", ["", " a", "a\tb", "a\nb"])
    def test_a_name_that_no_line_can_hold(self, name: str, tmp_path: Path) -> None:
        assert refused(passage(name=name), tmp_path) == (
            f"the document name {name!r} cannot be written in a line of columns\n"
            "  rename the document: line breaks, tabs and surrounding white space are not allowed"
        )


class TestRealFiles:
    @pytest.mark.parametrize(
        ("folder", "file", "lost"),
        first_few(
            1,
            [
                (WNUT, "emerging.test.annotated::columns", 0),
                (UNER, "en_ewt-ud-test.iob2::columns", 0),
            ],
        ),
    )
    @pytest.mark.parametrize("format_name", first_few(1, ["columns", "conllu"]))
    def test_counts_are_the_same(self, folder: str, file: str, lost: int, format_name: str, *, tmp_path: Path) -> None:
        given = list(list_passages(read_files(shared(folder), file), Losses()))
        assert len(list(written(format_name, given, tmp_path).notes("x"))) == lost
        found = read_back(format_name, tmp_path)
        assert Counter(one.label for each in found for one in each.mentions) == Counter(
            one.label for each in given for one in each.mentions
        )
        assert [(each.name, each.text, each.sentences) for each in found] == [
            (each.name, each.text, each.sentences) for each in given
        ]
        assert [[(one.pieces, one.label) for one in each.mentions] for each in found] == [
            [(one.pieces, one.label) for one in each.mentions] for each in given
        ]
