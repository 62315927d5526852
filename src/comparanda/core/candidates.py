"""The candidate spans of a probabilistic run, aligned with the key and evaluated, block by block."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.probabilities import Beliefs
    from comparanda.core.text_columns import Codes, Rows, TextColumn, Truths


@dataclass(frozen=True, eq=False, kw_only=True)
class Candidates:
    """The candidate tuples (labelled spans with probabilities) of one run, in the order of their blocks.

    Args:
        document: the index of each tuple's document.
        sentence: the index of its sentence.
        place: the row of its document at which it begins.
        width: how many rows it covers.
        begin: where it begins, in positions of its document.
        end: where it ends.
        label: its label, as a code.
        names: the labels by code.
        text: the text that it covers.
        correct: whether the key has it; all false where there is no key.
        decided: whether it is in the hard output.
        beliefs: the probabilities, in the same order.
        tied: whether the decision in each block was a tie; None if no decision was made.

    """

    document: NDArray[np.int32]
    sentence: NDArray[np.int32]
    place: NDArray[np.int32]
    width: NDArray[np.int32]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    label: Codes
    names: tuple[str, ...]
    text: TextColumn
    correct: Truths
    decided: Truths
    beliefs: Beliefs
    tied: Truths | None = None

    def __len__(self) -> int:
        return len(self.label)

    @property
    def ties(self) -> int:
        """The number of blocks in which the decision was a tie."""
        return 0 if self.tied is None else int(np.count_nonzero(self.tied))

    def take(self, rows: Rows) -> Candidates:
        """Select tuples by row, given in order and in whole blocks."""
        blocks = np.unique(self.beliefs.block[rows])
        return replace(
            self,
            document=self.document[rows],
            sentence=self.sentence[rows],
            place=self.place[rows],
            width=self.width[rows],
            begin=self.begin[rows],
            end=self.end[rows],
            label=self.label[rows],
            text=self.text.take(rows),
            correct=self.correct[rows],
            decided=self.decided[rows],
            beliefs=self.beliefs.take(rows).numbered(),
            tied=None if self.tied is None else self.tied[blocks],
        )
