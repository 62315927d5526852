"""The numbers once more, slowly and obviously: lists, dictionaries, fractions, and DEFINITIONS at hand.

Nothing of comparanda is used here. A value is a label, a set of labels, or None where a system has
no row; a column is a list of values, one a site.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb

Value = str | frozenset[str] | None
Values = Sequence[Value]
Change = tuple[Value, Value, Value]
Sums = tuple[int, ...]

CLASSES = ("correction", "new_error", "changed_error")


def ratio(part: int | Fraction, whole: int | Fraction) -> Fraction | None:
    """Undefined is said, not hidden."""
    return Fraction(part) / Fraction(whole) if whole else None


# Section 2: the difference of two systems


def different(first: Values, second: Values) -> int:
    return sum(1 for one, two in zip(first, second, strict=True) if one != two)


def diff(first: Values, second: Values) -> Fraction | None:
    return ratio(different(first, second), len(first))


def class_of(key: Value, first: Value, second: Value) -> str:
    if first == key and second == key:
        return "same_right"
    if first != key and second == key:
        return "correction"
    if first == key and second != key:
        return "new_error"
    return "same_error" if first == second else "changed_error"


def classes(key: Values, first: Values, second: Values) -> Counter[str]:
    return Counter(class_of(*site) for site in zip(key, first, second, strict=True))


def transitions(key: Values, first: Values, second: Values, name: str) -> Counter[Change]:
    """Count the changes of one class as (y, S1, S2)."""
    return Counter(site for site in zip(key, first, second, strict=True) if class_of(*site) == name)


def right(key: Values, system: Values) -> int:
    return sum(1 for wanted, given in zip(key, system, strict=True) if wanted == given)


def overlap_on_right(key: Values, first: Values, second: Values) -> Fraction | None:
    """Table 1."""
    both = sum(1 for y, one, two in zip(key, first, second, strict=True) if y == one == two)
    return ratio(2 * both, right(key, first) + right(key, second))


def overlap_on_all(first: Values, second: Values) -> Fraction | None:
    """Table 2."""
    same = sum(1 for one, two in zip(first, second, strict=True) if one == two)
    return ratio(same, len(first))


@dataclass(frozen=True)
class LabelRow:
    label: Value
    sites: int
    first_right: int
    second_right: int

    @property
    def difference(self) -> Fraction:
        return Fraction(self.second_right - self.first_right, self.sites)


def label_table(key: Values, first: Values, second: Values) -> dict[Value, LabelRow]:
    """Table 12, without its order."""
    rows = {}
    for label in set(key):
        places = [place for place, wanted in enumerate(key) if wanted == label]
        found = [sum(1 for place in places if system[place] == label) for system in (first, second)]
        rows[label] = LabelRow(label, len(places), found[0], found[1])
    return rows


def whole_sentences(key: Values, system: Values, sentence: Sequence[int]) -> tuple[int, int]:
    """Count the sentences in which every site is right, and all sentences that have a site."""
    broken = {number for wanted, given, number in zip(key, system, sentence, strict=True) if wanted != given}
    return len(set(sentence) - broken), len(set(sentence))


# Sections 1 and 4: items, oracle, hardness, greedy curve


def labels_of(value: Value) -> frozenset[str]:
    if value is None:
        return frozenset()
    return frozenset({value}) if isinstance(value, str) else value


def pairs_of(values: Values) -> set[tuple[int, str]]:
    """The (token, value) pairs that a column stands for."""
    return {(site, label) for site, value in enumerate(values) for label in labels_of(value)}


def counts(key: Values, system: Values, label: str | None = None) -> Sums:
    """True positives, claims and positives, of one label or of all."""
    wanted = {pair for pair in pairs_of(key) if label in (None, pair[1])}
    claimed = {pair for pair in pairs_of(system) if label in (None, pair[1])}
    return len(wanted & claimed), len(claimed), len(wanted)


def precision(sums: Sums) -> Fraction | None:
    return ratio(sums[0], sums[1])


def recall(sums: Sums) -> Fraction | None:
    return ratio(sums[0], sums[2])


def f1(sums: Sums) -> Fraction | None:
    """2·TP / (2·TP + FP + FN): 0 when only one side is empty, undefined when both are."""
    true, claimed, positives = sums
    return ratio(2 * true, 2 * true + (claimed - true) + (positives - true))


def macro_f1(key: Values, system: Values) -> Fraction | None:
    """The mean over the labels of the key."""
    wanted, claimed = pairs_of(key), pairs_of(system)
    true, claims, positives = (Counter(label for _, label in s) for s in (wanted & claimed, claimed, wanted))
    each = [f1((true[label], claims[label], positives[label])) for label in positives]
    return ratio(sum((value or Fraction(0) for value in each), Fraction(0)), len(positives))


def solved_by(key: Values, systems: Iterable[Values]) -> list[int]:
    """For each site, how many systems are right."""
    return [sum(1 for given in answers if given == wanted) for wanted, *answers in zip(key, *systems, strict=True)]


def oracle(key: Values, systems: Iterable[Values]) -> int:
    return sum(1 for solved in solved_by(key, systems) if solved)


def restricted(key: Values, values: Values, label: Value) -> list[Value]:
    """The values at the sites with one key label."""
    return [value for wanted, value in zip(key, values, strict=True) if wanted == label]


def hardness(key: Values, systems: Sequence[Values]) -> list[int]:
    """How many sites are solved by 0, 1 … N systems."""
    found = solved_by(key, systems)
    return [found.count(number) for number in range(len(systems) + 1)]


def complementarity(errors: set[int], next_errors: set[int]) -> Fraction | None:
    """Comp(A, B) of section 3, from the sites at which A and B err."""
    if not next_errors:
        return Fraction(1)
    if not errors:
        return None
    return 1 - Fraction(len(errors & next_errors), len(errors))


@dataclass(frozen=True)
class Step:
    name: str
    right: int
    gain: int
    comp: Fraction | None


def greedy(key: Values, systems: Mapping[str, Values]) -> list[Step]:
    """The best system first, then the largest gain; of equal ones the first given."""
    errors = {
        name: {site for site, (wanted, given) in enumerate(zip(key, values, strict=True)) if wanted != given}
        for name, values in systems.items()
    }
    left, covered, steps = list(systems), set(range(len(key))), list[Step]()
    while left:
        name = min(left, key=lambda name: len(covered & errors[name]))
        comp = complementarity(covered, errors[name]) if steps else None
        gain = len(covered - errors[name])
        covered &= errors[name]
        steps.append(Step(name, len(key) - len(covered), gain, comp))
        left.remove(name)
    return steps


def unique(key: Values, systems: Mapping[str, Values]) -> dict[str, int]:
    """What the oracle loses when a system is left out."""
    whole = oracle(key, systems.values())
    return {
        name: whole - oracle(key, [values for other, values in systems.items() if other != name])
        if len(systems) > 1
        else whole
        for name in systems
    }


def agreement(key: Values, systems: Sequence[Values], order: Callable[[Value], str]) -> dict[int, tuple[int, int]]:
    """Sites, and sites at which the majority is right, by how many systems agree; ties go to the first in order."""
    table = dict.fromkeys(range(len(systems), 0, -1), (0, 0))
    for wanted, *answers in zip(key, *systems, strict=True):
        votes = Counter(answers)
        size = max(votes.values())
        winner = min((value for value, count in votes.items() if count == size), key=order)
        sites, correct = table[size]
        table[size] = sites + 1, correct + (winner == wanted)
    return table


# Section 5: significance


def by_unit(units: Sequence[int], statistic: Callable[[list[int]], Sums]) -> list[Sums]:
    """A statistic of the sites of each unit that has any, in the order of the units."""
    return [statistic([site for site, owner in enumerate(units) if owner == unit]) for unit in sorted(set(units))]


def added(rows: Sequence[Sums], weights: Sequence[int] | None = None) -> Sums:
    """Sum unit statistics, each as often as its weight says."""
    chosen = weights if weights is not None else [1] * len(rows)
    return tuple(
        sum(weight * row[column] for weight, row in zip(chosen, rows, strict=True)) for column in range(len(rows[0]))
    )


Finish = Callable[[Sums], Fraction | None]


def gap(finish: Finish, first: Sums, second: Sums) -> Fraction | None:
    one, two = finish(first), finish(second)
    return None if one is None or two is None else two - one


def as_extreme(finish: Finish, first: Sequence[Sums], second: Sequence[Sums], masks: Iterable[Sequence[int]]) -> int:
    """How many swaps of whole units give a difference at least as large as the observed one, or none at all."""
    observed = gap(finish, added(first), added(second))
    assert observed is not None
    count = 0
    for mask in masks:
        mine = [two if swap else one for one, two, swap in zip(first, second, mask, strict=True)]
        theirs = [one if swap else two for one, two, swap in zip(first, second, mask, strict=True)]
        found = gap(finish, added(mine), added(theirs))
        count += found is None or abs(found) >= abs(observed)
    return count


def exact_p(finish: Finish, first: Sequence[Sums], second: Sequence[Sums]) -> Fraction:
    masks = product((0, 1), repeat=len(first))
    return Fraction(as_extreme(finish, first, second, masks), 2 ** len(first))


def sampled_p(
    finish: Finish, first: Sequence[Sums], second: Sequence[Sums], masks: Sequence[Sequence[int]]
) -> Fraction:
    return Fraction(as_extreme(finish, first, second, masks) + 1, len(masks) + 1)


def quantile(values: Sequence[Fraction], level: Fraction) -> Fraction:
    """Interpolate between the two nearest of the sorted values."""
    ordered = sorted(values)
    place = level * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def interval(samples: Sequence[Fraction | None]) -> tuple[Fraction, Fraction] | tuple[None, None]:
    """The 95 % percentile interval; undefined if any resample is."""
    known = [sample for sample in samples if sample is not None]
    if len(known) < len(samples):
        return None, None
    return quantile(known, Fraction(25, 1000)), quantile(known, Fraction(975, 1000))


def holm(ps: Sequence[Fraction]) -> list[Fraction]:
    """The largest of p times the number of those not smaller, over all p that are not larger; at most 1."""
    order = sorted(range(len(ps)), key=lambda place: ps[place])
    scaled = [ps[place] * (len(ps) - rank) for rank, place in enumerate(order)]
    return [min(Fraction(1), max(scaled[: order.index(place) + 1])) for place in range(len(ps))]


def benjamini_hochberg(ps: Sequence[Fraction]) -> list[Fraction]:
    """The least of m·p/rank over all p that are not smaller, at most 1."""
    order = sorted(range(len(ps)), key=lambda place: ps[place])
    scaled = [ps[place] * len(ps) / rank for rank, place in enumerate(order, start=1)]
    return [min(Fraction(1), *scaled[order.index(place) :]) for place in range(len(ps))]


def mcnemar(key: Values, first: Values, second: Values) -> Fraction:
    """Both tails of a fair coin over the sites at which just one system is right."""
    found = classes(key, first, second)
    wins, losses = found["correction"], found["new_error"]
    total = wins + losses
    tail = sum(comb(total, number) for number in range(min(wins, losses) + 1))
    return min(Fraction(1), Fraction(2 * tail, 2**total))
