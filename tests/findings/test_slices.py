"""Slices: the same numbers on some of the sites, corrected for their number."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from comparanda import UsageError
from comparanda.core.text_columns import TextColumn
from comparanda.findings.slices import MOST_SLICES, compute_slices
from tests import reference
from tests.findings.populations import Population, close, exact_pairs, identity, populations, sets_of_pairs

if TYPE_CHECKING:
    from comparanda import Result

CUTS = ("label", "word", "length", "odd", "genre", "document", "frequency", "solved_by", "majority_right")
any_pair = populations(systems=(2, 3)) | sets_of_pairs


@identity(any_pair)
def test_slices_divide_the_sites(population: Population) -> None:
    for by in CUTS:
        found = population.result().slices(by)
        assert sum(each.sites for each in found.slices) + found.left_out == len(population)
        assert len({each.value for each in found.slices}) == len(found.slices)


@identity(any_pair)
def test_the_scores_of_a_slice_are_those_of_its_sites_alone(population: Population) -> None:
    result = population.result()
    for by in CUTS:
        for each in result.slices(by).slices:
            alone = result.where(each.where).scores()
            assert each.scores == tuple(alone.value(name) for name in population.systems)


@identity(exact_pairs)
def test_a_slice_is_tested_like_a_result_of_its_own(population: Population) -> None:
    result = population.result(20)
    for by in ("odd", "word"):
        found = result.slices(by)
        for each in found.slices:
            test = result.where(each.where).significance().tests[0]
            assert each.p == test.p
            assert close(each.difference, test.difference)


@identity(exact_pairs)
def test_slices_are_corrected_after_benjamini_and_hochberg(population: Population) -> None:
    for cut in ("odd", "word"):
        found = population.result(20).slices(cut).slices
        made = [each for each in found if each.p is not None]
        expected = reference.benjamini_hochberg([Fraction(each.p or 0) for each in made])
        assert all(close(each.p_corrected, p) for each, p in zip(made, expected, strict=True))
        assert all(each.p_corrected is None for each in found if each.p is None)


@identity(populations(systems=(2, 4), documents=(17, 18), sentences=1, tokens=1), examples=25)
def test_loading_a_third_system_never_changes_a_pairs_slices(population: Population) -> None:
    base, new = list(population.systems)[:2]
    together, alone = (
        each.result(40).slices("odd", base, new).slices for each in (population, population.only(base, new))
    )
    assert [replace(each, scores=each.scores[:2]) for each in together] == list(alone)


def counted(numbers: list[int]) -> Result:
    size = len(numbers)
    lengths = [number for number in range(size) for _ in range(numbers[number])]
    total = len(lengths)
    return Population(
        key=("A",) * total, systems={"x": ("A",) * total}, sentence=tuple(lengths), document=(0,) * total
    ).result()


def test_the_largest_slice_of_texts_stands_first() -> None:
    population = Population(key=tuple("ABBCCC"), systems={"x": tuple("ABBCCC")}, sentence=(0,) * 6, document=(0,) * 6)
    assert [(each.value, each.sites, each.where) for each in population.result().slices("label").slices] == [
        ("C", 3, 'label == "C"'),
        ("B", 2, 'label == "B"'),
        ("A", 1, 'label == "A"'),
    ]


def test_few_numbers_are_slices_of_their_own_and_many_are_cut_at_their_quintiles() -> None:
    few = counted([1, 2, 2, 3]).slices("length").slices
    assert [(each.value, each.sites, each.where) for each in few] == [
        ("1", 1, "length == 1"),
        ("2", 4, "length == 2"),
        ("3", 3, "length == 3"),
    ]
    many = counted(list(range(1, 11))).slices("length").slices
    assert [each.value for each in many] == ["1–5", "6–7", "8", "9", "10"]
    assert sum(each.sites for each in many) == 55


def test_a_large_number_selects_its_own_sites() -> None:
    population = Population(key=("A", "A"), systems={"x": ("A", "A")}, sentence=(0, 1), document=(0, 0))
    context = population.result().context(None)
    for column in (np.array([1_234_567, 7_654_321]), np.array([0.1 + 0.2, 2 / 3])):
        found = compute_slices(context, by="size", column=column, base=None, new=None).slices
        assert [float(each.where.removeprefix("size == ")) for each in found] == column.tolist()


def test_a_missing_value_is_a_slice_of_its_own() -> None:
    population = Population(key=("A", "A", "B"), systems={"x": ("A", "B", "B")}, sentence=(0, 0, 0), document=(0, 0, 0))
    found = population.result().slices("genre").slices
    assert [(each.value, each.sites, each.where) for each in found] == [
        ("prose", 2, 'genre == "prose"'),
        ("(none)", 1, "is_missing(genre)"),
    ]


def test_slices_beyond_the_limit_are_counted() -> None:
    size = MOST_SLICES + 5
    population = Population(
        key=("A",) * size, systems={"x": ("A",) * size}, sentence=tuple(range(size)), document=(0,) * size
    )
    column = TextColumn.of(f"w{number:03}" for number in range(size))
    found = compute_slices(population.result().context(None), by="word", column=column, base=None, new=None)
    assert (len(found.slices), found.left_out) == (MOST_SLICES, 5)


def test_an_unknown_attribute_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match=r"unknown attribute 'lenght' \(did you mean 'length'\?\)"):
        Population(key=("A",), systems={"x": ("A",)}, sentence=(0,), document=(0,)).result().slices("lenght")
