"""What a run holds for possible, judged: its tuples on the key's ground, block by block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from comparanda.beliefs.model import Beliefs
    from comparanda.columns import Codes, TextColumn, Truths


@dataclass(frozen=True, eq=False)
class Candidates:
    """The tuples of one run, in the order of their blocks.

    Args:
        document: the index of each one's document.
        sentence: the index of its sentence.
        place: the row of its document at which it begins.
        width: how many rows it covers.
        label: its label, as a code.
        names: the labels by code.
        text: what it covers of the text.
        correct: whether the key has it; all false where there is no key.
        decided: whether it is in the hard output.
        beliefs: the probabilities, in the same order.
        ties: in how many blocks the decision was a tie.

    """

    document: NDArray[np.int32]
    sentence: NDArray[np.int32]
    place: NDArray[np.int32]
    width: NDArray[np.int32]
    label: Codes
    names: tuple[str, ...]
    text: TextColumn
    correct: Truths
    decided: Truths
    beliefs: Beliefs
    ties: int = 0

    def __len__(self) -> int:
        return len(self.label)
