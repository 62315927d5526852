"""Lines of numbered words, as in CoNLL-U and CoNLL-X, and their heads and enhanced edges as arcs between rows."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.corpus import ROOT, Arcs, Edges, owner_of_rows
from comparanda.core.heads import find_defects
from comparanda.core.places import Note, Source, first_places, make_read_error
from comparanda.core.text_columns import Slices, TextColumn
from comparanda.errors import ReadError, UsageError, suggest_nearest
from comparanda.formats.scanner import TAB, Block, remove_blank_spaces, scan_blocks
from comparanda.formats.tokens import NOT_ANNOTATED, Gathering, mend_column, refuse_unannotated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Codes, Rows
    from comparanda.formats.contract import Request


HEAD = "head"
ARC_COLUMNS = (HEAD, "deps")

_BAD, _EMPTY_NODE = -1, -2
_PIECE_ROWS = 1 << 16


def with_arcs(corpus: Corpus, request: Request) -> Corpus:
    """Add the arcs in the columns `head` and `deps` to a corpus, and drop these columns unless requested."""
    reader = _ArcReader(corpus.source, corpus.offset, corpus.sentences, request.side)
    arcs = reader.arcs(corpus.columns["head"], corpus.columns.get("deps"))
    kept = {name: column for name, column in corpus.columns.items() if name not in {*ARC_COLUMNS} - {*request.extra}}
    return replace(corpus, arcs=arcs, columns=kept, notes=(*corpus.notes, *reader.notes))


class _ArcReader:
    """Reads the arcs of one file.

    Args:
        source: the file's bytes.
        offset: the byte at which each row begins.
        sentences: the first row of each sentence, then the number of rows.
        side: the name the user gave the file, for notes.

    """

    def __init__(self, source: Source, offset: Codes, sentences: Rows, side: str) -> None:
        self.source = source
        self.offset = offset
        self.sentences = sentences
        self.side = side
        self.notes: list[Note] = []
        self._owner = owner_of_rows(sentences)
        self._sizes = np.diff(sentences)

    def arcs(self, head: TextColumn, deps: TextColumn | None) -> Arcs:
        """Read the trees, and the enhanced graphs if their column is filled; note what is unusual."""
        if set(head.names) <= set(NOT_ANNOTATED):
            raise ReadError(
                "the column of heads contains only '_': the file has tags, but no trees",
                where=self.source.parts[0].name,
                hint="compare its tags with --task tag",
            )
        return Arcs(self._read_heads(head), None if deps is None else self._read_edges(deps.as_written))

    def _read_heads(self, written: TextColumn) -> Rows:
        """Read and check the head of each word, in pieces that fit into the processor's cache."""
        numbers = np.array([int(name) if _is_number(name) else _BAD for name in written.names])
        heads = np.empty(len(written), np.int64)
        found: dict[str, list[Rows]] = {}
        for piece in _split_sentences(self.sentences):
            begin, end = int(piece[0]), int(piece[-1])
            heads[begin:end] = self._resolve_heads(numbers[written.codes[begin:end]], slice(begin, end), HEAD, written)
            for what, rows in find_defects(np.maximum(heads[begin:end] - begin, ROOT), piece - begin):
                found.setdefault(what, []).append(rows + begin)
        for what, each in found.items():
            rows = np.concatenate(each)
            if rows.size:
                self.notes.append(Note(self.side, what, len(rows), first_places(self.source, self.offset[rows[:3]])))
        return heads

    def _resolve_heads(self, numbers: Rows, rows: Rows | slice, what: str, written: TextColumn) -> Rows:
        """Turn numbers of words in the sentences of the given rows, 0 for the root, into rows; refuse other numbers."""
        owner = self._owner[rows]
        bad = np.flatnonzero((numbers < 0) | (numbers > self._sizes[owner]))
        if bad.size:
            row = int(np.arange(len(written))[rows][bad[0]])
            raise self._head_error(row, int(numbers[bad[0]]), what, written[row])
        heads = self.sentences[owner] + (numbers - 1)
        heads[numbers == 0] = ROOT
        return heads

    def _head_error(self, row: int, number: int, what: str, written: str) -> ReadError:
        begin, end = self.sentences[self._owner[row] : self._owner[row] + 2].tolist()
        details = [f"the sentence begins at {self.source.locate(int(self.offset[begin]))}"]
        hint = None
        if number != _BAD:
            message = f"the {what} is {number}, but the sentence has {end - begin} word{'s'[: end - begin != 1]}"
            details[0] += f" and ends at {self.source.locate(int(self.offset[end - 1]))}"
        elif what == HEAD:
            message = f"expected a head as a number from 0, got {written!r}"
        else:
            message = f"expected enhanced edges as head:relation|head:relation, got {written!r}"
            if _is_number(written):
                hint = "if this is a PHEAD, read the file as CoNLL-X: FILE::conllx"
        return make_read_error(self.source, int(self.offset[row]), message, details=details, hint=hint)

    def _read_edges(self, deps: TextColumn) -> Edges | None:
        """Read the edges of enhanced graphs, without those from or to empty nodes, as in the shared tasks."""
        parsed = [_parse_edges(name) for name in deps.names]
        if not any(parsed):
            return None
        labels = TextColumn.of([label for edges in parsed for _, label in edges])
        numbers = np.array([number for edges in parsed for number, _ in edges], np.int64)
        offsets = np.cumsum([0, *map(len, parsed)])
        size = np.diff(offsets)[deps.codes]
        rows = np.repeat(np.arange(len(deps)), size)
        place = np.arange(len(rows)) - np.repeat(np.cumsum(size) - size, size) + offsets[:-1][deps.codes[rows]]
        empty = numbers[place] == _EMPTY_NODE
        if empty.any():
            first = first_places(self.source, self.offset[rows[empty][:3]])
            self.notes.append(Note(self.side, "enhanced edges from empty nodes, left out", int(empty.sum()), first))
            rows, place = rows[~empty], place[~empty]
        return Edges(
            rows, self._resolve_heads(numbers[place], rows, "head of an enhanced edge", deps), labels.take(place)
        )


def _split_sentences(sentences: Rows) -> Iterator[Rows]:
    """Split the offsets of sentences after about every `_PIECE_ROWS` rows."""
    first = np.searchsorted(sentences, np.arange(0, sentences[-1], _PIECE_ROWS))
    cuts = np.unique(np.append(first, len(sentences) - 1)).tolist()
    return (sentences[begin : end + 1] for begin, end in itertools.pairwise(cuts))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _parse_edges(deps: str) -> list[tuple[int, str]]:
    """Parse the edges of one word: the number of the head, and the relation after the first colon, as it is written."""
    if deps.strip() in NOT_ANNOTATED:
        return []
    edges = []
    for edge in deps.split("|"):
        written, _, label = edge.partition(":")
        head = written.strip()
        node, dot, number = head.partition(".")
        if dot and label and _is_number(node) and _is_number(number):
            edges.append((_EMPTY_NODE, label))
        else:
            edges.append((int(head) if label and _is_number(head) else _BAD, label))
    return edges


# Tab-separated columns with one numbered word per line: what CoNLL-U and CoNLL-X share.


ALSO = {"cpostag": "upos", "postag": "xpos"}
"""Other names of columns, accepted for both formats: a CoNLL-X file without a PHEAD is also valid CoNLL-U."""

PAIRS = ("feats", "misc")
"""The columns whose cells hold keys with values."""

_HASH, _LOW_BYTE = np.uint64(ord("#")), np.uint64(0xFF)
_SPECIAL_ID = re.compile(r"([0-9]{1,9})([-.])([0-9]{1,9})")
_TENS = np.uint64(0x1010101010101010)
_NUMBERED_EMPTY_NODE = -1


@dataclass(frozen=True, slots=True)
class Dialect:
    """A format of numbered words.

    Args:
        name: the name of the format.
        title: its display name.
        columns: the names of the columns; `id` is the first, and `form` and `head` are among them.
        words_only: whether every line is a word, without comments, ranges (3-4) and empty nodes (8.1).

    """

    name: str
    title: str
    columns: tuple[str, ...]
    words_only: bool = False

    @property
    def width(self) -> int:
        """The number of columns of a line."""
        return len(self.columns)

    def number(self, name: str) -> int:
        """Return the index of a column given by its name, in any case, or by its number from 1.

        >>> dialect = Dialect("x", "X", ("id", "form", "upos"))
        >>> dialect.number("UPOS"), dialect.number("cpostag"), dialect.number("3")
        (2, 2, 2)
        """
        lowered = name.lower()
        found = self.named([lowered])
        if found:
            return found[lowered]
        if len(name) < 10 and name.isdecimal() and 1 <= int(name) <= self.width:
            return int(name) - 1
        raise UsageError(
            f"{self.title} has no column {name!r}{suggest_nearest(lowered, (*self.columns, *ALSO))}",
            hint=f"columns: {', '.join(self.columns)}, or 1–{self.width}",
        )

    def named(self, names: Iterable[str]) -> dict[str, int]:
        """Return the indices of those columns that exist."""
        known = {name: ALSO.get(name, name) for name in names}
        return {name: self.columns.index(known[name]) for name in known if known[name] in self.columns}


def read_numbered_words(source: Source, request: Request, dialect: Dialect, *, evaluated: bool = True) -> Corpus:
    """Read a file: words are the rows, ranges cover several of them, empty nodes are ignored.

    Args:
        source: the file.
        request: what the task wants of it.
        dialect: its format.
        evaluated: whether a column is evaluated; if not, only additional ones are read.

    """
    value, key = _parse_column(request, dialect) if evaluated else ("", "")
    wanted = {**({"value": dialect.number(value)} if evaluated else {}), **dialect.named(request.extra)}
    trees = request.layer == "arcs"
    if trees:
        if "column" in request.options:
            raise UsageError("trees are evaluated by heads and relations: the option 'column' does not apply")
        wanted |= dialect.named(ARC_COLUMNS)
    gathering = Gathering(source, wanted, width=dialect.width, word=dialect.columns.index("form"))
    try:
        for block in scan_blocks(source, TAB, request.max_line):
            _add_block(gathering, block, dialect)
    except ReadError:
        cleaned = remove_blank_spaces(source, request.side)
        if cleaned is None:
            raise
        return read_numbered_words(cleaned, request, dialect, evaluated=evaluated)
    mends = {name: _SORT_FEATS for name, number in wanted.items() if dialect.columns[number] == "feats"}
    corpus = gathering.corpus(request, dialect.name, mends=mends)
    if trees:
        corpus = with_arcs(corpus, request)
    if not evaluated:
        return corpus
    column, name = corpus.columns["value"], dialect.columns[wanted["value"]]
    if key:
        column, name = mend_column(column, lambda cell: _value_of_key(cell, key))[0], f"{name}:{key}"
    hint = _describe_filled(source, corpus, dialect)
    refuse_unannotated(column, f"the column {f'{value}:{key}' if key else value!r}", source, hint)
    return replace(corpus, columns={**corpus.columns, "value": column}, evaluated=name)


def _parse_column(request: Request, dialect: Dialect) -> tuple[str, str]:
    """Return the evaluated column, and the key in its cells if only that is evaluated: `misc:NE`."""
    value = request.options.get("column") or request.value
    if value is not None:
        name, _, key = value.partition(":")
        return (name, key) if key and name.lower() in PAIRS else (value, "")
    if request.layer == "spans":
        hint = f"name the column of chunk tags: --column NAME, or ::{dialect.name}?column=NAME for one file"
        raise UsageError(f"{dialect.title} has no standard column for spans", hint=hint)
    return "upos", ""


def _value_of_key(cell: str, key: str) -> str:
    """Return the value of a key in a cell of `Key=Value|…`, `_` if the key is absent."""
    return next((each[len(key) + 1 :] for each in cell.split("|") if each.startswith(f"{key}=")), "") or "_"


def sorted_features(value: str) -> str:
    """Sort features by name, ignoring case, as CoNLL-U requires.

    >>> sorted_features("Number=Sing|Case=Nom")
    'Case=Nom|Number=Sing'
    """
    if "|" not in value:
        return value
    return "|".join(sorted(value.split("|"), key=lambda feature: (feature.partition("=")[0].lower(), feature)))


_SORT_FEATS = {"whose features are not in alphabetical order, sorted": sorted_features}


def _describe_filled(source: Source, corpus: Corpus, dialect: Dialect) -> str:
    """List the columns that the first words fill, for a hint."""
    rows = range(min(20, len(corpus)))
    lines = [source.line_at(int(corpus.offset[row])).split("\t") for row in rows]
    named = enumerate(dialect.columns[2:], start=2)
    filled = [name for number, name in named if any(line[number] != "_" for line in lines)]
    found = f"columns with values: {', '.join(filled)}" if filled else "no column after the word has values"
    return f"{found}; choose one with --column NAME, or ::{dialect.name}?column=NAME for one file"


def _add_block(gathering: Gathering, block: Block, dialect: Dialect) -> None:
    """Add the words of one block."""
    blank = block.end == block.start
    comment = np.zeros(len(blank), np.bool_) if dialect.words_only else (block.first8 & _LOW_BYTE) == _HASH
    comment &= ~blank
    lines = np.flatnonzero(~(blank | comment))
    if (block.fields[lines] != dialect.width).any():
        raise _find_problem(gathering.source, block, dialect)
    lines, cuts = _select_words(gathering, block=block, lines=lines, blank_lines=np.flatnonzero(blank), dialect=dialect)
    gathering.mark(block, np.flatnonzero(comment), lines)
    gathering.add(block, lines, cuts)


def _select_words(
    gathering: Gathering, block: Block, lines: Rows, blank_lines: Rows, *, dialect: Dialect
) -> tuple[Rows, Rows]:
    """Check the ids and separate ranges (3-4) and empty nodes (8.1) from words; return words and sentence ends."""
    source = gathering.source
    first8 = block.first8[lines]
    special = _begins_special(first8)
    others = lines[special]
    if others.size:
        lines, first8 = lines[~special], first8[~special]
    cuts = np.searchsorted(lines, blank_lines)
    if not _is_numbered(first8, cuts):
        raise _find_problem(source, block, dialect)
    if not others.size:
        return lines, cuts
    named = Slices(source.buffer, *block.cut(others, dialect.width).slices(0)).intern()
    if dialect.words_only or not all(map(_SPECIAL_ID.fullmatch, named.names)):
        raise _find_problem(source, block, dialect)
    first, last = _range_ends(named)
    dashed = first != _NUMBERED_EMPTY_NODE
    ranges, size = others[dashed], (last - first + 1)[dashed]
    bounds = np.concatenate([np.zeros(1, np.int64), cuts, np.array([len(lines)], np.int64)])
    sentence = np.searchsorted(blank_lines, ranges)
    begin = np.searchsorted(lines, ranges)
    end = begin + size
    fit = (begin - bounds[sentence] + 1 == first[dashed]) & (size > 0) & (end <= bounds[sentence + 1])
    if not fit.all() or (begin[1:] < end[:-1]).any():
        raise _find_problem(source, block, dialect)
    if ranges.size:
        gathering.cover(begin, end, *block.cut(ranges, dialect.width).slices(dialect.columns.index("form")))
    return lines, cuts


def _range_ends(ids: TextColumn) -> tuple[Rows, Rows]:
    """Return the numbers of the first and the last word of each range; `_NUMBERED_EMPTY_NODE` for other ids."""
    nothing = (_NUMBERED_EMPTY_NODE, _NUMBERED_EMPTY_NODE)
    ends = [tuple(map(int, name.split("-"))) if "-" in name else nothing for name in ids.names]
    first, last = np.array(ends, np.int64).reshape(-1, 2)[ids.codes].T
    return first, last


def _begins_special(first8: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Whether the digits at the beginning of a line may be followed by the mark of a special id, not by a tab.

    Of the possible bytes, only digits have the bit 0x10; of the others, `-` and `.` have the bit 0x20, a tab has not.
    """
    others = ~first8 & _TENS
    first_other = others & (~others + np.uint64(1))
    found: NDArray[np.bool_] = first8 & (first_other << np.uint64(1)) != 0
    return found


def _is_numbered(first8: NDArray[np.uint64], cuts: Rows) -> bool:
    """Whether the ids of the words, given by the first bytes of their lines, are 1, 2, 3 … in each sentence."""
    bounds = np.concatenate([np.zeros(1, np.int64), cuts, np.array([len(first8)], np.int64)])
    sizes = np.diff(bounds)
    place = np.arange(len(first8)) - np.repeat(bounds[:-1], sizes)
    expected, kept = _id_bytes(int(sizes.max()))
    return bool((first8 & kept.take(place) == expected.take(place)).all())


_ID_BYTES = np.zeros((2, 0), np.uint64)


def _id_bytes(count: int) -> NDArray[np.uint64]:
    """Return the first eight bytes of lines with the ids 1 … count, as integers, with masks; the table grows."""
    global _ID_BYTES  # noqa: PLW0603 - a cache: its content depends on nothing but its length
    if _ID_BYTES.shape[1] < count:
        texts = [f"{number}\t".encode()[:8] for number in range(1, 2 * count + 256)]
        numbers = [int.from_bytes(text, "little") for text in texts]
        _ID_BYTES = np.array([numbers, [(1 << 8 * len(text)) - 1 for text in texts]], np.uint64)
    return _ID_BYTES


def _find_problem(source: Source, block: Block, dialect: Dialect) -> ReadError:
    """Check the lines of a block one by one, and make the error for the first invalid one."""
    checker = _LineChecker(source=source, dialect=dialect)
    for line, offset in enumerate(block.start.tolist()):
        if problem := checker.check_line(block.text(source, line), offset):
            return problem
    if problem := checker.end():
        return problem
    raise AssertionError("the scan refused a block in which every line fits")  # pragma: no cover


@dataclass(slots=True, kw_only=True)
class _LineChecker:
    """Checks a block line by line, given the number of words of the sentence so far and its last range.

    Each step returns the error that it finds, if any.
    """

    source: Source
    dialect: Dialect
    words: int = 0
    last_word: int = 0
    covered: int = 0
    last_range: int = 0

    def check_line(self, text: str, offset: int) -> ReadError | None:
        if not text:
            return self.end()
        if text[0] == "#" and not self.dialect.words_only:
            return None
        fields = text.split("\t")
        if len(fields) != self.dialect.width:
            return self._width_error(text, len(fields), offset)
        special = None if self.dialect.words_only else _SPECIAL_ID.fullmatch(fields[0])
        if special is None:
            return self._check_word(fields[0], offset)
        return self._check_range(int(special[1]), int(special[3]), offset) if special[2] == "-" else None

    def end(self) -> ReadError | None:
        """End the sentence."""
        words, covered = self.words, self.covered
        self.words = self.covered = 0
        if covered <= words:
            return None
        what = f"the range ends at word {covered}, but the sentence has {words or 'no'} word{'s'[: words != 1]}"
        details = [f"the last word is at {self.source.locate(self.last_word)}"] if words else []
        return make_read_error(self.source, self.last_range, what, details=details)

    def _check_word(self, found: str, offset: int) -> ReadError | None:
        if found == str(self.words + 1):
            self.words, self.last_word = self.words + 1, offset
            return None
        if not re.fullmatch(r"[0-9]+", found):
            return self._id_error(found, offset)
        what = f"expected id {self.words + 1}, got {found}"
        hint = "ids count 1, 2, 3 … in each sentence; sentences are separated by an empty line"
        return make_read_error(self.source, offset, what, details=self._last_id(), hint=hint)

    def _last_id(self) -> list[str]:
        return [f"the id {self.words} is at {self.source.locate(self.last_word)}"] if self.words else []

    def _id_error(self, found: str, offset: int) -> ReadError:
        if self.dialect.words_only:
            hint = (
                f"{self.dialect.title} has no ranges (3-4) or empty nodes (8.1); if the file is CoNLL-U: FILE::conllu"
            )
            return make_read_error(self.source, offset, f"the id {found!r} is not a number", hint=hint)
        return make_read_error(
            self.source, offset, f"the id {found!r} is not a number, range (3-4) or empty node (8.1)"
        )

    def _check_range(self, first: int, last: int, offset: int) -> ReadError | None:
        hint = "put a range before its first word; it names its first and last word: 3-4"
        details = self._last_id()
        if self.covered > self.words:
            what = f"the range {first}-{last} begins inside another, which ends at word {self.covered}"
            details = [f"the other range is at {self.source.locate(self.last_range)}"]
        elif last < first:
            what = f"the range {first}-{last} ends before it begins"
        elif first != self.words + 1:
            what = f"the range {first}-{last} is before word {self.words + 1}"
        else:
            self.covered, self.last_range = last, offset
            return None
        return make_read_error(self.source, offset, what, details=details, hint=hint)

    def _width_error(self, text: str, fields: int, offset: int) -> ReadError:
        title, width = self.dialect.title, self.dialect.width
        hint = "columns are separated by one tab"
        if text[0] == "#":
            hint = f"{title} has no comments; if the file is CoNLL-U: FILE::conllu"
        elif not text.strip():
            hint = "the line holds only white space; a sentence ends at an empty line"
        elif fields < width <= len(text.split()):
            hint = f"the columns of this line are separated by spaces; {title} requires tabs"
        return make_read_error(self.source, offset, f"expected {width} columns for {title}, got {fields}", hint=hint)
