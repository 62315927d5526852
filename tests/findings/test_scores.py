"""DEFINITIONS 1: sites and items, and the scores made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import strategies as st

from comparanda import UsageError
from comparanda.core.items import items_of_sites
from comparanda.core.sites import ABSENT
from comparanda.findings.scores import Scores
from tests import reference
from tests.findings.populations import (
    Population,
    close,
    identity,
    populations,
    seen,
    sets,
    several_systems,
    tokenised,
    written,
)

any_population = populations() | sets
MICRO: dict[str, Callable[[reference.Sums], Fraction | None]] = {
    "precision": reference.precision,
    "recall": reference.recall,
    "f1": reference.f1,
}


def scores_of(population: Population, *measures: str, resamples: int = 0) -> Scores:
    return population.result(resamples).scores(*measures)


@identity(any_population)
def test_accuracy_is_over_the_keys_sites(population: Population) -> None:
    found = scores_of(population, "accuracy")
    for score, values in zip(found.scores, population.systems.values(), strict=True):
        assert (score.part, score.whole) == (reference.right(population.key, values), len(population))
        assert close(score.value, Fraction(reference.right(population.key, values), len(population)))


@identity(any_population)
def test_accuracy_of_a_label_is_the_share_right_among_its_sites(population: Population) -> None:
    for label in set(population.key):
        if label:
            found = scores_of(population, f"accuracy[{written(label)}]")
            key = reference.restricted(population.key, population.key, label)
            for score, values in zip(found.scores, population.systems.values(), strict=True):
                mine = reference.restricted(population.key, values, label)
                assert (score.part, score.whole) == (reference.right(key, mine), len(key))


@identity(any_population)
def test_micro_precision_recall_and_f1_count_items(population: Population) -> None:
    found = scores_of(population, *MICRO)
    for name, values in population.systems.items():
        sums = reference.counts(population.key, values)
        for measure, finish in MICRO.items():
            assert close(found.value(name, measure), finish(sums))


@identity(any_population)
def test_precision_recall_and_f1_of_one_label_count_its_items(population: Population) -> None:
    labels = {label for value in population.key for label in reference.labels_of(value)}
    for label in labels:
        found = scores_of(population, *(f"{measure}[{label}]" for measure in MICRO))
        for name, values in population.systems.items():
            sums = reference.counts(population.key, values, label)
            for measure, finish in MICRO.items():
                assert close(found.value(name, f"{measure}[{label}]"), finish(sums))


@identity(any_population)
def test_macro_f1_is_the_mean_over_the_keys_labels(population: Population) -> None:
    found = scores_of(population, "macro_f1")
    for name, values in population.systems.items():
        assert close(found.value(name), reference.macro_f1(population.key, values))


@identity(any_population)
def test_whole_sentences_are_right_where_every_site_is(population: Population) -> None:
    found = scores_of(population, "sentences")
    for score, values in zip(found.scores, population.systems.values(), strict=True):
        expected = reference.whole_sentences(population.key, values, population.sentence)
        assert (score.part, score.whole) == expected


@identity(tokenised)
def test_with_equal_tokenisation_precision_recall_f1_and_accuracy_are_one_number(population: Population) -> None:
    found = scores_of(population, "accuracy", *MICRO)
    for name in population.systems:
        assert len({found.value(name, measure) for measure in ("accuracy", *MICRO)}) == 1


@identity(populations())
def test_a_wrong_tag_is_one_missed_and_one_spurious_item(population: Population) -> None:
    items = items_of_sites(population.verdicts().view().sites)
    for claimed, values in zip(items.claimed, population.systems.values(), strict=True):
        wrong = sum(1 for y, value in zip(population.key, values, strict=True) if value not in (y, None))
        absent = values.count(None)
        assert int((items.positive & (claimed == 0)).sum()) == wrong + absent
        assert int((~items.positive & (claimed > 0)).sum()) == wrong


@identity(any_population)
def test_a_negative_item_is_claimed_by_at_least_one_system(population: Population) -> None:
    sites = population.verdicts().view().sites
    items = items_of_sites(sites)
    claims = [reference.pairs_of(values) for values in population.systems.values()]
    positives = reference.pairs_of(population.key)
    assert len(items) == len(positives.union(*claims))
    assert int(items.positive.sum()) == len(positives)
    for row in range(len(items)):
        assert items.positive[row] or any(claimed[row] for claimed in items.claimed)


@identity(any_population)
def test_items_know_their_label_document_sentence_and_place(population: Population) -> None:
    sites = population.verdicts().view().sites
    items = items_of_sites(sites)
    rows = zip(items.document, items.sentence, items.place, items.label, items.positive, strict=True)
    found = {(int(d), int(s), int(p), items.names[int(n)]) for d, s, p, n, positive in rows if positive}
    assert found == {
        (population.document[site], population.sentence[site], int(sites.place[site]), label)
        for site, label in reference.pairs_of(population.key)
    }


@identity(populations())
def test_an_absent_value_is_wrong_and_claims_nothing(population: Population) -> None:
    gone = {"gone": (None,) * len(population)}
    found = Population(
        key=population.key, systems=gone, sentence=population.sentence, document=population.document
    ).result()
    assert found.scores("accuracy").value("gone") == 0
    assert found.scores("recall").value("gone") == 0
    assert found.scores("f1").value("gone") == 0
    assert found.scores("precision").value("gone") is None


@identity(sets)
def test_f1_is_0_when_only_one_side_is_empty(population: Population) -> None:
    size = len(population)
    full, empty = (frozenset("A"),) * size, (frozenset[str](),) * size
    for key, values, undefined in ((full, empty, "precision"), (empty, full, "recall")):
        found = (
            Population(key=key, systems={"x": values}, sentence=population.sentence, document=population.document)
            .result()
            .scores(*MICRO)
        )
        assert found.value("x", "f1") == 0
        assert found.value("x", undefined) is None
        assert found.value("x", "recall" if undefined == "precision" else "precision") == 0


@identity(sets)
def test_f1_is_undefined_when_both_sides_are_empty(population: Population) -> None:
    empty = (frozenset[str](),) * len(population)
    found = (
        Population(key=empty, systems={"x": empty}, sentence=population.sentence, document=population.document)
        .result()
        .scores()
    )
    for measure in (*MICRO, "macro_f1"):
        assert found.value("x", measure) is None
        assert next(score for score in found.scores if score.measure == measure).reason
    assert found.value("x", "accuracy") == 1


@identity(several_systems | sets)
def test_loading_a_third_system_never_changes_a_systems_scores(population: Population) -> None:
    measures = ("accuracy", "sentences", "precision", "recall", "f1", "macro_f1")
    together = scores_of(population, *measures, resamples=20)
    for name in population.systems:
        alone = scores_of(population.only(name), *measures, resamples=20)
        assert alone.scores == tuple(score for score in together.scores if score.system == name)


def test_scores_small_enough_to_count() -> None:
    key = ("DT", "NN", "VB", "NN")
    found = Population(
        key=key, systems={"a": ("DT", "NN", "NN", None)}, sentence=(0, 0, 1, 1), document=(0, 0, 0, 0)
    ).result()
    scores = found.scores("accuracy", "precision", "recall", "f1", "macro_f1", "sentences")
    assert [score.value for score in scores.scores] == [
        2 / 4,
        2 / 3,
        2 / 4,
        pytest.approx(4 / 7),
        pytest.approx((1 + 2 / 4 + 0) / 3),
        1 / 2,
    ]
    assert [(score.part, score.whole) for score in scores.scores] == [
        (2, 4),
        (2, 3),
        (2, 4),
        (None, None),
        (None, None),
        (1, 2),
    ]


@identity(sets, st.sampled_from((0.0, 1.0)))
def test_zero_division_forces_a_value(population: Population, value: float) -> None:
    plain = population.result().scores()
    forced = replace(population.result(), zero_division=value).scores()
    for mine, theirs in zip(plain.scores, forced.scores, strict=True):
        assert theirs.value == (value if mine.value is None else mine.value)
        assert theirs.reason is None


def test_zero_division_forces_a_value_everywhere() -> None:
    empty = (frozenset[str](),) * 2
    population = Population(key=empty, systems={"x": empty, "y": empty}, sentence=(0, 1), document=(0, 1))
    forced = replace(population.result(10), zero_division=1.0)
    assert [score.value for score in forced.scores("f1").scores] == [1.0, 1.0]
    assert [(score.low, score.high) for score in forced.scores("f1").scores] == [(1.0, 1.0)] * 2
    assert forced.pairs().pairs[0].score_difference == 0
    assert forced.slices("word").slices[0].scores == (1.0, 1.0)
    assert forced.significance().tests[0].difference == 0
    assert forced.scores("f1").scores[0].reason is None


def test_an_absent_value_is_shown_in_brackets() -> None:
    assert seen(None) == "(absent)"
    assert written(None) == ABSENT


def test_measures_of_labels_that_do_not_occur_are_refused() -> None:
    population = Population(key=("NN",), systems={"a": ("NE",)}, sentence=(0,), document=(0,))
    with pytest.raises(UsageError, match="the label 'NX' does not occur"):
        scores_of(population, "f1[NX]")
    with pytest.raises(UsageError, match="the label 'NX' does not occur"):
        scores_of(population, "accuracy[NX]")
