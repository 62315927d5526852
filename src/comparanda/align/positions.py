"""The positions of the key's rows in its documents, as character offsets of their texts."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align.words import Surface, without_spaces
from comparanda.core.corpus import RawText, owner_of_rows
from comparanda.errors import AlignError

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Rows, Truths


class KeyPositions:
    """The positions of the key's rows in its documents, computed on first use.

    *Solid* characters are those that belong to a word; white space is not solid.
    """

    def __init__(self, key: Corpus) -> None:
        self.key = key

    @cached_property
    def owner(self) -> Rows:
        """The document of each row."""
        return owner_of_rows(self.key.row_documents).astype(np.int64)

    @cached_property
    def surface(self) -> Surface:
        """The tokens of the key's text."""
        return Surface.of(self.key)

    @cached_property
    def raw(self) -> RawText:
        """The texts of the documents: as in the input, or words joined by single spaces; empty if there are none."""
        if self.key.textless:
            nowhere = np.zeros(len(self.key), np.int64)
            return RawText(("",) * len(self.key.documents), nowhere, nowhere)
        return self.key.raw if self.key.raw is not None else self._join_words()

    @cached_property
    def solid(self) -> Rows:
        """The position in its document of each solid character, for all documents in order."""
        size = np.where(self._first_of_token, self.raw.end - self.raw.begin, 0)
        ends = np.cumsum(size)
        places = np.repeat(self.raw.begin - ends + size, size) + np.arange(int(ends[-1]) if len(ends) else 0)
        blank = [
            int(ends[row] - size[row]) + place for row, inside in self._inner_spaces for place in inside if size[row]
        ]
        return np.delete(places, blank) if blank else places

    @cached_property
    def _inner_spaces(self) -> list[tuple[int, list[int]]]:
        """The rows of tokens with white space inside, and its positions; it is not among the solid characters."""
        if self.key.raw is not None or self.key.words is None:
            return []
        surface, forms = self.surface, self.surface.forms.intern()
        spaced = [code for code, name in enumerate(forms.names) if without_spaces(name) != name]
        if not spaced:
            return []
        tokens = np.flatnonzero(np.isin(forms.codes, spaced)).tolist()
        rows = surface.row[tokens].tolist()
        places = ([place for place, each in enumerate(forms[token]) if not without_spaces(each)] for token in tokens)
        return list(zip(rows, places, strict=True))

    @cached_property
    def _first_of_token(self) -> Truths:
        """Whether each row is the first one at its position: the words of one token share its characters."""
        first = np.ones(len(self.key), np.bool_)
        same = (self.raw.begin[1:] == self.raw.begin[:-1]) & (self.owner[1:] == self.owner[:-1])
        first[1:] = ~same
        return first

    @cached_property
    def first_words(self) -> Rows:
        """The first row of each row's token."""
        return np.maximum.accumulate(np.where(self._first_of_token, np.arange(len(self.key)), 0))

    @cached_property
    def solid_before(self) -> Rows:
        """The number of solid characters before each row, followed by their total number."""
        size = np.where(self._first_of_token, self.raw.end - self.raw.begin, 0)
        for row, inside in self._inner_spaces:
            size[row] -= len(inside) if size[row] else 0
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(size)])

    def to_places(self, solid: Rows, *, ending: bool) -> Rows:
        """Convert numbers of solid characters to positions; an end is the position after the preceding character.

        Numbers in documents that the key does not have may be out of range; their positions are meaningless.
        """
        if not len(self.solid):
            return np.zeros(len(solid), np.int64)
        if ending:
            following: Rows = self.solid[np.clip(solid, 1, len(self.solid)) - 1] + 1
            return following
        places: Rows = self.solid[np.minimum(solid, len(self.solid) - 1)]
        return places

    @cached_property
    def characters_before(self) -> Rows:
        """The number of characters before each byte of the words' text."""
        return np.concatenate([np.zeros(1, np.int64), np.cumsum((self.surface.text.data & 0xC0) != 0x80)])

    @cached_property
    def bytes_before(self) -> Rows:
        """The number of bytes of the words' text before each row, without white space inside words."""
        return np.repeat(self.surface.text.begins, self.surface.end - self.surface.row)

    def _join_words(self) -> RawText:
        """Make the text of each document by joining its words with single spaces."""
        key = self.key
        if key.words is None:
            raise AlignError(
                "the key has no words, so spans of a system output with other tokens cannot be aligned with it",
                where=key.source.parts[0].name,
            )
        surface, forms = self.surface, self.surface.forms.intern()
        tokens = [forms.names[code] for code in forms.codes.tolist()]
        sizes = np.array([len(token) for token in tokens], np.int64)
        owner = owner_of_rows(key.row_documents)[surface.row]
        bounds = np.searchsorted(owner, np.arange(len(key.documents) + 1))
        ends = np.cumsum(sizes + 1) - 1
        begins = ends - sizes
        shift = np.repeat(np.append(begins, 0)[bounds[:-1]], np.diff(bounds))
        texts = tuple(" ".join(tokens[first:last]) for first, last in pairwise(bounds.tolist()))
        counts = surface.end - surface.row
        return RawText(texts, np.repeat(begins - shift, counts), np.repeat(ends - shift, counts))
