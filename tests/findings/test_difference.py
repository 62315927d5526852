"""DEFINITIONS 2: diff, the five classes, transitions, overlaps, labels, whole sentences."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction

import pytest

from comparanda import Result, UsageError
from comparanda.findings.difference import CLASSES, Difference
from tests import reference
from tests.findings.populations import Population, close, identity, pairs, populations, seen, sets, several_systems

any_pair = pairs | populations(systems=(2, 2), several=True)


def both(population: Population) -> tuple[reference.Values, reference.Values]:
    first, second = list(population.systems.values())[:2]
    return first, second


def difference_of(population: Population) -> Difference:
    return population.result().difference(*list(population.systems)[:2])


@identity(any_pair)
def test_diff_is_the_share_of_sites_with_different_values(population: Population) -> None:
    found, (first, second) = difference_of(population), both(population)
    assert found.sites == len(population)
    assert found.different == reference.different(first, second)
    assert close(found.diff, reference.diff(first, second))


@identity(any_pair)
def test_the_five_classes_are_those_of_the_definition(population: Population) -> None:
    found, counts = difference_of(population), reference.classes(population.key, *both(population))
    assert {each.name: each.count for each in found.classes} == {name: counts[name] for name in CLASSES}
    assert (found.same_right, found.same_error) == (counts["same_right"], counts["same_error"])


@identity(any_pair)
def test_the_three_classes_sum_to_diff(population: Population) -> None:
    found = difference_of(population)
    assert sum(each.count for each in found.classes) == found.different
    assert close(sum(each.share_of_sites or 0 for each in found.classes), found.diff)
    if found.different:
        assert close(sum(each.share_of_differences or 0 for each in found.classes), 1)


@identity(any_pair)
def test_the_five_classes_sum_to_the_sites(population: Population) -> None:
    found = difference_of(population)
    assert sum(each.count for each in found.classes) + found.same_right + found.same_error == found.sites


@identity(any_pair)
def test_the_accuracies_differ_by_corrections_less_new_errors(population: Population) -> None:
    found = difference_of(population)
    gained = found.of("correction").count - found.of("new_error").count
    assert close(found.accuracy_difference, Fraction(gained, len(population)))
    assert found.base_accuracy is not None
    assert found.new_accuracy is not None
    assert close(found.new_accuracy - found.base_accuracy, Fraction(gained, len(population)))


@identity(any_pair)
def test_the_accuracies_are_shares_of_right_sites(population: Population) -> None:
    found = difference_of(population)
    for accuracy, system in zip((found.base_accuracy, found.new_accuracy), both(population), strict=True):
        assert close(accuracy, Fraction(reference.right(population.key, system), len(population)))


@identity(any_pair)
def test_swapping_the_systems_swaps_corrections_and_new_errors(population: Population) -> None:
    base, new = population.systems
    there, back = population.result().difference(base, new), population.result().difference(new, base)
    assert there.of("correction").count == back.of("new_error").count
    assert there.of("new_error").count == back.of("correction").count
    assert there.of("changed_error").count == back.of("changed_error").count
    assert (there.diff, there.same_right, there.same_error) == (back.diff, back.same_right, back.same_error)
    for mine, theirs in (("correction", "new_error"), ("changed_error", "changed_error")):
        turned = {(row.key, row.new, row.base): row.count for row in back.of(theirs).transitions}
        assert {(row.key, row.base, row.new): row.count for row in there.of(mine).transitions} == turned


@identity(any_pair)
def test_new_errors_over_all_sites_are_the_negative_flip_rate(population: Population) -> None:
    found = difference_of(population)
    flipped = sum(1 for y, one, two in zip(population.key, *both(population), strict=True) if one == y and two != y)
    assert close(found.negative_flip_rate, Fraction(flipped, len(population)))
    assert close(found.negative_flip_rate, found.of("new_error").share_of_sites)


@identity(any_pair)
def test_transitions_are_counted_with_both_shares(population: Population) -> None:
    found, (first, second) = difference_of(population), both(population)
    for name in CLASSES:
        expected = reference.transitions(population.key, first, second, name)
        rows = found.of(name).transitions
        assert {(row.key, row.base, row.new): row.count for row in rows} == {
            (seen(y), seen(one), seen(two)): count for (y, one, two), count in expected.items()
        }
        for row in rows:
            assert close(row.share_of_class, Fraction(row.count, sum(expected.values())))
            assert close(row.share_of_differences, Fraction(row.count, found.different))


@identity(any_pair)
def test_the_shares_of_a_class_sum_to_one_and_those_of_all_differences_too(population: Population) -> None:
    found = difference_of(population)
    for each in found.classes:
        assert sum(row.count for row in each.transitions) == each.count
        if each.count:
            assert close(sum(row.share_of_class or 0 for row in each.transitions), 1)
        else:
            assert each.transitions == ()
    if found.different:
        shares = [row.share_of_differences or 0 for each in found.classes for row in each.transitions]
        assert close(sum(shares), 1)
    else:
        assert [each.share_of_differences for each in found.classes] == [None, None, None]


@identity(any_pair)
def test_a_correction_ends_at_the_key_and_a_new_error_begins_there(population: Population) -> None:
    found = difference_of(population)
    assert all(row.new == row.key != row.base for row in found.of("correction").transitions)
    assert all(row.base == row.key != row.new for row in found.of("new_error").transitions)
    assert all(len({row.key, row.base, row.new}) == 3 for row in found.of("changed_error").transitions)


@identity(any_pair)
def test_the_most_frequent_transition_stands_first(population: Population) -> None:
    for each in difference_of(population).classes:
        order = [(-row.count, row.key, row.base, row.new) for row in each.transitions if "(" not in row.base + row.new]
        assert order == sorted(order)


@identity(any_pair)
def test_overlap_on_right_answers_is_that_of_table_1(population: Population) -> None:
    pair = population.result().pairs().pairs[0]
    assert close(pair.overlap_right, reference.overlap_on_right(population.key, *both(population)))


@identity(any_pair)
def test_overlap_on_all_answers_is_one_less_diff(population: Population) -> None:
    pair = population.result().pairs().pairs[0]
    assert close(pair.overlap_all, reference.overlap_on_all(*both(population)))
    assert pair.diff is not None
    assert close(pair.overlap_all, 1 - pair.diff)


@identity(any_pair)
def test_pairs_and_difference_tell_the_same_diff(population: Population) -> None:
    pair, found = population.result().pairs().pairs[0], difference_of(population)
    assert (pair.sites, pair.different, pair.diff) == (found.sites, found.different, found.diff)


@identity(several_systems | sets)
def test_pairs_show_diff_beside_the_difference_of_scores_for_every_pair(population: Population) -> None:
    result = population.result()
    table, scores = result.pairs(), result.scores()
    names = list(population.systems)
    assert [(pair.base, pair.new) for pair in table.pairs] == [
        (base, new) for place, base in enumerate(names) for new in names[place + 1 :]
    ]
    for pair in table.pairs:
        mine, theirs = population.systems[pair.base], population.systems[pair.new]
        assert pair.different == reference.different(mine, theirs)
        base, new = scores.value(pair.base), scores.value(pair.new)
        assert close(pair.score_difference, None if base is None or new is None else new - base)


@identity(pairs)
def test_diff_is_zero_only_for_equal_outputs(population: Population) -> None:
    first, second = both(population)
    assert (difference_of(population).different == 0) == (list(first) == list(second))


@identity(any_pair)
def test_the_label_table_is_that_of_table_12(population: Population) -> None:
    found, first_second = difference_of(population), both(population)
    expected = reference.label_table(population.key, *first_second)
    assert {row.label: (row.sites, row.base_right, row.new_right) for row in found.labels} == {
        seen(row.label): (row.sites, row.first_right, row.second_right) for row in expected.values()
    }
    for row in found.labels:
        assert close(row.base, Fraction(row.base_right, row.sites))
        assert close(row.new, Fraction(row.new_right, row.sites))
        assert close(row.difference, Fraction(row.new_right - row.base_right, row.sites))


@identity(any_pair)
def test_labels_are_sorted_by_their_absolute_difference(population: Population) -> None:
    rows = difference_of(population).labels
    order = [(-abs(Fraction(row.new_right - row.base_right, row.sites)), -row.sites, row.label) for row in rows]
    assert order == sorted(order)


@identity(any_pair)
def test_the_rows_of_the_label_table_sum_to_all_sites(population: Population) -> None:
    found = difference_of(population)
    assert sum(row.sites for row in found.labels) == len(population)
    right = [reference.right(population.key, system) for system in both(population)]
    assert [sum(row.base_right for row in found.labels), sum(row.new_right for row in found.labels)] == right


@identity(several_systems)
def test_loading_a_third_system_never_changes_a_pairs_difference(population: Population) -> None:
    base, new = list(population.systems)[:2]
    for resamples in (0, 20):
        alone, together = population.only(base, new).result(resamples), population.result(resamples)
        assert alone.difference(base, new) == together.difference(base, new)
        assert alone.pairs().pairs[0] == together.pairs().pairs[0]


def counted(*rows: tuple[str, str, str]) -> Result:
    key, first, second = zip(*rows, strict=True)
    size = len(rows)
    return Population(
        key=key, systems={"tree": first, "clever": second}, sentence=(0,) * size, document=(0,) * size
    ).result()


def test_a_difference_small_enough_to_count() -> None:
    found = counted(
        ("NN", "NE", "NN"),
        ("NN", "NE", "NN"),
        ("NE", "NE", "NN"),
        ("VV", "NN", "NE"),
        ("VV", "NN", "NN"),
        ("ART", "ART", "ART"),
    ).difference("tree", "clever")
    assert (found.sites, found.different, found.same_right, found.same_error) == (6, 4, 1, 1)
    assert [each.count for each in found.classes] == [2, 1, 1]
    assert asdict(found.of("correction").transitions[0]) == {
        "key": "NN",
        "base": "NE",
        "new": "NN",
        "count": 2,
        "share_of_class": 1.0,
        "share_of_differences": 0.5,
        "where": 'correction and base == "NE" and new == "NN"',
        "changes": (),
    }
    assert found.accuracy_difference == pytest.approx(1 / 6)
    assert found.negative_flip_rate == pytest.approx(1 / 6)
    assert [(row.label, row.difference) for row in found.labels] == [
        ("NN", 1.0),
        ("NE", -1.0),
        ("VV", 0.0),
        ("ART", 0.0),
    ]


def test_rounding_does_not_decide_the_order_of_labels() -> None:
    """In floating point 1 − 2/3 is more than 1/3 − 0; the label with more sites still comes first."""
    found = counted(
        *[("A", "A", "A")] * 2,
        ("A", "B", "A"),
        *[("C", "A", "C")] * 2,
        *[("C", "A", "A")] * 4,
    ).difference()
    assert [(row.label, row.sites, row.difference) for row in found.labels] == [("C", 6, 1 / 3), ("A", 3, 1 / 3)]


def test_a_changed_error_names_the_key_in_its_condition() -> None:
    found = counted(("VV", "NN", "NE")).difference("tree", "clever")
    assert found.of("changed_error").transitions[0].where == (
        'changed_error and base == "NN" and new == "NE" and key == "VV"'
    )


def test_equal_systems_have_no_share_of_differences() -> None:
    found = counted(("NN", "NE", "NE")).difference("tree", "clever")
    assert found.diff == 0
    assert [each.share_of_differences for each in found.classes] == [None, None, None]


def test_two_systems_that_are_never_right_have_no_overlap_on_right_answers() -> None:
    pair = counted(("NN", "NE", "VV")).pairs().pairs[0]
    assert pair.overlap_right is None
    assert pair.overlap_all == 0


def test_by_default_the_first_system_is_compared_with_the_best_other_one() -> None:
    rows = (("A",) * 3, {"a": ("B", "B", "B"), "b": ("A", "B", "B"), "c": ("A", "A", "B"), "d": ("A", "A", "B")})
    result = Population(key=rows[0], systems=rows[1], sentence=(0, 0, 0), document=(0, 0, 0)).result()
    assert (result.difference().base, result.difference().new) == ("a", "c")
    assert (result.difference(new="a").base, result.difference(new="a").new) == ("b", "a")
    assert result.pair("c", None) == ("c", "d")


def test_a_system_is_not_compared_with_itself_nor_with_one_that_is_not_there() -> None:
    result = counted(("NN", "NE", "NN"))
    with pytest.raises(UsageError, match="compared with itself"):
        result.difference("tree", "tree")
    with pytest.raises(UsageError, match=r"unknown system 'clevr' \(did you mean 'clever'\?\)"):
        result.difference("tree", "clevr")
    with pytest.raises(UsageError, match="requires two systems"):
        Population(key=("A",), systems={"a": ("A",)}, sentence=(0,), document=(0,)).result().difference()
