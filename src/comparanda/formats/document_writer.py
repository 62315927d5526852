"""A corpus with spans as its writers need it: document by document, with spans as characters of the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.ids import split_ids
from comparanda.core.places import Note
from comparanda.core.registry import find_registered
from comparanda.core.text_columns import TextColumn
from comparanda.errors import UsageError, WriteError, suggest_nearest

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus, Spans
    from comparanda.core.text_columns import Column
    from comparanda.formats.contract import Layer


Value = str | float | int | bool


@dataclass(frozen=True, slots=True)
class Mention:
    """A span.

    Args:
        pieces: its begin and end in the text; several pairs if it is discontinuous.
        label: its label.
        ids: the ids of its entity, the best first, `NIL` among them; None if it is not linked.
        attributes: its other attributes in the input, by name, without its text.

    """

    pieces: tuple[tuple[int, int], ...]
    label: str
    ids: tuple[str, ...] | None = None
    attributes: Mapping[str, Value] = field(default_factory=dict)

    @property
    def begin(self) -> int:
        """The index of its first character."""
        return self.pieces[0][0]

    @property
    def end(self) -> int:
        """The index after its last character."""
        return self.pieces[-1][1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A document.

    Args:
        name: its name.
        text: its text.
        words: the begin and the end of each word.
        sentences: the number of the first word of each sentence.
        mentions: its spans, in the order of the input.
        attributes: its metadata, by name.
        tags: the tags of its words, by the name of the column: `upos`, `xpos`, `feats`.
        chained: whether its spans are mentions of chains, whose names are their attribute `chain`.

    """

    name: str
    text: str
    words: tuple[tuple[int, int], ...]
    sentences: tuple[int, ...]
    mentions: tuple[Mention, ...]
    attributes: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    chained: bool = False

    def covered(self, mention: Mention) -> str:
        """Return the text of a span, its pieces separated by a space."""
        return " ".join(self.text[begin:end] for begin, end in mention.pieces)


class Losses:
    """Counts of what a format cannot hold, with the documents in which it occurs."""

    def __init__(self) -> None:
        self._documents: dict[str, list[str]] = {}

    def lose(self, what: str, document: str) -> None:
        """Record that something in a document is not written."""
        self._documents.setdefault(what, []).append(document)

    def notes(self, side: str) -> tuple[Note, ...]:
        """Return the losses as notes."""
        return tuple(
            Note(side, f"not written: {what}", len(names), tuple(dict.fromkeys(names))[:3])
            for what, names in self._documents.items()
        )

    def __bool__(self) -> bool:
        return bool(self._documents)


def lose_type(name: str, value: Value, passage: Passage, losses: Losses) -> None:
    """Report a loss if a value is not a string, as it is read back as one; a probability is always read as a number."""
    if not isinstance(value, str) and name != "probability":
        losses.lose(f"that {name!r} of spans is a number or a boolean: it is written as a string", passage.name)


ONE_SPACE = "white space between words, which the input does not have: one space is inserted"
GAPS = "the gaps of discontinuous spans: they are written as contiguous spans"
CHAIN, HEAD, ZERO = "chain", "head", "zero"
"""Attributes of mentions: the name of their chain, the number of their head among their words, from 1, and for
mentions of empty nodes the number of the node."""

TAGS = ("upos", "xpos", "feats")
"""The tags of words that are read with mentions: they distinguish nouns, names and pronouns."""

_EMPTY_TAGS = frozenset({"_", "-", ""})


def list_passages(corpus: Corpus, losses: Losses, *, chained: bool = False) -> Iterator[Passage]:
    """Yield the documents of a corpus one by one.

    Args:
        corpus: the input, with its spans.
        losses: records what the corpus lacks and has to be invented.
        chained: whether its spans are mentions of chains.

    """
    if corpus.spans is None:
        raise AssertionError("the corpus was read without spans")
    if corpus.raw is None and corpus.words is None:
        raise WriteError(
            "the input has spans, but no text",
            where=corpus.source.parts[0].name,
            hint="convert a file with the text, such as the key: offsets mean nothing without it",
        )
    rows = corpus.row_documents.tolist()
    sentences = corpus.sentences.tolist()
    first = corpus.documents.offsets.tolist()
    order = np.argsort(corpus.spans.document, kind="stable")
    bounds = np.searchsorted(corpus.spans.document[order], np.arange(len(corpus.documents) + 1)).tolist()
    columns = _MentionReader(corpus.spans, chained=chained)
    tags = _tag_columns(corpus) if chained else {}
    for number, name in enumerate(corpus.documents.names):
        text, words = _document_text(corpus, number=number, first=rows[number], last=rows[number + 1], losses=losses)
        yield Passage(
            name=name,
            text=text,
            words=words,
            sentences=tuple(row - rows[number] for row in sentences[first[number] : first[number + 1]]),
            mentions=tuple(
                columns.read_mention(span, words) for span in order[bounds[number] : bounds[number + 1]].tolist()
            ),
            attributes={
                attribute: column[number]
                for attribute, column in corpus.documents.attributes.items()
                if not column.is_missing(number)
            },
            tags={
                name: tuple(column[row] for row in range(*rows[number : number + 2])) for name, column in tags.items()
            },
            chained=chained,
        )


def _tag_columns(corpus: Corpus) -> dict[str, TextColumn]:
    """Return the columns of tags that are not empty."""
    found = {name: corpus.columns[name] for name in TAGS if name in corpus.columns}
    return {name: column for name, column in found.items() if not {*column.names} <= _EMPTY_TAGS}


def _document_text(
    corpus: Corpus, number: int, first: int, last: int, *, losses: Losses
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return the text of a document and the extents of its words."""
    if corpus.raw is not None:
        extents = zip(corpus.raw.begin[first:last].tolist(), corpus.raw.end[first:last].tolist(), strict=True)
        return corpus.raw.documents[number], tuple(extents)
    assert corpus.words is not None
    words = [corpus.words[row] for row in range(first, last)]
    if len(words) > 1:
        losses.lose(ONE_SPACE, corpus.documents.names[number])
    begins = np.cumsum([0, *(len(word) + 1 for word in words)]).tolist()
    return " ".join(words), tuple((begin, end - 1) for begin, end in pairwise(begins))


class _MentionReader:
    """Reads spans with their attributes as plain values."""

    def __init__(self, spans: Spans, *, chained: bool) -> None:
        self.spans = spans
        self.whole = {HEAD, ZERO} if chained else set()
        self.pieces: dict[int, list[tuple[int, int]]] = {}
        if (fragments := spans.fragments) is not None:
            triples = zip(fragments.span.tolist(), fragments.begin.tolist(), fragments.end.tolist(), strict=True)
            for span, begin, end in triples:
                self.pieces.setdefault(span, []).append((begin, end))
        self.attributes = {name: column for name, column in spans.columns.items() if name not in {"text", "id"}}

    def read_mention(self, span: int, words: Sequence[tuple[int, int]]) -> Mention:
        spans = self.spans
        pieces = self.pieces.get(span) or [(int(spans.begin[span]), int(spans.end[span]))]
        if spans.unit == "tokens":
            pieces = [_to_characters(words, begin, end) for begin, end in pieces]
        ids = _read_value(spans.columns.get("id"), span)
        values = {name: _read_value(column, span, whole=name in self.whole) for name, column in self.attributes.items()}
        return Mention(
            tuple(pieces),
            spans.label[span],
            None if ids is None else split_ids(str(ids)),
            {name: value for name, value in values.items() if value is not None},
        )


def _to_characters(words: Sequence[tuple[int, int]], begin: int, end: int) -> tuple[int, int]:
    """Convert a range of words to characters; an empty range becomes the position before the next word."""
    if begin < end:
        return words[begin][0], words[end - 1][1]
    place = words[begin][0] if begin < len(words) else max((last for _, last in words), default=0)
    return place, place


def _read_value(column: Column | None, span: int, *, whole: bool = False) -> Value | None:
    """Return a cell as a plain value, or None if it is missing; whole floats become integers if wanted."""
    if column is None:
        return None
    if isinstance(column, TextColumn):
        return None if column.is_missing(span) else column[span]
    value: Value = column[span].item()
    if value != value:  # noqa: PLR0124 - NaN
        return None
    return int(value) if whole and isinstance(value, float) and value.is_integer() else value


# Writers and their registry.


Write = Callable[[Iterable[Passage], Losses, Mapping[str, str]], Iterable[tuple[str, str]]]
"""From documents to files: a name and a text each. What the format cannot hold is recorded in the losses, and what
cannot be written at all is refused by a `WriteError`. The options are those of the format, as written after `?`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """A format that can be written.

    Args:
        name: the name of the format, the same as for reading.
        suffix: the suffix of its files.
        write: from documents to files. A writer of a single file names it "".
        many: whether it writes one or several files per document, and so a folder.
        options: its options, each with one line of explanation.
        encode: from a file's text to its bytes; None for UTF-8.
        layers: what it can write: spans, chains of mentions, or both.
        tags: the columns of words that it writes: `upos`, `xpos`, `feats`.
        spaced: whether it preserves the white space between words.

    """

    name: str
    suffix: str
    write: Write
    many: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    encode: Callable[[str], bytes] | None = None
    layers: frozenset[Layer] = frozenset({"spans"})
    tags: frozenset[str] = frozenset()
    spaced: bool = True

    def check_options(self, options: Mapping[str, str]) -> None:
        """Refuse an option that this writer does not have."""
        for option in options:
            if option not in self.options:
                raise UsageError(
                    f"format {self.name!r} has no option {option!r} for writing{suggest_nearest(option, self.options)}",
                    hint=f"its options: {', '.join(self.options) or 'none'}",
                )


@dataclass(frozen=True, slots=True)
class Written:
    """The output of a writer: its files by name, and what it could not write."""

    files: Mapping[str, str]
    losses: tuple[Note, ...]


@cache
def find_writers() -> dict[str, Writer]:
    """Return all writers by name; they register by the entry point group `comparanda.writers`."""
    return {name: entry.load() for name, entry in find_registered("comparanda.writers").items()}


def find_writer(name: str) -> Writer:
    """Return the writer of a format."""
    known = find_writers()
    if name not in known:
        what = f"unknown output format {name!r}{suggest_nearest(name, known)}"
        raise UsageError(what, hint=f"formats that can be written: {', '.join(known)}")
    return known[name]
