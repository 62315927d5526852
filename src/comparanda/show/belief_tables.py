"""Probabilistic outputs as tables: their scores, their own doubt, thresholds, calibration; and every two of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from comparanda.comparison.beliefs.curves import Calibration
from comparanda.comparison.beliefs.finding import Probabilities, ProbableRun
from comparanda.comparison.beliefs.pairs import ExpectedPair, ExpectedPairs
from comparanda.comparison.beliefs.reading import PairReading
from comparanda.comparison.beliefs.scored import ProbableScores
from comparanda.comparison.complement.rates import Rates
from comparanda.show.table import Field, Table, cut

_PARTS, _PAIRS = 20, 45  # how many rows are shown unless told otherwise
_RUN = Field("run", "system")
_ITEMS = {"decided": "decided tuples", "all": "all tuples", "spans": "spans", "labels": "labels of right spans"}


def belief_tables(finding: Probabilities, top: int | None) -> tuple[Table, ...]:
    """Return all there is beside the scores."""
    return (
        *short_belief_tables(finding),
        _counts(finding),
        _floors(finding),
        _reliability(finding),
        _parts(finding, top),
    )


def short_belief_tables(finding: Probabilities) -> tuple[Table, ...]:
    """Return what belongs beside the scores on any page: doubt, what is claimed, thresholds, calibration."""
    return _doubt(finding), _claimed(finding), _thresholds(finding), _calibration(finding)


def _doubt(finding: Probabilities) -> Table:
    fields = (
        _RUN,
        Field("score", "score"),
        Field("expected", "expected", "share"),
        Field("mean", "mean over worlds", "share"),
        Field("sd", "sd", "share"),
        Field("worlds", "95 % of worlds", "interval"),
    )
    rows: list[tuple[Any, ...]] = []
    for run in finding.runs:
        mine, doubt = run.whole, run.whole.doubt
        for score, expected, spread in (
            ("precision", mine.expected_precision, doubt.precision),
            ("recall", mine.expected_recall, doubt.recall),
            ("F1", mine.expected_f1, doubt.f1),
        ):
            cells = (
                (None, None, (None, None)) if spread is None else (spread.mean, spread.sd, (spread.low, spread.high))
            )
            rows.append((run.run, score, expected, *cells))
    notes = (
        "expected: from expected counts, as E(P), E(R) and E(F) are; mean: of the score over all worlds, 0/0 as 0",
        "this is the system's own doubt, given the key; intervals of scores are about other documents",
        *_reasons(run.whole.undefined for run in finding.runs),
    )
    return Table(
        "doubt", "The system's own doubt: scores over the worlds it holds for possible", fields, tuple(rows), notes
    )


def _claimed(finding: Probabilities) -> Table:
    fields = (
        _RUN,
        Field("claimed_precision", "P claimed", "share"),
        Field("precision", "P", "share"),
        Field("claimed_recall", "R claimed", "share"),
        Field("recall", "R", "share"),
        Field("claimed_f1", "F1 claimed", "share"),
        Field("f1", "F1", "share"),
    )
    rows = tuple(
        (run.run, each.claimed_precision, each.precision, each.claimed_recall, each.recall, each.claimed_f1, each.f1)
        for run in finding.runs
        for each in [run.whole]
    )
    return Table("claimed", "What the system claims without the key, and what is true", fields, rows)


def _thresholds(finding: Probabilities) -> Table:
    recalls = [each.recall for each in finding.runs[0].thresholds.at_recall]
    fields = (
        _RUN,
        Field("average_precision", "average precision", "share"),
        Field("recall_max", "highest recall", "share"),
        Field("best_f1", "best F1", "share"),
        Field("best_threshold", "at w ≥", "number"),
        *(Field(f"precision_at_{100 * each:g}", f"P at R ≥ {100 * each:g}", "share") for each in recalls),
    )
    rows = tuple(
        (
            run.run,
            each.average_precision,
            each.recall_max,
            each.best_f1,
            each.best_threshold,
            *(one.precision for one in each.at_recall),
        )
        for run in finding.runs
        for each in [run.thresholds]
    )
    notes = [
        f"decided by {finding.decide}{f', w ≥ {finding.min_weight:g}' if finding.min_weight else ''}, then cut by w; "
        "average precision is over the whole key",
        *_reasons(run.thresholds.undefined for run in finding.runs),
    ]
    if any(each.precision is None for run in finding.runs for each in run.thresholds.at_recall):
        notes.append("P at R: n/a where no threshold reaches that recall")
    return Table("thresholds", "Thresholds on w", fields, rows, tuple(notes))


def _calibration(finding: Probabilities) -> Table:
    fields = (
        _RUN,
        Field("items", "probabilities of"),
        Field("count", "count", "count"),
        Field("mass", "sum", "number"),
        Field("correct", "right", "count"),
        Field("ece", "ECE", "share"),
        Field("mce", "MCE", "share"),
        Field("brier", "Brier", "share"),
        Field("log_loss", "log loss", "p"),
        Field("auroc", "AUROC", "share"),
    )
    rows = tuple((run.run, *_calibration_cells(each)) for run in finding.runs for each in run.calibration)
    notes = (
        f"{finding.bins} bins; ECE, MCE, Brier and log loss are the better the lower; none of them sees what is missed",
        *_reasons(each.undefined for run in finding.runs for each in run.calibration),
    )
    return Table("calibration", "Calibration: do probabilities come true?", fields, rows, notes)


def _calibration_cells(each: Calibration) -> tuple[Any, ...]:
    return (
        _ITEMS[each.items],
        each.count,
        each.mass,
        each.correct,
        each.ece,
        each.mce,
        each.brier,
        each.log_loss,
        each.auroc,
    )


def _counts(finding: Probabilities) -> Table:
    fields = [
        _RUN,
        Field("key", "in key", "count"),
        Field("blocks", "blocks", "count"),
        Field("tuples", "tuples", "count"),
        Field("mass", "Σw", "number"),
        Field("right_mass", "Σw right", "number"),
        Field("decided", "decided", "count"),
        Field("correct", "right", "count"),
        Field("ties", "ties", "count"),
    ]
    rows: list[tuple[Any, ...]] = [
        (run.run, each.key, run.blocks, each.tuples, each.mass, each.right_mass, each.decided, each.correct, run.ties)
        for run in finding.runs
        for each in [run.whole]
    ]
    notes: list[str] = []
    if any(run.ties for run in finding.runs):
        fields += [
            Field("precision_ties", "P by ties", "interval"),
            Field("recall_ties", "R by ties", "interval"),
        ]
        rows = [(*row, *_by_ties(run)) for row, run in zip(rows, finding.runs, strict=True)]
        notes.append("P and R by ties: if all ties are broken against the system, and if all are broken for it")
    for run in finding.runs:
        said = ", ".join(f"{name} {value}" for name, value in run.policies.items())
        notes += [f"{run.run}: {said}"] if said else []
    return Table("counts", "Counts", tuple(fields), tuple(rows), tuple(notes))


def _by_ties(run: ProbableRun) -> tuple[tuple[float | None, float | None], tuple[float | None, float | None]]:
    low, high = run.ties_against, run.ties_for
    return (low.precision, high.precision), (low.recall, high.recall)


def _floors(finding: Probabilities) -> Table:
    fields = [Field("floor", "w ≥", "number")]
    for run in finding.runs:
        fields += [
            Field(f"{run.run}_e100", f"{run.run}: E100", "share"),
            Field(f"{run.run}_tuples_per_entity", "tuples per entity", "number"),
        ]
    rows = [
        (each[0].floor, *(cell for one in each for cell in (one.e100, one.tuples_per_entity)))
        for each in zip(*(run.floors for run in finding.runs), strict=True)
    ]
    note = "0: every tuple with w > 0; whoever lists every label of every span has an E100 of 100: look at both columns"
    return Table("floors", "E100: key entities held for possible", tuple(fields), tuple(rows), (note,))


def _reliability(finding: Probabilities) -> Table:
    fields = (
        _RUN,
        Field("low", "w >", "number"),
        Field("high", "w ≤", "number"),
        Field("count", "decided", "count"),
        Field("mean", "mean w", "share"),
        Field("share", "right", "share"),
        Field("gap", "right − mean w", "points"),
    )
    rows = [
        (run.run, each.low, each.high, each.count, each.mean, each.share, each.share - each.mean)
        for run in finding.runs
        for each in run.calibration_of("decided").bins
        if each.mean is not None and each.share is not None
    ]
    return Table("reliability", "Reliability of decided tuples, by their weight", fields, tuple(rows))


def _parts(finding: Probabilities, top: int | None) -> Table:
    name = finding.by
    fields = (
        Field(name, name),
        _RUN,
        Field("key", "in key", "count"),
        *(Field(each, header, "share") for each, header in (("precision", "P"), ("recall", "R"), ("f1", "F1"))),
        Field("expected_precision", "E(P)", "share"),
        Field("expected_recall", "E(R)", "share"),
        Field("expected_f1", "E(F)", "share"),
        Field("f1_sd", "sd of F1", "share"),
        Field("e100", "E100", "share"),
        Field("tuples_per_entity", "tuples per entity", "number"),
        Field("brier", "Brier", "share"),
    )
    names = list(dict.fromkeys(each.name for run in finding.runs for each in run.parts))
    by_run = [(run.run, {each.name: each for each in run.parts}) for run in finding.runs]
    groups: list[tuple[Any, ...]] = [
        tuple((part, run, *_part_cells(parts[part])) for run, parts in by_run if part in parts) for part in names
    ]
    kept, notes = cut(groups, top, _PARTS, name, f"{name}s")
    rows = tuple(row for group in kept for row in group)
    return Table(f"by-{name}", f"By {name}", fields, rows, (*notes, "sd of F1: over the system's own worlds"))


def _part_cells(each: ProbableScores) -> tuple[Any, ...]:
    return (
        each.key,
        each.precision,
        each.recall,
        each.f1,
        each.expected_precision,
        each.expected_recall,
        each.expected_f1,
        None if each.doubt.f1 is None else each.doubt.f1.sd,
        each.e100,
        each.tuples_per_entity,
        each.brier,
    )


def _reasons(undefined: Iterable[dict[str, str]]) -> list[str]:
    """Say why numbers are undefined, each reason once."""
    return [f"n/a: {reason}" for reason in dict.fromkeys(reason for each in undefined for reason in each.values())]


def pair_tables(finding: ExpectedPairs, top: int | None) -> tuple[Table, ...]:
    """Return how far pairs differ, which errors are whose, what they score together; for one pair also by label."""
    found = [_differences(finding, top), _rates(finding, top), _joint(finding, top)]
    if len(finding.pairs) == 1 and finding.pairs[0].labels:
        found.append(_by_label(finding.pairs[0], top))
    return tuple(found)


def _readings(pair: ExpectedPair) -> tuple[tuple[str, PairReading], ...]:
    return ("expected", pair.expected), ("decided", pair.decided)


def _differences(finding: ExpectedPairs, top: int | None) -> Table:
    fields = (
        Field("base", "base"),
        Field("new", "new"),
        Field("counts", "counts"),
        Field("diff", "diff", "share"),
        Field("diff_interval", "95 % interval", "interval"),
        Field("corrections", "corrections", "number"),
        Field("new_errors", "new errors", "number"),
        Field("items", "items", "number"),
        Field("f1_difference", "Δ F1", "points"),
    )
    rows = [
        (
            pair.first,
            pair.second,
            kind,
            each.overlap.diff,
            (each.overlap.low, each.overlap.high),
            each.overlap.corrections,
            each.overlap.new_errors,
            each.overlap.items,
            each.overlap.f1_difference,
        )
        for pair in finding.pairs
        for kind, each in _readings(pair)
    ]
    kept, notes = _cut(rows, top)
    said = "expected: each system's world is drawn as it believes, apart from the other's; decided: the hard outputs"
    title = "Pairs of probabilistic outputs: entities and wrong tuples on which they differ"
    return Table("expected-pairs", title, fields, kept, (*notes, said))


def _rates(finding: ExpectedPairs, top: int | None) -> Table:
    shown = [("comp", "Comp"), ("pcomp", "PComp"), ("rcomp", "RComp"), ("fcomp", "FComp")]
    if finding.beta != 1:
        shown.append(("fbeta", f"F{finding.beta:g}Comp"))
    fields = [Field("system", "errors of"), Field("other", "not made by"), Field("counts", "counts")]
    for key, name in shown:
        fields += [Field(key, name, "share"), Field(f"{key}_interval", "95 % interval", "interval")]
    pairs = [
        (rates, kind)
        for pair in finding.pairs
        for way in ("forth", "back")
        for kind, each in _readings(pair)
        for rates in [getattr(each, way)]
    ]
    rows = [(rates.system, rates.other, kind, *_rate_cells(rates, [key for key, _ in shown])) for rates, kind in pairs]
    kept, notes = _cut(rows, top)
    reasons = dict.fromkeys(
        rate.reason for rates, _ in pairs for rate in (rates.comp, rates.pcomp, rates.rcomp) if rate.reason
    )
    title = "Complementarity: which share of a system's errors another does not make"
    return Table(
        "expected-complementarity", title, tuple(fields), kept, (*notes, *(f"n/a: {each}" for each in reasons))
    )


def _rate_cells(rates: Rates, keys: Sequence[str]) -> list[Any]:
    return [cell for key in keys for rate in [getattr(rates, key)] for cell in (rate.value, (rate.low, rate.high))]


def _joint(finding: ExpectedPairs, top: int | None) -> Table:
    fields = (
        Field("of", "of"),
        Field("counts", "counts"),
        Field("made", "taken"),
        Field("precision", "precision", "share"),
        Field("recall", "recall", "share"),
        Field("f1", "F1", "share"),
        Field("over", "best alone"),
        Field("f1_gain", "Δ F1", "points"),
    )
    outputs = [
        (f"{pair.first}, {pair.second}", kind, each.joint) for pair in finding.pairs for kind, each in _readings(pair)
    ]
    if len(finding.pairs) > 1:
        outputs += [
            ("all", kind, each) for kind, each in (("expected", finding.expected), ("decided", finding.decided))
        ]
    rows = [
        (of, kind, each.made, each.precision, each.recall, each.f1, each.over, each.f1_gain)
        for of, kind, joint in outputs
        for each in joint
    ]
    kept, notes = _cut(rows, top, each=6)
    return Table("expected-joint", "What probabilistic outputs score together", fields, kept, notes)


def _by_label(pair: ExpectedPair, top: int | None) -> Table:
    fields = (
        Field("label", "label"),
        Field("key", "in key", "number"),
        Field("found_by_both", "found by both", "number"),
        Field("found_by_first", f"{pair.first} alone", "number"),
        Field("found_by_second", f"{pair.second} alone", "number"),
        Field("spurious_in_both", "spurious in both", "number"),
        Field("spurious_in_first", f"{pair.first} alone", "number"),
        Field("spurious_in_second", f"{pair.second} alone", "number"),
        Field("diff", "diff", "share"),
        Field("f1_difference", "Δ F1", "points"),
    )
    rows = [
        (
            each.label,
            mine.key,
            mine.found_by_both,
            mine.found_by_first,
            mine.found_by_second,
            mine.spurious_in_both,
            mine.spurious_in_first,
            mine.spurious_in_second,
            mine.diff,
            mine.f1_difference,
        )
        for each in pair.labels
        for mine in [each.expected.overlap]
    ]
    kept, notes = cut(list(rows), top, _PARTS, "label", "labels")
    return Table("expected-labels", f"Expected counts by label: {pair.first}, {pair.second}", fields, kept, notes)


def _cut(
    rows: Iterable[tuple[Any, ...]], top: int | None, each: int = 2
) -> tuple[tuple[tuple[Any, ...], ...], tuple[str, ...]]:
    """Keep the rows of all pairs of ten systems at least, for none of them is the first."""
    return cut(list(rows), max(top, each * _PAIRS) if top else top, each * _PAIRS, "row", "rows")
