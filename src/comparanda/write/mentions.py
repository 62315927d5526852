"""Mentions as runs of words: what formats can carry that know words and chains, and nothing else of spans."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from comparanda.read.conllu_entities.gathered import NO_LABEL
from comparanda.read.cutting import cut
from comparanda.write.chunks import Run, runs_of
from comparanda.write.passages import CHAIN, GAPS, HEAD, ZERO, Losses, Mention, Passage

_COUNTING = (HEAD, "minspan")
"""What is said of mentions by numbers of their words."""


class Placed(NamedTuple):
    """A mention: its words, and the name of its chain; None where it is alone."""

    run: Run
    chain: str | None


def chain_of(mention: Mention) -> str | None:
    """Return the name of a mention's chain; None where it is in none, and so alone."""
    return str(mention.said.get(CHAIN, "")) or None


def placed(passage: Passage, losses: Losses) -> list[Placed]:
    """Return the mentions of a document in the order of the input; say what words and chains do not tell of them.

    Discontinuous ones are written as a whole. Those without words, of empty nodes, are left out.
    """
    kept = []
    for mention in passage.mentions:
        _tell(passage, mention, losses)
        pieces = tuple(piece for piece in mention.pieces if piece[0] < piece[1])
        if pieces:
            kept.append(mention if pieces == mention.pieces else replace(mention, pieces=pieces))
        else:
            losses.lose("mentions of no words, such as zeros", passage.name)
    runs = runs_of(passage, kept)
    return [
        Placed(Run(each[0].first, each[-1].behind), chain_of(mention)) for mention, each in zip(kept, runs, strict=True)
    ]


def _tell(passage: Passage, mention: Mention, losses: Losses) -> None:
    if len(mention.pieces) > 1:
        losses.lose(GAPS, passage.name)
    if mention.label != NO_LABEL:
        losses.lose("labels of spans", passage.name)
    if mention.ids is not None:
        losses.lose("ids of spans", passage.name)
    for name in mention.said:
        if name not in {CHAIN, ZERO}:
            losses.lose(f"{name!r} of spans", passage.name)


def whole(passage: Passage, mentions: list[Placed]) -> Passage:
    """Return a document with spans where mentions are placed, each in one piece."""
    extents = [(passage.words[each.run.first][0], passage.words[each.run.behind - 1][1]) for each in mentions]
    return replace(passage, mentions=tuple(Mention((extent,), NO_LABEL) for extent in extents))


def shared_names(documents: Iterable[Passage]) -> Iterator[str]:
    """Give the documents that have chains called as those of documents before them."""
    known: set[str] = set()
    for each in documents:
        names = {name for mention in each.mentions if (name := chain_of(mention)) is not None}
        if names & known:
            yield each.name
        known |= names


def tell_shared_names(documents: Iterable[Passage], losses: Losses) -> None:
    """Say that chains will have no names, by which they could go from one document to the next."""
    for name in shared_names(documents):
        losses.lose("names of chains, which several documents share", name)


def without_words(passage: Passage, losses: Losses) -> Passage:
    """Return a document for a format that has no words: without numbers of words that would mean others.

    Whoever reads it cuts the text into words. Where these are not those of the document, the third word of a mention is
    another one, and nothing can be said by numbers.
    """
    if not passage.chained:
        return passage
    found = cut([passage.text])
    again = tuple(zip(found.begin.tolist(), found.end.tolist(), strict=True))
    mentions = []
    for mention in passage.mentions:
        counting = [name for name in _COUNTING if name in mention.said]
        if counting and _inside(mention, passage.words) != _inside(mention, again):
            for name in counting:
                losses.lose(f"{name!r} of spans whose words are cut otherwise by who reads the text", passage.name)
            said = {name: value for name, value in mention.said.items() if name not in counting}
            mentions.append(replace(mention, said=said))
        else:
            mentions.append(mention)
    return replace(passage, mentions=tuple(mentions))


def _inside(mention: Mention, words: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the words of a mention."""
    return [
        word
        for begin, end in mention.pieces
        for word in words[bisect_left(words, (begin, begin)) : bisect_left(words, (end, end))]
    ]
