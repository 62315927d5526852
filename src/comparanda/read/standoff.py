"""Documents with spans beside their text: checked, the text cut into rows, made a corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.columns import Slices, TextColumn
from comparanda.corpus import Corpus, Documents, Fragments, RawText, Spans
from comparanda.places import Note, Source, first_places, refuse
from comparanda.read.covering import COUNTING, Extents
from comparanda.read.cutting import cut
from comparanda.read.gather import MENDS, mended
from comparanda.read.offsets import Offsets, Pieces
from comparanda.read.scan import offset_type
from comparanda.read.values import unwritable

if TYPE_CHECKING:
    from comparanda.columns import Codes, Column, Rows
    from comparanda.read.request import Request

ALWAYS_TEXT = frozenset({"id", "text"})
RESERVED = frozenset({"document", "begin", "end", "label"})
"""What every span has: no further column has such a name."""

FARTHEST = 1 << 62
"""No offset is larger: no text is that long."""

_LARGEST = 10**300


@dataclass(eq=False)
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

    def spans(self, document: Rows, begin: Rows, end: Rows, labels: list[str], place: Rows) -> None:
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
        return Spans("characters", document, begin, end, label, offset, self._fragments(pieces, place), columns)

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
