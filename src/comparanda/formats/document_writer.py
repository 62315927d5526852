"""A corpus with spans as writers see it: one document after the other, spans as characters of its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.ids import split
from comparanda.core.places import Note
from comparanda.core.registry import registered
from comparanda.core.text_columns import TextColumn
from comparanda.errors import UsageError, WriteError, nearest

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus, Spans
    from comparanda.core.text_columns import Column
    from comparanda.formats.contract import Layer


Value = str | float | int | bool


@dataclass(frozen=True, slots=True)
class Mention:
    """A span.

    Args:
        pieces: where it begins and ends in the text; several pairs if it is discontinuous.
        label: its label.
        ids: the ids of its entity, the best first, `NIL` among them; None where it is not linked.
        said: what else the input says of it, by name; its text is not among that.

    """

    pieces: tuple[tuple[int, int], ...]
    label: str
    ids: tuple[str, ...] | None = None
    said: Mapping[str, Value] = field(default_factory=dict)

    @property
    def begin(self) -> int:
        """Where it begins."""
        return self.pieces[0][0]

    @property
    def end(self) -> int:
        """Where it ends: the place behind its last character."""
        return self.pieces[-1][1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A document.

    Args:
        name: its name.
        text: its text.
        words: where its words begin and end.
        sentences: the number of the first word of each sentence.
        mentions: its spans, in the order of the input.
        attributes: what is known of it, by name.
        tags: what is known of its words, by the name of the column: `upos`, `xpos`, `feats`.
        chained: whether its spans are mentions, and what is said of them as `chain` tells which are one entity.

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
        """Return the text of a span, its pieces with a space between them."""
        return " ".join(self.text[begin:end] for begin, end in mention.pieces)


class Losses:
    """What a format cannot carry, counted, with the first documents in which it was met."""

    def __init__(self) -> None:
        self._met: dict[str, list[str]] = {}

    def lose(self, what: str, document: str) -> None:
        """Say that something of a document is not written."""
        self._met.setdefault(what, []).append(document)

    def notes(self, side: str) -> tuple[Note, ...]:
        """Return the losses as notes."""
        return tuple(
            Note(side, f"not written: {what}", len(met), tuple(dict.fromkeys(met))[:3])
            for what, met in self._met.items()
        )

    def __bool__(self) -> bool:
        return bool(self._met)


ONE_SPACE = "white space between words, which the input does not have: one space is put"
GAPS = "the gaps of discontinuous spans: they are written as a whole"
CHAIN, HEAD, ZERO = "chain", "head", "zero"
"""What is said of mentions: which chain they are in, which of their words is the head, from 1, and of those of empty
nodes the number of the node."""

TAGS = ("upos", "xpos", "feats")
"""What is asked of words where spans are mentions: by this they are nouns, names and pronouns."""

_NO_TAG = frozenset({"_", "-", ""})


def passages(corpus: Corpus, losses: Losses, *, chained: bool = False) -> Iterator[Passage]:
    """Give the documents of a corpus one by one.

    Args:
        corpus: what was read, with its spans.
        losses: where it is told what the corpus does not have, and has to be made up.
        chained: whether its spans are mentions of chains.

    """
    if corpus.spans is None:
        raise AssertionError("the corpus was read without spans")
    if corpus.raw is None and corpus.words is None:
        raise WriteError(
            "the input has spans, but no text that they stand in",
            where=corpus.source.parts[0].name,
            hint="offsets alone say nothing without their text: convert a file that has it, such as the key",
        )
    rows = corpus.row_documents.tolist()
    sentences = corpus.sentences.tolist()
    first = corpus.documents.offsets.tolist()
    order = np.argsort(corpus.spans.document, kind="stable")
    bounds = np.searchsorted(corpus.spans.document[order], np.arange(len(corpus.documents) + 1)).tolist()
    columns = _Columns(corpus.spans, chained=chained)
    tags = _tags(corpus) if chained else {}
    for number, name in enumerate(corpus.documents.names):
        text, words = _text(corpus, number=number, first=rows[number], last=rows[number + 1], losses=losses)
        yield Passage(
            name=name,
            text=text,
            words=words,
            sentences=tuple(row - rows[number] for row in sentences[first[number] : first[number + 1]]),
            mentions=tuple(
                columns.mention(span, words) for span in order[bounds[number] : bounds[number + 1]].tolist()
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


def _tags(corpus: Corpus) -> dict[str, TextColumn]:
    """Return the columns of tags that say something."""
    found = {name: corpus.columns[name] for name in TAGS if name in corpus.columns}
    return {name: column for name, column in found.items() if not {*column.names} <= _NO_TAG}


def _text(
    corpus: Corpus, number: int, first: int, last: int, *, losses: Losses
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return the text of a document and where its words stand in it."""
    if corpus.raw is not None:
        extents = zip(corpus.raw.begin[first:last].tolist(), corpus.raw.end[first:last].tolist(), strict=True)
        return corpus.raw.documents[number], tuple(extents)
    assert corpus.words is not None
    words = [corpus.words[row] for row in range(first, last)]
    if len(words) > 1:
        losses.lose(ONE_SPACE, corpus.documents.names[number])
    begins = np.cumsum([0, *(len(word) + 1 for word in words)]).tolist()
    return " ".join(words), tuple((begin, end - 1) for begin, end in pairwise(begins))


class _Columns:
    """What is said of each span, as plain values."""

    def __init__(self, spans: Spans, *, chained: bool) -> None:
        self.spans = spans
        self.whole = {HEAD, ZERO} if chained else set()
        self.pieces: dict[int, list[tuple[int, int]]] = {}
        if (fragments := spans.fragments) is not None:
            triples = zip(fragments.span.tolist(), fragments.begin.tolist(), fragments.end.tolist(), strict=True)
            for span, begin, end in triples:
                self.pieces.setdefault(span, []).append((begin, end))
        self.said = {name: column for name, column in spans.columns.items() if name not in {"text", "id"}}

    def mention(self, span: int, words: Sequence[tuple[int, int]]) -> Mention:
        spans = self.spans
        pieces = self.pieces.get(span) or [(int(spans.begin[span]), int(spans.end[span]))]
        if spans.unit == "tokens":
            pieces = [_characters(words, begin, end) for begin, end in pieces]
        ids = _value(spans.columns.get("id"), span)
        values = {name: _value(column, span, whole=name in self.whole) for name, column in self.said.items()}
        return Mention(
            tuple(pieces),
            spans.label[span],
            None if ids is None else split(str(ids)),
            {name: value for name, value in values.items() if value is not None},
        )


def _characters(words: Sequence[tuple[int, int]], begin: int, end: int) -> tuple[int, int]:
    """Return where words begin and end in the text; where there are none, the place before the next one."""
    if begin < end:
        return words[begin][0], words[end - 1][1]
    place = words[begin][0] if begin < len(words) else max((last for _, last in words), default=0)
    return place, place


def _value(column: Column | None, span: int, *, whole: bool = False) -> Value | None:
    """Return a cell as a plain value, whole numbers without a point where that is wanted; None where there is none."""
    if column is None:
        return None
    if isinstance(column, TextColumn):
        return None if column.is_missing(span) else column[span]
    value: Value = column[span].item()
    if value != value:  # noqa: PLR0124 - NaN
        return None
    return int(value) if whole and isinstance(value, float) and value.is_integer() else value


# What a writer is, and which there are.


Write = Callable[[Iterable[Passage], Losses, Mapping[str, str]], Iterable[tuple[str, str]]]
"""From documents to files: a name and a text each. What cannot be carried is told to the losses, and what cannot be
written at all is refused by a `WriteError`. The options are those of the format, as written behind `?`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """A format that can be written.

    Args:
        name: the name of the format, the same as for reading.
        suffix: what names of its files end in.
        write: from documents to files. A writer of one file gives it the name "".
        many: whether it makes one file, or several, a document: a folder then.
        options: the options it understands, each with one line of explanation.
        encode: from a file's text to its bytes; None for UTF-8.
        layers: what it knows: spans, chains of mentions, or both.
        tags: the columns of words that it carries: `upos`, `xpos`, `feats`.
        spaced: whether it carries what stands between words.

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
                    f"format {self.name!r} has no option {option!r} for writing{nearest(option, self.options)}",
                    hint=f"its options: {', '.join(self.options) or 'none'}",
                )


@dataclass(frozen=True, slots=True)
class Written:
    """What a writer made: its files by name, and what it could not carry."""

    files: Mapping[str, str]
    losses: tuple[Note, ...]


@cache
def writers() -> dict[str, Writer]:
    """Return all writers by name; they register by the entry point group `comparanda.writers`."""
    return {name: entry.load() for name, entry in registered("comparanda.writers").items()}


def find_writer(name: str) -> Writer:
    """Return the writer of a format."""
    known = writers()
    if name not in known:
        what = f"no format that can be written is called {name!r}{nearest(name, known)}"
        raise UsageError(what, hint=f"formats that can be written: {', '.join(known)}")
    return known[name]
