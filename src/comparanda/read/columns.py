"""Columns as in CoNLL-2003: one token a line, an empty line between sentences, tabs or spaces between columns.

There is no standard for these files, so the rules are written down here:

- The first line of data says what separates columns (a tab if it has one, else spaces) and how many there are.
- Between tabs, a field may be empty and may hold spaces. Spaces may be irregular (several, around the line,
  mixed with tabs): such lines are mended, and counted in a note.
- A token may begin with `#`. A line that does is a comment only at the start of a sentence, and only if it
  has another number of columns than the file, or reads `# newdoc …`, `# meta::…`, `# id …` or `# name = …`.
- `-DOCSTART-` begins a document and is no token.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from comparanda.errors import ReadError, UsageError, nearest
from comparanda.places import Note, Source, first_places, refuse
from comparanda.read.conllu import is_word_line
from comparanda.read.gather import Gathering, refuse_unannotated
from comparanda.read.marks import may_mark
from comparanda.read.request import Format, Request
from comparanda.read.scan import SPACE, TAB, Block, blank_spaces_removed, blocks, replaced, word8

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from comparanda.columns import Rows
    from comparanda.corpus import Corpus

    Truth = NDArray[np.bool_]

DOCSTART = "-DOCSTART-"
NO_WORDS = "none"

_HASH, _LOW_BYTE = np.uint64(ord("#")), np.uint64(0xFF)
_HASH_SPACE, _TWO_BYTES = word8(b"# "), np.uint64(0xFFFF)
_DOCSTART8 = word8(DOCSTART.encode())
_DOCSTART = re.compile(rf"{DOCSTART}(?:[ \t]+(?P<rest>.*))?")
_DOCSTART_END = re.compile(rb"T-[ \t\n]")
_PLACEHOLDER = re.compile(rf"[-_*()]*|-?X+-?|O|{DOCSTART}")
_COMMENT = r"# ?newdoc\b|# ?meta::|# id |# [\w.:-]+ = "
_SURE_COMMENT = re.compile(_COMMENT)
_NUMBER = re.compile(r"-?[0-9]+")
_WHITE_LINE = re.compile(rb"^[ \t]+$", re.MULTILINE)
_FIELD = re.compile(rb"[^ \t]+")


@dataclass(frozen=True, slots=True)
class Asked:
    """Which columns the options and the task ask for, before the file is seen.

    Args:
        value: number (from 1, or negative from the end) or name of the column to judge.
        word: the same for the words, or None for a file without.
        names: the names of the columns, if the user gave them.
        word_given: whether the user said which column holds the words.

    """

    value: str
    word: str | None
    names: tuple[str, ...] = ()
    word_given: bool = False

    @classmethod
    def of(cls, request: Request) -> Asked:
        """Read and check the options of a request."""
        options = request.options
        names = _column_names(options)
        value = options.get("column")
        if value is None:
            value = request.value or "-1"
            if not names and not _NUMBER.fullmatch(value):
                value = "-1"  # a task's own name for it (upos …), and the columns have none
        word = options.get("word", "1")
        asked = cls(value, None if word == NO_WORDS else word, names, "word" in options)
        for option, wanted in (("column", value), ("word", asked.word)):
            if wanted is not None:
                asked.check(option, wanted)
        return asked

    def check(self, option: str, wanted: str) -> None:
        """Refuse what is neither a number nor one of the names."""
        if wanted in self.names or (_NUMBER.fullmatch(wanted) and int(wanted)):
            return
        if self.names:
            raise UsageError(
                f"there is no column {wanted!r}{nearest(wanted, self.names)}",
                hint=f"columns: {', '.join(self.names)}, or a number; say which with ?{option}=",
            )
        also = " or 'none'" if option == "word" else ""
        raise UsageError(
            f"{option}={wanted!r} is not possible: columns have numbers here, from 1, or from -1 backwards{also}",
            hint="names work once you give them: ?columns=word,pos,chunk,ner",
        )

    def index(self, wanted: str, width: int, where: str) -> int:
        """Return the index of a column in lines of this width; refuse one that is not there."""
        if wanted in self.names:
            return self.names.index(wanted)
        number = int(wanted)
        if not 1 <= abs(number) <= width:
            has = f"this line has {width}" if width > 1 else "this line has only one"
            raise ReadError(
                f"there is no column {number}: {has}", where=where, hint=f"columns are 1 to {width}, or -1 for the last"
            )
        return number - 1 if number > 0 else width + number


def _column_names(options: Mapping[str, str]) -> tuple[str, ...]:
    if "columns" not in options:
        return ()
    names = tuple(name.strip() for name in options["columns"].split(","))
    for number, name in enumerate(names):
        if not name or name == NO_WORDS or _NUMBER.fullmatch(name):
            raise UsageError(
                f"columns: {name!r} is no name for a column", hint="like this: ?columns=word,pos,chunk,ner"
            )
        if name in names[:number]:
            raise UsageError(f"columns: two columns are called {name!r}")
    return names


@dataclass(frozen=True, slots=True)
class Layout:
    """How the lines of a file are made, as its first line of data says.

    Args:
        first: where that line stands.
        separator: what separates its columns.
        width: how many it has.

    """

    first: int
    separator: int
    width: int

    @classmethod
    def of(cls, source: Source) -> Layout:
        """Look at the first line of data."""
        first, line = _first_line(source)
        stripped = line.strip(b" \t")
        if b"\t" in stripped or (b"\t" in line and b" " not in stripped):
            return cls(first, TAB, line.count(b"\t") + 1)
        return cls(first, SPACE, len(_FIELD.findall(line)))

    def wanted(self, asked: Asked, request: Request, where: str) -> tuple[dict[str, int], int | None]:
        """Return the fields to gather by name, and the one of the words."""
        if asked.names and len(asked.names) != self.width:
            raise ReadError(
                f"{_counted(self.width)}, but {len(asked.names)} names for them",
                where=where,
                hint="give each one a name",
            )
        value = asked.index(asked.value, self.width, where)
        word = None if asked.word is None else asked.index(asked.word, self.width, where)
        if word == value and not asked.word_given:
            if self.width > 1:
                raise UsageError(
                    f"column {value + 1} is that of the words", hint="say where the words are: ?word=2, or ?word=none"
                )
            word = None
        extra = {name: asked.names.index(name) for name in request.extra if name in asked.names}
        return {"value": value, **extra}, word


def _first_line(source: Source) -> tuple[int, bytes]:
    """Return the first line of data and its offset: the first that cannot be a comment, if there is one."""
    doubtful: tuple[int, bytes] | None = None
    for begin, line in _lines(source):
        if not line.strip(b" \t") or _DOCSTART.fullmatch(line.decode().rstrip()):
            continue
        if not line.startswith(b"#"):
            return begin, line
        if doubtful is None and not _SURE_COMMENT.match(line.decode()):
            doubtful = begin, line
    if doubtful is None:
        raise ReadError("there are no tokens in this file", where=source.parts[0].name)
    return doubtful


def _lines(source: Source) -> Iterator[tuple[int, bytes]]:
    begin = 0
    while begin < source.size:
        end = source.data.find(b"\n", begin, source.size)
        yield begin, bytes(source.data[begin:end])
        begin = end + 1


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
    mended: bool = False
    comments: int = 0
    first_comments: list[int] = field(default_factory=list)

    def add(self, block: Block) -> None:
        """Take over the tokens of one block."""
        blank = block.end == block.start
        self._check_spaces(block, blank)
        first = block.first8 & _LOW_BYTE
        boundary = blank | self._document_lines(block)
        comment = self._comments(block, (first == _HASH) & ~blank, boundary)
        data = ~(boundary | comment)
        wrong = data & (block.fields != self.layout.width)
        if wrong.any():
            raise self._ragged(block, int(wrong.argmax()))
        lines = np.flatnonzero(data)
        self._mark(block, np.flatnonzero(boundary & ~blank), np.flatnonzero(comment), lines)
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
        if self.layout.separator == SPACE:
            could = hashes & ~comment & (((block.first8 & _TWO_BYTES) == _HASH_SPACE) | may_mark(block.first8))
            could[1:] &= boundary[:-1] | hashes[:-1]
            for line in np.flatnonzero(could).tolist():
                comment[line] = _SURE_COMMENT.match(block.text(self.source, line)) is not None
        if not comment.any():
            return comment
        last_other = np.maximum.accumulate(np.where(comment, -1, np.arange(len(comment))))
        at_start: Truth = comment & ((last_other < 0) | boundary[last_other])
        return at_start

    def _mark(self, block: Block, documents: Rows, comments: Rows, lines: Rows) -> None:
        """Take over what the lines that are no tokens say of documents."""
        rows = np.searchsorted(lines, documents) + self.gathering.rows
        for line, row in zip(documents.tolist(), rows.tolist(), strict=True):
            self.gathering.marks.begin(document_name(block.text(self.source, line)), row, int(block.start[line]))
        if comments.size:
            passed = np.setdiff1d(comments, self.gathering.mark(block, comments, lines))
            self.comments += len(passed)
            self.first_comments += block.start[passed[: 3 - len(self.first_comments)]].tolist()

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
            hint = "a comment may only stand at the start of a sentence"
        first = self.source.locate(self.layout.first)
        return refuse(self.source, offset, f"{_counted(fields)}, the first line ({first}) has {width}", hint=hint)


def _counted(columns: int) -> str:
    return f"{columns} column" if columns == 1 else f"{columns} columns"


@lru_cache(64)
def document_name(text: str) -> str:
    """Return the name that a `-DOCSTART-` line gives its document, or nothing.

    >>> document_name("-DOCSTART- (947testa CRICKET)"), document_name("-DOCSTART- -X- O O")
    ('947testa CRICKET', '')
    """
    found = _DOCSTART.fullmatch(text)
    rest = (found["rest"] or "").strip() if found else ""
    if brackets := re.search(r"\((.*\S.*)\)", rest):
        return brackets[1].strip()
    return next((each for each in rest.split() if not _PLACEHOLDER.fullmatch(each)), "")


def read(source: Source, request: Request) -> Corpus:
    """Read columns; every line that is no comment and no document mark is a row."""
    asked = Asked.of(request)
    layout = Layout.of(source)
    if layout.separator == TAB:
        return _read_tabs(source, request, asked, layout)
    if source.data.find(b"\t", 0, source.size) < 0:
        try:
            return _read(source, request, asked, layout)
        except _IrregularError:
            pass
    source = _mended_spaces(source, request.side, SPACE)
    return _read(source, request, asked, Layout.of(source), mended=True)


def _read_tabs(source: Source, request: Request, asked: Asked, layout: Layout) -> Corpus:
    """Read columns between tabs; if they do not fit, but would with spaces as separators too, take these."""
    try:
        return _read(source, request, asked, layout)
    except _WhiteLinesError:
        cleaned = blank_spaces_removed(source, request.side) or source
        return _read_tabs(cleaned, request, asked, Layout.of(cleaned))
    except ReadError as problem:
        if len(source.line_at(layout.first).split()) != layout.width:
            raise
        mended = _mended_spaces(source, request.side, TAB)
        try:
            return _read(mended, request, asked, Layout.of(mended), mended=True)
        except ReadError:
            raise problem from None


def _read(source: Source, request: Request, asked: Asked, layout: Layout, *, mended: bool = False) -> Corpus:
    where = str(source.locate(layout.first))
    wanted, word = layout.wanted(asked, request, where)
    reading = _Reading(source, layout, Gathering(source, wanted, width=layout.width, word=word), mended)
    for block in blocks(source, layout.separator, request.max_line):
        reading.add(block)
    notes = []
    if reading.comments:
        places = first_places(source, np.array(reading.first_comments, dtype=np.int64))
        notes.append(Note(request.side, "comment lines passed over", reading.comments, places))
    corpus = reading.gathering.corpus(request, "columns", notes=notes, mends={})
    what = f"column {wanted['value'] + 1}"
    refuse_unannotated(corpus.columns["value"], what, source, "name another one: ::columns?column=2")
    return replace(corpus, judged=asked.names[wanted["value"]] if asked.names else what)


def _mended_spaces(source: Source, side: str, separator: int) -> Source:
    """Return the source with one separator between two fields and none around them."""
    between = bytes([separator])
    other = bytes([TAB + SPACE - separator])
    irregular = rb"^(?!%b)(?:[ \t].*|.*?(?:[ \t]{2}|%b|[ \t]$).*)$" % (_COMMENT.encode(), other)
    data = bytes(source.data[: source.size])
    cleaned, count = re.subn(irregular, lambda line: between.join(_FIELD.findall(line[0])), data, flags=re.MULTILINE)
    if not count:
        return source
    first = re.search(irregular, data, flags=re.MULTILINE)
    places = () if first is None else (str(source.locate(first.start())),)
    return replaced(
        source, cleaned, Note(side, "lines with irregular spaces or tabs between columns, mended", count, places)
    )


def sniff(lines: list[str]) -> bool:
    """Whether the first lines can be columns: as many fields in each, and neither CoNLL-U nor JSON."""
    rows = [line for line in lines if line.strip() and not _DOCSTART.fullmatch(line.rstrip())]
    rows = [row for row in rows if not row.startswith("#")] or [row for row in rows if not _SURE_COMMENT.match(row)]
    if not rows or re.match(r"\s*[\[{]\s*(?:[\"\[\]{}]|-?\d|true\b|false\b|null\b|$)", rows[0]):
        return False
    if any(is_word_line(row.split("\t")) for row in rows):
        return False
    if all("," in row.strip(",") and not re.search(r"\s", row) for row in rows):
        return False  # one column, and commas in each row: a CSV, not tags
    tabs = {row.count("\t") for row in rows}
    return (len(tabs) == 1 and tabs != {0}) or len({len(re.split(r"[ \t]+", row.strip(" \t"))) for row in rows}) == 1


FORMAT = Format(
    name="columns",
    summary="columns as in CoNLL-2003: a token a line, tabs or spaces between columns, -DOCSTART-",
    shapes=frozenset({"tokens"}),
    suffixes=(".conll", ".iob", ".iob2", ".bio", ".tsv", ".txt", ".pos", ".tags"),
    options={
        "column": "the column to judge: a number from 1, or from -1 (the last one, the default) backwards, or a name",
        "word": "the column of the words: a number (1 by default), a name, or 'none'",
        "columns": "names for the columns, separated by commas: word,pos,chunk,ner",
    },
    sniff=sniff,
    read=read,
)
