"""Spans that overlap in a chain: A with B, and B with C, but not A with C. So A and C can be true together.

A chain is walked from left to right, from one place at which spans begin to the next. If a true span reaches over such
a place, nothing begins there; else one of the spans does, or none. What is needed is how probable each of these steps
is: `kept` chooses them so that every span keeps the weight that it has, and nothing else is known of them (of all such
distributions it is the one with the largest entropy); `conditioned` takes the weights for those of independent spans,
and asks how probable they are given that no two overlap.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.beliefs.model import EPSILON

if TYPE_CHECKING:
    from comparanda.beliefs.model import Floats
    from comparanda.columns import Rows

MOST_WORLDS = 2_000
"""A chain with more worlds loses its least likely spans."""

_NEVER = 1e-12
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
            if begins[span] > _NEVER
        ]
        if none[place] > _NEVER:
            ways.append((place + 1, probability * none[place], size, members))
    found.sort(key=lambda world: (-round(world[0], 9), -world[1], world[2]))
    return [(probability, members) for probability, _, members in found]
