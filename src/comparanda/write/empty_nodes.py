"""Empty nodes of CoNLL-U, on which mentions without words stand: 8.1 behind word 8, 0.1 before the first."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from comparanda.read.conllu_entities.brackets import AHEAD
from comparanda.write.chunks import Run, no_words
from comparanda.write.passages import ZERO, Losses, Mention, Passage

MOST = 100
"""No larger number of an empty node is kept: those before it are written too."""


class Node(NamedTuple):
    """An empty node.

    Args:
        row: the word behind it.
        ahead: whether it belongs to the sentence that begins with that word, and not to the one before.
        number: its number at this place, from 1.

    """

    row: int
    ahead: bool
    number: int


class EmptyNodes:
    """The empty nodes of a document; `of` tells on which each mention stands that does, by its number."""

    def __init__(self) -> None:
        self.of: dict[int, Node] = {}
        self._count: dict[tuple[int, bool], int] = {}

    @classmethod
    def needed(cls, passage: Passage, starts: Collection[int], losses: Losses) -> EmptyNodes:
        """Return those that a document needs, by the words that begin its sentences.

        Nodes keep their numbers where these can be written: 1000001, of 0.1, only where a sentence begins.
        """
        wanted: dict[tuple[int, int], list[int]] = {}
        for number, mention in enumerate(passage.mentions):
            if is_without_words(mention):
                wanted.setdefault((_row(passage, mention), _number(mention)), []).append(number)
        kept = {place: node for place in wanted if (node := _kept(*place, starts)) is not None}
        nodes = cls()
        for place, node in kept.items():
            nodes.add(wanted[place], node)
        for row, number in sorted(wanted.keys() - kept.keys()):
            losses.lose("numbers of empty nodes that no line can have", passage.name)
            nodes.add(wanted[row, number], Node(row, row == 0, nodes.count(row, ahead=row == 0) + 1))
        return nodes

    def add(self, mentions: Iterable[int], node: Node) -> None:
        """Put mentions on a node."""
        self.of.update(dict.fromkeys(mentions, node))
        self._count[node[:2]] = max(node.number, self._count.get(node[:2], 0))

    def count(self, row: int, *, ahead: bool) -> int:
        """Return how many there are before a word, of its sentence or of the one before."""
        return self._count.get((row, ahead), 0)

    def at(self, row: int, *, ahead: bool) -> Iterator[Node]:
        """Give those before a word, of its sentence or of the one before."""
        return (Node(row, ahead, number) for number in range(1, self.count(row, ahead=ahead) + 1))

    def line(self, runs: Sequence[Run], word: int) -> int:
        """Return which line of a mention a word of it is, from 1 as the word: empty nodes inside are lines too."""
        inside, left = 0, word
        for first, behind in runs:
            last = min(behind, first + left)
            inside += sum(self.count(row, ahead=ahead) for row in range(first + 1, last) for ahead in (False, True))
            left -= last - first
            if not left:
                break
        return word + inside


def is_without_words(mention: Mention) -> bool:
    """Whether a mention covers nothing of the text."""
    return all(begin == end for begin, end in mention.pieces)


def _row(passage: Passage, mention: Mention) -> int:
    """Return the word before which a mention without words stands; refuse one inside a word."""
    row = bisect_left(passage.words, (mention.begin, mention.begin))
    if not passage.words or (row and passage.words[row - 1][1] > mention.begin):
        raise no_words(passage, mention, mention.pieces[0])
    return row


def _number(mention: Mention) -> int:
    """Return the number of the node that a mention stands on; 0 where it has none."""
    number = mention.said.get(ZERO)
    return number if isinstance(number, int) and number > 0 else 0


def _kept(row: int, number: int, starts: Collection[int]) -> Node | None:
    """Return the node of a number, if it can stand before a word."""
    ahead = number > AHEAD
    number -= AHEAD * ahead
    there = row in starts if ahead else row > 0
    return Node(row, ahead, number) if there and 1 <= number <= MOST else None
