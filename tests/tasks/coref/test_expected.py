"""The 36 cases of the CoNLL reference scorer 8.01: every value as counts, of the product and of the slow reference."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import comparanda as cp
from comparanda import Result
from comparanda.tasks.coref.measures import PARTS
from tests.shared_data import ROOT, shared
from tests.tasks.coref import reference

EXPECTED = "data/coref-tests/expected.json"
METRICS = {"muc": "muc", "bcub": "b3", "ceafm": "ceafm", "ceafe": "ceafe", "lea": "lea", "mentions": "mentions"}
VALUES = 216  # six metrics of 36 cases; the counts of mentions come with them
TOLERANCE = 1e-8  # counts are written with ten digits behind the point, ratios with eight

Case = dict[str, Any]


@cache
def cases() -> list[Case]:
    if not (ROOT / EXPECTED).exists():
        return [{"id": "none"}]
    found: list[Case] = json.loads((ROOT / EXPECTED).read_text(encoding="utf-8"))["cases"]
    return found


def files(case: Case) -> tuple[Path, Path]:
    shared(EXPECTED)
    folder = "data/coref-tests/DataFiles"
    return shared(f"{folder}/{case['key']}"), shared(f"{folder}/{case['response']}")


def compared(case: Case) -> Result:
    """Compare the two files by place alone: their words differ."""
    key, response = (f"{path}::conll2012?word=none" for path in files(case))
    return cp.compare(key, {"x": response}, task="coref", resamples=0)


def counted(result: Result, name: str) -> list[float]:
    """Return found, key, earned and claimed of a metric."""
    statistics = result.verdicts.view().statistics
    return [float(statistics[f"{name}_{part}"].sum()) for part in PARTS]


def expected_counts(metric: dict[str, Any]) -> list[float]:
    return [*metric["recall"], *metric["precision"]]


def close(found: Sequence[float | None], expected: Sequence[float]) -> bool:
    """Whether values are the same; the scorer prints 0 where nothing is defined."""
    return all(abs((one or 0.0) - other) <= TOLERANCE for one, other in zip(found, expected, strict=True))


def test_no_case_and_no_metric_is_left_out() -> None:
    shared(EXPECTED)
    assert len(cases()) == 36
    assert all({*case["metrics"]} == {*METRICS, "blanc"} for case in cases())
    assert sum(len(case["metrics"]) - 1 for case in cases()) == VALUES


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_every_count_is_that_of_scorer_801(case: Case) -> None:
    files(case)
    result = compared(case)
    for name, metric in METRICS.items():
        assert close(counted(result, metric), expected_counts(case["metrics"][name])), name
    blanc = case["metrics"]["blanc"]
    assert counted(result, "blanc_links") == expected_counts(blanc["coref"])
    assert counted(result, "blanc_others") == expected_counts(blanc["noncoref"])


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_every_score_is_that_of_scorer_801(case: Case) -> None:
    files(case)
    result = compared(case)
    scores = result.scores()
    for name, values in case["metrics"].items():
        metric = METRICS.get(name, name)
        found = [scores.value("x", f"{metric}{part}") for part in ("_recall", "_precision", "")]
        if name != "mentions":
            assert close(found, [values["r"], values["p"], values["f1"]]), name
        else:
            assert close(found[:2], [values["recall"][0] / values["recall"][1], ratio(values["precision"])])
    f1 = [scores.value("x", name) for name in ("muc", "b3", "ceafe")]
    mean = None if None in f1 else sum(each or 0.0 for each in f1) / 3
    assert scores.value("x", "conll") == (None if mean is None else pytest.approx(mean, abs=1e-12))


def ratio(counts: Sequence[float]) -> float:
    return counts[0] / counts[1] if counts[1] else 0.0


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_arcs_any_is_muc(case: Case) -> None:
    files(case)
    scores = compared(case).scores()
    for part in ("precision", "recall"):
        assert scores.value("x", f"any.{part}") == scores.value("x", f"muc_{part}")
    assert scores.value("x", "any.f1") == scores.value("x", "muc")


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_the_slow_reference_has_every_count_too(case: Case) -> None:
    found = reference.score_files(*files(case))
    for name, metric in METRICS.items():
        sums = found.counts[metric]
        four = (sums.recall, sums.wanted, sums.precision, sums.given)
        assert close(four, expected_counts(case["metrics"][name])), name
    blanc = case["metrics"]["blanc"]
    for half, name in ((found.blanc.coreferent, "coref"), (found.blanc.other, "noncoref")):
        assert [half[0], half[1], half[0], half[2]] == expected_counts(blanc[name])
    assert close(found.blanc.scores() or (0, 0, 0), [blanc["r"], blanc["p"], blanc["f1"]])


def test_where_nothing_is_coreferent_only_the_other_half_of_blanc_counts() -> None:
    """Luo 2014 would give (0 + F)/2 here; scorer 8.01 follows Recasens & Hovy 2011."""
    case = next(case for case in cases() if case["id"] in ("N6", "none"))
    files(case)
    result = compared(case)
    assert counted(result, "blanc_links")[1] == 0
    found, wanted, earned, claimed = counted(result, "blanc_others")
    assert result.scores("blanc_recall").value("x") == found / wanted
    assert result.scores("blanc_precision").value("x") == earned / claimed
