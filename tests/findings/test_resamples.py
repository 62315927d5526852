"""What is drawn: resamples of units, and swaps of units."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st

from comparanda.findings import resamples as resample
from comparanda.findings.resamples import bootstrap_sums, find_quantiles, swapped_sums
from tests.findings.populations import drawn, identity


@identity(st.integers(2, 60), st.integers(1, 40), st.integers(0, 5))
def test_a_resample_draws_as_many_units_as_there_are(units: int, resamples: int, seed: int) -> None:
    weights = bootstrap_sums(np.eye(units), resamples, seed)
    assert weights.shape == (resamples, units)
    assert (weights.sum(axis=1) == units).all()
    assert (weights >= 0).all()
    assert (weights == np.round(weights)).all()


@identity(st.integers(2, 60), st.integers(1, 40), st.integers(0, 5))
def test_a_swap_picks_each_unit_or_not(units: int, resamples: int, seed: int) -> None:
    masks = swapped_sums(np.eye(units), resamples, seed)
    assert masks.shape == (resamples, units)
    assert np.isin(masks, (0, 1)).all()


@identity(st.integers(1, 10))
def test_an_exact_test_makes_every_swap_once(units: int) -> None:
    masks = drawn(swapped_sums(np.eye(units), exact=True))
    assert len(masks) == 2**units == len({tuple(mask) for mask in masks})
    assert {number for mask in masks for number in mask} == {0, 1}


@identity(st.integers(17, 40), st.integers(0, 5), st.data())
def test_what_is_drawn_for_a_unit_does_not_depend_on_the_units_added_up(
    units: int, seed: int, data: st.DataObject
) -> None:
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, units - 1)))), dtype=np.int64)
    statistics = np.arange(units * 2, dtype=np.float64).reshape(units, 2)
    kept = np.zeros_like(statistics)
    kept[rows] = statistics[rows]
    assert (swapped_sums(statistics, 20, seed, rows=rows) == swapped_sums(kept, 20, seed)).all()


def test_draws_do_not_depend_on_how_many_are_asked_for() -> None:
    statistics = np.arange(60, dtype=np.float64).reshape(20, 3)
    assert (bootstrap_sums(statistics, 100, 7)[:33] == bootstrap_sums(statistics, 33, 7)).all()
    assert (swapped_sums(statistics, 96, 7)[:32] == swapped_sums(statistics, 32, 7)).all()


def test_draws_are_fair() -> None:
    masks, weights = swapped_sums(np.eye(24), 4000, 1), bootstrap_sums(np.eye(24), 4000, 1)
    assert np.abs(masks.mean(axis=0) - 0.5).max() < 0.05
    assert np.abs(weights.mean(axis=0) - 1).max() < 0.1
    assert abs(float(weights.var()) - (1 - 1 / 24)) < 0.05
    assert np.abs(np.corrcoef(masks.T) - np.eye(24)).max() < 0.1


def test_bootstrap_and_swaps_draw_apart_and_seeds_matter() -> None:
    assert (bootstrap_sums(np.eye(24), 50, 1) != bootstrap_sums(np.eye(24), 50, 2)).any()
    assert (swapped_sums(np.eye(24), 50, 1) != swapped_sums(np.eye(24), 50, 2)).any()


def test_large_products_are_cut_into_tiles_without_loss() -> None:
    statistics = np.random.default_rng(0).integers(0, 9, (3000, 40)).astype(np.float64)
    weights = bootstrap_sums(np.eye(3000), 20, 3)
    assert (bootstrap_sums(statistics, 20, 3) == weights @ statistics).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [("_DRAWS_AT_ONCE", 1), ("_DRAWS_AT_ONCE", 70), ("_DRAWS_AT_ONCE", 1 << 40), ("_MIN_DRAWS_FOR_THREADS", 0)],
)
def test_nothing_depends_on_how_draws_are_spread(name: str, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    statistics = np.random.default_rng(0).integers(0, 9, (31, 4)).astype(np.float64)
    plain = [sums(statistics, 75, 3) for sums in (bootstrap_sums, swapped_sums)]
    monkeypatch.setattr(resample, name, value)
    for sums, before in zip((bootstrap_sums, swapped_sums), plain, strict=True):
        assert (sums(statistics, 75, 3) == before).all()


def test_what_a_thread_raises_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(resample, "_MIN_DRAWS_FOR_THREADS", 0)
    monkeypatch.setattr(resample, "_tiled_product", broken)
    with pytest.raises(MemoryError):
        bootstrap_sums(np.eye(9), 40)


def test_quantiles_lie_between_the_samples() -> None:
    samples = np.array([[30.0, 5.0], [10.0, 5.0], [20.0, 5.0], [50.0, 5.0], [40.0, 5.0]])
    assert find_quantiles(samples, (0.0, 0.125, 0.5, 1.0)).tolist() == [[10, 5], [15, 5], [30, 5], [50, 5]]
    assert find_quantiles(np.array([3.0]), (0.025, 0.975)).tolist() == [3, 3]


@identity(st.integers(1, 60), st.integers(1, 4), st.integers(0, 1000), st.floats(0, 1))
def test_quantiles_are_those_of_numpy_to_the_last_bit(samples: int, columns: int, seed: int, share: float) -> None:
    draw = np.random.default_rng(seed)
    values = draw.choice([draw.normal(size=(samples, columns)), draw.integers(0, 4, (samples, columns)) / 10])
    if seed % 3 == 0:
        values[draw.integers(samples), draw.integers(columns)] = np.nan
    shares = (0.025, share, 0.975)
    assert np.array_equal(find_quantiles(values, shares), np.quantile(values, shares, axis=0), equal_nan=True)
    assert np.array_equal(find_quantiles(values[:, 0], shares), np.quantile(values[:, 0], shares), equal_nan=True)
