"""From beliefs to a hard output: ties, thresholds, and what the output could have been."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparanda.core.probabilities import EPSILON, Beliefs, Decide
from comparanda.tasks.prob.calibration import TieBounds, tie_bounds
from comparanda.tasks.prob.evaluation import decide_blocks
from tests.tasks.prob.model.worlds import FEW, Case, case, cases

Span = tuple[float, list[float]]
"""p_e, and p_a of each label."""


def beliefs(*blocks: list[Span]) -> Beliefs:
    """Make exclusive blocks of spans with labels."""
    rows = [
        (p * share, p, span, number)
        for number, block in enumerate(blocks)
        for span, (p, shares) in enumerate(block, start=10 * number)
        for share in shares
    ]
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    nothing = np.array([1 - sum(p for p, _ in block) for block in blocks])
    return Beliefs(weight=columns[0], entity=columns[1], alternative=columns[2], block=columns[3], nothing=nothing)


def chosen(given: Beliefs, how: Decide = "tuple", min_weight: float = 0.0) -> list[int]:
    return np.flatnonzero(decide_blocks(given, np.arange(len(given)), how, min_weight).chosen).tolist()


@pytest.mark.parametrize(
    ("given", "by_tuple", "by_span"),
    [
        pytest.param(beliefs([(0.9, [0.8, 0.2])], [(0.6, [0.55, 0.45])], [(0.4, [1.0])]), [0], [0, 2], id="W1"),
        pytest.param(beliefs([(0.3, [1.0]), (0.6, [0.9, 0.1])]), [1], [1], id="W2"),
        pytest.param(beliefs([(0.55, [0.52, 0.48]), (0.45, [1.0])]), [2], [0], id="W3"),
    ],
)
def test_the_largest_weight_or_the_best_span_first(given: Beliefs, by_tuple: list[int], by_span: list[int]) -> None:
    assert chosen(given) == by_tuple
    assert chosen(given, "hierarchical") == by_span


def test_of_equal_ones_the_preferred_is_taken_and_nothing_only_if_it_is_more_probable() -> None:
    tied = beliefs([(0.4, [1.0]), (0.4, [1.0])], [(0.5, [1.0])], [(0.49, [1.0])])
    found = decide_blocks(tied, np.array([1, 0, 2, 3]))
    assert np.flatnonzero(found.chosen).tolist() == [1, 2]
    assert found.ties == 2


def test_what_weighs_too_little_is_not_chosen() -> None:
    assert chosen(beliefs([(0.9, [1.0])], [(0.6, [1.0])]), min_weight=0.7) == [0]


def test_the_most_probable_world_is_taken_as_a_whole() -> None:
    given = case([(3, [(0.4, (0, 1)), (0.35, (2,)), (0.2, (0,))])], [True] * 3)
    assert chosen(given.beliefs) == [0, 1]
    rather_nothing = case([(2, [(0.3, (0, 1)), (0.2, (0,))])], [True] * 2)
    assert chosen(rather_nothing.beliefs) == []


def test_ties_on_fingers() -> None:
    """A right and a wrong one as probable as each other; a wrong one as probable as nothing; a sure right one."""
    given = beliefs([(0.4, [1.0]), (0.4, [1.0])], [(0.5, [1.0])], [(0.9, [1.0])])
    bounds = tie_bounds(given, np.array([True, False, False, True]))
    assert bounds == TieBounds(best_found=2, best_correct=2, worst_found=3, worst_correct=1)


def possible(given: Case, min_weight: float) -> list[list[list[int]]]:
    """Return for each block all hard outputs that ties leave open."""
    found = []
    for outcomes in given.blocks:
        together: dict[tuple[int, ...], float] = {}
        for p, rows in outcomes:
            together[rows] = together.get(rows, 0.0) + p
        top = max(together.values())
        best = [rows for rows, p in together.items() if p >= top - EPSILON]
        found.append([[row for row in rows if given.beliefs.weight[row] >= min_weight - EPSILON] for rows in best])
    return found


@settings(max_examples=FEW)
@given(cases(), st.sampled_from([0.0, 0.3]))
def test_ties_by_trying_every_way(given: Case, min_weight: float) -> None:
    bounds = tie_bounds(given.beliefs, given.correct, min_weight=min_weight)
    tried = []
    for ways in product(*possible(given, min_weight)):
        rows = [row for way in ways for row in way]
        tried.append((sum(bool(given.correct[row]) for row in rows), len(rows)))
    most, least = max(right for right, _ in tried), min(right for right, _ in tried)
    assert bounds.best_correct == most
    assert bounds.worst_correct == least
    assert bounds.best_found == min(found for right, found in tried if right == most)
    assert bounds.worst_found == max(found for right, found in tried if right == least)
    decided = decide_blocks(given.beliefs, np.arange(len(given.beliefs)), min_weight=min_weight).chosen
    assert (int((decided & given.correct).sum()), int(decided.sum())) in tried


def test_ties_of_spans_and_of_their_labels() -> None:
    """Hierarchical: two spans at .45; the first has two labels at .5, the second one at .9 and one at .1."""
    given = beliefs([(0.45, [0.5, 0.5]), (0.45, [0.9, 0.1])])
    for truth, best in (([0, 1, 0, 0], 1), ([0, 0, 1, 0], 1), ([0, 0, 0, 1], 0)):
        bounds = tie_bounds(given, np.array(truth, np.bool_), "hierarchical")
        assert (bounds.best_correct, bounds.worst_correct, bounds.best_found) == (best, 0, 1)
    heavy = tie_bounds(given, np.array([0, 1, 0, 0], np.bool_), "hierarchical", min_weight=0.3)
    assert heavy == TieBounds(0, 0, 1, 0)  # labels of the first span weigh too little
