"""Words are matched row by row where they are the same, else by the characters of the text."""

from __future__ import annotations

import pytest

from comparanda import AlignError
from comparanda.align import NONE, align_responses
from comparanda.core.corpus import Corpus
from tests.align.shown import notes, refusal, to_response
from tests.align.test_documents import KEY
from tests.tasks.corpora import corpus
from tests.tasks.udeval import cut, laid


def flat(name: str, *sentences: str) -> Corpus:
    """Make a corpus without documents of words between spaces."""
    return corpus(name, [[(word, "T") for word in sentence.split()] for sentence in sentences], names=None)


HINT = "give files with the same text; only white space, tokenisation and sentence boundaries may differ"


def test_other_words_are_refused_with_both_places_and_what_stands_around_them() -> None:
    other = corpus("x", [[("a", "A"), ("b", "B")], [("c", "C")]], [[("d", "A"), ("f", "B")]])
    assert refusal(KEY, other) == (
        f"x.txt:5: the text differs from the key's (key.txt:5)\n"
        f"  after 'd': 'e' in the key, 'f' in the system output\n  {HINT}"
    )


def test_other_words_at_the_beginning_are_refused_too() -> None:
    assert refusal(flat("key", "a b c d"), flat("x", "z b c d")) == (
        f"x.txt:1: the text differs from the key's (key.txt:1)\n"
        f"  at the beginning: 'a b c' in the key, 'z b c' in the system output\n  {HINT}"
    )


def test_a_response_that_ends_early_is_refused() -> None:
    assert refusal(flat("key", "a b"), flat("x", "a")) == (
        f"x.txt:1: the text differs from the key's (key.txt:2)\n"
        f"  after 'a': 'b' in the key, the end in the system output\n  {HINT}"
    )


def test_a_response_that_goes_on_is_refused() -> None:
    message = refusal(flat("key", "a b"), flat("x", "a b c"))
    assert message is not None
    assert "after 'a b': the end in the key, 'c' in the system output" in message


def test_no_text_beside_one_with_text_is_refused() -> None:
    nothing, something = corpus("x", [[]], names=None), flat("key", "a b")
    hint = "\n  give files with the same text"
    assert refusal(something, nothing) == f"x.txt: the file contains no text, but the key does (key.txt){hint}"
    assert refusal(nothing, something) == f"key.txt: the file contains text, but the key does not (x.txt){hint}"


def test_the_difference_may_stand_inside_words_that_are_cut_otherwise() -> None:
    assert refusal(flat("key", "x abcdef y"), flat("x", "x ab cdeg y")) == (
        f"x.txt:2: the text differs from the key's (key.txt:2)\n"
        f"  after 'x': 'abcdef y' in the key, 'ab cdeg y' in the system output\n  {HINT}"
    )


def test_case_is_part_of_the_text() -> None:
    assert refusal(flat("key", "The end"), flat("x", "the end")) is not None


def test_text_is_compared_over_the_ends_of_words_and_sentences() -> None:
    aligned = align_responses(flat("key", "ab c", "d"), [flat("x", "a", "bc d")])
    assert to_response(aligned) == [NONE, NONE, 2]
    assert notes(aligned) == [
        "x: sentence boundaries that differ from the key's, which are used: 2",
        "x: words tokenised differently from the key: 2 (x.txt:1, x.txt:2)",
        "x: words of the key without a counterpart here, counted as wrong: 2 (key.txt:1, key.txt:2)",
    ]


def test_other_tokens_are_aligned_by_their_characters() -> None:
    aligned = align_responses(flat("key", "U.S. x"), [flat("x", "U.S . x")])
    assert to_response(aligned) == [NONE, 2]
    row_map = aligned.maps[0]
    assert row_map.to_key is not None
    assert row_map.to_key.tolist() == [NONE, NONE, 1]
    assert row_map.surplus is not None
    surplus = row_map.surplus
    places = zip(surplus.rows.tolist(), surplus.near.tolist(), surplus.begin, surplus.end, strict=True)
    assert list(places) == [(0, 0, 0, 3), (1, 0, 3, 4)]  # 'U.S' and '.' of 'U.S.'


def test_unicode_normalisation_is_tried_where_texts_differ() -> None:
    aligned = align_responses(flat("key", "caf\u00e9 x"), [flat("x", "cafe\u0301 x")])
    assert aligned.maps[0].identity
    assert notes(aligned) == ["x: words equal only after Unicode normalisation: 1 (x.txt:1)"]


def test_normalisation_and_other_cuts_go_together() -> None:
    aligned = align_responses(flat("key", "\u00e9 ab"), [flat("x", "e\u0301 a b")])
    assert to_response(aligned) == [0, NONE]


def test_a_word_without_characters_has_no_place_in_a_text() -> None:
    blank = corpus("x", [[("a", "T"), ("\u00a0", "T"), ("b", "T")]], names=None)
    aligned = align_responses(flat("key", "a b"), [blank])
    assert to_response(aligned) == [0, 2]
    assert notes(aligned) == ["x: words tokenised differently from the key: 1 (x.txt:2)"]
    assert aligned.maps[0].near(3).tolist() == [0, 1, 1]
    assert to_response(align_responses(blank, [flat("y", "a b")])) == [0, NONE, 1]


def test_a_word_without_characters_at_the_end_of_a_document_stays_in_it() -> None:
    key = corpus("key", [[("a", "T")]], [[("b", "T")]])
    blank = corpus("x", [[("a", "T"), ("\u00a0", "T")]], [[("b", "T")]])
    aligned = align_responses(key, [blank])
    assert to_response(aligned) == [0, 2]
    assert aligned.maps[0].near(3).tolist() == [0, 0, 1]


# Tokens and sentences that both sides have


def segments(key: str, response: str) -> tuple[list[int], list[int], list[int]] | None:
    found = laid(key, response).segments[0]
    return None if found is None else (found.tokens.tolist(), found.token_rows.tolist(), found.sentences.tolist())


def test_equal_words_and_ranges_and_sentences_need_no_comparison() -> None:
    assert segments(cut("a b") + cut("c"), cut("a b") + cut("c")) is None
    assert segments(cut("ab=a+b c"), cut("ab=a+b c")) is None


def test_tokens_and_sentences_are_compared_where_words_are_equal() -> None:
    assert segments(cut("ab=a+b c"), cut("a bc=b+c")) == ([], [0, 1], [0])
    assert segments(cut("a b") + cut("c"), cut("a b c")) == ([0, 1, 2], [0, 1, 2], [])
    assert segments(cut("ab=a+b") + cut("c"), cut("ab=a+b c")) == ([0, 2], [0, 2], [])


def test_tokens_and_sentences_are_compared_by_characters_where_words_differ() -> None:
    assert segments(cut("ab=x+y c") + cut("d"), cut("ab c") + cut("d")) == ([0, 2, 3], [0, 1, 2], [0, 1])
    assert segments(cut("ab c") + cut("d") + cut("e"), cut("a b c") + cut("d e")) == ([1, 2, 3], [0, 1, 2, 3, 4], [0])


# Rows without words


def test_rows_without_words_are_matched_by_number_if_sentences_agree() -> None:
    key = corpus("key", [[("a", "A"), ("b", "B")], [("c", "C")]], words=False)
    same = corpus("x", [[("", "A"), ("", "B")], [("", "C")]], words=False)
    assert notes(align_responses(key, [same])) == ["x: rows without words, matched by their number alone: 3"]
    other = corpus("x", [[("", "A")], [("", "B"), ("", "C")]], words=False)
    with pytest.raises(AlignError, match="sentence 1 ends at a different token than in the key"):
        align_responses(key, [other])


def test_rows_without_words_must_be_equally_many() -> None:
    key = corpus("key", [[("", "A"), ("", "B")]], words=False, names=None)
    for response, longer in ((1, "key"), (3, "system output")):
        other = corpus("x", [[("", "A")] * response], words=False, names=None)
        message = refusal(key, other)
        assert message is not None
        assert f"{response} tokens, but the key has 2" in message
        assert f"the {longer} continues at" in message


def test_white_space_alone_may_begin_a_sentence() -> None:
    words = [["a", "b"], ["\u00a0", "c"], ["\u3000"]]
    blank = corpus("x", [[(word, "T") for word in sentence] for sentence in words], names=None)
    found = align_responses(flat("key", "a b", "c"), [blank])
    (segments,) = found.segments
    assert segments is not None
    assert segments.sentences.tolist() == [0, 1]
    assert to_response(found) == [0, 1, 3]
