"""Votes on whole typed spans: an item is kept if enough runs have it, with its extent, its label and its id."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import PlacedSpans, place_spans
from comparanda.columns import TextColumn
from comparanda.corpus import Fragments, Spans
from comparanda.extents import cut_numbers, ways_of_being_cut
from comparanda.ids import NIL, split
from comparanda.places import Note
from comparanda.rules.joins import packed
from comparanda.sites import canonical
from comparanda.vote.overlaps import strongest
from comparanda.vote.trust import weights_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from comparanda.align import Aligned, Placement
    from comparanda.columns import Codes, Column, Rows, Truths
    from comparanda.corpus import Corpus
    from comparanda.vote.methods import Method
    from comparanda.vote.trust import Trust

_UNLINKED = ""


@dataclass(frozen=True, eq=False, slots=True)
class Items:
    """The distinct things that runs claim, by document, begin, end, pieces, label and id.

    Args:
        spans: where they stand, and their labels.
        label: their labels as codes that follow the sorted names.
        id: the id of each; "" where it has none.
        claimed: for each run, which of them it claims.
        row: the row of the key at which each begins.

    """

    spans: PlacedSpans
    label: Codes
    id: TextColumn
    claimed: tuple[Truths, ...]
    row: Rows


def voted_spans(
    aligned: Aligned,
    method: Method,
    trust: Trust,
    *,
    same_ids: Mapping[str, str] | None = None,
    apart: bool = False,
) -> Corpus:
    """Combine the spans of all runs by votes on whole spans.

    Args:
        aligned: the key, whose documents and words alone are looked at, and the runs.
        method: how votes are counted.
        trust: how far each run is trusted.
        same_ids: spans are linked, and their first ids voted on: for ids that mean the same as others, the one that
            stands for all. None where ids do not matter.
        apart: whether of kept spans that overlap only the strongest stay: those with most votes, then the longer ones,
            then the earlier ones.

    """
    placement = place_spans(aligned)
    sides, lost = _in_the_text(placement)
    items = _items(aligned.key, placement, sides, same_ids)
    fold = trust.fold[items.row] if len(aligned.key) else np.zeros(len(items.row), np.int64)
    weights = weights_of(method, trust, items.spans.label.names)
    votes = weights.totals(fold, items.label, items.claimed)
    kept = np.flatnonzero(votes >= weights.least[fold])
    if apart:
        kept = kept[strongest(items.spans.take(kept), votes[kept])]
    return _corpus(aligned.key, placement, items, kept, lost, linked=same_ids is not None)


def _in_the_text(placement: Placement) -> tuple[list[PlacedSpans], int]:
    """Return the spans of all runs that stand in the text; those that quote what is not there cannot be written."""
    if placement.unit == "tokens":
        return list(placement.sides[1:]), 0
    sizes = np.array([len(text) for text in placement.ground.raw.documents], np.int64)
    rows = [np.flatnonzero(side.end <= sizes[side.document]) for side in placement.sides[1:]]
    lost = sum(len(side) - len(some) for side, some in zip(placement.sides[1:], rows, strict=True))
    return [side.take(some) for side, some in zip(placement.sides[1:], rows, strict=True)], lost


def _items(
    key: Corpus, placement: Placement, sides: Sequence[PlacedSpans], same_ids: Mapping[str, str] | None
) -> Items:
    """Gather the distinct things that runs claim."""
    names, labels = canonical([side.label for side in sides])
    ids, nil = _ids(sides, same_ids)
    cuts = ways_of_being_cut(side.fragments for side in sides)
    columns = [
        np.concatenate([side.document for side in sides]),
        np.concatenate([side.begin for side in sides]),
        np.concatenate([side.end for side in sides]),
        np.concatenate([cut_numbers(len(side), side.fragments, cuts) for side in sides]),
        np.concatenate([codes.astype(np.int64) for codes in labels]),
        ids.codes.astype(np.int64),
    ]
    (numbers,) = packed([columns])
    _, first, number = np.unique(numbers, return_index=True, return_inverse=True)
    document, begin, end, cut, label, code = (column[first] for column in columns)
    bounds = np.cumsum([0, *(len(side) for side in sides)]).tolist()
    claimed = tuple(np.bincount(number[low:high], minlength=len(first)) > 0 for low, high in pairwise(bounds))
    spans = PlacedSpans(document, begin, end, TextColumn(label, names), first, _fragments(cut, cuts))
    said_nil = np.bincount(number, nil, len(first)) > 0
    written = TextColumn(np.where(said_nil & (code == 0), len(ids.names), code), (*ids.names, NIL))
    place = placement.rows(spans)[0]
    row = np.minimum(key.row_documents[document] + place, max(len(key) - 1, 0))
    return Items(spans, label, written, claimed, row)


def _fragments(cut: Rows, cuts: Mapping[tuple[tuple[int, int], ...], int]) -> Fragments | None:
    """Return the pieces of distinct spans by the numbers of the ways in which they are cut."""
    ways = {number: pieces for pieces, number in cuts.items()}
    found = [(int(span), *piece) for span in np.flatnonzero(cut) for piece in ways[int(cut[span])]]
    if not found:
        return None
    table = np.array(found, np.int64)
    return Fragments(table[:, 0], table[:, 1], table[:, 2])


def _ids(sides: Sequence[PlacedSpans], same_ids: Mapping[str, str] | None) -> tuple[TextColumn, Truths]:
    """Return the first id of each span of all sides, "" (code 0) where it has none, and which of these say NIL."""
    if same_ids is None:
        size = sum(map(len, sides))
        return TextColumn.constant(_UNLINKED, size), np.zeros(size, np.bool_)
    texts = [text for side in sides for text in _texts(side.columns.get("id"), len(side))]
    firsts = [_UNLINKED if not text else split(text)[0] for text in texts]
    nil = np.array([first == NIL for first in firsts], np.bool_)
    plain = [_UNLINKED if first == NIL else same_ids.get(first, first) for first in firsts]
    names, (codes, _) = canonical([TextColumn.of(plain), TextColumn.of([_UNLINKED])])
    return TextColumn(codes, names), nil


def _texts(column: Column | None, size: int) -> list[str | None]:
    if column is None:
        return [None] * size
    if isinstance(column, TextColumn):
        return column.values()
    return [None if value != value else f"{value:.17g}" for value in column.tolist()]  # noqa: PLR0124 - NaN


def _corpus(key: Corpus, placement: Placement, items: Items, kept: Rows, lost: int, *, linked: bool) -> Corpus:
    """Put what is kept on the documents, sentences and words of the key."""
    chosen = items.spans.take(kept)
    notes = (Note("runs", "spans without a place in the text, which have no vote", lost),) if lost else ()
    columns: dict[str, Column] = {}
    if linked:
        ids = items.id.take(kept)
        columns["id"] = TextColumn(ids.codes, ids.names, missing=0)
    return spans_on_key(key, placement, chosen, items.row[kept], columns, notes)


def spans_on_key(
    key: Corpus,
    placement: Placement,
    chosen: PlacedSpans,
    row: Rows,
    columns: Mapping[str, Column],
    notes: tuple[Note, ...] = (),
) -> Corpus:
    """Make a corpus of spans on the key's ground; nothing of what the key itself says goes into it."""
    spans = Spans(
        placement.unit,
        chosen.document,
        chosen.begin,
        chosen.end,
        chosen.label,
        key.offset[row] if len(key) else np.zeros(len(row), np.int64),
        chosen.fragments,
        columns,
    )
    raw = placement.ground.raw if placement.unit == "characters" else key.raw
    return replace(key, spans=spans, raw=raw, columns={}, notes=notes)
