"""A system's own doubt: means, deviations and intervals over its worlds, and where there are none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import poisson_binom

from comparanda.tasks.prob import expectation as module
from comparanda.tasks.prob.expectation import (
    BlockCounts,
    Doubt,
    Spread,
    block_counts,
    compute_distribution,
    compute_doubt,
)
from tests.tasks.prob.model.worlds import FEW, Case, cases

NONE = np.zeros(0)
NO_BLOCKS = np.zeros(0, np.int64)


def right(*chances: float) -> BlockCounts:
    return BlockCounts(
        right=np.array(chances),
        wrong=np.zeros(len(chances)),
        block=NO_BLOCKS,
        probability=NONE,
        found=NONE,
        correct=NONE,
    )


def test_recall_on_fingers() -> None:
    """W6: entities of the key with .9, .5 and .2."""
    found = compute_doubt(right(0.9, 0.5, 0.2), 3).recall
    assert found is not None
    assert found.mean == pytest.approx(1.6 / 3)
    assert found.sd == pytest.approx(np.sqrt(0.09 + 0.25 + 0.16) / 3)
    assert (found.low, found.high) == (0, 1)  # 4 % of the worlds have nothing, 9 % all three
    of_correct = compute_distribution(right(0.9, 0.5, 0.2)).sum(axis=0)
    assert of_correct == pytest.approx([0.04, 0.41, 0.46, 0.09])
    assert of_correct[2:].sum() == pytest.approx(0.55)  # recall of at least two thirds


def test_an_interval_holds_95_percent_of_the_worlds() -> None:
    """One entity with .98: the other worlds are fewer than one in forty."""
    sure, less = compute_doubt(right(0.98), 1).recall, compute_doubt(right(0.97), 1).recall
    assert sure is not None
    assert less is not None
    assert (sure.mean, sure.sd, sure.low, sure.high) == pytest.approx((0.98, 0.14, 1, 1))
    assert (less.low, less.high) == (0, 1)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_right_ones_follow_a_poisson_binomial_distribution(chances: list[float]) -> None:
    found = compute_distribution(right(*chances)).sum(axis=0)
    places = np.arange(len(found))
    assert found == pytest.approx(poisson_binom.pmf(places, np.array(chances)), abs=1e-9)


@settings(max_examples=FEW)
@given(cases(), st.integers(0, 5))
def test_the_interval_is_that_of_all_worlds(given: Case, key: int) -> None:
    found = compute_doubt(block_counts(given.beliefs, given.correct), key)
    values: dict[str, list[tuple[float, float]]] = {"precision": [], "recall": [], "f1": []}
    for p, world in given.worlds():
        correct = sum(bool(given.correct[row]) for row in world)
        values["precision"].append((correct / max(len(world), 1), p))
        values["recall"].append((correct / max(key, 1), p))
        values["f1"].append((2 * correct / max(len(world) + key, 1), p))
    for name, each in values.items():
        spread = getattr(found, name)
        if spread is not None and (name != "f1" or key):
            mean = sum(value * p for value, p in each)
            assert spread.mean == pytest.approx(mean, abs=1e-12)
            assert spread.sd == pytest.approx(np.sqrt(sum(p * (value - mean) ** 2 for value, p in each)), abs=1e-6)
            for end, share in ((spread.low, 0.025), (spread.high, 0.975)):
                assert sum(p for value, p in each if value <= end + 1e-9) >= share - 1e-9
                assert sum(p for value, p in each if value < end - 1e-9) < share + 1e-9


@settings(max_examples=FEW)
@given(cases())
def test_precision_where_something_is_found(given: Case) -> None:
    found = compute_doubt(block_counts(given.beliefs, given.correct), 1).precision_if_found
    there = [(p, [bool(given.correct[row]) for row in world]) for p, world in given.worlds() if world and p > 0]
    if not there:
        assert found is None
        return
    wanted = sum(p * sum(truths) / len(truths) for p, truths in there) / sum(p for p, _ in there)
    assert found == pytest.approx(wanted, abs=1e-9)


def test_many_tuples_have_a_normal_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = BlockCounts(
        right=np.full(60, 0.5), wrong=np.full(60, 0.3), block=NO_BLOCKS, probability=NONE, found=NONE, correct=NONE
    )
    exact = compute_doubt(counts, 70)
    monkeypatch.setattr(module, "FEW", 59)
    normal = compute_doubt(counts, 70)
    for name in ("precision", "recall", "f1"):
        one, other = getattr(exact, name), getattr(normal, name)
        assert (one.mean, one.sd) == (other.mean, other.sd)
        assert (other.low, other.high) == pytest.approx((one.mean - 1.96 * one.sd, one.mean + 1.96 * one.sd), abs=1e-5)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.03)


def test_an_interval_does_not_leave_the_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEW", 0)
    found = compute_doubt(right(0.9, 0.9), 2).recall
    assert found is not None
    assert found.high == 1


NOTHING = Spread(0, 0, 0, 0)


@pytest.mark.parametrize(
    ("chances", "key", "wanted"),
    [
        ([], 2, Doubt(None, None, NOTHING, NOTHING)),
        ([], 0, Doubt(None, None, None, None)),
        ([0.0], 0, Doubt(None, None, None, None)),
    ],
)
def test_where_nothing_can_be_found(chances: list[float], key: int, wanted: Doubt) -> None:
    assert compute_doubt(right(*chances), key) == wanted


def test_without_a_key_all_is_wrong() -> None:
    wrong = BlockCounts(
        right=np.zeros(1), wrong=np.array([0.5]), block=NO_BLOCKS, probability=NONE, found=NONE, correct=NONE
    )
    assert compute_doubt(wrong, 0) == Doubt(NOTHING, 0, None, NOTHING)


def test_what_is_hardly_possible_has_a_precision_where_it_is_found() -> None:
    """With 1e-19 and 3e-19 nearly every world is empty; of the others a quarter is right."""
    hardly = BlockCounts(
        right=np.array([1e-19, 0.0]),
        wrong=np.array([0.0, 3e-19]),
        block=NO_BLOCKS,
        probability=NONE,
        found=NONE,
        correct=NONE,
    )
    assert compute_doubt(hardly, 1).precision_if_found == pytest.approx(0.25)
    assert hardly.something == pytest.approx(4e-19)
    assert right(1.0, 0.3).something == 1
    assert right(0.5, 0.5).something == pytest.approx(0.75)
