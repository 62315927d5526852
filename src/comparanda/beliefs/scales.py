"""How probabilities are written: as such, in percent, or as logarithms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from comparanda.beliefs.model import Floats
    from comparanda.beliefs.policies import Scale
    from comparanda.columns import Truths

SLACK = 1e-6
"""Probabilities may be so much below 0 or above 1, and so may their sums: numbers are rounded."""


def unscaled(values: Floats, scale: Scale) -> Floats:
    """Return numbers as probabilities, whether they can be some or not.

    >>> unscaled(np.array([0.0, 50.0]), "percent").tolist(), unscaled(np.array([0.0]), "logprob").tolist()
    ([0.0, 0.5], [1.0])
    """
    if scale == "percent":
        return values / 100
    return np.exp(np.minimum(values, 1.0)) if scale == "logprob" else values


def impossible(values: Floats) -> Truths:
    """Return which numbers are no probabilities: outside of 0 and 1 by more than rounding, or not finite."""
    found: Truths = ~((values >= -SLACK) & (values <= 1 + SLACK))
    return found


def hint_for(value: float) -> str:
    """Return which scale a number may be on that is no probability."""
    name = "logarithms" if value < 0 else "percent"
    return f"if these are {name}, say so: ?scale={'logprob' if value < 0 else 'percent'}"


CLIPPED = "probabilities outside of 0 and 1 by less than a millionth, clipped"
"""What is noted of such numbers."""
