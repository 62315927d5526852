"""Several outputs made one: votes on spans, links, tags, labels and trees.

A vote sees what runs say and the words of the key. It never looks at what the key says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from comparanda.align import Aligned
from comparanda.core.corpus import Corpus
from comparanda.tasks.labels.votes import voted_sets, voted_values
from comparanda.tasks.spans.votes import voted_chunks, voted_spans
from comparanda.tasks.trees.votes import voted_trees
from comparanda.tasks.vote_methods import DEFAULTS, MILLION, TAG_VOTE, Ground, Method, Trust

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
