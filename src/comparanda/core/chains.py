"""The mentions of the key and of all runs, and the coreference chains that each side forms of them.

A mention is identified by its position alone (DEFINITIONS 8). Mentions are in text order, longer ones first where
several begin at the same place: an antecedent of a mention is a mention of the same chain in an earlier row.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from comparanda.core.corpus import Fragments
    from comparanda.core.text_columns import Rows, Truths

NO_CHAIN = -1
"""The chain of a mention that a side does not have."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Chains:
    """All mentions of the key and of the runs.

    Args:
        document: the index of each mention's document.
        sentence: the index of the sentence it begins in.
        place: the row of its document at which it begins.
        width: how many rows it covers, at least one.
        unit: the index of the document, or of the topic, within which its chains are formed.
        key: the number of its chain in the key, or `NO_CHAIN`; chains of different units have different numbers.
        runs: the same for each run.
        pieces: the rows of mentions that are not `width` consecutive rows: the pieces of discontinuous mentions, and
            for mentions without a word, such as empty nodes, one piece of length zero at the following row; in the
            order of the mentions. None where there are no such mentions.
        candidates: which mentions count as antecedents, by the name of the view; in views not listed, all of them.

    """

    document: NDArray[np.int32]
    sentence: NDArray[np.int32]
    place: NDArray[np.int32]
    width: NDArray[np.int32]
    unit: NDArray[np.int32]
    key: Rows
    runs: tuple[Rows, ...]
    pieces: Fragments | None = None
    candidates: Mapping[str, Truths] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.place)


def find_antecedents(chain: Rows, kind: NDArray[np.bool_] | None = None) -> Rows:
    """Find the closest antecedent of each mention, -1 if it has none; with `kind`, only among the mentions it marks."""
    count = len(chain)
    order = np.argsort(chain, kind="stable")  # chains one after the other, each in the order of the text
    sorted_chain = chain[order]
    begins = np.flatnonzero(np.diff(sorted_chain, prepend=-2))
    start = np.repeat(begins, np.diff(np.append(begins, count)))
    places = np.arange(count)
    candidate = places if kind is None else np.where(kind[order], places, -1)
    last = np.maximum.accumulate(candidate) if count else candidate
    previous = np.concatenate([np.full(1, -1), last[:-1]])[:count]
    found = (previous >= start) & (sorted_chain != NO_CHAIN)
    before = np.full(count, -1, np.int64)
    before[order] = np.where(found, order[np.maximum(previous, 0)], -1) if count else before
    return before


def renumber_chains(chain: Rows) -> Rows:
    """Assign numbers to chains by their first mentions, so that numbers do not depend on the order of a file."""
    there = np.flatnonzero(chain != NO_CHAIN)
    _, first, number = np.unique(chain[there], return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    found = np.full(len(chain), NO_CHAIN, np.int64)
    found[there] = rank[number]
    return found


def count_mentions(chain: Rows) -> Rows:
    """Return the number of mentions of each chain, by chain number."""
    return np.bincount(chain[chain != NO_CHAIN])


def chain_units(chain: Rows, unit: NDArray[np.int32], count: int) -> Rows:
    """Return the unit of each chain, by chain number."""
    units = np.zeros(count, np.int64)
    there = np.flatnonzero(chain != NO_CHAIN)
    units[chain[there]] = unit[there]
    return units
