"""Running tokens: marks of documents between sentences, and columns that grow while a file is read."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.corpus import Corpus, Documents, Ranges
from comparanda.core.places import Note, Source, first_places, name_files
from comparanda.core.text_columns import Interner, Slices, TextColumn, code_type
from comparanda.errors import ReadError
from comparanda.formats.scanner import Block, encode_word8, offset_type, sentence_offsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.text_columns import Codes, Rows
    from comparanda.formats.contract import Request


CONTINUED = "document names that recur, continuing the document of that name"
"""The text in notes about them."""

_NEWDOC = re.compile(r"#\s*newdoc(?:\s+id(?:\s*=\s*(?P<id>.*))?)?")
_META = re.compile(r"#\s*meta::(?P<name>[^=]*)=(?P<value>.*)")
_HEADS = tuple(encode_word8(head) for head in (b"# newdoc", b"#newdoc ", b"#newdoc\n", b"# meta::"))
_META_HEAD, _SEVEN_BYTES = encode_word8(b"#meta::"), np.uint64(2**56 - 1)


def may_mark(first8: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Whether comments that begin with these eight bytes can describe documents."""
    found: NDArray[np.bool_] = (first8 & _SEVEN_BYTES) == _META_HEAD
    for head in _HEADS:
        found |= first8 == head
    return found


@dataclass(frozen=True, slots=True)
class _Mark:
    row: int
    offset: int
    name: str
    named: bool = True


class Marks:
    """Collects document marks while a file is read, and builds the documents from them."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._marks: list[_Mark] = []
        self._continued: list[int] = []
        self._meta: list[tuple[int, str, str]] = []
        self._part = self._earlier = 0

    def comment(self, text: str, row: int, offset: int) -> bool:
        """Process a comment line before a row; return whether it describes documents.

        Recognised are `# newdoc id = x`, `# newdoc` and `# meta::genre = news`.
        """
        newdoc, meta = newdoc_name(text), _META.fullmatch(text)
        if newdoc is not None:
            self.begin(newdoc, row, offset)
        elif meta:
            self._meta.append((offset, meta["name"].rstrip(), meta["value"].strip()))
        return newdoc is not None or meta is not None

    def begin(self, name: str, row: int, offset: int) -> None:
        """Record that a document with this name (or without one) begins before a row."""
        number = self._next_number(offset)
        self._marks.append(_Mark(row, offset, name or f"document {number}", named=bool(name)))

    def _next_number(self, offset: int) -> int:
        """Return the number of the next mark, at an offset, within the whole corpus, from 1."""
        parts = self.source.parts
        if parts[0].stretch is None:
            return len(self._marks) + 1
        while self._part + 1 < len(parts) and parts[self._part + 1].begin <= offset:
            self._part, self._earlier = self._part + 1, len(self._marks)
        return parts[self._part].before + len(self._marks) - self._earlier + 1

    def documents(self, sentences: NDArray[np.int64], offset: Codes) -> Documents:
        """Return the documents as offsets into the sentences.

        Without marks, each of several files is a document, and a single file is one unmarked document. A name that
        recurs in its file continues that document: adjacent parts are joined, others are documents of the same name.
        """
        whole = self.source.whole
        marked = bool(self._marks) or len(self.source.parts) > 1 if whole is None else whole.marked
        marks = sorted([*self._marks, *self._name_files(offset)], key=lambda mark: (mark.row, mark.offset))
        self._refuse_repeated(marks)
        marks = self._join_adjacent(marks)
        rows = np.array([mark.row for mark in marks], dtype=np.int64)
        first = np.searchsorted(sentences, rows)
        self._refuse_inside(marks, sentences[first] != rows)
        offsets = np.append(first, len(sentences) - 1).astype(np.int64)
        anonymous = np.array([not mark.named for mark in marks], np.bool_)
        return Documents(
            tuple(mark.name for mark in marks), offsets, marked, self._attributes(marks), anonymous=anonymous
        )

    def notes(self, side: str) -> list[Note]:
        """Note the number of marks that continue a document; known after `documents`."""
        found = self._continued
        places = tuple(str(self.source.locate(offset)) for offset in found[:3])
        return [Note(side, CONTINUED, len(found), places)] if found else []

    def _name_files(self, offset: Codes) -> list[_Mark]:
        """Make a mark named after the file for the rows of each file before its first mark."""
        parts = self.source.parts
        names = name_files(self.source.files)
        begins = [part.begin for part in parts]
        first = np.searchsorted(offset, np.array(begins, dtype=np.int64)).tolist()
        marked = {(mark.row, bisect_right(begins, mark.offset) - 1) for mark in self._marks}
        return [
            _Mark(first[number], part.begin, names[part.name], named=len(names) > 1)
            for number, (part, end) in enumerate(zip(parts, [*first[1:], len(offset)], strict=True))
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
        """Refuse a name in two files, or that of a file inside it: the same document twice, not a continued one."""
        first: dict[str, _Mark] = {}
        for mark in marks:
            earlier = first.setdefault(mark.name, mark)
            if earlier is mark:
                continue
            if not (mark.named and earlier.named and self._is_same_file(mark, earlier)):
                raise ReadError(
                    f"duplicate document {mark.name!r}",
                    where=str(self.source.locate(mark.offset)),
                    details=[f"it first begins at {self.source.locate(earlier.offset)}"],
                    hint="rename one: documents are identified by their names",
                )
            self._continued.append(mark.offset)

    def _is_same_file(self, one: _Mark, other: _Mark) -> bool:
        parts = self.source.parts
        return parts[self.source.part_of(one.offset)].name == parts[self.source.part_of(other.offset)].name

    @staticmethod
    def _join_adjacent(marks: list[_Mark]) -> list[_Mark]:
        """Drop the marks that continue the document right before them."""
        return [mark for number, mark in enumerate(marks) if not number or mark.name != marks[number - 1].name]

    def _attributes(self, marks: list[_Mark]) -> dict[str, TextColumn]:
        begins = [mark.offset for mark in marks]
        values: dict[str, list[str | None]] = {}
        for offset, name, value in self._meta:
            document = max(bisect_right(begins, offset) - 1, 0)
            values.setdefault(name, [None] * len(marks))[document] = value
        return {name: TextColumn.of(column) for name, column in values.items()}


def newdoc_name(text: str) -> str | None:
    """Return the name of the document that a comment begins, maybe empty; None if it begins none.

    >>> newdoc_name("# newdoc id = weblog-1"), newdoc_name("# newdoc"), newdoc_name("# sent_id = 1")
    ('weblog-1', '', None)
    """
    found = _NEWDOC.fullmatch(text.rstrip())
    return (found["id"] or "") if found else None


# Shared by readers of running tokens: columns that grow block by block, and normalisation of values.


Mend = Callable[[str], str]
"""Normalises one value."""

NOT_ANNOTATED = ("_", "")
_ASCII_SPACES = [character for character in map(chr, range(128)) if character.isspace()]


def normalise_nfc(value: str) -> str:
    """Normalise a value to Unicode NFC, in which equal texts are equal bytes."""
    return value if value.isascii() else unicodedata.normalize("NFC", value)


def plain_spaces(value: str) -> str:
    r"""Strip a value and replace no-break spaces inside it by ordinary ones.

    >>> plain_spaces("B-PER\xa0 ")
    'B-PER'
    """
    return value.replace("\u00a0", " ").replace("\u202f", " ").strip()


MENDS: Mapping[str, Mend] = {
    "not in Unicode's normal form NFC, normalised": normalise_nfc,
    "with spaces around them or no-break spaces inside, cleaned": plain_spaces,
}
"""The normalisations of every column, by the text of the note that reports them."""


class Gathering:
    """The growing columns of one file.

    Args:
        source: the file's bytes.
        wanted: the number of the field for each wanted column, -1 for the last; two names may share one.
        width: the number of fields of the lines of words; None if it varies.
        word: the field that holds the word, or None.

    """

    def __init__(self, source: Source, wanted: Mapping[str, int], *, width: int | None, word: int | None) -> None:
        self.source = source
        self.wanted = dict(wanted)
        self.width = width
        self.word = word
        self.rows = 0
        self.marks = Marks(source)
        self._start: list[Codes] = []
        self._length: list[Codes] = []
        self._cuts: list[Rows] = []
        self._ranges: list[tuple[Rows, Rows, Rows, Rows]] = []
        self._offset_type = offset_type(source)
        buffer = source.buffer
        self._interners = {number: Interner(buffer) for number in self.wanted.values()}
        self._codes: dict[int, list[Codes]] = {number: [] for number in self._interners}

    def add(self, block: Block, lines: Rows, cuts: Rows) -> None:
        """Add the given lines of a block; `cuts` are the indices of the lines before which sentences end."""
        fields = block.cut(lines, self.width)
        if self.word is None:
            self._start.append(block.start[lines].astype(self._offset_type))
        else:
            start, length = fields.slices(self.word)
            self._start.append(start.astype(self._offset_type))
            self._length.append(length.astype(np.uint32))
        for number, interner in self._interners.items():
            codes = interner.encode(*fields.slices(number))
            self._codes[number].append(codes.astype(code_type(len(interner.names)), copy=False))
        self._cuts.append(cuts + self.rows)
        self.rows += len(lines)

    def cover(self, begin: Rows, end: Rows, start: Rows, length: Rows) -> None:
        """Add tokens that cover several of the lines to be added next, given by their indices there."""
        self._ranges.append((begin + self.rows, end + self.rows, start, length))

    def mark(self, block: Block, comments: Rows, lines: Rows) -> list[int]:
        """Process the comments that describe documents, before `lines` are added; return these comments."""
        comments = comments[may_mark(block.first8[comments])]
        rows = np.searchsorted(lines, comments) + self.rows
        return [
            line
            for line, row in zip(comments.tolist(), rows.tolist(), strict=True)
            if self.marks.comment(block.text(self.source, line), row, int(block.start[line]))
        ]

    def corpus(
        self, request: Request, format_name: str, *, notes: Iterable[Note] = (), mends: Mapping[str, Mapping[str, Mend]]
    ) -> Corpus:
        """Build the corpus from all added lines.

        Args:
            request: what the task wants.
            format_name: the name of the format.
            notes: the reader's own notes.
            mends: further normalisations of a column, in addition to `MENDS`, by the text of their note.

        """
        if not self.rows:
            raise ReadError("there are no words in this file", where=self.source.parts[0].name)
        start = np.concatenate(self._start)
        found = [*self.source.notes, *notes]
        columns: dict[str, TextColumn] = {}
        for name, number in self.wanted.items():
            twin = next((other for other in columns if self.wanted[other] == number), None)
            columns[name] = (
                columns[twin]
                if twin
                else self._clean_column(name, offset=start, side=request.side, notes=found, mends=mends)
            )
        sentences = sentence_offsets(self._cuts, self.rows)
        documents = self.marks.documents(sentences, start)
        found += self.marks.notes(request.side)
        return Corpus(
            name=request.side,
            format=format_name,
            source=self.source,
            offset=start,
            words=Slices(self.source.buffer, start, np.concatenate(self._length)) if self._length else None,
            columns=columns,
            sentences=sentences,
            documents=documents,
            notes=tuple(found),
            ranges=Ranges(*map(np.concatenate, zip(*self._ranges, strict=True))) if self._ranges else None,
        )

    def _clean_column(
        self, name: str, offset: Codes, side: str, notes: list[Note], *, mends: Mapping[str, Mapping[str, Mend]]
    ) -> TextColumn:
        number = self.wanted[name]
        names = self._interners[number].names
        codes = np.concatenate(self._codes[number]).astype(code_type(len(names)), copy=False)
        column = given = TextColumn(codes, tuple(names))
        noun = "labels" if name == "value" else f"values of {name!r}"
        usual = {} if _are_clean(names) else MENDS
        for what, mend in {**usual, **mends.get(name, {})}.items():
            column, rows = mend_column(column, mend)
            if rows.size:
                notes.append(Note(side, f"{noun} {what}", len(rows), first_places(self.source, offset[rows[:3]])))
        return column if column is given else replace(column, written=given)


def _are_clean(names: list[str]) -> bool:
    """Whether no value needs the usual normalisations: all are ASCII without spaces. One check saves thousands."""
    text = "".join(names)
    return text.isascii() and not any(space in text for space in _ASCII_SPACES)


def mend_column(column: TextColumn, mend: Mend) -> tuple[TextColumn, Rows]:
    """Normalise every value of a column, merging codes of equal values; return it and the rows that changed."""
    names = list(map(mend, column.names))
    if column.missing is not None:
        names[column.missing] = column.names[column.missing]
    if tuple(names) == column.names:
        return column, np.zeros(0, np.int64)
    changed = np.array([old != new for old, new in zip(column.names, names, strict=True)], dtype=np.bool_)
    place: dict[tuple[str, bool], int] = {}
    new_code = [place.setdefault((name, code == column.missing), len(place)) for code, name in enumerate(names)]
    codes = np.array(new_code, dtype=code_type(len(place)))[column.codes]
    missing = None if column.missing is None else new_code[column.missing]
    return TextColumn(codes, tuple(name for name, _ in place), missing), np.flatnonzero(changed[column.codes])


def refuse_unannotated(column: TextColumn, what: str, source: Source, hint: str) -> None:
    """Refuse a column without a single annotation, unless it belongs to a portion of a corpus."""
    if source.whole is None and set(column.names) <= set(NOT_ANNOTATED):
        problem = "contains only '_'" if "_" in column.names else "is empty"
        raise ReadError(f"{what} {problem}", where=source.parts[0].name, hint=hint)
