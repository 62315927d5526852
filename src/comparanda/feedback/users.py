"""The simulated user: what the key says, now and then wrong, now and then without an answer."""

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
"""How many numbers are drawn at once."""


def unmixed(share: Floats, purity: float) -> tuple[Truths, Truths]:
    """Return for shares of right ones whether the user calls that always, and whether never.

    >>> unmixed(np.array([1.0, 0.9, 0.5, 0.1]), 0.9)[1].tolist()  # though 1 − 0.9 is a little less than 0.1
    [False, False, False, True]
    """
    return share >= purity - EPSILON, 1 - share >= purity - EPSILON


class SimulatedUser:
    """A user who knows the key.

    For every question one number is drawn, the same for the n-th question of every strategy.
    """

    def __init__(self, field: Field, plan: Plan) -> None:
        self._correct = field.candidates.correct
        self._entity_spans = field.entity_spans
        self._plan = plan
        self._generator = np.random.default_rng(plan.seed)
        self._drawn: list[float] = []

    def truth(self, kind: Kind, rows: Rows) -> Answer:
        """Return what the key says of the tuples of a question.

        Args:
            kind: what is asked.
            rows: the tuple; those of the span; those to choose from; or all with one text and label.

        """
        if kind == "label":
            return "yes" if self._correct[rows[0]] else "no"
        if kind == "span":
            return "yes" if self._entity_spans[rows[0]] else "no"
        right = self._correct[rows]
        if kind == "choice":
            return int(rows[right.argmax()]) if right.any() else -1
        always, never = unmixed(right.mean(keepdims=True), self._plan.purity)
        return "yes" if always[0] else "no" if never[0] else "mixed"

    def answer(self, number: int, rows: Rows, weight: Floats) -> Answer:
        """Return what the user says to the question with a number, counted from 0.

        A mistaken user says yes for no, takes none of these for the right one, and for none of these the most probable
        one; a text that is now this and now that remains so.

        Args:
            number: which question it is.
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
        """Return the number drawn for a question."""
        while number >= len(self._drawn):
            self._drawn += self._generator.random(AT_ONCE).tolist()
        return self._drawn[number]
