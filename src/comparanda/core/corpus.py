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
        names: the names of the documents. A name occurs again where a document continues after others.
        offsets: the first sentence of each document, followed by the number of sentences.
        marked: whether the input has document boundaries. If it does not, the whole corpus is one
            document, and sentences or rows are resampled instead.
        attributes: metadata of the documents (genre, year …), by name.
        anonymous: whether each document got its name from its number, or as the only one from its file; None if
            all names are from the input.

    """

    names: tuple[str, ...]
    offsets: NDArray[np.int64]
    marked: bool
    attributes: Mapping[str, TextColumn] = field(default_factory=dict)
    anonymous: Truths | None = None

    def __len__(self) -> int:
        return len(self.names)

    def own_name(self, document: int) -> str | None:
        """Return the name that the input gives a document; None if it has none."""
        return None if self.anonymous is not None and self.anonymous[document] else self.names[document]

    @cached_property
    def numbers(self) -> NDArray[np.int32]:
        """The number of each document among the different names, in order of first appearance."""
        place: dict[str, int] = {}
        return np.array([place.setdefault(name, len(place)) for name in self.names], np.int32)


ROOT = -1
"""The head of a root, a word without a parent."""


@dataclass(frozen=True, eq=False, slots=True)
class Ranges:
    """Multi-word tokens (3-4 in CoNLL-U); all other words are tokens themselves.

    Args:
        begin: the first row of each.
        end: the row after its last one.
        start: the byte of the source at which its form begins.
        length: the length of the form in bytes.

    """

    begin: Rows
    end: Rows
    start: Rows
    length: Rows

    def __len__(self) -> int:
        return len(self.begin)


@dataclass(frozen=True, eq=False, slots=True)
class Edges:
    """The arcs of enhanced dependency graphs, in which a word may have several heads.

    Args:
        row: the word of each edge.
        head: the row of its head, or `ROOT`.
        label: its relation as it is written; steps of a path through empty nodes are joined by `>`.

    """

    row: Rows
    head: Rows
    label: TextColumn


@dataclass(frozen=True, eq=False, slots=True)
class Arcs:
    """The dependency trees of a corpus, one arc per word; the relations are a column of the corpus.

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
        span: the index of the span that each is a piece of.
        begin: where it begins.
        end: where it ends.

    """

    span: Rows
    begin: Rows
    end: Rows

    def take(self, spans: Rows, count: int) -> Fragments | None:
        """Select the pieces of some of `count` spans, renumbering these; None if they have no pieces."""
        place = np.full(count, -1, np.int64)
        place[spans] = np.arange(len(spans))
        keep = np.flatnonzero(place[self.span] >= 0)
        return Fragments(place[self.span[keep]], self.begin[keep], self.end[keep]) if len(keep) else None


Unit = Literal["tokens", "characters"]
"""The unit of positions: rows of the corpus, or code points of the documents' texts."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Spans:
    """The labelled spans of a corpus.

    Args:
        unit: the unit of positions.
        document: the index of each span's document.
        begin: where it begins in its document.
        end: where it ends (half-open); for a discontinuous span, the end of its last piece.
        label: its label.
        offset: the byte of the source at which it is located.
        fragments: the pieces of discontinuous spans; None where there are none.
        columns: further columns of the input: `text`, `id`, `confidence`, `probability` …
        convention: the options that say what the offsets of the input count (`offsets`, `base`); empty where it has no
            offsets, only tags, words or quotations.

    """

    unit: Unit
    document: Rows
    begin: Rows
    end: Rows
    label: TextColumn
    offset: Codes
    fragments: Fragments | None = None
    columns: Mapping[str, Column] = field(default_factory=dict)
    convention: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.begin)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Quotes:
    """Labelled quotations from answers of language models, not yet located in the text; in the order of the answers.

    Args:
        document: the index of the document that each refers to; non-decreasing.
        text: the text that it quotes.
        label: its label.
        offset: the byte of the source at which its answer begins.
        occurrence: which occurrence of the text is meant, from 1; 0 if the answer does not specify it.
        begin: its position in the answer's copy of the document's text; -1 where there is none.
        sequence: the list that it is an element of: only quotations of one list have an order.
        pairs: the object or list whose form does not tell texts and labels apart, so that the two may have to be
            exchanged; -1 where the form does.
        copies: these copies, one per document; None where an answer contains none.
        columns: further columns of the answers: `id`, `probability` …
        probable: adds probabilities once the items are located, given a mask of those that could not be; None where
            items are certain.

    """

    document: Rows
    text: TextColumn
    label: TextColumn
    offset: Codes
    occurrence: Rows
    begin: Rows
    sequence: Rows
    pairs: Rows
    copies: tuple[str | None, ...]
    columns: Mapping[str, Column] = field(default_factory=dict)
    probable: Callable[[Corpus, Truths], Corpus] | None = None

    def __len__(self) -> int:
        return len(self.document)


@dataclass(frozen=True, eq=False, slots=True)
class RawText:
    """The original texts of documents, white space included, and the positions of the rows' words in them.

    Args:
        documents: the text of each document.
        begin: the code point of its document's text at which each row's word begins.
        end: the code point after its last.

    """

    documents: tuple[str, ...]
    begin: Rows
    end: Rows


@dataclass(frozen=True, slots=True)
class TagEvidence:
    """Evidence for the scheme of chunk tags; the evidence of several parts of a corpus can be added.

    Args:
        counts: the number of occurrences of each tag.
        broken: the number of violations of each scheme.

    """

    counts: Mapping[str, int]
    broken: Mapping[str, int]

    def __add__(self, other: TagEvidence) -> TagEvidence:
        return TagEvidence(Counter(self.counts) + Counter(other.counts), Counter(self.broken) + Counter(other.broken))


@dataclass(frozen=True, eq=False, kw_only=True)
class Corpus:
    """The content of one input: the key, or one run of one system.

    Args:
        name: the name given by the user.
        format: the name of the format it was read as.
        source: its bytes.
        offset: the byte of the source at which each row begins.
        words: each row's word, or its id in a classification file; None where the format has none.
        columns: the requested columns by name, one value per row.
        sentences: the first row of each sentence, followed by the number of rows.
        documents: the documents, as offsets into the sentences.
        by_id: whether rows are identified by their id (classification) or by their order (tokens).
        several: whether values are sets of labels, written by `join_labels`.
        evaluated: the name of the column of values in the input.
        ranges: the multi-word tokens; None where there are none.
        arcs: the trees, if they were requested.
        spans: the labelled spans, if they were requested.
        raw: the texts of the documents, where the input has them; rows are then made by splitting them at white space
            and punctuation.
        notes: observations made while reading.
        quotes: quotations that are not yet located in the text; None once they are, and for all other inputs.
        asked: the requested column; None for the format's default.
        options: the format options it was read with.
        beliefs: the probabilities of its spans; None where they are certain.
        layout: what the reader detected in the first lines; all portions of a corpus must agree in it.
        tags: evidence for the scheme of its chunk tags, where that is to be detected.
        flagged_sentences: whether sentence ends are annotations of words, which an output may lack.

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
    evaluated: str = "tag"
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
    flagged_sentences: bool = False

    def __len__(self) -> int:
        return len(self.offset)

    @cached_property
    def row_documents(self) -> NDArray[np.int64]:
        """The first row of each document, followed by the number of rows."""
        return self.sentences[self.documents.offsets]

    @property
    def textless(self) -> bool:
        """Whether it consists of spans by characters, without the text that these count."""
        spans = self.spans
        return spans is not None and spans.unit == "characters" and self.raw is None and self.words is None

    def location(self, row: int) -> Location:
        """Return the file and line of a row."""
        return self.source.locate(int(self.offset[row]))

    def sentence_of(self, row: int) -> int:
        """Return the index of the sentence that contains a row."""
        return int(np.searchsorted(self.sentences, row, side="right")) - 1

    def released(self) -> Corpus:
        """Drop the words and bytes of the corpus if they are large and can be read again.

        The columns and the places of the rows remain: nothing else is needed once the corpus is aligned.
        """
        source = self.source.released()
        return self if source is self.source else replace(self, source=source, words=None)


def owner_of_rows(offsets: NDArray[np.int64]) -> NDArray[np.int32]:
    """Expand offsets to the index of the unit (document or sentence) that each row belongs to.

    >>> owner_of_rows(np.array([0, 2, 3])).tolist()
    [0, 0, 1]
    """
    return np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))
