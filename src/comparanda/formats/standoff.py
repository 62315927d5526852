"""Standoff annotation: spans given as offsets into a text, checked, and the text tokenised into rows."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from comparanda.core.corpus import Corpus, Documents, Fragments, RawText, Spans
from comparanda.core.places import Note, Source, first_places, make_read_error
from comparanda.core.registry import find_registered
from comparanda.core.text_columns import PADDING, Slices, TextColumn
from comparanda.errors import UsageError
from comparanda.formats.contract import NO_SCORE_HINT, choose_option
from comparanda.formats.cuts import UncuttableError
from comparanda.formats.field_values import find_unwritable, is_collection, is_missing
from comparanda.formats.scanner import offset_type
from comparanda.formats.tokens import MENDS, mend_column

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.text_columns import Codes, Column, Rows, Truths
    from comparanda.errors import ReadError
    from comparanda.formats.contract import Request


# Tokenisation of plain texts into words and sentences, so that spans given by characters have rows.
#
# The rules are simple and the same for every language:
#
# - A word is a maximal run of letters, marks, numbers (Unicode categories L, M, N) and underscores.
# - Any other character except white space is a word by itself.
# - A sentence is a line of the text that contains words.


_SPACE, _WORD, _OTHER = 0, 1, 2
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TokenisedTexts:
    """The words of some texts.

    Args:
        begin: the code point of its text at which each word begins.
        end: the code point at which it ends, exclusive.
        rows: the first word of each text, and finally the number of words.
        sentences: the first word of each sentence, and finally the number of words.
        start: the byte at which each word begins in the concatenation of all texts in UTF-8.
        length: the number of its bytes.

    """

    begin: Rows
    end: Rows
    rows: Rows
    sentences: Rows
    start: Rows
    length: Rows

    def words(self, texts: Sequence[str]) -> Slices:
        """Return the words as slices of the tokenised texts."""
        data = "".join(texts).encode() + bytes(PADDING)
        return Slices(np.frombuffer(data, np.uint8), self.start, self.length)


def tokenise_texts(texts: Sequence[str]) -> TokenisedTexts:
    r"""Tokenise texts into words.

    >>> texts = ["Dr. Wu\n", "", "\u20ac5"]
    >>> found = tokenise_texts(texts)
    >>> [found.words(texts)[row] for row in range(len(found.begin))]
    ['Dr', '.', 'Wu', '€', '5']
    >>> found.begin.tolist(), found.rows.tolist()
    ([0, 2, 4, 0, 1], [0, 3, 3, 5])
    """
    joined = "".join(texts)
    points = code_points(joined)
    bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(text) for text in texts], dtype=np.int64)])
    kinds = _character_classes(joined, points)
    word = kinds == _WORD
    continues = np.zeros(len(points) + 1, np.bool_)
    continues[1:-1] = word[:-1] & word[1:]
    continues[bounds] = False
    solid = kinds != _SPACE
    begin, end = np.flatnonzero(solid & ~continues[:-1]), np.flatnonzero(solid & ~continues[1:]) + 1
    rows = np.searchsorted(begin, bounds)
    first = np.repeat(bounds[:-1], np.diff(rows))
    start = _utf8_offsets(points, begin)
    length = _utf8_offsets(points, end) - start
    return TokenisedTexts(
        begin=begin - first,
        end=end - first,
        rows=rows,
        sentences=_sentences(points, begin, rows),
        start=start,
        length=length,
    )


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le"), "<u4")


def utf8_sizes(points: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return the number of bytes of each code point in UTF-8."""
    sizes = np.ones(len(points), np.uint8)
    for first in (0x80, 0x800, 0x10000):
        sizes += points >= first
    return sizes


def _utf8_offsets(points: NDArray[np.uint32], wanted: Rows) -> Rows:
    """Return the UTF-8 byte offsets of code points; only those of more than one byte need to be counted."""
    wide = np.flatnonzero(points >= 0x80)
    if not wide.size:
        return wanted
    further = np.concatenate([np.zeros(1, np.int64), np.cumsum(utf8_sizes(points[wide]) - 1, dtype=np.int64)])
    places: Rows = wanted + further[np.searchsorted(wide, wanted)]
    return places


def _character_classes(text: str, points: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Classify each code point as white space, word character or other."""
    table = np.zeros(int(points.max(initial=0)) + 1, np.uint8)
    for character in set(text):
        table[ord(character)] = _classify_character(character)
    return table[points]


def _classify_character(character: str) -> int:
    if character.isspace() or character == _BYTE_ORDER_MARK:
        return _SPACE
    return _WORD if unicodedata.category(character)[0] in "LMN" or character == "_" else _OTHER


def _sentences(points: NDArray[np.uint32], begin: Rows, rows: Rows) -> Rows:
    """Return the first word of each line that contains words, and finally the number of words."""
    line = np.searchsorted(np.flatnonzero(points == ord("\n")), begin)
    begins = np.ones(len(begin) + 1, np.bool_)
    begins[1:-1] = np.diff(line) > 0
    begins[rows] = True
    return np.flatnonzero(begins)


# Offset conventions: code points as here, or what other programs count, detected from the covered text.


Offsets = Literal["code-points", "utf-16", "bytes", "inclusive"]
OFFSETS: tuple[Offsets, ...] = get_args(Offsets)
Base = Literal["0", "1"]
BASES: tuple[Base, ...] = get_args(Base)
YES_NO = ("no", "yes")

OPTION = {
    "offsets": f"spans: what begin and end count: {', '.join(OFFSETS)} (code points, the end included); "
    "detected from the stated text of spans by default",
    "base": "spans: the number of the first character of a text: 0 or 1; detected likewise, if offsets is not set",
    "strip": "spans: yes to leave out white space at the beginning and end of spans",
}

MEANING: Mapping[Offsets, str] = {
    "code-points": "count code points",
    "utf-16": "count UTF-16 units (as JavaScript and Java do)",
    "bytes": "count bytes of UTF-8",
    "inclusive": "count code points and include the end",
}


@dataclass(frozen=True, slots=True)
class Convention:
    """What offsets count.

    Args:
        offsets: the unit, and whether the end is included.
        base: the number of the first character.

    """

    offsets: Offsets = "code-points"
    base: int = 0

    @property
    def meaning(self) -> str:
        """The convention in words, after "offsets that"."""
        return f"{MEANING[self.offsets]}{', from 1' if self.base else ''}"

    @property
    def options(self) -> dict[str, str]:
        """The options that are set for this convention."""
        return {"offsets": self.offsets, "base": str(self.base)}


NOWHERE = -1
"""Replaces an offset that is not at a code point boundary of the text."""


@dataclass(frozen=True, eq=False, slots=True)
class Pieces:
    """The pieces of spans: one for most, several for discontinuous ones.

    Args:
        span: the span to which each piece belongs; not descending.
        begin: the offset at which it begins.
        end: the offset at which it ends.

    """

    span: Rows
    begin: Rows
    end: Rows


def requested_offsets(options: Mapping[str, str]) -> Offsets | None:
    """Return the offset convention the user chose; None if it is to be detected."""
    return choose_option(options, "offsets", OFFSETS) if "offsets" in options else None


def requested_base(options: Mapping[str, str]) -> int | None:
    """Return the number of the first character that the user chose; None if it is to be detected."""
    return int(choose_option(options, "base", BASES)) if "base" in options else None


def convert_pieces(pieces: Pieces, owner: Rows, texts: Sequence[str], convention: Convention) -> Pieces:
    """Convert pieces to code points, half-open.

    Args:
        pieces: the pieces with the offsets of the file.
        owner: the index of the text of each piece; not descending.
        texts: the texts.
        convention: the offset convention of the file.

    """
    offsets = convention.offsets
    if convention.base:
        pieces = Pieces(pieces.span, pieces.begin - convention.base, pieces.end - convention.base)
    if offsets == "code-points":
        return pieces
    if offsets == "inclusive":
        return Pieces(pieces.span, pieces.begin, pieces.end + 1)
    begin, end = np.empty_like(pieces.begin), np.empty_like(pieces.end)
    bounds = np.searchsorted(owner, np.arange(len(texts) + 1))
    for number, text in enumerate(texts):
        here = slice(bounds[number], bounds[number + 1])
        places = places_in(text, offsets)
        begin[here], end[here] = (
            _find_code_points(places, pieces.begin[here]),
            _find_code_points(places, pieces.end[here]),
        )
    return Pieces(pieces.span, begin, end)


def strip_pieces(pieces: Pieces, owner: Rows, texts: Sequence[str]) -> Pieces:
    """Leave out white space at both ends of pieces; those of white space alone are unchanged."""
    begin, end = pieces.begin.tolist(), pieces.end.tolist()
    for piece, number in enumerate(owner.tolist()):
        covered = texts[number][begin[piece] : end[piece]]
        if covered != (stripped := covered.strip()) and stripped:
            begin[piece] += len(covered) - len(covered.lstrip())
            end[piece] = begin[piece] + len(stripped)
    return Pieces(pieces.span, np.array(begin, np.int64), np.array(end, np.int64))


def places_in(text: str, offsets: Offsets) -> Rows:
    """Return the offset of each code point, and finally that of the end, in an offset convention.

    >>> places_in("a😀b", "utf-16").tolist()
    [0, 1, 3, 4]
    >>> places_in("a😀b", "code-points").tolist()
    [0, 1, 2, 3]
    """
    points = code_points(text)
    wide = offsets == "utf-16"
    sizes = utf8_sizes(points) if offsets == "bytes" else 1 + ((points >= 0x10000) & wide)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def _find_code_points(places: Rows, wanted: Rows) -> Rows:
    number = np.searchsorted(places, wanted)
    there: Truths = places[np.minimum(number, len(places) - 1)] == wanted
    return np.where(there, number, NOWHERE)


# Checks of span offsets against the text: inside it, and covering the text stated for the span.


_FROM_ONE_HINT = "offsets count from 1 with base=1"
_OTHER_TEXT_HINT = "check that this is the annotated text; offsets count its code points"
_HALF_OPEN_HINT = "offsets count from 0, and the end is the position after the last character"
_INCLUSIVE_HINT = "offsets count from 0, and the end is the position of the last character"

COUNTING = "spans whose offsets"
"""Beginning of the note about an offset convention that is not the default."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Extents:
    """The spans of the documents with the offsets of the input.

    Args:
        source: the bytes they were read from.
        side: the name of the input.
        names: the names of the documents.
        texts: their texts; empty if the input has none.
        document: the document of each span; not descending.
        place: its byte offset in the source.
        label: its label.
        stated: the covered text that the input states for a span, if it does.
        called: describes a span for messages, given its number, and its number within its document.
        pieces: the pieces of the spans.
        format: the name of the format, of whose options hints are made.

    """

    source: Source
    side: str
    names: Sequence[str]
    texts: Sequence[str]
    document: Rows
    place: Rows
    label: TextColumn
    stated: Mapping[int, Any]
    called: Callable[[int, int], str]
    pieces: Pieces
    format: str

    def check(
        self, asked: Offsets | None, usual: Offsets = "code-points", base: int | None = None
    ) -> tuple[Pieces, Convention, list[Note]]:
        """Return the pieces in code points, the convention, and notes on it and on mismatched spans.

        What is not asked for is taken from the convention that fits the stated texts best; in case of a tie, the usual
        one. Spans outside the text are refused, and so is an input in which most spans do not cover their stated text.
        """
        given, offsets, notes = self.pieces, asked or usual, []
        found = Convention(offsets, base or 0)
        hint = _INCLUSIVE_HINT if offsets == "inclusive" else _HALF_OPEN_HINT
        hint = _FROM_ONE_HINT if base else hint
        self._check_none(given.begin < found.base, lambda begin, _: f"begins at {begin}, before the text", hint)
        stop = given.end + (offsets == "inclusive")
        self._check_none(stop < given.begin, lambda begin, end: f"ends at {end}, before it begins at {begin}", hint)
        if not self.texts:
            if offsets in {"utf-16", "bytes"} and asked:
                raise UsageError(
                    f"offsets={offsets} cannot be read without the texts", hint="provide texts with the spans"
                )
            found = Convention("inclusive" if offsets == "inclusive" else "code-points", found.base)
            return convert_pieces(given, self._piece_documents, (), found), found, []
        pieces = self._convert(found)
        outside, unlike = self._find_outside(pieces), self._find_mismatches(pieces)
        if asked is None and (unlike or outside.any()):
            other, fewer = self._find_best_convention(found, base)
            if len(fewer) < len(unlike) and 2 * len(fewer) <= len(self.stated):
                found, unlike = other, fewer
                pieces = self._convert(found)
                outside = self._find_outside(pieces)
                what = f"{COUNTING} {found.meaning}, as their stated text shows"
                notes.append(Note(self.side, what, len(self.document)))
        if outside.any():
            raise self._outside_error(int(outside.argmax()), found)
        if 2 * len(unlike) > len(self.stated):
            problem = self._mismatch_error(pieces, unlike, found)
            if self.source.whole is not None:  # of which they may be few
                raise UncuttableError(str(problem))
            raise problem
        if unlike:
            what = "spans whose stated text differs from the text at their offsets (offsets are used)"
            places = tuple(
                f"{self._describe(span)}: {self.source.locate(int(self.place[span]))}" for span in unlike[:3]
            )
            notes.append(Note(self.side, what, len(unlike), places))
        return pieces, found, notes

    @property
    def _piece_documents(self) -> Rows:
        return self.document[self.pieces.span]

    def _find_outside(self, pieces: Pieces) -> Truths:
        """Return for each piece whether it is not inside its text."""
        lengths = np.array([len(text) for text in self.texts], np.int64)[self._piece_documents]
        outside: Truths = (pieces.end > lengths) | (pieces.begin == NOWHERE) | (pieces.end == NOWHERE)
        return outside

    def _find_mismatches(self, pieces: Pieces) -> list[int]:
        """Return the spans that do not cover their stated text, or are not inside the text."""
        bounds = np.searchsorted(pieces.span, np.arange(len(self.document) + 1)).tolist()
        document, begin, end = self.document.tolist(), pieces.begin.tolist(), pieces.end.tolist()
        outside = set(pieces.span[self._find_outside(pieces)].tolist())
        unlike = []
        for span, stated in self.stated.items():
            text = self.texts[document[span]]
            covered = [text[begin[piece] : end[piece]] for piece in range(bounds[span], bounds[span + 1])]
            if span in outside or not covers_stated(covered, str(stated)):
                unlike.append(span)
        return unlike

    def _check_none(self, wrong: Truths, what: Callable[[int, int], str], hint: str) -> None:
        if wrong.any():
            piece = int(wrong.argmax())
            problem = what(int(self.pieces.begin[piece]), int(self.pieces.end[piece]))
            raise self._span_error(int(self.pieces.span[piece]), problem, [], hint)

    def _outside_error(self, piece: int, convention: Convention) -> ReadError:
        """Make the error for a piece that is not inside its text."""
        size = len(self.texts[int(self._piece_documents[piece])])
        what = f"ends at {self.pieces.end[piece]}, but the text has {size:,} character{'s'[: size != 1]}"
        if convention.offsets in {"utf-16", "bytes"}:
            what = f"is not at a character boundary, if offsets {MEANING[convention.offsets]}"
        return self._span_error(int(self.pieces.span[piece]), what, *self._suggest_convention(convention))

    def _mismatch_error(self, pieces: Pieces, unlike: list[int], convention: Convention) -> ReadError:
        """Make the error for an input in which most spans do not cover their stated text."""
        span = unlike[0]
        text = self.texts[int(self.document[span])]
        covered = [text[pieces.begin[piece] : pieces.end[piece]] for piece in np.flatnonzero(pieces.span == span)]
        details, hint = self._suggest_convention(convention)
        first = f"the first: {self._describe(span)}, {self._quote_span(span)}, covers {shorten(' '.join(covered))!r}"
        what = f"{len(unlike):,} of {len(self.stated):,} spans do not cover their stated text"
        return make_read_error(self.source, int(self.place[span]), what, details=[first, *details], hint=hint)

    def _span_error(self, span: int, what: str, details: list[str], hint: str) -> ReadError:
        lines = [f"the span: {self._quote_span(span)}", *details]
        return make_read_error(
            self.source, int(self.place[span]), f"{self._describe(span)} {what}", details=lines, hint=hint
        )

    def _describe(self, span: int) -> str:
        """Describe a span for messages: `spans[2] of document 'd1'`."""
        document = int(self.document[span])
        in_document = span - int(np.searchsorted(self.document, document))
        return f"{self.called(span, in_document)} of document {self.names[document]!r}"

    def _quote_span(self, span: int) -> str:
        pieces = np.flatnonzero(self.pieces.span == span).tolist()
        extent = ";".join(f"{self.pieces.begin[piece]} {self.pieces.end[piece]}" for piece in pieces)
        stated = self.stated.get(span)
        return f"{extent} {self.label[span]}{'' if stated is None else f' {shorten(str(stated))!r}'}"

    def _find_best_convention(self, used: Convention, base: int | None = None) -> tuple[Convention, list[int]]:
        """Return the other convention that fits the most spans, and the spans that it does not fit."""
        others = [Convention(offsets, first) for first in ((0, 1) if base is None else (base,)) for offsets in OFFSETS]
        found = {other: self._find_mismatches(self._convert(other)) for other in others if other != used}
        best = min(found, key=lambda other: len(found[other]))  # of equal ones the first
        return best, found[best]

    def _convert(self, convention: Convention) -> Pieces:
        return convert_pieces(self.pieces, self._piece_documents, self.texts, convention)

    def _suggest_convention(self, used: Convention) -> tuple[list[str], str]:
        """Return details and a hint that name the convention that would fit most spans, if one would."""
        best, wrong = self._find_best_convention(used)
        named = len(self.stated)
        if not named:
            return self._suggest_inside(used)
        if 2 * len(wrong) >= named:
            return [], _OTHER_TEXT_HINT
        details = [f"offsets that {best.meaning} would fit {named - len(wrong):,} of {named:,} spans"]
        return details, self._write_hint(used, best)

    def _suggest_inside(self, used: Convention) -> tuple[list[str], str]:
        """Return details and a hint that name the convention by which all spans are inside, and most end with words."""
        for offsets, base in product(OFFSETS, (0, 1)):
            other = Convention(offsets, base)
            pieces = self._convert(other)
            if other == used or (pieces.begin < 0).any() or self._find_outside(pieces).any():
                continue
            texts = [self.texts[number] for number in self._piece_documents.tolist()]
            cut = sum(map(_cuts_word, texts, pieces.begin.tolist())) + sum(map(_cuts_word, texts, pieces.end.tolist()))
            hint = self._write_hint(used, other)
            if 2 * cut < len(texts) and hint != _OTHER_TEXT_HINT:
                what = f"offsets that {other.meaning} would all be inside the text, and most at the ends of words"
                return [what], hint
        return [], _OTHER_TEXT_HINT

    def _write_hint(self, used: Convention, other: Convention) -> str:
        """Say which options turn one convention into another, if the format has them."""
        options = {name: value for name, value in other.options.items() if value != used.options[name]}
        entry = find_registered("comparanda.formats").get(self.format)
        if entry is not None and not options.keys() <= entry.load().options.keys():
            return _OTHER_TEXT_HINT
        return f"set ?{'&'.join(f'{name}={value}' for name, value in options.items())}"


def _cuts_word(text: str, place: int) -> bool:
    """Whether there are letters or digits directly before and after a place."""
    return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()


def covers_stated(covered: Sequence[str], stated: str) -> bool:
    r"""Whether the pieces of a span cover its stated text; white space may differ.

    >>> covers_stated(["New\nYork"], "New York"), covers_stated(["New", "City"], "New City")
    (True, True)
    >>> covers_stated(["New Y"], "New York")
    False
    """
    if len(covered) == 1:
        return covered[0] == stated or covered[0].split() == stated.split()
    return "".join("".join(covered).split()) == "".join(stated.split())


def shorten(text: str, longest: int = 60) -> str:
    """Shorten a text for a message."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


ALWAYS_TEXT = frozenset({"id", "text"})
RESERVED = frozenset({"document", "begin", "end", "label"})
"""The fields of every span, which no other column may be named after."""

FARTHEST = 1 << 62
"""The largest offset accepted: no text is that long."""

_MAX_NUMBER = 10**300


@dataclass(eq=False, kw_only=True)
class Draft:
    """Collects documents and spans while they are read: each document is followed by its spans.

    Args:
        source: the bytes they are read from.
        side: the name of the input.
        called: describes a span for messages, given its number, and its number within its document.
        texts: the text of each document; empty if the input has none.
        text_offsets: the byte offset of each text in the source, if it is contained there verbatim; rows are then
            located there, else at the beginning of their document.
        notes: the notes so far.

    """

    source: Source
    side: str
    called: Callable[[int, int], str]
    texts: list[str] = field(default_factory=list)
    text_offsets: list[int] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    _names: dict[str, int] = field(default_factory=dict)
    _attributes: dict[str, dict[int, str]] = field(default_factory=dict)
    _document: list[int] = field(default_factory=list)
    _label: list[str] = field(default_factory=list)
    _place: list[int] = field(default_factory=list)
    _piece: list[int] = field(default_factory=list)
    _begin: list[int] = field(default_factory=list)
    _end: list[int] = field(default_factory=list)
    _fields: dict[str, dict[int, Any]] = field(default_factory=dict)
    _unusable: dict[str, dict[int, str]] = field(default_factory=dict)

    def document(self, name: str, place: int, attributes: Mapping[str, str | None] | None = None) -> None:
        """Start a document that begins at a byte of the source."""
        if name in self._names:
            raise make_read_error(
                self.source,
                place,
                f"duplicate document {name!r}",
                details=[f"the first is at {self.source.locate(self._names[name])}"],
                hint="rename one: document names must be unique",
            )
        for attribute, value in (attributes or {}).items():
            if value is not None:
                self._attributes.setdefault(attribute, {})[len(self._names)] = value
        self._names[name] = place

    def span(self, pieces: list[tuple[int, int]], label: str, place: int) -> int:
        """Add a span to the current document, given its pieces (most have one); return its number."""
        number = len(self._label)
        for begin, end in pieces:
            self._piece.append(number)
            self._begin.append(begin)
            self._end.append(end)
        self._document.append(len(self._names) - 1)
        self._label.append(label)
        self._place.append(place)
        return number

    def spans(self, document: Rows, begin: Rows, end: Rows, labels: list[str], *, place: Rows) -> None:
        """Add spans of one piece each to documents that have been started; document numbers must not descend."""
        first = len(self._label)
        self._piece += range(first, first + len(labels))
        self._begin += begin.tolist()
        self._end += end.tolist()
        self._document += document.tolist()
        self._label += labels
        self._place += place.tolist()

    def set_value(self, span: int, name: str, value: Any) -> None:
        """Set a column value of a span."""
        if name not in RESERVED:
            self._fields.setdefault(name, {})[span] = value

    def check_scores(self, span: int, given: Mapping[str, Any], scores: tuple[str, ...]) -> None:
        """Remember that a span has a field for its probability, but without a value, such as null or NaN."""
        for name in scores:
            if name in given and (shown := _show_unusable(given[name])):
                self._unusable.setdefault(name, {})[span] = shown

    def corpus(
        self,
        request: Request,
        *,
        name: str,
        evaluated: str,
        offsets: Offsets | None = None,
        usual: Offsets = "code-points",
    ) -> Corpus:
        """Check everything and build the corpus.

        Args:
            request: the task's request.
            name: the name of the format.
            evaluated: the name of labels in the input.
            offsets: the offset convention the user chose; None to detect it.
            usual: the convention of the format, unless the stated texts of spans show a different one.

        """
        self._refuse_unusable(request)
        texts = self.texts or [""] * len(self._names)
        found = tokenise_texts(texts)
        words, offset = self._locate_rows(found.rows)
        if self.texts and words is None:
            words = found.words(texts)
        attributes = {
            attribute: TextColumn.of([values.get(number) for number in range(len(self._names))])
            for attribute, values in self._attributes.items()
        }
        first = np.searchsorted(found.sentences, found.rows)
        spans = self._build_spans(request.options, name, offsets, usual)
        return Corpus(
            name=request.side,
            format=name,
            source=self.source,
            offset=offset.astype(offset_type(self.source)),
            words=words,
            columns={},
            sentences=found.sentences,
            documents=Documents(tuple(self._names), first, marked=True, attributes=attributes),
            evaluated=evaluated,
            spans=spans,
            raw=RawText(tuple(texts), found.begin, found.end) if self.texts else None,
            notes=(*self.source.notes, *self.notes),
            layout="; ".join(note.what for note in self.notes if note.what.startswith(COUNTING)),
        )

    def _refuse_unusable(self, request: Request) -> None:
        """Refuse a span whose probability has no usable value, if probabilities are wanted."""
        known = {
            span
            for name in request.scores
            for span, value in self._fields.get(name, {}).items()
            if not is_missing(value) and not _show_unusable(value)
        }
        for name in request.scores:
            for span, shown in self._unusable.get(name, {}).items():
                if span not in known:
                    label, place = self._label[span], self._place[span]
                    what = f"the {name!r} of a span with the label {label!r} is {shown}, which is not a probability"
                    details = [f"document {list(self._names)[self._document[span]]!r}"]
                    raise make_read_error(self.source, place, what, details=details, hint=NO_SCORE_HINT)

    def _locate_rows(self, rows: Rows) -> tuple[Slices | None, Rows]:
        """Return the words, if the source contains the texts verbatim, and the byte offset of each row."""
        sizes = np.diff(rows)
        if not self.text_offsets:
            return None, np.repeat(np.array(list(self._names.values()), np.int64), sizes)
        texts = list(map(clean_text, self.texts))  # only white space is removed: rows are the same
        found = tokenise_texts(texts)
        length = np.array([len(text.encode()) for text in texts], np.int64)
        shift = np.array(self.text_offsets, np.int64) - np.cumsum(length) + length
        offset = found.start + np.repeat(shift, sizes)
        return Slices(self.source.buffer, offset, found.length), offset

    def _build_spans(
        self, options: Mapping[str, str], format_name: str, offsets: Offsets | None, usual: Offsets
    ) -> Spans:
        document, place = np.array(self._document, np.int64), np.array(self._place, np.int64)
        label = self._normalise_labels(place)
        columns = {name: _build_column(name, values, len(label)) for name, values in self._fields.items()}
        for column in (label, *columns.values()):
            if isinstance(column, TextColumn):
                self._check_characters(column, place)
        given = Pieces(*(np.array(each, np.int64) for each in (self._piece, self._begin, self._end)))
        extents = Extents(
            source=self.source,
            side=self.side,
            names=tuple(self._names),
            texts=self.texts,
            document=document,
            place=place,
            label=label,
            stated=self._fields.get("text", {}),
            called=self.called,
            pieces=given,
            format=format_name,
        )
        pieces, convention, notes = extents.check(offsets, usual, requested_base(options))
        self.notes += notes
        if choose_option(options, "strip", YES_NO) == "yes":
            if not self.texts:
                raise UsageError("strip=yes cannot be read without the texts", hint="provide texts with the spans")
            pieces = strip_pieces(pieces, document[pieces.span], self.texts)
        first = np.searchsorted(pieces.span, np.arange(len(label)))
        begin = np.minimum.reduceat(pieces.begin, first) if first.size else pieces.begin
        end = np.maximum.reduceat(pieces.end, first) if first.size else pieces.end
        offset: Codes = place.astype(offset_type(self.source))
        return Spans(
            unit="characters",
            document=document,
            begin=begin,
            end=end,
            label=label,
            offset=offset,
            fragments=self._collect_fragments(pieces, place),
            columns=columns,
            convention=convention.options,
        )

    def _normalise_labels(self, place: Rows) -> TextColumn:
        """Normalise labels, as in all formats."""
        column = TextColumn.of(self._label)
        for what, mend in MENDS.items():
            column, rows = mend_column(column, mend)
            if rows.size:
                places = first_places(self.source, place[rows[:3]])
                self.notes.append(Note(self.side, f"labels {what}", len(rows), places))
        return column.sorted()

    def _check_characters(self, column: TextColumn, place: Rows) -> None:
        for code, name in enumerate(column.names):
            if problem := find_unwritable(name):
                row = int(np.flatnonzero(column.codes == code)[0])
                raise make_read_error(self.source, int(place[row]), f"{problem[0]} in {name!r}", hint=problem[1])

    def _collect_fragments(self, pieces: Pieces, place: Rows) -> Fragments | None:
        """Return the pieces of discontinuous spans, sorted, and merged if they overlap or touch."""
        several = np.flatnonzero(np.bincount(pieces.span)[pieces.span] > 1)
        found: dict[int, list[tuple[int, int]]] = {}
        for piece in several.tolist():
            found.setdefault(int(pieces.span[piece]), []).append((int(pieces.begin[piece]), int(pieces.end[piece])))
        unsorted = [span for span, each in found.items() if each != sorted(each)]
        whole = {span: _merge_pieces(sorted(each)) for span, each in found.items()}
        joined = [span for span, each in whole.items() if len(each) < len(found[span])]
        for what, spans in {"are not in order, sorted": unsorted, "overlap or touch, merged": joined}.items():
            if spans:
                places = first_places(self.source, place[spans[:3]])
                self.notes.append(Note(self.side, f"spans whose fragments {what}", len(spans), places))
        flat = [(span, *piece) for span, each in whole.items() if len(each) > 1 for piece in each]
        return Fragments(*np.array(flat, np.int64).T) if flat else None


def _show_unusable(value: Any) -> str:
    """Describe a value that is neither a number nor a word; an empty string for others."""
    if is_missing(value):
        return "null" if value is None else "NaN"
    if is_collection(value) or isinstance(value, Mapping):
        return f"of type {type(value).__name__}"
    if isinstance(value, str) and value.strip().lower() in _NOT_FINITE:
        return value.strip()
    return "empty" if value == "" else ""


_NOT_FINITE = frozenset(f"{sign}{name}" for sign in ("", "+", "-") for name in ("nan", "inf", "infinity"))


def _merge_pieces(pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge sorted pieces that overlap or touch.

    >>> _merge_pieces([(0, 3), (2, 5), (5, 6), (8, 9)])
    [(0, 6), (8, 9)]
    """
    whole = pieces[:1]
    for begin, end in pieces[1:]:
        if begin <= whole[-1][1]:
            whole[-1] = whole[-1][0], max(end, whole[-1][1])
        else:
            whole.append((begin, end))
    return whole


def clean_text(text: str) -> str:
    r"""Remove a byte-order mark and replace CRLF line ends by LF, as is done for sources.

    >>> clean_text("\ufeffone\r\ntwo")
    'one\ntwo'
    """
    text = text.removeprefix("\ufeff")
    while "\r\n" in text:
        text = text.replace("\r\n", "\n")
    return text


def _is_float_sized(value: float) -> bool:
    """Whether a number can be a float; larger integers are stored as strings of digits."""
    return type(value) is float or abs(value) < _MAX_NUMBER


def _build_column(name: str, values: Mapping[int, Any], size: int) -> Column:
    """Build a column of values of spans: booleans or numbers if all values are, else strings."""
    kinds = {type(value) for value in values.values()}
    if kinds == {bool}:
        truths = np.zeros(size, np.bool_)
        truths[[span for span, value in values.items() if value]] = True
        return truths
    if name not in ALWAYS_TEXT and kinds <= {int, float} and all(map(_is_float_sized, values.values())):
        whole = float not in kinds and len(values) == size and max(map(abs, values.values())) < FARTHEST
        numbers = np.zeros(size, np.int64) if whole else np.full(size, np.nan)
        numbers[list(values)] = list(values.values())
        return numbers
    return TextColumn.of([str(values[span]) if span in values else None for span in range(size)])
