"""Where a row came from: sources of bytes, locations in files, notes about what was met there."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.remote import AnyPath
from comparanda.core.text_columns import PADDING
from comparanda.errors import ReadError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.text_columns import Codes


LARGE = 4 << 20
"""From this many bytes on, a response's bytes are let go once it is aligned, and read again for excerpts."""

_NEWLINE_BLOCK = 1 << 12
_MASS_PATTERN = re.compile(r"they weigh (\S+) together$")


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


class Lasting(str):
    """What is said on the way and worth knowing afterwards too: not only on a terminal, and not only for a moment."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Some bytes of a file, whole documents or records of it; by default all of them.

    Args:
        file: the file.
        start: the byte at which it begins.
        stop: the byte behind its last; None for the end of the file.
        lines: how many lines of the file stand before it.
        before: how many documents or records of the corpus stand before it that are called by their number.
        head: the lines at the head of the file that say how it is to be read, such as the names of columns.

    """

    file: AnyPath
    start: int = 0
    stop: int | None = None
    lines: int = 0
    before: int = 0
    head: bytes = b""


@dataclass(frozen=True, slots=True)
class Whole:
    """The corpus that a portion is of.

    Args:
        files: the names of all its files.
        marked: whether its documents are marked.
        scheme: the scheme of its chunk tags, and behind it those that would fit as well; empty to detect it.
        characters: of a key, whether spans stand at characters, because some response has other tokens somewhere.

    """

    files: tuple[str, ...]
    marked: bool
    scheme: tuple[str, ...] = ()
    characters: bool = False


@dataclass(frozen=True, slots=True)
class Portion:
    """A portion of an input: some stretches of its files, and what must be known of the whole to read them alike."""

    stretches: tuple[Stretch, ...]
    whole: Whole


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a source, or a stretch of it: where its bytes begin in the source's buffer, and how to find it again.

    `path` is None for what cannot be read twice (standard input, Python objects).
    """

    name: str
    path: AnyPath | None
    begin: int
    stretch: Stretch | None = None

    @property
    def before(self) -> int:
        """How many documents or records of the corpus stand before it that are called by their number."""
        return 0 if self.stretch is None else self.stretch.before

    def line(self, newlines: int, offset: int) -> int:
        """Return the line of the file at an offset of the buffer, given the newlines between `begin` and there."""
        if self.stretch is None or offset < self.begin + len(self.stretch.head):
            return newlines + 1
        return self.stretch.lines + newlines - self.stretch.head.count(b"\n") + 1


@dataclass(frozen=True, eq=False, kw_only=True)
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
        whole: the corpus that these bytes are a portion of; None where they are all of it.

    """

    parts: tuple[Part, ...]
    given: bytearray | None
    notes: tuple[Note, ...] = ()
    repaired: bool = False
    again: Callable[[], bytearray] | None = None
    whole: Whole | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """The names of all files of the corpus."""
        return tuple(part.name for part in self.parts) if self.whole is None else self.whole.files

    @property
    def opens(self) -> bool:
        """Whether these bytes are, or begin with, the first of the corpus: what is to be noted once is noted there."""
        first = self.parts[0]
        return self.whole is None or (first.name == self.whole.files[0] and not (first.stretch and first.stretch.start))

    def numbers(self, offset: Codes) -> NDArray[np.int64]:
        """Return the numbers in the corpus, from 1, of all records of this source, given where they stand."""
        begins = np.array([part.begin for part in self.parts], np.int64)
        part = np.searchsorted(begins, offset, side="right") - 1
        if self.whole is None:
            return np.arange(1, len(offset) + 1)
        earlier = np.searchsorted(part, np.arange(len(self.parts)))
        before = np.array([each.before for each in self.parts], np.int64)
        found: NDArray[np.int64] = np.arange(1, len(offset) + 1) - earlier[part] + before[part]
        return found

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
        return cls(parts=(Part(name, None, 0),), given=bytearray(data + bytes(PADDING)))

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
        return Location(part.name, part.line(self._count_newlines(offset) - self._count_newlines(part.begin), offset))

    def _count_newlines(self, offset: int) -> int:
        """Count the newlines before an offset."""
        stretch = offset // _NEWLINE_BLOCK
        return self._newlines_before[stretch] + self.data.count(b"\n", stretch * _NEWLINE_BLOCK, offset)

    @cached_property
    def _newlines_before(self) -> list[int]:
        """How many newlines stand before each stretch of the bytes: examples ask for thousands of places."""
        begins = range(0, len(self.data), _NEWLINE_BLOCK)
        return list(accumulate((self.data.count(b"\n", begin, begin + _NEWLINE_BLOCK) for begin in begins), initial=0))

    def line_at(self, offset: int) -> str:
        """Return the whole line that holds the byte at an offset, as text."""
        begin = self.data.rfind(b"\n", 0, offset) + 1
        end = self.data.find(b"\n", offset, self.size)
        return bytes(self.data[begin : end if end >= 0 else self.size]).decode(errors="replace")


def first_places(source: Source, offsets: Codes, limit: int = 3) -> tuple[str, ...]:
    """Return the locations of the first few offsets, for a note."""
    return tuple(str(source.locate(int(offset))) for offset in offsets[:limit])


def noted_once(source: Source, side: str, what: str, offset: int) -> list[Note]:
    """Make the note of something that holds for a whole corpus, with one place; portions but the first make none."""
    return [Note(side, what, 1, (str(source.locate(offset)),))] if source.opens else []


def weighing(source: Source, mass: float) -> str:
    """Return the end of a note on what some things weigh together; of portions it is to be added up, so it is exact."""
    return f"they weigh {f'{mass:.4g}' if source.whole is None else repr(mass)} together"


def together(notes: Iterable[Note]) -> Iterator[Note]:
    """Add up what notes of one kind say that things weigh."""
    notes = list(notes)
    masses: dict[tuple[str, str], list[float]] = {}
    for note in notes:
        if found := _MASS_PATTERN.search(note.what):
            masses.setdefault((note.side, found.string[: found.start()]), []).append(float(found[1]))
    for note in notes:
        found = _MASS_PATTERN.search(note.what)
        if found is None:
            yield note
        else:
            before = found.string[: found.start()]
            yield replace(note, what=f"{before}they weigh {fsum(masses[note.side, before]):.4g} together")


def refuse(
    source: Source, offset: int, what: str, *, details: Iterable[str] = (), hint: str | None = None
) -> ReadError:
    """Make the error for a line of a source."""
    return ReadError(what, where=str(source.locate(offset)), details=details, hint=hint)
