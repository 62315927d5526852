"""Documents with spans beside their text: checked, the text cut into rows, made a corpus."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from comparanda.core.corpus import Corpus, Documents, Fragments, RawText, Spans
from comparanda.core.places import Note, Source, first_places, refuse
from comparanda.core.text_columns import PADDING, Slices, TextColumn
from comparanda.errors import UsageError
from comparanda.formats.contract import choose
from comparanda.formats.cuts import UncuttableError
from comparanda.formats.field_values import unwritable
from comparanda.formats.scanner import offset_type
from comparanda.formats.tokens import MENDS, mended

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.text_columns import Codes, Column, Rows, Truths
    from comparanda.errors import ReadError
    from comparanda.formats.contract import Request


# Plain texts cut into words and sentences, so that spans given by characters stand among rows.
#
# The rule is simple, the same for every language, and written down here:
#
# - A word is a run of word characters: letters, marks, numbers (Unicode categories L, M, N) and the underscore.
# - Any other character that is no white space is a word by itself.
# - A sentence is a line of the text that holds words.


_SPACE, _WORD, _OTHER = 0, 1, 2
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Cut:
    """The words of some texts.

    Args:
        begin: the code point of its text at which each word begins.
        end: the code point behind it.
        rows: the first word of each text, and behind them the number of words.
        sentences: the first word of each sentence, and the number of words.
        start: the byte at which each word begins, counted over all texts laid end to end in UTF-8.
        length: how many bytes it has.

    """

    begin: Rows
    end: Rows
    rows: Rows
    sentences: Rows
    start: Rows
    length: Rows

    def words(self, texts: Sequence[str]) -> Slices:
        """Return the words as slices of the texts that were cut."""
        data = "".join(texts).encode() + bytes(PADDING)
        return Slices(np.frombuffer(data, np.uint8), self.start, self.length)


def cut(texts: Sequence[str]) -> Cut:
    r"""Cut texts into words.

    >>> texts = ["Dr. Wu\n", "", "\u20ac5"]
    >>> found = cut(texts)
    >>> [found.words(texts)[row] for row in range(len(found.begin))]
    ['Dr', '.', 'Wu', '€', '5']
    >>> found.begin.tolist(), found.rows.tolist()
    ([0, 2, 4, 0, 1], [0, 3, 3, 5])
    """
    joined = "".join(texts)
    points = code_points(joined)
    bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(text) for text in texts], dtype=np.int64)])
    kinds = _kinds(joined, points)
    word = kinds == _WORD
    goes_on = np.zeros(len(points) + 1, np.bool_)
    goes_on[1:-1] = word[:-1] & word[1:]
    goes_on[bounds] = False
    solid = kinds != _SPACE
    begin, end = np.flatnonzero(solid & ~goes_on[:-1]), np.flatnonzero(solid & ~goes_on[1:]) + 1
    rows = np.searchsorted(begin, bounds)
    first = np.repeat(bounds[:-1], np.diff(rows))
    start = _utf8_places(points, begin)
    length = _utf8_places(points, end) - start
    return Cut(
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
    """Return how many bytes each code point has in UTF-8."""
    sizes = np.ones(len(points), np.uint8)
    for first in (0x80, 0x800, 0x10000):
        sizes += points >= first
    return sizes


def _utf8_places(points: NDArray[np.uint32], wanted: Rows) -> Rows:
    """Return the byte at which code points stand in UTF-8; only those of several bytes are counted."""
    wide = np.flatnonzero(points >= 0x80)
    if not wide.size:
        return wanted
    further = np.concatenate([np.zeros(1, np.int64), np.cumsum(utf8_sizes(points[wide]) - 1, dtype=np.int64)])
    places: Rows = wanted + further[np.searchsorted(wide, wanted)]
    return places


def _kinds(text: str, points: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Say of each code point whether it is white space, a word character or another one."""
    table = np.zeros(int(points.max(initial=0)) + 1, np.uint8)
    for character in set(text):
        table[ord(character)] = _kind(character)
    return table[points]


def _kind(character: str) -> int:
    if character.isspace() or character == _BYTE_ORDER_MARK:
        return _SPACE
    return _WORD if unicodedata.category(character)[0] in "LMN" or character == "_" else _OTHER


def _sentences(points: NDArray[np.uint32], begin: Rows, rows: Rows) -> Rows:
    """Return the first word of each line that holds words, and the number of words."""
    line = np.searchsorted(np.flatnonzero(points == ord("\n")), begin)
    begins = np.ones(len(begin) + 1, np.bool_)
    begins[1:-1] = np.diff(line) > 0
    begins[rows] = True
    return np.flatnonzero(begins)


# What offsets count: code points as here, or what other programs count, and how to tell from the covered text.


Offsets = Literal["code-points", "utf-16", "bytes", "inclusive"]
OFFSETS: tuple[Offsets, ...] = get_args(Offsets)
OPTION = {
    "offsets": f"spans: what begin and end count: {', '.join(OFFSETS)} (code points, the end included); "
    "told by the text that spans name, if it is left out"
}

MEANING: Mapping[Offsets, str] = {
    "code-points": "count code points",
    "utf-16": "count UTF-16 units, as JavaScript and Java do,",
    "bytes": "count bytes of UTF-8",
    "inclusive": "count code points and include the end",
}
NOWHERE = -1
"""Stands for a place that no code point of the text begins or ends at."""


@dataclass(frozen=True, eq=False, slots=True)
class Pieces:
    """The pieces of spans: one for most, several for discontinuous ones.

    Args:
        span: which span each is a piece of; not descending.
        begin: where it begins.
        end: where it ends.

    """

    span: Rows
    begin: Rows
    end: Rows


def asked_offsets(options: Mapping[str, str]) -> Offsets | None:
    """Return what the user says that offsets count; None where it is to be found out."""
    return choose(options, "offsets", OFFSETS) if "offsets" in options else None


def converted(pieces: Pieces, owner: Rows, texts: Sequence[str], offsets: Offsets) -> Pieces:
    """Return pieces in code points, half-open.

    Args:
        pieces: the pieces as their file counts.
        owner: the text of each piece, as an index; not descending.
        texts: the texts.
        offsets: how the file counts.

    """
    if offsets == "code-points":
        return pieces
    if offsets == "inclusive":
        return Pieces(pieces.span, pieces.begin, pieces.end + 1)
    begin, end = np.empty_like(pieces.begin), np.empty_like(pieces.end)
    bounds = np.searchsorted(owner, np.arange(len(texts) + 1))
    for number, text in enumerate(texts):
        here = slice(bounds[number], bounds[number + 1])
        places = places_in(text, offsets)
        begin[here], end[here] = _found(places, pieces.begin[here]), _found(places, pieces.end[here])
    return Pieces(pieces.span, begin, end)


def places_in(text: str, offsets: Offsets) -> Rows:
    """Return the place of each code point, and behind them the end, as the offsets count.

    >>> places_in("a😀b", "utf-16").tolist()
    [0, 1, 3, 4]
    >>> places_in("a😀b", "code-points").tolist()
    [0, 1, 2, 3]
    """
    points = code_points(text)
    wide = offsets == "utf-16"
    sizes = utf8_sizes(points) if offsets == "bytes" else 1 + ((points >= 0x10000) & wide)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def _found(places: Rows, wanted: Rows) -> Rows:
    number = np.searchsorted(places, wanted)
    there: Truths = places[np.minimum(number, len(places) - 1)] == wanted
    return np.where(there, number, NOWHERE)


# Where spans begin and end, checked against the text: inside it, and covering what they say they cover.


_OTHER_TEXT = "offsets count code points of the text; is it the text that was annotated?"
_HALF_OPEN = "offsets count from 0, and the end is the place behind the last character"
_INCLUSIVE = "offsets count from 0, and the end is the place of the last character"

COUNTING = "spans whose offsets"
"""How the note begins on what offsets count, where that is not what is usual."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Extents:
    """The spans of some documents, as their input gives them.

    Args:
        source: the bytes they were read from.
        side: the name the user gave them.
        names: the names of the documents.
        texts: their texts; empty where there are none.
        document: the document of each span; not descending.
        place: the byte at which it stands in the source.
        label: its label.
        said: the text that a span says it covers, for those that do.
        called: what to call a span, given its number, and its number in its document.
        pieces: where the pieces of spans begin and end.

    """

    source: Source
    side: str
    names: Sequence[str]
    texts: Sequence[str]
    document: Rows
    place: Rows
    label: TextColumn
    said: Mapping[int, Any]
    called: Callable[[int, int], str]
    pieces: Pieces

    def checked(self, asked: Offsets | None, usual: Offsets = "code-points") -> tuple[Pieces, list[Note]]:
        """Return the pieces in code points, and notes on what they count, and on spans that name another text.

        If nobody says what offsets count, it is what fits the texts that spans name best; of equals, what is usual.
        What is outside of the text is refused, and so are spans most of which name another text.
        """
        given, offsets, notes = self.pieces, asked or usual, []
        hint = _INCLUSIVE if offsets == "inclusive" else _HALF_OPEN
        self._refuse_first(given.begin < 0, lambda begin, _: f"begins at {begin}, before the text", hint)
        stop = given.end + (offsets == "inclusive")
        self._refuse_first(stop < given.begin, lambda begin, end: f"ends at {end}, before it begins at {begin}", hint)
        if not self.texts:
            if offsets in {"utf-16", "bytes"} and asked:
                raise UsageError(
                    f"offsets={offsets} cannot be read without the texts", hint="give texts with the spans"
                )
            return converted(given, self._owner, (), "inclusive" if offsets == "inclusive" else "code-points"), []
        pieces = converted(given, self._owner, self.texts, offsets)
        outside, unlike = self._outside(pieces), self._unlike(pieces)
        if asked is None and (unlike or outside.any()):
            other, fewer = self._best_other(offsets)
            if len(fewer) < len(unlike) and 2 * len(fewer) <= len(self.said):
                offsets, unlike = other, fewer
                pieces = converted(given, self._owner, self.texts, offsets)
                outside = self._outside(pieces)
                counted = MEANING[offsets].rstrip(",")
                what = f"{COUNTING} {counted}, which the text that they name tells"
                notes.append(Note(self.side, what, len(self.document)))
        if outside.any():
            raise self._not_inside(int(outside.argmax()), offsets)
        if 2 * len(unlike) > len(self.said):
            problem = self._most_unlike(pieces, unlike, offsets)
            if self.source.whole is not None:  # of which they may be few
                raise UncuttableError(str(problem))
            raise problem
        if unlike:
            what = "spans whose text is not what their offsets cover, which hold"
            places = tuple(f"{self._named(span)}: {self.source.locate(int(self.place[span]))}" for span in unlike[:3])
            notes.append(Note(self.side, what, len(unlike), places))
        return pieces, notes

    @property
    def _owner(self) -> Rows:
        return self.document[self.pieces.span]

    def _outside(self, pieces: Pieces) -> Truths:
        """Return which pieces are not inside their text."""
        lengths = np.array([len(text) for text in self.texts], np.int64)[self._owner]
        outside: Truths = (pieces.end > lengths) | (pieces.begin == NOWHERE) | (pieces.end == NOWHERE)
        return outside

    def _unlike(self, pieces: Pieces) -> list[int]:
        """Return the spans that do not cover the text that they name, or are not inside the text."""
        bounds = np.searchsorted(pieces.span, np.arange(len(self.document) + 1)).tolist()
        document, begin, end = self.document.tolist(), pieces.begin.tolist(), pieces.end.tolist()
        outside = set(pieces.span[self._outside(pieces)].tolist())
        unlike = []
        for span, said in self.said.items():
            text = self.texts[document[span]]
            covered = [text[begin[piece] : end[piece]] for piece in range(bounds[span], bounds[span + 1])]
            if span in outside or not agrees(covered, str(said)):
                unlike.append(span)
        return unlike

    def _refuse_first(self, wrong: Truths, what: Callable[[int, int], str], hint: str) -> None:
        if wrong.any():
            piece = int(wrong.argmax())
            said = what(int(self.pieces.begin[piece]), int(self.pieces.end[piece]))
            raise self._refuse(int(self.pieces.span[piece]), said, [], hint)

    def _not_inside(self, piece: int, offsets: Offsets) -> ReadError:
        """Make the error for a piece that does not lie in its text."""
        size = len(self.texts[int(self._owner[piece])])
        what = f"ends at {self.pieces.end[piece]}, but the text has {size:,} character{'s'[: size != 1]}"
        if offsets in {"utf-16", "bytes"}:
            what = f"does not lie between characters of the text, if offsets {MEANING[offsets]}"
        return self._refuse(int(self.pieces.span[piece]), what, *self._advice(offsets))

    def _most_unlike(self, pieces: Pieces, unlike: list[int], offsets: Offsets) -> ReadError:
        """Make the error for spans most of which cover another text than they name."""
        span = unlike[0]
        text = self.texts[int(self.document[span])]
        covered = [text[pieces.begin[piece] : pieces.end[piece]] for piece in np.flatnonzero(pieces.span == span)]
        details, hint = self._advice(offsets)
        first = f"the first: {self._named(span)}, {self._shown(span)}, covers {shortened(' '.join(covered))!r}"
        what = f"{len(unlike):,} of {len(self.said):,} spans do not cover the text that they name"
        return refuse(self.source, int(self.place[span]), what, details=[first, *details], hint=hint)

    def _refuse(self, span: int, what: str, details: list[str], hint: str) -> ReadError:
        lines = [f"the span: {self._shown(span)}", *details]
        return refuse(self.source, int(self.place[span]), f"{self._named(span)} {what}", details=lines, hint=hint)

    def _named(self, span: int) -> str:
        """Return what to call a span: `spans[2] of document 'd1'`."""
        document = int(self.document[span])
        in_document = span - int(np.searchsorted(self.document, document))
        return f"{self.called(span, in_document)} of document {self.names[document]!r}"

    def _shown(self, span: int) -> str:
        pieces = np.flatnonzero(self.pieces.span == span).tolist()
        extent = ";".join(f"{self.pieces.begin[piece]} {self.pieces.end[piece]}" for piece in pieces)
        said = self.said.get(span)
        return f"{extent} {self.label[span]}{'' if said is None else f' {shortened(str(said))!r}'}"

    def _best_other(self, offsets: Offsets) -> tuple[Offsets, list[int]]:
        """Return which other way to count fits the most spans, and those that it does not fit."""
        found = {other: self._unlike(self._counted(other)) for other in OFFSETS if other != offsets}
        best = min(found, key=lambda other: len(found[other]))  # of equal ones the first
        return best, found[best]

    def _counted(self, offsets: Offsets) -> Pieces:
        return converted(self.pieces, self._owner, self.texts, offsets)

    def _advice(self, offsets: Offsets) -> tuple[list[str], str]:
        """Say which other way to count would fit most spans, if one would."""
        best, wrong = self._best_other(offsets)
        named = len(self.said)
        if 2 * len(wrong) >= named:
            return [], _OTHER_TEXT
        return [
            f"offsets that {MEANING[best]} would fit {named - len(wrong):,} of {named:,} spans"
        ], f"say so with ?offsets={best}"


def agrees(covered: Sequence[str], said: str) -> bool:
    r"""Whether the pieces of a span cover the text that it names; white space may be written otherwise.

    >>> agrees(["New\nYork"], "New York"), agrees(["New", "City"], "New City"), agrees(["New Y"], "New York")
    (True, True, False)
    """
    if len(covered) == 1:
        return covered[0] == said or covered[0].split() == said.split()
    return "".join("".join(covered).split()) == "".join(said.split())


def shortened(text: str, longest: int = 60) -> str:
    """Return a text that is short enough for a message."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


ALWAYS_TEXT = frozenset({"id", "text"})
RESERVED = frozenset({"document", "begin", "end", "label"})
"""What every span has: no further column has such a name."""

FARTHEST = 1 << 62
"""No offset is larger: no text is that long."""

_LARGEST = 10**300


@dataclass(eq=False, kw_only=True)
class Draft:
    """Documents and spans while they are read: documents one by one, each with its spans behind it.

    Args:
        source: the bytes they are read from.
        side: the name the user gave them.
        called: what to call a span in messages, given its number, and its number in its document.
        texts: the text of each document; empty where the input has none.
        stands: where each text stands in the source, if texts do; the rows then stand there, and else where the
            documents begin.
        notes: what was met.

    """

    source: Source
    side: str
    called: Callable[[int, int], str]
    texts: list[str] = field(default_factory=list)
    stands: list[int] = field(default_factory=list)
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

    def document(self, name: str, place: int, attributes: Mapping[str, str | None] | None = None) -> None:
        """Begin a document that stands at a byte of the source."""
        if name in self._names:
            raise refuse(
                self.source,
                place,
                f"the document {name!r} is there a second time",
                details=[f"the first stands at {self.source.locate(self._names[name])}"],
                hint="documents are told apart by their names: rename one",
            )
        for attribute, value in (attributes or {}).items():
            if value is not None:
                self._attributes.setdefault(attribute, {})[len(self._names)] = value
        self._names[name] = place

    def span(self, pieces: list[tuple[int, int]], label: str, place: int) -> int:
        """Add a span to the document begun last, in its pieces (most have one); return its number."""
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
        """Add many spans of one piece each, of documents that have begun; these must not descend."""
        first = len(self._label)
        self._piece += range(first, first + len(labels))
        self._begin += begin.tolist()
        self._end += end.tolist()
        self._document += document.tolist()
        self._label += labels
        self._place += place.tolist()

    def say(self, span: int, name: str, value: Any) -> None:
        """Say something of a span."""
        if name not in RESERVED:
            self._fields.setdefault(name, {})[span] = value

    def corpus(
        self,
        request: Request,
        *,
        name: str,
        judged: str,
        offsets: Offsets | None = None,
        usual: Offsets = "code-points",
    ) -> Corpus:
        """Check everything and make the corpus.

        Args:
            request: what was asked.
            name: the format's name.
            judged: what the input calls labels.
            offsets: what the user says that the offsets of the input count; None to find out.
            usual: what offsets of the format count, unless the texts that spans name say otherwise.

        """
        texts = self.texts or [""] * len(self._names)
        found = cut(texts)
        words, offset = self._rows(found.rows)
        if self.texts and words is None:
            words = found.words(texts)
        attributes = {
            attribute: TextColumn.of([values.get(number) for number in range(len(self._names))])
            for attribute, values in self._attributes.items()
        }
        first = np.searchsorted(found.sentences, found.rows)
        spans = self._spans(offsets, usual)
        return Corpus(
            name=request.side,
            format=name,
            source=self.source,
            offset=offset.astype(offset_type(self.source)),
            words=words,
            columns={},
            sentences=found.sentences,
            documents=Documents(tuple(self._names), first, marked=True, attributes=attributes),
            judged=judged,
            spans=spans,
            raw=RawText(tuple(texts), found.begin, found.end) if self.texts else None,
            notes=(*self.source.notes, *self.notes),
            layout="; ".join(note.what for note in self.notes if note.what.startswith(COUNTING)),
        )

    def _rows(self, rows: Rows) -> tuple[Slices | None, Rows]:
        """Return the words, if they stand in the source, and where each row does."""
        sizes = np.diff(rows)
        if not self.stands:
            return None, np.repeat(np.array(list(self._names.values()), np.int64), sizes)
        texts = list(map(cleaned, self.texts))  # what is cleaned away is white space: rows are the same
        found = cut(texts)
        length = np.array([len(text.encode()) for text in texts], np.int64)
        shift = np.array(self.stands, np.int64) - np.cumsum(length) + length
        offset = found.start + np.repeat(shift, sizes)
        return Slices(self.source.buffer, offset, found.length), offset

    def _spans(self, offsets: Offsets | None, usual: Offsets) -> Spans:
        document, place = np.array(self._document, np.int64), np.array(self._place, np.int64)
        label = self._labels(place)
        columns = {name: _column(name, values, len(label)) for name, values in self._fields.items()}
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
            said=self._fields.get("text", {}),
            called=self.called,
            pieces=given,
        )
        pieces, notes = extents.checked(offsets, usual)
        self.notes += notes
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
            fragments=self._fragments(pieces, place),
            columns=columns,
        )

    def _labels(self, place: Rows) -> TextColumn:
        """Return the labels in their canonical form, as in all formats."""
        column = TextColumn.of(self._label)
        for what, mend in MENDS.items():
            column, rows = mended(column, mend)
            if rows.size:
                places = first_places(self.source, place[rows[:3]])
                self.notes.append(Note(self.side, f"labels {what}", len(rows), places))
        return column.sorted()

    def _check_characters(self, column: TextColumn, place: Rows) -> None:
        for code, name in enumerate(column.names):
            if problem := unwritable(name):
                row = int(np.flatnonzero(column.codes == code)[0])
                raise refuse(self.source, int(place[row]), f"{problem[0]} in {name!r}", hint=problem[1])

    def _fragments(self, pieces: Pieces, place: Rows) -> Fragments | None:
        """Return the pieces of spans that have several: in order, and those that overlap or touch joined."""
        several = np.flatnonzero(np.bincount(pieces.span)[pieces.span] > 1)
        found: dict[int, list[tuple[int, int]]] = {}
        for piece in several.tolist():
            found.setdefault(int(pieces.span[piece]), []).append((int(pieces.begin[piece]), int(pieces.end[piece])))
        unsorted = [span for span, each in found.items() if each != sorted(each)]
        whole = {span: _joined(sorted(each)) for span, each in found.items()}
        joined = [span for span, each in whole.items() if len(each) < len(found[span])]
        for what, spans in {"are not in order, sorted": unsorted, "overlap or touch, joined": joined}.items():
            if spans:
                places = first_places(self.source, place[spans[:3]])
                self.notes.append(Note(self.side, f"spans whose fragments {what}", len(spans), places))
        flat = [(span, *piece) for span, each in whole.items() if len(each) > 1 for piece in each]
        return Fragments(*np.array(flat, np.int64).T) if flat else None


def _joined(pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join sorted pieces that overlap or touch.

    >>> _joined([(0, 3), (2, 5), (5, 6), (8, 9)])
    [(0, 6), (8, 9)]
    """
    whole = pieces[:1]
    for begin, end in pieces[1:]:
        if begin <= whole[-1][1]:
            whole[-1] = whole[-1][0], max(end, whole[-1][1])
        else:
            whole.append((begin, end))
    return whole


def cleaned(text: str) -> str:
    r"""Return a text as it stands in a source: without a byte-order mark, and lines ended by LF alone.

    >>> cleaned("\ufeffone\r\ntwo")
    'one\ntwo'
    """
    text = text.removeprefix("\ufeff")
    while "\r\n" in text:
        text = text.replace("\r\n", "\n")
    return text


def _is_sizable(value: float) -> bool:
    """Whether a number can be a float; of longer integers the digits are all there is."""
    return type(value) is float or abs(value) < _LARGEST


def _column(name: str, values: Mapping[int, Any], size: int) -> Column:
    """Make a column of what is said of spans: truths or numbers where all are, else texts."""
    kinds = {type(value) for value in values.values()}
    if kinds == {bool}:
        truths = np.zeros(size, np.bool_)
        truths[[span for span, value in values.items() if value]] = True
        return truths
    if name not in ALWAYS_TEXT and kinds <= {int, float} and all(map(_is_sizable, values.values())):
        whole = float not in kinds and len(values) == size and max(map(abs, values.values())) < FARTHEST
        numbers = np.zeros(size, np.int64) if whole else np.full(size, np.nan)
        numbers[list(values)] = list(values.values())
        return numbers
    return TextColumn.of([str(values[span]) if span in values else None for span in range(size)])
