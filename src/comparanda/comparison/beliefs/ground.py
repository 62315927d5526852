"""What findings about probabilistic entities share: the tuples of all runs, and what the key has of each kind."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.rules.joins import packed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.candidates import Candidates
    from comparanda.claims import Claims
    from comparanda.columns import Rows, Truths
    from comparanda.comparison.context import Context


class BeliefGround:
    """The tuples of runs beside the entities of the key."""

    def __init__(self, context: Context, candidates: tuple[Candidates, ...], claims: Claims) -> None:
        self.context, self.candidates = context, candidates
        self._claims = claims
        self._in_key = np.flatnonzero(claims.key > 0)  # each once, however often the key has it

    @classmethod
    def of(cls, context: Context) -> BeliefGround | None:
        """Return the ground of a view; None where runs are not probabilistic, or some of the sites are left alone."""
        view = context.view
        return None if view.candidates is None or view.claims is None else cls(context, view.candidates, view.claims)

    @property
    def key(self) -> int:
        """How many entities the key has."""
        return len(self._in_key)

    @property
    def itemised(self) -> bool:
        """Whether the items of the view are the key's entities and the decided tuples, each once and as it is."""
        items, claims = self.context.view.items, self._claims
        if items.claim is None or items.weight is not None or len(items) != len(claims):
            return False
        owned = [(items.positive, claims.key), *((items.has(run), each) for run, each in enumerate(claims.runs))]
        return all(np.array_equal(mine, counts[items.claim] > 0) for mine, counts in owned)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels of the key and of all tuples, the most frequent in the key first."""
        found = {name for each in self.candidates for name in each.names} | {*self._claims.names}
        used = {name for each in self.candidates for name in _used(each)} | {*self.key_labels}
        return tuple(sorted(found & used, key=lambda name: (-self.key_labels.get(name, 0), name)))

    @cached_property
    def key_labels(self) -> dict[str, int]:
        """How many entities of each label the key has."""
        names = self._claims.names
        counts = np.bincount(self._claims.label[self._in_key], minlength=len(names)).tolist()
        return {name: count for name, count in zip(names, counts, strict=True) if count}

    @cached_property
    def key_documents(self) -> list[int]:
        """How many entities the key has in each document."""
        documents = len(self.context.verdicts.documents)
        found: list[int] = np.bincount(self._claims.document[self._in_key], minlength=documents).tolist()
        return found

    @cached_property
    def rank(self) -> dict[str, int]:
        """The place of each label among all."""
        return {name: place for place, name in enumerate(self.labels)}

    @cached_property
    def key_cells(self) -> NDArray[np.float64]:
        """How many entities the key has in each unit, of each label: (units, labels)."""
        ranks = np.array([self.rank.get(name, 0) for name in self._claims.names], np.int64)
        mine = self._in_key
        return self.summed(self.unit_of(self._claims)[mine], ranks[self._claims.label[mine]], np.ones(len(mine)))

    def unit_of(self, table: Candidates | Claims) -> NDArray[np.int32]:
        """Return the unit of each row."""
        by_document = self.context.verdicts.units.kind == "document"
        return table.document if by_document else table.sentence

    def summed(self, unit: NDArray[np.integer], label: Rows, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Sum values by unit and by the rank of their label."""
        shape = self.context.verdicts.units.count, len(self.labels)
        cell = unit.astype(np.int64) * shape[1] + label
        return np.bincount(cell, values, shape[0] * shape[1]).reshape(shape).astype(np.float64)

    def label_ranks(self, run: Candidates) -> Rows:
        """Return the rank of each tuple's label."""
        table = np.array([self.rank.get(name, 0) for name in run.names], np.int64)
        return table[run.label] if len(run) else np.zeros(0, np.int64)

    def span_in_key(self, run: Candidates) -> Truths:
        """Return whether the key has each tuple's span, whatever its label. Spans in pieces are told by their ends."""
        claims, mine = self._claims, self._in_key
        known, asked = packed(
            [
                [claims.document[mine], claims.begin[mine], claims.end[mine]],
                [run.document, run.begin, run.end],
            ]
        )
        return np.isin(asked, known)


def _used(run: Candidates) -> set[str]:
    return {run.names[code] for code in np.unique(run.label).tolist()}
