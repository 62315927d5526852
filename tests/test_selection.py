"""What conditions can see of a view."""

from __future__ import annotations

import pytest

from comparanda import UsageError
from comparanda.selection import selected
from tests import reference
from tests.comparison.populations import NAMES, Population, identity, populations, seen, sets, written

SMALL = Population(
    ("A", "B", "A", "C"),
    {"x": ("A", "A", None, "B"), "y": ("B", "B", "A", "A"), 'z"': ("A", "A", "C", "C")},
    (0, 0, 1, 1),
    (0, 0, 1, 1),
)


def rows(where: str, base: str | None = None, new: str | None = None) -> list[int]:
    verdicts = SMALL.verdicts()
    return [int(row) for row in selected(verdicts, verdicts.view(), where, base, new).rows]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("true", [0, 1, 2, 3]),
        ('key == "A"', [0, 2]),
        ('label == "A"', [0, 2]),
        ('document == "d001"', [2, 3]),
        ('word == "w0"', [0, 3]),
        ("frequency == 2", [0, 3]),
        ("length == 2 and odd", []),
        ("solved_by == 2", [0]),
        ("solved_by == 1", [1, 2, 3]),
        ("agreement == 3", []),
        ("agreement == 2", [0, 1]),
        ('majority == "A"', [0, 1, 3]),
        ('majority == "(absent)"', [2]),
        ("majority_right", [0]),
        ('right("x")', [0]),
        ('right("z\\"")', [0, 3]),
        ('value("x") == "(absent)"', [2]),
        ('value("x") != key', [1, 2, 3]),
    ],
)
def test_a_condition_on_sites(where: str, expected: list[int]) -> None:
    assert rows(where) == expected


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("correction", [1, 2]),
        ("new_error", [0]),
        ("changed_error", [3]),
        ("same_right", []),
        ("same_error", []),
        ("differs", [0, 1, 2, 3]),
        ("base_right", [0]),
        ("new_right", [1, 2]),
        ('base == "(absent)" and new == key', [2]),
    ],
)
def test_a_condition_on_a_pair(where: str, expected: list[int]) -> None:
    assert rows(where, "x", "y") == expected


@identity(populations() | sets)
def test_solved_by_agreement_and_majority_are_those_of_the_definition(population: Population) -> None:
    result = population.result()
    columns = list(population.systems.values())
    for number, count in enumerate(reference.hardness(population.key, columns)):
        assert result.count(f"solved_by == {number}") == count
    for agree, (sites, right) in reference.agreement(population.key, columns, written).items():
        assert result.count(f"agreement == {agree}") == sites
        assert result.count(f"agreement == {agree} and majority_right") == right


@identity(populations() | sets)
def test_the_values_of_every_run_can_be_asked_for(population: Population) -> None:
    from comparanda.expressions import quote

    result = population.result()
    for name, values in population.systems.items():
        assert name in NAMES
        assert result.count(f"right({quote(name)})") == reference.right(population.key, values)
        for value in set(values):
            where = f"value({quote(name)}) == {quote(seen(value))}"
            assert result.count(where) == values.count(value)


def test_an_unknown_name_or_run_is_refused() -> None:
    with pytest.raises(UsageError, match="lenght"):
        rows("lenght > 3")
    with pytest.raises(UsageError, match="'q'"):
        rows('right("q")')
