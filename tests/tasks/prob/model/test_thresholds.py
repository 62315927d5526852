"""Hard outputs over thresholds: on fingers, by brute force, and beside scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from comparanda.tasks.prob.calibration import threshold_curve
from tests.seeds import draws

Items = list[tuple[float, bool]]

W7: Items = [(0.9, True), (0.8, False), (0.8, True), (0.5, False), (0.3, True)]
items = st.lists(st.tuples(st.sampled_from([0.1, 0.3, 0.3 + 1e-12, 0.5, 0.8, 1.0]), st.booleans()), max_size=12)


def columns(given: Items) -> tuple[np.ndarray, np.ndarray]:
    return np.array([w for w, _ in given], np.float64), np.array([truth for _, truth in given], np.bool_)


def test_the_curve_on_fingers() -> None:
    """W7: equal weights enter together."""
    curve = threshold_curve(*columns(W7))
    assert curve.threshold.tolist() == [0.9, 0.8, 0.5, 0.3]
    assert curve.precision.tolist() == pytest.approx([1, 2 / 3, 1 / 2, 3 / 5])
    assert curve.recall(4).tolist() == [0.25, 0.5, 0.5, 0.75]
    assert curve.average_precision(4) == pytest.approx(0.25 * 1 + 0.25 * 2 / 3 + 0.25 * 3 / 5)
    assert curve.best(4) == 3
    assert curve.f1(4)[3] == pytest.approx(6 / 9)


def test_precision_at_a_recall_is_the_highest_of_those_that_reach_it() -> None:
    curve = threshold_curve(*columns(W7))
    assert curve.at_recall(0.5, 4) == 1
    assert curve.at_recall(0.51, 4) == 3
    assert curve.at_recall(0.75, 4) == 3
    assert curve.at_recall(0.8, 4) is None


def test_of_equal_f1_the_highest_threshold_is_the_best() -> None:
    curve = threshold_curve(*columns([(0.9, True), (0.2, False), (0.2, True), (0.2, False), (0.2, False)]))
    assert curve.f1(3).tolist() == [0.5, 0.5]
    assert curve.best(3) == 0


def test_nothing_decided_is_an_empty_curve() -> None:
    curve = threshold_curve(np.zeros(0), np.zeros(0, np.bool_))
    assert len(curve.kept) == 0
    assert curve.average_precision(2) == 0
    assert curve.at_recall(0.5, 2) is None


@settings(max_examples=draws(40))
@given(items, st.integers(1, 20))
def test_the_curve_by_brute_force(given: Items, missed: int) -> None:
    key = sum(truth for _, truth in given) + missed
    curve = threshold_curve(*columns(given))
    thresholds = sorted({round(w, 9) for w, _ in given}, reverse=True)
    assert curve.threshold.tolist() == thresholds
    kept = [[truth for w, truth in given if w >= cut - 1e-9] for cut in thresholds]
    assert curve.kept.tolist() == [len(each) for each in kept]
    assert curve.correct.tolist() == [sum(each) for each in kept]
    if kept:
        scores = [round(2 * sum(each) / (len(each) + key), 9) for each in kept]
        assert curve.best(key) == scores.index(max(scores))


@settings(max_examples=draws(40))
@given(items.filter(lambda each: any(truth for _, truth in each)), st.integers(0, 9))
def test_average_precision_is_that_of_scikit_learn_over_the_whole_key(given: Items, missed: int) -> None:
    """A scorer that sees candidates alone divides by what was found of the key, and overstates."""
    weight, truth = columns(given)
    found = int(truth.sum())
    theirs = average_precision_score(truth, np.round(weight, 9))
    assert threshold_curve(weight, truth).average_precision(found + missed) == pytest.approx(
        theirs * found / (found + missed)
    )
