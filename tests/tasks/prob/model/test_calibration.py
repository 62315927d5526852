"""Whether probabilities come true: on fingers, and beside scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.metrics import log_loss as sklearn_log_loss

from comparanda.tasks.prob.calibration import bin_of, bin_probabilities, compute_auroc, compute_brier, log_loss
from tests.seeds import draws

W8 = np.array([0.9, 0.8, 0.8, 0.5, 0.3]), np.array([True, False, True, False, True])
both = st.lists(
    st.tuples(st.floats(0.0, 1.0).map(lambda p: round(p, 6)), st.booleans()), min_size=2, max_size=40
).filter(lambda each: len({truth for _, truth in each}) == 2)


def columns(given: list[tuple[float, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([p for p, _ in given]), np.array([truth for _, truth in given], np.bool_)


def test_five_bins_on_fingers() -> None:
    """W8: .3 is right, .5 wrong, of two .8 one is right, .9 is right."""
    found = bin_probabilities(*W8, bins=5)
    assert found.count.tolist() == [0, 1, 1, 2, 1]
    assert found.correct.tolist() == [0, 1, 0, 1, 1]
    assert found.gaps.tolist() == pytest.approx([0.7, 0.5, 0.3, 0.1])
    assert found.ece == pytest.approx((0.7 + 0.5 + 2 * 0.3 + 0.1) / 5)
    assert found.mce == pytest.approx(0.7)
    assert compute_brier(*W8) == pytest.approx((0.01 + 0.64 + 0.04 + 0.25 + 0.49) / 5)
    assert log_loss(*W8) == pytest.approx(-np.log([0.9, 0.2, 0.8, 0.5, 0.3]).mean())


def test_the_upper_end_of_a_bin_is_in_it_and_zero_is_in_the_first() -> None:
    edges = np.arange(11) / 10
    assert bin_of(edges).tolist() == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert bin_of(edges[1:] + 1e-6)[:-1].tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert bin_of(np.array([0.1 + 0.2])).tolist() == [2]  # which is a little more than 0.3


def test_a_certain_error_has_a_finite_log_loss() -> None:
    assert log_loss(np.array([1.0]), np.array([False])) == pytest.approx(-np.log(1e-12))
    assert log_loss(np.array([0.0, 1.0]), np.array([False, True])) == pytest.approx(0, abs=1e-11)


def test_ranking_needs_right_and_wrong_ones() -> None:
    assert compute_auroc(*W8) == pytest.approx(3.5 / 6)  # of six pairs three are in order and one is tied
    assert compute_auroc(np.array([0.5]), np.array([True])) is None
    assert compute_auroc(np.zeros(0), np.zeros(0, np.bool_)) is None


@settings(max_examples=draws(40))
@given(both)
def test_scores_are_those_of_scikit_learn(given: list[tuple[float, bool]]) -> None:
    p, truth = columns(given)
    assert compute_brier(p, truth) == pytest.approx(brier_score_loss(truth, p))
    assert compute_auroc(p, truth) == pytest.approx(roc_auc_score(truth, p))
    inside = np.clip(p, 1e-6, 1 - 1e-6)
    assert log_loss(inside, truth) == pytest.approx(sklearn_log_loss(truth, inside))


@settings(max_examples=draws(40))
@given(both, st.integers(1, 20))
def test_bins_are_those_of_scikit_learn(given: list[tuple[float, bool]], bins: int) -> None:
    p, truth = columns(given)
    inside = np.abs(p * bins - np.round(p * bins)) > 1e-9  # at the ends of bins the last bit decides there
    p, truth = p[inside], truth[inside]
    if not len(p):
        return
    right, mean = calibration_curve(truth, p, n_bins=bins)
    found = bin_probabilities(p, truth, bins)
    there = found.count > 0
    assert found.correct[there] / found.count[there] == pytest.approx(right)
    assert found.mass[there] / found.count[there] == pytest.approx(mean)
    assert found.ece == pytest.approx((found.count[there] * np.abs(right - mean)).sum() / len(p))
