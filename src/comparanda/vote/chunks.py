"""Votes on the chunk tags of words: each word is voted on by itself, and the tags that win make spans.

So a span can win that no run has as a whole: the begin of one, the end of another. Votes on whole spans differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import PlacedSpans, place_spans
from comparanda.columns import TextColumn
from comparanda.errors import UsageError
from comparanda.read.schemes import decode
from comparanda.sites import canonical
from comparanda.vote.plurality import elected
from comparanda.vote.spans import spans_on_key
from comparanda.vote.trust import weights_of

if TYPE_CHECKING:
    from comparanda.align import Aligned, Placement
    from comparanda.columns import Codes, Rows
    from comparanda.corpus import Corpus
    from comparanda.vote.methods import Method
    from comparanda.vote.trust import Trust

_NOT_FLAT = "chunk tags need spans in one piece, of whole words, no two of which overlap"


def voted_chunks(aligned: Aligned, method: Method, trust: Trust) -> Corpus:
    """Combine the spans of all runs by votes on the chunk tags of words.

    An inside that no beginning stands before begins a span, as conlleval counts.
    """
    key, placement = aligned.key, place_spans(aligned)
    labels, codes = canonical([side.label for side in placement.sides[1:]])
    sides = zip(placement.sides[1:], codes, aligned.responses, strict=True)
    tags = [_tags(key, placement, side, mine, len(labels), response.name) for side, mine, response in sides]
    names = _names(len(labels))
    weights = weights_of(method, trust, names)
    winner = elected(tags, len(names), trust.fold, weights)  # no run is absent: where it has no span, it is outside
    decoded = decode(TextColumn(winner, names), key.row_documents, "bio", "conlleval")
    document = np.searchsorted(key.row_documents, decoded.begin, side="right") - 1
    base = key.row_documents[document]
    label = TextColumn.of([labels[int(decoded.label[span])] for span in range(len(decoded))])
    begin, end = _positions(placement, document, decoded.begin - base, decoded.end - base)
    chosen = PlacedSpans(document, begin, end, label, np.arange(len(decoded)))
    return spans_on_key(key, placement, chosen, decoded.begin, {})


def _names(labels: int) -> tuple[str, ...]:
    """Return the tags by code: beginnings, insides, outside; labels by number, for theirs may hold anything."""
    return (*(f"B-{label}" for label in range(labels)), *(f"I-{label}" for label in range(labels)), "O")


def _tags(key: Corpus, placement: Placement, side: PlacedSpans, label: Codes, labels: int, name: str) -> Codes:
    """Return the tag of each row of the key."""
    _refuse_crowds(key, placement, side, name)
    begin, end = placement.rows(side)
    base = key.row_documents[side.document]
    tags = np.full(len(key), 2 * labels, np.int64)
    size = end - begin
    inside = np.repeat(base + begin - np.cumsum(size) + size, size) + np.arange(int(size.sum()))
    tags[inside] = np.repeat(labels + label.astype(np.int64), size)
    tags[base + begin] = label
    return tags


def _refuse_crowds(key: Corpus, placement: Placement, side: PlacedSpans, name: str) -> None:
    """Refuse spans that chunk tags cannot say."""
    begin, end = placement.rows(side)
    base = key.row_documents[side.document]
    exact = bool((base + end <= key.row_documents[side.document + 1]).all())  # a document may have no words
    if exact:
        whole = _positions(placement, side.document, begin, end)
        exact = np.array_equal(whole[0], side.begin) and np.array_equal(whole[1], side.end)
    overlap = (base + begin)[1:] < np.maximum.accumulate(base + end)[:-1]
    if side.fragments is not None or not exact or overlap.any():
        raise UsageError(f"tag-vote: {_NOT_FLAT}, and {name!r} has others", hint="vote on whole spans: majority, say")


def _positions(placement: Placement, document: Rows, begin: Rows, end: Rows) -> tuple[Rows, Rows]:
    """Return positions of spans that are given by rows of their documents."""
    if placement.unit == "tokens":
        return begin, end
    base, raw = placement.ground.key.row_documents[document], placement.ground.raw
    return raw.begin[base + begin], raw.end[base + end - 1]
