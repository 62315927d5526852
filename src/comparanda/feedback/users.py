"""The simulated user, who answers from the key, with optional errors and missing answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.probabilities import EPSILON

if TYPE_CHECKING:
    from comparanda.core.probabilities import Floats
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.feedback.field import Field
    from comparanda.feedback.protocol import Answer, Kind, Plan

AT_ONCE = 4096
"""The number of random numbers drawn at a time."""


def is_unmixed(share: Floats, purity: float) -> tuple[Truths, Truths]:
    """Determine for shares of correct tuples whether the user answers "always", and whether "never".

    >>> is_unmixed(np.array([1.0, 0.9, 0.5, 0.1]), 0.9)[1].tolist()  # though 1 − 0.9 is a little less than 0.1
    [False, False, False, True]
    """
    return share >= purity - EPSILON, 1 - share >= purity - EPSILON


class SimulatedUser:
    """A user who knows the key.

    One random number is drawn for each question; the n-th is the same for all strategies.
    """

    def __init__(self, field: Field, plan: Plan) -> None:
        self._correct = field.candidates.correct
        self._entity_spans = field.entity_spans
        self._plan = plan
        self._generator = np.random.default_rng(plan.seed)
        self._drawn: list[float] = []

    def truth(self, kind: Kind, rows: Rows) -> Answer:
        """Answer a question truthfully from the key.

        Args:
            kind: the kind of question.
            rows: the tuple; those of the span; those to choose from; or all with one text and label.

        """
        if kind == "label":
            return "yes" if self._correct[rows[0]] else "no"
        if kind == "span":
            return "yes" if self._entity_spans[rows[0]] else "no"
        right = self._correct[rows]
        if kind == "choice":
            return int(rows[right.argmax()]) if right.any() else -1
        always, never = is_unmixed(right.mean(keepdims=True), self._plan.purity)
        return "yes" if always[0] else "no" if never[0] else "mixed"

    def answer(self, number: int, rows: Rows, weight: Floats) -> Answer:
        """Answer a question as the simulated user.

        A user who errs swaps yes and no, rejects the correct option of a choice, and picks the most probable option
        where none is correct; "mixed" is never changed.

        Args:
            number: the number of the question, from 0.
            rows: the tuples of the question.
            weight: the probability of each of these.

        """
        truth = self.truth(self._plan.kind, rows)
        user = self._plan.user
        if user.truthful:
            return truth
        drawn = self._draw(number)
        if drawn < user.unsure:
            return "unsure"
        if drawn >= user.unsure + (1 - user.unsure) * user.flip:
            return truth
        if isinstance(truth, int):
            return -1 if truth >= 0 else int(rows[weight.argmax()])
        return {"yes": "no", "no": "yes"}.get(truth, truth)  # type: ignore[return-value]

    def _draw(self, number: int) -> float:
        """Return the random number of a question."""
        while number >= len(self._drawn):
            self._drawn += self._generator.random(AT_ONCE).tolist()
        return self._drawn[number]
