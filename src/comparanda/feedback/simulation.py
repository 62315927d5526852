"""A run of questions, one by one, and a whole run at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.errors import UsageError
from comparanda.feedback.curve import MIXED, NO, UNSURE, YES, curve_of
from comparanda.feedback.fixed import fixed_curve, is_fixed
from comparanda.feedback.handling import Basic, Statistical
from comparanda.feedback.outlook import Sight
from comparanda.feedback.plan import COSTS
from comparanda.feedback.question import Question
from comparanda.feedback.strategies import Strategy
from comparanda.feedback.tally import RESUM, Tally
from comparanda.feedback.units import units_of
from comparanda.feedback.users import SimulatedUser

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from comparanda.beliefs.model import Beliefs
    from comparanda.columns import Rows, Truths
    from comparanda.feedback.curve import Curve
    from comparanda.feedback.field import Field
    from comparanda.feedback.plan import Kind, Plan
    from comparanda.feedback.question import Answer

CODES = {"yes": YES, "no": NO, "mixed": MIXED, "unsure": UNSURE}
ANSWERS: dict[Kind, tuple[str, ...]] = {
    "label": ("yes", "no", "unsure"),
    "span": ("yes", "no", "unsure"),
    "choice": ("unsure",),
    "group": ("yes", "no", "mixed", "unsure"),
}
"""What can be answered to each kind of question; to a choice also a row, or -1."""


class Simulation:
    """One run, question by question.

    Each question is asked once, whatever came back. Of equally good ones the one whose first tuple stands first is
    asked.

    Args:
        field: the tuples.
        plan: what is asked, and how.

    """

    def __init__(self, field: Field, plan: Plan) -> None:
        self._begin(field, plan)
        self._look()

    def _begin(self, field: Field, plan: Plan) -> None:
        """Stand before the first question."""
        if plan.strategy == "oracle" and field.entities is None:
            raise UsageError("the strategy 'oracle' knows the answers from the key, and there is none")
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

    def _look(self) -> None:
        """Decide and score all from what is believed."""
        self._tally = Tally(self.field, self.plan.decide, self.plan.min_weight, self._state)
        self._sums = [self._tally.sums.copy()]
        sight = Sight(self.field, self.plan, self._units, self._state, self._tally)
        self._strategy = Strategy(sight, self._asked, self._settled)

    def __len__(self) -> int:
        """Return how many questions were asked."""
        return len(self._answers) - 1

    @property
    def contradictions(self) -> int:
        """How many answers were about what was held for impossible."""
        return self._counts[-1][2]

    def step(self) -> bool:
        """Ask the next question and take the user's answer; return whether there was one to ask."""
        question = self.next_question()
        if question is None:
            return False
        rows = self._about(question)
        self._take(question, rows, self._user.answer(len(self), rows, self._state.weight[rows]))
        return True

    def next_question(self) -> Question | None:
        """Return what would be asked now; None when nothing is left to ask or the budget is used up."""
        if self.plan.budget is not None and len(self) >= self.plan.budget:
            return None
        best = self._strategy.best()
        return None if best < 0 else Question(self.plan.kind, int(self._units.first[best]))

    def ranking(self, count: int, *, per_block: int = 1) -> list[Question]:
        """Return the best questions now, at most so many about one block, whatever the budget says."""
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
        """Take an answer from outside, to a question of any kind, as if it had come next."""
        rows = self._about(question)
        if isinstance(answer, str):
            fits = answer in ANSWERS[question.kind]
        else:
            fits = question.kind == "choice" and (answer == -1 or bool((rows == answer).any()))
        if not fits:
            known = (*ANSWERS[question.kind], *(("a row of its block", "-1") if question.kind == "choice" else ()))
            raise UsageError(f"{answer!r} is no answer to a {question.kind} question", hint=", ".join(known))
        self._take(question, rows, answer)

    def _about(self, question: Question) -> Rows:
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

    def _take(self, question: Question, rows: Rows, answer: Answer) -> None:
        """Condition on an answer, and write down what came of it."""
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
        """Return what is believed now."""
        return self._state.beliefs(self.field.candidates.beliefs)

    def decided(self) -> Truths:
        """Return which tuples are in the hard output now, whether they are in the scope or not."""
        return self._tally.decided.copy()

    def curve(self) -> Curve:
        """Return how good the output was after every question so far."""
        counts = np.array(self._counts, np.float64).T
        sums = np.stack(self._sums, axis=1)
        rows, answers = np.array(self._rows, np.int64), np.array(self._answers, np.int8)
        return curve_of(self.plan, self.field.entities, sums, counts, rows, answers)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Return all that is needed to go on, as plain arrays."""
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
        """Return the run of a snapshot: it goes on as if it had never stopped."""
        made = cls.__new__(cls)
        made._begin(field, plan)
        made._handler.restore(snapshot)
        made._asked[:], made._settled[:] = snapshot["asked"], snapshot["settled"]
        made._rows, made._answers = snapshot["rows"].tolist(), snapshot["answers"].tolist()
        made._counts = [(cost, int(changed), int(odd)) for cost, changed, odd in snapshot["counts"].tolist()]
        made._look()
        made._sums = list(snapshot["sums"])
        made._tally.sums = made._sums[-1].copy()
        return made


def simulate(field: Field, plan: Plan, told: Callable[[int], None] | None = None) -> Curve:
    """Ask until the budget is used up or nothing uncertain is left.

    Args:
        field: the tuples.
        plan: what is asked, and how.
        told: hears after every question how many there were; once, where a whole run is made at once.

    """
    if is_fixed(plan):
        curve = fixed_curve(field, plan)
        if told is not None:
            told(len(curve))
        return curve
    run = Simulation(field, plan)
    while run.step():
        if told is not None:
            told(len(run))
    return run.curve()
