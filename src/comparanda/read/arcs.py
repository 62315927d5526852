"""Columns of heads and of enhanced edges, read as arcs between rows."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import TextColumn
from comparanda.corpus import ROOT, Arcs, Edges, owner_of_rows
from comparanda.errors import ReadError
from comparanda.places import Note, first_places, refuse
from comparanda.read.gather import NOT_ANNOTATED
from comparanda.trees import defects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.columns import Codes, Rows
    from comparanda.corpus import Corpus
    from comparanda.places import Source
    from comparanda.read.request import Request

HEAD = "head"
ARC_COLUMNS = (HEAD, "deps")

_BAD, _EMPTY_NODE = -1, -2
_PIECE = 1 << 16


def with_arcs(corpus: Corpus, request: Request) -> Corpus:
    """Return a corpus with the arcs that its columns `head` and `deps` hold; these go, unless they were asked for."""
    reader = _Arcs(corpus.source, corpus.offset, corpus.sentences, request.side)
    arcs = reader.arcs(corpus.columns["head"], corpus.columns.get("deps"))
    kept = {name: column for name, column in corpus.columns.items() if name not in {*ARC_COLUMNS} - {*request.extra}}
    return replace(corpus, arcs=arcs, columns=kept, notes=(*corpus.notes, *reader.notes))


class _Arcs:
    """Makes the arcs of one file.

    Args:
        source: the file's bytes.
        offset: the byte at which each row stands.
        sentences: the first row of each sentence, and behind them the number of rows.
        side: the name the user gave the file, for notes.

    """

    def __init__(self, source: Source, offset: Codes, sentences: Rows, side: str) -> None:
        self.source = source
        self.offset = offset
        self.sentences = sentences
        self.side = side
        self.notes: list[Note] = []
        self._owner = owner_of_rows(sentences)
        self._sizes = np.diff(sentences)

    def arcs(self, head: TextColumn, deps: TextColumn | None) -> Arcs:
        """Return the trees, and the enhanced graphs if their column says anything; what is unusual is noted."""
        if set(head.names) <= set(NOT_ANNOTATED):
            raise ReadError(
                "the column of heads holds nothing but '_': the file has tags, and no trees",
                where=self.source.parts[0].name,
                hint="its tags can be compared with --task tag",
            )
        return Arcs(self._heads(head), None if deps is None else self._edges(deps))

    def _heads(self, written: TextColumn) -> Rows:
        """Return the head of each word, made and looked at in pieces that stay in the processor's cache."""
        numbers = np.array([int(name) if _is_number(name) else _BAD for name in written.names])
        heads = np.empty(len(written), np.int64)
        found: dict[str, list[Rows]] = {}
        for piece in _pieces(self.sentences):
            begin, end = int(piece[0]), int(piece[-1])
            heads[begin:end] = self._rows(numbers[written.codes[begin:end]], slice(begin, end), HEAD, written)
            for what, rows in defects(np.maximum(heads[begin:end] - begin, ROOT), piece - begin):
                found.setdefault(what, []).append(rows + begin)
        for what, each in found.items():
            rows = np.concatenate(each)
            if rows.size:
                self.notes.append(Note(self.side, what, len(rows), first_places(self.source, self.offset[rows[:3]])))
        return heads

    def _rows(self, numbers: Rows, rows: Rows | slice, what: str, written: TextColumn) -> Rows:
        """Turn the numbers of words in the sentences of the given rows, 0 for the root, into rows.

        What is no such number is refused.
        """
        owner = self._owner[rows]
        bad = np.flatnonzero((numbers < 0) | (numbers > self._sizes[owner]))
        if bad.size:
            row = int(np.arange(len(written))[rows][bad[0]])
            raise self._bad_head(row, int(numbers[bad[0]]), what, written[row])
        heads = self.sentences[owner] + (numbers - 1)
        heads[numbers == 0] = ROOT
        return heads

    def _bad_head(self, row: int, number: int, what: str, written: str) -> ReadError:
        begin, end = self.sentences[self._owner[row] : self._owner[row] + 2].tolist()
        details = [f"the sentence begins at {self.source.locate(int(self.offset[begin]))}"]
        hint = None
        if number != _BAD:
            said = f"the {what} is {number}, but the sentence has {end - begin} word{'s'[: end - begin != 1]}"
            details[0] += f" and ends at {self.source.locate(int(self.offset[end - 1]))}"
        elif what == HEAD:
            said = f"the head {written!r} is no number from 0 on"
        else:
            said = f"the enhanced edges {written!r} are not written as head:relation|head:relation"
            if _is_number(written):
                hint = "if that is a PHEAD, the file is CoNLL-X: say FILE::conllx"
        return refuse(self.source, int(self.offset[row]), said, details=details, hint=hint)

    def _edges(self, deps: TextColumn) -> Edges | None:
        """Return the edges of enhanced graphs; those from or to empty nodes are left out, as in the shared tasks."""
        parsed = [_parse(name) for name in deps.names]
        if not any(parsed):
            return None
        labels = TextColumn.of([label for edges in parsed for _, label in edges])
        numbers = np.array([number for edges in parsed for number, _ in edges], np.int64)
        offsets = np.cumsum([0, *map(len, parsed)])
        size = np.diff(offsets)[deps.codes]
        rows = np.repeat(np.arange(len(deps)), size)
        place = np.arange(len(rows)) - np.repeat(np.cumsum(size) - size, size) + offsets[:-1][deps.codes[rows]]
        empty = numbers[place] == _EMPTY_NODE
        if empty.any():
            first = first_places(self.source, self.offset[rows[empty][:3]])
            self.notes.append(Note(self.side, "enhanced edges from empty nodes, left out", int(empty.sum()), first))
            rows, place = rows[~empty], place[~empty]
        return Edges(rows, self._rows(numbers[place], rows, "head of an enhanced edge", deps), labels.take(place))


def _pieces(sentences: Rows) -> Iterator[Rows]:
    """Cut the offsets of sentences after about every `_PIECE` rows."""
    first = np.searchsorted(sentences, np.arange(0, sentences[-1], _PIECE))
    cuts = np.unique(np.append(first, len(sentences) - 1)).tolist()
    return (sentences[begin : end + 1] for begin, end in itertools.pairwise(cuts))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _parse(deps: str) -> list[tuple[int, str]]:
    """Read the edges of one word: the number of the head, and the relation behind the first colon."""
    if deps in NOT_ANNOTATED:
        return []
    edges = []
    for edge in deps.split("|"):
        head, _, label = edge.partition(":")
        node, dot, number = head.partition(".")
        if dot and label and _is_number(node) and _is_number(number):
            edges.append((_EMPTY_NODE, label))
        else:
            edges.append((int(head) if label and _is_number(head) else _BAD, label))
    return edges
