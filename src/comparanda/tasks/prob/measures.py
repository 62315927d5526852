"""The measures of probabilistic entities: expected precision, recall and F1, E100, Brier score, calibration.

Their statistics are sums over tuples that the evaluation provides for each unit. E(P) and E(R) are ratios of
expectations (DEFINITIONS 9); they reward over-confidence, so the Brier score is reported with them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.measures import Measure, ratio
from comparanda.errors import UsageError
from comparanda.tasks.prob.calibration import BINS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.measures import Sums

MASS, RIGHT, CAPTURED, ENTITIES = "mass", "right_mass", "captured", "entities"
"""Σw, Σc·w, key entities with some w > 0, and key entities."""

SQUARED, LOSS, DECIDED = "squared_error", "log_loss_sum", "decided"
"""Σ(w−c)², the sum of the log losses, and the number of tuples, over the hard output."""


def bin_statistics(number: int) -> tuple[str, str, str]:
    """Name the statistics of one bin: the number of tuples, Σw and Σc."""
    return f"bin_{number}_count", f"bin_{number}_sure", f"bin_{number}_right"


def _add_label(name: str, label: str | None) -> str:
    return name if label is None else f"{name}[{label}]"


def _share_maker(
    name: str, part: str, whole: str, undefined: str, *, error: bool = False
) -> Callable[[str | None], Measure]:
    def make(label: str | None) -> Measure:
        top, bottom = _add_label(part, label), _add_label(whole, label)
        return Measure(
            name=_add_label(name, label),
            statistics=(top, bottom),
            finish=lambda sums: ratio(sums[top], sums[bottom]),
            undefined=undefined,
            plain=True,
            error=error,
        )

    return make


def _expected_f1(label: str | None) -> Measure:
    """Build E(F) = 2Σc·w / (Σw + |K|), the harmonic mean of E(P) and E(R)."""
    right, mass, entities = (_add_label(each, label) for each in (RIGHT, MASS, ENTITIES))
    return Measure(
        name=_add_label("expected_f1", label),
        statistics=(right, mass, entities),
        finish=lambda sums: ratio(2 * sums[right], sums[mass] + sums[entities]),
        undefined="nothing in the key and no tuple with w > 0",
    )


def _ece_measure(label: str | None) -> Measure:
    """Build the expected calibration error: the mean of |share right − mean w| over bins, weighted by their size."""
    if label is not None:
        raise UsageError("ece is over all labels and takes no label")
    bins = [bin_statistics(number) for number in range(BINS)]

    def finish(sums: Sums) -> NDArray[np.float64]:
        gaps = np.sum([np.abs(sums[right] - sums[sure]) for _, sure, right in bins], axis=0)
        return ratio(gaps, np.sum([sums[count] for count, _, _ in bins], axis=0))

    return Measure(
        name="ece",
        statistics=tuple(name for each in bins for name in each),
        finish=finish,
        undefined="nothing decided",
        error=True,
    )


MAKERS: dict[str, Callable[[str | None], Measure]] = {
    "expected_precision": _share_maker("expected_precision", RIGHT, MASS, "no tuple with w > 0"),
    "expected_recall": _share_maker("expected_recall", RIGHT, ENTITIES, "nothing in the key"),
    "expected_f1": _expected_f1,
    "e100": _share_maker("e100", CAPTURED, ENTITIES, "nothing in the key"),
    "brier": _share_maker("brier", SQUARED, DECIDED, "nothing decided", error=True),
    "log_loss": _share_maker("log_loss", LOSS, DECIDED, "nothing decided", error=True),
    "ece": _ece_measure,
}
"""All measures of probabilistic entities by name."""

REPORTED = ("expected_f1", "expected_precision", "expected_recall", "e100", "brier", "ece")
"""The measures in the order in which they are reported."""
