"""Columns as in CoNLL-2003: one token per line, an empty line between sentences, tabs or spaces between columns.

There is no standard for these files, so the rules are documented here:

- The first line of data determines the separator (a tab if it has one, else spaces) and the number of columns.
- With tabs, a field may be empty and may hold spaces. Spaces may be irregular (several, around the line,
  mixed with tabs): such lines are repaired, and counted in a note.
- A token may begin with `#`. A line that does is a comment only at the start of a sentence, and only if it
  has another number of columns than the file, or reads `# newdoc …`, `# meta::…`, `# id …` or `# name = …`.
  With `comments=anywhere`, a line that begins with `# ` is a comment anywhere, if tabs separate columns.
- `-DOCSTART-` begins a document and is not a token; the comment `# document_id = …` begins a document too.
- If the first column is 1, 2, 3 … in every sentence and there are two more, the words are in the second.
- The first line of data is a header if it begins `TOKEN<TAB>NE-`, as in HIPE, or with `header=yes`.
- The comment `# global.columns = ID FORM …` of CoNLL-U Plus names the columns, in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from comparanda.core.places import Note, Source, first_places, make_read_error
from comparanda.errors import ReadError, UsageError, WriteError, suggest_nearest
from comparanda.formats.brat import looks_like_brat
from comparanda.formats.conllu import is_word_line
from comparanda.formats.contract import CHUNK_OPTIONS, Format, Request, choose_option
from comparanda.formats.cuts import UncuttableError, marked_lines, sentences_between_blank_lines
from comparanda.formats.document_writer import Losses, Passage, Writer
from comparanda.formats.scanner import SPACE, TAB, Block, encode_word8, remove_blank_spaces, replace_bytes, scan_blocks
from comparanda.formats.tokens import Gathering, may_mark, newdoc_name, refuse_unannotated
from comparanda.formats.word_runs import ChunkScheme, chunk_tags, fits_in_line, sentences_of, words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.corpus import Corpus
    from comparanda.core.remote import AnyPath
    from comparanda.core.text_columns import Rows
    from comparanda.formats.cuts import Mark

    Truth = NDArray[np.bool_]


# The layout of column files, from their first lines, and the columns that are requested.


Header = Literal["auto", "yes", "no"]
HEADERS: tuple[Header, ...] = get_args(Header)
NO_WORDS = "none"
FORM = "form"

DOCSTART = re.compile(r"-DOCSTART-(?:[ \t]+(?P<rest>.*))?")
COMMENT = r"# ?newdoc\b|# ?meta::|# id |# [\w.:-]+ = "
SURE_COMMENT = re.compile(COMMENT)
FIELD = re.compile(rb"[^ \t]+")
HIPE_HEADER = re.compile(rb"TOKEN\tNE-.*")
_GLOBAL_COLUMNS = re.compile(rb"^# ?global\.columns ?=([^\n]+)", re.MULTILINE)
_CHUNK_TAG = re.compile(rb"[BIMELSUW]-.+")
_OUTSIDE = frozenset({b"O", b"_", b"-", b""})
_FIRST_NUMBER = re.compile(rb" *1[ \t]")
_MIN_NUMBERED_WIDTH = 3  # a number, a word and what is evaluated
_MIN_LONGEST_SENTENCE = 2  # words of the longest sentence: in sentences of one word, "1" may be the word itself
_NUMBER = re.compile(r"-?[0-9]{1,9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedColumns:
    """The columns that the options and the task request, before the file is read.

    Args:
        value: number (from 1, or negative from the end) or name of the column to evaluate.
        word: the same for the words, or None for a file without.
        names: the names of the columns, if the user gave them.
        word_given: whether the user named the column of words.
        value_given: whether the user named the column to evaluate.
        counted: the number of words, if the first column merely counts them; 0 if it holds the words.

    """

    value: str
    word: str | None
    names: tuple[str, ...] = ()
    word_given: bool = False
    value_given: bool = False
    counted: int = 0

    @classmethod
    def of(cls, request: Request, header: tuple[str, ...] = ()) -> RequestedColumns:
        """Read and check the options of a request, given the names in the header of the file, if it has one."""
        options = request.options
        names = _column_names(options) or header
        value = options.get("column")
        if value is None:
            value = request.value or "-1"
            if not names and not _NUMBER.fullmatch(value):
                value = "-1"  # a task's own name for it (upos …), but the columns are unnamed
        word = options.get("word", FORM if FORM in header else "1")
        given = "column" in options or request.value is not None
        asked = cls(
            value=value,
            word=None if word == NO_WORDS else word,
            names=names,
            word_given="word" in options,
            value_given=given,
        )
        for option, wanted in (("column", value), ("word", asked.word)):
            if wanted is not None:
                asked.check(option, wanted)
        return asked

    def without_numbers(self, numbered: Numbered | None, request: Request) -> RequestedColumns:
        """Adapt to a file whose first column merely counts words: the second one holds the words.

        Unless the user names a column, spans are then read from the first later column with chunk tags, as in the files
        of Universal NER and GermEval.
        """
        if numbered is None:
            return self
        value = self.value
        if request.layer == "spans" and not self.value_given and numbered.tags is not None:
            value = str(numbered.tags + 1)
        return replace(self, word="2", value=value, counted=numbered.rows)

    def check(self, option: str, wanted: str) -> None:
        """Refuse a column that is neither a number nor a known name."""
        if wanted in self.names or (_NUMBER.fullmatch(wanted) and int(wanted)):
            return
        if self.names:
            raise UsageError(
                f"there is no column {wanted!r}{suggest_nearest(wanted, self.names)}",
                hint=f"columns: {', '.join(self.names)}, or a number; choose one with ?{option}=",
            )
        also = " or 'none'" if option == "word" else ""
        raise UsageError(
            f"invalid {option}={wanted!r}: expected the number of a column, from 1, or from -1 backwards{also}",
            hint="to use names, define them: ?columns=word,pos,chunk,ner",
        )

    def index(self, wanted: str, width: int, where: str) -> int:
        """Return the index of a column in lines of this width; refuse one that does not exist."""
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
                f"columns: {name!r} is not a valid column name", hint="for example: ?columns=word,pos,chunk,ner"
            )
        if name in names[:number]:
            raise UsageError(f"columns: duplicate name {name!r}")
    return names


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The layout of a file's lines, from its first line of data.

    Args:
        first: the offset of that line.
        separator: the separator of its columns.
        width: the number of its columns.
        names: the names of the columns, if a header names each of them.
        lacking: further names in the header, of columns that the rows do not have.
        headers: the offsets of headers, which are not data.

    """

    first: int
    separator: int
    width: int
    names: tuple[str, ...] = ()
    headers: tuple[int, ...] = ()
    lacking: tuple[str, ...] = ()

    @classmethod
    def of(cls, source: Source, header: Header = "auto") -> Layout:
        """Determine the layout from the header and the first line of data."""
        first, line = _first_line(source)
        if header == "no" or (header == "auto" and not HIPE_HEADER.fullmatch(line)):
            plain = cls._of_line(first, line)
            return replace(plain, names=_find_global_columns(source, first, plain.width))
        headers = tuple(place for part in source.parts for place in _find_header(source, part.begin, line))
        layout = cls._of_line(*_first_line(source, source.data.index(b"\n", first) + 1))
        names = tuple(line.decode().split("\t") if layout.separator == TAB else line.decode().split())
        if len({*names}) < len(names) or len(names) < layout.width or not all(names):
            return replace(layout, headers=headers)
        return replace(layout, names=names[: layout.width], lacking=names[layout.width :], headers=headers)

    def refuse_lacking(self, request: Request, where: str) -> None:
        """Refuse a column that the header names and the rows do not have."""
        wanted = request.options.get("column", request.value)
        if wanted in self.lacking:
            raise ReadError(
                f"the header names a column {wanted!r}, but the rows have {format_column_count(self.width)}",
                where=where,
                hint=f"columns: {', '.join(self.names)}",
            )

    @classmethod
    def _of_line(cls, first: int, line: bytes) -> Layout:
        stripped = line.strip(b" \t")
        if b"\t" in stripped or (b"\t" in line and b" " not in stripped):
            return cls(first=first, separator=TAB, width=line.count(b"\t") + 1)
        return cls(first=first, separator=SPACE, width=len(FIELD.findall(line)))

    def rows(self, source: Source) -> Iterator[list[bytes] | None]:
        """Yield the fields of each line of data, None between sentences; `#` lines of another width are skipped."""
        following = 0
        for line in bytes(source.data[: source.size]).split(b"\n"):
            place, following = following, following + len(line) + 1
            if not line.strip() or place in self.headers or line.startswith(b"-DOCSTART-"):
                yield None
                continue
            fields = line.split(b"\t") if self.separator == TAB else FIELD.findall(line)
            if len(fields) == self.width:
                yield fields
            elif not line.startswith(b"#"):
                return

    def wanted(self, asked: RequestedColumns, request: Request, where: str) -> tuple[dict[str, int], int | None]:
        """Return the indices of the fields to read, by name, and that of the words."""
        if asked.names and len(asked.names) != self.width:
            raise ReadError(
                f"{format_column_count(self.width)}, but {len(asked.names)} names",
                where=where,
                hint="name each column",
            )
        value = asked.index(asked.value, self.width, where)
        word = None if asked.word is None else asked.index(asked.word, self.width, where)
        if word == value and not asked.word_given:
            if self.width > 1:
                raise UsageError(
                    f"column {value + 1} holds the words", hint="name the column of words: ?word=2, or ?word=none"
                )
            word = None
        extra = {name: asked.names.index(name) for name in request.extra if name in asked.names}
        return {"value": value, **extra}, word


def find_requested_columns(source: Source, layout: Layout, request: Request) -> RequestedColumns:
    """Determine the requested columns of a file; a first column that merely counts the words does not hold them."""
    asked = RequestedColumns.of(request, layout.names)
    return asked if asked.word_given else asked.without_numbers(Numbered.of(source, layout), request)


@dataclass(frozen=True, slots=True)
class Numbered:
    """A file whose first column is 1, 2, 3 … in every sentence, followed by the words and at least one more column.

    Args:
        rows: the number of words.
        tags: the index of the first column after the words that holds only chunk tags, if there is one.

    """

    rows: int
    tags: int | None

    @classmethod
    def of(cls, source: Source, layout: Layout) -> Numbered | None:
        """Scan a file; return None as soon as its first column is not the next number."""
        if layout.width < _MIN_NUMBERED_WIDTH or not _FIRST_NUMBER.match(source.data, layout.first):
            return None
        rows = expected = longest = 0
        values: list[set[bytes]] = [set() for _ in range(layout.width)]
        for fields in layout.rows(source):
            if fields is None:
                expected = 0
                continue
            expected += 1
            if fields[0] != b"%d" % expected:
                return None
            rows, longest = rows + 1, max(longest, expected)
            for number in range(2, layout.width):
                values[number].add(fields[number])
        if longest < _MIN_LONGEST_SENTENCE:
            return None
        return cls(rows, next((number for number in range(2, layout.width) if _are_chunk_tags(values[number])), None))


def _are_chunk_tags(values: set[bytes]) -> bool:
    """Whether values are chunk tags: each has a letter or is outside of spans, and at least one has a letter."""
    others = values - _OUTSIDE
    return bool(others) and all(map(_CHUNK_TAG.fullmatch, others))


def _find_global_columns(source: Source, first: int, width: int) -> tuple[str, ...]:
    """Return the names in the comment `# global.columns` before the first line of data; none if they do not fit."""
    found = _GLOBAL_COLUMNS.search(source.data, 0, first)
    names = tuple(found[1].decode().lower().split()) if found else ()
    return names if len(names) == len({*names}) == width else ()


def _find_header(source: Source, begin: int, header: bytes) -> list[int]:
    """Return the offset of the first line of data after a place, if it is the header."""
    for place, line in _iter_lines(source, begin):
        if line.strip(b" \t") and not line.startswith(b"#"):
            return [place] if line == header else []
    return []


def _first_line(source: Source, begin: int = 0) -> tuple[int, bytes]:
    """Return the first line of data and its offset, preferring one that cannot be a comment."""
    doubtful: tuple[int, bytes] | None = None
    for place, line in _iter_lines(source, begin):
        if not line.strip(b" \t") or DOCSTART.fullmatch(line.decode().rstrip()):
            continue
        if not line.startswith(b"#"):
            return place, line
        if doubtful is None and not SURE_COMMENT.match(line.decode()):
            doubtful = place, line
    if doubtful is None:
        raise ReadError("there are no tokens in this file", where=source.parts[0].name)
    return doubtful


def _iter_lines(source: Source, begin: int) -> Iterator[tuple[int, bytes]]:
    while begin < source.size:
        end = source.data.find(b"\n", begin, source.size)
        yield begin, bytes(source.data[begin:end])
        begin = end + 1


def format_column_count(columns: int) -> str:
    """Format a number of columns.

    >>> format_column_count(1), format_column_count(3)
    ('1 column', '3 columns')
    """
    return f"{columns} column" if columns == 1 else f"{columns} columns"


COMMENTS = ("start", "anywhere")

_HASH, _LOW_BYTE = np.uint64(ord("#")), np.uint64(0xFF)
_HASH_SPACE, _TWO_BYTES = encode_word8(b"# "), np.uint64(0xFFFF)
_DOCSTART8 = encode_word8(b"-DOCSTART-")
_DOCSTART_END = re.compile(rb"T-[ \t\n]")
_PLACEHOLDER = re.compile(r"[-_*()]*|-?X+-?|O|-DOCSTART-")
_DOCUMENT_ID8 = encode_word8(b"# document_id")
_DOCUMENT_ID = re.compile(r"# document_id(?:\s*=\s*(?P<id>.*))?")
_WHITE_LINE = re.compile(rb"^[ \t]+$", re.MULTILINE)


class _WhiteLinesError(Exception):
    """Raised if there are lines with only white space."""


class _IrregularError(Exception):
    """Raised if there are repeated spaces, or spaces at the ends of lines."""


@dataclass(eq=False, kw_only=True)
class _ColumnReader:
    """Reads one file into columns."""

    source: Source
    layout: Layout
    gathering: Gathering
    anywhere: bool = False
    mended: bool = False
    comments: int = 0
    first_comments: list[int] = field(default_factory=list)
    document: str | None = None

    def add(self, block: Block) -> None:
        """Add the tokens of one block."""
        blank = block.end == block.start
        self._check_spaces(block, blank)
        first = block.first8 & _LOW_BYTE
        boundary = blank | self._document_lines(block)
        for header in self.layout.headers:
            boundary |= block.start == header
        comment = self._find_comments(block, (first == _HASH) & ~boundary, boundary)
        data = ~(boundary | comment)
        wrong = data & (block.fields != self.layout.width)
        if wrong.any():
            raise self._width_error(block, int(wrong.argmax()))
        lines = np.flatnonzero(data)
        self._mark_documents(block, np.flatnonzero(boundary & ~blank), np.flatnonzero(comment), lines)
        if self.anywhere:
            boundary = boundary | (comment & (block.first8 == _DOCUMENT_ID8))
        self.gathering.add(block, lines, np.searchsorted(lines, np.flatnonzero(boundary)))

    def _check_spaces(self, block: Block, blank: Truth) -> None:
        """Raise for what the scan cannot detect: lines of only white space, fields left empty by irregular spaces."""
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

    def _find_comments(self, block: Block, hashes: Truth, boundary: Truth) -> Truth:
        """Distinguish comments from tokens that begin with `#`."""
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

    def _mark_documents(self, block: Block, documents: Rows, comments: Rows, lines: Rows) -> None:
        """Record the document marks in lines that are not tokens."""
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
        """Process comments that name a document, as in HIPE; one that repeats the current name is ignored."""
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

    def _width_error(self, block: Block, line: int) -> ReadError:
        """Make the error for a line with another number of columns."""
        text, offset = block.text(self.source, line), int(block.start[line])
        width, fields = self.layout.width, int(block.fields[line])
        hint = "columns are separated by one tab here, as in the first line"
        if self.layout.separator == SPACE:
            hint = "columns are separated by spaces here; a sentence ends at an empty line"
        elif len(text.split()) == width:
            hint = "the columns of this line are separated by spaces, those of the first line by tabs"
        if text.startswith("#"):
            hint = "comments must be at the start of a sentence; to allow them anywhere: ?comments=anywhere"
        first = self.source.locate(self.layout.first)
        return make_read_error(
            self.source,
            offset,
            f"expected {format_column_count(width)} as in the first line ({first}), got {fields}",
            hint=hint,
        )


@lru_cache(64)
def document_name(text: str) -> str:
    """Return the name of the document in a `-DOCSTART-` line, or an empty string.

    >>> document_name("-DOCSTART- (947testa CRICKET)"), document_name("-DOCSTART- -X- O O")
    ('947testa CRICKET', '')
    """
    found = DOCSTART.fullmatch(text)
    rest = (found["rest"] or "").strip() if found else ""
    if name := rest[rest.find("(") + 1 : rest.rfind(")")].strip() if "(" in rest else "":
        return name
    return next((each for each in rest.split() if not _PLACEHOLDER.fullmatch(each)), "")


def read(source: Source, request: Request) -> Corpus:
    """Read columns; every line that is not a comment, a header or a document mark is a row."""
    header = choose_option(request.options, "header", HEADERS)
    layout = Layout.of(source, header)
    layout.refuse_lacking(request, str(source.locate(layout.first)))
    asked = find_requested_columns(source, layout, request)
    if layout.separator == TAB:
        return _read_tabs(source, request, asked, layout)
    if source.data.find(b"\t", 0, source.size) < 0:
        try:
            return _read(source, request, asked, layout)
        except _IrregularError:
            pass
    source = _regularise_spaces(source, request.side, SPACE)
    return _read(source, request, asked, Layout.of(source, header), mended=True)


def _read_tabs(source: Source, request: Request, asked: RequestedColumns, layout: Layout) -> Corpus:
    """Read tab-separated columns; if that fails, accept spaces as separators too."""
    header = choose_option(request.options, "header", HEADERS)
    try:
        return _read(source, request, asked, layout)
    except _WhiteLinesError:
        cleaned = remove_blank_spaces(source, request.side) or source
        return _read_tabs(cleaned, request, asked, Layout.of(cleaned, header))
    except ReadError as problem:
        if len(source.line_at(layout.first).split()) != layout.width:
            raise
        mended = _regularise_spaces(source, request.side, TAB)
        try:
            return _read(mended, request, asked, Layout.of(mended, header), mended=True)
        except ReadError:
            raise problem from None


def _read(source: Source, request: Request, asked: RequestedColumns, layout: Layout, *, mended: bool = False) -> Corpus:
    where = str(source.locate(layout.first))
    wanted, word = layout.wanted(asked, request, where)
    anywhere = choose_option(request.options, "comments", COMMENTS) == "anywhere"
    reading = _ColumnReader(
        source=source,
        layout=layout,
        gathering=Gathering(source, wanted, width=layout.width, word=word),
        anywhere=anywhere,
        mended=mended,
    )
    for block in scan_blocks(source, layout.separator, request.max_line):
        reading.add(block)
    notes = []
    if reading.comments:
        places = first_places(source, np.array(reading.first_comments, dtype=np.int64))
        notes.append(Note(request.side, "comment lines ignored", reading.comments, places))
    if asked.counted:
        tags = "" if asked.value_given or asked.value == "-1" else f", tags from column {asked.value}"
        what = f"the first column only counts the words; words read from the second column{tags}"
        notes.append(Note(request.side, what, asked.counted, (where,) if source.opens else ()))
    corpus = reading.gathering.corpus(request, "columns", notes=notes, mends={})
    what = f"column {wanted['value'] + 1}"
    refuse_unannotated(corpus.columns["value"], what, source, "choose another column: ::columns?column=2")
    found = f"{layout.width} columns between {chr(layout.separator)!r}, words in {word}, values in {wanted}"
    found += f", numbers in the first: {asked.counted > 0}"
    return replace(corpus, evaluated=asked.names[wanted["value"]] if asked.names else what, layout=found)


def _regularise_spaces(source: Source, side: str, separator: int) -> Source:
    """Return the source with exactly one separator between two fields and none around them."""
    between = bytes([separator])
    other = bytes([TAB + SPACE - separator])
    irregular = rb"^(?!%b)(?:[ \t].*|.*?(?:[ \t]{2}|%b|[ \t]$).*)$" % (COMMENT.encode(), other)
    data = bytes(source.data[: source.size])
    cleaned, count = re.subn(irregular, lambda line: between.join(FIELD.findall(line[0])), data, flags=re.MULTILINE)
    if not count:
        return source
    found = islice(re.finditer(irregular, data, flags=re.MULTILINE), 3)
    places = first_places(source, np.array([each.start() for each in found], np.int64))
    return replace_bytes(
        source, cleaned, Note(side, "lines with irregular spaces or tabs between columns, repaired", count, places)
    )


_XML_START = re.compile(r"\s*<(?:[?!]|[A-Za-z/][^>\s]*>\S*$|[A-Za-z][^>\s]*\s[^>]*=)")
"""The start of XML: a declaration, a line of tags only, or a tag with attributes. A word such as `<unk>` has a tag."""


def sniff(lines: list[str]) -> bool:
    """Whether the first lines can be columns: the same number of fields in each, and neither CoNLL-U nor JSON."""
    rows = [line for line in lines if line.strip() and not DOCSTART.fullmatch(line.rstrip())]
    rows = [row for row in rows if not row.startswith("#")] or [row for row in rows if not SURE_COMMENT.match(row)]
    if not rows or re.match(r"\s*[\[{]\s*(?:[\"\[\]{}]|-?\d|true\b|false\b|null\b|$)", rows[0]):
        return False
    if _XML_START.match(rows[0]):
        return False
    if any(is_word_line(row.split("\t")) for row in rows) or looks_like_brat(rows):
        return False
    if all("," in row.strip(",") and not re.search(r"\s", row) for row in rows):
        return False  # one column, and commas in each row: a CSV, not tags
    tabs = {row.count("\t") for row in rows}
    return (len(tabs) == 1 and tabs != {0}) or len({len(re.split(r"[ \t]+", row.strip(" \t"))) for row in rows}) == 1


def marks(file: AnyPath, request: Request) -> Iterator[Mark]:
    """Mark the lines `-DOCSTART-`, `# document_id = …` and `# newdoc`; files with a header are not split."""
    with file.open("rb") as stream:
        first = next((line for line in stream if line.strip() and not line.startswith(b"#")), b"")
    if request.options.get("header") == "yes" or HIPE_HEADER.match(first):
        raise UncuttableError(f"{file.name} has a header")
    last: str | None = None

    def parse_name(text: str) -> str | None:
        nonlocal last
        if text.startswith("-"):
            return document_name(text)
        found = _DOCUMENT_ID.fullmatch(text.rstrip())
        if found is None:
            return newdoc_name(text)
        known, last = found["id"] is not None and found["id"] == last, found["id"]
        return None if known else found["id"] or ""

    return marked_lines(file, _DOCUMENT_LINE, parse_name)


_DOCUMENT_LINE = re.compile(rb"\n(?:-DOCSTART-(?=[ \t\r\n])|# document_id|# ?newdoc)")

FORMAT = Format(
    name="columns",
    summary="columns as in CoNLL-2003: one token per line, tabs or spaces between columns, -DOCSTART-",
    shapes=frozenset({"tokens"}),
    suffixes=(".conll", ".iob", ".iob2", ".bio", ".tsv", ".txt", ".pos", ".tags"),
    options={
        "column": "the column to evaluate: a number from 1, or from -1 (the last, the default) backwards, or a name",
        "word": "the column of the words: a number (default: 1, or 2 if column 1 only counts them), a name, or 'none'",
        "columns": "names for the columns, separated by commas: word,pos,chunk,ner",
        "header": "whether the first line of data names the columns: auto (it does in HIPE), yes, no",
        "comments": "where comments are allowed: start (of a sentence), anywhere",
        **CHUNK_OPTIONS,
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"values", "spans"}),
    general=True,
    marks=marks,
    sentences=sentences_between_blank_lines,
)


# Writing columns as in CoNLL-2003: a word and its chunk tag per line, an empty line after each sentence, `-DOCSTART-`.


SCHEMES: tuple[ChunkScheme, ...] = ("bio", "bioes")
DOCUMENT = "-DOCSTART-"


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write all documents to one file."""
    scheme = choose_option(options, "scheme", SCHEMES)
    yield "", "".join(line for each in documents for line in _format_document(each, losses, scheme))


def _format_document(passage: Passage, losses: Losses, scheme: ChunkScheme) -> Iterator[str]:
    words, tags = words_of(passage), chunk_tags(passage, scheme=scheme)
    _report_losses(passage, words, losses)
    yield f"{DOCUMENT} ({_check_name(passage.name)})\n\n"
    for first, stop in sentences_of(passage, losses):
        for word, tag in zip(words[first:stop], tags[first:stop], strict=True):
            if word.split()[0] == DOCUMENT:
                raise WriteError(
                    f"the word {word!r} of document {passage.name!r} would begin a document in a file of columns",
                    hint="choose another format, such as jsonl",
                )
            yield f"{word}\t{tag}\n"
        yield "\n"


def _check_name(name: str) -> str:
    """Refuse a name that cannot be written in a line unchanged."""
    if not fits_in_line(name):
        raise WriteError(
            f"the document name {name!r} cannot be written in a line of columns",
            hint="rename the document: line breaks, tabs and surrounding white space are not allowed",
        )
    return name


def _report_losses(passage: Passage, words: list[str], losses: Losses) -> None:
    """Report what columns of words and tags cannot hold."""
    if passage.text != " ".join(words):
        losses.lose("white space between words", passage.name)
    for name in passage.attributes:
        losses.lose(f"the attribute {name!r} of documents", passage.name)
    for mention in passage.mentions:
        if mention.ids is not None:
            losses.lose("ids of spans", passage.name)
        for name in mention.attributes:
            losses.lose(f"{name!r} of spans", passage.name)


WRITER = Writer(
    name="columns",
    suffix=".conll",
    write=write,
    options={"scheme": "the scheme of the chunk tags: bio (the default) or bioes"},
)
