"""DEFINITIONS 3: complementarity, small enough to count by hand; the paper's tables; edges; what is said."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import comparanda as cp
from comparanda import Result, UsageError
from comparanda.core.verdicts import System
from comparanda.findings.complement import Complementarity, ComplementPair, Rate, Rates, f_complement
from tests.findings.complement.reference import harmonic
from tests.findings.populations import Population

KINDS = ("comp", "pcomp", "rcomp", "fcomp", "fbeta")
TEXT = "ab cd ef gh ij kl"


def record(name: str, *spans: str) -> dict[str, Any]:
    """Make a document: `PER 0-2` is a span, `PER 0-2 Q1` a link, `PER 0-2,6-8` one in pieces."""
    found = []
    for span in spans:
        label, extent, *ids = span.split()
        pieces = [[int(each) for each in piece.split("-")] for piece in extent.split(",")]
        one: dict[str, Any] = {"begin": pieces[0][0], "end": pieces[-1][1], "label": label}
        one |= {"id": ids[0]} if ids else {}
        found.append(one if len(pieces) == 1 else {**one, "fragments": pieces})
    return {"id": name, "text": TEXT, "spans": found}


def compared(key: list[Any], /, resamples: int = 0, **systems: Any) -> Result:
    task = "link" if any("id" in span for each in key for span in each["spans"]) else "span"
    return cp.compare(key, systems, task=task, resamples=resamples)


def only_pair(found: Complementarity) -> ComplementPair:
    (pair,) = found.pairs
    return pair


def cells(pair: Any) -> list[int | None]:
    """The ten integers."""
    return [None if each is None else each.count for each in vars(pair.overlap).values()]


def values(rates: Rates) -> list[float | None]:
    return [rates.comp.value, rates.pcomp.value, rates.rcomp.value, rates.fcomp.value, rates.fbeta.value]


def near(*numbers: float | None) -> Any:
    return [None if number is None else pytest.approx(number, abs=1e-12) for number in numbers]


# Small enough to count


KEY = [record("1", "PER 0-2", "LOC 3-5", "ORG 6-8", "PER 9-11"), record("2", "PER 0-2")]
CRF = [record("1", "PER 0-2", "LOC 3-5", "MISC 12-14", "PER 6-8"), record("2")]
BERT = [record("1", "PER 0-2", "ORG 6-8", "MISC 12-14"), record("2")]


def test_spans_small_enough_to_count() -> None:
    """Of five key spans both have one, each one alone, two are missed by both; one false span is common."""
    pair = only_pair(compared(KEY, crf=CRF, bert=BERT).complementarity(beta=2))
    assert cells(pair) == [1, 1, 1, 2, 1, 1, 0, None, None, None]
    assert values(pair.forth) == near(1 - 3 / 5, 1 / 2, 1 / 3, 2 / 5, 5 / 14)
    assert values(pair.back) == near(1 - 3 / 4, 0, 1 / 3, 0, 0)
    assert pair.union is not None
    assert (pair.union.found, pair.union.claimed, pair.union.over) == (3, 5, "bert")
    assert [pair.union.precision, pair.union.recall, pair.union.f1] == near(3 / 5, 3 / 5, 3 / 5)
    gains = [pair.union.precision_gain, pair.union.recall_gain, pair.union.f1_gain]
    assert gains == near(3 / 5 - 2 / 3, 3 / 5 - 2 / 5, 3 / 5 - 1 / 2)
    assert pair.intersection is not None
    assert (pair.intersection.found, pair.intersection.claimed, pair.intersection.over) == (1, 2, "bert")
    assert [pair.intersection.precision, pair.intersection.recall] == near(1 / 2, 1 / 5)
    assert [pair.intersection.f1, pair.intersection.f1_gain] == near(2 / 7, 2 / 7 - 1 / 2)
    assert pair.ceiling is None


def test_labels_of_spans_small_enough_to_count() -> None:
    found = only_pair(compared(KEY, crf=CRF, bert=BERT).complementarity())
    assert {row.label: cells(row)[:7] for row in found.labels} == {
        "PER": [1, 0, 0, 2, 0, 1, 0],
        "LOC": [0, 1, 0, 0, 0, 0, 0],
        "ORG": [0, 0, 1, 0, 0, 0, 0],
        "MISC": [0, 0, 0, 0, 1, 0, 0],
    }
    assert [row.label for row in found.labels] == ["PER", "LOC", "ORG", "MISC"]
    by_label = {row.label: row for row in found.labels}
    assert values(by_label["PER"].forth) == near(1 / 3, 1, 0, 0, 0)
    assert values(by_label["PER"].back) == near(0, None, 0, None, None)
    assert by_label["PER"].back.pcomp.reason == "bert has no spurious item"
    assert by_label["PER"].back.fcomp.reason == "PComp is undefined"
    assert values(by_label["LOC"].forth) == near(None, 1, None, None, None)
    assert values(by_label["LOC"].back) == near(1, 1, 1, 1, 1)


def test_tags_small_enough_to_count() -> None:
    """Both have the second token wrong in the same way; each has two more of six wrong."""
    population = Population(
        key=("A", "A", "B", "B", "C", "C"),
        systems={"x": ("A", "B", "B", "A", "C", None), "y": ("A", "B", "A", "B", "B", "C")},
        sentence=(0,) * 6,
        document=(0,) * 6,
    )
    found = population.result().complementarity(beta=0.5)
    pair = only_pair(found)
    assert (found.over, found.view, found.beta, found.notes) == ("sites", "tag", 0.5, ())
    assert cells(pair) == [1, 2, 2, 1, 1, 1, 2, 1, 2, 2]
    assert values(pair.forth) == near(2 / 3, 1 / 2, 2 / 3, 4 / 7, 1.25 * (1 / 3) / (0.125 + 2 / 3))
    assert values(pair.back) == near(2 / 3, 2 / 3, 2 / 3, 2 / 3, 2 / 3)
    assert pair.ceiling is not None
    assert (pair.ceiling.right, pair.ceiling.over) == (5, "x")
    assert [pair.ceiling.accuracy, pair.ceiling.gain] == near(5 / 6, 1 / 3)


def test_label_sets_small_enough_to_count() -> None:
    """Comp is over rows, PComp and RComp over their labels; a set has no ceiling, for it can be united."""
    key = {"1": ["a", "b"], "2": ["c"], "3": []}
    systems = {"x": {"1": ["a"], "2": ["c", "z"], "3": []}, "y": {"1": ["a"], "2": ["z"], "3": ["q"]}}
    pair = only_pair(cp.compare(key, systems, task="label", resamples=0).complementarity())
    assert cells(pair) == [1, 1, 0, 1, 1, 0, 1, 2, 0, 1]
    assert values(pair.forth)[:4] == near(0, 0, 0, 0)
    assert values(pair.back)[:4] == near(1 / 3, 1 / 2, 1 / 2, 1 / 2)
    assert pair.ceiling is None
    assert pair.union is not None
    assert (pair.union.found, pair.union.claimed) == (2, 4)


def test_links_small_enough_to_count() -> None:
    """An id of several is as right as another; the same wrong id of the same mention is one common error."""
    key = [record("1", "LOC 0-2 Q1|Q2", "LOC 3-5 Q3", "PER 6-8 Q4", "PER 9-11 NIL")]
    one = [record("1", "LOC 0-2 Q1", "LOC 3-5 Q9", "PER 6-8 Q4", "PER 9-11 Q7")]
    two = [record("1", "LOC 0-2 Q2", "LOC 3-5 Q9", "PER 6-8 Q5", "PER 9-11 Q8")]
    pair = only_pair(compared(key, one=one, two=two).complementarity())
    assert cells(pair)[:7] == [1, 1, 0, 1, 1, 1, 2]
    assert values(pair.forth)[:4] == near(1 - 2 / 3, 1 / 2, 0, 0)
    assert values(pair.back)[:4] == near(1 - 2 / 5, 2 / 3, 1 / 2, 4 / 7)


def test_a_repeated_span_is_spurious_once_more() -> None:
    key = [record("1", "PER 0-2")]
    pair = only_pair(
        compared(key, x=[record("1", *["PER 0-2"] * 3)], y=[record("1", *["PER 0-2"] * 2)]).complementarity()
    )
    assert cells(pair)[:7] == [1, 0, 0, 0, 1, 1, 0]
    assert values(pair.forth) == near(1 / 2, 1 / 2, 1, 2 / 3, 2 / 3)


def test_several_runs_are_counted_over_all_pairs_of_runs() -> None:
    population = Population(
        key=("A", "A", "B"),
        systems={"x#1": ("A", "B", "B"), "x#2": ("A", "B", "A"), "y": ("A", "A", "A")},
        sentence=(0,) * 3,
        document=(0,) * 3,
        runs=(System("x", (0, 1)), System("y", (2,))),
    )
    pair = only_pair(population.result().complementarity())
    # x#1 with y: both find the first token; x#2 with y: both miss the third, by the same tag
    assert cells(pair) == [2, 1, 2, 1, 1, 2, 1, 1, 2, 1]
    assert values(pair.forth)[:3] == near(2 / 3, 2 / 3, 2 / 3)
    assert values(pair.back)[:3] == near(1 / 2, 1 / 2, 1 / 2)


# The paper's tables, from their own P and R

TABLES = {
    "ANNIE": (0.6820, 0.8372),
    "OpenNLP": (0.8145, 0.5329),
    "LTG": (0.851, 0.822),
    "TRIPS": (0.851, 0.851),
    ("ANNIE", "OpenNLP"): (0.7815, 0.1422),
    ("OpenNLP", "ANNIE"): (0.2000, 0.5604),
    ("LTG", "TRIPS"): (0.325, 0.0637),
    ("TRIPS", "LTG"): (0.155, 0.0455),  # printed as Comp(TRIPS, TRIOS)
}


def fcomp(pair: tuple[str, str], beta: float = 1.0) -> float:
    precision, recall = TABLES[pair]
    return float(f_complement(np.array(precision), np.array(recall), beta))


def test_the_fs_of_tables_1_and_2_follow_from_their_p_and_r_but_for_one() -> None:
    assert round(100 * fcomp(("ANNIE", "OpenNLP")), 2) == 24.06
    assert round(100 * fcomp(("LTG", "TRIPS")), 2) == 10.65  # printed as 10.7
    assert f"{100 * fcomp(('LTG', 'TRIPS')):.1f}" == "10.7"
    assert round(100 * fcomp(("TRIPS", "LTG")), 2) == 7.03
    assert round(100 * fcomp(("OpenNLP", "ANNIE")), 2) == 29.48  # printed as 31.67


def test_the_standard_fs_of_the_tables_follow() -> None:
    printed = {"ANNIE": 75.17, "OpenNLP": 64.43, "LTG": 83.6, "TRIPS": 85.1}
    for name, expected in printed.items():
        precision, recall = (Fraction(str(each)) for each in TABLES[name])
        found = harmonic(precision, recall)
        assert found is not None
        assert abs(100 * found - Fraction(str(expected))) < Fraction("0.05")


def common(first: str, second: str) -> tuple[float, float]:
    """What P and R of a system and its rates imply: common false positives and common misses, by key item."""
    precision, recall = TABLES[first]
    spurious, missed = TABLES[first, second]
    return recall * (1 / precision - 1) * (1 - spurious), (1 - recall) * (1 - missed)


@pytest.mark.parametrize(
    ("first", "second", "misses"), [("ANNIE", "OpenNLP", (0.140, 0.205)), ("LTG", "TRIPS", (0.167, 0.142))]
)
def test_the_two_directions_of_the_tables_imply_different_common_errors(
    first: str, second: str, misses: tuple[float, float]
) -> None:
    """No counts give these tables, for common errors are common to both; rounding explains thousandths at most."""
    forth, back = common(first, second), common(second, first)
    assert (round(forth[1], 3), round(back[1], 3)) == misses
    assert all(abs(one - other) > 0.01 for one, other in zip(forth, back, strict=True))


def test_equation_12_as_printed_is_not_equation_11_at_beta_1_and_ours_is() -> None:
    precision, recall = TABLES["ANNIE", "OpenNLP"]
    printed = 1 + 1 * precision * recall / (1**2 * precision + recall)
    eleven = 2 * precision * recall / (precision + recall)
    assert abs(printed - eleven) > 0.8
    assert fcomp(("ANNIE", "OpenNLP"), 1.0) == pytest.approx(eleven, abs=1e-15)
    assert fcomp(("ANNIE", "OpenNLP"), 2.0) == pytest.approx(5 * precision * recall / (4 * precision + recall))


def test_beta_leads_from_complementary_precision_to_complementary_recall() -> None:
    precision, recall = TABLES["ANNIE", "OpenNLP"]
    assert fcomp(("ANNIE", "OpenNLP"), 1e-6) == pytest.approx(precision)
    assert fcomp(("ANNIE", "OpenNLP"), 1e6) == pytest.approx(recall)


# Edges


def test_identical_systems_spare_each_other_nothing() -> None:
    pair = only_pair(compared(KEY, crf=CRF, twin=CRF).complementarity())
    assert cells(pair)[:7] == [2, 0, 0, 3, 2, 0, 0]
    assert values(pair.forth) == values(pair.back) == near(0, 0, 0, 0, 0)
    assert pair.union is not None
    assert pair.union == pair.intersection
    assert (pair.union.f1_gain, pair.union.over) == (0, "crf")


def test_a_system_without_spans() -> None:
    """It has no false positive, so nothing can be said of them; the other spares it what it finds."""
    pair = only_pair(compared(KEY, crf=CRF, empty=[record("1"), record("2")]).complementarity())
    assert cells(pair)[:7] == [0, 2, 0, 3, 0, 2, 0]
    assert values(pair.forth) == near(2 / 5, 1, 0, 0, 0)
    assert values(pair.back) == near(2 / 5, None, 2 / 5, None, None)
    assert pair.back.pcomp == Rate(None, None, None, "empty has no spurious item")
    assert pair.intersection is not None
    assert (pair.intersection.precision, pair.intersection.recall, pair.intersection.f1) == (None, 0, 0)
    assert pair.intersection.precision_gain is None


def test_a_perfect_system_spares_everything_and_nothing_can_spare_it_anything() -> None:
    pair = only_pair(compared(KEY, crf=CRF, perfect=KEY).complementarity())
    assert values(pair.forth) == near(1, 1, 1, 1, 1)
    assert values(pair.back) == [None] * 5
    reasons = [getattr(pair.back, name).reason for name in KINDS]
    assert reasons[:3] == ["perfect has no error", "perfect has no spurious item", "perfect has no missed item"]
    assert reasons[3] == reasons[4] == "PComp is undefined and RComp is undefined"


def test_two_perfect_systems_spare_each_other_everything_there_is() -> None:
    """No errors on both sides: b = 0 gives 1 before a = 0 is asked for."""
    pair = only_pair(compared(KEY, one=KEY, two=KEY).complementarity())
    assert values(pair.forth) == values(pair.back) == near(1, 1, 1, 1, 1)
    assert pair.union is not None
    assert (pair.union.f1, pair.union.f1_gain) == (1, 0)


def test_a_key_without_spans() -> None:
    key = [record("1"), record("2")]
    pair = only_pair(compared(key, crf=CRF, bert=BERT).complementarity())
    assert cells(pair)[:7] == [0, 0, 0, 0, 2, 2, 1]
    assert values(pair.forth) == near(1 / 2, 1 / 2, 1, 2 / 3, 2 / 3)
    assert pair.union is not None
    assert (pair.union.precision, pair.union.recall, pair.union.f1) == (0, None, 0)
    assert pair.union.recall_gain is None


def test_one_document_has_rates_and_no_intervals() -> None:
    pair = only_pair(compared(KEY[:1], resamples=50, crf=CRF[:1], bert=BERT[:1]).complementarity())
    assert pair.forth.comp == Rate(1 / 2, None, None, None)
    assert pair.union is not None
    assert (pair.union.low, pair.union.high) == (None, None)
    assert pair.labels[0].forth.comp.low is None


def test_a_label_that_only_a_system_uses_has_a_row() -> None:
    row = only_pair(compared(KEY, crf=CRF, bert=KEY).complementarity()).labels[-1]
    assert (row.label, cells(row)[:7]) == ("MISC", [0, 0, 0, 0, 0, 1, 0])
    assert values(row.forth) == near(1, 1, 1, 1, 1)
    assert values(row.back) == near(None, None, 1, None, None)


def test_one_system_is_refused() -> None:
    with pytest.raises(UsageError, match="needs two systems") as caught:
        compared(KEY, crf=CRF).complementarity()
    assert "crf" in str(caught.value)
    with pytest.raises(UsageError, match="needs two systems"):
        compared(KEY, crf=CRF, bert=BERT).complementarity("bert")


def test_a_system_is_not_compared_with_itself() -> None:
    with pytest.raises(UsageError, match=r"itself|twice"):
        compared(KEY, crf=CRF, bert=BERT).complementarity("crf", "crf")


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match=r"unknown system 'crv' \(did you mean 'crf'\?\)"):
        compared(KEY, crf=CRF, bert=BERT).complementarity("crv", "bert")


@pytest.mark.parametrize("beta", [0, -1, math.nan, math.inf, -math.inf])
def test_beta_is_a_number_above_nought(beta: float) -> None:
    with pytest.raises(UsageError, match="expected beta above 0, got"):
        compared(KEY, crf=CRF, bert=BERT).complementarity(beta=beta)


def test_rates_are_found_by_their_names() -> None:
    found = compared(KEY, a=CRF, b=BERT, c=KEY).complementarity()
    assert (found.rates("c", "a").system, found.rates("c", "a").other) == ("c", "a")
    assert found.rates("b", "a") == found.pairs[0].back
    with pytest.raises(UsageError, match="no pair"):
        found.rates("a", "a")


@pytest.mark.parametrize("value", [0, 1])
def test_a_value_can_be_forced_where_rates_are_undefined(value: int) -> None:
    result = replace(compared(KEY, crf=CRF, perfect=KEY), zero_division=value)
    pair = only_pair(result.complementarity())
    assert values(pair.back) == [value] * 5
    assert all(getattr(pair.back, name).reason is None for name in KINDS)
    assert values(pair.forth) == near(1, 1, 1, 1, 1)


@pytest.mark.parametrize("value", [0, 1])
def test_so_it_can_where_scores_of_union_and_intersection_are_undefined(value: int) -> None:
    """As everywhere else: the scores of systems take the forced value too."""
    key = [record("1"), record("2")]
    result = replace(compared(key, crf=CRF, empty=key), zero_division=value)
    assert result.scores("recall").value("crf") == value
    pair = only_pair(result.complementarity())
    assert pair.union is not None
    assert pair.intersection is not None
    assert pair.union.recall == value
    assert (pair.intersection.precision, pair.intersection.recall, pair.intersection.f1) == (value,) * 3


def test_whose_errors_a_condition_leaves_are_counted_alone() -> None:
    result = Population(
        key=("A", "A", "B"),
        systems={"x": ("B", "A", "A"), "y": ("B", "B", "B")},
        sentence=(0, 1, 2),
        document=(0, 0, 1),
    ).result()
    pair = only_pair(result.where('key == "A"').complementarity())
    assert cells(pair) == [0, 1, 0, 1, 1, 0, 1, 1, 0, 1]


# What is said


def test_the_papers_reading_says_nothing_of_errors_that_there_are_not() -> None:
    """A rate of 1 for want of any error is no sign that one system finds what the other misses."""
    for each in only_pair(compared(KEY, one=KEY, two=KEY).complementarity()).advice.paper:
        assert "misses" not in each
        assert "false positives" not in each


def test_advice_names_what_was_measured() -> None:
    key = [record(str(number), "PER 0-2", "LOC 3-5") for number in range(8)]
    one = [record(str(number), "PER 0-2") for number in range(8)]
    two = [record(str(number), "LOC 3-5") for number in range(8)]
    pair = only_pair(compared(key, resamples=50, one=one, two=two).complementarity())
    assert pair.union is not None
    assert [pair.union.low, pair.union.high] == near(1 / 3, 1 / 3)
    assert (
        pair.advice.measured
        == "take the union, which gains over one: F1 +33.33 [+33.33, +33.33] (recall +50.00, precision +0.00)"
    )
    silent = only_pair(compared(key, one=one, two=two).complementarity())
    assert silent.advice.measured.startswith("no clear gain over one")
    worse = only_pair(compared(key, resamples=50, one=key, two=one).complementarity()).advice.measured
    assert worse.startswith("no clear gain over one")
    false = [record(str(number), "PER 0-2", "LOC 3-5", "ORG 6-8") for number in range(8)]
    short = [record(str(number), "PER 0-2", "ORG 9-11") for number in range(8)]
    alone = only_pair(compared(key, resamples=50, good=false, bad=short).complementarity()).advice.measured
    assert alone.startswith("keep good alone")


def test_a_choice_between_tags_is_no_union() -> None:
    same = Population(
        key=("A", "B"), systems={"x": ("A", "B"), "y": ("A", "A")}, sentence=(0, 0), document=(0, 0)
    ).result()
    assert only_pair(same.complementarity()).advice.measured == "nothing to gain: x is right wherever the other is"
    other = Population(
        key=("A", "B"), systems={"x": ("A", "A"), "y": ("B", "B")}, sentence=(0, 0), document=(0, 0)
    ).result()
    assert "a perfect one gains 50.00 over x" in only_pair(other.complementarity()).advice.measured
