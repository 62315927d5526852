"""What strategies of feedback gain, summed up: horizons, areas, gains, bands, and what is no finding."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from comparanda.errors import UsageError
from comparanda.feedback.field import Field, check_label, field_in, labels_condition, refuse_nothing
from comparanda.feedback.findings import (
    SMALL,
    WITHIN,
    Simulated,
    count_repetitions,
    curve_chart,
    curves_as_csv,
    curves_as_json,
    curves_as_json_lines,
    summarise_simulation,
)
from comparanda.feedback.protocol import Plan, User
from comparanda.feedback.simulation import COLUMNS, Curve, Trial, plans_of, simulate_plans
from comparanda.result import Result
from tests.feedback.documents import texts_and_blocks

NAN = float("nan")


def curve(strategy: str, f1: Sequence[float], seed: int = 13, **columns: Sequence[float]) -> Curve:
    """Make a curve by hand: all columns are those of F1 unless others are given."""
    size = len(f1)
    counts = {"question": range(size), "cost": range(size), "changed": [0] * size, "contradictions": [0] * size}
    every = {**dict.fromkeys(COLUMNS, f1), **counts, "e100": [0.8] * size, **columns}
    arrays = {name: np.array(every[name], np.float64) for name in COLUMNS}
    answers = np.array([-1, *[1] * (size - 1)], np.int8)
    return Curve(Plan(strategy=strategy, budget=10, seed=seed), arrays, np.arange(size) - 1, answers)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return texts_and_blocks(tmp_path_factory.mktemp("beliefs"))


def field_where(result: Result, where: str = "true") -> Field:
    return field_in(result.verdicts, result.verdicts.view(), 0, where)


@pytest.fixture(scope="module")
def field(result: Result) -> Field:
    return field_where(result)


def summed_up(field: Field, *trials: Trial, **options: Any) -> Simulated:
    return summarise_simulation(field, trials, "crf", **options)


def test_strategies_are_compared_on_the_longest_of_their_ways(field: Field) -> None:
    quick, slow = curve("entropy", [0.5, 0.9]), curve("document", [0.5, 0.6, 0.7, 0.8, 0.9])
    found = summed_up(field, Trial("entropy", (quick,)), Trial("document", (slow,)))
    assert (found.horizon, found.budget, found.start.f1) == (4, 10, 0.5)
    first, second = found.strategies
    assert (first.questions, second.questions) == (1, 4)
    assert first.area.f1 == pytest.approx((0.7 + 0.9 + 0.9 + 0.9) / 4)
    assert second.area.f1 == pytest.approx(0.7)
    assert found.least_difference == 0.125
    (pair,) = found.pairs
    assert (pair.first, pair.second) == ("entropy", "document")
    assert pair.difference == pytest.approx(-0.15)
    assert pair.reading is None


def test_another_horizon_can_be_named(field: Field) -> None:
    trial = Trial("document", (curve("document", [0.5, 0.6, 0.7, 0.8]),))
    near, far = summed_up(field, trial, horizon=1), summed_up(field, trial, horizon=6)
    assert (near.horizon, near.strategies[0].end.f1, near.strategies[0].questions) == (1, 0.6, 3)
    assert near.strategies[0].area.f1 == pytest.approx(0.55)
    assert far.strategies[0].area.f1 == pytest.approx((0.55 + 0.65 + 0.75 + 3 * 0.8) / 6)
    assert far.least_difference == pytest.approx(1 / 12)


def test_a_difference_below_half_a_question_is_no_finding(field: Field) -> None:
    one, other = curve("entropy", [0.5, 0.6, 0.9]), curve("margin", [0.5, 0.9, 0.9])
    found = summed_up(field, Trial("entropy", (one,)), Trial("margin", (other,)))
    assert found.least_difference == 0.25
    assert found.pairs[0].difference == pytest.approx(0.15)
    assert found.pairs[0].reading == SMALL
    (_, _, differences) = found.tables()
    assert differences.rows[0][3] == "no finding"
    assert "1/(2n) = 25.00" in differences.notes[0]


def test_the_gain_is_normalised_by_the_ceiling_and_counted_towards_the_best_end(field: Field) -> None:
    one, other = curve("entropy", [0.4, 0.5, 0.6, 0.8]), curve("low", [0.4, 0.4, 0.5, 0.6])
    found = summed_up(field, Trial("entropy", (one,)), Trial("low", (other,)))
    assert found.e100 == 0.8
    assert found.ceiling == pytest.approx(1.6 / 1.8)
    assert found.best_end == 0.8
    first, second = found.strategies
    area = (0.45 + 0.55 + 0.7) / 3
    assert first.normalised == pytest.approx((area - 0.4) / (1.6 / 1.8 - 0.4))
    assert (first.to_half, first.to_most) == (2, 3)
    assert (second.to_half, second.to_most) == (3, None)


def test_means_and_bands_are_over_seeds(field: Field) -> None:
    curves = tuple(curve("random", [0.5, 0.5 + number / 100, 0.8], seed=number) for number in range(21))
    alone = curve("entropy", [0.5, 0.8, 0.8])
    found = summed_up(field, Trial("random", curves), Trial("entropy", (alone,)))
    random, entropy = found.strategies
    assert random.seeds == 21
    assert random.area.f1 == pytest.approx((0.5 / 2 + 0.6 + 0.4) / 2)
    assert (random.area_low, random.area_high) == pytest.approx(((0.25 + 0.51 + 0.4) / 2, (0.25 + 0.69 + 0.4) / 2))
    assert (random.end_low, random.end_high) == (0.8, 0.8)
    assert (entropy.area_low, entropy.end_high) == (None, None)
    assert not any("rough" in warning for warning in found.warnings)
    assert any("rough" in warning for warning in summed_up(field, Trial("random", curves[:5])).warnings)


def test_what_lies_among_the_seeds_of_random_is_said(field: Field) -> None:
    ways = [[0.5, *[0.5 + number / 40] * 30] for number in range(20)]
    random = Trial("random", tuple(curve("random", way, seed=number) for number, way in enumerate(ways)))
    found = summed_up(field, random, Trial("high", (curve("high", [0.5, *[0.85] * 30]),)))
    assert (found.pairs[0].difference or 0) > (found.least_difference or 0)
    assert found.pairs[0].reading == WITHIN


def test_the_start_alone_has_an_area_and_the_thesis_none(field: Field) -> None:
    alone = Trial("entropy", (curve("entropy", [0.5]),))
    found = summed_up(field, alone)
    assert (found.horizon, found.strategies[0].area.f1, found.least_difference) == (0, 0.5, None)
    assert (found.strategies[0].to_half, found.best_end) == (None, 0.5)
    thesis = summed_up(field, alone, area_by="thesis")
    assert thesis.strategies[0].area.f1 is None
    assert any("exceed 1" in warning for warning in thesis.warnings)


def test_the_thesis_exceeds_one_and_the_normalised_gain_does_not(field: Field) -> None:
    trial = Trial("entropy", (curve("entropy", [1.0, 1.0], e100=[1.0, 1.0]),))
    (found,) = summed_up(field, trial, area_by="thesis").strategies
    assert found.area.f1 == 2.0
    assert found.normalised is None


def test_undefined_is_said(field: Field) -> None:
    nothing = curve("entropy", [NAN, NAN], e100=[NAN, NAN])
    found = summed_up(replace(field, entities=0), Trial("entropy", (nothing,)), Trial("high", (nothing,)))
    assert (found.start.f1, found.ceiling, found.best_end, found.strategies[0].area.f1) == (None, None, None, None)
    assert (found.pairs[0].difference, found.pairs[0].reading) == (None, None)
    assert "n/a" in str(found)
    late = curve("entropy", [0.5, 0.6], precision=[NAN, 0.5])
    (tried,) = summed_up(field, Trial("entropy", (late,))).strategies
    assert (tried.area.precision, tried.end.precision) == (0.25, 0.5)


def test_a_text_is_repeated_where_it_stands_at_two_places(field: Field) -> None:
    found = count_repetitions(field)
    assert (found.tuples, len(field)) == (6, 7)
    assert [(each.text, each.places, each.tuples) for each in found.largest] == [("Ann", 3, 4), ("Bo", 2, 2)]
    assert found.share == pytest.approx(6 / 7)
    assert found.largest_share == pytest.approx(6 / 7)


def test_labels_of_one_place_are_no_repetition(result: Result) -> None:
    found = count_repetitions(field_where(result, 'document == "d1" and text == "Ann"'))
    assert (found.tuples, found.share, found.largest) == (0, 0.0, ())
    nothing = count_repetitions(field_where(result, 'text == "saw"'))
    assert (nothing.share, nothing.largest_share) == (None, None)


def test_the_scope_is_of_tuples_and_of_the_key(result: Result) -> None:
    assert field_where(result).entities == 5
    people = field_where(result, labels_condition(["PER"]))
    assert (people.entities, int(people.scope.sum())) == (4, 4)
    places = field_where(result, labels_condition([], ["PER"]))
    assert (places.entities, int(places.scope.sum())) == (1, 3)
    short = field_where(result, 'text == "Bo" or document == "d2"')
    assert (short.entities, int(short.scope.sum())) == (3, 4)
    assert field_where(result, "length > 1").entities == 0
    with pytest.raises(UsageError, match="no key entities or output tuples match"):
        refuse_nothing(field_where(result, "length > 1"), "length > 1")
    with pytest.raises(UsageError, match=r"'PRE' does not occur \(did you mean 'PER'"):
        check_label(result.verdicts.view(), 0, "PRE")


def test_a_span_is_in_the_key_whatever_its_label(field: Field) -> None:
    text = field.candidates.text
    found = {text[row] for row in np.flatnonzero(field.entity_spans).tolist()}
    assert found == {"Ann", "Bo", "Ely"}
    assert not field.candidates.correct[[row for row in range(len(field)) if text[row] == "Ely"]].any()


def test_what_is_never_asked_about_is_said(field: Field) -> None:
    trial = Trial("entropy", (curve("entropy", [0.5, 0.6]),))
    assert any("1 wrong tuple has weight 1" in each for each in summed_up(field, trial).warnings)


def test_two_entities_in_one_block_are_said(field: Field) -> None:
    right = replace(field.candidates, correct=np.ones(len(field), np.bool_))
    trial = Trial("entropy", (curve("entropy", [0.5, 0.6]),))
    warnings = summed_up(replace(field, candidates=right), trial).warnings
    assert "1 block has several key entities, of which at most one can be found" in warnings


def test_without_probabilities_there_is_no_field(result: Result) -> None:
    with pytest.raises(UsageError, match="'decided' has no tuples with probabilities"):
        field_in(result.verdicts, replace(result.verdicts.view(), candidates=None), 0)


def test_seeds_are_for_chance_alone() -> None:
    plan = Plan(strategy="random", seed=5)
    found = plans_of(plan, ["entropy", "random", "entropy"], 3)
    assert [(each.strategy, each.seed) for each in found] == [
        ("entropy", 5),
        ("random", 5),
        ("random", 6),
        ("random", 7),
    ]
    noisy = plans_of(replace(plan, user=User(flip=0.1)), ["entropy", "random"], 2)
    assert [(each.strategy, each.seed) for each in noisy] == [
        ("entropy", 5), ("entropy", 6), ("random", 5), ("random", 6),
    ]  # fmt: skip


def test_curves_are_written_as_they_are() -> None:
    trials = [Trial("entropy", (curve("entropy", [0.1 + 0.2, 0.5], precision=[NAN, 1 / 3]),))]
    head, start, first = curves_as_csv(trials).splitlines()
    assert head == ",".join(("strategy", "seed", *COLUMNS, "answer"))
    assert start.startswith("entropy,13,0,0.0,,0.30000000000000004,0.30000000000000004,")
    assert first.endswith(",0,0,yes")
    rows = [json.loads(line) for line in curves_as_json_lines(trials).splitlines()]
    assert (rows[0]["precision"], rows[1]["precision"], rows[1]["question"]) == (None, 1 / 3, 1)
    whole = json.loads(curves_as_json(trials, "signed"))
    assert whole["signature"] == "signed"
    assert whole["curves"][0]["f1"] == [0.1 + 0.2, 0.5]
    assert [row["f1"] for row in rows] == whole["curves"][0]["f1"]


def test_the_chart_has_all_strategies_and_what_they_are_compared_with(field: Field) -> None:
    curves = tuple(curve("random", [0.5, 0.6], seed=number) for number in range(20))
    trials = (Trial("entropy", (curve("entropy", [0.5, 0.7]),)), Trial("random", curves))
    found = summed_up(field, *trials, regular=("plain", field))
    chart = curve_chart(found, trials)
    assert [line.name for line in chart.lines] == [
        "entropy", "random (20 seeds, 5–95 %)", "ceiling 88.89", "plain 40.00",
    ]  # fmt: skip
    assert "entropy 70.00, random 60.00" in chart.description
    recall = curve_chart(found, trials, "expected_recall")
    assert [line.name for line in recall.lines] == ["entropy", "random (20 seeds, 5–95 %)"]


def test_the_first_point_is_the_score_of_the_output_and_all_ends_are_the_ceiling(result: Result, field: Field) -> None:
    plans = plans_of(Plan(strategy="random", ask_certain=True), ["entropy", "high", "random"], 3)
    found = summed_up(field, *simulate_plans(field, plans))
    scores = {each.measure: each.value for each in result.scores().scores}
    for name in ("f1", "precision", "recall", "expected_precision", "expected_recall"):
        assert getattr(found.start, name) == pytest.approx(scores[name])
    assert found.e100 == pytest.approx(scores["e100"])
    assert [each.end.f1 for each in found.strategies] == pytest.approx([found.ceiling] * 3)
    assert found.best_end == pytest.approx(found.ceiling)


def test_tables_of_one_run_have_no_bands(field: Field) -> None:
    found = summed_up(field, Trial("entropy", (curve("entropy", [0.5, 0.6]),)))
    assert len(found.tables()) == 2
    assert found.main_table().dicts()[0] == {
        "strategy": "entropy", "seeds": 1, "questions": 1, "start": 0.5, "end": 0.6, "area": 0.55,
        "normalised": pytest.approx(0.05 / (1.6 / 1.8 - 0.5)), "to_half": 1, "to_most": 1,
    }  # fmt: skip
