"""HIPE: a header, one token per line, tags of several kinds and links to a knowledge base in tab-separated columns.

The format of the shared tasks on historical newspapers (impresso.github.io/CLEF-HIPE-2020, hipe-eval.github.io),
including the variants found in submissions of participants:

- The header begins `TOKEN<TAB>NE-`. Rows may have fewer columns than the header, but all rows have the same number.
- A line that begins with `# ` is a comment anywhere, and so is one that begins with `#` and has no tab, a `#`
  followed by nothing but tabs, and `#<TAB>name<TAB>=<TAB>value`. Any other line that begins with `#` is a token; with
  `comments=all` it is a comment too.
- `# document_id = …` begins a document, and `# name = …` before or after it is an attribute of that document.
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
from comparanda.core.places import Note, Source, first_places, make_read_error
from comparanda.core.text_columns import TextColumn
from comparanda.errors import ReadError, UsageError, WriteError, suggest_nearest
from comparanda.formats.chunks import OUTSIDE, with_spans
from comparanda.formats.columns import NO_WORDS, format_column_count
from comparanda.formats.contract import CHUNK_OPTIONS, Format, Request, choose_option
from comparanda.formats.document_writer import Losses, Mention, Passage, Writer
from comparanda.formats.entity_lines import ids_of, linked_spans, split_by_links, with_links
from comparanda.formats.scanner import TAB, Block, encode_word8, remove_blank_spaces, replace_bytes, scan_blocks
from comparanda.formats.tokens import Gathering
from comparanda.formats.word_runs import chunk_tags, runs_of, words_of

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Rows, Truths


TOKEN, MISC = "TOKEN", "MISC"
TAGS = "NE-COARSE-LIT"
LINKS, METONYMIC_LINKS = "NEL-LIT", "NEL-METO"
MENTIONS, TIMES = ("tags", "links", "both"), ("kept", "nil")
COMMENTS = ("marked", "all")
SENTENCE_END, LINE_END = "EndOfSentence", "EndOfLine"

HEADER = "TOKEN\tNE-"
QUOTED = re.compile(rb'^"((?:[^"\t\n]*+"")++[^"\t\n]*+)"(?=\t|$)', re.MULTILINE)
"""A quoted token, as CSV programs write one that contains quotes; the inner quotes are doubled."""

_HASH, _LOW_BYTE = np.uint64(ord("#")), np.uint64(0xFF)
_HASH_SPACE, _TWO_BYTES = encode_word8(b"# "), np.uint64(0xFFFF)
_DOCUMENT, _SEGMENT = "document_id", "segment"


@dataclass(frozen=True, slots=True)
class _Layout:
    """The columns of the input, by its headers and first row: those that rows have, and those they lack."""

    headers: frozenset[int]
    first: int
    names: tuple[str, ...]
    lacking: tuple[str, ...]

    @classmethod
    def of(cls, source: Source, *, hashes: bool) -> _Layout:
        """Read the header of each file, and the first row of the input; `hashes` are comments, whatever follows."""
        headers: dict[int, str] = {}
        first: tuple[int, str] | None = None
        ends = [*(part.begin for part in source.parts[1:]), source.size]
        for part, end in zip(source.parts, ends, strict=True):
            lines = _content_lines(source, part.begin, end, hashes=hashes)
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
            raise ReadError("there are no tokens after the header", where=source.parts[0].name)
        width = first[1].count("\t") + 1
        if width > len(names):
            what = f"{format_column_count(width)}, but the header names {len(names)}"
            raise make_read_error(source, first[0], what, hint="columns are separated by one tab")
        return cls(frozenset(headers), first[0], tuple(names[:width]), tuple(names[width:]))

    @property
    def width(self) -> int:
        return len(self.names)

    def index(self, source: Source, option: str, wanted: str) -> int:
        """Return the index of a column; refuse a missing one."""
        if wanted in self.names[1:]:
            return self.names.index(wanted)
        columns = f"columns: {', '.join(self.names[1:])}"
        if wanted in self.lacking:
            what = f"the header names a column {wanted!r}, but the rows have {format_column_count(self.width)}"
            raise make_read_error(source, self.first, what, hint=columns)
        near = suggest_nearest(wanted, self.names[1:])
        raise UsageError(f"there is no column {wanted!r}{near}", hint=f"{columns}; choose one with ?{option}=")


def _check_header(source: Source, place: int, line: str, names: list[str]) -> None:
    if not line.startswith(HEADER):
        what = "there is no header before the first token"
        raise make_read_error(
            source, place, what, hint=f"the first line begins with {TOKEN}, a tab and NE-; else: ::columns"
        )
    if line.split() != names:
        what = f"the header differs from that of {source.parts[0].name}"
        raise make_read_error(
            source, place, what, hint="files of one corpus must have the same columns in the same order"
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise make_read_error(source, place, f"the header names {twice!r} twice")


def _content_lines(source: Source, begin: int, end: int, *, hashes: bool) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that are neither empty nor comments, each with its byte offset."""
    while begin < end:
        newline = source.data.find(b"\n", begin, end)
        line = bytes(source.data[begin:newline]).decode()
        if line and not (_is_comment(line) or (hashes and line.startswith("#"))):
            yield begin, line
        begin = newline + 1


def _is_comment(line: str) -> bool:
    """Whether a line is a comment, not a token that begins with `#`."""
    if not line.startswith("#"):
        return False
    if line.startswith("# ") or "\t" not in line:
        return True
    fields = line[1:].split("\t")
    return not any(fields) or (not fields[0] and fields[2:3] == ["="])


def _parse_comment(comment: str) -> tuple[str, str | None]:
    """Split a comment into name and value; the empty string and None if it has none.

    >>> list(map(_parse_comment, ("# hipe2022:date = 1790-01-02", "# segment_iiif_link", "# as printed")))
    [('date', '1790-01-02'), ('segment_iiif_link', None), ('', None)]
    """
    name, equals, value = comment[1:].partition("=")
    name = name.strip().removeprefix("hipe2022:")
    if name.split() != [name]:
        return "", None
    return name, value.strip() if equals else None


class _Attribute(NamedTuple):
    """An attribute from a comment, of the document of the row after it."""

    row: int
    name: str
    value: str


@dataclass(eq=False, kw_only=True)
class _Reader:
    """Reads one input into a corpus."""

    source: Source
    layout: _Layout
    gathering: Gathering
    hashes: bool
    document: str | None = None
    attributes: list[_Attribute] = field(default_factory=list)
    page_lines: list[int] = field(default_factory=list)
    ignored: list[int] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)

    def add(self, block: Block) -> None:
        """Add the tokens of one block."""
        boundary: Truths = (block.end == block.start) | np.isin(block.start, list(self.layout.headers))
        hashes: Truths = (block.first8 & _LOW_BYTE) == _HASH
        comment = self._find_comments(block, hashes) & ~boundary
        data = ~(boundary | comment)
        if self.hashes:
            self.dropped += block.start[data & hashes].tolist()
            data &= ~hashes
        wrong = data & (block.fields != self.layout.width)
        if wrong.any():
            raise self._column_count_error(block, int(wrong.argmax()))
        rows = np.flatnonzero(data)
        comments = np.flatnonzero(comment)
        begins = self._read_comments(block, comments, np.searchsorted(rows, comments) + self.gathering.rows)
        boundary[begins] = True
        self.gathering.add(block, rows, np.searchsorted(rows, np.flatnonzero(boundary)))

    def _find_comments(self, block: Block, hashes: Truths) -> Truths:
        """Mark the lines that are comments, among those that begin with `#`."""
        comment: Truths = hashes & (((block.first8 & _TWO_BYTES) == _HASH_SPACE) | (block.fields == 1))
        for line in np.flatnonzero(hashes & ~comment).tolist():
            comment[line] = _is_comment(block.text(self.source, line))
        return comment

    def _read_comments(self, block: Block, comments: Rows, rows: Rows) -> list[int]:
        """Read documents, lines of the page and attributes from comments; return the lines that begin a document."""
        begins = []
        for line, row in zip(comments.tolist(), rows.tolist(), strict=True):
            name, value = _parse_comment(block.text(self.source, line))
            if name == _DOCUMENT:
                if not value or value != self.document:
                    self.gathering.marks.begin(value or "", row, int(block.start[line]))
                    begins.append(line)
                self.document = value
            elif name.startswith(_SEGMENT):
                self.page_lines.append(row)
            elif value is not None:
                self.attributes.append(_Attribute(row, name, value))
            else:
                self.ignored.append(int(block.start[line]))
        return begins

    def _column_count_error(self, block: Block, line: int) -> ReadError:
        """Make the error for a row with a different number of columns."""
        text, width = block.text(self.source, line), self.layout.width
        hint = "columns are separated by one tab; is the row cut off?"
        if len(text.split()) == width:
            hint = "the columns of this row are separated by spaces, those of the first row by tabs"
        first = self.source.locate(self.layout.first)
        what = f"expected {format_column_count(width)} as in the first row ({first}), got {int(block.fields[line])}"
        return make_read_error(self.source, int(block.start[line]), what, hint=hint)

    def build_corpus(self, request: Request) -> Corpus:
        found = {"comment lines ignored": self.ignored, "rows that begin with # read as comments": self.dropped}
        notes = [
            Note(request.side, what, len(lines), first_places(self.source, np.array(lines[:3], np.int64)))
            for what, lines in found.items()
            if lines
        ]
        corpus = self.gathering.corpus(request, "hipe", notes=notes, mends={})
        attributes = self._document_attributes(corpus.row_documents)
        return replace(corpus, documents=replace(corpus.documents, attributes=attributes))

    def _document_attributes(self, bounds: Rows) -> Mapping[str, TextColumn]:
        """Assign attributes to the document of the row after them; the first of equal names wins."""
        values: dict[str, list[str | None]] = {}
        owners = np.searchsorted(bounds, [each.row for each in self.attributes], side="right") - 1
        for attribute, owner in zip(self.attributes, owners.tolist(), strict=True):
            column = values.setdefault(attribute.name, [None] * (len(bounds) - 1))
            number = min(owner, len(column) - 1)
            column[number] = attribute.value if column[number] is None else column[number]
        return {name: TextColumn.of(column) for name, column in values.items()}


def read(source: Source, request: Request) -> Corpus:
    """Read HIPE: a column of tags, the links of its mentions, and the attributes of words and documents."""
    source = _clean_source(source, request.side)
    hashes = choose_option(request.options, "comments", COMMENTS) == "all"
    layout = _Layout.of(source, hashes=hashes)
    asked = _Options.of(request)
    value = layout.index(source, *(("links", asked.links) if asked.by_links else ("column", asked.tags)))
    if "links" in request.options:
        layout.index(source, "links", asked.links)
    others = {asked.links, MISC, TAGS if asked.no_times else asked.links, *request.extra}
    wanted = {name: number for number, name in enumerate(layout.names) if name in others}
    word = None if choose_option(request.options, "word", (TOKEN, NO_WORDS)) == NO_WORDS else 0
    gathering = Gathering(source, {"value": value, **wanted}, width=layout.width, word=word)
    reader = _Reader(source=source, layout=layout, gathering=gathering, hashes=hashes)
    for block in scan_blocks(source, TAB, request.max_line):
        reader.add(block)
    corpus = replace(reader.build_corpus(request), evaluated=layout.names[value])
    if request.layer == "spans":
        corpus = _add_spans(corpus, request, asked)
    return _refine_sentences(corpus, reader.page_lines, request.extra)


class _Options(NamedTuple):
    """The columns of tags and of links, what spans are made of, and whether links of times become NIL."""

    tags: str
    links: str
    mentions: str
    no_times: bool

    @property
    def by_links(self) -> bool:
        """Whether spans come from links alone."""
        return self.mentions == "links"

    @classmethod
    def of(cls, request: Request) -> _Options:
        options = request.options
        tags = options.get("column") or request.value or TAGS
        links = options.get("links", METONYMIC_LINKS if tags.endswith("-METO") else LINKS)
        return cls(
            tags,
            links,
            choose_option(options, "mentions", MENTIONS),
            choose_option(options, "times", TIMES) == "nil",
        )


def _add_spans(corpus: Corpus, request: Request, asked: _Options) -> Corpus:
    """Add the spans from tags or links to a corpus, and their attributes."""
    links, misc, tags = (corpus.columns.get(name) for name in (asked.links, MISC, TAGS))
    if asked.no_times and links is not None and tags is not None:
        links = _unlink_times(links, tags)
    if asked.by_links and links is not None:
        corpus = linked_spans(corpus, links)
    else:
        corpus = with_spans(_note_empty_column(corpus), request)
        if asked.mentions == "both" and links is not None:
            corpus = split_by_links(corpus, links)
        corpus = with_links(corpus, links)
    return corpus if misc is None else _add_distances(corpus, misc)


def _note_empty_column(corpus: Corpus) -> Corpus:
    """Note a column that has no tag for any word, not even O."""
    if not set(corpus.columns["value"].names) <= OUTSIDE - {"O"}:
        return corpus
    note = Note(corpus.name, f"words without a tag in the column {corpus.evaluated}, all of them", len(corpus))
    return replace(corpus, notes=(*corpus.notes, note))


def _unlink_times(links: TextColumn, tags: TextColumn) -> TextColumn:
    """Set the links of all words with time tags to NIL, as was done before systems were ranked in 2020."""
    times = np.array(["time" in name.lower() for name in tags.names], np.bool_)[tags.codes]
    names = links.names if NIL in links.names else (*links.names, NIL)
    return TextColumn(np.where(times, names.index(NIL), links.codes.astype(np.int64)), names)


def _clean_source(source: Source, side: str) -> Source:
    """Return the source with tab-only lines made empty and CSV quotes around tokens removed."""
    source = remove_blank_spaces(source, side) or source
    data = bytes(source.data[: source.size])
    first = QUOTED.search(data)
    if first is None:
        return source
    cleaned, count = QUOTED.subn(lambda found: found[1].replace(b'""', b'"'), data)
    places = (str(source.locate(first.start())),)
    return replace_bytes(source, cleaned, Note(side, "tokens in CSV quotes, which are removed", count, places))


def _add_distances(corpus: Corpus, misc: TextColumn) -> Corpus:
    """Add to spans the normalised Levenshtein distance of OCR noise that their first word has in MISC (`LED0.12`)."""
    assert corpus.spans is not None
    found = [re.search(r"(?:^|\|)LED([0-9]+(?:\.[0-9]+)?)(?:\||$)", name) for name in misc.names]
    distance = np.array([float(each[1]) if each else np.nan for each in found])[misc.codes]
    led = distance[corpus.row_documents[corpus.spans.document] + corpus.spans.begin]
    if np.isnan(led).all():
        return corpus
    return replace(corpus, spans=replace(corpus.spans, columns={**corpus.spans.columns, "led": led}))


def _refine_sentences(corpus: Corpus, lines: list[int], extra: tuple[str, ...]) -> Corpus:
    """Split a corpus into finer sentences: by end-of-sentence flags or, without any, by lines of the page."""
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
        flagged_sentences=True,
        documents=replace(corpus.documents, offsets=offsets),
        columns={name: column for name, column in corpus.columns.items() if name in {"value", *extra}},
    )


def sniff(lines: list[str]) -> bool:
    """Whether the first line that is not a comment is a HIPE header."""
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    return first.startswith(HEADER)


FORMAT = Format(
    name="hipe",
    summary="HIPE: a header, one token per line, tags of several kinds and ids of entities in columns",
    shapes=frozenset({"tokens"}),
    suffixes=(".tsv",),
    options={
        "column": f"the column of tags, by its name ({TAGS} by default)",
        "links": f"spans: the column of ids, by its name ({LINKS} by default, {METONYMIC_LINKS} for metonymic tags)",
        "mentions": "spans: their source: tags, links (adjacent words with equal ids), or both (tags, split where ids "
        "change, and each word with an id outside of them)",
        "times": "spans: ids of words with time tags: kept, or nil, as set by the organisers of HIPE 2020",
        "word": f"the column of the words: {TOKEN}, or 'none' to match rows by their number",
        "comments": "which lines that begin with # are comments: marked (# and a space, or without a tab), or all",
        **CHUNK_OPTIONS,
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"values", "spans"}),
)


# Writer: one word per line, with spans as BIO tags and their ids in columns.
#
# Of the white space between words, the format only retains whether there is any.


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
    """Write documents, one after the other."""
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
            losses.lose(f"the attribute {name!r} of documents, which cannot be written in a comment", passage.name)
    words, tags = words_of(passage), chunk_tags(passage)
    links, flags = [NOTHING] * len(words), _misc_flags(passage, losses)
    for mention, ((first, stop),) in zip(passage.mentions, runs_of(passage), strict=True):
        links[first:stop] = [_format_link(passage, mention)] * (stop - first)
        if (distance := _format_distance(passage, mention, losses)) is not None:
            for row in range(first, stop):
                flags[row].append(distance)
    middle = "\t".join([NOTHING] * 5)
    for word, tag, link, each in zip(words, tags, links, flags, strict=True):
        _check_word(passage, word)
        yield f"{word}\t{tag}\t{middle}\t{link}\t{NOTHING}\t{BAR.join(each) or NOTHING}\n"


def _misc_flags(passage: Passage, losses: Losses) -> list[list[str]]:
    """Return the MISC flags of each word: whether no white space follows it, and whether it ends a sentence."""
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
        what = f"the id {cell!r} in document {passage.name!r} cannot be written in a column"
        raise WriteError(what, hint="ids have no tabs and no line breaks, and are neither O nor - nor _")
    return cell


def _format_distance(passage: Passage, mention: Mention, losses: Losses) -> str | None:
    """Format the Levenshtein distance of a span for MISC; all other columns are lost."""
    found = None
    for name, value in mention.attributes.items():
        if name == "led" and isinstance(value, (int, float)) and 0 <= value == round(value, 2):
            found = f"LED{value:.2f}"
        else:
            losses.lose(f"{name!r} of spans", passage.name)
    return found


def _check_word(passage: Passage, word: str) -> None:
    if word.startswith("# ") or QUOTED.match(word.encode()):
        what = f"the word {word!r} of document {passage.name!r} would be read as something else"
        raise WriteError(what, hint="a '#' and a space begin a comment, and CSV quotes are removed")


WRITER = Writer(name="hipe", suffix=".tsv", write=write)
