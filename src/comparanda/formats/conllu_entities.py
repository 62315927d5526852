"""Entities in the MISC column of CoNLL-U: spans and mentions of chains as brackets, their heads, and `SpaceAfter`."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from comparanda.core.corpus import Fragments, RawText, Spans
from comparanda.core.ids import join_ids
from comparanda.core.places import Note, Source, first_places, make_read_error
from comparanda.core.text_columns import PADDING, Slices, TextColumn
from comparanda.errors import ReadError, UsageError, WriteError, suggest_nearest
from comparanda.formats.conllu import BRACKET_OPTIONS
from comparanda.formats.contract import choose_option
from comparanda.formats.cuts import UncuttableError
from comparanda.formats.document_writer import CHAIN, HEAD, TAGS, ZERO, Losses, Mention, Passage, Value, Writer
from comparanda.formats.entity_brackets import (
    AHEAD,
    CHAINS,
    NO_LABEL,
    Bracketed,
    Cell,
    chain_fields,
    escape,
    guessed_fields,
    named_fields,
    read_mentions,
    unescape,
)
from comparanda.formats.field_values import find_unwritable
from comparanda.formats.scanner import offset_type
from comparanda.formats.standoff import RESERVED
from comparanda.formats.tokens import MENDS, mend_column
from comparanda.formats.word_runs import (
    CROSSING,
    KEPT,
    Run,
    chain_of,
    find_ambiguous,
    fits_in_line,
    kept_elsewhere,
    no_words,
    runs_of,
    sentences_of,
    shared_names,
    words_of,
)

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


# Empty nodes of CoNLL-U, which carry mentions without words: 8.1 after word 8, 0.1 before the first.


MOST = 100
"""The largest number of an empty node that is retained, because all smaller ones are written too."""


class Node(NamedTuple):
    """An empty node.

    Args:
        row: the word after it.
        ahead: whether it belongs to the sentence that begins with that word, not to the previous one.
        number: its number at this place, from 1.

    """

    row: int
    ahead: bool
    number: int


class EmptyNodes:
    """The empty nodes of a document; `node_of` maps the number of a mention without words to its node."""

    def __init__(self) -> None:
        self.node_of: dict[int, Node] = {}
        self._count: dict[tuple[int, bool], int] = {}

    @classmethod
    def collect(cls, passage: Passage, starts: Collection[int], losses: Losses) -> EmptyNodes:
        """Collect the nodes that a document needs, given the words that begin its sentences.

        Nodes keep their numbers if these can be written: 1000001, for 0.1, only at the beginning of a sentence.
        """
        wanted: dict[tuple[int, int], list[int]] = {}
        for number, mention in enumerate(passage.mentions):
            if is_without_words(mention):
                wanted.setdefault((_find_row(passage, mention), _node_number(mention)), []).append(number)
        kept = {place: node for place in wanted if (node := _make_node(*place, starts)) is not None}
        nodes = cls()
        for place, node in kept.items():
            nodes.add(wanted[place], node)
        for row, number in sorted(wanted.keys() - kept.keys()):
            losses.lose("numbers of empty nodes that CoNLL-U does not allow there", passage.name)
            nodes.add(wanted[row, number], Node(row, row == 0, nodes.count(row, ahead=row == 0) + 1))
        return nodes

    def add(self, mentions: Iterable[int], node: Node) -> None:
        """Assign mentions to a node."""
        self.node_of.update(dict.fromkeys(mentions, node))
        self._count[node[:2]] = max(node.number, self._count.get(node[:2], 0))

    def count(self, row: int, *, ahead: bool) -> int:
        """Return the number of nodes before a word that belong to its sentence (`ahead`) or to the previous one."""
        return self._count.get((row, ahead), 0)

    def nodes_at(self, row: int, *, ahead: bool) -> Iterator[Node]:
        """Yield the nodes before a word that belong to its sentence (`ahead`) or to the previous one."""
        return (Node(row, ahead, number) for number in range(1, self.count(row, ahead=ahead) + 1))

    def line_number(self, runs: Sequence[Run], word: int) -> int:
        """Return the line of a mention that holds its n-th word, both from 1; empty nodes inside are lines too."""
        inside, left = 0, word
        for first, stop in runs:
            last = min(stop, first + left)
            inside += sum(self.count(row, ahead=ahead) for row in range(first + 1, last) for ahead in (False, True))
            left -= last - first
            if not left:
                break
        return word + inside


def is_without_words(mention: Mention) -> bool:
    """Whether a mention covers no text."""
    return all(begin == end for begin, end in mention.pieces)


def _find_row(passage: Passage, mention: Mention) -> int:
    """Return the word that follows a mention without words; refuse a mention inside a word."""
    row = bisect_left(passage.words, (mention.begin, mention.begin))
    if not passage.words or (row and passage.words[row - 1][1] > mention.begin):
        raise no_words(passage, mention, mention.pieces[0])
    return row


def _node_number(mention: Mention) -> int:
    """Return the number of a mention's node; 0 if it has none."""
    number = mention.attributes.get(ZERO)
    return number if isinstance(number, int) and number > 0 else 0


def _make_node(row: int, number: int, starts: Collection[int]) -> Node | None:
    """Make the node with a number before a word; None if CoNLL-U cannot hold it there."""
    ahead = number > AHEAD
    number -= AHEAD * ahead
    there = row in starts if ahead else row > 0
    return Node(row, ahead, number) if there and 1 <= number <= MOST else None


# Spans as brackets in MISC of CoNLL-U: `(e1-person` opens one, `e1)` closes it, `(e2-place)` does both.


_FIELD_NAME = re.compile(r"[^\W\d]\w*")
_RESERVED_FIELDS = frozenset(
    {"eid", "GRP", "etype", "entity", "identity", "document", "begin", "end", "label", "text", "id"}
)
_PROBABILITY = "probability"


def fields_of(documents: Sequence[Passage], losses: Losses) -> tuple[str, ...]:
    """Return the bracket fields for the attributes of spans, in order of first appearance, the id last as in GUM.

    Names of chains hold for the whole file (`eid`), or for each document if documents share names (`GRP`).
    """
    found: dict[str, None] = {}
    for each in documents:
        for mention in each.mentions:
            for name in mention.attributes:
                if each.chained and name == ZERO:
                    continue
                if name in _RESERVED_FIELDS or not _FIELD_NAME.fullmatch(name):
                    losses.lose(f"{name!r} of spans, whose name is not valid for a field of brackets", each.name)
                elif name != CHAIN:
                    found[name] = None
    linked = any(mention.ids is not None for each in documents for mention in each.mentions)
    own = any(each.chained for each in documents) and any(shared_names(documents))
    return ("GRP" if own else "eid", "etype", *found, *["identity"] * linked)


class Brackets:
    """Writes spans as brackets.

    Args:
        fields: the fields of brackets.
        losses: collects what cannot be written.
        taken: the names of entities that are in use.

    """

    def __init__(self, fields: tuple[str, ...], losses: Losses, taken: set[str]) -> None:
        self.fields = fields
        self.losses = losses
        self.taken = taken
        self.count = 0

    def cells(self, passage: Passage, nodes: EmptyNodes) -> defaultdict[int | Node, list[str]]:
        """Return the MISC entries with the brackets of each word and each empty node."""
        openings, singles, closings = (defaultdict[int | Node, list[tuple[int, str]]](list) for _ in range(3))
        worded = [number for number in range(len(passage.mentions)) if number not in nodes.node_of]
        given = runs_of(passage, map(passage.mentions.__getitem__, worded))
        joined = {number: self._join_adjacent(passage, runs) for number, runs in zip(worded, given, strict=True)}
        names = self._name_entities(passage, joined)
        if passage.chained:
            self._report_reassigned(passage, joined, nodes, names)
        for number, mention in enumerate(passage.mentions):
            runs = joined.get(number, [])
            tail = self._format_fields(passage, mention, runs, nodes)
            if number in nodes.node_of:
                singles[nodes.node_of[number]].append((0, f"({names[number]}{tail})"))
            for part, (first, stop) in enumerate(runs, start=1):
                own = names[number] if len(runs) == 1 else f"{names[number]}[{part}/{len(runs)}]"
                if stop == first + 1:
                    singles[first].append((0, f"({own}{tail})"))
                else:
                    openings[first].append((-stop, f"({own}{tail}"))
                    closings[stop - 1].append((-first, f"{own})"))
        cells: defaultdict[int | Node, list[str]] = defaultdict(list)
        for place in {**openings, **singles, **closings}:
            parts = (closings, openings, singles) if place in openings else (singles, closings)
            brackets = [text for part in parts for _, text in sorted(part[place], key=lambda each: each[0])]
            cells[place].append(f"{KEY}={''.join(brackets)}")
        return cells

    def _report_reassigned(
        self, passage: Passage, joined: Mapping[int, Sequence[Run]], nodes: EmptyNodes, names: Sequence[str]
    ) -> None:
        """Report mentions of several chains that readers assign to another chain, as brackets are in word order."""
        where = [nodes.node_of.get(number) or tuple(joined[number]) for number in range(len(names))]
        order = {number: (node.row, 0, 0) for number, node in nodes.node_of.items()}
        for number, ((first, stop), *_) in joined.items():
            order[number] = (first, 2, 0) if stop == first + 1 else (first, 1, -stop)
        mentions = [*zip(where, names, strict=True)]
        for _ in kept_elsewhere(mentions, sorted(range(len(names)), key=order.__getitem__)):
            self.losses.lose(KEPT, passage.name)

    def _join_adjacent(self, passage: Passage, runs: Sequence[Run]) -> list[Run]:
        """Join adjacent pieces of a span."""
        found = [runs[0]]
        for run in runs[1:]:
            if run.first > found[-1].stop:
                found.append(run)
            else:
                self.losses.lose("boundaries between adjacent pieces of spans", passage.name)
                found[-1] = Run(found[-1].first, max(found[-1].stop, run.stop))
        return found

    def _name_entities(self, passage: Passage, runs: Mapping[int, Sequence[Run]]) -> list[str]:
        """Return the name of each span's entity: its chain, or a new name."""
        chains = [*map(chain_of, passage.mentions)]
        worded = [*runs]
        for number in find_ambiguous([chains[each] for each in worded], [runs[each] for each in worded]):
            self.losses.lose(CROSSING, passage.name)
            chains[worded[number]] = None
        return [self._new_name() if each is None else escape(each) for each in chains]

    def _new_name(self) -> str:
        while True:
            self.count += 1
            if (name := f"e{self.count}") not in self.taken:
                return name

    def _format_fields(self, passage: Passage, mention: Mention, runs: Sequence[Run], nodes: EmptyNodes) -> str:
        """Format the fields after the name of an opening bracket, without empty ones at the end."""
        label = "" if passage.chained and mention.label == NO_LABEL else mention.label
        values = ["", escape(label)]
        for each in self.fields[2:]:
            if each == "identity":
                values.append(",".join(map(_escape_id, mention.ids or ())))
            elif each == HEAD and passage.chained:
                values.append(self._format_head(passage, mention, runs, nodes))
            else:
                values.append(self._format_value(passage, each, mention.attributes.get(each)))
        while not values[-1] and len(values) > 1:
            values.pop()
        return "-".join(values)

    def _format_head(self, passage: Passage, mention: Mention, runs: Sequence[Run], nodes: EmptyNodes) -> str:
        """Format the position of a mention's head, counting words and the empty nodes between them."""
        word = mention.attributes.get(HEAD)
        if word is None:
            return ""
        if not isinstance(word, int) or not 1 <= word <= sum(run.stop - run.first for run in runs):
            self.losses.lose(f"{HEAD!r} of spans that is not one of their words", passage.name)
            return ""
        return str(nodes.line_number(runs, word))

    def _format_value(self, passage: Passage, name: str, value: Value | None) -> str:
        if value is None:
            return ""
        if not isinstance(value, str) and name != _PROBABILITY:
            self.losses.lose(f"the type of {name!r} of spans, which is not a string", passage.name)
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if not text:
            self.losses.lose(f"empty {name!r} of spans", passage.name)
        return escape(text)


def names_taken(documents: Iterable[Passage]) -> Iterator[str]:
    """Yield the names of chains."""
    return (
        str(mention.attributes[CHAIN]) for each in documents for mention in each.mentions if CHAIN in mention.attributes
    )


def _escape_id(id_: str) -> str:
    return re.sub("^_", "%5F", escape(id_, ","))


# CoNLL-U with spans as brackets in MISC, as CorefUD and GUM write entities.
#
# `SpaceAfter` and `SpacesAfter` preserve the text, the field `identity` holds ids, and other attributes of spans have
# fields of their own names. Each span is an entity of its own unless a column `chain` groups them. Mentions of chains
# that cover no word are written on empty nodes.


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write all documents to one file."""
    del options
    given = list(documents)
    brackets = Brackets(fields_of(given, losses), losses, {*names_taken(given)})
    yield "", "".join(chain.from_iterable(_document_lines(each, brackets, losses) for each in given))


def _document_lines(passage: Passage, brackets: Brackets, losses: Losses) -> Iterator[str]:
    """Yield the lines of a document."""
    words, worded, nodes = words_of(passage), passage, EmptyNodes()
    if passage.chained:
        worded = replace(passage, mentions=tuple(each for each in passage.mentions if not is_without_words(each)))
        nodes = EmptyNodes.collect(passage, {each.first for each in sentences_of(worded, Losses())}, losses)
    cells = brackets.cells(passage, nodes)
    for number, entry in _space_attributes(passage, words, losses):
        cells[number].append(entry)
    yield from _header_comments(passage, brackets.fields, losses)
    if not words:
        yield "\n"
    for number, (first, stop) in enumerate(sentences_of(worded, losses), start=1):
        text = "".join(
            word if "SpaceAfter=No" in cells[row] else f"{word} "
            for row, word in enumerate(words[first:stop], start=first)
        )
        yield f"# sent_id = {'_'.join(passage.name.split())}-{number}\n# text = {text.strip()}\n"
        yield from (_format_line(f"0.{node.number}", "_", cells[node]) for node in nodes.nodes_at(first, ahead=True))
        for row in range(first, stop):
            upos, xpos, feats = (passage.tags[name][row] if name in passage.tags else "_" for name in TAGS)
            yield _format_line(
                f"{row - first + 1}", word=words[row], misc=cells[row], upos=upos, xpos=xpos, feats=feats
            )
            following = nodes.nodes_at(row + 1, ahead=False)
            yield from (_format_line(f"{row - first + 1}.{node.number}", "_", cells[node]) for node in following)
        yield "\n"


def _format_line(
    number: str, word: str, misc: Sequence[str], *, upos: str = "_", xpos: str = "_", feats: str = "_"
) -> str:
    return f"{number}\t{word}\t_\t{upos}\t{xpos}\t{feats}\t_\t_\t_\t{'|'.join(misc) or '_'}\n"


def _header_comments(passage: Passage, fields: Sequence[str], losses: Losses) -> Iterator[str]:
    """Yield the comments at the beginning of a document."""
    if not fits_in_line(passage.name):
        raise WriteError(
            f"the document name {passage.name!r} cannot be written in a line of CoNLL-U",
            hint="rename the document: line breaks, tabs and surrounding white space are not allowed",
        )
    yield f"# newdoc id = {passage.name}\n# global.{KEY} = {'-'.join(fields)}\n"
    for name, value in passage.attributes.items():
        if fits_in_line(name) and "=" not in name and (fits_in_line(value) or not value):
            yield f"# meta::{name} = {value}\n"
        else:
            losses.lose(f"the attribute {name!r} of documents, which cannot be written in a line", passage.name)


def _space_attributes(passage: Passage, words: Sequence[str], losses: Losses) -> Iterator[tuple[int, str]]:
    """Yield the MISC entries for the white space around words, each with the number of its word."""
    text, extents = passage.text, passage.words
    if not words:
        if text:
            losses.lose("texts of only white space", passage.name)
        return
    if any(len(word.split()) > 1 for word in words) and text != " ".join(words):
        losses.lose("white space of texts with spaces inside words", passage.name)
    gaps = [text[end:begin] for (_, end), (begin, _) in pairwise(extents)]
    for number, gap in enumerate(gaps):
        if gap != " ":
            yield number, f"SpacesAfter={written_spaces(gap)}" if gap else "SpaceAfter=No"
    if rest := text[extents[-1][1] :]:
        yield len(words) - 1, f"SpacesAfter={written_spaces(rest)}"
    if before := text[: extents[0][0]]:
        yield 0, f"SpacesBefore={written_spaces(before)}"


WRITER = Writer(
    name="conllu", suffix=".conllu", write=write, layers=frozenset({"spans", "chains"}), tags=frozenset(TAGS)
)
