"""CoNLL-2012: a word a line, chains of mentions as brackets in the last column, documents between marks.

There is more than one way to write these files, so the rules are written down here:

- `#begin document (NAME); part 001` begins a document and `#end document` ends it. A document is told by its name and
  its part, and part 0 goes without saying: `(x); part 000`, `(x); part 0` and `(x)` are one name. Blanks around a name
  do not count. Other lines that begin with `#` are comments.
- Columns stand between tabs if the first line of words has one, else between spaces, any number of them. Lines may
  have different numbers of columns, because predicates have one each: the *last* one holds the brackets. `-`, `_`, `*`
  or nothing is no bracket.
- The words are in column 4 of five or more, in column 3 of four, in the last but one of two or three. With six or more,
  column 5 holds the tags of parts of speech.
- `(12` opens a mention of chain 12, `12)` closes it, `(12)` does both; several stand in one cell, with `|` between them
  or without. A bracket closes the last one of its chain that is open; those of different chains may cross. Brackets
  with a type, as in GUM (`(person-12-Antonín_Dvořák`), and in parts (`(12[1/2]`), are read too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import TextColumn
from comparanda.corpus import Spans
from comparanda.errors import ReadError, UsageError
from comparanda.places import Note, Source, first_places, refuse
from comparanda.read.conllu_entities.brackets import Cell, guessed_fields, mentions, named_fields
from comparanda.read.conllu_entities.gathered import NO_LABEL, Gathered
from comparanda.read.gather import Gathering
from comparanda.read.plain_brackets import PlainMentions, plain_mentions
from comparanda.read.request import Format, Request, choose
from comparanda.read.scan import SPACE, TAB, Block, blocks, replaced

if TYPE_CHECKING:
    from comparanda.columns import Rows, Truths
    from comparanda.corpus import Corpus

BROKEN = ("refuse", "drop")
_NONE = frozenset({"-", "_", "*", ""})
_BEGIN = re.compile(r"#\s*begin document\b\s*(?P<name>.*)")
_NAMED = re.compile(r"\((?P<name>.*)\)\s*;?\s*(?:part\s+(?P<part>[0-9]+))?\s*;?")
_PART = re.compile(r"(?P<name>.*?)\s*;\s*(?:part\s+(?P<part>[0-9]+))?\s*;?")
_END = re.compile(r"#\s*end document\b.*")
_HASH, _LOW_BYTE = np.uint64(ord("#")), np.uint64(0xFF)
_LEAST_TAGGED = 6


def document_name(text: str) -> str:
    """Return the name of a document, as it stands behind `#begin document`.

    >>> [document_name(text) for text in ("(nw/wsj_1); part 000", "(nw/wsj_1); part 002", "(x) ; ", "GUM_bio_dvorak")]
    ['nw/wsj_1', 'nw/wsj_1; part 2', 'x', 'GUM_bio_dvorak']
    """
    found = _NAMED.fullmatch(text.strip()) or _PART.fullmatch(text.strip())
    if found is None:
        return text.strip()
    part = int(found["part"] or 0)
    return f"{found['name'].strip()}; part {part}" if part else found["name"].strip()


def read(source: Source, request: Request) -> Corpus:
    """Read CoNLL-2012."""
    separator, width = _layout(source)
    if separator == SPACE:
        source = _single_spaces(source)
    reading = _Reading(source, request, width)
    for block in blocks(source, separator, request.max_line):
        reading.add(block)
    return reading.corpus()


def _layout(source: Source) -> tuple[int, int]:
    """Return what separates columns in the first line of words, and how many it has."""
    for found in re.finditer(rb"(?m)^[ \t]*[^#\s][^\n]*", source.data[: source.size]):
        line = found[0].strip(b" ")
        return (TAB, line.count(b"\t") + 1) if b"\t" in line else (SPACE, len(line.split()))
    return TAB, 1


def _single_spaces(source: Source) -> Source:
    """Return the source with one space between columns and none around them."""
    data = bytes(source.data[: source.size])
    cleaned = re.sub(rb"[ \t]+(?=\n|\Z)|(?m:^)[ \t]+", b"", re.sub(rb"[ \t]{2,}|\t", b" ", data))
    return source if cleaned == data else replaced(source, cleaned)


class _Reading:
    """One file on its way to a corpus."""

    def __init__(self, source: Source, request: Request, width: int) -> None:
        self.source, self.request = source, request
        self.word = self._column("word", _word_column(width), width)
        tags = self._column("pos", 4 if width >= _LEAST_TAGGED else None, width)
        self.extra = {} if tags is None else {name: tags for name in request.extra if name in {"xpos", "pos"}}
        self.least = max([0, *(each for each in (self.word, tags) if each is not None)]) + 1
        self.gathering = Gathering(source, {"brackets": -1, **self.extra}, width=None, word=self.word)
        self.blanks: list[int] = []
        self.open: int | None = None
        self.unended: list[int] = []
        self.outside: list[int] = []
        self.marked = False

    def _column(self, option: str, usual: int | None, width: int) -> int | None:
        written = self.request.options.get(option)
        if written is None:
            return usual
        if written == "none":
            return None
        if not written.isdecimal() or not 1 <= int(written) < width:
            hint = f"a number from 1 to {width - 1}, or none" if width > 1 else "the file has one column"
            raise UsageError(f"{option}={written!r} names no column before that of brackets", hint=hint)
        return int(written) - 1

    def add(self, block: Block) -> None:
        """Take over the words of one block."""
        blank = block.end == block.start
        comment = ((block.first8 & _LOW_BYTE) == _HASH) & ~blank
        lines = np.flatnonzero(~(blank | comment))
        narrow = lines[block.fields[lines] <= self.least - (self.word is None)]
        if narrow.size:
            raise self._narrow(block, int(narrow[0]))
        marks = self._marks(block, np.flatnonzero(comment), lines)
        cuts = np.searchsorted(lines, np.flatnonzero(blank | marks))
        self.gathering.add(block, lines, cuts)

    def _narrow(self, block: Block, line: int) -> ReadError:
        text = block.text(self.source, line)
        what = f"{int(block.fields[line])} columns, and the words are in column {(self.word or 0) + 1}"
        hint = "the last column holds the brackets; say where the words are: ?word=N, or ?word=none"
        if not text.strip():
            what, hint = "a line of white space alone", "sentences end at an empty line: take the white space out"
        return refuse(self.source, int(block.start[line]), what, hint=hint)

    def _marks(self, block: Block, comments: Rows, lines: Rows) -> Truths:
        """Take the lines that begin and end documents; return which lines these are."""
        found = np.zeros(len(block.start), np.bool_)
        rows = np.searchsorted(lines, comments) + self.gathering.rows
        for line, row in zip(comments.tolist(), rows.tolist(), strict=True):
            text, place = block.text(self.source, line), int(block.start[line])
            if begin := _BEGIN.fullmatch(text):
                self._begin(begin["name"], row, place)
            elif _END.fullmatch(text):
                self.open = None
                self._ended = row
            else:
                continue
            found[line] = True
        return found

    def _begin(self, name: str, row: int, place: int) -> None:
        if self.open is not None:
            self.unended.append(self.open)
        named = document_name(name)
        if name != name.strip() or named != named.strip():
            self.blanks.append(place)
        self.gathering.marks.begin(named, row, place)
        self.open, self.marked = place, True

    def corpus(self) -> Corpus:
        """Return what was read, with the mentions."""
        corpus = self.gathering.corpus(self.request, "conll2012", mends={})
        brackets = corpus.columns["brackets"]
        extra = {name: corpus.columns[name] for name in self.extra}
        annotated = {name: column for name, column in extra.items() if not {*column.names} <= _NONE}
        corpus = replace(corpus, columns=annotated, notes=(*corpus.notes, *self._notes()))
        return self._with_mentions(corpus, brackets)

    def _notes(self) -> Iterator[Note]:
        kinds = {
            "document names with blanks around them, cleaned": self.blanks,
            "documents without '#end document'": self.unended,
        }
        for what, places in kinds.items():
            if places:
                first = first_places(self.source, np.array(places[:3]))
                yield Note(self.request.side, what, len(places), first)

    def _with_mentions(self, corpus: Corpus, brackets: TextColumn) -> Corpus:
        rows = np.flatnonzero(brackets.truths(lambda cell: cell not in _NONE))
        document = np.searchsorted(corpus.row_documents, rows, side="right") - 1
        if "fields" not in self.request.options:
            plain = plain_mentions(rows, brackets.take(rows), document)
            if plain is not None:
                return replace(corpus, spans=self._plain_spans(corpus, plain), judged="chains")
        cells = [brackets.names[code] for code in brackets.codes[rows].tolist()]
        fields = self._fields(cells)
        gathered = Gathered(self.source, None)
        bounds = np.searchsorted(document, np.arange(len(corpus.documents) + 1)).tolist()
        drop = choose(self.request.options, "broken", BROKEN) == "drop"
        places, numbers = corpus.offset[rows].tolist(), rows.tolist()
        broken: list[int] = []
        for number in range(len(corpus.documents)):
            some = range(bounds[number], bounds[number + 1])
            given = (
                (Cell(part, places[at], numbers[at], numbers[at] + 1), fields)
                for at in some
                for part in cells[at].split("|")
                if part
            )
            found = mentions(self.source, given, broken if drop else None)
            gathered.add(number, int(corpus.row_documents[number]), found)
        notes = list(corpus.notes)
        if broken:
            what = "brackets that are not closed, or not opened, left out"
            notes.append(Note(self.request.side, what, len(broken), first_places(self.source, np.array(broken[:3]))))
        spans, mends = gathered.spans(self.request.side)
        return replace(corpus, spans=spans, judged="chains", notes=(*notes, *mends))

    def _plain_spans(self, corpus: Corpus, found: PlainMentions) -> Spans:
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

    def _fields(self, cells: Sequence[str]) -> tuple[str, ...]:
        """Return the names of what stands behind brackets: mostly the chain alone."""
        if asked := self.request.options.get("fields"):
            return named_fields(asked)
        guessed = guessed_fields(cells)
        return ("eid",) if guessed == ("etype",) else guessed


def _word_column(width: int) -> int | None:
    """Return the column of the words in lines of so many columns."""
    if width >= 5:
        return 3
    return 2 if width == 4 else width - 2 if width > 1 else None


def sniff(lines: list[str]) -> bool:
    """Whether the first lines look like CoNLL-2012: one of them begins a document."""
    return any(map(_BEGIN.fullmatch, lines))


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
)
