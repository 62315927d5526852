"""The heads of a response as words of the key: what every judge of trees compares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import NONE
from comparanda.corpus import ROOT

if TYPE_CHECKING:
    from comparanda.align import RowMap
    from comparanda.columns import Rows
    from comparanda.corpus import Arcs, Corpus

STRAY = -2
"""The head of a word that hangs on one without a counterpart in the key."""


def arcs_of(corpus: Corpus) -> Arcs:
    """Return the trees of a corpus that was read for them."""
    if corpus.arcs is None:
        raise AssertionError(f"{corpus.name} was read without its trees")
    return corpus.arcs


def on_key(head: Rows, row_map: RowMap) -> Rows:
    """Return heads, given by their rows in a response, as rows of the key; `ROOT` and `STRAY` are no rows."""
    if row_map.to_key is None:
        return head
    target = np.append(row_map.to_key, ROOT)  # a root's head, -1, finds the last place
    target[:-1][row_map.to_key == NONE] = STRAY
    found: Rows = target[head]
    return found
