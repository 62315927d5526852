"""The references bite: for each change of a formula there is a random case that shows it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from comparanda.feedback.protocol import Plan
from tests.feedback.test_random import check_run
from tests.findings.test_mutations import Mutation, mutated
from tests.tasks.prob.cases import compared, random_case
from tests.tasks.prob.test_random import (
    check_candidates,
    check_pairs,
    check_probabilities,
    check_scores,
    drawn,
)

pytestmark = pytest.mark.slow
SEEDS = range(6)


def outputs(folder: Path, seed: int, form: str = "blocks") -> None:
    case, _, min_weight = drawn(seed, 8, (form,))
    result = compared(folder, case, "tuple", min_weight)
    check_candidates(result, case, "tuple", min_weight)
    check_scores(result, case, "tuple", min_weight)
    check_probabilities(result, case, "tuple", min_weight)


def chains(folder: Path, seed: int) -> None:
    outputs(folder, seed, "entities")


def worlds(folder: Path, seed: int) -> None:
    outputs(folder, seed, "nbest")


def pairs(folder: Path, seed: int) -> None:
    case, _, _ = drawn(seed, 4, ("blocks",))
    if len(case.outputs) > 1:
        check_pairs(compared(folder, case), case, "tuple", 0.0)


def questions(*plans: Plan) -> Callable[[Path, int], None]:
    """Audit runs of questions by some plans."""

    def check(folder: Path, seed: int) -> None:
        case = random_case(Random(seed), 4, ("blocks",))
        for run, output in zip(compared(folder, case).verdicts.view().candidates or (), case.outputs, strict=True):
            for plan in plans:
                check_run(case, output, run, plan)

    return check


class Change(NamedTuple):
    """A change of a formula, and what must notice it."""

    module: str
    old: str
    new: str
    check: Callable[[Path, int], None]


LABELS = questions(Plan(strategy="entropy"), Plan(strategy="fgain"), Plan(strategy="oracle"), Plan(strategy="margin"))
OTHERS = questions(Plan(strategy="document", kind="span"), Plan(strategy="high", kind="group"))
SPREAD = questions(Plan(strategy="document", handler="statistical"))
BAYES = questions(Plan(strategy="document", believed_error=0.13))

CHANGES = (
    Change("tasks.prob.evaluation", "rivals[best] >= beliefs.nothing[filled] - EPSILON", "rivals[best] >= 0", outputs),
    Change("tasks.prob.evaluation", "chosen & (beliefs.weight >= min_weight - EPSILON)", "chosen", outputs),
    Change("tasks.prob.calibration", "- 1, 0, bins - 1)", "- 0, 0, bins - 1)", outputs),
    Change("tasks.prob.calibration", "return self.correct / key", "return self.correct / (key + 1)", outputs),
    Change("tasks.prob.calibration", "2 * self.correct / (self.kept + key)", "self.correct / key", outputs),
    Change("tasks.prob.expectation", "(mean**2 * self._counts.nothing if below == 0 else 0.0)", "0.0", outputs),
    Change("tasks.prob.expectation", "np.where(correct[alone], weight, 0.0)", "weight", outputs),
    Change("tasks.prob.expectation", "counted[member] & correct[member]", "counted[member]", worlds),
    Change("tasks.prob.evaluation", "(run.correct & (weight > 0))", "(run.correct)", outputs),
    Change(
        "core.blocks", "np.bincount(self.next_place, weight, size)", "np.bincount(self.at + 1, weight, size)", chains
    ),
    Change("tasks.prob.tuples", "one * (1 - two), (1 - one) * two", "one, (1 - one) * two", pairs),
    Change("feedback.state", "state.nothing[blocks] *= factor", "pass", LABELS),
    Change("feedback.state", "state.unnamed[spans] *= factor[span_place]", "pass", OTHERS),
    Change("feedback.state", "np.where(yes, error, 1 - error)", "np.where(yes, error, 1.0)", BAYES),
    Change("feedback.state", "factor = ((yes + 1) / (no + 1))", "factor = ((yes + 1) / (no + 2))", SPREAD),
    Change("feedback.strategies", "-np.abs(state.weight[first] - 0.5)", "-np.abs(state.weight[first] - 0.4)", LABELS),
    Change("feedback.tally", "return change[2], change[0]", "return change[2], 0 * change[0]", LABELS),
    Change("feedback.tally", "return change[1], change[0]", "return change[2], change[0]", LABELS),
    Change("feedback.tally", "parts[CLAIMED] = weight * found", "parts[CLAIMED] = found", LABELS),
    Change("feedback.users", "return share >= purity - EPSILON,", "return share > purity + EPSILON,", OTHERS),
)


@pytest.mark.parametrize("change", CHANGES, ids=[f"{each.module}-{each.new}" for each in CHANGES])
def test_a_changed_formula_is_noticed(change: Change, tmp_path: Path) -> None:
    with mutated(Mutation(change.module, change.old, change.new, ())):
        for seed in SEEDS:
            try:
                change.check(tmp_path, seed)
            except AssertionError:
                return
    pytest.fail("nothing notices")


@pytest.mark.parametrize("check", {each.check: None for each in CHANGES}.keys())
def test_without_a_change_all_agree(check: Callable[[Path, int], None], tmp_path: Path) -> None:
    for seed in SEEDS:
        check(tmp_path, seed)
