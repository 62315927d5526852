"""Coreference metrics: their counts for each document or topic, and the measures (DEFINITIONS 8).

MUC, B³, CEAF, BLANC and LEA all follow from the overlap table: the number of mentions that each chain of the key
shares with each chain of a system output. It is sparse, so no metric enumerates all pairs of chains, nor BLANC all
pairs of mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.chains import NO_CHAIN, chain_units, count_mentions
from comparanda.core.measures import Measure, harmonic_f1, ratio
from comparanda.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.measures import Sums
    from comparanda.core.text_columns import Rows

    Floats = NDArray[np.float64]


METRICS = ("mentions", "muc", "b3", "ceafm", "ceafe", "lea")
"""The metrics with one recall and one precision; BLANC has two of each, for its two kinds of links."""

LINKS = ("blanc_links", "blanc_others")
"""The links that BLANC counts: pairs of mentions in one chain, and all other pairs."""

_MOST_DENSE_CELLS = 10_000
"""Larger tables of chains are not built densely: few of their pairs share a mention."""

PARTS = ("found", "key", "earned", "claimed")
"""The four counts: recall is found over key, precision earned over claimed."""


@dataclass(frozen=True, eq=False, slots=True)
class Counts:
    """The counts of one metric, one per unit.

    Args:
        found: the numerator of recall.
        key: its denominator.
        earned: the numerator of precision.
        claimed: its denominator.

    """

    found: Floats
    key: Floats
    earned: Floats
    claimed: Floats


def chain_counts(unit: NDArray[np.int32], units: int, key: Rows, response: Rows) -> Mapping[str, Counts]:
    """Count all metrics for one system output.

    Args:
        unit: the unit of each mention.
        units: the number of units.
        key: the key's chain of each mention, by number, or `NO_CHAIN`.
        response: the system output's chain of each mention.

    """
    table = _Table(unit, units, key, response)
    return {
        "mentions": table.mentions(),
        "muc": table.muc(),
        "b3": table.b_cubed(),
        "ceafm": table.ceaf_mentions(),
        "ceafe": table.ceaf_entities(),
        "lea": table.lea(),
        **dict(zip(LINKS, table.blanc(), strict=True)),
    }


class _Side:
    """The chains of one side: their sizes and units."""

    def __init__(self, chain: Rows, unit: NDArray[np.int32], units: int) -> None:
        self.chain, self.units = chain, units
        self.size = count_mentions(chain)
        self.unit = chain_units(chain, unit, len(self.size))

    def summed(self, weights: NDArray[np.generic]) -> Floats:
        """Sum weights of chains by unit."""
        return _sum_by_unit(self.unit, weights, self.units)


class _Table:
    """The overlap table of two sides: pairs of chains with common mentions, and the number of these."""

    def __init__(self, unit: NDArray[np.int32], units: int, key: Rows, response: Rows) -> None:
        self.key, self.response = _Side(key, unit, units), _Side(response, unit, units)
        self.units, self._unit = units, unit
        self.common = np.flatnonzero((key != NO_CHAIN) & (response != NO_CHAIN))
        width = len(self.response.size) or 1
        pairs, self.overlap = np.unique(key[self.common] * width + response[self.common], return_counts=True)
        self.rows, self.columns = pairs // width, pairs % width
        self.unit = self.key.unit[self.rows]

    def summed(self, weights: NDArray[np.generic]) -> Floats:
        """Sum weights of pairs of chains by unit."""
        return _sum_by_unit(self.unit, weights, self.units)

    def mentions(self) -> Counts:
        """Count the mentions of both sides, of the key and of the system output."""
        both = np.bincount(self._unit[self.common], minlength=self.units).astype(np.float64)
        return Counts(both, self.key.summed(self.key.size), both, self.response.summed(self.response.size))

    def muc(self) -> Counts:
        """Count the links common to both sides, and those needed to connect each side's chains."""
        both = self.summed(self.overlap - 1)
        return Counts(both, self.key.summed(self.key.size - 1), both, self.response.summed(self.response.size - 1))

    def b_cubed(self) -> Counts:
        """Sum over mentions the share of the mention's chain that both sides have in common."""
        square = self.overlap.astype(np.float64) ** 2
        mentions = self.mentions()
        found = self.summed(square / self.key.size[self.rows])
        earned = self.summed(square / self.response.size[self.columns])
        return Counts(found, mentions.key, earned, mentions.claimed)

    def ceaf_mentions(self) -> Counts:
        """Count common mentions under the best one-to-one alignment of chains."""
        best = self._aligned(self.overlap.astype(np.float64))
        mentions = self.mentions()
        return Counts(best, mentions.key, best, mentions.claimed)

    def ceaf_entities(self) -> Counts:
        """Sum the similarity 2·|K∩R|/(|K|+|R|) of chains under the best one-to-one alignment."""
        likeness = 2.0 * self.overlap / (self.key.size[self.rows] + self.response.size[self.columns])
        best = self._aligned(likeness)
        ones = [side.summed(np.ones(len(side.size))) for side in (self.key, self.response)]
        return Counts(best, ones[0], best, ones[1])

    def lea(self) -> Counts:
        """Sum the sizes of chains, times the share of their links that both sides have (Moosavi & Strube 2016)."""
        mentions = self.mentions()
        common = self.overlap * (self.overlap - 1) // 2
        alone = (self.key.size[self.rows] == 1) & (self.response.size[self.columns] == 1)
        parts = []
        for side, chain in ((self.key, self.rows), (self.response, self.columns)):
            size = side.size[chain].astype(np.float64)
            links = np.maximum(size * (size - 1) / 2, 1)
            parts.append(self.summed(np.where(alone, 1.0, size * common / links)))
        return Counts(parts[0], mentions.key, parts[1], mentions.claimed)

    def blanc(self) -> tuple[Counts, Counts]:
        """Count the pairs of mentions of a unit in the same chain and in different ones, in closed form."""
        mine, theirs = (side.summed(_pairs(side.size)) for side in (self.key, self.response))
        both = self.summed(_pairs(self.overlap))
        mentions = self.mentions()
        rows, columns = (
            side.summed(_pairs(np.bincount(chain, self.overlap, len(side.size))))
            for side, chain in ((self.key, self.rows), (self.response, self.columns))
        )
        apart = _pairs(mentions.found) - rows - columns + both
        others = _pairs(mentions.key) - mine, _pairs(mentions.claimed) - theirs
        return Counts(both, mine, both, theirs), Counts(apart, others[0], apart, others[1])

    def _aligned(self, worth: Floats) -> Floats:
        """Compute the weight of the best one-to-one alignment of chains, by unit.

        Pairs of chains without a common mention have weight 0, so each connected component of the table is solved
        separately. Most are stars, with one chain on one side: there the best pair is the whole alignment.
        """
        component, count = self._components
        best = np.zeros(count)
        np.maximum.at(best, component, worth)
        for number, places in self._complex_components:
            best[number] = _best_assignment(self.rows[places], self.columns[places], worth[places])
        unit = np.zeros(count, np.int64)
        unit[component] = self.unit
        return _sum_by_unit(unit, best, self.units)

    @cached_property
    def _components(self) -> tuple[Rows, int]:
        """The connected component of each pair of chains, and the number of components."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        shift, size = len(self.key.size), len(self.key.size) + len(self.response.size)
        links = coo_array((np.ones(len(self.rows)), (self.rows, self.columns + shift)), shape=(size, size))
        _, found = connected_components(links, directed=False)
        names, number = np.unique(found[self.rows], return_inverse=True)
        return number, len(names)

    @cached_property
    def _complex_components(self) -> list[tuple[int, Rows]]:
        """The components with several chains on both sides, each with its pairs of chains."""
        component, count = self._components
        several = np.ones(count, np.bool_)
        for chain in (self.rows, self.columns):
            distinct = np.unique(component * (int(chain.max(initial=0)) + 1) + chain)
            several &= np.bincount(distinct // (int(chain.max(initial=0)) + 1), minlength=count) > 1
        rows = np.flatnonzero(several[component])
        order = rows[np.argsort(component[rows], kind="stable")]
        bounds = np.flatnonzero(np.diff(component[order], prepend=-1))
        return [(int(component[part[0]]), part) for part in np.split(order, bounds[1:]) if len(part)]


def _sum_by_unit(unit: Rows, weights: NDArray[np.generic], units: int) -> Floats:
    """Sum weights by unit."""
    found: Floats = np.bincount(unit, weights.astype(np.float64), units).astype(np.float64)
    return found


def _pairs(count: NDArray[np.generic]) -> Floats:
    """Compute the number of pairs of `count` things."""
    number = count.astype(np.float64)
    return number * (number - 1) / 2


def _best_assignment(rows: Rows, columns: Rows, worth: Floats) -> float:
    """Maximise the sum of weights of pairs of which no two share a row or a column."""
    left, row = np.unique(rows, return_inverse=True)
    right, column = np.unique(columns, return_inverse=True)
    if len(left) * len(right) > _MOST_DENSE_CELLS:
        return _best_sparse_assignment(row, column, worth, (len(left), len(right)))
    from scipy.optimize import linear_sum_assignment

    table = np.zeros((len(left), len(right)))
    table[row, column] = worth
    chosen = linear_sum_assignment(table, maximize=True)
    return float(table[chosen].sum())


def _best_sparse_assignment(row: Rows, column: Rows, worth: Floats, shape: tuple[int, int]) -> float:
    """Do the same without a table of all pairs: each row may also take a column of its own, of weight 0.

    The solver needs positive weights and assigns every row, so adding one to all weights does not change the choice.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    own = np.arange(shape[0])
    places = np.concatenate([row, own]), np.concatenate([column, shape[1] + own])
    table = csr_array((np.concatenate([worth + 1, np.ones(shape[0])]), places), shape=(shape[0], sum(shape)))
    taken, chosen = min_weight_full_bipartite_matching(table, maximize=True)
    real = chosen < shape[1]
    pairs = taken[real].astype(np.int64) * shape[1] + chosen[real]
    known = row * shape[1] + column
    order = np.argsort(known)
    return float(worth[order[np.searchsorted(known, pairs, sorter=order)]].sum())


# The measures of coreference: precision, recall and F1 of each metric, BLANC, and the CoNLL average.
#
# Their statistics are the counts of `chain_counts`; the evaluation provides them for each document or topic.


AVERAGED = ("muc", "b3", "ceafe")
"""The metrics whose F1 the CoNLL score averages (MELA)."""

WHOLE = ("mentions", "muc", "ceafm")
"""The metrics with integer counts, which can be displayed."""

NOTHING = "no chain in the key and none claimed"


def statistics_of(metric: str) -> tuple[str, ...]:
    """Name the four counts of a metric."""
    return tuple(f"{metric}_{part}" for part in PARTS)


def statistics_from(counted: Mapping[str, Counts]) -> dict[str, Floats]:
    """Convert the counts of metrics to named statistics."""
    return {
        name: getattr(counts, part)
        for metric, counts in counted.items()
        for name, part in zip(statistics_of(metric), PARTS, strict=True)
    }


def _f1(metric: str, sums: Sums) -> Floats:
    found, key, earned, claimed = (sums[name] for name in statistics_of(metric))
    return harmonic_f1(found, earned, claimed, key)


def _f1_measure(metric: str) -> Measure:
    """Build the F1 measure of a metric."""
    return Measure(
        name=metric, statistics=statistics_of(metric), finish=lambda sums: _f1(metric, sums), undefined=NOTHING
    )


def _metric_makers(metric: str) -> dict[str, Callable[[str | None], Measure]]:
    """Build the makers of F1, precision and recall of a metric."""
    found, key, earned, claimed = statistics_of(metric)
    plain = metric in WHOLE
    return {
        metric: _unlabelled_maker(_f1_measure(metric)),
        f"{metric}_precision": _share_maker(f"{metric}_precision", earned, claimed, "nothing claimed", plain=plain),
        f"{metric}_recall": _share_maker(f"{metric}_recall", found, key, "nothing in the key", plain=plain),
    }


def _share_maker(name: str, part: str, whole: str, undefined: str, *, plain: bool) -> Callable[[str | None], Measure]:
    return _unlabelled_maker(
        Measure(
            name=name,
            statistics=(part, whole),
            finish=lambda sums: ratio(sums[part], sums[whole]),
            undefined=undefined,
            plain=plain,
        ),
    )


def _unlabelled_maker(made: Measure) -> Callable[[str | None], Measure]:
    """Build the maker of a measure that takes no label."""

    def make(label: str | None) -> Measure:
        if label is not None:
            raise UsageError(
                f"{made.name} is a measure of chains and takes no label", hint="for kinds of mentions, use f1[noun]"
            )
        return made

    return make


def _conll_f1(sums: Sums) -> Floats:
    """Compute the mean F1 of MUC, B³ and CEAFe; undefined where one of them is."""
    found: Floats = np.mean([_f1(metric, sums) for metric in AVERAGED], axis=0)
    return found


def _blanc_formula(part: str) -> Callable[[Sums], Floats]:
    """Build the formula of BLANC from its two kinds of links, as in the reference scorer 8.01 (Recasens & Hovy 2011).

    Where the key has no links of one kind, only the other counts; where it has both, their mean. Ratios with a zero
    denominator are 0.
    """

    def finish(sums: Sums) -> Floats:
        halves = []
        for kind in LINKS:
            found, key, earned, claimed = (sums[name] for name in statistics_of(kind))
            recall, precision = np.nan_to_num(ratio(found, key)), np.nan_to_num(ratio(earned, claimed))
            both = np.nan_to_num(ratio(2 * recall * precision, recall + precision))
            halves.append({"recall": recall, "precision": precision, "f1": both}[part])
        has = [np.greater(sums[f"{kind}_key"], 0) for kind in LINKS]
        mean = (halves[0] + halves[1]) / 2
        chosen = np.where(has[0] & has[1], mean, np.where(has[0], halves[0], halves[1]))
        in_key, in_response = has[0] | has[1], sums[f"{LINKS[0]}_claimed"] + sums[f"{LINKS[1]}_claimed"] > 0
        defined = {"recall": in_key, "precision": in_response, "f1": in_key | in_response}[part]
        return np.where(defined, np.where(in_key, chosen, 0.0), np.nan)

    return finish


def _blanc_makers() -> dict[str, Callable[[str | None], Measure]]:
    statistics = tuple(name for kind in LINKS for name in statistics_of(kind))
    names = {"blanc": "f1", "blanc_precision": "precision", "blanc_recall": "recall"}
    why = "no pair of mentions"
    return {
        name: _unlabelled_maker(Measure(name=name, statistics=statistics, finish=_blanc_formula(part), undefined=why))
        for name, part in names.items()
    }


CONLL = Measure(
    name="conll",
    statistics=tuple(name for metric in AVERAGED for name in statistics_of(metric)),
    finish=_conll_f1,
    undefined=NOTHING,
    mean_of=tuple(map(_f1_measure, AVERAGED)),
)

MAKERS: dict[str, Callable[[str | None], Measure]] = {
    "conll": _unlabelled_maker(CONLL),
    **{name: make for metric in METRICS for name, make in _metric_makers(metric).items()},
    **_blanc_makers(),
}
"""All measures of chains by name."""

REPORTED = ("conll", "muc", "b3", "ceafe", "ceafm", "blanc", "lea", "mentions")
"""The measures in the order in which they are reported; precision and recall follow each but the first."""
