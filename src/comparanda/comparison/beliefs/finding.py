"""What a probabilistic output is worth: decided, expected, by threshold, and whether its probabilities come true.

How scores vary over documents is told by their intervals; how they vary over the worlds that a run holds for possible
is its own doubt (DEFINITIONS 9). Both stand here, and neither is the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from comparanda.beliefs.calibration import BINS
from comparanda.beliefs.policies import DECIDE
from comparanda.beliefs.ties import tie_bounds
from comparanda.comparison.beliefs.curves import Calibration, Thresholds, calibrations, thresholds
from comparanda.comparison.beliefs.ground import BeliefGround
from comparanda.comparison.beliefs.scored import BrokenTies, Floor, ProbableScores, broken, floors, scored
from comparanda.comparison.finding import Finding
from comparanda.comparison.scores import Scores, scores
from comparanda.errors import UsageError, nearest
from comparanda.sites import shown

if TYPE_CHECKING:
    from comparanda.beliefs.policies import Decide
    from comparanda.columns import Rows
    from comparanda.comparison.context import Context

Parts = Literal["label", "document"]
PARTS: tuple[Parts, ...] = get_args(Parts)


@dataclass(frozen=True)
class ProbableRun:
    """One run.

    Args:
        system: its system.
        run: its name.
        policies: how its probabilities were made, by name; empty where spans are certain.
        blocks: how many independent blocks there are.
        blocks_with_worlds: in how many of them several tuples can be true together.
        whole: what it has of all entities.
        ties: in how many blocks the decision was a tie.
        ties_for: the hard output if all ties are broken for the run.
        ties_against: the same against it.
        floors: E100 over floors on w.
        thresholds: the hard output over thresholds on w.
        calibration: whether its probabilities come true, of four kinds.
        parts: what it has of each label, or of each document.

    """

    system: str
    run: str
    policies: dict[str, str]
    blocks: int
    blocks_with_worlds: int
    whole: ProbableScores
    ties: int
    ties_for: BrokenTies
    ties_against: BrokenTies
    floors: tuple[Floor, ...]
    thresholds: Thresholds
    calibration: tuple[Calibration, ...]
    parts: tuple[ProbableScores, ...]

    def calibration_of(self, items: str) -> Calibration:
        """Return one kind of calibration: that of `decided` or `all` tuples, of `spans`, or of `labels`."""
        return next(each for each in self.calibration if each.items == items)


@dataclass(frozen=True)
class Probabilities(Finding):
    """All runs side by side.

    Args:
        view: the view.
        decide: how hard outputs were decided.
        min_weight: what had to weigh at least so much, to be decided.
        by: what parts are: labels or documents.
        bins: how many bins calibration has.
        key: how many entities the key has.
        itemised: whether the items of the view are just the key's entities and the decided tuples, so that counts of
            these lead to them; rules may find the one right by another.
        scores: the scores of all systems, with intervals over documents.
        runs: the runs.

    """

    view: str
    decide: str
    min_weight: float
    by: str
    bins: int
    key: int
    itemised: bool
    scores: Scores
    runs: tuple[ProbableRun, ...]

    def run(self, name: str) -> ProbableRun:
        """Return one run by its name."""
        return next(each for each in self.runs if each.run == name)


def probabilities(
    context: Context, by: Parts = "label", bins: int = BINS, found: Scores | None = None
) -> Probabilities | None:
    """Look at every probabilistic output; None where a view has none.

    Args:
        context: the ground.
        by: whether parts are labels or documents.
        bins: how many bins calibration has.
        found: the scores, where they are known already.

    """
    if by not in PARTS:
        raise UsageError(f"probabilities cannot be cut by {by!r}{nearest(by, PARTS)}", hint=", ".join(PARTS))
    if bins < 1:
        raise UsageError(f"there cannot be {bins} bins", hint="there is one at least")
    ground = BeliefGround.of(context)
    if ground is None:
        return None
    settings = context.verdicts.settings
    how: Decide = next((each for each in DECIDE if each == settings.get("decide")), DECIDE[0])
    least = float(settings.get("min_weight", 0))
    runs = [
        _described(ground, system.name, number, by, bins, how, least)
        for system in context.systems
        for number in system.runs
    ]
    table = scores(context) if found is None else found
    itemised = ground.itemised
    return Probabilities(context.view.name, how, least, by, bins, ground.key, itemised, table, tuple(runs))


def _described(
    ground: BeliefGround, system: str, number: int, by: Parts, bins: int, how: Decide, least: float
) -> ProbableRun:
    run, forced, key = ground.candidates[number], ground.context.zero_division, ground.key
    beliefs = run.beliefs
    bounds = tie_bounds(beliefs, run.correct, how, least)
    return ProbableRun(
        system=system,
        run=ground.context.verdicts.runs[number],
        policies=dict(sorted(beliefs.policies.items())),
        blocks=len(beliefs.nothing),
        blocks_with_worlds=int(np.count_nonzero(~beliefs.exclusive)),
        whole=scored(run, np.arange(len(run)), key, bins, forced),
        ties=run.ties,
        ties_for=broken(bounds.best_found, bounds.best_correct, key, forced),
        ties_against=broken(bounds.worst_found, bounds.worst_correct, key, forced),
        floors=floors(run, key, forced),
        thresholds=thresholds(run, key),
        calibration=tuple(calibrations(run, ground.span_in_key(run), bins)),
        parts=tuple(
            scored(run, rows, of_key, bins, forced, name=name) for name, rows, of_key in _parts(ground, number, by)
        ),
    )


def _parts(ground: BeliefGround, number: int, by: Parts) -> Iterator[tuple[str, Rows, int]]:
    """Yield each label or document with the run's tuples of it, and how many entities the key has of it."""
    run = ground.candidates[number]
    if by == "label":
        groups, names = ground.label_ranks(run), ground.labels
        of_key = [ground.key_labels.get(name, 0) for name in names]
    else:
        groups, names, of_key = run.document.astype(np.int64), ground.context.verdicts.documents, ground.key_documents
    order = np.argsort(groups, kind="stable")
    bounds = np.searchsorted(groups[order], np.arange(len(names) + 1)).tolist()
    for place, (name, count) in enumerate(zip(names, of_key, strict=True)):
        rows = order[bounds[place] : bounds[place + 1]]
        if count or len(rows):
            yield shown(name) if by == "label" else name, rows, count
