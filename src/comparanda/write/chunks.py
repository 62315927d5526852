"""From documents to words with one chunk tag each: what formats of columns can say of spans.

A tag says of one word whether a span begins, goes on or ends there. So spans must begin and end where words do, be in
one piece and share no word; whatever else cannot be said is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from comparanda.errors import WriteError
from comparanda.write.passages import Losses, Mention, Passage

ChunkScheme = Literal["bio", "bioes"]
"""The schemes that are written: `bio` is B, I and O; `bioes` also has an end, and a letter for spans of one word."""

_BROKEN = re.compile(r"[\0\t\n\r]")
_BYTE_ORDER_MARK = "\ufeff"


class Run(NamedTuple):
    """Words that follow each other: the first, and the one behind the last."""

    first: int
    behind: int


def words_of(passage: Passage) -> list[str]:
    r"""Return the words of a document; refuse those that no line of columns can hold.

    >>> words_of(Passage("d", "a b", ((0, 1), (2, 3)), (0,), ()))
    ['a', 'b']
    """
    words = [passage.text[begin:end] for begin, end in passage.words]
    for number, word in enumerate(words):
        if not word.strip(_BYTE_ORDER_MARK).strip() or _BROKEN.search(word):
            raise WriteError(
                f"word {number + 1} of document {passage.name!r} is {word!r}, which cannot stand in a column",
                hint="columns hold words without tabs and line breaks, and none of white space alone",
            )
    return words


def stands_in_line(text: str) -> bool:
    """Whether a line of columns can hold a text, a name of a document say, and readers find it as it is."""
    return text == text.strip() != "" and not _BROKEN.search(text)


def runs_of(passage: Passage, mentions: Iterable[Mention] | None = None) -> list[tuple[Run, ...]]:
    """Return the words of each span, piece by piece; refuse a span that begins or ends inside a word.

    Args:
        passage: the document.
        mentions: some of its spans; all by default.

    """
    first = {begin: number for number, (begin, _) in enumerate(passage.words)}
    behind = {end: number + 1 for number, (_, end) in enumerate(passage.words)}
    found = []
    for mention in passage.mentions if mentions is None else mentions:
        runs = tuple(Run(first.get(begin, -1), behind.get(end, -1)) for begin, end in mention.pieces)
        for piece, run in zip(mention.pieces, runs, strict=True):
            if run.first < 0 or run.behind <= run.first:
                raise no_words(passage, mention, piece)
        found.append(runs)
    return found


def no_words(passage: Passage, mention: Mention, piece: tuple[int, int]) -> WriteError:
    """Make the error for a span of which a piece is no run of words."""
    begin, end = piece
    if begin == end:
        return WriteError(
            f"{_called(passage, mention)} has no length, so no word can carry it", hint="only formats with offsets can"
        )
    cut = [passage.text[first:last] for first, last in passage.words if first < end and last > begin]
    within = f": of the words {', '.join(map(repr, cut[:5]))}{', …' if len(cut) > 5 else ''}" if cut else ""
    return WriteError(
        f"{_called(passage, mention)} does not begin and end where words do{within}",
        hint="only formats with offsets can say that: jsonl, for example",
    )


def _called(passage: Passage, mention: Mention) -> str:
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
        mentions: the spans to be said by tags; all by default.
        scheme: the letters of the tags.

    >>> mention = Mention(((0, 3),), "PER")
    >>> chunk_tags(Passage("d", "a b c", ((0, 1), (2, 3), (4, 5)), (0,), (mention,)), scheme="bioes")
    ['B-PER', 'E-PER', 'O']

    """
    chosen = passage.mentions if mentions is None else mentions
    tags = ["O"] * len(passage.words)
    taken: dict[int, Mention] = {}
    for mention, runs in zip(chosen, runs_of(passage, chosen), strict=True):
        _refuse_label(passage, mention)
        if len(runs) > 1:
            raise WriteError(
                f"{_called(passage, mention)} is in {len(runs)} pieces, and chunk tags cannot say that",
                hint="formats that can: jsonl, conllu, brat",
            )
        ((first, behind),) = runs
        for row in range(first, behind):
            if row in taken:
                raise _shared(passage, taken[row], mention)
            taken[row] = mention
        tags[first:behind] = _letters(behind - first, mention.label, scheme)
    return tags


def _letters(size: int, label: str, scheme: ChunkScheme) -> list[str]:
    letters = ["B", *"I" * (size - 1)]
    if scheme == "bioes":
        letters[-1] = "S" if size == 1 else "E"
    return [f"{letter}-{label}" for letter in letters]


def _refuse_label(passage: Passage, mention: Mention) -> None:
    if mention.label.split() != [mention.label]:
        raise WriteError(
            f"the label {mention.label!r} in document {passage.name!r} holds white space, and chunk tags have none",
            hint="rename it first",
        )


def _shared(passage: Passage, one: Mention, other: Mention) -> WriteError:
    return WriteError(
        "two spans share words, and chunk tags cannot say that",
        details=[_called(passage, one), _called(passage, other)],
        hint="formats that can: jsonl, conllu, brat",
    )


def sentences_of(passage: Passage, losses: Losses) -> list[Run]:
    """Return the words of each sentence. No span goes over the end of one: where one would, the sentences are joined.

    >>> sentences_of(Passage("d", "a b c", ((0, 1), (2, 3), (4, 5)), (0, 2), ()), Losses())
    [Run(first=0, behind=2), Run(first=2, behind=3)]
    """
    inside = {0}
    for runs in runs_of(passage):
        inside.update(range(runs[0].first + 1, runs[-1].behind))
    starts = [0]
    for start in passage.sentences:
        if start not in inside:
            starts.append(start)
        elif start:
            losses.lose("ends of sentences inside spans", passage.name)
    return [Run(*each) for each in zip(starts, [*starts[1:], len(passage.words)], strict=True) if each[0] < each[1]]
