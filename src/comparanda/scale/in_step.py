"""Sides that have the same documents in the same order, cut while they are looked through.

That is how large corpora come, and then nothing has to be remembered of a single document: an index of millions of them
would take more memory than the comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from comparanda.places import Portion, Stretch, Whole
from comparanda.read.cuts import UncuttableError
from comparanda.scale.index import Opened, Placed, placed
from comparanda.scale.lookers import LostError, looked_through

if TYPE_CHECKING:
    from comparanda.read.inputs import Input

WORTH = 256 << 20
"""So many bytes are worth further processes: to start one takes as long as to look through some ten million."""


@dataclass(frozen=True, slots=True)
class Step:
    """One part: the names of its documents, and what is read of each side."""

    names: tuple[str, ...]
    inputs: Mapping[str, Input]


def in_step(sides: Mapping[str, Opened], size: int, processes: int = 1) -> list[Step] | None:
    """Cut sides into parts of about a number of bytes; None if they are not in step, or have no marked documents.

    Args:
        sides: the sides, the key first.
        size: about how many bytes of all sides a part has.
        processes: how many processes may look through them; large sides alone are worth others than this one.

    """
    if any(each.rows or each.chosen.marks is None or each.chosen.rows is not None for each in sides.values()):
        return None
    every = list(sides.values())
    try:
        if processes > 1 and sum(each.size for each in every) >= WORTH:
            with looked_through(every, processes) as documents:
                return list(_steps(sides, documents, size))
        return list(_steps(sides, list(map(placed, every)), size))
    except LostError:
        return in_step(sides, size)
    except UncuttableError:
        return None  # the index will say what is wrong


def _steps(sides: Mapping[str, Opened], documents: Sequence[Iterator[Placed]], size: int) -> Iterator[Step]:
    """Give the parts one after the other; that no documents are marked is known, and told, only behind the last."""
    parts = {side: _Growing(each) for side, each in sides.items()}
    names: list[str] = []
    seen: set[str] = set()
    bytes_now = 0
    for row in zip_longest(*documents):
        if len({None if each is None else each.name for each in row}) > 1 or row[0].name in seen:
            raise UncuttableError("not in step")
        bytes_now += sum(part.add(each) for part, each in zip(parts.values(), row, strict=True))
        names.append(row[0].name)
        seen.add(row[0].name)
        if bytes_now >= size:
            yield Step(tuple(names), {side: part.taken() for side, part in parts.items()})
            names, bytes_now = [], 0
    if names:
        yield Step(tuple(names), {side: part.taken() for side, part in parts.items()})
    if not all(part.marked for part in parts.values()):
        raise UncuttableError("no documents are marked")


class _Growing:
    """What is read of one side by the part that is being made."""

    def __init__(self, side: Opened) -> None:
        self.marked = len(side.files) > 1
        self._given = side.given
        self._whole = Whole(tuple(name for name, _ in side.stamps), marked=True)
        self._first: Stretch | None = None
        self._stop = 0
        self._found: list[Stretch] = []

    def add(self, document: Placed) -> int:
        """Add a document; return how many bytes it has."""
        new, first = document.stretch, self._first
        assert new.stop is not None
        if first is None or (first.file is not new.file or self._stop != new.start or first.head != new.head):
            self._close()
            self._first = new
        self._stop = new.stop
        self.marked |= document.marked
        return new.stop - new.start

    def taken(self) -> Input:
        """Return the input with what was added, and begin anew."""
        self._close()
        found, self._found = tuple(self._found), []
        return replace(self._given, portion=Portion(found, self._whole))

    def _close(self) -> None:
        if self._first is not None:
            self._found.append(replace(self._first, stop=self._stop))
        self._first = None
