"""Intervals of complementarity by a slow bootstrap; and results that are saved, reopened and merged."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import comparanda as cp
from comparanda import Result
from comparanda.findings import complement as complement_counts
from comparanda.findings.complement import Joint, Rate, Rates
from comparanda.findings.resamples import bootstrap_sums
from comparanda.pipeline import Setup
from comparanda.storage.merge import merge
from tests import reference as definitions
from tests.findings.complement import reference
from tests.findings.complement.cases import by_unit
from tests.findings.complement.reference import Pair, Scores
from tests.findings.complement.test_complement import BERT, CRF, KEY, KINDS, cells, compared, only_pair
from tests.findings.populations import Population, close, drawn, identity, populations
from tests.random_spans import result_of, tagged, written
from tests.seeds import first_few
from tests.tasks.random_links import links
from tests.toy_task import (
    ONE_AND_TWO,
    TWO_BY_TWO,
    toy_measures,  # noqa: F401 - a fixture that works by being here
    verdicts_of,
)

# Saved, merged


def assert_same(mine: Result, theirs: Result) -> None:
    for view in theirs.verdicts.views.values():
        if len(view.sites) and len(theirs.systems) > 1:
            assert mine.complementarity(view=view.name) == theirs.complementarity(view=view.name)


PARTS = (slice(0, 2), slice(2, 3), slice(3, 6))


@pytest.mark.parametrize("rules", first_few(1, ["exact", "semeval2013"]))
@pytest.mark.parametrize("kind", [tagged, written], ids=["tagged", "written"])
def test_spans_saved_reopened_and_merged_give_the_same(kind: Any, rules: str, tmp_path: Path) -> None:
    whole = kind(tmp_path, 3, Setup(task="span", rules=rules), size=6)
    uncut = result_of(whole.judged())
    uncut.save(tmp_path / "whole")
    assert_same(cp.open(tmp_path / "whole"), uncut)
    parts = []
    for part in PARTS:
        result_of(whole.judged(part)).save(tmp_path / f"part{part.start}")
        parts.append(cp.open(tmp_path / f"part{part.start}").verdicts)
    assert_same(result_of(merge(parts)), uncut)


@pytest.mark.parametrize("systems", [TWO_BY_TWO, ONE_AND_TWO], ids=["2x2", "1x2"])
def test_the_toy_saved_reopened_and_merged_gives_the_same(systems: Any, tmp_path: Path) -> None:
    uncut = Result(verdicts_of(systems), 20)
    assert_same(Result(merge([verdicts_of(systems, part) for part in (range(2), range(2, 7))]), 20), uncut)
    uncut.save(tmp_path / "toy")
    assert_same(cp.open(tmp_path / "toy"), uncut)


def test_links_saved_reopened_and_merged_give_the_same(tmp_path: Path) -> None:
    given = links(5, 8)
    names = list(given.sides["key"])

    def result(chosen: list[str]) -> Result:
        some = given.chosen(lambda name: name in chosen)
        return cp.compare(
            some.given("key"), {name: some.given(name) for name in ("one", "two")}, task="link", resamples=20
        )

    uncut = result(names)
    assert_same(Result(merge([result(names[:3]).verdicts, result(names[3:]).verdicts]), 20), uncut)
    uncut.save(tmp_path / "links")
    assert_same(cp.open(tmp_path / "links"), uncut)


# Intervals

RESAMPLES = 12


def summed(units: list[Pair], weights: list[int]) -> Pair:
    total = Pair(over_sites=units[0].over_sites)
    for unit, weight in zip(units, weights, strict=True):
        total += unit.times(weight)
    return total


def single(pair: Pair, *, second: bool) -> Scores:
    """What one of the two scores by itself."""
    missed, spurious = (pair.missed.b, pair.spurious.b) if second else (pair.missed.a, pair.spurious.a)
    return Scores(pair.positives - missed, spurious, pair.positives)


def gain(one: Scores, other: Scores) -> Fraction | None:
    return None if one.f1 is None or other.f1 is None else one.f1 - other.f1


def assert_interval(found: Any, samples: list[Fraction | None]) -> None:
    low, high = definitions.interval(samples)
    assert close(found.low, low)
    assert close(found.high, high)


def assert_rate_intervals(rates: Rates, samples: list[Pair], *, back: bool) -> None:
    side = "back" if back else "forth"
    assert_interval(rates.comp, [getattr(each.all, side) for each in samples])
    assert_interval(rates.pcomp, [getattr(each.spurious, side) for each in samples])
    assert_interval(rates.rcomp, [getattr(each.missed, side) for each in samples])
    assert_interval(rates.fcomp, [getattr(each, f"f_{side}")() for each in samples])
    assert_interval(rates.fbeta, [getattr(each, f"f_{side}")(2) for each in samples])


def assert_joint_interval(found: Joint | None, total: Pair, samples: list[Pair], made: str) -> None:
    one, two = single(total, second=False).f1, single(total, second=True).f1
    second = (-1 if two is None else two) > (-1 if one is None else one)
    assert found is not None
    assert_interval(found, [gain(getattr(each, made), single(each, second=second)) for each in samples])
    assert close(found.f1_gain, gain(getattr(total, made), single(total, second=second)))


@identity(populations(systems=(2, 2), documents=(1, 4)) | populations(systems=(2, 2), several=True, documents=(2, 4)))
def test_intervals_of_complementarity_are_those_of_a_slow_bootstrap(population: Population) -> None:
    """The same draws, told by resampled sums of an identity matrix; then fractions and sorted values."""
    pair = only_pair(population.result(RESAMPLES).complementarity(beta=2))
    first, second = population.systems
    parts = by_unit(population)
    units = [reference.count(part, first, second) for part in parts]
    total = summed(units, [1] * len(units))
    if len(units) == 1:
        assert [(rate.low, rate.high) for rate in (pair.forth.comp, pair.back.fbeta)] == [(None, None)] * 2
        return
    weights = drawn(bootstrap_sums(np.eye(len(units)), RESAMPLES, 13))
    samples = [summed(units, each) for each in weights]
    assert_rate_intervals(pair.forth, samples, back=False)
    assert_rate_intervals(pair.back, samples, back=True)
    assert_joint_interval(pair.union, total, samples, "union")
    assert_joint_interval(pair.intersection, total, samples, "intersection")
    for row in pair.labels:
        narrowed = [reference.count(reference.only_label(part, row.label), first, second) for part in parts]
        assert_rate_intervals(row.back, [summed(narrowed, each) for each in weights], back=True)


@identity(populations(systems=(2, 2), documents=(2, 4)))
def test_the_interval_of_a_perfect_choice_is_that_of_a_slow_bootstrap(population: Population) -> None:
    found = only_pair(population.result(RESAMPLES).complementarity()).ceiling
    first, second = population.systems
    units = [(reference.count(part, first, second).all, len(part.sites or ())) for part in by_unit(population)]
    wrong = [sum(errors.a for errors, _ in units), sum(errors.b for errors, _ in units)]

    def gained(weights: list[int]) -> Fraction | None:
        alone = sum(
            weight * ((errors.b if wrong[1] < wrong[0] else errors.a) - errors.c)
            for weight, (errors, _) in zip(weights, units, strict=True)
        )
        return definitions.ratio(alone, sum(weight * size for weight, (_, size) in zip(weights, units, strict=True)))

    assert found is not None
    assert found.over == (second if wrong[1] < wrong[0] else first)
    assert close(found.gain, gained([1] * len(units)))
    assert_interval(found, [gained(each) for each in drawn(bootstrap_sums(np.eye(len(units)), RESAMPLES, 13))])


def test_without_resamples_there_are_no_intervals() -> None:
    pair = only_pair(compared(KEY, crf=CRF, bert=BERT).complementarity())
    for rates in (pair.forth, pair.back, *(each for row in pair.labels for each in (row.forth, row.back))):
        assert all((getattr(rates, name).low, getattr(rates, name).high) == (None, None) for name in KINDS)


def test_a_resample_that_leaves_a_rate_undefined_leaves_no_interval() -> None:
    """x errs in the first document alone and y in the second: without the first, x has no error and y has."""
    population = Population(
        key=("A", "A"), systems={"x": ("B", "A"), "y": ("A", "B")}, sentence=(0, 1), document=(0, 1)
    )
    pair = only_pair(population.result(50).complementarity())
    assert pair.forth.comp == Rate(1.0, None, None, None)
    forced = replace(population.result(50), zero_division=0).complementarity()
    assert only_pair(forced).forth.comp == Rate(1.0, 0.0, 1.0, None)


def test_many_labels_have_no_intervals_and_a_note_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(complement_counts, "MAX_LABEL_INTERVALS", 7)
    result = compared(KEY, resamples=20, a=CRF, b=BERT, c=KEY)
    found = result.complementarity()
    assert "no intervals for labels" in found.notes[0]
    assert all(
        rate.low is None for pair in found.pairs for row in pair.labels for rate in (row.forth.comp, row.back.comp)
    )
    chosen = result.complementarity("a", "b")
    assert chosen.notes == ()
    assert [cells(row) for row in chosen.pairs[0].labels] == [cells(row) for row in found.pairs[0].labels]
    monkeypatch.setattr(complement_counts, "MAX_LABEL_INTERVALS", 12)
    assert result.complementarity().notes == ()
