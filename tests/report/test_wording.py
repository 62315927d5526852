"""Conditions in words."""

from __future__ import annotations

import pytest

from comparanda.findings.table_links import EVERY_PAIR
from comparanda.render.count_links import Link
from comparanda.report.lists import in_words


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("true", "everything"),
        ('among("crf", "bert")', "everything"),
        ('key == "NOUN"', "key NOUN"),
        ('label == "PER" and length == 3', "label PER, length == 3"),
        ('right("crf") and not right("bert")', "crf right, bert wrong"),
        ('right_by_run("crf") and label == "A"', "crf right, label A"),
        ('positive and not claims("crf")', "in the key, crf has it not"),
        ('negative and claims("crf")', "not in the key, crf has it"),
        ('not flips("crf")', "runs of crf agree"),
        ('value("crf") == "A" and value("bert") == "B"', "crf A, bert B"),
        ("not majority_right and solved_by > 1", "majority wrong, solved_by > 1"),
        ('key == "A" or key == "B"', 'key == "A" or key == "B"'),
        ('key != "A"', 'key != "A"'),
        ("not (length > 3)", "not length > 3"),
        ('key == "a\\u202e"', "key a\\u202e"),
    ],
)
def test_conditions_about_sites_and_items(where: str, words: str) -> None:
    assert in_words(Link(where)) == words


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("correction", "crf → bert: correction"),
        ("new_error and length == 3", "crf → bert: new error, length == 3"),
        ("not differs", "crf → bert: not differs"),
        (EVERY_PAIR, "crf → bert: everything"),
        ("true", "crf → bert: everything"),
        ('correction and base == "A" and new == "B"', "correction, crf A → bert B"),
        ('changed_error and base == "A" and new == "B" and key == "C"', "changed error, crf A → bert B, key C"),
        ('base_label == "A" and new_label == "B"', "crf A → bert B"),
        ('base == "A" and key == "B"', "crf → bert: crf A, key B"),
        ('new == "B" and base == "A"', "bert B, crf A"),
        ("base_right and not new_right", "crf right, bert wrong"),
        ("positive and base_claims and not new_claims", "in the key, crf has it, bert has it not"),
    ],
)
def test_conditions_about_a_pair(where: str, words: str) -> None:
    assert in_words(Link(where, "crf", "bert")) == words


def test_names_of_systems_are_shown_visibly() -> None:
    assert in_words(Link("correction", "a\u202e", "b")) == "a\\u202e → b: correction"
