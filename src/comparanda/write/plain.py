"""A corpus of tags, trees or rows as its writers see it: documents of sentences, in plain Python values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import Slices
from comparanda.corpus import ROOT
from comparanda.errors import WriteError

if TYPE_CHECKING:
    from comparanda.corpus import Corpus
    from comparanda.places import Source
    from comparanda.write.passages import Losses

NOTHING = "_"
"""What stands in a column of words that says nothing."""

_COMMENT = re.compile(r"#\s*(?:sent_id|text)\s*=")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, or a row of a classification file.

    Args:
        values: the value of each word; None where it has none.
        words: its words, or the row's id; None where the input has none.
        heads: the number of each word's head, from 1, and 0 for the root; None where there are no trees.
        ranges: the numbers of the first and the last word of each token that stands for several, and its form.
        comments: what the input says of the sentence, its id and its text, as lines.

    """

    values: tuple[str | None, ...]
    words: tuple[str, ...] | None = None
    heads: tuple[int, ...] | None = None
    ranges: tuple[tuple[int, int, str], ...] = ()
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A document.

    Args:
        name: its name; None where the input marks no documents.
        sentences: its sentences.
        attributes: what is known of it, by name.

    """

    name: str | None
    sentences: tuple[Sentence, ...]
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def called(self) -> str:
        """What to call it in messages."""
        return "the input" if self.name is None else f"document {self.name!r}"


def plain_documents(corpus: Corpus) -> Iterator[Document]:
    """Give the documents of a corpus one by one."""
    sentences = _sentences(corpus)
    for number, (first, behind) in enumerate(pairwise(corpus.documents.offsets.tolist())):
        yield Document(
            corpus.documents.names[number] if corpus.documents.marked else None,
            tuple(next(sentences) for _ in range(first, behind)),
            {
                name: column[number]
                for name, column in corpus.documents.attributes.items()
                if not column.is_missing(number)
            },
        )


def _sentences(corpus: Corpus) -> Iterator[Sentence]:
    values = corpus.columns["value"].values()
    words = None if corpus.words is None else list(map(corpus.words.__getitem__, range(len(corpus))))
    heads = None if corpus.arcs is None else corpus.arcs.head.tolist()
    ranges = _ranges(corpus)
    commented = corpus.format == "conllu"
    for first, behind in pairwise(corpus.sentences.tolist()):
        yield Sentence(
            tuple(values[first:behind]),
            None if words is None else tuple(words[first:behind]),
            None if heads is None else tuple(_numbers(corpus, heads[first:behind], first, behind)),
            tuple(ranges.get(first, ())),
            tuple(_comments(corpus.source, int(corpus.offset[first]))) if commented else (),
        )


def _numbers(corpus: Corpus, heads: Iterable[int], first: int, behind: int) -> Iterator[int]:
    """Give heads as numbers of words in their sentence."""
    for row, head in enumerate(heads, start=first):
        if head != ROOT and not first <= head < behind:
            raise WriteError(
                f"the head of word {row - first + 1} stands in another sentence than the word",
                where=str(corpus.location(row)),
            )
        yield 0 if head == ROOT else head - first + 1


def _ranges(corpus: Corpus) -> dict[int, list[tuple[int, int, str]]]:
    """Return the tokens that stand for several words, by the first row of their sentence."""
    found: dict[int, list[tuple[int, int, str]]] = {}
    if (ranges := corpus.ranges) is None:
        return found
    forms = Slices(corpus.source.buffer, ranges.start, ranges.length)
    owners = corpus.sentences[np.searchsorted(corpus.sentences, ranges.begin, side="right") - 1]
    triples = zip(owners.tolist(), ranges.begin.tolist(), ranges.end.tolist(), strict=True)
    for number, (owner, begin, end) in enumerate(triples):
        found.setdefault(owner, []).append((begin - owner + 1, end - owner, forms[number]))
    return found


def _comments(source: Source, offset: int) -> Iterator[str]:
    """Give the comments before a word that say the id and the text of its sentence, in their order."""
    blank = source.data.rfind(b"\n\n", 0, offset)
    for line in source.data[blank + 2 if blank >= 0 else 0 : offset].decode().split("\n"):
        if _COMMENT.match(line):
            yield line


def cell(what: str, text: str, separator: str = "\t") -> str:
    """Return a text that is to stand in a column of a line; refuse one that would not stay one cell."""
    if "\n" in text or separator in text or (separator == " " and text.split() != [text]):
        between = {"\t": "tabs", " ": "spaces"}[separator]
        raise WriteError(
            f"the {what} {text!r} cannot stand in a column between {between}",
            hint=f"cells have no line breaks and no {between}" + " and are not empty" * (separator == " "),
        )
    return text


def with_values(documents: Iterable[Document], losses: Losses, *, by_id: bool) -> Iterator[Document]:
    """Give the documents of which every word has a value; say what is left out.

    A system may lack rows, where these have ids, and whole documents. It cannot lack single words of a text: no format
    could say so, and they are refused.
    """
    for document in documents:
        values = [value for sentence in document.sentences for value in sentence.values]
        if None not in values:
            yield document
        elif by_id:
            kept = tuple(sentence for sentence in document.sentences if None not in sentence.values)
            for sentence in document.sentences:
                if None in sentence.values:
                    losses.lose("rows without a value", *sentence.words or ())
            if kept:
                yield Document(document.name, kept, document.attributes)
        elif set(values) == {None} and document.name is not None:
            losses.lose("documents without any value", document.name)
        else:
            raise WriteError(
                f"{values.count(None):,} of the {len(values):,} words of {document.called} have no value",
                hint="a file of words must say something of each; only rows with ids and whole documents can be absent",
            )
