"""The area under a curve of feedback, and how many questions it takes to gain something.

The thesis divides the sum of n + 1 values by n, so that a perfect run exceeds 1; by default the area is that of
trapezoids, from 0 to 1 (DEFINITIONS 9). Curves are compared on a common horizon: a strategy that is through early keeps
its last value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Area = Literal["trapezoid", "thesis"]
AREAS: tuple[Area, ...] = get_args(Area)

SAME = 1e-12
"""Values that differ by less are the same."""


def carried(values: Floats, horizon: int) -> Floats:
    """Return a curve up to a horizon; behind its end it keeps its last value.

    >>> carried(np.array([0.5, 0.75]), 3).tolist()
    [0.5, 0.75, 0.75, 0.75]
    """
    return np.concatenate([values, np.full(max(horizon + 1 - len(values), 0), values[-1])])[: horizon + 1]


def area(values: Floats, how: Area = "trapezoid") -> float | None:
    """Return the area under a curve, as a share of that under a flat 1.

    Undefined values count as 0; where all are undefined, so is the area. Of the start alone it is the start itself,
    and undefined in the thesis's way, which would divide by zero.

    >>> curve = np.array([0.5, 0.6, 0.8, 0.9, 0.9])
    >>> round(area(curve), 6), round(area(curve, "thesis"), 6)
    (0.75, 0.925)
    >>> area(np.ones(5), "thesis"), area(np.ones(1)), area(np.ones(1), "thesis")
    (1.25, 1.0, None)
    """
    if np.isnan(values).all():
        return None
    known, questions = np.nan_to_num(values), len(values) - 1
    if how == "thesis":
        return float(known.sum() / questions) if questions else None
    return float((known[:-1] + known[1:]).sum() / (2 * questions)) if questions else float(known[0])


def normalised(found: float | None, start: float | None, ceiling: float | None) -> float | None:
    """Return which part of what could be gained an area has gained: 0 for a flat start, 1 for a flat ceiling."""
    if found is None or start is None or ceiling is None or ceiling - start <= SAME:
        return None
    return (found - start) / (ceiling - start)


def questions_until(values: Floats, target: float) -> int | None:
    """Return after how many questions a curve first reaches a value; None where it never does.

    >>> questions_until(np.array([0.5, 0.6, 0.8]), 0.55), questions_until(np.array([0.5, 0.6]), 0.7)
    (1, None)
    """
    reached = np.flatnonzero(values >= target - SAME)
    return int(reached[0]) if len(reached) else None


def least_difference(questions: int) -> float | None:
    """Return the difference of two areas below which ways of counting may rank them differently: 1 / (2n)."""
    return 1 / (2 * questions) if questions else None
