"""Sums over tuples, for each unit and run: what the measures of probabilistic entities are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.belief_measures import (
    CAPTURED,
    DECIDED,
    ENTITIES,
    LOSS,
    MASS,
    RIGHT,
    SQUARED,
    bin_statistics,
)
from comparanda.beliefs.calibration import BINS, bin_of, log_losses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.candidates import Candidates
    from comparanda.columns import Codes, Rows
    from comparanda.judge.beliefs.gathering import Gathered
    from comparanda.verdicts import Units

    Floats = NDArray[np.float64]


def statistics_of(gathered: Gathered, units: Units) -> dict[str, Floats]:
    """Sum over the tuples of each unit and run."""
    claims = gathered.claims
    by_document = units.kind == "document"
    unit = (claims.document if by_document else claims.sentence).astype(np.int64)
    in_key = np.flatnonzero(claims.key > 0)
    runs = [_of_run(each, each.document if by_document else each.sentence, units.count) for each in gathered.candidates]
    found = {name: np.stack([each[name] for each in runs], axis=1) for name in (runs[0] if runs else ())}
    for label, rows in _by_label(claims.label[in_key], gathered.names, in_key):
        counts = np.bincount(unit[rows], minlength=units.count).astype(np.float64)
        found[f"{ENTITIES}{label}"] = np.repeat(counts[:, None], len(runs), axis=1)
    return dict(sorted(found.items()))  # in an order that does not depend on which labels there are


def _by_label(codes: Codes, names: tuple[str, ...], rows: Rows) -> list[tuple[str, Rows]]:
    """Return all rows, and those of each label, with what stands behind the name of a statistic."""
    return [("", rows), *((f"[{name}]", rows[codes == code]) for code, name in enumerate(names))]


def _of_run(run: Candidates, unit: NDArray[np.int32], size: int) -> dict[str, Floats]:
    """Sum over the tuples of one run."""
    weight, right = run.beliefs.weight, run.correct.astype(np.float64)

    def summed(rows: Rows, values: NDArray[np.floating[Any]]) -> Floats:
        return np.bincount(unit[rows], values[rows], size).astype(np.float64)

    found = {}
    for label, rows in _by_label(run.label, run.names, np.arange(len(run))):
        found[f"{MASS}{label}"] = summed(rows, weight)
        found[f"{RIGHT}{label}"] = summed(rows, weight * right)
        found[f"{CAPTURED}{label}"] = summed(rows, (run.correct & (weight > 0)).astype(np.float64))
    hard = np.flatnonzero(run.decided)
    found[SQUARED] = summed(hard, (weight - right) ** 2)
    found[LOSS] = summed(hard, log_losses(weight, run.correct))
    found[DECIDED] = summed(hard, np.ones(len(run)))
    number = bin_of(weight)
    for each in range(BINS):
        rows = hard[number[hard] == each]
        for name, values in zip(bin_statistics(each), (np.ones(len(run)), weight, right), strict=True):
            found[name] = summed(rows, values)
    return found
