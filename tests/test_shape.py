"""The proof of shape: a toy task with all that no shipped task has yet goes through every finding."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from comparanda.core.verdicts import Verdicts, View
from comparanda.errors import UsageError
from comparanda.findings.context import LOST
from comparanda.render.console import as_text
from comparanda.render.finding import Finding
from comparanda.render.markup import as_delimited, as_html, as_json_lines
from comparanda.render.table import NO_SITES
from comparanda.result import Result
from tests.seeds import first_few, mostly_slow
from tests.toy_task import (
    NAMES,
    ONE_AND_TWO,
    TWO_BY_TWO,
    Policy,
    findings,
    of_one_view,
    registered,
    toy_measures,  # noqa: F401 - a fixture that works by being here
    verdicts_of,
)

BY = ("word", "length", "plural", "genre", "label", "document", "frequency", "solved_by", "majority")
WHERE = ("differs", "correction", "changed_error", "majority_right", 'right("fine#1")', "agreement < 4")
VIEWS = ("strict", "partial")


def result_of(verdicts: Verdicts | None = None, resamples: int = 200) -> Result:
    return Result(verdicts or verdicts_of(), resamples)


@pytest.fixture(scope="module")
def result() -> Result:
    return result_of()


with registered():
    ALL = findings(result_of(), BY, WHERE)
    UNEQUAL = findings(result_of(verdicts_of(ONE_AND_TWO)), BY, WHERE)


# Numbers that can be counted by hand, from the texts in `toy_task`.


def test_a_score_is_the_mean_over_the_runs(result: Result) -> None:
    scores = {(each.system, each.measure): each for each in result.scores(view="strict").scores}
    assert scores["rough", "accuracy"].by_run == (16 / 20, 16 / 20)
    assert scores["fine", "accuracy"].by_run == (17 / 20, 16 / 20)
    assert scores["fine", "accuracy"].value == pytest.approx(33 / 40)
    assert (scores["fine", "accuracy"].part, scores["fine", "accuracy"].whole) == (33, 40)


def test_surplus_tokens_enter_precision_and_absent_ones_recall(result: Result) -> None:
    scores = {(each.system, each.measure): each.by_run for each in result.scores(view="strict").scores}
    assert scores["rough", "precision"] == (16 / 20, 16 / 20)
    assert scores["fine", "precision"] == (17 / 21, 16 / 19)  # can, not; NewYork
    assert scores["fine", "recall"] == (17 / 20, 16 / 20)  # cannot; New, York
    assert scores["fine", "f1"] == (34 / 41, 32 / 39)


def test_partial_matches_get_half_credit(result: Result) -> None:
    scores = {(each.system, each.measure): each.by_run for each in result.scores(view="partial").scores}
    assert scores["rough", "recall"] == (17.5 / 20, 17 / 20)
    assert scores["fine", "precision"] == (18 / 21, 16.5 / 19)
    assert scores["rough", "f1"] == (35 / 40, 34 / 40)
    assert scores["fine", "f1"] == (36 / 41, 33 / 39)


def test_a_statistic_that_is_no_sum_over_items_is_scored(result: Result) -> None:
    scores = {(each.system, each.measure): each for each in result.scores(view="partial").scores}
    assert scores["rough", "streak"].by_run == (14 / 20, 15 / 20)
    assert scores["fine", "streak"].by_run == (16 / 20, 15 / 20)
    assert scores["fine", "streak"].part is None  # not a share of anything
    assert result.verdicts.view("partial").statistics["kinds"][1].tolist() == [2, 3, 4, 3]  # P V.pres V.inf; R


def test_the_difference_counts_sites_times_pairs_of_runs(result: Result) -> None:
    difference = result.difference("rough", "fine", view="strict")
    assert (difference.run_pairs, difference.sites) == (4, 80)
    assert [each.count for each in difference.classes] == [10, 8, 4]
    assert (difference.different, difference.same_error, difference.same_right) == (22, 2, 56)
    assert difference.accuracy_difference == (10 - 8) / 80
    absent = [(each.key, each.new, each.count) for each in difference.of("new_error").transitions]
    assert absent == [("N.sg", "(absent)", 4), ("V.past", "V.pres", 2), ("V.pres", "(absent)", 2)]
    changed = [(each.key, each.base, each.new, each.count) for each in difference.of("changed_error").transitions]
    assert changed == [("N.pl", "N.sg", "V.pres", 2), ("V.past", "V.pres", "V.inf", 2)]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("systems", [TWO_BY_TWO, ONE_AND_TWO], ids=["2x2", "1x2"])
def test_the_gap_of_accuracies_is_corrections_less_new_errors(systems: Any, view: str) -> None:
    result = result_of(verdicts_of(systems), 0)
    base, new = result.systems
    difference = result.difference(base, new, view=view)
    scores = result.scores("accuracy", view=view)
    gap = (scores.value(new) or 0) - (scores.value(base) or 0)
    assert difference.accuracy_difference == pytest.approx(gap)
    assert (difference.base_accuracy, difference.new_accuracy) == pytest.approx((scores.value(base), scores.value(new)))
    swapped = result.difference(new, base, view=view)
    assert [swapped.of(name).count for name in ("new_error", "correction", "changed_error")] == [
        each.count for each in difference.classes
    ]


def test_pairs_show_diff_and_overlap(result: Result) -> None:
    (pair,) = result.pairs(view="strict").pairs
    assert (pair.different, pair.sites, pair.diff) == (22, 80, 22 / 80)
    assert pair.overlap_right == 2 * 56 / (32 * 2 + 33 * 2)
    assert pair.overlap_all == 1 - 22 / 80
    assert pair.score_difference == pytest.approx(33 / 40 - 32 / 40)


def test_the_oracle_and_hardness_count_runs(result: Result) -> None:
    found = result.combination(view="strict")
    assert found.runs == ("rough#1", "rough#2", "fine#1", "fine#2")
    assert (found.best, found.overall.right, found.overall.oracle_right) == ("fine#1", (16, 16, 17, 16), 19)
    assert [each.count for each in found.hardness] == [1, 1, 0, 8, 10]  # rained, dogs, …
    assert [(step.run, step.right, step.gain) for step in found.greedy] == [
        ("fine#1", 17, 17),
        ("rough#1", 19, 2),
        ("rough#2", 19, 0),
        ("fine#2", 19, 0),
    ]
    assert found.greedy[1].complementarity == pytest.approx(2 / 3)
    assert [each.count for each in found.unique] == [0, 0, 1, 0]
    assert [(each.agree, each.sites, each.right) for each in found.agreement] == [
        (4, 10, 10),
        (3, 9, 8),  # rained is wrong three times alike
        (2, 1, 0),  # dogs: N.sg twice
        (1, 0, 0),
    ]


def test_significance_of_seven_documents_is_exact(result: Result) -> None:
    (test,) = result.significance(view="strict").tests
    assert test.method == "exact"
    assert test.difference == pytest.approx(1 / 40)
    (test,) = result.significance("streak", view="partial").tests
    assert test.difference == pytest.approx((16 + 15 - 14 - 15) / 40)
    # Streaks of fine less those of rough, document by document: 3, 0, -2, 1, 0, 1, -1 (sums over runs).
    gaps = np.array([3, 0, -2, 1, 0, 1, -1])
    signs = 1 - 2 * ((np.arange(2**7)[:, None] >> np.arange(7)) & 1)
    assert test.p == (np.abs(signs @ gaps) >= abs(gaps.sum())).mean()


def test_systems_with_different_numbers_of_runs_are_not_tested_but_compared() -> None:
    result = result_of(verdicts_of(ONE_AND_TWO))
    (test,) = result.significance(view="strict").tests
    assert (test.p, test.method) == (None, "n/a: the systems have different numbers of runs")
    assert test.difference == pytest.approx(33 / 40 - 16 / 20)
    assert result.difference(view="strict").sites == 40
    assert result.verdicts.runs == ("lone", "fine#1", "fine#2")


def test_slices_score_the_sites_of_a_value(result: Result) -> None:
    found = {each.value: each for each in result.slices("genre", view="strict").slices}
    assert [(name, each.sites) for name, each in found.items()] == [("(none)", 8), ("news", 8), ("blog", 4)]
    assert found["news"].scores == (13 / 16, 13 / 16)
    assert found["(none)"].scores == (12 / 16, 13 / 16)


def test_examples_show_every_run_and_where_it_stands(result: Result) -> None:
    (example,) = result.examples("solved_by == 0", view="strict").examples
    assert (example.document, example.before, example.word, example.key) == ("e", "it", "rained", "V.past")
    assert example.place == "key/e.txt:2"
    assert [answer.value for answer in example.answers] == ["V.pres", "V.pres", "V.inf", "V.pres"]
    assert [answer.place for answer in example.answers] == [f"{run}/e.txt:2" for run in result.verdicts.runs]


def test_an_absent_token_has_no_place(result: Result) -> None:
    found = result.examples('key == "N.sg" and value("fine#2") == "(absent)"', view="strict").examples
    assert [example.word for example in found] == ["New", "York"]
    places = [answer.place for answer in found[0].answers]
    assert places == ["rough#1/c.txt:1", "rough#2/c.txt:1", "fine#1/c.txt:1", None]
    assert found[0].answers[3].value == "(absent)"


# From a number to its sites: each condition selects as many as the number says.


def conditions(data: Any) -> list[tuple[str, int]]:
    """Collect every count of a finding with its condition."""
    found = []
    if isinstance(data, dict):
        number = next((data[name] for name in ("count", "oracle_right", "different", "gain") if name in data), None)
        number = data.get("sites") if number is None else number
        if "where" in data and number is not None and "examples" not in data:
            found.append((data["where"], number))
        if "where_right" in data:
            found.append((data["where_right"], data["right"]))
        found += [pair for value in data.values() for pair in conditions(value)]
    elif isinstance(data, list):
        found += [pair for value in data for pair in conditions(value)]
    return found


@pytest.mark.parametrize("systems", [TWO_BY_TWO, ONE_AND_TWO], ids=["2x2", "1x2"])
@pytest.mark.parametrize("view", VIEWS)
def test_each_condition_selects_as_many_sites_as_its_number_says(systems: Any, view: str) -> None:
    result = result_of(verdicts_of(systems), 0)
    anatomy = json.loads(result.anatomy(by=BY, view=view).to_json())
    found = conditions(anatomy)
    assert len(found) > 80
    for where, number in found:
        shown = result.examples(where, *result.systems, top=1, view=view)
        assert shown.count == result.count(where, *result.systems, view=view) == number, where


# Every finding in every form.


@pytest.mark.parametrize("name", of_one_view(ALL))
def test_every_finding_has_every_form(name: str) -> None:
    _has_every_form(ALL[name])


@pytest.mark.parametrize("name", of_one_view(UNEQUAL))
def test_every_finding_of_unequal_runs_has_every_form(name: str) -> None:
    _has_every_form(UNEQUAL[name])


def _has_every_form(finding: Finding) -> None:
    rows = finding.to_dicts()
    assert json.loads(finding.to_json())["view" if not hasattr(finding, "task") else "task"]
    for text in (
        as_text(finding),
        str(finding),
        finding.to_markdown(),
        finding.to_latex(),
        as_html(finding),
        finding._repr_html_(),
    ):
        assert text.strip()
        assert "\0" not in text
    assert as_delimited(finding, ",").count("\n") == len(rows) + 1
    assert as_json_lines(finding).count("\n") == len(rows)
    assert len(finding.to_pandas()) == len(finding.to_polars()) == len(rows)
    assert list(finding.to_pandas().columns) == finding.to_polars().columns


@pytest.mark.parametrize("unit", first_few(1, ["sentence", "row"]))
@pytest.mark.parametrize("systems", [TWO_BY_TWO, pytest.param(ONE_AND_TWO, marks=pytest.mark.slow)], ids=["2x2", "1x2"])
def test_every_finding_can_be_made_without_documents(unit: Any, systems: Any) -> None:
    result = result_of(verdicts_of(systems, policy=Policy(unit)))
    for finding in findings(result, ("word", "length"), ("differs",)).values():
        _has_every_form(finding)
    assert f"resampling {unit}s instead" in str(result.significance())


# What makes no sense says so.


def test_slices_of_a_measure_that_rests_on_items_say_so_and_use_another(result: Result) -> None:
    found = result.slices("genre", view="partial")
    assert (found.measure, found.reasons[0]) == ("accuracy", f"f1 is n/a: {LOST}")
    assert found.slices[0].scores == (14 / 16, 1.0)
    assert f"f1 is n/a: {LOST}" in str(found)


def test_slices_with_no_other_measure_are_undefined_not_wrong(result: Result) -> None:
    found = _with_measures(result, "streak", "f1").slices("genre", view="partial")
    assert (found.measure, found.reasons[0]) == ("streak", f"streak is n/a: {LOST}")
    assert {score for each in found.slices for score in each.scores} == {None}
    assert {each.p for each in found.slices} == {None}
    assert "n/a" in str(found)


def test_a_value_for_zero_division_does_not_hide_a_measure_that_cannot_be_told(result: Result) -> None:
    forced = replace(_with_measures(result, "streak"), zero_division=0.0)
    assert {score for each in forced.slices("genre", view="partial").slices for score in each.scores} == {None}


def test_scores_of_a_part_say_which_cannot_be_told(result: Result) -> None:
    part = result.where("plural", view="partial")
    scores = {(each.system, each.measure): each for each in part.scores().scores}
    assert scores["fine", "accuracy"].by_run == (1.0, 2 / 3)
    for measure in ("f1", "precision", "recall", "macro_f1", "streak", "variety"):
        assert (scores["fine", measure].value, scores["fine", measure].reason) == (None, LOST)
    for finding in findings(part, ("word",)).values():
        _has_every_form(finding)
    assert f"fine: streak is n/a: {LOST}" in str(part.scores())


def test_a_test_of_a_part_says_why_there_is_none(result: Result) -> None:
    part = result.where("not plural", view="partial")
    (test,) = part.significance("f1").tests
    assert (test.difference, test.p, test.method) == (None, None, f"n/a: {LOST}")


def test_f1_of_plain_labels_carries_over_to_a_part(result: Result) -> None:
    strict = result.verdicts.view("strict")
    plain = replace(result.verdicts, views={"strict": replace(strict, given_items=None)})
    part = Result(plain, 0).where('key == "N.pl"')
    assert part.scores("recall").scores[0].by_run == (2 / 3, 2 / 3)


def _with_measures(result: Result, *measures: str) -> Result:
    view = replace(result.verdicts.view("partial"), measures=measures)
    return replace(result, verdicts=replace(result.verdicts, views={"partial": view}))


def without_sites(verdicts: Verdicts) -> Verdicts:
    view = verdicts.view("partial")
    bare = View(
        name="bare",
        given_sites=view.all_sites.take(np.arange(0)),
        measures=view.measures,
        left_out=None,
        given_items=view.given_items,
        statistics=view.statistics,
    )
    return replace(verdicts, views={"bare": bare})


def test_a_view_without_sites_has_scores_and_tests() -> None:
    bare = result_of(without_sites(verdicts_of()))
    whole = result_of()
    mine, theirs = bare.scores(), whole.scores(view="partial")
    assert [each.value for each in mine.scores[:-2]] == [each.value for each in theirs.scores[:-2]]
    assert [(each.value, each.reason) for each in mine.scores[-2:]] == [(None, "no site")] * 2
    assert bare.significance().tests == whole.significance(view="partial").tests


def test_a_view_without_sites_says_that_there_is_nothing_to_differ_in() -> None:
    bare = result_of(without_sites(verdicts_of()))
    for finding in findings(bare, ("word", "length")).values():
        _has_every_form(finding)
    assert bare.difference().diff is None
    assert bare.combination().overall.oracle is None
    for finding in (bare.difference(), bare.combination(), bare.pairs()):
        assert NO_SITES in str(finding)
    with pytest.raises(UsageError, match="has no sites"):
        bare.where("true")


def test_items_in_a_document_without_sites_count() -> None:
    verdicts = verdicts_of()
    view = verdicts.view("strict")
    kept = np.flatnonzero(view.all_sites.document != NAMES.index("b"))  # the surplus tokens of fine#1 stand in b
    some = replace(verdicts, views={"strict": replace(view, given_sites=view.all_sites.take(kept))})
    scores = {(each.system, each.measure): each.by_run for each in Result(some, 0).scores().scores}
    assert scores["fine", "precision"] == (17 / 21, 16 / 19)
    assert scores["fine", "accuracy"] == (14 / 16, 12 / 16)


def test_one_system_alone_has_scores_slices_and_examples() -> None:
    alone = result_of(verdicts_of({"fine": TWO_BY_TWO["fine"]}))
    for finding in findings(alone, ("word", "genre")).values():
        _has_every_form(finding)
    assert alone.anatomy().pairs is None
    with pytest.raises(UsageError, match="requires two systems"):
        alone.difference()


def test_what_is_left_out_is_counted_with_its_reason() -> None:
    result = result_of(verdicts_of(policy=Policy(ignore=("P", "D"))))
    anatomy = result.anatomy(view="strict")
    assert anatomy.left_out == {"D ignored": 2, "P ignored": 3}
    assert (anatomy.sites, result.scores(view="strict").scores[0].by_run) == (15, (11 / 15, 11 / 15))
    assert "left out, P ignored: 3" in str(anatomy)


def test_undefined_in_one_run_is_undefined_or_forced_run_by_run() -> None:
    silent = ("nothing/X",) * len(NAMES)
    verdicts = verdicts_of({"half": (TWO_BY_TWO["fine"][0], silent), "rough": TWO_BY_TWO["rough"]}, [3])
    view = replace(verdicts.view("strict"), given_items=None)
    result = Result(replace(verdicts, views={"strict": view}), 0)
    assert result.scores("precision").scores[0].by_run == (1.0, None)
    assert (result.scores("precision").scores[0].value, result.scores("precision").scores[0].reason) == (
        None,
        "nothing claimed",
    )
    forced = replace(result, zero_division=0.0)
    assert forced.scores("precision").scores[0].value == 0.5
    (test,) = forced.significance("precision").tests
    assert test.difference == pytest.approx(0.75 - 0.5)


@pytest.mark.parametrize("resamples", mostly_slow([0, 1, 2], {0}))
def test_few_resamples_are_enough_for_every_form(resamples: int) -> None:
    for finding in findings(result_of(resamples=resamples), ("genre",)).values():
        _has_every_form(finding)
