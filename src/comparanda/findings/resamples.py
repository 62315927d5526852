"""Resampling as products of weights and statistics, in float64, with the seed as an argument.

Draws come in chunks, each with a generator seeded by (seed, chunk): results do not depend on how the
chunks are spread, and those of large corpora are drawn by several threads. Products are cut into tiles small
enough that BLAS does not start threads for them, which on a busy machine costs thirty times the work.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.text_columns import Rows

    Matrix = NDArray[np.float64]

RESAMPLES = 10_000
SEED = 13
FEWEST_UNITS = 6
"""Below this many units a randomisation test cannot reach p < 0.05 and is not made."""
EXACT_UNITS = 16
"""Up to this many units all 2ⁿ swaps are enumerated."""

_CHUNK = 16
_DRAWS = 1 << 17
_THREADS = 4
_WORTH_THREADS = 1 << 25
"""So many draws take a tenth of a second."""
_TILE = 1 << 18
_ROWS = 1024


def bootstrap_sums(statistics: Matrix, resamples: int = RESAMPLES, seed: int = SEED) -> Matrix:
    """Return the sums of (units, columns) statistics over resamples of the units, as (resamples, columns)."""
    units = len(statistics)
    sums = np.empty((resamples, statistics.shape[1]))

    def draw(chunk: int, first: int, count: int) -> None:
        weights = _weights(_generator(seed, 0, chunk), count, units)
        sums[first : first + count] = _product(weights, statistics)

    _spread(draw, resamples, units)
    return sums


def _weights(generator: np.random.Generator, count: int, units: int) -> Matrix:
    """Draw units with replacement, as many as there are, and return how often each was drawn, as (resamples, units).

    Some resamples are drawn at a time, of many units only one: what is counted then stays near the processor.
    """
    weights = np.empty((count, units))
    some = max(1, _DRAWS // units)
    for first in range(0, count, some):
        rows = weights[first : first + some]
        draws = generator.integers(0, units, rows.shape)
        draws += np.arange(len(rows))[:, None] * units
        rows[:] = np.bincount(draws.ravel(), minlength=rows.size).reshape(rows.shape)
    return weights


def swapped_sums(
    statistics: Matrix,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    *,
    exact: bool = False,
    rows: Rows | None = None,
) -> Matrix:
    """Return the sums of statistics over randomly picked units, each picked or not, as (resamples, columns).

    `exact` gives all 2ⁿ ways of picking instead. `rows` names the units that are added up, by default
    all; what is drawn for a unit does not depend on them.
    """
    units = len(statistics)
    if exact:
        masks = (np.arange(2**units)[:, None] >> np.arange(units)) & 1
        return masks.astype(np.float64) @ statistics
    sums = np.empty((resamples, statistics.shape[1]))
    wanted = statistics if rows is None else statistics[rows]
    width = (units + 7) // 8

    def draw(chunk: int, first: int, count: int) -> None:
        bits = np.frombuffer(_generator(seed, 1, chunk).bytes(count * width), np.uint8).reshape(count, width)
        picked = np.unpackbits(bits, axis=1, count=units)
        chosen = picked if rows is None else picked[:, rows]
        sums[first : first + count] = _product(chosen.astype(np.float64), wanted)

    _spread(draw, resamples, units)
    return sums


def _spread(draw: Callable[[int, int, int], None], resamples: int, units: int) -> None:
    """Draw all chunks, those of large corpora by several threads: NumPy lets others work while it draws and counts."""
    chunks = list(_chunks(resamples))
    if units * resamples < _WORTH_THREADS:
        for each in chunks:
            draw(*each)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(_THREADS, os.cpu_count() or 1)) as pool:
        for _ in pool.map(lambda each: draw(*each), chunks):
            pass  # what was raised in a thread is raised here


def _generator(seed: int, purpose: int, chunk: int) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(purpose, chunk))))


def _chunks(resamples: int) -> Iterator[tuple[int, int, int]]:
    """Yield number, first resample and size of each chunk."""
    for chunk, first in enumerate(range(0, resamples, _CHUNK)):
        yield chunk, first, min(_CHUNK, resamples - first)


def _product(weights: Matrix, statistics: Matrix) -> Matrix:
    columns = statistics.shape[1]
    rows = min(_ROWS, max(1, _TILE // max(1, len(weights) * columns)))
    total = np.zeros((len(weights), columns))
    for begin in range(0, len(statistics), rows):
        total += weights[:, begin : begin + rows] @ statistics[begin : begin + rows]
    return total
