"""What strategies of feedback gain, as tables."""

from __future__ import annotations

from typing import Any

from comparanda.comparison.simulation import MEASURES, Simulated, Tried
from comparanda.show.cells import cell, counted
from comparanda.show.table import Field, Table, cut

_PAIRS = 45
_CALLED = {
    "f1": "F1",
    "precision": "P",
    "recall": "R",
    "expected_precision": "E(P)",
    "expected_recall": "E(R)",
}


def called(measure: str) -> str:
    """Return what a measure is called in a heading.

    >>> called("expected_recall")
    'E(R)'
    """
    return _CALLED[measure]


def simulation_tables(finding: Simulated, top: int | None) -> tuple[Table, ...]:
    """Return how each strategy did by F1, by the other measures, and how far they differ."""
    pairs = (_pair_table(finding, top),) if finding.pairs else ()
    return (_strategy_table(finding), _measure_table(finding), *pairs)


def _strategy_table(finding: Simulated) -> Table:
    band = any(each.seeds > 1 for each in finding.strategies)
    fields = [
        Field("strategy", "strategy"),
        Field("seeds", "seeds", "figure"),
        Field("questions", "questions", "figure"),
        Field("start", "start F1", "share"),
        Field("end", "end", "share"),
        Field("end_band", "5–95 %", "interval"),
        Field("area", "area", "share"),
        Field("area_band", "5–95 %", "interval"),
        Field("normalised", "of the gain", "share"),
        Field("to_half", "to 50 %", "figure"),
        Field("to_most", "to 90 %", "figure"),
    ]
    rows = [_strategy_row(finding, each) for each in finding.strategies]
    if not band:
        kept = [column for column, each in enumerate(fields) if each.kind != "interval"]
        fields, rows = [fields[column] for column in kept], [tuple(row[column] for column in kept) for row in rows]
    title = f"{finding.system}: F1 when questions are asked in this order"
    return Table("simulation", title, tuple(fields), tuple(rows), tuple(_notes(finding)))


def _strategy_row(finding: Simulated, each: Tried) -> tuple[Any, ...]:
    several = each.seeds > 1
    return (
        each.strategy,
        each.seeds,
        each.questions,
        finding.start.f1,
        each.end.f1,
        (each.end_low, each.end_high) if several else ("", ""),
        each.area.f1,
        (each.area_low, each.area_high) if several else ("", ""),
        each.normalised,
        each.to_half,
        each.to_most,
    )


def _notes(finding: Simulated) -> list[str]:
    """Say how these numbers were made, and what to know before reading them."""
    asked = "until nothing is uncertain" if finding.budget is None else f"at most {finding.budget:,}"
    notes = [
        f"{finding.ask} questions ({asked}), {finding.handler} handler, user {finding.user}, decided by "
        f"{finding.decide}; areas by {finding.area_by} over {counted(finding.horizon, 'question')}, "
        "the last value carried forward",
        f"of the gain: 0 for staying at the start, 100 for the ceiling, F1 {cell('share', finding.ceiling)} "
        f"(E100 {cell('share', finding.e100)}), from the first question on; "
        f"to 50 and 90 %: questions for these parts of the way to the best end, {cell('share', finding.best_end)}",
        _repeated(finding),
    ]
    if finding.where != "true":
        notes.insert(0, f"scope: {finding.where} ({_sizes(finding)})")
    if finding.regular is not None:
        each = finding.regular
        scores = {"F1": each.f1, "P": each.precision, "R": each.recall}
        said = ", ".join(f"{name} {cell('share', value)}" for name, value in scores.items())
        notes.append(f"{each.system}, without probabilities: {said}")
    return [*notes, *(f"beware: {warning}" for warning in finding.warnings)]


def _sizes(finding: Simulated) -> str:
    entities = "" if finding.entities is None else f", {counted(finding.entities, 'entity', 'entities')} of the key"
    return f"{counted(finding.tuples, 'tuple')}, of which {finding.uncertain:,} uncertain{entities}"


def _repeated(finding: Simulated) -> str:
    found = finding.repeated
    said = f"repeated text: {cell('share', found.share)} % of {counted(finding.tuples, 'tuple')}"
    if not found.largest:
        return said
    texts = ", ".join(f"{cell('text', each.text)} ({each.places:,})" for each in found.largest)
    return f"{said}; most often {texts}: {cell('share', found.largest_share)} %"


def _measure_table(finding: Simulated) -> Table:
    """Return ends and areas of the other measures."""
    others = MEASURES[1:]
    fields = (
        Field("strategy", "strategy"),
        *(Field(f"{name}_end", f"{called(name)} end", "share") for name in others),
        *(Field(f"{name}_area", f"{called(name)} area", "share") for name in others),
    )
    rows = [
        ("(start)", *(getattr(finding.start, name) for name in others), *("" for _ in others)),
        *(
            (
                each.strategy,
                *(getattr(each.end, name) for name in others),
                *(getattr(each.area, name) for name in others),
            )
            for each in finding.strategies
        ),
    ]
    return Table("measures", "The other measures", fields, tuple(rows))


def _pair_table(finding: Simulated, top: int | None) -> Table:
    fields = (
        Field("first", "strategy"),
        Field("second", "other"),
        Field("difference", "Δ area", "points"),
        Field("reading", "reading"),
    )
    rows = [(each.first, each.second, each.difference, each.reading or "") for each in finding.pairs]
    kept, more = cut(list(rows), max(top, _PAIRS) if top else top, _PAIRS, "pair", "pairs")
    least = f"no finding: below 1/(2n) = {cell('share', finding.least_difference)} points, "
    notes = (*more, f"{least}where ways of counting areas rank differently; within the band: of seeds")
    return Table("differences", "How far the areas differ", fields, kept, notes)
