"""Scores on slices of the sites, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from comparanda.comparison.slices import by_all_systems
from comparanda.show.links import Link, narrowed, right_link
from comparanda.show.table import Field, Linked, Table, cut

if TYPE_CHECKING:
    from comparanda.comparison.slices import Slice, Slices

_SLICES = 20  # how many rows are shown unless told otherwise


def slice_table(finding: Slices, top: int | None, *, of_pair: bool = False) -> Table:
    """Put slices in rows; they are of all systems, or of the pair that a difference is about.

    What all systems say of the sites of two cannot be asked for, so slices by that lead nowhere.
    """
    linked = not (of_pair and by_all_systems(finding))
    fields = [
        Field("value", finding.by),
        Field("sites", "sites", "count" if linked else "figure"),
        *(Field(system, system, "share") for system in finding.systems),
    ]
    rows: list[tuple[Any, ...]] = []
    for each in finding.slices:
        links = _links(finding, each, of_pair=of_pair) if linked else [None, *(None for _ in finding.systems)]
        rows.append((each.value, *map(Linked, (each.sites, *each.scores), links)))
    if finding.base is not None:
        name = f"Δ {finding.base} → {finding.new}"
        fields += [Field("difference", name, "points"), Field("p", "p", "p"), Field("p_corrected", "p (BH)", "p")]
        rows = [
            (*row, each.difference, each.p, each.p_corrected) for row, each in zip(rows, finding.slices, strict=True)
        ]
    kept, notes = cut(rows, top, _SLICES, "slice", "slices")
    if finding.left_out:
        notes = (*notes, f"{finding.left_out:,} sites in slices beyond the limit are not shown")
    title = f"{finding.measure} by {finding.by}"
    return Table(f"by-{finding.by}", title, tuple(fields), kept, (*notes, *finding.reasons))


def _links(finding: Slices, each: Slice, *, of_pair: bool) -> list[Link | None]:
    """Return what leads to the sites of a slice, and from accuracies to those that each system has right."""
    pair = (finding.base, finding.new) if of_pair else (None, None)
    right = [right_link(finding.measure, finding.view, system, each.where) for system in finding.systems]
    if any(link is None or link.view != finding.view for link in right):
        right = [None for _ in right]  # slices are cut out of the finding's own view
    elif of_pair:
        sides = ["base_right" if system == finding.base else "new_right" for system in finding.systems]
        right = [Link(narrowed(each.where, side), *pair, finding.view) for side in sides]
    return [Link(each.where, *pair, finding.view), *right]
