"""DEFINITIONS 4: diversity over sites, of pairs and of all runs, and who is right together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations
from math import isclose, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

import comparanda as cp
from comparanda import Result
from comparanda.core.verdicts import System
from comparanda.findings import diversity as module
from comparanda.findings.diversity import MEASURES, ONE_RUN, Diversity, distinct_patterns
from comparanda.findings.resamples import bootstrap_sums
from tests import reference
from tests.findings.every_task import SOME_TASKS, TASKS, columns, counts_with_conditions, tags, trees, views
from tests.findings.populations import Population, close, populations
from tests.findings.test_mutations import Mutation, mutated
from tests.seeds import draws

any_population = populations(systems=(1, 5)) | populations(systems=(2, 4), several=True)
several_runs = populations(systems=(2, 5))

CHECKS: dict[str, Callable[[], None]] = {}
"""What holds for every population, by the name of its test, for mutations."""


def holds(strategy: st.SearchStrategy[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Mark a test of what holds for all that a strategy draws."""

    def register(test: Callable[..., None]) -> Callable[..., None]:
        calm = settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
        CHECKS[test.__name__] = settings(calm, max_examples=30, phases=[Phase.generate])(given(strategy)(test))
        return settings(calm, max_examples=draws(30))(given(strategy)(test))

    return register


# The formulas once more, by loops over sites and systems

Rights = Mapping[str, Sequence[bool]]
"""For each run, whether it is right at each site."""


def rights(result: Result, view: str | None = None) -> dict[str, list[bool]]:
    key, runs = columns(result, view)
    return {name: [value == wanted for value, wanted in zip(said, key, strict=True)] for name, said in runs.items()}


def crossed(one: Sequence[bool], two: Sequence[bool]) -> tuple[int, int, int, int]:
    """N11, N10, N01, N00."""
    both = Counter(zip(one, two, strict=True))
    return both[True, True], both[True, False], both[False, True], both[False, False]


def mean_disagreement(right: Rights) -> Fraction | None:
    pairs = list(combinations(right.values(), 2))
    apart = sum(one != two for first, second in pairs for one, two in zip(first, second, strict=True))
    return reference.ratio(apart, len(pairs) * len(next(iter(right.values()))))


def solved(right: Rights) -> list[int]:
    return [sum(site) for site in zip(*right.values(), strict=True)]


def kohavi_wolpert(right: Rights) -> Fraction | None:
    count = len(right)
    return reference.ratio(sum(each * (count - each) for each in solved(right)), len(solved(right)) * count**2)


def fleiss(right: Rights) -> Fraction | None:
    """Fleiss (1971), for the categories right and wrong: raters are runs, subjects are sites."""
    raters, subjects = len(right), len(solved(right))
    if not subjects:
        return None
    agreement = [Fraction(each**2 + (raters - each) ** 2 - raters, raters * (raters - 1)) for each in solved(right)]
    chance = Fraction(sum(solved(right)), raters * subjects)
    expected = chance**2 + (1 - chance) ** 2
    return reference.ratio(sum(agreement, Fraction(0)) / subjects - expected, 1 - expected)


def entropy(right: Rights) -> Fraction | None:
    count = len(right)
    most = count - (count + 1) // 2
    return reference.ratio(sum(Fraction(min(each, count - each), most) for each in solved(right)), len(solved(right)))


def generalised(right: Rights) -> Fraction | None:
    """One less the chance that two different runs drawn at random fail, over that of one (Partridge & Krzanowski)."""
    sites = range(len(solved(right)))
    one = [not run[site] for run in right.values() for site in sites]
    two = [not (first[site] or second[site]) for first, second in permutations(right.values(), 2) for site in sites]
    if not sum(one):
        return None
    return 1 - Fraction(sum(two), len(two)) / Fraction(sum(one), len(one))


def coincident(right: Rights) -> Fraction | None:
    count = len(right)
    if not solved(right):
        return None
    failing = [count - each for each in solved(right) if each < count]
    return Fraction(sum(count - each for each in failing), (count - 1) * len(failing)) if failing else Fraction(0)


FORMULAS: dict[str, Callable[[Rights], Fraction | None]] = {
    "disagreement": mean_disagreement,
    "kohavi_wolpert": kohavi_wolpert,
    "interrater_kappa": fleiss,
    "entropy": entropy,
    "generalised_diversity": generalised,
    "coincident_failure_diversity": coincident,
}


def check_measures(found: Diversity, right: Rights) -> None:
    for each in found.measures:
        expected = FORMULAS[each.name](right) if len(right) > 1 else None
        assert close(each.value, expected), each.name
        assert (each.reason is None) == (each.value is not None)


def check_pairs(found: Diversity, right: Rights, runs: Mapping[str, Sequence[Any]]) -> None:
    """Compare all pairs with the formulas."""
    assert [(pair.first, pair.second) for pair in found.pairs] == list(combinations(right, 2))
    for pair in found.pairs:
        one, two = right[pair.first], right[pair.second]
        n11, n10, n01, n00 = crossed(one, two)
        sites = len(one)
        cells = pair.both_right, pair.only_first, pair.only_second, pair.both_wrong
        assert tuple(cell.count for cell in cells) == (n11, n10, n01, n00)
        triples = zip(runs[pair.first], runs[pair.second], one, strict=True)
        same = sum(mine == theirs and not correct for mine, theirs, correct in triples)
        assert pair.same_error.count == same
        assert close(pair.disagreement, reference.ratio(n10 + n01, sites))
        assert close(pair.double_fault, reference.ratio(n00, sites))
        assert close(pair.same_error_rate, reference.ratio(same, n00))
        assert close(pair.q, reference.ratio(n11 * n00 - n01 * n10, n11 * n00 + n01 * n10))
        check_rho(pair.rho, (n11, n10, n01, n00))
        check_kappa(pair.error_consistency, (n11, n10, n01, n00))
        undefined = {"disagreement", "double_fault", "same_error_rate", "q", "rho", "error_consistency"}
        assert set(pair.reasons) == {name for name in undefined if getattr(pair, name) is None}


def check_rho(found: float | None, counts: tuple[int, int, int, int]) -> None:
    n11, n10, n01, n00 = counts
    below = sqrt((n11 + n10) * (n01 + n00) * (n11 + n01) * (n10 + n00))
    assert found == (None if not below else pytest.approx((n11 * n00 - n01 * n10) / below, abs=1e-12))


def check_kappa(found: float | None, counts: tuple[int, int, int, int]) -> None:
    n11, n10, n01, n00 = counts
    sites = sum(counts)
    if not sites:
        assert found is None
        return
    first, second = Fraction(n11 + n10, sites), Fraction(n11 + n01, sites)
    expected = first * second + (1 - first) * (1 - second)
    assert close(found, reference.ratio(Fraction(n11 + n00, sites) - expected, 1 - expected))


def check_patterns(found: Diversity, right: Rights) -> None:
    """Compare the patterns with a count of them, and their order with the rule."""
    expected = Counter(
        tuple(name for name, state in zip(right, site, strict=True) if state)
        for site in zip(*right.values(), strict=True)
    )
    assert {each.right: each.count for each in found.patterns.patterns} == expected
    assert (found.patterns.distinct, found.patterns.rest) == (len(expected), 0)
    names = sorted(right)
    order = [(-each.count, [name not in each.right for name in names]) for each in found.patterns.patterns]
    assert order == sorted(order)


# Random inputs


@holds(any_population)
def test_the_measures_of_all_runs_are_those_of_the_formulas(population: Population) -> None:
    result = population.result()
    check_measures(result.diversity(), rights(result))


@holds(any_population)
def test_pairs_are_those_of_the_formulas(population: Population) -> None:
    result = population.result()
    check_pairs(result.diversity(), rights(result), population.systems)


@holds(any_population)
def test_patterns_say_who_is_right_together(population: Population) -> None:
    result = population.result()
    found = result.diversity()
    check_patterns(found, rights(result))
    assert sum(each.count for each in found.patterns.patterns) == found.sites == len(population)


@holds(several_runs)
def test_kohavi_wolpert_variance_is_half_the_disagreement_less_that_with_oneself(population: Population) -> None:
    found, count = population.result().diversity(), len(population.systems)
    variance, disagreement = found.of("kohavi_wolpert").value, found.of("disagreement").value
    assert variance is not None
    assert disagreement is not None
    assert isclose(variance, (count - 1) / (2 * count) * disagreement, abs_tol=1e-12)
    pairs = [pair.disagreement or 0.0 for pair in found.pairs]
    assert isclose(disagreement, sum(pairs) / len(pairs), abs_tol=1e-12)


@holds(several_runs)
def test_interrater_kappa_follows_from_disagreement_and_mean_accuracy(population: Population) -> None:
    found = population.result().diversity()
    kappa, mean = found.of("interrater_kappa").value, found.mean_accuracy
    assert mean is not None
    if kappa is None:
        assert mean in {0.0, 1.0}
        return
    disagreement = found.of("disagreement").value or 0.0
    assert isclose(kappa, 1 - disagreement / (2 * mean * (1 - mean)), abs_tol=1e-9)


@holds(several_runs)
def test_q_and_rho_have_one_sign_and_q_is_the_larger(population: Population) -> None:
    for pair in population.result().diversity().pairs:
        if pair.q is not None and pair.rho is not None:
            assert abs(pair.rho) <= abs(pair.q) + 1e-12
            assert (pair.q > 0, pair.q < 0) == (pair.rho > 0, pair.rho < 0)


@holds(several_runs)
def test_error_consistency_is_the_kappa_of_scikit_learn(population: Population) -> None:
    result = population.result()
    right = rights(result)
    for pair in result.diversity().pairs:
        if pair.error_consistency is not None:
            expected = cohen_kappa_score(right[pair.first], right[pair.second], labels=[True, False])
            assert isclose(pair.error_consistency, expected, abs_tol=1e-9)


@holds(st.tuples(several_runs, st.randoms(use_true_random=False)))
def test_the_order_of_systems_does_not_matter(drawn: tuple[Population, Any]) -> None:
    population, draw = drawn
    names = draw.sample(list(population.systems), len(population.systems))
    mine, theirs = population.result(20).diversity(), population.only(*names).result(20).diversity()
    assert mine.measures == theirs.measures
    assert [each.count for each in mine.patterns.patterns] == [each.count for each in theirs.patterns.patterns]
    assert [set(each.right) for each in mine.patterns.patterns] == [
        set(each.right) for each in theirs.patterns.patterns
    ]
    assert (mine.clusters.order, mine.clusters.merges) == (theirs.clusters.order, theirs.clusters.merges)


def mutation(old: str, new: str, *caught_by: str) -> list[tuple[Mutation, str]]:
    names = tuple(f"test_{name}" for name in caught_by)
    return [(Mutation("findings.diversity", old, new, names), name) for name in names]


MEASURED = "the_measures_of_all_runs_are_those_of_the_formulas"
PAIRED = "pairs_are_those_of_the_formulas"
MUTATIONS = [
    *mutation("ratio(mixed, sites * runs**2)", "ratio(mixed, sites * runs)", MEASURED,
        "kohavi_wolpert_variance_is_half_the_disagreement_less_that_with_oneself",
    ),
    *mutation("mixed * sites * runs, (runs - 1) * right * wrong", "mixed * sites, (runs - 1) * right * wrong",
        MEASURED, "interrater_kappa_follows_from_disagreement_and_mean_accuracy",
    ),
    *mutation("math.ceil(runs / 2)", "runs // 2", MEASURED),
    *mutation("failed * (failed - 1)", "failed * failed", MEASURED),
    *mutation("failing * (runs - 1)", "sites * (runs - 1)", MEASURED),
    *mutation("(sites > 0) & (failing == 0), 0.0", "(sites > 0) & (failing == 0), 1.0", MEASURED),
    *mutation("both * neither - first * second, alike", "first * second - both * neither, alike", PAIRED,
              "q_and_rho_have_one_sign_and_q_is_the_larger"),
    *mutation("math.sqrt(margins)", "math.sqrt(margins) * 2", PAIRED),
    *mutation("(both + neither) * sites - chance", "both * sites - chance", PAIRED,
              "error_consistency_is_the_kappa_of_scikit_learn"),
    *mutation("divide_counts(same_error, neither)", "divide_counts(same_error, sites)", PAIRED),
    *mutation("in_order[:, order] = found", "in_order[:] = found",
              "patterns_say_who_is_right_together", "the_order_of_systems_does_not_matter"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "name"), MUTATIONS, ids=lambda each: getattr(each, "new", each))
def test_a_wrong_formula_is_noticed(change: Mutation, name: str) -> None:
    with mutated(change), pytest.raises(AssertionError):
        CHECKS[name]()


@pytest.mark.parametrize("task", SOME_TASKS)
def test_every_task_gives_the_numbers_of_the_formulas(task: Callable[[int, Path], Result], tmp_path: Path) -> None:
    for seed in range(3):
        result = task(seed, tmp_path)
        for view in views(result):
            found = result.diversity(view=view)
            check_measures(found, rights(result, view))
            check_pairs(found, rights(result, view), columns(result, view)[1])
            check_patterns(found, rights(result, view))


@pytest.mark.parametrize("task", TASKS)
def test_every_count_equals_the_length_of_its_selection(task: Callable[[int, Path], Result], tmp_path: Path) -> None:
    result = task(7, tmp_path)
    for view in views(result):
        found = result.diversity(view=view)
        counts = list(counts_with_conditions(found))
        assert len(counts) >= 3 * 5 + len(found.patterns.patterns)
        for count, where in counts:
            assert result.count(where, view=view) == count


# Counted by hand


def compared(key: str, *systems: str, resamples: int = 0) -> Diversity:
    named = {name: list(each) for name, each in zip("xyz", systems, strict=False)}
    return cp.compare(list(key), named, task="tag", resamples=resamples).diversity()


def test_a_table_small_enough_to_count() -> None:
    """Right are xy, xz, x, y, none of five sites: l = 2, 2, 1, 1, 0.

    Σ l(3−l) = 8, so KW = 8/45 and disagreement 16/30; p̄ = 6/15, so κ = 1 − (8/15)/(2·0.4·0.6) = −1/9. Entropy: the
    minima 1, 1, 1, 1, 0 over 1. Failures 1, 1, 2, 2, 3: p(1) = 9/15, p(2) = (0+0+2+2+6)/30, so GD = 1 − 5/9; CFD is the
    mean of 2/2, 2/2, 1/2, 1/2, 0.
    """
    found = compared("AABBC", "AABAA", "ABABB", "BAAAA")
    assert {each.name: each.value for each in found.measures} == {
        "disagreement": pytest.approx(16 / 30),
        "kohavi_wolpert": pytest.approx(8 / 45),
        "interrater_kappa": pytest.approx(-1 / 9),
        "entropy": pytest.approx(4 / 5),
        "generalised_diversity": pytest.approx(4 / 9),
        "coincident_failure_diversity": pytest.approx(3 / 5),
    }
    assert found.mean_accuracy == pytest.approx(6 / 15)
    assert found.oracle == pytest.approx(4 / 5)
    assert [(each.right, each.count) for each in found.patterns.patterns] == [
        (("x", "y"), 1),
        (("x", "z"), 1),
        (("x",), 1),
        (("y",), 1),
        ((), 1),
    ]


def test_a_pair_small_enough_to_count() -> None:
    """N11 = 4, N10 = 1, N01 = 2, N00 = 3, of which two are the same errors."""
    found = compared("AAAAAAAAAA", "AAAAABBBBB", "AAAABAABBC").pairs[0]
    assert [cell.count for cell in (found.both_right, found.only_first, found.only_second, found.both_wrong)] == [
        4, 1, 2, 3,
    ]  # fmt: skip
    assert found.same_error.count == 2
    assert found.same_error_rate == pytest.approx(2 / 3)
    assert found.disagreement == pytest.approx(0.3)
    assert found.double_fault == pytest.approx(0.3)
    assert found.q == pytest.approx((12 - 2) / (12 + 2))
    assert found.rho == pytest.approx(10 / sqrt(5 * 5 * 6 * 4))
    assert found.error_consistency == pytest.approx((0.7 - 0.5) / 0.5)  # by chance 0.5·0.6 + 0.5·0.4


# What is undefined, and why


def test_one_run_has_nothing_to_differ_from() -> None:
    found = compared("AAB", "ABB")
    assert {(each.value, each.reason) for each in found.measures} == {(None, ONE_RUN)}
    assert (found.pairs, found.clusters.merges, found.clusters.reason) == ((), (), ONE_RUN)
    assert [(each.right, each.count) for each in found.patterns.patterns] == [(("x",), 2), ((), 1)]
    assert ONE_RUN in str(found)


def test_perfect_systems_have_no_errors_to_share() -> None:
    found = compared("AAB", "AAB", "AAB")
    assert {each.name: each.reason for each in found.measures if each.value is None} == {
        "interrater_kappa": "no run is wrong anywhere",
        "generalised_diversity": "no run is wrong anywhere",
    }
    assert found.of("coincident_failure_diversity").value == 0.0
    (pair,) = found.pairs
    assert pair.reasons == {
        "same_error_rate": "no site that both have wrong",
        "q": "x is right everywhere",
        "rho": "x is right everywhere",
        "error_consistency": "both are right everywhere",
    }
    assert "n/a: both are right everywhere" in str(found)


def test_systems_that_are_never_right() -> None:
    found = compared("AAB", "BBA", "BBC")
    assert found.of("interrater_kappa").reason == "no run is right anywhere"
    assert found.of("generalised_diversity").value == 0.0
    (pair,) = found.pairs
    assert pair.double_fault == 1.0
    assert pair.same_error_rate == pytest.approx(2 / 3)
    assert pair.reasons["error_consistency"] == "both are wrong everywhere"
    assert pair.reasons["q"] == "x is wrong everywhere"


def test_a_perfect_system_and_another() -> None:
    (pair,) = compared("AAB", "AAB", "ABB").pairs
    assert (pair.q, pair.rho, pair.error_consistency) == (None, None, 0.0)
    (pair,) = compared("AAB", "ABB", "AAB").pairs
    assert pair.reasons["q"] == "y is right everywhere"


def test_identical_systems() -> None:
    found = compared("AABB", "ABBA", "ABBA")
    (pair,) = found.pairs
    assert (pair.disagreement, pair.q, pair.rho, pair.error_consistency) == (0.0, 1.0, 1.0, 1.0)
    assert found.of("interrater_kappa").value == 1.0
    assert found.of("generalised_diversity").value == 0.0


def test_a_key_without_spans_and_systems_without() -> None:
    key = [{"id": "d", "text": "a b", "spans": []}]
    found = cp.compare(key, {"x": key, "y": key}, task="span", resamples=10).diversity()
    assert {each.reason for each in found.measures} == {"no site"}
    assert set(found.pairs[0].reasons.values()) == {"no site"}
    assert (found.patterns.patterns, found.patterns.distinct) == ((), 0)
    assert found.clusters.reason == "neither the key nor x nor y has a site"
    assert "n/a" in str(found)


def test_a_system_without_the_document_misses_everything_in_it() -> None:
    key = [
        {"id": "d", "text": "a b", "spans": [{"begin": 0, "end": 1, "label": "L"}]},
        {"id": "e", "text": "c", "spans": []},
    ]
    found = cp.compare(key, {"x": key, "y": key[1:]}, task="span", missing="empty", resamples=10).diversity()
    assert (found.of("disagreement").value, found.sites) == (1.0, 1)


def test_a_view_without_sites_has_no_diversity(tmp_path: Path) -> None:
    result = trees(1, tmp_path)
    (view,) = (name for name, each in result.verdicts.views.items() if not len(each.sites))
    assert {each.reason for each in result.diversity(view=view).measures} == {"no site"}


# Many runs, several runs


def test_more_runs_than_fit_a_word() -> None:
    draw = np.random.default_rng(3)
    right = [draw.random(200) < 0.9 for _ in range(70)]
    right[:65] = [right[0]] * 65
    found, counts = distinct_patterns(right)
    expected = Counter(tuple(bool(state) for state in site) for site in zip(*right, strict=True))
    assert {tuple(row): count for row, count in zip(found.tolist(), counts.tolist(), strict=True)} == expected
    assert found.tolist() == sorted(found.tolist(), reverse=True)


def test_patterns_beyond_the_limit_are_summed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whole = tags(5, tmp_path).diversity().patterns
    monkeypatch.setattr(module, "MAX_PATTERNS", 3)
    result = tags(5, tmp_path)
    found = result.diversity()
    assert found.patterns.patterns == whole.patterns[:3]
    assert found.patterns.distinct == whole.distinct
    assert found.patterns.rest == sum(each.count for each in whole.patterns[3:]) > 0
    assert "are not listed" in str(found)


def test_runs_of_one_system_are_columns_of_their_own() -> None:
    population = Population(
        key=("A", "B", "A"),
        systems={"x": ("A", "B", "B"), "y": ("A", "A", "B"), "z": ("B", "B", "A")},
        sentence=(0, 0, 0),
        document=(0, 0, 0),
    )
    together = replace(population, runs=(System("one", (0, 1)), System("two", (2,))))
    assert together.result().diversity() == population.result().diversity()


# Intervals


def test_intervals_are_bootstraps_over_documents(tmp_path: Path) -> None:
    result = replace(trees(4, tmp_path), resamples=50)
    right, sites = rights(result), result.verdicts.view().sites
    documents = sites.document.tolist()
    active = sorted(set(documents), key=result.verdicts.documents.__getitem__)
    draws = bootstrap_sums(np.eye(len(active)), 50, result.seed).astype(int).tolist()
    found = result.diversity()
    samples: dict[str, list[Fraction | None]] = {name: [] for name in (*MEASURES, "pair")}
    first, second = found.pairs[0].first, found.pairs[0].second
    for weights in draws:
        rows = [
            row for place, unit in enumerate(active) for row, owner in enumerate(documents) if owner == unit
            for _ in range(weights[place])
        ]  # fmt: skip
        drawn = {name: [states[row] for row in rows] for name, states in right.items()}
        for name in MEASURES:
            samples[name].append(FORMULAS[name](drawn))
        samples["pair"].append(mean_disagreement({first: drawn[first], second: drawn[second]}))
    for each in found.measures:
        low, high = reference.interval(samples[each.name])
        assert close(each.low, low)
        assert close(each.high, high)
    low, high = reference.interval(samples["pair"])
    assert close(found.pairs[0].low, low)
    assert close(found.pairs[0].high, high)


def test_without_resampling_there_are_no_intervals(tmp_path: Path) -> None:
    found = replace(tags(2, tmp_path), resamples=0).diversity()
    assert {(each.low, each.high) for each in found.measures} == {(None, None)}
    assert {(each.low, each.high) for each in found.pairs} == {(None, None)}


def test_many_pairs_are_resampled_in_parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from comparanda.findings import diversity as run_pairs

    whole = trees(6, tmp_path).diversity().pairs
    monkeypatch.setattr(run_pairs, "_PAIRS_AT_ONCE", 2)
    assert trees(6, tmp_path).diversity().pairs == whole


# As it is shown


def test_the_tables_name_the_fewer() -> None:
    text = str(compared("AABB", "AABA", "AABA", "ABBB"))
    assert "all right" in text
    assert "only z" in text
    assert "all but z" in text
