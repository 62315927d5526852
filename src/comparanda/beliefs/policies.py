"""The policies by which scores become probabilities and probabilities a hard output; every report names them."""

from __future__ import annotations

from typing import Literal, get_args

Decide = Literal["tuple", "hierarchical"]
DECIDE: tuple[Decide, ...] = get_args(Decide)
Scale = Literal["prob", "percent", "logprob"]
SCALES: tuple[Scale, ...] = get_args(Scale)
Overlap = Literal["exclusive", "condition", "independent", "scale"]
OVERLAPS: tuple[Overlap, ...] = get_args(Overlap)
Semantics = Literal["exclusive", "independent"]
SEMANTICS: tuple[Semantics, ...] = get_args(Semantics)
Residual = Literal["drop", "other", "renormalise"]
RESIDUALS: tuple[Residual, ...] = get_args(Residual)
Aggregate = Literal["product", "min", "mean", "geometric"]
AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)
