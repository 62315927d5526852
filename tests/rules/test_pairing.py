"""One-to-one pairing: greedy takes the best pair first, optimal takes as many pairs as there can be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from comparanda.errors import RuleError
from comparanda.rules import engine
from comparanda.rules.engine import find_contested, pair_greedily, pair_optimally

Pair = tuple[int, int]


def random_pairs(seed: int, most: int = 20) -> tuple[list[Pair], list[list[float]]]:
    """Return some pairs of a few rows, by content, and up to two columns of numbers with many ties."""
    random = Random(seed)
    rows = random.choice([2, 3, 5])
    pairs = sorted({(random.randrange(rows), random.randrange(rows)) for _ in range(random.randint(0, most))})
    numbers = [0.0, 1.0, 1.0, 2.0, -1.5, np.nan]
    best = [[random.choice(numbers) for _ in pairs] for _ in range(random.randint(0, 2))]
    return pairs, best


def arrays(pairs: Sequence[Pair], best: Sequence[Sequence[float]]) -> tuple[Any, Any, list[NDArray[np.float64]]]:
    left, right = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    return left, right, [np.array(each, np.float64) for each in best]


def one_by_one(pairs: Sequence[Pair], best: Sequence[Sequence[float]]) -> list[int]:
    """Take the best pair that is still free, again and again."""

    def rank(place: int) -> tuple[Any, ...]:
        numbers = (each[place] for each in best)
        return (*((True, 0.0) if isnan(number) else (False, number) for number in numbers), pairs[place])

    chosen: list[int] = []
    for place in sorted(range(len(pairs)), key=rank):
        if all(pairs[place][side] != pairs[other][side] for other in chosen for side in (0, 1)):
            chosen.append(place)
    return sorted(chosen)


def matchings(pairs: Sequence[Pair], begin: int = 0) -> Iterator[list[int]]:
    """Yield all ways to pair rows."""
    if begin == len(pairs):
        yield []
        return
    for rest in matchings(pairs, begin + 1):
        yield rest
        if all(pairs[begin][side] != pairs[other][side] for other in rest for side in (0, 1)):
            yield [begin, *rest]


def test_pairs_are_contested_if_a_row_has_another_pair() -> None:
    left, right = np.array([0, 1, 2, 3]), np.array([0, 1, 1, 4])
    assert find_contested(left, right).tolist() == [False, True, True, False]


def test_greedy_is_taking_the_best_pair_first_one_by_one() -> None:
    for seed in range(600):
        pairs, best = random_pairs(seed)
        assert pair_greedily(*arrays(pairs, best)).tolist() == one_by_one(pairs, best), seed


def test_greedy_of_a_long_chain_takes_every_other_pair() -> None:
    """Each pair keeps the next one from being chosen, which only shows when the one before is settled."""
    size = 200
    pairs = [pair for row in range(size) for pair in ((row, row), (row, row + 1))]
    best = [[float(place) for place in range(len(pairs))]]
    assert pair_greedily(*arrays(pairs, best)).tolist() == one_by_one(pairs, best) == list(range(0, 2 * size, 2))


def test_optimal_pairs_as_many_as_possible_and_then_at_the_least_cost() -> None:
    for seed in range(400):
        pairs, best = random_pairs(seed, most=9)
        costs = [0.5 if isnan(number) else number for number in best[0]] if best else [0.0] * len(pairs)
        found = pair_optimally(*arrays(pairs, [costs] if best else [])).tolist()
        assert one_to_one(pairs, found)
        expected = min((-len(each), sum(costs[place] for place in each)) for each in matchings(pairs))
        assert (-len(found), sum(costs[place] for place in found)) == expected, seed


def test_optimal_pairs_as_many_as_possible_where_numbers_are_missing() -> None:
    for seed in range(400):
        pairs, best = random_pairs(seed, most=9)
        found = pair_optimally(*arrays(pairs, best)).tolist()
        assert one_to_one(pairs, found)
        assert len(found) == max(map(len, matchings(pairs))), seed
    pairs = [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert pair_optimally(*arrays(pairs, [[np.nan, 1.0, 1.0, np.nan]])).tolist() == [1, 2]


def one_to_one(pairs: Sequence[Pair], chosen: Sequence[int]) -> bool:
    return all(len({pairs[place][side] for place in chosen}) == len(chosen) for side in (0, 1))


def test_optimal_finds_a_pair_more_where_greedy_is_in_its_own_way() -> None:
    pairs, best = [(0, 0), (0, 1), (1, 0)], [[0.0, 1.0, 1.0]]
    assert pair_greedily(*arrays(pairs, best)).tolist() == [0]
    assert pair_optimally(*arrays(pairs, best)).tolist() == [1, 2]


def test_optimal_prefers_the_content_where_costs_are_equal() -> None:
    pairs = [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert pair_optimally(*arrays(pairs, [])).tolist() == [0, 3]


def test_a_crowd_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MOST_CELLS", 3)
    with pytest.raises(RuleError, match="2 rows compete for 2 rows: too many for optimal pairing"):
        pair_optimally(*arrays([(0, 0), (0, 1), (1, 0), (1, 1)], []))


def test_many_rows_that_are_all_the_same_are_paired_in_order() -> None:
    """Each round would take one pair of all: of a thousand rows on both sides, a thousand rounds over a million."""
    rows = np.arange(1000)
    left, right = np.repeat(rows, 1000), np.tile(rows, 1000)
    assert pair_greedily(left, right, []).tolist() == (rows * 1001).tolist()


@pytest.mark.parametrize("seed", range(60))
def test_what_is_taken_one_by_one_is_what_rounds_would_take(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_SLOW_ROUND_RATIO", 0.0)
    monkeypatch.setattr(engine, "_CHUNK_SIZE", 3)
    pairs, best = random_pairs(seed)
    left, right, numbers = arrays(pairs, best)
    assert pair_greedily(left, right, numbers).tolist() == one_by_one(pairs, best)
