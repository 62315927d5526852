"""Findings on probabilistic outputs: scores, model uncertainty, ties, thresholds and calibration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from comparanda.core.probabilities import DECIDE, EPSILON
from comparanda.core.sites import format_value
from comparanda.errors import UsageError, suggest_nearest
from comparanda.findings.scores import Scores, compute_scores
from comparanda.render.finding import Finding
from comparanda.tasks.prob.calibration import (
    BINS,
    bin_probabilities,
    compute_auroc,
    compute_brier,
    log_loss,
    threshold_curve,
    tie_bounds,
)
from comparanda.tasks.prob.expectation import Doubt, block_counts, compute_doubt
from comparanda.tasks.prob.tuples import NO_KEY, NOTHING_DECIDED, NOTHING_POSSIBLE, BeliefData, Shares, extend_reason

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.candidates import Candidates
    from comparanda.core.probabilities import Decide
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.findings.context import Context
    from comparanda.render.charts import Paper
    from comparanda.render.table import Table
    from comparanda.tasks.prob.calibration import Reliability, ThresholdCurve


FLOORS = (0.0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.5)
"""The minimum weights at which E100 is computed; 0 means every w above 0."""


@dataclass(frozen=True, kw_only=True)
class ProbableScores:
    """The scores of a run on some entities: all, those with a label, or those in a document.

    Args:
        name: the label or the document; "" for all.
        key: the number of entities in the key: |K|.
        tuples: the number of tuples to which the run assigns a positive probability: w > 0.
        mass: the sum of their weights: Σw.
        right_mass: the sum of the weights of those that the key has: Σc·w.
        captured: the number of entities of the key among them.
        decided: the number of tuples in the hard output.
        decided_mass: the sum of their weights.
        correct: the number of these that the key has.
        precision: correct over decided.
        recall: correct over |K|.
        f1: 2·correct / (decided + |K|).
        expected_precision: E(P) = Σc·w / Σw.
        expected_recall: E(R) = Σc·w / |K|.
        expected_f1: E(F) = 2Σc·w / (Σw + |K|).
        e100: captured over |K|: the recall of a perfect choice among the run's tuples.
        tuples_per_entity: tuples over |K|, since E100 rises with every tuple.
        claimed_precision: the precision that the run expects without the key: the mean weight of the hard output.
        claimed_recall: the recall it expects: the weight of the hard output over Σw. It does not know what it misses.
        claimed_f1: the F1 it expects: 2·(weight of the hard output) / (decided + Σw).
        brier: the Brier score of the hard output.
        log_loss: its log loss.
        ece: its expected calibration error.
        doubt: precision, recall and F1 over the worlds to which the run assigns a probability.
        undefined: the reasons for undefined numbers, by their names.

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


@dataclass(frozen=True, kw_only=True)
class BrokenTies:
    """A hard output in which all ties are broken for the run, or all against it."""

    decided: int
    correct: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True, kw_only=True)
class Floor:
    """E100 for tuples with a minimum weight.

    Args:
        floor: the minimum weight; 0 means every w above 0.
        tuples: the number of tuples with this weight.
        captured: the number of these that the key has.
        e100: captured over |K|.
        tuples_per_entity: tuples over |K|.

    """

    floor: float
    tuples: int
    captured: int
    e100: float | None
    tuples_per_entity: float | None


def score_tuples(
    run: Candidates, rows: Rows, key: int, bins: int, *, forced: float | None = None, name: str = ""
) -> ProbableScores:
    """Score some tuples of a run against `key` entities of the key."""
    weight, right = run.beliefs.weight[rows], run.correct[rows]
    chosen = rows[run.decided[rows]]
    mass, right_mass = float(weight.sum()), float(weight[right].sum())
    tuples, captured = int((weight > 0).sum()), int((right & (weight > 0)).sum())
    decided, correct = len(chosen), int(run.correct[chosen].sum())
    sure = float(run.beliefs.weight[chosen].sum())
    spread = compute_doubt(block_counts(run.beliefs, run.correct, rows), key)
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
        f1=shares.of("f1", 2 * correct, decided + key, extend_reason(NOTHING_DECIDED)),
        expected_precision=shares.of("expected_precision", right_mass, mass, NOTHING_POSSIBLE),
        expected_recall=shares.of("expected_recall", right_mass, key, NO_KEY),
        expected_f1=shares.of("expected_f1", 2 * right_mass, mass + key, extend_reason(NOTHING_POSSIBLE)),
        e100=shares.of("e100", captured, key, NO_KEY),
        tuples_per_entity=shares.of("tuples_per_entity", tuples, key, NO_KEY),
        claimed_precision=shares.of("claimed_precision", sure, decided, NOTHING_DECIDED),
        claimed_recall=shares.of("claimed_recall", sure, mass, NOTHING_POSSIBLE),
        claimed_f1=shares.of("claimed_f1", 2 * sure, decided + mass, NOTHING_POSSIBLE),
        **_compute_losses(run, chosen, bins, shares),
        doubt=spread,
        undefined=shares.undefined | _doubt_reasons(spread),
    )


def _compute_losses(run: Candidates, chosen: Rows, bins: int, shares: Shares) -> dict[str, float | None]:
    """Compute the Brier score, log loss and ECE of the decided tuples."""
    weight, right = run.beliefs.weight[chosen], run.correct[chosen]
    if not len(chosen):
        return {name: shares.none(name, NOTHING_DECIDED) for name in ("brier", "log_loss", "ece")}
    return {
        "brier": compute_brier(weight, right),
        "log_loss": log_loss(weight, right),
        "ece": bin_probabilities(weight, right, bins).ece,
    }


def _doubt_reasons(spread: Doubt) -> dict[str, str]:
    """List the reasons for undefined spreads of a run's scores."""
    found = {
        "doubt.precision": (spread.precision, NOTHING_POSSIBLE),
        "doubt.recall": (spread.recall, NO_KEY),
        "doubt.f1": (spread.f1, extend_reason(NOTHING_POSSIBLE)),
    }
    return {name: reason for name, (value, reason) in found.items() if value is None}


def score_hard_output(decided: int, correct: int, key: int, forced: float | None = None) -> BrokenTies:
    """Score a hard output from its counts."""
    shares = Shares(forced)
    return BrokenTies(
        decided=decided,
        correct=correct,
        precision=shares.of("precision", correct, decided, NOTHING_DECIDED),
        recall=shares.of("recall", correct, key, NO_KEY),
        f1=shares.of("f1", 2 * correct, decided + key, extend_reason(NOTHING_DECIDED)),
    )


def compute_floors(run: Candidates, key: int, forced: float | None = None) -> tuple[Floor, ...]:
    """Compute E100 for each minimum weight."""
    shares, found = Shares(forced), []
    for floor in FLOORS:
        enough = (run.beliefs.weight >= floor - EPSILON) & (run.beliefs.weight > 0)
        tuples, captured = int(enough.sum()), int(np.count_nonzero(enough & run.correct))
        found.append(
            Floor(
                floor=floor,
                tuples=tuples,
                captured=captured,
                e100=shares.of("e100", captured, key, NO_KEY),
                tuples_per_entity=shares.of("tuples_per_entity", tuples, key, NO_KEY),
            )
        )
    return tuple(found)


# The hard output over thresholds on its weights, and calibration.


RECALLS = (0.5, 0.8, 0.9)
"""The recalls at which precision is reported."""

_EMPTY_REASONS = {
    "decided": NOTHING_DECIDED,
    "all": "no tuples",
    "spans": "no tuples",
    "labels": "no tuple with w > 0 on a span of the key",
}
_ONE_CLASS_REASON = "not both right and wrong items"


@dataclass(frozen=True)
class AtRecall:
    """The highest precision of a threshold with at least this recall; None if no threshold reaches it."""

    recall: float
    precision: float | None
    threshold: float | None


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """The hard output cut at each distinct weight, from the largest down.

    Args:
        threshold: the weights.
        kept: the number of tuples with at least this weight.
        correct: the number of these that the key has.
        precision: correct over kept.
        recall: correct over |K|; None with an empty key.
        average_precision: Σ(Rᵢ − Rᵢ₋₁)·Pᵢ, over the whole key.
        recall_max: the recall at the lowest threshold.
        best_f1: the highest F1.
        best_threshold: the threshold with it, the highest in ties.
        at_recall: the precision at fixed recalls.
        undefined: the reasons for undefined numbers, by their names.

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


@dataclass(frozen=True, kw_only=True)
class ReliabilityBin:
    """Probabilities in an interval (low, high].

    Args:
        low: the lower end.
        high: the upper end.
        count: the number of probabilities.
        correct: the number of these that came true.
        mean: their mean; None in an empty bin.
        share: the share that came true.

    """

    low: float
    high: float
    count: int
    correct: int
    mean: float | None
    share: float | None


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """The calibration of one kind of probabilities.

    Args:
        items: the kind: of `decided` tuples, `all` tuples, `spans` (p_e, with any label), or `labels` of spans that
            the key has (p_a).
        count: the number of probabilities.
        mass: their sum.
        correct: the number that came true.
        ece: the expected calibration error.
        mce: the largest gap of a bin.
        brier: the Brier score.
        log_loss: the log loss.
        auroc: how often a correct one has a higher probability than a wrong one.
        bins: the reliability bins.
        undefined: the reasons for undefined numbers, by their names.

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


def cut_at_thresholds(run: Candidates, key: int) -> Thresholds:
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


def compute_calibrations(run: Candidates, span_in_key: Truths, bins: int) -> Iterator[Calibration]:
    """Compute the calibration of four kinds of probabilities of a run.

    Args:
        run: the run.
        span_in_key: whether the key has each tuple's span, with any label.
        bins: the number of reliability bins.

    """
    beliefs, correct = run.beliefs, run.correct
    yield _calibrate("decided", beliefs.weight[run.decided], correct[run.decided], bins)
    yield _calibrate("all", beliefs.weight, correct, bins)
    once = np.unique(beliefs.alternative, return_index=True)[1]
    yield _calibrate("spans", beliefs.entity[once], span_in_key[once], bins)
    rows = np.flatnonzero(span_in_key & (beliefs.entity > 0))
    labels = np.minimum(beliefs.weight[rows] / beliefs.entity[rows], 1.0)
    yield _calibrate("labels", labels, correct[rows], bins)


def _calibrate(items: str, probability: NDArray[np.float64], correct: Truths, bins: int) -> Calibration:
    binned = bin_probabilities(probability, correct, bins)
    area = compute_auroc(probability, correct)
    undefined = {} if area is not None else {"auroc": _ONE_CLASS_REASON}
    if not len(probability):
        undefined = dict.fromkeys(("ece", "mce", "brier", "log_loss", "auroc"), _EMPTY_REASONS[items])
    return Calibration(
        items=items,
        count=len(probability),
        mass=float(probability.sum()),
        correct=int(correct.sum()),
        ece=binned.ece if len(probability) else None,
        mce=binned.mce if len(probability) else None,
        brier=compute_brier(probability, correct) if len(probability) else None,
        log_loss=log_loss(probability, correct) if len(probability) else None,
        auroc=area,
        bins=_reliability_bins(binned),
        undefined=undefined,
    )


def _reliability_bins(found: Reliability) -> tuple[ReliabilityBin, ...]:
    bins = len(found.count)
    rows = zip(found.count.tolist(), found.correct.tolist(), found.mass.tolist(), strict=True)
    return tuple(
        ReliabilityBin(
            low=place / bins,
            high=(place + 1) / bins,
            count=count,
            correct=correct,
            mean=mass / count if count else None,
            share=correct / count if count else None,
        )
        for place, (count, correct, mass) in enumerate(rows)
    )


# The finding on probabilistic outputs: hard and expected scores, thresholds and calibration.
#
# Intervals of scores show their variation over documents; model uncertainty is their variation over the worlds to which
# a run assigns a probability (DEFINITIONS 9). Both are reported and must not be confused.


Parts = Literal["label", "document"]
PARTS: tuple[Parts, ...] = get_args(Parts)


@dataclass(frozen=True, kw_only=True)
class ProbableRun:
    """One run.

    Args:
        system: its system.
        run: its name.
        policies: the policies of its probabilities, by name; empty where spans are certain.
        blocks: the number of independent blocks.
        blocks_with_worlds: the number of these in which several tuples can be true together.
        whole: its scores on all entities.
        ties: the number of blocks in which the decision was a tie.
        ties_for: the hard output if all ties are broken for the run.
        ties_against: the hard output if all ties are broken against it.
        floors: E100 for minimum weights.
        thresholds: the hard output over thresholds on w.
        calibration: the calibration of four kinds of probabilities.
        parts: its scores by label or by document.

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
        """Return the calibration of `decided` or `all` tuples, of `spans`, or of `labels`."""
        return next(each for each in self.calibration if each.items == items)


@dataclass(frozen=True, kw_only=True)
class Probabilities(Finding):
    """The scores and calibration of all runs.

    Args:
        view: the view.
        decide: how hard outputs were decided.
        min_weight: the smallest weight in hard outputs.
        by: the kind of parts: labels or documents.
        bins: the number of calibration bins.
        key: the number of entities in the key.
        itemised: whether the items of the view are exactly the key's entities and the decided tuples, so that counts
            of these can link to them; rules may match entities and tuples that differ.
        scores: the scores of all systems, with intervals over documents.
        runs: the runs.

    """

    json_name = "probabilities"

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

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        from comparanda.findings.score_tables import score_tables
        from comparanda.tasks.prob.finding_tables import belief_tables

        return (*score_tables(self.scores, {}), *belief_tables(self, top))

    def charts(self) -> tuple[Paper, ...]:
        """Return the charts."""
        from comparanda.tasks.prob.finding_tables import CHARTS

        return (*self.scores.charts(), *(draw(self) for draw in CHARTS.values()))

    def main_table(self, top: int = 0) -> Table:
        """Return the table of the finding's rows."""
        return self.scores.main_table(top)


def evaluate_probabilities(
    context: Context, by: Parts = "label", bins: int = BINS, found: Scores | None = None
) -> Probabilities | None:
    """Evaluate every probabilistic output; None where a view has none.

    Args:
        context: the context.
        by: whether parts are labels or documents.
        bins: the number of calibration bins.
        found: the scores, if they have been computed already.

    """
    if by not in PARTS:
        raise UsageError(
            f"probabilities cannot be grouped by {by!r}{suggest_nearest(by, PARTS)}", hint=f"use {' or '.join(PARTS)}"
        )
    if bins < 1:
        raise UsageError(f"expected at least 1 bin, got {bins}", hint="use a positive number of bins")
    data = BeliefData.of(context)
    if data is None:
        return None
    settings = context.verdicts.settings
    how: Decide = next((each for each in DECIDE if each == settings.get("decide")), DECIDE[0])
    least = float(settings.get("min_weight", 0))
    runs = [
        _describe_run(data, system=system.name, number=number, by=by, bins=bins, how=how, least=least)
        for system in context.systems
        for number in system.runs
    ]
    table = compute_scores(context) if found is None else found
    itemised = data.itemised
    return Probabilities(
        view=context.view.name,
        decide=how,
        min_weight=least,
        by=by,
        bins=bins,
        key=data.key,
        itemised=itemised,
        scores=table,
        runs=tuple(runs),
    )


def _describe_run(
    data: BeliefData, system: str, number: int, by: Parts, *, bins: int, how: Decide, least: float
) -> ProbableRun:
    run, forced, key = data.candidates[number], data.context.zero_division, data.key
    beliefs = run.beliefs
    bounds = tie_bounds(beliefs, run.correct, how, least)
    return ProbableRun(
        system=system,
        run=data.context.verdicts.runs[number],
        policies=dict(sorted(beliefs.policies.items())),
        blocks=len(beliefs.nothing),
        blocks_with_worlds=int(np.count_nonzero(~beliefs.exclusive)),
        whole=score_tuples(run, rows=np.arange(len(run)), key=key, bins=bins, forced=forced),
        ties=run.ties,
        ties_for=score_hard_output(bounds.best_found, bounds.best_correct, key, forced),
        ties_against=score_hard_output(bounds.worst_found, bounds.worst_correct, key, forced),
        floors=compute_floors(run, key, forced),
        thresholds=cut_at_thresholds(run, key),
        calibration=tuple(compute_calibrations(run, data.span_in_key(run), bins)),
        parts=tuple(
            score_tuples(run, rows=rows, key=of_key, bins=bins, forced=forced, name=name)
            for name, rows, of_key in _split_parts(data, number, by)
        ),
    )


def _split_parts(data: BeliefData, number: int, by: Parts) -> Iterator[tuple[str, Rows, int]]:
    """Yield each label or document with the run's tuples and the number of the key's entities that belong to it."""
    run = data.candidates[number]
    if by == "label":
        groups, names = data.label_ranks(run), data.labels
        of_key = [data.key_labels.get(name, 0) for name in names]
    else:
        groups, names, of_key = run.document.astype(np.int64), data.context.verdicts.documents, data.key_documents
    order = np.argsort(groups, kind="stable")
    bounds = np.searchsorted(groups[order], np.arange(len(names) + 1)).tolist()
    for place, (name, count) in enumerate(zip(names, of_key, strict=True)):
        rows = order[bounds[place] : bounds[place + 1]]
        if count or len(rows):
            yield format_value(name) if by == "label" else name, rows, count
