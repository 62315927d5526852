"""What the union and the intersection of two systems score, and what follows from that.

Advice rests on these measured numbers and their intervals alone (DEFINITIONS 3); how the paper reads the rates stands
beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.comparison.context import defined, intervals
from comparanda.measures import ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.comparison.complement.shared_errors import Counts

    Floats = NDArray[np.float64]

HIGH, LOW = 0.5, 0.2
"""From where on a rate is called high, and below which it is called low: our words, the paper gives no numbers."""


@dataclass(frozen=True)
class Joint:
    """A set of items made of two systems' sets, scored.

    Args:
        found: the items of the key in it.
        claimed: all items in it.
        precision: found over claimed.
        recall: found over the items of the key.
        f1: their harmonic mean.
        over: the better of the two systems by F1, which gains are counted over; of equal ones the first.
        precision_gain: its precision less that system's.
        recall_gain: its recall less that system's.
        f1_gain: its F1 less that system's.
        low: the lower end of the 95 % interval of the gain in F1.
        high: the upper end.

    """

    found: int
    claimed: int
    precision: float | None
    recall: float | None
    f1: float | None
    over: str
    precision_gain: float | None
    recall_gain: float | None
    f1_gain: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Ceiling:
    """What choosing well between two values at every site could gain at most: right where either is.

    Args:
        right: the sites that at least one of the two has right.
        accuracy: the same as a share.
        over: the better of the two, which the gain is counted over.
        gain: its accuracy less that system's.
        low: the lower end of the 95 % interval of the gain.
        high: the upper end.

    """

    right: int
    accuracy: float | None
    over: str
    gain: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Advice:
    """What to do with two systems, in plain words.

    Args:
        measured: what follows from the union and the intersection as measured.
        paper: how the paper reads the rates of both directions.

    """

    measured: str
    paper: tuple[str, ...]


def union_of(counts: Counts) -> tuple[Floats, Floats]:
    """Return how many items of the key the union of two has, and how many in all."""
    found = counts.positives - counts.missed_both
    return found, found + counts.spurious_first + counts.spurious_second - counts.spurious_both


def intersection_of(counts: Counts) -> tuple[Floats, Floats]:
    """Return how many items of the key the intersection of two has, and how many in all."""
    found = counts.positives - counts.missed_first - counts.missed_second + counts.missed_both
    return found, found + counts.spurious_both


def single_of(counts: Counts, *, second: bool) -> tuple[Floats, Floats]:
    """Return how many items of the key one of the two has, and how many in all."""
    missed = counts.missed_second if second else counts.missed_first
    spurious = counts.spurious_second if second else counts.spurious_first
    found = counts.positives - missed
    return found, found + spurious


def joint(
    names: tuple[str, str], total: Counts, resampled: Counts | None, made: str, zero_division: float | None = None
) -> Joint:
    """Score the `union` or the `intersection` of two systems' items."""
    make = union_of if made == "union" else intersection_of

    def of(taken: tuple[Floats, Floats], counts: Counts) -> tuple[Floats, Floats, Floats]:
        return scored(*taken, counts.positives, zero_division)

    singles = [of(single_of(total, second=second), total) for second in (False, True)]
    better = bool(np.nan_to_num(singles[1][2], nan=-1) > np.nan_to_num(singles[0][2], nan=-1))
    own = of(make(total), total)
    precision, recall, f1 = (defined(float(each)) for each in own)
    gains = [defined(float(mine - theirs)) for mine, theirs in zip(own, singles[better], strict=True)]
    span: tuple[float | None, float | None] = (None, None)
    if resampled is not None:
        drawn = of(make(resampled), resampled)[2] - of(single_of(resampled, second=better), resampled)[2]
        span = intervals(drawn[:, None])[0]
    found, claimed = (int(each) for each in make(total))
    return Joint(found, claimed, precision, recall, f1, names[better], gains[0], gains[1], gains[2], *span)


def scored(
    found: Floats, claimed: Floats, positives: Floats, zero_division: float | None
) -> tuple[Floats, Floats, Floats]:
    """Return precision, recall and F1 of a set of items; where one is undefined, the value that was asked for."""
    precision, recall, f1 = ratio(found, claimed), ratio(found, positives), ratio(2 * found, claimed + positives)
    if zero_division is None:
        return precision, recall, f1
    forced = (np.where(np.isnan(each), zero_division, each) for each in (precision, recall, f1))
    return next(forced), next(forced), next(forced)


def ceiling(names: tuple[str, str], total: Counts, resampled: Counts | None) -> Ceiling:
    """Say how often either of two values is right."""
    better = bool(total.wrong_second < total.wrong_first)

    def gain(counts: Counts) -> Floats:
        wrong = counts.wrong_second if better else counts.wrong_first
        return ratio(wrong - counts.wrong_both, counts.sites)

    span = (None, None) if resampled is None else intervals(gain(resampled)[:, None])[0]
    right = total.sites - total.wrong_both
    accuracy = defined(float(ratio(right, total.sites)))
    return Ceiling(int(right), accuracy, names[better], defined(float(gain(total))), *span)


NO_UNION = "what two systems say of mentions makes no chains together: there is no union and no intersection to score"
"""Why there is no advice for sites that runs raise."""


def advise(union: Joint | None, intersection: Joint | None, most: Ceiling | None) -> str:
    """Say what follows from the measured union and intersection, or from the ceiling where sites have one value."""
    if most is not None:
        return _advise_choice(most)
    if union is None or intersection is None:
        return "the view gives partial credit, or other items of the key to each system: see what `combine` scores"
    raising = [(name, each) for name, each in (("union", union), ("intersection", intersection)) if _above(each)]
    if raising:
        name, best = max(raising, key=lambda pair: pair[1].f1_gain or 0.0)
        return f"take the {name}, which gains over {best.over}: {_gain(best)}"
    said = f"union {_gain(union)}; intersection {_gain(intersection)}"
    if all(each.high is not None and each.high < 0 for each in (union, intersection)):
        return f"keep {union.over} alone: {said}"
    return f"no clear gain over {union.over}: {said}"


def _advise_choice(most: Ceiling) -> str:
    if most.gain is None:
        return "nothing to gain: there are no sites"
    span = "" if most.low is None or most.high is None else f" [{100 * most.low:.2f}, {100 * most.high:.2f}]"
    if most.gain == 0:
        return f"nothing to gain: {most.over} is right wherever the other is"
    return (
        f"each site has one value, so there is a choice to make and no union: a perfect one gains "
        f"{100 * most.gain:.2f}{span} over {most.over}, any vote less (see `combine`)"
    )


def _above(each: Joint) -> bool:
    return each.low is not None and each.low > 0


def _gain(each: Joint) -> str:
    """Write a gain: `F1 +1.20 [+0.30, +2.00] (recall +4.10, precision -2.00)`."""
    if each.f1_gain is None:
        return "F1 n/a"
    span = "" if each.low is None or each.high is None else f" [{100 * each.low:+.2f}, {100 * each.high:+.2f}]"
    parts = (("recall", each.recall_gain), ("precision", each.precision_gain))
    sides = ", ".join(f"{name} n/a" if value is None else f"{name} {100 * value:+.2f}" for name, value in parts)
    return f"F1 {100 * each.f1_gain:+.2f}{span} ({sides})"


def reading(system: str, other: str, counts: Counts, *, exclusive: bool) -> str:
    """Say how the paper reads the rates (section 4.2, as DEFINITIONS mends it); where sites have one value, Comp.

    Of errors that the system does not make there is nothing to read.
    """
    if exclusive:
        wrong, both = int(counts.wrong_first), int(counts.wrong_both)
        if not wrong:
            return f"{system} has nothing wrong that {other} could have right"
        return f"{other} has {100 * (1 - both / wrong):.2f} % of those right that {system} has wrong"
    parts = []
    if counts.missed_first > 0:
        size = _size(1 - float(counts.missed_both / counts.missed_first))
        finds = {
            "high": f"{other} finds much that {system} misses, a union raises recall",
            "middling": f"{other} finds some of what {system} misses",
            "low": f"{other} misses nearly the same, a union adds little recall",
        }
        parts.append(f"{size} RComp: {finds[size]}")
    if counts.spurious_first > 0:
        size = _size(1 - float(counts.spurious_both / counts.spurious_first))
        claims = {
            "high": f"few false positives of {system} are shared, an intersection removes most",
            "middling": f"an intersection removes some false positives of {system}",
            "low": f"{other} shares the false positives of {system}, no intersection removes them",
        }
        parts.append(f"{size} PComp: {claims[size]}")
    return "; ".join(parts) or f"{system} makes no errors that {other} could spare it"


def _size(rate: float) -> str:
    return "high" if rate >= HIGH else "low" if rate < LOW else "middling"
