"""All findings in one: what `comparanda compare` prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from comparanda.findings.base import Finding
from comparanda.findings.difference import Difference, Keying, difference
from comparanda.findings.pairs import Pairs, pairs
from comparanda.findings.scores import Score, Scores, scores
from comparanda.findings.significance import Significance, significance
from comparanda.findings.slices import Slices
from comparanda.findings.stability import Stability, stability
from comparanda.findings.upper_bounds import Combination, Order, combination
from comparanda.tasks.coref.findings import ChainPairs, chain_pairs
from comparanda.tasks.prob.findings import Probabilities, probabilities
from comparanda.tasks.prob.pair_findings import ExpectedPairs, expected_pairs

if TYPE_CHECKING:
    from comparanda.findings.context import Context


# Scores against several keys of one text: each annotator's, and the one that most of them agree on.


MAJORITY = "majority"
"""The name of the key of what more than half of all keys have."""


@dataclass(frozen=True)
class KeyScores:
    """The scores of all systems against one key.

    Args:
        key: its name; `majority` for what more than half of the keys have.
        items: how many items it has, such as spans.
        scores: the scores of each system, by the measures of the view.

    """

    key: str
    items: int
    scores: tuple[Score, ...]


@dataclass(frozen=True)
class KeyPair:
    """How far two annotators agree: the main measure of the second, with the first as the key."""

    first: str
    second: str
    measure: str
    value: float | None


@dataclass(frozen=True, kw_only=True)
class Keys(Finding):
    """Scores against each of several keys and their majority, and how far the keys agree with each other."""

    view: str
    systems: tuple[str, ...]
    units: int
    unit: str
    resamples: int
    seed: int
    keys: tuple[KeyScores, ...]
    agreement: tuple[KeyPair, ...]


@dataclass(frozen=True, kw_only=True)
class Anatomy(Finding):
    """The whole comparison; parts that need two systems, several runs, chains, or probabilities, are None without."""

    task: str
    signature: str
    documents: int
    sites: int
    left_out: dict[str, int]
    notes: tuple[str, ...]
    scores: Scores
    pairs: Pairs | None
    significance: Significance | None
    difference: Difference | None
    combination: Combination | None
    slices: tuple[Slices, ...]
    stability: Stability | None = None
    chain_pairs: ChainPairs | None = None
    probabilities: Probabilities | None = None
    expected_pairs: ExpectedPairs | None = None


def anatomy(
    context: Context,
    pair: tuple[str, str] | None,
    cuts: tuple[Slices, ...],
    signature: str,
    *,
    order: Order = "frequency",
    keyed_by: Keying = "label",
) -> Anatomy:
    """Make every finding of a view."""
    several = pair is not None
    found = scores(context)
    return Anatomy(
        task=context.verdicts.task,
        signature=signature,
        documents=len(context.verdicts.documents),
        sites=len(context.sites),
        left_out=context.view.left_out_counts,
        notes=tuple(map(str, context.verdicts.notes)),
        scores=found,
        pairs=pairs(context) if several else None,
        significance=significance(context) if several else None,
        difference=difference(context, *pair, keyed_by) if pair is not None else None,
        combination=combination(context, order) if several else None,
        slices=cuts,
        stability=stability(context) if len(context.verdicts.runs) > len(context.systems) else None,
        chain_pairs=chain_pairs(context) if several else None,
        probabilities=probabilities(context, found=found),
        expected_pairs=expected_pairs(context) if several else None,
    )
