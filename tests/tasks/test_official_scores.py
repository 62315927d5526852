"""Real parsers on real treebanks: every official score of the CoNLL 2018 evaluation, to the last printed digit."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from comparanda.api.comparison import compare
from comparanda.tasks.trees.conll18 import METRICS
from tests.command import run
from tests.shared_data import ROOT, shared
from tests.tasks.udeval import COUNTS, official

TABLE = "data/ud/official_scores.tsv"
KEYS = {
    "en_gum": "data/ud/conll2018/gold/en_gum.conllu",
    "en_ewt": "data/ud/en_ewt/gold/en_ewt-ud-test.conllu",
}
SYSTEMS = {
    "en_gum": "data/ud/conll2018/systems/{}/en_gum.conllu",
    "en_ewt": "data/ud/en_ewt/systems/{}.conllu",
}
ROWS = 9


@cache
def table() -> dict[tuple[str, str], dict[str, str]]:
    """The printed scores of each treebank and system."""
    found = {}
    for line in shared(TABLE).read_text(encoding="utf-8").splitlines():
        treebank, system, *scores = line.split("\t")
        found[treebank, system] = dict(score.split("=") for score in scores)
    return found


def cases() -> list[tuple[str, str]]:
    return list(table()) if (ROOT / TABLE).exists() else [("en_gum", "none")]


def files(treebank: str, system: str) -> tuple[Path, Path]:
    return shared(KEYS[treebank]), shared(SYSTEMS[treebank].format(system))


def printed(value: float | None) -> str:
    assert value is not None
    return f"{100 * value:.2f}"


def test_no_system_is_left_out() -> None:
    assert len(table()) == ROWS
    there = {path.parent.name for path in shared("data/ud/conll2018/systems").glob("*/en_gum.conllu")}
    assert {system for treebank, system in table() if treebank == "en_gum"} == there
    assert all(set(METRICS) - {"AllTags"} == set(scores) for scores in table().values())


@pytest.mark.parametrize(("treebank", "system"), cases())
def test_the_command_prints_every_official_score(
    treebank: str, system: str, capsys: pytest.CaptureFixture[str]
) -> None:
    key, response = files(treebank, system)
    arguments = ("--task", "dep", "--view", "conll18", "--json", "--resamples", "0")
    outcome = run(capsys, "score", key, f"x={response}", *arguments)
    assert outcome.code == 0
    found = {score["measure"]: score["value"] for score in outcome.json["scores"]["scores"]}
    expected = table()[treebank, system]
    assert {metric: printed(found[f"conll18.f1[{metric}]"]) for metric in expected} == expected


@pytest.mark.parametrize("treebank", KEYS)
def test_all_systems_together_have_the_scores_that_each_has_alone(treebank: str) -> None:
    systems = [system for place, system in cases() if place == treebank]
    paths = {system: files(treebank, system)[1] for system in systems}
    found = compare(shared(KEYS[treebank]), paths, task="dep", resamples=0).scores(view="conll18")
    for system in systems:
        expected = table()[treebank, system]
        assert {metric: printed(found.value(system, f"conll18.f1[{metric}]")) for metric in expected} == expected


@pytest.mark.slow
@pytest.mark.parametrize(("treebank", "system"), [("en_gum", "HIT-SCIR-18"), ("en_ewt", "spacy2-en_ud_model_sm-1.1.0")])
def test_every_count_is_that_of_udeval_on_real_files(treebank: str, system: str) -> None:
    key, response = files(treebank, system)
    statistics = compare(key, {"x": response}, task="dep", resamples=0).verdicts.view("conll18").statistics
    for metric, expected in official(key.read_text(encoding="utf-8"), response.read_text(encoding="utf-8")).items():
        names = [f"{name}[{metric}]" for name in COUNTS if f"{name}[{metric}]" in statistics]
        assert tuple(int(statistics[name].sum()) for name in names) == expected[: len(names)], metric
        assert expected[len(names) :] in ((), (None,))


def test_scores_do_not_depend_on_policies() -> None:
    """Punctuation and subtypes are the evaluation's own business."""
    key, response = files("en_gum", "Stanford-18")
    plain = compare(key, {"x": response}, task="dep", resamples=0)
    other = compare(key, {"x": response}, task="dep", resamples=0, punctuation="ud-punct", labels="full")
    assert plain.scores(view="conll18").scores == other.scores(view="conll18").scores
