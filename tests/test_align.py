"""Alignment maps rows; it never rewrites, and it says what it met."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st

from comparanda import AlignError
from comparanda.align import NONE, Aligned, RowMap, align, values_on_key
from tests.comparison.populations import identity
from tests.judge.corpora import corpus, table

KEY = corpus("key", [[("a", "A"), ("b", "B")], [("c", "C")]], [[("d", "A"), ("e", "B")]])


def to_response(aligned: Aligned) -> list[int] | None:
    found = aligned.maps[0].to_response
    return None if found is None else found.tolist()


def notes(aligned: Aligned) -> list[str]:
    return [str(note) for note in aligned.notes]


def test_equal_rows_are_the_identity() -> None:
    aligned = align(KEY, [corpus("x", [[("a", "X"), ("b", "X")], [("c", "X")]], [[("d", "X"), ("e", "X")]])])
    assert aligned.maps[0].identity
    assert (notes(aligned), aligned.kept) == ([], None)


def test_documents_are_matched_by_name_in_any_order() -> None:
    turned = corpus("x", [[("d", "A"), ("e", "B")]], [[("a", "A"), ("b", "B")], [("c", "C")]], names=["d1", "d0"])
    aligned = align(KEY, [turned])
    assert to_response(aligned) == [2, 3, 4, 0, 1]
    assert aligned.maps[0].to_key is not None
    assert aligned.maps[0].to_key.tolist() == [3, 4, 0, 1, 2]


def test_documents_and_sentences_are_the_keys() -> None:
    """A response without document marks and with other sentence cuts is laid over the key."""
    flat = corpus("x", [[("a", "A")], [("b", "B"), ("c", "C"), ("d", "A"), ("e", "B")]], names=None)
    aligned = align(KEY, [flat])
    assert aligned.maps[0].identity
    assert notes(aligned) == ["x: sentence boundaries that differ from the key's, which hold: 3"]


def test_other_document_names_are_ignored_where_none_is_the_keys() -> None:
    other = corpus("x", [[("a", "A"), ("b", "B")], [("c", "C")]], [[("d", "A"), ("e\u0301", "B")]], names=["p", "q"])
    key = corpus("key", [[("a", "A"), ("b", "B")], [("c", "C")]], [[("d", "A"), ("\u00e9", "B")]])
    aligned = align(key, [other])
    assert aligned.maps[0].identity
    assert notes(aligned) == [
        "x: words equal only after Unicode normalisation: 1 (x.txt:5)",
        "x: document names unlike the key's, ignored: 2 (p, q)",
    ]


def test_a_missing_document_is_an_error_or_empty_or_left_out() -> None:
    short = corpus("x", [[("d", "A"), ("e", "B")]], names=["d1"])
    with pytest.raises(AlignError, match="the response does not cover the key: 1 of the key's documents missing"):
        align(KEY, [short])
    empty = align(KEY, [short], missing="empty")
    assert to_response(empty) == [NONE, NONE, NONE, 0, 1]
    assert notes(empty) == ["x: documents of the key missing here: 1 (d0)"]
    common = align(KEY, [short], missing="intersection")
    assert common.kept is not None
    assert common.kept.tolist() == [3, 4]
    assert notes(common)[-1] == "key: rows left out because some response lacks them: 3"


def test_a_surplus_document_is_an_error_or_ignored() -> None:
    long = corpus("x", [[("a", "A"), ("b", "B")], [("c", "C")]], [[("d", "A"), ("e", "B")]], [[("f", "A")]])
    with pytest.raises(AlignError, match=r"1 documents unknown.*\n.*not in the key: 'd2'"):
        align(KEY, [long])
    aligned = align(KEY, [long], missing="empty")
    assert to_response(aligned) == [0, 1, 2, 3, 4]
    assert aligned.maps[0].to_key is not None
    assert aligned.maps[0].to_key.tolist() == [0, 1, 2, 3, 4, NONE]
    assert notes(aligned) == ["x: documents not in the key, ignored: 1 (d2)"]


def test_nothing_in_common_is_refused() -> None:
    key = corpus("key", [[("a", "A")]], [[("b", "B")]])
    with pytest.raises(AlignError, match="no document in common"):
        align(
            key,
            [corpus("x", [[("a", "A")]], names=["d0"]), corpus("y", [[("b", "B")]], names=["d1"])],
            missing="intersection",
        )


def test_other_words_are_refused_with_both_places() -> None:
    other = corpus("x", [[("a", "A"), ("b", "B")], [("c", "C")]], [[("d", "A"), ("f", "B")]])
    with pytest.raises(AlignError) as refused:
        align(KEY, [other])
    message = str(refused.value)
    assert message.startswith("x.txt:5: other words than in sentence 3 of the key (key.txt:5)")
    assert "first difference at token 2: 'e' in the key, 'f' in the response" in message


def test_other_tokens_are_refused_with_both_lengths() -> None:
    key = corpus("key", [[("U.S.", "NE"), ("x", "X")]], names=None)
    other = corpus("x", [[("U.S", "NE"), (".", "$"), ("x", "X")]], names=None)
    with pytest.raises(AlignError) as refused:
        align(key, [other])
    message = str(refused.value)
    assert message.startswith("x.txt:1: 3 tokens, but sentence 1 of the key has 2 (key.txt:1)")
    assert "first difference at token 1: 'U.S.' + 'x' in the key, 'U.S' + '.' in the response" in message


def test_a_response_that_ends_early_is_refused() -> None:
    with pytest.raises(AlignError, match=r"1 tokens, but the key has 2 .*\n.*the key goes on at key\.txt:2"):
        align(corpus("key", [[("a", "A"), ("b", "B")]], names=None), [corpus("x", [[("a", "A")]], names=None)])


def test_documents_that_changed_places_are_found_by_name_even_if_all_words_are_equal() -> None:
    key = corpus("key", [[("b", "X")]], [[("b", "Y")]], names=["d1", "d2"])
    turned = corpus("x", [[("b", "Y")]], [[("b", "X")]], names=["d2", "d1"])
    assert to_response(align(key, [turned])) == [1, 0]


def test_equal_words_do_not_make_up_for_a_document_that_is_cut_elsewhere() -> None:
    key = corpus("key", [[("b", "X")], [("b", "Z")]], [[("b", "Y")]], names=["d1", "d2"])
    moved = corpus("x", [[("b", "X")]], [[("b", "Z")], [("b", "Y")]], names=["d1", "d2"])
    with pytest.raises(AlignError, match="1 tokens, but the key has 2"):
        align(key, [moved])


def test_some_documents_of_other_names_are_missing_even_if_all_words_are_equal() -> None:
    key = corpus("key", [[("b", "X")]], [[("b", "Y")]], names=["d1", "d2"])
    with pytest.raises(AlignError, match="1 of the key's documents missing"):
        align(key, [corpus("x", [[("b", "X")]], [[("b", "Y")]], names=["d1", "other"])])


WITHOUT_WORDS = ([[("", "A"), ("", "B")], [("", "C")]], [[("", "D")], [("", "E"), ("", "F")]])


def test_documents_without_words_may_be_missing_too() -> None:
    key = corpus("key", *WITHOUT_WORDS, names=["d1", "d2"], words=False)
    for first, rows in ((0, [0, 1, 2, NONE, NONE, NONE]), (1, [NONE, NONE, NONE, 0, 1, 2])):
        half = corpus("x", WITHOUT_WORDS[first], names=[f"d{first + 1}"], words=False)
        found = align(key, [half], missing="empty").maps[0].to_response
        assert found is not None
        assert found.tolist() == rows
        with pytest.raises(AlignError, match="1 of the key's documents missing"):
            align(key, [half])


def test_other_sentences_in_a_document_without_words_are_refused_with_both_places() -> None:
    key = corpus("key", *WITHOUT_WORDS, names=["d1", "d2"], words=False)
    other = corpus("x", [[("", "D"), ("", "E")], [("", "F")]], names=["d2"], words=False)
    with pytest.raises(AlignError, match=r"^x\.txt:1: sentence 3 ends elsewhere than in the key \(key\.txt:4\)"):
        align(key, [other], missing="empty")


def test_rows_without_words_are_matched_by_number_if_sentences_agree() -> None:
    key = corpus("key", [[("a", "A"), ("b", "B")], [("c", "C")]], words=False)
    same = corpus("x", [[("", "A"), ("", "B")], [("", "C")]], words=False)
    assert notes(align(key, [same])) == ["x: rows without words, matched by their number alone: 3"]
    other = corpus("x", [[("", "A")], [("", "B"), ("", "C")]], words=False)
    with pytest.raises(AlignError, match="sentence 1 ends elsewhere than in the key"):
        align(key, [other])


def test_rows_of_a_table_are_matched_by_id() -> None:
    key = table("key", {"1": "A", "2": "B", "3": "C"})
    assert to_response(align(key, [table("x", {"3": "A", "1": "B", "2": "C"})])) == [1, 2, 0]
    with pytest.raises(AlignError, match="1 of the key's ids missing"):
        align(key, [table("x", {"1": "A", "2": "B"})])
    aligned = align(key, [table("x", {"4": "A", "2": "B"})], missing="empty")
    assert to_response(aligned) == [NONE, 1, NONE]
    assert notes(aligned) == ["x: ids of the key missing here: 2 (1, 3)", "x: ids not in the key, ignored: 1 (4)"]


@identity(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.data())
def test_values_are_carried_to_the_keys_rows(values: list[int], data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(-1, len(values) - 1), max_size=8))
    row_map = RowMap(None, np.array(places, dtype=np.int64))
    carried = values_on_key(np.array(values), row_map, 99)
    assert carried.tolist() == [99 if place == NONE else values[place] for place in places]


def test_an_empty_response_is_absent_everywhere() -> None:
    row_map = RowMap(np.zeros(0, np.int64), np.array([NONE, NONE]))
    assert values_on_key(np.zeros(0, np.int64), row_map, 7).tolist() == [7, 7]
