"""Simulated feedback: runs of questions and answers, learning curves, and trials of strategies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from comparanda.errors import UsageError
from comparanda.feedback.field import units_of
from comparanda.feedback.protocol import COSTS, FIXED, Question
from comparanda.feedback.state import (
    Basic,
    Statistical,
    compute_posterior,
    condition_on_labels,
    is_uncertain,
    split_rounds,
    sum_parts,
)
from comparanda.feedback.strategies import Strategy, fixed_order
from comparanda.feedback.tally import RESUM, StrategyData, Tally, choose_best_worlds, parts_of, scores_of
from comparanda.feedback.users import SimulatedUser

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from comparanda.core.probabilities import Beliefs
    from comparanda.core.probabilities import Floats as ModelFloats
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.feedback.field import Field
    from comparanda.feedback.journal import Journal
    from comparanda.feedback.protocol import Answer, Kind, Plan

    Floats = NDArray[np.float64]
    OnQuestion = Callable[[Plan, int], None]


# Learning curves: the quality of the output after every question.


COLUMNS = (
    "question",
    "cost",
    "precision",
    "recall",
    "f1",
    "expected_precision",
    "expected_recall",
    "e100",
    "claimed_f1",
    "entropy",
    "changed",
    "contradictions",
)
"""The columns of a curve.

`cost`, `changed` (tuples that entered or left the hard output) and `contradictions` (answers that were impossible under
the probabilities) are cumulative; `entropy` is in bits, summed over tuples.
"""

YES, NO, MIXED, UNSURE = 1, 0, 2, 3
"""Codes of answers: yes, always or one chosen; no, never or none; neither always nor never; unsure."""


@dataclass(frozen=True, eq=False)
class Curve:
    """The values at the start and after each of n questions.

    Args:
        plan: the plan of the run.
        columns: an array for each of `COLUMNS`; NaN where a value is undefined, such as P without any prediction.
        asked: the tuple asked about, or the first of the span, block or text; -1 at the start.
        answers: the answers as `YES`, `NO`, `MIXED` and `UNSURE`; -1 at the start.

    """

    plan: Plan
    columns: Mapping[str, NDArray[np.float64]]
    asked: Rows
    answers: NDArray[np.int8]

    def __len__(self) -> int:
        """Return the number of questions asked."""
        return len(self.asked) - 1


def curve_of(
    plan: Plan, entities: int | None, sums: ModelFloats, counts: ModelFloats, *, asked: Rows, answers: NDArray[np.int8]
) -> Curve:
    """Build a curve from the sums after every question.

    Args:
        plan: the plan of the run.
        entities: the number of key entities; None without a key.
        sums: the sums that give the scores, a column for the start and for each question.
        counts: the cumulative cost, number of changed tuples, and number of contradictions.
        asked: the tuple of each question.
        answers: the codes of the answers.

    """
    question = np.arange(len(asked), dtype=np.float64)
    values = [question, counts[0], *scores_of(sums, entities), *counts[1:]]
    return Curve(plan, dict(zip(COLUMNS, values, strict=True)), asked, answers)


# The area under a learning curve, and the number of questions needed to reach a score.
#
# The thesis divides the sum of n + 1 values by n, so that a perfect run exceeds 1; by default the area is computed by
# the trapezoidal rule and lies between 0 and 1 (DEFINITIONS 9). Curves are compared on a common horizon: a strategy
# that ends early keeps its last value.


Area = Literal["trapezoid", "thesis"]
AREAS: tuple[Area, ...] = get_args(Area)

SAME = 1e-12
"""Values that differ by less are treated as equal."""


def carry_to_horizon(values: Floats, horizon: int) -> Floats:
    """Extend or cut a curve to a horizon; after its end it keeps its last value.

    >>> carry_to_horizon(np.array([0.5, 0.75]), 3).tolist()
    [0.5, 0.75, 0.75, 0.75]
    """
    return np.concatenate([values, np.full(max(horizon + 1 - len(values), 0), values[-1])])[: horizon + 1]


def compute_area(values: Floats, how: Area = "trapezoid") -> float | None:
    """Compute the area under a curve, as a share of the area under a constant 1.

    Undefined values count as 0; where all are undefined, so is the area. Without questions, it is the value at the
    start, and undefined by the thesis's formula, which would divide by zero.

    >>> curve = np.array([0.5, 0.6, 0.8, 0.9, 0.9])
    >>> round(compute_area(curve), 6), round(compute_area(curve, "thesis"), 6)
    (0.75, 0.925)
    >>> compute_area(np.ones(5), "thesis"), compute_area(np.ones(1)), compute_area(np.ones(1), "thesis")
    (1.25, 1.0, None)
    """
    if np.isnan(values).all():
        return None
    known, questions = np.nan_to_num(values), len(values) - 1
    if how == "thesis":
        return float(known.sum() / questions) if questions else None
    return float((known[:-1] + known[1:]).sum() / (2 * questions)) if questions else float(known[0])


def normalise_area(found: float | None, start: float | None, ceiling: float | None) -> float | None:
    """Scale an area to the possible gain: 0 for a curve that stays at the start, 1 for one at the ceiling."""
    if found is None or start is None or ceiling is None or ceiling - start <= SAME:
        return None
    return (found - start) / (ceiling - start)


def questions_until(values: Floats, target: float) -> int | None:
    """Return the number of questions after which a curve first reaches a value; None if it never does.

    >>> questions_until(np.array([0.5, 0.6, 0.8]), 0.55), questions_until(np.array([0.5, 0.6]), 0.7)
    (1, None)
    """
    reached = np.flatnonzero(values >= target - SAME)
    return int(reached[0]) if len(reached) else None


def least_difference(questions: int) -> float | None:
    """Return the difference of areas below which the two formulas may rank them differently: 1 / (2n)."""
    return 1 / (2 * questions) if questions else None


# Vectorised runs with an order that answers do not change.
#
# Blocks are independent, so the first question about each block is simulated for all blocks at once, then the second,
# and so on. The changes are then sorted by question and accumulated. Only blocks that are asked about within the budget
# are simulated.


def is_fixed(plan: Plan) -> bool:
    """Whether a run can be vectorised: its questions and answers depend on the block alone."""
    return (
        plan.strategy in FIXED
        and plan.kind == "label"
        and plan.handler == "basic"
        and plan.user.truthful
        and not plan.believed_error
        and not plan.ask_certain
    )


def fixed_curve(field: Field, plan: Plan) -> Curve:
    """Compute the curve of a run for which `is_fixed` holds."""
    units = units_of(field, "label")
    order = units.first[fixed_order(field, plan, units)]
    budget = len(order) if plan.budget is None else min(plan.budget, len(order))
    reach = min(len(order), budget + budget // 4 + 64)  # some tuples become certain before they are reached
    turn, steps = _simulate_blocks(field, plan, order[:reach])
    while len(turn) < budget and reach < len(order):
        reach = min(len(order), 2 * reach)
        turn, steps = _simulate_blocks(field, plan, order[:reach])
    first = np.argsort(turn)[:budget]
    start = np.concatenate([field.sums(plan.decide, plan.min_weight), [0.0]])
    sums = np.cumsum(np.concatenate([start[:, None], steps[:, first]], axis=1), axis=1)
    asked = order[turn[first]]
    paid = plan.cost * np.arange(len(first) + 1)
    counts = np.stack([paid, sums[-1], np.zeros(len(paid))])  # only uncertain tuples are asked about: no contradictions
    answers = np.concatenate([[-1], field.candidates.correct[asked]]).astype(np.int8)
    return curve_of(
        plan,
        entities=field.entities,
        sums=sums[:-1],
        counts=counts,
        asked=np.concatenate([[-1], asked]),
        answers=answers,
    )


def _simulate_blocks(field: Field, plan: Plan, order: Rows) -> tuple[Rows, ModelFloats]:
    """Ask about tuples in an order; return the positions at which there was something to ask, and the changes.

    The changes have a column for each position: those of the sums that give the scores, and in the last row the number
    of tuples that entered or left the hard output.
    """
    block = field.start.blocks.block[order]
    own, place = np.unique(block, return_inverse=True)
    state, old = field.start.repeated(own)
    rows = order + (state.blocks.rows.offsets[:-1] - field.start.blocks.rows.offsets[own])[place]
    correct = field.candidates.correct[old]
    scope = field.scope[old]
    every = np.arange(len(own))
    decided = np.zeros(len(old), np.bool_)
    turns, changes = [np.zeros(0, np.int64)], [np.zeros((8, 0))]

    def parts(blocks: Rows) -> ModelFloats:
        mine, at = state.blocks.rows.of(blocks)
        before = decided[mine]
        decided[mine] = False
        decided[choose_best_worlds(state, blocks, plan.decide, plan.min_weight)] = True
        found = parts_of(state.weight[mine], decided[mine], scope[mine], correct[mine] & scope[mine])
        moved = (before != decided[mine]) & scope[mine]
        return np.stack([sum_parts(at, each, len(blocks)) for each in (*found, moved)])

    sums = parts(every) if len(every) else np.zeros((8, 0))
    for some in split_rounds(place):
        asked = some[is_uncertain(state.weight[rows[some]])]
        if not len(asked):
            continue
        asked_rows, blocks = rows[asked], place[asked]
        condition_on_labels(state, asked_rows, compute_posterior(state.weight[asked_rows], yes=correct[asked_rows]))
        new = parts(blocks)
        turns.append(asked)
        changes.append(np.concatenate([new[:-1] - sums[:-1, blocks], new[-1:]]))
        sums[:, blocks] = new
    return np.concatenate(turns), np.concatenate(changes, axis=1)


CODES = {"yes": YES, "no": NO, "mixed": MIXED, "unsure": UNSURE}
ANSWERS: dict[Kind, tuple[str, ...]] = {
    "label": ("yes", "no", "unsure"),
    "span": ("yes", "no", "unsure"),
    "choice": ("unsure",),
    "group": ("yes", "no", "mixed", "unsure"),
}
"""The valid answers to each kind of question; to a choice, also a row or -1."""


class Simulation:
    """One run, question by question.

    Each question is asked once, whatever the answer. Ties are broken by the position of a question's first tuple.

    Args:
        field: the tuples.
        plan: what is asked, and how.

    """

    def __init__(self, field: Field, plan: Plan) -> None:
        self._initialise(field, plan)
        self._decide_and_score()

    def _initialise(self, field: Field, plan: Plan) -> None:
        """Set up the state before the first question."""
        if plan.strategy == "oracle" and field.entities is None:
            raise UsageError("the strategy 'oracle' requires a key")
        self.field = field
        self.plan = plan
        self._state = field.start.copy()
        spread = plan.handler == "statistical"
        self._handler = Statistical(plan, self._state, field) if spread else Basic(plan, self._state)
        self._units = units_of(field, plan.kind)
        self._user = SimulatedUser(field, plan)
        self._asked = np.zeros(len(self._units), np.bool_)
        self._settled = np.zeros(len(self._state.blocks), np.bool_)
        self._rows: list[int] = [-1]
        self._answers: list[int] = [-1]
        self._counts: list[tuple[float, int, int]] = [(0.0, 0, 0)]  # cost, changes, contradictions

    def _decide_and_score(self) -> None:
        """Decide the hard output and score all units under the current probabilities."""
        self._tally = Tally(self.field, self.plan.decide, self.plan.min_weight, self._state)
        self._sums = [self._tally.sums.copy()]
        context = StrategyData(
            field=self.field, plan=self.plan, units=self._units, state=self._state, tally=self._tally
        )
        self._strategy = Strategy(context, self._asked, self._settled)

    def __len__(self) -> int:
        """Return the number of questions asked."""
        return len(self._answers) - 1

    @property
    def contradictions(self) -> int:
        """The number of answers that were impossible under the probabilities."""
        return self._counts[-1][2]

    def step(self) -> bool:
        """Ask the next question and apply the user's answer; return whether there was a question to ask."""
        question = self.next_question()
        if question is None:
            return False
        rows = self._question_rows(question)
        self._record_answer(question, rows, self._user.answer(len(self), rows, self._state.weight[rows]))
        return True

    def next_question(self) -> Question | None:
        """Select the next question; None when nothing is left to ask or the budget is used up."""
        if self.plan.budget is not None and len(self) >= self.plan.budget:
            return None
        best = self._strategy.best()
        return None if best < 0 else Question(self.plan.kind, int(self._units.first[best]))

    def ranking(self, count: int, *, per_block: int = 1) -> list[Question]:
        """Rank the currently best questions, with a limit per block, ignoring the budget."""
        scores = self._strategy.scores()
        found: list[Question] = []
        taken: dict[int, int] = {}
        order = np.argsort(-scores, kind="stable")
        for row in self._units.first[order[: int((scores > -np.inf).sum())]].tolist():
            if len(found) >= count:
                break
            block = int(self._state.blocks.block[row])
            taken[block] = taken.get(block, 0) + 1
            if taken[block] <= per_block:
                found.append(Question(self.plan.kind, row))
        return found

    def take(self, question: Question, answer: Answer) -> None:
        """Apply an external answer to a question of any kind, as if that question had been next."""
        rows = self._question_rows(question)
        if isinstance(answer, str):
            fits = answer in ANSWERS[question.kind]
        else:
            fits = question.kind == "choice" and (answer == -1 or bool((rows == answer).any()))
        if not fits:
            known = (*ANSWERS[question.kind], *(("a row of its block", "-1") if question.kind == "choice" else ()))
            raise UsageError(
                f"{answer!r} is not a valid answer to a {question.kind} question",
                hint=f"use one of: {', '.join(known)}",
            )
        self._record_answer(question, rows, answer)

    def _question_rows(self, question: Question) -> Rows:
        """Return the tuples that a question is about."""
        row, blocks = question.tuple_row, self._state.blocks
        if question.kind == "label":
            return np.array([row])
        if question.kind == "group":
            units = self._units if self.plan.kind == "group" else units_of(self.field, "group")
            unit = units.unit[row : row + 1]
            return np.array([row]) if unit[0] < 0 else units.rows(unit)[0]
        rows = blocks.rows.of(blocks.block[row : row + 1])[0]
        return rows if question.kind == "choice" else rows[blocks.span[rows] == blocks.span[row]]

    def _record_answer(self, question: Question, rows: Rows, answer: Answer) -> None:
        """Condition on an answer, and record the resulting sums and counts."""
        own = np.unique(self._state.blocks.block[rows])
        blocks, odd = self._handler.apply(question.kind, rows, answer)
        unit = int(self._units.unit[question.tuple_row])
        if unit >= 0 and question.kind == self.plan.kind:
            self._asked[unit] = True
        if not self.plan.believed_error and (answer == "yes" or isinstance(answer, int)) and question.kind != "span":
            self._settled[own[self._state.blocks.exclusive[own]]] = True
        changed = self._tally.update(self._state, blocks) if len(blocks) else 0
        if (len(self) + 1) % RESUM == 0:
            self._tally.resum()
        self._strategy.update(blocks if len(blocks) else own)
        self._rows.append(question.tuple_row)
        self._answers.append(CODES[answer] if isinstance(answer, str) else YES if answer >= 0 else NO)
        cost, changes, contradictions = self._counts[-1]
        self._counts.append((cost + COSTS[question.kind], changes + changed, contradictions + odd))
        self._sums.append(self._tally.sums.copy())

    def beliefs(self) -> Beliefs:
        """Return the current probabilities."""
        return self._state.beliefs(self.field.candidates.beliefs)

    def decided(self) -> Truths:
        """Return which tuples are in the current hard output, inside and outside the scope."""
        return self._tally.decided.copy()

    def curve(self) -> Curve:
        """Return the curve of all questions so far."""
        counts = np.array(self._counts, np.float64).T
        sums = np.stack(self._sums, axis=1)
        rows, answers = np.array(self._rows, np.int64), np.array(self._answers, np.int8)
        return curve_of(self.plan, entities=self.field.entities, sums=sums, counts=counts, asked=rows, answers=answers)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Return the arrays needed to resume the run."""
        written = {
            "asked": self._asked.copy(),
            "settled": self._settled.copy(),
            "rows": np.array(self._rows, np.int64),
            "answers": np.array(self._answers, np.int8),
            "counts": np.array(self._counts, np.float64),
            "sums": np.stack(self._sums),
        }
        return written | {name: values.copy() for name, values in self._handler.snapshot().items()}

    @classmethod
    def restored(cls, field: Field, plan: Plan, snapshot: Mapping[str, NDArray[Any]]) -> Simulation:
        """Restore a run from a snapshot; it continues as if it had not been interrupted."""
        made = cls.__new__(cls)
        made._initialise(field, plan)
        made._handler.restore(snapshot)
        made._asked[:], made._settled[:] = snapshot["asked"], snapshot["settled"]
        made._rows, made._answers = snapshot["rows"].tolist(), snapshot["answers"].tolist()
        made._counts = [(cost, int(changed), int(odd)) for cost, changed, odd in snapshot["counts"].tolist()]
        made._decide_and_score()
        made._sums = list(snapshot["sums"])
        made._tally.sums = made._sums[-1].copy()
        return made


def simulate(field: Field, plan: Plan, on_question: Callable[[int], None] | None = None) -> Curve:
    """Ask until the budget is used up or nothing uncertain is left.

    Args:
        field: the tuples.
        plan: what is asked, and how.
        on_question: called after each question with the number so far; called once for a vectorised run.

    """
    if is_fixed(plan):
        curve = fixed_curve(field, plan)
        if on_question is not None:
            on_question(len(curve))
        return curve
    run = Simulation(field, plan)
    while run.step():
        if on_question is not None:
            on_question(len(run))
    return run.curve()


# Trials of several strategies, with several seeds for those that involve chance.


SEEDS = 20
"""The number of seeds for a band; with fewer, the band is rough."""


@dataclass(frozen=True, eq=False)
class Trial:
    """The curves of one strategy, one for each seed."""

    strategy: str
    curves: tuple[Curve, ...]


def plans_of(plan: Plan, strategies: Sequence[str], seeds: int = SEEDS) -> tuple[Plan, ...]:
    """Build a plan for each strategy, and for each seed where chance is involved.

    It is for the strategy `random`, and for all strategies if the user errs or is unsure at random.
    """
    found = []
    for strategy in dict.fromkeys(strategies):
        first = replace(plan, strategy=strategy)
        chance = strategy == "random" or not plan.user.truthful
        found += [replace(first, seed=plan.seed + number) for number in range(seeds if chance else 1)]
    return tuple(found)


def simulate_plans(
    field: Field, plans: Sequence[Plan], journal: Journal | None = None, on_question: OnQuestion | None = None
) -> tuple[Trial, ...]:
    """Simulate all plans.

    Args:
        field: the tuples asked about.
        plans: the plans to simulate.
        journal: stores finished curves and resumes interrupted runs.
        on_question: called after each question with the plan and the number of questions so far.

    """
    curves: dict[str, list[Curve]] = {}
    for plan in plans:
        on_plan_question = None if on_question is None else partial(on_question, plan)
        found = simulate(field, plan, on_plan_question) if journal is None else journal.curve(plan, on_plan_question)
        curves.setdefault(plan.strategy, []).append(found)
    return tuple(Trial(strategy, tuple(found)) for strategy, found in curves.items())
