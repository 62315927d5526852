"""The best of many whose scores change: one by one, or all a little with every question.

Scores that are equal to nine digits are ties, and the first wins.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from comparanda.beliefs.model import Floats
    from comparanda.columns import Rows

SIZE = 256
"""How many play in one pool."""

DIGITS = 9


class Tournament:
    """Scores in pools, the best of each pool known: so the best of all is found without looking at all.

    Where scores move, one is `gain − rate · loss` with a rate that is another at every question. The best score of a
    pool is then out of date, but by no more than the rate has moved, times the largest loss. Only pools that may hold
    the best are looked at again, and the best is found exactly.
    """

    def __init__(self, size: int, *, moving: bool = False) -> None:
        pools = -(-size // SIZE)
        self._size = size
        self._gain = np.full((pools, SIZE), -np.inf)
        self._loss = np.zeros((pools, SIZE)) if moving else None
        self._most = 0.0
        self._top = np.full(pools, -np.inf)
        self._rate = np.zeros(pools)

    def put(self, players: Rows, gain: Floats, loss: Floats | None = None) -> None:
        """Give some players new scores; those with minus infinity are out."""
        if not len(players):
            return
        pools = np.unique(players // SIZE) if len(players) > 1 else players // SIZE
        if self._loss is None or loss is None:
            self._gain.reshape(-1)[players] = gain.round(DIGITS)
        else:
            self._gain.reshape(-1)[players] = gain
            self._loss.reshape(-1)[players] = loss
            self._most = max(self._most, float(np.abs(loss).max()))
        self._top[pools] = self._scores(pools, self._rate[pools, None]).max(axis=1)

    def best(self, rate: float = 0.0) -> int:
        """Return the best player, or -1 if all are out."""
        if not self._size:
            return -1
        top = self._top
        if self._loss is not None:
            bound = top + self._most * np.abs(rate - self._rate) + 2 * 10.0**-DIGITS
            self._look(np.array([bound.argmax()]), rate)
            may_win = np.flatnonzero(bound >= top[bound.argmax()])
            self._look(may_win, rate)
            top = np.full(len(bound), -np.inf)
            top[may_win] = self._top[may_win]
        pool = int(top.argmax())
        if top[pool] == -np.inf:
            return -1
        return pool * SIZE + int(self._scores(np.array([pool]), rate)[0].argmax())

    def scores(self, rate: float = 0.0) -> Floats:
        """Return all scores."""
        return self._scores(np.arange(len(self._top)), rate).reshape(-1)[: self._size]

    def _look(self, pools: Rows, rate: float) -> None:
        """Find the best scores of pools that are out of date."""
        old = pools[self._rate[pools] != rate]
        if len(old):
            self._top[old] = self._scores(old, rate).max(axis=1)
            self._rate[old] = rate

    def _scores(self, pools: Rows, rate: Floats | float) -> Floats:
        if self._loss is None:
            return self._gain[pools]
        return np.asarray((self._gain[pools] - rate * self._loss[pools]).round(DIGITS))


class Classes:
    """Players of whom many are equal, whatever the rate: the best of each class is known.

    A score is `(gain − rate · loss) / (1 + share · loss)`, with a rate and a share that are others at every question.
    """

    def __init__(self, size: int) -> None:
        self._gain = np.full(size, -np.inf)
        self._loss = np.zeros(size)
        self._waiting: dict[tuple[float, float], list[int]] = {}

    def put(self, players: Rows, gain: Floats, loss: Floats) -> None:
        """Give some players new scores; those with minus infinity are out."""
        self._gain[players], self._loss[players] = gain, loss
        for player, each in zip(players.tolist(), zip(gain.tolist(), loss.tolist(), strict=True), strict=True):
            if each[0] > -np.inf:
                heappush(self._waiting.setdefault(each, []), player)

    def best(self, rate: float, share: float) -> int:
        """Return the best player, or -1 if all are out."""
        first = {each: waiting[0] for each in list(self._waiting) if (waiting := self._present(each))}
        if not first:
            return -1
        scores = self._score(np.array(list(first)).T, rate, share)
        return min(player for player, score in zip(first.values(), scores, strict=True) if score == scores.max())

    def scores(self, rate: float, share: float) -> Floats:
        """Return all scores."""
        return self._score(np.stack([self._gain, self._loss]), rate, share)

    def _present(self, each: tuple[float, float]) -> list[int]:
        """Return those who wait in a class, without those at the front who have left it."""
        waiting = self._waiting[each]
        while waiting and (self._gain[waiting[0]], self._loss[waiting[0]]) != each:
            heappop(waiting)
        if not waiting:
            del self._waiting[each]
        return waiting

    @staticmethod
    def _score(changes: Floats, rate: float, share: float) -> Floats:
        gain, loss = changes
        whole = 1 + share * loss
        return np.asarray(((gain - rate * loss) / np.where(whole > 0, whole, 1.0)).round(DIGITS))
