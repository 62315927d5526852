"""The policies by which scores become probabilities and probabilities a hard output; every report names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Decide = Literal["tuple", "hierarchical"]
DECIDE: tuple[Decide, ...] = get_args(Decide)
Scale = Literal["prob", "percent", "logprob"]
SCALES: tuple[Scale, ...] = get_args(Scale)
Overlap = Literal["exclusive", "condition", "independent", "scale", "declared"]
OVERLAPS: tuple[Overlap, ...] = get_args(Overlap)
Semantics = Literal["exclusive", "independent"]
SEMANTICS: tuple[Semantics, ...] = get_args(Semantics)
Residual = Literal["drop", "other", "renormalise"]
RESIDUALS: tuple[Residual, ...] = get_args(Residual)
Aggregate = Literal["product", "min", "mean", "geometric"]
AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)

FLOOR = 0.01
"""Spans made of tokens that weigh less are left out, unless another floor is asked for."""

OTHER = "(other)"
"""The label of what the labels of a span leave over, where that counts as found."""


@dataclass(frozen=True, slots=True)
class Policies:
    """How numbers of an input become weights of tuples.

    Args:
        scale: how they are written.
        overlap: what spans do that are in each other's way; `declared`: the input has blocks, which say it.
        semantics: whether the labels of one span exclude each other.
        residual: what becomes of the rest where the labels of a span sum to less than one.
        aggregate: how the weight of a span is made of those of its tokens.
        floor: what weighs less, made of tokens, is left out.

    """

    scale: Scale = "prob"
    overlap: Overlap = "exclusive"
    semantics: Semantics = "exclusive"
    residual: Residual = "drop"
    aggregate: Aggregate = "product"
    floor: float = FLOOR
