"""Documents that one side lacks are an error, or empty, or left out."""

from __future__ import annotations

import pytest

from comparanda import AlignError
from comparanda.align import NONE, align_responses
from tests.align.shown import notes, to_response
from tests.align.test_documents import KEY
from tests.tasks.corpora import corpus


def test_a_missing_document_is_an_error_or_empty_or_left_out() -> None:
    short = corpus("x", [[("d", "A"), ("e", "B")]], names=["d1"])
    with pytest.raises(AlignError, match="the system output does not cover the key: 1 of the key's documents missing"):
        align_responses(KEY, [short])
    empty = align_responses(KEY, [short], missing="empty")
    assert to_response(empty) == [NONE, NONE, NONE, 0, 1]
    assert notes(empty) == ["x: documents of the key missing here: 1 (d0)"]
    common = align_responses(KEY, [short], missing="intersection")
    assert common.kept is not None
    assert common.kept.tolist() == [3, 4]
    assert notes(common)[-1] == "key: rows left out because a system output lacks them: 3"


def test_a_surplus_document_is_an_error_or_ignored() -> None:
    long = corpus("x", [[("a", "A"), ("b", "B")], [("c", "C")]], [[("d", "A"), ("e", "B")]], [[("f", "A")]])
    with pytest.raises(AlignError, match=r"1 unknown documents.*\n.*not in the key: 'd2'"):
        align_responses(KEY, [long])
    aligned = align_responses(KEY, [long], missing="empty")
    assert to_response(aligned) == [0, 1, 2, 3, 4]
    assert aligned.maps[0].to_key is not None
    assert aligned.maps[0].to_key.tolist() == [0, 1, 2, 3, 4, NONE]
    assert notes(aligned) == ["x: documents not in the key, ignored: 1 (d2)"]


def test_words_of_a_surplus_document_stand_nowhere_in_the_key() -> None:
    long = corpus("x", [[("f", "A")]], [[("d", "A"), ("e", "B")]], names=["other", "d1"])
    aligned = align_responses(KEY, [long], missing="empty")
    assert aligned.maps[0].near(3).tolist() == [NONE, 3, 4]
    assert aligned.maps[0].surplus is None


def test_a_word_that_is_cut_otherwise_is_no_missing_one() -> None:
    """`intersection` leaves out documents, and keeps every word of those that are there."""
    short = corpus("x", [[("de", "A")]], names=["d1"])
    common = align_responses(KEY, [short], missing="intersection")
    assert common.kept is not None
    assert common.kept.tolist() == [3, 4]
    assert to_response(common) == [NONE] * 5


def test_what_any_response_lacks_is_left_out_for_all() -> None:
    whole = corpus("y", [[("a", "A"), ("b", "B")], [("c", "C")]], [[("d", "A"), ("e", "B")]])
    short = corpus("x", [[("a", "A"), ("bc", "B")]], names=["d0"])
    common = align_responses(KEY, [whole, short], missing="intersection")
    assert common.kept is not None
    assert common.kept.tolist() == [0, 1, 2]
    assert common.maps[0].identity


def test_nothing_in_common_is_refused() -> None:
    key = corpus("key", [[("a", "A")]], [[("b", "B")]])
    with pytest.raises(AlignError, match="no documents in common"):
        align_responses(
            key,
            [corpus("x", [[("a", "A")]], names=["d0"]), corpus("y", [[("b", "B")]], names=["d1"])],
            missing="intersection",
        )
