"""What becomes of mentions in formats that have texts, and no words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from comparanda.formats.document_writer import Losses, Passage
from comparanda.formats.word_runs import without_words
from tests.formats.writers.chained import document, mention

LOST = "not written: {!r} of spans that readers of the text will tokenise differently"


def heads(passage: Passage) -> tuple[list[object], list[str]]:
    """Return the heads of mentions in a format without words, and what is lost."""
    losses = Losses()
    found = without_words(passage, losses)
    return [each.attributes.get("head") for each in found.mentions], [note.what for note in losses.notes("x")]


def test_numbers_of_words_are_kept_where_the_text_is_cut_into_these() -> None:
    passage = document("a b-c d e", mention(0, 1, head=1), mention(6, 9, head=2))
    assert heads(passage) == ([1, 2], [])


@pytest.mark.parametrize("places", [(0, 5), (2, 5), (0, 1, 2, 5)])
def test_they_are_lost_where_it_is_not(places: tuple[int, ...]) -> None:
    """The text is cut into a, b, -, c: the second word of a mention is another one."""
    passage = document("a b-c", mention(*places, head=1), mention(0, 1, head=1))
    assert heads(passage) == ([None, 1], [LOST.format("head")])


def test_a_minimal_span_is_one_of_numbers_of_words() -> None:
    passage = document("a b-c", mention(0, 5, chain="1", minspan="2,3"))
    losses = Losses()
    assert without_words(passage, losses).mentions[0].attributes == {"chain": "1"}
    assert [note.what for note in losses.notes("x")] == [LOST.format("minspan")]


def test_spans_that_are_no_mentions_stay_as_they_are() -> None:
    passage = replace(document("a b-c", mention(0, 5, head="2")), chained=False)
    assert heads(passage) == (["2"], [])
