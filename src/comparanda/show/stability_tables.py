"""How steady systems of several runs are, as tables."""

from __future__ import annotations

from typing import Any

from comparanda.comparison.stability import Stability, SystemStability
from comparanda.expressions import quote
from comparanda.show.cells import counted
from comparanda.show.links import Link
from comparanda.show.table import NO_SITES, Field, Linked, Table, cut

_LABELS, _PAIRS = 5, 45  # how many rows are shown unless told otherwise


def stability_tables(finding: Stability, top: int | None) -> tuple[Table, ...]:
    """Return how steady each system is, its flips by label, and the pairs with what is left beyond noise."""
    pairs = (_pair_table(finding, top),) if finding.pairs else ()
    return (_system_table(finding), *pairs, _label_table(finding, top))


def _system_table(finding: Stability) -> Table:
    fields = (
        Field("system", "system"),
        Field("runs", "runs", "figure"),
        Field("lowest", f"lowest {finding.measure}", "share"),
        Field("highest", "highest", "share"),
        Field("deviation", "std. dev.", "share"),
        Field("within", "diff within", "share"),
        Field("within_interval", "95 % interval", "interval"),
        Field("sites", "sites", "count"),
        Field("flips", "flips", "count"),
        Field("flip_share", "%", "share"),
        Field("right_and_wrong", "right ↔ wrong", "count"),
        Field("right_and_wrong_share", "%", "share"),
        Field("always_right", "right in all", "share"),
        Field("ever_right", "in any", "share"),
    )
    rows = tuple(_system_row(finding, each) for each in finding.systems)
    notes = [
        "diff within: mean over pairs of runs; flips: sites at which not all runs give the same value; "
        "right ↔ wrong: some are right there, others wrong"
    ]
    if not all(each.sites for each in finding.systems):
        notes.append(NO_SITES)
    return Table("stability", "How steady each system is over its runs", fields, rows, tuple(notes))


def _system_row(finding: Stability, each: SystemStability) -> tuple[Any, ...]:
    counts = (each.flips, each.right_and_wrong, each.always_right, each.ever_right)
    flips, right_and_wrong, always_right, ever_right = (Link(found.where, view=finding.view) for found in counts)
    return (
        each.system,
        len(each.runs),
        each.lowest,
        each.highest,
        each.deviation,
        each.within,
        (each.low, each.high),
        Linked(each.sites, Link(f"right_in({quote(each.system)}) >= 0", view=finding.view)),
        Linked(each.flips.count, flips),
        Linked(each.flips.share, flips),
        Linked(each.right_and_wrong.count, right_and_wrong),
        Linked(each.right_and_wrong.share, right_and_wrong),
        Linked(each.always_right.share, always_right),
        Linked(each.ever_right.share, ever_right),
    )


def _pair_table(finding: Stability, top: int | None) -> Table:
    fields = (
        Field("base", "base"),
        Field("new", "new"),
        Field("within_base", "within base", "share"),
        Field("within_new", "within new", "share"),
        Field("between", "between", "share"),
        Field("excess", "excess", "points"),
        Field("excess_interval", "95 % interval", "points_interval"),
        Field("reading", "reading"),
    )
    rows: list[tuple[Any, ...]] = [
        (
            pair.base,
            pair.new,
            pair.within_base,
            pair.within_new,
            Linked(pair.between, Link(pair.where, pair.base, pair.new, finding.view)),
            pair.excess,
            (pair.low, pair.high),
            pair.reading,
        )
        for pair in finding.pairs
    ]
    kept, more = cut(rows, max(top, _PAIRS) if top else top, _PAIRS, "pair", "pairs")
    notes = [
        *more,
        "excess = between − (within base + within new) / 2: what is left when the systems' own noise is taken away; "
        "if its interval touches 0, one run is no comparison",
        *dict.fromkeys(f"n/a: {pair.reason}" for pair in finding.pairs if pair.reason),
        *_resampling(finding),
    ]
    title = "What is left of a difference beyond the systems' own noise"
    return Table("excess", title, fields, kept, tuple(notes))


def _resampling(finding: Stability) -> tuple[str, ...]:
    """Say how intervals were made, and what makes them doubtful."""
    if not finding.resamples:
        return ()
    made = f"{counted(finding.resamples, 'bootstrap resample')} of {counted(finding.units, finding.unit)}"
    return f"95 % intervals: {made}, seed {finding.seed}", *(f"beware: {warning}" for warning in finding.warnings)


def _label_table(finding: Stability, top: int | None) -> Table:
    fields = (
        Field("system", "system"),
        Field("label", "key label"),
        Field("sites", "sites", "count"),
        Field("flips", "flips", "count"),
        Field("share", "%", "share"),
    )
    rows: list[tuple[Any, ...]] = []
    notes: list[str] = []
    for each in finding.systems:
        mine: list[tuple[Any, ...]] = [
            (
                each.system,
                row.label,
                Linked(row.sites, Link(row.where, view=finding.view)),
                Linked(row.flips.count, flips),
                Linked(row.flips.share, flips),
            )
            for row in each.labels
            for flips in [Link(row.flips.where, view=finding.view)]
        ]
        kept, more = cut(mine, top, _LABELS, f"label of {each.system}", f"labels of {each.system}")
        rows += kept
        notes += more
    return Table("flips", "Where runs flip, by key label", fields, tuple(rows), tuple(notes))
