"""Responses that were laid over a key one at a time, put side by side."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align.documents import left_out
from comparanda.align.maps import Aligned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.columns import Rows


def together(parts: Sequence[Aligned]) -> Aligned:
    """Put alignments with one key side by side, as if all their responses had been aligned at once.

    So a response that does not fit can be left out, and none is read or aligned twice.
    """
    key = parts[0].key
    kept: list[Rows] = [part.kept for part in parts if part.kept is not None]
    common = reduce(np.intersect1d, kept) if kept else None
    own = [note for part in parts for note in part.notes[len(part.key.notes) :] if note.side != "key"]
    return Aligned(
        key,
        tuple(response for part in parts for response in part.responses),
        tuple(each for part in parts for each in part.maps),
        tuple(each for part in parts for each in part.segments),
        common,
        (*key.notes, *own, *left_out(key, common)),
    )
