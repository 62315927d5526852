"""An ablation: how the score moves, which decisions change, and how many of these the score does not show."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import comparanda
from comparanda import UsageError
from comparanda.core.verdicts import System
from comparanda.findings.ablation import FEW, MANY, Ablation, Variant
from comparanda.findings.resamples import bootstrap_sums
from tests import reference
from tests.findings.populations import Population, close, drawn, identity, populations, sets, several_systems

RESAMPLES = 40


def ablation(population: Population, resamples: int = 0) -> Ablation:
    return population.result(resamples).ablation()


def slow_hidden(counts: dict[str, int], sites: int) -> Fraction | None:
    """Changed decisions, less what is left of them when right and wrong ones have cancelled out."""
    different = counts["correction"] + counts["new_error"] + counts["changed_error"]
    return reference.ratio(different - abs(counts["correction"] - counts["new_error"]), sites)


@identity(several_systems | populations(systems=(2, 4), several=True))
def test_every_number_of_a_variant_is_that_of_the_pair_alone(population: Population) -> None:
    full, *others = population.systems
    result = population.result()
    found = {each.system: each for each in result.ablation().variants}
    assert found.keys() == set(others)
    for name in others:
        each = found[name]
        counts = reference.classes(population.key, population.systems[full], population.systems[name])
        assert each.sites == len(population)
        assert (each.corrections.count, each.new_errors.count, each.changed_errors.count) == (
            counts["correction"],
            counts["new_error"],
            counts["changed_error"],
        )
        assert close(each.different.share, reference.diff(population.systems[full], population.systems[name]))
        assert close(each.hidden, slow_hidden(counts, len(population)))
        assert each.hidden is not None
        assert each.accuracy_change is not None
        assert close(each.hidden + abs(each.accuracy_change), each.different.share)
        for turned in (each.different, each.corrections, each.new_errors, each.changed_errors):
            assert result.count(turned.where, full, name) == turned.count


@identity(several_systems)
def test_the_most_hidden_change_is_first_and_ties_go_to_the_smaller_change(population: Population) -> None:
    full, *others = population.systems
    key = population.key

    def order(name: str) -> tuple[Fraction, Fraction, str]:
        hidden = slow_hidden(reference.classes(key, population.systems[full], population.systems[name]), len(key))
        change = reference.right(key, population.systems[name]) - reference.right(key, population.systems[full])
        assert hidden is not None
        return -hidden, Fraction(abs(change)), name

    assert [each.system for each in ablation(population).variants] == sorted(others, key=order)


@identity(several_systems)
def test_the_order_of_the_variants_changes_nothing(population: Population) -> None:
    full, *others = population.systems
    assert ablation(population, 20) == ablation(population.only(full, *others[::-1]), 20)


@identity(populations(systems=(2, 3), documents=(17, 18), sentences=1, tokens=2), examples=10)
def test_intervals_come_from_resampled_documents(population: Population) -> None:
    full, *others = population.systems
    owners = sorted(set(population.document))
    weights = drawn(bootstrap_sums(np.eye(len(owners)), RESAMPLES, 13))
    found = {each.system: each for each in ablation(population, RESAMPLES).variants}
    for name in others:
        by_unit = [
            reference.classes(*([column[site] for site in rows] for column in columns(population, full, name)))
            for rows in ([site for site, owner in enumerate(population.document) if owner == one] for one in owners)
        ]
        shares, hidden = [], []
        for weight in weights:
            sums = {
                kind: sum(times * counts[kind] for times, counts in zip(weight, by_unit, strict=True))
                for kind in (*reference.CLASSES, "same_right", "same_error")
            }
            sites = sum(sums.values())
            shares.append(reference.ratio(sum(sums[kind] for kind in reference.CLASSES), sites))
            hidden.append(slow_hidden(sums, sites))
        each = found[name]
        for span, samples in (
            ((each.different.low, each.different.high), shares),
            ((each.hidden_low, each.hidden_high), hidden),
        ):
            low, high = reference.interval(samples)
            assert close(span[0], low)
            assert close(span[1], high)


def columns(population: Population, full: str, name: str) -> tuple[reference.Values, ...]:
    return population.key, population.systems[full], population.systems[name]


@identity(populations(systems=(3, 4), documents=(6, 7), sentences=1))
def test_holm_corrects_for_the_variants_alone(population: Population) -> None:
    full, *others = population.systems
    pairs = {name: population.only(full, name).result(20).significance().tests[0] for name in others}
    corrected = reference.holm([Fraction(pairs[name].p or 0.0) for name in others])
    found = {each.system: each.change for each in ablation(population, 20).variants}
    for name, p in zip(others, corrected, strict=True):
        assert close(found[name].p_holm, p)
        assert (found[name].base, found[name].new) == (full, name)
        assert found[name].difference == pairs[name].difference


@identity(several_systems)
def test_rates_are_those_of_complementarity_in_both_directions(population: Population) -> None:
    full, *_ = population.systems
    result = population.result()
    rates = result.complementarity()
    for each in result.ablation().variants:
        assert each.spared == rates.rates(full, each.system)
        assert each.added == rates.rates(each.system, full)


@identity(several_systems)
def test_runs_count_as_pairs(population: Population) -> None:
    """Of a whole system of several runs each is compared with the variant."""
    names = list(population.systems)
    runs = (System("full", tuple(range(len(names) - 1))), System("variant", (len(names) - 1,)))
    result = replace(population, runs=runs).result()
    (each,) = result.ablation("full").variants
    counted = [reference.classes(*columns(population, name, names[-1])) for name in names[:-1]]
    assert each.sites == len(population) * len(counted)
    assert each.corrections.count == sum(counts["correction"] for counts in counted)
    assert each.new_errors.count == sum(counts["new_error"] for counts in counted)
    assert result.count("changed_error", "full", "variant") == each.changed_errors.count


@identity(sets)
def test_identical_variants_have_changed_nothing(population: Population) -> None:
    name = next(iter(population.systems))
    twins = replace(population, systems={name: population.systems[name], "twin": population.systems[name]})
    (each,) = ablation(twins, 20).variants
    assert (each.different.count, each.hidden, each.accuracy_change, each.reading) == (0, 0.0, 0.0, None)


# Readings


def swapping(wrong: int, right: int, size: int = 400, documents: int = 20) -> Population:
    """A variant that turns some decisions wrong and some right, spread evenly over documents."""
    key = ["A"] * size
    full = ["B" if site % 4 == 0 else "A" for site in range(size)]
    variant = list(full)
    source = random.Random(1)
    for site in source.sample([site for site in range(size) if site % 4], wrong):
        variant[site] = "C"
    for site in source.sample([site for site in range(size) if site % 4 == 0], right):
        variant[site] = "A"
    owner = tuple(site * documents // size for site in range(size))
    return Population(
        key=tuple(key), systems={"full": tuple(full), "variant": tuple(variant)}, sentence=owner, document=owner
    )


def variant(population: Population, resamples: int = 500) -> Variant:
    (each,) = ablation(population, resamples).variants
    return each


def test_the_same_score_by_different_decisions() -> None:
    each = variant(swapping(wrong=40, right=40))
    assert each.reading == "same score, different decisions"
    assert each.sentence == (
        "variant: same score, different decisions: the score changes by +0.00 points (p 1.000), and 80 of 400 "
        "decisions change: 40 turn right, 40 turn wrong, 0 stay wrong differently"
    )
    assert (each.hidden, each.accuracy_change) == (0.2, 0.0)
    assert each.different.low is not None
    assert each.different.low > MANY


def test_what_a_test_does_not_find_is_not_called_the_same() -> None:
    each = variant(swapping(wrong=40, right=30))
    assert each.change.p_holm is not None
    assert each.change.p_holm > 0.05
    assert each.change.difference == pytest.approx(-0.025)
    assert each.reading == "no significant change, different decisions"


def test_changes_that_all_go_one_way_hide_nothing() -> None:
    """Six documents, three variants: nothing can be significant, although all that changes turns wrong."""
    population = swapping(wrong=40, right=0, documents=6)
    copies = dict.fromkeys(("x", "y", "z"), population.systems["variant"])
    found = ablation(replace(population, systems={"full": population.systems["full"], **copies}), 200)
    for each in found.variants:
        assert each.change.p_holm == 3 * 2 / 2**6
        assert each.different.low is not None
        assert each.different.low > MANY
        assert (each.hidden, each.reading) == (0.0, None)


def test_another_score_by_few_decisions() -> None:
    each = variant(swapping(wrong=12, right=0))
    assert each.change.p_holm is not None
    assert each.change.p_holm < 0.05
    assert each.different.high is not None
    assert each.different.high < FEW
    assert each.reading == "few decisions, another score"
    assert each.sentence is not None
    assert "changes by -3.00 points" in each.sentence


@pytest.mark.parametrize(
    ("wrong", "right", "why"),
    [
        (100, 5, "much changes, and the score says so"),
        (1, 1, "hardly anything changes"),
        (0, 0, "nothing changes"),
    ],
)
def test_nothing_is_read_into_the_rest(wrong: int, right: int, why: str) -> None:
    assert variant(swapping(wrong, right)).reading is None, why


def test_without_intervals_nothing_is_read_into_anything() -> None:
    for resamples, documents in ((0, 20), (500, 1)):
        each = variant(swapping(40, 40, documents=documents), resamples)
        assert (each.reading, each.sentence, each.different.low) == (None, None, None)


def test_with_too_few_documents_for_a_test_the_interval_decides() -> None:
    same = variant(swapping(40, 40, documents=5))
    assert same.change.p is None
    assert same.reading == "same score, different decisions"
    other = variant(swapping(12, 0, documents=5))
    assert other.change.p is None
    assert other.reading == "few decisions, another score"


def test_an_undefined_score_shows_nothing_at_all() -> None:
    """F1 of nothing in the key: a variant that claims what the whole system does not changes decisions all the same."""
    nothing = [["O"] * 4] * 30
    full = [["B-PER", "O", "O", "O"]] * 30
    found = comparanda.compare(nothing, {"full": full, "empty": nothing}, task="span", resamples=50).ablation()
    (each,) = found.variants
    assert each.score.value is None
    assert each.change.difference is None
    assert each.corrections.count == 30
    assert "empty: f1 is n/a: nothing in the key and nothing claimed" in str(found)


# Bad input


def test_an_ablation_needs_a_variant_and_a_whole_system_that_is_there() -> None:
    population = swapping(1, 1)
    with pytest.raises(UsageError, match="needs the full system and a variant"):
        population.only("full").result().ablation()
    with pytest.raises(UsageError, match="unknown system 'fool'"):
        population.result().ablation("fool")


def test_any_system_may_be_the_whole_one() -> None:
    there, back = variant(swapping(30, 10), 50), swapping(30, 10).result(50).ablation("variant").variants[0]
    assert (there.corrections.count, there.new_errors.count) == (back.new_errors.count, back.corrections.count)
    assert there.hidden == back.hidden
    assert there.change.difference is not None
    assert back.change.difference is not None
    assert close(there.change.difference, -back.change.difference)


def test_spans_are_compared_at_the_sites_of_the_pair_alone() -> None:
    """A third system's long span must not swallow what the whole system and a variant differ in."""
    key = [["B-PER", "O", "B-LOC", "O"]] * 8
    full, part = key, [["B-PER", "O", "O", "O"]] * 8
    long = [["B-ORG", "I-ORG", "I-ORG", "I-ORG"]] * 8
    found = comparanda.compare(key, {"full": full, "part": part, "long": long}, task="span", resamples=0).ablation()
    alone = comparanda.compare(key, {"full": full, "part": part}, task="span", resamples=0).ablation()
    (mine,) = [each for each in found.variants if each.system == "part"]
    assert (mine.sites, mine.different.count, mine.new_errors.count) == (16, 8, 8)
    assert replace(mine, change=alone.variants[0].change) == alone.variants[0]
    assert found.over_items
    assert "f1 counts items, decisions are counted at sites: neither can be derived from the other" in str(found)


def test_a_view_without_sites_has_scores_alone(tmp_path: Path) -> None:
    for name, head in (("key", 2), ("full", 2), ("part", 0)):
        rows = [f"{number}\tw\tw\tX\t_\t_\t{parent}\tdep\t_\t_" for number, parent in ((1, head), (2, 0))]
        (tmp_path / f"{name}.conllu").write_text("\n".join(rows) + "\n\n")
    systems = {name: tmp_path / f"{name}.conllu" for name in ("full", "part")}
    result = comparanda.compare(tmp_path / "key.conllu", systems, task="dep", resamples=0)
    assert not len(result.verdicts.view("conll18").sites)
    assert {each.alone for each in result.leaderboard(view="conll18").standings} == {None}
    found = result.ablation(view="conll18")
    (each,) = found.variants
    assert (each.sites, each.different.share, each.hidden, each.reading) == (0, None, None, None)
    assert each.change.method == "not requested"
    assert "the view has no sites" in str(found)


def test_the_table_names_those_of_the_same_score_in_its_heading() -> None:
    population = swapping(40, 40)
    found = ablation(population, 200)
    text = str(found)
    assert text.partition("\n")[0] == "Ablation of full; same score, different decisions: variant"
    assert str(found.variants[0].sentence) in text
    (row,) = found.to_dicts()
    assert (row["system"], row["change"], row["hidden"], row["diff"], row["different"]) == (
        "variant",
        0.0,
        0.2,
        0.2,
        80,
    )
    assert (row["corrections"], row["new_errors"], row["changed_errors"], row["sites"]) == (40, 40, 0, 400)
    assert (row["rcomp_spared"], row["rcomp_added"]) == (0.4, 0.4)
    assert str(ablation(swapping(1, 1), 20)).partition("\n")[0] == "Ablation of full"
