"""HIPE: a header, one token a line, tags of several kinds and links to a knowledge base in columns between tabs.

It is what the shared tasks on historical newspapers used (impresso.github.io/CLEF-HIPE-2020, hipe-eval.github.io), and
what their participants made of it:

- The header begins `TOKEN<TAB>NE-`. Rows may have fewer columns than it names, but all have as many.
- A line that begins with `# ` is a comment wherever it stands, and so is one that begins with `#` and has no tab, and
  a `#` with nothing but tabs behind it. Any other line that begins with `#` is a token.
- `# document_id = …` begins a document, and `# name = …` before or behind it says something of that document.
- Empty lines and documents end spans; lines of the page and sentences do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from comparanda.core.ids import BAR, NIL
from comparanda.core.places import Note, Source, first_places, refuse
from comparanda.core.text_columns import TextColumn
from comparanda.errors import ReadError, UsageError, WriteError, nearest
from comparanda.formats.chunks import OUTSIDE, with_spans
from comparanda.formats.columns import NO_WORDS, counted
from comparanda.formats.contract import CHUNK_OPTIONS, Format, Request, choose
from comparanda.formats.document_writer import Losses, Mention, Passage, Writer
from comparanda.formats.entity_lines import ids_of, linked_spans, with_links
from comparanda.formats.scanner import TAB, Block, blank_spaces_removed, blocks, replaced, word8
from comparanda.formats.tokens import Gathering
from comparanda.formats.word_runs import chunk_tags, runs_of, words_of

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Rows, Truths


TOKEN, MISC = "TOKEN", "MISC"
TAGS = "NE-COARSE-LIT"
LINKS, METONYMIC_LINKS = "NEL-LIT", "NEL-METO"
MENTIONS, TIMES = ("tags", "links"), ("kept", "nil")
SENTENCE_END, LINE_END = "EndOfSentence", "EndOfLine"

HEADER = "TOKEN\tNE-"
QUOTED = re.compile(rb'^"((?:[^"\t\n]*+"")++[^"\t\n]*+)"(?=\t|$)', re.MULTILINE)
"""A token in quotes, as programs for CSV write one that has quotes in it; those inside are doubled."""

_HASH, _LOW_BYTE = np.uint64(ord("#")), np.uint64(0xFF)
_HASH_SPACE, _TWO_BYTES = word8(b"# "), np.uint64(0xFFFF)
_DOCUMENT, _SEGMENT = "document_id", "segment"


@dataclass(frozen=True, slots=True)
class _Layout:
    """What the headers and the first row say: the names of the columns that rows have, and of those they lack."""

    headers: frozenset[int]
    first: int
    names: tuple[str, ...]
    lacking: tuple[str, ...]

    @classmethod
    def of(cls, source: Source) -> _Layout:
        """Look at the header of each file, and at the first row of the first that has one."""
        headers: dict[int, str] = {}
        first: tuple[int, str] | None = None
        ends = [*(part.begin for part in source.parts[1:]), source.size]
        for part, end in zip(source.parts, ends, strict=True):
            lines = _content_lines(source, part.begin, end)
            for place, line in lines:
                headers[place] = line
                first = first or next(lines, None)
                break
        if not headers:
            raise ReadError("there are no tokens in this file", where=source.parts[0].name)
        names = next(iter(headers.values())).split()
        for place, line in headers.items():
            _check_header(source, place, line, names)
        if first is None:
            raise ReadError("there is a header, but no token behind it", where=source.parts[0].name)
        width = first[1].count("\t") + 1
        if width > len(names):
            what = f"{counted(width)}, but the header names {len(names)}"
            raise refuse(source, first[0], what, hint="columns are separated by one tab")
        return cls(frozenset(headers), first[0], tuple(names[:width]), tuple(names[width:]))

    @property
    def width(self) -> int:
        return len(self.names)

    def index(self, source: Source, option: str, wanted: str) -> int:
        """Return the index of a column; refuse one that is not there."""
        if wanted in self.names[1:]:
            return self.names.index(wanted)
        columns = f"columns: {', '.join(self.names[1:])}"
        if wanted in self.lacking:
            what = f"the header names a column {wanted!r}, but the rows have {counted(self.width)}"
            raise refuse(source, self.first, what, hint=columns)
        near = nearest(wanted, self.names[1:])
        raise UsageError(f"there is no column {wanted!r}{near}", hint=f"{columns}; say which with ?{option}=")


def _check_header(source: Source, place: int, line: str, names: list[str]) -> None:
    if not line.startswith(HEADER):
        what = "there is no header before the first token"
        raise refuse(source, place, what, hint=f"the first line begins with {TOKEN}, a tab and NE-; else: ::columns")
    if line.split() != names:
        what = f"another header than in {source.parts[0].name}"
        raise refuse(source, place, what, hint="files of one corpus must have the same columns in the same order")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise refuse(source, place, f"the header names {twice!r} twice")


def _content_lines(source: Source, begin: int, end: int) -> Iterator[tuple[int, str]]:
    """Give the lines of a file that are neither empty nor comments."""
    while begin < end:
        newline = source.data.find(b"\n", begin, end)
        line = bytes(source.data[begin:newline]).decode()
        if line and not _is_comment(line):
            yield begin, line
        begin = newline + 1


def _is_comment(line: str) -> bool:
    """Whether a line is a comment, and no token that begins with `#`."""
    return line.startswith("# ") or (line.startswith("#") and ("\t" not in line or not line[1:].strip("\t")))


def _parse_comment(comment: str) -> tuple[str, str | None]:
    """Return the name and the value of a comment: nothing and None where it has none.

    >>> list(map(_parse_comment, ("# hipe2022:date = 1790-01-02", "# segment_iiif_link", "# as printed")))
    [('date', '1790-01-02'), ('segment_iiif_link', None), ('', None)]
    """
    name, equals, value = comment[1:].partition("=")
    name = name.strip().removeprefix("hipe2022:")
    if name.split() != [name]:
        return "", None
    return name, value.strip() if equals else None


class _Attribute(NamedTuple):
    """What a comment says of the document that holds the row behind it."""

    row: int
    name: str
    value: str


@dataclass(eq=False, kw_only=True)
class _Reader:
    """One input on its way to a corpus."""

    source: Source
    layout: _Layout
    gathering: Gathering
    document: str | None = None
    said: list[_Attribute] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    passed: list[int] = field(default_factory=list)

    def add(self, block: Block) -> None:
        """Take over the tokens of one block."""
        boundary: Truths = (block.end == block.start) | np.isin(block.start, list(self.layout.headers))
        comment = self._find_comments(block) & ~boundary
        data = ~(boundary | comment)
        wrong = data & (block.fields != self.layout.width)
        if wrong.any():
            raise self._column_count_error(block, int(wrong.argmax()))
        rows = np.flatnonzero(data)
        comments = np.flatnonzero(comment)
        begins = self._read_comments(block, comments, np.searchsorted(rows, comments) + self.gathering.rows)
        boundary[begins] = True
        self.gathering.add(block, rows, np.searchsorted(rows, np.flatnonzero(boundary)))

    def _find_comments(self, block: Block) -> Truths:
        """Tell comments from tokens that begin with `#`."""
        hashes: Truths = (block.first8 & _LOW_BYTE) == _HASH
        comment: Truths = hashes & (((block.first8 & _TWO_BYTES) == _HASH_SPACE) | (block.fields == 1))
        for line in np.flatnonzero(hashes & ~comment).tolist():
            comment[line] = _is_comment(block.text(self.source, line))
        return comment

    def _read_comments(self, block: Block, comments: Rows, rows: Rows) -> list[int]:
        """Take over what comments say; return the lines that begin a document."""
        begins = []
        for line, row in zip(comments.tolist(), rows.tolist(), strict=True):
            name, value = _parse_comment(block.text(self.source, line))
            if name == _DOCUMENT:
                if not value or value != self.document:
                    self.gathering.marks.begin(value or "", row, int(block.start[line]))
                    begins.append(line)
                self.document = value
            elif name.startswith(_SEGMENT):
                self.lines.append(row)
            elif value is not None:
                self.said.append(_Attribute(row, name, value))
            else:
                self.passed.append(int(block.start[line]))
        return begins

    def _column_count_error(self, block: Block, line: int) -> ReadError:
        """Make the error for a row of another number of columns."""
        text, width = block.text(self.source, line), self.layout.width
        hint = "columns are separated by one tab; is the row cut off?"
        if len(text.split()) == width:
            hint = "the columns of this row are separated by spaces, those of the first row by tabs"
        first = self.source.locate(self.layout.first)
        what = f"{counted(int(block.fields[line]))}, the first row ({first}) has {width}"
        return refuse(self.source, int(block.start[line]), what, hint=hint)

    def build_corpus(self, request: Request) -> Corpus:
        notes = []
        if self.passed:
            places = first_places(self.source, np.array(self.passed[:3], np.int64))
            notes.append(Note(request.side, "comment lines passed over", len(self.passed), places))
        corpus = self.gathering.corpus(request, "hipe", notes=notes, mends={})
        attributes = self._document_attributes(corpus.row_documents)
        return replace(corpus, documents=replace(corpus.documents, attributes=attributes))

    def _document_attributes(self, bounds: Rows) -> Mapping[str, TextColumn]:
        """Return what comments say of documents: of the one that holds the next row, and the first to say it holds."""
        values: dict[str, list[str | None]] = {}
        owners = np.searchsorted(bounds, [said.row for said in self.said], side="right") - 1
        for said, owner in zip(self.said, owners.tolist(), strict=True):
            column = values.setdefault(said.name, [None] * (len(bounds) - 1))
            number = min(owner, len(column) - 1)
            column[number] = said.value if column[number] is None else column[number]
        return {name: TextColumn.of(column) for name, column in values.items()}


def read(source: Source, request: Request) -> Corpus:
    """Read HIPE: a column of tags, the links of its mentions, and what is said of words and documents."""
    source = _clean_source(source, request.side)
    layout = _Layout.of(source)
    asked = _Options.of(request)
    value = layout.index(source, *(("links", asked.links) if asked.by_links else ("column", asked.tags)))
    if "links" in request.options:
        layout.index(source, "links", asked.links)
    others = {asked.links, MISC, TAGS if asked.no_times else asked.links, *request.extra}
    wanted = {name: number for number, name in enumerate(layout.names) if name in others}
    word = None if choose(request.options, "word", (TOKEN, NO_WORDS)) == NO_WORDS else 0
    gathering = Gathering(source, {"value": value, **wanted}, width=layout.width, word=word)
    reading = _Reader(source=source, layout=layout, gathering=gathering)
    for block in blocks(source, TAB, request.max_line):
        reading.add(block)
    corpus = replace(reading.build_corpus(request), judged=layout.names[value])
    if request.layer == "spans":
        corpus = _add_spans(corpus, request, asked)
    return _refine_sentences(corpus, reading.lines, request.extra)


class _Options(NamedTuple):
    """The columns of tags and of links, whether the links alone make spans, and whether those of times are NIL."""

    tags: str
    links: str
    by_links: bool
    no_times: bool

    @classmethod
    def of(cls, request: Request) -> _Options:
        options = request.options
        tags = options.get("column") or request.value or TAGS
        links = options.get("links", METONYMIC_LINKS if tags.endswith("-METO") else LINKS)
        return cls(
            tags, links, choose(options, "mentions", MENTIONS) == "links", choose(options, "times", TIMES) == "nil"
        )


def _add_spans(corpus: Corpus, request: Request, asked: _Options) -> Corpus:
    """Return a corpus with the spans that tags or links make, and with what is said of them."""
    links, misc, tags = (corpus.columns.get(name) for name in (asked.links, MISC, TAGS))
    if asked.no_times and links is not None and tags is not None:
        links = _unlink_times(links, tags)
    if asked.by_links and links is not None:
        corpus = linked_spans(corpus, links)
    else:
        corpus = with_links(with_spans(_note_empty_column(corpus), request), links)
    return corpus if misc is None else _add_distances(corpus, misc)


def _note_empty_column(corpus: Corpus) -> Corpus:
    """Note a column that says nothing of any word, not even that it is outside of all mentions."""
    if not set(corpus.columns["value"].names) <= OUTSIDE - {"O"}:
        return corpus
    note = Note(corpus.name, f"words of which the column {corpus.judged} says nothing, all of them", len(corpus))
    return replace(corpus, notes=(*corpus.notes, note))


def _unlink_times(links: TextColumn, tags: TextColumn) -> TextColumn:
    """Return a column of links that has NIL beside all words of times, as it was before systems were ranked in 2020."""
    times = np.array(["time" in name.lower() for name in tags.names], np.bool_)[tags.codes]
    names = links.names if NIL in links.names else (*links.names, NIL)
    return TextColumn(np.where(times, names.index(NIL), links.codes.astype(np.int64)), names)


def _clean_source(source: Source, side: str) -> Source:
    """Return the source with lines of tabs alone made blank, and with tokens out of the quotes that CSV puts."""
    source = blank_spaces_removed(source, side) or source
    data = bytes(source.data[: source.size])
    first = QUOTED.search(data)
    if first is None:
        return source
    cleaned, count = QUOTED.subn(lambda found: found[1].replace(b'""', b'"'), data)
    places = (str(source.locate(first.start())),)
    return replaced(source, cleaned, Note(side, "tokens in quotes, as CSV has them, taken out", count, places))


def _add_distances(corpus: Corpus, misc: TextColumn) -> Corpus:
    """Return a corpus whose spans have the distance of their text from the right one, as their first word says."""
    assert corpus.spans is not None
    found = [re.search(r"(?:^|\|)LED([0-9]+(?:\.[0-9]+)?)(?:\||$)", name) for name in misc.names]
    distance = np.array([float(each[1]) if each else np.nan for each in found])[misc.codes]
    led = distance[corpus.row_documents[corpus.spans.document] + corpus.spans.begin]
    if np.isnan(led).all():
        return corpus
    return replace(corpus, spans=replace(corpus.spans, columns={**corpus.spans.columns, "led": led}))


def _refine_sentences(corpus: Corpus, lines: list[int], extra: tuple[str, ...]) -> Corpus:
    """Return a corpus of finer sentences: those that words end, or else the lines of the page."""
    misc = corpus.columns.get(MISC)
    cuts = [corpus.sentences, np.array(lines, np.int64)]
    if misc is not None:
        flags = [set(name.split("|")) for name in misc.names]
        sentence_end, line_end = (
            np.flatnonzero(np.array([flag in each for each in flags])[misc.codes]) + 1
            for flag in (SENTENCE_END, LINE_END)
        )
        cuts = [corpus.sentences, sentence_end] if sentence_end.size else [*cuts, line_end]
    sentences = np.unique(np.concatenate(cuts))
    offsets = np.searchsorted(sentences, corpus.row_documents)
    return replace(
        corpus,
        sentences=sentences,
        documents=replace(corpus.documents, offsets=offsets),
        columns={name: column for name, column in corpus.columns.items() if name in {"value", *extra}},
    )


def sniff(lines: list[str]) -> bool:
    """Whether the first line that is no comment is the header of HIPE."""
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    return first.startswith(HEADER)


FORMAT = Format(
    name="hipe",
    summary="HIPE: a header, one token a line, tags of several kinds and ids of entities in columns",
    shapes=frozenset({"tokens"}),
    suffixes=(".tsv",),
    options={
        "column": f"the column of tags, by its name ({TAGS} by default)",
        "links": f"spans: the column of ids, by its name ({LINKS} by default, {METONYMIC_LINKS} for metonymic tags)",
        "mentions": "spans: what makes them: tags, or links (equal ids on words that follow each other)",
        "times": "spans: ids of words whose tag is of a time: kept, or nil, as the organisers of HIPE 2020 made them",
        "word": f"the column of the words: {TOKEN}, or 'none' to match rows by their number",
        **CHUNK_OPTIONS,
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"values", "spans"}),
)


# HIPE: one word a line, the spans as BIO tags and their ids in columns.
#
# White space between words is carried as far as the format has it: there is some, or there is none.


COLUMNS = (
    TOKEN,
    TAGS,
    "NE-COARSE-METO",
    "NE-FINE-LIT",
    "NE-FINE-METO",
    "NE-FINE-COMP",
    "NE-NESTED",
    LINKS,
    METONYMIC_LINKS,
    MISC,
)
NOTHING = "_"

_COMMENT_NAME = re.compile(r"(?!segment|document_id$|hipe2022:)[^\s=]+")
_SINGLE_LINE = re.compile(r"\S(?:[^\n\r\0]*\S)?")


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, one behind the other."""
    del options
    header = "\t".join(COLUMNS) + "\n"
    yield "", header + "\n".join("".join(_write_document(each, losses)) for each in documents)


def _write_document(passage: Passage, losses: Losses) -> Iterator[str]:
    if not _SINGLE_LINE.fullmatch(passage.name):
        raise WriteError(f"the document {passage.name!r} cannot be named in a comment", hint="rename it first")
    yield f"# document_id = {passage.name}\n"
    for name, value in passage.attributes.items():
        if _COMMENT_NAME.fullmatch(name) and _SINGLE_LINE.fullmatch(value):
            yield f"# {name} = {value}\n"
        else:
            losses.lose(f"the attribute {name!r} of documents, which cannot stand in a comment", passage.name)
    words, tags = words_of(passage), chunk_tags(passage)
    links, flags = [NOTHING] * len(words), _misc_flags(passage, losses)
    for mention, ((first, behind),) in zip(passage.mentions, runs_of(passage), strict=True):
        links[first:behind] = [_format_link(passage, mention)] * (behind - first)
        if (distance := _format_distance(passage, mention, losses)) is not None:
            for row in range(first, behind):
                flags[row].append(distance)
    middle = "\t".join([NOTHING] * 5)
    for word, tag, link, each in zip(words, tags, links, flags, strict=True):
        _check_word(passage, word)
        yield f"{word}\t{tag}\t{middle}\t{link}\t{NOTHING}\t{BAR.join(each) or NOTHING}\n"


def _misc_flags(passage: Passage, losses: Losses) -> list[list[str]]:
    """Return what MISC says of each word: whether white space follows it, and whether it ends a sentence."""
    flags: list[list[str]] = [[] for _ in passage.words]
    begins = [begin for begin, _ in passage.words]
    gaps = [passage.text[end:begin] for (_, end), (begin, _) in pairwise(passage.words)]
    outer = (passage.text[: begins[0]], passage.text[passage.words[-1][1] :]) if passage.words else (passage.text,)
    if any(outer) or any(gap not in {"", " "} for gap in gaps):
        losses.lose("white space other than one space between words", passage.name)
    for row, gap in enumerate(gaps):
        if not gap:
            flags[row].append("NoSpaceAfter")
    for row in {*passage.sentences[1:], len(passage.words)} - {0}:
        flags[row - 1].append(SENTENCE_END)
    return flags


def _format_link(passage: Passage, mention: Mention) -> str:
    if mention.ids is None:
        return NOTHING
    cell = BAR.join(mention.ids)
    if ids_of(cell) != cell or not _SINGLE_LINE.fullmatch(cell) or "\t" in cell:
        what = f"the id {cell!r} in document {passage.name!r} cannot stand in a column"
        raise WriteError(what, hint="ids have no tabs and no line breaks, and are neither O nor - nor _")
    return cell


def _format_distance(passage: Passage, mention: Mention, losses: Losses) -> str | None:
    """Return the distance of a span from its right text as MISC has it; everything else said of it is lost."""
    found = None
    for name, value in mention.said.items():
        if name == "led" and isinstance(value, (int, float)) and 0 <= value == round(value, 2):
            found = f"LED{value:.2f}"
        else:
            losses.lose(f"{name!r} of spans", passage.name)
    return found


def _check_word(passage: Passage, word: str) -> None:
    if word.startswith("# ") or QUOTED.match(word.encode()):
        what = f"the word {word!r} of document {passage.name!r} would be read as something else"
        raise WriteError(what, hint="a '#' and a space begin a comment, and quotes as in CSV are taken off")


WRITER = Writer(name="hipe", suffix=".tsv", write=write)
