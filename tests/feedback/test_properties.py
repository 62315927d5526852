"""What truthful answers cannot do, under the conditions of DEFINITIONS 9, and what happens without each of them."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import comparanda as cp
from comparanda.feedback.field import Field, field_of
from comparanda.feedback.protocol import STRATEGIES, Answer, Plan, Question, User
from comparanda.feedback.simulation import Curve, Simulation, simulate
from tests.tasks.prob.cases import Case, Output, compared, random_case
from tests.tasks.prob.reference import weight
from tests.tasks.prob.worked import written

NEVER_FALL = ("f1", "expected_precision", "expected_recall")
randoms = st.randoms(use_true_random=False)


def fair(case: Case, output: Output) -> bool:
    """At most one key tuple a block, and no wrong one that is certain, nor ever will be.

    A wrong tuple becomes certain when all else in its block is denied and nothing at all was held for impossible.
    """
    for block in output.blocks:
        right = {claim for world in block for claim in world if claim in case.key}
        room = sum(p for world, p in block.items() if not any(claim.named for claim in world))
        possible = any(weight(block, claim) > 0 for claim in right)
        if len(right) > 1 or (not possible and not room):
            return False
    return True


def final_f1(e100: float) -> float:
    return 2 * e100 / (1 + e100)


def check_never_harms(curve: Curve, entities: int) -> None:
    for name in NEVER_FALL:
        values = np.nan_to_num(curve.columns[name])  # undefined as long as nothing is claimed
        assert (np.diff(values) >= -1e-9).all(), (name, curve.plan)
    if entities:
        reached = curve.columns["e100"]
        assert (reached == reached[0]).all()
        assert np.nan_to_num(curve.columns["f1"])[-1] == pytest.approx(final_f1(reached[0]), abs=1e-9), curve.plan


@pytest.mark.slow
@given(random=randoms)
@settings(max_examples=5, deadline=None)
def test_truthful_label_questions_never_harm_and_all_end_alike(random: Random) -> None:
    case = random_case(random, 8, ("blocks",))
    with TemporaryDirectory() as folder:
        runs = compared(Path(folder), case).verdicts.view().candidates or ()
    for run, output in zip(runs, case.outputs, strict=True):
        if fair(case, output):
            field = field_of(run, len(case.key))
            for strategy in STRATEGIES:
                check_never_harms(simulate(field, Plan(strategy=strategy)), len(case.key))


# Without one of the conditions each of these promises is broken


def label(p: float, correct: bool = False) -> dict[str, Any]:
    return {"p": p, "correct": correct}


def span(p: float, *labels: dict[str, Any]) -> dict[str, Any]:
    return {"p": p, "labels": list(labels)}


RIGHT = [span(1.0, label(1.0, True))]
"""A block that is certain and right."""


def field_from(folder: Path, blocks: list[list[dict[str, Any]]], key: int = 0) -> Field:
    gold, output = written(folder, blocks, key)
    result = cp.compare(gold, {"out": output}, task="prob", resamples=0)
    (run,) = result.verdicts.view().candidates or ()
    entities = max(key, sum(each["correct"] for block in blocks for one in block for each in one["labels"]))
    return field_of(run, entities)


def told(field: Field, plan: Plan, *answers: tuple[int, Answer]) -> Curve:
    """The curve after some answers to questions about tuples, by their rows."""
    simulation = Simulation(field, plan)
    for row, answer in answers:
        simulation.take(Question(plan.kind, row), answer)
    return simulation.curve()


def test_a_truthful_span_answer_may_lower_precision(tmp_path: Path) -> None:
    blocks = [RIGHT, [span(0.4, label(0.6), label(0.4, True))]]
    curve = simulate(field_from(tmp_path, blocks), Plan(strategy="document", kind="span"))
    assert curve.columns["precision"].tolist() == [1.0, 0.5]
    assert curve.columns["f1"][1] < curve.columns["f1"][0]


def test_a_truthful_answer_may_lower_f1_of_hierarchical_decisions(tmp_path: Path) -> None:
    blocks = [[span(0.5, label(0.6, True), label(0.4)), span(0.45, label(1.0))]]
    field = field_from(tmp_path, blocks)
    hard = told(field, Plan(strategy="document", decide="hierarchical"), (1, "no"))
    assert hard.columns["f1"].tolist() == [1.0, 0.0]
    assert told(field, Plan(strategy="document"), (1, "no")).columns["f1"].tolist() == [0.0, 0.0]


def test_a_noisy_user_may_lower_everything(tmp_path: Path) -> None:
    field = field_from(tmp_path, [[span(0.9, label(1.0, True))]])
    curve = simulate(field, Plan(strategy="document", user=User(flip=1.0)))
    for name in ("f1", "expected_recall", "e100"):
        assert curve.columns[name][1] == 0 < curve.columns[name][0]


def test_two_key_tuples_in_a_block_cannot_both_be_reached(tmp_path: Path) -> None:
    curve = simulate(field_from(tmp_path, [[span(1.0, label(0.5, True), label(0.5, True))]]), Plan(strategy="document"))
    assert curve.columns["e100"].tolist() == [1.0, 0.5]
    assert curve.columns["f1"][-1] < final_f1(curve.columns["e100"][0])


@pytest.mark.parametrize("blocks", [[RIGHT, [span(1.0, label(1.0))]], [RIGHT, [span(1.0, label(0.5), label(0.5))]]])
def test_what_is_certain_and_wrong_or_becomes_so_is_not_asked(blocks: Any, tmp_path: Path) -> None:
    """The second block leaves no room for nothing: when one label is denied, the other is certain."""
    field = field_from(tmp_path, blocks)
    for strategy in STRATEGIES:
        assert simulate(field, Plan(strategy=strategy)).columns["f1"][-1] == pytest.approx(2 / 3)
        asked = simulate(field, Plan(strategy=strategy, ask_certain=True))
        assert asked.columns["f1"][-1] == 1.0
        assert asked.columns["contradictions"][-1] == 1


def test_a_least_weight_may_let_a_wrong_tuple_in(tmp_path: Path) -> None:
    field = field_from(tmp_path, [RIGHT, [span(0.9, label(0.5), label(0.4))]])
    curve = told(field, Plan(strategy="document", min_weight=0.6), (1, "no"))
    assert curve.columns["f1"].tolist() == [1.0, pytest.approx(2 / 3)]


def test_evidence_from_the_same_text_may_mislead(tmp_path: Path) -> None:
    blocks = [[span(0.6, label(1.0, True))], [span(0.4, label(1.0))]]
    field = field_from(tmp_path, blocks)
    curve = told(field, Plan(strategy="document", handler="statistical"), (0, "yes"))
    assert curve.columns["f1"].tolist() == [1.0, pytest.approx(2 / 3)]
    assert curve.columns["expected_precision"][1] < 1.0


@pytest.mark.parametrize(("right", "e100"), [(3, 1.0), (1, 0.0)])
def test_a_hasty_answer_about_a_text_may_claim_wrong_tuples_and_lose_right_ones(
    right: int, e100: float, tmp_path: Path
) -> None:
    blocks = [[span(0.6 if number < right else 0.4, label(1.0, number < right))] for number in range(4)]
    field = field_from(tmp_path, blocks)
    careful = simulate(field, Plan(strategy="document", kind="group"))
    assert careful.answers.tolist() == [-1, 2]
    assert careful.columns["f1"].tolist() == [1.0, 1.0]
    hasty = simulate(field, Plan(strategy="document", kind="group", purity=0.75))
    assert hasty.columns["f1"][1] < hasty.columns["f1"][0]
    assert hasty.columns["e100"][1] == e100


def test_who_does_not_know_costs_and_changes_nothing(tmp_path: Path) -> None:
    blocks = [[span(0.9, label(0.5, True), label(0.4))], [span(0.4, label(1.0))]]
    curve = simulate(field_from(tmp_path, blocks), Plan(strategy="entropy", user=User(unsure=1.0)))
    assert len(curve) == 3  # each once
    assert curve.columns["cost"].tolist() == [0, 1, 2, 3]
    for name in ("f1", "expected_precision", "expected_recall", "e100", "entropy"):
        assert np.ptp(curve.columns[name]) == 0


@pytest.mark.parametrize(("right", "answer"), [(9, 1), (1, 0), (5, 2)])
def test_purity_holds_on_both_sides(right: int, answer: int, tmp_path: Path) -> None:
    """A tenth is at most 1 − 0.9, whatever floats make of it."""
    blocks = [[span(0.5, label(1.0, number < right))] for number in range(10)]
    curve = simulate(field_from(tmp_path, blocks), Plan(strategy="document", kind="group", purity=0.9))
    assert curve.answers.tolist() == [-1, answer]


def test_worked_answers(tmp_path: Path) -> None:
    """W9 and W13: conditioning in either order, and a user who may be wrong."""
    blocks = [[span(0.3, label(1.0)), span(0.6, label(0.9, True), label(0.1))]]
    for order in ((2, 0), (0, 2)):
        simulation = Simulation(field_from(tmp_path, blocks), Plan(strategy="document"))
        for row in order:
            simulation.take(Question("label", row), "no")
        assert simulation.beliefs().weight.tolist() == pytest.approx([0.0, 0.84375, 0.0])
        assert simulation.beliefs().nothing.tolist() == pytest.approx([0.15625])
    answers: list[tuple[Answer, float]] = [("yes", 0.9545454545), ("no", 0.2058823529)]
    for said, after in answers:
        simulation = Simulation(
            field_from(tmp_path, [[span(0.7, label(1.0))]]), Plan(strategy="document", believed_error=0.1)
        )
        simulation.take(Question("label", 0), said)
        assert simulation.beliefs().weight.tolist() == pytest.approx([after])
