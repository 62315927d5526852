"""Processes of this machine that look through inputs for this one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain

from comparanda.scale.crew import Worker
from comparanda.scale.index import Opened, Placed
from comparanda.scale.looking import Look, Row, placed_again


class LostError(Exception):
    """A process that looked through inputs is gone."""


@contextmanager
def looked_through(sides: Sequence[Opened], processes: int) -> Iterator[list[Iterator[Placed]]]:
    """Give the documents of each side, one after the other, as some processes find them.

    These stay a few documents ahead: who asks for those of all sides in turn keeps little of any.
    """
    groups = [list(range(first, len(sides), processes)) for first in range(min(processes, len(sides)))]
    workers = [Worker() for _ in groups]
    try:
        found: dict[int, Iterator[Placed]] = {}
        for worker, numbers in zip(workers, groups, strict=True):
            mine = [sides[number] for number in numbers]
            worker.give(Look.at(mine))
            told = _Told(worker, len(mine))
            found |= {number: _placed(told, place, sides[number]) for place, number in enumerate(numbers)}
        yield [found[number] for number in range(len(sides))]
    finally:
        for worker in workers:
            worker.stop()


class _Told:
    """What a process has told of its sides and nobody has asked for yet."""

    def __init__(self, worker: Worker, sides: int) -> None:
        self._worker = worker
        self._waiting: list[deque[list[Row]]] = [deque() for _ in range(sides)]

    def next(self, side: int) -> list[Row]:
        """Return the next documents of a side; none if there are no more."""
        while not self._waiting[side]:
            found = self._worker.batch()
            if isinstance(found, str):
                raise LostError(found)
            if isinstance(found, Exception):
                raise found
            self._waiting[found[0]].append(found[1])
        return self._waiting[side].popleft()


def _placed(told: _Told, place: int, side: Opened) -> Iterator[Placed]:
    yield from placed_again(side, chain.from_iterable(iter(lambda: told.next(place), [])))
    side.refuse_changed()
