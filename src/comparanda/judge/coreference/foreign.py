"""Mentions in documents that the key does not have: there the key counts as empty, and they are all wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import PlacedSpans
from comparanda.columns import taken
from comparanda.places import Note, first_places

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from comparanda.align import Aligned, Missing, Placement
    from comparanda.columns import Rows
    from comparanda.corpus import Corpus


@dataclass(frozen=True, eq=False, slots=True)
class Foreign:
    """What responses have in documents that the key does not have.

    Args:
        names: the names of these documents, sorted; they are numbered behind the key's.
        sides: their mentions, by the number of the response, in positions of its own text.
        notes: how many mentions these are.

    """

    names: tuple[str, ...]
    sides: Mapping[int, PlacedSpans]
    notes: tuple[Note, ...]


def foreign_mentions(aligned: Aligned, placement: Placement, missing: Missing) -> Foreign:
    """Find the mentions that have no place in the key's documents; where these are left out on purpose, none."""
    if missing == "intersection":
        return Foreign((), {}, ())
    lost: dict[int, Rows] = {}
    for number, (response, side) in enumerate(zip(aligned.responses, placement.sides[1:], strict=True), start=1):
        there = np.zeros(0 if response.spans is None else len(response.spans), np.bool_)
        there[side.given] = True
        if not there.all():
            lost[number] = np.flatnonzero(~there)
    names = sorted({name for number, rows in lost.items() for name in _names(aligned.responses[number - 1], rows)})
    place = {name: len(aligned.key.documents) + number for number, name in enumerate(names)}
    sides = {number: _spans(aligned.responses[number - 1], rows, place) for number, rows in lost.items()}
    notes = [_note(aligned.responses[number - 1], rows) for number, rows in lost.items()]
    return Foreign(tuple(names), sides, tuple(notes))


def _names(response: Corpus, rows: Rows) -> Sequence[str]:
    spans = response.spans
    assert spans is not None
    return [response.documents.names[number] for number in np.unique(spans.document[rows]).tolist()]


def _spans(response: Corpus, rows: Rows, place: Mapping[str, int]) -> PlacedSpans:
    spans = response.spans
    assert spans is not None
    table = np.array([place.get(name, 0) for name in response.documents.names], np.int64)
    fragments = None if spans.fragments is None else spans.fragments.take(rows, len(spans))
    columns = {name: taken(column, rows) for name, column in spans.columns.items()}
    return PlacedSpans(
        table[spans.document[rows]],
        spans.begin[rows],
        spans.end[rows],
        spans.label.take(rows),
        rows,
        fragments,
        columns,
    )


def _note(response: Corpus, rows: Rows) -> Note:
    spans = response.spans
    assert spans is not None
    what = "mentions in documents that the key does not have: there it counts as empty"
    return Note(response.name, what, len(rows), first_places(response.source, spans.offset[rows[:3]]))
