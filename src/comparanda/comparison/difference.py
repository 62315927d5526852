"""What the difference of two systems consists of (Tuggener 2017, algorithm 1, tables 1–4 and 12)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from comparanda.comparison.context import Context, is_value, share
from comparanda.comparison.finding import Finding
from comparanda.comparison.scores import scores
from comparanda.expressions import quote
from comparanda.measures import ratio
from comparanda.verdicts import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from comparanda.columns import Rows
    from comparanda.verdicts import System

CLASSES = ("correction", "new_error", "changed_error")


@dataclass(frozen=True)
class Transition:
    """One kind of change: where the base says one value and the new system another.

    Args:
        key: the key's value.
        base: the base's value.
        new: the new system's value.
        count: how many sites.
        share_of_class: of all corrections, all new errors, or all changed errors (tables 4 and 6).
        share_of_differences: of all sites at which the two differ (table 8).
        where: the condition that selects these sites.

    """

    key: str
    base: str
    new: str
    count: int
    share_of_class: float | None
    share_of_differences: float | None
    where: str


@dataclass(frozen=True)
class DifferenceClass:
    """Corrections, new errors or changed errors: how many, and which transitions, the most frequent first."""

    name: str
    count: int
    share_of_differences: float | None
    share_of_sites: float | None
    low: float | None
    high: float | None
    where: str
    transitions: tuple[Transition, ...]


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Difference(Finding):
    """The anatomy of a pair: a base S1 and a new system S2.

    Counts are of sites; where systems have several runs, of sites times pairs of runs.
    """

    view: str
    base: str
    new: str
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

    def of(self, name: str) -> DifferenceClass:
        """Return one class by its name: correction, new_error or changed_error."""
        return next(each for each in self.classes if each.name == name)


@dataclass(frozen=True)
class Pair:
    """Two systems side by side: how much they differ, and how much their scores do (table 3).

    Args:
        base: the first system.
        new: the second.
        different: the number of sites with different values.
        diff: their share.
        low: the lower end of the 95 % interval of diff.
        high: the upper end.
        score_difference: the main measure of the second less that of the first.
        overlap_right: 2·|both right| / (|first right| + |second right|) (table 1).
        overlap_all: 1 − diff (table 2).
        where: the condition that selects the differing sites.

    """

    base: str
    new: str
    sites: int
    different: int
    diff: float | None
    low: float | None
    high: float | None
    score_difference: float | None
    overlap_right: float | None
    overlap_all: float | None
    where: str


@dataclass(frozen=True)
class Pairs(Finding):
    """All pairs of systems."""

    view: str
    measure: str
    pairs: tuple[Pair, ...]


def difference(context: Context, base: str, new: str) -> Difference:
    """Say what the difference between two systems consists of."""
    first, second = context.verdicts.system(base), context.verdicts.system(new)
    run_pairs = len(first.runs) * len(second.runs)
    total = len(context.sites) * run_pairs
    counts: Counter[tuple[int, int, int]] = Counter()
    same_error = 0
    units = np.zeros((len(context.active), len(CLASSES)))
    for rows, key, old, fresh in _decisions(context, first, second):
        differs = old != fresh
        same_error += int((~differs & (old != key)).sum())
        counts.update(_transitions(key[differs], old[differs], fresh[differs], len(context.sites.names)))
        for number, mask in enumerate(_classes(key, old, fresh)):
            units[:, number] += context.unit_counts(rows[mask])
    different = sum(counts.values())
    classes = _class_rows(context, counts, units, total, different, run_pairs)
    labels = _labels(context, first, second)
    right = [sum(row.base_right for row in labels), sum(row.new_right for row in labels)]
    decided = [len(context.sites) * len(system.runs) for system in (first, second)]
    gained, lost = classes[0].count, classes[1].count
    return Difference(
        view=context.view.name,
        base=base,
        new=new,
        run_pairs=run_pairs,
        sites=total,
        different=different,
        diff=share(different, total),
        same_right=total - different - same_error,
        same_error=same_error,
        base_accuracy=share(right[0], decided[0]),
        new_accuracy=share(right[1], decided[1]),
        accuracy_difference=share(gained - lost, total),
        negative_flip_rate=share(lost, total),
        classes=classes,
        labels=labels,
    )


def _decisions(
    context: Context, first: System, second: System
) -> Iterator[tuple[Rows, NDArray[np.integer], NDArray[np.integer], NDArray[np.integer]]]:
    """Yield, for each pair of runs, the contested sites with the key's, the base's and the new system's codes.

    At all other sites every run agrees with the key, so nothing differs there.
    """
    rows, disputed = context.sites.contested, context.sites.disputed
    for old, fresh in product(first.runs, second.runs):
        yield rows, disputed.key, disputed.values[old], disputed.values[fresh]


def _classes(
    key: NDArray[np.integer], old: NDArray[np.integer], fresh: NDArray[np.integer]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Correction: S1 ≠ y = S2. New error: S1 = y ≠ S2. Changed error: both ≠ y, S1 ≠ S2."""
    return (old != key) & (fresh == key), (old == key) & (fresh != key), (old != key) & (fresh != key) & (old != fresh)


def _transitions(
    key: NDArray[np.integer], old: NDArray[np.integer], fresh: NDArray[np.integer], width: int
) -> Counter[tuple[int, int, int]]:
    packed = (key.astype(np.int64) * width + old) * width + fresh
    found, counts = np.unique(packed, return_counts=True)
    return Counter(
        {
            (int(code) // width // width, int(code) // width % width, int(code) % width): int(count)
            for code, count in zip(found, counts, strict=True)
        }
    )


def _class_rows(
    context: Context,
    counts: Counter[tuple[int, int, int]],
    units: NDArray[np.float64],
    total: int,
    different: int,
    run_pairs: int,
) -> tuple[DifferenceClass, ...]:
    decisions = context.unit_counts(np.arange(len(context.sites)))[:, None] * run_pairs
    with_total = np.concatenate([units, decisions], axis=1)
    spans = context.interval(with_total, lambda sums: ratio(sums[:, :-1], sums[:, -1:]))
    rows = []
    for name, (low, high) in zip(CLASSES, spans, strict=True):
        mine = {code: count for code, count in counts.items() if _class_of(*code) == name}
        size = sum(mine.values())
        order = sorted(mine.items(), key=lambda pair: (-pair[1], pair[0]))
        rows.append(
            DifferenceClass(
                name,
                size,
                share(size, different),
                share(size, total),
                low,
                high,
                name,
                tuple(_transition(context, name, code, count, size, different) for code, count in order),
            )
        )
    return tuple(rows)


def _class_of(key: int, old: int, fresh: int) -> str:
    return CLASSES[0] if fresh == key else CLASSES[1] if old == key else CLASSES[2]


def _transition(
    context: Context, name: str, code: tuple[int, int, int], count: int, size: int, different: int
) -> Transition:
    key, old, fresh = (shown(context.sites.names[number]) for number in code)
    where = f"{name} and {is_value('base', old)} and {is_value('new', fresh)}"
    if name == "changed_error":
        where += f" and {is_value('key', key)}"
    return Transition(key, old, fresh, count, share(count, size), share(count, different), where)


def _labels(context: Context, first: System, second: System) -> tuple[LabelDifference, ...]:
    """Compare the shares right by key label, the largest absolute difference first."""
    sites = context.sites
    right = [_right_by_label(context, system) for system in (first, second)]
    rows = []
    for code in np.flatnonzero(sites.key_counts).tolist():
        count = int(sites.key_counts[code])
        old, fresh = int(right[0][code]), int(right[1][code])
        decided = [count * len(system.runs) for system in (first, second)]
        gained = fresh * len(first.runs) - old * len(second.runs)  # from counts: rounding must not decide the order
        label = shown(sites.names[code])
        rows.append(
            LabelDifference(
                label,
                count,
                old,
                fresh,
                old / decided[0],
                fresh / decided[1],
                gained / (decided[0] * len(second.runs)),
                is_value("key", label),
            )
        )
    return tuple(sorted(rows, key=lambda row: (-abs(row.difference), -row.sites, row.label)))


def _right_by_label(context: Context, system: System) -> NDArray[np.int64]:
    """Count what a system has right by key label, over its runs."""
    found: NDArray[np.int64] = np.sum([context.sites.right_counts[run] for run in system.runs], axis=0)
    return found


def _pair_condition(context: Context, base: str, new: str) -> str:
    """Write the condition that two systems differ; by their names where each has one run."""
    if any(len(context.verdicts.system(name).runs) > 1 for name in (base, new)):
        return "differs"
    return f"value({quote(base)}) != value({quote(new)})"


def pairs(context: Context) -> Pairs:
    """Put diff and the difference of scores side by side for every pair of systems."""
    main = context.measures[0]
    table = scores(replace(context, resamples=0), [main])
    combos = list(combinations(context.systems, 2))
    size = len(context.sites)
    units = np.zeros((len(context.active), len(combos) + 1))
    units[:, -1] = context.unit_counts(np.arange(size))
    rows = []
    for number, (first, second) in enumerate(combos):
        different = both = 0
        run_pairs = len(first.runs) * len(second.runs)
        for place, key, old, fresh in _decisions(context, first, second):
            differs = old != fresh
            different += int(differs.sum())
            both += size - len(place) + int(((old == key) & (fresh == key)).sum())
            units[:, number] += context.unit_counts(place[differs]) / run_pairs
        mine, theirs = (int(_right_by_label(context, system).sum()) for system in (first, second))
        overlap = share(2 * both, mine * len(second.runs) + theirs * len(first.runs))
        values = table.value(first.name), table.value(second.name)
        gap = None if values[0] is None or values[1] is None else values[1] - values[0]
        diff = share(different, size * run_pairs)
        rows.append((first.name, second.name, size * run_pairs, different, diff, gap, overlap))
    spans = context.interval(units, lambda sums: ratio(sums[:, :-1], sums[:, -1:]))
    found = []
    for (base, new, total, different, diff, gap, overlap), (low, high) in zip(rows, spans, strict=True):
        same = None if diff is None else 1 - diff
        found.append(
            Pair(base, new, total, different, diff, low, high, gap, overlap, same, _pair_condition(context, base, new))
        )
    return Pairs(context.view.name, main.name, tuple(found))
