"""Dependency heads as arrays: roots, cycles, depths and crossing arcs of all trees at once, without recursion.

A head is the row of a word's parent, or `ROOT`. Sentences are offsets into the rows, and no head lies outside its
word's sentence: the readers ensure that. Whether the arcs of a sentence form a tree is checked here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.corpus import ROOT, owner_of_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from comparanda.core.text_columns import Codes, Rows, Truths


def count_roots(head: Rows, sentences: Rows) -> NDArray[np.int64]:
    """Count the roots of each sentence.

    >>> count_roots(np.array([1, -1, -1, -1]), np.array([0, 2, 4])).tolist()
    [1, 2]
    """
    before = np.concatenate([[0], np.cumsum(head == ROOT)])
    return np.diff(before[sentences])


def compute_depths(head: Rows) -> NDArray[np.int32]:
    """Compute the number of arcs from each word to the root, its own included; 0 for words that lead into a cycle.

    Each step doubles the distance (1, 2, 4, 8 … arcs up) until a root is reached, so long chains take few steps.

    >>> compute_depths(np.array([1, -1, 1, 4, 3])).tolist()
    [2, 1, 2, 0, 0]
    """
    depth = np.ones(len(head), np.int32)
    above = head.astype(np.int64, copy=True)
    rows = np.flatnonzero(above != ROOT)
    for _ in range(max(1, len(head)).bit_length() + 1):
        if not rows.size:
            return depth
        up = above[rows]
        further = depth[up]
        target = above[up]
        depth[rows] += further
        above[rows] = target
        rows = rows[target != ROOT]
    depth[rows] = 0
    return depth


def find_cyclic(head: Rows) -> Truths:
    """Find the words that are in a cycle or whose chain of heads leads into one.

    >>> find_cyclic(np.array([1, -1, 1, 4, 3])).tolist()
    [False, False, False, True, True]
    """
    above = np.append(head, ROOT)  # index -1 (`ROOT`) is this last element, so that a root maps to itself
    for _ in range(len(head).bit_length()):
        above = above[above]
        if above.max() == ROOT:
            break
    found: Truths = above[:-1] != ROOT
    return found


def find_non_projective(head: Rows, sentences: Rows) -> Rows:
    """Find the words whose arcs are not projective: some word between it and its head is not a descendant of the head.

    Sentences with a cycle are skipped. A root's arc comes from before the sentence, so it crosses
    any arc that spans the root.

    >>> find_non_projective(np.array([2, -1, 1, 0]), np.array([0, 4])).tolist()  # their heads are beyond the root
    [0, 3]
    """
    rows = _find_crossed(head)
    if not rows.size:
        return rows
    owner = np.searchsorted(sentences, rows, side="right") - 1
    chosen = owner[np.diff(owner, prepend=-1) > 0]
    size = sentences[chosen + 1] - sentences[chosen]
    bounds = np.concatenate([[0], np.cumsum(size)])
    shift = sentences[chosen] - bounds[:-1]
    words = np.arange(bounds[-1]) + np.repeat(shift, size)
    above = np.where(head[words] == ROOT, ROOT, head[words] - np.repeat(shift, size))
    enter, leave = _visit_times(above, owner_of_rows(bounds))
    acyclic = np.minimum.reduceat(enter, bounds[:-1]) != _NOT_VISITED
    place = np.searchsorted(chosen, owner)
    rows, place = rows[acyclic[place]], (rows - shift[place])[acyclic[place]]
    top = above[place]
    beyond = _has_value_outside(
        enter, begin=np.minimum(place, top) + 1, end=np.maximum(place, top), low=enter[top], high=leave[top]
    )
    found: Rows = rows[beyond]
    return found


def _find_crossed(head: Rows) -> Rows:
    """Find the words whose arc to their head spans a word that has its own head outside of the arc.

    Only these arcs can be non-projective: if a word in between is not a descendant of the head, its path to the root
    leaves the arc. They need not be non-projective: the path may return to the head from outside.
    """
    row = np.arange(len(head))
    low, high = np.minimum(row, head), np.maximum(row, head)
    arcs = np.flatnonzero((low != ROOT) & (high - low > 1))
    low, high = low.take(arcs), high.take(arcs)
    crossed: Rows = arcs[_has_value_outside(head, begin=low + 1, end=high, low=low, high=high)]
    return crossed


def _has_value_outside(values: Rows, begin: Rows, end: Rows, low: Rows, *, high: Rows) -> Truths:
    """Whether each range [begin, end), none of which is empty, contains a value below `low` or above `high`.

    Tables hold the minima and maxima of 1, 2, 4, 8 … values; two of them, possibly overlapping, cover a range.
    """
    found = np.empty(len(begin), np.bool_)
    least, greatest, width = values, values, 1
    rest = np.arange(len(begin))
    while True:
        size = end - begin
        short = np.flatnonzero(size < 2 * width)
        first, last = begin.take(short), end.take(short) - width
        below = np.minimum(least.take(first), least.take(last)) < low.take(short)
        above = np.maximum(greatest.take(first), greatest.take(last)) > high.take(short)
        found[rest.take(short)] = below | above
        longer = np.flatnonzero(size >= 2 * width)
        if not longer.size:
            return found
        rest, begin, end, low, high = (each.take(longer) for each in (rest, begin, end, low, high))
        least, greatest = np.minimum(least[:-width], least[width:]), np.maximum(greatest[:-width], greatest[width:])
        width *= 2


_NOT_VISITED = np.iinfo(np.int64).min


def _visit_times(head: Rows, owner: Codes) -> tuple[Rows, Rows]:
    """Traverse the trees of each sentence depth first; return the times at which each word is entered and left.

    A word's descendants are entered between these two times. Words that lead into a cycle are `_NOT_VISITED`. The
    traversal is a list of steps: from entering a word to entering its first child or leaving it, from there to its
    next sibling or to leaving its head. The distance of each step from the end is computed like the depths, by
    looking 1, 2, 4, 8 … steps ahead.
    """
    size, end = len(head), 2 * len(head)
    following = np.arange(size, end + size + 1)  # enter, leave; the last element is the end of all traversals
    following[size:end] = np.where(head == ROOT, end, head + size)
    following[end] = end
    order = np.argsort(head, kind="stable")
    siblings = (head[order[1:]] == head[order[:-1]]) & (owner[order[1:]] == owner[order[:-1]])
    following[order[:-1][siblings] + size] = order[1:][siblings]
    first = order[np.append(True, ~siblings)]
    first = first[head[first] != ROOT]
    following[head[first]] = first
    left = np.append(np.ones(end, np.int64), 0)
    for _ in range(end.bit_length()):
        left += left[following]
        following = following[following]
        if following.min() == end:
            break
    left = np.where(following[:-1] == end, -left[:-1], _NOT_VISITED)
    return left[:size], left[size:]


def find_defects(head: Rows, sentences: Rows) -> Iterator[tuple[str, Rows]]:
    """Yield each kind of irregularity of the trees with the rows concerned; such trees can still be scored."""
    count = count_roots(head, sentences)
    yield "sentences with several roots", _find_second_roots(head, count)
    yield "sentences without a root", sentences[:-1][(count == 0) & (np.diff(sentences) > 0)]
    yield "sentences with a cycle", _first_per_sentence(np.flatnonzero(find_cyclic(head)), sentences)
    yield "non-projective arcs", find_non_projective(head, sentences)


def _find_second_roots(head: Rows, count: NDArray[np.int64]) -> Rows:
    """Find the second root of each sentence that has several."""
    rows = np.flatnonzero(head == ROOT)
    before = np.concatenate([[0], np.cumsum(count)])
    second: Rows = rows[before[:-1][count > 1] + 1]
    return second


def _first_per_sentence(rows: Rows, sentences: Rows) -> Rows:
    """Keep the first row of each sentence."""
    owner = np.searchsorted(sentences, rows, side="right")
    return rows[np.diff(owner, prepend=-1) > 0]
