"""From probabilities of tags, token by token, to spans that may be there.

A span of a label begins with one tag and goes on with another. If tokens were independent of each other, its
probability would be the product of those of its tags, times the probability that it neither began before nor goes on.
Spans that overlap cannot both be there then, so these weights never sum to more than one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.beliefs.model import Floats
    from comparanda.beliefs.policies import Aggregate
    from comparanda.columns import Rows

TagScheme = Literal["bio", "bioes", "io"]
"""How tags say where spans begin and end: B and I; B, I, E and S; or I alone."""

LETTERS: dict[TagScheme, str] = {"bio": "BI", "bioes": "BIES", "io": "I"}


@dataclass(frozen=True, eq=False, slots=True)
class Spans:
    """Spans of one label.

    Args:
        begin: the first token of each.
        end: the token behind its last one.
        weight: what it weighs.

    """

    begin: Rows
    end: Rows
    weight: Floats


@dataclass(frozen=True, eq=False, slots=True)
class Found:
    """What was found in the tags of one label.

    Args:
        spans: those that weigh enough.
        rest: how many were left out; those that begin alike and go on in ways that were not followed count once.
        mass: what these weigh together.

    """

    spans: Spans
    rest: int
    mass: float


@dataclass(frozen=True, eq=False, slots=True)
class _Ways:
    """Spans that are being followed from token to token.

    Args:
        begin: the first token of each.
        product: the probability of its tags so far, and that it did not begin before.
        tags: the product of the probabilities of its tags alone.
        least: the least of these.
        total: their sum.

    """

    begin: Rows
    product: Floats
    tags: Floats
    least: Floats
    total: Floats

    def take(self, rows: Rows) -> _Ways:
        return _Ways(*(getattr(self, name)[rows] for name in ("begin", "product", "tags", "least", "total")))

    def longer(self, tag: Floats) -> _Ways:
        """Return the same ways with one token more, given the probability of its tag."""
        return _Ways(self.begin, self.product * tag, self.tags * tag, np.minimum(self.least, tag), self.total + tag)

    def weight(self, aggregate: Aggregate, size: int, closed: Floats) -> Floats:
        """Return what spans of this length weigh, given the probability that they do not go on."""
        if aggregate == "product":
            return self.product * closed
        if aggregate == "geometric":
            return self.tags ** (1 / size)
        return self.least if aggregate == "min" else self.total / size


def spans_of(tags: dict[str, Floats], scheme: TagScheme, stops: Rows, aggregate: Aggregate, floor: float) -> Found:
    """Return the spans of one label that are probable enough.

    Whatever the aggregate, a span is there if its *product* reaches the floor: the others grow with every prefix of a
    span, and would make a span of each.

    Args:
        tags: the probability of the label's tag with each letter, for all tokens.
        scheme: what the letters mean.
        stops: for each token, where its sentence ends.
        aggregate: how the weight of a span is made of the probabilities of its tokens.
        floor: what is less probable is left out.

    """
    walk = _Walk(tags, scheme, stops)
    found: list[Spans] = []
    rest, mass = 0, 0.0
    for size, ended, pruned in walk.steps(floor):
        closed = walk.closing(ended.begin + size)
        product = ended.product * closed
        enough = (product >= floor) & (product > 0)
        weight = ended.weight(aggregate, size, closed)
        found.append(Spans(ended.begin[enough], ended.begin[enough] + size, weight[enough]))
        little = product[~enough & (product > 0)]
        rest += len(little) + len(pruned)
        mass += float(little.sum() + pruned.sum())
    return Found(Spans(*(np.concatenate([getattr(each, name) for each in found]) for name in _COLUMNS)), rest, mass)


_COLUMNS = ("begin", "end", "weight")


class _Walk:
    """The way from tokens at which spans begin to those at which they end."""

    def __init__(self, tags: dict[str, Floats], scheme: TagScheme, stops: Rows) -> None:
        self.scheme = scheme
        self.stops = stops
        inside = tags["I"]
        self.inside = inside
        self.first = inside if scheme == "io" else tags["B"]
        self.single, self.last = (tags["S"], tags["E"]) if scheme == "bioes" else (self.first, inside)

    def opening(self) -> Floats:
        """Return how probable it is that no span of the label that holds a token holds the one before."""
        free = np.ones(len(self.inside))
        if self.scheme == "io":
            goes_on = np.flatnonzero(self.stops[1:] == self.stops[:-1]) + 1
            free[goes_on] = 1 - self.inside[goes_on - 1]
        return free

    def closing(self, behind: Rows) -> Floats:
        """Return how probable it is that spans which end before some tokens do not go on with these."""
        if self.scheme == "bioes":
            return np.ones(len(behind))
        ended = behind == self.stops[behind - 1]
        return np.where(ended, 1.0, 1 - self.inside[np.where(ended, 0, behind)])

    def steps(self, floor: float) -> Iterator[tuple[int, _Ways, Floats]]:
        """Give for each length the ways that end there, and the weights of those that are not followed further."""
        opening = self.opening()
        every = np.arange(len(opening))
        start = _Ways(every, opening, np.ones(len(every)), np.ones(len(every)), np.zeros(len(every)))
        ways, ended = start.longer(self.first), start.longer(self.single)
        size = 1
        while True:
            follow = (ways.product >= floor) & (ways.product > 0)
            ends = ended if self.scheme == "bioes" else ended.take(np.flatnonzero(follow))  # else by the same tag
            yield size, ends, ways.product[~follow & (ways.product > 0)]
            ways = ways.take(np.flatnonzero(follow))
            ways = ways.take(np.flatnonzero(ways.begin + size < self.stops[ways.begin]))
            if not len(ways.begin):
                return
            token = ways.begin + size
            ended, ways = ways.longer(self.last[token]), ways.longer(self.inside[token])
            size += 1
