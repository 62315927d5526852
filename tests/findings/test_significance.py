"""DEFINITIONS 5: randomisation over documents, bootstrap intervals, corrections for many tests, McNemar."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st

from comparanda.core.measures import parse_measure
from comparanda.core.verdicts import System
from comparanda.findings.resamples import bootstrap_sums, swapped_sums
from comparanda.findings.significance import (
    POWER,
    PairTest,
    benjamini_hochberg,
    compute_binomial_p,
    compute_significance,
    correct_by_holm,
)
from tests import reference
from tests.findings.populations import (
    Population,
    close,
    drawn,
    exact_pairs,
    identity,
    pairs,
    populations,
    sampled_pairs,
    sets,
    several_systems,
)

RESAMPLES = 40
exact_sets = populations(systems=(2, 2), documents=(6, 8), sentences=1, several=True)
sampled_sets = populations(systems=(2, 2), documents=(17, 18), sentences=1, tokens=2, several=True)
three_documents = populations(systems=(2, 2), documents=(2, 4))
sampled_systems = populations(systems=(3, 4), documents=(17, 19), sentences=1, tokens=2)
ps = st.lists(st.fractions(0, 1, max_denominator=50), max_size=8)

Statistic = Callable[[Population, reference.Values, list[int]], reference.Sums]


def right_and_sites(population: Population, values: reference.Values, sites: list[int]) -> reference.Sums:
    return reference.right([population.key[site] for site in sites], [values[site] for site in sites]), len(sites)


def item_counts(population: Population, values: reference.Values, sites: list[int]) -> reference.Sums:
    return reference.counts([population.key[site] for site in sites], [values[site] for site in sites])


def accuracy(sums: reference.Sums) -> Fraction | None:
    return reference.ratio(sums[0], sums[1])


MEASURES: dict[str, tuple[Statistic, reference.Finish]] = {
    "accuracy": (right_and_sites, accuracy),
    "f1": (item_counts, reference.f1),
}


def by_unit(population: Population, name: str, statistic: Statistic) -> list[reference.Sums]:
    values = population.systems[name]
    return reference.by_unit(population.units, lambda sites: statistic(population, values, sites))


def pair_test(population: Population, measure_name: str = "accuracy", resamples: int = RESAMPLES) -> PairTest:
    return population.result(resamples).significance(measure_name).tests[0]


@identity(exact_pairs | exact_sets, examples=25)
def test_up_to_16_units_p_is_exact(population: Population) -> None:
    base, new = population.systems
    for name, (statistic, finish) in MEASURES.items():
        first, second = by_unit(population, base, statistic), by_unit(population, new, statistic)
        test = pair_test(population, name)
        if reference.gap(finish, reference.added(first), reference.added(second)) is None:
            assert test.p is None
            assert test.method.startswith("n/a: nothing in the key")
            continue
        assert test.method == "exact"
        assert test.p == reference.exact_p(finish, first, second)


@identity(exact_pairs)
def test_an_exact_p_is_a_count_over_all_swaps_and_never_0(population: Population) -> None:
    units = len(set(population.document))
    p = pair_test(population).p
    assert p is not None
    assert (p * 2**units).is_integer()
    assert 2 / 2**units <= p <= 1


@identity(sampled_pairs | sampled_sets, examples=25)
def test_above_16_units_p_is_the_count_and_one_over_the_resamples_and_one(population: Population) -> None:
    base, new = population.systems
    units = len(set(population.document))
    masks = drawn(swapped_sums(np.eye(units), RESAMPLES, 13))
    for name, (statistic, finish) in MEASURES.items():
        first, second = by_unit(population, base, statistic), by_unit(population, new, statistic)
        test = pair_test(population, name)
        if reference.gap(finish, reference.added(first), reference.added(second)) is None:
            assert (test.p, test.method) == (None, "n/a: nothing in the key and nothing claimed")
            continue
        assert test.method == ("identical" if first == second else "sampled")
        assert close(test.p, reference.sampled_p(finish, first, second, masks))


@identity(sampled_pairs)
def test_a_sampled_p_is_never_0(population: Population) -> None:
    p = pair_test(population).p
    assert p is not None
    assert p >= 1 / (RESAMPLES + 1)
    assert close(p * (RESAMPLES + 1), round(p * (RESAMPLES + 1)))


@identity(exact_pairs | sampled_pairs)
def test_p_is_symmetric_in_the_pair(population: Population) -> None:
    base, new = population.systems
    there, back = pair_test(population), pair_test(population.only(new, base))
    assert there.p == back.p
    assert there.difference is not None
    assert back.difference is not None
    assert close(there.difference, -back.difference)
    assert there.low is not None
    assert back.high is not None
    assert close(there.low, -back.high)


@identity(exact_pairs | sampled_pairs | exact_sets)
def test_p_of_identical_systems_is_1(population: Population) -> None:
    base, new = population.systems
    twins = replace(population, systems={base: population.systems[base], new: population.systems[base]})
    for name in MEASURES:
        test = pair_test(twins, name)
        assert test.p in (1, None)
        assert test.difference in (0, None)
        assert (test.p is None) == (test.difference is None)


@identity(populations(systems=(2, 3), documents=(1, 5)))
def test_below_6_units_there_is_no_test(population: Population) -> None:
    for test in population.result(RESAMPLES).significance().tests:
        assert (test.p, test.p_holm) == (None, None)
        assert test.method == "n/a: fewer than 6 units"


@identity(several_systems | sets | exact_pairs)
def test_the_tested_difference_is_that_of_the_scores(population: Population) -> None:
    result = population.result()
    for name in ("accuracy", "f1", "macro_f1"):
        scores = result.scores(name)
        for test in result.significance(name).tests:
            base, new = scores.value(test.base), scores.value(test.new)
            assert close(test.difference, None if base is None or new is None else new - base)


@identity(three_documents | sampled_pairs, examples=25)
def test_intervals_are_percentiles_of_the_resampled_measure(population: Population) -> None:
    weights = drawn(bootstrap_sums(np.eye(len(set(population.document))), RESAMPLES, 13))
    for measure_name, (statistic, finish) in MEASURES.items():
        for score in population.result(RESAMPLES).scores(measure_name).scores:
            rows = by_unit(population, score.system, statistic)
            low, high = reference.interval([finish(reference.added(rows, weight)) for weight in weights])
            assert close(score.low, low)
            assert close(score.high, high)


@identity(three_documents | sampled_pairs, examples=25)
def test_the_interval_of_a_difference_comes_from_a_paired_bootstrap(population: Population) -> None:
    weights = drawn(bootstrap_sums(np.eye(len(set(population.document))), RESAMPLES, 13))
    base, new = population.systems
    first, second = (by_unit(population, name, right_and_sites) for name in (base, new))
    gaps = [reference.gap(accuracy, reference.added(first, w), reference.added(second, w)) for w in weights]
    test = pair_test(population)
    low, high = reference.interval(gaps)
    assert close(test.low, low)
    assert close(test.high, high)


@identity(three_documents)
def test_the_interval_of_diff_is_a_bootstrap_of_the_pair(population: Population) -> None:
    weights = drawn(bootstrap_sums(np.eye(len(set(population.document))), RESAMPLES, 13))
    first, second = population.systems.values()
    rows = reference.by_unit(
        population.document,
        lambda sites: (reference.different([first[s] for s in sites], [second[s] for s in sites]), len(sites)),
    )
    low, high = reference.interval([accuracy(reference.added(rows, weight)) for weight in weights])
    pair = population.result(RESAMPLES).pairs().pairs[0]
    assert close(pair.low, low)
    assert close(pair.high, high)


@identity(three_documents)
def test_the_intervals_of_the_classes_are_bootstraps_of_their_share_of_sites(population: Population) -> None:
    weights = drawn(bootstrap_sums(np.eye(len(set(population.document))), RESAMPLES, 13))
    first, second = population.systems.values()
    for each in population.result(RESAMPLES).difference().classes:

        def counted(sites: list[int], name: str = each.name) -> reference.Sums:
            columns = ([column[site] for site in sites] for column in (population.key, first, second))
            return reference.classes(*columns)[name], len(sites)

        rows = reference.by_unit(population.document, counted)
        low, high = reference.interval([accuracy(reference.added(rows, weight)) for weight in weights])
        assert close(each.low, low)
        assert close(each.high, high)


@identity(populations(documents=(2, 4)))
def test_the_interval_of_the_oracle_is_a_bootstrap_of_its_accuracy(population: Population) -> None:
    weights = drawn(bootstrap_sums(np.eye(len(set(population.document))), RESAMPLES, 13))

    def counted(sites: list[int]) -> reference.Sums:
        part = population.taken(sites)
        return reference.oracle(part.key, part.systems.values()), len(part)

    rows = reference.by_unit(population.document, counted)
    low, high = reference.interval([accuracy(reference.added(rows, weight)) for weight in weights])
    found = population.result(RESAMPLES).combination()
    assert close(found.low, low)
    assert close(found.high, high)


@identity(three_documents)
def test_the_smallest_detectable_difference_is_a_multiple_of_the_standard_error(population: Population) -> None:
    weights = drawn(bootstrap_sums(np.eye(len(set(population.document))), RESAMPLES, 13))
    base, new = population.systems
    first, second = (by_unit(population, name, right_and_sites) for name in (base, new))
    gaps = [reference.gap(accuracy, reference.added(first, w), reference.added(second, w)) or 0 for w in weights]
    mean = Fraction(sum(gaps, Fraction(0)), RESAMPLES)
    variance = sum(((gap - mean) ** 2 for gap in gaps), Fraction(0)) / (RESAMPLES - 1)
    found = pair_test(population).detectable
    assert found is not None
    assert abs(found - POWER * float(variance) ** 0.5) < 1e-9


@identity(sampled_systems, examples=20)
def test_loading_a_third_system_never_changes_a_pairs_test(population: Population) -> None:
    together = population.result(RESAMPLES).significance().tests
    for test in together:
        alone = population.only(test.base, test.new).result(RESAMPLES).significance().tests[0]
        assert replace(test, p_holm=None) == replace(alone, p_holm=None)


@identity(pairs | sampled_pairs)
def test_the_interval_lies_between_the_scores_of_single_documents(population: Population) -> None:
    for score in population.result(RESAMPLES).scores("accuracy").scores:
        each = [accuracy(sums) for sums in by_unit(population, score.system, right_and_sites)]
        if score.low is not None and score.high is not None:
            known = [float(value) for value in each if value is not None]
            assert min(known) - 1e-12 <= score.low <= score.high <= max(known) + 1e-12


@identity(populations(systems=(2, 2), documents=(1, 1)), st.integers(2, 20))
def test_equal_documents_leave_no_doubt(population: Population, copies: int) -> None:
    order = list(range(len(population))) * copies
    owners = tuple(copy for copy in range(copies) for _ in range(len(population)))
    many = replace(population.taken(order), document=owners, sentence=owners)
    for score in many.result(RESAMPLES).scores("accuracy").scores:
        assert close(score.low, score.value)
        assert close(score.high, score.value)


@identity(exact_pairs)
def test_units_without_a_site_do_not_count(population: Population) -> None:
    spread = replace(population, document=tuple(3 * number + 2 for number in population.document))
    assert pair_test(spread) == pair_test(population)
    assert spread.result(RESAMPLES).scores() == population.result(RESAMPLES).scores()


@identity(populations(systems=(2, 2), documents=(1, 4), sentences=4, unit="sentence"))
def test_without_documents_sentences_are_resampled_with_a_warning(population: Population) -> None:
    found = population.result(RESAMPLES).significance()
    assert (found.unit, found.units) == ("sentence", len(set(population.sentence)))
    assert "no document boundaries in the gold data: resampling sentences instead" in found.warnings[0]
    if found.units >= 6:
        base, new = (by_unit(population, name, right_and_sites) for name in population.systems)
        assert found.tests[0].p == reference.exact_p(accuracy, base, new)


@identity(ps)
def test_holm_is_that_of_the_definition(values: list[Fraction]) -> None:
    found = correct_by_holm([float(p) for p in values])
    assert all(close(p, expected) for p, expected in zip(found, reference.holm(values), strict=True))


@identity(ps)
def test_holm_is_never_below_the_raw_p_and_keeps_its_order(values: list[Fraction]) -> None:
    raw = [float(p) for p in values]
    found = [p if p is not None else -1 for p in correct_by_holm(raw)]
    assert all(p <= corrected <= 1 for p, corrected in zip(raw, found, strict=True))
    order = sorted(range(len(raw)), key=lambda place: raw[place])
    assert [found[place] for place in order] == sorted(found)


@identity(ps)
def test_benjamini_and_hochberg_are_those_of_the_definition(values: list[Fraction]) -> None:
    found = benjamini_hochberg([float(p) for p in values])
    assert all(close(p, expected) for p, expected in zip(found, reference.benjamini_hochberg(values), strict=True))


@identity(ps)
def test_benjamini_and_hochberg_lie_between_the_raw_p_and_holm(values: list[Fraction]) -> None:
    raw = [float(p) for p in values]
    for p, discovery, family in zip(raw, benjamini_hochberg(raw), correct_by_holm(raw), strict=True):
        assert discovery is not None
        assert family is not None
        assert p - 1e-12 <= discovery <= family + 1e-12


@identity(ps)
def test_corrections_pass_over_tests_that_were_not_made(values: list[Fraction]) -> None:
    raw: list[float | None] = [float(p) for p in values]
    holes: list[float | None] = [None]
    for p in raw:
        holes += [p, None]
    for correct in (correct_by_holm, benjamini_hochberg):
        assert [p for p in correct(holes) if p is not None] == correct(raw)
        assert correct(holes)[::2] == [None] * (len(raw) + 1)


@identity(populations(systems=(3, 4), documents=(6, 7), sentences=1), examples=20)
def test_the_tests_of_all_pairs_are_corrected_after_holm(population: Population) -> None:
    tests = population.result(RESAMPLES).significance().tests
    expected = reference.holm([Fraction(test.p or 0) for test in tests])
    assert all(close(test.p_holm, p) for test, p in zip(tests, expected, strict=True))


@identity(populations(systems=(2, 2), documents=(1, 12), sentences=1, tokens=1, unit="row"))
def test_mcnemar_is_exact_on_independent_rows(population: Population) -> None:
    test = pair_test(population)
    first, second = population.systems.values()
    assert close(test.mcnemar, reference.mcnemar(population.key, first, second))


@identity(pairs | populations(systems=(2, 2), unit="sentence"))
def test_mcnemar_is_for_independent_rows_alone(population: Population) -> None:
    assert pair_test(population).mcnemar is None


@identity(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_symmetric_and_falls_with_the_gap(wins: int, losses: int) -> None:
    p = compute_binomial_p(wins, losses)
    assert p == compute_binomial_p(losses, wins)
    assert 0 < p <= 1
    if wins >= losses:
        assert compute_binomial_p(wins + 1, losses) <= p + 1e-12


def test_mcnemar_of_many_rows_continues_that_of_few() -> None:
    from math import comb

    for wins, losses in ((480, 520), (500, 500), (430, 570), (999, 1), (0, 1000)):
        tail = sum(comb(1000, k) for k in range(min(wins, losses) + 1))
        assert compute_binomial_p(wins, losses) == pytest.approx(min(1.0, float(Fraction(2 * tail, 2**1000))), rel=1e-9)


@identity(exact_pairs | sampled_pairs)
def test_equal_input_gives_byte_equal_json(population: Population) -> None:
    def documents() -> list[str]:
        result = population.result(RESAMPLES)
        findings = (
            result.scores(),
            result.pairs(),
            result.difference(),
            result.combination(),
            result.significance(),
            result.slices("label"),
            result.examples("differs", top=3),
            result.anatomy(by=("label", "length")),
        )
        return [finding.to_json() for finding in findings]

    assert documents() == documents()


@identity(sampled_pairs)
def test_another_seed_changes_intervals_and_p_alone(population: Population) -> None:
    def without_draws(seed: int) -> list[dict[str, object]]:
        tests = json.loads(population.result(RESAMPLES, seed).significance().to_json())["tests"]
        return [{name: test[name] for name in ("base", "new", "difference", "method", "mcnemar")} for test in tests]

    assert without_draws(1) == without_draws(2)


def test_without_resamples_nothing_is_drawn() -> None:
    population = Population(
        key=("A",) * 8, systems={"x": ("A",) * 8, "y": ("B",) * 8}, sentence=tuple(range(8)), document=tuple(range(8))
    )
    test = population.result(0).significance().tests[0]
    assert (test.difference, test.low, test.high, test.p, test.method) == (-1, None, None, None, "not requested")


def test_a_single_resample_has_no_spread() -> None:
    population = Population(
        key=("A",) * 8, systems={"x": ("A",) * 8, "y": ("B",) * 8}, sentence=tuple(range(8)), document=tuple(range(8))
    )
    assert population.result(1).significance().tests[0].detectable is None


@pytest.mark.parametrize(("units", "method"), [(5, "n/a"), (6, "exact"), (16, "exact"), (17, "sampled")])
def test_the_method_follows_the_number_of_units(units: int, method: str) -> None:
    wrong = tuple("B" if number else "A" for number in range(units))
    population = Population(
        key=("A",) * units,
        systems={"x": ("A",) * units, "y": wrong},
        sentence=tuple(range(units)),
        document=tuple(range(units)),
    )
    test = pair_test(population, resamples=200)
    assert test.method.startswith(method)
    if method == "exact":
        assert test.p == 2 * 2 / 2**units


def test_few_documents_are_warned_about() -> None:
    def warnings(units: int) -> tuple[str, ...]:
        owners = tuple(range(units))
        return (
            Population(
                key=("A",) * units, systems={"x": ("A",) * units, "y": ("A",) * units}, sentence=owners, document=owners
            )
            .result(5)
            .significance()
            .warnings
        )

    assert warnings(49) == ("only 49 documents; bootstrap intervals are too narrow below 50",)
    assert warnings(50) == ()


def test_systems_with_different_numbers_of_runs_are_not_tested() -> None:
    owners = tuple(range(8))
    population = Population(
        key=("A",) * 8,
        systems={"x": ("A",) * 8, "y#1": ("B",) * 8, "y#2": ("A",) * 8},
        sentence=owners,
        document=owners,
        runs=(System("x", (0,)), System("y", (1, 2))),
    )
    test = pair_test(population)
    assert (test.p, test.method) == (None, "n/a: the systems have different numbers of runs")
    assert test.difference == -0.5


def test_the_measure_can_be_chosen() -> None:
    population = Population(
        key=("A", "B"), systems={"x": ("A", "A"), "y": ("A", "B")}, sentence=(0, 1), document=(0, 1)
    )
    context = population.result(10).context(None)
    assert compute_significance(context).measure == "accuracy"
    assert compute_significance(context, parse_measure("f1[B]")).measure == "f1[B]"
