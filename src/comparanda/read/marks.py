"""Marks between sentences: where documents begin, and what is said about them."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import TextColumn
from comparanda.corpus import Documents
from comparanda.errors import ReadError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Codes
    from comparanda.places import Source

_NEWDOC = re.compile(r"#\s*newdoc(?:\s+id\s*=\s*(?P<id>.*\S))?\s*$")
_META = re.compile(r"#\s*meta::(?P<name>[^=]*?)\s*=\s*(?P<value>.*?)\s*$")


@dataclass(frozen=True, slots=True)
class _Mark:
    row: int
    offset: int
    name: str


class Marks:
    """Collects document marks while a file is read, and makes the documents of them in the end."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._marks: list[_Mark] = []
        self._meta: list[tuple[int, str, str]] = []

    def comment(self, text: str, row: int, offset: int) -> None:
        """Take a comment line that stands before a row: `# newdoc id = x` or `# meta::genre = news`."""
        if newdoc := _NEWDOC.match(text):
            self.begin(newdoc["id"] or "", row, offset)
        elif meta := _META.match(text):
            self._meta.append((offset, meta["name"], meta["value"]))

    def begin(self, name: str, row: int, offset: int) -> None:
        """Mark that a document of this name (or of none) begins before a row."""
        self._marks.append(_Mark(row, offset, name or f"document {len(self._marks) + 1}"))

    def documents(self, sentences: NDArray[np.int64], offset: Codes) -> Documents:
        """Return the documents as offsets into the sentences.

        Without marks, several files are a document each, and a single file is one unmarked document.
        """
        marked = bool(self._marks) or len(self.source.parts) > 1
        marks = sorted([*self._marks, *self._files(offset)], key=lambda mark: (mark.row, mark.offset))
        self._refuse_repeated(marks)
        rows = np.array([mark.row for mark in marks], dtype=np.int64)
        offsets = np.append(np.searchsorted(sentences, rows), len(sentences) - 1).astype(np.int64)
        return Documents(tuple(mark.name for mark in marks), offsets, marked, self._attributes(marks))

    def _files(self, offset: Codes) -> list[_Mark]:
        """Give the rows of each file before its first mark a document named after the file."""
        parts = self.source.parts
        stems = [stem(part.name) for part in parts]
        begins = [part.begin for part in parts]
        first = np.searchsorted(offset, np.array(begins, dtype=np.int64)).tolist()
        marked_rows = {mark.row for mark in self._marks}
        return [
            _Mark(row, begin, name if stems.count(name) == 1 else part.name)
            for part, name, begin, row, end in zip(parts, stems, begins, first, [*first[1:], len(offset)], strict=True)
            if row < end and row not in marked_rows
        ]

    def _refuse_repeated(self, marks: list[_Mark]) -> None:
        first: dict[str, _Mark] = {}
        for mark in marks:
            if mark.name in first:
                raise ReadError(
                    f"the document {mark.name!r} begins a second time",
                    where=str(self.source.locate(mark.offset)),
                    details=[f"it began first at {self.source.locate(first[mark.name].offset)}"],
                    hint="documents are told apart by their names: rename one",
                )
            first[mark.name] = mark

    def _attributes(self, marks: list[_Mark]) -> dict[str, TextColumn]:
        begins = [mark.offset for mark in marks]
        values: dict[str, list[str | None]] = {}
        for offset, name, value in self._meta:
            document = max(bisect_right(begins, offset) - 1, 0)
            values.setdefault(name, [None] * len(marks))[document] = value
        return {name: TextColumn.of(column) for name, column in values.items()}


def stem(name: str) -> str:
    """Return a file's name without folder and suffixes, to call a document or a system by.

    >>> stem("out/crf.v2.conllu.gz")
    'crf.v2'
    """
    file = PurePath(name).name.removesuffix(".gz")
    return PurePath(file).stem or file
