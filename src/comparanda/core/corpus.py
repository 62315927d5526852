"""A corpus as columns: documents, sentences, rows (tokens, or lines of a classification file)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.core.places import Location, Note, Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.probabilities import Beliefs
    from comparanda.core.text_columns import Codes, Column, Rows, Slices, TextColumn, Truths


@dataclass(frozen=True, eq=False)
class Documents:
    """The documents of a corpus, as offsets into its sentences.

    Args:
        names: one name a document.
        offsets: the first sentence of each document, and behind them the number of sentences.
        marked: whether the input itself marks documents. Where it does not, the whole corpus is one
            document and statistics resample sentences or rows instead.
        attributes: what is known of each document (genre, year …).

    """

    names: tuple[str, ...]
    offsets: NDArray[np.int64]
    marked: bool
    attributes: Mapping[str, TextColumn] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)


ROOT = -1
"""The head of a word that hangs on no other."""


@dataclass(frozen=True, eq=False, slots=True)
class Ranges:
    """Tokens of the text that stand for several words (3-4 in CoNLL-U); all other words are tokens themselves.

    Args:
        begin: the first row of each.
        end: the row behind its last one.
        start: the byte at which its form stands in the source.
        length: how long that is, in bytes.

    """

    begin: Rows
    end: Rows
    start: Rows
    length: Rows

    def __len__(self) -> int:
        return len(self.begin)


@dataclass(frozen=True, eq=False, slots=True)
class Edges:
    """The arcs of enhanced graphs: a word may hang on several.

    Args:
        row: the word of each edge.
        head: the row of its head, or `ROOT`.
        label: its relation; steps of a path through empty nodes are joined by `>`.

    """

    row: Rows
    head: Rows
    label: TextColumn


@dataclass(frozen=True, eq=False, slots=True)
class Arcs:
    """The trees of a corpus, one arc a word; the relations are a column of the corpus.

    Args:
        head: the row of each word's head, or `ROOT`.
        edges: the enhanced graphs, where the input has any.

    """

    head: Rows
    edges: Edges | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Fragments:
    """The pieces of discontinuous spans, all of them, in order.

    Args:
        span: which span each is a piece of.
        begin: where it begins.
        end: where it ends.

    """

    span: Rows
    begin: Rows
    end: Rows

    def take(self, spans: Rows, count: int) -> Fragments | None:
        """Return the pieces of some of `count` spans, by their places among these; None where they have none."""
        place = np.full(count, -1, np.int64)
        place[spans] = np.arange(len(spans))
        keep = np.flatnonzero(place[self.span] >= 0)
        return Fragments(place[self.span[keep]], self.begin[keep], self.end[keep]) if len(keep) else None


Unit = Literal["tokens", "characters"]
"""What positions count: rows of the corpus, or code points of the documents' texts."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Spans:
    """The labelled spans of a corpus.

    Args:
        unit: what positions count.
        document: the index of each span's document.
        begin: where it begins in its document.
        end: where it ends; half-open. For a discontinuous span, where its last piece does.
        label: its label.
        offset: the byte at which it stands in the source.
        fragments: the pieces of discontinuous spans; None where there are none.
        columns: what else the input says of them: `text`, `id`, `confidence`, `probability` …

    """

    unit: Unit
    document: Rows
    begin: Rows
    end: Rows
    label: TextColumn
    offset: Codes
    fragments: Fragments | None = None
    columns: Mapping[str, Column] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.begin)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Quotes:
    """What answers of language models claim: texts with labels, which have no place yet; in the order of the answers.

    Args:
        document: the index of the document that each speaks of; not descending.
        text: the text that it quotes.
        label: its label.
        offset: the byte at which its answer stands in the source.
        occurrence: which occurrence of the text is meant, from 1; 0 where the answer does not say.
        begin: where it stands in the answer's copy of the document's text; -1 where there is none.
        copies: these copies, one a document; None where an answer holds none.
        columns: what else the answer says: `id`, `probability` …
        probable: makes them probable once they have places, given which of them have none; None where they are
            certain.

    """

    document: Rows
    text: TextColumn
    label: TextColumn
    offset: Codes
    occurrence: Rows
    begin: Rows
    copies: tuple[str | None, ...]
    columns: Mapping[str, Column] = field(default_factory=dict)
    probable: Callable[[Corpus, Truths], Corpus] | None = None

    def __len__(self) -> int:
        return len(self.document)


@dataclass(frozen=True, eq=False, slots=True)
class RawText:
    """The texts of documents as they are, white space included, and where the rows' words stand in them.

    Args:
        documents: the text of each document.
        begin: the code point of its document's text at which each row's word begins.
        end: the code point behind it.

    """

    documents: tuple[str, ...]
    begin: Rows
    end: Rows


@dataclass(frozen=True, slots=True)
class TagEvidence:
    """What chunk tags say of their scheme; of several parts of a corpus it adds up.

    Args:
        counts: how often each tag is used.
        broken: how often each scheme is broken.

    """

    counts: Mapping[str, int]
    broken: Mapping[str, int]

    def __add__(self, other: TagEvidence) -> TagEvidence:
        return TagEvidence(Counter(self.counts) + Counter(other.counts), Counter(self.broken) + Counter(other.broken))


@dataclass(frozen=True, eq=False, kw_only=True)
class Corpus:
    """What was read from one input: the key, or one run of one system.

    Args:
        name: what the user calls it.
        format: the name of the format it was read as.
        source: its bytes.
        offset: the byte at which each row stands in the source.
        words: each row's word, or its id in a classification file; None where the format has none.
        columns: the requested columns by name, one value a row.
        sentences: the first row of each sentence, and behind them the number of rows.
        documents: the documents, as offsets into the sentences.
        by_id: whether rows are found by their id (classification) or by their order (tokens).
        several: whether values are sets of labels, written by `join_labels`.
        judged: what the column of values is called in the input.
        ranges: the tokens that stand for several words; None where there are none.
        arcs: the trees, where they were asked for.
        spans: the labelled spans, where they were asked for.
        raw: the texts of the documents, where the input has them; rows are then made by cutting them at white space
            and punctuation.
        notes: what was met while reading.
        quotes: claims that have no place in the text yet; None once they have, and for all other inputs.
        asked: the column that was asked for; None for the format's own.
        options: the options of the format by which it was read.
        beliefs: how probable its spans are; None where they are certain.
        layout: what the reader found out by looking at the first lines; portions of one corpus must agree in it.
        tags: what its chunk tags say of their scheme, where that was to be detected.

    """

    name: str
    format: str
    source: Source
    offset: Codes
    words: Slices | None
    columns: Mapping[str, TextColumn]
    sentences: NDArray[np.int64]
    documents: Documents
    by_id: bool = False
    several: bool = False
    judged: str = "tag"
    ranges: Ranges | None = None
    arcs: Arcs | None = None
    spans: Spans | None = None
    raw: RawText | None = None
    notes: tuple[Note, ...] = field(default=())
    quotes: Quotes | None = None
    asked: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    beliefs: Beliefs | None = None
    layout: str = ""
    tags: TagEvidence | None = None

    def __len__(self) -> int:
        return len(self.offset)

    @cached_property
    def row_documents(self) -> NDArray[np.int64]:
        """The first row of each document, and behind them the number of rows."""
        return self.sentences[self.documents.offsets]

    def location(self, row: int) -> Location:
        """Return the file and line of a row."""
        return self.source.locate(int(self.offset[row]))

    def sentence_of(self, row: int) -> int:
        """Return the index of the sentence that holds a row."""
        return int(np.searchsorted(self.sentences, row, side="right")) - 1

    def released(self) -> Corpus:
        """Return the corpus without its words and bytes, if these are many and can be read again.

        What stays are the columns and the places of the rows: all that is needed once it is aligned.
        """
        source = self.source.released()
        return self if source is self.source else replace(self, source=source, words=None)


def owner_of_rows(offsets: NDArray[np.int64]) -> NDArray[np.int32]:
    """Expand offsets to the index of the owner of each row.

    >>> owner_of_rows(np.array([0, 2, 3])).tolist()
    [0, 0, 1]
    """
    return np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))
