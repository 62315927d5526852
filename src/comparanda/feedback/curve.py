"""How good the output is after every question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.feedback.tally import scores_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from comparanda.beliefs.model import Floats
    from comparanda.columns import Rows
    from comparanda.feedback.plan import Plan

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
"""What is known after each question.

`cost`, `changed` (tuples that came into the hard output or left it) and `contradictions` (answers that the
output held for impossible) are counted from the first question on; `entropy` is in bits, summed over tuples.
"""

YES, NO, MIXED, UNSURE = 1, 0, 2, 3
"""Answers as they are kept: yes, always or one chosen; no, never or none; neither always nor never; no idea."""


@dataclass(frozen=True, eq=False)
class Curve:
    """The values after question 0, 1 … n, before which nothing was asked.

    Args:
        plan: how was asked.
        columns: an array for each of `COLUMNS`; NaN where a value is not defined, as P without any claim.
        asked: the tuple asked about, or the first of the span, block or text; -1 at 0.
        answers: what was answered, by `YES`, `NO`, `MIXED` and `UNSURE`; -1 at 0.

    """

    plan: Plan
    columns: Mapping[str, NDArray[np.float64]]
    asked: Rows
    answers: NDArray[np.int8]

    def __len__(self) -> int:
        """Return how many questions were asked."""
        return len(self.asked) - 1


def curve_of(
    plan: Plan, entities: int | None, sums: Floats, counts: Floats, asked: Rows, answers: NDArray[np.int8]
) -> Curve:
    """Return the curve of the sums after every question.

    Args:
        plan: how was asked.
        entities: how many entities the key has; None without a key.
        sums: what scores are made of, a column for each moment.
        counts: what was paid so far, how many tuples changed, and how many contradictions there were.
        asked: the tuple of each question.
        answers: what was answered.

    """
    question = np.arange(len(asked), dtype=np.float64)
    values = [question, counts[0], *scores_of(sums, entities), *counts[1:]]
    return Curve(plan, dict(zip(COLUMNS, values, strict=True)), asked, answers)
