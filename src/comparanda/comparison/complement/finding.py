"""Which errors of one system another does not make (Brill & Wu 1998; Derczynski 2016; DEFINITIONS 3).

Equation 8 holds for all three rates: the share of A's errors that B does not make. Equation 1 prints another
denominator; that is a slip.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.comparison.complement.counts import ComplementGround, CountedPair
from comparanda.comparison.complement.joint import NO_UNION, Advice, Ceiling, Joint, advise, ceiling, joint, reading
from comparanda.comparison.complement.rates import Rate, Rates, complement, f_complement
from comparanda.comparison.complement.shared_errors import Counts
from comparanda.comparison.context import Context, Interval, defined, intervals, is_label, is_value
from comparanda.comparison.diversity.finding import Diversity
from comparanda.comparison.finding import Cell, Finding
from comparanda.errors import UsageError
from comparanda.expressions import quote
from comparanda.sites import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from comparanda.verdicts import System

    Floats = NDArray[np.float64]

_REASONS = ("error", "spurious item", "missed item")


@dataclass(frozen=True)
class Overlap:
    """The integers behind all rates of a pair, over all pairs of runs.

    Args:
        found_by_both: items of the key that both have.
        found_by_first: those that the first has alone.
        found_by_second: those that the second has alone.
        found_by_neither: those that neither has.
        spurious_in_both: items beside the key that both claim.
        spurious_in_first: those that the first claims alone.
        spurious_in_second: those that the second claims alone.
        wrong_in_both: sites that both have wrong; None where Comp is over items.
        wrong_in_first: sites that the first alone has wrong.
        wrong_in_second: sites that the second alone has wrong.

    """

    found_by_both: Cell
    found_by_first: Cell
    found_by_second: Cell
    found_by_neither: Cell
    spurious_in_both: Cell
    spurious_in_first: Cell
    spurious_in_second: Cell
    wrong_in_both: Cell | None
    wrong_in_first: Cell | None
    wrong_in_second: Cell | None


@dataclass(frozen=True)
class LabelComplement:
    """The same for the items of one label; Comp is over sites with that label, for spans and sets over its items."""

    label: str
    overlap: Overlap
    forth: Rates
    back: Rates


@dataclass(frozen=True)
class ComplementPair:
    """Two systems, and which errors each makes alone.

    Args:
        first: the first system.
        second: the second.
        overlap: the integers behind.
        forth: the rates of the first's errors that the second does not make.
        back: those of the second's errors that the first does not make.
        union: what taking the items of both would score; None where that cannot be told from counts.
        intersection: what taking only their common items would score.
        ceiling: what a perfect choice between both values could gain, where each site has one value.
        advice: what follows from these, and how the paper reads the rates.
        labels: the same for each label, the most frequent first.

    """

    first: str
    second: str
    overlap: Overlap
    forth: Rates
    back: Rates
    union: Joint | None
    intersection: Joint | None
    ceiling: Ceiling | None
    advice: Advice
    labels: tuple[LabelComplement, ...]


@dataclass(frozen=True)
class Complementarity(Finding):
    """Complementary precision, recall and F of every pair of systems, in both directions.

    Args:
        view: the view.
        over: whether Comp is over sites or over items.
        beta: the weight of recall in `fbeta`.
        pairs: every pair of systems once.
        diversity: who errs together, of all systems; None where there are two, or only some were asked for.
        notes: what a reader should know.

    """

    view: str
    over: Literal["sites", "items"]
    beta: float
    pairs: tuple[ComplementPair, ...]
    diversity: Diversity | None
    notes: tuple[str, ...]

    def rates(self, system: str, other: str) -> Rates:
        """Return the rates of a system's errors that another does not make."""
        for pair in self.pairs:
            for rates in (pair.forth, pair.back):
                if (rates.system, rates.other) == (system, other):
                    return rates
        raise UsageError(f"there is no pair of {system!r} and {other!r}")


def complementarity(
    context: Context, beta: float = 1.0, systems: Sequence[str] | None = None, *, labels: bool = True
) -> Complementarity:
    """Say which errors of each system every other does not make; of all systems, or of some."""
    if not (math.isfinite(beta) and beta > 0):
        raise UsageError(f"beta is {beta!r}", hint="it is a number above 0: 2 weighs recall twice as much")
    view = context.view
    if not len(view.items) and not len(view.sites):
        raise UsageError(f"the view {view.name!r} has neither sites nor items whose errors could be compared")
    chosen = list(context.systems) if systems is None else [context.verdicts.system(name) for name in systems]
    for name in systems or ():
        if list(systems or ()).count(name) > 1:
            raise UsageError(f"the system {name!r} is compared with itself")
    if len(chosen) < 2:
        raise UsageError("complementarity needs two systems", hint=f"there is only {chosen[0].name!r}")
    ground = ComplementGround(context, beta, len(chosen) * (len(chosen) - 1) // 2, labels=labels)
    pairs = tuple(_pair(ground, counted) for counted in ground.counted(list(combinations(chosen, 2))))
    return Complementarity(view.name, ground.over, beta, pairs, None, ground.notes)


def _pair(ground: ComplementGround, counted: CountedPair) -> ComplementPair:
    names = counted.first.name, counted.second.name
    writer = _Writer(ground, counted.first, counted.second)
    total = Counts.of(counted.totals[0])
    drawn = None if counted.drawn is None else Counts.of(counted.drawn[:, 0])
    (forth, back), *labels = _both_ways(ground, names, counted)
    told = ground.plain_pair(counted.first.runs + counted.second.runs)
    forced = ground.context.zero_division
    union, intersection = (
        joint(names, total, drawn, made, forced) if told else None for made in ("union", "intersection")
    )
    most = ceiling(names, total, drawn) if ground.exclusive else None
    paper = tuple(
        reading(*pair, counts, exclusive=ground.exclusive)
        for pair, counts in ((names, total), (names[::-1], total.swapped()))
    )
    return ComplementPair(
        *names,
        writer.overlap(total, None),
        forth,
        back,
        union,
        intersection,
        most,
        Advice(NO_UNION if ground.view.raised is not None else advise(union, intersection, most), paper),
        tuple(_labels(ground, counted, labels, writer)),
    )


def _labels(
    ground: ComplementGround, counted: CountedPair, rates: Sequence[tuple[Rates, Rates]], writer: _Writer
) -> Iterator[LabelComplement]:
    """Give the counts and rates of each label that the key or one of the two has; the last group has none."""
    for label, row, (forth, back) in zip(ground.labels, counted.totals[1:], rates, strict=False):
        counts = Counts.of(row)
        if counts.positives + counts.spurious_first + counts.spurious_second > 0:
            yield LabelComplement(shown(label), writer.overlap(counts, label), forth, back)


def _both_ways(ground: ComplementGround, names: tuple[str, str], counted: CountedPair) -> list[tuple[Rates, Rates]]:
    """Make the rates of a pair in both directions: of all items, then of each label."""
    total = Counts.of(counted.totals)
    drawn = None if counted.drawn is None else Counts.of(counted.drawn)
    found = []
    for second in (False, True):
        system, other = names[::-1] if second else names
        values = _values(ground, total.swapped() if second else total)
        samples = None if drawn is None else _values(ground, drawn.swapped() if second else drawn)
        columns = [
            _column(number, values, None if samples is None else samples[number], system)
            for number in range(len(values))
        ]
        found.append([Rates(system, other, *rates) for rates in zip(*columns, strict=True)])
    return list(zip(*found, strict=True))


def _column(number: int, values: Sequence[Floats], samples: Floats | None, system: str) -> list[Rate]:
    """Make one kind of rate, of all items and of each label; what was not drawn has no interval."""
    spans: list[Interval] = [] if samples is None else intervals(samples)
    spans += [(None, None)] * (len(values[number]) - len(spans))
    rates = []
    for place, (value, span) in enumerate(zip(values[number].tolist(), spans, strict=True)):
        known = defined(value)
        reason = _reason(number, [each[place] for each in values], system) if known is None else None
        rates.append(Rate(known, *span, reason))
    return rates


def _values(ground: ComplementGround, counts: Counts) -> tuple[Floats, ...]:
    """Return Comp, PComp, RComp, FComp and FβComp of all items and of each label."""
    precision = complement(counts.spurious_first, counts.spurious_second, counts.spurious_both)
    recall = complement(counts.missed_first, counts.missed_second, counts.missed_both)
    over_items, over_sites = complement(*counts.item_errors()), complement(*counts.site_errors())
    comp = over_items if ground.over == "items" else over_sites
    if ground.sets:  # a site has many labels there, so each is compared by its items
        comp = np.concatenate([over_sites[..., :1], over_items[..., 1:]], axis=-1)
    rates = (
        comp,
        precision,
        recall,
        f_complement(precision, recall),
        f_complement(precision, recall, ground.beta),
    )
    forced = ground.context.zero_division
    return rates if forced is None else tuple(np.where(np.isnan(each), forced, each) for each in rates)


def _reason(number: int, values: Sequence[float], system: str) -> str:
    """Say why a rate is undefined: A has no error of this kind, and B has."""
    if number < len(_REASONS):
        return f"{system} has no {_REASONS[number]}"
    return " and ".join(f"{name} is undefined" for name, at in (("PComp", 1), ("RComp", 2)) if np.isnan(values[at]))


class _Writer:
    """Writes counts of a pair with the conditions that select them.

    Where each system has one run and the key is the same for both, the condition names the runs; else it speaks of
    the pair, and selects items once for every pair of runs.
    """

    def __init__(self, ground: ComplementGround, first: System, second: System) -> None:
        self.ground = ground
        runs = ground.context.verdicts.runs
        plain = len(first.runs) == len(second.runs) == 1 and ground.view.items.weight is None
        names = [quote(runs[system.runs[0]]) for system in (first, second)]
        self.has = [f"claims({name})" for name in names] if plain else ["base_claims", "new_claims"]
        self.right = [f"right({name})" for name in names] if plain else ["base_right", "new_right"]

    def overlap(self, counts: Counts, label: str | None) -> Overlap:
        """Write the counts of one label, or of all."""
        one, two = self.has
        found = counts.positives - counts.missed_first - counts.missed_second + counts.missed_both
        items = {
            f"positive and {one} and {two}": found,
            f"positive and {one} and not {two}": counts.missed_second - counts.missed_both,
            f"positive and not {one} and {two}": counts.missed_first - counts.missed_both,
            f"positive and not {one} and not {two}": counts.missed_both,
            f"negative and {one} and {two}": counts.spurious_both,
            f"negative and {one} and not {two}": counts.spurious_first - counts.spurious_both,
            f"negative and not {one} and {two}": counts.spurious_second - counts.spurious_both,
        }
        also = "" if label is None else f" and {is_value('label', shown(label))}"
        both, first, second, neither, *beside = [Cell(int(count), f"{where}{also}") for where, count in items.items()]
        return Overlap(both, first, second, neither, beside[0], beside[1], beside[2], *self._wrong(counts, label))

    def _wrong(self, counts: Counts, label: str | None) -> tuple[Cell | None, Cell | None, Cell | None]:
        if self.ground.over == "items" or (self.ground.sets and label is not None):
            return None, None, None
        one, two = self.right
        sites = {
            f"not {one} and not {two}": counts.wrong_both,
            f"not {one} and {two}": counts.wrong_first - counts.wrong_both,
            f"{one} and not {two}": counts.wrong_second - counts.wrong_both,
        }
        also = "" if label is None else f" and {is_label(self.ground.context.sites, shown(label))}"
        both, first, second = [Cell(int(count), f"{where}{also}") for where, count in sites.items()]
        return both, first, second
