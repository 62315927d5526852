"""The origin of rows: sources of bytes, locations in files, and notes about observations made while reading."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, takewhile
from math import fsum
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.remote import AnyPath
from comparanda.core.text_columns import PADDING
from comparanda.errors import ReadError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.text_columns import Codes


LARGE = 4 << 20
"""The bytes of a larger system output are released once it is aligned, and read again for excerpts."""

_NEWLINE_BLOCK = 1 << 12
_MASS_PATTERN = re.compile(r"total weight (\S+)$")


@dataclass(frozen=True, slots=True)
class Location:
    """A line of a file, as an editor would open it."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Note:
    """An observation made and counted while reading or aligning, with its first places.

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
    """A progress message that is also of interest afterwards: it is always printed, not only shown on a terminal."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A range of bytes of a file that consists of whole documents or records; by default the whole file.

    Args:
        file: the file.
        start: the byte at which it begins.
        stop: the byte after its last; None for the end of the file.
        lines: the number of lines of the file before it.
        before: the number of documents or records of the corpus before it that are named by their number.
        head: the lines at the head of the file that define how it is read, such as the names of columns.

    """

    file: AnyPath
    start: int = 0
    stop: int | None = None
    lines: int = 0
    before: int = 0
    head: bytes = b""


@dataclass(frozen=True, slots=True)
class Whole:
    """Properties of the whole corpus that a portion belongs to.

    Args:
        files: the names of all its files.
        marked: whether it has document boundaries.
        scheme: the scheme of its chunk tags, followed by other schemes that are possible; empty to detect it.
        characters: for a key, whether positions are characters because some system output is tokenised differently.

    """

    files: tuple[str, ...]
    marked: bool
    scheme: tuple[str, ...] = ()
    characters: bool = False


@dataclass(frozen=True, slots=True)
class Portion:
    """A portion of an input: ranges of its files, and the properties of the whole that are needed to read them."""

    stretches: tuple[Stretch, ...]
    whole: Whole


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a source, or a range of it, and the place at which its bytes begin in the source's buffer.

    `path` is None for inputs that cannot be read twice (standard input, Python objects).
    """

    name: str
    path: AnyPath | None
    begin: int
    stretch: Stretch | None = None

    @property
    def before(self) -> int:
        """The number of documents or records of the corpus before it that are named by their number."""
        return 0 if self.stretch is None else self.stretch.before

    def line(self, newlines: int, offset: int) -> int:
        """Return the line in the file of an offset of the buffer, given the newlines between `begin` and there."""
        if self.stretch is None or offset < self.begin + len(self.stretch.head):
            return newlines + 1
        return self.stretch.lines + newlines - self.stretch.head.count(b"\n") + 1


@dataclass(frozen=True, eq=False, kw_only=True)
class Source:
    """The bytes of one corpus: one file, or several concatenated, without byte-order marks and CRs.

    Offsets count these cleaned bytes; line numbers are those of the files. If `repaired` is true, lines were changed
    further, so that loading the files again would give different bytes.

    Args:
        parts: the files.
        given: the bytes, followed by `PADDING` zeros; None after `released`.
        notes: what had to be cleaned.
        repaired: whether lines were changed further.
        again: reads the same bytes again, or raises an error if a file has changed; None where that is impossible.
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
        """Whether these bytes include the beginning of the corpus: notes to be made once per corpus are made there."""
        first = self.parts[0]
        return self.whole is None or (first.name == self.whole.files[0] and not (first.stretch and first.stretch.start))

    def numbers(self, offset: Codes) -> NDArray[np.int64]:
        """Assign numbers to all records of this source within the corpus, from 1, given their offsets."""
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
        """The bytes, including the padding; those of a released source are read again."""
        if self.given is not None:
            return self.given
        if self.again is None:
            raise AssertionError("a source that cannot be read again was released")
        return self.again()

    def released(self) -> Source:
        """Drop the bytes if they are large and can be read again; else return the source itself."""
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
        """The bytes as an array, including the padding."""
        return np.frombuffer(self.data, dtype=np.uint8)

    def part_of(self, offset: int) -> int:
        """Return the index of the part that contains the byte at an offset."""
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
        """The number of newlines before each block of bytes, cached because examples locate thousands of rows."""
        begins = range(0, len(self.data), _NEWLINE_BLOCK)
        return list(accumulate((self.data.count(b"\n", begin, begin + _NEWLINE_BLOCK) for begin in begins), initial=0))

    def line_at(self, offset: int) -> str:
        """Return the whole line that contains the byte at an offset, as a string."""
        begin = self.data.rfind(b"\n", 0, offset) + 1
        end = self.data.find(b"\n", offset, self.size)
        return bytes(self.data[begin : end if end >= 0 else self.size]).decode(errors="replace")


def file_stem(name: str) -> str:
    """Return a file's name without folder and suffixes, as the name of a document or a system.

    >>> file_stem("out/crf.v2.conllu.gz")
    'crf.v2'
    """
    file = PurePath(name).name.removesuffix(".gz")
    return PurePath(file).stem or file


def name_files(files: Sequence[str]) -> dict[str, str]:
    """Name documents after their files: by the stem, or by the path in the folder of all files if others share it.

    >>> name_files(["out/a/x.conllu", "out/b/x.conllu", "out/b/y.conllu"])
    {'out/a/x.conllu': 'a/x', 'out/b/x.conllu': 'b/x', 'out/b/y.conllu': 'y'}
    """
    often = Counter(map(file_stem, files))
    folders = [PurePath(name).parts[:-1] for name in files]
    common = len(list(takewhile(lambda steps: len(set(steps)) == 1, zip(*folders, strict=False))))
    return {
        name: stem if often[stem := file_stem(name)] == 1 else "/".join([*folder[common:], stem])
        for name, folder in zip(files, folders, strict=True)
    }


def first_places(source: Source, offsets: Codes, limit: int = 3) -> tuple[str, ...]:
    """Return the locations of the first few offsets, for a note."""
    return tuple(str(source.locate(int(offset))) for offset in offsets[:limit])


def noted_once(source: Source, side: str, what: str, offset: int) -> list[Note]:
    """Make a note that applies to a whole corpus, with one place; only the first portion makes it."""
    return [Note(side, what, 1, (str(source.locate(offset)),))] if source.opens else []


def format_weight(source: Source, mass: float) -> str:
    """Format the total weight at the end of a note; exact for portions, because their weights will be added up."""
    return f"total weight {f'{mass:.4g}' if source.whole is None else repr(mass)}"


def add_up_weights(notes: Iterable[Note]) -> Iterator[Note]:
    """Add up the total weights of notes of the same kind."""
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
            yield replace(note, what=f"{before}total weight {fsum(masses[note.side, before]):.4g}")


def make_read_error(
    source: Source, offset: int, what: str, *, details: Iterable[str] = (), hint: str | None = None
) -> ReadError:
    """Make the error for a line of a source."""
    return ReadError(what, where=str(source.locate(offset)), details=details, hint=hint)
