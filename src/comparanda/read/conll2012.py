"""CoNLL-2012: a word a line, chains of mentions as brackets in the last column, documents between marks.

There is more than one way to write these files, so the rules are written down here:

- `#begin document (NAME); part 001` begins a document and `#end document` ends it. A document is told by its name and
  its part, and part 0 goes without saying: `(x); part 000`, `(x); part 0` and `(x)` are one name. Blanks around a name
  do not count. Other lines that begin with `#` are comments, unless words stand in the first column and the line has
  brackets, or their sign for none, in the last.
- Columns stand between tabs if the first line of words has one, else between spaces, any number of them. Lines may
  have different numbers of columns, because predicates have one each: the *last* one holds the brackets. `-`, `_`, `*`
  or nothing is no bracket. A tab at the end of a line is no column if no line with as many columns has a last one.
- The words are in column 4 of five or more, in column 3 of four, in the last but one of two or three; in column 2 if
  the first column counts words, as in SemEval-2010. With six or more, column 5 holds the tags of parts of speech.
- `(12` opens a mention of chain 12, `12)` closes it, `(12)` does both; several stand in one cell, with `|` between them
  or without. A bracket closes the last one of its chain that is open, where those of one cell open before others
  close; those of different chains may cross. All that is as in the reference scorer. Brackets with a type, as in GUM
  (`(person-12-Antonín_Dvořák`), and in parts (`(12[1/2]`), are read too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import TextColumn
from comparanda.corpus import Spans
from comparanda.errors import ReadError, UsageError
from comparanda.places import Note, Source, first_places, refuse
from comparanda.read.conllu import is_word_line
from comparanda.read.conllu_entities.brackets import CHAINS, Cell, chain_fields, mentions, named_fields
from comparanda.read.conllu_entities.entities import BROKEN, BROKEN_DROPPED
from comparanda.read.conllu_entities.gathered import NO_LABEL, Gathered
from comparanda.read.cuts import marked_lines
from comparanda.read.document_marks import BEGIN, MARK, DocumentMarks, document_name
from comparanda.read.gather import Gathering
from comparanda.read.plain_brackets import PlainMentions, plain_mentions
from comparanda.read.request import Format, Request, choose
from comparanda.read.scan import LINE_FEED, SPACE, TAB, Block, blank_spaces_removed, blocks, replaced

if TYPE_CHECKING:
    from comparanda.columns import Rows
    from comparanda.corpus import Corpus
    from comparanda.read.cuts import Mark
    from comparanda.remote import AnyPath

_NONE = frozenset({"-", "_", "*", ""})
_ONE = re.compile(r"(?:(?<=.)\|)?(\([^()|]+\)?|[^()|]+\))", re.DOTALL)
_WORD_LINE = re.compile(rb"^[ \t]*[^#\s][^\n]*", re.MULTILINE)
_BEGIN_LINE = re.compile(rb"\n#[ \t]*begin document\b")
_HASH, _LOW_BYTE = np.uint64(ord("#")), np.uint64(0xFF)
_TAGS, _LEAST_TAGGED = 4, 6
_LOOKED_AT = 100
_BEFORE = "last but one"


@dataclass(frozen=True, slots=True)
class _Layout:
    """What the first lines of words say: what stands between columns, and what is in them, by one of these lines."""

    separator: int
    cells: tuple[str, ...]

    @classmethod
    def of(cls, source: Source) -> _Layout:
        found = islice(_WORD_LINE.finditer(source.data, 0, source.size), _LOOKED_AT)
        lines = [str(each[0], "utf-8").strip(" ") for each in found] or [""]
        inner = lines[0].strip(" \t")
        if "\t" not in inner and (" " in inner or "\t" not in lines[0]):
            return cls(SPACE, tuple(inner.split()))
        cells = [line.split("\t") for line in lines]
        if whole := next((each for each in cells if each[-1]), None):
            return cls(TAB, tuple(whole))
        tab_behind = all(_holds_brackets(each[-2]) and each[-2] for each in cells if len(each) > 1)
        return cls(TAB, tuple(cells[0][:-1] if tab_behind else cells[0]))

    @property
    def width(self) -> int:
        """How many columns the line has."""
        return len(self.cells)

    @property
    def word(self) -> int | None:
        """The column of the words; None where there is no place for them."""
        if self.width < 5:
            return 2 if self.width == 4 else self.width - 2 if self.width > 1 else None
        return 1 if self.cells[0].isdecimal() and not self.cells[2].isdecimal() else 3

    @property
    def tags(self) -> int | None:
        """The column of tags of parts of speech."""
        return _TAGS if self.width >= _LEAST_TAGGED else None


def read(source: Source, request: Request) -> Corpus:
    """Read CoNLL-2012."""
    if _at_lines(source, 1, (SPACE, TAB)):
        source = blank_spaces_removed(source, request.side) or source
    layout = _Layout.of(source)
    if layout.separator == SPACE:
        source = _single_spaces(source)
    reading = _Reading(source, request, layout)
    for block in blocks(source, layout.separator, request.max_line):
        reading.add(block)
    where = f"words in {reading.word}, tags in {reading.tags}"
    return replace(reading.corpus(), layout=where)


def _at_lines(source: Source, step: int, wanted: tuple[int, ...]) -> bool:
    """Whether one of some bytes stands next to the end of a line; the search of two bytes takes three times as long."""
    beside = source.buffer[np.flatnonzero(source.buffer[: source.size] == LINE_FEED) + step]
    return any((beside == byte).any() for byte in wanted)


def _single_spaces(source: Source) -> Source:
    """Return the source with one space between columns and none around them; lines that are marks stay as they are."""
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
    return replaced(source, data[keep].tobytes())


class _Reading:
    """One file on its way to a corpus."""

    def __init__(self, source: Source, request: Request, layout: _Layout) -> None:
        self.source, self.request, self.layout = source, request, layout
        self.word = self._column("word", layout.word)
        self.tags = self._column("pos", layout.tags)
        wanted = {"brackets": -1}
        if self.tags is not None:
            wanted |= {name: self.tags for name in request.extra if name in {"xpos", "pos"}}
        self.least = max([-1, *(each for each in (self.word, self.tags) if each is not None)]) + 2
        self.tabs_behind = layout.separator == TAB and self.least > 1 and _at_lines(source, -1, (TAB,))
        if self.tabs_behind:
            wanted[_BEFORE] = -2
        self.gathering = Gathering(source, wanted, width=None, word=self.word)
        self.marks = DocumentMarks(source)
        self.outside: list[int] = []
        self.out_of_it = 0
        self.fields: list[Rows] = []

    def _column(self, option: str, usual: int | None) -> int | None:
        written, width = self.request.options.get(option), self.layout.width
        if written is None:
            return usual
        if written == "none":
            return None
        if not written.isdecimal() or len(written) > 9 or not 1 <= int(written) < width:
            hint = f"a number from 1 to {width - 1}, or none" if width > 1 else "the file has one column"
            raise UsageError(f"{option}={written!r} names no column before that of brackets", hint=hint)
        return int(written) - 1

    def add(self, block: Block) -> None:
        """Take over the words of one block."""
        blank = block.end == block.start
        hashes = np.flatnonzero(((block.first8 & _LOW_BYTE) == _HASH) & ~blank).tolist()
        begins, marks, inside = self.marks.read(block, hashes)
        other = blank.copy()
        marked = set(marks)
        other[[line for line in hashes if line in marked or not self._is_word(block, line)]] = True
        self._leave_out(block, np.flatnonzero(~(other | inside)))
        lines = np.flatnonzero(~other & inside)
        narrow = lines[block.fields[lines] < self.least]
        if narrow.size:
            raise self._narrow(block, int(narrow[0]))
        for begin in begins:
            row = int(np.searchsorted(lines, begin.line)) + self.gathering.rows
            self.gathering.marks.begin(begin.name, row, begin.place)
        cuts = blank.copy()
        cuts[marks] = True
        if self.tabs_behind:
            self.fields.append(block.fields[lines])
        self.gathering.add(block, lines, np.searchsorted(lines, np.flatnonzero(cuts)))

    def _is_word(self, block: Block, line: int) -> bool:
        """Whether a line that begins with `#` is no comment: words stand there, and its last cell can hold brackets."""
        if self.word != 0:
            return False
        cells = block.text(self.source, line).split(chr(self.layout.separator))
        return len(cells) == self.layout.width and _holds_brackets(cells[-1])

    def _leave_out(self, block: Block, lines: Rows) -> None:
        self.out_of_it += len(lines)
        self.outside += block.start[lines[: 3 - len(self.outside)]].tolist()

    def _narrow(self, block: Block, line: int) -> ReadError:
        count, column = int(block.fields[line]), self.least - 1
        what = f"{count} column{'s'[: count != 1]}, but the first line of words has {self.layout.width}"
        hint = f"column {column} is read, and the last one holds the brackets; say what is where: ?word=N, ?pos=N"
        return refuse(self.source, int(block.start[line]), what, hint=hint)

    def corpus(self) -> Corpus:
        """Return what was read, with the mentions."""
        self.marks.finish()
        if not self.gathering.rows and self.out_of_it:
            hint = "put '#begin document (NAME);' before them"
            raise refuse(self.source, self.outside[0], "all words stand outside of documents", hint=hint)
        corpus = self.gathering.corpus(self.request, "conll2012", mends={})
        columns = dict(corpus.columns)
        brackets = self._without_tabs(columns.pop("brackets"), columns.pop(_BEFORE, None))
        annotated = {name: column for name, column in columns.items() if not {*column.names} <= _NONE}
        corpus = replace(corpus, columns=annotated, judged="chains", notes=(*corpus.notes, *self._notes()))
        return self._with_mentions(corpus, brackets)

    def _without_tabs(self, brackets: TextColumn, before: TextColumn | None) -> TextColumn:
        """Take what stands before a tab at the end of a line where no line of so many columns has a last one."""
        if before is None:
            return brackets
        fields = np.concatenate(self.fields)
        empty = ~brackets.truths(lambda cell: cell != "")
        stray = empty & ~np.isin(fields, np.unique(fields[~empty])) & (fields > self.least)
        stray &= before.truths(lambda cell: "*" not in cell and bool(_brackets(cell)))  # arguments: (ARG0*)
        if not stray.any():
            return brackets
        names = (*brackets.names, *before.names)
        return TextColumn(np.where(stray, before.codes.astype(np.int64) + len(brackets.names), brackets.codes), names)

    def _notes(self) -> Iterator[Note]:
        kinds = {
            "document names with blanks around them, cleaned": (self.marks.unclean, len(self.marks.unclean)),
            "documents without '#end document'": (self.marks.unended, len(self.marks.unended)),
            "words outside of documents, left out": (self.outside, self.out_of_it),
        }
        for what, (places, count) in kinds.items():
            if count:
                yield Note(self.request.side, what, count, first_places(self.source, np.array(places[:3])))

    def _with_mentions(self, corpus: Corpus, brackets: TextColumn) -> Corpus:
        rows = np.flatnonzero(brackets.truths(lambda cell: cell not in _NONE))
        cells = brackets.take(rows)
        most = self.request.limits.open
        cells = TextColumn(cells.codes, tuple(_opened_first(each, most) for each in cells.names))
        document = np.searchsorted(corpus.row_documents, rows, side="right") - 1
        fields, note = self._fields(corpus, cells, rows)
        notes: list[Note] = []
        if fields == ("eid",) and (plain := plain_mentions(rows, cells, document, most)) is not None:
            spans = _plain_spans(corpus, plain)
        else:
            spans, notes = self._careful_spans(corpus, rows, cells, document, fields)
        if not len(rows):
            notes.append(self._no_mentions(corpus))
        return replace(corpus, spans=spans, notes=(*corpus.notes, *note, *notes))

    def _careful_spans(
        self, corpus: Corpus, rows: Rows, column: TextColumn, document: Rows, fields: tuple[str, ...]
    ) -> tuple[Spans, list[Note]]:
        """Read brackets one by one."""
        cells = column.values()
        bounds = np.searchsorted(document, np.arange(len(corpus.documents) + 1)).tolist()
        broken: list[int] | None = [] if choose(self.request.options, "broken", BROKEN) == "drop" else None
        places, numbers = corpus.offset[rows].tolist(), rows.tolist()
        gathered = Gathered(self.source, None)
        for number in range(len(corpus.documents)):
            some = range(bounds[number], bounds[number + 1])
            given = ((Cell(cells[at] or "", places[at], numbers[at], numbers[at] + 1), fields) for at in some)
            found = mentions(self.source, given, self.request.limits.open, broken)
            gathered.add(number, int(corpus.row_documents[number]), found)
        spans, notes = gathered.spans(self.request.side)
        if broken:
            first = first_places(self.source, np.array(sorted(broken)[:3]))
            notes.append(Note(self.request.side, BROKEN_DROPPED, len(broken), first))
        return spans, notes

    def _fields(self, corpus: Corpus, cells: TextColumn, rows: Rows) -> tuple[tuple[str, ...], list[Note]]:
        """Return the names of what stands behind brackets, mostly the chain alone, and what to note of them."""
        if asked := self.request.options.get("fields"):
            if not {*CHAINS} & {*named_fields(asked)}:
                raise UsageError(f"fields={asked!r} has no chain", hint=f"one of them is called {' or '.join(CHAINS)}")
            return named_fields(asked), []
        fields = chain_fields(cells.names[code] for code in np.unique(cells.codes).tolist())
        if fields == ("eid",):
            return fields, []
        what = f"brackets with more than a chain, read as {'-'.join(fields)}"
        return fields, [Note(self.request.side, what, len(rows), first_places(self.source, corpus.offset[rows[:3]]))]

    def _no_mentions(self, corpus: Corpus) -> Note:
        """Note that there are no mentions; refuse what is another format."""
        first = corpus.source.line_at(int(corpus.offset[0]))
        if not corpus.documents.marked and is_word_line(first.split("\t")):
            what = "the last column holds no brackets, and this looks like CoNLL-U"
            raise refuse(self.source, int(corpus.offset[0]), what, hint="say so: FILE::conllu")
        what = "files in which no word has a bracket in its last column: there are no mentions"
        return Note(self.request.side, what, 1, first_places(self.source, corpus.offset[:1]))


def _opened_first(cell: str, most: int) -> str:
    """Return a cell whose brackets that close stand behind those that open; one with too many is left to be refused.

    >>> _opened_first("1)|(2|(1)(1", 9), _opened_first("(1(2)", 9)
    ('(2|(1)|(1|1)', '(1(2)')
    """
    if cell.find(")") > cell.rfind("(") or cell.count("(") > most or not (found := _brackets(cell)):
        return cell
    return "|".join(sorted(found, key=lambda each: not each.startswith("(")))


def _holds_brackets(cell: str) -> bool:
    """Whether a cell can be one of the last column."""
    return cell in _NONE or bool(_brackets(cell))


def _brackets(cell: str) -> list[str]:
    """Return the brackets of a cell one by one; none if it holds anything else."""
    found, end = [], 0
    while bracket := _ONE.match(cell, end):
        found.append(bracket[1])
        end = bracket.end()
    return found if end == len(cell) else []


def _plain_spans(corpus: Corpus, found: PlainMentions) -> Spans:
    """Return mentions as spans of their documents."""
    document = np.searchsorted(corpus.row_documents, found.first, side="right") - 1
    base = corpus.row_documents[document]
    return Spans(
        "tokens",
        document,
        found.first - base,
        found.last + 1 - base,
        TextColumn.constant(NO_LABEL, len(document)),
        corpus.offset[found.first],
        columns={"chain": found.chain},
    )


def sniff(lines: list[str]) -> bool:
    """Whether the first lines look like CoNLL-2012: one of them begins a document."""
    return any(map(BEGIN.fullmatch, lines))


def marks(file: AnyPath, request: Request) -> Iterator[Mark]:
    """Mark the lines `#begin document`."""
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
        "pos": "the column of tags of parts of speech: a number from 1 (5 of six or more by default), or none",
        "fields": "what stands behind brackets, for chains with types: etype-eid-other",
        "broken": "what to do about brackets that are not closed or not opened: refuse, drop",
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"chains"}),
    marks=marks,
)
