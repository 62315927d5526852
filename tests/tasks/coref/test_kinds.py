"""What kind of mention each is, told by tags or by a list of pronouns."""

from __future__ import annotations

from pathlib import Path

import pytest

import comparanda as cp
from comparanda.errors import UsageError
from comparanda.result import Result
from comparanda.tasks.task import Nouns


def document(words: str, tags: str | None = None) -> str:
    """Write a document in which each word is a mention of one chain; `a_b` is a mention of two words."""
    lines = ["#begin document (d);"]
    given = tags.split() if tags else None
    place = 0
    for mention in words.split():
        parts = mention.split("_")
        for number, word in enumerate(parts):
            opens, closes = number == 0, number == len(parts) - 1
            cell = "(0)" if opens and closes else "(0" if opens else "0)" if closes else "-"
            tag = [] if given is None else [given[place], "*"]
            lines.append("\t".join(["d", "0", str(place), word, *tag, cell]))
            place += 1
    return "\n".join([*lines, "", "#end document", ""])


def compared(folder: Path, key: str, response: str | None = None, nouns: Nouns | None = None) -> Result:
    (folder / "key.conll").write_text(key)
    (folder / "response.conll").write_text(response or key)
    return cp.compare(
        str(folder / "key.conll"), {"r": str(folder / "response.conll")}, task="coref", resamples=0, nouns=nouns
    )


def kinds(result: Result, view: str = "any") -> dict[str, int]:
    """Count the key's anaphors by kind: all mentions but the first."""
    return {row.label or "": row.sites for row in result.combination(view=view).labels}


def test_penn_tags(tmp_path: Path) -> None:
    result = compared(tmp_path, document("Anna she her her this the_dog Bob dogs", "NNP PRP PRP$ PRP DT DT NN NNP NNS"))
    assert kinds(result) == {"noun": 3, "personal pronoun": 2, "possessive pronoun": 1, "other": 1}
    assert result.verdicts.settings["nouns"] == "ptb"


def test_german_tags_are_told_by_themselves(tmp_path: Path) -> None:
    result = compared(tmp_path, document("Anna sie ihr Hund der", "NE PPER PPOSAT NN PRELS"))
    assert kinds(result) == {"noun": 1, "personal pronoun": 1, "possessive pronoun": 1, "other": 1}
    assert result.verdicts.settings["nouns"] == "stts"


def test_universal_tags_are_told_by_themselves(tmp_path: Path) -> None:
    result = compared(tmp_path, document("Anna she the_dog dogs her", "PROPN PRON DET NOUN NOUN DET"))
    assert kinds(result) == {"noun": 2, "personal pronoun": 1, "other": 1}
    assert result.verdicts.settings["nouns"] == "upos without features"


def test_english_pronouns_by_a_list_where_nobody_has_tags(tmp_path: Path) -> None:
    result = compared(tmp_path, document("Anna She HER his this the_dog Bob"))
    assert kinds(result) == {"noun": 2, "personal pronoun": 2, "possessive pronoun": 1, "other": 1}
    assert any("no side has known part-of-speech tags" in note.what for note in result.notes)
    assert "named" not in result.verdicts.views


def test_tags_that_nobody_knows_are_none(tmp_path: Path) -> None:
    result = compared(tmp_path, document("Anna she dog", "N1 P1 N2"))
    assert kinds(result) == {"personal pronoun": 1, "noun": 1}
    assert result.verdicts.settings["nouns"] == "english"


def test_who_asks_for_the_list_gets_no_note(tmp_path: Path) -> None:
    result = compared(tmp_path, document("Anna she", "NNP VB"), nouns="english")
    assert kinds(result) == {"personal pronoun": 1}
    assert not result.notes


def test_tags_of_a_response_help_a_key_without(tmp_path: Path) -> None:
    tagged = document("Anna lo this", "NNP PRP DT")
    result = compared(tmp_path, document("Anna lo this"), tagged)
    assert kinds(result) == {"personal pronoun": 1, "other": 1}
    assert result.verdicts.settings["nouns"] == "ptb of r"
    assert any("those of r identify nouns" in note.what for note in result.notes)


def test_tags_of_a_response_do_not_matter_where_the_key_has_some(tmp_path: Path) -> None:
    result = compared(tmp_path, document("Anna lo", "NNP PRP"), document("Anna lo", "VB NN"))
    assert kinds(result) == {"personal pronoun": 1}
    assert result.scores("f1", view="nominal").value("r") == 1.0


def test_tags_that_nobody_has_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no side has such tags"):
        compared(tmp_path, document("Anna she"), nouns="upos")


@pytest.mark.parametrize(
    ("words", "tags", "name"),
    [
        ("Anna", "NNP", True),
        ("Mayor_Anna_Lee", "NNP NNP NNP", True),
        ("the_president_of_France", "DT NN IN NNP", False),
        ("France_'s_dog", "NNP POS NN", False),
        ("the_dog_'s_Anna", "DT NN POS NNP", True),
        ("Anna_'s", "NNP POS", True),
        ("the_dog_'s", "DT NN POS", False),
        ("Anna_of_the_woods", "NNP IN DT NNS", True),
        ("the_old", "DT JJ", False),
    ],
)
def test_a_name_is_told_by_the_last_word_of_its_first_nouns(
    tmp_path: Path, words: str, tags: str, *, name: bool
) -> None:
    result = compared(tmp_path, document(f"{words} it", f"{tags} PRP"))
    assert len(result.verdicts.view("named").sites) == name


def test_nominal_antecedents_need_a_tag_or_two_words(tmp_path: Path) -> None:
    result = compared(tmp_path, document("it she Anna he", "PRP PRP NNP PRP"))
    assert len(result.verdicts.view("nominal").sites) == 1
    notes = [note for note in result.notes if "without a nominal antecedent" in note.what]
    assert [note.count for note in notes] == [2]
