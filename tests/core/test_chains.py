"""Mentions in the order of the text, and what stands before each of them in its chain."""

from __future__ import annotations

from random import Random

import numpy as np

from comparanda.core.chains import NO_CHAIN, chain_units, count_mentions, find_antecedents, renumber_chains

# Eight mentions in the order of the text: a chain of the rows 0, 2, 5 and 7, one of 1 and 3, a singleton at 6, and row
# 4 is in no chain.
CHAIN = np.array([0, 1, 0, 1, NO_CHAIN, 0, 2, 0])


def test_the_closest_antecedent_is_the_mention_before_in_the_chain() -> None:
    assert find_antecedents(CHAIN).tolist() == [-1, -1, 0, 1, -1, 2, -1, 5]


def test_the_closest_antecedent_of_a_kind_may_stand_further_back() -> None:
    nominal = np.array([True, False, False, True, True, False, True, True])
    assert find_antecedents(CHAIN, nominal).tolist() == [-1, -1, 0, -1, -1, 0, -1, 0]


def test_a_chain_without_a_mention_of_the_kind_has_no_antecedents() -> None:
    assert find_antecedents(CHAIN, np.zeros(8, np.bool_)).tolist() == [-1] * 8


def test_a_mention_of_another_chain_is_never_an_antecedent() -> None:
    only_the_other = CHAIN == 1
    assert find_antecedents(CHAIN, only_the_other).tolist() == [-1, -1, -1, 1, -1, -1, -1, -1]


def test_mentions_without_a_chain_are_not_one_another_s_antecedents() -> None:
    assert find_antecedents(np.full(4, NO_CHAIN)).tolist() == [-1] * 4


def test_where_there_are_no_mentions_there_are_no_antecedents() -> None:
    empty = np.zeros(0, np.int64)
    assert find_antecedents(empty).tolist() == []
    assert find_antecedents(empty, np.zeros(0, np.bool_)).tolist() == []


def test_antecedents_are_those_of_a_walk_through_the_text() -> None:
    random = Random(3)
    for size in range(1, 40):
        chain = np.array([random.randint(-1, 4) for _ in range(size)])
        kind = np.array([random.random() < 0.5 for _ in range(size)])
        seen: dict[int, int] = {}
        walked = []
        for row, number in enumerate(chain.tolist()):
            walked.append(seen.get(number, -1) if number != NO_CHAIN else -1)
            if kind[row]:
                seen[number] = row
        assert find_antecedents(chain, kind).tolist() == walked


def test_sizes_count_the_mentions_of_each_chain() -> None:
    assert count_mentions(CHAIN).tolist() == [4, 2, 1]
    assert count_mentions(np.full(3, NO_CHAIN)).tolist() == []


def test_a_chain_is_in_the_unit_of_its_mentions() -> None:
    unit = np.array([3, 1, 3, 1, 2, 3, 0, 3], np.int32)
    assert chain_units(CHAIN, unit, 3).tolist() == [3, 1, 0]


def test_chains_are_numbered_by_their_first_mentions() -> None:
    assert renumber_chains(np.array([7, 2, NO_CHAIN, 2, 7, 5])).tolist() == [0, 1, NO_CHAIN, 1, 0, 2]
    assert renumber_chains(np.zeros(0, np.int64)).tolist() == []
