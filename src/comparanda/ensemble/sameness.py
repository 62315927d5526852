"""Whether two corpora of the same documents say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import align, place_spans, values_on_key
from comparanda.columns import TextColumn
from comparanda.extents import cut_numbers, ways_of_being_cut
from comparanda.ids import NIL, split
from comparanda.sites import ABSENT, canonical

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.align import Aligned, PlacedSpans
    from comparanda.columns import Rows
    from comparanda.corpus import Corpus


def first_difference(mine: Corpus, other: Corpus) -> str | None:
    """Say where another corpus, laid over one, says something else; None where it says the same."""
    aligned = align(mine, [other])
    if mine.spans is not None:
        return _of_spans(aligned)
    if not aligned.maps[0].identity and aligned.maps[0].surplus is not None:
        return "words would be cut otherwise"
    return _of_values(aligned) or _of_heads(aligned)


def _of_values(aligned: Aligned) -> str | None:
    """Compare the values of rows."""
    nothing = TextColumn(np.zeros(0, np.uint8), (ABSENT,))
    columns = [corpus.columns["value"] for corpus in (aligned.key, *aligned.responses)]
    names, codes = canonical([*columns, nothing])
    found = values_on_key(codes[1], aligned.maps[0], names.index(ABSENT))
    wrong = np.flatnonzero(codes[0] != found)
    if not len(wrong):
        return None
    row = int(wrong[0])
    said = "nothing" if names[int(found[row])] == ABSENT else repr(names[int(found[row])])
    return f"the value {names[int(codes[0][row])]!r} of row {row + 1:,} would be {said}"


def _of_heads(aligned: Aligned) -> str | None:
    """Compare the heads of words; their rows are the same."""
    mine, (other,) = aligned.key.arcs, aligned.responses
    if mine is None:
        return None
    if other.arcs is None or not aligned.maps[0].identity or not np.array_equal(mine.head, other.arcs.head):
        return "heads would be others"
    return None


def _of_spans(aligned: Aligned) -> str | None:
    """Compare spans on common ground."""
    placement = place_spans(aligned)
    mine, theirs = _rows(placement.sides)
    lost, more = sorted(mine - theirs), sorted(theirs - mine)
    if not lost and not more:
        return None
    document, begin, end, label, *_ = (lost or more)[0]
    name = aligned.key.documents.names[document]
    what = f"the span {begin}:{end} ({label}) of document {name!r}"
    return f"{what} would {'be lost or changed' if lost else 'be one too many'}"


def _rows(sides: Sequence[PlacedSpans]) -> list[set[tuple[int, int, int, str, int, str]]]:
    """Return the spans of each side, in plain values."""
    cuts = ways_of_being_cut(side.fragments for side in sides)
    linked = "id" in sides[0].columns
    found = []
    for side in sides:
        pieces = cut_numbers(len(side), side.fragments, cuts)
        columns: list[Rows] = [side.document, side.begin, side.end]
        labels, ids = side.label.values(), _ids(side) if linked else [""] * len(side)
        plain = zip(*(column.tolist() for column in columns), labels, pieces.tolist(), ids, strict=True)
        found.append({(a, b, c, str(label), cut, id_) for a, b, c, label, cut, id_ in plain})
    return found


def _ids(side: PlacedSpans) -> list[str]:
    """Return the first id of each span; none is the same as NIL, as for judges."""
    column = side.columns.get("id")
    if not isinstance(column, TextColumn):
        return [""] * len(side)
    return ["" if text is None or split(text)[0] == NIL else split(text)[0] for text in column.values()]
