"""Sites, items and views."""

from __future__ import annotations

import weakref
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import comparanda as cp
from comparanda import UsageError
from comparanda.core.items import items_of_sites
from comparanda.core.sites import ABSENT, Attribute, format_value, majority_of, recode_canonically
from comparanda.core.text_columns import TextColumn
from comparanda.core.verdicts import View
from tests import reference
from tests.findings.populations import Population, identity, populations, sets, written

SMALL = Population(
    key=("A", "B", "A"), systems={"x": ("A", "A", None), "y": ("B", "B", "A")}, sentence=(0, 0, 1), document=(0, 0, 1)
)


def test_special_values_are_shown_in_brackets() -> None:
    assert [format_value(value) for value in (ABSENT, "\0nil", "NN", "(NN)")] == ["(absent)", "(nil)", "NN", "(NN)"]


@identity(populations() | sets)
def test_a_run_is_right_where_its_value_is_the_keys(population: Population) -> None:
    sites = population.verdicts().view().sites
    for right, values in zip(sites.right, population.systems.values(), strict=True):
        assert right.tolist() == [y == value for y, value in zip(population.key, values, strict=True)]


@identity(populations() | sets)
def test_a_site_is_contested_where_some_run_is_wrong(population: Population) -> None:
    sites = population.verdicts().view().sites
    solved = reference.solved_by(population.key, population.systems.values())
    assert sites.contested.tolist() == [n for n, count in enumerate(solved) if count < len(population.systems)]


@identity(populations() | sets)
def test_key_counts_are_frequencies_in_the_key(population: Population) -> None:
    sites = population.verdicts().view().sites
    found = {name: count for name, count in zip(sites.names, sites.key_counts.tolist(), strict=True) if count}
    assert found == dict(Counter(written(value) for value in population.key))


@identity(populations(systems=(1, 5)) | sets)
def test_the_majority_is_the_most_frequent_value_and_of_equals_the_first(population: Population) -> None:
    sites = population.verdicts().view().sites
    votes, winner = majority_of(sites.values)
    for site, answers in enumerate(zip(*population.systems.values(), strict=True)):
        counts = Counter(map(written, answers))
        assert votes[site] == max(counts.values())
        assert sites.names[winner[site]] == min(name for name, count in counts.items() if count == votes[site])


def test_taking_sites_takes_their_attributes_along() -> None:
    sites = SMALL.verdicts().view().sites.take(np.array([2, 0]))
    assert sites.document.tolist() == [1, 0]
    assert np.asarray(sites.attributes["length"].make()).tolist() == [1, 2]
    words = sites.attributes["word"].make()
    assert isinstance(words, TextColumn)
    assert words.values() == ["w2", "w0"]


def test_an_attribute_is_made_only_when_asked_for() -> None:
    def fail() -> TextColumn:
        raise AssertionError("nobody asked")

    attribute = Attribute("text", fail).taken(np.array([0]))
    assert attribute.type == "text"
    with pytest.raises(AssertionError, match="nobody asked"):
        attribute.make()


def test_sites_left_out_by_policy_stay_with_their_reason() -> None:
    view = SMALL.verdicts().view()
    left_out = replace(view, left_out=TextColumn.of(["", "punctuation", ""]))
    assert (len(left_out.all_sites), len(left_out.sites)) == (3, 2)
    assert left_out.left_out_counts == {"punctuation": 1}
    assert view.left_out_counts == {}


def test_items_may_be_given_by_the_judge() -> None:
    view = SMALL.verdicts().view()
    items = items_of_sites(view.sites)
    credit = tuple(np.where(claimed.astype(np.bool_) & items.positive, 0.5, 0.0) for claimed in items.claimed)
    judged = replace(view, given_items=replace(items, credit=credit))
    verdicts = replace(SMALL.verdicts(), views={"tag": judged})
    scores = replace(SMALL.result(), verdicts=verdicts).scores("recall", "precision")
    assert [score.value for score in scores.scores] == [1 / 6, 1 / 3, 1 / 4, 1 / 3]


def test_items_of_nothing_are_nothing() -> None:
    empty = frozenset[str]()
    items = items_of_sites(
        Population(key=(empty,), systems={"x": (empty,)}, sentence=(0,), document=(0,)).verdicts().view().sites
    )
    assert (len(items), items.names) == (0, ())


def test_columns_are_brought_to_one_sorted_table_of_names() -> None:
    names, codes = recode_canonically([TextColumn.of(["NN", "NE"]), TextColumn.of(["VV", "NE"])])
    assert names == ("NE", "NN", "VV")
    assert [column.tolist() for column in codes] == [[1, 0], [2, 0]]


def test_a_universe_of_runs_is_made_once_in_whatever_order_they_are_named() -> None:
    key, x, y = (["O", "B-PER", "O"], ["B-PER", "O", "O"], ["O", "O", "B-LOC"])
    view = cp.compare([key], {"x": [x], "y": [y], "z": [key]}, task="span", resamples=0).verdicts.view()
    pair = view.among([0, 1])
    assert view.among([1, 0, 1]) is pair
    assert view.among([0]) is not pair
    assert [len(view.among(runs).sites) for runs in ([0], [1], [2], [0, 1])] == [2, 2, 1, 3]
    assert view.among([0, 1, 2]) is view


def test_a_large_universe_goes_before_another_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comparanda.core.verdicts._MAX_CACHED_ROWS", 0)
    key, x, y = (["O", "B-PER", "O"], ["B-PER", "O", "O"], ["O", "O", "B-LOC"])
    view = cp.compare([key], {"x": [x], "y": [y], "z": [key]}, task="span", resamples=0).verdicts.view()
    first = weakref.ref(view.among([0]))
    make, there = View._restrict_claims, []

    def made(self: View, runs: tuple[int, ...]) -> View:
        there.append(first())
        return make(self, runs)

    monkeypatch.setattr(View, "_restrict_claims", made)
    assert view.among([0]) is first()  # the last one is kept
    assert len(view.among([1]).sites) == 2
    assert there == [None]


def test_where_sites_are_the_same_for_all_there_is_one_universe() -> None:
    view = SMALL.verdicts().view()
    assert view.among([0]) is view


def test_systems_and_views_are_found_by_name() -> None:
    verdicts = SMALL.verdicts()
    assert verdicts.system("y").runs == (1,)
    assert isinstance(verdicts.view("tag"), View)
    assert verdicts.view() is verdicts.view("tag")
    with pytest.raises(UsageError, match=r"unknown view 'tga' \(did you mean 'tag'\?\)"):
        verdicts.view("tga")
    with pytest.raises(UsageError, match="unknown system 'z'"):
        verdicts.system("z")
