"""Lines that begin and end documents, as in CoNLL-2012: `#begin document (NAME); part 001` and `#end document`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from comparanda.columns import Truths
    from comparanda.places import Source
    from comparanda.read.scan import Block

MARK = re.compile(rb"^#[ \t]*(?:begin|end) document\b", re.MULTILINE)
BEGIN = re.compile(r"#\s*begin document\b(?P<name>.*)")

_BEGIN_BYTES = re.compile(rb"^#[ \t]*begin document\b", re.MULTILINE)
_END = re.compile(r"#\s*end document\b.*")
_PART = re.compile(r"(?P<before>[;)])\s{0,20}part\s{1,20}(?P<part>[0-9]{1,9})$")
_LONGEST_PART = 60


def document_name(text: str) -> str:
    """Return the name of a document, as it stands behind `#begin document`.

    >>> [document_name(text) for text in ("(nw/wsj_1); part 000", "(nw/wsj_1); part 002", "(x) ; ", "GUM_bio_dvorak")]
    ['nw/wsj_1', 'nw/wsj_1; part 2', 'x', 'GUM_bio_dvorak']
    """
    name, part = _parsed(text)
    return f"{name.strip()}; part {part}" if part else name.strip()


def _parsed(text: str) -> tuple[str, int]:
    """Return the name as it is written, and the part."""
    body, part = text.strip().removesuffix(";").rstrip(), 0
    if found := _PART.search(body[-_LONGEST_PART:]):
        part = int(found["part"])
        body = body[: len(body) - len(found[0]) + 1].removesuffix(";").rstrip()
    return (body[1:-1] if body.startswith("(") and body.endswith(")") else body), part


def _is_clean(text: str) -> bool:
    """Whether there are no blanks at the end, nor around the name inside brackets."""
    name, _ = _parsed(text)
    return text == text.rstrip() and name == name.strip()


@dataclass(frozen=True, slots=True)
class Begin:
    """A line that begins a document: the line's number in its block, the document's name, and where the line stands."""

    line: int
    name: str
    place: int


@dataclass
class DocumentMarks:
    """What is inside of documents and what is not, block by block.

    A file without any `#begin document` is a document as a whole; in others, what stands before the first of them and
    behind an `#end document` is outside. A document that is not ended ends where the next one, or another file, begins.

    Args:
        source: the bytes.
        unclean: where names with blanks around them stand.
        unended: where documents begin that are not ended.

    """

    source: Source
    unclean: list[int] = field(default_factory=list)
    unended: list[int] = field(default_factory=list)
    _inside: bool = True
    _open: int | None = None

    def read(self, block: Block, hashes: list[int]) -> tuple[list[Begin], list[int], Truths]:
        """Take the lines of a block that begin with `#`.

        Return the documents that begin, all lines that are marks, and for each line whether it is inside of a document.
        """
        begins, marks = [], []
        inside = np.zeros(len(block.start), np.bool_)
        files = self._files(block)
        first = 0
        for line, is_file in sorted([*((line, 0) for line in files), *((line, 1) for line in hashes)]):
            inside[first:line] = self._inside
            first = line
            if not is_file:
                self._new_file(files[line])
                continue
            text, place = block.text(self.source, line), int(block.start[line])
            if begin := BEGIN.fullmatch(text):
                begins.append(self._begin(line, begin["name"], place))
            elif _END.fullmatch(text):
                self._inside, self._open = False, None
            else:
                continue
            marks.append(line)
        inside[first:] = self._inside
        return begins, marks, inside

    def finish(self) -> None:
        """End the last document."""
        if self._open is not None:
            self.unended.append(self._open)
        self._open = None

    def _files(self, block: Block) -> dict[int, bool]:
        """Return the lines at which files begin, and whether these have marks."""
        parts = self.source.parts
        ends = [*(part.begin for part in parts[1:]), self.source.size]
        low, high = int(block.start[0]), int(block.end[-1])
        return {
            int(np.searchsorted(block.start, part.begin)): _BEGIN_BYTES.search(self.source.data, part.begin, end)
            is not None
            for part, end in zip(parts, ends, strict=True)
            if low <= part.begin <= high
        }

    def _new_file(self, marked: bool) -> None:
        self.finish()
        self._inside = not marked

    def _begin(self, line: int, name: str, place: int) -> Begin:
        self.finish()
        if not _is_clean(name):
            self.unclean.append(place)
        self._inside, self._open = True, place
        return Begin(line, document_name(name), place)
