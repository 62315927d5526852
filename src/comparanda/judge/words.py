"""Spans as decisions about words: what each side says of every word, for coefficients that want such a table."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import PlacedSpans
from comparanda.columns import TextColumn
from comparanda.corpus import Fragments
from comparanda.judge.ground import places_of
from comparanda.judge.span_ids import ids_of
from comparanda.judge.spans import placed_labels
from comparanda.sites import NOTHING, Sites, canonical

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.align import Aligned, Placement
    from comparanda.columns import Rows, Truths
    from comparanda.judge.task import Options
    from comparanda.verdicts import System


def word_sites(aligned: Aligned, systems: Sequence[System], options: Options, *, linked: bool = False) -> Sites:
    """Make a site of every word: its value are the labels of the spans that cover it, or nothing.

    A word that a span covers in part is covered. Spans without length and items that stand nowhere in the text cover
    none; the gaps of spans in several pieces are not covered by them. With `linked`, ids stand behind labels.
    """
    placement, columns, _ = placed_labels(aligned, systems, options)
    if linked:
        columns = [_linked(column, side, options) for column, side in zip(columns, placement.sides, strict=True)]
    values = [_values(aligned, placement, side, column) for side, column in zip(placement.sides, columns, strict=True)]
    names, codes = canonical(values)
    sites = Sites(*places_of(aligned.key), codes[0], tuple(codes[1:]), names)
    return sites if aligned.kept is None else sites.take(aligned.kept)


def _linked(labels: TextColumn, side: PlacedSpans, options: Options) -> TextColumn:
    """Put the first id of each span behind its label."""
    ids = ids_of(side.columns.get("id"), len(side), options.same_ids).first
    missing = ids.missing_rows()
    pairs = zip(labels.values(), ids.values(), missing.tolist(), strict=True)
    return TextColumn.of([f"{label}→{'NIL' if nil else target}" for label, target, nil in pairs])


def _values(aligned: Aligned, placement: Placement, side: PlacedSpans, labels: TextColumn) -> TextColumn:
    """Return what one side says of every word of the key."""
    owner, pieces = _pieces(side, _stands(placement, side))
    begin, end = placement.rows(pieces)
    width = end - begin
    base = aligned.key.row_documents[pieces.document] + begin
    rows = np.repeat(base - np.cumsum(width) + width, width) + np.arange(int(width.sum()))
    table = labels.sorted()
    size = max(len(table.names), 1)
    packed = np.unique(rows * size + np.repeat(table.codes[owner].astype(np.int64), width))
    return _gathered(packed // size, packed % size, table.names, len(aligned.key))


def _stands(placement: Placement, side: PlacedSpans) -> Truths:
    """Whether each span of a side has a length, and a place in the text."""
    there: Truths = side.end > side.begin
    if placement.unit == "characters" and len(side):
        size = np.array([len(text) for text in placement.ground.raw.documents], np.int64)
        there = there & (side.begin < size[side.document])
    return there


def _pieces(side: PlacedSpans, there: Truths) -> tuple[Rows, PlacedSpans]:
    """Return the pieces of spans, and the span that each is of."""
    fragments = side.fragments or Fragments(*(np.zeros(0, np.int64) for _ in range(3)))
    whole = there.copy()
    whole[fragments.span] = False
    cut = np.flatnonzero(there[fragments.span] & (fragments.end > fragments.begin))
    rows = np.flatnonzero(whole)
    owner = np.concatenate([rows, fragments.span[cut]])
    begin = np.concatenate([side.begin[rows], fragments.begin[cut]])
    end = np.concatenate([side.end[rows], fragments.end[cut]])
    return owner, PlacedSpans(side.document[owner], begin, end, side.label.take(owner), owner)


def _gathered(rows: Rows, labels: Rows, names: tuple[str, ...], words: int) -> TextColumn:
    """Return the labels of each word as one text; pairs of words and labels are sorted."""
    codes = np.zeros(words, np.int64)
    texts = {NOTHING: 0}
    begins = np.flatnonzero(np.diff(rows, prepend=-1))
    for begin, stop in pairwise([*begins.tolist(), len(rows)]):
        text = " + ".join([names[label] for label in labels[begin:stop].tolist()])
        codes[rows[begin]] = texts.setdefault(text, len(texts))
    return TextColumn(codes, tuple(texts))
