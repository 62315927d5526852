"""Real linkers: the counts that ELEVANT and the organisers of HIPE-2020 published, through the ordinary command."""

from __future__ import annotations

import csv
import json
from functools import cache
from typing import Any

import pytest

from comparanda import Result, compare
from tests.command import run
from tests.seeds import first_few
from tests.shared_data import ROOT, shared
from tests.tasks.random_spans import counts

Counts = tuple[int, int, int]


def command_counts(
    capsys: pytest.CaptureFixture[str], key: str, system: str, *more: str, rules: str, view: str
) -> Counts:
    """Return TP, FP and FN as the command prints them."""
    options = ("--task", "link", "--rules", rules, "--view", view, *more, "--json", "--resamples", "0")
    outcome = run(capsys, "score", key, f"x={system}", *options)
    assert outcome.code == 0, outcome.err
    scores = {score["measure"].removeprefix(f"{view}."): score for score in outcome.json["scores"]["scores"]}
    precision, recall = scores["precision"], scores["recall"]
    assert precision["part"] == recall["part"]
    return precision["part"], precision["whole"] - precision["part"], recall["whole"] - recall["part"]


# ELEVANT: nine linkers on KORE50

ELEVANT = "data/el/elevant"
LINKERS = (
    "ambiverse",
    "baseline",
    "dbpedia_spotlight",
    "genre__yago_",
    "neural_el",
    "refined__aida_",
    "rel__2014_",
    "spel__large_",
    "wat",
)
VIEWS = {
    "ignored": ("IGNORED", "mention_types", "all"),
    "required": ("REQUIRED", "mention_types", "all"),
    "ner": ("IGNORED", "error_categories", "ner"),
    "ner_required": ("REQUIRED", "error_categories", "ner"),
}


def kore50() -> str:
    return str(shared(f"{ELEVANT}/gold/kore50.benchmark.jsonl"))


def linker(name: str) -> str:
    return str(shared(f"{ELEVANT}/systems/{name}.kore50.linked_articles.jsonl"))


def evaluation(name: str, *path: str) -> Any:
    """Return a part of the published results."""
    found = json.loads(shared(f"{ELEVANT}/published/{name}.kore50.eval_results.json").read_text())
    for step in path:
        found = found[step]
    return found


def published_counts(name: str, *path: str) -> Counts:
    found = evaluation(name, *path)
    return found["true_positives"], found["false_positives"], found["false_negatives"]


def test_no_linker_of_kore50_is_left_out() -> None:
    there = {path.name.partition(".kore50")[0] for path in shared(f"{ELEVANT}/systems").iterdir()}
    assert there == set(LINKERS)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", first_few(1, LINKERS))
def test_the_command_counts_what_elevant_published(name: str, view: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = command_counts(capsys, kore50(), linker(name), rules="elevant", view=view)
    assert found == published_counts(name, *VIEWS[view])


@pytest.mark.parametrize("name", first_few(1, LINKERS))
def test_end_to_end_of_our_own_rules_is_elevants_without_unknown_entities(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """KORE50 has no types, so these cannot be wrong."""
    found = command_counts(capsys, kore50(), linker(name), rules="links", view="end_to_end")
    assert found == published_counts(name, *VIEWS["ignored"])


@cache
def together(rules: str) -> Result:
    return compare(kore50(), {name: linker(name) for name in LINKERS}, task="link", rules=rules, resamples=0)


@pytest.mark.parametrize("name", first_few(1, LINKERS))
def test_wrong_ids_are_elevants_wrong_disambiguations(name: str) -> None:
    """ELEVANT's errors are cases that are FN and FP at once: the label's extent, and another id.

    With unknown entities ignored both have an id, so that is the outcome "wrong id" of the key's mentions; its total
    are these and the true positives. Coreferences, which it leaves out there, are none of the labels of KORE50.
    """
    shared(ELEVANT)
    outcomes = {
        each.outcome: each.count
        for each in together("links").scores(view="linking").outcomes
        if (each.run, each.side) == (name, "key")
    }
    expected = evaluation(name, "IGNORED", "error_categories", "wrong_disambiguation", "all")
    wrong, right = outcomes.get("wrong id", 0), outcomes["TP"]
    assert (wrong, wrong + right) == (expected["errors"], expected["total"])


@pytest.mark.parametrize("view", VIEWS)
def test_all_linkers_together_have_the_counts_that_each_has_alone(view: str) -> None:
    shared(ELEVANT)
    found = {name: counts(together("elevant"), name, view=view) for name in LINKERS}
    assert found == {name: published_counts(name, *VIEWS[view]) for name in LINKERS}


# ELEVANT: the same linkers on News-Fair, with dates and quantities, nested labels, and labels without an id

NEWS = "data/edges/elevant-news-fair"


@cache
def news() -> Result:
    systems = {name: str(shared(f"{NEWS}/systems/{name}.news-fair-no-coref.linked_articles.jsonl")) for name in LINKERS}
    key = str(shared(f"{NEWS}/gold/news-fair-no-coref.benchmark.jsonl"))
    return compare(key, systems, task="link", rules="elevant", resamples=0)


def test_no_linker_of_news_fair_is_left_out() -> None:
    there = {path.name.partition(".news-fair")[0] for path in shared(f"{NEWS}/systems").iterdir()}
    assert there == set(LINKERS)


@pytest.mark.parametrize("view", VIEWS)
def test_the_counts_on_news_fair_are_those_that_elevant_published(view: str) -> None:
    expected: dict[str, Counts] = {}
    for name in LINKERS:
        found = json.loads(shared(f"{NEWS}/published/{name}.news-fair-no-coref.eval_results.json").read_text())
        for step in VIEWS[view]:
            found = found[step]
        expected[name] = found["true_positives"], found["false_positives"], found["false_negatives"]
        assert found["ground_truth"] == expected[name][0] + expected[name][2]
    assert {name: counts(news(), name, view=view) for name in LINKERS} == expected


def test_two_linkers_err_for_reasons_of_their_own() -> None:
    """Every cell of the table leads to as many sites."""
    shared(ELEVANT)
    result = together("links")
    found = result.error_sources("ambiverse", "wat")
    assert found.sites == sum(cell.sites for cell in found.cells) == 148
    assert (found.count("none", "none"), found.count("resolver", "tagger")) == (56, 9)
    for cell in found.cells:
        assert result.count(cell.where, "ambiverse", "wat") == cell.sites


# HIPE-2020, English: TP, FP and FN of links, by the first id or the best of n, literal and metonymic

HIPE = "data/ner_el/hipe2020"
RANKINGS = ("nel-micro-fuzzy", "nel-micro-fuzzy-relaxed", "nel-only-micro-fuzzy", "nel-only-micro-fuzzy-relaxed")
OWN_SENTENCES = "team31_bundle2_en_1"
"""Its sentences are cut otherwise, so its words are needed; all others are matched row by row."""


@cache
def rows() -> dict[tuple[str, str], Counts]:
    """Return the counts by submission and evaluation, of submissions whose files are here."""
    found: dict[tuple[str, str], Counts] = {}
    there = {path.name.partition(".")[0] for path in shared(f"{HIPE}/systems").iterdir()}
    for ranking in RANKINGS:
        with shared(f"{HIPE}/published/ranking-en-{ranking}.tsv").open(encoding="utf-8") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                if row["System"] in there:
                    found[row["System"], row["Evaluation"]] = int(row["TP"]), int(row["FP"]), int(row["FN"])
    return found


def evaluations() -> list[tuple[str, str]]:
    return sorted(rows()) if (ROOT / HIPE).exists() else [("none", "none")]


def hipe_key() -> str:
    return f"{shared(f'{HIPE}/gold/HIPE-data-v1.3-test-en.tsv')}::hipe?mentions=links"


def hipe_file(system: str) -> str:
    """Return the notation of a submission: before scoring the organisers set all links of times to NIL there."""
    words = "" if system == OWN_SENTENCES else "&word=none"
    return f"{shared(f'{HIPE}/systems/{system}.tsv.gz')}::hipe?mentions=links&times=nil{words}"


def test_seven_submissions_of_the_rankings_of_links_are_here() -> None:
    shared(HIPE)
    assert len(rows()) == 56
    assert len({system for system, _ in rows()}) == 7


@pytest.mark.parametrize(("system", "evaluation"), first_few(3, evaluations()))
def test_the_command_counts_the_links_that_hipe_published(
    system: str, evaluation: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """For `relaxed` rows ids of historical states were replaced, which changes no count of this corpus."""
    shared(HIPE)
    view = {"@1": "fuzzy", "@3": "fuzzy_3", "@5": "fuzzy_5"}[evaluation[-2:]]
    column = "NE-COARSE-METO" if "METO" in evaluation else "NE-COARSE-LIT"
    found = command_counts(capsys, hipe_key(), hipe_file(system), "--column", column, rules="hipe-nel", view=view)
    assert found == rows()[system, evaluation]
