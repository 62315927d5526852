"""A run's tuples scored: the hard output, what is expected, what is claimed, and the run's own doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.beliefs.calibration import brier, log_loss, reliability
from comparanda.beliefs.counts import block_counts
from comparanda.beliefs.doubt import Doubt, doubt
from comparanda.beliefs.model import EPSILON
from comparanda.comparison.beliefs.shares import NO_KEY, NOTHING_DECIDED, NOTHING_POSSIBLE, Shares, neither

if TYPE_CHECKING:
    from comparanda.candidates import Candidates
    from comparanda.columns import Rows

FLOORS = (0.0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.5)
"""The floors on w at which E100 is looked at; 0 stands for every w above it."""


@dataclass(frozen=True)
class ProbableScores:
    """What a run has of some entities: of all, of a label, or of a document.

    Args:
        name: the label or the document; "" for all.
        key: how many entities the key has: |K|.
        tuples: how many tuples the run holds for possible: w > 0.
        mass: the sum of their weights: Σw.
        right_mass: the sum of the weights of those that the key has: Σc·w.
        captured: how many entities of the key are among them.
        decided: how many tuples are in the hard output.
        decided_mass: the sum of their weights.
        correct: how many of them the key has.
        precision: correct over decided.
        recall: correct over |K|.
        f1: 2·correct / (decided + |K|).
        expected_precision: E(P) = Σc·w / Σw.
        expected_recall: E(R) = Σc·w / |K|.
        expected_f1: E(F) = 2Σc·w / (Σw + |K|).
        e100: captured over |K|: what recall could be if the run chose well.
        tuples_per_entity: tuples over |K|, for E100 rises with every tuple.
        claimed_precision: the precision that the run claims, without the key: the mean weight of what is decided.
        claimed_recall: the recall it claims: the weight of what is decided over Σw. It does not know what it misses.
        claimed_f1: the F1 it claims: 2·(weight of what is decided) / (decided + Σw).
        brier: the Brier score of what is decided.
        log_loss: its log loss.
        ece: its expected calibration error.
        doubt: precision, recall and F1 over the worlds that the run holds for possible.
        undefined: why numbers are undefined, by their names.

    """

    name: str
    key: int
    tuples: int
    mass: float
    right_mass: float
    captured: int
    decided: int
    decided_mass: float
    correct: int
    precision: float | None
    recall: float | None
    f1: float | None
    expected_precision: float | None
    expected_recall: float | None
    expected_f1: float | None
    e100: float | None
    tuples_per_entity: float | None
    claimed_precision: float | None
    claimed_recall: float | None
    claimed_f1: float | None
    brier: float | None
    log_loss: float | None
    ece: float | None
    doubt: Doubt
    undefined: dict[str, str]


@dataclass(frozen=True)
class BrokenTies:
    """A hard output in which all ties are broken for the run, or all against it."""

    decided: int
    correct: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True)
class Floor:
    """E100 if tuples must weigh something.

    Args:
        floor: how much at least; 0 for every w above it.
        tuples: how many tuples do.
        captured: how many of them the key has.
        e100: captured over |K|.
        tuples_per_entity: tuples over |K|.

    """

    floor: float
    tuples: int
    captured: int
    e100: float | None
    tuples_per_entity: float | None


def scored(
    run: Candidates, rows: Rows, key: int, bins: int, forced: float | None = None, *, name: str = ""
) -> ProbableScores:
    """Score some tuples of a run against as many entities of the key."""
    weight, right = run.beliefs.weight[rows], run.correct[rows]
    chosen = rows[run.decided[rows]]
    mass, right_mass = float(weight.sum()), float(weight[right].sum())
    tuples, captured = int((weight > 0).sum()), int((right & (weight > 0)).sum())
    decided, correct = len(chosen), int(run.correct[chosen].sum())
    sure = float(run.beliefs.weight[chosen].sum())
    spread = doubt(block_counts(run.beliefs, run.correct, rows), key)
    shares = Shares(forced)
    return ProbableScores(
        name=name,
        key=key,
        tuples=tuples,
        mass=mass,
        right_mass=right_mass,
        captured=captured,
        decided=decided,
        decided_mass=sure,
        correct=correct,
        precision=shares.of("precision", correct, decided, NOTHING_DECIDED),
        recall=shares.of("recall", correct, key, NO_KEY),
        f1=shares.of("f1", 2 * correct, decided + key, neither(NOTHING_DECIDED)),
        expected_precision=shares.of("expected_precision", right_mass, mass, NOTHING_POSSIBLE),
        expected_recall=shares.of("expected_recall", right_mass, key, NO_KEY),
        expected_f1=shares.of("expected_f1", 2 * right_mass, mass + key, neither(NOTHING_POSSIBLE)),
        e100=shares.of("e100", captured, key, NO_KEY),
        tuples_per_entity=shares.of("tuples_per_entity", tuples, key, NO_KEY),
        claimed_precision=shares.of("claimed_precision", sure, decided, NOTHING_DECIDED),
        claimed_recall=shares.of("claimed_recall", sure, mass, NOTHING_POSSIBLE),
        claimed_f1=shares.of("claimed_f1", 2 * sure, decided + mass, NOTHING_POSSIBLE),
        **_losses(run, chosen, bins, shares),
        doubt=spread,
        undefined=shares.undefined | _reasons(spread),
    )


def _losses(run: Candidates, chosen: Rows, bins: int, shares: Shares) -> dict[str, float | None]:
    """Return how far the weights of what is decided are from the truth."""
    weight, right = run.beliefs.weight[chosen], run.correct[chosen]
    if not len(chosen):
        return {name: shares.none(name, NOTHING_DECIDED) for name in ("brier", "log_loss", "ece")}
    return {
        "brier": brier(weight, right),
        "log_loss": log_loss(weight, right),
        "ece": reliability(weight, right, bins).ece,
    }


def _reasons(spread: Doubt) -> dict[str, str]:
    """Say what of a run's doubt is undefined."""
    found = {
        "doubt.precision": (spread.precision, NOTHING_POSSIBLE),
        "doubt.recall": (spread.recall, NO_KEY),
        "doubt.f1": (spread.f1, neither(NOTHING_POSSIBLE)),
    }
    return {name: reason for name, (value, reason) in found.items() if value is None}


def broken(decided: int, correct: int, key: int, forced: float | None = None) -> BrokenTies:
    """Score a hard output by its counts."""
    shares = Shares(forced)
    return BrokenTies(
        decided,
        correct,
        shares.of("precision", correct, decided, NOTHING_DECIDED),
        shares.of("recall", correct, key, NO_KEY),
        shares.of("f1", 2 * correct, decided + key, neither(NOTHING_DECIDED)),
    )


def floors(run: Candidates, key: int, forced: float | None = None) -> tuple[Floor, ...]:
    """Look at E100 over floors on w."""
    shares, found = Shares(forced), []
    for floor in FLOORS:
        enough = (run.beliefs.weight >= floor - EPSILON) & (run.beliefs.weight > 0)
        tuples, captured = int(enough.sum()), int(np.count_nonzero(enough & run.correct))
        found.append(
            Floor(
                floor,
                tuples,
                captured,
                shares.of("e100", captured, key, NO_KEY),
                shares.of("tuples_per_entity", tuples, key, NO_KEY),
            )
        )
    return tuple(found)
