"""Combination of several system outputs by voting on spans, links, tags, labels or trees.

A vote sees the predictions of the runs and the words of the key, never the key's annotations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from comparanda.align import Aligned
from comparanda.core.corpus import Corpus
from comparanda.tasks.labels.votes import voted_sets, voted_values
from comparanda.tasks.spans.votes import voted_chunks, voted_spans
from comparanda.tasks.trees.votes import voted_trees
from comparanda.tasks.vote_methods import DEFAULTS, MILLION, TAG_VOTE, Method, Trust, VoteTarget

Overlap = Literal["keep", "best"]
OVERLAPS: tuple[Overlap, ...] = get_args(Overlap)
"""Which combined spans that overlap are retained: all, or only the strongest."""


def combine_runs(
    aligned: Aligned,
    target: VoteTarget,
    method: Method,
    trust: Trust,
    *,
    same_ids: Mapping[str, str] | None = None,
    overlap: Overlap = "keep",
) -> Corpus:
    """Combine runs into one corpus with the documents, sentences and words of the key.

    Args:
        aligned: the key and its runs.
        target: the kind of annotation that is voted on.
        method: the combination method.
        trust: how far each run is trusted.
        same_ids: the canonical id of each id that has equivalents.
        overlap: whether all combined spans that overlap are retained, or only the best of them.

    """
    method.check(target, len(aligned.responses))
    if target == "trees":
        return voted_trees(aligned, method, trust)
    if target == "values":
        return voted_values(aligned, method, trust)
    if target == "sets":
        return voted_sets(aligned, method, trust)
    if method.kind == TAG_VOTE:
        return voted_chunks(aligned, method, trust)
    ids = (same_ids or {}) if target == "links" else None
    return voted_spans(aligned, method, trust, same_ids=ids, apart=overlap == "best")


__all__ = ["DEFAULTS", "MILLION", "OVERLAPS", "Method", "Overlap", "Trust", "VoteTarget", "combine_runs"]
