"""Columns as in CoNLL-2003: one token a line, an empty line between sentences, tabs or spaces between columns.

There is no standard for these files, so the rules are written down here:

- The first line of data says what separates columns (a tab if it has one, else spaces) and how many there are.
- Between tabs, a field may be empty and may hold spaces. Spaces may be irregular (several, around the line,
  mixed with tabs): such lines are mended, and counted in a note.
- A token may begin with `#`. A line that does is a comment only at the start of a sentence, and only if it
  has another number of columns than the file, or reads `# newdoc …`, `# meta::…`, `# id …` or `# name = …`.
  With `comments=anywhere`, a line that begins with `# ` is a comment wherever it stands, if tabs separate columns.
- `-DOCSTART-` begins a document and is no token, and so does the comment `# document_id = …`.
- If the first column is 1, 2, 3 … in every sentence and there are two more, the words are in the second.
- The first line of data is a header if it begins `TOKEN<TAB>NE-`, as in HIPE, or if `header=yes` says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from comparanda.errors import ReadError
from comparanda.places import Note, Source, first_places, refuse
from comparanda.read.brat import looks_like_brat
from comparanda.read.conllu import is_word_line
from comparanda.read.cuts import UncuttableError, marked_lines, sentences_between_blank_lines
from comparanda.read.gather import Gathering, refuse_unannotated
from comparanda.read.layout import (
    COMMENT,
    DOCSTART,
    FIELD,
    HEADERS,
    HIPE_HEADER,
    SURE_COMMENT,
    Asked,
    Layout,
    asked_of,
    counted,
)
from comparanda.read.marks import may_mark, newdoc_name
from comparanda.read.request import CHUNK_OPTIONS, Format, Request, choose
from comparanda.read.scan import SPACE, TAB, Block, blank_spaces_removed, blocks, replaced, word8

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from comparanda.columns import Rows
    from comparanda.corpus import Corpus
    from comparanda.read.cuts import Mark
    from comparanda.remote import AnyPath

    Truth = NDArray[np.bool_]

COMMENTS = ("start", "anywhere")

_HASH, _LOW_BYTE = np.uint64(ord("#")), np.uint64(0xFF)
_HASH_SPACE, _TWO_BYTES = word8(b"# "), np.uint64(0xFFFF)
_DOCSTART8 = word8(b"-DOCSTART-")
_DOCSTART_END = re.compile(rb"T-[ \t\n]")
_PLACEHOLDER = re.compile(r"[-_*()]*|-?X+-?|O|-DOCSTART-")
_DOCUMENT_ID8 = word8(b"# document_id")
_DOCUMENT_ID = re.compile(r"# document_id(?:\s*=\s*(?P<id>.*))?")
_WHITE_LINE = re.compile(rb"^[ \t]+$", re.MULTILINE)


class _WhiteLinesError(Exception):
    """There are lines of white space alone."""


class _IrregularError(Exception):
    """Spaces are not single, or stand at the ends of lines."""


@dataclass(eq=False)
class _Reading:
    """One file on its way to a corpus."""

    source: Source
    layout: Layout
    gathering: Gathering
    anywhere: bool = False
    mended: bool = False
    comments: int = 0
    first_comments: list[int] = field(default_factory=list)
    document: str | None = None

    def add(self, block: Block) -> None:
        """Take over the tokens of one block."""
        blank = block.end == block.start
        self._check_spaces(block, blank)
        first = block.first8 & _LOW_BYTE
        boundary = blank | self._document_lines(block)
        for header in self.layout.headers:
            boundary |= block.start == header
        comment = self._comments(block, (first == _HASH) & ~boundary, boundary)
        data = ~(boundary | comment)
        wrong = data & (block.fields != self.layout.width)
        if wrong.any():
            raise self._ragged(block, int(wrong.argmax()))
        lines = np.flatnonzero(data)
        self._mark(block, np.flatnonzero(boundary & ~blank), np.flatnonzero(comment), lines)
        if self.anywhere:
            boundary = boundary | (comment & (block.first8 == _DOCUMENT_ID8))
        self.gathering.add(block, lines, np.searchsorted(lines, np.flatnonzero(boundary)))

    def _check_spaces(self, block: Block, blank: Truth) -> None:
        """Stop at what the scan cannot see: lines of white space alone; fields that are empty by irregular spaces."""
        if self.mended:
            return
        if self.layout.separator == SPACE:
            touching = int(np.count_nonzero(np.diff(block.delimiters) == 1)) + bool(
                block.delimiters[0] == block.start[0]
            )
            if touching != np.count_nonzero(blank):
                raise _IrregularError
            return
        first = block.first8 & _LOW_BYTE
        if ((first == TAB) | (first == SPACE)).any():
            if _WHITE_LINE.search(self.source.data, 0, self.source.size):
                raise _WhiteLinesError
            self.mended = True

    def _document_lines(self, block: Block) -> Truth:
        found: Truth = block.first8 == _DOCSTART8
        lines = np.flatnonzero(found)
        for line, start in zip(lines.tolist(), block.start[lines].tolist(), strict=True):
            found[line] = _DOCSTART_END.match(self.source.data, start + 8) is not None
        return found

    def _comments(self, block: Block, hashes: Truth, boundary: Truth) -> Truth:
        """Tell comments from tokens that begin with `#`."""
        if not hashes.any():
            return hashes
        comment: Truth = hashes & (block.fields != self.layout.width)
        if self.anywhere:
            spaced = (block.first8 & _TWO_BYTES) == _HASH_SPACE
            return comment | (hashes & spaced) if self.layout.separator == TAB else comment
        if self.layout.separator == SPACE:
            could = hashes & ~comment & (((block.first8 & _TWO_BYTES) == _HASH_SPACE) | may_mark(block.first8))
            could[1:] &= boundary[:-1] | hashes[:-1]
            for line in np.flatnonzero(could).tolist():
                comment[line] = SURE_COMMENT.match(block.text(self.source, line)) is not None
        if not comment.any():
            return comment
        last_other = np.maximum.accumulate(np.where(comment, -1, np.arange(len(comment))))
        at_start: Truth = comment & ((last_other < 0) | boundary[last_other])
        return at_start

    def _mark(self, block: Block, documents: Rows, comments: Rows, lines: Rows) -> None:
        """Take over what the lines that are no tokens say of documents."""
        rows = np.searchsorted(lines, documents) + self.gathering.rows
        for line, row in zip(documents.tolist(), rows.tolist(), strict=True):
            if int(block.start[line]) not in self.layout.headers:
                self.gathering.marks.begin(document_name(block.text(self.source, line)), row, int(block.start[line]))
        if comments.size:
            marks = [*self.gathering.mark(block, comments, lines), *self._document_ids(block, comments, lines)]
            passed = np.setdiff1d(comments, marks)
            self.comments += len(passed)
            self.first_comments += block.start[passed[: 3 - len(self.first_comments)]].tolist()

    def _document_ids(self, block: Block, comments: Rows, lines: Rows) -> list[int]:
        """Take the comments that name a document, as in HIPE; one that names the same again says nothing new."""
        found = []
        for line in comments[block.first8[comments] == _DOCUMENT_ID8].tolist():
            named = _DOCUMENT_ID.fullmatch(block.text(self.source, line).rstrip())
            if named is None:
                continue
            found.append(line)
            if named["id"] is None or named["id"] != self.document:
                row = int(np.searchsorted(lines, line)) + self.gathering.rows
                self.gathering.marks.begin(named["id"] or "", row, int(block.start[line]))
            self.document = named["id"]
        return found

    def _ragged(self, block: Block, line: int) -> ReadError:
        """Make the error for a line of another number of columns."""
        text, offset = block.text(self.source, line), int(block.start[line])
        width, fields = self.layout.width, int(block.fields[line])
        hint = "columns are separated by one tab here, as in the first line"
        if self.layout.separator == SPACE:
            hint = "columns are separated by spaces here; a sentence ends at an empty line"
        elif len(text.split()) == width:
            hint = "the columns of this line are separated by spaces, those of the first line by tabs"
        if text.startswith("#"):
            hint = "a comment may only stand at the start of a sentence; if they stand anywhere: ?comments=anywhere"
        first = self.source.locate(self.layout.first)
        return refuse(self.source, offset, f"{counted(fields)}, the first line ({first}) has {width}", hint=hint)


@lru_cache(64)
def document_name(text: str) -> str:
    """Return the name that a `-DOCSTART-` line gives its document, or nothing.

    >>> document_name("-DOCSTART- (947testa CRICKET)"), document_name("-DOCSTART- -X- O O")
    ('947testa CRICKET', '')
    """
    found = DOCSTART.fullmatch(text)
    rest = (found["rest"] or "").strip() if found else ""
    if name := rest[rest.find("(") + 1 : rest.rfind(")")].strip() if "(" in rest else "":
        return name
    return next((each for each in rest.split() if not _PLACEHOLDER.fullmatch(each)), "")


def read(source: Source, request: Request) -> Corpus:
    """Read columns; every line that is no comment, no header and no document mark is a row."""
    header = choose(request.options, "header", HEADERS)
    layout = Layout.of(source, header)
    layout.refuse_lacking(request, str(source.locate(layout.first)))
    asked = asked_of(source, layout, request)
    if layout.separator == TAB:
        return _read_tabs(source, request, asked, layout)
    if source.data.find(b"\t", 0, source.size) < 0:
        try:
            return _read(source, request, asked, layout)
        except _IrregularError:
            pass
    source = _mended_spaces(source, request.side, SPACE)
    return _read(source, request, asked, Layout.of(source, header), mended=True)


def _read_tabs(source: Source, request: Request, asked: Asked, layout: Layout) -> Corpus:
    """Read columns between tabs; if they do not fit, but would with spaces as separators too, take these."""
    header = choose(request.options, "header", HEADERS)
    try:
        return _read(source, request, asked, layout)
    except _WhiteLinesError:
        cleaned = blank_spaces_removed(source, request.side) or source
        return _read_tabs(cleaned, request, asked, Layout.of(cleaned, header))
    except ReadError as problem:
        if len(source.line_at(layout.first).split()) != layout.width:
            raise
        mended = _mended_spaces(source, request.side, TAB)
        try:
            return _read(mended, request, asked, Layout.of(mended, header), mended=True)
        except ReadError:
            raise problem from None


def _read(source: Source, request: Request, asked: Asked, layout: Layout, *, mended: bool = False) -> Corpus:
    where = str(source.locate(layout.first))
    wanted, word = layout.wanted(asked, request, where)
    anywhere = choose(request.options, "comments", COMMENTS) == "anywhere"
    reading = _Reading(source, layout, Gathering(source, wanted, width=layout.width, word=word), anywhere, mended)
    for block in blocks(source, layout.separator, request.max_line):
        reading.add(block)
    notes = []
    if reading.comments:
        places = first_places(source, np.array(reading.first_comments, dtype=np.int64))
        notes.append(Note(request.side, "comment lines passed over", reading.comments, places))
    if asked.counted:
        tags = "" if asked.value_given or asked.value == "-1" else f", and column {asked.value} for their tags"
        what = f"the first column counts the words; the second is taken for them{tags}"
        notes.append(Note(request.side, what, asked.counted, (where,) if source.opens else ()))
    corpus = reading.gathering.corpus(request, "columns", notes=notes, mends={})
    what = f"column {wanted['value'] + 1}"
    refuse_unannotated(corpus.columns["value"], what, source, "name another one: ::columns?column=2")
    found = f"{layout.width} columns between {chr(layout.separator)!r}, words in {word}, values in {wanted}"
    found += f", numbers in the first: {asked.counted > 0}"
    return replace(corpus, judged=asked.names[wanted["value"]] if asked.names else what, layout=found)


def _mended_spaces(source: Source, side: str, separator: int) -> Source:
    """Return the source with one separator between two fields and none around them."""
    between = bytes([separator])
    other = bytes([TAB + SPACE - separator])
    irregular = rb"^(?!%b)(?:[ \t].*|.*?(?:[ \t]{2}|%b|[ \t]$).*)$" % (COMMENT.encode(), other)
    data = bytes(source.data[: source.size])
    cleaned, count = re.subn(irregular, lambda line: between.join(FIELD.findall(line[0])), data, flags=re.MULTILINE)
    if not count:
        return source
    found = islice(re.finditer(irregular, data, flags=re.MULTILINE), 3)
    places = first_places(source, np.array([each.start() for each in found], np.int64))
    return replaced(
        source, cleaned, Note(side, "lines with irregular spaces or tabs between columns, mended", count, places)
    )


_OPENS_XML = re.compile(r"\s*<(?:[?!]|[A-Za-z/][^>\s]*>\S*$|[A-Za-z][^>\s]*\s[^>]*=)")
"""How XML begins: a declaration, tags and nothing else, or a tag with attributes. A word such as `<unk>` has a tag."""


def sniff(lines: list[str]) -> bool:
    """Whether the first lines can be columns: as many fields in each, and neither CoNLL-U nor JSON."""
    rows = [line for line in lines if line.strip() and not DOCSTART.fullmatch(line.rstrip())]
    rows = [row for row in rows if not row.startswith("#")] or [row for row in rows if not SURE_COMMENT.match(row)]
    if not rows or re.match(r"\s*[\[{]\s*(?:[\"\[\]{}]|-?\d|true\b|false\b|null\b|$)", rows[0]):
        return False
    if _OPENS_XML.match(rows[0]):
        return False
    if any(is_word_line(row.split("\t")) for row in rows) or looks_like_brat(rows):
        return False
    if all("," in row.strip(",") and not re.search(r"\s", row) for row in rows):
        return False  # one column, and commas in each row: a CSV, not tags
    tabs = {row.count("\t") for row in rows}
    return (len(tabs) == 1 and tabs != {0}) or len({len(re.split(r"[ \t]+", row.strip(" \t"))) for row in rows}) == 1


def marks(file: AnyPath, request: Request) -> Iterator[Mark]:
    """Mark the lines `-DOCSTART-`, `# document_id = …` and `# newdoc`; files with a header are not cut."""
    with file.open("rb") as stream:
        first = next((line for line in stream if line.strip() and not line.startswith(b"#")), b"")
    if request.options.get("header") == "yes" or HIPE_HEADER.match(first):
        raise UncuttableError(f"{file.name} has a header")
    last: str | None = None

    def named(text: str) -> str | None:
        nonlocal last
        if text.startswith("-"):
            return document_name(text)
        found = _DOCUMENT_ID.fullmatch(text.rstrip())
        if found is None:
            return newdoc_name(text)
        known, last = found["id"] is not None and found["id"] == last, found["id"]
        return None if known else found["id"] or ""

    return marked_lines(file, _DOCUMENT_LINE, named)


_DOCUMENT_LINE = re.compile(rb"\n(?:-DOCSTART-(?=[ \t\r\n])|# document_id|# ?newdoc)")

FORMAT = Format(
    name="columns",
    summary="columns as in CoNLL-2003: a token a line, tabs or spaces between columns, -DOCSTART-",
    shapes=frozenset({"tokens"}),
    suffixes=(".conll", ".iob", ".iob2", ".bio", ".tsv", ".txt", ".pos", ".tags"),
    options={
        "column": "the column to judge: a number from 1, or from -1 (the last one, the default) backwards, or a name",
        "word": "the column of the words: a number (1 by default, or 2 where 1 merely counts them), a name, or 'none'",
        "columns": "names for the columns, separated by commas: word,pos,chunk,ner",
        "header": "whether the first line of data names the columns: auto (it does in HIPE), yes, no",
        "comments": "where comments may stand: start (of a sentence), anywhere",
        **CHUNK_OPTIONS,
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"values", "spans"}),
    general=True,
    marks=marks,
    sentences=sentences_between_blank_lines,
)
