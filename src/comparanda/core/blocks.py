"""Blocks of overlapping candidate spans: the possible worlds of a chain of spans, and blocks made from scores.

In a chain, A overlaps B and B overlaps C, but not A and C: so A and C can be true together. A chain is processed from
left to right, from one place at which spans begin to the next. If a true span covers such a place, nothing begins
there; otherwise one of the spans there begins, or none. The distribution over worlds is given by the probabilities of
these transitions. One policy chooses them so that every span keeps its weight and nothing more is assumed (of all such
distributions it is the one with the largest entropy); another takes the weights as those of independent spans and
conditions on no two of them overlapping.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.probabilities import EPSILON, SLACK, Beliefs, Worlds, first_equals, independent_beliefs

if TYPE_CHECKING:
    from comparanda.core.probabilities import Floats, Overlap, Semantics
    from comparanda.core.text_columns import Codes, Rows, Truths
    from comparanda.errors import ReadError


MOST_WORLDS = 2_000
"""The least likely spans of a chain with more worlds are left out."""

_MIN_PROBABILITY = 1e-12
"""Smaller probabilities are rounding errors and count as zero."""

World = tuple[float, tuple[int, ...]]
"""The probability of a world, and the spans that are true in it."""


@dataclass(frozen=True, eq=False)
class Chain:
    """The spans of one connected stretch of text.

    Args:
        begin: where each begins; non-decreasing.
        end: where it ends, after its begin.

    """

    begin: Rows
    end: Rows

    @cached_property
    def places(self) -> Rows:
        """The places at which spans begin."""
        return np.unique(self.begin)

    @cached_property
    def at(self) -> Rows:
        """The index of the place at which each span begins."""
        return np.searchsorted(self.places, self.begin)

    @cached_property
    def next_place(self) -> Rows:
        """The index of the first place after each span."""
        return np.searchsorted(self.places, self.end)

    @cached_property
    def first(self) -> list[int]:
        """The first span of each place, followed by the number of spans."""
        found: list[int] = np.searchsorted(self.at, np.arange(len(self.places) + 1)).tolist()
        return found

    def reaching(self, weight: Floats) -> Floats:
        """Sum, for each place, the weights of the earlier spans that cover it."""
        size = len(self.places) + 1
        changes = np.bincount(self.at + 1, weight, size) - np.bincount(self.next_place, weight, size)
        found: Floats = np.cumsum(changes)[:-1]
        return found

    def fullest(self, weight: Floats) -> float:
        """Compute the largest total weight of spans that all overlap each other."""
        return float((self.reaching(weight) + np.bincount(self.at, weight)).max(initial=0.0))

    def count(self) -> int:
        """Count the sets of spans in which no two overlap."""
        found = [1] * (len(self.places) + 1)
        next_place = self.next_place.tolist()
        for place in range(len(self.places) - 1, -1, -1):
            begun = next_place[self.first[place] : self.first[place + 1]]
            found[place] = found[place + 1] + sum(found[each] for each in begun)
        return found[0]


@dataclass(frozen=True, eq=False, slots=True)
class Steps:
    """The transition probabilities of a chain.

    Args:
        begins: for each span, the probability that it begins, given that no true span covers its place.
        none: for each place, the probability that nothing begins there, given that no true span covers it.

    """

    begins: Floats
    none: Floats


def keep_probabilities(chain: Chain, weight: Floats) -> Steps:
    """Compute transitions under which each span keeps its probability; no place may have a total above one."""
    free = np.maximum(1.0 - chain.reaching(weight), 0.0)
    safe = np.where(free > EPSILON, free, np.inf)
    begins = weight / safe[chain.at]
    return Steps(begins, np.maximum(1.0 - np.bincount(chain.at, begins), 0.0))


def condition_on_no_overlap(chain: Chain, weight: Floats) -> Steps:
    """Compute transitions for independent spans, conditioned on no two of them overlapping.

    The weights must be above 0 and below 1.
    """
    odds = np.log(weight) - np.log1p(-weight)
    size = len(chain.places)
    total = np.zeros(size + 1)  # log of the summed odds of all sets of spans from a place on
    for place in range(size - 1, -1, -1):
        here = slice(chain.first[place], chain.first[place + 1])
        several = np.append(odds[here] + total[chain.next_place[here]], total[place + 1])
        total[place] = np.logaddexp.reduce(several)
    return Steps(np.exp(odds + total[chain.next_place] - total[chain.at]), np.exp(total[1:] - total[:-1]))


def compute_weights(chain: Chain, steps: Steps) -> Floats:
    """Compute the probability of each span from the transitions."""
    size = len(chain.places)
    arrives = np.zeros(size + 1)
    arrives[0] = 1.0
    for place in range(size):
        arrives[place + 1] += arrives[place] * steps.none[place]
        here = slice(chain.first[place], chain.first[place + 1])
        np.add.at(arrives, chain.next_place[here], arrives[place] * steps.begins[here])
    return arrives[chain.at] * steps.begins


def enumerate_worlds(chain: Chain, steps: Steps) -> list[World]:
    """Enumerate the possible worlds in which at least one span is true, the most probable first.

    Ties are broken in favour of worlds that cover more text, then of those whose spans come earlier.
    """
    none, begins, next_place = steps.none.tolist(), steps.begins.tolist(), chain.next_place.tolist()
    covered = (chain.end - chain.begin).tolist()
    found: list[tuple[float, int, tuple[int, ...]]] = []
    ways: list[tuple[int, float, int, tuple[int, ...]]] = [(0, 1.0, 0, ())]
    while ways:
        place, probability, size, members = ways.pop()
        if place == len(none):
            if members:
                found.append((probability, size, members))
            continue
        ways += [
            (next_place[span], probability * begins[span], size + covered[span], (*members, span))
            for span in range(chain.first[place], chain.first[place + 1])
            if begins[span] > _MIN_PROBABILITY
        ]
        if none[place] > _MIN_PROBABILITY:
            ways.append((place + 1, probability * none[place], size, members))
    found.sort(key=lambda world: (-round(world[0], 9), -world[1], world[2]))
    return [(probability, members) for probability, _, members in found]


# From the scores of spans to blocks: overlapping spans are grouped, and a policy defines how their scores combine.
#
# | policy | spans that overlap |
# |---|---|
# | `exclusive` | exclude each other; the scores are the weights |
# | `scale` | exclude each other; scores that sum to more than one are divided by the sum |
# | `condition` | have independent scores: the weights are conditioned on no two being true |
# | `independent` | are independent of each other |
#
# Where all spans of a stretch overlap each other, they form a block of mutually exclusive tuples; otherwise the block
# has worlds.


ALMOST_ONE = 1 - 1e-9
"""Larger scores are capped before they are converted to odds."""

Refuse = Callable[["Rows", str, str], "ReadError"]
"""Makes the error for some tuples, from their rows, the message and the hint."""

_OVERLAP_HINT = (
    "choose how to combine them: ?overlap=condition (independent scores), scale (divide them) or independent"
)


TOO_MANY = "tuples left out, because with them too many combinations of spans are possible; "
"""The text of the note about tuples that were left out; their total weight is appended."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Scored:
    """Labelled spans (tuples) with the scores given in an input.

    Args:
        document: the document of each.
        begin: where its span begins in the document.
        end: where it ends.
        label: its label, as a code.
        weight: its score, between 0 and 1.

    """

    document: Rows
    begin: Rows
    end: Rows
    label: Codes
    weight: Floats

    def __len__(self) -> int:
        return len(self.weight)


@dataclass(frozen=True, eq=False, slots=True)
class BuiltBlocks:
    """The blocks built from scores.

    Args:
        rows: the rows of the remaining tuples.
        beliefs: their probabilities.
        left_out: the rows of tuples that were left out because they lead to too many worlds.

    """

    rows: Rows
    beliefs: Beliefs
    left_out: Rows


def make_blocks(tuples: Scored, overlap: Overlap, semantics: Semantics, refuse: Refuse) -> BuiltBlocks:
    """Build blocks of tuples according to an overlap policy.

    Duplicates of a tuple are merged and their weights added, if tuples exclude each other under the policy.
    """
    rows, weight = _merge_duplicates(tuples, overlap, refuse)
    if overlap == "independent":
        return BuiltBlocks(rows, independent_beliefs(weight[rows]), np.zeros(0, np.int64))
    group = tuples.document
    if semantics == "independent":
        group = group * (int(tuples.label.max(initial=0)) + 1) + tuples.label
    groups = _OverlapGroups.of(group, tuples, rows)
    weight = _apply_overlap_policy(groups, weight, overlap, refuse)
    left_out = _find_excess_tuples(groups, weight)
    if len(left_out):
        groups = _OverlapGroups.of(group, tuples, np.setdiff1d(rows, left_out))
    beliefs = _build_beliefs(groups, weight, overlap)
    order = np.argsort(groups.rows, kind="stable")
    return BuiltBlocks(groups.rows[order], beliefs.take(order), left_out)


def _merge_duplicates(tuples: Scored, overlap: Overlap, refuse: Refuse) -> tuple[Rows, Floats]:
    """Return the first row of each distinct tuple, and the weights with those of duplicates added."""
    every = np.arange(len(tuples))
    first = first_equals(tuples.document, tuples.begin, tuples.end, tuples.label)
    again = np.flatnonzero(first != every)
    if not len(again):
        return every, tuples.weight
    if overlap in {"condition", "independent"}:
        what = "duplicate span with the same label"
        hint = f"leave one out: with overlap={overlap} scores are independent and cannot be added"
        raise refuse(np.array([again[0], first[again[0]]]), what, hint)
    return np.flatnonzero(first == every), np.bincount(first, tuples.weight, len(tuples)).astype(np.float64)


@dataclass(frozen=True, eq=False, kw_only=True)
class _OverlapGroups:
    """Tuples grouped by connected stretches of text, each sorted from left to right.

    Args:
        rows: the rows of the tuples.
        begin: where each begins, as the rank of the place.
        end: where it ends; an empty span is treated as if it covered the next place.
        number: the stretch of each.
        first: the first tuple of each stretch, followed by the number of tuples.
        together: whether all spans of a stretch overlap each other.

    """

    rows: Rows
    begin: Rows
    end: Rows
    number: Rows
    first: Rows
    together: Truths

    @classmethod
    def of(cls, group: Rows, tuples: Scored, rows: Rows) -> _OverlapGroups:
        """Group the overlapping tuples within each of the given groups."""
        begin, end = tuples.begin[rows], np.maximum(tuples.end[rows], tuples.begin[rows] + 1)
        places, rank = np.unique(np.concatenate([begin, end]), return_inverse=True)
        begin, end = rank[: len(rows)], rank[len(rows) :]
        _, mine = np.unique(group[rows], return_inverse=True)
        order = np.lexsort((tuples.label[rows], end, begin, mine))
        begin, end, base = begin[order], end[order], mine[order] * len(places)
        reach = np.maximum.accumulate(base + end)
        new = np.ones(len(rows), np.bool_)
        new[1:] = (base + begin)[1:] >= reach[:-1]
        first = np.append(np.flatnonzero(new), len(rows))
        if not len(rows):
            return cls(rows=rows, begin=begin, end=end, number=begin, first=first, together=new)
        together = np.maximum.reduceat(begin, first[:-1]) < np.minimum.reduceat(end, first[:-1])
        return cls(rows=rows[order], begin=begin, end=end, number=np.cumsum(new) - 1, first=first, together=together)

    def __len__(self) -> int:
        return len(self.together)

    def chains(self) -> list[tuple[int, slice]]:
        """Return the stretches in which some spans do not overlap each other: their numbers and tuples."""
        numbers = np.flatnonzero(~self.together).tolist()
        return [(each, slice(int(self.first[each]), int(self.first[each + 1]))) for each in numbers]

    def chain(self, where: slice | Rows) -> Chain:
        """Return some tuples of a stretch as a chain."""
        return Chain(self.begin[where], self.end[where])


def _apply_overlap_policy(groups: _OverlapGroups, weight: Floats, overlap: Overlap, refuse: Refuse) -> Floats:
    """Return the weights, scaled if the policy requires it; refuse weights that the policy does not allow."""
    if overlap == "condition":
        _refuse_two_certain(groups, weight, refuse)
        return weight
    mine = weight[groups.rows]
    fullest = np.bincount(groups.number, mine, len(groups))
    for number, where in groups.chains():
        fullest[number] = groups.chain(where).fullest(mine[where])
    over = np.flatnonzero(fullest > 1 + SLACK)
    if len(over) and overlap != "scale":
        rows, total = _heaviest_overlap(groups, mine, int(over[0]))
        if len(rows) == 1:
            raise refuse(rows, f"the same tuple has probabilities that sum to {total:g}", _OVERLAP_HINT)
        raise refuse(rows, f"{len(rows)} overlapping tuples have probabilities that sum to {total:g}", _OVERLAP_HINT)
    scaled = weight.copy()
    scaled[groups.rows] = mine / np.maximum(fullest, 1.0)[groups.number]
    return scaled


def _heaviest_overlap(groups: _OverlapGroups, mine: Floats, number: int) -> tuple[Rows, float]:
    """Find the overlapping tuples of a stretch with the largest total weight; return their rows and this weight."""
    where = slice(int(groups.first[number]), int(groups.first[number + 1]))
    chain = groups.chain(where)
    sums = chain.reaching(mine[where]) + np.bincount(chain.at, mine[where])
    place = int(sums.argmax())
    there = (chain.at <= place) & (place < chain.next_place)
    return groups.rows[where][there], float(sums[place])


def _refuse_two_certain(groups: _OverlapGroups, weight: Floats, refuse: Refuse) -> None:
    """Refuse overlapping tuples that are both certain: no world can contain both."""
    certain = (weight[groups.rows] >= ALMOST_ONE).astype(np.float64)
    counts = np.bincount(groups.number, certain, len(groups))
    for number in np.flatnonzero(counts > 1).tolist():
        rows, count = _heaviest_overlap(groups, certain, number)
        if count > 1:
            rows = rows[weight[rows] >= ALMOST_ONE]
            hint = "leave all but one out, or add ?overlap=independent if they can be true together"
            raise refuse(rows, f"{len(rows)} overlapping tuples are all certain", hint)


def _find_excess_tuples(groups: _OverlapGroups, weight: Floats) -> Rows:
    """Find the least likely tuples that must be left out of chains with too many worlds; return their rows."""
    gone = [np.zeros(0, np.int64)]
    for _, where in groups.chains():
        rows = groups.rows[where]
        likely = np.flatnonzero(weight[rows] > 0)
        begin, end = groups.begin[where][likely], groups.end[where][likely]
        if Chain(begin, end).count() > MOST_WORLDS:
            order = likely[np.argsort(weight[rows[likely]], kind="stable")]
            gone.append(rows[order[: _count_to_drop(begin, end, order)]])
    return np.concatenate(gone)


def _count_to_drop(begin: Rows, end: Rows, order: Rows) -> int:
    """Count the tuples, from the start of an order, that must be left out so that no stretch has too many worlds."""

    def fits(gone: int) -> bool:
        left = np.sort(order[gone:])
        return all(chain.count() <= MOST_WORLDS for chain in _split_chains(begin[left], end[left]))

    few, many = 0, len(order)  # with all left out, there are never too many worlds
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if fits(middle) else (middle, many)
    return many


def _split_chains(begin: Rows, end: Rows) -> list[Chain]:
    """Split spans, sorted from left to right, into connected stretches."""
    cuts = np.flatnonzero(begin[1:] >= np.maximum.accumulate(end)[:-1]) + 1
    return [Chain(*each) for each in zip(np.split(begin, cuts), np.split(end, cuts), strict=True)]


def _build_beliefs(groups: _OverlapGroups, weight: Floats, overlap: Overlap) -> Beliefs:
    """Build one block for each stretch."""
    mine, count = weight[groups.rows], len(groups)
    if overlap == "condition":
        several = np.diff(groups.first)[groups.number] > 1
        capped = np.where(several, np.minimum(mine, ALMOST_ONE), mine)
        odds = np.where(several, capped / (1 - np.minimum(capped, ALMOST_ONE)), 0.0)
        total = 1.0 + np.bincount(groups.number, odds, count)
        mine = np.where(several, odds / total[groups.number], mine)
        weight = np.minimum(weight, ALMOST_ONE)
    found: list[tuple[int, Rows, list[World]]] = []
    for number, where in groups.chains():
        rows = np.arange(where.start, where.stop)[weight[groups.rows[where]] > 0]
        chain = groups.chain(rows)
        given = weight[groups.rows[rows]]
        steps = condition_on_no_overlap(chain, given) if overlap == "condition" else keep_probabilities(chain, given)
        mine[where] = 0.0
        mine[rows] = compute_weights(chain, steps)
        found.append((number, rows, enumerate_worlds(chain, steps)))
    nothing = 1.0 - np.bincount(groups.number, mine, count)
    for number, _, several_worlds in found:
        nothing[number] = 1.0 - sum(probability for probability, _ in several_worlds)
    new = np.ones(len(mine), np.bool_)
    sides = groups.number, groups.begin, groups.end
    if len(mine):
        new[1:] = np.any([side[1:] != side[:-1] for side in sides], axis=0)
    alternative = np.cumsum(new) - 1
    entity = np.bincount(alternative, mine).astype(np.float64)[alternative] if len(mine) else mine
    return Beliefs(
        weight=mine,
        entity=entity,
        alternative=alternative,
        block=groups.number,
        nothing=np.clip(nothing, 0.0, 1.0),
        worlds=_concatenate_worlds(found),
    )


def _concatenate_worlds(found: Sequence[tuple[int, Rows, list[World]]]) -> Worlds | None:
    """Concatenate the worlds of all chains; None if there are no chains."""
    every = [(number, rows, world) for number, rows, several in found for world in several]
    if not every:
        return None
    sizes = [len(members) for _, _, (_, members) in every]
    return Worlds(
        np.array([number for number, _, _ in every], np.int64),
        np.array([probability for _, _, (probability, _) in every], np.float64),
        np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]),
        np.concatenate([np.zeros(0, np.int64), *(rows[list(members)] for _, rows, (_, members) in every)]),
    )
