"""A leaderboard: ranks, ranges and groups, told once more from the p of all pairs."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise

import pytest
from hypothesis import strategies as st

import comparanda
from comparanda import UsageError
from comparanda.core.verdicts import System
from comparanda.findings.leaderboard import Leaderboard, Standing
from tests import reference
from tests.findings.populations import Population, close, identity, several_systems

LEVEL = Fraction(5, 100)


def contest(seed: int, systems: int = 5, documents: int = 12, copies: bool = True) -> Population:
    """Systems of very different quality, so that some differences are significant; the last may be a copy."""
    source = random.Random(seed)
    document = [number for number in range(documents) for _ in range(source.randint(4, 9))]
    key = [source.choice("ABC") for _ in document]
    found: dict[str, tuple[reference.Value, ...]] = {}
    for number in range(systems):
        wrong = source.choice((0.02, 0.05, 0.4, 0.5, 0.9, 0.99))
        values = [source.choice("ABC") if source.random() < wrong else tag for tag in key]
        found[f"s{number}"] = tuple(values)
    if copies and source.random() < 0.5:
        found["copy"] = found[source.choice(sorted(found))]
    return Population(key=tuple(key), systems=found, sentence=tuple(document), document=tuple(document))


contests = st.builds(contest, st.integers(0, 10**6))


def board(population: Population, resamples: int = 50) -> Leaderboard:
    return population.result(resamples).leaderboard()


def gains(population: Population, name: str) -> list[int]:
    """How many sites of each document a system has right."""
    values = population.systems[name]
    return [
        sum(population.key[site] == values[site] for site, owner in enumerate(population.document) if owner == number)
        for number in sorted(set(population.document))
    ]


def slow_p(first: list[int], second: list[int]) -> Fraction:
    """Swap whole documents in all ways: the share of swaps with at least the observed difference."""
    steps = [two - one for one, two in zip(first, second, strict=True)]
    observed = abs(sum(steps))
    sums = [0]
    for step in steps:
        sums = [total + sign * step for total in sums for sign in (1, -1)]
    return Fraction(sum(abs(total) >= observed for total in sums), len(sums))


class Slow:
    """Ranks, ranges and groups from the definitions: dictionaries and loops."""

    def __init__(self, population: Population) -> None:
        right = {name: gains(population, name) for name in population.systems}
        self.total = {name: sum(counts) for name, counts in right.items()}
        pairs = list(combinations(sorted(right), 2))
        corrected = reference.holm([slow_p(right[one], right[two]) for one, two in pairs])
        self.p = dict(zip(pairs, corrected, strict=True))
        self.p |= {(two, one): p for (one, two), p in self.p.items()}

    def beats(self, one: str, two: str) -> bool:
        return self.total[one] > self.total[two] and self.p[one, two] < LEVEL

    def rank(self, name: str) -> int:
        return 1 + sum(total > self.total[name] for total in self.total.values())

    def ranks(self, name: str) -> tuple[int, int]:
        others = [other for other in self.total if other != name]
        better = sum(self.beats(other, name) for other in others)
        worse = sum(self.beats(name, other) for other in others)
        return better + 1, len(self.total) - worse

    def groups(self) -> list[set[str]]:
        """Whoever does not beat one further down is in one group with it, and with all between them."""
        order = sorted(self.total, key=lambda name: (-self.total[name], name))
        joined = [False] * len(order)  # whether a place belongs together with the one above it
        for upper, lower in combinations(range(len(order)), 2):
            if not self.beats(order[upper], order[lower]):
                for place in range(upper + 1, lower + 1):
                    joined[place] = True
        groups: list[set[str]] = []
        for place, name in enumerate(order):
            groups = [*groups[:-1], groups[-1] | {name}] if joined[place] else [*groups, {name}]
        return groups


@identity(contests, examples=25)
def test_ranks_ranges_and_groups_follow_from_the_p_of_all_pairs(population: Population) -> None:
    slow, found = Slow(population), board(population)
    for each in found.standings:
        assert each.rank == slow.rank(each.system)
        assert (each.first_rank, each.last_rank) == slow.ranks(each.system)
        assert close(each.scores[0].value, Fraction(slow.total[each.system], len(population)))
        if each.to_best is not None:
            assert close(each.to_best.p_holm, slow.p[each.system, each.to_best.other])
    groups = slow.groups()
    assert [{each.system for each in found.standings if each.group == number + 1} for number in range(len(groups))] == (
        groups
    )


def test_the_contests_are_of_all_kinds() -> None:
    """The test above sees boards of one group and of many, and systems whose range is narrower than the board."""
    found = [board(contest(seed), 20) for seed in range(30)]
    groups = {max(each.group or 0 for each in one.standings) for one in found}
    assert len(groups) > 2
    assert any(each.identical for each in found)
    assert any(
        one.first_rank != one.last_rank and (one.first_rank, one.last_rank) != (1, len(each.standings))
        for each in found
        for one in each.standings
    )


@identity(contests)
def test_groups_are_contiguous_and_every_rank_lies_in_its_range(population: Population) -> None:
    standings = board(population).standings
    groups = [each.group for each in standings]
    assert groups[0] == 1
    assert all(below in {above, (above or 0) + 1} for above, below in pairwise(groups))
    for each in standings:
        assert each.rank is not None
        assert each.first_rank is not None
        assert each.last_rank is not None
        assert each.first_rank <= each.rank <= each.last_rank
        assert (each.better, each.worse) == (each.first_rank - 1, len(standings) - each.last_rank)


@identity(contests, st.randoms(use_true_random=False))
def test_the_order_of_the_systems_changes_nothing(population: Population, source: random.Random) -> None:
    names = list(population.systems)
    source.shuffle(names)
    there, back = board(population), board(population.only(*names))
    assert there.standings == back.standings
    assert (there.tests, there.identical) == (back.tests, back.identical)


@identity(st.builds(contest, st.integers(0, 10**6), copies=st.just(False)))
def test_a_copy_has_the_rank_and_the_group_of_its_original(population: Population) -> None:
    for name in population.systems:
        systems = {**population.systems, "twin": population.systems[name]}
        found = board(replace(population, systems=systems))
        original, twin = (place(found, each) for each in (name, "twin"))
        assert (twin.rank, twin.group) == (original.rank, original.group)
        assert (twin.first_rank, twin.last_rank) == (original.first_rank, original.last_rank)
        assert any({name, "twin"} <= set(names) for names in found.identical)


def place(found: Leaderboard, name: str) -> Standing:
    return next(each for each in found.standings if each.system == name)


@identity(contests)
def test_a_gap_is_the_difference_of_two_scores(population: Population) -> None:
    found = board(population)
    values = {each.system: each.scores[0].value for each in found.standings}
    tests = {frozenset((test.base, test.new)): test for test in found.tests}
    for number, each in enumerate(found.standings):
        if not number:
            assert each.to_best is None
            assert each.to_above is None
            continue
        assert each.to_best is not None
        assert each.to_above is not None
        assert (each.to_best.other, each.to_above.other) == (
            found.standings[0].system,
            found.standings[number - 1].system,
        )
        for gap in (each.to_best, each.to_above):
            mine, theirs = values[each.system], values[gap.other]
            assert mine is not None
            assert theirs is not None
            assert close(gap.difference, mine - theirs)
            assert gap.difference is not None
            assert gap.difference <= 1e-12
            test = tests[frozenset((each.system, gap.other))]
            assert test.low is not None
            assert test.high is not None
            sign = 1 if test.new == each.system else -1
            assert (gap.low, gap.high) == ((test.low, test.high) if sign > 0 else (-test.high, -test.low))


# Standing alone


def lonely(population: Population, systems: list[list[int]], number: int) -> tuple[int, int]:
    """Sites that one system (columns of runs) alone has right, or wrong, in at least one of its runs."""
    columns = list(population.systems.values())
    right = wrong = 0
    for site, wanted in enumerate(population.key):
        answers = [[columns[run][site] == wanted for run in runs] for runs in systems]
        others = [answer for place, found in enumerate(answers) if place != number for answer in found]
        right += any(answers[number]) and not any(others)
        wrong += not all(answers[number]) and all(others)
    return right, wrong


@identity(several_systems)
def test_what_one_system_alone_has_right_or_wrong(population: Population) -> None:
    result = population.result()
    for number, name in enumerate(population.systems):
        found = place(result.leaderboard(), name).alone
        assert found is not None
        assert (found.right, found.wrong) == lonely(
            population, [[each] for each in range(len(population.systems))], number
        )
        assert result.count(found.right_where) == found.right
        assert result.count(found.wrong_where) == found.wrong


@identity(several_systems)
def test_runs_of_one_system_stand_against_those_of_others_together(population: Population) -> None:
    count = len(population.systems)
    runs = (System("all but one", tuple(range(count - 1))), System("last", (count - 1,)))
    result = replace(population, runs=runs).result()
    for number, system in enumerate(runs):
        found = place(result.leaderboard(), system.name).alone
        assert found is not None
        assert (found.right, found.wrong) == lonely(population, [list(each.runs) for each in runs], number)
        assert result.count(found.right_where) == found.right
        assert result.count(found.wrong_where) == found.wrong


# Cases to be counted on fingers


def hand(**systems: str) -> Population:
    """One document a letter of the key AAAAAA (or as many as the systems have)."""
    size = len(next(iter(systems.values())))
    found: dict[str, tuple[reference.Value, ...]] = {name: tuple(values) for name, values in systems.items()}
    return Population(key=("A",) * size, systems=found, sentence=tuple(range(size)), document=tuple(range(size)))


def test_equal_scores_share_a_rank_and_stand_in_the_order_of_their_names() -> None:
    found = board(hand(d="AABB", b="ABAB", c="AAAB", a="BBBB"), 0)
    assert [(each.rank, each.system) for each in found.standings] == [(1, "c"), (2, "b"), (2, "d"), (4, "a")]
    assert [each.scores[0].value for each in found.standings] == [0.75, 0.5, 0.5, 0.0]


def test_without_tests_there_are_no_groups_and_the_reason_is_said() -> None:
    for resamples, reason in ((0, "not requested"), (20, "n/a: fewer than 6 units")):
        found = board(hand(a="AAAAA", b="BBBBB"), resamples)
        assert found.untested == reason
        assert [(each.rank, each.group, each.first_rank, each.last_rank) for each in found.standings] == [
            (1, None, None, None),
            (2, None, None, None),
        ]
        assert f"no groups: {reason}" in str(found)


def test_two_groups_of_eight_documents() -> None:
    """All right against all wrong in 8 documents: p = 2/2⁸ = 0.0078, times three pairs 0.0234."""
    found = board(hand(good="AAAAAAAA", fine="AAAAAAAA", bad="BBBBBBBB"))
    assert [(each.system, each.rank, each.group, each.first_rank, each.last_rank) for each in found.standings] == [
        ("fine", 1, 1, 1, 2),
        ("good", 1, 1, 1, 2),
        ("bad", 3, 2, 3, 3),
    ]
    assert found.standings[2].to_best is not None
    assert found.standings[2].to_best.p_holm == 3 * 2 / 2**8
    assert found.identical == (("fine", "good"),)
    assert found.warnings == ("only 8 documents; bootstrap intervals are too narrow below 50",)


def test_of_too_many_pairs_none_can_be_significant_and_that_is_said() -> None:
    found = board(hand(a="AAAAAA", b="BBBBBB", c="CCCCCC"))  # the smallest p is 2/2⁶, times 3 pairs 0.094
    assert any("6 documents are too few for this many systems" in each for each in found.warnings)
    assert {each.group for each in found.standings} == {1}
    many = hand(**{f"s{number}": "A" * number + "B" * (20 - number) for number in range(4)})
    short = board(many, 119)  # 6 pairs · 1/120 = 0.05
    assert any("raise --resamples to 120" in each for each in short.warnings)
    assert not any("--resamples" in each for each in board(many, 120).warnings)


def test_a_single_system_is_first_in_a_group_of_its_own() -> None:
    (only,) = board(hand(a="AAB" * 3)).standings
    assert (only.rank, only.group, only.first_rank, only.last_rank) == (1, 1, 1, 1)
    assert only.alone is not None
    assert (only.alone.right, only.alone.wrong) == (6, 3)


def test_undefined_scores_stand_at_the_end_with_the_reason() -> None:
    nothing = [["O", "O"]] * 8
    systems = {"empty": nothing, "claims": [["B-PER", "O"]] * 8, "again": [["O", "B-LOC"], *nothing[1:]]}
    found = comparanda.compare(nothing, systems, task="span", resamples=20).leaderboard()
    assert [(each.rank, each.system, each.group) for each in found.standings] == [
        (1, "again", 1),
        (1, "claims", 1),
        (None, "empty", None),
    ]
    last = found.standings[-1]
    assert last.scores[0].reason == "nothing in the key and nothing claimed"
    assert (last.to_best, last.to_above, last.first_rank) == (None, None, None)
    assert "empty: f1 is n/a: nothing in the key and nothing claimed" in str(found)
    assert "–      empty" in str(found)


def test_systems_may_be_ranked_by_another_measure() -> None:
    population = contest(3)
    found = population.result(20).leaderboard("macro_f1", "accuracy")
    assert found.measure == "macro_f1"
    assert [[score.measure for score in each.scores] for each in found.standings[:1]] == [["macro_f1", "accuracy"]]
    values = [each.scores[0].value or 0.0 for each in found.standings]
    assert values == sorted(values, reverse=True)
    with pytest.raises(UsageError, match="measure"):
        population.result().leaderboard("macro_f2")


def test_the_table_has_a_row_for_each_system_and_its_numbers() -> None:
    found = board(hand(good="AAAAAAAA", bad="BBBBBBBB"))
    first, second = found.to_dicts()
    assert (first["rank"], first["system"], first["accuracy"], first["group"], first["ranks"]) == (
        1,
        "good",
        1.0,
        1,
        "1",
    )
    assert (first["to_best"], first["to_above"], first["only_right"], first["only_wrong"]) == (0.0, None, 8, 0)
    assert (second["rank"], second["to_best"], second["to_best_p"], second["only_wrong"]) == (2, -1.0, 2 / 2**8, 8)
    assert "no groups" not in str(found)


def test_runs_are_compared_as_sets() -> None:
    """Two systems with the same runs in another order are identical; how often each has a run counts."""
    population = hand(a="AAAA", b="ABAB", c="ABAB", d="AAAA", e="AAAA", f="ABAB")
    for runs, identical in (
        ((System("one", (0, 1)), System("two", (2, 3)), System("rest", (4, 4))), (("one", "two"),)),
        ((System("one", (0, 3, 1)), System("two", (2, 5, 4))), ()),
    ):
        assert replace(population, runs=runs).result().leaderboard().identical == identical


def test_the_slow_p_tries_all_swaps() -> None:
    """The reference itself on a case for fingers: three documents, one of them without a difference."""
    assert slow_p([2, 1, 0], [0, 1, 2]) == Fraction(1)
    assert slow_p([2, 1, 5], [0, 1, 2]) == Fraction(4, 8)
