"""Every count leads to its sites: the condition beside it selects just as many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from hypothesis import strategies as st

from comparanda import Result, UsageError
from comparanda.core.verdicts import System
from comparanda.findings.confusion import Confused, LabelCount
from comparanda.findings.difference import DifferenceClass, LabelDifference, Transition
from comparanda.findings.examples import Examples
from comparanda.findings.pairs import Pair
from comparanda.findings.slices import Slice
from comparanda.findings.upper_bounds import Agreement, Contribution, GreedyStep, Hardness, OracleRow
from comparanda.render.finding import Finding
from tests import reference
from tests.findings.populations import Population, identity, populations

COUNTED = {
    Transition: "count",
    DifferenceClass: "count",
    LabelDifference: "sites",
    Pair: "different",
    OracleRow: "oracle_right",
    Hardness: "count",
    GreedyStep: "gain",
    Contribution: "count",
    Agreement: "sites",
    Slice: "sites",
    Examples: "count",
    Confused: "count",
    LabelCount: "count",
}
"""For every kind of row with a condition, the field that the condition's selection must equal."""

ALSO_COUNTED = {
    (Agreement, "where_right"): "right",
    (OracleRow, "sites_where"): "sites",
    (Confused, "where_wrong"): "wrong",
    (LabelCount, "where_right"): "right",
}
CUTS = ("label", "word", "length", "odd", "genre", "document", "frequency", "solved_by", "agreement", "majority")


def rows_with_conditions(thing: Any) -> Iterator[Any]:
    """Yield all rows of a finding that carry a condition, and the finding itself if it does."""
    if isinstance(thing, tuple):
        for each in thing:
            yield from rows_with_conditions(each)
    elif is_dataclass(thing):
        if hasattr(thing, "where"):
            yield thing
        for field in fields(thing):
            yield from rows_with_conditions(getattr(thing, field.name))


def pair_of(finding: Finding, row: Any) -> tuple[str | None, str | None]:
    if isinstance(row, Pair):
        return row.base, row.new
    return getattr(finding, "base", None), getattr(finding, "new", None)


def check(result: Result, finding: Finding) -> set[type]:
    """Compare every count of a finding with its selection; return the kinds of rows met."""
    met = set()
    for row in rows_with_conditions(finding):
        kind = type(row)
        assert kind in COUNTED, f"{kind.__name__} has a condition: say which of its fields it counts"
        pair = pair_of(finding, row)
        assert result.count(row.where, *pair) == getattr(row, COUNTED[kind])
        for (other, name), counted in ALSO_COUNTED.items():
            if kind is other:
                assert result.count(getattr(row, name), *pair) == getattr(row, counted)
        met.add(kind)
    return met


def findings(result: Result) -> Iterator[Finding]:
    yield result.combination()
    for run in result.verdicts.runs:
        yield result.confusion(run)
    for by in CUTS:
        yield result.slices(by)
    if len(result.systems) > 1:
        yield result.pairs()
        for base in result.systems:
            for new in result.systems:
                if base != new:
                    yield result.difference(base, new)
        yield result.examples("correction or new_error", top=2)
    yield result.examples("solved_by == 0", top=2)


@st.composite
def populations_with_runs(draw: st.DrawFn) -> Population:
    """Draw systems that have several runs."""
    population = draw(populations(systems=(3, 5)))
    cut = draw(st.integers(1, len(population.systems) - 1))
    columns = tuple(range(len(population.systems)))
    return replace(population, runs=(System("first", columns[:cut]), System("second", columns[cut:])))


any_population = populations() | populations(several=True) | populations_with_runs()


@identity(any_population)
def test_every_count_equals_the_length_of_its_selection(population: Population) -> None:
    result = population.result()
    for finding in findings(result):
        check(result, finding)


def test_no_kind_of_row_escapes_the_check() -> None:
    population = Population(
        key=("A", "A", "B", "C"),
        systems={"x": ("A", "B", "A", "A"), "y": ("B", "A", "C", "A")},
        sentence=(0, 0, 1, 1),
        document=(0, 0, 1, 1),
    )
    result = population.result()
    met = set[type]().union(*(check(result, finding) for finding in findings(result)))
    assert met == set(COUNTED)
    everything = result.anatomy(by=CUTS)
    assert {type(row) for row in rows_with_conditions(everything)} == set(COUNTED) - {Examples, Confused, LabelCount}


@identity(any_population)
def test_the_rows_of_a_label_count_what_a_system_has_right(population: Population) -> None:
    if len(population.systems) < 2 or population.runs:
        return
    result = population.result()
    base, new = list(population.systems)[:2]
    for row in result.difference(base, new).labels:
        assert result.count(f"{row.where} and base_right", base, new) == row.base_right
        assert result.count(f"{row.where} and new_right", base, new) == row.new_right


@identity(populations(systems=(2, 5)))
def test_the_five_classes_as_conditions_divide_the_sites(population: Population) -> None:
    result = population.result()
    base, new = list(population.systems)[:2]
    counts = reference.classes(population.key, population.systems[base], population.systems[new])
    for name in ("correction", "new_error", "changed_error", "same_right", "same_error"):
        assert result.count(name, base, new) == counts[name]
    differing = counts["correction"] + counts["new_error"] + counts["changed_error"]
    assert result.count("differs", base, new) == differing
    assert result.count("base_right", base, new) == counts["same_right"] + counts["new_error"]
    assert result.count("new_right", base, new) == counts["same_right"] + counts["correction"]


@identity(populations_with_runs())
def test_with_several_runs_a_site_counts_once_for_each_pair_of_runs(population: Population) -> None:
    result = population.result()
    columns = list(population.systems.values())
    first, second = population.runs
    found = result.difference("first", "second")
    expected = sum(
        (reference.classes(population.key, columns[old], columns[new]) for old in first.runs for new in second.runs),
        Counter[str](),
    )
    assert found.run_pairs == len(first.runs) * len(second.runs)
    assert found.sites == len(population) * found.run_pairs
    assert {each.name: each.count for each in found.classes} == {
        each.name: expected[each.name] for each in found.classes
    }
    assert (found.same_right, found.same_error) == (expected["same_right"], expected["same_error"])
    pair = result.pairs().pairs[0]
    assert (pair.sites, pair.different, pair.diff) == (found.sites, found.different, found.diff)


@identity(populations_with_runs())
def test_with_several_runs_accuracy_is_the_mean_and_the_identity_still_holds(population: Population) -> None:
    result = population.result()
    found, scores = result.difference("first", "second"), result.scores("accuracy")
    for system, accuracy in zip(population.runs, (found.base_accuracy, found.new_accuracy), strict=True):
        columns = [list(population.systems.values())[run] for run in system.runs]
        right = sum(reference.right(population.key, column) for column in columns)
        assert accuracy is not None
        assert abs(accuracy - right / (len(population) * len(columns))) < 1e-12
        assert abs((scores.value(system.name) or 0) - accuracy) < 1e-12
    assert found.new_accuracy is not None
    assert found.base_accuracy is not None
    assert found.accuracy_difference is not None
    assert abs(found.new_accuracy - found.base_accuracy - found.accuracy_difference) < 1e-12


@identity(populations(systems=(1, 4)))
def test_where_gives_the_result_on_the_chosen_sites_alone(population: Population) -> None:
    label = population.key[0]
    sites = [site for site, value in enumerate(population.key) if value == label]
    narrowed = population.result().where('key == "' + str(label).replace("\\", "\\\\").replace('"', '\\"') + '"')
    chosen = population.taken(sites).result()
    assert narrowed.scores().scores == chosen.scores().scores
    assert narrowed.combination() == chosen.combination()
    if len(population.systems) > 1:
        assert narrowed.difference() == chosen.difference()
        assert narrowed.pairs() == chosen.pairs()


def test_a_condition_that_no_site_fulfils_is_refused_as_a_ground() -> None:
    result = Population(key=("A",), systems={"x": ("A",)}, sentence=(0,), document=(0,)).result()
    assert result.count('key == "B"') == 0
    with pytest.raises(UsageError, match="no sites match"):
        result.where('key == "B"')


def test_a_condition_without_a_pair_cannot_speak_of_one() -> None:
    result = Population(key=("A",), systems={"x": ("A",), "y": ("B",)}, sentence=(0,), document=(0,)).result()
    with pytest.raises(UsageError, match="correction"):
        result.count("correction")


def test_a_label_that_looks_like_an_absent_value_is_not_mixed_up_with_it() -> None:
    population = Population(
        key=("A", "A"), systems={"x": ("(absent)", None), "y": ("A", "A")}, sentence=(0, 0), document=(0, 0)
    )
    check(population.result(), population.result().difference())
