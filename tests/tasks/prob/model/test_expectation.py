"""The expectation of ratios over all worlds: on fingers, against every world one by one, and by drawing many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from comparanda.tasks.prob.expectation import BlockCounts, RatioMoments, block_counts
from tests.tasks.prob.model.worlds import FEW, Case, case, cases

NONE = np.zeros(0)
NO_BLOCKS = np.zeros(0, np.int64)


def single(right: list[float], wrong: list[float]) -> BlockCounts:
    return BlockCounts(
        right=np.array(right), wrong=np.array(wrong), block=NO_BLOCKS, probability=NONE, found=NONE, correct=NONE
    )


def enumerated(given: Case, below: int, rows: set[int] | None = None) -> tuple[float, float]:
    """Return the expectation and the variance of C/(N + below), world by world."""
    values = []
    for p, world in given.worlds():
        found = [row for row in world if rows is None or row in rows]
        correct = sum(bool(given.correct[row]) for row in found)
        values.append((p, correct / (len(found) + below) if found else 0.0))
    mean = sum(p * value for p, value in values)
    return mean, sum(p * (value - mean) ** 2 for p, value in values)


def test_two_blocks_on_fingers() -> None:
    """W5: .8 right and .4 wrong. Alone right .48, both .32, alone wrong .08, nothing .12."""
    moments = RatioMoments(single([0.8, 0], [0, 0.4]), [0, 1])
    assert moments.mean(0) == pytest.approx(0.48 + 0.32 / 2, abs=1e-14)
    assert moments.variance(0) == pytest.approx(0.48 + 0.32 / 4 - 0.64**2, abs=1e-14)
    assert 2 * moments.mean(1) == pytest.approx(0.48 * 2 / 2 + 0.32 * 2 / 3, abs=1e-14)


def test_worlds_of_several_tuples_on_fingers() -> None:
    """Both with .5, of which one is right; one right alone with .3; nothing with .2."""
    given = case([(2, [(0.5, (0, 1)), (0.3, (0,))])], [True, False])
    moments = RatioMoments(block_counts(given.beliefs, given.correct), [0, 2])
    assert moments.mean(0) == pytest.approx(0.5 / 2 + 0.3, abs=1e-14)
    assert moments.mean(2) == pytest.approx(0.5 / 4 + 0.3 / 3, abs=1e-14)


def test_what_is_certain_does_not_vary() -> None:
    moments = RatioMoments(single([1.0] * 7, [0.0] * 7), [0, 9])
    assert moments.mean(0) == pytest.approx(1, abs=1e-14)
    assert moments.variance(0) == pytest.approx(0, abs=1e-25)
    assert moments.variance(9) == pytest.approx(0, abs=1e-25)


@settings(max_examples=FEW)
@given(cases(), st.integers(0, 6))
def test_the_integral_is_the_sum_over_all_worlds(given: Case, below: int) -> None:
    counts = block_counts(given.beliefs, given.correct)
    if not counts.mean_found:
        return
    moments = RatioMoments(counts, [0, below])
    mean, variance = enumerated(given, below)
    assert moments.mean(below) == pytest.approx(mean, abs=1e-12)
    assert moments.variance(below) == pytest.approx(variance, abs=1e-12)


@settings(max_examples=FEW)
@given(cases(), st.sets(st.integers(0, 11)))
def test_of_some_tuples_alone_the_others_are_not_there(given: Case, chosen: set[int]) -> None:
    rows = np.array(sorted(chosen & {*range(len(given.beliefs))}), np.int64)
    counts = block_counts(given.beliefs, given.correct, rows)
    if not counts.mean_found:
        return
    mean, variance = enumerated(given, 0, {*rows.tolist()})
    moments = RatioMoments(counts, [0])
    assert moments.mean(0) == pytest.approx(mean, abs=1e-12)
    assert moments.variance(0) == pytest.approx(variance, abs=1e-12)


@settings(max_examples=FEW)
@given(cases())
def test_counts_of_blocks_are_those_of_their_worlds(given: Case) -> None:
    counts = block_counts(given.beliefs, given.correct)
    worlds = [(p, len(world), sum(bool(given.correct[row]) for row in world)) for p, world in given.worlds()]
    possible = [(p, found) for p, found, _ in worlds if p > 1e-12]
    correct = sum(p * right for p, _, right in worlds)
    assert counts.mean_found == pytest.approx(sum(p * found for p, found, _ in worlds), abs=1e-12)
    assert counts.mean_correct == pytest.approx(correct, abs=1e-12)
    assert counts.variance_correct == pytest.approx(
        sum(p * (right - correct) ** 2 for p, _, right in worlds), abs=1e-12
    )
    assert counts.nothing == pytest.approx(sum(p for p, found in possible if not found), abs=1e-12)
    assert counts.most >= max(found for _, found in possible)
    assert counts.least <= min(found for _, found in possible)


@pytest.mark.parametrize("blocks", [1, 30, 1_000, 20_000])
@pytest.mark.parametrize("chance", [1e-4, 0.01, 0.3, 0.99])
def test_equal_blocks_follow_a_binomial_distribution(blocks: int, chance: float) -> None:
    """Of what is found 70 % are right, so the mean is 0.7 wherever something is found."""
    moments = RatioMoments(single([0.7 * chance] * blocks, [0.3 * chance] * blocks), [0])
    found = np.arange(1, blocks + 1)
    likely = binom.pmf(found, blocks, chance)
    nothing = (1 - chance) ** blocks
    mean = 0.7 * (1 - nothing)
    square = (likely * (0.21 / found + 0.49)).sum()
    assert moments.mean(0) == pytest.approx(mean, abs=1e-9)
    assert moments.variance(0) == pytest.approx(square - mean**2, abs=1e-9)


def drawn(blocks: int, worlds: int, seed: int) -> None:
    """Compare with worlds that are drawn: means within five standard errors."""
    random = np.random.default_rng(seed)
    found = random.random(blocks)
    right = found * np.where(random.random(blocks) < 0.6, random.random(blocks), 0)
    key = blocks // 2
    moments = RatioMoments(single(right.tolist(), (found - right).tolist()), [0, key])
    samples = []
    for _ in range(worlds):
        draw = random.random(blocks)
        correct, there = (draw < right).sum(), (draw < found).sum()
        samples.append((correct / max(there, 1), correct / (there + key)))
    for column, below in zip(np.array(samples).T, (0, key), strict=True):
        sd = np.sqrt(moments.variance(below))
        assert abs(column.mean() - moments.mean(below)) < 5 * sd / np.sqrt(worlds)
        assert abs(column.std() / sd - 1) < 5 / np.sqrt(2 * worlds)


def test_many_blocks_agree_with_drawn_worlds() -> None:
    drawn(blocks=3_000, worlds=1_500, seed=5)


@pytest.mark.slow
def test_a_hundred_thousand_blocks_agree_with_drawn_worlds() -> None:
    drawn(blocks=100_000, worlds=3_000, seed=6)
