"""Where spans begin and end, checked against the text: inside it, and covering what they say they cover."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.errors import UsageError
from comparanda.places import Note, Source, refuse
from comparanda.read.cuts import UncuttableError
from comparanda.read.offsets import MEANING, NOWHERE, OFFSETS, Offsets, Pieces, converted

if TYPE_CHECKING:
    from comparanda.columns import Rows, TextColumn, Truths
    from comparanda.errors import ReadError

_OTHER_TEXT = "offsets count code points of the text; is it the text that was annotated?"
_HALF_OPEN = "offsets count from 0, and the end is the place behind the last character"
_INCLUSIVE = "offsets count from 0, and the end is the place of the last character"

COUNTING = "spans whose offsets"
"""How the note begins on what offsets count, where that is not what is usual."""


@dataclass(frozen=True, eq=False, slots=True)
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
