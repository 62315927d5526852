"""Agreement with programs that nobody here wrote: scikit-learn and SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics
from sklearn.preprocessing import MultiLabelBinarizer

from comparanda.findings.significance import benjamini_hochberg, compute_binomial_p
from tests import reference
from tests.findings.populations import LABELS, Population, close, exact_pairs, identity, populations

single = populations(absent=False, documents=(1, 8))
several = populations(absent=False, documents=(1, 8), several=True)
rows = populations(systems=(2, 2), documents=(1, 15), sentences=1, tokens=1, unit="row", absent=False)
equal_documents = st.integers(6, 10).flatmap(
    lambda count: populations(systems=(2, 2), documents=(count, count), sentences=1, tokens=1)
)


@identity(single)
def test_accuracy_is_that_of_scikit_learn(population: Population) -> None:
    found = population.result().scores("accuracy")
    for name, values in population.systems.items():
        assert close(found.value(name), metrics.accuracy_score(list(population.key), list(values)))


@identity(single)
def test_precision_recall_and_f1_of_tags_are_those_of_scikit_learn(population: Population) -> None:
    labels = sorted({str(label) for label in population.key})
    measures = [f"{name}[{label}]" for label in labels for name in ("precision", "recall", "f1")]
    found = population.result().scores(*measures, "precision", "recall", "f1", "macro_f1")
    for name, values in population.systems.items():
        key, given = list(population.key), list(values)
        each = metrics.precision_recall_fscore_support(key, given, labels=labels, zero_division=np.nan)
        for number, label in enumerate(labels):
            for column, measure in enumerate(("precision", "recall", "f1")):
                expected = float(each[column][number])
                assert close(found.value(name, f"{measure}[{label}]"), None if np.isnan(expected) else expected)
        micro = metrics.precision_recall_fscore_support(key, given, average="micro")
        assert [close(found.value(name, m), micro[n]) for n, m in enumerate(("precision", "recall", "f1"))] == [
            True
        ] * 3
        assert close(found.value(name, "macro_f1"), metrics.f1_score(key, given, labels=labels, average="macro"))


@identity(several)
def test_scores_of_sets_of_labels_are_those_of_scikit_learn(population: Population) -> None:
    found = population.result().scores("precision", "recall", "f1", "macro_f1", "accuracy")
    binarizer = MultiLabelBinarizer(classes=list("ABC"))
    key = binarizer.fit_transform(population.key)
    used = sorted({label for value in population.key for label in reference.labels_of(value)})
    for name, values in population.systems.items():
        given = binarizer.transform(values)
        each = metrics.precision_recall_fscore_support(key, given, average="micro", zero_division=np.nan)
        for column, measure in enumerate(("precision", "recall", "f1")):
            expected = float(each[column])
            assert close(found.value(name, measure), None if np.isnan(expected) else expected)
        assert close(found.value(name, "accuracy"), metrics.accuracy_score(key, given))
        columns = ["ABC".index(label) for label in used]
        macro = metrics.f1_score(key, given, labels=columns, average="macro", zero_division=0.0) if used else None
        assert close(found.value(name, "macro_f1"), macro)


@identity(populations(absent=False, systems=(2, 2), documents=(1, 8)))
def test_transitions_are_cells_of_scikit_learns_confusion_matrices(population: Population) -> None:
    """Between base and new, at the sites of one key label, off the diagonal."""
    base, new = population.systems.values()
    labels = list(LABELS)
    found = population.result().difference()
    counts: dict[tuple[str, str, str], int] = {
        (row.key, row.base, row.new): row.count for each in found.classes for row in each.transitions
    }
    for label in set(population.key):
        mine, theirs = (reference.restricted(population.key, column, label) for column in (base, new))
        matrix = metrics.confusion_matrix(mine, theirs, labels=labels)
        for first, one in enumerate(labels):
            for second, two in enumerate(labels):
                if first != second:
                    assert counts.get((str(label), one, two), 0) == matrix[first, second]


@identity(populations(absent=False, documents=(1, 8)))
def test_the_oracles_shares_by_label_are_recalls_of_scikit_learn(population: Population) -> None:
    found = population.result().combination()
    key = list(population.key)
    labels = [str(row.label) for row in found.labels]
    for number, values in enumerate(population.systems.values()):
        recalls = metrics.recall_score(key, list(values), labels=labels, average=None, zero_division=0.0)
        assert all(close(row.shares[number], recall) for row, recall in zip(found.labels, recalls, strict=True))
    columns = list(zip(*population.systems.values(), strict=True))
    united = [y if y in answers else answers[0] for y, answers in zip(key, columns, strict=True)]
    assert close(found.overall.oracle, metrics.accuracy_score(key, united))


def _mean_gap(first: Any, second: Any, axis: int = -1) -> Any:
    return np.mean(second, axis=axis) - np.mean(first, axis=axis)


@identity(equal_documents, examples=25)
def test_an_exact_p_is_that_of_scipys_permutation_test(population: Population) -> None:
    """With documents of equal size the pooled accuracy is a mean over documents, which SciPy can permute."""
    base, new = population.systems.values()
    right = [
        np.array([float(y == value) for y, value in zip(population.key, values, strict=True)]) for values in (base, new)
    ]
    expected = stats.permutation_test(
        right, _mean_gap, permutation_type="samples", vectorized=True, n_resamples=np.inf, alternative="two-sided"
    )
    assert close(population.result(10).significance().tests[0].p, min(1.0, float(expected.pvalue)))


@identity(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_scipys_binomial_test(wins: int, losses: int) -> None:
    expected = stats.binomtest(wins, wins + losses, 0.5).pvalue if wins + losses else 1.0
    assert compute_binomial_p(wins, losses) == pytest.approx(expected, rel=1e-9)


@identity(rows)
def test_mcnemar_on_rows_is_scipys_binomial_test(population: Population) -> None:
    base, new = population.systems.values()
    counts = reference.classes(population.key, base, new)
    total = counts["correction"] + counts["new_error"]
    expected = stats.binomtest(counts["correction"], total, 0.5).pvalue if total else 1.0
    assert population.result(5).significance().tests[0].mcnemar == pytest.approx(expected)


def test_mcnemar_of_many_rows_is_scipys_binomial_test() -> None:
    for wins, losses in ((700, 800), (5000, 5400), (1, 2000), (3000, 3000), (0, 1000)):
        expected = stats.binomtest(wins, wins + losses, 0.5).pvalue
        assert compute_binomial_p(wins, losses) == pytest.approx(expected, rel=1e-6, abs=1e-300)


@identity(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_benjamini_and_hochberg_are_scipys_false_discovery_control(values: list[float]) -> None:
    expected = stats.false_discovery_control(values, method="bh")
    assert benjamini_hochberg(values) == pytest.approx(expected.tolist(), abs=1e-12)


@identity(exact_pairs, examples=15)
def test_the_bootstrap_interval_is_near_that_of_scipy(population: Population) -> None:
    """The same percentile method on the same units; only the draws differ."""
    name, values = next(iter(population.systems.items()))
    owners = sorted(set(population.document))
    sums = np.array(
        [
            [
                sum(
                    1
                    for site, owner in enumerate(population.document)
                    if owner == d and values[site] == population.key[site]
                )
                for d in owners
            ],
            [population.document.count(d) for d in owners],
        ],
        dtype=float,
    )
    if len({tuple(column) for column in sums.T.tolist()}) < 3:
        return
    expected = stats.bootstrap(
        (sums[0], sums[1]),
        lambda right, sites, axis=-1: right.sum(axis=axis) / sites.sum(axis=axis),
        paired=True,
        method="percentile",
        n_resamples=4000,
        vectorized=True,
        rng=np.random.default_rng(5),
    ).confidence_interval
    found = population.only(name).result(4000).scores("accuracy").scores[0]
    assert found.low == pytest.approx(expected.low, abs=0.06)
    assert found.high == pytest.approx(expected.high, abs=0.06)
