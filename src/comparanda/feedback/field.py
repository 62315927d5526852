"""What questions are about: the tuples of one run, which of them count, and which cover the same text."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.feedback.blocks import blocks_of
from comparanda.feedback.state import state_of
from comparanda.feedback.tally import Tally

if TYPE_CHECKING:
    from comparanda.beliefs.model import Floats
    from comparanda.beliefs.policies import Decide
    from comparanda.candidates import Candidates
    from comparanda.columns import Rows, Truths
    from comparanda.feedback.state import State


@dataclass(frozen=True, eq=False)
class Field:
    """The tuples of one run, block by block.

    Args:
        candidates: the tuples.
        entities: how many entities the key has in the scope; None without a key.
        scope: which tuples count and are asked about; the others stay rivals in their blocks.
        entity_spans: whether the key has each one's span, whatever its label.

    """

    candidates: Candidates
    entities: int | None
    scope: Truths
    entity_spans: Truths

    def __len__(self) -> int:
        return len(self.candidates)

    @cached_property
    def start(self) -> State:
        """What is believed before the first question; a run changes a copy of it."""
        run = self.candidates
        preference = np.empty(len(run), np.int64)
        preference[np.lexsort((run.label, run.begin, run.begin - run.end))] = np.arange(len(run))
        return state_of(run.beliefs, blocks_of(run.beliefs, preference))

    def sums(self, decide: Decide, min_weight: float) -> Floats:
        """Return the sums that scores are made of before the first question."""
        how = (decide, min_weight)
        if how not in self._sums:
            self._sums[how] = Tally(self, *how, self.start).sums
        return self._sums[how]

    @cached_property
    def _sums(self) -> dict[tuple[Decide, float], Floats]:
        return {}

    @cached_property
    def groups(self) -> Rows:
        """The text of each tuple by number; case, white space and how letters are composed do not matter."""
        number: dict[str, int] = {}
        names = self.candidates.text.names
        codes = [number.setdefault(_plain(name), len(number)) for name in names]
        found: Rows = np.array(codes, np.int64)[self.candidates.text.codes] if names else np.zeros(0, np.int64)
        return found

    @cached_property
    def pairs(self) -> Rows:
        """The text and the label of each tuple, together one number."""
        both = self.groups * max(1, len(self.candidates.names)) + self.candidates.label
        found: Rows = np.unique(both, return_inverse=True)[1].astype(np.int64)
        return found


def field_of(
    candidates: Candidates,
    entities: int | None = None,
    scope: Truths | None = None,
    entity_spans: Truths | None = None,
) -> Field:
    """Return what questions about some tuples are about; all of them count unless a scope says which.

    Args:
        candidates: the tuples.
        entities: how many entities the key has in the scope; None without a key.
        scope: which tuples count.
        entity_spans: whether the key has each one's span, whatever its label. Without it, a span is in the key if it
            is there with a label that some tuple has.

    """
    if scope is None:
        scope = np.ones(len(candidates), np.bool_)
    if entity_spans is None:
        spans = np.unique(candidates.beliefs.alternative, return_inverse=True)[1]
        entity_spans = np.bincount(spans, candidates.correct, minlength=1)[spans] > 0
    return Field(candidates, entities, scope, entity_spans)


def _plain(text: str) -> str:
    """Return a text as it is compared."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())
