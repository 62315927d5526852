"""What becomes of an answer: it conditions its block, and may be evidence for the same text elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.feedback.blocks import Ranges
from comparanda.feedback.conditioning import believed, tell_labels, tell_none, tell_spans
from comparanda.feedback.state import uncertain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.beliefs.model import Floats
    from comparanda.columns import Rows
    from comparanda.feedback.field import Field
    from comparanda.feedback.plan import Kind, Plan
    from comparanda.feedback.question import Answer
    from comparanda.feedback.state import State

CAP = 0.001
"""Evidence from elsewhere makes nothing less probable than this, and nothing more probable than one less this."""


def hear(state: State, kind: Kind, rows: Rows, answer: Answer, error: float) -> tuple[Rows, int]:
    """Condition on an answer; return the blocks that changed, and how many contradictions there were.

    Args:
        state: what is believed.
        kind: what was asked.
        rows: the tuples of the question: one; those of a span; those to choose from; all with one text and label.
        answer: what the user says.
        error: how often the user is believed to be wrong.

    """
    if answer in ("unsure", "mixed"):
        return np.zeros(0, np.int64), 0
    blocks = state.blocks.block[rows]
    if kind == "choice":
        if answer == -1:
            return blocks[:1], tell_none(state, blocks[:1], rows, error)
        rows, answer = np.array([answer]), "yes"
    said = np.full(len(rows), answer == "yes")
    if kind == "span":
        before = state.entity[state.blocks.span[rows[:1]]]
        return blocks[:1], tell_spans(state, rows[:1], believed(before, yes=said[:1], error=error))
    odd = 0
    for some in rounds(blocks[: len(rows)]):
        target = believed(state.weight[rows[some]], yes=said[some], error=error)
        odd += tell_labels(state, rows[some], target)
    return np.unique(blocks), odd


def rounds(blocks: Rows) -> Iterator[Rows]:
    """Go through things of some blocks so that no two of one block come at a time, each block's in their order.

    >>> [some.tolist() for some in rounds(np.array([4, 4, 7]))]
    [[0, 2], [1]]
    """
    if len(blocks) == 1:
        yield np.zeros(1, np.int64)
        return
    order = np.argsort(blocks, kind="stable")
    new = np.diff(blocks[order], prepend=-1) != 0
    begin = np.flatnonzero(new)
    turn = np.empty(len(blocks), np.int64)
    turn[order] = np.arange(len(blocks)) - begin[np.cumsum(new) - 1]
    for number in range(int(turn.max(initial=-1)) + 1):
        yield np.flatnonzero(turn == number)


class Basic:
    """An answer changes its own block."""

    def __init__(self, plan: Plan, state: State) -> None:
        self.plan = plan
        self.state = state

    def apply(self, kind: Kind, rows: Rows, answer: Answer) -> tuple[Rows, int]:
        """Take an answer; return the blocks that changed, and how many contradictions there were."""
        return hear(self.state, kind, rows, answer, self.plan.believed_error)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Return what is needed to go on."""
        return {f"state_{name}": getattr(self.state, name) for name in STORED}

    def restore(self, snapshot: Mapping[str, NDArray[Any]]) -> None:
        """Go on from there."""
        _restore(self.state, "state", snapshot)


class Statistical(Basic):
    """An answer is evidence for all tuples with the same text and label.

    A tuple's odds are those of its own block's answers times ((yes + 1) / (no + 1)) ^ strength, where yes and no count
    the answers about its text and label. What the answers alone say is kept apart, and the factor is put on it anew
    whenever it changes: so a tuple always carries exactly the present factor, whatever came first. The tuples of a
    block take their factors one after the other; each time the rest of the block shares what is left. A tuple that was
    asked about itself, and one that is certain or impossible, takes none.
    """

    def __init__(self, plan: Plan, state: State, field: Field) -> None:
        super().__init__(plan, state)
        self._answered = state.copy()  # what the answers alone say
        self._pair = field.pairs
        pairs = int(self._pair.max(initial=-1)) + 1
        self._by_pair = np.argsort(self._pair, kind="stable")
        self._ranges = Ranges.counted(np.bincount(self._pair, minlength=pairs))
        self._counts = np.zeros((2, pairs))
        self._asked = np.zeros(len(field), np.bool_)

    def apply(self, kind: Kind, rows: Rows, answer: Answer) -> tuple[Rows, int]:
        """Take an answer; return the blocks that changed, and how many contradictions there were."""
        own, odd = hear(self._answered, kind, rows, answer, self.plan.believed_error)
        if not len(own):
            return own, odd
        about, yes = evidence(kind, rows, answer)
        self._asked[about] = True
        np.add.at(self._counts[int(yes)], self._pair[about], 1)
        same = self._by_pair[self._ranges.of(np.unique(self._pair[about]))[0]]
        blocks = np.union1d(own, self.state.blocks.block[same])
        self.state.put(blocks, self._answered)
        self._spread(blocks)
        return blocks, odd

    def _spread(self, blocks: Rows) -> None:
        """Put the present factors on the tuples of some blocks."""
        rows = self.state.blocks.rows.of(blocks)[0]
        no, yes = self._counts[:, self._pair[rows]]
        factor = ((yes + 1) / (no + 1)) ** self.plan.strength
        rows, factor = (each[(factor != 1) & ~self._asked[rows]] for each in (rows, factor))
        for some in rounds(self.state.blocks.block[rows]):
            weight = self.state.weight[rows[some]]
            open_rows = uncertain(weight)
            weight, by, told = weight[open_rows], factor[some][open_rows], rows[some][open_rows]
            if len(told):
                tell_labels(self.state, told, tilted(weight, by))

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Return what is needed to go on."""
        kept = {f"answered_{name}": getattr(self._answered, name) for name in STORED}
        return super().snapshot() | kept | {"evidence": self._counts, "evidence_asked": self._asked}

    def restore(self, snapshot: Mapping[str, NDArray[Any]]) -> None:
        """Go on from there."""
        super().restore(snapshot)
        _restore(self._answered, "answered", snapshot)
        self._counts[:] = snapshot["evidence"]
        self._asked[:] = snapshot["evidence_asked"]


def evidence(kind: Kind, rows: Rows, answer: Answer) -> tuple[Rows, bool]:
    """Return the tuples that an answer says are true, or are not.

    That a span is an entity says nothing of its label; that it is none says that it has no label.
    """
    if kind == "choice" and answer != -1:
        return np.array([answer], np.int64), True
    if kind == "span" and answer == "yes":
        return rows[:0], True
    return rows, answer == "yes"


def tilted(weight: Floats, factor: Floats) -> Floats:
    """Multiply the odds of probabilities, up to a cap: no evidence from elsewhere makes anything quite sure.

    >>> tilted(np.array([0.5, 0.5, 0.9999]), np.array([3.0, 1e-9, 3.0])).tolist()
    [0.75, 0.001, 0.9999]
    """
    found = weight * factor / (weight * factor + 1 - weight)
    rises = np.maximum(weight, np.minimum(found, 1 - CAP))
    falls = np.minimum(weight, np.maximum(found, CAP))
    return np.where(factor > 1, rises, falls)


STORED = ("world", "nothing", "unnamed")
"""What all else in a state follows from."""


def _restore(state: State, prefix: str, snapshot: Mapping[str, NDArray[Any]]) -> None:
    """Take over the probabilities of a snapshot."""
    for name in STORED:
        getattr(state, name)[:] = snapshot[f"{prefix}_{name}"]
    state.infer(np.arange(len(state.blocks)))
