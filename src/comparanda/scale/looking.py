"""Inputs looked through for their documents by several processes, all sides in step.

Nothing can be judged before it is known where documents begin, and that takes a fifth of a large comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from comparanda.places import Stretch
from comparanda.read.cuts import UncuttableError
from comparanda.scale.index import Opened, Placed, opened, placed

if TYPE_CHECKING:
    from comparanda.read.inputs import Input
    from comparanda.read.request import Request, Shape

BATCH = 1_000
"""So many documents of a side are told at a time."""

Row = tuple[str, str, int, int | None, int, int, bytes, bool, str]
"""A document: its name, that of its file, where it stands and its head, whether it is marked, and its group."""

Batch = tuple[int, list[Row]]
"""Documents of a side, which is told by its number; none if there are no more."""


@dataclass(frozen=True, slots=True)
class Look:
    """What one process looks through: some sides, each with what is asked of it."""

    sides: tuple[tuple[Input, Request, Shape], ...]

    @classmethod
    def at(cls, sides: list[Opened]) -> Look:
        """Look through inputs that were opened here."""
        return cls(tuple((each.given, each.asked, each.shape) for each in sides))

    def batches(self) -> Iterator[Batch]:
        """Give the documents of all sides in turn, some of each at a time."""
        turns = {number: _rows(opened(*side)) for number, side in enumerate(self.sides)}
        while turns:
            for number, rows in list(turns.items()):
                batch = list(islice(rows, BATCH))
                yield number, batch
                if not batch:
                    del turns[number]


def _rows(side: Opened) -> Iterator[Row]:
    called = {id(file): name for file, (name, _) in zip(side.files, side.stamps, strict=True)}
    for each in placed(side):
        found = each.stretch
        yield (
            each.name,
            called[id(found.file)],
            found.start,
            found.stop,
            found.lines,
            found.before,
            found.head,
            each.marked,
            each.group,
        )


def placed_again(side: Opened, rows: Iterable[Row]) -> Iterator[Placed]:
    """Give the documents that another process has told, in the files that are known here."""
    files = {name: file for file, (name, _) in zip(side.files, side.stamps, strict=True)}
    for name, file, start, stop, lines, before, head, marked, group in rows:
        if file not in files:
            raise UncuttableError(f"{file} was not there before")
        yield Placed(name, Stretch(files[file], start, stop, lines, before, head), marked, group)
