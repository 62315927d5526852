"""Spans that overlap in a chain: A with B, and B with C, but not A with C. So A and C can be true together.

A chain is walked from left to right, from one place at which spans begin to the next. If a true span reaches over such
a place, nothing begins there; else one of the spans does, or none. What is needed is how probable each of these steps
is: `kept` chooses them so that every span keeps the weight that it has, and nothing else is known of them (of all such
distributions it is the one with the largest entropy); `conditioned` takes the weights for those of independent spans,
and asks how probable they are given that no two overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.probabilities import EPSILON, SLACK, Beliefs, Worlds, alone, first_equals

if TYPE_CHECKING:
    from comparanda.core.probabilities import Floats, Overlap, Semantics
    from comparanda.core.text_columns import Codes, Rows, Truths
    from comparanda.errors import ReadError


MOST_WORLDS = 2_000
"""A chain with more worlds loses its least likely spans."""

_MIN_PROBABILITY = 1e-12
"""What is less probable does not happen: it is what rounding leaves."""

World = tuple[float, tuple[int, ...]]
"""How probable a world is, and which spans are true in it."""


@dataclass(frozen=True, eq=False)
class Chain:
    """Spans of one stretch of text.

    Args:
        begin: where each begins; not descending.
        end: where it ends, behind its begin.

    """

    begin: Rows
    end: Rows

    @cached_property
    def places(self) -> Rows:
        """The places at which spans begin."""
        return np.unique(self.begin)

    @cached_property
    def at(self) -> Rows:
        """The place at which each span begins, by number."""
        return np.searchsorted(self.places, self.begin)

    @cached_property
    def behind(self) -> Rows:
        """The first place behind each span, by number."""
        return np.searchsorted(self.places, self.end)

    @cached_property
    def first(self) -> list[int]:
        """The first span of each place, and behind them the number of all."""
        found: list[int] = np.searchsorted(self.at, np.arange(len(self.places) + 1)).tolist()
        return found

    def reaching(self, weight: Floats) -> Floats:
        """Return for each place the weight of the spans that reach over it from before."""
        size = len(self.places) + 1
        changes = np.bincount(self.at + 1, weight, size) - np.bincount(self.behind, weight, size)
        found: Floats = np.cumsum(changes)[:-1]
        return found

    def fullest(self, weight: Floats) -> float:
        """Return the largest weight that spans have which all overlap each other."""
        return float((self.reaching(weight) + np.bincount(self.at, weight)).max(initial=0.0))

    def count(self) -> int:
        """Return how many sets of spans there are in which no two overlap."""
        found = [1] * (len(self.places) + 1)
        behind = self.behind.tolist()
        for place in range(len(self.places) - 1, -1, -1):
            begun = behind[self.first[place] : self.first[place + 1]]
            found[place] = found[place + 1] + sum(found[each] for each in begun)
        return found[0]


@dataclass(frozen=True, eq=False, slots=True)
class Steps:
    """A walk along a chain.

    Args:
        begins: for each span, how probable it is that it begins, where nothing reaches over its place.
        none: for each place, how probable it is that nothing begins there, where nothing reaches over it.

    """

    begins: Floats
    none: Floats


def kept(chain: Chain, weight: Floats) -> Steps:
    """Walk so that each span is true with the probability that it has; no place may have more than one."""
    free = np.maximum(1.0 - chain.reaching(weight), 0.0)
    safe = np.where(free > EPSILON, free, np.inf)
    begins = weight / safe[chain.at]
    return Steps(begins, np.maximum(1.0 - np.bincount(chain.at, begins), 0.0))


def conditioned(chain: Chain, weight: Floats) -> Steps:
    """Walk so that each set of spans is as probable as if they were independent, given that no two overlap.

    The weights are above 0 and below 1.
    """
    odds = np.log(weight) - np.log1p(-weight)
    size = len(chain.places)
    total = np.zeros(size + 1)  # the logarithm of the odds of all sets of spans from a place on
    for place in range(size - 1, -1, -1):
        here = slice(chain.first[place], chain.first[place + 1])
        several = np.append(odds[here] + total[chain.behind[here]], total[place + 1])
        total[place] = np.logaddexp.reduce(several)
    return Steps(np.exp(odds + total[chain.behind] - total[chain.at]), np.exp(total[1:] - total[:-1]))


def weights(chain: Chain, steps: Steps) -> Floats:
    """Return how probable each span is."""
    size = len(chain.places)
    arrives = np.zeros(size + 1)
    arrives[0] = 1.0
    for place in range(size):
        arrives[place + 1] += arrives[place] * steps.none[place]
        here = slice(chain.first[place], chain.first[place + 1])
        np.add.at(arrives, chain.behind[here], arrives[place] * steps.begins[here])
    return arrives[chain.at] * steps.begins


def worlds(chain: Chain, steps: Steps) -> list[World]:
    """Return all worlds that can be and in which a span is true, the most probable first.

    Of equally probable ones the first is that which covers more text, then that whose spans come earlier.
    """
    none, begins, behind = steps.none.tolist(), steps.begins.tolist(), chain.behind.tolist()
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
            (behind[span], probability * begins[span], size + covered[span], (*members, span))
            for span in range(chain.first[place], chain.first[place + 1])
            if begins[span] > _MIN_PROBABILITY
        ]
        if none[place] > _MIN_PROBABILITY:
            ways.append((place + 1, probability * none[place], size, members))
    found.sort(key=lambda world: (-round(world[0], 9), -world[1], world[2]))
    return [(probability, members) for probability, _, members in found]


# From scores of spans to blocks: spans that overlap are brought together, and a policy says what that means.
#
# | policy | spans that overlap |
# |---|---|
# | `exclusive` | exclude each other, and weigh what they have |
# | `scale` | exclude each other; where they have more than one together, they are divided by that |
# | `condition` | have scores that know nothing of each other: weigh what these say given that no two are true |
# | `independent` | have nothing to do with each other |
#
# Where all spans of a stretch overlap each other, they are a block of tuples that exclude each other; else the block
# has
# worlds (`beliefs.chains`).


ALMOST_ONE = 1 - 1e-9
"""The largest score that odds are made of."""

Refuse = Callable[["Rows", str, str], "ReadError"]
"""Makes the error for some tuples, given by their rows: what is wrong, and what to do."""

_OVERLAP_HINT = "say what they mean: ?overlap=condition (independent scores), scale (divide them) or independent"


TOO_MANY = "tuples left out, since with them too many sets of spans are possible; "
"""What is noted of tuples that were left out; behind it stands what they weigh."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Scored:
    """Tuples with the scores that an input gives them.

    Args:
        document: the document of each.
        begin: where its span begins there.
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
class Made:
    """What was made of scores.

    Args:
        rows: the tuples that are left, by their rows.
        beliefs: how probable these are.
        left_out: the rows of those that were left out because they made too many worlds.

    """

    rows: Rows
    beliefs: Beliefs
    left_out: Rows


def made(tuples: Scored, overlap: Overlap, semantics: Semantics, refuse: Refuse) -> Made:
    """Make blocks of tuples by a policy.

    A tuple that is there twice counts once, with both weights, if these exclude each other.
    """
    rows, weight = _merge_duplicates(tuples, overlap, refuse)
    if overlap == "independent":
        return Made(rows, alone(weight[rows]), np.zeros(0, np.int64))
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
    return Made(groups.rows[order], beliefs.take(order), left_out)


def _merge_duplicates(tuples: Scored, overlap: Overlap, refuse: Refuse) -> tuple[Rows, Floats]:
    """Return the first row of each tuple, and the weights, those of later ones added to it."""
    every = np.arange(len(tuples))
    first = first_equals(tuples.document, tuples.begin, tuples.end, tuples.label)
    again = np.flatnonzero(first != every)
    if not len(again):
        return every, tuples.weight
    if overlap in {"condition", "independent"}:
        what = "the same span stands there twice with the same label"
        hint = f"with overlap={overlap} scores know nothing of each other and cannot be added: leave one out"
        raise refuse(np.array([again[0], first[again[0]]]), what, hint)
    return np.flatnonzero(first == every), np.bincount(first, tuples.weight, len(tuples)).astype(np.float64)


@dataclass(frozen=True, eq=False, kw_only=True)
class _OverlapGroups:
    """Tuples by the stretches of text that they cover together, each from left to right.

    Args:
        rows: the tuples, by their rows.
        begin: where each begins, by the rank of the place.
        end: where it ends; a span without length counts as one that covers what stands at its place.
        number: the stretch of each.
        first: the first tuple of each stretch, and behind them the number of all.
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
        """Bring those tuples of a group together that overlap."""
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
        """Return those in which some spans do not overlap, by number, with their tuples."""
        numbers = np.flatnonzero(~self.together).tolist()
        return [(each, slice(int(self.first[each]), int(self.first[each + 1]))) for each in numbers]

    def chain(self, where: slice | Rows) -> Chain:
        """Return some tuples of a stretch as a chain."""
        return Chain(self.begin[where], self.end[where])


def _apply_overlap_policy(groups: _OverlapGroups, weight: Floats, overlap: Overlap, refuse: Refuse) -> Floats:
    """Return the weights, divided where the policy says so; refuse those that it does not explain."""
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
        raise refuse(rows, f"{len(rows)} tuples that overlap have probabilities that sum to {total:g}", _OVERLAP_HINT)
    scaled = weight.copy()
    scaled[groups.rows] = mine / np.maximum(fullest, 1.0)[groups.number]
    return scaled


def _heaviest_overlap(groups: _OverlapGroups, mine: Floats, number: int) -> tuple[Rows, float]:
    """Return the rows of the overlapping tuples of a stretch that weigh most together, and how much that is."""
    where = slice(int(groups.first[number]), int(groups.first[number + 1]))
    chain = groups.chain(where)
    sums = chain.reaching(mine[where]) + np.bincount(chain.at, mine[where])
    place = int(sums.argmax())
    there = (chain.at <= place) & (place < chain.behind)
    return groups.rows[where][there], float(sums[place])


def _refuse_two_certain(groups: _OverlapGroups, weight: Floats, refuse: Refuse) -> None:
    """Refuse overlapping tuples that are both certain: no world has both."""
    certain = (weight[groups.rows] >= ALMOST_ONE).astype(np.float64)
    counts = np.bincount(groups.number, certain, len(groups))
    for number in np.flatnonzero(counts > 1).tolist():
        rows, count = _heaviest_overlap(groups, certain, number)
        if count > 1:
            rows = rows[weight[rows] >= ALMOST_ONE]
            hint = "leave one out, or say ?overlap=independent if both can be true"
            raise refuse(rows, f"{len(rows)} tuples that overlap are all certain", hint)


def _find_excess_tuples(groups: _OverlapGroups, weight: Floats) -> Rows:
    """Return the rows of the least likely tuples of chains that have too many worlds with them."""
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
    """Return how many tuples must go, the first of an order first, so that no stretch has too many worlds."""

    def fits(gone: int) -> bool:
        left = np.sort(order[gone:])
        return all(chain.count() <= MOST_WORLDS for chain in _split_chains(begin[left], end[left]))

    few, many = 0, len(order)  # with all gone, nothing is too much
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if fits(middle) else (middle, many)
    return many


def _split_chains(begin: Rows, end: Rows) -> list[Chain]:
    """Return the stretches that spans from left to right make up."""
    cuts = np.flatnonzero(begin[1:] >= np.maximum.accumulate(end)[:-1]) + 1
    return [Chain(*each) for each in zip(np.split(begin, cuts), np.split(end, cuts), strict=True)]


def _build_beliefs(groups: _OverlapGroups, weight: Floats, overlap: Overlap) -> Beliefs:
    """Make a block of each stretch."""
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
        steps = conditioned(chain, given) if overlap == "condition" else kept(chain, given)
        mine[where] = 0.0
        mine[rows] = weights(chain, steps)
        found.append((number, rows, worlds(chain, steps)))
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
    """Lay the worlds of all chains end to end; None if there are no chains."""
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
