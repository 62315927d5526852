"""Several outputs made one: votes on spans, links, tags, labels and trees.

A vote sees what runs say and the words of the key. It never looks at what the key says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from comparanda.align import Aligned
from comparanda.corpus import Corpus
from comparanda.vote.chunks import voted_chunks
from comparanda.vote.methods import DEFAULTS, TAG_VOTE, Ground, Method
from comparanda.vote.spans import voted_spans
from comparanda.vote.trees import voted_trees
from comparanda.vote.trust import MILLION, Trust
from comparanda.vote.values import voted_sets, voted_values

Overlap = Literal["keep", "best"]
OVERLAPS: tuple[Overlap, ...] = get_args(Overlap)
"""What is done about combined spans that overlap: all are kept, or the strongest alone."""


def combined(
    aligned: Aligned,
    ground: Ground,
    method: Method,
    trust: Trust,
    *,
    same_ids: Mapping[str, str] | None = None,
    overlap: Overlap = "keep",
) -> Corpus:
    """Combine the runs of a key: a corpus on its documents, sentences and words, with what the runs say together.

    Args:
        aligned: the key and its runs.
        ground: what is voted on.
        method: how.
        trust: how far each run is trusted.
        same_ids: for ids that mean the same as others, the one that stands for all.
        overlap: whether combined spans that overlap are all kept, or the best of them.

    """
    method.check(ground, len(aligned.responses))
    if ground == "trees":
        return voted_trees(aligned, method, trust)
    if ground == "values":
        return voted_values(aligned, method, trust)
    if ground == "sets":
        return voted_sets(aligned, method, trust)
    if method.kind == TAG_VOTE:
        return voted_chunks(aligned, method, trust)
    ids = (same_ids or {}) if ground == "links" else None
    return voted_spans(aligned, method, trust, same_ids=ids, apart=overlap == "best")


__all__ = ["DEFAULTS", "MILLION", "OVERLAPS", "Ground", "Method", "Overlap", "Trust", "combined"]
