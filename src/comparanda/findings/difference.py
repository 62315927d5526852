"""The difference of two systems, broken down by class, transition and label.

See Tuggener (2017), algorithm 1, tables 1–6 and 12.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from comparanda.core.claims import CROWD
from comparanda.core.measures import ratio
from comparanda.core.sites import Aspect, format_value
from comparanda.core.text_columns import TextColumn
from comparanda.errors import UsageError, suggest_nearest
from comparanda.findings.context import Context, divide_counts, is_value
from comparanda.findings.error_sources import ErrorSources, error_sources
from comparanda.findings.site_names import Labelling, name_sites
from comparanda.findings.slices import Slices, slice_table
from comparanda.findings.table_links import join_conditions
from comparanda.render.count_links import Link
from comparanda.render.finding import Finding
from comparanda.render.table import NO_SITES, Field, Linked, Table, cut_rows, format_cell, format_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.sites import Sites
    from comparanda.core.text_columns import Codes, Rows
    from comparanda.core.verdicts import System
    from comparanda.render.charts import Paper


CLASSES = ("correction", "new_error", "changed_error")


Keying = Literal["label", "value"]
KEYINGS: tuple[Keying, ...] = get_args(Keying)


@dataclass(frozen=True)
class Change:
    """The aspects of values that change from one system to the other: the head of an arc, its label, or both.

    Args:
        aspects: the aspects that change; all others stay the same.
        count: the number of sites.
        share_of_class: of all corrections, all new errors, or all changed errors.
        where: the condition that selects these sites.

    """

    aspects: tuple[str, ...]
    count: int
    share_of_class: float | None
    where: str


@dataclass(frozen=True, kw_only=True)
class Transition:
    """One kind of change: the base predicts one label and the new system another.

    Args:
        key: the key's label; where values have no separate label, its value.
        base: the base's.
        new: the new system's; the same as the base's where something other than the label changes.
        count: the number of sites.
        share_of_class: of all corrections, all new errors, or all changed errors (tables 4 and 6).
        share_of_differences: of all sites at which the two differ (table 8).
        where: the condition that selects these sites.
        changes: the aspects that change at them, for values of several aspects.

    """

    key: str
    base: str
    new: str
    count: int
    share_of_class: float | None
    share_of_differences: float | None
    where: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, kw_only=True)
class DifferenceClass:
    """Corrections, new errors or changed errors: their number, and their transitions, the most frequent first.

    `changes` counts the aspects that change, for values of several aspects.
    """

    name: str
    count: int
    share_of_differences: float | None
    share_of_sites: float | None
    low: float | None
    high: float | None
    where: str
    changes: tuple[Change, ...]
    transitions: tuple[Transition, ...]


@dataclass(frozen=True, kw_only=True)
class LabelDifference:
    """The share right among the sites with one key label, for both systems (table 12)."""

    label: str
    sites: int
    base_right: int
    new_right: int
    base: float
    new: float
    difference: float
    where: str


@dataclass(frozen=True, kw_only=True)
class Difference(Finding):
    """The anatomy of a pair: a base S1 and a new system S2.

    Counts are of sites; where systems have several runs, of sites times pairs of runs. `keyed_by` is whether
    transitions are distinguished by labels alone or by complete values; `slices` are by the attributes requested.
    `largest_site` is the number of distinct spans at the largest overlap site: one long span may contain many.
    `sources` attributes the errors to their sources, where rules determine these.
    """

    json_name = "difference"

    view: str
    base: str
    new: str
    keyed_by: str
    run_pairs: int
    sites: int
    different: int
    diff: float | None
    same_right: int
    same_error: int
    base_accuracy: float | None
    new_accuracy: float | None
    accuracy_difference: float | None
    negative_flip_rate: float | None
    classes: tuple[DifferenceClass, ...]
    labels: tuple[LabelDifference, ...]
    slices: tuple[Slices, ...]
    largest_site: int | None = None
    sources: ErrorSources | None = None

    def of(self, name: str) -> DifferenceClass:
        """Return one class by its name: correction, new_error or changed_error."""
        return next(each for each in self.classes if each.name == name)

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        sources = () if self.sources is None else self.sources.tables()
        cuts = (slice_table(each, top, of_pair=True) for each in self.slices)
        return (*difference_tables(self, top), *sources, label_table(self, top), *cuts)

    def charts(self) -> tuple[Paper, ...]:
        """Return the charts."""
        from comparanda.findings.difference_charts import flow_chart, gain_chart

        return (flow_chart(self), gain_chart(self)) if self.different else ()


def compute_difference(context: Context, base: str, new: str, keyed_by: Keying = "label") -> Difference:
    """Break down the difference of two systems by class, transition and label."""
    if keyed_by not in KEYINGS:
        raise UsageError(
            f"transitions cannot be keyed by {keyed_by!r}{suggest_nearest(keyed_by, KEYINGS)}", hint=", ".join(KEYINGS)
        )
    first, second = context.verdicts.system(base), context.verdicts.system(new)
    context = context.among(base, new)
    run_pairs = len(first.runs) * len(second.runs)
    total = len(context.sites) * run_pairs
    counts: Counter[_ChangeKind] = Counter()
    same_error = 0
    units = np.zeros((len(context.active), len(CLASSES)))
    for old, fresh in product(first.runs, second.runs):
        rows, key, mine, theirs = find_decisions(context, old, fresh)
        same_error += int(((mine == theirs) & (mine != key)).sum())
        for number, mask in enumerate(classes_of(key, mine, theirs)):
            units[:, number] += context.unit_counts(rows[mask])
            counts.update(
                _count_kinds(
                    context, name=CLASSES[number], rows=np.flatnonzero(mask), runs=(old, fresh), keyed_by=keyed_by
                )
            )
    different = sum(counts.values())
    writer = _RowWriter(context, keyed_by, different)
    classes = _class_rows(context, writer=writer, counts=counts, units=units, total=total, run_pairs=run_pairs)
    labels = _compare_labels(context, first, second)
    right = [_count_right(context, system) for system in (first, second)]
    decided = [len(context.sites) * len(system.runs) for system in (first, second)]
    gained, lost = classes[0].count, classes[1].count
    return Difference(
        view=context.view.name,
        base=base,
        new=new,
        keyed_by=keyed_by,
        run_pairs=run_pairs,
        sites=total,
        different=different,
        diff=divide_counts(different, total),
        same_right=total - different - same_error,
        same_error=same_error,
        base_accuracy=divide_counts(right[0], decided[0]),
        new_accuracy=divide_counts(right[1], decided[1]),
        accuracy_difference=divide_counts(gained - lost, total),
        negative_flip_rate=divide_counts(lost, total),
        classes=classes,
        labels=labels,
        slices=(),
        largest_site=_largest_site(context.sites),
        sources=error_sources(context, base, new),
    )


def _count_right(context: Context, system: System) -> int:
    """Count the sites that a system has right, over its runs."""
    wrong = sum(int(np.count_nonzero(~context.sites.disputed.right[run])) for run in system.runs)
    return len(context.sites) * len(system.runs) - wrong


def _largest_site(sites: Sites) -> int | None:
    """Return the number of spans of the largest overlap site; None for sites of other kinds."""
    crowd = sites.attributes.get(CROWD)
    if crowd is None or not len(sites):
        return None
    sizes = crowd.make()
    assert not isinstance(sizes, TextColumn)
    return int(sizes.max(initial=1))  # sites that are only counted have one span each


def find_decisions(context: Context, old: int, fresh: int) -> tuple[Rows, Codes, Codes, Codes]:
    """Return the contested sites with the value codes of the key and of one run of base and new system.

    At all other sites every run agrees with the key, so nothing differs there.
    """
    disputed = context.sites.disputed
    return context.sites.contested, disputed.key, disputed.values[old], disputed.values[fresh]


def classes_of(
    key: NDArray[np.integer], old: NDArray[np.integer], fresh: NDArray[np.integer]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Classify sites. Correction: S1 ≠ y = S2. New error: S1 = y ≠ S2. Changed error: both ≠ y, S1 ≠ S2."""
    return (old != key) & (fresh == key), (old == key) & (fresh != key), (old != key) & (fresh != key) & (old != fresh)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ChangeKind:
    """A kind of change: its class, the codes of the labels (or values), and a bit mask of changed aspects."""

    name: str
    key: int
    base: int
    new: int
    changed: int

    @property
    def transition(self) -> tuple[int, int, int]:
        return self.key, self.base, self.new


def _count_kinds(
    context: Context, name: str, rows: Rows, runs: tuple[int, int], *, keyed_by: Keying
) -> Counter[_ChangeKind]:
    """Count the kinds of change at some of the contested sites, all of one class."""
    disputed = context.sites.disputed
    aspect_of_change = _select_aspect(disputed, keyed_by)
    width, bits = len(aspect_of_change.names), len(disputed.aspects)
    packed = np.zeros(len(rows), np.int64)
    for column in (aspect_of_change.key, aspect_of_change.values[runs[0]], aspect_of_change.values[runs[1]]):
        packed = packed * width + column[rows]
    for aspect in disputed.aspects.values():
        packed = packed * 2 + (aspect.values[runs[0]][rows] != aspect.values[runs[1]][rows])
    counts: Counter[_ChangeKind] = Counter()
    for code, count in zip(*map(np.ndarray.tolist, np.unique(packed, return_counts=True)), strict=True):
        labels, changed = code >> bits, code & ((1 << bits) - 1)
        kind = _ChangeKind(
            name=name, key=labels // width // width, base=labels // width % width, new=labels % width, changed=changed
        )
        counts[kind] = count
    return counts


def _select_aspect(sites: Sites, keyed_by: Keying) -> Aspect:
    return sites.labels if keyed_by == "label" else Aspect(sites.key, sites.values, sites.names)


VALUE_COLUMNS = ("key", "base", "new")
LABEL_COLUMNS = ("label", "base_label", "new_label")


def label_columns(sites: Sites) -> tuple[str, str, str]:
    """Return the names, in conditions, of the labels of the key, the base and the new system."""
    return LABEL_COLUMNS if "label" in sites.aspects else VALUE_COLUMNS


def transition_condition(kind: str, columns: tuple[str, str, str], key: str, base: str, *, new: str) -> str:
    """Write the condition that selects one kind of change; only a changed error needs the key's label too."""
    where = f"{kind} and {is_value(columns[1], base)} and {is_value(columns[2], new)}"
    return f"{where} and {is_value(columns[0], key)}" if kind == "changed_error" else where


class _RowWriter:
    """Makes the rows of the tables from counts of kinds."""

    def __init__(self, context: Context, keyed_by: Keying, different: int) -> None:
        self.names = tuple(map(format_value, _select_aspect(context.sites, keyed_by).names))
        self.aspects = tuple(context.sites.aspects)
        self.different = different
        self.columns = label_columns(context.sites) if keyed_by == "label" else VALUE_COLUMNS

    def transition(self, name: str, code: tuple[int, int, int], kinds: Counter[_ChangeKind], size: int) -> Transition:
        """Make the row of one transition; `size` is that of its class."""
        key, old, fresh = (self.names[number] for number in code)
        where = transition_condition(name, columns=self.columns, key=key, base=old, new=fresh)
        count = sum(kinds.values())
        changes = self.changes(where, kinds, size)
        return Transition(
            key=key,
            base=old,
            new=fresh,
            count=count,
            share_of_class=divide_counts(count, size),
            share_of_differences=divide_counts(count, self.different),
            where=where,
            changes=changes,
        )

    def changes(self, where: str, kinds: Counter[_ChangeKind], size: int) -> tuple[Change, ...]:
        """Count changes by the set of aspects that change, single aspects first."""
        counts: Counter[int] = Counter()
        for kind, count in kinds.items():
            counts[kind.changed] += count
        rows = []
        for changed in sorted(counts, key=lambda bits: (bits.bit_count(), -bits)):
            states = [(name, bool(changed >> place & 1)) for place, name in enumerate(reversed(self.aspects))][::-1]
            condition = [f"{name}_changed" if state else f"not {name}_changed" for name, state in states]
            aspects = tuple(name for name, state in states if state)
            if aspects:
                count = counts[changed]
                rows.append(Change(aspects, count, divide_counts(count, size), " and ".join([where, *condition])))
        return tuple(rows)


def _class_rows(
    context: Context,
    writer: _RowWriter,
    counts: Counter[_ChangeKind],
    units: NDArray[np.float64],
    *,
    total: int,
    run_pairs: int,
) -> tuple[DifferenceClass, ...]:
    decisions = context.decided[:, None] * run_pairs
    with_total = np.concatenate([units, decisions], axis=1)
    spans = context.interval(with_total, lambda sums: ratio(sums[:, :-1], sums[:, -1:]))
    rows = []
    for name, (low, high) in zip(CLASSES, spans, strict=True):
        mine = Counter({kind: count for kind, count in counts.items() if kind.name == name})
        groups: dict[tuple[int, int, int], Counter[_ChangeKind]] = {}
        for kind, count in mine.items():
            groups.setdefault(kind.transition, Counter())[kind] = count
        size = sum(mine.values())
        order = sorted(groups, key=lambda code: (-sum(groups[code].values()), code))
        rows.append(
            DifferenceClass(
                name=name,
                count=size,
                share_of_differences=divide_counts(size, writer.different),
                share_of_sites=divide_counts(size, total),
                low=low,
                high=high,
                where=name,
                changes=writer.changes(name, mine, size),
                transitions=tuple(writer.transition(name, code, groups[code], size) for code in order),
            )
        )
    return tuple(rows)


def _compare_labels(context: Context, first: System, second: System) -> tuple[LabelDifference, ...]:
    """Compare the shares right by key label, the largest absolute difference first."""
    named = name_sites(context.view)
    right = [_count_right_by_label(context, named, system) for system in (first, second)]
    rows = []
    for code in named.present:
        count = int(named.counts[code])
        old, fresh = int(right[0][code]), int(right[1][code])
        decided = [count * len(system.runs) for system in (first, second)]
        # computed from counts: rounding must not decide the order
        gained = fresh * len(first.runs) - old * len(second.runs)
        rows.append(
            LabelDifference(
                label=named.called(code),
                sites=count,
                base_right=old,
                new_right=fresh,
                base=old / decided[0],
                new=fresh / decided[1],
                difference=gained / (decided[0] * len(second.runs)),
                where=named.condition(code),
            )
        )
    return tuple(sorted(rows, key=lambda row: (-abs(row.difference), -row.sites, row.label)))


def _count_right_by_label(context: Context, named: Labelling, system: System) -> NDArray[np.int64]:
    """Count the sites that a system has right by label, over its runs; errors are few, so these are subtracted."""
    right = context.sites.disputed.right
    wrong = [np.bincount(named.contested[~right[run]], minlength=len(named.names)) for run in system.runs]
    found: NDArray[np.int64] = np.sum([named.counts - each for each in wrong], axis=0)
    return found


# The difference of two systems as tables.


_SHOWN_TRANSITIONS, _SHOWN_LABELS = 5, 5  # the default number of rows


def difference_tables(finding: Difference, top: int | None) -> tuple[Table, ...]:
    """Return the table of classes of differences, each with its transitions."""
    hidden = _hidden_aspects(finding)
    fields = (
        Field("class", "class"),
        Field("key", "key"),
        Field("base", finding.base),
        Field("new", finding.new),
        Field("count", "count", "count"),
        *(Field(f"{aspect}_changed", f"{aspect} changed", "count") for aspect in hidden),
        Field("share_of_class", "% of class", "share"),
        Field("share_of_differences", "% of differences", "share"),
        Field("share_of_sites", "% of sites", "share"),
    )
    rows: list[tuple[Any, ...]] = []
    notes: list[str] = []
    for each in finding.classes:
        title = each.name.replace("_", " ")
        rows.append((title, "", "", "", *_count_cells(finding, each, hidden, 1.0 if each.count else None)))
        transitions = [
            (title, one.key, one.base, one.new, *_count_cells(finding, one, hidden, one.share_of_class))
            for one in each.transitions
        ]
        kept, more = cut_rows(
            transitions, top=top, usual=_SHOWN_TRANSITIONS, one=f"kind of {title}", many=f"kinds of {title}"
        )
        rows += kept
        notes += more
    notes += [_change_note(each) for each in finding.classes if hidden and each.changes]
    flips = format_cell("share", finding.negative_flip_rate)
    notes.append(
        f"same right {finding.same_right:,}, same error {finding.same_error:,}; "
        f"new errors over all sites = negative flip rate {flips} %"
    )
    if finding.largest_site is not None:
        notes.append(f"the largest overlap site has {format_count(finding.largest_site, 'span')} (crowd)")
    if not finding.sites:
        notes.append(NO_SITES)
    title = (
        f"Difference {finding.base} → {finding.new}: {format_cell('share', finding.diff)} % "
        f"({finding.different:,}/{finding.sites:,}), "
        f"Δ accuracy {format_cell('points', finding.accuracy_difference)}"
    )
    return (Table(name="difference", title=title, fields=fields, rows=tuple(rows), notes=tuple(notes)),)


def _count_cells(
    finding: Difference, row: DifferenceClass | Transition, hidden: tuple[str, ...], share_of_class: float | None
) -> list[Linked]:
    """Return the counts of a class or transition with links: to its sites, or to those at which an aspect changes."""
    link = _link(finding, row.where)
    moved = [
        Linked(_count_changed(row, name), _link(finding, join_conditions(row.where, f"{name}_changed")))
        for name in hidden
    ]
    shares = (share_of_class, row.share_of_differences, divide_counts(row.count, finding.sites))
    return [Linked(row.count, link), *moved, *(Linked(each, link) for each in shares)]


def _link(finding: Difference, where: str) -> Link:
    return Link(where, finding.base, finding.new, finding.view)


def _hidden_aspects(finding: Difference) -> tuple[str, ...]:
    """Return the aspects that change but are not shown in the rows."""
    found = dict.fromkeys(name for each in finding.classes for change in each.changes for name in change.aspects)
    return tuple(name for name in found if name != "label") if finding.keyed_by == "label" else ()


def _count_changed(row: DifferenceClass | Transition, aspect: str) -> int:
    """Count the sites of a row at which an aspect changes."""
    return sum(change.count for change in row.changes if aspect in change.aspects)


def _change_note(each: DifferenceClass) -> str:
    """Write which aspects change in a class: `new error: head alone 3, head and label 1`."""
    parts = []
    for change in each.changes:
        alone = " alone" if len(change.aspects) == 1 else ""
        parts.append(f"{' and '.join(change.aspects)}{alone} {change.count:,}")
    return f"{each.name.replace('_', ' ')}: {', '.join(parts)}"


def label_table(finding: Difference, top: int | None) -> Table:
    """Return the table of accuracies by key label."""
    fields = (
        Field("label", "key label"),
        Field("difference", "Δ", "points"),
        Field("base_share", finding.base, "share"),
        Field("new_share", finding.new, "share"),
        Field("sites", "sites", "count"),
    )
    found = [_label_row(finding, row) for row in finding.labels]
    rows, notes = cut_rows(found, top=top, usual=_SHOWN_LABELS, one="label", many="labels")
    return Table(
        name="labels", title="Per key label, the largest difference first", fields=fields, rows=rows, notes=notes
    )


def _label_row(finding: Difference, row: LabelDifference) -> tuple[Any, ...]:
    """Write a label; shares link to the sites that are right, with several runs once for each pair of them."""
    base, new = (_link(finding, join_conditions(row.where, right)) for right in ("base_right", "new_right"))
    sites = Linked(row.sites, _link(finding, row.where))
    return row.label, row.difference, Linked(row.base, base), Linked(row.new, new), sites
