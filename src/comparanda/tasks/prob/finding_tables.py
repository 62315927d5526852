"""Tables and charts of probabilistic outputs: scores, model uncertainty, thresholds, calibration."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING, Any

from comparanda.core.probabilities import EPSILON
from comparanda.expressions import quote_string
from comparanda.findings.context import is_value
from comparanda.render.count_links import Link
from comparanda.render.table import Field, Kind, Linked, Table, cut_rows, format_cell
from comparanda.tasks.prob.findings import (
    Calibration,
    Floor,
    Probabilities,
    ProbableRun,
    ProbableScores,
    ReliabilityBin,
)

if TYPE_CHECKING:
    from comparanda.render.charts import LineChart

_USUAL_PARTS = 20  # rows by default
_BIN_SLACK = 5e-10  # share of a bin that is rounded down to its lower end
_RUN_FIELD = Field("run", "system")
_ITEM_NAMES = {"decided": "decided tuples", "all": "all tuples", "spans": "spans", "labels": "labels of right spans"}


def belief_tables(finding: Probabilities, top: int | None) -> tuple[Table, ...]:
    """Build all tables that supplement the scores."""
    return (
        *short_belief_tables(finding),
        _count_table(finding),
        _floor_table(finding),
        _reliability_table(finding),
        _part_table(finding, top),
    )


def short_belief_tables(finding: Probabilities) -> tuple[Table, ...]:
    """Build the tables for any page with scores: model uncertainty, claimed scores, thresholds, calibration."""
    return _doubt_table(finding), _claimed_table(finding), _threshold_table(finding), _calibration_table(finding)


def _doubt_table(finding: Probabilities) -> Table:
    fields = (
        _RUN_FIELD,
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
        "expected: E(P), E(R) and E(F), from expected counts; mean: of the score over all worlds, with 0/0 as 0",
        "this is the system's own uncertainty, given the key; intervals of scores are about variation over documents",
        *_reasons(run.whole.undefined for run in finding.runs),
    )
    return Table(
        name="doubt",
        title="The system's own uncertainty: scores over its possible worlds",
        fields=fields,
        rows=tuple(rows),
        notes=notes,
    )


def _claimed_table(finding: Probabilities) -> Table:
    fields = (
        _RUN_FIELD,
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
    return Table(
        name="claimed", title="Scores claimed by the system without the key, and true scores", fields=fields, rows=rows
    )


def _threshold_table(finding: Probabilities) -> Table:
    recalls = [each.recall for each in finding.runs[0].thresholds.at_recall]
    fields = (
        _RUN_FIELD,
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
    return Table(name="thresholds", title="Thresholds on w", fields=fields, rows=rows, notes=tuple(notes))


def _calibration_table(finding: Probabilities) -> Table:
    fields = (
        _RUN_FIELD,
        Field("items", "probabilities of"),
        Field("count", "count", "figure"),
        Field("mass", "sum", "number"),
        Field("correct", "right", "figure"),
        Field("ece", "ECE", "share"),
        Field("mce", "MCE", "share"),
        Field("brier", "Brier", "share"),
        Field("log_loss", "log loss", "p"),
        Field("auroc", "AUROC", "share"),
    )
    rows = tuple((run.run, *_calibration_cells(finding, run, each)) for run in finding.runs for each in run.calibration)
    notes = (
        f"{finding.bins} bins; lower is better for ECE, MCE, Brier and log loss; none of them counts missed entities",
        *_reasons(each.undefined for run in finding.runs for each in run.calibration),
    )
    return Table(
        name="calibration", title="Calibration: are the probabilities right?", fields=fields, rows=rows, notes=notes
    )


def _calibration_cells(finding: Probabilities, run: ProbableRun, each: Calibration) -> tuple[Any, ...]:
    """Format one kind of calibration; undecided tuples are items only if the key has them."""
    count, correct = {
        "decided": (_decided_condition(run.run), _found_condition(run.run)),
        "all": (None, f"positive and weight({quote_string(run.run)}) >= 0"),
    }.get(each.items, (None, None))
    return (
        _ITEM_NAMES[each.items],
        _link_count(finding, each.count, count),
        each.mass,
        _link_count(finding, each.correct, correct),
        each.ece,
        each.mce,
        each.brier,
        each.log_loss,
        each.auroc,
    )


def _decided_condition(run: str) -> str:
    return f"claims({quote_string(run)})"


def _found_condition(run: str) -> str:
    return f"positive and {_decided_condition(run)}"


def _count_kind(finding: Probabilities) -> Kind:
    """Choose the kind of field for counts of entities and decided tuples: counts of items if these are the items."""
    return "count" if finding.itemised else "figure"


def _link_count(finding: Probabilities, value: float | None, where: str | None) -> Linked:
    """Link a number to the items that it counts, if it counts items of the view."""
    return Linked(value, Link(where, view=finding.view) if finding.itemised and where is not None else None)


def _count_table(finding: Probabilities) -> Table:
    kind = _count_kind(finding)
    fields = [
        _RUN_FIELD,
        Field("key", "in key", kind),
        Field("blocks", "blocks", "figure"),
        Field("tuples", "tuples", "figure"),
        Field("mass", "Σw", "number"),
        Field("right_mass", "Σw right", "number"),
        Field("decided", "decided", kind),
        Field("correct", "right", kind),
        Field("ties", "ties", "figure"),
    ]
    rows: list[tuple[Any, ...]] = [
        (
            run.run,
            _link_count(finding, each.key, "positive"),
            run.blocks,
            each.tuples,
            each.mass,
            each.right_mass,
            _link_count(finding, each.decided, _decided_condition(run.run)),
            _link_count(finding, each.correct, _found_condition(run.run)),
            run.ties,
        )
        for run in finding.runs
        for each in [run.whole]
    ]
    notes: list[str] = []
    if any(run.ties for run in finding.runs):
        fields += [
            Field("precision_ties", "P by ties", "interval"),
            Field("recall_ties", "R by ties", "interval"),
        ]
        rows = [(*row, *_tie_cells(run)) for row, run in zip(rows, finding.runs, strict=True)]
        notes.append("P and R by ties: if all ties are broken against the system, and if all are broken for it")
    for run in finding.runs:
        settings = ", ".join(f"{name} {value}" for name, value in run.policies.items())
        notes += [f"{run.run}: {settings}"] if settings else []
    return Table(name="counts", title="Counts", fields=tuple(fields), rows=tuple(rows), notes=tuple(notes))


def _tie_cells(run: ProbableRun) -> tuple[tuple[float | None, float | None], tuple[float | None, float | None]]:
    low, high = run.ties_against, run.ties_for
    return (low.precision, high.precision), (low.recall, high.recall)


def _floor_table(finding: Probabilities) -> Table:
    fields = [Field("floor", "w ≥", "number")]
    for run in finding.runs:
        fields += [
            Field(f"{run.run}_e100", f"{run.run}: E100", "share"),
            Field(f"{run.run}_tuples_per_entity", "tuples per entity", "number"),
        ]
    rows = [
        (
            each[0].floor,
            *chain.from_iterable(_floor_cells(finding, *one) for one in zip(finding.runs, each, strict=True)),
        )
        for each in zip(*(run.floors for run in finding.runs), strict=True)
    ]
    note = (
        "0: every tuple with w > 0; "
        "a system that lists every label of every span has an E100 of 100: read both columns together"
    )
    return Table(
        name="floors",
        title="E100: key entities to which the system gives a probability",
        fields=tuple(fields),
        rows=tuple(rows),
        notes=(note,),
    )


def _floor_cells(finding: Probabilities, run: ProbableRun, floor: Floor) -> tuple[Linked, float | None]:
    """Link E100 to the entities of the key with enough weight."""
    weight = f"weight({quote_string(run.run)})"
    enough = f"{weight} >= {floor.floor - EPSILON:.17g}" if floor.floor else f"{weight} > 0"
    return _link_count(finding, floor.e100, f"positive and {enough}"), floor.tuples_per_entity


def _reliability_table(finding: Probabilities) -> Table:
    fields = (
        _RUN_FIELD,
        Field("low", "w >", "number"),
        Field("high", "w ≤", "number"),
        Field("count", "decided", _count_kind(finding)),
        Field("mean", "mean w", "share"),
        Field("share", "right", "share"),
        Field("gap", "right − mean w", "points"),
    )
    rows = [
        (
            run.run,
            each.low,
            each.high,
            _link_count(finding, each.count, inside),
            each.mean,
            _link_count(finding, each.share, f"positive and {inside}"),
            each.share - each.mean,
        )
        for run in finding.runs
        for each in run.calibration_of("decided").bins
        if each.mean is not None and each.share is not None
        for inside in [_bin_condition(run.run, each)]
    ]
    return Table(
        name="reliability", title="Reliability of decided tuples, by their weight", fields=fields, rows=tuple(rows)
    )


def _bin_condition(run: str, each: ReliabilityBin) -> str:
    """Format the condition that a decided tuple is in a bin, with weights next to a bound on the side they round to."""
    weight = f"weight({quote_string(run)})"
    slack = _BIN_SLACK * (each.high - each.low)
    above = [f"{weight} > {each.low + slack:.17g}"] if each.low else []
    below = [f"{weight} <= {each.high + slack:.17g}"] if each.high < 1 else []
    return " and ".join([_decided_condition(run), *above, *below])


def _part_table(finding: Probabilities, top: int | None) -> Table:
    name = finding.by
    fields = (
        Field(name, name),
        _RUN_FIELD,
        Field("key", "in key", _count_kind(finding)),
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
        tuple((part, run, *_part_cells(finding, parts[part])) for run, parts in by_run if part in parts)
        for part in names
    ]
    kept, notes = cut_rows(groups, top=top, usual=_USUAL_PARTS, one=name, many=f"{name}s")
    rows = tuple(row for group in kept for row in group)
    return Table(
        name=f"by-{name}",
        title=f"By {name}",
        fields=fields,
        rows=rows,
        notes=(*notes, "sd of F1: over the system's own worlds"),
    )


def _part_cells(finding: Probabilities, each: ProbableScores) -> tuple[Any, ...]:
    return (
        _link_count(finding, each.key, f"positive and {is_value(finding.by, each.name)}"),
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
    """List the reasons why numbers are undefined, each once."""
    return [f"n/a: {reason}" for reason in dict.fromkeys(reason for each in undefined for reason in each.values())]


# Charts of probabilistic outputs: reliability, and precision over recall by threshold.


def reliability_chart(finding: Probabilities) -> LineChart:
    """Build the reliability diagram: the share of correct decided tuples over their mean weight, by bin."""
    from comparanda.render.charts import Axis, Line, LineChart

    lines = [
        Line(
            name=f"{run.run} (ECE {format_cell('share', mine.ece)})",
            x=[each.mean for each in mine.bins if each.mean is not None],
            y=[each.share for each in mine.bins if each.share is not None],
            pointed=True,
        )
        for run, mine in ((run, _decided_calibration(run)) for run in finding.runs)
    ]
    return LineChart(
        title="Are the probabilities right?",
        subtitle=f"decided tuples in {finding.bins} bins by w; below the diagonal: overconfident",
        description="Share of right tuples over their mean probability, for each system: "
        + "; ".join(
            f"{run.run} has an ECE of {format_cell('share', _decided_calibration(run).ece)}" for run in finding.runs
        )
        + ".",
        x=Axis(label="mean probability (%)", unit="share", low=0, high=1),
        y=Axis(label="right (%)", unit="share", low=0, high=1),
        lines=(*lines, Line(name="calibrated", x=(0, 1), y=(0, 1), reference=True)),
        name="reliability",
    )


def threshold_chart(finding: Probabilities) -> LineChart:
    """Build the precision-recall curve for falling thresholds on w, over the whole key."""
    from comparanda.render.charts import Axis, Line, LineChart

    lines = tuple(
        Line(
            name=f"{run.run} (AP {format_cell('share', run.thresholds.average_precision)})",
            x=run.thresholds.recall or (),
            y=run.thresholds.precision if run.thresholds.recall is not None else (),
        )
        for run in finding.runs
    )
    return LineChart(
        title="Precision and recall as the threshold falls",
        subtitle=f"decided by {finding.decide}, then cut by w; recall is over the whole key",
        description="Precision over recall for each system: "
        + "; ".join(
            f"{run.run} reaches {format_cell('share', run.thresholds.recall_max)} % recall" for run in finding.runs
        )
        + ".",
        x=Axis(label="recall (%)", unit="share", low=0),
        y=Axis(label="precision (%)", unit="share", low=0, high=1),
        lines=lines,
        name="thresholds",
    )


def _decided_calibration(run: ProbableRun) -> Calibration:
    """Return the calibration of the decided tuples of a run, which comes first."""
    return run.calibration[0]


CHARTS: dict[str, Callable[[Probabilities], LineChart]] = {
    "reliability": reliability_chart,
    "thresholds": threshold_chart,
}
"""The charts by name, as `score --chart` takes them."""
