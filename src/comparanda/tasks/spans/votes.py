"""Votes on spans: on whole spans or on the chunk tags of words, and selection among spans that overlap."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align.quotes import place_spans
from comparanda.align.span_positions import PlacedSpans
from comparanda.core.corpus import Fragments, Spans
from comparanda.core.extents import compute_stretches, fragmentation_codes, number_fragmentations, place_on_line
from comparanda.core.ids import NIL, split_ids
from comparanda.core.joins import pack_columns
from comparanda.core.places import Note
from comparanda.core.sites import recode_canonically
from comparanda.core.text_columns import TextColumn
from comparanda.errors import UsageError
from comparanda.formats.chunks import decode_tags
from comparanda.tasks.vote_methods import elect, weights_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from comparanda.align import Aligned
    from comparanda.align.span_positions import Placement
    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Codes, Column, Rows, Truths
    from comparanda.tasks.vote_methods import Method, Trust


def select_strongest(spans: PlacedSpans, votes: NDArray[np.int64]) -> Rows:
    """Select spans greedily so that no two overlap.

    Spans with more votes are taken first, then longer ones, then earlier ones, then in their given order.
    """
    if not len(spans):
        return np.zeros(0, np.int64)
    owner, begin, end = _flatten_pieces(spans)
    document = spans.document[owner]
    low, high = place_on_line(document, begin, end, compute_stretches([end], int(document.max())))
    crowded = _may_overlap(low, high, owner, len(spans))
    length = np.bincount(owner, end - begin, len(spans))
    order = np.lexsort((spans.begin, spans.document, -length, -votes))
    bounds = np.searchsorted(owner, np.arange(len(spans) + 1)).tolist()
    kept, covered = ~crowded, _CoveredIntervals()
    for span in order[crowded[order]].tolist():
        mine = slice(bounds[span], bounds[span + 1])
        kept[span] = covered.add(list(zip(low[mine].tolist(), high[mine].tolist(), strict=True)))
    return np.flatnonzero(kept)


def _flatten_pieces(spans: PlacedSpans) -> tuple[Rows, Rows, Rows]:
    """List the pieces of all spans, ordered by span: the span, begin and end of each."""
    owner, fragments = np.arange(len(spans)), spans.fragments
    if fragments is None:
        return owner, spans.begin, spans.end
    whole = np.setdiff1d(owner, fragments.span)
    owner = np.concatenate([whole, fragments.span])
    order = np.argsort(owner, kind="stable")
    begin = np.concatenate([spans.begin[whole], fragments.begin])
    end = np.concatenate([spans.end[whole], fragments.end])
    return owner[order], begin[order], end[order]


def _may_overlap(low: Rows, high: Rows, owner: Rows, count: int) -> Truths:
    """Find the spans that may overlap another: only these must be checked individually."""
    order = np.argsort(low, kind="stable")
    reach = np.maximum.accumulate(high[order])
    begins = np.ones(len(low), np.bool_)
    begins[1:] = low[order][1:] > reach[:-1]
    cluster = np.cumsum(begins) - 1
    crowded = np.zeros(count, np.bool_)
    crowded[owner[order][np.bincount(cluster)[cluster] > 1]] = True
    return crowded


class _CoveredIntervals:
    """The intervals covered so far: closed, in order, no two of which overlap."""

    def __init__(self) -> None:
        self.low: list[int] = []
        self.high: list[int] = []

    def add(self, pieces: list[tuple[int, int]]) -> bool:
        """Add pieces unless any of them is covered already; return whether they were added."""
        for low, high in pieces:
            place = bisect_right(self.low, high)
            if place and self.high[place - 1] >= low:
                return False
        for low, high in pieces:
            place = bisect_right(self.low, low)
            self.low.insert(place, low)
            self.high.insert(place, high)
        return True


# Votes on whole typed spans: an item is retained if enough runs have it, with the same extent, label and id.


_UNLINKED = ""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Items:
    """The distinct spans that runs claim, by document, begin, end, pieces, label and id.

    Args:
        spans: their positions and labels.
        label: their labels as codes in the order of the sorted names.
        id: the id of each; "" where it has none.
        claimed: for each run, whether it claims each.
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
        aligned: the key, of which only documents and words are used, and the runs.
        method: how votes are counted.
        trust: how far each run is trusted.
        same_ids: the canonical id of each id that has equivalents; spans are linked, and their first ids voted on.
            None where ids are ignored.
        apart: whether only the strongest of retained spans that overlap remain: those with the most votes, then the
            longer ones, then the earlier ones.

    """
    placement = place_spans(aligned)
    sides, lost = _spans_in_text(placement)
    items = _gather_items(aligned.key, placement, sides, same_ids)
    fold = trust.fold[items.row] if len(aligned.key) else np.zeros(len(items.row), np.int64)
    weights = weights_of(method, trust, items.spans.label.names)
    votes = weights.totals(fold, items.label, items.claimed)
    kept = np.flatnonzero(votes >= weights.least[fold])
    if apart:
        kept = kept[select_strongest(items.spans.take(kept), votes[kept])]
    return _build_corpus(
        aligned.key, placement=placement, items=items, kept=kept, lost=lost, linked=same_ids is not None
    )


def _spans_in_text(placement: Placement) -> tuple[list[PlacedSpans], int]:
    """Select the spans of all runs that have a position in the text; quotes not found there cannot be written."""
    placement.require_text("a combination of spans")
    if placement.unit == "tokens":
        return list(placement.sides[1:]), 0
    sizes = np.array([len(text) for text in placement.positions.raw.documents], np.int64)
    rows = [np.flatnonzero(side.end <= sizes[side.document]) for side in placement.sides[1:]]
    lost = sum(len(side) - len(some) for side, some in zip(placement.sides[1:], rows, strict=True))
    return [side.take(some) for side, some in zip(placement.sides[1:], rows, strict=True)], lost


def _gather_items(
    key: Corpus, placement: Placement, sides: Sequence[PlacedSpans], same_ids: Mapping[str, str] | None
) -> Items:
    """Gather the distinct spans that runs claim."""
    names, labels = recode_canonically([side.label for side in sides])
    ids, nil = _first_ids(sides, same_ids)
    cuts = number_fragmentations(side.fragments for side in sides)
    columns = [
        np.concatenate([side.document for side in sides]),
        np.concatenate([side.begin for side in sides]),
        np.concatenate([side.end for side in sides]),
        np.concatenate([fragmentation_codes(len(side), side.fragments, cuts) for side in sides]),
        np.concatenate([codes.astype(np.int64) for codes in labels]),
        ids.codes.astype(np.int64),
    ]
    (numbers,) = pack_columns([columns])
    _, first, number = np.unique(numbers, return_index=True, return_inverse=True)
    document, begin, end, cut, label, code = (column[first] for column in columns)
    bounds = np.cumsum([0, *(len(side) for side in sides)]).tolist()
    claimed = tuple(np.bincount(number[low:high], minlength=len(first)) > 0 for low, high in pairwise(bounds))
    spans = PlacedSpans(
        document=document,
        begin=begin,
        end=end,
        label=TextColumn(label, names),
        given=first,
        fragments=_build_fragments(cut, cuts),
    )
    has_nil = np.bincount(number, nil, len(first)) > 0
    written = TextColumn(np.where(has_nil & (code == 0), len(ids.names), code), (*ids.names, NIL))
    place = placement.rows(spans)[0]
    row = np.minimum(key.row_documents[document] + place, max(len(key) - 1, 0))
    return Items(spans=spans, label=label, id=written, claimed=claimed, row=row)


def _build_fragments(cut: Rows, cuts: Mapping[tuple[tuple[int, int], ...], int]) -> Fragments | None:
    """Build the pieces of distinct spans from the numbers of their ways of being split."""
    ways = {number: pieces for pieces, number in cuts.items()}
    found = [(int(span), *piece) for span in np.flatnonzero(cut) for piece in ways[int(cut[span])]]
    if not found:
        return None
    table = np.array(found, np.int64)
    return Fragments(table[:, 0], table[:, 1], table[:, 2])


def _first_ids(sides: Sequence[PlacedSpans], same_ids: Mapping[str, str] | None) -> tuple[TextColumn, Truths]:
    """Extract the first id of each span of all sides, "" (code 0) where it has none, and whether it is NIL."""
    if same_ids is None:
        size = sum(map(len, sides))
        return TextColumn.constant(_UNLINKED, size), np.zeros(size, np.bool_)
    texts = [text for side in sides for text in _id_texts(side.columns.get("id"), len(side))]
    firsts = [_UNLINKED if not text else split_ids(text)[0] for text in texts]
    nil = np.array([first == NIL for first in firsts], np.bool_)
    plain = [_UNLINKED if first == NIL else same_ids.get(first, first) for first in firsts]
    names, (codes, _) = recode_canonically([TextColumn.of(plain), TextColumn.of([_UNLINKED])])
    return TextColumn(codes, names), nil


def _id_texts(column: Column | None, size: int) -> list[str | None]:
    if column is None:
        return [None] * size
    if isinstance(column, TextColumn):
        return column.values()
    return [None if value != value else f"{value:.17g}" for value in column.tolist()]  # noqa: PLR0124 - NaN


def _build_corpus(key: Corpus, placement: Placement, items: Items, kept: Rows, *, lost: int, linked: bool) -> Corpus:
    """Build a corpus of the retained items on the documents, sentences and words of the key."""
    chosen = items.spans.take(kept)
    notes = (Note("runs", "spans without a position in the text, excluded from the vote", lost),) if lost else ()
    columns: dict[str, Column] = {}
    if linked:
        ids = items.id.take(kept)
        columns["id"] = TextColumn(ids.codes, ids.names, missing=0)
    return spans_on_key(key, placement=placement, chosen=chosen, row=items.row[kept], columns=columns, notes=notes)


def spans_on_key(
    key: Corpus,
    placement: Placement,
    chosen: PlacedSpans,
    row: Rows,
    *,
    columns: Mapping[str, Column],
    notes: tuple[Note, ...] = (),
) -> Corpus:
    """Build a corpus of spans on the text of the key, without the key's own annotations."""
    spans = Spans(
        unit=placement.unit,
        document=chosen.document,
        begin=chosen.begin,
        end=chosen.end,
        label=chosen.label,
        offset=key.offset[row] if len(key) else np.zeros(len(row), np.int64),
        fragments=chosen.fragments,
        columns=columns,
    )
    raw = placement.positions.raw if placement.unit == "characters" else key.raw
    return replace(key, spans=spans, raw=raw, columns={}, notes=notes)


# Votes on the chunk tags of words: each word is voted on separately, and the winning tags form spans.
#
# Unlike in votes on whole spans, a span can win that no run has as a whole: the begin of one, the end of another.


_CHUNK_REQUIREMENT = "chunk tags need contiguous, non-overlapping spans of whole words"


def voted_chunks(aligned: Aligned, method: Method, trust: Trust) -> Corpus:
    """Combine the spans of all runs by votes on the chunk tags of words.

    An inside tag without a preceding begin tag begins a span, as in conlleval.
    """
    key, placement = aligned.key, place_spans(aligned)
    labels, codes = recode_canonically([side.label for side in placement.sides[1:]])
    sides = zip(placement.sides[1:], codes, aligned.responses, strict=True)
    tags = [
        _encode_tags(key, placement=placement, side=side, label=mine, labels=len(labels), name=response.name)
        for side, mine, response in sides
    ]
    names = _tag_names(len(labels))
    weights = weights_of(method, trust, names)
    winner = elect(tags, len(names), trust.fold, weights)  # no run is absent: a word without a span is outside
    decoded = decode_tags(TextColumn(winner, names), key.row_documents, "bio", "conlleval")
    document = np.searchsorted(key.row_documents, decoded.begin, side="right") - 1
    base = key.row_documents[document]
    label = TextColumn.of([labels[int(decoded.label[span])] for span in range(len(decoded))])
    begin, end = _row_positions(placement, document, decoded.begin - base, decoded.end - base)
    chosen = PlacedSpans(document=document, begin=begin, end=end, label=label, given=np.arange(len(decoded)))
    return spans_on_key(key, placement=placement, chosen=chosen, row=decoded.begin, columns={})


def _tag_names(labels: int) -> tuple[str, ...]:
    """List the tags by code: begin, inside, outside; with label numbers, as labels may contain any character."""
    return (*(f"B-{label}" for label in range(labels)), *(f"I-{label}" for label in range(labels)), "O")


def _encode_tags(
    key: Corpus, placement: Placement, side: PlacedSpans, label: Codes, *, labels: int, name: str
) -> Codes:
    """Encode spans as the tag of each row of the key."""
    _refuse_unencodable(key, placement, side, name)
    begin, end = placement.rows(side)
    base = key.row_documents[side.document]
    tags = np.full(len(key), 2 * labels, np.int64)
    size = end - begin
    inside = np.repeat(base + begin - np.cumsum(size) + size, size) + np.arange(int(size.sum()))
    tags[inside] = np.repeat(labels + label.astype(np.int64), size)
    tags[base + begin] = label
    return tags


def _refuse_unencodable(key: Corpus, placement: Placement, side: PlacedSpans, name: str) -> None:
    """Raise UsageError for spans that chunk tags cannot encode."""
    begin, end = placement.rows(side)
    base = key.row_documents[side.document]
    exact = bool((base + end <= key.row_documents[side.document + 1]).all())  # a document may have no words
    if exact:
        whole = _row_positions(placement, side.document, begin, end)
        exact = np.array_equal(whole[0], side.begin) and np.array_equal(whole[1], side.end)
    overlap = (base + begin)[1:] < np.maximum.accumulate(base + end)[:-1]
    if side.fragments is not None or not exact or overlap.any():
        raise UsageError(
            f"tag-vote: {_CHUNK_REQUIREMENT}, and {name!r} has others",
            hint="vote on whole spans, for example by majority",
        )


def _row_positions(placement: Placement, document: Rows, begin: Rows, end: Rows) -> tuple[Rows, Rows]:
    """Convert rows of documents to positions of spans."""
    if placement.unit == "tokens":
        return begin, end
    base, raw = placement.positions.key.row_documents[document], placement.positions.raw
    return raw.begin[base + begin], raw.end[base + end - 1]
