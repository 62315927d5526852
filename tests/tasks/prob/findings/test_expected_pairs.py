"""Pairs of probabilistic outputs: on fingers, against all pairs of worlds, and by drawing many."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import comparanda as cp
from comparanda import Result, Runs, UsageError
from comparanda.core.candidates import Candidates
from comparanda.findings.complement import Rates
from comparanda.tasks.prob.pair_findings import ExpectedOverlap, ExpectedPairs, JointOutput, PairReading
from tests.random_beliefs import KINDS, SOME_KINDS, random_beliefs
from tests.tasks.prob.findings.small import Block, compared
from tests.tasks.prob.model.worlds import blocks_of

COUNTS = (
    "found_by_both",
    "found_by_first",
    "found_by_second",
    "found_by_neither",
    "spurious_in_both",
    "spurious_in_first",
    "spurious_in_second",
    "corrections",
    "new_errors",
    "items",
)

# The key has a and c. One holds a for .8 and b, which is wrong, for .5; two holds a for .5, b for .4 and c for .6.
KEY = ["a", "c"]
ONE: list[Block] = [{"a": 0.8}, {"b": 0.5}]
TWO: list[Block] = [{"a": 0.5}, {"b": 0.4}, {"c": 0.6}]


def joint(reading: PairReading) -> dict[str, JointOutput]:
    return {each.made: each for each in reading.joint}


class TestOnFingers:
    """Two systems, two entities and one wrong span."""

    @pytest.fixture
    def found(self, tmp_path: Path) -> ExpectedPairs:
        return compared(tmp_path, {"d": KEY}, {"one": {"d": ONE}, "two": {"d": TWO}}).expected_pairs()

    def test_expected_counts(self, found: ExpectedPairs) -> None:
        mine = found.pair("one", "two").expected.overlap
        counts = [getattr(mine, name) for name in COUNTS]
        a, b = (0.4, 0.4, 0.1, 0.1), (0.2, 0.3, 0.2)  # both, one alone, two alone, neither
        wanted = [a[0], a[1], a[2] + 0.6, a[3] + 0.4, *b]
        assert counts == pytest.approx([*wanted, (0.1 + 0.6) + 0.3, 0.4 + 0.2, 2 + 0.7])
        assert mine.diff == pytest.approx((1.0 + 0.6) / 2.7)
        assert mine.f1_difference == pytest.approx(2 * 1.1 / (1.5 + 2) - 2 * 0.8 / (1.3 + 2))

    def test_counts_of_the_hard_outputs(self, found: ExpectedPairs) -> None:
        """One decides for a and, as a tie with nothing, b; two for a, also a tie, and c."""
        mine = found.pair("one", "two").decided.overlap
        assert [getattr(mine, name) for name in COUNTS] == [1, 0, 1, 0, 0, 1, 0, 2, 0, 3]

    def test_which_errors_the_other_does_not_make(self, found: ExpectedPairs) -> None:
        """One misses .2 of a and all of c, of which both miss .1 and .4; it claims b with .5, both with .2."""
        forth = found.pair("one", "two").expected.forth
        assert (forth.rcomp.value, forth.pcomp.value) == pytest.approx((1 - 0.5 / 1.2, 1 - 0.2 / 0.5))
        assert forth.comp.value == pytest.approx(1 - 0.7 / 1.7)
        assert forth.fcomp.value == pytest.approx(2 / (1 / 0.6 + 1 / (1 - 0.5 / 1.2)))

    def test_outputs_made_of_both(self, found: ExpectedPairs) -> None:
        """In the union a is found with .9 and c with .6, b is claimed with .7; in the intersection a .4, b .2."""
        made = joint(found.pair("one", "two").expected)
        assert (made["union"].found, made["union"].claimed) == pytest.approx((1.5, 2.2))
        assert (made["intersection"].found, made["intersection"].claimed) == pytest.approx((0.4, 0.6))
        assert (made["oracle"].found, made["oracle"].claimed) == pytest.approx((1.5, 1.7))
        assert (made["oracle"].precision, made["oracle"].recall) == pytest.approx((1.5 / 1.7, 0.75))
        assert made["oracle"].over == "two"
        assert made["oracle"].f1_gain == pytest.approx(3 / 3.7 - 2.2 / 3.5)

    def test_all_runs_of_two_systems_are_the_pair(self, found: ExpectedPairs) -> None:
        for mine, all_of in (("expected", found.expected), ("decided", found.decided)):
            pair = joint(getattr(found.pair("one", "two"), mine))
            for each in all_of:
                assert (each.found, each.claimed) == pytest.approx((pair[each.made].found, pair[each.made].claimed))
                assert each.f1 == pytest.approx(pair[each.made].f1)
                assert each.over == pair[each.made].over


def test_an_output_that_errs_nowhere(tmp_path: Path) -> None:
    right: list[Block] = [{"a": 1.0}, {"c": 1.0}]
    found = compared(tmp_path, {"d": KEY}, {"right": {"d": right}, "two": {"d": TWO}}).expected_pairs()
    pair = found.pair("right", "two").expected
    assert (pair.forth.comp.value, pair.forth.comp.reason) == (None, "right has no error")
    assert pair.forth.fcomp.reason == "PComp is undefined and RComp is undefined"
    assert (pair.back.comp.value, pair.back.rcomp.value) == (1, 1)
    forced = compared(
        tmp_path, {"d": KEY}, {"right": {"d": right}, "two": {"d": TWO}}, zero_division=0.0
    ).expected_pairs()
    assert forced.pair("right", "two").expected.forth.comp.value == 0


def test_equal_spans_with_different_labels_are_different_tuples(tmp_path: Path) -> None:
    systems: dict[str, dict[str, list[Block]]] = {"one": {"d": [{"b:PER": 0.5}]}, "two": {"d": [{"b:LOC": 0.5}]}}
    mine = compared(tmp_path, {"d": KEY}, systems).expected_pairs().pair("one", "two").expected.overlap
    assert (mine.spurious_in_both, mine.spurious_in_first, mine.items) == (0, 0.5, 3)


# Every pair of worlds.


def random_result(folder: Path, seed: int, *, kind: str = "plain", size: int = 2, resamples: int = 0) -> Result:
    return Result(random_beliefs(folder, seed, KINDS[kind], size).judged(), resamples)


Tuple = tuple[int, int, int, str]


def named(run: Candidates, row: int) -> Tuple:
    return int(run.document[row]), int(run.begin[row]), int(run.end[row]), run.names[int(run.label[row])]


def worlds(run: Candidates) -> Iterator[tuple[float, set[Tuple], set[Tuple]]]:
    """Yield how likely each world is, what it finds of the key, and what it claims beside."""
    for chosen in product(*blocks_of(run.beliefs)):
        rows = [row for _, rows in chosen for row in rows]
        right = {named(run, row) for row in rows if run.correct[row]}
        yield prod(p for p, _ in chosen), right, {named(run, row) for row in rows} - right


def counted(key: int, one: tuple[set[Tuple], set[Tuple]], two: tuple[set[Tuple], set[Tuple]]) -> dict[str, float]:
    """Count what two worlds have, alone and together."""
    (found, wrong), (other, also) = one, two
    first, second = len(found - other), len(other - found)
    return {
        "found_by_both": len(found & other),
        "found_by_first": first,
        "found_by_second": second,
        "found_by_neither": key - len(found | other),
        "spurious_in_both": len(wrong & also),
        "spurious_in_first": len(wrong - also),
        "spurious_in_second": len(also - wrong),
        "corrections": second + len(wrong - also),
        "new_errors": first + len(also - wrong),
        "items": key + len(wrong | also),
    }


def by_all_worlds(key: int, one: Candidates, two: Candidates) -> dict[str, float]:
    total = dict.fromkeys(COUNTS, 0.0)
    others = list(worlds(two))
    for p, *mine in worlds(one):
        for q, *theirs in others:
            for name, count in counted(key, (mine[0], mine[1]), (theirs[0], theirs[1])).items():
                total[name] += p * q * count
    return total


def few(candidates: Candidates) -> bool:
    return prod(len(each) for each in blocks_of(candidates.beliefs)) <= 200


def test_expected_counts_are_those_of_all_pairs_of_worlds(tmp_path: Path) -> None:
    compared_pairs = 0
    for seed in range(8):
        result = random_result(tmp_path, seed, size=1)
        runs = result.verdicts.view().candidates or ()
        found = result.expected_pairs()
        key = result.probabilities().key
        for (first, one), (second, two) in combinations(zip(result.systems, runs, strict=True), 2):
            if few(one) and few(two):
                wanted = by_all_worlds(key, one, two)
                mine = found.pair(first, second).expected.overlap
                assert {name: getattr(mine, name) for name in COUNTS} == pytest.approx(wanted, abs=1e-9)
                compared_pairs += 1
    assert compared_pairs > 5


def drawn(run: Candidates, random: np.random.Generator, times: int) -> list[tuple[set[Tuple], set[Tuple]]]:
    """Draw worlds of a run."""
    names = [named(run, row) for row in range(len(run))]
    rows: list[list[int]] = [[] for _ in range(times)]
    for outcomes in blocks_of(run.beliefs):
        chances = np.array([p for p, _ in outcomes])
        for place, chosen in enumerate(random.choice(len(outcomes), times, p=chances / chances.sum()).tolist()):
            rows[place] += outcomes[chosen][1]
    return [
        ({names[row] for row in each if run.correct[row]}, {names[row] for row in each if not run.correct[row]})
        for each in rows
    ]


def test_expected_counts_agree_with_drawn_worlds(tmp_path: Path) -> None:
    result = random_result(tmp_path, 7, size=25)
    runs = result.verdicts.view().candidates or ()
    random, times, key = np.random.default_rng(3), 400, result.probabilities().key
    worlds = [drawn(run, random, times) for run in runs[:2]]
    samples = [counted(key, *pair) for pair in zip(*worlds, strict=True)]
    mine = result.expected_pairs().pair("crf", "beams").expected.overlap
    for name in COUNTS:
        values = np.array([each[name] for each in samples])
        assert abs(values.mean() - getattr(mine, name)) <= 5 * values.std() / np.sqrt(times) + 1e-9, name


# What must hold whatever the numbers.


def readings(found: ExpectedPairs) -> Iterator[PairReading]:
    for pair in found.pairs:
        yield from (pair.expected, pair.decided)
        for label in pair.labels:
            yield from (label.expected, label.decided)


@pytest.mark.parametrize("kind", SOME_KINDS)
def test_the_common_errors_of_both_directions_are_the_same(kind: str, tmp_path: Path) -> None:
    """a·(1 − X(A, B)) = b·(1 − X(B, A)) for Comp, RComp and PComp (DEFINITIONS 3)."""
    for each in readings(random_result(tmp_path, 2, kind=kind, size=6).expected_pairs()):
        mine = each.overlap
        missed = mine.found_by_neither + mine.found_by_second, mine.found_by_neither + mine.found_by_first
        spurious = mine.spurious_in_both + mine.spurious_in_first, mine.spurious_in_both + mine.spurious_in_second
        both = {
            "rcomp": (*missed, mine.found_by_neither),
            "pcomp": (*spurious, mine.spurious_in_both),
            "comp": (missed[0] + spurious[0], missed[1] + spurious[1], mine.found_by_neither + mine.spurious_in_both),
        }
        for name, (one, two, common) in both.items():
            check_direction(each.forth, name=name, own=one, others=two, common=common)
            check_direction(each.back, name=name, own=two, others=one, common=common)


def check_direction(rates: Rates, name: str, own: float, others: float, *, common: float) -> None:
    value = getattr(rates, name).value
    if others == 0:
        assert value == 1
    elif own == 0:
        assert value is None
    else:
        assert own * (1 - value) == pytest.approx(common, abs=1e-9)


@pytest.mark.parametrize("kind", SOME_KINDS)
def test_errors_follow_from_corrections_and_new_errors(kind: str, tmp_path: Path) -> None:
    """Swapping two systems swaps them, and the difference of errors is their difference."""
    corpora = random_beliefs(tmp_path, 5, KINDS[kind], 6)
    forth = Result(corpora.judged(), 0)
    pairs = forth.expected_pairs()
    whole = {run.run: run.whole for run in forth.probabilities().runs}
    for pair in pairs.pairs:
        first, second = whole[pair.first], whole[pair.second]
        mine = pair.expected.overlap
        errors = [each.key - each.right_mass + each.mass - each.right_mass for each in (first, second)]
        assert errors[0] - errors[1] == pytest.approx(mine.corrections - mine.new_errors, abs=1e-9)
        scores = [each.expected_f1 for each in (first, second)]
        if None not in scores:
            assert mine.f1_difference == pytest.approx((scores[1] or 0) - (scores[0] or 0), abs=1e-9)
        assert mine.found_by_both + mine.found_by_first == pytest.approx(first.right_mass, abs=1e-9)
        assert mine.spurious_in_both + mine.spurious_in_second == pytest.approx(
            second.mass - second.right_mass, abs=1e-9
        )


def test_labels_sum_to_the_whole(tmp_path: Path) -> None:
    for pair in random_result(tmp_path, 8, size=6).expected_pairs().pairs:
        for kind in ("expected", "decided"):
            for name in (*COUNTS, "key"):
                total = sum(getattr(getattr(label, kind).overlap, name) for label in pair.labels)
                assert total == pytest.approx(getattr(getattr(pair, kind).overlap, name), abs=1e-9), name


@pytest.mark.parametrize("kind", SOME_KINDS)
def test_decided_counts_are_those_of_complementarity_and_of_the_oracle(kind: str, tmp_path: Path) -> None:
    result = random_result(tmp_path, 6, kind=kind, size=6)
    found, items = result.expected_pairs(), result.combination().items
    for pair in result.complementarity().pairs:
        mine = found.pair(pair.first, pair.second).decided
        for name in COUNTS[:7]:
            assert getattr(mine.overlap, name) == getattr(pair.overlap, name).count, name
        for ours, theirs in ((mine.forth, pair.forth), (mine.back, pair.back)):
            for name in ("comp", "pcomp", "rcomp", "fcomp"):
                value = getattr(theirs, name).value
                assert getattr(ours, name).value == (None if value is None else pytest.approx(value)), name
        assert pair.union is not None
        assert joint(mine)["union"].f1 == pytest.approx(pair.union.f1)
        assert joint(mine)["union"].f1_gain == pytest.approx(pair.union.f1_gain)
    assert items is not None
    oracle = next(each for each in found.decided if each.made == "oracle")
    assert (oracle.found, oracle.claimed - oracle.found) == (items.found, items.spurious)


def test_all_runs_together(tmp_path: Path) -> None:
    """Three systems hold a for .5, .4 and .2, and b, which is wrong, for .5, 1 and .1."""
    blocks: dict[str, dict[str, list[Block]]] = {
        name: {"d": [{"a": a}, {"b": b}]} for name, a, b in (("x", 0.5, 0.5), ("y", 0.4, 1.0), ("z", 0.2, 0.1))
    }
    found = {each.made: each for each in compared(tmp_path, {"d": ["a"]}, blocks).expected_pairs().expected}
    right, wrong = 1 - 0.5 * 0.6 * 0.8, 0.5 * 1 * 0.1
    assert (found["union"].found, found["union"].claimed) == pytest.approx((right, right + 1))
    assert (found["intersection"].found, found["intersection"].claimed) == pytest.approx((0.04, 0.04 + wrong))
    assert (found["oracle"].found, found["oracle"].claimed) == pytest.approx((right, right + wrong))


def test_intervals_are_over_documents_and_do_not_see_other_systems(tmp_path: Path) -> None:
    corpora = random_beliefs(tmp_path, 9, KINDS["plain"], 12)
    paths = corpora.written()
    sides: dict[str, Any] = {name: paths[name] for name in ("crf", "beams")}
    alone = cp.compare(paths["key"], sides, task="prob", resamples=200).expected_pairs().pairs[0]
    beside = cp.compare(paths["key"], {**sides, "regular": paths["regular"]}, task="prob", resamples=200)
    assert beside.expected_pairs().pair("crf", "beams") == alone
    mine = alone.expected.overlap
    assert mine.low is not None
    assert mine.high is not None
    assert mine.diff is not None
    assert mine.low <= mine.diff <= mine.high
    rate = alone.expected.forth.comp
    assert rate.low is not None
    assert rate.low < (rate.value or 0) < (rate.high or 0)
    assert (alone.decided.overlap.low, alone.labels[0].expected.overlap.low) == (None, None)


def test_a_document_that_only_another_system_fills_is_not_drawn(tmp_path: Path) -> None:
    key = {"d1": KEY, "d2": ["a"], "d3": []}
    pair: dict[str, dict[str, list[Block]]] = {
        "one": {"d1": ONE, "d2": ONE, "d3": []},
        "two": {"d1": TWO, "d2": [], "d3": []},
    }
    third: dict[str, list[Block]] = {"d1": [], "d2": [], "d3": [{"b": 0.5}]}
    alone = compared(tmp_path, key, pair, resamples=50).expected_pairs()
    beside = compared(tmp_path, key, {**pair, "three": third}, resamples=50).expected_pairs()
    assert beside.pair("one", "two") == alone.pair("one", "two")


def test_runs_count_as_pairs(tmp_path: Path) -> None:
    compared(tmp_path, {"d": KEY}, {"one": {"d": ONE}, "two": {"d": TWO}})
    systems: dict[str, Any] = {
        "both": Runs(tmp_path / "one.jsonl", tmp_path / "two.jsonl"),
        "two": tmp_path / "two.jsonl",
    }
    found = cp.compare(tmp_path / "key.jsonl", systems, task="prob", resamples=0).expected_pairs()
    assert found.runs == ("both#1", "both#2", "two")
    mine = found.pairs[0].expected.overlap
    assert isinstance(mine, ExpectedOverlap)
    assert mine.key == 4
    assert mine.found_by_both == pytest.approx(0.4 + (0.25 + 0.36))


def test_what_makes_no_sense_says_so(tmp_path: Path) -> None:
    result = compared(tmp_path, {"d": KEY}, {"one": {"d": ONE}})
    with pytest.raises(UsageError, match="pairs require two systems"):
        result.expected_pairs()
    with pytest.raises(UsageError, match="beta is 0"):
        compared(tmp_path, {"d": KEY}, {"one": {"d": ONE}, "two": {"d": TWO}}).expected_pairs(beta=0)
    tags = cp.compare(["a", "b"], {"x": ["a", "a"], "y": ["b", "b"]}, task="tag", resamples=0)
    with pytest.raises(UsageError, match="has no probabilities"):
        tags.expected_pairs()


def test_recall_can_weigh_more(tmp_path: Path) -> None:
    found = compared(tmp_path, {"d": KEY}, {"one": {"d": ONE}, "two": {"d": TWO}}).expected_pairs(beta=2)
    rates = found.pairs[0].expected.forth
    precision, recall = rates.pcomp.value or 0, rates.rcomp.value or 0
    assert rates.fbeta.value == pytest.approx(5 * precision * recall / (4 * precision + recall))
    assert "F2Comp" in str(found)
