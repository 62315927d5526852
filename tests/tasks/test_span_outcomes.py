"""How often rules gave each verdict: what everybody wants to see beside F1."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import comparanda
from comparanda import RuleError
from comparanda.findings.scores import OutcomeCount, Scores
from tests.seeds import seeds

KEY = [["B-PER", "I-PER", "O", "B-LOC", "O"], ["O", "B-ORG", "O"]]
CRF = [["B-PER", "O", "O", "B-LOC", "O"], ["B-ORG", "O", "B-DATE"]]


def scored(key: list[list[str]], systems: dict[str, list[list[str]]], rules: str, view: str | None = None) -> Scores:
    return comparanda.compare(key, systems, task="span", rules=rules, resamples=0).scores(view=view)


def counted(found: Scores, side: str, view: str, run: str) -> dict[str, int]:
    rows = [each for each in found.outcomes if (each.side, each.view, each.run) == (side, view, run)]
    return {each.outcome: each.count for each in rows}


def test_verdicts_are_counted_on_both_sides() -> None:
    found = scored(KEY, {"crf": CRF}, "exact")
    assert found.outcomes == (
        OutcomeCount(
            view="exact", run="crf", side="key", outcome="FN", count=2, where='not negative and verdict("crf") == "FN"'
        ),
        OutcomeCount(
            view="exact", run="crf", side="key", outcome="TP", count=1, where='not negative and verdict("crf") == "TP"'
        ),
        OutcomeCount(
            view="exact", run="crf", side="system", outcome="FP", count=3, where='negative and verdict("crf") == "FP"'
        ),
    )
    assert "Outcomes" in str(found)
    assert found.to_dicts()[0]["f1"] == pytest.approx(2 / 7)


def test_tasks_without_rules_have_no_verdicts() -> None:
    assert comparanda.compare(["A"], {"s": ["A"]}, task="tag", resamples=0).scores().outcomes == ()


def test_one_view_counts_its_own_verdicts_alone() -> None:
    found = scored(KEY, {"crf": CRF}, "semeval2013", view="partial")
    assert {each.view for each in found.outcomes} == {"partial"}
    assert counted(found, "key", "partial", "crf") == {"COR": 1, "PAR": 1, "MIS": 1}
    assert counted(found, "system", "partial", "crf") == {"SPU": 2}


def test_the_verdicts_of_a_part_are_those_of_its_sites() -> None:
    result = comparanda.compare(KEY, {"crf": CRF}, task="span", resamples=0)
    found = result.where('label == "LOC"').scores()
    where = 'not negative and verdict("crf") == "TP"'
    assert found.outcomes == (OutcomeCount(view="exact", run="crf", side="key", outcome="TP", count=1, where=where),)


@pytest.mark.parametrize("seed", seeds(3, of=20))
@pytest.mark.parametrize(
    ("rules", "view", "right"), [("exact", "exact", "TP"), ("semeval2013", "strict", "COR"), ("gate", "strict", "COR")]
)
def test_counts_add_up_to_precision_and_recall(seed: int, rules: str, view: str, right: str) -> None:
    chance = random.Random(seed)
    tags = ["O", "O", "O", "B-A", "B-B", "I-A", "I-B"]
    key, mine = ([[chance.choice(tags) for _ in range(9)] for _ in range(6)] for _ in range(2))
    found = scored(key, {"s": mine}, rules, view=view)
    of_key, beside = (counted(found, side, view, "s") for side in ("key", "system"))
    parts = {score.measure.removeprefix(f"{view}."): (score.part, score.whole) for score in found.scores}
    assert parts["recall"] == (of_key.get(right, 0), sum(of_key.values()))
    assert parts["precision"] == (of_key.get(right, 0), of_key.get(right, 0) + sum(beside.values()))


def test_what_a_key_span_counts_cannot_depend_on_the_system(tmp_path: Path) -> None:
    rules = tmp_path / "unfair.toml"
    rules.write_text(
        """
include = ["exact"]
groups = ["match", "rest", "unfair"]
[tables.key]
ignored = ["found"]
[[rules]]
name = "left out where it is found"
group = "unfair"
for = { k = "key" }
when = "is_missing(k.ignored) and k.result == 'TP'"
set = { k.ignored = "found" }
[views.unfair]
outcome = "result"
partner = "partner"
credit = { TP = 1 }
left_out = "ignored"
"""
    )
    alone = comparanda.compare(KEY, {"crf": CRF}, task="span", rules=str(rules), resamples=0)
    assert [each.outcome for each in alone.scores(view="unfair").outcomes][:2] == ["FN", "TP, left out: found"]
    with pytest.raises(RuleError, match="the weight of a span of the key depends on the system"):
        comparanda.compare(KEY, {"crf": CRF, "copy": KEY}, task="span", rules=str(rules), resamples=0)
