"""A hard output over thresholds on its weights, and whether probabilities come true."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.beliefs.calibration import auroc, brier, log_loss, reliability
from comparanda.beliefs.thresholds import threshold_curve
from comparanda.comparison.beliefs.shares import NO_KEY, NOTHING_DECIDED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.beliefs.calibration import Reliability
    from comparanda.beliefs.thresholds import ThresholdCurve
    from comparanda.candidates import Candidates
    from comparanda.columns import Truths

RECALLS = (0.5, 0.8, 0.9)
"""The recalls at which precision is looked at."""

_NONE_THERE = {
    "decided": NOTHING_DECIDED,
    "all": "no tuples",
    "spans": "no tuples",
    "labels": "no span of the key held for possible",
}
_ONE_KIND = "not both right and wrong ones"


@dataclass(frozen=True)
class AtRecall:
    """The highest precision that a threshold reaches with a recall of at least so much; None if none has it."""

    recall: float
    precision: float | None
    threshold: float | None


@dataclass(frozen=True)
class Thresholds:
    """The hard output if tuples must weigh something, over all distinct weights from the largest down.

    Args:
        threshold: the weights.
        kept: how many tuples weigh at least so much.
        correct: how many of them the key has.
        precision: correct over kept.
        recall: correct over |K|; None without anything in the key.
        average_precision: Σ(Rᵢ − Rᵢ₋₁)·Pᵢ, over the whole key.
        recall_max: the recall at the lowest threshold.
        best_f1: the highest F1.
        best_threshold: the threshold that has it, of several the highest.
        at_recall: the precision at fixed recalls.
        undefined: why numbers are undefined, by their names.

    """

    threshold: tuple[float, ...]
    kept: tuple[int, ...]
    correct: tuple[int, ...]
    precision: tuple[float, ...]
    recall: tuple[float, ...] | None
    average_precision: float | None
    recall_max: float | None
    best_f1: float | None
    best_threshold: float | None
    at_recall: tuple[AtRecall, ...]
    undefined: dict[str, str]


@dataclass(frozen=True)
class ReliabilityBin:
    """Probabilities between two numbers, the upper among them.

    Args:
        low: the lower end.
        high: the upper end.
        count: how many there are.
        correct: how many of them came true.
        mean: their mean; None where there are none.
        share: the share that came true.

    """

    low: float
    high: float
    count: int
    correct: int
    mean: float | None
    share: float | None


@dataclass(frozen=True)
class Calibration:
    """Whether probabilities come true.

    Args:
        items: whose: `decided` tuples, `all` tuples, `spans` (p_e, whatever the label), or `labels` of spans that the
            key has (p_a).
        count: how many there are.
        mass: the sum of their probabilities.
        correct: how many came true.
        ece: the expected calibration error.
        mce: the largest gap of a bin.
        brier: the Brier score.
        log_loss: the log loss.
        auroc: how often a right one has the higher probability than a wrong one.
        bins: the reliability bins.
        undefined: why numbers are undefined, by their names.

    """

    items: str
    count: int
    mass: float
    correct: int
    ece: float | None
    mce: float | None
    brier: float | None
    log_loss: float | None
    auroc: float | None
    bins: tuple[ReliabilityBin, ...]
    undefined: dict[str, str]


def thresholds(run: Candidates, key: int) -> Thresholds:
    """Cut a run's hard output at each of its weights."""
    curve = threshold_curve(run.beliefs.weight[run.decided], run.correct[run.decided])
    recall = tuple(curve.recall(key).tolist()) if key else None
    undefined = {} if key else {"recall": NO_KEY, "average_precision": NO_KEY, "recall_max": NO_KEY}
    best = curve.best(key) if len(curve.kept) else None
    if best is None:
        undefined |= {"best_f1": NOTHING_DECIDED, "best_threshold": NOTHING_DECIDED}
    return Thresholds(
        threshold=tuple(curve.threshold.tolist()),
        kept=tuple(curve.kept.tolist()),
        correct=tuple(curve.correct.tolist()),
        precision=tuple(curve.precision.tolist()),
        recall=recall,
        average_precision=curve.average_precision(key) if key else None,
        recall_max=None if recall is None else max(recall, default=0.0),
        best_f1=None if best is None else float(curve.f1(key)[best]),
        best_threshold=None if best is None else float(curve.threshold[best]),
        at_recall=tuple(_at_recall(curve, wanted, key) for wanted in RECALLS),
        undefined=undefined,
    )


def _at_recall(curve: ThresholdCurve, wanted: float, key: int) -> AtRecall:
    place = curve.at_recall(wanted, key) if key else None
    if place is None:
        return AtRecall(wanted, None, None)
    return AtRecall(wanted, float(curve.precision[place]), float(curve.threshold[place]))


def calibrations(run: Candidates, span_in_key: Truths, bins: int) -> Iterator[Calibration]:
    """Look at four kinds of probabilities of a run.

    Args:
        run: the run.
        span_in_key: whether the key has each tuple's span, whatever its label.
        bins: how many reliability bins there are.

    """
    beliefs, correct = run.beliefs, run.correct
    yield _calibration("decided", beliefs.weight[run.decided], correct[run.decided], bins)
    yield _calibration("all", beliefs.weight, correct, bins)
    once = np.unique(beliefs.alternative, return_index=True)[1]
    yield _calibration("spans", beliefs.entity[once], span_in_key[once], bins)
    rows = np.flatnonzero(span_in_key & (beliefs.entity > 0))
    labels = np.minimum(beliefs.weight[rows] / beliefs.entity[rows], 1.0)
    yield _calibration("labels", labels, correct[rows], bins)


def _calibration(items: str, probability: NDArray[np.float64], correct: Truths, bins: int) -> Calibration:
    there = reliability(probability, correct, bins)
    area = auroc(probability, correct)
    undefined = {} if area is not None else {"auroc": _ONE_KIND}
    if not len(probability):
        undefined = dict.fromkeys(("ece", "mce", "brier", "log_loss", "auroc"), _NONE_THERE[items])
    return Calibration(
        items=items,
        count=len(probability),
        mass=float(probability.sum()),
        correct=int(correct.sum()),
        ece=there.ece if len(probability) else None,
        mce=there.mce if len(probability) else None,
        brier=brier(probability, correct) if len(probability) else None,
        log_loss=log_loss(probability, correct) if len(probability) else None,
        auroc=area,
        bins=_bins(there),
        undefined=undefined,
    )


def _bins(found: Reliability) -> tuple[ReliabilityBin, ...]:
    bins = len(found.count)
    rows = zip(found.count.tolist(), found.correct.tolist(), found.mass.tolist(), strict=True)
    return tuple(
        ReliabilityBin(
            place / bins,
            (place + 1) / bins,
            count,
            correct,
            mass / count if count else None,
            correct / count if count else None,
        )
        for place, (count, correct, mass) in enumerate(rows)
    )
