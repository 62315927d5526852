"""CoNLL-2012: one word per line, coreference chains as brackets in the last column, documents between marker lines.

These files are written in several ways, so the rules are stated here:

- `#begin document (NAME); part 001` begins a document and `#end document` ends it. A document is identified by its name
  and its part, and part 0 may be omitted: `(x); part 000`, `(x); part 0` and `(x)` are the same name. Blanks around a
  name are ignored. Other lines that begin with `#` are comments, unless the words are in the first column and the last
  column of the line holds brackets or a placeholder for none.
- Columns are separated by tabs if the first word line has one, else by any number of spaces. Lines may differ in the
  number of columns, because each predicate has its own: the *last* one holds the brackets. `-`, `_`, `*` or an empty
  cell means no brackets. A tab at the end of a line does not begin a column if the last cell is empty in all lines with
  that number of columns.
- The words are in column 4 of five or more, in column 3 of four, and in the penultimate of two or three; in column 2 if
  the first column numbers the words, as in SemEval-2010. With six or more, column 5 holds the part-of-speech tags.
- `(12` opens a mention of chain 12, `12)` closes it, `(12)` does both; a cell may hold several, with or without `|`
  between them. A closing bracket closes the most recently opened mention of its chain; within a cell, brackets open
  before others close. Mentions of different chains may cross. All of this follows the reference scorer. Brackets with a
  type, as in GUM (`(person-12-Antonín_Dvořák`), and with parts (`(12[1/2]`) are read too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count, islice
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.corpus import Spans
from comparanda.core.places import Note, Source, first_places, make_read_error
from comparanda.core.text_columns import TextColumn, code_type
from comparanda.errors import ReadError, UsageError, WriteError
from comparanda.formats.conllu import is_word_line
from comparanda.formats.conllu_entities import BROKEN, BROKEN_DROPPED, Gathered
from comparanda.formats.contract import Format, Request, choose_option
from comparanda.formats.cuts import marked_lines
from comparanda.formats.document_writer import Losses, Passage, Writer
from comparanda.formats.entity_brackets import CHAINS, NO_LABEL, Cell, chain_fields, named_fields, read_mentions
from comparanda.formats.scanner import LINE_FEED, SPACE, TAB, Block, remove_blank_spaces, replace_bytes, scan_blocks
from comparanda.formats.tokens import Gathering
from comparanda.formats.word_runs import (
    CROSSING,
    KEPT,
    Placed,
    chain_of,
    find_ambiguous,
    fits_in_line,
    kept_elsewhere,
    merge_pieces,
    place_mentions,
    sentences_of,
    words_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.corpus import Corpus
    from comparanda.core.remote import AnyPath
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.formats.cuts import Mark


# Document markers: `#begin document (NAME); part 001` and `#end document`.


MARK = re.compile(rb"^#[ \t]*(?:begin|end) document\b", re.MULTILINE)
BEGIN = re.compile(r"#\s*begin document\b(?P<name>.*)")

_BEGIN_BYTES = re.compile(rb"^#[ \t]*begin document\b", re.MULTILINE)
_END = re.compile(r"#\s*end document\b.*")
_PART = re.compile(r"(?P<before>[;)])\s{0,20}part\s{1,20}(?P<part>[0-9]{1,9})$")
_LONGEST_PART = 60


def document_name(text: str) -> str:
    """Return the name of a document, given the text after `#begin document`.

    >>> [document_name(text) for text in ("(nw/wsj_1); part 000", "(nw/wsj_1); part 002", "(x) ; ", "GUM_bio_dvorak")]
    ['nw/wsj_1', 'nw/wsj_1; part 2', 'x', 'GUM_bio_dvorak']
    """
    name, part = _split_document_name(text)
    return f"{name.strip()}; part {part}" if part else name.strip()


def _split_document_name(text: str) -> tuple[str, int]:
    """Return the name as written, and the number of the part."""
    body, part = text.strip().removesuffix(";").rstrip(), 0
    if found := _PART.search(body[-_LONGEST_PART:]):
        part = int(found["part"])
        body = body[: len(body) - len(found[0]) + 1].removesuffix(";").rstrip()
    return (body[1:-1] if body.startswith("(") and body.endswith(")") else body), part


def _is_clean_name(text: str) -> bool:
    """Whether there are no blanks at the end, nor around the name inside the parentheses."""
    name, _ = _split_document_name(text)
    return text == text.rstrip() and name == name.strip()


@dataclass(frozen=True, slots=True)
class Begin:
    """A line that begins a document: its number in the block, the name of the document, and its byte offset."""

    line: int
    name: str
    place: int


@dataclass(kw_only=True)
class DocumentMarks:
    """Track which lines are inside documents, block by block.

    A file without any `#begin document` is a single document; in others, what precedes the first of them and what
    follows an `#end document` is outside. A document without an end marker ends where the next document or file begins.

    Args:
        source: the bytes.
        unclean: byte offsets of names with blanks around them.
        unended: byte offsets of documents without an end marker.

    """

    source: Source
    unclean: list[int] = field(default_factory=list)
    unended: list[int] = field(default_factory=list)
    _inside: bool = True
    _open: int | None = None

    def read(self, block: Block, hashes: list[int]) -> tuple[list[Begin], list[int], Truths]:
        """Process the lines of a block that begin with `#`.

        Return the documents that begin, all marker lines, and for each line whether it is inside a document.
        """
        begins, marks = [], []
        inside = np.zeros(len(block.start), np.bool_)
        files = self._file_starts(block)
        first = 0
        for line, is_file in sorted([*((line, 0) for line in files), *((line, 1) for line in hashes)]):
            inside[first:line] = self._inside
            first = line
            if not is_file:
                self._start_file(files[line])
                continue
            text, place = block.text(self.source, line), int(block.start[line])
            if begin := BEGIN.fullmatch(text):
                begins.append(self._start_document(line, begin["name"], place))
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

    def _file_starts(self, block: Block) -> dict[int, bool]:
        """Return the lines at which files begin, and whether each file has document markers."""
        parts = self.source.parts
        ends = [*(part.begin for part in parts[1:]), self.source.size]
        low, high = int(block.start[0]), int(block.end[-1])
        return {
            int(np.searchsorted(block.start, part.begin)): _BEGIN_BYTES.search(self.source.data, part.begin, end)
            is not None
            for part, end in zip(parts, ends, strict=True)
            if low <= part.begin <= high
        }

    def _start_file(self, marked: bool) -> None:
        self.finish()
        self._inside = not marked

    def _start_document(self, line: int, name: str, place: int) -> Begin:
        self.finish()
        if not _is_clean_name(name):
            self.unclean.append(place)
        self._inside, self._open = True, place
        return Begin(line, document_name(name), place)


# Fast path for brackets that hold only chain names: `(12`, `12)`, `(12)`, `(12|(3)7)`, a whole file at once.
#
# Most coreference files have no others. Each distinct cell is parsed once; opening and closing brackets are then
# matched by sorting, without a loop over mentions. Within a chain, a bracket closes the most recently opened one, so at
# each depth opening and closing brackets alternate. Anything else is left to `entity_brackets`, which reports errors.


_CHAIN_NAME = r"[^()|\[\]%&\s-]+"
_PLAIN_BRACKET = re.compile(
    rf"(?:(?<=.)\|)?(?:\((?P<opened>{_CHAIN_NAME})(?P<closed>\))?|(?P<closing>{_CHAIN_NAME})\))"
)
_OPEN, _CLOSE = 1, -1


@dataclass(frozen=True, eq=False, slots=True)
class PlainMentions:
    """Mentions in the order of their opening brackets.

    Args:
        first: the row of the first word of each mention.
        last: the row of its last word.
        chain: the name of its chain.

    """

    first: Rows
    last: Rows
    chain: TextColumn


def plain_mentions(rows: Rows, cells: TextColumn, document: Rows, most: int) -> PlainMentions | None:
    """Read the brackets of the given rows; return None if a cell is not plain or a bracket has no counterpart.

    Args:
        rows: the rows with brackets, in order.
        cells: the bracket cell of each row.
        document: the document of each row.
        most: the maximum number of mentions that may begin at one word.

    """
    steps = _BracketSteps.parse(cells, most)
    if steps is None:
        return None
    sizes = np.diff(steps.bounds)[cells.codes]
    begins = np.repeat(steps.bounds[:-1][cells.codes], sizes)
    step = begins + np.arange(len(begins)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    row, kind, name = np.repeat(rows, sizes), steps.kind[step], steps.name[step]
    group = np.repeat(document, sizes) * max(len(steps.names), 1) + name
    opening, closing = _pair_brackets(group, kind)
    if opening is None or closing is None:
        return None
    order = np.argsort(opening, kind="stable")
    opening, closing = opening[order], closing[order]
    return PlainMentions(row[opening], row[closing], TextColumn(name[opening], steps.names))


@dataclass(frozen=True, eq=False, slots=True)
class _BracketSteps:
    """The opening and closing brackets (steps) of the distinct cells, concatenated.

    Args:
        bounds: the first step of each cell, and finally the total number of steps.
        kind: whether a step opens or closes a mention.
        name: the chain, as a code.
        names: the chains by code.

    """

    bounds: Rows
    kind: NDArray[np.int8]
    name: NDArray[np.unsignedinteger]
    names: tuple[str, ...]

    @classmethod
    def parse(cls, cells: TextColumn, most: int) -> _BracketSteps | None:
        """Parse the cells that occur; return None if one is not plain."""
        names: dict[str, int] = {}
        kinds: list[int] = []
        codes: list[int] = []
        bounds = [0]
        used = np.zeros(len(cells.names), np.bool_)
        used[cells.codes] = True
        for text, there in zip(cells.names, used.tolist(), strict=True):
            end = 0
            if there and text.count("(") > most:
                return None
            while there and (found := _PLAIN_BRACKET.match(text, end)):
                end = found.end()
                opened, closed, closing = found.group("opened", "closed", "closing")
                code = names.setdefault(opened or closing, len(names))
                kinds += [_CLOSE] if closing else [_OPEN, _CLOSE] if closed else [_OPEN]
                codes += [code] * (2 if closed else 1)
            if there and end != len(text):
                return None
            bounds.append(len(kinds))
        kind = code_type(len(names))
        return cls(np.array(bounds, np.int64), np.array(kinds, np.int8), np.array(codes, kind), tuple(names))


def _pair_brackets(group: Rows, kind: NDArray[np.int8]) -> tuple[Rows, Rows] | tuple[None, None]:
    """Return the opening steps and their closing steps; (None, None) if a bracket has no counterpart."""
    order = np.argsort(group, kind="stable")
    signs, groups = kind[order].astype(np.int64), group[order]
    begins = np.flatnonzero(np.diff(groups, prepend=-1))
    depth = np.cumsum(signs)
    base = np.repeat(depth[begins] - signs[begins], np.diff(np.append(begins, len(groups)))) if len(begins) else depth
    depth = depth - base
    level = np.where(signs == _OPEN, depth, depth + 1)
    if (level <= 0).any():
        return None, None
    within = np.lexsort((np.arange(len(order)), level, groups))
    steps, turns = order[within], signs[within]
    if len(steps) % 2 or (turns[::2] != _OPEN).any() or (turns[1::2] != _CLOSE).any():
        return None, None
    same = (groups[within][::2] == groups[within][1::2]) & (level[within][::2] == level[within][1::2])
    return (steps[::2], steps[1::2]) if same.all() else (None, None)


_NO_BRACKETS = frozenset({"-", "_", "*", ""})
_BRACKET = re.compile(r"(?:(?<=.)\|)?(\([^()|]+\)?|[^()|]+\))", re.DOTALL)
_WORD_LINE = re.compile(rb"^[ \t]*[^#\s][^\n]*", re.MULTILINE)
_BEGIN_LINE = re.compile(rb"\n#[ \t]*begin document\b")
_HASH, _LOW_BYTE = np.uint64(ord("#")), np.uint64(0xFF)
_TAG_COLUMN, _MIN_TAGGED_WIDTH = 4, 6
_LAYOUT_LINES = 100
_PENULTIMATE = "last but one"


@dataclass(frozen=True, slots=True)
class _Layout:
    """The layout of the columns, detected from the first word lines: the separator, and the cells of a sample line."""

    separator: int
    cells: tuple[str, ...]

    @classmethod
    def detect(cls, source: Source) -> _Layout:
        found = islice(_WORD_LINE.finditer(source.data, 0, source.size), _LAYOUT_LINES)
        lines = [str(each[0], "utf-8").strip(" ") for each in found] or [""]
        inner = lines[0].strip(" \t")
        if "\t" not in inner and (" " in inner or "\t" not in lines[0]):
            return cls(SPACE, tuple(inner.split()))
        cells = [line.split("\t") for line in lines]
        if whole := next((each for each in cells if each[-1]), None):
            return cls(TAB, tuple(whole))
        trailing_tab = all(_can_hold_brackets(each[-2]) and each[-2] for each in cells if len(each) > 1)
        return cls(TAB, tuple(cells[0][:-1] if trailing_tab else cells[0]))

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.cells)

    @property
    def word(self) -> int | None:
        """The column of the words; None if there is only one column."""
        if self.width < 5:
            return 2 if self.width == 4 else self.width - 2 if self.width > 1 else None
        return 1 if self.cells[0].isdecimal() and not self.cells[2].isdecimal() else 3

    @property
    def tags(self) -> int | None:
        """The column of part-of-speech tags; None if there are too few columns."""
        return _TAG_COLUMN if self.width >= _MIN_TAGGED_WIDTH else None


def read(source: Source, request: Request) -> Corpus:
    """Read CoNLL-2012."""
    if _has_byte_at_line_ends(source, 1, (SPACE, TAB)):
        source = remove_blank_spaces(source, request.side) or source
    layout = _Layout.detect(source)
    if layout.separator == SPACE:
        source = _single_spaces(source)
    reading = _Reader(source, request, layout)
    for block in scan_blocks(source, layout.separator, request.max_line):
        reading.add(block)
    where = f"words in {reading.word}, tags in {reading.tags}"
    return replace(reading.corpus(), layout=where)


def _has_byte_at_line_ends(source: Source, step: int, wanted: tuple[int, ...]) -> bool:
    """Whether one of the given bytes is `step` from a line feed; a search for both bytes takes three times as long."""
    neighbours = source.buffer[np.flatnonzero(source.buffer[: source.size] == LINE_FEED) + step]
    return any((neighbours == byte).any() for byte in wanted)


def _single_spaces(source: Source) -> Source:
    """Return the source with one space between columns and none around lines; document markers stay unchanged."""
    data = source.buffer[: source.size].copy()
    blank = np.concatenate([[False], (data == SPACE) | (data == TAB), [False]])
    first, last = np.flatnonzero(blank[1:-1] & ~blank[:-2]), np.flatnonzero(blank[1:-1] & ~blank[2:])
    inside = (first > 0) & (data[first - 1] != LINE_FEED) & (data[np.minimum(last + 1, len(data) - 1)] != LINE_FEED)
    keep = ~blank[1:-1]
    keep[first[inside]] = True
    marks = [slice(mark.start(), source.data.find(b"\n", mark.start())) for mark in MARK.finditer(source.data)]
    for line in marks:
        keep[line] = True
    data[first[inside]] = SPACE
    for line in marks:
        data[line] = source.buffer[line]
    return replace_bytes(source, data[keep].tobytes())


class _Reader:
    """Reads one input into a corpus."""

    def __init__(self, source: Source, request: Request, layout: _Layout) -> None:
        self.source, self.request, self.layout = source, request, layout
        self.word = self._choose_column("word", layout.word)
        self.tags = self._choose_column("pos", layout.tags)
        wanted = {"brackets": -1}
        if self.tags is not None:
            wanted |= {name: self.tags for name in request.extra if name in {"xpos", "pos"}}
        self.min_width = max([-1, *(each for each in (self.word, self.tags) if each is not None)]) + 2
        self.has_trailing_tabs = (
            layout.separator == TAB and self.min_width > 1 and _has_byte_at_line_ends(source, -1, (TAB,))
        )
        if self.has_trailing_tabs:
            wanted[_PENULTIMATE] = -2
        self.gathering = Gathering(source, wanted, width=None, word=self.word)
        self.marks = DocumentMarks(source=source)
        self.outside: list[int] = []
        self.outside_count = 0
        self.fields: list[Rows] = []

    def _choose_column(self, option: str, usual: int | None) -> int | None:
        written, width = self.request.options.get(option), self.layout.width
        if written is None:
            return usual
        if written == "none":
            return None
        if not written.isdecimal() or len(written) > 9 or not 1 <= int(written) < width:
            hint = f"a number from 1 to {width - 1}, or none" if width > 1 else "the file has one column"
            raise UsageError(f"{option}={written!r} is not a column before the bracket column", hint=hint)
        return int(written) - 1

    def add(self, block: Block) -> None:
        """Read the words of one block."""
        blank = block.end == block.start
        hashes = np.flatnonzero(((block.first8 & _LOW_BYTE) == _HASH) & ~blank).tolist()
        begins, marks, inside = self.marks.read(block, hashes)
        other = blank.copy()
        marked = set(marks)
        other[[line for line in hashes if line in marked or not self._is_word_line(block, line)]] = True
        self._count_outside(block, np.flatnonzero(~(other | inside)))
        lines = np.flatnonzero(~other & inside)
        narrow = lines[block.fields[lines] < self.min_width]
        if narrow.size:
            raise self._missing_column_error(block, int(narrow[0]))
        for begin in begins:
            row = int(np.searchsorted(lines, begin.line)) + self.gathering.rows
            self.gathering.marks.begin(begin.name, row, begin.place)
        cuts = blank.copy()
        cuts[marks] = True
        if self.has_trailing_tabs:
            self.fields.append(block.fields[lines])
        self.gathering.add(block, lines, np.searchsorted(lines, np.flatnonzero(cuts)))

    def _is_word_line(self, block: Block, line: int) -> bool:
        """Whether a line that begins with `#` holds a word: words are in column 1, and its last cell is valid."""
        if self.word != 0:
            return False
        cells = block.text(self.source, line).split(chr(self.layout.separator))
        return len(cells) == self.layout.width and _can_hold_brackets(cells[-1])

    def _count_outside(self, block: Block, lines: Rows) -> None:
        self.outside_count += len(lines)
        self.outside += block.start[lines[: 3 - len(self.outside)]].tolist()

    def _missing_column_error(self, block: Block, line: int) -> ReadError:
        count, column = int(block.fields[line]), self.min_width - 1
        what = f"expected {self.layout.width} columns as in the first line of words, got {count}"
        hint = f"set the columns with ?word=N and ?pos=N: column {column} is read, and the last one holds the brackets"
        return make_read_error(self.source, int(block.start[line]), what, hint=hint)

    def corpus(self) -> Corpus:
        """Return the corpus, with the mentions."""
        self.marks.finish()
        if not self.gathering.rows and self.outside_count:
            hint = "add '#begin document (NAME);' before them"
            raise make_read_error(self.source, self.outside[0], "all words are outside documents", hint=hint)
        corpus = self.gathering.corpus(self.request, "conll2012", mends={})
        columns = dict(corpus.columns)
        brackets = self._ignore_trailing_tabs(columns.pop("brackets"), columns.pop(_PENULTIMATE, None))
        annotated = {name: column for name, column in columns.items() if not {*column.names} <= _NO_BRACKETS}
        corpus = replace(corpus, columns=annotated, evaluated="chains", notes=(*corpus.notes, *self._notes()))
        return self._add_mentions(corpus, brackets)

    def _ignore_trailing_tabs(self, brackets: TextColumn, before: TextColumn | None) -> TextColumn:
        """Read the penultimate cell where the last is empty in all lines with that number of columns: a stray tab."""
        if before is None:
            return brackets
        fields = np.concatenate(self.fields)
        empty = ~brackets.truths(lambda cell: cell != "")
        stray = empty & ~np.isin(fields, np.unique(fields[~empty])) & (fields > self.min_width)
        stray &= before.truths(lambda cell: "*" not in cell and bool(_split_brackets(cell)))  # arguments: (ARG0*)
        if not stray.any():
            return brackets
        names = (*brackets.names, *before.names)
        return TextColumn(np.where(stray, before.codes.astype(np.int64) + len(brackets.names), brackets.codes), names)

    def _notes(self) -> Iterator[Note]:
        kinds = {
            "document names with surrounding blanks, stripped": (self.marks.unclean, len(self.marks.unclean)),
            "documents without '#end document'": (self.marks.unended, len(self.marks.unended)),
            "words outside documents ignored": (self.outside, self.outside_count),
        }
        for what, (places, number) in kinds.items():
            if number:
                yield Note(self.request.side, what, number, first_places(self.source, np.array(places[:3])))

    def _add_mentions(self, corpus: Corpus, brackets: TextColumn) -> Corpus:
        rows = np.flatnonzero(brackets.truths(lambda cell: cell not in _NO_BRACKETS))
        cells = brackets.take(rows)
        most = self.request.limits.open
        cells = TextColumn(cells.codes, tuple(_sort_brackets(each, most) for each in cells.names))
        document = np.searchsorted(corpus.row_documents, rows, side="right") - 1
        fields, note = self._choose_fields(corpus, cells, rows)
        notes: list[Note] = []
        if fields == ("eid",) and (plain := plain_mentions(rows, cells, document, most)) is not None:
            spans = _build_spans(corpus, plain)
        else:
            spans, notes = self._parse_spans(corpus, rows=rows, column=cells, document=document, fields=fields)
        if not len(rows):
            notes.append(self._note_no_mentions(corpus))
        return replace(corpus, spans=spans, notes=(*corpus.notes, *note, *notes))

    def _parse_spans(
        self, corpus: Corpus, rows: Rows, column: TextColumn, document: Rows, *, fields: tuple[str, ...]
    ) -> tuple[Spans, list[Note]]:
        """Parse brackets one by one; slower than `plain_mentions`, but covers all forms and reports errors."""
        cells = column.values()
        bounds = np.searchsorted(document, np.arange(len(corpus.documents) + 1)).tolist()
        broken: list[int] | None = [] if choose_option(self.request.options, "broken", BROKEN) == "drop" else None
        places, numbers = corpus.offset[rows].tolist(), rows.tolist()
        gathered = Gathered(self.source, None)
        for number in range(len(corpus.documents)):
            some = range(bounds[number], bounds[number + 1])
            given = ((Cell(cells[at] or "", places[at], numbers[at], numbers[at] + 1), fields) for at in some)
            found = read_mentions(self.source, given, self.request.limits.open, broken)
            gathered.add(number, int(corpus.row_documents[number]), found)
        spans, notes = gathered.spans(self.request.side)
        if broken:
            first = first_places(self.source, np.array(sorted(broken)[:3]))
            notes.append(Note(self.request.side, BROKEN_DROPPED, len(broken), first))
        return spans, notes

    def _choose_fields(self, corpus: Corpus, cells: TextColumn, rows: Rows) -> tuple[tuple[str, ...], list[Note]]:
        """Return the names of the fields in brackets (usually just the chain), and a note if there are several."""
        if asked := self.request.options.get("fields"):
            if not {*CHAINS} & {*named_fields(asked)}:
                raise UsageError(
                    f"fields={asked!r} does not include the chain", hint=f"name the chain field {' or '.join(CHAINS)}"
                )
            return named_fields(asked), []
        fields = chain_fields(cells.names[code] for code in np.unique(cells.codes).tolist())
        if fields == ("eid",):
            return fields, []
        what = f"brackets with more fields than the chain, read as {'-'.join(fields)}"
        return fields, [Note(self.request.side, what, len(rows), first_places(self.source, corpus.offset[rows[:3]]))]

    def _note_no_mentions(self, corpus: Corpus) -> Note:
        """Return the note that there are no mentions; refuse a file that looks like CoNLL-U."""
        first = corpus.source.line_at(int(corpus.offset[0]))
        if not corpus.documents.marked and is_word_line(first.split("\t")):
            what = "the last column contains no brackets, and this looks like CoNLL-U"
            raise make_read_error(self.source, int(corpus.offset[0]), what, hint="if so, use FILE::conllu")
        what = "files without brackets in the last column, and so without mentions"
        return Note(self.request.side, what, 1, first_places(self.source, corpus.offset[:1]))


def _sort_brackets(cell: str, most: int) -> str:
    """Move opening brackets before closing ones; a cell with too many is left unchanged, to be refused later.

    >>> _sort_brackets("1)|(2|(1)(1", 9), _sort_brackets("(1(2)", 9)
    ('(2|(1)|(1|1)', '(1(2)')
    """
    if cell.find(")") > cell.rfind("(") or cell.count("(") > most or not (found := _split_brackets(cell)):
        return cell
    return "|".join(sorted(found, key=lambda each: not each.startswith("(")))


def _can_hold_brackets(cell: str) -> bool:
    """Whether a cell is valid in the bracket column."""
    return cell in _NO_BRACKETS or bool(_split_brackets(cell))


def _split_brackets(cell: str) -> list[str]:
    """Split a cell into its brackets; return an empty list if it holds anything else."""
    found, end = [], 0
    while bracket := _BRACKET.match(cell, end):
        found.append(bracket[1])
        end = bracket.end()
    return found if end == len(cell) else []


def _build_spans(corpus: Corpus, found: PlainMentions) -> Spans:
    """Convert mentions to spans of their documents."""
    document = np.searchsorted(corpus.row_documents, found.first, side="right") - 1
    base = corpus.row_documents[document]
    return Spans(
        unit="tokens",
        document=document,
        begin=found.first - base,
        end=found.last + 1 - base,
        label=TextColumn.constant(NO_LABEL, len(document)),
        offset=corpus.offset[found.first],
        columns={"chain": found.chain},
    )


def sniff(lines: list[str]) -> bool:
    """Whether the first lines look like CoNLL-2012: one of them begins a document."""
    return any(map(BEGIN.fullmatch, lines))


def marks(file: AnyPath, request: Request) -> Iterator[Mark]:
    """Find the lines `#begin document`, at which files may be split."""
    del request

    def named(text: str) -> str | None:
        found = BEGIN.fullmatch(text)
        return document_name(found["name"]) if found else None

    return marked_lines(file, _BEGIN_LINE, named)


FORMAT = Format(
    name="conll2012",
    summary="CoNLL-2012: chains of mentions as brackets in the last column, #begin document",
    shapes=frozenset({"tokens"}),
    suffixes=(".conll", ".v4_gold_conll", ".v4_auto_conll", ".key", ".response", ".coref"),
    options={
        "word": "the column of the words: a number from 1 (4 of five or more by default), or none",
        "pos": "the column of part-of-speech tags: a number from 1 (5 of six or more by default), or none",
        "fields": "the fields in brackets, for chains with types: etype-eid-other",
        "broken": "how to handle unclosed or unopened brackets: refuse, drop",
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"chains"}),
    marks=marks,
)


# Writing CoNLL-2012.
#
# Lines have six tab-separated columns: the document, its part, the number of the word in its sentence, the word, its
# tag and the brackets. The reference scorer reads this, and requires that chains are named by numbers.


NOTHING = "-"
TAG = "xpos"
_CONLL2012_PART = re.compile(r"(?P<name>.*\S); part (?P<part>[1-9][0-9]{0,8})")
_NUMBER = re.compile(r"0|[1-9][0-9]*")
_NOT_IN_CELLS = re.compile(r"\s|^#")


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write all documents to one file."""
    del options
    given = list(documents)
    writing = _DocumentWriter(_ChainNumbers(chain_of(mention) for each in given for mention in each.mentions), losses)
    yield "", "".join(chain.from_iterable(map(writing.document, given)))


class _ChainNumbers:
    """Assigns a number to each chain name, the same throughout the file; names that are numbers are retained."""

    def __init__(self, names: Iterable[str | None]) -> None:
        given = {name: None for name in names if name is not None}
        self._numeric = {name for name in given if _NUMBER.fullmatch(name)}
        self._free = (number for number in map(str, count(1)) if number not in self._numeric)
        self._by_name = {name: name if name in self._numeric else self.new() for name in given}

    def number(self, name: str | None) -> str:
        """Return the number of a chain; a singleton (None) gets a new one."""
        return self.new() if name is None else self._by_name[name]

    def new(self) -> str:
        """Return a number that no chain has."""
        return next(self._free)


class _DocumentWriter:
    """Writes documents as lines.

    Args:
        numbers: the numbers of chains.
        losses: collects what the format cannot express.

    """

    def __init__(self, numbers: _ChainNumbers, losses: Losses) -> None:
        self.numbers = numbers
        self.losses = losses

    def document(self, passage: Passage) -> Iterator[str]:
        """Yield the lines of a document."""
        words, mentions = words_of(passage), place_mentions(passage, self.losses)
        cells = self._word_brackets(passage, mentions)
        tags = passage.tags.get(TAG, (NOTHING,) * len(words))
        self._record_losses(passage, words)
        name, part = _split_part(passage.name)
        before = f"{_NOT_IN_CELLS.sub('_', name)}\t{part}"
        yield f"#begin document ({name}); part {part:03}\n"
        for first, stop in sentences_of(merge_pieces(passage, mentions), self.losses):
            for row in range(first, stop):
                yield f"{before}\t{row - first}\t{words[row]}\t{tags[row] or NOTHING}\t{cells.get(row, NOTHING)}\n"
            yield "\n"
        yield "#end document\n"

    def _record_losses(self, passage: Passage, words: Sequence[str]) -> None:
        if passage.text != " ".join(words):
            self.losses.lose("white space of the text: words are lines", passage.name)
        for name in passage.attributes:
            self.losses.lose(f"the attribute {name!r} of documents", passage.name)

    def _word_brackets(self, passage: Passage, mentions: Sequence[Placed]) -> dict[int, str]:
        """Return the brackets of each word that has any.

        Opening brackets are in the order in which the input lists their chains, because that decides which chain keeps
        a duplicate mention; within a chain the longer mention opens first, and the most recently opened closes first.
        """
        opening, closing = defaultdict[int, list[tuple[str, int]]](list), defaultdict[int, list[tuple[int, str]]](list)
        runs = [each.run for each in mentions]
        named = [*zip(runs, self._chain_numbers(passage, mentions), strict=True)]
        for _ in kept_elsewhere(named, sorted(range(len(runs)), key=lambda each: runs[each].first)):
            self.losses.lose(KEPT, passage.name)
        for (first, stop), number in named:
            opening[first].append((number, stop))
            if stop > first + 1:
                closing[stop - 1].append((-first, number))
        return {
            row: "|".join(_format_brackets(row, opening.get(row, []), closing.get(row, [])))
            for row in opening.keys() | closing.keys()
        }

    def _chain_numbers(self, passage: Passage, mentions: Sequence[Placed]) -> list[str]:
        """Return the chain number of each mention."""
        names = [each.chain for each in mentions]
        for each in find_ambiguous(names, [(mention.run,) for mention in mentions]):
            self.losses.lose(CROSSING, passage.name)
            names[each] = None
        return list(map(self.numbers.number, names))


def _split_part(name: str) -> tuple[str, int]:
    """Split the name of a document into the name and the part for its `#begin document` line.

    >>> _split_part("nw/wsj_1; part 2"), _split_part("x")
    (('nw/wsj_1', 2), ('x', 0))
    """
    if not fits_in_line(name):
        raise WriteError(
            f"the document name {name!r} cannot be written in CoNLL-2012",
            hint="rename the document: no line breaks, no tabs, no white space at the beginning or end",
        )
    found = _CONLL2012_PART.fullmatch(name)
    return (found["name"], int(found["part"])) if found else (name, 0)


def _format_brackets(row: int, opening: Sequence[tuple[str, int]], closing: Sequence[tuple[int, str]]) -> Iterator[str]:
    """Yield the brackets of a word, single-word mentions among the opening ones; the innermost closes first."""
    order = {number: place for place, (number, _) in reversed([*enumerate(opening)])}
    opened = [
        f"({number})" if stop == row + 1 else f"({number}"
        for number, stop in sorted(opening, key=lambda each: (order[each[0]], -each[1]))
    ]
    closed = [f"{number})" for _, number in sorted(closing, key=lambda each: each[0])]
    within = all(each.endswith(")") for each in opened)
    yield from (*opened, *closed) if within else (*closed, *opened)


WRITER = Writer(
    name="conll2012", suffix=".conll", write=write, layers=frozenset({"chains"}), tags=frozenset({TAG}), spaced=False
)
