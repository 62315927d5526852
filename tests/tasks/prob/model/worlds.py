"""Small beliefs, and all their worlds one by one: slow, and plain enough to be believed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from hypothesis import strategies as st

from comparanda.core.probabilities import Beliefs, Worlds
from comparanda.core.text_columns import Truths

FEW = 50
"""How many cases are drawn of what is enumerated."""

Outcome = tuple[float, tuple[int, ...]]
"""How likely it is, and which tuples are true."""


@dataclass(frozen=True, eq=False)
class Case:
    """Beliefs, what is right, and for each block all that can be true."""

    beliefs: Beliefs
    correct: Truths
    blocks: list[list[Outcome]]

    def worlds(self) -> Iterator[Outcome]:
        """Yield every world."""
        for chosen in product(*self.blocks):
            yield prod(p for p, _ in chosen), tuple(row for _, rows in chosen for row in rows)


def case(blocks: list[tuple[int, list[Outcome]]], correct: list[bool]) -> Case:
    """Make beliefs of blocks, each with its number of tuples and what of them can be true, counted from 0.

    What is missing to 1 is for nothing. Where no outcome has more than one tuple, the block is exclusive.
    """
    weight: list[float] = []
    block: list[int] = []
    nothing: list[float] = []
    outcomes: list[list[Outcome]] = []
    worlds: list[tuple[int, float, list[int]]] = []
    for number, (size, given) in enumerate(blocks):
        first = len(weight)
        moved = [(p, tuple(first + row for row in rows)) for p, rows in given]
        rest = max(0.0, 1.0 - sum(p for p, _ in given))
        weight += [sum(p for p, rows in moved if row in rows) for row in range(first, first + size)]
        block += [number] * size
        nothing.append(rest + sum(p for p, rows in given if not rows))
        outcomes.append([*moved, (rest, ())])
        if any(len(rows) > 1 for _, rows in given):
            worlds += [(number, p, list(rows)) for p, rows in moved]
    weights = np.array(weight, np.float64)
    numbers = np.arange(len(weights))
    beliefs = Beliefs(
        weight=weights,
        entity=weights,
        alternative=numbers,
        block=np.array(block, np.int64),
        nothing=np.array(nothing, np.float64),
        worlds=_worlds(worlds),
    )
    return Case(beliefs, np.array(correct[: len(weights)], np.bool_), outcomes)


def _worlds(found: list[tuple[int, float, list[int]]]) -> Worlds | None:
    if not found:
        return None
    return Worlds(
        np.array([block for block, _, _ in found], np.int64),
        np.array([p for _, p, _ in found], np.float64),
        np.cumsum([0, *(len(rows) for _, _, rows in found)]),
        np.array([row for _, _, rows in found for row in rows], np.int64),
    )


def _shares(count: int) -> st.SearchStrategy[list[float]]:
    """Draw probabilities that sum to one at most; some are 0, and often nothing is left."""
    parts = st.lists(st.integers(0, 5), min_size=count + 1, max_size=count + 1).filter(any)
    return parts.map(lambda each: [part / sum(each) for part in each[:-1]])


@st.composite
def _exclusive(draw: st.DrawFn) -> tuple[int, list[Outcome]]:
    size = draw(st.integers(1, 3))
    return size, [(p, (row,)) for row, p in enumerate(draw(_shares(size)))]


@st.composite
def _several(draw: st.DrawFn) -> tuple[int, list[Outcome]]:
    size = draw(st.integers(2, 3))
    sets = draw(st.lists(st.sets(st.integers(0, size - 1), min_size=1), min_size=1, max_size=3, unique_by=frozenset))
    return size, [(p, tuple(sorted(rows))) for rows, p in zip(sets, draw(_shares(len(sets))), strict=True)]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw up to four blocks."""
    blocks = draw(st.lists(_exclusive() | _several(), max_size=4))
    size = sum(count for count, _ in blocks)
    return case(blocks, draw(st.lists(st.booleans(), min_size=size, max_size=size)))


def blocks_of(beliefs: Beliefs) -> list[list[Outcome]]:
    """Return for each block of some beliefs all that can be true."""
    found: list[list[Outcome]] = [[] for _ in beliefs.nothing]
    several = beliefs.worlds
    for row, (block, weight) in enumerate(zip(beliefs.block.tolist(), beliefs.weight.tolist(), strict=True)):
        if several is None or block not in several.block:
            found[block].append((weight, (row,)))
    if several is not None:
        for number, block in enumerate(several.block.tolist()):
            rows = several.member[several.offsets[number] : several.offsets[number + 1]]
            found[block].append((float(several.probability[number]), tuple(rows.tolist())))
    return [[*each, (max(0.0, 1.0 - sum(p for p, _ in each)), ())] for each in found]
