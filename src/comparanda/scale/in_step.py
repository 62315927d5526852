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
    parts = {name: _Growing(each) for name, each in sides.items()}
    marked = dict.fromkeys(sides, False)
    names: list[str] = []
    seen: set[str] = set()
    done: list[tuple[tuple[str, ...], dict[str, tuple[Stretch, ...]]]] = []
    bytes_now = 0
    for documents in zip_longest(*(placed(each) for each in sides.values())):
        if len({None if each is None else each.name for each in documents}) > 1 or documents[0].name in seen:
            raise UncuttableError("not in step")
        for (side, part), each in zip(parts.items(), documents, strict=True):
            marked[side] |= each.marked
            bytes_now += part.add(each)
        names.append(documents[0].name)
        seen.add(documents[0].name)
        if bytes_now >= size:
            done.append((tuple(names), {side: part.taken() for side, part in parts.items()}))
            names, bytes_now = [], 0
    if names:
        done.append((tuple(names), {side: part.taken() for side, part in parts.items()}))
    if not all(marked[side] or len(each.files) > 1 for side, each in sides.items()):
        raise UncuttableError("no documents are marked")
    wholes = {side: Whole(tuple(name for name, _ in each.stamps), marked=True) for side, each in sides.items()}
    for called, stretches in done:
        inputs = {
            side: replace(each.given, portion=Portion(stretches[side], wholes[side])) for side, each in sides.items()
        }
        yield Step(called, inputs)


class _Growing:
    """The stretches of one side of the part that is being made."""

    def __init__(self, side: Opened) -> None:
        self._side = side
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
        return new.stop - new.start

    def taken(self) -> tuple[Stretch, ...]:
        """Return the stretches, and begin anew."""
        self._close()
        found, self._found = tuple(self._found), []
        return found

    def _close(self) -> None:
        if self._first is not None:
            self._found.append(replace(self._first, stop=self._stop))
        self._first = None
