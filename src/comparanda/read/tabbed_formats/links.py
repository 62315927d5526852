"""Ids of entities that stand beside words, one cell a word, and the spans that they belong to or make."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import TextColumn
from comparanda.corpus import Spans
from comparanda.ids import BAR, joined
from comparanda.places import Note, first_places
from comparanda.read.gather import mended
from comparanda.read.schemes import OUTSIDE

if TYPE_CHECKING:
    from comparanda.columns import Rows, Truths
    from comparanda.corpus import Corpus

ENTITY = "ENTITY"
"""The label of mentions that have none."""


def ids_of(cell: str) -> str | None:
    """Return the ids of a cell as one text, the best first; None where it links to nothing.

    >>> ids_of("Q1|Q2|nil"), ids_of("_"), ids_of("NIL")
    ('Q1|Q2|NIL', None, 'NIL')
    """
    if cell in OUTSIDE:
        return None
    return joined(each.strip() for each in cell.split(BAR) if each.strip() not in OUTSIDE)


def with_links(corpus: Corpus, cells: TextColumn | None) -> Corpus:
    """Return a corpus whose spans have the ids that stand beside their first words.

    Noted are spans with other ids beside their other words, and ids beside words outside of all spans.

    Args:
        corpus: words, and spans over them.
        cells: the cell of each word; None where the input has none.

    """
    spans = corpus.spans
    if cells is None or spans is None:
        return corpus
    first = corpus.row_documents[spans.document] + spans.begin
    last = first + (spans.end - spans.begin) - 1
    ids = [ids_of(name) for name in cells.names]
    linked = np.array([each is not None for each in ids], np.bool_)[cells.codes]
    inside = np.zeros(len(corpus) + 1, np.int64)
    np.add.at(inside, first, 1)
    np.add.at(inside, last + 1, -1)
    outside, _ = _runs(linked & (np.cumsum(inside)[:-1] == 0), cells, corpus.sentences)
    changes = np.cumsum(np.diff(cells.codes.astype(np.int64), prepend=cells.codes[:1]) != 0)
    found = {
        "ids outside of mentions, passed over": outside,
        "mentions with several ids beside their words, of which the first holds": first[
            changes[first] != changes[last]
        ],
    }
    notes = [
        Note(corpus.name, what, len(rows), first_places(corpus.source, corpus.offset[rows[:3]]))
        for what, rows in found.items()
        if rows.size
    ]
    columns = dict(spans.columns)
    if linked[first].any():
        columns["id"] = TextColumn.of([ids[code] for code in cells.codes[first].tolist()])
    return replace(corpus, spans=replace(spans, columns=columns), notes=(*corpus.notes, *notes))


def linked_spans(corpus: Corpus, cells: TextColumn) -> Corpus:
    """Return a corpus with the spans that ids make: words that follow each other and have the same cell, in upper case.

    Args:
        corpus: words; a span goes over no end of a sentence.
        cells: the cell of each word.

    """
    upper, _ = mended(cells, str.upper)
    ids = [ids_of(name) for name in upper.names]
    begin, end = _runs(np.array([each is not None for each in ids], np.bool_)[upper.codes], upper, corpus.sentences)
    bounds = corpus.row_documents
    document = np.searchsorted(bounds, begin, side="right") - 1
    label = TextColumn(np.zeros(len(begin), np.uint8), (ENTITY,))
    column = TextColumn.of([ids[code] for code in upper.codes[begin].tolist()])
    spans = Spans(
        "tokens",
        document,
        begin - bounds[document],
        end - bounds[document],
        label,
        corpus.offset[begin],
        columns={"id": column},
    )
    return replace(corpus, spans=spans)


def _runs(chosen: Truths, cells: TextColumn, sentences: Rows) -> tuple[Rows, Rows]:
    """Return where runs of chosen rows of the same cell begin and end; none goes over the end of a sentence."""
    cut = np.ones(len(chosen) + 1, np.bool_)
    cut[1:-1] = cells.codes[1:] != cells.codes[:-1]
    cut[sentences] = True
    padded = np.concatenate([[False], chosen, [False]])
    begin = chosen & (cut[:-1] | ~padded[:-2])
    end = chosen & (cut[1:] | ~padded[2:])
    return np.flatnonzero(begin), np.flatnonzero(end) + 1
