"""The rows of mentions that are not just one stretch of words: discontinuous ones, and those without a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import PlacedSpans
from comparanda.columns import TextColumn
from comparanda.corpus import Fragments
from comparanda.read.conllu_entities.brackets import AHEAD

if TYPE_CHECKING:
    from comparanda.align import Placement
    from comparanda.columns import Rows, Truths
    from comparanda.corpus import Corpus
    from comparanda.extents import Cuts


def rows_of_pieces(placement: Placement, spans: PlacedSpans, inside: Truths, cut: Rows, cuts: Cuts) -> Fragments | None:
    """Return the rows of the pieces of mentions in the key's documents.

    A mention without a word has one piece without length, at the row behind it; behind the last word of a document
    that is one more than there are.

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
    first = np.where(empty[mention], _rows_behind(placement, where, first), first)
    return Fragments(mention, first, np.where(empty[mention], first, behind))


def _rows_behind(placement: Placement, spans: PlacedSpans, row: Rows) -> Rows:
    """Return the row behind each span without length, given the last one that it could be."""
    if placement.unit == "tokens":
        return spans.begin
    ends = np.append(placement.ground.raw.end, spans.begin.max() + 1)  # of documents without words there is no last row
    found: Rows = row + (ends[placement.ground.key.row_documents[spans.document] + row] <= spans.begin)
    return found


def rows_beside(key: Corpus, spans: PlacedSpans, pieces: Fragments, node: Rows) -> tuple[Rows, Rows]:
    """Return the mentions without a word, in documents that have some, and a row of the key in the sentence of each.

    An empty node stands behind the word before it, unless it is ahead of its sentence: the row behind it may be in the
    next sentence, or in the next document.

    Args:
        key: the key.
        spans: the mentions.
        pieces: the rows of those that are not one stretch of words.
        node: the numbers of empty nodes; 0 or less for other mentions.

    """
    document = spans.document[pieces.span]
    first, end = key.row_documents[document], key.row_documents[document + 1]
    there = np.flatnonzero((pieces.begin == pieces.end) & (first < end))
    mention = pieces.span[there]
    behind = (node[mention] > 0) & (node[mention] < AHEAD)
    return mention, np.clip(first[there] + pieces.begin[there] - behind, first[there], end[there] - 1)
