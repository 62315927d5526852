"""Real resolvers on real corpora: every score that the reference scorer or the authors printed, to the last digit."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import comparanda as cp
from comparanda import Result
from tests.shared_data import ROOT, shared
from tests.tasks.coref import reference

TABLE = "data/coref/official_scores.tsv"
KEYS = {
    "ontogum": "data/coref/gum/gold/ontogum.key.conll",
    "gum": "data/coref/gum/gold/gum.key.conll",
    "litbank": "data/coref/litbank/litbank6.key.conll",
}
FOLDERS = {"ontogum": "gum", "gum": "gum", "litbank": "litbank"}
REPEATING = {"xrenner.ontogum", "xrenner.gum"}
"""Outputs with spurious mentions that are repeated, which the scorer counts each time."""

ECBP = "data/coref/event_ecbp"
EVENTS = ("seed0", "seed1", "seed2", "seed3", "seed4", "lemma", "lemma-delta", "lemma-wd")
LEVELS = ("within_doc", "cross_doc")
BARHOM = ("gold_topics", "kmeans_topics")
PARTS = {"Recall": "_recall", "Precision": "_precision", "F1": ""}
NAMES = {"bcub": "b3"}

Printed = dict[tuple[str, str], float]


@cache
def table() -> dict[tuple[str, str], Printed]:
    """The printed scores of each corpus and system, by metric and part."""
    found: dict[tuple[str, str], Printed] = {}
    for line in shared(TABLE).read_text(encoding="utf-8").splitlines():
        corpus, system, metric, scores = line.split("\t")
        for part, value in re.findall(r"(\w+): ([0-9.]+)%", scores):
            found.setdefault((corpus, system), {})[NAMES.get(metric, metric), part] = float(value)
    return found


def runs() -> list[tuple[str, str]]:
    return list(table()) if (ROOT / TABLE).exists() else [("ontogum", "none")]


def files(corpus: str, system: str) -> tuple[Path, Path]:
    shared(TABLE)
    return shared(KEYS[corpus]), shared(f"data/coref/{FOLDERS[corpus]}/systems/{system}.response.conll")


def truncated(value: float) -> set[float]:
    """Return how the scorer prints a ratio, int(100 · percent)/100, if sums are off by the last bits."""
    return {int((value + off) * 10_000) / 100 for off in (-1e-12, 0, 1e-12)}


def value(result: Result, measure: str) -> float:
    found = result.scores(measure).value("x")
    assert found is not None
    return found


def test_no_official_score_is_left_out() -> None:
    assert sum(map(len, table().values())) == 3 * len(shared(TABLE).read_text().splitlines()) == 90
    there = {
        path.name.removesuffix(".response.conll")
        for folder in ("gum", "litbank")
        for path in shared(f"data/coref/{folder}/systems").glob("*.response.conll")
    }
    assert {system for _, system in table()} == there


@pytest.mark.parametrize(("corpus", "system"), runs())
def test_every_official_score_is_reproduced(corpus: str, system: str) -> None:
    key, response = files(corpus, system)
    result = cp.compare(key, {"x": response}, task="coref", resamples=0, repeated="official")
    for (metric, part), printed in table()[corpus, system].items():
        assert printed in truncated(value(result, f"{metric}{PARTS[part]}")), (metric, part)
    for part in ("precision", "recall"):
        assert value(result, f"any.{part}") == value(result, f"muc_{part}")


@pytest.mark.parametrize(("corpus", "system"), runs())
def test_unless_spurious_mentions_repeat_it_is_so_without_being_told(corpus: str, system: str) -> None:
    key, response = files(corpus, system)
    result = cp.compare(key, {"x": response}, task="coref", resamples=0)
    printed = {
        (metric, part): each in truncated(value(result, f"{metric}{PARTS[part]}"))
        for (metric, part), each in table()[corpus, system].items()
    }
    noted = [note for note in result.notes if note.side == "x" and "repeated mentions" in note.what]
    assert bool(noted) == (system in REPEATING)
    assert all(printed.values()) == (system not in REPEATING)
    assert all(right for (metric, part), right in printed.items() if part == "Recall" and metric != "ceafe")


@pytest.mark.parametrize(
    ("corpus", "system"),
    [pytest.param(*run, marks=[pytest.mark.slow] if run[0] == "gum" else []) for run in runs()],
)
def test_the_slow_reference_prints_the_official_scores_too(corpus: str, system: str) -> None:
    key, response = map(reference.read_conll2012, files(corpus, system))
    order = reference.all_names([key, response])
    wanted = reference.units_of(key, order)
    given = reference.official(wanted, response, order)
    for metric in ("muc", "b3", "ceafm", "ceafe"):
        sums = reference.counts(metric, wanted, given)
        for part, found in (("Recall", sums.r), ("Precision", sums.p), ("F1", sums.f)):
            assert found is not None
            assert table()[corpus, system][metric, part] in truncated(found)


# --- events, within and across documents ---------------------------------------------------------------------------


def published(system: str, level: str) -> dict[str, tuple[str, ...]]:
    """Return F1, precision and recall of each metric, as they are printed; of the average only the first."""
    lines = shared(f"{ECBP}/published/{system}.{level}.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines[2:]]
    return {name: tuple(values) for name, *values in rows}


def test_no_published_score_is_left_out() -> None:
    there = {path.name for path in shared(f"{ECBP}/published").iterdir()}
    assert there == {f"{system}.{level}.txt" for system in EVENTS for level in LEVELS}
    for system in EVENTS:
        for level in LEVELS:
            assert {*published(system, level)} == {"bcub", "ceafe", "lea", "muc", "conll"}


@pytest.mark.parametrize("level", LEVELS)
def test_every_published_score_is_reproduced(level: str) -> None:
    key = shared(f"{ECBP}/gold.{level}.conll")
    systems = {system: shared(f"{ECBP}/systems/{system}.{level}.conll") for system in EVENTS}
    scores = cp.compare(key, systems, task="coref", resamples=0).scores()
    for system in EVENTS:
        for name, printed in published(system, level).items():
            metric = NAMES.get(name, name)
            parts = [metric] if name == "conll" else [metric, f"{metric}_precision", f"{metric}_recall"]
            found = [scores.value(system, measure) for measure in parts]
            assert [f"{each:g}" for each in found] == list(printed[: len(parts)])
            assert scores.value(system, "any.f1") == scores.value(system, "muc")


@pytest.mark.parametrize("topics", BARHOM)
def test_every_score_of_barhom_2019_is_reproduced(topics: str) -> None:
    folder = shared(f"{ECBP}/barhom2019")
    result = cp.compare(folder / "key.conll", {"x": folder / f"{topics}.response.conll"}, task="coref", resamples=0)
    lines = (folder / f"{topics}.scores.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 6
    for line in lines[:-1]:
        metric, scores = line.split(maxsplit=1)
        for part, printed in re.findall(r"(\w+): ([0-9.]+)", scores):
            assert f"{100 * value(result, NAMES.get(metric, metric) + PARTS[part]):.2f}" == printed
    assert lines[-1] == f"CoNLL score: {100 * value(result, 'conll'):.2f}"
