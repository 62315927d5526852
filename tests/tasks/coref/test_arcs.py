"""The class of every mention, counted on fingers."""

from __future__ import annotations

from pathlib import Path

import pytest

from comparanda import Result
from tests.tasks.coref.writing import compared, conll2012, said

# Anna, she, her; Bob, he.
KEY = conll2012("(1) (1) (2) (2) (1) - -")
# Anna, she; Bob, he, her.
ONE = conll2012("(1) (1) (2) (2) (2) - -")
# she, her; dog, it.
TWO = conll2012("- (1) - - (1) (2) (2)")


@pytest.fixture
def result(tmp_path: Path) -> Result:
    return compared(tmp_path, KEY, {"one": ONE, "two": TWO})


def test_any_antecedent_may_be_right(result: Result) -> None:
    assert said(result, "any", 0) == {"she": "tp", "he": "tp", "her": "wl"}
    assert said(result, "any", 1) == {"she": "fn", "he": "fn", "her": "tp", "it": "fp"}


def test_the_closest_nominal_antecedent_decides(result: Result) -> None:
    assert said(result, "nominal", 0) == {"she": "tp", "he": "tp", "her": "wl"}
    assert said(result, "nominal", 1) == {"she": "fn", "he": "fn", "her": "fn", "it": "fp"}


def test_the_closest_named_antecedent_decides(result: Result) -> None:
    """The dog is no name, so what is said of it counts nowhere."""
    assert said(result, "named", 1) == {"she": "fn", "he": "fn", "her": "fn"}


def test_the_closest_antecedents_must_be_the_same(result: Result) -> None:
    assert said(result, "immediate", 0) == {"she": "tp", "he": "tp", "her": "wl"}
    assert said(result, "immediate", 1) == {"she": "fn", "he": "fn", "her": "tp", "it": "fp"}


def test_what_another_resolves_wrongly_and_this_one_not_at_all_is_a_true_negative(result: Result) -> None:
    assert said(result, "any", 0, 1) == {"she": "tp fn", "he": "tp fn", "her": "wl tp", "it": "tn fp"}
    found = result.difference("one", "two")
    assert (found.sites, found.different) == (4, 4)
    assert [each.count for each in found.classes] == [1, 3, 0]
    assert [[(row.base, row.new, row.count) for row in each.transitions] for each in found.classes] == [
        [("wl", "tp", 1)],
        [("tp", "fn", 2), ("tn", "fp", 1)],
        [],
    ]


def test_wrong_antecedents_are_told_by_where_they_stand(result: Result) -> None:
    """Her goes back to he, one word before; it to the dog, likewise."""
    assert said(result, "any_antecedents", 0, 1)["her"] == "wl -1+1 tp"
    assert said(result, "any_antecedents", 0, 1)["it"] == "tn fp -1+1"
    assert said(result, "nominal_antecedents", 0, 1)["her"] == "wl -2+1 fn"


def test_recall_and_precision_count_a_wrong_link_on_both_sides(result: Result) -> None:
    scores = result.scores()
    assert scores.value("one", "any.recall") == 2 / 3
    assert scores.value("one", "any.precision") == 2 / 3
    assert scores.value("two", "any.recall") == 1 / 3
    assert scores.value("two", "any.precision") == 1 / 2
    assert scores.value("two", "nominal.recall") == 0
    assert scores.value("two", "nominal.precision") == 0
    assert scores.value("two", "named.precision") is None


def test_an_anaphor_without_a_nominal_antecedent_in_the_key_counts_nowhere_and_is_noted(tmp_path: Path) -> None:
    """She and her precede Anna here: the first has no nominal antecedent, nor has her."""
    text = "she/PRP her/PRP$ Anna/NNP she/PRP"
    key = conll2012("(1) (1) (1) (1)", text)
    response = conll2012("(1) (1) - (1)", text)
    result = compared(tmp_path, key, {"one": response})
    view = result.verdicts.view("nominal")
    assert [view.sites.names[code] for code in view.sites.values[0]] == ["fn"]  # the last one alone
    assert view.mention is not None
    notes = {note.what: note.count for note in result.notes if "antecedent" in note.what}
    assert notes["anaphors without a nominal antecedent, which do not count in the view 'nominal'"] == 2
    assert result.scores("any.recall").value("one") == 2 / 3


def test_mentions_that_begin_together_are_in_order_of_length(tmp_path: Path) -> None:
    """Anna she is before Anna, so Anna is the anaphor."""
    key = conll2012("(1(1) 1) - - - - -")
    result = compared(tmp_path, key, {"one": key})
    view = result.verdicts.view("any")
    assert view.chains is not None
    assert view.mention is not None
    assert view.chains.width[view.mention].tolist() == [1]


def test_identical_wrong_links_are_no_difference_but_other_antecedents_are(tmp_path: Path) -> None:
    """Two systems link her to he and to Bob: by classes the same error, by values a changed one."""
    one = conll2012("- - - (2) (2) - -")
    two = conll2012("- - (2) - (2) - -")
    result = compared(tmp_path, KEY, {"one": one, "two": two})
    assert [each.count for each in result.difference("one", "two").classes] == [0, 0, 0]
    assert [each.count for each in result.difference("one", "two", view="any_antecedents").classes] == [0, 0, 1]
