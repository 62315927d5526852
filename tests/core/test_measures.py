"""Measures are values: they print as they are written, parse back, and are made of sums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st

from comparanda import UsageError
from comparanda.core import measures
from comparanda.core.measures import parse_measure, ratio, register_measure, unit_statistics
from tests import reference
from tests.findings.populations import Population, close, identity, populations, sets

NAMES = ("accuracy", "sentences", "precision", "recall", "f1", "macro_f1")
LABELLED = ("accuracy[NN]", "precision[NN]", "recall[$(]", "f1[a]b]", "f1[*]")


@pytest.mark.parametrize("written", [*NAMES, *LABELLED])
def test_a_measure_prints_as_it_is_written(written: str) -> None:
    assert str(parse_measure(written)) == written
    assert parse_measure(written).name == written


@pytest.mark.parametrize("written", ["f2", "F1", "f1[]", "f1[NN", "", "f1 "])
def test_what_is_no_measure_is_refused(written: str) -> None:
    with pytest.raises(UsageError, match="unknown measure"):
        parse_measure(written)


def test_the_nearest_name_is_offered() -> None:
    with pytest.raises(UsageError, match=r"did you mean 'accuracy'\?"):
        parse_measure("acuracy")


def test_measures_that_take_no_label_refuse_one() -> None:
    with pytest.raises(UsageError, match="mean over labels"):
        parse_measure("macro_f1[NN]")
    with pytest.raises(UsageError, match="takes no label"):
        parse_measure("sentences[NN]")


def test_a_label_may_be_a_star() -> None:
    population = Population(key=("*", "A", "*"), systems={"x": ("*", "*", "A")}, sentence=(0, 0, 0), document=(0, 0, 0))
    found = population.result().scores("f1[*]", "recall[*]", "accuracy[*]")
    assert [score.value for score in found.scores] == [0.5, 0.5, 0.5]


@identity(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=6))
def test_a_ratio_with_a_zero_denominator_is_undefined_not_zero(pairs: list[tuple[int, int]]) -> None:
    parts, wholes = (np.array(column, dtype=np.float64) for column in zip(*pairs, strict=True))
    for found, (part, whole) in zip(ratio(parts, wholes), pairs, strict=True):
        assert np.isnan(found) if whole == 0 else found == part / whole


@identity(populations() | sets)
def test_statistics_of_the_units_sum_to_those_of_the_whole(population: Population) -> None:
    verdicts = population.verdicts()
    names = ["right", "sites", "credit", "claimed", "positives", "sentences_right", "sentences_all"]
    found = unit_statistics(verdicts, verdicts.view(), names)
    for run, values in enumerate(population.systems.values()):
        sums = reference.counts(population.key, values)
        expected = {
            "right": reference.right(population.key, values),
            "sites": len(population),
            "credit": sums[0],
            "claimed": sums[1],
            "positives": sums[2],
            "sentences_right": reference.whole_sentences(population.key, values, population.sentence)[0],
            "sentences_all": len(set(population.sentence)),
        }
        assert {name: column[:, run].sum() for name, column in found.items()} == expected


@identity(populations() | sets)
def test_statistics_of_a_unit_are_those_of_its_sites_alone(population: Population) -> None:
    verdicts = population.verdicts()
    names = ["right", "sites", "credit", "claimed", "positives"]
    found = unit_statistics(verdicts, verdicts.view(), names)
    for document in set(population.document):
        part = population.taken([site for site, owner in enumerate(population.document) if owner == document])
        for run, values in enumerate(part.systems.values()):
            mine = [float(found[name][document, run]) for name in names]
            assert mine == [reference.right(part.key, values), len(part), *reference.counts(part.key, values)]


@identity(populations(several=True) | populations())
def test_measures_finish_sums_of_any_shape(population: Population) -> None:
    """A measure of many resamples at once is that of each resample."""
    verdicts = population.verdicts()
    for name in NAMES:
        chosen = parse_measure(name)
        statistics = unit_statistics(verdicts, verdicts.view(), chosen.statistics)
        many = chosen.finish({key: np.stack([values[0], values.sum(axis=0)]) for key, values in statistics.items()})
        first = chosen.finish({key: values[0] for key, values in statistics.items()})
        whole = chosen.finish({key: values.sum(axis=0) for key, values in statistics.items()})
        assert np.array_equal(many, np.stack([first, whole]), equal_nan=True)


def test_an_unknown_statistic_is_refused() -> None:
    verdicts = Population(key=("A",), systems={"x": ("A",)}, sentence=(0,), document=(0,)).verdicts()
    with pytest.raises(UsageError, match="the view 'tag' has no statistic 'nothing'"):
        unit_statistics(verdicts, verdicts.view(), ["nothing"])


def test_another_package_can_add_a_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "_MAKERS", dict(measures._MAKERS))
    register_measure("error", lambda _: _error_rate())
    population = Population(key=("A", "A", "B"), systems={"x": ("A", "B", "A")}, sentence=(0, 0, 0), document=(0, 0, 0))
    assert close(population.result().scores("error").value("x"), 2 / 3)


def _error_rate() -> measures.Measure:
    return measures.Measure(
        name="error",
        statistics=("right", "sites"),
        finish=lambda sums: 1 - ratio(sums["right"], sums["sites"]),
        undefined="no site",
    )
