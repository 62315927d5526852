"""What the difference of two systems consists of, as tables."""

from __future__ import annotations

from typing import Any

from comparanda.comparison.context import share
from comparanda.comparison.difference import Difference, DifferenceClass, LabelDifference, Transition
from comparanda.show.cells import cell, counted
from comparanda.show.links import Link, narrowed
from comparanda.show.table import NO_SITES, Field, Linked, Table, cut

_TRANSITIONS, _LABELS = 5, 5  # how many rows are shown unless told otherwise


def difference_tables(finding: Difference, top: int | None) -> tuple[Table, ...]:
    """Return the classes of differences and what each consists of."""
    hidden = _hidden_aspects(finding)
    fields = (
        Field("class", "class"),
        Field("key", "key"),
        Field("base", finding.base),
        Field("new", finding.new),
        Field("count", "count", "count"),
        *(Field(f"{aspect}_changed", f"{aspect} moved", "count") for aspect in hidden),
        Field("share_of_class", "% of class", "share"),
        Field("share_of_differences", "% of differences", "share"),
        Field("share_of_sites", "% of sites", "share"),
    )
    rows: list[tuple[Any, ...]] = []
    notes: list[str] = []
    for each in finding.classes:
        title = each.name.replace("_", " ")
        rows.append((title, "", "", "", *_counted(finding, each, hidden, 1.0 if each.count else None)))
        transitions = [
            (title, one.key, one.base, one.new, *_counted(finding, one, hidden, one.share_of_class))
            for one in each.transitions
        ]
        kept, more = cut(transitions, top, _TRANSITIONS, f"kind of {title}", f"kinds of {title}")
        rows += kept
        notes += more
    notes += [_changes(each) for each in finding.classes if hidden and each.changes]
    flips = cell("share", finding.negative_flip_rate)
    notes.append(
        f"same right {finding.same_right:,}, same error {finding.same_error:,}; "
        f"new errors over all sites = negative flip rate {flips} %"
    )
    if finding.largest_site is not None:
        notes.append(f"the largest overlap site has {counted(finding.largest_site, 'span')} (crowd)")
    if not finding.sites:
        notes.append(NO_SITES)
    title = (
        f"Difference {finding.base} → {finding.new}: {cell('share', finding.diff)} % "
        f"({finding.different:,}/{finding.sites:,}), "
        f"Δ accuracy {cell('points', finding.accuracy_difference)}"
    )
    return (Table("difference", title, fields, tuple(rows), tuple(notes)),)


def _counted(
    finding: Difference, row: DifferenceClass | Transition, hidden: tuple[str, ...], share_of_class: float | None
) -> list[Linked]:
    """Return the numbers of a class or of a transition: all lead to its sites, those of an aspect to where it moved."""
    link = _link(finding, row.where)
    moved = [Linked(_changed(row, name), _link(finding, narrowed(row.where, f"{name}_changed"))) for name in hidden]
    shares = (share_of_class, row.share_of_differences, share(row.count, finding.sites))
    return [Linked(row.count, link), *moved, *(Linked(each, link) for each in shares)]


def _link(finding: Difference, where: str) -> Link:
    return Link(where, finding.base, finding.new, finding.view)


def _hidden_aspects(finding: Difference) -> tuple[str, ...]:
    """Return the aspects that change and that the rows do not show."""
    found = dict.fromkeys(name for each in finding.classes for change in each.changes for name in change.aspects)
    return tuple(name for name in found if name != "label") if finding.keyed_by == "label" else ()


def _changed(row: DifferenceClass | Transition, aspect: str) -> int:
    """Count the sites at which an aspect changes."""
    return sum(change.count for change in row.changes if aspect in change.aspects)


def _changes(each: DifferenceClass) -> str:
    """Say which aspects change in a class: `new error: head alone 3, head and label 1`."""
    parts = []
    for change in each.changes:
        alone = " alone" if len(change.aspects) == 1 else ""
        parts.append(f"{' and '.join(change.aspects)}{alone} {change.count:,}")
    return f"{each.name.replace('_', ' ')}: {', '.join(parts)}"


def label_table(finding: Difference, top: int | None) -> Table:
    """Return the shares right by key label."""
    fields = (
        Field("label", "key label"),
        Field("difference", "Δ", "points"),
        Field("base_share", finding.base, "share"),
        Field("new_share", finding.new, "share"),
        Field("sites", "sites", "count"),
    )
    found = [_label_row(finding, row) for row in finding.labels]
    rows, notes = cut(found, top, _LABELS, "label", "labels")
    return Table("labels", "Per key label, the largest difference first", fields, rows, notes)


def _label_row(finding: Difference, row: LabelDifference) -> tuple[Any, ...]:
    """Let shares lead to the sites that are right: with several runs, once for each pair of them."""
    base, new = (_link(finding, narrowed(row.where, right)) for right in ("base_right", "new_right"))
    sites = Linked(row.sites, _link(finding, row.where))
    return row.label, row.difference, Linked(row.base, base), Linked(row.new, new), sites
