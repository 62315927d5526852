"""All findings in one: what `comparanda compare` prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from comparanda.comparison.beliefs.finding import Probabilities, probabilities
from comparanda.comparison.beliefs.pairs import ExpectedPairs, expected_pairs
from comparanda.comparison.chain_pairs import ChainPairs, chain_pairs
from comparanda.comparison.combine import Combination, Order, combination
from comparanda.comparison.difference import Difference, Keying, difference
from comparanda.comparison.finding import Finding
from comparanda.comparison.pairs import Pairs, pairs
from comparanda.comparison.scores import Scores, scores
from comparanda.comparison.significance import Significance, significance
from comparanda.comparison.slices import Slices
from comparanda.comparison.stability import Stability, stability

if TYPE_CHECKING:
    from comparanda.comparison.context import Context


@dataclass(frozen=True)
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
