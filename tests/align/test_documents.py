"""Alignment maps rows; it never rewrites, and it says what it met."""

from __future__ import annotations

import pytest

import comparanda as cp
from comparanda import AlignError
from comparanda.align import NONE, align_responses
from tests.align.shown import notes, pairs, refusal, to_response
from tests.tasks.corpora import corpus
from tests.tasks.udeval import counts, cut, laid, official

KEY = corpus("key", [[("a", "A"), ("b", "B")], [("c", "C")]], [[("d", "A"), ("e", "B")]])


def test_equal_rows_are_the_identity() -> None:
    aligned = align_responses(KEY, [corpus("x", [[("a", "X"), ("b", "X")], [("c", "X")]], [[("d", "X"), ("e", "X")]])])
    assert aligned.maps[0].identity
    assert (notes(aligned), aligned.kept, aligned.segments) == ([], None, (None,))


def test_documents_are_matched_by_name_in_any_order() -> None:
    turned = corpus("x", [[("d", "A"), ("e", "B")]], [[("a", "A"), ("b", "B")], [("c", "C")]], names=["d1", "d0"])
    aligned = align_responses(KEY, [turned])
    assert to_response(aligned) == [2, 3, 4, 0, 1]
    assert aligned.maps[0].to_key is not None
    assert aligned.maps[0].to_key.tolist() == [3, 4, 0, 1, 2]
    assert notes(aligned) == []


def test_documents_in_another_order_may_also_cut_words_otherwise() -> None:
    key = corpus("key", [[("ab", "A"), ("c", "B")]], [[("de", "A"), ("f", "B")]], names=["d0", "d1"])
    turned = corpus("x", [[("d", "A"), ("e", "A"), ("f", "B")]], [[("ab", "A"), ("c", "B")]], names=["d1", "d0"])
    assert to_response(align_responses(key, [turned])) == [3, 4, NONE, 2]


def test_documents_and_sentences_are_the_keys() -> None:
    """A response without document marks and with other sentence cuts is laid over the key."""
    flat = corpus("x", [[("a", "A")], [("b", "B"), ("c", "C"), ("d", "A"), ("e", "B")]], names=None)
    aligned = align_responses(KEY, [flat])
    assert aligned.maps[0].identity
    assert notes(aligned) == ["x: sentence boundaries that differ from the key's, which are used: 3"]


def test_a_response_without_document_marks_may_cut_words_across_documents() -> None:
    flat = corpus("x", [[("a", "A"), ("b", "B"), ("cd", "C"), ("e", "B")]], names=None)
    aligned = align_responses(KEY, [flat])
    assert to_response(aligned) == [0, 1, NONE, NONE, 3]
    assert notes(aligned)[1:] == [
        "x: words tokenised differently from the key: 1 (x.txt:3)",
        "x: words of the key without a counterpart here, counted as wrong: 2 (key.txt:3, key.txt:4)",
    ]


def test_a_marked_response_is_laid_over_an_unmarked_key() -> None:
    key = corpus("key", [[("a", "A"), ("bc", "B")]], names=None)
    marked = corpus("x", [[("a", "A"), ("b", "B")]], [[("c", "C")]])
    assert to_response(align_responses(key, [marked])) == [0, NONE]


def test_other_document_names_are_ignored_where_none_is_the_keys() -> None:
    other = corpus("x", [[("a", "A"), ("b", "B")], [("c", "C")]], [[("d", "A"), ("e\u0301", "B")]], names=["p", "q"])
    key = corpus("key", [[("a", "A"), ("b", "B")], [("c", "C")]], [[("d", "A"), ("\u00e9", "B")]])
    aligned = align_responses(key, [other])
    assert aligned.maps[0].identity
    assert notes(aligned) == [
        "x: words equal only after Unicode normalisation: 1 (x.txt:5)",
        "x: document names not in the key, documents matched in order: 2 (p, q)",
    ]


def test_documents_that_changed_places_are_found_by_name_even_if_all_words_are_equal() -> None:
    key = corpus("key", [[("b", "X")]], [[("b", "Y")]], names=["d1", "d2"])
    turned = corpus("x", [[("b", "Y")]], [[("b", "X")]], names=["d2", "d1"])
    assert to_response(align_responses(key, [turned])) == [1, 0]


def test_a_document_that_begins_elsewhere_does_not_matter_if_the_whole_text_is_the_keys() -> None:
    key = corpus("key", [[("b", "X")], [("b", "Z")]], [[("b", "Y")]], names=["d1", "d2"])
    moved = corpus("x", [[("b", "X")]], [[("b", "Z")], [("b", "Y")]], names=["d1", "d2"])
    aligned = align_responses(key, [moved])
    assert aligned.maps[0].identity
    assert notes(aligned) == ["x: document boundaries that differ from the key's, which are used: 2"]


def test_a_document_that_begins_elsewhere_and_has_another_text_is_refused() -> None:
    key = corpus("key", [[("b", "X")], [("b", "Z")]], [[("b", "Y")]], names=["d1", "d2"])
    moved = corpus("x", [[("b", "X")]], [[("b", "Z")], [("c", "Y")]], names=["d1", "d2"])
    message = refusal(key, moved)
    assert message is not None
    assert message.startswith("x.txt:1: the text differs from the key's (key.txt:2)")
    assert "the end in the system output" in message


def test_words_that_are_cut_across_documents_are_aligned_by_the_whole_text() -> None:
    """Even where both have documents of the same names with equally many words."""
    key = corpus("key", [[("ab", "X")]], [[("c", "Y")]], names=["d1", "d2"])
    moved = corpus("x", [[("a", "X")]], [[("bc", "Y")]], names=["d1", "d2"])
    assert to_response(align_responses(key, [moved])) == [NONE, NONE]


def test_words_are_never_paired_across_the_end_of_a_document() -> None:
    """Even where the evaluation's walk through the words lags behind at the end: each document is a text of its own."""
    key = cut("ca"), cut("xy=a+b")
    for response in ((cut("c a"), cut("xy")), (cut("c a"), cut("x y"))):
        mine, theirs = (
            "".join(f"# newdoc id = d{n}\n{each}" for n, each in enumerate(side)) for side in (key, response)
        )
        aligned = laid(mine, theirs)
        assert pairs(aligned) == []
        for number in (0, 1):
            assert counts(aligned, number) == official(key[number], response[number])


def test_some_documents_of_other_names_are_found_by_their_text() -> None:
    key = corpus("key", [[("b", "X")]], [[("b", "Y")]], names=["d1", "d2"])
    aligned = align_responses(key, [corpus("x", [[("b", "X")]], [[("b", "Y")]], names=["d1", "other"])])
    assert aligned.maps[0].identity
    assert notes(aligned) == ["x: document names not in the key, documents matched in order: 1 (other)"]


WITHOUT_WORDS = ([[("", "A"), ("", "B")], [("", "C")]], [[("", "D")], [("", "E"), ("", "F")]])


def test_documents_without_words_may_be_missing_too() -> None:
    key = corpus("key", *WITHOUT_WORDS, names=["d1", "d2"], words=False)
    for first, rows in ((0, [0, 1, 2, NONE, NONE, NONE]), (1, [NONE, NONE, NONE, 0, 1, 2])):
        half = corpus("x", WITHOUT_WORDS[first], names=[f"d{first + 1}"], words=False)
        found = align_responses(key, [half], missing="empty").maps[0].to_response
        assert found is not None
        assert found.tolist() == rows
        with pytest.raises(AlignError, match="1 of the key's documents missing"):
            align_responses(key, [half])


def test_other_sentences_in_a_document_without_words_are_refused_with_both_places() -> None:
    key = corpus("key", *WITHOUT_WORDS, names=["d1", "d2"], words=False)
    other = corpus("x", [[("", "D"), ("", "E")], [("", "F")]], names=["d2"], words=False)
    with pytest.raises(
        AlignError, match=r"^x\.txt:1: sentence 3 ends at a different token than in the key \(key\.txt:4\)"
    ):
        align_responses(key, [other], missing="empty")


@pytest.mark.parametrize("text", ["", " "])
def test_documents_without_words_may_stand_in_another_order(text: str) -> None:
    key = [{"id": name, "text": "", "spans": []} for name in "ab"]
    turned = [{"id": name, "text": text, "spans": []} for name in "ba"]
    (score, *_) = cp.compare(key, {"x": turned}, task="span", resamples=0).scores().scores
    assert (score.measure, score.value) == ("f1", None)
