"""Findings on pairs of probabilistic outputs: differences, complementarity and joint outputs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.measures import ratio
from comparanda.core.sites import format_value
from comparanda.errors import UsageError
from comparanda.findings.complement import Rate, Rates, complement, f_complement, score_items
from comparanda.findings.context import Interval, none_if_nan
from comparanda.render.finding import Finding
from comparanda.render.table import Field, Table, cut_rows
from comparanda.tasks.prob.tuples import BeliefData, PairCells, TupleTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.verdicts import System
    from comparanda.findings.context import Context

    Floats = NDArray[np.float64]
    Output = tuple[Floats, Floats]


_ERROR_KINDS = ("error", "spurious tuple", "missed entity")
_RATE_COUNT = 5
_NO_INTERVALS: list[Interval] = [(None, None)] * (1 + 2 * _RATE_COUNT)  # of diff, and of the rates in both directions


@dataclass(frozen=True, kw_only=True)
class ExpectedOverlap:
    """The entities and wrong tuples of two systems, alone and together; sums over all pairs of runs.

    Args:
        key: the entities of the key.
        found_by_both: those that both find.
        found_by_first: those that only the first finds.
        found_by_second: those that only the second finds.
        found_by_neither: those that neither finds.
        spurious_in_both: wrong tuples that both claim.
        spurious_in_first: those that only the first claims.
        spurious_in_second: those that only the second claims.
        corrections: errors of the first that the second does not make.
        new_errors: errors of the second that the first does not make.
        items: the entities of the key, and the wrong tuples that at least one of the two claims.
        diff: the share of items on which they differ: corrections and new errors.
        low: the lower end of its 95 % interval over documents.
        high: the upper end.
        f1_difference: F1 of the second minus that of the first, on these counts.

    """

    key: float
    found_by_both: float
    found_by_first: float
    found_by_second: float
    found_by_neither: float
    spurious_in_both: float
    spurious_in_first: float
    spurious_in_second: float
    corrections: float
    new_errors: float
    items: float
    diff: float | None
    low: float | None
    high: float | None
    f1_difference: float | None


@dataclass(frozen=True, kw_only=True)
class JointOutput:
    """A combination of several outputs.

    Args:
        made: the `union` of their tuples, the `intersection`, or the `oracle`: right if any is, wrong only if all are.
        found: the entities of the key in it.
        claimed: all tuples in it.
        precision: found over claimed.
        recall: found over the entities of the key.
        f1: their harmonic mean.
        over: the best single run by F1, with which the gain compares; the first in ties.
        f1_gain: its F1 minus that run's.

    """

    made: str
    found: float
    claimed: float
    precision: float | None
    recall: float | None
    f1: float | None
    over: str
    f1_gain: float | None


@dataclass(frozen=True)
class PairReading:
    """Two systems, by expected counts or by those of the hard outputs.

    Args:
        overlap: the counts.
        forth: the share of the first's errors that the second does not make.
        back: the share of the second's errors that the first does not make.
        joint: union, intersection and oracle.

    """

    overlap: ExpectedOverlap
    forth: Rates
    back: Rates
    joint: tuple[JointOutput, ...]


class PairReader:
    """Compares pairs of systems, and combines all systems, by one kind of weights.

    All results are lists: for all labels together, then for each label.
    """

    def __init__(self, data: BeliefData, table: TupleTable, beta: float) -> None:
        self._data, self._table, self._beta = data, table, beta
        self._forced = data.context.zero_division

    def together(self) -> list[tuple[JointOutput, ...]]:
        """Combine all runs."""
        table = self._table
        any_of, all_of = 1 - np.prod(1 - table.weights, axis=0), np.prod(table.weights, axis=0)
        made = {"union": (any_of, any_of), "intersection": (all_of, all_of), "oracle": (any_of, all_of)}
        found = {name: self._sum_output(*each) for name, each in made.items()}
        single = [self._sum_output(each, each) for each in table.weights]
        names = self._data.context.verdicts.runs
        return self._score_joint(names, single, found, _prepend_sum(self._data.key_cells.sum(axis=0)))

    def _sum_output(self, right: Floats, wrong: Floats) -> Output:
        found = self._table.right(right).sum(axis=0)
        return _prepend_sum(found), _prepend_sum(found + self._table.wrong(wrong).sum(axis=0))

    def readings(self, first: System, second: System, *, drawn: bool = False) -> list[PairReading]:
        """Compare a pair; with `drawn`, the results for all labels together have intervals."""
        pairs = product(first.runs, second.runs)
        cells: Floats = np.sum(
            [self._table.cells(*runs).matrix() for runs in pairs], axis=0
        )  # (units, labels, numbers)
        totals = cells.sum(axis=0)
        mine = PairCells.of(np.concatenate([totals.sum(axis=0, keepdims=True), totals]))
        spans = self._intervals(cells.sum(axis=1)) if drawn else _NO_INTERVALS
        values = self._compute_rates(mine), self._compute_rates(mine.swapped())
        names = first.name, second.name
        joint = self._score_joint(
            names, [_first_output(mine), _first_output(mine.swapped())], _combined_outputs(mine), mine.key
        )
        return [
            PairReading(
                self._overlap(PairCells.of(row), intervals[0]),
                _build_rates(*names, values[0][:, place], intervals[1 : 1 + _RATE_COUNT]),
                _build_rates(*names[::-1], values[1][:, place], intervals[1 + _RATE_COUNT :]),
                joint[place],
            )
            for place, row in enumerate(mine.matrix())
            for intervals in [spans if not place else _NO_INTERVALS]
        ]

    def _compute_rates(self, cells: PairCells) -> Floats:
        """Compute Comp, PComp, RComp, FComp and FβComp of the first's errors, along the first axis."""
        missed, spurious = cells.found_by_neither, cells.spurious_in_both  # by both
        recall = complement(missed + cells.found_by_second, missed + cells.found_by_first, missed)
        precision = complement(spurious + cells.spurious_in_first, spurious + cells.spurious_in_second, spurious)
        common = missed + spurious
        found = np.stack(
            [
                complement(common + cells.corrections, common + cells.new_errors, common),
                precision,
                recall,
                f_complement(precision, recall),
                f_complement(precision, recall, self._beta),
            ]
        )
        return found if self._forced is None else np.where(np.isnan(found), self._forced, found)

    def _intervals(self, units: Floats) -> list[Interval]:
        """Resample only units with counts for the pair, so that other systems do not affect the result."""
        context = self._data.context
        rows = context.active[units[context.active].any(axis=1)]

        def finish(sums: Floats) -> Floats:
            cells = PairCells.of(sums)
            return np.stack(
                [_diff_share(cells), *self._compute_rates(cells), *self._compute_rates(cells.swapped())], axis=1
            )

        return context.interval(units[rows], finish) if len(rows) > 1 else _NO_INTERVALS

    def _overlap(self, cells: PairCells, span: Interval) -> ExpectedOverlap:
        scores = [score_items(*_first_output(each), cells.key, self._forced)[2] for each in (cells, cells.swapped())]
        return ExpectedOverlap(
            key=float(cells.key),
            found_by_both=float(cells.found_by_both),
            found_by_first=float(cells.found_by_first),
            found_by_second=float(cells.found_by_second),
            found_by_neither=float(cells.found_by_neither),
            spurious_in_both=float(cells.spurious_in_both),
            spurious_in_first=float(cells.spurious_in_first),
            spurious_in_second=float(cells.spurious_in_second),
            corrections=float(cells.corrections),
            new_errors=float(cells.new_errors),
            items=float(cells.items),
            diff=none_if_nan(float(_diff_share(cells))),
            low=span[0],
            high=span[1],
            f1_difference=none_if_nan(float(scores[1] - scores[0])),
        )

    def _score_joint(
        self, names: Sequence[str], single: Sequence[Output], made: Mapping[str, Output], positives: Floats
    ) -> list[tuple[JointOutput, ...]]:
        """Score combined outputs, and their gain over the best single one."""
        alone = np.stack([score_items(*each, positives, self._forced)[2] for each in single])
        best = np.nan_to_num(alone, nan=-1.0).argmax(axis=0).tolist()
        outputs = [_score_outputs(name, each, positives, self._forced) for name, each in made.items()]
        return [
            tuple(
                replace(each[place], over=names[top], f1_gain=_subtract_f1(each[place].f1, float(alone[top, place])))
                for each in outputs
            )
            for place, top in enumerate(best)
        ]


def _score_outputs(made: str, output: Output, positives: Floats, forced: float | None) -> list[JointOutput]:
    """Score an output on all labels together and on each label."""
    rows = zip(*output, *score_items(*output, positives, forced), strict=True)
    return [
        JointOutput(
            made=made,
            found=float(found),
            claimed=float(claimed),
            precision=none_if_nan(precision),
            recall=none_if_nan(recall),
            f1=none_if_nan(f1),
            over="",
            f1_gain=None,
        )
        for found, claimed, precision, recall, f1 in rows
    ]


def _subtract_f1(f1: float | None, alone: float) -> float | None:
    return None if f1 is None else none_if_nan(f1 - alone)


def _prepend_sum(by_label: Floats) -> Floats:
    """Prepend the sum over labels."""
    return np.concatenate([by_label.sum(keepdims=True), by_label])


def _diff_share(cells: PairCells) -> Floats:
    return ratio(cells.corrections + cells.new_errors, cells.items)


def _first_output(cells: PairCells) -> Output:
    """Derive the first of two outputs from their counts."""
    found = cells.found_by_both + cells.found_by_first
    return found, found + cells.spurious_in_both + cells.spurious_in_first


def _combined_outputs(cells: PairCells) -> dict[str, Output]:
    """Derive the combinations of two outputs from their counts."""
    any_of = cells.found_by_both + cells.found_by_first + cells.found_by_second
    claimed = cells.spurious_in_both + cells.spurious_in_first + cells.spurious_in_second
    return {
        "union": (any_of, any_of + claimed),
        "intersection": (cells.found_by_both, cells.found_by_both + cells.spurious_in_both),
        "oracle": (any_of, any_of + cells.spurious_in_both),
    }


def _build_rates(system: str, other: str, values: Floats, spans: Sequence[Interval]) -> Rates:
    """Build rates, each with its interval or the reason why it is undefined."""
    mine, found = values.tolist(), []
    for kind, (value, span) in enumerate(zip(mine, spans, strict=True)):
        known = none_if_nan(value)
        found.append(Rate(known, *span, _undefined_reason(kind, mine, system) if known is None else None))
    comp, pcomp, rcomp, fcomp, fbeta = found
    return Rates(system=system, other=other, comp=comp, pcomp=pcomp, rcomp=rcomp, fcomp=fcomp, fbeta=fbeta)


def _undefined_reason(kind: int, values: Sequence[float], system: str) -> str:
    if kind < len(_ERROR_KINDS):
        return f"{system} has no {_ERROR_KINDS[kind]}"
    return " and ".join(f"{name} is undefined" for name, at in (("PComp", 1), ("RComp", 2)) if math.isnan(values[at]))


# Pairs of probabilistic outputs: their difference, complementarity and joint output, on expected counts.
#
# The world of each system is drawn from its probabilities, independently of the other's. The expected number of
# entities found by both is then Σw·w′ over the entities of the key, that of wrong tuples in both the same sum over
# wrong tuples; so expected counts follow from weights alone. For hard outputs, weights are 0 or 1.


@dataclass(frozen=True)
class LabelReading:
    """Two systems on one label."""

    label: str
    expected: PairReading
    decided: PairReading


@dataclass(frozen=True, kw_only=True)
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
    """The combinations of all runs on one label, by expected counts and by those of the hard outputs."""

    label: str
    expected: tuple[JointOutput, ...]
    decided: tuple[JointOutput, ...]


@dataclass(frozen=True, kw_only=True)
class ExpectedPairs(Finding):
    """All pairs of systems, and the combinations of all runs.

    Args:
        view: the view.
        beta: the weight of recall in `fbeta`.
        runs: all runs.
        pairs: every pair of systems once.
        expected: union, intersection and oracle of all runs, by expected counts.
        decided: the same of the hard outputs.
        labels: the same for each label.

    """

    json_name = "expected_pairs"

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

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        return pair_tables(self, top)


def expected_pairs(context: Context, beta: float = 1.0) -> ExpectedPairs | None:
    """Compare all pairs of probabilistic outputs; None where a view has none."""
    if not (math.isfinite(beta) and beta > 0):
        raise UsageError(f"beta is {beta!r}", hint="it is a number above 0: 2 weighs recall twice as much")
    data = BeliefData.of(context)
    if data is None:
        return None
    if len(context.systems) < 2:
        raise UsageError("pairs require two systems", hint=f"found only {context.systems[0].name!r}")
    soft, hard = (PairReader(data, TupleTable(data, soft=soft), beta) for soft in (True, False))
    together = list(zip(soft.together(), hard.together(), strict=True))
    return ExpectedPairs(
        view=context.view.name,
        beta=beta,
        runs=context.verdicts.runs,
        pairs=tuple(
            _compare_pair(data, soft=soft, hard=hard, first=pair[0], second=pair[1])
            for pair in combinations(context.systems, 2)
        ),
        expected=together[0][0],
        decided=together[0][1],
        labels=tuple(
            LabelJoint(format_value(label), *each) for label, each in zip(data.labels, together[1:], strict=True)
        ),
    )


def _compare_pair(
    data: BeliefData, soft: PairReader, hard: PairReader, first: System, *, second: System
) -> ExpectedPair:
    """Compare a pair by expected counts, with intervals, and by those of the hard outputs."""
    readings = list(zip(soft.readings(first, second, drawn=True), hard.readings(first, second), strict=True))
    labels = tuple(
        LabelReading(format_value(label), soft_reading, hard_reading)
        for label, (soft_reading, hard_reading) in zip(data.labels, readings[1:], strict=True)
        if soft_reading.overlap.items or hard_reading.overlap.items
    )
    expected, decided = readings[0]
    return ExpectedPair(first=first.name, second=second.name, expected=expected, decided=decided, labels=labels)


# Pairs of probabilistic outputs as tables.


_USUAL_LABELS, _USUAL_PAIRS = 20, 45  # rows by default


def pair_tables(finding: ExpectedPairs, top: int | None) -> tuple[Table, ...]:
    """Build the tables of differences, complementarity and joint outputs; for a single pair also one by label."""
    found = [_difference_table(finding, top), _rate_table(finding, top), _joint_table(finding, top)]
    if len(finding.pairs) == 1 and finding.pairs[0].labels:
        found.append(_label_table(finding.pairs[0], top))
    return tuple(found)


def _both_readings(pair: ExpectedPair) -> tuple[tuple[str, PairReading], ...]:
    return ("expected", pair.expected), ("decided", pair.decided)


def _difference_table(finding: ExpectedPairs, top: int | None) -> Table:
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
        for kind, each in _both_readings(pair)
    ]
    kept, notes = _cut_pair_rows(rows, top)
    remark = (
        "expected: each system's world is drawn from its probabilities, independently of the other's; "
        "decided: the hard outputs"
    )
    title = "Pairs of probabilistic outputs: entities and wrong tuples on which they differ"
    return Table(name="expected-pairs", title=title, fields=fields, rows=kept, notes=(*notes, remark))


def _rate_table(finding: ExpectedPairs, top: int | None) -> Table:
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
        for kind, each in _both_readings(pair)
        for rates in [getattr(each, way)]
    ]
    rows = [(rates.system, rates.other, kind, *_rate_cells(rates, [key for key, _ in shown])) for rates, kind in pairs]
    kept, notes = _cut_pair_rows(rows, top)
    reasons = dict.fromkeys(
        rate.reason for rates, _ in pairs for rate in (rates.comp, rates.pcomp, rates.rcomp) if rate.reason
    )
    title = "Complementarity: the share of a system's errors that another does not make"
    return Table(
        name="expected-complementarity",
        title=title,
        fields=tuple(fields),
        rows=kept,
        notes=(*notes, *(f"n/a: {each}" for each in reasons)),
    )


def _rate_cells(rates: Rates, keys: Sequence[str]) -> list[Any]:
    return [cell for key in keys for rate in [getattr(rates, key)] for cell in (rate.value, (rate.low, rate.high))]


def _joint_table(finding: ExpectedPairs, top: int | None) -> Table:
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
        (f"{pair.first}, {pair.second}", kind, each.joint)
        for pair in finding.pairs
        for kind, each in _both_readings(pair)
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
    kept, notes = _cut_pair_rows(rows, top, each=6)
    return Table(
        name="expected-joint", title="Scores of combined probabilistic outputs", fields=fields, rows=kept, notes=notes
    )


def _label_table(pair: ExpectedPair, top: int | None) -> Table:
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
    kept, notes = cut_rows(list(rows), top=top, usual=_USUAL_LABELS, one="label", many="labels")
    return Table(
        name="expected-labels",
        title=f"Expected counts by label: {pair.first}, {pair.second}",
        fields=fields,
        rows=kept,
        notes=notes,
    )


def _cut_pair_rows(
    rows: Iterable[tuple[Any, ...]], top: int | None, each: int = 2
) -> tuple[tuple[tuple[Any, ...], ...], tuple[str, ...]]:
    """Cut rows, keeping at least those of all pairs of ten systems, as pairs are not ranked."""
    return cut_rows(
        list(rows), top=max(top, each * _USUAL_PAIRS) if top else top, usual=each * _USUAL_PAIRS, one="row", many="rows"
    )
