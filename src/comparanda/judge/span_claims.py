"""The distinct spans of all sides: the ground of overlap sites."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import PlacedSpans
from comparanda.claims import Claims
from comparanda.columns import smallest
from comparanda.corpus import Fragments, owner_of_rows
from comparanda.extents import cut_numbers, ways_of_being_cut
from comparanda.rules.joins import packed
from comparanda.sites import Attribute

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.align import Placement
    from comparanda.columns import Codes, Rows, TextColumn
    from comparanda.corpus import Corpus


def claims_of(
    key: Corpus,
    placement: Placement,
    names: tuple[str, ...],
    labels: Sequence[Codes],
    train: frozenset[str] | None = None,
) -> tuple[Claims, list[Rows]]:
    """Gather the distinct spans of the key and all runs, and say for each side which one each of its spans is.

    Args:
        key: the key, for its rows and sentences.
        placement: the spans of all sides.
        names: the labels by code, sorted.
        labels: the label of each span of each side.
        train: the texts of spans seen in training, for the attribute `seen`.

    """
    sides = placement.sides
    cuts = ways_of_being_cut(side.fragments for side in sides)
    pieces = [cut_numbers(len(side), side.fragments, cuts) for side in sides]
    columns = [
        np.concatenate([side.document for side in sides]),
        np.concatenate([side.begin for side in sides]),
        np.concatenate([side.end for side in sides]),
        np.concatenate(pieces),
        np.concatenate([codes.astype(np.int64) for codes in labels]),
    ]
    (keys,) = packed([columns])
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    document, begin, end, cut, label = (column[first] for column in columns)
    bounds = np.cumsum([0, *(len(side) for side in sides)])
    counts = [smallest(np.bincount(number[low:high], minlength=len(first))) for low, high in pairwise(bounds.tolist())]
    spans = PlacedSpans(document, begin, end, placement.sides[0].label, first)
    place, until = placement.rows(spans)
    row = key.row_documents[document] + place
    sentence = owner_of_rows(key.sentences)[np.minimum(row, max(len(key) - 1, 0))] if len(key) else row
    claims = Claims(
        document.astype(np.int32),
        sentence.astype(np.int32),
        place.astype(np.int32),
        (until - place).astype(np.int32),
        begin,
        end,
        cut,
        _fragments(sides, number, first, bounds),
        label.astype(labels[0].dtype),
        names,
        counts[0],
        tuple(counts[1:]),
        _attributes(key, placement, spans, train),
    )
    return claims, np.split(number, bounds[1:-1])


def _attributes(
    key: Corpus, placement: Placement, spans: PlacedSpans, train: frozenset[str] | None
) -> dict[str, Attribute]:
    """Offer what is known of each span: its text, whether that was seen in training, and its document's data."""
    attributes = {"text": Attribute("text", lambda: placement.texts(spans).sorted())}
    if train is not None:
        attributes["seen"] = Attribute("truth", lambda: placement.texts(spans).truths(train.__contains__))
    for name, column in key.documents.attributes.items():
        attributes.setdefault(name, _of_documents(column.sorted(), spans.document))
    return attributes


def _of_documents(column: TextColumn, document: Rows) -> Attribute:
    return Attribute("text", lambda: column.take(document))


def _fragments(sides: Sequence[PlacedSpans], number: Rows, first: Rows, bounds: Rows) -> Fragments | None:
    """Return the pieces of distinct spans, each once."""
    found = []
    for side, base in zip(sides, bounds[:-1].tolist(), strict=True):
        if side.fragments is not None:
            mine = side.fragments.span + base
            keep = first[number[mine]] == mine  # the first of equal spans stands for all
            found.append(
                (number[mine[keep]], side.fragments.begin[keep], side.fragments.end[keep]),
            )
    if not found:
        return None
    span, begin, end = (np.concatenate([each[place] for each in found]) for place in range(3))
    order = np.lexsort((begin, span))
    return Fragments(span[order], begin[order], end[order])
