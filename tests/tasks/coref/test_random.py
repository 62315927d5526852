"""Thousands of small chain sets against the slow reference: every count, class, value, item and pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import isclose
from pathlib import Path
from typing import Any

import pytest

import comparanda as cp
from comparanda import Result
from comparanda.core.corpus import Corpus
from comparanda.core.text_columns import TextColumn
from comparanda.pipeline import Setup, read_key, read_response
from tests import reference as pairwise
from tests.seeds import first_few, seeds
from tests.tasks.coref import reference
from tests.tasks.coref.agreement import (
    Expected,
    agree,
    agree_on_metrics,
    agree_on_scores,
    compared,
    f1_scores,
    key_value,
)
from tests.tasks.coref.drawn import Drawn, Shape, drawn
from tests.tasks.coref.reference import CRITERIA, Documents

UNTOLD = ("any", "nominal", "immediate")
"""The criteria that need no tags."""

SHAPES = {
    "three systems": Shape(documents=25, systems=3),
    "one system": Shape(documents=60, systems=1),
    "one document": Shape(documents=1, systems=2),
    "only the key has tags": Shape(documents=25, systems=2, tags="key"),
    "only a system has tags": Shape(documents=25, systems=2, tags="one", outside=False),
    "nobody has tags": Shape(documents=25, systems=2, tags="nobody"),
    "no singletons": Shape(documents=25, systems=2, singletons=False),
    "nothing repeated": Shape(documents=25, systems=2, repeated=False),
}


def criteria(shape: Shape) -> tuple[str, ...]:
    return UNTOLD if shape.tags == "nobody" else CRITERIA


@pytest.mark.parametrize("name", first_few(4, SHAPES))
def test_everything_is_as_the_definition_has_it(name: str, tmp_path: Path) -> None:
    given = drawn(7, SHAPES[name])
    agree(compared(given, tmp_path), Expected(given), criteria(SHAPES[name]))


@pytest.mark.parametrize("seed", range(2))
def test_so_it_is_without_singletons(seed: int, tmp_path: Path) -> None:
    given = drawn(seed, Shape(documents=20, systems=2))
    agree(compared(given, tmp_path, singletons="drop"), Expected(given, "drop"), CRITERIA)


@pytest.mark.parametrize("seed", range(2))
def test_so_it_is_where_chains_span_all_documents(seed: int, tmp_path: Path) -> None:
    given = drawn(seed, Shape(documents=4, systems=2))
    expected = Expected(given, topic_of=dict.fromkeys(given.order, "all"))
    agree(compared(given, tmp_path, across="all"), expected, CRITERIA)


def in_topics(corpus: Corpus, topic_of: dict[str, str]) -> Corpus:
    topics = TextColumn.of(topic_of[name] for name in corpus.documents.names)
    return replace(corpus, documents=replace(corpus.documents, attributes={"topic": topics}))


@pytest.mark.parametrize("seed", range(2))
def test_so_it_is_where_chains_span_the_documents_of_a_topic(seed: int, tmp_path: Path) -> None:
    given = drawn(seed, Shape(documents=12, systems=2))
    key, paths = given.written(tmp_path)
    topic_of = {name: name if name.startswith("z") else f"topic {int(name[1:]) % 5}" for name in given.order}
    setup = Setup(task="coref")
    systems = {name: read_response(path, name, setup) for name, path in paths.items()}
    result = cp.compare(in_topics(read_key(key, setup), topic_of), systems, task="coref", resamples=0, across="topic")
    assert result.verdicts.units.kind == "topic"
    assert result.verdicts.units.names[:5] == tuple(f"topic {number}" for number in range(5))
    agree(result, Expected(given, topic_of=topic_of), CRITERIA)


@pytest.mark.slow
def test_everything_is_as_the_definition_has_it_thousands_of_times(tmp_path: Path) -> None:
    documents = 0
    for seed in range(100, 160):
        for number, shape in enumerate(SHAPES.values()):
            given = drawn(seed, shape)
            folder = tmp_path / f"{seed}-{number}"
            folder.mkdir()
            singletons = "drop" if seed % 3 == 0 else "keep"
            agree(compared(given, folder, singletons=singletons), Expected(given, singletons), criteria(shape))
            documents += len(given.order)
    assert documents > 10_000


@pytest.mark.parametrize("seed", seeds(1, of=4))
def test_all_counts_of_many_more_documents(seed: int, tmp_path: Path) -> None:
    given = drawn(seed, Shape(documents=500, systems=1))
    agree_on_metrics(compared(given, tmp_path), Expected(given))


# --- repeated mentions, as scorer 8.01 counts them ---------------------------------------------------------------


def agree_on_official_counts(result: Result, given: Drawn) -> None:
    key = given.units("key")
    statistics = result.verdicts.view("any").statistics
    for run, system in enumerate(given.systems):
        response = reference.official(key, given.sides[system], given.order)
        for number, (unit, chains) in enumerate(key.items()):
            linked, apart = reference.official_links(response[unit], len(given.order))
            assert statistics["blanc_links_claimed"][number, run] == linked
            assert statistics["blanc_others_claimed"][number, run] == apart
            for metric in reference.METRICS:
                sums = reference.COUNTS[metric](chains, response[unit])
                if metric == "mentions":  # which the scorer counts by place, each once
                    sums = reference.mention_counts(chains, given.units(system)[unit])
                found = [float(statistics[f"{metric}_{part}"][number, run]) for part in ("found", "key", "earned")]
                assert all(
                    isclose(one, other, abs_tol=1e-9)
                    for one, other in zip(found, (sums.recall, sums.wanted, sums.precision), strict=True)
                )
                assert statistics[f"{metric}_claimed"][number, run] == sums.given


@pytest.mark.parametrize("seed", seeds(1, of=3))
def test_repeated_mentions_can_be_counted_as_scorer_801_does(seed: int, tmp_path: Path) -> None:
    given = drawn(seed, Shape(documents=80, systems=2))
    result = compared(given, tmp_path, repeated="official")
    agree_on_official_counts(result, given)
    for system in given.systems:
        for name in ("", "_precision", "_recall"):
            arcs = result.scores(f"any.{name.strip('_') or 'f1'}").value(system)
            assert arcs == pytest.approx(result.scores(f"muc{name}").value(system))


def test_without_spurious_repetitions_both_ways_to_count_them_are_one(tmp_path: Path) -> None:
    given = drawn(5, Shape(documents=40, systems=2, repeated=False))
    expected = Expected(given)
    result = compared(given, tmp_path, repeated="official")
    for system, response in expected.systems.items():
        agree_on_scores(result, system, expected.key, response)


# --- the universe of a pair --------------------------------------------------------------------------------------


def everything(result: Result, criterion: str) -> dict[str, Any]:
    """Return all that is said of the systems one and two."""
    found: dict[str, Any] = {}
    for view in (criterion, f"{criterion}_antecedents"):
        found[view] = [
            result.difference("one", "two", view=view),
            result.difference("one", "two", view=view, keyed_by="value"),
            result.complementarity("one", "two", view=view).pairs,
            *(pair for pair in result.pairs(view=view).pairs if {pair.base, pair.new} == {"one", "two"}),
        ]
    found["chains"] = [pair for pair in result.chain_pairs().responses if {pair.base, pair.new} == {"one", "two"}]
    found["scores"] = [
        (score.system, score.measure, score.value, score.part, score.whole)
        for score in result.scores().scores
        if score.system != "three"
    ]
    return found


@pytest.mark.parametrize("criterion", first_few(2, CRITERIA))
def test_a_third_system_never_changes_what_is_said_of_a_pair(criterion: str, tmp_path: Path) -> None:
    given = drawn(11, Shape(documents=25, systems=3))
    alone = everything(compared(given, tmp_path, "one", "two"), criterion)
    assert everything(compared(given, tmp_path, "one", "two", "three"), criterion) == alone
    assert everything(compared(given, tmp_path, "three", "one", "two"), criterion) == alone


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_count_of_a_pair_leads_to_its_sites(criterion: str, tmp_path: Path) -> None:
    given = drawn(3, Shape(documents=25, systems=3))
    result = compared(given, tmp_path)
    for view in (criterion, f"{criterion}_antecedents"):
        for each in result.difference("one", "two", view=view).classes:
            assert each.count
            assert result.count(each.where, "one", "two", view=view) == each.count
            for row in each.transitions:
                assert result.count(row.where, "one", "two", view=view) == row.count
    found = result.combination(view=criterion)
    assert found.own is not None
    for bound in (found.own, *found.labels):
        assert result.count(bound.where, view=criterion) == bound.oracle_right


@pytest.mark.parametrize("criterion", ["any", "nominal"])
def test_a_system_of_two_runs_is_compared_run_by_run(criterion: str, tmp_path: Path) -> None:
    given = drawn(6, Shape(documents=20, systems=3))
    expected = Expected(given)
    key, paths = given.written(tmp_path)
    runs = {"a": cp.Runs(paths["one"], paths["two"]), "b": paths["three"]}
    result = cp.compare(key, runs, task="coref", resamples=0)
    sites = expected.sites(criterion, "one", "two", "three").values()
    counted = Counter(
        pairwise.class_of(key_value(judged), judged[run].name, judged[2].name) for judged in sites for run in (0, 1)
    )
    found = result.difference("a", "b", view=criterion)
    assert found.sites == 2 * len(sites)
    assert {each.name: each.count for each in found.classes} == {name: counted[name] for name in pairwise.CLASSES}
    one, two, three = expected.systems.values()
    scores = [f1_scores(expected.key, each)["conll"] or 0.0 for each in (one, two)]
    assert result.scores("conll").value("a") == pytest.approx(sum(scores) / 2)
    agreements = {each.metric: each.f1 for each in result.chain_pairs().responses[0].agreements}
    lea = [f1_scores(each, three)["lea"] or 0.0 for each in (one, two)]
    assert agreements["lea"] == pytest.approx(sum(lea) / 2)


@pytest.mark.parametrize("kind", ["noun", "personal pronoun", "possessive pronoun", "other"])
def test_mentions_of_one_kind_are_judged_like_a_result_of_their_own(kind: str, tmp_path: Path) -> None:
    given = drawn(8, Shape(documents=60, systems=2))
    expected, result = Expected(given), compared(given, tmp_path)
    for criterion in ("any", "nominal"):
        sites = expected.sites(criterion, "one", "two")
        mine = [judged for mention, judged in sites.items() if reference.kind(given.tags(mention)) == kind]
        counted = Counter(pairwise.class_of(key_value(row), *(each.name for each in row)) for row in mine)
        narrowed = result.where(f"kind == '{kind}'", view=criterion)
        found = narrowed.difference("one", "two", view=criterion)
        assert found.sites == len(mine)
        assert {each.name: each.count for each in found.classes} == {name: counted[name] for name in pairwise.CLASSES}
        for number, system in enumerate(given.systems):
            sums = reference.arcs_counts([judged[number] for judged in mine])
            scores = narrowed.scores(*(f"{criterion}.{name}" for name in ("precision", "recall", "f1")), view=criterion)
            assert [score.value for score in scores.scores if score.system == system] == [
                None if each is None else pytest.approx(each) for each in (sums.p, sums.r, sums.f)
            ]
            assert result.scores(f"recall[{kind}]", view=criterion).value(system) == pytest.approx(sums.r)


def test_only_common_documents_may_count(tmp_path: Path) -> None:
    for seed in (3, 24):  # in the second no document of the key is missing
        given = drawn(seed, Shape(documents=25, systems=2))
        expected = Expected(given)
        folder = tmp_path / f"{seed}"
        folder.mkdir()
        result = compared(given, folder, missing="intersection")
        common = [name for name in given.sides["key"] if all(name in side for side in given.sides.values())]
        key = {name: expected.key[name] for name in common}
        for system, response in expected.systems.items():
            agree_on_scores(result, system, key, {name: response[name] for name in common})


# --- significance ---------------------------------------------------------------------------------------------------


def f1_of(metric: str, parts: Sequence[tuple[reference.Chains, reference.Chains]]) -> float | None:
    """Return F1 of a metric over some documents, each with its key and a response."""
    key = {str(number): chains for number, (chains, _) in enumerate(parts)}
    response = {str(number): chains for number, (_, chains) in enumerate(parts)}
    return f1_scores(key, response)[metric]


@pytest.mark.parametrize("metric", first_few(2, ["conll", "muc", "b3", "ceafe", "blanc", "lea"]))
def test_the_difference_of_a_metric_is_tested_by_swapping_documents(metric: str, tmp_path: Path) -> None:
    """All 128 ways to swap seven documents, counted one by one."""
    given = drawn(2, Shape(documents=7, systems=2, outside=False))
    expected = Expected(given)
    key, one, two = (expected.key, *expected.systems.values())
    parts = [(key[unit], one[unit], two[unit]) for unit in key if key[unit] or one[unit] or two[unit]]
    assert len(parts) == 7

    def gap(swapped: Sequence[int]) -> float | None:
        mine = [
            (wanted, second if swap else first) for (wanted, first, second), swap in zip(parts, swapped, strict=True)
        ]
        theirs = [
            (wanted, first if swap else second) for (wanted, first, second), swap in zip(parts, swapped, strict=True)
        ]
        values = f1_of(metric, mine), f1_of(metric, theirs)
        return None if values[0] is None or values[1] is None else values[1] - values[0]

    observed = gap([0] * 7)
    assert observed is not None
    gaps = [gap(mask) for mask in product((0, 1), repeat=7)]
    extreme = sum(each is None or abs(each) >= abs(observed) - 1e-12 for each in gaps)
    key_path, paths = given.written(tmp_path)
    result = cp.compare(key_path, paths, task="coref", resamples=200)
    (found,) = result.significance(metric).tests
    assert found.difference == pytest.approx(observed)
    assert found.p == pytest.approx(extreme / 2**7)


# --- what is drawn -------------------------------------------------------------------------------------------------


def test_the_drawn_chains_have_everything_in_them() -> None:
    met: Counter[str] = Counter()
    for shape in (Shape(documents=150, systems=2), SHAPES["nobody has tags"]):
        given = drawn(7, shape)
        expected = Expected(given)
        for criterion in CRITERIA:
            for judged in expected.sites(criterion, "one", "two").values():
                names = [each.name for each in judged]
                met[" → ".join(names)] += 1
                met["another antecedent"] += names == ["wl", "wl"] and judged[0] != judged[1]
                met["another false antecedent"] += names == ["fp", "fp"] and judged[0] != judged[1]
        for name, side in given.sides.items():
            count_documents(met, name, side, given)
        met["uncounted"] += sum(
            reference.uncounted(chains, expected.fits("nominal")) for chains in expected.key.values()
        )
    key = {"wl", "fn", "tp"}
    for transition in (f"{one} → {two}" for one in key for two in key):
        assert met[transition] > 5, transition
    for name in ("fp → tn", "tn → fp", "fp → fp", "another antecedent", "another false antecedent", "uncounted"):
        assert met[name] > 5, name
    for name in ("repeated", "nested", "crossing", "alone", "empty", "lacking", "foreign", "in another order"):
        assert met[name] > 0, name


def count_documents(met: Counter[str], side: str, documents: Documents, given: Drawn) -> None:
    for document in documents.values():
        spans = [span for chain in document.chains.values() for span in chain]
        met["repeated"] += len(spans) - len({*spans})
        met["nested"] += sum(a < c and d < b for a, b in spans for c, d in spans)
        met["crossing"] += sum(a < c < b < d for a, b in spans for c, d in spans)
        met["alone"] += sum(len(chain) == 1 for chain in document.chains.values())
        met["empty"] += not spans
    met["lacking"] += len({*given.sides["key"]} - {*documents})
    met["foreign"] += len({*documents} - {*given.sides["key"]})
    common = [name for name in documents if name in given.sides["key"]]
    met["in another order"] += common != sorted(common)
