"""Chains of overlapping spans: the walk along them against all sets of spans, one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from comparanda.core.blocks import Chain, compute_weights, condition_on_no_overlap, enumerate_worlds, keep_probabilities
from tests.tasks.prob.model.intervals import Interval, fullest, given_no_overlap, scored_spans, sets

THREE = [(0, 5), (3, 8), (7, 12)]
"""The one in the middle overlaps both others, which do not overlap each other."""


def chain(spans: list[Interval]) -> Chain:
    return Chain(*np.array(spans, np.int64).T)


def test_a_chain_of_three_by_hand() -> None:
    half = np.full(3, 0.5)
    steps = keep_probabilities(chain(THREE), half)  # the middle one or both others: nothing else leaves each its half
    assert enumerate_worlds(chain(THREE), steps) == [(0.5, (0, 2)), (0.5, (1,))]
    steps = condition_on_no_overlap(chain(THREE), half)  # five sets, all as likely
    assert compute_weights(chain(THREE), steps) == pytest.approx([0.4, 0.2, 0.4])
    found = enumerate_worlds(chain(THREE), steps)
    assert [members for _, members in found] == [(0, 2), (0,), (1,), (2,)]
    assert [p for p, _ in found] == pytest.approx([0.2] * 4)


def test_what_is_not_said_is_left_to_chance() -> None:
    quarter = np.full(3, 0.25)
    found = {members: p for p, members in enumerate_worlds(chain(THREE), keep_probabilities(chain(THREE), quarter))}
    assert found[1,] == pytest.approx(0.25)
    assert found[0, 2] == pytest.approx(0.25 * (0.25 / 0.75))  # the last, given that the middle one is not there
    assert found[0,] + found[0, 2] == pytest.approx(0.25)


def test_equally_probable_worlds_stand_by_what_they_cover_then_by_their_begins() -> None:
    spans = [(0, 4), (2, 5), (4, 6), (5, 7)]
    found = enumerate_worlds(chain(spans), condition_on_no_overlap(chain(spans), np.full(4, 0.5)))
    assert [members for _, members in found] == [(0, 2), (0, 3), (1, 3), (0,), (1,), (2,), (3,)]


@given(scored_spans())
def test_every_span_keeps_its_weight(case: tuple[list[Interval], list[float]]) -> None:
    spans, scores = case
    mine = chain(spans)
    assert mine.fullest(np.array(scores)) == pytest.approx(fullest(spans, scores))
    weight = np.array(scores) / max(1.0, fullest(spans, scores))
    steps = keep_probabilities(mine, weight)
    found = enumerate_worlds(mine, steps)
    assert {members for _, members in found} <= set(sets(spans))
    assert sum(p for p, _ in found) <= 1 + 1e-9
    sums = [sum(p for p, members in found if span in members) for span in range(len(spans))]
    assert sums == pytest.approx(weight.tolist(), abs=1e-9)
    assert compute_weights(mine, steps) == pytest.approx(weight, abs=1e-9)


@given(scored_spans())
def test_conditioned_spans_are_those_of_all_sets(case: tuple[list[Interval], list[float]]) -> None:
    spans, scores = case
    mine, wanted = chain(spans), given_no_overlap(spans, scores)
    assert mine.count() == len(wanted)
    steps = condition_on_no_overlap(mine, np.array(scores))
    found = {members: p for p, members in enumerate_worlds(mine, steps)}
    assert found == pytest.approx({each: p for each, p in wanted.items() if each and p > 1e-11}, abs=1e-9)
    sums = [sum(p for each, p in wanted.items() if span in each) for span in range(len(spans))]
    assert compute_weights(mine, steps).tolist() == pytest.approx(sums, abs=1e-9)


def test_odds_of_many_spans_do_not_run_over() -> None:
    spans = [(place, place + 1) for place in range(200)]
    mine = chain(spans)
    found = compute_weights(mine, condition_on_no_overlap(mine, np.full(200, 1 - 1e-9)))
    assert found == pytest.approx(np.full(200, 1 - 1e-9))
    assert mine.count() == 2**200
