"""Sides that have the same documents in the same order, cut while they are looked through.

That is how large corpora come, and then nothing has to be remembered of a single document: an index of millions of them
would take more memory than the comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from comparanda.places import Portion, Stretch, Whole
from comparanda.read.cuts import UncuttableError
from comparanda.scale.index import Opened, Placed, placed

if TYPE_CHECKING:
    from comparanda.read.inputs import Input


@dataclass(frozen=True, slots=True)
class Step:
    """One part: the names of its documents, and what is read of each side."""

    names: tuple[str, ...]
    inputs: Mapping[str, Input]


def in_step(sides: Mapping[str, Opened], size: int) -> list[Step] | None:
    """Cut sides into parts of about a number of bytes; None if they are not in step, or have no marked documents.

    Args:
        sides: the sides, the key first.
        size: about how many bytes of all sides a part has.

    """
    if any(each.rows or each.chosen.marks is None or each.chosen.rows is not None for each in sides.values()):
        return None
    try:
        return list(_steps(sides, size))
    except UncuttableError:
        return None  # the index will say what is wrong


def _steps(sides: Mapping[str, Opened], size: int) -> Iterator[Step]:
    """Give the parts one after the other; that no documents are marked is known, and told, only behind the last."""
    parts = {side: _Growing(each) for side, each in sides.items()}
    names: list[str] = []
    seen: set[str] = set()
    bytes_now = 0
    for documents in zip_longest(*(placed(each) for each in sides.values())):
        if len({None if each is None else each.name for each in documents}) > 1 or documents[0].name in seen:
            raise UncuttableError("not in step")
        bytes_now += sum(part.add(each) for part, each in zip(parts.values(), documents, strict=True))
        names.append(documents[0].name)
        seen.add(documents[0].name)
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
