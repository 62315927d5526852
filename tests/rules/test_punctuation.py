"""Fuzzy extents: a system span may overlap a span of the key but leave out punctuation. `bare` says so in a rule."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import run

RULES = """
title = "Exact, or the same but for punctuation"
groups = ["match", "rest"]

[parameters]
fuzzy_credit = 0.5

[tables.system]
result = ["TP", "fuzzy", "FP"]
partner = "row of key"

[tables.key]
result = ["TP", "fuzzy", "FN"]
partner = "row of system"

[[rules]]
name = "true positive"
group = "match"
salience = 20
for = { s = "system", k = "key" }
when = "is_missing(s.result) and is_missing(k.result) and same(s, k, 'doc', 'begin', 'end', 'label')"
pair = "one-to-one"
set = { s.result = "TP", k.result = "TP", s.partner = "k", k.partner = "s" }

[[rules]]
name = "punctuation left out"
group = "match"
salience = 10
for = { s = "system", k = "key" }
when = '''is_missing(s.result) and is_missing(k.result) and s.label == k.label
          and overlaps(s, k) and bare(s.text) == bare(k.text)'''
pair = "one-to-one"
set = { s.result = "fuzzy", k.result = "fuzzy", s.partner = "k", k.partner = "s" }

[[rules]]
name = "false positive"
group = "rest"
for = { s = "system" }
when = "is_missing(s.result)"
set = { s.result = "FP" }

[[rules]]
name = "false negative"
group = "rest"
for = { k = "key" }
when = "is_missing(k.result)"
set = { k.result = "FN" }

[views.fuzzy]
outcome = "result"
partner = "partner"
credit = { TP = 1, fuzzy = "fuzzy_credit" }

[views.strict]
outcome = "result"
partner = "partner"
credit = { TP = 1 }
"""

TEXT = "“Pellworth Ltd.” met (Bo) and Ada in the U.S. on Monday."


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fuzzy.toml").write_text(RULES)


def spans(name: str, *texts: str) -> str:
    found = [{"begin": TEXT.index(text), "end": TEXT.index(text) + len(text), "label": "X"} for text in texts]
    Path(name).write_text(json.dumps({"id": "d", "text": TEXT, "spans": found}) + "\n")
    return name


def test_the_rule_passes_the_checks(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "rules", "check", "fuzzy.toml")
    assert (outcome.code, outcome.out) == (0, "fuzzy.toml: ok: 4 rules, 2 views\n")


def test_extents_that_differ_in_punctuation_alone_are_fuzzy(capsys: pytest.CaptureFixture[str]) -> None:
    """Ada is right, three are fuzzy, Monday is too long: (1 + 3 × ½) of 5."""
    key = spans("key.jsonl", "“Pellworth Ltd.”", "Bo", "Ada", "U.S.", "Monday")
    system = spans("x.jsonl", "Pellworth Ltd", "(Bo)", "Ada", "U.S", "on Monday")
    options = ("--task", "span", "--rules", "fuzzy.toml", "--view", "fuzzy", "--resamples", "0", "--json")
    scores = run(capsys, "score", key, system, *options).json["scores"]
    found = {each["measure"]: (each["part"], each["whole"]) for each in scores["scores"]}
    assert (found["fuzzy.precision"], found["fuzzy.recall"]) == ((2.5, 5), (2.5, 5))
    counted = {(each["side"], each["outcome"]): each["count"] for each in scores["outcomes"]}
    assert counted["key", "fuzzy"] == 3
