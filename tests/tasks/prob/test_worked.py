"""The worked examples of DEFINITIONS 9 through the ordinary pipeline, from files to scores."""

from __future__ import annotations

from pathlib import Path

import pytest

import comparanda as cp
from tests.tasks.prob.worked import examples, written

MEASURES = {"EP": "expected_precision", "ER": "expected_recall", "EF": "expected_f1", "E100": "e100"}


@pytest.mark.parametrize("name", ["W1", "W2", "W3", "W5", "W6"])
def test_expected_scores(name: str, tmp_path: Path) -> None:
    example = examples()[name]
    key, output = written(tmp_path, example["blocks"], example["key"])
    result = cp.compare(key, {"out": output}, task="prob", resamples=0)
    found = {each.measure: each.value for each in result.scores().scores}
    wanted = {MEASURES[each]: value for each, value in example["expect"].items() if each in MEASURES}
    assert wanted
    for measure, value in wanted.items():
        assert found[measure] == pytest.approx(value, abs=1e-6), measure


@pytest.mark.parametrize(
    ("name", "how"),
    [("W1", "tuple"), ("W1", "hierarchical"), ("W2", "tuple"), ("W3", "tuple"), ("W3", "hierarchical")],
)
def test_decisions(name: str, how: str, tmp_path: Path) -> None:
    example = examples()[name]
    key, output = written(tmp_path, example["blocks"], example["key"])
    result = cp.compare(key, {"out": output}, task="prob", resamples=0, decide=how)  # type: ignore[arg-type]
    (run,) = result.verdicts.view().candidates or ()
    assert int(run.decided.sum()) == example["expect"][f"decide_{how}"]["found"]
    assert int((run.decided & run.correct).sum()) == example["expect"][f"decide_{how}"]["correct"]
