"""Spans as runs of words and as one chunk tag per word, for writers of column formats.

A chunk tag marks whether a span begins, continues or ends at one word. So spans must begin and end at word boundaries,
be contiguous and share no words; any others are refused.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from comparanda.errors import WriteError
from comparanda.formats.document_writer import CHAIN, GAPS, HEAD, ZERO, Losses, Mention, Passage
from comparanda.formats.entity_brackets import NO_LABEL
from comparanda.formats.standoff import tokenise_texts

ChunkScheme = Literal["bio", "bioes"]
"""The schemes that can be written: `bio` is B, I and O; `bioes` adds E for ends and S for spans of one word."""

_LINE_BREAKERS = re.compile(r"[\0\t\n\r]")
_BYTE_ORDER_MARK = "\ufeff"


class Run(NamedTuple):
    """Consecutive words: the first, and the one after the last."""

    first: int
    stop: int


def words_of(passage: Passage) -> list[str]:
    r"""Return the words of a document; refuse words that a line of columns cannot hold.

    >>> words_of(Passage(name="d", text="a b", words=((0, 1), (2, 3)), sentences=(0,), mentions=()))
    ['a', 'b']
    """
    words = [passage.text[begin:end] for begin, end in passage.words]
    for number, word in enumerate(words):
        if not word.strip(_BYTE_ORDER_MARK).strip() or _LINE_BREAKERS.search(word):
            raise WriteError(
                f"word {number + 1} of document {passage.name!r} is {word!r}, which cannot be written in a column",
                hint="words in columns must not be blank or contain tabs or line breaks",
            )
    return words


def fits_in_line(text: str) -> bool:
    """Whether a text, such as the name of a document, can be written in a line of columns and read back unchanged."""
    return text == text.strip() != "" and not _LINE_BREAKERS.search(text)


def runs_of(passage: Passage, mentions: Iterable[Mention] | None = None) -> list[tuple[Run, ...]]:
    """Return the word runs of each span, one per piece; refuse a span that begins or ends inside a word.

    Args:
        passage: the document.
        mentions: some of its spans; all by default.

    """
    first = {begin: number for number, (begin, _) in enumerate(passage.words)}
    stop = {end: number + 1 for number, (_, end) in enumerate(passage.words)}
    found = []
    for mention in passage.mentions if mentions is None else mentions:
        runs = tuple(Run(first.get(begin, -1), stop.get(end, -1)) for begin, end in mention.pieces)
        for piece, run in zip(mention.pieces, runs, strict=True):
            if run.first < 0 or run.stop <= run.first:
                raise no_words(passage, mention, piece)
        found.append(runs)
    return found


def no_words(passage: Passage, mention: Mention, piece: tuple[int, int]) -> WriteError:
    """Make the error for a span with a piece that is not a run of words."""
    begin, end = piece
    if begin == end:
        return WriteError(
            f"{_describe_span(passage, mention)} has no length, so it covers no word",
            hint="choose a format with offsets, such as jsonl",
        )
    cut = [passage.text[first:last] for first, last in passage.words if first < end and last > begin]
    within = f": it overlaps the words {', '.join(map(repr, cut[:5]))}{', …' if len(cut) > 5 else ''}" if cut else ""
    return WriteError(
        f"{_describe_span(passage, mention)} does not begin and end at word boundaries{within}",
        hint="choose a format with offsets, such as jsonl",
    )


def _describe_span(passage: Passage, mention: Mention) -> str:
    shown = passage.covered(mention)
    shown = shown if len(shown) <= 40 else f"{shown[:39]}…"
    return f"the span {shown!r} ({mention.label}, {mention.begin}:{mention.end}) of document {passage.name!r}"


def chunk_tags(
    passage: Passage, mentions: Sequence[Mention] | None = None, *, scheme: ChunkScheme = "bio"
) -> list[str]:
    """Return the chunk tag of each word.

    Refused are spans in several pieces, spans that share words, spans that begin or end inside a word, and labels
    that hold white space.

    Args:
        passage: the document.
        mentions: the spans to be encoded; all by default.
        scheme: the letters of the tags.

    >>> mention = Mention(((0, 3),), "PER")
    >>> words = ((0, 1), (2, 3), (4, 5))
    >>> chunk_tags(Passage(name="d", text="a b c", words=words, sentences=(0,), mentions=(mention,)), scheme="bioes")
    ['B-PER', 'E-PER', 'O']

    """
    chosen = passage.mentions if mentions is None else mentions
    tags = ["O"] * len(passage.words)
    taken: dict[int, Mention] = {}
    for mention, runs in zip(chosen, runs_of(passage, chosen), strict=True):
        _refuse_label(passage, mention)
        if len(runs) > 1:
            raise WriteError(
                f"{_describe_span(passage, mention)} is in {len(runs)} pieces, which chunk tags cannot encode",
                hint="choose another format: jsonl, conllu, brat",
            )
        ((first, stop),) = runs
        for row in range(first, stop):
            if row in taken:
                raise _shared_words_error(passage, taken[row], mention)
            taken[row] = mention
        tags[first:stop] = _format_tags(stop - first, mention.label, scheme)
    return tags


def _format_tags(size: int, label: str, scheme: ChunkScheme) -> list[str]:
    letters = ["B", *"I" * (size - 1)]
    if scheme == "bioes":
        letters[-1] = "S" if size == 1 else "E"
    return [f"{letter}-{label}" for letter in letters]


def _refuse_label(passage: Passage, mention: Mention) -> None:
    if mention.label.split() != [mention.label]:
        raise WriteError(
            f"the label {mention.label!r} in document {passage.name!r} contains white space, "
            "which chunk tags cannot encode",
            hint="rename the label",
        )


def _shared_words_error(passage: Passage, one: Mention, other: Mention) -> WriteError:
    return WriteError(
        "two spans share words, which chunk tags cannot encode",
        details=[_describe_span(passage, one), _describe_span(passage, other)],
        hint="choose another format: jsonl, conllu, brat",
    )


def sentences_of(passage: Passage, losses: Losses) -> list[Run]:
    """Return the words of each sentence; sentences are joined if a span crosses their boundary.

    >>> words = ((0, 1), (2, 3), (4, 5))
    >>> sentences_of(Passage(name="d", text="a b c", words=words, sentences=(0, 2), mentions=()), Losses())
    [Run(first=0, stop=2), Run(first=2, stop=3)]
    """
    inside = {0}
    for runs in runs_of(passage):
        inside.update(range(runs[0].first + 1, runs[-1].stop))
    starts = [0]
    for start in passage.sentences:
        if start not in inside:
            starts.append(start)
        elif start:
            losses.lose("ends of sentences inside spans", passage.name)
    return [Run(*each) for each in zip(starts, [*starts[1:], len(passage.words)], strict=True) if each[0] < each[1]]


# Mentions as runs of words, for formats that hold words and chains, but no other attributes of spans.


_WORD_NUMBER_ATTRIBUTES = (HEAD, "minspan")
"""The attributes of mentions that are numbers of their words."""


class Placed(NamedTuple):
    """A mention: its words, and the name of its chain; None if it is a singleton."""

    run: Run
    chain: str | None


def chain_of(mention: Mention) -> str | None:
    """Return the name of a mention's chain; None if it is in none, and so a singleton."""
    return str(mention.attributes.get(CHAIN, "")) or None


def place_mentions(passage: Passage, losses: Losses) -> list[Placed]:
    """Return the mentions of a document in the order of the input; report what words and chains cannot express.

    Discontinuous mentions are written with their gaps. Those without words, of empty nodes, are left out.
    """
    kept = []
    for mention in passage.mentions:
        _report_losses(passage, mention, losses)
        pieces = tuple(piece for piece in mention.pieces if piece[0] < piece[1])
        if pieces:
            kept.append(mention if pieces == mention.pieces else replace(mention, pieces=pieces))
        else:
            losses.lose("mentions without words, such as zeros", passage.name)
    runs = runs_of(passage, kept)
    return [
        Placed(Run(each[0].first, each[-1].stop), chain_of(mention)) for mention, each in zip(kept, runs, strict=True)
    ]


def _report_losses(passage: Passage, mention: Mention, losses: Losses) -> None:
    if len(mention.pieces) > 1:
        losses.lose(GAPS, passage.name)
    if mention.label != NO_LABEL:
        losses.lose("labels of spans", passage.name)
    if mention.ids is not None:
        losses.lose("ids of spans", passage.name)
    for name in mention.attributes:
        if name not in {CHAIN, ZERO}:
            losses.lose(f"{name!r} of spans", passage.name)


def merge_pieces(passage: Passage, mentions: list[Placed]) -> Passage:
    """Return a document with one contiguous span for each mention."""
    extents = [(passage.words[each.run.first][0], passage.words[each.run.stop - 1][1]) for each in mentions]
    return replace(passage, mentions=tuple(Mention((extent,), NO_LABEL) for extent in extents))


def shared_names(documents: Iterable[Passage]) -> Iterator[str]:
    """Yield the names of documents that reuse names of chains of earlier documents."""
    known: set[str] = set()
    for each in documents:
        names = {name for mention in each.mentions if (name := chain_of(mention)) is not None}
        if names & known:
            yield each.name
        known |= names


def report_shared_names(documents: Iterable[Passage], losses: Losses) -> None:
    """Report that chains will have no names that link them across documents."""
    for name in shared_names(documents):
        losses.lose("names of chains, which several documents share", name)


def without_words(passage: Passage, losses: Losses) -> Passage:
    """Drop numbers of words that would refer to other words in a format without tokens.

    Readers of such a format tokenise the text themselves. If their words differ from those of the document, numbers of
    words become wrong: the third word of a mention is a different one.
    """
    if not passage.chained:
        return passage
    found = tokenise_texts([passage.text])
    again = tuple(zip(found.begin.tolist(), found.end.tolist(), strict=True))
    mentions = []
    for mention in passage.mentions:
        counting = [name for name in _WORD_NUMBER_ATTRIBUTES if name in mention.attributes]
        if counting and _covered_words(mention, passage.words) != _covered_words(mention, again):
            for name in counting:
                losses.lose(f"{name!r} of spans that readers of the text will tokenise differently", passage.name)
            attributes = {name: value for name, value in mention.attributes.items() if name not in counting}
            mentions.append(replace(mention, attributes=attributes))
        else:
            mentions.append(mention)
    return replace(passage, mentions=tuple(mentions))


def _covered_words(mention: Mention, words: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the words inside a mention."""
    return [
        word
        for begin, end in mention.pieces
        for word in words[bisect_left(words, (begin, begin)) : bisect_left(words, (end, end))]
    ]


# Brackets in the cells of words are ambiguous if mentions of one chain cross: which bracket closes which is unknown.


CROSSING = "chains of spans that cross another span of their chain"
KEPT = "the order of chains that share a mention"


def find_ambiguous(chains: Sequence[str | None], runs: Sequence[Sequence[Run]]) -> Iterator[int]:
    """Yield the spans whose brackets a reader could not match, because of another span of the same chain.

    These are spans that cross another one, and discontinuous spans interleaved with the pieces of another one.
    """
    by_chain: dict[tuple[str, bool], list[int]] = defaultdict(list)
    for number, name in enumerate(chains):
        if name is not None:
            by_chain[name, len(runs[number]) > 1].append(number)
    for (_, discontinuous), numbers in by_chain.items():
        open_until: list[int] = []
        for number in sorted(numbers, key=lambda number: (runs[number][0].first, -runs[number][-1].stop)):
            first, stop = runs[number][0].first, runs[number][-1].stop
            while open_until and open_until[-1] <= first:
                open_until.pop()
            if open_until and (discontinuous or stop > open_until[-1]):
                yield number
            else:
                open_until.append(stop)


def kept_elsewhere(mentions: Sequence[tuple[Hashable, str]], order: Iterable[int]) -> Iterator[Hashable]:
    """Yield the mentions of several chains that readers would assign to another chain because of the order of writing.

    A duplicate mention belongs to the chain that comes first (DEFINITIONS 8).

    Args:
        mentions: the position and the chain of each, in the order of the input.
        order: their numbers, in the order in which they are written.

    >>> [*kept_elsewhere([((5, 6), "1"), ((0, 1), "2"), ((5, 6), "2")], [1, 0, 2])]
    [(5, 6)]

    """
    sharing: dict[Hashable, set[str]] = defaultdict(set)
    for where, name in mentions:
        sharing[where].add(name)
    if len(sharing) == len(mentions):
        return
    before, after = (
        {name: rank for rank, name in enumerate(dict.fromkeys(mentions[number][1] for number in numbers))}
        for numbers in (range(len(mentions)), order)
    )
    for where, names in sharing.items():
        if min(names, key=before.__getitem__) != min(names, key=after.__getitem__):
            yield where
