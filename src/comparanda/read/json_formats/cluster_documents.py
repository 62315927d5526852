"""Documents of words with chains of mentions, on their way to a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import Slices, TextColumn
from comparanda.corpus import Corpus, Documents, Spans
from comparanda.errors import ReadError
from comparanda.read.json_formats.fields import UNLABELLED
from comparanda.read.scan import offset_type

if TYPE_CHECKING:
    from comparanda.columns import Rows
    from comparanda.places import Note, Source
    from comparanda.read.request import Request


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a document.

    Args:
        words: the words that are more than white space; None where the file does not have them.
        row_of: the row of each word, or piece of one, that mentions count, -1 for white space; None where each is a
            row itself.
        sentences: the number of the first word of each sentence, as mentions count.
        size: how many there are to count; None if the file does not say.

    """

    words: list[str] | None
    row_of: list[int] | None
    sentences: list[int]
    size: int | None


class WordDocuments:
    """Documents of words, and their mentions, on their way to a corpus."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self._attributes: dict[str, dict[int, str]] = {}
        self._words: list[str] = []
        self._wordless = False
        self._sentences: list[int] = []
        self._bounds: list[int] = []
        self._offset: list[int] = []
        self._columns: dict[str, dict[int, str | None]] = {}
        self._mentions: list[tuple[int, int, int]] = []
        self._chains: list[str] = []

    def document(
        self,
        name: str,
        place: int,
        words: Words,
        attributes: Mapping[str, str],
        extra: Mapping[str, Sequence[str | None]],
    ) -> None:
        """Begin a document; its name is a new one."""
        base = len(self._words)
        for column, tags in extra.items():
            self._columns.setdefault(column, {}).update(enumerate(tags, start=base))
        for attribute, value in attributes.items():
            self._attributes.setdefault(attribute, {})[len(self.places)] = value
        self.places[name] = place
        self._bounds.append(base)
        self._wordless = self._wordless or words.words is None
        self._words += words.words or []
        rows = words.row_of
        starts = words.sentences if rows is None else [_row_behind(rows, start) for start in words.sentences]
        self._sentences += [base, *(base + start for start in starts)]
        self._offset += [place] * len(words.words or ())

    def mention(self, rows: tuple[int, int], chain: str) -> None:
        """Add a mention to the document begun last."""
        self._mentions.append((len(self.places) - 1, *rows))
        self._chains.append(chain)

    def corpus(self, source: Source, request: Request, notes: tuple[Note, ...]) -> Corpus:
        """Make the corpus."""
        if not self._words and not self._wordless:
            raise ReadError("there are no words in this file", where=source.parts[0].name)
        size = len(self._words)
        sentences = np.unique(np.array([0, *(start for start in self._sentences if start < size), size], np.int64))
        bounds = np.searchsorted(sentences, np.array([*self._bounds, size], np.int64))
        attributes = {
            name: TextColumn.of([values.get(number) for number in range(len(self.places))])
            for name, values in self._attributes.items()
        }
        return Corpus(
            name=request.side,
            format="clusters",
            source=source,
            offset=np.array(self._offset, offset_type(source)),
            words=None if self._wordless else Slices.of(self._words),
            columns={
                name: TextColumn.of([values.get(row) for row in range(size)]) for name, values in self._columns.items()
            },
            sentences=sentences,
            documents=Documents(tuple(self.places), bounds.astype(np.int64), marked=True, attributes=attributes),
            judged="chains",
            spans=self._spans(source),
            notes=(*source.notes, *notes),
        )

    def _spans(self, source: Source) -> Spans:
        document, begin, end = np.array(self._mentions, np.int64).reshape(-1, 3).T
        places: Rows = np.array([*self.places.values()], np.int64)[document] if len(document) else np.zeros(0, np.int64)
        return Spans(
            "tokens",
            document,
            begin,
            end,
            TextColumn.constant(UNLABELLED, len(document)),
            places.astype(offset_type(source)),
            columns={"chain": TextColumn.of(self._chains)},
        )


def _row_behind(rows: Sequence[int], start: int) -> int:
    """Return the row of the first word from a place on that is more than white space."""
    return next((row for row in rows[start:] if row >= 0), max(rows, default=-1) + 1)
