"""Hard outputs as ordinary spans: what is voted on, and what can stand where the key stands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from comparanda.align import RowMap
from comparanda.judge.beliefs.gathering import gather
from comparanda.judge.grounded import with_spans_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.align import Aligned
    from comparanda.judge.task import Options
    from comparanda.verdicts import System


def hard_outputs(aligned: Aligned, systems: Sequence[System], options: Options) -> Aligned:
    """Return the key and its responses, each with the spans of its hard output alone, on the key's documents and words.

    They keep the labels of their input; of those that a label map brings together, the first.
    """
    hard = gather(aligned, systems, options).placement
    responses = tuple(
        replace(with_spans_of(aligned.key, hard, side), name=corpus.name, notes=corpus.notes)
        for corpus, side in zip(aligned.responses, hard.sides[1:], strict=True)
    )
    count = len(responses)
    maps, segments = tuple(RowMap() for _ in range(count)), (None,) * count
    return replace(aligned, responses=responses, maps=maps, segments=segments)
