"""No number depends on the order of systems, documents or rows, except where the first given wins a tie."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from comparanda import Result, compare
from comparanda.demo import demo_files
from comparanda.expressions.selection import select_rows
from comparanda.findings.examples import sample_rows as sampled_rows
from tests.findings.populations import Population, close, exact_pairs, identity, populations, sampled_pairs, sets

any_population = populations(systems=(2, 4)) | sets


def equal_sets(found: Iterable[Any], expected: Iterable[Any]) -> bool:
    return sorted(map(repr, found)) == sorted(map(repr, expected))


def shuffled_documents(population: Population, data: st.DataObject) -> Population:
    """The same documents in another order, under new numbers; sentences move with them."""
    order = data.draw(st.permutations(sorted(set(population.document))))
    sites = [site for document in order for site, owner in enumerate(population.document) if owner == document]
    moved = population.taken(sites)
    documents, sentences = list(dict.fromkeys(moved.document)), list(dict.fromkeys(moved.sentence))
    return replace(
        moved,
        document=tuple(documents.index(owner) for owner in moved.document),
        sentence=tuple(sentences.index(owner) for owner in moved.sentence),
    )


def shuffled_rows(population: Population, data: st.DataObject) -> Population:
    """The same rows in another order inside each sentence."""
    sites: list[int] = []
    for sentence in dict.fromkeys(population.sentence):
        mine = [site for site, owner in enumerate(population.sentence) if owner == sentence]
        sites += data.draw(st.permutations(mine))
    return population.taken(sites)


def same_numbers(one: Population, two: Population) -> None:
    mine, theirs = one.result(), two.result()
    measures = ("accuracy", "sentences", "precision", "recall", "f1", "macro_f1")
    assert mine.scores(*measures) == theirs.scores(*measures)
    assert mine.combination() == theirs.combination()
    if len(one.systems) > 1:
        assert mine.difference() == theirs.difference()
        assert mine.pairs() == theirs.pairs()
    for by in ("label", "word", "length", "odd"):
        assert mine.slices(by) == theirs.slices(by)


@identity(any_population, st.data())
def test_the_order_of_documents_does_not_matter(population: Population, data: st.DataObject) -> None:
    same_numbers(population, shuffled_documents(population, data))


@identity(any_population, st.data())
def test_the_order_of_rows_does_not_matter(population: Population, data: st.DataObject) -> None:
    same_numbers(population, shuffled_rows(population, data))


@identity(exact_pairs, st.data())
def test_an_exact_p_does_not_depend_on_the_order_of_documents(population: Population, data: st.DataObject) -> None:
    moved = shuffled_documents(population, data)
    assert population.result(20).significance().tests[0].p == moved.result(20).significance().tests[0].p


@identity(exact_pairs | sampled_pairs, st.data())
def test_rows_may_move_inside_a_document_without_any_change(population: Population, data: st.DataObject) -> None:
    moved = shuffled_rows(population, data)
    assert population.result(20).significance() == moved.result(20).significance()
    assert population.result(20).scores() == moved.result(20).scores()


@identity(any_population, st.data())
def test_the_order_of_systems_changes_only_the_order_of_rows(population: Population, data: st.DataObject) -> None:
    names = data.draw(st.permutations(list(population.systems)))
    one, two = population.result(20), population.only(*names).result(20)
    assert equal_sets(one.scores().scores, two.scores().scores)
    mine, theirs = one.combination(), two.combination()
    assert (mine.hardness, mine.agreement, mine.unsolved) == (theirs.hardness, theirs.agreement, theirs.unsolved)
    assert equal_sets(mine.unique, theirs.unique)
    assert (mine.low, mine.high) == (theirs.low, theirs.high)
    for row, other in zip((mine.overall, *mine.labels), (theirs.overall, *theirs.labels), strict=True):
        assert (row.label, row.sites, row.oracle_right, row.oracle, row.gain_over_best_here) == (
            other.label,
            other.sites,
            other.oracle_right,
            other.oracle,
            other.gain_over_best_here,
        )
        assert dict(zip(mine.runs, row.right, strict=True)) == dict(zip(theirs.runs, other.right, strict=True))
        assert (set(row.highest), set(row.lowest)) == (set(other.highest), set(other.lowest))
    assert mine.greedy[0].right == theirs.greedy[0].right
    assert mine.greedy[-1].right == theirs.greedy[-1].right


@identity(populations(systems=(2, 4), documents=(6, 7), sentences=1) | sampled_pairs, st.data())
def test_the_order_of_systems_does_not_change_the_numbers_of_a_pair(
    population: Population, data: st.DataObject
) -> None:
    names = data.draw(st.permutations(list(population.systems)))
    one, two = population.result(20), population.only(*names).result(20)
    base, new = list(population.systems)[:2]
    assert one.difference(base, new) == two.difference(base, new)
    mine = {frozenset((test.base, test.new)): test for test in one.significance().tests}
    for test in two.significance().tests:
        other = mine[frozenset((test.base, test.new))]
        assert (test.p, test.p_holm, test.method) == (other.p, other.p_holm, other.method)
        assert close(abs(test.difference or 0), abs(other.difference or 0))


def sampled(population: Population, names: tuple[str, ...], top: int) -> set[tuple[str, int]]:
    """Choose examples and tell them by document and place."""
    verdicts = replace(population.verdicts(), documents=names)
    context = Result(verdicts, 0).context(None)
    rows = sampled_rows(context, select_rows(verdicts, verdicts.view(), "true"), top)
    assert rows == sorted(rows)
    return {(names[int(context.sites.document[row])], int(context.sites.place[row])) for row in rows}


@identity(any_population, st.data())
def test_examples_are_chosen_by_document_and_place_alone(population: Population, data: st.DataObject) -> None:
    top = data.draw(st.integers(0, len(population)))
    order = data.draw(st.permutations(sorted(set(population.document))))
    sites = [site for document in order for site, owner in enumerate(population.document) if owner == document]
    moved = population.taken(sites)
    renumbered = replace(moved, document=tuple(order.index(owner) for owner in moved.document))
    names = tuple(f"d{number}" for number in range(len(order)))
    chosen = sampled(population, names, top)
    assert len(chosen) == (top or len(population))
    assert chosen == sampled(renumbered, tuple(names[number] for number in order), top)


@identity(any_population, st.data())
def test_a_larger_sample_holds_the_smaller_one(population: Population, data: st.DataObject) -> None:
    names = tuple(f"d{number}" for number in range(max(population.document) + 1))
    top = data.draw(st.integers(1, len(population)))
    assert sampled(population, names, top) <= sampled(population, names, top + 1)


def test_a_sample_says_how_many_sites_there_are_in_all() -> None:
    population = Population(
        key=("A",) * 9, systems={"x": ("A",) * 5 + ("B",) * 4, "y": ("A",) * 9}, sentence=(0,) * 9, document=(0,) * 9
    )
    found = population.result().examples("correction", "x", "y", top=2)
    assert (found.where, found.base, found.new, found.count, len(found.examples)) == ("correction", "x", "y", 4, 2)
    assert {(each.key, each.answers[0].value, each.answers[0].right) for each in found.examples} == {("A", "B", False)}


def reordered(text: str, order: list[int]) -> str:
    """The documents of a CoNLL-U file in another order."""
    documents = [f"# newdoc{part}" for part in text.split("# newdoc")[1:]]
    return "".join(documents[number].rstrip("\n") + "\n\n" for number in order)


def test_not_even_draws_depend_on_the_order_of_documents(tmp_path: Path) -> None:
    """Intervals, sampled p-values and slices of the demo are equal, to the last byte, whatever the order."""
    key, systems = demo_files()
    paths = {"key": key, **systems}
    order = random.Random(7).sample(range(30), 30)
    for name, path in paths.items():
        (tmp_path / f"{name}.conllu").write_text(reordered(Path(path).read_text(encoding="utf-8"), order))
    moved = {name: str(tmp_path / f"{name}.conllu") for name in systems}
    whole = compare(key, systems, task="pos", resamples=200)
    other = compare(str(tmp_path / "key.conllu"), moved, task="pos", resamples=200)
    assert whole.anatomy(by=["genre", "length"]).to_json() == other.anatomy(by=["genre", "length"]).to_json()


def test_draws_over_rows_follow_their_ids() -> None:
    key = {f"r{number}": "ab"[number % 2] for number in range(40)}
    system = {name: "abc"[int(name[1:]) % 3] for name in key}
    other = {name: "bac"[int(name[1:]) % 3] for name in key}
    turned = dict(sorted(key.items(), reverse=True))
    one = compare(key, {"x": system, "y": other}, task="label", resamples=200)
    two = compare(turned, {"x": system, "y": other}, task="label", resamples=200)
    assert one.anatomy().significance == two.anatomy().significance
    assert one.scores() == two.scores()
