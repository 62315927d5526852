"""Excerpts: the words around a site, and its place in each file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from comparanda.core.places import Part, Source
from comparanda.core.text_columns import PADDING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.align import Aligned
    from comparanda.core.text_columns import Codes, Slices


_MAX_LINE_LENGTH = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """One site in its sentence.

    Args:
        document: the document's name.
        before: the words of the sentence before the site.
        word: the words at the site, usually one; or the id of a row.
        after: the words of the sentence after it; for a classification file, the whole line of the row.
        places: file and line in the key ("key") and in each run, by name.

    """

    document: str
    before: str
    word: str
    after: str
    places: Mapping[str, str]


class SourceGiver(Protocol):
    """Loads the bytes of a source on demand; its files are known before."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """The files."""

    def __call__(self) -> Source:
        """Return the bytes."""


@dataclass(frozen=True, slots=True)
class _LoadedSource:
    """A source that is already in memory."""

    source: Source

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.source.parts

    def __call__(self) -> Source:
        return self.source


@dataclass(frozen=True, eq=False)
class Side:
    """The locations of the key's rows in one input: the key itself, or a run.

    Args:
        name: "key", or the run's name.
        source: loads the bytes; those of a saved result are read on first use.
        offset: the byte of the source at which each row of this side begins.
        to_side: this side's row for each row of the key, or None for the identity.

    """

    name: str
    source: SourceGiver
    offset: Codes
    to_side: NDArray[np.int64] | None = None

    def place(self, row: int) -> str | None:
        """Return the file and line of a row of the key on this side; None where it has no counterpart."""
        other = row if self.to_side is None else int(self.to_side[row])
        return None if other < 0 else str(self.source().locate(int(self.offset[other])))


@dataclass(frozen=True, eq=False, slots=True)
class Words:
    """The locations of the words of some documents.

    Args:
        start: the byte of `source` at which each row's word begins; None where the key has no words.
        length: its length in bytes.
        source: loads the bytes that contain the words.
        sides: the locations of the rows on each side: the key first, then the runs.

    """

    start: Codes | None
    length: Codes | None
    source: SourceGiver | None
    sides: tuple[Side, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class TextPart:
    """The words of some documents of the key, and their locations on every side.

    Args:
        documents: the first row of each document, followed by the number of rows.
        names: the documents' names.
        sentences: the first row of each sentence, followed by the number of rows.
        words: returns the locations of the words; those of a large saved result are read when an excerpt needs them.
        by_line: whether rows are independent (classification): an excerpt then shows the row's line.
        running: whether the words are part of running text, which is then shown unchanged.

    """

    documents: NDArray[np.int64]
    names: tuple[str, ...]
    sentences: NDArray[np.int64]
    words: Callable[[], Words]
    by_line: bool = False
    running: bool = False

    @property
    def rows(self) -> int:
        """The number of rows of all documents."""
        return int(self.documents[-1])

    def excerpt(self, document: int, place: int, width: int = 1) -> Excerpt:
        """Return the excerpt of one site, given by its document, its row in it, and how many rows it covers."""
        row = int(self.documents[document]) + place
        if row >= self.documents[document + 1]:  # a document without words
            return Excerpt(document=self.names[document], before="", word="", after="", places={})
        begin, end = self._sentence_bounds(row)
        until = min(row + width, int(self.documents[document + 1]))
        if until > end:
            end = self._sentence_bounds(until - 1)[1]
        places = {side.name: found for side in self.words().sides if (found := side.place(row)) is not None}
        before, word = self._join_words(begin, row), self._join_words(row, until)
        after = self._format_line(row) if self.by_line else self._join_words(until, end)
        return Excerpt(document=self.names[document], before=before, word=word, after=after, places=places)

    def covered(self, document: int, place: int, width: int) -> str:
        """Return the words of some rows of a document as one string."""
        row = int(self.documents[document]) + place
        return self._join_words(row, min(row + width, int(self.documents[document + 1])))

    def sentence(self, document: int, place: int) -> tuple[tuple[str, ...], int]:
        """Return the words of a site's sentence, and the site's place among them."""
        row = int(self.documents[document]) + place
        if row >= self.documents[document + 1]:  # a document without words
            return (), 0
        begin, end = self._sentence_bounds(row)
        return tuple(self._list_words(begin, end)), row - begin

    def _sentence_bounds(self, row: int) -> tuple[int, int]:
        sentence = int(np.searchsorted(self.sentences, row, side="right")) - 1
        return int(self.sentences[sentence]), int(self.sentences[sentence + 1])

    def _format_line(self, row: int) -> str:
        """Return the line of a row in the key, truncated if it is long."""
        key = self.words().sides[0]
        line = key.source().line_at(int(key.offset[row])).strip()
        return line if len(line) <= _MAX_LINE_LENGTH else line[: _MAX_LINE_LENGTH - 1] + "…"

    def _join_words(self, begin: int, end: int) -> str:
        words = self.words()
        if words.source is None or words.start is None or words.length is None or begin >= end:
            return ""
        if self.running:
            until = int(words.start[end - 1]) + int(words.length[end - 1])
            return " ".join(str(words.source().data[int(words.start[begin]) : until], "utf-8", "replace").split())
        return " ".join(self._list_words(begin, end))

    def _list_words(self, begin: int, end: int) -> list[str]:
        """Return the words of some rows, one by one."""
        words = self.words()
        if words.source is None or words.start is None or words.length is None:
            return [""] * (end - begin)
        data = words.source().data
        spans = zip(words.start[begin:end].tolist(), words.length[begin:end].tolist(), strict=True)
        found = [str(data[start : start + length], "utf-8", "replace") for start, length in spans]
        return [" ".join(word.split()) for word in found] if self.running else found


@dataclass(frozen=True, eq=False)
class Texts:
    """The words of all documents of the key, in one part or, after a merge, in several.

    Args:
        parts: the parts, in order.
        continued: whether they are consecutive pieces of one document, and not whole documents each.
        keeps: an object that must live as long as the texts, such as a temporary folder.

    """

    parts: tuple[TextPart, ...] = ()
    continued: bool = False
    keeps: object = None

    @classmethod
    def of(cls, aligned: Aligned, runs: tuple[str, ...]) -> Texts:
        """Record the locations of the words of an alignment."""
        key, words = aligned.key, aligned.key.words
        sides = [Side("key", _LoadedSource(key.source), key.offset)]
        for name, response, row_map in zip(runs, aligned.responses, aligned.maps, strict=True):
            sides.append(Side(name, _LoadedSource(response.source), response.offset, row_map.to_response))
        where = Words(
            None if words is None else words.start,
            None if words is None else words.length,
            None if words is None else _LoadedSource(_words_source(words, key.source)),
            tuple(sides),
        )
        names, running = key.documents.names, key.raw is not None
        return cls(
            (
                TextPart(
                    documents=key.row_documents,
                    names=names,
                    sentences=key.sentences,
                    words=lambda: where,
                    by_line=key.by_id,
                    running=running,
                ),
            )
        )

    def excerpt(self, document: int, place: int, width: int = 1) -> Excerpt | None:
        """Return the excerpt of one site, or None where there are no texts."""
        found = self._find_part(document, place)
        return None if found is None else found[0].excerpt(*found[1:], width)

    def covered(self, document: int, place: int, width: int) -> str | None:
        """Return the words at some rows, as an excerpt has them, or None where there are no texts."""
        found = self._find_part(document, place)
        return None if found is None else found[0].covered(*found[1:], width)

    def sentence(self, document: int, place: int) -> tuple[tuple[str, ...], int] | None:
        """Return the words of a site's sentence and the site's place among them, or None where there are no texts."""
        found = self._find_part(document, place)
        return None if found is None else found[0].sentence(*found[1:])

    def _find_part(self, document: int, place: int) -> tuple[TextPart, int, int] | None:
        """Find the part that contains a site, and the site's document and place in it."""
        for part in self.parts:
            if self.continued and place >= part.rows:
                place -= part.rows
            elif document < len(part.names):
                return part, document, place
            else:
                document -= len(part.names)
        return None


def _words_source(words: Slices, source: Source) -> Source:
    """Return the source itself if the words are slices of it, else a new source of the words' bytes."""
    if np.shares_memory(words.buffer, source.buffer):
        return source
    return Source.of_text(source.parts[0].name, words.buffer[:-PADDING].tobytes())
