"""The rows of mentions that are not just one stretch of words: discontinuous ones, and those without a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import PlacedSpans
from comparanda.columns import TextColumn
from comparanda.corpus import Fragments

if TYPE_CHECKING:
    from comparanda.align import Placement
    from comparanda.columns import Rows, Truths
    from comparanda.extents import Cuts


def rows_of_pieces(placement: Placement, spans: PlacedSpans, inside: Truths, cut: Rows, cuts: Cuts) -> Fragments | None:
    """Return the rows of the pieces of mentions in the key's documents; a mention without a word has an empty piece.

    Args:
        placement: the key's text.
        spans: the mentions.
        inside: which of them stand in documents of the key.
        cut: the way each is cut into pieces, by its number in `cuts`; 0 for one piece, more than all for empty nodes.
        cuts: the ways.

    """
    ways = {number: way for way, number in cuts.items()}
    empty = inside & ((spans.begin == spans.end) | (cut > len(ways)))
    apart = np.flatnonzero(inside & (cut > 0) & ~empty)
    found = [(row, *piece) for row in apart.tolist() for piece in ways[int(cut[row])]]
    found += [(row, int(spans.begin[row]), int(spans.begin[row])) for row in np.flatnonzero(empty).tolist()]
    if not found:
        return None
    mention, begin, end = np.array(sorted(found), np.int64).T
    where = PlacedSpans(spans.document[mention], begin, end, TextColumn.constant("", len(mention)), mention)
    first, behind = placement.rows(where)
    return Fragments(mention, first, np.where(empty[mention], first, behind))
