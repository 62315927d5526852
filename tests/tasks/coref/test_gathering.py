"""Mentions of all sides on common ground: repeated ones, singletons, documents on one side."""

from __future__ import annotations

from pathlib import Path

import pytest

from comparanda import Result
from comparanda.tasks.coref.measures import PARTS
from tests.tasks.coref.writing import compared, conll2012, said


def counts(result: Result, metric: str) -> list[float]:
    statistics = result.verdicts.view().statistics
    return [float(statistics[f"{metric}_{part}"].sum()) for part in PARTS]


def notes(result: Result, side: str) -> dict[str, int]:
    return {note.what: note.count for note in result.notes if note.side == side}


KEY = conll2012("(1) (1) (2) (2) - - -")
REPEATED_IN_KEY = "repeated mentions, counted in their first chain only"
REPEATED = f"{REPEATED_IN_KEY} (as the reference scorer: --repeated official)"


def test_a_repeated_mention_stays_in_the_chain_whose_id_comes_first(tmp_path: Path) -> None:
    """He is in the chain of Anna, whose id is read first though it is the larger one, and in that of Bob."""
    result = compared(tmp_path, KEY, {"one": conll2012("(9) - (2) (2)|(9) - - -")})
    assert said(result, "any", 0) == {"she": "fn", "he": "wl"}
    assert counts(result, "mentions") == [3, 4, 3, 3]
    assert notes(result, "one") == {REPEATED: 1}


def test_a_chain_comes_first_where_it_opens_not_where_it_closes(tmp_path: Path) -> None:
    """Chain 2 opens at the first word and closes behind all of chain 1, and both have he."""
    cells = "(2 (1) - (1)|(2) - 2) -"
    for key in (conll2012("(1 - - (1) - 1) -"), conll2012("- (1) - (1) - - -")):
        result = compared(tmp_path, key, {"one": conll2012(cells)})
        assert said(result, "any", 0)["he"] == ("tp" if "1)" in key.splitlines()[6] else "wl")


def test_a_mention_that_one_chain_has_twice_is_one(tmp_path: Path) -> None:
    result = compared(tmp_path, KEY, {"one": conll2012("(1)(1) (1) (2) (2)(2)(2) - - -")})
    assert result.scores("conll").value("one") == 1
    assert notes(result, "one") == {REPEATED: 3}


def test_the_key_may_repeat_mentions_too(tmp_path: Path) -> None:
    key = conll2012("(1) (1)|(2) (2) (2) - - -")
    result = compared(tmp_path, key, {"one": KEY})
    assert result.scores("conll").value("one") == 1
    assert notes(result, "key")[REPEATED_IN_KEY] == 1


def test_as_the_reference_scorer_has_it_what_the_key_does_not_have_counts_again(tmp_path: Path) -> None:
    """The dog is spurious and in two chains, he is in the key and in two: the dog counts twice."""
    response = conll2012("(1) (1)(2) (2) (2)|(1) - (1)(2) -")
    first, official = (compared(tmp_path, KEY, {"one": response}, repeated=how) for how in ("first", "official"))
    assert notes(official, "one") == {
        "repeated mentions, counted in their first chain only if the key has them, else in each chain": 3
    }
    assert counts(first, "muc") == [1, 2, 1, 3]  # Anna, she, he, dog; Bob
    assert counts(first, "b3")[1::2] == [4, 5]
    assert counts(official, "muc")[1::2] == [2, 3 + 1]  # Anna, she, he, dog; Bob, dog
    assert counts(official, "b3")[1::2] == [4, 6]
    assert counts(official, "blanc_links")[3] == 6 + 1
    assert (
        counts(official, "blanc_others")[3] == 4 + 4
    )  # Bob with four, and the second dog with four, itself among them


def test_it_counts_mentions_by_place_and_so_only_once(tmp_path: Path) -> None:
    """Scorer 8.01 divides what it identifies by the distinct mentions of the response."""
    response = conll2012("(1) (1) (2) (2) - (1)(2) -")
    assert counts(compared(tmp_path, KEY, {"one": response}, repeated="official"), "mentions") == [4, 4, 4, 5]


def test_singletons_are_kept_unless_told_otherwise(tmp_path: Path) -> None:
    response = conll2012("(1) (1) (2) (3) - (4) -")
    assert counts(compared(tmp_path, KEY, {"one": response}), "ceafe")[1::2] == [2, 4]
    dropped = compared(tmp_path, KEY, {"one": response}, singletons="drop")
    assert counts(dropped, "ceafe")[1::2] == [2, 1]
    assert counts(dropped, "mentions") == [2, 4, 2, 2]


def test_a_chain_whose_mentions_are_another_chain_s_is_a_singleton(tmp_path: Path) -> None:
    response = conll2012("(1) (1)(2) (2) - - - -")
    assert counts(compared(tmp_path, KEY, {"one": response}, singletons="drop"), "mentions") == [2, 4, 2, 2]


def test_brackets_of_two_chains_at_one_word_are_two(tmp_path: Path) -> None:
    """`(1|2)` opens a mention of chain 1 and closes one of chain 2; it is not `(12)`."""
    cells = "(2 (1|2) 1) - - - -"
    result = compared(tmp_path, conll2012(cells), {"one": conll2012(cells.replace("(1|2)", "2)(1"))})
    assert counts(result, "mentions") == [2, 2, 2, 2]


# --- documents on one side only ------------------------------------------------------------------------------------


def test_a_document_that_a_response_lacks_is_empty_there_and_noted(tmp_path: Path) -> None:
    key = conll2012("(1) (1) - - - - -", name="a") + conll2012("(1) (1) (1) - - - -", name="b")
    result = compared(tmp_path, key, {"one": conll2012("(1) (1) - - - - -", name="a")})
    assert counts(result, "muc") == [1, 3, 1, 1]
    assert notes(result, "one") == {"documents of the key missing here": 1}


def test_a_document_that_only_a_response_has_counts_against_it_and_is_noted(tmp_path: Path) -> None:
    response = KEY + conll2012("(1) (1) - - - - -", name="other")
    result = compared(tmp_path, KEY, {"one": response})
    assert counts(result, "muc") == [2, 2, 2, 3]
    assert counts(result, "mentions") == [4, 4, 4, 6]
    assert result.verdicts.documents == ("d", "other")
    assert sum(count for what, count in notes(result, "one").items() if "empty" in what) == 2


def test_there_too_the_tags_of_the_response_tell_nouns(tmp_path: Path) -> None:
    """Anna is a noun by the only tags there are; so she, whom the response resolves to her, is a false positive."""
    response = KEY + conll2012("(1) (1) - - - - -", name="other")
    result = compared(tmp_path, KEY, {"one": response})
    assert result.scores("any.precision").value("one") == 2 / 3
    assert result.scores("nominal.precision").value("one") == 2 / 3


@pytest.mark.parametrize("cells", ["(1 1) - - - - -", "- - - - - (1 1)"])
def test_long_mentions_in_such_documents_are_no_trouble(tmp_path: Path, cells: str) -> None:
    result = compared(tmp_path, KEY, {"one": KEY + conll2012(cells, name="other")})
    assert counts(result, "mentions") == [4, 4, 4, 5]


def test_nobody_says_both_that_a_document_is_ignored_and_that_it_counts(tmp_path: Path) -> None:
    response = KEY + conll2012("(1) (1) - - - - -", name="other")
    assert not [what for what in notes(compared(tmp_path, KEY, {"one": response}), "one") if "ignored" in what]


def test_where_only_common_documents_count_such_documents_never_do(tmp_path: Path) -> None:
    """Whether or not a document of the key is missing too."""
    more = KEY + conll2012("(1) (1) - - - - -", name="more")
    response = KEY + conll2012("(1) (1) - - - - -", name="other").replace("Anna", "Berta")
    assert "Berta" in response
    for key in (KEY, more):
        result = compared(tmp_path, key, {"one": response}, missing="intersection")
        assert counts(result, "muc") == [2, 2, 2, 2]


def test_a_document_that_only_a_response_has_is_in_the_topic_that_its_name_says(tmp_path: Path) -> None:
    """Its chain goes on in the key's document of that topic: one link is claimed, whatever names the topics."""
    key = conll2012("(1) - - - - - -", name="a_1")
    response = key + conll2012("(1) - - - - - -", name="a_2")
    for across in ("all", "until:_"):
        assert counts(compared(tmp_path, key, {"one": response}, across=across), "muc") == [0, 0, 0, 1]


def test_chains_go_on_where_their_document_is_continued(tmp_path: Path) -> None:
    """Document a has two parts with another between them; the response begins a new chain in the second part."""
    parts = [conll2012(cells, name=name) for cells, name in (("(1) (1) - - - - -", "a"), ("(1) (1) - - - - -", "b"))]
    key = "".join([*parts, conll2012("(1) - - - - - -", name="a")])
    result = compared(tmp_path, key, {"one": "".join([*parts, conll2012("(9) - - - - - -", name="a")])})
    assert counts(result, "muc") == [2, 3, 2, 2]
    assert (result.verdicts.units.kind, result.verdicts.units.count) == ("document", 2)
