"""Where a row came from: sources of bytes, locations in files, notes about what was met there."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import PADDING
from comparanda.errors import ReadError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Codes


LARGE = 4 << 20
"""From this many bytes on, a response's bytes are let go once it is aligned, and read again for excerpts."""

_STRETCH = 1 << 12


@dataclass(frozen=True, slots=True)
class Location:
    """A line of a file, as an editor would open it."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was met and counted while reading or aligning, with its first places.

    A note is never an error by itself; `--strict` makes it one.
    """

    side: str
    what: str
    count: int
    first: tuple[str, ...] = ()

    def __str__(self) -> str:
        places = f" ({', '.join(self.first)}{', …' if self.count > len(self.first) else ''})" if self.first else ""
        return f"{self.side}: {self.what}: {self.count:,}{places}"


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a source: where its bytes begin in the source's buffer, and how to find it again.

    `path` is None for what cannot be read twice (standard input, Python objects).
    """

    name: str
    path: Path | None
    begin: int


@dataclass(frozen=True, eq=False)
class Source:
    """The bytes of one corpus: one file, or several laid end to end, without byte-order marks and CRs.

    Offsets count these cleaned bytes; line numbers are those of the files. `repaired` says that
    lines were changed further, so that loading the files again would give other bytes.

    Args:
        parts: the files.
        given: the bytes, with `PADDING` zeros behind; None after `released`.
        notes: what had to be cleaned.
        repaired: whether lines were changed further.
        again: reads the same bytes once more, or says that a file has changed; None where that is impossible.

    """

    parts: tuple[Part, ...]
    given: bytearray | None
    notes: tuple[Note, ...] = ()
    repaired: bool = False
    again: Callable[[], bytearray] | None = None

    @cached_property
    def data(self) -> bytearray:
        """The bytes, padding included; those of a released source are read again."""
        if self.given is not None:
            return self.given
        if self.again is None:
            raise AssertionError("a source that cannot be read again was released")
        return self.again()

    def released(self) -> Source:
        """Return the source without its bytes if they are many and can be read again, else the source itself."""
        if self.again is None or self.repaired or self.size < LARGE:
            return self
        return replace(self, given=None)

    @classmethod
    def of_text(cls, name: str, data: bytes) -> Source:
        """Make a source of bytes that are already in memory."""
        return cls((Part(name, None, 0),), bytearray(data + bytes(PADDING)))

    @property
    def size(self) -> int:
        """The number of bytes without the padding."""
        return len(self.data) - PADDING

    @property
    def buffer(self) -> NDArray[np.uint8]:
        """The bytes as an array, padding included."""
        return np.frombuffer(self.data, dtype=np.uint8)

    def part_of(self, offset: int) -> int:
        """Return the index of the part that holds the byte at an offset."""
        return bisect_right([part.begin for part in self.parts], offset) - 1

    def locate(self, offset: int) -> Location:
        """Return the file and line of the byte at an offset."""
        part = self.parts[self.part_of(offset)]
        return Location(part.name, self._newlines(offset) - self._newlines(part.begin) + 1)

    def _newlines(self, offset: int) -> int:
        """Count the newlines before an offset."""
        stretch = offset // _STRETCH
        return self._newlines_before[stretch] + self.data.count(b"\n", stretch * _STRETCH, offset)

    @cached_property
    def _newlines_before(self) -> list[int]:
        """How many newlines stand before each stretch of the bytes: examples ask for thousands of places."""
        begins = range(0, len(self.data), _STRETCH)
        return list(accumulate((self.data.count(b"\n", begin, begin + _STRETCH) for begin in begins), initial=0))

    def line_at(self, offset: int) -> str:
        """Return the whole line that holds the byte at an offset, as text."""
        begin = self.data.rfind(b"\n", 0, offset) + 1
        end = self.data.find(b"\n", offset, self.size)
        return bytes(self.data[begin : end if end >= 0 else self.size]).decode(errors="replace")


def first_places(source: Source, offsets: Codes, limit: int = 3) -> tuple[str, ...]:
    """Return the locations of the first few offsets, for a note."""
    return tuple(str(source.locate(int(offset))) for offset in offsets[:limit])


def refuse(
    source: Source, offset: int, what: str, *, details: Iterable[str] = (), hint: str | None = None
) -> ReadError:
    """Make the error for a line of a source."""
    return ReadError(what, where=str(source.locate(offset)), details=details, hint=hint)
