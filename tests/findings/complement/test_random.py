"""Complementarity of random inputs of every task against a slow reference written from DEFINITIONS 1 to 3."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

import comparanda as cp
from comparanda.findings.complement import ComplementPair, Joint, LabelComplement, Overlap, Rates
from comparanda.findings.counts import Cell
from tests import reference as definitions
from tests.findings.complement import reference
from tests.findings.complement.cases import (
    Case,
    cut_tags,
    exact_spans,
    of_links,
    of_population,
    one_by_one,
    trees,
)
from tests.findings.complement.reference import Judged, Pair, Scores
from tests.findings.populations import Population, close, identity, pairs, sets_of_pairs, several_systems
from tests.findings.test_selections import populations_with_runs
from tests.rules.shipped import shipped_rules
from tests.seeds import first_few, mostly_slow, seeds
from tests.tasks.random_links import SYSTEMS, VIEWS, Links, links
from tests.tasks.random_spans import Crowd, crowd

BETA = 2

any_population = several_systems | sets_of_pairs | populations_with_runs()


def counts_of(overlap: Overlap) -> tuple[int, ...]:
    cells = [overlap.found_by_both, overlap.found_by_first, overlap.found_by_second, overlap.found_by_neither]
    cells += [overlap.spurious_in_both, overlap.spurious_in_first, overlap.spurious_in_second]
    sites = [overlap.wrong_in_both, overlap.wrong_in_first, overlap.wrong_in_second]
    return tuple(each.count if isinstance(each, Cell) else 0 for each in (*cells, *sites))


def assert_rates(rates: Rates, expected: Pair, *, back: bool) -> None:
    """Compare the five rates of one direction."""
    kinds = {"comp": expected.all, "pcomp": expected.spurious, "rcomp": expected.missed}
    for name, errors in kinds.items():
        wanted = errors.back if back else errors.forth
        found = getattr(rates, name)
        assert close(found.value, wanted), name
        assert (found.reason is None) == (wanted is not None), name
    both = expected.f_back if back else expected.f_forth
    assert close(rates.fcomp.value, both())
    assert close(rates.fbeta.value, both(BETA))


def assert_joint(found: Joint | None, expected: Scores) -> None:
    assert found is not None
    assert (found.found, found.claimed) == (expected.true, expected.true + expected.false)
    for name in ("precision", "recall", "f1"):
        assert close(getattr(found, name), getattr(expected, name)), name


def assert_row(row: ComplementPair | LabelComplement, expected: Pair) -> None:
    assert counts_of(row.overlap) == expected.numbers
    assert (row.overlap.wrong_in_both is not None) == expected.over_sites
    assert_rates(row.forth, expected, back=False)
    assert_rates(row.back, expected, back=True)


def assert_pair(pair: ComplementPair, judged: Judged) -> None:
    """Compare a pair, and each of its labels; labels that neither the key nor the two have are empty."""
    names = pair.first, pair.second
    assert (pair.forth.system, pair.forth.other) == (pair.back.other, pair.back.system) == names
    assert_row(pair, reference.count(judged, *names))
    wanted = reference.labels_used(judged, *names)
    found = {row.label: row for row in pair.labels}
    assert wanted <= set(found)
    for label, row in found.items():
        assert_row(row, reference.count(reference.only_label(judged, label), *names))


def assert_agrees(case: Case) -> list[ComplementPair]:
    found = case.result.complementarity(beta=BETA, view=case.view)
    assert found.over == ("items" if case.judged.sites is None else "sites")
    assert [(pair.first, pair.second) for pair in found.pairs] == list(combinations(case.names, 2))
    for pair in found.pairs:
        assert_pair(pair, case.judged)
    return list(found.pairs)


def assert_joints(pair: ComplementPair, judged: Judged) -> None:
    expected = reference.count(judged, pair.first, pair.second)
    assert_joint(pair.union, expected.union)
    assert_joint(pair.intersection, expected.intersection)


@identity(any_population)
def test_complementarity_of_tags_and_labels_is_that_of_the_reference(population: Population) -> None:
    case = Case(population.result(), of_population(population))
    for pair in assert_agrees(case):
        assert_joints(pair, case.judged)


@pytest.mark.parametrize("seed", seeds(8, of=24))
def test_so_it_is_where_systems_cut_words_otherwise(seed: int) -> None:
    case = cut_tags(seed)
    for pair in assert_agrees(case):
        assert_joints(pair, case.judged)


@pytest.mark.parametrize("view", ["las", "uas"])
@pytest.mark.parametrize("seed", seeds(3, of=20))
def test_so_it_is_of_trees(seed: int, view: str, tmp_path: Path) -> None:
    assert_agrees(trees(seed, view, tmp_path))


@identity(st.integers(0, 1_000), examples=15)
def test_so_it_is_of_spans_nested_repeated_and_in_pieces(seed: int) -> None:
    given = crowd(seed)
    names = ("one", "two", "three")
    result = cp.compare(given.given("key"), given.systems(*names), task="span", resamples=0)
    case = Case(result, exact_spans(given, names))
    for pair in assert_agrees(case):
        assert_joints(pair, case.judged)


RULED = {
    "semeval2013": ("strict", "exact", "partial", "type"),
    "paper": ("credit", "strict", "credit_certain"),
    "gate": ("strict", "average"),
    "i2b2": ("relaxed",),
    "tokens": ("overlap",),
    "paper-literal": ("literal",),
}


@pytest.mark.parametrize("seed", seeds(1, of=4))
@pytest.mark.parametrize(("rules", "view"), [(name, view) for name, views in RULED.items() for view in views])
def test_so_it_is_where_rules_give_credit_for_parts_or_leave_spans_out(seed: int, rules: str, view: str) -> None:
    given = crowd(seed)
    systems: dict[str, Any] = given.systems("one", "two", "three")
    options: dict[str, Any] = {"task": "span", "rules": shipped_rules(rules)}
    result = cp.compare(given.given("key"), systems, resamples=0, **options)
    assert_agrees(Case(result, one_by_one(given.given("key"), systems, view, **options), view))


@identity(st.integers(0, 1_000), examples=5)
def test_what_gets_credit_for_a_part_is_found_however_little_it_is(seed: int) -> None:
    given = crowd(seed)
    systems = given.systems("one", "two")
    options: dict[str, Any] = {"task": "span", "rules": shipped_rules("semeval2013")}
    result = cp.compare(given.given("key"), systems, resamples=0, **options)
    judged = one_by_one(given.given("key"), systems, "partial", **options)
    assert_agrees(Case(result, judged, "partial"))


def assert_links_agree(given: Links, *views: str) -> None:
    systems = {name: given.given(name) for name in SYSTEMS}
    result = cp.compare(given.given("key"), systems, task="link", resamples=0)
    for view in views:
        assert_agrees(Case(result, of_links(given, view), view))


@identity(st.integers(0, 1_000), examples=5)
def test_so_it_is_of_links_also_where_each_system_has_a_key_of_its_own(seed: int) -> None:
    assert_links_agree(links(seed, 8, twice=False), "end_to_end", "linking", "certain")


@pytest.mark.parametrize("seed", seeds(1, of=6))
def test_so_it_is_of_links_that_systems_repeat(seed: int) -> None:
    assert_links_agree(links(seed), *VIEWS)


# Laws


def both(population: Population) -> tuple[str, str]:
    first, second = [each.name for each in population.runs] or list(population.systems)[:2]
    return first, second


def rows_of(pair: ComplementPair) -> list[ComplementPair | LabelComplement]:
    return [pair, *pair.labels]


def swapped(overlap: Overlap) -> list[int]:
    """The integers with the systems exchanged."""
    found = counts_of(overlap)
    return [found[place] for place in (0, 2, 1, 3, 4, 6, 5, 7, 9, 8)]


def over_of(row: Any) -> str:
    """Whether Comp of a row is over sites or items: for the labels of sets it is over items."""
    return "items" if row.overlap.wrong_in_both is None else "sites"


def errors(counts: tuple[int, ...], over: str) -> dict[str, tuple[int, int]]:
    """How many errors of each kind the first and the second make, from the ten integers."""
    neither, shared, wrong = counts[3], counts[4], counts[7]
    kinds = {
        "rcomp": (counts[2] + neither, counts[1] + neither),
        "pcomp": (counts[5] + shared, counts[6] + shared),
    }
    items = tuple(one + other for one, other in zip(*kinds.values(), strict=True))
    kinds["comp"] = (counts[8] + wrong, counts[9] + wrong) if over == "sites" else (items[0], items[1])
    return kinds


some_pair = pairs | sets_of_pairs | populations_with_runs()


@identity(some_pair)
def test_common_errors_are_common_to_both_directions(population: Population) -> None:
    """What is left of a after the share that B spares is what is left of b after the share that A spares."""
    found = population.result().complementarity(*both(population))
    (pair,) = found.pairs
    for row in rows_of(pair):
        for kind, (a, b) in errors(counts_of(row.overlap), over_of(row)).items():
            forth, back = getattr(row.forth, kind).value, getattr(row.back, kind).value
            mine = 0 if forth is None else a * (1 - forth)
            theirs = 0 if back is None else b * (1 - back)
            assert mine == pytest.approx(theirs, abs=1e-9)
            assert (forth is None) == (a == 0 < b)


@identity(some_pair)
def test_swapping_the_systems_swaps_the_two_directions(population: Population) -> None:
    first, second = both(population)
    result = population.result(8)
    (there,), (back,) = (result.complementarity(*names).pairs for names in ((first, second), (second, first)))
    for mine, theirs in zip(rows_of(there), rows_of(back), strict=True):
        assert (mine.forth, mine.back) == (theirs.back, theirs.forth)
        assert list(counts_of(mine.overlap)) == swapped(theirs.overlap)
    for made in ("union", "intersection"):
        one, other = getattr(there, made), getattr(back, made)
        assert (one.found, one.claimed, one.f1) == (other.found, other.claimed, other.f1)


@identity(some_pair)
def test_the_integers_sum_to_the_items_of_the_key_and_of_each_system(population: Population) -> None:
    judged = of_population(population)
    first, second = both(population)
    (pair,) = population.result().complementarity(first, second).pairs
    found = counts_of(pair.overlap)
    mine, theirs = judged.systems[first], judged.systems[second]
    assert sum(found[:4]) == len(judged.positives) * len(mine) * len(theirs)
    assert found[0] + found[1] == sum(len(run.found) for run in mine) * len(theirs)
    assert found[0] + found[2] == sum(len(run.found) for run in theirs) * len(mine)
    assert found[4] + found[5] == sum(len(run.spurious) for run in mine) * len(theirs)
    assert found[4] + found[6] == sum(len(run.spurious) for run in theirs) * len(mine)
    assert found[7] + found[8] == sum(len(run.wrong or ()) for run in mine) * len(theirs)


@identity(several_systems)
def test_a_third_system_never_changes_the_rates_of_a_pair(population: Population) -> None:
    first, second = both(population)
    for resamples in (0, 8):
        (alone,) = population.only(first, second).result(resamples).complementarity().pairs
        together = population.result(resamples).complementarity().pairs[0]
        labels = {row.label for row in alone.labels}
        assert tuple(row for row in together.labels if row.label in labels) == alone.labels
        for name in ("overlap", "forth", "back", "union", "intersection", "ceiling", "advice"):
            assert getattr(alone, name) == getattr(together, name), name


def test_nor_does_it_add_labels_that_neither_of_the_pair_has() -> None:
    key, systems = ("A", "B"), {"x": ("A", "A"), "y": ("B", "B"), "z": ("C", "C")}
    population = Population(key=key, systems=systems, sentence=(0, 1), document=(0, 1))
    (alone,) = population.only("x", "y").result().complementarity().pairs
    assert population.result().complementarity("x", "y").pairs[0] == alone
    assert population.result().complementarity().pairs[0] == alone


@pytest.mark.parametrize("seed", mostly_slow(range(16), (0, 1, 14)))
def test_nor_does_it_change_anything_of_two_systems_with_spans(seed: int) -> None:
    """Documents in which it alone has a span are no units of the pair (DEFINITIONS 5: units with a site count)."""
    given = crowd(seed)
    alone, together = (
        cp.compare(given.given("key"), given.systems(*names), task="span", resamples=10)
        for names in (("one", "two"), ("one", "two", "three"))
    )
    (expected,) = alone.complementarity().pairs
    (found,) = together.complementarity("one", "two").pairs
    assert replace(found, labels=()) == replace(expected, labels=())


@identity(several_systems)
def test_the_order_of_systems_and_of_sites_changes_no_complementarity(population: Population) -> None:
    found = population.result(8).complementarity()
    names = list(population.systems)
    turned = population.only(*reversed(names)).taken(list(reversed(range(len(population))))).result(8).complementarity()
    for pair in found.pairs:
        assert turned.rates(pair.first, pair.second) == pair.forth
        assert turned.rates(pair.second, pair.first) == pair.back
    backwards = {(pair.second, pair.first): pair for pair in turned.pairs}
    for pair in found.pairs:
        other = backwards[pair.first, pair.second]
        assert list(counts_of(pair.overlap)) == swapped(other.overlap)
        assert {row.label: row.forth for row in pair.labels} == {row.label: row.back for row in other.labels}


@pytest.mark.parametrize("seed", seeds(2, of=8))
def test_the_order_of_documents_and_spans_changes_nothing(seed: int) -> None:
    given = crowd(seed)
    order = random.Random(seed)
    names = ("one", "two", "three")
    plain = cp.compare(given.given("key"), given.systems(*names), task="span", resamples=10)
    key = given.given("key", order)
    order.shuffle(key)
    mixed = cp.compare(key, given.systems(*names, order=order), task="span", resamples=10)
    assert mixed.complementarity() == plain.complementarity()


def assert_selected(result: cp.Result, view: str | None = None) -> None:
    """Every cell leads to just as many items or sites."""
    for pair in result.complementarity(view=view).pairs:
        names = pair.first, pair.second
        for row in rows_of(pair):
            for name, cell in vars(row.overlap).items():
                if cell is not None:
                    assert result.count(cell.where, *names, view=view) == cell.count, name
        for cell in vars(pair.overlap).values():
            if cell is not None:
                shown = result.examples(cell.where, *names, top=1, view=view)
                assert (shown.count, shown.of) == (cell.count, "sites" if "right" in cell.where else "items")


@identity(some_pair | several_systems)
def test_every_integer_of_a_pair_leads_to_its_items_or_sites(population: Population) -> None:
    assert_selected(population.result())


@pytest.mark.parametrize("view", ["las", "uas", "ls"])
@pytest.mark.parametrize("seed", seeds(1, of=4))
def test_so_it_does_in_trees(seed: int, view: str, tmp_path: Path) -> None:
    assert_selected(trees(seed, "las", tmp_path).result, view)


@pytest.mark.parametrize("rules", ["exact", "semeval2013", "paper", "document"])
@pytest.mark.parametrize("seed", seeds(1, of=2))
def test_so_it_does_among_spans(seed: int, rules: str) -> None:
    given = crowd(seed)
    systems, ruled = given.systems("one", "two"), shipped_rules(rules)
    result = cp.compare(given.given("key"), systems, task="span", rules=ruled, resamples=0)
    for view in result.verdicts.views:
        assert_selected(result, view)


@pytest.mark.parametrize("view", first_few(2, VIEWS))
def test_so_it_does_among_links(view: str) -> None:
    given = links(1)
    systems = {name: given.given(name) for name in SYSTEMS[:2]}
    assert_selected(cp.compare(given.given("key"), systems, task="link", resamples=0), view)


@identity(some_pair)
def test_the_integers_of_all_labels_sum_to_those_of_the_pair(population: Population) -> None:
    (pair,) = population.result().complementarity(*both(population)).pairs
    sums = [sum(column) for column in zip(*(counts_of(row.overlap) for row in pair.labels), strict=True)]
    shown = 7 if population.several else 10  # a site with a set of several labels belongs to none of them
    assert (sums[:shown] or [0] * shown) == list(counts_of(pair.overlap)[:shown])


def single(counts: tuple[int, ...], *, second: bool) -> Scores:
    alone, false = (counts[2], counts[6]) if second else (counts[1], counts[5])
    return Scores(counts[0] + alone, counts[4] + false, sum(counts[:4]))


@identity(some_pair)
def test_union_and_intersection_add_up_to_both_systems(population: Population) -> None:
    (pair,) = population.result().complementarity(*both(population)).pairs
    one, two = (single(counts_of(pair.overlap), second=second) for second in (False, True))
    union, intersection = pair.union, pair.intersection
    assert union is not None
    assert intersection is not None
    assert union.found + intersection.found == one.true + two.true
    assert union.claimed + intersection.claimed == one.true + one.false + two.true + two.false
    assert union.found >= max(one.true, two.true) >= min(one.true, two.true) >= intersection.found
    for made in (union, intersection):
        assert close(made.recall, definitions.ratio(made.found, one.positives))
    better = two if (two.f1 or 0) > (one.f1 or 0) else one
    for made in (union, intersection):
        for name in ("precision", "recall", "f1"):
            mine, theirs = getattr(made, name), getattr(better, name)
            wanted = None if mine is None or theirs is None else mine - float(theirs)
            assert close(getattr(made, f"{name}_gain"), wanted)


def united(given: Crowd, first: str, second: str, *, common: bool) -> list[dict[str, Any]]:
    """Take all spans of two systems, or those that both have, each as often as one or both of them do."""
    sides: dict[str, list[Any]] = {}
    for name in given.texts:
        mine, theirs = (Counter(given.sides[side][name]) for side in (first, second))
        sides[name] = list((mine & theirs if common else mine | theirs).elements())
    return Crowd(given.texts, {"key": given.sides["key"], "made": sides}).given("made")


@identity(st.integers(0, 1_000), examples=12)
def test_union_and_intersection_score_as_if_they_were_systems(seed: int) -> None:
    given = crowd(seed)
    made = {
        "union": united(given, "one", "two", common=False),
        "intersection": united(given, "one", "two", common=True),
    }
    (pair,) = (
        cp.compare(given.given("key"), given.systems("one", "two"), task="span", resamples=0).complementarity().pairs
    )
    scores = cp.compare(given.given("key"), made, task="span", resamples=0).scores("precision", "recall", "f1")
    for name in made:
        for measure in ("precision", "recall", "f1"):
            assert close(getattr(getattr(pair, name), measure), scores.value(name, measure)), (name, measure)
