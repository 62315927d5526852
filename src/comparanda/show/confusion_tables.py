"""Which labels a run mistakes for which, as tables."""

from __future__ import annotations

from typing import Any

from comparanda.comparison.confusion import Confusion, LabelCount
from comparanda.show.cells import counted
from comparanda.show.links import Link
from comparanda.show.table import NO_SITES, Field, Linked, Table, cut

_CELLS, _LABELS = 20, 20  # how many rows are shown unless told otherwise
_NAMED = 20  # so many labels are named in a note
_OTHERS = "(others)"


def confusion_tables(finding: Confusion, top: int | None) -> tuple[Table, ...]:
    """Return what is said for what, the most frequent errors first, and how often each label is right."""
    return _cells(finding, top), *_labels(finding, top)


def _cells(finding: Confusion, top: int | None) -> Table:
    fields = (
        Field("key", _called(finding)),
        Field("said", finding.run),
        Field("count", "sites", "count"),
        Field("wrong", "wrong", "count"),
        Field("share_of_key", f"% of {finding.called}", "share"),
    )
    rows: list[tuple[Any, ...]] = []
    for each in finding.cells:
        link = Link(each.where, view=finding.view)
        rows.append(
            (
                _named(each.key),
                _named(each.said),
                Linked(each.count, link),
                Linked(each.wrong, link if each.wrong == each.count else Link(each.where_wrong, view=finding.view)),
                Linked(each.share_of_key, link),
            )
        )
    kept, more = cut(rows, top, _CELLS, "row", "rows")
    title = f"What {finding.run} says: right at {finding.right:,} of {counted(finding.sites, 'site')}"
    return Table("confusion", title, fields, kept, (*more, *_notes(finding)))


def _notes(finding: Confusion) -> list[str]:
    """Say how rows are sorted, and which labels one side alone has."""
    if not finding.sites:
        return [NO_SITES]
    found = ["the most frequent errors first"]
    if any(each.wrong for each in finding.cells if each.key is not None and each.key == each.said):
        found.append("of equal labels the values are wrong where something else differs: the head, the extent, the id")
    if any(finding.others):
        here, there = finding.others
        found.append(f"{_OTHERS}: {counted(here, finding.called)} of the key, {there:,} of {finding.run}")
    for labels, who in ((finding.unsaid, "only in the key"), (finding.unknown, f"only in {finding.run}")):
        if labels:
            left = len(labels) - _NAMED
            found.append(f"{who}: {', '.join(labels[:_NAMED])}{f' … {left:,} more' if left > 0 else ''}")
    return found


def _labels(finding: Confusion, top: int | None) -> tuple[Table, ...]:
    """Return how often each label is there, said and right; where rows are kinds, those and labels apart."""
    if finding.called == "label":
        return (_both_sides(finding, top),)
    kinds = _one_side(finding, f"{finding.called}s", f"By {finding.called}", _called(finding), finding.key)
    said = _one_side(finding, "said", f"What {finding.run} says, in all", finding.run, finding.said)
    return kinds, said


def _both_sides(finding: Confusion, top: int | None) -> Table:
    fields = (
        Field("label", "label"),
        Field("key", "in the key", "count"),
        Field("said", f"in {finding.run}", "count"),
        Field("right", "right", "count"),
        Field("share_of_key", "% of the key's", "share"),
        Field("share_of_said", f"% of {finding.run}'s", "share"),
    )
    key, said = ({each.label: each for each in side} for side in (finding.key, finding.said))
    rows = []
    for label in [*key, *(label for label in said if label not in key)]:
        mine, theirs = key.get(label), said.get(label)
        either = mine or theirs
        assert either is not None
        right = Link(either.where_right, view=finding.view)
        rows.append(
            (
                _named(label),
                _count(finding, mine),
                _count(finding, theirs),
                Linked(either.right, right),
                Linked(mine.share_right, right) if mine else None,
                Linked(theirs.share_right, right) if theirs else None,
            )
        )
    kept, more = cut(rows, top, _LABELS, "label", "labels")
    return Table("confusion-labels", f"Labels of the key and of {finding.run}", fields, kept, more)


def _count(finding: Confusion, side: LabelCount | None) -> Linked | str:
    """Return how often a side has a label; an empty cell where it never does."""
    return "" if side is None else Linked(side.count, Link(side.where, view=finding.view))


def _one_side(finding: Confusion, name: str, title: str, header: str, labels: tuple[LabelCount, ...]) -> Table:
    fields = (
        Field("label", header),
        Field("count", "sites", "count"),
        Field("right", "right", "count"),
        Field("share_right", "% right", "share"),
    )
    rows = []
    for each in labels:
        right = Link(each.where_right, view=finding.view)
        rows.append(
            (
                _named(each.label),
                Linked(each.count, Link(each.where, view=finding.view)),
                Linked(each.right, right),
                Linked(each.share_right, right),
            )
        )
    return Table(f"confusion-{name}", title, fields, tuple(rows))


def _called(finding: Confusion) -> str:
    return "key label" if finding.called == "label" else finding.called


def _named(label: str | None) -> str:
    return _OTHERS if label is None else label
