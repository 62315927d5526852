"""Spans of system outputs on the words of the key, so that an output can replace the key; combined keys; word sites."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align.quotes import place_spans as align_place_spans
from comparanda.align.span_positions import PlacedSpans, place_spans
from comparanda.core.corpus import Fragments, Spans
from comparanda.core.sites import NOTHING, Sites, recode_canonically
from comparanda.core.text_columns import TextColumn
from comparanda.tasks.spans.evaluation import claims_of, ids_of, placed_labels
from comparanda.tasks.word_sites import places_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.align import Aligned
    from comparanda.align.span_positions import Placement
    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.core.verdicts import System
    from comparanda.tasks.task import Options


def rebuild_on_key(aligned: Aligned) -> list[Corpus]:
    """Rebuild the key and each system output with the documents and words of the key, and with its own spans.

    An output may have no text of its own, only positions in that of the key; quotes not found in it remain unplaced.
    Documents that are not evaluated have no spans.
    """
    placement = place_spans(aligned)
    return [
        replace(with_spans_of(aligned.key, placement, side), name=corpus.name, notes=corpus.notes)
        for corpus, side in zip((aligned.key, *aligned.responses), placement.sides, strict=True)
    ]


def with_spans_of(key: Corpus, placement: Placement, side: PlacedSpans) -> Corpus:
    """Replace the spans of the key by others."""
    first = placement.rows(side)[0] + key.row_documents[side.document] if len(side) else side.begin
    spans = Spans(
        unit=placement.unit,
        document=side.document,
        begin=side.begin,
        end=side.end,
        label=side.label,
        offset=key.offset[np.minimum(first, len(key) - 1)] if len(key) else np.zeros(len(side), np.int64),
        fragments=side.fragments,
        columns=side.columns,
    )
    raw = placement.positions.raw if placement.unit == "characters" else key.raw
    return replace(key, spans=spans, raw=raw)


# The majority of several keys of the same text.


def majority_key(aligned: Aligned) -> Corpus:
    """Give the first key the spans, by extent and label, that more than half of all keys have.

    Args:
        aligned: the first key as the key, the others in place of system outputs.

    """
    key = aligned.key
    placement = align_place_spans(aligned)
    names, labels = recode_canonically([side.label for side in placement.sides])
    claims, _ = claims_of(key, placement, names, labels)
    votes = np.sum([counts > 0 for counts in (claims.key, *claims.runs)], axis=0)
    rows = np.flatnonzero(2 * votes > 1 + len(claims.runs))
    chosen = claims.take(rows)
    most = PlacedSpans(
        document=chosen.document.astype(np.int64),
        begin=chosen.begin,
        end=chosen.end,
        label=TextColumn(chosen.label, names),
        given=rows,
        fragments=chosen.fragments,
    )
    return with_spans_of(key, placement, most)


# Spans as decisions about words: the value of every word on each side, for coefficients that need such a table.


def word_sites(aligned: Aligned, systems: Sequence[System], options: Options, *, linked: bool = False) -> Sites:
    """Build a site for every word: its value is the labels of the spans that cover it, or nothing.

    A partly covered word is covered. Spans without length and items without a position in the text cover none, and
    spans in several pieces do not cover their gaps. With `linked`, labels are followed by ids.
    """
    placement, columns, _ = placed_labels(aligned, systems, options)
    if linked:
        columns = [_append_ids(column, side, options) for column, side in zip(columns, placement.sides, strict=True)]
    values = [
        _word_values(aligned, placement, side, column) for side, column in zip(placement.sides, columns, strict=True)
    ]
    names, codes = recode_canonically(values)
    document, sentence, place = places_of(aligned.key)
    sites = Sites(document=document, sentence=sentence, place=place, key=codes[0], values=tuple(codes[1:]), names=names)
    return sites if aligned.kept is None else sites.take(aligned.kept)


def _append_ids(labels: TextColumn, side: PlacedSpans, options: Options) -> TextColumn:
    """Append the first id of each span to its label."""
    ids = ids_of(side.columns.get("id"), len(side), options.same_ids).first
    missing = ids.missing_rows()
    pairs = zip(labels.values(), ids.values(), missing.tolist(), strict=True)
    return TextColumn.of([f"{label}→{'NIL' if nil else target}" for label, target, nil in pairs])


def _word_values(aligned: Aligned, placement: Placement, side: PlacedSpans, labels: TextColumn) -> TextColumn:
    """Collect the value of every word of the key on one side."""
    owner, pieces = _split_into_pieces(side, _has_extent(placement, side))
    begin, end = placement.rows(pieces)
    width = end - begin
    base = aligned.key.row_documents[pieces.document] + begin
    rows = np.repeat(base - np.cumsum(width) + width, width) + np.arange(int(width.sum()))
    table = labels.sorted()
    size = max(len(table.names), 1)
    packed = np.unique(rows * size + np.repeat(table.codes[owner].astype(np.int64), width))
    return _join_labels(packed // size, packed % size, table.names, len(aligned.key))


def _has_extent(placement: Placement, side: PlacedSpans) -> Truths:
    """Whether each span of a side has a length and a position in the text."""
    placement.require_text("a majority or an agreement by tokens")
    there: Truths = side.end > side.begin
    if placement.unit == "characters" and len(side):
        size = np.array([len(text) for text in placement.positions.raw.documents], np.int64)
        there = there & (side.begin < size[side.document])
    return there


def _split_into_pieces(side: PlacedSpans, there: Truths) -> tuple[Rows, PlacedSpans]:
    """Split spans into their pieces; also return the span of each piece."""
    fragments = side.fragments or Fragments(*(np.zeros(0, np.int64) for _ in range(3)))
    whole = there.copy()
    whole[fragments.span] = False
    cut = np.flatnonzero(there[fragments.span] & (fragments.end > fragments.begin))
    rows = np.flatnonzero(whole)
    owner = np.concatenate([rows, fragments.span[cut]])
    begin = np.concatenate([side.begin[rows], fragments.begin[cut]])
    end = np.concatenate([side.end[rows], fragments.end[cut]])
    return owner, PlacedSpans(
        document=side.document[owner], begin=begin, end=end, label=side.label.take(owner), given=owner
    )


def _join_labels(rows: Rows, labels: Rows, names: tuple[str, ...], words: int) -> TextColumn:
    """Join the labels of each word into one text; pairs of words and labels are sorted."""
    codes = np.zeros(words, np.int64)
    texts = {NOTHING: 0}
    begins = np.flatnonzero(np.diff(rows, prepend=-1))
    for begin, stop in pairwise([*begins.tolist(), len(rows)]):
        text = " + ".join([names[label] for label in labels[begin:stop].tolist()])
        codes[rows[begin]] = texts.setdefault(text, len(texts))
    return TextColumn(codes, tuple(texts))
