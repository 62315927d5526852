"""From documents to words with one chunk tag each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comparanda.errors import WriteError
from comparanda.formats.document_writer import Losses, Mention, Passage
from comparanda.formats.word_runs import Run, chunk_tags, fits_in_line, runs_of, sentences_of, words_of

WORDS = ((0, 4), (5, 10), (11, 14), (15, 21))
TEXT = "Anna Smith met Berlin"


def passage(*mentions: Mention, sentences: tuple[int, ...] = (0,)) -> Passage:
    return Passage(name="d", text=TEXT, words=WORDS, sentences=sentences, mentions=mentions)


def refused(function: Callable[..., Any], *arguments: Any) -> str:
    with pytest.raises(WriteError) as caught:
        function(*arguments)
    return str(caught.value)


NAME, PLACE = Mention(((0, 10),), "PER"), Mention(((15, 21),), "LOC")


class TestTags:
    def test_bio_and_bioes(self) -> None:
        assert chunk_tags(passage(NAME, PLACE)) == ["B-PER", "I-PER", "O", "B-LOC"]
        assert chunk_tags(passage(NAME, PLACE), scheme="bioes") == ["B-PER", "E-PER", "O", "S-LOC"]

    def test_spans_of_three_words_and_adjacent_ones(self) -> None:
        long, next_one = Mention(((0, 14),), "X"), Mention(((15, 21),), "X")
        assert chunk_tags(passage(long, next_one)) == ["B-X", "I-X", "I-X", "B-X"]
        assert chunk_tags(passage(long, next_one), scheme="bioes") == ["B-X", "I-X", "E-X", "S-X"]

    def test_some_of_the_spans(self) -> None:
        nested = passage(NAME, Mention(((0, 4),), "FIRST"))
        assert chunk_tags(nested, nested.mentions[:1]) == ["B-PER", "I-PER", "O", "O"]
        assert chunk_tags(nested, nested.mentions[1:]) == ["B-FIRST", "O", "O", "O"]

    def test_nested_spans_are_refused(self) -> None:
        assert refused(chunk_tags, passage(NAME, Mention(((5, 10),), "LAST"))) == (
            "two spans share words, which chunk tags cannot encode\n"
            "  the span 'Anna Smith' (PER, 0:10) of document 'd'\n"
            "  the span 'Smith' (LAST, 5:10) of document 'd'\n"
            "  choose another format: jsonl, conllu, brat"
        )

    def test_the_same_span_twice_is_refused(self) -> None:
        assert refused(chunk_tags, passage(NAME, NAME)).startswith("two spans share words")

    def test_discontinuous_spans_are_refused(self) -> None:
        assert refused(chunk_tags, passage(Mention(((0, 4), (11, 14)), "X"))) == (
            "the span 'Anna met' (X, 0:14) of document 'd' is in 2 pieces, which chunk tags cannot encode\n"
            "  choose another format: jsonl, conllu, brat"
        )

    @pytest.mark.parametrize("label", ["a b", " a", "a\u00a0b", "a\n"])
    def test_labels_with_white_space_are_refused(self, label: str) -> None:
        assert refused(chunk_tags, passage(Mention(((0, 4),), label))) == (
            f"the label {label!r} in document 'd' contains white space, "
            "which chunk tags cannot encode\n  rename the label"
        )


class TestRuns:
    def test_the_words_of_each_piece(self) -> None:
        assert runs_of(passage(NAME, Mention(((0, 4), (11, 21)), "X"))) == [(Run(0, 2),), (Run(0, 1), Run(2, 4))]

    @pytest.mark.parametrize(
        ("begin", "end", "cut"),
        [
            (0, 3, ": it overlaps the words 'Anna'"),
            (1, 10, ": it overlaps the words 'Anna', 'Smith'"),
            (4, 10, ": it overlaps the words 'Smith'"),
            (4, 5, ""),
            (0, 20, ": it overlaps the words 'Anna', 'Smith', 'met', 'Berlin'"),
        ],
    )
    def test_what_does_not_fit_words_is_refused(self, begin: int, end: int, cut: str) -> None:
        assert refused(runs_of, passage(Mention(((begin, end),), "X"))) == (
            f"the span {TEXT[begin:end]!r} (X, {begin}:{end}) of document 'd' "
            f"does not begin and end at word boundaries{cut}\n"
            "  choose a format with offsets, such as jsonl"
        )

    def test_spans_without_length_are_refused(self) -> None:
        assert refused(runs_of, passage(Mention(((5, 5),), "X"))) == (
            "the span '' (X, 5:5) of document 'd' has no length, so it covers no word\n"
            "  choose a format with offsets, such as jsonl"
        )

    def test_long_spans_are_shown_in_part(self) -> None:
        text = "x" * 100
        document = Passage(name="d", text=text, words=((0, 100),), sentences=(0,), mentions=(Mention(((0, 99),), "X"),))
        assert f"the span '{'x' * 39}…' (X, 0:99)" in refused(runs_of, document)


class TestWords:
    def test_the_words(self) -> None:
        assert words_of(passage()) == ["Anna", "Smith", "met", "Berlin"]

    @pytest.mark.parametrize("word", ["\t", "a\tb", "a\nb", "\r", " ", "\u00a0", "\ufeff", "a\0"])
    def test_what_no_column_can_hold_is_refused(self, word: str) -> None:
        document = Passage(name="d", text=f"x{word}", words=((0, 1), (1, 1 + len(word))), sentences=(0,), mentions=())
        assert refused(words_of, document) == (
            f"word 2 of document 'd' is {word!r}, which cannot be written in a column\n"
            "  words in columns must not be blank or contain tabs or line breaks"
        )

    def test_spaces_inside_words_can_stand_between_tabs(self) -> None:
        assert words_of(Passage(name="d", text="1 000", words=((0, 5),), sentences=(0,), mentions=())) == ["1 000"]

    def test_what_stands_in_a_line(self) -> None:
        texts = ["a b", "(x)", "", " a", "a ", "a\nb", "a\tb"]
        assert [fits_in_line(text) for text in texts] == [True, True, False, False, False, False, False]


class TestSentences:
    def test_the_words_of_each(self) -> None:
        assert sentences_of(passage(NAME, sentences=(0, 2, 3)), Losses()) == [Run(0, 2), Run(2, 3), Run(3, 4)]

    def test_a_span_over_their_end_joins_them(self) -> None:
        losses = Losses()
        crossing = Mention(((5, 10), (15, 21)), "X")
        assert sentences_of(passage(crossing, sentences=(0, 1, 2, 3)), losses) == [Run(0, 1), Run(1, 4)]
        assert [(note.what, note.count) for note in losses.notes("x")] == [
            ("not written: ends of sentences inside spans", 2)
        ]

    def test_a_document_without_words_has_none(self) -> None:
        assert sentences_of(Passage(name="d", text="", words=(), sentences=(), mentions=()), Losses()) == []
