"""Folded verdicts say what whole ones say, of every finding, to the last byte; only lists of easy sites are shorter."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import comparanda as cp
from comparanda import folding
from comparanda.comparison.finding import Finding
from comparanda.demo import demo_files
from comparanda.errors import UsageError
from comparanda.folding import folded
from comparanda.merge import merge
from comparanda.result import Result
from comparanda.show.json import document
from comparanda.verdicts import Verdicts
from tests.toy_task import NAMES, ONE_AND_TWO, TWO_BY_TWO, Policy, toy_measures, verdicts_of  # noqa: F401 - a fixture that works by being here

EVERY = range(len(NAMES))
CONDITIONS = ("true", "solved_by == 0", "solved_by > 1", "majority_right", "positive", "positive and claimed_by == 0")
OF_A_PAIR = ("differs", "correction", "same_right", "not base_right", "base_claims and positive")


def jobs(result: Result) -> dict[str, Callable[[], Finding]]:
    """Return how every finding is made of the first view."""
    base, new = result.systems[:2]
    label = result.verdicts.view().items.names[0]
    found: dict[str, Callable[[], Finding]] = {
        "scores": result.scores,
        "other scores": lambda: result.scores("macro_f1", "sentences", "document_f1", f"recall[{label}]", "f1"),
        "pairs": lambda: result.pairs(transitions=3),
        "difference": result.difference,
        "confusion": lambda: result.confusion(result.verdicts.runs[-1]),
        "complementarity": result.complementarity,
        "against": lambda: result.against(base),
        "combination": result.combination,
        "significance": result.significance,
        "diversity": result.diversity,
        "suspects": result.suspects,
        "ablation": result.ablation,
        "leaderboard": result.leaderboard,
        "anatomy": result.anatomy,
        "gate": lambda: result.gate(base, new, fail_if_significantly_worse=True),
        "by label": lambda: result.slices("label"),
        "by document": lambda: result.slices("document", base, new),
        "by solved": lambda: result.slices("solved_by"),
    }
    if any(len(system.runs) > 1 for system in result.verdicts.systems):
        found["stability"] = result.stability
    for condition in CONDITIONS:
        found[condition] = lambda condition=condition: result.examples(condition, top=2)  # type: ignore[misc]
    for condition in OF_A_PAIR:
        found[condition] = lambda condition=condition: result.examples(condition, base, new, top=2)  # type: ignore[misc]
    return found


def said(verdicts: Verdicts) -> dict[str, str]:
    result = Result(verdicts, 50)
    return {name: document(make(), result.signature, ()) for name, make in jobs(result).items()}


def small(verdicts: Verdicts) -> Verdicts:
    found = folded(verdicts, cp.Result(verdicts).seed)
    sites = found.view().sites
    assert sites.folded is not None
    assert sites.rows < len(sites) == len(verdicts.view().sites)
    return found


@pytest.fixture(autouse=True)
def few_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "EXAMPLES", 2)


@pytest.fixture(scope="module")
def demo() -> Verdicts:
    key, systems = demo_files("pos")
    return cp.compare(key, systems, task="pos").verdicts


def test_every_finding_of_the_demo(demo: Verdicts) -> None:
    whole = said(demo)
    assert {name: text == whole[name] for name, text in said(small(demo)).items()} == dict.fromkeys(whole, True)


@pytest.mark.parametrize("policy", [Policy(), Policy("sentence")], ids=str)
@pytest.mark.parametrize("systems", [TWO_BY_TWO, ONE_AND_TWO], ids=["2x2", "1x2"])
def test_every_finding_of_the_toy(policy: Policy, systems: dict[str, tuple[tuple[str, ...], ...]]) -> None:
    verdicts = verdicts_of(systems, policy=policy)
    whole = said(verdicts)
    assert {name: text == whole[name] for name, text in said(folded(verdicts, 0)).items()} == dict.fromkeys(whole, True)


def test_parts_are_folded_and_merged(tmp_path: Path) -> None:
    whole = said(verdicts_of())
    parts = [verdicts_of(documents=each) for each in (EVERY[:2], EVERY[2:4], EVERY[4:])]
    for number, part in enumerate(parts):
        Result(folded(part, cp.Result(part).seed), 50).save(tmp_path / str(number))
    opened = [cp.open(tmp_path / str(number)).verdicts for number in range(3)]
    merged = merge(opened)
    assert said(merged) == whole
    Result(merged, 50).save(tmp_path / "merged")
    assert said(cp.open(tmp_path / "merged").verdicts) == whole
    assert said(merge([parts[0], *opened[1:]])) == whole


def test_rows_with_several_labels(tmp_path: Path) -> None:
    def written(name: str, wrong: int, label: str) -> str:
        labels = [["a", "b"] if number % 3 else ["b"] for number in range(60)]
        given = ([label] if wrong and number % wrong == 1 else each for number, each in enumerate(labels))
        rows = [{"id": number, "doc": f"d{number // 12}", "labels": each} for number, each in enumerate(given)]
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        return f"{tmp_path / name}?document=doc"

    systems = {"other": written("other.jsonl", 7, "b"), "third": written("third.jsonl", 9, "c")}
    verdicts = cp.compare(written("key.jsonl", 0, ""), systems, task="label").verdicts
    assert verdicts.view().sites.parts is not None
    assert said(small(verdicts)) == said(verdicts)


def test_attributes_that_were_asked_for_can_be_cut_by() -> None:
    verdicts = verdicts_of()
    result = Result(folded(verdicts, 0, by=["genre"]), 50)
    assert result.slices("genre") == Result(verdicts, 50).slices("genre")
    chosen = [each.examples('genre == "news"', top=1).count for each in (result, Result(verdicts))]
    assert chosen[0] == chosen[1] > 0


def test_what_was_not_asked_for_is_refused(demo: Verdicts) -> None:
    result = Result(small(demo), 0)
    with pytest.raises(UsageError, match="scores cannot be cut by 'length'"):
        result.slices("length")
    with pytest.raises(UsageError, match=r"^frequency of .* only counted\n  compare with more --memory$"):
        result.examples("frequency == 1")
    with pytest.raises(UsageError, match="frequency of sites that all systems have right is not known"):
        result.examples("differs and frequency == 1", *result.systems[:2])
    with pytest.raises(UsageError, match="a result cannot be cut to some sites"):
        result.where('key == "NOUN"')


@pytest.mark.parametrize("where", ["length > 9", 'word == "on" or length > 9', 'label == "ADP" and length > 1'])
def test_who_asks_for_words_of_easy_sites_is_told_what_to_write(demo: Verdicts, where: str) -> None:
    result = Result(small(demo), 0)
    with pytest.raises(UsageError, match="of sites that all systems have right is not known") as caught:
        result.examples(where)
    _, told, otherwise = str(caught.value.hint).split("`")
    assert (told, otherwise) == (f"({where}) and solved_by < 4", ", or compare with more --memory")
    assert result.examples(told, top=0) == Result(demo, 0).examples(told, top=0)
    assert result.examples(told).count > 0


def test_items_have_no_words_whether_sites_are_kept_or_not(demo: Verdicts) -> None:
    for verdicts in (demo, small(demo)):
        with pytest.raises(UsageError, match="unknown name 'word'"):
            Result(verdicts, 0).examples('positive and word == "on"')


def test_a_condition_that_no_easy_site_fulfils_may_speak_of_words(demo: Verdicts) -> None:
    base, new = demo.systems[0].name, demo.systems[1].name
    where = "differs and length > 3"
    whole, few = (Result(each, 0).examples(where, base, new, top=0) for each in (demo, small(demo)))
    assert whole == few
    assert whole.count > 0


@pytest.mark.parametrize("policy", [Policy(ignore=("P",)), Policy("row")], ids=str)
def test_views_that_cannot_be_folded_stay(policy: Policy) -> None:
    verdicts = verdicts_of(policy=policy)
    assert folded(verdicts, 0).view() is verdicts.view()


def test_examples_are_those_that_would_be_chosen(demo: Verdicts) -> None:
    sites = small(demo).view().sites
    kept = np.setdiff1d(np.arange(sites.rows), sites.contested)
    assert np.bincount(sites.key[kept]).max() == 2


@pytest.mark.parametrize("by", [(), ("word",)])
def test_how_frequent_words_are_is_refused_whatever_was_asked_for(by: tuple[str, ...], demo: Verdicts) -> None:
    result = Result(folded(demo, 0, by=by), 0)
    with pytest.raises(UsageError, match=r"^frequency of .* only counted\n  compare with more --memory$"):
        result.slices("frequency")
