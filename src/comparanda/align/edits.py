"""The places at which two texts differ in a few characters, and positions that both have in common.

Long equal stretches are compared as arrays; only windows around a difference are aligned, by Levenshtein's distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.core.text_columns import Rows, Truths

TOLERANCE = 0.05
"""The largest share of characters of a text that may differ, rounded up to whole characters."""

_BLOCK = 1 << 16
_WINDOW = 64
_LONGEST = 1 << 12
_ANCHOR = 16
"""The number of equal characters after which two texts are in step again."""

Block = tuple[int, int, int, int]
"""A difference: its begin and end in the one text, and in the other."""


def find_edits(mine: str, theirs: str) -> list[Block] | None:
    """Find the differences of two texts; None if more characters differ than are tolerated.

    >>> find_edits("He said: no.", "He sayd: no.")
    [(5, 6, 5, 6)]
    >>> find_edits("one", "two") is None
    True
    """
    most = ceil(TOLERANCE * max(len(mine), len(theirs)))
    codes = _codes(mine), _codes(theirs)
    found: list[Block] = []
    here = there = 0
    while True:
        same = _count_same(codes[0][here:], codes[1][there:])
        here, there = here + same, there + same
        if here == len(mine) and there == len(theirs):
            return found
        window = _WINDOW
        while True:
            left = max(len(mine) - here, len(theirs) - there)
            blocks, step = _align_window(
                mine[here : here + window], theirs[there : there + window], last=window >= left
            )
            if step is not None:
                break
            if window > min(4 * (most + _ANCHOR), _LONGEST):
                return None
            window *= 2
        found += [(here + a, here + b, there + c, there + d) for a, b, c, d in blocks]
        if count_edited(found) > most:
            return None
        here, there = here + step[0], there + step[1]


def count_edited(blocks: Sequence[Block]) -> int:
    """Count the characters that differ: of each difference, those of its longer side."""
    return sum(max(end - begin, other_end - other_begin) for begin, end, other_begin, other_end in blocks)


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _count_same(mine: NDArray[np.uint32], theirs: NDArray[np.uint32]) -> int:
    """Count the equal characters at the beginning."""
    size = min(len(mine), len(theirs))
    for begin in range(0, size, _BLOCK):
        end = min(begin + _BLOCK, size)
        unlike = np.flatnonzero(mine[begin:end] != theirs[begin:end])
        if unlike.size:
            return begin + int(unlike[0])
    return size


def _align_window(mine: str, theirs: str, *, last: bool) -> tuple[list[Block], tuple[int, int] | None]:
    """Align windows of two texts up to where they are in step again; None if they are not."""
    from rapidfuzz.distance import Levenshtein

    found: list[Block] = []
    for code in Levenshtein.opcodes(mine, theirs):
        if code.tag != "equal":
            if found and found[-1][1] == code.src_start and found[-1][3] == code.dest_start:
                begin, _, other_begin, _ = found.pop()
                found.append((begin, code.src_end, other_begin, code.dest_end))
            else:
                found.append((code.src_start, code.src_end, code.dest_start, code.dest_end))
        elif code.src_end - code.src_start >= _ANCHOR and found:
            return found, (code.src_start, code.dest_start)
    return found, (len(mine), len(theirs)) if last else None


@dataclass(frozen=True, eq=False, slots=True)
class CommonPositions:
    """Positions that two texts have in common: those of their equal characters, and of replaced ones as far as they go.

    Characters that only one text has are left out: their positions are that of the next common one.

    Args:
        mine: the common position of each position of the one text, its end included.
        theirs: the same for the other text.
        edited: whether each character of the other text differs, or is next to characters that it lacks.

    """

    mine: Rows
    theirs: Rows
    edited: Truths

    @classmethod
    def of(cls, sizes: tuple[int, int], blocks: Sequence[Block]) -> CommonPositions:
        """Make the positions, given the number of characters of both texts and all differences in order."""
        steps = [np.ones(size, np.int64) for size in sizes]
        edited = np.zeros(sizes[1], np.bool_)
        for begin, end, other_begin, other_end in blocks:
            common = min(end - begin, other_end - other_begin)
            steps[0][begin + common : end] = 0
            steps[1][other_begin + common : other_end] = 0
            edited[max(other_begin - (other_begin == other_end), 0) : max(other_end, other_begin + 1)] = True
        before = [np.concatenate([np.zeros(1, np.int64), np.cumsum(each)]) for each in steps]
        return cls(before[0], before[1], edited)
