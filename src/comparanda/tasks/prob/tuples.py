"""The distinct tuples of all runs with their weights, and sums over them, for the findings."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.joins import pack_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.candidates import Candidates
    from comparanda.core.claims import Claims
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.findings.context import Context

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PairCells:
    """Counts of the entities and wrong tuples of two outputs; none is computed as a difference, so zeros are exact.

    Args:
        found_by_both: entities of the key that both find.
        found_by_first: those that the first finds alone.
        found_by_second: those that the second finds alone.
        found_by_neither: those that neither finds.
        spurious_in_both: wrong tuples that both claim.
        spurious_in_first: those that the first claims alone.
        spurious_in_second: those that the second claims alone.

    """

    found_by_both: Floats
    found_by_first: Floats
    found_by_second: Floats
    found_by_neither: Floats
    spurious_in_both: Floats
    spurious_in_first: Floats
    spurious_in_second: Floats

    def matrix(self) -> Floats:
        """Stack the numbers, in the order above, along a last axis."""
        return np.stack([getattr(self, each.name) for each in fields(self)], axis=-1)

    @classmethod
    def of(cls, matrix: Floats) -> PairCells:
        """Unpack the numbers from the last axis of a matrix."""
        return cls(**{each.name: matrix[..., place] for place, each in enumerate(fields(cls))})

    def swapped(self) -> PairCells:
        """Swap the two outputs."""
        return PairCells(
            found_by_both=self.found_by_both,
            found_by_first=self.found_by_second,
            found_by_second=self.found_by_first,
            found_by_neither=self.found_by_neither,
            spurious_in_both=self.spurious_in_both,
            spurious_in_first=self.spurious_in_second,
            spurious_in_second=self.spurious_in_first,
        )

    @property
    def key(self) -> Floats:
        """The entities of the key."""
        return self.found_by_both + self.found_by_first + self.found_by_second + self.found_by_neither

    @property
    def items(self) -> Floats:
        """The entities of the key, and the wrong tuples that at least one claims."""
        return self.key + self.spurious_in_both + self.spurious_in_first + self.spurious_in_second

    @property
    def corrections(self) -> Floats:
        """The errors of the first that the second does not make."""
        return self.found_by_second + self.spurious_in_first

    @property
    def new_errors(self) -> Floats:
        """The errors of the second that the first does not make."""
        return self.found_by_first + self.spurious_in_second


class TupleTable:
    """The tuples of all runs, each once, with their weights.

    Args:
        data: the runs and the key.
        soft: whether to use the weights of tuples, or 1 for those in the hard output and 0 for others.

    """

    def __init__(self, data: BeliefData, *, soft: bool) -> None:
        self._data = data
        runs = data.candidates
        ranks = [data.label_ranks(each) for each in runs]
        keys = pack_columns(
            [[each.document, each.begin, each.end, rank] for each, rank in zip(runs, ranks, strict=True)]
        )
        _, first, number = np.unique(np.concatenate(keys), return_index=True, return_inverse=True)
        self._label: Rows = np.concatenate(ranks)[first]
        self._unit: Rows = np.concatenate([data.unit_of(each) for each in runs])[first].astype(np.int64)
        correct = np.concatenate([each.correct for each in runs])[first]
        self._right, self._wrong = np.flatnonzero(correct), np.flatnonzero(~correct)
        self.weights = np.zeros((len(runs), len(first)))
        bounds = np.cumsum([0, *map(len, keys)]).tolist()
        for place, run in enumerate(runs):
            rows = number.reshape(-1)[bounds[place] : bounds[place + 1]]
            self.weights[place, rows] = run.beliefs.weight if soft else run.decided

    def right(self, values: Floats) -> Floats:
        """Sum over the entities of the key among the tuples: (units, labels)."""
        return self._summed(self._right, values)

    def wrong(self, values: Floats) -> Floats:
        """Sum over the tuples that the key does not have: (units, labels)."""
        return self._summed(self._wrong, values)

    def _summed(self, rows: Rows, values: Floats) -> Floats:
        return self._data.summed(self._unit[rows], self._label[rows], values[rows])

    @cached_property
    def _impossible_entities(self) -> Floats:
        """The number of entities of the key to which no run assigns a probability: (units, labels)."""
        return self._data.key_cells - self.right(np.ones(len(self._label)))

    def cells(self, first: int, second: int) -> PairCells:
        """Count the entities and wrong tuples of two runs: (units, labels)."""
        one, two = self.weights[first], self.weights[second]
        both, first_alone, second_alone = one * two, one * (1 - two), (1 - one) * two
        return PairCells(
            found_by_both=self.right(both),
            found_by_first=self.right(first_alone),
            found_by_second=self.right(second_alone),
            found_by_neither=self._impossible_entities + self.right((1 - one) * (1 - two)),
            spurious_in_both=self.wrong(both),
            spurious_in_first=self.wrong(first_alone),
            spurious_in_second=self.wrong(second_alone),
        )


# The context of findings about probabilistic entities: the tuples of all runs, and the entities of the key.


class BeliefData:
    """The tuples of runs and the entities of the key."""

    def __init__(self, context: Context, candidates: tuple[Candidates, ...], claims: Claims) -> None:
        self.context, self.candidates = context, candidates
        self._claims = claims
        self._in_key = np.flatnonzero(claims.key > 0)  # each once, even if the key repeats it

    @classmethod
    def of(cls, context: Context) -> BeliefData | None:
        """Build the context of a view; None where runs are not probabilistic, or only some sites are selected."""
        view = context.view
        return None if view.candidates is None or view.claims is None else cls(context, view.candidates, view.claims)

    @property
    def key(self) -> int:
        """The number of entities in the key."""
        return len(self._in_key)

    @property
    def itemised(self) -> bool:
        """Whether the items of the view are exactly the key's entities and the decided tuples, each once."""
        items, claims = self.context.view.items, self._claims
        if items.claim is None or items.weight is not None or len(items) != len(claims):
            return False
        owned = [(items.positive, claims.key), *((items.has(run), each) for run, each in enumerate(claims.runs))]
        return all(np.array_equal(mine, counts[items.claim] > 0) for mine, counts in owned)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels of the key and of all tuples, the most frequent in the key first."""
        found = {name for each in self.candidates for name in each.names} | {*self._claims.names}
        used = {name for each in self.candidates for name in _used_labels(each)} | {*self.key_labels}
        return tuple(sorted(found & used, key=lambda name: (-self.key_labels.get(name, 0), name)))

    @cached_property
    def key_labels(self) -> dict[str, int]:
        """The number of entities of the key by label."""
        names = self._claims.names
        counts = np.bincount(self._claims.label[self._in_key], minlength=len(names)).tolist()
        return {name: count for name, count in zip(names, counts, strict=True) if count}

    @cached_property
    def key_documents(self) -> list[int]:
        """The number of entities of the key in each document."""
        documents = len(self.context.verdicts.documents)
        found: list[int] = np.bincount(self._claims.document[self._in_key], minlength=documents).tolist()
        return found

    @cached_property
    def rank(self) -> dict[str, int]:
        """The rank of each label."""
        return {name: place for place, name in enumerate(self.labels)}

    @cached_property
    def key_cells(self) -> NDArray[np.float64]:
        """The number of entities of the key by unit and label: (units, labels)."""
        ranks = np.array([self.rank.get(name, 0) for name in self._claims.names], np.int64)
        mine = self._in_key
        return self.summed(self.unit_of(self._claims)[mine], ranks[self._claims.label[mine]], np.ones(len(mine)))

    def unit_of(self, table: Candidates | Claims) -> NDArray[np.int32]:
        """Return the unit of each row."""
        return self.context.verdicts.unit_of(table)

    def summed(self, unit: NDArray[np.integer], label: Rows, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Sum values by unit and by the rank of their label."""
        shape = self.context.verdicts.units.count, len(self.labels)
        cell = unit.astype(np.int64) * shape[1] + label
        return np.bincount(cell, values, shape[0] * shape[1]).reshape(shape).astype(np.float64)

    def label_ranks(self, run: Candidates) -> Rows:
        """Look up the rank of each tuple's label."""
        table = np.array([self.rank.get(name, 0) for name in run.names], np.int64)
        return table[run.label] if len(run) else np.zeros(0, np.int64)

    def span_in_key(self, run: Candidates) -> Truths:
        """Whether the key has each tuple's span, with any label. Spans in pieces are identified by their ends."""
        claims, mine = self._claims, self._in_key
        known, asked = pack_columns(
            [
                [claims.document[mine], claims.begin[mine], claims.end[mine]],
                [run.document, run.begin, run.end],
            ]
        )
        return np.isin(asked, known)


def _used_labels(run: Candidates) -> set[str]:
    return {run.names[code] for code in np.unique(run.label).tolist()}


# Ratios that record why they are undefined.


NO_KEY = "nothing in the key"
NOTHING_POSSIBLE = "no tuple with w > 0"
NOTHING_DECIDED = "nothing decided"


def extend_reason(reason: str) -> str:
    """Extend a reason: the key is empty too."""
    return f"{NO_KEY} and {reason}"


class Shares:
    """Computes ratios.

    Args:
        forced: the value of undefined ratios; None to record the reason instead.

    """

    def __init__(self, forced: float | None = None) -> None:
        self._forced = forced
        self.undefined: dict[str, str] = {}

    def of(self, name: str, part: float, whole: float, reason: str) -> float | None:
        """Compute a ratio, reported under a name."""
        return part / whole if whole else self.none(name, reason)

    def none(self, name: str, reason: str) -> float | None:
        """Return the substitute for an undefined number, and record the reason if there is none."""
        if self._forced is None:
            self.undefined[name] = reason
        return self._forced
