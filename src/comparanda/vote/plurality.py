"""One value of several: the one with most votes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.columns import Codes, Rows
    from comparanda.vote.trust import Weights

_BLOCK = 1 << 15


def elected(values: Sequence[Codes], absent: int, fold: Rows, weights: Weights, *, least: int | None = None) -> Codes:
    """Return the value of each row that most votes are for.

    Of values with equal votes the one wins that the better run has, by its score; of these the first by code. A run
    that is absent at a row has no vote there; where all are, the value is `absent`.

    Args:
        values: for each run its value in each row, as a code.
        absent: the code of a run that has none.
        fold: the fold of each row.
        weights: what votes count, by fold, value and run.
        least: how many votes the value must have; where none has, that of the best run is taken. Votes count one then.

    """
    winner = np.array(values[0], copy=True)
    contested = np.zeros(len(winner), np.bool_)
    for other in values[1:]:
        contested |= other != values[0]
    rows = np.flatnonzero(contested)
    for begin in range(0, len(rows), _BLOCK):  # blocks that stay in the processor's cache
        some = rows[begin : begin + _BLOCK]
        winner[some] = _elected([each[some] for each in values], absent, fold[some], weights, least)
    return winner


def _elected(values: Sequence[Codes], absent: int, fold: Rows, weights: Weights, least: int | None) -> Codes:
    scores = [weights.score[fold, run] for run in range(len(values))]
    cast = [weights.weight[fold, np.where(value == absent, 0, value), run] for run, value in enumerate(values)]
    winner = np.full(len(fold), absent, values[0].dtype)
    most, best = np.full(len(fold), -1, np.int64), np.full(len(fold), -1, np.int64)
    for mine in values:
        votes, merit = np.zeros(len(fold), np.int64), np.full(len(fold), -1, np.int64)
        for other, weight, score in zip(values, cast, scores, strict=True):
            same = other == mine
            votes += np.where(same, weight, 0)
            merit = np.maximum(merit, np.where(same, score, -1))
        if least is not None:
            votes[votes < least] = 0
        ahead = (votes > most) | (votes == most) & ((merit > best) | (merit == best) & (mine < winner))
        ahead &= mine != absent
        winner, most, best = np.where(ahead, mine, winner), np.where(ahead, votes, most), np.where(ahead, merit, best)
    return winner
