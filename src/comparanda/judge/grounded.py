"""Spans of a response on the key's own words: so that it can stand where the key stands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align.spans import place_spans
from comparanda.corpus import Spans

if TYPE_CHECKING:
    from comparanda.align import Aligned, PlacedSpans, Placement
    from comparanda.corpus import Corpus


def on_ground(aligned: Aligned) -> list[Corpus]:
    """Return the key and each response with the documents and words of the key, and with its own spans.

    A response may have no text at all, only places in that of the key; what quotes nothing of it stays without a place.
    Documents that take no part have no spans.
    """
    placement = place_spans(aligned)
    return [
        replace(with_spans_of(aligned.key, placement, side), name=corpus.name, notes=corpus.notes)
        for corpus, side in zip((aligned.key, *aligned.responses), placement.sides, strict=True)
    ]


def with_spans_of(key: Corpus, placement: Placement, side: PlacedSpans) -> Corpus:
    """Return the key with other spans in place of its own."""
    first = placement.rows(side)[0] + key.row_documents[side.document] if len(side) else side.begin
    spans = Spans(
        placement.unit,
        side.document,
        side.begin,
        side.end,
        side.label,
        key.offset[np.minimum(first, len(key) - 1)] if len(key) else np.zeros(len(side), np.int64),
        side.fragments,
        side.columns,
    )
    raw = placement.ground.raw if placement.unit == "characters" else key.raw
    return replace(key, spans=spans, raw=raw)
