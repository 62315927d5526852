"""Columns with a note: how many spans they are true for is said to the user."""

from __future__ import annotations

import pytest

import comparanda as cp
from comparanda.errors import RuleError
from comparanda.rules import rule_set
from comparanda.rules.rule_files import parse

RULES = """
include = ["exact"]
[tables.key]
long = { type = "truth", note = "long labels" }
[tables.system]
odd = { type = "truth", note = "spans whose label is odd" }

[[rules]]
name = "long"
group = "rest"
salience = 5
for = { k = "key" }
when = "not k.long and k.length > 1"
set = { k.long = true }

[[rules]]
name = "odd"
group = "rest"
salience = 4
for = { s = "system" }
when = "not s.odd and s.label == 'ODD'"
set = { s.odd = true }
"""
KEY = [["B-PER", "I-PER", "O", "B-PER", "I-PER", "B-LOC"]]


def said(*systems: list[list[str]]) -> list[str]:
    named = {f"s{number}": tags for number, tags in enumerate(systems)}
    rules = rule_set(parse(RULES, "mine.toml"))
    result = cp.compare(KEY, named, task="span", rules=rules, resamples=0)
    return [str(note) for note in result.verdicts.notes if "label" in note.what and "uses" not in note.what]


def test_spans_of_the_key_are_counted_once_for_all_systems() -> None:
    assert said(KEY, KEY) == ["key: long labels: 2"]


def test_spans_of_systems_are_counted_for_each_that_has_some() -> None:
    odd = [["B-ODD", "I-ODD", "O", "B-ODD", "O", "O"]]
    assert said(KEY, odd) == ["key: long labels: 2", "s1: spans whose label is odd: 2"]


@pytest.mark.parametrize("column", ['{ type = "text", note = "x" }', '{ type = "truth", given = true, note = "x" }'])
def test_only_booleans_that_rules_set_can_have_a_note(column: str) -> None:
    with pytest.raises(RuleError, match=r"key\.more has a note, but is not a truth that rules set"):
        rule_set(parse(RULES.replace("[tables.key]", f"[tables.key]\nmore = {column}"), "mine.toml"))
