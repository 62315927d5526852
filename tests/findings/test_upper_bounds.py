"""DEFINITIONS 4: oracle, hardness, greedy curve, unique contributions, agreement."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from comparanda import compare
from comparanda.errors import UsageError
from comparanda.findings.upper_bounds import Combination, OracleRow
from tests import reference
from tests.findings.populations import Population, close, identity, populations, seen, sets, written

any_population = populations() | sets


def combined(population: Population) -> Combination:
    return population.result().combination()


def rows_of(found: Combination) -> list[OracleRow]:
    return [found.overall, *found.labels]


def right_of(population: Population) -> dict[str, int]:
    return {name: reference.right(population.key, values) for name, values in population.systems.items()}


@identity(any_population)
def test_the_oracle_is_right_where_any_system_is(population: Population) -> None:
    overall = combined(population).overall
    expected = reference.oracle(population.key, population.systems.values())
    assert (overall.sites, overall.oracle_right) == (len(population), expected)
    assert close(overall.oracle, Fraction(expected, len(population)))
    assert overall.right == tuple(right_of(population).values())


@identity(any_population)
def test_the_oracle_of_each_label_is_counted_on_its_sites(population: Population) -> None:
    found = {row.label: row for row in combined(population).labels}
    assert set(found) == {seen(label) for label in population.key}
    for label in set(population.key):
        row = found[seen(label)]
        key = reference.restricted(population.key, population.key, label)
        systems = [reference.restricted(population.key, values, label) for values in population.systems.values()]
        assert row.sites == len(key)
        assert row.oracle_right == reference.oracle(key, systems)
        assert row.right == tuple(reference.right(key, values) for values in systems)
        assert close(row.oracle, Fraction(row.oracle_right, row.sites))
        for share, count in zip(row.shares, row.right, strict=True):
            assert close(share, Fraction(count, row.sites))


@identity(any_population)
def test_the_oracle_is_at_least_the_best_system(population: Population) -> None:
    for row in rows_of(combined(population)):
        assert max(row.right) <= row.oracle_right <= min(row.sites, sum(row.right))


@identity(any_population)
def test_one_gain_is_over_the_best_system_overall_and_the_other_over_the_best_here(population: Population) -> None:
    found = combined(population)
    right = right_of(population)
    best = max(right, key=lambda name: right[name])
    assert found.best == best
    place = list(right).index(best)
    for row in rows_of(found):
        assert close(row.gain_over_best, Fraction(row.oracle_right - row.right[place], row.sites))
        assert close(row.gain_over_best_here, Fraction(row.oracle_right - max(row.right), row.sites))


@identity(any_population)
def test_gains_are_never_negative_and_that_over_the_best_here_is_the_smaller(population: Population) -> None:
    for row in rows_of(combined(population)):
        assert row.gain_over_best is not None
        assert row.gain_over_best_here is not None
        assert 0 <= row.gain_over_best_here <= row.gain_over_best


@identity(any_population)
def test_overall_the_best_system_is_the_best_here(population: Population) -> None:
    overall = combined(population).overall
    assert overall.gain_over_best == overall.gain_over_best_here


@identity(any_population)
def test_the_rows_of_the_labels_sum_to_the_row_of_all(population: Population) -> None:
    found = combined(population)
    assert sum(row.sites for row in found.labels) == found.overall.sites
    assert sum(row.oracle_right for row in found.labels) == found.overall.oracle_right
    for run, right in enumerate(found.overall.right):
        assert sum(row.right[run] for row in found.labels) == right


@identity(any_population)
def test_labels_are_sorted_by_their_frequency_in_the_key(population: Population) -> None:
    order = [(-row.sites, row.label) for row in combined(population).labels]
    assert order == sorted(order, key=lambda row: (row[0], row[1] or ""))


@identity(any_population)
def test_highest_and_lowest_systems_are_marked(population: Population) -> None:
    found = combined(population)
    for row in rows_of(found):
        by_name = dict(zip(found.runs, row.right, strict=True))
        top, bottom = max(row.right), min(row.right)
        assert set(row.highest) == {name for name, count in by_name.items() if count == top}
        assert set(row.lowest) == (
            {name for name, count in by_name.items() if count == bottom} if bottom < top else set()
        )


@identity(any_population)
def test_labels_that_no_system_solves_are_listed(population: Population) -> None:
    solved = reference.solved_by(population.key, population.systems.values())
    some = {label for label, count in zip(population.key, solved, strict=True) if count}
    assert set(combined(population).unsolved) == {seen(label) for label in set(population.key) - some}


@identity(any_population)
def test_hardness_counts_sites_by_how_many_systems_solve_them(population: Population) -> None:
    found = combined(population).hardness
    expected = reference.hardness(population.key, list(population.systems.values()))
    assert [(row.solved_by, row.count) for row in found] == list(enumerate(expected))
    assert all(close(row.share, Fraction(row.count, len(population))) for row in found)


@identity(any_population)
def test_hardness_sums_to_the_sites(population: Population) -> None:
    assert sum(row.count for row in combined(population).hardness) == len(population)


@identity(any_population)
def test_hardness_weighted_by_the_systems_sums_to_all_right_answers(population: Population) -> None:
    found = combined(population)
    assert sum(row.solved_by * row.count for row in found.hardness) == sum(right_of(population).values())
    assert found.hardness[0].count == len(population) - found.overall.oracle_right


@identity(any_population)
def test_the_greedy_curve_takes_the_best_first_and_then_the_largest_gain(population: Population) -> None:
    found = combined(population).greedy
    for step, expected in zip(found, reference.greedy(population.key, population.systems), strict=True):
        assert (step.run, step.right, step.gain) == (expected.name, expected.right, expected.gain)
        assert close(step.accuracy, Fraction(expected.right, len(population)))


@identity(any_population)
def test_the_greedy_curve_shows_comp_of_the_oracle_so_far_and_the_next(population: Population) -> None:
    found = combined(population).greedy
    for step, expected in zip(found, reference.greedy(population.key, population.systems), strict=True):
        assert close(step.complementarity, expected.comp)


@identity(any_population)
def test_the_greedy_gain_never_rises(population: Population) -> None:
    gains = [step.gain for step in combined(population).greedy]
    assert gains == sorted(gains, reverse=True)


@identity(any_population)
def test_the_greedy_curve_ends_at_the_oracle(population: Population) -> None:
    found = combined(population)
    assert found.greedy[0].run == found.best
    assert found.greedy[-1].right == found.overall.oracle_right
    assert sum(step.gain for step in found.greedy) == found.overall.oracle_right
    assert {step.run for step in found.greedy} == set(found.runs)


@identity(any_population)
def test_a_unique_contribution_is_what_the_oracle_loses_without_the_system(population: Population) -> None:
    found = combined(population)
    assert {row.run: row.count for row in found.unique} == reference.unique(population.key, population.systems)
    for row in found.unique:
        assert close(row.share, Fraction(row.count, len(population)))
        others = [name for name in population.systems if name != row.run]
        if others:
            without = combined(population.only(*others)).overall.oracle_right
            assert row.count == found.overall.oracle_right - without


@identity(any_population)
def test_agreement_tells_how_often_the_majority_is_right(population: Population) -> None:
    found = combined(population).agreement
    expected = reference.agreement(population.key, list(population.systems.values()), written)
    assert {row.agree: (row.sites, row.right) for row in found} == expected
    for row in found:
        assert close(row.accuracy, reference.ratio(row.right, row.sites))


@identity(any_population)
def test_the_rows_of_agreement_sum_to_the_sites(population: Population) -> None:
    found = combined(population).agreement
    assert [row.agree for row in found] == list(range(len(population.systems), 0, -1))
    assert sum(row.sites for row in found) == len(population)


@identity(populations(systems=(2, 5)))
def test_another_system_never_lowers_the_oracle(population: Population) -> None:
    names = list(population.systems)
    curve = [combined(population.only(*names[:size])).overall.oracle_right for size in range(1, len(names) + 1)]
    assert curve == sorted(curve)


def test_a_combination_small_enough_to_count() -> None:
    found = combined(
        Population(
            key=("A", "A", "B", "B", "C"),
            systems={"x": ("A", "A", "B", "A", "A"), "y": ("A", "B", "A", "B", "B"), "z": ("B", "A", "A", "A", "A")},
            sentence=(0,) * 5,
            document=(0,) * 5,
        )
    )
    assert found.best == "x"
    assert (found.overall.right, found.overall.oracle_right) == ((3, 2, 1), 4)
    assert found.overall.gain_over_best == pytest.approx(1 / 5)
    assert [(row.label, row.oracle_right, row.gain_over_best, row.gain_over_best_here) for row in found.labels] == [
        ("A", 2, 0.0, 0.0),
        ("B", 2, 0.5, 0.5),
        ("C", 0, 0.0, 0.0),
    ]
    assert found.unsolved == ("C",)
    assert [row.count for row in found.hardness] == [1, 2, 2, 0]
    assert [(step.run, step.right, step.gain, step.complementarity) for step in found.greedy] == [
        ("x", 3, 3, None),
        ("y", 4, 1, 0.5),
        ("z", 4, 0, 0.0),
    ]
    assert [(row.run, row.count) for row in found.unique] == [("x", 1), ("y", 1), ("z", 0)]
    assert [(row.agree, row.sites, row.right) for row in found.agreement] == [(3, 0, 0), (2, 5, 2), (1, 0, 0)]


def test_comp_with_a_faultless_next_system_is_1_and_with_a_faultless_oracle_undefined() -> None:
    perfect = Population(
        key=("A", "B"), systems={"x": ("A", "B"), "y": ("A", "B"), "z": ("A", "A")}, sentence=(0, 0), document=(0, 0)
    )
    assert [step.complementarity for step in combined(perfect).greedy] == [None, 1.0, None]


def test_of_equal_systems_the_first_given_is_the_best() -> None:
    rows = ("A", "B"), {"x": ("A", "A"), "y": ("B", "B")}, (0, 0), (0, 0)
    assert combined(Population(key=rows[0], systems=rows[1], sentence=rows[2], document=rows[3])).best == "x"
    assert (
        combined(Population(key=rows[0], systems=rows[1], sentence=rows[2], document=rows[3]).only("y", "x")).best
        == "y"
    )


def test_of_equally_frequent_answers_the_first_in_order_is_the_majority() -> None:
    for names in (("x", "y"), ("y", "x")):
        tied = Population(
            key=("B", "C"), systems={"x": ("B", "B"), "y": ("C", "C")}, sentence=(0, 0), document=(0, 0)
        ).only(*names)
        row = combined(tied).agreement[1]
        assert (row.agree, row.sites, row.right) == (1, 2, 1)


def test_the_oracle_over_items_finds_what_any_finds_and_errs_where_all_do() -> None:
    """Key {a,b}, {c}; x says {a,z}, {}; y says {b,z}, {c,q}: found a, b, c; z is claimed by both, q by one."""
    key = {"1": ["a", "b"], "2": ["c"]}
    result = compare(key, {"x": {"1": ["a", "z"], "2": []}, "y": {"1": ["b", "z"], "2": ["c", "q"]}}, task="label")
    found = replace(result, resamples=0).combination().items
    assert found is not None
    assert (found.found, found.positives, found.spurious) == (3, 3, 1)
    assert (found.precision, found.recall, found.f1) == (3 / 4, 1.0, 6 / 7)


@identity(sets)
def test_the_oracle_over_items_is_that_of_the_definition(population: Population) -> None:
    """TP are the positives that any run claims, FP the negatives that all claim; counted with plain sets."""
    runs = [[set(value or ()) for value in values] for values in population.systems.values()]
    found = spurious = positives = 0
    for site, value in enumerate(population.key):
        mine, claims = set(value or ()), [run[site] for run in runs]
        positives += len(mine)
        found += len(mine & {label for claim in claims for label in claim})
        spurious += len(set.intersection(*claims) - mine)
    items = combined(population).items
    assert items is not None
    assert (items.found, items.positives, items.spurious) == (found, positives, spurious)


def test_labels_can_be_sorted_by_the_gain_of_the_oracle() -> None:
    """A is frequent and easy; B is rare, and only the second system knows it."""
    key = ["A"] * 6 + ["B"] * 2
    result = compare(key, {"x": ["A"] * 8, "y": ["A", "C", "C", "C", "C", "C", "B", "B"]}, task="tag", resamples=0)
    assert [row.label for row in result.combination().labels] == ["A", "B"]
    assert [row.label for row in result.combination(order="gain").labels] == ["B", "A"]
    assert [row.label for row in result.combination(order="gain-here").labels] == ["A", "B"]
    with pytest.raises(UsageError, match="did you mean 'gain'"):
        result.combination(order="gian")  # type: ignore[arg-type]
