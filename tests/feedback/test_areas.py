"""Areas under curves: the numbers of W10, identities between ways of counting, and what is undefined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparanda.feedback.simulation import (
    AREAS,
    carry_to_horizon,
    compute_area,
    least_difference,
    normalise_area,
    questions_until,
)
from tests.tasks.prob.worked import examples

CURVES = st.lists(st.floats(0, 1), min_size=2, max_size=30).map(np.array)


def test_the_numbers_of_w10() -> None:
    said = examples()["W10"]
    curve, perfect = np.array(said["F"]), np.ones(5)
    for how in AREAS:
        assert compute_area(curve, how) == pytest.approx(said["expect"][how], abs=1e-6)
        assert compute_area(perfect, how) == pytest.approx(said["perfect_run_of_4_questions"][how], abs=1e-6)


def test_of_the_start_alone_the_area_is_the_start_and_the_thesis_would_divide_by_zero() -> None:
    assert compute_area(np.array([0.4])) == 0.4
    assert compute_area(np.array([0.4]), "thesis") is None


def test_undefined_values_are_zero_among_others_and_undefined_alone() -> None:
    assert compute_area(np.array([np.nan, 1.0])) == 0.5
    assert compute_area(np.array([np.nan, np.nan])) is None
    assert compute_area(np.array([np.nan]), "thesis") is None


@given(CURVES)
def test_the_thesis_has_half_a_start_and_half_an_end_more(curve: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    questions = len(curve) - 1
    exceeding = (curve[0] + curve[-1]) / (2 * questions)
    assert compute_area(curve, "thesis") == pytest.approx(float(np.trapezoid(curve)) / questions + exceeding)
    assert compute_area(curve) == pytest.approx(float(np.trapezoid(curve)) / questions)
    assert 0 <= (compute_area(curve) or 0) <= 1 + 1e-12


@given(CURVES, st.integers(0, 40))
def test_behind_its_end_a_curve_keeps_its_last_value(
    curve: np.ndarray[tuple[int], np.dtype[np.float64]], horizon: int
) -> None:
    found = carry_to_horizon(curve, horizon)
    assert found.tolist() == [curve[min(number, len(curve) - 1)] for number in range(horizon + 1)]


def test_a_flat_start_gains_nothing_and_a_flat_ceiling_all() -> None:
    assert [normalise_area(each, 0.5, 0.9) for each in (0.5, 0.7, 0.9)] == pytest.approx([0.0, 0.5, 1.0])
    assert normalise_area(0.5, 0.5, 0.5) is None
    assert normalise_area(None, 0.5, 0.9) is None
    assert normalise_area(0.6, 0.5, None) is None


def test_a_value_is_reached_at_its_first_question() -> None:
    curve = np.array([np.nan, 0.2, 0.5, 0.4, 0.5])
    assert [questions_until(curve, target) for target in (0.1, 0.5, 0.6)] == [1, 2, None]
    assert questions_until(np.array([0.1 + 0.2]), 0.3) == 0


def test_below_this_difference_ways_of_counting_rank_differently() -> None:
    assert least_difference(4) == 0.125
    assert least_difference(0) is None
    one, other = np.array([0.5, 0.5, 0.5]), np.array([0.4, 0.4, 0.75])
    assert abs((compute_area(one) or 0) - (compute_area(other) or 0)) < 0.25
    assert (compute_area(one) or 0) > (compute_area(other) or 0)
    assert (compute_area(one, "thesis") or 0) < (compute_area(other, "thesis") or 0)
