"""Pairs of probabilistic outputs: their difference, complementarity and joint output, on expected counts.

The world of each system is drawn as it believes, independently of the other's. What both find is then Σw·w′ over the
entities of the key, what both claim beside it the same sum over wrong tuples; so expected counts follow from weights
alone. The same is counted on the hard outputs, where weights are 0 or 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from comparanda.comparison.beliefs.ground import BeliefGround
from comparanda.comparison.beliefs.reading import JointOutput, PairReader, PairReading
from comparanda.comparison.beliefs.tuples import TupleTable
from comparanda.comparison.finding import Finding
from comparanda.errors import UsageError
from comparanda.sites import shown

if TYPE_CHECKING:
    from comparanda.comparison.context import Context
    from comparanda.verdicts import System


@dataclass(frozen=True)
class LabelReading:
    """Two systems on one label."""

    label: str
    expected: PairReading
    decided: PairReading


@dataclass(frozen=True)
class ExpectedPair:
    """Two systems.

    Args:
        first: the first.
        second: the second.
        expected: by expected counts.
        decided: by the counts of the hard outputs.
        labels: the same for each label, the most frequent first.

    """

    first: str
    second: str
    expected: PairReading
    decided: PairReading
    labels: tuple[LabelReading, ...]


@dataclass(frozen=True)
class LabelJoint:
    """What all runs have together of one label, by expected counts and by those of the hard outputs."""

    label: str
    expected: tuple[JointOutput, ...]
    decided: tuple[JointOutput, ...]


@dataclass(frozen=True)
class ExpectedPairs(Finding):
    """All pairs of systems, and what all runs have together.

    Args:
        view: the view.
        beta: the weight of recall in `fbeta`.
        runs: all runs.
        pairs: every pair of systems once.
        expected: union, intersection and oracle of all runs, by expected counts.
        decided: the same of the hard outputs.
        labels: the same for each label.

    """

    view: str
    beta: float
    runs: tuple[str, ...]
    pairs: tuple[ExpectedPair, ...]
    expected: tuple[JointOutput, ...]
    decided: tuple[JointOutput, ...]
    labels: tuple[LabelJoint, ...]

    def pair(self, first: str, second: str) -> ExpectedPair:
        """Return one pair."""
        return next(each for each in self.pairs if (each.first, each.second) == (first, second))


def expected_pairs(context: Context, beta: float = 1.0) -> ExpectedPairs | None:
    """Compare all pairs of probabilistic outputs; None where a view has none."""
    if not (math.isfinite(beta) and beta > 0):
        raise UsageError(f"beta is {beta!r}", hint="it is a number above 0: 2 weighs recall twice as much")
    ground = BeliefGround.of(context)
    if ground is None:
        return None
    if len(context.systems) < 2:
        raise UsageError("pairs need two systems", hint=f"there is only {context.systems[0].name!r}")
    soft, hard = (PairReader(ground, TupleTable(ground, soft=soft), beta) for soft in (True, False))
    together = list(zip(soft.together(), hard.together(), strict=True))
    return ExpectedPairs(
        context.view.name,
        beta,
        context.verdicts.runs,
        tuple(_pair(ground, soft, hard, *pair) for pair in combinations(context.systems, 2)),
        *together[0],
        tuple(LabelJoint(shown(label), *each) for label, each in zip(ground.labels, together[1:], strict=True)),
    )


def _pair(ground: BeliefGround, soft: PairReader, hard: PairReader, first: System, second: System) -> ExpectedPair:
    """Read a pair by expected counts, with intervals, and by those of the hard outputs."""
    readings = list(zip(soft.readings(first, second, drawn=True), hard.readings(first, second), strict=True))
    labels = (
        LabelReading(shown(label), expected, decided)
        for label, (expected, decided) in zip(ground.labels, readings[1:], strict=True)
        if expected.overlap.items or decided.overlap.items
    )
    return ExpectedPair(first.name, second.name, *readings[0], tuple(labels))
