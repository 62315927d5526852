"""Marks between sentences: where documents begin, and what is said about them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import TextColumn
from comparanda.corpus import Documents
from comparanda.errors import ReadError
from comparanda.read.scan import word8

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Codes
    from comparanda.places import Source

_NEWDOC = re.compile(r"#\s*newdoc(?:\s+id(?:\s*=\s*(?P<id>.*))?)?")
_META = re.compile(r"#\s*meta::(?P<name>[^=]*)=(?P<value>.*)")
_HEADS = tuple(word8(head) for head in (b"# newdoc", b"#newdoc ", b"#newdoc\n", b"# meta::"))
_META_HEAD, _SEVEN_BYTES = word8(b"#meta::"), np.uint64(2**56 - 1)


def may_mark(first8: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Whether comments that begin with these eight bytes can say something about documents."""
    found: NDArray[np.bool_] = (first8 & _SEVEN_BYTES) == _META_HEAD
    for head in _HEADS:
        found |= first8 == head
    return found


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
        self._part = self._earlier = 0

    def comment(self, text: str, row: int, offset: int) -> bool:
        """Take a comment line that stands before a row; return whether it says something about documents.

        Understood are `# newdoc id = x`, `# newdoc` and `# meta::genre = news`.
        """
        newdoc, meta = newdoc_name(text), _META.fullmatch(text)
        if newdoc is not None:
            self.begin(newdoc, row, offset)
        elif meta:
            self._meta.append((offset, meta["name"].rstrip(), meta["value"].strip()))
        return newdoc is not None or meta is not None

    def begin(self, name: str, row: int, offset: int) -> None:
        """Mark that a document of this name (or of none) begins before a row."""
        number = self._number(offset)
        self._marks.append(_Mark(row, offset, name or f"document {number}"))

    def _number(self, offset: int) -> int:
        """Return the number of the mark that stands at an offset, behind those seen: the first of the corpus is 1."""
        parts = self.source.parts
        if parts[0].stretch is None:
            return len(self._marks) + 1
        while self._part + 1 < len(parts) and parts[self._part + 1].begin <= offset:
            self._part, self._earlier = self._part + 1, len(self._marks)
        return parts[self._part].before + len(self._marks) - self._earlier + 1

    def documents(self, sentences: NDArray[np.int64], offset: Codes) -> Documents:
        """Return the documents as offsets into the sentences.

        Without marks, several files are a document each, and a single file is one unmarked document.
        """
        whole = self.source.whole
        marked = bool(self._marks) or len(self.source.parts) > 1 if whole is None else whole.marked
        marks = sorted([*self._marks, *self._files(offset)], key=lambda mark: (mark.row, mark.offset))
        self._refuse_repeated(marks)
        rows = np.array([mark.row for mark in marks], dtype=np.int64)
        first = np.searchsorted(sentences, rows)
        self._refuse_inside(marks, sentences[first] != rows)
        offsets = np.append(first, len(sentences) - 1).astype(np.int64)
        return Documents(tuple(mark.name for mark in marks), offsets, marked, self._attributes(marks))

    def _files(self, offset: Codes) -> list[_Mark]:
        """Give the rows of each file before its first mark a document named after the file."""
        parts = self.source.parts
        stems = [stem(part.name) for part in parts]
        often = Counter(map(stem, self.source.files))
        begins = [part.begin for part in parts]
        first = np.searchsorted(offset, np.array(begins, dtype=np.int64)).tolist()
        marked = {(mark.row, bisect_right(begins, mark.offset) - 1) for mark in self._marks}
        return [
            _Mark(first[number], part.begin, name if often[name] == 1 else part.name)
            for number, (part, name, end) in enumerate(zip(parts, stems, [*first[1:], len(offset)], strict=True))
            if first[number] < end and (first[number], number) not in marked
        ]

    def _refuse_inside(self, marks: list[_Mark], inside: NDArray[np.bool_]) -> None:
        for number in np.flatnonzero(inside)[:1].tolist():
            raise ReadError(
                f"the document {marks[number].name!r} begins inside a sentence",
                where=str(self.source.locate(marks[number].offset)),
                hint="put an empty line before it",
            )

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


def newdoc_name(text: str) -> str | None:
    """Return the name that a comment gives the document that begins there, maybe none; None if it begins none.

    >>> newdoc_name("# newdoc id = weblog-1"), newdoc_name("# newdoc"), newdoc_name("# sent_id = 1")
    ('weblog-1', '', None)
    """
    found = _NEWDOC.fullmatch(text.rstrip())
    return (found["id"] or "") if found else None


def stem(name: str) -> str:
    """Return a file's name without folder and suffixes, to call a document or a system by.

    >>> stem("out/crf.v2.conllu.gz")
    'crf.v2'
    """
    file = PurePath(name).name.removesuffix(".gz")
    return PurePath(file).stem or file
