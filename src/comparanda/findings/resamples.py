"""Resampling as products of weights and statistics, in float64, with the seed as an argument.

Draws come in chunks, each with a generator seeded by (seed, chunk): results do not depend on how the
chunks are distributed over threads, and large corpora use several. Products are split into tiles small
enough that BLAS does not start threads for them, which on a busy machine takes thirty times as long.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.text_columns import Rows

    Matrix = NDArray[np.float64]

RESAMPLES = 10_000
SEED = 13
FEWEST_UNITS = 6
"""Below this many units a randomisation test cannot reach p < 0.05 and is not run."""
EXACT_UNITS = 16
"""Up to this many units all 2ⁿ swaps are enumerated."""

_CHUNK_SIZE = 16
_DRAWS_AT_ONCE = 1 << 17
_MAX_THREADS = 4
_MIN_DRAWS_FOR_THREADS = 1 << 25
"""From this many draws on, threads are used; they take a tenth of a second."""
_TILE_SIZE = 1 << 18
_TILE_ROWS = 1024


def bootstrap_sums(statistics: Matrix, resamples: int = RESAMPLES, seed: int = SEED) -> Matrix:
    """Return the sums of (units, columns) statistics over resamples of the units, as (resamples, columns)."""
    units = len(statistics)
    sums = np.empty((resamples, statistics.shape[1]))

    def draw(chunk: int, first: int, count: int) -> None:
        weights = _draw_weights(_make_generator(seed, 0, chunk), count, units)
        sums[first : first + count] = _tiled_product(weights, statistics)

    _run_chunks(draw, resamples, units)
    return sums


def _draw_weights(generator: np.random.Generator, count: int, units: int) -> Matrix:
    """Draw all units with replacement and return how often each was drawn, as (resamples, units).

    Resamples are drawn in blocks, of a single resample if units are many, so that the counts fit into the cache.
    """
    weights = np.empty((count, units))
    some = max(1, _DRAWS_AT_ONCE // units)
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
    """Return the sums of statistics over random subsets of the units, as (resamples, columns).

    `exact` enumerates all 2ⁿ subsets instead. `rows` are the units that are summed, by default all; the draws
    for a unit do not depend on them.
    """
    units = len(statistics)
    if exact:
        masks = (np.arange(2**units)[:, None] >> np.arange(units)) & 1
        return masks.astype(np.float64) @ statistics
    sums = np.empty((resamples, statistics.shape[1]))
    wanted = statistics if rows is None else statistics[rows]
    width = (units + 7) // 8

    def draw(chunk: int, first: int, count: int) -> None:
        bits = np.frombuffer(_make_generator(seed, 1, chunk).bytes(count * width), np.uint8).reshape(count, width)
        picked = np.unpackbits(bits, axis=1, count=units)
        chosen = picked if rows is None else picked[:, rows]
        sums[first : first + count] = _tiled_product(chosen.astype(np.float64), wanted)

    _run_chunks(draw, resamples, units)
    return sums


def _run_chunks(draw: Callable[[int, int, int], None], resamples: int, units: int) -> None:
    """Draw all chunks, for large corpora in several threads: NumPy releases the GIL while it draws and counts."""
    chunks = list(_split_chunks(resamples))
    if units * resamples < _MIN_DRAWS_FOR_THREADS:
        for each in chunks:
            draw(*each)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(_MAX_THREADS, os.cpu_count() or 1)) as pool:
        for _ in pool.map(lambda each: draw(*each), chunks):
            pass  # an exception of a thread is raised here


def _make_generator(seed: int, purpose: int, chunk: int) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(purpose, chunk))))


def _split_chunks(resamples: int) -> Iterator[tuple[int, int, int]]:
    """Yield number, first resample and size of each chunk."""
    for chunk, first in enumerate(range(0, resamples, _CHUNK_SIZE)):
        yield chunk, first, min(_CHUNK_SIZE, resamples - first)


def _tiled_product(weights: Matrix, statistics: Matrix) -> Matrix:
    """Multiply two matrices in tiles that are too small for BLAS to start threads."""
    columns = statistics.shape[1]
    rows = min(_TILE_ROWS, max(1, _TILE_SIZE // max(1, len(weights) * columns)))
    total = np.zeros((len(weights), columns))
    for begin in range(0, len(statistics), rows):
        total += weights[:, begin : begin + rows] @ statistics[begin : begin + rows]
    return total


def find_quantiles(samples: Matrix, shares: Sequence[float]) -> Matrix:
    """Return the quantiles of each column by linear interpolation; NaN where a sample is NaN.

    The values are those of `numpy.quantile`, which imports NumPy's masked arrays: a twentieth of a small comparison.

    >>> find_quantiles(np.array([[4.0, 1.0], [0.0, 1.0], [1.0, np.nan]]), (0.25, 0.5)).tolist()
    [[0.5, nan], [1.0, nan]]
    """
    last = len(samples) - 1
    place = np.multiply(shares, last)
    before = np.floor(place).astype(np.intp)
    after = np.minimum(before + 1, last)
    ordered = np.partition(samples, [*before, *after, last], axis=0)
    low, high = ordered[before], ordered[after]
    part = (place - before).reshape(-1, *[1] * (samples.ndim - 1))
    between = np.where(part < 0.5, low + (high - low) * part, high - (high - low) * (1 - part))
    return np.where(np.isnan(ordered[-1]), np.nan, between)
