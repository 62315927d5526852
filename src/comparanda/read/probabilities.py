"""Spans with a score each, whatever format they stand in, made probable."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.beliefs.model import EPSILON
from comparanda.places import refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from comparanda.corpus import Corpus

SCORES = ("probability", "prob", "p", "score", "confidence")
"""What inputs call the probability of a span."""


def with_beliefs(corpus: Corpus, options: Mapping[str, str]) -> Corpus:
    """Return a corpus whose spans are probable, if it has scores; else they are certain."""
    del options
    return corpus


def certain_key(corpus: Corpus) -> Corpus:
    """Return a key that was written like a probabilistic output; nothing in it may be less than certain."""
    assert corpus.beliefs is not None
    unsure = np.flatnonzero(corpus.beliefs.weight < 1 - EPSILON)
    if len(unsure) and corpus.spans is not None:
        row = int(unsure[0])
        what = f"the key has a span that is not certain: its probability is {corpus.beliefs.weight[row]:g}"
        hint = "a key has spans without probabilities; is the output given in its place?"
        raise refuse(corpus.source, int(corpus.spans.offset[row]), what, hint=hint)
    return replace(corpus, beliefs=None)
