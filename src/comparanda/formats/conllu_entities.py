"""Entities in the MISC column of CoNLL-U: brackets read as spans or mentions, heads of mentions, and `SpaceAfter`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from comparanda.core.corpus import Fragments, RawText, Spans
from comparanda.core.ids import join_ids
from comparanda.core.places import Note, Source, first_places, make_read_error
from comparanda.core.text_columns import PADDING, Slices, TextColumn
from comparanda.errors import ReadError, UsageError, suggest_nearest
from comparanda.formats.contract import choose_option
from comparanda.formats.cuts import UncuttableError
from comparanda.formats.entity_brackets import (
    AHEAD,
    CHAINS,
    Bracketed,
    Cell,
    chain_fields,
    guessed_fields,
    named_fields,
    read_mentions,
    unescape,
)
from comparanda.formats.field_values import find_unwritable
from comparanda.formats.scanner import offset_type
from comparanda.formats.standoff import RESERVED
from comparanda.formats.tokens import MENDS, mend_column

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Column, Rows
    from comparanda.formats.contract import Request


_NUMBER = re.compile(r"[0-9]{1,18}")
_EMPTY_NODE = re.compile(rb"^[0-9]+\.[0-9]+\t", re.MULTILINE)


# Heads of mentions: the word that a head number refers to.
#
# CorefUD numbers the words of a mention from 1, including empty nodes. Rows are words only, so numbers are converted.


class Heads:
    """The lines of words and empty nodes of one file, in order.

    >>> from comparanda.formats.entity_brackets import Bracketed, Cell
    >>> heads = Heads(np.array([5, 20, 40]), np.array([30]))  # the words 1, 2, 3, and 2.1
    >>> cells = [(Cell("(e1", 10, 0, 1), Cell("e1)", 45, 2, 3))]
    >>> mention = Bracketed(text="e1", fields=("eid",), chain="e1", place=10, cells=cells)
    >>> [heads.word(mention, number) for number in ("1", "3", "4", "5")]
    [1, 0, 3, None]
    """

    def __init__(self, words: Rows, nodes: Rows) -> None:
        lines = np.concatenate([words, nodes])
        order = np.argsort(lines, kind="stable")
        self._lines = lines[order]
        self._words_before = np.concatenate([np.zeros(1, np.int64), np.cumsum(order < len(words))])
        self._line_of = np.searchsorted(self._lines, words)

    @classmethod
    def of(cls, corpus: Corpus) -> Heads:
        """Index the lines of a corpus."""
        source = corpus.source
        nodes = [found.start() for found in _EMPTY_NODE.finditer(source.data, 0, source.size)]
        return cls(corpus.offset.astype(np.int64), np.array(nodes, np.int64))

    def word(self, mention: Bracketed, number: str) -> int | None:
        """Return the number of the head among the words of a mention, from 1.

        0 if the head is an empty node, None if the mention has no word or node of that number.
        """
        left, words, before = int(number) if _NUMBER.fullmatch(number) else 0, 0, self._words_before
        for opening, closing in mention.cells if left else ():
            first, stop = self._first_line(opening), self._line_after(closing)
            if left <= stop - first:
                line = first + left - 1
                inside = int(before[line + 1] - before[first])
                return words + inside if before[line + 1] > before[line] else 0
            left -= stop - first
            words += int(before[stop] - before[first])
        return None

    def _first_line(self, cell: Cell) -> int:
        return self._node_line(cell) if cell.node else int(self._line_of[cell.first])

    def _line_after(self, cell: Cell) -> int:
        return (self._node_line(cell) if cell.node else int(self._line_of[cell.stop - 1])) + 1

    def _node_line(self, cell: Cell) -> int:
        """Return the line of an empty node."""
        return int(np.searchsorted(self._lines, cell.place, side="right")) - 1


# Values in the MISC column of CoNLL-U, by key, and the text reconstructed from the words.
#
# `SpaceAfter=No` means that no space follows a word. `SpacesAfter=\n` gives the white space that follows, as UDPipe
# writes it: with `\s`, `\t`, `\r`, `\n`, `\p` for a bar, and `\\`.


_MISC_TABS = 9
_TEXT_COMMENT = re.compile(rb"^# ?text = ", re.MULTILINE)
_ESCAPE = re.compile(r"\\(?:u(?P<point>(?!0000|[Dd][89A-Fa-f])[0-9A-Fa-f]{4})|(?P<letter>[strnp\\]))")
"""Escape sequences; those of surrogates and NUL, which a text cannot contain, are left unchanged."""

_LETTERS = {"s": " ", "t": "\t", "r": "\r", "n": "\n", "p": "|", "\\": "\\"}
_ENCODED_LETTERS = str.maketrans({character: f"\\{letter}" for letter, character in _LETTERS.items()})


class Misc(NamedTuple):
    """The value of a key in one line.

    Args:
        value: the value.
        place: its byte offset.
        first: the row of the word of the line, or the next row if the line has no word.
        stop: the row after the last one of the line: a range has several rows, an empty node none.
        near: a row of the same document.
        node: for an empty node the number after the dot, see also `AHEAD`; for other lines 0.

    """

    value: str
    place: int
    first: int
    stop: int
    near: int
    node: int = 0


def misc_values(corpus: Corpus, key: str) -> Iterator[Misc]:
    """Yield the values of a key in MISC, line by line, including ranges and empty nodes."""
    places = list(_value_positions(corpus, key))
    rows = np.searchsorted(corpus.offset, np.array([line for line, _, _ in places], np.int64)).tolist()
    data = corpus.source.data
    for (line, begin, end), row in zip(places, rows, strict=True):
        number = str(data[line : data.index(b"\t", line)], "ascii")
        stop, near, node = row + 1, row, 0
        if "." in number:
            before, _, within = number.partition(".")
            stop, near = (row, row - 1) if int(before) else (row, row)
            node = int(within) + (0 if int(before) else AHEAD)
        elif "-" in number:
            first, last = map(int, number.split("-"))
            stop = row + last - first + 1
        yield Misc(value=str(data[begin:end], "utf-8"), place=begin, first=row, stop=stop, near=near, node=node)


def _value_positions(corpus: Corpus, key: str) -> Iterator[tuple[int, int, int]]:
    """Yield for each line with a key in MISC its byte offset, and the offsets at which the value begins and ends."""
    source, data = corpus.source, corpus.source.data
    pattern = re.compile(rb"%b=([^|\t\n]*)" % re.escape(key.encode(errors="surrogatepass")))
    line = newline = counted = tabs = given = -1
    for found in pattern.finditer(data, 0, source.size):
        if data[found.start() - 1] not in b"\t|":
            continue
        if found.start() > newline:
            line = counted = data.rfind(b"\n", 0, found.start()) + 1
            newline = data.find(b"\n", found.end(), source.size)
            newline, tabs = newline if newline >= 0 else source.size, 0
        tabs += data.count(b"\t", counted, found.start())
        counted = found.start()
        if tabs != _MISC_TABS or data[line] == ord("#"):
            continue
        if given == line:
            raise make_read_error(source, line, f"duplicate {key!r} in MISC")
        given = line
        yield line, *found.span(1)


def with_text(corpus: Corpus) -> Corpus:
    """Add the texts of the documents to a corpus, if the input indicates spacing.

    It does if it has `# text` or a `SpaceAfter`. The words must then make up the whole text: no text is added if there
    are words with spaces inside, or ranges whose words do not make up the token (`du` is `de` and `le`).
    """
    source, words = corpus.source, corpus.words
    spacing = {name: list(misc_values(corpus, name)) for name in ("SpaceAfter", "SpacesAfter", "SpacesBefore")}
    if words is None or not (any(spacing.values()) or _TEXT_COMMENT.search(source.data, 0, source.size)):
        return corpus
    forms = [words[row] for row in range(len(corpus))]
    if any(len(form.split()) != 1 for form in forms):
        return corpus
    gaps = [" "] * len(forms)
    if not _join_ranges(corpus, forms, gaps):
        return corpus
    for each in spacing["SpaceAfter"]:
        if each.value == "No" and each.stop > each.first:
            gaps[each.stop - 1] = ""
    ends = [row - 1 for row in corpus.row_documents[1:].tolist()]
    for row in ends:
        gaps[row] = ""
    for each in spacing["SpacesAfter"]:
        if each.stop > each.first:
            gaps[each.stop - 1] = decode_spaces(each.value)
    before = {each.first: decode_spaces(each.value) for each in spacing["SpacesBefore"] if each.stop > each.first}
    return _build_texts(corpus, forms, gaps, before)


def _join_ranges(corpus: Corpus, forms: list[str], gaps: list[str]) -> bool:
    """Remove the spaces between the words of each range; return whether the words make up the form of each range."""
    if corpus.ranges is None:
        return True
    ranges, buffer = corpus.ranges, corpus.source.buffer
    tokens = Slices(buffer, ranges.start, ranges.length)
    for number, (begin, end) in enumerate(zip(ranges.begin.tolist(), ranges.end.tolist(), strict=True)):
        if "".join(forms[begin:end]) != tokens[number]:
            return False
        gaps[begin : end - 1] = [""] * (end - begin - 1)
    return True


def _build_texts(corpus: Corpus, forms: list[str], gaps: list[str], before: dict[int, str]) -> Corpus:
    """Concatenate words and spacing to the texts of the documents, and make the words slices of these."""
    bounds = corpus.row_documents
    leads = [""] * len(forms)
    for row in {*bounds[:-1].tolist()} & before.keys():
        leads[row] = before[row]
    padded = list(map("".join, zip(leads, forms, gaps, strict=True)))
    texts = tuple("".join(padded[first:last]) for first, last in pairwise(bounds.tolist()))
    begin, end = _compute_extents([[len(part) for part in parts] for parts in (leads, forms, gaps)])
    shift = np.repeat(np.cumsum([0, *(len(text) for text in texts)])[:-1], np.diff(bounds))
    start, stop = _compute_extents([[len(part.encode()) for part in parts] for parts in (leads, forms, gaps)])
    buffer = np.frombuffer("".join(texts).encode() + bytes(PADDING), np.uint8)
    words = Slices(buffer, start, stop - start)
    return replace(corpus, words=words, ranges=None, raw=RawText(texts, begin - shift, end - shift))


def _compute_extents(sizes: list[list[int]]) -> tuple[Rows, Rows]:
    """Return the positions at which words begin and end, given the sizes of each word and of the space around it."""
    before, size, after = np.array(sizes, np.int64)
    begin = np.cumsum(before + size + after) - after - size
    return begin, begin + size


def decode_spaces(value: str) -> str:
    r"""Decode the white space in a value of `SpacesAfter`; `written_spaces` is the inverse.

    >>> decode_spaces(r"\s\n"), written_spaces("| ")
    (' \n', '\\p\\s')
    """
    return _ESCAPE.sub(lambda found: _LETTERS.get(found["letter"]) or chr(int(found["point"], 16)), value)


def written_spaces(text: str) -> str:
    """Encode white space as a value of `SpacesAfter`."""
    return text.translate(_ENCODED_LETTERS)


# Mentions collected into spans.


NO_LABEL = "ENTITY"
"""The label of spans that have none."""

ZERO, HEAD = "zero", "head"
"""Numeric columns of mentions: the number of the empty node that is the mention, and that of the head word, from 1."""

_LABEL_FIELDS = ("etype", "entity")
_ID_FIELDS = ("identity",)
_ID_SEPARATOR = re.compile(",(?!_)")  # not in titles of Wikipedia, where an underscore follows: Tulsa,_Oklahoma


class Gathered:
    """Collects the spans of all documents and their columns.

    Args:
        source: the bytes.
        label: the field that holds the label; None for the default.
        heads: finds heads; only for mentions of chains. The column `head` then holds numbers, and mentions that are
            just an empty node are retained as spans of length zero, with the number of the node in the column `zero`.

    """

    def __init__(self, source: Source, label: str | None, heads: Heads | None = None) -> None:
        self.source = source
        self.asked = label
        self.heads = heads
        self.label_field = label or _LABEL_FIELDS[0]
        self.headless: list[int] = []
        self.empty: list[int] = []
        self._documents: list[int] = []
        self._pieces: list[list[tuple[int, int]]] = []
        self._places: list[int] = []
        self._labels: list[str] = []
        self._field_values: dict[str, dict[int, str]] = {}

    def add(self, document: int, base: int, found: Sequence[Bracketed]) -> None:
        """Add the mentions of a document, whose rows begin at `base`."""
        names: Sequence[str] | None = None
        for mention in found:
            if mention.fields is not names:
                names = mention.fields
                column_of = self._target_columns(mention)
            number, pieces = len(self._labels), mention.pieces
            if not pieces and (mention.zero is None or self.heads is None):
                self.empty.append(mention.place)
                continue
            if not pieces and mention.zero is not None:
                row, node = mention.zero
                pieces = [(row, row)]
                self._field_values.setdefault(ZERO, {})[number] = str(node)
            self._documents.append(document)
            self._pieces.append([(begin - base, end - base) for begin, end in pieces])
            self._places.append(mention.place)
            self._labels.append(NO_LABEL)
            if mention.chain is not None:
                self._field_values.setdefault("chain", {})[number] = unescape(mention.chain)
            for name, value in mention.values():
                if name == HEAD and self.heads is not None:
                    self._set_head(number, mention, value)
                else:
                    self._set_value(number, column_of[name], value)

    def _target_columns(self, mention: Bracketed) -> dict[str, str]:
        """Map each field to `label`, `id` or a column of its name; the chain, which is stored separately, to ''."""
        fields = mention.fields
        if self.asked is not None and self.asked not in fields:
            raise make_read_error(
                self.source,
                mention.place,
                f"the brackets have no field {self.asked!r}{suggest_nearest(self.asked, fields)}",
                hint=f"their fields: {', '.join(fields)}",
            )
        label = self.asked or next((name for name in _LABEL_FIELDS if name in fields), "")
        columns = {name: f"entity_{name}" if name in RESERVED else name for name in fields}
        return {
            **columns,
            **dict.fromkeys(_ID_FIELDS, "id"),
            **dict.fromkeys((name for name in CHAINS if name in fields), ""),
            label: "label",
        }

    def _set_head(self, number: int, mention: Bracketed, value: str) -> None:
        """Store the number of the word that is the head of a mention, unless the head is an empty node."""
        assert self.heads is not None
        found = self.heads.word(mention, value)
        if found is None:
            self.headless.append(mention.place)
        elif found:
            self._field_values.setdefault(HEAD, {})[number] = str(found)

    def _set_value(self, number: int, column: str, value: str) -> None:
        if column == "id":
            ids = join_ids(map(unescape, _ID_SEPARATOR.split(value)))
            if ids is not None:
                self._field_values.setdefault("id", {})[number] = ids
            return
        if "%" in value or "&" in value:
            value = unescape(value)
            if problem := find_unwritable(value):
                raise make_read_error(self.source, self._places[number], f"{problem[0]} in {value!r}", hint=problem[1])
        if column == "label":
            self._labels[number] = value if value.strip() else NO_LABEL
        elif column:
            self._field_values.setdefault(column, {})[number] = value

    def spans(self, side: str) -> tuple[Spans, list[Note]]:
        """Return the spans, and notes on labels that were normalised."""
        count, place = len(self._labels), np.array(self._places, np.int64)
        label, notes = TextColumn.of(self._labels), []
        for what, mend in MENDS.items():
            label, rows = mend_column(label, mend)
            if rows.size:
                notes.append(Note(side, f"labels {what}", len(rows), first_places(self.source, place[rows[:3]])))
        spans = Spans(
            unit="tokens",
            document=np.array(self._documents, np.int64),
            begin=np.array([pieces[0][0] for pieces in self._pieces], np.int64),
            end=np.array([pieces[-1][1] for pieces in self._pieces], np.int64),
            label=label.sorted(),
            offset=place.astype(offset_type(self.source)),
            fragments=self._fragments(),
            columns={
                name: self._build_column(name, list(map(values.get, range(count))))
                for name, values in self._field_values.items()
            },
        )
        return spans, notes

    def _fragments(self) -> Fragments | None:
        several = [
            (number, begin, end)
            for number, pieces in enumerate(self._pieces)
            if len(pieces) > 1
            for begin, end in pieces
        ]
        return Fragments(*np.array(several, np.int64).T) if several else None

    def _build_column(self, name: str, values: list[str | None]) -> Column:
        """Build a column of strings; of numbers for heads and empty nodes, and for probabilities if all are numeric."""
        if self.heads is not None and name in {ZERO, HEAD}:
            return np.array([np.nan if value is None else float(value) for value in values])
        if name == "probability":
            try:
                return np.array([np.nan if value is None else float(value) for value in values])
            except ValueError:
                pass
        return TextColumn.of(values)


# Brackets in MISC read as spans of words: the entities of CorefUD and GUM.


BRACKET_OPTIONS: Mapping[str, str] = {
    "entities": "spans, chains: the key in MISC whose brackets are spans (Entity, if the file has it and no column is "
    "chosen), or none",
    "fields": "spans, chains: the fields of brackets, for files that do not declare them: eid-etype-head-other",
    "label": "spans, chains: the field of brackets that is the label (default: etype)",
    "broken": "spans, chains: how to handle unclosed or unopened brackets: refuse, drop",
}

BROKEN = ("refuse", "drop")
BROKEN_DROPPED = "unclosed or unopened brackets ignored"

KEY = "Entity"
NO_BRACKETS = "none"


def chosen_key(source: Source, request: Request) -> str | None:
    """Return the key in MISC whose brackets are the spans; None if the spans are chunk tags in a column."""
    asked = request.options.get("entities")
    if "column" in request.options and request.options.keys() & BRACKET_OPTIONS.keys():
        raise UsageError(
            "?column= selects chunk tags, so there are no brackets to read", hint="leave out one of the options"
        )
    if asked is not None:
        return None if asked == NO_BRACKETS else asked
    if request.options.keys() & BRACKET_OPTIONS.keys():
        return KEY
    if "column" in request.options or request.value is not None:
        return None
    there = re.compile(rb"^(?:[0-9][^\n]*[\t|]|# ?global\.)%b *=" % KEY.encode(), re.MULTILINE)
    found = there.search(source.data, 0, source.size)
    if found is None and source.whole is not None:  # which may have some
        raise UncuttableError(f"a part of {source.parts[0].name} has no {KEY!r} in MISC")
    return None if found is None else KEY


def key_of_chains(request: Request) -> str:
    """Return the key in MISC whose brackets are the mentions of chains."""
    asked = request.options.get("entities", KEY)
    if asked == NO_BRACKETS or "column" in request.options:
        option = "entities=none" if asked == NO_BRACKETS else "column"
        raise UsageError(f"chains are read from brackets in MISC, which ?{option} excludes", hint="leave it out")
    return asked


def with_entities(corpus: Corpus, request: Request, key: str) -> Corpus:
    """Add to a corpus the spans, or mentions of chains, in the brackets of a key, as ranges of rows."""
    source, chains = corpus.source, request.layer == "chains"
    sections = _FieldDeclarations(source, request, key)
    cells = [each for each in misc_values(corpus, key) if each.value != "_"]
    if not cells and not sections.headers:
        if source.whole is not None:
            raise UncuttableError(f"a part of {source.parts[0].name} has no {key!r} in MISC")
        hint = f"set the key that holds the brackets: ::conllu?entities=KEY (default: {KEY})"
        raise ReadError(f"no line has {key!r} in MISC", where=source.parts[0].name, hint=hint)
    fields = sections.fields(cells)
    broken: list[int] | None = [] if choose_option(request.options, "broken", BROKEN) == "drop" else None
    gathered = Gathered(source, request.options.get("label"), Heads.of(corpus) if chains else None)
    for document, some in _group_by_document(corpus, zip(cells, fields, strict=True)):
        brackets = (
            (Cell(text=each.value, place=each.place, first=each.first, stop=each.stop, node=each.node), names)
            for each, names in some
        )
        found = read_mentions(source, brackets, request.limits.open, broken)
        gathered.add(document, int(corpus.row_documents[document]), found)
    ranges = [each.place for each in cells if each.stop > each.first + 1]
    kinds = {
        "brackets on multiword tokens, read as covering all their words": ranges,
        BROKEN_DROPPED: sorted(broken or ()),
        "spans of empty nodes alone ignored": gathered.empty,
        "heads that are not a word of their mention ignored": gathered.headless,
    }
    notes = [
        Note(request.side, what, len(places), first_places(source, np.array(places[:3])))
        for what, places in kinds.items()
        if places
    ]
    spans, mends = gathered.spans(request.side)
    evaluated = "chains" if chains else gathered.label_field
    return replace(corpus, spans=spans, evaluated=evaluated, notes=(*corpus.notes, *sections.notes, *notes, *mends))


def _group_by_document(
    corpus: Corpus, cells: Iterator[tuple[Misc, Sequence[str]]]
) -> Iterator[tuple[int, Iterator[tuple[Misc, Sequence[str]]]]]:
    """Group cells by the number of their document."""
    given = list(cells)
    near = np.minimum(np.array([each.near for each, _ in given], np.int64), len(corpus) - 1)
    numbers = iter((np.searchsorted(corpus.row_documents, near, side="right") - 1).tolist())
    yield from groupby(given, key=lambda _: next(numbers))


class _FieldDeclarations:
    """Field names declared in header lines; each applies from its line to the next header or the end of the file."""

    def __init__(self, source: Source, request: Request, key: str) -> None:
        self.source = source
        self.request = request
        self.key = key
        self.notes: list[Note] = []
        header = re.compile(rb"^# ?global\.%b *=([^\n]*)" % re.escape(key.encode(errors="surrogatepass")), re.MULTILINE)
        self.headers = [
            (each.start(), named_fields(str(each[1].strip(b" "), "utf-8")))
            for each in header.finditer(source.data, 0, source.size)
        ]

    def fields(self, cells: Sequence[Misc]) -> list[Sequence[str]]:
        """Return the field names of each cell; for chains, refuse those without a chain field."""
        found = self._declared_fields(cells)
        if self.request.layer == "chains":
            for each, names in zip(cells, found, strict=True):
                if not {*CHAINS} & {*names}:
                    what = f"no field of the brackets identifies the chain: {'-'.join(names)}"
                    raise make_read_error(self.source, each.place, what, hint="set the fields: ?fields=etype-eid-other")
        return found

    def _declared_fields(self, cells: Sequence[Misc]) -> list[Sequence[str]]:
        if asked := self.request.options.get("fields"):
            return [named_fields(asked)] * len(cells)
        files: list[tuple[int, Sequence[str]]] = [(part.begin, ()) for part in self.source.parts]
        sections = sorted([*files, *self.headers])  # a header in the first line sorts after the beginning of the file
        places = [place for place, _ in sections]
        found = [sections[bisect_right(places, each.place) - 1][1] for each in cells]
        if all(found):
            return found
        bare = [each for each, names in zip(cells, found, strict=True) if not names]
        guess = chain_fields if self.request.layer == "chains" else guessed_fields
        guessed = guess(each.value for each in bare)
        what = f"brackets without a preceding line '# global.{self.key}', read as {'-'.join(guessed)}"
        first = first_places(self.source, np.array([each.place for each in bare[:3]]))
        self.notes.append(Note(self.request.side, what, len(bare), first))
        return [names or guessed for names in found]
