"""What the difference of two systems consists of, as tables."""

from __future__ import annotations

from typing import Any

from comparanda.comparison.difference import Difference, DifferenceClass, Transition
from comparanda.show.cells import cell, counted
from comparanda.show.links import Link
from comparanda.show.table import NO_SITES, Field, Table, cut

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
    links: dict[tuple[int, int], Link] = {}
    for each in finding.classes:
        links[len(rows), 4] = _link(finding, each.where)
        links |= {(len(rows) + 1 + n, 4): _link(finding, t.where) for n, t in enumerate(each.transitions)}
        title = each.name.replace("_", " ")
        whole = 1.0 if each.count else None
        moved = _changed(each, hidden)
        rows.append((title, "", "", "", each.count, *moved, whole, each.share_of_differences, each.share_of_sites))
        kept, more = cut(
            _transition_rows(each, title, finding.sites, hidden),
            top,
            _TRANSITIONS,
            f"kind of {title}",
            f"kinds of {title}",
        )
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
    links = {place: link for place, link in links.items() if place[0] < len(rows)}
    return (Table("difference", title, fields, tuple(rows), tuple(notes), links=links),)


def _link(finding: Difference, where: str) -> Link:
    return Link(where, finding.base, finding.new, finding.view)


def _hidden_aspects(finding: Difference) -> tuple[str, ...]:
    """Return the aspects that change and that the rows do not show."""
    found = dict.fromkeys(name for each in finding.classes for change in each.changes for name in change.aspects)
    return tuple(name for name in found if name != "label") if finding.keyed_by == "label" else ()


def _changed(row: DifferenceClass | Transition, aspects: tuple[str, ...]) -> tuple[int, ...]:
    """Count the sites at which each of some aspects changes."""
    return tuple(sum(change.count for change in row.changes if name in change.aspects) for name in aspects)


def _changes(each: DifferenceClass) -> str:
    """Say which aspects change in a class: `new error: head alone 3, head and label 1`."""
    parts = []
    for change in each.changes:
        alone = " alone" if len(change.aspects) == 1 else ""
        parts.append(f"{' and '.join(change.aspects)}{alone} {change.count:,}")
    return f"{each.name.replace('_', ' ')}: {', '.join(parts)}"


def _transition_rows(each: DifferenceClass, title: str, sites: int, hidden: tuple[str, ...]) -> list[tuple[Any, ...]]:
    return [
        (
            title,
            transition.key,
            transition.base,
            transition.new,
            transition.count,
            *_changed(transition, hidden),
            transition.share_of_class,
            transition.share_of_differences,
            transition.count / sites,
        )
        for transition in each.transitions
    ]


def label_table(finding: Difference, top: int | None) -> Table:
    """Return the shares right by key label."""
    fields = (
        Field("label", "key label"),
        Field("difference", "Δ", "points"),
        Field("base_share", finding.base, "share"),
        Field("new_share", finding.new, "share"),
        Field("sites", "sites", "count"),
    )
    found = [(row.label, row.difference, row.base, row.new, row.sites) for row in finding.labels]
    rows, notes = cut(found, top, _LABELS, "label", "labels")
    return Table("labels", "Per key label, the largest difference first", fields, rows, notes)
