"""Heads of mentions: which of its words a number means.

CorefUD numbers the words of a mention from 1, and empty nodes among them. Rows are words alone, so the numbers are
counted anew.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from comparanda.columns import Rows
    from comparanda.corpus import Corpus
    from comparanda.read.conllu_entities.brackets import Bracketed, Cell

_NUMBER = re.compile(r"[0-9]{1,18}")
_NODE = re.compile(rb"^[0-9]+\.[0-9]+\t", re.MULTILINE)


class Heads:
    """The lines of words and empty nodes of one file, in order.

    >>> from comparanda.read.conllu_entities.brackets import Bracketed, Cell
    >>> heads = Heads(np.array([5, 20, 40]), np.array([30]))  # the words 1, 2, 3, and 2.1
    >>> cells = [(Cell("(e1", 10, 0, 1), Cell("e1)", 45, 2, 3))]
    >>> mention = Bracketed("e1", ("eid",), "e1", 10, cells=cells)
    >>> [heads.word(mention, number) for number in ("1", "3", "4", "5")]
    [1, 0, 3, None]
    """

    def __init__(self, words: Rows, nodes: Rows) -> None:
        lines = np.concatenate([words, nodes])
        order = np.argsort(lines, kind="stable")
        self._lines = lines[order]
        self._words_before = np.concatenate([np.zeros(1, np.int64), np.cumsum(order < len(words))])
        self._line_of = np.searchsorted(self._lines, words)

    @classmethod
    def of(cls, corpus: Corpus) -> Heads:
        """Find the lines of a corpus."""
        source = corpus.source
        nodes = [found.start() for found in _NODE.finditer(source.data, 0, source.size)]
        return cls(corpus.offset.astype(np.int64), np.array(nodes, np.int64))

    def word(self, mention: Bracketed, number: str) -> int | None:
        """Return the head among the words of a mention, from 1; 0 for an empty node, None for what is neither."""
        left, words, before = int(number) if _NUMBER.fullmatch(number) else 0, 0, self._words_before
        for opening, closing in mention.cells if left else ():
            first, behind = self._first(opening), self._behind(closing)
            if left <= behind - first:
                line = first + left - 1
                inside = int(before[line + 1] - before[first])
                return words + inside if before[line + 1] > before[line] else 0
            left -= behind - first
            words += int(before[behind] - before[first])
        return None

    def _first(self, cell: Cell) -> int:
        return self._line(cell) if cell.node else int(self._line_of[cell.first])

    def _behind(self, cell: Cell) -> int:
        return (self._line(cell) if cell.node else int(self._line_of[cell.behind - 1])) + 1

    def _line(self, cell: Cell) -> int:
        """Return the line of an empty node."""
        return int(np.searchsorted(self._lines, cell.place, side="right")) - 1
