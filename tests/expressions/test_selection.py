"""What conditions can see of a view."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest

from comparanda import Result, UsageError
from comparanda.expressions.selection import SelectionCaches, select_rows
from comparanda.render.count_links import Link
from tests import reference
from tests.findings.every_task import crowded_spans, fuzzy_spans, linked, spans, tags
from tests.findings.populations import NAMES, Population, identity, populations, seen, sets, written
from tests.seeds import first_few

SMALL = Population(
    key=("A", "B", "A", "C"),
    systems={"x": ("A", "A", None, "B"), "y": ("B", "B", "A", "A"), 'z"': ("A", "A", "C", "C")},
    sentence=(0, 0, 1, 1),
    document=(0, 0, 1, 1),
)


def rows(where: str, base: str | None = None, new: str | None = None) -> list[int]:
    verdicts = SMALL.verdicts()
    return [int(row) for row in select_rows(verdicts, view=verdicts.view(), where=where, base=base, new=new).rows]


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
    from comparanda.expressions import quote_string

    result = population.result()
    for name, values in population.systems.items():
        assert name in NAMES
        assert result.count(f"right({quote_string(name)})") == reference.right(population.key, values)
        for value in set(values):
            where = f"value({quote_string(name)}) == {quote_string(seen(value))}"
            assert result.count(where) == values.count(value)


def test_an_unknown_name_or_run_is_refused() -> None:
    with pytest.raises(UsageError, match="lenght"):
        rows("lenght > 3")
    with pytest.raises(UsageError, match="'q'"):
        rows('right("q")')


@pytest.mark.parametrize("task", [spans, crowded_spans, linked])
def test_among_says_whose_overlap_sites_are_meant(task: Callable[[int, Path], Result], tmp_path: Path) -> None:
    result = task(2, tmp_path)
    first, second, _ = result.verdicts.runs
    view = result.verdicts.view()
    for run in result.verdicts.runs:
        number = result.verdicts.runs.index(run)
        mine = view.among([number]).sites
        assert result.count(f'among("{run}")') == len(mine)
        assert result.count(f'among("{run}") and right("{run}")') == int(mine.right[number].sum())
        assert result.count(f'among("{run}")', first, second) == len(mine)
    both = len(view.among([0, 1]).sites)
    assert result.count(f'among("{first}") and among("{second}")') == both
    assert result.count(f'among("{first}") and (differs or not differs)', first, second) == both
    assert len(select_rows(result.verdicts, view, f'among("{second}")').runs or ()) == 1


@pytest.mark.parametrize(
    "where",
    [
        'among("x") and right("y")',
        'value("y") == key and among("x")',
        'among("x") and solved_by > 1',
        'among("x") and flips("y")',
        'among("x") and right_by_run("y")',
    ],
)
def test_what_is_about_the_sites_of_some_runs_cannot_speak_of_others(where: str) -> None:
    with pytest.raises(UsageError, match="is restricted to the sites of x, but refers to others"):
        rows(where)


@pytest.mark.parametrize("kept", [12_000_000, 1])
@pytest.mark.parametrize("task", first_few(2, [tags, spans, fuzzy_spans, linked]))
def test_conditions_on_one_ground_select_what_each_selects_alone(
    task: Callable[[int, Path], Result], kept: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "comparanda.expressions.selection._MAX_CACHED_ROWS", kept
    )  # with one row at most, all is forgotten at once
    result = task(2, tmp_path)
    verdicts, view = result.verdicts, result.verdicts.view()
    caches = SelectionCaches(verdicts)
    links = [link for pair in permutations(result.systems, 2) for link in _links(result, *pair)]
    assert len({link.base for link in links}) == 3
    for link in links:
        together = select_rows(verdicts, view=view, where=link.where, base=link.base, new=link.new, caches=caches)
        alone = select_rows(verdicts, view=view, where=link.where, base=link.base, new=link.new)
        assert together.rows.tolist() == alone.rows.tolist()
        assert (together.pairs, together.runs, together.of) == (alone.pairs, alone.runs, alone.of)


def _links(result: Result, base: str, new: str) -> list[Link]:
    return [link for table in result.difference(base, new).tables(0) for link in table.links.values()]


def test_a_result_cannot_be_cut_to_the_sites_of_some_runs() -> None:
    with pytest.raises(UsageError, match="a result can only be restricted to sites of all runs"):
        SMALL.result().where('among("x") and right("x")')
