"""Measures of chains are made of sums: precision, recall, F1, BLANC with its edges, the CoNLL average."""

from __future__ import annotations

import math

import numpy as np
import pytest

from comparanda import UsageError
from comparanda.core.measures import parse_measure
from comparanda.tasks.coref.measures import LINKS, MAKERS, METRICS, REPORTED, statistics_of

Four = tuple[float, float, float, float]
"""Found, key, earned, claimed."""


def finished(name: str, **metrics: Four) -> float | None:
    """Return a measure of some counts; None where it is undefined."""
    sums = {
        statistic: np.array([each])
        for metric, counts in metrics.items()
        for statistic, each in zip(statistics_of(metric), counts, strict=True)
    }
    value = float(parse_measure(name).finish(sums)[0])
    return None if math.isnan(value) else value


def blanc(links: Four, others: Four) -> tuple[float | None, float | None, float | None]:
    """Return recall, precision and F."""
    names = ("blanc_recall", "blanc_precision", "blanc")
    recall, precision, f1 = (finished(name, blanc_links=links, blanc_others=others) for name in names)
    return recall, precision, f1


@pytest.mark.parametrize("metric", METRICS)
def test_precision_recall_and_f1_of_a_metric(metric: str) -> None:
    counts = {metric: (3.0, 4.0, 3.0, 6.0)}
    assert finished(f"{metric}_recall", **counts) == 3 / 4
    assert finished(f"{metric}_precision", **counts) == 3 / 6
    assert finished(metric, **counts) == pytest.approx(2 * (3 / 4) * (3 / 6) / (3 / 4 + 3 / 6))


def test_f1_is_the_harmonic_mean_where_recall_and_precision_earn_differently() -> None:
    """B³ and LEA have two numerators: R = 2/4, P = 1/5."""
    assert finished("b3", b3=(2, 4, 1, 5)) == pytest.approx(2 * 0.5 * 0.2 / 0.7)
    assert finished("lea", lea=(0, 4, 0, 5)) == 0


def test_what_has_no_denominator_is_undefined() -> None:
    assert finished("muc_recall", muc=(0, 0, 0, 3)) is None
    assert finished("muc_precision", muc=(0, 3, 0, 0)) is None
    assert finished("muc", muc=(0, 0, 0, 3)) == 0  # only one side is empty
    assert finished("muc", muc=(0, 3, 0, 0)) == 0
    assert finished("muc", muc=(0, 0, 0, 0)) is None
    assert finished("b3", b3=(0, 0, 0, 0)) is None


def test_the_conll_average_is_the_mean_of_three_f1() -> None:
    counts: dict[str, Four] = {"muc": (1, 2, 1, 2), "b3": (3, 4, 3, 4), "ceafe": (1, 4, 1, 4)}
    assert finished("conll", **counts) == pytest.approx((0.5 + 0.75 + 0.25) / 3)


def test_the_conll_average_is_undefined_where_one_of_the_three_is() -> None:
    """All singletons: MUC has nothing to say."""
    assert finished("conll", muc=(0, 0, 0, 0), b3=(2, 2, 2, 2), ceafe=(2, 2, 2, 2)) is None


def test_blanc_is_the_mean_of_its_two_halves() -> None:
    """F is the mean of two F, not the harmonic mean of P and R."""
    recall, precision, f1 = blanc((2, 9, 2, 8), (8, 12, 8, 20))
    assert recall == pytest.approx((2 / 9 + 8 / 12) / 2)
    assert precision == pytest.approx((2 / 8 + 8 / 20) / 2)
    assert f1 == pytest.approx((4 / 17 + 16 / 32) / 2)


def test_without_links_in_the_key_only_other_pairs_count() -> None:
    assert blanc((0, 0, 0, 5), (3, 6, 3, 4)) == pytest.approx((3 / 6, 3 / 4, 6 / 10))


def test_without_other_pairs_in_the_key_only_links_count() -> None:
    assert blanc((3, 6, 3, 4), (0, 0, 0, 5)) == pytest.approx((3 / 6, 3 / 4, 6 / 10))


def test_a_half_that_only_the_response_lacks_counts_as_nothing() -> None:
    """So BLANC is not symmetric at its edges: with the sides changed the first half would not count at all."""
    assert blanc((0, 5, 0, 0), (3, 4, 3, 6)) == pytest.approx((3 / 8, 3 / 12, 6 / 20))


def test_blanc_of_a_key_without_any_pair_is_nothing_or_undefined() -> None:
    assert blanc((0, 0, 0, 2), (0, 0, 0, 1)) == (None, 0, 0)
    assert blanc((0, 2, 0, 0), (0, 1, 0, 0)) == (0, None, 0)
    assert blanc((0, 0, 0, 0), (0, 0, 0, 0)) == (None, None, None)


@pytest.mark.parametrize("name", MAKERS)
def test_measures_of_chains_finish_sums_of_any_shape(name: str) -> None:
    made = parse_measure(name)
    rng = np.random.default_rng(3)
    table = {statistic: rng.integers(0, 3, (4, 5)).astype(np.float64) for statistic in made.statistics}
    whole = made.finish(table)
    assert whole.shape == (4, 5)
    for row in range(4):
        for column in range(5):
            one = made.finish({statistic: each[row, column] for statistic, each in table.items()})
            assert np.array_equal(np.asarray(one).reshape(()), whole[row, column], equal_nan=True)


@pytest.mark.parametrize("name", MAKERS)
def test_a_measure_of_chains_prints_as_it_is_written_and_takes_no_label(name: str) -> None:
    assert str(parse_measure(name)) == name
    with pytest.raises(UsageError, match="takes no label"):
        parse_measure(f"{name}[noun]")


def test_all_that_is_reported_can_be_measured() -> None:
    assert {*REPORTED} <= {*MAKERS}
    assert {*REPORTED} == {"conll", "blanc", *METRICS}
    assert {statistic for name in MAKERS for statistic in parse_measure(name).statistics} == {
        statistic for metric in (*METRICS, *LINKS) for statistic in statistics_of(metric)
    }
