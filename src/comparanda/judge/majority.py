"""Several keys of one text: the spans that most of its annotators have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import PlacedSpans, place_spans
from comparanda.columns import TextColumn
from comparanda.judge.grounded import with_spans_of
from comparanda.judge.span_claims import claims_of
from comparanda.sites import canonical

if TYPE_CHECKING:
    from comparanda.align import Aligned
    from comparanda.corpus import Corpus


def majority_key(aligned: Aligned) -> Corpus:
    """Return the first key with the spans, of one extent and label, that more than half of all keys have.

    Args:
        aligned: the first key as the key, the others as its responses.

    """
    key = aligned.key
    placement = place_spans(aligned)
    names, labels = canonical([side.label for side in placement.sides])
    claims, _ = claims_of(key, placement, names, labels)
    votes = np.sum([counts > 0 for counts in (claims.key, *claims.runs)], axis=0)
    rows = np.flatnonzero(2 * votes > 1 + len(claims.runs))
    chosen = claims.take(rows)
    most = PlacedSpans(
        chosen.document.astype(np.int64),
        chosen.begin,
        chosen.end,
        TextColumn(chosen.label, names),
        rows,
        chosen.fragments,
    )
    return with_spans_of(key, placement, most)
