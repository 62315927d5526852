"""Every system against a baseline: what it gains, what it breaks, which of the baseline's errors it spares."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from comparanda import UsageError
from comparanda.findings.complement import Against, AgainstRow
from comparanda.findings.resamples import bootstrap_sums
from tests import reference as definitions
from tests.findings.complement import reference
from tests.findings.complement.cases import by_unit, of_population
from tests.findings.complement.reference import Done, Scores
from tests.findings.complement.test_complement import BERT, CRF, KEY, compared, record
from tests.findings.populations import Population, close, drawn, identity, populations, several_systems
from tests.findings.test_selections import populations_with_runs

MEASURES = ("precision", "recall", "f1")


def rows(found: Against) -> dict[str, AgainstRow]:
    return {row.system: row for row in found.rows}


def test_spans_against_a_baseline_small_enough_to_count() -> None:
    """crf has P 2/4, R 2/5; bert P 2/3, R 2/5. They have four overlap sites with an error, and differ at two."""
    found = compared(KEY, crf=CRF, bert=BERT, perfect=KEY).against("crf")
    assert (found.view, found.baseline, list(rows(found))) == ("exact", "crf", ["bert", "perfect"])
    bert, perfect = found.rows
    assert [bert.precision.value, bert.recall.value] == [pytest.approx(2 / 3 - 1 / 2), 0]
    assert bert.f1.value == pytest.approx(4 / 8 - 4 / 9)
    assert [each.value for each in (bert.comp, bert.pcomp, bert.rcomp, bert.fcomp)] == [
        pytest.approx(number) for number in (2 / 5, 1 / 2, 1 / 3, 2 / 5)
    ]
    # sites: PER, LOC, ORG or PER, PER, MISC of the first document, PER of the second
    assert (bert.sites, bert.different, bert.corrections, bert.new_errors) == (6, 2, 1, 1)
    assert bert.diff == pytest.approx(1 / 3)
    assert [each.value for each in (perfect.precision, perfect.recall, perfect.comp)] == [
        pytest.approx(number) for number in (1 / 2, 3 / 5, 1)
    ]
    assert (perfect.corrections, perfect.new_errors) == (5 - 1, 0)


def test_what_a_perfect_baseline_could_be_spared_is_not_defined() -> None:
    row = rows(compared(KEY, perfect=KEY, crf=CRF).against("perfect"))["crf"]
    for rate in (row.comp, row.pcomp, row.rcomp, row.fcomp):
        assert rate.value is None
        assert rate.reason is not None
    assert row.corrections == 0


def test_a_change_is_undefined_where_either_score_is() -> None:
    empty = [record("1"), record("2")]
    row = rows(compared(KEY, empty=empty, crf=CRF).against("empty"))["crf"]
    assert (row.precision.value, row.precision.low, row.precision.high) == (None, None, None)
    assert row.recall.value == pytest.approx(2 / 5)
    forced = replace(compared(KEY, empty=empty, crf=CRF), zero_division=0).against("empty")
    assert rows(forced)["crf"].precision.value == pytest.approx(1 / 2)


def test_an_unknown_baseline_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match=r"unknown system 'crv' \(did you mean 'crf'\?\)"):
        compared(KEY, crf=CRF, bert=BERT).against("crv")


def test_a_baseline_alone_is_refused() -> None:
    with pytest.raises(UsageError, match="two systems"):
        compared(KEY, crf=CRF).against("crf")


def mean(runs: list[Done], positives: int, measure: str) -> Fraction | None:
    """The mean of a measure over runs; undefined if it is for any."""
    scores = [getattr(Scores(len(run.found), len(run.spurious), positives), measure) for run in runs]
    return None if None in scores else sum(scores, Fraction(0)) / len(scores)


@identity(several_systems | populations_with_runs() | populations(several=True, systems=(2, 4)))
def test_a_row_against_the_baseline_is_that_of_the_reference(population: Population) -> None:
    judged = of_population(population)
    baseline, *others = judged.systems
    result = population.result()
    found = result.against(baseline)
    assert [row.system for row in found.rows] == others
    for row in found.rows:
        for name in MEASURES:
            old, new = (
                mean(list(judged.systems[each]), len(judged.positives), name) for each in (baseline, row.system)
            )
            assert close(getattr(row, name).value, None if old is None or new is None else new - old), name
            assert getattr(row, name).measure == name
        pair = reference.count(judged, baseline, row.system)
        assert close(row.comp.value, pair.all.forth)
        assert close(row.pcomp.value, pair.spurious.forth)
        assert close(row.rcomp.value, pair.missed.forth)
        assert close(row.fcomp.value, pair.f_forth())
        assert (row.corrections, row.new_errors) == (pair.wrong_first, pair.wrong_second)
        assert close(row.diff, definitions.ratio(row.different, row.sites))
        for where, count in (
            ("differs", row.different),
            ("correction", row.corrections),
            ("new_error", row.new_errors),
        ):
            assert result.count(where, baseline, row.system) == count, where


@identity(several_systems)
def test_a_row_against_the_baseline_does_not_depend_on_other_systems(population: Population) -> None:
    baseline, *others = population.systems
    together = rows(population.result(8).against(baseline))
    for name in others:
        assert population.only(baseline, name).result(8).against(baseline).rows == (together[name],)


@identity(populations(systems=(2, 3), documents=(2, 4)))
def test_changes_against_the_baseline_have_the_intervals_of_a_slow_bootstrap(population: Population) -> None:
    resamples = 10
    baseline, *others = population.systems
    found = rows(population.result(resamples).against(baseline))
    units = by_unit(population)
    weights = drawn(bootstrap_sums(np.eye(len(units)), resamples, 13))

    def score(name: str, measure: str, drawn_units: list[int]) -> Fraction | None:
        true, false, positives = (
            sum(weight * count for weight, count in zip(drawn_units, column, strict=True))
            for column in zip(
                *(
                    (len(unit.systems[name][0].found), len(unit.systems[name][0].spurious), len(unit.positives))
                    for unit in units
                ),
                strict=True,
            )
        )
        value: Fraction | None = getattr(Scores(true, false, positives), measure)
        return value

    for name in others:
        for measure in MEASURES:
            both = [(score(baseline, measure, each), score(name, measure, each)) for each in weights]
            gaps = [None if old is None or new is None else new - old for old, new in both]
            low, high = definitions.interval(gaps)
            gain = getattr(found[name], measure)
            if gain.value is None:
                low = high = None
            assert close(gain.low, low)
            assert close(gain.high, high)


def test_a_document_of_another_system_alone_is_no_unit_of_the_changes() -> None:
    """A pair is compared on the key and these two: what a third one says elsewhere moves no interval."""
    key = [record("1", "PER 0-2", "LOC 3-5"), record("2", "PER 0-2"), record("3", "ORG 0-2", "PER 3-5"), record("4")]
    one = [record("1", "PER 0-2", "ORG 6-8"), record("2", "PER 0-2"), record("3", "ORG 0-2"), record("4")]
    two = [record("1", "LOC 3-5"), record("2", "PER 3-5"), record("3", "ORG 0-2", "PER 3-5"), record("4")]
    third = [record("1"), record("2"), record("3"), record("4", "PER 0-2")]
    alone = compared(key, resamples=40, one=one, two=two).against("one")
    together = compared(key, resamples=40, one=one, two=two, third=third).against("one")
    assert rows(together)["two"] == rows(alone)["two"]
