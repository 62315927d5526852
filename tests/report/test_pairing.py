"""Which pairs a page holds."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import pytest

import comparanda as cp
from comparanda import Result, UsageError
from comparanda.report import Choices
from comparanda.report.views import MOST_PAIRS, Pairing, choose_pairs, errors_of


@cache
def systems(count: int) -> Result:
    """Systems that err at ever more sites; the best stands in the middle."""
    key = ["a"] * 40
    given = {}
    for number in range(count):
        wrong = abs(number - count // 2)
        given[f"s{number:02}"] = ["b"] * wrong + ["a"] * (40 - wrong)
    return cp.compare(key, given, task="tag", resamples=0)


def pairs(count: int, **choices: object) -> Pairing:
    found = choose_pairs(systems(count), Choices(**choices))  # type: ignore[arg-type]
    assert found is not None
    return found


def test_one_system_is_no_pair() -> None:
    assert choose_pairs(systems(1), Choices()) is None


@pytest.mark.parametrize("count", [2, 3, 12])
def test_of_few_systems_all_pairs_are_there(count: int) -> None:
    found = pairs(count)
    assert {frozenset(pair) for pair in found.pairs} == {
        frozenset(pair) for pair in combinations(systems(count).systems, 2)
    }
    assert found.left_out == 0
    assert found.all == len(found.pairs) <= MOST_PAIRS


def test_the_first_and_the_best_other_one_are_shown_first() -> None:
    assert pairs(5).usual == ("s00", "s02")
    assert pairs(5, base="s04").usual == ("s04", "s02")
    assert pairs(5, base="s04", new="s01").usual == ("s04", "s01")


def test_a_pair_that_is_asked_for_stands_as_it_was_asked_for() -> None:
    found = pairs(5, base="s04", new="s01")
    assert ("s04", "s01") in found.pairs
    assert ("s01", "s04") not in found.pairs
    assert len(found.pairs) == 10
    assert found.holds("s01", "s04")
    assert found.holds("s04", "s01")


def test_of_many_systems_those_are_there_that_people_ask_for_first() -> None:
    found = pairs(30)
    assert found.all == 435
    assert found.left_out == 435 - len(found.pairs)
    names = systems(30).systems
    assert all(found.holds("s00", other) for other in names[1:])
    assert all(found.holds("s15", other) for other in names if other != "s15")
    assert found.holds("s07", "s23")  # as far from the best: neighbours in rank
    assert not found.holds("s03", "s09")
    assert len(found.pairs) < 90


def test_those_of_the_pair_that_is_asked_for_are_added() -> None:
    found = pairs(30, base="s03", new="s09")
    assert found.usual == ("s03", "s09")
    names = systems(30).systems
    assert all(found.holds(hub, other) for hub in ("s03", "s09") for other in names if other != hub)


def test_all_pairs_if_that_is_asked_for() -> None:
    found = pairs(30, pairs="all")
    assert (len(found.pairs), found.left_out) == (435, 0)


def test_systems_that_are_not_there() -> None:
    with pytest.raises(UsageError, match="unknown system 's99'"):
        pairs(3, base="s99")


def test_the_errors_of_all_are_found_once_for_all_pairs() -> None:
    found = pairs(4)
    assert found.errors is not None
    assert len(found.errors.pairs) == 6
    assert found.errors.diversity is None
    two = errors_of(systems(4), Choices(), "s01", "s03")
    assert two is not None
    assert [(each.first, each.second) for each in two.pairs] == [("s01", "s03")]
